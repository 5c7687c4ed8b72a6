"""How one GPU serves several pods: time-slicing or MPS, in the words of the device plugin's own config.

https://github.com/NVIDIA/k8s-device-plugin/blob/v0.20.0/api/config/v1/sharing.go
"""

from __future__ import annotations

from typing import ClassVar

import attrs

from .._arguments.errors import Argument, Phrase, wrong
from .._arguments.fields import named, to_flag
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import instance, whole_number
from .._arguments.talos_warnings import warn
from ..upstream.plugin_words import FEWEST_REPLICAS, MOST_MPS_CLIENTS
from ..upstream.talos_features import MPS_BREAKS
from .talos_version import TalosVersion


def _to_slices(value: int, argument: str = "") -> int:
    return whole_number(argument, value, FEWEST_REPLICAS, hint=Phrase("one pod a GPU needs no ", Argument("sharing")))


def _to_clients(value: int, argument: str = "") -> int:
    return whole_number(argument, value, FEWEST_REPLICAS, MOST_MPS_CLIENTS)


@named_arguments(replicas="say how many pods may share one GPU")
@attrs.frozen(kw_only=True, field_transformer=named)
class TimeSlicing:
    """Let several pods take turns on each GPU. Nothing isolates their memory: together they must fit into the card's.

    Args:
        replicas: How many pods share one GPU; a node advertises this many times its GPUs. At least 2.
        rename_by_default: Advertise `nvidia.com/gpu.shared` in place of `nvidia.com/gpu`, so that nobody takes a share for a card.
            Default: False.
        fail_requests_greater_than_one: Refuse pods that ask for two shares, which are no more of a GPU than one. Default: False,
            as upstream's.

    Raises:
        TypeError, ValueError: `'replicas' must be a whole number …`.

    Example:
        >>> TimeSlicing(replicas=5).replicas
        5

    https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#with-cuda-time-slicing
    """

    config_key: ClassVar[str] = "timeSlicing"
    """What it is called in the device plugin's config."""

    replicas: int = attrs.field(converter=_to_slices)
    rename_by_default: bool = attrs.field(default=False, converter=to_flag)
    fail_requests_greater_than_one: bool = attrs.field(default=False, converter=to_flag)


@named_arguments(replicas="say how many pods may share one GPU")
@attrs.frozen(kw_only=True, field_transformer=named)
class Mps:
    """Let several pods compute on each GPU at once, each with an equal share of its memory and threads, through NVIDIA's MPS daemon.

    On Talos 1.12 the MPS server exits as soon as a pod connects (NVIDIA/k8s-device-plugin#1614), so `GpuNodes` refuses it there; on
    others nobody has reported success or failure, so it warns.

    Args:
        replicas: How many pods share one GPU, 2 to 48 (16 on cards older than Turing).
        rename_by_default: Advertise `nvidia.com/gpu.shared` in place of `nvidia.com/gpu`. Default: False.
        fail_requests_greater_than_one: Refuse pods that ask for two shares. Default: True, as upstream's for MPS.

    Raises:
        TypeError, ValueError: `'replicas' must be a whole number from 2 to 48 …`.

    Example:
        >>> Mps(replicas=4).fail_requests_greater_than_one
        True

    https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#with-cuda-mps
    """

    config_key: ClassVar[str] = "mps"
    """What it is called in the device plugin's config."""

    replicas: int = attrs.field(converter=_to_clients)
    rename_by_default: bool = attrs.field(default=False, converter=to_flag)
    fail_requests_greater_than_one: bool = attrs.field(default=True, converter=to_flag)


_TIME_SLICING = Argument("time_slicing", written="a TimeSlicing")


def check_sharing(sharing: object, *, talos: TalosVersion, mig_strategy: str) -> None:
    """Refuse what can't be shared so, and warn of what nobody has seen to work."""
    instance("sharing", sharing, TimeSlicing | Mps, "a TimeSlicing or an Mps", "such as TimeSlicing(replicas=4)")
    if not isinstance(sharing, Mps):
        return
    if mig_strategy != "none":
        rule = Phrase(_TIME_SLICING, " with ", Argument("mig_strategy", mig_strategy))
        raise wrong("sharing", rule, sharing, "MPS refuses MIG devices")
    if talos.minor in MPS_BREAKS:
        symptom = f"on {MPS_BREAKS} the MPS server exits when a pod connects (NVIDIA/k8s-device-plugin#1614); use "
        hint = Phrase(symptom, Argument("time_slicing", written="TimeSlicing"), ", or Talos 1.13")
        raise wrong("sharing", Phrase(_TIME_SLICING, f" on {MPS_BREAKS}"), sharing, hint)
    warn(f"nobody has reported MPS to work on Talos {talos}; TimeSlicing is what clusters run")
