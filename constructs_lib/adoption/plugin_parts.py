"""NVIDIA's device plugins of a tree, a release of the chart or a DaemonSet with its ConfigMap, as parts of a cluster
file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..observed.agents.agents import GFD, Agent, agents
from ..observed.agents.plugin_configs import PluginConfig, plugin_configs
from ..observed.model import ChartRelease, KubernetesObject, at, known_str
from ..upstream.nvidia.gpu_resources import VISIBLE_DEVICES
from ..upstream.version import Version
from ..yaml.load import documents
from .chart_parts import delivery_of, refuse_lost_delivery
from .tree import Made, Part, PlainObject, Tree, UnreadError, leaves, plain_value, plain_values

CONSTRUCT = "StandaloneDevicePlugin"
_VALUES = {
    "deviceListStrategy": "device_list_strategy",
    "deviceIDStrategy": "device_id_strategy",
    "deviceDiscoveryStrategy": "device_discovery_strategy",
    "failOnInitError": "fail_on_init_error",
    "compatWithCPUManager": "compat_with_cpu_manager",
    "nvidiaDriverRoot": "nvidia_driver_root",
    "gdrcopyEnabled": "gdrcopy_enabled",
    "gdsEnabled": "gds_enabled",
    "mofedEnabled": "mofed_enabled",
    "resources": "resources",
    "podAnnotations": "pod_annotations",
    "priorityClassName": "priority_class_name",
}
"""The arguments of the construct, by the chart's values."""
_OTHERWISE = frozenset({
    "runtimeClassName", "nodeSelector", "affinity", "tolerations", "config", "migStrategy", "image", "imagePullSecrets", "gfd", "nfd", "updateStrategy",
    "fullnameOverride", "nameOverride", "namespaceOverride", "selectorLabelsOverride", "sleepInterval", "noTimestamp", "allowDefaultNamespace", "securityContext", "podSecurityContext",
})  # fmt: skip
"""The values that an argument says in another form, that follow from the class of nodes, or that the construct
decides."""
_VARIABLES = {
    "DEVICE_LIST_STRATEGY": "device_list_strategy",
    "DEVICE_ID_STRATEGY": "device_id_strategy",
    "DEVICE_DISCOVERY_STRATEGY": "device_discovery_strategy",
    "FAIL_ON_INIT_ERROR": "fail_on_init_error",
    "PASS_DEVICE_SPECS": "compat_with_cpu_manager",
    "NVIDIA_DRIVER_ROOT": "nvidia_driver_root",
}
_OWN_VARIABLES = ("CONFIG_FILE", VISIBLE_DEVICES, "NVIDIA_DRIVER_CAPABILITIES", "NVIDIA_MIG_MONITOR_DEVICES", "MPS_ROOT", "NODE_NAME")
_FLAGS = {
    ("flags", "failOnInitError"): "fail_on_init_error",
    ("flags", "nvidiaDriverRoot"): "nvidia_driver_root",
    ("flags", "plugin", "deviceListStrategy"): "device_list_strategy",
    ("flags", "plugin", "deviceIDStrategy"): "device_id_strategy",
    ("flags", "plugin", "passDeviceSpecs"): "compat_with_cpu_manager",
}
"""The arguments of the construct, by the flags of its config file."""
_FEATURE_DISCOVERY = {("flags", "gfd", "sleepInterval"): "sleep_interval", ("flags", "gfd", "noTimestamp"): "no_timestamp"}
_DEFAULTS = {"fail_on_init_error": True, "compat_with_cpu_manager": False, "device_list_strategy": "envvar", "device_id_strategy": "uuid"}
_MIG_OFF = (None, "", "none")
_SECURITY = "the construct decides the security context of the plugin"


def plugin_parts(tree: Tree, agent: Agent) -> list[Part]:
    """The part of each class of nodes for a device plugin, and what its chart brings along."""
    configs = [each for each in plugin_configs(tree.inputs) if agent in each.readers]
    part, discovery = _of_release(tree, agent.release) if agent.release is not None else _of_daemon_set(tree, agent, configs)
    parts = []
    for name in tree.class_names():
        config = _config_of(configs, name)
        arguments = {**_of_flags(config), **part.arguments}
        if discovery is not None:
            of_file = {
                argument: value for path, argument in _FEATURE_DISCOVERY.items() if config and (value := config.at(*path)) is not None
            }
            arguments["feature_discovery"] = {"FeatureDiscovery": {**of_file, **discovery}} if {**of_file, **discovery} else True
        arguments = {key: value for key, value in arguments.items() if _DEFAULTS.get(key, ...) != value}
        arguments |= {} if name is None else {"nodes": name}
        arguments = _placed(tree, agent, arguments)
        made = tree.made(CONSTRUCT, arguments)
        _refuse_lost_config(config, made)
        id = f"{part.id}-{name}" if name else part.id  # noqa: A001
        arguments = tree.smallest(CONSTRUCT, id, arguments)
        parts.append(replace(part, id=id, arguments=arguments))
    if agent.release is not None and _brings_discovery(plain_value(agent.release.values, [])):
        parts.append(_discovery(tree, agent.release))
    return parts


