"""The dashboard of an exporter 4.9 with its own file of counters: the same physical series show the same numbers in the same panels."""

import copy
import json
import re

import pytest

from constructs_lib.monitoring import Metric, MetricsSource, gpu_dashboard
from constructs_lib.upstream.nvidia.dcgm_metric_names import DCGM_4_7
from dcgm_encodings import BASE_UNITS, asked_in_base_units, in_base_units
from promql import agree, gives

OLD = gpu_dashboard(profiling=True)
NEW = gpu_dashboard(profiling=True, source=asked_in_base_units(MetricsSource()))
# A card that two pods share, a card in two MIG instances, and an idle card.
_JOB = 'job="dcgm-exporter"'
CARDS = [
    f'{_JOB}, node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090", exported_namespace="ai", exported_pod="ollama", vgpu="0"',
    f'{_JOB}, node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090", exported_namespace="ai", exported_pod="comfyui", vgpu="1"',
    f'{_JOB}, node="b", gpu="0", UUID="GPU-b0", modelName="H100", GPU_I_ID="1", GPU_I_PROFILE="1g.10gb", exported_namespace="ai", exported_pod="vllm"',
    f'{_JOB}, node="b", gpu="0", UUID="GPU-b0", modelName="H100", GPU_I_ID="2", GPU_I_PROFILE="2g.20gb"',
    f'{_JOB}, node="b", gpu="1", UUID="GPU-b1", modelName="H100"',
]


def targets(dashboard):
    found = [inner for panel in dashboard["panels"] for inner in (panel, *panel.get("panels", []))]
    return [(panel, target) for panel in found for target in panel.get("targets", [])]


def physical():
    """Every metric of every card, up to dcgm-exporter 4.8: each has a value of its own, and counters grow."""
    series = {}
    for row, metric in enumerate(metric for metric in Metric if metric is not Metric.DRIVER_VERSION):
        for place, card in enumerate(CARDS):
            labels = f'{card}, xid="79"' if metric is Metric.XID_ERRORS_COUNT else card
            value = (7 * row + 13 * place) % 90 + 3
            series[metric, labels] = f"{value * 1000}+{value}x60" if metric.kind == "counter" else f"{value}x60"
    return series


def both_encodings():
    """The same series under the names up to 4.8 and under those of 4.9, side by side."""
    series = {}
    for (metric, labels), values in physical().items():
        name, new_values = in_base_units(metric, values)
        series |= {f"{metric}{{{labels}}}": values, f"{name}{{{labels}}}": new_values}
    return series


def test_every_panel_shows_the_same_numbers_in_both_encodings(tmp_path):
    pairs = [(old["expr"], new["expr"]) for (_, old), (_, new) in zip(targets(OLD), targets(NEW), strict=True)]
    # The inventory has the driver's version among its labels, by the label's name.
    renamed = [(old, new) for old, new in pairs if old != new and "DRIVER_VERSION" not in old]

    assert len(renamed) > 30
    agree(tmp_path, both_encodings(), renamed)


def test_a_metric_in_another_unit_is_found(tmp_path):
    with pytest.raises(AssertionError, match="FAILED"):
        agree(tmp_path, both_encodings(), [("DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_USED_BYTES / 1000000")])


def test_panels_units_and_limits_are_the_same_whatever_the_exporters_units():
    def without_queries(dashboard):
        plain = copy.deepcopy(dashboard)
        for _, target in targets(plain):
            del target["expr"]
        for variable in plain["templating"]["list"]:
            del variable["query"]
        return json.dumps(plain).replace("DCGM_FI_SYSTEM_DRIVER_VERSION", "DCGM_FI_DRIVER_VERSION")

    assert without_queries(NEW) == without_queries(OLD)


def test_nothing_is_asked_for_by_an_old_name_and_every_new_name_is_one_of_dcgms():
    asked = set(re.findall(r"DCGM_\w+", json.dumps(NEW)))

    assert asked & BASE_UNITS.keys() == set()
    assert asked <= {field.name for field in DCGM_4_7.values()}


def test_the_inventory_shows_the_driver_by_the_label_that_4_9_gives(tmp_path):
    (panel, target), = ((panel, target) for panel, target in targets(NEW) if panel["title"] == "GPUs in detail")  # fmt: skip
    card = 'node="a", gpu="0", UUID="GPU-a0", modelName="RTX 4090", DCGM_FI_SYSTEM_DRIVER_VERSION="595.112.07"'

    gives(tmp_path, {f'DCGM_FI_DEV_GPU_TEMP_CELSIUS{{{_JOB}, hostname="a", {card}}}': 40}, target["expr"], {f"{{{card}}}": 40})
    assert panel["transformations"][-1]["options"]["renameByName"]["DCGM_FI_SYSTEM_DRIVER_VERSION"] == "Driver"


def test_the_variables_are_read_from_the_series_of_4_9():
    queries = [variable["query"] for variable in NEW["templating"]["list"] if variable["type"] == "query"]

    assert [set(re.findall(r"DCGM_\w+", query)) for query in queries] == [{"DCGM_FI_DEV_GPU_TEMP_CELSIUS"}] * 4
