"""`TimeSlicing` and `Mps`: one GPU for several pods, with the settings of the device plugin's config.

https://github.com/NVIDIA/k8s-device-plugin/blob/v0.20.0/api/config/v1/sharing.go
"""

from __future__ import annotations

from typing import ClassVar

import attrs

from ..arguments.errors import Argument, Phrase, warn, wrong
from ..arguments.fields import named, to_flag
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import instance, whole_number
from ..upstream.nvidia.plugin_words import FEWEST_REPLICAS, MOST_MPS_CLIENTS
from ..upstream.talos.features import MPS_BREAKS
from .talos_version import TalosVersion


def _to_slices(value: int, argument: str = "") -> int:
    return whole_number(argument, value, FEWEST_REPLICAS, hint=Phrase("one pod for each GPU needs no ", Argument("sharing")))


def _to_clients(value: int, argument: str = "") -> int:
    return whole_number(argument, value, FEWEST_REPLICAS, MOST_MPS_CLIENTS)


@named_arguments(replicas="set the number of pods that share one GPU")
@attrs.frozen(kw_only=True, field_transformer=named)
class TimeSlicing:
    """Time-slicing: several pods take turns on each GPU. Their GPU memory is not isolated: all pods together must fit
    into the memory of the card.

    Args:
        replicas: The number of pods that share one GPU, at least 2. A node advertises this multiple of its GPUs.
        rename_by_default: Advertise `nvidia.com/gpu.shared` in place of `nvidia.com/gpu`, so that no user takes a share
            for a card. Default: False.
        fail_requests_greater_than_one: Refuse pods that request two or more shares; two shares give a pod no more of
            the GPU than one. Default: False, as upstream.

    Raises:
        TypeError, ValueError: `'replicas' must be a whole number …`.

    Example:
        >>> TimeSlicing(replicas=5).replicas
        5

    https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#with-cuda-time-slicing
    """

    config_key: ClassVar[str] = "timeSlicing"
    """The key of this kind of sharing in the device plugin's config."""

    replicas: int = attrs.field(converter=_to_slices)
    rename_by_default: bool = attrs.field(default=False, converter=to_flag)
    fail_requests_greater_than_one: bool = attrs.field(default=False, converter=to_flag)


@named_arguments(replicas="set the number of pods that share one GPU")
@attrs.frozen(kw_only=True, field_transformer=named)
class Mps:
    """MPS: several pods compute on each GPU at once, through NVIDIA's MPS daemon. Each pod has an equal share of memory
    and threads.

    On Talos 1.12 the MPS server exits when a pod connects (NVIDIA/k8s-device-plugin#1614), so `GpuNodes` refuses MPS
    there. On every other Talos `GpuNodes` warns: no report of success or failure is known.

    Args:
        replicas: The number of pods that share one GPU, 2 to 48 (16 on cards older than Turing).
        rename_by_default: Advertise `nvidia.com/gpu.shared` in place of `nvidia.com/gpu`. Default: False.
        fail_requests_greater_than_one: Refuse pods that request two or more shares. Default: True, as upstream for MPS.

    Raises:
        TypeError, ValueError: `'replicas' must be a whole number from 2 to 48 …`.

    Example:
        >>> Mps(replicas=4).fail_requests_greater_than_one
        True

    https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#with-cuda-mps
    """

    config_key: ClassVar[str] = "mps"
    """The key of this kind of sharing in the device plugin's config."""

    replicas: int = attrs.field(converter=_to_clients)
    rename_by_default: bool = attrs.field(default=False, converter=to_flag)
    fail_requests_greater_than_one: bool = attrs.field(default=True, converter=to_flag)


_TIME_SLICING = Argument("time_slicing", written="a TimeSlicing")


def check_sharing(sharing: object, *, talos: TalosVersion, mig_strategy: str) -> None:
    """Refuse MPS with MIG and on Talos 1.12; warn of MPS on every other Talos."""
    instance("sharing", sharing, TimeSlicing | Mps, "a TimeSlicing or an Mps", "such as TimeSlicing(replicas=4)")
    if not isinstance(sharing, Mps):
        return
    if mig_strategy != "none":
        rule = Phrase(_TIME_SLICING, " with ", Argument("mig_strategy", mig_strategy))
        raise wrong("sharing", rule, sharing, "MPS does not support MIG devices")
    if talos.minor in MPS_BREAKS:
        symptom = f"on {MPS_BREAKS} the MPS server exits when a pod connects (NVIDIA/k8s-device-plugin#1614); use "
        hint = Phrase(symptom, Argument("time_slicing", written="TimeSlicing"), ", or Talos 1.13")
        raise wrong("sharing", Phrase(_TIME_SLICING, f" on {MPS_BREAKS}"), sharing, hint)
    warn(f"no report is known of MPS working on Talos {talos}; clusters use time-slicing")
