"""talhelper itself makes the configuration of a node from the fields that this library writes."""

import subprocess

import pytest
import yaml

from conftest import needs
from constructs_lib import GpuNodes, Taint
from constructs_lib.talos.config.machine_config import MachineConfigPatch
from constructs_lib.talos.image.schematic import Overlay, Schematic, SecureBoot
from constructs_lib.talos.targets.talconfig import merge_into_talconfig

TALCONFIG = """\
clusterName: home
talosVersion: v%s
kubernetesVersion: v1.34.0
endpoint: https://10.0.0.10:6443
nodes:
  - hostname: cp-1
    ipAddress: 10.0.0.10
    controlPlane: true
    installDisk: /dev/sda
  - hostname: gpu-1
    ipAddress: 10.0.0.30
    controlPlane: false
    installDisk: /dev/sda
"""


def generated(tmp_path, talconfig):
    """The machine configuration that talhelper makes of the node gpu-1, without a request to the Image Factory."""
    talhelper = needs("TALHELPER", "talhelper (tools/talhelper.sh)")
    (tmp_path / "talconfig.yaml").write_text(talconfig)
    secrets = subprocess.run([talhelper, "gensecret"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    (tmp_path / "talsecret.yaml").write_text(secrets)
    line = [talhelper, "genconfig", "--offline-mode", "--no-gitignore", "--secret-file", "talsecret.yaml"]
    made = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return next(yaml.safe_load_all((tmp_path / "clusterconfig/home-gpu-1.yaml").read_text()))["machine"]


@pytest.mark.parametrize("talos", ["1.11.6", "1.12.11", "1.13.9"])
def test_talhelper_makes_our_configuration_and_the_image_of_our_schematic(talos, tmp_path):
    nodes = GpuNodes(talos_version=talos, labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")])
    schematic = Schematic(nodes=nodes, extensions=["siderolabs/iscsi-tools"], extra_kernel_args=["net.ifnames=0"])
    patch = MachineConfigPatch(
        nodes=nodes, style="fields", operator=True, cdi_spec_dirs=["/var/cdi"], sysctls={"vm.max_map_count": "262144"},
        kernel_module_parameters={"nvidia": ["NVreg_EnableGpuFirmware=1"]},
    )  # fmt: skip
    machine = generated(tmp_path, merge_into_talconfig(TALCONFIG % talos, hostnames=["gpu-1"], schematic=schematic, patch=patch))
    wanted = patch.documents[0]["machine"]

    assert machine["install"]["image"] == schematic.installer_image()
    assert machine["kernel"] == wanted["kernel"]
    assert machine["nodeLabels"] == wanted["nodeLabels"]
    assert machine["nodeTaints"] == wanted["nodeTaints"]
    assert machine["sysctls"].items() >= wanted["sysctls"].items()
    assert machine["kubelet"]["extraConfig"] == wanted["kubelet"]["extraConfig"]
    assert [(file["path"], file["op"], file["content"]) for file in machine["files"]] == [
        (file["path"], file["op"], file["content"]) for file in wanted["files"]
    ]


@pytest.mark.parametrize(
    "more",
    [
        {
            "overlay": Overlay(
                image="siderolabs/sbc-raspberrypi", name="rpi_generic", options={"configTxtAppend": "a=1\nb", "b": 7, "a": True}
            )
        },
        {"secure_boot": SecureBoot(enroll_keys="force", include_well_known_certificates=True)},
        {"meta": {10: "a: 1\n"}, "bootloader": "sd-boot"},
        {
            "embedded_config": "# A name\nkind: HostnameConfig\nhostname: 'a: b'\n---\n\nmachine:\n  sysctls: {a: \"1\"}\n",
            "sector_size": 4096,
        },
        {"embedded_config": "machine: {}"},
    ],
    ids=["overlay", "secure boot", "meta", "embedded configuration", "a line of configuration"],
)
def test_the_id_that_talhelper_computes_is_ours(more, tmp_path):
    nodes = GpuNodes(talos_version="1.13.9")
    schematic = Schematic(nodes=nodes, **more)
    patch = MachineConfigPatch(nodes=nodes, style="fields")
    machine = generated(tmp_path, merge_into_talconfig(TALCONFIG % "1.13.9", hostnames=["gpu-1"], schematic=schematic, patch=patch))

    assert machine["install"]["image"] == schematic.installer_image()
