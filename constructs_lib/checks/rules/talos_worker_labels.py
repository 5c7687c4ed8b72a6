"""Node labels that a node may not set on itself: NodeRestriction forbids a worker to, and the kubelet does not start with them as an argument."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...arguments.commands import command
from ...observed.model import Inputs, NodeConfig, Path, is_open, known_str, known_text
from ...observed.model.unknown import GAP
from ...observed.nodes.node_settings import node_name
from ...upstream.kubernetes.api import CONTROL_PLANE, node_may_set
from ..edit import removal
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._talos import declared_labels, once, talconfig, values_at

_OF_CONTROL_PLANE = (CONTROL_PLANE, "node-role.kubernetes.io/master")
_ARGUMENT = ("extraArgs", "node-labels")
_ARGUMENTS: dict[str | None, Path] = {None: ("machine", "kubelet", *_ARGUMENT), "KubeletConfig": _ARGUMENT}


@once
def _forbidden(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        if config.control_plane:
            continue
        is_worker = config.control_plane is False
        for path, key, value in declared_labels(config):
            if node_may_set(key) or (key in _OF_CONTROL_PLANE and not is_worker):
                continue
            refused = "Kubernetes" if is_worker else "If these nodes are workers, Kubernetes"
            yield Violation(
                severity=Severity.ERROR if is_worker else Severity.WARNING,
                message=f"a worker may not set the label {key} on itself (NodeRestriction). {refused} refuses the update by which Talos sets "
                "all labels and taints of a node, so the node has none of these labels and taints",
                about=config,
                path=(*path, key),
                fix=_fix(config, key, _written(value)),
                edits=removal(safe=False),
            )


@once
def _refused_by_the_kubelet(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        for path, key, value in _arguments(config):
            if not node_may_set(key):
                yield Violation(
                    severity=Severity.ERROR,
                    message=f"the argument node-labels has the label {key}, which a kubelet may not set on its own node. The kubelet does not start: "
                    "failed to validate kubelet flags: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels",
                    about=config,
                    path=path,
                    fix=_fix(config, key, value),
                )


def _both(inputs: Inputs) -> Iterator[Violation]:
    yield from _forbidden(inputs)
    yield from _refused_by_the_kubelet(inputs)


def _fix(config: NodeConfig, key: str, value: str) -> str:
    label = command("kubectl label nodes {node} {label} --overwrite", node=node_name(config), label=f"{key}={value}")
    return f"Remove the label from the machine configuration, and run {label}"


def _arguments(config: NodeConfig) -> Iterator[tuple[Path, str, str]]:
    """The labels with a known key in the kubelet's argument: a text, or a list of texts."""
    for path, argument in values_at(config, _ARGUMENTS):
        texts = [((*path, number), each) for number, each in enumerate(argument)] if isinstance(argument, list) else [(path, argument)]
        for place, text in texts:
            for label in known_text(text).split(","):
                key, _, value = label.strip().partition("=")
                if key and GAP not in key:
                    yield place, key, "VALUE" if GAP in value else value


def _written(value: Any) -> str:
    return "VALUE" if is_open(value) else known_str(value) or ""


RULES = (
    Rule(
        **WORDS["TG110"],
        severity=Severity.ERROR,
        check=_both,
        failing=Example(yaml=talconfig("    nodeLabels: {node-role.kubernetes.io/gpu: '', role: gpu}\n")),
        passing=Example(yaml=talconfig("    nodeLabels: {node.kubernetes.io/gpu: '', feature.node.kubernetes.io/gpu: '', role: gpu}\n")),
    ),
)
