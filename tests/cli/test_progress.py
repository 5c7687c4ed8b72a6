"""The two lines of a command that takes long, on a terminal alone."""

import io
import re
import time

from constructs_lib.cli.progress import Progress
from waiting import becomes


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self):
        return True


def test_a_long_run_has_two_lines_that_vanish():
    stream = Terminal()
    with Progress(stream, "talos-gpu synth", "reading", after=0.01, every=0.02) as progress:
        assert becomes(True, lambda: "talos-gpu synth: reading …\n" in stream.getvalue())
        progress.doing = "writing"
        assert becomes(True, lambda: "talos-gpu synth: writing …\n" in stream.getvalue())
    text = stream.getvalue()

    assert re.search(r"  \d+ s; Ctrl-C ends it", text)
    assert text.endswith("\x1b[A\r\x1b[K\n\r\x1b[K\x1b[A")


def test_a_short_run_and_a_pipe_have_none():
    for stream, after in ((Terminal(), 3600), (io.StringIO(), 0.01)):
        with Progress(stream, "talos-gpu synth", "reading", after=after, every=0.01):
            time.sleep(0.05)
        assert stream.getvalue() == ""
    with Progress(None, "talos-gpu synth", "reading"):
        pass
