"""Failures of nodes: their image, their kernel modules, their driver and card, and the runtime."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sentences as words
import yaml
from dump_clusters import CDI, LEGACY, NEWEST, gpu_side
from dump_plays import because, broken_node, logged, on_node, operator_cluster, recorded, standalone_cluster
from dump_scene import Scene
from healthy_clusters import H100, SWITCH
from kernel_lines import Fact
from kubelet_words import cannot_create, crash, no_sandbox
from machines import Card
from talos_side import Service, TalosSide, extension_version

Pod = Mapping[str, Any]
SANDBOX = "269c0f81d5698d68828a456bd95fff5456d0ef3979adedf572670011214c0010"
RESTARTING = {
    "ext-nvidia-persistenced": Service(
        "Waiting",
        "?",
        words.FOREVER(
            words.RUNNER("ext-nvidia-persistenced"),
            words.TASK_FAILED("ext-nvidia-persistenced", 1, "nvidia-persistenced failed to initialize. Check syslog for more details."),
        ),
    ),
    "ext-nvidia-cdi-gen": Service("Waiting", "?", words.AWAITED(words.AWAITED_SERVICE("ext-nvidia-persistenced", "up"))),
}
BLACKWELL = Card("NVIDIA GeForce RTX 5070 Ti", 16303)
PASCAL = Card("NVIDIA GeForce GTX 1080", 8192)


def no_runtime(handler: str) -> str:
    """The words of containerd about a handler that it does not know."""
    return words.RPC("Unknown", words.NO_OCI_RUNTIME(SANDBOX, words.NO_HANDLER(handler)))


def no_task(error: str) -> str:
    """The words of containerd about a task that the runtime refuses."""
    return words.NO_TASK(words.NO_SHIM_TASK(words.NO_OCI_CREATE(error)))


def no_hook(kind: str, error: str) -> str:
    """The words of containerd about a hook that fails."""
    return no_task(words.RUNC(words.NO_PROCESS(words.NO_INIT(words.HOOK(kind, 0, error)))))


def without_sandbox(scene: Scene, pod: Pod) -> None:
    """The plugin on an image without the container toolkit."""
    no_sandbox(scene, pod, no_runtime("nvidia"))


def without_driver(scene: Scene, pod: Pod, nvml: words.Sentence = words.DRIVER_NOT_LOADED) -> None:
    """The plugin where NVML fails: NVIDIA's runtime can't make the CDI specification of the container."""
    specification = words.NO_CDI_SPEC("auto", words.NO_GENERATORS(words.NO_NVML(nvml())))
    cannot_create(scene, pod, no_task(words.NO_NVIDIA_RUNTIME(words.NO_MODIFIER(words.NO_AUTOMATIC(specification)))))


def with_other_library(scene: Scene, pod: Pod) -> None:
    """The plugin where the libraries are not those of the kernel modules."""
    without_driver(scene, pod, words.OTHER_LIBRARY)


def with_lame_card(scene: Scene, pod: Pod) -> None:
    """The plugin where the driver is loaded, and its card does not answer."""
    without_driver(scene, pod, words.UNKNOWN_ERROR)


def configured(side: TalosSide, *modules: str) -> TalosSide:
    """The machine with a configuration that loads these modules only."""
    documents = []
    for each in yaml.safe_load_all(side.machine.config):
        if each and "machine" in each:
            each["machine"].pop("kernel", None)
            if modules:
                each["machine"]["kernel"] = {"modules": [{"name": name} for name in modules]}
        if each and (each.get("kind") != "KernelModuleConfig" or each["name"] in modules):
            documents.append(each)
    return replace(side, machine=replace(side.machine, config=yaml.safe_dump_all(documents)))


def with_extensions(side: TalosSide, **changes: str | None) -> TalosSide:
    """The machine with other extensions; None takes one away."""
    image = dict(side.image) | {name.replace("_", "-"): text for name, text in changes.items() if text}
    return replace(side, extensions={name: text for name, text in image.items() if changes.get(name.replace("-", "_"), text)})


@recorded("newest-extensions-gone-talos-half", on_node("extensions-lost"), only=("talos/",))
def extensions_gone_talos(scene: Scene) -> None:
    scene.join(gpu_side(NEWEST, extensions={}, facts=(Fact.MODULE_NOT_FOUND,)))


@recorded("newest-modules-extension-missing", on_node("modules-extension-missing"))
def modules_extension_missing(scene: Scene) -> None:
    side = with_extensions(gpu_side(NEWEST), nvidia_open_gpu_kernel_modules_lts=None)
    broken_node(scene, replace(side, facts=(Fact.MODULE_NOT_FOUND,)), without_driver)


@recorded("cdi-tracks-mixed", on_node("tracks-differ"))
def tracks_mixed(scene: Scene) -> None:
    toolkit = extension_version("nvidia-container-toolkit-production", CDI)
    side = with_extensions(gpu_side(), nvidia_container_toolkit_lts=None, nvidia_container_toolkit_production=toolkit)
    broken_node(scene, replace(side, facts=(Fact.API_MISMATCH,), services=RESTARTING), with_other_library)


@recorded("legacy-extension-of-another-talos", on_node("extension-of-another-talos"))
def extension_of_another_talos(scene: Scene) -> None:
    side = with_extensions(gpu_side(LEGACY), nvidia_open_gpu_kernel_modules_lts="580.126.20-v1.12.10")
    broken_node(scene, replace(side, facts=(Fact.KEY_REJECTED,)), without_driver)


@recorded("newest-modules-not-configured-talos-half", on_node("modules-not-configured"), only=("talos/",))
def modules_not_configured_talos(scene: Scene) -> None:
    scene.join(configured(gpu_side(NEWEST)))


@recorded("legacy-modules-not-loaded-bundle", on_node("modules-not-loaded"), form="support")
def modules_not_configured_bundle(scene: Scene) -> None:
    scene.join(configured(gpu_side(LEGACY)))


@recorded("cdi-uvm-missing", on_node("uvm-not-loaded"))
def uvm_missing(scene: Scene) -> None:
    """The plugin counts the card without nvidia_uvm, and CUDA does not work."""
    standalone_cluster(scene, configured(gpu_side(), "nvidia"))
    pod = scene.pods("ollama")[0]
    logged(scene, pod, words.NO_CUDA("unknown error"), words.ON_THE_CPU())


@recorded("cdi-card-of-vfio-pci", on_node("card-held-by-vfio"))
def vfio(scene: Scene) -> None:
    broken_node(scene, gpu_side(driver="vfio-pci", facts=(Fact.VFIO,)), without_driver)


@recorded("legacy-proprietary-modules-on-blackwell", on_node("wrong-kernel-modules"))
def proprietary_on_blackwell(scene: Scene) -> None:
    side = gpu_side(LEGACY, cards=(BLACKWELL,), nodes={"kernel_modules": "proprietary"}, facts=(Fact.NEEDS_OPEN,))
    broken_node(scene, side, with_lame_card)


@recorded("cdi-open-modules-on-pascal", on_node("wrong-kernel-modules"), only=("talos/",))
def open_on_pascal(scene: Scene) -> None:
    scene.join(gpu_side(cards=(PASCAL,), facts=(Fact.NEEDS_PROPRIETARY,)))


@recorded("cdi-gsp-firmware", on_node("gsp-firmware"))
def gsp_firmware(scene: Scene) -> None:
    broken_node(scene, gpu_side(facts=(Fact.GSP,), services=RESTARTING), with_lame_card)


@recorded("operator-card-fallen-off-the-bus", because("fallen-off-the-bus", "gpu-1"), only=("talos/", "kubernetes/nodes"))
def fallen_off_operator(scene: Scene) -> None:
    operator_cluster(scene, facts=(Fact.XID_79,))
    scene.offer("gpu-1", 1, 0)


@recorded("cdi-gen-failed", on_node("service-fails"))
def cdi_gen_failed(scene: Scene) -> None:
    name, log = "ext-nvidia-cdi-gen", 'level=error msg="failed to create CDI specification"'
    failed = Service("Waiting", "?", words.UNTIL_SUCCESS(words.RUNNER(name), words.TASK_FAILED(name, 1, log)))
    broken_node(scene, gpu_side(services={name: failed}), with_lame_card)


@recorded("cdi-fabric-manager-missing", on_node("fabric-manager-missing"))
def fabric_manager_missing(scene: Scene) -> None:
    side = gpu_side(cards=(H100,) * 4, extra_pci=(SWITCH,))
    standalone_cluster(scene, side, capacity=4)
    pod = scene.pods("ollama")[0]
    crash(scene, pod)
    logged(scene, pod, words.CUDA_ERROR("system not yet initialized; Error 802: system not yet initialized (CUDA_ERROR_SYSTEM_NOT_READY)"))


@recorded("eleven-bpf-jit-harden", on_node("device-filter"))
def bpf_jit_harden(scene: Scene) -> None:
    """Talos 1.11 with its default of the sysctl: the runtime can't add the device rules."""
    side = gpu_side("1.11.0")
    config = side.machine.config.replace('net.core.bpf_jit_harden: "1"', 'kernel.panic: "10"')
    side = replace(side, machine=replace(side.machine, config=config), sysctls={"net.core.bpf_jit_harden": "2"})
    output = words.HOOK_OUTPUT(words.EXIT_STATUS(1), "", words.OLD_FILTER())
    broken_node(scene, side, lambda scene, pod: cannot_create(scene, pod, no_hook("prestart", output)))
