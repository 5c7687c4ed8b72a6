"""States of GPU pods on a node that works: their admission, their place, their start, and what the program sees."""

from __future__ import annotations

from agent_states import NO_GPU, OLLAMA, crashing, ready, taint, waits, with_env
from dump_clusters import changed, standalone, with_container, workload
from node_scene import NodeScene
from states import CDI, LEGACY, NEWEST, because, on_node, state

REPLICA_SET = "ReplicaSet ollama/ollama-* (without pods)"


@state("legacy-workload-runtime-class-missing", LEGACY, because("runtime-class-missing", REPLICA_SET), form="folder")
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


@state("limit-without-runtime-class", CDI, because("runtime-class-not-named", OLLAMA))
def no_gpu_in_pod(scene: NodeScene) -> None:
    """A limit, and no RuntimeClass: the variable, and no device."""
    ready(scene)
    scene.apply(changed(workload(CDI), "Deployment", runtimeClassName=None))
    scene.until(lambda: scene.runs("ollama"))


@state("void-beside-a-limit", NEWEST, because("gpus-hidden-by-variable", OLLAMA))
def void(scene: NodeScene) -> None:
    """The variable in the pod spec wins over what the plugin has allocated."""
    ready(scene)
    env = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]
    scene.apply(with_container(workload(NEWEST), "Deployment", env=env))
    scene.until(lambda: scene.runs("ollama"))


@state("newest-pod-image-missing", NEWEST, because("image-not-pulled", OLLAMA), form="folder")
def image_missing(scene: NodeScene) -> None:
    ready(scene)
    scene.apply(with_container(workload(NEWEST), "Deployment", image="ollama/ollama:0.12.66"))
    scene.until(lambda: scene.waits("ollama", "ImagePullBackOff: "), "an image that can't be pulled")


@state("newest-pod-does-not-tolerate", NEWEST, because("untolerated-taint", OLLAMA), form="list")
def untolerated(scene: NodeScene) -> None:
    taint(scene)
    scene.apply(changed(standalone(NEWEST), "DaemonSet", tolerations=[{"operator": "Exists"}]))
    scene.until(lambda: scene.offers(1))
    waits(scene, "untolerated taint")


@state("newest-gpus-held-by-others", NEWEST, because("all-gpus-held", "pod ollama/second"), form="folder")
def held(scene: NodeScene) -> None:
    ready(scene)
    scene.apply(workload(NEWEST))
    scene.until(lambda: scene.runs("ollama"))
    spec = workload(NEWEST)[1]["spec"]["template"]["spec"]
    scene.apply([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "second", "namespace": "ollama"}, "spec": spec}])
    scene.until(lambda: scene.pending("second", NO_GPU))


@state("two-own-handler-and-broken-plugin", CDI, on_node("plugin-strategy"), because("runtime-not-configured", "pod ollama/second"))
def handler_beside_a_broken_plugin(scene: NodeScene) -> None:
    """A pod with a RuntimeClass of its own, whose handler is unknown, beside a plugin that does not start."""
    ready(scene)
    other = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia-cdi"}, "handler": "nvidia-cdi"}
    spec = changed(workload(CDI), "Deployment", runtimeClassName="nvidia-cdi")[1]["spec"]["template"]["spec"]
    second = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "second", "namespace": "ollama"}, "spec": spec}
    scene.apply([workload(CDI)[0], other, second])
    scene.until(lambda: scene.reported('no runtime for "nvidia-cdi"'))
    crashing(scene, with_env(standalone(CDI), DEVICE_LIST_STRATEGY="envvars"))
