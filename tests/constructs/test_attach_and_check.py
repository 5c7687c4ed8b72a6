"""`attach` and `talos-gpu check` on the files of the same app find the same: in main.py's apps, in the rules' examples and in apps made by chance."""

import contextlib
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from cdk8s import App, Chart
from generated_apps import app_by_chance, kubernetes_objects, objects_of_examples

import main
from conftest import drawn
from constructs_lib import (
    ArgoCd,
    Dra,
    DraDriver,
    Flux,
    GpuNodes,
    GpuWorkload,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    StandaloneDevicePlugin,
    TalosGpuError,
    TimeSlicing,
    attach,
    check,
)
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Severity
from constructs_lib.checks.rules import RULES
from constructs_lib.clusters.app_registry import Registry
from constructs_lib.constructs import _registry
from constructs_lib.constructs import attach as attaching
from constructs_lib.constructs._emit import emit
from constructs_lib.observed.read.repository import read

pytestmark = pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")

APPS = 300
_OF_TWO = ("TG138",)
"""The rules that name the second of two equal names."""
_PLACE = re.compile(r"(?<= is also in )\S+(?=,)")
BATCHES = 10


@pytest.fixture(autouse=True)
def results(monkeypatch):
    """The inputs and the findings of each run of the rules by `attach`. Apps of other tests are no neighbours here."""
    seen, run_rules = [], attaching.run_rules

    def recorded(inputs, **given):
        findings = run_rules(inputs, **given)
        seen.append((inputs, findings))
        return findings

    monkeypatch.setattr(attaching, "run_rules", recorded)
    forget(monkeypatch)
    return seen


def forget(monkeypatch):
    monkeypatch.setattr(_registry, "_places", {})
    monkeypatch.setattr(_registry, "_registry", Registry())


def described(findings):
    """What is compared: everything but the places, which are constructs in one and lines in the other, and so stand in another order."""
    return Counter(
        (
            each.rule,
            each.object if each.rule not in _OF_TWO else "",
            each.severity,
            _PLACE.sub("", each.message),
            each.fix,
            frozenset(half.text for half in each.halves) if each.rule not in _OF_TWO else frozenset(),
        )
        for each in findings
        if each.ignored is None
    )


def both(app, results, **given):
    """The findings of `attach` and those of `check` on the written files, with the same knowledge of the nodes; None for an app that can't be written."""
    try:
        app.synth()
    except RuntimeError:
        return None
    results.clear()
    attach(app, **given)
    with contextlib.suppress(TalosGpuError):
        app.synth()
    ((inputs, findings),) = results
    written = read([Path(app.outdir)], nodes=inputs.nodes, talos=inputs.talos_version)
    return described(findings), described(run_rules(replace(written, other_nodes=inputs.other_nodes)))


@pytest.mark.parametrize("cluster", main.CLUSTERS, ids=lambda cluster: cluster.__name__)
def test_they_agree_about_the_apps_of_main(tmp_path, results, cluster):
    app = App(outdir=str(tmp_path / "manifests"))
    cluster(app)
    attached, checked = both(app, results)

    assert attached == checked


@pytest.mark.parametrize("rule", RULES)
def test_they_agree_about_the_examples_of_a_rule(tmp_path, results, rule):
    for example, name in ((RULES[rule].failing, "failing"), (RULES[rule].passing, "passing")):
        app = App(outdir=str(tmp_path / name))
        chart = Chart(app, "example")
        for number, each in enumerate(kubernetes_objects(example.yaml)):
            emit(chart, f"object-{number}", each)
        nodes = example.nodes or ([GpuNodes(talos_version=example.talos)] if example.talos else None)
        attached, checked = both(app, results, nodes=nodes)

        assert attached == checked


@pytest.mark.parametrize("batch", range(drawn(BATCHES)))
def test_they_agree_about_apps_made_by_chance(tmp_path, results, monkeypatch, batch):
    examples, compared, found = objects_of_examples(), 0, Counter()
    seed = batch * 1000
    while compared < APPS // BATCHES:
        seed += 1
        forget(monkeypatch)
        pair = both(app_by_chance(seed, tmp_path / f"{seed}", examples), results)
        if pair is not None:
            attached, checked = pair
            assert attached == checked, f"seed {seed}"
            compared += 1
            found.update(rule for rule, *_ in attached)

    # An app without findings compares nothing.
    assert len(found) > 15
    assert found.total() > APPS // BATCHES


@pytest.fixture
def app(tmp_path):
    return App(outdir=str(tmp_path))


