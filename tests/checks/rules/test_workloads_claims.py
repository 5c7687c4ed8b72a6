"""Claims that nothing defines, and those that ask twice: TG054, TG055 and TG056."""

from dataclasses import replace

import pytest

from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.nodes.nodes_file import read_nodes
from constructs_lib.observed.pods.claims import claimed_classes
from constructs_lib.observed.read.repository import read_text
from constructs_lib.observed.usage.gpu_usage import usage_gaps

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


DOMAIN = """\
---
apiVersion: resource.nvidia.com/v1beta1
kind: ComputeDomain
metadata: {name: training, namespace: %s}
spec: {numNodes: %s, channel: {resourceClaimTemplate: {name: one}}}
"""


def test_the_template_of_a_compute_domains_channel_is_made_by_its_controller_and_is_no_gpu():
    both = POD % (BY_TEMPLATE, f"{CLAIMING}, limits: {{nvidia.com/gpu: 1}}")

    assert (said("TG054", both + DOMAIN % ("vllm", 0)), said("TG055", both + DOMAIN % ("vllm", 0))) == ([], [])
    assert len(said("TG054", both + DOMAIN % ("other", 0))) == len(said("TG055", both + DOMAIN % ("other", 0))) == 1


def test_a_claim_of_another_device_beside_a_limit_is_no_second_gpu():
    both = POD % (BY_TEMPLATE, f"{CLAIMING}, limits: {{nvidia.com/gpu: 1}}")

    assert said("TG055", both + defined(device="dra.net")) == []
    assert len(said("TG055", both + defined())) == 1


def test_a_compute_domain_without_the_drivers_part_for_it():
    off = DRIVER.replace("spec: {chart", "spec: {values: {resources: {computeDomains: {enabled: false}}}, chart")
    words = (
        "the DRA driver serves no ComputeDomains: resources.computeDomains.enabled is false. No controller makes the ResourceClaimTemplate of the channel, "
        "and the pods stay Pending"
    )

    assert said("TG159", off + DOMAIN % ("ai", 0)) == [("error", words)]
    assert said("TG159", off.replace("false", "'${CD}'") + DOMAIN % ("ai", 0)) == []
    assert said("TG159", off + DRIVER.replace("name: dra,", "name: domains,") + DOMAIN % ("ai", 0)) == []
    assert said("TG159", DOMAIN % ("ai", 0)) == [
        (
            "warning",
            "nothing in these files runs NVIDIA's DRA driver, whose controller makes the ResourceClaimTemplate of the channel. The pods stay Pending",
        )
    ]


@pytest.mark.parametrize(
    ("written", "is_off"),
    [("false", True), ("null", True), ("0", True), ('""', True), ('"false"', False), ('"no"', False), ("1", False), ("true", False)],
)
def test_a_template_takes_a_string_for_true(written, is_off):
    driver = DRIVER.replace("spec: {chart", f"spec: {{values: {{resources: {{computeDomains: {{enabled: {written}}}}}}}, chart")

    assert bool(said("TG159", driver + DOMAIN % ("ai", 0))) is is_off


def test_a_number_of_nodes_that_the_described_classes_do_not_have():
    nodes = read_nodes('{talos: "1.13", nodes: {a: {count: 2}, b: {count: 2}}}')
    without_names = DRIVER.replace(
        "spec: {chart", "spec: {values: {featureGates: {IMEXDaemonsWithDNSNames: false, ComputeDomainCliques: false}}, chart"
    )

    def about(text):
        return [
            (str(each.severity), each.message, each.fix)
            for each in violations_of(RULES["TG159"], replace(read_text(text), nodes=tuple(nodes)))
        ]

    assert about(DRIVER + DOMAIN % ("ai", 4)) == []
    assert about(DRIVER + DOMAIN % ("ai", 5)) == [
        (
            "warning",
            "numNodes is 5, but 4 GPU nodes are described: the ComputeDomain never becomes Ready",
            "Delete the ComputeDomain, whose spec is immutable, and create it again with numNodes: 0, the default, by which each daemon starts by itself",
        )
    ]
    assert about(without_names + DOMAIN % ("ai", 5)) == [
        (
            "error",
            (
                "numNodes is 5, but 4 GPU nodes are described: the feature gate IMEXDaemonsWithDNSNames is off, so the pods stay in ContainerCreating until 5 "
                "nodes have joined"
            ),
            "Delete the ComputeDomain, whose spec is immutable, and create it again with numNodes: 4 or fewer",
        )
    ]


def test_the_channel_of_a_compute_domain_leaves_no_gap_in_the_sums_of_gpus():
    limited = POD % (BY_TEMPLATE, f"{CLAIMING}, limits: {{nvidia.com/gpu: 1}}")

    assert [each.reason for each in usage_gaps(read_text(limited))] == ["the ResourceClaimTemplate one is not in these files"]
    assert usage_gaps(read_text(limited + DOMAIN % ("vllm", 0))) == ()
