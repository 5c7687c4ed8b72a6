"""GPU amounts of pods: what the API server refuses, and what the device plugins do not advertise or do not share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....arguments.patterns import pattern
from ....arguments.quantities import amount_of
from ....observed.model import Inputs, Path, at, is_open, known_items, known_str, question
from ....observed.nodes.offers import TIME_SLICING, Offer, offers
from ....observed.pods.pod_counts import Count
from ....observed.pods.workloads import Container, Workload, gpu_workloads, whole_number, workloads
from ....upstream.nvidia.gpu_resources import MIG_RESOURCE, SHARED_SUFFIX, is_gpu
from ...rule import Edit, Example, Part, Rule, Severity, Violation, Witness, set_to
from .._causes import INSTALLER
from .._shared import ONE_GPU, TWO_GPUS, plain_release, pod

_QUANTITY = pattern(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?")
_FRACTION = pattern(r"\d*\.\d*[1-9]\d*|\d*[1-9]\d*[munp]")
_WHOLE_IN_MILLIS = pattern(r"\d+000m")


@Rule(
    id="TG045",
    claim="A container requests whole GPUs, by a limit that is equal to the request",
    symptom='spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: "500m": must be an integer; '
    "Limit must be set for non overcommitable resources; must be equal to nvidia.com/gpu limit",
    fix="Set limits nvidia.com/gpu to a whole number, and remove the request",
    source="https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(pod("      resources: {limits: {nvidia.com/gpu: 0.5}}\n")),
    passing=Example(pod('      resources: {limits: {nvidia.com/gpu: "1"}, requests: {nvidia.com/gpu: 1, cpu: 500m}}\n')),
)
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
        fix = f"Request {name.replace('+', '.')}, the name that the device plugin advertises"
        yield Violation(Severity.ERROR, message, workload.about, path, fix=fix)
    written = known_str(amount)
    if not is_gpu(name) or written is None or (not written and not workload.complete):
        return
    edits: tuple[Edit, ...] = ()
    severity, fix = Severity.ERROR, f"Set {name} to a whole number, such as 1"
    if not _QUANTITY.fullmatch(written.strip()):
        message = f"{name}: {written or repr(written)} is not a quantity of Kubernetes. The API server refuses the pod"
    elif written.startswith("-"):
        message = f"{name}: {written} is negative. The API server refuses the pod (must be greater than or equal to 0)"
    elif _is_fraction(amount):
        message = f"{name}: {amount} is not a whole number of GPUs. The API server refuses the pod (must be an integer)"
        fix = f"Set {name}: 1, and share the GPU between pods by time-slicing in the device plugin's config"
        edits = set_to(_written_as(amount, 1)) if 0 < amount_of(str(amount)) < 1 else ()
    elif whole_number(amount) == 0:
        severity, message = Severity.INFO, f"{name}: 0 gives the pod no GPU"
        fix = f"Remove {name} if the pod needs no GPU, or set {name}: 1"
    else:
        return
    yield Violation(severity, message, workload.about, path, fix=fix, edits=edits)


def _is_fraction(amount: Any) -> bool:
    if isinstance(amount, float):
        return not amount.is_integer()
    return bool(_FRACTION.fullmatch(str(amount))) and not _WHOLE_IN_MILLIS.fullmatch(str(amount))


def _written_as(before: Any, amount: Any) -> Any:
    """An amount as a text in place of a text, so that the quotes stay, and as a number in place of a number."""
    return str(amount) if isinstance(before, str) else whole_number(amount)


def _together(workload: Workload, container: Container, requests: Mapping[str, Any], limits: Any) -> Iterator[Violation]:
    """Requests that differ from their limit: Kubernetes does not overcommit GPUs."""
    for name, requested in known_items(requests):
        limit, related = at(limits, name), ((workload.about, _path(container, "limits", name)),)
        if not is_gpu(name) or is_open(requested) or is_open(limit):
            continue
        if limit is None:
            if workload.complete:
                message = f"the pod requests {name}: {requested} without a limit. The API server refuses the pod (Limit must be set for non overcommitable resources)"
                fix = f"Set limits {name}: {requested}, and remove the request"
                edits = set_to(requested, _path(container, "limits", name)) if whole_number(requested) else ()
                path = _path(container, "requests", name)
                yield Violation(Severity.ERROR, message, workload.about, path, fix=fix, edits=edits, related=related)
        elif whole_number(limit) is not None and whole_number(requested) is not None and whole_number(limit) != whole_number(requested):
            message = f"the pod requests {name}: {requested}, but the limit is {limit}. The API server refuses the pod (must be equal to {name} limit)"
            fix = f"Set requests {name}: {limit}, or remove the request"
            edits = set_to(_written_as(requested, limit), safe=False)
            path = _path(container, "requests", name)
            yield Violation(Severity.ERROR, message, workload.about, path, fix=fix, edits=edits, related=related)


@question
def _asked(inputs: Inputs) -> list[tuple[Workload, Container, str]]:
    """Every container that requests a GPU, with the resource."""
    return [
        (workload, container, name) for workload in gpu_workloads(inputs) for container in workload.containers for name in container.gpus
    ]


_PLUGIN = f"""\
---
{plain_release("nvidia-device-plugin", "0.20.0")}  values:
    runtimeClassName: nvidia
    gfd: {{enabled: true}}
    config:
      map:
        config.yaml: |
          version: v1
          sharing:
            timeSlicing:
              renameByDefault: %s
              failRequestsGreaterThanOne: true
              resources: [{{name: nvidia.com/gpu, replicas: 4}}]
