"""The errors for wrong input as values."""

import copy
import pickle

import pytest

from constructs_lib.arguments.errors import Argument, Phrase, wrong


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_a_copy_of_an_error_has_the_same_message(copied):
    error = wrong("replicas", Phrase("more than one with ", Argument("sharing")), 1)

    assert str(copied(error)) == str(error) == "'replicas' must be more than one with 'sharing' (got 1)"
    assert repr(error) == "ArgumentError('replicas', \"more than one with 'sharing'\", 1, '', '')"
