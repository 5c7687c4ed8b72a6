"""Selectors of the node labels that Talos sets for its extensions."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.model import Inputs, Path
from ...observed.placement.node_selection import TERMS, selected, terms_of
from ...observed.placement.placements import Placement, placements
from ...upstream.talos.extension_names import LABEL_PREFIX
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._pods import pod


def _exact_value(inputs: Inputs) -> Iterator[Violation]:
    for subject in placements(inputs):
        for key, values in selected(subject.spec):
            if key.startswith(LABEL_PREFIX) and values:
                yield _pinned(subject, (*subject.base, "nodeSelector", key), key, values)
        for term in terms_of(subject.spec) or []:
            for key, values in term:
                if key.startswith(LABEL_PREFIX) and values:
                    yield _pinned(subject, (*subject.base, *TERMS), key, values)


def _pinned(subject: Placement, path: Path, key: str, values: frozenset[str]) -> Violation:
    return Violation(
        severity=Severity.WARNING,
        message=f"the selector {key}={'|'.join(sorted(values))} contains the extension's version. When an upgrade of Talos changes this version, the selector "
        "matches no node, and new pods stay Pending",
        about=subject.about,
        path=path,
        fix=f"Use a required node affinity with matchExpressions: [{{key: {key}, operator: Exists}}]",
    )


RULES = (
    Rule(
        **WORDS["TG049"],
        severity=Severity.WARNING,
        check=_exact_value,
        failing=Example(yaml=pod() + "  nodeSelector: {extensions.talos.dev/nvidia-container-toolkit-production: 570.211.01-v1.18.2}\n"),
        passing=Example(
            yaml=pod()
            + """\
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms:
          - matchExpressions:
              - {key: extensions.talos.dev/nvidia-container-toolkit-production, operator: Exists}
"""
        ),
    ),
)
