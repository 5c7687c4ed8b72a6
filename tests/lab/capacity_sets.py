"""Random sets of node classes and GPU workloads, each with a pool of machines of its own in one control plane.

A set is drawn from its number alone. What its machines offer follows from what the constructs emit for its classes, as everywhere in the laboratory: the
labels and taints from the machine configuration, the devices from the config of the device plugin or from the values of the DRA driver.
"""

from __future__ import annotations

import functools
import random
import warnings
from dataclasses import dataclass
from typing import Any

from agents import Cluster, plugged
from cdk8s import App, Chart
from dra_slices import resource_slice
from machines import Card, Machine

from constructs_lib import Dra, DraDriver, Flux, GpuNodes, Mps, StandaloneDevicePlugin, Taint, TimeSlicing
from constructs_lib.talos import MachineConfigPatch, Schematic
from constructs_lib.testing import synthesize

NAMESPACE = "sets"
H100 = Card("NVIDIA H100 80GB HBM3", 81559, "0302")
PRIORITIES = {"lab-low": 10, "lab-high": 1000}
CLAIM_API = "resource.k8s.io/v1"


@dataclass(frozen=True)
class CapacitySet:
    """Node classes with their machines, and the workloads for them."""

    key: str
    nodes: list[GpuNodes]
    machines: list[tuple[Machine, GpuNodes]]
    objects: list[dict[str, Any]]

    @property
    def workloads(self) -> list[dict[str, Any]]:
        return [each for each in self.objects if "template" in each["spec"]]


def priority_classes() -> list[dict[str, Any]]:
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    return [{**kind, "metadata": {"name": name}, "value": value} for name, value in PRIORITIES.items()]


def capacity_set(number: int) -> CapacitySet:
    """The set of a number."""
    draw, key = random.Random(f"set {number}"), f"s{number:03}"  # the sets have to be the same every time
    with warnings.catch_warnings(action="ignore"):  # of MPS
        talos = draw.choice(("1.12", "1.13", "1.14"))
        nodes = [_class(draw, key, letter, talos) for letter in "abc"[: draw.choice((1, 1, 2, 2, 2, 3, 3))]]
        machines = [(_machine(each, f"{each.name}-{index}"), each) for each in nodes for index in range(each.count or 0)]
    objects = [each for index in range(draw.choice((1, 2, 2, 3, 3, 4, 5))) for each in _workload(draw, f"{key}-w{index}", nodes)]
    return CapacitySet(key, nodes, machines, objects)


def _class(draw: random.Random, key: str, letter: str, talos: str) -> GpuNodes:
    gpus = draw.randint(1, 4)
    shared = {"replicas": draw.randint(2, 3), "rename_by_default": draw.random() < 0.3}
    ways: list[dict[str, Any]] = [
        {},
        {},
        {},
        {"sharing": TimeSlicing(**shared)},
        {"mig_strategy": "single", "mig_devices": {"1g.10gb": draw.randint(1, 7)}},
        {"mig_devices": [{"1g.10gb": 3, "2g.20gb": 2}, *(draw.choice(({"1g.10gb": 1}, {})) for _ in range(gpus - 1))]},
        {"mig_devices": {"3g.40gb": 2}, "sharing": TimeSlicing(**shared)},
    ]
    if talos != "1.12":
        ways += [{"sharing": Mps(**shared)}, {"dra": Dra()}, {"dra": Dra()}, {"dra": Dra(share="consumable", shares=draw.randint(2, 3))}]
    effect = draw.choice(("NoSchedule", "NoExecute", "PreferNoSchedule"))
    return GpuNodes(
        talos_version=talos,
        name=f"{key}-{letter}",
        labels={"set": key, "pool": letter},
        extra_labels={"tier": "large"} if draw.random() < 0.5 else {},
        taints=[Taint("dedicated", letter, effect)] if draw.random() < 0.3 else [],
        gpus_per_node=gpus,
        count=draw.choice((1, 1, 2, 3)),
        **draw.choice(ways),
    )


def _machine(nodes: GpuNodes, name: str) -> Machine:
    config = MachineConfigPatch(nodes=nodes).text
    return Machine(name, config, Schematic(nodes=nodes).text, str(nodes.talos_version), (H100,) * (nodes.gpus_per_node or 0))


def devices_of(machine: Machine, nodes: GpuNodes) -> dict[str, int]:
    """The devices that the emitted device plugin advertises on a machine."""
    if nodes.dra is not None:
        return {}
    agents = _plugin(str(nodes.talos_version), nodes.sharing, nodes.mig_strategy, repr(nodes.mig_devices), nodes)
    maps = {
        (each["metadata"]["namespace"], each["metadata"]["name"]): each.get("data", {}) for each in agents if each["kind"] == "ConfigMap"
    }
    pods = [
        {"metadata": {"namespace": each["metadata"]["namespace"]}, "spec": {**each["spec"]["template"]["spec"], "nodeName": machine.name}}
        for each in agents
        if each["kind"] == "DaemonSet"
    ]
    return plugged(Cluster([], [], maps, pods), machine, {}, [])


_PLUGINS: dict[tuple[Any, ...], list[dict[str, Any]]] = {}


