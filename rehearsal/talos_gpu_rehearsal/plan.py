"""The plan of a rehearsal, which is said before it starts: nodes, objects, what is mocked, what is downloaded and built."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .classes import RehearsedNode
from .manifests import LeftOut, has_own_resources, images
from .scene import Scene
from .sources import SOURCES, Source, cache

_OF_EVERY_NODE = ("kubernetes", "etcd", "containerd", "runc", "cni", "nvml", "stand-in")
MOCKED = (
    "the cards, the driver and nvidia-smi: a library with NVML's functions answers, from a file that describes the cards",
    "the programs of images other than NVIDIA's device plugin and feature discovery: a stand-in prints what its container sees",
    "Talos: its paths, containerd's configuration, labels and taints are made by hand; no kernel module is loaded",
    "storage: an empty folder of the node for each claim",
    "Services: there is no kube-proxy and no DNS, so no pod reaches another by a Service",
)


@dataclass(frozen=True)
class Plan:
    """What a rehearsal is going to do."""

    name: str
    nodes: tuple[RehearsedNode, ...]
    scene: Scene
    left_out: tuple[LeftOut, ...]
    unbuilt: tuple[Source, ...]
    """The programs that are not built yet on this machine."""

    @property
    def mocked(self) -> tuple[str, ...]:
        """Everything that is not what it is in the cluster."""
        return (*MOCKED, *self.scene.stand_ins, *(f"{each.name}: {words}" for each in self.nodes for words in each.assumed))

    def lines(self) -> Iterator[str]:
        """The plan for people."""
        yield f"Rehearsal of {self.name}"
        for each in self.nodes:
            yield f"  node {each.name}: Talos {each.talos}, {each.cards}"
        yield f"  {len(self.scene.objects)} objects, with the images {', '.join(images(self.scene.objects)) or 'of none'}"
        if kinds := has_own_resources(self.scene.objects):
            yield f"  stored, and acted on by nobody: {', '.join(kinds)}"
        yield from _listed("Not rehearsed", [f"{each.what}: {each.why}" for each in self.left_out])
        yield from _listed("Mocked", self.mocked)
        if self.unbuilt:
            yield from _listed(
                f"Downloaded from proxy.golang.org through Go, checked by go.sum, and built into {cache()}", self.downloads()
            )
        else:
            yield f"Nothing is downloaded: the programs are in {cache()}"

    def downloads(self) -> list[str]:
        """The modules of each program that is not built yet, with their versions."""
        return [f"{each.name}: {', '.join(_modules(each))}, and the modules in its go.sum" for each in self.unbuilt]


def needed(nodes: Sequence[RehearsedNode], wanted: Sequence[str]) -> list[str]:
    """The programs of the nodes and of the images, as far as they have a folder."""
    names = [*_OF_EVERY_NODE]
    for node in nodes:
        toolkit = node.nodes.talos_version.release.toolkit
        names.append("toolkit-1.18" if toolkit.startswith("1.18") else "toolkit")
    if any("k8s-device-plugin" in image for image in wanted):
        names += [_plugin(image) for image in wanted if "k8s-device-plugin" in image]
    return [name for name in dict.fromkeys(names) if name in SOURCES]


def _plugin(image: str) -> str:
    """The device plugin that stands for an image: of its minor, or the newest that can be built."""
    found = re.search(r":v?(0\.\d+)\.", image)
    name = f"device-plugin-{found[1]}" if found else ""
    return name if name in SOURCES else "device-plugin-0.19"


def _modules(source: Source) -> list[str]:
    """The modules whose programs are built, with their versions."""
    versions = source.module.versions
    packages = [
        *source.module.tools,
        *(name for path in source.folder.glob("*.go") for name in re.findall(r'"([^"\s]+\.[^"\s]+/[^"\s]+)"', path.read_text())),
    ]
    named = dict.fromkeys(_module_of(each, versions) for each in packages)
    return [f"{name} {versions[name]}" for name in named if name] or [f"{name} {version}" for name, version in list(versions.items())[:1]]


def _module_of(package: str, modules: Sequence[str] | dict[str, str] | object) -> str:
    """The module that a package is in."""
    known = [each for each in modules if package == each or package.startswith(f"{each}/")]  # type: ignore[attr-defined]
    return max(known, key=len, default="")


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from (f"  - {each}" for each in lines)
