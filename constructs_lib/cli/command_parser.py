"""The parser of a verb for a class of GPU nodes: its help, its example, the flags of the nodes, and `--output`."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Callable
from typing import Any

from .nodes_flags import add_nodes_flags

Commands = Any
"""The object that argparse's `add_subparsers` returns; argparse has no public name for its type."""


def add_command(
    commands: Commands, name: str, run: Callable[[argparse.Namespace], str], about: str, example: str
) -> argparse.ArgumentParser:
    """Add the parser of a verb, with the flags of the nodes and `--output`."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=about, description=about[0].upper() + about[1:] + ".",
        epilog="example:\n" + textwrap.indent(textwrap.dedent(example), "  "), formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )  # fmt: skip
    parser.set_defaults(run=run)
    add_nodes_flags(parser)
    parser.add_argument("--output", metavar="FILE", help="write the output to this file; default: standard output")
    return parser
