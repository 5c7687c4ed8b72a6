"""The file of `--output`: never one of the files that the command reads, and never one to which a link leads."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments.errors import wrong
from ..arguments.output_paths import is_link, link_out

if TYPE_CHECKING:
    from ..observed.model import Inputs

_NO_INPUTS = ("output", "title", "talconfig")
"""The flags that name no input, and the file that `patch` merges into, which may be replaced by the merged one."""
_REPLACED = "talos"
"""The format of machine configuration: a later run reads the file of an earlier run in its folder, and replaces it."""


def check_flags(options: argparse.Namespace) -> None:
    """Refuse an output that is a link, or that an argument or a flag names as an input."""
    refuse_link("output", options.output)
    values = [value for name, value in vars(options).items() if name not in _NO_INPUTS]
    _check(options.output, (each for value in values for each in (value if isinstance(value, list) else [value]) if isinstance(each, str)))


def check_inputs(options: argparse.Namespace, inputs: Inputs) -> None:
    """Refuse an output that was read as an input, in a folder."""
    if getattr(options, "format", None) != _REPLACED:
        _check(options.output, {each.file for each in (*inputs.objects, *inputs.of_unknown_kind, *inputs.releases, *inputs.node_configs)})


def refuse_link(argument: str, path: str) -> None:
    """Refuse a file that is a symbolic link, and one below a link out of the working folder: a stranger's repository
    may have put it there."""
    if link := Path(path) if is_link(path) else link_out(path):
        raise wrong(argument, "a file to which no symbolic link leads", path, f"{link} is one: name the file to which it leads")


def _check(output: str | None, files: Iterable[str]) -> None:
    if output is not None and Path(output).is_file() and any(_is_same(output, each) for each in files):
        raise wrong("output", "another file than the files that are read", output, "it would be replaced")


def _is_same(output: str, file: str) -> bool:
    try:
        return Path(output).samefile(file)
    except (OSError, ValueError):  # a text that is no file
        return False
