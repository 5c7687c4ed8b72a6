"""The namespaces, RuntimeClasses and users that Talos' configuration exempts from Pod Security: their pods are admitted
whatever they ask for, and whatever the label of the namespace says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.kubernetes.api import POD_CREATORS
from ..model import Answer, Inputs, Unknown, any_of, at, equals, is_among, is_open, known_list, question

_PLUGIN, _KIND = "PodSecurity", "KubeAdmissionControlConfig"

OF_SOME_PODS = Unknown()
"""The RuntimeClass of the operator's DaemonSets: some of them name the operator's class."""


def is_exempt(inputs: Inputs, namespace: str | Unknown | None, runtime_class: Any = None, kind: str = "") -> Answer:
    """Whether Pod Security lets pass what pods in a namespace ask for. `kind` is the kind of the object that has the pods,
    and `runtime_class` their RuntimeClass.
    """
    user = POD_CREATORS.get(kind)
    wanted = (("namespaces", namespace), ("runtimeClasses", runtime_class), ("usernames", user))
    found = (_is_listed(at(each, key), value) for each in _exemptions(inputs) for key, value in wanted if value is not None)
    # Whoever applies a pod may be exempt.
    by_hand = [Answer.UNKNOWN for each in _exemptions(inputs) if kind == "Pod" and known_list(at(each, "usernames"))]
    return any_of([*found, *by_hand])


def _is_listed(listed: Any, value: str | Unknown) -> Answer:
    known = is_among(value, known_list(listed))
    return Answer.UNKNOWN if known.is_no and is_open(listed) else known


@question
def _exemptions(inputs: Inputs) -> list[Mapping[str, Any]]:
    """The exemptions of every configuration that was read: the laxest one counts, as with levels."""
    return [exempt for config in inputs.node_configs for _, each in config.documents for exempt in _written(each)]


def _written(document: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    field = at(document, "cluster", "apiServer", "admissionControl")
    # A patch of RFC 6902 changes the generated plugin by its index, without its name.
    plugins = list(field.values()) if isinstance(field, Mapping) else known_list(field)
    for plugin in [document] if equals(at(document, "kind"), _KIND).is_yes else plugins:
        exemptions = at(plugin, "configuration", "exemptions")
        if isinstance(exemptions, Mapping) and not is_among(at(plugin, "name"), (None, _PLUGIN)).is_no:
            yield exemptions
