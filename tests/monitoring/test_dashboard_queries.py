"""What the dashboard's expressions give, read by Prometheus itself: each card is counted once, whoever shares it and however it is cut."""

import json
import re

import pytest

from conftest import message
from constructs_lib.monitoring import AlertRules, MetricsSource, gpu_dashboard
from promql import gives

A0 = 'job="dcgm-exporter", node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090"'
B0 = 'job="dcgm-exporter", node="b", gpu="0", UUID="GPU-b0", modelName="H100"'
B1 = 'job="dcgm-exporter", node="b", gpu="1", UUID="GPU-b1", modelName="H100"'
FIRST = 'GPU_I_ID="1", GPU_I_PROFILE="1g.10gb"'
SECOND = 'GPU_I_ID="2", GPU_I_PROFILE="2g.20gb"'


def expressions(title: str, **given) -> list[str]:
    """The expressions of a panel."""
    panels = [inner for panel in gpu_dashboard(**given)["panels"] for inner in (panel, *panel.get("panels", []))]
    (found,) = (panel for panel in panels if panel["title"] == title and panel["type"] != "row")
    return [target["expr"] for target in found["targets"]]


def by_pod(pod: str, namespace: str = "ai") -> str:
    return f'exported_namespace="{namespace}", exported_pod="{pod}"'


def each(metric: str, **values: float) -> dict[str, float]:
    """A metric as an exporter gives it for a card that two pods share, for a card in two MIG instances, and for an idle one."""
    shared, cut, idle = values["shared"], values["cut"], values["idle"]
    return {
        f'DCGM_FI_DEV_{metric}{{{A0}, {by_pod("ollama")}, vgpu="0"}}': shared,
        f'DCGM_FI_DEV_{metric}{{{A0}, {by_pod("comfyui")}, vgpu="1"}}': shared,
        f"DCGM_FI_DEV_{metric}{{{B0}, {FIRST}, {by_pod('vllm-0')}}}": cut,
        f"DCGM_FI_DEV_{metric}{{{B0}, {SECOND}}}": cut,
        f"DCGM_FI_DEV_{metric}{{{B1}}}": idle,
    }


# Memory is the instance's own.
FB_USED = {
    f'DCGM_FI_DEV_FB_USED{{{A0}, {by_pod("ollama")}, vgpu="0"}}': 6000,
    f'DCGM_FI_DEV_FB_USED{{{A0}, {by_pod("comfyui")}, vgpu="1"}}': 6000,
    f"DCGM_FI_DEV_FB_USED{{{B0}, {FIRST}, {by_pod('vllm-0')}}}": 4000,
    f"DCGM_FI_DEV_FB_USED{{{B0}, {SECOND}}}": 1000,
    f"DCGM_FI_DEV_FB_USED{{{B1}}}": 500,
}
CARD = {"GPU_TEMP": 70, "POWER_USAGE": 300}
FB_FREE = {name.replace("USED", "FREE"): 10_000 for name in FB_USED}
GPU_UTIL = {name: value for name, value in each("GPU_UTIL", shared=60, cut=0, idle=20).items() if "GPU_I_ID" not in name}


def test_a_card_is_counted_once(tmp_path):
    gives(tmp_path, each("GPU_TEMP", shared=70, cut=50, idle=30), *expressions("GPUs"), {"{}": 3})


def test_the_power_of_a_card_is_added_once(tmp_path):
    series = each("POWER_USAGE", shared=300, cut=200, idle=50) | each("ENFORCED_POWER_LIMIT", shared=400, cut=700, idle=700)
    draw, limit = expressions("Power")

    gives(tmp_path, series, draw, {"{}": 550})
    gives(tmp_path, series, limit, {"{}": 1800})


def test_the_memory_of_each_instance_is_added_and_that_of_a_shared_card_once(tmp_path):
    used, every = expressions("Memory")

    gives(tmp_path, FB_USED | FB_FREE, used, {"{}": 6000 + 4000 + 1000 + 500})
    gives(tmp_path, FB_USED | FB_FREE, every, {"{}": 11_500 + 4 * 10_000})


def test_the_mean_utilisation_is_that_of_cards(tmp_path):
    gives(tmp_path, GPU_UTIL, *expressions("Mean utilisation"), {"{}": 40})


