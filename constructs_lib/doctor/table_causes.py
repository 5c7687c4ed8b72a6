"""Causes that the tables of `kubectl get` alone show: an agent of the GPU stack, a GPU pod or a GPU node in a state that is
no good one. A table never says why, so each cause asks for the output that does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..arguments.commands import Command, command
from ..observed.model.live_object import LiveObject
from ..observed.model.table_row import TableRow
from ..symptoms.link import Link, Strength
from ..upstream.kubernetes.table_states import CORDONED, INIT, NONE, NOT_READY, RESTARTED_NOW, PodState, pod_state
from ..upstream.nvidia.agent_programs import OTHER_VENDORS, POD_NAMES, AgentKind
from .cause import Cause
from .fault import Fault
from .gpu_cluster import GpuCluster

_SOURCE = "kubernetes/kubernetes pkg/printers/internalversion/printers.go"
_LOG = command("kubectl logs POD --namespace NAMESPACE --all-containers --prefix")
_LAST_LOG = command("kubectl logs POD --namespace NAMESPACE --all-containers --prefix --previous")
_DESCRIBE = command("kubectl describe pod POD --namespace NAMESPACE")
_NODE = command("kubectl describe node NODE")
_PODS = command("kubectl get pods --namespace NAMESPACE -o wide")
_BESIDE = (AgentKind.GFD, AgentKind.EXPORTER, AgentKind.DCGM, AgentKind.STATUS_EXPORTER)
"""The agents without which pods have their GPUs all the same."""
_OFFERING = (AgentKind.PLUGIN, AgentKind.DRA)
"""The agents that offer the cards. While one of them is ready, another agent that fails takes no offer away."""
_TAIL = (
    r"(?:-daemonset|-kubelet-plugin|-controller|-webhook)?"
    r"(?:-(?:[bcdfghjklmnpqrstvwxz2456789]{1,10}|\d[\d.]*|(?=[a-z]*\d)[a-z0-9]{5}))*$"
)
"""What stands behind the name of an agent: the part of its chart, the versions and the time of a release, and the letters that Kubernetes generates.

Source: kubernetes/apimachinery pkg/util/rand/rand.go, SafeEncodeString; NVIDIA/gpu-operator controllers/object_controls.go, where the DaemonSet of
the driver has the version of OpenShift's system; the charts of POD_NAMES (2026-11-28)
"""
_YOUNG = re.compile(r"\d+s|1m(?:\d+s)?")
"""The ages at which a pod that waits is in order."""


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a state says, behind the name of the agent or `The pod`; how sure it is; and the command that shows why."""

    words: str
    strength: Strength
    why: Command


_MEANINGS = {
    PodState.ENDS: _Meaning("ends with an error soon after each start", Strength.LIKELY, _LAST_LOG),
    PodState.OUT_OF_MEMORY: _Meaning("was ended by the kernel: a container used more memory (RAM) than its limit", Strength.LIKELY, _DESCRIBE),
    PodState.NO_IMAGE: _Meaning("has an image that the node can't pull", Strength.LIKELY, _DESCRIBE),
    PodState.NOT_CREATED: _Meaning("has a container that the kubelet or the runtime can't create", Strength.LIKELY, _DESCRIBE),
    PodState.REFUSED: _Meaning("was refused or ended by the kubelet of its node", Strength.LIKELY, _DESCRIBE),
    PodState.GATED: _Meaning("has a scheduling gate, and the scheduler does not look at it", Strength.LIKELY, _DESCRIBE),
    PodState.PENDING: _Meaning("is not placed on a node, or its sandbox is not made yet", Strength.POSSIBLE, _DESCRIBE),
    PodState.WAITS: _Meaning("has not started: a container waits for the one before it, for a volume or for an image", Strength.POSSIBLE, _DESCRIBE),
    PodState.LOST: _Meaning("is not reported by its node any more", Strength.POSSIBLE, _DESCRIBE),
}  # fmt: skip
_UNPLACED = _Meaning("is placed on no node", Strength.LIKELY, _DESCRIBE)
_INITIAL = _Meaning("waits for an init container, which has not ended", Strength.POSSIBLE, _LOG)
_UNREADY = _Meaning("runs, and not all of its containers are ready", Strength.POSSIBLE, _LOG)
_COMES_BACK = _Meaning("runs, and was started again and again", Strength.POSSIBLE, _LAST_LOG)
_STRENGTHS = list(Strength)


