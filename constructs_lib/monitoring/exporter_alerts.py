"""The alerts on the exporter, on errors that the driver reports, on lost cards, and on memory that fails.

Each expression has one series for each GPU, for any number of pods on the GPU.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..upstream.nvidia.card_thresholds import CLOCK_REASONS
from ..upstream.nvidia.xid_errors import CONTAINED_XID, DRAIN_AND_RESET, PLUGIN_IGNORED_XIDS, RESET_XIDS, UNCORRECTABLE_XID
from . import kube_state
from .alert import GPU, Alert, AlertThresholds, Severity, code, node_of, reboot, with_address
from .metrics import Metric
from .queries import MetricsSource

_SW_THERMAL, _HW_THERMAL, _HW_POWER_BRAKE = CLOCK_REASONS
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


# For so long an uncorrectable error is news.
_NEWS = "1h"
_STILL_OFFERED = " or ".join(map(str, sorted({*PLUGIN_IGNORED_XIDS} & {*RESET_XIDS})))
_IN_DMESG = code("talosctl --nodes ADDRESS dmesg | grep Xid")


def metrics_alerts(source: MetricsSource, daemon_sets: str) -> list[Alert]:
    """The alerts on the exporter itself; `daemon_sets` is a regular expression of the names of the GPU agents."""
    node = node_of(source)
    up = f'up{{job="{source.job}"}}'
    # A cluster whose pool of GPU nodes is scaled to zero has no target either, and nothing is wrong there.
    with_gpus = f"group by (cluster) ({kube_state.OFFERED} > 0 or {kube_state.desired(daemon_sets)} > 0)"
    no_target = f'label_replace({with_gpus} unless on (cluster) {up}, "job", "{source.job}", "", "")'
    nothing = f"absent({up}) and on () absent(kube_node_info)"
    return [
        # The exporter answers 500 when DCGM is dead, and its health check 200 all the same (dcgm-exporter
        # internal/pkg/server).
        Alert(
            name="GpuMetricsTargetDown",
            expr=f"(avg_over_time({up}[15m]) < 0.5 and {up}) or {no_target} or ({nothing})",
            for_="10m",
            severity=Severity.WARNING,
            summary="The metrics of GPUs can't be read from job {{ $labels.job }}",
            description="An exporter of GPU metrics failed for more than half of the last 15m, or a cluster with GPUs "
            "has no exporter to ask: the alerts on these GPUs are blind. A cluster without GPU nodes, such "
            "as a pool scaled to zero, gives no alert where kube-state-metrics runs.",
            runbook=f"See the log of the exporter's pod on that node, then the driver, by the address of the node: "
            f"{code('talosctl --nodes ADDRESS dmesg | grep -i nvrm')}, "
            f"{code('talosctl --nodes ADDRESS read /proc/modules | grep nvidia')}. Without any target, compare "
            f"the ServiceMonitor's labels with Prometheus' selector.",
        ),
        # After its counters were reloaded, or a GPU unbound, it answers 200 with nothing in it.
        Alert(
            name="GpuMetricsEmpty",
            expr=f"{up} == 1 unless on (cluster, job, instance) {source.series(Metric.GPU_TEMP)}",
            for_="15m",
            severity=Severity.WARNING,
            summary=f"The exporter on {node} answers without any GPU",
            description="An exporter of GPU metrics answers, and its answer names no GPU: the alerts on its GPUs are blind.",
            runbook=with_address(
                node,
                f"Delete the exporter's pod. If that changes nothing, see whether the node has its GPUs: "
                f"{code('talosctl --nodes ADDRESS dmesg | grep -i nvrm')}, "
                f"{code('talosctl --nodes ADDRESS ls /dev | grep nvidia')}.",
            ),
        ),
    ]


def error_alerts(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on errors that the driver reports."""
    return [_recovery(source), *_fatal_xids(source, thresholds), _contained_xid(source), _application_xids(source, thresholds)]


