"""What Prometheus itself makes of the alerts: each fires in one case and is silent in another, with the texts that people then read."""

import pytest
import yaml
from alert_cases import (
    DCGM,
    FIRES,
    NODE,
    OFF,
    ON_NODE,
    OPERATORS,
    OSCILLATES,
    OURS,
    SILENT,
    SOURCES,
    Other,
    Series,
    are_silent,
    card,
    daemon_set,
    gpu,
    hold,
    idle,
    in_cluster,
    node,
    phase,
    promtool,
    request,
    up,
    xid,
)

from constructs_lib.monitoring import AlertRules, AlertThresholds
from dcgm_encodings import asked_in_base_units

HEALTHY = {
    "GPU_TEMP": 50, "SLOWDOWN_TEMP": 90, "GPU_UTIL": 50, "FB_USED": 50, "FB_FREE": 50, "CLOCKS_EVENT_REASONS": 4, "ECC_DBE_VOL_TOTAL": 0,
    "PCIE_REPLAY_COUNTER": 0, "ROW_REMAP_FAILURE": 0, "ROW_REMAP_PENDING": 0, "RETIRED_PENDING": 0, "GET_GPU_RECOVERY_ACTION": 0,
}  # fmt: skip


@pytest.fixture
def check(tmp_path):
    """Ask promtool whether at a minute exactly these alerts of a name fire, in both encodings: pairs of labels and a value."""
    return lambda name, series, minute, expected, source=OURS, **given: hold(tmp_path, name, series, {minute: expected}, source, **given)


@pytest.mark.parametrize("source", [*SOURCES.values(), asked_in_base_units(OURS)], ids=[*SOURCES, "4.9"])
@pytest.mark.parametrize("slowdown", [None, 85])
def test_promtool_accepts_every_rule(tmp_path, source, slowdown):
    rules = AlertRules(
        source=source, operator=True, enable=OFF, thresholds=AlertThresholds(slowdown_temperature=slowdown), daemon_sets=r'a\.b|"c"'
    )
    (tmp_path / "rules.yaml").write_text(yaml.safe_dump({"groups": rules.groups}))

    done = promtool("check", "rules", "--lint-fatal", "rules.yaml", folder=tmp_path)
    assert (done.returncode, f"{len(rules.alerts)} rules found" in done.stdout) == (0, True), done.stdout + done.stderr


def test_each_alert_has_a_case_in_which_it_fires_one_in_which_it_is_silent_and_one_that_comes_and_goes():
    assert [*FIRES] == [*SILENT] == [*OSCILLATES] == [alert.name for alert in AlertRules().all_alerts]


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
    after = {"GpuNodeLostGpus": 40, "GpuAllocatedIdle": 330, "GpuPcieReplays": 10, "GpuUncorrectableEcc": 175}

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

    check("GpuAtSlowdownTemperature", both, 6, [(card(OURS), 1)])


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


@pytest.mark.parametrize(
    "offered",
    [
        [node("allocatable", "2x20"), Other("kube_node_info", "1x20", ON_NODE)],
        [daemon_set("desired_number_scheduled", "2x20"), Other("kube_node_info", "1x20", ON_NODE)],
        # Nothing says whether the cluster has GPUs.
        [Other("unrelated", "1x20")],
    ],
    ids=["a node with GPUs", "an agent", "no kube-state-metrics"],
)
def test_a_cluster_with_gpus_and_without_any_target_is_as_bad_as_a_target_that_is_down(check, offered):
    check("GpuMetricsTargetDown", offered, 11, [({"job": "dcgm-exporter"}, 1)])


def test_a_pool_of_gpu_nodes_that_is_scaled_to_zero_gives_no_alert(tmp_path):
    names = [alert.name for alert in AlertRules().all_alerts if alert.name != "GpuOperatorNotReconciled"]
    healthy = [
        up("1x60 stale"),
        *(gpu(metric, f"{value}x60 stale", pod="ollama") for metric, value in HEALTHY.items()),
        node("capacity", "2x60 stale"),
        node("allocatable", "2x60 stale"),
        Other("kube_node_info", "1x60 stale", ON_NODE),
        Other("kube_node_info", "1x500", {"node": "controlplane-1"}),
        daemon_set("desired_number_scheduled", "1x60 0x440"),
        daemon_set("number_ready", "1x60 0x440"),
    ]

    are_silent(tmp_path, names, healthy, [50, 62, 75, 100, 300, 450])


