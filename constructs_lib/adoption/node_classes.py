"""The classes of GPU nodes of a tree, from its node configurations, from the config files of its device plugin, and
from its GPU pods."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from ..arguments.errors import NOTHING, wrong, wrong_kind
from ..arguments.patterns import pattern
from ..nodes.cards import default_modules, default_track
from ..nodes.factory_ids import id_of_written
from ..nodes.nodes_file import nodes_in
from ..nodes.talos_version import TalosVersion, oldest_minor
from ..observed.agents.agents import DRA, EXPORTER, PLUGIN, agents
from ..observed.agents.operators import operators
from ..observed.agents.plugin_configs import plugin_configs
from ..observed.model import Inputs, NodeConfig, at, is_unknown, known_items, known_text, mappings
from ..observed.model.stated_versions import OLD_TALOS, TALOS
from ..observed.nodes.cards import named_card
from ..observed.nodes.node_extensions import drivers
from ..observed.nodes.node_settings import gpu_node_configs
from ..observed.nodes.offers import MPS, Shared, config_offer
from ..observed.nodes.startup_taints import taken_away_by
from ..observed.pods.workloads import gpu_workloads
from ..upstream.kubernetes.controlled_taints import is_controlled
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ..upstream.nvidia.gpu_resources import CONFIG_LABEL, GPU_RESOURCE, PRESENT_LABEL, SHARED_SUFFIX
from ..upstream.talos.extension_names import LABEL_PREFIX
from ..upstream.talos.installer_images import read_installer

ABOUT_GPUS = pattern(r"gpu|nvidia", re.IGNORECASE)
"""The words in the keys of labels and taints that are about GPUs."""
_BY_OTHERS = (LABEL_PREFIX, "nvidia.com/gpu.deploy.")
"""The labels that Talos sets, and the switches of the GPU operator."""
_SCOPES = ("node", "group", "patch")


@dataclass
class NodeClasses:
    """The classes as the cluster file writes them, with their node configurations, and what was not understood."""

    classes: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    configs: list[list[NodeConfig]] = field(default_factory=list)
    """The node configurations and the schematics of each class."""
    origins: list[str] = field(default_factory=list)
    """The sources of what no node configuration states."""
    has_configs: bool = False
    """Whether the configuration of the GPU nodes was read."""
    without_image: list[NodeConfig] = field(default_factory=list)
    """The node configurations of whose image no extension was read, so that their driver is not known."""

    def unite(self) -> None:
        """Make one class of all, with what they have in common."""
        self.classes = [common_class(self.classes)]
        self.configs = [list(dict.fromkeys(each for configs in self.configs for each in configs))]


def node_classes(inputs: Inputs, talos: str | None) -> NodeClasses:
    """The classes of GPU nodes. Refuses a tree that does not state its Talos version."""
    result = NodeClasses()
    version = talos or (None if inputs.talos_version is None else str(inputs.talos_version))
    if version is None:
        stated = dict.fromkeys(f"{each.version} ({each.file})" for each in inputs.stated_versions if each.subject == TALOS)
        if not stated and (old := next((each for each in inputs.stated_versions if each.subject == OLD_TALOS), None)):
            place = old.file if old.line is None else f"{old.file}:{old.line}"
            rule = f"of Talos {oldest_minor()} or newer: a cluster file describes no older one"
            raise wrong("nodes", rule, old.version, f"{place} says it")
        reason = f"the files disagree about it: {', '.join(stated)}" if stated else "no file states the version"
        raise wrong_kind("talos", "given", NOTHING, f"{reason}; talosctl version prints it")
    common: dict[str, Any] = {"talos_version": _release(version, result.notes)}
    configs = _gpu_configs(inputs)
    result.has_configs = bool(configs)
    if not configs and (placement := _common_placement(inputs)):
        common.update(placement)
        origin = f"{' and '.join(placement)} follow from what every GPU pod selects and tolerates"
        result.origins.append(f"no node configuration was read: {origin}")
    images = [each for each in configs if _is_image(each)]
    groups: dict[str, tuple[dict[str, Any], str, list[NodeConfig]]] = {}
    for config in [each for each in configs if not _is_image(each)] or images:
        own_images = [] if config.extensions is not None else _images_of(config, images, inputs)
        if config.extensions is None and not any(map(drivers, own_images)):
            result.without_image.append(config)
        card = {"product": found.name} if (found := named_card(config, inputs)) else {}
        driver = without_default(_driver(config) or _common_driver(own_images), card, common)
        group = {**common, **driver, **_placement(config, inputs, result.notes), **card}
        key = repr(sorted((name, repr(value)) for name, value in group.items()))
        label = re.sub(r"[^a-z0-9]+", "-", config.label.lower()).strip("-")[:36].strip("-")
        groups.setdefault(key, (group, label, []))[2].extend([config, *own_images])
    kinds, sharing = {agent.kind for agent in agents(inputs)}, _sharing(inputs, result.notes)
    by_claims: dict[str, Any] = {"dra": {}} if DRA in kinds and PLUGIN not in kinds else {}
    for group, label, members in groups.values() or [(common, "", [])]:
        shared = sharing.get(group.get("name"), sharing.get(None))
        name = {"name": group.get("name") or label or f"class-{len(result.classes) + 1}"} if len(groups) > 1 else {}
        result.configs.append(list(dict.fromkeys(members)))
        result.classes.append({**group, **({} if shared is None else {"sharing": shared}), **by_claims, **name})
    outside = [each for each in images if not any(each in own for own in result.configs)]
    result.notes += [f"the schematic {each.file} is of no node configuration that was read" for each in outside if each.scope == "patch"]
    if without := ", ".join(each.label for each in outside if each.scope != "patch"):
        result.origins.append(f"{without} have the driver in their image and load no module of it, so the file has no class for them")
    _finish(result, sharing)
    return result


def _finish(result: NodeClasses, sharing: Mapping[str | None, Any]) -> None:
    """Make the classes those of a file: of different names, accepted, and of different nodes."""
    names = {each.get("name") for each in result.classes}
    if unmatched := [str(name) for name in sharing if name is not None and None not in sharing and name not in names]:
        files = ", ".join(unmatched)
        result.notes.append(
            f"the plugin's config files {files} share GPUs on the nodes whose label {CONFIG_LABEL} names them: no such node was read"
        )
    seen: set[str] = set()
    for number, each in enumerate(result.classes, 1):
        if "name" in each and each["name"] in seen:
            each["name"] = f"{each['name'][:32]}-{number}"
        seen.add(each.get("name", ""))
    result.classes = [_accepted(each, result.notes) for each in result.classes]
    if any(one.may_overlap(other) for one, other in combinations(nodes_in([result.classes]), 2)):
        result.notes.append(
            f"the labels of the classes {', '.join(each['name'] for each in result.classes)} can be those of one node: the file has one class"
        )
        result.unite()


def _accepted(given: dict[str, Any], notes: list[str]) -> dict[str, Any]:
    """A class without the arguments that contradict Talos, the card or each other."""
    while True:
        try:
            nodes_in([given])
        except (TypeError, ValueError) as error:
            argument = str(getattr(error, "argument", "")).partition("[")[0]
            if argument in ("talos_version", "") or argument not in given:
                optional = [name for name in given if name not in ("talos_version", "name")]
                if argument == "talos_version" or not optional:
                    raise
                argument = optional[-1]
            notes.append(f"nodes: {argument} {given[argument]!r} is left out: {error}")
            given = {name: value for name, value in given.items() if name != argument}
        else:
            return given


def common_class(classes: list[dict[str, Any]]) -> dict[str, Any]:
    """One class of nodes with what all classes have."""
    labels = common_items(each.get("labels", {}) for each in classes)
    return {
        **common_items({name: each[name] for name in each if name != "name"} for each in classes),
        **({"labels": labels} if labels else {}),
    }


def common_items(mappings_: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The items that all mappings have."""
    first, *others = mappings_
    return {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}


