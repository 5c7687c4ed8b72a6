"""Kueue's queues against the nodes and the workloads: GPUs that others hold, workloads that no queue ever admits, and names
of queues that do not exist."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....arguments.plain_values import EMPTY
from ....observed.model import Answer, Inputs, KubernetesObject, Path, all_of, at, is_given, is_open, known_list, known_str, mappings
from ....observed.objects.object_names import may_have, named
from ....observed.placement.selection import selects_labels
from ....observed.pods.pod_counts import Count, sum_of
from ....observed.pods.workloads import Workload, pods_of_group
from ....observed.usage.gpu_usage import Usage, name_of, offered, total_of, usage
from ....observed.usage.preemption import makes_room, outranks, preempts
from ....observed.usage.queues import FlavorQuota, capacity, cluster_queue, flavor_quotas, queue_name
from ....observed.usage.sums import most_of, queued
from ....upstream.kubernetes.network import NAMESPACE_LABEL
from ....upstream.programs.cluster_programs import LEAST_PARALLELISM, QUEUE_LABEL, WHOLE_WORKLOADS
from ...report_words import listed
from ...rule import Example, Rule, Severity, Violation, Witness, set_to
from .._shared import in_deployment
from .requests import listed_requests, related

_NODES = 'talos: "1.14"\nnodes:\n  gpu:\n    count: 1\n    cards: 2\n'
_SERVER = in_deployment("  strategy: {type: Recreate}\n")
_QUEUE = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: gpu}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: gpus}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors:
        - name: gpu
          resources:
            - name: nvidia.com/gpu
              nominalQuota: %d
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: gpus, namespace: ollama}
spec: {clusterQueue: gpus}
"""


@Rule(
    id="TG153",
    claim="Kueue hands out no GPUs that pods outside of its queues hold",
    symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for a pod of a Workload that Kueue has admitted; the Workload keeps its quota",
    fix="Lower nominalQuota of the ClusterQueue to what the nodes offer without the pods outside of its queues, or give those pods the label "
    "kueue.x-k8s.io/queue-name",
    source="https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#resource-groups",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(_SERVER + _QUEUE % 2, nodes_file=_NODES),
    passing=Example(_SERVER + _QUEUE % 1, nodes_file=_NODES),
    examples={
        "a server that stands in the queue": Example(
            (_SERVER + _QUEUE % 2).replace(
                "ollama, namespace: ollama}", "ollama, namespace: ollama, labels: {kueue.x-k8s.io/queue-name: gpus}}"
            ),
            nodes_file=_NODES,
        )
    },
)
def _handed_out_twice(inputs: Inputs) -> Iterator[Violation]:
    quotas = [each for each in flavor_quotas(inputs) if not each.by_node]
    for classes, resource in dict.fromkeys((each.classes, each.resource) for each in quotas if each.classes):
        has = total_of([offered(each, resource) for each in classes])
        shares = [each for each in quotas if each.resource == resource and each.classes and set(each.classes) <= set(classes)]
        rows = [row for row in usage(inputs) if row.resource == resource and row.nodes and set(row.nodes) <= set(classes)]
        servers = [row for row in rows if not row.passes and queued(inputs, row).is_no]
        if has is not None:
            name, waiting = " and ".join(map(name_of, classes)), [row for row in rows if queued(inputs, row).is_yes]
            answers = [(row, _gives_way(row, waiting, inputs)) for row in servers]
            violations = [
                _exceeding(shares, [row for row, found in answers if found.is_no], has, name),
                _exceeding(shares, [row for row, found in answers if not found.is_yes], has, name, _PERHAPS),
                _exceeding(shares, servers, has, name, _PREEMPTED),
            ]
            yield from sorted(filter(None, violations), key=lambda each: list(Severity).index(each.severity))[:1]


def _gives_way(server: Usage, waiting: Sequence[Usage], inputs: Inputs) -> Answer:
    """Whether all pods of the queues preempt a server. Of queues whose workloads are elsewhere only pods of the default
    priority are known."""
    if waiting:
        return all_of(preempts(row, server, inputs) for row in waiting)
    return Answer.NO if outranks(EMPTY, server.workload.spec, inputs).is_no else Answer.UNKNOWN


_PERHAPS = "Kueue admits workloads whose pods then stay Pending, if they have no higher priority"
_PREEMPTED = "Kueue admits workloads whose pods preempt those of a lower priority, which then stay Pending"