def test_a_target_that_failed_while_its_node_left_is_not_down(check):
    left = Other("up", "0x8 stale", {"instance": "10.0.0.2:9400"})

    check("GpuMetricsTargetDown", [left, up("1x40")], 15, [])
    check("GpuMetricsTargetDown", [left, up("1x40")], 22, [])


def test_another_exporter_that_is_down_is_not_ours(check):
    check("GpuMetricsTargetDown", [Other("up", "0x20", {"job": "node-exporter", "instance": "b"}), up("1x20")], 15, [])


def test_pages_that_wait_to_be_retired_are_what_rows_are_on_newer_cards(check):
    retired = gpu("RETIRED_PENDING", "1x20")

    check("GpuMemoryRepairPending", [retired], 16, [(card(OURS), 1)])
    check("GpuMemoryRepairPending", [retired, gpu("ROW_REMAP_PENDING", "1x20")], 16, [(card(OURS), 1)])


def test_a_temperature_that_is_given_takes_the_place_of_the_cards_own(check):
    fixed = {"thresholds": AlertThresholds(slowdown_temperature=85)}

    check("GpuAtSlowdownTemperature", [gpu("GPU_TEMP", "85x10")], 6, [(card(OURS), 1)], **fixed)
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


def test_a_node_that_has_left_one_cluster_has_not_lost_its_gpus_because_another_has_a_node_of_that_name(check):
    gone = in_cluster("east", [node("allocatable", "2x30 stale"), Other("kube_node_info", "1x30 stale", ON_NODE)])
    there = in_cluster("west", [node("allocatable", "2x90"), Other("kube_node_info", "1x90", ON_NODE)])

    check("GpuNodeLostGpus", gone + there, 60, [])


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


@pytest.mark.parametrize("name", OSCILLATES)
def test_what_comes_and_goes_is_neither_missed_nor_told_again_and_again(tmp_path, name):
    series, by_minute = OSCILLATES[name]
    _, _, labels, _ = FIRES[name]

    expected = {minute: [] if value is None else [(labels(OURS), value)] for minute, value in by_minute.items()}
    hold(tmp_path, name, series, expected)


@pytest.mark.parametrize("name", FIRES)
def test_of_two_clusters_with_equal_nodes_the_one_with_the_fault_is_named(tmp_path, name):
    series, minute, labels, value = FIRES[name]
    healthy, _ = SILENT[name]

    hold(tmp_path, name, in_cluster("east", series) + in_cluster("west", healthy), {minute: [({**labels(OURS), "cluster": "east"}, value)]})


@pytest.mark.parametrize("name", FIRES)
def test_two_clusters_with_the_same_fault_on_equal_nodes_give_two_alerts(tmp_path, name):
    series, minute, labels, value = FIRES[name]

    expected = [({**labels(OURS), "cluster": cluster}, value) for cluster in ("east", "west")]
    hold(tmp_path, name, in_cluster("east", series) + in_cluster("west", series), {minute: expected})


def test_of_two_clusters_with_gpus_the_one_without_any_target_is_named(check):
    with_target = in_cluster("west", [node("allocatable", "2x20"), up("1x20")])
    without = in_cluster("east", [node("allocatable", "2x20")])
    without_gpus = in_cluster(
        "north", [Other("kube_node_info", "1x20", {"node": "worker-1"}), daemon_set("desired_number_scheduled", "0x20")]
    )

    check("GpuMetricsTargetDown", with_target + without + without_gpus, 11, [({"job": "dcgm-exporter", "cluster": "east"}, 1)])


