"""The known word that an unknown word may mean, and words that are only made of the same letters."""

import pytest

from constructs_lib.arguments.spelling import did_you_mean


@pytest.mark.parametrize(
    ("word", "known", "hint"),
    [
        ("envars", ["envvar"], "did you mean 'envvar'?"),
        ("Deploymnt", ["Deployment"], "did you mean 'Deployment'?"),
        ("odes", ["nodes"], "did you mean 'nodes'?"),
        ("taint", ["taints"], "did you mean 'taints'?"),
        ("values", ["alerts"], ""),
        ("gpu", ["nodes"], ""),
    ],
)
def test_a_suggestion_begins_alike_or_is_a_slip_away(word, known, hint):
    assert did_you_mean(word, known) == hint
