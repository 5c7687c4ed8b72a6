"""The short form of a cluster file: what follows from it, and the places of its errors."""

import pytest
import yaml

from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.fleet import page_classes, page_of
from constructs_lib.clusters.synthesis import synthesize
from constructs_lib.clusters.talos_outputs import entry_keys
from constructs_lib.nodes.file_classes import OF_THE_MACHINE
from constructs_lib.nodes.nodes_file import read_nodes
from constructs_lib.talos import ControlPlanePatch, MachineConfigPatch, Schematic
from constructs_lib.upstream.nvidia.written_cards import usual_name

HOME = """\
talos: 1.14.6
nodes: {gpu-1: {card: RTX 4090, address: 192.168.1.21}}
workloads:
  smoke-test: {recipe: CudaSmokeTest}
  ollama: {recipe: Ollama, nodes: gpu-1, models: ["llama3.1:8b"]}
"""


def made(text):
    ((_, description),) = ClusterFile("home.yaml", text).clusters()
    return description, synthesize(description, lambda _: "")


def stack(text):
    description, result = made(text)
    assert not result.errors, result.errors
    return description.get("charts", {}).get("gpu", {}).get("objects", {}).get("stack", {}).get("GpuStack")


def kinds(result, name):
    return [each["kind"] for each in result.objects[f"manifests/{name}.k8s.yaml"]]


def test_a_card_and_a_program_are_a_whole_cluster():
    _, result = made(HOME)

    assert (result.errors, result.violations, result.warnings) == ((), (), ())
    assert kinds(result, "gpu") == ["RuntimeClass", "ServiceAccount", "ConfigMap", "DaemonSet"]
    assert kinds(result, "workloads") == ["Namespace", "Job", "PersistentVolumeClaim", "Deployment", "Service", "Job"]
    assert [name for name in result.files if name.startswith("talos/")] == [
        "talos/schematic.yaml",
        "talos/installer-image.txt",
        "talos/machine-config.yaml",
    ]


def test_what_followed_has_its_reason():
    _, result = made(HOME)

    assert result.followed[0] == (
        "stack: standalone, because the device plugin alone serves the cards on Talos 1.14; stack: operator is the other route"
    )
    assert "gpu-1: open kernel modules, because RTX 4090 is Ada" in result.followed
    assert "gpu-1: 24Gi of memory for each card, that of RTX 4090" in result.followed
    assert result.followed[-1] == "workloads: namespace workloads, which the file makes; 'namespace' of a workload names another"


def test_a_model_that_is_not_known_is_among_what_followed_and_no_warning():
    _, result = made(HOME.replace('"llama3.1:8b"', '"llama3.1:8b", mine'))

    assert (result.errors, result.warnings) == ((), ())
    assert (
        "ollama: mine is not compared with the memory of the GPU, because the catalogue of models does not know it; give fits=Model(…)"
        in result.followed
    )


def test_a_model_that_is_too_large_for_the_card_is_an_error_at_its_place():
    _, result = made(
        HOME.replace('recipe: Ollama, nodes: gpu-1, models: ["llama3.1:8b"]', "recipe: Vllm, model: meta-llama/Llama-3.3-70B-Instruct")
    )

    (error,) = result.errors
    assert error.path == ("workloads", "ollama")
    assert "'model' must be a model that needs at most 21.6 GiB of each GPU" in str(error.error)


def test_what_the_file_says_does_not_follow():
    text = HOME.replace("card: RTX 4090", "card: RTX 4090, kernel_modules: open, driver_track: production, memory: 24Gi")
    _, result = made(text.replace("nodes: {", "stack: standalone\nnodes: {", 1).replace("recipe: Ollama", "namespace: ai, recipe: Ollama"))

    assert not [each for each in result.followed if each.startswith("stack:") or "kernel modules, " in each or "of memory" in each]