def table_causes(cluster: GpuCluster) -> list[Cause]:
    """The causes in the rows whose objects were not read, the surest first."""
    rows = [each for each in cluster.dump.rows if not _is_read(cluster, each)]
    found = [*_of_nodes(cluster, rows), *_of_pods(cluster, rows)]
    told = {agent_of(row.name) for row in rows if row.kind == "Pod" and _meaning(row)}
    wanted = {agent_of(row.name) for row in rows if row.kind == "DaemonSet" and row.wanted}
    found += [
        each for row in rows if agent_of(row.name) not in told for each in _of_workload(row, is_elsewhere=agent_of(row.name) in wanted)
    ]
    causes: dict[tuple[str, str], Cause] = {}
    for _, subject, link, fault in sorted(found, key=lambda each: each[0]):
        cause = causes.setdefault((fault.name, fault.cause), Cause(link=link, fault=fault))
        cause.subjects.append(subject)
        cause.about.update(dict.fromkeys(fault.about))
    return list(causes.values())


_Found = tuple[int, str, Link | None, Fault]
"""The place by strength, the subject, the link, and the fault."""


def _is_read(cluster: GpuCluster, row: TableRow) -> bool:
    return any(each.name == row.name and each.namespace in (row.namespace or each.namespace) for each in cluster.dump.of_kind(row.kind))


def agent_of(name: str) -> AgentKind | None:
    """The agent that a pod or a workload is by its name: a release may stand before the agent's own name, and what Kubernetes adds behind it. A
    name with other words behind it is that of a dashboard, a job or a test."""
    if OTHER_VENDORS.intersection(name.split("-")):
        return None
    return next((kind for words, kind in POD_NAMES.items() if re.search(rf"(?:^|-){words}{_TAIL}", name)), None)


def _meaning(row: TableRow) -> _Meaning | None:
    state = pod_state(row.status)
    if state is PodState.PENDING and f" {NONE} " in f"{row.evidence.text} " and not row.node:
        return _UNPLACED
    if state is PodState.WAITS and row.status.startswith(INIT):
        return _INITIAL
    if state is None and row.status in ("Running", NOT_READY) and row.ready != row.wanted:
        return _UNREADY
    if row.status == "Running" and RESTARTED_NOW.fullmatch(row.restarts):
        return _COMES_BACK
    return _MEANINGS[state] if state else None


def _of_pods(cluster: GpuCluster, rows: list[TableRow]) -> Iterator[_Found]:
    makers = {f"{each.about.namespace}/{each.about.name}-" for each in cluster.gpu_makers}
    is_offered = any(each.kind == "Pod" and agent_of(each.name) in _OFFERING and _is_ready(each) for each in rows)
    for row in (each for each in rows if each.kind == "Pod" and not _is_replaced(each, rows)):
        agent, meaning = agent_of(row.name), _meaning(row)
        if meaning is not None and meaning.strength is Strength.POSSIBLE and _YOUNG.fullmatch(row.age):
            continue
        is_wanting = any(f"{row.namespace}/{row.name}".startswith(each) for each in makers)
        if meaning is not None and (agent is not None or is_wanting):
            name = f"The {agent}" if agent else "The pod"
            link = (
                (None if is_offered and agent not in _OFFERING else _link(agent))
                if agent
                else Link.SCHEDULED
                if meaning is _UNPLACED
                else Link.STARTED
            )
            body = {"kind": "Pod", "metadata": {"name": row.name, "namespace": row.namespace}, "spec": {"nodeName": row.node}}
            yield _found(row, meaning, f"{name} {meaning.words}: {row.status}", f"pod {row.full_name}", link, body)