def _exceeding(
    shares: Sequence[FlavorQuota],
    servers: Sequence[Usage],
    has: int,
    name: str,
    effect: str = "Kueue admits workloads whose pods then stay Pending",
) -> Violation | None:
    """The violation at the largest quota. Several queues together may promise more than there is: who overcommits knows it,
    and each of them is served at times."""
    largest = max(shares, key=lambda each: (each.nominal, each.queue.label))
    held, total = sum_of(row.total for row in servers), sum(each.nominal for each in shares)
    updated = sum_of(Count(0, "updated", most_of(row)) for row in servers).most
    for handed, taken, severity, when in (
        (largest.nominal, held.least, Severity.ERROR, ""),
        (total, held.least, Severity.WARNING, ""),
        (total, held.most, Severity.WARNING, " at the maximum of their autoscalers"),
        (total, updated, Severity.INFO, " in a rolling update"),
    ):
        if taken is not None and handed + taken > has:
            queues = listed(sorted({each.queue.label for each in shares})) if handed > largest.nominal else "the queue"
            least = "" if held.is_exact or when else "at least "
            outside = f", and pods outside of the queues request {least}{taken}{when} ({listed_requests(servers)})" if taken else ""
            message = (
                f"{queues} hand{'' if handed > largest.nominal else 's'} out {handed} {largest.resource} on {name}{outside}, but the nodes offer only "
                f"{has}. {effect}"
            )
            fitting = has - taken - (handed - largest.nominal)
            is_sure = all(each.is_sure for each in shares) and not any(is_given(largest.queue.at("spec", key)) for key in _CHECKS)
            found = Severity.INFO if effect == _PREEMPTED else severity.lowered if effect == _PERHAPS else severity
            return Violation(
                found if is_sure else found.lowered,
                message,
                largest.queue,
                largest.path,
                fix=f"Lower nominalQuota to {fitting}, or give the pods outside the label {QUEUE_LABEL}" if fitting > 0 else None,
                edits=set_to(fitting, safe=False) if fitting > 0 else (),
                related=(*related(servers), *((each.queue, each.path) for each in shares if each is not largest)),
            )
    return None


_CHECKS = ("admissionChecks", "admissionChecksStrategy")
"""The fields of a ClusterQueue whose checks may add nodes before a workload starts (ProvisioningRequest)."""


_IN_COHORT = (_QUEUE % 2).replace("namespaceSelector: {}", "namespaceSelector: {}\n  cohortName: all")


def _job(parallelism: int) -> str:
    return f"""\
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {{name: nvidia}}
handler: nvidia
---
apiVersion: batch/v1
kind: Job
metadata: {{name: train, namespace: ollama, labels: {{kueue.x-k8s.io/queue-name: gpus}}}}
spec:
  parallelism: {parallelism}
  template:
    spec:
      runtimeClassName: nvidia
      restartPolicy: Never
      containers:
        - name: train
          image: example.com/train:1.4
          resources: {{limits: {{nvidia.com/gpu: 1}}}}
"""


@Rule(
    id="TG154",
    claim="A queue can ever admit the workloads that stand in it",
    symptom="couldn't assign flavors to pod set main: insufficient quota for nvidia.com/gpu in flavor gpu, previously considered podsets requests "
    "(0) + current podset request (4) > maximum capacity (2); a Job that stays suspended",
    fix="Raise nominalQuota or borrowingLimit of the ClusterQueue, or request fewer GPUs",
    source="https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/#cohort",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(_job(4) + _QUEUE % 2),
    passing=Example(_job(2) + _QUEUE % 2),
    examples={
        "a cohort that lends the rest": Example(
            _job(4) + _IN_COHORT + _IN_COHORT.replace("{name: gpus}", "{name: others}").replace("{name: gpus,", "{name: others,")
        ),
        "a Job that may start with fewer pods": Example(
            _job(4).replace("gpus}}", f'gpus}}, annotations: {{{LEAST_PARALLELISM}: "1"}}}}') + _QUEUE % 2
        ),
    },
)
def _never_admitted(inputs: Inputs) -> Iterator[Violation]:
    staying: dict[tuple[int, str], list[Usage]] = {}
    parts: dict[tuple[int, str], list[Usage]] = {}
    for row in usage(inputs) if flavor_quotas(inputs) else ():
        found = cluster_queue(row.workload, inputs)
        if found is None or row.gpus is None or not row.resource:
            continue
        queue = found[1]
        shares = _shares(inputs, queue, row.resource)
        most = [capacity(each, inputs) for each in shares]
        whole = _admitted_at_once(row)
        if shares and _is_whole(row):
            parts.setdefault((id(row.workload.about), row.resource), []).append(row)
        if shares and None not in most and whole > max(each or 0 for each in most):
            message = (
                f"Kueue admits the workload with {whole} {row.requested} at once, but the {queue.label} hands out at most "
                f"{max(each or 0 for each in most)} of a flavor. The workload waits for ever"
            )
            yield Violation(_sure(shares), message, row.workload.about, row.path, related=((queue, shares[0].path),))
        elif shares and not row.passes:
            staying.setdefault((id(queue), row.resource), []).append(row)
        elif not shares and not row.by_claim and _covers_no(queue, row.resource):
            message = (
                f"the {queue.label} covers no {row.resource}, which the pods request. The workload waits for ever, unless Kueue's Configuration "
                "leaves the resource out or counts it as another one"
            )
            fix = f"Add {row.resource} to coveredResources of the ClusterQueue, with a quota in each flavor"
            yield Violation(
                Severity.WARNING, message, row.workload.about, row.path, fix=fix, related=((queue, ("spec", "resourceGroups")),)
            )
    for (_, resource), rows in staying.items():
        yield from _together(inputs, rows, resource)
    for (_, resource), rows in parts.items():
        yield from _of_parts(inputs, rows, resource)


