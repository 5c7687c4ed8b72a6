"""Controllers of GPU pods: rolling updates that deadlock or end too early, and DaemonSets that select the pods of another one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from ....observed.model import Inputs, KubernetesObject, Unknown, at, equals, is_given, is_unknown, known_items, question, text_of
from ....observed.nodes.offers import may_offer_more
from ....observed.nodes.offers import offers as plugins_offers
from ....observed.pods.pod_counts import whole_number
from ....observed.pods.workloads import Container, Workload, gpu_workloads, surge, workloads
from ....observed.usage.gpu_usage import offered, offers, total_of
from ....upstream.kubernetes.fields import OF_PROBE, OF_SPEC
from ...report_words import first_of
from ...rule import Edit, Example, Rule, Severity, Violation, Witness, set_to
from .._causes import INSTALLER
from .._shared import NAMED, RUNTIME_CLASS, daemon_set, in_deployment


@Rule(
    id="TG048",
    claim="A Deployment frees a whole GPU before its next pod starts",
    symptom="0/3 nodes are available: 3 Insufficient nvidia.com/gpu, for a new pod while the old one runs; the rollout never ends",
    fix="Set strategy: {type: Recreate}, or strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}",
    source="https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#strategy",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(in_deployment("  replicas: 1\n")),
    passing=Example(in_deployment("  replicas: 1\n  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n")),
    causes=(INSTALLER,),
)
def _waits_for_itself(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        pods = _pods(workload) if workload.kind == "Deployment" and workload.complete else 0
        # Of described nodes TG096 counts the GPUs that several pods need.
        is_counted = pods > 1 and bool(inputs.nodes)
        if is_counted or not surge(workload, pods):
            continue
        names = [name for name, number in workload.gpus.items() if number != 0]
        if names and not _may_be_spare(inputs, names):
            default = "" if is_given(at(workload.controller, "strategy", "type")) else ", the default strategy"
            number, before = ("one pod", "the old pod frees its GPU") if pods == 1 else (f"{pods} pods", "an old pod frees its GPU")
            message = (
                f"the Deployment has {number} and updates by RollingUpdate{default}. The new pod needs {names[0]} before {before}. "
                f"Without a free GPU the new pod stays Pending (Insufficient {names[0]}), and the rollout never ends"
            )
            yield Violation(Severity.WARNING, message, workload.about, _path(workload), edits=_recreated(workload) if pods == 1 else ())


def _pods(workload: Workload) -> int:
    """The pods that a Deployment is written for, 0 for an unknown number. An autoscaler may keep fewer than one pod, or
    add more."""
    replicas = at(workload.controller, "replicas")
    if isinstance(workload.about, KubernetesObject) and (replicas is None or whole_number(replicas) == 1):
        return 1
    return workload.pods.least if workload.pods.is_exact else 0


def _path(workload: Workload) -> tuple[str | int, ...]:
    if workload.path[-2:] == ("template", "spec"):
        return (*workload.path[:-2], "strategy")
    return (*workload.path, "strategy")


def _recreated(workload: Workload) -> tuple[Edit, ...]:
    """The edit of the strategy: one word in the values of a chart. The API server refuses rollingUpdate beside
    Recreate."""
    if not isinstance(workload.about, KubernetesObject):
        return set_to("Recreate", _path(workload), safe=False)
    if is_given(at(workload.controller, "strategy", "rollingUpdate")):
        return ()
    return set_to("Recreate", (*_path(workload), "type"), safe=False)


def _may_be_spare(inputs: Inputs, names: list[str]) -> bool:
    """Whether a free GPU exists for one more pod, or may: on described nodes, or as a share of a plugin that shares."""
    if inputs.nodes:
        amounts = [total_of([offered(nodes, name) for nodes in inputs.nodes if offers(nodes, name)]) for name in names]
        if None not in amounts:
            return all(_held(inputs)[name] < (amount or 0) for name, amount in zip(names, amounts, strict=True))
    shares = [each.shared[name].replicas for each in plugins_offers(inputs) or () for name in names if name in each.shared]
    if may_offer_more(inputs) or None in shares:
        return True
    return bool(shares) and all(_held(inputs)[name] < max(each or 0 for each in shares) for name in names)


@question
def _held(inputs: Inputs) -> Mapping[str, int]:
    """The sum that all workloads hold of every resource."""
    held: Counter[str] = Counter()
    for workload in gpu_workloads(inputs):
        for name, number in workload.gpus.items():
            held[name] += (number or 0) * (workload.pods.least if workload.pods.is_exact else max(workload.pods.least, 1))
    return held


_STARTS = "  strategy: {type: Recreate}\n%s"
_LOADS = """\
          resources: {limits: {nvidia.com/gpu: 1}}
          startupProbe: {httpGet: {path: /health, port: 8000}, periodSeconds: 10, failureThreshold: %d}
