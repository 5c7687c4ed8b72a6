"""Claims: the object that pods name, and the pods that name it."""

import copy

import attrs
import cdk8s_plus_28
import cdk8s_plus_32
import pytest
from cdk8s import ApiObject, App, Chart
from hypothesis import given
from hypothesis import strategies as st

from conftest import message, one, synth
from constructs_lib import Dra, GpuClaim, GpuNodes, GpuWorkload, Taint, TimeSlicing, gpu_pod, request_gpus
from constructs_lib.manifests.dra.claim_objects import gpu_claim
from constructs_lib.manifests.dra.settings import mig_device_class

NODES = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")], dra=Dra())
ONE_CLAIM = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, dra=Dra(share="claim"))
BY_TURNS = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, dra=Dra(share="time-slicing", interval="Long"))
SHARES = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, dra=Dra(share="consumable", shares=4))
BY_MEMORY = GpuNodes(talos_version="1.14", memory_per_gpu="24Gi", dra=Dra(share="consumable", shares="memory"))
LIMITS = GpuNodes(talos_version="1.14")
BY_LIMIT = GpuNodes(talos_version="1.14", dra=Dra(extended_resource=True))
DNS_NAME = "a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters)"


def devices(made):
    """What a claim, or each claim of a template, asks for."""
    spec = made["spec"] if made["kind"] == "ResourceClaim" else made["spec"]["spec"]
    return spec["devices"]


def template(*names, **spec):
    return {"spec": {"containers": [{"name": name, "image": "app:1"} for name in names or ("main",)], **spec}}


def workload(chart, nodes, id="ollama", **given):  # noqa: A002
    return GpuWorkload(chart, id, nodes=nodes, image="ollama/ollama:0.32.15", **given)


# The object


def test_each_pod_gets_a_claim_of_the_template():
    assert gpu_claim(nodes=NODES) == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "gpu"},
        "spec": {
            "spec": {
                "devices": {
                    "requests": [
                        {"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com", "allocationMode": "ExactCount", "count": 1}}
                    ]
                }
            }
        },
    }


@pytest.mark.parametrize("nodes", [ONE_CLAIM, BY_TURNS])
def test_pods_that_share_a_claim_have_one_that_is_there_before_them(nodes):
    made = gpu_claim(nodes=nodes)

    assert (made["kind"], list(made["spec"])) == ("ResourceClaim", ["devices"])


def test_turns_are_set_by_the_drivers_own_parameters():
    assert devices(gpu_claim(nodes=BY_TURNS))["config"] == [
        {
            "requests": ["gpu"],
            "opaque": {
                "driver": "gpu.nvidia.com",
                "parameters": {
                    "apiVersion": "resource.nvidia.com/v1beta1",
                    "kind": "GpuConfig",
                    "sharing": {"strategy": "TimeSlicing", "timeSlicingConfig": {"interval": "Long"}},
                },
            },
        }
    ]


@pytest.mark.parametrize("nodes", [NODES, ONE_CLAIM, SHARES])
def test_no_other_share_sets_anything_on_the_gpu(nodes):
    assert "config" not in devices(gpu_claim(nodes=nodes))


def test_several_gpus_are_one_request():
    (request,) = devices(gpu_claim(nodes=NODES, gpus=4))["requests"]

    assert (request["exactly"]["allocationMode"], request["exactly"]["count"]) == ("ExactCount", 4)


def test_shares_of_several_gpus_are_of_different_ones():
    assert devices(gpu_claim(nodes=SHARES, gpus=2))["constraints"] == [{"requests": ["gpu"], "distinctAttribute": "gpu.nvidia.com/uuid"}]
    assert "constraints" not in devices(gpu_claim(nodes=SHARES))
    assert "constraints" not in devices(gpu_claim(nodes=NODES, gpus=2))


def test_memory_is_asked_for_of_each_gpu():
    (request,) = devices(gpu_claim(nodes=BY_MEMORY, gpu_memory="8Gi"))["requests"]

    assert request["exactly"]["capacity"] == {"requests": {"memory": "8Gi"}}
    assert "capacity" not in devices(gpu_claim(nodes=BY_MEMORY))["requests"][0]["exactly"]


