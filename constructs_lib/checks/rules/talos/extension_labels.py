"""Selectors of the node labels that Talos sets for its extensions."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.model import Inputs, Path
from ....observed.placement.placements import Placement, placements
from ....observed.placement.selection import TERMS, Requirement, selection_of
from ....upstream.talos.extension_names import LABEL_PREFIX
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._pods import pod


def _exact_value(inputs: Inputs) -> Iterator[Violation]:
    for subject in placements(inputs):
        selection = selection_of(subject.spec)
        for each in selection.selector:
            yield from _pinned(subject, (*subject.base, "nodeSelector", each.key), each)
        for each in (each for term in selection.terms for each in term):
            yield from _pinned(subject, (*subject.base, *TERMS), each)


def _pinned(subject: Placement, path: Path, wanted: Requirement) -> Iterator[Violation]:
    if not wanted.choices or not wanted.key.startswith(LABEL_PREFIX):
        return
    selector = f"{wanted.key}={'|'.join(sorted(wanted.choices))}"
    yield Violation(
        severity=Severity.WARNING,
        message=f"the selector {selector} contains the extension's version. When an upgrade of Talos changes this version, the selector "
        "matches no node, and new pods stay Pending",
        about=subject.about,
        path=path,
        fix=f"Use a required node affinity with matchExpressions: [{{key: {wanted.key}, operator: Exists}}]",
    )


RULES = (
    Rule(
        id="TG049",
        claim="A label extensions.talos.dev/* is selected by key, not by value",
        symptom="0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector, after an upgrade of Talos",
        fix="Use a required node affinity with matchExpressions: [{key: extensions.talos.dev/…, operator: Exists}]",
        source="siderolabs/talos pkg/machinery/constants/constants.go",
        severity=Severity.WARNING,
        shown_by=Witness.CONTROL_PLANE,
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
