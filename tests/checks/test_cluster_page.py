"""The page about a cluster."""

import re
import shlex

import pytest
import yaml

from conftest import ROOT
from constructs_lib import Dra, GpuNodes, Passthrough, Taint, TimeSlicing, cluster_page
from constructs_lib.talos import Overlay, Schematic, SecureBoot

RTX = GpuNodes(
    talos_version="1.14.0",
    name="rtx",
    taints=[Taint("dedicated", "ai")],
    product="RTX 4090",
    gpus_per_node=2,
    count=2,
    sharing=TimeSlicing(replicas=4),
)


def workload(name="ollama", gpus=1, kind="Deployment", **metadata):
    resources = {"limits": {"nvidia.com/gpu": gpus}}
    pod = {
        "containers": [{"name": "a", "image": "a:1", "resources": resources}],
        "tolerations": [{"operator": "Exists"}],
        "nodeSelector": {"nvidia.com/device-plugin.config": "rtx"},
    }
    template = {"metadata": {"annotations": {"talos-gpu/gpu-memory": "8Gi"}}, "spec": pod}
    api = "batch/v1" if kind == "Job" else "apps/v1"
    return {
        "apiVersion": api,
        "kind": kind,
        "metadata": {"name": name, "namespace": "ai", **metadata},
        "spec": {"replicas": 1, "template": template},
    }


@pytest.fixture
def folder(tmp_path):
    """A folder with these files."""

    def write(**files):
        for name, content in files.items():
            text = content if isinstance(content, str) else yaml.safe_dump_all(content, sort_keys=False)
            (tmp_path / f"{name}.yaml").write_text(text)
        return tmp_path

    return write


def section(page, heading):
    return page.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].strip()


def diagram_lines(page):
    """The boxes and links of the diagram."""
    lines = [each.strip() for each in page.partition("```mermaid\n")[2].partition("```")[0].splitlines()]
    return [each for each in lines if not each.startswith(("%%", "flowchart", "class"))]


def test_the_sections_stand_in_the_order_in_which_an_engineer_needs_them(folder):
    page = cluster_page(folder(a=[workload()]), nodes=RTX, title="home")

    assert page.startswith("# home\n\nTalos 1.14.0 (the described nodes). ")
    assert re.findall(r"^## (.*)", page, re.MULTILINE) == ["Nodes", "Capacity", "Versions", "Apply", "Verify", "Upgrade", "Checks"]


def test_the_diagram_has_the_workload_with_its_request_and_the_class_with_cards_resource_and_taint(folder):
    page = cluster_page(folder(a=[workload(gpus=3)]), nodes=RTX)

    assert diagram_lines(page) == [
        'subgraph workloadGroup["Workloads"]',
        'workload0["<b>Deployment ai/ollama</b><br>3 x nvidia.com/gpu"]:::workload',
        "end",
        'subgraph nodesGroup["GPU nodes"]',
        'nodes0["<b>rtx</b><br>2 nodes<br>2 x RTX 4090, 24Gi each<br>offers 16 x nvidia.com/gpu<br>taint dedicated=ai:NoSchedule"]:::nodes',
        "end",
        "workload0 --> nodes0",
    ]


def test_the_diagram_shows_the_stack_with_the_classes_that_it_serves():
    rtx, h100 = (GpuNodes(talos_version="1.14.0", name=name, taints=[Taint("nvidia.com/gpu")]) for name in ("rtx", "h100"))
    page = cluster_page(ROOT / "dist" / "today", nodes=[rtx, h100])

    assert re.findall(r"nodes\d -\.- part\d", page) == ["nodes0 -.- part0", "nodes0 -.- part1", "nodes1 -.- part1", "nodes1 -.- part2"]
    assert [each for each in diagram_lines(page) if each.startswith("part")] == [
        'part0["<b>DCGM exporter</b><br>dcgm-exporter-rtx"]:::part',
        'part1["<b>GPU operator</b><br>gpu-operator v26.7.0"]:::part',
        'part2["<b>DCGM exporter</b><br>dcgm-exporter-h100"]:::part',
    ]


def test_a_class_that_no_workload_uses_stands_in_the_column_of_the_nodes(folder):
    idle = GpuNodes(talos_version="1.14.0", name="idle", taints=[Taint("idle")])
    page = cluster_page(folder(a=[workload()]), nodes=[RTX, idle])

    assert [each for each in diagram_lines(page) if "~~~" in each or "-->" in each] == ["workload0 --> nodes0", "workload0 ~~~ nodes1"]


