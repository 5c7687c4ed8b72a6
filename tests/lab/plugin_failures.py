"""Failures of the agents: device plugin, GPU operator, DRA driver."""

from __future__ import annotations

from dump_clusters import (
    CDI,
    LEGACY,
    dra_driver,
    gpu_side,
    operator,
    operators_labels,
    workload,
)
from dump_plays import NO_GPU, claimed_cluster, on_node, operator_cluster, recorded
from dump_scene import Scene
from kubelet_words import init_waits, no_image
from pod_failures import not_found


def waits(scene: Scene, talos: str = CDI, words: str = NO_GPU) -> None:
    """Ollama, which no node takes."""
    scene.apply(workload(talos))
    scene.until(lambda: scene.pending("ollama", words))


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
