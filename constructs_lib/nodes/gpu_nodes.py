"""`GpuNodes`: one class of GPU nodes. All manifests and machine configurations are derived from it."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from ..arguments.errors import Argument, Phrase, wrong
from ..arguments.fields import call, copied, named, settle, to_labels, to_optional_bytes, to_optional_positive
from ..arguments.keywords import named_arguments
from ..arguments.names import dns_label
from ..arguments.plain_values import choice, instance
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ..upstream.nvidia.gpu_resources import CONFIG_LABEL, GPU_RESOURCE, PRESENT_LABEL, SHARED_SUFFIX, mig_resource
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.talos.extension_names import LABEL_PREFIX, TOOLKIT
from ..upstream.talos.features import RUNTIME_CLASS
from ..upstream.talos.generations import Generation
from .class_checks import check_labels, check_track, warn_of_talos
from .mig import Layout, check_devices, devices_per_node, layouts_of, plain_devices, to_mig_devices
from .taints import Taint, to_taints
from .talos_version import TalosVersion, to_talos_version

if TYPE_CHECKING:
    from .dra import Dra
    from .passthrough import Passthrough
    from .sharing import Mps, TimeSlicing

# The name is part of the names of objects, and their names stand in labels, which hold 63 characters.
_LONGEST_CLASS_NAME = 36
# The label of pods with the name of their class of nodes, and its value for a class without a name. No selector of a
# workload has this label, because selectors are immutable.
CLASS_LABEL = "talos-gpu/class"
_UNNAMED_CLASS = "default"


@functools.cache
def _nvidia_taint() -> Taint:
    """The taint `nvidia.com/gpu`, which every chart of NVIDIA tolerates.

    The charts tolerate `CriticalAddonsOnly` as well, for old clusters. Kubernetes dropped the annotation of that name,
    and no node has such a taint today.
    """
    return Taint(GPU_RESOURCE)


def _to_kernel_modules(value: KernelModules | str | None, argument: str = "") -> KernelModules:
    # None becomes the flavour that the card needs in `__attrs_post_init__`.
    return None if value is None else choice(argument, value, KernelModules)  # type: ignore[return-value]


def _to_driver_track(value: DriverTrack | str | None, argument: str = "") -> DriverTrack | None:
    return None if value is None else choice(argument, value, DriverTrack)


def _to_mig_strategy(value: MigStrategy | str | None, argument: str = "") -> MigStrategy:
    # None becomes the default for 'mig_devices' in `__attrs_post_init__`.
    return None if value is None else choice(argument, value, MigStrategy)  # type: ignore[return-value]


def _to_class_name(value: str | None, argument: str = "") -> str | None:
    return None if value is None else dns_label(argument, value, _LONGEST_CLASS_NAME)


class CardMemory(str):
    """The memory that follows from `product`. A changed copy with another card gets the memory of that card."""

    __slots__ = ()


@named_arguments(talos_version="every generation of Talos needs other manifests, so no default is right for all nodes")
@attrs.frozen(kw_only=True, repr=False, field_transformer=named)
class GpuNodes:
    """A class of GPU nodes: nodes with the same Talos, driver, labels, taints and sharing.

    Every construct takes the same `GpuNodes`. So the selectors match the labels, the tolerations match the taints, and
    the pods name the right RuntimeClass. Two classes in one app whose selectors can match the same nodes are refused if
    they contradict each other, because plugin and workloads would not agree. Unset arguments never
    conflict; `sharing`, `dra`, `taints` and `mig_strategy` are always known.

    Args:
        talos_version: The Talos of the nodes, as "1.12" or "v1.12.11". No default.
        kernel_modules: `open` or `proprietary`. Default: `open`, unless only the proprietary modules run `product`.
        driver_track: The track of the extensions: `lts`, `production`, or from Talos 1.15 on `new-feature`, which has
            open modules only. Default: unknown. The OS image then gets `production`, unless only the driver of another
            track runs `product`; pods select nodes of every track.
        labels: Labels that only these nodes have; the labels become the node selector. Default: none. Pods then select
            the nodes with the NVIDIA toolkit extension of `driver_track`, by the label that Talos itself sets.
        extra_labels: Further labels of the nodes, outside of the pods' selectors, such as labels for another tool.
            `node-role.kubernetes.io/control-plane` with the value "" says that the nodes are control-plane nodes; their
            taint says the same. Default: none.
        taints: The taints of the nodes. Every pod for these nodes tolerates the taints, and always `nvidia.com/gpu`.
            Default: none.
        product: The name of the card, such as "RTX 5070 Ti" or the value of the label `nvidia.com/gpu.product`. Kernel
            modules and drivers without support for the card are refused; an unknown name is not checked. Default: none.
        gpus_per_node: The number of physical GPUs in each node. Default: unknown, so requests are not compared with the
            number.
        memory_per_gpu: The memory of one GPU, as a Kubernetes quantity ("16Gi"). Default: the memory of `product`
            that ECC leaves, unless the card is sold with several sizes; else unknown.
        count: The number of nodes in the class. Default: unknown.
        sharing: `TimeSlicing` or `Mps`. Default: none, each pod has whole GPUs.
        mig_strategy: `none`, `single` or `mixed`. Default: `mixed` with `mig_devices`, else `none`.
        mig_devices: The MIG partitions of each GPU, in the notation of nvidia-mig-parted: `{"1g.10gb": 7}` for every
            GPU, or a list with one mapping for each GPU of a node, by index; `{}` is a whole GPU.
            `StandaloneDevicePlugin` then partitions the cards before it advertises the partitions, also beside the
            operator. Default: unknown, another tool partitions the cards.
        dra: `Dra(…)`, from Talos 1.13 and Kubernetes 1.34 on. Pods claim their GPUs from the `DraDriver`, and share
            GPUs as `Dra` says. Default: none, a device plugin allocates the GPUs.
        passthrough: `Passthrough(…)`, for nodes whose GPUs belong to virtual machines. No GPU pod runs on such nodes.
            Default: none.
        name: The name of the class, for clusters with several classes: a DNS label of at most 36 characters. The name
            is the value of the node label `nvidia.com/device-plugin.config`. Without `labels` this label becomes the
            node selector. Default: none.

    Raises:
        TypeError, ValueError: `'talos_version' must be a Talos version from '1.8' …`, and a similar error for every
            argument; `'sharing' must be …` for MPS on Talos 1.12 and for MPS with MIG; `'mig_devices' must be …` for a
            malformed profile, and for several profiles with `single`; `'dra' must be left out …` up to Talos 1.12;
            `'kernel_modules' must be 'open' …` when `product` needs other modules.

    Warns:
        TalosGpuWarning: For MPS on any other Talos, for a Talos that is not released yet, for a MIG profile that is
            not known for `product`, and for a `mig_strategy` on a card without MIG.

    Example:
        >>> nodes = GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=5))
        >>> nodes.generation, nodes.runtime_class, nodes.resource_name
        ('legacy', 'nvidia', 'nvidia.com/gpu')

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu
    """

    talos_version: TalosVersion = attrs.field(converter=to_talos_version)
    kernel_modules: KernelModules = attrs.field(default=None, converter=_to_kernel_modules)
    driver_track: DriverTrack | None = attrs.field(default=None, converter=_to_driver_track)
    labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels, hash=False)
    extra_labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels, hash=False)
    taints: tuple[Taint, ...] = attrs.field(default=(), converter=to_taints)
    product: str | None = None
    gpus_per_node: int | None = attrs.field(default=None, converter=to_optional_positive)
    memory_per_gpu: str | None = attrs.field(default=None, converter=to_optional_bytes)
    count: int | None = attrs.field(default=None, converter=to_optional_positive)
    sharing: TimeSlicing | Mps | None = None
    mig_strategy: MigStrategy = attrs.field(default=None, converter=_to_mig_strategy)
    mig_devices: Layout | tuple[Layout, ...] | None = attrs.field(default=None, converter=to_mig_devices, hash=False)
    dra: Dra | None = None
    passthrough: Passthrough | None = None
    name: str | None = attrs.field(default=None, converter=_to_class_name)

    def __attrs_post_init__(self) -> None:
        if not self.mig_strategy:
            settle(self, "mig_strategy", self._default_strategy)
        settle(self, "kernel_modules", self._default_modules)
        if self.memory_per_gpu is None or isinstance(self.memory_per_gpu, CardMemory):
            object.__setattr__(self, "memory_per_gpu", self._card_memory)
        self._check()

    def _check(self) -> None:
        """Refuse arguments that contradict each other, and warn of what is not known to work."""
        if self.passthrough is not None:
            from .passthrough import check_passthrough  # only `passthrough` needs this module

            check_passthrough(self.passthrough, attrs.asdict(self, recurse=False))
        elif self.product is not None:
            from .cards import check_card  # only a `product` needs the table of cards

            check_card(self.product, kernel_modules=self.kernel_modules, driver_track=self.track, talos_version=self.talos_version)
        if self.dra is not None:
            from .dra import check_dra  # only `dra` needs this module

            check_dra(self.dra, talos=self.talos_version, sharing=self.sharing, mig_strategy=self.mig_strategy)
        check_track(self.talos_version, self.track, self.kernel_modules)
        warn_of_talos(self.talos_version)
        check_labels(self.name, self.labels, self.extra_labels)
        if self.sharing is not None:
            from .sharing import check_sharing  # only `sharing` needs this module

            check_sharing(self.sharing, talos=self.talos_version, mig_strategy=self.mig_strategy)
        if self.mig_devices is not None:
            check_devices(self.mig_strategy, self.mig_devices, self.gpus_per_node)
            if self.product is not None:
                from .cards import warn_of_profiles  # only a `product` needs the table of cards

                for layout in layouts_of(self.mig_devices):
                    warn_of_profiles(self.product, self.memory_per_gpu, layout)
        elif self.product is not None and self.mig_strategy is not MigStrategy.NONE:
            from .cards import warn_without_mig  # only a `product` needs the table of cards

            warn_without_mig(self.product, self.memory_per_gpu, self.mig_strategy)
        if self.mig_devices is None and self.sharing is not None and self.mig_strategy is MigStrategy.MIXED:
            hint = "the device plugin shares every MIG profile by its name"
            raise wrong("mig_devices", Phrase("given with ", Argument("sharing"), " and ", Argument("mig_strategy", "mixed")), None, hint)

    @property
    def _card_memory(self) -> CardMemory | None:
        if not isinstance(self.product, str):
            return None
        from ..upstream.nvidia.card_memory import usable_memory  # only a `product` needs the table of cards

        memory = usable_memory(self.product)
        return None if memory is None else CardMemory(memory)

    @property
    def _default_strategy(self) -> MigStrategy:
        return MigStrategy.NONE if self.mig_devices is None else MigStrategy.MIXED

    @property
    def _default_modules(self) -> KernelModules:
        """The new-feature track has open modules only, and nodes of virtual machines have no modules of NVIDIA."""
        if not isinstance(self.product, str) or self.driver_track is DriverTrack.NEW_FEATURE or self.passthrough is not None:
            return KernelModules.OPEN
        from .cards import default_modules  # only a `product` needs the table of cards

        return default_modules(self.product, self.talos_version)

    def _written(self) -> dict[str, Any]:
        """The arguments that are printed, copied and pickled in another form."""
        return {
            "talos_version": str(self.talos_version),
            "kernel_modules": None if self.kernel_modules is self._default_modules else self.kernel_modules,
            "labels": dict(self.labels),
            "extra_labels": dict(self.extra_labels),
            "memory_per_gpu": None if isinstance(self.memory_per_gpu, CardMemory) else self.memory_per_gpu,
            "mig_strategy": None if self.mig_strategy is self._default_strategy else self.mig_strategy,
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
    def track(self) -> DriverTrack:
        """The track of the OS image: `driver_track`, or where it is unknown the track whose driver runs the card."""
        if self.driver_track is not None or not isinstance(self.product, str):
            return self.driver_track or DriverTrack.PRODUCTION
        from .cards import default_track  # only a `product` needs the table of cards

        return default_track(self.product, self.talos_version)

    @property
    def generation(self) -> Generation:
        """The generation of NVIDIA support on these nodes, one of three."""
        return self.talos_version.generation

    @property
    def runtime_class(self) -> str | None:
        """The RuntimeClass that a pod needs to get its GPU; None when containerd injects the GPU by itself.

        A pod with a resource claim needs no RuntimeClass. A node agent sees every GPU and claims none, so it needs the
        RuntimeClass with `dra` as well.
        """
        return RUNTIME_CLASS if self.talos_version.needs.by_class else None

    @property
    def by_claim(self) -> bool:
        """Whether a pod asks for its GPUs by a resource claim; otherwise by a limit, of a device plugin or of DRA."""
        return self.dra is not None and not self.dra.extended_resource

    @property
    def by_mps(self) -> bool:
        """Whether an MPS daemon shares the GPUs."""
        return self.sharing is not None and self.sharing.config_key == "mps"

    @property
    def resource_name(self) -> str:
        """The extended resource of a pod's limit for a GPU without a MIG profile."""
        return self.resource()

    def resource(self, profile: str | None = None) -> str:
        """The extended resource of a GPU, or with `mixed` of a partition; or of a card for a virtual machine."""
        if self.passthrough is not None:
            return self.passthrough.resource
        name = GPU_RESOURCE if profile is None else mig_resource(profile)
        return f"{name}{SHARED_SUFFIX}" if self.sharing is not None and self.sharing.rename_by_default else name

    @property
    def mig_profiles(self) -> tuple[str, ...]:
        """The MIG profiles in `mig_devices`."""
        return tuple(dict.fromkeys(name for layout in layouts_of(self.mig_devices) for name in layout))

    @property
    def advertised_per_node(self) -> int | None:
        """The number of `resource_name`, or with `dra` of claims, that one node offers; None when it is unknown."""
        return self.advertised()

    def advertised(self, profile: str | None = None) -> int | None:
        """The number of `resource(profile)` that one node offers; None when GPUs or partitions are unknown."""
        if self.dra is not None:
            # The DRA driver finds the partitions of a card by itself.
            claims = None if profile else self.dra.claims_per_gpu
            return None if claims is None or self.gpus_per_node is None else self.gpus_per_node * claims
        devices = devices_per_node(self.mig_strategy, self.mig_devices, self.gpus_per_node, profile)
        return None if devices is None else devices * (self.sharing.replicas if self.sharing else 1)

    @property
    def advertised_resources(self) -> dict[str, int | None]:
        """The extended resources that one node offers from a device plugin, each with its number, or None where the
        number is unknown.

        With `mixed` each MIG profile is a resource of its own, and `resource_name` counts the cards without partitions.
        Empty where the profiles are unknown.
        """
        if self.mig_strategy is not MigStrategy.MIXED:
            return {self.resource_name: self.advertised_per_node}
        numbers = {self.resource(profile): self.advertised(profile) for profile in (*self.mig_profiles, None)}
        unknown = self.resource_name if self.mig_profiles else None
        return {name: number for name, number in numbers.items() if number or (number is None and unknown not in (None, name))}

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
        """Every label that these nodes must have: `labels`, `extra_labels`, and the one with the name of the class."""
        return {**self.labels, **self._name_label, **self._passthrough_label, **self.extra_labels}

    @property
    def _name_label(self) -> dict[str, str]:
        """The label that NVIDIA's config manager reads."""
        return {CONFIG_LABEL: self.name} if self.name else {}

    @property
    def _passthrough_label(self) -> dict[str, str]:
        """The label that the GPU operator reads."""
        return {} if self.passthrough is None else self.passthrough.node_labels

    @property
    def pod_labels(self) -> dict[str, str]:
        """The label of every pod for these nodes, the node agents included: the name of the class, or `default`."""
        return {CLASS_LABEL: self.name or _UNNAMED_CLASS}

    @property
    def node_selector(self) -> dict[str, str]:
        """The labels that select these nodes and no others; empty when `node_affinity` selects the nodes."""
        return dict(self.labels) or self._name_label or self._passthrough_label

    @property
    def node_affinity(self) -> dict[str, Any] | None:
        """The node affinity for nodes without labels of their own: nodes with the NVIDIA toolkit extension, or with
        `gpu.present`.

        Talos labels every node with its extensions, with and without NFD. The label of a PCI device is left out: a card
        that is passed through to a virtual machine has that label too, and so has a node without the extension. No GPU
        pod can start there.
        """
        if self.node_selector:
            return None
        tracks = self.talos_version.release.drivers if self.driver_track is None else [self.driver_track]
        toolkit = [f"{LABEL_PREFIX}{TOOLKIT}-{track}" for track in tracks]
        terms = [_term(label) for label in toolkit] + [_term(PRESENT_LABEL, "true")]
        return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}

    def may_overlap(self, other: GpuNodes) -> bool:
        """Whether the node selectors of both classes can match the same node."""
        ours, theirs = self.node_selector, other.node_selector
        return not any(theirs.get(key, value) != value for key, value in ours.items())


def to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    """One class of nodes."""
    return instance(argument, value, GpuNodes, "a GpuNodes")


def to_container_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    """One class of nodes whose GPUs containers use."""
    nodes = to_nodes(value, argument)
    if nodes.passthrough is not None:
        owner = f"the GPUs of these nodes belong to virtual machines, which request {nodes.resource_name}"
        hint = f"{owner}; give a class of other nodes, or leave 'passthrough' of GpuNodes out"
        raise wrong(argument, Phrase("a class without ", Argument("passthrough")), nodes.passthrough, hint, part="passthrough")
    return nodes


def _term(label: str, value: str | None = None) -> dict[str, Any]:
    matched = {"operator": "Exists"} if value is None else {"operator": "In", "values": [value]}
    return {"matchExpressions": [{"key": label, **matched}]}
