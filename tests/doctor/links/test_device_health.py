"""A device of a running pod that the kubelet reports unhealthy, and the rule that takes a claimed device out of use."""

import pytest
import yaml
from doctor.dump_parts import healthy_line
from doctor.pod_parts import cluster, live, node, only_fault, pod, pod_log, running, shown, thing

from constructs_lib import device_taint_rule
from constructs_lib.doctor.links.visibility_link import seen

CARD = "GPU-837bc20f-23fb-a98f-bc28-d9d2ce73c8be"
CDI = "k8s.gpu.nvidia.com/claim=c0ffee-gpu-1"
SEES = "NVIDIA-SMI 580.126.20     Driver Version: 580.126.20     CUDA Version: 13.0"


def with_device(resource, device, health="Unhealthy", **words):
    resources = [{"resourceID": device, "health": health, **words}]
    status = {**running(), "allocatedResourcesStatus": [{"name": resource, "resources": resources}]}
    claims = [{"name": "gpu", "resourceClaimName": "llm-gpu-x"}]
    return pod(on="gpu-1", phase="Running", status={"containerStatuses": [status], "resourceClaimStatuses": claims})


def claim(*devices, namespace="gpu"):
    results = [{"driver": "gpu.nvidia.com", "pool": "gpu-1", "device": each} for each in devices]
    return thing("ResourceClaim", "llm-gpu-x", {"status": {"allocation": {"devices": {"results": results}}}}, namespace=namespace)


def on_kubernetes(version):
    made = node(gpus=None)
    made.at("status", "nodeInfo")["kubeletVersion"] = f"v{version}"
    return made


def state_of(about, *objects):
    return seen(cluster(about, *objects, logs=(pod_log(about, SEES),)), live(about), {})


def test_a_card_that_the_device_plugin_calls_unhealthy_is_a_cause_though_the_program_saw_it():
    fault = only_fault(state_of(with_device("nvidia.com/gpu", CARD), node()))

    assert (fault.name, fault.cause) == ("device-unhealthy", "The device plugin reports that a device of the pod is unhealthy")
    assert f"nvidia.com/gpu {CARD}: Unhealthy | Pod gpu/llm-6d5f7c9b8-abcde, status.containerStatuses[0].allocatedResourcesStatus" in shown(
        fault
    )
    assert str(fault.fix).startswith("talosctl --nodes ADDRESS dmesg | grep -i xid")


@pytest.mark.parametrize("health", ["Healthy", "Unknown"])
def test_a_healthy_card_and_one_of_which_nothing_is_known_are_no_cause(health):
    assert "NVIDIA-SMI" in healthy_line(state_of(with_device("nvidia.com/gpu", CARD, health), node()))


@pytest.mark.parametrize(("version", "devices"), [("1.37.2", ("gpu-0", "gpu-1")), ("1.36.3", ("gpu-1",))])
def test_a_claimed_device_is_taken_out_by_the_rule_that_the_library_writes(version, devices):
    fault = only_fault(state_of(with_device("claim:gpu/gpu", CDI, message="Xid 79"), on_kubernetes(version), claim(*devices)))

    expected = device_taint_rule(node="gpu-1", device="gpu-1", kubernetes_version=version, effect="NoExecute")
    assert yaml.safe_load(fault.fix.yaml) == expected
    assert ("the feature gate DRADeviceTaintRules and --runtime-config=resource.k8s.io/v1beta2=true" in fault.fix.text) == (
        version == "1.36.3"
    )
    assert f"claim:gpu/gpu {CDI}: Unhealthy: Xid 79" in str(shown(fault))


@pytest.mark.parametrize(
    ("version", "made"),
    [("1.34.2", claim("gpu-1")), ("1.37.2", claim("gpu-1", namespace="other")), ("1.37.2", claim("gpu-3", "gpu-4"))],
    ids=["old", "no claim", "no name"],
)
def test_no_rule_is_printed_for_a_device_or_a_cluster_that_is_not_known(version, made):
    fault = only_fault(state_of(with_device("claim:gpu", CDI), on_kubernetes(version), made))

    assert str(fault.fix).startswith("talosctl --nodes ADDRESS dmesg")
