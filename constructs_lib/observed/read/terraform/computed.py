"""The attributes that the provider siderolabs/talos computes, as far as they follow from the arguments."""

from __future__ import annotations

from typing import Any

from ....upstream.talos.extension_names import PREFIX, every_extension, extension_names, is_whole
from ....upstream.version import Version
from ....yaml.located import Map, Place, Seq, place_of
from ....yaml.unknown import Unknown, at, joined
from .instances import Instance
from .values import text_in

_HOST = "factory.talos.dev"
_INSTALLERS = {"installer": "installer", "installer_secureboot": "installer-secureboot"}


def computed(instance: Instance, wanted: str) -> Any:
    """The value of an attribute that is not an argument; None if it does not follow from the arguments."""
    kind = instance.block.labels[0]
    if instance.block.kind == "data" and kind == "talos_image_factory_extensions_versions" and wanted == "extensions_info":
        return _extensions(instance)
    if instance.block.kind == "data" and kind == "talos_image_factory_urls" and wanted == "urls":
        return _urls(instance)
    if kind in {"kubernetes_namespace", "kubernetes_namespace_v1"} and wanted == "id":
        return instance.module.tree.evaluator.value(name, instance.scope) if (name := _name(instance)) else None
    return None


def _name(instance: Instance) -> Any:
    return next((each.attributes.get("name") for each in instance.body.inner("metadata")), None)


def argument(instance: Instance, name: str) -> Any:
    """The value of an argument; None if it is not given."""
    expression = instance.body.attributes.get(name)
    return None if expression is None else instance.module.tree.evaluator.value(expression, instance.scope)


def _extensions(instance: Instance) -> Any:
    """The extensions whose names include one of the filters' names.

    Source: siderolabs/terraform-provider-talos pkg/talos/talos_image_factory_extensions_versions_data_source.go at 09b0436
    (2026-11-24)
    """
    version = argument(instance, "talos_version")
    talos = Version.parse(version) if isinstance(version, str) else None
    found: list[tuple[Any, Place]] = []
    for name, is_exact in (("exact_filters", True), ("filters", False)):
        filters = argument(instance, name)
        names = at(filters, "names")
        if filters is not None and not isinstance(names, Seq):
            return Unknown(f"${{{instance.address}.extensions_info}}")
        for index, each in enumerate(names or ()):
            place = place_of(filters, ("names", index), instance.block.place)
            found += [(name, place) for name in ([each] if is_exact else _matching(each, talos))]
    items = [Map({"name": name}, {"name": place}) for name, place in found]
    return Seq(items, [place for _, place in found])


def _matching(filtered: Any, talos: Version | None) -> list[Any]:
    """The extensions whose names include a text. A text that is no whole name is unknown where the table of names is
    not."""
    if not isinstance(filtered, str):
        return [Unknown(f"{filtered}")]
    known = sorted(extension_names(talos.minor) if talos else every_extension())
    matching = [name for each in known if filtered in (name := f"{PREFIX}{each}")]
    is_name = PREFIX + filtered.removeprefix(PREFIX) in matching
    return matching if is_name or (talos and is_whole(talos)) else [Unknown(f"${{{filtered}}}")]


def _urls(instance: Instance) -> Any:
    """The addresses of the installer images.

    Source: siderolabs/terraform-provider-talos pkg/talos/talos_image_factory_urls_data_source.go at 09b0436 (2026-11-24)
    """
    schematic, version = (argument(instance, name) for name in ("schematic_id", "talos_version"))
    platform = text_in(argument(instance, "platform")) or "metal"
    tag = f"v{version.removeprefix('v')}" if isinstance(version, str) else version
    written = {name: joined(f"{_HOST}/", platform, f"-{path}/", schematic, ":", tag) for name, path in _INSTALLERS.items()}
    return Map(written, dict.fromkeys(written, instance.block.place))