def test_a_card_whose_load_the_exporter_splits_has_the_load_of_all_its_pods(tmp_path):
    split = {
        f"DCGM_FI_DEV_GPU_UTIL{{{A0}}}": 60,
        f"DCGM_FI_DEV_GPU_UTIL{{{A0}, {by_pod('ollama')}}}": 45,
        f"DCGM_FI_DEV_GPU_UTIL{{{A0}, {by_pod('comfyui')}}}": 15,
    }

    gives(tmp_path, split, *expressions("Mean utilisation"), {"{}": 60})
    gives(tmp_path, split, *expressions("GPU utilisation"), {'{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090"}': 60})
    pods = {
        f'{{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090", {by_pod("ollama")}}}': 45,
        f'{{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090", {by_pod("comfyui")}}}': 15,
    }
    gives(tmp_path, split, expressions("Pods with a GPU")[0], pods)


def test_who_uses_what_has_a_row_for_each_pod_and_each_instance_that_it_has_and_none_for_idle_cards(tmp_path):
    memory = expressions("Pods with a GPU")[1]
    series = {**FB_USED, f'DCGM_FI_DEV_FB_USED{{{B0}, GPU_I_ID="3", GPU_I_PROFILE="1g.10gb", {by_pod("vllm-0")}}}': 70}
    rows = {
        f'{{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090", {by_pod("ollama")}}}': 6000,
        f'{{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090", {by_pod("comfyui")}}}': 6000,
        f'{{node="b", gpu="0", UUID="GPU-b0", modelName="H100", {FIRST}, {by_pod("vllm-0")}}}': 4000,
        f'{{node="b", gpu="0", UUID="GPU-b0", modelName="H100", GPU_I_ID="3", GPU_I_PROFILE="1g.10gb", {by_pod("vllm-0")}}}': 70,
    }

    gives(tmp_path, series, memory, rows)


def test_the_reader_chooses_a_node_a_card_and_a_namespace(tmp_path):
    series = each("POWER_USAGE", shared=300, cut=200, idle=50)
    draw = expressions("Power")[0]
    power = expressions("Pods with a GPU")[2]

    gives(tmp_path, series, draw, {"{}": 250}, node="b")
    gives(tmp_path, series, draw, {"{}": 350}, gpu="(GPU-a0|GPU-b1)")
    gives(tmp_path, series, power, {}, namespace="media")


def test_a_cluster_is_chosen_where_the_series_say_theirs(tmp_path):
    series = {f'DCGM_FI_DEV_GPU_TEMP{{{A0}, cluster="east"}}': 40, f'DCGM_FI_DEV_GPU_TEMP{{{B0}, cluster="west"}}': 40}

    gives(tmp_path, series, *expressions("GPUs"), {"{}": 2})
    gives(tmp_path, series, *expressions("GPUs"), {"{}": 1}, cluster="west")


def test_two_clusters_with_equal_nodes_and_namespaces_have_rows_of_their_own(tmp_path):
    east, west = 'cluster="east"', 'cluster="west"'
    cards = {f"DCGM_FI_DEV_{metric}{{{A0}, {cluster}}}": value for metric, value in CARD.items() for cluster in (east, west)}
    xids = {f'DCGM_EXP_XID_ERRORS_COUNT{{{A0}, {cluster}, xid="79"}}': 1 for cluster in (east, west)}
    pods = {name.replace("{", f"{{{cluster}, ", 1): value for cluster in (east, west) for name, value in BOTH.items()}
    card = 'node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090"'

    for title, value in {"GPUs": 2, "Power": 600, "GPUs with XID errors": 2}.items():
        gives(tmp_path, cards | xids, expressions(title)[0], {"{}": value})
    for title, value in {"Power draw": 300, "GPU temperature": 70}.items():
        gives(tmp_path, cards, expressions(title)[0], {f"{{{cluster}, {card}}}": value for cluster in (east, west)})
    gives(tmp_path, pods, *expressions("Requested by namespace"), {f'{{{cluster}, namespace="ai"}}': 3 for cluster in (east, west)})
    rows = {f'{{{cluster}, namespace="ai", pod="waiting", resource="nvidia_com_gpu"}}': 1 for cluster in (east, west)}
    gives(tmp_path, pods, *expressions("Pods without a node"), rows)


def test_every_aggregation_and_match_of_the_dashboard_and_of_the_alerts_has_the_cluster():
    alerts = [alert.expr for alert in AlertRules().all_alerts]
    asked = re.findall(
        r"\b(?:by|on|without|ignoring|group_left|group_right) \(([^)]*)\)", json.dumps([gpu_dashboard(profiling=True), alerts])
    )

    # The last part of GpuMetricsTargetDown asks whether Prometheus knows anything at all.
    assert asked.count("") == 1
    assert len(asked) > 100
    assert [labels for labels in asked if labels and "cluster" not in labels.split(", ")] == []


