"""Failures of the agents: device plugin, GPU operator, DRA driver."""

from __future__ import annotations

from typing import Any

import sentences as words
from dump_clusters import (
    CDI,
    LEGACY,
    PLUGIN,
    changed,
    dra_driver,
    gpu_side,
    operator,
    operators_labels,
    standalone,
    with_container,
    workload,
)
from dump_plays import NO_GPU, claimed_cluster, logged, on_node, operator_cluster, recorded
from dump_scene import Scene
from kubelet_words import crash, init_waits, no_image
from pod_failures import not_found


def waits(scene: Scene, talos: str = CDI, words: str = NO_GPU) -> None:
    """Ollama, which no node takes."""
    scene.apply(workload(talos))
    scene.until(lambda: scene.pending("ollama", words))


@recorded("legacy-plugin-0.18-without-runtime-class", on_node("agent-without-runtime-class"))
def old_without_runtime_class(scene: Scene) -> None:
    """The same of the plugin 0.18, which does not resolve the strategy auto."""
    crashes(
        scene,
        with_container(
            changed(standalone(LEGACY), "DaemonSet", runtimeClassName=None), "DaemonSet", image="nvcr.io/nvidia/k8s-device-plugin:v0.18.2"
        ),
        words.OLD_STRATEGY.logged("E", "auto"),
        words.OLD_HINT.logged("E"),
        words.klog("E", "main.go:185", words.PLUGIN_FAILED(without_managers(words.OLD_DISCOVERY()))),
        talos=LEGACY,
    )


@recorded("legacy-plugin-writes-cdi", on_node("cdi-spec-file"))
def writes_cdi(scene: Scene) -> None:
    """A CDI strategy on Talos 1.12, and no driver below /driver-root in the plugin's container."""
    driver = words.NO_VERSION("", words.NOT_LOCATED("libnvidia-ml.so.", words.NOT_FOUND("libnvidia-ml.so.*.*")))
    error = words.NO_SPEC_FILE(words.NO_SPEC(words.NO_COMMON(words.NO_DRIVER_FILES(driver))))
    crashes(scene, strategy("cdi-cri", LEGACY), words.plugin_ends(words.NO_PLUGINS(error)), talos=LEGACY)


def strategy(word: str, talos: str = CDI) -> list[dict[str, Any]]:
    """The plugin with a device list strategy."""
    return with_container(standalone(talos), "DaemonSet", env=[{"name": "DEVICE_LIST_STRATEGY", "value": word}])


def without_managers(error: str) -> str:
    """The words of a plugin that finds no cards."""
    return words.NO_PLUGINS(words.PLUGINS_FAILED(words.NO_MANAGERS(error)))


def crashes(scene: Scene, plugin: list[dict[str, Any]], *log: str, talos: str = CDI) -> None:
    """A plugin that ends after these lines, and Ollama, which waits."""
    scene.join(gpu_side(talos))
    scene.apply(plugin)
    scene.until(lambda: scene.runs(PLUGIN))
    pod = scene.pods(PLUGIN)[0]
    crash(scene, pod)
    logged(scene, pod, *log)
    waits(scene, talos)


@recorded("legacy-operator-without-bridge", on_node("operator-waits"))
def operator_without_bridge(scene: Scene) -> None:
    """Talos 1.12: the validator finds no driver, and the operands wait for its file."""
    side = gpu_side(LEGACY)
    scene.join(side)
    labels = operators_labels(validator=True)
    scene.lab.patch({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": labels}}, manager="agents")
    scene.apply(operator(LEGACY, bridge=False))
    scene.until(lambda: scene.runs("nvidia-device-plugin") and scene.runs("nvidia-operator-validator") and scene.runs("gpu-operator"))
    for each in (*scene.pods("nvidia-device-plugin"), *scene.pods("nvidia-operator-validator")):
        init_waits(scene, each)
    waits(scene, LEGACY)


@recorded("cdi-operator-pulls-a-driver", on_node("operator-installs-driver"))
def operator_driver(scene: Scene) -> None:
    """driver.enabled: true: the image of the operator's driver does not exist for Talos."""
    operator_cluster(scene, driver=True)
    pod = scene.pods("nvidia-driver-daemonset")[0]
    image = pod["spec"]["containers"][0]["image"]
    no_image(scene, pod, not_found(image))
    for each in (*scene.pods("nvidia-device-plugin"), *scene.pods("nvidia-operator-validator")):
        init_waits(scene, each)
    waits(scene)


@recorded("dra-driver-without-slice", on_node("dra-driver-root"))
def dra_without_slice(scene: Scene) -> None:
    """nvidiaDriverRoot is not that of Talos: the init container finds no nvidia-smi."""
    claimed_cluster(scene, slices=False)
    pod = scene.pods("dra-driver")[0]
    init_waits(scene, pod)
    scene.until(lambda: scene.pending("ollama", "cannot allocate all claims"))


@recorded("dra-no-driver", on_node("no-device-plugin"), form="bundle")
def dra_no_driver(scene: Scene) -> None:
    """The DeviceClasses are left of a driver that is not installed any more."""
    scene.join(gpu_side())
    scene.apply([each for each in dra_driver() if each["kind"] == "DeviceClass"])
    scene.apply(workload(claims=True))
    scene.until(lambda: scene.pending("ollama", "cannot allocate all claims"))


def _desired(scene: Scene) -> list[int]:
    found = scene.lab.list("apps/v1", "DaemonSet")
    return [each["status"]["desiredNumberScheduled"] for each in found if each["status"].get("observedGeneration")]
