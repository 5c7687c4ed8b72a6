"""The link `image`: NVIDIA's extensions in the image of a node."""

import pytest
from doctor.dump_parts import (
    CARD,
    LOADED,
    OPEN_1_13,
    all_seen,
    cluster,
    command,
    extension_labels,
    extensions,
    fault_names,
    gpu_node,
    healthy_line,
    log,
    machine,
    node_object,
)

from constructs_lib.doctor.fault import NotSeen
from constructs_lib.doctor.gpu_node import has_gpus
from constructs_lib.doctor.links.image_link import image

KMOD, TOOLKIT = OPEN_1_13
PCI_LABEL = {"feature.node.kubernetes.io/pci-10de.present": "true"}


def state(given=None, node=None):
    return image(cluster(given, node), gpu_node(given, node))


def with_extensions(names, **parts):
    return state(machine(extensions=extensions(names), **parts))


def only(given):
    (fault,) = given.faults
    return fault


def test_an_image_with_modules_and_toolkit_is_healthy_by_the_line_of_the_modules():
    assert healthy_line(with_extensions(OPEN_1_13, pci=all_seen(CARD))) == f"{KMOD} 580.126.20-v1.13.2"


def test_the_labels_of_a_node_show_the_extensions_too():
    assert healthy_line(state(node=node_object(labels=extension_labels()))) == f"extensions.talos.dev/{KMOD}: 580.126.20-v1.13.2"


def test_without_a_node_and_a_list_of_extensions_nothing_was_seen():
    assert command(state(machine())) == "talosctl --nodes ADDRESS get extensions"


def test_a_card_without_any_extension_lacks_the_driver():
    fault = only(with_extensions({}, pci=all_seen(CARD)))

    assert (fault.name, fault.rules) == ("extensions-missing", ())
    assert [each.text for each in fault.evidence] == ["extensions: none", "0000:01:00.0 AD102 [GeForce RTX 4090]"]
    assert str(fault.fix).endswith(
        '\nIMAGE=$(talos-gpu schematic --talos 1.13.2 --print installer) &&\ntalosctl --nodes ADDRESS upgrade --image "$IMAGE"'
    )


def test_the_new_image_keeps_the_other_extensions_of_the_node():
    assert "--extension siderolabs/iscsi-tools --print installer" in str(
        only(with_extensions({"iscsi-tools": "v0.2.0", "schematic": "abc"}, pci=all_seen(CARD))).fix
    )


def test_labels_of_a_card_without_labels_of_extensions_show_an_image_without_a_driver():
    assert fault_names(state(node=node_object(labels=PCI_LABEL))) == ["extensions-missing"]


def test_a_node_of_another_system_has_no_labels_of_extensions():
    node = node_object(labels=PCI_LABEL)
    node.body["status"]["nodeInfo"]["osImage"] = "Ubuntu 24.04.1 LTS"

    assert isinstance(state(node=node), NotSeen)


@pytest.mark.parametrize(
    ("given", "node"),
    [
        (machine(extensions={}, configured_modules=all_seen({"nvidia": ""})), None),
        (None, node_object(gpus="0")),
    ],
    ids=["configured", "registered"],
)
def test_a_node_that_had_the_extensions_has_lost_them(given, node):
    fault = only(state(given, node))

    assert (fault.name, fault.rules) == ("extensions-lost", ("TG083",))
    assert has_gpus(gpu_node(given, node))


def test_a_full_boot_partition_comes_before_the_lost_extensions():
    kernel = log("failed to install bootloader: write /boot/EFI/Linux/Talos-v1.13.2.efi: no space left on device")

    assert fault_names(with_extensions({}, pci=all_seen(CARD), kernel_log=kernel)) == ["boot-partition-full", "extensions-missing"]


@pytest.mark.parametrize("given", [machine(extensions={}, modules=all_seen(LOADED))])
def test_loaded_modules_show_an_image_with_a_driver_whatever_its_extensions_are_called(given):
    assert healthy_line(state(given)) == "nvidia Live"


def test_an_extension_of_somebody_else_may_bring_the_modules():
    assert isinstance(with_extensions({"nvidia-driver-production": "595.58.03"}, pci=all_seen(CARD)), NotSeen)


def test_modules_without_the_toolkit_have_no_libraries():
    fault = only(with_extensions({KMOD: "580.126.20-v1.13.2"}))

    assert (fault.name, fault.rules) == ("toolkit-missing", ("TG106",))
    assert "without nvidia-container-toolkit-lts" in fault.cause
    assert "schematic --talos 1.13.2 --driver-track lts --print installer" in str(fault.fix)


def test_a_toolkit_without_modules_drives_no_card():
    fault = only(with_extensions({TOOLKIT: "580.126.20-v1.19.0"}))

    assert (fault.name, fault.cause) == (
        "modules-extension-missing",
        "The image has nvidia-container-toolkit-lts without an extension with NVIDIA's kernel modules",
    )


