"""The flags of the image: every verb reads them, or refuses them."""

import pytest
from command_line import TALCONFIG, UUID

from constructs_lib import GpuNodes
from constructs_lib.cli import command as cli
from constructs_lib.talos import Schematic


@pytest.mark.parametrize("arguments", ["schematic --print installer", "schematic --print iso", "patch --for terraform"])
def test_an_image_without_its_patch_is_refused_by_the_flag_that_exists(arguments, refusal):
    assert refusal(*arguments.split(), "--talos", "1.13") == (
        "--talos must be a Talos release with its patch, such as 'v1.12.11' (got '1.13'); an image is of one release"
    )


IMAGE_FLAGS = [
    ("--extension siderolabs/zfs", "'siderolabs/zfs'"),
    ("--fabric-manager", "--fabric-manager"),
    ("--gdrcopy", "--gdrcopy"),
    ("--kernel-arg a=b", "'a=b'"),
    ("--sector-size 4096", "4096"),
    ("--platform metal", "'metal'"),
    ("--secureboot", "--secureboot"),
]
OF_TALOSCTL, OF_OMNI = "of a patch for talosctl", "of a patch for omni"


@pytest.mark.parametrize(("flag", "got"), IMAGE_FLAGS)
@pytest.mark.parametrize(
    ("command", "read"),
    [
        ("schematic --talos 1.13.9", {"--platform": "with --print yaml", "--secureboot": "with --print yaml"}),
        ("schematic --talos 1.13.9 --print id", {"--platform": "with --print id", "--secureboot": "with --print id"}),
        ("schematic --talos 1.13.9 --print iso", {}),
        ("patch --talos 1.13.9", dict.fromkeys(("--extension", "--kernel-arg", "--sector-size", "--platform", "--secureboot"), OF_TALOSCTL)),
        (f"patch --talos 1.13.9 --for omni --cluster home --cluster-machine {UUID}", dict.fromkeys(("--sector-size", "--platform", "--secureboot"), OF_OMNI)),
        (f"patch --talos 1.13.9 --for omni --machine {UUID}", {"--extension": "without --cluster", "--kernel-arg": "without --cluster", "--sector-size": OF_OMNI, "--platform": OF_OMNI, "--secureboot": OF_OMNI}),
        ("patch --talos 1.13.9 --for talhelper", {}),
        ("patch --talos 1.13.9 --for talhelper --talconfig {talconfig} --hostname gpu-1", {"--platform": "with --talconfig", "--secureboot": "with --talconfig"}),
        ("patch --talos 1.13.9 --for terraform", {}),
        ("patch --talos 1.13.9 --for capi", {}),
        ("upgrade --talos 1.12.11 --to 1.13.9", {}),
        ("upgrade --talos 1.12.11 --to 1.13.9 --leftovers .", dict.fromkeys((flag.split()[0] for flag, _ in IMAGE_FLAGS), "with --leftovers")),
    ],
)  # fmt: skip
def test_a_flag_of_the_image_is_read_or_refused_with_what_it_is_read_by(command, read, flag, got, run, tmp_path):
    (tmp_path / "talconfig.yaml").write_text(TALCONFIG)
    status, _, err = run(*command.format(talconfig=tmp_path / "talconfig.yaml").split(), *flag.split())
    name = flag.split()[0]

    if name in read:
        assert status == 2
        assert err.partition(";")[0].strip() == f"talos-gpu {command.split()[0]}: {name} must be left out {read[name]} (got {got})"
    else:
        assert (status, "must be" in err) == (0, False)


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("schematic --talos 1.13.9", "with --print yaml"),
        ("schematic --talos 1.13.9 --print id", "with --print id"),
        ("patch --talos 1.13.9", OF_TALOSCTL),
        ("patch --talos 1.13.9 --for capi", "of a patch for capi"),
        ("patch --talos 1.13.9 --for omni --cluster home", OF_OMNI),
        ("patch --talos 1.13.9 --for talhelper --talconfig t.yaml --hostname gpu-1", "with --talconfig"),
    ],
)
def test_the_architecture_is_refused_where_no_image_depends_on_it(command, where, refusal):
    assert refusal(*command.split(), "--arch", "arm64").startswith(f"--arch must be left out {where} (got 'arm64'); ")


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (
            "patch --talos 1.13.9 --extension siderolabs/zfs",
            "use it with talos-gpu schematic, or with --for omni, talhelper, terraform or capi",
        ),
        ("patch --talos 1.13.9 --platform aws", "use it with talos-gpu schematic, or with --for talhelper, terraform or capi"),
        (
            "schematic --talos 1.13.9 --platform aws",
            "a schematic does not depend on the platform or Secure Boot; use it with --print installer, install-config, iso, pxe or disk-image",
        ),
    ],
)
def test_the_error_names_the_outputs_that_depend_on_the_flag(arguments, hint, refusal):
    assert refusal(*arguments.split()).partition("; ")[2] == hint


def test_the_help_of_patch_names_the_tools_that_read_a_flag_of_the_image(capsys):
    with pytest.raises(SystemExit):
        cli.main(["patch", "--help"])
    out = " ".join(capsys.readouterr().out.split())

    assert "a further official extension, with --for omni, talhelper, terraform or capi; repeatable" in out
    assert (
        "add NVIDIA's fabric manager and its kernel module, for machines with NVSwitch; default: added for 8 or 16 cards of a board with NVSwitch --gdrcopy"
        in out
    )
    assert "a kernel argument, with --for omni, talhelper, terraform or capi; " in out


EMBEDDED = "apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: gpu-1\n"


def test_the_configuration_of_a_file_is_part_of_the_image(answer, refusal, tmp_path):
    path = tmp_path / "embedded.yaml"
    path.write_text(EMBEDDED)
    image = Schematic(nodes=GpuNodes(talos_version="1.13.9"), embedded_config=EMBEDDED)
    flags = ["--talos", "1.13.9", "--embedded-config", path]

    assert answer("schematic", *flags) == image.text
    assert image.installer_image() in answer("patch", *flags, "--for", "capi")
    assert "schematic.yaml holds the text of the Schematic" in answer("upgrade", *flags, "--to", "1.14.6")
    assert refusal("patch", *flags).startswith("--embedded-config must be left out of a patch for talosctl ")


def test_the_error_of_a_configuration_names_its_flag_and_no_secret(refusal, tmp_path):
    path = tmp_path / "embedded.yaml"
    path.write_text("cluster:\n  secret: abc\n")

    assert refusal("schematic", "--talos", "1.13.9", "--embedded-config", path) == (
        "--embedded-config must be without secrets at factory.talos.dev (got 'cluster.secret'); everybody who knows the ID of the schematic can read "
        "the schematic and its images: apply the secret to the node"
    )
