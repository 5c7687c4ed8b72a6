"""The files of a model: the Job that downloads the files, and the container that waits for them. The scripts run in a shell."""

import os
import signal
import subprocess
import sys

import pytest

from conftest import env_of, message
from constructs_lib import Empty, ExistingClaim, GpuNodes, HostPath, Nfs, OciImage, Persistent, SecretKey, Taint
from constructs_lib.manifests.workload.objects import gpu_workload
from constructs_lib.recipes.vllm import VllmSettings

NODES = GpuNodes(talos_version="1.13", product="RTX 4090", taints=[Taint("dedicated", "ai")], labels={"role": "gpu"})
TOKEN = SecretKey("hugging-face", "token")


def server(nodes=NODES, **given):
    return VllmSettings(**{"nodes": nodes, "name": "vllm", "model": "Qwen/Qwen3-4B", **given})


def pod(settings):
    return gpu_workload(settings)["Resource"]["spec"]["template"]["spec"]


def job(settings):
    return settings.beside()["Model"]


def job_pod(settings):
    return job(settings)["spec"]["template"]["spec"]


@pytest.fixture
def shell(tmp_path):
    """Start a container's script, with a command `hf` of the test's own that writes its words, and ends with a status."""

    def start(container, status=0):
        program = tmp_path / "hf"
        program.write_text(f"#!{sys.executable}\nimport sys\nprint('hf', *sys.argv[1:])\nsys.exit({status})\n")
        program.chmod(0o755)
        variables = {**env_of(container), "FOLDER": str(tmp_path / "models"), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        return subprocess.Popen(container["command"], stdout=subprocess.PIPE, text=True, env=variables, start_new_session=True)

    return start


def ended(process):
    """The status and the log of a script."""
    log, _ = process.communicate()
    return process.returncode, log.splitlines()


def test_only_the_job_has_the_token():
    settings = server(token=TOKEN)

    assert env_of(job_pod(settings)["containers"][0])["HF_TOKEN"] == {"secretKeyRef": {"name": "hugging-face", "key": "token"}}
    assert "HF_TOKEN" not in str(pod(settings))
    assert message(lambda: server(token="hf_abc"), TypeError).startswith("'token' must be a SecretKey: the value is a credential")


def test_the_server_is_offline_and_the_job_is_not():
    settings = server()

    assert env_of(pod(settings)["containers"][0])["HF_HUB_OFFLINE"] == "1"
    assert "HF_HUB_OFFLINE" not in env_of(job_pod(settings)["containers"][0])


def test_the_job_runs_on_the_node_of_the_server_and_holds_no_gpu():
    spec = job_pod(server())

    assert spec["affinity"] == {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app.kubernetes.io/name": "vllm"}}, "topologyKey": "kubernetes.io/hostname"}
            ]
        }
    }
    assert spec["nodeSelector"] == {"role": "gpu"}
    assert {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"} in spec["tolerations"]
    assert not {"runtimeClassName", "resourceClaims"} & set(spec)
    assert "limits" not in spec["containers"][0]["resources"]


@pytest.mark.parametrize(("talos", "shown"), [("1.11", "void"), ("1.12", "void"), ("1.13", None)])
def test_the_job_sees_no_gpu_where_the_image_asks_for_every_one(talos, shown):
    assert env_of(job_pod(server(GpuNodes(talos_version=talos)))["containers"][0]).get("NVIDIA_VISIBLE_DEVICES") == shown


def test_the_job_waits_in_the_queue_of_the_server_whose_nodes_it_tolerates():
    queue = {"kueue.x-k8s.io/queue-name": "gpus"}

    assert job(server(labels=queue))["metadata"]["labels"].items() >= queue.items()


def test_the_longest_name_leaves_room_for_that_of_the_job():
    assert len(job(server(name="a" * 48))["metadata"]["name"]) == 63
    assert message(lambda: job(server(name="a" * 49))).startswith("'name' must be of at most 48 characters (got 'aaa")


def test_the_pod_of_the_job_is_not_a_pod_of_the_server():
    labels = job(server())["spec"]["template"]["metadata"]["labels"]

    assert labels["app.kubernetes.io/name"] == "vllm-model"


def test_another_model_and_another_revision_are_another_job_and_another_folder():
    variants = [server(), server(revision="abc123"), server(model="Qwen/Qwen3-1.7B"), server(revision="refs/pr/4")]

    assert len({job(each)["metadata"]["name"] for each in variants}) == len({each.folder for each in variants}) == 4
    assert [each.folder for each in variants][1::2] == ["/models/Qwen/Qwen3-4B/abc123", "/models/Qwen/Qwen3-4B/refs-pr-4"]


def test_an_argument_of_the_server_is_no_other_job():
    assert job(server())["metadata"]["name"] == job(server(context=4096))["metadata"]["name"]


def test_the_job_and_the_server_mount_the_same_claim():
    for given in (
        {},
        {"volumes": {"/models": ExistingClaim("weights", name="shared", sub_path="llm")}},
        {"volumes": {"/data": Empty(name="models")}},
    ):
        settings = server(**given)
        (waiting,), (main,), (loading,) = pod(settings)["initContainers"], pod(settings)["containers"], job_pod(settings)["containers"]
        mounts = [next(each for each in part["volumeMounts"] if each["mountPath"] == "/models") for part in (waiting, main, loading)]
        volumes = [
            next(each for each in spec["volumes"] if each["name"] == mounts[0]["name"]) for spec in (pod(settings), job_pod(settings))
        ]

        assert mounts[0] == mounts[1] == mounts[2]
        assert volumes[0] == volumes[1]


def test_the_storage_is_the_size_of_the_claim():
    assert gpu_workload(server(storage="40Gi"))["Claim-models"]["spec"]["resources"]["requests"]["storage"] == "40Gi"


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"volumes": {"/models": Nfs("nas", "/m", read_only=True)}}, "'volumes[/models]' must be writable: a Job downloads"),
        ({"volumes": {"/models": Empty()}}, "'volumes[/models]' must be a volume that all pods share"),
        (
            {"volumes": {"/models": HostPath("/var/models")}},
            "'volumes[/models]' must be a volume that every node of the class reaches (got HostPath(",
        ),
        ({"kind": "StatefulSet"}, "'volumes[/models]' must be a volume that all pods share"),
        (
            {"volumes": {"/models": Persistent("1Gi", access_mode="ReadWriteOncePod")}},
            "'volumes[/models]' must be a volume that two pods of a node can mount",
        ),
        ({"model": "/models/llama"}, "'model' must be a repository of Hugging Face such as 'Qwen/Qwen3-8B' (got '/models/llama')"),
        ({"model": "a/b/c"}, "'model' must be a repository"),
        ({"model": "../etc"}, "'model' must be a repository"),
        ({"revision": "--token"}, "'revision' must be a branch, a tag or a commit of the repository (got '--token')"),
        ({"revision": "a/../b"}, "'revision' must be a branch"),
        ({"replicas": 2}, "'replicas' must be 1 for a Deployment whose claim only one node can mount"),
    ],
)
def test_wrong_arguments_are_refused(given, refusal):
    assert message(lambda: server(**given)).startswith(refusal)


