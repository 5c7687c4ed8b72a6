"""Numbers of GPUs that pods claim: own claims, shared claims, capacity, and claims that can't be counted."""

import pytest

from constructs_lib import Dra, GpuNodes
from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.formats.capacity_table import capacity_text
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text
from constructs_lib.observed.usage.gpu_usage import usage, usage_gaps


def nodes(share: Dra | None = None, **given) -> GpuNodes:
    return GpuNodes(talos_version="1.14", dra=share or Dra(), **({"count": 2, "gpus_per_node": 2} | given))


EXCLUSIVE = nodes()
ONE = "deviceClassName: gpu.nvidia.com"
BY_TEMPLATE, BY_NAME = "resourceClaimTemplateName: gpu", "resourceClaimName: gpu"


def claim(*requests: str, kind: str = "ResourceClaimTemplate", namespace: str = "ai", name: str = "gpu") -> str:
    listed = ", ".join(f"{{name: r{index}, {request}}}" for index, request in enumerate(requests))
    devices = f"{{devices: {{requests: [{listed}]}}}}"
    spec = devices if kind == "ResourceClaim" else f"{{spec: {devices}}}"
    return f"---\napiVersion: resource.k8s.io/v1\nkind: {kind}\nmetadata: {{name: {name}, namespace: {namespace}}}\nspec: {spec}\n"


def exactly(fields: str) -> str:
    return f"exactly: {{{fields}}}"


def pods(reference: str = BY_TEMPLATE, replicas: int = 1, name: str = "vllm", namespace: str = "ai", kind: str = "Deployment") -> str:
    number = "parallelism" if kind == "Job" else "replicas"
    return f"""\
---
apiVersion: apps/v1
kind: {kind}
metadata: {{name: {name}, namespace: {namespace}}}
spec:
  {number}: {replicas}
  strategy: {{type: Recreate}}
  template:
    spec:
      resourceClaims: [{{name: gpu, {reference}}}]
      containers: [{{name: main, image: a/b:1, resources: {{claims: [{{name: gpu}}]}}}}]
"""


def rows(yaml: str, *given: GpuNodes) -> list[tuple[str, str, str]]:
    return [(row.name, str(row.total), row.requested) for row in usage(read_text(yaml, nodes=given or [EXCLUSIVE]))]


def gaps(yaml: str, *given: GpuNodes) -> list[tuple[str, str, str]]:
    return [(gap.kind.value, gap.name, gap.reason) for gap in usage_gaps(read_text(yaml, nodes=given or [EXCLUSIVE]))]


def said(rule: str, yaml: str, given: GpuNodes = EXCLUSIVE) -> list[tuple[str, str]]:
    return [(str(each.severity), each.message) for each in violations_of(RULES[rule], read_text(yaml, nodes=[given]))]


@pytest.mark.parametrize(
    ("requests", "total"),
    [
        ([exactly(ONE)], "3"),
        ([ONE], "3"),  # before v1beta2
        ([exactly(f"{ONE}, count: 2")], "6"),
        ([exactly(f"{ONE}, allocationMode: ExactCount, count: 2")], "6"),
        ([exactly(ONE), exactly(ONE)], "6"),
        ([exactly(f"{ONE}, capacity: {{requests: {{shares: 2}}}}")], "6"),
        ([f"firstAvailable: [{{name: a, {ONE}, count: 2}}, {{name: b, {ONE}, count: 2}}]"], "6"),
        ([exactly(f"{ONE}, selectors: [{{cel: {{expression: anything}}}}]")], "3"),
    ],
)
def test_each_pod_gets_the_devices_of_its_template(requests, total):
    assert rows(claim(*requests) + pods(replicas=3)) == [("Deployment ai/vllm", total, "gpu.nvidia.com")]


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (exactly(f"{ONE}, allocationMode: All"), "allocationMode: All takes every device that fits"),
        (exactly(f'{ONE}, count: "${{N}}"'), "the number of its devices can't be read"),
        (f"firstAvailable: [{{name: a, {ONE}, count: 2}}, {{name: b, {ONE}, count: 1}}]", "firstAvailable has different alternatives"),
        (f"firstAvailable: [{{name: a, {ONE}}}, {{name: b, deviceClassName: others.example.com}}]", "firstAvailable has different alternatives"),
        (exactly("deviceClassName: mig.nvidia.com"), "the selectors of mig.nvidia.com can't be read"),
        (exactly("deviceClassName: vfio.gpu.nvidia.com"), "the selectors of vfio.gpu.nvidia.com can't be read"),
        (exactly('deviceClassName: "${CLASS}"'), "its DeviceClass can't be read"),
        (exactly(f'{ONE}, capacity: {{requests: {{memory: "${{M}}"}}}}'), "the capacity that it requests can't be read"),
    ],
)  # fmt: skip
def test_a_claim_that_is_not_counted_has_a_reason(request_, reason):
    yaml = claim(request_) + pods(replicas=99)

    assert gaps(yaml) == [("not counted", "Deployment ai/vllm", reason)]
    assert said("TG095", yaml) == said("TG096", yaml) == []


