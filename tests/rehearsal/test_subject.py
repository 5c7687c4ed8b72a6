"""What a rehearsal is about: a cluster file, or files with manifests and the classes of nodes."""

import pytest
from fake_cluster import options_of

from conftest import ROOT
from talos_gpu_rehearsal.classes import other_node, rehearsed_nodes
from talos_gpu_rehearsal.scene import scene_of
from talos_gpu_rehearsal.subject import subject_of

CLUSTER = """\
talos: "1.13.9"
nodes: {gpu: {card: A100, cards: 2, mig_devices: {1g.5gb: 7}, memory: 40Gi, labels: {role: gpu}}}
charts:
  gpu:
    namespace: gpu
    objects:
      stack: {GpuStack: {}}
      app: {GpuWorkload: {image: "a/b:1", profile: 1g.5gb}}
"""


def subject(*words):
    return subject_of(options_of(*words))


@pytest.fixture
def cluster_file(tmp_path):
    path = tmp_path / "prod.yaml"
    path.write_text(CLUSTER)
    return path


def test_nodes_machine_configuration_and_objects_follow_from_a_cluster_file(cluster_file):
    found = subject(cluster_file)
    (node,) = rehearsed_nodes(found)

    assert (found.name, node.name, node.talos) == ("prod", "gpu-1", "1.13.9")
    assert node.cards == "2 x NVIDIA A100-SXM4-40GB (40960 MiB, MIG 1g.5gb x 7)"
    assert node.machine_config[0]["machine"]["nodeLabels"] == {"role": "gpu"}
    assert {"DaemonSet", "Deployment", "RuntimeClass"} <= {each["kind"] for each in found.objects}


def test_a_folder_needs_the_classes_of_its_nodes():
    with pytest.raises(ValueError, match=r"^a cluster file must be given with manifests: "):
        subject(ROOT / "dist/standalone-shared")


def test_a_cluster_file_describes_its_nodes_itself(cluster_file):
    with pytest.raises(ValueError, match=r"^--talos must be left out beside the cluster file "):
        subject(cluster_file, "--talos", "1.13.9")


