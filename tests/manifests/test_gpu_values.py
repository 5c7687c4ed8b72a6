import copy

import pytest
from chart_checks import release

from conftest import message
from constructs_lib import Dra, GpuNodes, Taint, TalosGpuWarning, TimeSlicing, check, gpu_values
from constructs_lib.manifests.dra.claim_objects import gpu_claim
from constructs_lib.upstream.charts.pod_keys import Program

NODES = GpuNodes(talos_version="1.12", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")])
UNLABELLED = GpuNodes(talos_version="1.14")
SHARED = GpuNodes(talos_version="1.12", labels={"role": "gpu"}, sharing=TimeSlicing(replicas=4, rename_by_default=True))
MIXED = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, mig_strategy="mixed", mig_devices={"1g.10gb": 7})
CLAIMED = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, dra=Dra())
TOLERATED = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
TOLERATIONS = [TOLERATED, {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}]
CLASS = {"talos-gpu/class": "default"}
ONE = {"limits": {"nvidia.com/gpu": 1}, "requests": {"nvidia.com/gpu": 1}}
VOID = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
IMAGE = {"repository": "ghcr.io/a/b", "tag": "1.0"}
ROLE = {"key": "role", "operator": "In", "values": ["gpu"]}


def preview():
    with pytest.warns(TalosGpuWarning, match="is a beta"):
        return GpuNodes(talos_version="1.15", labels={"role": "gpu"})


def stack(*models, **engine):
    return {"servingEngineSpec": {"modelSpec": [{"name": "llama", **given} for given in models or ({},)], **engine}}


def model(values=None, nodes=NODES, **given):
    return gpu_values("vllm-stack", stack() if values is None else values, nodes=nodes, **given)["servingEngineSpec"]["modelSpec"][0]


def app(container=None, **controller):
    return {"controllers": {"comfy": {"containers": {"app": {"image": IMAGE, **(container or {})}}, **controller}}}


def controller(values, nodes=NODES, **given):
    return gpu_values("app-template", values, nodes=nodes, **given)["controllers"]["comfy"]


