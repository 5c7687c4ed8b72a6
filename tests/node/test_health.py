"""Shared cards that fail, and parts that restart, on real kubelets: what a node offers, and what becomes of a pod that runs."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from constructs_lib.symptoms.log_search import LogSearch
from constructs_lib.symptoms.symptom_table import SYMPTOMS
from constructs_lib.upstream.nvidia.gpu_resources import CONFIG_LABEL, GPU_RESOURCE
from constructs_lib.upstream.nvidia.xid_errors import PLUGIN_IGNORED_XIDS
from nodes import IMAGE, PLUGIN, allocatable, apply, delete, emitted, log_of, report, start
from talos_gpu_rehearsal.cards import A100, RTX_4090, placed, xid

TALOS = "1.13.9"
CLASSES = {
    "whole": {"gpus_per_node": 2},
    "shared": {"gpus_per_node": 2, "sharing": {"time_slicing": {"replicas": 5}}},
    "parted": {"gpus_per_node": 1, "mig_strategy": "single", "mig_devices": {"3g.20gb": 2}},
}
CARDS = {"whole": (RTX_4090, RTX_4090), "shared": (RTX_4090, RTX_4090), "parted": (replace(A100, mig=("3g.20gb", "3g.20gb")),)}
RELEASES = {"whole": "0.17.4", "shared": "0.19.1", "parted": "0.18.2"}
OFFERED = {"whole": 2, "shared": 10, "parted": 2}


def pod(name: str, nodes: str) -> dict:
    spec = {"containers": [{"name": "main", "image": IMAGE}], "terminationGracePeriodSeconds": 0}
    workload = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": "default"}, "spec": spec}
    return {"request_gpus": {"nodes": nodes, "workload": workload}}


def plugin(name: str, **classes: dict) -> list[dict]:
    """The plugin of a class, and of no other."""
    part = {"StandaloneDevicePlugin": {"nodes": name, "image": PLUGIN.format(RELEASES[name])}}
    fields = {**CLASSES[name], **classes}
    return emitted([{"name": name, "talos_version": TALOS, **fields}], {f"plugin-{name}": part}).objects


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    classes = [{"name": name, "talos_version": TALOS, **fields} for name, fields in CLASSES.items()]
    pods = {f"pod-{name}": pod(f"pod-{name}", name) for name in CLASSES}
    whole = emitted(classes, {"runtime-class": {"NvidiaRuntimeClass": {}}, **pods})
    plugins = [each for name in CLASSES for each in plugin(name)]
    specs = [whole.node(f"node-{name}", TALOS, CARDS[name], name) for name in CLASSES]
    with start(tmp_path_factory.mktemp("health") / "cluster", specs, [*whole.objects, *plugins]) as cluster:
        apply(cluster, [*plugins, *whole.objects])
        for name in CLASSES:
            report(cluster, f"pod-{name}")
        yield cluster


@pytest.fixture
def node(made, request):
    """A node whose cards are whole, and whose plugin has just started; the pod on it runs since the beginning."""
    name = request.param
    offers(made, name, OFFERED[name])
    before = container(made, name)
    yield name
    made.nodes[f"node-{name}"].set_cards(CARDS[name])
    apply(made, plugin(name))
    restart_plugin(made, name)
    offers(made, name, OFFERED[name])
    assert container(made, name) == before, "the pod has not gone on"


def each_class(*names: str):
    return pytest.mark.parametrize("node", names or list(CLASSES), indirect=True)


def offers(made, name: str, number: int) -> None:
    made.eventually(lambda: allocatable(made, f"node-{name}"), lambda found: found == number, f"allocatable: {number}")


def capacity(made, name: str) -> int:
    return int(made.get("Node", f"node-{name}")["status"]["capacity"][GPU_RESOURCE])


def container(made, name: str) -> tuple[str, int]:
    """The container of the pod that runs since the beginning, and how often it has restarted."""
    (status,) = made.get("Pod", f"pod-{name}")["status"]["containerStatuses"]
    assert "running" in status["state"]
    return status["containerID"], status["restartCount"]


def marks(name: str) -> str:
    return f"app.kubernetes.io/component=device-plugin,talos-gpu/class={name}"


def log(made, name: str) -> str:
    return log_of(made, marks(name))


def restart_plugin(made, name: str) -> None:
    made.kubectl("delete", "pod", "--namespace", "kube-system", "--selector", marks(name), "--now")
    made.eventually(lambda: log(made, name), lambda text: "Registered device plugin" in text, "a plugin that has started again")


def fails(made, name: str, **fields: object) -> None:
    """The first card of a node changes, and the others stay."""
    first, *others = CARDS[name]
    made.nodes[f"node-{name}"].set_cards([replace(first, **fields), *others])


def named(text: str) -> set[str]:
    """The symptoms that the library finds in a log."""
    return {each.symptom.name for each in LogSearch(SYMPTOMS).search(enumerate(text.splitlines(), 1))}


@each_class()
def test_an_xid_takes_one_device_of_its_card_from_the_node_and_the_capacity_stays(made, node):
    fails(made, node, events=(xid(79),))
    offers(made, node, OFFERED[node] - 1)
    assert capacity(made, node) == OFFERED[node]
    words = log(made, node)
    card = placed(CARDS[node], f"node-{node}")[0]
    assert "XidCriticalError: Xid=79 on Device=" in words
    assert node == "parted" or f"Device={card.uuid}" in words
    assert "device-unhealthy" in named(words)


@each_class()
def test_xids_of_programs_take_no_device_from_the_node(made, node):
    fails(made, node, events=tuple(map(xid, PLUGIN_IGNORED_XIDS)))
    made.eventually(lambda: log(made, node), lambda text: text.count("Skipping event") == len(PLUGIN_IGNORED_XIDS), "skipped events")
    assert allocatable(made, f"node-{node}") == OFFERED[node]
    assert "device-unhealthy" not in named(log(made, node))


@each_class("whole")
def test_an_xid_that_the_plugin_does_not_ignore_takes_a_device_although_a_program_caused_it(made, node):
    fails(made, node, events=(xid(69),))
    offers(made, node, OFFERED[node] - 1)


@each_class("whole")
def test_a_new_plugin_offers_a_card_again_that_failed_before(made, node):
    fails(made, node, events=(xid(79),))
    offers(made, node, OFFERED[node] - 1)
    restart_plugin(made, node)
    offers(made, node, OFFERED[node])


def refusal(made, name: str) -> str:
    """Why the plugin's container did not start, in the words of its status."""
    found = json.loads(made.kubectl("get", "pods", "--namespace", "kube-system", "--selector", marks(name), "-o", "json"))["items"]
    statuses = [status for pod in found for status in pod["status"].get("containerStatuses", [])]
    states = [each for status in statuses for each in (status["state"], status["lastState"])]
    return next((each["terminated"]["message"] for each in states if "message" in each.get("terminated", {})), "")


