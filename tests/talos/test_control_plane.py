"""The machine configuration that switches features of Kubernetes on: each program of the control plane gets the gates, in both styles."""

import pytest
import yaml

from conftest import message
from constructs_lib.talos import ControlPlanePatch

GANGS = {"feature_gates": ["GenericWorkload", "TopologyAwareWorkloadScheduling"], "runtime_config": ["scheduling.k8s.io/v1beta1"]}
GATES = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"


def patch(talos="1.14", **given):
    return ControlPlanePatch(**{"talos_version": talos, **GANGS, **given})


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
            {"runtime_config": ["scheduling.k8s.io"]},
            "'runtime_config' must be a list of versions of APIs, such as 'scheduling.k8s.io/v1beta1' (got 'scheduling.k8s.io')",
        ),
        (
            {"feature_gates": [], "runtime_config": []},
            "'feature_gates' must be a list of at least one feature gate (got []); without one the control plane needs no patch",
        ),
        (
            {"talos": "1.13", "style": "documents"},
            "'style' must be 'fields' on Talos 1.13 (got 'documents'); documents are new in Talos 1.14",
        ),
    ],
)
def test_what_no_program_would_take_is_refused(given, expected):
    assert message(lambda: patch(**given)) == expected
