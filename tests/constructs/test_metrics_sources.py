"""A dashboard or alerts that ask an exporter of the same app for names that it does not export."""

import warnings

import pytest
from cdk8s import App, Chart

from constructs_lib import DcgmExporter, GpuAlerts, GpuDashboard, TalosGpuWarning
from constructs_lib.monitoring import Counter, MetricsSource
from dcgm_encodings import asked_in_base_units

NEW = asked_in_base_units(MetricsSource())
ASKING = {"dashboard": GpuDashboard, "alerts": GpuAlerts}
SAID = (
    "'source' asks the job 'dcgm-exporter' for the names of dcgm-exporter 4.9.0, such as DCGM_FI_DEV_GPU_TEMP_CELSIUS. DcgmExporter "
    "'dcgm-exporter' has this job and exports the names up to 4.8: leave 'exporter_version' out"
)


@pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING)
def test_names_that_an_exporter_of_the_app_does_not_export_are_warned_of_in_either_order(legacy, asking):
    first, second = (Chart(App(), "gpu") for _ in range(2))
    DcgmExporter(first, "exporter", nodes=legacy)
    asking(second, "asking", source=NEW)

    with pytest.warns(TalosGpuWarning) as after:
        asking(first, "asking", source=NEW)
    with pytest.warns(TalosGpuWarning) as before:
        DcgmExporter(second, "exporter", nodes=legacy)

    assert [str(each.message) for each in (*after, *before)] == [SAID, SAID]
    assert {each.filename for each in (*after, *before)} == {__file__}


@pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING)
@pytest.mark.parametrize(
    "source", [MetricsSource(), MetricsSource(exporter_version="4.8.4"), asked_in_base_units(MetricsSource(job="another"))], ids=str
)
def test_old_names_and_another_job_are_none_of_its_business(legacy, asking, source):
    chart = Chart(App(), "gpu")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        asking(chart, "asking", source=source)
        DcgmExporter(chart, "exporter", nodes=legacy)

    assert caught == []


def test_another_app_has_exporters_of_its_own(legacy):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        DcgmExporter(Chart(App(), "gpu"), "exporter", nodes=legacy)
        GpuAlerts(Chart(App(), "gpu"), "alerts", source=NEW)

    assert caught == []


def test_an_exporter_that_is_given_the_new_names_exports_them(chart, legacy):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        counter = Counter("DCGM_FI_DEV_GPU_TEMP_CELSIUS", kind="gauge", help="GPU temperature")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        GpuDashboard(chart, "dashboard", source=NEW)
        DcgmExporter(chart, "exporter", nodes=legacy, counters=[counter])

    assert caught == []
