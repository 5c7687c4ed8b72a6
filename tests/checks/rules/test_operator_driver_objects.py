"""TG117: NVIDIADriver objects beside `driver.enabled: false`."""

import pytest
from chart_checks import CDI, GIVEN, checked, release, said

CRD = {"nvidiaDriverCRD": {"enabled": True}}
EFFECT = (
    "The operator starts the pods of a driver for the object, and does not look at driver.enabled: false. The pods stay in ImagePullBackOff: NVIDIA "
    "builds no driver image for Talos"
)


def operator(driver, version="v25.3.4"):
    return release("gpu-operator", {**CDI, "driver": {"enabled": False, **driver}}, version=version)


def driver(kind="NVIDIADriver", group="nvidia.com/v1alpha1", **spec):
    return {"apiVersion": group, "kind": kind, "metadata": {"name": "gpu"}, "spec": {"driverType": "gpu", **spec}}


def policy(version, **of_driver):
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "cluster-policy", "labels": {"helm.sh/chart": f"gpu-operator-{version}"}},
        "spec": {"driver": {"enabled": False, **of_driver}},
    }


def severities(*documents, talos="1.11"):
    return [severity for severity, _ in said(checked("TG117", *documents, talos=talos))]


@pytest.mark.parametrize("version", ["v24.9.2", "v25.3.4", "v25.10.0"])
def test_old_charts_create_an_object_in_spite_of_the_switch(version):
    (finding,) = checked("TG117", operator(CRD, version), talos="1.11")

    assert said([finding]) == [
        ("error", f"driver.nvidiaDriverCRD.enabled is true, and charts before v25.10.1 then create the NVIDIADriver default. {EFFECT}")
    ]
    assert finding.fix == "Set driver.nvidiaDriverCRD.enabled: false, or update the chart to v25.10.1 or newer"


@pytest.mark.parametrize(
    "document",
    [
        operator(CRD, "v25.10.1"),
        operator(CRD, None),
        operator({}),
        operator({"nvidiaDriverCRD": {"enabled": True, "deployDefaultCR": False}}),
        operator({"nvidiaDriverCRD": {"enabled": True, "deployDefaultCR": GIVEN}}),
        operator({"nvidiaDriverCRD": {"enabled": GIVEN}}),
        # TG010 speaks of this driver.
        operator({"enabled": True, **CRD}),
        operator({"enabled": GIVEN, **CRD}),
    ],
)
def test_charts_that_create_no_object_or_may_not(document):
    assert severities(document) == []


def test_without_a_talos_node_it_is_a_warning():
    assert severities(operator(CRD), talos=None) == ["warning"]


def test_an_object_in_the_files_starts_a_driver_too():
    assert said(checked("TG117", operator(CRD, "v26.7.0"), driver(), talos="1.13")) == [
        ("error", f"driver.enabled of the operator is false, but there is an NVIDIADriver in these files. {EFFECT}")
    ]


@pytest.mark.parametrize("version", ["v25.3.4", "v25.10.1"])
def test_before_v26_3_the_operator_looks_at_objects_without_the_switch(version):
    assert severities(operator({}, version), driver()) == ["error"]
    assert severities(policy(version), driver()) == ["error"]


def test_a_newer_operator_looks_at_objects_only_with_its_switch():
    assert severities(operator({}, "v26.3.1"), driver()) == []
    assert severities(policy("v26.3.1"), driver()) == []
    assert severities(policy("v26.3.1", useNvidiaDriverCRD=True), driver()) == ["error"]


@pytest.mark.parametrize(
    "spec", [{"nodeSelector": {"os": "ubuntu"}}, {"repository": "ghcr.io/me"}, {"image": "my-driver"}, {"image": GIVEN}]
)
def test_an_object_for_other_nodes_or_with_another_image_may_work(spec):
    assert severities(operator(CRD, "v26.7.0"), driver(**spec)) == ["warning"]


def test_nvidias_own_image_is_no_other_image():
    assert severities(operator(CRD, "v26.7.0"), driver(repository="nvcr.io/nvidia", image="driver")) == ["error"]


@pytest.mark.parametrize(
    "document",
    [driver(driverType="vgpu-host-manager"), driver(driverType=GIVEN), driver(group="example.com/v1"), driver(kind="ClusterPolicies")],
)
def test_other_objects_start_no_driver(document):
    assert severities(operator(CRD, "v26.7.0"), document) == []


def test_an_object_without_an_operator_in_the_files_is_not_judged():
    assert severities(driver()) == []
    assert severities(operator({"enabled": True}, "v25.3.4"), driver()) == []
