import pytest

from conftest import message
from constructs_lib import GpuNodes, TalosGpuWarning
from constructs_lib.talos import Schematic, TalosVersion
from constructs_lib.talos.image.official_extensions import nvidia_extensions
from constructs_lib.upstream.talos.extension_names import extension_names
from constructs_lib.upstream.talos.releases import READ_ON

RELEASED = ["1.8", "1.9", "1.10", "1.11", "1.12", "1.13", "1.14"]


def made(extensions=(), *, talos="1.13", modules="open", track="production", **given):
    nodes = GpuNodes(talos_version=talos, kernel_modules=modules, driver_track=track)
    return Schematic(nodes=nodes, extensions=extensions, **given).official_extensions


@pytest.mark.parametrize("talos", RELEASED)
@pytest.mark.parametrize("track", ["lts", "production"])
def test_open_modules_and_the_toolkit_of_one_track_are_what_the_driver_needs(talos, track):
    assert made(talos=talos, track=track) == [
        f"siderolabs/nvidia-container-toolkit-{track}",
        f"siderolabs/nvidia-open-gpu-kernel-modules-{track}",
    ]


@pytest.mark.parametrize("talos", RELEASED)
@pytest.mark.parametrize("track", ["lts", "production"])
def test_proprietary_modules_have_another_name(talos, track):
    assert made(talos=talos, track=track, modules="proprietary") == [
        f"siderolabs/nonfree-kmod-nvidia-{track}",
        f"siderolabs/nvidia-container-toolkit-{track}",
    ]


@pytest.mark.parametrize("talos", RELEASED)
@pytest.mark.parametrize("track", ["lts", "production"])
def test_the_fabric_manager_is_of_the_same_track(talos, track):
    if (talos, track) == ("1.8", "production"):  # refused: test_fabric_manager.py
        return
    assert made(talos=talos, track=track, fabric_manager=True) == [
        f"siderolabs/nvidia-container-toolkit-{track}",
        f"siderolabs/nvidia-fabricmanager-{track}",
        f"siderolabs/nvidia-open-gpu-kernel-modules-{track}",
    ]


@pytest.mark.parametrize("talos", ["1.12", "1.13", "1.14"])
def test_gdrcopy_adds_its_device_which_has_no_track(talos):
    assert made(talos=talos, gdrcopy=True) == [
        "siderolabs/nvidia-container-toolkit-production",
        "siderolabs/nvidia-gdrdrv-device",
        "siderolabs/nvidia-open-gpu-kernel-modules-production",
    ]


@pytest.mark.parametrize("modules", ["open", "proprietary"])
@pytest.mark.parametrize("talos", RELEASED)
@pytest.mark.parametrize("track", ["lts", "production"])
def test_each_extension_exists_in_its_talos(modules, talos, track):
    nodes = GpuNodes(talos_version=talos, kernel_modules=modules, driver_track=track)

    assert {
        name.removeprefix("siderolabs/") for name in nvidia_extensions(nodes, fabric_manager=(talos, track) != ("1.8", "production"))
    } <= (extension_names(nodes.talos_version.minor))


def test_further_extensions_stand_among_them_in_alphabetical_order():
    assert made(["siderolabs/util-linux-tools", "siderolabs/iscsi-tools"]) == [
        "siderolabs/iscsi-tools",
        "siderolabs/nvidia-container-toolkit-production",
        "siderolabs/nvidia-open-gpu-kernel-modules-production",
        "siderolabs/util-linux-tools",
    ]


def test_what_the_nodes_bring_may_be_named_too():
    assert made(["siderolabs/nvidia-container-toolkit-production"]) == made()


# The number of extensions that siderolabs/extensions builds at v1.8.4, v1.9.6, … v1.13.9; of 1.14 those that release notes name are added.
@pytest.mark.parametrize(
    ("talos", "number"), [("1.8", 46), ("1.9", 51), ("1.10", 62), ("1.11", 67), ("1.12", 78), ("1.13", 83), ("1.14", 92)]
)
def test_every_extension_of_a_talos_is_known(talos, number):
    assert len(extension_names(TalosVersion.parse("talos_version", talos).minor)) == number


