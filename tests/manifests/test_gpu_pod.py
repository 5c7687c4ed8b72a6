import pytest

from conftest import env_of, message
from constructs_lib import GpuNodes, Taint, TalosGpuWarning, TimeSlicing, gpu_pod

NODES = GpuNodes(talos_version="1.12", labels={"role": "gpu"})
UNLABELLED = GpuNodes(talos_version="1.12")
VOID = {"name": "NVIDIA_VISIBLE_DEVICES", "value": "void"}
VISIBLE = (
    "NVIDIA_VISIBLE_DEVICES overrides the GPU that the device plugin allocates and shows every GPU of the node; "
    "leave NVIDIA_VISIBLE_DEVICES out"
)
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def container(name="main", **given):
    return {"name": name, "image": "nvidia/cuda:12.5.0-base-ubuntu22.04", **given}


def template(*containers, **spec):
    return {"spec": {"containers": list(containers) or [container()], **spec}}


def made(given, nodes=NODES, **arguments):
    return gpu_pod(given, nodes=nodes, **arguments)["spec"]


def preview():
    with pytest.warns(TalosGpuWarning, match="is a beta"):
        return GpuNodes(talos_version="1.15", labels={"role": "gpu"})


def affinity(*terms):
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": list(term)} for term in terms]}}}


def exists(key):
    return {"key": key, "operator": "Exists"}


LTS, PRODUCTION = (exists(f"extensions.talos.dev/nvidia-container-toolkit-{track}") for track in ("lts", "production"))
PRESENT = {"key": "nvidia.com/gpu.present", "operator": "In", "values": ["true"]}


@pytest.mark.parametrize("talos", ["1.8", "1.12", "1.13", "1.14"])
def test_a_pod_gets_the_runtime_class_toleration_selector_and_limit_and_nothing_else(talos):
    assert gpu_pod(template(), nodes=GpuNodes(talos_version=talos, labels={"role": "gpu"})) == {
        "metadata": {"labels": {"talos-gpu/class": "default"}},
        "spec": {
            "containers": [container(resources={"limits": {"nvidia.com/gpu": 1}, "requests": {"nvidia.com/gpu": 1}})],
            "runtimeClassName": "nvidia",
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
            "nodeSelector": {"role": "gpu"},
        },
    }


def test_on_the_preview_a_pod_gets_no_runtime_class_and_its_sidecars_no_void():
    spec = made(template(container("main"), container("side")), preview(), container="main")

    assert "runtimeClassName" not in spec
    assert "env" not in spec["containers"][1]


def test_on_the_preview_too_void_does_not_stay_beside_a_limit():
    assert VOID not in made(template(container(env=[VOID])), preview())["containers"][0].get("env", [])


def test_the_selector_is_an_affinity_where_nodes_have_no_labels():
    spec = made(template(), UNLABELLED)

    assert "nodeSelector" not in spec
    assert spec["affinity"] == UNLABELLED.node_affinity == affinity([LTS], [PRODUCTION], [PRESENT])


def test_shares_are_asked_for_by_the_name_that_the_nodes_advertise():
    nodes = GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=5, rename_by_default=True))

    assert made(template(), nodes, gpus=2)["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu.shared": 2}


@pytest.mark.parametrize("gpus", [1, 8])
def test_a_container_is_given_as_many_gpus_as_asked_for(gpus):
    resources = made(template(), gpus=gpus)["containers"][0]["resources"]

    assert resources == {"limits": {"nvidia.com/gpu": gpus}, "requests": {"nvidia.com/gpu": gpus}}


def test_everything_else_is_kept():
    given = template(
        container(resources={"limits": {"memory": "8Gi"}, "requests": {"cpu": "1"}, "claims": []}, env=[{"name": "A", "value": "b"}]),
        tolerations=[{"key": "mine", "operator": "Exists"}],
        nodeSelector={"zone": "a"},
        hostIPC=True,
    )
    given["metadata"] = {"labels": {"app": "x"}}

    made_pod = gpu_pod(given, nodes=NODES)
    assert made_pod["metadata"] == {"labels": {"app": "x", "talos-gpu/class": "default"}}
    assert made_pod["spec"]["hostIPC"] is True
    assert made_pod["spec"]["tolerations"][0] == {"key": "mine", "operator": "Exists"}
    assert made_pod["spec"]["nodeSelector"] == {"zone": "a", "role": "gpu"}
    main = made_pod["spec"]["containers"][0]
    assert main["env"] == [{"name": "A", "value": "b"}]
    assert main["resources"] == {
        "limits": {"memory": "8Gi", "nvidia.com/gpu": 1},
        "requests": {"cpu": "1", "nvidia.com/gpu": 1},
        "claims": [],
    }


