"""The releases in the indexes of the charts' repositories."""

import pytest

from constructs_lib.upstream.charts import CHARTS, gpu_operator_chart
from constructs_lib.upstream.charts.chart_releases import RELEASE_INDEXES
from constructs_lib.upstream.talos import generations
from constructs_lib.upstream.version import Version


def test_a_version_between_the_releases_is_lacking_and_one_outside_of_them_is_not_known():
    index = RELEASE_INDEXES["gpu-operator"]

    lacking = [each for each in ("v25.3.4", "v25.3.5", "v25.4.0", "v26.7.1", "v23.3.9", "v25.3") if index.lacks(Version.parse(each))]
    assert lacking == ["v25.3.5", "v25.4.0"]
    assert index.last_before(Version.parse("v25.4.0")) == Version(25, 3, 4)


@pytest.mark.parametrize("name", RELEASE_INDEXES)
def test_the_versions_that_the_tables_and_the_constructs_name_are_released(name):
    chart = CHARTS[name]
    named = [chart.oldest, chart.newest, chart.table.released, chart.default_version]

    assert not [each for each in named if each and RELEASE_INDEXES[name].lacks(Version.parse(each))]


def test_the_versions_of_the_operator_that_fixes_recommend_are_released():
    named = (gpu_operator_chart.LEGACY, generations.CDI.operator, generations.NRI.operator)

    assert not [each for each in named if RELEASE_INDEXES["gpu-operator"].lacks(Version.parse(each))]
