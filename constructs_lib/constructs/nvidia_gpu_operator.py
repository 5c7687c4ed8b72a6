"""`NvidiaGpuOperator`."""

from __future__ import annotations

import attrs
from constructs import Construct

from .._arguments.errors import wrong
from .._arguments.fields import named
from .._arguments.keywords import named_arguments
from ..manifests.gpu_operator_settings import GpuOperatorSettings
from ._chart_construct import check_namespace, delivered, to_delivery
from ._emit import GpuConstruct
from ._registry import BRIDGE, DEVICE_PLUGIN, DRA_DRIVER, EXPORTER, NODE_FEATURE_DISCOVERY, OPERATOR, RUNTIME_CLASS, announce, neighbours
from ._settings import takes
from .delivery import Delivery


@attrs.frozen(kw_only=True, eq=False, repr=False, slots=False, field_transformer=named)
class _Arguments(GpuOperatorSettings):
    delivery: Delivery = attrs.field(default=None, converter=to_delivery)


@named_arguments(nodes="the operator's values follow from its nodes")
class NvidiaGpuOperator(GpuConstruct, _Arguments):
    """NVIDIA's GPU operator with the values that this generation of Talos needs, and what it needs beside the chart.

    On Talos the driver and the toolkit are extensions of the OS image, so the operator's own are off, and so is its MIG manager, which waits
    for systemd. Up to Talos 1.12 CDI is off as well, the device list strategy is `envvar`, and a `ValidationBridge` for each class of nodes
    writes what the operands wait for; from 1.13 on the validator finds the driver under `hostPaths.driverInstallDir: /usr/local`, and neither
    is needed. On 1.15, a preview, the operator's toolkit injects through NRI. The taints of the nodes are tolerated by every operand and by
    node feature discovery.

    On nodes with `dra` its device plugin is off: `DraDriver` hands out their GPUs. Its exporter can't tell which pods have claimed them:
    `DcgmExporter` does.

    Up to Talos 1.12 label the nodes `nvidia.com/gpu.deploy.operator-validator=false`: the operator's own validator can't succeed there, and
    its pods would stay unready.

    Makes a privileged Namespace; the chart by the chosen delivery (its objects, an Application, or a source and a HelmRelease); up to Talos
    1.12 a DaemonSet for each class; where GPUs are shared, or classes differ in their MIG strategy, a ConfigMap with the device plugin's
    config for each class. With several classes a node says which is its own by the label `nvidia.com/device-plugin.config=<name>`. The
    operator makes the RuntimeClass `nvidia` by itself.

    It partitions no card, as its MIG manager can't run on Talos. A class with `mig_devices` gets its plugin from `StandaloneDevicePlugin`;
    the label `nvidia.com/gpu.deploy.device-plugin=false` in its `labels` keeps the operator's own away, and leaves it to the other classes.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        nodes: The class of nodes, or several; each with a `name` then.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`. Default: `HelmTemplate()`, which runs the Helm of this machine.
        version: The chart's version. Default: v25.10.1 up to Talos 1.12, v26.7.0 from 1.13 on.
        namespace: The operator's namespace. Default: `gpu-operator`.
        create_namespace: Make it, privileged. Default: True.
        release_name: The Helm release's name. Default: `gpu-operator`.
        nfd: Install node feature discovery with it. Without it another one has to label the nodes `pci-10de.present`, such as
            `NodeFeatureDiscovery`. Default: True.
        repository: The Helm repository, or `oci://…` of a registry. Default: NVIDIA's.
        chart: The chart's name; with `HelmTemplate` also a path. Default: `gpu-operator`.
        values: Further values of the chart, deep-merged last. Default: none.

    Raises:
        TypeError, ValueError: `'version' must be …` for v26.3.0, and for those that are too old for this Talos; `'values' must be made of
            keys …` for what the chart would ignore; `'nodes' must be …` for classes that share nodes or differ in generation, and for
            `mig_devices` that nobody would partition; `'delivery' must be …` without Helm on PATH, naming the ways that need none.

    Warns:
        TalosGpuWarning: When `values` overrides what Talos needs, for a chart newer than this library, and for nodes with `dra` where its
            device plugin is on for others.

    Example:
        >>> app = App()
        >>> nodes = GpuNodes(talos_version="1.14")
        >>> operator = NvidiaGpuOperator(Chart(app, "gpu"), "gpu-operator", nodes=nodes, delivery=Flux())
        >>> operator.version, operator.chart_values["hostPaths"]
        ('v26.7.0', {'driverInstallDir': '/usr/local'})

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu
    """

    @takes(_Arguments)
    def __init__(self, scope: Construct, id: str, settings: _Arguments) -> None:  # noqa: A002
        _check_neighbours(scope, settings)
        super().__init__(scope, id, settings, settings.companions | delivered(settings, "ClusterPolicy"))
        announce(scope, OPERATOR, settings)
        for bridge in settings.bridges:
            announce(scope, BRIDGE, bridge)


def _check_neighbours(scope: Construct, settings: GpuOperatorSettings) -> None:
    for _ in neighbours(scope, OPERATOR):
        hint = "a cluster has one ClusterPolicy; give the classes of all nodes to one operator: nodes=[…, …]"
        raise wrong("nodes", "given to the one NvidiaGpuOperator of this app", list(settings.nodes), hint)
    check_namespace(scope, settings)
    for discovery in neighbours(scope, NODE_FEATURE_DISCOVERY):
        from ..manifests.nfd_settings import check_beside_operator

        check_beside_operator(nfd=settings.nfd, gpu_present_rule=discovery.gpu_present_rule)
    for theirs in neighbours(scope, BRIDGE):
        for ours in settings.bridges:
            if ours.nodes.may_overlap(theirs.nodes):
                hint = "the operator brings its own; leave the ValidationBridge out"
                raise wrong("nodes", "classes that no ValidationBridge of this app has", theirs.nodes, hint)
    for made in neighbours(scope, RUNTIME_CLASS):
        if made.name == settings.runtime_class:
            from .nvidia_runtime_class import owned_by_operator

            raise owned_by_operator("values[operator.runtimeClass]", made.name, "a name that no NvidiaRuntimeClass of this app has")
    _check_agents(scope, settings)


def _check_agents(scope: Construct, settings: GpuOperatorSettings) -> None:
    for plugin in neighbours(scope, DEVICE_PLUGIN):
        if any(each.may_overlap(plugin.nodes) for each in settings.plugin_classes):
            hint = f"'{plugin.name}' advertises the same GPUs; leave it out, or set devicePlugin.enabled in 'values' to False"
            raise wrong("nodes", "classes that no StandaloneDevicePlugin of this app has", plugin.nodes, hint)
    for driver in neighbours(scope, DRA_DRIVER):
        for theirs in driver.nodes:
            if any(each.may_overlap(theirs) for each in settings.plugin_classes):
                hint = "the operator's device plugin would hand out its GPUs a second time; give both the class with 'dra'"
                raise wrong("nodes", "classes that share no node with those of the DraDriver", theirs, hint)
    for exporter in neighbours(scope, EXPORTER):
        if settings.runs_dcgm_exporter and any(each.may_overlap(exporter.nodes) for each in settings.nodes):
            hint = f"'{exporter.name}' exports the same metrics; leave it out, or give values={{'dcgmExporter': {{'enabled': False}}}}"
            raise wrong("nodes", "classes that no DcgmExporter of this app has", exporter.nodes, hint)
