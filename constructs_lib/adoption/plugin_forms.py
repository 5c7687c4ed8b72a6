"""The forms of a release of NVIDIA's device plugin: the construct that makes its DaemonSet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..clusters.file_values import FileError
from ..observed.agents.plugin_configs import PluginConfig, plugin_configs
from ..observed.model import ChartRelease, Inputs, at, known_str
from ..upstream.version import Version
from ..yaml.load import documents
from .chart_forms import Tree, release_object, source_of
from .delivery_changes import settings_of_delivery
from .entries import Form
from .plain_objects import UnreadError, leaves, plain_value
from .trial import Trials

_ARGUMENTS = {
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

_BY_THE_CLASS = frozenset({"runtimeClassName", "nodeSelector", "affinity", "tolerations", "config", "migStrategy"})
"""The values that follow from the class of nodes, and are compared with what the class makes."""
_OF_NAMES = frozenset({"fullnameOverride", "nameOverride", "namespaceOverride", "selectorLabelsOverride", "allowDefaultNamespace"})


def plugin_forms(release: ChartRelease, tree: Tree, trials: Trials, inputs: Inputs) -> Iterator[Form]:
    """The form of a release whose values all have an argument. Raises `UnreadError` for any other release."""
    if not release.complete:
        raise UnreadError("further values come from a source that was not read")
    classes = trials.nodes
    if len(classes) > 1:
        raise UnreadError("the tree has several classes of GPU nodes, and one release for all of them")
    values: Mapping[str, Any] = plain_value(release.values, [])
    _check(values, classes)
    arguments: dict[str, Any] = {_ARGUMENTS[key]: value for key, value in values.items() if key in _ARGUMENTS}
    if at(values, "gfd", "enabled") is True:
        arguments["feature_discovery"] = True
    if at(values, "image", "pullPolicy"):
        arguments["image_pull_policy"] = values["image"]["pullPolicy"]
    if image := _image(release, values):
        arguments["image"] = image
    if namespace := known_str(release.namespace):
        arguments["namespace"] = namespace
    about = release_object(release, tree)
    source = about and source_of(about, tree)
    if about is not None and (lost := settings_of_delivery(about.body)):
        raise UnreadError(f"a DaemonSet has no {', '.join(lost)}")
    made = trials.objects("device-plugin", {"StandaloneDevicePlugin": arguments})
    if not isinstance(made, FileError):
        of_plugin = {body["kind"]: body for body in reversed(made.values())}
        _check_pod(values, of_plugin["DaemonSet"])
        configs = [each for each in plugin_configs(inputs) if any(reader.release is release for reader in each.readers)]
        _check_configs(configs, of_plugin.get("ConfigMap", {}))
    replaces = frozenset(each.identity for each in (about, source) if each is not None)
    yield Form({"StandaloneDevicePlugin": arguments}, replaces, "the DaemonSet takes the place of the chart's: delete the release")


def _check(values: Mapping[str, Any], classes: list[dict[str, Any]]) -> None:
    """Refuse values that no argument says."""
    for key in values:
        if key not in _ARGUMENTS and key not in _BY_THE_CLASS | _OF_NAMES | {"nfd", "gfd", "image"}:
            raise UnreadError(f"no argument says values.{key}")
    if extra := set(at(values, "image") or {}) - {"repository", "tag", "pullPolicy"}:
        raise UnreadError(f"no argument says values.image.{min(extra)}")
    if at(values, "gfd", "enabled") is True and at(values, "nfd", "enabled") is not False:
        raise UnreadError("the chart brings node feature discovery too (gfd.enabled), which is a NodeFeatureDiscovery of its own in a file")
    if at(values, "config") and not any("sharing" in each for each in classes):
        raise UnreadError("its config file is not one kind of sharing")
    if at(values, "migStrategy") not in (None, "none"):
        raise UnreadError("its migStrategy belongs to the class of nodes, and the tree does not say which partitions there are")


def _check_pod(values: Mapping[str, Any], daemon_set: Mapping[str, Any]) -> None:
    """Refuse a placement that is not that of the class of nodes."""
    pod = at(daemon_set, "spec", "template", "spec")
    for key in ("runtimeClassName", "nodeSelector", "affinity"):
        if values.get(key) and values[key] != pod.get(key):
            raise UnreadError(f"the class of nodes makes another {key}")
    if any(each not in (pod.get("tolerations") or ()) for each in values.get("tolerations") or ()):
        raise UnreadError("the class of nodes has no taint for each of its tolerations")


def _check_configs(configs: list[PluginConfig], config_map: Mapping[str, Any]) -> None:
    """Refuse a config file with a setting that the file of the class of nodes lacks."""
    text = at(config_map, "data", "config.yaml")
    made = dict(leaves(next(documents(text)))) if isinstance(text, str) else {}
    for each in configs:
        for path, value in leaves(plain_value(each.body, [])):
            is_default = path == ("version",) or (path[0] == "sharing" and value is False)
            if made.get(path) != value and not is_default:
                raise UnreadError(f"the class of nodes has no {'.'.join(map(str, path))} of its config file '{each.key}'")


def _image(release: ChartRelease, values: Mapping[str, Any]) -> str:
    """The image of the plugin, of the version that the tree has."""
    version = Version.parse(release.version) if isinstance(release.version, str) else None
    repository = at(values, "image", "repository") or at(release.known_chart and release.known_chart.defaults, "image", "repository")
    tag = at(values, "image", "tag") or (f"v{version}" if version else "")
    return f"{repository or 'nvcr.io/nvidia/k8s-device-plugin'}:{tag}" if tag else ""
