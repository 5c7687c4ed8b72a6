"""The Talos files of an adopted tree: each setting of a node is in the file, or a line names it."""

import pytest
import yaml

from conftest import ROOT
from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.differences import Outcome, differences, outcome
from constructs_lib.nodes.factory_ids import schematic_id
from constructs_lib.observed.read.repository import read, read_text

DRIVER = ["siderolabs/nvidia-container-toolkit-production", "siderolabs/nvidia-open-gpu-kernel-modules-production"]
MODULES = [{"name": name} for name in ("nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset")]
RUNTIME_CLASS = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}


def talconfig(*, extensions=(), customization=None, schematic=None, modules=MODULES, patch=None, **node):
    """A talconfig with one GPU node, and the RuntimeClass of its cluster."""
    extensions = {"systemExtensions": {"officialExtensions": [*DRIVER, *extensions]}}
    own = {
        "hostname": "gpu-1",
        "kernelModules": list(modules),
        "schematic": {"customization": {**extensions, **(customization or {})}, **(schematic or {})},
        "patches": [yaml.safe_dump(patch)] if patch else [],
        **node,
    }
    return yaml.safe_dump_all([{"clusterName": "home", "endpoint": "https://10.0.0.1:6443", "nodes": [own]}, RUNTIME_CLASS])


def adopted(text, talos="1.14.0"):
    """The entry of `talos`, and the lines of the explanations that are no objects."""
    adoption = adopt(read_text(text), talos)
    return adoption.description["talos"], [each.text for each in differences(adoption) if "RuntimeClass nvidia" not in each.about]


def test_a_node_that_the_file_describes_whole_only_keeps_its_file():
    _, lines = adopted(talconfig())

    assert lines == ["stays in its file: -:4: gpu-1: the schematic and the patch of the cluster file are merged into this file"]


