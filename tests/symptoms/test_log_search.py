"""The search for symptoms in a log."""

import dataclasses

import pytest

from constructs_lib.symptoms.link import Symptom
from constructs_lib.symptoms.log_search import LogSearch, matches_text
from constructs_lib.symptoms.symptom_table import all_symptoms

DRIVER = Symptom(link=None, name="driver", title="a", phrases=("driver … not loaded", "no driver"), cause="c", remedy="r", source="s")
CARD = Symptom(link=None, name="card", title="b", phrases=("card is lost",), cause="c", remedy="r", source="s", rules=("TG001",))
RULE = Symptom(link=None, name="TG001", title="c", phrases=("the card … is gone",), cause="", remedy="r", source="s", rules=("TG001",))


def found(*lines, symptoms=(DRIVER, CARD, RULE)):
    return LogSearch(symptoms).search(enumerate(lines, start=1))


def names(*lines):
    return [match.symptom.name for match in found(*lines)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("the driver nvidia was not loaded", ["driver"]),
        ("the driver not loaded", ["driver"]),
        ("not loaded: the driver", []),
        ("the drivers were not loaded", []),
        ("no drivers", []),
        ("a postcard is lost", []),
        ("", []),
    ],
)
def test_the_parts_of_a_phrase_stand_in_order_as_whole_words(line, expected):
    assert names(line) == expected


def test_words_of_the_prefix_make_no_difference():
    assert names('2026-11-22T10:00:00Z stderr F I1122 10:00:00.1 1 main.go:1] msg="card is lost"') == ["card"]


def test_a_match_has_its_first_line_and_the_number_of_its_lines():
    (match,) = found("a", "  the card is lost \n", "b", "card is lost; card is lost")

    assert (match.line, match.lines, match.text) == (2, 2, "the card is lost")


def test_pieces_of_one_line_count_once():
    (match,) = LogSearch([CARD]).search([(1, "card is lost"), (1, "card is lost"), (2, "card is lost")])

    assert match.lines == 2


def test_the_rarest_words_come_first_and_the_order_of_the_table_breaks_a_tie():
    common = [dataclasses.replace(DRIVER, name=f"common-{index}", phrases=("no driver",)) for index in range(3)]
    rare = dataclasses.replace(DRIVER, name="rare", phrases=("gsp firmware",))
    matches = found("no driver, gsp firmware", symptoms=(*common, rare))

    assert [match.symptom.name for match in matches] == ["rare", "common-0", "common-1", "common-2"]


def test_of_two_that_weigh_the_same_the_one_with_more_lines_comes_first():
    twin = dataclasses.replace(DRIVER, name="twin", phrases=("pod is lost",))
    lines = [(1, "card is lost"), (2, "pod is lost"), (3, "pod is lost")]

    assert [match.symptom.name for match in LogSearch([CARD, twin]).search(lines)] == ["twin", "card"]


def test_a_rules_own_words_are_one_with_the_symptom_that_names_the_rule():
    assert names("the card is lost", "the card of node 1 is gone") == ["card"]
    assert names("the card of node 1 is gone") == ["TG001"]


def test_the_rarer_words_of_a_rule_count_for_the_symptom_that_names_the_rule():
    others = [dataclasses.replace(DRIVER, name=f"other-{index}", phrases=("card is lost", "no driver")) for index in range(3)]
    matches = found("card is lost, no driver, the card of node 1 is gone", symptoms=(*others, CARD, RULE))

    assert matches[0].symptom.name == "card"


def test_a_general_symptom_counts_only_in_lines_without_another_one():
    general = dataclasses.replace(DRIVER, name="general", phrases=("card",), is_general=True)
    matches = found("card is lost", "card is here", "card is lost", symptoms=(CARD, general))

    assert [(match.symptom.name, match.line, match.lines) for match in matches] == [("card", 1, 2), ("general", 2, 1)]


