"""What an app leaves in Python, and what it costs an app that others were before it in the process."""

import gc

from cdk8s import App, Chart

from constructs_lib import Dra, GpuNodes, GpuWorkload, StandaloneDevicePlugin
from constructs_lib.clusters import app_registry
from constructs_lib.constructs import _registry
from counting import calls


def cluster(number, app=None):
    """An app with a class of nodes of its own, and with names that every other app has too."""
    nodes = GpuNodes(talos_version="1.12", labels={"cluster": f"cluster-{number:03}"})
    chart = Chart(app or App(), "gpu", namespace="ai")
    StandaloneDevicePlugin(chart, "plugin", nodes=nodes, namespace="kube-system")
    GpuWorkload(chart, "ollama", nodes=nodes, image="ollama/ollama:0.32.15", port=11434, labels={"of": "test-registry"})
    return chart


def manifests():
    """The manifests of the workloads above that are alive."""
    gc.collect()
    dicts = (each for each in gc.get_objects() if isinstance(each, dict) and isinstance(each.get("metadata"), dict))
    return [each for each in dicts if each["metadata"].get("labels", {}).get("of") == "test-registry"]


def test_no_manifest_stays_in_python_after_an_app():
    cluster(0)

    assert manifests() == []


def test_a_claim_that_workloads_share_is_the_one_manifest_that_stays():
    nodes = GpuNodes(talos_version="1.14", dra=Dra(share="claim"))
    chart = Chart(App(), "gpu", namespace="registry")
    for name in ("a", "b"):
        GpuWorkload(chart, name, nodes=nodes, image="a:1")

    entries = [entry for place in _registry._places.values() if place.scope is chart for found in place.entries.values() for entry in found]
    assert [entry.maker for entry in entries if getattr(entry, "shared", None)] == ["GpuWorkload"]


def test_an_app_costs_no_more_calls_where_more_apps_were_before_it():
    def spent(number):
        return calls(lambda: cluster(number))

    for number in range(5):
        cluster(number)
    fifth = spent(5)
    for number in range(6, 40):
        cluster(number)
    assert spent(40) == fifth


def test_a_chart_looks_at_the_registered_constructs_of_its_own_app_alone(monkeypatch):
    seen = []
    contradiction = app_registry._contradiction
    monkeypatch.setattr(app_registry, "_contradiction", lambda ours, theirs: seen.append((ours, theirs)) or contradiction(ours, theirs))
    for number in range(41, 44):
        cluster(number)

    assert {ours.labels["cluster"] == theirs.labels["cluster"] for ours, theirs in seen} <= {True}
