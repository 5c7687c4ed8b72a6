"""Init containers and sidecars of a workload: they see no GPU, and mount the workload's volumes."""

import pytest

from conftest import env_of, message, one, synth
from constructs_lib import Dra, Empty, GpuNodes, GpuWorkload, Persistent, TalosGpuWarning

V, T = ValueError, TypeError
NODES = GpuNodes(talos_version="1.14")
FETCH = {"name": "fetch", "image": "curl:8"}
PROXY = {"name": "proxy", "image": "proxy:1", "restartPolicy": "Always"}
DEVICES = "NVIDIA_VISIBLE_DEVICES overrides the GPU that the device plugin allocates and shows every GPU of the node; leave NVIDIA_VISIBLE_DEVICES out"


def workload(chart, *containers, **given):
    return GpuWorkload(chart, "app", **{"nodes": NODES, "image": "app:1", **given}, init_containers=containers)


def pod_of(chart, *containers, **given):
    workload(chart, *containers, **given)
    spec = one(synth(chart), given.get("kind", "Deployment"))["spec"]
    return (spec["jobTemplate"]["spec"] if given.get("kind") == "CronJob" else spec)["template"]["spec"]


@pytest.mark.parametrize(("kind", "more"), [("Deployment", {}), ("StatefulSet", {}), ("Job", {}), ("CronJob", {"schedule": "@daily"})])
def test_init_containers_and_sidecars_are_in_the_pod_in_their_order_and_see_no_gpu(chart, kind, more):
    pod = pod_of(chart, FETCH, PROXY, kind=kind, **more)

    void = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}]
    assert pod["initContainers"] == [{**FETCH, "env": void}, {**PROXY, "env": void}]
    assert [container["name"] for container in pod["containers"]] == ["app"]


def test_where_containers_without_a_limit_see_no_gpu_anyway_they_stay_as_they_are(chart):
    with pytest.warns(TalosGpuWarning, match=r"Talos 1\.15 is a beta"):
        nodes = GpuNodes(talos_version="1.15")

    assert pod_of(chart, FETCH, nodes=nodes)["initContainers"] == [FETCH]


def test_an_init_container_may_use_a_gpu_of_these_nodes(chart):
    pod = pod_of(chart, {**FETCH, "resources": {"limits": {"nvidia.com/gpu": 1}}})

    assert "NVIDIA_VISIBLE_DEVICES" not in env_of(pod["initContainers"][0])


def test_no_init_containers_are_no_field(chart):
    assert "initContainers" not in pod_of(chart)


def test_the_attribute_holds_the_containers(chart):
    made = workload(chart, FETCH)

    assert [dict(container) for container in made.init_containers] == [FETCH]
    with pytest.raises(TypeError):
        made.init_containers[0]["image"] = "other"


@pytest.mark.parametrize(("kind", "name"), [("Deployment", "root-ollama"), ("StatefulSet", "root-ollama")])
def test_a_mount_names_a_volume_of_the_workload(chart, kind, name):
    mount = {"name": name, "mountPath": "/models"}
    made = workload(chart, {**FETCH, "volumeMounts": [mount]}, kind=kind, volumes={"/root/.ollama": Persistent("1Gi")})

    assert made.volume_names == {"/root/.ollama": name}
    pod = one(synth(chart), kind)["spec"]["template"]["spec"]
    assert pod["initContainers"][0]["volumeMounts"] == [mount]


def test_a_mount_names_a_volume_by_the_name_that_it_was_given(chart):
    pod = pod_of(
        chart,
        {**FETCH, "volumeMounts": [{"name": "models", "mountPath": "/m"}]},
        volumes={"/root/.ollama": Persistent("1Gi", name="models")},
    )

    assert pod["volumes"][0]["name"] == pod["initContainers"][0]["volumeMounts"][0]["name"] == "models"


def test_a_mount_may_name_a_volume_of_the_pod_spec(chart):
    mount = {"name": "certs", "mountPath": "/certs"}
    pod = pod_of(chart, {**FETCH, "volumeMounts": [mount]}, pod_spec={"volumes": [{"name": "certs", "emptyDir": {}}]})

    assert pod["initContainers"][0]["volumeMounts"] == [mount]


def mounting(name):
    return {**FETCH, "volumeMounts": [{"name": name, "mountPath": "/m"}]}


