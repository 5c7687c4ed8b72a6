import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read_text
from unknowns import plain

RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: plugin, namespace: gpu}
spec:
"""
CHART = "  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}\n"
SOURCE = """\
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: nvdp, namespace: gpu}
spec:
"""


def release(spec, *rest):
    """The only release of a HelmRelease, beside other documents."""
    (found,) = read_text("".join([RELEASE, spec, *rest])).releases
    return found


@pytest.mark.parametrize("version", ["v2", "v2beta1", "v2beta2"])
def test_a_helm_release_of_every_version_is_a_release(version):
    text = (RELEASE + CHART + "  values:\n    gfd:\n      enabled: true\n").replace("/v2", f"/{version}")
    (found,) = read_text(text).releases
    assert (found.chart, found.version, found.name, found.namespace, found.complete) == (
        "nvidia-device-plugin",
        "0.20.0",
        "plugin",
        "gpu",
        True,
    )
    assert found.label == "nvidia-device-plugin 0.20.0 (gpu/plugin)"
    assert found.value("gfd", "enabled") is True
    assert found.value("gfd", "nothing") is None
    assert found.line_of((*found.values_path, "gfd", "enabled")) == 8
    assert found.line_of(("spec", "chart", "spec", "version")) == 5


def test_a_release_of_another_group_is_none():
    assert read_text((RELEASE + CHART).replace("helm.toolkit.fluxcd.io", "example.com")).releases == ()


@pytest.mark.parametrize(
    ("spec", "name", "namespace"),
    [("", "plugin", "gpu"), ("  targetNamespace: other\n", "other-plugin", "other"), ("  releaseName: mine\n  targetNamespace: other\n", "mine", "other"),
     ("  releaseName: mine\n", "mine", "gpu")],
)  # fmt: skip
def test_the_name_and_namespace_are_those_that_helm_gets(spec, name, namespace):
    found = release(CHART + spec)
    assert (found.name, found.namespace) == (name, namespace)


@pytest.mark.parametrize(
    ("written", "version"), [("0.20.0", "0.20.0"), ("0.x", "0.x"), ("1.10", "1.1"), ('"1.10"', "1.10"), ("${VERSION}", "${VERSION}")]
)
def test_the_version_is_as_written(written, version):
    found = release(f"  chart:\n    spec:\n      chart: gpu-operator\n      version: {written}\n").version
    assert plain(found) == version
    assert isinstance(found, Unknown) is written.startswith("$")


def test_a_release_without_a_version_has_none():
    assert release("  chart: {spec: {chart: gpu-operator}}\n").version is None


@pytest.mark.parametrize(
    ("ref", "version", "known"),
    [("{tag: 0.20.0}", "0.20.0", True), ("{tag: 0.20.0, digest: 'sha256:1'}", "0.20.0", True), ("{semver: '>=0.19'}", ">=0.19", True),
     ("{digest: 'sha256:1'}", "sha256:1", False), ("{}", None, True), ("{tag: '${TAG}'}", "${TAG}", False)],
)  # fmt: skip
def test_a_chart_of_an_oci_repository_is_the_last_part_of_its_address(ref, version, known):
    found = release(
        "  chartRef: {kind: OCIRepository, name: nvdp}\n", SOURCE, f"  url: oci://mirror.example/charts/k8s-device-plugin\n  ref: {ref}\n"
    )
    assert (found.chart, plain(found.version)) == ("nvidia-device-plugin", version)
    assert isinstance(found.version, Unknown) is not known


def test_an_oci_repository_of_another_namespace_is_found_by_it():
    source = SOURCE.replace("gpu}", "flux-system}") + "  url: oci://mirror.example/gpu-operator\n  ref: {tag: v26.7.0}\n"
    found = release("  chartRef: {kind: OCIRepository, name: nvdp, namespace: flux-system}\n", source)
    assert (found.chart, found.version) == ("gpu-operator", "v26.7.0")


def test_an_oci_repository_that_was_not_read_leaves_the_version_unknown():
    found = release("  chartRef: {kind: OCIRepository, name: gpu-operator}\n")
    assert found.chart == "gpu-operator"
    assert isinstance(found.version, Unknown)


def test_a_chart_reference_may_name_a_helm_chart():
    chart = SOURCE.replace("OCIRepository", "HelmChart") + "  chart: gpu-operator\n  version: v26.3.1\n"
    found = release("  chartRef: {kind: HelmChart, name: nvdp}\n", chart)
    assert (found.chart, found.version) == ("gpu-operator", "v26.3.1")


VALUES = """\
---
apiVersion: v1
kind: ConfigMap
metadata: {name: common, namespace: gpu}
data:
  values.yaml: |
    gfd:
      enabled: true
    runtimeClassName: other
  other: "7"
"""


def test_values_of_a_config_map_are_below_those_of_the_release():
    found = release(f"{CHART}  valuesFrom: [{{kind: ConfigMap, name: common}}]\n  values: {{runtimeClassName: nvidia}}\n", VALUES)
    assert found.values == {"gfd": {"enabled": True}, "runtimeClassName": "nvidia"}
    assert found.complete
    assert found.line_of((*found.values_path, "gfd", "enabled")) == 15
    assert found.line_of((*found.values_path, "runtimeClassName")) == 7


def test_one_value_of_a_config_map_may_go_to_a_path():
    found = release(f"{CHART}  valuesFrom: [{{kind: ConfigMap, name: common, valuesKey: other, targetPath: a.b\\.c}}]\n", VALUES)
    assert found.values == {"a": {"b.c": 7}}


@pytest.mark.parametrize(
    "reference",
    ["{kind: Secret, name: common}", "{kind: ConfigMap, name: nothing}", "{kind: ConfigMap, name: common, valuesKey: nothing}",
     "{kind: ConfigMap, name: common, valuesKey: other, targetPath: 'a[0]'}", "{kind: ConfigMap, name: common, valuesKey: other}"],
)  # fmt: skip
def test_values_that_can_not_be_read_leave_the_rest_unknown(reference):
    found = release(f"{CHART}  valuesFrom: [{reference}]\n  values: {{a: 1}}\n", VALUES)
    assert not found.complete
    assert found.value("a") == 1
    assert isinstance(found.value("runtimeClassName"), Unknown)


def test_values_that_are_filled_in_leave_everything_unknown():
    found = release(f"{CHART}  values: ${{VALUES}}\n")
    assert isinstance(found.value("a"), Unknown)


@pytest.mark.parametrize(("patch", "complete"), [("{spec: {replicas: 2}}", True), ("{spec: {runtimeClassName: nvidia}}", False)])
def test_a_patch_of_what_is_rendered_leaves_values_unknown_where_it_may_take_their_place(patch, complete):
    found = release(f"{CHART}  postRenderers: [{{kustomize: {{patches: [{{patch: '{patch}'}}]}}}}]\n")
    assert found.complete is complete


def test_a_list_replaces_and_a_null_takes_away_and_stays():
    layers = VALUES.replace("runtimeClassName: other", "list: [1, 2]")
    found = release(f"{CHART}  valuesFrom: [{{kind: ConfigMap, name: common}}]\n  values: {{gfd: null, list: [3]}}\n", layers)
    assert found.values == {"gfd": None, "list": [3]}


def test_a_source_of_the_same_name_in_another_namespace_is_another_source():
    tagged = SOURCE + "  url: oci://mirror.example/gpu-operator\n  ref: {tag: %s}\n"
    sources = tagged.replace("gpu}", "other}") % "v26.3.1" + tagged % "v26.7.0"

    assert release("  chartRef: {kind: OCIRepository, name: nvdp}\n", sources).version == "v26.7.0"
