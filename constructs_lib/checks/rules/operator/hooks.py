"""The hooks of the operator's chart under tools other than Helm."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.operators import operators
from ....observed.model import ChartRelease, Inputs, KubernetesObject, equals, known_str
from ....upstream.charts import GPU_OPERATOR
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness

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
        id="TG036",
        claim="Helm runs the chart's hooks, or the hooks name their namespace",
        symptom="error looking up service account gpu-operator/gpu-operator-upgrade-crd-hook-sa: serviceaccount "
        '"gpu-operator-upgrade-crd-hook-sa" not found',
        fix="Set operator.upgradeCRD: false in the chart's values and includeCRDs: true in kustomize's helmCharts, or "
        f"from Talos 1.13 on use gpu-operator {GPU_OPERATOR.newest}",
        source="https://github.com/mitchross/talos-argocd-proxmox/commit/3989d592",
        severity=Severity.INFO,
        shown_by=Witness.CONTROL_PLANE,
        check=_hooks,
        failing=Example(yaml=_KUSTOMIZATION % ""),
        passing=Example(yaml=_KUSTOMIZATION % "\n  namespace: gpu-operator"),
    ),
)
