"""How many GPUs a container asks for: amounts that the API server refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ...upstream.gpu_resources import is_gpu
from ..facts.workloads import Container, Workload, whole_number, workloads
from ..finding import Severity
from ..model import Inputs, Path, at, is_open, known_items
from ..rule import Example, Found, Rule
from ._pods import pod


def _refused(inputs: Inputs) -> Iterator[Found]:
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


def _amount(workload: Workload, path: Path, name: str, amount: Any) -> Iterator[Found]:
    if "+" in name:
        message = f"it asks for {name}: the name of a resource has no '+', so the API server refuses the pod"
        yield _found(workload, path, message, f"Ask for {name.replace('+', '.')}, as the device plugin advertises the profile")
    if not is_gpu(name) or amount is None or is_open(amount):
        return
    if _is_no_whole_number(amount):
        message = (
            f"it asks for {name}: {amount}, and a GPU is counted in whole numbers: the API server refuses the pod (must be an integer)"
        )
        yield _found(workload, path, message, "Ask for 1, and share the GPU between pods by time-slicing in the device plugin's config")
    elif whole_number(amount) == 0:
        message = f"it asks for {name}: 0, so its pods get no GPU"
        yield _found(workload, path, message, "Leave the resource out where no GPU is meant, or ask for 1", Severity.INFO)


def _is_no_whole_number(amount: Any) -> bool:
    if isinstance(amount, float):
        return not amount.is_integer()
    return bool(re.fullmatch(r"-.*|\d*\.\d*[1-9]\d*|\d*[1-9]\d*[munp]", str(amount))) and not re.fullmatch(r"\d+000m", str(amount))


def _together(workload: Workload, container: Container, requests: Mapping[str, Any], limits: Any) -> Iterator[Found]:
    """Whether what is requested is the limit, as it has to be of what can't be given twice."""
    for name, requested in known_items(requests):
        limit = at(limits, name)
        if not is_gpu(name) or is_open(requested) or is_open(limit):
            continue
        if limit is None:
            if workload.complete:
                message = f"it requests {name}: {requested} without a limit: the API server refuses the pod (Limit must be set for non overcommitable resources)"
                yield _found(
                    workload, _path(container, "requests", name), message, f"Set limits {name}: {requested}; the request follows it"
                )
        elif whole_number(limit) is not None and whole_number(requested) is not None and whole_number(limit) != whole_number(requested):
            message = (
                f"it requests {name}: {requested} with a limit of {limit}: the API server refuses the pod (must be equal to {name} limit)"
            )
            yield _found(workload, _path(container, "requests", name), message, f"Request {limit}, or leave the request out")


def _found(workload: Workload, path: Path, message: str, fix: str, severity: Severity = Severity.ERROR) -> Found:
    return Found(severity=severity, message=message, about=workload.about, path=path, fix=fix)


RULES = (
    Rule(
        id="TG045",
        claim="A container asks for whole GPUs, by a limit that is equal to the request",
        symptom='spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: "500m": must be an integer; Limit must be set for non '
        "overcommitable resources; must be equal to nvidia.com/gpu limit",
        severity=Severity.ERROR,
        fix="Set limits nvidia.com/gpu to a whole number, and leave the request out",
        source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
        judge=_refused,
        failing=Example(yaml=pod("      resources: {limits: {nvidia.com/gpu: 0.5}}\n")),
        passing=Example(yaml=pod('      resources: {limits: {nvidia.com/gpu: "1"}, requests: {nvidia.com/gpu: 1, cpu: 500m}}\n')),
    ),
)
