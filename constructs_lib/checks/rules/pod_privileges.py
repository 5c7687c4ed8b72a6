"""Security contexts that the API server refuses: every privilege, and no privilege escalation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...observed.agents.agents import agents
from ...observed.model import Inputs, Path, Read, at, equals, is_among, known_list
from ...observed.pods.workloads import workloads
from ...upstream.kubernetes.api import ESCALATION_REFUSED, SYS_ADMIN
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import plugin_release
from ._pods import ONE_GPU, pod

_ESCALATION = "allowPrivilegeEscalation"


def _contradictions(inputs: Inputs) -> Iterator[Violation]:
    for about, path, context in _contexts(inputs):
        granted = _granted(context) if equals(at(context, _ESCALATION), False).is_yes else None
        if granted is not None:
            setting, refusal = granted
            yield Violation(
                severity=Severity.ERROR,
                message=f"the container has {setting} and {_ESCALATION}: false. The API server refuses the pod: '{refusal}'",
                about=about,
                path=(*path, _ESCALATION),
            )


def _contexts(inputs: Inputs) -> Iterator[tuple[Read, Path, Any]]:
    """The security contexts of the containers of NVIDIA's pods, and of agents in chart values."""
    for workload in workloads(inputs):
        if workload.is_nvidia:
            for container in workload.containers:
                yield workload.about, (*container.path, "securityContext"), at(container.body, "securityContext")
    for agent in agents(inputs):
        if agent.release is not None:
            yield agent.about, agent.path("securityContext"), at(agent.settings, "securityContext")


def _granted(context: Any) -> tuple[str, str] | None:
    """The setting that grants every privilege, and the API server's words about it."""
    if equals(at(context, "privileged"), True).is_yes:
        return "privileged: true", ESCALATION_REFUSED["privileged"]
    if is_among(SYS_ADMIN[0], known_list(at(context, "capabilities", "add"))).is_yes:
        return f"the capability {SYS_ADMIN[0]}", ESCALATION_REFUSED["capabilities"]
    return None


_PREPARED = """\
  initContainers:
    - name: power-limit
      image: nvidia/cuda:13.0.0-base-ubuntu24.04
      securityContext: {privileged: true}
"""
_NAMESPACE = """\
apiVersion: v1
kind: Namespace
metadata: {name: ollama, labels: {pod-security.kubernetes.io/enforce: privileged}}
---
"""

RULES = (
    Rule(
        **WORDS["TG122"],
        severity=Severity.ERROR,
        check=_contradictions,
        failing=Example(yaml=plugin_release() + "    securityContext: {privileged: true, allowPrivilegeEscalation: false}\n"),
        # The two settings are of different containers.
        passing=Example(yaml=_NAMESPACE + pod(ONE_GPU + "      securityContext: {allowPrivilegeEscalation: false}\n", _PREPARED)),
    ),
)
