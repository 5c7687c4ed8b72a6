import copy
import json

import pytest

from conftest import message
from constructs_lib import Dra, GpuNodes, Taint, TalosGpuWarning, TimeSlicing, check, gpu_values

NODES = GpuNodes(talos_version="1.12", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")])
UNLABELLED = GpuNodes(talos_version="1.14")
SHARED = GpuNodes(talos_version="1.12", labels={"role": "gpu"}, sharing=TimeSlicing(replicas=4, rename_by_default=True))
MIXED = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, mig_strategy="mixed", mig_devices={"1g.10gb": 7})
CLAIMED = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, dra=Dra())
TOLERATIONS = [
    {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
    {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"},
]
CLASS = {"talos-gpu/class": "default"}
ONE = {"limits": {"nvidia.com/gpu": 1}, "requests": {"nvidia.com/gpu": 1}}
VOID = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}
CUDA = "nvidia/cuda:12.5.0-base-ubuntu22.04"
SIDE = {"name": "side", "image": "a:1"}
PLACED = {"runtimeClassName": "nvidia", "tolerations": TOLERATIONS, "nodeSelector": {"role": "gpu"}}
RUNTIME_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
MODEL = {"modelFormat": {"name": "huggingface"}, "storageUri": "hf://Qwen/Qwen3-8B"}
STEP = {"name": "train", "container": {"image": CUDA, "command": ["train"]}}
GROUP = {
    "groupName": "gpu",
    "replicas": 2,
    "template": {"spec": {"containers": [{"name": "ray-worker", "image": "rayproject/ray:2.46.0-gpu"}]}},
}


def preview():
    with pytest.warns(TalosGpuWarning, match="is a beta"):
        return GpuNodes(talos_version="1.15", labels={"role": "gpu"})


def patch_of(template, nodes=NODES, **given):
    return json.loads(gpu_values("argo-workflows", template, nodes=nodes, **given)["podSpecPatch"])


# --- KServe


def test_a_predictor_has_the_fields_of_the_pod_beside_its_model():
    assert gpu_values("kserve-predictor", {"model": MODEL, "minReplicas": 1}, nodes=NODES) == {
        "model": {**MODEL, "resources": ONE},
        "minReplicas": 1,
        **PLACED,
        "labels": CLASS,
        "deploymentStrategy": {"type": "Recreate"},
    }


def test_the_container_of_a_custom_predictor_is_one_of_its_containers():
    made = gpu_values("kserve-predictor", {"containers": [{"name": "main", "image": CUDA}, SIDE]}, nodes=NODES, container="main")

    assert made["containers"] == [{"name": "main", "image": CUDA, "resources": ONE}, {**SIDE, "env": [VOID]}]
    alone = gpu_values("kserve-predictor", {"containers": [{"name": "main", "image": CUDA}]}, nodes=NODES)
    assert alone["containers"] == [{"name": "main", "image": CUDA, "resources": ONE}]


def test_the_containers_beside_a_model_see_no_gpu():
    made = gpu_values("kserve-predictor", {"model": MODEL, "containers": [SIDE], "initContainers": [SIDE]}, nodes=NODES)

    assert made["containers"] == made["initContainers"] == [{**SIDE, "env": [VOID]}]
    assert "env" not in made["model"]


def test_a_predictor_claims_its_gpu_with_dra():
    made = gpu_values("kserve-predictor", {"model": MODEL}, nodes=CLAIMED)

    assert made["resourceClaims"] == [{"name": "kserve-container", "resourceClaimTemplateName": "gpu"}]
    assert made["model"]["resources"] == {"claims": [{"name": "kserve-container"}]}
    assert "runtimeClassName" not in made


def test_a_strategy_of_the_users_stays_on_a_predictor():
    given = {"model": MODEL, "deploymentStrategy": {"type": "RollingUpdate"}}

    assert gpu_values("kserve-predictor", given, nodes=NODES)["deploymentStrategy"] == {"type": "RollingUpdate"}


def test_a_predictor_without_a_container_is_refused():
    assert message(lambda: gpu_values("kserve-predictor", {"minReplicas": 1}, nodes=NODES)) == (
        "'values' must be with 'model' or a list of named containers in 'containers' (got None)"
    )
    assert message(lambda: gpu_values("kserve-predictor", {"model": MODEL}, nodes=NODES, container="main")) == (
        "'container' must be left out beside 'model' (got 'main'); 'model' is the container"
    )
    several = {"containers": [{"name": "main"}, SIDE]}
    assert message(lambda: gpu_values("kserve-predictor", several, nodes=NODES)) == "'container' must be one of 'main', 'side' (got None)"
    assert message(lambda: gpu_values("kserve-predictor", several, nodes=NODES, container="mian")) == (
        "'container' must be one of 'main', 'side' (got 'mian'); did you mean 'main'?"
    )


# --- Argo Workflows


def test_a_step_has_its_runtime_class_in_the_patch_of_the_pod():
    assert gpu_values("argo-workflows", STEP, nodes=NODES) == {
        "name": "train",
        "container": {**STEP["container"], "resources": ONE},
        "tolerations": TOLERATIONS,
        "nodeSelector": {"role": "gpu"},
        "metadata": {"labels": CLASS},
        "podSpecPatch": '{"runtimeClassName": "nvidia"}',
    }


def test_on_the_preview_a_step_needs_no_patch():
    assert "podSpecPatch" not in gpu_values("argo-workflows", STEP, nodes=preview())


def test_a_step_claims_its_gpu_with_dra():
    assert patch_of(STEP, CLAIMED) == {"resourceClaims": [{"name": "main", "resourceClaimTemplateName": "gpu"}]}
    assert gpu_values("argo-workflows", STEP, nodes=CLAIMED)["container"]["resources"] == {"claims": [{"name": "main"}]}


@pytest.mark.parametrize("text", ["hostname: a\n", '{"hostname": "a"}', "hostname: a\nruntimeClassName: nvidia\n"])
def test_a_patch_of_the_users_stays(text):
    assert patch_of({**STEP, "podSpecPatch": text}) == {"hostname": "a", "runtimeClassName": "nvidia"}


@pytest.mark.parametrize("text", ["- a", "a: [", "", "a: 1\n---\nb: 2\n"])
def test_a_patch_that_is_no_mapping_is_refused(text):
    assert message(lambda: gpu_values("argo-workflows", {**STEP, "podSpecPatch": text}, nodes=NODES)).startswith(
        "'values[podSpecPatch]' must be one mapping as JSON or YAML text (got "
    )


def test_a_patch_that_contradicts_the_nodes_is_refused():
    given = {**STEP, "podSpecPatch": "runtimeClassName: runc"}
    assert message(lambda: gpu_values("argo-workflows", given, nodes=NODES)) == (
        "'values[podSpecPatch]' must be without another runtimeClassName than 'nvidia' (got 'runc'); leave runtimeClassName out"
    )
    assert message(lambda: gpu_values("argo-workflows", given, nodes=CLAIMED)) == (
        "'values[podSpecPatch]' must be without a runtimeClassName on these nodes (got 'runc'); leave runtimeClassName out"
    )


def test_a_script_and_one_container_of_a_set_get_gpus_too_and_sidecars_see_none():
    script = gpu_values("argo-workflows", {"name": "a", "script": {"image": CUDA, "source": "x"}, "sidecars": [SIDE]}, nodes=NODES)
    assert (script["script"]["resources"], script["sidecars"]) == (ONE, [{**SIDE, "env": [VOID]}])
    pair = {"name": "a", "containerSet": {"containers": [{"name": "one", "image": CUDA}, SIDE]}}
    assert gpu_values("argo-workflows", pair, nodes=NODES, container="one")["containerSet"]["containers"] == [
        {"name": "one", "image": CUDA, "resources": ONE},
        {**SIDE, "env": [VOID]},
    ]
    assert message(lambda: gpu_values("argo-workflows", {"name": "a", "dag": {"tasks": []}}, nodes=NODES)) == (
        "'values' must be with 'container', 'script' or a list of named containers in 'containerSet.containers' (got None)"
    )


# --- KubeSpawner


def test_a_profile_of_jupyterhub_gets_its_gpus_by_the_traits_of_kubespawner():
    assert gpu_values("kubespawner", {"image": "a:1", "extra_containers": [SIDE]}, nodes=NODES, gpus=2) == {
        "image": "a:1",
        "extra_containers": [{**SIDE, "env": [VOID]}],
        "extra_pod_config": {"runtimeClassName": "nvidia"},
        "tolerations": TOLERATIONS,
        "node_selector": {"role": "gpu"},
        "extra_labels": CLASS,
        "extra_resource_limits": {"nvidia.com/gpu": 2},
    }


def test_a_profile_selects_nodes_without_labels_by_the_terms_of_an_affinity():
    terms = gpu_values("kubespawner", nodes=UNLABELLED)["node_affinity_required"]

    assert terms[-1] == {"matchExpressions": [{"key": "nvidia.com/gpu.present", "operator": "In", "values": ["true"]}]}


def test_a_profile_can_have_no_claim_and_no_variable_that_shows_every_gpu():
    assert "for KubeSpawner (got GpuNodes(" in message(lambda: gpu_values("kubespawner", nodes=CLAIMED))
    shown = {"environment": {"NVIDIA_VISIBLE_DEVICES": "all"}}
    assert message(lambda: gpu_values("kubespawner", shown, nodes=NODES)).startswith("'values' must be without NVIDIA_VISIBLE_DEVICES")


# --- Ray


def test_a_group_of_ray_has_the_template_of_gpu_pod_and_tells_ray_its_gpus():
    made = gpu_values("ray", GROUP, nodes=NODES, gpus=4)

    four = {"limits": {"nvidia.com/gpu": 4}, "requests": {"nvidia.com/gpu": 4}}
    worker = {**GROUP["template"]["spec"]["containers"][0], "resources": four}
    template = {"metadata": {"labels": CLASS}, "spec": {**PLACED, "containers": [worker]}}
    assert made == {"groupName": "gpu", "replicas": 2, "template": template, "rayStartParams": {"num-gpus": "4"}}


@pytest.mark.parametrize(
    ("nodes", "given"), [(SHARED, {}), (MIXED, {"profile": "1g.10gb"}), (CLAIMED, {})], ids=["shares", "partitions", "claims"]
)
def test_ray_is_told_of_gpus_whose_limit_kuberay_does_not_count(nodes, given):
    assert gpu_values("ray", GROUP, nodes=nodes, **given)["rayStartParams"] == {"num-gpus": "1"}


def test_the_first_container_of_a_group_is_rays():
    given = copy.deepcopy(GROUP)
    given["template"]["spec"]["containers"].append(dict(SIDE))
    ray, side = gpu_values("ray", given, nodes=NODES)["template"]["spec"]["containers"]

    assert (ray["resources"], side["env"]) == (ONE, [VOID])


def test_a_group_without_a_template_or_with_another_number_of_gpus_is_refused():
    assert message(lambda: gpu_values("ray", {"groupName": "gpu"}, nodes=NODES)) == (
        "'values[template]' must be a pod template with containers in its 'spec' (got None)"
    )
    assert message(lambda: gpu_values("ray", {**GROUP, "rayStartParams": {"num-gpus": "8"}}, nodes=NODES, gpus=4)) == (
        "'values[rayStartParams]' must be without another num-gpus than '4' (got '8'); 'gpus' is the number"
    )


# --- Spark


def test_an_executor_of_spark_gets_its_gpu_by_its_pod_template():
    assert gpu_values("spark-executor", nodes=NODES) == {
        "metadata": {"labels": CLASS},
        "spec": {**PLACED, "containers": [{"name": "spark-kubernetes-executor", "resources": ONE}]},
    }
    assert gpu_values("spark-driver", nodes=NODES)["spec"]["containers"][0]["name"] == "spark-kubernetes-driver"


def test_the_first_container_of_a_template_is_sparks():
    given = {"spec": {"containers": [{"name": "mine", "image": CUDA}, SIDE]}}

    assert gpu_values("spark-executor", given, nodes=NODES)["spec"]["containers"] == [
        {"name": "mine", "image": CUDA, "resources": ONE},
        {**SIDE, "env": [VOID]},
    ]


def test_a_template_of_spark_without_containers_is_refused():
    assert message(lambda: gpu_values("spark-executor", {"spec": {}}, nodes=NODES)) == (
        "'values' must be a pod template with containers in its 'spec' (got {'spec': {}})"
    )


def test_spark_counts_the_gpus_of_its_executors_or_of_its_driver():
    assert gpu_values("spark-executor-conf", nodes=NODES, gpus=2) == {
        "spark.executor.resource.gpu.amount": "2",
        "spark.executor.resource.gpu.vendor": "nvidia.com",
        "spark.executor.resource.gpu.discoveryScript": "/opt/spark/examples/src/main/scripts/getGpusResources.sh",
    }
    assert gpu_values("spark-driver-conf", {"spark.driver.resource.gpu.discoveryScript": "/a.sh"}, nodes=NODES) == {
        "spark.driver.resource.gpu.amount": "1",
        "spark.driver.resource.gpu.vendor": "nvidia.com",
        "spark.driver.resource.gpu.discoveryScript": "/a.sh",
    }
    assert message(lambda: gpu_values("spark-executor-conf", {"spark.executor.resource.gpu.amount": "4"}, nodes=NODES)) == (
        "'values' must be without another spark.executor.resource.gpu.amount than '1' (got '4'); leave spark.executor.resource.gpu.amount out"
    )


@pytest.mark.parametrize("nodes", [SHARED, CLAIMED, MIXED], ids=["shares", "claims", "partitions"])
def test_spark_cannot_count_gpus_of_another_name(nodes):
    refused = message(lambda: gpu_values("spark-executor-conf", nodes=nodes))

    assert refused.startswith("'nodes' must be a class whose GPUs are nvidia.com/gpu (got GpuNodes(")
    assert refused.endswith("; Spark has no name for other GPUs; gpu_values('spark-executor', …) alone gives them to the pod")


# --- what the checks say of the pods that the operators make


def pod_of_predictor(nodes):
    made = gpu_values("kserve-predictor", {"model": MODEL}, nodes=nodes)
    model = {"name": "kserve-container", "image": CUDA, "resources": made["model"]["resources"]}
    fields = {key: made[key] for key in ("runtimeClassName", "tolerations", "nodeSelector", "affinity") if key in made}
    return {"metadata": {"labels": made["labels"]}, "spec": {**fields, "containers": [model]}}


def pod_of_step(nodes):
    made = gpu_values("argo-workflows", STEP, nodes=nodes)
    fields = {key: made[key] for key in ("tolerations", "nodeSelector", "affinity") if key in made}
    containers = [{"name": "main", **made["container"]}]
    return {"metadata": made["metadata"], "spec": {**fields, **json.loads(made["podSpecPatch"]), "containers": containers}}


def pod_of_executor(nodes):
    template = gpu_values("spark-executor", nodes=nodes)
    template["spec"]["containers"][0]["image"] = CUDA
    return template


PODS = [pod_of_predictor, pod_of_step, pod_of_executor, lambda nodes: gpu_values("ray", GROUP, nodes=nodes)["template"]]


@pytest.mark.parametrize("made", PODS, ids=["kserve", "argo", "spark", "ray"])
@pytest.mark.parametrize("nodes", [NODES, UNLABELLED, SHARED], ids=["labelled", "unlabelled", "shared"])
def test_the_checks_have_nothing_to_say_of_the_pods_of_an_operator(made, nodes):
    template = made(nodes)
    pod = {"apiVersion": "v1", "kind": "Pod", **template, "metadata": {"name": "a", **template["metadata"]}}

    assert [f"{each.rule} {each.message}" for each in check([RUNTIME_CLASS, pod], nodes=nodes)] == []


def test_nothing_that_is_given_changes():
    given = (
        {"model": copy.deepcopy(MODEL), "initContainers": [dict(SIDE)]},
        copy.deepcopy({**STEP, "sidecars": [SIDE]}),
        copy.deepcopy(GROUP),
    )
    before = copy.deepcopy(given)
    gpu_values("kserve-predictor", given[0], nodes=NODES)
    gpu_values("argo-workflows", given[1], nodes=NODES)
    gpu_values("ray", given[2], nodes=NODES)

    assert given == before
