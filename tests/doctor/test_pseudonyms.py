"""A report for strangers: one pseudonym for each name, and no planted name, address, identifier or domain left."""

import json
from pathlib import Path
from random import Random

import pytest

from conftest import drawn
from constructs_lib.arguments.credentials.texts import hidden_text
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
    agent = (
        f"{PLANTED}-ns   {PLANTED}-nvidia-device-plugin-x7k2m   0/1   CrashLoopBackOff   5   5m   10.1.1.1   {PLANTED}-1   <none>   <none>"
    )
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


HOSTILE = (
    'Nov 27 10:11:12 {host} kubelet[28]: E1127 10:11:12.770694 28 kuberuntime_manager.go:1152] "Failed to frobnicate" err="cannot reach {host}"',
    "2026-11-27T10:11:12.5Z {host} containerd: error: mail to {user}@{domain} failed, login {user}@{host}",
    "E1127 10:11:12.1 1 x.go:1] error: failed to fetch https://{user}:{token}@git.{domain}/x.git",
    "E1127 10:11:12.1 1 x.go:1] error: failed to fetch https://{user}@{domain}:8443/v2/ from {ip}:6443 and [{ip6}]:443",
    'level=error msg="failed to login at {domain}" token={token} Authorization: Bearer {token} password: {token}',
    'E1127 10:11:12.1 1 x.go:1] "Error syncing" err="failed" pod="{name}-ns/{name}-app" node="{host}" claim {name}-ns/{name}-claim',
    "error: dial tcp: lookup {host} on {ip}:53: no such host, hostname={host} nodeName: '{host}'",
    "error: failed to open /home/{user}/models: HF_TOKEN={token}, key ssh-ed25519 {key}",
    "fatal error: {host}.{domain} closed the connection of {ip}, uid=1b4e28ba-2fa1-11d2-883f-{hex}",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(drawn(100)))
def test_no_planted_name_of_a_line_that_nobody_explains_is_in_the_report(tmp_path, seed):
    random = Random(seed)
    word = "".join(random.choices("bcdfgklmnprstvz", k=9))
    planted = {
        "host": f"{word}-{random.choice(['gpu', 'h', 'rack-7'])}-{random.randrange(99)}",
        "user": f"{word[::-1]}.{random.choice(['d', 'x-y'])}",
        "domain": f"{word}corp.{random.choice(['com', 'internal', 'example.org', 'co.uk', 'ai'])}",
        "token": "ghp_" + "".join(random.choices("abcdefGHIJK0123456789", k=36)),
        "name": f"{word}x",
        "ip": f"10.{random.randrange(256)}.{random.randrange(256)}.{random.randrange(1, 255)}",
        "ip6": f"2001:db8::{random.randrange(1, 9999):x}",
        "key": "AAAAC3NzaC1lZDI1NTE5AAAAI" + "".join(random.choices("abcdefGHIJK+/", k=43)),
        "hex": "".join(random.choices("0123456789abcdef", k=12)),
    }
    lines = [line.format(**planted) for line in random.sample(HOSTILE, random.randrange(1, len(HOSTILE) + 1))]
    (tmp_path / "paste.txt").write_text("\n".join(lines) + "\n")
    text = f"{report(tmp_path)}{replaced(hidden_text(chr(10).join(lines)))}".replace("<!-- -->", "").replace("\\", "")

    assert [(kind, each) for kind, each in planted.items() if each in text] == []
    assert word not in text
    assert planted["key"][:40] not in text


def test_a_name_of_a_line_has_one_pseudonym_wherever_it_stands():
    text = 'Nov 27 10:11:12 acme-07 kubelet[1]: error\ndial acme-07 as root@acme-07, see node="acme-07" and jane@acme.com, jane@acme.com'

    assert (
        replaced(text) == 'Nov 27 10:11:12 node-1 kubelet[1]: error\ndial node-1 as account-1, see node="node-1" and account-2, account-2'
    )


@pytest.mark.parametrize(
    "text",
    [
        "nvcr.io/nvidia/driver@sha256:2edc1d4ed555830e70010c82558936198f5faa86fc29ecf5698219145102cfcc",
        "NVIDIA/k8s-device-plugin@v0.20.0:internal/rm/rm.go",
        "github.com/NVIDIA/go-nvlib@0.7.1",
        'time="2026-01-25T00:45:43+11:00" level=error msg="failed to initialize NVML: Driver Not Loaded"',
        "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: 0/3 nodes",
        "node: not ready, host: unknown, hostname localhost",
        "claim cpu/memory refused: give the pod and/or the node cpu, memory, and a claim or the node",
        "invalid hostname: must be a name, namespace: not found",
        "server: http2: the http2 frame",
    ],
)  # fmt: skip
def test_words_of_upstream_stay(text):
    assert replaced(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('node "alicebox" not found, alicebox', 'node "node-1" not found, alicebox'),
        ('pods "secretapp-abc" is forbidden: namespaces "blue" not found', 'pods "pod-1" is forbidden: namespaces "namespace-1" not found'),
        ("namespace=team-blue nodeName=alicebox hostname: alicebox", "namespace=namespace-1 nodeName=node-1 hostname: node-1"),
        ('pod="blue/app" claim: "blue/data"', 'pod="namespace-1/pod-1" claim: "namespace-1/claim-1"'),
        ("host=gpu0 opens /dev/gpu0", "host=node-1 opens /dev/gpu0"),
        ("peer=box7 of http2", "peer=node-1 of http2"),
    ],
)
def test_a_name_of_free_text_is_replaced_at_its_own_place_alone(text, shown):
    assert replaced(text) == shown


def test_a_pseudonym_that_is_the_name_of_another_node_is_not_replaced_again():
    nodes = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}} for name in ("node-2", "node-1")]
    names = Pseudonyms(read_dump([], stream=json.dumps({"apiVersion": "v1", "kind": "List", "items": nodes})))

    assert names.replaced("hostname: node-1 and nodeName: node-2") == "hostname: node-2 and nodeName: node-1"
