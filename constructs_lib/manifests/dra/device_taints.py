"""`device_taint_rule`: the DeviceTaintRule that takes one device of a DRA driver out of use."""

from __future__ import annotations

from ...arguments.errors import wrong
from ...arguments.keywords import named_arguments
from ...arguments.kubernetes_versions import kubernetes_minor
from ...arguments.names import dns_label, dns_subdomain
from ...arguments.plain_values import choice
from ...upstream.choice import Choice
from ...upstream.kubernetes.dra_gates import TAINT_RULES_SINCE, taint_rule_api
from ..objects import Manifest, manifest
from .claim_objects import DRIVER

TAINT_KEY = "talos-gpu/sick"  # The key of our taints of devices


class DeviceEffect(Choice):
    """What a taint of a device does to pods whose claim does not tolerate it."""

    NONE = "None"
    """Nothing: the status of the rule says which pods `NoExecute` would end."""
    NO_SCHEDULE = "NoSchedule"
    """No new claim gets the device."""
    NO_EXECUTE = "NoExecute"
    """No new claim gets the device, and the pods that have it are ended."""


@named_arguments(node="the pool of NVIDIA's driver has the name of the node", device="the device has a name in its ResourceSlice")
def device_taint_rule(
    *, node: str, device: str, kubernetes_version: str, effect: DeviceEffect | str = DeviceEffect.NO_SCHEDULE, name: str | None = None
) -> Manifest:
    """The DeviceTaintRule that takes one GPU of NVIDIA's DRA driver out of use, as plain data.

    A rule names a device as its ResourceSlice does, not by its UUID: `talos-gpu doctor` prints the rule of a sick card,
    and docs/dra.md has the command that finds the name of a UUID. Delete the rule when the card is well.

    Args:
        node: The name of the node, which is the name of the device's pool.
        device: The name of the device, such as "gpu-0", or that of a MIG partition.
        kubernetes_version: The Kubernetes of the cluster, such as "1.37", from which the API version follows.
        effect: `None`, `NoSchedule`, or `NoExecute`, which ends the pods that have the device. Default: `NoSchedule`.
        name: The object's name. Default: `<node>-<device>`.

    Returns:
        The object as a dict.

    Raises:
        TypeError, ValueError: `'kubernetes_version' must be at least '1.35' …`; `'effect' must be one of …`.

    Example:
        >>> rule = device_taint_rule(node="gpu-1", device="gpu-0", kubernetes_version="1.37", effect="NoExecute")
        >>> rule["apiVersion"], rule["spec"]["deviceSelector"]
        ('resource.k8s.io/v1', {'driver': 'gpu.nvidia.com', 'pool': 'gpu-1', 'device': 'gpu-0'})

    https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/#device-taints-and-tolerations
    """
    minor = kubernetes_minor(kubernetes_version, 37)
    if minor < TAINT_RULES_SINCE:
        raise wrong(
            "kubernetes_version",
            f"at least '1.{TAINT_RULES_SINCE}'",
            kubernetes_version,
            "older Kubernetes has no DeviceTaintRule of this form",
        )
    pool, taken = dns_subdomain("node", node), dns_label("device", device)
    spec = {
        "deviceSelector": {"driver": DRIVER, "pool": pool, "device": taken},
        "taint": {"key": TAINT_KEY, "effect": str(choice("effect", effect, DeviceEffect))},
    }
    return manifest(taint_rule_api(minor), "DeviceTaintRule", dns_subdomain("name", name or f"{pool}-{taken}"), spec=spec)
