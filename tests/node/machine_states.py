"""States of the node itself: its image, its driver and its card, and the runtime."""

from __future__ import annotations

from dataclasses import replace

from agent_states import crashing, ready, waits
from dump_clusters import standalone
from kernel_lines import Fact
from node_failures import configured, with_extensions
from node_scene import NodeScene, machine
from states import CDI, LEGACY, NEWEST, on_node, state

from talos_gpu_rehearsal.cards import RTX_4090, xid

NO_RUNTIME = "no runtime for"
TOOLKIT, MODULES = "nvidia_container_toolkit_production", "nvidia_open_gpu_kernel_modules_production"


def broken(scene: NodeScene, words: str) -> None:
    """The plugin, about which an event has these words, and Ollama, which waits."""
    scene.apply(standalone(scene.talos))
    scene.until(lambda: scene.reported(words), words)
    waits(scene)


def without_toolkit(scene: NodeScene) -> None:
    """The image lacks the toolkit's extension: its programs, the library, and the part of containerd."""
    scene.without_handler()  # undone last: containerd asks the runtimes for their features when it starts
    scene.hide(*(f"usr/local/bin/{each.name}" for each in (scene.node.root / "usr/local/bin").glob("nvidia-*")))
    scene.hide_library()
    scene.without_cdi_file()


def lose_toolkit(scene: NodeScene) -> None:
    """The same, and Talos shows no such extension."""
    scene.sides["gpu-1"] = with_extensions(machine(scene.talos), **{TOOLKIT: None})
    without_toolkit(scene)
    scene.kubectl("label", "node", "gpu-1", "extensions.talos.dev/nvidia-container-toolkit-production-")


@state("cdi-toolkit-missing", CDI, on_node("toolkit-missing"), form="bundle")
def toolkit_missing(scene: NodeScene) -> None:
    lose_toolkit(scene)
    broken(scene, NO_RUNTIME)


@state("legacy-toolkit-missing-kubernetes-half", LEGACY, on_node("toolkit-missing"), form="list", only=("cluster",))
def toolkit_missing_legacy(scene: NodeScene) -> None:
    lose_toolkit(scene)
    broken(scene, NO_RUNTIME)


@state("legacy-extensions-gone-after-upgrade", LEGACY, on_node("extensions-lost"), form="folder")
def extensions_gone(scene: NodeScene) -> None:
    """An upgrade to the plain image of Talos: the configuration still loads the modules."""
    scene.sides["gpu-1"] = machine(LEGACY, extensions={}, facts=(Fact.MODULE_NOT_FOUND,))
    without_toolkit(scene)
    for name in machine(LEGACY).image:
        scene.kubectl("label", "node", "gpu-1", f"extensions.talos.dev/{name}-")
    scene.without_driver(RTX_4090)
    broken(scene, NO_RUNTIME)


@state("cdi-runtime-program-missing", CDI, on_node("runtime-program-missing"), form="folder")
def binary_missing(scene: NodeScene) -> None:
    """The part of containerd is there, and the program that it names is not."""
    scene.hide("usr/local/bin/nvidia-container-runtime")
    broken(scene, "nvidia-container-runtime: no such file or directory")


@state("library-missing", NEWEST, on_node("nvml-missing"))
def library_missing(scene: NodeScene) -> None:
    """The driver's library is not where the runtime looks for it."""
    scene.hide_library()
    scene.without_cdi_file()
    broken(scene, "failed to create the automatic CDI modifier")


@state("legacy-driver-not-loaded", LEGACY, on_node("modules-refused"))
def not_loaded(scene: NodeScene) -> None:
    """The machine configuration loads the modules, and none is loaded."""
    scene.sides["gpu-1"] = machine(LEGACY, loaded=())
    scene.without_driver(RTX_4090)
    crashing(scene, standalone(LEGACY))


@state("versions-differ", CDI, on_node("version-mismatch"))
def mismatch(scene: NodeScene) -> None:
    """The kernel module and the library are of two versions."""
    scene.sides["gpu-1"] = machine(CDI, facts=(Fact.API_MISMATCH,))
    scene.set_cards(RTX_4090, init="ERROR_LIB_RM_VERSION_MISMATCH")
    crashing(scene, standalone(CDI))


@state("legacy-no-card", LEGACY, on_node("image-without-card"), form="folder")
def no_card(scene: NodeScene) -> None:
    """The image of GPU nodes on a machine without a card: persistenced waits, and the node reboots after 70 minutes."""
    scene.sides["gpu-1"] = machine(LEGACY, facts=(Fact.NO_CARD,))
    scene.without_driver()
    crashing(scene, standalone(LEGACY))


@state("newest-card-fallen-off-the-bus", NEWEST, on_node("fallen-off-the-bus"), form="folder")
def fallen_off(scene: NodeScene) -> None:
    """XID 79 below a running cluster: the plugin marks the card as unhealthy."""
    ready(scene)
    scene.sides["gpu-1"] = machine(NEWEST, facts=(Fact.XID_79,))
    scene.set_cards(replace(RTX_4090, events=(xid(79),)))
    scene.until(lambda: scene.offers(1, 0), "an unhealthy card")
    waits(scene)


@state("cdi-unhealthy-device", CDI, on_node("gpus-unhealthy"), form="list", only=("cluster", "kubernetes/logs"))
def unhealthy(scene: NodeScene) -> None:
    """The plugin takes its only card for broken; nothing of Talos is read."""
    ready(scene)
    scene.set_cards(replace(RTX_4090, events=(xid(48),)))
    scene.until(lambda: scene.offers(1, 0), "an unhealthy card")
    waits(scene)


@state("card-lost", CDI, on_node("fallen-off-the-bus"))
def lost(scene: NodeScene) -> None:
    """The card answers no more when the plugin starts."""
    scene.sides["gpu-1"] = machine(CDI, facts=(Fact.XID_79,))
    scene.set_cards(replace(RTX_4090, is_lost=True))
    crashing(scene, standalone(CDI))


@state("cdi-modules-not-configured", CDI, on_node("modules-not-configured"), form="folder")
def modules_not_configured(scene: NodeScene) -> None:
    scene.sides["gpu-1"] = configured(machine(CDI, shows_config=True))
    scene.without_driver(RTX_4090)
    crashing(scene, standalone(CDI))
