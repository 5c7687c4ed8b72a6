import cdk8s_plus_28
import cdk8s_plus_32
import pytest
from cdk8s import ApiObject, App, Chart, Cron, Size, Testing
from constructs import Construct

from conftest import env_of, message
from constructs_lib import GpuNodes, GpuWorkload, Taint, TalosGpuWarning, TimeSlicing, request_gpus

NODES = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")], labels={"role": "gpu"})
UNLABELLED = GpuNodes(talos_version="1.12")
KINDS = ("Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob", "Pod")
RULE = "'workload' must be a workload of cdk8s-plus, such as a Deployment"
ELSE = "for any other object use gpu_pod on its pod template"


@pytest.fixture(params=[cdk8s_plus_28, cdk8s_plus_32], ids=lambda module: module.__name__)
def kplus(request):
    return request.param


def workload(kplus, kind="Deployment", *containers):
    chart = Chart(App(), "ai")
    given = {}
    if kind == "StatefulSet":
        given = {"service": kplus.Service(chart, "service", ports=[kplus.ServicePort(port=80)])}
    if kind == "CronJob":
        given = {"schedule": Cron.hourly()}
    if kind == "Deployment":
        given = {"replicas": 1, "strategy": kplus.DeploymentStrategy.recreate()}
    return getattr(kplus, kind)(chart, "main", containers=list(containers) or [kplus.ContainerProps(image="app:1")], **given)


def emitted(made):
    return ApiObject.of(made).to_json()