"""


def _starting(spec: str, failures: int, old: str = "", new: str = "") -> Example:
    return Example(in_deployment(_STARTS % spec, _LOADS % failures).replace(old, new))


@Rule(
    id="TG137",
    claim="A rollout waits as long as the startup probe of its pods",
    symptom='Deployment "ollama" exceeded its progress deadline; ProgressDeadlineExceeded; a Degraded Application while the model still loads',
    fix="Set spec.progressDeadlineSeconds above initialDelaySeconds + periodSeconds * failureThreshold of the startup probe",
    source="https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#progress-deadline-seconds",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=_starting("  progressDeadlineSeconds: 300\n", 120),
    passing=_starting("  progressDeadlineSeconds: 1500\n", 120),
    examples={
        "a start that takes no longer than the default deadline": _starting("", 60),
        "a StatefulSet, which has no deadline": _starting("", 120, "Deployment", "StatefulSet"),
    },
)
def _too_late(inputs: Inputs) -> Iterator[Violation]:
    for workload in workloads(inputs):
        for container in workload.containers:
            if workload.kind != "Deployment" or _PROBE not in container.body or not workload.complete or not workload.uses_gpus:
                continue
            deadline, budget = _deadline(workload), _budget(container)
            is_written = is_given(at(workload.controller, _DEADLINE))
            if deadline is not None and budget is not None and budget > deadline:
                message = (
                    f"the container may start for {budget} s (startupProbe), and the Deployment is called failed after {deadline} s"
                    f"{'' if is_written else ', the default'}: ProgressDeadlineExceeded. Flux and Argo CD report a failed "
                    "rollout while the model still loads"
                )
                # How long the start really takes is not known; two written numbers say that their author expects it.
                severity = Severity.WARNING if is_written else Severity.INFO
                yield Violation(severity, message, workload.about, (*container.path, _PROBE))


_DEADLINE, _PROBE = "progressDeadlineSeconds", "startupProbe"


def _deadline(workload: Workload) -> int | None:
    """The seconds after which a Deployment is called failed. None for an unreadable number."""
    written = at(workload.controller, _DEADLINE)
    return whole_number(OF_SPEC["Deployment"][_DEADLINE] if written is None else written)


def _budget(container: Container) -> int | None:
    """The seconds that a container may take to start. None without a startup probe, and for unreadable numbers."""
    probe = at(container.body, _PROBE)
    if not isinstance(probe, Mapping) or container.init:
        return None
    numbers = [whole_number(probe.get(key, OF_PROBE[key])) for key in ("initialDelaySeconds", "periodSeconds", "failureThreshold")]
    delay, period, failures = numbers
    return None if delay is None or period is None or failures is None else delay + period * failures


def _daemon_set(name: str, labels: str) -> str:
    container = f"        - name: main\n          image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0\n          command: [{name}]\n"
    return daemon_set(name, container, labels=labels, spec=NAMED)


_PLUGIN, _DISCOVERY = "nvidia-device-plugin", "gpu-feature-discovery"


@Rule(
    id="TG058",
    claim="The selectors of two DaemonSets in one namespace match different pods",
    symptom="kubectl logs of one DaemonSet shows the pods of another; the wrong DaemonSet adopts an orphaned pod",
    fix="Add a different label, such as app.kubernetes.io/component, to the selector and the pods of each DaemonSet",
    source="https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#pod-selector",
    severity=Severity.INFO,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(RUNTIME_CLASS + _daemon_set(_PLUGIN, "{app: nvidia}") + _daemon_set(_DISCOVERY, "{app: nvidia, component: discovery}")),
    passing=Example(
        RUNTIME_CLASS
        + _daemon_set(_PLUGIN, "{app: nvidia, component: plugin}")
        + _daemon_set(_DISCOVERY, "{app: nvidia, component: discovery}")
    ),
)
def _overlap(inputs: Inputs) -> Iterator[Violation]:
    by_label: dict[tuple[str | None, str, str], list[Workload]] = {}
    daemon_sets = [each for each in workloads(inputs) if each.kind == "DaemonSet" and each.complete and not is_unknown(each.namespace)]
    for each in daemon_sets:
        for label in _labels(each).items():
            by_label.setdefault((_namespace(each), *label), []).append(each)
    reported: dict[int, set[int]] = {}
    seen: set[object] = set()
    for number, each in enumerate(daemon_sets):
        selector = _selector(each)
        first = next(iter(selector.items()), None)
        if first is None or is_given(at(each.controller, "selector", "matchExpressions")) or not each.is_nvidia:
            continue
        group = (_namespace(each), frozenset(selector.items()))
        if group in seen:
            continue
        own = reported.get(id(each.about), set())
        others = [
            other
            for other in by_label.get((_namespace(each), *first), ())
            if _is_selected(selector, other)
            and equals(_name(other), _name(each)).is_no
            and own.isdisjoint(reported.get(id(other.about), ()))
        ]
        if others:
            seen.add(group)  # one finding for all DaemonSets with one selector
            for one in (each, *others):
                reported.setdefault(id(one.about), set()).add(number)
            message = (
                f"the selector also matches the pods of {first_of([other.about.label for other in others], _NAMED)}. Either DaemonSet adopts a pod "
                "that loses its owner, and logs and disruption budgets by this selector cover both DaemonSets"
            )
            yield Violation(Severity.INFO, message, each.about, ("spec", "selector"))


_NAMED = 5
"""So many DaemonSets with one selector are named."""


def _namespace(workload: Workload) -> str | None:
    return workload.namespace if isinstance(workload.namespace, str) else None


def _name(workload: Workload) -> str | Unknown | None:
    return text_of(workload.about.at("metadata", "name"))


def _selector(workload: Workload) -> Mapping[str, str]:
    """The labels that a DaemonSet selects; none if a label can't be read."""
    written = at(workload.controller, "selector", "matchLabels")
    known = {key: value for key, value in known_items(written) if isinstance(value, str)}
    return known if isinstance(written, Mapping) and len(known) == len(written) else {}


def _labels(workload: Workload) -> Mapping[str, str]:
    return {key: value for key, value in known_items(at(workload.metadata, "labels")) if isinstance(value, str)}


def _is_selected(selector: Mapping[str, str], workload: Workload) -> bool:
    labels = _labels(workload)
    return all(key in labels and labels[key] == value for key, value in selector.items())