def _plugin(*key_and_nodes: Any) -> list[dict[str, Any]]:
    """What the plugin of a class emits. The config depends on the sharing and the partitions alone, so equal classes are made once."""
    *key, nodes = key_and_nodes
    if tuple(key) not in _PLUGINS:
        app = App()
        with warnings.catch_warnings(action="ignore"):
            StandaloneDevicePlugin(Chart(app, "agents", namespace="agents"), "plugin", nodes=nodes)
        _PLUGINS[tuple(key)] = synthesize(app)
    return _PLUGINS[tuple(key)]


def slice_of(machine: Machine, nodes: GpuNodes) -> dict[str, Any] | None:
    """The ResourceSlice that the emitted DRA driver publishes for a machine."""
    return None if nodes.dra is None else resource_slice(machine, _driver_values(nodes.dra, str(nodes.talos_version)))


@functools.cache
def _driver_values(dra: Dra, talos: str) -> dict[str, Any]:
    app = App()
    DraDriver(Chart(app, "agents"), "driver", nodes=GpuNodes(talos_version=talos, dra=dra), delivery=Flux())
    values: dict[str, Any] = next(each for each in synthesize(app) if each["kind"] == "HelmRelease")["spec"]["values"]
    return values


def _workload(draw: random.Random, name: str, classes: list[GpuNodes]) -> list[dict[str, Any]]:
    """A workload for one class, or for several by labels; with a claim, or a template of claims, where the class has the DRA driver."""
    target = draw.choice(classes)
    kind, pods, gpus = (
        draw.choice(("Deployment", "Deployment", "StatefulSet", "Job", "DaemonSet")),
        draw.randint(1, 4),
        draw.choice((1, 1, 1, 2, 2, 3, 4)),
    )
    spec: dict[str, Any] = {"terminationGracePeriodSeconds": 0, **_selection(draw, target, classes)}
    if draw.random() < 0.8:
        spec["tolerations"] = [toleration for each in classes for toleration in each.tolerations]
    if priority := draw.choice((None, None, None, *PRIORITIES)):
        spec["priorityClassName"] = priority
    container: dict[str, Any] = {"name": "main", "image": "app:1"}
    objects = []
    if target.dra is not None and draw.random() < 0.8:
        shared = draw.random() < 0.4
        objects.append(_claim(name, gpus, shared=shared))
        container["resources"] = {"claims": [{"name": "gpu"}]}
        spec["resourceClaims"] = [{"name": "gpu", "resourceClaimName" if shared else "resourceClaimTemplateName": name}]
    else:
        profiles = target.mig_profiles if target.mig_strategy == "mixed" else ()
        resource = draw.choice([target.resource(profile) for profile in (None, None, *profiles)])
        container["resources"] = {"limits": {resource: gpus}}
    spec["containers"] = [container]
    return [*objects, _controller(draw, kind, name, pods, spec)]


def _selection(draw: random.Random, target: GpuNodes, classes: list[GpuNodes]) -> dict[str, Any]:
    pool = {"set": target.labels["set"]}
    way = draw.random()
    if way < 0.5:
        return {"nodeSelector": {**pool, "pool": target.labels["pool"]}}
    if way < 0.7:
        return {"nodeSelector": pool}
    if way < 0.85 and target.extra_labels:
        return {"nodeSelector": {**pool, **target.extra_labels}}
    pools = sorted({target.labels["pool"], draw.choice(classes).labels["pool"]})
    term = {"matchExpressions": [{"key": "pool", "operator": "In", "values": pools}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    return {"nodeSelector": pool, "affinity": affinity}


def _claim(name: str, gpus: int, *, shared: bool) -> dict[str, Any]:
    """The claim that all pods of a workload share, or the template of a claim for each pod."""
    spec: dict[str, Any] = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": gpus}}]}}
    kind, spec = ("ResourceClaim", spec) if shared else ("ResourceClaimTemplate", {"spec": spec})
    return {"apiVersion": CLAIM_API, "kind": kind, "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}


def _controller(draw: random.Random, kind: str, name: str, pods: int, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"name": name, "namespace": NAMESPACE}
    template: dict[str, Any] = {"metadata": {"labels": {"app": name}}, "spec": spec}
    if kind == "Job":
        # The pods of the Job hold their GPUs until the test deletes the Job.
        template = {
            "metadata": {"labels": {"app": name}, "annotations": {"lab/runs-on": "true"}},
            "spec": {**spec, "restartPolicy": "Never"},
        }
        completions = draw.choice((pods, pods, 2))
        counts = {"parallelism": pods, "completions": completions}
        return {"apiVersion": "batch/v1", "kind": kind, "metadata": metadata, "spec": {**counts, "template": template}}
    if kind == "DaemonSet":
        body: dict[str, Any] = {"selector": {"matchLabels": {"app": name}}, "template": template}
        return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": body}
    own: dict[str, Any] = {"strategy": {"type": "Recreate"}}
    if kind == "StatefulSet":
        own = {"serviceName": name, "podManagementPolicy": draw.choice(("OrderedReady", "Parallel"))}
    body = {"replicas": pods, "selector": {"matchLabels": {"app": name}}, **own, "template": template}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": body}
