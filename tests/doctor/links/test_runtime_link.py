"""The link `runtime`: NVIDIA's services have prepared the node, so that the container runtime can inject the card."""

import pytest
from doctor.dump_parts import (
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

from constructs_lib.doctor.gpu_node import has_gpus
from constructs_lib.doctor.links.runtime_link import runtime
from constructs_lib.observed.model.evidence import LogKind

DAEMON = service("ext-nvidia-persistenced")
GENERATED = service("ext-nvidia-cdi-gen", "Finished", "?", "Service finished successfully")
SERVICES = "talosctl --nodes ADDRESS services"
HARDENING = "talosctl --nodes ADDRESS get kernelparamstatuses proc.sys.net.core.bpf_jit_harden"
RESTARTING = "Runner Containerd(ext-nvidia-fabricmanager) exited without error, going to restart it"
MANAGER = {**OPEN_1_13, "nvidia-fabricmanager-lts": "580.126.20"}
LIBZ = "nv-fabricmanager: error while loading shared libraries: libz.so.1: cannot open shared object file: No such file or directory"
FILTER = "nvidia-container-cli: mount error: failed to add device rules: unable to find any existing device filters: last insn is not an exit or jmp"


def state(given=None, node=None):
    return runtime(cluster(given, node), gpu_node(given, node))


def with_services(*given, talos="1.13.2", **parts):
    return state(machine(**{"talos": talos, "extensions": extensions(), "services": services(*given), **parts}))


def only(given):
    (fault,) = given.faults
    return fault


def test_a_finished_cdi_generator_is_healthy():
    assert healthy_line(with_services(DAEMON, GENERATED)).startswith("ext-nvidia-cdi-gen Finished")


def test_from_talos_1_13_on_the_persistence_daemon_alone_shows_no_cdi_specification():
    assert command(with_services(DAEMON)) == SERVICES


def test_on_talos_1_12_the_persistence_daemon_is_enough():
    assert healthy_line(with_services(DAEMON, talos="1.12.11")).startswith("ext-nvidia-persistenced Running")


def test_up_to_talos_1_11_the_kernel_setting_must_be_known():
    assert command(with_services(DAEMON, talos="1.11.5")) == HARDENING
    assert healthy_line(with_services(DAEMON, talos="1.11.5", sysctls=all_seen({"net.core.bpf_jit_harden": "1"}))).startswith(
        "ext-nvidia-persistenced"
    )


def test_on_talos_1_15_the_operators_toolkit_tells():
    assert "nvidia-container-toolkit-daemonset" in command(with_services(DAEMON, talos="1.15.0-beta.0"))


def test_allocatable_gpus_show_a_runtime_that_injects():
    assert healthy_line(state(node=node_object(gpus="1"))) == "nvidia.com/gpu: 1"


@pytest.mark.parametrize("given", [None, machine(), machine(talos="")])
def test_without_services_nothing_was_seen(given):
    assert command(state(given)) == SERVICES


@pytest.mark.parametrize(
    ("daemon", "name", "cause"),
    [
        (
            service("ext-nvidia-persistenced", "Waiting", event='Waiting for file "/sys/bus/pci/drivers/nvidia" to exist'),
            "service-waits",
            'The service ext-nvidia-persistenced waits for file "/sys/bus/pci/drivers/nvidia" to exist',
        ),
        (
            service(
                "ext-nvidia-persistenced",
                "Waiting",
                event="Error running Containerd(ext-nvidia-persistenced), going to restart forever: exit code 1",
            ),
            "service-fails",
            "The service ext-nvidia-persistenced does not stay up: its program ends",
        ),
        (
            service("ext-nvidia-persistenced", "Failed", event="Failed to create runner"),
            "service-fails",
            "The service ext-nvidia-persistenced does not stay up: its program ends",
        ),
    ],
    ids=["waits", "restarts", "failed"],
)
def test_a_persistence_daemon_that_does_not_run_comes_before_the_services_that_wait_for_it(daemon, name, cause):
    waiting = service("ext-nvidia-cdi-gen", "Waiting", event='Waiting for service "ext-nvidia-persistenced" to be "up"')
    fault = only(with_services(daemon, waiting))

    assert (fault.name, fault.cause) == (name, cause)


def test_a_cdi_generator_that_fails_leaves_no_specification():
    failing = service(
        "ext-nvidia-cdi-gen",
        "Waiting",
        event="Error running Containerd(ext-nvidia-cdi-gen), going to restart until it succeeds: exit code 1",
    )
    fault = only(with_services(DAEMON, failing))

    assert (fault.name, fault.consequence) == (
        "service-fails",
        "The node has no /run/cdi/nvidia.yaml, so the container runtime knows no card",
    )
    assert str(fault.fix).startswith("talosctl --nodes ADDRESS logs ext-nvidia-cdi-gen")


@pytest.mark.parametrize("state_of", ["Preparing", "Starting", "Running"])
def test_a_service_on_its_way_is_no_fault(state_of):
    assert fault_names(with_services(DAEMON, service("ext-nvidia-cdi-gen", state_of))) == []


def test_the_fabric_manager_of_talos_1_13_0_does_not_start():
    fault = only(with_services(DAEMON, GENERATED, talos="1.13.0", extensions=extensions(MANAGER)))

    assert (fault.name, fault.rules) == ("fabric-manager-release", ("TG111",))
    assert "--talos 1.13.1 --driver-track lts --fabric-manager --print installer" in str(fault.fix)


def test_the_production_fabric_manager_of_talos_1_8_does_not_start():
    production = {
        "nvidia-open-gpu-kernel-modules-production": "550.90.07-v1.8.4",
        "nvidia-container-toolkit-production": "550.90.07-v1.16.1",
        "nvidia-fabricmanager-production": "550.90.07",
    }

    assert fault_names(with_services(DAEMON, talos="1.8.4", extensions=extensions(production))) == ["fabric-manager-release"]
    assert fault_names(with_services(DAEMON, talos="1.9.6", extensions=extensions(production))) == []


def test_a_release_without_the_extension_has_no_fault_of_the_fabric_manager():
    assert fault_names(with_services(DAEMON, GENERATED, talos="1.13.0")) == []


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (LIBZ, "fabric-manager-libz"),
        (
            "nv-fabricmanager: request to query NVSwitch device information failed with error: NV_WARN_NOTHING_TO_DO",
            "fabric-manager-nothing-to-do",
        ),
    ],
)
def test_the_log_of_the_fabric_manager_has_the_reason(line, name):
    manager = service("ext-nvidia-fabricmanager", "Waiting", event=RESTARTING)
    written = {"ext-nvidia-fabricmanager": log(line, kind=LogKind.SERVICE, name="ext-nvidia-fabricmanager", source="fm.log")}
    fault = only(with_services(DAEMON, GENERATED, manager, extensions=extensions(MANAGER), service_logs=written))

    assert (fault.name, fault.evidence[0].source) == (name, "fm.log:1")


