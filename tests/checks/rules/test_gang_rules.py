"""TG158: gangs of Kubernetes' own scheduler that never start."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

NODES = GpuNodes(talos_version="1.14", name="h100", count=4, gpus_per_node=8)


def job(pods="4", gpus="8", group="gang", name="train", namespace=", namespace: ai"):
    return f"""\
---
apiVersion: batch/v1
kind: Job
metadata: {{name: {name}{namespace}}}
spec:
  parallelism: {pods}
  template:
    spec:
      schedulingGroup: {{podGroupName: {group}}}
      restartPolicy: Never
      containers: [{{name: main, image: "a/b:1", resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}}}]
"""


def group(least="4", name="gang", namespace=", namespace: ai", version="v1beta1", policy="gang: {minCount: %s}"):
    policy = policy % least if "%" in policy else policy
    return f"""\
---
apiVersion: scheduling.k8s.io/{version}
kind: PodGroup
metadata: {{name: {name}{namespace}}}
spec: {{schedulingPolicy: {{{policy}}}}}
"""


def said(text, nodes=(NODES,), kubernetes=None):
    findings = run_rules(read_text(text, nodes=nodes, kubernetes=kubernetes), select=["TG158"])
    return [(str(each.severity), each.object, each.message, each.fix) for each in findings]


def severities(text, **given):
    return [severity for severity, *_ in said(text, **given)]


def test_a_gang_of_more_pods_than_name_it_never_starts():
    assert said(job("3") + group()) == [
        (
            "error",
            "PodGroup ai/gang",
            "the gang waits for 4 pods, but only 3 name the group. The scheduler places none of them",
            "Set minCount: 3",
        )
    ]


def ranked(yaml, name):
    """A Job, or a PodGroup, with a PriorityClass."""
    if "PodGroup" in yaml:
        return yaml.replace("spec: {", f"spec: {{priorityClassName: {name}, ")
    return yaml.replace("      restartPolicy", f"      priorityClassName: {name}\n      restartPolicy")


def classes(**values):
    return "".join(
        f"---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {{name: {name}}}\nvalue: {value}\n"
        for name, value in values.items()
    )


def test_a_gang_with_another_priority_than_its_pods_never_starts():
    message = "the pods have no PriorityClass, and their PodGroup the PriorityClass high. The scheduler places no pod of a group with another priority"
    fix = "Give the PodGroup and its pods one priorityClassName"

    assert said(job() + ranked(group(), "high") + classes(high=1000)) == [("error", "Job ai/train", message, fix)]
    assert said(job() + ranked(group(), "high")) == [("warning", "Job ai/train", f"{message}, unless both have the same value", fix)]
    turned = "the pods have the PriorityClass high, and their PodGroup no PriorityClass. The scheduler places no pod of a group with another priority"
    assert said(ranked(job(), "high") + group() + classes(high=1000)) == [("error", "Job ai/train", turned, fix)]
    assert severities(ranked(job(), "low") + ranked(group(), "high")) == ["warning"]
    assert severities(ranked(job(), "'${P}'") + ranked(group(), "high")) == []


def test_a_priority_that_is_filled_in_later_is_not_compared_and_the_lowest_default_counts():
    assert said(ranked(job(), "'${PC}'") + ranked(group(), "'${PC}'")) == []
    defaults = classes(low=10, high=1000).replace("value:", "globalDefault: true\nvalue:")
    assert said(job() + ranked(group(), "low") + defaults) == []
    assert [severity for severity, *_ in said(job() + ranked(group(), "high") + defaults)] == ["error"]


def test_a_gang_with_the_priority_of_its_pods_starts():
    assert said(ranked(job(), "high") + ranked(group(), "high")) == []
    assert said(ranked(job(), "high") + ranked(group(), "same") + classes(high=5, same=5)) == []
    assert said(job() + ranked(group(), "zero") + classes(zero=0)) == []
    whole = "      priorityClassName: high\n      restartPolicy"
    default = classes(high=5) + "globalDefault: true\n"
    assert said(job().replace("      restartPolicy", whole) + group() + default) == []
    assert said(job() + ranked(group(version="v1alpha2"), "high") + classes(high=5)) == [], "Kubernetes 1.36 does not compare them"
    inner = ranked(group(), "high, parentCompositePodGroupName: all")
    assert said(job() + inner + classes(high=5)) == [], "the priority of the outermost group decides"


def test_a_gang_of_more_pods_than_the_nodes_take_at_once_never_starts():
    found = "the gang starts with 5 pods at once, but the nodes take at most 4. The scheduler places none of them"

    assert [each[:3] for each in said(job("5") + group("5"))] == [("error", "PodGroup ai/gang", found)]
    assert severities(job("8", "4") + group("8")) == severities(job("9", "4") + group("8")) == []
    assert severities(job("9", "4") + group("9")) == ["error"]
    assert severities(job("5", "5") + group("5")) == ["error"], "the fifth pod fits in no node's rest"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (job() + group(), []),
        (job("9") + group("4"), []),
        (job("2") + job("2", name="other") + group(), []),
        (job("2") + job("2", name="other", namespace=", namespace: b") + group(), ["warning", "error"]),
        (job("2") + job("2", name="other", group='"${GROUP}"') + group(), ["warning"]),
        (job("2") + job("2", name="other", group="another") + group() + group("2", "another"), ["error"]),
        (job('"${PODS}"') + group(), []),
        (job("3") + group('"${LEAST}"'), []),
        (job("3") + group(policy="basic: {}"), []),
        (job("3", gpus="0") + group(), []),
        (job("4", gpus='"${GPUS}"') + group("4"), []),
        (job("3") + group().replace("scheduling.k8s.io/v1beta1", "scheduling.volcano.sh/v1beta1"), []),
        (job("4") + job("2", gpus="0", name="launcher") + group("6"), []),
        (job("5") + job("1", gpus="0", name="launcher") + group("6"), ["error"]),
        (group(), []),
    ],
)
def test_only_what_surely_never_starts_is_an_error(text, expected):
    assert severities(text) == expected


@pytest.mark.parametrize("nodes", [(), (GpuNodes(talos_version="1.14", gpus_per_node=8),), (GpuNodes(talos_version="1.14", count=4),)])
def test_nodes_that_are_not_known_take_any_gang(nodes):
    assert severities(job("99") + group("99"), nodes=nodes) == []


def test_a_group_that_nothing_makes_keeps_its_pods_pending():
    message = "nothing in these files creates the PodGroup gang. The pods stay Pending until it exists"

    assert said(job()) == [("remark", "Job ai/train", message, "Create the PodGroup gang")]
    assert said(job() + group(name="other")) == [("warning", "Job ai/train", message, "Create the PodGroup gang")]
    assert severities(job() + group(namespace=", namespace: other")) == ["warning"]
    assert severities(job(gpus="0")) == severities(job(group='"${GROUP}"')) == severities(job() + group(name='"${GROUP}"')) == []


SERVED = """\
---
apiVersion: v1alpha1
kind: KubeAPIServerConfig
extraArgs: {feature-gates: GenericWorkload=true, runtime-config: scheduling.k8s.io/v1beta1=true}
"""
OTHER = "---\nversion: v1alpha1\nmachine: {kernel: {modules: [{name: nvidia}]}}\n"


@pytest.mark.parametrize(
    ("version", "kubernetes", "more", "expected"),
    [
        ("v1beta1", "1.37.2", SERVED, []),
        ("v1beta1", "1.37.2", OTHER, ["warning"]),
        ("v1beta1", "1.37.2", "", ["remark"]),
        ("v1alpha3", "1.37.2", SERVED, ["warning"]),
        ("v1alpha2", "1.37.2", SERVED, ["error"]),
        ("v1beta1", "1.36.3", SERVED, ["error"]),
        ("v1alpha2", "1.36.3", OTHER, ["warning"]),
        ("v1alpha2", "1.35.3", "", ["error"]),
        ("v1beta1", "1.38.0", "", []),
        ("v1beta1", None, OTHER, []),
    ],
)
def test_a_group_needs_the_version_that_the_cluster_serves(version, kubernetes, more, expected):
    assert severities(job() + group(version=version) + more, kubernetes=kubernetes) == expected


@pytest.mark.parametrize(
    ("gates", "expected"),
    [
        ("GenericWorkload=true", []),
        ("kube:GenericWorkload=1,DRAExtendedResource=false", []),
        ("AllBeta=true", []),
        ("AllBeta=true,GenericWorkload=false", ["warning"]),
        ("AllAlpha=true", ["warning"]),
        ("DRAExtendedResource=true", ["warning"]),
        ("", ["warning"]),
        ("${GATES}", ["remark"]),
    ],
)
def test_a_group_needs_the_gate_of_the_api_server_too(gates, expected):
    served = SERVED.replace("GenericWorkload=true", f'"{gates}"')

    assert severities(job() + group() + served, kubernetes="1.37.2") == expected


def test_the_gate_of_another_program_serves_no_group():
    served = "---\nversion: v1alpha1\ncluster:\n  apiServer: {extraArgs: {runtime-config: scheduling.k8s.io/v1beta1=true%s}}\n  scheduler: {extraArgs: {%s}}\n"
    gate = "feature-gates: GenericWorkload=true"

    assert severities(job() + group() + served % ("", gate), kubernetes="1.37.2") == ["warning"]
    assert severities(job() + group() + served % (f", {gate}", gate), kubernetes="1.37.2") == []


def test_the_gate_and_the_version_may_stand_in_two_patches():
    one = "---\nversion: v1alpha1\ncluster: {apiServer: {extraArgs: {%s}}}\n"
    two = one % "feature-gates: AllAlpha=true" + one % "runtime-config: api/all=true"

    assert severities(job() + group(version="v1alpha2") + two, kubernetes="1.36.3") == []


def test_what_it_says_of_a_version_that_the_cluster_has_not():
    assert [each[2:] for each in said(job() + group(), kubernetes="1.36.3")] == [
        (
            "Kubernetes 1.36 has no PodGroup in scheduling.k8s.io/v1beta1. The API server answers 'no matches for kind \"PodGroup\"'",
            "Set apiVersion: scheduling.k8s.io/v1alpha2",
        )
    ]
    assert [each[3] for each in said(job() + group(), kubernetes="1.35.3")] == ["Upgrade to Kubernetes 1.36 or newer"]
    assert [each[2:] for each in said(job() + group(), kubernetes="1.37.2")] == [
        (
            "Kubernetes 1.37 serves PodGroups only with the feature gate GenericWorkload and --runtime-config=scheduling.k8s.io/v1beta1=true",
            "Write both into a patch of the control plane (ControlPlanePatch)",
        )
    ]
