"""The hooks of the operator's chart under tools other than Helm."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.agents.operators import operators
from ...observed.model import ChartRelease, Inputs, KubernetesObject, equals, known_str
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS

# From this version on the ServiceAccount of the hook names its namespace (deployments/gpu-operator/templates/upgrade_crd.yaml).
_HOOKS_RIGHT = "v26.3.0"
_HOOK_ACCOUNT = "gpu-operator-upgrade-crd-hook-sa"


def _hooks(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        release = operator.release
        if release and _is_rendered(release) and operator.is_older_than(_HOOKS_RIGHT) and operator.is_on("operator", "upgradeCRD").is_yes:
            yield _hook(release)
    for each in inputs.of_kind("ServiceAccount"):
        if equals(each.name, _HOOK_ACCOUNT).is_yes and each.namespace is None and "helm.sh/hook" in each.annotations:
            yield _hook(each)


def _is_rendered(release: ChartRelease) -> bool:
    """Whether kustomize renders the chart with its hooks, which Helm does not run."""
    return known_str(release.at("kind")) == "Kustomization"


def _hook(about: ChartRelease | KubernetesObject) -> Violation:
    return Violation(
        severity=Severity.INFO,
        message=f"the rendered chart contains its hook gpu-operator-upgrade-crd, and the hook's ServiceAccount {_HOOK_ACCOUNT} names no namespace. "
        "Without Helm the ServiceAccount may land in another namespace than the Job that needs it",
        about=about,
        path=about.values_path if isinstance(about, ChartRelease) else (),
    )


_KUSTOMIZATION = """\
apiVersion: v1
kind: ServiceAccount
metadata:
  name: gpu-operator-upgrade-crd-hook-sa%s
  annotations: {helm.sh/hook: pre-upgrade}
"""


RULES = (
    Rule(
        **WORDS["TG036"],
        severity=Severity.INFO,
        check=_hooks,
        failing=Example(yaml=_KUSTOMIZATION % ""),
        passing=Example(yaml=_KUSTOMIZATION % "\n  namespace: gpu-operator"),
    ),
)
