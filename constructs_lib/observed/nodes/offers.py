"""Offers of the nodes: the resources that the device plugins advertise and share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...arguments.patterns import pattern
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE, MIG_RESOURCE, SHARED_SUFFIX
from ...upstream.nvidia.plugin_words import MIG_STRATEGY, MigStrategy
from ..agents.agent_kinds import is_others_plugin
from ..agents.agents import PLUGIN, device_plugins, dra_drivers, hidden_kinds
from ..agents.operators import Operator, may_run_operator, operators
from ..agents.plugin_configs import PluginConfig, Reader, config_choices, may_read, mounts_config, plugin_configs
from ..agents.plugin_options import options_of
from ..model import Inputs, Path, Read, at, equals, is_open, is_unknown, known_str, mappings, question
from ..pods.workloads import gpu_workloads, whole_number
from .node import Node

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ...nodes.gpu_nodes import GpuNodes

TIME_SLICING, MPS = "time-slicing", "MPS"
_STRATEGIES = {"time-slicing": TIME_SLICING, "mps": MPS}
"""The kinds of sharing by the value of the label `nvidia.com/gpu.sharing-strategy`.

Source: NVIDIA/k8s-device-plugin internal/lm/resource.go, baseLabeler (2026-11-23)
"""
_SHARED_MARK = "-SHARED"
_SUFFIXES = pattern(rf"(-MIG-[^-]+)?({_SHARED_MARK})?$")
"""The text that GPU feature discovery writes behind the name of a card: the profile with the MIG strategy single, and
the mark of a shared one.

Source: NVIDIA/k8s-device-plugin internal/lm/resource.go, getProductName and NewMIGResourceLabeler (2026-11-23)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Shared:
    """Sharing of one resource, from a plugin's config."""

    strategy: str
    replicas: int | None
    fails_above_one: bool


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Offer:
    """The resources that one plugin, or one class of nodes, advertises.

    `about` is None for described nodes, and `path` is the path of the plugin's config in its body. `names` are the resources; with `mig` every resource of a MIG profile, too.
    Nodes that give their GPUs to virtual machines have none for containers.
    """

    about: Read | None
    path: Path = ()
    names: frozenset[str] = frozenset({GPU_RESOURCE})
    mig: bool = False
    shared: Mapping[str, Shared] = field(default_factory=dict)

    def has(self, resource: str) -> bool:
        """Whether the offer has a resource."""
        return resource in self.names or (self.mig and resource.startswith(MIG_RESOURCE))


@question
def offers(inputs: Inputs) -> tuple[Offer, ...] | None:
    """Every offer; None if nothing in the inputs advertises a resource, or if an offer can't be read."""
    result: list[Offer] = []
    enabled = [each for each in operators(inputs) if not each.is_on("devicePlugin", "enabled").is_no]
    readers: list[Reader] = [*device_plugins(inputs), *enabled]
    for reader in readers:
        reader_offers = _of_reader(inputs, reader)
        if reader_offers is None:
            return None
        result += reader_offers
    if not result:  # else the plugins say more: the name of a shared resource is in their config
        result += [_of_nodes(each) for each in inputs.nodes if not each.by_claim]
    # DRA may serve limits beside those that are known; which ones, its DeviceClasses say.
    if result and (dra_drivers(inputs) or any(each.dra for each in inputs.nodes)):
        result.append(Offer(about=None, mig=True))
    names = [each.at("spec", "extendedResourceName") for each in inputs.of_kind("DeviceClass")]
    if others_plugin(inputs) or _is_hidden(inputs) or any(is_unknown(name) for name in names):
        return None
    result += [Offer(about=None, names=frozenset({name})) for name in names if isinstance(name, str)]
    return tuple(result) or None


def live_offer(node: Node) -> Offer:
    """The resources that a live node has, by its status, and their sharing, by the labels of GPU feature discovery."""
    names = frozenset(name for name, amount in node.capacity.items() if amount)
    written, product, replicas = (known_str(node.label(f"{GPU_RESOURCE}.{each}")) for each in ("sharing-strategy", "product", "replicas"))
    strategy = _STRATEGIES.get(written or TIME_SLICING, "")
    is_shared = any(each.endswith(SHARED_SUFFIX) for each in names) or (product or "").endswith(_SHARED_MARK) or written in _STRATEGIES
    number = int(replicas) if strategy and replicas and replicas.isdigit() and int(replicas) > 1 else None
    shared = Shared(strategy=strategy, replicas=number, fails_above_one=strategy == MPS)
    return Offer(about=None, names=names, shared=dict.fromkeys(names or [GPU_RESOURCE], shared) if is_shared else {})


def card_name(product: str) -> str:
    """The card in the label of GPU feature discovery."""
    return _SUFFIXES.sub("", product)


