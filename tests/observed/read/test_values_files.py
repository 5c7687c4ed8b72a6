"""Files with values that no release names: whose they are, by their keys, and when they are checked."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.helm.values_files import values_in
from constructs_lib.observed.read.repository import read, read_text
from constructs_lib.yaml.load import located

OPERATOR = "driver: {enabled: true}\ntoolkit: {enabled: false}\n"
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: gpu}
spec:
  chart: {spec: {chart: gpu-operator, version: v26.7.0}}
  values: {driver: {enabled: false}, toolkit: {enabled: false}}
"""


@pytest.mark.parametrize(
    ("text", "file", "chart"),
    [
        (OPERATOR, "values.yaml", "gpu-operator"),
        ("driver: {enabled: false}\nnodeSelector: {}\n", "gpu-operator/values.yaml", None),
        ("driver: {enabled: false}\n", "gpu-operator/values.yaml", "gpu-operator"),
        ("driver: {enabled: false}\n", "values.yaml", None),
        ("driver: {}\ntoolkit: {}\none: 1\ntwo: 2\n", "values.yaml", None),
        ("deviceListStrategy: envvar\nmigStrategy: none\n", "values.yaml", "nvidia-device-plugin"),
        ("gfd: {enabled: true}\n", "nvidia-device-plugin-values.yaml", "nvidia-device-plugin"),
        ("gfd: {enabled: true}\nnfd: {enabled: true}\n", "values.yaml", None),
        ("service: {type: ClusterIP}\nserviceMonitor: {enabled: true}\nresources: {}\n", "values.yaml", None),
        ("kubeletPlugin: {}\nnvidiaDriverRoot: /usr/local\n", "values.yaml", "dra-driver-nvidia-gpu"),
        ("controller: {}\nwebhook: {}\ndriver: {}\n", "csi-values.yaml", None),
        ("operator: {replicas: 1}\nhubble: {enabled: true}\n", "cilium/values.yaml", None),
        ("kind: A\ndriver: {}\ntoolkit: {}\n", "values.yaml", None),
    ],
)
def test_a_chart_is_known_by_its_keys_with_a_margin(text, file, chart):
    (document,) = located(text, file)
    found = [each.chart.name for each in values_in(document) if each.is_sure]
    assert found == ([] if chart is None else [chart])


def tree(folder, **files):
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return read([folder], talos="1.13")


def test_values_alone_are_checked_as_those_of_an_unknown_release(tmp_path):
    inputs = tree(tmp_path, values_yaml=OPERATOR)
    (release,) = inputs.releases
    assert release.label == "gpu-operator of an unknown release (values.yaml)"
    assert [each.rule for each in run_rules(inputs)] == ["TG010"]


def test_a_file_and_a_text_with_values_are_recognized(tmp_path):
    (tmp_path / "values.yaml").write_text(OPERATOR)
    assert len(read([tmp_path / "values.yaml"]).releases) == 1
    assert len(read_text(OPERATOR).releases) == 1
    assert [each.version for each in read_text(OPERATOR, chart="gpu-operator@v26.7.0").releases] == ["v26.7.0"]


@pytest.mark.parametrize(
    "files",
    [
        {"values_yaml": OPERATOR, "release_yaml": RELEASE},
        {"values_yaml": OPERATOR, "values-prod_yaml": OPERATOR},
        {"app__values_yaml": OPERATOR, "app__kustomization_yaml": "resources: [release.yaml]\n", "app__release_yaml": RELEASE},
    ],
)
def test_values_that_a_release_may_have_already_are_skipped_with_the_reason(tmp_path, files):
    inputs = tree(tmp_path, **files)
    assert len(inputs.releases) <= 1
    assert all(each.version == "v26.7.0" for each in inputs.releases)
    assert "values of the chart gpu-operator, by their keys, which no release here names" in "".join(each.reason for each in inputs.skipped)


def test_the_values_of_a_chart_in_the_repository_are_the_charts_own(tmp_path):
    inputs = tree(tmp_path, **{"gpu-operator__values_yaml": OPERATOR, "gpu-operator__Chart_yaml": "name: gpu-operator\nversion: 1.0.0\n"})
    assert inputs.releases == ()


def skipped(inputs, folder):
    return {each.file.removeprefix(f"{folder}/"): each.reason for each in (*inputs.skipped, *inputs.unrecognized)}


