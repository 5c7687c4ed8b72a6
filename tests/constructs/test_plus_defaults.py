"""The warnings about the defaults of cdk8s-plus with which a GPU workload doesn't start or update."""

import warnings

import cdk8s_plus_28
import cdk8s_plus_32
import pytest
from cdk8s import ApiObject, App, Chart, JsonPatch, Testing

from constructs_lib import Dra, GpuNodes, TalosGpuWarning, TimeSlicing, request_gpus
from constructs_lib.upstream.programs.images import ROOT_IMAGES, runs_as_root

NODES = GpuNodes(talos_version="1.12", labels={"role": "gpu"})
DEADLOCK = (
    "[ai/main] RollingUpdate deadlock: the new pod needs a GPU, and the old pod keeps its GPU until the new one is ready. Without a free GPU the new "
    "pod stays Pending; set strategy=DeploymentStrategy.recreate(), or rolling_update(max_surge=PercentOrAbsolute.absolute(0), "
    "max_unavailable=PercentOrAbsolute.absolute(1))"
)
ROOT = (
    "[ai/main] runAsNonRoot is true for container 'main', but its image ollama/ollama:0.32.15 runs as root. The container stays at "
    "CreateContainerConfigError: container has runAsNonRoot and image will run as root; set security_context=ContainerSecurityContextProps("
    "ensure_non_root=False, read_only_root_filesystem=False), or a 'user' that the image can run as"
)


@pytest.fixture(params=[cdk8s_plus_28, cdk8s_plus_32], ids=lambda module: module.__name__)
def kplus(request):
    return request.param


@pytest.fixture
def chart():
    return Chart(App(), "ai")


def deployment(kplus, chart, *, image="app:1", security_context=None, **given):
    container = kplus.ContainerProps(name="main", image=image, security_context=security_context)
    return kplus.Deployment(chart, "main", containers=[container], **given)