@pytest.mark.parametrize(
    "request_",
    [exactly(f"{ONE}, adminAccess: true"), exactly("deviceClassName: nic.example.com"), exactly("deviceClassName: compute-domain-daemon.nvidia.com")],
)  # fmt: skip
def test_claims_that_take_no_gpu_are_left_out(request_):
    assert rows(claim(request_) + pods()) == []
    assert gaps(claim(request_) + pods()) == []


@pytest.mark.parametrize(
    "request_",
    [
        "deviceClassName: mig-1g.10gb.gpu.nvidia.com",
        """deviceClassName: mig.nvidia.com, selectors: [{cel: {expression: "device.attributes['gpu.nvidia.com'].profile == '1g.10gb'"}}]""",
    ],
)
def test_a_profile_is_told_by_its_class_or_by_one_plain_expression(request_):
    (row,) = usage(read_text(claim(exactly(request_)) + pods(), nodes=[EXCLUSIVE]))

    assert (row.resource, str(row.total)) == ("nvidia.com/mig-1g.10gb", "1")


@pytest.mark.parametrize(
    ("yaml", "reason"),
    [
        (pods(), "the ResourceClaimTemplate gpu is not in these files"),
        (pods(BY_NAME), "the ResourceClaim gpu is not in these files"),
        (claim(exactly(ONE), namespace="other") + pods(), "the ResourceClaimTemplate gpu is not in these files"),
        (pods('resourceClaimTemplateName: "${CLAIM}"'), "the name of its ResourceClaimTemplate can't be read"),
    ],
)
def test_a_claim_that_was_not_read_is_named(yaml, reason):
    assert gaps(yaml) == [("not counted", "Deployment ai/vllm", reason)]


def test_a_claim_of_several_pods_is_counted_once():
    shared = claim(exactly(ONE), kind="ResourceClaim") + pods(BY_NAME, 5) + pods(BY_NAME, 3, "other")

    assert rows(shared) == [("ResourceClaim ai/gpu", "1", "gpu.nvidia.com")]


def test_a_claim_of_the_same_name_in_another_namespace_is_another_device():
    both = "".join(
        claim(exactly(ONE), kind="ResourceClaim", namespace=namespace) + pods(BY_NAME, 5, namespace=namespace) for namespace in ("a", "b")
    )

    assert rows(both) == [("ResourceClaim a/gpu", "1", "gpu.nvidia.com"), ("ResourceClaim b/gpu", "1", "gpu.nvidia.com")]
    assert [severity for severity, _ in said("TG096", both, nodes(count=1, gpus_per_node=1))] == ["error"]


def test_a_claim_that_nobody_uses_takes_nothing():
    assert rows(claim(exactly(ONE), kind="ResourceClaim")) == []
    assert rows(claim(exactly(ONE), kind="ResourceClaim") + pods(BY_NAME, 0)) == [("ResourceClaim ai/gpu", "0", "gpu.nvidia.com")]


def test_claims_on_exclusive_gpus_are_compared():
    assert said("TG096", claim(exactly(ONE)) + pods(replicas=4)) == []
    assert said("TG096", claim(exactly(ONE)) + pods(replicas=5)) == [
        (
            "error",
            "workloads on the GPU nodes request 5 gpu.nvidia.com, but the nodes offer only 4. Pods stay Pending (Deployment ai/vllm 5)",
        )
    ]
    assert [severity for severity, _ in said("TG096", claim(exactly(ONE)) + pods(replicas=5, kind="Job"))] == ["warning"]


def test_a_claim_and_a_limit_take_the_same_gpus():
    limit = "---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: l}\nspec: {replicas: 1, template: {spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n"
    ((severity, message),) = said("TG096", claim(exactly(ONE)) + pods(replicas=4) + limit)

    assert severity == "error"
    assert message.startswith("workloads on the GPU nodes request 5 nvidia.com/gpu and gpu.nvidia.com, but the nodes offer only 4")


