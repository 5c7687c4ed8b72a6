"""Ranges of patch releases."""

import pytest

from constructs_lib.upstream.talos.release_ranges import EVERY_RELEASE, Releases
from constructs_lib.upstream.version import Version


@pytest.mark.parametrize(
    ("spans", "inside", "outside", "words"),
    [
        ([("", "1.13.9")], ["1.8.0", "1.13.9", "1.13.0-rc.0"], ["1.13.10", "1.14.0"], "Talos 1.13.9 and older"),
        ([("1.14.1", "")], ["1.14.1", "1.15.0-beta.0"], ["1.14.0", "1.13.99"], "Talos 1.14.1 and newer"),
        ([("1.13.8", "1.13.8")], ["1.13.8"], ["1.13.7", "1.13.9"], "Talos 1.13.8"),
        ([("1.12.2", "1.12.4"), ("1.13.0", "1.13.0")], ["1.12.3", "1.13.0"], ["1.12.5", "1.13.1"], "Talos 1.12.2 to 1.12.4, 1.13.0"),
        ([], ["1.8.0", "1.99.0"], [], "every Talos"),
    ],
)
def test_a_range_has_its_first_and_its_last_release(spans, inside, outside, words):
    releases = Releases(*spans)

    assert [each for each in inside if Version.parse(each) not in releases] == []
    assert [each for each in outside if Version.parse(each) in releases] == []
    assert str(releases) == words


def test_a_range_needs_releases():
    with pytest.raises(ValueError, match="no release of Talos: 'soon'"):
        assert Version.parse("1.14.0") in Releases(("soon", ""))


def test_every_release_has_no_end():
    assert Version.parse("1.99.0") in EVERY_RELEASE
