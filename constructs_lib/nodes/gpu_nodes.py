"""`GpuNodes`: one class of GPU nodes, the value that every manifest and every machine configuration is derived from."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from .._arguments.errors import Argument, Phrase, wrong
from .._arguments.fields import call, copied, named, to_labels, to_optional_bytes, to_optional_positive
from .._arguments.keywords import named_arguments
from .._arguments.names import dns_label
from .._arguments.plain_values import choice, instance
from .._arguments.talos_warnings import warn
from ..upstream import talos_releases
from ..upstream.charts.device_plugin_chart import CONFIG_LABEL, PRESENT_LABEL
from ..upstream.driver_branches import NEW_FEATURE, DriverTrack, KernelModules
from ..upstream.extension_names import LABEL_PREFIX, TOOLKIT
from ..upstream.gpu_resources import GPU_RESOURCE, SHARED_SUFFIX, mig_resource
from ..upstream.plugin_words import MigStrategy
from ..upstream.talos_features import RUNTIME_CLASS
from .mig import Layout, check_devices, devices_per_node, layouts_of, plain_devices, to_mig_devices
from .taints import Taint, to_taints
from .talos_version import Generation, TalosVersion, newer_than_tables, newest_minor, to_talos_version

if TYPE_CHECKING:
    from .dra import Dra
    from .sharing import Mps, TimeSlicing

# It stands in the names of objects, and those in labels, which hold 63 characters.
_LONGEST_CLASS_NAME = 36


@functools.cache
def _nvidia_taint() -> Taint:
    """NVIDIA's own taint, which every chart of theirs tolerates: a node may carry it whatever else it carries.

    CriticalAddonsOnly, which they tolerate as well, is no taint any more but an annotation that Kubernetes dropped; upstream keeps it for old
    clusters.
    """
    return Taint(GPU_RESOURCE)


def _to_kernel_modules(value: KernelModules | str, argument: str = "") -> KernelModules:
    return choice(argument, value, KernelModules)


def _to_driver_track(value: DriverTrack | str, argument: str = "") -> DriverTrack:
    return choice(argument, value, DriverTrack)


def _to_mig_strategy(value: MigStrategy | str, argument: str = "") -> MigStrategy:
    return choice(argument, value, MigStrategy)


def _to_class_name(value: str | None, argument: str = "") -> str | None:
    return None if value is None else dns_label(argument, value, _LONGEST_CLASS_NAME)


@named_arguments(talos_version="the generations of Talos need different manifests, so a default would break somebody's nodes")
@attrs.frozen(kw_only=True, repr=False, field_transformer=named)
class GpuNodes:
    """A class of nodes with NVIDIA GPUs that are alike: same Talos, driver, labels, taints and sharing.

    Whatever depends on the nodes takes it, so a selector can't miss its label, a toleration its taint, or a pod its RuntimeClass.

    Args:
        talos_version: The Talos of the nodes, as "1.12" or "v1.12.11". No default.
        kernel_modules: `open` or `proprietary`. Default: `open`.
        driver_track: The track of the extensions: `lts`, `production`, or from Talos 1.15 on `new-feature`, which has open modules only.
            Default: `production`.
        labels: Labels by which these nodes are told from all others; they become the selector. Default: none, which selects the nodes
            whose Talos has the NVIDIA toolkit extension, by the label that Talos itself sets.
        taints: The nodes' taints, each tolerated by everything for these nodes. `nvidia.com/gpu` is tolerated always. Default: none.
        product: The card's name, as "RTX 5070 Ti" or as the label `nvidia.com/gpu.product` has it: modules and drivers that can't run it
            are refused. Default: unknown, as is every name that this library does not know.
        gpus_per_node: Physical GPUs in each node. Default: unknown, so a request is not compared with it.
        memory_per_gpu: The memory of one GPU, as a Kubernetes quantity ("16Gi"). Default: unknown.
        count: How many such nodes there are. Default: unknown.
        sharing: `TimeSlicing` or `Mps`. Default: none, each pod has whole GPUs.
        mig_strategy: `none`, `single` or `mixed`. Default: `none`.
        mig_devices: What MIG cuts each GPU into, as nvidia-mig-parted names it: `{"1g.10gb": 7}`, or a list of one for each GPU of a node,
            by index, in which `{}` is a whole one. `StandaloneDevicePlugin` then partitions the cards before it advertises them. Default:
            unknown, and somebody else partitions them.
        dra: `Dra(…)`, from Talos 1.13 and Kubernetes 1.34 on: pods claim their GPUs, from the `DraDriver`, and share them as it says.
            Default: none, a device plugin hands them out.
        name: The class's name where a cluster has several: a DNS label of at most 36 characters. It is the value of the node label
            `nvidia.com/device-plugin.config`, which becomes the selector when no `labels` are given. Default: none.

    Raises:
        TypeError, ValueError: `'talos_version' must be a Talos version from '1.8' …`, and so for each argument; `'sharing' must be …`
            for MPS on Talos 1.12 or beside MIG; `'mig_devices' must be …` for a malformed profile, and for several with `single`;
            `'dra' must be left out …` up to Talos 1.12; `'kernel_modules' must be 'open' …` where `product` asks for others.

    Warns:
        TalosGpuWarning: For MPS on any other Talos, for a Talos that is not released yet, and for a MIG profile that `product` is not known
            to have.

    Example:
        >>> nodes = GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=5))
        >>> nodes.generation, nodes.runtime_class, nodes.resource_name
        ('legacy', 'nvidia', 'nvidia.com/gpu')

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu
    """

    talos_version: TalosVersion = attrs.field(converter=to_talos_version)
    kernel_modules: KernelModules = attrs.field(default=KernelModules.OPEN, converter=_to_kernel_modules)
    driver_track: DriverTrack = attrs.field(default=DriverTrack.PRODUCTION, converter=_to_driver_track)
    labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels, hash=False)
    taints: tuple[Taint, ...] = attrs.field(default=(), converter=to_taints)
    product: str | None = None
    gpus_per_node: int | None = attrs.field(default=None, converter=to_optional_positive)
    memory_per_gpu: str | None = attrs.field(default=None, converter=to_optional_bytes)
    count: int | None = attrs.field(default=None, converter=to_optional_positive)
    sharing: TimeSlicing | Mps | None = None
    mig_strategy: MigStrategy = attrs.field(default=MigStrategy.NONE, converter=_to_mig_strategy)
    mig_devices: Layout | tuple[Layout, ...] | None = attrs.field(default=None, converter=to_mig_devices, hash=False)
    dra: Dra | None = None
    name: str | None = attrs.field(default=None, converter=_to_class_name)

    def __attrs_post_init__(self) -> None:
        self._check_together()

    def _check_together(self) -> None:
        if self.product is not None:
            from .cards import check_card  # only who names a card needs the names of all

            check_card(
                self.product, kernel_modules=self.kernel_modules, driver_track=self.driver_track, talos_version=self.talos_version
            )  # fmt: skip
        if self.dra is not None:
            from .dra import check_dra  # only who has claims needs what they are

            check_dra(self.dra, talos=self.talos_version, sharing=self.sharing, mig_strategy=self.mig_strategy)
        self._check_track()
        if self.talos_version.minor_version == talos_releases.PREVIEW:
            warn(f"Talos {self.talos_version} is a beta: its manifests follow its documentation, and may change before the release")
        elif not self.talos_version.is_known:
            warn(
                f"{newer_than_tables(f'Talos {self.talos_version}')}: its manifests are those of Talos {newest_minor()}, and nobody has "
                "tried them"
            )
        if self.name is not None and self.labels.get(CONFIG_LABEL, self.name) != self.name:
            raise wrong(
                "labels", Phrase(f"without another {CONFIG_LABEL} than the ", Argument("name"), f" '{self.name}'"), dict(self.labels)
            )
        if self.sharing is not None:
            from .sharing import check_sharing  # only who shares GPUs needs to know how

            check_sharing(self.sharing, talos=self.talos_version, mig_strategy=self.mig_strategy)
        if self.mig_devices is not None:
            check_devices(self.mig_strategy, self.mig_devices, self.gpus_per_node)
            self._warn_of_profiles()
        elif self.sharing is not None and self.mig_strategy == MigStrategy.MIXED:
            hint = "the device plugin shares each profile by its name"
            raise wrong("mig_devices", Phrase("given with ", Argument("sharing"), " and ", Argument("mig_strategy", "mixed")), None, hint)

    def _check_track(self) -> None:
        tracks = self.talos_version.release.drivers
        if self.driver_track not in tracks:
            rule = f"{' or '.join(map(repr, tracks))} on Talos {self.talos_version}"
            hint = f"the track came with Talos {NEW_FEATURE.first}" if self.driver_track is DriverTrack.NEW_FEATURE else ""
            raise wrong("driver_track", rule, str(self.driver_track), hint)
        if self.driver_track is DriverTrack.NEW_FEATURE and self.kernel_modules is KernelModules.PROPRIETARY:
            hint = "NVIDIA builds no proprietary modules of that branch"
            raise wrong("kernel_modules", Phrase("'open' with ", Argument("driver_track", "new-feature")), str(self.kernel_modules), hint)

    def _warn_of_profiles(self) -> None:
        if self.product is not None:
            from .mig_profiles import warn_of_profiles

            for layout in layouts_of(self.mig_devices):
                warn_of_profiles(self.product, self.memory_per_gpu, layout)

    def _written(self) -> dict[str, Any]:
        """The arguments that print, copy and pickle in another form."""
        return {
            "talos_version": str(self.talos_version),
            "labels": dict(self.labels),
            "taints": list(self.taints),
            "mig_devices": plain_devices(self.mig_devices),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the call that makes it."""
        return copied(self, **self._written())

    def __repr__(self) -> str:
        """The call that makes it, without what is left out."""
        return call(self, **self._written())

    @property
    def generation(self) -> Generation:
        """Which of the three generations of NVIDIA support these nodes have."""
        return self.talos_version.generation

    @property
    def runtime_class(self) -> str | None:
        """The RuntimeClass that a pod needs to be given its GPU; None where containerd injects it by itself (NRI).

        A pod that claims its GPUs needs none; an agent of the nodes, which sees every GPU and claims none, does with `dra` too.
        """
        return None if self.generation is Generation.NRI else RUNTIME_CLASS

    @property
    def by_mps(self) -> bool:
        """Whether an MPS daemon shares the GPUs."""
        return self.sharing is not None and self.sharing.config_key == "mps"

    @property
    def resource_name(self) -> str:
        """The extended resource that a pod asks a device plugin for, where it asks for no MIG profile."""
        return self.resource()

    def resource(self, profile: str | None = None) -> str:
        """The extended resource that a pod asks for: a GPU, or a partition of the profile with `mixed`."""
        name = GPU_RESOURCE if profile is None else mig_resource(profile)
        return f"{name}{SHARED_SUFFIX}" if self.sharing is not None and self.sharing.rename_by_default else name

    @property
    def mig_profiles(self) -> tuple[str, ...]:
        """The MIG profiles that 'mig_devices' names."""
        return tuple(dict.fromkeys(name for layout in layouts_of(self.mig_devices) for name in layout))

    @property
    def advertised_per_node(self) -> int | None:
        """How many of `resource_name`, or with `dra` of claims, one node offers, where that is known and a number."""
        return self.advertised()

    def advertised(self, profile: str | None = None) -> int | None:
        """How many of `resource(profile)` one node offers, where the number of its GPUs, and what they are cut into, is known."""
        if self.dra is not None:
            # What a card is cut into is the DRA driver's to find out.
            each = None if profile else self.dra.claims_per_gpu
            return None if each is None or self.gpus_per_node is None else self.gpus_per_node * each
        devices = devices_per_node(self.mig_strategy, self.mig_devices, self.gpus_per_node, profile)
        return None if devices is None else devices * (self.sharing.replicas if self.sharing else 1)

    @property
    def tolerations(self) -> list[dict[str, str]]:
        """What pods for these nodes tolerate: NVIDIA's own taint, and each of the class."""
        tolerations = [_nvidia_taint().toleration]
        for taint in self.taints:
            if taint.toleration not in tolerations and not _nvidia_taint().covers(taint):
                tolerations.append(taint.toleration)
        return tolerations

    @property
    def node_labels(self) -> dict[str, str]:
        """Every label that these nodes have to carry: `labels`, and the class's name as NVIDIA's config manager reads it."""
        return {**self.labels, **({CONFIG_LABEL: self.name} if self.name else {})}

    @property
    def node_selector(self) -> dict[str, str]:
        """The labels that select these nodes and no others; empty when `node_affinity` does it."""
        return dict(self.labels) if self.labels else self.node_labels

    @property
    def node_affinity(self) -> dict[str, Any] | None:
        """Where nobody labelled the nodes: every node whose Talos has the NVIDIA toolkit, or that somebody marked as a GPU node.

        Talos labels each node with its extensions by itself, NFD or not. The label of a PCI device is left out: a card that is passed
        through to a virtual machine, or whose node lacks the extension, has that label too, and no GPU pod could start there.
        """
        if self.node_selector:
            return None
        toolkit = [f"{LABEL_PREFIX}{TOOLKIT}-{track}" for track in self.talos_version.release.drivers]
        terms = [_term(label) for label in toolkit] + [_term(PRESENT_LABEL, "true")]
        return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}

    def may_overlap(self, other: GpuNodes) -> bool:
        """Whether one node could belong to both classes, as far as their selectors tell."""
        ours, theirs = self.node_selector, other.node_selector
        return not any(theirs.get(key, value) != value for key, value in ours.items())


def to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    """One class of nodes."""
    return instance(argument, value, GpuNodes, "a GpuNodes")


def _term(label: str, value: str | None = None) -> dict[str, Any]:
    matched = {"operator": "Exists"} if value is None else {"operator": "In", "values": [value]}
    return {"matchExpressions": [{"key": label, **matched}]}
