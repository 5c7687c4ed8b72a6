"""Labels of Talos' machine configuration that the GPU operator overwrites."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.agents.operators import operators
from ...observed.model import Inputs, equals
from ...observed.nodes.gpu_node_configs import gpu_node_configs
from ...upstream.charts.gpu_operator_chart import DEPLOY_LABEL
from ...upstream.nvidia.gpu_resources import PRESENT_LABEL
from ..edit import removal
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import operator_release
from ._talos import declared_labels, once, talconfig


@once
def _present(inputs: Inputs) -> Iterator[Violation]:
    if not operators(inputs):
        return
    with_cards = {id(config) for config in gpu_node_configs(inputs)}
    for config in inputs.node_configs:
        for path, key, value in declared_labels(config):
            is_true = equals(value, "true")
            if key != PRESENT_LABEL or not (is_true.is_yes or (is_true.is_no and id(config) in with_cards)):
                continue
            until = (
                "until NFD has labelled the node, and without end on a node that NFD never labels"
                if is_true.is_yes
                else "without end on a node with a GPU"
            )
            yield Violation(
                severity=Severity.WARNING,
                message=f"the GPU operator sets {PRESENT_LABEL} by itself, and the machine configuration sets it, too. Each overwrites the other many times "
                f"a second {until}; meanwhile the operator removes its labels {DEPLOY_LABEL}*, also your own",
                about=config,
                path=(*path, key),
                edits=removal(safe=False),
            )


_NODES = talconfig("    nodeLabels: {%s}\n")
_CLUSTER = f"{operator_release()}    nfd: {{enabled: true}}\n---\n{_NODES}"

RULES = (
    Rule(
        **WORDS["TG135"],
        severity=Severity.WARNING,
        check=_present,
        failing=Example(yaml=_CLUSTER % 'nvidia.com/gpu.present: "true"'),
        passing=Example(yaml=_CLUSTER % 'nvidia.com/gpu.deploy.operator-validator: "false"'),
    ),
)
