"""Every image that the inputs name, with who wants it, and the places whose images are not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ...arguments.commands import command
from ...nodes.factory_ids import id_of_written
from ...upstream.charts import DCGM_EXPORTER, DEVICE_PLUGIN, GPU_OPERATOR, NODE_FEATURE_DISCOVERY, Chart
from ...upstream.charts.chart_releases import DRIVER_OPERANDS, EXPORTER_IMAGE, EXPORTER_TAGS, IMAGE_PATTERNS, NEVER_PULLED
from ...upstream.kubernetes.registries import split_reference
from ...upstream.talos.installer_images import installer_image
from ...upstream.version import Version
from ..agents.operators import operators, version_of
from ..model import ChartRelease, Inputs, KubernetesObject, NodeConfig, Path, Unknown, at, is_given, joined, known_str, question, search
from ..nodes.node_settings import names_image
from .image_fields import ImageAnswer, ImageField, UnreadImages, WantedImage, answer_of, image_fields


class ChartImage(NamedTuple):
    """An image that a chart of a known version brings, at the keys of the values that name it."""

    path: tuple[str, ...]
    repository: Any
    image: Any
    """The last part of the name, where the chart has a key of its own for it; None elsewhere."""
    tag: Any

    @property
    def reference(self) -> str | Unknown:
        """The whole reference, as the chart writes it."""
        mark = "@" if (known_str(self.tag) or "").startswith("sha256:") else ":"
        name = [self.repository] if self.image is None else [self.repository, "/", self.image]
        return joined(*name, mark, self.tag)


def release_images(release: ChartRelease, inputs: Inputs) -> Iterator[ImageAnswer]:
    """The images of a release, and what is not known of them."""
    known = chart_images(release, inputs)
    if known is None:
        for found in image_fields(release.values):
            if found.has_tag and (found.keys or not isinstance(found.image, str) or any(mark in found.image for mark in ":@")):
                yield answer_of(found.image, release, f"values {'.'.join(map(str, found.path))}", (*release.values_path, *found.path))
        yield UnreadImages(release, (), _reason(release))
        return
    for each in known:
        if each.path and each.path[0] in DRIVER_OPERANDS and len(each.path) == 1:
            reason = f"the operator adds the operating system of the node to the tag of {each.path[0]}"
            yield UnreadImages(release, release.values_path, reason)
            continue
        part = ".".join(each.path) or "the chart"
        yield answer_of(each.reference, release, part, _place(release, each.path))
    if not release.complete:
        yield UnreadImages(release, (), f"values from a source that was not read may name other images; {_hint(release)}")


def chart_images(release: ChartRelease, inputs: Inputs) -> list[ChartImage] | None:
    """The images of a known chart at a known version, with the values. None for any other."""
    chart, version = release.known_chart, version_of(release.version)
    if chart is None or version is None:
        return None
    if chart is GPU_OPERATOR:
        return _operands(release, version, inputs)
    images = [_single(release, chart, version, ())]
    if chart is DEVICE_PLUGIN and release.reading.is_read("nfd").is_yes:
        images.append(_subchart(release, chart, version, "nfd"))
    return None if None in images else [each for each in images if each is not None]


def _operands(release: ChartRelease, version: Version, inputs: Inputs) -> list[ChartImage] | None:
    operator = next((each for each in operators(inputs) if each.about is release), None)
    images = GPU_OPERATOR.table.images_of(version) if GPU_OPERATOR.knows(version) else {}
    if operator is None or not images:
        return None
    found = []
    for key, image in images.items():
        path = tuple(key.split("."))
        if key not in NEVER_PULLED and not release.reading.is_read(*path, "image").is_no:
            reference = split_reference(image)
            repository, name, tag = reference.repository.removesuffix(f"/{reference.name}"), reference.name, reference.tag
            written = [at(release.values, *path, part) for part in ("repository", "image", "version")]
            own = [ours if is_given(ours) else default for ours, default in zip(written, (repository, name, tag), strict=True)]
            found.append(ChartImage(path, *own))
    if not release.reading.is_read(NODE_FEATURE_DISCOVERY.name).is_no:
        subchart = _subchart(release, GPU_OPERATOR, version, NODE_FEATURE_DISCOVERY.name)
        if subchart is None:
            return None
        found.append(subchart)
    return found


def _subchart(release: ChartRelease, chart: Chart, version: Version, key: str) -> ChartImage | None:
    inner = chart.table.subchart_version(key, version)
    return None if inner is None else _single(release, NODE_FEATURE_DISCOVERY, inner, (key,))


def _single(release: ChartRelease, chart: Chart, version: Version, path: tuple[str, ...]) -> ChartImage | None:
    """The one image of a chart."""
    numbered = chart.numbered_as(version)
    default = EXPORTER_IMAGE.format(tag=EXPORTER_TAGS.get(f"{version}", "")) if chart is DCGM_EXPORTER else ""
    if numbered.name in IMAGE_PATTERNS and numbered.knows(version):
        default = IMAGE_PATTERNS[numbered.name].format(version=version)
    repository, tag = split_reference(default).repository, split_reference(default).tag
    values = at(release.values, *path, "image")
    own = [
        ours if is_given(ours) else fallback
        for ours, fallback in zip((at(values, "repository"), at(values, "tag")), (repository, tag), strict=True)
    ]
    digest = at(values, "digest")
    return ChartImage((*path, "image"), own[0], None, digest if is_given(digest) else own[1]) if all(map(is_given, own)) else None


def _place(release: ChartRelease, path: tuple[str, ...]) -> Path:
    """The path of the key in the values, or the nearest one above it that is written."""
    length = next((length for length in range(len(path), 0, -1) if isinstance(at(release.values, *path[:length]), Mapping)), 0)
    return (*release.values_path, *path[:length]) if length else ()


def _reason(release: ChartRelease) -> str:
    if release.is_newer_than_known:
        return f"this version of the chart is newer than the tables of images; {_hint(release)}"
    return f"the values do not show the other images of the chart; {_hint(release)}"


def _hint(release: ChartRelease) -> str:
    if release.version is None:
        return str(command("helm template {name} {chart} --values VALUES | talos-gpu images -", name=release.name, chart=release.chart))
    template = "helm template {name} {chart} --version {version} --values VALUES | talos-gpu images -"
    return str(command(template, name=release.name, chart=release.chart, version=release.version))


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
            yield from _installer(inputs, config, schematic)


def _installer(inputs: Inputs, config: NodeConfig, schematic: Mapping[str, object]) -> Iterator[ImageAnswer]:
    """The installer of a schematic, unless a machine configuration names an image of that schematic."""
    schematic_id = id_of_written(schematic)
    path, talos = ("schematic",), inputs.talos_version
    if schematic_id is None:
        yield UnreadImages(
            config, path, "the ID of this schematic is not known without the Image Factory; give the machine configuration too"
        )
    elif names_image(inputs, schematic_id):
        return
    elif talos is None or talos.patch is None:
        example = f"1.{talos.minor}.0" if talos else "1.14.0"
        reason = f"the tag of the installer of schematic {schematic_id} is the Talos version, which is not known; give --talos {example}"
        yield UnreadImages(config, path, reason)
    else:
        yield answer_of(installer_image(schematic_id, f"{talos}", talos.minor), config, "installer for metal", path)
