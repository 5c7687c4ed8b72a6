"""The remark about resources that workloads request and that nothing in an app, or in a file, advertises: the stack may
be elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def remark(asking: Mapping[str, Sequence[str]], where: str) -> str:
    """The remark, from the paths of the workloads by resource; empty where everything is advertised."""
    parts = [f"nothing in {where} advertises {name}, which {_listed(paths)} requests" for name, paths in asking.items() if paths]
    return "; ".join(parts)


def _listed(paths: Sequence[str]) -> str:
    distinct = list(dict.fromkeys(paths))
    return distinct[0] + (f" (and {len(distinct) - 1} more)" if len(distinct) > 1 else "")
