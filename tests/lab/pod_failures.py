"""Failures of GPU pods on nodes that work: their admission, their place, their start, and what the program sees."""

from __future__ import annotations

from typing import Any

import sentences as words
from dump_clusters import CDI, LEGACY, NEWEST, changed, gpu_side, standalone, with_container, workload
from dump_plays import NO_GPU, because, claimed_cluster, recorded, standalone_cluster
from dump_scene import GPU, Scene
from kubelet_words import cannot_create, no_image, no_sandbox, refused
from machines import Card
from node_failures import no_hook, no_runtime

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


@recorded("cdi-pod-violates-pod-security", because("pod-security", REPLICA_SET))
def pod_security(scene: Scene) -> None:
    """The device files as a volume of the host, in a namespace with Talos' default."""
    ready(scene)
    volumes = [{"name": "dev", "hostPath": {"path": "/dev"}}]
    scene.apply(changed(workload(), "Deployment", volumes=volumes))
    scene.until(lambda: scene.reported("violates PodSecurity"))


@recorded("legacy-quota-exceeded", because("quota-exceeded", REPLICA_SET), only=("kubernetes/",))
def quota(scene: Scene) -> None:
    ready(scene, LEGACY)
    made = workload(LEGACY)
    limits = {"requests.nvidia.com/gpu": "0"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "gpus", "namespace": "ollama"}, "spec": {"hard": limits}}
    scene.apply([made[0], quota])
    scene.until(lambda: scene.lab.get("v1", "ResourceQuota", "gpus", "ollama").get("status", {}).get("used"))
    scene.apply(made[1:])
    scene.until(lambda: scene.reported("exceeded quota"))


@recorded("legacy-workload-runtime-class-missing", because("runtime-class-missing", REPLICA_SET))
def runtime_class(scene: Scene) -> None:
    """The workload names a RuntimeClass of another cluster."""
    ready(scene, LEGACY)
    scene.apply(changed(workload(LEGACY), "Deployment", runtimeClassName="nvidia-legacy"))
    scene.until(lambda: scene.reported('RuntimeClass "nvidia-legacy" not found'))


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


@recorded("newest-pod-does-not-tolerate", because("untolerated-taint", OLLAMA), form="list")
def untolerated(scene: Scene) -> None:
    scene.join(gpu_side(NEWEST))
    scene.patch("node", "gpu-1", {"spec": {"taints": [{"key": "dedicated", "value": "ai", "effect": "NoSchedule"}]}})
    scene.apply(changed(standalone(NEWEST), "DaemonSet", tolerations=[{"operator": "Exists"}]))
    scene.until(lambda: scene.runs("nvidia-device-plugin"))
    scene.offer("gpu-1", 1)
    scene.apply(workload(NEWEST))
    scene.until(lambda: scene.pending("ollama", "untolerated taint"))


@recorded("legacy-selector-matches-nothing", because("node-label-missing", OLLAMA), form="json", only=("cluster",))
def selector(scene: Scene) -> None:
    """The label of GPU feature discovery, which is not installed."""
    ready(scene, LEGACY)
    scene.apply(changed(workload(LEGACY), "Deployment", nodeSelector={"nvidia.com/gpu.product": "NVIDIA-GeForce-RTX-4090"}))
    scene.until(lambda: scene.pending("ollama", "didn't match Pod's node affinity/selector"))


@recorded("cdi-two-gpus-of-one", because("more-gpus-than-a-node-has", OLLAMA), form="stream")
def two_of_one(scene: Scene) -> None:
    ready(scene)
    scene.apply(limited(workload(), 2))
    scene.until(lambda: scene.pending("ollama", NO_GPU))


@recorded("newest-gpus-held-by-others", because("all-gpus-held", "pod ollama/second"))
def held(scene: Scene) -> None:
    standalone_cluster(scene, gpu_side(NEWEST))
    spec = workload(NEWEST)[1]["spec"]["template"]["spec"]
    scene.apply([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "second", "namespace": "ollama"}, "spec": spec}])
    scene.until(lambda: scene.pending("second", NO_GPU))


