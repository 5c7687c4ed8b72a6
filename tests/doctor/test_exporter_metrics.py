"""The state of a card from the metrics of dcgm-exporter, pasted or in a file."""

import json

import pytest

from constructs_lib.doctor.card_state import card_remarks
from constructs_lib.doctor.cards.card_fields import cards_of
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.fault import Broken, Healthy
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.links.driver_link import driver

UUID = "GPU-5d2a7a3c-7c1e-4d1b-9d0f-0a4f5b1f7e21"
HEALTHY = {
    "SM_CLOCK": 1410,
    "GPU_TEMP": 62,
    "CLOCKS_EVENT_REASONS": 4,
    "XID_ERRORS": 0,
    "FB_USED": 30000,
    "FB_FREE": 9500,
    "FB_RESERVED": 700,
    "ECC_DBE_VOL_TOTAL": 0,
    "ROW_REMAP_FAILURE": 0,
    "ROW_REMAP_PENDING": 0,
    "RETIRED_PENDING": 0,
    "GET_GPU_RECOVERY_ACTION": 0,
}


def metric(name, value, gpu=0, host='Hostname="gpu-1"', instance=""):
    name = name if name.startswith("DCGM") else f"DCGM_FI_DEV_{name}"
    labels = (
        f'gpu="{gpu}",UUID="{UUID}",pci_bus_id="00000000:07:00.0",device="nvidia{gpu}",modelName="NVIDIA A100-SXM4-40GB"{instance},{host}'
    )
    return (
        f"# HELP {name} Help of the exporter\n# TYPE {name} gauge\n"
        f'{name}{{{labels},DCGM_FI_DRIVER_VERSION="580.105.08",container="main",namespace="ai",pod="ollama-0"}} {value}\n'
    )


def metrics(host='Hostname="gpu-1"', **changes):
    return "".join(metric(name, value, host=host) for name, value in {**HEALTHY, **changes}.items())


def judged(text, paths=()):
    cluster = GpuCluster(read_dump(list(paths), stream=text))
    [node] = cluster.nodes
    state = driver(cluster, node)
    stops = [(each.name, each.cause) for each in state.faults] if isinstance(state, Broken) else []
    return stops, [(each.name, each.cause) for each in card_remarks(cluster, node)]


def test_a_healthy_card_at_its_power_cap_has_no_fault_and_no_remark_and_its_driver_runs():
    dump = read_dump([], stream=metrics() + 'go_gc_duration_seconds{quantile="0"} 1.6e-05\ngo_goroutines 41\n')
    cluster = GpuCluster(dump)
    [node] = cluster.nodes

    assert (node.name, judged(metrics()), dump.unread, dump.logs) == ("gpu-1", ([], []), [], [])
    assert isinstance(driver(cluster, node), Healthy)


@pytest.mark.parametrize(
    ("changes", "name", "cause"),
    [
        ({"ECC_DBE_VOL_TOTAL": 3}, "uncorrectable-memory-errors", "The card has had 3 memory errors that ECC can't correct since the driver was loaded"),
        ({"ECC_DBE_AGG_TOTAL": 5}, "past-memory-errors", "The card has had 5 memory errors that ECC can't correct in its life"),
        ({"ROW_REMAP_PENDING": 1}, "memory-repair-pending", "A part of the card's memory failed, and waits for a reset to be repaired"),
        ({"RETIRED_PENDING": 2}, "memory-repair-pending", "A part of the card's memory failed, and waits for a reset to be repaired"),
        ({"GET_GPU_RECOVERY_ACTION": 4}, "memory-repair-pending", "A part of the card's memory failed, and waits for a reset to be repaired"),
        ({"GET_GPU_RECOVERY_ACTION": 6}, "unknown-recovery", "The driver asks for a recovery action of the card that has the number 6, and no name here"),
        ({"CLOCKS_EVENT_REASONS": 64 + 8 + 4}, "hardware-thermal-slowdown", "The card is too hot, and its hardware has halved its clocks or worse"),
        ({"CLOCK_THROTTLE_REASONS": 128 + 8}, "power-brake", "The power supply or the board has told the card to slow down: it can't deliver what the card asks for"),
        ({"CLOCKS_EVENT_REASONS": 32}, "software-thermal-slowdown", "The card or its memory is above its operating temperature, and the driver has lowered its clocks"),
        ({"XID_ERRORS": 79}, "last-xid", "The last error that the driver has reported of the card is Xid 79"),
        ({"XID_ERRORS": 48}, "last-xid", "The last error that the driver has reported of the card is Xid 48"),
        ({"FB_USED": 39400, "FB_FREE": 100}, "memory-full", "99% of the card's memory is in use: ai/ollama-0"),
        ({"FB_USED": "3.94e+04", "FB_FREE": 100}, "memory-full", "99% of the card's memory is in use: ai/ollama-0"),
    ],
)  # fmt: skip
def test_a_metric_of_a_card_that_works_is_a_remark_and_no_broken_link(changes, name, cause):
    assert judged(metrics(**changes)) == ([], [(name, cause)])