"""
_SHARE = "      resources: {limits: {nvidia.com/gpu.shared: 1}}\n"


@Rule(
    id="TG047",
    claim="A pod requests a resource that a device plugin advertises",
    symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu",
    fix="Set limits to the resource that the plugin advertises",
    source="https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#shared-access-to-gpus",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(pod(ONE_GPU) + _PLUGIN % "true"),
    passing=Example(pod(_SHARE) + _PLUGIN % "true"),
    causes=(INSTALLER,),
)
def _not_advertised(inputs: Inputs) -> Iterator[Violation]:
    offered = offers(inputs)
    if offered is None:
        return
    reason = _advertised(offered)
    for workload, container, name in _asked(inputs):
        if not any(each.has(name) for each in offered) and whole_number(container.gpus[name]) != 0:
            is_scaled_down = workload.pods == Count(0)
            effect = "Once the workload has replicas, its pods stay Pending" if is_scaled_down else "The pods stay Pending"
            message = f"the pod requests {name}, but {reason}. {effect}"
            path = _path(container, "limits", name)
            fix = _other_resource(offered, name)
            severity = Severity.WARNING if is_scaled_down else Severity.ERROR
            yield Violation(severity, message, workload.about, path, fix=fix, related=_places(offered))


def _places(offered: Sequence[Offer]) -> tuple[Part, ...]:
    return tuple((each.about, each.path) for each in offered if each.about is not None)


def _advertised(offered: Sequence[Offer]) -> str:
    names = " and ".join(sorted({name for each in offered for name in each.names}))
    if not names:
        return "the GPUs of the described nodes belong to virtual machines (passthrough)"
    if all(each.about is None for each in offered):
        return f"the described nodes offer only {names}"
    return f"the device plugins advertise only {names}"


def _other_resource(offered: Sequence[Offer], name: str) -> str:
    """The fix for a resource that is not advertised: one that is, or the option by which the plugin advertises this
    one."""
    advertised = {each for offer in offered for each in offer.names}
    if not advertised:
        return "Set a nodeSelector for GPU nodes without passthrough, and describe these nodes, too (a cluster file, or GpuNodes)"
    request = f"Set limits: {' or '.join(f'{{{each}: 1}}' for each in sorted(advertised))}"
    if f"{name}{SHARED_SUFFIX}" in advertised:
        return f"{request}, or set renameByDefault: false in the plugin's config"
    if name.endswith(SHARED_SUFFIX):
        return f"{request}, or share {name.removesuffix(SHARED_SUFFIX)} with renameByDefault: true in the plugin's config"
    if name.startswith(MIG_RESOURCE):
        return f"{request}, or set migStrategy: mixed"
    return request


@Rule(
    id="TG046",
    claim="A pod requests one share of a GPU where failRequestsGreaterThanOne is set",
    symptom="UnexpectedAdmissionError: Pod was rejected: Allocate failed due to rpc error: code = Unknown desc = invalid allocation "
    'request for "nvidia.com/gpu": invalid request: maximum request size for shared resources is 1; found 2',
    fix="Set limits nvidia.com/gpu: 1. Two shares give no more of a GPU than one; a pod that needs two GPUs needs nodes without sharing",
    source="NVIDIA/k8s-device-plugin api/config/v1/sharing.go",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(pod(TWO_GPUS) + _PLUGIN % "false"),
    passing=Example(pod(ONE_GPU) + _PLUGIN % "false"),
    causes=(INSTALLER,),
)
def _more_than_one_share(inputs: Inputs) -> Iterator[Violation]:
    for workload, container, name in _asked(inputs):
        offered = [each for each in offers(inputs) or () if each.has(name)]
        number = whole_number(container.gpus[name])
        if number is not None and number > 1 and offered and all(_fails(each, name) for each in offered):
            how = offered[0].shared[name].strategy
            message = (
                f"the pod requests {name}: {number}, but the resource is shared by {how} with failRequestsGreaterThanOne. The device plugin "
                "refuses the pods"
            )
            path, edits = _path(container, "limits", name), set_to(1, safe=False)
            yield Violation(Severity.ERROR, message, workload.about, path, edits=edits, related=_places(offered))


_SHARED = _PLUGIN.replace("failRequestsGreaterThanOne: true", "failRequestsGreaterThanOne: false")
_ONE_CARD = """\
talos: "1.13"
nodes:
  gpu:
    count: 1
    cards: 1
    sharing: {time_slicing: {replicas: 4, fail_requests_greater_than_one: false}}
