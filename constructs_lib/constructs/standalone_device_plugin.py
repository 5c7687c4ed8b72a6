"""`StandaloneDevicePlugin`."""

from __future__ import annotations

from constructs import Construct

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from ..manifests.device_plugin_objects import standalone_device_plugin
from ..manifests.device_plugin_settings import DevicePluginSettings
from ._emit import GpuConstruct, agent_namespace
from ._registry import DEVICE_PLUGIN, DRA_DRIVER, OPERATOR, announce, neighbours
from ._settings import takes


@named_arguments(nodes="a plugin runs on one class of GPU nodes")
class StandaloneDevicePlugin(GpuConstruct, DevicePluginSettings):
    """NVIDIA's device plugin without the operator: the plugin advertises the GPUs of a class of nodes to Kubernetes.

    On Talos the plugin needs the RuntimeClass `nvidia`; without it the plugin finds no NVML library and no GPU. Upstream's static manifests set no
    RuntimeClass. Add one `NvidiaRuntimeClass` to the app. The defaults `envvar` and `nvml` work on every Talos up to 1.14. On Talos 1.12 and older
    CDI specs would name libraries at paths that Talos does not have.

    Makes a ServiceAccount, a ConfigMap with the plugin's config file (sharing, MIG strategy) and a DaemonSet; with `Mps` the MPS control daemon;
    with `feature_discovery` GPU feature discovery with its ServiceAccount, Role and RoleBinding. Makes no ClusterRole: upstream's ClusterRole is for
    a sidecar that follows node labels, and here each class of nodes has its own plugin. The plugins of two classes never select each other's nodes
    or pods.

    `nodes` decides sharing and MIG, by `sharing`, `mig_strategy` and `mig_devices`. With `mig_devices` an init container runs nvidia-mig-parted before
    the plugin starts. nvidia-mig-parted partitions the cards, and changes nothing on cards that have these partitions already. A reboot deletes every
    partition, and the next start of the pod makes the partitions again. Cards before Hopper enter MIG mode by a reset, which Talos' persistence daemon
    may block: the init container then fails once, and one reboot of the node activates MIG mode, which stays. Hopper and newer cards need no reset and
    lose MIG mode with a reboot; the init container sets MIG mode again. Drain a node before you change its partitions.

    Args:
        scope: The parent construct: a Chart, or a construct in a Chart.
        id: The construct's ID in the construct tree.
        nodes: The class of nodes.
        name: The name of the objects. Default: `nvidia-device-plugin`, followed by the name of the class.
        namespace: The namespace, which must be privileged. Default: the chart's, or `kube-system`, which Talos exempts from Pod Security.
        feature_discovery: Run GPU feature discovery, which labels the nodes with their GPUs' product, memory, count and sharing. Needs node feature
            discovery in the cluster. Default: False.
        device_list_strategy: How the plugin tells the container runtime which GPUs it allocated: `envvar`, `cdi-annotations` or `cdi-cri`, or a list
            of several. The CDI strategies need Talos 1.13 or newer. Default: `envvar`.
        device_id_strategy: `uuid` or `index`. Default: `uuid`.
        device_discovery_strategy: `nvml`, `auto` or `tegra`. Default: `nvml`, whose error names the missing library; the error of `auto` does not.
        fail_on_init_error: Exit when the GPUs can't be read. Otherwise the plugin waits silently. Default: True.
        compat_with_cpu_manager: Pass device nodes to containers as well, for kubelets with a static CPU manager policy. The plugin then runs
            privileged. Default: False.
        nvidia_driver_root: The folder of the node that holds the driver, mounted for CDI. Default: `/` with a CDI strategy, otherwise none.
        nvidia_cdi_hook_path: The path of the CDI hook on the node. Default: the plugin's own, /usr/bin/nvidia-ctk, which Talos has from 1.13 on.
        gdrcopy_enabled: Pass GDRCopy devices to containers. Default: False.
        gds_enabled: Pass GPUDirect Storage devices to containers. Default: False.
        mofed_enabled: Pass Mellanox OFED devices to containers. Default: False.
        image: The image of the plugin, of GPU feature discovery and of the MPS daemon. Default: k8s-device-plugin v0.20.0.
        mig_parted_image: The image of the init container with nvidia-mig-parted; only used with `mig_devices`. Default: k8s-mig-manager v0.15.0.
        image_pull_policy: `Always`, `IfNotPresent` or `Never`. Default: `IfNotPresent`.
        image_pull_secrets: The names of Secrets for a private registry. Default: none.
        resources: The plugin's `requests` and `limits`, in Kubernetes' spelling. Default: none, as upstream.
        priority_class_name: The PriorityClass of the pods. Default: `system-node-critical`.
        update_strategy: `RollingUpdate` or `OnDelete`. Default: `RollingUpdate`.
        pod_annotations: Annotations of the pods. Default: none.
        pod_spec: Fields merged over the plugin's pod spec, in Kubernetes' spelling. Mappings merge, lists of named items merge by name, None
            removes a field. The tolerations, the node selector and the RuntimeClass of the nodes always stay. Default: none.

    Raises:
        TypeError, ValueError: For every invalid argument; `'device_list_strategy' must be one of 'envvar', …`; `'nodes' must be …` where another
            plugin of the same app, or an operator, may run on the same nodes.

    Example:
        >>> app = App()
        >>> plugin = StandaloneDevicePlugin(Chart(app, "gpu"), "device-plugin", nodes=GpuNodes(talos_version="1.12"))
        >>> plugin.name, [str(strategy) for strategy in plugin.device_list_strategy]
        ('nvidia-device-plugin', ['envvar'])

    https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0
    """

    namespace: str

    @takes(DevicePluginSettings, namespace=agent_namespace)
    def __init__(self, scope: Construct, id: str, settings: DevicePluginSettings) -> None:
        manifests = standalone_device_plugin(settings)
        _check_neighbours(scope, settings)
        super().__init__(scope, id, settings, manifests)
        announce(scope, DEVICE_PLUGIN, settings)


def _check_neighbours(scope: Construct, settings: DevicePluginSettings) -> None:
    for other in neighbours(scope, DEVICE_PLUGIN):
        if (settings.name, settings.namespace) == (other.name, other.namespace) and not settings.nodes.may_overlap(other.nodes):
            hint = "two plugins can't have objects of the same name; give each class of nodes, or each plugin, its own 'name'"
            raise wrong("name", "one that no other StandaloneDevicePlugin of this app has", settings.name, hint)
        if settings.nodes.may_overlap(other.nodes):
            hint = (
                "the kubelet listens to only one of two plugins on a node; give each class of nodes its own 'name', or different 'labels'"
            )
            raise wrong("nodes", f"a class that shares no node with that of '{other.name}'", settings.nodes, hint)
    for operator in neighbours(scope, OPERATOR):
        if any(settings.nodes.may_overlap(theirs) for theirs in operator.plugin_classes):
            hint = "the operator runs its own device plugin on these nodes; leave this plugin out, or set devicePlugin.enabled in the operator's 'values' to False"
            raise wrong("nodes", "a class that no NvidiaGpuOperator of this app has", settings.nodes, hint)
    for driver in neighbours(scope, DRA_DRIVER):
        if any(settings.nodes.may_overlap(theirs) for theirs in driver.nodes):
            hint = "the driver allocates the same GPUs a second time; give each class different 'labels', or its own 'name'"
            raise wrong("nodes", "a class that shares no node with those of the DraDriver", settings.nodes, hint)
