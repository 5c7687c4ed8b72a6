"""The flags `--leftovers` and `--manifests` of `upgrade`: the objects in files and folders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments.errors import wrong
from ..arguments.printable import json_text, printable
from ..arguments.talos_warnings import warn
from ..checks.report_words import place
from ..observed.model import Inputs, Skipped
from ..observed.pods.workloads import gpu_workloads
from ..observed.read.files import LARGEST, Files, is_folder, is_template
from ..observed.read.repository import read
from ..talos.upgrade.leftovers import search
from ..talos.upgrade.plan import move_of
from .nodes_flags import read_text

if TYPE_CHECKING:
    from ..talos.upgrade.plan import UpgradePlan

_TEMPLATE = "a template: only rendered manifests are checked"


def leftovers_text(plan: UpgradePlan, written: list[str], *, as_json: bool) -> str:
    """The commands that remove the leftovers, or JSON with the leftovers; a warning for every object that can't be
    checked.
    """
    leftovers, unread = search(move_of(plan), read_given("leftovers", written))
    if as_json:
        return json_text([leftover._asdict() for leftover in leftovers])
    nothing = "# no leftovers in the files that were read; see the warnings for the others\n" if unread else "# no leftovers\n"
    return "".join(printable(f"{leftover.command}  # {leftover.reason}") + "\n" for leftover in leftovers) or nothing


def read_given(flag: str, written: list[str]) -> Inputs:
    """Read the files and folders of a flag. A file that is named by the user and can't be read is refused."""
    if "" in written:
        raise wrong(flag, "files or folders of manifests", "")
    paths = [Path(path) for path in written]
    files = [path for path in paths if not is_folder(path)]
    for path in files:
        read_text(flag, str(path), LARGEST)
    inputs = read(paths)
    held = {read_object.file for read_object in (*inputs.objects, *inputs.releases, *inputs.node_configs)}
    for path in files:
        skipped = next((skip for skip in inputs.skipped if skip.file == str(path)), None)
        if skipped and str(path) not in held:
            line = f"line {skipped.line}: " if skipped.line else ""
            raise wrong(flag, "files of manifests", str(path), line + skipped.reason.partition("; ")[0])
    templates = (Skipped(file=file, reason=_TEMPLATE) for file in _templates(paths) if file not in held)
    return replace(inputs, skipped=(*inputs.skipped, *templates))


def gpu_images(written: list[str]) -> tuple[str, ...]:
    """The images of the containers with GPUs in the files and folders of --manifests; a warning for each file that was
    not read.
    """
    inputs = read_given("manifests", written)
    for skipped in inputs.skipped:
        warn(f"{place(skipped.file, skipped.line)} was not read: {skipped.reason.partition('; ')[0]}")
    images = (container.image for workload in gpu_workloads(inputs) for container in workload.containers if container.gpus)
    return tuple(dict.fromkeys(image for image in images if isinstance(image, str) and image.isprintable() and image.split() == [image]))


def _templates(paths: list[Path]) -> Iterator[str]:
    """The templates of manifests in the folders, which are not rendered."""
    files = Files(paths)
    for folder in filter(is_folder, paths):
        for _, names in files.below(folder):
            yield from (files.shown(path) for path in names if is_template(path.name) and "apiVersion" in files.text(path))
