import json

import pytest
from cdk8s import ApiObject, App, Chart

from conftest import dumped, message, one, synth
from constructs_lib import GpuDashboard
from constructs_lib.monitoring import MetricsSource, gpu_dashboard

FOLDER = "the title of one folder (at most 189 characters that can be printed, without '/' and '\\', no '.' or space at an end)"
KEY = "a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.')"
NAMESPACE = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"
OPERATORS = "grafana-dashboard"


def test_main_child_is_the_config_map(chart):
    assert ApiObject.of(GpuDashboard(chart, "gpu-dashboard")).kind == "ConfigMap"


def test_main_child_is_the_grafana_dashboard(chart):
    assert ApiObject.of(GpuDashboard(chart, "gpu-dashboard", kind=OPERATORS)).kind == "GrafanaDashboard"


def test_defaults(chart):
    made = GpuDashboard(chart, "gpu-dashboard")
    (config_map,) = synth(chart)
    data = config_map.pop("data")

    assert config_map == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "gpu-dashboard", "labels": {"grafana_dashboard": "1"}},
    }
    assert {key: json.loads(text) for key, text in data.items()} == {"nvidia-gpus.json": gpu_dashboard()}
    assert made.dashboard == gpu_dashboard()
    assert (made.kind, made.name, made.namespace, made.folder, made.uid) == ("config-map", "gpu-dashboard", None, None, "nvidia-gpus")


def test_defaults_for_the_operator(chart):
    GpuDashboard(chart, "gpu-dashboard", kind=OPERATORS)
    (made,) = synth(chart)
    text = made["spec"].pop("json")

    assert made == {
        "apiVersion": "grafana.integreatly.org/v1beta1",
        "kind": "GrafanaDashboard",
        "metadata": {"name": "gpu-dashboard"},
        "spec": {"instanceSelector": {"matchLabels": {"dashboards": "grafana"}}},
    }
    assert json.loads(text) == gpu_dashboard()


def test_a_folder_is_an_annotation_for_the_sidecar_and_a_field_for_the_operator(chart):
    GpuDashboard(chart, "sidecar", folder="GPUs & nodes")
    GpuDashboard(chart, "other", folder="Karten", folder_annotation="k8s-sidecar-target-directory", uid="other")
    GpuDashboard(chart, "operator", folder="GPUs", kind=OPERATORS, uid="operator")
    manifests = synth(chart)

    assert one(manifests, "ConfigMap", "sidecar")["metadata"]["annotations"] == {"grafana_folder": "GPUs & nodes"}
    assert one(manifests, "ConfigMap", "other")["metadata"]["annotations"] == {"k8s-sidecar-target-directory": "Karten"}
    assert one(manifests, "GrafanaDashboard")["spec"]["folder"] == "GPUs"
    assert "annotations" not in one(manifests, "GrafanaDashboard")["metadata"]


def test_labels_stand_beside_the_one_that_the_sidecar_looks_for(chart):
    GpuDashboard(chart, "first", labels={"team": "ml"})
    GpuDashboard(chart, "second", labels={"grafana_dashboard": "yes"}, uid="second")
    GpuDashboard(chart, "third", labels={"team": "ml"}, kind=OPERATORS, uid="third")

    assert [made["metadata"]["labels"] for made in synth(chart)] == [
        {"grafana_dashboard": "1", "team": "ml"},
        {"grafana_dashboard": "yes"},
        {"team": "ml"},
    ]


def test_the_operator_is_told_which_grafana_shall_have_it(chart):
    GpuDashboard(chart, "gpu-dashboard", kind=OPERATORS, instance_selector={"team": "ml"}, allow_cross_namespace_import=True)
    spec = one(synth(chart), "GrafanaDashboard")["spec"]

    assert (spec["instanceSelector"], spec["allowCrossNamespaceImport"]) == ({"matchLabels": {"team": "ml"}}, True)


def test_every_grafana_is_chosen_by_no_label(chart):
    GpuDashboard(chart, "gpu-dashboard", kind=OPERATORS, instance_selector={})

    assert one(synth(chart), "GrafanaDashboard")["spec"]["instanceSelector"] == {"matchLabels": {}}


@pytest.mark.parametrize("kind", ["config-map", OPERATORS])
def test_name_and_namespace_are_arguments_and_else_the_id_and_the_chart_s(kind):
    chart = Chart(App(), "monitoring", namespace="monitoring")
    GpuDashboard(chart, "first", kind=kind)
    GpuDashboard(chart, "second", kind=kind, name="gpus", namespace="grafana", uid="second")

    places = [(made["metadata"]["name"], made["metadata"]["namespace"]) for made in synth(chart)]
    assert places == [("first", "monitoring"), ("gpus", "grafana")]


