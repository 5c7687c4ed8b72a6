"""The parts of a workload as attributes, with which it composes with cdk8s and with every cdk8s-plus."""

import pickle

import cdk8s_plus_28
import cdk8s_plus_32
import pytest
from cdk8s import ApiObject, ApiObjectMetadata, JsonPatch

from conftest import message, one, synth
from constructs_lib import ArgumentError, Dra, Empty, GpuNodes, GpuWorkload, Persistent
from constructs_lib.manifests.volumes.sources import ExistingClaim

NODES = GpuNodes(talos_version="1.14")


@pytest.fixture(params=[cdk8s_plus_28, cdk8s_plus_32], ids=lambda module: module.__name__)
def kplus(request):
    return request.param


def workload(chart, **given):
    return GpuWorkload(chart, "ollama", nodes=NODES, image="ollama/ollama:0.32.15", **given)


@pytest.mark.parametrize(("kind", "more"), [("Deployment", {}), ("StatefulSet", {}), ("Job", {}), ("CronJob", {"schedule": "@daily"})])
def test_the_resource_is_the_object_that_runs_the_pods(chart, kind, more):
    made = workload(chart, kind=kind, **more)

    assert isinstance(made.resource, ApiObject)
    assert (made.resource.kind, made.resource.name) == (kind, "ollama")
    assert made.resource.node.path == ApiObject.of(made).node.path


def test_the_objects_can_be_patched(chart):
    made = workload(chart, port=80)
    made.resource.add_json_patch(JsonPatch.add("/spec/revisionHistoryLimit", 2))
    made.service.add_json_patch(JsonPatch.add("/spec/internalTrafficPolicy", "Local"))

    assert one(synth(chart), "Deployment")["spec"]["revisionHistoryLimit"] == 2
    assert one(synth(chart), "Service")["spec"]["internalTrafficPolicy"] == "Local"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "'port' must be given to a workload whose 'service' is used (got None); without a port the workload has no Service"),
        *(
            (
                given,
                f"'kind' must be 'Deployment' or 'StatefulSet' where 'service' is used (got '{given['kind']}'); only servers have a Service",
            )
            for given in ({"kind": "Job"}, {"kind": "CronJob", "schedule": "@daily"})
        ),
    ],
    ids=["Deployment", "Job", "CronJob"],
)
def test_a_workload_without_a_service_says_why_and_has_no_such_attribute(chart, given, expected):
    made = workload(chart, **given)

    with pytest.raises(ArgumentError) as caught:
        _ = made.service
    assert isinstance(caught.value, AttributeError)
    assert str(caught.value) == str(pickle.loads(pickle.dumps(caught.value))) == expected
    assert not hasattr(made, "service")


def test_the_claims_are_the_made_ones_by_mount_path(chart):
    volumes = {
        "/models": Persistent("1Gi", name="data", sub_path="a"),
        "/cache": Persistent("1Gi", name="data", sub_path="b"),
        "/logs": Persistent("2Gi"),
        "/shared": ExistingClaim("shared"),
        "/tmp": Empty(),
    }
    claims = workload(chart, volumes=volumes).claims

    assert {path: claim.name for path, claim in claims.items()} == {
        "/models": "ollama-data",
        "/cache": "ollama-data",
        "/logs": "ollama-logs",
    }
    assert {claim.kind for claim in claims.values()} == {"PersistentVolumeClaim"}


def test_a_stateful_set_makes_its_claims_itself(chart):
    assert workload(chart, kind="StatefulSet", volumes={"/models": Persistent("1Gi")}).claims == {}


def test_the_pod_selector_is_that_of_the_deployment_and_of_the_service_and_is_on_the_pods(chart):
    made = workload(chart, port=80, labels={"team": "ai"})

    deployment = one(synth(chart), "Deployment")["spec"]
    assert made.pod_selector == deployment["selector"]["matchLabels"] == one(synth(chart), "Service")["spec"]["selector"]
    assert made.pod_selector.items() <= deployment["template"]["metadata"]["labels"].items()


def test_the_volume_names_are_those_of_the_pod(chart):
    made = workload(chart, volumes={"/root/.ollama": Persistent("1Gi"), "/a": Empty(name="b")}, shared_memory="1Gi")

    mounts = one(synth(chart), "Deployment")["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
    assert made.volume_names == {mount["mountPath"]: mount["name"] for mount in mounts}


@pytest.mark.parametrize("attribute", ["resource", "service", "claims", "pod_selector", "volume_names"])
def test_an_attribute_can_t_be_set(chart, attribute):
    made = workload(chart, port=80)

    assert message(lambda: setattr(made, attribute, None), AttributeError).startswith(f"'{attribute}' must be given to GpuWorkload(…)")


def test_an_autoscaler_scales_the_resource(chart, kplus):
    made = workload(chart, replicas=None)
    k8s = kplus.k8s
    k8s.KubeHorizontalPodAutoscalerV2(
        chart,
        "scaler",
        spec=k8s.HorizontalPodAutoscalerSpecV2(
            scale_target_ref=k8s.CrossVersionObjectReferenceV2(
                api_version=made.resource.api_version, kind=made.resource.kind, name=made.resource.name
            ),
            max_replicas=4,
        ),
    )

    assert one(synth(chart), "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"] == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "name": "ollama",
    }
    assert "replicas" not in one(synth(chart), "Deployment")["spec"]


