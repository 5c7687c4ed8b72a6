"""Every container of an agent has no more rights than it needs, and each exception is in the table that docs/stack.md shows."""

import pytest
from cdk8s import App, Chart

from conftest import ROOT, synth
from constructs_lib import DcgmExporter, Dra, GpuNodes, Mps, StandaloneDevicePlugin, TalosGpuWarning, TimeSlicing, ValidationBridge
from constructs_lib.upstream.programs.container_rights import AGENT_EXCEPTIONS, AGENT_RESOURCES


def exceptions(pod, container):
    """The rights that a container has, by their kind."""
    context = container.get("securityContext") or {}
    added = context.get("privileged") or (context.get("capabilities") or {}).get("add")
    is_root = context.get("runAsUser", 0) == 0 and not context.get("runAsNonRoot")
    found = {
        "root": is_root,
        "writable files": not context.get("readOnlyRootFilesystem"),
        "capabilities": bool(added) or (context.get("capabilities") or {}).get("drop") != ["ALL"],
        "token": pod.get("automountServiceAccountToken", True),
        "seccomp": (pod.get("securityContext") or {}).get("seccompProfile") != {"type": "RuntimeDefault"},
        "escalation": not added and context.get("allowPrivilegeEscalation") is not False,
        "requests": not (container.get("resources") or {}).get("requests", {}).keys() >= {"cpu", "memory"},
    }
    return {name for name, is_so in found.items() if is_so}


def nodes_of(**arguments):
    return GpuNodes(talos_version="1.14", **arguments)


def mps_nodes():
    with pytest.warns(TalosGpuWarning, match="no report is known of MPS working"):
        return nodes_of(sharing=Mps(replicas=4))


def mig_nodes():
    return nodes_of(mig_devices={"1g.10gb": 7})


# By the container, the names of the table and what makes the container.
CASES = [
    ("nvidia-device-plugin-ctr", "device plugin", StandaloneDevicePlugin, lambda: {"nodes": nodes_of()}),
    ("nvidia-device-plugin-ctr", "device plugin", StandaloneDevicePlugin, lambda: {"nodes": mps_nodes()}),
    ("nvidia-device-plugin-ctr", "device plugin", StandaloneDevicePlugin, lambda: {"nodes": nodes_of(), "device_list_strategy": "cdi-cri"}),
    ("nvidia-device-plugin-ctr", "device plugin for MIG or the CPU manager", StandaloneDevicePlugin, lambda: {"nodes": mig_nodes()}),
    (
        "nvidia-device-plugin-ctr", "device plugin for MIG or the CPU manager", StandaloneDevicePlugin,
        lambda: {"nodes": nodes_of(), "compat_with_cpu_manager": True},
    ),
    ("gpu-feature-discovery-ctr", "GPU feature discovery", StandaloneDevicePlugin, lambda: {"nodes": nodes_of(), "feature_discovery": True}),
    ("mps-control-daemon-ctr", "MPS daemon", StandaloneDevicePlugin, lambda: {"nodes": mps_nodes()}),
    ("mps-control-daemon-mounts", "MPS daemon", StandaloneDevicePlugin, lambda: {"nodes": mps_nodes()}),
    ("mig-parted", "mig-parted", StandaloneDevicePlugin, lambda: {"nodes": mig_nodes()}),
    ("exporter", "DCGM exporter", DcgmExporter, lambda: {"nodes": nodes_of()}),
    ("exporter", "DCGM exporter, profiling", DcgmExporter, lambda: {"nodes": nodes_of(), "profiling": True}),
    ("exporter", "DCGM exporter, MIG", DcgmExporter, lambda: {"nodes": mig_nodes()}),
    ("exporter", "DCGM exporter, shared cards or DRA", DcgmExporter, lambda: {"nodes": nodes_of(sharing=TimeSlicing(replicas=2))}),
    ("exporter", "DCGM exporter, shared cards or DRA", DcgmExporter, lambda: {"nodes": nodes_of(dra=Dra())}),
    ("bridge", "validation bridge", ValidationBridge, lambda: {"nodes": GpuNodes(talos_version="1.12")}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "row", "construct", "arguments"), CASES)
def test_an_agent_has_the_rights_of_its_row_and_no_others(name, row, construct, arguments):
    chart = Chart(App(), "gpu")
    construct(chart, "agent", **arguments())
    pods = [made["spec"]["template"]["spec"] for made in synth(chart) if made["kind"] == "DaemonSet"]
    found = [
        exceptions(pod, each)
        for pod in pods
        for key in ("initContainers", "containers")
        for each in pod.get(key, [])
        if each["name"] == name
    ]

    assert found == [set(AGENT_EXCEPTIONS[row])]


def test_every_row_has_a_case_and_every_exception_a_reason():
    assert {row for _, row, _, _ in CASES} == AGENT_EXCEPTIONS.keys()
    assert all(reason for reasons in AGENT_EXCEPTIONS.values() for reason in reasons.values())


def test_no_agent_has_a_limit_by_the_default_requests():
    assert AGENT_RESOURCES.keys() == {"requests"}


def test_the_page_shows_each_exception():
    rows = (ROOT / "docs" / "stack.md").read_text().splitlines()
    shown = {row.split(" | ")[0].removeprefix("| "): row for row in rows if row.startswith("| ")}

    assert [
        name for name, reasons in AGENT_EXCEPTIONS.items() if any(f"| {reason} |" not in shown[name] for reason in reasons.values())
    ] == []
