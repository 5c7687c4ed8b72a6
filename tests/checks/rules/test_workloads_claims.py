"""Claims that nothing defines, and those that ask twice: TG054, TG055 and TG056."""

import pytest

from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.pods.claims import claimed_classes
from constructs_lib.observed.read.repository import read_text

POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: vllm, namespace: vllm}
spec:
  resourceClaims: [{name: gpu, %s}]
  containers: [{name: main, image: a/b:1, resources: {%s}}]
"""
BY_TEMPLATE, BY_CLAIM = "resourceClaimTemplateName: one", "resourceClaimName: one"
CLAIMING = "claims: [{name: gpu}]"


def defined(kind: str = "ResourceClaimTemplate", name: str = "one", namespace: str = "vllm", device: str = "gpu.nvidia.com") -> str:
    spec = f"devices: {{requests: [{{name: gpu, exactly: {{deviceClassName: {device}}}}}]}}"
    return f"""\
---
apiVersion: resource.k8s.io/v1
kind: {kind}
metadata: {{name: "{name}", namespace: {namespace}}}
spec: {{{f"spec: {{{spec}}}" if kind.endswith("Template") else spec}}}
"""


def said(rule: str, yaml: str) -> list[tuple[str, str]]:
    inputs = read_text(yaml)
    return [(str(each.severity), each.message) for each in violations_of(RULES[rule], inputs)]


@pytest.mark.parametrize(("reference", "kind"), [(BY_TEMPLATE, "ResourceClaimTemplate"), (BY_CLAIM, "ResourceClaim")])
def test_a_claim_that_nothing_defines(reference, kind):
    yaml = POD % (reference, CLAIMING)
    message = f"nothing in these files creates the {kind} one in the pod's namespace. Without the {kind} the pods stay Pending"

    assert said("TG054", yaml) == [("warning", message)]
    assert said("TG054", yaml + defined(kind)) == []
    assert said("TG054", yaml + defined(kind, namespace="other")) == [("warning", message)]
    assert said("TG054", yaml + defined(kind, name="${APP}")) == []
    assert said("TG054", POD % (reference.replace("one", '"${NAME}"'), CLAIMING)) == []


def test_a_container_claims_what_its_pod_has():
    assert said("TG054", POD % (BY_TEMPLATE, "claims: [{name: card}]") + defined()) == [
        (
            "error",
            "the container uses the claim card, but the pod's resourceClaims have no claim with this name. The API server refuses the pod",
        )
    ]


def test_a_claim_and_a_limit_are_two_gpus():
    both = POD % (BY_TEMPLATE, f"{CLAIMING}, limits: {{nvidia.com/gpu: 1}}")

    assert said("TG055", both) == [
        (
            "warning",
            "the container has a claim and a limit of nvidia.com/gpu. Each of the two allocates a GPU for the container",
        )
    ]
    assert said("TG055", both.replace("nvidia.com/gpu", "memory")) == []


DRIVER = """\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: dra, namespace: dra}
spec: {chart: {spec: {chart: dra-driver-nvidia-gpu, version: 0.5.0}}}
"""


def test_a_device_class_that_nothing_makes():
    message = "nothing in these files creates the DeviceClass gpu.nvidia.com. Without the DeviceClass pods with this claim stay Pending"
    own = "---\napiVersion: resource.k8s.io/v1\nkind: DeviceClass\nmetadata: {name: %s}\nspec: {}\n"

    assert said("TG056", defined()) == [("warning", message)]
    assert said("TG056", defined() + DRIVER) == []
    assert said("TG056", defined() + own % "gpu.nvidia.com") == []
    assert said("TG056", defined(device="big.gpu.nvidia.com") + DRIVER) != []
    assert said("TG056", defined(device="big.gpu.nvidia.com") + own % "big.gpu.nvidia.com") == []
    assert said("TG056", defined(device="gpu.intel.com")) == []


def test_each_way_in_which_a_request_names_its_class():
    yaml = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: gpu}
spec:
  devices:
    requests:
      - {name: a, deviceClassName: flat}
      - {name: b, exactly: {deviceClassName: exact}}
      - {name: c, firstAvailable: [{name: x, deviceClassName: first}, {name: y, deviceClassName: "${CLASS}"}]}
"""
    found = [(name, path[4:]) for _, path, name in claimed_classes(read_text(yaml))]

    assert found == [
        ("flat", ("deviceClassName",)),
        ("exact", ("exactly", "deviceClassName")),
        ("first", ("firstAvailable", 0, "deviceClassName")),
    ]
