"""What Prometheus itself makes of the alerts: each fires in one case and is silent in another, with the texts that people then read.

Every case is held in two encodings of the same physical series: the names and units up to dcgm-exporter 4.8, and those of 4.9. Both have to
give the same alerts.
"""

import re
import subprocess
from dataclasses import dataclass, field

import pytest
import yaml

from conftest import needs
from constructs_lib import AlertRules, AlertThresholds, MetricsSource
from dcgm_encodings import asked_in_base_units, in_base_units

OURS = MetricsSource()
OPERATORS = MetricsSource(job="nvidia-dcgm-exporter")
HONORED = MetricsSource(honor_labels=True, node_label="kubernetes_node")
SOURCES = {"ours": OURS, "operator's": OPERATORS, "honor_labels": HONORED}
OFF = ["GpuXidApplication", "GpuSwThermalSlowdown", "GpuAllocatedIdle", "GpuMemoryNearlyFull"]
NODE = "talos-1"
DCGM = "DCGM_FI_DEV_"


@pytest.fixture(scope="session")
def promtool():
    return needs("PROMTOOL", "Prometheus' promtool (tools/promtool.sh)")


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
    "GpuXidContained": ([xid(94)], 1, lambda source: card(source, xid="94"), 1),
    "GpuXidApplication": ([xid(31)], 1, lambda source: card(source, xid="31"), 1),
    "GpuUncorrectableEcc": ([gpu("ECC_DBE_VOL_TOTAL", "1x5")], 0, card, 1),
    "GpuDisappeared": (
        [gpu("GPU_TEMP", "50x90"), gpu("GPU_TEMP", "50x30 stale", gpu=1)],
        45,
        lambda source: {source.node_label: NODE},
        1,
    ),
    "GpuPcieReplays": ([gpu("PCIE_REPLAY_COUNTER", "0+10x60")], 40, card, 10),
    "GpuRowRemapFailure": ([gpu("ROW_REMAP_FAILURE", "1x5")], 0, card, 1),
    "GpuMemoryRepairPending": ([gpu("ROW_REMAP_PENDING", "1x20")], 16, card, 1),
    "GpuHwThermalSlowdown": ([gpu("CLOCKS_EVENT_REASONS", f"{64 + 8 + 4}x10")], 6, card, 1),
    "GpuHwPowerBrake": ([gpu("CLOCKS_EVENT_REASONS", f"{128 + 4}x10")], 6, card, 1),
    "GpuSwThermalSlowdown": ([gpu("CLOCKS_EVENT_REASONS", f"{32 + 4}x40")], 31, card, 1),
    "GpuAtSlowdownTemperature": ([gpu("GPU_TEMP", "90x10"), gpu("SLOWDOWN_TEMP", "90x10")], 6, card, 90),
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
        16,
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
    "GpuRecoveryActionRequired": ([gpu("GET_GPU_RECOVERY_ACTION", "0x5")], 2),
    "GpuXidFatal": ([xid(31), xid(94), Series("DCGM_EXP_XID_ERRORS_COUNT", "0x60")], 5),
    "GpuXidContained": ([xid(31), xid(79)], 5),
    "GpuXidApplication": ([xid(79), xid(94)], 5),
    "GpuUncorrectableEcc": ([gpu("ECC_DBE_VOL_TOTAL", "0x5"), gpu("ECC_SBE_VOL_TOTAL", "5x5")], 5),
    "GpuDisappeared": ([gpu("GPU_TEMP", "50x90"), gpu("GPU_TEMP", "50x90", gpu=1)], 45),
    "GpuPcieReplays": ([gpu("PCIE_REPLAY_COUNTER", "0+5x60")], 40),
    "GpuRowRemapFailure": ([gpu("ROW_REMAP_FAILURE", "0x5")], 5),
    "GpuMemoryRepairPending": ([gpu("ROW_REMAP_PENDING", "0x20"), gpu("RETIRED_PENDING", "0x20")], 16),
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


def rendered(template, labels, value):
    """What Prometheus makes of a text: a label that the alert does not have stays, and is found out."""
    text = template.replace("{{ $value }}", f"{value:g}")
    return re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda found: labels.get(found[1], found[0]), text)