def test_a_part_whose_nodes_are_not_known_stands_in_the_column_of_the_stack_without_a_visible_line():
    page = cluster_page(ROOT / "dist" / "standalone-shared", nodes=GpuNodes(talos_version="1.14.0"))

    assert "nodes0 ~~~ part0" in diagram_lines(page)
    assert "nodes0 -.- part0" not in diagram_lines(page)


def test_the_capacity_says_what_is_left_of_gpus_and_of_memory(folder):
    page = cluster_page(folder(a=[workload(gpus=3), workload("train", 2, "Job")]), nodes=RTX)

    assert "| `rtx` | 16 of `nvidia.com/gpu` | 3 | none | 2 | 8 | 13 | 8Gi declared of 96Gi |" in section(page, "Capacity")
    assert "| `Deployment ai/ollama` | 3 of `nvidia.com/gpu` | 8Gi | `rtx` |" in section(page, "Capacity")


def test_the_capacity_sums_servers_queues_and_jobs_and_names_the_limits_with_their_places(folder):
    """The server is 1 GPU, at most 2 pods and one more in a rolling update; the queue hands out 8, and its Job takes 4 of them."""
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "ollama"}
    scaler = {
        "apiVersion": "autoscaling/v2",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "ollama", "namespace": "ai"},
        "spec": {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": 2},
    }
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": "ai"},
        "spec": {"hard": {"requests.nvidia.com/gpu": "12"}},
    }
    kueue, labels = "kueue.x-k8s.io/v1beta2", {"kueue.x-k8s.io/queue-name": "gpus"}
    flavor = {"name": "rtx", "resources": [{"name": "nvidia.com/gpu", "nominalQuota": 8}]}
    groups = [{"coveredResources": ["nvidia.com/gpu"], "flavors": [flavor]}]
    queue = [
        {
            "apiVersion": kueue,
            "kind": "ResourceFlavor",
            "metadata": {"name": "rtx"},
            "spec": {"nodeLabels": {"nvidia.com/device-plugin.config": "rtx"}},
        },
        {
            "apiVersion": kueue,
            "kind": "ClusterQueue",
            "metadata": {"name": "gpus"},
            "spec": {"namespaceSelector": {}, "resourceGroups": groups},
        },
        {"apiVersion": kueue, "kind": "LocalQueue", "metadata": {"name": "gpus", "namespace": "ai"}, "spec": {"clusterQueue": "gpus"}},
    ]
    page = cluster_page(folder(a=[workload(), scaler, quota, *queue, workload("train", 4, "Job", labels=labels)]), nodes=RTX)
    capacity = section(re.sub(r"a\.yaml:\d+", "a.yaml:PLACE", page), "Capacity").splitlines()

    assert capacity[:3] == [
        "| class | offers | servers | queues hand out | jobs | at most | left | GPU memory |",
        "|---|---|---|---|---|---|---|---|",
        "| `rtx` | 16 of `nvidia.com/gpu` | 1 to 2 | 8 | 0 | 11 | 6 to 7 | 8Gi declared of 96Gi |",
    ]
    assert capacity[4:9] == [
        "| limit | place | allows | requested | at most |",
        "|---|---|---|---|---|",
        "| `ResourceQuota ai/gpus` | `a.yaml:PLACE` | 12 of `nvidia.com/gpu` | 5 or more | 6 |",
        "| `ClusterQueue gpus` | `a.yaml:PLACE` | 8 of `nvidia.com/gpu` of flavor `rtx` | 4 | 4 |",
        "| `HorizontalPodAutoscaler ai/ollama` | `a.yaml:PLACE` | 2 pods | 1 or more | 3 |",
    ]


def test_the_servers_that_others_preempt_are_counted_apart(folder):
    low = workload("low")
    low["spec"]["template"]["spec"]["priorityClassName"] = "low"
    priority = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "low"}, "value": -1}
    page = cluster_page(folder(a=[workload(), low, priority]), nodes=RTX)

    assert "| `rtx` | 16 of `nvidia.com/gpu` | 2, of which 1 can be preempted |" in page


