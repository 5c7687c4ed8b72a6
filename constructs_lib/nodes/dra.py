"""How GPUs are handed out by claims, Kubernetes' dynamic resource allocation (DRA), in place of a device plugin's limits.

https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from .._arguments.errors import Argument, Phrase, wrong, wrong_kind
from .._arguments.fields import call, named, settle
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import choice, instance, text, texts, whole_number
from ..upstream.choice import Choice
from ..upstream.talos_features import LEGACY_LAYOUT, LEGACY_ROOT
from .talos_version import Generation, TalosVersion


class DraShare(Choice):
    """Who shares a GPU with whom."""

    EXCLUSIVE = "exclusive"
    """Nobody: each container has the GPUs of its claim to itself."""
    CLAIM = "claim"
    """Every container and pod of a namespace that names the one claim. Such pods run on one node, as the claim is allocated there."""
    TIME_SLICING = "time-slicing"
    """As `claim`, and they take turns of a chosen length."""
    CONSUMABLE = "consumable"
    """Pods with a claim each, several of which fit on one GPU."""


class TimeSliceInterval(Choice):
    """How long a turn on a shared GPU is."""

    DEFAULT = "Default"
    SHORT = "Short"
    MEDIUM = "Medium"
    LONG = "Long"


# What `shares` is beside a number (cmd/gpu-kubelet-plugin/main.go, validateCLIFlags).
_UNCOUNTED = ("unlimited", "memory")
# Its pod mounts tmp/nvidia-mps and var/log/nvidia-mps inside the driver root, and on Talos has neither to mount them at
# (templates/mps-control-daemon.tmpl.yaml; siderolabs/extensions nvidia-gpu).
NO_MPS = "on Talos the DRA driver's MPS daemon can't start: it mounts folders inside the driver root, which is read-only (/usr/local)"


def _to_share(value: DraShare | str, argument: str = "") -> DraShare:
    if isinstance(value, str) and value.lower() == "mps":
        raise wrong(argument, "one of " + ", ".join(f"'{each}'" for each in DraShare), value, NO_MPS)
    return choice(argument, value, DraShare)


def _to_interval(value: TimeSliceInterval | str | None, argument: str = "") -> TimeSliceInterval | None:
    return None if value is None else choice(argument, value, TimeSliceInterval)


def _to_expressions(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    return tuple(text(argument, each, "a list of CEL expressions") for each in texts(argument, value))


@named_arguments()
@attrs.frozen(kw_only=True, repr=False, field_transformer=named)
class Dra:
    """Hand out the GPUs of a class of nodes by claims. `GpuNodes(dra=Dra())` is all it takes: every GPU pod for these nodes then claims
    its GPUs, where it would have limits and a RuntimeClass, and `DraDriver` gets the feature gates that the choice needs.

    Nothing isolates the memory of pods that share a GPU, in whichever way.

    Args:
        share: `exclusive`, `claim`, `time-slicing` or `consumable`. Default: `exclusive`.
        interval: The turns of `time-slicing`: `Default`, `Short`, `Medium` or `Long`. Default: `Default`, the driver's own.
        shares: What fits on one GPU where claims are `consumable`: a number of claims; `unlimited`; or `memory`, where each claim takes
            the GPU memory that it asks for, and one that asks for none the whole GPU.
        selectors: CEL expressions that a GPU has to satisfy, where a node has several kinds. Default: none, any GPU of the nodes.

    Raises:
        TypeError, ValueError: `'share' must be one of …`, for MPS too; `'interval' must be left out …` and `'shares' must be …` when they
            are for another `share`.

    Example:
        >>> Dra(share="consumable", shares=4).driver_feature_gates
        {'ConsumableShares': True}

    https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
    """

    share: DraShare = attrs.field(default=DraShare.EXCLUSIVE, converter=_to_share)
    interval: TimeSliceInterval | None = attrs.field(default=None, converter=_to_interval)
    shares: int | str | None = None
    selectors: tuple[str, ...] = attrs.field(default=(), converter=_to_expressions)

    def __attrs_post_init__(self) -> None:
        if self.share is DraShare.TIME_SLICING:
            settle(self, "interval", TimeSliceInterval.DEFAULT)
        elif self.interval is not None:
            raise wrong("interval", f"left out with share='{self.share}'", str(self.interval), "it is for share='time-slicing'")
        if self.share is DraShare.CONSUMABLE:
            _check_shares(self.shares)
        elif self.shares is not None:
            raise wrong("shares", f"left out with share='{self.share}'", self.shares, "it is for share='consumable'")

    def __repr__(self) -> str:
        """The call that makes it, without what is left out."""
        return call(self)

    @property
    def is_one_claim(self) -> bool:
        """Whether pods name one claim that is there before them, in place of a template that each gets a claim of."""
        return self.share in (DraShare.CLAIM, DraShare.TIME_SLICING)

    @property
    def consumable_shares(self) -> str:
        """What the driver is told of `shares`; empty where claims don't consume a part of a GPU."""
        return "" if self.shares is None else str(self.shares)

    @property
    def claims_per_gpu(self) -> int | None:
        """How many claims one GPU serves; None where it is not a number."""
        if self.share is DraShare.EXCLUSIVE:
            return 1
        return self.shares if isinstance(self.shares, int) else None

    @property
    def driver_feature_gates(self) -> dict[str, bool]:
        """The feature gates of the driver that `share` needs: without its gate it is an error when the pod starts."""
        if self.share is DraShare.TIME_SLICING:
            return {"TimeSlicingSettings": True}
        return {"ConsumableShares": True} if self.share is DraShare.CONSUMABLE else {}

    @property
    def kubernetes_feature_gates(self) -> tuple[str, ...]:
        """The feature gates of Kubernetes that `share` needs, which are on by themselves from a later version on."""
        return ("DRAConsumableCapacity",) if self.share is DraShare.CONSUMABLE else ()