def _release(version: str, notes: list[str]) -> str:
    match = re.match(r"v?(\d+\.\d+(?:\.\d+)?(?:-(?:alpha|beta|rc)\.\d+)?)", version)
    release = match[1] if match else version
    if release != version.removeprefix("v"):
        notes.append(f"the Talos version {version} is a build of somebody's own; the file says {release}")
    return release


def _gpu_configs(inputs: Inputs) -> list[NodeConfig]:
    """The node configurations for NVIDIA cards of the most exact scope that the tree has."""
    found = gpu_node_configs(inputs)
    of_scopes = ([each for each in found if each.scope == scope] for scope in _SCOPES)
    return next(filter(None, of_scopes), [])


def _is_image(config: NodeConfig) -> bool:
    """Whether a configuration is that of an image alone, as a schematic is."""
    return config.extensions is not None and all(each is None for each in (config.labels, config.taints, config.kernel_modules))


def _images_of(config: NodeConfig, images: list[NodeConfig], inputs: Inputs) -> list[NodeConfig]:
    """The schematics of a node: the one whose ID its installer names, else those of the same beginning, else all."""
    installer = read_installer(known_text(config.image))
    named = [each for each in inputs.node_configs if installer and _id(each) == installer.schematic]
    return named or [each for each in images if _beginning(each) == _beginning(config)] or images


