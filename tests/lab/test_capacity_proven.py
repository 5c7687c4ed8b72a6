"""Capacity on a real scheduler: for 300 random sets of node classes and workloads, the findings and the table of the check say what happens."""

import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from capacity_sets import NAMESPACE, CapacitySet, capacity_set, devices_of, priority_classes, slice_of
from control_plane import ControlPlane, state_of
from dra_slices import device_classes

from conftest import needs
from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.formats.capacity_table import capacity_json
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text

SETS = 300
WAVE = 50  # sets at a time: the scheduler looks at every node for every pod
PATIENCE = 300.0  # seconds for a wave; two cores with a load of 20 need about 80
LOOKS_OF_NOMINATED = 8  # looks, each after a second, in which the pods that run stay the same
Pod = dict[str, Any]


class Outcome(NamedTuple):
    """A set with its pods: of the first state that stays, and of that after all its Jobs are deleted; and the amounts of the cluster."""

    drawn: CapacitySet
    pods: list[Pod]
    pods_without_jobs: list[Pod]
    taken: dict[str, Counter[str]]
    offers: dict[str, Counter[str]]

    def is_job(self, name: str) -> bool:
        return any(each["kind"] == "Job" and each["metadata"]["name"] == name for each in self.drawn.workloads)


class Said:
    """What the check says of a set."""

    def __init__(self, drawn: CapacitySet) -> None:
        inputs = read_text(yaml.safe_dump_all([*priority_classes(), *drawn.objects]), nodes=drawn.nodes)
        self.table = capacity_json(inputs)
        violations = [(rule, each) for rule in ("TG095", "TG096") for each in violations_of(RULES[rule], inputs)]
        self.findings = [(rule, str(each.severity), str(each.about.at("metadata", "name"))) for rule, each in violations]
        self.messages = [each.message for _, each in violations]

    @property
    def not_compared(self) -> set[str]:
        """The workloads for which no described class offers the resource."""
        return {each["workload"].rpartition("/")[2] for each in self.table["gaps"] if each["kind"] == "not compared"}

    def named(self, words: str) -> list[tuple[str, str]]:
        """The workloads of the findings with these words, and the whole message."""
        return [(name, message) for (_, _, name), message in zip(self.findings, self.messages, strict=True) if words in message]

    @property
    def depends(self) -> set[str]:
        """What pods can do, as the order of the pods decides."""
        return {effect for effect in ("stay Pending", "wait until other pods end") for each in self.messages if f"can {effect}" in each}

    @property
    def answer(self) -> str:
        """`error`: pods are Pending for ever. `waits`: pods are Pending until others end. `depends`: pods can be Pending. `fits`: none is."""
        if any(severity == "error" for _, severity, _ in self.findings):
            return "error"
        if len(self.messages) > sum(any(f"can {effect}" in each for effect in ("stay", "wait", "preempt")) for each in self.messages):
            return "waits"
        return "depends" if self.messages else "fits"

    @property
    def only_jobs(self) -> bool:
        """Whether every Pending pod waits only until Jobs end."""
        return self.answer in ("waits", "depends") and not any("stay Pending" in each for each in self.messages)


def pending(pods: Iterable[Pod], said: Said) -> set[str]:
    """The workloads with a Pending pod, without those that the check does not compare."""
    return {workload_of(each) for each in pods if state_of(each) != "Running"} - said.not_compared


@pytest.fixture(scope="module")
def outcomes() -> list[tuple[Outcome, Said]]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    drawn = [capacity_set(number) for number in range(SETS)]
    with ControlPlane(assets) as lab:
        lab.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}, *priority_classes(), *device_classes()])
        waves = [scheduled(lab, drawn[first : first + WAVE]) for first in range(0, SETS, WAVE)]
    return [(each, Said(each.drawn)) for wave in waves for each in wave]


def scheduled(lab: ControlPlane, wave: list[CapacitySet]) -> list[Outcome]:
    """Schedule the workloads of these sets side by side, and then delete everything."""
    offers = [join(lab, each) for each in wave]
    lab.eventually(lambda: lab.list("v1", "Node"), lambda nodes: not any(map(is_unready, nodes)), PATIENCE)
    for each in wave:
        lab.apply(each.objects)
    workloads = [each for drawn in wave for each in drawn.workloads]
    before = settled(lab, workloads)
    amounts = taken(lab, before)
    for each in (each for each in workloads if each["kind"] == "Job"):
        lab.delete(each)
    after = settled(lab, [each for each in workloads if each["kind"] != "Job"])
    remove(lab)
    return [
        Outcome(drawn, pods_of(drawn, before), pods_of(drawn, after), amounts, offer) for drawn, offer in zip(wave, offers, strict=True)
    ]


def pods_of(drawn: CapacitySet, pods: Iterable[Pod]) -> list[Pod]:
    return [each for each in pods if workload_of(each).startswith(drawn.key)]


