"""`Companion`: a workload that never holds, sees or crowds a GPU."""

import itertools

import pytest
from cdk8s import Testing

from conftest import env_of, message, one, synth
from constructs_lib import Companion, GpuNodes, GpuWorkload, HttpProbe, Persistent, Taint, TalosGpuWarning, TimeSlicing, check

LEGACY = GpuNodes(talos_version="1.12")
with pytest.warns(TalosGpuWarning, match="beta"):
    NRI = GpuNodes(talos_version="1.15")
LABELLED = GpuNodes(
    talos_version="1.14",
    labels={"role": "gpu", "zone": "a"},
    taints=[Taint("dedicated", "ai"), Taint("node-role.kubernetes.io/control-plane")],
)
VOID = {"NVIDIA_VISIBLE_DEVICES": "void"}


def pod(chart, **given):
    return Companion(chart, "front", image="front:1", **given).resource.to_json()["spec"]["template"]["spec"]


def placement(chart, **given):
    return pod(chart, **given)["affinity"]["nodeAffinity"]


def test_a_companion_asks_for_no_gpu_and_sees_none(chart):
    made = pod(chart, init_containers=[{"name": "first", "image": "first:1"}])

    assert {"runtimeClassName", "tolerations", "affinity", "nodeSelector", "resourceClaims"}.isdisjoint(made)
    assert [env_of(container) for container in (*made["initContainers"], *made["containers"])] == [VOID, VOID]
    assert all("resources" not in container for container in made["containers"])


@pytest.mark.parametrize(("nodes", "expected"), [(None, VOID), (LEGACY, VOID), ([NRI, LEGACY], VOID), (NRI, {})])
def test_the_variable_that_hides_gpus_is_left_out_where_no_runtime_reads_it(chart, nodes, expected):
    assert env_of(pod(chart, nodes=nodes)["containers"][0]) == expected


def test_the_pods_prefer_nodes_of_no_class(chart):
    made = placement(chart, nodes=LABELLED)

    assert list(made) == ["preferredDuringSchedulingIgnoredDuringExecution"]
    assert made["preferredDuringSchedulingIgnoredDuringExecution"] == [
        {"weight": 100, "preference": {"matchExpressions": [{"key": key, "operator": "NotIn", "values": [value]}]}}
        for key, value in {"role": "gpu", "zone": "a"}.items()
    ]


def test_required_pods_run_on_no_node_of_any_class(chart):
    made = placement(chart, nodes=[LEGACY, LABELLED], required=True)
    found = made["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]

    unlabelled = [
        {"key": "extensions.talos.dev/nvidia-container-toolkit-lts", "operator": "DoesNotExist"},
        {"key": "extensions.talos.dev/nvidia-container-toolkit-production", "operator": "DoesNotExist"},
        {"key": "nvidia.com/gpu.present", "operator": "NotIn", "values": ["true"]},
    ]
    assert found == [
        {"matchExpressions": [*unlabelled, {"key": "role", "operator": "NotIn", "values": ["gpu"]}]},
        {"matchExpressions": [*unlabelled, {"key": "zone", "operator": "NotIn", "values": ["a"]}]},
    ]


@pytest.mark.parametrize("required", [False, True])
def test_an_affinity_of_the_users_own_is_kept(chart, required):
    ours = {"key": "disk", "operator": "In", "values": ["ssd"]}
    given = {
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {"matchExpressions": [ours]}}],
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [ours]}]},
    }
    nodes = GpuNodes(talos_version="1.14", labels={"role": "gpu"})
    made = placement(chart, nodes=nodes, required=required, pod_spec={"affinity": {"nodeAffinity": given}})

    avoided = {"key": "role", "operator": "NotIn", "values": ["gpu"]}
    preferred = made["preferredDuringSchedulingIgnoredDuringExecution"]
    (term,) = made["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert preferred[0] == given["preferredDuringSchedulingIgnoredDuringExecution"][0]
    assert (len(preferred), term["matchExpressions"]) == ((1, [ours, avoided]) if required else (2, [ours]))


def test_a_companion_has_the_parts_and_the_defaults_of_a_workload(chart):
    made = Companion(
        chart,
        "front",
        image="front:1",
        port=80,
        replicas=2,
        readiness_probe=HttpProbe("/"),
        volumes={"/data": Persistent("1Gi", access_mode="ReadWriteMany")},
    )
    objects = synth(chart)

    assert (made.service.name, made.claims["/data"].name) == ("front", "front-data")
    assert one(objects, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == made.pod_selector
    spec = one(objects, "Deployment")["spec"]["template"]["spec"]
    assert (spec["automountServiceAccountToken"], spec["enableServiceLinks"]) == (False, False)
    assert "talos-gpu/class" not in one(objects, "Deployment")["spec"]["template"]["metadata"]["labels"]


def test_a_job_without_a_gpu_has_no_runtime_class(chart):
    job = Companion(chart, "pull", image="front:1", kind="Job", command=["pull"]).resource.to_json()

    assert (job["kind"], job["spec"]["template"]["spec"]["restartPolicy"]) == ("Job", "Never")
    assert "runtimeClassName" not in job["spec"]["template"]["spec"]


@pytest.mark.parametrize("talos", ["1.12", "1.14"])
def test_the_checks_find_nothing_in_a_companion(chart, talos):
    nodes = GpuNodes(talos_version=talos, taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=2))
    Companion(chart, "front", image="ghcr.io/open-webui/open-webui:v0.11.2", port=8080, nodes=nodes, required=True)

    assert check(synth(chart), nodes=nodes) == []


GPU = {"resources": {"limits": {"nvidia.com/gpu": 1}}}
NO_GPU = "a companion has no GPU; a GpuWorkload has"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"pod_spec": {"runtimeClassName": "nvidia"}}, f"'pod_spec' must be without NVIDIA's RuntimeClass (got 'nvidia'); {NO_GPU}"),
        ({"pod_spec": {"containers": [{"name": "front", **GPU}]}}, f"'pod_spec' must be without GPUs (got 'nvidia.com/gpu in front'); {NO_GPU}"),
        ({"init_containers": [{"name": "first", "image": "a:1", **GPU}]},
         "'init_containers[0.resources.limits]' must be without GPUs in a workload that has none (got 'nvidia.com/gpu')"),
        ({"nodes": LABELLED, "pod_spec": {"tolerations": [{"key": "dedicated", "operator": "Equal", "value": "ai"}]}},
         ("'pod_spec' must be without a toleration of a taint of GPU nodes (got {'key': 'dedicated', 'operator': 'Equal', 'value': 'ai'}); "
         "the taint dedicated keeps pods without a GPU off the GPU nodes")),
        ({"pod_spec": {"tolerations": [{"operator": "Exists"}]}}, ("'pod_spec' must be without a toleration of a taint of GPU nodes (got {'operator': 'Exists'}); "
         "the taint nvidia.com/gpu keeps pods without a GPU off the GPU nodes")),
        ({"nodes": [LEGACY, "gpu"]}, "'nodes[1]' must be a GpuNodes (got 'gpu')"),
        ({"nodes": "gpu"}, "'nodes' must be a GpuNodes, or a list of them (got 'gpu')"),
        ({"gpus": 1}, "'gpus' must be an argument of Companion (got gpus=1)"),
        ({"env": {"NVIDIA_VISIBLE_DEVICES": "all"}}, "'env' must be without NVIDIA_VISIBLE_DEVICES"),
        ({"replicas": 2, "volumes": {"/data": Persistent("1Gi")}}, "'replicas' must be 1 for a Deployment whose claim only one node can mount (got 2)"),
    ],
)  # fmt: skip
def test_what_would_bring_a_companion_to_a_gpu_is_refused(chart, given, expected):
    error = TypeError if "gpus" in given or given.get("nodes") in ("gpu", [LEGACY, "gpu"]) else ValueError

    assert message(lambda: Companion(chart, "front", image="front:1", **given), error).startswith(expected)


