"""Objects of the GPU stack that two deployers apply."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.model import Inputs
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS


def _two_owners(inputs: Inputs) -> Iterator[Violation]:
    for each in inputs.shared_objects:
        first, second = each.deployers
        yield Violation(
            severity=Severity.WARNING,
            message=f"{each.label} is applied by {first} and by {second}. Each takes the object over in turn, and pruning by one of them may delete "
            "the object",
            about=each,
        )


_RUNTIME_CLASS = "{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: %s}, handler: nvidia}"
_SETS = f"""\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {{name: device-plugin, namespace: flux-system}}
spec: {{resources: [{_RUNTIME_CLASS}]}}
---
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {{name: gpu-workloads, namespace: flux-system}}
spec: {{resources: [{_RUNTIME_CLASS}]}}
"""

RULES = (
    Rule(
        **WORDS["TG128"],
        severity=Severity.WARNING,
        check=_two_owners,
        failing=Example(yaml=_SETS % ("nvidia", "nvidia")),
        passing=Example(yaml=_SETS % ("nvidia", "nvidia-legacy")),
    ),
)
