"""A plain workload becomes a part of the file if the pod that the part makes is equivalent.

Else it stays, with the reason.
"""

import copy
import warnings

import pytest
import yaml

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.differences import AFTER, BEFORE, differences, removals
from constructs_lib.adoption.equivalence import normal_pod
from constructs_lib.observed.read.repository import read_text

RUNTIME_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
NODE = {
    "version": "v1alpha1",
    "machine": {
        "type": "worker",
        "network": {"hostname": "gpu-1"},
        "kernel": {"modules": [{"name": "nvidia"}]},
        "nodeLabels": {"pool-gpu": "yes"},
        "nodeTaints": {"dedicated": "ai:NoSchedule"},
    },
    "cluster": {},
}


def deployment(pod=None, kind="Deployment", controller=None, labels=None, **container):
    """A workload of one container with a GPU."""
    limits = {"resources": {"limits": {"nvidia.com/gpu": 1}}}
    spec = {"containers": [{"name": "main", "image": "example/llm:1.0", **limits, **container}], **(pod or {})}
    marks = labels or {"app": "llm"}
    return {
        "apiVersion": "batch/v1" if kind == "Job" else "apps/v1",
        "kind": kind,
        "metadata": {"name": "llm", "namespace": "ai"},
        "spec": {
            **({} if kind == "Job" else {"selector": {"matchLabels": marks}}),
            "template": {"metadata": {"labels": marks}, "spec": spec},
            **(controller or {}),
        },
    }


def service(**spec):
    ports = [{"name": "http", "port": 80, "targetPort": 8000}]
    metadata = {"name": "llm", "namespace": "ai"}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": {"app": "llm"}, "ports": ports, **spec}}


def adopted(*objects):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return adopt(read_text(yaml.safe_dump_all([NODE, RUNTIME_CLASS, *copy.deepcopy(objects)])), "1.13.9")


def part_of(adoption):
    found = [each for each in adoption.parts if each.id == "llm"]
    assert found, [f"{each.label}: {each.reason}" for each in adoption.left]
    return found[0]


def made(adoption, kind):
    files = (text for name, text in adoption.files.items() if name.startswith("manifests/"))
    return [each for text in files for each in yaml.safe_load_all(text) if each["kind"] == kind]


def reasons(adoption):
    return [each.reason for each in adoption.left]


