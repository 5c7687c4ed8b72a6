"""The names of Talos' extensions, and up to which release all of them are known."""

import pytest

from constructs_lib.upstream.talos.extension_names import extension_names, first_minor, is_whole
from constructs_lib.upstream.version import Version


def test_a_name_is_known_from_its_minor_on():
    assert first_minor("nvidia-gdrdrv-device") == 12
    assert "nvidia-gdrdrv-device" not in extension_names(11)
    assert "nvidia-gdrdrv-device" in extension_names(12) & extension_names(14)
    assert first_minor("no-such-extension") == 0


def test_a_renamed_extension_has_its_old_name_only_before():
    assert {"i915-ucode", "amdgpu-firmware"} <= extension_names(8)
    assert not {"i915-ucode", "amdgpu-firmware"} & extension_names(9)


@pytest.mark.parametrize(
    ("talos", "whole"), [("1.13.0", True), ("1.13.999", False), ("1.8", True), ("1.99.0", False), ("1.99", False), ("1.8.0-alpha.0", True)]
)
def test_all_names_are_known_up_to_the_release_whose_list_was_read(talos, whole):
    assert is_whole(Version.parse(talos)) is whole