@recorded("cdi-renamed-resource", because("resource-not-offered", OLLAMA), form="list", only=("cluster",))
def renamed(scene: Scene) -> None:
    """renameByDefault: the plugin offers nvidia.com/gpu.shared."""
    ready(scene, capacity=4)
    scene.join(gpu_side())
    scene.patch("node", "gpu-1", {"status": {"capacity": {GPU: None}, "allocatable": {GPU: None}}}, "", "--subresource=status")
    scene.offer("gpu-1", 4, resource=f"{GPU}.shared")
    scene.apply(workload())
    scene.until(lambda: scene.pending("ollama", NO_GPU))


@recorded("legacy-node-cordoned", because("gpu-nodes-cordoned", OLLAMA), form="list")
def cordoned(scene: Scene) -> None:
    ready(scene, LEGACY)
    scene.kubectl("cordon", "gpu-1")
    scene.apply(workload(LEGACY))
    scene.until(lambda: scene.pending("ollama", "unschedulable"))


@recorded("cdi-unbound-volume", because("volume-not-available", OLLAMA), only=("kubernetes/",))
def unbound(scene: Scene) -> None:
    """A claim without a StorageClass in the cluster."""
    ready(scene)
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}}}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "models", "namespace": "ollama"}, "spec": spec}
    made = changed(workload(), "Deployment", volumes=[{"name": "models", "persistentVolumeClaim": {"claimName": "models"}}])
    scene.apply([made[0], claim, *made[1:]])
    scene.until(lambda: scene.pending("ollama", "unbound immediate PersistentVolumeClaims"))


@recorded("newest-pod-image-missing", because("image-not-pulled", OLLAMA))
def image_missing(scene: Scene) -> None:
    standalone_cluster(scene, gpu_side(NEWEST))
    pod = scene.pods("ollama")[0]
    image = pod["spec"]["containers"][0]["image"]
    no_image(scene, pod, not_found(f"docker.io/{image}"))


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


@recorded("cdi-workload-handler-unknown", because("runtime-not-configured", OLLAMA))
def handler(scene: Scene) -> None:
    """The workload has a RuntimeClass of its own, with a handler that Talos does not have."""
    ready(scene)
    other = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia-cdi"}, "handler": "nvidia-cdi"}
    scene.apply([other, *changed(workload(), "Deployment", runtimeClassName="nvidia-cdi")])
    scene.until(lambda: scene.runs("ollama"))
    no_sandbox(
        scene,
        scene.pods("ollama")[0],
        no_runtime("nvidia-cdi"),
    )


@recorded("cdi-refused-after-a-reboot", because("admission-error", "pod ollama/ollama-0"), only=("kubernetes/",))
def admission_error(scene: Scene) -> None:
    """The kubelet came up before the plugin, and refused a pod without a controller."""
    ready(scene)
    spec = workload()[1]["spec"]["template"]["spec"]
    scene.apply([workload()[0], {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "ollama-0", "namespace": "ollama"}, "spec": spec}])
    scene.until(lambda: scene.runs("ollama"))
    refused(scene, scene.pods("ollama")[0], "UnexpectedAdmissionError", words.ALLOCATE_FAILED(words.UNAVAILABLE(GPU, 1, 0)))


@recorded("cdi-rolling-update-deadlock", because("rolling-update-deadlock", OLLAMA))
def deadlock(scene: Scene) -> None:
    """A newer image: the new pod waits for the GPU of the old one, which stays until the new one runs."""
    ready(scene)
    rolling = workload()
    rolling[1]["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
    scene.apply(rolling)
    scene.until(lambda: scene.runs("ollama"))
    scene.apply(with_container(rolling, "Deployment", image="ollama/ollama:0.13.0"))
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