def test_an_amount_that_is_not_known_is_no_number(folder):
    page = cluster_page(folder(a=[workload(gpus="${GPUS}")]), nodes=GpuNodes(talos_version="1.14.0", name="rtx"))

    assert "| `rtx` | a number not given of `nvidia.com/gpu` | 0 or another number | none | 0 | not known | not known | not given |" in page
    assert "- not counted: Deployment ai/ollama, because its limit of nvidia.com/gpu can't be read" in page


def test_the_steps_send_the_schematic_then_configure_the_nodes_then_apply_stack_and_workloads(folder):
    schematic = "customization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-open-gpu-kernel-modules-production]}}\n"
    config = "machine: {kernel: {modules: [{name: nvidia}]}}\n"
    runtime = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}
    page = cluster_page(folder(image=schematic, node=config, zz=[runtime], app=[workload()]), nodes=RTX)
    commands = [line.strip() for line in section(page, "Apply").splitlines() if line.startswith(("   curl", "   talosctl", "   kubectl"))]

    assert [re.sub("[0-9a-f]{64}", "ID", each) for each in commands] == [
        "talosctl --nodes ADDRESS get extensions",
        "talosctl --nodes ADDRESS get platformmetadata -o yaml",
        "talosctl --nodes ADDRESS get securitystate -o yaml",
        "curl --fail https://factory.talos.dev/schematics/ID   # ID is the version of the row schematic",
        "curl -X POST --data-binary @image.yaml https://factory.talos.dev/schematics",
        "talosctl --nodes ADDRESS upgrade --image factory.talos.dev/metal-installer/ID:v1.14.0   # image.yaml",
        "talosctl --nodes ADDRESS patch machineconfig --patch @node.yaml",
        "kubectl taint nodes NODE dedicated=ai:NoSchedule --overwrite   # a worker that has joined already",
        "kubectl apply --server-side --filename zz.yaml",
        "kubectl apply --server-side --filename app.yaml",
    ]


def test_a_file_comes_after_the_one_that_makes_its_namespace(folder):
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ai"}}
    queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "LocalQueue", "metadata": {"name": "q", "namespace": "ai"}}
    applied = section(cluster_page(folder(a=[queue], b=[workload("b")], c=[namespace, workload("c")]), nodes=RTX), "Apply")

    assert re.findall(r"--filename (\w)\.yaml", applied) == ["c", "a", "b"]


def test_files_that_make_each_others_namespaces_are_all_applied(folder):
    def namespace(name):
        return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}

    files = {"a": [namespace("ai"), workload("a", namespace="ml")], "b": [namespace("ml"), workload("b")]}
    applied = section(cluster_page(folder(**files), nodes=RTX), "Apply")

    assert sorted(re.findall(r"--filename (\w)\.yaml", applied)) == ["a", "b"]


def test_a_patch_whose_lists_would_be_there_twice_is_applied_once(folder):
    def steps(machine):
        return section(cluster_page(folder(patch=[{"machine": machine}])), "Apply")

    modules = {"kernel": {"modules": [{"name": "nvidia"}]}}
    file = {"path": "/etc/cri/conf.d/20-customization.part", "op": "create", "content": "a"}
    taint = {"kubelet": {"extraConfig": {"registerWithTaints": [{"key": "a", "effect": "NoSchedule"}]}}}

    assert "Apply the machine configuration to each node of the class, one after the other." in steps(modules)
    for machine in ({**modules, "files": [file]}, {**modules, **taint}):
        assert "Apply the machine configuration once to each node of the class, one after the other." in steps(machine)
        assert "make later changes in the source of your configuration" in steps(machine)


def test_the_partitions_of_a_class_are_verified_by_their_profiles(folder):
    nodes = GpuNodes(talos_version="1.14.0", mig_devices={"1g.10gb": 7}, gpus_per_node=2)
    unknown = GpuNodes(talos_version="1.14.0", mig_strategy="mixed")

    assert '`"nvidia.com/mig-1g.10gb":"14"`' in section(cluster_page(folder(a=[workload()]), nodes=nodes), "Verify")
    assert "`nvidia.com/mig-PROFILE` with the number of partitions of the node" in section(
        cluster_page(folder(a=[workload()]), nodes=unknown), "Verify"
    )


