"""GPU amounts of containers: requests and limits that the API server refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...arguments.quantities import amount_of
from ...observed.model import Inputs, Path, at, is_open, known_items, known_str
from ...observed.pods.workloads import Container, Workload, whole_number, workloads
from ...upstream.nvidia.gpu_resources import is_gpu
from ..edit import Edit, set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._pods import pod

_QUANTITY = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?")
_FRACTION = re.compile(r"\d*\.\d*[1-9]\d*|\d*[1-9]\d*[munp]")
_WHOLE_IN_MILLIS = re.compile(r"\d+000m")


def _refused(inputs: Inputs) -> Iterator[Violation]:
    for workload in workloads(inputs):
        for container in workload.containers:
            limits, requests = at(container.body, "resources", "limits"), at(container.body, "resources", "requests")
            for section, amounts in (("limits", limits), ("requests", requests)):
                for name, amount in known_items(amounts):
                    if name.startswith("nvidia.com/"):
                        yield from _amount(workload, _path(container, section, name), name, amount)
            if isinstance(requests, Mapping):
                yield from _together(workload, container, requests, limits)


def _path(container: Container, section: str, name: str) -> Path:
    return (*container.path, "resources", section, name)


def _amount(workload: Workload, path: Path, name: str, amount: Any) -> Iterator[Violation]:
    if "+" in name:
        message = f"{name} is not a valid resource name: a name has no '+'. The API server refuses the pod"
        yield _violation(workload, path, message, f"Request {name.replace('+', '.')}, the name that the device plugin advertises")
    written = known_str(amount)
    if not is_gpu(name) or written is None or (not written and not workload.complete):
        return
    if not _QUANTITY.fullmatch(written.strip()):
        message = f"{name}: {written or repr(written)} is not a quantity of Kubernetes. The API server refuses the pod"
        yield _violation(workload, path, message, f"Set {name} to a whole number, such as 1")
    elif written.startswith("-"):
        message = f"{name}: {written} is negative. The API server refuses the pod (must be greater than or equal to 0)"
        yield _violation(workload, path, message, f"Set {name} to a whole number, such as 1")
    elif _is_fraction(amount):
        edits = set_to(_written_as(amount, 1)) if _is_part(amount) else ()
        message = f"{name}: {amount} is not a whole number of GPUs. The API server refuses the pod (must be an integer)"
        yield _violation(
            workload,
            path,
            message,
            f"Set {name}: 1, and share the GPU between pods by time-slicing in the device plugin's config",
            edits=edits,
        )
    elif whole_number(amount) == 0:
        message = f"{name}: 0 gives the pod no GPU"
        yield _violation(workload, path, message, f"Remove {name} if the pod needs no GPU, or set {name}: 1", Severity.INFO)


def _is_fraction(amount: Any) -> bool:
    if isinstance(amount, float):
        return not amount.is_integer()
    return bool(_FRACTION.fullmatch(str(amount))) and not _WHOLE_IN_MILLIS.fullmatch(str(amount))


def _written_as(before: Any, amount: Any) -> Any:
    """An amount as a text in place of a text, so that the quotes stay, and as a number in place of a number."""
    return str(amount) if isinstance(before, str) else whole_number(amount)


def _is_part(amount: Any) -> bool:
    """Whether an amount is more than nothing and less than one GPU."""
    return bool(0 < amount_of(str(amount)) < 1)


def _together(workload: Workload, container: Container, requests: Mapping[str, Any], limits: Any) -> Iterator[Violation]:
    """Requests that differ from their limit: Kubernetes does not overcommit GPUs."""
    for name, requested in known_items(requests):
        limit = at(limits, name)
        if not is_gpu(name) or is_open(requested) or is_open(limit):
            continue
        if limit is None:
            if workload.complete:
                message = f"the pod requests {name}: {requested} without a limit. The API server refuses the pod (Limit must be set for non overcommitable resources)"
                yield _violation(
                    workload,
                    _path(container, "requests", name),
                    message,
                    f"Set limits {name}: {requested}, and remove the request",
                    edits=set_to(requested, _path(container, "limits", name)) if whole_number(requested) else (),
                )
        elif whole_number(limit) is not None and whole_number(requested) is not None and whole_number(limit) != whole_number(requested):
            message = f"the pod requests {name}: {requested}, but the limit is {limit}. The API server refuses the pod (must be equal to {name} limit)"
            yield _violation(
                workload,
                _path(container, "requests", name),
                message,
                f"Set requests {name}: {limit}, or remove the request",
                edits=set_to(_written_as(requested, limit), safe=False),
            )


def _violation(
    workload: Workload, path: Path, message: str, fix: str, severity: Severity = Severity.ERROR, edits: tuple[Edit, ...] = ()
) -> Violation:
    return Violation(severity=severity, message=message, about=workload.about, path=path, fix=fix, edits=edits)


RULES = (
    Rule(
        **WORDS["TG045"],
        severity=Severity.ERROR,
        check=_refused,
        failing=Example(yaml=pod("      resources: {limits: {nvidia.com/gpu: 0.5}}\n")),
        passing=Example(yaml=pod('      resources: {limits: {nvidia.com/gpu: "1"}, requests: {nvidia.com/gpu: 1, cpu: 500m}}\n')),
    ),
)
