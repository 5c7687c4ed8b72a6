"""`--from`: a new image has all that the present one has, whatever the source, and says what it lacks."""

from pathlib import Path

import pytest
import yaml
from command_line import answer, refusal, run  # noqa: F401  # fixtures

from constructs_lib import GpuNodes
from constructs_lib.talos import Overlay, Schematic, SecureBoot

TALOS = "1.13.9"
NODES = GpuNodes(talos_version=TALOS)
H100 = GpuNodes(talos_version=TALOS, product="H100", gpus_per_node=8)
SCHEMATICS = {
    "extensions": Schematic(nodes=NODES, extensions=["siderolabs/iscsi-tools", "siderolabs/intel-ucode"]),
    "kernel arguments": Schematic(nodes=NODES, extra_kernel_args=["iommu=pt", "-console", "nvidia_drm.modeset=1"]),
    "a token": Schematic(nodes=NODES, extra_kernel_args=["siderolink.api=https://omni.example.com?jointoken=abc"]),
    "gdrcopy": Schematic(nodes=NODES, gdrcopy=True),
    "a fabric manager": Schematic(nodes=H100, fabric_manager=True),
    "no fabric manager": Schematic(nodes=H100, fabric_manager=False),
    "an overlay": Schematic(nodes=NODES, overlay=Overlay(image="siderolabs/sbc-rockchip", name="turingrk1", options={"configTxtAppend": "a=b"})),
    "meta": Schematic(nodes=NODES, meta={10: "addresses: []"}),
    "a bootloader": Schematic(nodes=NODES, bootloader="sd-boot"),
    "secure boot": Schematic(nodes=NODES, secure_boot=SecureBoot(enroll_keys="off", include_well_known_certificates=True)),
    "sectors": Schematic(nodes=NODES, sector_size=4096),
    "a configuration": Schematic(nodes=NODES, embedded_config="apiVersion: v1alpha1\nkind: SysctlConfig\nparams: {a.b: '1'}\n"),
}  # fmt: skip


def class_of(schematic):
    nodes = schematic.nodes
    return [] if nodes.product is None else ["--product", nodes.product, "--gpus-per-node", str(nodes.gpus_per_node)]


@pytest.mark.parametrize("schematic", SCHEMATICS.values(), ids=SCHEMATICS)
def test_a_schematic_is_taken_over_whole(schematic, answer, tmp_path):  # noqa: F811
    path = tmp_path / "schematic.yaml"
    path.write_text(schematic.text)

    assert answer("schematic", "--talos", TALOS, *class_of(schematic), "--from", path, "--print", "id") == f"{schematic.id}\n"


@pytest.mark.parametrize("schematic", SCHEMATICS.values(), ids=SCHEMATICS)
def test_the_driver_is_added_to_an_image_without_one(schematic, run, tmp_path):  # noqa: F811
    without = [line for line in schematic.text.splitlines() if "siderolabs/nvidia" not in line]
    path = tmp_path / "schematic.yaml"
    path.write_text("\n".join(without))
    status, out, _ = run("schematic", "--talos", TALOS, *class_of(schematic), "--from", path)

    expected = schematic.document["customization"]
    customization = yaml.safe_load(out)["customization"]
    assert status == 0
    assert {key: value for key, value in customization.items() if key != "systemExtensions"} == {
        key: value for key, value in expected.items() if key != "systemExtensions"
    }
    assert "siderolabs/nvidia-open-gpu-kernel-modules-production" in customization["systemExtensions"]["officialExtensions"]


def test_a_flag_adds_to_the_source_or_comes_before_it(answer, tmp_path):  # noqa: F811
    path = tmp_path / "schematic.yaml"
    path.write_text(Schematic(nodes=NODES, extensions=["siderolabs/zfs"], sector_size=4096).text)
    text = answer("schematic", "--talos", TALOS, "--from", path, "--extension", "siderolabs/iscsi-tools", "--sector-size", 512)

    assert text == Schematic(nodes=NODES, extensions=["siderolabs/zfs", "siderolabs/iscsi-tools"]).text


def test_the_source_has_the_driver_of_the_nodes(refusal, tmp_path):  # noqa: F811
    path = tmp_path / "schematic.yaml"
    path.write_text(Schematic(nodes=GpuNodes(talos_version=TALOS, driver_track="lts")).text)

    assert "give --kernel-modules open --driver-track lts" in refusal("schematic", "--talos", TALOS, "--from", path)


def node(**labels):
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": "gpu-1",
            "labels": {
                "extensions.talos.dev/nvidia-container-toolkit-production": "1",
                "extensions.talos.dev/nvidia-open-gpu-kernel-modules-production": "1",
                **{f"extensions.talos.dev/{name.replace('_', '-')}": value for name, value in labels.items()},
            },
        },
        "status": {"nodeInfo": {"osImage": f"Talos (v{TALOS})", "architecture": "amd64"}},
    }


def test_the_labels_of_a_node_say_its_extensions(run, tmp_path):  # noqa: F811
    path = tmp_path / "nodes.yaml"
    path.write_text(yaml.safe_dump(node(iscsi_tools="v0.2.0", intel_ucode="20260101", own_tools="v1")))
    status, out, err = run("schematic", "--talos", TALOS, "--from", path, "--print", "installer")

    expected = Schematic(nodes=NODES, extensions=["siderolabs/intel-ucode", "siderolabs/iscsi-tools"])
    assert (status, out) == (0, f"{expected.installer_image()}\n")
    assert "the image lacks own-tools" in err
    assert "kernel arguments, overlay and META were not read" in err
    assert "only NVIDIA's extensions" not in err


