"""Capacity on a real scheduler: for 300 random sets of node classes and workloads, the findings and the table of the check say what happens."""

import itertools
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from capacity_sets import NAMESPACE, CapacitySet, capacity_set, devices_of, priority_classes, slice_of
from control_plane import ControlPlane, state_of
from dra_slices import device_classes

from api_server import ApiError
from conftest import needs
from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.facts.gpu_usage import advertised
from constructs_lib.checks.formats.capacity_table import capacity_json
from constructs_lib.checks.loaders.repository import read_text
from constructs_lib.checks.rules import RULES

SETS = 300
WAVE = 100  # sets at a time: the scheduler looks at every node for every pod
Pod = dict[str, Any]


class Outcome(NamedTuple):
    """A set, what the check says of it, and its pods: of the first state that stays, and of that after all its Jobs are deleted."""

    drawn: CapacitySet
    pods: list[Pod]
    pods_without_jobs: list[Pod]
    requests: dict[str, int]
    """The GPUs that each pod requests, by a limit or by its claims."""
    offers: dict[str, Counter[str]]
    """The GPUs of each class."""


class Said:
    """What the check says of a set."""

    def __init__(self, drawn: CapacitySet) -> None:
        self._inputs = read_text(yaml.safe_dump_all([*priority_classes(), *drawn.objects]), nodes=drawn.nodes)
        self.table = capacity_json(self._inputs)

    @cached_property
    def findings(self) -> list[tuple[str, str, str]]:
        """Severity, workload and message of each finding."""
        violations = [each for rule in ("TG095", "TG096") for each in violations_of(RULES[rule], self._inputs)]
        return [(str(each.severity), str(each.about.at("metadata", "name")), each.message) for each in violations]

    @property
    def not_compared(self) -> set[str]:
        """The workloads for which no described class offers the resource."""
        return {each["workload"].rpartition("/")[2] for each in self.table["gaps"] if each["kind"] == "not compared"}

    def may_differ(self, effect: str) -> bool:
        """Whether a finding says that the order of the pods decides."""
        return any(f"can {effect}" in message for _, _, message in self.findings)


def of_workload(pods: Iterable[Pod], name: str) -> list[Pod]:
    return [each for each in pods if each["metadata"]["labels"]["app"] == name]


def pending(pods: Iterable[Pod], said: Said) -> set[str]:
    """The workloads with a Pending pod, without those that the check does not compare."""
    return {each["metadata"]["labels"]["app"] for each in pods if state_of(each) != "Running"} - said.not_compared


@pytest.fixture(scope="module")
def outcomes() -> Iterator[list[tuple[Outcome, Said]]]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    drawn = [capacity_set(number) for number in range(SETS)]
    with ControlPlane(assets) as lab:
        lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}, *priority_classes(), *device_classes()])
        yield [(each, Said(each.drawn)) for wave in itertools.batched(drawn, WAVE) for each in run(lab, wave)]


def run(lab: ControlPlane, wave: Iterable[CapacitySet]) -> list[Outcome]:
    """Schedule the workloads of these sets side by side."""
    offers = {each.key: join(lab, each) for each in wave}
    lab.eventually(lambda: [each for each in lab.list("v1", "Node") if each["spec"].get("taints", []) != [] and not_ready(each)], lambda left: not left)
    for each in wave:
        lab.apply(each.objects)
    before = settled(lab, wave)
    requests = {each["metadata"]["name"]: number for each, number in requested(lab, before)}
    for each in (job for drawn in wave for job in drawn.workloads if job["kind"] == "Job"):
        lab.delete(each)
    after = settled(lab, wave, jobs=False)
    remove(lab)
    return [
        Outcome(each, pods_of(before, each), pods_of(after, each), requests, offers[each.key])
        for each in wave
    ]


def join(lab: ControlPlane, drawn: CapacitySet) -> dict[str, Counter[str]]:
    """Register the machines of a set with what their agents publish; return the amounts by class."""
    offers: dict[str, Counter[str]] = {}
    for machine, nodes in drawn.machines:
        devices, shared = devices_of(machine, nodes), slice_of(machine, nodes)
        node = machine.node()
        lab.apply([node])
        lab.patch_status(machine.status(**{key: str(number) for key, number in devices.items()}))
        if shared is not None:
            lab.apply([shared])
            values = [each["capacity"].get("shares", {"value": "1"})["value"] for each in shared["spec"]["devices"]]
            devices = {"gpu.nvidia.com": sum(map(int, values))}
        offers.setdefault(str(nodes.name), Counter()).update(devices)
    return offers


def not_ready(node: dict[str, Any]) -> bool:
    return any(taint["key"].startswith("node.kubernetes.io/") for taint in node["spec"]["taints"])


def settled(lab: ControlPlane, wave: Iterable[CapacitySet], *, jobs: bool = True) -> list[Pod]:
    """The pods once the controllers have made all of them, the scheduler has judged each, and two looks in a row are the same."""
    looks: list[dict[str, str]] = []
    workloads = [each for drawn in wave for each in drawn.workloads if jobs or each["kind"] != "Job"]

    def look() -> list[Pod]:
        time.sleep(1)
        return lab.list("v1", "Pod")

    def stays(pods: list[Pod]) -> bool:
        states = {each["metadata"]["name"]: state_of(each) for each in pods}
        looks.append({name: re.sub(r"\d+ node|0/\d+", "", state) for name, state in states.items()})
        by_name: dict[str, list[Pod]] = {}
        for each in pods:
            by_name.setdefault(each["metadata"]["labels"]["app"], []).append(each)
        judged = all(states.values()) and not any("deletionTimestamp" in each["metadata"] or waits_for_victims(each) for each in pods)
        complete = by_name.keys() <= {each["metadata"]["name"] for each in workloads} and all(
            is_complete(each, by_name.get(each["metadata"]["name"], [])) for each in workloads
        )
        return judged and complete and len(looks) > 1 and looks[-2].keys() == looks[-1].keys() and running(looks[-2]) == running(looks[-1])

    return lab.eventually(look, stays)


def running(states: dict[str, str]) -> set[str]:
    return {name for name, state in states.items() if state == "Running"}


def waits_for_victims(pod: Pod) -> bool:
    return pod["status"].get("phase") == "Pending" and bool(pod["status"].get("nominatedNodeName"))


def is_complete(workload: dict[str, Any], pods: list[Pod]) -> bool:
    """Whether all pods of a workload exist; a StatefulSet in order makes none after a Pending one."""
    spec = workload["spec"]
    if spec.get("podManagementPolicy") == "OrderedReady" and any(state_of(each) != "Running" for each in pods):
        return True
    return len(pods) == (spec["replicas"] if "replicas" in spec else min(spec["parallelism"], spec["completions"]))
