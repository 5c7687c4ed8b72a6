"""The Talos and Kubernetes versions of the inputs: those of the user, else those that the inputs agree about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from ..._arguments.errors import wrong
from ..._arguments.plain_values import instance
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion
from ..model import KubernetesObject, NodeConfig, known_str, starts_with

# A variable of a shell, Make, YAML or Terraform, or the default of a variable of Terraform.
_LINE = re.compile(
    r"""^[ \t]*(?:(?:export[ ]|override[ ])?["']?|variable[ \t]+")(TALOS|KUBERNETES)_VERSION["']?
    [ \t]*(?:\?=|:{0,3}=|:|\{[^{}]*?\bdefault[ \t]*=)[ \t]*["']?(v?\d+\.\d+[\w.-]*)""",
    re.MULTILINE | re.IGNORECASE | re.VERBOSE,
)

_Version = TypeVar("_Version", TalosVersion, str)
Versions = Iterable[tuple[str, Any]]
"""Versions as they are written, each with "talos" or "kubernetes"."""


def in_text(text: str) -> Iterator[tuple[str, str]]:
    """The versions in a file such as `versions.env`, a Makefile or a file of Terraform."""
    yield from ((match[1].lower(), match[2]) for match in _LINE.finditer(text))


def in_objects(objects: Iterable[KubernetesObject]) -> Iterator[tuple[str, Any]]:
    """The versions in tuppr's upgrades, in plans of the system upgrade controller, and in Flux's substitutions."""
    for each in objects:
        if each.kind == "TalosUpgrade":
            yield "talos", each.at("spec", "talos", "version")
        elif each.kind == "KubernetesUpgrade":
            yield "kubernetes", each.at("spec", "kubernetes", "version")
        elif each.kind == "Plan" and starts_with(each.api_version, "upgrade.cattle.io/").is_yes:
            if (name := known_str(each.name)) in ("talos", "kubernetes"):
                yield name, each.at("spec", "version")
        elif each.kind == "Kustomization":
            for what in ("talos", "kubernetes"):
                yield what, each.at("spec", "postBuild", "substitute", f"{what.upper()}_VERSION")


def with_weak(sources: Versions, weak: Versions, configs: Iterable[NodeConfig]) -> list[tuple[str, Any]]:
    """The sources, and the weak ones for a version that neither another source nor a node configuration has: a default of Terraform may be old."""
    known = {what for what, version in sources if known_str(version) is not None}
    known |= {what for each in configs for what in ("talos", "kubernetes") if known_str(getattr(each, f"{what}_version")) is not None}
    return [*sources, *(each for each in weak if each[0] not in known)]


def talos_version(nodes: Sequence[GpuNodes], configs: Iterable[NodeConfig], sources: Versions) -> TalosVersion | None:
    """The Talos version of the described nodes, else that of node configurations and other sources. None if their minor versions differ."""
    described = {each.talos_version for each in nodes}
    read = _known(each.talos_version for each in configs), _known(version for what, version in sources if what == "talos")
    for stated in ((described,), read):
        agreed = _agreed([{parsed for each in group if each is not None and (parsed := _talos(each))} for group in stated], _minor_of)
        if agreed:
            return agreed.pop() if len(agreed) == 1 else TalosVersion(agreed.pop().minor)
    return None


def kubernetes_version(configs: Iterable[NodeConfig], sources: Versions) -> str | None:
    """The Kubernetes version of node configurations and other sources: `1.35.2`, or `1.35` if they differ in the patch version."""
    stated = (
        _known(each.kubernetes_version for each in configs),
        _known(version for what, version in sources if what == "kubernetes"),
    )
    agreed = _agreed([{plain_version(each) for each in group} - {""} for group in stated], _minor_in)
    if not agreed:
        return None
    return agreed.pop() if len(agreed) == 1 else _minor_in(agreed.pop())


def _agreed(groups: Iterable[set[_Version]], minor: Callable[[_Version], object]) -> set[_Version]:
    """The first group with a single minor version. Empty if such groups differ, as for an outdated file."""
    agreeing = [group for group in groups if len({minor(each) for each in group}) == 1]
    return agreeing[0] if len({minor(each) for group in agreeing for each in group}) == 1 else set()


def _minor_of(version: TalosVersion) -> int:
    return version.minor


def _minor_in(version: str) -> str:
    return ".".join(version.split(".")[:2])


def user_version(kubernetes: str) -> str:
    """The user's Kubernetes version, without its `v`."""
    rule = "a Kubernetes version such as '1.35'"
    version = plain_version(instance("kubernetes_version", kubernetes, str, rule))
    if not version:
        raise wrong("kubernetes_version", rule, kubernetes)
    return version


def plain_version(written: str) -> str:
    """The Kubernetes version without its `v`. Empty for another text."""
    return match[1] if (match := re.match(r"v?(1\.\d+(?:\.\d+)?)", written.strip())) else ""


def _known(versions: Iterable[Any]) -> set[str]:
    return {text for each in versions if (text := known_str(each)) is not None}


def _talos(written: object) -> TalosVersion | None:
    try:
        return TalosVersion.parse("talos", written)
    except (TypeError, ValueError):
        return None
