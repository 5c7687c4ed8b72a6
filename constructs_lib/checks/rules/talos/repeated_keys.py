"""Keys that stand twice in one mapping: tools either refuse the document, or take the last value without a word."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.model import Inputs
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness


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
        id="TG102",
        claim="A key stands once in a mapping",
        symptom='mapping key "machine" already defined at line 1',
        fix="Merge both values below one key",
        source="https://yaml.org/spec/1.2.2/#3213-node-comparison; "
        "https://github.com/go-yaml/yaml/blob/v3.0.1/decode.go; "
        "https://github.com/fluxcd/kustomize-controller/issues/243",
        severity=Severity.ERROR,
        shown_by=Witness.DECODER,
        check=_repeated,
        failing=Example(yaml=f"{_MODULES}machine:\n  type: worker\n"),
        passing=Example(yaml=f"{_MODULES}  type: worker\n"),
    ),
)
