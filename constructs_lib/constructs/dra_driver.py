"""`DraDriver`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.chart_parts import DRA_DRIVER_PART, DraDriverArguments
from ._emit import GpuConstruct
from ._settings import takes


class DraDriver(GpuConstruct, DraDriverArguments):
    """NVIDIA's DRA driver, installed with the values that Talos needs: the driver allocates the GPUs that pods claim.

    On Talos 1.13 and newer the driver root is /usr/local. With any other driver root the plugin's init container waits
    for ever. The driver's pods are privileged and mount paths of the node; Talos' Pod Security refuses such pods
    outside a privileged namespace. The driver runs on the nodes of its classes, with or without node feature discovery,
    and tolerates their taints. The driver's feature gates follow from `share` of the classes' `dra`.

    Never run the driver and a device plugin on the same nodes: each counts the GPUs for itself, and both allocate every
    GPU. An `NvidiaGpuOperator` with the same nodes leaves its plugin off and runs its other operands. The operator's
    own DRA driver (GPUCluster) can't work on Talos. To change from a plugin to the driver, drain the nodes, remove the
    plugin, and wait until the nodes no longer offer `nvidia.com/gpu`.

    Makes a privileged Namespace; the chart's objects, an Argo CD Application, or a Flux source and HelmRelease, as
    `delivery` chooses; and a DeviceClass for each of `mig_profiles`. The chart makes the DeviceClass `gpu.nvidia.com`.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of nodes, or several classes; each with `dra`.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`. Default: `HelmTemplate()`, which runs the Helm of this machine.
        version: The chart's version, without a `v`. Default: 0.5.0.
        kubernetes_version: The cluster's Kubernetes, as "1.36". What this Kubernetes does not support is refused.
            Default: unknown, so nothing is checked against Kubernetes. Claims need 1.34; consumable claims and
            `mig_profiles` need 1.36.
        kubernetes_feature_gates: The Kubernetes feature gates that you have switched on in every component of the
            cluster, where they are off by default: `DRAConsumableCapacity`, `DRAExtendedResource`,
            `DRAPartitionableDevices`. Default: none.
        compute_domains: Serve ComputeDomains too, for NVLink between several nodes. Default: False.
        mig_profiles: The MIG profiles that get a DeviceClass, as "1g.10gb", whose DeviceClass is
            `mig-1g.10gb.gpu.nvidia.com`. The limit `nvidia.com/mig-1g.10gb` asks for the same DeviceClass. Default:
            none.
        namespace: The driver's namespace. Default: `dra-driver-nvidia-gpu`.
        create_namespace: Make the namespace, privileged. Default: True.
        release_name: The name of the Helm release. Default: `dra-driver-nvidia-gpu`.
        repository: The Helm repository, or the `oci://…` address of a registry. Default: Kubernetes' own registry.
        chart: The chart's name, or its `oci://…` address; with `HelmTemplate` also a path that begins with `/` or `.`.
            Default: `dra-driver-nvidia-gpu`.
        values: Further values of the chart, merged last. Default: none.

    Raises:
        TypeError, ValueError: `'nodes' must be classes with 'dra' …`, also where a device plugin of the same app may
            run on the nodes; `'kubernetes_version' must be at least …`; `'values' must be …` for keys that the chart
            ignores, for another driver root, and for feature gates that `share` needs or that exclude each other;
            `'delivery' must be …` without Helm on PATH.

    Warns:
        TalosGpuWarning: When `values` overrides what Talos needs; when `values` switches on both DynamicMIG and
            NVMLDeviceHealthCheck; for a chart newer than this library's tables.

    Example:
        >>> app = App()
        >>> nodes = GpuNodes(talos_version="1.14", dra=Dra(share="time-slicing", interval="Long"))
        >>> driver = DraDriver(Chart(app, "gpu"), "dra-driver", nodes=nodes, delivery=Flux())
        >>> driver.version, driver.chart_values["nvidiaDriverRoot"], driver.chart_values["featureGates"]
        ('0.5.0', '/usr/local', {'TimeSlicingSettings': True})

    https://docs.siderolabs.com/kubernetes-guides/advanced-guides/dynamic-resource-allocation
    """

    @takes(DRA_DRIVER_PART)
    def __init__(self, scope: Construct, id: str, settings: DraDriverArguments) -> None:  # noqa: A002
        super().__init__(scope, id, settings, DRA_DRIVER_PART)