def test_an_error_in_a_cluster_file_names_its_line(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("nodes: {gpu: {talos: 1.13.9}}\ncharts:\n  a: {objects: {b: {GpuWorkload: {}}}}\n")

    with pytest.raises(ValueError, match=r"a\.yaml:3: charts\.a\.objects\.b: 'image' must be"):
        subject(path)


def test_a_file_of_several_clusters_needs_the_name_of_one(tmp_path):
    path = tmp_path / "fleet.yaml"
    path.write_text("nodes: {gpu: {talos: 1.13.9}}\nclusters: {a: {}, b: {}}\n")

    with pytest.raises(ValueError, match=r"'class' must be a cluster of .*, 'a', 'b', or a class of one"):
        subject(path)
    assert subject(path, "--class", "b").name == "b"


def test_an_object_with_a_value_that_another_tool_fills_in_is_left_out_and_a_dashboard_with_braces_is_not(tmp_path):
    (tmp_path / "a.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: dashboard}\ndata: {a: 'use {{gpu}}'}\n---\n"
        "apiVersion: v1\nkind: Secret\nmetadata: {name: token}\nstringData: {a: '${TOKEN}'}\n"
    )

    found = subject(tmp_path, "--talos", "1.13.9")

    assert [each["metadata"]["name"] for each in found.objects] == ["dashboard"]
    assert [(each.what, each.why) for each in found.left_out] == [("Secret token", "another tool fills in '${TOKEN}'")]


def test_in_place_of_the_operator_a_plugin_of_this_library_advertises_the_gpus():
    found = subject(ROOT / "dist/operator-flux", "--talos", "1.12.11", "--label", "nvidia.com/gpu.present=true", "--time-slicing", "2")
    nodes = rehearsed_nodes(found)
    scene = scene_of(found, nodes)

    assert "HelmRelease flux-system/gpu-operator" in [each.what for each in found.left_out]
    assert nodes[0].labels["nvidia.com/gpu.present"] == "true"
    agents = {each["metadata"]["name"] for each in scene.objects if each["kind"] == "DaemonSet"}
    assert {"nvidia-device-plugin", "nvidia-device-plugin-gpu-feature-discovery", "nfd-worker"} <= agents
    assert scene.stand_ins[0].startswith("the chart gpu-operator, which nothing here installs: ")


def test_on_talos_1_15_nothing_stands_for_the_operator_and_the_plan_says_that_pods_wait(tmp_path):
    file = tmp_path / "cluster.yaml"
    file.write_text(
        "nodes: {gpu: {talos: 1.15.0}}\n"
        "charts: {gpu: {namespace: gpu-operator, objects: {operator: {NvidiaGpuOperator: {delivery: {Flux: {}}}}}}}\n"
    )
    found = subject(file)
    said = " ".join(scene_of(found, rehearsed_nodes(found)).stand_ins)
    assert "alone serves the GPU nodes on Talos 1.15: pods wait for its GPUs" in said


DRA = """\
talos: "1.14.0"
nodes: {gpu: {card: L4, cards: 2, labels: {role: gpu}, taints: ["dedicated=ai:NoSchedule"], dra: SHARE}}
charts:
  gpu:
    objects: {DRIVER}
  ai:
    namespace: ai
    create_namespace: true
    objects:
      app: {GpuWorkload: {image: "a/b:1"}}
"""


def scene_with_claims(tmp_path, driver, share="{}"):
    (tmp_path / "cluster.yaml").write_text(DRA.replace("{DRIVER}", driver).replace("SHARE", share))
    found = subject(tmp_path / "cluster.yaml")
    return scene_of(found, rehearsed_nodes(found))


def test_in_place_of_its_chart_the_dra_driver_runs_by_the_values_of_its_release(tmp_path):
    values = "{featureGates: {NVMLDeviceHealthCheck: true, DRAListTypeAttributes: true}}"
    driver = f"{{driver: {{DraDriver: {{delivery: {{Flux: {{}}}}, values: {values}}}}}}}"

    scene = scene_with_claims(tmp_path, driver, "{share: time-slicing}")
    (agent,) = (each for each in scene.objects if each["kind"] == "DaemonSet")
    spec = agent["spec"]["template"]["spec"]
    variables = {each["name"]: each.get("value") for each in spec["containers"][0]["env"]}

    assert agent["metadata"]["namespace"] == "dra-driver-nvidia-gpu"
    assert variables["NVIDIA_DRIVER_ROOT"] == "/usr/local"
    assert variables["FEATURE_GATES"].split(",") == ["TimeSlicingSettings=true", "NVMLDeviceHealthCheck=true"]
    assert "dedicated" in [each["key"] for each in spec["tolerations"]]
    (term,) = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term["matchExpressions"] == [{"key": "role", "operator": "In", "values": ["gpu"]}]
    assert [each["metadata"]["name"] for each in scene.objects if each["kind"] == "DeviceClass"] == ["gpu.nvidia.com", "mig.nvidia.com"]
    assert any(each.startswith("the chart dra-driver-nvidia-gpu 0.5.0 (") for each in scene.stand_ins)


def test_without_the_dra_driver_the_plan_says_that_claims_wait(tmp_path):
    said = scene_with_claims(tmp_path, "{}").stand_ins

    assert "no file has the DRA driver, which alone serves the claims of the GPU nodes: their pods wait" in said


def test_of_consumable_shares_the_plan_says_that_the_built_driver_does_not_know_them(tmp_path):
    driver = "{driver: {DraDriver: {delivery: {Flux: {}}}}}"
    scene = scene_with_claims(tmp_path, driver, "{share: consumable, shares: 4}")
    (agent,) = (each for each in scene.objects if each["kind"] == "DaemonSet")

    assert "ConsumableShares" not in str(agent)
    assert "a claim of the GPU nodes takes a whole GPU, and further claims wait" in " ".join(scene.stand_ins)


def test_a_plugin_of_the_files_needs_no_other():
    found = subject(ROOT / "dist/standalone-shared", "--talos", "1.12.11", "--label", "nvidia.com/gpu.present=true")

    assert "StandaloneDevicePlugin" not in " ".join(scene_of(found, rehearsed_nodes(found)).stand_ins)


def test_in_place_of_its_chart_node_feature_discovery_runs_in_the_namespace_of_the_release_and_takes_its_rules():
    found = subject(ROOT / "dist/standalone-shared", "--talos", "1.12.11", "--label", "nvidia.com/gpu.present=true")
    scene = scene_of(found, rehearsed_nodes(found))
    programs = {
        each["metadata"]["name"]: each["metadata"]["namespace"] for each in scene.objects if each["kind"] in ("Deployment", "DaemonSet")
    }

    assert programs["nfd-master"] == programs["nfd-worker"] == "node-feature-discovery"
    assert "NodeFeatureRule" in [each["kind"] for each in found.objects]
    assert scene.with_discovery


def test_a_secret_that_no_file_has_stands_in_with_the_keys_that_pods_name_and_is_said():
    found = subject(ROOT / "dist/single-node-h100", "--talos", "1.14.0")
    scene = scene_of(found, rehearsed_nodes(found))
    secrets = {each["metadata"]["name"]: each["stringData"] for each in scene.objects if each["kind"] == "Secret"}

    assert secrets
    assert all(f"Secret vllm/{name}" in " ".join(scene.stand_ins) for name in secrets)


def test_each_class_has_a_node_with_the_cards_that_it_describes_and_says_what_it_had_to_choose(tmp_path):
    (tmp_path / "nodes.yaml").write_text(
        'talos: "1.14"\nnodes:\n'
        "  rtx: {card: RTX 4090, cards: 2}\n"
        "  mig: {mig_devices: [{1g.10gb: 7}, {}]}\n"
        '  vm: {passthrough: {pci_ids: ["10de:2204"]}}\n'
        "  any: {}\n"
    )
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
    found = rehearsed_nodes(subject(tmp_path / "a", tmp_path / "nodes.yaml"))

    assert [(each.name, each.cards) for each in found] == [
        ("rtx-1", "2 x NVIDIA GeForce RTX 4090 (24564 MiB)"),
        ("mig-1", "1 x NVIDIA A100-SXM4-80GB (81920 MiB, MIG 1g.10gb x 7), 1 x NVIDIA A100-SXM4-80GB (81920 MiB)"),
        ("any-1", "1 x NVIDIA GeForce RTX 4090 (24564 MiB)"),
    ]
    assert [len(each.assumed) for each in found] == [0, 1, 2]
    assert found[0].talos.startswith("1.14.")


def test_pods_that_tolerate_no_taint_of_the_gpu_nodes_get_a_node_of_their_own():
    front = {"kind": "Deployment", "spec": {"template": {"spec": {"containers": [{}]}}}}
    tolerant = {"kind": "Job", "spec": {"template": {"spec": {"containers": [{}], "tolerations": [{"key": "dedicated"}]}}}}
    agent = {"kind": "DaemonSet", "spec": {"template": {"spec": {"containers": [{}]}}}}
    words = ("--talos", "1.13.9", "--taint", "dedicated=ai:NoSchedule")
    tainted = rehearsed_nodes(subject(ROOT / "dist/standalone-shared", *words))

    assert other_node(tainted, [front, tolerant]).name == "other-1"
    assert other_node(tainted, [front]).cards == ()
    assert other_node(tainted, [tolerant, agent]) is None
    assert other_node(rehearsed_nodes(subject(ROOT / "dist/standalone-shared", *words[:2])), [front]) is None


@pytest.mark.parametrize(
    ("product", "memory", "card"),
    [
        ("H100 SXM5", "80Gi", "NVIDIA H100 80GB HBM3 (81559 MiB)"),
        ("NVIDIA-A100-SXM4-80GB", "80Gi", "NVIDIA A100-SXM4-80GB (81920 MiB)"),
        ("RTX 5070 Ti", "16Gi", "NVIDIA RTX 5070 Ti (15728 MiB)"),
        ("RTX 3090 Ti", "24Gi", "NVIDIA RTX 3090 Ti (23592 MiB)"),
    ],
)
def test_a_card_of_another_name_is_the_same_model_or_one_with_what_is_known_of_it(product, memory, card):
    words = ("--talos", "1.14.0", "--product", product, "--memory-per-gpu", memory, "--gpus-per-node", "1")

    assert rehearsed_nodes(subject(ROOT / "dist/standalone-shared", *words))[0].cards == f"1 x {card}"