def test_two_extensions_were_renamed_in_talos_1_9():
    assert {"i915-ucode", "amdgpu-firmware"} <= extension_names(8)
    assert {"i915", "amdgpu"} <= extension_names(9)
    assert not {"i915-ucode", "amdgpu-firmware"} & extension_names(9)
    assert made(["siderolabs/i915-ucode"], talos="1.8")[0] == "siderolabs/i915-ucode"
    assert made(["siderolabs/i915"], talos="1.9")[0] == "siderolabs/i915"


NEEDED = "siderolabs/nvidia-open-gpu-kernel-modules-production and siderolabs/nvidia-container-toolkit-production"
CHOSEN = f"'kernel_modules' and 'driver_track' of GpuNodes choose NVIDIA's extensions, here {NEEDED}"


@pytest.mark.parametrize(
    ("name", "then"),
    [
        ("iscsi-tools", "did you mean 'siderolabs/iscsi-tools'?"),
        ("siderolabs/iscsi-tool", "did you mean 'siderolabs/iscsi-tools'?"),
        ("iscsitools", "did you mean 'siderolabs/iscsi-tools'?"),
        ("siderolabs/v4l-uvc", "did you mean 'siderolabs/v4l-uvc-drivers'?"),
        ("siderolabs/i915-ucode", "did you mean 'siderolabs/i915'?"),
        ("i915-ucode", "did you mean 'siderolabs/i915'?"),
        ("siderolabs/kata-containers-snp", "the extension is new in Talos 1.14"),
        ("ghcr.io/siderolabs/iscsi-tools", "the Image Factory has only the extensions of siderolabs"),
        ("example/driver", "the Image Factory has only the extensions of siderolabs"),
        ("siderolabs/nvidia-driver", CHOSEN),
        ("siderolabs/nvidia-fabricmanager", CHOSEN),
        (
            "siderolabs/nvidia-container-toolkit",
            f"the factory reads the bare name as siderolabs/nvidia-container-toolkit-lts; {CHOSEN}",
        ),
        ("nonfree-kmod-nvidia", f"the factory reads the bare name as siderolabs/nonfree-kmod-nvidia-lts; {CHOSEN}"),
        (
            "siderolabs/quantum-tunnel",
            "no extension of this name is known; for a newer extension give the ID of a schematic to ExistingSchematic",
        ),
    ],
)
def test_what_is_no_official_extension_is_refused(name, then):
    assert message(lambda: made(["siderolabs/zfs", name])) == (
        f"'extensions[1]' must be an official extension of Talos 1.13 (got '{name}'); {then}"
    )


def test_the_old_name_without_its_prefix_is_completed_where_it_is_the_name():
    assert message(lambda: made(["i915-ucode"], talos="1.8")) == (
        "'extensions[0]' must be an official extension of Talos 1.8 (got 'i915-ucode'); did you mean 'siderolabs/i915-ucode'?"
    )


@pytest.mark.parametrize("name", ["nvidia-open-gpu-kernel-modules-production", "nvidia-container-toolkit-production"])
def test_another_track_is_refused(name):
    assert message(lambda: made([f"siderolabs/{name}"], track="lts")) == (
        f"'extensions[0]' must be of the track of nodes with driver_track='lts' (got 'siderolabs/{name}'); "
        "modules and libraries of two tracks don't work together; leave the extension out, or change 'driver_track' of GpuNodes"
    )


@pytest.mark.parametrize(
    ("modules", "name"), [("open", "nonfree-kmod-nvidia-production"), ("proprietary", "nvidia-open-gpu-kernel-modules-production")]
)
def test_another_flavour_is_refused(modules, name):
    assert message(lambda: made([f"siderolabs/{name}"], modules=modules)) == (
        f"'extensions[0]' must be of the flavour of nodes with kernel_modules='{modules}' (got 'siderolabs/{name}'); "
        "a node loads modules of one flavour; leave the extension out, or change 'kernel_modules' of GpuNodes"
    )