@pytest.mark.parametrize(
    ("containers", "given", "error", "expected"),
    [
        ([{"image": "a:1"}], {}, V, "'init_containers[0.name]' must be given (got nothing); Kubernetes requires this field of every Container"),
        ([{"name": "a"}], {}, V, "'init_containers[0.image]' must be given (got nothing); Kubernetes requires an image of every container of a pod"),
        ([FETCH, FETCH], {}, V, "'init_containers[1.name]' must be unique among the init containers (got 'fetch')"),
        ([{**FETCH, "name": "app"}], {}, V, "'init_containers[0.name]' must be another name than that of the workload's container (got 'app')"),
        ([FETCH], {"pod_spec": {"containers": [{"name": "fetch", "image": "a:1"}]}}, V,
         "'pod_spec' must be without two containers of one name (got 'fetch'); an init container has this name as well"),
        ([{**FETCH, "volume_mounts": []}], {}, V,
         "'init_containers[0]' must be made of keys of Kubernetes' Container (got 'volume_mounts'); did you mean 'volumeMounts'?"),
        ([{**FETCH, "image": "a: 1"}], {}, V, "'init_containers[0.image]' must be an image reference without white space (got 'a: 1')"),
        ([{**FETCH, "restartPolicy": "always"}], {}, V,
         "'init_containers[0.restartPolicy]' must be one of 'Always', 'Never', 'OnFailure' (got 'always'); did you mean 'Always'?"),
        ([{**FETCH, "readinessProbe": {"tcpSocket": {"port": 80}}}], {}, V,
         ("'init_containers[0]' must be without 'readinessProbe' (got {'tcpSocket': {'port': 80}}); "
         "an init container ends before the workload starts; did you mean a sidecar, with 'restartPolicy': 'Always'?")),
        ([{**FETCH, "env": [{"name": "NVIDIA_VISIBLE_DEVICES", "value": "all"}]}], {}, V,
         f"'init_containers' must be without NVIDIA_VISIBLE_DEVICES (got 'all in fetch'); {DEVICES}"),
        ([{**FETCH, "resources": {"limits": {"nvidia.com/mig-1g.10gb": 1}}}], {}, V,
         "'init_containers[0.resources.limits]' must be without another GPU than nvidia.com/gpu (got 'nvidia.com/mig-1g.10gb')"),
        ([{**FETCH, "resources": {"limits": {"nvidia.com/gpu": 1}}}], {"nodes": GpuNodes(talos_version="1.14", dra=Dra())}, V,
         "'init_containers[0.resources.limits]' must be without GPUs where pods claim their GPUs ('dra' of GpuNodes) (got 'nvidia.com/gpu')"),
        ([mounting("data")], {}, V,
         "'init_containers[0.volumeMounts.0.name]' must be the name of a volume, and the workload has none (got 'data'); 'name' of a volume sets its name"),
        ([FETCH, {**mounting("modles"), "name": "b"}], {"volumes": {"/models": Empty(), "/tmp": Empty()}}, V,
         ("'init_containers[1.volumeMounts.0.name]' must be the name of a volume of the workload, 'models' (/models), 'tmp' (/tmp) (got 'modles'); "
         "did you mean 'models'?")),
        ([], {"pod_spec": {"containers": [mounting("models")]}}, V,
         "'pod_spec[containers.1.volumeMounts.0.name]' must be the name of a volume, and the workload has none (got 'models'); 'name' of a volume sets its name"),
        ([], {"pod_spec": {"volumes": None}, "volumes": {"/models": Empty()}}, V,
         ("'pod_spec[containers.0.volumeMounts.0.name]' must be the name of a volume of the workload, 'models' (/models) (got 'models'); "
         "'name' of a volume sets its name")),
    ],
)  # fmt: skip
def test_what_init_containers_refuse(chart, containers, given, error, expected):
    assert message(lambda: workload(chart, *containers, **given), error) == expected
    assert synth(chart) == []


@pytest.mark.parametrize("field", ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"])
def test_a_sidecar_may_have_probes_and_hooks(chart, field):
    action = {"tcpSocket": {"port": 80}} if field != "lifecycle" else {"preStop": {"sleep": {"seconds": 1}}}

    assert pod_of(chart, {**PROXY, field: action})["initContainers"][0][field] == action


NO_GPU = {"resources": {"limits": {"nvidia.com/gpu": 0}}}


def test_a_container_with_an_amount_of_no_gpu_sees_none_wherever_the_user_gave_it(chart):
    side = {"name": "side", "image": "side:1", **NO_GPU}
    pod = pod_of(chart, {**FETCH, **NO_GPU}, pod_spec={"containers": [side]})

    assert [env_of(each).get("NVIDIA_VISIBLE_DEVICES") for each in (*pod["initContainers"], *pod["containers"])] == ["void", None, "void"]
