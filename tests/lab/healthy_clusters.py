"""Clusters in which every GPU works: the doctor names no cause."""

from __future__ import annotations

from dump_clusters import CDI, LEGACY, NEWEST, gpu_side, standalone, workload
from dump_plays import NO_GPU, claimed_cluster, operator_cluster, recorded, standalone_cluster
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


@recorded("healthy-legacy-standalone", form="bundle")
def legacy_standalone(scene: Scene) -> None:
    standalone_cluster(scene, gpu_side(LEGACY))


@recorded("healthy-legacy-operator-with-bridge")
def legacy_operator(scene: Scene) -> None:
    operator_cluster(scene, LEGACY)
    scene.offer("gpu-1", 1)
    scene.apply(workload(LEGACY))
    scene.until(lambda: scene.runs("ollama"))


@recorded("healthy-cdi-standalone", form="list")
def cdi_standalone(scene: Scene) -> None:
    standalone_cluster(scene)


@recorded("healthy-cdi-operator")
def cdi_operator(scene: Scene) -> None:
    operator_cluster(scene)
    scene.offer("gpu-1", 1)
    scene.apply(workload())
    scene.until(lambda: scene.runs("ollama"))


@recorded("healthy-newest-standalone", form="json")
def newest_standalone(scene: Scene) -> None:
    standalone_cluster(scene, gpu_side(NEWEST))


@recorded("healthy-newest-operator", only=("kubernetes/",))
def newest_operator(scene: Scene) -> None:
    operator_cluster(scene, NEWEST)
    scene.offer("gpu-1", 1)
    scene.apply(workload(NEWEST))
    scene.until(lambda: scene.runs("ollama"))


@recorded("healthy-dra")
def dra(scene: Scene) -> None:
    claimed_cluster(scene)


@recorded("healthy-shared-card", form="list", only=("cluster",))
def shared(scene: Scene) -> None:
    """A card that four pods share, and three pods on it."""
    standalone_cluster(scene, capacity=4, work=False)
    deployment = workload()
    deployment[1]["spec"]["replicas"] = 3
    scene.apply(deployment)
    scene.until(lambda: len(scene.pods("ollama")) == 3 and scene.runs("ollama"))


@recorded("healthy-after-a-reboot", form="list")
def after_a_reboot(scene: Scene) -> None:
    """Ollama has waited for the plugin, and runs now: the event of the scheduler is still there."""
    scene.join(gpu_side())
    plugin = standalone()
    scene.apply([each for each in plugin if each["kind"] == "RuntimeClass"])
    scene.apply(workload())
    scene.until(lambda: scene.pending("ollama", NO_GPU))
    scene.apply(plugin)
    scene.until(lambda: scene.runs("nvidia-device-plugin"))
    scene.offer("gpu-1", 1)
    scene.until(lambda: scene.runs("ollama"))
    scene.keep_old_events = True


@recorded("healthy-idle", form="bundle")
def idle(scene: Scene) -> None:
    """No pod wants the GPU."""
    standalone_cluster(scene, work=False)


@recorded("healthy-talos-half", only=("talos/",))
def talos_half(scene: Scene) -> None:
    scene.join(gpu_side(NEWEST))


@recorded("healthy-support-bundle", form="support")
def bundle(scene: Scene) -> None:
    standalone_cluster(scene)


@recorded("healthy-pasted-outputs", form="stream")
def pasted(scene: Scene) -> None:
    standalone_cluster(scene, gpu_side(LEGACY))


@recorded("healthy-nvswitch", only=("talos/",))
def nvswitch(scene: Scene) -> None:
    """H100 cards with their NVSwitches, and the fabric manager of the driver's version."""
    side = gpu_side(CDI, cards=(H100,) * 4, extra_pci=(SWITCH,))
    fabric = {"nvidia-fabricmanager-lts": extension_version("nvidia-fabricmanager-lts", CDI)}
    scene.join(gpu_side(CDI, cards=(H100,) * 4, extra_pci=(SWITCH,), extensions={**side.image, **fabric}))


@recorded("healthy-two-nodes", form="list")
def two_nodes(scene: Scene) -> None:
    standalone_cluster(scene, gpu_side(), gpu_side(name="gpu-2"))
