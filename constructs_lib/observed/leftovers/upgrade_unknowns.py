"""Objects that may have to go in an upgrade: the deciding value was not read, or another tool fills it in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from ...upstream.charts.gpu_operator_chart import TOOLKIT_READY, VALIDATIONS
from ...upstream.kubernetes.api import GROUP_TEMPLATES, POD_TEMPLATES
from ...upstream.talos.features import LEGACY_ROOT
from ...yaml.located import Document
from ..images.image_fields import image_name
from ..model import ChartRelease, Inputs, KubernetesObject, Read, at, is_unknown, items_at, mappings
from ..objects.chart_sources import chart_sources, sources_of
from ..objects.identities import Identity, application_sets, applications, identity, text_at
from ..pods.workloads import Container, Workload, workloads
from ..read.checkout import Checkout
from ..read.files import absolute, is_folder
from .upgrade_leftovers import Move, UpgradeLeftover, scalars

_DRIVER_PATHS = ("LD_LIBRARY_PATH", "NVIDIA_DRIVER_ROOT")
_MARKERS = str(PurePosixPath(VALIDATIONS).parent)


class UpgradeUnknown(NamedTuple):
    """An object that may have to go, with the reason for the doubt."""

    about: Read
    reason: str


def upgrade_unknowns(inputs: Inputs, move: Move, leftovers: Iterable[UpgradeLeftover]) -> list[UpgradeUnknown]:
    """Every object that may have to go, once, without the leftovers, which surely have to go."""
    if not (move.leaves_legacy_root or move.is_to_operator or move.is_to_standalone):
        return []
    makers = {identity(each): application_set for application_set, generated in application_sets(inputs) for each in generated}
    going = {identity(each.about) for each in leftovers if each.path is None}
    unknowns: dict[Identity, UpgradeUnknown] = {}
    for about, reason in _unknowns(inputs, move):
        maker = makers.get(identity(about), about)
        if not {identity(about), identity(maker)} & going:
            unknowns.setdefault(identity(maker), UpgradeUnknown(maker, reason))
    return list(unknowns.values())


def _unknowns(inputs: Inputs, move: Move) -> Iterator[tuple[Read, str]]:
    for each in inputs.objects:
        yield from _of_object(each)
    for release in inputs.releases:
        yield from _of_release(release, inputs, move)
    yield from _of_deployed_folders(inputs)
    yield from (
        (each, "the generators create no Application from these inputs") for each, generated in application_sets(inputs) if not generated
    )
    yield from ((workload.about, reason) for workload in workloads(inputs) for reason in _of_pods(workload, inputs, move))


def _of_object(each: KubernetesObject) -> Iterator[tuple[Read, str]]:
    kind, name = each.at("kind"), each.at("metadata", "name")
    if is_unknown(kind):
        yield each, f"another tool fills in the kind, {kind}"
    elif isinstance(kind, str) and (unread := next(filter(is_unknown, _containers(each, kind)), None)) is not None:
        yield each, f"another tool fills in the containers, {unread}"
    elif isinstance(kind, str) and kind == "RuntimeClass" and is_unknown(name):
        yield each, f"another tool fills in the name, {name}"


def _containers(each: KubernetesObject, kind: str) -> Iterator[Any]:
    """The lists of containers in the pod templates of an object, or the list around the templates where it can't be
    read."""
    for path in (POD_TEMPLATES[kind],) if kind in POD_TEMPLATES else GROUP_TEMPLATES.get(kind, ()):
        yield from (at(template, "spec", "containers") for template in items_at(each.body, path))


def _of_release(release: ChartRelease, inputs: Inputs, move: Move) -> Iterator[tuple[Read, str]]:
    reference = release.at("spec", "chartRef")
    if is_unknown(release.chart):
        yield release, f"another tool fills in the name of the chart, {release.chart}"
    elif release.known_chart is not None:
        if move.leaves_legacy_root and not release.complete:
            yield release, "some of the values come from a source that was not read"
    elif reference is not None and not any(source in chart_sources(inputs) for source in sources_of(release, inputs) or ()):
        yield release, f"the chart comes from the {at(reference, 'kind')} {at(reference, 'name')}, which was not read"
    elif not release.chart:
        yield release, "the release names no chart"


def _of_deployed_folders(inputs: Inputs) -> Iterator[tuple[Read, str]]:
    for deployer, folder, source in _deployed_folders(inputs):
        if is_unknown(folder):
            yield deployer, f"another tool fills in the deployed folder, {folder}"
        elif isinstance(folder, str) and not (_holds_what_was_read(folder, inputs) or _is_local_folder(folder, source, deployer, inputs)):
            yield deployer, f"the deployed folder {folder} was not read"


def _deployed_folders(inputs: Inputs) -> Iterator[tuple[KubernetesObject, Any, Any]]:
    """The folders that Flux' Kustomizations and Argo CD's Applications deploy, with the deploying object and the
    repository."""
    for each in inputs.of_kind("Kustomization"):
        if text_at(each, "apiVersion").startswith("kustomize.toolkit.fluxcd.io/"):
            yield each, each.at("spec", "path"), each.at("spec", "sourceRef", "name")
    for each in applications(inputs):
        sources = [source for _, source in mappings(each.at("spec", "sources"))] or [each.at("spec", "source")]
        yield from ((each, at(source, "path"), at(source, "repoURL")) for source in sources if at(source, "chart") is None)


def _holds_what_was_read(folder: str, inputs: Inputs) -> bool:
    """Whether a file that was read, or skipped, is in a folder."""
    inner = "/".join(part for part in PurePosixPath(folder).parts if part not in ("/", ".", ".."))
    files = {each.file for each in (*inputs.objects, *inputs.releases, *inputs.node_configs)} | {each.file for each in inputs.skipped}
    return any(f"/{inner}/" in f"{absolute(Path(file)).as_posix()}/" for file in files) if inner else True


def _is_local_folder(folder: str, source: Any, deployer: KubernetesObject, inputs: Inputs) -> bool:
    """Whether the reader follows a folder to files in other folders, as an overlay does; manifests from a program have
    no files."""
    if deployer.line_of(()) is None:
        return False
    checkout = Checkout(absolute(Path(deployer.file)).parent)
    deployers = (*inputs.of_kind("Kustomization"), *inputs.of_kind("Application"), *inputs.of_kind("ApplicationSet"))
    checkout.learn(Document(each.body, (each.file, 1)) for each in deployers)
    path = checkout.find(folder, Document(deployer.body, (deployer.file, 1)), source)
    return path is not None and is_folder(path)


def _of_pods(workload: Workload, inputs: Inputs, move: Move) -> Iterator[str]:
    for container in workload.containers:
        image = container.body.get("image")
        runs = (move.is_to_operator and workload.kind == "DaemonSet") or (move.is_to_standalone and workload.kind == "Deployment")
        if runs and is_unknown(image) and is_unknown(image_name(image)):
            yield f"another tool fills in the image, {image}"
        for _, variable in mappings(container.body.get("env")) if move.leaves_legacy_root else ():
            name, value = variable.get("name"), variable.get("value")
            if isinstance(name, str) and name in _DRIVER_PATHS and is_unknown(value) and LEGACY_ROOT not in str(value):
                yield f"another tool fills in the variable {name}, {value}"
    for _, volume in mappings(workload.spec.get("volumes")):
        host_path = at(volume, "hostPath", "path")
        if move.leaves_legacy_root and is_unknown(host_path) and LEGACY_ROOT not in str(host_path):
            yield f"another tool fills in the host path {host_path}"
        elif (move.leaves_legacy_root or move.is_to_standalone) and str(host_path).startswith(_MARKERS):
            yield from _of_scripts(workload, inputs)


def _of_scripts(workload: Workload, inputs: Inputs) -> Iterator[str]:
    """Doubts about pods that mount the operator's folder and run an unreadable script."""
    if any(is_unknown(word) for container in workload.containers for word in _words(container)):
        yield f"another tool fills in the command, and the pod mounts {_MARKERS}"
    mounted = [at(volume, "configMap", "name") for _, volume in mappings(workload.spec.get("volumes"))]
    scripts = (each for each in inputs.of_kind("ConfigMap") if any(TOOLKIT_READY in text for _, text in scalars(each.at("data"))))
    if any(name is not None for name in mounted) and any(scripts):
        yield f"the pod mounts {_MARKERS} and a ConfigMap, and a script in a ConfigMap names {TOOLKIT_READY}"


def _words(container: Container) -> Iterator[Any]:
    for key in ("command", "args"):
        value = container.body.get(key)
        yield from value if isinstance(value, list) else [value]