def _of_release(tree: Tree, release: ChartRelease) -> tuple[Part, dict[str, Any] | None]:
    """The part of a release, and the settings of GPU feature discovery, None where it is off."""
    placeholders: list[str] = []
    values = plain_values(release, placeholders)
    about = tree.about(release)
    refuse_lost_delivery(about)
    chart, version = release.known_chart, Version.parse(release.version) if isinstance(release.version, str) else None
    unread = {each.path.partition(".")[0] for each in (chart.unread_keys(values, version) if chart else ())}
    for key, value in values.items():
        if key not in _VALUES and key not in _OTHERWISE | unread and value not in (None, {}, [], ""):
            raise UnreadError(f"no argument says values.{key}")
    _refuse_values(values)
    given: dict[str, Any] = {_VALUES[key]: value for key, value in values.items() if key in _VALUES}
    if isinstance(strategy := given.get("device_list_strategy"), str) and "," in strategy:
        given["device_list_strategy"] = [each.strip() for each in strategy.split(",")]
    image = values.get("image") or {}
    repository = image.get("repository") or at(chart and chart.defaults, "image", "repository") or "nvcr.io/nvidia/k8s-device-plugin"
    if tag := image.get("tag") or (f"v{version}" if version else ""):
        given["image"] = f"{repository}:{tag}"
    if image.get("pullPolicy") not in (None, "IfNotPresent"):
        given["image_pull_policy"] = image["pullPolicy"]
    if values.get("imagePullSecrets"):
        given["image_pull_secrets"] = [str(at(each, "name")) for each in values["imagePullSecrets"]]
    if namespace := known_str(release.namespace):
        given["namespace"] = namespace
    replaces = [each for each in (about, tree.source(about)) if each is not None]
    notes = ["the DaemonSet takes the place of the chart's: delete the release"]
    notes += [f"values.{key} is left out: the chart does not read it" for key in sorted(unread & set(values))]
    notes += [_SECURITY] if values.get("securityContext") else []
    part = Part(CONSTRUCT, known_str(release.name) or "nvidia-device-plugin", namespace or "", given, release, replaces, notes)
    is_on = at(values, "gfd", "enabled") is True
    discovery = {
        argument: values[key] for key, argument in (("sleepInterval", "sleep_interval"), ("noTimestamp", "no_timestamp")) if values.get(key)
    }
    return part, discovery if is_on else None


def _refuse_values(values: Mapping[str, Any]) -> None:
    """Refuse values that no argument says, inside those that have one."""
    if extra := set(values.get("image") or {}) - {"repository", "tag", "pullPolicy"}:
        raise UnreadError(f"no argument says values.image.{min(extra)}")
    if extra := set(values.get("gfd") or {}) - {"enabled"}:
        raise UnreadError(f"no argument says values.gfd.{min(extra)}")
    if values.get("migStrategy") not in _MIG_OFF:
        raise UnreadError("its migStrategy belongs to the class of nodes, and the tree does not say which partitions there are")
    update = values.get("updateStrategy") or {}
    if update and (at(update, "type") != "RollingUpdate" or at(update, "rollingUpdate", "maxUnavailable") not in (None, 1, "1")):
        raise UnreadError("no argument says values.updateStrategy")


def _of_daemon_set(tree: Tree, agent: Agent, configs: list[PluginConfig]) -> tuple[Part, dict[str, Any] | None]:
    """The part of a DaemonSet with its ConfigMap, and the settings of GPU feature discovery, None where it is off."""
    if not isinstance(agent.about, KubernetesObject):
        raise UnreadError("it is no object")
    each = tree.plain(agent.about)
    container: Mapping[str, Any] = plain_value(agent.container, [])
    maps = [tree.plain(config.about) for config in configs if isinstance(config.about, KubernetesObject)]
    given: dict[str, Any] = {"image": container.get("image"), **({"namespace": each.namespace} if each.namespace else {})}
    if len(tree.nodes.classes) == 1:
        given["name"] = each.name
    pod = plain_value(agent.spec, [])
    more = {"priority_class_name": pod.get("priorityClassName"), "resources": container.get("resources")}
    given |= {key: value for key, value in more.items() if value}
    variables = {str(variable.get("name")): variable for variable in container.get("env") or ()}
    words = [str(word) for key in ("command", "args") for word in container.get(key) or ()]
    for word in [each for each in words if each.startswith("-")]:
        key, _, value = word.lstrip("-").partition("=")
        variables.setdefault(key.replace("-", "_").upper(), {"value": value})
    for name, variable in variables.items():
        value = variable.get("value")
        if name in _VARIABLES and value is not None:
            given[_VARIABLES[name]] = {"true": True, "false": False}.get(
                str(value), value if "," not in str(value) else str(value).split(",")
            )
        elif name == "MIG_STRATEGY" and value in _MIG_OFF:
            continue
        elif name not in _OWN_VARIABLES:
            raise UnreadError(f"no argument says its variable {name}")
    if len(pod.get("containers") or ()) != 1 or pod.get("initContainers"):
        raise UnreadError("its pod has further containers")
    gfd = [
        other
        for other in agents(tree.inputs)
        if other.kind == GFD and isinstance(other.about, KubernetesObject) and other.namespace == agent.namespace
    ]
    replaces: list[PlainObject] = list({id(one): one for one in [each, *maps, *(tree.plain(other.about) for other in gfd)]}.values())  # type: ignore[arg-type]
    notes = [_SECURITY] if container.get("securityContext") else []
    part = Part(CONSTRUCT, each.name, each.namespace, given, agent.about, replaces, notes, each.gaps)
    return part, {} if gfd else None


