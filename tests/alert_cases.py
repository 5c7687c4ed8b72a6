"""Cases of the alerts: series as Prometheus has them, and what each alert makes of them.

Every case is held in two encodings of the same physical series: the names and units up to dcgm-exporter 4.8, and those of 4.9. Both have to
give the same alerts.
"""

import re
import subprocess
from dataclasses import dataclass, field, replace

import yaml

from conftest import SHORT_LIVED, needs
from constructs_lib.monitoring import AlertRules, MetricsSource
from dcgm_encodings import asked_in_base_units, in_base_units

OURS = MetricsSource()
OPERATORS = MetricsSource(job="nvidia-dcgm-exporter")
HONORED = MetricsSource(honor_labels=True, node_label="kubernetes_node")
SOURCES = {"ours": OURS, "operator's": OPERATORS, "honor_labels": HONORED}
OFF = ["GpuXidApplication", "GpuSwThermalSlowdown", "GpuAllocatedIdle", "GpuMemoryNearlyFull"]
NODE = "talos-1"
DCGM = "DCGM_FI_DEV_"


def promtool(*arguments, folder):
    """Run promtool in a folder."""
    binary = needs("PROMTOOL", "Prometheus' promtool (tools/promtool.sh)")
    return subprocess.run([binary, *arguments], cwd=folder, env=SHORT_LIVED, capture_output=True, text=True, check=False)


def labelled(name, **labels):
    pairs = [f'{key}="{value}"' for key, value in labels.items()]
    return f"{name}{{{', '.join(pairs)}}}"


@dataclass
class Series:
    """A series of the exporter: what DCGM says of a GPU, with the labels of the target, and of the pod that has the GPU."""

    metric: str
    values: str
    gpu: int = 0
    pod: str | None = None
    labels: dict = field(default_factory=dict)

    def under(self, source):
        """As Prometheus has it: what the exporter says of the pod that has the GPU is renamed, unless it honors labels."""
        target = {"job": source.job, "instance": "10.0.0.1:9400", source.node_label: NODE}
        own = {"namespace": "gpu-operator", "pod": "exporter-x1", "container": "exporter"}
        if not source.honor_labels:
            target |= own
        if self.pod:
            target |= {source.namespace: "ai", source.pod: self.pod, source.container: "main"}
        # Upper case up to dcgm-exporter 4.5: no alert may need it.
        card = {"gpu": self.gpu, "UUID": f"GPU-{self.gpu}", "modelName": "RTX 4090", "device": f"nvidia{self.gpu}", "Hostname": NODE}
        metric, values = in_base_units(self.metric, self.values) if source.exporter_version else (self.metric, self.values)
        return labelled(metric, **{**target, **card, **self.labels}), values


@dataclass
class Other:
    """A series from elsewhere, with all of its labels; those of the exporter's job with its job."""

    metric: str
    values: str
    labels: dict = field(default_factory=dict)

    def under(self, source):
        target = {"job": source.job, source.node_label: NODE} if self.metric == "up" else {}
        return labelled(self.metric, **{**target, **self.labels}), self.values


def card(source, gpu=0, **more):
    """The labels of an alert on a GPU."""
    return {source.node_label: NODE, "gpu": str(gpu), "UUID": f"GPU-{gpu}", "modelName": "RTX 4090", **more}


def up(values):
    return Other("up", values, {"instance": "10.0.0.1:9400"})


def xid(code, values="1x60", **more):
    return Series("DCGM_EXP_XID_ERRORS_COUNT", values, labels={"xid": code, "window_size_in_ms": 300000}, **more)


def node(metric, values, instance="a"):
    return Other(
        f"kube_node_status_{metric}", values, {"node": NODE, "resource": "nvidia_com_gpu", "unit": "integer", "instance": instance}
    )


def daemon_set(metric, values, name="nvidia-device-plugin"):
    return Other(f"kube_daemonset_status_{metric}", values, {"namespace": "gpu-operator", "daemonset": name})


