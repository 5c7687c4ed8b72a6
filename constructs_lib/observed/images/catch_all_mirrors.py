"""The mirror `*` of the machine configurations that were read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.kubernetes.registries import CATCH_ALL, MIRROR_KIND
from ..model import Inputs, at, equals, is_given, known_list, known_str


def catch_all_endpoints(inputs: Inputs) -> tuple[tuple[str, bool], ...] | None:
    """The endpoints of the mirror `*` of every node, each once, and whether its path is taken as it is.

    None where an endpoint is not known, and where no mirror and no whole machine configuration was read: a patch says
    nothing about the rest.
    """
    found = dict.fromkeys(each for mirror in _mirrors(inputs) for each in _endpoints(mirror))
    is_whole = any(config.scope == "node" and config.complete for config in inputs.node_configs)
    return None if None in found or not (found or is_whole) else tuple(each for each in found if each is not None)


def catch_all_skips_fallback(inputs: Inputs) -> bool:
    """Whether a mirror `*` keeps the nodes from the registries themselves."""
    return any(equals(at(mirror, "skipFallback"), True).is_yes for mirror in _mirrors(inputs))


def _mirrors(inputs: Inputs) -> Iterator[Any]:
    for config in inputs.node_configs:
        for _, document in config.documents:
            if equals(at(document, "kind"), MIRROR_KIND).is_yes and equals(at(document, "name"), CATCH_ALL).is_yes:
                yield document
            mirror = at(document, "machine", "registries", "mirrors", CATCH_ALL)
            if isinstance(mirror, Mapping):
                yield mirror


def _endpoints(mirror: Any) -> Iterator[tuple[str, bool] | None]:
    """The endpoints in both forms of a mirror: an address each, or a mapping each."""
    endpoints = at(mirror, "endpoints")
    if is_given(endpoints) and not known_list(endpoints):
        yield None
    for each in known_list(endpoints) or ():
        url = known_str(at(each, "url") if isinstance(each, Mapping) else each)
        holder = each if isinstance(each, Mapping) else mirror
        yield None if url is None else (url, equals(at(holder, "overridePath"), True).is_yes)
