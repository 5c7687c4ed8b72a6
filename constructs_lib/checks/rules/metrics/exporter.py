"""DCGM exporters: NVIDIA's runtime, memory and GPUs that they take, and the names of their metrics in alerts and
dashboards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ....arguments.patterns import pattern
from ....arguments.quantities import amount_of
from ....nodes.talos_version import dated
from ....observed.agents.agents import agents, exporters
from ....observed.agents.exporters import only_exporter, own_counters
from ....observed.agents.operators import operators, version_of
from ....observed.model import (
    Answer,
    Inputs,
    KubernetesObject,
    Path,
    Read,
    at,
    contains,
    is_given,
    known_items,
    known_str,
    known_text,
    mappings,
)
from ....observed.nodes.node_settings import default_runtime_is_nvidia
from ....observed.pods.workloads import workloads
from ....upstream.nvidia.dcgm_metric_names import DCGM_4_7, EXPORTER_RENAMED
from ....upstream.nvidia.gpu_resources import is_gpu
from ....upstream.talos.minors import Minors
from ...halves import whole_gpu_node
from ...injection import injection, without_default_runtime
from ...rule import Example, Rule, Severity, Violation, Witness, removal, set_to
from .._shared import DEFAULT_RUNTIME, RUNTIME_CLASS, chart_release, node_config, version_part

_METRIC = pattern(r"DCGM_\w+")
_NEW_NAMES = {old: field.name for old, field in DCGM_4_7.items() if field.name != old}
_OLD_NAMES = {new: old for old, new in _NEW_NAMES.items()}
_RULES = ("PrometheusRule", "VMRule")
# A message names so many metrics.
_MOST = 3

_EXPORTER = f"""\
{chart_release("dcgm-exporter", "4.8.2")}    nodeSelector: {{kubernetes.io/hostname: gpu-1}}
    serviceMonitor: {{enabled: false}}
"""
_NAMED = f"{RUNTIME_CLASS}---\n{_EXPORTER}    runtimeClassName: nvidia\n"
_ALERT = f"""\
{_NAMED}---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {{name: gpus, namespace: monitoring}}
spec:
  groups:
    - name: gpus
      rules: [{{alert: GpuHot, expr: "%s"}}]
"""
_NEW, _OLD = "DCGM_FI_DEV_GPU_TEMP_CELSIUS > 85", "DCGM_FI_DEV_GPU_TEMP > 85"


@Rule(
    id="TG125",
    claim="Alerts and dashboards read metrics by the names that the DCGM exporter's version has",
    symptom="an alert that never fires; No data in panels with DCGM_FI_ metrics after an upgrade of dcgm-exporter",
    fix="Use the exporter's names, and thresholds in their units, or read both: new_name or old_name. "
    f"dcgm-exporter {EXPORTER_RENAMED} renamed the metrics",
    source="NVIDIA/go-dcgm pkg/dcgm/const_fields.go; NVIDIA/dcgm-exporter etc/default-counters.csv",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(_ALERT % _NEW),
    # The expression is for exporters of both versions.
    passing=Example(_ALERT % f"({_NEW}) or ({_OLD})"),
)
def _unknown_names(inputs: Inputs) -> Iterator[Violation]:
    absent_names = _absent_names(inputs)
    if absent_names is None:
        return
    exporter, names, is_sure = absent_names
    recorded = {known_str(at(rule, "record")) for _, _, rule in _rules(inputs)}
    names = {absent: present for absent, present in names.items() if absent not in recorded}
    for about, path, reader, effect, text in _readers(inputs):
        read = set(_METRIC.findall(text))
        # An expression with both names, such as `new or old`, is for both versions.
        missing = sorted(name for name in read & names.keys() if names[name] not in read)
        if missing:
            pairs = ", ".join(f"{name} is named {names[name]}" for name in missing[:_MOST]) + (", …" if len(missing) > _MOST else "")
            message = f"{reader} reads names of metrics that {exporter} not have: {pairs}. {effect}"
            severity = Severity.ERROR if about.kind in _RULES and is_sure else Severity.WARNING
            related = tuple(version_part(each.about) for each in _exporters(inputs))
            yield Violation(severity, message, about, path, related=related)


def _absent_names(inputs: Inputs) -> tuple[str, Mapping[str, str], bool] | None:
    """The exporter in words, the absent names with the names in their place, and whether both were read; None where the
    names are not known."""
    counters = own_counters(inputs)
    if counters is not None:
        names = {absent: name for absent, name in {**_NEW_NAMES, **_OLD_NAMES}.items() if absent not in counters and name in counters}
        return "the exporter's own counters do", names, True
    exporter = only_exporter(inputs)
    if exporter is None:
        return None
    if exporter < EXPORTER_RENAMED:
        return f"dcgm-exporter {exporter} does", _OLD_NAMES, True
    return f"{dated(f'dcgm-exporter {exporter}')} does", _NEW_NAMES, False


def _rules(inputs: Inputs) -> Iterator[tuple[KubernetesObject, Path, Mapping[str, object]]]:
    for each in inputs.of_kind(*_RULES):
        for index, group in mappings(each.at("spec", "groups")):
            for number, rule in mappings(at(group, "rules")):
                yield each, ("spec", "groups", index, "rules", number), rule


def _readers(inputs: Inputs) -> Iterator[tuple[KubernetesObject, Path, str, str, str]]:
    """Every rule and dashboard, with its name in words, the effect of a missing metric, and its text."""
    for each, path, rule in _rules(inputs):
        alert, record = known_str(at(rule, "alert")), known_str(at(rule, "record"))
        reader, effect = (f"the alert {alert}", "The alert never fires") if alert else (f"the rule {record}", "The rule records nothing")
        yield each, (*path, "expr"), reader, effect, known_text(at(rule, "expr"))
    for each in inputs.of_kind("ConfigMap"):
        for key, value in known_items(each.at("data")):
            if key.endswith(".json"):
                yield each, ("data", key), f"the dashboard {key}", _NO_DATA, known_text(value)
    for each in inputs.of_kind("GrafanaDashboard"):
        yield each, ("spec", "json"), f"the dashboard {each.name}", _NO_DATA, known_text(each.at("spec", "json"))


_NO_DATA = "Its panels show 'No data'"

EXPORTER_MEMORY = "512Mi"
"""The memory limit of upstream's DCGM exporter."""

