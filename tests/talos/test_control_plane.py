"""The machine configuration that switches features of Kubernetes on: each program of the control plane gets the gates, in both styles."""

import pytest
import yaml

from conftest import message
from constructs_lib.talos import ControlPlanePatch

GANGS = {"feature_gates": ["GenericWorkload", "TopologyAwareWorkloadScheduling"], "runtime_config": ["scheduling.k8s.io/v1beta1"]}
GATES = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"


def patch(talos="1.14", **given):
    return ControlPlanePatch(**{"talos_version": talos, "kubernetes_version": "1.37", **GANGS, **given})


def test_from_talos_1_14_on_each_program_has_a_document():
    assert patch().documents == [
        {
            "apiVersion": "v1alpha1",
            "kind": "KubeAPIServerConfig",
            "extraArgs": {"feature-gates": GATES, "runtime-config": "scheduling.k8s.io/v1beta1=true"},
        },
        {"apiVersion": "v1alpha1", "kind": "KubeControllerManagerConfig", "extraArgs": {"feature-gates": GATES}},
        {"apiVersion": "v1alpha1", "kind": "KubeSchedulerConfig", "extraArgs": {"feature-gates": GATES}},
    ]


def test_before_talos_1_14_and_on_request_each_program_is_a_field():
    gates = {"extraArgs": {"feature-gates": GATES}}
    api = {"extraArgs": {"feature-gates": GATES, "runtime-config": "scheduling.k8s.io/v1beta1=true"}}

    assert (
        patch("1.13").documents
        == patch(style="fields").documents
        == [{"cluster": {"apiServer": api, "controllerManager": gates, "scheduler": gates}}]
    )


def test_versions_of_apis_are_the_api_servers_alone():
    assert [each["kind"] for each in patch(feature_gates=[]).documents] == ["KubeAPIServerConfig"]


@pytest.mark.parametrize(
    ("gate", "kubernetes", "api"),
    [
        ("GenericWorkload", "1.37", "scheduling.k8s.io/v1beta1"),
        ("GenericWorkload", "1.36", "scheduling.k8s.io/v1alpha2"),
        ("GenericWorkload", "1.35", "scheduling.k8s.io/v1alpha1"),
        ("DRADeviceTaintRules", "1.36", "resource.k8s.io/v1beta2"),
        ("DRADeviceTaints", "1.34", "resource.k8s.io/v1alpha3"),
    ],
)
def test_a_gate_brings_the_api_that_the_scheduler_waits_for(gate, kubernetes, api):
    server = patch(feature_gates=[gate], kubernetes_version=kubernetes, runtime_config=[]).documents[0]

    assert server["extraArgs"] == {"feature-gates": f"{gate}=true", "runtime-config": f"{api}=true"}


@pytest.mark.parametrize(
    ("gates", "kubernetes", "written"),
    [
        (["DRADeviceTaintRules"], "1.35", ["DRADeviceTaintRules", "DRADeviceTaints"]),
        (["DRADeviceTaintRules"], "1.36", ["DRADeviceTaintRules"]),
        (
            ["TopologyAwareWorkloadScheduling", "WorkloadWithJob"],
            "1.37",
            ["TopologyAwareWorkloadScheduling", "WorkloadWithJob", "GenericWorkload"],
        ),
        (["CompositePodGroup"], "1.37", ["CompositePodGroup", "GenericWorkload", "TopologyAwareWorkloadScheduling"]),
        (["WorkloadAwarePreemption"], "1.36", ["WorkloadAwarePreemption", "GangScheduling", "GenericWorkload"]),
        (["RestartAllContainersOnContainerExits"], "1.35", ["RestartAllContainersOnContainerExits", "NodeDeclaredFeatures"]),
        (["RestartAllContainersOnContainerExits"], "1.36", ["RestartAllContainersOnContainerExits"]),
    ],
)
def test_a_gate_brings_the_gates_without_which_no_program_starts_with_it(gates, kubernetes, written):
    made = patch(feature_gates=gates, kubernetes_version=kubernetes, runtime_config=[])

    given = ",".join(f"{gate}=true" for gate in written)
    assert [each["extraArgs"]["feature-gates"] for each in made.documents] == [given] * 3


