"""`talos-gpu matrix`."""

import pytest

from constructs_lib.nodes.card_matrix import architecture_table, card_table


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
            ["--product", "A17"],
            "--product must be a card that is known, such as 'A16' (got 'A17'); the label nvidia.com/gpu.product of the node has the name",
        ),
        (["--talos", "1.13"], "--talos must be a flag of talos-gpu matrix (got '--talos 1.13'); --talos is a flag of talos-gpu check"),
    ],
)
def test_a_wrong_flag_is_refused(flags, expected, run):
    status, out, err = run("matrix", *flags)

    assert (status, out) == (2, "")
    assert err.startswith(f"talos-gpu matrix: {expected}")
