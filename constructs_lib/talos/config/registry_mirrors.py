"""Talos' registry mirrors: nodes pull every image of a registry from its copy, and no manifest changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ...arguments.errors import wrong
from ...manifests.registry_map import RegistryMap
from ...nodes.talos_version import TalosVersion
from ...upstream.kubernetes.registries import MIRROR_DOCUMENTS, MIRROR_KIND
from ...yaml.block import block


class CatchAllMirror(NamedTuple):
    """The mirror `*` of a machine configuration: endpoints, each with whether its path is taken as it is."""

    endpoints: tuple[tuple[str, bool], ...]
    skip_fallback: bool


def registry_mirrors(registries: RegistryMap, talos: TalosVersion, catch_all: CatchAllMirror | None = None) -> str:
    """The patch of the machine configuration, as YAML, in the form of a Talos version.

    No mirror has `skipFallback` of its own: the copies are of the images of the GPU stack, and the registry has others.
    Kubernetes' own images are in registry.k8s.io beside node feature discovery, and a node without them starts no
    control plane. Talos asks the mirror `*` only for the registries that have no mirror of their own, so a `*` that the
    nodes have stands behind each copy, with its `skipFallback`. Talos has mirrors for registries alone: a mapping with
    a repository is refused. So are two registries with one target, where images of the same path would be one image.
    """
    folders = [name for name in registries.targets if "/" in name]
    if folders:
        hint = f"Talos mirrors whole registries; give the registry of {', '.join(folders)}, or change the images of the manifests"
        raise wrong(registries.argument, "a mapping of registries alone", dict(registries.targets), hint)
    by_target: dict[str, str] = {}
    for name, target in registries.targets.items():
        other = by_target.setdefault(target, name)
        if other != name:
            hint = f"{other} and {name} both have {target}, where nodes would take the images of one for those of the other"
            raise wrong(registries.argument, "a mapping with one target for each registry", dict(registries.targets), hint)
    further = catch_all.endpoints if catch_all else ()
    fallback = {"skipFallback": True} if catch_all and catch_all.skip_fallback else {}
    mirrors = {name: (_endpoint(target), *further) for name, target in registries.targets.items() if name != target}
    if talos.minor in MIRROR_DOCUMENTS:
        documents: Iterable[Mapping[str, Any]] = (
            {
                "apiVersion": "v1alpha1",
                "kind": MIRROR_KIND,
                "name": name,
                "endpoints": [{"url": url, **({"overridePath": True} if is_whole else {})} for url, is_whole in endpoints],
                **fallback,
            }
            for name, endpoints in mirrors.items()
        )
    else:
        fields = {name: {**_older(endpoints), **fallback} for name, endpoints in mirrors.items()}
        documents = [{"machine": {"registries": {"mirrors": fields}}}] if fields else []
    return "---\n".join("\n".join(block(document)) + "\n" for document in documents)


def _endpoint(target: str) -> tuple[str, bool]:
    """The endpoint of a copy. In a folder the API is at /v2/FOLDER, which the node takes as it is."""
    host, _, folder = target.partition("/")
    return (f"https://{host}/v2/{folder}", True) if folder else (f"https://{host}", False)


def _older(endpoints: Iterable[tuple[str, bool]]) -> dict[str, Any]:
    """The endpoints with one `overridePath` for all: with it the others get the /v2 that the node would add."""
    pairs = [*endpoints]
    if not any(is_whole for _, is_whole in pairs):
        return {"endpoints": [url for url, _ in pairs]}
    whole = [url if is_whole or url.rstrip("/").endswith("/v2") else f"{url.rstrip('/')}/v2" for url, is_whole in pairs]
    return {"endpoints": whole, "overridePath": True}
