"""The doctor, `check` and `attach` give one answer to each question about pods that they share, for recorded dumps and the rules' examples.

A question is a row of `QUESTIONS`: its answer about a dump, and its answer about what the loaders read. The second is asked of a file, as
`check` reads it, and of the manifests of an app, as `attach` reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml
from doctor.dump_parts import NAME
from doctor.dump_parts import machine as machine_of
from doctor.pod_parts import cluster as dump_cluster
from doctor.pod_parts import node, pod

from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.injection import injection
from constructs_lib.checks.rules import RULES
from constructs_lib.doctor.dump_reader import read_dump
from constructs_lib.doctor.fault import Fault
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.links.agent_faults import with_runtime_class
from constructs_lib.doctor.links.injection_faults import certain_faults
from constructs_lib.doctor.live_rules import live_rules
from constructs_lib.observed.agents.agent_kinds import is_others_plugin
from constructs_lib.observed.agents.agents import STANDALONE, agents
from constructs_lib.observed.model import Inputs, KubernetesObject
from constructs_lib.observed.model.dump import Dump
from constructs_lib.observed.model.evidence import Evidence
from constructs_lib.observed.model.live_object import LiveObject
from constructs_lib.observed.nodes.offers import others_plugin
from constructs_lib.observed.pods.pod_templates import pod_of
from constructs_lib.observed.pods.workloads import workloads
from constructs_lib.observed.read.live.talos_resources import running_config
from constructs_lib.observed.read.repository import read_manifests, read_text
from constructs_lib.upstream.kubernetes.api import POD_TEMPLATES
from constructs_lib.upstream.nvidia.agent_programs import AgentKind
from constructs_lib.yaml.unknown import FILLED_IN

Answers = Mapping[str, object]
"""The answer about each object, by its kind, namespace and name."""


class Question(NamedTuple):
    """A question that the doctor and the checks share."""

    name: str
    of_dump: Callable[[GpuCluster], Answers]
    of_inputs: Callable[[Inputs], Answers]


def named(kind: object, namespace: object, name: object) -> str:
    return f"{kind} {namespace or ''}/{name}"


def pods_of_dump(answer: Callable[[GpuCluster, Any], object]) -> Callable[[GpuCluster], Answers]:
    """The answer about each pod, and each template of a controller, in a dump."""
    return lambda cluster: {
        named(each.kind, each.namespace, each.name): found
        for each in cluster.dump.of_kind(*POD_TEMPLATES)
        if (found := answer(cluster, pod_of(each)))
    }


def pods_of_inputs(answer: Callable[[Any], object]) -> Callable[[Inputs], Answers]:
    """The answer about each pod template of the inputs' objects."""
    return lambda inputs: {
        named(each.kind, each.namespace, each.about.name): found
        for each in workloads(inputs)
        if isinstance(each.about, KubernetesObject) and each.kind in POD_TEMPLATES and (found := answer(each))
    }


def daemon_sets(cluster: GpuCluster) -> Answers:
    """The agents of a dump that run on their own, in DaemonSets that no operator made: these are the agents of the checks."""
    owned = {each.full_name for each in cluster.dump.of_kind("DaemonSet") if each.mappings("metadata", "ownerReferences")}
    return {
        named("DaemonSet", each.workload.namespace, each.workload.name): each.kind
        for each in cluster.agents
        if each.kind in STANDALONE
        and each.workload is not None
        and each.workload.kind == "DaemonSet"
        and each.workload.full_name not in owned
    }


def agents_of_inputs(inputs: Inputs) -> Answers:
    return {
        named("DaemonSet", each.namespace, each.about.name): each.kind
        for each in agents(inputs)
        if isinstance(each.about, KubernetesObject)
    }


NO_LIBRARY = Fault(name="nvml-missing", cause="", evidence=(Evidence(text="", source=""),), consequence="", fix="", verify="", source="")


def lacks_runtime(cluster: GpuCluster) -> Answers:
    """The DaemonSets that the doctor tells to name a RuntimeClass where their program finds no library of the driver."""
    unowned = daemon_sets(cluster)
    return {
        name: True
        for each in cluster.dump.of_kind("DaemonSet")
        if (name := named("DaemonSet", each.namespace, each.name)) in unowned
        and with_runtime_class(cluster, pod_of(each), [NO_LIBRARY])[0].name != NO_LIBRARY.name
    }


