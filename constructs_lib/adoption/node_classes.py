"""The classes of GPU nodes of a tree, from its node configurations, from the config files of its device plugin, and
from its GPU pods."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from ..arguments.errors import NOTHING, wrong_kind
from ..nodes.cards import default_modules, default_track
from ..nodes.nodes_file import nodes_in
from ..nodes.talos_version import TalosVersion
from ..observed.agents.agents import DRA, EXPORTER, PLUGIN, agents
from ..observed.agents.operators import operators
from ..observed.agents.plugin_configs import plugin_configs
from ..observed.model import Inputs, NodeConfig, at, is_unknown, known_items, known_str, mappings
from ..observed.nodes.cards import named_card
from ..observed.nodes.node_extensions import drivers
from ..observed.nodes.node_settings import gpu_node_configs
from ..observed.pods.workloads import gpu_workloads, workloads
from ..upstream.kubernetes.controlled_taints import is_controlled, remover
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ..upstream.nvidia.gpu_resources import CONFIG_LABEL, GPU_RESOURCE, PRESENT_LABEL
from ..upstream.talos.extension_names import LABEL_PREFIX


def common_placement(inputs: Inputs) -> dict[str, Any]:
    """The labels and the taints, as arguments of a class of nodes; empty where the pods have nothing in common."""
    pods = list(_pods(inputs))
    if not pods:
        return {}
    selectors = [dict(known_items(selector)) for selector, _ in pods]
    labels = {
        key: value
        for key, value in selectors[0].items()
        if isinstance(value, str) and all(selector.get(key) == value for selector in selectors)
    }
    tolerated = [list(_taints(tolerations)) for _, tolerations in pods]
    taints = [each for each in tolerated[0] if all(each in other for other in tolerated)]
    return {**({"labels": labels} if labels else {}), **({"taints": taints} if taints else {})}


def _pods(inputs: Inputs) -> Iterator[tuple[Any, Any]]:
    for agent in agents(inputs):
        if agent.kind in (PLUGIN, EXPORTER):
            yield agent.value("nodeSelector"), agent.value("tolerations")
    for workload in gpu_workloads(inputs):
        yield at(workload.spec, "nodeSelector"), at(workload.spec, "tolerations")


def _taints(tolerations: Any) -> Iterator[str]:
    """The taints that tolerations name. Every GPU pod tolerates the taint of NVIDIA."""
    for _, each in mappings(tolerations):
        key, value, effect = (at(each, name) for name in ("key", "value", "effect"))
        if (
            any(is_unknown(part) for part in (key, value, effect))
            or not key
            or not effect
            or key == GPU_RESOURCE
            or is_controlled(str(key))
        ):
            continue
        yield f"{key}{f'={value}' if value else ''}:{effect}"


ABOUT_GPUS = re.compile(r"gpu|nvidia", re.IGNORECASE)
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

    def unite(self) -> None:
        """Make one class of all, with what they have in common."""
        self.classes = [common_class(self.classes)]
        self.configs = [list(dict.fromkeys(each for configs in self.configs for each in configs))]


def node_classes(inputs: Inputs, talos: str | None) -> NodeClasses:
    """The classes of GPU nodes. Refuses a tree that does not state its Talos version."""
    result = NodeClasses()
    version = talos or (None if inputs.talos_version is None else str(inputs.talos_version))
    if version is None:
        hint = "no file states the version; talosctl version prints it"
        raise wrong_kind("talos", "given", NOTHING, hint)
    common: dict[str, Any] = {"talos_version": _release(version, result.notes)}
    sharing = _sharing(inputs, result.notes)
    selected = _selected_keys(inputs)
    by_operator = {PRESENT_LABEL: "true"} if operators(inputs) and PRESENT_LABEL in selected else {}
    configs = _gpu_configs(inputs)
    result.has_configs = bool(configs)
    if not configs:
        placement = common_placement(inputs)
        common.update(placement)
        if placement:
            result.origins.append(
                f"no node configuration was read: {' and '.join(placement)} follow from what every GPU pod selects and tolerates"
            )
    groups: dict[str, dict[str, Any]] = {}
    names: dict[str, str] = {}
    members: dict[str, list[NodeConfig]] = {}
    images = [each for each in configs if _is_image(each)]
    for config in [each for each in configs if not _is_image(each)] or images:
        own_images = [] if config.extensions is not None else [each for each in images if _beginning(each) == _beginning(config)] or images
        card = _card(config, inputs)
        driver = without_default(_driver(config) or _common_driver(own_images), card, common)
        group = {**common, **driver, **_placement(config, selected, by_operator, result.notes), **card}
        key = repr(sorted((name, repr(value)) for name, value in group.items()))
        groups.setdefault(key, group)
        members.setdefault(key, []).extend([config, *own_images])
        names.setdefault(key, re.sub(r"[^a-z0-9]+", "-", config.label.lower()).strip("-")[:36].strip("-"))
    by_claims = _by_claims(inputs)
    for key, group in groups.items() if groups else [("", common)]:
        shared = sharing.get(_config_label(group), sharing.get(None))
        name = {"name": group.get("name") or names[key] or f"class-{len(result.classes) + 1}"} if len(groups) > 1 else {}
        result.configs.append(list(dict.fromkeys(members.get(key, ()))))
        result.classes.append({**group, **({} if shared is None else {"sharing": shared}), **({"dra": {}} if by_claims else {}), **name})
    outside = [each for each in images if not any(each in own for own in result.configs)]
    result.notes += [f"the schematic {each.file} is of no node configuration that was read" for each in outside if each.scope == "patch"]
    if without := ", ".join(each.label for each in outside if each.scope != "patch"):
        result.origins.append(f"{without} have the driver in their image and load no module of it, so the file has no class for them")
    _finish(result, sharing)
    return result


def _by_claims(inputs: Inputs) -> bool:
    """Whether a DRA driver allocates the GPUs, and no device plugin does."""
    kinds = {agent.kind for agent in agents(inputs)}
    return DRA in kinds and PLUGIN not in kinds


def _finish(result: NodeClasses, sharing: Mapping[str | None, Any]) -> None:
    """Make the classes those of a file: of different names, accepted, and of different nodes."""
    if unmatched := [str(name) for name in sharing if name is not None and None not in sharing and name not in _names(result.classes)]:
        files = ", ".join(unmatched)
        result.notes.append(
            f"the plugin's config files {files} share GPUs on the nodes whose label {CONFIG_LABEL} names them: no such node was read"
        )
    _distinct(result.classes)
    result.classes = _accepted(result)
    if any(one.may_overlap(other) for one, other in combinations(nodes_in([result.classes]), 2)):
        result.notes.append(
            f"the labels of the classes {', '.join(each['name'] for each in result.classes)} can be those of one node: the file has one class"
        )
        result.unite()


def _release(version: str, notes: list[str]) -> str:
    match = re.match(r"v?(\d+\.\d+(?:\.\d+)?(?:-(?:alpha|beta|rc)\.\d+)?)", version)
    release = match[1] if match else version
    if release != version.removeprefix("v"):
        notes.append(f"the Talos version {version} is a build of somebody's own; the file says {release}")
    return release


def _gpu_configs(inputs: Inputs) -> list[NodeConfig]:
    """The node configurations for NVIDIA cards of the most exact scope that the tree has."""
    found = gpu_node_configs(inputs)
    for scope in _SCOPES:
        if of_scope := [each for each in found if each.scope == scope]:
            return of_scope
    return []


def _driver(config: NodeConfig) -> dict[str, Any]:
    extensions = drivers(config)
    if len({(each.flavour, each.track) for each in extensions}) != 1:
        return {}
    arguments: dict[str, Any] = {}
    if extensions[0].flavour is not None:
        arguments["kernel_modules"] = str(extensions[0].flavour)
    if extensions[0].track is not None:
        arguments["driver_track"] = str(extensions[0].track)
    return arguments


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


def _is_image(config: NodeConfig) -> bool:
    """Whether a configuration is that of an image alone, as a schematic is."""
    return config.extensions is not None and all(each is None for each in (config.labels, config.taints, config.kernel_modules))


def _common_driver(images: list[NodeConfig]) -> dict[str, Any]:
    """The driver that all images have."""
    drivers_of_images = [_driver(each) for each in images]
    return drivers_of_images[0] if drivers_of_images and all(each == drivers_of_images[0] for each in drivers_of_images) else {}


def _beginning(config: NodeConfig) -> str:
    return re.split(r"schematic|machine-config", config.file)[0]


def _selected_keys(inputs: Inputs) -> set[str]:
    """The node labels that a GPU's pods select."""
    keys: set[str] = set()
    for agent in agents(inputs):
        keys |= {key for key, _ in known_items(agent.value("nodeSelector"))}
    for workload in workloads(inputs):
        if workload.asks_for_gpus:
            keys |= {key for key, _ in known_items(at(workload.spec, "nodeSelector"))}
    return keys