def pod_spec(made):
    found = emitted(made)
    if found["kind"] == "CronJob":
        found = found["spec"]["jobTemplate"]
    return found["spec"] if found.get("kind") == "Pod" else found["spec"]["template"]["spec"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_workload_of_any_kind_gets_all_that_a_gpu_pod_needs_and_loses_nothing(kplus, kind):
    made = workload(kplus, kind)
    before, whole = pod_spec(made), emitted(made)

    request_gpus(made, nodes=NODES)

    after = pod_spec(made)
    main = before["containers"][0]
    resources = {section: {**amounts, "nvidia.com/gpu": 1} for section, amounts in main["resources"].items()}
    assert set(resources) == {"limits", "requests"}
    assert after == {
        **before,
        "containers": [{**main, "resources": resources}],
        "runtimeClassName": "nvidia",
        "tolerations": NODES.tolerations,
        "nodeSelector": {"role": "gpu"},
    }
    labels = whole["metadata"].pop("labels", {})
    written = emitted(made)
    assert labels.items() <= written["metadata"].pop("labels", {}).items()
    assert {**written, "spec": None} == {**whole, "spec": None}


def test_the_amount_is_a_number_in_the_file_that_is_written(kplus):
    made = workload(kplus)
    request_gpus(made, nodes=NODES, gpus=4)

    limits = Chart.of(made).to_json()[0]["spec"]["template"]["spec"]["containers"][0]["resources"]["limits"]
    assert limits["nvidia.com/gpu"] == 4
    assert type(limits["nvidia.com/gpu"]) is int


def test_nodes_without_labels_are_an_affinity_beside_the_workloads_own(kplus):
    made = workload(kplus)
    made.scheduling.attract(kplus.Node.labeled(kplus.NodeLabelQuery.exists("ssd")))
    made.scheduling.tolerate(kplus.Node.tainted(kplus.NodeTaintQuery.exists("mine")))

    request_gpus(made, nodes=UNLABELLED)

    spec = pod_spec(made)
    wanted = UNLABELLED.node_affinity["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    ssd = {"key": "ssd", "operator": "Exists"}
    assert spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"] == [
        {"matchExpressions": [ssd, *term["matchExpressions"]]} for term in wanted
    ]
    assert spec["tolerations"] == [{"key": "mine", "operator": "Exists"}, *UNLABELLED.tolerations]


def test_a_container_without_resources_or_with_limits_alone_gets_both(kplus):
    limited = kplus.ContainerResources(memory=kplus.MemoryResources(limit=Size.gibibytes(8)))
    made = workload(
        kplus,
        "Deployment",
        kplus.ContainerProps(name="bare", image="a", resources=kplus.ContainerResources()),
        kplus.ContainerProps(name="limited", image="b", resources=limited),
    )

    request_gpus(made, nodes=NODES, container="bare")
    request_gpus(made, nodes=NODES, container="limited")

    bare, limited = pod_spec(made)["containers"]
    assert bare["resources"] == {"limits": {"nvidia.com/gpu": 1}, "requests": {"nvidia.com/gpu": 1}}
    assert limited["resources"] == {"limits": {"memory": "8192Mi", "nvidia.com/gpu": 1}, "requests": {"nvidia.com/gpu": 1}}


def test_only_the_named_container_gets_a_gpu_and_the_others_see_none(kplus):
    side = kplus.ContainerProps(name="side", image="b", env_variables={"A": kplus.EnvValue.from_value("1")})
    made = workload(kplus, "Deployment", kplus.ContainerProps(name="main", image="a"), side)
    made.add_init_container(name="init", image="c")

    request_gpus(made, nodes=NODES, gpus=2, container="main")

    spec = pod_spec(made)
    main, side = spec["containers"]
    assert main["resources"]["limits"]["nvidia.com/gpu"] == 2
    assert env_of(main) == {}
    assert "nvidia.com/gpu" not in side["resources"]["limits"]
    assert env_of(side) == {"A": "1", "NVIDIA_VISIBLE_DEVICES": "void"}
    assert env_of(spec["initContainers"][0]) == {"NVIDIA_VISIBLE_DEVICES": "void"}


def test_a_second_call_gives_a_second_container_its_own(kplus):
    made = workload(kplus, "Deployment", kplus.ContainerProps(name="a", image="a"), kplus.ContainerProps(name="b", image="b"))

    request_gpus(made, nodes=NODES, container="a")
    request_gpus(made, nodes=NODES, container="b")

    assert [each["resources"]["limits"]["nvidia.com/gpu"] for each in pod_spec(made)["containers"]] == [1, 1]
    assert [env_of(each) for each in pod_spec(made)["containers"]] == [{}, {}]


def test_the_same_call_again_changes_nothing(kplus):
    made = workload(kplus)
    request_gpus(made, nodes=UNLABELLED)
    once = emitted(made)

    request_gpus(made, nodes=UNLABELLED)
    assert emitted(made) == once


def test_shares_have_the_name_that_the_nodes_advertise(kplus):
    made = workload(kplus)
    request_gpus(made, nodes=GpuNodes(talos_version="1.14", sharing=TimeSlicing(replicas=5, rename_by_default=True)))

    assert pod_spec(made)["containers"][0]["resources"]["limits"]["nvidia.com/gpu.shared"] == 1


def test_the_preview_needs_no_runtime_class(kplus):
    with pytest.warns(TalosGpuWarning, match="is a beta"):
        nodes = GpuNodes(talos_version="1.15")
    made = workload(kplus)
    request_gpus(made, nodes=nodes)

    assert "runtimeClassName" not in pod_spec(made)
    assert pod_spec(made)["containers"][0]["resources"]["limits"]["nvidia.com/gpu"] == 1


def test_a_subclass_of_somebodys_own_is_a_workload_too(kplus):
    class Ollama(kplus.Deployment):
        def __init__(self, scope, id):  # noqa: A002
            super().__init__(scope, id, containers=[kplus.ContainerProps(image="ollama/ollama:0.32.15")])

    made = Ollama(Chart(App(), "ai"), "ollama")
    request_gpus(made, nodes=NODES)

    assert pod_spec(made)["runtimeClassName"] == "nvidia"


def test_makes_no_object(kplus):
    made = workload(kplus)
    before = len(Chart.of(made).to_json())

    assert request_gpus(made, nodes=NODES) is None
    assert len(Chart.of(made).to_json()) == before


@pytest.mark.parametrize(
    "other",
    [
        lambda chart: chart,
        lambda chart: cdk8s_plus_28.Service(chart, "it", ports=[cdk8s_plus_28.ServicePort(port=80)]),
        lambda chart: ApiObject(chart, "it", api_version="apps/v1", kind="Deployment"),
        lambda chart: GpuWorkload(chart, "it", nodes=NODES, image="ollama/ollama:0.32.15"),
    ],
    ids=["chart", "service", "api-object", "gpu-workload"],
)
def test_another_construct_is_refused_with_what_to_use_instead(chart, other):
    made = other(chart)

    article = "an" if isinstance(made, ApiObject) else "a"
    assert message(lambda: request_gpus(made, nodes=NODES), TypeError) == f"{RULE} (got {article} {type(made).__name__}); {ELSE}"


@pytest.mark.parametrize("other", [None, "ollama", {"kind": "Deployment"}])
def test_what_is_no_construct_is_refused(other):
    assert message(lambda: request_gpus(other, nodes=NODES), TypeError) == f"{RULE} (got {other!r})"


def test_a_construct_around_an_empty_deployment_is_refused(chart):
    made = Construct(chart, "it")
    ApiObject(made, "Resource", api_version="apps/v1", kind="Deployment")

    assert message(lambda: request_gpus(made, nodes=NODES), TypeError) == f"{RULE} (got a Construct); {ELSE}"


def test_a_value_that_no_node_can_run_is_refused(kplus):
    made = kplus.Deployment(Chart(App(), "ai"), "ollama", containers=[kplus.ContainerProps(name="main", image="https://ghcr.io/app")])

    assert message(lambda: request_gpus(made, nodes=NODES)) == (
        "'workload[spec.containers.0.image]' must be an image reference such as 'registry.example.com/team/app:1.2' "
        "(got 'https://ghcr.io/app'); did you mean 'ghcr.io/app'? The container runtime takes no 'https://'"
    )


def test_a_workload_without_containers_is_refused(kplus):
    made = kplus.Deployment(Chart(App(), "ai"), "ollama")

    assert message(lambda: request_gpus(made, nodes=NODES)) == (
        f"'workload' must be complete before it asks for GPUs (got {made.name!r}); cdk8s says: PodSpec must have at least 1 container"
    )


@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({"gpus": 0.5}, ValueError, "'gpus' must be a whole number of at least 1 (got 0.5); to share a GPU set 'sharing' on GpuNodes"),
        ({"gpus": True}, TypeError, "'gpus' must be a whole number of at least 1 (got True); to share a GPU set 'sharing' on GpuNodes"),
        ({"container": "x"}, ValueError, "'container' must be the name of a container of this pod, 'main' (got 'x')"),
        ({"nodes": "1.12"}, TypeError, "'nodes' must be a GpuNodes (got '1.12')"),
    ],
)
def test_a_wrong_argument_is_refused_and_the_workload_stays_as_it_was(kplus, given, error, expected):
    made = workload(kplus)
    before = emitted(made)

    assert message(lambda: request_gpus(made, **{"nodes": NODES, **given}), error) == expected
    assert emitted(made) == before


