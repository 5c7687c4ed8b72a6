"""Kernel modules, drivers, fabric managers and other extensions that do not fit the card of a node or its Talos."""

from __future__ import annotations

from collections.abc import Iterator

from ....arguments.patterns import pattern
from ....nodes.cards import refusal
from ....observed.model import Inputs, is_open
from ....observed.nodes.cards import named_card
from ....observed.nodes.node_extensions import drivers, has_gdrcopy, may_load, modules, nvidia_extensions
from ....observed.nodes.node_settings import is_whole, talos_of
from ....upstream.nvidia.card_names import NVLINK5_BOARDS, NVSWITCH_BOARDS, plain_name
from ....upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ....upstream.talos.extension_names import FABRIC_MANAGER
from ....upstream.talos.features import GDRCOPY_MODULE, NO_FABRIC_MANAGER, NVLINK5_FABRIC_MANAGER, UMAD_MODULE, UNCONFIGURED_FABRIC_MANAGER
from ...edit import addition, removal
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._talos import MODULES, OPEN, once, schematic, talconfig

_SXM = pattern(NVSWITCH_BOARDS)
_NVLINK5 = pattern(NVLINK5_BOARDS)


_PRODUCT = "    nodeLabels: {nvidia.com/gpu.product: %s}\n"
_LTS = ("nonfree-kmod-nvidia-lts", "nvidia-container-toolkit-lts")
_PRODUCTION = ("nonfree-kmod-nvidia-production", "nvidia-container-toolkit-production")


