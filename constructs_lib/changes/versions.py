"""The versions that matter to the GPUs, by part and place: Talos, Kubernetes, driver, toolkit, charts, images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..arguments.patterns import pattern
from ..observed.agents.gpu_parts import names_nvidia
from ..observed.images.image_fields import WantedImage
from ..observed.images.wanted_images import wanted_images
from ..observed.model import ChartRelease, Inputs, at, is_unknown
from ..observed.model.stated_versions import KUBERNETES as OF_KUBERNETES
from ..observed.model.stated_versions import TALOS as OF_TALOS
from ..upstream.kubernetes.registries import split_reference
from ..upstream.nvidia.driver_branches import newest_cuda
from ..upstream.nvidia.gpu_resources import NVIDIA
from ..upstream.version import Version
from .node_drivers import NodeDriver, node_drivers
from .told_apart import Key, told_apart

CHART, NONE = "chart ", "none"
"""The beginning of a chart's name as a subject, and the version of a chart that is not there."""
_VERSION = pattern(r" v?\d[\w.+-]*(?= \()")
TALOS, KUBERNETES, DRIVER, CUDA, TOOLKIT = "Talos", "Kubernetes", "NVIDIA driver", "newest CUDA", "container toolkit"


class Subject(NamedTuple):
    """A part with a version, and where: a node, a release, an image. Empty for the whole cluster."""

    part: str
    where: str = ""

    def __str__(self) -> str:
        return f"{self.part} ({self.where})" if self.where else self.part


def versions(inputs: Inputs, file: str = "") -> dict[Subject, str]:
    """The versions that were read. `file` is the name of a side that is a single file."""
    talos, kubernetes = inputs.talos_version, inputs.kubernetes_version
    found: dict[Subject, str] = {}
    for part, subject, version in ((TALOS, OF_TALOS, talos), (KUBERNETES, OF_KUBERNETES, kubernetes)):
        read = _stated(subject, inputs) if version is None else f"{version}"
        found |= {Subject(part): read} if read else {}
    for each in node_drivers(inputs, file):
        found |= {Subject(TALOS, each.where): f"{each.talos}"} if each.talos != talos else {}
        found |= _of_driver(each)
    found |= _of_images(inputs)
    return {each._replace(where="" if each.where == file else each.where): version for each, version in found.items()}


def _stated(subject: str, inputs: Inputs) -> str:
    """The versions of files that do not agree about one, the newest first; empty where none states one."""
    stated = {each.version for each in inputs.stated_versions if each.subject == subject}
    newest_first = sorted(sorted(stated), key=lambda each: Version.parse(each) or Version(0, 0), reverse=True)
    return f"{', '.join(newest_first)} (the files disagree)" if stated else ""


def charts_of(sides: Sequence[Inputs], *, of_gpus: bool = False) -> list[dict[Subject, ChartRelease]]:
    """The releases of the charts of the GPU stack on each side, by chart, namespace and name; `of_gpus` are also those whose values name
    NVIDIA. One that several clusters of a side have is that of its file."""
    named = [
        [(_key(each), each) for each in inputs.releases if each.known_chart is not None or (of_gpus and names_nvidia(each.given))]
        for inputs in sides
    ]
    return [{Subject(f"{CHART}{chart}", ", ".join(where)): each for (chart, *where), each in side} for side in told_apart(named)]


def _key(release: ChartRelease) -> Key:
    return f"{release.chart}", f"{release.name}" if release.namespace is None else f"{release.namespace}/{release.name}"


def without_version(label: str) -> str:
    """The label of a release without the version of its chart: a bump alone makes it no other release."""
    return _VERSION.sub("", label)


def _of_driver(driver: NodeDriver) -> dict[Subject, str]:
    """What the image of a node brings, as far as the tables know the driver."""
    if not driver.version:
        return {}
    cuda, release = newest_cuda(driver.branch), driver.talos.release
    is_newest = str(driver.talos) == release.newest
    return {
        Subject(DRIVER, driver.where): f"{driver.version} ({driver.track})",
        **({Subject(CUDA, driver.where): f"{cuda[0]}.{cuda[1]}"} if cuda else {}),
        **({Subject(TOOLKIT, driver.where): release.toolkit} if release.toolkit and is_newest else {}),
    }


def _of_images(inputs: Inputs) -> dict[Subject, str]:
    """The tags of the images of GPU programs, by name: one that several tags have in the same files is none."""
    tags: dict[Subject, set[str]] = {}
    for each in wanted_images(inputs):
        if not isinstance(each, WantedImage) or is_unknown(each.image):
            continue
        reference = split_reference(f"{each.image}")
        subject = Subject(f"image {reference.repository}", without_version(each.wanted_by).replace("(values ", "("))
        tag = reference.tag or "latest"
        if _is_written(each, tag) and (NVIDIA.search(reference.repository) or NVIDIA.search(each.wanted_by)):
            tags.setdefault(subject, set()).add(tag)
    return {subject: next(iter(found)) for subject, found in tags.items() if len(found) == 1}


def _is_written(image: WantedImage, tag: str) -> bool:
    """Whether the files write the tag. The other images of a chart come with its version."""
    release = image.about
    if not isinstance(release, ChartRelease):
        return True
    named = at(release.given, *image.path[len(release.values_path) :]) if image.path else None
    return any(f"{each}".endswith(tag) for each in (named.values() if isinstance(named, Mapping) else (named,)))
