"""Options of device plugins, from chart values, variables, flags and config files, and the setting that wins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...arguments.patterns import pattern
from ...upstream.nvidia.plugin_words import MIG_STRATEGY, SET_BY_OPERATOR, SPELLINGS
from ...yaml.unknown import GAP
from ..model import (
    Inputs,
    Path,
    Read,
    Unknown,
    at,
    equals,
    is_among,
    is_given,
    is_open,
    is_unknown,
    joined,
    known_list,
    known_str,
    known_text,
    mappings,
    question,
    text_of,
)
from .agents import GFD, MPS_DAEMON, PLUGIN, Agent, agents
from .operators import Operator, operators
from .plugin_configs import PluginConfig, Reader, plugin_configs


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PluginOption:
    """A setting of one option.

    `name` is the name of the flag, `written` the name as the author spelled it. `reader` is the plugin that reads the
    setting, None for a config file without a known reader. `wins` is False if a flag overrides a variable, or either
    overrides a config file.
    """

    name: str
    written: str
    value: Any
    about: Read
    path: Path
    reader: Reader | None
    in_file: bool = False
    wins: bool = True
    kind: str = PLUGIN


@question
def plugin_options(inputs: Inputs) -> list[PluginOption]:
    """Every option of device plugins, and of the other agents from the same image."""
    options = [option for operator in operators(inputs) for option in _of_operator(operator)]
    for agent in agents(inputs):
        if agent.kind in (PLUGIN, GFD, MPS_DAEMON):
            options += _of_agent(agent)
    above = {(id(option.reader), option.name) for option in options}
    return options + [option for config in plugin_configs(inputs) for option in _of_config(config, above)]


def options_of(inputs: Inputs, reader: Reader, name: str) -> list[PluginOption]:
    """The winning settings of one option for one reader."""
    return _winning(inputs).get((id(reader.about), name), [])


@question
def _winning(inputs: Inputs) -> dict[tuple[int, str], list[PluginOption]]:
    """The winning settings, by the source of their reader and by the option's name."""
    options: dict[tuple[int, str], list[PluginOption]] = {}
    for option in plugin_options(inputs):
        if option.wins and option.reader is not None:
            options.setdefault((id(option.reader.about), option.name), []).append(option)
    return options


def strategies(value: Any) -> list[str]:
    """The words of a device list strategy, from a list or a string with commas; no words from an unreadable value."""
    words = value if isinstance(value, list) else value.split(",") if isinstance(value, str) else []
    return [text for word in words if (text := known_str(word)) is not None]


def _of_operator(operator: Operator) -> Iterator[PluginOption]:
    for component, kind in (("devicePlugin", PLUGIN), ("gfd", GFD)):
        if not operator.is_on(component, "enabled").is_no:
            variables = operator.written(component, "env")
            yield from _of_variables(operator, operator.path(component, "env"), variables, kind)
            yield from _of_flags(operator, operator.path(component, "args"), operator.written(component, "args"), kind)
    strategy = operator.written("mig", "strategy")
    if is_given(strategy):
        path = operator.path("mig", "strategy")
        yield PluginOption(name=MIG_STRATEGY, written="mig.strategy", value=strategy, about=operator.about, path=path, reader=operator)


def _of_agent(agent: Agent) -> Iterator[PluginOption]:
    if agent.release:
        for name, spelled in SPELLINGS.items():
            value = at(agent.settings, spelled.in_values) if spelled.in_values else None
            # One value serves every part of the chart; it is the plugin's.
            if agent.kind == PLUGIN and value is not None and spelled.in_values:
                path = agent.path(spelled.in_values)
                yield PluginOption(name=name, written=spelled.in_values, value=value, about=agent.about, path=path, reader=agent)
        return
    by_flag: set[str] = set()
    for key in ("command", "args"):
        words = at(agent.container, key)
        words = [expanded(word, agent.container) for word in words] if isinstance(words, list) else words
        for option in _of_flags(agent, (*agent.container_path, key), words, agent.kind):
            by_flag.add(option.name)
            yield option
    variables = at(agent.container, "env")
    if isinstance(variables, list):
        variables = [_with_expanded_value(each, agent.container) for each in variables]
    yield from _of_variables(agent, (*agent.container_path, "env"), variables, agent.kind, by_flag)


