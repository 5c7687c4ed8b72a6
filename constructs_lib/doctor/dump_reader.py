"""`read_dump`: everything that was printed of a cluster, in any form and any mix, as a `Dump`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from .dump import Dump
from .readers.dump_builder import DumpBuilder
from .readers.dump_sources import DumpSources
from .readers.section_reader import read_text

_STDIN = "standard input"


def read_dump(paths: Sequence[str | Path], *, stream: str | bytes | None = None) -> Dump:
    """Read files, folders, archives and a stream, whatever is in them. What could not be read is named in `Dump.unread`."""
    builder = DumpBuilder()
    sources = DumpSources(unread=builder.unread)
    for source in sources.of_paths(paths):
        read_text(source.text, source.name, builder)
    if stream is not None:
        content = stream.encode(errors="surrogatepass") if isinstance(stream, str) else stream
        for source in sources.of_bytes(_STDIN, content):
            read_text(source.text, source.name, builder)
    return builder.finish()
