"""The use of cards at the moment of reading: full, idle, or never opened."""

import json

import pytest
from doctor.smi_outputs import TABLE

from constructs_lib.doctor.card_state import MINOR_SIGNS, card_remarks
from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.gpu_cluster import GpuCluster

LABELS = 'UUID="GPU-{gpu}",pci_bus_id="00000000:07:00.0",device="nvidia{gpu}",modelName="NVIDIA A100-SXM4-40GB"'


def sample(name, value, gpu=0, pod="", more=""):
    labels = LABELS.format(gpu=gpu)
    held = f',container="main",namespace="ai",pod="{pod}"' if pod else ""
    return f'DCGM_FI_{name}{{gpu="{gpu}",{labels}{more},Hostname="gpu-1"{held}}} {value}\n'


def card(used, util=None, gpu=0, pod="", more=""):
    text = sample("DEV_FB_USED", used, gpu, pod, more)
    return text if util is None else text + sample("DEV_GPU_UTIL", util, gpu, pod, more)


def pod(name, phase="Running", **metadata):
    resources = {"limits": {"nvidia.com/gpu": "1"}}
    spec = {"nodeName": "gpu-1", "containers": [{"name": "main", "resources": resources}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ai", **metadata}, "spec": spec, "status": {"phase": phase}}  # fmt: skip


def node(gpus):
    amounts = {"nvidia.com/gpu": f"{gpus}"}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1"}, "status": {"capacity": amounts, "allocatable": amounts}}


def cluster_of(text, objects=()):
    items = json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}) + "\n" if objects else ""
    return GpuCluster(read_dump([], stream=items + text))


def told(text, *objects):
    cluster = cluster_of(text, objects)
    [only] = cluster.nodes
    return [(each.name, each.cause) for each in card_remarks(cluster, only)]


def unopened(names):
    return [("gpu-not-opened", f"No program of {names} had opened the card at the moment of reading")]


def idle(names):
    return [("gpu-idle", f"The card of {names} computed nothing at the moment of reading")]


@pytest.mark.parametrize(("used", "is_told"), [(0, True), (15, True), (50, True), (51, False), (30000, False)])
def test_a_pod_whose_card_has_no_memory_in_use_has_not_opened_it(used, is_told):
    assert told(card(used, pod="ollama-0")) == (unopened("ai/ollama-0 (GPU 0)") if is_told else [])


def test_a_card_of_no_pod_is_not_told():
    assert told(card(0, util=0)) == []


@pytest.mark.parametrize(
    ("util", "is_told"), [(0, True), ("0.000000", True), (1, False), (95, False), (None, False), (0x7FFFFFFFFFFFFFF2, False)]
)
def test_a_pod_that_holds_memory_of_a_card_that_computes_nothing_is_idle(util, is_told):
    assert told(card(30000, util, pod="vllm-0")) == (idle("ai/vllm-0 (GPU 0, 30000 MiB in use)") if is_told else [])


def test_a_card_that_runs_is_not_idle_though_one_of_its_metrics_has_not_moved_yet():
    engine = sample("PROF_GR_ENGINE_ACTIVE", "0.873511", pod="vllm-0")

    assert told(card(30000, 0, pod="vllm-0") + engine) == []
    assert told(engine + card(30000, 0, pod="vllm-0")) == []


def test_the_names_of_dcgm_4_7_tell_the_use_as_well():
    text = (
        sample("DEV_FB_USED_BYTES", 30000 * 2**20, pod="vllm-0")
        + sample("DEV_GPU_UTIL_RATIO", "0.004", pod="vllm-0")
        + sample("PROF_GR_ENGINE_UTIL_RATIO", "0.0", pod="vllm-0")
    )

    assert told(text) == idle("ai/vllm-0 (GPU 0, 30000 MiB in use)")
    assert told(text.replace("0.004", "0.4")) == []


def test_the_activity_of_a_mig_instance_is_its_own():
    instances = "".join(
        card(used, gpu=0, pod=name, more=f',GPU_I_PROFILE="3g.20gb",GPU_I_ID="{number}"')
        + sample("PROF_GR_ENGINE_ACTIVE", active, pod=name, more=f',GPU_I_PROFILE="3g.20gb",GPU_I_ID="{number}"')
        for number, name, used, active in ((1, "a", 9000, "0.5"), (2, "b", 9000, "0.0"), (3, "c", 12, "0.0"))
    )

    assert told(instances) == unopened("ai/c (GPU 0 MIG 3)") + idle("ai/b (GPU 0 MIG 2, 9000 MiB in use)")