RECENT = "within the window of dcgm-exporter"


@pytest.mark.parametrize(
    ("name", "labels", "value", "expected"),
    [
        ("XID_ERRORS_COUNT", 'window_size_in_ms="300000",xid="79"', 1, ("recent-xid", f"The driver has reported Xid 79 of the card {RECENT}, which is five minutes by default")),
        ("XID_ERRORS_COUNT", 'window_size_in_ms="300000",xid="94"', 2, ("recent-contained-xid", f"The driver has reported Xid 94 of the card {RECENT}: memory failed, and the error was contained")),
        ("GPU_HEALTH_STATUS", 'health_watch="NVLINK",health_error_code="DCGM_FR_NVLINK_ERROR_CRITICAL"', 20, ("dcgm-health-failed", "DCGM's health watch of NVLINK fails: DCGM_FR_NVLINK_ERROR_CRITICAL")),
        ("GPU_HEALTH_STATUS", 'health_watch="THERMAL",health_error_code="DCGM_FR_CLOCKS_EVENT_THERMAL"', 10, ("dcgm-health-warning", "DCGM's health watch of THERMAL warns: DCGM_FR_CLOCKS_EVENT_THERMAL")),
        ("XID_ERRORS_COUNT", 'window_size_in_ms="300000",xid="79"', 0, None),
        ("XID_ERRORS_COUNT", 'window_size_in_ms="300000",xid="31"', 5, None),
        ("XID_ERRORS_COUNT", 'window_size_in_ms="300000"', 0, None),
        ("GPU_HEALTH_STATUS", 'health_watch="PCIE",health_error_code="DCGM_FR_OK"', 0, None),
    ],
)  # fmt: skip
def test_errors_of_the_last_minutes_and_dcgms_own_verdict_are_told(name, labels, value, expected):
    text = metric(f"DCGM_EXP_{name}", value, host=f'Hostname="gpu-1",{labels}')

    assert judged(text) == ([], [expected] if expected else [])


@pytest.mark.parametrize(
    ("changes", "name", "cause"),
    [
        ({"ROW_REMAP_FAILURE": 1}, "memory-beyond-repair", "The memory of a card can't be repaired any more: the remapping of a row has failed"),
        ({"GET_GPU_RECOVERY_ACTION": 1}, "card-needs-recovery", 'The driver asks for the recovery action "Reset" of a card'),
    ],
)  # fmt: skip
def test_a_metric_of_a_card_that_needs_somebody_breaks_the_driver_link(changes, name, cause):
    assert judged(metrics(**changes)) == ([(name, cause)], [])


@pytest.mark.parametrize(
    "changes",
    [
        {"XID_ERRORS": 31},
        {"ECC_DBE_VOL_TOTAL": 0x7FFFFFF0},
        {"ECC_DBE_VOL_TOTAL": 0x7FFFFFFFFFFFFFF2},
        {"ROW_REMAP_PENDING": "140737488355328.000000"},
        {"ECC_DBE_VOL_TOTAL": "1e"},
        {"ECC_DBE_VOL_TOTAL": "NaN"},
        {"ECC_DBE_VOL_TOTAL": "1e999"},
    ],
)
def test_an_error_of_a_program_and_a_value_that_dcgm_does_not_know_are_no_signs(changes):
    assert judged(metrics(**changes)) == ([], [])


