"""Rows of GPU usage: the request of one workload for one resource, by a limit or by a claim. A claim that pods share counts
once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from ..model import Inputs, KubernetesObject, Path, at, is_open, is_unknown, known_str, mappings, question, same_namespace
from ..nodes.node import described_node
from ..placement.placements import runs_on
from ..pods.claims import CLAIM_KINDS, ClaimRequest, claim_requests, makes_channel
from ..pods.pod_counts import Count
from ..pods.pod_templates import Workload

if TYPE_CHECKING:  # a check of files without described nodes loads no GpuNodes
    from ...nodes.gpu_nodes import GpuNodes


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Usage:
    """The GPU request of one workload for one resource, by a limit or by a claim.

    `nodes` are the classes that the pods may run on. `shared` names the claim that several pods share, `part` the pods
    of an object that has several groups of pods. `requested` is the DeviceClass of a claim, else the resource. `gpus`
    is the amount of `resource` for one pod, None for an unknown amount with its `reason`; `devices` is the number of
    different GPUs that the pod needs of a node whose claims share GPUs. `memory` is the declared GPU memory of one pod
    in bytes, `claimed` the memory that a claim takes of each GPU; None stands for an unknown number.
    """

    workload: Workload
    nodes: tuple[GpuNodes, ...]
    resource: str
    requested: str
    pods: Count
    gpus: int | None
    devices: int = 1
    memory: Decimal | None
    passes: bool
    claim_path: Path = ()
    by_claim: bool = False
    claimed: Decimal | None = None
    reason: str = ""
    shared: str = ""
    part: str = ""

    @property
    def name(self) -> str:
        """The name of the workload, with its part of an object that has several, or of the claim that several pods
        share."""
        return self.shared or f"{self.workload.name} {self.part}".rstrip()

    @property
    def path(self) -> Path:
        """The path of the limit or of the claim."""
        if self.by_claim:
            return self.claim_path
        asking = next(each for each in self.workload.containers if self.resource in each.gpus)
        return (*asking.path, "resources", "limits", self.resource)

    @property
    def is_bounded(self) -> bool:
        """Whether the pods hold their GPUs for a time that the object bounds: those of one Job with a deadline, which the
        Job controller ends in any case."""
        deadline = self.workload.controller.get("activeDeadlineSeconds")
        return self.workload.kind == "Job" and not self.shared and isinstance(deadline, int)

    @property
    def total(self) -> Count:
        """The amount of the resource that all pods request."""
        return self.pods.times(Count(0, self.reason) if self.gpus is None else Count(self.gpus))


def may_run(workload: Workload, nodes: GpuNodes, all_nodes: Sequence[GpuNodes]) -> bool:
    """Whether a workload's pods can run on the nodes of a class, as far as labels and taints are known."""
    return not runs_on(workload.spec, described_node(nodes, all_nodes), is_whole=workload.complete).is_no


def surely_runs(workload: Workload, nodes: GpuNodes) -> bool:
    """Whether labels and taints surely let a workload's pods onto the nodes of a class."""
    return workload.complete and runs_on(workload.spec, described_node(nodes)).is_yes


def name_of(nodes: GpuNodes) -> str:
    """The name of a class, or its labels."""
    return nodes.name or ",".join(f"{key}={value}" for key, value in nodes.labels.items()) or "the GPU nodes"


def gibibytes(amount: Decimal) -> str:
    """An amount of bytes in GiB, as cards are sold."""
    return f"{amount / 2**30:.1f}".removesuffix(".0") + "Gi"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Use:
    """A claim of one workload. `claim` is None for a claim that was not read, with the `reason`."""

    workload: Workload
    path: Path
    claim: KubernetesObject | None
    reason: str = ""


def claim_usage(inputs: Inputs, workloads: Sequence[Workload]) -> Iterator[Usage]:
    """The requests of these workloads by claims."""
    shared: dict[tuple[str, str], list[_Use]] = {}
    for workload in workloads:
        own: list[tuple[Path, ClaimRequest]] = []
        for use in _uses(inputs, workload):
            if use.claim is None:
                yield _unread(inputs, use)
            elif use.claim.kind == "ResourceClaim":
                shared.setdefault((f"{workload.namespace}", f"{use.claim.name}"), []).append(use)
            else:
                own += [(use.path, request) for request in claim_requests(use.claim.at("spec", "spec", "devices"))]
        for path, request in _summed(own):
            yield _row(inputs, workload, request, path, pods=workload.pods)
    for (namespace, name), uses in shared.items():
        yield from _shared(inputs, uses, "" if namespace == "None" else f"{namespace}/", name)