def test_an_ingress_reaches_a_service_of_cdk8s_plus_that_selects_the_pods(chart, kplus):
    made = workload(chart)
    web = kplus.Service(
        chart,
        "web",
        metadata=ApiObjectMetadata(name="ollama"),
        selector=kplus.Pods.select(chart, "pods", labels=made.pod_selector),
        ports=[kplus.ServicePort(port=80, target_port=11434)],
    )
    kplus.Ingress(chart, "ingress").add_host_rule("ollama.example.com", "/", kplus.IngressBackend.from_service(web))

    (rule,) = one(synth(chart), "Ingress")["spec"]["rules"]
    assert rule["http"]["paths"][0]["backend"]["service"] == {"name": "ollama", "port": {"number": 80}}
    assert one(synth(chart), "Service")["spec"]["selector"] == made.pod_selector


def test_an_ingress_of_plain_fields_reaches_the_workloads_own_service(chart, kplus):
    made = workload(chart, port=11434)
    k8s = kplus.k8s
    service = k8s.IngressServiceBackend(name=made.service.name, port=k8s.ServiceBackendPort(name="http"))
    k8s.KubeIngress(chart, "ingress", spec=k8s.IngressSpec(default_backend=k8s.IngressBackend(service=service)))

    assert one(synth(chart), "Ingress")["spec"]["defaultBackend"] == {"service": {"name": "ollama", "port": {"name": "http"}}}


def test_a_network_policy_selects_the_pods(chart, kplus):
    made = workload(chart)
    kplus.NetworkPolicy(chart, "policy", selector=kplus.Pods.select(chart, "pods", labels=made.pod_selector))

    assert one(synth(chart), "NetworkPolicy")["spec"]["podSelector"] == {"matchLabels": made.pod_selector}


def test_another_object_may_wait_for_the_objects(chart):
    made = workload(chart, volumes={"/models": Persistent("1Gi")})
    job = ApiObject(chart, "job", api_version="batch/v1", kind="Job", metadata=ApiObjectMetadata(name="fill"))
    job.add_dependency(made.claims["/models"])
    made.resource.add_dependency(job)

    kinds = [each["kind"] for each in synth(chart)]
    assert kinds.index("PersistentVolumeClaim") < kinds.index("Job") < kinds.index("Deployment")


# By this annotation Argo CD deletes an object, and makes the object again, at each sync.
REPLACED = {"argocd.argoproj.io/sync-options": "Force=true,Replace=true"}


def test_the_annotations_are_on_the_objects_without_data_and_not_on_the_pods(chart):
    nodes = GpuNodes(talos_version="1.14", dra=Dra())
    GpuWorkload(chart, "app", nodes=nodes, image="app:1", port=80, volumes={"/data": Persistent("1Gi")}, annotations=REPLACED)

    made = {each["kind"]: each for each in synth(chart)}
    assert set(made) == {"ResourceClaimTemplate", "PersistentVolumeClaim", "Deployment", "Service"}
    assert "annotations" not in made.pop("PersistentVolumeClaim")["metadata"]
    assert all(each["metadata"]["annotations"] == REPLACED for each in made.values())
    assert "annotations" not in made["Deployment"]["spec"]["template"]["metadata"]


@pytest.mark.parametrize(("kind", "more"), [("Job", {}), ("CronJob", {"schedule": "@daily"}), ("StatefulSet", {})])
def test_an_annotation_that_replaces_an_object_spares_the_data_of_every_kind(chart, kind, more):
    workload(chart, kind=kind, volumes={"/data": Persistent("1Gi")}, annotations=REPLACED, **more)

    made = {each["kind"]: each for each in synth(chart)}
    claim = made[kind]["spec"]["volumeClaimTemplates"][0] if kind == "StatefulSet" else made["PersistentVolumeClaim"]
    assert "annotations" not in claim["metadata"]
    assert made[kind]["metadata"]["annotations"] == REPLACED


def test_a_claim_that_workloads_share_has_the_annotations_of_none(chart):
    nodes = GpuNodes(talos_version="1.14", dra=Dra(share="claim"), name="shared")
    GpuWorkload(chart, "app", nodes=nodes, image="app:1", annotations={"a": "b"})

    assert "annotations" not in one(synth(chart), "ResourceClaim")["metadata"]