def test_the_page_has_what_followed_the_address_and_the_proof():
    description, result = made(HOME)
    page = page_of("home", result, page_classes(description, "home.yaml"))

    assert "talosctl --nodes 192.168.1.21 get extensions" in page
    assert "--nodes ADDRESS" not in page
    assert "wait --for=condition=complete job/smoke-test-" in page
    assert "as its last line `passed all`" in page
    assert "- gpu-1: open kernel modules, because RTX 4090 is Ada\n" in page.partition("## Decisions")[2]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", {"monitoring": False, "operator": False, "discovery": False}),
        ("stack: standalone\n", {"monitoring": False, "operator": False, "discovery": False}),
        ("gitops: flux\n", {"monitoring": False, "operator": False, "delivery": {"Flux": {}}}),
        ("stack: operator\ngitops: argocd\n", {"monitoring": False, "operator": True, "delivery": {"ArgoCd": {}}}),
        ("stack: {operator: true, monitoring: true}\ngitops: flux\n", {"monitoring": True, "operator": True, "delivery": {"Flux": {}}}),
        ("stack: none\n", None),
        ("charts: {a: {objects: {b: {NvidiaRuntimeClass: {}}}}}\n", None),
    ],
)
def test_the_stack_is_that_of_the_file_or_follows(more, expected):
    assert stack(f"talos: 1.14.6\nnodes: {{gpu: }}\n{more}") == expected


@pytest.mark.filterwarnings("ignore")
def test_on_a_talos_without_a_toolkit_the_operator_follows_with_the_reason():
    description, _ = made("talos: 1.15.0-beta.0\ngitops: flux\nnodes: {gpu: }\n")

    assert description["charts"]["gpu"]["objects"]["stack"]["GpuStack"]["operator"] is True
    assert description.notes[0].startswith("stack: operator, the only route that is known for Talos 1.15, because ")


def test_cards_of_virtual_machines_have_no_stack():
    description, _ = made("talos: 1.14.6\nnodes: {vm: {passthrough: {pci_ids: ['10de:2204']}}}\n")

    assert "charts" not in description
    assert description.notes[0].startswith("stack: none, because the cards of all nodes belong to virtual machines")


def test_a_release_without_its_patch_has_no_talos_files_and_says_so():
    description, result = made("talos: '1.14'\nnodes: {gpu: }\n")

    assert not [name for name in result.files if name.startswith("talos/")]
    assert "Talos files: none of gpu, because an image is of one release and Talos 1.14 names no patch" in result.followed
    assert not [name for name in made("talos: 1.14.6\nnodes: {gpu: {talos_files: false}}\n")[1].files if name.startswith("talos/")]
    assert description.aliases == {"gpu": None}


def test_nodes_that_are_described_alike_are_one_class_and_the_file_says_so():
    text = "talos: 1.14.6\nnodes: {a: {card: L4, address: 10.0.0.1}, b: {card: L4, address: 10.0.0.2}, c: {card: A2}}\nstack: none\n"
    _, result = made(text)

    assert "a: one class of 2 nodes with b, because the file describes them alike" in result.followed
    assert sorted(name for name in result.files if name.endswith("schematic.yaml")) == ["talos/a-schematic.yaml", "talos/c-schematic.yaml"]


def test_a_workload_has_its_namespace_and_the_parts_beside_it():
    text = HOME + "  chat: {image: 'a/b:1', port: 80, namespace: ai, expose: {hostname: a.example.com, gateway: g}, isolate: }\n"
    _, result = made(text)

    assert kinds(result, "ai") == ["Namespace", "Deployment", "Service", "HTTPRoute", "NetworkPolicy"]


def test_a_namespace_that_a_chart_makes_or_every_cluster_has_is_not_made_again():
    charts = "charts: {mine: {namespace: ai, create_namespace: true, objects: {}}}\n"
    _, result = made(f"talos: '1.14'\nnodes: {{gpu: }}\nworkloads: {{a: {{image: 'a/b:1', namespace: ai}}}}\n{charts}")
    _, other = made("talos: '1.14'\nnodes: {gpu: }\nworkloads: {a: {image: 'a/b:1', namespace: default}}\n")

    assert kinds(result, "ai") == ["Deployment"]
    assert kinds(other, "default") == ["Deployment"]