def test_a_selector_of_the_class_is_in_each_claim():
    expression = "device.attributes['gpu.nvidia.com'].productName == 'NVIDIA H100 NVL'"
    nodes = GpuNodes(talos_version="1.14", dra=Dra(selectors=[expression, "true"]))

    (request,) = devices(gpu_claim(nodes=nodes))["requests"]
    assert request["exactly"]["selectors"] == [{"cel": {"expression": expression}}, {"cel": {"expression": "true"}}]


@pytest.mark.parametrize(
    ("profile", "expected", "name"),
    [
        ("1g.10gb", "mig-1g.10gb.gpu.nvidia.com", "mig-1g.10gb-2"),
        ("1g.10gb+me", "mig-1g.10gb.me.gpu.nvidia.com", "mig-1g.10gb.me-2"),
    ],
)
def test_a_profile_is_claimed_by_the_class_that_the_driver_makes_for_it(profile, expected, name):
    made = gpu_claim(nodes=NODES, profile=profile, gpus=2)

    (request,) = devices(made)["requests"]
    assert (request["exactly"]["deviceClassName"], request["exactly"]["count"]) == (expected, 2)
    assert mig_device_class(profile)["metadata"]["name"] == expected
    assert made["metadata"]["name"] == name


def test_a_pod_with_a_profile_names_the_claim_of_the_same_profile():
    (claim,) = gpu_pod(template(), nodes=NODES, profile="1g.10gb")["spec"]["resourceClaims"]

    assert claim["resourceClaimTemplateName"] == gpu_claim(nodes=NODES, profile="1g.10gb")["metadata"]["name"] == "mig-1g.10gb"


def test_a_workload_with_a_profile_brings_the_claim_of_it(chart):
    workload(chart, NODES, profile="1g.10gb")

    claim, deployment = synth(chart)
    assert devices(claim)["requests"][0]["exactly"]["deviceClassName"] == "mig-1g.10gb.gpu.nvidia.com"
    assert deployment["spec"]["template"]["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] == claim["metadata"]["name"]
    assert claim["metadata"]["name"] == "ollama-mig-1g.10gb"


@pytest.mark.parametrize(
    ("given", "name"), [({}, "gpu"), ({"gpus": 2}, "gpu-2"), ({"name": "shared"}, "shared"), ({"name": "shared", "gpus": 2}, "shared")]
)
def test_the_name_says_how_many_gpus_unless_it_is_given(given, name):
    assert gpu_claim(nodes=NODES, **given)["metadata"]["name"] == name


def test_the_name_begins_with_the_classs():
    assert gpu_claim(nodes=GpuNodes(talos_version="1.14", name="rtx", dra=Dra()))["metadata"] == {"name": "rtx-gpu"}


def test_the_namespace_is_written_where_it_is_given():
    assert gpu_claim(nodes=NODES, namespace="ai")["metadata"] == {"name": "gpu", "namespace": "ai"}


@pytest.mark.parametrize("make", [gpu_claim, lambda **given: GpuClaim(Chart(App(), "ai"), "claim", **given)], ids=["data", "construct"])
@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({"nodes": "1.14"}, TypeError, "'nodes' must be a GpuNodes with 'dra' (got '1.14')"),
        ({"nodes": LIMITS}, ValueError, ("'nodes' must be a class with 'dra' (got GpuNodes(talos_version='1.14')); pods of nodes without 'dra' use limits; such as GpuNodes(…, dra=Dra())")),
        ({"gpus": 0}, ValueError, "'gpus' must be a whole number of at least 1 (got 0); to share a GPU set 'share' of 'dra' on GpuNodes"),
        ({"gpus": 0.5}, ValueError, ("'gpus' must be a whole number of at least 1 (got 0.5); to share a GPU set 'share' of 'dra' on "
                                    "GpuNodes")),
        ({"nodes": GpuNodes(talos_version="1.14", gpus_per_node=2, dra=Dra(share="consumable", shares=4)), "gpus": 3}, ValueError,
         "'gpus' must be at most 2, the number that one node offers (got 3); the pod would stay Pending; see 'gpus_per_node' of GpuNodes"),
        ({"name": "My_Claim"}, ValueError, f"'name' must be {DNS_NAME} (got 'My_Claim')"),
        ({"namespace": "AI"}, ValueError, ("'namespace' must be the name of a namespace (lower-case letters, digits and '-', at most 63 "
                                          "characters) (got 'AI'); did you mean 'ai'?")),
        ({"gpu_memory": "8Gi"}, ValueError, ("'gpu_memory' must be left out on nodes without dra=Dra(share='consumable', …) (got '8Gi'); "
                                            "on other nodes a claim takes whole GPUs, with all their memory")),
        ({"nodes": BY_MEMORY, "gpu_memory": 8}, TypeError, ("'gpu_memory' must be a Kubernetes quantity above zero such as '16Gi' (got 8); "
                                                           "did you mean '8Gi'?")),
        ({"nodes": BY_MEMORY, "gpu_memory": "512"}, ValueError, ("'gpu_memory' must be at least 1Mi, such as '16Gi' (got '512'); did you "
                                                                "mean '512Gi'?")),
        ({"nodes": BY_MEMORY, "gpu_memory": "32Gi"}, ValueError, ("'gpu_memory' must be at most 24Gi, the memory of one GPU (got "
                                                                 "'32Gi'); the pod does not fit on one GPU; 'memory_per_gpu' of GpuNodes names another size, such as that with ECC off")),
        ({"nodes": BY_MEMORY, "gpu_memory": "8Gi", "profile": "1g.10gb"}, ValueError,
         "'gpu_memory' must be left out with 'profile' (got '8Gi'); a partition has the memory that its profile names"),
        ({"profile": "1g10gb"}, ValueError, ("'profile' must be a MIG profile such as '1g.10gb' or '1g.10gb+me' (got '1g10gb'); did you mean "
                                            "'1g.10gb'?")),
        ({"nodes": BY_TURNS, "profile": "1g.10gb"}, ValueError,
         ("'profile' must be left out with share='time-slicing' (got '1g.10gb'); the driver time-slices only whole GPUs, and refuses a time-sliced claim on a partition, or ignores its sharing (Kubernetes 1.37)")),
    ],
)  # fmt: skip
def test_a_wrong_claim_is_refused(make, given, error, expected):
    assert message(lambda: make(**{"nodes": NODES, **given}), error) == expected