def lacks_runtime_in_files(inputs: Inputs) -> Answers:
    """The agents of TG018, wherever no machine configuration makes NVIDIA's runtime the default."""
    return {
        named("DaemonSet", each.namespace, each.about.name): True
        for each in agents(inputs)
        if isinstance(each.about, KubernetesObject)
        and each.kind in (AgentKind.PLUGIN, AgentKind.GFD)
        and each.value("runtimeClassName") is None
    }


QUESTIONS = [
    Question("which agent runs in a pod", pods_of_dump(lambda _, pod: pod.agent), pods_of_inputs(lambda pod: pod.agent)),
    Question("which DaemonSets are agents", daemon_sets, agents_of_inputs),
    Question("how many GPUs a pod asks for", pods_of_dump(lambda _, pod: dict(pod.gpus)), pods_of_inputs(lambda pod: dict(pod.gpus))),
    Question(
        "which pods use GPUs",
        pods_of_dump(lambda cluster, pod: pod.agent is None and not pod.claims and cluster.uses_gpus(pod)),
        pods_of_inputs(lambda pod: pod.agent is None and not pod.claims and pod.uses_gpus),
    ),
    Question("which agents lack NVIDIA's runtime", lacks_runtime, lacks_runtime_in_files),
    Question(
        "whether another project's device plugin runs",
        lambda cluster: {"": any(is_others_plugin(each.name, pod_of(each).spec) for each in cluster.dump.of_kind("DaemonSet"))},
        lambda inputs: {"": others_plugin(inputs)},
    ),
]
"""Add a row for each further question, such as whether a pod tolerates a taint."""


def needs_class(config: dict[str, Any]) -> tuple[bool, bool]:
    """Whether a pod with a GPU needs a RuntimeClass on a node of Talos 1.12 with this configuration, in the eyes of the doctor and of TG040."""
    written = {"machine": {"type": "worker", "kernel": {"modules": [{"name": "nvidia"}]}, **config}}
    machine = machine_of(talos="1.12.6", config=running_config(written, "", "machineconfig.yaml"))
    running = pod(on=NAME, spec={"containers": [container("ollama/ollama", gpus=1)]})
    cluster = dump_cluster(
        node(NAME, talos="1.12.6"), running, machines=(machine,), listed="DaemonSet Deployment StatefulSet ClusterPolicy"
    )
    found = {each.name for each in certain_faults(cluster, pod_of(running))}
    return "runtime-class-not-named" in found, injection(live_rules(cluster).inputs).severity is not None


# The inputs


def dump_of(bodies: list[dict[str, Any]]) -> GpuCluster:
    dump = Dump(listed=set(POD_TEMPLATES))
    for each in bodies:
        dump.objects.setdefault(each["kind"], []).append(LiveObject(each, "cluster.yaml"))
    return GpuCluster(dump)


def recorded() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for folder in sorted((Path(__file__).parents[1] / "doctor" / "dumps").iterdir()):
        dump = read_dump([each for each in sorted(folder.iterdir()) if each.name != "expected.yaml"])
        yield folder.name, [dict(each.body) for each in dump.of_kind(*POD_TEMPLATES)]


