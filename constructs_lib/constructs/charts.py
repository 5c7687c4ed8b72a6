"""`NvidiaGpuOperator`, `DraDriver` and `NodeFeatureDiscovery`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.chart_parts import (
    DRA_DRIVER_PART,
    NODE_FEATURE_DISCOVERY_PART,
    NVIDIA_GPU_OPERATOR,
    DiscoveryArguments,
    DraDriverArguments,
    GpuOperatorArguments,
)
from ._emit import GpuConstruct
from ._settings import takes


class NvidiaGpuOperator(GpuConstruct, GpuOperatorArguments):
    """NVIDIA's GPU operator with the values that the Talos version of its nodes needs, and the objects that Talos needs
    beside the chart.

    On Talos the driver and the container toolkit are system extensions of the OS image, so the operator's own driver
    and toolkit are off. Talos has no systemd, for which the operator's MIG manager waits, so the MIG manager is off
    too. The operator, its operands and node feature discovery tolerate the taints of the nodes. The other values
    depend on the Talos version:

    - Up to Talos 1.12 CDI is off and the device list strategy is `envvar`. A `ValidationBridge` for each node class
      writes the files that the operands wait for. Label these nodes `nvidia.com/gpu.deploy.operator-validator=false`:
      the operator's own validator fails on them, and its pods would stay unready.
    - On Talos 1.13 and 1.14 the validator finds the driver by `hostPaths.driverInstallDir: /usr/local`. No bridge is
      needed.
    - On Talos 1.15, a preview, the operator's toolkit gives GPUs to the operator's own pods through NRI, and containerd
      gives other pods those of their limit by CDI.

    On nodes with `dra` the operator's device plugin is off: `DraDriver` allocates the GPUs. The operator's exporter
    can't tell which pods have claimed GPUs; `DcgmExporter` can.

    Makes a privileged Namespace; the chart's objects, an Argo CD Application, or a Flux source and HelmRelease, as
    `delivery` chooses; up to Talos 1.12 a DaemonSet for each class; and a ConfigMap with the device plugin's config for
    each class where GPUs are shared. With several classes the node label `nvidia.com/device-plugin.config=<name>` names
    the class of a node; a node without the label shares no GPU. The operator itself makes the RuntimeClass `nvidia`.
    With CDI it also makes `nvidia-cdi` and `nvidia-legacy`, and Talos lacks their handlers. A ClusterPolicy can be
    `ready` without a GPU node.

    The operator has one MIG strategy for all nodes: that of the classes with partitions. Whole cards are advertised
    alike under every strategy. Classes with `single` and with `mixed` beside each other, or with MPS beside `mixed`,
    need a `StandaloneDevicePlugin` for one of them.

    The operator partitions no card, because its MIG manager can't run on Talos. A class with `mig_devices` needs a
    `StandaloneDevicePlugin` beside the operator. The node label `nvidia.com/gpu.deploy.device-plugin=false`, which
    `MachineConfigPatch(operator=True)` writes for such a class, keeps the operator's plugin off the nodes; the other
    classes keep the operator's plugin.

    On nodes with `passthrough` the operator runs only its device plugin for KubeVirt and the validator of these nodes,
    by the node label `nvidia.com/gpu.workload.config=vm-passthrough`, which `MachineConfigPatch` writes. The VFIO
    manager is off: Talos binds the cards at boot.

    Args:
        nodes: The node class, or several of them, each with a `name`.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`. Default: `HelmTemplate()`, which runs the Helm of this machine.
        version: The chart's version. Default: v25.10.1 up to Talos 1.12, v26.7.0 from 1.13 on.
        namespace: The operator's namespace. Default: `gpu-operator`.
        create_namespace: Make the namespace, privileged. Default: True.
        release_name: The name of the Helm release. Default: `gpu-operator`.
        nfd: Install node feature discovery with the operator. Otherwise another installation, such as
            `NodeFeatureDiscovery`, must label the nodes `pci-10de.present`. Default: True.
        repository: The Helm repository, or the `oci://…` address of a registry. Default: NVIDIA's.
        chart: The chart's name, or its `oci://…` address; with `HelmTemplate` also a path. Default: `gpu-operator`.
        values: Further values of the chart, merged last. Default: none.

    Raises:
        TypeError, ValueError: `'version' must be …` for v26.3.0, and for versions that are too old for this Talos;
            `'values' must be made of keys …` for keys that the chart ignores; `'nodes' must be …` for classes that
            share nodes, differ in generation or need two MIG strategies, and at the synth for a class with
            `mig_devices` without a `StandaloneDevicePlugin`; `'delivery' must be …` without Helm on PATH, with the
            deliveries that need no Helm.

    Warns:
        TalosGpuWarning: When `values` overrides what Talos needs; for a chart newer than this library's tables; for
            nodes with `dra` while the operator's device plugin runs on other nodes.

    Example:
        >>> app = App()
        >>> nodes = GpuNodes(talos_version="1.14")
        >>> operator = NvidiaGpuOperator(Chart(app, "gpu"), "gpu-operator", nodes=nodes, delivery=Flux())
        >>> operator.version, operator.chart_values["hostPaths"]
        ('v26.7.0', {'driverInstallDir': '/usr/local'})

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu
    """

    @takes(NVIDIA_GPU_OPERATOR)
    def __init__(self, scope: Construct, id: str, settings: GpuOperatorArguments) -> None:  # noqa: A002
        super().__init__(scope, id, settings, NVIDIA_GPU_OPERATOR)


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
        nodes: The node class, or several of them; each with `dra`.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`. Default: `HelmTemplate()`, which runs the Helm of this machine.
        version: The chart's version, without a `v`. Default: 0.5.0.
        kubernetes_version: The cluster's Kubernetes, as "1.36". Features without support in this Kubernetes are
        refused.
            Default: unknown, without checks against Kubernetes. Claims need 1.34; consumable claims,
            limits (`extended_resource` of `Dra`), `mig_profiles` and `dynamic_mig` need 1.36.
        kubernetes_feature_gates: The Kubernetes feature gates that you have switched on in every component of the
            cluster, where they are off by default: `DRAConsumableCapacity`, `DRAExtendedResource`,
            `DRAPartitionableDevices`. A cluster file with `kubernetes_version` writes them into the machine
            configurations. Default: none.
        compute_domains: Serve ComputeDomains too, for NVLink between several nodes. Default: False.
        mig_profiles: The MIG profiles that get a DeviceClass, as "1g.10gb", whose DeviceClass is
            `mig-1g.10gb.gpu.nvidia.com`. The limit `nvidia.com/mig-1g.10gb` asks for the same DeviceClass. Default:
            none.
        dynamic_mig: Whether the driver makes the partition of a claim when its pod starts, and removes it afterwards
            (feature gate DynamicMIG, alpha). The driver deletes all other partitions when it starts. Cards of the Ampere
            generation need MIG mode before. Default: False, the driver publishes the partitions that exist.
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


class NodeFeatureDiscovery(GpuConstruct, DiscoveryArguments):
    """Node feature discovery with the labels that NVIDIA's charts select by, for clusters without the GPU operator.

    The GPU operator installs node feature discovery by itself. `StandaloneDevicePlugin` needs none: it selects nodes by
    the labels that Talos sets for its extensions. GPU feature discovery needs node feature discovery to publish its
    labels. Other charts of NVIDIA's, and workloads that select nodes by `nvidia.com/gpu.present`, need its labels.

    Every node with an NVIDIA device gets `feature.node.kubernetes.io/pci-10de.present=true`. With `gpu_present_rule` a
    node with a GPU and with NVIDIA's kernel module loaded also gets `nvidia.com/gpu.present=true`; without the operator
    this is the only source of the label. A node whose card is passed through to a virtual machine does not get it. The worker
    tolerates the taints of the nodes.

    Makes a privileged Namespace, because the worker mounts paths of the node; the chart's objects, an Argo CD
    Application, or a Flux source and HelmRelease, as `delivery` chooses; and a NodeFeatureRule. With `Flux` the rule is
    part of the worker's config instead: Flux applies no object of a folder that contains an unknown kind, and only the
    chart brings the CRD of NodeFeatureRule.

    Args:
        nodes: The node class, or several of them.
        delivery: `HelmTemplate`, `ArgoCd` or `Flux`. Default: `HelmTemplate()`, which runs the Helm of this machine.
        version: The chart's version. Default: 0.19.0.
        namespace: The namespace of node feature discovery. Default: `node-feature-discovery`.
        create_namespace: Make the namespace, privileged. Default: True.
        release_name: The name of the Helm release. Default: `node-feature-discovery`.
        repository: The Helm repository, or the `oci://…` address of a registry. Default: the Kubernetes project's
            registry.
        chart: The chart's name, or its `oci://…` address; with `HelmTemplate` also a path. Default:
            `node-feature-discovery`.
        gpu_present_rule: Label GPU nodes `nvidia.com/gpu.present=true`. Default: True.
        values: Further values of the chart, merged last. Default: none.

    Raises:
        TypeError, ValueError: `'version' must be …`; `'values' must be made of keys …` for keys that the chart ignores;
            `'nfd' must be …` beside an operator that installs node feature discovery, and
            `'gpu_present_rule' must be …` beside any operator.

    Warns:
        TalosGpuWarning: When `values` overrides what GPU nodes need.

    Example:
        >>> app = App()
        >>> nodes = GpuNodes(talos_version="1.14", taints=[Taint("dedicated", "ai")])
        >>> discovery = NodeFeatureDiscovery(Chart(app, "nfd"), "nfd", nodes=nodes, delivery=ArgoCd())
        >>> discovery.version, discovery.chart_values["worker"]["config"]["sources"]["pci"]["deviceLabelFields"]
        ('0.19.0', ['vendor'])

    https://kubernetes-sigs.github.io/node-feature-discovery/v0.19/deployment/helm
    """

    @takes(NODE_FEATURE_DISCOVERY_PART)
    def __init__(self, scope: Construct, id: str, settings: DiscoveryArguments) -> None:  # noqa: A002
        super().__init__(scope, id, settings, NODE_FEATURE_DISCOVERY_PART)
