"""Kernel modules, drivers, fabric managers and kernel arguments that do not fit the card of a node or its Talos."""

from __future__ import annotations

from collections.abc import Iterator

from ....arguments.patterns import pattern
from ....nodes.cards import is_gb10, kernel_args, refusal
from ....observed.agents.agents import Agent, device_plugins, dra_drivers
from ....observed.agents.operators import operators, version_of
from ....observed.model import Inputs, NodeConfig, Path, at, equals, is_open, question
from ....observed.nodes.cards import named_card, selected_card
from ....observed.nodes.node_extensions import drivers, has_gdrcopy, may_load, modules, nvidia_extensions
from ....observed.nodes.node_settings import is_whole, names_every_module, talos_of, unless_made
from ....upstream.charts import device_plugin_chart, dra_driver_chart, gpu_operator_chart
from ....upstream.kubernetes.registries import split_reference
from ....upstream.nvidia.card_names import NVLINK5_BOARDS, NVSWITCH_BOARDS, plain_name
from ....upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ....upstream.talos.extension_names import FABRIC_MANAGER
from ....upstream.talos.features import (
    BTI_ARGUMENT,
    BTI_KERNEL,
    GDRCOPY_MODULE,
    NO_FABRIC_MANAGER,
    NVLINK5_FABRIC_MANAGER,
    UMAD_MODULE,
    UNCONFIGURED_FABRIC_MANAGER,
)
from ....upstream.version import Version
from ....yaml.unknown import known_text
from ...halves import talos_of_nodes
from ...rule import Example, Rule, Severity, Violation, Witness, addition, removal
from .._shared import MODULES, OPEN, RUNTIME_CLASS, chart_release, dra_release, each_node, schematic, talconfig
from ..dra.driver import serves

_PLUGIN = Version.parse(device_plugin_chart.UNIFIED_MEMORY_SINCE) or Version(0, 0)

_GB10 = "    nodeLabels: {nvidia.com/gpu.product: NVIDIA-GB10}\n"
_IMAGE = schematic("nonfree-kmod-nvidia-production", "nvidia-container-toolkit-production")
_ARGUMENT = _IMAGE.replace("      customization:\n", f"      customization:\n        extraKernelArgs: [{BTI_ARGUMENT}]\n")


@Rule(
    id="TG107",
    claim="The image of a node with a GB10 has the kernel argument arm64.nobti",
    symptom="the node reboots or the kernel panics while it loads nvidia.ko; Internal error: Oops - BTI",
    fix=f"Add {BTI_ARGUMENT} to customization.extraKernelArgs of the schematic, and install the image of the new ID",
    source="siderolabs/talos#13019; NVIDIA/open-gpu-kernel-modules#771; "
    "https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu-proprietary",
    severity=Severity.WARNING,
    shown_by=Witness.TALOS,
    failing=Example(talconfig(_IMAGE + MODULES + _GB10)),
    passing=Example(talconfig(_ARGUMENT + MODULES + _GB10)),
    talos=BTI_KERNEL,
    without_talos=True,
)
@each_node
def _without_argument(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    found, talos = drivers(config), talos_of(config, inputs)
    arguments = config.kernel_args
    if not found or talos is None or arguments is None or is_open(arguments) or BTI_ARGUMENT in arguments:
        return
    card = named_card(config, inputs)
    if card and BTI_ARGUMENT in kernel_args(card.name, talos):
        message = (
            f"the image of {config.name} has no kernel argument {BTI_ARGUMENT}, which the card {card.name} ({card.source}) needs on Talos "
            f"{talos}: the kernel is built with BTI, and NVIDIA's modules do not support BTI"
        )
        yield Violation(Severity.WARNING, message, config, found[0].path)


_POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: ollama, namespace: ai}
spec:
  runtimeClassName: nvidia
  nodeSelector: {nvidia.com/gpu.product: NVIDIA-GB10}
  containers: [{name: ollama, image: "ollama/ollama:0.32.15", resources: {limits: {nvidia.com/gpu: 1}}}]
