"""The taints of a node in Talos' documents: those that Talos sets, and those that the kubelet registers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...yaml.unknown import Unknown, at, is_open, known_list, known_str, mappings, text_of
from .input_kinds import NodeTaint, Path

LocatedTaint = tuple[Path, Any]
"""A taint in the documents, with its path."""
_DECLARED: dict[str | None, Path] = {None: ("machine", "nodeTaints"), "KubeNodeConfig": ("taints",)}
_KUBELET: dict[str | None, tuple[Path, str]] = {None: (("machine", "kubelet"), "extraConfig"), "KubeletConfig": ((), "config")}
_ANY = NodeTaint(Unknown(), Unknown(), Unknown())


def declared_taints(documents: Any) -> Iterator[LocatedTaint]:
    """The taints in `machine.nodeTaints` and KubeNodeConfig: key, value and effect."""
    for index, document in mappings(documents):
        path = _DECLARED.get(_kind(document))
        written = at(document, *path) if path else None
        if path and isinstance(written, Mapping):
            for key, taint in written.items():
                yield (index, *path), NodeTaint(key, *_value_and_effect(taint))


def _kind(document: Mapping[str, Any]) -> str | None:
    """The kind of a document. None for the machine configuration."""
    return known_str(at(document, "kind")) if "kind" in document else None


def registered_taints(documents: Any) -> Iterator[LocatedTaint]:
    """The taints that the kubelet registers, from its configuration and its arguments. A taint of three unknowns may be
    any taint.
    """
    for index, document in mappings(documents):
        kubelet, config = _KUBELET.get(_kind(document), ((), ""))
        if not config:
            continue
        path = (*kubelet, config, "registerWithTaints")
        listed = at(document, *path)
        for number, taint in mappings(listed):
            yield (index, *path, number), NodeTaint(*(_text(at(taint, key)) for key in ("key", "value", "effect")))
        argument = (*kubelet, "extraArgs", "register-with-taints")
        arguments = at(document, *argument)
        for written in known_list(arguments) or [arguments]:
            if isinstance(written, str):
                yield from (((index, *argument), _of_argument(each)) for each in written.split(",") if each.strip())
        if is_open(listed) or is_open(arguments):
            yield (index, *argument), _ANY


def _text(value: Any) -> str | Unknown:
    return "" if (written := text_of(value)) is None else written


def _of_argument(written: str) -> NodeTaint:
    """The taint in an argument `key=value:Effect`."""
    name, _, effect = written.strip().rpartition(":")
    key, _, value = name.partition("=")
    return NodeTaint(key, value, effect)


def _value_and_effect(written: Any) -> tuple[str | Unknown, str | Unknown]:
    """The value and effect of `value:Effect`, or of the effect alone (siderolabs/talos pkg/machinery/labels,
    ParseTaint).
    """
    text = _text(written)
    if isinstance(text, Unknown):
        return text, text
    value, colon, effect = text.partition(":")
    return (value, effect) if colon else ("", value)