def request(resource="nvidia_com_gpu"):
    labels = {"namespace": "ai", "pod": "ollama", "container": "main", "resource": resource}
    return Other("kube_pod_container_resource_requests", "1x120", labels)


def phase(name):
    return Other("kube_pod_status_phase", "1x120", {"namespace": "ai", "pod": "ollama", "phase": name})


def idle(source):
    return card(source, **{source.namespace: "ai", source.pod: "ollama"})


def down(source):
    return {"job": source.job, "instance": "10.0.0.1:9400", source.node_label: NODE}


def gpu(metric, values, **more):
    return Series(DCGM + metric, values, **more)


ON_NODE = {"node": NODE}
# By alert: what is there when it fires, at which minute, on what, and with which value; and what is there when it is silent.
FIRES = {
    "GpuMetricsTargetDown": ([up("0x20")], 11, down, 0),
    "GpuMetricsEmpty": ([up("1x20")], 16, down, 1),
    "GpuRecoveryActionRequired": ([gpu("GET_GPU_RECOVERY_ACTION", "2x5")], 2, card, 2),
    "GpuXidFatal": ([xid(79)], 1, lambda source: card(source, xid="79"), 1),
    "GpuXidUncorrectable": ([xid(48)], 3, lambda source: card(source, xid="48"), 1),
    "GpuXidContained": ([xid(94)], 1, lambda source: card(source, xid="94"), 1),
    "GpuXidApplication": ([xid(31)], 1, lambda source: card(source, xid="31"), 1),
    "GpuDisappeared": (
        [gpu("GPU_TEMP", "50x90"), gpu("GPU_TEMP", "50x30 stale", gpu=1)],
        45,
        lambda source: {source.node_label: NODE},
        1,
    ),
    "GpuPcieReplays": ([gpu("PCIE_REPLAY_COUNTER", "0+10x60")], 40, card, 10),
    "GpuUncorrectableEcc": ([gpu("ECC_DBE_VOL_TOTAL", "0x180 1x20")], 185, card, 1),
    "GpuRowRemapFailure": ([gpu("ROW_REMAP_FAILURE", "1x5")], 0, card, 1),
    "GpuMemoryRepairPending": ([gpu("ROW_REMAP_PENDING", "1x20")], 16, card, 1),
    "GpuHwThermalSlowdown": ([gpu("CLOCKS_EVENT_REASONS", f"{64 + 8 + 4}x10")], 6, card, 1),
    "GpuHwPowerBrake": ([gpu("CLOCKS_EVENT_REASONS", f"{128 + 4}x10")], 6, card, 1),
    "GpuSwThermalSlowdown": ([gpu("CLOCKS_EVENT_REASONS", f"{32 + 4}x40")], 31, card, 1),
    "GpuAtSlowdownTemperature": ([gpu("GPU_TEMP", "90x10"), gpu("SLOWDOWN_TEMP", "90x10")], 6, card, 1),
    "GpuAllocatedIdle": ([gpu("GPU_UTIL", "0x500", pod="ollama")], 400, idle, 0),
    "GpuMemoryNearlyFull": ([gpu("FB_USED", "99x40"), gpu("FB_FREE", "1x40")], 31, card, 0.99),
    "GpuDeviceUnhealthy": (
        [node("capacity", "2x20"), node("allocatable", "1x20")],
        11,
        lambda _: {**ON_NODE, "resource": "nvidia_com_gpu"},
        1,
    ),
    "GpuNodeLostGpus": ([node("allocatable", "2x30 0x60"), Other("kube_node_info", "1x90", ON_NODE)], 60, lambda _: ON_NODE, 2),
    "GpuPodPending": ([request(), phase("Pending")], 31, lambda _: {"namespace": "ai", "pod": "ollama"}, 1),
    "GpuDaemonSetNotReady": (
        [daemon_set("desired_number_scheduled", "2x20"), daemon_set("number_ready", "1x20")],
        11,
        lambda _: {"namespace": "gpu-operator", "daemonset": "nvidia-device-plugin"},
        1,
    ),
    "GpuOperatorNotReconciled": (
        [Other("gpu_operator_reconciliation_status", "0x90", {"job": "gpu-operator", "namespace": "gpu-operator"})],
        61,
        lambda _: {"job": "gpu-operator", "namespace": "gpu-operator"},
        0,
    ),
}
SILENT = {
    "GpuMetricsTargetDown": ([up("1x20")], 15),
    "GpuMetricsEmpty": ([up("1x20"), gpu("GPU_TEMP", "50x20")], 16),
    # What the driver asks for after a contained error can wait.
    "GpuRecoveryActionRequired": ([gpu("GET_GPU_RECOVERY_ACTION", "0x5"), gpu("GET_GPU_RECOVERY_ACTION", "4x5", gpu=1)], 2),
    "GpuXidFatal": ([xid(31), xid(48), xid(94), Series("DCGM_EXP_XID_ERRORS_COUNT", "0x60")], 5),
    "GpuXidUncorrectable": ([xid(48), xid(94), xid(79, gpu=1)], 5),
    "GpuXidContained": ([xid(31), xid(79)], 5),
    "GpuXidApplication": ([xid(79), xid(94)], 5),
    "GpuDisappeared": ([gpu("GPU_TEMP", "50x90"), gpu("GPU_TEMP", "50x90", gpu=1)], 45),
    "GpuPcieReplays": ([gpu("PCIE_REPLAY_COUNTER", "0+5x60")], 40),
    # A count that stays is no news.
    "GpuUncorrectableEcc": (
        [gpu("ECC_DBE_VOL_TOTAL", "0x200"), gpu("ECC_SBE_VOL_TOTAL", "0+5x200"), gpu("ECC_DBE_VOL_TOTAL", "3x200", gpu=1)],
        185,
    ),
    "GpuRowRemapFailure": ([gpu("ROW_REMAP_FAILURE", "0x5")], 5),
    "GpuMemoryRepairPending": (
        [gpu("ROW_REMAP_PENDING", "0x20"), gpu("RETIRED_PENDING", "0x20"), gpu("GET_GPU_RECOVERY_ACTION", "2x20")],
        16,
    ),
    # The power cap, which a GPU at full load shows, and the bit beside heat that changes of the clocks raise too.
    "GpuHwThermalSlowdown": ([gpu("CLOCKS_EVENT_REASONS", f"{128 + 32 + 8 + 4}x10")], 6),
    "GpuHwPowerBrake": ([gpu("CLOCKS_EVENT_REASONS", f"{256 + 64 + 32 + 4}x10")], 6),
    "GpuSwThermalSlowdown": ([gpu("CLOCKS_EVENT_REASONS", f"{64 + 16 + 4}x40")], 31),
    # A card that does not say where its limit is says 0.
    "GpuAtSlowdownTemperature": (
        [gpu("GPU_TEMP", "89x10"), gpu("SLOWDOWN_TEMP", "90x10"), gpu("GPU_TEMP", "89x10", gpu=1), gpu("SLOWDOWN_TEMP", "0x10", gpu=1)],
        6,
    ),
    "GpuAllocatedIdle": ([gpu("GPU_UTIL", "5x500", pod="ollama")], 400),
    "GpuMemoryNearlyFull": (
        [gpu("FB_USED", "96x40"), gpu("FB_FREE", "4x40"), gpu("FB_USED", "0x40", gpu=1), gpu("FB_FREE", "0x40", gpu=1)],
        31,
    ),
    "GpuDeviceUnhealthy": ([node("capacity", "2x20"), node("allocatable", "2x20")], 11),
    "GpuNodeLostGpus": ([node("allocatable", "2x30 1x60"), Other("kube_node_info", "1x90", ON_NODE)], 60),
    "GpuPodPending": ([request(), phase("Running")], 31),
    "GpuDaemonSetNotReady": (
        [
            daemon_set("desired_number_scheduled", "2x20"),
            daemon_set("number_ready", "2x20"),
            daemon_set("desired_number_scheduled", "2x20", "cilium"),
            daemon_set("number_ready", "1x20", "cilium"),
        ],
        16,
    ),
    "GpuOperatorNotReconciled": (
        [Other("gpu_operator_reconciliation_status", "1x90", {"job": "gpu-operator", "namespace": "gpu-operator"})],
        61,
    ),
}


