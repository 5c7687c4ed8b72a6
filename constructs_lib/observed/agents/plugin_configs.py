"""The config files of device plugins, in a chart's values and in ConfigMaps, with their readers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...upstream.charts.device_plugin_chart import CONFIG_KEYS
from ..model import (
    Answer,
    Inputs,
    KubernetesObject,
    Path,
    Read,
    Unknown,
    all_of,
    any_of,
    at,
    equals,
    has,
    is_given,
    is_open,
    is_unknown,
    known_items,
    known_text,
    mappings,
    question,
    same_namespace,
    source_of,
    text_of,
)
from ..read.documents import documents
from .agents import GFD, MPS_DAEMON, PLUGIN, Agent, agents
from .operators import Operator, operators

Reader = Agent | Operator
"""A reader of a config file: a device plugin, another agent from its image, or an operator for its own plugin."""

_READERS = (PLUGIN, GFD, MPS_DAEMON)


@dataclass(frozen=True, kw_only=True, eq=False)
class PluginConfig:
    """A config file. `path` is the path of its text in `about.body`, `key` its name in the ConfigMap or in the chart's
    values.

    `body` is None for a text that is not a mapping, or can't be read; `problem` describes broken YAML, and is empty for
    valid YAML.
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
    """The config files that a reader chooses from.

    `name` is the ConfigMap that the reader names, None if its values hold the files. `keys` are the names of the files,
    None if the ConfigMap is missing, `Unknown` if it can't be read. `default` is the file for nodes without a config
    label.
    """

    reader: Reader
    path: Path
    name: Any
    default: Any
    keys: tuple[str, ...] | Unknown | None
    about: Read | None = None


def config_readers(inputs: Inputs) -> list[Reader]:
    """Every reader of config files. The parts of a chart share its config, and the plugin represents all parts."""
    plugins = (agent for agent in agents(inputs) if agent.kind == PLUGIN or (agent.kind in _READERS and agent.release is None))
    return [*operators(inputs), *plugins]


@question
def plugin_configs(inputs: Inputs) -> list[PluginConfig]:
    """Every config file of a device plugin."""
    readers = config_readers(inputs)
    configs = [config for reader in readers for config in _in_values(reader)]
    for each in inputs.of_kind("ConfigMap"):
        configs += _in_config_map(each, tuple(reader for reader in readers if _reads(reader, each).is_yes))
    return configs


@question
def config_choices(inputs: Inputs) -> list[ConfigChoice]:
    """The choices of every reader that can choose a config file: the readers from charts."""
    choices = []
    plugins = (agent for agent in agents(inputs) if agent.kind == PLUGIN and agent.release)
    readers: list[Reader] = [*operators(inputs), *plugins]
    for reader in readers:
        base = _base(reader)
        name, default = _value(reader, "name"), _value(reader, "default")
        held = _held(reader)
        if is_given(held):
            choices.append(ConfigChoice(reader=reader, path=reader.path(*base), name=None, default=default, keys=_keys(held)))
        elif is_given(name):
            maps = [(each, _is_named(each, name, reader.namespace)) for each in inputs.of_kind("ConfigMap")]
            about = next((each for each, is_it in maps if is_it.is_yes), None)
            unread = inputs.may_hide("ConfigMap") or any(not is_it.is_no for _, is_it in maps)
            keys = _keys(about.at("data")) if about else Unknown() if unread or is_unknown(name) else None
            choices.append(ConfigChoice(reader=reader, path=reader.path(*base), name=name, default=default, keys=keys, about=about))
    return choices


def _keys(files: Any) -> tuple[str, ...] | Unknown | None:
    if is_open(files):
        return Unknown()
    return tuple(files) if isinstance(files, Mapping) else None


def _base(reader: Reader) -> tuple[str, ...]:
    return ("devicePlugin", "config") if isinstance(reader, Operator) else ("config",)


def _value(reader: Reader, key: str) -> Any:
    return reader.value(*_base(reader), key)


def _held(reader: Reader) -> Mapping[str, Any] | Unknown:
    """The config files that the values themselves hold."""
    if isinstance(reader, Operator):
        # Without `create` the chart leaves them out (templates/plugin_config.yaml).
        creates = reader.is_on("devicePlugin", "config", "create")
        held = None if creates.is_no else _value(reader, "data") if creates.is_yes else Unknown()
    else:
        held = _value(reader, "map")
    return held if is_unknown(held) or isinstance(held, Mapping) else {}