def test_another_exporter_s_series_are_no_cards_of_this_one(tmp_path):
    series = each("GPU_TEMP", shared=70, cut=50, idle=30) | {
        f'DCGM_FI_DEV_GPU_TEMP{{{A0.replace("dcgm-exporter", "other")}, extra="x"}}': 1
    }

    gives(tmp_path, series, *expressions("GPUs"), {"{}": 3})


def test_energy_goes_on_when_a_pod_leaves_its_card_to_the_next(tmp_path):
    # 1000 W are 6e7 mJ a minute: half an hour of one pod, half an hour of two, and each knows what the card had before it.
    mine, theirs = f"{A0}, {by_pod('ollama')}", f"{A0}, {by_pod('comfyui')}"
    series = {
        f"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{{{mine}}}": "0+60000000x30 _x30",
        f'DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{{{theirs}, vgpu="0"}}': "_x30 1860000000+60000000x29",
        f'DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{{{theirs}, vgpu="1"}}': "_x30 1860000000+60000000x29",
    }

    gives(tmp_path, series, *expressions("Energy"), {"{}": 1}, at="60m")
    (of_cards,) = expressions("Energy in the time shown")
    gives(tmp_path, series, of_cards, {'{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090"}': 1}, at="60m")


def test_pcie_retries_are_those_of_the_card_through_all_its_pods(tmp_path):
    series = {
        f"DCGM_FI_DEV_PCIE_REPLAY_COUNTER{{{A0}, {by_pod('ollama')}}}": "100+3x24 _x30",
        f"DCGM_FI_DEV_PCIE_REPLAY_COUNTER{{{A0}, {by_pod('comfyui')}}}": "_x25 175+3x30",
    }

    (retries,) = expressions("PCIe retries a minute")
    gives(tmp_path, series, retries, {'{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090"}': 3}, at="30m")


def test_the_hottest_card_and_the_one_nearest_to_slowing_down_may_differ(tmp_path):
    series = each("GPU_TEMP", shared=80, cut=75, idle=30) | each("SLOWDOWN_TEMP", shared=90, cut=79, idle=0)

    gives(tmp_path, series, *expressions("Hottest GPU"), {'{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090"}': 80})
    gives(tmp_path, series, *expressions("Nearest to slowing down"), {'{node="b", gpu="0", UUID="GPU-b0", modelName="H100"}': 4})


def test_the_draw_is_held_against_each_card_s_own_limit(tmp_path):
    series = each("POWER_USAGE", shared=300, cut=350, idle=50) | each("ENFORCED_POWER_LIMIT", shared=400, cut=700, idle=0)

    gives(
        tmp_path,
        series,
        *expressions("Draw as a part of the limit"),
        {
            '{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090"}': 0.75,
            '{node="b", gpu="0", UUID="GPU-b0", modelName="H100"}': 0.5,
        },
    )


@pytest.mark.parametrize(
    ("mask", "slowed", "worst"),
    [
        (0, 0, 0),
        (1, 0, 1),
        (2, 0, 2),
        (4, 0, 4),
        (4 + 1, 0, 4),
        (8, 0, 8),
        (16, 0, 16),
        (32, 1, 32),
        (64 + 8, 1, 64),
        (128 + 64 + 32 + 4, 1, 128),
        (256, 0, 0),
        (256 + 4, 0, 4),
    ],
)
def test_the_reasons_that_hold_clocks_down_are_read_bit_by_bit(tmp_path, mask, slowed, worst):
    series = {f'DCGM_FI_DEV_CLOCKS_EVENT_REASONS{{{A0}, vgpu="{number}"}}': mask for number in range(2)}

    gives(tmp_path, series, *expressions("Slowed now"), {"{}": slowed})
    gives(tmp_path, series, *expressions("What holds the clocks down"), {'{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090"}': worst})


def test_every_reason_has_words():
    (panel,) = (panel for panel in gpu_dashboard()["panels"] if panel["title"] == "What holds the clocks down")
    (mapping,) = panel["fieldConfig"]["defaults"]["mappings"]

    assert list(mapping["options"]) == ["0", "1", "2", "4", "8", "16", "32", "64", "128"]


