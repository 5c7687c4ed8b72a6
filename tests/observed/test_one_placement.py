"""The doctor, `check` and `attach` give one answer to each question about placement that they share, for recorded dumps and the rules' examples.

A question is a row of `QUESTIONS`: its answer about a dump, and its answer about what the loaders read. The second is asked of a file, as
`check` reads it, and of the manifests of an app, as `attach` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from constructs_lib import GpuNodes, check
from constructs_lib.checks.rule import Severity
from constructs_lib.checks.rules import RULES
from constructs_lib.clusters.synthesis import synthesize
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.node_fit import NodeFits, Obstacle, refusals
from constructs_lib.observed.model import Inputs, NodeTaint
from constructs_lib.observed.model.dump import Dump
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.observed.nodes.node import Node, live_node
from constructs_lib.observed.nodes.offers import live_offer, offers
from constructs_lib.observed.nodes.pod_security import enforced_level
from constructs_lib.observed.placement.placements import runs_on
from constructs_lib.observed.placement.selection import selection_of, tolerates
from constructs_lib.observed.read.repository import read_manifests, read_text
from constructs_lib.observed.usage.gpu_usage import usage
from constructs_lib.yaml.unknown import FILLED_IN

PODS = {"Pod": ("spec",), **dict.fromkeys(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job"), ("spec", "template", "spec"))}

Answers = Mapping[str, object]
"""The answer about each pair of a pod and a node, each node or each namespace."""


class Question(NamedTuple):
    """A question that the doctor and the checks share."""

    name: str
    of_dump: Callable[[GpuCluster], Answers]
    of_inputs: Callable[[Inputs], Answers]


def pairs_of_dump(answer: Callable[[Mapping[str, Any], Node], object]) -> Callable[[GpuCluster], Answers]:
    """The answer about each pod on each node of a dump."""
    return lambda cluster: {
        f"{each.kind} {each.full_name} on {node.name}": answer(each.mapping(*PODS[each.kind]), node.observed)
        for each in cluster.dump.of_kind(*PODS)
        for node in cluster.all_nodes
        if node.observed is not None
    }


def pairs_of_inputs(answer: Callable[[Mapping[str, Any], Node], object]) -> Callable[[Inputs], Answers]:
    """The answer about each pod on each node of the inputs' objects."""
    return lambda inputs: {
        f"{each.kind} {each.namespace or ''}{'/' if each.namespace else ''}{each.name} on {node.name}": answer(
            each.pod_spec, live_node(node.body)
        )
        for each in inputs.of_kind(*PODS)
        for node in inputs.of_kind("Node")
    }


def refused(spec: Mapping[str, Any], node: Node, *, by_label: bool) -> bool:
    return any((each.obstacle is Obstacle.LABEL) is by_label for each in refusals(spec, node))


def willing(cluster: GpuCluster) -> Answers:
    """The nodes that the doctor says would take each pod."""
    fits = NodeFits(cluster.all_nodes)
    return {
        f"{each.kind} {each.full_name} on {node.name}": node in fits.of(each.mapping(*PODS[each.kind])).willing
        for each in cluster.dump.of_kind(*PODS)
        for node in cluster.all_nodes
        if node.observed is not None
    }


QUESTIONS = [
    Question(
        "does the pod tolerate the taints of the node",
        pairs_of_dump(lambda spec, node: not refused(spec, node, by_label=False)),
        pairs_of_inputs(lambda spec, node: all(tolerates(spec.get("tolerations"), each).is_yes for each in node.keeping_off)),
    ),
    Question(
        "does the pod select the node",
        pairs_of_dump(lambda spec, node: not refused(spec, node, by_label=True)),
        pairs_of_inputs(lambda spec, node: selection_of(spec).selects(node).is_yes),
    ),
    Question("can the pod run on the node", willing, pairs_of_inputs(lambda spec, node: runs_on(spec, node).is_yes)),
    Question(
        "which GPUs does the node offer",
        lambda cluster: {each.name: {name for name, amount in each.capacity.items() if amount} for each in cluster.all_nodes if each.node},
        lambda inputs: {str(each.name): set(live_offer(live_node(each.body)).names) for each in inputs.of_kind("Node")},
    ),
]


# The inputs


def dump_of(bodies: list[dict[str, Any]]) -> GpuCluster:
    dump = Dump(listed={*PODS, "Node"})
    for each in bodies:
        dump.objects.setdefault(each["kind"], []).append(LiveObject(each, "cluster.yaml"))
    return GpuCluster(dump)