_IMAGE = "dcgm-exporter"
# Upstream's own limit (NVIDIA/dcgm-exporter deployment/values.yaml).


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Exporter:
    """A DCGM exporter, whoever runs it. `needs_runtime_class` is False for the operator's, which sets one."""

    about: Read
    base: Path
    resources: Any
    resources_path: Path
    needs_runtime_class: bool = False


def _exporters(inputs: Inputs) -> Iterator[_Exporter]:
    for agent in exporters(inputs):
        path = agent.path("resources") if agent.release else (*agent.container_path, "resources")
        named = agent.value("runtimeClassName")
        yield _Exporter(
            about=agent.about,
            base=agent.path("runtimeClassName"),
            resources=agent.value("resources") if agent.release else at(agent.container, "resources"),
            resources_path=path,
            needs_runtime_class=not is_given(named),
        )
    known = {id(agent.about) for agent in agents(inputs)}
    for workload in workloads(inputs):
        for container in workload.containers:
            if contains(container.image, _IMAGE).is_yes and id(workload.about) not in known:
                yield _Exporter(
                    about=workload.about,
                    base=(*workload.path, "runtimeClassName"),
                    resources=at(container.body, "resources"),
                    resources_path=(*container.path, "resources"),
                    needs_runtime_class=workload.complete and workload.runtime_class is None,
                )
    for operator in operators(inputs):
        if operator.is_on("dcgmExporter", "enabled").is_yes:
            path = operator.path("dcgmExporter", "resources")
            yield _Exporter(about=operator.about, base=path, resources=operator.written("dcgmExporter", "resources"), resources_path=path)