def _is_ready(row: TableRow) -> bool:
    return row.status == "Running" and row.ready is not None and row.ready == row.wanted


def _is_replaced(row: TableRow, rows: list[TableRow]) -> bool:
    """Whether a pod of a Deployment that was evicted or lost stays in the list beside one that runs in its place."""
    start = row.name.rsplit("-", 2)[0]
    return pod_state(row.status) in (PodState.REFUSED, PodState.LOST) and any(
        _is_ready(each) and each.namespace == row.namespace and each.name.rsplit("-", 2)[0] == start
        for each in rows
        if each.kind == "Pod" and each is not row
    )


def _of_nodes(cluster: GpuCluster, rows: list[TableRow]) -> Iterator[_Found]:
    known = {each.name for each in cluster.nodes} | {each.node for each in rows if each.kind == "Pod" and agent_of(each.name)}
    for row in (each for each in rows if each.kind == "Node"):
        is_of_gpus = row.name in known or "nvidia" in row.evidence.text
        words = row.status.split(",")
        strength = Strength.LIKELY if is_of_gpus else Strength.POSSIBLE
        unknown = "" if is_of_gpus else ". Whether the node has GPUs was not read"
        body = {"kind": "Node", "metadata": {"name": row.name}}
        if NOT_READY in words:
            meaning = _Meaning("", strength, _NODE)
            yield _found(row, meaning, f"The node is not ready, so no pod starts there{unknown}", row.name, Link.ALLOCATABLE, body)
        elif CORDONED in words and is_of_gpus:
            yield _found(
                row, _Meaning("", strength, _NODE), "The node is cordoned, so no new pod is placed there", row.name, Link.SCHEDULED, body
            )


def _of_workload(row: TableRow, *, is_elsewhere: bool) -> Iterator[_Found]:
    agent = agent_of(row.name)
    if row.kind not in ("DaemonSet", "Deployment") or agent is None or row.wanted is None:
        return
    title = f"{row.kind} {row.full_name}"
    body = {"kind": "Pod", "metadata": {"namespace": row.namespace}}  # for the command's NAMESPACE
    if row.kind == "DaemonSet" and row.wanted == 0:
        # NVIDIA's charts have DaemonSets for nodes that most clusters do not have: with MPS, with MIG, without a driver.
        if agent not in _OFFERING or is_elsewhere:
            return
        selector = f"its node selector {row.selector} matches none" if row.selector not in ("", NONE) else "no node fits its pods"
        meaning = _Meaning("", Strength.LIKELY, command("kubectl get nodes -o yaml"))
        yield _found(row, meaning, f"The {agent} is wanted on no node: {selector}", title, _link(agent), body)
    elif row.ready is not None and row.ready < row.wanted:
        meaning = _Meaning("", Strength.POSSIBLE, _PODS)
        yield _found(row, meaning, f"The {agent} is ready in {row.ready} of {row.wanted} pods", title, _link(agent), body)


def _link(agent: AgentKind) -> Link | None:
    return None if agent in _BESIDE else Link.PLUGIN


def _found(row: TableRow, meaning: _Meaning, words: str, subject: str, link: Link | None, body: Mapping[str, object]) -> _Found:
    first, stop, rest = words.partition(". ")
    fault = Fault(
        name="state-in-a-table",
        cause=f"{first} ({meaning.strength}){stop}{rest}",
        evidence=(row.evidence,),
        consequence=link.consequence if link else "Pods keep their GPUs; what this agent reports is missing",
        fix=meaning.why.explained("the table does not say why, and this output does; give it to talos-gpu doctor"),
        verify=command("kubectl get nodes") if row.kind == "Node" else _PODS,
        source=_SOURCE,
        about=(LiveObject(body, row.evidence.source),),
    )
    return _STRENGTHS.index(meaning.strength), subject, link, fault