@cache
def folders() -> dict[str, Dump]:
    places = sorted((Path(__file__).parents[1] / "doctor" / "dumps").iterdir())
    return {each.name: read_dump([file for file in sorted(each.iterdir()) if file.name != "expected.yaml"]) for each in places}


def recorded() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for name, dump in folders().items():
        # The objects in a support bundle of Talos have no apiVersion.
        yield name, [{"apiVersion": "v1", **written(each)} for each in dump.of_kind(*PODS, "Node")]


def written(each: LiveObject) -> dict[str, Any]:
    """The object without what no question asks for: reading it costs time."""
    metadata = {key: value for key, value in each.mapping("metadata").items() if key in ("name", "namespace", "labels")}
    return {**{key: value for key, value in each.body.items() if key != "status" or each.kind == "Node"}, "metadata": metadata}


def node(name: str, *taints: NodeTaint, labels: Mapping[str, str] | None = None, gpus: Mapping[str, str] | None = None, **spec: Any) -> Any:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **(labels or {})}},
        "spec": {"taints": [each._asdict() for each in taints], **spec},
        "status": {"capacity": gpus or {}, "allocatable": gpus or {}},
    }


NODES = [
    node("gpu-1", labels={"nvidia.com/gpu.present": "true", "gpu": "yes", "memory": "24"}, gpus={"nvidia.com/gpu": "1"}),
    node(
        "gpu-2",
        NodeTaint("nvidia.com/gpu", "", "NoSchedule"),
        NodeTaint("dedicated", "ai", "NoExecute"),
        gpus={"nvidia.com/gpu.shared": "5"},
    ),
    node("gpu-3", NodeTaint("dedicated", "ai", "PreferNoSchedule"), unschedulable=True, gpus={"nvidia.com/mig-1g.10gb": "7"}),
]


