"""Plays: how the example of a rule comes into the cluster of the laboratory.

An example is applied as it is. Its HelmReleases are what Helm makes of them, its machine configurations are nodes, and where an example names no
node the cluster has three, as in the words of the scheduler that the rules quote.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import yaml
from agents import RUNTIME_CLASS, Cluster, Release, discovered
from dra_slices import publish_slices
from machines import Card, Machine
from plugin_devices import advertised
from rule_objects import DRA, GPU, PCI, claim_template, device_plugin, documents, gpu_pod, objects, of_kind, one_pod, releases, values_of
from rule_stage import Stage

from conftest import reference
from constructs_lib.checks.rule import Example

MODULES = "machine: {kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}]}}"
EXTENSIONS = "[siderolabs/nvidia-open-gpu-kernel-modules-lts, siderolabs/nvidia-container-toolkit-lts]"
IMAGE = f"customization: {{systemExtensions: {{officialExtensions: {EXTENSIONS}}}}}"
TOOLKIT = "extensions.talos.dev/nvidia-container-toolkit-production"


def three_nodes(stage: Stage, devices: Mapping[str, int] | None = None, **labels: str) -> None:
    """One node with GPUs, and two others."""
    stage.join("gpu-1", devices={GPU: 1} if devices is None else devices, **labels)
    stage.join("cpu-1")
    stage.join("cpu-2")


def applied(stage: Stage, example: Example) -> None:
    """On a cluster with one GPU, and with the chart of the device plugin where the example has it."""
    three_nodes(stage, **{PCI: "true", TOOLKIT: "580.126.16-v1.18.2"})
    stage.apply([*objects(example.yaml), *map(device_plugin, releases(example.yaml))])


def on_its_nodes(stage: Stage, example: Example) -> None:
    """On nodes as `--count`, `--gpus-per-node` and `--time-slicing` say."""
    (nodes,) = example.nodes
    assert nodes.count == 1
    three_nodes(stage, {GPU: (nodes.gpus_per_node or 1) * getattr(nodes.sharing, "replicas", 1)})
    stage.apply(objects(example.yaml))


def scaled_up(stage: Stage, example: Example) -> None:
    """After the autoscaler has asked for all pods that it may. No metric exists here, so the scale is set."""
    on_its_nodes(stage, example)
    (scaler,), (target,) = of_kind(example, "HorizontalPodAutoscaler"), of_kind(example, "Deployment")
    stage.lab.apply([{**target, "spec": {**target["spec"], "replicas": scaler["spec"]["maxReplicas"]}}])


def rolled_out(stage: Stage, example: Example) -> None:
    """The example running, and then with another image."""
    applied(stage, example)
    stage.lab.eventually(stage.healthy)
    newer = copy.deepcopy(of_kind(example, "Deployment")[0])
    newer["spec"]["template"]["spec"]["containers"][0]["image"] = "ollama/ollama:0.33.0"
    stage.lab.apply([newer])


def loading(stage: Stage, example: Example) -> None:
    """A pod that is ready only when its startup probe would give up, thirty times faster. No kubelet runs a probe here, so the pod waits for
    the node's GPU instead: the controller of the Deployment sees in both a pod that is not ready."""
    deployment = copy.deepcopy(of_kind(example, "Deployment")[0])
    probe = deployment["spec"]["template"]["spec"]["containers"][0]["startupProbe"]
    deployment["spec"]["progressDeadlineSeconds"] //= 30
    three_nodes(stage, {})
    stage.apply([*(each for each in objects(example.yaml) if each["kind"] != "Deployment"), deployment])
    reasons = stage.lab.eventually(
        lambda: {each.get("reason") for each in stage.lab.list("apps/v1", "Deployment")[0]["status"].get("conditions", ())},
        lambda seen: "ProgressDeadlineExceeded" in seen,
        patience=probe["periodSeconds"] * probe["failureThreshold"] / 30,
    )
    stage.notes += sorted(reasons & {"ProgressDeadlineExceeded"})
    stage.advertise("gpu-1", {GPU: 1})