def terms(affinity):
    return [term["matchExpressions"] for term in affinity["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]]


# --- what each chart gets


def test_the_chart_ollama_gets_its_gpu_by_the_charts_own_keys():
    assert gpu_values("ollama", nodes=NODES, gpus=2) == {
        "runtimeClassName": "nvidia",
        "tolerations": TOLERATIONS,
        "nodeSelector": {"role": "gpu"},
        "podLabels": CLASS,
        "ollama": {"gpu": {"enabled": True, "type": "nvidia", "nvidiaResource": "nvidia.com/gpu", "number": 2}},
    }


def test_the_chart_jupyterhub_gets_the_gpus_of_every_notebook():
    assert gpu_values("jupyterhub", nodes=NODES) == {
        "singleuser": {
            "extraPodConfig": {"runtimeClassName": "nvidia"},
            "extraTolerations": TOLERATIONS,
            "nodeSelector": {"role": "gpu"},
            "extraLabels": CLASS,
            "extraResource": {"limits": {"nvidia.com/gpu": 1}},
        }
    }


def test_the_chart_vllm_stack_gets_a_gpu_for_its_model_and_no_second_pod_beside_the_first():
    assert gpu_values("vllm-stack", stack(), nodes=NODES) == stack(
        {
            "runtimeClassName": "nvidia",
            "tolerations": TOLERATIONS,
            "affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [ROLE]}]}}},
            "podLabels": CLASS,
            "requestGPU": 1,
            "requestGPUType": "nvidia.com/gpu",
        },
        strategy={"type": "Recreate"},
    )


def test_app_template_gets_its_gpu_in_a_new_controller_where_the_values_have_none():
    assert gpu_values("app-template", nodes=NODES) == {
        "controllers": {
            "main": {
                "pod": {"runtimeClassName": "nvidia", "tolerations": TOLERATIONS, "nodeSelector": {"role": "gpu"}, "labels": CLASS},
                "containers": {"main": {"resources": ONE}},
            }
        },
    }


def test_the_chart_kserve_makes_deployments_because_knative_refuses_a_runtime_class():
    assert gpu_values("kserve", nodes=NODES) == {"kserve": {"controller": {"deploymentMode": "Standard"}}}
    older = {"kserve": {"controller": {"deploymentMode": "RawDeployment"}}}
    assert gpu_values("kserve", older, nodes=NODES) == older
    knative = {"kserve": {"controller": {"deploymentMode": "Knative"}}}
    assert message(lambda: gpu_values("kserve", knative, nodes=NODES)) == (
        "'values' must be without another kserve.controller.deploymentMode than 'Standard' (got 'Knative'); "
        "leave kserve.controller.deploymentMode out"
    )


# --- what the nodes are


def test_on_the_preview_no_pod_gets_a_runtime_class_and_vllm_stacks_default_is_taken_back():
    nodes = preview()

    assert "runtimeClassName" not in gpu_values("ollama", nodes=nodes)
    assert "extraPodConfig" not in gpu_values("jupyterhub", nodes=nodes)["singleuser"]
    assert "runtimeClassName" not in controller(app(), nodes)["pod"]
    assert model(nodes=nodes)["runtimeClassName"] == ""


@pytest.mark.parametrize(
    ("nodes", "given", "resource"), [(SHARED, {}, "nvidia.com/gpu.shared"), (MIXED, {"profile": "1g.10gb"}, "nvidia.com/mig-1g.10gb")]
)
def test_shares_and_partitions_are_asked_for_by_their_own_name(nodes, given, resource):
    gpu = gpu_values("ollama", nodes=nodes, **given)["ollama"]["gpu"]

    assert (gpu["nvidiaResource"], gpu["number"]) == (resource, 1)
    assert gpu_values("jupyterhub", nodes=nodes, **given)["singleuser"]["extraResource"] == {"limits": {resource: 1}}
    assert model(nodes=nodes, **given)["requestGPUType"] == resource
    assert controller(app(), nodes, **given)["containers"]["app"]["resources"]["limits"] == {resource: 1}


def test_nodes_without_labels_of_their_own_are_selected_by_affinity_in_every_chart():
    wanted = terms(gpu_values("ollama", nodes=UNLABELLED)["affinity"])

    assert [[each["key"] for each in term] for term in wanted][-1] == ["nvidia.com/gpu.present"]
    singleuser = gpu_values("jupyterhub", nodes=UNLABELLED)["singleuser"]
    assert [term["matchExpressions"] for term in singleuser["extraNodeAffinity"]["required"]] == wanted
    assert terms(model(nodes=UNLABELLED)["affinity"]) == wanted
    assert terms(controller(app(), UNLABELLED)["pod"]["affinity"]) == wanted


def test_with_dra_the_claim_has_the_name_of_gpu_claim():
    name = gpu_claim(nodes=CLAIMED, gpus=2)["metadata"]["name"]
    values = gpu_values("ollama", nodes=CLAIMED, gpus=2)

    assert values["ollama"]["gpu"] == {"enabled": True, "type": "nvidia", "draEnabled": True, "draExistingClaimTemplate": name}
    assert "runtimeClassName" not in values
    comfy = controller(app(), CLAIMED, gpus=2)
    assert comfy["pod"]["resourceClaims"] == [{"name": "app", "resourceClaimTemplateName": name}]
    assert comfy["containers"]["app"]["resources"] == {"claims": [{"name": "app"}]}
    assert controller(app(), CLAIMED, claim="mine")["pod"]["resourceClaims"][0]["resourceClaimTemplateName"] == "mine"


@pytest.mark.parametrize("chart", ["jupyterhub", "vllm-stack"])
def test_a_chart_without_a_key_for_claims_is_refused_with_dra(chart):
    refused = message(lambda: gpu_values(chart, stack() if chart == "vllm-stack" else None, nodes=CLAIMED))

    assert refused.startswith(f"'nodes' must be a class without 'dra' for the chart {chart} (got GpuNodes(")
    assert refused.endswith(
        f"; the chart {chart} has no key for the claim of a pod; such as dra=Dra(extended_resource=True), by which pods ask by limits"
    )


def test_the_chart_ollama_is_refused_where_pods_share_one_claim():
    nodes = GpuNodes(talos_version="1.14", dra=Dra(share="claim"), gpus_per_node=1)

    assert "has no key for a claim that pods share" in message(lambda: gpu_values("ollama", nodes=nodes))


# --- what the user gave


def test_the_given_values_stay_and_do_not_change():
    given = {"persistentVolume": {"enabled": True}, "tolerations": [{"key": "mine"}], "ollama": {"models": {"pull": ["llama3.2"]}}}
    before = copy.deepcopy(given)
    values = gpu_values("ollama", given, nodes=NODES)

    assert given == before
    assert values["persistentVolume"] == {"enabled": True}
    assert values["tolerations"] == [{"key": "mine"}, *TOLERATIONS]
    assert values["ollama"]["models"] == {"pull": ["llama3.2"]}


def test_the_values_of_a_second_call_are_those_of_the_first():
    for chart, given in [("ollama", {}), ("jupyterhub", {}), ("vllm-stack", stack()), ("app-template", app()), ("kserve", {})]:
        for nodes in (NODES, UNLABELLED):
            once = gpu_values(chart, given, nodes=nodes)
            assert gpu_values(chart, once, nodes=nodes) == once


def test_containers_without_a_gpu_see_none():
    side = {"name": "side", "image": "a:1"}
    assert gpu_values("ollama", {"initContainers": [side]}, nodes=NODES)["initContainers"] == [{**side, "env": [VOID]}]
    singleuser = gpu_values("jupyterhub", {"singleuser": {"extraContainers": [side], "initContainers": [side]}}, nodes=NODES)["singleuser"]
    assert singleuser["extraContainers"] == singleuser["initContainers"] == [{**side, "env": [VOID]}]
    assert model(stack({"initContainer": side}))["initContainer"] == {**side, "env": [VOID]}
    comfy = controller(app(initContainers={"pre": {"image": IMAGE, "env": {"A": "1"}}, "list": {"image": IMAGE, "env": [{"name": "A"}]}}))
    assert comfy["initContainers"]["pre"]["env"] == {"A": "1", "NVIDIA_VISIBLE_DEVICES": "void"}
    assert comfy["initContainers"]["list"]["env"] == [{"name": "A"}, VOID]
    assert "env" not in comfy["containers"]["app"]


def test_default_options_of_app_template_that_ours_would_replace_are_kept():
    given = {
        "defaultPodOptions": {"tolerations": [{"key": "mine"}], "nodeSelector": {"disk": "ssd"}, "hostname": "a"},
        **app(defaultContainerOptions={"resources": {"limits": {"memory": "8Gi"}}}),
    }
    comfy = controller(given)

    assert comfy["pod"]["tolerations"] == [{"key": "mine"}, *TOLERATIONS]
    assert comfy["pod"]["nodeSelector"] == {"disk": "ssd", "role": "gpu"}
    assert "hostname" not in comfy["pod"]
    assert comfy["containers"]["app"]["resources"]["limits"] == {"memory": "8Gi", "nvidia.com/gpu": 1}


def test_own_resources_of_a_model_get_the_gpu_in_place_of_the_charts_short_keys():
    made = model(stack({"resources": {"limits": {"memory": "32Gi"}}}))

    assert made["resources"] == {"limits": {"memory": "32Gi", "nvidia.com/gpu": 1}, "requests": {"nvidia.com/gpu": 1}}
    assert "requestGPU" not in made


def test_the_node_selector_terms_of_a_model_are_joined_with_those_of_the_nodes():
    zone = {"key": "zone", "operator": "In", "values": ["a"]}
    made = model(stack({"nodeSelectorTerms": [{"matchExpressions": [zone]}]}))

    assert terms(made["affinity"]) == [[zone, ROLE]]
    assert "nodeSelectorTerms" not in made


def test_a_strategy_of_the_users_stays():
    values = gpu_values("vllm-stack", stack(strategy={"type": "RollingUpdate"}), nodes=NODES)

    assert values["servingEngineSpec"]["strategy"] == {"type": "RollingUpdate"}


def test_one_of_several_controllers_models_and_containers_is_named():
    two = {"servingEngineSpec": {"modelSpec": [{"name": "a"}, {"name": "b"}]}}
    models = gpu_values("vllm-stack", two, nodes=NODES, workload="b")["servingEngineSpec"]["modelSpec"]
    assert ["requestGPU" in each for each in models] == [False, True]
    assert message(lambda: gpu_values("vllm-stack", two, nodes=NODES)) == (
        "'workload' must be the name of one of several (got None); the values have 'a', 'b'"
    )
    pair = app()
    pair["controllers"]["comfy"]["containers"]["proxy"] = {"image": IMAGE}
    assert controller(pair, container="app")["containers"]["proxy"]["env"] == {"NVIDIA_VISIBLE_DEVICES": "void"}
    assert message(lambda: gpu_values("app-template", pair, nodes=NODES, container="apq")) == (
        "'container' must be one of 'app', 'proxy' (got 'apq'); did you mean 'app'?"
    )
    assert message(lambda: gpu_values("app-template", pair, nodes=NODES, workload="confy")) == (
        "'workload' must be one of 'comfy' (got 'confy'); did you mean 'comfy'?"
    )
    assert message(lambda: gpu_values("ollama", nodes=NODES, workload="a")) == (
        "'workload' must be left out for ollama (got 'a'); it has one pod with GPUs, and one container of it"
    )


SHOWS_ALL = {"NVIDIA_VISIBLE_DEVICES": "all"}
LISTED = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]


@pytest.mark.parametrize(
    ("chart", "values", "rule"),
    [
        ("ollama", {"runtimeClassName": "runc"}, "'values' must be without another runtimeClassName than 'nvidia'"),
        ("ollama", {"nodeSelector": {"role": "cpu"}}, "'values' must be without another value for the node label role than 'gpu'"),
        ("ollama", {"ollama": {"gpu": {"number": 2}}}, "'values' must be without another ollama.gpu.number than 1 (got 2)"),
        ("ollama", {"ollama": {"gpu": {"enabled": False}}}, "'values' must be without another ollama.gpu.enabled than True (got False)"),
        ("ollama", {"ollama": {"gpu": {"type": "amd"}}}, "'values' must be without another ollama.gpu.type than 'nvidia' (got 'amd')"),
        ("ollama", {"ollama": {"gpu": {"mig": {"enabled": True}}}}, "'values' must be without ollama.gpu.mig.enabled (got True)"),
        ("ollama", {"extraEnv": LISTED}, "'values' must be without NVIDIA_VISIBLE_DEVICES (got 'all in ollama')"),
        ("ollama", {"initContainers": {"a": 1}}, "'values[initContainers]' must be a list of containers"),
        ("ollama", {"ollama": ["gpu"]}, "'values[ollama]' must be a mapping (got ['gpu'])"),
        ("jupyterhub", {"singleuser": {"extraEnv": SHOWS_ALL}}, "'values[singleuser]' must be without NVIDIA_VISIBLE_DEVICES"),
        ("jupyterhub", {"singleuser": "a"}, "'values[singleuser]' must be a mapping"),
        ("vllm-stack", None, "'values' must be with a list of models in servingEngineSpec.modelSpec, each with a 'name' (got None)"),
        ("vllm-stack", stack({"requestGPU": 4}), "'values' must be without another requestGPU than 1 (got 4)"),
        ("vllm-stack", stack({"raySpec": {"enabled": True}}), "'values' must be without raySpec.enabled (got True)"),
        ("app-template", app({"env": SHOWS_ALL}), "'values[controllers.comfy]' must be without NVIDIA_VISIBLE_DEVICES"),
        ("app-template", app({"resources": {"limits": {"nvidia.com/gpu": 2}}}), "without another GPU in its limits than nvidia.com/gpu: 1"),
        (
            "app-template",
            {"controllers": {"comfy": {"containers": {"app": 1}}}},
            "'values[controllers.comfy.containers.app]' must be a mapping",
        ),
    ],
)
def test_a_value_that_contradicts_the_nodes_is_refused(chart, values, rule):
    with pytest.raises((ValueError, TypeError)) as caught:
        gpu_values(chart, values, nodes=NODES)

    assert rule in str(caught.value)


def test_an_unknown_chart_is_refused_with_the_known_ones():
    unknown = message(lambda: gpu_values("olama", nodes=NODES))
    assert unknown.startswith("'program' must be one of 'app-template', 'ollama', 'jupyterhub', 'vllm-stack', 'kserve', 'kubespawner', ")
    assert unknown.endswith(" (got 'olama'); did you mean 'ollama'?")
    assert (
        message(lambda: gpu_values("kserve", nodes=NODES, gpus=0))
        == "'gpus' must be a whole number of at least 1 (got 0); to share a GPU set 'sharing' on GpuNodes"
    )


# --- what the checks say of the pods

RUNTIME_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}


