"""Quotas of namespaces against the workloads there: ResourceQuotas that are too small or count nothing, and LimitRanges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....observed.model import Inputs, KubernetesObject, at, is_open, known_items
from ....observed.pods.pod_counts import autoscaler_of, maximum_field, sum_of
from ....observed.pods.workloads import gpu_workloads, whole_number, workloads
from ....observed.usage.gpu_usage import Usage
from ....observed.usage.quotas import ContainerRange, Quota, charge, charged, container_ranges, in_namespace, quotas
from ....observed.usage.sums import updates
from ....upstream.nvidia.gpu_resources import CLASS_QUOTA_SUFFIX, REQUESTS_PREFIX, is_gpu
from ...report_words import count
from ...rule import Example, Part, Rule, Severity, Violation, Witness
from .._shared import in_deployment
from .requests import listed_requests, related

_QUOTA = """\
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: gpus, namespace: ollama}
spec: {hard: {%s: "%d"}}
"""
_KEY = "requests.nvidia.com/gpu"
_TWO = in_deployment("  replicas: 2\n  strategy: {type: Recreate}\n")


@Rule(
    id="TG150",
    claim="The ResourceQuota of a namespace has the GPUs that its workloads request",
    symptom='pods "ollama-7d" is forbidden: exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: requests.nvidia.com/gpu=1, limited: '
    "requests.nvidia.com/gpu=1; FailedCreate of a ReplicaSet, and a Deployment with fewer pods than replicas",
    fix="Raise the number in spec.hard of the ResourceQuota, or request fewer GPUs in the namespace",
    source="https://kubernetes.io/docs/concepts/policy/resource-quotas/",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_TWO + _QUOTA % (_KEY, 1)),
    passing=Example(_TWO + _QUOTA % (_KEY, 2)),
    examples={
        "a quota of another namespace": Example(_TWO + (_QUOTA % (_KEY, 1)).replace("namespace: ollama", "namespace: other")),
        "a quota for pods of another priority": Example(
            _TWO
            + (_QUOTA % (_KEY, 1)).replace(
                "spec: {", "spec: {scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [low]}]}, "
            )
        ),
    },
)
def _beyond_quota(inputs: Inputs) -> Iterator[Violation]:
    for quota in quotas(inputs):
        sure = Severity.WARNING if quota.about.namespace is None else Severity.ERROR
        found = list(_in_quota(inputs, quota, quota.counted, sure))
        yield from found or _in_quota(inputs, quota, (*quota.counted, *quota.perhaps), Severity.INFO)


def _in_quota(inputs: Inputs, quota: Quota, rows: Sequence[Usage], worst: Severity) -> Iterator[Violation]:
    """The violations of these requests: of one pod, of all that stay, of Jobs, of autoscalers and rolling updates. `worst`
    is the severity of a pod that is surely refused."""
    for row in rows:
        if (each := charge(row) or 0) > quota.most:
            message = f"the pod requests {each} {row.requested}, but {_allows(quota)}. The API server refuses the pod"
            yield Violation(worst, message, row.workload.about, row.path, fix=_fix(_raised(quota, each)), related=_part(quota))
    fitting = [row for row in rows if (charge(row) or 0) <= quota.most]
    staying = [row for row in fitting if not row.passes]
    if (refused := _too_many(quota, staying, worst)) is not None:
        yield refused
        return
    held = sum(charged(row).least for row in staying)
    passing = sorted((row for row in fitting if row.passes), key=lambda row: held + (charge(row) or 0) <= quota.most)
    yield from filter(None, [_too_many(quota, [*staying, *passing], worst, held)])
    yield from _grown(inputs, quota, staying, worst)


def _too_many(quota: Quota, rows: Sequence[Usage], worst: Severity, held: int = 0) -> Violation | None:
    """The violation of the first workload that is beyond the quota if these are created in this order. `held` is what the
    pods that stay request: a Job whose pods fit beside them one after the other runs to its end."""
    wanted = 0
    for number, row in enumerate(rows):
        wanted += charged(row).least
        if wanted > quota.most:
            asking = rows[: number + 1] if row.passes else rows
            total = sum_of(map(charged, asking))
            effect = "The API server refuses the pods that are created last"
            if row.passes and row.workload.kind != "Pod":
                effect = "The Job waits until other pods end"
            message = (
                f"the workloads of the namespace request {'' if total.is_exact else 'at least '}{total.least} {row.requested}, but {_allows(quota)}. "
                f"{effect} ({listed_requests(asking)})"
            )
            severity = worst
            if row.passes:
                severity = Severity.INFO if held + (charge(row) or 0) <= quota.most else worst.lowered if worst is Severity.ERROR else worst
            fix = _fix(_raised(quota, total.least))
            return Violation(severity, message, row.workload.about, row.path, fix=fix, related=(*_part(quota), *related(asking)))
    return None


def _grown(inputs: Inputs, quota: Quota, rows: Sequence[Usage], worst: Severity) -> Iterator[Violation]:
    """The violations of autoscalers at their maximum, and of rolling updates: the pods that they add are refused."""
    wanted = sum(charged(row).least for row in rows)
    growing = []
    for row in rows:
        about, most = row.workload.about, charged(row).most
        scaler = autoscaler_of(inputs, about) if isinstance(about, KubernetesObject) else None
        others = wanted - charged(row).least
        if scaler is not None and most is not None and others + most > quota.most:
            growing.append(row.workload.about)
            field = maximum_field(scaler)
            beside = f" beside {others} of other workloads" if others else ""
            message = (
                f"{field}: {whole_number(scaler.at('spec', field))} lets the pods of {row.workload.name} request {most} {row.requested}{beside}, but "
                f"{_allows(quota)}. The API server refuses the other pods"
            )
            fix = _fix(f"lower {field}", _raised(quota, others + most))
            yield Violation(worst.lowered, message, scaler, ("spec", field), fix=fix, related=(*_part(quota), *related([row])))
    for update in updates(rows, charge):
        row, total = update.row, wanted + update.added
        if total > quota.most and row.workload.about not in growing:
            message = (
                f"a rolling update adds {update.extra} to {count(update.pods, 'pod')} before it removes one. The workloads of the namespace then request "
                f"{total} {row.requested}, but {_allows(quota)}. The API server refuses the new pod, and the rollout never ends"
            )
            fix = _fix(f"set {update.without_surge}", _raised(quota, total))
            yield Violation(worst.lowered, message, row.workload.about, row.path, fix=fix, related=_part(quota))


def _allows(quota: Quota) -> str:
    return f"the {quota.about.label} allows {quota.most}"


def _part(quota: Quota) -> tuple[Part, ...]:
    return ((quota.about, quota.path),)


def _raised(quota: Quota, number: int) -> str:
    return f'raise {quota.path[-1]} to "{number}" in the {quota.about.label}'


def _fix(*ways: str) -> str:
    sentence = ", or ".join(ways)
    return f"{sentence[0].upper()}{sentence[1:]}"


_LARGE = in_deployment(
    "  strategy: {type: Recreate}\n",
    "          resources: {limits: {nvidia.com/gpu: 2}}\n          volumeMounts: [{name: shm, mountPath: /dev/shm}]\n"
    "      volumes: [{name: shm, emptyDir: {medium: Memory}}]\n",
)
_RANGE = """\
---
apiVersion: v1
kind: LimitRange
metadata: {name: gpus, namespace: ollama}
spec:
  limits:
    - type: Container
      max: {nvidia.com/gpu: "%d"}
      default: {nvidia.com/gpu: "0"}
      defaultRequest: {nvidia.com/gpu: "0"}
