"""The argument `kubernetes_version`."""

from __future__ import annotations

import re

from .errors import wrong, wrong_kind
from .plain_values import text


def kubernetes_minor(value: object, example: int) -> int:
    """The minor of a Kubernetes version such as 1.36 or v1.36.3."""
    rule = f"a Kubernetes version such as '1.{example}'"
    if not isinstance(value, str):
        raise wrong_kind("kubernetes_version", rule, value, f"quote it: '{value}'" if isinstance(value, float) else "")
    match = re.fullmatch(r"v?1\.(\d{1,3})(\.\d{1,3})?", text("kubernetes_version", value, rule))
    if not match:
        raise wrong("kubernetes_version", rule, value)
    return int(match[1])
