"""`NvidiaGpuOperator`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.chart_parts import NVIDIA_GPU_OPERATOR, GpuOperatorArguments
from ._emit import GpuConstruct
from ._settings import takes


class NvidiaGpuOperator(GpuConstruct, GpuOperatorArguments):
    """NVIDIA's GPU operator with the values that the Talos version of its nodes needs, and the objects that Talos needs
    beside the chart.

    On Talos the driver and the container toolkit are system extensions of the OS image, so the operator's own driver
    and toolkit are off. The operator's MIG manager waits for systemd, which Talos does not have, so the MIG manager is
    off too. The operator, its operands and node feature discovery tolerate the taints of the nodes. The other values
    depend on the Talos version:

    - Up to Talos 1.12 CDI is off and the device list strategy is `envvar`. A `ValidationBridge` for each class of nodes
      writes the files that the operands wait for. Label these nodes `nvidia.com/gpu.deploy.operator-validator=false`:
      the operator's own validator can't succeed on them, and its pods would never become ready.
    - On Talos 1.13 and 1.14 the validator finds the driver by `hostPaths.driverInstallDir: /usr/local`. No bridge is
      needed.
    - On Talos 1.15, a preview, the operator's toolkit injects GPUs through NRI.

    On nodes with `dra` the operator's device plugin is off: `DraDriver` allocates the GPUs. The operator's exporter
    can't tell which pods have claimed GPUs; `DcgmExporter` can.

    Makes a privileged Namespace; the chart's objects, an Argo CD Application, or a Flux source and HelmRelease, as
    `delivery` chooses; up to Talos 1.12 a DaemonSet for each class; and a ConfigMap with the device plugin's config for
    each class where GPUs are shared. With several classes the node label `nvidia.com/device-plugin.config=<name>` names
    the class of a node; a node without the label shares no GPU. The operator itself makes the RuntimeClass `nvidia`,
    and with CDI also `nvidia-cdi` and `nvidia-legacy`, whose handlers Talos does not have. A ClusterPolicy that is
    `ready` says nothing of GPUs: it is ready without a GPU node, too.

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
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of nodes, or several classes, each with a `name`.
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
