"""The lines of logs that no symptom knows: their number, and what the catalogue of messages says of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..observed.model.evidence import Evidence
from .gpu_cluster import GpuCluster

if TYPE_CHECKING:
    from ..symptoms.message_search import Said


def unknown_lines(cluster: GpuCluster) -> int:
    """The number of all lines, where no log has a symptom or the mark of an error; else 0."""
    logs = [*cluster.dump.unknown, *cluster.all_logs]
    return 0 if any(each.matches or each.errors for each in logs) else sum(each.lines for each in logs)


def said_lines(lines: Iterable[Evidence]) -> Iterator[tuple[Evidence, Said]]:
    """The lines that programs of the catalogue say."""
    from ..symptoms.message_search import MessageSearch  # the catalogue is large, and most reports need none of it
    from ..upstream.message_catalogue import messages

    search = MessageSearch(messages())
    said = ((each, search.said(each.text, each.source)) for each in lines)
    return ((each, found) for each, found in said if found is not None)
