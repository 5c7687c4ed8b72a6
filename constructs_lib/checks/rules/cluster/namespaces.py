"""Namespaces whose Pod Security refuses the pods that serve GPU nodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ....arguments.commands import command
from ....observed.agents.agents import Agent, agents
from ....observed.agents.operators import Operator, operators
from ....observed.model import Answer, Inputs, Path, Read, Unknown, at, is_among, is_unknown, mappings, starts_with
from ....observed.nodes.pod_security import beyond_baseline, enforced_level, is_patched_unread, namespaces
from ....observed.nodes.pod_security_exemptions import OF_SOME_PODS, is_exempt
from ....observed.pods.workloads import Workload, workloads
from ....upstream.kubernetes.api import ENFORCE_LABEL, POD_CREATORS
from ....upstream.talos.features import CLUSTERS_OWN, PRIVILEGED_LABELS
from ...rule import Example, Rule, Severity, Violation, Witness, manifest, set_to
from .._shared import NAMED, RUNTIME_CLASS, daemon_set

_OPEN = ("privileged", "off")
_STRICT = ("baseline", "restricted")


@dataclass(kw_only=True, slots=True, eq=False)
class _Tenants:
    """The pods of one namespace that `baseline` refuses."""

    first: Read
    path: Path
    serve_nodes: bool = False
    is_exempt: Answer = Answer.UNKNOWN
    """No once a pod is surely not exempt; surely exempt pods are no tenants."""
    names: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)


_NAMESPACE = """\
apiVersion: v1
kind: Namespace
metadata:
  name: nvidia
"""
_PRIVILEGED = "  labels: {pod-security.kubernetes.io/enforce: privileged}\n"
_BASELINE = "  labels: {pod-security.kubernetes.io/enforce: baseline}\n"
_CONTAINER = """\
        - name: plugin
          image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0
          volumeMounts: [{name: plugins, mountPath: /var/lib/kubelet/device-plugins}]
      volumes: [{name: plugins, hostPath: {path: /var/lib/kubelet/device-plugins}}]
"""
_DAEMON_SET = f"---\n{RUNTIME_CLASS}" + daemon_set("nvidia-device-plugin", _CONTAINER, namespace="nvidia", spec=NAMED)
_EXEMPTIONS = """\
---
cluster:
  apiServer:
    admissionControl: [{name: PodSecurity, configuration: {exemptions: {%s}}}]