def _id(config: NodeConfig) -> str | None:
    schematic = config.at("schematic")
    return id_of_written(schematic) if isinstance(schematic, Mapping) else None


def _beginning(config: NodeConfig) -> str:
    return re.split(r"schematic|machine-config", config.file)[0]


def _driver(config: NodeConfig) -> dict[str, Any]:
    """The driver of a node; empty for a node with several."""
    found = {(each.flavour, each.track) for each in drivers(config)}
    flavour, track = found.pop() if len(found) == 1 else (None, None)
    return {name: str(value) for name, value in (("kernel_modules", flavour), ("driver_track", track)) if value is not None}


def _common_driver(images: list[NodeConfig]) -> dict[str, Any]:
    """The driver that all images have."""
    found = [_driver(each) for each in images]
    return found[0] if found and all(each == found[0] for each in found) else {}


def without_default(driver: dict[str, Any], card: dict[str, Any], common: dict[str, Any]) -> dict[str, Any]:
    """The driver without what the class has where nothing is given.

    A track other than `production` stays: pods select the nodes of the track.
    """
    default: dict[str, str] = {"kernel_modules": KernelModules.OPEN, "driver_track": DriverTrack.PRODUCTION}
    if card:
        product, talos = card["product"], TalosVersion.parse("talos_version", common["talos_version"])
        default = {"kernel_modules": default_modules(product, talos), "driver_track": default_track(product, talos)}
    return {
        name: value
        for name, value in driver.items()
        if value != default[name] or (name == "driver_track" and value != DriverTrack.PRODUCTION)
    }


def _placements(inputs: Inputs, *kinds: str) -> Iterator[tuple[Any, Any]]:
    """The node selectors and the tolerations of GPU workloads, and of the agents of these kinds, or of all."""
    for agent in agents(inputs):
        if not kinds or agent.kind in kinds:
            yield agent.value("nodeSelector"), agent.value("tolerations")
    for workload in gpu_workloads(inputs):
        yield at(workload.spec, "nodeSelector"), at(workload.spec, "tolerations")