@pytest.mark.parametrize(("name", "flag"), [("nvidia-fabricmanager-production", "fabric_manager"), ("nvidia-gdrdrv-device", "gdrcopy")])
def test_what_has_a_flag_is_asked_for_by_it(name, flag):
    assert message(lambda: made([f"siderolabs/{name}"])) == (f"'extensions[0]' must be left out (got 'siderolabs/{name}'); use {flag}=True")
    assert f"siderolabs/{name}" in made([f"siderolabs/{name}"], **{flag: True})


def test_an_extension_is_named_once():
    assert message(lambda: made(["siderolabs/zfs", "siderolabs/zfs"])) == "'extensions[1]' must be named once (got 'siderolabs/zfs')"


@pytest.mark.parametrize("talos", ["1.8", "1.11.6"])
def test_gdrcopy_is_refused_before_talos_1_12(talos):
    assert message(lambda: made(talos=talos, gdrcopy=True)) == (
        f"'gdrcopy' must be False on Talos {talos} (got True); Talos has the module gdrdrv from 1.12 on"
    )


def test_gdrcopy_is_refused_beside_proprietary_modules():
    assert message(lambda: made(modules="proprietary", gdrcopy=True)) == (
        "'gdrcopy' must be False with kernel_modules='proprietary' (got True); Talos builds gdrdrv only with the open modules"
    )


@pytest.mark.filterwarnings("ignore:Talos 1.15 is a beta")
def test_the_new_feature_track_has_the_three_extensions_of_talos_1_15():
    assert made(talos="1.15", track="new-feature", fabric_manager=True) == [
        "siderolabs/nvidia-container-toolkit-new-feature",
        "siderolabs/nvidia-fabricmanager-new-feature",
        "siderolabs/nvidia-open-gpu-kernel-modules-new-feature",
    ]


@pytest.mark.filterwarnings("ignore:Talos 1.15 is a beta")
@pytest.mark.parametrize("talos", ["1.14", "1.14.7", "1.15"])
def test_a_name_that_came_after_the_tables_is_taken_with_a_warning_that_has_their_date(talos):
    with pytest.warns(TalosGpuWarning) as caught:
        assert "siderolabs/quantum-tunnel" in made(["siderolabs/quantum-tunnel"], talos=talos)

    assert str(caught[-1].message) == (
        f"'extensions[0]' 'siderolabs/quantum-tunnel' is not known as an extension of Talos {talos} (tables of {READ_ON}): the "
        "extension is not checked; no extension of this name is known; for a newer extension give the ID of a schematic to "
        "ExistingSchematic"
    )


@pytest.mark.parametrize("talos", ["1.13", "1.13.9", "1.14.0-rc.1"])
def test_a_name_that_a_list_read_as_a_whole_does_not_have_is_refused(talos):
    assert "must be an official extension of Talos" in message(lambda: made(["siderolabs/quantum-tunnel"], talos=talos))


@pytest.mark.parametrize("name", ["iscsi-tools", "example/driver", "siderolabs/v4l-uvc", "siderolabs/nvidia-container-toolkit"])
def test_what_is_known_to_be_wrong_is_refused_on_every_talos(name):
    assert "must be an official extension of Talos 1.14" in message(lambda: made([name], talos="1.14.9"))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (
            {"extensions": "siderolabs/zfs"},
            "'extensions' must be a list of strings (got 'siderolabs/zfs'); did you mean ['siderolabs/zfs']?",
        ),
        ({"extensions": [5]}, "'extensions' must be a list of strings (got [5]); item 0 is not a string"),
        ({"fabric_manager": "yes"}, "'fabric_manager' must be True or False (got 'yes'); did you mean True?"),
        ({"gdrcopy": 1}, "'gdrcopy' must be True or False (got 1)"),
    ],
)
def test_the_wrong_kind_is_refused(given, expected):
    assert message(lambda: made(**given), TypeError) == expected
