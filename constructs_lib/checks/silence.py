"""Silencing of findings: the author of an object or a file ignores a rule, with a reason.

By an annotation on the object, `talos-gpu/ignore-TG007: "kubectl sets the label"`, or by a comment on the line or above
it, `# talos-gpu: ignore TG007 kubectl sets the label`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from ..arguments.credentials.texts import hidden_text
from ..observed.model import literal
from .rule import Finding

_ANNOTATION = "talos-gpu/ignore-"
# Values of a flag, which give no reason.
_NO_REASON = {"", "true", "false", "yes", "no", "on", "off", "y", "n", "1", "0", "null", "none", "~", "-"}


def is_reason(text: str) -> bool:
    """Whether a text gives a reason, and is not only the value of a flag."""
    return text.strip().lower() not in _NO_REASON


def silenced(finding: Finding, annotations: Mapping[str, Any], beside: Mapping[int, Mapping[str, str]]) -> Finding:
    """The finding with the reason for which it is silenced; a missing reason is reported in the message.

    `annotations` are the annotations of the object, `beside` the comments of its file.
    """
    marks = dict(_marks(finding, annotations, beside))
    texts = [text.strip() for reason in marks.values() if isinstance(text := literal(reason), str)]
    reasons = [text for text in texts if is_reason(text)]
    if reasons:
        return replace(finding, ignored=hidden_text(reasons[0]))
    if marks:
        return replace(finding, message=f"{finding.message}; the {next(iter(marks))} silences this only with a reason")
    return finding


def _marks(finding: Finding, annotations: Mapping[str, Any], beside: Mapping[int, Mapping[str, str]]) -> Iterator[tuple[str, Any]]:
    key = f"{_ANNOTATION}{finding.rule}"
    if key in annotations:
        yield f"annotation '{key}'", annotations[key]
    if finding.line is None:
        return
    line = finding.line
    while line in beside or line == finding.line:
        if finding.rule in beside.get(line, ()):
            yield f"comment 'talos-gpu: ignore {finding.rule}'", beside[line][finding.rule]
        line -= 1
