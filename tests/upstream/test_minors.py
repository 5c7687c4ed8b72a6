"""Ranges of minor and of patch releases of Talos."""

import pytest

from constructs_lib.upstream.talos.minors import EVERY_RELEASE, EVERY_TALOS, Minors, Releases
from constructs_lib.upstream.version import Version


@pytest.mark.parametrize(
    ("minors", "inside", "text"),
    [
        (EVERY_TALOS, range(8, 17), "every Talos"),
        (Minors(since=13), range(13, 17), "Talos 1.13 and newer"),
        (Minors(until=12), range(8, 13), "Talos 1.12 and older"),
        (Minors(12, 12), [12], "Talos 1.12"),
        (Minors(13, 14), [13, 14], "Talos 1.13 and 1.14"),
        (Minors(12, 14), [12, 13, 14], "Talos 1.12 to 1.14"),
    ],
)
def test_a_range_holds_both_its_ends_and_says_so(minors, inside, text):
    assert [minor for minor in range(8, 17) if minor in minors] == list(inside)
    assert str(minors) == text


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
