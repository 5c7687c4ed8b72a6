"""The places that state a version of Talos or Kubernetes: the user's arguments, node configurations, upgrades and
variables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ...arguments.errors import warn, wrong
from ...arguments.patterns import pattern
from ...arguments.plain_values import instance
from ...nodes.talos_version import TalosVersion, is_too_old, newer_than_tables
from ..model import KubernetesObject, NodeConfig, Path, Read, known_str, starts_with
from ..model.stated_versions import KUBERNETES, OLD_TALOS, SUBJECTS, TALOS, Origin, StatedVersion, agreed

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ...nodes.gpu_nodes import GpuNodes

# A variable of a shell, Make, YAML or Terraform, or the default of a variable of Terraform.
_LINE = pattern(
    r"""^[ \t]*(?:(?:export[ ]|override[ ])?["']?|variable[ \t]+")(TALOS|KUBERNETES)_VERSION["']?
    [ \t]*(?:\?=|:{0,3}=|:|\{[^{}]*?\bdefault[ \t]*=)[ \t]*["']?(v?\d+\.\d+[\w.-]*)""",
    re.MULTILINE | re.IGNORECASE | re.VERBOSE,
)

# The line of an installer image: `talos-gpu synth` writes the image into a file.
_INSTALLER = pattern(r"\S+installer(?:/[0-9a-f]{64})?:(v\d+\.\d+\.\d+[\w.-]*)\s*")

# A version below the comment by which Renovate finds its newer ones: https://docs.renovatebot.com/modules/manager/regex/
_WATCHED = pattern(
    r"renovate:[^\n]*\b(?:depName|packageName)=(?:\S*/)?siderolabs/(talos|installer|kubelet)(?=[\s,;]|$)[^\n]*\n[^\n]*?[:=][ \t]*[\"']?(v?\d+\.\d+\.\d+[\w.-]*)",
    re.MULTILINE,
)


def in_arguments(talos: TalosVersion | None, kubernetes: str | None, nodes: Sequence[GpuNodes]) -> Iterator[StatedVersion]:
    """The versions of the user: the arguments, and those of the described nodes."""
    if talos is not None:
        yield StatedVersion(subject=TALOS, version=str(talos), origin=Origin.ARGUMENT, file="--talos")
    if kubernetes is not None:
        yield StatedVersion(subject=KUBERNETES, version=kubernetes, origin=Origin.ARGUMENT, file="--kubernetes")
    for each in nodes:
        yield StatedVersion(subject=TALOS, version=str(each.talos_version), origin=Origin.NODES, file="the described nodes")


def in_text(text: str, file: str) -> Iterator[StatedVersion]:
    """The versions in a file of variables, such as `versions.env`, a Makefile or a file of Terraform, and that of an
    installer image which is all of a file."""
    if image := _INSTALLER.fullmatch(text):
        yield from _stated(TALOS, image[1], Origin.CONFIGURATION, (file, 1))
    for match in _LINE.finditer(text):
        yield from _stated(match[1].lower(), match[2], Origin.VARIABLE, (file, text.count("\n", 0, match.start(1)) + 1))


def in_comments(text: str, file: str) -> Iterator[StatedVersion]:
    """The versions of Talos and of its kubelet that Renovate watches by a comment, in a file of any format."""
    for match in _WATCHED.finditer(text):
        subject = KUBERNETES if match[1] == "kubelet" else TALOS
        yield from _stated(subject, match[2], Origin.VARIABLE, (file, text.count("\n", 0, match.start(2)) + 1))


def in_objects(objects: Iterable[KubernetesObject]) -> Iterator[StatedVersion]:
    """The versions in tuppr's upgrades, in plans of the system upgrade controller, and in Flux's substitutions."""
    for each in objects:
        if each.kind == "TalosUpgrade":
            yield from _at(each, TALOS, Origin.UPGRADE, "spec", "talos", "version")
        elif each.kind == "KubernetesUpgrade":
            yield from _at(each, KUBERNETES, Origin.UPGRADE, "spec", "kubernetes", "version")
        elif each.kind == "Plan" and starts_with(each.api_version, "upgrade.cattle.io/").is_yes:
            if (name := known_str(each.name)) in SUBJECTS:
                yield from _at(each, name, Origin.UPGRADE, "spec", "version")
        elif each.kind == "Kustomization":
            for subject in SUBJECTS:
                yield from _at(each, subject, Origin.VARIABLE, "spec", "postBuild", "substitute", f"{subject.upper()}_VERSION")


def in_configs(configs: Iterable[NodeConfig]) -> Iterator[StatedVersion]:
    """The versions in node configurations."""
    for each in configs:
        for subject, written in ((TALOS, each.talos_version), (KUBERNETES, each.kubernetes_version)):
            if written is not None:
                yield from _stated(subject, written, Origin.CONFIGURATION, _place(each, each.paths.get(f"{subject}_version", ())))


def with_weak(stated: Iterable[StatedVersion], weak: Iterable[StatedVersion]) -> list[StatedVersion]:
    """The sources, and the weak ones for a version that no other source states: a default of Terraform may be old."""
    known = list(stated)
    subjects = {each.subject for each in known}
    return [*known, *(each for each in weak if each.subject not in subjects)]


def talos_version(stated: Iterable[StatedVersion]) -> TalosVersion | None:
    """The Talos version that the sources agree about."""
    version = agreed(TALOS, stated)
    return None if version is None else TalosVersion.parse("talos", version)


def user_talos(talos: str | TalosVersion) -> TalosVersion:
    """The user's Talos version, with a warning if it is newer than the tables."""
    version = TalosVersion.parse("talos", talos)
    if not version.is_known or version.follows_preview:
        warn(f"{newer_than_tables(f'Talos {version}')}: the rules go by the newest Talos that they know")
    return version


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


def _at(each: KubernetesObject, subject: str, origin: Origin, *path: str) -> Iterator[StatedVersion]:
    return _stated(subject, each.at(*path), origin, _place(each, path))


def _place(about: Read, path: Path) -> tuple[str, int | None]:
    return about.file_of(path) or about.file, about.line_of(path)


def _stated(subject: str, written: Any, origin: Origin, place: tuple[str, int | None]) -> Iterator[StatedVersion]:
    text = known_str(written)
    version = None if text is None else _talos(text) if subject == TALOS else plain_version(text)
    if not version and subject == TALOS and text is not None and is_too_old(text):
        subject, version = OLD_TALOS, text.removeprefix("v")
    if version:
        yield StatedVersion(subject=subject, version=version, origin=origin, file=place[0], line=place[1])


def _talos(written: str) -> str | None:
    try:
        return str(TalosVersion.parse("talos", written))
    except ValueError:
        return None