def pod_of_model(model):
    """The pod that the chart vllm-stack makes of a model."""
    limits = {model["requestGPUType"]: str(model["requestGPU"])}
    container = {"name": "vllm", "image": "vllm/vllm-openai:v0.28.0-cu129", "resources": {"limits": limits, "requests": limits}}
    spec = {key: model[key] for key in ("runtimeClassName", "tolerations", "affinity")}
    return {"metadata": {"name": "vllm", "labels": model["podLabels"]}, "spec": {**spec, "containers": [container]}}


def pod_of_notebook(singleuser):
    """The pod that KubeSpawner makes of the values of the chart jupyterhub."""
    container = {
        "name": "notebook",
        "image": "quay.io/jupyter/pytorch-notebook:cuda12-2026-08-01",
        "resources": singleuser["extraResource"],
    }
    terms = singleuser.get("extraNodeAffinity", {}).get("required")
    affinity = {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": terms}}}} if terms else {}
    spec = {
        **singleuser["extraPodConfig"],
        "tolerations": singleuser["extraTolerations"],
        "nodeSelector": singleuser.get("nodeSelector", {}),
    }
    return {"metadata": {"name": "jupyter-a", "labels": singleuser["extraLabels"]}, "spec": {**spec, **affinity, "containers": [container]}}


def what_runs(chart, nodes):
    """The values of a chart as the checks read them: the release itself where they know the chart, or else the pod."""
    if chart == Program.VLLM_STACK:
        return {"apiVersion": "v1", "kind": "Pod", **pod_of_model(model(nodes=nodes))}
    if chart == Program.JUPYTERHUB:
        return {"apiVersion": "v1", "kind": "Pod", **pod_of_notebook(gpu_values(chart, nodes=nodes)["singleuser"])}
    return release(chart, gpu_values(chart, app() if chart == Program.APP_TEMPLATE else None, nodes=nodes), version=None)


@pytest.mark.parametrize("chart", [Program.APP_TEMPLATE, Program.OLLAMA, Program.JUPYTERHUB, Program.VLLM_STACK])
@pytest.mark.parametrize("nodes", [NODES, UNLABELLED, SHARED], ids=["labelled", "unlabelled", "shared"])
def test_the_checks_have_nothing_to_say_of_the_pods_of_a_chart_with_these_values(chart, nodes):
    assert [f"{each.rule} {each.message}" for each in check([RUNTIME_CLASS, what_runs(chart, nodes)], nodes=nodes)] == []


@pytest.mark.parametrize(
    ("chart", "given"),
    [("ollama", {"ollama": {"gpu": {"enabled": True}}}), ("app-template", app({"resources": {"limits": {"nvidia.com/gpu": 1}}}))],
)
def test_the_checks_find_what_is_missing_in_the_same_release_without_these_values(chart, given):
    assert [each.rule for each in check([RUNTIME_CLASS, release(chart, given, version=None)], nodes=NODES)] == ["TG040", "TG053"]
