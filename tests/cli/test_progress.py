"""The two lines of a command that takes long, on a terminal alone."""

import io
import re
import time

from constructs_lib.cli.progress import Progress


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self):
        return True


def seen(stream, seconds, **times):
    with Progress(stream, "talos-gpu synth", "reading", **times) as progress:
        time.sleep(seconds)
        progress.doing = "writing"
        time.sleep(seconds)
    return stream.getvalue()


def test_a_long_run_has_two_lines_that_vanish():
    text = seen(Terminal(), 0.1, after=0.01, every=0.02)

    assert "talos-gpu synth: reading …\n" in text
    assert "talos-gpu synth: writing …\n" in text
    assert re.search(r"  0 s; Ctrl-C ends it", text)
    assert text.endswith("\x1b[A\r\x1b[K\n\r\x1b[K\x1b[A")


def test_a_short_run_and_a_pipe_have_none():
    assert seen(Terminal(), 0, after=2) == ""
    assert seen(io.StringIO(), 0.05, after=0.01, every=0.01) == ""
    with Progress(None, "talos-gpu synth", "reading"):
        pass
