"""`talos-gpu synth --page`: the page of each cluster, in the record of what the command has written."""

import json
import re

import pytest
from command_line import run  # noqa: F401  # a fixture

from constructs_lib import GpuNodes, cluster_page
from constructs_lib.clusters.output_folder import RECORD

FILE = """\
nodes: {gpu: {talos: 1.14.0, card: RTX 4090, cards: 1, count: 1}}
charts:
  gpu:
    namespace: kube-system
    objects:
      runtime-class: {NvidiaRuntimeClass: {}}
      device-plugin: {StandaloneDevicePlugin: {}}
  ai:
    namespace: ai
    create_namespace: true
    objects:
      ollama: {Ollama: {}}
clusters:
  berlin: {}
  paris: {nodes: {gpu: {count: 2}}}
"""
HALF = (
    "      half: {Object: {apiVersion: v1, kind: Pod, metadata: {name: p, annotations: {talos-gpu/ignore-TG045: of a test}},"
    " spec: {containers: [{name: c, image: 'a:1', resources: {limits: {nvidia.com/gpu: 0.5}}}]}}}\n"
)


@pytest.fixture
def synth(run, tmp_path, monkeypatch):  # noqa: F811
    """The answer of the command for a file with this text, by lines: the clusters, and the messages."""
    monkeypatch.chdir(tmp_path)

    def call(text, *flags):
        (tmp_path / "fleet.yaml").write_text(text)
        status, answer, messages = run("synth", "fleet.yaml", *flags)
        assert status == 0
        return answer.splitlines(), messages.splitlines()

    return call


def shared(page):
    """The title, and the sections that have no names of the cluster file."""
    sections = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    return [
        sections[0].partition("```")[0],
        *(each.strip() for each in sections if each.startswith(("## Versions", "## Checks"))),
    ]


def nodes(count):
    return GpuNodes(talos_version="1.14.0", product="RTX 4090", gpus_per_node=1, count=count)


def test_each_cluster_has_the_page_of_its_folder(synth, tmp_path):
    synth(FILE)

    for cluster, count in (("berlin", 1), ("paris", 2)):
        folder = tmp_path / "dist" / cluster
        page = (folder / "README.md").read_text()
        (folder / "README.md").unlink()
        assert shared(page) == shared(cluster_page(folder, nodes=nodes(count)))
        assert f"| `gpu` | {count} | 1 x RTX 4090, 24Gi each |" in page


def test_the_page_has_the_lines_of_silenced_findings(synth, tmp_path):
    synth(FILE.replace("clusters:\n", HALF + "clusters:\n"))
    page = (tmp_path / "dist/berlin/README.md").read_text()

    line = 1 + (tmp_path / "dist/berlin/manifests/ai.k8s.yaml").read_text().splitlines().index("          nvidia.com/gpu: 0.5")
    assert f"| `TG045` | `Pod ai/p` | of a test | `manifests/ai.k8s.yaml:{line}` |" in page


def test_a_file_of_somebody_else_in_the_folder_is_not_on_the_page(synth, tmp_path):
    synth(FILE)
    before = (tmp_path / "dist/berlin/README.md").read_text()
    (tmp_path / "dist/berlin/other.yaml").write_text(
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: other}\nhandler: nvidia\n"
    )

    assert synth(FILE)[0][0] == "dist/berlin: 6 files, 0 of them new or changed"
    assert (tmp_path / "dist/berlin/README.md").read_text() == before


def test_the_record_has_the_page(synth, tmp_path):
    synth(FILE)

    assert "README.md" in json.loads((tmp_path / "dist/berlin" / RECORD).read_text())["files"]
    assert synth(FILE, "--changed")[0] == ["dist/berlin: unchanged", "dist/paris: unchanged"]
    (tmp_path / "dist/paris/README.md").unlink()
    assert synth(FILE, "--changed")[0] == ["dist/berlin: unchanged", "dist/paris: 6 files, 1 of them new or changed"]


