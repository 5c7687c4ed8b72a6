"""`talos-gpu init` from a running cluster, from repositories of several layouts, and for cards of two kinds."""

import io
import json
import stat
from pathlib import Path

import pytest
import yaml

from constructs_lib.upstream.nvidia.written_cards import usual_names

SMI = "GPU 0: NVIDIA GeForce RTX 3060 Ti (UUID: GPU-1)\nGPU 1: NVIDIA RTX A2000 (UUID: GPU-2)"
LSPCI = """\
01:00.0 VGA compatible controller: NVIDIA Corporation GA104 [GeForce RTX 3060 Ti] (rev a1)
01:00.1 Audio device: NVIDIA Corporation GA104 High Definition Audio Controller (rev a1)
02:00.0 3D controller: NVIDIA Corporation GA106 [RTX A2000] (rev a1)"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return tmp_path


def written():
    return yaml.safe_load(Path("cluster.yaml").read_text(encoding="utf-8"))


class Terminal(io.StringIO):
    def isatty(self):
        return True


# Cards of two kinds


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("3060 ti, a2000", ["RTX 3060 Ti", "RTX A2000"]),
        ("4090 + gtx 1080", ["RTX 4090", "GTX 1080"]),
        ("p40 and p2200", ["P40", "Quadro P2200"]),
        (SMI, ["NVIDIA GeForce RTX 3060 Ti", "NVIDIA RTX A2000"]),
        (LSPCI, ["GeForce RTX 3060 Ti", "RTX A2000"]),
        ("2x P40", ["P40", "P40"]),
        ("2 x RTX 3090", ["RTX 3090", "RTX 3090"]),
        ("3090x2, gtx 980", ["RTX 3090", "RTX 3090", "GTX 980"]),
        ("4070tis", ["RTX 4070 Ti Super"]),
        ("RTX4070TiSuper", ["RTX 4070 Ti Super"]),
        ("1660s", ["GTX 1660 Super"]),
        ("l40s", ["L40S"]),
        ("", []),
    ],
)
def test_cards_are_read_as_people_write_and_paste_them(text, names):
    assert usual_names(text) == names


def test_two_cards_are_a_class_each_with_its_own_driver_and_proof(run):
    status, out, _ = run("init", "--talos", "1.14.6", "--card", "3060 ti, gtx 1080", "--workload", "ollama")

    assert status == 0
    assert out.startswith(
        "RTX 3060 Ti and GTX 1080: a class of nodes for each card, which its pods choose by 'nodes'; --nodes 1 is one machine with all of them\n"
        "ollama runs on rtx-3060-ti; its 'nodes' names another class\n"
    )
    assert written()["nodes"] == {
        "rtx-3060-ti": {"card": "RTX 3060 Ti"},
        "gtx-1080": {"card": "GTX 1080", "kernel_modules": "proprietary", "driver_track": "lts"},
    }
    assert written()["workloads"] == {
        "smoke-test-rtx-3060-ti": {"recipe": "CudaSmokeTest", "nodes": "rtx-3060-ti"},
        "smoke-test-gtx-1080": {"recipe": "CudaSmokeTest", "nodes": "gtx-1080"},
        "ollama": {"recipe": "Ollama", "nodes": "rtx-3060-ti"},
    }
    assert run("synth", "cluster.yaml")[0] == 0


@pytest.mark.parametrize(
    ("talos", "cards", "modules", "track"),
    [
        ("1.14.6", "3060 ti, a2000", "open", "production"),
        ("1.14.6", "3060 ti, gtx 1080", "proprietary", "lts"),
        ("1.12.11", "3060 ti, gtx 1080", "proprietary", "production"),
    ],
)
def test_two_cards_of_one_machine_are_one_class_with_the_driver_that_runs_both(run, talos, cards, modules, track):
    status, out, _ = run("init", "--talos", talos, "--card", cards, "--nodes", 1, "--gitops", "flux")

    assert status == 0
    assert f"with the {modules} kernel modules of the {track} track, which run all of them; a pod gets any of the cards." in out
    assert written()["nodes"]["gpu"] == {"cards": 2, "count": 1, "kernel_modules": modules, "driver_track": track}
    assert run("synth", "cluster.yaml")[0] == 0


def test_cards_that_no_driver_runs_together_are_refused_with_the_reason_for_each(refusal, folder):
    assert refusal("init", "--talos", "1.14.6", "--card", "gtx 1080, 5070", "--nodes", 1) == (
        "--card must be cards that one driver of Talos 1.14.6 runs, in one machine (got 'GTX 1080, RTX 5070'); GTX 1080: the open modules need a "
        "Turing card or newer, and this is a Pascal card; RTX 5070: Blackwell needs the open modules; with the proprietary modules the driver "
        'reports "No devices were found". Put them into nodes of their own'
    )
    assert not (folder / "cluster.yaml").exists()


def test_the_cards_that_a_program_lists_are_those_of_one_machine(run):
    run("init", "--talos", "1.14.6", "--card", LSPCI)

    assert written()["nodes"]["gpu"] == {"cards": 2, "kernel_modules": "open", "driver_track": "production"}


def test_two_equal_cards_are_one_card_twice(run):
    run("init", "--talos", "1.14.6", "--card", SMI.replace("RTX A2000", "GeForce RTX 3060 Ti"))

    assert written()["nodes"]["gpu"] == {"card": "NVIDIA GeForce RTX 3060 Ti", "cards": 2}


def test_a_list_that_is_pasted_at_the_question_answers_no_other_question(run, monkeypatch):
    monkeypatch.setattr("sys.stdin", Terminal(f"1.14.6\n{SMI}\n\n\n\n\n"))
    status, _, err = run("init")

    assert (status, err.count("Card, such as")) == (0, 1)
    assert written()["nodes"]["gpu"] == {"cards": 2, "kernel_modules": "open", "driver_track": "production"}


# A running cluster


def live_node(name, **labels):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {
            "nodeInfo": {"osImage": "Talos (v1.14.6)", "kubeletVersion": "v1.36.3", "architecture": "amd64"},
            "addresses": [{"type": "InternalIP", "address": f"10.0.0.{name[-1]}"}],
        },
    }


PCI = """\
node: 10.0.0.1
metadata: {{namespace: hardware, type: PCIDevices.hardware.talos.dev, id: "0000:0{number}:00.0"}}
spec: {{class: Display controller, class_id: "0x03", vendor: NVIDIA Corporation, vendor_id: "0x10de", product: "{product}", product_id: "0x2204"}}
---
"""


@pytest.fixture
def cluster(folder, monkeypatch):
    """A kubectl and a talosctl, which print what a function is given: by kind, the objects and the texts."""
    programs = folder / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    empty = """echo '{"apiVersion": "v1", "kind": "List", "items": []}'"""
    for name, otherwise in (("kubectl", empty), ("talosctl", "")):
        path = programs / name
        path.write_text(
            f'#!/bin/sh\necho "{name} $*" >> {folder}/calls\n'
            f"for each in $*; do [ -e {folder}/{name}-$each ] && exec /bin/cat {folder}/{name}-$each; done\n{otherwise}\n"
        )
        path.chmod(path.stat().st_mode | stat.S_IEXEC)

    def put(nodes, pci="", **kinds):
        for kind, objects in {"nodes": nodes, **kinds}.items():
            (folder / f"kubectl-{kind}").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
        (folder / "talosctl-PCIDevices.hardware.talos.dev").write_text(pci)

    return put


def test_a_live_node_without_a_driver_fills_in_card_talos_and_address(run, cluster):
    cluster([live_node("gpu-1")], PCI.format(number=1, product="GA104 [GeForce RTX 3060 Ti]"))
    status, out, err = run("init", "--live")

    assert status == 0, err
    assert written() == {
        "talos": "1.14.6",
        "nodes": {"gpu-1": {"card": "GeForce RTX 3060 Ti", "cards": 1, "address": "10.0.0.1"}},
        "workloads": {"smoke-test": {"recipe": "CudaSmokeTest"}},
    }
    assert out.startswith("gpu-1: Talos 1.14.6, Kubernetes 1.36.3, 10.0.0.1, 1 x GeForce RTX 3060 Ti, ")


def test_live_commands_only_read(run, cluster, folder):
    cluster([live_node("gpu-1")], PCI.format(number=1, product="GA104 [GeForce RTX 3060 Ti]"))
    run("init", "--live")

    calls = (folder / "calls").read_text().splitlines()
    assert {each.split()[1] for each in calls if each.startswith("kubectl")} <= {"get", "logs"}
    assert not [each for each in calls if "secret" in each.lower()]


def test_two_cards_of_a_live_machine_get_the_driver_that_runs_both(run, cluster):
    cards = ("GA104 [GeForce RTX 3060 Ti]", "GP104 [GeForce GTX 1080]")
    cluster([live_node("gpu-1")], "".join(PCI.format(number=number, product=each) for number, each in enumerate(cards, 1)))
    status, out, err = run("init", "--live")

    assert status == 0, err
    assert written()["nodes"]["gpu-1"] == {"cards": 2, "kernel_modules": "proprietary", "driver_track": "lts", "address": "10.0.0.1"}
    assert "GeForce RTX 3060 Ti and GeForce GTX 1080 in one machine: one class without 'card'" in out


def test_the_extensions_of_a_live_node_stay_in_its_image(run, cluster):
    labels = {"extensions.talos.dev/nvidia-container-toolkit-lts": "1", "extensions.talos.dev/nonfree-kmod-nvidia-lts": "1", "extensions.talos.dev/iscsi-tools": "1"}  # fmt: skip
    cluster([live_node("gpu-1", **labels)], PCI.format(number=1, product="GP104 [GeForce GTX 1080]"))
    run("init", "--live")

    assert written()["nodes"]["gpu-1"]["extensions"] == ["siderolabs/iscsi-tools"]
    assert written()["nodes"]["gpu-1"]["driver_track"] == "lts"


def test_a_running_device_plugin_is_named_as_what_the_file_replaces(run, cluster):
    plugin = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "nvdp", "namespace": "kube-system"}, "spec": {"template": {"spec": {"containers": [{"name": "c", "image": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"}]}}}}  # fmt: skip
    cluster([live_node("gpu-1")], PCI.format(number=1, product="GA104 [GeForce RTX 3060 Ti]"), **{"daemonsets.apps": [plugin]})
    _, out, _ = run("init", "--live")

    assert written()["stack"] == "standalone"
    assert "DaemonSet kube-system/nvdp serves the cards now, so the file has stack: standalone, which takes its place" in out


def test_a_cluster_without_gpus_is_refused(run, cluster, folder):
    cluster([live_node("web-1")])
    status, _, err = run("init", "--live")

    assert status == 2
    assert err.endswith(
        "talos-gpu init: --live must be given for a cluster with GPU nodes (got 'nodes without GPUs'); no node has a label extensions.talos.dev/nvidia-… of Talos, "
        "the resource nvidia.com/gpu or a card that talosctl shows\n"
    )
    assert not (folder / "cluster.yaml").exists()


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--live", "--from", "x"), "--from must be left out with --live (got 'x'); a file has the nodes of one source"),
        (("--context", "lab"), "--context must be given with --live"),
    ],
)
def test_live_and_its_flags_stand_together(refusal, flags, words):
    assert refusal("init", *flags) == words


# Repositories

NVIDIA = "[siderolabs/nvidia-container-toolkit-lts, siderolabs/nonfree-kmod-nvidia-lts, siderolabs/iscsi-tools]"
SCHEMATIC = f"customization: {{systemExtensions: {{officialExtensions: {NVIDIA}}}}}\n"
TALCONFIG = """\
clusterName: home
talosVersion: v1.13.9
endpoint: https://10.0.0.1:6443
nodes:
  - hostname: gpu-1
    ipAddress: 10.0.0.7
    controlPlane: true
    talosImageURL: factory.talos.dev/installer/{id}
    patches: ["machine: {{kernel: {{modules: [{{name: nvidia}}, {{name: nvidia_uvm}}]}}}}"]