def test_the_construct_emits_what_the_function_gives():
    chart = Chart(App(), "ai", namespace="ai")
    made = GpuClaim(chart, "claim", nodes=BY_MEMORY, gpus=2, gpu_memory="8Gi")

    assert synth(chart) == [gpu_claim(nodes=BY_MEMORY, gpus=2, gpu_memory="8Gi", namespace="ai")]
    assert (made.name, made.gpus, made.gpu_memory, made.profile) == ("gpu-2", 2, "8Gi", None)
    assert ApiObject.of(made).kind == "ResourceClaimTemplate"


# The pod


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_a_pod_gets_a_claim_tolerations_and_the_selector_and_nothing_else(talos):
    nodes = GpuNodes(talos_version=talos, labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")], dra=Dra())

    assert gpu_pod(template(), nodes=nodes) == {
        "metadata": {"labels": {"talos-gpu/class": "default"}},
        "spec": {
            "containers": [{"name": "main", "image": "app:1", "resources": {"claims": [{"name": "main"}]}}],
            "resourceClaims": [{"name": "main", "resourceClaimTemplateName": "gpu"}],
            "tolerations": nodes.tolerations,
            "nodeSelector": {"role": "gpu"},
        },
    }


@pytest.mark.parametrize(
    ("gpus", "nodes"), [(1, NODES), (2, NODES), (1, ONE_CLAIM), (1, GpuNodes(talos_version="1.14", name="a", dra=Dra()))]
)
def test_a_pod_names_what_gpu_claim_makes_of_the_same_nodes_and_number(gpus, nodes):
    (claim,) = gpu_pod(template(), nodes=nodes, gpus=gpus)["spec"]["resourceClaims"]
    made = gpu_claim(nodes=nodes, gpus=gpus)

    key = "resourceClaimName" if made["kind"] == "ResourceClaim" else "resourceClaimTemplateName"
    assert claim[key] == made["metadata"]["name"]


def test_a_claim_of_another_name_is_named():
    assert gpu_pod(template(), nodes=NODES, claim="mine")["spec"]["resourceClaims"] == [
        {"name": "main", "resourceClaimTemplateName": "mine"}
    ]


def test_the_other_containers_of_a_pod_get_nothing():
    given = template("main", "sidecar", initContainers=[{"name": "init"}])
    spec = gpu_pod(given, nodes=NODES, container="main")["spec"]

    assert spec["containers"][1] == given["spec"]["containers"][1]
    assert spec["initContainers"] == [{"name": "init"}]


def test_a_second_container_has_a_claim_of_its_own():
    pod = gpu_pod(gpu_pod(template("a", "b"), nodes=NODES, container="a"), nodes=NODES, container="b")

    assert pod["spec"]["resourceClaims"] == [{"name": name, "resourceClaimTemplateName": "gpu"} for name in ("a", "b")]
    assert [each["resources"] for each in pod["spec"]["containers"]] == [{"claims": [{"name": name}]} for name in ("a", "b")]


def test_containers_that_share_a_claim_name_the_one():
    pod = gpu_pod(gpu_pod(template("a", "b"), nodes=ONE_CLAIM, container="a"), nodes=ONE_CLAIM, container="b")

    assert pod["spec"]["resourceClaims"] == [{"name": "gpu", "resourceClaimName": "gpu"}]
    assert [each["resources"] for each in pod["spec"]["containers"]] == [{"claims": [{"name": "gpu"}]}] * 2


def test_claims_of_another_driver_stay():
    given = template(resourceClaims=[{"name": "nic", "resourceClaimTemplateName": "rdma"}])
    given["spec"]["containers"][0]["resources"] = {"claims": [{"name": "nic"}], "limits": {"memory": "4Gi"}}

    spec = gpu_pod(given, nodes=NODES)["spec"]
    assert [claim["name"] for claim in spec["resourceClaims"]] == ["nic", "main"]
    assert spec["containers"][0]["resources"] == {"claims": [{"name": "nic"}, {"name": "main"}], "limits": {"memory": "4Gi"}}


def test_void_is_of_no_use_without_the_runtime_class():
    given = template("main", "sidecar")
    for container in given["spec"]["containers"]:
        container["env"] = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]

    containers = gpu_pod(given, nodes=NODES, container="main")["spec"]["containers"]
    assert [container["env"] for container in containers] == [[], []]