def test_a_toleration_that_the_template_has_is_not_added_again():
    nodes = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")], labels={"role": "gpu"})
    given = [nodes.tolerations[1]]

    assert made(template(tolerations=given), nodes)["tolerations"] == [nodes.tolerations[1], nodes.tolerations[0]]


def test_containers_without_a_gpu_see_none():
    given = template(container("main"), container("side", env=[{"name": "A", "value": "b"}]), initContainers=[container("init")])
    spec = made(given, container="main")

    assert "env" not in spec["containers"][0]
    assert spec["containers"][1]["env"] == [{"name": "A", "value": "b"}, VOID]
    assert spec["initContainers"][0]["env"] == [VOID]


@pytest.mark.parametrize("resource", ["nvidia.com/gpu", "nvidia.com/gpu.shared", "nvidia.com/mig-1g.5gb"])
def test_an_init_container_with_a_gpu_of_its_own_keeps_it(resource):
    init = container("init", resources={"limits": {resource: 1}})

    assert made(template(initContainers=[init]))["initContainers"] == [init]


@pytest.mark.parametrize("amount", [0, "0", "0.0", 0.0, "0m", "0Gi"])
def test_an_amount_of_no_gpu_shows_no_gpu(amount):
    side = container("side", resources={"limits": {"nvidia.com/gpu": amount}})

    assert made(template(container("main"), side), container="main")["containers"][1]["env"] == [VOID]


def test_a_second_container_is_given_gpus_by_a_second_call():
    first = gpu_pod(template(container("a"), container("b"), container("c")), nodes=NODES, container="a")
    a, b, c = made(first, container="b")["containers"]

    assert (a["resources"]["limits"], b["resources"]["limits"]) == ({"nvidia.com/gpu": 1}, {"nvidia.com/gpu": 1})
    assert (env_of(a), env_of(b), env_of(c)) == ({}, {}, {"NVIDIA_VISIBLE_DEVICES": "void"})


def test_an_affinity_of_the_templates_holds_beside_the_nodes():
    preferred = [{"weight": 1, "preference": {"matchExpressions": [exists("fast")]}}]
    given = affinity([exists("ssd")], [exists("nvme")])
    given["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] = preferred
    given["podAntiAffinity"] = {REQUIRED: []}

    found = made(template(affinity=given), UNLABELLED)["affinity"]
    assert found["podAntiAffinity"] == {REQUIRED: []}
    assert found["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"] == preferred
    assert found["nodeAffinity"][REQUIRED] == {
        "nodeSelectorTerms": [
            {"matchExpressions": [exists(disk), nodes]} for disk in ("ssd", "nvme") for nodes in (LTS, PRODUCTION, PRESENT)
        ]
    }


@pytest.mark.parametrize("field", ["affinity", "tolerations", "nodeSelector", "runtimeClassName", "initContainers"])
def test_a_field_that_yaml_left_empty_is_as_if_it_were_not_there(field):
    spec = made(template(**{field: None}), UNLABELLED)
    wanted = made(template(), UNLABELLED)

    assert {key: value for key, value in spec.items() if value is not None} == wanted


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": None}}},
        {"nodeAffinity": None},
        {"nodeAffinity": {REQUIRED: None}},
        {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": None}]}}},
    ],
)
def test_an_affinity_that_yaml_left_empty_becomes_the_nodes(given):
    assert made(template(affinity=given), UNLABELLED)["affinity"] == UNLABELLED.node_affinity


@pytest.mark.parametrize("given", [{"limits": {"nvidia.com/gpu": "1"}}, {"requests": {"nvidia.com/gpu": 1}}, {"limits": None}, None])
def test_the_same_gpus_or_none_may_stand_in_the_template(given):
    resources = made(template(container(resources=given)))["containers"][0]["resources"]

    assert resources == {"limits": {"nvidia.com/gpu": 1}, "requests": {"nvidia.com/gpu": 1}}


def test_a_fraction_of_a_gpu_is_refused_with_what_shares_one():
    assert message(lambda: made(template(), gpus=0.5)) == (
        "'gpus' must be a whole number of at least 1 (got 0.5); to share a GPU set 'sharing' on GpuNodes"
    )


@pytest.mark.parametrize(
    ("given", "error"),
    [(1.0, ValueError), (0, ValueError), (-1, ValueError), (True, TypeError), ("1", TypeError), (None, TypeError)],
)
def test_gpus_are_a_whole_number(given, error):
    then = "did you mean 1?" if repr(given) in ("1.0", "'1'") else "to share a GPU set 'sharing' on GpuNodes"
    expected = f"'gpus' must be a whole number of at least 1 (got {given!r}); {then}"
    assert message(lambda: made(template(), gpus=given), error) == expected