def pod(limit, **metadata):
    container = {"name": "a", "image": "a/b:1", "resources": {"limits": {limit: 1}}}
    spec = {"runtimeClassName": "nvidia", "tolerations": [{"operator": "Exists"}], "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", **metadata}, "spec": spec}


def errors(app):
    attach(app)
    try:
        app.synth()
    except TalosGpuError as error:
        return [re.sub(r"(TG\d+ \[[^]]*\] .*?)[.;] .*", r"\1", each) for each in error.errors]
    return []


def test_a_request_is_no_offer(app):
    """A workload's own description of other nodes made its request look served."""
    StandaloneDevicePlugin(Chart(app, "gpu"), "plugin", nodes=GpuNodes(talos_version="1.14", name="whole"))
    NvidiaRuntimeClass(Chart(app, "runtime"), "class")
    other = GpuNodes(talos_version="1.14", name="other", sharing=TimeSlicing(replicas=4, rename_by_default=True))
    GpuWorkload(Chart(app, "ai"), "ollama", nodes=other, image="a/b:1")

    assert errors(app) == ["TG047 [ai/ollama] the pod requests nvidia.com/gpu.shared, but the device plugins advertise only nvidia.com/gpu"]


def test_partitions_that_all_have_the_name_of_a_gpu_are_requested_by_that_name(app):
    cut = GpuNodes(talos_version="1.14", mig_strategy="single", mig_devices={"1g.10gb": 7})
    StandaloneDevicePlugin(Chart(app, "gpu"), "plugin", nodes=cut)
    chart = Chart(app, "ai")
    NvidiaRuntimeClass(chart, "class")
    emit(chart, "pod", pod("nvidia.com/mig-1g.10gb"))

    assert errors(app) == ["TG047 [ai/pod] the pod requests nvidia.com/mig-1g.10gb, but the device plugins advertise only nvidia.com/gpu"]


def test_a_driver_of_claims_advertises_no_resource(app, capsys):
    claimed = GpuNodes(talos_version="1.14", dra=Dra())
    DraDriver(Chart(app, "gpu"), "driver", nodes=claimed, delivery=Flux())
    chart = Chart(app, "ai")
    NvidiaRuntimeClass(chart, "class")
    emit(chart, "pod", pod("nvidia.com/gpu"))

    assert errors(app) == []
    assert "nothing in this app advertises nvidia.com/gpu, which ai/pod requests" in capsys.readouterr().err


@pytest.mark.parametrize("count", [None, 1])
def test_a_share_may_be_spare_for_a_rolling_update_where_the_number_of_cards_is_unknown(app, results, count):
    nodes = GpuNodes(talos_version="1.14", sharing=TimeSlicing(replicas=4), count=count)
    chart = Chart(app, "gpu")
    StandaloneDevicePlugin(chart, "plugin", nodes=nodes)
    NvidiaRuntimeClass(chart, "class")
    template = {"metadata": {"labels": {"app": "a"}}, "spec": pod("nvidia.com/gpu")["spec"]}
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "a"}}, "template": template}
    emit(chart, "ollama", {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": spec})
    attached, checked = both(app, results)

    assert attached == checked == described(check(app.outdir, talos_version="1.14")) == Counter()


def test_what_is_missing_in_an_app_may_be_in_another(app, results):
    chart = Chart(app, "ai", namespace="ai")
    claim = {"name": "gpu", "resourceClaimTemplateName": "absent"}
    spec = {"resourceClaims": [claim], "containers": [{"name": "a", "image": "a/b:1", "resources": {"claims": [{"name": "gpu"}]}}]}
    emit(chart, "pod", {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": spec})
    attached, checked = both(app, results, nodes=GpuNodes(talos_version="1.14", dra=Dra()))

    assert attached == checked
    assert [(rule, severity) for rule, _, severity, *_ in attached] == [("TG054", Severity.WARNING)]


def test_the_plugin_of_partitioned_nodes_beside_the_operator_is_no_fault(app, results):
    """The app "MIG beside the operator" of docs/sharing.md."""
    cut = GpuNodes(talos_version="1.14", name="h100", mig_devices={"1g.10gb": 7})
    shared = GpuNodes(talos_version="1.14", name="rtx", sharing=TimeSlicing(replicas=4))
    chart = Chart(app, "gpu")
    NvidiaGpuOperator(chart, "operator", nodes=[cut, shared], delivery=ArgoCd())
    StandaloneDevicePlugin(chart, "device-plugin", nodes=cut)
    attached, checked = both(app, results)

    assert attached == checked == described(check(app.outdir, nodes=[cut, shared])) == Counter()