"""


def _exempting(exemptions: str) -> Example:
    return Example(_NAMESPACE + _BASELINE + _DAEMON_SET + _EXEMPTIONS % exemptions)


@Rule(
    id="TG052",
    claim="The namespace of the pods that serve GPU nodes is privileged",
    symptom='pods "nvidia-device-plugin-" is forbidden: violates PodSecurity "baseline:latest": hostPath volumes',
    fix="Set the label pod-security.kubernetes.io/enforce: privileged on the Namespace, or use kube-system, which Talos exempts",
    source="siderolabs/talos pkg/machinery/config/generate/init.go",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_NAMESPACE + _BASELINE + _DAEMON_SET),
    passing=Example(_NAMESPACE + _PRIVILEGED + _DAEMON_SET),
    examples={
        "a namespace that Talos' configuration exempts": _exempting("namespaces: [kube-system, nvidia]"),
        "a RuntimeClass that it exempts": _exempting("runtimeClasses: [nvidia]"),
        "the controller that creates the pods as an exempt user": _exempting(f"usernames: [{POD_CREATORS['DaemonSet']}]"),
    },
)
def _too_strict(inputs: Inputs) -> Iterator[Violation]:
    for name, tenants in _tenants(inputs).items():
        objects = namespaces(inputs).get(name, [])
        level, by_label = enforced_level(inputs, name)
        if not by_label:
            if is_unknown(level) or level in _OPEN or not tenants.serve_nodes:
                continue
            is_proven = level in _STRICT and bool(objects)
            is_unsure = level is None and is_patched_unread(inputs)
            message = (
                f"{_subject(tenants)} in the namespace {name}, and nothing {inputs.here} sets {ENFORCE_LABEL}: privileged on the Namespace. Unless "
                f"something else sets the label, {_REFUSED}: {_reason(level)}{_UNLESS_PATCHED if is_unsure else ''}"
            )
            severity = Severity.ERROR if is_proven else Severity.INFO if is_unsure else Severity.WARNING
        elif is_among(level, _STRICT).is_yes:
            message = f"{_subject(tenants)} in the namespace {name}, which enforces {level}: {_REFUSED}"
            severity = Severity.ERROR
        else:
            continue
        about = objects[-1] if objects else tenants.first
        path: Path = ("metadata", "labels", ENFORCE_LABEL) if objects else tenants.path
        label = command("kubectl label namespace {namespace} {label} --overwrite", namespace=name, label=f"{ENFORCE_LABEL}=privileged")
        fix = f"Set the label {ENFORCE_LABEL}: privileged on the Namespace {name} ({label}), or use kube-system, which Talos exempts"
        if not tenants.is_exempt.is_no:
            severity, message = (
                severity.lowered,
                f"{message}. Unless they are exempt: exemptions of Pod Security {inputs.here} may hold for them",
            )
        missing = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": PRIVILEGED_LABELS}}
        edits = set_to("privileged", safe=False) if objects else () if name in CLUSTERS_OWN else manifest(missing)
        yield Violation(severity, message, about, path, fix=fix, edits=edits, related=((tenants.first, tenants.path),))


_REFUSED = "the API server refuses the pods"
_UNLESS_PATCHED = ", if no patch of the control plane changes that: not all of them were read"


def _subject(tenants: _Tenants) -> str:
    names = list(dict.fromkeys(tenants.names))
    needs = f" with {', '.join(dict.fromkeys(tenants.needs))}" if tenants.needs else " with hostPath volumes"
    return f"{', '.join(names)}{needs} run{'s' if len(names) == 1 else ''}"


def _reason(default: object) -> str:
    return f"Talos is configured to enforce {default}" if default in _STRICT else "Talos enforces baseline by default"


def _tenants(inputs: Inputs) -> dict[str, _Tenants]:
    found: dict[str, _Tenants] = {}

    def add(namespace: str | Unknown | None, about: Read, path: Path, needs: list[str], exempt: Answer, *, serves: bool = True) -> None:
        if isinstance(namespace, str) and not exempt.is_yes:
            tenants = found.setdefault(namespace, _Tenants(first=about, path=path))
            tenants.is_exempt = exempt if exempt.is_no else tenants.is_exempt
            tenants.serve_nodes |= serves
            tenants.names.append(about.label.partition(" (")[0])
            tenants.needs += needs

    charts: list[Operator | Agent] = [*operators(inputs), *agents(inputs)]
    for each in charts:
        if each.release is not None:
            runtime_class = each.value("runtimeClassName") if isinstance(each, Agent) else OF_SOME_PODS
            add(each.namespace, each.about, (), [], is_exempt(inputs, each.namespace, runtime_class, "DaemonSet"))
    serving = {id(agent.about) for agent in agents(inputs)}
    for workload in workloads(inputs):
        serves = id(workload.about) in serving or (workload.kind == "DaemonSet" and (workload.is_nvidia or _writes_markers(workload)))
        beyond = beyond_baseline(workload.spec) if serves or workload.asks_for_gpus else []
        if beyond:
            exempt = is_exempt(inputs, workload.namespace, workload.runtime_class, workload.kind)
            add(workload.namespace, workload.about, workload.path, beyond, exempt, serves=serves)
    return found


def _writes_markers(workload: Workload) -> bool:
    volumes = mappings(at(workload.spec, "volumes"))
    return any(starts_with(at(volume, "hostPath", "path"), "/run/nvidia").is_yes for _, volume in volumes)