@pytest.mark.parametrize(("name", "bits"), [("GpuHwThermalSlowdown", "76"), ("GpuHwPowerBrake", "132"), ("GpuSwThermalSlowdown", "36")])
def test_a_slowdown_of_a_minute_in_ten_is_no_alert_unless_the_threshold_says_so(check, name, bits):
    series = [gpu("CLOCKS_EVENT_REASONS", " ".join([bits, *["4"] * 9] * 9))]

    check(name, series, 60, [])
    # The window holds the minute that has begun at 50, and the beginning of the one at 60.
    check(name, series, 60, [(card(OURS), 5 / 61)], thresholds=AlertThresholds(slowdown_share=1))


@pytest.mark.parametrize(("action", "fires"), [(0, False), (1, True), (2, True), (3, True), (4, False), (5, True), (7, True)])
def test_every_recovery_action_but_drain_and_reset_needs_somebody_now(check, action, fires):
    series = [gpu("GET_GPU_RECOVERY_ACTION", f"{action}x30")]

    check("GpuRecoveryActionRequired", series, 20, [(card(OURS), action)] if fires else [])
    check("GpuMemoryRepairPending", series, 20, [(card(OURS), action)] if action == 4 else [])


def test_a_contained_error_on_one_gpu_says_nothing_of_an_uncorrectable_error_on_another(check):
    check("GpuXidUncorrectable", [xid(48), xid(94, gpu=1)], 5, [(card(OURS, xid="48"), 1)])


def test_a_contained_error_wakes_nobody(tmp_path):
    """The series of a GPU that has contained a memory error: XIDs, counts and flags as NVIDIA's pages have them."""
    critical = [alert.name for alert in AlertRules().all_alerts if alert.severity == "critical"]
    contained = [
        xid(48, "_x10 1x5 stale"),
        xid(94, "_x10 1x5 stale"),
        xid(63, "_x10 1x5 stale"),
        gpu("ECC_DBE_VOL_TOTAL", "0x10 1x110"),
        gpu("ROW_REMAP_PENDING", "0x10 1x110"),
        gpu("ROW_REMAP_FAILURE", "0x120"),
        gpu("GET_GPU_RECOVERY_ACTION", "0x10 4x110"),
        node("capacity", "2x120"),
        node("allocatable", "2x10 1x110"),
        Other("kube_node_info", "1x120", ON_NODE),
    ]

    assert len(critical) == 6
    are_silent(tmp_path, critical, contained, [5, 12, 17, 30, 60, 100])


def test_errors_that_come_back_after_a_reboot_are_news(check):
    # The driver counts from 0 again, and has fewer errors than before.
    check("GpuUncorrectableEcc", [gpu("ECC_DBE_VOL_TOTAL", "5x200 stale _x5 0x5 1x60")], 215, [(card(OURS), 1)])


def test_a_gpu_that_is_first_seen_with_errors_is_news_for_an_hour(tmp_path):
    expected = {0: [(card(OURS), 1)], 50: [(card(OURS), 1)], 70: [], 300: []}

    hold(tmp_path, "GpuUncorrectableEcc", [gpu("ECC_DBE_VOL_TOTAL", "1x400")], expected)


def test_an_exporter_that_was_away_for_a_moment_makes_old_errors_no_news(tmp_path):
    series = [gpu("ECC_DBE_VOL_TOTAL", "3x200 stale _x5 3x200")]

    are_silent(tmp_path, ["GpuUncorrectableEcc"], series, [205, 210, 262, 268, 300])


def test_a_pod_without_use_on_a_gpu_that_others_use_is_not_idle(check):
    # The exporter splits the use by process: a series of the GPU, and one for each pod, with 0 where it finds no process of the pod.
    split = [gpu("GPU_UTIL", "60x500"), gpu("GPU_UTIL", "0x500", pod="ollama"), gpu("GPU_UTIL", "0x500", pod="comfyui")]

    check("GpuAllocatedIdle", split, 400, [])


def test_each_pod_of_a_shared_gpu_that_nobody_uses_is_idle(check):
    split = [gpu("GPU_UTIL", "0x500"), gpu("GPU_UTIL", "0x500", pod="ollama"), gpu("GPU_UTIL", "0x500", pod="comfyui")]

    pods = [card(OURS, exported_namespace="ai", exported_pod=pod) for pod in ("comfyui", "ollama")]
    check("GpuAllocatedIdle", split, 400, [(labels, 0) for labels in pods])