def test_a_page_that_no_flag_asks_for_is_deleted_and_named(synth, tmp_path):
    synth(FILE)
    answer, messages = synth(FILE, "--no-page", "--changed")

    assert answer == [f"dist/{name}: 5 files, 0 of them new or changed" for name in ("berlin", "paris")]
    assert messages == [
        f"talos-gpu synth: dist/{name}/README.md is deleted: the cluster file and the flags no longer ask for it"
        for name in ("berlin", "paris")
    ]
    assert not (tmp_path / "dist/berlin/README.md").exists()


def test_the_printed_manifests_are_the_same_with_a_page(synth, tmp_path):
    flags = ("--print", "--cluster", "paris")

    assert synth(FILE, *flags) == synth(FILE, "--no-page", *flags)
    assert not (tmp_path / "dist").exists()


TWO = """\
talos: 1.14.6
nodes:
  rtx-1: {card: RTX 4090, cards: 1, address: 192.168.1.21, extensions: [siderolabs/iscsi-tools]}
  rtx-2: {card: RTX 4090, cards: 1, address: 192.168.1.22, extensions: [siderolabs/iscsi-tools]}
  large: {card: L4, cards: 2, addresses: [192.168.2.31, worker-7.lan]}
  spare: {card: L4, count: 3}
workloads:
  smoke-test: {recipe: CudaSmokeTest, nodes: large}
  ollama: {recipe: Ollama, nodes: rtx-1}
"""


@pytest.fixture
def page(synth, tmp_path):
    def call(text):
        synth(text)
        return (tmp_path / "dist/fleet/README.md").read_text()

    return call


def commands(page):
    """The commands of the blocks and of the tables."""
    return [*re.findall(r"^   ((?:talosctl|kubectl|curl) .*)$", page, re.MULTILINE), *re.findall(r"^\| `(.*?)` \|", page, re.MULTILINE)]


def test_the_image_is_installed_on_one_node_after_the_other_by_its_address(page):
    upgrades = [(each.split()[2], each.rpartition("# ")[2]) for each in commands(page(TWO)) if " upgrade --image " in each]

    assert upgrades == [
        ("192.168.2.31", "talos/large-schematic.yaml"),
        ("worker-7.lan", "talos/large-schematic.yaml"),
        ("192.168.1.21", "talos/rtx-1-schematic.yaml"),
        ("192.168.1.22", "talos/rtx-1-schematic.yaml"),
        ("ADDRESS", "talos/spare-schematic.yaml"),
    ]


def test_a_configuration_goes_to_the_addresses_of_its_class_alone(page):
    patches = [each for each in commands(page(TWO)) if "patch machineconfig" in each]

    assert patches == [
        "talosctl --nodes 192.168.2.31 patch machineconfig --patch @talos/large-machine-config.yaml",
        "talosctl --nodes worker-7.lan patch machineconfig --patch @talos/large-machine-config.yaml",
        "talosctl --nodes 192.168.1.21 patch machineconfig --patch @talos/rtx-1-machine-config.yaml",
        "talosctl --nodes 192.168.1.22 patch machineconfig --patch @talos/rtx-1-machine-config.yaml",
        "talosctl --nodes ADDRESS patch machineconfig --patch @talos/spare-machine-config.yaml",
    ]


def test_the_commands_that_verify_a_class_have_its_names_and_addresses_alone(page):
    verify = page(TWO).partition("## Verify")[2].partition("\nThe names are")[0]
    rtx, large, spare = (commands(each) for each in re.split(r"^\*\*`", verify, flags=re.MULTILINE)[1:])

    assert rtx == [
        "talosctl --nodes 192.168.1.21,192.168.1.22 get extensions",
        *(
            f'for address in 192.168.1.21 192.168.1.22; do talosctl --nodes "$address" read {file}; done'
            for file in ("/proc/modules", "/proc/driver/nvidia/version", "/run/cdi/nvidia.yaml")
        ),
        "kubectl get node rtx-1 rtx-2 --show-labels",
        "kubectl get node rtx-1 rtx-2 -o jsonpath='{.items[*].status.allocatable}'",
        "kubectl --namespace workloads exec deployment/ollama -- nvidia-smi",
    ]
    assert large[0] == "talosctl --nodes 192.168.2.31,worker-7.lan get extensions"
    assert large[-2:] == [
        "kubectl get node NODE --show-labels",
        "kubectl get node NODE -o jsonpath='{.status.allocatable}'",
    ]
    assert not re.search(r"192|worker-7|rtx", "".join(spare))