def test_two_dashboards_are_two_files_for_the_sidecar_whatever_their_namespaces(chart):
    first = GpuDashboard(chart, "east", namespace="east", title="East", uid="east", source=MetricsSource(job="east"))
    second = GpuDashboard(chart, "west", namespace="west", title="West", uid="west", source=MetricsSource(job="west"))
    data = [made["data"] for made in synth(chart)]

    assert [list(each) for each in data] == [["east.json"], ["west.json"]]
    assert [(made["uid"], made["title"]) for made in (json.loads(text) for each in data for text in each.values())] == [
        ("east", "East"),
        ("west", "West"),
    ]
    assert 'job=\\"east\\"' in data[0]["east.json"]
    assert 'job=\\"west\\"' not in data[0]["east.json"]
    assert (first.uid, second.uid) == ("east", "west")


def test_the_json_is_the_same_whichever_kind_brings_it(chart):
    given = {"source": MetricsSource(job="nvidia-dcgm-exporter", node_label="Hostname"), "title": "Grafikkarten, groß", "profiling": True}
    GpuDashboard(chart, "sidecar", **given)
    GpuDashboard(chart, "operator", kind=OPERATORS, uid="operator", **given)
    manifests = synth(chart)

    theirs, ours = (
        json.loads(one(manifests, "GrafanaDashboard")["spec"]["json"]),
        json.loads(one(manifests, "ConfigMap")["data"]["nvidia-gpus.json"]),
    )
    assert {**theirs, "uid": ours["uid"]} == ours == gpu_dashboard(**given)


def test_the_json_is_lines_that_a_diff_can_show(chart):
    GpuDashboard(chart, "gpu-dashboard", title="Grafikkarten, groß")
    (text,) = one(synth(chart), "ConfigMap")["data"].values()

    assert text.splitlines()[:4] == ["{", '  "id": null,', '  "uid": "nvidia-gpus",', '  "title": "Grafikkarten, groß",']
    assert max(map(len, text.splitlines())) < 700


def test_it_is_small_enough_for_kubectl_apply_to_note_it_in_an_annotation(chart):
    # At most 256 KiB of annotations (k8s.io/apimachinery pkg/api/validation/objectmeta.go), where the dashboard is escaped once more.
    long = MetricsSource(job="j" * 63, node_label="n" * 63)
    GpuDashboard(chart, "d" * 63, source=long, title="t" * 189, uid="u" * 40, folder="f" * 189, profiling=True)

    assert len(json.dumps(synth(chart)[0])) < 256 * 1024


SCOPE = "'scope' must be a Chart, or a construct in a Chart (got 'chart')"
KINDS = "'kind' must be one of 'config-map', 'grafana-dashboard'"


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"folder": "GPU/nodes"}, ValueError, f"'folder' must be {FOLDER} (got 'GPU/nodes'); the sidecar makes a path of the title"),
        ({"folder": "/etc"}, ValueError, f"'folder' must be {FOLDER} (got '/etc'); the sidecar makes a path of the title"),
        ({"folder": "GPU\\nodes"}, ValueError, f"'folder' must be {FOLDER} (got 'GPU\\\\nodes'); the sidecar makes a path of the title"),
        ({"folder": ".."}, ValueError, f"'folder' must be {FOLDER} (got '..')"),
        ({"folder": ".gpus"}, ValueError, f"'folder' must be {FOLDER} (got '.gpus')"),
        ({"folder": "GPUs "}, ValueError, f"'folder' must be {FOLDER} (got 'GPUs ')"),
        ({"folder": "GPUs\n"}, ValueError, f"'folder' must be {FOLDER} (got 'GPUs\\n')"),
        ({"folder": "G\x00"}, ValueError, f"'folder' must be {FOLDER} (got 'G\\x00')"),
        ({"folder": ""}, ValueError, f"'folder' must be {FOLDER} (got '')"),
        ({"folder": "f" * 190}, ValueError, f"'folder' must be {FOLDER} (got '{'f' * 190}')"),
        ({"folder": 5}, TypeError, f"'folder' must be {FOLDER} (got 5)"),
        (
            {"folder": "GPU/nodes", "kind": OPERATORS},
            ValueError,
            f"'folder' must be {FOLDER} (got 'GPU/nodes'); the sidecar makes a path of the title",
        ),
        ({"folder_annotation": "a folder"}, ValueError, f"'folder_annotation' must be {KEY} (got 'a folder')"),
        ({"folder_annotation": ""}, ValueError, f"'folder_annotation' must be {KEY} (got '')"),
        ({"kind": "configmap"}, ValueError, f"{KINDS} (got 'configmap'); did you mean 'config-map'?"),
        ({"kind": None}, TypeError, f"{KINDS} (got None)"),
        (
            {"instance_selector": {"a": "b"}},
            ValueError,
            "'instance_selector' must be left out of kind 'config-map' (got {'a': 'b'}); the argument is for kind 'grafana-dashboard'",
        ),
        (
            {"allow_cross_namespace_import": True},
            ValueError,
            "'allow_cross_namespace_import' must be left out of kind 'config-map' (got True); the argument is for kind 'grafana-dashboard'",
        ),
        ({"allow_cross_namespace_import": 1}, TypeError, "'allow_cross_namespace_import' must be True or False (got 1)"),
        (
            {"folder_annotation": "grafana_folder", "kind": OPERATORS},
            ValueError,
            "'folder_annotation' must be left out of kind 'grafana-dashboard' (got 'grafana_folder'); the argument is for kind 'config-map'",
        ),
        (
            {"instance_selector": ["grafana"], "kind": OPERATORS},
            TypeError,
            "'instance_selector' must be a mapping of label keys to label values (got ['grafana'])",
        ),
        (
            {"name": "GPU dashboard"},
            ValueError,
            "'name' must be a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters) (got 'GPU dashboard')",
        ),
        (
            {"namespace": "Monitoring"},
            ValueError,
            f"'namespace' must be {NAMESPACE} (got 'Monitoring'); did you mean 'monitoring'?",
        ),
        (
            {"labels": {"team": True}},
            TypeError,
            "'labels[team]' must be a label value (at most 63 letters, digits, '-', '_' and '.', as a string) (got True); did you mean 'true'?",
        ),
        ({"uid": "gpu board"}, ValueError, "'uid' must be a uid of Grafana's (at most 40 letters, digits, '-' and '_') (got 'gpu board')"),
        ({"title": ""}, ValueError, "'title' must be a string that is not empty (got '')"),
        ({"source": "dcgm"}, TypeError, "'source' must be a MetricsSource (got 'dcgm')"),
        ({"profiling": None}, TypeError, "'profiling' must be True or False (got None)"),
        ({"folders": "GPUs"}, TypeError, "'folders' must be an argument of GpuDashboard (got folders='GPUs'); did you mean 'folder'?"),
    ],
)
def test_a_wrong_argument_is_refused_and_leaves_nothing_behind(chart, arguments, error, says):
    assert message(lambda: GpuDashboard(chart, "gpu-dashboard", **arguments), error) == says
    assert chart.node.children == []
    assert GpuDashboard(chart, "gpu-dashboard").name == "gpu-dashboard"