"""


def _plugin(version: str) -> str:
    return f"{RUNTIME_CLASS}---\n{chart_release('nvidia-device-plugin', version)}    runtimeClassName: nvidia\n    gfd: {{enabled: true}}\n{_POD}"


@Rule(
    id="TG108",
    claim="The device plugin is new enough for a GB10",
    symptom="error getting device memory: Not Supported",
    fix=f"Use the device plugin v{device_plugin_chart.UNIFIED_MEMORY_SINCE} or newer",
    source="NVIDIA/gpu-operator#1794; NVIDIA/k8s-device-plugin#1374",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(_plugin("0.17.3")),
    passing=Example(_plugin("0.17.4")),
)
def _old_plugin(inputs: Inputs) -> Iterator[Violation]:
    source = _gb10(inputs)
    if source is None:
        return
    for plugin in device_plugins(inputs):
        version, path = _version(plugin)
        if version is not None and version < _PLUGIN:
            message = (
                f"the device plugin v{version} does not start on a GB10 ({source}), which has no memory of its own. It exits with 'error getting "
                "device memory: Not Supported'"
            )
            yield Violation(Severity.WARNING, message, plugin.about, path)
    for operator in operators(inputs):
        if operator.is_on("devicePlugin", "enabled").is_no:
            continue
        written = operator.written("devicePlugin", "version")
        version = version_of(written)
        if (written is None and operator.is_older_than(gpu_operator_chart.UNIFIED_MEMORY_SINCE)) or (version and version < _PLUGIN):
            message = (
                f"the device plugin of the GPU operator{f' v{operator.version}' if operator.version else ''} does not start on a GB10 ({source}), which "
                "has no memory of its own. It exits with 'error getting device memory: Not Supported'"
            )
            fix = f"Use the GPU operator v{gpu_operator_chart.UNIFIED_MEMORY_SINCE} or newer, without devicePlugin.version"
            yield Violation(Severity.WARNING, message, operator.about, operator.path("devicePlugin", "version") if version else (), fix=fix)


_DRA = "    nvidiaDriverRoot: /usr/local\n    gpuResourcesEnabledOverride: true\n---\n"
_NODE = talconfig(_ARGUMENT + MODULES + _GB10)


@Rule(
    id="TG112",
    claim="The DRA driver is new enough for a GB10",
    symptom="error getting info for GPU 0: error getting memory info for device 0: Not Supported; no ResourceSlice has the GPU",
    fix="Use the DRA driver 0.4.0 or newer, which is the chart oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu",
    source="kubernetes-sigs/dra-driver-nvidia-gpu#1073; kubernetes-sigs/dra-driver-nvidia-gpu#1115",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(dra_release("25.12.0").replace("dra-driver-nvidia-gpu", "nvidia-dra-driver-gpu") + _DRA + _NODE),
    passing=Example(dra_release("0.4.0") + _DRA + _NODE),
)
def _old_dra_driver(inputs: Inputs) -> Iterator[Violation]:
    source = _gb10(inputs)
    if source is None:
        return
    first, last = (Version.parse(each) for each in dra_driver_chart.OWN_MEMORY_ONLY)
    for driver in dra_drivers(inputs):
        version, path = _version(driver)
        if version and first and last and first <= version <= last and serves(driver, "gpus").is_yes:
            message = (
                f"the DRA driver v{version} does not start on a GB10 ({source}), which has no memory of its own. It exits with 'error getting "
                "memory info for device 0: Not Supported', and no claim on the node is served"
            )
            yield Violation(Severity.WARNING, message, driver.about, path)


def _version(agent: Agent) -> tuple[Version | None, Path]:
    """The version of an agent: the tag of its image, else the version of its chart; with the path of the tag."""
    if agent.release is None:
        tag = split_reference(known_text(at(agent.container, "image"))).tag
        return version_of(tag), (*agent.container_path, "image")
    written = agent.release.value("image", "tag")
    if written is None or equals(written, "").is_yes:
        return version_of(agent.release.version), ()
    return version_of(written), (*agent.release.values_path, "image", "tag")


@question
def _gb10(inputs: Inputs) -> str | None:
    """The place that names a GB10, in words."""
    cards = [card for config in inputs.node_configs if (card := named_card(config, inputs))]
    selected = selected_card(inputs)
    for card in (*cards, *([selected] if selected else [])):
        if is_gb10(card.name):
            return card.source
    return next((f"product {nodes.product!r}" for nodes in inputs.nodes if nodes.product and is_gb10(nodes.product)), None)


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
@each_node
def _not_run(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    found = drivers(config)
    card = named_card(config, inputs) if found else None
    if card is None or len(found) > 1:
        return
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
@each_node
def _without_fabric_manager(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    found = nvidia_extensions(config)
    card = named_card(config, inputs) if drivers(config) else None
    if is_open(config.extensions) or any(each.kind == FABRIC_MANAGER for each in found):
        return
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
@each_node
def _without_umad(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    manager = next((each for each in nvidia_extensions(config) if each.kind == FABRIC_MANAGER), None)
    card = named_card(config, inputs) if manager else None
    if manager is None or card is None or not _NVLINK5.fullmatch(plain_name(card.name)):
        return
    talos = talos_of(config, inputs)
    if talos and talos.minor not in NVLINK5_FABRIC_MANAGER:
        message = (
            f"{config.name} has {manager.name} for the card {card.name} ({card.source}), but the fabric manager of Talos {talos} has "
            "no NVLink subnet manager (NVLSM), which NVLink 5 needs. CUDA fails: CUDA_ERROR_SYSTEM_NOT_READY (802)"
        )
        fix = f"Upgrade to Talos {NVLINK5_FABRIC_MANAGER.first} or newer"
        yield Violation(Severity.WARNING, message, config, manager.path, fix=fix)
    elif names_every_module(config) and not may_load(config, UMAD_MODULE):
        message = (
            f"{config.name} has {manager.name} for the card {card.name} ({card.source}), but does not load {UMAD_MODULE}. Without the "
            "module fabric manager can't start NVLink 5 (NV_WARN_NOTHING_TO_DO), and CUDA fails: CUDA_ERROR_SYSTEM_NOT_READY (802)"
            + unless_made(config)
        )
        severity = Severity.WARNING if config.complete else Severity.INFO
        edits = addition({"name": UMAD_MODULE}, path=config.paths["kernel_modules"], safe=False) if "kernel_modules" in config.paths else ()
        yield Violation(severity, message, config, config.paths.get("kernel_modules", manager.path), edits=edits)


@Rule(
    id="TG088",
    claim="A node with gdrcopy has the open kernel modules, and loads gdrdrv",
    symptom='module not found "gdrdrv"; gdr_open() failed; no /dev/gdrdrv',
    fix="Use siderolabs/nvidia-open-gpu-kernel-modules-production (or -lts, as the toolkit), or remove "
    "siderolabs/nvidia-gdrdrv-device and the module gdrdrv",
    source="siderolabs/pkgs nvidia-open-gpu-kernel-modules; siderolabs/extensions nvidia-gpu/nvidia-gdrdrv-device",
    severity=Severity.WARNING,
    shown_by=Witness.TALOS,
    failing=Example(talconfig(schematic(*_PRODUCTION, "nvidia-gdrdrv-device") + MODULES)),
    passing=Example(talconfig(schematic(*OPEN, "nvidia-gdrdrv-device") + MODULES.replace("]", ", {name: gdrdrv}]"))),
)
@each_node
def _gdrcopy(config: NodeConfig, _: Inputs) -> Iterator[Violation]:
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
        message = f"{config.name} has {extension.name}, but does not load {GDRCOPY_MODULE}. Without the module /dev/gdrdrv does not exist"
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
@each_node
def _not_started(config: NodeConfig, inputs: Inputs) -> Iterator[Violation]:
    manager = next((each for each in nvidia_extensions(config) if each.kind == FABRIC_MANAGER), None)
    talos = talos_of(config, inputs) if manager else None
    if manager is None or talos is None:
        return
    if fixed_in := NO_FABRIC_MANAGER.get(str(talos)):
        happens, fix = "libz.so.1 is missing", f"Upgrade to Talos {fixed_in} or newer"
    elif talos.minor in UNCONFIGURED_FABRIC_MANAGER and manager.track is DriverTrack.PRODUCTION:
        happens, fix = "FABRIC_NODE_CONFIG_FILE has an invalid value", "Upgrade to Talos 1.9 or newer, or use the extensions with -lts"
    else:
        return
    message = (
        f"{config.name} has {manager.name}, but the fabric manager of Talos {talos} does not start: {happens}. CUDA fails: "
        "CUDA_ERROR_SYSTEM_NOT_READY (802)"
    )
    yield Violation(Severity.ERROR, message, config, manager.path, fix=fix, related=talos_of_nodes(inputs, config))
