"""TG122: containers with every privilege that turn privilege escalation off."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

PRIVILEGED = "cannot set `allowPrivilegeEscalation` to false and `privileged` to true"
SYS_ADMIN = "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"


def findings(text):
    return [(str(each.severity), each.line, each.message) for each in run_rules(read_text(text), select=["TG122"])]


def pod(context, image="nvidia/cuda:13.0.0-base-ubuntu24.04"):
    return f"""\
apiVersion: v1
kind: Pod
metadata: {{name: tuner, namespace: kube-system}}
spec:
  containers:
    - name: tuner
      image: {image}
      securityContext: {context}
"""


@pytest.mark.parametrize(
    ("context", "setting", "refusal"),
    [
        ("{privileged: true, allowPrivilegeEscalation: false}", "privileged: true", PRIVILEGED),
        ("{capabilities: {add: [NET_ADMIN, CAP_SYS_ADMIN]}, allowPrivilegeEscalation: false}", "the capability CAP_SYS_ADMIN", SYS_ADMIN),
    ],
)
def test_a_privilege_beside_no_escalation_is_an_error_in_the_words_of_the_api_server(context, setting, refusal):
    assert findings(pod(context)) == [
        ("error", 8, f"the container has {setting} and allowPrivilegeEscalation: false. The API server refuses the pod: '{refusal}'")
    ]


@pytest.mark.parametrize(
    "context",
    [
        "{privileged: true}",
        "{privileged: true, allowPrivilegeEscalation: true}",
        "{privileged: '${PRIVILEGED}', allowPrivilegeEscalation: false}",
        "{privileged: true, allowPrivilegeEscalation: '${ESCALATES}'}",
        "{capabilities: {add: [SYS_ADMIN]}, allowPrivilegeEscalation: false}",  # the API server compares the long spelling alone
        "{capabilities: {drop: [CAP_SYS_ADMIN]}, allowPrivilegeEscalation: false}",
    ],
)
def test_a_context_that_the_api_server_takes_and_one_that_cannot_be_read_are_no_finding(context):
    assert findings(pod(context)) == []


def test_a_pod_without_gpus_is_not_judged():
    assert findings(pod("{privileged: true, allowPrivilegeEscalation: false}", image="busybox:1.37")) == []


def test_the_values_of_a_chart_are_judged_as_its_pods_get_them():
    release = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plugin, namespace: kube-system}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}
  values:
    securityContext:
      privileged: true
      allowPrivilegeEscalation: false
"""
    assert [(severity, line) for severity, line, _ in findings(release)] == [("error", 9)]