def _placement(config: NodeConfig, selected: set[str], by_operator: dict[str, str], notes: list[str]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    known = {key: value for key, value in known_items(config.labels) if isinstance(value, str) and not key.startswith(_BY_OTHERS)}
    labels = {key: value for key, value in known.items() if key in selected} or {
        key: value for key, value in known.items() if ABOUT_GPUS.search(key)
    }
    if name := labels.pop(CONFIG_LABEL, None) or known.get(CONFIG_LABEL):
        arguments["name"] = name
        labels.pop(CONFIG_LABEL, None)
    if is_unknown(config.labels):
        notes.append(f"the labels of {config.label} can't be read")
    if labels := labels or ({} if name else by_operator):
        arguments["labels"] = labels
    taints = []
    for taint in config.taints or ():
        if not taint.is_known:
            notes.append(f"a taint of {config.label} can't be read")
        elif by := remover(str(taint.key)):
            notes.append(f"{by} takes the taint {taint.key} of {config.label} away, so no pod has to tolerate it: it stays in its file")
        else:
            taints.append(str(taint))
    if taints:
        arguments["taints"] = list(dict.fromkeys(taints))
    return arguments


def _card(config: NodeConfig, inputs: Inputs) -> dict[str, Any]:
    card = named_card(config, inputs)
    return {"product": card.name} if card else {}


def _config_label(group: Mapping[str, Any]) -> str | None:
    name: str | None = group.get("name")
    return name


def _sharing(inputs: Inputs, notes: list[str]) -> dict[str | None, dict[str, Any]]:
    """The sharing in each config file of the plugin, by the file's key; None is the only file."""
    found: dict[str | None, dict[str, Any]] = {}
    files = [each for each in plugin_configs(inputs) if each.readers or len(plugin_configs(inputs)) == 1]
    for each in files:
        for kind, name in (("timeSlicing", "time_slicing"), ("mps", "mps")):
            settings = each.at("sharing", kind)
            resources = [resource for _, resource in mappings(at(settings, "resources"))]
            if settings is None or not resources:
                continue
            replicas = at(resources[0], "replicas")
            if len(resources) > 1 or known_str(at(resources[0], "name")) != GPU_RESOURCE or not isinstance(replicas, int) or replicas <= 1:
                notes.append(f"the sharing in {each.about.label}, file '{each.key}', is not one number of replicas of {GPU_RESOURCE}")
                continue
            arguments: dict[str, Any] = {"replicas": replicas}
            if name == "time_slicing" and at(settings, "renameByDefault") is True:
                arguments["rename_by_default"] = True
            fails = at(settings, "failRequestsGreaterThanOne")
            if isinstance(fails, bool) and fails is not (name == "mps"):
                arguments["fail_requests_greater_than_one"] = fails
            found[each.key] = {name: arguments}
    if (len(files) == 1 and found) or (len({repr(value) for value in found.values()}) == 1 and len(found) == len(files)):
        found[None] = next(iter(found.values()))
    return found


def _names(classes: list[dict[str, Any]]) -> set[Any]:
    return {each.get("name") for each in classes}


def _distinct(classes: list[dict[str, Any]]) -> None:
    """Give each class its own name."""
    seen: set[str] = set()
    for number, each in enumerate(classes, 1):
        if "name" in each and each["name"] in seen:
            each["name"] = f"{each['name'][:32]}-{number}"
        seen.add(each.get("name", ""))


def common_class(classes: list[dict[str, Any]]) -> dict[str, Any]:
    """One class of nodes with what all classes have."""
    first, *others = classes
    result = {name: value for name, value in first.items() if name != "name" and all(each.get(name) == value for each in others)}
    labels = {
        key: value for key, value in first.get("labels", {}).items() if all(each.get("labels", {}).get(key) == value for each in others)
    }
    return {**result, **({"labels": labels} if labels else {})}


def _accepted(result: NodeClasses) -> list[dict[str, Any]]:
    """The classes without the arguments that contradict Talos, the card or each other."""
    classes = []
    for each in result.classes:
        given = dict(each)
        while True:
            try:
                nodes_in([given])
                break
            except (TypeError, ValueError) as error:
                argument = str(getattr(error, "argument", "")).partition("[")[0]
                if argument in ("talos_version", "") or argument not in given:
                    optional = [name for name in given if name not in ("talos_version", "name")]
                    if argument == "talos_version" or not optional:
                        raise
                    argument = optional[-1]
                result.notes.append(f"nodes: {argument} {given.pop(argument)!r} is left out: {error}")
        classes.append(given)
    return classes
