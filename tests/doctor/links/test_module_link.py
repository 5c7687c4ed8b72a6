"""The link `modules`: the kernel has loaded NVIDIA's modules, and they support the card."""

import pytest
from doctor.dump_parts import (
    CARD,
    LOADED,
    OPEN_1_13,
    all_seen,
    cluster,
    command,
    extensions,
    fault_names,
    gpu_node,
    healthy_line,
    log,
    machine,
    node_object,
    seen,
    service,
    services,
)

from constructs_lib.doctor.links.module_link import modules
from constructs_lib.observed.model.evidence import Evidence
from constructs_lib.observed.model.talos_machine import Seen

KMOD = next(iter(OPEN_1_13))
PROPRIETARY = {"nonfree-kmod-nvidia-lts": "580.126.20-v1.13.2", "nvidia-container-toolkit-lts": "580.126.20-v1.19.0"}
OTHERS = {"overlay": "Live"}


def state(given=None, node=None):
    return modules(cluster(given, node), gpu_node(given, node))


def with_parts(**parts):
    return state(machine(**{"extensions": extensions(), **parts}))


def only(given):
    (fault,) = given.faults
    return fault


def test_loaded_modules_are_healthy_by_their_line():
    assert healthy_line(with_parts(modules=all_seen(LOADED))) == "nvidia Live"


def test_allocatable_gpus_show_loaded_modules():
    assert healthy_line(state(node=node_object(gpus="2"))) == "nvidia.com/gpu: 2"


def test_registered_gpus_that_are_not_allocatable_show_nothing():
    assert command(state(node=node_object(gpus="2", allocatable="0"))) == "talosctl --nodes ADDRESS read /proc/modules"


