"""`StandaloneDevicePlugin`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from constructs import Construct

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import given
from ..manifests.daemon_set_choices import DaemonSetUpdate, ImagePullPolicy
from ..manifests.device_plugin_objects import standalone_device_plugin
from ..manifests.device_plugin_settings import DevicePluginSettings
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.images import DEVICE_PLUGIN_IMAGE, MIG_PARTED_IMAGE
from ..upstream.plugin_words import DeviceDiscoveryStrategy, DeviceIDStrategy, DeviceListStrategy
from ._emit import GpuConstruct, agent_namespace, check_place
from ._registry import DEVICE_PLUGIN, DRA_DRIVER, OPERATOR, announce, neighbours


@named_arguments(nodes="a plugin runs on one class of GPU nodes")
class StandaloneDevicePlugin(GpuConstruct):
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

    nodes: GpuNodes
    name: str
    namespace: str
    feature_discovery: bool
    device_list_strategy: tuple[DeviceListStrategy, ...]
    device_id_strategy: DeviceIDStrategy
    device_discovery_strategy: DeviceDiscoveryStrategy
    fail_on_init_error: bool
    compat_with_cpu_manager: bool
    nvidia_driver_root: str | None
    nvidia_cdi_hook_path: str | None
    gdrcopy_enabled: bool
    gds_enabled: bool
    mofed_enabled: bool
    image: str
    mig_parted_image: str
    image_pull_policy: ImagePullPolicy
    image_pull_secrets: tuple[str, ...]
    resources: Mapping[str, Any]
    priority_class_name: str
    update_strategy: DaemonSetUpdate
    pod_annotations: Mapping[str, str]
    pod_spec: Mapping[str, Any]

    def __init__(
        self,
        scope: Construct,
        id: str,  # noqa: A002
        *,
        nodes: GpuNodes,
        name: str | None = None,
        namespace: str | None = None,
        feature_discovery: bool = False,
        device_list_strategy: DeviceListStrategy | str | Iterable[DeviceListStrategy | str] = DeviceListStrategy.ENVVAR,
        device_id_strategy: DeviceIDStrategy | str = DeviceIDStrategy.UUID,
        device_discovery_strategy: DeviceDiscoveryStrategy | str = DeviceDiscoveryStrategy.NVML,
        fail_on_init_error: bool = True,
        compat_with_cpu_manager: bool = False,
        nvidia_driver_root: str | None = None,
        nvidia_cdi_hook_path: str | None = None,
        gdrcopy_enabled: bool = False,
        gds_enabled: bool = False,
        mofed_enabled: bool = False,
        image: str = DEVICE_PLUGIN_IMAGE,
        mig_parted_image: str = MIG_PARTED_IMAGE,
        image_pull_policy: ImagePullPolicy | str = ImagePullPolicy.IF_NOT_PRESENT,
        image_pull_secrets: Iterable[str] = (),
        resources: Mapping[str, Any] | None = None,
        priority_class_name: str = "system-node-critical",
        update_strategy: DaemonSetUpdate | str = DaemonSetUpdate.ROLLING_UPDATE,
        pod_annotations: Mapping[str, str] | None = None,
        pod_spec: Mapping[str, Any] | None = None,
    ) -> None:
        check_place(scope, id)
        settings = DevicePluginSettings(
            nodes=nodes,
            name=name,
            namespace=namespace,
            feature_discovery=feature_discovery,
            device_list_strategy=device_list_strategy,
            device_id_strategy=device_id_strategy,
            device_discovery_strategy=device_discovery_strategy,
            fail_on_init_error=fail_on_init_error,
            compat_with_cpu_manager=compat_with_cpu_manager,
            nvidia_driver_root=nvidia_driver_root,
            nvidia_cdi_hook_path=nvidia_cdi_hook_path,
            gdrcopy_enabled=gdrcopy_enabled,
            gds_enabled=gds_enabled,
            mofed_enabled=mofed_enabled,
            image=image,
            mig_parted_image=mig_parted_image,
            image_pull_policy=image_pull_policy,
            image_pull_secrets=image_pull_secrets,
            resources=given(resources),
            priority_class_name=priority_class_name,
            update_strategy=update_strategy,
            pod_annotations=given(pod_annotations),
            pod_spec=given(pod_spec),
        )
        settings = replace(settings, namespace=agent_namespace(scope, settings.namespace))
        manifests = standalone_device_plugin(settings)
        _check_neighbours(scope, settings)
        super().__init__(scope, id, settings, manifests)
        announce(scope, DEVICE_PLUGIN, settings)


def _check_neighbours(scope: Construct, settings: DevicePluginSettings) -> None:
    for other in neighbours(scope, DEVICE_PLUGIN):
        if (settings.instance, settings.namespace) == (other.instance, other.namespace) and not settings.nodes.may_overlap(other.nodes):
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
        if any(settings.nodes.may_overlap(theirs) for theirs in driver.classes):
            hint = "it hands out the same GPUs, each a second time; give both classes 'labels' that differ, or a 'name'"
            raise wrong("nodes", "a class that shares no node with those of the DraDriver", settings.nodes, hint)
