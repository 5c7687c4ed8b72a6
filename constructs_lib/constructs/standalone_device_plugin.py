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
    """NVIDIA's device plugin without the operator: it advertises the GPUs of a class of nodes, so that pods can ask for them.

    On Talos it has to run under the RuntimeClass `nvidia`, or it finds no NVML library and no GPU; upstream's static manifests don't. It
    lists devices by `envvar` and finds them by `nvml`, which works on every Talos up to 1.14; on 1.12 and older CDI specs would name
    libraries where Talos has none. Add `NvidiaRuntimeClass` to the app once.

    Makes a ServiceAccount, a ConfigMap with the plugin's own config (sharing, MIG strategy), and the DaemonSet; with `Mps` the MPS
    control daemon; with `feature_discovery` GPU feature discovery with its ServiceAccount, Role and RoleBinding. It needs no ClusterRole:
    upstream's is for a sidecar that follows node labels, and here each class of nodes has its own plugin. The plugins of two classes never
    choose each other's nodes or pods.

    What sharing and MIG are is said on `nodes`: `sharing`, `mig_strategy` and `mig_devices`. With `mig_devices` an init container cuts the
    cards with nvidia-mig-parted each time before the plugin starts, and does nothing where they are cut so already. A reboot clears every
    partition, and the next start of the pod makes them anew. Cards before Hopper enter MIG mode by a reset, which Talos' persistence daemon
    holds up: the first time the init container may fail, and after one reboot of the node the mode is there, and stays. Newer cards need
    no reset, and lose the mode with a reboot, so that it is set anew. Drain a node before you change what its cards are cut into.

    Args:
        scope: The construct that it belongs to, such as a Chart.
        id: Its name in the construct tree.
        nodes: The class of nodes.
        name: The objects' name. Default: `nvidia-device-plugin`, with the class's name after it.
        namespace: Their namespace, which has to be privileged. Default: the chart's, or `kube-system`, which Talos exempts from Pod Security.
        feature_discovery: Label the nodes with their GPUs' product, memory, count and sharing; needs node feature discovery in the cluster.
            Default: False.
        device_list_strategy: How the container runtime is told which GPUs were allocated: `envvar`, `cdi-annotations` or `cdi-cri`, one or
            several; the CDI ones from Talos 1.13 on. Default: `envvar`.
        device_id_strategy: `uuid` or `index`. Default: `uuid`.
        device_discovery_strategy: `nvml`, `auto` or `tegra`. Default: `nvml`, whose error names the missing library where `auto`'s does not.
        fail_on_init_error: Crash when the GPUs can't be read, in place of waiting in silence. Default: True.
        compat_with_cpu_manager: Hand over device nodes as well, for kubelets with a static CPU manager policy; the plugin then runs
            privileged. Default: False.
        nvidia_driver_root: The folder of the node that holds the driver, mounted for CDI. Default: `/` with a CDI strategy, else none.
        nvidia_cdi_hook_path: The CDI hook on the node. Default: the plugin's own, /usr/bin/nvidia-ctk, which Talos has from 1.13 on.
        gdrcopy_enabled: Hand over GDRCopy devices. Default: False.
        gds_enabled: Hand over GPUDirect Storage devices. Default: False.
        mofed_enabled: Hand over Mellanox OFED devices. Default: False.
        image: The image of all its parts but one. Default: k8s-device-plugin v0.20.0.
        mig_parted_image: The image of that one, `nvidia-mig-parted`; only used with `mig_devices`. Default: k8s-mig-manager v0.15.0.
        image_pull_policy: `Always`, `IfNotPresent` or `Never`. Default: `IfNotPresent`.
        image_pull_secrets: The names of Secrets for a private registry. Default: none.
        resources: The plugin's `requests` and `limits`, as Kubernetes spells them. Default: none, as upstream's.
        priority_class_name: Default: `system-node-critical`.
        update_strategy: `RollingUpdate` or `OnDelete`. Default: `RollingUpdate`.
        pod_annotations: Annotations of its pods. Default: none.
        pod_spec: Laid on the plugin's pod spec, in Kubernetes' spelling. Mappings merge, lists of named things merge by name, None
            removes. The nodes' tolerations, selector and RuntimeClass can't be lost to it. Default: none.

    Raises:
        TypeError, ValueError: For every argument; `'device_list_strategy' must be one of 'envvar', …`; `'nodes' must be …` where another
            plugin, or an operator, of the same app may choose the same nodes.

    Example:
        >>> app = App()
        >>> plugin = StandaloneDevicePlugin(Chart(app, "gpu"), "device-plugin", nodes=GpuNodes(talos_version="1.12"))
        >>> plugin.name, [str(strategy) for strategy in plugin.device_list_strategy]
        ('nvidia-device-plugin', ['envvar'])

    https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0
    """

    namespace: str

    @takes(DevicePluginSettings, namespace=agent_namespace)
    def __init__(self, scope: Construct, id: str, settings: DevicePluginSettings) -> None:  # noqa: A002
        manifests = standalone_device_plugin(settings)
        _check_neighbours(scope, settings)
        super().__init__(scope, id, settings, manifests)
        announce(scope, DEVICE_PLUGIN, settings)


def _check_neighbours(scope: Construct, settings: DevicePluginSettings) -> None:
    for other in neighbours(scope, DEVICE_PLUGIN):
        if (settings.name, settings.namespace) == (other.name, other.namespace) and not settings.nodes.may_overlap(other.nodes):
            hint = "the objects of two plugins can't have one name; give each class of nodes a 'name', or each plugin"
            raise wrong("name", "one that no other StandaloneDevicePlugin of this app has", settings.name, hint)
        if settings.nodes.may_overlap(other.nodes):
            hint = "two plugins on one node advertise every GPU twice; give each class of nodes a 'name', or 'labels' that differ"
            raise wrong("nodes", f"a class that shares no node with that of '{other.name}'", settings.nodes, hint)
    for operator in neighbours(scope, OPERATOR):
        if any(settings.nodes.may_overlap(theirs) for theirs in operator.plugin_classes):
            hint = "the operator runs a device plugin of its own there; leave this one out, or set devicePlugin.enabled in its 'values' to False"
            raise wrong("nodes", "a class that no NvidiaGpuOperator of this app has", settings.nodes, hint)
    for driver in neighbours(scope, DRA_DRIVER):
        if any(settings.nodes.may_overlap(theirs) for theirs in driver.nodes):
            hint = "it hands out the same GPUs, each a second time; give both classes 'labels' that differ, or a 'name'"
            raise wrong("nodes", "a class that shares no node with those of the DraDriver", settings.nodes, hint)