@pytest.mark.parametrize(
    ("node", "argument", "value"),
    [
        ({"extensions": ["siderolabs/iscsi-tools"]}, "extensions", ["siderolabs/iscsi-tools"]),
        ({"extensions": ["siderolabs/nvidia-gdrdrv-device"], "modules": [*MODULES, {"name": "gdrdrv"}]}, "gdrcopy", True),
        ({"customization": {"extraKernelArgs": ["iommu=pt"]}}, "extra_kernel_args", ["iommu=pt"]),
        ({"modules": [*MODULES, {"name": "nbd"}]}, "extra_kernel_modules", ["nbd"]),
        (
            {"modules": [{"name": "nvidia", "parameters": ["NVreg_EnableGpuFirmware=0"]}, *MODULES[1:]]},
            "kernel_module_parameters",
            {"nvidia": ["NVreg_EnableGpuFirmware=0"]},
        ),
        ({"patch": {"machine": {"sysctls": {"vm.nr_hugepages": "1024"}}}}, "sysctls", {"vm.nr_hugepages": "1024"}),
        (
            {"schematic": {"overlay": {"image": "siderolabs/sbc-rockchip", "name": "turingrk1"}}, "machineSpec": {"arch": "arm64"}},
            "overlay",
            {"Overlay": {"image": "siderolabs/sbc-rockchip", "name": "turingrk1"}},
        ),
        (
            {
                "schematic": {"overlay": {"image": "siderolabs/sbc-rockchip", "name": "turingrk1", "options": {"dtb": "x"}}},
                "machineSpec": {"arch": "arm64"},
            },
            "overlay",
            {"Overlay": {"image": "siderolabs/sbc-rockchip", "name": "turingrk1", "options": {"dtb": "x"}}},
        ),
        ({"customization": {"bootloader": "sd-boot"}}, "bootloader", "sd-boot"),
        ({"customization": {"meta": [{"key": 10, "value": "x"}]}}, "meta", {10: "x"}),
        ({"customization": {"diskImage": {"sectorSize": 4096}}}, "sector_size", 4096),
        ({"customization": {"embeddedMachineConfiguration": "machine: {}\n"}}, "embedded_config", "machine: {}\n"),
        (
            {"customization": {"secureboot": {"includeWellKnownCertificates": True}}},
            "secure_boot",
            {"SecureBoot": {"include_well_known_certificates": True}},
        ),
        ({"machineSpec": {"secureboot": True}}, "secureboot", True),
        ({"machineSpec": {"mode": "nocloud"}}, "platform", "nocloud"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_setting_with_an_argument_is_carried_over_without_a_loss(node, argument, value):
    entry, lines = adopted(talconfig(**node))

    assert entry[argument] == value
    assert [line for line in lines if line.startswith("not understood")] == []


def test_the_fabric_manager_is_carried_over():
    entry, lines = adopted(talconfig(extensions=["siderolabs/nvidia-fabricmanager-production"]))

    assert entry["fabric_manager"] is True
    assert [line for line in lines if line.startswith("not understood")] == []


@pytest.mark.parametrize(
    ("node", "loss"),
    [
        ({"extensions": ["siderolabs/nvidia-fabricmanager-lts"]}, "extensions: siderolabs/nvidia-fabricmanager-lts is left out"),
        ({"customization": {"newer": {"setting": True}}}, "schematic.customization.newer.setting: the value is left out"),
        ({"extensions": ["example.com/own-extension"]}, "extensions: example.com/own-extension is left out"),
    ],
    ids=("track", "newer setting", "own extension"),
)
def test_a_setting_that_the_file_loses_is_not_understood(node, loss):
    _, lines = adopted(talconfig(**node))

    assert f"not understood: -:4: gpu-1 {loss}" in lines


def test_a_kernel_argument_with_a_token_is_neither_copied_nor_printed():
    entry, lines = adopted(talconfig(customization={"extraKernelArgs": ["siderolink.api=https://omni?jointoken=hunter2"]}))

    assert "not understood: -:4: gpu-1 extra_kernel_args: siderolink.api is left out" in lines
    assert "hunter2" not in f"{entry}{lines}"


def test_a_node_with_fields_keeps_them_on_a_talos_with_documents():
    assert adopted(talconfig())[0]["style"] == "fields"


def test_a_module_that_the_patch_adds_is_named():
    _, lines = adopted(talconfig(modules=MODULES[:2]))

    assert "by the construct: -:4: gpu-1 kernel_modules: nvidia_drm is added" in lines


def test_what_no_part_of_the_file_says_stays_in_its_file_by_name():
    _, lines = adopted(talconfig(patch={"machine": {"network": {"nameservers": ["1.1.1.1"]}, "nodeLabels": {"zone": "a"}}}))

    assert lines[-1].endswith("only this file says labels.zone, machine.network")


def test_a_section_that_the_patch_also_has_stays_too_because_talos_merges_both():
    text = talconfig(patch={"machine": {"kubelet": {"extraConfig": {"maxPods": 250}}}}, nodeTaints={"dedicated": "ai:NoSchedule"})
    _, lines = adopted(text, "1.12.11")

    assert lines[-1].endswith("only this file says machine.kubelet")
    assert [line for line in lines if line.startswith("not understood")] == []


@pytest.mark.parametrize(
    "customization",
    [{"meta": [{"key": 10, "value": "token: hunter2"}]}, {"embeddedMachineConfiguration": "machine: {token: hunter2}\n"}],
    ids=list,
)
def test_a_text_of_the_image_with_a_credential_is_neither_copied_nor_printed(customization):
    entry, lines = adopted(talconfig(customization=customization))

    assert any("the value is left out" in line for line in lines)
    assert "hunter2" not in f"{entry}{lines}"


def test_the_image_of_two_nodes_has_the_extensions_of_both():
    first, second = (yaml.safe_load(talconfig(extensions=each).partition("---")[0])["nodes"][0] for each in (["siderolabs/zfs"], []))
    text = yaml.safe_dump({"clusterName": "home", "endpoint": "https://10.0.0.1:6443", "nodes": [first, {**second, "hostname": "gpu-2"}]})
    entry, lines = adopted(f"{text}---\n{yaml.safe_dump(RUNTIME_CLASS)}")

    assert entry["extensions"] == ["siderolabs/zfs"]
    assert [line for line in lines if line.startswith("not understood")] == []
    assert [line.partition("gpu-2 ")[2] for line in lines if "zfs" in line] == ["extensions: siderolabs/zfs is added"]


def test_the_kernel_arguments_of_an_omni_template_are_carried_over():
    template = [
        {"kind": "Cluster", "name": "home", "talos": {"version": "v1.14.0"}, "kubernetes": {"version": "v1.35.0"}, "kernelArgs": ["quiet"]},
        {"kind": "Workers", "machines": ["430d882a-51a8-48b3-ab00-d4b5b0b5b0b6"], "systemExtensions": DRIVER, "kernelArgs": ["iommu=pt"]},
        RUNTIME_CLASS,
    ]
    entry, _ = adopted(yaml.safe_dump_all(template))

    assert entry["extra_kernel_args"] == ["iommu=pt"]


@pytest.mark.parametrize("cluster", ["today", "operator-argocd", "operator-flux", "single-node-h100", "standalone-shared"])
def test_adopting_an_app_gives_back_its_talos_documents(cluster):
    folder = ROOT / "dist" / cluster
    talos = next((folder / "talos").glob("*installer-image.txt")).read_text().strip().rpartition(":v")[2]
    adoption = adopt(read([folder]), talos)
    made = {name.removeprefix("talos/"): text for name, text in adoption.files.items() if name.startswith("talos/")}

    assert {name: list(yaml.safe_load_all(text)) for name, text in made.items()} == {
        path.name: list(yaml.safe_load_all(path.read_text())) for path in (folder / "talos").iterdir()
    }


UNKNOWN = "860472941166290c021d3922bfbdf9107a0a74454eab1501b491b962e8a03523"


def unread(node, shown):
    return (
        f"not understood: nodes: the image of {node} was not read, so its driver is not known, and the file has no Talos files with a default one: "
        f"{shown}; save the schematic beside the files, and adopt them again"
    )


def of_schematic(schematic):
    return f"curl --fail https://factory.talos.dev/schematics/{schematic} prints its schematic"


def with_image(schematic, **node):
    return talconfig(talosImageURL=f"factory.talos.dev/installer/{schematic}", **node)


def test_a_driver_that_no_file_states_is_named_and_never_a_default():
    adoption = adopt(read_text(with_image(UNKNOWN, extensions=["siderolabs/iscsi-tools"])), "1.14.0")
    found = differences(adoption)

    assert [each.text for each in found] == [unread("gpu-1", of_schematic(UNKNOWN))]
    assert outcome(adoption, found) is Outcome.PARTLY
    assert "talos" not in adoption.description
    assert not [name for name in adoption.files if name.startswith("talos/")]


def test_a_patch_without_an_image_has_no_driver_either():
    adoption = adopt(read_text(yaml.safe_dump({"machine": {"kernel": {"modules": MODULES}}})), "1.14.0")

    assert unread("-", "talosctl get extensions shows the ID of its schematic") in [each.text for each in differences(adoption)]
    assert "talos" not in adoption.description


def test_an_unread_schematic_that_is_saved_beside_the_files_is_read(tmp_path):
    schematic = {"customization": {"systemExtensions": {"officialExtensions": [f"{each.rpartition('-')[0]}-lts" for each in DRIVER]}}}
    schematic["customization"]["extraKernelArgs"] = ["iommu=pt"]
    (tmp_path / "schematic.yaml").write_text(yaml.safe_dump(schematic))
    (tmp_path / "talconfig.yaml").write_text(with_image(schematic_id_of(schematic)))
    adoption = adopt(read([tmp_path]), "1.14.0")

    assert adoption.description["nodes"]["driver_track"] == "lts"
    assert adoption.description["talos"]["extra_kernel_args"] == ["iommu=pt"]


def schematic_id_of(schematic):
    """The ID, with the fields in the factory's order."""
    own = schematic["customization"]
    return schematic_id({"customization": {key: own[key] for key in ("extraKernelArgs", "systemExtensions")}})


def test_only_the_classes_whose_driver_is_known_have_talos_files():
    nodes = yaml.safe_load_all(talconfig()), yaml.safe_load_all(with_image(UNKNOWN, hostname="gpu-2", nodeLabels={"gpu": "second"}))
    (first, runtime_class), (second, _) = nodes
    first["nodes"][0]["nodeLabels"] = {"gpu": "first"}
    both = {**first, "nodes": [*first["nodes"], *second["nodes"]]}
    adoption = adopt(read_text(yaml.safe_dump_all([both, runtime_class])), "1.14.0")

    assert [each["nodes"] for each in adoption.talos] == ["gpu-1"]
    assert [each.text for each in differences(adoption) if "gpu-2" in each.text] == [unread("gpu-2", of_schematic(UNKNOWN))]
    assert not [name for name in adoption.files if name.startswith("talos/gpu-2")]


def test_a_schematic_that_talhelper_ignores_beside_an_image_is_not_taken():
    known = "1deaeeb1ea2e7901c21c109368a7261f52dfd9a91e9d7eea83cfd0f0e1b7d488"
    entry, _ = adopted(with_image(known, customization={"extraKernelArgs": ["iommu=pt"]}))

    assert "extra_kernel_args" not in entry


def test_a_schematic_whose_image_stands_beside_it_is_taken():
    customization = {"extraKernelArgs": ["iommu=pt"], "systemExtensions": {"officialExtensions": DRIVER}}
    entry, _ = adopted(with_image(schematic_id({"customization": customization}), customization={"extraKernelArgs": ["iommu=pt"]}))

    assert entry["extra_kernel_args"] == ["iommu=pt"]