def _in_values(reader: Reader) -> Iterator[PluginConfig]:
    if isinstance(reader, Agent) and reader.release is None:
        return
    key = "data" if isinstance(reader, Operator) else "map"
    for name, text in known_items(_held(reader)):
        body, problem = _parsed(text)
        path = reader.path(*_base(reader), key, name)
        yield PluginConfig(about=reader.about, path=path, key=name, body=body, problem=problem, readers=(reader,))


def _in_config_map(each: KubernetesObject, readers: tuple[Reader, ...]) -> Iterator[PluginConfig]:
    by_chart = any(isinstance(reader, Operator) or reader.release for reader in readers)
    data = each.at("data")
    for key, text in known_items(data):
        if readers or _looks_like_one(text):
            body, problem = _parsed(text)
            if (by_chart and problem) or (body is not None and _is_config(body, read=bool(readers))):
                yield PluginConfig(about=each, path=("data", key), key=key, body=body, problem=problem, readers=readers)


def _is_config(body: Mapping[str, Any], *, read: bool) -> bool:
    """Whether a mapping is a plugin's config, and not a file for another program in the same ConfigMap, as that of
    nvidia-mig-parted."""
    if "mig-configs" in body:
        return False
    if read:
        return bool(set(CONFIG_KEYS).intersection(body))
    return equals(at(body, "version"), "v1").is_yes and ("sharing" in body or "flags" in body)


def _looks_like_one(value: Any) -> bool:
    text = known_text(value)
    return "version" in text and ("sharing:" in text or "flags:" in text or '"sharing"' in text)


def _parsed(text: Any) -> tuple[Mapping[str, Any] | None, str]:
    source = source_of(text)
    if source is None:
        return None, ""
    parsed, skipped = documents(source, "")
    if skipped and is_unknown(text):
        return None, ""  # a placeholder may stand for the missing part of the YAML
    if skipped:
        return None, f"line {skipped[0].line} is not valid YAML"
    body = parsed[0].value if parsed else None
    return (body, "") if isinstance(body, Mapping) else (None, "" if body is None or is_open(body) else "the content is not a mapping")


def has_config(reader: Reader) -> bool:
    """Whether a reader has a config, or may: in its values, or in a ConfigMap that it names or mounts."""
    if isinstance(reader, Agent) and reader.release is None:
        return mounts_config(reader.spec)
    return not reader.complete or is_given(_value(reader, "name")) or is_given(_held(reader))


def mounts_config(spec: Mapping[str, Any]) -> bool:
    """Whether a pod mounts a ConfigMap, or may."""
    volumes = at(spec, "volumes")
    return is_open(volumes) or any(not has(volume, key).is_no for _, volume in mappings(volumes) for key in ("configMap", "projected"))


def may_read(reader: Reader, each: KubernetesObject) -> bool:
    """Whether a reader may use this ConfigMap for its config, and may not."""
    return _reads(reader, each) is Answer.UNKNOWN


def _reads(reader: Reader, each: KubernetesObject) -> Answer:
    return any_of(_is_named(each, name, reader.namespace) for name in _names(reader) if name is not None)


def _names(reader: Reader) -> Iterator[str | Unknown | None]:
    """The names of the ConfigMaps that a reader names or mounts."""
    if isinstance(reader, Agent) and reader.release is None:
        yield from mounted_config_maps(reader.spec)
    else:
        yield text_of(_value(reader, "name"))


def mounted_config_maps(spec: Mapping[str, Any]) -> Iterator[str | Unknown | None]:
    """The names of the ConfigMaps that a pod mounts."""
    for _, volume in mappings(at(spec, "volumes")):
        yield text_of(at(volume, "configMap", "name"))
        for _, source in mappings(at(volume, "projected", "sources")):
            yield text_of(at(source, "configMap", "name"))


def _is_named(each: KubernetesObject, name: str | Unknown, namespace: str | Unknown | None) -> Answer:
    return all_of([equals(each.name, name), same_namespace(each.namespace, namespace)])