def _of_parts(inputs: Inputs, rows: Sequence[Usage], resource: str) -> Iterator[Violation]:
    """The violation of a workload whose parts each fit a flavor, but not all of them together: Kueue admits one Workload
    with all of them."""
    found = cluster_queue(rows[0].workload, inputs)
    shares = _shares(inputs, found[1], resource) if found else []
    most = [capacity(each, inputs) for each in shares]
    total, whole = total_of(most), sum(map(_admitted_at_once, rows))
    if found and total is not None and whole > total and all(_admitted_at_once(row) <= max(each or 0 for each in most) for row in rows):
        message = (
            f"Kueue admits the workload with {whole} {resource} at once, but the {found[1].label} hands out at most {total}. The workload waits for "
            f"ever ({listed_requests(rows)})"
        )
        halves = ((found[1], shares[0].path), *related(rows[1:]))
        yield Violation(_sure(shares), message, rows[0].workload.about, rows[0].path, related=halves)


def _together(inputs: Inputs, rows: Sequence[Usage], resource: str) -> Iterator[Violation]:
    """The violation of pods that never end, of which the queue admits only a part."""
    found = cluster_queue(rows[-1].workload, inputs)
    shares = _shares(inputs, found[1], resource) if found else []
    most, wanted = total_of([capacity(each, inputs) for each in shares]), sum_of(row.total for row in rows)
    if found and most is not None and wanted.least > most:
        room = makes_room(rows, lambda some: sum(each.total.least for each in some) > most, inputs)
        ranked = ", or those of the lowest priority," if room.is_yes else ""
        perhaps = ", if they have no higher priority" if room is Answer.UNKNOWN else ""
        message = (
            f"the pods in the {found[1].label} that never end request {wanted.least} {resource}, but the queue hands out at most {most}. The last ones"
            f"{ranked} are never admitted{perhaps} ({listed_requests(rows)})"
        )
        severity, halves = _sure(shares) if room.is_no else Severity.WARNING, ((found[1], shares[0].path), *related(rows))
        yield Violation(severity, message, rows[-1].workload.about, rows[-1].path, related=halves)


def _shares(inputs: Inputs, queue: KubernetesObject, resource: str) -> list[FlavorQuota]:
    return [each for each in flavor_quotas(inputs) if each.queue is queue and each.resource == resource]


def _sure(shares: Sequence[FlavorQuota]) -> Severity:
    """Another file may have further queues of a cohort, which lend more."""
    return Severity.WARNING if any(each.cohort for each in shares) else Severity.ERROR


def _admitted_at_once(row: Usage) -> int:
    """The GPUs of the pods that Kueue admits together: of a LeaderWorkerSet those of one group
    (kubernetes-sigs/kueue pkg/controller/jobs/leaderworkerset at v0.19.2, 2026-11-28)."""
    if row.workload.kind == "LeaderWorkerSet":
        return pods_of_group(row.workload) * (row.gpus or 0) if row.pods.least else 0
    return row.total.least if _is_whole(row) else (row.gpus or 0)


def _is_whole(row: Usage) -> bool:
    """Whether Kueue admits all pods of an object together, or none."""
    is_whole = row.workload.kind in (*WHOLE_WORKLOADS, "LeaderWorkerSet") or (row.workload.kind == "" and row.passes)
    return is_whole and row.workload.about.at("metadata", "annotations", LEAST_PARALLELISM) is None


def _covers_no(queue: KubernetesObject, resource: str) -> bool:
    """Whether the groups of a queue, all of them readable, cover no such resource."""
    groups = queue.at("spec", "resourceGroups")
    covered = [at(group, "coveredResources") for _, group in mappings(groups)]
    return not is_open(groups) and not any(map(is_open, covered)) and not any(resource in known_list(each) for each in covered)