def test_the_only_node_has_its_name_and_its_address_in_every_command(page):
    written = page("{talos: 1.14.6, nodes: {gpu-1: {card: RTX 4090, cards: 1, address: 192.168.1.21}}, workloads: {a: {recipe: Ollama}}}")

    assert not re.search("ADDRESS|NODE|POD", written)
    assert "| `kubectl get node gpu-1 -o jsonpath='{.status.allocatable}'` |" in written
    assert "| `gpu-1` | 1: `gpu-1 (192.168.1.21)` | 1 x RTX 4090, 24Gi each |" in written
    assert 'nodes0["<b>gpu-1</b><br>1 node' in written


def first_step(page):
    return page.partition("## Apply")[2].partition("\n2. ")[0].partition("1. ")[2]


def test_the_first_step_lists_what_the_present_images_have_before_an_image_is_made(page):
    step = first_step(page(TWO))
    nodes = ("192.168.2.31,worker-7.lan", "192.168.1.21,192.168.1.22", "ADDRESS")

    assert re.findall(r"^   ((?:talosctl|curl) .*)$", step, re.MULTILINE) == [
        *(
            f"talosctl --nodes {each} get {words}"
            for words in ("extensions", "platformmetadata -o yaml", "securitystate -o yaml")
            for each in nodes
        ),
        "curl --fail https://factory.talos.dev/schematics/ID   # ID is the version of the row schematic",
    ]
    assert (
        "\n   Write what the new image would lose into `large`, `rtx-1`, `rtx-2`, `spare` of `fleet.yaml`, and run `talos-gpu synth fleet.yaml` again:\n"
        in step
    )


def test_the_first_step_says_what_the_new_image_has_and_which_keys_keep_the_rest(page):
    nvidia = "`siderolabs/nvidia-container-toolkit-production`, `siderolabs/nvidia-open-gpu-kernel-modules-production`"
    kernel = "extra_kernel_args: [iommu=pt], platform: nocloud, secureboot: true"
    alike = first_step(page("{talos: 1.14.6, nodes: {gpu-1: {card: RTX 4090, address: 10.0.0.5, " + kernel + "}}}"))

    assert alike.partition("|---|---|---|\n")[2].splitlines() == [
        f"   | system extensions but `schematic` and `modules.dep` | {nvidia} | `extensions: [siderolabs/iscsi-tools]`, by the names in the schematic |",
        "   | kernel arguments in the schematic | `iommu=pt` | `extra_kernel_args` |",
        "   | an overlay or META values in the schematic | see the schematic | `overlay`, `meta` |",
        "   | a platform | `nocloud` | `platform: nocloud` |",
        "   | Secure Boot | yes | `secureboot: true` |",
    ]
    assert (
        f"| `talos/large-schematic.yaml`: {nvidia}; `talos/rtx-1-schematic.yaml`: `siderolabs/iscsi-tools`, {nvidia}; `talos/spare-schematic.yaml`: {nvidia} |"
        in first_step(page(TWO))
    )


