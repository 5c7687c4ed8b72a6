"""States of GPU pods on a node that works: their admission, their place, their start, and what the program sees."""

from __future__ import annotations

from agent_states import NO_GPU, OLLAMA, crashing, ready, taint, waits, with_env
from dump_clusters import changed, standalone, with_container, workload
from machine_states import lose_toolkit
from node_scene import GPU, NodeScene
from states import CDI, LEGACY, NEWEST, because, on_node, state

REPLICA_SET = "ReplicaSet ollama/ollama-* (without pods)"


@state("legacy-workload-runtime-class-missing", LEGACY, because("runtime-class-missing", REPLICA_SET), form="folder", live=False)
def runtime_class(scene: NodeScene) -> None:
    """The workload names a RuntimeClass of another cluster."""
    ready(scene)
    scene.apply(changed(workload(LEGACY), "Deployment", runtimeClassName="nvidia-legacy"))
    scene.until(lambda: scene.reported('RuntimeClass "nvidia-legacy" not found'))


@state("cdi-workload-handler-unknown", CDI, because("runtime-not-configured", OLLAMA), form="folder")
def handler(scene: NodeScene) -> None:
    """The workload has a RuntimeClass of its own, with a handler that Talos does not have."""
    ready(scene)
    other = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia-cdi"}, "handler": "nvidia-cdi"}
    scene.apply([other, *changed(workload(CDI), "Deployment", runtimeClassName="nvidia-cdi")])
    scene.until(lambda: scene.reported('no runtime for "nvidia-cdi"'))


@state("newest-visible-devices-void", NEWEST, because("gpus-hidden-by-variable", OLLAMA), form="folder")
def void(scene: NodeScene) -> None:
    """The variable in the pod spec wins over what the plugin has allocated."""
    ready(scene)
    env = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]
    scene.apply(with_container(workload(NEWEST), "Deployment", env=env))
    scene.until(lambda: scene.runs("ollama"))


@state("cdi-unknown-uuid", CDI, because("unknown-gpu", OLLAMA), form="folder")
def unknown_uuid(scene: NodeScene) -> None:
    """The pod names the card of another node."""
    pinned(scene, "GPU-1f2e3d4c-0000-0000-0000-00000000beef")


@state("cdi-device-unresolvable-by-the-runtime", CDI, because("cdi-unresolvable", OLLAMA), form="folder", only=("kubernetes/",), live=False)
def unresolvable_by_the_runtime(scene: NodeScene) -> None:
    """The pod names a CDI device that no specification has: NVIDIA's runtime looks for it."""
    pinned(scene, "nvidia.com/gpu=7")


def pinned(scene: NodeScene, device: str) -> None:
    """Ollama with a device of its own choice, whose container does not start."""
    ready(scene)
    env = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": device}]
    scene.apply(with_container(workload(scene.talos), "Deployment", env=env, resources={}))
    scene.until(lambda: scene.crashes("ollama"), "a container that does not start")


@state("cdi-device-unresolvable", CDI, because("cdi-unresolvable", OLLAMA), form="folder", only=("kubernetes/",))
def unresolvable(scene: NodeScene) -> None:
    """The plugin's CDI specification is gone from the node: containerd looks for it."""
    ready(scene, strategy="cdi-cri")
    specification = scene.node.view / "run/cdi/k8s.device-plugin.nvidia.com-gpu.json"
    specification.unlink()
    scene.apply(workload(CDI))
    scene.until(lambda: scene.waits("ollama", "CreateContainerError: ") and scene.reported("unresolvable CDI devices"), "no container")


@state("newest-pod-image-missing", NEWEST, because("image-not-pulled", OLLAMA), form="folder")
def image_missing(scene: NodeScene) -> None:
    ready(scene)
    scene.apply(with_container(workload(NEWEST), "Deployment", image="ollama/ollama:0.12.66"))
    scene.until(lambda: scene.waits("ollama", "ImagePullBackOff: "), "an image that can't be pulled")


@state("newest-pod-does-not-tolerate", NEWEST, because("untolerated-taint", OLLAMA), form="list", live=False)
def untolerated(scene: NodeScene) -> None:
    taint(scene)
    scene.apply(changed(standalone(NEWEST), "DaemonSet", tolerations=[{"operator": "Exists"}]))
    scene.until(lambda: scene.offers(1))
    waits(scene, "untolerated taint")


@state("newest-gpus-held-by-others", NEWEST, because("all-gpus-held", "pod ollama/second"), form="folder", live=False)
def held(scene: NodeScene) -> None:
    ready(scene)
    scene.apply(workload(NEWEST))
    scene.until(lambda: scene.runs("ollama"))
    spec = workload(NEWEST)[1]["spec"]["template"]["spec"]
    scene.apply([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "second", "namespace": "ollama"}, "spec": spec}])
    scene.until(lambda: scene.pending("second", NO_GPU))


@state("two-plugin-and-handler", CDI, on_node("plugin-strategy"), because("runtime-not-configured", "pod ollama/second"), form="folder")
def handler_beside_a_broken_plugin(scene: NodeScene) -> None:
    """A pod with a RuntimeClass of its own, whose handler is unknown, beside a plugin that does not start."""
    ready(scene)
    other = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia-cdi"}, "handler": "nvidia-cdi"}
    spec = changed(workload(CDI), "Deployment", runtimeClassName="nvidia-cdi")[1]["spec"]["template"]["spec"]
    second = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "second", "namespace": "ollama"}, "spec": spec}
    scene.apply([workload(CDI)[0], other, second])
    scene.until(lambda: scene.reported('no runtime for "nvidia-cdi"'))
    crashing(scene, with_env(standalone(CDI), DEVICE_LIST_STRATEGY="envvars"))