def test_a_folder_of_kustomize_is_not_applied_file_by_file(folder):
    path = folder(a=[workload()], kustomization="resources: [a.yaml]\n")

    assert "kubectl apply --server-side --kustomize FOLDER" in section(cluster_page(path, nodes=RTX), "Apply")
    assert "--filename" not in cluster_page(path, nodes=RTX)


def test_the_checks_of_a_class_have_the_expected_words(folder):
    shown = section(cluster_page(folder(a=[workload()]), nodes=RTX), "Verify")

    assert "| `nvidia-open-gpu-kernel-modules-production`, `nvidia-container-toolkit-production` |" in shown
    assert "`nvidia.com/device-plugin.config=rtx`" in shown
    assert '`"nvidia.com/gpu":"8"`' in shown


@pytest.mark.parametrize("cluster", sorted(path.name for path in (ROOT / "dist").iterdir()))
def test_every_command_that_verifies_a_node_is_one_of_the_page_about_a_working_node(cluster):
    working = (ROOT / "docs" / "working.md").read_text()
    shown = section((ROOT / "dist" / cluster / "README.md").read_text(), "Verify")
    commands = re.findall(r"^\| `((?:talosctl|kubectl (?:get node|exec)) .*?)` \|", shown, re.MULTILINE)

    assert len(commands) >= 4
    assert [each for each in commands if f"`{each}`" not in working] == []


def test_nodes_of_virtual_machines_have_no_driver_to_verify(folder):
    nodes = GpuNodes(talos_version="1.14.0", passthrough=Passthrough(pci_ids=["10de:2204", "10de:1aef"]))

    assert "nvidia_uvm" not in section(cluster_page(folder(a=[workload()]), nodes=nodes), "Verify")


def test_the_upgrade_goes_to_the_newest_patch_and_then_to_the_next_release(folder):
    path = folder(a=[workload()])

    assert "talos-gpu upgrade --talos 1.12.1 --to 1.12." in cluster_page(path, talos_version="1.12.1")
    assert "talos-gpu upgrade --talos 1.12.12 --to 1.13." in cluster_page(path, talos_version="1.12.12")
    assert "The Talos version is not known here" in cluster_page(path)


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
def test_the_upgrade_of_a_talos_that_is_newer_than_the_tables_names_the_reason(folder):
    page = cluster_page(folder(a=[workload()]), talos_version="1.99.0")

    assert section(page, "Upgrade").startswith("Talos 1.99.0 is newer than this library's tables, which were read on ")
    assert section(page, "Upgrade").endswith(", so no plan can be named.")


SCHEMATIC = Schematic(nodes=GpuNodes(talos_version="1.13.2"), extensions=["siderolabs/iscsi-tools"])
INSTALLED = "talosctl --nodes ADDRESS upgrade --image "


def install_step(page):
    return (
        page.partition("Install the image on a node that runs already, ")[2].partition("```bash\n")[2].partition("```")[0].split("\n")[:-1]
    )


@pytest.mark.parametrize(
    ("files", "platform", "secureboot"),
    [
        ({"installer-image.txt": SCHEMATIC.installer_image(platform="nocloud", secureboot=True)}, "nocloud", True),
        ({"config.yaml": f"machine: {{install: {{image: {SCHEMATIC.installer_image(platform='aws')}}}}}\n"}, "aws", False),
        ({"installer-image.txt": "factory.talos.dev/evil; reboot"}, None, False),
        ({"installer-image.txt": SCHEMATIC.installer_image(platform="aws").replace(SCHEMATIC.id, "ab" * 32)}, None, False),
        ({}, None, False),
    ],
    ids=["beside", "configuration", "no image", "another image", "neither"],
)
def test_the_installed_image_is_that_of_the_platform_and_secure_boot_of_the_nodes(files, platform, secureboot, tmp_path):
    (tmp_path / "schematic.yaml").write_text(SCHEMATIC.text)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    lines = [line.strip() for line in install_step(cluster_page(tmp_path, nodes=GpuNodes(talos_version="1.13.2")))]

    unread = ["# no file says the platform and Secure Boot of the nodes: the name is that of metal machines without Secure Boot"]
    image = SCHEMATIC.installer_image(platform=platform or "metal", secureboot=secureboot)
    assert lines == [*([] if platform else unread), f"{INSTALLED}{image}   # schematic.yaml"]