def discovered_by_nfd(stage: Stage, example: Example) -> None:
    """The device plugin and NFD, whose configuration gives the labels, and one pod as the plugin's."""
    plugin, nfd = releases(example.yaml)
    machine = Machine("gpu-1", MODULES, IMAGE, "1.13")
    three_nodes(stage, **discovered(Cluster([nfd], [], {}, []), machine, []))
    daemon_set = device_plugin(plugin)
    stage.apply(objects(example.yaml))
    stage.install(daemon_set)
    stage.apply([one_pod(daemon_set)])


def advertised_by_its_plugin(stage: Stage, example: Example) -> None:
    """The device plugin advertises what its config says."""
    (plugin,) = releases(example.yaml)
    (config,) = plugin.values["config"]["map"].values()
    three_nodes(stage, advertised(yaml.safe_load(config), None, "envvar", (Card(),)), **{PCI: "true"})
    install_first(stage, example)


def install_first(stage: Stage, example: Example) -> None:
    """The device plugin, and then the pods."""
    pods = of_kind(example, "Pod")
    stage.apply([each for each in objects(example.yaml) if each not in pods])
    for each in releases(example.yaml):
        stage.install(device_plugin(each))
    stage.apply(pods)


def on_a_tainted_node(stage: Stage, example: Example) -> None:
    """The device plugin, one pod as the plugin's and a GPU pod, on a node with the taints of its machine configuration."""
    config = next(each for each in documents(example.yaml) if "machine" in each)
    machine = Machine("gpu-1", yaml.safe_dump(config), IMAGE, str(example.talos))
    stage.join("gpu-1", taints=machine.taints, devices={GPU: 1}, **{PCI: "true"})
    stage.join("cpu-1")
    stage.join("cpu-2")
    install_first(stage, example)
    stage.apply([one_pod(device_plugin(each)) for each in releases(example.yaml)])


def with_its_nodes(stage: Stage, example: Example) -> None:
    """The device plugin on the nodes of a talconfig: the plugin finds a GPU where the node loads the driver."""
    (talconfig,) = (each for each in documents(example.yaml) if "clusterName" in each)
    for node in talconfig["nodes"]:
        config = "---\n".join([yaml.safe_dump({"machine": {"nodeLabels": node.get("nodeLabels", {})}}), *node.get("patches", ())])
        machine = Machine(node["hostname"], config, IMAGE, "1.13", control_plane=node.get("controlPlane", False))
        stage.join(machine.name, taints=machine.taints, devices={GPU: 1} if machine.loads_driver else {}, **machine.labels)
    install_first(stage, example)


def claimed(stage: Stage, example: Example, devices: Mapping[str, int] | None = None) -> None:
    """The DRA driver on a node with two cards; `devices` are what a device plugin advertises beside it."""
    labels = {
        key: value
        for each in of_kind(example, "NodeFeatureRule")
        for rule in each["spec"]["rules"]
        for key, value in rule["labels"].items()
    }
    three_nodes(stage, devices or {}, **labels)
    machine = Machine("gpu-1", MODULES, IMAGE, "1.13", (Card(), Card()))
    for each in releases(example.yaml):
        values = values_of(each, "dra-driver-nvidia-gpu-0.5.0-dev")
        publish_slices(stage.lab, Release(each.chart, each.namespace, values), [machine])
    stage.apply(objects(example.yaml))


def counted(stage: Stage, example: Example) -> None:
    """The GPUs that the pod holds: the class gpu.nvidia.com serves the limit, too, by a claim that the scheduler makes."""
    claimed(stage, example)
    stage.lab.eventually(stage.healthy)
    claims = [each.get("status", {}).get("allocation") for each in stage.lab.list(DRA, "ResourceClaim")]
    devices = [device for each in claims if each for device in each["devices"]["results"]]
    stage.notes.append(f"A pod holds {('no', 'one', 'two')[len(devices)]} GPUs")


