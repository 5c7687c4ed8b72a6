"""Which objects of a cluster have to go when its GPU nodes move to another generation of Talos, or to the operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._markers import strings, writes_marker
from ..nodes import RUNTIME_CLASS

_GLIBC = "/usr/local/glibc"
_PLUGIN_IMAGE = "k8s-device-plugin"
_PLUGIN_CHART = "nvidia-device-plugin"


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
        """How it goes, where no GitOps tool brings it back."""
        where = f" --namespace {self.namespace}" if self.namespace else ""
        return f"kubectl delete {self.kind.lower()} {self.name}{where}"


def leftovers(manifests: Iterable[Mapping[str, Any]], *, crosses_to_cdi: bool, to_operator: bool) -> list[Leftover]:
    """Those of these objects that have to go: at most one reason each, the first that holds."""
    found = []
    for manifest in _objects(manifests):
        reasons = [*(_of_the_generation(manifest) if crosses_to_cdi else ()), *(_of_the_route(manifest) if to_operator else ())]
        if reasons:
            namespace = _at(manifest, "metadata", "namespace")
            found.append(Leftover(str(manifest.get("kind")), namespace, str(_at(manifest, "metadata", "name")), reasons[0]))
    return found


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
    if any(_GLIBC in text for text in said):
        yield f"it looks for the driver's libraries under {_GLIBC}, where Talos 1.13 has none"


def _pod_spec(manifest: Mapping[str, Any]) -> Any:
    places = (("spec", "template", "spec"), ("spec", "jobTemplate", "spec", "template", "spec"))
    found = next((spec for spec in (_at(manifest, *place) for place in places) if spec), None)
    return _at(manifest, "spec") if found is None and manifest.get("kind") == "Pod" else found


def _of_the_route(manifest: Mapping[str, Any]) -> Iterator[str]:
    if (
        manifest.get("kind") == "RuntimeClass"
        and manifest.get("handler") == RUNTIME_CLASS
        and _at(manifest, "metadata", "name") == RUNTIME_CLASS
    ):
        yield "the operator makes this RuntimeClass and owns it"
    if manifest.get("kind") == "DaemonSet" and any(_PLUGIN_IMAGE in str(container.get("image")) for container in _containers(manifest)):
        yield "the operator runs a device plugin of its own, and two advertise every GPU twice"
    charts = (_at(manifest, "spec", "chart", "spec", "chart"), _at(manifest, "spec", "source", "chart"))
    if manifest.get("kind") in ("HelmRelease", "Application") and _PLUGIN_CHART in charts:
        yield "it installs a device plugin, and the operator runs one of its own"


def _containers(manifest: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for key in ("initContainers", "containers"):
        found = _at(_pod_spec(manifest), key)
        yield from (container for container in (found if isinstance(found, list) else ()) if isinstance(container, Mapping))


def _at(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
