"""The plan of a rehearsal, which is said before it starts: nodes, objects, what is mocked, what is downloaded and built."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from . import discovery
from .classes import RehearsedNode
from .layout import Layout
from .manifest_images import Image
from .manifests import LeftOut, group_of, has_own_resources
from .node import NodeSpec
from .scene import Scene
from .sources import Source

_OF_EVERY_NODE = ("kubernetes", "etcd", "containerd", "runc", "oci-runtime", "cni", "nvml", "stand-in")
MOCKED = (
    "the cards, the driver and nvidia-smi: a library with NVML's functions answers, from a file that describes the cards",
    "Talos: its paths, containerd's configuration, labels and taints are made by hand; no kernel module is loaded",
    "nothing else of the machines: CPUs and memory are those of this machine, and a pod that requests more stays Pending",
    "storage: an empty folder of the node for each claim",
    "Services: there is no kube-proxy and no DNS, so no pod reaches another by a Service",
)


@dataclass(frozen=True)
class Plan:
    """What a rehearsal is going to do."""

    name: str
    nodes: tuple[RehearsedNode, ...]
    scene: Scene
    images: tuple[Image, ...]
    left_out: tuple[LeftOut, ...]
    unbuilt: tuple[Source, ...]
    """The programs that are not built yet where the rehearsal runs."""
    proxy: str
    """Where Go downloads modules from."""
    built_into: str
    """The place of the built programs."""
    other: NodeSpec | None = None
    """A node without cards, for the pods that do not tolerate the taints of all others."""

    @property
    def mocked(self) -> tuple[str, ...]:
        """Everything that is not what it is in the cluster."""
        remarks = (f"image {words}" for each in self.images for words in each.remarks)
        return (*MOCKED, *remarks, *self.scene.stand_ins, *(f"{each.name}: {words}" for each in self.nodes for words in each.assumed))

    def lines(self) -> Iterator[str]:
        """The plan for people."""
        yield f"Rehearsal of {self.name}"
        for each in self.nodes:
            yield f"  node {each.name}: Talos {each.talos}, {each.cards}"
        if self.other:
            yield f"  node {self.other.name}: Talos {self.other.talos}, no cards, for the pods that tolerate no taint of the others"
        yield f"  {len(self.scene.objects)} objects"
        if kinds := has_own_resources(each for each in self.scene.objects if group_of(each) != discovery.GROUP):
            yield f"  stored, and acted on by nobody: {', '.join(kinds)}"
        yield from _listed("Not rehearsed", [f"{each.what}: {each.why}" for each in self.left_out])
        yield from _listed("Mocked", self.mocked)
        if self.unbuilt:
            title = f"Downloaded from {self.proxy} through Go, checked by go.sum, and built into {self.built_into}"
            yield from _listed(title, self.downloads())
        else:
            yield f"Nothing is downloaded: the programs are in {self.built_into}"

    def downloads(self) -> list[str]:
        """The modules of each program that is not built yet, with their versions. The stand-in has none."""
        return [
            f"{each.name}: {_modules(each)}" + (", and the modules of its go.sum" * bool(each.module.versions)) for each in self.unbuilt
        ]


def needed(nodes: Sequence[RehearsedNode], images: Sequence[Image]) -> list[str]:
    """The programs of the nodes and of the images."""
    toolkits = [layout.toolkit for layout in (Layout.of(each.talos) for each in nodes) if layout.brings_toolkit]
    return list(dict.fromkeys([*_OF_EVERY_NODE, *toolkits, *(name for each in images for name in each.content.programs)]))


_IMPORT = re.compile(r'"([^"\s]+\.[^"\s]+/[^"\s]+)"')
"""The path of a package of another module, in quotes, in Go."""


def _modules(source: Source) -> str:
    """The modules whose programs are built, with their versions."""
    versions = source.module.versions
    packages = source.module.tools or [
        name for path in source.folder.glob("*.go") for name in _IMPORT.findall(path.read_text(encoding="utf-8"))
    ]
    found = {_module_of(each, versions) for each in packages} - {""}
    named = sorted(found or versions)
    return ", ".join(f"{name} {versions[name]}" for name in named)


def _module_of(package: str, modules: Iterable[str]) -> str:
    """The module that a package is in."""
    return max((each for each in modules if package == each or package.startswith(f"{each}/")), key=len, default="")


def _listed(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield f"{title}:"
        yield from (f"  - {each}" for each in lines)