def served_twice(stage: Stage, example: Example) -> None:
    """The DRA driver and the device plugin on two nodes with one card each, and two pods: one with a claim and one with a limit."""
    driver, plugin = releases(example.yaml)
    machines = [Machine(name, MODULES, IMAGE, str(example.talos), (Card(),)) for name in ("gpu-1", "gpu-2")]
    for machine in machines:
        stage.join(machine.name, devices={GPU: 1}, **machine.labels)
    publish_slices(stage.lab, Release(driver.chart, driver.namespace, values_of(driver, "dra-driver-nvidia-gpu-0.5.0-dev")), machines)
    stage.apply(objects(example.yaml))
    stage.install(device_plugin(plugin))
    stage.apply([claim_template("vllm"), gpu_pod("claiming", claims=True)])
    stage.lab.eventually(stage.healthy)
    stage.apply([gpu_pod("limited", claims=False)])
    stage.lab.eventually(stage.healthy)
    nodes = [each["spec"].get("nodeName") for each in stage.lab.list("v1", "Pod") if each["metadata"]["name"] in ("claiming", "limited")]
    if nodes == ["gpu-1", "gpu-1"]:
        stage.notes.append("one GPU to two pods")


def in_both_ways(stage: Stage, example: Example) -> None:
    """Created as by `kubectl create`, and applied as by Flux and Argo CD: the two refuse an unknown field in words of their own."""
    applied(stage, example)
    with stage.refusing():
        stage.lab.apply(objects(example.yaml))


def beside_the_operator(stage: Stage, example: Example) -> None:
    """Over the RuntimeClass of the operator."""
    stage.apply([RUNTIME_CLASS])
    with stage.refusing():
        stage.lab.apply(objects(example.yaml))


def orphaned(stage: Stage, example: Example) -> None:
    """Two DaemonSets, of which the second is deleted without its pods."""
    three_nodes(stage)
    stage.apply(objects(example.yaml))
    stage.lab.eventually(stage.healthy)
    first, second = of_kind(example, "DaemonSet")
    labels = ",".join(f"{key}={value}" for key, value in first["spec"]["selector"]["matchLabels"].items())
    owners = {each["metadata"]["ownerReferences"][0]["name"] for each in stage.lab.list("v1", "Pod", labels)}
    if len(owners) > 1:
        stage.notes.append("kubectl logs of one DaemonSet shows the pods of another")
    orphans = {each["metadata"]["name"] for each in stage.lab.list("v1", "Pod") if owner_of(each) == second["metadata"]["name"]}
    stage.watches.append(lambda: "the wrong DaemonSet adopts an orphaned pod" if adopted(stage, orphans) else "")
    stage.lab.delete(second, "Orphan")
    stage.lab.eventually(
        lambda: [each["metadata"]["name"] for each in stage.lab.list("apps/v1", "DaemonSet")] == [first["metadata"]["name"]]
    )
    # A change of the first one, so that its controller has looked at the pods once more when it has seen the change.
    stage.lab.apply([{**first, "spec": {**first["spec"], "minReadySeconds": 1}}])
    stage.lab.eventually(lambda: all(map(observed, stage.lab.list("apps/v1", "DaemonSet"))))


def observed(controller: Mapping[str, Any]) -> bool:
    return bool(controller["status"].get("observedGeneration") == controller["metadata"]["generation"])


def owner_of(pod: Mapping[str, Any]) -> str:
    return next((each["name"] for each in pod["metadata"].get("ownerReferences", ())), "")


def adopted(stage: Stage, orphans: set[str]) -> bool:
    """Whether another DaemonSet owns one of the pods, or has deleted one: it keeps one pod on a node."""
    events = [each["message"] for each in stage.lab.list("v1", "Event") if each["involvedObject"]["kind"] == "DaemonSet"]
    deleted = any(f"Deleted pod: {name}" in message for name in orphans for message in events)
    return deleted or any(each["metadata"]["name"] in orphans and owner_of(each) for each in stage.lab.list("v1", "Pod"))


