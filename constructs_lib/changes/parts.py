"""The parts of the GPU stack on two sides: what is added, removed or changed, and what a change does in the cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from ..observed.agents.agents import device_plugins
from ..observed.agents.gpu_parts import names_nvidia
from ..observed.model import Inputs, KubernetesObject, NodeConfig, Read, is_unknown, known_str
from ..observed.nodes.node_settings import gpu_node_configs
from ..upstream.choice import Choice
from ..upstream.kubernetes.api import POD_TEMPLATES
from .field_changes import FieldChange, field_changes

_Key = tuple[str, ...]
_About = TypeVar("_About", bound=Read)

IMMUTABLE: Mapping[str, Callable[[str], bool]] = {
    "DaemonSet": lambda field: field.startswith("spec.selector"),
    "Deployment": lambda field: field.startswith("spec.selector"),
    "Job": lambda field: field.startswith(("spec.selector", "spec.template", "spec.completions", "spec.completionMode")),
    "StatefulSet": lambda field: field.startswith(
        ("spec.selector", "spec.serviceName", "spec.volumeClaimTemplates", "spec.podManagementPolicy")
    ),
    "RuntimeClass": lambda field: field.startswith("handler"),
    "ResourceClaim": lambda field: field.startswith("spec"),
    "ResourceClaimTemplate": lambda field: field.startswith("spec"),
    "PersistentVolumeClaim": lambda field: field.startswith("spec") and not field.startswith("spec.resources"),
}
"""The fields that the API server does not let anybody change.

Source: kubernetes/kubernetes pkg/apis/apps, batch, node, resource and core validation at v1.36.3 (2026-11-28)
"""
_IMAGE_FIELDS = ("extensions", "image", "kernel_args", "talos_version")
"""The fields of a node that its image has; the others are applied to the running node."""
_NO_CHANGE = ("metadata.annotations.kubectl.kubernetes.io/last-applied-configuration", "status")


class Way(Choice):
    """The way in which a part differs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class PartChange:
    """A part of the GPU stack that one side has in another way."""

    way: Way
    label: str
    file: str
    fields: tuple[FieldChange, ...] = ()
    effects: tuple[str, ...] = ()


def part_changes(old: Inputs, new: Inputs) -> Iterator[PartChange]:
    """The parts that differ: the objects that name NVIDIA on one side, and the configurations of GPU nodes."""
    before, after = _objects(old), _objects(new)
    plugins = {each.about.label for inputs in (old, new) for each in device_plugins(inputs)}
    for key in sorted({*before, *after}):
        was, now = before.get(key), after.get(key)
        if any(names_nvidia(each.body) for each in (was, now) if each is not None):
            yield from _change(was, now, lambda about: about.body, lambda about, fields: _effects(about, fields, plugins))
    configs, others = _configs(old), _configs(new)
    for key in sorted({*configs, *others}):
        yield from _change(configs.get(key), others.get(key), _settings, lambda _, fields: _node_effects(fields))


def unnamed(inputs: Inputs) -> int:
    """The number of objects whose names can't be read, which are on no side of a comparison."""
    return sum(is_unknown(each.name) and names_nvidia(each.body) for each in inputs.objects)


def _change(
    was: _About | None, now: _About | None, body: Callable[[_About], Any], effects: Callable[[_About, list[FieldChange]], Iterable[str]]
) -> Iterator[PartChange]:
    if now is None:
        if was is not None:
            yield PartChange(way=Way.REMOVED, label=was.label, file=was.file)
    elif was is None:
        yield PartChange(way=Way.ADDED, label=now.label, file=now.file)
    else:
        fields = [each for each in field_changes(body(was), body(now)) if not each.where.startswith(_NO_CHANGE)]
        if fields:
            yield PartChange(way=Way.CHANGED, label=now.label, file=now.file, fields=tuple(fields), effects=tuple(effects(now, fields)))


def _objects(inputs: Inputs) -> dict[_Key, KubernetesObject]:
    """The objects by group, kind, namespace and name. An object that several clusters of the files have is that of its
    file."""
    found: dict[_Key, list[KubernetesObject]] = {}
    for each in inputs.objects:
        if not is_unknown(each.name) and each.name:
            group = f"{each.api_version}".rpartition("/")[0]
            found.setdefault((group, each.kind, "" if each.namespace is None else f"{each.namespace}", f"{each.name}"), []).append(each)
    single = {key: objects[0] for key, objects in found.items() if len(objects) == 1}
    return single | {(*key, each.file): each for key, objects in found.items() if len(objects) > 1 for each in objects}


def _configs(inputs: Inputs) -> dict[_Key, NodeConfig]:
    return {(each.scope, each.label, "" if each.scope == "node" else each.file): each for each in gpu_node_configs(inputs)}


def _settings(config: NodeConfig) -> dict[str, Any]:
    """The fields of a node configuration that reach a node."""
    names = (
        "talos_version",
        "image",
        "extensions",
        "kernel_args",
        "kernel_modules",
        "sysctls",
        "labels",
        "default_runtime",
        "pod_security",
    )
    taints = None if config.taints is None else [f"{each}" for each in config.taints]
    return {**{name: getattr(config, name) for name in names}, "taints": taints}


def _effects(about: KubernetesObject, fields: list[FieldChange], plugins: set[str]) -> Iterator[str]:
    fixed = [each.where for each in fields if about.kind in IMMUTABLE and IMMUTABLE[about.kind](each.where)]
    if fixed:
        yield f"the API server refuses a change of {fixed[0]}: delete the {about.kind} first, and apply it again"
        return
    template = POD_TEMPLATES.get(about.kind)
    if template is None or about.pod_path is None:
        return
    path = ".".join(map(str, template))
    if not any(each.where.startswith(f"{path}.") for each in fields):
        return
    if about.kind == "DaemonSet":
        yield from _of_daemon_set(about, is_plugin=about.label in plugins)
    elif about.kind in ("Deployment", "StatefulSet"):
        recreated = known_str(about.at("spec", "strategy", "type")) == "Recreate"
        yield "its pods end before new ones start" if recreated else "its pods are replaced one after the other"
    elif about.kind == "CronJob":
        yield "the next run has it"


def _of_daemon_set(about: KubernetesObject, *, is_plugin: bool) -> Iterator[str]:
    if known_str(about.at("spec", "updateStrategy", "type")) == "OnDelete":
        yield "its pods stay as they are until somebody deletes them"
        return
    yield "its pods restart, one node after the other"
    if is_plugin:
        yield "a node offers no GPU until its device plugin has registered again; pods that run keep theirs"


def _node_effects(fields: list[FieldChange]) -> Iterator[str]:
    of_image = [each.where for each in fields if each.where.startswith(_IMAGE_FIELDS)]
    if of_image:
        yield "the node needs the new image: an upgrade, which reboots it"
    if any(each.where.startswith(("labels", "taints")) for each in fields):
        yield "pods are placed by labels and taints: pods that run stay, new ones may find no node"
