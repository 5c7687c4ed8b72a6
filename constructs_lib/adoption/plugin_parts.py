"""NVIDIA's device plugins of a tree, a release of the chart or a DaemonSet with its ConfigMap, as parts of a cluster
file."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..observed.agents.agents import GFD, NFD_WORKER, Agent, agents
from ..observed.agents.plugin_configs import PluginConfig, plugin_configs
from ..observed.agents.plugin_options import plugin_options
from ..observed.model import ChartRelease, KubernetesObject, at, known_str
from ..upstream.nvidia.gpu_resources import VISIBLE_DEVICES
from ..upstream.nvidia.plugin_words import DEVICE_SPECS, LIST_STRATEGY, MIG_STRATEGY, SPELLINGS
from ..upstream.version import Version
from ..yaml.load import documents
from .chart_parts import delivery_of, refuse_lost_delivery
from .tree import Made, Part, PlainObject, Tree, UnreadError, leaves, plain_value, plain_values

CONSTRUCT = "StandaloneDevicePlugin"
_VALUES = {
    "gdrcopyEnabled": "gdrcopy_enabled",
    "gdsEnabled": "gds_enabled",
    "mofedEnabled": "mofed_enabled",
    "resources": "resources",
    "podAnnotations": "pod_annotations",
    "priorityClassName": "priority_class_name",
}
"""The arguments of the construct, by the chart's values that are no options of the plugin."""
_OTHERWISE = frozenset({
    "runtimeClassName", "nodeSelector", "affinity", "tolerations", "config", "image", "imagePullSecrets", "gfd", "nfd", "updateStrategy",
    "fullnameOverride", "nameOverride", "namespaceOverride", "selectorLabelsOverride", "sleepInterval", "noTimestamp", "allowDefaultNamespace", "securityContext", "podSecurityContext",
})  # fmt: skip
"""The values that an argument says in another form, that follow from the class of nodes, or that the construct
decides."""
_OWN_VARIABLES = ("CONFIG_FILE", VISIBLE_DEVICES, "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_MIG_MONITOR_DEVICES", "MPS_ROOT", "NODE_NAME")
_DISCOVERY = {"sleepInterval": "sleep_interval", "noTimestamp": "no_timestamp"}
"""The arguments of GPU feature discovery, by the chart's values and by the flags in a config file."""


def plugin_parts(tree: Tree, agent: Agent) -> list[Part]:
    """The part of each class of nodes for a device plugin, and what its chart brings along."""
    configs = [each for each in plugin_configs(tree.inputs) if agent in each.readers]
    part = _of_release(tree, agent.release) if agent.release is not None else _of_daemon_set(tree, agent, configs)
    parts, classes = [], tree.nodes.classes
    for name in [each["name"] for each in classes] if len(classes) > 1 else [None]:
        config = _config_of(configs, name)
        arguments = {**_options(tree, agent, config), **part.arguments, **_feature_discovery(tree, agent, config)}
        arguments = _placed(tree, agent, arguments if name is None else {**arguments, "nodes": name})
        _refuse_lost_config(config, tree.made(CONSTRUCT, arguments))
        id = f"{part.id}-{name}" if name else part.id  # noqa: A001
        parts.append(replace(part, id=id, arguments=tree.smallest(CONSTRUCT, id, arguments)))
    if agent.release is not None and any(each.kind == NFD_WORKER and each.about is agent.about for each in agents(tree.inputs)):
        parts.append(_node_feature_discovery(tree, agent.release))
    return parts