def configured(stage: Stage, example: Example) -> None:
    """A worker that registers with the taints of its kubelet, and on which Talos then sets the labels and taints of the configuration."""
    (talconfig,) = documents(example.yaml)
    (node,) = talconfig["nodes"]
    patches = [yaml.safe_load(each)["machine"]["kubelet"]["extraArgs"] for each in node.get("patches", ())]
    registered = [taint(text) for each in patches for text in each["register-with-taints"].split(",")]
    plain = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node["hostname"]}}
    stage.register({**plain, "spec": {"taints": registered}})
    live = stage.lab.get("v1", "Node", node["hostname"])["spec"].get("taints", [])
    absent = [each for each in (taint(f"{key}={text}") for key, text in node.get("nodeTaints", {}).items()) if each not in live]
    wanted = {**plain, "metadata": {**plain["metadata"], "labels": node.get("nodeLabels", {})}}
    with stage.refusing():
        stage.lab.patch_as_node({**wanted, "spec": {"taints": [*live, *absent]}} if absent else wanted)


def taint(text: str) -> dict[str, str]:
    """A taint as the kubelet writes it: key=value:effect."""
    key, _, rest = text.partition("=")
    value, _, effect = rest.partition(":")
    return {"key": key, "value": value, "effect": effect}


def compared_by_argo_cd(stage: Stage, example: Example) -> None:
    """The ClusterPolicy of the rendered chart, and what the API server makes of it, but for what the Application ignores."""
    rendered = documents(reference("rendered/gpu-operator-v26.7.0-cdi.yaml").read_text(encoding="utf-8"))
    policy = next(each for each in rendered if each["kind"] == "ClusterPolicy")
    stage.apply([policy])
    live = stage.lab.get(policy["apiVersion"], policy["kind"], policy["metadata"]["name"])
    added = set(paths(live["spec"], "/spec")) - set(paths(policy["spec"], "/spec"))
    (application,) = documents(example.yaml)
    for ignored in application["spec"].get("ignoreDifferences", ()):
        if ignored["kind"] == policy["kind"]:
            added -= set(ignored["jsonPointers"])
    name, policy_name = application["metadata"]["name"], policy["metadata"]["name"]
    stage.notes += [f"Application {name} OutOfSync: ClusterPolicy {policy_name} {each[1:].replace('/', '.')}" for each in sorted(added)]


def paths(value: object, path: str) -> list[str]:
    """The JSON pointers of the leaves of a value."""
    if isinstance(value, dict) and value:
        return [pointer for key, below in value.items() for pointer in paths(below, f"{path}/{key}")]
    return [path]


def hooked(stage: Stage, example: Example) -> None:
    """The hook's account where it lands, and a pod with this account as that of the hook's Job in the operator's namespace."""
    stage.apply(objects(example.yaml))
    (account,) = of_kind(example, "ServiceAccount")
    metadata = {"name": "gpu-operator-upgrade-crd", "namespace": "gpu-operator"}
    spec = {
        "serviceAccountName": account["metadata"]["name"],
        "containers": [{"name": "hook", "image": "nvcr.io/nvidia/gpu-operator:v26.7.0"}],
    }
    stage.join("cpu-1")
    stage.apply([{"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}])


def claimed_on_its_talos(stage: Stage, example: Example) -> None:
    """A pod with a claim of the example's template, and the DRA driver on a node with the Talos of the example."""
    stage.join("gpu-1", **{"nvidia.com/gpu.present": "true"})
    stage.join("cpu-1")
    stage.join("cpu-2")
    values = values_of(Release("dra-driver-nvidia-gpu", "nvidia", {"nvidiaDriverRoot": "/usr/local"}), "dra-driver-nvidia-gpu-0.5.0-dev")
    machine = Machine("gpu-1", MODULES, IMAGE, str(example.talos))
    stage.apply(objects(example.yaml))
    publish_slices(stage.lab, Release("dra-driver-nvidia-gpu", "nvidia", values), [machine])
    stage.apply([gpu_pod("vllm", claims=True)])
