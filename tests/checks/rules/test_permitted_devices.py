"""TG113: virtual machines that ask for a GPU that KubeVirt does not permit."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

CARD = "nvidia.com/AD102_GEFORCE_RTX_4090"
PCI = f"{{pciHostDevices: [{{pciVendorSelector: '10DE:2684', resourceName: {CARD}}}]}}"
PENDING = "The machine stays Pending: 'GPU nvidia.com/gpu is not permitted in permittedHostDevices configuration'"


def found(*texts):
    inputs = read_text("---\n".join(texts), file="vms.yaml")
    return [(str(each.severity), each.line, each.message) for each in run_rules(inputs, select=["TG113"])]


def kubevirt(permitted=PCI):
    return f"""\
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {{name: kubevirt, namespace: kubevirt}}
spec: {{configuration: {{permittedHostDevices: {permitted}}}}}
"""


def devices(device="{name: gpu1, deviceName: nvidia.com/gpu}", key="gpus"):
    return f"{{domain: {{devices: {{{key}: [{device}]}}}}}}"


def machine(spec, kind="VirtualMachine", group="kubevirt.io/v1"):
    return f"apiVersion: {group}\nkind: {kind}\nmetadata: {{name: games, namespace: vms}}\nspec: {spec}\n"


def of_template(devices):
    return machine(f"{{template: {{spec: {devices}}}}}")


def test_a_device_that_is_not_permitted_is_an_error_at_the_machine():
    assert found(kubevirt(), of_template(devices())) == [
        ("error", 9, f"the virtual machine asks for nvidia.com/gpu, but KubeVirt permits {CARD}. {PENDING}")
    ]


@pytest.mark.parametrize(
    "text",
    [
        machine(devices(), "VirtualMachineInstance"),
        machine(f"{{template: {{spec: {devices()}}}}}", "VirtualMachineInstanceReplicaSet"),
        machine(
            f"{{virtualMachineTemplate: {{spec: {{template: {{spec: {devices()}}}}}}}}}", "VirtualMachinePool", "pool.kubevirt.io/v1beta1"
        ),
    ],
)
def test_every_kind_of_machine_is_read(text):
    assert len(found(kubevirt(), text)) == 1


def test_a_host_device_is_named_in_kubevirts_words():
    ((_, _, message),) = found(kubevirt(), of_template(devices(key="hostDevices")))

    assert "'HostDevice nvidia.com/gpu is not permitted" in message


@pytest.mark.parametrize("permitted", ["{pciHostDevices: []}", "{usb: [{resourceName: kubevirt.io/storage}]}"])
def test_a_list_without_the_card_permits_no_card(permitted):
    assert len(found(kubevirt(permitted), of_template(devices(f"{{name: gpu1, deviceName: {CARD}}}")))) == 1


@pytest.mark.parametrize("key", ["pciHostDevices", "mediatedDevices", "usb"])
def test_a_device_of_each_list_is_permitted(key):
    assert found(kubevirt(f"{{{key}: [{{resourceName: nvidia.com/gpu}}]}}"), of_template(devices())) == []


@pytest.mark.parametrize(
    "device",
    [
        "{name: gpu1, claimName: gpu, requestName: gpu}",
        "{name: gpu1, claimName: gpu, deviceName: nvidia.com/gpu}",
        "{name: gpu1, deviceName: '${DEVICE}'}",
        "{name: nic, deviceName: intel.com/sriov}",
    ],
)
def test_claims_and_devices_that_are_no_known_gpu_are_left_alone(device):
    assert found(kubevirt(), of_template(devices(device))) == []


@pytest.mark.parametrize(
    "permitted",
    ["null", "{}", "'${PERMITTED}'", "{pciHostDevices: '${DEVICES}'}", "{pciHostDevices: [{resourceName: 'nvidia.com/${CARD}'}]}"],
)
def test_a_kubevirt_that_checks_nothing_or_may_permit_the_card_is_left_alone(permitted):
    card = devices("{name: gpu1, deviceName: nvidia.com/TU104GL_TESLA_T4}")

    assert found(kubevirt(permitted), of_template(card)) == []


@pytest.mark.parametrize(
    "others",
    [
        [],
        [kubevirt(), machine("{}", "HyperConverged", "hco.kubevirt.io/v1beta1")],
        [kubevirt(), kubevirt("{usb: [{resourceName: nvidia.com/gpu}]}").replace("name: kubevirt,", "name: other,")],
    ],
)
def test_without_the_whole_list_no_machine_is_found(others):
    assert found(*others, of_template(devices())) == []


def test_a_kind_of_another_group_is_no_machine_of_kubevirt():
    text = machine(f"{{template: {{spec: {devices()}}}}}", group="example.com/v1")

    assert found(kubevirt(), text) == []
