"""Talos' configuration of registry mirrors: the nodes pull every image of a registry from its copy, and no manifest changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._arguments.block_yaml import block
from .._arguments.errors import wrong
from .._arguments.registry_map import RegistryMap
from ..nodes.talos_version import TalosVersion
from ..upstream.registries import MIRROR_DOCUMENTS, MIRROR_KIND


def registry_mirrors(registries: RegistryMap, talos: TalosVersion) -> str:
    """The patch of the machine configuration, as YAML, in the form of a Talos version.

    A registry without its copy is refused by containerd, as `skipFallback` says. Talos has mirrors for registries alone: a mapping with a
    repository is refused. So are two registries with one target, where images of the same path would be one image.
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
    mirrors = {name: _mirror(target) for name, target in registries.targets.items() if name != target}
    if talos.minor in MIRROR_DOCUMENTS:
        documents: Iterable[Mapping[str, Any]] = (
            {"apiVersion": "v1alpha1", "kind": MIRROR_KIND, "name": name, "endpoints": [endpoint], "skipFallback": True}
            for name, endpoint in mirrors.items()
        )
    else:
        fields = {
            name: {"endpoints": [endpoint["url"]], **({"overridePath": True} if "overridePath" in endpoint else {}), "skipFallback": True}
            for name, endpoint in mirrors.items()
        }
        documents = [{"machine": {"registries": {"mirrors": fields}}}] if fields else []
    return "---\n".join("\n".join(block(document)) + "\n" for document in documents)


def _mirror(target: str) -> dict[str, Any]:
    """The endpoint of a copy. In a folder the API is at /v2/FOLDER, which the node takes as it is."""
    host, _, folder = target.partition("/")
    return {"url": f"https://{host}/v2/{folder}", "overridePath": True} if folder else {"url": f"https://{host}"}