def _config_of(configs: list[PluginConfig], name: str | None) -> PluginConfig | None:
    """The config file of a class of nodes: the one with its name, or the only one."""
    named = next((each for each in configs if each.key == name), None)
    if named is None and len(configs) > 1:
        raise UnreadError("its config files are chosen by the labels of nodes that were not read")
    return named or next(iter(configs), None)


def _of_flags(config: PluginConfig | None) -> dict[str, Any]:
    """The arguments that the flags of a config file say."""
    if config is None:
        return {}
    if config.at("flags", "migStrategy") not in _MIG_OFF:
        raise UnreadError(f"the migStrategy of its config file '{config.key}' belongs to the class of nodes")
    found = {argument: plain_value(value, []) for path, argument in _FLAGS.items() if (value := config.at(*path)) is not None}
    return {key: value[0] if isinstance(value, list) and len(value) == 1 else value for key, value in found.items()}


def _placed(tree: Tree, agent: Agent, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments with the placement that does not follow from the class of nodes.

    The default affinity of the chart does.
    """
    made = next(body for body in tree.made(CONSTRUCT, arguments).values() if body["kind"] == "DaemonSet")
    ours, settings = at(made, "spec", "template", "spec"), plain_value(agent.settings, [])
    wanted = settings.get("runtimeClassName")
    if wanted and wanted != ours.get("runtimeClassName"):
        raise UnreadError(f"its runtimeClassName {wanted} is not that of the nodes, {ours.get('runtimeClassName')}")
    selector = {
        key: value for key, value in (settings.get("nodeSelector") or {}).items() if (ours.get("nodeSelector") or {}).get(key) != value
    }
    tolerations = [each for each in settings.get("tolerations") or () if each not in (ours.get("tolerations") or ())]
    rest = {"nodeSelector": selector, "affinity": settings.get("affinity") or {}, "tolerations": tolerations}
    pod = {key: value for key, value in rest.items() if value}
    return {**arguments, **({"pod_spec": pod} if pod else {})}


def _refuse_lost_config(config: PluginConfig | None, made: Made) -> None:
    """Refuse a config file with a setting that the file of the class of nodes lacks."""
    if config is None:
        return
    own = next((body for body in made.values() if body["kind"] == "ConfigMap"), {})
    text = at(own, "data", "config.yaml")
    ours = dict(leaves(next(documents(text)))) if isinstance(text, str) else {}
    for path, value in leaves(plain_value(config.body, [])):
        is_said = path in _FLAGS or path in _FEATURE_DISCOVERY or path == ("version",) or value in (None, {}, [])
        is_default = path[0] in ("sharing", "flags") and value is False
        if ours.get(path) != value and not is_said and not is_default:
            raise UnreadError(f"the class of nodes has no {'.'.join(map(str, path))} of its config file '{config.key}'")


def _brings_discovery(values: Mapping[str, Any]) -> bool:
    """Whether the chart of the plugin brings node feature discovery.

    With GPU feature discovery, unless it is switched off.
    """
    enabled = at(values, "nfd", "enabled")
    return enabled is True or (enabled is None and at(values, "gfd", "enabled") is True)


def _discovery(tree: Tree, release: ChartRelease) -> Part:
    """The node feature discovery that the chart of the plugin brings along."""
    own = {key: value for key, value in (plain_value(release.values, []).get("nfd") or {}).items() if key != "enabled"}
    arguments: dict[str, Any] = {"delivery": _without_times(delivery_of(tree, tree.about(release))), **({"values": own} if own else {})}
    if namespace := known_str(release.namespace):
        arguments |= {"namespace": namespace, "create_namespace": False}
    tree.made("NodeFeatureDiscovery", arguments)
    notes = ["a release of its own takes the place of the one inside of the device plugin's"]
    return Part("NodeFeatureDiscovery", "node-feature-discovery", namespace or "", arguments, release, notes=notes)


def _without_times(delivery: Mapping[str, Any]) -> dict[str, Any]:
    return {name: {key: value for key, value in given.items() if key not in ("interval", "timeout")} for name, given in delivery.items()}
