"""Alerts and dashboards that read metrics by names that the DCGM exporter's version does not have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....arguments.patterns import pattern
from ....nodes.talos_version import dated
from ....observed.agents.exporters import only_exporter, own_counters
from ....observed.model import Inputs, KubernetesObject, Path, at, known_items, known_str, known_text, mappings
from ....upstream.nvidia.dcgm_metric_names import DCGM_4_7, EXPORTER_RENAMED
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import RUNTIME_CLASS, chart_release

_METRIC = pattern(r"DCGM_\w+")
_RENAMED = {old: field.name for old, field in DCGM_4_7.items() if field.name != old}
_OLD_NAMES = {new: old for old, new in _RENAMED.items()}
_RULES = ("PrometheusRule", "VMRule")
# A message names so many metrics.
_MOST = 3

_EXPORTER = f"""\
{RUNTIME_CLASS}---
{chart_release("dcgm-exporter", "4.8.2")}    nodeSelector: {{kubernetes.io/hostname: gpu-1}}
    serviceMonitor: {{enabled: false}}
    runtimeClassName: nvidia
---
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
    failing=Example(_EXPORTER % _NEW),
    # The expression is for exporters of both versions.
    passing=Example(_EXPORTER % f"({_NEW}) or ({_OLD})"),
)
def _unknown_names(inputs: Inputs) -> Iterator[Violation]:
    absent_names = _absent_names(inputs)
    if absent_names is None:
        return
    exporter, names, is_sure = absent_names
    recorded = _recorded(inputs)
    names = {absent: present for absent, present in names.items() if absent not in recorded}
    for about, path, reader, effect, text in _readers(inputs):
        read = set(_METRIC.findall(text))
        # An expression with both names, such as `new or old`, is for both versions.
        missing = sorted(name for name in read & names.keys() if names[name] not in read)
        if missing:
            pairs = ", ".join(f"{name} is named {names[name]}" for name in missing[:_MOST]) + (", …" if len(missing) > _MOST else "")
            message = f"{reader} reads names of metrics that {exporter} not have: {pairs}. {effect}"
            yield Violation(Severity.ERROR if about.kind in _RULES and is_sure else Severity.WARNING, message, about, path)


def _absent_names(inputs: Inputs) -> tuple[str, Mapping[str, str], bool] | None:
    """The exporter in words, the absent names with the names in their place, and whether both were read; None where the
    names are not known."""
    counters = own_counters(inputs)
    if counters is not None:
        names = {absent: name for absent, name in {**_RENAMED, **_OLD_NAMES}.items() if absent not in counters and name in counters}
        return "the exporter's own counters do", names, True
    exporter = only_exporter(inputs)
    if exporter is None:
        return None
    if exporter < EXPORTER_RENAMED:
        return f"dcgm-exporter {exporter} does", _OLD_NAMES, True
    return f"{dated(f'dcgm-exporter {exporter}')} does", _RENAMED, False


def _recorded(inputs: Inputs) -> set[str | None]:
    """The names that recording rules give to series."""
    return {known_str(at(rule, "record")) for _, _, rule in _rules(inputs)}


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