@pytest.mark.parametrize(
    "toleration",
    [
        {"key": "dedicated", "value": "web"},
        {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"},
        {"key": "other", "operator": "Exists"},
    ],
)
def test_a_toleration_of_another_taint_is_kept(chart, toleration):
    assert pod(chart, nodes=LABELLED, pod_spec={"tolerations": [toleration]})["tolerations"] == [toleration]


def test_a_companion_needs_an_image(chart):
    assert (
        message(lambda: Companion(chart, "front"), TypeError) == "'image' must be given to Companion (got nothing); name the image to run"
    )


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_several_fixed_pods_are_evicted_one_at_a_time(chart, kind):
    GpuWorkload(chart, "several", nodes=NRI, image="app:1", replicas=2, kind=kind)

    budget = one(synth(chart), "PodDisruptionBudget", "several")
    assert budget["apiVersion"] == "policy/v1"
    assert budget["spec"] == {
        "maxUnavailable": 1,
        "unhealthyPodEvictionPolicy": "AlwaysAllow",
        "selector": {"matchLabels": {"app.kubernetes.io/name": "several"}},
    }


@pytest.mark.parametrize(
    "given", [{}, {"replicas": None}, {"replicas": 0}, {"replicas": 2, "disruption_budget": False}, {"kind": "Job", "parallelism": 2}]
)
def test_one_pod_a_scaled_number_a_job_and_who_says_so_get_no_disruption_budget(chart, given):
    GpuWorkload(chart, "alone", nodes=NRI, image="app:1", **given)

    assert [made for made in synth(chart) if made["kind"] == "PodDisruptionBudget"] == []


def drained(pods, free, unavailable):
    """Whether a node with so many pods is drained while so many of them may be unavailable, and the other nodes have so many free places."""
    waiting = 0
    for _ in range(pods):
        if waiting >= unavailable:
            return False
        free, waiting = (free - 1, waiting) if free else (free, waiting + 1)
    return True


def test_a_budget_lets_a_node_be_drained_whose_pods_fit_on_no_other_and_protects_all_that_fit():
    wrong = []
    for count, gpus, replicas in itertools.product((1, 2, 3), (1, 2, 4), (2, 3, 4, 6)):
        if replicas > count * gpus:
            continue
        nodes = GpuNodes(talos_version="1.13", count=count, gpus_per_node=gpus)
        chart = Testing.chart()
        GpuWorkload(chart, "several", nodes=nodes, image="app:1", replicas=replicas)
        limits = [made["spec"]["maxUnavailable"] for made in synth(chart) if made["kind"] == "PodDisruptionBudget"]
        here = min(gpus, replicas)
        free = count * gpus - gpus - (replicas - here)
        if not drained(here, free, limits[0] if limits else replicas):
            wrong.append((count, gpus, replicas, limits, "is not drained"))
        if (limits[0] if limits else replicas) > 1 and drained(here, free, (limits[0] if limits else replicas) - 1):
            wrong.append((count, gpus, replicas, limits, "protects less than it could"))

    assert wrong == []


def test_both_pods_of_the_only_gpu_node_have_no_budget(chart):
    GpuWorkload(chart, "both", nodes=GpuNodes(talos_version="1.13", count=1), image="app:1", replicas=2)

    assert [made for made in synth(chart) if made["kind"] == "PodDisruptionBudget"] == []