@pytest.fixture
def check(promtool, tmp_path):
    """Ask promtool whether at a minute exactly these alerts of a name fire, in both encodings: pairs of labels and a value."""

    def checked(name, series, minute, expected, source=OURS, **given):
        for encoding, encoded in (("old", source), ("new", asked_in_base_units(source))):
            written(encoding, name, series, minute, expected, encoded, **given)
        done = subprocess.run(
            [promtool, "test", "rules", "old.yaml", "new.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def written(encoding, name, series, minute, expected, source, **given):
        rules = AlertRules(source=source, operator=True, enable=OFF, **given)
        (alert,) = (each for each in rules.alerts if each.name == name)
        texts = {"summary": alert.summary, "description": alert.description, "runbook": alert.runbook}
        alerts = [
            {
                "exp_labels": {"severity": str(alert.severity), **labels},
                "exp_annotations": {key: rendered(text, labels, value) for key, text in texts.items()},
            }
            for labels, value in expected
        ]
        # The other rules would be evaluated at each minute too.
        only = [rule for group in rules.groups for rule in group["rules"] if rule["alert"] == name]
        inputs = [dict(zip(("series", "values"), each.under(source), strict=True)) for each in series]
        wanted = {"eval_time": f"{minute}m", "alertname": name, "exp_alerts": alerts}
        test = {"interval": "1m", "input_series": inputs, "alert_rule_test": [wanted]}
        file = {"rule_files": [f"{encoding}.rules.yaml"], "evaluation_interval": "1m", "tests": [test]}
        (tmp_path / f"{encoding}.rules.yaml").write_text(yaml.safe_dump({"groups": [{"name": "one", "rules": only}]}))
        (tmp_path / f"{encoding}.yaml").write_text(yaml.safe_dump(file, allow_unicode=True))

    return checked


@pytest.mark.parametrize("source", [*SOURCES.values(), asked_in_base_units(OURS)], ids=[*SOURCES, "4.9"])
@pytest.mark.parametrize("slowdown", [None, 85])
def test_promtool_accepts_every_rule(promtool, tmp_path, source, slowdown):
    rules = AlertRules(
        source=source, operator=True, enable=OFF, thresholds=AlertThresholds(slowdown_temperature=slowdown), daemon_sets=r'a\.b|"c"'
    )
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": rules.groups}))

    done = subprocess.run(
        [promtool, "check", "rules", "--lint-fatal", "rules.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, f"{len(rules.alerts)} rules found" in done.stdout) == (0, True), done.stdout + done.stderr


def test_each_alert_has_a_case_in_which_it_fires_and_one_in_which_it_is_silent():
    assert [*FIRES] == [*SILENT] == [alert.name for alert in AlertRules().all_alerts]


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("name", FIRES)
def test_it_fires_and_says_what_is_wrong(check, name, source):
    series, minute, labels, value = FIRES[name]

    check(name, series, minute, [(labels(source), value)], source)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("name", SILENT)
def test_it_is_silent(check, name, source):
    series, minute = SILENT[name]

    check(name, series, minute, [], source)


@pytest.mark.parametrize("name", [name for name, (_, minute, *_) in FIRES.items() if minute > 1 and name != "GpuDisappeared"])
def test_it_does_not_fire_before_its_time(check, name):
    series, minute, *_ = FIRES[name]
    after = {"GpuNodeLostGpus": 40, "GpuAllocatedIdle": 330, "GpuPcieReplays": 10}

    check(name, series, after.get(name, minute - 2), [])


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize(
    "name", [name for name, (series, *_) in FIRES.items() if isinstance(series[0], Series) and name != "GpuAllocatedIdle"]
)
def test_two_pods_on_one_gpu_and_two_exporters_of_it_give_one_alert(check, name, source):
    series, minute, labels, value = FIRES[name]
    again = [Series(each.metric, each.values, gpu=each.gpu, pod=pod, labels=each.labels) for each in series for pod in ("a", "b")]

    check(name, again, minute, [(labels(source), value)], source)


def test_two_instances_of_a_partitioned_gpu_give_one_alert_on_its_temperature(check):
    both = [
        Series(f"{DCGM}{metric}", "95x10", labels={"GPU_I_ID": instance})
        for metric in ("GPU_TEMP", "SLOWDOWN_TEMP")
        for instance in ("1", "2")
    ]

    check("GpuAtSlowdownTemperature", both, 6, [(card(OURS), 95)])


def test_each_instance_of_a_partitioned_gpu_has_memory_of_its_own(check):
    full = [gpu("FB_USED", "99x40", labels={"GPU_I_ID": "1"}), gpu("FB_FREE", "1x40", labels={"GPU_I_ID": "1"})]
    free = [gpu("FB_USED", "1x40", labels={"GPU_I_ID": "2"}), gpu("FB_FREE", "99x40", labels={"GPU_I_ID": "2"})]

    check("GpuMemoryNearlyFull", full + free, 31, [(card(OURS, GPU_I_ID="1"), 0.99)])


@pytest.mark.parametrize(("percent", "fires"), [(0, True), (49, True), (50, False), (51, False), (100, False)])
def test_a_threshold_of_utilization_is_in_percent_whatever_the_exporters_unit(check, percent, fires):
    series = [gpu("GPU_UTIL", f"{percent}x500", pod="ollama")]

    check("GpuAllocatedIdle", series, 400, [(idle(OURS), percent)] if fires else [], thresholds=AlertThresholds(idle_utilization=50))


@pytest.mark.parametrize(("used", "fires"), [(96, False), (97, False), (98, True)])
def test_a_threshold_of_memory_is_in_percent_whatever_the_exporters_unit(check, used, fires):
    series = [gpu("FB_USED", f"{used * 100}x40"), gpu("FB_FREE", f"{10_000 - used * 100}x40")]

    check("GpuMemoryNearlyFull", series, 31, [(card(OURS), used / 100)] if fires else [])


@pytest.mark.parametrize(("name", "bit"), [("GpuHwThermalSlowdown", 64), ("GpuHwPowerBrake", 128), ("GpuSwThermalSlowdown", 32)])
def test_each_reason_is_one_bit(check, name, bit):
    check(name, [gpu("CLOCKS_EVENT_REASONS", f"{bit}x60")], 50, [(card(OURS), 1)])
    check(name, [gpu("CLOCKS_EVENT_REASONS", f"{511 - bit}x60")], 50, [])


def test_the_power_cap_alone_is_no_alert_on_heat_or_power(check):
    for name in ("GpuHwThermalSlowdown", "GpuHwPowerBrake", "GpuSwThermalSlowdown"):
        check(name, [gpu("CLOCKS_EVENT_REASONS", "4x60")], 50, [])


@pytest.mark.parametrize(("minute", "fires"), [(0, True), (4, True), (15, True), (19, True), (21, False)])
def test_a_fatal_xid_fires_at_once_and_clears_when_its_window_and_a_quarter_of_an_hour_are_over(check, minute, fires):
    # The exporter counts it for five minutes, and has then a series without the XID.
    window = [xid(79, "1x4 stale"), Series("DCGM_EXP_XID_ERRORS_COUNT", "_x5 0x60")]

    check("GpuXidFatal", window, minute, [(card(OURS, xid="79"), 1)] if fires else [])


def test_an_xid_of_another_generation_can_be_made_fatal(check):
    check("GpuXidFatal", [xid(145)], 1, [])
    check("GpuXidFatal", [xid(145)], 1, [(card(OURS, xid="145"), 1)], thresholds=AlertThresholds(fatal_xids=[145]))


def test_a_lost_gpu_is_forgotten_after_the_time_that_is_given(check):
    series, _, labels, _ = FIRES["GpuDisappeared"]
    lost = [Series(each.metric, each.values.replace("x90", "x400"), gpu=each.gpu) for each in series]

    check("GpuDisappeared", lost, 200, [(labels(OURS), 1)])
    check("GpuDisappeared", lost, 200, [], thresholds=AlertThresholds(lookback="2h"))


def test_a_card_that_takes_another_index_is_not_lost(check):
    # A second exporter, after a restart of the node, numbers the cards anew; for a moment both are there.
    renumbered = [gpu("GPU_TEMP", "50x32 stale"), gpu("GPU_TEMP", "_x28 50x60", gpu=1, labels={"UUID": "GPU-0"})]

    check("GpuDisappeared", renumbered, 60, [])


def test_a_job_without_any_target_is_as_bad_as_one_that_is_down(check):
    check("GpuMetricsTargetDown", [Other("kube_node_info", "1x20", ON_NODE)], 11, [({"job": "dcgm-exporter"}, 1)])


def test_another_exporter_that_is_down_is_not_ours(check):
    check("GpuMetricsTargetDown", [Other("up", "0x20", {"job": "node-exporter", "instance": "b"}), up("1x20")], 15, [])


def test_pages_that_wait_to_be_retired_are_what_rows_are_on_newer_cards(check):
    retired = gpu("RETIRED_PENDING", "1x20")

    check("GpuMemoryRepairPending", [retired], 16, [(card(OURS), 1)])
    check("GpuMemoryRepairPending", [retired, gpu("ROW_REMAP_PENDING", "1x20")], 16, [(card(OURS), 1)])


def test_a_temperature_that_is_given_takes_the_place_of_the_cards_own(check):
    fixed = {"thresholds": AlertThresholds(slowdown_temperature=85)}

    check("GpuAtSlowdownTemperature", [gpu("GPU_TEMP", "85x10")], 6, [(card(OURS), 85)], **fixed)
    check("GpuAtSlowdownTemperature", [gpu("GPU_TEMP", "84x10"), gpu("SLOWDOWN_TEMP", "80x10")], 6, [], **fixed)


@pytest.mark.parametrize("source", [OURS, OPERATORS], ids=["ours", "operator's"])
def test_a_gpu_that_nobody_has_is_not_idle(check, source):
    check("GpuAllocatedIdle", [gpu("GPU_UTIL", "0x500")], 400, [], source)


def test_a_pod_that_is_gone_is_not_idle(check):
    check("GpuAllocatedIdle", [gpu("GPU_UTIL", "0x380 stale", pod="ollama")], 380, [(idle(OURS), 0)])
    check("GpuAllocatedIdle", [gpu("GPU_UTIL", "0x380 stale", pod="ollama")], 382, [])


def test_a_pod_that_works_once_in_a_while_is_not_idle(check):
    check("GpuAllocatedIdle", [gpu("GPU_UTIL", "0x200 90x2 0x300", pod="ollama")], 400, [])


def test_a_node_that_has_left_the_cluster_has_lost_no_gpu(check):
    gone = [node("allocatable", "2x30 stale"), Other("kube_node_info", "1x30 stale", ON_NODE)]

    check("GpuNodeLostGpus", gone, 60, [])


def test_a_node_whose_resource_is_gone_and_not_zero_has_lost_its_gpus(check):
    check("GpuNodeLostGpus", [node("allocatable", "2x30 stale"), Other("kube_node_info", "1x90", ON_NODE)], 60, [(ON_NODE, 2)])


def test_a_node_that_is_partitioned_anew_has_lost_no_gpu(check):
    labels = {"node": NODE, "resource": "nvidia_com_mig_1g_10gb", "unit": "integer"}
    partitioned = [node("allocatable", "2x30 0x60"), Other("kube_node_status_allocatable", "_x30 7x60", labels)]

    check("GpuNodeLostGpus", [*partitioned, Other("kube_node_info", "1x90", ON_NODE)], 60, [])


def test_two_kube_state_metrics_give_one_alert(check):
    twice = [
        node(metric, values, instance) for metric, values in (("capacity", "2x20"), ("allocatable", "1x20")) for instance in ("a", "b")
    ]

    check("GpuDeviceUnhealthy", twice, 11, [({**ON_NODE, "resource": "nvidia_com_gpu"}, 1)])


def test_a_pod_that_waits_for_another_resource_is_not_ours(check):
    check("GpuPodPending", [request("cpu"), request("nvidia_com_hostdev"), phase("Pending")], 60, [])


def test_a_pod_that_waits_for_a_share_or_an_instance_is_ours(check):
    for resource in ("nvidia_com_gpu_shared", "nvidia_com_mig_1g_10gb"):
        check("GpuPodPending", [request(resource), phase("Pending")], 31, [({"namespace": "ai", "pod": "ollama"}, 1)])


def test_the_time_that_is_given_is_the_time_that_it_takes(check):
    series, minute, labels, value = FIRES["GpuPodPending"]

    check("GpuPodPending", series, minute, [], for_={"GpuPodPending": "1h"})
    check("GpuPodPending", series, 61, [(labels(OURS), value)], for_={"GpuPodPending": "1h"})