def test_the_keys_of_a_class_for_its_image_are_the_arguments_of_the_image_and_the_configuration():
    from constructs_lib.clusters.argument_types import arguments_of

    arguments = [*arguments_of(Schematic), *arguments_of(MachineConfigPatch), "platform", "secureboot", "omni", "talconfig"]
    assert list(entry_keys()) == list(dict.fromkeys(arguments))
    assert entry_keys()[1:] == OF_THE_MACHINE


def test_the_nodes_of_the_file_are_those_that_python_reads():
    assert list(made(HOME)[1].nodes) == read_nodes(HOME)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("4090", "RTX 4090"),
        ("rtx 4090", "RTX 4090"),
        ("3060 ti", "RTX 3060 Ti"),
        ("GPU 0: NVIDIA GeForce RTX 4090 (UUID: GPU-1)", "NVIDIA GeForce RTX 4090"),
        ("01:00.0 VGA compatible controller [0300]: NVIDIA Corporation AD102 [GeForce RTX 4090] [10de:2684] (rev a1)", "GeForce RTX 4090"),
        ("10.0.0.1   hardware   PCIDevice   0000:01:00.0   1   Display controller   NVIDIA Corporation   GP102GL [Tesla P40]", "Tesla P40"),
        ("3060ti", "RTX 3060 Ti"),
        ("a2000", "RTX A2000"),
        ("1080", "GTX 1080"),
        ("2070 super", "RTX 2070 Super"),
        ("L4", "L4"),
        ("NVIDIA-GeForce-RTX-4090", "NVIDIA-GeForce-RTX-4090"),
        ("Rivatwo", "Rivatwo"),
        ("", ""),
    ],
)
def test_a_card_is_known_as_people_write_it(written, name):
    assert usual_name(written) == name


SWAPPED = """\
talos: 1.14.6
nodes:
  a: {name: b, card: Tesla P40, extensions: [siderolabs/i915]}
  b: {name: a, card: RTX 4090, extensions: [siderolabs/iscsi-tools]}
"""


def test_a_class_has_its_own_image_also_where_its_name_is_the_key_of_another():
    ((_, description),) = ClusterFile("cluster.yaml", SWAPPED).clusters()
    files = synthesize(description, lambda _: "", with_checks=False).files

    assert "i915" in files["talos/b-schematic.yaml"]
    assert "iscsi-tools" in files["talos/a-schematic.yaml"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("workloads: {o: {recipe: Ollama, namespace: gpu}}", "'namespace' must be another namespace than that of the file of 'stack' (got 'gpu')"),
        ("workloads: {c: {image: a/b:1, isolate: {}}, c-isolate: {image: a/b:1}}", "'workloads' must be other names than that of 'isolate' of 'c' (got 'c-isolate')"),
        ("stack: {operator: true, delivery: {ArgoCd: {}}}\ngitops: flux", "'gitops' must be left out beside 'delivery' of 'stack' (got 'flux')"),
    ],
)  # fmt: skip
def test_what_would_be_lost_without_a_word_is_refused(text, words):
    ((_, description),) = ClusterFile("cluster.yaml", f"talos: 1.14.6\nnodes: {{gpu: {{card: L4}}}}\n{text}\n").clusters()

    assert [str(each.error) for each in description.errors] == [words]


def test_an_address_belongs_to_one_node():
    ((_, description),) = ClusterFile("cluster.yaml", "talos: 1.14.6\nnodes: {a: {address: 10.0.0.5}, b: {address: 10.0.0.5}}\n").clusters()

    assert [str(each.error) for each in description.errors] == ["'nodes.a.address' must be one that no other node has (got '10.0.0.5')"]


GANG = """\
talos: 1.14.6
nodes: {gpu: {card: H100 SXM5, cards: 8, count: 2}}
workloads: {train: {recipe: GpuGang, image: 'a/b:1', namespace: ai, kind: JobSet, size: 2, gpus: 8, %s}}
"""