def test_the_tracks_of_the_extensions_are_one():
    fault = only(with_extensions({KMOD: "580.126.20-v1.13.2", "nvidia-container-toolkit-production": "595.58.03-v1.19.0"}))

    assert (fault.name, fault.rules) == ("tracks-differ", ("TG080",))
    assert len(fault.evidence) == 2


def test_the_drivers_of_the_extensions_are_one():
    fault = only(with_extensions({KMOD: "580.126.20-v1.13.2", TOOLKIT: "580.105.08-v1.18.1"}))

    assert (fault.name, fault.cause) == (
        "drivers-differ",
        "NVIDIA's extensions have different drivers: nvidia-container-toolkit-lts 580.105.08, nvidia-open-gpu-kernel-modules-lts 580.126.20",
    )


def test_a_fabric_manager_of_the_same_driver_fits():
    assert fault_names(with_extensions({**OPEN_1_13, "nvidia-fabricmanager-lts": "580.126.20"})) == []


def test_a_fabric_manager_of_another_driver_does_not_fit():
    assert fault_names(with_extensions({**OPEN_1_13, "nvidia-fabricmanager-lts": "580.105.08"})) == ["drivers-differ"]


def test_an_image_has_one_flavour_of_kernel_modules():
    assert fault_names(with_extensions({**OPEN_1_13, "nonfree-kmod-nvidia-lts": "580.126.20-v1.13.2"})) == ["both-flavours"]


def test_modules_of_another_talos_are_refused():
    fault = only(with_extensions({**OPEN_1_13, KMOD: "580.126.20-v1.12.11"}))

    assert (fault.name, fault.rules) == ("extension-of-another-talos", ("TG072",))
    assert fault.cause == f"{KMOD} was built for Talos 1.12.11, and Talos 1.13.2 runs"


@pytest.mark.parametrize(
    ("version", "parts"),
    [
        ("580.126.20-v1.13.2", {}),
        ("580.126.20-v1.12.11", {"modules": all_seen(LOADED)}),
        ("580.126.20-v1.12.11", {"talos": ""}),
        ("580.126.20", {}),
        ("main", {}),
    ],
    ids=["same", "loaded", "unknown-talos", "without-talos", "own-version"],
)
def test_modules_that_are_loaded_or_of_an_unknown_release_are_not_called_wrong(version, parts):
    assert fault_names(with_extensions({**OPEN_1_13, KMOD: version}, **parts)) == []


def test_nvidias_image_on_a_machine_without_a_card_waits():
    fault = only(with_extensions(OPEN_1_13, pci={}, kernel_log=log("NVRM: No NVIDIA GPU found.")))

    assert (fault.name, fault.rules) == ("image-without-card", ("TG070",))
    assert "| grep -v 'siderolabs/.*nvidia' > present.yaml" in str(fault.fix)


def test_a_list_of_pci_devices_without_a_card_may_be_cut():
    assert fault_names(with_extensions(OPEN_1_13, pci={})) == []


def test_a_machine_whose_pci_devices_were_not_read_may_have_a_card():
    assert fault_names(with_extensions(OPEN_1_13, pci=None)) == []


SWITCH = {"0000:05:00.0": "GH100 [H100 NVSwitch]"}


@pytest.mark.parametrize(
    "parts",
    [{"pci": all_seen({**CARD, **SWITCH})}, {"kernel_log": log("nvidia-nvswitch: Probing device 0000:05:00.0, Vendor Id = 0x10de")}],
    ids=["pci", "dmesg"],
)
def test_a_machine_with_nvswitches_needs_the_fabric_manager(parts):
    fault = only(with_extensions(OPEN_1_13, **parts))

    assert (fault.name, fault.rules) == ("fabric-manager-missing", ("TG078",))
    assert fault.cause == "The machine has NVSwitches, and its image has no nvidia-fabricmanager-lts"
    assert "--fabric-manager" in str(fault.fix)
    assert fault_names(with_extensions({**OPEN_1_13, "nvidia-fabricmanager-lts": "580.126.20"}, **parts)) == []


def test_independent_faults_of_one_image_are_all_named():
    assert fault_names(with_extensions({KMOD: "580.126.20-v1.12.11"}, pci=all_seen({**CARD, **SWITCH}))) == [
        "toolkit-missing",
        "extension-of-another-talos",
        "fabric-manager-missing",
    ]


@pytest.mark.parametrize("config", ["vm-passthrough", "vm-vgpu"])
def test_a_node_that_hands_its_cards_to_virtual_machines_is_no_gpu_node_of_containers(config):
    assert not has_gpus(gpu_node(node=node_object(labels={**PCI_LABEL, "nvidia.com/gpu.workload.config": config})))
    assert has_gpus(gpu_node(node=node_object(labels={**PCI_LABEL, "nvidia.com/gpu.workload.config": "container"})))
