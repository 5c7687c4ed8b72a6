"""`FeatureDiscovery` and `MpsControlDaemon`: the settings of the two DaemonSets beside the device plugin's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import call, copied, named, to_flag, to_pod_spec, to_resources
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import instance
from ...arguments.quantities import duration, seconds
from ...upstream.nvidia.plugin_words import INFINITE_SLEEP
from ...upstream.programs.container_rights import AGENT_RESOURCES
from ..objects import plain


def _to_sleep_interval(value: str | None, argument: str = "") -> str | None:
    if value is None or value == INFINITE_SLEEP:
        return value
    written = duration(argument, value, "10m")
    if not seconds(written):
        raise wrong(argument, "a duration above zero", written, "GPU feature discovery would read the GPUs without a pause")
    return written


def to_agent_resources(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """The requests and limits of an agent's container: for None those of `AGENT_RESOURCES`, where upstream has none."""
    return to_resources(AGENT_RESOURCES if value is None else value, argument)


@attrs.frozen(kw_only=True, repr=False, field_transformer=named)
class _AgentPod:
    resources: Mapping[str, Any] = attrs.field(default=AGENT_RESOURCES, converter=to_agent_resources, hash=False)
    pod_spec: Mapping[str, Any] = attrs.field(default=None, converter=to_pod_spec, hash=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the constructor call."""
        return copied(self, **self._mappings)

    def __repr__(self) -> str:
        """The constructor call, without the arguments that have their default."""
        return call(self, **self._mappings)

    @property
    def _mappings(self) -> dict[str, dict[str, Any]]:
        return {"resources": plain(self.resources), "pod_spec": plain(self.pod_spec)}


@named_arguments()
@attrs.frozen(kw_only=True, repr=False, field_transformer=named)
class FeatureDiscovery(_AgentPod):
    """GPU feature discovery with settings of its own, for `feature_discovery` of `StandaloneDevicePlugin`.

    Args:
        resources: The `requests` and `limits` of its container, in Kubernetes' spelling, and `{}` for none. Default:
            requests of 10m and 64Mi.
        pod_spec: Fields merged over its pod spec, as `pod_spec` of `StandaloneDevicePlugin` over the plugin's. Default:
            none.
        sleep_interval: The pause between two readings of the GPUs, such as "10m"; `infinite` reads the GPUs once.
            Default: GPU feature discovery's own, 60 seconds.
        no_timestamp: Leave out the label `nvidia.com/gfd.timestamp`, which changes with each start. Default: False.

    Raises:
        TypeError, ValueError: `'sleep_interval' must be a duration …`; likewise for every other argument.

    Example:
        >>> FeatureDiscovery(resources={"limits": {"memory": "128Mi"}})
        FeatureDiscovery(resources={'limits': {'memory': '128Mi'}})

    https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0/docs/gpu-feature-discovery
    """

    sleep_interval: str | None = attrs.field(default=None, converter=_to_sleep_interval)
    no_timestamp: bool = attrs.field(default=False, converter=to_flag)


@named_arguments()
@attrs.frozen(kw_only=True, repr=False, field_transformer=named)
class MpsControlDaemon(_AgentPod):
    """The MPS control daemon with settings of its own, for `mps_control_daemon` of `StandaloneDevicePlugin`.

    The MPS servers of all GPUs run in the daemon's container. A memory limit that is too low ends every pod that shares
    these GPUs.

    Args:
        resources: The `requests` and `limits` of its container and of its init container, in Kubernetes' spelling, and
            `{}` for none. Default: requests of 10m and 64Mi.
        pod_spec: Fields merged over its pod spec, as `pod_spec` of `StandaloneDevicePlugin` over the plugin's. Default:
            none.

    Raises:
        TypeError, ValueError: `'resources' must be a mapping with 'requests' and 'limits' …`; likewise for 'pod_spec'.

    Example:
        >>> MpsControlDaemon(resources={"requests": {"memory": "512Mi"}})
        MpsControlDaemon(resources={'requests': {'memory': '512Mi'}})

    https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#with-cuda-mps
    """


def to_feature_discovery(value: bool | FeatureDiscovery | None, argument: str = "") -> FeatureDiscovery | None:
    """The settings of GPU feature discovery; None where it does not run."""
    if value is None or isinstance(value, bool):
        return FeatureDiscovery() if value else None
    return instance(argument, value, FeatureDiscovery, "True, False or a FeatureDiscovery")


def to_mps_control_daemon(value: MpsControlDaemon | None, argument: str = "") -> MpsControlDaemon | None:
    """The settings of the MPS control daemon, or None."""
    return None if value is None else instance(argument, value, MpsControlDaemon, "a MpsControlDaemon")