def test_an_added_gate_brings_the_api_that_the_scheduler_waits_for():
    server = patch(feature_gates=["CompositePodGroup"], runtime_config=[]).documents[0]

    assert server["extraArgs"]["runtime-config"] == "scheduling.k8s.io/v1alpha3=true,scheduling.k8s.io/v1beta1=true"


def test_a_gate_of_a_kubernetes_that_is_newer_than_the_table_is_taken_as_it_is():
    server = patch(feature_gates=["NewGate"], kubernetes_version="1.38", runtime_config=[]).documents[0]

    assert server["extraArgs"] == {"feature-gates": "NewGate=true"}


def test_a_gate_that_every_kubernetes_of_the_table_has_needs_no_version():
    server = patch(feature_gates=["CPUManagerPolicyAlphaOptions"], kubernetes_version=None, runtime_config=[]).documents[0]

    assert server["extraArgs"] == {"feature-gates": "CPUManagerPolicyAlphaOptions=true"}


def test_the_text_says_the_oldest_kubernetes_and_the_style_of_an_upgraded_cluster():
    needed = "# The cluster needs Kubernetes 1.37 or newer: an older program does not start.\n"
    upgraded = "# These documents change those that Talos 1.14 generated. A cluster that was upgraded from 1.13 needs the patch with style='fields'.\n"

    assert needed + upgraded in patch().text
    assert needed in patch(style="fields").text
    assert upgraded not in patch(style="fields").text


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_the_text_is_the_documents(talos):
    assert list(yaml.safe_load_all(patch(talos).text)) == patch(talos).documents


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"feature_gates": ["genericWorkload"]},
            "'feature_gates' must be a list of feature gates of Kubernetes, such as 'GenericWorkload' (got 'genericWorkload')",
        ),
        (
            {"feature_gates": ["GenericWorkLoad"]},
            "'feature_gates' must be a list of feature gates of Kubernetes 1.37 (got 'GenericWorkLoad'); did you mean 'GenericWorkload'?",
        ),
        (
            {"feature_gates": ["GangScheduling"]},
            "'feature_gates' must be a list of feature gates of Kubernetes 1.37 (got 'GangScheduling'); 1.36 is the last with it; a program refuses to start with a gate that it does not have",
        ),
        (
            {"feature_gates": ["NewGate"], "kubernetes_version": None},
            "'kubernetes_version' must be the Kubernetes of the cluster where 'feature_gates' has NewGate (got None); the gate, and the API that it needs, follow from it",
        ),
        (
            {"runtime_config": ["scheduling.k8s.io"]},
            "'runtime_config' must be a list of versions of APIs, such as 'scheduling.k8s.io/v1beta1' (got 'scheduling.k8s.io')",
        ),
        (
            {"feature_gates": [], "runtime_config": []},
            "'feature_gates' must be a list of at least one feature gate (got []); without one the control plane needs no patch",
        ),
        (
            {"kubernetes_version": None},
            "'kubernetes_version' must be the Kubernetes of the cluster where 'feature_gates' has GenericWorkload (got None); the gate, and the API that it needs, follow from it",
        ),
        (
            {"kubernetes_version": "1.34"},
            "'kubernetes_version' must be at least '1.35' for GenericWorkload (got '1.34'); a program refuses to start with a gate that it does not have",
        ),
        (
            {"talos": "1.13", "style": "documents"},
            "'style' must be 'fields' on Talos 1.13 (got 'documents'); documents are new in Talos 1.14",
        ),
    ],
)
def test_what_no_program_would_take_is_refused(given, expected):
    assert message(lambda: patch(**given)) == expected
