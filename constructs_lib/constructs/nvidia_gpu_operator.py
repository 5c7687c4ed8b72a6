"""`NvidiaGpuOperator`."""

from __future__ import annotations

import attrs
import jsii
from constructs import Construct, IValidation

from .._arguments.errors import wrong
from .._arguments.fields import named
from .._arguments.keywords import named_arguments
from ..manifests.gpu_operator_settings import GpuOperatorSettings
from ..nodes.gpu_nodes import GpuNodes
from ._chart_construct import check_namespace, delivered, to_delivery
from ._emit import GpuConstruct
from ._registry import BRIDGE, DEVICE_PLUGIN, DRA_DRIVER, EXPORTER, NODE_FEATURE_DISCOVERY, OPERATOR, RUNTIME_CLASS, announce, neighbours
from ._settings import takes
from .delivery import Delivery


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class _Arguments(GpuOperatorSettings):
    delivery: Delivery = attrs.field(default=None, converter=to_delivery)


@named_arguments(nodes="the operator's values follow from its nodes")
class NvidiaGpuOperator(GpuConstruct, _Arguments):
    """NVIDIA's GPU operator with the values that the Talos version of its nodes needs, and the objects that Talos needs beside the chart.

    On Talos the driver and the container toolkit are system extensions of the OS image, so the operator's own driver and toolkit are off. The
    operator's MIG manager waits for systemd, which Talos does not have, so the MIG manager is off too. Every operand and node feature discovery
    tolerate the taints of the nodes. The other values depend on the Talos version:

    - Up to Talos 1.12 CDI is off and the device list strategy is `envvar`. A `ValidationBridge` for each class of nodes writes the files that the
      operands wait for. Label these nodes `nvidia.com/gpu.deploy.operator-validator=false`: the operator's own validator can't succeed on them,
      and its pods would never become ready.
    - On Talos 1.13 and 1.14 the validator finds the driver by `hostPaths.driverInstallDir: /usr/local`. No bridge is needed.
    - On Talos 1.15, a preview, the operator's toolkit injects GPUs through NRI.

    On nodes with `dra` the operator's device plugin is off: `DraDriver` allocates the GPUs. The operator's exporter can't tell which pods have
    claimed GPUs; `DcgmExporter` can.

    Makes a privileged Namespace; the chart's objects, an Argo CD Application, or a Flux source and HelmRelease, as `delivery` chooses; up to Talos
    1.12 a DaemonSet for each class; and a ConfigMap with the device plugin's config for each class where GPUs are shared, or where classes differ in
    their MIG strategy. With several classes the node label `nvidia.com/device-plugin.config=<name>` names the class of a node. The operator itself
    makes the RuntimeClass `nvidia`.

    The operator partitions no card, because its MIG manager can't run on Talos. A class with `mig_devices` needs a `StandaloneDevicePlugin` beside the
    operator. The node label `nvidia.com/gpu.deploy.device-plugin=false`, which `MachineConfigPatch(operator=True)` writes for such a class, keeps the
    operator's plugin off the nodes; the other classes keep the operator's plugin.

    On nodes with `passthrough` the operator runs only its device plugin for KubeVirt and the validator of these nodes, by the node label
    `nvidia.com/gpu.workload.config=vm-passthrough`, which `MachineConfigPatch` writes. The VFIO manager is off: Talos binds the cards at boot.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of nodes, or several classes, each with a `name`.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`. Default: `HelmTemplate()`, which runs the Helm of this machine.
        version: The chart's version. Default: v25.10.1 up to Talos 1.12, v26.7.0 from 1.13 on.
        namespace: The operator's namespace. Default: `gpu-operator`.
        create_namespace: Make the namespace, privileged. Default: True.
        release_name: The name of the Helm release. Default: `gpu-operator`.
        nfd: Install node feature discovery with the operator. Otherwise another installation, such as `NodeFeatureDiscovery`, must label the nodes
            `pci-10de.present`. Default: True.
        repository: The Helm repository, or the `oci://…` address of a registry. Default: NVIDIA's.
        chart: The chart's name, or its `oci://…` address; with `HelmTemplate` also a path. Default: `gpu-operator`.
        values: Further values of the chart, merged last. Default: none.

    Raises:
        TypeError, ValueError: `'version' must be …` for v26.3.0, and for versions that are too old for this Talos; `'values' must be made of keys
            …` for keys that the chart ignores; `'nodes' must be …` for classes that share nodes or differ in generation, and at the synth for a class
            with `mig_devices` without a `StandaloneDevicePlugin`; `'delivery' must be …` without Helm on PATH, with the deliveries that need no Helm.

    Warns:
        TalosGpuWarning: When `values` overrides what Talos needs; for a chart newer than this library's tables; for nodes with `dra` while the
            operator's device plugin runs on other nodes.

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
        if settings.partitioned_classes:
            self.node.add_validation(_Partitions(scope, settings.partitioned_classes))


@jsii.implements(IValidation)
class _Partitions:
    """The validation at the synth that every class with partitions has a plugin, which may be made after the operator."""

    def __init__(self, scope: Construct, classes: tuple[GpuNodes, ...]) -> None:
        self._scope, self._classes = scope, classes

    def validate(self) -> list[str]:
        """The errors that stop the synth."""
        plugins = [plugin.nodes for plugin in neighbours(self._scope, DEVICE_PLUGIN)]
        hint = (
            "the operator's MIG manager waits for systemd (NVIDIA/gpu-operator#2501), so nothing partitions the cards: add "
            "StandaloneDevicePlugin(…, nodes=…) of the class, or leave 'mig_devices' out where another tool partitions the cards"
        )
        return [
            str(wrong("nodes", "classes with 'mig_devices' that have a StandaloneDevicePlugin each", each, hint))
            for each in self._classes
            if not any(each.may_overlap(plugin) for plugin in plugins)
        ]


def _check_neighbours(scope: Construct, settings: GpuOperatorSettings) -> None:
    for _ in neighbours(scope, OPERATOR):
        hint = "a cluster has one ClusterPolicy; give all classes of nodes to one operator: nodes=[…, …]"
        raise wrong("nodes", "given to the one NvidiaGpuOperator of this app", list(settings.nodes), hint)
    check_namespace(scope, settings)
    for discovery in neighbours(scope, NODE_FEATURE_DISCOVERY):
        from ..manifests.nfd_settings import check_beside_operator

        check_beside_operator(nfd=settings.nfd, gpu_present_rule=discovery.gpu_present_rule)
    for theirs in neighbours(scope, BRIDGE):
        for ours in settings.bridges:
            if ours.nodes.may_overlap(theirs.nodes):
                hint = "the operator brings its own bridges; leave the ValidationBridge out"
                raise wrong("nodes", "classes that no ValidationBridge of this app has", theirs.nodes, hint)
    for theirs in neighbours(scope, RUNTIME_CLASS):
        if theirs.name == settings.runtime_class:
            from .nvidia_runtime_class import owned_by_operator

            raise owned_by_operator("values[operator.runtimeClass]", theirs.name, "a name that no NvidiaRuntimeClass of this app has")
    _check_agents(scope, settings)


def _check_agents(scope: Construct, settings: GpuOperatorSettings) -> None:
    for plugin in neighbours(scope, DEVICE_PLUGIN):
        if any(each.may_overlap(plugin.nodes) for each in settings.plugin_classes):
            hint = f"'{plugin.name}' advertises the same GPUs; leave that plugin out, or set devicePlugin.enabled in 'values' to False"
            raise wrong("nodes", "classes that no StandaloneDevicePlugin of this app has", plugin.nodes, hint)
    for driver in neighbours(scope, DRA_DRIVER):
        for theirs in driver.nodes:
            if any(each.may_overlap(theirs) for each in settings.plugin_classes):
                hint = (
                    "the operator's device plugin would allocate the same GPUs a second time; give the class with 'dra' to both constructs"
                )
                raise wrong("nodes", "classes that share no node with those of the DraDriver", theirs, hint)
    for exporter in neighbours(scope, EXPORTER):
        if settings.runs_dcgm_exporter and any(each.may_overlap(exporter.nodes) for each in settings.nodes):
            hint = f"'{exporter.name}' exports the same metrics; leave that exporter out, or give values={{'dcgmExporter': {{'enabled': False}}}}"
            raise wrong("nodes", "classes that no DcgmExporter of this app has", exporter.nodes, hint)
