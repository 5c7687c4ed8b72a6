"""`talos-gpu verify`: a running cluster against its file, by the user's kubectl, and the proof by the smoke test of the file."""

import json
import sys

import pytest
import yaml

from constructs_lib.cli import verify_command

FILE = """\
talos: 1.14.6
nodes: {gpu-1: {card: RTX 4090, address: 10.0.0.5, taints: ["dedicated=ai:NoSchedule"]}}
workloads:
  smoke-test: {recipe: CudaSmokeTest}
  chat: {image: "example.com/chat:1", port: 8080, cpu: 1500m}
"""
KUBECTL = """\
#!{python} -I
import json, pathlib, sys
folder = pathlib.Path({folder!r})
words = sys.argv[1:]
with (folder / "calls").open("a") as calls:
    calls.write(" ".join(words) + "\\n")
state = json.loads((folder / "state.json").read_text())
if words[:2] == ["get", "--filename"]:
    wanted = {{(each["kind"], each["metadata"]["name"]) for each in json.load(sys.stdin)["items"]}}
    if "objects" not in state:
        sys.exit("Error from server (Forbidden): deployments.apps is forbidden")
    print(json.dumps({{"kind": "List", "items": [each for each in state["objects"] if (each["kind"], each["metadata"]["name"]) in wanted]}}))
    sys.exit(state.get("forbidden"))
elif words[:2] == ["get", "job"]:
    print(state.get("job", "SuccessCriteriaMet Complete"))
elif words[:3] == ["get", "pods", "--selector"]:
    print(state["scheduled"])
elif words[0] == "get" and words[1] in ("nodes", "pods"):
    print(json.dumps({{"kind": "List", "items": state.get(words[1], [])}}))
elif words[0] == "get":
    print('{{"kind": "List", "items": []}}')
elif words[0] == "logs":
    print(state["log"])
"""


def node(**more):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": "gpu-1",
            "labels": {
                "extensions.talos.dev/nvidia-container-toolkit-production": "595.112.07",
                "extensions.talos.dev/nvidia-open-gpu-kernel-modules-production": "595.112.07-v1.14.6",
            },
        },
        "spec": {"taints": [{"key": "dedicated", "value": "ai", "effect": "NoSchedule"}]},
        "status": {
            "addresses": [{"type": "InternalIP", "address": "10.0.0.5"}],
            "allocatable": {"nvidia.com/gpu": "1"},
            "capacity": {"nvidia.com/gpu": "1"},
            "nodeInfo": {"osImage": "Talos (v1.14.6)", "kubeletVersion": "v1.36.3"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
        **more,
    }


@pytest.fixture
def cluster(run, tmp_path, monkeypatch):
    """The file, and a function that sets what the cluster has; it begins as the file describes it."""
    (tmp_path / "cluster.yaml").write_text(FILE)
    assert run("synth", tmp_path / "cluster.yaml", "--output-folder", tmp_path / "out")[0] == 0
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "kubectl").write_text(KUBECTL.format(python=sys.executable, folder=str(tmp_path)))
    (folder / "kubectl").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    objects = [each for path in sorted((tmp_path / "out").rglob("*.k8s.yaml")) for each in yaml.safe_load_all(path.read_text())]
    state = {"nodes": [node()], "objects": objects, "log": "passed count and isolation: 1 of 1\npassed all"}

    def put(**changes):
        (tmp_path / "state.json").write_text(json.dumps({**state, **changes}))
        return objects

    put()
    return put


def verified(run, tmp_path, *flags):
    status, out, _ = run("verify", tmp_path / "cluster.yaml", *flags)
    return status, out


def of(objects, kind):
    return next(each for each in objects if each["kind"] == kind)


def test_a_cluster_that_is_as_its_file_describes_it_says_so(run, cluster, tmp_path):
    assert verified(run, tmp_path) == (0, f"cluster: as described: its nodes and {len(cluster())} objects\n")