"""


@Rule(
    id="TG151",
    claim="A container requests no more GPUs than the LimitRange of its namespace allows",
    symptom='pods "ollama-7d" is forbidden: maximum nvidia.com/gpu usage per Container is 1, but limit is 2; '
    "Limit must be set for non overcommitable resources, for pods that need no GPU",
    fix="Raise max of the LimitRange, or lower the container's limit",
    source="https://kubernetes.io/docs/concepts/policy/limit-range/",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_LARGE + _RANGE % 1),
    passing=Example(_LARGE + _RANGE % 2),
)
def _too_large_container(inputs: Inputs) -> Iterator[Violation]:
    for each in container_ranges(inputs):
        yield from _given_to_all(inputs, each)
        about, name, most = each.about, each.name, whole_number(each.of("max"))
        for workload in gpu_workloads(inputs) if most is not None else ():
            same = in_namespace(about.namespace, workload.namespace)
            for container in workload.containers if not same.is_no else ():
                limit = whole_number(container.gpus.get(name))
                if limit is not None and most is not None and limit > most:
                    message = f"the container requests {limit} {name}, but the {about.label} allows a container {most}. The API server refuses the pod"
                    sure = Severity.ERROR if about.namespace is not None else Severity.WARNING
                    yield Violation(
                        sure if same.is_yes else Severity.INFO,
                        message,
                        workload.about,
                        (*container.path, "resources", "limits", name),
                        fix=f'Set max: {{{name}: "{limit}"}} in the {about.label}, or lower the limit to {most}',
                        related=((about, each.path("max")),),
                    )


def _given_to_all(inputs: Inputs, limits: ContainerRange) -> Iterator[Violation]:
    """The violation of what the API server gives to every container that names no limit: GPUs, or a request without a limit,
    which no pod may have (kubernetes plugin/pkg/admission/limitranger/admission.go and ValidateResourceRequirements at
    v1.37.2, 2026-11-28)."""
    about, name = limits.about, limits.name
    key, default = limits.default
    request = next((each for each in ("defaultRequest", "min") if limits.of(each) is not None), None)
    given = whole_number(default)
    if any(is_open(at(limits.limit, each)) for each in ("default", "max")) or not (given or (default is None and request)):
        return
    others = [
        each
        for each in workloads(inputs)
        if in_namespace(about.namespace, each.namespace).is_yes and any(name not in container.gpus for container in each.containers)
    ]
    message = f"the {about.label} gives each container of the namespace that names no {name} a "
    worst = Severity.WARNING
    if given:
        message += f"limit of {given}. Pods that need no GPU take one, or stay Pending"
    else:
        message += "request without a limit. The API server refuses these pods"
        worst, key = Severity.ERROR, f"{request}"
    halves = tuple((each.about, each.path) for each in others[:1])
    yield Violation(worst if others else Severity.INFO, message, about, limits.path(key), fix=_without_gpus(limits), related=halves)


def _without_gpus(limits: ContainerRange) -> str:
    """The fix by which a container that names no GPU gets none. The API server takes no default below `min`
    (ValidateLimitRange, kubernetes pkg/apis/core/validation/validation.go at v1.37.2, 2026-11-28)."""
    least, written = limits.of("min"), [key for key in ("max", "default", "defaultRequest") if limits.of(key) is not None]
    zero = f'set default: {{{limits.name}: "0"}} and defaultRequest: {{{limits.name}: "0"}}'
    zero += " beside max" if limits.default[0] == "max" and "max" in written else ""
    if least is not None and whole_number(least) != 0:
        return f"Remove min, and {zero}" if written else "Remove min"
    unlimited = next((key for key in ("defaultRequest", "min") if limits.default[1] is None and limits.of(key) is not None), None)
    return _fix(zero, f"remove {unlimited}") if unlimited else _fix(zero)


_UNCOUNTED = "ResourceQuota gpus has no used amount of nvidia.com/gpu"


@Rule(
    id="TG152",
    claim="A ResourceQuota counts GPUs by a name that Kubernetes counts",
    symptom=f"{_UNCOUNTED}; kubectl describe resourcequota; pods above the quota start",
    fix="Write the name with the prefix requests.: requests.nvidia.com/gpu",
    source="https://kubernetes.io/docs/concepts/policy/resource-quotas/#quota-for-extended-resources",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_TWO + _QUOTA % ("nvidia.com/gpu", 2)),
    passing=Example(_TWO + _QUOTA % (_KEY, 2)),
)
def _counts_nothing(inputs: Inputs) -> Iterator[Violation]:
    for quota in inputs.of_kind("ResourceQuota"):
        hard = dict(known_items(quota.at("spec", "hard")))
        for key in hard:
            name = key.removeprefix("limits.")
            if is_gpu(name) and not key.endswith(CLASS_QUOTA_SUFFIX):
                counted = f"{REQUESTS_PREFIX}{name}"
                beside = "" if counted not in hard else f". {counted} beside it counts"
                message = f"the API server takes {key} in a ResourceQuota, and counts nothing by this name{beside}"
                yield Violation(
                    Severity.ERROR if not beside else Severity.INFO,
                    message,
                    quota,
                    ("spec", "hard", key),
                    fix=f"Write {counted} instead of {key}",
                )
