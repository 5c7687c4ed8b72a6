"""The config files of device plugins, in a chart's values and in ConfigMaps, and who reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...upstream.charts.device_plugin_chart import CONFIG_KEYS
from ..model import Inputs, KubernetesObject, Path, Read, Unknown, at, mappings, question
from .agents import GFD, MPS_DAEMON, PLUGIN, Agent, agents
from .operators import Operator, operators

Reader = Agent | Operator
"""What reads a config file: a device plugin, what runs from its image, or an operator for the plugin that it makes."""

_READERS = (PLUGIN, GFD, MPS_DAEMON)


@dataclass(frozen=True, kw_only=True, eq=False)
class PluginConfig:
    """One config file. `path` is where its text stands in `about.body`, `key` its name among its siblings.

    `body` is None where it is no mapping, and where it can't be read; `problem` says what is wrong with its YAML, empty where nothing is.
    """

    about: Read
    path: Path
    key: str
    body: Mapping[str, Any] | None
    problem: str = ""
    readers: tuple[Reader, ...] = ()

    def at(self, *path: str | int) -> Any:
        """A value of the file."""
        return at(self.body, *path)


@dataclass(frozen=True, kw_only=True, eq=False)
class ConfigChoice:
    """From which config files a reader chooses.

    `name` is the ConfigMap that the reader names, None where its values hold the files. `keys` are the names of the files, None where they
    were not found. `default` is the one for nodes that choose none.
    """

    reader: Reader
    path: Path
    name: Any
    default: Any
    keys: tuple[str, ...] | None
    about: Read | None = None


@question
def plugin_configs(inputs: Inputs) -> list[PluginConfig]:
    """Every config file of a device plugin."""
    # The parts of a chart share its config; the plugin stands for them.
    those = (agent for agent in agents(inputs) if agent.kind == PLUGIN or (agent.kind in _READERS and agent.release is None))
    readers: list[Reader] = [*operators(inputs), *those]
    found = [config for reader in readers for config in _in_values(reader)]
    for each in inputs.of_kind("ConfigMap"):
        found += _in_config_map(each, tuple(reader for reader in readers if _reads(reader, each)))
    return found


@question
def config_choices(inputs: Inputs) -> list[ConfigChoice]:
    """Which config files the readers that can choose (those of charts) choose from."""
    found = []
    plugins = (agent for agent in agents(inputs) if agent.kind == PLUGIN and agent.release)
    readers: list[Reader] = [*operators(inputs), *plugins]
    for reader in readers:
        base = _base(reader)
        name, default = _value(reader, "name"), _value(reader, "default")
        held = _held(reader)
        if held:
            found.append(ConfigChoice(reader=reader, path=reader.path(*base), name=None, default=default, keys=tuple(held)))
        elif isinstance(name, str) and name:
            objects = [each for each in inputs.of_kind("ConfigMap") if _is_named(each, name, reader.namespace)]
            data = objects[0].at("data") if objects else None
            keys = tuple(data) if isinstance(data, Mapping) else None
            about = objects[0] if objects else None
            found.append(ConfigChoice(reader=reader, path=reader.path(*base), name=name, default=default, keys=keys, about=about))
    return found


def _base(reader: Reader) -> tuple[str, ...]:
    return ("devicePlugin", "config") if isinstance(reader, Operator) else ("config",)


def _value(reader: Reader, key: str) -> Any:
    return reader.value(*_base(reader), key)


def _held(reader: Reader) -> Mapping[str, Any]:
    """The files in the values themselves."""
    if isinstance(reader, Operator):
        # Without `create` the chart leaves them out (templates/plugin_config.yaml).
        held = _value(reader, "data") if reader.is_on("devicePlugin", "config", "create") else None
    else:
        held = _value(reader, "map")
    return held if isinstance(held, Mapping) else {}


def _in_values(reader: Reader) -> Iterator[PluginConfig]:
    if isinstance(reader, Agent) and reader.release is None:
        return
    key = "data" if isinstance(reader, Operator) else "map"
    for name, text in _held(reader).items():
        body, problem = _parsed(text)
        path = reader.path(*_base(reader), key, name)
        yield PluginConfig(about=reader.about, path=path, key=name, body=body, problem=problem, readers=(reader,))


def _in_config_map(each: KubernetesObject, readers: tuple[Reader, ...]) -> Iterator[PluginConfig]:
    by_chart = any(isinstance(reader, Operator) or reader.release for reader in readers)
    data = each.at("data")
    for key, text in data.items() if isinstance(data, Mapping) else ():
        if readers or _looks_like_one(text):
            body, problem = _parsed(text)
            if (by_chart and problem) or (body is not None and _is_config(body, read=bool(readers))):
                yield PluginConfig(about=each, path=("data", key), key=key, body=body, problem=problem, readers=readers)


def _is_config(body: Mapping[str, Any], *, read: bool) -> bool:
    """Not what somebody keeps in the same ConfigMap for another program, as the partitions of nvidia-mig-parted."""
    if "mig-configs" in body:
        return False
    return bool(set(CONFIG_KEYS).intersection(body)) if read else body.get("version") == "v1" and ("sharing" in body or "flags" in body)


def _looks_like_one(text: Any) -> bool:
    return isinstance(text, str) and "version" in text and ("sharing:" in text or "flags:" in text or '"sharing"' in text)


def _parsed(text: Any) -> tuple[Mapping[str, Any] | None, str]:
    if not isinstance(text, str) or isinstance(text, Unknown):
        return None, ""
    import yaml  # only who has a config needs it

    from ..._arguments.kubernetes_yaml import documents

    try:
        body = next(documents(str(text)), None)  # libyaml takes no subclass of str
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in its line {mark.line + 1}" if mark else ""
        return None, f"it is no YAML{where}"
    return (body, "") if isinstance(body, Mapping) else (None, "" if body is None else "it is no mapping")


def _reads(reader: Reader, each: KubernetesObject) -> bool:
    if isinstance(reader, Agent) and reader.release is None:
        return any(_is_named(each, name, reader.namespace) for name in _mounted(reader.spec))
    name = _value(reader, "name")
    return isinstance(name, str) and not isinstance(name, Unknown) and _is_named(each, name, reader.namespace)


def _mounted(spec: Mapping[str, Any]) -> Iterator[str]:
    for _, volume in mappings(spec.get("volumes")):
        yield str(at(volume, "configMap", "name") or "")
        for _, source in mappings(at(volume, "projected", "sources")):
            yield str(at(source, "configMap", "name") or "")


def _is_named(each: KubernetesObject, name: str, namespace: str | None) -> bool:
    return each.name == name and (namespace is None or each.namespace in (None, namespace))