@Rule(
    id="TG019",
    claim="A DCGM exporter runs with NVIDIA's runtime",
    symptom="Cannot init NVML library; ERROR_LIBRARY_NOT_FOUND; error starting nv-hostengine: DCGM initialization error",
    fix="Set runtimeClassName: nvidia",
    source="NVIDIA/dcgm-exporter#612",
    severity=Severity.ERROR,
    shown_by=Witness.CARD,
    failing=Example(f"{RUNTIME_CLASS}---\n{_EXPORTER}---\n{node_config()}"),
    passing=Example(f"{_EXPORTER}---\n{node_config(DEFAULT_RUNTIME)}"),
    talos=Minors(until=14),
    without_talos=True,
)
def _no_runtime_class(inputs: Inputs) -> Iterator[Violation]:
    default = default_runtime_is_nvidia(inputs)
    if default in (Answer.YES, Answer.UNKNOWN):
        return
    for exporter in _exporters(inputs):
        # With a GPU of its own the exporter gets the library by CDI, too.
        by_cdi = _takes(exporter) is not None and injection(inputs).severity is None
        if exporter.needs_runtime_class and not by_cdi:
            message = (
                f"the DCGM exporter has no runtimeClassName, and {without_default_runtime(inputs)}. Without NVIDIA's runtime its container has no libnvidia-ml.so.1, and the "
                "exporter exits"
            )
            severity, related = Severity.ERROR if default is Answer.NO else Severity.WARNING, whole_gpu_node(inputs)
            yield Violation(severity, message, exporter.about, exporter.base, edits=set_to("nvidia"), related=related)


def _takes(exporter: _Exporter) -> str | None:
    """The GPU resource that an exporter requests, None for none."""
    return next((name for name, _ in known_items(at(exporter.resources, "limits")) if is_gpu(name)), None)


@Rule(
    id="TG035",
    claim="A DCGM exporter has the memory that DCGM needs, and requests no GPU",
    symptom="dcgm-exporter is OOMKilled; nvidia.com/gpu is 1 of 1 used, but no workload runs",
    fix=f"Set resources: {{limits: {{memory: {EXPORTER_MEMORY}}}}}, or more",
    source="NVIDIA/dcgm-exporter deployment/values.yaml; https://github.com/jlengelbrecht/prox-ops/commit/dd2ffbb8",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(f"{_NAMED}    resources: {{limits: {{memory: 256Mi}}}}\n"),
    passing=Example(f"{_NAMED}    resources: {{requests: {{memory: 128Mi}}}}\n"),
)
def _amounts(inputs: Inputs) -> Iterator[Violation]:
    for exporter in _exporters(inputs):
        memory = at(exporter.resources, "limits", "memory")
        if isinstance(memory, str) and 0 < amount_of(memory) < amount_of(EXPORTER_MEMORY):
            message = (
                f"the DCGM exporter has a memory limit of {memory}, less than upstream's {EXPORTER_MEMORY}. The exporter may be OOMKilled, as was "
                "seen with 256Mi"
            )
            edits = set_to(EXPORTER_MEMORY, safe=False)
            yield Violation(Severity.WARNING, message, exporter.about, (*exporter.resources_path, "limits", "memory"), edits=edits)
        taken = _takes(exporter)
        if taken:
            message = f"the DCGM exporter requests {taken}. Workloads can't use the GPU, or the share, that the exporter holds"
            fix = f"Remove {taken} from the limits, and set runtimeClassName: nvidia. The image sets NVIDIA_VISIBLE_DEVICES=all, so the exporter sees every GPU"
            edits = removal(safe=False)
            yield Violation(Severity.INFO, message, exporter.about, (*exporter.resources_path, "limits", taken), fix=fix, edits=edits)


@Rule(
    id="TG100",
    claim="Dashboards and alerts use the metric names of the DCGM exporter's version",
    symptom="no data for DCGM_FI_DEV_GPU_UTIL after an upgrade to dcgm-exporter 4.9",
    fix="Use the metric names of DCGM 4.7 in dashboards and alerts, or pin a chart before 4.9.0",
    source="NVIDIA/go-dcgm pkg/dcgm/const_fields.go; NVIDIA/dcgm-exporter etc/default-counters.csv",
    severity=Severity.INFO,
    shown_by=Witness.PROGRAM,
    failing=Example(_NAMED.replace("4.8.2", "4.9.0")),
    passing=Example(_NAMED),
)
def _renamed_metrics(inputs: Inputs) -> Iterator[Violation]:
    for agent in exporters(inputs):
        version = version_of(agent.release.version) if agent.release else None
        if version is not None and version >= EXPORTER_RENAMED:
            message = (
                f"{dated(f'dcgm-exporter {version} exports the metric names and units of DCGM 4.7')}. Dashboards and alerts with the old names, such "
                "as DCGM_FI_DEV_GPU_UTIL, may show no data"
            )
            fix = f"Use the metric names of DCGM 4.7 in dashboards and alerts, or pin a version before {EXPORTER_RENAMED}"
            yield Violation(Severity.INFO, message, agent.about, fix=fix)
