"""The dashboard's JSON: that Grafana can load it, that every query can be read, and that something produces every metric it asks for."""

import json
import re
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest
from syrupy.extensions.json import JSONSnapshotExtension

from conftest import message, needs
from constructs_lib.monitoring import Metric, MetricsSource, default_counters, gpu_dashboard
from promql import as_asked, check
from test_panels import overlap

ROOT = Path(__file__).resolve().parent.parent
OPERATORS = MetricsSource(job="nvidia-dcgm-exporter", node_label="Hostname", honor_labels=True)
DASHBOARDS = {
    "default": gpu_dashboard(),
    "profiling": gpu_dashboard(profiling=True),
    "the operator's exporter": gpu_dashboard(source=OPERATORS, profiling=True),
}
# kubernetes/kube-state-metrics internal/store/node.go and pod.go: all of them stable.
KUBE_STATE_METRICS = {"kube_node_status_allocatable", "kube_pod_container_resource_requests", "kube_pod_status_phase"}
# What Prometheus and VictoriaMetrics both have, under the same name and with the same meaning.
PLAIN = {
    "avg", "bottomk", "count", "floor", "increase", "label_join", "label_replace", "log2", "max", "max_over_time", "rate", "sum", "topk",
}  # fmt: skip
WORDS = {"by", "on", "and", "or", "bool"}


@pytest.fixture(params=DASHBOARDS)
def dashboard(request):
    return DASHBOARDS[request.param]


def panels(dashboard, *, rows=False):
    """Every panel, those of collapsed rows too."""
    found = [inner for panel in dashboard["panels"] for inner in (panel, *panel.get("panels", []))]
    return [panel for panel in found if rows or panel["type"] != "row"]


def panel_of(dashboard, title):
    (found,) = (panel for panel in panels(dashboard) if panel["title"] == title)
    return found


def targets(dashboard):
    return [target for panel in panels(dashboard) for target in panel["targets"]]


def expressions(dashboard):
    """What is asked of the data source, by panels and by variables."""
    queries = [variable["query"] for variable in dashboard["templating"]["list"] if variable["type"] == "query"]
    inner = [re.fullmatch(r"query_result\((.*)\)|label_values\((.*), \w+\)", query) for query in queries]
    return [target["expr"] for target in targets(dashboard)] + [found[1] or found[2] for found in inner]


def without_strings(expr):
    return re.sub(r'"[^"]*"', '""', expr)


class Json(JSONSnapshotExtension):
    """One file, that a reader can hold against the one before."""


def test_the_whole_dashboard(snapshot):
    assert DASHBOARDS["profiling"] == snapshot(extension_class=Json)


def test_it_is_classic_and_of_no_particular_grafana(dashboard):
    assert dashboard["id"] is None
    assert dashboard["uid"] == "nvidia-gpus"
    assert dashboard["title"] == "NVIDIA GPUs"
    assert 39 <= dashboard["schemaVersion"] <= 42
    assert not {"__inputs", "__requires", "__elements"} & dashboard.keys()
    assert json.loads(json.dumps(dashboard)) == dashboard


def test_what_people_look_for_first_stands_first(dashboard):
    first, table = dashboard["panels"][:2]

    assert (first["type"], first["title"]) == ("row", "Who uses what")
    assert (table["type"], table["title"], table["gridPos"]) == ("table", "Pods with a GPU", {"x": 0, "y": 1, "w": 24, "h": 8})


def test_the_rows_are_those_of_a_fleet_and_of_a_card():
    assert [panel["title"] for panel in DASHBOARDS["profiling"]["panels"] if panel["type"] == "row"] == [
        "Who uses what", "Overview", "Utilisation", "Memory", "Power", "Temperature", "Clocks", "Errors", "Allocation", "Inventory",
        "Media and links", "Profiling",
    ]  # fmt: skip


