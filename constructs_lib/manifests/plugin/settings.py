"""The checked arguments of `StandaloneDevicePlugin`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs

from ...arguments import fields
from ...arguments.errors import wrong
from ...nodes.gpu_nodes import GpuNodes, to_container_nodes
from ...upstream.images import DEVICE_PLUGIN_IMAGE, MIG_PARTED_IMAGE
from ...upstream.kubernetes.registries import split_reference
from ...upstream.nvidia.plugin_words import (
    CDI_STRATEGIES,
    FIRST_IMAGES,
    INFINITE_SLEEP,
    INFINITE_SLEEP_IMAGE,
    AllocationPolicy,
    DeviceDiscoveryStrategy,
    DeviceIDStrategy,
    DeviceListStrategy,
)
from ...upstream.talos.generations import CLASS_HANDLER, NRI_TOOLKIT
from ...upstream.version import Version
from ..objects import plain
from . import options
from .agent_pods import FeatureDiscovery, MpsControlDaemon, to_agent_resources, to_feature_discovery, to_mps_control_daemon
from .options import DaemonSetUpdate, ImagePullPolicy

APPLICATION = "nvidia-device-plugin"
# The options that only a plugin with a CDI strategy reads.
_OF_CDI = ("nvidia_cdi_hook_path", "cdi_feature_flags", "cdi_disable_hooks")
# `v0.17.1-ubi9` is a flavour of v0.17.1, and no pre-release.
_TAG = r"(v?\d+\.\d+\.\d+(?:-rc\.\d+)?)(?:-[a-z].*)?"


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=fields.named)
class DevicePluginSettings:
    """The checked arguments of `StandaloneDevicePlugin`, which documents each argument."""

    nodes: GpuNodes = attrs.field(converter=to_container_nodes)
    name: str = attrs.field(default=None, converter=fields.to_optional_dns_label)
    namespace: str | None = attrs.field(default=None, converter=fields.to_optional_namespace)
    feature_discovery: FeatureDiscovery | None = attrs.field(default=None, converter=to_feature_discovery)
    mps_control_daemon: MpsControlDaemon | None = attrs.field(default=None, converter=to_mps_control_daemon)
    device_list_strategy: tuple[DeviceListStrategy, ...] = attrs.field(
        default=DeviceListStrategy.ENVVAR, converter=options.to_device_list_strategies
    )
    device_id_strategy: DeviceIDStrategy = attrs.field(default=DeviceIDStrategy.UUID, converter=options.to_device_id_strategy)
    device_discovery_strategy: DeviceDiscoveryStrategy = attrs.field(
        default=DeviceDiscoveryStrategy.NVML, converter=options.to_device_discovery_strategy
    )
    fail_on_init_error: bool = attrs.field(default=True, converter=fields.to_flag)
    compat_with_cpu_manager: bool = attrs.field(default=False, converter=fields.to_flag)
    nvidia_driver_root: str | None = attrs.field(default=None, converter=options.to_absolute_path)
    nvidia_dev_root: str | None = attrs.field(default=None, converter=options.to_dev_root)
    nvidia_cdi_hook_path: str | None = attrs.field(default=None, converter=options.to_absolute_path)
    cdi_feature_flags: tuple[str, ...] = attrs.field(default=(), converter=options.to_feature_flags)
    cdi_disable_hooks: tuple[str, ...] = attrs.field(default=(), converter=options.to_hooks)
    shared_devices_allocation_policy: AllocationPolicy | None = attrs.field(default=None, converter=options.to_allocation_policy)
    gdrcopy_enabled: bool = attrs.field(default=False, converter=fields.to_flag)
    gds_enabled: bool = attrs.field(default=False, converter=fields.to_flag)
    mofed_enabled: bool = attrs.field(default=False, converter=fields.to_flag)
    image: str = attrs.field(default=DEVICE_PLUGIN_IMAGE, converter=fields.to_image)
    mig_parted_image: str = attrs.field(default=MIG_PARTED_IMAGE, converter=fields.to_image)
    mig_parted_resources: Mapping[str, Any] = attrs.field(default=None, converter=fields.to_resources)
    image_pull_policy: ImagePullPolicy = attrs.field(default=ImagePullPolicy.IF_NOT_PRESENT, converter=options.to_image_pull_policy)
    image_pull_secrets: tuple[str, ...] = attrs.field(default=(), converter=fields.to_dns_subdomains)
    resources: Mapping[str, Any] = attrs.field(default=None, converter=to_agent_resources)
    priority_class_name: str = attrs.field(default="system-node-critical", converter=fields.to_dns_subdomain)
    update_strategy: DaemonSetUpdate = attrs.field(default=DaemonSetUpdate.ROLLING_UPDATE, converter=options.to_daemon_set_update)
    pod_annotations: Mapping[str, str] = attrs.field(default=None, converter=fields.to_annotations)
    pod_spec: Mapping[str, Any] = attrs.field(default=None, converter=fields.to_pod_spec)

    def __attrs_post_init__(self) -> None:
        fields.settle(self, "name", "-".join(filter(None, (APPLICATION, self.nodes.name))))
        if self.writes_cdi:
            # The plugin builds a CDI spec from the files under /driver-root, which is empty unless the node's root is
            # mounted there.
            fields.settle(self, "nvidia_driver_root", "/")
        if self.nodes.runtime_class is None:
            hint = f"{NRI_TOOLKIT.when} only the operator's toolkit gives agents the driver; use NvidiaGpuOperator"
            raise wrong("nodes", f"of Talos {CLASS_HANDLER.last} or older", str(self.nodes.talos_version), hint)
        if self.nodes.dra:
            raise wrong("nodes", "a class without 'dra'", self.nodes, "the DraDriver allocates the same GPUs; leave the plugin out")
        options.check_strategies("device_list_strategy", self.device_list_strategy, self.nodes)
        _check_options(self)
        if self.nvidia_driver_root not in (None, "/") and (self.writes_cdi or self.compat_with_cpu_manager):
            # Upstream's default is the driver's root. The device nodes of a Talos node are always in /dev.
            fields.settle(self, "nvidia_dev_root", "/")
        if self.nodes.by_mps:
            fields.settle(self, "mps_control_daemon", MpsControlDaemon())

    @property
    def writes_cdi(self) -> bool:
        """Whether the plugin writes CDI specs onto the host."""
        return not CDI_STRATEGIES.isdisjoint(self.device_list_strategy)

    @property
    def version(self) -> Version | None:
        """The version in the image's tag; None for a tag without one."""
        tag = re.fullmatch(_TAG, split_reference(self.image).tag)
        return Version.parse(tag[1]) if tag else None


