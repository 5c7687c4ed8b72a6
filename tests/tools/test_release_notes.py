"""Release notes, as pages and as Markdown."""

import pytest

from constructs_lib.upstream.version import Version
from tools.pins.release_notes import ReleaseNotes, read_notes

TALOS = ReleaseNotes("siderolabs/talos", Version(1, 14, 6), "2026-11-11", kernel="6.18.63")
EXTENSIONS = ReleaseNotes(
    "siderolabs/extensions",
    Version(1, 15, 0, "-beta.0"),
    "2026-11-10",
    toolkit="1.20.0",
    drivers={"lts": "580.196.07", "production": "595.112.07", "new-feature": "615.71.10"},
)


@pytest.mark.parametrize(
    "page",
    [
        "v1.14.6 #14936\nTalos 1.14.6 (2026-11-11)\nWelcome\nComponent Updates\nLinux: 6.18.63\nFlannel CNI: 0.28.10\n",
        "## [Talos 1.14.6](https://github.com/siderolabs/talos/releases/tag/v1.14.6) (2026-11-11)\n\n* Linux: v6.18.63\n",
        "<h2>Talos 1.14.6 (2026-11-11)</h2><p>Welcome</p><ul><li>Linux: 6.18.63</li></ul><p>NVIDIA LTS: 1&amp;2</p>",
    ],
)
def test_the_notes_of_talos_list_the_kernel(page):
    assert read_notes(page) == TALOS


def test_the_notes_of_the_extensions_list_the_drivers_of_each_track_and_the_toolkit():
    page = (
        "Talos System Extensions 1.15.0-beta.0 (2026-11-10)\nNVIDIA New Feature Branch\nLinux firmware: 20261019\nNVIDIA LTS: 580.196.07\n"
        "NVIDIA Production: 595.112.07\nNVIDIA New Feature: 615.71.10\nnvidia-container-toolkit: v1.20.0\nLinux: 6.18.63\n"
    )

    assert read_notes(page) == EXTENSIONS


@pytest.mark.parametrize("page", ["", "Talos 1.14 (2026-11-11)", "We run Talos 1.14.6 (2026-11-11) at home"])
def test_another_page_is_none(page):
    assert read_notes(page) is None