def test_ids_and_titles_are_each_there_once(dashboard):
    everything = panels(dashboard, rows=True)
    ids = [panel["id"] for panel in everything]
    titles = [panel["title"] for panel in panels(dashboard)]

    assert ids == list(range(1, len(everything) + 1))
    assert len(set(titles)) == len(titles)


def test_no_panel_lies_on_another_or_beyond_the_edge(dashboard):
    for together in (dashboard["panels"], *(panel["panels"] for panel in dashboard["panels"] if panel.get("collapsed"))):
        places = [panel["gridPos"] for panel in together]
        assert [pair for pair in combinations(places, 2) if overlap(*pair)] == []
        assert [place for place in places if place["x"] < 0 or place["x"] + place["w"] > 24] == []


def test_rows_leave_no_hole(dashboard):
    shown = [panel["gridPos"] for panel in dashboard["panels"]]
    bottom = max(place["y"] + place["h"] for place in shown)

    assert sum(place["w"] * place["h"] for place in shown) == 24 * bottom


def test_a_collapsed_row_holds_its_panels_below_it(dashboard):
    collapsed = [panel for panel in dashboard["panels"] if panel.get("collapsed")]

    assert collapsed
    for row in collapsed:
        assert {panel["gridPos"]["y"] > row["gridPos"]["y"] for panel in row["panels"]} == {True}
    assert {tuple(panel["panels"]) for panel in dashboard["panels"] if panel["type"] == "row" and not panel["collapsed"]} == {()}


def test_every_panel_query_and_variable_asks_the_data_source_that_the_reader_chose(dashboard):
    chosen = {"type": "prometheus", "uid": "$datasource"}
    variables = dashboard["templating"]["list"]
    asking = [*panels(dashboard), *targets(dashboard), *(variable for variable in variables if variable["type"] == "query")]

    assert [each for each in asking if each["datasource"] != chosen] == []
    assert (variables[0]["type"], variables[0]["name"], variables[0]["query"]) == ("datasource", "datasource", "prometheus")


def test_every_query_has_a_letter_of_its_own_in_its_panel(dashboard):
    for panel in panels(dashboard):
        letters = [target["refId"] for target in panel["targets"]]
        assert letters == [chr(ord("A") + number) for number in range(len(letters))]


def test_the_reader_chooses_data_source_node_gpu_and_namespace_and_all_matches_series_that_lack_a_label(dashboard):
    variables = dashboard["templating"]["list"]

    assert [variable["name"] for variable in variables if variable["hide"] == 0] == ["datasource", "node", "gpu", "namespace"]
    assert [variable["name"] for variable in variables if variable["hide"]] == ["cluster"]
    for variable in variables[1:]:
        assert (variable["allValue"], variable["multi"], variable["includeAll"]) == (".*", True, True)
        assert variable["current"] == {"text": ["All"], "value": ["$__all"]}


def test_every_variable_that_is_asked_for_is_there(dashboard):
    names = {variable["name"] for variable in dashboard["templating"]["list"]}
    asked = set(re.findall(r"\$(\w+)", json.dumps(dashboard))) - {"1"}

    assert asked == names | {"__range", "__all"}


@pytest.mark.parametrize(
    "metric",
    [
        '{UUID="GPU-a0", gpu="0", modelName="RTX 4090", name="talos-a GPU 0", node="talos-a"} 45 1764000000000',
        '{name="talos-a GPU 0",node="talos-a",modelName="RTX 4090",gpu="0",UUID="GPU-a0"} 45 1764000000000',
        '{modelName="RTX 4090",name="talos-a GPU 0",UUID="GPU-a0"} 45 1764000000000',
        # Without a label of the cluster, the place begins with the separator.
        '{modelName="RTX 4090",name=" talos-a GPU 0",UUID="GPU-a0",place=" talos-a"} 45 1764000000000',
    ],
)
def test_the_reader_sees_node_and_index_of_a_gpu_and_its_uuid_is_asked_for_in_whatever_order_labels_come(metric):
    (variable,) = (each for each in DASHBOARDS["default"]["templating"]["list"] if each["name"] == "gpu")
    # JavaScript's named groups in Python's spelling.
    expression = variable["regex"].strip("/").replace("(?<", "(?P<")
    found = re.search(expression, re.sub(r'", ', '",', metric))

    assert (found["text"], found["value"]) == ("talos-a GPU 0", "GPU-a0")


