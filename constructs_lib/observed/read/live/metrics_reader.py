"""The metrics of dcgm-exporter as the fields of cards that `nvidia-smi -q` prints, so that one judge reads both.

Names and units up to DCGM 4.6 and from DCGM 4.7 on are read. Of a MIG instance the memory and the activity are its own;
everything else is that of the card. Where pods share a card, the exporter has a series for each pod, with the value of the
card; from 4.8.2 on memory and utilization are split by process, and a series without a pod has those of the card.

Source: NVIDIA/dcgm-exporter internal/pkg/rendermetrics/render_metrics.go, internal/pkg/hostname/hostname.go and
internal/pkg/{transformation/process_metrics,collector/xid_collector,collector/gpu_health_collector}.go at d5e5f51
(2026-05-12)
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from ....arguments.patterns import pattern
from ....upstream.nvidia.card_thresholds import CLOCK_REASONS
from ....upstream.nvidia.dcgm_metric_names import DCGM_4_7
from ....upstream.nvidia.xid_errors import RECOVERY_ACTIONS
from ...model.evidence import Evidence
from ...model.talos_machine import Seen
from .bundle_commands import Place
from .dump_builder import DumpBuilder

_SAMPLE = pattern(r"(?P<name>DCGM_\w+)\{(?P<labels>.*)\}\s+(?P<value>[-+0-9.eE]+)(?:\s+\d+)?\s*$")
_LABEL = pattern(r'(?P<name>\w+)="(?P<value>(?:[^"\\]|\\.)*)"')
_CARD = pattern(r"\d{1,4}")
_NODE_LABELS = ("node", "Hostname", "hostname")
"""The labels with the node's name: what a scrape adds, and the exporter's own label in both spellings."""
_NO_NODE = pattern(r"exporter|dcgm|^localhost$|^127\.")
"""Values of the exporter's own label that are no node: the name of its pod where NODE_NAME is not set, or the address
of the host engine.
"""
_BLANKS = frozenset({float(first + number) for first in (0x7FFFFFF0, 0x7FFFFFFFFFFFFFF0) for number in range(4)} | {140737488355328.0})
"""DCGM's values for what is not known, of 32 and 64 bits and as a fraction.

Source: NVIDIA/go-dcgm pkg/dcgm/dcgm_structs.h, DCGM_INT32_BLANK, DCGM_INT64_BLANK, DCGM_FP64_BLANK
"""
_USED, _FREE = "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE"
_XIDS, _HEALTH = "DCGM_EXP_XID_ERRORS_COUNT", "DCGM_EXP_GPU_HEALTH_STATUS"
_VERDICTS = {10: "warns", 20: "fails"}
"""The verdicts of DCGM's health watches, but for 0, which passes.

Source: NVIDIA/go-dcgm pkg/dcgm/health.go, DCGM_HEALTH_RESULT_WARN and DCGM_HEALTH_RESULT_FAIL
"""
_ACTIVITY = {"DCGM_FI_DEV_GPU_UTIL": 1, "DCGM_FI_PROF_GR_ENGINE_ACTIVE": 100}
"""The metrics of activity, each with what makes percent of its values."""

_Numbered = list[tuple[int, str]]
_Fields = Callable[[int], Mapping[str, str]]


def _field(name: str) -> _Fields:
    return lambda number: {name: f"{number}"}


def _yes_or_no(name: str) -> _Fields:
    return lambda number: {name: "Yes" if number else "No"}


def _reasons(bits: int) -> Mapping[str, str]:
    return {f"Clocks Event Reasons {name}": "Active" if bits & bit else "Not Active" for bit, name in CLOCK_REASONS.items()}


_FIELDS: Mapping[str, _Fields] = {
    "DCGM_FI_DEV_ROW_REMAP_FAILURE": _yes_or_no("Remapped Rows Remapping Failure Occurred"),
    "DCGM_FI_DEV_ROW_REMAP_PENDING": _yes_or_no("Remapped Rows Pending"),
    "DCGM_FI_DEV_RETIRED_PENDING": _yes_or_no("Retired Pages Pending Page Blacklist"),
    "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": _field("ECC Errors Volatile Uncorrectable"),
    "DCGM_FI_DEV_ECC_DBE_AGG_TOTAL": _field("ECC Errors Aggregate Uncorrectable"),
    "DCGM_FI_DEV_GET_GPU_RECOVERY_ACTION": lambda number: {"GPU Recovery Action": RECOVERY_ACTIONS.get(number, f"{number}")},
    "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": _reasons,
    "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": _reasons,  # an older name
    "DCGM_FI_DEV_XID_ERRORS": _field("Last Xid"),
    "DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL": _field("NVLink Recovery Errors"),
}
"""The fields of nvidia-smi that a metric stands for, by its name. For the last Xid nvidia-smi has no field."""
_LABELS = {"modelName": "Product Name", "UUID": "GPU UUID"}
_OLD_NAMES = {each.name: old for old, each in DCGM_4_7.items()}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sample:
    """A value of one metric of one card or MIG instance."""

    metric: str
    """Its name up to DCGM 4.6, in whose unit the value is."""
    labels: Mapping[str, str]
    value: float
    evidence: Evidence

    @property
    def card(self) -> str:
        return f"GPU {self.labels['gpu']}"

    @property
    def holder(self) -> str:
        """The card, or the MIG instance that has memory of its own."""
        instance = self.labels.get("GPU_I_ID", "")
        return f"{self.card} MIG {instance}" if instance else self.card

    @property
    def pod(self) -> str:
        """NAMESPACE/NAME of the pod that holds the card; empty without one. A scrape may have its own pod in the label,
        and the exporter's label under another name."""
        for prefix in ("exported_", ""):
            namespace, name = (self.labels.get(f"{prefix}{each}", "") for each in ("namespace", "pod"))
            if namespace and name:
                return "" if _NO_NODE.search(name) else f"{namespace}/{name}"
        return ""

    @property
    def node(self) -> str:
        return next((each for name in _NODE_LABELS if (each := self.labels.get(name, ""))), "")