@each_class("shared")
def test_with_one_lost_card_no_plugin_starts_and_the_node_offers_none_of_its_cards(made, node):
    fails(made, node, is_lost=True)
    made.kubectl("delete", "pod", "--namespace", "kube-system", "--selector", marks(node), "--now")
    words = made.eventually(lambda: refusal(made, node), bool, "a plugin that does not start")
    assert "error getting device handle for index '0': GPU is lost" in words
    assert "fallen-off-the-bus" in named(words)
    offers(made, node, 0)


@each_class()
def test_a_kubelet_that_starts_again_has_the_plugin_register_again(made, node):
    seen = log(made, node).count("Registered device plugin")
    machine = made.nodes[f"node-{node}"]
    machine.stop("kubelet")
    machine.start("kubelet")
    words = made.eventually(lambda: log(made, node), lambda text: text.count("Registered device plugin") > seen, "a second registration")
    assert "inotify: /var/lib/kubelet/device-plugins/kubelet.sock created, restarting." in words
    offers(made, node, OFFERED[node])


@each_class("shared")
def test_without_its_plugin_a_node_has_capacity_and_a_bound_pod_is_refused(made, node):
    objects = plugin(node)
    delete(made, [each for each in objects if each["kind"] == "DaemonSet"])
    offers(made, node, 0)
    assert capacity(made, node) == OFFERED[node]
    container = {"name": "main", "image": IMAGE, "resources": {"limits": {GPU_RESOURCE: "1"}}}
    spec = {"nodeName": f"node-{node}", "runtimeClassName": "nvidia", "containers": [container]}
    bound = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bound", "namespace": "default"}, "spec": spec}
    made.apply([bound])
    status = made.eventually(lambda: made.get("Pod", "bound")["status"], lambda found: found["phase"] == "Failed")
    delete(made, [bound])
    assert (status["reason"], status["message"]) == (
        "UnexpectedAdmissionError",
        "Pod was rejected: Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected",
    )
    assert "admission-error" in named(f"{status['reason']}: {status['message']}")
    apply(made, objects)


@each_class("shared")
def test_another_configuration_rolls_the_plugin_and_changes_what_the_node_offers(made, node):
    apply(made, plugin(node, sharing={"time_slicing": {"replicas": 3}}))
    offers(made, node, 6)


@each_class("shared")
def test_a_node_that_moves_to_another_class_gets_the_plugin_of_that_class(made, node):
    """The old plugin has to be gone first: at its end it removes the socket, which is by then that of the new one."""
    try:
        moves(made, node, "whole")
        offers(made, node, 2)
    finally:
        moves(made, node, node)
    offers(made, node, OFFERED[node])


def moves(made, node: str, name: str) -> None:
    """A node leaves its class, and comes into another when no plugin is there any more."""
    made.kubectl("label", "node", f"node-{node}", f"{CONFIG_LABEL}-")
    made.eventually(lambda: plugins_on(made, f"node-{node}"), lambda found: not found, "a node without a plugin")
    made.kubectl("label", "node", f"node-{node}", f"{CONFIG_LABEL}={name}")


def plugins_on(made, node: str) -> list[str]:
    found = (each for each in made.list("Pod", "kube-system") if each["spec"].get("nodeName") == node)
    return [each["metadata"]["name"] for each in found if "talos-gpu/class" in each["metadata"].get("labels", {})]
