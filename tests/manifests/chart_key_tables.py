"""The keys of a chart's table at one version of the chart, for tests that compare them with the chart's own files."""

from collections.abc import Iterator

from constructs_lib.upstream.charts import Chart
from constructs_lib.upstream.version import Version


def keys_at(chart: Chart, version: str) -> dict[str, set[str]]:
    """The top keys that a version of the chart reads, each with the keys below it; an empty set where any value may stand."""
    read: dict[str, set[str]] = {}
    for path in _read(chart, version):
        top, _, below = path.partition(".")
        read.setdefault(top, set()).update([below.partition(".")[0]] if below else [])
    return read


def _read(chart: Chart, version: str) -> Iterator[str]:
    parsed = Version.parse(version)
    for path, span in chart.table.keys.items():
        since, until = Version.parse(span.since), Version.parse(span.until)
        if not (since and parsed < since) and not (until and parsed >= until):
            yield path
