"""Answers on a terminal: tables in columns, sentences in lines of its width, and code as it is."""

import sys

import pytest

from constructs_lib.cli.fitted import in_width

TABLE = "| card | modules |\n| --- | --- |\n| RTX 4090 | Maxwell, Pascal, Volta, Turing, Ampere, Ada |\n| T4 | |\n"


def test_a_table_has_columns_and_a_long_cell_has_lines():
    assert in_width(TABLE, 40) == (
        "card      modules\n"
        "--------  ------------------------------\n"
        "RTX 4090  Maxwell, Pascal, Volta,\n"
        "          Turing, Ampere, Ada\n"
        "T4\n"
    )  # fmt: skip


def test_a_table_that_fits_keeps_one_line_a_row():
    assert in_width("| a | b |\n| --- | --- |\n| c \\| d | e |\n", 40) == "a       b\n------  -\nc \\| d  e\n"


def test_sentences_are_wrapped_below_their_first_word():
    text = "- [ ] **1. Save etcd.** The snapshot is the only way back from a lost control plane.\n"

    assert in_width(text, 50) == (
        "- [ ] **1. Save etcd.** The snapshot is the only\n"
        "      way back from a lost control plane.\n"
    )  # fmt: skip


def test_columns_that_do_not_fit_stand_below_one_another():
    line = f"  Deployment {'a' * 30}  manifests/{'b' * 30}.yaml:52\n"

    assert in_width(line, 60) == f"  Deployment {'a' * 30}\n    manifests/{'b' * 30}.yaml:52\n"


@pytest.mark.parametrize("code", [f"    export {'A=b ' * 30}\n", f"  ```sh\n  | {'talosctl ' * 30}\n  ```\n", f"{'a' * 100}\n"])
def test_code_and_one_long_word_keep_their_line(code):
    assert in_width(code, 40) == code


@pytest.mark.parametrize(
    "words", [("matrix",), ("images", "dist/today", "--talos", "1.14.0"), ("upgrade", "--talos", "1.12.11", "--to", "1.13.9")]
)
def test_a_terminal_gets_its_width_and_a_pipe_the_whole_text(words, answer, monkeypatch):
    piped = answer(*words)
    monkeypatch.setenv("COLUMNS", "70")
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)

    assert answer(*words) == in_width(piped, 70) != piped