@Rule(
    id="TG157",
    claim="A queue that a GPU workload names exists, with its flavors, and takes workloads of the namespace",
    symptom="LocalQueue gpus doesn't exist; ClusterQueue gpus doesn't exist; Can't admit new workloads: references missing ResourceFlavor(s): gpu; "
    "workload namespace doesn't match ClusterQueue selector; a Job that stays suspended",
    fix="Create the LocalQueue in the namespace of the workload, with the name of a ClusterQueue whose flavors exist and whose namespaceSelector "
    "selects the namespace",
    source="https://kueue.sigs.k8s.io/docs/concepts/local_queue/",
    severity=Severity.WARNING,
    shown_by=Witness.PROGRAM,
    failing=Example((_job(1) + _QUEUE % 2).replace("queue-name: gpus", "queue-name: gpu-queue")),
    passing=Example(_job(1) + _QUEUE % 2),
)
def _missing_queue(inputs: Inputs) -> Iterator[Violation]:
    has_queues = bool(inputs.of_kind("LocalQueue"))
    for workload in {id(row.workload): row.workload for row in usage(inputs)}.values():
        if not (has_queues or _has_label(workload)):
            continue
        written, path = queue_name(workload)
        if isinstance(written, str) and not may_have(inputs, "LocalQueue", written, workload.namespace):
            where = f" in the namespace {workload.namespace}" if isinstance(workload.namespace, str) else ""
            message = f"nothing {inputs.here} creates the LocalQueue {written}{where}. Without the queue the workload waits for ever"
            yield Violation(_known(inputs, "LocalQueue"), message, workload.about, path, related=_others(inputs, "LocalQueue"))
        found = cluster_queue(workload, inputs)
        namespace = workload.namespace
        if found and isinstance(namespace, str) and _takes_none_of(inputs, found[1], namespace):
            message = f"the namespaceSelector of the {found[1].label} does not select the namespace {namespace}. Kueue admits no workload of the namespace"
            fix = f"Set namespaceSelector of the ClusterQueue to {{}}, or to labels of the namespace {namespace}"
            selector = ("spec", "namespaceSelector")
            yield Violation(
                Severity.WARNING,
                message,
                workload.about,
                path,
                fix=fix,
                related=((found[1], selector), (found[0], ("spec", "clusterQueue"))),
            )
    yield from _missing_parts(inputs)


def _has_label(workload: Workload) -> bool:
    """Whether the label of a queue is written. There may be a hundred thousand workloads, and no queue."""
    for metadata in (workload.about.body.get("metadata"), workload.metadata):
        labels = metadata.get("labels") if isinstance(metadata, dict) else None
        if isinstance(labels, dict) and QUEUE_LABEL in labels:
            return True
    return workload.kind == "CronJob"


def _missing_parts(inputs: Inputs) -> Iterator[Violation]:
    """The violations of LocalQueues without their ClusterQueue, and of ClusterQueues of GPUs without a flavor."""
    for local in inputs.of_kind("LocalQueue"):
        name = known_str(local.at("spec", "clusterQueue"))
        if name is not None and not may_have(inputs, "ClusterQueue", name, None):
            message = f"nothing {inputs.here} creates the ClusterQueue {name}. Without it no workload of the {local.label} starts"
            path: Path = ("spec", "clusterQueue")
            yield Violation(_known(inputs, "ClusterQueue"), message, local, path, related=_others(inputs, "ClusterQueue"))
    for each in {(id(each.queue), each.flavor): each for each in flavor_quotas(inputs)}.values():
        if not may_have(inputs, "ResourceFlavor", each.flavor, None):
            message = f"nothing {inputs.here} creates the ResourceFlavor {each.flavor}. Without the flavor the {each.queue.label} admits no workload"
            fix = f"Create the ResourceFlavor {each.flavor}"
            yield Violation(
                _known(inputs, "ResourceFlavor"),
                message,
                each.queue,
                (*each.path[:5], "name"),
                fix=fix,
                related=_others(inputs, "ResourceFlavor"),
            )


def _known(inputs: Inputs, kind: str) -> Severity:
    """A kind that the files have is likely there as a whole; without one of it another repository may have all."""
    return Severity.WARNING if inputs.of_kind(kind) else Severity.INFO


def _others(inputs: Inputs, kind: str) -> tuple[tuple[KubernetesObject, Path], ...]:
    return tuple((each, ("metadata", "name")) for each in inputs.of_kind(kind))


def _takes_none_of(inputs: Inputs, queue: KubernetesObject, namespace: str) -> bool:
    """Whether a ClusterQueue surely takes no workload of a namespace. Kubernetes labels a namespace with its name; further
    labels are known where the Namespace was read."""
    found = named(inputs, "Namespace", namespace)
    labels = {**(found[0].labels if found else {}), NAMESPACE_LABEL: namespace}
    return selects_labels(queue.at("spec", "namespaceSelector"), labels, is_whole=bool(found)).is_no
