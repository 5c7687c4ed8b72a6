"""The alerts on the metrics of the DCGM exporter. Each expression has one series for each GPU, for any number of pods on the GPU."""

from __future__ import annotations

from collections.abc import Iterable

from .alert import Alert, Severity
from .alert_thresholds import AlertThresholds
from .metrics import Metric
from .queries import MetricsSource

# Bits of the clock event reasons (DCGM dcgmlib/dcgm_fields.h). Bit 4, the power cap, is what a GPU at full load shows.
_SW_THERMAL, _HW_THERMAL, _HW_POWER_BRAKE = 32, 64, 128
# Contained: the memory error has killed one application, and reaches no other (NVIDIA's catalogue of XIDs).
_CONTAINED = 94

_GPU = "GPU {{ $labels.gpu }} ({{ $labels.modelName }})"


def drain_and_reboot(node: str) -> str:
    """The commands that reset a GPU on Talos: the host has no shell for a tool of NVIDIA's."""
    return f"{drain(node)}, `talosctl reboot -n {node}`, `kubectl uncordon {node}`"


def drain(node: str) -> str:
    """The command that moves the pods off a node."""
    return f"`kubectl drain {node} --ignore-daemonsets --delete-emptydir-data`"


def exporter_alerts(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on the metrics of DCGM."""
    return [
        *_metrics(source),
        *_errors(source, thresholds),
        *_hardware(source, thresholds),
        *_memory(source),
        *_clocks(source, thresholds),
        *_use(source, thresholds),
    ]


def _node(source: MetricsSource) -> str:
    return f"{{{{ $labels.{source.node_label} }}}}"


def _metrics(source: MetricsSource) -> list[Alert]:
    node = _node(source)
    up = f'up{{job="{source.job}"}}'
    return [
        # The exporter answers 500 when DCGM is dead, and its health check 200 all the same (dcgm-exporter internal/pkg/server).
        Alert(
            name="GpuMetricsTargetDown",
            expr=f"{up} == 0 or absent({up})",
            for_="10m",
            severity=Severity.WARNING,
            summary="The metrics of GPUs can't be read from job {{ $labels.job }}",
            description="An exporter of GPU metrics fails or does not answer, or Prometheus has none to ask: the alerts on its GPUs are blind.",
            runbook="See the log of the exporter's pod on that node, then the driver: `talosctl dmesg -n NODE | grep -i nvrm`, "
            "`talosctl read /proc/modules -n NODE | grep nvidia`. Without any target, compare the ServiceMonitor's labels with Prometheus' selector.",
        ),
        # After its counters were reloaded, or a GPU unbound, it answers 200 with nothing in it.
        Alert(
            name="GpuMetricsEmpty",
            expr=f"{up} == 1 unless on (job, instance) {source.series(Metric.GPU_TEMP)}",
            for_="15m",
            severity=Severity.WARNING,
            summary=f"The exporter on {node} answers without any GPU",
            description="An exporter of GPU metrics answers, and what it says names no GPU: the alerts on its GPUs are blind.",
            runbook="Delete the exporter's pod. If that changes nothing, see whether the node has its GPUs: "
            f"`talosctl dmesg -n {node} | grep -i nvrm`, `talosctl ls /dev -n {node} | grep nvidia`.",
        ),
    ]


def _errors(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on errors that the driver reports."""
    node = _node(source)
    xid = f"XID {{{{ $labels.xid }}}} on {_GPU} of {node}"
    in_dmesg = f"`talosctl dmesg -n {node} | grep Xid`"
    return [
        Alert(
            name="GpuRecoveryActionRequired",
            expr=f"{source.per_gpu(Metric.RECOVERY_ACTION)} > 0",
            for_="1m",
            severity=Severity.CRITICAL,
            summary=f"The driver asks to recover {_GPU} of {node}: action {{{{ $value }}}}",
            description="The driver's own verdict: 1 reset the GPU, 2 reboot the node, 3 drain its peers, 4 drain and reset. "
            "Needs DCGM 4.5 and driver 570, or newer ones.",
            runbook=f"On Talos a reset is a reboot: {drain_and_reboot(node)}. If it comes back, have the card replaced.",
        ),
        Alert(
            name="GpuXidFatal",
            expr=f"{_xids(source, thresholds.fatal_xids)} > 0",
            keep_firing_for="15m",
            severity=Severity.CRITICAL,
            summary=xid,
            description="The driver has reported an error that only a reset of the GPU, or a reboot, clears.",
            runbook=f"{in_dmesg}, {drain_and_reboot(node)}. After XID 79 look at the card's seat and power too.",
        ),
        Alert(
            name="GpuXidContained",
            expr=f"{_xids(source, [_CONTAINED])} > 0",
            severity=Severity.WARNING,
            summary=xid,
            description="Memory failed in a way that ECC could contain: one application was killed, and no other is touched.",
            runbook=f"Restart the pod that was killed ({in_dmesg} names its process), and at the next opportunity: {drain_and_reboot(node)}.",
        ),
        Alert(
            name="GpuXidApplication",
            expr=f"{_xids(source, thresholds.application_xids)} > 0",
            severity=Severity.INFO,
            opt_in=True,
            summary=xid,
            description="A program has made an error on the GPU. Nothing is wrong with the card, so this is noise where users run what they like.",
            runbook=f"Look at the log of the pod ({in_dmesg} names its process). Nothing is to be done to the node.",
        ),
    ]


def _hardware(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on faults of a card or of its slot."""
    node = _node(source)
    there = source.gpus_per_node()
    return [
        # A level and no increase: an error that was there at the first scrape counts too.
        Alert(
            name="GpuUncorrectableEcc",
            expr=f"{source.per_gpu(Metric.ECC_DBE)} > 0",
            severity=Severity.CRITICAL,
            summary=f"Memory errors that ECC can't correct on {_GPU} of {node}",
            description="Since the driver was loaded the GPU has had memory errors that ECC could not correct. A reset clears the count.",
            runbook=f"{drain_and_reboot(node)}. If it comes back, have the card replaced.",
        ),
        Alert(
            name="GpuDisappeared",
            expr=f"{there} < max_over_time({there}[{thresholds.lookback}:5m])",
            for_="10m",
            severity=Severity.CRITICAL,
            summary=f"{node} shows {{{{ $value }}}} GPUs, and had more",
            description=f"A node shows fewer GPUs than within the last {thresholds.lookback}: one has fallen off the bus, or was taken out.",
            runbook=f"`talosctl dmesg -n {node} | grep -i -e nvrm -e pcie`, {drain_and_reboot(node)}. If it stays away, switch the node off "
            "and on again, and look at the card's seat and power.",
        ),
        # 8 a minute is the most that NVIDIA holds for healthy (DCGM modules/health: DCGM_LIMIT_MAX_PCIREPLAY_RATE).
        Alert(
            name="GpuPcieReplays",
            expr=f"{source.each_gpu(f'rate({source.series(Metric.PCIE_REPLAYS)}[15m])')} * 60 > {thresholds.pcie_replays}",
            for_="15m",
            severity=Severity.WARNING,
            summary=f"The PCIe link of {_GPU} of {node} repeats itself",
            description=f"More than {thresholds.pcie_replays} PCIe replays a minute: a bad slot, riser or cable, or a link that is too fast for it.",
            runbook=f"{drain(node)}, `talosctl shutdown -n {node}`; seat the card anew, change the riser, or set a lower PCIe generation in the firmware.",
        ),
    ]


def _xids(source: MetricsSource, xids: Iterable[int]) -> str:
    # A GPU without an event has a series too, of value 0 and without this label (dcgm-exporter internal/pkg/collector/expcollector.go).
    matcher = f'xid=~"{"|".join(str(xid) for xid in xids)}"'
    return source.each_gpu(source.series(Metric.XID_ERRORS_COUNT, matcher), "xid")


def _memory(source: MetricsSource) -> list[Alert]:
    node = _node(source)
    return [
        Alert(
            name="GpuRowRemapFailure",
            expr=f"{source.per_gpu(Metric.ROW_REMAP_FAILURE)} > 0",
            severity=Severity.CRITICAL,
            summary=f"{_GPU} of {node} can't repair its memory",
            description="A memory row failed, and the GPU has no spare row left to take its place: NVIDIA replaces such a card.",
            runbook=f"`kubectl cordon {node}`, and have the card replaced. No reset mends it.",
        ),
        # Rows since Ampere, pages before it.
        Alert(
            name="GpuMemoryRepairPending",
            expr=f"{source.per_gpu(Metric.ROW_REMAP_PENDING)} > 0 or {source.per_gpu(Metric.RETIRED_PENDING)} > 0",
            for_="15m",
            severity=Severity.WARNING,
            summary=f"{_GPU} of {node} waits for a reset to repair its memory",
            description="A part of the memory failed. The GPU works on, and puts a spare in its place at the next reset.",
            runbook=f"When it suits the workloads: {drain_and_reboot(node)}.",
        ),
    ]


def _clocks(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    node = _node(source)
    limit = thresholds.slowdown_temperature
    hot = f"({source.per_gpu(Metric.SLOWDOWN_TEMP)} > 0)" if limit is None else str(limit)
    cool = f"Look at the fans, the air flow and the room of {node}; nothing is to be done in software."
    return [
        Alert(
            name="GpuHwThermalSlowdown",
            expr=_reason(source, _HW_THERMAL),
            for_="5m",
            severity=Severity.WARNING,
            summary=f"{_GPU} of {node} is too hot, and has halved its clocks",
            description="The hardware protects itself from heat: clocks are halved or worse. The threshold is the card's own.",
            runbook=cool,
        ),
        Alert(
            name="GpuHwPowerBrake",
            expr=_reason(source, _HW_POWER_BRAKE),
            for_="5m",
            severity=Severity.WARNING,
            summary=f"The power supply of {node} brakes {_GPU}",
            description="The power supply or the board tells the GPU to slow down: it can't deliver what the card asks for.",
            runbook=f"Look at the power supply and the power cables of {node}.",
        ),
        Alert(
            name="GpuSwThermalSlowdown",
            expr=_reason(source, _SW_THERMAL),
            for_="30m",
            severity=Severity.INFO,
            opt_in=True,
            summary=f"{_GPU} of {node} is warm, and the driver lowers its clocks",
            description="The driver lowers the clocks because the GPU or its memory is above its operating temperature: usual in small cases.",
            runbook=cool,
        ),
        Alert(
            name="GpuAtSlowdownTemperature",
            expr=f"{source.per_gpu(Metric.GPU_TEMP)} >= {hot}",
            for_="5m",
            severity=Severity.WARNING,
            summary=f"{_GPU} of {node} is at {{{{ $value }}}} °C",
            description=f"A GPU is at {'the temperature at which it slows down' if limit is None else f'{limit} °C or more'}.",
            runbook=cool,
        ),
    ]


def _reason(source: MetricsSource, bit: int) -> str:
    return f"floor({source.per_gpu(Metric.CLOCKS_EVENT_REASONS)} / {bit}) % 2 == 1"


def _use(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    node = _node(source)
    pod = f"{{{{ $labels.{source.namespace} }}}}/{{{{ $labels.{source.pod} }}}}"
    theirs = source.per_pod(Metric.GPU_UTIL)
    used = source.per_instance(Metric.FB_USED)
    return [
        # The mean of an hour, that for six of them; and only while the pod is there.
        Alert(
            name="GpuAllocatedIdle",
            expr=f"avg_over_time({theirs}[1h:1m]) < {thresholds.idle_utilization} and {theirs}",
            for_="6h",
            severity=Severity.INFO,
            opt_in=True,
            summary=f"Pod {pod} does not use {_GPU} of {node}",
            description=f"For hours a pod has used less than {thresholds.idle_utilization}% of a GPU that it keeps from others. Where pods "
            "share a GPU, each is shown with what all of them use. MIG instances have no such metric.",
            runbook="Ask whose pod it is; scale it down, or let pods share the GPUs.",
        ),
        Alert(
            name="GpuMemoryNearlyFull",
            expr=f"{used} / ({used} + {source.per_instance(Metric.FB_FREE)}) > {thresholds.memory_used / 100:g}",
            for_="30m",
            severity=Severity.INFO,
            opt_in=True,
            summary=f"The memory of {_GPU} of {node} is nearly full",
            description=f"More than {thresholds.memory_used}% of the memory of a GPU, or of a MIG instance, is in use. vLLM and others take "
            "it all in advance, so this is noise where they run.",
            runbook="Lower the batch size, the context or the share that is taken in advance (vLLM: `--gpu-memory-utilization`), or use a larger card.",
        ),
    ]