def examples() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The objects with pods in the examples of the rules. A dump has no placeholders."""
    for rule in RULES.values():
        for name, example in (("failing", rule.failing), ("passing", rule.passing)):
            if FILLED_IN.search(example.yaml) is None:
                yield f"{rule.id} {name}", [each for each in parsed(example.yaml) if is_object(each)]


def parsed(text: str) -> list[Any]:
    try:
        return list(yaml.safe_load_all(text))
    except yaml.YAMLError:
        return []


def is_object(body: Any) -> bool:
    return isinstance(body, dict) and body.get("kind") in POD_TEMPLATES and isinstance(body.get("metadata"), dict)


def container(image, name="main", gpus=0, **fields):
    return {"name": name, "image": image, **({"resources": {"limits": {"nvidia.com/gpu": gpus}}} if gpus else {}), **fields}


def daemon_set(name, *containers, **spec):
    metadata = {"name": name, "namespace": "gpu"}
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata,
        "spec": {"selector": {}, "template": {"metadata": {}, "spec": {"containers": list(containers), **spec}}},
    }


SOCKETS = [{"name": "sockets", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}]
PLUGIN_IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"
AMD = daemon_set("amdgpu-device-plugin", container("rocm/k8s-device-plugin:1.31", "amdgpu-dp-cntr"), volumes=SOCKETS)
HAMI = daemon_set("hami", container("projecthami/hami:v2.9.0", command=["nvidia-device-plugin"]), volumes=SOCKETS)
FIVE = {
    "program": (container("registry.example.com/own:1", command=["/usr/bin/nvidia-device-plugin"]), AgentKind.PLUGIN),
    "image": (container(PLUGIN_IMAGE), AgentKind.PLUGIN),
    "discovery": (container(PLUGIN_IMAGE, command=["gpu-feature-discovery"]), AgentKind.GFD),
    "config": (container(PLUGIN_IMAGE, "nvidia-device-plugin-config-manager", command=["config-manager"]), None),
    "arguments": (container("registry.k8s.io/kube-state-metrics:v2", args=["--namespaces=gpu-operator,dcgm-exporter"]), None),
}
"""The five containers of which the doctor and the checks once said different things, each with its agent."""
SIDECAR = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "llm", "namespace": "gpu"},
    "spec": {
        "initContainers": [
            container("a/b", "fetch", gpus=1),
            container("a/b", "cache", gpus=1, restartPolicy="Always"),
            container("a/b", "warm", gpus=2),
        ],
        "containers": [container("ollama/ollama", gpus=1)],
    },
}
"""A container with a GPU beside a sidecar with one, and an init container with two GPUs that runs while the sidecar has one."""
OWN = [
    ("the five containers", [daemon_set(name, each) for name, (each, _) in FIVE.items()]),
    ("other vendors and projects", [AMD, HAMI]),
    ("a sidecar", [SIDECAR]),
]


def views(bodies: list[dict[str, Any]]) -> tuple[GpuCluster, Inputs, Inputs]:
    """The objects as the doctor, `check` and `attach` read them."""
    return dump_of(bodies), read_text(yaml.safe_dump_all(bodies)), read_manifests([("", each) for each in bodies])


@pytest.mark.parametrize("source", [recorded, examples, lambda: OWN], ids=["dumps", "examples", "own"])
def test_the_doctor_check_and_attach_answer_alike(source):
    contradictions, asked = [], 0
    for where, bodies in source():
        cluster, check, attach = views(bodies)
        for question in QUESTIONS:
            answers = [question.of_dump(cluster), question.of_inputs(check), question.of_inputs(attach)]
            asked += len(answers[0])
            if answers[0] != answers[1] or answers[1] != answers[2]:
                contradictions.append((where, question.name, *answers))

    assert contradictions == []
    assert asked > len(OWN)


def test_the_five_containers():
    cluster, check, _ = views(OWN[0][1])

    expected = {named("DaemonSet", "gpu", name): kind for name, (_, kind) in FIVE.items() if kind}
    assert agents_of_inputs(check) == expected
    assert daemon_sets(cluster) == expected


def test_the_device_plugin_of_amd_is_no_agent_and_check_does_not_warn_of_it():
    cluster, check, _ = views([AMD])

    assert (agents_of_inputs(check), daemon_sets(cluster), others_plugin(check)) == ({}, {}, False)
    assert [each.rule for each in run_rules(check) if each.rule == "TG018"] == []


def test_a_plugin_with_the_program_of_nvidias_is_one_also_from_another_project():
    assert agents_of_inputs(views([HAMI])[1]) == {"DaemonSet gpu/hami": AgentKind.PLUGIN}


def test_sidecars_are_counted_as_the_scheduler_counts_them():
    """At most: the sidecar with the second init container, 1 + 2. After the init containers the sidecar and the container have 1 + 1."""
    without = {**SIDECAR, "spec": {**SIDECAR["spec"], "initContainers": SIDECAR["spec"]["initContainers"][1:2]}}

    assert [QUESTIONS[2].of_dump(dump_of([each])) for each in (SIDECAR, without)] == [
        {"Pod gpu/llm": {"nvidia.com/gpu": 3}},
        {"Pod gpu/llm": {"nvidia.com/gpu": 2}},
    ]


@pytest.mark.parametrize(("runtime", "is_needed"), [("", True), ("runc", True), ("nvidia", False)])
def test_a_pod_needs_nvidias_runtime_unless_it_is_the_default(runtime, is_needed):
    text = f'[plugins."io.containerd.cri.v1.runtime".containerd]\n  default_runtime_name = "{runtime}"\n'
    files = [{"path": "/etc/cri/conf.d/20-customization.part", "op": "create", "content": text}] if runtime else []

    assert needs_class({"files": files}) == (is_needed, is_needed)