CLAIMED = "where pods claim their GPUs ('dra' of GpuNodes)"


@pytest.mark.parametrize("section", ["limits", "requests"])
@pytest.mark.parametrize("resource", ["nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.10gb"])
@pytest.mark.parametrize("where", ["containers", "initContainers"])
def test_a_limit_beside_a_claim_is_refused(section, resource, where):
    given = template(initContainers=[{"name": "init"}])
    given["spec"][where][0]["resources"] = {section: {resource: 1}}

    name = given["spec"][where][0]["name"]
    assert message(lambda: gpu_pod(given, nodes=NODES)) == (
        f"'template' must be without GPU limits {CLAIMED} (got '{resource} in {name}'); a container with a claim needs no limit; leave the limit out"
    )


@pytest.mark.parametrize(
    ("spec", "given", "error", "expected"),
    [
        ({"runtimeClassName": "nvidia"}, {}, ValueError, (f"'template' must be without a runtimeClassName {CLAIMED} (got 'nvidia'); under 'nvidia' a container with a CUDA image and no claim may see every GPU; leave runtimeClassName out")),
        ({"resourceClaims": [{"name": "main", "resourceClaimName": "a"}]}, {}, ValueError,
         ("'template' must be without another resource claim named 'main' than {'name': 'main', 'resourceClaimTemplateName': 'gpu'} (got "
         "{'name': 'main', 'resourceClaimName': 'a'})")),
        ({"resourceClaims": {"name": "gpu"}}, {}, TypeError, ("'template[spec.resourceClaims]' must be a list of mappings (got {'name': "
                                                            "'gpu'}); did you mean [{'name': 'gpu'}]?")),
        ({}, {"claim": "My_Claim"}, ValueError, f"'claim' must be {DNS_NAME} (got 'My_Claim')"),
        ({}, {"claim": 1}, TypeError, f"'claim' must be {DNS_NAME} (got 1)"),
        ({}, {"claim": "gpu", "nodes": LIMITS}, ValueError, "'claim' must be left out on nodes without 'dra' (got 'gpu'); pods of these nodes ask by limits"),
        ({}, {"claim": "gpu", "nodes": BY_LIMIT}, ValueError, "'claim' must be left out with 'extended_resource' of 'dra' (got 'gpu'); pods of these nodes ask by limits"),
        ({}, {"gpus": "1"}, TypeError, ("'gpus' must be a whole number of at least 1 (got '1'); did you mean 1?")),
    ],
)  # fmt: skip
def test_what_contradicts_a_claim_is_refused(spec, given, error, expected):
    assert message(lambda: gpu_pod(template(**spec), **{"nodes": NODES, **given}), error) == expected