def test_more_gpus_than_a_node_offers_are_refused():
    nodes = GpuNodes(talos_version="1.12", gpus_per_node=2)

    assert made(template(), nodes, gpus=2)["containers"][0]["resources"]["limits"] == {"nvidia.com/gpu": 2}
    assert message(lambda: made(template(), nodes, gpus=3)) == (
        "'gpus' must be at most 2, the number that one node offers (got 3); the pod would stay Pending; see 'gpus_per_node' of GpuNodes"
    )


def test_more_than_one_share_is_refused_where_the_plugin_refuses_it():
    nodes = GpuNodes(talos_version="1.12", sharing=TimeSlicing(replicas=5, fail_requests_greater_than_one=True))

    assert message(lambda: made(template(), nodes, gpus=2)) == (
        "'gpus' must be 1 on these nodes (got 2); "
        "'fail_requests_greater_than_one' of 'sharing' refuses more than one share: two shares are no more of a GPU than one"
    )


@pytest.mark.parametrize(("nodes", "got"), [(None, "None"), ("1.12", "'1.12'"), (GpuNodes, "the class GpuNodes")])
def test_nodes_are_a_gpu_nodes(nodes, got):
    assert message(lambda: made(template(), nodes), TypeError) == f"'nodes' must be a GpuNodes (got {got})"


@pytest.mark.parametrize(
    ("name", "error", "expected"),
    [
        (None, ValueError, "the name of a container when the pod has several (got None); the pod has 'main', 'side'"),
        ("mian", ValueError, "the name of a container of this pod, 'main', 'side' (got 'mian'); did you mean 'main'?"),
        ("x", ValueError, "the name of a container of this pod, 'main', 'side' (got 'x')"),
        ("", ValueError, "a string that is not empty (got '')"),
        (0, TypeError, "a string that is not empty (got 0)"),
    ],
)
def test_a_container_is_named_by_one_of_the_pods_names(name, error, expected):
    given = template(container("main"), container("side"))

    assert message(lambda: made(given, container=name), error) == f"'container' must be {expected}"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"spec": None},
        {"spec": {}},
        {"spec": {"containers": []}},
        {"spec": {"template": template()}},
    ],
)
def test_what_has_no_containers_is_no_pod_template(given):
    assert message(lambda: made(given)) == (
        f"'template' must be a pod template with containers in its 'spec' (got {given!r}); "
        "give 'spec.template' of a workload, not the workload or its 'spec'"
    )


@pytest.mark.parametrize("given", [None, "spec", [template()], 5])
def test_what_is_no_mapping_is_no_pod_template(given):
    assert message(lambda: made(given), TypeError) == f"'template' must be a pod template (got {given!r})"


@pytest.mark.parametrize("section", ["limits", "requests"])
@pytest.mark.parametrize(("resource", "amount"), [("nvidia.com/gpu", 2), ("nvidia.com/gpu.shared", 1), ("nvidia.com/mig-1g.5gb", 1)])
def test_other_gpus_in_the_template_are_refused(section, resource, amount):
    given = template(container(resources={section: {resource: amount}}))

    assert message(lambda: made(given)) == (
        f"'template' must be without another GPU in its {section} than nvidia.com/gpu: 1 (got '{resource}: {amount}'); leave the other GPU out"
    )


def test_a_network_device_of_nvidias_is_no_gpu():
    given = template(container(resources={"limits": {"nvidia.com/hostdev": 1}}))

    assert made(given)["containers"][0]["resources"]["limits"] == {"nvidia.com/hostdev": 1, "nvidia.com/gpu": 1}


@pytest.mark.parametrize("value", ["all", "0", "", "none"])
@pytest.mark.parametrize("where", ["containers", "initContainers"])
def test_visible_devices_are_refused_wherever_they_stand(where, value):
    given = template(initContainers=[container("init")])
    given["spec"][where][0]["env"] = [{"name": "NVIDIA_VISIBLE_DEVICES", "value": value}]

    name = given["spec"][where][0]["name"]
    assert message(lambda: made(given)) == f"'template' must be without NVIDIA_VISIBLE_DEVICES (got '{value} in {name}'); {VISIBLE}"


def test_another_runtime_class_is_refused():
    assert message(lambda: made(template(runtimeClassName="kata"))) == (
        "'template' must be without another runtimeClassName than 'nvidia' (got 'kata'); "
        "'nvidia' is the only handler of NVIDIA's that Talos registers"
    )


def test_any_runtime_class_is_refused_on_the_preview():
    nodes = preview()

    assert message(lambda: made(template(runtimeClassName="nvidia"), nodes)) == (
        "'template' must be without a runtimeClassName on Talos 1.15, whose containerd injects GPUs by CDI (got 'nvidia'); leave runtimeClassName out"
    )


def test_another_value_of_a_selected_label_is_refused():
    assert message(lambda: made(template(nodeSelector={"role": "cpu"}))) == (
        "'template' must be without another value for the node label role than 'gpu' (got 'cpu'); no node matches both values"
    )
