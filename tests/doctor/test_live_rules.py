"""The rules over live objects: a healthy cluster has no finding, what is live is true, and what was not listed may exist."""

import copy
import dataclasses
import re
from pathlib import Path

import pytest
import yaml
from doctor_cases import MODULES, broken_report, chain, diagnosis, dump, live, node

from constructs_lib.arguments.commands import Command
from constructs_lib.doctor.doctor_report import doctor_report
from constructs_lib.doctor.fault import Healthy, NotSeen
from constructs_lib.doctor.gpu_cluster import GpuCluster
from constructs_lib.doctor.live_rules import live_rules
from constructs_lib.observed.model.evidence import Evidence
from constructs_lib.observed.model.talos_machine import TalosMachine
from constructs_lib.observed.read.live.talos_resources import running_config
from constructs_lib.symptoms.link import Link

DIST = Path(__file__).resolve().parents[2] / "dist"
CLUSTERS = sorted(path.name for path in DIST.iterdir())
LISTED = [
    "DaemonSet",
    "Deployment",
    "StatefulSet",
    "Job",
    "CronJob",
    "Pod",
    "Namespace",
    "RuntimeClass",
    "ResourceQuota",
    "DeviceClass",
    "ResourceClaim",
    "ResourceClaimTemplate",
    "ConfigMap",
    "ClusterPolicy",
    "NVIDIADriver",
    "NodeFeatureRule",
    "Service",
]
TALOS = {"runtime-class-taint": "1.11.6", "single-node-h100": "1.11.6", "today": "1.13.9", "llm-platform": "1.14.6"}
OPERATORS = ("operator-argocd", "operator-flux", "today", "llm-platform")


def manifests(cluster):
    return [
        each for path in sorted((DIST / cluster / "manifests").rglob("*.yaml")) for each in yaml.safe_load_all(path.read_text()) if each
    ]


def with_defaults(manifest):
    """A manifest as the API server keeps it: with its defaults, a status, and the metadata of kubectl."""
    kept = copy.deepcopy(manifest)
    kept["metadata"] |= {"uid": "1", "resourceVersion": "2", "generation": 1, "creationTimestamp": "2026-11-22T10:00:00Z"}
    kept["metadata"].setdefault("annotations", {})["kubectl.kubernetes.io/last-applied-configuration"] = yaml.safe_dump(manifest)
    template = kept.get("spec", {}).get("template")
    if isinstance(template, dict) and "containers" in template.get("spec", {}):
        kept["status"] = {"replicas": 1, "readyReplicas": 1}
        spec = template["spec"]
        for key, value in {"dnsPolicy": "ClusterFirst", "schedulerName": "default-scheduler", "securityContext": {}}.items():
            spec.setdefault(key, value)
        for container in (*spec.get("initContainers", ()), *spec["containers"]):
            container.setdefault("imagePullPolicy", "IfNotPresent")
            container.setdefault("terminationMessagePath", "/dev/termination-log")
            container.setdefault("resources", {})
    return kept


def pods_of(objects):
    """A pod of each controller, as the controller makes it."""
    for each in objects:
        template = each.get("spec", {}).get("template") if each["kind"] in ("DaemonSet", "Deployment", "StatefulSet", "Job") else None
        if template:
            owner = {
                "apiVersion": each["apiVersion"],
                "kind": each["kind"],
                "name": each["metadata"]["name"],
                "uid": "1",
                "controller": True,
            }
            metadata = {"name": f"{each['metadata']['name']}-x1", "namespace": each["metadata"].get("namespace", "default")}
            labels = template.get("metadata", {})
            yield {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {**labels, **metadata, "ownerReferences": [owner]},
                "spec": template["spec"],
            }


