"""The settings that a GB10 (DGX Spark) needs and other cards do not."""

from __future__ import annotations

from collections.abc import Iterator

from ....nodes.cards import is_gb10, kernel_args
from ....observed.agents.agents import Agent, device_plugins, dra_drivers
from ....observed.agents.operators import operators, version_of
from ....observed.model import Inputs, Path, at, equals, is_open, question
from ....observed.nodes.cards import named_card, selected_card
from ....observed.nodes.node_extensions import drivers
from ....observed.nodes.node_settings import talos_of
from ....upstream.charts import device_plugin_chart, dra_driver_chart, gpu_operator_chart
from ....upstream.kubernetes.registries import split_reference
from ....upstream.talos.features import BTI_ARGUMENT, BTI_KERNEL
from ....upstream.version import Version
from ....yaml.unknown import known_text
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import RUNTIME_CLASS, chart_release, dra_release
from .._talos import MODULES, once, schematic, talconfig
from ..dra.setup import serves_gpus

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
    shown_by=Witness.NODE,
    failing=Example(talconfig(_IMAGE + MODULES + _GB10)),
    passing=Example(talconfig(_ARGUMENT + MODULES + _GB10)),
    talos=BTI_KERNEL,
    without_talos=True,
)
@once
def _without_argument(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        found, talos = drivers(config), talos_of(config, inputs)
        arguments = config.kernel_args
        if not found or talos is None or arguments is None or is_open(arguments) or BTI_ARGUMENT in arguments:
            continue
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
        if version and first and last and first <= version <= last and serves_gpus(driver):
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