@pytest.mark.parametrize("folder", ["GPUs", "GPUs & nodes (east)", "Grafikkarten: groß", "v1.2", "f" * 189])
def test_a_folder_may_have_any_other_title(chart, folder):
    assert GpuDashboard(chart, "gpu-dashboard", folder=folder).folder == folder


def test_a_dashboard_that_no_config_map_holds_is_refused(chart):
    source = MetricsSource(job="j" * 20_000)

    says = message(lambda: GpuDashboard(chart, "gpu-dashboard", source=source))
    assert says.startswith("'source' must be such that the dashboard has at most 1048576 bytes (got MetricsSource(job='jjj")
    assert says.rpartition("; ")[2].startswith("the dashboard has ")
    assert chart.node.children == []


@pytest.mark.parametrize("kind", ["config-map", OPERATORS])
def test_a_second_dashboard_of_one_uid_is_refused(chart, kind):
    GpuDashboard(chart, "first")

    assert message(lambda: GpuDashboard(chart, "second", kind=kind)) == (
        "'uid' must be one that no other GpuDashboard of this app has (got 'nvidia-gpus'); 'first' has the same uid, and Grafana would show only one of the two dashboards"
    )
    assert len(chart.node.children) == 1


def test_dashboards_of_two_apps_may_have_one_uid():
    made = [GpuDashboard(Chart(App(), "monitoring"), "gpu-dashboard") for _ in range(2)]

    assert [each.uid for each in made] == ["nvidia-gpus"] * 2


def test_a_place_that_is_no_construct_is_refused():
    assert message(lambda: GpuDashboard("chart", "gpu-dashboard"), TypeError) == SCOPE


def test_does_not_change_once_it_is_made(chart):
    made = GpuDashboard(chart, "gpu-dashboard")

    def rename():
        made.uid = "other"

    assert message(rename, AttributeError) == (
        "'uid' must be given to GpuDashboard(…) (got uid='other' afterwards); constructs are immutable"
    )


def test_two_synths_are_the_same():
    def text():
        chart = Chart(App(), "monitoring")
        GpuDashboard(chart, "gpu-dashboard", profiling=True)
        return dumped(synth(chart))

    assert text() == text()


def test_an_id_that_can_be_no_name_is_refused_as_the_id(chart):
    assert message(lambda: GpuDashboard(chart, "GPU dashboard")) == (
        "'id' must be a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters) (got 'GPU dashboard')"
    )
    assert chart.node.children == []
