"""Files with values that no release names: whose they are, by their keys, and when they are checked."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.helm.values_files import chart_of_values
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
    found = chart_of_values(document.value, file)
    assert (found.name if found else None) == chart


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


def test_values_that_no_chart_has_as_a_whole_are_named_in_a_folder(tmp_path):
    (tmp_path / "values.yaml").write_text("driver: {}\ntoolkit: {}\ngfd: {}\nmigManager: {}\nmine: 1\nother: 2\n")
    (tmp_path / "web").mkdir()
    (tmp_path / "web/values.yaml").write_text("driver: {}\nreplicas: 1\n")

    (skipped,) = read([tmp_path]).skipped
    assert (skipped.file.endswith("values.yaml"), "web" in skipped.file) == (True, False)
    assert "name the chart (--chart" in skipped.reason