def test_flux_finds_nothing_to_substitute(dashboard):
    assert "${" not in json.dumps(dashboard)


def test_prometheus_reads_every_expression(dashboard, tmp_path):
    assert check(tmp_path, [as_asked(expr) for expr in expressions(dashboard)]) == ""


def test_an_expression_that_prometheus_can_t_read_is_found(tmp_path):
    assert "parse error" in check(tmp_path, ["sum(up", "up"])


def names_in(expr):
    """What stands in an expression outside of strings, braces and brackets, and is no label."""
    bare = re.sub(r"\{[^}]*\}|\[[^]]*\]", "", without_strings(expr))
    return set(re.findall(r"\b[a-zA-Z_]\w*\b", re.sub(r"\b(by|on) \([^)]*\)", r"\1", bare))) - WORDS


def test_every_metric_is_one_that_the_counters_or_kube_state_metrics_produce(dashboard):
    produced = {str(counter.metric) for counter in default_counters(profiling=True)} | KUBE_STATE_METRICS
    used = {name for expr in expressions(dashboard) for name in names_in(expr)} - PLAIN

    assert used - produced == set()
    assert used >= KUBE_STATE_METRICS | {"DCGM_FI_DEV_GPU_UTIL", "DCGM_EXP_XID_ERRORS_COUNT"}


def test_what_needs_profiling_is_asked_for_only_where_there_is_profiling():
    profiled = {str(metric) for metric in Metric if metric.needs_profiling}
    used = {name: {word for expr in expressions(made) for word in names_in(expr)} for name, made in DASHBOARDS.items()}

    assert used["default"] & profiled == set()
    assert used["profiling"] & profiled == {
        "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
        "DCGM_FI_PROF_SM_ACTIVE",
        "DCGM_FI_PROF_SM_OCCUPANCY",
        "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
        "DCGM_FI_PROF_DRAM_ACTIVE",
        "DCGM_FI_PROF_PCIE_TX_BYTES",
        "DCGM_FI_PROF_PCIE_RX_BYTES",
    }
    assert "Engine active" in titles_of(panel_of(DASHBOARDS["profiling"], "Pods with a GPU"))
    assert "Engine active" not in titles_of(panel_of(DASHBOARDS["default"], "Pods with a GPU"))


def test_the_functions_are_plain_promql_that_victoriametrics_has_too(dashboard):
    called = {name for expr in expressions(dashboard) for name in re.findall(r"\b(\w+)\s*\(", without_strings(expr))} - WORDS

    assert called <= PLAIN


def test_every_series_of_the_exporter_is_of_its_job_and_of_the_chosen_cluster(dashboard):
    job = 'job="nvidia-dcgm-exporter"' if dashboard is DASHBOARDS["the operator's exporter"] else 'job="dcgm-exporter"'
    selectors = [found for target in targets(dashboard) for found in re.findall(r"DCGM_\w+(?:\{([^}]*)\})?", target["expr"])]
    ours = [found for found in selectors if found]

    assert len(ours) > 40
    assert [found for found in ours if job not in found or 'cluster=~"$cluster"' not in found or '=~"$node"' not in found] == []


def test_no_series_of_the_exporter_is_shown_before_its_duplicates_are_removed(dashboard):
    for expr in expressions(dashboard):
        found = re.sub(r"max by \([^)]*\) \((max_over_time\()?DCGM_\w+\{", "", without_strings(expr))
        if not expr.startswith("DCGM_"):  # the values of a variable, which are each shown once
            assert re.findall(r"DCGM_\w+\{", found) == [], expr