def warned(chart):
    """The warnings of a synth."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Testing.synth(chart)
    assert all(each.category is TalosGpuWarning for each in caught)
    return [str(each.message) for each in caught]


def rolling(kplus, surge, unavailable):
    share = {int: kplus.PercentOrAbsolute.absolute, str: lambda text: kplus.PercentOrAbsolute.percent(int(text[:-1]))}
    given = {"max_surge": share[type(surge)](surge), "max_unavailable": share[type(unavailable)](unavailable)}
    return kplus.DeploymentStrategy.rolling_update(**given)


@pytest.mark.parametrize(
    ("replicas", "surge", "unavailable", "is_warned"),
    [
        (1, "25%", "25%", True),
        (3, "25%", "25%", True),
        (4, "25%", "25%", False),
        (2, 1, 0, True),
        (2, 0, 1, False),
        (8, "10%", "10%", True),
        (8, "10%", "13%", False),
    ],
)
def test_a_rolling_update_that_adds_a_pod_first_is_warned_of(kplus, chart, replicas, surge, unavailable, is_warned):
    made = deployment(kplus, chart, replicas=replicas, strategy=rolling(kplus, surge, unavailable))
    request_gpus(made, nodes=NODES)

    assert warned(chart) == [DEADLOCK] * is_warned


def test_the_defaults_of_cdk8s_plus_are_warned_of(kplus, chart):
    request_gpus(deployment(kplus, chart, image="ollama/ollama:0.32.15"), nodes=NODES)

    assert warned(chart) == [DEADLOCK, ROOT]


def test_a_warning_is_given_once_though_an_app_is_rendered_often(kplus, chart):
    request_gpus(deployment(kplus, chart), nodes=NODES)

    assert warned(chart) == [DEADLOCK]
    assert warned(chart) == []


def test_a_warning_as_an_error_stops_every_synth(kplus, chart):
    request_gpus(deployment(kplus, chart), nodes=NODES)

    for _ in range(2):
        with pytest.raises(RuntimeError) as error:
            Testing.synth(chart)
        assert str(error.value).splitlines()[1:] == [f"  {DEADLOCK}"]


def test_a_patch_after_the_call_that_mends_the_strategy_is_seen(kplus, chart):
    made = deployment(kplus, chart)
    request_gpus(made, nodes=NODES)
    ApiObject.of(made).add_json_patch(JsonPatch.replace("/spec/strategy", {"type": "Recreate"}))

    assert warned(chart) == []


@pytest.mark.parametrize(
    ("nodes", "gpus", "is_warned"),
    [
        ({"gpus_per_node": 3}, 1, False),
        ({"gpus_per_node": 2}, 1, True),
        ({"gpus_per_node": 2, "count": 2}, 1, False),
        ({"gpus_per_node": 2, "count": 2}, 2, True),
        ({"sharing": TimeSlicing(replicas=3)}, 1, False),
        ({"sharing": TimeSlicing(replicas=2)}, 1, True),
    ],
)
def test_nodes_with_a_gpu_to_spare_are_no_deadlock(kplus, chart, nodes, gpus, is_warned):
    request_gpus(deployment(kplus, chart), nodes=GpuNodes(talos_version="1.12", **nodes), gpus=gpus)

    assert warned(chart) == [DEADLOCK] * is_warned


@pytest.mark.parametrize(
    ("dra", "is_warned"),
    [
        ({"share": "claim"}, False),
        ({"share": "exclusive"}, True),
        ({"share": "consumable", "shares": 3}, False),
        ({"share": "consumable", "shares": 2}, True),
        ({"share": "consumable", "shares": "unlimited"}, False),
    ],
)
def test_claims_that_share_a_gpu_are_no_deadlock(kplus, chart, dra, is_warned):
    request_gpus(deployment(kplus, chart), nodes=GpuNodes(talos_version="1.14", dra=Dra(**dra)))

    assert warned(chart) == [DEADLOCK] * is_warned


def test_an_unknown_number_of_pods_is_not_warned_of_unless_the_numbers_are_fixed(kplus, chart):
    made = deployment(kplus, chart)
    kplus.HorizontalPodAutoscaler(chart, "scaler", target=made, max_replicas=3)
    request_gpus(made, nodes=NODES)
    other = Chart(App(), "ai")
    fixed = deployment(kplus, other, strategy=rolling(kplus, 1, 0))
    kplus.HorizontalPodAutoscaler(other, "scaler", target=fixed, max_replicas=3)
    request_gpus(fixed, nodes=NODES)

    assert warned(chart) == []
    assert warned(other) == [DEADLOCK]


def test_a_job_has_no_rolling_update(kplus, chart):
    request_gpus(kplus.Job(chart, "main", containers=[kplus.ContainerProps(image="app:1")]), nodes=NODES)

    assert warned(chart) == []


def recreated(kplus, chart, **given):
    return deployment(kplus, chart, image="ollama/ollama:0.32.15", strategy=kplus.DeploymentStrategy.recreate(), **given)


@pytest.mark.parametrize(
    ("own", "is_warned"),
    [
        ({}, True),
        ({"ensure_non_root": False}, False),
        ({"user": 1000}, False),
    ],
)
def test_an_image_that_runs_as_root_is_warned_of_under_run_as_non_root(kplus, chart, own, is_warned):
    request_gpus(recreated(kplus, chart, security_context=kplus.ContainerSecurityContextProps(**own)), nodes=NODES)

    assert warned(chart) == [ROOT] * is_warned


def test_a_user_of_the_pod_is_the_containers_user(kplus, chart):
    strategy = kplus.DeploymentStrategy.recreate()
    made = kplus.Deployment(
        chart,
        "main",
        strategy=strategy,
        security_context=kplus.PodSecurityContextProps(user=1000),
        containers=[kplus.ContainerProps(name="main", image="ollama/ollama:0.32.15")],
    )
    request_gpus(made, nodes=NODES)

    assert warned(chart) == []


def test_a_container_that_is_added_later_is_warned_of_too(kplus, chart):
    made = deployment(kplus, chart, strategy=kplus.DeploymentStrategy.recreate())
    request_gpus(made, nodes=NODES)
    made.add_init_container(name="pull", image="ollama/ollama:0.32.15")

    assert warned(chart) == [ROOT.replace("'main'", "'pull'")]


@pytest.mark.parametrize(
    ("image", "is_root"),
    [
        *((repository, True) for repository in sorted(ROOT_IMAGES)),
        ("docker.io/ollama/ollama:0.32.15", True),
        ("ollama/ollama@sha256:" + "0" * 64, True),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda13-b10524", True),
        ("vllm/vllm-openai:v0.28.0-nonroot", False),
        ("registry.example.com:5000/ollama/ollama:1", False),
        ("ollama", False),
        ("", False),
    ],
)
def test_an_image_is_known_by_its_repository(image, is_root):
    assert runs_as_root(image) is is_root
