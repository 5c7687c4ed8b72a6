"""The version of the DCGM exporter, where one version with its own list of counters serves all GPUs."""

from __future__ import annotations

from ...manifests.exporter.version import exporter_version
from ...upstream.version import Version
from ..model import ChartRelease, Inputs, any_of, at, contains, is_given, known_str, mappings, question
from ..pods.workloads import workloads
from .agents import EXPORTER, Agent, agents, exporters, hidden_kinds
from .operators import operators

# Values and variables that give the exporter another list of counters, or its series other names.
_VALUES = (
    ("customMetrics",),
    ("config",),
    ("extraConfigMapVolumes",),
    ("arguments",),
    ("extraEnv",),
    ("serviceMonitor", "metricRelabelings"),
)
VARIABLES = ("DCGM_EXPORTER_COLLECTORS", "DCGM_EXPORTER_CONFIGMAP_DATA")


@question
def only_exporter(inputs: Inputs) -> Version | None:
    """The version of every DCGM exporter; None if versions differ or are not known, or if an exporter has counters of its own."""
    versions = {_version(agent) for agent in exporters(inputs)}
    if len(versions) != 1 or has_further_exporters(inputs):
        return None
    by_operator = any_of(operator.is_on("dcgmExporter", "enabled") for operator in operators(inputs))
    return versions.pop() if by_operator.is_no else None


@question
def has_further_exporters(inputs: Inputs) -> bool:
    """Whether an exporter runs, or may, that is neither one of the agents nor the operator's: a workload of another kind."""
    known = {id(agent.about) for agent in agents(inputs)}
    images = (container.image for each in workloads(inputs) if id(each.about) not in known for container in each.containers)
    return EXPORTER in hidden_kinds(inputs) or any_of(contains(image, "dcgm-exporter") for image in images).is_yes


def _version(agent: Agent) -> Version | None:
    release = agent.release
    if release is not None:
        return None if any(is_given(release.value(*path)) for path in _VALUES) else _of_release(release)
    container, volumes = agent.container, mappings(agent.value("volumes"))
    variables = {known_str(at(each, "name")) for _, each in mappings(at(container, "env"))}
    has_file = any(at(each, "hostPath") is None and at(each, "emptyDir") is None for _, each in volumes)
    if has_file or is_given(at(container, "args")) or is_given(at(container, "command")) or not variables.isdisjoint(VARIABLES):
        return None
    return exporter_version(known_str(at(container, "image")) or "")


def _of_release(release: ChartRelease) -> Version | None:
    tag = release.value("image", "tag")
    return exporter_version(f"dcgm-exporter:{tag}") if is_given(tag) else Version.parse(release.version)
