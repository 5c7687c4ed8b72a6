"""The rules on DCGM exporters, condition by condition."""

import pytest
import yaml
from chart_checks import CDI, DEFAULT_RUNTIME, GIVEN, checked, daemon_set, node, operator, plugin, release, said, severities

from constructs_lib.upstream.talos.releases import READ_ON

IMAGE = "nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0-4.8.3-distroless"


def exporter(values=None):
    return release("dcgm-exporter", values or {})


def app_template(controllers, **values):
    return release("app-template", {"controllers": {"exporter": controllers}, **values})


CONTAINER = {"containers": {"app": {"image": {"repository": "nvcr.io/nvidia/k8s/dcgm-exporter", "tag": "4.6.0"}}}}


# The rule TG019: NVIDIA's runtime


def test_an_exporter_without_a_runtime_class_is_an_error_where_the_nodes_say_so():
    assert said(checked("TG019", exporter(), node())) == [
        (
            "error",
            (
                "the DCGM exporter has no runtimeClassName, and no machine configuration in these files makes NVIDIA's runtime the default. Without "
                "NVIDIA's runtime its container has no libnvidia-ml.so.1, and the exporter exits"
            ),
        )
    ]
    assert severities("TG019", exporter()) == ["warning"]
    assert severities("TG019", exporter(), node(gpu=False)) == ["warning"]
    assert severities("TG019", exporter(), node(files=[DEFAULT_RUNTIME])) == []
    assert severities("TG019", exporter(), talos="1.15") == []


def test_an_exporter_with_a_runtime_class_or_one_that_is_filled_in_is_right():
    assert severities("TG019", exporter({"runtimeClassName": "nvidia"}), node()) == []
    assert severities("TG019", exporter({"runtimeClassName": GIVEN}), node()) == []
    assert severities("TG019", daemon_set(IMAGE, pod={"runtimeClassName": "nvidia"}), node()) == []
    assert severities("TG019", daemon_set(IMAGE), node()) == ["error"]


def test_the_values_of_a_chart_for_anything_are_read_too():
    assert severities("TG019", app_template(CONTAINER), node()) == ["error"]
    assert severities("TG019", app_template({**CONTAINER, "pod": {"runtimeClassName": "nvidia"}}), node()) == []
    assert severities("TG019", app_template(CONTAINER, defaultPodOptions={"runtimeClassName": "nvidia"}), node()) == []


def test_the_operator_gives_its_exporter_one():
    assert operator("TG019", CDI, node()) == []


def test_an_exporter_that_is_given_a_gpu_by_cdi_needs_none():
    takes = exporter({"resources": {"limits": {"nvidia.com/gpu": 1}}})

    assert operator("TG019", CDI, takes, node()) == []
    assert severities("TG019", takes, plugin({}), node()) == ["error"]


# The rule TG035: what it takes of a node


@pytest.mark.parametrize(
    ("memory", "found"),
    [("256Mi", ["warning"]), ("511Mi", ["warning"]), ("512Mi", []), ("1Gi", []), (GIVEN, []), ("much", [])],
)
def test_an_exporter_needs_512_mi(memory, found):
    resources = {"resources": {"limits": {"memory": memory}}}

    assert severities("TG035", exporter(resources)) == found
    assert severities("TG035", daemon_set(IMAGE, container=resources)) == found
    assert operator("TG035", {**CDI, "dcgmExporter": resources}) == found
    assert operator("TG035", {**CDI, "dcgmExporter": {"enabled": False, **resources}}) == []


def test_a_finding_is_at_the_line_of_the_amount():
    resources = {"resources": {"limits": {"memory": "256Mi"}}}

    for each in (exporter(resources), daemon_set(IMAGE, container=resources)):
        line = next(index for index, text in enumerate(yaml.safe_dump(each).splitlines(), 1) if "256Mi" in text)
        assert [found.line for found in checked("TG035", each)] == [line]


def test_other_pods_may_have_less():
    assert severities("TG035", daemon_set("busybox", container={"resources": {"limits": {"memory": "16Mi"}}})) == []


def test_without_a_limit_it_has_the_charts_or_all():
    assert severities("TG035", exporter({})) == []
    assert severities("TG035", daemon_set(IMAGE)) == []


def test_an_exporter_that_takes_a_gpu_is_a_remark():
    takes = {"resources": {"limits": {"nvidia.com/gpu": 1}}}

    findings = checked("TG035", exporter(takes))
    assert said(findings) == [
        ("remark", "the DCGM exporter requests nvidia.com/gpu. Workloads can't use the GPU, or the share, that the exporter holds"),
    ]
    assert severities("TG035", daemon_set(IMAGE, container=takes)) == ["remark"]
    assert severities("TG035", app_template({"containers": {"app": {**CONTAINER["containers"]["app"], **takes}}})) == ["remark"]


# The rule TG100: renamed metrics


@pytest.mark.parametrize(("version", "found"), [("4.8.2", []), ("4.8.4", []), ("4.9.0", ["remark"]), ("4.10.1", ["remark"]), ("4.x", [])])
def test_from_4_9_on_the_exporter_has_other_metric_names(version, found):
    findings = checked("TG100", release("dcgm-exporter", {}, version=version))

    assert [str(each.severity) for each in findings] == found
    names = f"dcgm-exporter {version} exports the metric names and units of DCGM 4.7 (tables of {READ_ON}). "
    assert all(each.message.startswith(names) for each in findings)
