"""Two failures at once that have nothing to do with each other: both are named, the lower link first."""

from __future__ import annotations

import sentences as words
from dump_clusters import LEGACY, NEWEST, gpu_side, operator, operators_labels, standalone, workload
from dump_plays import NO_GPU, because, logged, recorded
from dump_scene import Scene
from kernel_lines import Fact
from kubelet_words import init_waits, no_image
from node_failures import configured, without_driver, without_sandbox
from pod_failures import OLLAMA, REPLICA_SET, not_found


@recorded("two-modules-and-image-of-a-pod", because("modules-not-configured", "gpu-2"), because("image-not-pulled", OLLAMA))
def modules_and_image(scene: Scene) -> None:
    """The second node loads no modules; on the first one the image of the pod does not exist."""
    scene.join(gpu_side(), configured(gpu_side(name="gpu-2")))
    scene.apply(standalone())
    scene.until(lambda: len(scene.pods("nvidia-device-plugin")) == 2 and scene.runs("nvidia-device-plugin"))
    scene.offer("gpu-1", 1)
    without_driver(scene, next(each for each in scene.pods("nvidia-device-plugin") if each["spec"]["nodeName"] == "gpu-2"))
    scene.apply(workload())
    scene.until(lambda: scene.runs("ollama"))
    pod = scene.pods("ollama")[0]
    no_image(scene, pod, not_found(f"docker.io/{pod['spec']['containers'][0]['image']}"))


@recorded("two-card-and-modules", because("extensions-lost", "gpu-2"), because("fallen-off-the-bus", "gpu-1"))
def card_and_image(scene: Scene) -> None:
    """The card of one node has fallen off the bus; the other node was upgraded to the plain image."""
    scene.join(gpu_side(NEWEST, facts=(Fact.XID_79,)), gpu_side(NEWEST, name="gpu-2", extensions={}, facts=(Fact.MODULE_NOT_FOUND,)))
    scene.apply(standalone(NEWEST))
    scene.until(lambda: len(scene.pods("nvidia-device-plugin")) == 2 and scene.runs("nvidia-device-plugin"))
    scene.offer("gpu-1", 1, 0)
    scene.offer("gpu-2", 0)
    plugins = {each["spec"]["nodeName"]: each for each in scene.pods("nvidia-device-plugin")}
    without_sandbox(scene, plugins["gpu-2"])
    logged(scene, plugins["gpu-1"], words.UNHEALTHY.logged("I", 79, "GPU-1f2e3d4c"))
    scene.apply(workload(NEWEST))
    scene.until(lambda: scene.pending("ollama", NO_GPU))


@recorded("two-operator-and-quota", because("operator-waits", "gpu-1"), because("quota-exceeded", REPLICA_SET), only=("kubernetes/",))
def operator_and_quota(scene: Scene) -> None:
    """The operator waits for a bridge on Talos 1.12, and the namespace may have no GPU."""
    scene.join(gpu_side(LEGACY))
    labels = operators_labels(validator=True)
    scene.lab.patch({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": labels}}, manager="agents")
    scene.apply(operator(LEGACY, bridge=False))
    operands = ("nvidia-device-plugin", "nvidia-operator-validator")
    scene.until(lambda: all(scene.runs(each) for each in (*operands, "gpu-operator")))
    for each in (pod for name in operands for pod in scene.pods(name)):
        init_waits(scene, each)
    made = workload(LEGACY)
    hard = {"requests.nvidia.com/gpu": "0"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "gpus", "namespace": "ollama"}, "spec": {"hard": hard}}
    scene.apply([made[0], quota])
    scene.until(lambda: scene.lab.get("v1", "ResourceQuota", "gpus", "ollama").get("status", {}).get("used"))
    scene.apply(made[1:])
    scene.until(lambda: scene.reported("exceeded quota"))
