import cdk8s_plus_28
import pytest
from cdk8s import ApiObject, App, Chart

from conftest import message, one, synth
from constructs_lib import GpuNodes, GpuWorkload, TimeSlicing, gpu_pod, request_gpus

LAYOUT = {"1g.10gb+me": 1, "3g.40gb": 1}
MIXED = GpuNodes(talos_version="1.14", mig_strategy="mixed", mig_devices=LAYOUT, gpus_per_node=2, count=3)
NAMED = "one of the nodes' MIG profiles, '1g.10gb+me', '3g.40gb'"


def template(**given):
    return {"spec": {"containers": [{"name": "main", **given}]}}


def limits(nodes, **given):
    return gpu_pod(template(), nodes=nodes, **given)["spec"]["containers"][0]["resources"]["limits"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"profile": "3g.40gb"}, {"nvidia.com/mig-3g.40gb": 1}),
        ({"profile": "1g.10gb+me"}, {"nvidia.com/mig-1g.10gb.me": 1}),
        ({"profile": "3g.40gb", "gpus": 2}, {"nvidia.com/mig-3g.40gb": 2}),
    ],
)
def test_a_pod_asks_for_partitions_by_their_profile(given, expected):
    pod = gpu_pod(template(), nodes=MIXED, **given)["spec"]

    assert pod["containers"][0]["resources"] == {"limits": expected, "requests": expected}
    assert pod["runtimeClassName"] == "nvidia"


@pytest.mark.parametrize("profile", ["7g.80gb", "1g.10gb"])
def test_any_profile_may_be_asked_for_where_nobody_said_which_there_are(profile):
    assert limits(GpuNodes(talos_version="1.14", mig_strategy="mixed"), profile=profile) == {f"nvidia.com/mig-{profile}": 1}


def test_shares_of_a_partition_are_asked_for_by_their_own_name():
    sharing = TimeSlicing(replicas=4, rename_by_default=True)
    nodes = GpuNodes(talos_version="1.14", mig_strategy="mixed", mig_devices=LAYOUT, sharing=sharing)

    assert limits(nodes, profile="3g.40gb") == {"nvidia.com/mig-3g.40gb.shared": 1}


def test_with_one_size_for_all_a_partition_is_asked_for_as_a_gpu():
    assert limits(GpuNodes(talos_version="1.14", mig_strategy="single", mig_devices={"1g.10gb": 7})) == {"nvidia.com/gpu": 1}


def test_a_whole_gpu_beside_partitions_needs_no_profile():
    nodes = GpuNodes(talos_version="1.14", mig_strategy="mixed", mig_devices=[{}, LAYOUT])

    assert limits(nodes) == {"nvidia.com/gpu": 1}
    assert limits(nodes, profile="3g.40gb") == {"nvidia.com/mig-3g.40gb": 1}
    assert message(lambda: limits(nodes, gpus=2)) == (
        "'gpus' must be at most 1, the number that one node offers (got 2); the pod would stay Pending; see 'mig_devices' of GpuNodes"
    )


@pytest.mark.parametrize(
    ("nodes", "given", "says"),
    [
        (MIXED, {}, f"{NAMED} (got None); with mig_strategy='mixed' each profile is its own resource"),
        (
            GpuNodes(talos_version="1.14", mig_strategy="mixed"),
            {},
            "a MIG profile such as '1g.10gb' (got None); with mig_strategy='mixed' each profile is its own resource",
        ),
        (MIXED, {"profile": "1g.10gb"}, f"{NAMED} (got '1g.10gb'); did you mean '1g.10gb+me'?"),
        (
            MIXED,
            {"profile": "1g.10gb.me"},
            "a MIG profile such as '1g.10gb' or '1g.10gb+me' (got '1g.10gb.me'); did you mean '1g.10gb+me'?",
        ),
        (
            GpuNodes(talos_version="1.14"),
            {"profile": "1g.10gb"},
            "left out on nodes with mig_strategy='none' (got '1g.10gb'); these nodes have whole GPUs",
        ),
        (
            GpuNodes(talos_version="1.14", mig_strategy="single"),
            {"profile": "1g.10gb"},
            "left out on nodes with mig_strategy='single' (got '1g.10gb'); on these nodes each partition counts as a GPU",
        ),
    ],
)
def test_a_profile_that_the_nodes_do_not_have_is_refused(nodes, given, says):
    assert message(lambda: gpu_pod(template(), nodes=nodes, **given)) == f"'profile' must be {says}"


