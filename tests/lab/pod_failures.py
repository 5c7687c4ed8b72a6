"""Failures of GPU pods on nodes that work: their admission, their place, their start, and what the program sees."""

from __future__ import annotations

from typing import Any

import sentences as words
from dump_clusters import CDI, gpu_side, with_container, workload
from dump_plays import NO_GPU, because, claimed_cluster, recorded, standalone_cluster
from dump_scene import GPU, Scene
from machines import Card

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


@recorded("cdi-four-gpus-of-two-nodes", because("more-gpus-than-a-node-has", OLLAMA))
def four_of_two(scene: Scene) -> None:
    """Two nodes with two cards each: a pod can't have the cards of both."""
    cards = (Card(), Card())
    standalone_cluster(scene, gpu_side(cards=cards), gpu_side(name="gpu-2", cards=cards), work=False)
    for name in ("gpu-1", "gpu-2"):
        scene.offer(name, 2)
    scene.apply(limited(workload(), 4))
    scene.until(lambda: scene.pending("ollama", NO_GPU))
