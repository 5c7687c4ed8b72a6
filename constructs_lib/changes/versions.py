"""The versions that matter to the GPUs, by part and place: Talos, Kubernetes, driver, toolkit, charts, images."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ..arguments.patterns import pattern
from ..nodes.talos_version import TalosVersion
from ..observed.images.image_fields import WantedImage
from ..observed.images.wanted_images import wanted_images
from ..observed.model import ChartRelease, Inputs, NodeConfig, at, is_unknown
from ..observed.model.stated_versions import KUBERNETES as OF_KUBERNETES
from ..observed.model.stated_versions import TALOS as OF_TALOS
from ..observed.nodes.node_extensions import drivers
from ..observed.nodes.node_settings import gpu_node_configs, talos_of
from ..upstream.kubernetes.registries import split_reference
from ..upstream.nvidia.driver_branches import newest_cuda
from ..upstream.nvidia.gpu_resources import NVIDIA
from ..upstream.version import Version
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
    of_nodes = _of_nodes(inputs)
    if talos is not None and not any(each.part == DRIVER for each in of_nodes):
        for track in talos.release.drivers:
            of_nodes |= _of_image(f"{track} track", talos, track)
    found = found | of_nodes | _of_images(inputs)
    return {each._replace(where="" if each.where == file else each.where): version for each, version in found.items()}


def _stated(subject: str, inputs: Inputs) -> str:
    """The versions of files that do not agree about one, the newest first; empty where none states one."""
    stated = {each.version for each in inputs.stated_versions if each.subject == subject}
    newest_first = sorted(sorted(stated), key=lambda each: Version.parse(each) or Version(0, 0), reverse=True)
    return f"{', '.join(newest_first)} (the files disagree)" if stated else ""


def _of_nodes(inputs: Inputs) -> dict[Subject, str]:
    """The Talos of nodes with another one than the cluster, and what their images bring."""
    found: dict[Subject, str] = {}
    for nodes in inputs.nodes:
        name = nodes.name or ("" if len(inputs.nodes) == 1 else "nodes")
        found |= _of_image(name, nodes.talos_version, str(nodes.track))
    # The patches of described classes say the same as the classes.
    configs = [each for each in gpu_node_configs(inputs) if not (inputs.nodes and each.scope == "patch")]
    names = Counter(map(_name, configs))
    for config in configs:
        talos, name = talos_of(config, inputs), _name(config)
        name = f"{name}, {config.file}" if names[name] > 1 else name
        tracks = {str(each.track) for each in drivers(config) if each.track}
        if talos is None:
            continue
        found |= {Subject(TALOS, name): str(talos)} if talos != inputs.talos_version else {}
        found |= _of_image(name, talos, tracks.pop()) if len(tracks) == 1 else {}
    return found


def charts_of(sides: Sequence[Inputs]) -> list[dict[Subject, ChartRelease]]:
    """The releases of the charts of the GPU stack on each side, by chart, namespace and name. One that several clusters of a
    side have is that of its file."""
    named = [[(_key(each), each) for each in inputs.releases if each.known_chart is not None] for inputs in sides]
    return [{Subject(f"{CHART}{chart}", ", ".join(where)): each for (chart, *where), each in side} for side in told_apart(named)]


def _key(release: ChartRelease) -> Key:
    return f"{release.chart}", f"{release.name}" if release.namespace is None else f"{release.namespace}/{release.name}"


def without_version(label: str) -> str:
    """The label of a release without the version of its chart: a bump alone makes it no other release."""
    return _VERSION.sub("", label)


def _name(config: NodeConfig) -> str:
    return config.file if config.scope == "patch" or is_unknown(config.name) else config.label


def _of_image(name: str, talos: TalosVersion, track: str) -> dict[Subject, str]:
    """What the image of a node brings. The tables have the drivers of the newest patch; of another patch the branch is
    known."""
    release = talos.release
    driver = release.drivers.get(track)
    if not talos.is_known or driver is None:
        return {}
    branch = int(driver.partition(".")[0])
    is_newest = str(talos) == release.newest
    cuda = newest_cuda(branch)
    return {
        Subject(DRIVER, name): f"{driver if is_newest else branch} ({track})",
        **({Subject(CUDA, name): f"{cuda[0]}.{cuda[1]}"} if cuda else {}),
        **({Subject(TOOLKIT, name): release.toolkit} if release.toolkit and is_newest else {}),
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
