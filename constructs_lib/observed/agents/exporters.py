"""DCGM exporters: their versions, and the counters that they export."""

from __future__ import annotations

from typing import Any

from ...manifests.exporter.version import exporter_version
from ...upstream.version import Version
from ..model import (
    ChartRelease,
    Inputs,
    all_of,
    any_of,
    at,
    contains,
    equals,
    is_given,
    is_open,
    known_list,
    known_str,
    mappings,
    question,
    same_namespace,
)
from ..pods.workloads import workloads
from .agents import EXPORTER, Agent, agents, exporters, hidden_kinds
from .operators import Operator, operators

# The key of the ConfigMap that the operator mounts, and the key of one that the exporter reads from the API.
_OF_OPERATOR, _OF_API = "dcgm-metrics.csv", "metrics"
_FLAGS = (("-f", "--collectors"), ("-m", "--configmap-data"))
# Values of the chart that change where the exporter finds its counters, or the names of its series.
_ELSEWHERE = (("config",), ("arguments",), ("extraEnv",), ("extraConfigMapVolumes",), ("extraVolumeMounts",))
_RELABELINGS = ("serviceMonitor", "metricRelabelings")


@question
def own_counters(inputs: Inputs) -> frozenset[str] | None:
    """The names in the counter files of all DCGM exporters; None where an exporter has no file of its own, or one that
    was not read.

    Source: NVIDIA/dcgm-exporter internal/pkg/counters/counter_config.go, pkg/cmd/app.go and deployment/values.yaml at
    4.5.3-4.8.2;
    NVIDIA/gpu-operator controllers/object_controls.go at v26.7.0 (2026-11-22)
    """
    running = [(each, each.is_on("dcgmExporter", "enabled")) for each in operators(inputs)]
    if has_further_exporters(inputs) or any(not is_on.is_yes and not is_on.is_no for _, is_on in running):
        return None
    files = [_of_agent(each, inputs) for each in exporters(inputs)]
    files += [_of_operator(each, inputs) for each, is_on in running if is_on.is_yes]
    known = [names for names in files if names is not None]
    return frozenset().union(*known) if files and len(known) == len(files) else None


def _of_operator(operator: Operator, inputs: Inputs) -> frozenset[str] | None:
    if is_given(operator.value("dcgmExporter", "serviceMonitor", "metricRelabelings")):
        return None
    return _of_config_map(inputs, known_str(operator.value("dcgmExporter", "config", "name")), operator.namespace, _OF_OPERATOR)


def _of_agent(agent: Agent, inputs: Inputs) -> frozenset[str] | None:
    release = agent.release
    if release is None:
        return _of_container(agent, inputs)
    if any(is_given(release.value(*path)) for path in (*_ELSEWHERE, _RELABELINGS)):
        return None
    return _names(release.value("customMetrics"))


def _of_container(agent: Agent, inputs: Inputs) -> frozenset[str] | None:
    container, words = agent.container, known_list(at(agent.container, "args"))
    if any(is_given(at(container, key)) for key in ("command", "envFrom")) or any(is_open(at(container, key)) for key in ("args", "env")):
        return None
    variables = {known_str(at(each, "name")): at(each, "value") for _, each in mappings(at(container, "env"))}
    file, config_map = (_setting(words, flags, variables.get(name)) for flags, name in zip(_FLAGS, VARIABLES, strict=True))
    if config_map is not None:
        namespace, _, name = (known_str(config_map) or "").partition(":")
        return _of_config_map(inputs, name, namespace, _OF_API)
    for _, mount in mappings(at(container, "volumeMounts")):
        folder, sub_path = known_str(at(mount, "mountPath")) or "", known_str(at(mount, "subPath"))
        path = known_str(file) or ""
        inside = sub_path if path == folder else path.removeprefix(f"{folder.rstrip('/')}/")
        if inside and (inside == sub_path or (sub_path is None and inside != path)):
            return _of_volume(agent, inputs, known_str(at(mount, "name")), inside)
    return None


def _setting(words: list[Any], flags: tuple[str, ...], variable: Any) -> Any:
    """The value of a flag, or of its variable."""
    for index, word in enumerate(words):
        if word in flags:
            return words[index + 1] if index + 1 < len(words) else None
        name, sign, value = (known_str(word) or "").partition("=")
        if sign and name in flags:
            return value
    return variable


def _of_volume(agent: Agent, inputs: Inputs, name: str | None, path: str) -> frozenset[str] | None:
    """The counters of a file in a volume of a ConfigMap."""
    for _, volume in mappings(agent.value("volumes")):
        if equals(at(volume, "name"), name).is_yes:
            items = {known_str(at(each, "path")): known_str(at(each, "key")) for _, each in mappings(at(volume, "configMap", "items"))}
            return _of_config_map(inputs, known_str(at(volume, "configMap", "name")), agent.namespace, items.get(path) if items else path)
    return None


def _of_config_map(inputs: Inputs, name: str | None, namespace: Any, key: str | None) -> frozenset[str] | None:
    maps = [
        each for each in inputs.of_kind("ConfigMap") if all_of([equals(each.name, name), same_namespace(each.namespace, namespace)]).is_yes
    ]
    return _names(at(maps[0].body, "data", key)) if name and key and len(maps) == 1 else None


def _names(text: Any) -> frozenset[str] | None:
    """The first fields of the lines of a counter file; None for a text that can't be read. A comment begins with `#`,
    which no name has."""
    return frozenset(line.partition(",")[0].strip() for line in text.splitlines()) if isinstance(text, str) else None


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
    """The version of every DCGM exporter; None if versions differ or are not known, or if an exporter has counters of
    its own."""
    versions = {_version(agent) for agent in exporters(inputs)}
    if len(versions) != 1 or has_further_exporters(inputs):
        return None
    by_operator = any_of(operator.is_on("dcgmExporter", "enabled") for operator in operators(inputs))
    return versions.pop() if by_operator.is_no else None


@question
def has_further_exporters(inputs: Inputs) -> bool:
    """Whether an exporter runs, or may, that is neither one of the agents nor the operator's: a workload of another
    kind."""
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
