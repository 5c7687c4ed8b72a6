"""The Pod Security level that the API server enforces by default, from Talos' documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ....yaml.located import Map, Seq
from ...model import Answer, Unknown, any_of, at, equals, is_open, known_list, mappings, search
from ..objects import kind_of
from .patches import apply

_PLUGIN = "PodSecurity"
_LEVELS = ("privileged", "baseline", "restricted")
_OFF = "off"


def _admission() -> Map:
    return Map({"name": _PLUGIN, "configuration": Map({"defaults": Map({"enforce": "baseline"})})})


def generated() -> Seq:
    """The admission configuration that Talos generates for the control plane, in all its forms (siderolabs/talos
    config/generate)."""
    field = Map({"cluster": Map({"apiServer": Map({"admissionControl": Seq([_admission()], [("", 0)])})})})
    document = Map({"apiVersion": "v1alpha1", "kind": "KubeAdmissionControlConfig", **_admission()})
    return Seq([field, document], [("", 0), ("", 0)])


def level_after(patches: Iterable[Seq | Unknown]) -> str | Unknown | None:
    """The level of a generated configuration with these patches. None if the patches do not change it."""
    documents, emptied = generated(), False
    for patch in patches:
        documents = apply(documents, patch)
        emptied = emptied or any(_empties(document) for _, document in mappings(patch))
    return _OFF if emptied else _level(documents, untouched=2)


def generated_level(patches: Iterable[Seq | Unknown], *, complete: bool) -> str | Unknown | None:
    """The level of a generated control plane with these patches: that of the generator, if the patches do not change it
    and all were read."""
    patched = level_after(patches)
    return "baseline" if patched is None and complete else patched


def _empties(document: Mapping[str, Any]) -> bool:
    """Whether a patch sets `admissionControl: null`. Its author wants no plugin, but Talos' merge may ignore the
    null."""
    server = at(document, "cluster", "apiServer")
    return isinstance(server, Mapping) and "admissionControl" in server and server["admissionControl"] is None


def level(documents: Seq) -> str | Unknown:
    """The level in a complete control plane configuration. Without a plugin configuration, no level is enforced."""
    enforced = _level(documents, untouched=0)
    return _OFF if enforced is None else enforced


def _level(documents: Seq, *, untouched: int) -> str | Unknown | None:
    """The level in these documents. None if all the `untouched` generated configurations of the plugin are there,
    unchanged."""
    configured = list(_configured(documents))
    plugins = [each for each in configured if equals(at(each, "name"), _PLUGIN).is_yes]
    disabled = _is_disabled(documents)
    if disabled.is_yes:
        return _OFF
    if not disabled.is_no or any(isinstance(at(each, "name"), Unknown) for each in configured):
        return Unknown()
    if untouched and len(plugins) < untouched:
        return _OFF
    levels = [_enforced(each) for each in plugins if not untouched or "enforce" in _places(each)]
    return levels[-1] if levels else None


def _configured(documents: Seq) -> Iterable[Any]:
    """The configurations of all admission plugins. An unknown one stands for possible others."""
    for _, document in mappings(documents):
        if kind_of(document) == "KubeAdmissionControlConfig":
            yield document
            continue
        listed = at(document, "cluster", "apiServer", "admissionControl")
        yield from (plugin for _, plugin in mappings(listed))
        if is_open(listed):
            yield Unknown()


def _places(plugin: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keys of the plugin's defaults that come from a file, and not from the generator."""
    defaults = at(plugin, "configuration", "defaults")
    return defaults.places if isinstance(defaults, Map) else {"enforce": None}


def _enforced(plugin: Mapping[str, Any]) -> str | Unknown:
    enforced = at(plugin, "configuration", "defaults", "enforce")
    if isinstance(enforced, Unknown):
        return enforced
    return enforced if enforced in _LEVELS else "privileged"


def _is_disabled(documents: Seq) -> Answer:
    """Whether an argument of the API server disables the plugin."""
    answers = []
    for _, document in mappings(documents):
        arguments = ("extraArgs",) if kind_of(document) == "KubeAPIServerConfig" else ("cluster", "apiServer", "extraArgs")
        disabled = at(document, *arguments, "disable-admission-plugins")
        answers += [search(rf"(^|,){_PLUGIN}(,|$)", each) for each in known_list(disabled) or [disabled]]
    return any_of(answers)
