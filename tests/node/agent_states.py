"""States of a node whose agents are broken: the device plugin, its RuntimeClass, its settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dump_clusters import PLUGIN, changed, standalone, with_container, workload
from dump_scene import namespace
from node_scene import NodeScene
from states import CDI, LEGACY, NEWEST, because, on_node, state

from talos_gpu_rehearsal.cards import A100

PLUGIN_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v{}"
OLDER = ("0.17.4", "0.18.2")
"""Releases of the plugin that the rehearsal builds beside the newest."""
NO_GPU = "Insufficient nvidia.com/gpu"
OLLAMA = "pod ollama/ollama-*"


def ready(scene: NodeScene, capacity: int = 1, **arguments: Any) -> None:
    """A node whose GPU is free."""
    scene.apply(standalone(scene.talos, **arguments))
    scene.until(lambda: scene.offers(capacity), "a GPU to offer")


def waits(scene: NodeScene, words: str = NO_GPU) -> None:
    """Ollama, which no node takes."""
    scene.apply(workload(scene.talos))
    scene.until(lambda: scene.pending("ollama", words), "a pending Ollama")


def with_env(manifests: list[dict[str, Any]], **variables: str) -> list[dict[str, Any]]:
    """The plugin with other values of its variables."""
    spec = next(each for each in manifests if each["kind"] == "DaemonSet")["spec"]["template"]["spec"]
    env = [each for each in spec["containers"][0]["env"] if each["name"] not in variables]
    return with_container(manifests, "DaemonSet", env=[*env, *({"name": key, "value": value} for key, value in variables.items())])


def of_release(manifests: list[dict[str, Any]], release: str) -> list[dict[str, Any]]:
    """The plugin of another release."""
    return with_container(manifests, "DaemonSet", image=PLUGIN_IMAGE.format(release))


def crashing(scene: NodeScene, manifests: list[dict[str, Any]]) -> None:
    """A plugin that ends soon after each start, and Ollama, which waits."""
    scene.apply(manifests)
    scene.until(lambda: scene.crashes(PLUGIN), "a crashing plugin")
    waits(scene)


@state("cdi-no-plugin", CDI, on_node("no-device-plugin"), form="bundle")
def no_plugin(scene: NodeScene) -> None:
    """The RuntimeClass, and no device plugin."""
    scene.apply([each for each in standalone(CDI) if each["kind"] == "RuntimeClass"])
    waits(scene)


@state("cdi-plugin-removed", CDI, on_node("no-device-plugin"), form="bundle", only=("kubernetes/",))
def plugin_removed(scene: NodeScene) -> None:
    """The plugin was deleted: the node keeps its capacity, and allocatable falls to 0."""
    ready(scene)
    scene.kubectl("delete", "daemonset", PLUGIN, "--namespace=nvidia")
    scene.until(lambda: scene.offers(1, 0) and not scene.pods(PLUGIN), "0 of 1 GPU")
    waits(scene)


@state("kubelet-restarted-without-plugin", CDI, on_node("no-device-plugin"))
def kubelet_restarted(scene: NodeScene) -> None:
    """The kubelet comes up and knows the plugin of its checkpoint, which has not come back; a pod that is bound to the node is refused."""
    plugin_removed(scene)
    scene.restart_kubelet()
    refused(scene, "bound")


@state(
    "cdi-refused-after-a-reboot", CDI, because("admission-error", "pod ollama/ollama-0"), form="folder", only=("kubernetes/",), live=False
)
def refused_after_a_reboot(scene: NodeScene) -> None:
    """The kubelet comes up before the plugin, and refuses a pod without a controller, which nothing makes again."""
    ready(scene)
    scene.kubectl("delete", "daemonset", PLUGIN, "--namespace=nvidia")
    scene.until(lambda: scene.offers(1, 0) and not scene.pods(PLUGIN), "0 of 1 GPU")
    scene.restart_kubelet()
    refused(scene, "ollama-0")
    ready(scene)


def refused(scene: NodeScene, name: str) -> None:
    """A pod that is bound to the node, and that its kubelet refuses for want of a GPU."""
    scene.apply(workload(scene.talos)[:1])
    spec = workload(scene.talos)[1]["spec"]["template"]["spec"] | {"nodeName": "gpu-1"}
    scene.until(lambda: scene.offers(0, 0) or scene.offers(1, 0), "a kubelet with no GPU")
    scene.apply([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ollama"}, "spec": spec}])
    scene.until(lambda: scene.pods(name)[0]["status"].get("reason") in ("UnexpectedAdmissionError", "OutOfnvidia.com/gpu"), "a refused pod")


@state("legacy-plugin-desired-0", LEGACY, on_node("agent-label-missing"), form="folder", only=("kubernetes/",))
def desired_0(scene: NodeScene) -> None:
    """The plugin selects the label of NFD's other form."""
    selector = {"feature.node.kubernetes.io/pci-0300_10de.present": "true"}
    scene.apply(changed(standalone(LEGACY), "DaemonSet", nodeSelector=selector))
    scene.until(lambda: _desired(scene) == [0], "DESIRED 0")
    waits(scene)