def test_a_fabric_manager_that_ends_again_and_again_is_a_fault_without_its_log_too():
    manager = service("ext-nvidia-fabricmanager", "Waiting", event=RESTARTING)

    assert only(with_services(DAEMON, GENERATED, manager, extensions=extensions(MANAGER))).name == "service-fails"


def test_old_lines_of_a_fabric_manager_that_runs_are_no_fault():
    written = {"ext-nvidia-fabricmanager": log(LIBZ, kind=LogKind.SERVICE)}

    assert fault_names(with_services(DAEMON, GENERATED, service("ext-nvidia-fabricmanager"), service_logs=written)) == []


def test_independent_services_are_both_named():
    manager = service("ext-nvidia-fabricmanager", "Failed")
    failing = service("ext-nvidia-cdi-gen", "Failed")

    assert fault_names(with_services(DAEMON, failing, manager)) == ["service-fails", "service-fails"]


def test_up_to_talos_1_11_the_hardened_kernel_stops_gpu_containers():
    hardened = all_seen({"net.core.bpf_jit_harden": "2"})
    fault = only(with_services(DAEMON, talos="1.11.5", sysctls=hardened))

    assert (fault.name, fault.rules, str(fault.verify)) == ("device-filter", ("TG073",), HARDENING)
    assert fault_names(with_services(DAEMON, talos="1.12.11", sysctls=hardened)) == []
    given = machine(talos="1.11.5", sysctls=hardened)
    assert fault_names(state(given, node_object(talos="1.11.5", gpus="1"))) == []


def test_the_kernels_refusal_of_a_device_filter_tells_the_setting():
    fault = only(with_services(DAEMON, talos="1.11.5", kernel_log=log(FILTER)))

    assert (fault.name, str(fault.fix).startswith("talos-gpu patch --talos 1.11.5")) == ("device-filter", True)
    assert fault_names(with_services(DAEMON, talos="1.13.2", kernel_log=log(FILTER))) == []


STARTING = '[talos] task startAllServices (1/1): service "ext-nvidia-persistenced" to be "up"'


def test_a_boot_that_waits_for_nvidias_services_is_a_fault_where_no_driver_is_loaded():
    given = machine(kernel_log=log(STARTING))

    assert fault_names(state(given)) == ["boot-timeout"]
    assert has_gpus(gpu_node(given))


@pytest.mark.parametrize("parts", [{"driver_version": seen("580.126.20")}, {"services": services(DAEMON)}], ids=["driver", "services"])
def test_each_boot_waits_for_some_seconds(parts):
    assert fault_names(state(machine(kernel_log=log(STARTING), **parts))) == []
