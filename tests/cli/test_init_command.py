"""`talos-gpu init`: five questions, answers as flags, and nodes that are read."""

import io
from pathlib import Path

import pytest
import yaml
from command_line import refusal, run  # noqa: F401  # fixtures

from constructs_lib.adoption.answers import Answers, newest_talos
from constructs_lib.adoption.first_file import first_cluster
from constructs_lib.adoption.present_nodes import Present, PresentClass
from constructs_lib.nodes.file_classes import OF_THE_MACHINE
from constructs_lib.upstream.talos import releases as talos_releases

NODE = """\
apiVersion: v1
kind: Node
metadata:
  name: gpu-{number}
  labels:
    extensions.talos.dev/nvidia-container-toolkit-production: 580.126.20-v1.18.1
    nvidia.com/gpu.product: NVIDIA-GeForce-RTX-4090
    nvidia.com/gpu.count: "{cards}"
spec: {{taints: [{{key: dedicated, value: ai, effect: NoSchedule}}]}}
status: {{nodeInfo: {{osImage: "Talos (v1.14.0)"}}}}
---
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    return tmp_path


def written():
    return yaml.safe_load(Path("cluster.yaml").read_text(encoding="utf-8"))


def node():
    (node,) = written()["nodes"].values()
    return node


PROOF = {"smoke-test": {"recipe": "CudaSmokeTest"}}


def test_flags_answer_every_question(run):  # noqa: F811
    flags = [
        "--talos",
        "1.14.0",
        "--card",
        "RTX 4090",
        "--cards",
        2,
        "--nodes",
        3,
        "--sharing",
        4,
        "--stack",
        "operator",
        "--gitops",
        "argocd",
        "--workload",
        "ollama",
    ]
    status, out, err = run("init", *flags)

    assert (status, out, err) == (0, "cluster.yaml: written; next: talos-gpu synth cluster.yaml\n", "")
    assert written() == {
        "talos": "1.14.0",
        "nodes": {"gpu": {"card": "RTX 4090", "cards": 2, "count": 3, "sharing": {"time_slicing": 4}}},
        "stack": "operator",
        "gitops": "argocd",
        "workloads": {**PROOF, "ollama": {"recipe": "Ollama"}},
    }
    assert run("synth", "cluster.yaml")[0] == 0


def test_a_terminal_is_asked_what_only_a_person_knows(run, monkeypatch):  # noqa: F811
    monkeypatch.setattr("sys.stdin", Terminal("1.14.0\n4090\n2 x 3\n4\noperator\nargocd\nollama\n"))
    status, _, err = run("init")

    assert status == 0
    assert err.count(", or ? for help: \n") == 7
    assert (node()["card"], node()["cards"], node()["count"]) == ("RTX 4090", 2, 3)
    assert (written()["stack"], written()["gitops"], written()["workloads"]) == (
        "operator",
        "argocd",
        {**PROOF, "ollama": {"recipe": "Ollama"}},
    )


def test_gitops_is_asked_only_where_a_chart_needs_it(run, monkeypatch):  # noqa: F811
    monkeypatch.setattr("sys.stdin", Terminal("\n\n\n\n\n\n"))
    status, _, err = run("init")

    assert (status, "flux" in err) == (0, False)
    assert written() == {"talos": newest_talos(), "nodes": {"gpu": {}}, "workloads": PROOF}


def test_a_question_mark_explains_the_question(run, monkeypatch):  # noqa: F811
    monkeypatch.setattr("sys.stdin", Terminal("?\n\n\n\n\n\n?\n\n"))
    _, _, err = run("init")

    assert "talosctl version prints it; the image of the nodes is of one release" in err
    assert "the recipes are ComfyUI, " in err


def test_a_workload_that_needs_arguments_is_not_written_by_halves(refusal):  # noqa: F811
    assert refusal("init", "--talos", "1.14.0", "--workload", "Vllm").startswith("--workload must be 'none' or one of ComfyUI, ")


def test_cards_with_partitions_and_those_of_virtual_machines_get_no_smoke_test():
    def workloads(**more):
        arguments = {"talos_version": "1.14.0", **more}
        return first_cluster(Answers(), Present(classes=[PresentClass(arguments=arguments)])).description.content.get("workloads")

    assert workloads(product="H100") == PROOF
    assert workloads(passthrough={"pci_ids": ["10de:2204"]}) is None
    assert workloads(mig_devices={"1g.10gb": 7}) is None


def test_a_wrong_answer_is_asked_again(run, monkeypatch):  # noqa: F811
    monkeypatch.setattr("sys.stdin", Terminal("fourteen\n1.14.0\n\n\n\n\n\n"))
    status, _, err = run("init")

    assert status == 0
    assert "'talos_version' must be a Talos version" in err
    assert (written()["talos"], node()) == ("1.14.0", {})


def test_a_question_with_a_flag_is_not_asked(run, monkeypatch):  # noqa: F811
    monkeypatch.setattr("sys.stdin", Terminal("\n\n\n"))
    status, _, err = run("init", "--talos", "1.14.0", "--card", "RTX 4090", "--sharing", 1)

    assert status == 0
    assert "Talos version" not in err


def test_the_end_of_the_input_writes_no_file(refusal, run, folder, monkeypatch):  # noqa: F811
    monkeypatch.setattr("sys.stdin", Terminal("1.14.0\n"))
    status, _, err = run("init")

    assert status == 2
    assert "the input ended before the answer to 'Card'; no file was written" in err
    assert not (folder / "cluster.yaml").exists()


def test_ctrl_c_ends_the_command_without_a_file(run, folder, monkeypatch):  # noqa: F811
    class Interrupted(Terminal):
        def readline(self, *_):
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Interrupted())

    assert run("init")[0] == 130
    assert not (folder / "cluster.yaml").exists()


def test_without_a_terminal_the_talos_version_must_be_a_flag(refusal):  # noqa: F811
    assert refusal("init") == "--talos must be given: no terminal answers the question"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (("--sharing", "0"), "--sharing must be a whole number of at least 1 (got 0)"),
        (("--sharing", "x"), "--sharing must be a whole number of at least 1 (got 'x')"),
        (("--sharing", "3000000000"), "--sharing must be a whole number from 1 to 2147483647 (got 3000000000)"),
        (("--nodes", "0"), "--nodes must be a whole number of at least 1 (got 0)"),
        (("--cards", "0"), "--cards must be a whole number of at least 1 (got 0)"),
        (("--card", ""), "--card must be the name of a card, such as 'RTX 4090' (got '')"),
        (
            ("--card", "Tesla K80"),
            "--card must be a card that a driver of Talos runs (got 'Tesla K80'); it is a Kepler card, whose last driver is 470.xx",
        ),
    ],
)
def test_a_wrong_answer_is_refused_in_the_flags_of_init(refusal, folder, flags, expected):  # noqa: F811
    assert refusal("init", "--talos", "1.14.0", *flags) == expected
    assert not (folder / "cluster.yaml").exists()


def test_a_warning_names_the_flags_of_init(run):  # noqa: F811
    _, _, err = run("init", "--talos", "1.14.0", "--card", "Rivatwo")

    assert err.startswith("talos-gpu init: warning: --card 'Rivatwo' is not known")


def test_a_file_is_replaced_only_with_the_flag(refusal, run, folder):  # noqa: F811
    (folder / "cluster.yaml").write_text("mine\n")

    assert "--overwrite replaces it" in refusal("init", "--talos", "1.14.0")
    assert (folder / "cluster.yaml").read_text() == "mine\n"
    assert run("init", "--talos", "1.14.0", "--overwrite")[0] == 0


def test_the_app_is_written_in_place_of_the_cluster_file(run, folder):  # noqa: F811
    status, out, _ = run("init", "--talos", "1.14.0", "--gitops", "flux", "--app", "main.py")

    assert (status, out) == (0, "main.py: written; next: python main.py\n")
    assert "GpuStack(chart, 'stack', nodes=nodes, monitoring=False, operator=False, delivery=Flux())" in (folder / "main.py").read_text()
    assert not (folder / "cluster.yaml").exists()


def test_live_nodes_answer_the_questions_about_nodes(run, folder):  # noqa: F811
    (folder / "nodes.yaml").write_text("".join(NODE.format(number=number, cards=2) for number in range(3)))
    status, _, err = run("init", "--from", "nodes.yaml")

    assert (status, err) == (0, "")
    assert node() == {
        "card": "NVIDIA-GeForce-RTX-4090",
        "cards": 2,
        "taints": ["dedicated=ai:NoSchedule"],
        "count": 3,
    }


def test_a_number_of_cards_that_differs_between_live_nodes_is_left_out_with_a_warning(run, folder):  # noqa: F811
    (folder / "nodes.yaml").write_text("".join(NODE.format(number=number, cards=number + 1) for number in range(2)))
    _, _, err = run("init", "--from", "nodes.yaml")

    assert "cards" not in node()
    assert err == "talos-gpu init: warning: the nodes differ in --cards (gpu-0: 1, gpu-1: 2), so none is taken from them\n"


@pytest.mark.parametrize(
    ("text", "other", "word", "values"),
    [
        ("NVIDIA-GeForce-RTX-4090", "NVIDIA-H100-80GB-HBM3", "card", ["NVIDIA-GeForce-RTX-4090", "NVIDIA-H100-80GB-HBM3"]),
        ("{key: dedicated, value: ai, effect: NoSchedule}", "", "taints", [["dedicated=ai:NoSchedule"], None]),
        ("toolkit-production", "toolkit-lts", "count", [2, 1]),
        ("v1.14.0", "v1.13.7", "talos", [None, "1.13.7"]),
    ],
)
def test_live_nodes_of_several_kinds_are_a_class_each_with_its_own_proof(run, folder, text, other, word, values):  # noqa: F811
    one, two, three = (NODE.format(number=number, cards=2) for number in (1, 2, 3))
    (folder / "nodes.yaml").write_text(one + two + three.replace(text, other))
    status, _, err = run("init", "--from", "nodes.yaml", "--stack", "standalone")

    assert (status, err) == (0, "")
    classes = written()["nodes"]
    assert list(classes) == ["gpu-1", "gpu-3"]
    assert [each.get(word) for each in classes.values()] == values
    assert written()["workloads"] == {f"smoke-test-{name}": {"recipe": "CudaSmokeTest", "nodes": name} for name in classes}
    assert run("synth", "cluster.yaml")[0] == 0


@pytest.mark.parametrize(
    ("talos", "card", "expected"),
    [
        ("1.13.9", "P40", {"kernel_modules": "proprietary", "driver_track": "lts"}),
        ("1.12.12", "GTX 1080", {"kernel_modules": "proprietary"}),
        ("1.13.9", "GB10", {"kernel_modules": "proprietary"}),
        ("1.13.9", "RTX 3060", {}),
    ],
)
def test_the_file_names_the_modules_and_the_track_that_the_card_needs(run, talos, card, expected):  # noqa: F811
    status, _, err = run("init", "--talos", talos, "--card", card, "--gitops", "flux")

    assert (status, "sources disagree" in err) == (0, card == "GB10")
    assert node() == {"card": card, **expected}
    assert run("synth", "cluster.yaml")[0] == 0


def test_a_terminal_takes_a_card_that_needs_proprietary_modules(run, monkeypatch):  # noqa: F811
    monkeypatch.setattr("sys.stdin", Terminal("1.13.9\nP40\n\n\n\n\n"))
    status, _, err = run("init")

    assert (status, err.count("Card, such as")) == (0, 1)
    assert node()["kernel_modules"] == "proprietary"


def test_eight_cards_of_a_board_with_nvswitch_get_the_fabric_manager(run):  # noqa: F811
    run("init", "--talos", "1.13.9", "--card", "B200", "--cards", 8)

    assert node()["fabric_manager"] is True
    assert run("synth", "cluster.yaml")[0] == 0
    assert "nvidia-fabricmanager-production" in Path("dist/cluster/talos/schematic.yaml").read_text()


def test_a_card_that_may_be_on_a_board_with_nvswitch_is_a_warning_that_the_flag_answers(run):  # noqa: F811
    flags = ("init", "--talos", "1.13.9", "--card", "H100", "--cards", 8, "--overwrite")
    _, _, err = run(*flags)

    assert err.startswith("talos-gpu init: warning: --card 'H100' with 8 cards: an HGX or DGX machine needs --fabric-manager; ")
    assert "fabric_manager" not in node()
    for flag, value in (("--fabric-manager", True), ("--no-fabric-manager", False)):
        assert run(*flags, flag)[2] == ""
        assert node()["fabric_manager"] is value


def test_a_release_without_its_patch_becomes_the_newest_known_patch(run):  # noqa: F811
    newest = talos_releases.TALOS["1.14"].newest
    _, out, _ = run("init", "--talos", "v1.14", "--gitops", "flux")

    assert out.startswith(f"Talos 1.14: the file has {newest}, the newest patch (tables of {talos_releases.READ_ON}), because an image is ")
    assert written()["talos"] == newest


def test_a_release_without_a_known_patch_has_no_image_and_says_so(run):  # noqa: F811
    _, out, _ = run("init", "--talos", "1.99", "--stack", "operator", "--gitops", "flux")

    assert out.startswith(
        "Talos 1.99: the file makes no Talos files, because an image is of one release, and no patch of Talos 1.99 is known\n"
    )
    assert written()["talos"] == "1.99"


@pytest.mark.parametrize("talos", ["1.15", "1.16"])
def test_the_operator_that_nobody_chose_is_named(run, talos):  # noqa: F811
    flags = ("init", "--talos", f"{talos}.0", "--gitops", "flux", "--overwrite")
    sentence = f"stack: operator, the only route that is known for Talos {talos}, because its containerd gives no container a GPU"

    assert sentence in run(*flags)[1]
    assert sentence not in run(*flags, "--stack", "operator")[1]


def test_a_stack_that_a_talos_does_not_have_is_refused_and_not_replaced(run):  # noqa: F811
    status, _, errors = run("init", "--talos", "1.15.0", "--stack", "standalone")

    assert status == 2
    assert "talos-gpu init: --stack must be 'operator' for Talos 1.15 (got 'standalone'); without the operator's toolkit " in errors
    assert not Path("cluster.yaml").exists()


def test_the_engine_that_nobody_chose_is_named(run):  # noqa: F811
    flags = ("init", "--talos", "1.14.0", "--overwrite", "--stack", "operator")

    words = "the GPU operator is a Helm chart, and the file leaves it to Flux in the cluster; --gitops argocd or none is another way\n"
    assert words in run(*flags)[1]
    assert "Helm chart" not in run(*flags, "--gitops", "argocd")[1]


@pytest.mark.parametrize(
    ("verb", "name", "hint"), [("init", "gpu_cluster.yaml", "gpu-cluster"), ("init", "My.yaml", "my"), ("adopt", "a b.yaml", "a-b")]
)
def test_a_file_whose_name_is_no_name_of_a_cluster_is_not_written(refusal, folder, verb, name, hint):  # noqa: F811
    words = f"named as its cluster: a DNS label and .yaml, such as 'cluster.yaml' (got '{name}'); did you mean '{hint}'?"

    assert (
        refusal(verb, *([] if verb == "init" else ["."]), "--talos", "1.14.0", "--cluster-file", name) == f"--cluster-file must be {words}"
    )
    assert not (folder / name).exists()


LIVE = {
    "extensions.talos.dev/nvidia-container-toolkit-lts": "1",
    "extensions.talos.dev/nonfree-kmod-nvidia-lts": "1",
    "extensions.talos.dev/iscsi-tools": "v0.2.0",
    "extensions.talos.dev/intel-ucode": "20260101",
    "nvidia.com/gpu.product": "NVIDIA-RTX-A2000-SHARED",
    "nvidia.com/gpu.count": "2",
    "nvidia.com/gpu.replicas": "4",
    "nvidia.com/gpu.sharing-strategy": "time-slicing",
    "gpu": "a2000",
}


def live(labels=LIVE, capacity=None, name="gpu-1"):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"nodeInfo": {"osImage": "Talos (v1.13.9)", "architecture": "amd64"}, "capacity": capacity or {"nvidia.com/gpu": "8"}},
    }


def started(run, folder, *nodes):  # noqa: F811
    """The cluster file from nodes, and the messages."""
    (folder / "nodes.yaml").write_text(yaml.safe_dump_all(nodes))
    status, out, err = run("init", "--from", "nodes.yaml", "--stack", "standalone")
    assert status == 0, err
    return written(), f"{out}{err}"


def test_a_node_keeps_its_extensions_driver_sharing_and_labels(run, folder):  # noqa: F811
    cluster, told = started(run, folder, live(), live({"extensions.talos.dev/intel-ucode": "1"}, {"cpu": "4"}, "cp-1"))

    assert cluster["talos"] == "1.13.9"
    assert next(iter(cluster["nodes"].values())) == {
        "card": "NVIDIA-RTX-A2000",
        "cards": 2,
        "kernel_modules": "proprietary",
        "driver_track": "lts",
        "sharing": {"time_slicing": {"replicas": 4}},
        "labels": {"gpu": "a2000"},
        "count": 1,
        "extensions": ["siderolabs/intel-ucode", "siderolabs/iscsi-tools"],
    }
    assert "kernel arguments, overlay and META were not read" in told
    assert run("synth", "cluster.yaml")[0] == 0
    image = (folder / "dist" / "talos" / "schematic.yaml") if (folder / "dist" / "talos").exists() else next(folder.rglob("schematic.yaml"))
    assert "siderolabs/iscsi-tools" in image.read_text()


@pytest.mark.parametrize(
    ("labels", "capacity", "sharing"),
    [
        ({"nvidia.com/gpu.sharing-strategy": "mps"}, {}, {"mps": {"replicas": 4}}),
        ({}, {"nvidia.com/gpu.shared": "8"}, {"time_slicing": {"replicas": 4, "rename_by_default": True}}),
        ({"nvidia.com/gpu.sharing-strategy": "none", "nvidia.com/gpu.product": "NVIDIA-RTX-A2000", "nvidia.com/gpu.replicas": "1"}, {}, None),
    ],
    ids=["mps", "renamed", "whole"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore")
def test_the_kind_of_sharing_is_that_of_the_labels(labels, capacity, sharing, run, folder):  # noqa: F811
    cluster, _ = started(run, folder, live({**LIVE, **labels}, {"nvidia.com/gpu": "0", **capacity} if capacity else None))

    assert next(iter(cluster["nodes"].values())).get("sharing") == sharing


def test_sharing_by_an_unknown_number_is_told(run, folder):  # noqa: F811
    labels = {key: value for key, value in LIVE.items() if "replicas" not in key}
    cluster, told = started(run, folder, live(labels))

    assert "sharing" not in next(iter(cluster["nodes"].values()))
    assert "its GPUs are shared, and no label says by how many pods" in told


@pytest.mark.parametrize(
    ("labels", "capacity", "strategy", "cards"),
    [
        ({"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb", "nvidia.com/mig.strategy": "single", "nvidia.com/gpu.count": "7"}, {}, "single", None),
        ({"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/mig.strategy": "mixed", "nvidia.com/gpu.count": "1"}, {"nvidia.com/mig-1g.10gb": "7"}, "mixed", 1),
    ],
    ids=["single", "mixed"],
)  # fmt: skip
def test_mig_is_told(labels, capacity, strategy, cards, run, folder):  # noqa: F811
    mig = {
        "extensions.talos.dev/nvidia-container-toolkit-production": "1",
        "extensions.talos.dev/nvidia-open-gpu-kernel-modules-production": "1",
    }
    cluster, told = started(run, folder, live({**mig, **labels}, capacity))

    assert (next(iter(cluster["nodes"].values()))["mig_strategy"], next(iter(cluster["nodes"].values())).get("cards")) == (strategy, cards)
    assert next(iter(cluster["nodes"].values()))["card"] == "NVIDIA-H100-80GB-HBM3"
    assert "the partitions of MIG are not taken over" in told


def test_a_label_of_only_some_nodes_is_named(run, folder):  # noqa: F811
    cluster, told = started(run, folder, live(), live({**LIVE, "gpu": "b", "nvidia.com/mig.config": "all"}, name="gpu-2"))

    assert "labels" not in next(iter(cluster["nodes"].values()))
    assert "labels of the nodes that the file does not have: gpu, nvidia.com/mig.config" in told


def test_a_label_that_other_nodes_have_too_selects_no_pod(run, folder):  # noqa: F811
    cluster, _ = started(run, folder, live(), live({"gpu": "a2000"}, {"cpu": "4"}, "cp-1"))

    assert next(iter(cluster["nodes"].values()))["extra_labels"] == {"gpu": "a2000"}


def test_a_repository_keeps_the_image_of_its_nodes(run, folder):  # noqa: F811
    customization = {"extraKernelArgs": ["iommu=pt", "siderolink.api=https://omni?jointoken=hunter2"], "systemExtensions": {"officialExtensions": ["siderolabs/qemu-guest-agent", "siderolabs/nvidia-container-toolkit-production", "siderolabs/nvidia-open-gpu-kernel-modules-production"]}}  # fmt: skip
    described = {"hostname": "gpu-1", "ipAddress": "10.0.0.2", "machineSpec": {"mode": "nocloud", "secureboot": True}, "schematic": {"customization": customization}}  # fmt: skip
    (folder / "talconfig.yaml").write_text(
        yaml.safe_dump({"clusterName": "home", "endpoint": "https://10.0.0.1:6443", "talosVersion": "v1.13.9", "nodes": [described]})
    )
    assert run("init", "--from", "talconfig.yaml", "--stack", "standalone")[0] == 0

    assert {name: value for name, value in node().items() if name in OF_THE_MACHINE} == {
        "extensions": ["siderolabs/qemu-guest-agent"],
        "extra_kernel_args": ["iommu=pt"],
        "platform": "nocloud",
        "secureboot": True,
    }


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--from", "nope"], "PATH must be a file or a folder (got 'nope'); no such file or directory"),
        (["--from", ""], "PATH must be a file or a folder (got ''); is a variable of the shell empty?"),
        (["--card", ","], "--card must be the name of a card (got ',')"),
        (
            ["--card", "4090,3090", "--cards", "1", "--nodes", "1"],
            "--cards must be at least 2, the number of named cards of one machine (got 1)",
        ),
        (
            ["--live"],
            "--live needs kubectl or talosctl in $PATH; talos-gpu doctor --collect prints a script for a machine that has them",
        ),
    ],
)
def test_a_wrong_source_or_card_is_a_plain_sentence_and_no_bug(refusal, monkeypatch, flags, message):  # noqa: F811
    monkeypatch.setenv("PATH", "")
    assert refusal("init", "--talos", "1.14.0", *flags) == message


@pytest.mark.parametrize(("nodes", "count"), [("2", 1), ("3", None)])
def test_machines_of_several_cards_are_not_counted_twice(run, nodes, count):  # noqa: F811
    answer = run("init", "--talos", "1.14.0", "--card", "4090,3090", "--cards", "1", "--nodes", nodes)
    assert [each.get("count") for each in written()["nodes"].values()] == [count, count]
    note = f"how many of the {nodes} nodes have each card is not known, so the file has no 'count': write it in each class\n"
    assert (note in str(answer).replace("\\n", "\n")) == (count is None)