def _recovery(source: MetricsSource) -> Alert:
    node, action = node_of(source), source.per_gpu(Metric.RECOVERY_ACTION)
    return Alert(
        name="GpuRecoveryActionRequired",
        expr=f"({action} > 0) != {DRAIN_AND_RESET}",
        for_="1m",
        keep_firing_for="15m",
        severity=Severity.CRITICAL,
        summary=f"The driver asks to recover {GPU} of {node}: action {{{{ $value }}}}",
        description="The driver's own verdict: 1 reset the GPU, 2 reboot the node, 3 stop all peer-to-peer traffic. "
        "Action 4, drain and reset, can wait: see GpuMemoryRepairPending. Needs DCGM 4.5 and driver 570, "
        "or newer ones.",
        runbook=with_address(node, f"On Talos a reset is a reboot: {reboot(node)}. If the action comes back, have the card replaced."),
    )


def _fatal_xids(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on errors after which the GPU needs a reset."""
    node = node_of(source)
    # The two XIDs of one error need not reach the exporter in the same sample, nor leave its window together.
    contained = source.each_gpu(f"max_over_time({_counted(source, [CONTAINED_XID])}[10m])")
    return [
        Alert(
            name="GpuXidFatal",
            expr=f"{_xids(source, thresholds.fatal_xids)} > 0",
            keep_firing_for="15m",
            severity=Severity.CRITICAL,
            summary=_summary(node),
            description="The driver has reported an error that only a reset of the GPU, or a reboot, clears. After XID "
            f"{_STILL_OFFERED} the device plugin goes on offering the GPU.",
            runbook=with_address(node, f"{_IN_DMESG}, {reboot(node)}. After XID 79 look at the card's seat and power too."),
        ),
        Alert(
            name="GpuXidUncorrectable",
            expr=f"{_xids(source, [UNCORRECTABLE_XID])} > 0 unless on ({source.gpu_resources}) {contained} > 0",
            for_="2m",
            keep_firing_for="15m",
            severity=Severity.CRITICAL,
            summary=_summary(node),
            description=f"Memory failed in a way that ECC could not correct, and no XID {CONTAINED_XID} says that the "
            f"error was contained: the GPU needs a reset.",
            runbook=with_address(node, f"{_IN_DMESG}, {reboot(node)}. If the error comes back, have the card replaced."),
        ),
    ]


def _contained_xid(source: MetricsSource) -> Alert:
    node = node_of(source)
    return Alert(
        name="GpuXidContained",
        expr=f"{_xids(source, [CONTAINED_XID])} > 0",
        keep_firing_for="15m",
        severity=Severity.WARNING,
        summary=_summary(node),
        description="Memory failed, and the GPU contained the error: one application was killed, and no other is touched.",
        runbook=with_address(
            node, f"Restart the pod that was killed ({_IN_DMESG} names its process), and at the next opportunity: {reboot(node)}."
        ),
    )


def _application_xids(source: MetricsSource, thresholds: AlertThresholds) -> Alert:
    node = node_of(source)
    return Alert(
        name="GpuXidApplication",
        expr=f"{_xids(source, thresholds.application_xids)} > 0",
        severity=Severity.INFO,
        opt_in=True,
        summary=_summary(node),
        description="A program has made an error on the GPU. Nothing is wrong with the card, so this is noise where "
        "users run what they like.",
        runbook=with_address(node, f"Look at the log of the pod ({_IN_DMESG} names its process). Nothing is to be done to the node."),
    )


def _summary(node: str) -> str:
    return f"XID {{{{ $labels.xid }}}} on {GPU} of {node}"


def _xids(source: MetricsSource, xids: Iterable[int]) -> str:
    return source.each_gpu(_counted(source, xids), "xid")


def _counted(source: MetricsSource, xids: Iterable[int]) -> str:
    # A GPU without an event has a series too, of value 0 and without this label (dcgm-exporter
    # internal/pkg/collector/expcollector.go).
    return source.series(Metric.XID_ERRORS_COUNT, f'xid=~"{"|".join(str(xid) for xid in xids)}"')


def hardware_alerts(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on lost cards and on faults of their slots."""
    node = node_of(source)
    there = source.gpus_per_node()
    return [
        Alert(
            name="GpuDisappeared",
            expr=f"{there} < max_over_time({there}[{thresholds.lookback}:5m])",
            for_="10m",
            severity=Severity.CRITICAL,
            summary=f"{node} shows {{{{ $value }}}} GPUs, and had more",
            description=f"A node shows fewer GPUs than within the last {thresholds.lookback}: one has fallen off the "
            f"bus, or was taken out.",
            runbook=with_address(
                node,
                f"{code('talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e pcie')}, {reboot(node)}. If it stays "
                f"away, switch the node off and on again, and look at the card's seat and power.",
            ),
        ),
        Alert(
            name="GpuPcieReplays",
            expr=f"{source.each_gpu(f'rate({source.series(Metric.PCIE_REPLAYS)}[15m])')} * 60 > {thresholds.pcie_replays}",
            for_="15m",
            severity=Severity.WARNING,
            summary=f"The PCIe link of {GPU} of {node} repeats itself",
            description=f"More than {thresholds.pcie_replays} PCIe replays a minute: a bad slot, riser or cable, or a "
            f"link that is too fast for it.",
            runbook=with_address(
                node,
                f"{code('talosctl --nodes ADDRESS shutdown')} drains the node (its pods lose their emptyDir volumes) "
                f"and switches it off; seat the card anew, change the riser, or set a lower PCIe generation in the "
                f"firmware. {code('kubectl uncordon {node}', node=node)} when it is back.",
            ),
        ),
    ]


def memory_alerts(source: MetricsSource) -> list[Alert]:
    """The alerts on memory that fails. A contained error warns; a card that can't repair its memory needs somebody
    now.
    """
    node = node_of(source)
    errors = source.per_gpu(Metric.ECC_DBE)
    pending = (Metric.ROW_REMAP_PENDING, Metric.RETIRED_PENDING)  # rows since Ampere, pages before
    return [
        # The count stays until the driver is loaded again, so only its growth is news; and a count on a GPU that was
        # not seen in the hour before.
        Alert(
            name="GpuUncorrectableEcc",
            expr=f"increase({errors}[{_NEWS}:1m]) > 0 or ({errors} > 0 unless max_over_time({errors}[{_NEWS}:5m] offset {_NEWS}))",
            severity=Severity.WARNING,
            summary=f"New memory errors that ECC can't correct on {GPU} of {node}",
            description=f"Within the last {_NEWS} the GPU has had memory errors that ECC could not correct, or was "
            f"first seen with such errors. Whether the error needs a reset now is for GpuXidUncorrectable, "
            f"GpuXidFatal and GpuRecoveryActionRequired to say.",
            runbook=with_address(
                node,
                f"{_IN_DMESG}: after XID 94 restart the pod that was killed, and reboot the node when it suits the "
                f"workloads. After any other XID: {reboot(node)}. If the errors come back, have the card replaced.",
            ),
        ),
        Alert(
            name="GpuRowRemapFailure",
            expr=f"{source.per_gpu(Metric.ROW_REMAP_FAILURE)} > 0",
            keep_firing_for="15m",
            severity=Severity.CRITICAL,
            summary=f"{GPU} of {node} can't repair its memory",
            description="A memory row failed, and the GPU has no spare row left to take its place: NVIDIA replaces such a card.",
            runbook=f"{code('kubectl cordon {node}', node=node)}, and have the card replaced. A reset does not repair it.",
        ),
        Alert(
            name="GpuMemoryRepairPending",
            expr=" or ".join(
                [*(f"{source.per_gpu(metric)} > 0" for metric in pending), f"{source.per_gpu(Metric.RECOVERY_ACTION)} == {DRAIN_AND_RESET}"]
            ),
            for_="15m",
            severity=Severity.WARNING,
            summary=f"{GPU} of {node} waits for a reset to repair its memory",
            description=f"A part of the memory failed. The GPU works on with less memory, and puts a spare in the "
            f"place of that part at the next reset. The driver's recovery action {DRAIN_AND_RESET}, drain "
            f"and reset, means the same.",
            runbook=with_address(node, f"When it suits the workloads: {reboot(node)}."),
        ),
    ]