FULL = {
    "command": ["serve"],
    "args": ["--port", "8000"],
    "env": [
        {"name": "MODE", "value": "fast"},
        {"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "llm", "key": "token"}}},
        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
    ],
    "envFrom": [{"configMapRef": {"name": "llm"}}],
    "ports": [{"name": "http", "containerPort": 8000}],
    "resources": {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"nvidia.com/gpu": 1, "memory": "8Gi", "cpu": "4"}},
    "livenessProbe": {"httpGet": {"path": "/health", "port": "http", "scheme": "HTTPS"}, "initialDelaySeconds": 30, "periodSeconds": 30},
    "volumeMounts": [
        {"name": "data", "mountPath": "/data"},
        {"name": "config", "mountPath": "/etc/llm.yaml", "subPath": "llm.yaml", "readOnly": True},
        {"name": "info", "mountPath": "/info"},
        {"name": "shm", "mountPath": "/dev/shm"},
    ],
    "imagePullPolicy": "Always",
    "workingDir": "/srv",
}
POD = {
    "nodeSelector": {"disk": "fast"},
    "tolerations": [{"key": "dedicated", "operator": "Exists"}],
    "runtimeClassName": "nvidia",
    "hostNetwork": True,
    "dnsPolicy": "ClusterFirstWithHostNet",
    "securityContext": {"fsGroup": 1000},
    "initContainers": [{"name": "fetch", "image": "example/fetch:1.0", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
    "volumes": [
        {"name": "data", "persistentVolumeClaim": {"claimName": "data"}},
        {"name": "config", "configMap": {"name": "llm", "defaultMode": 0o600}},
        {"name": "info", "downwardAPI": {"items": [{"path": "labels", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
        {"name": "shm", "emptyDir": {"medium": "Memory"}},
    ],
}


def test_every_field_of_a_pod_is_in_the_pod_that_the_part_makes():
    """Field by field.

    What the tree's pod says, the made one says; a toleration and a label of the nodes may be more.
    """
    wanted = deployment(POD, **FULL)
    adoption = adopted(wanted)
    (workload,) = made(adoption, "Deployment")
    theirs, ours = (normal_pod(each["spec"]["template"]["spec"]) for each in (wanted, workload))
    container, other = theirs["containers"]["[main]"], ours["containers"]["[llm]"]

    assert {key for key in container if key not in ("name", "resources") and container[key] != other.get(key)} == set()
    assert container["resources"]["limits"] == other["resources"]["limits"]
    assert container["resources"]["requests"].items() <= other["resources"]["requests"].items()
    assert theirs["nodeSelector"].items() <= ours["nodeSelector"].items()
    assert all(each in ours["tolerations"] for each in theirs["tolerations"])
    for key in ("runtimeClassName", "hostNetwork", "dnsPolicy"):
        assert theirs[key] == ours[key]
    assert ours["securityContext"]["fsGroup"] == 1000
    mounts = [each["initContainers"]["[fetch]"]["volumeMounts"] for each in (theirs, ours)]
    assert mounts[0] == mounts[1]


def test_the_class_of_nodes_places_the_pod():
    (workload,) = made(adopted(deployment()), "Deployment")
    pod = workload["spec"]["template"]["spec"]

    assert pod["nodeSelector"] == {"pool-gpu": "yes"}
    assert {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"} in pod["tolerations"]
    assert pod["runtimeClassName"] == "nvidia"


def test_what_the_construct_adds_is_named():
    adoption = adopted(deployment())
    notes = [each.reason for each in differences(adoption) if each.about == "Deployment ai/llm"]

    assert "enableServiceLinks: False is added" in notes
    assert any(each.startswith("tolerations: ") for each in notes)
    assert any(each.startswith("containers.[llm].securityContext.allowPrivilegeEscalation") for each in notes)


def test_the_service_of_its_name_becomes_its_port():
    adoption = adopted(deployment(ports=[{"containerPort": 8000}]), service())
    part = part_of(adoption)

    assert (part.arguments["port"], part.arguments["service"]) == (8000, {"ports": [{"name": "http", "port": 80}]})
    assert [each.read.label for each in part.replaces] == ["Deployment ai/llm", "Service ai/llm"]


def test_a_service_that_the_construct_does_not_make_stays_and_still_selects_the_pods():
    balanced = service(externalTrafficPolicy="Local", type="LoadBalancer", loadBalancerIP="10.0.0.9")
    adoption = adopted(deployment(ports=[{"containerPort": 8000}]), {**balanced, "metadata": {"name": "other", "namespace": "ai"}})
    (workload,) = made(adoption, "Deployment")

    assert made(adoption, "Service") == []
    assert workload["spec"]["template"]["metadata"]["labels"]["app"] == "llm"
    assert workload["spec"]["template"]["spec"]["containers"][0]["ports"] == [{"containerPort": 8000}]


def test_a_workload_whose_pods_a_service_would_lose_stays():
    labels = {"app.kubernetes.io/name": "server"}
    other = {**service(selector=labels), "metadata": {"name": "server", "namespace": "ai"}}

    (reason,) = reasons(adopted(deployment(labels=labels), other))
    assert reason.startswith("Service ai/server selects its pods by app.kubernetes.io/name=server")


def test_the_claims_of_a_deployment_stay_where_they_are():
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "ai"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}},
    }
    pod = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
    adoption = adopted(deployment(pod, volumeMounts=[{"name": "data", "mountPath": "/data"}]), claim)

    assert part_of(adoption).arguments["volumes"] == {"/data": {"ExistingClaim": {"claim_name": "data"}}}
    assert made(adoption, "PersistentVolumeClaim") == []
    assert all("PersistentVolumeClaim ai/data" not in each.labels for each in removals(adoption))


def test_the_claim_templates_of_a_stateful_set_keep_their_names():
    template = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "10Gi"}}},
    }
    controller = {"volumeClaimTemplates": [template], "serviceName": "llm"}
    mounts = [{"name": "data", "mountPath": "/data"}]
    (workload,) = made(adopted(deployment(kind="StatefulSet", controller=controller, volumeMounts=mounts)), "StatefulSet")

    (claim,) = workload["spec"]["volumeClaimTemplates"]
    assert claim["metadata"]["name"] == "data"
    assert claim["spec"]["resources"]["requests"]["storage"] == "10Gi"


def test_a_job_keeps_its_numbers():
    controller = {"backoffLimit": 2, "ttlSecondsAfterFinished": 60}
    adoption = adopted(deployment({"restartPolicy": "Never"}, kind="Job", controller=controller))
    (job,) = made(adoption, "Job")

    assert (job["spec"]["backoffLimit"], job["spec"]["ttlSecondsAfterFinished"]) == (2, 60)