def _uses(inputs: Inputs, workload: Workload) -> Iterator[_Use]:
    claims = at(workload.spec, "resourceClaims")
    if is_open(claims):
        yield _Use(workload=workload, path=(*workload.path, "resourceClaims"), claim=None, reason="its resourceClaims can't be read")
    for index, entry in mappings(claims):
        path = (*workload.path, "resourceClaims", index)
        for key, kind in CLAIM_KINDS.items():
            written = at(entry, key)
            name = known_str(written)
            if is_unknown(written):
                yield _Use(workload=workload, path=path, claim=None, reason=f"the name of its {kind} can't be read")
            elif name is not None and not (key == "resourceClaimTemplateName" and makes_channel(inputs, name, workload.namespace)):
                listed = _claims(inputs).get((kind, name), ())
                claim = next((each for each in listed if same_namespace(each.namespace, workload.namespace).is_yes), None)
                yield _Use(workload=workload, path=path, claim=claim, reason=f"the {kind} {name} is not in these files")


@question
def _claims(inputs: Inputs) -> Mapping[tuple[str, str], Sequence[KubernetesObject]]:
    """The claims and claim templates, by kind and name."""
    result: dict[tuple[str, str], list[KubernetesObject]] = {}
    for each in inputs.of_kind(*CLAIM_KINDS.values()):
        result.setdefault((each.kind, f"{each.name}"), []).append(each)
    return result


def _summed(requests: Sequence[tuple[Path, ClaimRequest]]) -> list[tuple[Path, ClaimRequest]]:
    """Requests of one pod for the same devices as one request."""
    result: dict[Any, tuple[Path, ClaimRequest]] = {}
    for path, request in requests:
        key = (request.resource, request.device_class, request.memory, request.reason)
        if key in result and request.gpus is not None:
            first_path, first = result[key]
            result[key] = first_path, replace(first, gpus=(first.gpus or 0) + request.gpus, devices=max(first.devices, request.devices))
        else:
            result[key] = path, request
    return list(result.values())


def _shared(inputs: Inputs, uses: Sequence[_Use], namespace: str, name: str) -> Iterator[Usage]:
    """The rows of a claim that all its pods share: the claim takes its devices once, when its first pod starts."""
    workloads = [use.workload for use in uses]
    starts = any(each.pods.least for each in workloads)
    waits = next((each.pods.reason for each in workloads if each.pods.reason), "")
    pods = Count(1) if starts else Count(0, waits)
    claim = uses[0].claim
    for _, request in _summed([((), each) for each in claim_requests(claim.at("spec", "devices") if claim else None)]):
        row = _row(inputs, workloads[0], request, uses[0].path, pods=pods)
        fitting = tuple(each for each in row.nodes if all(may_run(workload, each, inputs.all_nodes) for workload in workloads))
        yield replace(row, shared=f"ResourceClaim {namespace}{name}", nodes=fitting, passes=all(each.passes for each in workloads))


def _row(inputs: Inputs, workload: Workload, request: ClaimRequest, path: Path, *, pods: Count) -> Usage:
    return Usage(
        workload=workload, nodes=_classes(inputs, workload), resource=request.resource, requested=request.device_class,
        pods=pods, gpus=request.gpus, devices=request.devices, memory=request.memory, passes=workload.passes, claim_path=path, by_claim=True, claimed=request.memory,
        reason=request.reason,
    )  # fmt: skip


def _unread(inputs: Inputs, use: _Use) -> Usage:
    """The row of an unread claim. Whether the claim requests a GPU is unknown."""
    request = ClaimRequest(path=(), device_class="by claim", resource="", gpus=None, reason=use.reason)
    return _row(inputs, use.workload, request, use.path, pods=use.workload.pods)


def _classes(inputs: Inputs, workload: Workload) -> tuple[GpuNodes, ...]:
    return tuple(each for each in inputs.nodes if each.dra is not None and may_run(workload, each, inputs.all_nodes))
