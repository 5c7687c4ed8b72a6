"""The checked arguments of a device plugin."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.names import annotation_map, dns_label, dns_subdomain, image_reference, namespace_name
from .._arguments.plain_values import choice, flag, instance, plain_mapping, text, texts
from .._arguments.quantities import resources
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import Generation
from ..upstream.images import DEVICE_PLUGIN_IMAGE, MIG_PARTED_IMAGE
from ..upstream.plugin_words import CDI_STRATEGIES, DeviceDiscoveryStrategy, DeviceIDStrategy, DeviceListStrategy
from .daemon_set_choices import DaemonSetUpdate, ImagePullPolicy
from .device_plugin_strategies import check_strategies, device_list_strategies

APPLICATION = "nvidia-device-plugin"


@named_arguments(nodes="a plugin runs on one class of GPU nodes")
@dataclass(kw_only=True, eq=False, repr=False)
class DevicePluginSettings:
    """The checked arguments of a device plugin; `StandaloneDevicePlugin` documents each."""

    nodes: GpuNodes
    name: str | None = None
    namespace: str | None = None
    feature_discovery: bool = False
    device_list_strategy: DeviceListStrategy | str | Iterable[DeviceListStrategy | str] = DeviceListStrategy.ENVVAR
    device_id_strategy: DeviceIDStrategy | str = DeviceIDStrategy.UUID
    device_discovery_strategy: DeviceDiscoveryStrategy | str = DeviceDiscoveryStrategy.NVML
    fail_on_init_error: bool = True
    compat_with_cpu_manager: bool = False
    nvidia_driver_root: str | None = None
    nvidia_cdi_hook_path: str | None = None
    gdrcopy_enabled: bool = False
    gds_enabled: bool = False
    mofed_enabled: bool = False
    image: str = DEVICE_PLUGIN_IMAGE
    mig_parted_image: str = MIG_PARTED_IMAGE
    image_pull_policy: ImagePullPolicy | str = ImagePullPolicy.IF_NOT_PRESENT
    image_pull_secrets: Iterable[str] = ()
    resources: Mapping[str, Any] = field(default_factory=dict)
    priority_class_name: str = "system-node-critical"
    update_strategy: DaemonSetUpdate | str = DaemonSetUpdate.ROLLING_UPDATE
    pod_annotations: Mapping[str, str] = field(default_factory=dict)
    pod_spec: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = instance("nodes", self.nodes, GpuNodes, "a GpuNodes")
        strategies = device_list_strategies(self.device_list_strategy)
        resolved = {
            "name": dns_label("name", self.name) if self.name is not None else "-".join(filter(None, (APPLICATION, nodes.name))),
            "namespace": None if self.namespace is None else namespace_name("namespace", self.namespace),
            "device_list_strategy": strategies,
            "device_id_strategy": choice("device_id_strategy", self.device_id_strategy, DeviceIDStrategy),
            "device_discovery_strategy": choice("device_discovery_strategy", self.device_discovery_strategy, DeviceDiscoveryStrategy),
            "nvidia_driver_root": _driver_root(self.nvidia_driver_root, strategies),
            "image_pull_policy": choice("image_pull_policy", self.image_pull_policy, ImagePullPolicy),
            "image_pull_secrets": tuple(dns_subdomain("image_pull_secrets", name) for name in _names(self.image_pull_secrets)),
            "resources": resources(self.resources),
            "update_strategy": choice("update_strategy", self.update_strategy, DaemonSetUpdate),
            "pod_annotations": annotation_map("pod_annotations", self.pod_annotations),
            "pod_spec": plain_mapping("pod_spec", self.pod_spec, "a mapping of fields of a pod spec"),
        }  # fmt: skip
        for name, value in resolved.items():
            object.__setattr__(self, name, value)
        for name in (
            "feature_discovery",
            "fail_on_init_error",
            "compat_with_cpu_manager",
            "gdrcopy_enabled",
            "gds_enabled",
            "mofed_enabled",
        ):
            flag(name, getattr(self, name))
        if self.nvidia_cdi_hook_path is not None:
            _absolute_path("nvidia_cdi_hook_path", self.nvidia_cdi_hook_path)
        image_reference("image", self.image)
        image_reference("mig_parted_image", self.mig_parted_image)
        dns_subdomain("priority_class_name", self.priority_class_name)
        self._check_together(nodes, strategies)

    def _check_together(self, nodes: GpuNodes, strategies: tuple[DeviceListStrategy, ...]) -> None:
        if nodes.generation is Generation.NRI:
            hint = "there only the operator's toolkit hands GPUs to containers; use NvidiaGpuOperator"
            raise wrong("nodes", "of Talos 1.14 or older", str(nodes.talos_version), hint)
        if nodes.dra:
            raise wrong("nodes", "a class without 'dra'", nodes, "the DraDriver hands out the same GPUs; leave the plugin out")
        check_strategies("device_list_strategy", strategies, nodes)
        if self.nvidia_cdi_hook_path is not None and not CDI_STRATEGIES.intersection(strategies):
            hint = "no CDI spec is written without 'cdi-annotations' or 'cdi-cri' in 'device_list_strategy'"
            raise wrong("nvidia_cdi_hook_path", "left out with these strategies", self.nvidia_cdi_hook_path, hint)

    @property
    def writes_cdi(self) -> bool:
        """Whether the plugin writes CDI specs onto the host."""
        return any(strategy in CDI_STRATEGIES for strategy in self.strategies)

    @property
    def strategies(self) -> tuple[DeviceListStrategy, ...]:
        """The device list strategies, one or several."""
        return device_list_strategies(self.device_list_strategy)

    @property
    def instance(self) -> str:
        """The value of the instance label: what keeps the pods of two plugins apart."""
        return str(self.name)


def _driver_root(value: str | None, strategies: tuple[DeviceListStrategy, ...]) -> str | None:
    if value is not None:
        return _absolute_path("nvidia_driver_root", value)
    # A CDI spec is made of what the plugin finds under /driver-root, which is empty unless the node's root is mounted there.
    return "/" if CDI_STRATEGIES.intersection(strategies) else None


def _absolute_path(argument: str, value: object) -> str:
    rule = "an absolute path on the node"
    path = text(argument, value, rule)
    if not path.startswith("/"):
        raise wrong(argument, rule, path)
    return path


def _names(value: object) -> list[str]:
    return texts("image_pull_secrets", list(value) if isinstance(value, tuple) else value)
