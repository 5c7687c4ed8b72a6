"""Node labels that NodeRestriction forbids a worker to set on itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.kubernetes_api import CONTROL_PLANE, node_may_set
from ..edit import removal
from ..finding import Severity
from ..model import Inputs, NodeConfig, Path, at, is_open, known_items, known_str
from ..rule import Example, Rule, Violation
from ._talos import once, talconfig

_OF_CONTROL_PLANE = (CONTROL_PLANE, "node-role.kubernetes.io/master")
_PLACES: dict[str | None, Path] = {None: ("machine", "nodeLabels"), "KubeNodeConfig": ("labels",)}


@once
def _forbidden(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        if config.control_plane:
            continue
        is_worker = config.control_plane is False
        for path, key, value in _labels(config):
            if node_may_set(key) or (key in _OF_CONTROL_PLANE and not is_worker):
                continue
            refused = "Kubernetes" if is_worker else "If these nodes are workers, Kubernetes"
            name = (known_str(config.name) if config.scope == "node" else None) or "NODE"
            yield Violation(
                severity=Severity.ERROR if is_worker else Severity.WARNING,
                message=f"a worker may not set the label {key} on itself (NodeRestriction). {refused} refuses the update by which Talos sets "
                "all labels and taints of a node, so the node has none of these labels and taints",
                about=config,
                path=(*path, key),
                edits=removal(safe=False),
                fix=f"Remove the label from the machine configuration, and run kubectl label nodes {name} {key}={_written(value)} --overwrite",
            )


def _labels(config: NodeConfig) -> Iterator[tuple[Path, str, Any]]:
    """The labels with a known key. A mapping in place of a value is Talos' `$patch: delete`."""
    for index, document in config.documents:
        path = _PLACES.get(known_str(at(document, "kind")) if "kind" in document else None)
        if path is None:
            continue
        for key, value in known_items(at(document, *path)):
            if isinstance(key, str) and not isinstance(value, Mapping):
                yield ("documents", index, *path), key, value


def _written(value: Any) -> str:
    return "VALUE" if is_open(value) else known_str(value) or ""


RULES = (
    Rule(
        id="TG110",
        claim="A worker's machine configuration has no label that a node may not set on itself",
        symptom='nodes "gpu-1" is forbidden: is not allowed to modify labels: node-role.kubernetes.io/gpu; the node has no labels and no taints',
        severity=Severity.ERROR,
        fix="Remove the label from nodeLabels, and set the label with kubectl label nodes after the worker has joined",
        source="siderolabs/talos#8193; siderolabs/talos internal/app/machined/pkg/controllers/k8s/node_apply.go; "
        "https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction",
        check=_forbidden,
        failing=Example(yaml=talconfig("    nodeLabels: {node-role.kubernetes.io/gpu: '', role: gpu}\n")),
        passing=Example(yaml=talconfig("    nodeLabels: {node.kubernetes.io/gpu: '', feature.node.kubernetes.io/gpu: '', role: gpu}\n")),
    ),
)