"""
OPERATOR = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: gpu-operator, namespace: argocd}
spec:
  project: default
  destination: {namespace: gpu-operator, server: https://kubernetes.default.svc}
  source: {repoURL: https://helm.ngc.nvidia.com/nvidia, chart: gpu-operator, targetRevision: v26.3.3}
"""
OMNI = """\
kind: Cluster
name: {name}
kubernetes: {{version: v1.36.3}}
talos: {{version: v{talos}}}
---
kind: Workers
name: {set}
systemExtensions: [siderolabs/nvidia-container-toolkit-production, siderolabs/nvidia-open-gpu-kernel-modules-production]
"""


def test_a_talhelper_node_keeps_its_name_and_its_address(run, folder):
    (folder / "talconfig.yaml").write_text(TALCONFIG.format(id="a" * 64))
    status, _, err = run("init", "--from", ".")

    assert (status, err) == (0, "")
    assert written()["nodes"]["gpu-1"]["address"] == "10.0.0.7"


def test_a_driver_that_nobody_read_is_said_and_never_a_silent_default(run, folder):
    (folder / "talconfig.yaml").write_text(TALCONFIG.format(id="a" * 64))
    _, out, _ = run("init", "--from", ".")

    assert out.startswith(
        "gpu-1: the extensions of the image were not read, so the file has the default driver, open modules of the production track, which no card older "
        f"than Turing runs on: give --card\ncurl --fail https://factory.talos.dev/schematics/{'a' * 64} prints the schematic, which --from reads: "
        "save its answer as a file of the repository\n"
    )