@pytest.mark.parametrize(
    ("parts", "line"),
    [
        ({"driver_version": seen("580.126.20", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.126.20")}, "NVRM version"),
        ({"services": services(service("ext-nvidia-persistenced"))}, "ext-nvidia-persistenced Running"),
    ],
    ids=["version", "service"],
)
def test_a_running_driver_shows_loaded_modules(parts, line):
    assert healthy_line(with_parts(**parts)).startswith(line)


def test_without_any_output_nothing_was_seen():
    assert command(with_parts()) == "talosctl --nodes ADDRESS read /proc/modules"


def test_modules_that_the_configuration_does_not_name_are_not_loaded():
    fault = only(with_parts(modules=all_seen(OTHERS), configured_modules={}))

    assert (fault.name, fault.rules) == ("modules-not-configured", ("TG071",))
    assert fault.cause.startswith("The configuration of the node does not name NVIDIA's modules")
    assert str(fault.fix) == (
        "talos-gpu patch --talos 1.13.2 --driver-track lts --output nvidia-patch.yaml\n"
        "talosctl --nodes ADDRESS patch machineconfig --patch @nvidia-patch.yaml   # may reboot the node; with --dry-run it says so, and changes nothing"
    )
    assert fault.evidence[0].text == "no module nvidia among the loaded modules"


def test_an_unread_configuration_may_name_the_modules():
    fault = only(with_parts(modules=all_seen(OTHERS)))

    assert (fault.name, str(fault.verify)) == ("modules-not-loaded", "talosctl --nodes ADDRESS read /proc/modules")
    assert fault.cause.startswith("NVIDIA's kernel modules are not loaded")


@pytest.mark.parametrize("file", ["/sys/bus/pci/drivers/nvidia", "/dev/nvidia0"])
def test_a_service_that_waits_for_the_driver_shows_modules_that_are_not_loaded(file):
    waiting = service("ext-nvidia-persistenced", "Waiting", event=f'Waiting for file "{file}" to exist')

    assert fault_names(with_parts(services=services(waiting))) == ["modules-not-loaded"]
    assert fault_names(with_parts(services=services(waiting), modules=all_seen(LOADED))) == []


def test_a_service_that_waits_for_another_service_shows_nothing_of_the_modules():
    waiting = service("ext-nvidia-persistenced", "Waiting", event='Waiting for service "udevd" to be "up"')

    assert fault_names(with_parts(services=services(waiting))) == []


def test_modules_that_are_configured_and_not_loaded_were_refused():
    fault = only(with_parts(modules=all_seen(OTHERS), configured_modules=all_seen({"nvidia": ""})))

    assert (fault.name, len(fault.evidence)) == ("modules-refused", 2)


@pytest.mark.parametrize(
    ("lines", "name"),
    [
        (['error loading module "nvidia": load nvidia failed: key was rejected by service'], "module-signature"),
        (['error loading module "nvidia": module not found'], "module-not-found"),
        (["NVRM: The NVIDIA probe routine was not called for 1 device(s)."], "card-of-another-driver"),
        (["NVRM: installed in this system is not supported by open", "NVRM: No NVIDIA GPU found."], "wrong-kernel-modules"),
        (["NVRM: installed in this system is not supported by the", "NVRM: NVIDIA 535.54.03 driver release."], "wrong-kernel-modules"),
        (["NVRM: No NVIDIA GPU found."], "no-card"),
    ],
)
def test_the_kernels_own_words_are_the_cause(lines, name):
    parts = {"configured_modules": all_seen({"nvidia": ""}), "kernel_log": log(*lines)}

    assert fault_names(with_parts(modules=all_seen(OTHERS), **parts)) == [name]
    assert fault_names(with_parts(modules=all_seen(LOADED), **parts)) == []


def test_modules_that_the_kernel_refuses_need_an_image_of_the_release_that_runs():
    kernel = log('error loading module "nvidia": load nvidia failed: key was rejected by service')

    assert "schematic --talos 1.13.2 --driver-track lts --print installer" in str(only(with_parts(kernel_log=kernel)).fix)


def test_the_words_of_an_unsupported_card_on_one_line_are_the_cause():
    kernel = log(
        "NVRM: The NVIDIA GPU 0000:00:10.0 (PCI ID: 10de:1b38)\\x0aNVRM: installed in this system is not supported by the\\x0aNVRM: NVIDIA 535.54.03 driver release."
    )

    assert fault_names(with_parts(modules=all_seen(OTHERS), kernel_log=kernel)) == ["wrong-kernel-modules"]


def test_a_missing_nvidia_peermem_is_not_the_cause():
    kernel = log('error loading module "nvidia_peermem": module not found')

    assert fault_names(with_parts(modules=all_seen(OTHERS), kernel_log=kernel)) == ["modules-not-loaded"]
    assert fault_names(with_parts(kernel_log=kernel)) == []


def test_cuda_needs_nvidia_uvm():
    fault = only(with_parts(modules=all_seen({"nvidia": "Live", "nvidia_modeset": "Live"})))

    assert (fault.name, fault.evidence[1].text) == ("uvm-not-loaded", "no module nvidia_uvm among the loaded modules")


def test_modules_for_a_display_are_not_needed():
    assert fault_names(with_parts(modules=all_seen({"nvidia": "Live", "nvidia_uvm": "Live"}))) == []


def test_blackwell_needs_the_open_modules_also_where_the_proprietary_ones_are_loaded():
    fault = only(
        with_parts(extensions=extensions(PROPRIETARY), pci=all_seen({"0000:01:00.0": "GB202 [GeForce RTX 5090]"}), modules=all_seen(LOADED))
    )

    assert (fault.name, fault.rules, fault.is_hardware) == ("wrong-kernel-modules", ("TG076",), False)
    assert "nonfree-kmod-nvidia-lts 580.126.20 does not run the card GeForce RTX 5090: Blackwell needs the open modules" in fault.cause
    assert "talos-gpu schematic --talos 1.13.2 --driver-track lts --print installer" in str(fault.fix)


def test_pascal_needs_the_proprietary_modules():
    fault = only(with_parts(pci=all_seen({"0000:01:00.0": "GP104GL [Tesla P4]"}), modules=all_seen(OTHERS)))

    assert fault.name == "wrong-kernel-modules"
    assert "--kernel-modules proprietary" in str(fault.fix)


def test_a_driver_that_is_too_old_for_the_card_has_no_other_modules():
    old = {"nvidia-open-gpu-kernel-modules-lts": "535.247.01-v1.11.5"}
    given = machine(talos="1.11.5", extensions=extensions(old), pci=all_seen({"0000:01:00.0": "GB202 [GeForce RTX 5090]"}))

    assert str(only(state(given)).fix) == "talos-gpu matrix --product 'GeForce RTX 5090'"


def test_a_card_of_an_older_driver_has_none_on_talos():
    fault = only(with_parts(pci=all_seen({"0000:01:00.0": "GK210GL [Tesla K80]"}), modules=all_seen(OTHERS)))

    assert (fault.name, fault.is_hardware) == ("card-without-driver", True)
    assert fault.cause == "No driver of Talos runs the card Tesla K80: it is a Kepler card, whose last driver is 470.xx"


@pytest.mark.parametrize(
    "pci",
    [
        CARD,
        {**CARD, "0000:02:00.0": "GK208B [GeForce GT 710]"},
        {"0000:01:00.0": "Device 2f04"},
        {"0000:01:00.1": "AD102 High Definition Audio Controller"},
        {"0000:01:00.0": "XX100 [Something New]"},
    ],
    ids=["supported", "beside-an-old-display", "without-name", "sound", "unheard-of"],
)
def test_a_card_that_the_modules_may_run_is_not_called_wrong(pci):
    assert fault_names(with_parts(pci=all_seen(pci), modules=all_seen(LOADED))) == []


def test_offered_gpus_outweigh_the_table_of_cards():
    given = machine(extensions=extensions(PROPRIETARY), pci=all_seen({"0000:01:00.0": "GB202 [GeForce RTX 5090]"}))

    assert healthy_line(state(given, node_object(gpus="1"))) == "nvidia.com/gpu: 1"


def test_a_card_that_vfio_holds_is_not_nvidias():
    configured = all_seen({"nvidia": "", "vfio_pci": "ids=10de:2684,10de:22ba"})
    fault = only(with_parts(modules=all_seen(OTHERS), configured_modules=configured))

    assert (fault.name, fault.rules) == ("card-held-by-vfio", ("TG109",))
    assert fault_names(with_parts(modules=all_seen(LOADED), configured_modules=configured)) == []


def test_a_device_that_is_bound_to_vfio_is_not_nvidias():
    bound = {"0000:01:00.0": seen("AD102 [GeForce RTX 4090]", "0000:01:00.0 NVIDIA Corporation AD102 [GeForce RTX 4090] driver vfio-pci")}

    assert fault_names(with_parts(modules=all_seen(OTHERS), pci=bound)) == ["card-held-by-vfio"]
    assert fault_names(with_parts(modules=all_seen(OTHERS), pci={**bound, **all_seen({"0000:02:00.0": "AD102"})})) == ["modules-not-loaded"]


def test_a_driver_that_started_no_card_is_not_loaded_for_the_reason_in_the_kernels_log():
    kernel = log(
        "NVRM: This PCI I/O region assigned to your NVIDIA device is invalid:",
        "NVRM: The NVIDIA probe routine failed for 1 device(s).",
        "NVRM: None of the NVIDIA devices were initialized.",
    )

    assert fault_names(with_parts(modules=all_seen(OTHERS), kernel_log=kernel)) == ["bar-invalid"]
    assert command(with_parts(kernel_log=kernel)) == "talosctl --nodes ADDRESS read /proc/modules"


def test_the_absence_of_a_module_has_the_source_of_the_list():
    listed = {
        "overlay": Seen(
            value="Live", evidence=Evidence(text="overlay Live", source="LoadedKernelModules.runtime.talos.dev/overlay (gpu-1.yaml)")
        )
    }
    lines = {"overlay": Seen(value="Live", evidence=Evidence(text="overlay 1 0 - Live 0x0", source="modules.txt:7"))}

    assert only(with_parts(modules=listed)).evidence[0].source == "LoadedKernelModules.runtime.talos.dev (gpu-1.yaml)"
    assert only(with_parts(modules=lines)).evidence[0].source == "modules.txt"
    assert only(with_parts(modules={})).evidence[0].source == "talosctl --nodes ADDRESS read /proc/modules"


def test_vfio_may_hold_the_devices_of_others():
    configured = all_seen({"nvidia": "", "vfio_pci": "ids=8086:1528"})

    assert fault_names(with_parts(modules=all_seen(OTHERS), configured_modules=configured)) == ["modules-refused"]
