"""The startup budget of GPU pods against the deadline of their rollout (TG137)."""

import pytest

from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.checks.rules._shared import in_deployment
from constructs_lib.observed.read.repository import read, read_text

APP_TEMPLATE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: vllm, namespace: ai}
spec:
  chart: {spec: {chart: app-template, version: 4.4.0, sourceRef: {kind: HelmRepository, name: bjw-s}}}
  values:
    controllers:
      vllm:
        type: %s
        pod: {runtimeClassName: nvidia}
        containers:
          app:
            image: {repository: vllm/vllm-openai, tag: v0.30.0}
            resources: {limits: {nvidia.com/gpu: 1}}
            probes: {startup: {enabled: %s, custom: true, spec: {httpGet: {path: /health, port: 8000}, periodSeconds: 10, failureThreshold: 180}}}
"""


def found(yaml: str) -> list[str]:
    return [str(each.severity) for each in violations_of(RULES["TG137"], read_text(yaml))]


def deployment(probe: str, spec: str = "  strategy: {type: Recreate}\n", gpus: int = 1) -> str:
    resources = f"          resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}\n"
    return in_deployment(spec, f"{resources}          startupProbe: {{{probe}}}\n")


@pytest.mark.parametrize(
    ("probe", "severities"),
    [
        ("failureThreshold: 60", []),
        ("failureThreshold: 61", ["remark"]),
        ("failureThreshold: 60, initialDelaySeconds: 1", ["remark"]),
        ("periodSeconds: 300", ["remark"]),
        ("periodSeconds: 300, failureThreshold: 2", []),
        ("periodSeconds: '${PERIOD}', failureThreshold: 1000", []),
    ],
)
def test_the_budget_is_the_delay_and_all_periods(probe, severities):
    assert found(deployment(probe)) == severities


def test_a_deadline_that_its_author_wrote_contradicts_the_budget():
    assert found(deployment("failureThreshold: 60", "  progressDeadlineSeconds: 599\n")) == ["warning"]
    assert found(deployment("failureThreshold: 60", "  progressDeadlineSeconds: 600\n")) == []
    assert found(deployment("failureThreshold: 60", "  progressDeadlineSeconds: ${DEADLINE}\n")) == []


def test_pods_without_a_gpu_are_not_judged():
    text = deployment("failureThreshold: 600").replace("nvidia.com/gpu", "memory").replace("      runtimeClassName: nvidia\n", "")

    assert found(text) == []


def test_a_chart_s_values_are_judged_as_the_deployment_that_they_make(tmp_path):
    assert found(APP_TEMPLATE % ("deployment", "true")) == ["remark"]
    assert found(APP_TEMPLATE % ("statefulset", "true")) == []
    assert found(APP_TEMPLATE % ("deployment", "false")) == []

    assert found((APP_TEMPLATE % ("deployment", "true")).replace("enabled: true, ", "")) == []

    (tmp_path / "apps").mkdir()
    (tmp_path / "apps/kustomization.yaml").write_text("resources: [vllm.yaml]\n")
    (tmp_path / "apps/vllm.yaml").write_text(APP_TEMPLATE % ("deployment", "true"))
    assert len([*violations_of(RULES["TG137"], read([tmp_path]))]) == 1


@pytest.mark.parametrize(("failures", "severities"), [(60, []), (61, ["remark"])])
def test_the_period_of_a_probe_of_app_template_is_ten_seconds_where_its_values_name_none(failures, severities):
    text = APP_TEMPLATE % ("deployment", "true")

    assert (
        found(text.replace("custom: true, ", "").replace("periodSeconds: 10, failureThreshold: 180", f"failureThreshold: {failures}"))
        == severities
    )
