"""The images that are named where nobody names another."""

import re

import pytest

from constructs_lib.upstream import images

IMAGES = {name: value for name, value in vars(images).items() if name.isupper()}


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_is_pinned_to_one_release(name):
    # NVIDIA tags the exporter with DCGM's version, its own, and the base it is built on.
    assert re.fullmatch(r"[\w./-]+:v?\d+\.\d+\.\d+(-\d+\.\d+\.\d+-distroless)?", IMAGES[name])


def test_the_images_are_those_that_manifests_name():
    assert set(IMAGES) == {"DEVICE_PLUGIN_IMAGE", "MIG_PARTED_IMAGE", "BUSYBOX_IMAGE", "DCGM_EXPORTER_IMAGE", "OPEN_WEBUI_IMAGE"}