@state("cdi-pod-violates-pod-security", CDI, because("pod-security", REPLICA_SET), form="folder", live=False)
def pod_security(scene: NodeScene) -> None:
    """The device files as a volume of the host, in a namespace with Talos' default."""
    ready(scene)
    made = changed(workload(CDI), "Deployment", volumes=[{"name": "dev", "hostPath": {"path": "/dev"}}])
    made[0]["metadata"]["labels"] = {"pod-security.kubernetes.io/enforce": "baseline"}
    scene.apply(made)
    scene.until(lambda: scene.reported("violates PodSecurity"))


@state("legacy-quota-exceeded", LEGACY, because("quota-exceeded", REPLICA_SET), form="folder", only=("kubernetes/",), live=False)
def quota(scene: NodeScene) -> None:
    ready(scene)
    made = workload(LEGACY)
    hard = {"requests.nvidia.com/gpu": "0"}
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "gpus", "namespace": "ollama"}, "spec": {"hard": hard}}
    scene.apply([made[0], quota])
    scene.until(lambda: scene.cluster.get("resourcequota", "gpus", "ollama").get("status", {}).get("used"), "a counted quota")
    scene.apply(made[1:])
    scene.until(lambda: scene.reported("exceeded quota"))


@state("legacy-selector-matches-nothing", LEGACY, because("node-label-missing", OLLAMA), form="json", only=("cluster",), live=False)
def selector(scene: NodeScene) -> None:
    """The label of GPU feature discovery, which is not installed."""
    ready(scene)
    scene.apply(changed(workload(LEGACY), "Deployment", nodeSelector={"nvidia.com/gpu.product": "NVIDIA-GeForce-RTX-4090"}))
    scene.until(lambda: scene.pending("ollama", "didn't match Pod's node affinity/selector"))


@state("cdi-two-gpus-of-one", CDI, because("more-gpus-than-a-node-has", OLLAMA), form="stream", live=False)
def two_of_one(scene: NodeScene) -> None:
    ready(scene)
    amounts = {GPU: 2}
    scene.apply(with_container(workload(CDI), "Deployment", resources={"limits": amounts, "requests": amounts}))
    scene.until(lambda: scene.pending("ollama", NO_GPU))


@state("legacy-node-cordoned", LEGACY, because("gpu-nodes-cordoned", OLLAMA), form="list", live=False)
def cordoned(scene: NodeScene) -> None:
    ready(scene)
    scene.kubectl("cordon", "gpu-1")
    scene.apply(workload(LEGACY))
    scene.until(lambda: scene.pending("ollama", "unschedulable"))


@state("cdi-unbound-volume", CDI, because("volume-not-available", OLLAMA), form="folder", only=("kubernetes/",), live=False)
def unbound(scene: NodeScene) -> None:
    """A claim without a StorageClass in the cluster."""
    ready(scene)
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "100Gi"}}}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "models", "namespace": "ollama"}, "spec": spec}
    made = changed(workload(CDI), "Deployment", volumes=[{"name": "models", "persistentVolumeClaim": {"claimName": "models"}}])
    scene.apply([made[0], claim, *made[1:]])
    scene.until(lambda: scene.pending("ollama", "unbound immediate PersistentVolumeClaims"))


@state("cdi-rolling-update-deadlock", CDI, because("rolling-update-deadlock", OLLAMA), form="folder", live=False)
def deadlock(scene: NodeScene) -> None:
    """A newer image: the new pod waits for the GPU of the old one, which stays until the new one runs."""
    ready(scene)
    rolling = workload(CDI)
    rolling[1]["spec"]["strategy"] = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
    scene.apply(rolling)
    scene.until(lambda: scene.runs("ollama"))
    scene.apply(with_container(rolling, "Deployment", image="ollama/ollama:0.13.0"))
    scene.until(lambda: scene.pending("ollama", NO_GPU))


@state(
    "two-plugin-and-taint", CDI, on_node("agent-untolerated-taint"), because("untolerated-taint", OLLAMA), form="list", only=("cluster",)
)
def plugin_and_taint(scene: NodeScene) -> None:
    """Neither the plugin nor the pod tolerates the taint of the node."""
    taint(scene)
    scene.apply([*standalone(CDI), *workload(CDI)])
    scene.until(lambda: scene.pending("ollama", "untolerated taint"))


@state("two-toolkit-and-selector", LEGACY, on_node("toolkit-missing"), because("node-label-missing", OLLAMA), form="folder")
def toolkit_and_selector(scene: NodeScene) -> None:
    """The image lacks the toolkit, and the pod selects a label that no node has."""
    lose_toolkit(scene)
    scene.apply(standalone(LEGACY))
    scene.until(lambda: scene.reported("no runtime for"))
    scene.apply(changed(workload(LEGACY), "Deployment", nodeSelector={"nvidia.com/gpu.product": "NVIDIA-GeForce-RTX-4090"}))
    scene.until(lambda: scene.pending("ollama", "didn't match Pod's node affinity/selector"))
