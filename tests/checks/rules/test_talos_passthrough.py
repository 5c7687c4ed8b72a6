"""TG109: nodes that load NVIDIA's modules, and hand NVIDIA's cards to virtual machines."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rules._shared import MODULES, OPEN, schematic, talconfig
from constructs_lib.observed.read.repository import read_text

CARD = "ids=10de:2684,10de:22ba"
NVIDIA = "- name: nvidia"
IMAGE = "machine: {install: {image: factory.talos.dev/installer/%s:v1.13.9, extraKernelArgs: [%s]}, kernel: {modules: [{name: nvidia}]}}\n"
LABEL = "nvidia.com/gpu.workload.config"


def found(text):
    return [(str(each.severity), each.line, each.message) for each in run_rules(read_text(text, file="talos.yaml"), select=["TG109"])]


def machine(*modules):
    return "machine:\n  kernel:\n    modules:\n" + "".join(f"      {each}\n" for each in modules)


def vfio(parameters, name="vfio_pci"):
    return f"- {{name: {name}, parameters: {parameters}}}"


def document(name, parameters="[]"):
    return f"---\napiVersion: v1alpha1\nkind: KernelModuleConfig\nname: {name}\nparameters: {parameters}\n"


def rebind(driver="vfio-pci"):
    return f"---\napiVersion: v1alpha1\nkind: PCIDriverRebindConfig\nname: 0000:04:00.0\ntargetDriver: {driver}\n"


def test_ids_of_nvidia_beside_nvidia_are_a_warning_at_the_parameter():
    ((severity, line, message),) = found(machine(NVIDIA, vfio(f"[disable_vga=1, '{CARD}']")))

    assert (severity, line) == ("warning", 5)
    assert message == (
        f"talos.yaml loads nvidia, and has vfio_pci with {CARD}. The module that loads first takes the cards. If nvidia loads first, virtual "
        "machines get no card; if vfio_pci loads first, containers get no card with these ids"
    )


@pytest.mark.parametrize("name", ["vfio-pci", "vfio_pci"])
@pytest.mark.parametrize("ids", ["ids=10DE:2684", "'ids=8086:56a0,10de:2684'"])
def test_both_spellings_and_every_place_in_the_list_are_found(name, ids):
    assert len(found(machine(NVIDIA, vfio(f"[{ids}]", name)))) == 1


def test_the_documents_of_talos_1_14_are_found():
    assert len(found(document("nvidia") + document("vfio_pci", f"['{CARD}']"))) == 1


@pytest.mark.parametrize("argument", ["vfio-pci.ids=10de:2684", "vfio_pci.ids=8086:1,10de:2684"])
@pytest.mark.parametrize("schematic", ["a" * 64, "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"])
def test_a_kernel_argument_is_found_with_a_known_and_with_an_unknown_schematic(argument, schematic):
    ((severity, _, message),) = found(IMAGE % (schematic, f"intel_iommu=on, '{argument}'"))

    assert severity == "warning"
    assert f"has the kernel argument {argument}" in message


@pytest.mark.parametrize(
    "text",
    [
        machine(vfio(f"['{CARD}']")),
        machine(NVIDIA, vfio("['ids=8086:56a0']")),
        machine(NVIDIA, vfio("['ids=1002:10de']")),
        machine(NVIDIA, vfio("[disable_vga=1]")),
        machine(NVIDIA, vfio("['${IDS}']")),
        machine(NVIDIA, vfio("'${PARAMETERS}'")),
        machine(NVIDIA, "- name: vfio_pci"),
        machine(NVIDIA, vfio(f"['{CARD}']", "snd_hda_intel")),
        machine("- name: '${MODULE}'", vfio(f"['{CARD}']")),
        IMAGE % ("a" * 64, "-vfio-pci.ids=10de:2684"),
        IMAGE % ("a" * 64, "'vfio-pci.ids=8086:56a0'"),
    ],
)
def test_other_cards_and_settings_that_are_not_known_are_left_alone(text):
    assert found(text) == []


@pytest.mark.parametrize(("driver", "count"), [("vfio-pci", 0), ("'${DRIVER}'", 0), ("igb_uio", 1)])
def test_a_card_that_talos_hands_over_by_its_address_is_meant_so(driver, count):
    assert len(found(machine(NVIDIA, vfio(f"['{CARD}']")) + rebind(driver))) == count


def operator(enabled, version="v26.7.0"):
    return f"""\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: gpu-operator, namespace: gpu-operator}}
spec: {{chart: {{spec: {{chart: gpu-operator, version: {version}}}}}, values: {{sandboxWorkloads: {{enabled: {enabled}}}}}}}
"""


FIELD, KIND = "  nodeLabels: {%s: %s}\n", "---\napiVersion: v1alpha1\nkind: KubeNodeConfig\nlabels: {%s: %s}\n"
either = pytest.mark.parametrize("labels", [FIELD, KIND])


def lines(text, rule):
    return [each.line for each in run_rules(read_text(text, file="talos.yaml"), select=[rule])]


@pytest.mark.parametrize(("value", "count"), [("vm-passthrough", 1), ("container", 0), ("vm-vgpu", 0), ("'${CONFIG}'", 0)])
@either
def test_a_node_for_virtual_machines_by_its_label_is_found_at_the_label(labels, value, count):
    text = machine(NVIDIA) + labels % (LABEL, value) + operator("true")

    assert lines(text, "TG109") == [next(number for number, each in enumerate(text.split("\n"), 1) if LABEL in each)] * count


def test_the_label_without_nvidias_modules_is_right():
    assert lines(machine("- name: vfio_pci") + FIELD % (LABEL, "vm-passthrough") + operator("true"), "TG109") == []


@pytest.mark.parametrize("release", ["", operator("false"), operator("'${ENABLED}'")])
def test_without_an_operator_that_hands_cards_over_the_label_takes_no_card(release):
    assert lines(machine(NVIDIA) + FIELD % (LABEL, "vm-passthrough") + release, "TG109") == []


@pytest.mark.parametrize(("value", "count"), [("vm-passthrough", 1), ("vm-vgpu", 1), ("container", 0), ("'${CONFIG}'", 0)])
@pytest.mark.parametrize("enabled", ["false", "null"])
@either
def test_a_label_that_the_operator_ignores_is_found_at_the_label(labels, enabled, value, count):
    text = machine("- name: vfio_pci") + labels % (LABEL, value) + operator(enabled)

    assert lines(text, "TG114") == [next(number for number, each in enumerate(text.split("\n"), 1) if LABEL in each)] * count


@pytest.mark.parametrize(
    "release",
    ["", operator("true"), operator("'${ENABLED}'"), operator("false") + operator("true").replace("name: gpu-operator,", "name: b,")],
)
def test_an_operator_that_reads_the_label_or_may_is_right(release):
    assert lines(machine("- name: vfio_pci") + FIELD % (LABEL, "vm-passthrough") + release, "TG114") == []


def test_the_ids_may_stand_among_the_kernel_arguments_of_the_schematic():
    image = schematic(*OPEN).replace(
        "      customization:\n", "      customization:\n        extraKernelArgs: ['vfio-pci.ids=10de:2684']\n"
    )

    ((severity, _, message),) = found(talconfig(image + MODULES))

    assert severity == "warning"
    assert "loads nvidia, and has the kernel argument vfio-pci.ids=10de:2684" in message