def test_the_names_and_units_of_dcgm_4_7_are_read():
    gib = 1024**3
    new = {"ROW_REMAP_FAILED": 0, "XID_ERROR": 79, "FB_USED_BYTES": 79 * gib, "FB_FREE_BYTES": gib, "PAGE_RETIRED_PENDING": 0}
    text = "".join(metric(name, value, host='hostname="gpu-1"') for name, value in new.items())

    [node] = GpuCluster(read_dump([], stream=text)).nodes

    assert node.name == "gpu-1"
    assert cards_of(node)["GPU 0"]["fb memory usage used"].value == "80896 MiB"
    assert [name for name, _ in judged(text)[1]] == ["last-xid", "memory-full"]
    assert [name for name, _ in judged(metric("ROW_REMAP_FAILED", 1))[0]] == ["memory-beyond-repair"]


def test_a_mig_instance_has_memory_of_its_own_and_the_evidence_names_it():
    mig = ',GPU_I_PROFILE="1g.5gb",GPU_I_ID="{}"'.format
    text = "".join(
        metric(name, value, instance=mig(number))
        for number, used in ((7, 4800), (8, 10))
        for name, value in (("FB_USED", used), ("FB_FREE", 4810 - used))
    )
    cluster = GpuCluster(read_dump([], stream=text))
    [remark, other] = card_remarks(cluster, cluster.nodes[0])

    assert (remark.cause, other.name) == ("99% of the card's memory is in use: ai/ollama-0", "gpu-not-opened")
    assert [(each.text, each.source) for each in remark.evidence] == [
        ('DCGM_FI_DEV_FB_USED{gpu="0",GPU_I_ID="7"} 4800', "standard input:3, GPU 0 MIG 7")
    ]


def test_the_cards_of_two_nodes_are_kept_apart_by_the_exporters_label():
    cluster = GpuCluster(read_dump([], stream=metrics(XID_ERRORS=79) + metrics(host='Hostname="gpu-2"')))

    assert {each.name: [remark.name for remark in card_remarks(cluster, each)] for each in cluster.nodes} == {
        "gpu-1": ["last-xid"],
        "gpu-2": [],
    }


@pytest.mark.parametrize("host", ["nvidia-dcgm-exporter-x7k2p", "localhost", "127.0.0.1", "nvidia-dcgm"])
def test_the_name_of_a_pod_or_of_a_host_engine_is_no_node(host):
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1"}, "status": {"allocatable": {"nvidia.com/gpu": "1"}}}
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [node]}) + "\n" + metrics(host=f'Hostname="{host}"', XID_ERRORS=79)
    cluster = GpuCluster(read_dump([], stream=text))

    assert [each.name for each in cluster.nodes] == ["gpu-1"]
    assert [each.name for each in card_remarks(cluster, cluster.nodes[0])] == ["last-xid"]


def test_a_file_of_the_live_folder_belongs_to_the_node_of_its_path(tmp_path):
    file = tmp_path / "kubernetes" / "metrics" / "talos" / "dcgm-exporter-abcde.prom"
    file.parent.mkdir(parents=True)
    file.write_text(metrics(host='Hostname="dcgm-exporter-abcde"'))
    cluster = GpuCluster(read_dump([tmp_path]))

    assert [(each.name, list(cards_of(each))) for each in cluster.nodes] == [("talos", ["GPU 0"])]


def test_metrics_between_other_outputs_are_read_to_their_end():
    after = "\n\n$ kubectl get pods\nNAME    READY   STATUS    RESTARTS   AGE\na       1/1     Running   0          1d\n"
    dump = read_dump([], stream=f"```\n{metrics(XID_ERRORS=79)}```{after}")
    cluster = GpuCluster(dump)

    assert [each.name for each in card_remarks(cluster, cluster.nodes[0])] == ["last-xid"]
    assert [each.reason for each in dump.unread] == ["a table of kubectl, which lacks most fields; print it with: --output yaml"]
    assert dump.logs == []
