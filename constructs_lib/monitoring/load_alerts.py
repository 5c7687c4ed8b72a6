"""The alerts on how GPUs run: on heat and power that slow a GPU down, and on GPUs that are used too little or too much.

Slowdowns come and go, so each of their alerts asks for the share of a window and not for a state that lasts.
"""

from __future__ import annotations

from .alert import GPU, Alert, Severity, node_of
from .alert_thresholds import AlertThresholds
from .metrics import Metric
from .queries import MetricsSource

# Bits of the clock event reasons (DCGM dcgmlib/dcgm_fields.h). Bit 4, the power cap, is what a GPU at full load shows.
_SW_THERMAL, _HW_THERMAL, _HW_POWER_BRAKE = 32, 64, 128
_WINDOW = "15m"
# The interval at which `DcgmExporter` samples the GPUs by default.
_STEP = "15s"


def clock_alerts(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on heat and power that slow a GPU down."""
    node = node_of(source)
    share = f"for {{{{ $value | humanizePercentage }}}} of the last {_WINDOW}"
    often = f"for more than {thresholds.slowdown_share}% of the last {_WINDOW}"
    limit = thresholds.slowdown_temperature
    hot = f"({source.per_gpu(Metric.SLOWDOWN_TEMP)} > 0)" if limit is None else str(limit)
    cool = f"Look at the fans, the air flow and the room of {node}; nothing is to be done in software."
    return [
        Alert(
            name="GpuHwThermalSlowdown",
            expr=_often(_reason(source, _HW_THERMAL), thresholds),
            for_="5m",
            severity=Severity.WARNING,
            summary=f"{GPU} of {node} was too hot, and halved its clocks {share}",
            description=f"The hardware protected itself from heat {often}: clocks are halved or worse. The threshold is the card's own.",
            runbook=cool,
        ),
        Alert(
            name="GpuHwPowerBrake",
            expr=_often(_reason(source, _HW_POWER_BRAKE), thresholds),
            for_="5m",
            severity=Severity.WARNING,
            summary=f"The power supply of {node} slowed {GPU} down {share}",
            description=f"The power supply or the board told the GPU to slow down {often}: it can't deliver what the card asks for.",
            runbook=f"Look at the power supply and the power cables of {node}.",
        ),
        Alert(
            name="GpuSwThermalSlowdown",
            expr=_often(_reason(source, _SW_THERMAL), thresholds),
            for_="30m",
            severity=Severity.INFO,
            opt_in=True,
            summary=f"{GPU} of {node} was warm, and the driver lowered its clocks {share}",
            description=f"The driver lowered the clocks {often}, because the GPU or its memory is above its operating "
            f"temperature: usual in small cases.",
            runbook=cool,
        ),
        Alert(
            name="GpuAtSlowdownTemperature",
            expr=_often(f"{source.per_gpu(Metric.GPU_TEMP)} >= bool {hot}", thresholds),
            for_="5m",
            severity=Severity.WARNING,
            summary=f"{GPU} of {node} was at {'its slowdown temperature' if limit is None else f'{limit} °C or more'} {share}",
            description=f"A GPU was at {'the temperature at which it slows down' if limit is None else f'{limit} °C or more'} {often}.",
            runbook=cool,
        ),
    ]


def _reason(source: MetricsSource, bit: int) -> str:
    return f"floor({source.per_gpu(Metric.CLOCKS_EVENT_REASONS)} / {bit}) % 2"


def _often(state: str, thresholds: AlertThresholds) -> str:
    """Whether a state of 0 or 1 held for more than the share of the window."""
    return f"avg_over_time(({state})[{_WINDOW}:{_STEP}]) > {thresholds.slowdown_share / 100:g}"


def use_alerts(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on GPUs that are used too little or too much. All are off by default."""
    node = node_of(source)
    pod = f"{{{{ $labels.{source.namespace} }}}}/{{{{ $labels.{source.pod} }}}}"
    used = source.per_instance(Metric.FB_USED)
    return [
        # Where pods share a GPU, the exporter splits the utilization by process from 4.8.2 on, and gives 0 to every pod
        # whose processes it can't find (dcgm-exporter internal/pkg/transformation/process_metrics.go). The series
        # without a pod beside them has the whole GPU.
        Alert(
            name="GpuAllocatedIdle",
            expr=f"{source.per_pod(Metric.GPU_UTIL)} and on ({source.gpu_resources}) "
            f"avg_over_time({source.per_gpu(Metric.GPU_UTIL)}[1h:1m]) < {thresholds.idle_utilization}",
            for_="6h",
            severity=Severity.INFO,
            opt_in=True,
            summary=f"Pod {pod} does not use {GPU} of {node}",
            description=f"For hours less than {thresholds.idle_utilization}% of a GPU was used that a pod keeps from "
            f"others. Where pods share a GPU, the use of all of them counts, and each pod of an idle GPU "
            f"gives an alert. MIG instances have no such metric.",
            runbook="Ask whose pod it is; scale it down, or let pods share the GPUs.",
        ),
        Alert(
            name="GpuMemoryNearlyFull",
            expr=f"{used} / ({used} + {source.per_instance(Metric.FB_FREE)}) > {thresholds.memory_used / 100:g}",
            for_="30m",
            severity=Severity.INFO,
            opt_in=True,
            summary=f"The memory of {GPU} of {node} is nearly full",
            description=f"More than {thresholds.memory_used}% of the memory of a GPU, or of a MIG instance, is in use. "
            f"vLLM and others take it all in advance, so this is noise where they run.",
            runbook="Lower the batch size, the context or the share that is taken in advance (vLLM: "
            "`--gpu-memory-utilization`), or use a larger card.",
        ),
    ]
