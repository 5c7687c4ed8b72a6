from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.monitoring.panels import Column, Query, Row, bar_gauge, laid_out, stat, state_timeline, table, timeseries


def overlap(one, other):
    return (
        one["x"] < other["x"] + other["w"]
        and other["x"] < one["x"] + one["w"]
        and one["y"] < other["y"] + other["h"]
        and other["y"] < one["y"] + one["h"]
    )


sizes = st.tuples(st.integers(1, 24), st.integers(1, 12))
rows = st.lists(st.tuples(st.lists(sizes, max_size=8), st.booleans()), max_size=6)


@given(rows)
def test_panels_of_any_size_get_places_of_their_own(wanted):
    made = laid_out(
        Row(
            f"row {number}", [{"title": f"{number}-{place}", "gridPos": {"w": w, "h": h}} for place, (w, h) in enumerate(panels)], collapsed
        )
        for number, (panels, collapsed) in enumerate(wanted)
    )
    headings = [panel for panel in made if panel.get("type") == "row"]
    everything = [inner for panel in made for inner in (panel, *panel.get("panels", []))]

    for together in (made, *(heading["panels"] for heading in headings)):
        places = [panel["gridPos"] for panel in together]
        assert not any(overlap(*pair) for pair in combinations(places, 2))
        assert all(place["x"] >= 0 and place["x"] + place["w"] <= 24 for place in places)
    assert [(panel["gridPos"]["w"], panel["gridPos"]["h"]) for panel in everything if "type" not in panel] == [
        size for panels, _ in wanted for size in panels
    ]
    assert [panel["id"] for panel in everything] == list(range(1, len(everything) + 1))
    assert [heading["title"] for heading in headings] == [f"row {number}" for number in range(len(wanted))]


def test_a_panel_that_no_longer_fits_begins_a_line_below_the_longest():
    made = laid_out([Row("row", [{"gridPos": {"w": w, "h": h}} for w, h in [(10, 8), (10, 4), (5, 3), (19, 3)]])])

    assert [panel["gridPos"] for panel in made] == [
        {"x": 0, "y": 0, "w": 24, "h": 1},
        {"x": 0, "y": 1, "w": 10, "h": 8},
        {"x": 10, "y": 1, "w": 10, "h": 4},
        {"x": 0, "y": 9, "w": 5, "h": 3},
        {"x": 5, "y": 9, "w": 19, "h": 3},
    ]


def test_the_row_after_a_collapsed_one_follows_at_once():
    folded = Row("folded", [{"gridPos": {"w": 24, "h": 8}}], collapsed=True)
    first, second = laid_out([folded, Row("open", [])])

    assert (first["gridPos"]["y"], first["collapsed"], first["panels"][0]["gridPos"]["y"]) == (0, True, 1)
    assert (second["gridPos"]["y"], second["collapsed"], second["panels"]) == (1, False, [])


def test_a_number_is_asked_for_now_and_a_line_over_time():
    now, over_time = stat("GPUs", Query("up")), timeseries("GPUs", Query("up"), unit="none")

    assert [(panel["targets"][0]["instant"], panel["targets"][0]["range"]) for panel in (now, over_time)] == [(True, False), (False, True)]
    assert bar_gauge("GPUs", Query("up"), unit="none")["targets"][0]["instant"] is True
    assert state_timeline("GPUs", Query("up"), words={}, width=1)["targets"][0]["range"] is True


def test_a_stat_shows_names_where_it_has_several_numbers():
    assert stat("Power", Query("a", "draw"), Query("b", "limit"), named=True)["options"]["textMode"] == "value_and_name"
    assert stat("GPUs", Query("a"))["options"]["textMode"] == "auto"


def test_lines_end_where_they_are_told_to():
    plain, bounded = timeseries("a", Query("a"), unit="celsius", bottom=None), timeseries("a", Query("a"), unit="percent", top=100)

    assert {"min", "max"} & plain["fieldConfig"]["defaults"].keys() == set()
    assert (bounded["fieldConfig"]["defaults"]["min"], bounded["fieldConfig"]["defaults"]["max"]) == (0, 100)


def test_words_stand_for_values_in_their_order():
    panel = state_timeline("a", Query("a"), words={"0": ("fine", "green"), "1": ("bad", "red")}, width=12)

    assert panel["fieldConfig"]["defaults"]["mappings"] == [
        {
            "type": "value",
            "options": {"0": {"text": "fine", "color": "green", "index": 0}, "1": {"text": "bad", "color": "red", "index": 1}},
        }
    ]


def test_a_column_has_the_unit_the_bar_and_the_words_that_it_is_given():
    panel = table(
        "a",
        {"pod": "Pod", "UUID": ""},
        Column("Load", "a", "percent", bar_to=100),
        Column("State", "b", words={"1": ("bad", "red")}),
        Column("Plain", "c"),
        sort="Load",
    )
    looks = {
        each["matcher"]["options"]: {item["id"]: item["value"] for item in each["properties"]} for each in panel["fieldConfig"]["overrides"]
    }

    assert looks["Load"]["unit"] == "percent"
    assert (looks["Load"]["min"], looks["Load"]["max"], looks["Load"]["custom.cellOptions"]["type"]) == (0, 100, "gauge")
    assert looks["State"]["mappings"][0]["options"]["1"]["text"] == "bad"
    assert "Plain" not in looks
    organized = panel["transformations"][-1]["options"]
    assert organized["excludeByName"] == {"Time": True, "UUID": True}
    assert organized["indexByName"] == {"pod": 0, "UUID": 1, "Value #A": 2, "Value #B": 3, "Value #C": 4}
    assert panel["options"]["sortBy"] == [{"displayName": "Load", "desc": True}]


def test_a_description_is_there_where_there_is_one():
    assert stat("a", Query("a"), description="Why.")["description"] == "Why."
    assert "description" not in stat("a", Query("a"))