def test_a_gang_of_kubernetes_itself_brings_the_patch_of_the_control_plane_and_its_step():
    description, native = made(GANG % "pod_group: true")

    needed = ControlPlanePatch(
        talos_version="1.14", kubernetes_version="1.37", feature_gates=["GenericWorkload"], runtime_config=["scheduling.k8s.io/v1beta1"]
    )
    assert native.files["talos/control-plane.yaml"] == needed.text
    steps = page_of("home", native, page_classes(description, "home.yaml")).partition(
        "Apply the features of Kubernetes to each control-plane node."
    )[2]
    features, _, configuration = steps.partition("Apply the machine configuration to each node of the class")
    assert "They need Kubernetes 1.37 or newer. On a cluster that was upgraded from Talos 1.13" in features
    assert "talosctl --nodes CONTROL_PLANE patch machineconfig --patch @talos/control-plane.yaml\n" in features
    assert "--patch @talos/machine-config.yaml\n" in configuration
    assert "control-plane.yaml" not in configuration.partition("```\n\n")[0]


def test_a_gang_that_kubernetes_does_not_know_brings_no_patch_of_the_control_plane():
    description, queued = made(GANG % "queue: gpus")

    assert "talos/control-plane.yaml" not in queued.files
    assert "control-plane node" not in page_of("home", queued, page_classes(description, "home.yaml"))


def test_the_file_says_how_the_patch_of_the_control_plane_is_written():
    own = "control_plane: {style: fields, feature_gates: [GenericWorkload, DRADeviceTaintRules], kubernetes_version: '1.37'}"
    description, native = made(GANG % "pod_group: true" + own)

    needed = ControlPlanePatch(
        talos_version="1.14",
        kubernetes_version="1.37",
        feature_gates=["GenericWorkload", "DRADeviceTaintRules"],
        runtime_config=["scheduling.k8s.io/v1beta1"],
        style="fields",
    )
    assert native.files["talos/control-plane.yaml"] == needed.text
    assert "was upgraded from Talos 1.13" not in page_of("home", native, page_classes(description, "home.yaml"))


def test_features_of_the_control_plane_need_no_workload_and_no_talos_files_of_nodes():
    text = "talos: '1.13'\nnodes: {gpu: {card: L4}}\ncontrol_plane: {feature_gates: [DRADeviceTaintRules], kubernetes_version: '1.36'}\n"
    _, result = made(text)

    assert [name for name in result.files if name.startswith("talos/")] == ["talos/control-plane.yaml"]
    assert "      runtime-config: resource.k8s.io/v1beta2=true\n" in result.files["talos/control-plane.yaml"]


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (
            "{kubernetes_version: '1.36'}",
            "must be at least '1.37' (got '1.36'); other parts of the file need this Kubernetes",
        ),
        (
            "{gates: [A]}",
            "must be a key of 'control_plane' (got ['A']); the keys are 'feature_gates', 'kubernetes_version', 'runtime_config', 'style'",
        ),
        ("{style: field}", "must be one of 'fields', 'documents' (got 'field'); did you mean 'fields'?"),
        ("[A]", "must be a mapping (got ['A'])"),
    ],
)
def test_what_the_control_plane_does_not_take_is_refused_at_its_place(own, words):
    description = next(iter(ClusterFile("cluster.yaml", GANG % "pod_group: true" + f"control_plane: {own}").clusters()))[1]
    (error,) = synthesize(description, str).errors

    assert error.path[0] == "control_plane"
    assert str(error.error).partition(" ")[2] == words