def test_a_new_machine_boots_from_the_iso_of_the_file_and_the_commands_of_a_fleet_name_the_cluster(page, tmp_path, synth):
    assert (
        "A new machine boots from the ISO that `talos-gpu schematic fleet.yaml --class CLASS --print iso` names; its configuration has the patches of "
        "`talos-gpu schematic fleet.yaml --class CLASS --print install-config` and of the next step; CLASS is `large` or `rtx-1` or `spare`."
        in page(TWO)
    )
    synth(TWO + "clusters: {berlin: {}, paris: {}}\n")
    berlin = (tmp_path / "dist/berlin/README.md").read_text()

    assert "`talos-gpu schematic fleet.yaml --class berlin/CLASS --print iso` names" in berlin
    assert "`talos-gpu verify fleet.yaml --cluster berlin --prove` compares the cluster with the file, and runs the proof again." in berlin


def test_a_file_without_a_proof_is_told_how_to_get_one(page):
    text = "{talos: 1.14.6, nodes: {gpu-1: {card: RTX 4090, address: 10.0.0.5}}, workloads: {%s}}"
    words = "No proof: `smoke-test: {recipe: CudaSmokeTest}` in `workloads` adds a Job that runs CUDA on a card."

    assert words in page(text % "a: {recipe: Ollama}")
    assert "\n`talos-gpu verify fleet.yaml` compares the cluster with the file.\n" in page(text % "a: {recipe: Ollama}")
    assert words not in page(text % "a: {recipe: CudaSmokeTest}")


def test_a_decision_that_several_classes_have_in_common_stands_once(page):
    assert page(TWO).count("\n- device plugin: namespace kube-system") == 1


def test_the_plan_of_the_upgrade_comes_from_the_file_and_keeps_the_image_of_the_class(page, run, tmp_path):  # noqa: F811
    text = TWO.replace("1.14.6", "1.13.9").replace(
        "[siderolabs/iscsi-tools]", "[siderolabs/iscsi-tools], platform: nocloud, secureboot: true"
    )
    plans = re.findall(r"^talos-gpu (upgrade .*)$", page(text), re.MULTILINE)

    assert [each.rpartition(" --to ")[0] for each in plans] == [
        f"upgrade fleet.yaml --class {each}" for each in ("rtx-1", "large", "spare")
    ]
    status, plan, _ = run(*plans[0].split())
    written = (tmp_path / "dist/fleet/talos/rtx-1-installer-image.txt").read_text().partition(":")[0]
    assert status == 0
    assert written.startswith("factory.talos.dev/nocloud-installer-secureboot/")
    assert f"{written}:v1.13." in plan


MIXED = """\
talos: 1.14.6
nodes:
  gpu-1: {card: RTX 4090, cards: 2, address: 192.168.1.21, taints: ["dedicated=ai:NoSchedule", "spot:NoExecute"]}
  gpu-2: {card: RTX 4090, cards: 2, address: 192.168.1.22, taints: ["dedicated=ai:NoSchedule", "spot:NoExecute"]}
  h100: {card: H100 SXM5, cards: 8, address: 'fd00::22', talos: %s, extensions: [siderolabs/iscsi-tools]}
"""


@pytest.mark.parametrize("talos", ["1.14.5", "1.13.9"], ids=["another patch", "another minor"])
def test_classes_of_different_talos_have_an_image_and_a_plan_each(page, talos):
    written = page(MIXED % talos)
    images = [each.partition(" --image ")[2] for each in commands(written) if " upgrade --image " in each]
    upgrade = written.partition("## Upgrade")[2].partition("\n## ")[0]

    assert [each.rpartition(":v")[2] for each in images] == [
        *["1.14.6   # talos/gpu-1-schematic.yaml"] * 2,
        f"{talos}   # talos/h100-schematic.yaml",
    ]
    assert "\n`gpu-1`: Talos 1.14.6 is the newest release in the tables of " in upgrade
    assert re.findall(r"^talos-gpu (.*) --to ", upgrade, re.MULTILINE) == ["upgrade fleet.yaml --class h100"]


def test_classes_without_a_plan_for_one_reason_have_one_sentence(page):
    upgrade = page(MIXED % "1.14.6").partition("## Upgrade")[2].partition("\n## ")[0].strip()

    assert re.fullmatch(r"Talos 1\.14\.6 is the newest release in the tables of [0-9-]+\.", upgrade)