def test_one_claim_has_to_fit_onto_one_node():
    (found,) = violations_of(RULES["TG095"], read_text(claim(exactly(f"{ONE}, count: 3")) + pods(), nodes=[EXCLUSIVE]))

    assert found.message == "the pod requests 3 gpu.nvidia.com, but one node of the GPU nodes offers 2. The pod stays Pending"
    assert found.path == ("spec", "template", "spec", "resourceClaims", 0)
    assert found.fix == "Set count: 2 in the claim, or split the work across several pods"


def test_shares_multiply_the_gpus():
    by_shares = nodes(Dra(share="consumable", shares=5))

    assert said("TG096", claim(exactly(ONE)) + pods(replicas=20), by_shares) == []
    assert [severity for severity, _ in said("TG096", claim(exactly(ONE)) + pods(replicas=21), by_shares)] == ["error"]


def test_the_devices_of_a_claim_are_different_gpus_also_where_claims_share_a_gpu():
    by_shares = nodes(Dra(share="consumable", shares=5))

    assert said("TG095", claim(exactly(f"{ONE}, count: 2")) + pods(replicas=15), by_shares) == []
    assert said("TG095", claim(exactly(f"{ONE}, count: 3")) + pods(), by_shares) == [
        ("error", "the pod requests 3 gpu.nvidia.com, but one node of the GPU nodes offers 2. The pod stays Pending")
    ]
    assert said("TG095", claim(exactly(f"{ONE}, capacity: {{requests: {{shares: 3}}}}")) + pods(), by_shares) == []
    assert said("TG095", claim(exactly(ONE), exactly(ONE), exactly(ONE)) + pods(), by_shares) == []


def test_unlimited_shares_are_not_compared():
    assert said("TG096", claim(exactly(ONE)) + pods(replicas=99), nodes(Dra(share="consumable", shares="unlimited"))) == []


BY_MEMORY = nodes(Dra(share="consumable", shares="memory"), count=1, memory_per_gpu="24Gi")


def of_memory(amount: str) -> str:
    return claim(exactly(f"{ONE}, capacity: {{requests: {{memory: {amount}}}}}"))


@pytest.mark.parametrize(
    ("yaml", "severities"),
    [
        (of_memory("8Gi") + pods(replicas=6), []),
        (of_memory("8Gi") + pods(replicas=7), ["error"]),
        (of_memory("8Gi") + pods(replicas=7, kind="Job"), ["warning"]),
        (of_memory("25Gi") + pods(), ["error"]),
        (claim(exactly(ONE)) + pods(replicas=2), []),
        (claim(exactly(ONE)) + pods(replicas=3), ["error"]),  # each takes a whole GPU
        (of_memory("8Gi") + pods('resourceClaimTemplateName: "${C}"', replicas=99), []),
    ],
)
def test_memory_that_claims_take(yaml, severities):
    assert [severity for severity, _ in said("TG097", yaml, BY_MEMORY)] == severities


def test_what_is_said_of_memory_that_claims_take():
    assert said("TG097", of_memory("8Gi") + pods(replicas=7), BY_MEMORY) == [
        (
            "error",
            "claims on the GPU nodes take at least 56Gi of GPU memory, but the GPUs have 2 x 24Gi. Pods stay Pending (Deployment ai/vllm 56Gi)",
        )
    ]
    assert said("TG097", of_memory("25Gi") + pods(), BY_MEMORY) == [
        ("error", "the claim takes 25Gi of GPU memory, but a GPU of the GPU nodes has 24Gi. The pod stays Pending")
    ]


def test_claims_are_in_the_table():
    yaml = of_memory("8Gi") + pods(replicas=2) + pods("resourceClaimName: missing", name="other")

    assert (
        capacity_text(read_text(yaml, nodes=[EXCLUSIVE]))
        == """\
CLASS          WORKLOAD             GPUS              MEMORY
the GPU nodes  (offers)             4 gpu.nvidia.com
the GPU nodes  Deployment ai/other  ? by claim
the GPU nodes  Deployment ai/vllm   2 gpu.nvidia.com  8Gi a pod
not counted: Deployment ai/other, because the ResourceClaim missing is not in these files
"""
    )


def test_claims_without_a_class_with_dra_are_named():
    plain = GpuNodes(talos_version="1.14", count=1, gpus_per_node=1)

    assert gaps(claim(exactly(ONE)) + pods(), plain) == [("not compared", "Deployment ai/vllm", "no described class of nodes has dra")]