"""


@Rule(
    id="TG115",
    claim="A pod requests one share of a time-sliced GPU",
    symptom="CUDA error: invalid device ordinal, or nvidia-smi lists one GPU, in a pod with nvidia.com/gpu: 2",
    fix="Set limits nvidia.com/gpu: 1. A pod that needs several cards needs nodes without sharing; fewer replicas "
    "leave each pod more of a card",
    source="NVIDIA/gpu-operator#386; NVIDIA/k8s-device-plugin#491",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(pod(TWO_GPUS) + _SHARED % "false", nodes_file=_ONE_CARD),
    # Each container has one share.
    passing=Example(
        pod(f"{ONE_GPU}    - name: embeddings\n      image: ollama/ollama:0.32.15\n{ONE_GPU}") + _SHARED % "false", nodes_file=_ONE_CARD
    ),
    causes=(INSTALLER,),
)
def _shares_of_one_card(inputs: Inputs) -> Iterator[Violation]:
    for workload, container, name in _asked(inputs):
        offered = [each for each in offers(inputs) or () if each.has(name)]
        number = whole_number(container.gpus[name])
        if number is not None and number > 1 and offered and all(_is_time_sliced(each, name) for each in offered):
            is_sure = bool(inputs.nodes) and all(nodes.gpus_per_node == 1 for nodes in inputs.nodes)
            message = (
                f"the pod requests {name}: {number}, but the resource is shared by time-slicing. {number} shares {'are' if is_sure else 'may be'} shares "
                "of one card: the container then sees one GPU, and gets no more memory or time of the GPU than with one share"
            )
            yield Violation(Severity.WARNING if is_sure else Severity.INFO, message, workload.about, _path(container, "limits", name))


def _is_time_sliced(offer: Offer, name: str) -> bool:
    return name in offer.shared and offer.shared[name].strategy == TIME_SLICING and not _fails(offer, name)


def _fails(offer: Offer, name: str) -> bool:
    return name in offer.shared and offer.shared[name].fails_above_one
