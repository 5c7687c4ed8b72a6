"""Keys that stand twice in one mapping: tools either refuse the document, or take the last value without a word."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.model import Inputs
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS


def _repeated(inputs: Inputs) -> Iterator[Violation]:
    for repeated in inputs.repeated_keys:
        name = f"the key '{repeated.key}' is already set in line {repeated.first_line}"
        if repeated.refused_by:
            severity, message = Severity.ERROR, f"{name}: {repeated.refused_by} refuses the document"
        else:
            severity, message = Severity.WARNING, f"{name}. Flux' kustomize refuses the document; other tools drop the first value"
        yield Violation(severity=severity, message=message, about=repeated)


_MODULES = """\
machine:
  kernel:
    modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]
"""

RULES = (
    Rule(
        **WORDS["TG102"],
        severity=Severity.ERROR,
        check=_repeated,
        failing=Example(yaml=f"{_MODULES}machine:\n  type: worker\n"),
        passing=Example(yaml=f"{_MODULES}  type: worker\n"),
    ),
)
