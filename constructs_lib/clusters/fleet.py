"""The synthesis of every cluster of a file, in one process or in several, into one output folder."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import signal
import sys
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..arguments.errors import wrong
from ..yaml.splice import shown
from .cluster_file import ClusterFile
from .description import Description
from .fleet_delivery import FLEET
from .messages import Message, messages_of
from .output_folder import OutputFolder
from .synthesis import MANIFESTS, Synthesis, synthesize

if TYPE_CHECKING:
    from ..checks.formats.page_classes import PageClasses
    from ..checks.settings import Settings as RepositorySettings

PAGE = "README.md"
"""The file of the page in a cluster's folder."""


def page_classes(description: Mapping[str, Any], file: str, cluster: str = "") -> PageClasses:
    """The classes for a page. `cluster` is the name in a file with several clusters."""
    from ..checks.formats.page_classes import PageClasses  # only a page needs it

    return PageClasses(description.classes if isinstance(description, Description) else (), Path(file).name, cluster)


def page_of(
    cluster: str,
    result: Synthesis,
    classes: PageClasses,
    title: str | None = None,
    kubernetes: str | None = None,
    settings: RepositorySettings | None = None,
) -> str:
    """The page about the cluster's folder, with what followed. Nothing else of that folder is on the page. The names and
    the addresses of the cluster file stand in its commands."""
    from ..checks.engine import node_classes, run_rules  # only a page needs these
    from ..checks.formats.cluster_page import page, tree_facts
    from ..observed.read.repository import read

    with tempfile.TemporaryDirectory(prefix="talos-gpu-") as parent:
        folder = Path(parent, cluster)
        folder.mkdir()
        for name, text in result.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        inputs = read([folder], kubernetes=kubernetes, nodes=node_classes(result.nodes))
        inputs = inputs if settings is None else settings.applied(inputs, ())
        findings = run_rules(inputs) if settings is None else settings.silenced(run_rules(inputs))
        written = page(inputs, findings, title=title or cluster, **tree_facts([folder]), classes=classes)
    return written + decision_lines(result.followed)


def decision_lines(followed: Iterable[str]) -> str:
    """The section of a page about what the cluster file leaves open."""
    from ..checks.formats.markdown_text import prose  # only a page needs it

    lines = [f"- {prose(each)}" for each in followed]
    return "\n".join(["", "## Decisions", "", "The cluster file leaves these open, so they follow:", "", *lines, ""]) if lines else ""


_SAFE_PATH = "PYTHONSAFEPATH"
_ENDING = (signal.SIGINT, signal.SIGTERM)
_LARGEST = 20_000_000
"""The largest file beside a cluster file, in bytes."""
_CHUNK = 8
"""The largest number of clusters that a process takes at once."""


@dataclass(frozen=True)
class Settings:
    """The settings that all clusters of a run have in common."""

    file: ClusterFile
    output: OutputFolder
    staging: Path
    version: str
    with_checks: bool = True
    with_page: bool = True
    only_changed: bool = False
    has_several: bool = False


@dataclass(frozen=True)
class Outcome:
    """The outcome of a cluster."""

    name: str
    number_of_files: int = 0
    changed: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    """A sentence for each file of an earlier synthesis that disappears."""
    is_skipped: bool = False
    errors: tuple[Message, ...] = ()
    violations: tuple[Message, ...] = ()
    warnings: tuple[Message, ...] = ()
    remark: str = ""
    followed: tuple[str, ...] = ()
    """What followed without a word of the file."""