OF_THE_OPERATOR = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "nvidia", "ownerReferences": [{"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "name": "cluster-policy"}]},
    "handler": "nvidia",
}


def findings(read):
    return [(each.rule, each.object) for each in live_rules(GpuCluster(read)).findings]


LABELS = {
    "runtime-class-taint": [{"role": "gpu"}],
    "today": [{"nvidia.com/device-plugin.config": "h100"}, {"nvidia.com/device-plugin.config": "rtx"}],
    "llm-platform": [{"nvidia.com/device-plugin.config": name} for name in ("serving", "training", "partitioned")],
}


def healthy_nodes(cluster):
    """The nodes of a cluster, with the labels that its machine configurations set."""
    for index, labels in enumerate(LABELS.get(cluster, [{}])):
        found = node(f"gpu-{index}", **labels, **{"nvidia.com/gpu.present": "true", "feature.node.kubernetes.io/pci-10de.present": "true"})
        found.body["status"]["nodeInfo"]["osImage"] = f"Talos (v{TALOS.get(cluster, '1.12.11')})"
        yield found


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_a_healthy_live_cluster_has_no_finding(cluster):
    made = [OF_THE_OPERATOR] if cluster in OPERATORS else []
    objects = [*(with_defaults(each) for each in manifests(cluster)), *made]
    read = dump(*healthy_nodes(cluster), *map(live, [*objects, *pods_of(objects)]), listed=LISTED)

    assert findings(read) == []


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_objects_that_were_not_listed_may_exist(cluster):
    pods = [each for each in manifests(cluster) if each["kind"] in ("Deployment", "Job", "DaemonSet")]
    read = dump(*map(live, pods))
    read.listed.clear()

    assert findings(read) == []


DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "app", "namespace": "ai"},
    "spec": {
        "strategy": {"type": "Recreate"},
        "selector": {"matchLabels": {"app": "app"}},
        "template": {
            "metadata": {"labels": {"app": "app"}},
            "spec": {
                "runtimeClassName": "nvidia",
                "nodeSelector": {"gpu": "yes"},
                "containers": [{"name": "a", "image": "example.com/a:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}],
            },
        },
    },
}
NVIDIA = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}


def test_a_label_that_no_node_has_is_an_error_and_a_label_of_a_node_is_true():
    missing = dump(node("gpu-1"), *map(live, [DEPLOYMENT, NVIDIA]), listed=LISTED)
    present = dump(node("gpu-1", gpu="yes"), *map(live, [DEPLOYMENT, NVIDIA]), listed=LISTED)

    assert [rule for rule, _ in findings(missing)] == ["TG007"]
    assert findings(present) == []


def test_a_finding_speaks_of_what_was_read_and_a_placeholder_of_a_live_object_is_its_text():
    shell = copy.deepcopy(DEPLOYMENT)
    shell["spec"]["template"]["spec"]["nodeSelector"] = {"gpu": "${GPU}"}
    rules = live_rules(GpuCluster(dump(node("gpu-1"), *map(live, [shell, NVIDIA]), listed=LISTED)))

    assert [each.message.partition(".")[0] for each in rules.findings] == ["nothing that was read sets the node label gpu=${GPU}"]


def test_a_runtime_class_that_does_not_exist_is_found_only_where_all_were_listed():
    listed = dump(node("gpu-1", gpu="yes"), live(DEPLOYMENT), listed=LISTED)
    unlisted = dump(node("gpu-1", gpu="yes"), live(DEPLOYMENT), listed=[each for each in LISTED if each != "RuntimeClass"])

    assert [where for _, where in findings(listed)] == ["Deployment ai/app"]
    assert findings(unlisted) == []


def test_an_installer_whose_objects_were_read_is_not_a_second_stack():
    release = {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "nvidia-device-plugin", "namespace": "gpu"},
        "spec": {
            "chart": {"spec": {"chart": "nvidia-device-plugin", "version": "0.19.0"}},
            "values": {"config": {"map": {"a": "version: v2"}}},
        },
    }
    read = dump(node("gpu-1"), live(release), listed=LISTED)
    alone = dump(node("gpu-1"), live(release), listed=[each for each in LISTED if each != "DaemonSet"])

    assert findings(read) == []
    assert findings(alone) != []


