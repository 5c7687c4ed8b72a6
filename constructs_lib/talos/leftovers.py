"""Which objects of a cluster have to go when its GPU nodes move to another generation of Talos, or to the operator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from ..nodes import RUNTIME_CLASS

_GLIBC = "/usr/local/glibc"
_VALIDATIONS = "/run/nvidia"
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
    for manifest in manifests:
        reasons = [*(_of_the_generation(manifest) if crosses_to_cdi else ()), *(_of_the_route(manifest) if to_operator else ())]
        if reasons:
            metadata = manifest.get("metadata") or {}
            found.append(Leftover(str(manifest.get("kind")), metadata.get("namespace"), str(metadata.get("name")), reasons[0]))
    return found


def _of_the_generation(manifest: Mapping[str, Any]) -> Iterator[str]:
    said = list(_strings(manifest))
    is_workload = isinstance(_at(manifest, "spec", "template"), Mapping) or manifest.get("kind") == "Pod"
    if is_workload and any("toolkit-ready" in text for text in said) and any(text.startswith(_VALIDATIONS) for text in said):
        yield "it writes what the operator's pods waited for up to Talos 1.12; from 1.13 on the operator's validator does"
    if is_workload and any(_GLIBC in text for text in said):
        yield f"it looks for the driver's libraries under {_GLIBC}, where Talos 1.13 has none"


def _of_the_route(manifest: Mapping[str, Any]) -> Iterator[str]:
    if (
        manifest.get("kind") == "RuntimeClass"
        and manifest.get("handler") == RUNTIME_CLASS
        and _at(manifest, "metadata", "name") == RUNTIME_CLASS
    ):
        yield "the operator makes this RuntimeClass and owns it"
    if manifest.get("kind") == "DaemonSet" and any(_PLUGIN_IMAGE in text for text in _images(manifest)):
        yield "the operator runs a device plugin of its own, and two advertise every GPU twice"
    charts = (_at(manifest, "spec", "chart", "spec", "chart"), _at(manifest, "spec", "source", "chart"))
    if manifest.get("kind") in ("HelmRelease", "Application") and _PLUGIN_CHART in charts:
        yield "it installs a device plugin, and the operator runs one of its own"


def _images(manifest: Mapping[str, Any]) -> Iterator[str]:
    containers = _at(manifest, "spec", "template", "spec", "containers")
    for container in containers if isinstance(containers, list) else ():
        if isinstance(container, Mapping):
            yield str(container.get("image"))


def _at(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)