def test_a_card_that_is_given_says_the_driver_of_an_image_that_nobody_read(run, folder):
    (folder / "talconfig.yaml").write_text(TALCONFIG.format(id="a" * 64))
    _, out, _ = run("init", "--from", ".", "--card", "gtx 1080")

    assert "the extensions of the image were not read" not in out
    assert written()["nodes"]["gpu-1"]["driver_track"] == "lts"


def test_the_schematic_of_the_installer_is_found_by_its_id(run, folder):
    from constructs_lib.nodes.factory_ids import id_of_written

    (folder / "talconfig.yaml").write_text(TALCONFIG.format(id=id_of_written(yaml.safe_load(SCHEMATIC))))
    (folder / "schematic.yaml").write_text(SCHEMATIC)
    (folder / "other.yaml").write_text(
        "customization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-open-gpu-kernel-modules-production]}}\n"
    )
    _, out, _ = run("init", "--from", ".")

    assert "were not read" not in out
    assert written()["nodes"]["gpu-1"] == {
        "kernel_modules": "proprietary",
        "driver_track": "lts",
        "extensions": ["siderolabs/iscsi-tools"],
        "address": "10.0.0.7",
    }


def test_the_operator_of_a_repository_stays_the_stack_and_its_engine_the_gitops(run, folder):
    (folder / "talconfig.yaml").write_text(TALCONFIG.format(id="a" * 64))
    (folder / "operator.yaml").write_text(OPERATOR)
    _, out, _ = run("init", "--from", ".", "--card", "4090")

    assert (written()["stack"], written()["gitops"]) == ("operator", "argocd")
    assert out.startswith(
        "gpu-operator v26.3.3 (gpu-operator/gpu-operator) in operator.yaml serves the cards now, so the file has stack: operator, which takes its place: "
        "remove it where you apply the new manifests. talos-gpu adopt, for a repository, also takes over its values and the GPU workloads\n"
    )


