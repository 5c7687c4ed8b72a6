"""`DraDriver`."""

from __future__ import annotations

import attrs
from constructs import Construct

from .._arguments.errors import wrong
from .._arguments.fields import named
from .._arguments.keywords import named_arguments
from ..manifests.dra_driver_settings import DraDriverSettings
from ._chart_construct import check_namespace, delivered, to_delivery
from ._emit import GpuConstruct
from ._registry import DEVICE_PLUGIN, DRA_DRIVER, OPERATOR, announce, neighbours
from ._settings import takes
from .delivery import Delivery


@attrs.frozen(kw_only=True, eq=False, repr=False, slots=False, field_transformer=named)
class _Arguments(DraDriverSettings):
    delivery: Delivery = attrs.field(default=None, converter=to_delivery)


@named_arguments(nodes="the driver's values follow from its nodes")
class DraDriver(GpuConstruct, _Arguments):
    """NVIDIA's DRA driver with the values that Talos needs: it hands out the GPUs that pods claim, where a device plugin would by limits.

    On Talos, from 1.13 on, the driver's root is /usr/local: elsewhere the plugin's init container waits for ever. Its pods are privileged
    and mount paths of the node, which Talos' Pod Security refuses outside a privileged namespace. It runs on the nodes of its classes, with
    or without node feature discovery, and tolerates their taints. The feature gates follow from `share` of the classes' `dra`.

    Never run it beside a device plugin on the same nodes: each keeps its own ledger, and both hand out every GPU. `NvidiaGpuOperator` with
    the same nodes leaves its plugin off, and brings the rest; the operator's own DRA driver (GPUCluster) can't work on Talos. Who changes
    from a plugin drains the nodes, removes it, and waits until they offer no `nvidia.com/gpu` any more.

    Makes a privileged Namespace; the chart by the chosen delivery (its objects, an Application, or a source and a HelmRelease), which makes
    the DeviceClass `gpu.nvidia.com`; and a DeviceClass for each of `mig_profiles`.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        nodes: The class of nodes, or several; each with `dra`.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`. Default: `HelmTemplate()`, which runs the Helm of this machine.
        version: The chart's version, without a `v`. Default: 0.5.0.
        kubernetes_version: The cluster's Kubernetes, as "1.36": what it can't do is refused. Default: unknown, so nothing is compared with
            it; claims need 1.34, and consumable ones and `mig_profiles` 1.36.
        kubernetes_feature_gates: Feature gates of Kubernetes that are switched on in the cluster, on every component, where its version has
            them off: `DRAConsumableCapacity`, `DRAExtendedResource`, `DRAPartitionableDevices`. Default: none.
        compute_domains: Serve ComputeDomains too, for NVLink between several nodes. Default: False.
        mig_profiles: MIG profiles, as "1g.10gb", to make a DeviceClass for: `mig-1g.10gb.gpu.nvidia.com`, which the limit
            `nvidia.com/mig-1g.10gb` asks for as well. Default: none.
        namespace: The driver's namespace. Default: `dra-driver-nvidia-gpu`.
        create_namespace: Make it, privileged. Default: True.
        release_name: The Helm release's name. Default: `dra-driver-nvidia-gpu`.
        repository: The Helm repository, or `oci://…` of a registry. Default: Kubernetes' own registry.
        chart: The chart's name; with `HelmTemplate` also a path, from `/` or `.` on. Default: `dra-driver-nvidia-gpu`.
        values: Further values of the chart, deep-merged last. Default: none.

    Raises:
        TypeError, ValueError: `'nodes' must be classes with 'dra' …`, and where a device plugin of the same app may choose them;
            `'kubernetes_version' must be at least …`; `'values' must be …` for what the chart would ignore, for another driver root, and for
            feature gates that `share` needs or that exclude each other; `'delivery' must be …` without Helm on PATH.

    Warns:
        TalosGpuWarning: When `values` overrides what Talos needs, and for a chart newer than this library.

    Example:
        >>> app = App()
        >>> nodes = GpuNodes(talos_version="1.14", dra=Dra(share="time-slicing", interval="Long"))
        >>> driver = DraDriver(Chart(app, "gpu"), "dra-driver", nodes=nodes, delivery=Flux())
        >>> driver.version, driver.chart_values["nvidiaDriverRoot"], driver.chart_values["featureGates"]
        ('0.5.0', '/usr/local', {'TimeSlicingSettings': True})

    https://docs.siderolabs.com/kubernetes-guides/advanced-guides/dynamic-resource-allocation
    """

    @takes(_Arguments)
    def __init__(self, scope: Construct, id: str, settings: _Arguments) -> None:  # noqa: A002
        _check_neighbours(scope, settings)
        check_namespace(scope, settings)
        super().__init__(scope, id, settings, settings.companions | delivered(settings, "DaemonSet"))
        announce(scope, DRA_DRIVER, settings)


def _check_neighbours(scope: Construct, settings: DraDriverSettings) -> None:
    for _ in neighbours(scope, DRA_DRIVER):
        hint = "a cluster has one DeviceClass gpu.nvidia.com; give the classes of all nodes to one driver: nodes=[…, …]"
        raise wrong("nodes", "given to the one DraDriver of this app", list(settings.nodes), hint)
    hint = "both would hand out its GPUs, each once; give it 'dra' and leave the plugin out, or give both classes 'labels' that differ"
    for plugin in neighbours(scope, DEVICE_PLUGIN):
        if any(each.may_overlap(plugin.nodes) for each in settings.nodes):
            raise wrong("nodes", "classes that share no node with that of a StandaloneDevicePlugin of this app", plugin.nodes, hint)
    for operator in neighbours(scope, OPERATOR):
        for theirs in operator.plugin_classes:
            if any(each.may_overlap(theirs) for each in settings.nodes):
                raise wrong("nodes", "classes that share no node with an NvidiaGpuOperator that runs a device plugin", theirs, hint)
