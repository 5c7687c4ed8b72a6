"""The rules of `adapter_values` as the prometheus-adapter's own code reads them: the name of the metric, and the query for a pod."""

import json
import subprocess

import pytest
import yaml

from conftest import needs
from constructs_lib import adapter_values
from constructs_lib.manifests.workload.pod_autoscaler import adapter_name


def served(metric, labels, **given):
    """What the adapter makes of a series by the rules."""
    rules = adapter_values([metric], prometheus="http://prometheus.monitoring.svc:9090", **given)["rules"]["custom"]
    # The chart writes the rules into the adapter's file as they are (templates/configmap.yaml).
    asked = {"rules": yaml.safe_dump({"rules": rules}), "series": {"name": metric, "labels": labels}, "namespace": "ai", "pod": "chat-0"}
    line = [needs("ADAPTER_VALIDATE", "a program with the prometheus-adapter's own packages (tools/adapter.sh)")]
    done = subprocess.run(line, input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("metric", "honor_labels", "prefix", "total"),
    [
        ("vllm:num_requests_waiting", False, "", "sum"),
        ("queue_length", False, "", "sum"),
        ("DCGM_FI_DEV_GPU_UTIL", False, "exported_", "avg"),
        ("DCGM_FI_DEV_GPU_UTIL", True, "", "avg"),
    ],
)
def test_the_adapter_serves_the_metric_by_the_name_that_the_autoscaler_asks_for(metric, honor_labels, prefix, total):
    labels = {f"{prefix}namespace": "ai", f"{prefix}pod": "chat-0"}

    (found,) = served(metric, labels, honor_labels=honor_labels)
    found["resources"].sort()  # the adapter keeps them in a map
    assert found == {
        "selector": f'{metric}{{{prefix}namespace!="",{prefix}pod!=""}}',
        "name": adapter_name(metric),
        "resources": ["namespaces", "pods"],
        "query": f'{total}({metric}{{{prefix}namespace="ai",{prefix}pod="chat-0"}}) by ({prefix}pod)',
    }


def test_the_adapter_serves_no_series_of_another_name():
    line = adapter_values(["queue_length"], prometheus="http://prometheus:9090")["rules"]["custom"]
    asked = {
        "rules": yaml.safe_dump({"rules": line}),
        "series": {"name": "queue_length_total", "labels": {"pod": "a"}},
        "namespace": "ai",
        "pod": "a",
    }
    program = needs("ADAPTER_VALIDATE", "a program with the prometheus-adapter's own packages (tools/adapter.sh)")

    assert json.loads(subprocess.run([program], input=json.dumps(asked), capture_output=True, text=True, check=True).stdout) == []
