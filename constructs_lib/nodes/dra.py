"""`Dra`: GPUs by resource claims, Kubernetes' dynamic resource allocation (DRA), in place of the limits of a device
plugin.

https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu
"""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from ..arguments.errors import Argument, Phrase, wrong, wrong_kind
from ..arguments.fields import call, named, settle, to_flag
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import choice, instance, text, texts, whole_number
from ..upstream.choice import Choice
from ..upstream.talos.features import LEGACY_ROOT
from ..upstream.talos.generations import CDI_LAYOUT, LEGACY_LAYOUT
from .talos_version import TalosVersion


class DraShare(Choice):
    """How containers and pods share a GPU."""

    EXCLUSIVE = "exclusive"
    """No sharing: each container has the GPUs of its claim to itself."""
    CLAIM = "claim"
    """All containers and pods that name one claim of a namespace share its GPUs, on the node of the claim."""
    TIME_SLICING = "time-slicing"
    """As `claim`; the pods take turns, and `interval` sets the length of a turn."""
    CONSUMABLE = "consumable"
    """Each pod has a claim, and one GPU serves several claims."""


class TimeSliceInterval(Choice):
    """The length of a turn on a shared GPU."""

    DEFAULT = "Default"
    SHORT = "Short"
    MEDIUM = "Medium"
    LONG = "Long"


# The values of `shares` that are no number (cmd/gpu-kubelet-plugin/main.go, validateCLIFlags).
_UNCOUNTED = ("unlimited", "memory")
# The pod of the MPS daemon mounts tmp/nvidia-mps and var/log/nvidia-mps inside the driver root. On Talos neither folder
# exists there (templates/mps-control-daemon.tmpl.yaml; siderolabs/extensions nvidia-gpu).
NO_MPS = (
    "the MPS daemon of the DRA driver can't start on Talos: the daemon mounts folders inside the driver root /usr/local, which is read-only"
)

# The kubelet plugin runs `fuser` below the node's root until it finds no user of the card (cmd/gpu-kubelet-plugin/vfio-device.go,
# WaitForGPUFree at v0.4.1 and 95932046). siderolabs/talos Dockerfile has modprobe, and no fuser (2026-11-28).
NO_PASSTHROUGH = (
    "the driver runs the node's fuser before it moves a card to vfio-pci, and Talos has no fuser: the claim ends with 'timed out waiting for gpu to be "
    "free'; describe nodes whose cards belong to virtual machines by 'passthrough' of GpuNodes"
)


def _to_share(value: DraShare | str, argument: str = "") -> DraShare:
    if isinstance(value, str) and value.lower() == "mps":
        raise wrong(argument, "one of " + ", ".join(f"'{share}'" for share in DraShare), value, NO_MPS)
    return choice(argument, value, DraShare)


def _to_interval(value: TimeSliceInterval | str | None, argument: str = "") -> TimeSliceInterval | None:
    return None if value is None else choice(argument, value, TimeSliceInterval)


