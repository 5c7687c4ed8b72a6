"""The settings of a node in Talos' own documents: the machine configuration, and the documents for its fields from
Talos 1.14 on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ....upstream.talos.config_documents import INSTALL_KIND
from ...model import Path, Unknown, at, equals, has, is_open, known_list, known_str, known_text, mappings, text_of
from ...model.talos_documents import LocatedTaint, declared_taints, default_runtime, registered_taints
from ..objects import kind_of

# siderolabs/talos pkg/machinery/config/types/v1alpha1/v1alpha1_types.go.
_TOP = {"version", "debug", "persist", "machine", "cluster"}
_MACHINE = (
    "acceptedCAs baseRuntimeSpecOverrides ca certSANs controlPlane disks env features files install kernel kubelet logging network nodeAnnotations "
    "nodeLabels nodeTaints pods registries seccompProfiles sysctls sysfs systemDiskEncryption time token type udev"
)
_CLUSTER = (
    "acceptedCAs adminKubeconfig aescbcEncryptionSecret aggregatorCA allowSchedulingOnControlPlanes allowSchedulingOnMasters apiServer ca "
    "clusterName controlPlane controllerManager coreDNS discovery etcd externalCloudProvider extraManifestHeaders extraManifests id "
    "inlineManifests network proxy scheduler secret secretboxEncryptionSecret serviceAccount token"
)
_TAG = re.compile(r":(v?\d+\.\d+\.\d+[0-9A-Za-z.-]*)(@sha256:\w+)?$")


def is_machine_config(body: Mapping[str, Any]) -> bool:
    """Whether a document is a machine configuration of Talos, or a patch of one."""
    if not _TOP.issuperset(key for key in body if isinstance(key, str)):
        return False
    if isinstance(body.get("machine"), Unknown):
        return True
    parts = ((body.get("machine"), _MACHINE), (body.get("cluster"), _CLUSTER))
    return any(isinstance(part, Mapping) and (is_open(part) or not part.keys().isdisjoint(known.split())) for part, known in parts)


def is_json_patch(body: Any) -> bool:
    """Whether a document is a list of operations of RFC 6902 on a machine configuration. Paths with unknown parts may
    be any."""
    paths = [at(each, "path") for _, each in mappings(body) if "op" in each]
    known = [path.split("/") for path in map(known_str, paths) if path is not None]
    parts = {"machine": _MACHINE.split(), "cluster": _CLUSTER.split()}
    is_listed = isinstance(body, list) and len(paths) == len(body) and all(isinstance(each, str | Unknown) for each in paths)
    return is_listed and bool(known) and all(len(path) > 2 and path[2] in parts.get(path[1], ()) for path in known)  # noqa: PLR2004  # "", part, field


def is_document(body: Mapping[str, Any]) -> bool:
    """Whether a document is another document of Talos: its API version has no group, and it has no metadata."""
    return has(body, "metadata").is_no and kind_of(body) not in ("", "List") and not equals(at(body, "apiVersion"), "v1alpha1").is_no


def facts(documents: Any) -> dict[str, Any]:
    """The fields of `NodeConfig` that Talos' documents set."""
    paths: dict[str, Path] = {}
    role = _first(documents, "machine", "type")
    image = _installer_image(documents, paths)
    modules = _noted(paths, "kernel_modules", [*_modules(documents)])
    files = _noted(paths, "files", [*_items(documents, "machine", "files")])
    taints = _noted(paths, "taints", [*declared_taints(documents), *registered_taints(documents)])
    return {
        "control_plane": role in ("controlplane", "init") if isinstance(role, str) else None,
        "image": text_of(image),
        "installed_args": known_list(_first(documents, "machine", "install", "extraKernelArgs")),
        "talos_version": _talos(image, paths),
        "kubernetes_version": _kubernetes(documents, paths),
        "kernel_modules": None if modules is None else tuple(modules),
        "sysctls": _map(documents, paths, "sysctls", "sysctls", ("SysctlConfig", "params")),
        "labels": _map(documents, paths, "labels", "nodeLabels", ("KubeNodeConfig", "labels")),
        "taints": None if taints is None else tuple({repr(each): each for each in taints}.values()),
        "files": None if files is None else tuple(files),
        "default_runtime": default_runtime(documents),
        "paths": paths,
    }