def join(lab: ControlPlane, drawn: CapacitySet) -> dict[str, Counter[str]]:
    """Register the machines of a set with what their agents publish; return the amounts by class."""
    offers: dict[str, Counter[str]] = {}
    for machine, nodes in drawn.machines:
        devices, shared = devices_of(machine, nodes), slice_of(machine, nodes)
        lab.apply([machine.node()])
        lab.patch_status(machine.status(**{key: str(number) for key, number in devices.items()}))
        if shared is not None:
            lab.apply([shared])
            values = [each["capacity"].get("shares", {"value": "1"})["value"] for each in shared["spec"]["devices"]]
            devices = {"gpu.nvidia.com": sum(map(int, values))}
        offers.setdefault(str(nodes.name), Counter()).update(devices)
    return offers


def is_unready(node: dict[str, Any]) -> bool:
    return any(taint["key"].startswith("node.kubernetes.io/") for taint in node["spec"].get("taints", ()))


def settled(lab: ControlPlane, workloads: list[dict[str, Any]]) -> list[Pod]:
    """The pods once the controllers have made all of them, the scheduler has judged each, and two looks in a row see the same ones run."""
    names = {each["metadata"]["name"]: each for each in workloads}
    former: list[set[str]] = [set()]
    desired: dict[str, int] = {}

    def are_all(name: str, pods: list[Pod]) -> bool:
        if names[name]["kind"] == "DaemonSet":
            return len(pods) == desired.get(name)
        return is_complete(names[name], pods)

    def look() -> list[Pod]:
        time.sleep(1)
        for each in lab.list("apps/v1", "DaemonSet"):
            if each["status"].get("observedGeneration") == each["metadata"]["generation"]:
                desired[each["metadata"]["name"]] = each["status"]["desiredNumberScheduled"]
        return lab.list("v1", "Pod")

    def stays(pods: list[Pod]) -> bool:
        by_name: dict[str, list[Pod]] = {name: [] for name in names}
        for each in pods:
            by_name.setdefault(workload_of(each), []).append(each)
        former.append({each["metadata"]["name"] for each in pods if state_of(each) == "Running"})
        made = by_name.keys() == names.keys() and all(are_all(name, theirs) for name, theirs in by_name.items())
        # A nomination can outlive the preemption: another pod takes the place, and the nominated pod stays Pending.
        looks = LOOKS_OF_NOMINATED if any(each["status"].get("nominatedNodeName") for each in pods) else 2
        return made and len({frozenset(each) for each in former[-looks:]}) == 1 and len(former) > looks and all(map(is_judged, pods))

    pods = lab.eventually(look, stays, PATIENCE)
    assert stays(pods), "the scheduler did not come to an end"
    return pods