def _with_expanded_value(variable: Any, container: Mapping[str, Any]) -> Any:
    if isinstance(variable, Mapping) and "value" in variable:
        return {**variable, "value": expanded(variable["value"], container)}
    return variable


def _of_variables(reader: Reader, path: Path, variables: Any, kind: str, by_flag: set[str] | None = None) -> Iterator[PluginOption]:
    for index, variable in mappings(variables):
        name = at(variable, "name")
        for option, spelled in SPELLINGS.items():
            is_it = is_among(name, spelled.variables)
            value = at(variable, "value") if is_it.is_yes else Unknown()
            if not is_it.is_no and value is not None:
                yield PluginOption(
                    name=option,
                    written=f"{name}",
                    value=value,
                    about=reader.about,
                    path=(*path, index, "value"),
                    reader=reader,
                    wins=option not in (by_flag or ()),
                    kind=kind,
                )
    if is_open(variables):
        yield from _unread(reader, path, kind)


def _of_flags(reader: Reader, path: Path, words: Any, kind: str) -> Iterator[PluginOption]:
    listed = known_list(words)
    for index, word in enumerate(listed):
        flag, equals_sign, value = known_text(word).partition("=")
        before = known_text(listed[index - 1]) if index else ""
        if GAP in flag and ("=" in before or not before.startswith("-")):  # no value of the flag before it
            yield from _unread(reader, path, kind)
        for option, spelled in SPELLINGS.items():
            if flag in spelled.flags:
                behind = word if GAP in value else value
                follows = listed[index + 1] if not equals_sign and index + 1 < len(listed) else behind
                yield PluginOption(
                    name=option, written=flag, value=follows, about=reader.about, path=(*path, index), reader=reader, kind=kind
                )
    if is_unknown(words):
        yield from _unread(reader, path, kind)


def _unread(reader: Reader, path: Path, kind: str) -> Iterator[PluginOption]:
    """Every option with an unknown value: an unreadable setting may be any option."""
    for option in SPELLINGS:
        yield PluginOption(name=option, written=option, value=Unknown(), about=reader.about, path=path, reader=reader, kind=kind)


def _of_config(config: PluginConfig, above: set[tuple[int, str]]) -> Iterator[PluginOption]:
    for name, spelled in SPELLINGS.items():
        value = config.at(*spelled.in_file)
        if value is not None:
            plugins = [reader for reader in config.readers if isinstance(reader, Operator) or reader.kind == PLUGIN]
            overridden = [(id(reader), name) in above or _is_overridden(reader, name) for reader in plugins or config.readers]
            yield PluginOption(
                name=name,
                written=".".join(spelled.in_file),
                value=value,
                about=config.about,
                path=config.path,
                reader=next(iter(config.readers), None),
                in_file=True,
                wins=not overridden or not all(overridden),
            )


def _is_overridden(reader: Reader, name: str) -> bool:
    if not isinstance(reader, Operator):
        return False
    return name in SET_BY_OPERATOR or (name == MIG_STRATEGY and is_given(reader.value("mig", "strategy")))


_REFERENCE = pattern(r"\$\$|\$\(([\w.-]+)\)")


def expanded(value: Any, container: Mapping[str, Any]) -> Any:
    """A text with the variables of its container filled in; `$$` stands for one dollar sign. Another value is returned
    unchanged.

    Source: https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
    (2026-11-22)
    """
    if not isinstance(value, str) or not _REFERENCE.search(value):
        return value
    parts: list[Any] = []
    end = 0
    for match in _REFERENCE.finditer(value):
        parts += [value[end : match.start()], "$" if match[1] is None else _variable(match[1], match[0], container)]
        end = match.end()
    return joined(*parts, value[end:])


def _variable(name: str, written: str, container: Mapping[str, Any]) -> str | Unknown:
    """The value of a variable. A reference to a variable that the container does not have stays as it is written."""
    variables = at(container, "env")
    for _, variable in reversed(mappings(variables)):
        is_it = equals(at(variable, "name"), name)
        if not is_it.is_no:
            value = text_of(at(variable, "value"))
            return value if is_it.is_yes and isinstance(value, str) and "$(" not in value else Unknown(written, GAP)
    return Unknown(written, GAP) if is_open(variables) or is_given(at(container, "envFrom")) else written
