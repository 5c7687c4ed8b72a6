"""The names and units of DCGM 4.7: what the release note of dcgm-exporter 4.9.0 counts, and that a name leads to one metric."""

from collections import Counter
from fractions import Fraction

from constructs_lib.monitoring import Metric
from constructs_lib.upstream.nvidia.dcgm_metric_names import DCGM_4_7
from dcgm_encodings import BASE_UNITS

ACTIVE = {old: field for old, field in DCGM_4_7.items() if field.active}


def test_the_exporters_own_counters_are_renamed_as_often_as_its_release_note_says():
    assert len(ACTIVE) == 26
    assert len([old for old, field in ACTIVE.items() if old != field.name]) == 23
    assert len([field for field in ACTIVE.values() if field.unit]) == 11


def test_every_metric_of_the_library_has_a_name_in_dcgm_4_7():
    assert {str(metric) for metric in Metric} <= DCGM_4_7.keys()
    assert all(metric.dcgm_4_7 is DCGM_4_7[metric] for metric in Metric)


def test_names_and_scales_are_those_that_were_read_by_hand():
    def scale(unit):
        return Fraction(unit.factor, unit.divisor) if unit else 1

    fields = {str(metric): metric.dcgm_4_7 for metric in Metric if metric != metric.dcgm_4_7.name}

    assert {old: (field.name, scale(field.unit)) for old, field in fields.items()} == {
        old: (new, Fraction(factor)) for old, (new, factor) in BASE_UNITS.items()
    }


def test_a_name_or_a_number_leads_to_one_metric():
    names = Counter(name for old, field in DCGM_4_7.items() for name in {old, field.name})
    numbers = Counter(field.number for field in DCGM_4_7.values() if field.number is not None)

    assert [name for name, count in (names + numbers).items() if count > 1] == []


def test_a_unit_that_changes_changes_the_name_and_the_new_name_says_the_unit():
    words = {"ratio from 0 to 1": "RATIO", "bytes": "BYTES", "hertz": "HERTZ", "joules": "JOULES", "seconds": "SECONDS"}

    for old, field in DCGM_4_7.items():
        if field.unit:
            assert field.name != old
            assert 1 in (field.unit.factor, field.unit.divisor)
            assert words.get(field.unit.new, "BYTES_PER_SECOND") in field.name


def test_only_what_the_exporter_makes_itself_has_no_number_and_it_keeps_its_name():
    own = {old: field.name for old, field in DCGM_4_7.items() if field.number is None}

    assert own == {old: old for old in DCGM_4_7 if old.startswith("DCGM_EXP_")}
    assert len(own) == 4
