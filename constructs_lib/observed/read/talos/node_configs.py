"""One `NodeConfig` from the data of the input: the settings in Talos' own documents, which are the machine
configuration and, from Talos 1.14 on, documents for its fields; and the schematic of the image.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from ....arguments.patterns import pattern
from ....upstream.talos.config_documents import INSTALL_KIND
from ....yaml.located import Document, Map, Place, Seq, place_of
from ...model import NodeConfig, Path, Unknown, at, equals, has, is_open, is_unknown, known_list, known_str, known_text, mappings, text_of
from ...model.talos_documents import LocatedTaint, declared_taints, default_runtime, registered_taints
from ..objects import kind_of, lines

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
_TAG = pattern(r":(v?\d+\.\d+\.\d+[0-9A-Za-z.-]*)(@sha256:\w+)?$")


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
    if (talos := _tag(image)) is not None:
        paths["talos_version"] = paths["image"]
    modules = _noted(paths, "kernel_modules", [*_modules(documents)])
    files = _noted(paths, "files", [*_items(documents, "machine", "files")])
    taints = _noted(paths, "taints", [*declared_taints(documents), *registered_taints(documents)])
    return {
        "control_plane": role in ("controlplane", "init") if isinstance(role, str) else None,
        "image": text_of(image),
        "installed_args": known_list(_first(documents, "machine", "install", "extraKernelArgs")),
        "talos_version": talos,
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


_ID = pattern(r"/([0-9a-f]{64})([:@/]|$)")
# Images that Talos publishes, without extensions.
_PLAIN = pattern(r"ghcr\.io/siderolabs/(installer|imager)(:|@|$)")


def node_config(
    *,
    scope: str,
    name: str | Unknown,
    place: Place,
    complete: bool,
    made_by: str = "",
    is_hostname: bool = True,
    documents: Seq | None = None,
    extensions: Seq | None = None,
    extensions_place: Place | None = None,
    kernel_args: Seq | None = None,
    is_of_image: bool = False,
    talos_version: Any = None,
    generated_for: Any = None,
    kubernetes_version: Any = None,
    version_places: Mapping[str, Place] | None = None,
    control_plane: bool | None = None,
    pod_security: str | Unknown | None = None,
    **further: Seq | Map | None,
) -> NodeConfig:
    """The configuration of a node, or of a group, from its documents and from the other data of the input.

    `place` is the place of its description. `extensions` is None if the extensions are not known; `extensions_place` is
    the place of their list. `kernel_args` is None if the schematic's kernel arguments are not known. `is_of_image` says that
    both are those of the image in the documents. `generated_for` is
    the Talos version of the generator, which counts if the installer image has no known version. `version_places` has
    the places of the two versions, by the names of their fields. `pod_security` is the level that the documents result
    in, and None if they do not decide it. `further` is for the body: `resources` of Omni with the documents, the
    `schematic` where the input is one, and the `image_settings` of the input, a whole `schematic` and talhelper's
    `machineSpec`.
    """
    documents = Seq() if documents is None else documents
    fields = facts(documents)
    extensions_at, arguments = extensions_place or place, kernel_args
    settings = further.get("image_settings")
    if fields["image"] is not None and not is_of_image and not _names(fields["image"], at(settings, "schematic")):
        if isinstance(settings, Map):  # the image is another one than that of the schematic beside it, which nothing reads
            further["image_settings"] = Map({key: value for key, value in settings.items() if key != "schematic"}, settings.places)
        extensions_at = place_of(documents, fields["paths"]["image"][1:], place)
        extensions = extensions_of(fields["image"], extensions_at)
        # The known schematics have only extensions.
        arguments = None if extensions is None else Seq()
    body = Map({"documents": documents}, {"documents": place})
    if extensions is not None:
        body["extensions"], body.places["extensions"] = extensions, extensions_at
        fields["paths"]["extensions"] = ("extensions",)
    for key, value in further.items():
        if value is not None:
            body[key], body.places[key] = value, place
    if text_of(talos_version) is None and fields["talos_version"] is None:
        talos_version = generated_for
    for key, version in (("talos_version", talos_version), ("kubernetes_version", kubernetes_version)):
        if (written := text_of(version)) is not None:
            fields[key], fields["paths"][key] = written, (key,)
            body[key], body.places[key] = written, (version_places or {}).get(key, place)
    if control_plane is not None:
        fields["control_plane"] = control_plane
    installed = fields.pop("installed_args")
    return NodeConfig(
        body=body,
        scope=scope,
        name=name,
        is_hostname=is_hostname,
        extensions=None if extensions is None else _texts(extensions),
        kernel_args=None if arguments is None else (*_texts(arguments), *_texts(installed)),
        pod_security=pod_security if fields["control_plane"] is not False else None,
        made_by=made_by,
        complete=complete
        and not is_open(documents)
        and not any(is_open(at(each, "machine")) or is_unknown(at(each, "kind")) for _, each in mappings(documents)),
        **fields,
        **lines(body, place),
    )


def _names(image: str | Unknown, schematic: Any) -> bool:
    """Whether an image is that of a schematic, by the ID in its address."""
    if not isinstance(schematic, Map):
        return False
    from ....nodes import factory_ids  # imported here because few inputs name an image

    written = factory_ids.id_of_written(schematic)
    return written is not None and f"/{written}" in known_text(image)


def _texts(values: Iterable[Any]) -> tuple[str | Unknown, ...]:
    return tuple(each for each in values if isinstance(each, str | Unknown))


def extensions_of(image: str | Unknown, place: Place) -> Seq | None:
    """The extensions in an image, by its name or its address at the Image Factory: none for Talos' own images, those of
    the schematic for a known schematic ID. Else None."""
    from ....nodes import factory_ids  # imported here because few inputs name an image

    match = _ID.search(known_text(image))
    known = factory_ids.extensions_of(match[1]) if match else () if isinstance(image, str) and _PLAIN.match(image) else None
    return None if known is None else Seq(known, [place] * len(known))


_LIST: Path = ("customization", "systemExtensions", "officialExtensions")
_ARGUMENTS: Path = ("customization", "extraKernelArgs")
_OF_A_SCHEMATIC = {"customization", "overlay", "owner"}


def is_schematic(body: Mapping[str, Any]) -> bool:
    """Whether a document is a schematic of the Image Factory."""
    return "customization" in body and _OF_A_SCHEMATIC.issuperset(body)


def read_schematic(document: Document) -> NodeConfig:
    """The configuration of the nodes with this image. A schematic does not name its nodes."""
    place = document.place
    parts = chosen(document.value, (), place)
    return node_config(scope="patch", name=PurePath(place[0]).name, place=place, complete=False, schematic=document.value, **parts)


def chosen(body: Any, path: Path, place: Place) -> dict[str, Any]:
    """The extensions, their place, the kernel arguments and the whole of the schematic at a path of a document. An
    empty schematic has neither."""
    schematic = at(body, *path)
    if not isinstance(schematic, Map):
        return {"extensions": None}
    extensions = at(schematic, *_LIST)
    if extensions is not None and not isinstance(extensions, Seq):
        return {"extensions": None}
    arguments = at(schematic, *_ARGUMENTS)
    return {
        "extensions": extensions or Seq(),
        "extensions_place": place_of(body, path, place),
        "kernel_args": Seq() if arguments is None else arguments if isinstance(arguments, Seq) else None,
        "image_settings": Map({"schematic": schematic}, {"schematic": place_of(body, path, place)}),
    }