def test_pods_that_share_a_card_are_told_apart_only_where_the_exporter_splits_the_memory():
    whole = card(9000, 80)

    assert told(card(9000, 80, pod="a") + card(9000, 80, pod="b")) == []
    assert told(card(9000, 80, pod="a") + card(0, 0, pod="b") + whole) == unopened("ai/b (GPU 0)")
    assert told(card(0, 0, pod="a") + card(0, 0, pod="b") + whole) == []
    assert told(card(8000, 80, pod="a") + card(0, 0, pod="b") + whole) == []
    assert told(card(3, 0, pod="a") + card(3, 0, pod="b")) == unopened("ai/a (GPU 0), ai/b (GPU 0)")


def test_a_pod_that_does_not_run_is_not_told():
    text = card(0, pod="a") + card(0, gpu=1, pod="b") + card(0, gpu=2, pod="c") + card(0, gpu=3, pod="d")
    objects = [pod("a"), pod("b", "Pending"), pod("c", deletionTimestamp="2026-11-28T08:00:00Z"), pod("d", "Succeeded")]

    assert told(text, *objects) == unopened("ai/a (GPU 0)")


def test_the_label_of_a_scrape_is_no_pod_with_a_card_and_the_exporters_own_has_another_name():
    scraped = 'pod="nvidia-dcgm-exporter-x7k2p",namespace="gpu-operator"'

    assert told(card(0).replace("} ", f",{scraped}}} ")) == []
    assert told(card(0).replace("} ", f',{scraped},exported_pod="ollama-0",exported_namespace="ai"}} ')) == unopened("ai/ollama-0 (GPU 0)")


EMPTY = TABLE.replace("70000MiB", "    4MiB").replace(" 95%", "  0%")
EMPTY = (
    EMPTY[: EMPTY.index("|    0   N/A")] + "|  No running processes found                                                             |\n"
)


def test_the_pods_of_a_node_whose_cards_are_all_empty_are_told_from_nvidia_smi():
    assert told(EMPTY, node(2), pod("a"), pod("b", "Pending")) == unopened("ai/a")
    assert told(TABLE, node(2), pod("a")) == []
    assert told(EMPTY, node(2)) == []


@pytest.mark.parametrize("gpus", [0, 3, 8])
def test_empty_cards_prove_nothing_where_the_node_may_have_others(gpus):
    assert told(EMPTY, node(gpus), pod("a")) == []


def test_the_pods_that_share_a_full_card_are_named():
    full = sample("DEV_FB_FREE", 100) + "".join(card(39900, 50, pod=name) for name in "ab")

    assert told(full) == [("memory-full", "99% of the card's memory is in use: ai/a, ai/b")]


def test_the_memory_of_a_card_is_that_of_the_series_without_a_pod():
    full = sample("DEV_FB_FREE", 100) + card(39900, 50) + card(30000, 50, pod="a") + card(9890, 50, pod="b")

    assert told(full) == [("memory-full", "99% of the card's memory is in use: ai/a, ai/b")]


def test_the_use_of_a_card_is_a_remark_that_says_how_little_one_reading_proves():
    report = doctor_report(diagnose(cluster_of(card(0, 0, pod="ollama-0") + card(30000, 0, gpu=1, pod="vllm-0"))))

    assert report.diagnosis.causes == ()
    assert {"gpu-idle", "gpu-not-opened"} <= MINOR_SIGNS
    assert report.card_lines == [
        (
            "gpu-1: No program of ai/ollama-0 (GPU 0) had opened the card at the moment of reading. One reading proves little: read again "
            "while the program works. If it stays so, look in its log for the CPU (ollama: library=cpu; PyTorch: torch.cuda.is_available() is "
            "False), with talos-gpu doctor --pod NAMESPACE/NAME"
        ),
        (
            "gpu-1: The card of ai/vllm-0 (GPU 1, 30000 MiB in use) computed nothing at the moment of reading. One reading proves little, and a "
            "server that waits for requests is in order. The alert GpuAllocatedIdle watches the hours"
        ),
    ]
