"""`StandaloneDevicePlugin`."""

from __future__ import annotations

from constructs import Construct

from ..clusters.agent_parts import STANDALONE_DEVICE_PLUGIN
from ..manifests.plugin.settings import DevicePluginSettings
from ._emit import GpuConstruct
from ._settings import takes


class StandaloneDevicePlugin(GpuConstruct, DevicePluginSettings):
    """NVIDIA's device plugin without the operator: the plugin advertises the GPUs of a node class to Kubernetes.

    On Talos the plugin needs the RuntimeClass `nvidia`; without it the plugin finds no NVML library and no GPU.
    Upstream's static manifests set no RuntimeClass. Add one `NvidiaRuntimeClass` to the app. The defaults `envvar` and
    `nvml` work on every Talos up to 1.14. On Talos 1.12 and older a plugin with a CDI strategy finds no libraries for
    its CDI specs, and ends.

    Makes a ServiceAccount, a ConfigMap with the plugin's config file (sharing, MIG strategy) and a DaemonSet; with
    `Mps` the MPS control daemon; with `feature_discovery` GPU feature discovery with its ServiceAccount, Role and
    RoleBinding. Makes no ClusterRole: upstream's ClusterRole is for a sidecar that follows node labels, and here each
    class of nodes has its own plugin. The plugins of two classes never select each other's nodes or pods.

    `nodes` decides sharing and MIG, by `sharing`, `mig_strategy` and `mig_devices`. With `mig_devices` an init
    container runs nvidia-mig-parted before the plugin starts. nvidia-mig-parted partitions the cards, and changes
    nothing on cards that have these partitions already. A reboot deletes every partition, and the next start of the pod
    makes the partitions again. Cards before Hopper enter MIG mode by a reset, which Talos' persistence daemon may
    block: the init container then fails once, and one reboot of the node activates MIG mode, which stays. Hopper and
    newer cards need no reset and lose MIG mode with a reboot; the init container sets MIG mode again. Drain a node
    before you change its partitions.

    Args:
        nodes: The node class.
        name: The name of the objects. Default: `nvidia-device-plugin`, followed by the name of the class.
        namespace: The namespace, which must be privileged. Default: the chart's, or `kube-system`, which Talos exempts
            from Pod Security.
        feature_discovery: Run GPU feature discovery, which labels the nodes with their GPUs' product, memory, count and
            sharing; True, or a `FeatureDiscovery` with its own resources, pod spec and intervals. Needs node feature
            discovery in the cluster. Default: False.
        mps_control_daemon: The resources and the pod spec of the MPS control daemon; only for nodes shared by `Mps`.
            Default: those of upstream.
        device_list_strategy: The way in which the plugin passes the allocated GPUs to the container runtime: `envvar`,
            `cdi-annotations` or `cdi-cri`, or a list of several. The CDI strategies need Talos 1.13 or newer. Default:
            `envvar`.
        device_id_strategy: `uuid` or `index`. Default: `uuid`.
        device_discovery_strategy: `nvml` or `auto`, also of GPU feature discovery; Talos has no driver for `tegra`.
            Default: `nvml`, whose error names the missing library; the error of `auto` does not.
        fail_on_init_error: Exit when the GPUs can't be read. Otherwise the plugin waits silently, and GPU feature
            discovery publishes no label of a GPU. Default: True.
        compat_with_cpu_manager: Pass device nodes to containers as well, for kubelets with a static CPU manager policy.
            The plugin then runs privileged. Default: False.
        nvidia_driver_root: The folder of the node that holds the driver, mounted for CDI. Default: `/` with a CDI
            strategy, otherwise none.
        nvidia_dev_root: The folder of the node that holds /dev with the GPUs, for CDI specs and for
            `compat_with_cpu_manager`. Default: `/` where `nvidia_driver_root` is another folder, otherwise none.
        nvidia_cdi_hook_path: The path of the CDI hook on the node. Default: the plugin's own, /usr/bin/nvidia-ctk,
            which Talos has from 1.13 on.
        cdi_feature_flags: Feature flags of the CDI specs, such as `disable-nvsandboxutils`; only with a CDI strategy.
            Default: none.
        cdi_disable_hooks: OCI hooks that the CDI specs leave out, such as `enable-cuda-compat`; only with a CDI
            strategy. Default: none.
        shared_devices_allocation_policy: The GPU, or MIG partition, of the next share: `distributed` takes the one with
            the fewest shares in use, `packed` the one with the most. Only for nodes with `sharing`. Default: the
            plugin's own, `distributed`.
        gdrcopy_enabled: Pass GDRCopy devices to containers. Default: False.
        gds_enabled: Pass GPUDirect Storage devices to containers. Default: False.
        mofed_enabled: Pass Mellanox OFED devices to containers. Default: False.
        image: The image for the plugin, GPU feature discovery and the MPS daemon. Default: k8s-device-plugin
            v0.20.0.
        mig_parted_image: The image of the init container with nvidia-mig-parted; only used with `mig_devices`. Default:
            k8s-mig-manager v0.15.0.
        mig_parted_resources: The `requests` and `limits` of that init container; only with `mig_devices`. Default:
            requests of 10m and 64Mi.
        image_pull_policy: `Always`, `IfNotPresent` or `Never`. Default: `IfNotPresent`.
        image_pull_secrets: The names of Secrets for a private registry. Default: none.
        resources: The `requests` and `limits` of the plugin's container alone, in Kubernetes' spelling. The other
            containers have their own: `feature_discovery`, `mps_control_daemon`, `mig_parted_resources`. `{}` for none.
            Default: requests of 10m and 64Mi.
        priority_class_name: The PriorityClass of the pods. Default: `system-node-critical`.
        update_strategy: `RollingUpdate` or `OnDelete`. Default: `RollingUpdate`.
        pod_annotations: Annotations of the pods. Default: none.
        pod_spec: Fields merged over the pod spec of the plugin alone, in Kubernetes' spelling. Mappings merge, lists of
            items with different names merge by name, None removes a field. The tolerations, the node selector and the
            RuntimeClass of the nodes always stay. Default: none.

    Raises:
        TypeError, ValueError: For every invalid argument; `'device_list_strategy' must be one of 'envvar', …`;
            `'nodes' must be …` where another plugin of the same app, or an operator, may run on the same nodes.

    Example:
        >>> app = App()
        >>> plugin = StandaloneDevicePlugin(Chart(app, "gpu"), "device-plugin", nodes=GpuNodes(talos_version="1.12"))
        >>> plugin.name, [str(strategy) for strategy in plugin.device_list_strategy]
        ('nvidia-device-plugin', ['envvar'])

    https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0
    """

    namespace: str

    @takes(STANDALONE_DEVICE_PLUGIN)
    def __init__(self, scope: Construct, id: str, settings: DevicePluginSettings) -> None:  # noqa: A002
        super().__init__(scope, id, settings, STANDALONE_DEVICE_PLUGIN)