def test_more_partitions_than_a_node_has_are_refused():
    assert message(lambda: limits(MIXED, profile="3g.40gb", gpus=3)) == (
        "'gpus' must be at most 2, the number that one node offers (got 3); the pod would stay Pending; see 'mig_devices' of GpuNodes"
    )


@pytest.mark.parametrize("section", ["limits", "requests"])
def test_a_plus_in_the_name_of_a_resource_is_refused(section):
    given = template(resources={section: {"nvidia.com/mig-1g.10gb+me": 1}})

    assert message(lambda: gpu_pod(given, nodes=MIXED, profile="1g.10gb+me")) == (
        "'template' must be without '+' in the name of a resource (got 'nvidia.com/mig-1g.10gb+me'); did you mean 'nvidia.com/mig-1g.10gb.me'?"
    )


def test_a_partition_of_another_profile_in_the_template_is_refused():
    given = template(resources={"limits": {"nvidia.com/mig-3g.40gb": 1}})

    assert message(lambda: gpu_pod(given, nodes=MIXED, profile="1g.10gb+me")) == (
        "'template' must be without another GPU in its limits than nvidia.com/mig-1g.10gb.me: 1 (got 'nvidia.com/mig-3g.40gb: 1'); leave the other GPU out"
    )


def test_containers_of_two_profiles_share_a_pod():
    given = {"spec": {"containers": [{"name": "small"}, {"name": "large"}]}}
    first = gpu_pod(given, nodes=MIXED, profile="1g.10gb+me", container="small")
    small, large = gpu_pod(first, nodes=MIXED, profile="3g.40gb", container="large")["spec"]["containers"]

    assert small["resources"]["limits"] == {"nvidia.com/mig-1g.10gb.me": 1}
    assert large["resources"]["limits"] == {"nvidia.com/mig-3g.40gb": 1}
    assert "env" not in small


def test_a_workload_runs_on_a_partition(chart):
    made = GpuWorkload(chart, "ollama", nodes=MIXED, image="ollama/ollama:0.32.15", profile="3g.40gb", replicas=6)

    (container,) = one(synth(chart), "Deployment")["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"] == {"nvidia.com/mig-3g.40gb": 1}
    assert made.profile == "3g.40gb"


def test_more_pods_than_partitions_are_refused(chart):
    def workload():
        return GpuWorkload(chart, "ollama", nodes=MIXED, image="ollama/ollama:0.32.15", profile="3g.40gb", replicas=7)

    assert message(workload) == (
        "'replicas' must be at most 6 with gpus=1, as each of 3 nodes offers 2 (got 7); the other pods would stay Pending"
    )
    assert chart.node.children == []


def test_a_profile_is_no_argument_of_another_name(chart):
    def workload():
        return GpuWorkload(chart, "ollama", nodes=MIXED, image="ollama/ollama:0.32.15", mig_profile="3g.40gb")

    assert message(workload, TypeError) == (
        "'mig_profile' must be an argument of GpuWorkload (got mig_profile='3g.40gb'); a pod requests a MIG profile by 'profile'; "
        "'mig_devices' of GpuNodes sets the partitions of the cards"
    )


def test_a_workload_of_cdk8s_plus_gets_its_partition():
    containers = [cdk8s_plus_28.ContainerProps(image="ollama/ollama:0.32.15")]
    deployment = cdk8s_plus_28.Deployment(Chart(App(), "ai"), "main", containers=containers)
    request_gpus(deployment, nodes=MIXED, profile="1g.10gb+me")

    (container,) = ApiObject.of(deployment).to_json()["spec"]["template"]["spec"]["containers"]
    assert container["resources"]["limits"]["nvidia.com/mig-1g.10gb.me"] == 1