def test_claims_of_a_container_have_kubernetes_form():
    given = template()
    given["spec"]["containers"][0]["resources"] = {"claims": "gpu"}

    assert message(lambda: gpu_pod(given, nodes=NODES), TypeError) == (
        "'template[spec.containers.0.resources.claims]' must be a list of mappings (got 'gpu')"
    )


words = st.sampled_from(["a", "b"])
claims = st.lists(st.sampled_from([{"name": "nic"}, {"name": "other"}]), max_size=2, unique_by=lambda claim: claim["name"])
pods = st.lists(
    st.fixed_dictionaries({}, optional={"limits": st.dictionaries(words, st.sampled_from(["1", "2Gi"])), "claims": claims}),
    min_size=1,
    max_size=3,
)


@given(resources=pods, nodes=st.sampled_from([NODES, ONE_CLAIM, BY_TURNS, SHARES]), gpus=st.integers(1, 8))
def test_only_the_chosen_container_changes_and_asking_again_changes_nothing(resources, nodes, gpus):
    before = {"spec": {"containers": [{"name": f"c{index}", "resources": each} for index, each in enumerate(resources)]}}
    untouched = copy.deepcopy(before)
    made = gpu_pod(before, nodes=nodes, gpus=gpus, container="c0")

    assert before == untouched
    assert made["spec"]["containers"][1:] == before["spec"]["containers"][1:]
    (ours,) = made["spec"]["resourceClaims"]
    first = made["spec"]["containers"][0]["resources"]
    assert first["claims"] == [*resources[0].get("claims", []), {"name": ours["name"]}]
    assert first.get("limits") == resources[0].get("limits")
    assert gpu_pod(made, nodes=nodes, gpus=gpus, container="c0") == made


# Workloads


def test_a_workload_has_a_template_of_its_own():
    chart = Chart(App(), "ai", namespace="ai")
    workload(chart, NODES, labels={"team": "ai"}, gpus=2)

    claim, deployment = synth(chart)
    assert (claim["kind"], claim["metadata"]) == (
        "ResourceClaimTemplate",
        {"name": "ollama-gpu-2", "namespace": "ai", "labels": {"app.kubernetes.io/name": "ollama", "team": "ai"}},
    )
    spec = deployment["spec"]["template"]["spec"]
    assert spec["resourceClaims"] == [{"name": "ollama", "resourceClaimTemplateName": "ollama-gpu-2"}]
    assert spec["containers"][0]["resources"] == {"claims": [{"name": "ollama"}]}
    assert "runtimeClassName" not in spec


@pytest.mark.parametrize("kind", ["StatefulSet", "Job", "CronJob"])
def test_a_workload_of_any_kind_claims(chart, kind):
    workload(chart, NODES, kind=kind, schedule="@daily" if kind == "CronJob" else None)

    spec = one(synth(chart), kind)["spec"]
    pod = (spec["jobTemplate"]["spec"] if kind == "CronJob" else spec)["template"]["spec"]
    assert pod["resourceClaims"] == [{"name": "ollama", "resourceClaimTemplateName": "ollama-gpu"}]


def test_a_workload_without_claims_makes_none(chart):
    workload(chart, LIMITS)

    assert [made["kind"] for made in synth(chart)] == ["Deployment"]


def test_the_memory_of_a_workloads_gpu_is_in_its_claim(chart):
    made = workload(chart, BY_MEMORY, gpu_memory="8Gi")

    claim = one(synth(chart), "ResourceClaimTemplate")
    assert devices(claim)["requests"][0]["exactly"]["capacity"] == {"requests": {"memory": "8Gi"}}
    assert made.gpu_memory == "8Gi"


def test_workloads_of_a_namespace_share_the_one_claim():
    app = App()
    charts = [Chart(app, name, namespace=namespace) for name, namespace in (("a", "ai"), ("b", "ai"), ("c", "other"))]
    for chart in charts:
        workload(chart, ONE_CLAIM, id=chart.node.id)

    kinds = [[made["kind"] for made in synth(chart)] for chart in charts]
    assert kinds == [["ResourceClaim", "Deployment"], ["Deployment"], ["ResourceClaim", "Deployment"]]
    pods = [one(synth(chart), "Deployment")["spec"]["template"]["spec"] for chart in charts]
    assert [pod["resourceClaims"] for pod in pods] == [[{"name": "gpu", "resourceClaimName": "gpu"}]] * 3
    # It belongs to none of them.
    assert one(synth(charts[0]), "ResourceClaim")["metadata"] == {"name": "gpu", "namespace": "ai"}