@pytest.mark.parametrize(("number", "name"), [(79, "fallen-off-the-bus"), (31, "xid-application"), (62, "xid-reset"), (161, "xid-other")])
def test_the_row_of_any_xid_stands_only_where_no_row_of_its_number_does(number, name):
    line = f"NVRM: Xid (PCI:0000:01:00): {number}, pid=1"

    assert [match.symptom.name for match in found(line, symptoms=all_symptoms())] == [name]


def test_a_search_keeps_nothing_of_lines_without_a_symptom_and_short_pieces_of_the_others():
    search = LogSearch([CARD])
    (match,) = search.search((number, "x" * 1000 + " card is lost") for number in range(1, 1001))

    assert match.lines == 1000
    assert len(match.text) == 240


def test_a_search_reads_its_lines_as_a_stream():
    read = []

    def lines():
        for number in range(1, 4):
            read.append(number)
            yield number, "card is lost"

    stream = lines()
    LogSearch([CARD]).search(line for line in stream if read == list(range(1, line[0] + 1)))

    assert read == [1, 2, 3]


@pytest.mark.parametrize(
    ("words", "expected"),
    [("Is LOST", ["card"]), ("loaded", ["driver"]), ("lost card", []), ("los", []), ("", []), ("…", [])],
)
def test_a_fragment_finds_the_symptoms_whose_words_contain_it(words, expected):
    assert [match.symptom.name for match in LogSearch([DRIVER, CARD]).fragment(words)] == expected


def test_a_fragment_of_too_many_symptoms_identifies_none():
    symptoms = [dataclasses.replace(CARD, name=f"card-{index}", rules=()) for index in range(11)]

    assert LogSearch(symptoms).fragment("card") == []
    assert len(LogSearch(symptoms[:10]).fragment("card")) == 10


APART = "   apart: the line has cause 1 or 2: what the commands to verify print, and what the rules find in files, tells which\n"


def test_below_the_first_of_several_causes_of_one_line_stands_what_tells_them_apart():
    unsure = [dataclasses.replace(DRIVER, name=name, phrases=(), likely=("no driver",)) for name in ("a", "b")]
    text = matches_text(found("no driver", symptoms=unsure), 5)

    assert text.count(APART) == 1
    assert text.split("\n\n")[0].endswith(APART.rstrip())


@pytest.mark.parametrize("lines", [("no driver, card is lost",), ("no driver", "no card")])
def test_a_sure_cause_and_causes_of_other_lines_are_not_told_apart(lines):
    unsure = (
        dataclasses.replace(DRIVER, phrases=(), likely=("no driver",)),
        dataclasses.replace(CARD, phrases=("is lost",), possible=("no card",)),
    )

    assert "apart: " not in matches_text(found(*lines, symptoms=unsure), 5)


def test_what_is_not_shown_is_not_told_apart():
    unsure = [dataclasses.replace(DRIVER, name=name, phrases=(), likely=("no driver",)) for name in ("a", "b")]

    assert "apart: " not in matches_text(found("no driver", symptoms=unsure), 1)


def test_the_words_of_a_rule_belong_to_the_first_symptom_of_the_table_that_names_the_rule():
    bus = dataclasses.replace(CARD, name="bus", phrases=("bus is lost",))
    line = "the bus is lost; the card is lost; the card 0 is gone"

    assert [match.symptom.name for match in found(line, symptoms=(CARD, bus, RULE))] == ["card", "bus"]
    assert [match.symptom.name for match in found(line, symptoms=(bus, CARD, RULE))] == ["bus", "card"]


@pytest.mark.parametrize(
    "line",
    [
        "healthcheck ok: 0 events for Xid 48, Xid 79, Xid 95",
        "DHCPDISCOVER xid 79 on eth0",
        "DaemonSet gpu-operator/nvidia-device-plugin-daemonset is not ready after 5m0s: giving up",
        "unmarshal error: resources must have a name",
        "cadvisor: lstat /dev/vfio/12: no such file or directory",
        "nvidia 0000:01:00.0: AER: can't recover (no error_detected callback)",
    ],
)
def test_words_that_other_programs_say_too_are_no_sure_cause(line):
    found = LogSearch(all_symptoms()).search([(1, line)])

    assert [match.symptom.name for match in found if match.strength.value == "sure"] == []
