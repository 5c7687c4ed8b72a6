"""Parts of Talos' documents that several fields set: fragments of containerd's configuration, and the taints of a node,
which Talos sets or the kubelet registers.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.talos.features import CUSTOMIZATION_PATH
from ...yaml.unknown import Unknown, at, contains, equals, is_open, known_list, known_str, mappings, search, text_of
from .input_kinds import NodeTaint, Path

RUNTIME = "io.containerd.cri.v1.runtime"
"""The name of containerd 2's runtime plugin, which every Talos from 1.8 on has (siderolabs/talos hack/cri-plugin.part).
"""
OLD_RUNTIME = "io.containerd.grpc.v1.cri"
"""The name of the plugin in containerd 1, which Talos has up to 1.7."""
_KEY = "default_runtime_name"
_PART = r"\A/etc/cri/conf\.d/[^/]+\.part\Z"


def fragments(documents: Any) -> Iterator[tuple[Path, str | Unknown]]:
    """The fragments in Talos' documents, each with the path of its text. A file that may be a fragment is an unknown
    one.
    """
    for index, document in mappings(documents):
        if "kind" not in document:
            files = at(document, "machine", "files")
            for number, file in mappings(files):
                if not search(_PART, at(file, "path")).is_no:
                    yield from _fragment((index, "machine", "files", number, "content"), at(file, "content"))
            if is_open(files):
                yield (index, "machine", "files"), Unknown()
        elif equals(at(document, "kind"), "CRICustomizationConfig").is_yes:
            yield from _fragment((index, "content"), at(document, "content"))
    if is_open(documents):
        yield (), Unknown()


def _fragment(path: Path, value: Any) -> Iterator[tuple[Path, str | Unknown]]:
    if isinstance(value, str | Unknown):
        yield path, value


@functools.lru_cache(maxsize=256)
def _parsed(text: str) -> Mapping[str, Any] | None:
    import tomllib  # most inputs hold no TOML

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def settings(text: str | Unknown) -> Mapping[str, Any] | None:
    """The tables of a fragment. None for an unknown text, and for invalid TOML."""
    return _parsed(text) if isinstance(text, str) else None


def default_runtime(documents: Any) -> str | Unknown | None:
    """The runtime of pods without a RuntimeClass, from the last fragment that sets it.

    `Unknown` if an unknown fragment may set it, or a file that Talos may refuse at boot.
    """
    runtime: str | Unknown | None = None
    for path, text in fragments(documents):
        if (written := default_of(text)) is not None:
            file = at(documents, *path[:-1], "path")
            runtime = written if file is None or equals(file, CUSTOMIZATION_PATH).is_yes else Unknown()
        elif isinstance(text, Unknown) and not contains(text, _KEY).is_no:
            runtime = Unknown()
    return runtime


def default_of(text: str | Unknown, plugin: str = RUNTIME) -> str | None:
    """The default runtime that a fragment sets for a plugin of containerd. None if it sets none."""
    written = at(settings(text) or {}, "plugins", plugin, "containerd", _KEY)
    return written if isinstance(written, str) else None


def runtimes_of(text: str | Unknown) -> Mapping[str, Any]:
    """The runtimes that a fragment defines, by name."""
    written = at(settings(text) or {}, "plugins", RUNTIME, "containerd", "runtimes")
    return written if isinstance(written, Mapping) else {}


def spec_dirs(text: str | Unknown) -> list[str]:
    """The folders of CDI specifications that a fragment sets. Empty if it sets none."""
    return [str(each) for each in known_list(at(settings(text) or {}, "plugins", RUNTIME, "cdi_spec_dirs"))]


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
