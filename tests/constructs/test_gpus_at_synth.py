"""What a workload of cdk8s-plus gets after `request_gpus` is in its manifest, in every way in which cdk8s renders a manifest."""

import gc
import json
from pathlib import Path

import cdk8s_plus_28
import cdk8s_plus_32
import pytest
import yaml
from cdk8s import ApiObject, ApiObjectMetadata, App, Chart, Cron, JsonPatch, Testing, YamlOutputType

from conftest import env_of, message
from constructs_lib import Dra, GpuNodes, Taint, TalosGpuError, TalosGpuWarning, attach, request_gpus

NODES = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")], labels={"role": "gpu"})
UNLABELLED = GpuNodes(talos_version="1.12")
VOID = {"NVIDIA_VISIBLE_DEVICES": "void"}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


@pytest.fixture(params=[cdk8s_plus_28, cdk8s_plus_32], ids=lambda module: module.__name__)
def kplus(request):
    return request.param


@pytest.fixture
def app(tmp_path):
    return App(outdir=str(tmp_path))


@pytest.fixture
def chart(app):
    return Chart(app, "ai")


def deployment(kplus, chart, name="main"):
    strategy = kplus.DeploymentStrategy.recreate()
    return kplus.Deployment(chart, name, replicas=1, strategy=strategy, containers=[kplus.ContainerProps(name="main", image="app:1")])


def written(chart):
    app = App.of(chart)
    app.synth()
    (file,) = Path(app.outdir).glob("*.yaml")
    return list(yaml.safe_load_all(file.read_text()))


RENDERINGS = {
    "Testing.synth": Testing.synth,
    "Chart.to_json": lambda chart: chart.to_json(),
    "App.synth": written,
    "App.synth_yaml": lambda chart: list(yaml.safe_load_all(App.of(chart).synth_yaml())),
    "ApiObject.to_json": lambda chart: [each.to_json() for each in chart.node.find_all() if isinstance(each, ApiObject)],
}


@pytest.fixture(params=RENDERINGS.values(), ids=RENDERINGS)
def render(request):
    return request.param


def pod_of(manifest):
    """The pod template of a manifest."""
    if manifest["kind"] == "Pod":
        return manifest
    return (manifest["spec"]["jobTemplate"] if manifest["kind"] == "CronJob" else manifest)["spec"]["template"]


def spec_of(made):
    return pod_of(ApiObject.of(made).to_json())["spec"]


def test_all_that_comes_after_the_call_is_kept_in_every_rendering(kplus, chart, render):
    made = deployment(kplus, chart)
    request_gpus(made, nodes=NODES)

    made.add_container(name="proxy", image="proxy:1", env_variables={"A": kplus.EnvValue.from_value("1")})
    made.add_init_container(name="init", image="init:1")
    made.add_volume(kplus.Volume.from_empty_dir(chart, "scratch", "scratch"))
    made.containers[0].env.add_variable("B", kplus.EnvValue.from_value("2"))
    made.scheduling.tolerate(kplus.Node.tainted(kplus.NodeTaintQuery.exists("mine")))
    made.scheduling.attract(kplus.Node.labeled(kplus.NodeLabelQuery.exists("ssd")))
    made.scheduling.separate(kplus.Pods.select(chart, "others", labels={"app": "other"}))
    made.pod_metadata.add_label("team", "ml")
    made.metadata.add_label("owner", "me")
    (manifest,) = (each for each in render(chart) if each["kind"] == "Deployment")

    spec = pod_of(manifest)["spec"]
    main, proxy = spec["containers"]
    assert main["resources"]["limits"]["nvidia.com/gpu"] == 1
    assert env_of(main) == {"B": "2"}
    assert env_of(proxy) == {"A": "1", **VOID}
    assert env_of(spec["initContainers"][0]) == VOID
    assert [volume["name"] for volume in spec["volumes"]] == ["scratch"]
    assert spec["tolerations"] == [{"key": "mine", "operator": "Exists"}, *NODES.tolerations]
    assert spec["nodeSelector"] == {"role": "gpu"}
    assert set(spec["affinity"]) == {"nodeAffinity", "podAntiAffinity"}
    assert spec["runtimeClassName"] == "nvidia"
    assert pod_of(manifest)["metadata"]["labels"]["team"] == "ml"
    assert manifest["metadata"]["labels"]["owner"] == "me"


