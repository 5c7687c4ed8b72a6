"""The command `diff`: what a change does to the GPUs, between two folders, two commits, or a commit and the files."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments.errors import wrong
from .command_parser import Commands, add_verb
from .flags import add_flag

if TYPE_CHECKING:
    from ..changes.cluster_change import Side
    from ..changes.git_tree import WrittenCommit
    from ..observed.model import Inputs

_FORMATS = ("text", "markdown", "json")
_EXAMPLES = """\
examples:
  talos-gpu diff main
  talos-gpu diff main...HEAD
  talos-gpu diff v1.4.0 v1.5.0 --path clusters/home
  talos-gpu diff before/ after/ --format markdown
  talos-gpu diff main --path cluster.yaml"""
_STATUS = "The exit status is 1 when the change brings an error (--fail-on)"


def add_diff(commands: Commands) -> None:
    """Add the command and its flags."""
    from ..checks.rule import FAIL_ON

    about = "what a change does to the GPUs: versions, drivers, parts of the stack, findings, and the steps of an upgrade"
    parser = add_verb(commands, diff, about, _EXAMPLES, f". {_STATUS}.")
    parser.add_argument(
        "old",
        metavar="OLD",
        help="a folder, a file, or a ref of git, such as main or HEAD~1; ./main is a folder; A...B is B and where it left A",
    )
    parser.add_argument("new", metavar="NEW", nargs="?", help="the same; default: the files of the current folder")
    add_flag(parser, "--path PATH", "a folder or a file on both sides, such as clusters/home or cluster.yaml; default: everything")
    add_flag(parser, "--class NAME", "the cluster of a cluster file with several")
    add_flag(parser, "--format", "default: text", choices=_FORMATS, default="text")
    add_flag(
        parser,
        "--fail-on",
        "the least severity of a new finding that makes the exit status 1; default: error",
        choices=FAIL_ON,
        default="error",
    )
    add_flag(parser, "--output FILE")
    add_flag(parser, "--json FILE", "also write the change as JSON to this file")


def diff(options: argparse.Namespace) -> list[str]:
    """What changes between the two sides; the exit status is in `options.status`."""
    from ..changes.change_text import change_json, change_markdown, change_text
    from ..changes.cluster_change import ClusterChange
    from ..checks.rule import Severity
    from .progress import Progress

    with contextlib.ExitStack() as stack:
        progress = stack.enter_context(Progress(sys.stderr, "talos-gpu diff", "reading"))
        _check_json(options)
        names, are_commits = _names(options.old, options.new)
        folders = [stack.enter_context(_commit(each) if are_commits else _folder(each)) for each in names]
        _check_path(options.path, folders)
        old, new = (_side(name, folder, other, options) for name, folder, other in zip(names, folders, reversed(folders), strict=True))
        progress.doing = "comparing"
        change = ClusterChange(old=old, new=new)
        least = {"error": Severity.ERROR, "warning": Severity.WARNING, "remark": Severity.INFO}.get(options.fail_on)
        written = {"text": change_text, "markdown": change_markdown, "json": change_json}[options.format]
        answer = list(written(change))
        if options.json is not None:
            from .files import write

            write(options.json, change_json(change), "json")
        options.status = int(change.fails(least))
    return answer


def _check_json(options: argparse.Namespace) -> None:
    """Refuse a file for the JSON that is a link, or the output."""
    from .files import refuse_link

    if options.json is None:
        return
    if options.json in ("", "-"):
        raise wrong("json", "the path of a file", options.json, "--format json prints the JSON")
    refuse_link("json", options.json)
    if options.output is not None and Path(options.output).resolve() == Path(options.json).resolve():
        raise wrong("json", "another file than --output", options.json)


def _names(old: str, new: str | None) -> tuple[tuple[str, str], bool]:
    """The two sides, and whether both are commits, as those of `A...B` are: files of a pull request with such a name are none."""
    if "..." not in old or old.startswith((".", "/")):
        return (old, "." if new is None else new), False
    from ..changes.git_tree import sides_of

    if new is not None:
        raise ValueError(f"NEW must be left out after A...B (got {new!r}); A...B has both sides")
    return sides_of(old), True


@contextlib.contextmanager
def _folder(side: str) -> Iterator[WrittenCommit]:
    """The folder, or the file, of a side; of a commit also the files that are missing, and the links that lead out of it. The files of a
    commit are there while the command runs."""
    from ..changes.git_tree import WrittenCommit

    if not side:
        raise ValueError("OLD and NEW must each be a file, a folder, or a ref of git (got ''); is a variable of the shell empty?")
    if Path(side).exists() and not _is_rather_a_ref(Path(side)):
        yield WrittenCommit(Path(side).resolve(), {}, {}, {})
        return
    with _commit(side) as found:
        yield found


@contextlib.contextmanager
def _commit(side: str) -> Iterator[WrittenCommit]:
    """The files of a commit."""
    from ..changes.git_tree import write_commit

    with _commit_folder() as folder:
        yield write_commit(side, folder)


@contextlib.contextmanager
def _commit_folder() -> Iterator[Path]:
    """A folder for the files of a commit, which is removed at the end, also by SIGTERM: it stops a job."""
    import signal  # only a commit needs these
    import tempfile

    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with tempfile.TemporaryDirectory(prefix="talos-gpu-") as folder:
            yield Path(folder).resolve()
    finally:
        signal.signal(signal.SIGTERM, before)


def _is_rather_a_ref(path: Path) -> bool:
    """Whether a file has no format that is read, and a ref has its name: a bare repository has a file HEAD."""
    from ..changes.git_tree import commit_of
    from ..observed.read.files import KUSTOMIZATIONS, READ, UNREAD

    return path.is_file() and not path.name.endswith((*READ, *UNREAD, *KUSTOMIZATIONS)) and commit_of(f"{path}") is not None


def _side(name: str, found: WrittenCommit, other: WrittenCommit, options: argparse.Namespace) -> Side:
    from ..changes.cluster_change import Side
    from ..changes.git_tree import same_links
    from .files import files_of, refuse_input

    place, missing, outside, left_out, top = found
    outside = outside or same_links(place, other.outside)
    whole = place / options.path if options.path else place
    folder = whole if whole.is_dir() else whole.parent
    absent = {os.path.relpath(top / each, folder) for each in (*missing, *left_out, *outside)}
    if not folder.is_dir():
        return Side(name=name, inputs=_nothing(), missing=missing, outside=outside, left_out=left_out, absent=absent)
    with contextlib.chdir(folder):
        inputs = _read("." if whole.is_dir() else whole.name, options.chosen, is_there=whole.exists())
    file = "" if whole.is_dir() else whole.name
    for argument in ("output", "json"):
        refuse_input(argument, getattr(options, argument), [str(whole), *(str(folder / each) for each in files_of(inputs))])
    return Side(
        name=name,
        inputs=inputs,
        text_of=lambda path: _bytes(folder / path),
        file=file,
        missing=missing,
        outside=outside,
        left_out=left_out,
        absent=absent,
    )


def _check_path(path: str | None, sides: list[WrittenCommit]) -> None:
    if path and (Path(path).is_absolute() or not all((each.folder / path).resolve().is_relative_to(each.folder) for each in sides)):
        raise wrong("path", "a path below both sides", path)
    if path and not any(_may_have(each, path) for each in sides):
        raise wrong("path", "a path of OLD or of NEW", path, "neither side has it")


def _may_have(side: WrittenCommit, path: str) -> bool:
    """Whether a side has a path, or a file there that can't be read."""
    unread = (f"/{each}/" for each in (*side.missing, *side.outside, *side.left_out))
    return (side.folder / path).exists() or any(f"/{Path(path).as_posix()}/" in each for each in unread)


def _nothing() -> Inputs:
    from ..observed.model import Inputs

    return Inputs()


def _read(path: str, chosen: str | None, *, is_there: bool) -> Inputs:
    """The inputs in a path of the current folder; nothing where one side has no such file."""
    from ..observed.read.repository import read
    from .cluster_files import cluster_file_at, inputs_of

    if not is_there:
        return _nothing()
    cluster = cluster_file_at(path)
    if cluster is not None:
        return inputs_of(cluster, argparse.Namespace(chosen=chosen, kubernetes=None))
    return read([path])


def _bytes(path: Path) -> bytes | None:
    """The bytes of a file, or of the files of a folder that say something about a cluster."""
    from ..observed.read.files import KUSTOMIZATIONS, READ, UNREAD

    try:
        if not path.is_dir():
            return path.read_bytes()
        inside = sorted(each for each in path.rglob("*") if each.name.endswith((*READ, *UNREAD, *KUSTOMIZATIONS)))
        return b"\0".join(
            os.fsencode(each.relative_to(path)) + each.read_bytes() for each in inside if each.is_file() and not each.is_symlink()
        )
    except OSError:
        return None