def _to_expressions(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    return tuple(text(argument, expression, "a list of CEL expressions") for expression in texts(argument, value))


@named_arguments()
@attrs.frozen(kw_only=True, repr=False, field_transformer=named)
class Dra:
    """Resource claims for the GPUs of a class of nodes, set by `GpuNodes(dra=Dra())`.

    Every GPU pod for these nodes has a claim in place of limits and a RuntimeClass, or with `extended_resource` a limit. `DraDriver` sets the feature gates
    that `share` needs. No kind of sharing isolates the GPU memory of the pods.

    Args:
        share: `exclusive`, `claim`, `time-slicing` or `consumable`. Default: `exclusive`.
        interval: The length of a turn with `time-slicing`: `Default`, `Short`, `Medium` or `Long`. Default: `Default`,
            the driver's own.
        shares: The claims that fit on one GPU with `consumable`: a number of claims; `unlimited`; or `memory`, by which
            each claim takes the GPU memory that the claim requests, or the whole GPU without such a request. Required
            with `consumable`, else left out.
        selectors: CEL expressions that a GPU must match, for nodes with several kinds of GPUs. Default: none, any GPU
            of the nodes.
        extended_resource: Whether pods ask by the limit `nvidia.com/gpu`, as of a device plugin, which the DeviceClass of the
            driver's chart serves from Kubernetes 1.36 on; in 1.34 and 1.35 with the feature gate DRAExtendedResource. Such a
            limit takes whole GPUs, any of the node. Default: False.

    Raises:
        TypeError, ValueError: `'share' must be one of …`, also for MPS; `'interval' must be left out …` and `'shares'
            must be …` when the argument belongs to another `share`; `'extended_resource' must be False …` beside another
            `share` or `selectors`.

    Example:
        >>> Dra(share="consumable", shares=4).driver_feature_gates
        {'ConsumableShares': True}

    https://kubernetes.io/docs/concepts/scheduling-eviction/dynamic-resource-allocation/
    """

    share: DraShare = attrs.field(default=DraShare.EXCLUSIVE, converter=_to_share)
    interval: TimeSliceInterval | None = attrs.field(default=None, converter=_to_interval)
    shares: int | str | None = None
    selectors: tuple[str, ...] = attrs.field(default=(), converter=_to_expressions)
    extended_resource: bool = attrs.field(default=False, converter=to_flag)

    def __attrs_post_init__(self) -> None:
        if self.share is DraShare.TIME_SLICING:
            settle(self, "interval", TimeSliceInterval.DEFAULT)
        elif self.interval is not None:
            raise wrong("interval", f"left out with share='{self.share}'", str(self.interval), "the interval is for share='time-slicing'")
        if self.share is DraShare.CONSUMABLE:
            _check_shares(self.shares)
        elif self.shares is not None:
            raise wrong("shares", f"left out with share='{self.share}'", self.shares, "the number is for share='consumable'")
        if self.extended_resource:
            self._check_limits()

    def __repr__(self) -> str:
        """The constructor call, without the arguments that have their default."""
        return call(self)

    def _check_limits(self) -> None:
        # The scheduler writes the claim of a limit: ExactCount of the DeviceClass, without selectors, capacity or config
        # (pkg/scheduler/framework/plugins/dynamicresources/extendeddynamicresources.go, v1.37.2).
        if self.share is not DraShare.EXCLUSIVE:
            hint = "a limit names no claim that pods share, and no part of a GPU"
            raise wrong("extended_resource", f"False with share='{self.share}'", self.extended_resource, hint)
        if self.selectors:
            hint = "a limit takes any GPU of the DeviceClass gpu.nvidia.com"
            raise wrong("extended_resource", "False with 'selectors'", self.extended_resource, hint)

    @property
    def is_one_claim(self) -> bool:
        """Whether all pods name one existing claim. Otherwise each pod gets a claim of its own from a template."""
        return self.share in (DraShare.CLAIM, DraShare.TIME_SLICING)

    @property
    def consumable_shares(self) -> str:
        """The value of `shares` for the driver; empty when claims don't consume a part of a GPU."""
        return "" if self.shares is None else str(self.shares)

    @property
    def claims_per_gpu(self) -> int | None:
        """The number of claims that one GPU serves; None when `shares` is no number."""
        if self.share is DraShare.EXCLUSIVE:
            return 1
        return self.shares if isinstance(self.shares, int) else None

    @property
    def driver_feature_gates(self) -> dict[str, bool]:
        """The feature gates of the driver that `share` needs. Without the gate a pod fails when it starts."""
        if self.share is DraShare.TIME_SLICING:
            return {"TimeSlicingSettings": True}
        return {"ConsumableShares": True} if self.share is DraShare.CONSUMABLE else {}

    @property
    def kubernetes_feature_gates(self) -> tuple[str, ...]:
        """The feature gates of Kubernetes that the pods need; later versions of Kubernetes enable them by default."""
        if self.extended_resource:
            return ("DRAExtendedResource",)
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
    """Refuse claims on a Talos without a working DRA driver, and claims beside settings of the device plugin."""
    instance("dra", dra, Dra, "a Dra", "such as Dra()")
    if not talos.needs.has_dra:
        unfound = (
            f"no release of the DRA driver looks for the NVIDIA libraries under {LEGACY_ROOT}; upgrade to Talos {CDI_LAYOUT.first} first"
        )
        unknown = "it is not known yet whether the DRA driver finds the NVIDIA libraries of this Talos"
        raise wrong("dra", f"left out on Talos {talos}", dra, unfound if talos.minor in LEGACY_LAYOUT else unknown)
    if sharing is not None:
        hint = "'sharing' is for the device plugin; use 'share' of 'dra' to share claims"
        raise wrong("sharing", Phrase("left out with ", Argument("dra")), sharing, hint)
    if mig_strategy != "none":
        hint = "'mig_strategy' is for the device plugin; the DRA driver publishes the partitions of a card by itself"
        raise wrong("mig_strategy", Phrase("'none' with ", Argument("dra")), str(mig_strategy), hint)


def claim_name(owner: str | None, gpus: int, profile: str | None = None) -> str:
    """The default name of a claim or template. It has the request, because the spec of a claim can't change later."""
    what = "gpu" if profile is None else f"mig-{profile.replace('+', '.')}"
    return "-".join(filter(None, (owner, what, str(gpus) if gpus > 1 else "")))
