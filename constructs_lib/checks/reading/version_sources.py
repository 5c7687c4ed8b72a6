"""Which Talos and which Kubernetes the inputs are for: what was said, else what they agree about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...nodes import GpuNodes
from ...talos_version import TalosVersion
from ..read import KubernetesObject, NodeConfig, Unknown

_LINE = re.compile(
    r"""^[ \t]*(?:export )?(TALOS|KUBERNETES)_VERSION[ \t]*[=:][ \t]*["']?(v?\d+\.\d+[\w.-]*)""", re.MULTILINE | re.IGNORECASE
)

Versions = Iterable[tuple[str, str]]
"""What versions are of, "talos" or "kubernetes", and as they are written."""


def in_text(text: str) -> Iterator[tuple[str, str]]:
    """The versions that a file such as `versions.env` sets."""
    yield from ((found[1].lower(), found[2]) for found in _LINE.finditer(text))


def in_objects(objects: Iterable[KubernetesObject]) -> Iterator[tuple[str, str]]:
    """The versions that tuppr, or a plan of the system upgrade controller, brings the nodes to, or that Flux fills in for them."""
    for each in objects:
        if each.kind == "TalosUpgrade":
            yield "talos", each.at("spec", "talos", "version")
        elif each.kind == "KubernetesUpgrade":
            yield "kubernetes", each.at("spec", "kubernetes", "version")
        elif each.kind == "Plan" and each.api_version.startswith("upgrade.cattle.io/") and each.name in ("talos", "kubernetes"):
            yield each.name, each.at("spec", "version")
        elif each.kind == "Kustomization":
            for what in ("talos", "kubernetes"):
                yield what, each.at("spec", "postBuild", "substitute", f"{what.upper()}_VERSION")


def talos_version(nodes: Sequence[GpuNodes], configs: Iterable[NodeConfig], sources: Versions) -> TalosVersion | None:
    """The Talos of the described nodes, else of the node configurations, else of the other sources; where they agree about the minor."""
    described = {each.talos_version for each in nodes}
    for stated in (described, {each.talos_version for each in configs}, {found for what, found in sources if what == "talos"}):
        known = {parsed for each in stated if each is not None and (parsed := _talos(each))}
        minors = {each.minor for each in known}
        if len(minors) == 1:
            return known.pop() if len(known) == 1 else TalosVersion(minors.pop())
    return None


def kubernetes_version(configs: Iterable[NodeConfig], sources: Versions) -> str | None:
    """Likewise the Kubernetes version, as `1.35.2`, or `1.35` where they differ in the patch."""
    for stated in ({each.kubernetes_version for each in configs}, {found for what, found in sources if what == "kubernetes"}):
        known = {plain_version(each) for each in stated if isinstance(each, str) and not isinstance(each, Unknown)} - {""}
        minors = {".".join(each.split(".")[:2]) for each in known}
        if len(minors) == 1:
            return known.pop() if len(known) == 1 else minors.pop()
    return None


def plain_version(written: str) -> str:
    """A Kubernetes version without its `v`; nothing of what is none."""
    return found[1] if (found := re.match(r"v?(1\.\d+(?:\.\d+)?)", written.strip())) else ""


def _talos(written: object) -> TalosVersion | None:
    if isinstance(written, Unknown):
        return None
    try:
        return TalosVersion.parse("talos", written)
    except (TypeError, ValueError):
        return None
