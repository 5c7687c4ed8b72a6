"""`GpuNodes`: one class of GPU nodes. All manifests and machine configurations are derived from it."""

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
from ..upstream.talos_features import LEGACY_PRE_RELEASES, LEGACY_ROOT, RUNTIME_CLASS
from .mig import Layout, check_devices, devices_per_node, layouts_of, plain_devices, to_mig_devices
from .taints import Taint, to_taints
from .talos_version import Generation, TalosVersion, newer_than_tables, newest_minor, to_talos_version

if TYPE_CHECKING:
    from .dra import Dra
    from .sharing import Mps, TimeSlicing

# The name is part of the names of objects, and their names stand in labels, which hold 63 characters.
_LONGEST_CLASS_NAME = 36


@functools.cache
def _nvidia_taint() -> Taint:
    """The taint `nvidia.com/gpu`, which every chart of NVIDIA tolerates.

    The charts tolerate `CriticalAddonsOnly` as well, for old clusters. Kubernetes dropped the annotation of that name, and no node has such a
    taint today.
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


@named_arguments(talos_version="every generation of Talos needs other manifests, so no default is right for all nodes")
@attrs.frozen(kw_only=True, repr=False, field_transformer=named)
class GpuNodes:
    """A class of GPU nodes: nodes with the same Talos, driver, labels, taints and sharing.

    Every construct takes the same `GpuNodes`. So the selectors match the labels, the tolerations match the taints, and the pods name the right
    RuntimeClass.

    Args:
        talos_version: The Talos of the nodes, as "1.12" or "v1.12.11". No default.
        kernel_modules: `open` or `proprietary`. Default: `open`.
        driver_track: The track of the extensions: `lts`, `production`, or from Talos 1.15 on `new-feature`, which has open modules only.
            Default: `production`.
        labels: Labels that only these nodes have; the labels become the node selector. Default: none. Pods then select the nodes with the
            NVIDIA toolkit extension, by the label that Talos itself sets.
        taints: The taints of the nodes. Every pod for these nodes tolerates the taints, and always `nvidia.com/gpu`. Default: none.
        product: The name of the card, such as "RTX 5070 Ti" or the value of the label `nvidia.com/gpu.product`. Kernel modules and drivers
            that can't run the card are refused; an unknown name is not checked. Default: none.
        gpus_per_node: The number of physical GPUs in each node. Default: unknown, so requests are not compared with the number.
        memory_per_gpu: The memory of one GPU, as a Kubernetes quantity ("16Gi"). Default: unknown.
        count: The number of nodes in the class. Default: unknown.
        sharing: `TimeSlicing` or `Mps`. Default: none, each pod has whole GPUs.
        mig_strategy: `none`, `single` or `mixed`. Default: `none`.
        mig_devices: The MIG partitions of each GPU, in the notation of nvidia-mig-parted: `{"1g.10gb": 7}` for every GPU, or a list with one
            mapping for each GPU of a node, by index; `{}` is a whole GPU. `StandaloneDevicePlugin` then partitions the cards before it
            advertises the partitions. Default: unknown, another tool partitions the cards.
        dra: `Dra(…)`, from Talos 1.13 and Kubernetes 1.34 on. Pods claim their GPUs from the `DraDriver`, and share GPUs as `Dra` says.
            Default: none, a device plugin allocates the GPUs.
        name: The name of the class, for clusters with several classes: a DNS label of at most 36 characters. The name is the value of the
            node label `nvidia.com/device-plugin.config`. Without `labels` this label becomes the node selector. Default: none.

    Raises:
        TypeError, ValueError: `'talos_version' must be a Talos version from '1.8' …`, and a similar error for every argument;
            `'sharing' must be …` for MPS on Talos 1.12 and for MPS with MIG; `'mig_devices' must be …` for a malformed profile, and for
            several profiles with `single`; `'dra' must be left out …` up to Talos 1.12; `'kernel_modules' must be 'open' …` when `product`
            needs other modules.

    Warns:
        TalosGpuWarning: For MPS on any other Talos, for a Talos that is not released yet, and for a MIG profile that is not known for
            `product`.

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

    def _warn_of_talos(self) -> None:
        talos = self.talos_version
        if not talos.is_known or talos.follows_preview:
            warn(f"{newer_than_tables(f'Talos {talos}')}: the manifests are those for Talos {newest_minor()}, and are untested")
        elif talos.minor_version == talos_releases.PREVIEW:
            warn(f"Talos {talos} is a beta: the manifests follow the documentation of the beta, and may change before the release")
        elif str(talos) in LEGACY_PRE_RELEASES:
            warn(
                f"Talos {talos} has the driver's libraries under {LEGACY_ROOT}, and the manifests are for the paths of Talos 1.13.0: upgrade Talos"
            )

    def _check_together(self) -> None:
        if self.product is not None:
            from .cards import check_card  # only a `product` needs the table of cards

            check_card(
                self.product, kernel_modules=self.kernel_modules, driver_track=self.driver_track, talos_version=self.talos_version
            )  # fmt: skip
        if self.dra is not None:
            from .dra import check_dra  # only `dra` needs this module

            check_dra(self.dra, talos=self.talos_version, sharing=self.sharing, mig_strategy=self.mig_strategy)
        self._check_track()
        self._warn_of_talos()
        if self.name is not None and self.labels.get(CONFIG_LABEL, self.name) != self.name:
            raise wrong(
                "labels", Phrase(f"without another {CONFIG_LABEL} than the ", Argument("name"), f" '{self.name}'"), dict(self.labels)
            )
        if self.sharing is not None:
            from .sharing import check_sharing  # only `sharing` needs this module

            check_sharing(self.sharing, talos=self.talos_version, mig_strategy=self.mig_strategy)
        if self.mig_devices is not None:
            check_devices(self.mig_strategy, self.mig_devices, self.gpus_per_node)
            self._warn_of_profiles()
        elif self.sharing is not None and self.mig_strategy == MigStrategy.MIXED:
            hint = "the device plugin shares every MIG profile by its name"
            raise wrong("mig_devices", Phrase("given with ", Argument("sharing"), " and ", Argument("mig_strategy", "mixed")), None, hint)

    def _check_track(self) -> None:
        tracks = self.talos_version.release.drivers
        if self.driver_track not in tracks:
            rule = f"{' or '.join(map(repr, tracks))} on Talos {self.talos_version}"
            hint = f"the track is new in Talos {NEW_FEATURE.first}" if self.driver_track is DriverTrack.NEW_FEATURE else ""
            raise wrong("driver_track", rule, str(self.driver_track), hint)
        if self.driver_track is DriverTrack.NEW_FEATURE and self.kernel_modules is KernelModules.PROPRIETARY:
            hint = "NVIDIA builds no proprietary modules for this driver branch"
            raise wrong("kernel_modules", Phrase("'open' with ", Argument("driver_track", "new-feature")), str(self.kernel_modules), hint)

    def _warn_of_profiles(self) -> None:
        if self.product is not None:
            from .mig_profiles import warn_of_profiles

            for layout in layouts_of(self.mig_devices):
                warn_of_profiles(self.product, self.memory_per_gpu, layout)

    def _written(self) -> dict[str, Any]:
        """The arguments that are printed, copied and pickled in another form."""
        return {
            "talos_version": str(self.talos_version),
            "labels": dict(self.labels),
            "taints": list(self.taints),
            "mig_devices": plain_devices(self.mig_devices),
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the constructor call."""
        return copied(self, **self._written())

    def __repr__(self) -> str:
        """The constructor call, without the arguments that have their default."""
        return call(self, **self._written())

    @property
    def generation(self) -> Generation:
        """The generation of NVIDIA support on these nodes, one of three."""
        return self.talos_version.generation

    @property
    def runtime_class(self) -> str | None:
        """The RuntimeClass that a pod needs to get its GPU; None when containerd injects the GPU by itself (NRI).

        A pod with a resource claim needs no RuntimeClass. A node agent sees every GPU and claims none, so it needs the RuntimeClass with
        `dra` as well.
        """
        return None if self.generation is Generation.NRI else RUNTIME_CLASS

    @property
    def by_mps(self) -> bool:
        """Whether an MPS daemon shares the GPUs."""
        return self.sharing is not None and self.sharing.config_key == "mps"

    @property
    def resource_name(self) -> str:
        """The extended resource that a pod requests from a device plugin for a GPU without a MIG profile."""
        return self.resource()

    def resource(self, profile: str | None = None) -> str:
        """The extended resource that a pod requests: a GPU, or with `mixed` a partition of the profile."""
        name = GPU_RESOURCE if profile is None else mig_resource(profile)
        return f"{name}{SHARED_SUFFIX}" if self.sharing is not None and self.sharing.rename_by_default else name

    @property
    def mig_profiles(self) -> tuple[str, ...]:
        """The MIG profiles in `mig_devices`."""
        return tuple(dict.fromkeys(name for layout in layouts_of(self.mig_devices) for name in layout))

    @property
    def advertised_per_node(self) -> int | None:
        """The number of `resource_name`, or with `dra` of claims, that one node offers; None when the number is unknown."""
        return self.advertised()

    def advertised(self, profile: str | None = None) -> int | None:
        """The number of `resource(profile)` that one node offers; None when the number of GPUs or their partitions are unknown."""
        if self.dra is not None:
            # The DRA driver finds the partitions of a card by itself.
            claims = None if profile else self.dra.claims_per_gpu
            return None if claims is None or self.gpus_per_node is None else self.gpus_per_node * claims
        devices = devices_per_node(self.mig_strategy, self.mig_devices, self.gpus_per_node, profile)
        return None if devices is None else devices * (self.sharing.replicas if self.sharing else 1)

    @property
    def tolerations(self) -> list[dict[str, str]]:
        """The tolerations of pods for these nodes: for `nvidia.com/gpu` and for every taint of the class."""
        tolerations = [_nvidia_taint().toleration]
        for taint in self.taints:
            if taint.toleration not in tolerations and not _nvidia_taint().covers(taint):
                tolerations.append(taint.toleration)
        return tolerations

    @property
    def node_labels(self) -> dict[str, str]:
        """Every label that these nodes must have: `labels`, and the name of the class in the label that NVIDIA's config manager reads."""
        return {**self.labels, **({CONFIG_LABEL: self.name} if self.name else {})}

    @property
    def node_selector(self) -> dict[str, str]:
        """The labels that select these nodes and no others; empty when `node_affinity` selects the nodes."""
        return dict(self.labels) if self.labels else self.node_labels

    @property
    def node_affinity(self) -> dict[str, Any] | None:
        """The node affinity for nodes without labels of their own: nodes with the NVIDIA toolkit extension, or with `gpu.present`.

        Talos labels every node with its extensions, with and without NFD. The label of a PCI device is left out: a card that is passed
        through to a virtual machine has that label too, and so has a node without the extension. No GPU pod can start there.
        """
        if self.node_selector:
            return None
        toolkit = [f"{LABEL_PREFIX}{TOOLKIT}-{track}" for track in self.talos_version.release.drivers]
        terms = [_term(label) for label in toolkit] + [_term(PRESENT_LABEL, "true")]
        return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}

    def may_overlap(self, other: GpuNodes) -> bool:
        """Whether the node selectors of both classes can match the same node."""
        ours, theirs = self.node_selector, other.node_selector
        return not any(theirs.get(key, value) != value for key, value in ours.items())


def to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    """One class of nodes."""
    return instance(argument, value, GpuNodes, "a GpuNodes")


def _term(label: str, value: str | None = None) -> dict[str, Any]:
    matched = {"operator": "Exists"} if value is None else {"operator": "In", "values": [value]}
    return {"matchExpressions": [{"key": label, **matched}]}
