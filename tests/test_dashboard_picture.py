"""docs/dashboard.svg: a picture of the dashboard as it is."""

import runpy
import xml.etree.ElementTree as ET
from pathlib import Path

from constructs_lib.monitoring import gpu_dashboard

ROOT = Path(__file__).resolve().parent.parent
picture = runpy.run_path(str(ROOT / "tools" / "dashboard_picture.py"))["picture"]
SVG = "{http://www.w3.org/2000/svg}"


def texts(svg):
    return [element.text for element in ET.fromstring(svg).iter(f"{SVG}text")]


def test_the_picture_in_the_docs_is_that_of_the_dashboard():
    assert (ROOT / "docs" / "dashboard.svg").read_text(encoding="utf-8") == picture(gpu_dashboard())


def test_the_picture_shows_every_row_and_every_panel():
    dashboard = gpu_dashboard(profiling=True)
    shown = texts(picture(dashboard))

    for panel in dashboard["panels"]:
        if panel["type"] == "row" and panel["collapsed"]:
            assert [text for text in shown if text.startswith(f"▸ {panel['title']}  ({panel['panels'][0]['title']}, ")], panel["title"]
        else:
            assert (f"▾ {panel['title']}" if panel["type"] == "row" else panel["title"]) in shown


def test_the_picture_shows_what_a_table_has_in_its_columns_and_what_a_reader_can_choose():
    shown = texts(picture(gpu_dashboard()))

    assert {"Namespace", "Pod", "Node", "Utilisation", "Temperature"} <= set(shown)
    assert "Data source ▾   Node ▾   GPU ▾   Namespace of pods ▾" in shown


def test_panels_lie_where_the_json_says():
    dashboard = gpu_dashboard()
    frames = [element for element in ET.fromstring(picture(dashboard)).iter(f"{SVG}rect") if element.get("rx")]
    panels = [panel["gridPos"] for panel in dashboard["panels"] if panel["type"] != "row"]
    scale = int(frames[0].get("width")) + 3

    assert len(frames) == len(panels)
    assert scale == panels[0]["w"] * 44
    assert [(int(frame.get("x")) - 3) // 44 for frame in frames] == [panel["x"] for panel in panels]
    assert [round((int(frame.get("y")) - 47) / 17) for frame in frames] == [panel["y"] for panel in panels]


def test_a_title_that_has_no_place_is_cut_and_none_breaks_the_picture():
    shown = texts(picture(gpu_dashboard(title="<GPUs> & more " * 13)))

    assert shown[0].startswith("<GPUs> & more <GPUs>")
    assert shown[0].endswith("…")
