"""A report for strangers: one pseudonym for each name, and no planted name, address, identifier or domain left."""

import json
from pathlib import Path

import pytest

from constructs_lib.doctor.diagnosis import diagnose
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.formats.issue_markdown import issue_markdown
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.pseudonyms import Pseudonyms
from constructs_lib.observed.model.dump import Dump

DUMPS = Path(__file__).parent / "dumps"
PLANTED = "zebra"


def report(*paths):
    return issue_markdown(doctor_report(diagnose(GpuCluster(read_dump(paths)))))


def replaced(text):
    return Pseudonyms(Dump()).replaced(text)


def planted(folder, name):
    """The objects of a recording with a name of somebody's in each place that has one."""
    text = (DUMPS / folder / name).read_text()
    for word in ("gpu-1", "ollama", "10.0.0.11"):
        text = text.replace(word, f"{PLANTED}-{word}" if not word[0].isdigit() else "10.77.0.11")
    return text.replace(f"{PLANTED}-ollama/{PLANTED}-ollama:", f"registry.{PLANTED}.example.com/team/{PLANTED}-ollama:")


def test_no_name_of_the_cluster_and_no_folder_is_in_the_report(tmp_path):
    folder = tmp_path / f"{PLANTED}-prod"
    folder.mkdir()
    (folder / "cluster.yaml").write_text(planted("healthy-shared-card", "cluster.yaml"))
    text = report(tmp_path)

    assert PLANTED not in text.lower()
    assert "10.77.0.11" not in text
    assert "on node-1" in text


def test_names_in_a_table_of_kubectl_have_pseudonyms(tmp_path):
    head = "NAMESPACE   NAME   READY   STATUS   RESTARTS   AGE   IP   NODE   NOMINATED NODE   READINESS GATES"
    agent = f"{PLANTED}-ns   {PLANTED}-nvidia-device-plugin-x7k2m   0/1   CrashLoopBackOff   5   5m   10.1.1.1   {PLANTED}-1   <none>   <none>"
    pod = f"{PLANTED}-ns   {PLANTED}-app   0/1   Pending   0   5m   <none>   <none>   <none>   <none>"
    (tmp_path / "a.txt").write_text("\n".join(["\t".join(each.split("   ")) for each in (head, agent, pod)]) + "\n")
    text = report(tmp_path)

    assert PLANTED not in text
    assert "pod namespace-1/device-plugin-1: the device plugin ends with an error" in text


def test_folders_and_files_of_somebody_have_pseudonyms_and_those_of_a_bundle_stay(tmp_path):
    folder = tmp_path / f"{PLANTED}_prod" / "kubernetes"
    folder.mkdir(parents=True)
    (folder / "pods.yaml").write_text("no form\n")
    (tmp_path / f"{PLANTED}-day.log").write_text("E1128 04:20:58.000000       1 main.go:12] the moon\n")
    text = report(tmp_path)

    assert PLANTED not in text
    assert "kubernetes/pods.yaml" in text
    assert "/file-" in text


