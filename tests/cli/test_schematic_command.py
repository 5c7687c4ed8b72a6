"""`talos-gpu schematic`: YAML, ID and image addresses."""

import pytest
from command_line import ID, NODES

from constructs_lib import GpuNodes
from constructs_lib.talos import Schematic
from constructs_lib.upstream.talos.releases import READ_ON


@pytest.mark.parametrize(
    ("flags", "made"),
    [
        ([], {}),
        (["--extension", "siderolabs/iscsi-tools", "--extension", "siderolabs/zfs"], {"extensions": ["siderolabs/iscsi-tools", "siderolabs/zfs"]}),
        (["--fabric-manager"], {"fabric_manager": True}),
        (["--gdrcopy"], {"gdrcopy": True}),
        (["--kernel-arg", "net.ifnames=0", "--kernel-arg=-console"], {"extra_kernel_args": ["net.ifnames=0", "-console"]}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("printed", ["yaml", "id"])
def test_a_flag_is_the_argument_of_the_schematic(flags, made, printed, answer):
    expected = Schematic(nodes=NODES, **made)

    assert (
        answer("schematic", "--talos", "1.13.9", *flags, "--print", printed) == {"yaml": expected.text, "id": f"{expected.id}\n"}[printed]
    )
    assert (expected.id == ID) is (not made)


def test_the_schematic_is_yaml_unless_said_otherwise(answer):
    assert answer("schematic", "--talos", "1.13.9") == (
        "customization:\n"
        "    systemExtensions:\n"
        "        officialExtensions:\n"
        "            - siderolabs/nvidia-container-toolkit-production\n"
        "            - siderolabs/nvidia-open-gpu-kernel-modules-production\n"
    )


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--print", "id"], ID),
        (["--print", "iso"], f"https://factory.talos.dev/image/{ID}/v1.13.9/metal-amd64.iso"),
        (
            ["--print", "iso", "--platform", "nocloud", "--secureboot"],
            f"https://factory.talos.dev/image/{ID}/v1.13.9/nocloud-amd64-secureboot.iso",
        ),
        (["--print", "iso", "--arch", "arm64"], f"https://factory.talos.dev/image/{ID}/v1.13.9/metal-arm64.iso"),
        (["--print", "iso", "--product", "GH200"], f"https://factory.talos.dev/image/{ID}/v1.13.9/metal-arm64.iso"),
        (["--print", "disk-image"], f"https://factory.talos.dev/image/{ID}/v1.13.9/metal-amd64.raw.zst"),
        (
            ["--print", "disk-image", "--platform", "aws", "--arch", "arm64"],
            f"https://factory.talos.dev/image/{ID}/v1.13.9/aws-arm64.raw.xz",
        ),
        (["--print", "pxe"], f"https://pxe.factory.talos.dev/pxe/{ID}/v1.13.9/metal-amd64"),
    ],
)
def test_what_follows_from_the_schematic_is_one_line(flags, expected, answer):
    assert answer("schematic", "--talos", "1.13.9", *flags) == f"{expected}\n"


REMARK = "this image has only NVIDIA's extensions; run `talosctl get extensions` and add the others with --extension, or give --from"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], f"factory.talos.dev/metal-installer/{ID}:v1.13.9"),
        (["--secureboot"], f"factory.talos.dev/metal-installer-secureboot/{ID}:v1.13.9"),
        (["--platform", "aws"], f"factory.talos.dev/aws-installer/{ID}:v1.13.9"),
    ],
)
def test_an_installer_image_without_other_extensions_has_a_remark(flags, expected, run):
    assert run("schematic", "--talos", "1.13.9", "--print", "installer", *flags) == (
        0,
        f"{expected}\n",
        f"talos-gpu schematic: warning: {REMARK}\n",
    )


def test_an_image_of_virtual_machines_has_no_extension_at_all(run):
    _, _, err = run("schematic", "--talos", "1.13.9", "--passthrough", "10de:2204", "--print", "installer")

    assert "this image has no extensions; run `talosctl get extensions`" in err


def test_an_installer_image_with_other_extensions_has_no_remark(answer):
    assert answer("schematic", "--talos", "1.13.9", "--extension", "siderolabs/iscsi-tools", "--print", "installer")


@pytest.mark.parametrize(
    ("talos", "warning"),
    [
        ("1.15", "Talos 1.15 is a beta: the manifests follow the documentation of the beta, and may change before the release"),
        (
            "1.16",
            (
                f"Talos 1.16 is newer than this library's tables, which were read on {READ_ON}: the manifests are those for Talos "
                "1.15, and are untested"
            ),
        ),
    ],
)
def test_a_talos_that_is_new_to_the_tables_gets_its_schematic_with_a_warning(talos, warning, run):
    status, out, err = run("schematic", "--talos", talos)

    assert (status, err) == (0, f"talos-gpu schematic: warning: {warning}\n")
    assert "siderolabs/nvidia-open-gpu-kernel-modules-production" in out


@pytest.mark.parametrize("flags", [[], ["--taint", "dedicated=ai"], ["--label", "taint=none"]], ids=" ".join)
def test_a_talos_of_which_nothing_is_known_is_refused_by_its_flag(flags, refusal):
    assert refusal("schematic", "--talos", "2.0", *flags).startswith("--talos must be a Talos version such as '1.14'")


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (
            "--print iso --product GH200 --arch amd64",
            "--arch must be 'arm64' with --product 'GH200' (got 'amd64'); this GPU is on one board with an Arm processor",
        ),
        (
            "--print installer --arch arm64",
            (
                "--arch must be left out with --print installer (got 'arm64'); the schematic and the installer image are the same for both "
                "architectures; use it with --print iso, pxe or disk-image"
            ),
        ),
        (
            "--style fields",
            "--style must be left out with --print yaml (got 'fields'); use it with --print install-config",
        ),
        (
            "--print iso --platform aws",
            (
                "--platform must be one with an ISO: metal, nocloud, opennebula, openstack, scaleway, vmware, vultr (got 'aws'); "
                "a node of this platform boots from: disk image"
            ),
        ),
        (
            "--print installer --platform aws --secureboot",
            (
                "--secureboot must be left out with --platform 'aws' (got --secureboot); Talos has no Secure Boot on this platform; "
                "platforms with Secure Boot: metal, nocloud"
            ),
        ),
    ],
)
def test_an_image_that_does_not_exist_is_refused_by_its_flag(flags, expected, refusal):
    assert refusal("schematic", "--talos", "1.13.9", *flags.split()) == expected


@pytest.mark.parametrize(("flags", "style"), [([], None), (["--style", "fields"], "fields")])
def test_the_install_config_is_a_patch_with_the_installer_image(flags, style, answer):
    image = Schematic(nodes=GpuNodes(talos_version="1.14.6"))

    assert answer("schematic", "--talos", "1.14.6", "--print", "install-config", *flags) == image.install_config(style=style)
