"""What kubectl and talosctl print of a state of a real node, as the files of a dump.

Beside the names and the times that Kubernetes makes up, a real node has numbers of its own: the sizes of this machine, hashes of containers and images,
counts and delays that depend on the moment. They are replaced by fixed ones, so a second recording changes a file only where the words changed.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from dump_paper import KINDS, kubernetes_of
from dump_scene import AMOUNTS
from node_scene import NAMESPACES, NodeScene
from record_dumps import expected_text, printed_files, titles_of
from states import State
from talos_of_node import talos_side
from talos_side import RELEASES

from talos_gpu_rehearsal.contents import content_of
from talos_gpu_rehearsal.namespaces import NamespaceError

ADDRESS = "10.0.0.11"
FIXED = (
    (re.compile(r"\b[0-9a-f]{64}\b"), "7" * 64),
    (re.compile(r"[Bb]ack-off (?:\d+m)?\d+s"), "back-off 10s"),
    (re.compile(r"^(\[pod/\S+\] )?([IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +(\d+) ", re.MULTILINE), r"\g<1>\g<2>1122 10:00:00.000000       \3 "),
    (re.compile(r"0x[0-9a-f]{9,12}\b"), "0x7f0000000000"),
    (re.compile(r"\b10\.5\.0\.1\b"), ADDRESS),
    (re.compile(r" in [\d.]+m?s \([\d.]+m?s including waiting\)"), " in 1s (1s including waiting)"),
)
KEPT_EVENTS = ("Pod", "ReplicaSet", "DaemonSet", "Deployment", "PersistentVolumeClaim")
SELDOM = 3
NO_SUCH_RELEASE = "the rehearsal builds no such release"
GONE = "unable to retrieve container logs for containerd"
"""What the kubelet says of a container that it has removed."""


def files_of(scene: NodeScene, state: State) -> dict[str, bytes]:
    """The files of a dump by their paths in its folder."""
    scene.files = {path: _fixed(text) for path, text in _logs(scene).items()}
    items = scene.cluster.eventually(lambda: _read(scene), _is_settled, "containers that wait or run")
    for each in items:
        _settle(each, scene)
    written, more = kubernetes_of(scene, json.loads(_fixed(json.dumps(items))))
    printed = printed_files([replace(talos_side(scene), address=ADDRESS)], state, written, more)
    return {"expected.yaml": f"{remarks(written)}{expected_text(state, titles_of(written))}".encode()} | printed


def remarks(items: list[dict[str, Any]]) -> str:
    """Comments that say where the program that speaks in a dump is not of the release that its manifests have."""
    images = {one["image"] for each in items if each["kind"] == "Pod" for one in each["spec"]["containers"]}
    found = sorted({says for image in images if NO_SUCH_RELEASE in (says := content_of(image).says)})
    return "".join(f"# Recorded from a real node with {each}\n" for each in found)


def _read(scene: NodeScene) -> list[dict[str, Any]]:
    """The objects, without the events of the node's own start."""
    items: list[dict[str, Any]] = json.loads(scene.kubectl("get", ",".join(KINDS), "--all-namespaces", "--output=json"))["items"]
    return [each for each in items if each["kind"] != "Event" or each["involvedObject"]["kind"] in KEPT_EVENTS]


def _is_settled(items: list[dict[str, Any]]) -> bool:
    """Whether no container is between an end and its next start."""
    pods = (each["status"] for each in items if each["kind"] == "Pod" and each["status"].get("phase") != "Failed")
    states = [each["state"] for status in pods for each in status.get("containerStatuses", ())]
    return not any("terminated" in each or each.get("waiting", {}).get("reason") == "RunContainerError" for each in states)


def _fixed(text: str) -> str:
    for pattern, fixed in FIXED:
        text = pattern.sub(fixed, text)
    return text


def _settle(item: dict[str, Any], scene: NodeScene) -> None:
    """Give an object the numbers of a machine of the laboratory."""
    if item["kind"] == "Node":
        _settle_node(item, scene)
    elif item["kind"] == "Pod":
        status = item["status"]
        for each in (*status.get("initContainerStatuses", ()), *status.get("containerStatuses", ())):
            each["imageID"] = ""
            each["restartCount"] = min(each["restartCount"], SELDOM) and SELDOM
    elif item["kind"] == "Event" and ((item.get("count") or 1) > 1 or item["reason"] == "FailedCreatePodSandBox"):
        item["count"] = SELDOM


def _settle_node(item: dict[str, Any], scene: NodeScene) -> None:
    status, release = item["status"], RELEASES[scene.talos]
    for amounts in (status["capacity"], status["allocatable"]):
        devices = {key: value for key, value in amounts.items() if key.startswith("nvidia.com/")}
        amounts.clear()
        amounts.update(AMOUNTS | devices)
    status.pop("images", None)
    status["nodeInfo"] |= {"kernelVersion": f"{release.kernel}-talos", "bootID": "", "machineID": f"{11:032x}", "systemUUID": f"{11:032x}"}


def _logs(scene: NodeScene) -> dict[str, str]:
    """The logs of the agents as `talos-gpu doctor --live` asks for them."""
    found = {}
    for pod in scene.cluster.list("Pod", NAMESPACES[0]):
        name, namespace = pod["metadata"]["name"], pod["metadata"]["namespace"]
        words = ("logs", "--namespace", namespace, name, "--all-containers", "--prefix")
        for suffix, more in (("", ()), (".previous", ("--previous",))):
            try:
                text = scene.kubectl(*words, *more)
            except NamespaceError:
                continue  # the container has not started, or not before
            if text and GONE not in text:
                found[f"kubernetes/logs/{namespace}/{name}{suffix}.log"] = text
    return found