def _of_release(tree: Tree, release: ChartRelease) -> Part:
    """The part of a release, with the arguments that are no options of the plugin."""
    values, gaps = plain_values(release)
    about = tree.about(release)
    refuse_lost_delivery(about)
    chart, version = release.known_chart, Version.parse(release.version) if isinstance(release.version, str) else None
    unread = {each.path.partition(".")[0] for each in (chart.unread_keys(values, version) if chart else ())}
    known = {*_VALUES, *_OTHERWISE, *unread, *(each.in_values for each in SPELLINGS.values())}
    for key, value in values.items():
        if key not in known and value not in (None, {}, [], ""):
            raise UnreadError(f"no argument says values.{key}")
    for key, inner in (("image", {"repository", "tag", "pullPolicy"}), ("gfd", {"enabled"})):
        if extra := set(values.get(key) or {}) - inner:
            raise UnreadError(f"no argument says values.{key}.{min(extra)}")
    update = values.get("updateStrategy") or {}
    if update and (at(update, "type") != "RollingUpdate" or at(update, "rollingUpdate", "maxUnavailable") not in (None, 1, "1")):
        raise UnreadError("no argument says values.updateStrategy")
    image = values.get("image") or {}
    repository = image.get("repository") or at(chart and chart.defaults, "image", "repository") or "nvcr.io/nvidia/k8s-device-plugin"
    tag, namespace = image.get("tag") or (f"v{version}" if version else ""), known_str(release.namespace)
    given: dict[str, Any] = {
        **{argument: values.get(key) for key, argument in _VALUES.items()},
        "image": f"{repository}:{tag}" if tag else None,
        "image_pull_policy": image.get("pullPolicy"),
        "image_pull_secrets": [str(at(each, "name")) for each in values.get("imagePullSecrets") or ()] or None,
        "namespace": namespace,
    }
    notes = ["the DaemonSet takes the place of the chart's: delete the release"]
    notes += [f"values.{key} is left out: the chart does not read it" for key in sorted(unread & set(values))]
    notes += ["the construct decides the security context of the plugin"] if values.get("securityContext") else []
    replaces = [each for each in (about, tree.source(about)) if each is not None]
    arguments = {name: value for name, value in given.items() if value is not None}
    return Part(CONSTRUCT, known_str(release.name) or "nvidia-device-plugin", namespace or "", arguments, release, replaces, notes, gaps)


def _of_daemon_set(tree: Tree, agent: Agent, configs: list[PluginConfig]) -> Part:
    """The part of a DaemonSet with its ConfigMap, with the arguments that are no options of the plugin."""
    if not isinstance(agent.about, KubernetesObject):
        raise UnreadError("it is no object")
    each, pod, container = tree.plain(agent.about), plain_value(agent.spec), plain_value(agent.container)
    if len(pod.get("containers") or ()) != 1 or pod.get("initContainers"):
        raise UnreadError("its pod has further containers")
    own = (*_OWN_VARIABLES, *(f"--{name.lower().replace('_', '-')}" for name in _OWN_VARIABLES))
    known = {*own, *(name for spelled in SPELLINGS.values() for name in (*spelled.variables, *spelled.flags))}
    words = [str(word).partition("=")[0] for key in ("command", "args") for word in container.get(key) or ()]
    written = [*(str(variable.get("name")) for variable in container.get("env") or ()), *(word for word in words if word.startswith("-"))]
    if other := next((name for name in written if name not in known), None):
        raise UnreadError(f"no argument says its {'flag' if other.startswith('-') else 'variable'} {other}")
    options = {name for spelled in SPELLINGS.values() for name in spelled.variables}
    if other := next((each["name"] for each in container.get("env") or () if each.get("name") in options and "valueFrom" in each), None):
        raise UnreadError(f"its variable {other} has a value from elsewhere")
    given = {
        "image": container.get("image"),
        "namespace": each.namespace,
        "name": each.name if len(tree.nodes.classes) == 1 else None,
        "priority_class_name": pod.get("priorityClassName"),
        "resources": container.get("resources"),
    }
    taken = [agent.about, *(config.about for config in configs), *(other.about for other in _discoveries(tree, agent))]
    replaces: list[PlainObject] = [tree.plain(one) for one in dict.fromkeys(taken) if isinstance(one, KubernetesObject)]
    notes = ["the construct decides the security context of the plugin"] if container.get("securityContext") else []
    arguments = {name: value for name, value in given.items() if value}
    return Part(CONSTRUCT, each.name, each.namespace, arguments, agent.about, replaces, notes, each.gaps)


def _config_of(configs: list[PluginConfig], name: str | None) -> PluginConfig | None:
    """The config file of a class of nodes: the one with its name, or the only one."""
    named = next((each for each in configs if each.key == name), None)
    if named is None and len(configs) > 1:
        raise UnreadError("its config files are chosen by the labels of nodes that were not read")
    return named or next(iter(configs), None)


