"""The command `matrix`: the Talos releases, drivers, kernel modules and CUDA versions that run a card."""

from __future__ import annotations

import argparse

from .command_parser import Commands, add_verb
from .flags import add_flag
from .nodes_flags import number

_EXAMPLES = """\
example:
  talos-gpu matrix --product A16 --cuda 13"""


def add_matrix(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "print the Talos releases, drivers, kernel modules and CUDA versions that run a card"
    parser = add_verb(commands, matrix, about, _EXAMPLES)
    parser.set_defaults(talos_version=None, mps=None)
    add_flag(parser, "--product NAME", "the card, such as 'RTX 5070 Ti'; default: a table of all architectures")
    add_flag(parser, "--cuda MAJOR", "only drivers that run images of this major version of CUDA, such as 13", type=number)
    add_flag(parser, "--output FILE")


def matrix(options: argparse.Namespace) -> str:
    """The table of a card, or of all architectures."""
    from ..nodes.card_matrix import architecture_table, card_table  # only this verb needs the table of cards
    from .fitted import fitted

    table = architecture_table(options.cuda) if options.product is None else card_table(options.product, options.cuda)
    return fitted(table, options)
