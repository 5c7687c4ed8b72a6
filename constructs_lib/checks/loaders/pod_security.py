"""The level of Pod Security that the API server enforces where a namespace says nothing, as Talos' documents have it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..model import Unknown, at, mappings
from .located_yaml import Map, Seq
from .talos_merge import apply

_PLUGIN = "PodSecurity"
_LEVELS = ("privileged", "baseline", "restricted")
_OFF = "off"


def _admission() -> Map:
    return Map({"name": _PLUGIN, "configuration": Map({"defaults": Map({"enforce": "baseline"})})})


def generated() -> Seq:
    """What a generated configuration of the control plane has, in the form of each Talos (siderolabs/talos config/generate)."""
    field = Map({"cluster": Map({"apiServer": Map({"admissionControl": Seq([_admission()], [("", 0)])})})})
    document = Map({"apiVersion": "v1alpha1", "kind": "KubeAdmissionControlConfig", **_admission()})
    return Seq([field, document], [("", 0), ("", 0)])


def level_after(patches: Iterable[Seq]) -> str | None:
    """What patches make of a generated configuration; None where they leave it alone."""
    documents, emptied = generated(), False
    for patch in patches:
        documents = apply(documents, patch)
        emptied = emptied or any(_empties(document) for _, document in mappings(patch))
    return _OFF if emptied else _level(documents, untouched=2)


def _empties(document: Mapping[str, Any]) -> bool:
    """Whether it writes `admissionControl: null`, with which its author wants no plugin; Talos' merge may take it for nothing said."""
    server = at(document, "cluster", "apiServer")
    return isinstance(server, Mapping) and server.get("admissionControl", "") is None


def level(documents: Seq) -> str:
    """What a whole configuration of the control plane says; without the plugin's configuration nothing is enforced."""
    return _level(documents, untouched=0) or _OFF


def _level(documents: Seq, *, untouched: int) -> str | None:
    """None where as many configurations of the plugin as are generated are there, and none was changed."""
    found = list(_plugins(documents))
    if _is_disabled(documents) or (untouched and len(found) < untouched):
        return _OFF
    said = [_enforced(each) for each in found if not untouched or "enforce" in _places(each)]
    return said[-1] if said else None


def _plugins(documents: Seq) -> Iterable[Mapping[str, Any]]:
    for _, document in mappings(documents):
        if document.get("kind") == "KubeAdmissionControlConfig":
            plugins = [document]
        else:
            plugins = [plugin for _, plugin in mappings(at(document, "cluster", "apiServer", "admissionControl"))]
        yield from (plugin for plugin in plugins if plugin.get("name") == _PLUGIN)


def _places(plugin: Mapping[str, Any]) -> Mapping[str, Any]:
    """The keys of its defaults that somebody wrote, and not the generator."""
    defaults = at(plugin, "configuration", "defaults")
    return defaults.places if isinstance(defaults, Map) else {"enforce": None}


def _enforced(plugin: Mapping[str, Any]) -> str:
    said = at(plugin, "configuration", "defaults", "enforce")
    if isinstance(said, Unknown):
        return said
    return said if said in _LEVELS else "privileged"


def _is_disabled(documents: Seq) -> bool:
    """Whether the API server is told to do without the plugin."""
    for _, document in mappings(documents):
        arguments = ("extraArgs",) if document.get("kind") == "KubeAPIServerConfig" else ("cluster", "apiServer", "extraArgs")
        said = at(document, *arguments, "disable-admission-plugins")
        if any(_PLUGIN in str(each).split(",") for each in (said if isinstance(said, list) else [said])):
            return True
    return False