def only_virtual_machines(inputs: Inputs) -> bool:
    """Whether every described node gives its GPUs to virtual machines, and nothing else advertises a GPU."""
    offered = offers(inputs)
    return offered is not None and not any(each.names or each.mig for each in offered)


def may_offer_more(inputs: Inputs) -> bool:
    """Whether an unreadable plugin, or an unreadable config, exists or may exist."""
    runs = bool(device_plugins(inputs)) or any(not each.is_on("devicePlugin", "enabled").is_no for each in operators(inputs))
    return offers(inputs) is None and (runs or others_plugin(inputs) or _is_hidden(inputs))


def not_advertised(inputs: Inputs) -> dict[str, list[str]]:
    """The resources that workloads request where nothing advertises one: each with the files of its workloads."""
    asking: dict[str, list[str]] = {}
    if offers(inputs) is None and not may_offer_more(inputs):
        for workload in gpu_workloads(inputs):
            for name, number in workload.gpus.items():
                if number != 0:
                    asking.setdefault(name, []).append(workload.about.file)
    return asking


def _is_hidden(inputs: Inputs) -> bool:
    """Whether the unreadable inputs may hold a plugin or a DeviceClass."""
    if PLUGIN in hidden_kinds(inputs) or inputs.may_hide("DeviceClass"):
        return True
    return may_run_operator(inputs) and not operators(inputs)


def _of_nodes(nodes: GpuNodes) -> Offer:
    if nodes.passthrough is not None:
        return Offer(about=None, names=frozenset())
    # With the strategy `single` a partition has the name of a GPU.
    profiles = nodes.mig_profiles if nodes.mig_strategy == MigStrategy.MIXED else ()
    names = {nodes.resource_name, *(nodes.resource(profile) for profile in profiles)}
    shared: dict[str, Shared] = {}
    if nodes.sharing is not None:
        strategy = MPS if nodes.by_mps else TIME_SLICING
        each = Shared(strategy=strategy, replicas=nodes.sharing.replicas, fails_above_one=nodes.sharing.fail_requests_greater_than_one)
        shared = dict.fromkeys(names, each)
    unread = nodes.mig_strategy == MigStrategy.MIXED and nodes.mig_devices is None
    return Offer(about=None, names=frozenset(names), mig=unread, shared=shared)


def _of_reader(inputs: Inputs, reader: Reader) -> list[Offer] | None:
    """The offers of a plugin, one for each config file that it may choose; None if a config file can't be read."""
    configs = [each for each in plugin_configs(inputs) if any(one.about is reader.about for one in each.readers)]
    named = any(not isinstance(each.keys, tuple) for each in config_choices(inputs) if each.reader.about is reader.about)
    mounted = not isinstance(reader, Operator) and reader.release is None and mounts_config(reader.spec)
    if not reader.complete or named or any(each.body is None for each in configs) or (mounted and not configs):
        return None
    if any(may_read(reader, each) for each in inputs.of_kind("ConfigMap")):
        return None
    strategies = [each.value for each in options_of(inputs, reader, MIG_STRATEGY)]
    mixes = any(not equals(each, MigStrategy.MIXED).is_no for each in strategies)
    config_offers = [config_offer(each, mixes=mixes) for each in configs] or [Offer(about=reader.about, mig=mixes)]
    known = [each for each in config_offers if each is not None]
    return known if len(known) == len(config_offers) else None


def config_offer(config: PluginConfig, *, mixes: bool = False) -> Offer | None:
    """The offer of a plugin with this config (k8s-device-plugin api/config/v1); None if it can't be read."""
    names, shared = {GPU_RESOURCE}, {}
    for key, strategy in (("timeSlicing", TIME_SLICING), ("mps", MPS)):
        block = config.at("sharing", key)
        resources, renames = at(block, "resources"), at(block, "renameByDefault")
        if is_open(resources) or is_unknown(renames):
            return None
        for _, resource in mappings(resources):
            name = known_str(at(resource, "name"))
            if name is None:
                return None
            named = f"{name}{SHARED_SUFFIX}" if renames is True else name
            fails = at(block, "failRequestsGreaterThanOne")
            shared[named] = Shared(
                strategy=strategy,
                replicas=whole_number(at(resource, "replicas")),
                fails_above_one=fails is True or (fails is None and key == "mps"),
            )
            names = {*names - {name}, named}
    return Offer(about=config.about, path=config.path, names=frozenset(names), mig=mixes, shared=shared)


@question
def others_plugin(inputs: Inputs) -> bool:
    """Whether another plugin for NVIDIA GPUs runs, as the one for Jetsons: such a plugin may advertise anything."""
    return any(is_others_plugin(each.name, each.pod_spec) for each in inputs.of_kind("DaemonSet"))
