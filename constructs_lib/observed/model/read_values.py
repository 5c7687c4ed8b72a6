"""The values that a chart reads, of those that a release gives it: nothing of a part that is off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...upstream.charts import Chart
from ...upstream.charts.conditions import Condition, Literal
from ...upstream.version import Version
from ...yaml.located import Map
from ...yaml.unknown import Answer, all_of, answer, any_of, at, equals, is_unknown

_SWITCH = "enabled"


@dataclass(frozen=True, kw_only=True)
class ReadValues:
    """The question which values a chart reads. `values` are all that a release gives the chart; `complete` is False if
    further values were not read.

    Of an unknown chart, only the convention is known: `enabled: false` is the switch of the values beside it.
    """

    chart: Chart | None
    values: Mapping[str, Any]
    version: Version | None = None
    complete: bool = True

    def is_read(self, *path: str) -> Answer:
        """Whether the chart reads the value at a path, with these values of its switches."""
        if self.chart is None:
            around = (path[:length] for length in range(1, len(path)) if path[length:] != (_SWITCH,))
            return answer(not any(at(self.values, *each, _SWITCH) is False for each in around))
        read = self._holds(self.chart.condition(".".join(path)))
        inner = self._inner(*path) if len(path) > 1 else None
        return all_of([read, inner.is_read(*path[1:])]) if inner else read

    @property
    def read(self) -> Mapping[str, Any]:
        """The values without those that the chart surely does not read."""
        return self.values if self.chart is None and not _has_off(self.values) else self._kept(self.values, (), is_off=False)

    def _kept(self, values: Mapping[str, Any], around: tuple[str, ...], *, is_off: bool) -> Mapping[str, Any]:
        is_off = is_off or (self.chart is None and around != () and values.get(_SWITCH) is False)
        found = {key: self._value(value, (*around, key), is_off=is_off) if isinstance(key, str) else value for key, value in values.items()}
        kept = {key: value for key, value in found.items() if value is not _NOTHING}
        if len(kept) == len(values) and all(kept[key] is value for key, value in values.items()):
            return values
        return Map(kept, values.places) if isinstance(values, Map) else kept

    def _value(self, value: Any, path: tuple[str, ...], *, is_off: bool) -> Any:
        is_mapping = isinstance(value, Mapping) and bool(value)
        if self.chart is None:
            if is_off:
                return value if path[-1] == _SWITCH else _NOTHING
            return self._kept(value, path, is_off=False) if is_mapping else value
        name = ".".join(path)
        is_off = self.is_read(*path).is_no if name in self.chart.conditional else is_off
        if inner := self._inner(*path) if is_mapping and len(path) == 1 else None:
            own = {key: value[key] for key in self.chart.subcharts[name].own_keys if key in value}
            return (own or _NOTHING) if is_off else inner.read
        if is_mapping and name in self.chart.conditional:
            return self._kept(value, path, is_off=is_off) or _NOTHING
        return _NOTHING if is_off and value is not None else value

    def _inner(self, key: str, *below: str) -> ReadValues | None:
        """The values of a subchart, for a path into it that the chart itself does not read."""
        if self.chart is None or key not in self.chart.subcharts:
            return None
        sub, values = self.chart.subcharts[key], at(self.values, key)
        if (below and below[0] in sub.own_keys) or not (values is None or isinstance(values, Mapping)):
            return None
        version = self.chart.table.subchart_version(key, self.version)
        return ReadValues(chart=sub.chart, values=values or {}, version=version, complete=self.complete)

    def _holds(self, condition: Condition) -> Answer:
        return any_of(all_of(map(self._is_so, literals)) for literals in condition.alternatives)

    def _is_so(self, literal: Literal) -> Answer:
        value = at(self.values, *literal.key.split("."))
        default = self.chart.table.default(literal.key, self.version) if self.chart else None
        if value is None and not default and not self.complete:
            return Answer.UNKNOWN
        value = default if value is None else value
        is_so = equals(str(value).lower(), literal.word) if literal.word and not is_unknown(value) else _is_true(value)
        return is_so if literal.holds else is_so.negated


_NOTHING = object()


def _has_off(values: Mapping[str, Any]) -> bool:
    """Whether a switch at any depth is off. Most values have none, and are kept as they are."""
    parts = [values]
    for part in parts:
        if _SWITCH in part and part[_SWITCH] is False:
            return True
        parts += [each for each in part.values() if isinstance(each, dict)]
    return False


def _is_true(value: Any) -> Answer:
    """Whether a value is true for a template. Unknown for a string such as "false": a template takes it for true, and
    what the template prints may be false."""
    if is_unknown(value) or (isinstance(value, str) and value.lower() in ("false", "no", "off")):
        return Answer.UNKNOWN
    return answer(bool(value))