def test_several_containers_ask_which(kplus):
    made = workload(kplus, "Deployment", kplus.ContainerProps(name="a", image="a"), kplus.ContainerProps(name="b", image="b"))

    assert message(lambda: request_gpus(made, nodes=NODES)) == (
        "'container' must be the name of a container when the pod has several (got None); the pod has 'a', 'b'"
    )


def test_visible_devices_are_refused(kplus):
    variables = {"NVIDIA_VISIBLE_DEVICES": kplus.EnvValue.from_value("all")}
    made = workload(kplus, "Deployment", kplus.ContainerProps(image="a", env_variables=variables))

    assert message(lambda: request_gpus(made, nodes=NODES)) == (
        "'workload' must be without NVIDIA_VISIBLE_DEVICES (got 'all in main'); "
        "NVIDIA_VISIBLE_DEVICES overrides the GPU that the device plugin allocates and shows every GPU of the node; leave NVIDIA_VISIBLE_DEVICES out"
    )


def test_another_request_for_a_container_is_refused_and_the_workload_stays_as_it_was(kplus):
    made = workload(kplus)
    request_gpus(made, nodes=NODES)
    once = emitted(made)

    assert message(lambda: request_gpus(made, nodes=NODES, gpus=2)) == (
        "'container' must be a container that has no GPUs yet (got 'main'); request_gpus gave it 1; "
        "call request_gpus once for each container, with all its GPUs"
    )
    assert emitted(made) == once


def test_a_second_class_of_nodes_is_refused(kplus):
    made = workload(kplus, "Deployment", kplus.ContainerProps(name="a", image="a"), kplus.ContainerProps(name="b", image="b"))
    request_gpus(made, nodes=NODES, container="a")

    assert message(lambda: request_gpus(made, nodes=UNLABELLED, container="b")) == (
        f"'nodes' must be the class of the workload's container 'a' (got {UNLABELLED!r}); "
        "one node runs all containers of a pod; pass one GpuNodes to every call"
    )


def test_a_wrong_second_request_is_refused_too(kplus):
    made = workload(kplus)
    request_gpus(made, nodes=NODES)

    assert message(lambda: request_gpus(made, nodes=NODES, gpus=True), TypeError).startswith("'gpus' must be a whole number of at least 1")


@pytest.mark.parametrize("write", [lambda app: app.synth(), lambda app: app.synth_yaml()], ids=["synth", "synth_yaml"])
def test_a_request_after_the_files_are_written_is_refused(kplus, tmp_path, write):
    app = App(outdir=str(tmp_path))
    first, second = (kplus.Pod(Chart(app, name), name, containers=[kplus.ContainerProps(image="app:1")]) for name in ("first", "second"))
    request_gpus(first, nodes=NODES)
    write(app)

    assert message(lambda: request_gpus(second, nodes=NODES)) == (
        f"'workload' must be of an app that is not synthesized yet (got '{second.name}'); call request_gpus before app.synth()"
    )
    request_gpus(workload(kplus), nodes=NODES)


def test_a_request_after_a_look_at_the_objects_is_none_after_the_synth(kplus):
    made = workload(kplus, "Deployment", kplus.ContainerProps(name="a", image="a"), kplus.ContainerProps(name="b", image="b"))
    request_gpus(made, nodes=NODES, container="a")
    Testing.synth(Chart.of(made))
    request_gpus(made, nodes=NODES, container="b")

    assert [each["resources"]["limits"]["nvidia.com/gpu"] for each in pod_spec(made)["containers"]] == [1, 1]