def test_a_known_schematic_of_a_node_leaves_nothing_open_about_it(run, tmp_path):  # noqa: F811
    image = Schematic(nodes=NODES, extensions=["siderolabs/iscsi-tools"])
    written = node(iscsi_tools="v0.2.0")
    written["metadata"]["annotations"] = {"extensions.talos.dev/schematic": image.id}
    (tmp_path / "nodes.yaml").write_text(yaml.safe_dump(written))
    _, out, err = run("schematic", "--talos", TALOS, "--from", tmp_path / "nodes.yaml", "--print", "id")

    assert out == f"{image.id}\n"
    assert "kernel arguments" not in err


def test_a_schematic_that_is_only_named_is_to_be_read_from_the_factory(run, tmp_path):  # noqa: F811
    written = node(iscsi_tools="v0.2.0")
    written["metadata"]["annotations"] = {"extensions.talos.dev/schematic": "ab" * 32}
    (tmp_path / "nodes.yaml").write_text(yaml.safe_dump(written))

    assert (
        f"curl --fail https://factory.talos.dev/schematics/{'ab' * 32}"
        in run("schematic", "--talos", TALOS, "--from", tmp_path / "nodes.yaml")[2]
    )


def test_a_node_without_labels_leaves_its_extensions_open(run, tmp_path):  # noqa: F811
    written = node()
    written["metadata"]["labels"] = {}
    (tmp_path / "nodes.yaml").write_text(yaml.safe_dump(written))
    _, _, err = run("schematic", "--talos", TALOS, "--from", tmp_path / "nodes.yaml")

    assert "gpu-1: no extensions were read; this image has only NVIDIA's extensions; run `talosctl get extensions`" in err


EXTENSION = """\
node: 10.5.0.2
metadata: {{namespace: runtime, type: ExtensionStatuses.runtime.talos.dev, id: "{id}"}}
spec: {{image: x, metadata: {{name: {name}, version: v1}}}}
---
"""


def test_the_output_of_talosctl_is_read_from_standard_input(run, monkeypatch):  # noqa: F811
    import io

    listed = ["iscsi-tools", "nvidia-open-gpu-kernel-modules-production", "nvidia-container-toolkit-production"]
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(EXTENSION.format(id=number, name=each) for number, each in enumerate(listed))))
    status, out, _ = run("schematic", "--talos", TALOS, "--from", "-")

    assert (status, out) == (0, Schematic(nodes=NODES, extensions=["siderolabs/iscsi-tools"]).text)


TALCONFIG = """\
clusterName: home
endpoint: https://10.0.0.1:6443
talosVersion: v1.13.9
nodes:
  - hostname: cp-1
    ipAddress: 10.0.0.1
    controlPlane: true
  - hostname: gpu-1
    ipAddress: 10.0.0.2
    machineSpec: {mode: nocloud, secureboot: true}
    schematic:
      customization:
        extraKernelArgs: [iommu=pt]
        systemExtensions:
          officialExtensions: [siderolabs/qemu-guest-agent, siderolabs/nvidia-container-toolkit-production, siderolabs/nvidia-open-gpu-kernel-modules-production]
"""


def test_a_talconfig_says_the_platform_and_secure_boot(answer, tmp_path):  # noqa: F811
    (tmp_path / "talconfig.yaml").write_text(TALCONFIG)
    expected = Schematic(nodes=NODES, extensions=["siderolabs/qemu-guest-agent"], extra_kernel_args=["iommu=pt"])
    flags = ["--talos", TALOS, "--from", tmp_path / "talconfig.yaml"]

    assert answer("schematic", *flags, "--print", "installer") == f"{expected.installer_image(platform='nocloud', secureboot=True)}\n"
    plan = answer("upgrade", *flags, "--to", "1.14.0")
    assert f"factory.talos.dev/nocloud-installer-secureboot/{expected.id}:v1.14.0" in plan
    assert "siderolabs/qemu-guest-agent" in answer("patch", "--for", "terraform", *flags)


def test_two_images_are_refused(refusal, tmp_path):  # noqa: F811
    for name in ("siderolabs/zfs", "siderolabs/iscsi-tools"):
        (tmp_path / f"{name[11:]}.yaml").write_text(Schematic(nodes=NODES, extensions=[name]).text)

    assert "--from must be a source with one image" in refusal("schematic", "--talos", TALOS, "--from", tmp_path)


@pytest.mark.parametrize("text", ["", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"], ids=["empty", "another"])
def test_a_source_without_an_image_is_refused(text, refusal, tmp_path):  # noqa: F811
    (tmp_path / "a.yaml").write_text(text)

    assert "--from must be a source with the image of a node" in refusal("schematic", "--talos", TALOS, "--from", tmp_path / "a.yaml")


def test_a_setting_that_the_library_does_not_know_is_named(run, tmp_path):  # noqa: F811
    path = Path(tmp_path, "schematic.yaml")
    path.write_text(Schematic(nodes=NODES).text + "    newer: {setting: 1}\n")
    _, _, err = run("schematic", "--talos", TALOS, "--from", path)

    assert "customization.newer.setting is not taken over" in err


def test_a_source_has_no_effect_on_what_has_no_image(refusal, tmp_path):  # noqa: F811
    for arguments in (["patch"], ["upgrade", "--to", "1.14.0", "--leftovers", tmp_path]):
        assert "--from must be left out" in refusal(*arguments, "--talos", TALOS, "--from", tmp_path)
