"""Text, keys and numbers that cdk8s and jsii can't bring to Kubernetes as they were given are refused."""

import json
import subprocess

import pytest
from cdk8s import Testing, Yaml

from conftest import message, needs
from constructs_lib import Flux, GpuAlerts, GpuDashboard, GpuNodes, GpuWorkload, NodeFeatureDiscovery
from constructs_lib.arguments.plain_values import writable

NODES = GpuNodes(talos_version="1.14")
UNREADABLE = ["a\x7fb", "a\x85b", "a\x9fb", "a\u2028b", "a\u2029b", "a\ufffeb", "a\uffffb", "0o17", "-0o17", "+0O7"]
READABLE = [
    "",
    "a\x00b",
    "a\tb\n",
    "a\x1fb",
    "é",
    "a\xa0b",
    "a\u200bb",
    "a\ufeffb",
    "a\ue000b",
    "\U0001f600",
    "0o",
    "0o8",
    "00o7",
    "0x1f",
    "1e3",
    "012",
    "=",
]


def read_back(value):
    """A string of a ConfigMap, as cdk8s writes it and kubectl reads it; None where kubectl reads nothing."""
    written = Yaml.stringify({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"key": value}})
    command = [needs("KUBECTL", "the path of a kubectl"), "annotate", "--local", "--filename", "-", "read=true", "--output", "json"]
    done = subprocess.run(command, input=written.encode(), capture_output=True, check=False)
    return json.loads(done.stdout)["data"]["key"] if done.returncode == 0 else None


@pytest.mark.parametrize("value", UNREADABLE, ids=ascii)
def test_text_that_kubectl_reads_otherwise_is_refused(value):
    assert read_back(value) != value
    assert message(lambda: writable("it", value)).startswith("'it' must be ")


@pytest.mark.parametrize("value", READABLE, ids=ascii)
def test_text_that_kubectl_reads_as_it_was_given_is_taken(value):
    assert read_back(value) == value
    assert writable("it", value) == value


def workload(chart, **given):
    return GpuWorkload(chart, "app", nodes=NODES, image="app:1", **given)


def discovery(chart, values):
    return NodeFeatureDiscovery(chart, "nfd", nodes=NODES, delivery=Flux(), values=values)


YAML = "text that YAML can hold"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda chart: workload(chart, env={"A": "\ud800"}), rf"'env[A]' must be {YAML} (got '\ud800'); YAML has no U+D800"),
        (lambda chart: workload(chart, args=["a\x7f"]), rf"'args' must be {YAML} (got 'a\x7f'); YAML has no U+007F"),
        (lambda chart: workload(chart, annotations={"a": "\x85"}), rf"'annotations[a]' must be {YAML} (got '\x85'); YAML has no U+0085"),
        (
            lambda chart: workload(chart, env={"MODE": "0o17"}),
            "'env[MODE]' must be a string that is no octal number (got '0o17'); cdk8s writes it without quotes, and Kubernetes reads 15",
        ),
        (lambda chart: GpuDashboard(chart, "gpus", title="a\ud800"), rf"'title' must be {YAML} (got 'a\ud800'); YAML has no U+D800"),
        (
            lambda chart: GpuAlerts(chart, "alerts", alert_labels={"a": "\x7f"}),
            rf"'alert_labels[a]' must be {YAML} (got '\x7f'); YAML has no U+007F",
        ),
        (
            lambda chart: GpuAlerts(chart, "alerts", alert_labels={"__proto__": "a"}),
            "'alert_labels' must be without the key '__proto__' (got {'__proto__': 'a'}); jsii and cdk8s can't write this key",
        ),
        (
            lambda chart: discovery(chart, {"worker": {"config": {"<<": {}}}}),
            "'values[worker.config]' must be without the key '<<' (got {'<<': {}}); jsii and cdk8s can't write this key",
        ),
        (
            lambda chart: discovery(chart, {"master": {"config": {"a": [2**53 + 1]}}}),
            f"'values[master.config.a.0]' must be a whole number from -{2**53} to {2**53} (got {2**53 + 1}); jsii would round it; write it as a string",
        ),
    ],
)
def test_what_would_be_lost_on_the_way_is_refused_and_nothing_is_left(make, says):
    chart = Testing.chart()

    assert message(lambda: make(chart)) == says
    assert chart.node.children == []


def test_the_largest_exact_number_arrives():
    chart = Testing.chart()
    discovery(chart, {"master": {"config": {"a": 2**53, "b": -(2**53)}}})
    (release,) = [each for each in Testing.synth(chart) if each["kind"] == "HelmRelease"]

    assert {"a": 2**53, "b": -(2**53)}.items() <= release["spec"]["values"]["master"]["config"].items()
