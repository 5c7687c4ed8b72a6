"""An error of Python's in the words of the command line."""

import argparse

import pytest

from constructs_lib._arguments.errors import NOTHING, Argument, InPython, Phrase, Value, wrong, wrong_kind
from constructs_lib.cli.flag_errors import in_flags

GIVEN = argparse.Namespace(
    talos_version="1.13", label=["role=a b"], taint=[], gdrcopy=True, mps=None, time_slicing=4, driver_track=None, chosen="rtx", count="x"
)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (wrong("driver_track", "one of 'lts'", "beta"), "--driver-track must be one of 'lts' (got 'beta')"),
        (wrong("labels[role]", "a label value", "a b"), "--label must be a label value (got 'a b')"),
        (wrong("gdrcopy", Phrase(Value(False), " on Talos 1.11"), True), "--gdrcopy must be left out on Talos 1.11 (got --gdrcopy)"),
        (wrong("labels", "others", {"role": "a b"}), "--label must be others (got 'role=a b')"),
        (wrong("taints", "others", []), "--taint must be others (got nothing)"),
        (wrong("class", "a name", None), "--class must be a name (got 'rtx')"),
        (wrong("replicas", "at least 5", 4), "--time-slicing must be at least 5 (got 4)"),
        (
            wrong_kind("talos_version", Phrase("given", InPython(" to GpuNodes")), NOTHING, "no default is right"),
            "--talos-version must be given (got '1.13'); no default is right",
        ),
        (
            wrong("count", "less", 9, Phrase("with ", Argument("driver_track", "lts"), " or ", Argument("gdrcopy", True))),
            "--count must be less (got 9); with --driver-track 'lts' or --gdrcopy",
        ),
        (wrong("count", "one", 9, Phrase("did you mean ", Value(["a", "b"]), "?")), "--count must be one (got 9); did you mean 'a', 'b'?"),
        (wrong("nodes", "others", object(), part="labels"), "--label must be others (got 'role=a b')"),
    ],
)
def test_the_argument_is_its_flag_and_a_value_is_what_was_typed(error, expected):
    assert in_flags(error, GIVEN) == expected


def test_an_argument_without_a_flag_is_left_to_a_file():
    error = wrong("mig_devices", Phrase("given with ", Argument("sharing")), None, "each has a name")

    assert in_flags(error, GIVEN) == (
        "'mig_devices' must be given with --time-slicing (got nothing); each has a name; a file for --nodes can say it"
    )


@pytest.mark.parametrize(
    "words", ["with 'labels' and count='3'", "a kernel argument such as 'net.ifnames=0'", "must be (got 5); of GpuNodes"]
)
def test_words_are_never_taken_for_arguments(words):
    assert in_flags(wrong("count", words, 5, words), GIVEN) == f"--count must be {words} (got 5); {words}"
