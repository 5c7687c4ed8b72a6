"""Images on a real node: containerd finds them by tag and by digest, and the kubelet starts our manifests as they are."""

from __future__ import annotations

import json

import pytest

from nodes import cluster, needs_a_node
from talos_gpu_rehearsal.manifest_images import images_of
from talos_gpu_rehearsal.node import NodeSpec

DIGEST = "sha256:" + "a" * 64


def pod(name: str, image: str, **fields) -> dict:
    spec = {"containers": [{"name": "main", "image": image, **fields}], "restartPolicy": fields.pop("restartPolicy", "Always")}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}


PODS = {
    "by-digest": pod("by-digest", f"a.example/server:1@{DIGEST}", imagePullPolicy="IfNotPresent"),
    "pulled": pod("pulled", "a.example/always:1", args=["--pulled"], imagePullPolicy="Always"),
    "missing": pod("missing", "a.example/none:1"),
    "served": pod(
        "served",
        "a.example/server:1",
        args=["--port", "8000"],
        ports=[{"name": "http", "containerPort": 8000}],
        readinessProbe={"httpGet": {"path": "/health", "port": "http"}},
        livenessProbe={"exec": {"command": ["curl", "--fail", "--silent", "http://127.0.0.1:8000/health"]}},
        env=[{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}],
        securityContext={"runAsUser": 65532, "runAsGroup": 65532, "readOnlyRootFilesystem": True},
    ),
    "script": {
        **pod(
            "script",
            "a.example/tools:1",
            command=["/bin/sh", "-ec", 'mkdir /tmp/a; hf download x; [ "$(id -u)" = 0 ]; nvidia-smi || exit 7'],
        ),
    },
}
PODS["script"]["spec"]["restartPolicy"] = "Never"


@pytest.fixture(scope="module")
def node(tmp_path_factory):
    needs_a_node()
    with cluster(
        tmp_path_factory.mktemp("images") / "cluster",
        [NodeSpec(name="gpu-1")],
        images=images_of(each for name, each in PODS.items() if name != "missing"),
    ) as made:
        made.eventually(lambda: made.list("ServiceAccount", "default"), bool, "the service account of pods")
        made.apply(PODS.values())
        yield made


def status(made, name: str) -> dict:
    return made.get("Pod", name)["status"]["containerStatuses"][0]


def test_an_image_by_digest_starts_and_is_not_pulled(node):
    state = node.eventually(lambda: status(node, "by-digest"), lambda state: state["ready"], "a ready container")
    assert state["image"] == f"a.example/server@{DIGEST}" or state["imageID"].endswith(DIGEST)


def test_an_image_that_is_always_pulled_starts(node):
    node.eventually(lambda: status(node, "pulled"), lambda state: state["ready"], "a ready container")
    assert "Successfully pulled image" in node.kubectl("events", "--for=pod/pulled")


def test_an_image_that_nobody_has_is_not_found(node):
    waiting = node.eventually(
        lambda: status(node, "missing")["state"].get("waiting", {}), lambda state: state.get("reason") == "ImagePullBackOff"
    )
    assert waiting["message"].endswith('failed to resolve reference "a.example/none:1": a.example/none:1: not found')


def test_a_server_is_ready_by_its_probes_as_another_user_on_a_read_only_root(node):
    node.eventually(lambda: status(node, "served"), lambda state: state["ready"], "a ready container")
    report = json.loads(node.kubectl("logs", "served").splitlines()[0])
    assert (report["uid"], report["gid"], report["read_only"]) == (65532, 65532, True)
    assert report["words"] == ["--port", "8000"]
    assert report["environment"]["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert report["devices"] == []


def test_a_script_has_a_shell_its_tools_and_no_faked_nvidia_smi(node):
    ended = node.eventually(lambda: status(node, "script")["state"].get("terminated", {}), bool, "the end of the script")
    assert ended["exitCode"] == 7
    assert "nvidia-smi: not found" in node.kubectl("logs", "script")