def test_a_pod_that_has_ended_and_an_object_that_is_deleted_are_not_judged():
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ai"}, "spec": DEPLOYMENT["spec"]["template"]["spec"]}
    ended = {**pod, "status": {"phase": "Succeeded"}}
    deleted = {**DEPLOYMENT, "metadata": {**DEPLOYMENT["metadata"], "deletionTimestamp": "2026-11-22T10:00:00Z"}}
    job = {**DEPLOYMENT, "apiVersion": "batch/v1", "kind": "Job", "status": {"completionTime": "2026-11-22T10:00:00Z"}}

    assert findings(dump(node("gpu-1"), live(NVIDIA), live(pod), listed=LISTED)) != []
    assert findings(dump(node("gpu-1"), live(NVIDIA), live(ended), live(deleted), live(job), listed=LISTED)) == []


@pytest.mark.parametrize(("versions", "talos"), [(["1.13.2", "1.13.4"], "1.13.2"), (["1.12.1", "1.13.2"], None), (["1.2.0"], None)])
def test_the_talos_of_the_rules_is_that_of_the_gpu_nodes_if_they_have_one_minor(versions, talos):
    nodes = [node(f"gpu-{index}") for index in range(len(versions))]
    for each, version in zip(nodes, versions, strict=True):
        each.body["status"]["nodeInfo"]["osImage"] = f"Talos (v{version})"
    inputs = live_rules(GpuCluster(dump(*nodes))).inputs

    assert (inputs.talos_version and str(inputs.talos_version)) == talos
    assert inputs.kubernetes_version == "1.35"


def test_the_machine_configuration_of_a_node_is_judged():
    read = dump(node("gpu-1"))
    config = "version: v1alpha1\nmachine:\n  type: worker\n  kernel:\n    modules:\n      - name: nvida\n"
    read.machines.append(TalosMachine(names={"gpu-1"}, config=running_config(config, "10.0.0.1", "mc.yaml")))

    assert [each.name for each in live_rules(GpuCluster(read)).inputs.node_configs] == ["gpu-1"]


def test_a_finding_of_a_rule_of_the_cause_stands_with_the_cause_and_the_others_after_the_causes():
    other = {**DEPLOYMENT, "spec": {**DEPLOYMENT["spec"], "template": copy.deepcopy(DEPLOYMENT["spec"]["template"])}}
    read = dump(node("gpu-1"), live(other), listed=LISTED)
    alone = broken_report(read=read)
    with_rule = broken_report(read=read, modules=dataclasses.replace(MODULES, rules=("TG007",)))

    assert {each.rule for each in alone.unattached} >= {"TG007"}
    assert [each.rule for each in with_rule.findings["modules-not-loaded"]] == ["TG007"]
    assert "TG007" not in {each.rule for each in with_rule.unattached}
    assert re.search(r"\d other findings? of the rules: .*TG007", alone.summary[-1])


@pytest.mark.parametrize("works", [True, False])
def test_a_warning_about_a_plugin_is_refuted_where_every_gpu_node_offers_its_gpus(works):
    plugin = next(
        each for each in manifests("standalone-shared") if each["kind"] == "DaemonSet" and "device-plugin" in each["metadata"]["name"]
    )
    plugin = copy.deepcopy(plugin)
    plugin["spec"]["template"]["spec"]["nodeSelector"] = {"role": "none"}
    shown = Healthy(evidence=Evidence(text="nvidia.com/gpu: 1", source="nodes.yaml"))
    states = [(link, shown if works else NotSeen(command=Command("a"))) for link in (Link.PLUGIN, Link.ALLOCATABLE)]
    report = doctor_report(diagnosis(dump(node("gpu-1"), live(plugin), live(NVIDIA), listed=LISTED), [chain("gpu-1", *states)]))

    assert ("TG007" in {each.rule for each in report.unattached}) is not works