@Rule(
    id="TG076",
    claim="The kernel modules and the driver of a node support its card",
    symptom="No devices were found; NVRM: The NVIDIA GPU is not supported by open gpu; GPU is supported through "
    "the NVIDIA 580.xx Legacy drivers",
    fix="Maxwell, Pascal and Volta: use siderolabs/nonfree-kmod-nvidia-lts and "
    "siderolabs/nvidia-container-toolkit-lts. Blackwell: use siderolabs/nvidia-open-gpu-kernel-modules-production "
    "and siderolabs/nvidia-container-toolkit-production",
    source="NVIDIA/open-gpu-kernel-modules README.md; siderolabs/talos#9430",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(talconfig(schematic(*_PRODUCTION) + MODULES + _PRODUCT % "Quadro-P2200")),
    passing=Example(talconfig(schematic(*_LTS) + MODULES + _PRODUCT % "Quadro-P2200")),
)
def _not_run(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        found = drivers(config)
        card = named_card(config, inputs) if found else None
        if card is None or len(found) > 1:
            continue
        reason = refusal(
            card.name, kernel_modules=str(found[0].flavour), driver_track=str(found[0].track), talos_version=talos_of(config, inputs)
        )
        if reason:
            message = f"{config.name} has {found[0].name}, which does not fit the card {card.name} ({card.source}): {reason}"
            yield Violation(Severity.WARNING, message, config, found[0].path)


@Rule(
    id="TG078",
    claim="Machines with NVSwitch run the fabric manager",
    symptom="CUDA_ERROR_SYSTEM_NOT_READY (802); system not yet initialized",
    fix="Add siderolabs/nvidia-fabricmanager-production (or -lts, as the driver) if the machine has NVSwitch",
    source="https://docs.nvidia.com/datacenter/tesla/fabric-manager-user-guide; siderolabs/extensions nvidia-gpu/nvidia-fabricmanager",
    severity=Severity.INFO,
    shown_by=Witness.CARD,
    failing=Example(talconfig(schematic(*OPEN) + MODULES + _PRODUCT % "NVIDIA-H100-80GB-HBM3")),
    passing=Example(talconfig(schematic(*OPEN) + MODULES + _PRODUCT % "NVIDIA-H100-PCIe")),
)
def _without_fabric_manager(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        found = nvidia_extensions(config)
        card = named_card(config, inputs) if drivers(config) else None
        if is_open(config.extensions) or any(each.kind == FABRIC_MANAGER for each in found):
            continue
        if card and _SXM.fullmatch(plain_name(card.name)):
            message = (
                f"{config.name} has no fabric manager, but NVSwitch connects the card {card.name} ({card.source}) in HGX and DGX machines. "
                "There CUDA fails without the fabric manager: CUDA_ERROR_SYSTEM_NOT_READY (802)"
            )
            fix = f"Add siderolabs/{FABRIC_MANAGER}-{drivers(config)[0].track} if the machine has NVSwitch"
            edits = addition(f"siderolabs/{FABRIC_MANAGER}-{drivers(config)[0].track}", path=found[0].path[:-1], safe=False)
            yield Violation(Severity.INFO, message, config, found[0].path, fix=fix, edits=edits)


_HGX = (*OPEN, "nvidia-fabricmanager-production")


@Rule(
    id="TG104",
    claim="A node with fabric manager for NVLink 5 (B100, B200, B300) loads ib_umad, on Talos 1.12 or newer",
    symptom="NV_WARN_NOTHING_TO_DO; umad_init: can't read ABI version: is ib_umad module loaded?; CUDA_ERROR_SYSTEM_NOT_READY (802)",
    fix="Add {name: ib_umad} to machine.kernel.modules (talhelper: kernelModules; from Talos 1.14 on: a "
    "KernelModuleConfig with name: ib_umad)",
    source="siderolabs/extensions#717; siderolabs/docs#581",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(talconfig(schematic(*_HGX) + MODULES + _PRODUCT % "NVIDIA-B200")),
    passing=Example(talconfig(schematic(*_HGX) + MODULES.replace("]", ", {name: ib-umad}]") + _PRODUCT % "NVIDIA-B200")),
)
def _without_umad(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        manager = next((each for each in nvidia_extensions(config) if each.kind == FABRIC_MANAGER), None)
        card = named_card(config, inputs) if manager else None
        if manager is None or card is None or not _NVLINK5.fullmatch(plain_name(card.name)):
            continue
        talos = talos_of(config, inputs)
        if talos and talos.minor not in NVLINK5_FABRIC_MANAGER:
            message = (
                f"{config.name} has {manager.name} for the card {card.name} ({card.source}), but the fabric manager of Talos {talos} has "
                "no NVLink subnet manager (NVLSM), which NVLink 5 needs. CUDA fails: CUDA_ERROR_SYSTEM_NOT_READY (802)"
            )
            fix = f"Upgrade to Talos {NVLINK5_FABRIC_MANAGER.first} or newer"
            yield Violation(Severity.WARNING, message, config, manager.path, fix=fix)
        elif is_whole(config) and not may_load(config, UMAD_MODULE):
            message = (
                f"{config.name} has {manager.name} for the card {card.name} ({card.source}), but does not load {UMAD_MODULE}. Without the "
                "module fabric manager can't start NVLink 5 (NV_WARN_NOTHING_TO_DO), and CUDA fails: CUDA_ERROR_SYSTEM_NOT_READY (802)"
            )
            edits = (
                addition({"name": UMAD_MODULE}, path=config.paths["kernel_modules"], safe=False) if "kernel_modules" in config.paths else ()
            )
            yield Violation(Severity.WARNING, message, config, config.paths.get("kernel_modules", manager.path), edits=edits)


@Rule(
    id="TG088",
    claim="A node with gdrcopy has the open kernel modules, and loads gdrdrv",
    symptom='module not found "gdrdrv"; gdr_open() failed; no /dev/gdrdrv',
    fix="Use siderolabs/nvidia-open-gpu-kernel-modules-production (or -lts, as the toolkit), or remove "
    "siderolabs/nvidia-gdrdrv-device and the module gdrdrv",
    source="siderolabs/pkgs nvidia-open-gpu-kernel-modules; siderolabs/extensions nvidia-gpu/nvidia-gdrdrv-device",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(talconfig(schematic(*_PRODUCTION, "nvidia-gdrdrv-device") + MODULES)),
    passing=Example(talconfig(schematic(*OPEN, "nvidia-gdrdrv-device") + MODULES.replace("]", ", {name: gdrdrv}]"))),
)
@once
def _gdrcopy(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        extension, found = has_gdrcopy(config), drivers(config)
        loads = GDRCOPY_MODULE in modules(config)
        if found and all(each.flavour is KernelModules.PROPRIETARY for each in found) and (extension or loads):
            setting = f"has {extension.name}" if extension else f"loads {GDRCOPY_MODULE}"
            message = (
                f"{config.name} {setting} beside {found[0].name}, but only the open kernel modules bring the module {GDRCOPY_MODULE}. "
                "Without the module /dev/gdrdrv does not exist"
            )
            edits = removal(safe=False) if extension and not loads else ()
            yield Violation(Severity.WARNING, message, config, extension.path if extension else config.paths["kernel_modules"], edits=edits)
        elif extension and is_whole(config) and not may_load(config, GDRCOPY_MODULE):
            message = (
                f"{config.name} has {extension.name}, but does not load {GDRCOPY_MODULE}. Without the module /dev/gdrdrv does not exist"
            )
            yield Violation(Severity.INFO, message, config, extension.path, fix=f"Add {{name: {GDRCOPY_MODULE}}} to machine.kernel.modules")


_WITH_MANAGER = schematic(*OPEN, "nvidia-fabricmanager-production") + MODULES


@Rule(
    id="TG111",
    claim="The release of Talos has a fabric manager that starts",
    symptom="error while loading shared libraries: libz.so.1: cannot open shared object file; "
    "FABRIC_NODE_CONFIG_FILE has an invalid value; Runner Containerd(ext-nvidia-fabricmanager) exited without "
    "error, going to restart it; CUDA_ERROR_SYSTEM_NOT_READY (802)",
    fix="Upgrade to a patch release of Talos whose fabric manager starts: 1.13.1 or newer",
    source="siderolabs/extensions#1073; siderolabs/extensions#511",
    severity=Severity.ERROR,
    shown_by=Witness.CARD,
    failing=Example(talconfig(_WITH_MANAGER, "v1.13.0")),
    passing=Example(talconfig(_WITH_MANAGER, "v1.13.1")),
)
@once
def _not_started(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        manager = next((each for each in nvidia_extensions(config) if each.kind == FABRIC_MANAGER), None)
        talos = talos_of(config, inputs) if manager else None
        if manager is None or talos is None:
            continue
        if fixed_in := NO_FABRIC_MANAGER.get(str(talos)):
            happens, fix = "libz.so.1 is missing", f"Upgrade to Talos {fixed_in} or newer"
        elif talos.minor in UNCONFIGURED_FABRIC_MANAGER and manager.track is DriverTrack.PRODUCTION:
            happens, fix = "FABRIC_NODE_CONFIG_FILE has an invalid value", "Upgrade to Talos 1.9 or newer, or use the extensions with -lts"
        else:
            continue
        message = (
            f"{config.name} has {manager.name}, but the fabric manager of Talos {talos} does not start: {happens}. CUDA fails: "
            "CUDA_ERROR_SYSTEM_NOT_READY (802)"
        )
        yield Violation(Severity.ERROR, message, config, manager.path, fix=fix)