def test_a_card_with_xid_errors_within_a_day_is_counted_once_whatever_index_it_has_had(tmp_path):
    again = A0.replace('gpu="0"', 'gpu="1"')
    series = {
        f'DCGM_EXP_XID_ERRORS_COUNT{{{A0}, xid="79", window_size_in_ms="300000"}}': "2x5 _x50",
        f'DCGM_EXP_XID_ERRORS_COUNT{{{A0}, xid="13", window_size_in_ms="300000"}}': "1x5 _x50",
        f'DCGM_EXP_XID_ERRORS_COUNT{{{again}, xid="13", window_size_in_ms="300000"}}': "_x20 1x5 _x30",
        f'DCGM_EXP_XID_ERRORS_COUNT{{{B1}, window_size_in_ms="300000"}}': 0,
    }
    (stat,), (table,) = expressions("GPUs with XID errors"), expressions("XID errors in the time shown")

    gives(tmp_path, series, stat, {"{}": 1}, at="50m")
    rows = {
        '{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090", xid="79"}': 2,
        '{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090", xid="13"}': 1,
        '{node="a", gpu="1", UUID="GPU-a0", modelName="RTX 4090", xid="13"}': 1,
    }
    gives(tmp_path, series, table, rows, at="50m")


def test_no_exporter_is_no_data_and_not_a_reassuring_zero(tmp_path):
    nothing = {"up": 0}
    for title in ("GPUs", "GPUs with XID errors", "Slowed now", "Waiting pods"):
        gives(tmp_path, nothing, *expressions(title), {})


def pod(name: str, phase: str, gpus: int, node: str | None = None, copy: str = "1", namespace: str = "ai") -> dict[str, int]:
    """What one copy of kube-state-metrics says of a pod."""
    where = f'namespace="{namespace}", pod="{name}", instance="{copy}"'
    asked = f'{where}, container="main", resource="nvidia_com_gpu", unit="integer"' + (f', node="{node}"' if node else "")
    phases = ("Pending", "Running", "Succeeded", "Failed", "Unknown")
    return {f"kube_pod_container_resource_requests{{{asked}}}": gpus} | {
        f'kube_pod_status_phase{{{where}, phase="{each}"}}': int(each == phase) for each in phases
    }


def kube_state(copy: str = "1") -> dict[str, int]:
    allocatable = {
        f'kube_node_status_allocatable{{node="{node}", resource="{resource}", instance="{copy}"}}': count
        for node, resource, count in [
            ("a", "nvidia_com_gpu", 5),
            ("b", "nvidia_com_mig_1g_10gb", 7),
            ("b", "cpu", 64),
            ("b", "nvidia_com_gpumem", 999),
        ]
    }
    return {
        **allocatable,
        **pod("ollama", "Running", 1, "a", copy),
        **pod("starting", "Pending", 2, "a", copy),
        **pod("done", "Succeeded", 4, "a", copy),
        **pod("failed", "Failed", 4, "b", copy, namespace="media"),
        **pod("waiting", "Pending", 1, None, copy),
        **pod("evicted", "Failed", 1, None, copy),
    }


BOTH = kube_state() | kube_state("2")


def test_the_scheduler_s_gpus_are_those_of_nvidia_s_plugin_counted_once(tmp_path):
    gives(tmp_path, BOTH, *expressions("Allocatable"), {"{}": 12})
    requested, allocatable = expressions("Allocatable and requested")
    gives(tmp_path, BOTH, allocatable, {'{resource="nvidia_com_gpu"}': 5, '{resource="nvidia_com_mig_1g_10gb"}': 7})
    gives(tmp_path, BOTH, requested, {'{resource="nvidia_com_gpu"}': 3})


def test_pods_that_have_ended_or_have_no_node_hold_nothing(tmp_path):
    gives(tmp_path, BOTH, *expressions("Requested"), {"{}": 3})
    gives(tmp_path, BOTH, *expressions("Requested by namespace"), {'{namespace="ai"}': 3})


def test_pods_without_a_node_wait(tmp_path):
    (stat,), (table,) = expressions("Waiting pods"), expressions("Pods without a node")

    gives(tmp_path, BOTH, stat, {"{}": 1})
    gives(tmp_path, BOTH, table, {'{namespace="ai", pod="waiting", resource="nvidia_com_gpu"}': 1})
    nobody = {name: value for name, value in BOTH.items() if 'pod="waiting"' not in name}
    gives(tmp_path, nobody, stat, {"{}": 0})


