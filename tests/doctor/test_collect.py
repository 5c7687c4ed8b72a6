"""The script of `--collect`, run by a real shell with programs that print planted credentials."""

import json
import os
import subprocess
import tarfile

import pytest

from constructs_lib.checks.secret_values import HIDDEN
from constructs_lib.doctor.collect import AWK, COMMANDS, collect_script
from constructs_lib.doctor.dump_reader import read_dump

PLANTED = (
    "hf_PlantedPlantedPlanted", "planted-password", "planted-flag-value", "planted-second-argument", "planted-applied", "eyJplanted1.eyJplanted2.planted3",
    "PLANTEDKEYPLANTEDKEY", "planted-url-password", "planted-log-token", "nvapi-plantedplanted", "planted-nested",
    "planted-variable", "planted-annotation", "planted-manager", "planted-licence", "planted-mysql", "planted-redis", "planted-message", "planted-basic",
    "planted-session", "planted-pwd", "PLANTEDCUTKEY", "cGxhbnRlZDE6cGxhbnRlZDI=", "planted6planted6", "planted-header",
)  # fmt: skip
NODE = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {"name": "gpu-1"},
    "status": {"addresses": [{"type": "InternalIP", "address": "10.5.0.2"}], "nodeInfo": {"osImage": "Talos (v1.13.2)"}},
}
POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "annotations": {
            "kubectl.kubernetes.io/last-applied-configuration": '{"env":[{"name":"X","value":"planted-applied"}]}\n',
            "example.com/settings": '{"password": "planted-nested"}',
            "talos-gpu/gpu-memory": "6Gi",
            "vault/token": "planted-annotation",
        },
        "managedFields": [{"fieldsV1": {"f:spec": {}}, "manager": "planted-manager"}],
        "name": "ollama",
        "namespace": "gpu",
    },
    "spec": {
        "automountServiceAccountToken": False,
        "containers": [
            {
                "args": [
                    "--token=planted-flag-value",
                    "--api-key",
                    "planted-second-argument",
                    "--license",
                    "planted-licence",
                    "--model",
                    "llama",
                ],
                "command": [
                    "sh",
                    "-c",
                    "curl https://me:planted-url-password@example.com -H 'Authorization: Bearer eyJplanted1.eyJplanted2.planted3'",
                ],
                "env": [
                    {"name": "DB_PASSWORD", "value": "planted-password"},
                    {"name": "MODEL", "value": "hf_PlantedPlantedPlanted"},
                    {"name": "PGPASS", "value": "planted-variable"},
                    {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"},
                    {"name": "NVIDIA_DRIVER_CAPABILITIES", "value": "redis://:planted-redis@cache:6379/0"},
                    {"name": "KEYS", "value": "-----BEGIN RSA PRIVATE KEY-----\nPLANTEDKEYPLANTEDKEY\n-----END RSA PRIVATE KEY-----"},
                    {"name": "HF", "valueFrom": {"secretKeyRef": {"key": "token", "name": "hf"}}},
                ],
                "image": "ollama/ollama:0.12.6",
                "lifecycle": {"postStart": {"exec": {"command": ["sh", "-c", 'mysql -h db "-pplanted-mysql"; mysql -pplanted-mysql']}}},
                "livenessProbe": {"httpGet": {"httpHeaders": [{"name": "X", "value": "planted-header"}], "port": 80}},
                "name": "main",
                "resources": {"limits": {"nvidia.com/gpu": "1"}},
            }
        ],
        "nodeName": "gpu-1",
        "volumes": [{"name": "tls", "secret": {"secretName": "ollama-tls"}}],
    },
    "status": {
        "message": "db_pass: planted-message; token wlzjyw.planted6planted6; sent Basic cGxhbnRlZDE6cGxhbnRlZDI=",
        "reason": "-----BEGIN EC PRIVATE KEY-----\nPLANTEDCUTKEY",
    },
}
LOG = """\
[pod/ollama/main] level=INFO msg="login" token=planted-log-token
[pod/ollama/main] password: planted-password
[pod/ollama/main] Authorization: Basic planted-basic pwd: planted-pwd session=planted-session
[pod/ollama/main] using nvapi-plantedplanted
[pod/ollama/main] could not load NVML library: libnvidia-ml.so.1: cannot open shared object file
[pod/ollama/main] -----BEGIN EC PRIVATE KEY-----
[pod/ollama/main] PLANTEDKEYPLANTEDKEY
[pod/ollama/main] -----END EC PRIVATE KEY-----
"""
KUBECTL = """\
#!/bin/sh
echo "kubectl $*" >> "$CALLS"
case "$1 $2" in
    "get nodes")
        case "$*" in *jsonpath*) echo 10.5.0.2 ;; *) cat "$ANSWERS/nodes.json" ;; esac ;;
    "get pods")
        case "$*" in *PORTS*) cat "$ANSWERS/exporters" ;; *custom-columns*) echo "gpu   ollama   ollama/ollama   map[nvidia.com/gpu:1]" ;; *) cat "$ANSWERS/pods.json" ;; esac ;;
    "get clusterpolicies.nvidia.com") echo 'error: the server does not have a token=planted-flag-value' >&2
        echo "error: the server doesn't have a resource type \\"clusterpolicies\\"" >&2; exit 1 ;;
    "get --raw") case "$*" in *dcgm-b*) echo 'Error from server (Forbidden): token=planted-flag-value' >&2; exit 1 ;; esac; cat "$ANSWERS/metrics" ;;
    "get events") echo 'Error from server (Forbidden): events is forbidden: Bearer eyJplanted1.eyJplanted2.planted3' >&2; exit 1 ;;
    "logs --namespace") cat "$ANSWERS/log" ;;
    *) cat "$ANSWERS/empty.json" ;;
esac
"""
EXPORTERS = """\
monitoring   dcgm-a   gpu-1   9401,8080   nvcr.io/nvidia/k8s/dcgm-exporter:4.8.2
monitoring   dcgm-b   gpu-1   <none>      mirror.example.com/dcgm-exporter:4.8.2
monitoring   web      gpu-1   80          nginx
monitoring   dcgm-c   ../../planted   9400   dcgm-exporter
"""
METRICS = 'DCGM_FI_DEV_ROW_REMAP_FAILURE{gpu="0",UUID="GPU-1",Hostname="dcgm-a"} 1\n'
TALOSCTL = """\
#!/bin/sh
echo "talosctl $*" >> "$CALLS"
case "$*" in
    *KernelModuleSpecs*) printf 'node: 10.5.0.2\\nmetadata:\\n    type: KernelModuleSpecs.runtime.talos.dev\\n    id: nvidia\\nspec:\\n    string: nvidia\\n' ;;
    *ExtensionStatuses*) ;;
    *services) printf 'NODE       SERVICE   STATE     HEALTH   LAST CHANGE   LAST EVENT\\n10.5.0.2   kubelet   Running   OK       1m0s ago      Health check successful\\n' ;;
    *PCIDevices*) echo 'error from node 10.5.0.2: rpc error: code = PermissionDenied desc = not authorized' >&2; exit 1 ;;
    *Statuses*|*Kernel*) echo 'rpc error: code = NotFound desc = resource "x" is not registered' >&2; exit 1 ;;
    *"logs kubelet"*) echo '10.5.0.2: {"password":"planted-password","token":"planted-log-token"}' ;;
esac
"""


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """The bundle that the script makes. Its tests only read it."""
    tmp_path = tmp_path_factory.mktemp("collect")
    answers, programs = tmp_path / "answers", tmp_path / "bin"
    answers.mkdir()
    programs.mkdir()
    for name, items in (("nodes", [NODE]), ("pods", [POD]), ("empty", [])):
        text = json.dumps({"apiVersion": "v1", "items": items, "kind": "List", "metadata": {"resourceVersion": ""}}, indent=4)
        (answers / f"{name}.json").write_text(text + "\n")
    (answers / "log").write_text(LOG)
    (answers / "exporters").write_text(EXPORTERS)
    (answers / "metrics").write_text(METRICS)
    for name, text in (("kubectl", KUBECTL), ("talosctl", TALOSCTL)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (tmp_path / "collect.sh").write_text(collect_script())
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "ANSWERS": str(answers), "CALLS": str(tmp_path / "calls")}
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(["sh", "../collect.sh"], cwd=work, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return next(work.glob("*.tar.gz"))


ADDRESSES = [
    "../../planted",
    "*",
    "-h",
    "10.0.0.1/../../planted",
    "fe80::1%../../planted",
    "$(touch planted)",
    ";touch planted",
    "--nodes=10.9.9.9",
    "..",
    "a/b",
]
PODS = ["../../../planted", "-n", "a/../../planted", "..", "a;touch", "*"]


def test_no_name_or_address_of_a_cluster_leaves_the_folder_of_the_script_or_is_a_flag(tmp_path):
    programs, work = tmp_path / "bin", tmp_path / "a" / "b" / "work"
    programs.mkdir()
    work.mkdir(parents=True)
    (work / "file").touch()
    lines = "\n".join(["10.5.0.2", *ADDRESSES])
    columns = "\n".join(f"{namespace} {pod} nvidia" for pod in PODS for namespace in ("gpu", "../../planted", "-n")) + "\ngpu ollama nvidia"
    programs.joinpath("kubectl").write_text(
        f"""#!/bin/sh
echo "kubectl $*" >> "$CALLS"
case "$*" in *jsonpath*) cat <<'END'\n{lines}\nEND\n;; *custom-columns*) cat <<'END'\n{columns}\nEND\n;; *) echo '{{}}' ;; esac
"""
    )
    programs.joinpath("talosctl").write_text('#!/bin/sh\necho "talosctl $*" >> "$CALLS"\n')
    for each in programs.iterdir():
        each.chmod(0o755)
    (work / "collect.sh").write_text(collect_script())
    before = {*tmp_path.rglob("*")}
    done = subprocess.run(
        ["sh", "collect.sh"], cwd=work, env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "CALLS": str(tmp_path / "calls")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    calls = (tmp_path / "calls").read_text().splitlines()
    (folder,) = [each for each in work.iterdir() if each.is_dir()]

    assert done.returncode == 0, done.stderr
    assert {call.split()[2] for call in calls if call.startswith("talosctl")} == {"10.5.0.2"}
    assert {tuple(call.split()[3:5]) for call in calls if call.startswith("kubectl logs")} == {("gpu", "ollama")}
    assert [each for each in {*tmp_path.rglob("*")} - before if folder not in (each, *each.parents)] in (
        [tmp_path / "calls", folder.with_suffix(".tar.gz")],
        [folder.with_suffix(".tar.gz"), tmp_path / "calls"],
    )


def contents_of(bundle):
    with tarfile.open(bundle) as archive:
        return {each.name: archive.extractfile(each).read().decode() for each in archive if each.isreg()}


def test_no_planted_credential_is_in_the_bundle(bundle):
    assert [(planted, name) for name, text in contents_of(bundle).items() for planted in PLANTED if planted in text] == []


def test_the_filter_leaves_json_whole(bundle):
    pods = next(text for name, text in contents_of(bundle).items() if name.endswith("kubernetes/pods.json"))
    spec = json.loads(pods)["items"][0]["spec"]

    assert spec["automountServiceAccountToken"] is False
    assert spec["containers"][0]["args"][-2:] == ["--model", "llama"]
    assert {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"} in spec["containers"][0]["env"]
    assert spec["containers"][0]["env"][-1] == {"name": "HF", "valueFrom": {"secretKeyRef": {"key": "token", "name": "hf"}}}
    assert spec["volumes"] == [{"name": "tls", "secret": {"secretName": "ollama-tls"}}]


def test_a_value_of_any_length_leaves_json_whole():
    pod = {"message": "token" * 8000, "reason": 'a "quoted" word ' * 8000}
    done = subprocess.run(["awk", "-v", "is_text=0", AWK], input=json.dumps(pod, indent=4), capture_output=True, text=True, check=True)

    assert json.loads(done.stdout) == {"message": HIDDEN, "reason": HIDDEN}


def test_of_a_long_line_of_a_log_the_first_part_is_kept():
    done = subprocess.run(["awk", "-v", "is_text=1", AWK], input="NVRM: " + "x" * 90000, capture_output=True, text=True, check=True)

    assert done.stdout.startswith("NVRM: xxx")
    assert len(done.stdout) < 5000


def test_annotations_that_are_read_are_in_the_bundle(bundle):
    pods = next(text for name, text in contents_of(bundle).items() if name.endswith("kubernetes/pods.json"))
    metadata = json.loads(pods)["items"][0]["metadata"]

    assert metadata["annotations"]["talos-gpu/gpu-memory"] == "6Gi"
    assert metadata["managedFields"] == []
    assert metadata["name"] == "ollama"


def test_the_script_only_reads(bundle):
    calls = (bundle.parent.parent / "calls").read_text().splitlines()

    assert {call.split()[1] for call in calls if call.startswith("kubectl")} == {"get", "logs"}
    assert {call.split()[3] for call in calls if call.startswith("talosctl")} == {"get", "version", "services", "dmesg", "read", "logs"}
    assert not [call for call in calls if "secret" in call.lower() or "machineconfig" in call.lower()]


def test_the_bundle_is_read_back(bundle):
    dump = read_dump([bundle])

    assert [each.full_name for each in dump.of_kind("Pod", "Node")] == ["gpu/ollama", "gpu-1"]
    assert dump.machine(["gpu-1"]).services["kubelet"].state == "Running"
    assert {match.symptom.name for log in dump.logs for match in log.matches} >= {"nvml-missing"}


def test_the_metrics_of_exporters_are_in_the_bundle_and_read_back_for_their_node(bundle):
    calls = [call for call in (bundle.parent.parent / "calls").read_text().splitlines() if "--raw" in call]
    dump = read_dump([bundle])

    assert calls == [f"kubectl get --raw /api/v1/namespaces/monitoring/pods/{pod}/proxy/metrics" for pod in ("dcgm-a:9401", "dcgm-b:9400")]
    assert dump.machine(["gpu-1"]).smi["GPU 0: Remapped Rows Remapping Failure Occurred"].value == "Yes"
    assert [each.reason for each in dump.unread if "dcgm-b" in each.source] == ["Error from server (Forbidden): token=(a secret value)"]


def test_an_empty_list_of_the_bundle_is_a_whole_list(bundle):
    assert {"DaemonSet", "Pod", "ResourceSlice"} <= read_dump([bundle]).listed


def test_a_kind_that_the_api_server_does_not_know_has_no_objects(bundle):
    assert "ClusterPolicy" in read_dump([bundle]).listed


def test_a_list_that_was_refused_is_not_a_whole_list(bundle):
    dump = read_dump([bundle])

    assert "Event" not in dump.listed
    assert [each.reason for each in dump.unread if "events.json" in each.source] == [
        "Error from server (Forbidden): events is forbidden: Bearer (a secret value)"
    ]


def test_a_resource_without_items_says_that_the_machine_has_none(bundle):
    machine = read_dump([bundle]).machine(["10.5.0.2"])

    assert machine.extensions == {}
    assert list(machine.configured_modules) == ["nvidia"]


def test_a_resource_that_talos_refused_is_refused_and_not_empty(bundle):
    machine = read_dump([bundle]).machine(["10.5.0.2"])

    assert machine.pci is None
    assert "PermissionDenied" in machine.refused["PCIDevices.hardware.talos.dev"].text


def test_nodes_can_be_named():
    assert "set -- gpu-1 '10.5.0.3; reboot'" in collect_script(["gpu-1", "10.5.0.3; reboot"])


def test_every_command_has_a_file_of_its_own():
    files = [each.file for each in COMMANDS]

    assert len(files) == len(set(files))
