"""TG131: autoscalers of Deployments whose claim only one node, or one pod, can mount."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text


def workload(kind="Deployment", volume="persistentVolumeClaim: {claimName: models}"):
    return f"""\
apiVersion: apps/v1
kind: {kind}
metadata: {{name: ollama, namespace: ai}}
spec:
  template:
    spec:
      containers: [{{name: ollama, image: "ollama/ollama:0.32.15", resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]
      volumes: [{{name: models, {volume}}}]
"""


def claim(modes="[ReadWriteOnce]", name="models", namespace="ai"):
    return f"""\
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: {name}, namespace: {namespace}}}
spec: {{accessModes: {modes}}}
"""


def scaler(most="3", kind="HorizontalPodAutoscaler", field="maxReplicas", target="ollama"):
    target = f"scaleTargetRef: {{kind: Deployment, name: {target}}}"
    return f"---\napiVersion: a/v1\nkind: {kind}\nmetadata: {{name: s, namespace: ai}}\nspec: {{{target}, {field}: {most}}}\n"


def findings(text, **given):
    return [(str(each.severity), each.object, each.message) for each in run_rules(read_text(text, **given), select=["TG131"])]


@pytest.mark.parametrize(("kind", "field"), [("HorizontalPodAutoscaler", "maxReplicas"), ("ScaledObject", "maxReplicaCount")])
def test_pods_that_an_autoscaler_adds_can_t_share_a_claim_of_one_node(kind, field):
    assert findings(workload() + claim() + scaler(kind=kind, field=field)) == [
        (
            "warning",
            f"{kind} ai/s",
            (
                f"{field}: 3 scales Deployment ai/ollama to 3 pods, but only one node can mount the claim models (ReadWriteOnce). A pod on another node "
                "stays ContainerCreating (Multi-Attach error)"
            ),
        )
    ]


def test_one_node_mounts_its_claim_in_several_pods_but_not_a_claim_of_one_pod():
    one = [GpuNodes(talos_version="1.14", count=1)]
    two = [GpuNodes(talos_version="1.14", name=name, count=1) for name in ("a", "b")]
    by_pod = workload() + claim("[ReadWriteOncePod]") + scaler()

    assert findings(workload() + claim() + scaler(), nodes=one) == []
    assert len(findings(workload() + claim() + scaler(), nodes=two)) == 1
    assert [message.partition("but ")[2] for _, _, message in findings(by_pod, nodes=one)] == [
        "only one pod can mount the claim models (ReadWriteOncePod). The other pods stay Pending"
    ]


@pytest.mark.parametrize(
    "text",
    [
        workload() + claim(),
        workload() + claim() + scaler("1"),
        workload() + claim() + scaler("'${MOST}'"),
        workload() + claim() + scaler(target="other"),
        workload() + claim("[ReadWriteMany]") + scaler(),
        workload() + claim("[ReadWriteOnce, ReadWriteMany]") + scaler(),
        workload() + claim("['${MODE}']") + scaler(),
        workload() + claim(name="other") + scaler(),
        workload() + claim(namespace="other") + scaler(),
        workload() + scaler(),
        workload(volume="emptyDir: {}") + claim() + scaler(),
        workload("StatefulSet") + claim() + scaler().replace("kind: Deployment", "kind: StatefulSet"),
    ],
    ids=range(12),
)
def test_nothing_is_said_of_one_pod_of_a_claim_for_several_nodes_or_of_what_was_not_read(text):
    assert findings(text) == []