def test_the_image_of_a_controller_without_pods_is_somebodys_too(tmp_path):
    container = {"name": f"{PLANTED}-main", "image": f"ghcr.io/{PLANTED}/app:1", "resources": {"limits": {"nvidia.com/gpu": "1"}}}
    body = {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": PLANTED, "namespace": f"{PLANTED}-ns"},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }  # fmt: skip
    read = read_dump([], stream=json.dumps(body))

    assert (
        Pseudonyms(read).replaced(f"image: ghcr.io/{PLANTED}/app:1 of {PLANTED}-main in {PLANTED}-ns")
        == "image: image-1:1 of container-1 in namespace-1"
    )


def test_the_pods_that_only_the_metrics_of_a_card_name_have_pseudonyms():
    sample = 'DCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-1",Hostname="gpu-1",namespace="zebra-team",pod="zebra-llm-0"} 3\n'
    names = Pseudonyms(read_dump([], stream=sample))

    assert names.replaced("No program of zebra-team/zebra-llm-0 (GPU 0)") == "No program of namespace-1/pod-1 (GPU 0)"


def test_one_name_has_one_pseudonym_wherever_it_stands():
    text = report(DUMPS / "two-toolkit-and-selector")

    assert "gpu-1" not in text
    assert text.count("node-1") > 3
    assert "node-2" not in text


def test_the_words_of_talos_nvidia_and_kubernetes_stay():
    text = report(DUMPS / "two-toolkit-and-selector")

    for word in (
        "nvidia-open-gpu-kernel-modules-production",
        "nvidia.com/gpu.product=NVIDIA-GeForce-RTX-4090",
        "status.conditions",
        "libcuda.so.1",
    ):
        assert word in text
    assert "https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/" in text


def test_the_environment_has_what_the_templates_of_upstream_ask_for():
    text = report(DUMPS / "cdi-cuda-804")

    assert text.index("### Environment") < text.index("# GPU report") < text.index("<details>")
    assert "- Talos 1.13.9, Kubernetes 1.36.3, driver 580.178.04 on node-1; device plugin 0.20.0\n" in text
    assert "- node-1: kernel: 6.18.44-talos\n- node-1: container runtime: containerd://2.2.4\n" in text
    assert "- node-1: extensions: nvidia-container-toolkit-lts 580.178.04-v1.19.1, " in text
    assert "pod nvidia/device-plugin-1 on node-1: Running; nvidia-device-plugin-ctr running; restarts 0\n" in text
    assert "lines of the kernel of node-1 about NVIDIA" in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("dial tcp 10.1.2.3:6443", "dial tcp ipv4-1:6443"),
        ("dial tcp [fd00::12]:6443", "dial tcp [ipv6-1]:6443"),
        ("127.0.0.1 and 580.126.20 and 0000:01:00.0", "127.0.0.1 and 580.126.20 and 0000:01:00.0"),
        ("GPU-1b4f2c9e-0000-1111-2222-333344445555", "GPU-id-1"),
        ("link 0a:1b:2c:3d:4e:5f", "link id-1"),
        ("Serial Number : 1652222014738", "Serial Number : hidden"),
        ("https://git.example.com/x nvcr.io/nvidia/cuda", "https://domain-1/x nvcr.io/nvidia/cuda"),
        ("main.go:12 libnvidia-ml.so values.yaml metadata.labels", "main.go:12 libnvidia-ml.so values.yaml metadata.labels"),
    ],
)
def test_addresses_identifiers_and_domains_are_replaced_and_versions_and_files_are_not(text, shown):
    assert replaced(text) == shown


def test_the_same_address_has_the_same_pseudonym_and_another_one_the_next():
    assert replaced("10.1.2.3 10.1.2.4 10.1.2.3") == "ipv4-1 ipv4-2 ipv4-1"


def test_a_name_inside_of_another_word_is_no_name():
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "card"}}
    pseudonyms = Pseudonyms(read_dump([], stream=json.dumps(node)))

    assert pseudonyms.replaced("card, cards and card-reader") == "node-1, cards and card-reader"


@pytest.mark.parametrize(
    "text",
    [
        "NAMESPACE     NAME                 STATUS    AGE\nacme-secret   customer-acme-data   Pending   3d\n",
        "NAME   STATUS     ROLES    AGE   VERSION   LABELS\nn1     NotReady   <none>   3d    v1.36.3   nvidia.com/gpu.present=true,team=acme-billing\n",
        "NAMESPACE     LAST SEEN   TYPE      REASON             OBJECT                  MESSAGE\nacme-secret   2m          Warning   FailedScheduling   pod/customer-acme-app   0/1 nodes are available: 1 Insufficient nvidia.com/gpu.\n",
        '# HELP DCGM_FI_DEV_FB_USED x\nDCGM_FI_DEV_FB_USED{gpu="0",UUID="GPU-a",modelName="NVIDIA A100",Hostname="n1",namespace="acme-secret",pod="a/acme"} 500\n',
    ],
)  # fmt: skip
def test_names_of_other_tables_of_labels_of_events_and_of_metrics_have_pseudonyms(text):
    report = doctor_report(diagnose(GpuCluster(read_dump([], stream=text))))

    assert "acme" not in issue_markdown(report)