def test_what_the_api_server_fills_in_and_writes_in_another_unit_is_no_difference(run, cluster, tmp_path):
    objects = json.loads(json.dumps(cluster()))
    container = of(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0]
    container["terminationMessagePolicy"] = "File"
    container["resources"]["requests"]["cpu"] = "1.5"
    of(objects, "DaemonSet")["metadata"]["annotations"] = {"deprecated.daemonset.template.generation": "1"}
    of(objects, "Namespace")["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = "workloads"
    cluster(objects=objects)

    assert verified(run, tmp_path)[0] == 0


def test_an_object_that_is_missing_and_a_field_with_another_value_are_named(run, cluster, tmp_path):
    objects = json.loads(json.dumps([each for each in cluster() if each["kind"] != "Service"]))
    of(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0]["image"] = "example.com/chat:2"
    cluster(objects=objects)

    status, out = verified(run, tmp_path)

    assert status == 1
    assert out == (
        "cluster: 2 differences\n"
        "  Deployment workloads/chat spec.template.spec.containers[0].image: described 'example.com/chat:1', observed 'example.com/chat:2'\n"
        "  Service workloads/chat: described an object of the cluster, observed no such object\n"
        "next: talos-gpu doctor --live names the cause of a missing GPU; talos-gpu synth writes the files that are described\n"
    )


def test_a_node_on_another_talos_without_its_taint_its_driver_and_its_gpu_is_named(run, cluster, tmp_path):
    other = node(spec={})
    other["metadata"]["labels"] = {"extensions.talos.dev/nvidia-container-toolkit-lts": "580.1"}
    other["status"] |= {"allocatable": {"nvidia.com/gpu": "0"}, "nodeInfo": {"osImage": "Talos (v1.13.9)"}}
    cluster(nodes=[other])
    status, out = verified(run, tmp_path)

    assert status == 1
    assert out.splitlines()[:-1] == [
        "cluster: 5 differences",
        "  nodes.gpu-1.talos: described 1.14.6, observed 1.13.9",
        "  nodes.gpu-1.extensions: described nvidia-open-gpu-kernel-modules-production, observed nvidia-container-toolkit-lts",
        "  nodes.gpu-1.extensions: described nvidia-container-toolkit-production, observed nvidia-container-toolkit-lts",
        "  nodes.gpu-1.taints: described dedicated=ai:NoSchedule, observed no such taint",
        "  nodes.gpu-1.allocatable: described some nvidia.com/gpu, observed 0",
    ]


def test_an_address_that_no_node_has_is_named(run, cluster, tmp_path):
    other = node()
    other["status"]["addresses"][0]["address"] = "10.0.0.6"
    cluster(nodes=[other])

    assert "  nodes.10.0.0.5: described a node of the cluster, observed no Node of this address\n" in verified(run, tmp_path)[1]


def test_what_was_not_read_is_no_difference_and_no_proof_of_sameness(run, cluster, tmp_path):
    (tmp_path / "state.json").write_text(json.dumps({"nodes": [node()]}))

    status, out = verified(run, tmp_path)

    assert status == 3
    assert out == (
        "cluster: no difference in what was read\nnot read\n  objects: Error from server (Forbidden): deployments.apps is forbidden\n"
    )


def test_a_cluster_without_a_node_of_the_class_is_not_as_described(run, cluster, tmp_path):
    (tmp_path / "cluster.yaml").write_text(FILE.replace(", address: 10.0.0.5", "").replace("gpu-1:", "gpu:"))
    cluster(nodes=[])

    assert "  nodes.gpu: described some nodes, observed 0 nodes of this class\n" in verified(run, tmp_path)[1]


def test_an_extension_of_the_file_that_the_node_lacks_is_named(run, cluster, tmp_path):
    (tmp_path / "cluster.yaml").write_text(FILE.replace("taints:", "extensions: [siderolabs/iscsi-tools], taints:"))

    assert "  nodes.gpu-1.extensions: described iscsi-tools, observed nvidia-container-toolkit-production, " in verified(run, tmp_path)[1]


def test_an_object_that_could_not_be_read_is_not_called_missing(run, cluster, tmp_path):
    objects = [each for each in cluster() if each["kind"] != "Service"]
    cluster(objects=objects, forbidden='Error from server (Forbidden): services "chat" is forbidden')
    status, out = verified(run, tmp_path)

    assert (status, out.splitlines()[0]) == (3, "cluster: no difference in what was read")
    assert "  Service workloads/chat: described an object of the cluster\n" in out


def test_a_value_that_may_be_a_credential_is_not_printed(run, cluster, tmp_path):
    (tmp_path / "cluster.yaml").write_text(FILE.replace("cpu: 1500m", "cpu: 1500m, env: {MODE: a}"))
    objects = json.loads(json.dumps(cluster()))
    container = of(objects, "Deployment")["spec"]["template"]["spec"]["containers"][0]
    container["env"] = [{"name": "MODE", "value": "hunter2"}, *container.get("env", [])]
    cluster(objects=objects)
    out = verified(run, tmp_path)[1]

    assert "described 'a', observed another value\n" in out
    assert "hunter2" not in out


def test_in_a_cluster_without_any_object_of_the_file_no_proof_is_started(run, cluster, tmp_path):
    cluster(objects=[])
    status, out = verified(run, tmp_path, "--prove")

    assert status == 1
    assert (
        "  not started, because no object of the file was read in this cluster: apply the manifests first, or name the right --context\n"
        in out
    )
    assert {each.split()[0] for each in (tmp_path / "calls").read_text().splitlines()} <= {"get", "logs"}


def test_the_proof_runs_the_job_again_and_prints_its_log(run, cluster, tmp_path):
    job = of(cluster(), "Job")
    status, out = verified(run, tmp_path, "--prove")
    name = job["metadata"]["name"]

    assert status == 0
    assert out.endswith(f"proof: Job workloads/{name}\n  passed count and isolation: 1 of 1\n  passed all\n")
    calls = [each for each in (tmp_path / "calls").read_text().splitlines() if f"{name}" in each or each.startswith("apply")]
    assert [each.split()[0] for each in calls] == ["delete", "apply", "get", "logs"]
    assert calls[0] == f"delete job {name} --namespace workloads --ignore-not-found"


def test_without_prove_nothing_is_written(run, cluster, tmp_path):
    verified(run, tmp_path)

    assert {each.split()[0] for each in (tmp_path / "calls").read_text().splitlines()} <= {"get", "logs"}


def test_a_proof_that_fails_is_told_with_its_log(run, cluster, tmp_path):
    cluster(log="FAILED driver: nvidia-smi says: no")
    status, out = verified(run, tmp_path, "--prove")

    assert status == 1
    assert out.startswith("cluster: Job workloads/smoke-test-")
    assert "  FAILED driver: nvidia-smi says: no\n" in out


def test_a_proof_for_which_no_gpu_is_free_says_what_to_do(run, cluster, tmp_path, monkeypatch):
    monkeypatch.setattr(verify_command.time, "sleep", lambda _: None)
    cluster(job="", scheduled="0/1 nodes are available: 1 Insufficient nvidia.com/gpu.")
    status, out = verified(run, tmp_path, "--prove")

    assert status == 1
    assert "  no GPU is free for the proof: scale a workload on the GPUs to 0 replicas, and prove again\n" in out
    assert (tmp_path / "calls").read_text().count("get job smoke-test-") == verify_command._REGISTRATION // verify_command._PAUSE


def test_a_proof_needs_a_smoke_test_in_the_file(run, cluster, tmp_path):
    (tmp_path / "cluster.yaml").write_text("talos: 1.14.6\nnodes: {gpu-1: {card: RTX 4090, address: 10.0.0.5}}\n")
    status, _, err = run("verify", tmp_path / "cluster.yaml", "--prove")

    assert status == 2
    assert err.endswith(
        "talos-gpu verify: --prove needs a workload with the recipe CudaSmokeTest in the file, such as smoke-test: {recipe: CudaSmokeTest}\n"
    )


def test_the_context_of_the_flags_is_asked(run, cluster, tmp_path):
    verified(run, tmp_path, "--context", "home")

    assert all(each.endswith("--context home") or "--context=home" in each for each in (tmp_path / "calls").read_text().splitlines())