def _check_shares(shares: object) -> None:
    rule = "a number of claims, 'unlimited' or 'memory' with share='consumable'"
    if isinstance(shares, str):
        if shares not in _UNCOUNTED:
            raise wrong("shares", rule, shares, f"did you mean {shares}?" if shares.isdecimal() else "")
    elif isinstance(shares, int) and not isinstance(shares, bool):
        whole_number("shares", shares)
    else:
        raise wrong_kind("shares", rule, shares)


def check_dra(dra: object, *, talos: TalosVersion, sharing: object, mig_strategy: str) -> None:
    """Refuse claims where no driver could serve them, and beside what only the device plugin reads."""
    instance("dra", dra, Dra, "a Dra", "such as Dra()")
    if talos.minor in LEGACY_LAYOUT:
        hint = f"its NVIDIA libraries are under {LEGACY_ROOT}, where no release of the DRA driver looks; upgrade to Talos 1.13 first"
        raise wrong("dra", f"left out on Talos {talos}", dra, hint)
    if talos.generation is Generation.NRI:
        hint = "nothing is known yet of where the DRA driver would find that Talos' NVIDIA libraries"
        raise wrong("dra", f"left out on Talos {talos}", dra, hint)
    if sharing is not None:
        raise wrong(
            "sharing",
            Phrase("left out with ", Argument("dra")),
            sharing,
            "it is for the device plugin; claims are shared by 'share' of Dra",
        )
    if mig_strategy != "none":
        hint = "it is for the device plugin; the DRA driver publishes the partitions that it finds by itself"
        raise wrong("mig_strategy", Phrase("'none' with ", Argument("dra")), str(mig_strategy), hint)


def claim_name(owner: str | None, gpus: int, profile: str | None = None) -> str:
    """What a claim, or the template of one, is called where nobody says: all that it asks for is in it, because none can be changed later."""
    what = "gpu" if profile is None else f"mig-{profile.replace('+', '.')}"
    return "-".join(filter(None, (owner, what, str(gpus) if gpus > 1 else "")))
