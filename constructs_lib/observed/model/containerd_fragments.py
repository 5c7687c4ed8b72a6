"""Fragments of containerd's configuration: the files and documents in Talos' documents that change it."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.talos.features import CUSTOMIZATION_PATH
from .input_kinds import Path
from .unknown import Unknown, at, contains, equals, is_open, known_list, mappings, search

RUNTIME = "io.containerd.cri.v1.runtime"
"""The name of containerd 2's runtime plugin, which every Talos from 1.8 on has (siderolabs/talos hack/cri-plugin.part)."""
_KEY = "default_runtime_name"
_PART = r"\A/etc/cri/conf\.d/[^/]+\.part\Z"


def fragments(documents: Any) -> Iterator[tuple[Path, str | Unknown]]:
    """The fragments in Talos' documents, each with the path of its text. A file that may be a fragment is an unknown one."""
    for index, document in mappings(documents):
        if "kind" not in document:
            files = at(document, "machine", "files")
            for number, file in mappings(files):
                if not search(_PART, at(file, "path")).is_no:
                    yield from _text((index, "machine", "files", number, "content"), at(file, "content"))
            if is_open(files):
                yield (index, "machine", "files"), Unknown()
        elif equals(at(document, "kind"), "CRICustomizationConfig").is_yes:
            yield from _text((index, "content"), at(document, "content"))
    if is_open(documents):
        yield (), Unknown()


def _text(path: Path, value: Any) -> Iterator[tuple[Path, str | Unknown]]:
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
        written = at(settings(text) or {}, "plugins", RUNTIME, "containerd", _KEY)
        if isinstance(written, str):
            file = at(documents, *path[:-1], "path")
            runtime = written if file is None or equals(file, CUSTOMIZATION_PATH).is_yes else Unknown()
        elif isinstance(text, Unknown) and not contains(text, _KEY).is_no:
            runtime = Unknown()
    return runtime


def spec_dirs(text: str | Unknown) -> list[str]:
    """The folders of CDI specifications that a fragment sets. Empty if it sets none."""
    return [str(each) for each in known_list(at(settings(text) or {}, "plugins", RUNTIME, "cdi_spec_dirs"))]