def test_the_one_node_of_a_class_has_the_folder_of_the_model():
    nodes = GpuNodes(talos_version="1.13", count=1)

    assert server(nodes, volumes={"/models": HostPath("/var/models")}).folder == "/models/Qwen/Qwen3-4B/main"


def test_several_replicas_read_one_claim_that_many_nodes_mount():
    shared = server(replicas=2, volumes={"/models": Persistent("100Gi", access_mode="ReadWriteMany")})

    assert gpu_workload(shared)["Resource"]["spec"]["replicas"] == 2


def test_the_job_downloads_once_and_the_server_waits_for_the_whole_model(shell, tmp_path):
    settings = server(revision="abc")
    (loading,), (waiting,) = job_pod(settings)["containers"], pod(settings)["initContainers"]
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "half.safetensors").touch()
    with shell(waiting) as script:
        assert script.stdout.readline() == (
            "waiting for the Job vllm-model-*, which downloads Qwen/Qwen3-4B: kubectl logs --selector app.kubernetes.io/name=vllm-model\n"
        )
        assert script.poll() is None
        os.killpg(script.pid, signal.SIGKILL)

    assert ended(shell(loading, status=1))[0] == 1
    assert not (tmp_path / "models" / ".complete").exists()

    status, log = ended(shell(loading))
    folder = tmp_path / "models"
    assert (status, log[1]) == (0, f"hf download Qwen/Qwen3-4B --revision abc --local-dir {folder} --exclude original/*")
    assert ended(shell(waiting)) == (0, [])
    assert ended(shell(loading)) == (0, ["Qwen/Qwen3-4B is on the volume"])


def test_the_init_container_of_the_user_comes_after_the_model():
    mine = {"name": "mine", "image": "busybox:1", "command": ["true"]}

    assert [each["name"] for each in pod(server(init_containers=[mine]))["initContainers"]] == ["wait-for-model", "mine"]


def test_an_image_with_the_model_needs_no_download():
    settings = server(volumes={"/models": OciImage("registry.example.com/qwen3-8b:1")})
    spec = pod(settings)

    assert settings.beside() == {}
    assert "initContainers" not in spec
    assert spec["containers"][0]["args"][0] == "/models"
    assert {"name": "models", "image": {"reference": "registry.example.com/qwen3-8b:1"}} in spec["volumes"]
    assert env_of(spec["containers"][0])["VLLM_CACHE_ROOT"] == "/cache/vllm"
    assert "/cache" in {each["mountPath"] for each in spec["containers"][0]["volumeMounts"]}


def test_a_rollout_has_an_hour_for_the_download_before_it_is_called_failed():
    def deadline(**given):
        return gpu_workload(server(startup=1200, **given))["Resource"]["spec"]["progressDeadlineSeconds"]

    assert deadline() == 3600 + 1200 + 600
    assert deadline(volumes={"/models": OciImage("registry.example.com/qwen3-8b:1")}) == 1200 + 600
