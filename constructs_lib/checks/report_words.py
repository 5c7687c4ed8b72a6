"""The words of a report: its head (what was read, for which versions, and who states them), places, counts and
lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..arguments.printable import printable
from ..observed.model import Inputs
from ..observed.model.cluster_views import cluster_views, possible_clusters
from ..observed.model.stated_versions import KUBERNETES, OLD_TALOS, TALOS, StatedVersion, supporting
from ..observed.nodes.node_settings import is_for_gpus
from ..observed.read.files import NOT_LIVE, UNKNOWN_PART
from ..upstream.talos import releases
from ..upstream.version import Version

_SHOWN = 4


def head(inputs: Inputs, not_applied: int) -> Iterator[str]:
    """The sentences of the head, in their order."""
    if inputs.talos_version is not None:
        stated = source(TALOS, inputs.talos_version, inputs)
        remark = "" if inputs.weak_talos is None else ", a variable and the only source: errors that need it become warnings"
        yield f"Talos {inputs.talos_version}{f' ({stated}{remark})' if stated else ''}"
    elif sentence := unknown_talos(inputs, not_applied):
        yield sentence
    for dated in [each for each in inputs.stated_versions if each.subject == OLD_TALOS][:1]:
        yield (
            f"Talos {dated.version} ({place(dated.file, dated.line)}) is older than {next(iter(releases.TALOS))}, the oldest that the rules know. Rules for "
            "newer versions were not applied to it, and the findings of the others are less sure for its nodes"
        )
    if inputs.kubernetes_version is not None:
        stated = source(KUBERNETES, inputs.kubernetes_version, inputs)
        yield f"Kubernetes {inputs.kubernetes_version}{f' ({stated})' if stated else ''}"
    for subject, name in ((TALOS, "Talos"), (KUBERNETES, "Kubernetes")):
        yield from _differing(name, [each for each in inputs.stated_versions if each.subject == subject])
    if inputs_read := read(inputs):
        yield f"read {inputs_read}"
    yield from _not_judged(inputs)
    yield from _made_elsewhere(inputs)
    if views := cluster_views(inputs):
        parts = (*inputs.objects, *inputs.releases)
        rest = (
            "" if all(possible_clusters(each, inputs) for each in parts) else "; what no folder and no deployer assigns was judged in each"
        )
        yield f"{len(views)} clusters were judged apart: {listed(_shortened([*views]))}{rest}"
    elif len(inputs.clusters) > 1:
        yield f"{len(inputs.clusters)} clusters were judged as one: {listed(_shortened(inputs.clusters))}; give the folders of each with --root"


def _not_judged(inputs: Inputs) -> Iterator[str]:
    """The files that may say more of GPUs: those that are not live by their name, and those that are not HCL."""
    if passed_by := [each.file for each in inputs.skipped if each.reason == NOT_LIVE and each.names_nvidia]:
        yield f"not judged: {listed(_shortened(passed_by))}, {NOT_LIVE}"
    left_out: dict[str, list[str]] = {}
    for each in inputs.node_configs:
        if each.left_out_by and is_for_gpus(each) and not inputs.nodes:  # described nodes are known without the file
            left_out.setdefault(each.left_out_by, []).append(each.file)
    for talconfig, patches in left_out.items():
        yield f"{talconfig} does not apply {listed(_shortened(patches))}: no GPU node was read from there"
    if broken := [place(each.file, each.line) for each in inputs.skipped if each.reason.endswith(UNKNOWN_PART)]:
        yield f"not HCL: {listed(_shortened(broken))}; they may have the parts that a finding calls missing"


def _made_elsewhere(inputs: Inputs) -> Iterator[str]:
    """The files that tools make outside of git."""
    made = dict.fromkeys(each.made for each in inputs.skipped if each.made)
    for maker in dict.fromkeys(maker for _, maker in made):
        names = [name for name, other in made if other == maker]
        yield (
            f"{maker[0].upper()}{maker[1:]} makes {listed(_shortened(names))} outside of git: what "
            f"{'this file says' if len(names) == 1 else 'these files say'} of modules, labels and Pod Security is not known"
        )


def source(subject: str, version: object | None, inputs: Inputs) -> str | None:
    """The place that states a version: `talos/talconfig.yaml:3`, `--talos`. None if the version is not known."""
    stated = [] if version is None else supporting(subject, str(version), inputs.stated_versions)
    return printable(place(stated[0].file, stated[0].line)) if stated else None


def unknown_talos(inputs: Inputs, not_applied: int) -> str:
    """The number of rules that need the Talos version; empty if it is known, or if nothing was read."""
    is_old = any(each.subject == OLD_TALOS for each in inputs.stated_versions)
    if inputs.talos_version is not None or is_old or not read(inputs):
        return ""
    if not not_applied:
        is_stated = any(each.subject == TALOS for each in inputs.stated_versions)
        words = "Talos version unknown: only the nodes that state theirs were judged by it"
        return f"{words}; give {talos_flag(inputs)}" if is_stated else ""
    were = "rule was" if not_applied == 1 else "rules were"
    return f"Talos version unknown: {not_applied} {were} not applied; give {talos_flag(inputs)}"


def talos_flag(inputs: Inputs) -> str:
    """The flag for the newest Talos that the files state, or else for the newest release."""
    stated = [version for each in inputs.stated_versions if each.subject == TALOS and (version := Version.parse(each.version))]
    if not stated:
        released = [minor for minor in releases.TALOS if minor != releases.PREVIEW]
        return f"--talos VERSION, such as --talos {released[-1]}"
    newest = max(stated)
    return f"--talos {newest.without_patch}"


def read(inputs: Inputs) -> str:
    """`40 objects, 2 charts and 1 node configuration`; empty if nothing was read."""
    parts = ((inputs.objects, "object"), (inputs.releases, "chart"), (inputs.node_configs, "node configuration"))
    counts = [count(len(given), name) for given, name in parts if given]
    return listed(counts) if counts else ""


def _shortened(words: Sequence[str]) -> list[str]:
    return [*words[:_SHOWN], *([f"{len(words) - _SHOWN} more"] if len(words) > _SHOWN else [])]


def _differing(name: str, stated: list[StatedVersion]) -> Iterator[str]:
    """The places of different versions, one place for each version."""
    first: dict[str, StatedVersion] = {}
    for each in stated:
        first.setdefault(each.version, each)
    exact = [
        each
        for each in first.values()
        if each.version != each.minor or all(other.minor != each.minor for other in first.values() if other is not each)
    ]
    if len(exact) > 1:
        places = [f"{place(each.file, each.line)} says {each.version}" for each in exact]
        yield f"{name} versions differ: {listed(_shortened(places))}"


def place(file: str, line: int | None) -> str:
    """`file:line`, which editors and terminals turn into a link."""
    return f"{file}:{line}" if line is not None else file


def count(number: int, name: str) -> str:
    """`1 error`, `2 errors`, `2 RuntimeClasses of NVIDIA`, `2 ClusterPolicies`: the noun before an `of` has the
    plural."""
    first, of, rest = name.partition(" of ")
    if number != 1:
        first = f"{first[:-1]}ies" if first.endswith("cy") else f"{first}{'es' if first.endswith('s') else 's'}"
    return f"{number} {first}{of}{rest}"


def first_of(words: Sequence[str], most: int) -> str:
    """`a, b and 4 more`: the first words, and the number of the others."""
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def listed(words: Iterable[str], conjunction: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    *first, last = words
    return f"{', '.join(first)} {conjunction} {last}" if first else last