def test_an_affinity_that_comes_later_is_joined_with_that_of_the_nodes(kplus, chart):
    made = deployment(kplus, chart)
    request_gpus(made, nodes=UNLABELLED)
    before = spec_of(made)["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    made.scheduling.attract(kplus.Node.labeled(kplus.NodeLabelQuery.exists("ssd")))

    after = spec_of(made)["affinity"]["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]
    ssd = {"key": "ssd", "operator": "Exists"}
    assert after == [{"matchExpressions": [ssd, *term["matchExpressions"]]} for term in before]


def test_a_change_after_a_rendering_is_in_the_next_one(kplus, chart, render):
    made = deployment(kplus, chart)
    request_gpus(made, nodes=NODES)
    first = render(chart)
    assert render(chart) == first

    made.add_container(name="proxy", image="proxy:1")
    made.scheduling.tolerate(kplus.Node.tainted(kplus.NodeTaintQuery.exists("mine")))
    spec = pod_of(render(chart)[0])["spec"]
    assert [env_of(each) for each in spec["containers"]] == [{}, VOID]
    assert spec["tolerations"] == [{"key": "mine", "operator": "Exists"}, *NODES.tolerations]


@pytest.mark.parametrize("kind", ["StatefulSet", "DaemonSet", "Job", "CronJob", "Pod"])
def test_every_kind_keeps_what_comes_later(kplus, chart, kind):
    given = {}
    if kind == "StatefulSet":
        given = {"service": kplus.Service(chart, "service", ports=[kplus.ServicePort(port=80)])}
    if kind == "CronJob":
        given = {"schedule": Cron.hourly()}
    made = getattr(kplus, kind)(chart, "main", containers=[kplus.ContainerProps(name="main", image="app:1")], **given)
    request_gpus(made, nodes=NODES)
    made.add_container(name="proxy", image="proxy:1")
    (manifest,) = (each for each in Testing.synth(chart) if each["kind"] == kind)

    assert [env_of(each) for each in pod_of(manifest)["spec"]["containers"]] == [{}, VOID]
    assert pod_of(manifest)["spec"]["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == 1


def test_an_app_without_references_in_python_is_rendered(kplus, tmp_path):
    app = App(outdir=str(tmp_path))
    request_gpus(deployment(kplus, Chart(app, "ai")), nodes=NODES)
    gc.collect()
    app.synth()

    assert "nvidia.com/gpu: 1" in (tmp_path / "ai.k8s.yaml").read_text()


def test_folders_of_resources_have_gpus_too(kplus, tmp_path):
    app = App(outdir=str(tmp_path), yaml_output_type=YamlOutputType.FOLDER_PER_CHART_FILE_PER_RESOURCE, record_construct_metadata=True)
    made = deployment(kplus, Chart(app, "ai"))
    request_gpus(made, nodes=NODES)
    app.synth()

    assert "nvidia.com/gpu: 1" in (tmp_path / "ai" / f"Deployment.{made.name}.k8s.yaml").read_text()
    assert made.name in (tmp_path / "construct-metadata.json").read_text()


def test_the_name_and_the_number_of_the_objects_stay(kplus, chart):
    made = deployment(kplus, chart)
    before = [(each["kind"], each["metadata"]) for each in Testing.synth(chart)]
    request_gpus(made, nodes=NODES)

    assert [(each["kind"], each["metadata"]) for each in Testing.synth(chart)] == before
    assert ApiObject.of(made).name == made.name


def test_a_name_of_ones_own_stays_in_the_list_of_constructs(kplus, tmp_path):
    app = App(outdir=str(tmp_path), record_construct_metadata=True)
    container = kplus.ContainerProps(name="main", image="app:1")
    made = kplus.Pod(Chart(app, "ai"), "main", metadata=ApiObjectMetadata(name="ollama"), containers=[container])
    request_gpus(made, nodes=NODES)
    app.synth()

    assert ApiObject.of(made).name == "ollama"
    assert json.loads((tmp_path / "construct-metadata.json").read_text())["resources"] == {"ollama": {"path": "ai/main/Resource"}}


def test_a_profile_that_the_card_may_lack_is_warned_of_at_the_call_alone(kplus, chart):
    nodes = GpuNodes(talos_version="1.12", mig_strategy="mixed", product="A100 SXM4 40GB")
    made = deployment(kplus, chart)
    with pytest.warns(TalosGpuWarning, match="1g.99gb"):
        request_gpus(made, nodes=nodes, profile="1g.99gb")

    Testing.synth(chart)  # a warning would be an error here


def test_what_gpu_pod_writes_beside_the_spec_is_kept(kplus, chart, monkeypatch):
    from constructs_lib.manifests.foreign import gpu_requests as module

    def labelled(argument, pod, *given):
        pod["metadata"]["labels"]["class"] = "rtx"
        return made_gpu_pod(argument, pod, *given)

    made_gpu_pod = module.made_gpu_pod
    monkeypatch.setattr(module, "made_gpu_pod", labelled)
    made = deployment(kplus, chart)
    request_gpus(made, nodes=NODES)
    (manifest,) = Testing.synth(chart)

    assert pod_of(manifest)["metadata"]["labels"]["class"] == "rtx"
    assert "class" not in manifest["spec"]["selector"]["matchLabels"]


# What other objects refer to


def test_a_service_selects_the_pods(kplus, chart):
    made = deployment(kplus, chart)
    request_gpus(made, nodes=NODES)
    kplus.Service(chart, "service", selector=made, ports=[kplus.ServicePort(port=80)])
    objects = {each["kind"]: each for each in Testing.synth(chart)}

    labels = pod_of(objects["Deployment"])["metadata"]["labels"]
    assert objects["Service"]["spec"]["selector"].items() <= labels.items()


def test_an_autoscaler_sets_the_number_of_pods(kplus, chart):
    container = kplus.ContainerProps(name="main", image="app:1")
    made = kplus.Deployment(chart, "main", strategy=kplus.DeploymentStrategy.recreate(), containers=[container])
    request_gpus(made, nodes=NODES)
    kplus.HorizontalPodAutoscaler(chart, "scaler", target=made, max_replicas=3)
    objects = {each["kind"]: each for each in Testing.synth(chart)}

    assert "replicas" not in objects["Deployment"]["spec"]
    assert objects["HorizontalPodAutoscaler"]["spec"]["scaleTargetRef"] == {
        "apiVersion": "apps/v1", "kind": "Deployment", "name": made.name,
    }  # fmt: skip


@pytest.mark.parametrize("earlier", [True, False])
def test_dependencies_order_the_objects(kplus, chart, earlier):
    made, after = deployment(kplus, chart), kplus.ConfigMap(chart, "after")
    before = kplus.ConfigMap(chart, "before")
    if earlier:
        ApiObject.of(made).add_dependency(before)
        ApiObject.of(after).add_dependency(ApiObject.of(made))
    request_gpus(made, nodes=NODES)
    if not earlier:
        made.node.add_dependency(before)
        after.node.add_dependency(made)

    assert [each["metadata"]["name"] for each in Testing.synth(chart)] == [before.name, made.name, after.name]


# Patches


def test_patches_before_the_call_are_part_of_the_workload(kplus, chart):
    made = deployment(kplus, chart)
    ApiObject.of(made).add_json_patch(JsonPatch.add("/spec/template/spec/priorityClassName", "high"))
    request_gpus(made, nodes=NODES)

    assert spec_of(made)["priorityClassName"] == "high"


def test_patches_after_the_call_apply_last_in_every_rendering(kplus, chart, render):
    made = deployment(kplus, chart)
    request_gpus(made, nodes=NODES)
    ApiObject.of(made).add_json_patch(JsonPatch.replace("/spec/template/spec/nodeSelector", {"role": "mine"}))
    storage = "/spec/template/spec/containers/0/resources/limits/ephemeral-storage"
    ApiObject.of(made).add_json_patch(JsonPatch.add(storage, kplus.k8s.Quantity.from_string("1Gi")))
    made.add_container(name="proxy", image="proxy:1")
    (manifest,) = render(chart)

    spec = pod_of(manifest)["spec"]
    assert spec["nodeSelector"] == {"role": "mine"}
    assert spec["containers"][0]["resources"]["limits"]["ephemeral-storage"] == "1Gi"
    assert spec["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == 1
    assert env_of(spec["containers"][1]) == VOID


def test_metadata_that_the_object_gets_is_kept(kplus, chart):
    made = deployment(kplus, chart)
    earlier = ApiObject.of(made)
    request_gpus(made, nodes=NODES)
    ApiObject.of(made).metadata.add_annotation("talos-gpu/ignore-TG048", "a spare GPU")
    earlier.metadata.add_annotation("a", "b")
    earlier.add_json_patch(JsonPatch.add("/spec/template/spec/priorityClassName", "high"))
    (manifest,) = Testing.synth(chart)

    assert manifest["metadata"]["annotations"] == {"talos-gpu/ignore-TG048": "a spare GPU", "a": "b"}
    assert manifest["spec"]["template"]["spec"]["priorityClassName"] == "high"


# Later changes that contradict the nodes


DEVICES = (
    "'workload' must be without NVIDIA_VISIBLE_DEVICES (got 'all in proxy'); NVIDIA_VISIBLE_DEVICES overrides the GPU that the device plugin "
    "allocates and shows every GPU of the node; leave NVIDIA_VISIBLE_DEVICES out"
)


def contradicting(kplus, chart):
    made = deployment(kplus, chart)
    request_gpus(made, nodes=NODES)
    made.add_container(name="proxy", image="a:1", env_variables={"NVIDIA_VISIBLE_DEVICES": kplus.EnvValue.from_value("all")})
    return made


@pytest.mark.parametrize("synth", [Testing.synth, written], ids=["Testing.synth", "App.synth"])
def test_a_later_contradiction_stops_the_synth_with_its_sentence(kplus, chart, synth):
    contradicting(kplus, chart)

    with pytest.raises(RuntimeError) as error:
        synth(chart)
    assert str(error.value).splitlines()[1:] == [f"  [ai/main] {DEVICES}"]


def test_a_later_contradiction_is_the_error_of_whoever_reads_the_object(kplus, chart):
    made = contradicting(kplus, chart)

    assert message(lambda: ApiObject.of(made).to_json()) == DEVICES


def test_a_later_contradiction_stops_an_app_with_the_checks(kplus, app, chart):
    attach(app)
    contradicting(kplus, chart)

    with pytest.raises(Exception, match="must be without NVIDIA_VISIBLE_DEVICES") as error:
        app.synth()
    assert str(error.value).splitlines()[1:] in ([f"  [ai/main] {DEVICES}"], [f"[ai/main] {DEVICES}"])


def test_a_workload_that_contradicts_its_nodes_by_now_hides_no_error_of_another_object(kplus, app, chart):
    attach(app)
    contradicting(kplus, chart)
    container = {"name": "a", "image": "a:1", "resources": {"limits": {"nvidia.com/gpu": 0.5}}}
    pod = ApiObject(Chart(app, "other"), "pod", api_version="v1", kind="Pod")
    pod.add_json_patch(JsonPatch.add("/spec", {"runtimeClassName": "nvidia", "containers": [container]}))

    with pytest.raises(TalosGpuError) as caught:
        app.synth()
    first, *others = sorted(caught.value.errors, key=lambda each: each.startswith("TG"))
    assert first == f"[ai/main] {DEVICES}"
    assert "TG045" in {each.partition(" [other/pod] ")[0] for each in others}


def test_the_checks_see_the_gpus_and_what_came_later(kplus, app, chart, monkeypatch):
    from constructs_lib.constructs import attach as module

    seen = []
    monkeypatch.setattr(module, "run_rules", lambda inputs, **_: seen.append(inputs) or [])
    attach(app)
    made = deployment(kplus, chart)
    request_gpus(made, nodes=NODES)
    made.add_container(name="proxy", image="proxy:1")
    app.synth()

    (found,) = seen[0].objects
    assert [env_of(each) for each in found.at("spec", "template", "spec", "containers")] == [{}, VOID]


# The container of the call


def test_the_only_container_at_the_call_keeps_its_gpu(kplus, chart):
    made = deployment(kplus, chart)
    request_gpus(made, nodes=NODES, gpus=2)
    made.add_container(name="proxy", image="proxy:1")

    main, proxy = spec_of(made)["containers"]
    assert main["resources"]["limits"]["nvidia.com/gpu"] == 2
    assert "nvidia.com/gpu" not in proxy["resources"]["limits"]


def test_a_container_that_is_added_later_may_get_gpus_of_its_own(kplus, chart):
    made = deployment(kplus, chart)
    request_gpus(made, nodes=NODES)
    made.add_container(name="second", image="app:1")
    request_gpus(made, nodes=NODES, gpus=2, container="second")

    assert [each["resources"]["limits"]["nvidia.com/gpu"] for each in spec_of(made)["containers"]] == [1, 2]
    assert [env_of(each) for each in spec_of(made)["containers"]] == [{}, {}]


def test_a_claim_is_kept_by_every_cdk8s_plus(kplus, chart):
    nodes = GpuNodes(talos_version="1.14", dra=Dra(), labels={"role": "gpu"})
    made = deployment(kplus, chart)
    request_gpus(made, nodes=nodes)
    made.add_container(name="proxy", image="proxy:1")
    spec = spec_of(made)

    assert spec["resourceClaims"] == [{"name": "main", "resourceClaimTemplateName": "gpu"}]
    assert spec["containers"][0]["resources"]["claims"] == [{"name": "main"}]
    assert "claims" not in spec["containers"][1]["resources"]
