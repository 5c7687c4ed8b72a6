"""A log on standard input: of any size, with lines of any length."""

import io

import pytest

from constructs_lib.cli import why_command
from constructs_lib.cli.why_command import log_lines


class Endless(io.RawIOBase):
    """A log of a given size that exists nowhere at once. It counts the bytes that a reader asks for at a time."""

    def __init__(self, size, line):
        self.left, self.line, self.largest = size, line, 0

    def readline(self, limit=-1):
        assert limit > 0, "a line without a limit may fill the memory"
        self.largest = max(self.largest, limit)
        piece = self.line[: min(limit, self.left)]
        self.left -= len(piece)
        return piece


def test_lines_are_numbered():
    assert list(log_lines(io.BytesIO(b"a\nb\r\n\nc"))) == [(1, "a\n"), (2, "b\r\n"), (3, "\n"), (4, "c")]


def test_a_log_of_200_megabytes_is_read_in_pieces():
    log = Endless(200_000_000, b"x" * 60_000 + b"\n")
    longest = last = 0
    for number, line in log_lines(log):
        longest, last = max(longest, len(line)), number

    assert last == 3334
    assert longest <= 70_000
    assert log.largest <= 70_000


def test_a_line_of_200_megabytes_comes_in_pieces_of_one_number():
    pieces = [(number, len(line)) for number, line in log_lines(Endless(200_000_000, b"x" * 65_536))]

    assert {number for number, _ in pieces} == {1}
    assert max(length for _, length in pieces) <= 70_000


@pytest.mark.parametrize("at", [0, 65_530, 65_536, 65_540, 131_070])
def test_no_phrase_is_cut_in_two(at):
    log = b"x" * at + b" GPU has fallen off the bus " + b"x" * 70_000

    assert any("GPU has fallen off the bus" in line for _, line in log_lines(io.BytesIO(log)))


def test_bytes_that_are_not_utf_8_are_replaced_because_kernels_write_them():
    assert list(log_lines(io.BytesIO(b"a \xff b\n"))) == [(1, "a � b\n")]


@pytest.mark.parametrize("binary", [b"\x7fELF\x00\x01", "a log".encode("utf-16"), b"text" + b"\0" * 9])
def test_binary_data_is_refused(binary):
    with pytest.raises(
        ValueError, match=r"^standard input must be a log in UTF-8 \(got binary data\); unpack the file, or write UTF-16 anew as UTF-8$"
    ):
        list(log_lines(io.BytesIO(binary)))


def test_a_zero_later_in_a_log_is_read_because_a_crash_leaves_such_bytes():
    assert [number for number, _ in log_lines(io.BytesIO(b"a\n" * 9000 + b"\0\n"))][-1] == 9001


def test_an_empty_log_is_refused():
    with pytest.raises(ValueError, match=r"^standard input must be a log \(got nothing\)$"):
        list(log_lines(io.BytesIO(b"")))


def test_a_log_of_empty_lines_is_a_log():
    assert list(log_lines(io.BytesIO(b"\n"))) == [(1, "\n")]


def test_a_closed_standard_input_is_refused(monkeypatch):
    monkeypatch.setattr(why_command.sys, "stdin", None)
    with pytest.raises(ValueError, match=r"^standard input is closed$"):
        why_command.log_on_stdin()


def test_a_terminal_is_told_how_a_log_ends(monkeypatch, capsys):
    class Terminal(io.TextIOWrapper):
        def isatty(self):
            return True

    monkeypatch.setattr(why_command.sys, "stdin", Terminal(io.BytesIO(b"a\n")))

    assert list(why_command.log_on_stdin()) == [(1, "a\n")]
    assert capsys.readouterr().err == "talos-gpu why: reading a log from the terminal; Ctrl-D ends the log\n"
