"""`read_dump`: everything that was printed of a cluster, in any form and any mix, as a `Dump` with the symptoms of its
logs.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ..observed.model.dump import Dump
from ..observed.read.live.dump_builder import DumpBuilder
from ..observed.read.live.dump_sources import DumpSources
from ..observed.read.live.section_reader import read_text
from ..symptoms.log_search import LogSearch
from ..symptoms.symptom_table import all_symptoms

_STDIN = "standard input"


def read_dump(paths: Sequence[str | Path], *, stream: str | bytes | None = None) -> Dump:
    """Read files, folders, archives and a stream, whatever is in them. What could not be read is named in
    `Dump.unread`.
    """
    builder = new_builder()
    sources = DumpSources(unread=builder.unread)
    for source in sources.of_paths(paths):
        read_text(source.text, source.name, builder)
    if stream is not None:
        content = stream.encode(errors="surrogatepass") if isinstance(stream, str) else stream
        for source in sources.of_bytes(_STDIN, content):
            read_text(source.text, source.name, builder)
    return builder.finish()


def new_builder() -> DumpBuilder:
    """The builder of a dump whose logs are searched for symptoms."""
    return DumpBuilder(search=_symptoms().search)


@cache
def _symptoms() -> LogSearch:
    return LogSearch(all_symptoms())