def test_an_image_whose_talos_no_file_says_keeps_its_step_and_says_what_is_missing(tmp_path):
    (tmp_path / "schematic.yaml").write_text(SCHEMATIC.text)

    assert [line.strip() for line in install_step(cluster_page(tmp_path))] == [
        "# no file says the platform and Secure Boot of the nodes: the name is that of metal machines without Secure Boot",
        "# no file says the release of Talos with its patch: VERSION is that of the nodes",
        f"{INSTALLED}factory.talos.dev/metal-installer/{SCHEMATIC.id}:vVERSION   # schematic.yaml",
    ]
    assert install_step(cluster_page(tmp_path, talos_version="1.13"))[1].strip() == (
        "# no file says the release of Talos with its patch: VERSION is that of the nodes, 1.13 with its patch"
    )


def test_a_schematic_whose_id_only_the_factory_knows_keeps_its_step(tmp_path):
    (tmp_path / "schematic.yaml").write_text("customization: {systemExtensions: {officialExtensions: [a]}, unknown: 1}\n")
    step = [line.strip() for line in install_step(cluster_page(tmp_path, talos_version="1.13.2"))]

    assert step[1:] == [
        "# ID is the answer of the Image Factory",
        f"{INSTALLED}factory.talos.dev/metal-installer/ID:v1.13.2   # schematic.yaml",
    ]


def test_the_tag_of_the_installer_image_says_the_talos_of_its_class(tmp_path):
    for name, talos in (("a", "1.13.2"), ("b", "1.12.4")):
        image = Schematic(nodes=GpuNodes(talos_version=talos))
        (tmp_path / f"{name}-schematic.yaml").write_text(image.text)
        (tmp_path / f"{name}-installer-image.txt").write_text(f"{image.installer_image()}\n")

    assert [line.rpartition(":v")[2] for line in install_step(cluster_page(tmp_path))[:2]] == [
        "1.13.2   # a-schematic.yaml",
        "1.12.4   # b-schematic.yaml",
    ]


def needed(objects, folder):
    return section(cluster_page(folder(a=objects), nodes=RTX), "Apply").partition("Look for")[2].partition("\n\n2. ")[0].splitlines()


def custom(api_version, kind):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": "a"}}


def test_the_api_groups_that_the_objects_need_are_named_with_their_programs_before_the_objects_are_applied(folder):
    rbac, chart = custom("rbac.authorization.k8s.io/v1", "ClusterRole"), custom("example.com/v1", "Widget")
    queue, monitor = custom("kueue.x-k8s.io/v1beta2", "ResourceFlavor"), custom("monitoring.coreos.com/v1", "PodMonitor")
    argo = [custom("argoproj.io/v1alpha1", kind) for kind in ("AppProject", "Workflow")]

    assert needed([workload(), rbac, chart, queue, monitor, *argo], folder) == [
        (
            " the API groups of CRDs that the objects need: `argoproj.io` of Argo CD and Argo Workflows, `example.com` of the program with the kind Widget, "
            "`kueue.x-k8s.io` of Kueue, `monitoring.coreos.com` of the Prometheus operator. A group that lists nothing is missing: install its program first."
        ),
        "",
        "   ```bash",
        *(
            f"   kubectl api-resources --api-group={each}"
            for each in ("argoproj.io", "example.com", "kueue.x-k8s.io", "monitoring.coreos.com")
        ),
        "   ```",
    ]


def test_a_group_whose_crd_is_among_the_files_is_not_looked_for(folder):
    names = {"kind": "Widget", "plural": "widgets", "singular": "widget"}
    crd = {**custom("apiextensions.k8s.io/v1", "CustomResourceDefinition"), "spec": {"group": "example.com", "names": names}}

    assert needed([crd, custom("example.com/v1", "Widget")], folder) == []
    assert "`example.com` of the program with the kind Gadget" in needed([crd, custom("example.com/v1", "Gadget")], folder)[0]


def test_a_group_that_a_chart_of_the_cluster_brings_is_applied_again(folder):
    release = {
        **custom("argoproj.io/v1alpha1", "Application"),
        "spec": {"source": {"chart": "gpu-operator", "repoURL": "https://helm.ngc.nvidia.com/nvidia", "targetRevision": "v26.7.0"}},
    }

    assert (
        " A chart of this cluster brings `nfd.k8s-sigs.io`: apply the objects of that group again once the chart runs."
        in needed([release, custom("nfd.k8s-sigs.io/v1alpha1", "NodeFeatureRule")], folder)[0]
    )