def node_of(pod: Pod) -> str:
    """The node for which the controller has made a pod of a DaemonSet."""
    (term,) = pod["spec"]["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    return str(term["matchFields"][0]["values"][0])


def workload_of(pod: Pod) -> str:
    return str(pod["metadata"]["labels"]["app"])


def is_judged(pod: Pod) -> bool:
    """Whether the pod runs, or the scheduler has found no node."""
    return bool(state_of(pod)) and "deletionTimestamp" not in pod["metadata"]


def is_complete(workload: dict[str, Any], pods: list[Pod]) -> bool:
    """Whether all pods of a workload exist; a StatefulSet in order makes none after a Pending one."""
    spec = workload["spec"]
    if spec.get("podManagementPolicy") == "OrderedReady" and any(state_of(each) != "Running" for each in pods):
        return True
    return len(pods) == (spec["replicas"] if "replicas" in spec else min(spec["parallelism"], spec["completions"]))


def taken(lab: ControlPlane, pods: list[Pod]) -> dict[str, Counter[str]]:
    """The amounts that the scheduler has given to the pods of each workload: of the limits of pods with a node, and of the devices of their claims."""
    amounts: dict[str, Counter[str]] = {}
    owners = {}
    for pod in pods:
        owners[pod["metadata"]["uid"]] = workload_of(pod)
        if "nodeName" in pod["spec"]:
            limits = pod["spec"]["containers"][0]["resources"].get("limits", {})
            amounts.setdefault(workload_of(pod), Counter()).update({resource: int(amount) for resource, amount in limits.items()})
    for claim in lab.list("resource.k8s.io/v1", "ResourceClaim"):
        # A claim that pods share has no owner, and the name of its workload.
        of_pod = claim["metadata"].get("ownerReferences")
        name = owners.get(of_pod[0]["uid"]) if of_pod else claim["metadata"]["name"]
        if name is not None and "extended-resource-claim" not in str(claim["metadata"].get("annotations")):
            results = claim.get("status", {}).get("allocation", {}).get("devices", {}).get("results", [])
            amounts.setdefault(name, Counter()).update({"gpu.nvidia.com": len(results)})
    return amounts


def remove(lab: ControlPlane) -> None:
    """Delete the workloads, and then the nodes."""
    for path in (
        "apis/apps/v1/{}/deployments",
        "apis/apps/v1/{}/statefulsets",
        "apis/apps/v1/{}/daemonsets",
        "apis/batch/v1/{}/jobs",
        "apis/resource.k8s.io/v1/{}/resourceclaims",
        "apis/resource.k8s.io/v1/{}/resourceclaimtemplates",
    ):
        lab.delete_all(path.format(f"namespaces/{NAMESPACE}"))
    lab.eventually(lambda: lab.list("v1", "Pod"), lambda left: not left, PATIENCE)
    lab.delete_all("apis/resource.k8s.io/v1/resourceslices")
    lab.delete_all("api/v1/nodes")


def test_at_least_300_sets_are_compared_and_each_answer_occurs(outcomes):
    answers = Counter(said.answer for _, said in outcomes)

    assert len(outcomes) == SETS
    assert min(answers[each] for each in ("fits", "error", "waits", "depends")) >= 5, answers


def test_daemon_sets_and_shared_claims_are_among_the_compared_workloads(outcomes):
    rows = [row for outcome, said in outcomes for row in said.table["requests"] if row["classes"]]
    daemons = [each for outcome, _ in outcomes for each in outcome.drawn.workloads if each["kind"] == "DaemonSet"]

    assert sum(row["workload"].startswith("ResourceClaim ") for row in rows) > 20
    assert len(daemons) > 100


def test_all_pods_run_where_the_check_finds_nothing(outcomes):
    assert {
        drawn.drawn.key: pending(drawn.pods, said) for drawn, said in outcomes if said.answer == "fits" and pending(drawn.pods, said)
    } == {}


def test_a_pod_is_pending_where_the_check_finds_that_not_all_fit(outcomes):
    assert [drawn.drawn.key for drawn, said in outcomes if said.answer in ("error", "waits") and not pending(drawn.pods, said)] == []


def test_every_pod_that_requests_too_much_of_one_node_is_pending(outcomes):
    too_large = [(outcome, name) for outcome, said in outcomes for name, _ in said.named("but one node of")]

    assert len(too_large) > 50
    assert [name for outcome, name in too_large if running_nodes(outcome, name)] == []


def test_the_pods_of_a_daemon_set_on_nodes_without_the_resource_are_pending(outcomes):
    on_others = [(outcome, *finding) for outcome, said in outcomes for finding in said.named("has a pod on each node of")]

    assert len(on_others) > 5
    for outcome, name, message in on_others:
        classes = {str(each.name) for each in outcome.drawn.nodes if f"{each.name} " in message.partition(", and these")[0]}
        there = [each for each in outcome.pods if workload_of(each) == name and node_of(each).rpartition("-")[0] in classes]

        assert there, name
        assert [each for each in there if state_of(each) == "Running"] == [], name


def test_the_pods_of_a_daemon_set_that_share_a_claim_run_on_one_node(outcomes):
    sharing = [(outcome, name) for outcome, said in outcomes for name, _ in said.named("whose GPUs are on one node")]

    assert len(sharing) > 2
    assert [name for outcome, name in sharing if len(running_nodes(outcome, name)) > 1] == []


def running_nodes(outcome: Outcome, name: str) -> list[str]:
    """The nodes of the pods of a workload that run."""
    return [each["spec"]["nodeName"] for each in outcome.pods if workload_of(each) == name and state_of(each) == "Running"]


def test_pods_stay_pending_after_the_jobs_where_an_error_is_about_other_workloads(outcomes):
    staying = [
        (outcome, said)
        for outcome, said in outcomes
        if any(severity == "error" and not outcome.is_job(name) for _, severity, name in said.findings)
    ]

    assert len(staying) > 50
    assert [outcome.drawn.key for outcome, said in staying if not pending(outcome.pods_without_jobs, said)] == []


def test_pods_that_wait_for_jobs_run_after_them(outcomes):
    waiting = [(outcome, said) for outcome, said in outcomes if said.only_jobs]

    assert len(waiting) > 5
    assert {
        outcome.drawn.key: pending(outcome.pods_without_jobs, said) for outcome, said in waiting if pending(outcome.pods_without_jobs, said)
    } == {}


def test_a_workload_that_is_not_compared_has_no_node(outcomes):
    lost = [(outcome, name) for outcome, said in outcomes for name in said.not_compared]

    assert len(lost) > 5
    assert [name for outcome, name in lost if any(state_of(each) == "Running" for each in outcome.pods if workload_of(each) == name)] == []


def test_the_offers_of_the_table_are_what_the_nodes_advertise(outcomes):
    for outcome, said in outcomes:
        offers = {each["name"]: {offer["resource"]: offer["amount"] for offer in each["offers"]} for each in said.table["classes"]}
        expected = {name: {resource: outcome.offers[name][resource] for resource in listed} for name, listed in offers.items()}

        assert offers == expected, outcome.drawn.key


def test_the_requests_of_the_table_are_what_the_scheduler_has_given_to_workloads_that_run(outcomes):
    for outcome, said in outcomes:
        waiting = {workload_of(each) for each in outcome.pods if state_of(each) != "Running"}
        rows = {
            each["workload"].rpartition("/")[2]: (each["resource"], each["amount"]) for each in said.table["requests"] if each["classes"]
        }
        running = {name: row for name, row in rows.items() if name not in waiting}

        assert running == {name: next(iter(outcome.taken[name].items())) for name in running}, outcome.drawn.key
