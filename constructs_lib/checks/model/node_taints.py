"""The taints that Talos' documents give a node, whoever sets them: Talos itself, or the kubelet while the node joins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from .inputs import Path, Unknown, at, mappings

Found = tuple[Path, Any]
"""Something that a document says, with its path among the documents."""
_DECLARED: dict[str | None, Path] = {None: ("machine", "nodeTaints"), "KubeNodeConfig": ("taints",)}
_KUBELET: dict[str | None, tuple[Path, str]] = {None: (("machine", "kubelet"), "extraConfig"), "KubeletConfig": ((), "config")}


def declared_taints(documents: Any) -> Iterator[Found]:
    """Those of `machine.nodeTaints` and of KubeNodeConfig: key, value and effect."""
    for index, document in mappings(documents):
        path = _DECLARED.get(_kind(document))
        said = at(document, *path) if path else None
        if path and isinstance(said, dict):
            for key, written in said.items():
                yield (index, *path), (key, *_value_and_effect(written))


def _kind(document: Mapping[str, Any]) -> str | None:
    """The kind of a document; the machine configuration has none."""
    return str(document["kind"]) if "kind" in document else None


def registered_taints(documents: Any) -> Iterator[Found]:
    """Those with which the kubelet registers the node: of its configuration and of its arguments."""
    for index, document in mappings(documents):
        kubelet, config = _KUBELET.get(_kind(document), ((), ""))
        if not config:
            continue
        path = (*kubelet, config, "registerWithTaints")
        for number, taint in mappings(at(document, *path)):
            yield (index, *path, number), tuple(_text(taint.get(key)) for key in ("key", "value", "effect"))
        argument = (*kubelet, "extraArgs", "register-with-taints")
        said = at(document, *argument)
        for written in said if isinstance(said, list) else [said]:
            if isinstance(written, str) and not isinstance(written, Unknown):
                yield from (((index, *argument), _of_argument(each)) for each in written.split(",") if each.strip())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _of_argument(written: str) -> tuple[str, str, str]:
    """`key=value:Effect`."""
    name, _, effect = written.strip().rpartition(":")
    key, _, value = name.partition("=")
    return key, value, effect


def _value_and_effect(written: Any) -> tuple[str, str]:
    """`value:Effect`, or the effect alone (siderolabs/talos pkg/machinery/labels, ParseTaint)."""
    if isinstance(written, Unknown):
        return written, written
    value, colon, effect = str(written).partition(":")
    return (value, effect) if colon else ("", value)