def read_metrics(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read the metrics of dcgm-exporter. A place that names the node knows better than the exporter's label, which may
    be the name of its pod.
    """
    free: dict[tuple[str, str], float] = {}
    used: dict[tuple[str, str], _Sample] = {}
    active: dict[tuple[str, str], float] = {}
    for each in _samples(lines, source):
        named = "" if _NO_NODE.search(each.node) else each.node
        machine = builder.machines.machine(place.node or named, f"{source} {each.node}".strip())
        smi = machine.known("smi")
        _read_labels(each, smi)
        fields = _FIELDS.get(each.metric)
        for name, value in (fields(int(each.value)) if fields else _of_exporter(each)).items():
            smi[f"{each.card}: {name}"] = Seen(value=value, evidence=each.evidence)
        holder = (each.node, each.holder)
        if each.metric in _ACTIVITY and (activity := each.value * _ACTIVITY[each.metric]) >= active.get(holder, 0):
            active[holder] = activity
            smi[f"{each.holder}: Utilization GPU"] = Seen(value=f"{activity:.1f} %", evidence=each.evidence)
        if each.metric == _USED:
            if each.pod:
                machine.known("card_pods")[each.holder, each.pod] = Seen(value=f"{each.value:.0f}", evidence=each.evidence)
            used[holder] = max(used.get(holder, each), each, key=lambda sample: sample.value)
            smi[f"{each.holder}: FB Memory Usage Used"] = Seen(value=f"{used[holder].value:.0f} MiB", evidence=used[holder].evidence)
        elif each.metric == _FREE:
            free[holder] = each.value
        if holder in used and holder in free:
            total = used[holder].value + free[holder]
            smi[f"{each.holder}: FB Memory Usage Total"] = Seen(value=f"{total:.0f} MiB", evidence=used[holder].evidence)


def _read_labels(each: _Sample, smi: dict[str, Seen]) -> None:
    """Read the name and the identifier of the card, and the profile of the MIG instance."""
    known = {name: each.labels.get(label, "") for label, name in _LABELS.items()}
    if profile := each.labels.get("GPU_I_PROFILE", ""):
        known |= {"MIG Mode Current": "Enabled", f"MIG Instances {each.labels.get('GPU_I_ID', '')}": profile}
    for name, value in known.items():
        if value:
            smi.setdefault(f"{each.card}: {name}", Seen(value=value, evidence=each.evidence))


def _of_exporter(each: _Sample) -> Mapping[str, str]:
    """The fields of the exporter's own metrics: the Xids within its window, and the incidents of DCGM's health watches."""
    if each.metric == _XIDS and each.value > 0:
        return {f"Recent Xid {each.labels.get('xid', '')}": each.labels.get("xid", "")}
    if each.metric == _HEALTH and (verdict := _VERDICTS.get(int(each.value), "")):
        watch = each.labels.get("health_watch", "")
        return {f"DCGM Health {watch}": f"{watch} {verdict}: {each.labels.get('health_error_code', '')}"}
    return {}


def _samples(lines: _Numbered, source: str) -> Iterator[_Sample]:
    for number, line in lines:
        found = _SAMPLE.match(line)
        labels = {each["name"]: each["value"] for each in _LABEL.finditer(found["labels"])} if found else {}
        value = _value(found) if found else None
        if found and value is not None and _CARD.fullmatch(labels.get("gpu", "")):
            instance = f',GPU_I_ID="{labels["GPU_I_ID"]}"' if labels.get("GPU_I_ID") else ""
            text = f'{found["name"]}{{gpu="{labels["gpu"]}"{instance}}} {found["value"]}'
            evidence = Evidence(text=text, source=f"{source}:{number}")
            yield _Sample(metric=_OLD_NAMES.get(found["name"], found["name"]), labels=labels, value=value, evidence=evidence)


def _value(sample: re.Match[str]) -> float | None:
    """The value in the unit up to DCGM 4.6; None for one that DCGM does not know."""
    try:
        value = float(sample["value"])
        if value in _BLANKS:
            return None
        old = _OLD_NAMES.get(sample["name"], "")
        unit = DCGM_4_7[old].unit if old and old != sample["name"] else None
        value = value * unit.divisor / unit.factor if unit else value
        return value if math.isfinite(value) else None
    except ValueError:
        return None
