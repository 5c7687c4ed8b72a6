"""Clusters in which every GPU works: the doctor names no cause."""

from __future__ import annotations

from dump_clusters import CDI, LEGACY, NEWEST, gpu_side, workload
from dump_plays import claimed_cluster, operator_cluster, recorded, standalone_cluster
from dump_scene import Scene
from machines import Card
from talos_side import extension_version

H100 = Card("NVIDIA H100 80GB HBM3", 81559, "0302")
SWITCH = {
    "class": "Bridge",
    "subclass": "Other",
    "vendor": "NVIDIA Corporation",
    "product": "GH100 [H100 NVSwitch]",
    "class_id": "0x06",
    "subclass_id": "0x80",
    "vendor_id": "0x10de",
    "product_id": "0x22a3",
}


@recorded("healthy-legacy-operator-with-bridge")
def legacy_operator(scene: Scene) -> None:
    operator_cluster(scene, LEGACY)
    scene.offer("gpu-1", 1)
    scene.apply(workload(LEGACY))
    scene.until(lambda: scene.runs("ollama"))


@recorded("healthy-cdi-operator")
def cdi_operator(scene: Scene) -> None:
    operator_cluster(scene)
    scene.offer("gpu-1", 1)
    scene.apply(workload())
    scene.until(lambda: scene.runs("ollama"))


@recorded("healthy-newest-operator", only=("kubernetes/",))
def newest_operator(scene: Scene) -> None:
    operator_cluster(scene, NEWEST)
    scene.offer("gpu-1", 1)
    scene.apply(workload(NEWEST))
    scene.until(lambda: scene.runs("ollama"))


@recorded("healthy-dra")
def dra(scene: Scene) -> None:
    claimed_cluster(scene)


@recorded("healthy-talos-half", only=("talos/",))
def talos_half(scene: Scene) -> None:
    scene.join(gpu_side(NEWEST))


@recorded("healthy-nvswitch", only=("talos/",))
def nvswitch(scene: Scene) -> None:
    """H100 cards with their NVSwitches, and the fabric manager of the driver's version."""
    side = gpu_side(CDI, cards=(H100,) * 4, extra_pci=(SWITCH,))
    fabric = {"nvidia-fabricmanager-lts": extension_version("nvidia-fabricmanager-lts", CDI)}
    scene.join(gpu_side(CDI, cards=(H100,) * 4, extra_pci=(SWITCH,), extensions={**side.image, **fabric}))


@recorded("healthy-two-nodes", form="list")
def two_nodes(scene: Scene) -> None:
    standalone_cluster(scene, gpu_side(), gpu_side(name="gpu-2"))