def test_the_same_dashboard_reads_the_operator_s_exporter(tmp_path):
    source = MetricsSource(job="nvidia-dcgm-exporter", node_label="Hostname", honor_labels=True)
    theirs = {
        name.replace("dcgm-exporter", "nvidia-dcgm-exporter").replace("node=", "Hostname=").replace("exported_", ""): value
        for name, value in FB_USED.items()
    }

    gives(tmp_path, theirs, expressions("Memory", source=source)[0], {"{}": 11_500}, node="(a|b)")
    rows = {
        '{Hostname="b", gpu="0", UUID="GPU-b0", modelName="H100", GPU_I_ID="1", GPU_I_PROFILE="1g.10gb", namespace="ai", pod="vllm-0"}': 4000
    }
    gives(tmp_path, theirs, expressions("Pods with a GPU", source=source)[1], rows, node="b", namespace="ai")
    assert "exported_" not in json.dumps(gpu_dashboard(source=source))
    assert '"node"' not in json.dumps(gpu_dashboard(source=source)["panels"])


def test_instances_have_a_name_in_legends_and_whole_cards_need_none(tmp_path):
    (memory,) = expressions("Memory used")
    card = 'node="{}", gpu="{}", UUID="GPU-{}", modelName="{}"'

    gives(
        tmp_path,
        FB_USED,
        memory,
        {
            f"{{{card.format('a', 0, 'a0', 'RTX 4090')}}}": 6000,
            f'{{{card.format("b", 0, "b0", "H100")}, {FIRST}, instance_name=" MIG 1"}}': 4000,
            f'{{{card.format("b", 0, "b0", "H100")}, {SECOND}, instance_name=" MIG 2"}}': 1000,
            f"{{{card.format('b', 1, 'b1', 'H100')}}}": 500,
        },
    )


def test_the_inventory_has_every_card_and_instance(tmp_path):
    (inventory,) = expressions("GPUs in detail")
    more = 'pci_bus_id="00000000:01:00.0", DCGM_FI_DRIVER_VERSION="580.159.03"'
    series = {
        f'DCGM_FI_DEV_GPU_TEMP{{{A0}, {more}, {by_pod("ollama")}, vgpu="0"}}': 70,
        f"DCGM_FI_DEV_GPU_TEMP{{{B0}, {more}, {FIRST}}}": 50,
    }
    series[f'DCGM_FI_DEV_GPU_TEMP{{{A0}, {more}, {by_pod("comfyui")}, vgpu="1"}}'] = 70

    gives(
        tmp_path,
        series,
        inventory,
        {
            f'{{node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090", {more}}}': 70,
            f'{{node="b", gpu="0", UUID="GPU-b0", modelName="H100", {FIRST}, {more}}}': 50,
        },
    )


JOB = "the name of a job, without quotes and backslashes on one line"
LABEL = "the name of a Prometheus label (letters, digits and '_', no digit first)"


@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({"job": 'a"b'}, ValueError, f"'job' must be {JOB} (got 'a\"b')"),
        ({"job": "a\\b"}, ValueError, f"'job' must be {JOB} (got 'a\\\\b')"),
        ({"job": "a\nb"}, ValueError, f"'job' must be {JOB} (got 'a\\nb')"),
        ({"job": None}, TypeError, "'job' must be a string that is not empty (got None)"),
        ({"node_label": "kubernetes.io/hostname"}, ValueError, f"'node_label' must be {LABEL} (got 'kubernetes.io/hostname')"),
        ({"node_label": "1node"}, ValueError, f"'node_label' must be {LABEL} (got '1node')"),
        ({"node_label": "knöten"}, ValueError, f"'node_label' must be {LABEL} (got 'knöten')"),
        ({"node_label": ""}, ValueError, f"'node_label' must be {LABEL} (got '')"),
        ({"node_label": 1}, TypeError, f"'node_label' must be {LABEL} (got 1)"),
        ({"honor_labels": "yes"}, TypeError, "'honor_labels' must be True or False (got 'yes'); did you mean True?"),
    ],
)
def test_a_source_that_no_query_could_name_is_refused(given, error, expected):
    assert message(lambda: MetricsSource(**given), error) == expected


def test_a_label_may_begin_as_prometheus_lets_it():
    assert MetricsSource(node_label="_node").series("up") == 'up{job="dcgm-exporter"}'
    assert MetricsSource(node_label="_node").gpus_per_node().startswith("count by (cluster, _node) ")