def _check_options(settings: DevicePluginSettings) -> None:
    """Refuse options that have no effect with these nodes, strategies and this image."""
    for argument in _OF_CDI:
        if (got := getattr(settings, argument)) and not settings.writes_cdi:
            hint = "the plugin writes no CDI spec without 'cdi-annotations' or 'cdi-cri' in 'device_list_strategy'"
            raise wrong(argument, "left out with these strategies", _written(got), hint)
    _check_dev_root(settings)
    _check_nodes(settings)
    _check_image(settings)


def _check_dev_root(settings: DevicePluginSettings) -> None:
    root = settings.nvidia_dev_root
    # Where the driver's root has a folder dev, the CDI specs have the devices in this folder, whatever the dev root
    # (internal/cdi/cdi.go).
    is_read = settings.compat_with_cpu_manager or (settings.writes_cdi and settings.nvidia_driver_root != "/")
    if root is not None and not is_read:
        hint = "the plugin reads it only with 'compat_with_cpu_manager', or for CDI specs with a 'nvidia_driver_root' other than '/'"
        raise wrong("nvidia_dev_root", "left out with these arguments", root, hint)


def _check_nodes(settings: DevicePluginSettings) -> None:
    nodes, policy = settings.nodes, settings.shared_devices_allocation_policy
    if policy is not None and nodes.sharing is None:
        hint = "the policy counts the shares of each GPU; give sharing=TimeSlicing(…) to GpuNodes"
        raise wrong("shared_devices_allocation_policy", "left out for nodes without 'sharing'", str(policy), hint)
    if settings.mps_control_daemon is not None and not nodes.by_mps:
        hint = "no MPS daemon runs there; give sharing=Mps(…) to GpuNodes"
        raise wrong("mps_control_daemon", "left out for nodes that are not shared by MPS", settings.mps_control_daemon, hint)
    if settings.mig_parted_resources and nodes.mig_devices is None:
        hint = "nvidia-mig-parted runs only on nodes with 'mig_devices'"
        raise wrong("mig_parted_resources", "left out for nodes without 'mig_devices'", plain(settings.mig_parted_resources), hint)


def _check_image(settings: DevicePluginSettings) -> None:
    """Refuse an option that came after the version in the image's tag. A tag without a version stays unchecked."""
    version = settings.version
    if version is None:
        return
    for variable, first in FIRST_IMAGES.items():
        argument = variable.lower()
        if (got := getattr(settings, argument)) and version < first:
            hint = f"the plugin reads {variable} from v{first} on, and v{version} ignores it"
            raise wrong(argument, "left out with this image", _written(got), hint)
    discovery = settings.feature_discovery
    if discovery and discovery.sleep_interval == INFINITE_SLEEP and version < INFINITE_SLEEP_IMAGE:
        hint = f"GPU feature discovery knows this word from v{INFINITE_SLEEP_IMAGE} on, and v{version} exits at start"
        raise wrong("feature_discovery", f"without sleep_interval='{INFINITE_SLEEP}' with this image", discovery, hint)


def _written(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value if isinstance(value, bool) else str(value)