PERHAPS = "perhaps values of the chart gpu-operator, by the keys {}: check them with --chart gpu-operator@VERSION"


@pytest.mark.parametrize(
    ("name", "text", "keys"),
    [
        ("values.yaml", "driver: {}\ntoolkit: {}\none: 1\ntwo: 2\n", "driver, toolkit"),
        ("values.yaml", "driver: {enabled: true}\n", "driver"),
        ("gpu-operator/values.yaml", "driver: {enabled: true}\nnodeSelector: {}\n", "driver"),
        ("gpu.yaml", "driver: {}\ntoolkit: {}\nmine: 1\n", "driver, toolkit"),
        ("values.yaml", "gpu-operator: {driver: {}, one: 1, two: 2}\n", "driver"),
    ],
)
def test_values_that_may_be_those_of_something_else_are_named_with_the_flag_that_checks_them(tmp_path, name, text, keys):
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)

    inputs = read([tmp_path])
    assert (inputs.releases, skipped(inputs, tmp_path)) == ((), {name: PERHAPS.format(keys)})
    (release,) = read([tmp_path], chart="gpu-operator@v26.7.0").releases
    assert (release.chart, release.version) == ("gpu-operator", "v26.7.0")


@pytest.mark.parametrize(
    "text",
    [
        OPERATOR,
        '{\n  "driver": {"enabled": true},\n  "toolkit": {"enabled": false}\n}',
        "{driver: {enabled: true}, toolkit: {enabled: false}}",
        f"# GPUs\n---\n{OPERATOR}",
    ],
)
def test_a_file_of_any_name_has_values_where_all_keys_are_those_of_one_chart(tmp_path, text):
    (tmp_path / "gpu.yaml").write_text(text)
    assert [each.rule for each in run_rules(read([tmp_path], talos="1.13"))] == ["TG010"]


def test_values_below_the_name_of_a_chart_are_those_of_the_chart_at_their_own_lines(tmp_path):
    (tmp_path / "values.yaml").write_text("gpu-operator:\n  driver: {}\n  toolkit:\n    enabled: true\nnvidia-device-plugin:\n  gfd: {}\n")

    inputs = read([tmp_path], talos="1.13")
    assert [each.chart for each in inputs.releases] == ["gpu-operator", "nvidia-device-plugin"]
    assert [each.line for each in run_rules(inputs) if each.rule == "TG011"] == [4]
    for chart in (None, "gpu-operator@v26.7.0"):
        (release,) = read_text("gpu-operator: {driver: {}}\n", chart=chart).releases
        assert (release.chart, release.given) == ("gpu-operator", {"driver": {}})


def test_values_that_terraform_reads_are_those_of_its_release(tmp_path):
    pytest.importorskip("hcl2")
    (tmp_path / "gpu.yaml").write_text(OPERATOR)
    (tmp_path / "main.tf").write_text(
        'resource "helm_release" "gpu" {\n  name = "gpu"\n  chart = "gpu-operator"\n  version = "v26.7.0"\n'
        '  values = [file("${path.module}/gpu.yaml")]\n}\n'
    )

    inputs = read([tmp_path])
    assert ([each.version for each in inputs.releases], inputs.skipped) == (["v26.7.0"], ())


def test_a_chart_that_no_values_in_a_folder_can_be_of_is_refused(tmp_path):
    (tmp_path / "values.yaml").write_text(OPERATOR)
    with pytest.raises(ValueError, match=r"'chart' must be the chart of values in the files .*no file has keys of this chart's values"):
        read([tmp_path], chart="nvidia-device-plugin@0.20.0")


def test_each_file_in_which_nothing_is_recognized_is_listed_with_the_reason(tmp_path):
    for name, text in {
        "web/values.yaml": "driver: {}\nreplicas: 1\n",
        "package.json": "{}",
        "broken.yaml": "a: [",
        "pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
        "machine.yaml": "machine: {type: worker}\n",
        "chart/Chart.yaml": "name: mine\nversion: 1.0.0\n",
        "chart/values.yaml": "a: 1\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)

    reasons = skipped(read([tmp_path]), tmp_path)
    assert {name for name, reason in reasons.items() if reason.startswith("neither a manifest")} == {
        "broken.yaml",
        "package.json",
        "web/values.yaml",
    }
    assert reasons.keys() == {"broken.yaml", "package.json", "web/values.yaml", "chart"}
