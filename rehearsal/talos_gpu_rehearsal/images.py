"""OCI images without a registry: archives that `ctr images import` takes, with the same bytes for the same files.

An image has layers, and a layer is a mapping of paths in the image to files. Images share layers: containerd unpacks a
shared one once.
"""

from __future__ import annotations

import hashlib
import io
import json
import platform
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
_INDEX = "application/vnd.oci.image.index.v1+json"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_CONFIG = "application/vnd.oci.image.config.v1+json"
_LAYER = "application/vnd.oci.image.layer.v1.tar"
"""The media types of an image.

Source: opencontainers/image-spec media-types.md at v1.1.1 (2026-11-23)
"""

IMAGE_NAME = "io.containerd.image.name"
"""The annotation of a manifest in an archive's index that names the image in containerd. Any reference is a name, also
one by digest.

Source: containerd/containerd core/images/annotations.go and core/images/archive/reference.go at v2.2.9 (2026-11-23)
"""


@dataclass(frozen=True, slots=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder. Folders above files need no entry of their own."""

    mode: int = 0o755


Entry = Path | str | Link | Folder
"""What stands at a path of a layer: a file of this machine, a text, a link or a folder."""
Layer = Mapping[str, Entry]


@dataclass(frozen=True, kw_only=True)
class ImageConfig:
    """An image: its names in containerd, its layers from below, and what its configuration sets."""

    names: tuple[str, ...]
    layers: tuple[Layer, ...]
    entrypoint: tuple[str, ...] = ()
    env: Mapping[str, str] | None = None
    user: str = ""


def layer_of(folder: Path) -> Layer:
    """The files, links and folders of a folder as a layer."""
    return {str(path.relative_to(folder)): _entry(path) for path in sorted(folder.rglob("*"))}


def write_archive(images: Iterable[ImageConfig], archive: Path) -> Path:
    """Write images to one archive for `ctr images import`. A layer, or an image of several names, is written once.

    Returns:
        The archive.
    """
    blobs: dict[str, bytes] = {}
    written: dict[int, tuple[Layer, dict[str, Any]]] = {}  # with the layer, so that no later one has its identity
    manifests = []
    for image in images:
        for layer in image.layers:
            if id(layer) not in written:
                written[id(layer)] = layer, _blob(blobs, _LAYER, _tar(layer))
        described = _manifest(blobs, image, [written[id(layer)][1] for layer in image.layers])
        manifests += [{**described, "annotations": {IMAGE_NAME: name}} for name in image.names]
    index = {"schemaVersion": 2, "mediaType": _INDEX, "manifests": manifests}
    files = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}', "index.json": _json(index)}
    files |= {f"blobs/sha256/{digest.removeprefix('sha256:')}": blob for digest, blob in sorted(blobs.items())}
    with tarfile.open(archive, "w", format=tarfile.GNU_FORMAT) as tar:
        for name, content in files.items():
            _add(tar, name, content)
    return archive


def _manifest(blobs: dict[str, bytes], image: ImageConfig, layers: list[dict[str, Any]]) -> dict[str, Any]:
    """Write the configuration and the manifest of an image, and describe the manifest."""
    system = {"architecture": architecture(), "os": "linux"}
    settings: dict[str, Any] = {"Env": [f"{name}={value}" for name, value in (image.env or {}).items()]}
    settings |= {"Entrypoint": list(image.entrypoint)} if image.entrypoint else {}
    settings |= {"User": image.user} if image.user else {}
    config = {**system, "config": settings, "rootfs": {"type": "layers", "diff_ids": [layer["digest"] for layer in layers]}}
    content = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "config": _blob(blobs, _CONFIG, _json(config)),
        "layers": layers,
    }
    return {**_blob(blobs, _MANIFEST, _json(content)), "platform": system}


def architecture() -> str:
    """The architecture of this machine in the words of images."""
    return _ARCHITECTURES.get(platform.machine(), platform.machine())


def _blob(blobs: dict[str, bytes], media_type: str, content: bytes) -> dict[str, Any]:
    """Keep a content, and describe it."""
    blobs[_digest(content)] = content
    return {"mediaType": media_type, "digest": _digest(content), "size": len(content)}


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _json(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def _tar(layer: Layer) -> bytes:
    """The tar of a layer: sorted, of root, without times, with the folders above each path."""
    entries = dict(layer)
    for path in layer:
        for parent in PurePosixPath(path).parents:
            entries.setdefault(str(parent), Folder())
    entries.pop(".", None)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path, entry in sorted(entries.items()):
            _add(tar, path, entry)
    return buffer.getvalue()


def _add(tar: tarfile.TarFile, name: str, entry: Entry | bytes) -> None:
    """Add one entry. A file of this machine keeps only whether it can be run."""
    info = tarfile.TarInfo(name)
    if isinstance(entry, Folder):
        info.type, info.mode = tarfile.DIRTYPE, entry.mode
        tar.addfile(info)
    elif isinstance(entry, Link):
        info.type, info.mode, info.linkname = tarfile.SYMTYPE, 0o777, entry.target
        tar.addfile(info)
    else:
        content = entry.read_bytes() if isinstance(entry, Path) else entry.encode() if isinstance(entry, str) else entry
        info.size = len(content)
        info.mode = 0o755 if isinstance(entry, Path) and entry.stat().st_mode & 0o111 else 0o644
        tar.addfile(info, io.BytesIO(content))


def _entry(path: Path) -> Entry:
    if path.is_symlink():
        return Link(str(path.readlink()))
    return Folder(path.stat().st_mode & 0o7777) if path.is_dir() else path