def test_legends_name_node_and_index_and_never_an_exporter_s_pod():
    for panel in panels(DASHBOARDS["default"]):
        for target in panel["targets"]:
            if panel["type"] in ("timeseries", "state-timeline", "bargauge") and "DCGM" in target["expr"]:
                assert "{{cluster}} {{node}} GPU {{gpu}}" in target["legendFormat"], panel["title"]
    assert "{{instance}}" not in json.dumps(DASHBOARDS["default"])
    assert "{{cluster}} {{Hostname}} GPU {{gpu}}" in json.dumps(DASHBOARDS["the operator's exporter"])


def titles_of(table):
    return list(table["transformations"][-1]["options"]["renameByName"].values())


def test_a_table_joins_its_queries_into_one_row_for_each_set_of_labels():
    table = panel_of(DASHBOARDS["default"], "Pods with a GPU")

    assert [each["id"] for each in table["transformations"]] == ["merge", "organize"]
    assert {(target["format"], target["instant"], target["range"]) for target in table["targets"]} == {("table", True, False)}
    assert titles_of(table) == [
        "Cluster", "Namespace", "Pod", "Node", "GPU", "Model", "MIG profile", "MIG instance", "Utilisation", "Memory", "Power", "Temperature",
    ]  # fmt: skip
    assert table["transformations"][-1]["options"]["excludeByName"] == {"Time": True, "UUID": True}


def test_a_table_of_one_query_finds_its_values_under_either_of_grafana_s_names():
    organized = panel_of(DASHBOARDS["default"], "XID errors in the time shown")["transformations"][-1]["options"]

    assert (organized["renameByName"]["Value"], organized["renameByName"]["Value #A"]) == ("Most at once", "Most at once")


def test_the_inventory_shows_labels_and_no_value():
    organized = panel_of(DASHBOARDS["default"], "GPUs in detail")["transformations"][-1]["options"]

    assert organized["excludeByName"] == {"Time": True, "Value": True, "Value #A": True}
    assert organized["renameByName"]["DCGM_FI_DRIVER_VERSION"] == "Driver"


def test_a_table_is_sorted_by_a_column_that_it_has(dashboard):
    for table in (panel for panel in panels(dashboard) if panel["type"] == "table"):
        assert {each["displayName"] for each in table["options"]["sortBy"]} <= set(titles_of(table))


def test_units_are_those_of_the_metrics():
    def unit(title):
        return panel_of(DASHBOARDS["profiling"], title)["fieldConfig"]["defaults"]["unit"]

    # FB_* are MiB, which is Grafana's mbytes; its decmbytes would be a twentieth off.
    assert [unit(title) for title in ("Memory", "Memory used", "Memory by pod")] == ["mbytes"] * 3
    assert [unit(title) for title in ("GPU utilisation", "Encoder", "Fan speed")] == ["percent"] * 3
    assert [unit(title) for title in ("Memory used, as a part", "Draw as a part of the limit", "SMs active")] == ["percentunit"] * 3
    assert [unit(title) for title in ("Power draw", "Energy", "GPU temperature", "SM clock", "NVLink", "PCIe")] == [
        "watt", "kwatth", "celsius", "hertz", "MBs", "Bps",
    ]  # fmt: skip
    assert panel_of(DASHBOARDS["default"], "SM clock")["targets"][0]["expr"].endswith("* 1e6")


def test_no_temperature_and_no_power_is_held_against_a_number_of_ours(dashboard):
    for panel in panels(dashboard):
        defaults = panel["fieldConfig"]["defaults"]
        steps = [step["value"] for step in defaults["thresholds"]["steps"]]
        # Below a whole degree the card is at its own limit.
        assert steps in ([None], [None, 1]), panel["title"]
        if defaults["unit"] in ("celsius", "watt"):
            assert "max" not in defaults


