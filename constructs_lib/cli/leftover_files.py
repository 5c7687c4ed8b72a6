"""The flag `--leftovers` of `upgrade`: what has to go of the objects in files and folders."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from .._arguments.errors import wrong
from .._arguments.talos_warnings import warn
from ..checks.loaders.files import Files, is_folder, is_template
from ..checks.loaders.repository import read
from ..checks.model import Inputs, Skipped
from ..talos.leftover_search import search
from .nodes_flags import read_text

if TYPE_CHECKING:
    from ..talos.upgrade import UpgradePlan

_TEMPLATE = "a template, of which only what it renders is judged"


def leftovers_text(plan: UpgradePlan, written: list[str], *, as_json: bool) -> str:
    """The commands that remove what has to go, or a list of it; a warning for everything of which that can't be told."""
    paths = [Path(each) for each in written]
    inputs = _read(paths)
    found = search(plan, inputs)
    for sentence in found.unread:
        warn(sentence)
    if as_json:
        return json.dumps([each._asdict() for each in found.leftovers], indent=2) + "\n"
    nothing = "# nothing of what was read has to go; the warnings name the rest\n" if found.unread else "# nothing has to go\n"
    return "".join(f"{each.command}  # {each.reason}\n" for each in found.leftovers) or nothing


def _read(paths: list[Path]) -> Inputs:
    """Everything in the files and folders; a file that somebody names, and that holds nothing that can be read, is refused."""
    files = [path for path in paths if not is_folder(path)]
    for path in files:
        read_text("leftovers", str(path))
    inputs = read(paths)
    held = {each.file for each in (*inputs.objects, *inputs.releases, *inputs.node_configs)}
    for path in files:
        skipped = next((each for each in inputs.skipped if each.file == str(path)), None)
        if skipped and str(path) not in held:
            line = f"line {skipped.line}: " if skipped.line else ""
            raise wrong("leftovers", "files of manifests", str(path), line + skipped.reason.partition("; ")[0])
    templates = (Skipped(file=file, reason=_TEMPLATE) for file in _templates(paths) if file not in held)
    return replace(inputs, skipped=(*inputs.skipped, *templates))


def _templates(paths: list[Path]) -> Iterator[str]:
    """The templates of manifests in the folders, which no tool was there to render."""
    files = Files(paths)
    for folder in filter(is_folder, paths):
        for _, names in files.below(folder):
            yield from (files.shown(path) for path in names if is_template(path.name) and "apiVersion" in files.text(path))