L4 = "talos: '%s'\nnodes: {gpu: {card: L4%s}}\ncontrol_plane: {feature_gates: [DRADeviceTaintRules], kubernetes_version: '%s'}\n"
DRIVER = "stack: {delivery: {Flux: {}}, driver: {kubernetes_version: '%s', kubernetes_feature_gates: [DRAExtendedResource]}}\n"
BY_CLAIM = ", count: 2, dra: {extended_resource: true}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            L4 % ("1.13", "", "1.37"),
            "'kubernetes_version' must be one that Talos 1.13 runs, from '1.31' to '1.36' (got '1.37')",
        ),
        (
            L4 % ("1.14.6", BY_CLAIM, "1.35") + DRIVER % "1.36",
            "'kubernetes_version' must be at least '1.36' (got '1.35'); other parts of the file need this Kubernetes",
        ),
        (
            GANG.replace("count: 2", "count: 2, dra: {extended_resource: true}") % "pod_group: true" + DRIVER % "1.35",
            "'kubernetes_version' must be at least '1.37' for the DRA driver (got '1.35'); other parts of the file need this Kubernetes",
        ),
    ],
)
def test_a_kubernetes_that_contradicts_the_talos_or_another_part_is_refused(text, expected):
    errors = synthesize(next(iter(ClusterFile("cluster.yaml", text).clusters()))[1], str).errors

    assert [str(each.error) for each in errors] == [expected]


def test_a_kubelet_gate_of_the_class_stands_beside_those_that_the_driver_needs():
    text = BY_LIMIT.replace("{extended_resource: true}}", "{extended_resource: true}, kubelet_feature_gates: [ResourceHealthStatus]}")
    _, result = made(text % ("1.13.9", "1.35"))

    machine = yaml.safe_load(result.files["talos/gpu-machine-config.yaml"])["machine"]
    assert machine["kubelet"]["extraArgs"] == {"feature-gates": "ResourceHealthStatus=true,DRAExtendedResource=true"}


def test_features_of_the_control_plane_without_one_are_refused():
    text = "talos: '1.13'\nnodes: {gpu: {card: L4}}\ncontrol_plane: {style: fields}\n"
    (error,) = synthesize(next(iter(ClusterFile("cluster.yaml", text).clusters()))[1], str).errors

    assert str(error.error) == (
        "'feature_gates' must be a list of at least one feature gate (got []); without one the control plane needs no patch"
    )


BY_LIMIT = """\
talos: %s
nodes: {gpu: {cards: 2, count: 2, taints: [dedicated=ai:NoSchedule], dra: {extended_resource: true}}, old: {cards: 1, count: 1}}
stack: {delivery: {Flux: {}}, driver: {kubernetes_version: '%s', kubernetes_feature_gates: [DRAExtendedResource]}}
workloads: {ollama: {recipe: Ollama, namespace: ai, nodes: gpu}}
"""
GATE = "feature-gates: DRAExtendedResource=true\n"


def test_a_kubernetes_that_has_limits_by_dra_off_gets_the_gate_in_the_control_plane_and_in_the_kubelets_of_the_class():
    _, result = made(BY_LIMIT % ("1.13.9", "1.35"))

    assert not result.errors, result.errors
    assert result.files["talos/control-plane.yaml"].count(GATE) == 3
    assert "ResourceClaimTemplate" not in kinds(result, "ai")
    machine = yaml.safe_load(result.files["talos/gpu-machine-config.yaml"])["machine"]
    assert machine["kubelet"]["extraArgs"] == {"feature-gates": "DRAExtendedResource=true"}
    assert machine["kubelet"]["extraConfig"]["registerWithTaints"] == [{"key": "dedicated", "value": "ai", "effect": "NoSchedule"}]
    assert GATE not in result.files["talos/old-machine-config.yaml"]
    document = yaml.safe_load_all(made(BY_LIMIT % ("1.14.6", "1.35"))[1].files["talos/gpu-machine-config.yaml"])
    assert {"apiVersion": "v1alpha1", "kind": "KubeletConfig", "extraArgs": {"feature-gates": "DRAExtendedResource=true"}} in list(document)


def test_a_kubernetes_that_has_limits_by_dra_on_gets_no_gate():
    _, result = made(BY_LIMIT % ("1.14.6", "1.36"))

    assert not result.errors, result.errors
    assert "talos/control-plane.yaml" not in result.files
    assert GATE not in "".join(result.files.values())
