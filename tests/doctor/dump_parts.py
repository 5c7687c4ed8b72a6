"""Parts of a dump for the tests of the links of nodes: machines, their extensions, services and logs, and Node objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from constructs_lib.doctor.fault import Broken, Healthy, NotSeen, State
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.gpu_node import GpuNode
from constructs_lib.observed.model import NodeConfig
from constructs_lib.observed.model.dump import Dump
from constructs_lib.observed.model.evidence import Evidence, Log, LogKind
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.observed.model.talos_machine import Extension, Seen, Service, TalosMachine
from constructs_lib.observed.read.live.talos_resources import running_config
from constructs_lib.symptoms.log_search import LogSearch
from constructs_lib.symptoms.symptom_table import all_symptoms

NAME = "gpu-1"
_SEARCH = LogSearch(all_symptoms())

OPEN_1_13 = {
    "nvidia-open-gpu-kernel-modules-lts": "580.126.20-v1.13.2",
    "nvidia-container-toolkit-lts": "580.126.20-v1.19.0",
}
"""The extensions of an image of Talos 1.13.2."""

LOADED = {"nvidia": "Live", "nvidia_uvm": "Live", "nvidia_modeset": "Live", "nvidia_drm": "Live"}
CARD = {"0000:01:00.0": "AD102 [GeForce RTX 4090]"}


def line(text: str, source: str = "talosctl.txt") -> Evidence:
    return Evidence(text=text, source=source)


def seen(value: str, text: str = "") -> Seen:
    return Seen(value=value, evidence=line(text or value))


def installed(image: str) -> NodeConfig:
    """A machine configuration with this installer image."""
    found = running_config({"machine": {"install": {"image": image}}}, "", "machineconfig.yaml")
    assert found is not None
    return found


def all_seen(values: Mapping[str, str]) -> dict[str, Seen]:
    return {name: seen(value, f"{name} {value}") for name, value in values.items()}


def extensions(names: Mapping[str, str] = OPEN_1_13) -> dict[str, Extension]:
    return {name: Extension(name=name, version=version, evidence=line(f"{name} {version}")) for name, version in names.items()}


def service(name: str, state: str = "Running", health: str = "?", event: str = "Started task") -> Service:
    return Service(name=name, state=state, health=health, event=event, evidence=line(f"{name} {state} {health} {event}"))


def services(*given: Service) -> dict[str, Service]:
    return {each.name: each for each in given}


def log(*lines: str, kind: LogKind = LogKind.KERNEL, name: str = "", source: str = "dmesg.log") -> Log:
    """A log with these lines, searched for symptoms as readers search it, with all lines kept."""
    numbered = list(enumerate(lines, start=1))
    return Log(kind=kind, source=source, matches=tuple(_SEARCH.search(numbered)), lines=len(lines), name=name, kept=tuple(numbered))


def machine(*, talos: str = "1.13.2", **parts: Any) -> TalosMachine:
    """A machine; its lists of extensions and of loaded modules were read whole."""
    numbers = {"extension_numbers": {"0": "schematic"}} if "extensions" in parts else {}
    whole = {"has_all_modules": True} if "modules" in parts else {}
    return TalosMachine(names={NAME}, talos_version=seen(talos, f"Tag: v{talos}") if talos else None, **{**numbers, **whole, **parts})


def node_object(
    *,
    talos: str = "1.13.2",
    labels: Mapping[str, str] | None = None,
    gpus: str | None = None,
    allocatable: str | None = None,
) -> LiveObject:
    amounts = {} if gpus is None else {"nvidia.com/gpu": gpus}
    return LiveObject(
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": NAME, "labels": dict(labels or {})},
            "status": {
                "nodeInfo": {"osImage": f"Talos (v{talos})"},
                "capacity": amounts,
                "allocatable": amounts if allocatable is None else {"nvidia.com/gpu": allocatable},
            },
        },
        "nodes.json",
    )


def extension_labels(names: Mapping[str, str] = OPEN_1_13) -> dict[str, str]:
    return {f"extensions.talos.dev/{name}": version for name, version in names.items()}


def gpu_node(machine: TalosMachine | None = None, node: LiveObject | None = None) -> GpuNode:
    return GpuNode(name=NAME, node=node, machine=machine)


def cluster(machine: TalosMachine | None = None, node: LiveObject | None = None, objects: Iterable[LiveObject] = ()) -> GpuCluster:
    dump = Dump(machines=[machine] if machine else [])
    for each in [*([node] if node else []), *objects]:
        dump.objects.setdefault(each.kind, []).append(each)
        dump.listed.add(each.kind)
    return GpuCluster(dump)


def fault_names(state: State) -> list[str]:
    """The names of the faults of a broken link; empty for any other state."""
    return [each.name for each in state.faults] if isinstance(state, Broken) else []


def healthy_line(state: State) -> str:
    """The line that shows that a link holds."""
    assert isinstance(state, Healthy), state
    return state.evidence.text


def command(state: State) -> str:
    """The command whose output would tell the state of a link."""
    assert isinstance(state, NotSeen), state
    return str(state.command)