def outcomes(settings: Settings, clusters: Sequence[tuple[str, Mapping[str, Any]]], jobs: int) -> Generator[Outcome]:
    """The outcome of each cluster, in their order. No more processes run than there are clusters, or processors. They run
    when this function returns, so that no thread of the caller is there when they start."""
    processes = min(jobs, len(clusters), os.cpu_count() or 1)
    if processes <= 1:
        return (outcome(settings, each) for each in clusters)
    from concurrent.futures import ProcessPoolExecutor  # only several jobs need it

    share = -(-len(clusters) // processes)
    with contextlib.ExitStack() as stack:
        stack.enter_context(_safe_path())
        with _signals_wait():
            pool = stack.enter_context(ProcessPoolExecutor(processes, initializer=_leave_clean_up))
            results = pool.map(functools.partial(outcome, settings), clusters, chunksize=min(share, _CHUNK))
        return _ended(stack.pop_all(), results)


def _ended(processes: contextlib.ExitStack, results: Iterator[Outcome]) -> Generator[Outcome]:
    with processes:
        yield from results


@contextlib.contextmanager
def _safe_path() -> Iterator[None]:
    """Let processes that start Python anew, as on macOS and Windows, import nothing from the working folder, which may
    be a stranger's."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before


@contextlib.contextmanager
def _signals_wait() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM wait while processes start. The pool would wait for ever for a process that it does not
    know yet, and a process that begins does not leave the clean-up yet."""
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _leave_clean_up() -> None:
    """Leave the clean-up at Ctrl-C, which every process of a terminal gets, and at SIGTERM to the process that has
    started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _ENDING)


def outcome(settings: Settings, cluster: tuple[str, Mapping[str, Any]]) -> Outcome:
    """Synthesize a cluster, and stage its files."""
    name, description = cluster
    described = _described(settings, description)
    if settings.only_changed and settings.output.is_written(name, described):
        return Outcome(name, is_skipped=True)
    result = synthesize(description, lambda path: beside(settings.file, path), with_checks=settings.with_checks)
    judged = _outcome_of(settings.file, name, result, has_several=settings.has_several)
    if judged.errors or judged.violations:
        return replace(judged, remark="")
    files = {**result.files}
    if settings.with_page:
        files[PAGE] = page_of(name, result, page_classes(description, settings.file.path, name if settings.has_several else ""))
    try:
        staged = settings.output.stage(settings.staging, name, described, files)
    except (OSError, ValueError) as error:
        return Outcome(name, errors=(Message(str(error)),), warnings=judged.warnings)
    return replace(judged, number_of_files=len(files), changed=staged.changed, notes=staged.notes)


def _outcome_of(file: ClusterFile, name: str, result: Synthesis, *, has_several: bool) -> Outcome:
    """The outcome of a synthesis whose files are not staged."""
    cluster = name if has_several else ""
    errors, violations, found = (messages_of(file, each, cluster) for each in (result.errors, result.violations, result.warnings))
    return Outcome(name, errors=errors, violations=violations, warnings=found, remark=result.remark, followed=result.followed)


def stage_delivery(settings: Settings, files: Mapping[str, str]) -> Outcome:
    """Stage the objects of the engines that deliver the clusters, beside the clusters."""
    try:
        staged = settings.output.stage(settings.staging, FLEET, "", files)
    except (OSError, ValueError) as error:
        return Outcome(FLEET, errors=(Message(str(error)),))
    return Outcome(FLEET, len(files), staged.changed, notes=staged.notes)


def printed(
    file: ClusterFile, name: str, description: Mapping[str, Any], *, with_checks: bool, has_several: bool
) -> tuple[Outcome, list[str]]:
    """The outcome of a cluster, and its manifests as the parts of one YAML stream."""
    result = synthesize(description, lambda path: beside(file, path), with_checks=with_checks)
    outcome = _outcome_of(file, name, result, has_several=has_several)
    texts = [text for path, text in result.files.items() if text and path.startswith(f"{MANIFESTS}/")]
    return outcome, [] if outcome.errors or outcome.violations else [shown("---\n".join(texts))]


def _described(settings: Settings, description: Mapping[str, Any]) -> str:
    """The hash of everything that the files of a cluster follow from: the order of keys too, because environment
    variables and objects have it."""
    talos = description.get("talos")
    entries = talos if isinstance(talos, list) else [talos]
    names = [each["talconfig"].get("file") for each in entries if isinstance(each, dict) and isinstance(each.get("talconfig"), dict)]
    texts = [_known(settings.file, name) for name in names if isinstance(name, str)]
    # repr takes every value of YAML, and shows 1 and '1' as two. The synthesis alone refuses values.
    written = description.content if isinstance(description, Description) else description
    content = repr([settings.version, settings.with_checks, settings.with_page, written, texts])
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()


def _known(file: ClusterFile, path: str) -> str | None:
    """The text of a file beside the cluster file; None for one that the synthesis refuses."""
    try:
        return beside(file, path)
    except ValueError:
        return None


def beside(file: ClusterFile, path: str) -> str:
    """The text of a file beside the cluster file: of no link that leads out of the folder, and of no pipe, which may
    never end."""
    rule, folder = "a file that can be read", Path(file.path).parent
    place = folder / path
    try:
        if not Path(os.path.realpath(place)).is_relative_to(os.path.realpath(folder)):
            raise wrong("file", "a file in the folder of the cluster file", path, "a symbolic link leads out of the folder")
        if place.exists() and not place.is_file():
            raise wrong("file", rule, path, "it is no file")
        if place.stat().st_size > _LARGEST:
            raise wrong("file", rule, path, f"it is larger than {_LARGEST // 1_000_000} MB")
        return place.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise wrong("file", "a file of text", path) from None
    except OSError as error:
        raise wrong("file", rule, path, error.strerror or "") from None
