"""Every image that the inputs name, with who wants it, and the places whose images are not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...nodes.factory_ids import id_of_written
from ...nodes.talos_version import TalosVersion
from ...upstream.talos.installer_images import installer_image
from ..model import Inputs, KubernetesObject, NodeConfig, Path, at, known_str, question, search
from .image_fields import ImageAnswer, ImageField, UnreadImages, WantedImage, answer_of, image_fields
from .release_images import release_images


@question
def wanted_images(inputs: Inputs) -> tuple[ImageAnswer, ...]:
    """The images of objects, charts and nodes, in the order of their names, and after them what is not known."""
    answers = [each for item in inputs.objects if has_images(item) for each in _of_object(item)]
    answers += [each for release in inputs.releases for each in release_images(release, inputs)]
    answers += talos_images(inputs)
    wanted = sorted((each for each in answers if isinstance(each, WantedImage)), key=lambda each: (f"{each.image}", each.wanted_by))
    return (*wanted, *(each for each in answers if isinstance(each, UnreadImages)))


# What installs a chart is read as a release, and these groups name images that no node pulls.
_CHART_KINDS = ("HelmRelease", "Application", "ApplicationSet", "AppProject")
_WITHOUT_PODS = r"(^|\.)(toolkit\.fluxcd\.io|helm\.cattle\.io|apiextensions\.k8s\.io|kyverno\.io|policies\.kyverno\.io)/"
_NO_SPEC = ("apiVersion", "kind", "metadata", "status")


def has_images(item: KubernetesObject) -> bool:
    """Whether nodes pull the images that an object names. They pull none of a chart's release, a policy, a CRD or a
    source of Flux."""
    return item.kind not in _CHART_KINDS and search(_WITHOUT_PODS, item.api_version).is_no


def object_images(item: KubernetesObject) -> Iterator[ImageField]:
    """The images of an object."""
    for key in item.body:
        if isinstance(key, str) and key not in _NO_SPEC:
            yield from image_fields(item.at(key), (key,))


def _of_object(item: KubernetesObject) -> Iterator[ImageAnswer]:
    for found in object_images(item):
        yield answer_of(found.image, item, _part(item, found.path), found.path)


def _part(item: KubernetesObject, path: Path) -> str:
    """The container of an image, or else the path without the key that every image has."""
    for length in range(len(path) - 1, 1, -1):
        name = known_str(at(item.at(*path[:length]), "name"))
        if name and isinstance(path[length - 1], int):
            return f"{'volume' if path[length - 2] == 'volumes' else 'container'} {name}"
    return ".".join(map(str, path[1:] if path[0] == "spec" else path)).removesuffix(".image")


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