def test_a_link_in_the_place_of_the_installer_image_is_not_followed(tmp_path):
    cluster = tmp_path / "cluster"
    cluster.mkdir()
    (tmp_path / "other").write_text(SCHEMATIC.installer_image(platform="aws"))
    (cluster / "installer-image.txt").symlink_to(tmp_path / "other")
    (cluster / "schematic.yaml").write_text(SCHEMATIC.text)

    assert "aws" not in cluster_page(cluster, nodes=GpuNodes(talos_version="1.13.2"))


def test_what_the_present_images_have_is_listed_before_the_schematic_is_sent(tmp_path):
    (tmp_path / "schematic.yaml").write_text(SCHEMATIC.text)
    first, second = section(cluster_page(tmp_path, nodes=GpuNodes(talos_version="1.13.2")), "Apply").split("\n\n2. ")

    assert first.startswith(
        "1. List what the nodes that run already have: an image replaces the whole image before it. A new machine has none.\n"
    )
    assert "\n   Write what the new image would lose into the cluster file, or into the schematic:\n" in first
    assert "| a platform | not read | `platform: nocloud` |" in first
    assert second.startswith("Send the schematic to the Image Factory")


def plans(page):
    """The commands of the section, as words."""
    return [line for line in section(page, "Upgrade").splitlines() if "talos-gpu upgrade" in line]


def planned_images(command, run, monkeypatch, tmp_path, to):
    """The images of the plan of a command, whose target is replaced."""
    before, _, call = command.rpartition("talos-gpu ")
    words = shlex.split(call)
    words[words.index("--to") + 1] = to
    if before:
        (tmp_path / "nodes.yaml").write_text(shlex.split(before)[2])
        words[words.index("/dev/stdin")] = str(tmp_path / "nodes.yaml")
    status, out, err = run(*words)
    assert (status, [line for line in err.splitlines() if ": warning: " not in line]) == (0, [])
    return re.findall(r"[a-z.]+/[a-z-]*installer[a-z-]*/[0-9a-f]{64}", out)


CLASSES = {
    "plain": {},
    "labels and taints": {"labels": {"role": "gpu"}, "extra_labels": {"zone": "a"}, "taints": [Taint("dedicated", "ai")], "count": 3},
    "proprietary": {"kernel_modules": "proprietary", "driver_track": "lts"},
    "eight cards of a board": {"product": "H100 SXM5", "gpus_per_node": 8},
    "an open GB10": {"product": "GB10", "kernel_modules": "open"},
    "time slicing": {"sharing": TimeSlicing(replicas=4, rename_by_default=True)},
    "mig": {"product": "H100", "mig_devices": {"1g.10gb": 7}},
    "dra": {"dra": Dra(share="claim")},
    "a name": {"name": "rtx", "memory_per_gpu": "16Gi", "mig_strategy": "single"},
}
IMAGES = {
    "plain": {},
    "extensions": {"extensions": ["siderolabs/iscsi-tools"]},
    "no fabric manager": {"fabric_manager": False},
    "gdrcopy": {"gdrcopy": True},
    "kernel arguments": {"extra_kernel_args": ["iommu=pt", "-console", "x='a'"]},
    "overlay": {"overlay": Overlay(image="siderolabs/sbc-rockchip", name="turingrk1", options={"a": "b"})},
    "meta": {"meta": {10: "x"}},
    "bootloader": {"bootloader": "sd-boot"},
    "secure boot": {"secure_boot": SecureBoot(enroll_keys="force")},
    "sectors": {"sector_size": 4096},
    "configuration": {"embedded_config": "apiVersion: v1alpha1\nkind: SysctlConfig\nparams: {a.b: '1'}\n"},
}
BOOTS = [("metal", False), ("nocloud", True), ("aws", False)]


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
@pytest.mark.parametrize("given", CLASSES.values(), ids=CLASSES)
def test_a_plan_for_the_same_minor_has_the_image_of_the_folder(given, run, monkeypatch, tmp_path):
    nodes = GpuNodes(talos_version="1.13.2", **given)
    wrong = []
    for number, (image, fields) in enumerate(IMAGES.items()):
        if image == "gdrcopy" and given.get("kernel_modules") == "proprietary":
            continue
        platform, secureboot = BOOTS[number % len(BOOTS)]
        schematic = Schematic(nodes=nodes, **{**({"fabric_manager": True} if nodes.gpus_per_node else {}), **fields})
        prefix = f"{nodes.name}-" if nodes.name else ""
        (tmp_path / f"{prefix}schematic.yaml").write_text(schematic.text)
        name = schematic.installer_image(platform=platform, secureboot=secureboot)
        (tmp_path / f"{prefix}installer-image.txt").write_text(f"{name}\n")
        monkeypatch.chdir(tmp_path)
        (command,) = plans(cluster_page(tmp_path, nodes=nodes))
        if set(planned_images(command, run, monkeypatch, tmp_path, "1.13.3")) != {name.rpartition(":")[0]}:
            wrong.append((image, command))

    assert wrong == []