def test_a_limit_of_the_card_is_a_dashed_line():
    for title in ("Power draw", "GPU temperature", "Allocatable and requested"):
        (override,) = panel_of(DASHBOARDS["default"], title)["fieldConfig"]["overrides"]
        assert override["matcher"] == {"id": "byFrameRefID", "options": "B"}
        assert {"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [8, 8]}} in override["properties"]


def emptied(made):
    """Take everything out of a dashboard, from the innermost parts on."""
    for inner in made.values() if isinstance(made, dict) else made:
        if isinstance(inner, dict | list):
            emptied(inner)
    made.clear()


def test_it_is_made_anew_each_time_and_always_the_same():
    one, other = gpu_dashboard(), gpu_dashboard()
    emptied(one)

    assert other == gpu_dashboard() == DASHBOARDS["default"]


def test_title_uid_and_labels_are_arguments():
    made = gpu_dashboard(title="GPUs of the east", uid="gpus_east-1", source=MetricsSource(node_label="kubernetes_node"))

    assert (made["title"], made["uid"]) == ("GPUs of the east", "gpus_east-1")
    assert "{{kubernetes_node}} GPU {{gpu}}" in json.dumps(made)


UID = "a uid of Grafana's (at most 40 letters, digits, '-' and '_')"


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"uid": "my gpus"}, ValueError, f"'uid' must be {UID} (got 'my gpus')"),
        ({"uid": "g" * 41}, ValueError, f"'uid' must be {UID} (got '{'g' * 41}')"),
        ({"uid": "gpus\n"}, ValueError, f"'uid' must be {UID} (got 'gpus\\n')"),
        ({"uid": ""}, ValueError, f"'uid' must be {UID} (got '')"),
        ({"uid": 5}, TypeError, f"'uid' must be {UID} (got 5)"),
        ({"title": " "}, ValueError, "'title' must be a string that is not empty (got ' ')"),
        ({"title": "t" * 190}, ValueError, f"'title' must be at most 189 characters long (got '{'t' * 190}')"),
        ({"profiling": "yes"}, TypeError, "'profiling' must be True or False (got 'yes'); did you mean True?"),
        ({"source": "dcgm-exporter"}, TypeError, "'source' must be a MetricsSource (got 'dcgm-exporter')"),
        (
            {"job": "x"},
            TypeError,
            "'job' must be an argument of gpu_dashboard (got job='x'); the arguments of gpu_dashboard are 'source', 'title', 'uid', 'profiling'",
        ),
    ],
)
def test_a_wrong_argument_is_refused(arguments, error, says):
    assert message(lambda: gpu_dashboard(**arguments), error) == says


@pytest.mark.parametrize("length", [1, 40])
def test_the_shortest_and_the_longest_uid_are_accepted(length):
    assert gpu_dashboard(uid="g" * length)["uid"] == "g" * length


def test_grafana_s_own_schema_knows_every_field():
    # The schema as Grafana publishes it for Python: what it does not know is lost on the way through.
    code = """
import json, sys
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard
register_default_plugins()
print(json.dumps(Dashboard.from_json(json.load(sys.stdin)), cls=JSONEncoder))
"""
    path = needs("GRAFANA_SDK", "a folder with grafana-foundation-sdk, as pip install --target makes it")
    given = DASHBOARDS["profiling"]
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": path}, input=json.dumps(given), capture_output=True, text=True, check=True
    )

    assert list(lost(given, json.loads(done.stdout))) == ["id"]


def lost(given, kept, path=""):
    """Where something is missing or other than it was; `id` is null, and so left out."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for key, value in given.items():
            yield from lost(value, kept[key], f"{path}.{key}".lstrip(".")) if key in kept else [f"{path}.{key}".lstrip(".")]
    elif isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        for place, pair in enumerate(zip(given, kept, strict=True)):
            yield from lost(*pair, f"{path}[{place}]")
    elif given != kept:
        yield path
