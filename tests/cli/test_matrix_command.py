"""`talos-gpu matrix`."""

import pytest

from constructs_lib.nodes.card_matrix import architecture_table, card_table
from constructs_lib.upstream.talos.releases import READ_ON


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ([], architecture_table()),
        (["--cuda", "13"], architecture_table(13)),
        (["--product", "A16"], card_table("A16")),
        (["--product", "A16", "--cuda", "13"], card_table("A16", 13)),
    ],
)
def test_the_flags_choose_the_table(flags, expected, answer):
    assert answer("matrix", *flags) == expected


def test_the_table_is_written_to_a_file(run, tmp_path):
    assert run("matrix", "--product", "A16", "--output", str(tmp_path / "a.md")) == (0, "", "")
    assert (tmp_path / "a.md").read_text() == card_table("A16")


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        (["--cuda", "13.0"], "--cuda must be one of 11, 12, 13, a major version of CUDA (got '13.0')"),
        (
            ["--product", "Tesla K80"],
            "--product must be a card that a driver of Talos runs (got 'Tesla K80'); it is a Kepler card, whose last driver is 470.xx",
        ),
        (["--talos", "1.13"], "--talos must be a flag of talos-gpu matrix (got '--talos 1.13'); --talos is a flag of talos-gpu init"),
    ],
)
def test_a_wrong_flag_is_refused(flags, expected, run):
    status, out, err = run("matrix", *flags)

    assert (status, out) == (2, "")
    assert err.startswith(f"talos-gpu matrix: {expected}")


@pytest.mark.parametrize(
    ("name", "suggestion"), [("RTX 6090", ""), ("3060", "; did you mean 'RTX 3060'?"), ("1080", "; did you mean 'GTX 1080'?")]
)
def test_a_card_that_is_not_known_is_a_warning_and_the_table_of_the_architectures(name, suggestion, run):
    warning = f"--product {name!r} is not known (tables of {READ_ON}): the table has the drivers of each architecture{suggestion}"

    assert run("matrix", "--product", name, "--cuda", "13") == (0, architecture_table(13), f"talos-gpu matrix: warning: {warning}\n")