def test_a_workload_uses_a_claim_that_is_there(chart):
    GpuClaim(chart, "claim", nodes=BY_TURNS)
    workload(chart, BY_TURNS)

    assert [made["kind"] for made in synth(chart)] == ["ResourceClaim", "Deployment"]


def test_another_claim_of_the_same_name_is_refused(chart):
    workload(chart, attrs.evolve(BY_TURNS, labels={"gpu": "a"}))

    assert message(lambda: workload(chart, attrs.evolve(ONE_CLAIM, labels={"gpu": "b"}), id="other")) == (
        "'name' must be unique among the objects of kind ResourceClaim in this app (got 'gpu'); GpuWorkload already makes a ResourceClaim of this name; the second object would replace the first"
    )


@pytest.mark.parametrize(
    ("dra", "replicas", "most"), [(Dra(), 5, 4), (Dra(share="consumable", shares=3), 13, 12)], ids=["exclusive", "consumable"]
)
def test_more_pods_than_the_gpus_serve_are_refused(chart, dra, replicas, most):
    nodes = GpuNodes(talos_version="1.14", gpus_per_node=2, count=2, dra=dra)

    assert message(lambda: workload(chart, nodes, replicas=replicas)) == (
        f"'replicas' must be at most {most} with gpus=1, as each of 2 nodes offers {most // 2} (got {replicas}); the other pods would stay "
        "Pending"
    )
    assert workload(chart, nodes, replicas=most).replicas == most


def test_any_number_of_pods_shares_one_claim(chart):
    nodes = GpuNodes(talos_version="1.14", gpus_per_node=1, count=1, dra=Dra(share="claim"))

    assert workload(chart, nodes, replicas=20).replicas == 20


@pytest.mark.parametrize("nodes", [GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=2)), NODES, BY_MEMORY], ids=repr)
def test_a_workload_says_in_an_annotation_how_much_of_a_gpus_memory_it_uses(chart, nodes):
    workload(chart, nodes, gpu_memory="8Gi", pod_annotations={"a": "b"})

    deployment = synth(chart)[-1]
    assert deployment["spec"]["template"]["metadata"]["annotations"] == {"talos-gpu/gpu-memory": "8Gi", "a": "b"}


def test_a_claim_of_a_whole_gpu_takes_all_of_its_memory_whatever_the_workload_uses(chart):
    workload(chart, NODES, gpu_memory="8Gi")

    assert "capacity" not in devices(synth(chart)[0])["requests"][0]["exactly"]


# cdk8s-plus


def deployment(kplus, **given):
    return kplus.Deployment(Chart(App(), "ai"), "main", containers=[kplus.ContainerProps(image="app:1", **given)])


@pytest.mark.parametrize(("nodes", "claim"), [(NODES, {"name": "main", "resourceClaimTemplateName": "gpu"}),
                                              (ONE_CLAIM, {"name": "gpu", "resourceClaimName": "gpu"})])  # fmt: skip
@pytest.mark.parametrize("kplus", [cdk8s_plus_28, cdk8s_plus_32], ids=lambda module: module.__name__)
def test_a_workload_of_cdk8s_plus_claims(kplus, nodes, claim):
    made = deployment(kplus)
    before = ApiObject.of(made).to_json()["spec"]["template"]["spec"]
    request_gpus(made, nodes=nodes)

    main = before["containers"][0]
    assert ApiObject.of(made).to_json()["spec"]["template"]["spec"] == {
        **before,
        "containers": [{**main, "resources": {**main["resources"], "claims": [{"name": claim["name"]}]}}],
        "resourceClaims": [claim],
        "tolerations": nodes.tolerations,
        "nodeSelector": {"role": "gpu"},
    }


def test_asking_again_for_a_workload_of_cdk8s_plus_changes_nothing():
    made = deployment(cdk8s_plus_32)
    request_gpus(made, nodes=NODES, claim="mine")
    once = ApiObject.of(made).to_json()
    request_gpus(made, nodes=NODES, claim="mine")

    assert ApiObject.of(made).to_json() == once
    assert once["spec"]["template"]["spec"]["resourceClaims"] == [{"name": "main", "resourceClaimTemplateName": "mine"}]