def examples() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The objects with pods in the examples of the rules, beside three nodes. A dump has no placeholders."""
    for rule in RULES.values():
        for name, example in (("failing", rule.failing), ("passing", rule.passing)):
            if FILLED_IN.search(example.yaml) is None:
                yield f"{rule.id} {name}", [*(each for each in parsed(example.yaml) if is_object(each)), *NODES]


def parsed(text: str) -> list[Any]:
    try:
        return list(yaml.safe_load_all(text))
    except yaml.YAMLError:
        return []


def is_object(body: Any) -> bool:
    return isinstance(body, dict) and body.get("kind") in PODS and isinstance(body.get("metadata"), dict)


def pod(name: str, **spec: Any) -> Any:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "ai"}, "spec": {"containers": [], **spec}}


def affinity(field: str, key: str, operator: str, *values: str) -> Any:
    term = {field: [{"key": key, "operator": operator, "values": list(values)}]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}


OWN = [
    ("tolerations", [*NODES, *(pod(f"pod-{number}", tolerations=[each]) for number, each in enumerate([
        {"operator": "Exists"},
        {"key": "nvidia.com/gpu"},
        {"key": "nvidia.com/gpu", "value": "present"},
        {"key": "dedicated", "operator": "Equal", "value": "ai"},
        {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"},
    ]))]),
    ("affinity", [*NODES, *(pod(f"pod-{number}", affinity=affinity(*each)) for number, each in enumerate([
        ("matchExpressions", "gpu", "In", "yes", "no"),
        ("matchExpressions", "gpu", "NotIn", "yes"),
        ("matchExpressions", "gpu", "Exists"),
        ("matchExpressions", "gpu", "DoesNotExist"),
        ("matchExpressions", "memory", "Gt", "16"),
        ("matchExpressions", "memory", "Lt", "24"),
        ("matchFields", "metadata.name", "In", "gpu-2"),
    ]))]),
    ("selectors", [*NODES, pod("one", nodeSelector={"gpu": "yes"}), pod("other", nodeSelector={"gpu": "no"})]),
]  # fmt: skip


def views(bodies: list[dict[str, Any]]) -> tuple[GpuCluster, Inputs, Inputs]:
    """The objects as the doctor, `check` and `attach` read them."""
    return dump_of(bodies), read_text(yaml.safe_dump_all(bodies)), read_manifests([("", each) for each in bodies])


@pytest.mark.parametrize("source", [recorded, examples, lambda: OWN], ids=["dumps", "examples", "own"])
def test_the_doctor_check_and_attach_answer_alike(source):
    contradictions, answered = [], set()
    for where, bodies in source():
        cluster, read, attached = views(bodies)
        for question in QUESTIONS:
            answers = [question.of_dump(cluster), question.of_inputs(read), question.of_inputs(attached)]
            answered |= {(question.name, str(each)) for each in answers[0].values()}
            if answers[0] != answers[1] or answers[1] != answers[2]:
                contradictions.append((where, question.name, *answers))

    assert contradictions == []
    assert {(each.name, str(answer)) for each in QUESTIONS[:3] for answer in (True, False)} <= answered


def test_what_a_plugin_advertises_by_its_config_is_what_its_nodes_offer():
    """Of the dumps whose plugin can be read: a dump has no ConfigMap.

    A node may offer less, when its plugin is broken.
    """
    compared, others = 0, []
    for name, dump in folders().items():
        inputs = read_text(yaml.safe_dump_all([dict(each.body) for each in dump.of_kind("DaemonSet", "ConfigMap", "Node", "DeviceClass")]))
        advertised = offers(inputs)
        offered = {each for node in GpuCluster(dump).all_nodes for each, amount in node.offered.items() if amount}
        if advertised is not None:
            compared += bool(offered)
            others += [(name, each) for each in offered if not any(offer.has(each) for offer in advertised)]

    assert others == []
    assert compared > 2


def test_a_namespace_whose_pods_the_api_server_refuses_is_never_said_to_be_open():
    refusing, open_ones = 0, []
    for name, dump in folders().items():
        messages = [(each, f"{each.at('message') or each.at('note')}") for each in dump.of_kind("Event")]
        strict = {each.namespace for each, message in messages if "violates PodSecurity" in message}
        inputs = read_text(yaml.safe_dump_all([dict(each.body) for each in dump.of_kind("Namespace")]))
        refusing += len(strict)
        open_ones += [(name, each) for each in strict if enforced_level(inputs, each).level in ("privileged", "off")]

    assert open_ones == []
    assert refusing > 1


DESCRIBED = {
    "a label that no class names": """
        nodes: {talos_version: "1.14", labels: {gpu: "yes"}}
        charts:
          gpu: {objects: {plugin: {StandaloneDevicePlugin: {namespace: kube-system}}, class: {NvidiaRuntimeClass: {}}}}
          ai: {namespace: ai, objects: {llm: {GpuWorkload: {image: "a/b:1", pod_spec: {nodeSelector: {disk: ssd}}}}}}
    """,
    "a class whose plugin is elsewhere": """
        nodes: [{talos_version: "1.14", name: a, labels: {gpu: a}}, {talos_version: "1.14", name: b, labels: {gpu: b}}]
        charts:
          gpu: {objects: {plugin: {StandaloneDevicePlugin: {nodes: a, namespace: kube-system}}, class: {NvidiaRuntimeClass: {}}}}
          ai: {namespace: ai, objects: {llm: {GpuWorkload: {image: "a/b:1", nodes: b}}}}
    """,
    "a label of feature discovery, which does not run": """
        nodes: {talos_version: "1.14", labels: {gpu: "yes"}}
        charts:
          gpu: {objects: {plugin: {StandaloneDevicePlugin: {namespace: kube-system}}, class: {NvidiaRuntimeClass: {}}}}
          ai: {namespace: ai, objects: {llm: {GpuWorkload: {image: "a/b:1", pod_spec: {nodeSelector: {nvidia.com/gpu.product: H100}}}}}}
    """,
}


@pytest.mark.parametrize("name", DESCRIBED)
def test_synth_warns_of_labels_as_check_of_its_output_does(tmp_path, name):
    description = yaml.safe_load(DESCRIBED[name])
    synthesis = synthesize(description, lambda _: "")
    for path, text in synthesis.files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    checked = {each.rule for each in check(tmp_path) if each.severity >= Severity.WARNING}

    assert not synthesis.errors
    assert any("TG007" in str(each.error) for each in synthesis.warnings) is ("TG007" in checked) is ("discovery" in name)


def test_a_pod_for_a_class_of_another_app_takes_no_gpu_of_a_class_without_its_label():
    """The nodes of a described class lack the labels that describe another class."""
    one = GpuNodes(talos_version="1.14", name="one", labels={"one": "yes"})
    other = GpuNodes(talos_version="1.14", name="other", labels={"other": "yes"})
    wanting = pod("llm", containers=[{"name": "llm", "resources": {"limits": {"nvidia.com/gpu": 1}}}], nodeSelector={"other": "yes"})
    inputs = read_manifests([("", wanting)], nodes=(one,))

    assert [[each.name for each in row.nodes] for row in usage(inputs)] == [["one"]]
    assert [[each.name for each in row.nodes] for row in usage(replace(inputs, other_nodes=(other,)))] == [[]]