def test_nodes_of_virtual_machines_have_no_plan(folder):
    nodes = GpuNodes(talos_version="1.13.2", passthrough=Passthrough(pci_ids=["10de:2204", "10de:1aef"]))
    shown = section(cluster_page(folder(a=[workload()]), nodes=nodes), "Upgrade")

    assert "virtual machines" in shown
    assert "talos-gpu" not in shown


@pytest.mark.parametrize("cluster", sorted(path.name for path in (ROOT / "dist").iterdir()))
def test_every_upgrade_command_of_a_page_prints_a_plan(cluster, monkeypatch, run):
    monkeypatch.chdir(ROOT / "dist" / cluster)
    page = (ROOT / "dist" / cluster / "README.md").read_text()
    commands = re.findall(r"^talos-gpu (upgrade .*)$", page, re.MULTILINE)

    assert commands or "is the newest release in the tables" in page
    for command in commands:
        status, out, _ = run(*shlex.split(command))
        assert (status, "# " in out) == (0, True), command


def test_a_silenced_finding_is_named_with_its_reason(folder):
    silenced = workload(gpus=0.5, annotations={"talos-gpu/ignore-TG045": "half a | card, *really*"})
    shown = section(cluster_page(folder(a=[silenced]), nodes=RTX), "Checks")

    assert "| `TG045` | `Deployment ai/ollama` | half a \\| card, \\*really\\* | `a.yaml:" in shown


def test_parts_that_were_not_read_are_named(folder):
    page = cluster_page(folder(a="apiVersion: v1\nkind: Pod\nspec: [ nvidia\n"), title="home")

    assert "No class of GPU nodes was described" in section(page, "Nodes")
    assert "No configuration of a GPU node was read." in section(page, "Nodes")
    assert "No GPU workload was read." in section(page, "Capacity")
    assert section(page, "Not read")


def test_the_page_is_the_same_from_any_folder_and_beside_an_earlier_page(folder, tmp_path, monkeypatch):
    path = folder(a=[workload()])
    page = cluster_page(path, nodes=RTX, title="home")
    (path / "README.md").write_text(page)
    monkeypatch.chdir(path)

    assert cluster_page(".", nodes=RTX, title="home") == page
    assert str(tmp_path) not in page


@pytest.mark.parametrize(
    "name", ["a`b|c", "<script>alert(1)</script>", 'x"]\n  click workload0 href "https://a"', "](https://a) ![x](y)", "end", "$(rm -rf /)"]
)
def test_hostile_names_are_shown_and_not_obeyed(name, folder):
    page = cluster_page(folder(a=[workload(name)]), nodes=RTX, title=name.replace("\n", " "))
    outside = re.sub(r"(`+).*?(?<!`)\1(?!`)", "", page.partition("```mermaid")[0] + page.partition("```mermaid")[2].partition("\n```\n")[2])

    assert "<script" not in outside
    assert "](https://a)" not in outside.replace("\\]", "")
    assert not re.search(r"^\s*click", page, re.MULTILINE)
    diagram = page.partition("```mermaid\n")[2].partition("\n```")[0]
    assert all(line.count('"') in (0, 2) for line in diagram.splitlines()[1:])


def test_hostile_names_of_files_are_one_word_of_a_command(folder):
    page = cluster_page(folder(**{"a; rm -rf $HOME": [workload()]}), nodes=RTX)

    assert "--filename 'a; rm -rf $HOME.yaml'" in page
