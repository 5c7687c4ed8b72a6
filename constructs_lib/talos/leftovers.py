"""Which objects of a cluster have to go when its GPU nodes move to another generation of Talos, or to the operator."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..checks.facts.marker_scripts import strings, writes_marker
from ..upstream.charts import DEVICE_PLUGIN, GPU_OPERATOR
from ..upstream.talos_features import LEGACY_ROOT, RUNTIME_CLASS
from .installed_charts import InstalledCharts, at, source

# One image holds all three; by what it is told to run they are told apart.
_PLUGIN_IMAGE = "k8s-device-plugin"
_RUNS = {
    "gpu-feature-discovery": "the operator runs a feature discovery of its own, and two write the same labels",
    "mps-control-daemon": "it serves the device plugin that goes, and the operator runs an MPS daemon of its own",
}
_PLUGIN = "the operator runs a device plugin of its own, and two advertise every GPU twice"
_OPERATOR = "its device plugin advertises the same GPUs"
# Kinds that other groups have as well: Kyverno's ClusterPolicy, the Application of kubernetes-sigs.
_RESOURCES = {"ClusterPolicy": "clusterpolicies.nvidia.com", "Application": "applications.argoproj.io"}


class Leftover(NamedTuple):
    """An object that has to go, why, and the command that removes it; `UpgradePlan.leftovers` finds them.

    Example:
        >>> Leftover("RuntimeClass", None, "nvidia", "the operator makes this RuntimeClass and owns it").command
        'kubectl delete runtimeclass nvidia'
    """

    kind: str
    namespace: str | None
    name: str
    reason: str

    @property
    def command(self) -> str:
        """How it goes, where no GitOps tool brings it back; a comment where nobody gave it a name yet."""
        if not self.name:
            return f"# a {self.kind} without a name{f' in {self.namespace}' if self.namespace else ''}"
        where = f" --namespace {self.namespace}" if self.namespace else ""
        return f"kubectl delete {_RESOURCES.get(self.kind, self.kind.lower())} {self.name}{where}"


def leftovers(manifests: Iterable[Mapping[str, Any]], *, crosses_to_cdi: bool, to_operator: bool, to_standalone: bool) -> list[Leftover]:
    """Those of these objects that have to go: at most one reason each, the first that holds."""
    objects = [each for each in _objects(manifests) if not _belongs_to_another(each)]
    charts = InstalledCharts(objects)

    def reasons(manifest: Mapping[str, Any]) -> Iterator[str]:
        if crosses_to_cdi:
            yield from _of_the_generation(manifest)
        if to_operator:
            yield from _to_the_operator(manifest, charts)
        if to_standalone:
            yield from _to_the_plugin(manifest, charts)

    judged = [(manifest, next(reasons(manifest), "")) for manifest in objects]
    # A source of charts goes when all that took one from it goes.
    used, unused = ({made for each, why in judged if bool(why) is goes for made in charts.sources(each)} for goes in (False, True))
    found = []
    for manifest, reason in judged:
        why = reason or ("nothing else here takes a chart from it" if source(manifest) in unused - used else "")
        if why:
            name = at(manifest, "metadata", "name")
            found.append(Leftover(str(manifest.get("kind")), at(manifest, "metadata", "namespace"), "" if name is None else str(name), why))
    return found


def _belongs_to_another(manifest: Mapping[str, Any]) -> bool:
    """Whether another object makes it: then it goes with that one, and alone it would come back."""
    owners = at(manifest, "metadata", "ownerReferences")
    return isinstance(owners, list) and any(at(owner, "controller") is True for owner in owners)


def _objects(manifests: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    """Each object, also those of a `List`, as `kubectl get -o yaml` prints them."""
    for manifest in manifests:
        if isinstance(manifest, Mapping):
            items = manifest.get("items")
            yield from _objects(items) if isinstance(items, list) else (manifest,)


def _of_the_generation(manifest: Mapping[str, Any]) -> Iterator[str]:
    said = list(strings(_pod_spec(manifest)))
    if any(writes_marker(container) for container in _containers(manifest)):
        yield "it writes what the operator's pods waited for up to Talos 1.12; from 1.13 on the operator's validator does"
    if any(LEGACY_ROOT in text for text in said):
        yield f"it looks for the driver's libraries under {LEGACY_ROOT}, where Talos 1.13 has none"


def _pod_spec(manifest: Mapping[str, Any]) -> Any:
    places = (("spec", "template", "spec"), ("spec", "jobTemplate", "spec", "template", "spec"))
    found = next((spec for spec in (at(manifest, *place) for place in places) if spec), None)
    return at(manifest, "spec") if found is None and manifest.get("kind") == "Pod" else found


def _to_the_operator(manifest: Mapping[str, Any], charts: InstalledCharts) -> Iterator[str]:
    if (
        manifest.get("kind") == "RuntimeClass"
        and manifest.get("handler") == RUNTIME_CLASS
        and at(manifest, "metadata", "name") == RUNTIME_CLASS
    ):
        yield "the operator makes this RuntimeClass and owns it"
    ours = [container for container in _containers(manifest, "containers") if _PLUGIN_IMAGE in str(container.get("image"))]
    if manifest.get("kind") == "DaemonSet" and ours:
        said = " ".join(strings([[container.get("command"), container.get("args")] for container in ours]))
        yield next((reason for program, reason in _RUNS.items() if program in said), _PLUGIN)
    if DEVICE_PLUGIN.name in charts.of(manifest):
        yield "it installs a device plugin, and the operator runs one of its own"


def _to_the_plugin(manifest: Mapping[str, Any], charts: InstalledCharts) -> Iterator[str]:
    if any(writes_marker(container) for container in _containers(manifest)):
        yield "it writes what the operator's pods wait for, and they go"
    if manifest.get("kind") == "ClusterPolicy" and str(manifest.get("apiVersion")).startswith("nvidia.com/"):
        yield f"it is what the operator is told to run, and {_OPERATOR}"
    images = (str(container.get("image")).rpartition("/")[2] for container in _containers(manifest))
    if manifest.get("kind") == "Deployment" and any(re.fullmatch(r"gpu-operator([:@].*)?", image) for image in images):
        yield f"it is the operator, and {_OPERATOR}"
    if GPU_OPERATOR.name in charts.of(manifest):
        yield f"it installs the operator, and {_OPERATOR}"


def _containers(manifest: Mapping[str, Any], *keys: str) -> Iterator[Mapping[str, Any]]:
    for key in keys or ("initContainers", "containers"):
        found = at(_pod_spec(manifest), key)
        yield from (container for container in (found if isinstance(found, list) else ()) if isinstance(container, Mapping))
