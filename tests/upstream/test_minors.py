"""From which minor of Talos to which something is so."""

import pytest

from constructs_lib.upstream.talos.minors import EVERY_TALOS, Minors


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