@state("newest-plugin-does-not-tolerate", NEWEST, on_node("agent-untolerated-taint"), form="folder")
def not_tolerating(scene: NodeScene) -> None:
    """A taint of the cluster's own, which Ollama tolerates and the plugin does not."""
    taint(scene)
    scene.apply(standalone(NEWEST))
    scene.until(lambda: _desired(scene) == [0], "DESIRED 0")
    tolerations = [{"key": "dedicated", "operator": "Exists"}, {"key": "nvidia.com/gpu", "operator": "Exists"}]
    scene.apply(changed(workload(NEWEST), "Deployment", tolerations=tolerations))
    scene.until(lambda: scene.pending("ollama", NO_GPU))


def taint(scene: NodeScene) -> None:
    """A taint of the cluster's own."""
    scene.patch("node", "gpu-1", {"spec": {"taints": [{"key": "dedicated", "value": "ai", "effect": "NoSchedule"}]}})


@state("cdi-plugin-refused-by-pod-security", CDI, on_node("pod-security"), form="bundle")
def refused_by_pod_security(scene: NodeScene) -> None:
    baseline = namespace("nvidia")
    baseline["metadata"]["labels"] = {"pod-security.kubernetes.io/enforce": "baseline"}
    scene.apply([baseline, *(each for each in standalone(CDI) if each["kind"] != "Namespace")])
    scene.until(lambda: scene.reported("violates PodSecurity"))
    waits(scene)


@state("cdi-runtime-class-missing", CDI, on_node("runtime-class-missing"), form="folder", only=("kubernetes/",))
def runtime_class_missing(scene: NodeScene) -> None:
    scene.apply(standalone(CDI, runtime_class=False))
    scene.until(lambda: scene.reported('RuntimeClass "nvidia" not found'))


@state("cdi-runtime-handler-unknown", CDI, on_node("runtime-not-configured"), form="folder")
def handler_unknown(scene: NodeScene) -> None:
    """A RuntimeClass with the handler of another system."""
    made = standalone(CDI)
    for each in made:
        if each["kind"] == "RuntimeClass":
            each["handler"] = "nvidia-cdi"
    scene.apply(made)
    scene.until(lambda: scene.reported("no runtime for"))
    waits(scene)


@state("legacy-plugin-without-runtime-class", LEGACY, on_node("agent-without-runtime-class"), form="folder")
def without_runtime_class(scene: NodeScene) -> None:
    crashing(scene, changed(standalone(LEGACY), "DaemonSet", runtimeClassName=None))


@state("legacy-plugin-0.18-without-runtime-class", LEGACY, on_node("agent-without-runtime-class"), form="folder", live=False)
def without_runtime_class_0_18(scene: NodeScene) -> None:
    """The same of the plugin 0.18."""
    crashing(scene, of_release(changed(standalone(LEGACY), "DaemonSet", runtimeClassName=None), "0.18.2"))


@state("cdi-plugin-0.17-invalid-strategy", CDI, on_node("plugin-strategy"), form="folder", live=False)
def invalid_strategy_0_17(scene: NodeScene) -> None:
    crashing(scene, of_release(with_env(standalone(CDI), DEVICE_LIST_STRATEGY="envvars"), "0.17.4"))


@state("cdi-plugin-invalid-strategy", CDI, on_node("plugin-strategy"), form="folder")
def invalid_strategy(scene: NodeScene) -> None:
    crashing(scene, with_env(standalone(CDI), DEVICE_LIST_STRATEGY="envvars"))


@state("newest-plugin-registered-no-device", NEWEST, on_node("agent-without-runtime-class"), form="folder")
def no_device(scene: NodeScene) -> None:
    """A plugin with FAIL_ON_INIT_ERROR=false and without a RuntimeClass: it runs, and offers nothing."""
    scene.apply(with_env(changed(standalone(NEWEST), "DaemonSet", runtimeClassName=None), FAIL_ON_INIT_ERROR="false"))
    scene.until(lambda: scene.runs(PLUGIN) and "No devices found. Waiting indefinitely." in scene.log(PLUGIN), "a plugin without a device")
    waits(scene)


@state("auto-strategy-no-device", CDI, on_node("agent-without-runtime-class"))
def no_device_auto(scene: NodeScene) -> None:
    """The same with the strategy auto, as upstream's chart has it."""
    variables = {"FAIL_ON_INIT_ERROR": "false", "DEVICE_DISCOVERY_STRATEGY": "auto"}
    scene.apply(with_env(changed(standalone(CDI), "DaemonSet", runtimeClassName=None), **variables))
    scene.until(lambda: scene.runs(PLUGIN) and "No devices found. Waiting indefinitely." in scene.log(PLUGIN), "a plugin without a device")
    waits(scene)


@state("legacy-plugin-writes-cdi", LEGACY, on_node("cdi-spec-file"), form="folder")
def writes_cdi(scene: NodeScene) -> None:
    """A CDI strategy in the plugin, without the driver root."""
    crashing(scene, with_env(standalone(LEGACY), DEVICE_LIST_STRATEGY="cdi-cri"))


@state("mig-single-with-a-mixed-layout", CDI, on_node("mig-layout"))
def mig_single(scene: NodeScene) -> None:
    """Partitions of two sizes, and the strategy single."""
    scene.set_cards(replace(A100, mig=("3g.20gb", "1g.5gb")))
    scene.generate_cdi()
    crashing(scene, with_env(standalone(CDI), MIG_STRATEGY="single"))


def _desired(scene: NodeScene) -> list[int]:
    found = scene.cluster.list("DaemonSet")
    return [each["status"]["desiredNumberScheduled"] for each in found if each["status"].get("observedGeneration")]
