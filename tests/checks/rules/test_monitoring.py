"""Monitors that scrape nothing of the GPUs (TG059)."""

import pytest

from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text

SERVICE = """\
---
apiVersion: v1
kind: Service
metadata: {name: dcgm-exporter, namespace: monitoring, labels: {app: dcgm-exporter, team: gpu}}
spec: {ports: [{name: metrics, port: 9400}]}
"""
MONITOR = """\
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata: {name: dcgm-exporter, namespace: monitoring}
spec:
  selector: {matchLabels: {app: dcgm-exporter}}
  endpoints: [{port: metrics}]
"""
DAEMON_SET = """\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: dcgm-exporter, namespace: monitoring}
spec:
  template:
    metadata: {labels: {app: dcgm-exporter}}
    spec: {containers: [{name: exporter, image: dcgm-exporter, ports: [{name: metrics, containerPort: 9400}]}]}
"""
POD_MONITOR = MONITOR.replace("ServiceMonitor", "PodMonitor").replace("endpoints", "podMetricsEndpoints")


def said(yaml: str) -> list[tuple[str, str]]:
    inputs = read_text(yaml)
    return [(str(each.severity), each.message) for each in violations_of(RULES["TG059"], inputs)]


def test_a_monitor_of_what_is_there_is_right():
    assert said(SERVICE + MONITOR) == []
    assert said(DAEMON_SET + POD_MONITOR) == []


def test_a_port_that_the_service_does_not_have_is_an_error():
    assert said(SERVICE + MONITOR.replace("port: metrics", "port: http")) == [
        (
            "error",
            "the monitor selects the port with the name 'http', but the Service dcgm-exporter names its ports metrics. Prometheus scrapes nothing",
        )
    ]
    assert said(DAEMON_SET + POD_MONITOR.replace("port: metrics", "port: http")) == [
        (
            "error",
            "the monitor selects the port with the name 'http', but the pod dcgm-exporter names its ports metrics. Prometheus scrapes nothing",
        )
    ]


def test_the_fix_of_a_port_lists_the_names_of_the_services_ports():
    ports = SERVICE.replace("[{name: metrics", "[{name: health, port: 8080}, {name: metrics")
    (found,) = violations_of(RULES["TG059"], read_text(ports + MONITOR.replace("port: metrics", 'port: "9400"')))

    assert found.message.endswith("names its ports health and metrics. Prometheus scrapes nothing")
    assert found.fix == "Set port: health or metrics"


@pytest.mark.parametrize("endpoint", ["{targetPort: 9400}", '{port: "${PORT}"}'])
def test_a_port_by_its_number_or_unread_is_not_judged(endpoint):
    assert said(SERVICE + MONITOR.replace("{port: metrics}", endpoint)) == []


def test_a_label_beside_the_mark_is_a_warning():
    other = MONITOR.replace("{app: dcgm-exporter}", "{app: nvidia-dcgm-exporter}")

    assert said(SERVICE + other) == [
        (
            "warning",
            (
                "the selector app=nvidia-dcgm-exporter does not match the Service dcgm-exporter, which has app=dcgm-exporter, team=gpu. "
                "Prometheus scrapes nothing from the Service"
            ),
        )
    ]


def test_a_service_that_shares_a_label_is_meant():
    other = MONITOR.replace("{app: dcgm-exporter}", "{app: exporter, team: gpu}").replace("name: dcgm-exporter", "name: gpus")

    assert [severity for severity, _ in said(SERVICE + other)] == ["warning"]


def test_without_a_candidate_the_service_may_be_anywhere():
    assert said(MONITOR) == []


@pytest.mark.parametrize(("reach", "count"), [("{any: true}", 1), ("{matchNames: [other]}", 1), ("{matchNames: [third]}", 0), ("{}", 0)])
def test_a_monitor_sees_the_namespaces_that_it_names(reach, count):
    elsewhere = SERVICE.replace("namespace: monitoring", "namespace: other")
    monitor = MONITOR.replace("port: metrics", "port: http").replace("spec:\n", f"spec:\n  namespaceSelector: {reach}\n")

    assert len(said(elsewhere + monitor)) == count


def test_other_monitors_and_other_selectors_are_not_judged():
    other = MONITOR.replace("dcgm-exporter", "postgres")

    assert said(SERVICE + other.replace("port: metrics", "port: http")) == []
    assert said(SERVICE + MONITOR.replace("matchLabels: {app: dcgm-exporter}", "matchLabels: {app: '${APP}'}")) == []
    expressions = "matchLabels: {app: x-gpu}, matchExpressions: [{key: team, operator: Exists}]"
    assert said(SERVICE + MONITOR.replace("matchLabels: {app: dcgm-exporter}", expressions)) == []


def test_a_monitor_may_be_in_a_namespace_that_is_not_read_and_an_empty_list_of_names_is_its_own():
    assert said(SERVICE + MONITOR.replace(", namespace: monitoring", "")) == []
    assert said(SERVICE + MONITOR.replace("spec:\n", "spec:\n  namespaceSelector: {matchNames: []}\n")) == []


@pytest.mark.parametrize("labels", ['"${LABELS}"', "null"])
def test_pods_whose_labels_are_not_known_are_no_candidates(labels):
    assert said(DAEMON_SET.replace("{app: dcgm-exporter}", labels) + POD_MONITOR) == []
