"""The command `matrix`: the Talos releases, drivers, kernel modules and CUDA versions that run a card."""

from __future__ import annotations

import argparse

from .command_parser import Commands
from .nodes_flags import number


def add_matrix(commands: Commands) -> None:
    """Add the command and its flags."""
    about = "print the Talos releases, drivers, kernel modules and CUDA versions that run a card"
    parser: argparse.ArgumentParser = commands.add_parser(
        "matrix", help=about, description=about[0].upper() + about[1:] + ".",
        epilog="example:\n  talos-gpu matrix --product A16 --cuda 13", formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.set_defaults(run=matrix, talos_version=None, mps=None)
    parser.add_argument("--product", metavar="NAME", help="the card, such as 'RTX 5070 Ti'; default: a table of all architectures")
    parser.add_argument(
        "--cuda", type=number, metavar="MAJOR", help="only drivers that run images of this major version of CUDA, such as 13"
    )
    parser.add_argument("--output", metavar="FILE", help="write the output to this file; default: standard output")


def matrix(options: argparse.Namespace) -> str:
    """The table of a card, or of all architectures."""
    from ..nodes.card_matrix import architecture_table, card_table  # only this verb needs the table of cards

    return architecture_table(options.cuda) if options.product is None else card_table(options.product, options.cuda)
