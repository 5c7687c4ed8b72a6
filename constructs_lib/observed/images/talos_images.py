"""The images that Talos pulls: the installer, and the images in machine configurations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...nodes.talos_version import TalosVersion
from ...upstream.talos.factory_ids import id_of_written
from ...upstream.talos.installer_images import installer_image
from ..model import Inputs, NodeConfig
from .image_fields import image_fields
from .wanted_images import ImageAnswer, UnreadImages, answer_of


def talos_images(inputs: Inputs) -> Iterator[ImageAnswer]:
    """The images of node configurations, and the installer of each schematic that stands alone."""
    named = {f"{each.image}" for each in inputs.node_configs if each.image is not None}
    for config in inputs.node_configs:
        places = set()
        for found in image_fields(config.at("documents"), ("documents",)):
            places.add(found.path)
            part = "installer" if found.path == config.paths.get("image") else ".".join(map(str, found.path[2:])).removesuffix(".image")
            yield answer_of(found.image, config, part, found.path)
        if config.image is not None and config.paths.get("image") not in places:
            yield answer_of(config.image, config, "installer", config.paths.get("image", ()))
        schematic = config.at("schematic")
        if isinstance(schematic, Mapping):
            yield from _installer(config, schematic, inputs.talos_version, named)


def _installer(config: NodeConfig, schematic: Mapping[str, object], talos: TalosVersion | None, named: set[str]) -> Iterator[ImageAnswer]:
    """The installer of a schematic, unless a machine configuration names an image of that schematic."""
    schematic_id = id_of_written(schematic)
    path = ("schematic",)
    if schematic_id is None:
        yield UnreadImages(
            config, path, "the ID of this schematic is not known without the Image Factory; give the machine configuration too"
        )
    elif any(schematic_id in image for image in named):
        return
    elif talos is None or talos.patch is None:
        example = f"1.{talos.minor}.0" if talos else "1.14.0"
        reason = f"the tag of the installer of schematic {schematic_id} is the Talos version, which is not known; give --talos {example}"
        yield UnreadImages(config, path, reason)
    else:
        yield answer_of(installer_image(schematic_id, f"{talos}", talos.minor), config, "installer for metal", path)
