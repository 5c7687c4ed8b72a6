"""Which counters an exporter is asked for, as a typed list and as the file that it reads.

https://github.com/NVIDIA/dcgm-exporter/blob/4.5.3-4.8.2/internal/pkg/counters/counter_config.go is who reads the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import attrs

from ..arguments.errors import warn, wrong
from ..arguments.fields import named, settle
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import choice, flag, ordered, text
from .metrics import Metric, MetricKind, known_metric, meant_metric, metric

_FIELD = r"DCGM_(FI|EXP)_[A-Z0-9_]+"
# A line of the file has exactly three fields, and encoding/csv reads a quote as the beginning of a quoted one.
_NOT_IN_HELP = r'[,"\r\n]'


def _to_kind(value: MetricKind | str | None, argument: str = "") -> MetricKind:
    # None stands for the type of the metric, which is known later.
    return None if value is None else choice(argument, value, MetricKind)  # type: ignore[return-value]


def _to_help(value: str | None, argument: str = "") -> str:
    if value is None:
        return ""
    rule = "a line without commas, quotes and line breaks"
    if re.search(_NOT_IN_HELP, text(argument, value, rule)):
        raise wrong(argument, rule, value, "the exporter reads three fields in a line of its file, and exits at a line with more")
    return value.strip()


@named_arguments()
@attrs.frozen(field_transformer=named)
class Counter:
    """One line of an exporter's counter file: a metric, its type, and its help text.

    The exporter exits at start for a name that its DCGM does not know, and for a comma in the help text. Both are
    therefore refused here.

    Args:
        metric: The metric, by its name in the series or as a `Metric`.
        kind: `gauge`, `counter`, or `label` for a label of all other metrics. Default: the type of the metric.
        help: The help text, without commas, quotes and line breaks. Default: the help text of this library.

    Raises:
        TypeError, ValueError: `'metric' must be a metric that this library knows …`, `'help' must be a line without
            commas …`.

    Warns:
        TalosGpuWarning: For a DCGM field outside `Metric`, which needs `kind` and `help`.

    Example:
        >>> Counter("DCGM_FI_DEV_GPU_TEMP").kind
        'gauge'

    https://docs.nvidia.com/datacenter/dcgm/latest/dcgm-api/dcgm-api-field-ids.html
    """

    metric: Metric | str
    kind: MetricKind = attrs.field(default=None, converter=_to_kind, kw_only=True)
    help: str = attrs.field(default=None, converter=_to_help, kw_only=True)

    def __attrs_post_init__(self) -> None:
        is_complete = self.kind is not None and bool(self.help)
        if isinstance(self.metric, str) and is_complete and not known_metric(self.metric):
            name: Metric | str = _field_of_dcgm(self.metric)
        else:
            name = metric("metric", self.metric, "a DCGM field outside the table needs 'kind' and 'help' as well")
        object.__setattr__(self, "metric", name)
        if isinstance(name, Metric):
            settle(self, "kind", name.kind)
            settle(self, "help", name.help)

    @property
    def needs_profiling(self) -> bool:
        """Whether the metric needs SYS_ADMIN and a card that supports profiling."""
        return self.metric.startswith("DCGM_FI_PROF_")

    def __str__(self) -> str:
        return f"{self.metric}, {self.kind}, {self.help}"


def _field_of_dcgm(name: str) -> str:
    if not re.fullmatch(_FIELD, name):
        raise wrong("metric", "a field of DCGM's ('DCGM_FI_…') or a metric of the exporter's own ('DCGM_EXP_…')", name)
    meant = meant_metric(name)
    from ..nodes.talos_version import dated  # deferred: only a warning needs it

    unknown = dated(f"{name} is not in this library's table")
    warn(f"{unknown}: an exporter whose DCGM does not know {name} exits at start{f'; {meant}' if meant else ''}")
    return name


# The metrics of the dashboard and of the alerts, and the metrics of upstream's own file. Every name resolves in the
# DCGM of each exporter 4.8 and in DCGM 4.7 (NVIDIA/go-dcgm pkg/dcgm/const_fields.go at 6cbb0463 and ec245c09,
# v1.4601.1, v1.4611.0, 892ef1f8).
_DEFAULT = (
    Metric.GPU_UTIL, Metric.MEM_COPY_UTIL, Metric.ENC_UTIL, Metric.DEC_UTIL,
    Metric.FB_USED, Metric.FB_FREE, Metric.FB_RESERVED,
    Metric.GPU_TEMP, Metric.MEMORY_TEMP, Metric.SLOWDOWN_TEMP, Metric.FAN_SPEED,
    Metric.POWER_USAGE, Metric.ENFORCED_POWER_LIMIT, Metric.TOTAL_ENERGY,
    Metric.SM_CLOCK, Metric.MEM_CLOCK, Metric.CLOCKS_EVENT_REASONS,
    Metric.PCIE_REPLAYS, Metric.NVLINK_BANDWIDTH,
    Metric.XID_ERRORS, Metric.XID_ERRORS_COUNT, Metric.ECC_SBE, Metric.ECC_DBE,
    Metric.ROW_REMAP_FAILURE, Metric.ROW_REMAP_PENDING, Metric.CORRECTABLE_REMAPPED_ROWS, Metric.UNCORRECTABLE_REMAPPED_ROWS,
    Metric.RETIRED_PENDING, Metric.RECOVERY_ACTION, Metric.VGPU_LICENSE, Metric.DRIVER_VERSION,
)  # fmt: skip
_PROFILING = (
    Metric.GR_ENGINE_ACTIVE, Metric.SM_ACTIVE, Metric.SM_OCCUPANCY, Metric.PIPE_TENSOR_ACTIVE, Metric.DRAM_ACTIVE,
    Metric.PCIE_TX_BYTES, Metric.PCIE_RX_BYTES,
)  # fmt: skip


@named_arguments()
def default_counters(*, profiling: bool = False) -> list[Counter]:
    """The default counters of `DcgmExporter`: load, memory, temperature, power, clocks, and the health of the cards.

    NVIDIA's default counter file has few health counters: with it the alerts on ECC errors, slowdowns and recovery
    actions never fire.

    Args:
        profiling: Whether the list has the profiling metrics, which need SYS_ADMIN and a card that supports profiling.
            Default: False.

    Returns:
        A new list.

    Raises:
        TypeError: `'profiling' must be True or False …`.

    Example:
        >>> counters = [*default_counters(), Counter("DCGM_FI_DEV_POWER_VIOLATION")]
        >>> str(counters[-1])
        'DCGM_FI_DEV_POWER_VIOLATION, counter, Time held down by power in nanoseconds'

    https://github.com/NVIDIA/dcgm-exporter/blob/4.5.3-4.8.2/etc/default-counters.csv
    """
    return [Counter(each) for each in (*_DEFAULT, *(_PROFILING if flag("profiling", profiling) else ()))]


def to_counters(value: Iterable[Counter | Metric | str] | None, argument: str = "") -> tuple[Counter, ...]:
    """Counters, or names of metrics, as a tuple without duplicates and with at least one metric that is no label; empty
    for None.
    """
    if value is None:
        return ()
    rule = "a list of Counters, or of names of metrics"
    counters = tuple(each if isinstance(each, Counter) else Counter(metric(argument, each)) for each in ordered(argument, value, rule))
    _check_counters(argument, counters, rule)
    return counters


def _check_counters(argument: str, counters: tuple[Counter, ...], rule: str) -> None:
    names = [str(each.metric) for each in counters]
    for name in names:
        if names.count(name) > 1:
            raise wrong(argument, "made of metrics that are each named once", name, "a duplicate series fails the whole scrape")
    if all(each.kind is MetricKind.LABEL for each in counters):
        raise wrong(argument, f"{rule}, with one that is no label", names)


def counters_csv(counters: Iterable[Counter]) -> str:
    """The counter file, with a line for each counter."""
    return "".join(f"{each}\n" for each in counters)
