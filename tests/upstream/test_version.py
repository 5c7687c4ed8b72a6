"""One version for Talos, Kubernetes, charts, images and drivers."""

from itertools import pairwise

import pytest

from constructs_lib.upstream.version import Version


@pytest.mark.parametrize(
    ("written", "version"),
    [
        ("v26.7.0", Version(26, 7, 0)),
        ("0.20.0", Version(0, 20, 0)),
        (" v1.2.3 ", Version(1, 2, 3)),
        ("1.13", Version(1, 13)),
        ("v1.13.0-rc.0", Version(1, 13, 0, "-rc.0")),
        ("580.126.20", Version(580, 126, 20)),
        ("1.35.4+k3s1", Version(1, 35, 4)),
    ],
)
def test_a_version_is_read_with_or_without_its_v_and_patch(written, version):
    assert Version.parse(written) == version


@pytest.mark.parametrize("written", ["26.x", ">=1.13", "1", "", "latest", "1.2.3.4", "1.13.0-", None, 26, 1.13, "9" * 5_000 + ".1"])
def test_what_is_no_version_is_none(written):
    assert Version.parse(written) is None


def test_versions_are_in_the_order_of_their_releases():
    written = [
        "1.9.9",
        "1.12",
        "1.12.0",
        "1.12.11",
        "1.13.0-alpha.2",
        "1.13.0-beta.0",
        "1.13.0-beta.1",
        "1.13.0-beta.10",
        "1.13.0-rc.0",
        "1.13.0",
        "1.13.2",
        "2.0.0",
    ]
    versions = [Version.parse(each) for each in written]

    assert all(older < newer for older, newer in pairwise(versions))
    assert versions[3] > versions[2] >= versions[2]


@pytest.mark.parametrize("written", ["1.12", "1.12.11", "1.13.0-rc.0"])
def test_a_version_prints_as_it_is_written(written):
    assert str(Version.parse(written)) == written
    assert eval(repr(Version.parse(written))) == Version.parse(written)


def test_a_version_is_compared_with_versions_alone():
    with pytest.raises(TypeError):
        assert Version(1, 2) < "1.3"
