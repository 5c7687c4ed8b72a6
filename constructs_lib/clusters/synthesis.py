"""The synthesis of one cluster: its files, and the findings of the checks, from its description."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..arguments.errors import TalosGpuWarning
from ..checks.rule import Finding, Severity
from ..manifests.objects import Manifest
from ..nodes.gpu_nodes import GpuNodes
from ..yaml.npm_bytes import stream
from .app_registry import remark
from .composer import Composer
from .description import Description
from .file_values import FileError
from .followed import followed
from .talos_outputs import MACHINE_CONFIG, talos_files

if TYPE_CHECKING:
    from ..observed.model import NodeConfig

MANIFESTS, TALOS = "manifests", "talos"
"""The folders of a cluster."""


@dataclass(frozen=True)
class Synthesis:
    """The result of a description: the files by their paths, and each error and warning with its place in the
    description."""

    files: Mapping[str, str]
    errors: tuple[FileError, ...] = ()
    violations: tuple[FileError, ...] = ()
    """The errors of the rules of `talos-gpu check`."""
    warnings: tuple[FileError, ...] = ()
    remark: str = ""
    """The resources that workloads request and no part of the file advertises."""
    nodes: tuple[GpuNodes, ...] = ()
    """The classes of GPU nodes."""
    objects: Mapping[str, list[Manifest]] = field(default_factory=dict)
    """The objects of each file of manifests."""
    followed: tuple[str, ...] = ()
    """What followed without a word of the file, with the reasons."""


BESIDE = "*"
"""The name before the objects beside a cluster, which no chart can have."""


def synthesize(
    description: Mapping[str, Any],
    read: Callable[[str], str],
    *,
    with_checks: bool = True,
    beside: Iterable[Manifest] = (),
    runs_helm: bool = True,
) -> Synthesis:
    """Synthesize one cluster. A cluster with an error has no files. The rules know the objects `beside` it, and say
    nothing about them. With `runs_helm=False` a chart that Helm would render is a release."""
    composer = Composer(description, runs_helm=runs_helm)
    composer.compose()
    told = description.told if isinstance(description, Description) else (lambda error: error)
    talos = {} if composer.errors else _talos(description, composer, read)
    if composer.errors:
        return Synthesis({}, errors=tuple(map(told, composer.errors)), warnings=tuple(map(told, composer.warnings)))
    findings, unadvertised = _findings(composer, talos, beside) if with_checks else ([], "")
    violations = tuple(error for error, severity in findings if severity is Severity.ERROR)
    found = tuple(error for error, severity in findings if severity is Severity.WARNING)
    objects = {f"{MANIFESTS}/{chart.id}.k8s.yaml": [manifest for _, manifest in chart.objects] for chart in composer.charts.values()}
    return Synthesis(
        {**{path: stream(each) for path, each in objects.items()}, **talos},
        objects=objects,
        violations=tuple(map(told, violations)),
        warnings=tuple(map(told, (*composer.warnings, *found))),
        remark=unadvertised,
        nodes=tuple(composer.every()),
        followed=tuple(dict.fromkeys(followed(description, composer))) if isinstance(description, Description) else (),
    )


def _talos(description: Mapping[str, Any], composer: Composer, read: Callable[[str], str]) -> dict[str, str]:
    if not {"talos", "control_plane"} & description.keys():
        return {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", TalosGpuWarning)
        try:
            files = talos_files(description.get("talos", []), composer, read, description.get("control_plane"))
        except FileError as error:
            composer.errors.append(error)
            return {}
    composer.warnings += [FileError(("talos",), ValueError(str(each.message))) for each in caught]
    return {f"{TALOS}/{name}": text for name, text in files.items()}


def _findings(composer: Composer, talos: Mapping[str, str], beside: Iterable[Manifest]) -> tuple[list[tuple[FileError, Severity]], str]:
    """The findings that nobody silenced, by the rules of `talos-gpu check`, and the remark about what nothing
    advertises.

    The rules know the machine configurations of the file, as `talos-gpu check` of the output does, and the findings are
    about the objects alone.
    """
    from ..checks.engine import run_rules
    from ..observed.nodes.offers import not_advertised
    from ..observed.read.repository import read_manifests
    from ..observed.read.version_sources import in_arguments, talos_version

    manifests = [each for chart in composer.charts.values() for each in chart.objects]
    manifests += [(f"{BESIDE}/{number}", each) for number, each in enumerate(beside)]
    inputs = read_manifests(manifests, nodes=tuple(composer.advertised), talos=talos_version(in_arguments(None, None, composer.used)))
    other_nodes = tuple(each for each in composer.used if each not in composer.advertised)
    inputs = replace(inputs, other_nodes=other_nodes, node_configs=_node_configs(talos))
    found = (each for each in run_rules(inputs) if each.ignored is None and not each.file.startswith((f"{BESIDE}/", f"{TALOS}/")))
    findings = [(_error(each), each.severity) for each in found]
    return findings, remark(not_advertised(inputs), "this file")


def _node_configs(talos: Mapping[str, str]) -> tuple[NodeConfig, ...]:
    """The machine configurations among the files for Talos."""
    from ..observed.read.repository import read_text

    texts = {name: text for name, text in talos.items() if name.endswith(MACHINE_CONFIG)}
    return tuple(each for name, text in texts.items() for each in read_text(text, file=name).node_configs)


def _error(finding: Finding) -> FileError:
    """A finding at the place of the part that made its object; a part may be inside of another."""
    chart, _, rest = finding.file.partition("/")
    words = f"{finding.rule} [{finding.file}] {finding.message}; fix: {finding.fix}"
    return FileError(("charts", chart, "objects", rest.partition("/")[0]), ValueError(words))