def test_several_clusters_of_a_repository_are_named_and_one_is_chosen(run, refusal, folder):
    for name, talos in (("home", "1.13.9"), ("edge", "1.12.11")):
        (folder / f"{name}.yaml").write_text(OMNI.format(name=name, talos=talos, set=f"{name}-gpu"))

    assert refusal("init", "--from", ".") == (
        "--cluster must be one of 'edge', 'home' (got nothing); the source has GPU nodes in several clusters, and a file has those of one"
    )
    assert run("init", "--from", ".", "--cluster", "home")[0] == 0
    assert written()["talos"] == "1.13.9"
    assert refusal("init", "--from", ".", "--cluster", "hom", "--overwrite") == "--cluster must be one of 'edge', 'home' (got 'hom')"


def test_files_that_disagree_about_talos_are_named(refusal, folder):
    for name, talos in (("one", "1.13.9"), ("two", "1.12.11")):
        (folder / f"{name}.yaml").write_text(OMNI.format(name="home", talos=talos, set="gpu"))

    assert refusal("init", "--from", ".") == (
        "--talos must be given: the files disagree about it: 1.13.9 (one.yaml), 1.12.11 (two.yaml); talosctl version prints it"
    )


def test_nodes_of_a_talos_that_was_not_asked_for_are_left_out_with_a_word(run, folder):
    for name, talos in (("one", "1.13.9"), ("two", "1.12.11")):
        (folder / f"{name}.yaml").write_text(OMNI.format(name="home", talos=talos, set="gpu"))
    _, out, _ = run("init", "--from", ".", "--talos", "1.13.9")

    assert "two.yaml: left out, because it is for Talos v1.12.11\n" in out


@pytest.mark.parametrize("verb", ["init", "doctor"])
def test_a_live_run_says_the_name_of_its_verb(run, cluster, folder, verb):
    cluster([live_node("gpu-1")], PCI.format(number=1, product="GA104 [GeForce RTX 3060 Ti]"))
    next(folder.rglob("talosctl")).unlink()
    _, _, err = run(verb, "--live")
    assert f"talos-gpu {verb}: talosctl is not in $PATH, so the machines are not read" in err.splitlines()