def _common_placement(inputs: Inputs) -> dict[str, Any]:
    """The labels and the taints, as arguments of a class of nodes; empty where the pods have nothing in common."""
    pods = list(_placements(inputs, PLUGIN, EXPORTER))
    if not pods:
        return {}
    labels = {key: value for key, value in common_items(dict(known_items(each)) for each, _ in pods).items() if isinstance(value, str)}
    first, *others = (list(_taints(tolerations)) for _, tolerations in pods)
    taints = [each for each in first if all(each in other for other in others)]
    return {**({"labels": labels} if labels else {}), **({"taints": taints} if taints else {})}


def _taints(tolerations: Any) -> Iterator[str]:
    """The taints that tolerations name. Every GPU pod tolerates the taint of NVIDIA."""
    for _, each in mappings(tolerations):
        key, value, effect = parts = [at(each, name) for name in ("key", "value", "effect")]
        if key and effect and key != GPU_RESOURCE and not any(map(is_unknown, parts)) and not is_controlled(str(key)):
            yield f"{key}{f'={value}' if value else ''}:{effect}"


def _placement(config: NodeConfig, inputs: Inputs, notes: list[str]) -> dict[str, Any]:
    """The name, the labels and the taints of a node, as arguments of its class."""
    arguments: dict[str, Any] = {}
    selected = {key for selector, _ in _placements(inputs) for key, _ in known_items(selector)}
    known = {key: value for key, value in known_items(config.labels) if isinstance(value, str) and not key.startswith(_BY_OTHERS)}
    labels = {key: value for key, value in known.items() if key in selected}
    labels = labels or {key: value for key, value in known.items() if ABOUT_GPUS.search(key)}
    if name := known.get(CONFIG_LABEL):
        arguments["name"] = name
        labels.pop(CONFIG_LABEL, None)
    if is_unknown(config.labels):
        notes.append(f"the labels of {config.label} can't be read")
    if not labels and not name and operators(inputs) and PRESENT_LABEL in selected:
        labels = {PRESENT_LABEL: "true"}
    taints = []
    for taint in config.taints or ():
        if not taint.is_known:
            notes.append(f"a taint of {config.label} can't be read")
        elif by := taken_away_by(inputs, taint.key):
            notes.append(f"{by} takes the taint {taint.key} of {config.label} away, so no pod has to tolerate it: it stays in its file")
        else:
            taints.append(str(taint))
    given = {"labels": labels, "taints": list(dict.fromkeys(taints))}
    return {**arguments, **{key: value for key, value in given.items() if value}}


def sharing_of(resource: str, shared: Shared) -> dict[str, Any] | None:
    """The sharing of a class of nodes; None for a resource that is no GPU, and without a number of replicas."""
    if resource.removesuffix(SHARED_SUFFIX) != GPU_RESOURCE or shared.replicas is None or shared.replicas <= 1:
        return None
    is_mps = shared.strategy == MPS
    arguments: dict[str, Any] = {"replicas": shared.replicas}
    if resource.endswith(SHARED_SUFFIX) and not is_mps:
        arguments["rename_by_default"] = True
    if shared.fails_above_one is not is_mps:
        arguments["fail_requests_greater_than_one"] = shared.fails_above_one
    return {"mps" if is_mps else "time_slicing": arguments}


def _sharing(inputs: Inputs, notes: list[str]) -> dict[str | None, dict[str, Any]]:
    """The sharing in each config file of the plugin, by the file's key; None is the only file."""
    found: dict[str | None, dict[str, Any]] = {}
    files = [each for each in plugin_configs(inputs) if each.readers or len(plugin_configs(inputs)) == 1]
    for each in files:
        offer = config_offer(each)
        shared = {} if offer is None else offer.shared
        sharing = sharing_of(*next(iter(shared.items()))) if len(shared) == 1 else None
        if sharing is not None:
            found[each.key] = sharing
        elif shared or offer is None:
            notes.append(f"the sharing in {each.about.label}, file '{each.key}', is not one number of replicas of {GPU_RESOURCE}")
    if (len(files) == 1 and found) or (len({repr(value) for value in found.values()}) == 1 and len(found) == len(files)):
        found[None] = next(iter(found.values()))
    return found
