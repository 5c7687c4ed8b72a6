"""The flags of the image: every verb reads them, or refuses them."""

import pytest
from command_line import TALCONFIG, UUID


@pytest.mark.parametrize("arguments", ["schematic --print installer", "schematic --print iso", "patch --for terraform"])
def test_an_image_without_its_patch_is_refused_by_the_flag_that_exists(arguments, refusal):
    assert refusal(*arguments.split(), "--talos", "1.13") == (
        "--talos-version must be a Talos release with its patch, such as 'v1.12.11' (got '1.13'); an image is of one release"
    )


IMAGE_FLAGS = [
    ("--extension siderolabs/zfs", "'siderolabs/zfs'"),
    ("--fabric-manager", "--fabric-manager"),
    ("--gdrcopy", "--gdrcopy"),
    ("--kernel-arg a=b", "'a=b'"),
    ("--platform metal", "'metal'"),
    ("--secureboot", "--secureboot"),
]
THREE, TWO = "with --for omni or talhelper or terraform", "with --for talhelper or terraform"


@pytest.mark.parametrize(("flag", "got"), IMAGE_FLAGS)
@pytest.mark.parametrize(
    ("command", "read"),
    [
        ("schematic --talos 1.13.9", {"--platform": "with --print installer, iso or pxe", "--secureboot": "with --print installer, iso or pxe"}),
        ("schematic --talos 1.13.9 --print id", {"--platform": "with --print installer, iso or pxe", "--secureboot": "with --print installer, iso or pxe"}),
        ("schematic --talos 1.13.9 --print iso", {}),
        ("patch --talos 1.13.9", {"--extension": THREE, "--fabric-manager": THREE, "--kernel-arg": TWO, "--platform": TWO, "--secureboot": TWO}),
        ("patch --talos 1.13.9 --for omni --cluster home --machine-set home-gpu", {"--kernel-arg": TWO, "--platform": TWO, "--secureboot": TWO}),
        (f"patch --talos 1.13.9 --for omni --machine {UUID}", {"--extension": "with --cluster", "--fabric-manager": "with --cluster", "--kernel-arg": TWO, "--platform": TWO, "--secureboot": TWO}),
        ("patch --talos 1.13.9 --for talhelper", {}),
        ("patch --talos 1.13.9 --for talhelper --talconfig {talconfig} --hostname gpu-1", {"--platform": "without --talconfig", "--secureboot": "without --talconfig"}),
        ("patch --talos 1.13.9 --for terraform", {}),
        ("upgrade --talos 1.12.11 --to 1.13.9", {}),
        ("upgrade --talos 1.12.11 --to 1.13.9 --leftovers .", dict.fromkeys((flag.split()[0] for flag, _ in IMAGE_FLAGS), "without --leftovers")),
    ],
)  # fmt: skip
def test_a_flag_of_the_image_is_read_or_refused_with_what_it_is_read_by(command, read, flag, got, run, tmp_path):
    (tmp_path / "talconfig.yaml").write_text(TALCONFIG)
    status, _, err = run(*command.format(talconfig=tmp_path / "talconfig.yaml").split(), *flag.split())
    name = flag.split()[0]

    if name in read:
        assert status == 2
        assert err.partition(";")[0].strip() == f"talos-gpu {command.split()[0]}: {name} must be given {read[name]} (got {got})"
    else:
        assert (status, err) == (0, "")
