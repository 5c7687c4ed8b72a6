"""Draw the layout of the dashboard, from its JSON, into docs/dashboard.svg: which panels there are, of which kind, where, and with which columns."""

import sys
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from constructs_lib.monitoring import gpu_dashboard  # noqa: E402

PICTURE = ROOT / "docs" / "dashboard.svg"

_COLUMN, _LINE, _GAP, _TOP = 44, 17, 3, 44
_BACKGROUND, _PANEL, _BORDER, _TEXT, _FAINT, _LINES = (
    "#111217",
    "#181b1f",
    "#2c3235",
    "#ccccdc",
    "#8e8e96",
    ("#5794f2", "#73bf69", "#ff9830"),
)
_UNITS = {"percent": "%", "percentunit": "%", "mbytes": "MiB", "watt": "W", "kwatth": "kWh", "celsius": "°C", "hertz": "Hz", "none": ""}
# About what a letter takes at a font size of 1, so that text that has no place is cut.
_LETTER = 0.56


def picture(dashboard: dict[str, Any]) -> str:
    """The dashboard as an SVG."""
    bottom = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in dashboard["panels"])
    width, height = 24 * _COLUMN + _GAP, _TOP + bottom * _LINE + _GAP
    drawn = [_rectangle(0, 0, width, height, _BACKGROUND), _text(10, 19, dashboard["title"], 15, width), _variables(dashboard, width)]
    for panel in dashboard["panels"]:
        drawn += _row(panel) if panel["type"] == "row" else _panel(panel)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">'
    return "\n".join([head, f"<title>{escape(dashboard['title'])}: the layout of the dashboard</title>", *drawn, "</svg>"]) + "\n"


def _variables(dashboard: dict[str, Any], width: int) -> str:
    shown = [variable["label"] for variable in dashboard["templating"]["list"] if not variable["hide"]]
    return _text(10, 36, "   ".join(f"{label} ▾" for label in shown), 11, width, _FAINT)


def _row(row: dict[str, Any]) -> list[str]:
    x, y, width, height = _place(row)
    inside = f"  ({', '.join(panel['title'] for panel in row['panels'])})" if row["collapsed"] else ""
    return [_text(x + 4, y + height - 4, f"{'▸' if row['collapsed'] else '▾'} {row['title']}{inside}", 12, width)]


def _panel(panel: dict[str, Any]) -> list[str]:
    x, y, width, height = _place(panel)
    inside = (x + 10, y + 26, width - 20, height - 36)
    frame = _rectangle(x, y, width, height, _PANEL, f' stroke="{_BORDER}" rx="2"')
    return [frame, _text(x + 8, y + 16, panel["title"], 11, width - 12), *_KINDS[panel["type"]](panel, *inside)]


def _stat(panel: dict[str, Any], x: int, y: int, width: int, height: int) -> list[str]:
    names = [target["legendFormat"] for target in panel["targets"] if not target["legendFormat"].startswith("{{")]
    shown = f"{' / '.join(filter(None, names)) or '#'} {_unit(panel)}"
    return [_text(x, y + height // 2 + 10, shown, 16, width, _LINES[1])]


def _timeseries(panel: dict[str, Any], x: int, y: int, width: int, height: int) -> list[str]:
    limits = {override["matcher"]["options"] for override in panel["fieldConfig"]["overrides"]}
    drawn = []
    for number, target in enumerate(panel["targets"]):
        colour = _LINES[number]
        if target["refId"] in limits:
            drawn.append(f'<path d="M{x} {y + 6} h{width}" stroke="{colour}" stroke-dasharray="6 4"/>')
        else:
            step = width / 6
            heights = (0.7, 0.45, 0.55, 0.3, 0.4, 0.25, 0.35)
            points = " ".join(f"{x + step * place:.0f},{y + height * (part + 0.2 * number):.0f}" for place, part in enumerate(heights))
            drawn.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
    return [*drawn, *([_text(x, y + height, unit, 9, width, _FAINT)] if (unit := _unit(panel)) else [])]


def _bar_gauge(_: dict[str, Any], x: int, y: int, width: int, height: int) -> list[str]:
    step = height // 3
    return [
        bar
        for number, part in enumerate((0.8, 0.55, 0.3))
        for bar in (
            _rectangle(x, y + number * step, width, step - 8, _BORDER),
            _rectangle(x, y + number * step, int(width * part), step - 8, _LINES[0]),
        )
    ]


def _state_timeline(panel: dict[str, Any], x: int, y: int, width: int, height: int) -> list[str]:
    (mapping,) = panel["fieldConfig"]["defaults"]["mappings"]
    step = height // 4
    lines = [_rectangle(x, y + number * step, width, step - 8, _BORDER) for number in range(3)]
    words = ", ".join(word["text"] for word in mapping["options"].values())
    return [*lines, _text(x, y + height, words, 9, width, _FAINT)]


def _table(panel: dict[str, Any], x: int, y: int, width: int, height: int) -> list[str]:
    options = panel["transformations"][-1]["options"]
    titles = [title for name, title in options["renameByName"].items() if name != "Value"]
    step = width / len(titles)
    heads = [_text(int(x + step * place), y + 6, title, 9, int(step) - 4, _LINES[0]) for place, title in enumerate(titles)]
    lines = [f'<path d="M{x} {y + 14 + 18 * number} h{width}" stroke="{_BORDER}"/>' for number in range((height - 10) // 18)]
    return [*heads, *lines]


_KINDS = {"stat": _stat, "timeseries": _timeseries, "bargauge": _bar_gauge, "state-timeline": _state_timeline, "table": _table}


def _unit(panel: dict[str, Any]) -> str:
    unit = str(panel["fieldConfig"]["defaults"]["unit"])
    return _UNITS.get(unit, unit)


def _place(panel: dict[str, Any]) -> tuple[int, int, int, int]:
    place = panel["gridPos"]
    return (
        place["x"] * _COLUMN + _GAP,
        _TOP + place["y"] * _LINE + _GAP,
        place["w"] * _COLUMN - _GAP,
        place["h"] * _LINE - _GAP,
    )


def _rectangle(x: int, y: int, width: int, height: int, fill: str, more: str = "") -> str:
    return f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"{more}/>'


def _text(x: int, y: int, text: str, size: int, width: int, colour: str = _TEXT) -> str:
    most = int(width / (size * _LETTER))
    shown = text if len(text) <= most else text[: most - 1].rstrip() + "…"
    return f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" xml:space="preserve">{escape(shown)}</text>'


if __name__ == "__main__":
    PICTURE.write_text(picture(gpu_dashboard()), encoding="utf-8")