def _options(tree: Tree, agent: Agent, config: PluginConfig | None) -> dict[str, Any]:
    """The arguments that the options of a plugin say, in its values, variables, flags and config file."""
    arguments: dict[str, Any] = {}
    for option in plugin_options(tree.inputs):
        is_of_file = config is not None and (option.about, option.path) == (config.about, config.path)
        if not option.wins or not (is_of_file if option.in_file else option.reader is agent):
            continue
        value = plain_value(option.value)
        if option.name == MIG_STRATEGY and value not in (None, "", "none"):
            raise UnreadError("its migStrategy belongs to the class of nodes, and the tree does not say which partitions there are")
        if isinstance(value, str):
            value = {"true": True, "false": False}.get(value, value)
        if option.name == LIST_STRATEGY and isinstance(value, str):
            value = [word.strip() for word in value.split(",")]
        if option.name != MIG_STRATEGY:
            name = "compat_with_cpu_manager" if option.name == DEVICE_SPECS else option.name.replace("-", "_")
            arguments[name] = value[0] if isinstance(value, list) and len(value) == 1 else value
    return arguments


def _discoveries(tree: Tree, agent: Agent) -> list[Agent]:
    """The GPU feature discoveries beside a plugin: that of its chart, or the DaemonSets of its namespace."""
    found = [each for each in agents(tree.inputs) if each.kind == GFD]
    if agent.release is not None:
        return [each for each in found if each.about is agent.about]
    return [each for each in found if isinstance(each.about, KubernetesObject) and each.namespace == agent.namespace]


def _feature_discovery(tree: Tree, agent: Agent, config: PluginConfig | None) -> dict[str, Any]:
    if not _discoveries(tree, agent):
        return {}
    values = plain_value(agent.release.given) if agent.release is not None else {}
    of_file = {key: config.at("flags", "gfd", key) for key in _DISCOVERY} if config is not None else {}
    said = {argument: values.get(key) or of_file.get(key) for key, argument in _DISCOVERY.items()}
    given = {name: value for name, value in said.items() if value is not None}
    return {"feature_discovery": {"FeatureDiscovery": given} if given else True}


def _placed(tree: Tree, agent: Agent, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with the placement that does not follow from the class of nodes.

    The default affinity of the chart does.
    """
    made = next(body for body in tree.made(CONSTRUCT, arguments).values() if body["kind"] == "DaemonSet")
    ours, settings = at(made, "spec", "template", "spec"), plain_value(agent.settings)
    wanted = settings.get("runtimeClassName")
    if wanted and wanted != ours.get("runtimeClassName"):
        raise UnreadError(f"its runtimeClassName {wanted} is not that of the nodes, {ours.get('runtimeClassName')}")
    selector = (settings.get("nodeSelector") or {}).items() - (ours.get("nodeSelector") or {}).items()
    tolerations = [each for each in settings.get("tolerations") or () if each not in (ours.get("tolerations") or ())]
    rest = {"nodeSelector": dict(sorted(selector)), "affinity": settings.get("affinity") or {}, "tolerations": tolerations}
    pod = {key: value for key, value in rest.items() if value}
    return {**arguments, **({"pod_spec": pod} if pod else {})}


def _refuse_lost_config(config: PluginConfig | None, made: Made) -> None:
    """Refuse a config file with a setting that the file of the class of nodes lacks."""
    if config is None:
        return
    own = next((body for body in made.values() if body["kind"] == "ConfigMap"), {})
    text = at(own, "data", "config.yaml")
    ours = dict(leaves(next(documents(text)))) if isinstance(text, str) else {}
    said = {("version",), *(each.in_file for each in SPELLINGS.values()), *(("flags", "gfd", key) for key in _DISCOVERY)}
    for path, value in leaves(plain_value(config.body)):
        is_default = value in (None, {}, []) or (path[0] in ("sharing", "flags") and value is False)
        if ours.get(path) != value and path not in said and not is_default:
            raise UnreadError(f"the class of nodes has no {'.'.join(map(str, path))} of its config file '{config.key}'")


def _node_feature_discovery(tree: Tree, release: ChartRelease) -> Part:
    """The node feature discovery that the chart of the plugin brings along."""
    own = {key: value for key, value in (plain_value(release.given).get("nfd") or {}).items() if key != "enabled"}
    ((kind, delivery),) = delivery_of(tree, tree.about(release)).items()
    arguments: dict[str, Any] = {"delivery": {kind: {key: value for key, value in delivery.items() if key not in ("interval", "timeout")}}}
    arguments |= {"values": own} if own else {}
    if namespace := known_str(release.namespace):
        arguments |= {"namespace": namespace, "create_namespace": False}
    tree.made("NodeFeatureDiscovery", arguments)
    notes = ["a release of its own takes the place of the one inside of the device plugin's"]
    return Part("NodeFeatureDiscovery", "node-feature-discovery", namespace or "", arguments, release, notes=notes)
