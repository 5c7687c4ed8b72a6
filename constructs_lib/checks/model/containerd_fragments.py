"""What fragments of containerd's configuration say: the files and documents with which Talos is told to change it."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .inputs import Path, Unknown, at, mappings

RUNTIME = "io.containerd.cri.v1.runtime"
"""containerd 2's name of the plugin, which every Talos from 1.8 on has (siderolabs/talos hack/cri-plugin.part)."""
_PART = re.compile(r"/etc/cri/conf\.d/[^/]+\.part")


def fragments(documents: Any) -> Iterator[tuple[Path, str]]:
    """Every fragment in Talos' documents, with the path of its text among them."""
    for index, document in mappings(documents):
        if document.get("kind") == "CRICustomizationConfig":
            yield from _text((index, "content"), document.get("content"))
        elif "kind" not in document:
            for number, file in mappings(at(document, "machine", "files")):
                if _PART.fullmatch(str(file.get("path"))):
                    yield from _text((index, "machine", "files", number, "content"), file.get("content"))


def _text(path: Path, value: Any) -> Iterator[tuple[Path, str]]:
    if isinstance(value, str):
        yield path, value


@functools.lru_cache(maxsize=256)
def _parsed(text: str) -> Mapping[str, Any] | None:
    import tomllib  # most inputs hold no TOML

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None


def settings(text: str) -> Mapping[str, Any] | None:
    """A fragment's tables; None where it is no TOML, or is filled in later."""
    return None if isinstance(text, Unknown) else _parsed(text)


def default_runtime(documents: Any) -> str | None:
    """The runtime of pods that name no RuntimeClass, by the last fragment that says it where containerd reads it; `Unknown` where one may."""
    found = None
    for _, text in fragments(documents):
        said = at(settings(text) or {}, "plugins", RUNTIME, "containerd", "default_runtime_name")
        if isinstance(said, str):
            found = said
        elif isinstance(text, Unknown) and "default_runtime_name" in text:
            found = Unknown("")
    return found


def spec_dirs(text: str) -> list[str]:
    """The folders in which a fragment has containerd look for CDI specifications; none where it says nothing of them."""
    said = at(settings(text) or {}, "plugins", RUNTIME, "cdi_spec_dirs")
    return [str(each) for each in said] if isinstance(said, list) else []