def _installer_image(documents: Any, paths: dict[str, Path]) -> Any:
    """The installer image: of the document of Talos 1.14, else of `machine.install`. Talos refuses a configuration with
    both."""
    for index, document in mappings(documents):
        image = at(document, "installer", "image") if kind_of(document) == INSTALL_KIND else None
        if image is not None:
            paths["image"] = ("documents", index, "installer", "image")
            return image
    return _first(documents, "machine", "install", "image", note=("image", paths))


def _talos(image: Any, paths: dict[str, Path]) -> str | None:
    """The Talos version of the installer image."""
    version = _tag(image)
    if version is not None:
        paths["talos_version"] = paths["image"]
    return version


def _kubernetes(documents: Any, paths: dict[str, Path]) -> str | None:
    """The Kubernetes version of the kubelet's image."""
    for index, document in mappings(documents):
        path = ("image",) if kind_of(document) == "KubeletConfig" else ("machine", "kubelet", "image")
        if version := _tag(at(document, *path)):
            paths["kubernetes_version"] = ("documents", index, *path)
            return version
    return None


def hostname(documents: Any) -> str | Unknown | None:
    """The hostname in Talos' documents; None if they set none."""
    names = (_of_kind(documents, "HostnameConfig", "hostname"), _first(documents, "machine", "network", "hostname"))
    return next((name for each in names if isinstance(name := text_of(each), Unknown) or name), None)


def _first(documents: Any, *path: str, note: tuple[str, dict[str, Path]] | None = None) -> Any:
    """The first value at a path of the machine configurations."""
    for index, document in mappings(documents):
        value = None if "kind" in document else at(document, *path)
        if value is not None:
            if note:
                note[1][note[0]] = ("documents", index, *path)
            return value
    return None


def _of_kind(documents: Any, kind: str, key: str) -> Any:
    written = (at(document, key) for _, document in mappings(documents) if kind_of(document) == kind)
    return next((each for each in written if each is not None), None)


def _tag(image: Any) -> str | None:
    """The version in an image's tag. Other parts of the image may be unknown."""
    match = _TAG.search(known_text(image))
    return match[1] if match else None


def _noted(paths: dict[str, Path], field: str, located: list[LocatedTaint]) -> list[Any] | None:
    """The values without their paths. `paths` gets the path of the field."""
    if not located:
        return None
    first = located[0][0]
    paths[field] = ("documents", *(first[:-1] if isinstance(first[-1], int) else first))
    return [value for _, value in located]


def _items(documents: Any, *path: str) -> Iterator[LocatedTaint]:
    for index, document in mappings(documents):
        if "kind" not in document:
            for number, item in mappings(at(document, *path)):
                yield (index, *path, number), item


def _modules(documents: Any) -> Iterator[LocatedTaint]:
    for path, module in _items(documents, "machine", "kernel", "modules"):
        yield path, _text(at(module, "name"))
    for index, document in mappings(documents):
        if kind_of(document) == "KernelModuleConfig":
            yield (index, "name"), _text(at(document, "name"))
        if "kind" not in document and is_open(at(document, "machine", "kernel", "modules")):
            yield (index, "machine", "kernel", "modules", 0), Unknown()


def _text(value: Any) -> str | Unknown:
    return "" if (text := text_of(value)) is None else text


def _map(documents: Any, paths: dict[str, Path], field: str, old: str, new: tuple[str, str]) -> Mapping[str, Any] | Unknown | None:
    """A map of the machine configuration, merged with the map of the document that replaces it. The document's values
    win."""
    merged: dict[str, Any] = {}
    known = False
    for path in ((None, ("machine", old)), (new[0], (new[1],))):
        for index, document in mappings(documents):
            value = at(document, *path[1]) if known_str(document.get("kind")) == path[0] else None
            if isinstance(value, Unknown):
                return value
            if isinstance(value, Mapping):
                paths[field] = ("documents", index, *path[1])
                merged, known = {**merged, **value}, True
    return merged if known else None
