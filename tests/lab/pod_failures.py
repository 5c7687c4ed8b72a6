"""Failures of GPU pods on nodes that work: their admission, their place, their start, and what the program sees."""

from __future__ import annotations

from typing import Any

import sentences as words
from dump_clusters import CDI, LEGACY, gpu_side, standalone, with_container, workload
from dump_plays import NO_GPU, because, claimed_cluster, recorded, standalone_cluster
from dump_scene import GPU, Scene
from kubelet_words import cannot_create, refused
from machines import Card
from node_failures import no_hook

OLLAMA = "pod ollama/ollama-*"
REPLICA_SET = "ReplicaSet ollama/ollama-* (without pods)"
_GPU = "k8s.device-plugin.nvidia.com/gpu=GPU-1f2e3d4c-0000-0000-0000-000000000001"


def not_found(image: str) -> str:
    """The words of containerd about an image that its registry does not have."""
    return words.RPC("NotFound", words.NOT_UNPACKED(image, words.NOT_RESOLVED(image, words.NOT_FOUND(image))))


def ready(scene: Scene, talos: str = CDI, capacity: int = 1) -> None:
    """A cluster whose GPU is free."""
    standalone_cluster(scene, gpu_side(talos), capacity=capacity, work=False)


def limited(manifests: list[dict[str, Any]], number: int = 1, resource: str = GPU) -> list[dict[str, Any]]:
    """Ollama with another request for GPUs."""
    amounts = {resource: number}
    return with_container(manifests, "Deployment", resources={"limits": amounts, "requests": amounts})


@recorded("dra-claim-template-missing", because("claim-template-missing", OLLAMA), form="bundle")
def template_missing(scene: Scene) -> None:
    claimed_cluster(scene, work=False)
    scene.apply([each for each in workload(claims=True) if each["kind"] != "ResourceClaimTemplate"])
    scene.until(lambda: scene.pods("ollama") and scene.reported("PodResourceClaim ollama"))


@recorded("dra-device-class-missing", because("device-class-missing", OLLAMA))
def class_missing(scene: Scene) -> None:
    """The claim names the class of a MIG device by a name that no chart has."""
    claimed_cluster(scene, work=False)
    made = workload(claims=True)
    for each in made:
        if each["kind"] == "ResourceClaimTemplate":
            each["spec"]["spec"]["devices"]["requests"][0]["exactly"]["deviceClassName"] = "gpu.nvidia.com.shared"
    scene.apply(made)
    scene.until(lambda: scene.pending("ollama", "device class"))


@recorded("dra-all-devices-held", because("all-devices-held", "pod ollama/second"))
def devices_held(scene: Scene) -> None:
    claimed_cluster(scene)
    template = scene.lab.list("resource.k8s.io/v1", "ResourceClaimTemplate")[0]["metadata"]["name"]
    spec = {
        "nodeSelector": {"nvidia.com/gpu.present": "true"},
        "containers": [{"name": "second", "image": "vllm/vllm-openai:v0.11.0", "resources": {"claims": [{"name": "gpu"}]}}],
        "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": template}],
    }
    scene.apply([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "second", "namespace": "ollama"}, "spec": spec}])
    scene.until(lambda: scene.pending("second", "cannot allocate all claims"))


@recorded("cdi-renamed-resource", because("resource-not-offered", OLLAMA), form="list", only=("cluster",))
def renamed(scene: Scene) -> None:
    """renameByDefault: the plugin offers nvidia.com/gpu.shared."""
    ready(scene, capacity=4)
    scene.join(gpu_side())
    scene.patch("node", "gpu-1", {"status": {"capacity": {GPU: None}, "allocatable": {GPU: None}}}, "", "--subresource=status")
    scene.offer("gpu-1", 4, resource=f"{GPU}.shared")
    scene.apply(workload())
    scene.until(lambda: scene.pending("ollama", NO_GPU))


@recorded("legacy-cdi-device-unresolvable", because("cdi-unresolvable", OLLAMA))
def cdi_unresolvable(scene: Scene) -> None:
    """A CDI strategy in the plugin, whose specification containerd does not read."""
    _with_strategy(scene)
    cannot_create(scene, scene.pods("ollama")[0], words.NO_CONTAINER(words.NOT_INJECTED(words.UNRESOLVABLE(_GPU))))


@recorded("legacy-cdi-hook-missing", because("cdi-hook", OLLAMA), only=("kubernetes/",))
def hook_missing(scene: Scene) -> None:
    _with_strategy(scene)
    cannot_create(scene, scene.pods("ollama")[0], no_hook("createContainer", words.NO_FILE("/usr/bin/nvidia-ctk")))


def _with_strategy(scene: Scene) -> None:
    scene.join(gpu_side(LEGACY))
    scene.apply(with_container(standalone(LEGACY), "DaemonSet", env=[{"name": "DEVICE_LIST_STRATEGY", "value": "cdi-cri"}]))
    scene.until(lambda: scene.runs("nvidia-device-plugin"))
    scene.offer("gpu-1", 1)
    scene.apply(workload(LEGACY))
    scene.until(lambda: scene.runs("ollama"))


@recorded("cdi-refused-after-a-reboot", because("admission-error", "pod ollama/ollama-0"), only=("kubernetes/",))
def admission_error(scene: Scene) -> None:
    """The kubelet came up before the plugin, and refused a pod without a controller."""
    ready(scene)
    spec = workload()[1]["spec"]["template"]["spec"]
    scene.apply([workload()[0], {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "ollama-0", "namespace": "ollama"}, "spec": spec}])
    scene.until(lambda: scene.runs("ollama"))
    refused(scene, scene.pods("ollama")[0], "UnexpectedAdmissionError", words.ALLOCATE_FAILED(words.UNAVAILABLE(GPU, 1, 0)))


@recorded("cdi-four-gpus-of-two-nodes", because("more-gpus-than-a-node-has", OLLAMA))
def four_of_two(scene: Scene) -> None:
    """Two nodes with two cards each: a pod can't have the cards of both."""
    cards = (Card(), Card())
    standalone_cluster(scene, gpu_side(cards=cards), gpu_side(name="gpu-2", cards=cards), work=False)
    for name in ("gpu-1", "gpu-2"):
        scene.offer(name, 2)
    scene.apply(limited(workload(), 4))
    scene.until(lambda: scene.pending("ollama", NO_GPU))