def test_a_worker_that_has_joined_gets_its_taints_by_kubectl_and_they_are_verified(page):
    written = page(MIXED % "1.14.6")

    assert [each for each in commands(written) if each.startswith("kubectl taint")] == [
        "kubectl taint nodes gpu-1 gpu-2 dedicated=ai:NoSchedule spot:NoExecute --overwrite   # a worker of gpu-1 that has joined already"
    ]
    assert (
        "| `kubectl get node gpu-1 gpu-2 -o jsonpath='{.items[*].spec.taints}'` | "
        '`{"effect":"NoSchedule","key":"dedicated","value":"ai"}`, `{"effect":"NoExecute","key":"spot"}` | the machine configuration |'
        in written
    )
    assert written.count("spec.taints") == 1
    assert "A worker that has joined may not change its own taints" in written


@pytest.mark.parametrize(
    "taints",
    ["[]", '["dedicated=ai:NoSchedule", "node-role.kubernetes.io/control-plane:NoSchedule"]'],
    ids=["no taint", "control plane"],
)
def test_nodes_that_need_no_administrator_get_no_kubectl_taint(page, taints):
    written = page(f"{{talos: 1.14.6, nodes: {{gpu-1: {{card: RTX 4090, address: 10.0.0.5, taints: {taints}}}}}}}")

    assert "kubectl taint" not in written
    assert "A worker that has joined" not in written


def test_a_worker_that_has_joined_gets_the_labels_that_it_may_not_set(page):
    written = page("{talos: 1.14.6, nodes: {gpu-1: {card: RTX 4090, address: 10.0.0.5, extra_labels: {node-role.kubernetes.io/gpu: a}}}}")

    assert "   kubectl label nodes gpu-1 node-role.kubernetes.io/gpu=a --overwrite   # a worker that has joined already\n" in written


def test_a_node_that_was_upgraded_gets_a_patch_of_fields(page, run):  # noqa: F811
    words = "A node that was upgraded from Talos 1.13 keeps its fields, and refuses these documents beside them: it gets the patch of "

    assert f"{words}`talos-gpu patch fleet.yaml --class CLASS --style fields`; CLASS is `gpu-1` or `h100`." in page(MIXED % "1.14.5")
    assert "\nmachine:\n" in run("patch", "fleet.yaml", "--class", "h100", "--style", "fields")[1]
    assert f"{words}`talos-gpu patch fleet.yaml --class gpu-1 --style fields`." in page(MIXED % "1.13.9")
    assert words not in page((MIXED % "1.13.9").replace("1.14.6", "1.13.9"))


def test_the_extensions_of_a_node_are_those_of_its_image(page, tmp_path):
    written = page(MIXED % "1.14.6").partition("## Verify")[2]
    image = re.findall(r"- siderolabs/(\S+)", (tmp_path / "dist/fleet/talos/h100-schematic.yaml").read_text())
    (shown,) = re.findall(r"^\| `talosctl --nodes fd00::22 get extensions` \| (.*) \| the image \|$", written, re.MULTILINE)

    assert sorted(shown.strip("`").split("`, `")) == sorted(image)
    assert {"nvidia-fabricmanager-production", "iscsi-tools"} < {*image}
    assert (
        "\n- h100: extensions nvidia-open-gpu-kernel-modules-production, nvidia-container-toolkit-production and nvidia-fabricmanager-production "
        "in the image, beside your own\n" in written
    )


def test_a_worker_of_omni_that_has_joined_gets_its_taints_too(page):
    written = page(
        "{talos: 1.14.6, nodes: {gpu-1: {card: RTX 4090, address: 10.0.0.5, taints: [a], omni: {cluster: home, machine_set: home-gpu}}}}"
    )

    assert re.search(r"omnictl apply --file \S+\n   kubectl taint nodes gpu-1 a:NoSchedule --overwrite ", written)