def test_a_sidecar_stays_in_the_pod():
    sidecar = {"name": "proxy", "image": "example/proxy:1.0", "volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    workload = deployment({"volumes": [{"name": "data", "emptyDir": {}}]}, volumeMounts=[{"name": "data", "mountPath": "/data"}])
    workload["spec"]["template"]["spec"]["containers"].append(sidecar)
    (ours,) = made(adopted(workload), "Deployment")
    pod = ours["spec"]["template"]["spec"]

    assert [each["name"] for each in pod["containers"]] == ["llm", "proxy"]
    assert [each["volumeMounts"] for each in pod["containers"]] == [[{"name": "data", "mountPath": "/data"}]] * 2


def test_an_init_container_with_a_volume_of_its_own_stays_in_the_pod():
    fetch = {"name": "fetch", "image": "example/fetch:1.0", "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}]}
    pod = {"initContainers": [fetch], "volumes": [{"name": "tmp", "emptyDir": {}}]}
    (ours,) = made(adopted(deployment(pod, imagePullPolicy="IfNotPresent")), "Deployment")
    spec = ours["spec"]["template"]["spec"]

    assert spec["initContainers"][0]["volumeMounts"] == fetch["volumeMounts"]
    assert spec["volumes"] == pod["volumes"]
    assert spec["containers"][0]["imagePullPolicy"] == "IfNotPresent"


def test_the_variable_that_shows_every_gpu_is_left_out_by_name():
    adoption = adopted(deployment(env=[{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]))

    assert part_of(adoption)
    assert any("NVIDIA_VISIBLE_DEVICES is left out" in each.reason for each in differences(adoption))


SCALER = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "llm", "namespace": "ai"},
    "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "llm"}},
}
ORDERED = [{"name": "URL", "value": "http://$(IP)"}, {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}]


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        ([deployment(env=[{"name": "NVIDIA_VISIBLE_DEVICES", "value": "GPU-0f3"}])], "NVIDIA_VISIBLE_DEVICES names the GPUs"),
        ([deployment({"runtimeClassName": "kata"})], "without another runtimeClassName than 'nvidia'"),
        ([deployment({"nodeSelector": {"pool-gpu": "no"}})], "without another value for the node label pool-gpu"),
        ([deployment(env=[{"name": "HF_TOKEN", "value": "hunter2secret"}])], "a credential in spec.template.spec.containers.0.env.0.value"),
        ([deployment(kind="DaemonSet")], "no construct makes a DaemonSet"),
        ([deployment(), SCALER], "HorizontalPodAutoscaler ai/llm scales it"),
        ([deployment(env=ORDERED)], "a variable names another one"),
        ([deployment(kind="StatefulSet", controller={"serviceName": "peers"})], "GpuWorkload has no argument for serviceName"),
        ([deployment(controller={"paused": True})], "GpuWorkload has no argument for paused"),
    ],
    ids=("pinned", "runtime class", "placement", "credential", "DaemonSet", "scaler", "order", "peers", "paused"),
)
def test_what_no_argument_says_stays_with_its_reason(objects, reason):
    adoption = adopted(*objects)

    assert [each.id for each in adoption.parts if each.id == "llm"] == []
    assert any(reason in each for each in reasons(adoption)), reasons(adoption)


def test_a_placeholder_stays_as_it_is_written_and_is_named():
    adoption = adopted(deployment(env=[{"name": "HOST", "value": "llm.${DOMAIN}"}]))

    assert part_of(adoption).arguments["env"] == {"HOST": "llm.${DOMAIN}"}
    assert any("the file has ${DOMAIN} as it is written" in each.reason for each in differences(adoption))


def test_an_object_whose_selector_changes_leaves_before_the_new_one():
    own = {"app.kubernetes.io/name": "llm"}

    assert [each.when for each in removals(adopted(deployment())) if "Deployment ai/llm" in each.labels] == [BEFORE]
    assert [each.when for each in removals(adopted(deployment(labels=own))) if "Deployment ai/llm" in each.labels] == [AFTER]


def test_a_recipe_is_taken_where_its_pod_is_equivalent():
    adoption = adopted(deployment({"restartPolicy": "Never"}, kind="Job"))
    assert part_of(adoption).name == "GpuWorkload"

    text = yaml.safe_dump(
        {"talos": "1.13.9", "nodes": {"gpu": {}}, "charts": {"ai": {"namespace": "ai", "objects": {"o": {"Ollama": {}}}}}}
    )
    from constructs_lib.clusters.cluster_file import ClusterFile
    from constructs_lib.clusters.synthesis import synthesize

    ((_, description),) = ClusterFile("cluster.yaml", text).clusters()
    own = adopt(read_text(synthesize(description, lambda _: "").files["manifests/ai.k8s.yaml"]), "1.13.9")
    assert [each.name for each in own.parts if each.id == "o"] == ["Ollama"]