def coming_and_going(*values, times):
    """Values in promtool's notation, again and again."""
    return " ".join([" ".join(values)] * times)


_GAP = "stale _x5"
_OVER_AND_UNDER = ("90", "85")
# By alert: what comes and goes, and by minute the value with which the alert fires then; None where it is silent.
OSCILLATES = {
    # An exporter that crashes again and again answers in between.
    "GpuMetricsTargetDown": ([up(coming_and_going("0", "0", "0", "1", times=20))], {40: 0.25}),
    "GpuMetricsEmpty": ([up("1x60"), gpu("GPU_TEMP", coming_and_going("50x8", _GAP, times=4))], {40: None, 55: None}),
    # The metrics are away for a moment, as when the exporter restarts: the fault is not.
    "GpuRecoveryActionRequired": ([gpu("GET_GPU_RECOVERY_ACTION", f"2x5 {_GAP} 2x20")], {5: 2, 8: 2, 20: 2}),
    "GpuXidFatal": ([xid(79, f"1x4 {_GAP} 1x4 {_GAP}")], {3: 1, 8: 1, 14: 1}),
    # The two XIDs of one error enter the exporter's window one after the other, and leave it so.
    "GpuXidUncorrectable": ([xid(48, "1x6 stale"), xid(94, "_ 1x2 stale")], {2: None, 6: None, 10: None}),
    "GpuXidContained": ([xid(94, f"1x4 {_GAP} 1x4 {_GAP}")], {3: 1, 8: 1, 14: 1}),
    "GpuXidApplication": ([xid(31, f"1x4 {_GAP} 1x4 {_GAP}")], {3: 1, 8: None, 14: 1}),
    "GpuDisappeared": (
        [gpu("GPU_TEMP", f"50x30 {_GAP} 50x60", gpu=number) for number in range(2)]
        + [gpu("GPU_TEMP", coming_and_going("50x8", _GAP, times=8), gpu=2)],
        {33: None, 45: None, 60: None},
    ),
    # 100 at once, every five minutes.
    "GpuPcieReplays": ([gpu("PCIE_REPLAY_COUNTER", " ".join(str(100 * (minute // 5)) for minute in range(60)))], {40: 20, 55: 20}),
    "GpuUncorrectableEcc": ([gpu("ECC_DBE_VOL_TOTAL", "0x180 1x180 2x180")], {100: None, 190: 1, 300: None, 370: 1, 500: None}),
    "GpuRowRemapFailure": ([gpu("ROW_REMAP_FAILURE", f"1x5 {_GAP} 1x20")], {3: 1, 8: 1, 15: 1}),
    "GpuMemoryRepairPending": ([gpu("ROW_REMAP_PENDING", coming_and_going("1x8", "0", times=6))], {20: None, 40: None}),
    # A minute of two: seven minutes and the sample at the end of the window, at four steps a minute.
    "GpuHwThermalSlowdown": ([gpu("CLOCKS_EVENT_REASONS", coming_and_going("76", "4", times=30))], {40: 29 / 61}),
    "GpuHwPowerBrake": ([gpu("CLOCKS_EVENT_REASONS", coming_and_going("132", "4", times=30))], {40: 29 / 61}),
    "GpuSwThermalSlowdown": ([gpu("CLOCKS_EVENT_REASONS", coming_and_going("36", "4", times=30))], {50: 29 / 61}),
    "GpuAtSlowdownTemperature": (
        [gpu("GPU_TEMP", coming_and_going(*_OVER_AND_UNDER, times=30)), gpu("SLOWDOWN_TEMP", "90x60")],
        {40: 29 / 61},
    ),
    # A minute of each hour, in which the pod uses most of its GPU.
    "GpuAllocatedIdle": ([gpu("GPU_UTIL", coming_and_going("90", "0x58", times=9), pod="ollama")], {400: None, 500: None}),
    "GpuMemoryNearlyFull": (
        [gpu("FB_USED", coming_and_going("99x8", "50x8", times=6)), gpu("FB_FREE", coming_and_going("1x8", "50x8", times=6))],
        {50: None, 100: None},
    ),
    # The device plugin restarts.
    "GpuDeviceUnhealthy": ([node("capacity", "2x60"), node("allocatable", coming_and_going("1x4", "2x4", times=6))], {30: None, 54: None}),
    "GpuNodeLostGpus": (
        [node("allocatable", coming_and_going("2x4", "0x4", times=9)), Other("kube_node_info", "1x90", ON_NODE)],
        {60: None, 85: None},
    ),
    "GpuPodPending": (
        [request(), Other("kube_pod_status_phase", coming_and_going("1x9", "0x9", times=6), phase("Pending").labels)],
        {50: None, 110: None},
    ),
    # An agent that crashes again and again is ready in between.
    "GpuDaemonSetNotReady": (
        [daemon_set("desired_number_scheduled", "2x60"), daemon_set("number_ready", coming_and_going("1x2", "2", times=15))],
        {40: 0.75, 55: 0.75},
    ),
    "GpuOperatorNotReconciled": (
        [
            Other(
                "gpu_operator_reconciliation_status",
                coming_and_going("0x28", "1", times=4),
                {"job": "gpu-operator", "namespace": "gpu-operator"},
            )
        ],
        {61: None, 110: None},
    ),
}


def in_cluster(name, series):
    """The same series, with the label by which a central ruler tells clusters apart."""
    return [replace(each, labels={**each.labels, "cluster": name}) for each in series]


def rendered(template, labels, value):
    """What Prometheus makes of a text: a label that the alert does not have stays, and is found out."""
    text = template.replace("{{ $value }}", f"{value:g}").replace("{{ $value | humanizePercentage }}", f"{value * 100:.4g}%")
    return re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda found: labels.get(found[1], found[0]), text)


def hold(folder, name, series, by_minute, source=OURS, **given):
    """Claim that at each minute exactly these alerts of a name fire, in both encodings: pairs of labels and a value."""
    _hold(folder, [name], series, {minute: {name: expected} for minute, expected in by_minute.items()}, source, given)


def are_silent(folder, names, series, minutes):
    """Claim that at these minutes no alert of these names fires."""
    _hold(folder, names, series, {minute: {name: [] for name in names} for minute in minutes}, OURS, {})


def _hold(folder, names, series, by_minute, source, given):
    for encoding, encoded in (("old", source), ("new", asked_in_base_units(source))):
        _write(folder, encoding, names, series, by_minute, encoded, given)
    done = promtool("test", "rules", "old.yaml", "new.yaml", folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr


def _write(folder, encoding, names, series, by_minute, source, given):
    rules = AlertRules(source=source, operator=True, enable=OFF, **given)
    alerts = {alert.name: alert for alert in rules.alerts}
    wanted = [
        {"eval_time": f"{minute}m", "alertname": name, "exp_alerts": [_fired(alerts[name], *each) for each in expected]}
        for minute, by_name in by_minute.items()
        for name, expected in by_name.items()
    ]
    # The other rules would be evaluated at each minute too.
    only = [rule for group in rules.groups for rule in group["rules"] if rule["alert"] in names]
    inputs = [dict(zip(("series", "values"), each.under(source), strict=True)) for each in series]
    test = {"interval": "1m", "input_series": inputs, "alert_rule_test": wanted}
    file = {"rule_files": [f"{encoding}.rules.yaml"], "evaluation_interval": "1m", "tests": [test]}
    (folder / f"{encoding}.rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "one", "rules": only}]}))
    (folder / f"{encoding}.yaml").write_text(yaml.safe_dump(file, allow_unicode=True))


def _fired(alert, labels, value):
    texts = {"summary": alert.summary, "description": alert.description, "runbook": alert.runbook}
    return {
        "exp_labels": {"severity": str(alert.severity), **labels},
        "exp_annotations": {key: rendered(text, labels, value) for key, text in texts.items()},
    }
