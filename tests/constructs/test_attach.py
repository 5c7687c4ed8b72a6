"""The checks in an app: errors stop the synth with the construct's path, warnings are said once, and each synth is checked once."""

import gc
import subprocess
import sys
import warnings
import weakref
from dataclasses import replace
from pathlib import Path

import cdk8s_plus_28 as kplus
import jsii
import pytest
from cdk8s import ApiObject, ApiObjectMetadata, App, Chart, JsonPatch, Testing

from conftest import ROOT, message
from constructs_lib import (
    ArgoCd,
    Flux,
    GpuNodes,
    GpuWorkload,
    NvidiaGpuOperator,
    NvidiaRuntimeClass,
    StandaloneDevicePlugin,
    Taint,
    TalosGpuError,
    TalosGpuWarning,
    attach,
    request_gpus,
)
from constructs_lib.checks import engine
from constructs_lib.checks.rule import Example, Rule, Severity, Violation

NODES = GpuNodes(talos_version="1.14", name="rtx")
OTHER = GpuNodes(talos_version="1.14", name="h100", taints=[Taint("dedicated", "ai")])
SEVERITIES = {"bad": Severity.ERROR, "odd": Severity.WARNING, "plain": Severity.INFO}


@pytest.fixture(autouse=True)
def seen(monkeypatch):
    """What the only rule saw, each time that it was asked: it checks objects by their names."""
    inputs = []

    def run_rules(given):
        inputs.append(given)
        for each in given.objects:
            if each.name in SEVERITIES:
                yield Violation(severity=SEVERITIES[each.name], message=f"its name is {each.name}", about=each, path=("metadata", "name"))

    rule = Rule(
        id="TG007", claim="c", symptom="s", severity=Severity.ERROR, fix="rename it", source="a/b#1", check=run_rules,
        failing=Example(yaml=""), passing=Example(yaml=""),
    )  # fmt: skip
    monkeypatch.setattr(engine, "RULES", {"TG007": rule})
    return inputs


@pytest.fixture
def app(tmp_path):
    return App(outdir=str(tmp_path))


def thing(chart, name, id=None, **metadata):  # noqa: A002
    return ApiObject(chart, id or name, api_version="v1", kind="ConfigMap", metadata=ApiObjectMetadata(name=name, **metadata))


def errors(synth):
    """The errors that stop a synth."""
    with pytest.raises(TalosGpuError) as caught:
        synth()
    return list(caught.value.errors)


def test_an_error_stops_the_synth_with_the_path_of_the_construct(app, tmp_path):
    attach(app)
    thing(Chart(app, "ai"), "bad", "config")

    assert errors(app.synth) == ["TG007 [ai/config] its name is bad; fix: rename it"]
    assert list(tmp_path.iterdir()) == []


def test_an_object_of_ours_is_named_by_its_construct(app):
    attach(app)
    chart = Chart(app, "ai")
    GpuWorkload(chart, "bad", nodes=NODES, image="a:1", port=80)

    assert errors(app.synth) == [
        "TG007 [ai/bad] its name is bad; fix: rename it",
        "TG007 [ai/bad/Service] its name is bad; fix: rename it",
    ]


def test_without_an_error_everything_is_written(app, tmp_path):
    attach(app)
    thing(Chart(app, "ai"), "fine")
    app.synth()

    assert [path.name for path in tmp_path.iterdir()] == ["ai.k8s.yaml"]


def test_what_is_made_and_patched_after_it_was_attached_is_judged(app):
    attach(app)
    chart = Chart(app, "ai")
    thing(chart, "fine").add_json_patch(JsonPatch.replace("/metadata/name", "bad"))

    assert errors(app.synth) == ["TG007 [ai/fine] its name is bad; fix: rename it"]


def test_a_warning_is_said_once_from_the_line_of_the_synth(app):
    attach(app)
    thing(Chart(app, "ai"), "odd")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        app.synth()
        app.synth()

    (warning,) = caught
    assert (warning.category, str(warning.message)) == (TalosGpuWarning, "TG007 [ai/odd] its name is odd; fix: rename it")
    assert warning.filename == __file__


def test_a_warning_may_be_an_error(app):
    attach(app)
    thing(Chart(app, "ai"), "odd")
    with warnings.catch_warnings():
        warnings.simplefilter("error", TalosGpuWarning)
        for _ in range(2):
            assert errors(app.synth) == ["TG007 [ai/odd] its name is odd; fix: rename it"]


def test_a_remark_is_not_said(app, seen, recwarn):
    attach(app)
    thing(Chart(app, "ai"), "plain")
    app.synth()

    assert len(seen) == 1
    assert [each for each in recwarn if issubclass(each.category, TalosGpuWarning)] == []


def test_an_annotation_with_a_reason_silences(app, seen):
    attach(app)
    thing(Chart(app, "ai"), "bad", annotations={"talos-gpu/ignore-TG007": "it is mine"})
    app.synth()

    assert [each.name for each in seen[0].objects] == ["bad"]
    assert [each.name for each in Path(app.outdir).iterdir()] == ["ai.k8s.yaml"]


def test_rules_are_ignored_by_id(app, seen):
    attach(app, ignore=["TG007"])
    thing(Chart(app, "ai"), "bad")
    app.synth()

    assert seen == []


def test_the_charts_of_an_app_are_judged_together(app, seen):
    attach(app)
    for name in ("one", "two"):
        thing(Chart(app, name, namespace="ai"), name)
    app.synth()
    (inputs,) = seen

    assert [(each.name, each.namespace, each.file) for each in inputs.objects] == [("one", "ai", "one/one"), ("two", "ai", "two/two")]


def test_of_a_chart_its_own_objects_are_judged_and_the_app_s_are_known(app, seen):
    one, two, nested = Chart(app, "one"), Chart(app, "one-more"), Chart(Chart(app, "outer"), "one")
    attach(one)
    for chart in (two, nested):
        thing(chart, "bad", str(chart.node.id))
    app.synth()
    assert len(seen[0].objects) == 2

    thing(one, "bad", "mine")
    assert errors(app.synth) == ["TG007 [one/mine] its name is bad; fix: rename it"]


def test_charts_in_a_chart_are_its_own(app):
    chart = Chart(app, "outer")
    attach(chart)
    thing(Chart(chart, "inner"), "bad")

    assert errors(app.synth) == ["TG007 [outer/inner/bad] its name is bad; fix: rename it"]


def test_an_object_of_a_chart_may_have_the_id_of_the_objects_of_constructs(app):
    chart = Chart(app, "x")
    attach(chart)
    thing(chart, "bad", "Resource")
    thing(Chart(app, "x-more"), "bad", "Resource")

    assert errors(app.synth) == ["TG007 [x/Resource] its name is bad; fix: rename it"]


@pytest.mark.parametrize("attached", ["one", "two"])
def test_a_finding_about_objects_of_several_charts_belongs_to_each(app, monkeypatch, attached):
    """The checks file it under one of the objects."""

    def together(given):
        names = [each.name for each in given.objects if each.kind == "ConfigMap"]
        if len(names) > 1:
            yield Violation(severity=Severity.ERROR, message=f"too many: {names}", about=given.objects[-1])

    monkeypatch.setattr(engine, "RULES", {"TG007": replace(engine.RULES["TG007"], check=together)})
    charts = {name: Chart(app, name) for name in ("one", "two", "three")}
    attach(charts[attached])
    thing(charts["one"], "a")
    thing(charts["two"], "b")

    assert errors(app.synth) == ["TG007 [two/b] too many: ['a', 'b']; fix: rename it"]


def test_a_finding_about_objects_of_other_charts_belongs_to_none_of_the_chart(app, monkeypatch):
    def together(given):
        others = [each for each in given.objects if each.name in ("a", "b")]
        if len(others) > 1:
            yield Violation(severity=Severity.ERROR, message="too many", about=others[-1])

    monkeypatch.setattr(engine, "RULES", {"TG007": replace(engine.RULES["TG007"], check=together)})
    attach(Chart(app, "mine"))
    thing(app.node.find_child("mine"), "fine")
    for name in ("a", "b"):
        thing(Chart(app, name), name)
    app.synth()

    assert len(list(Path(app.outdir).iterdir())) == 3


def test_an_app_and_its_chart_tell_an_error_and_a_warning_once(app):
    chart = Chart(app, "ai")
    attach(app)
    attach(chart)
    thing(chart, "bad")
    thing(chart, "odd")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            assert errors(app.synth) == ["TG007 [ai/bad] its name is bad; fix: rename it"]

    assert [str(each.message) for each in caught] == ["TG007 [ai/odd] its name is odd; fix: rename it"]


def test_an_app_and_its_chart_tell_once_that_a_warning_is_an_error(app):
    chart = Chart(app, "ai")
    attach(app)
    attach(chart)
    thing(chart, "odd")
    with warnings.catch_warnings():
        warnings.simplefilter("error", TalosGpuWarning)
        for _ in range(2):
            assert errors(app.synth) == ["TG007 [ai/odd] its name is odd; fix: rename it"]


def test_the_yaml_of_an_app_is_checked(app):
    attach(app)
    thing(Chart(app, "ai"), "bad")

    assert errors(app.synth_yaml) == ["TG007 [ai/bad] its name is bad; fix: rename it"]


@pytest.mark.parametrize("synth", [lambda chart: chart.to_json(), Testing.synth])
def test_a_chart_that_is_synthesized_alone_is_checked(app, synth):
    attach(app)
    chart = Chart(app, "ai")
    thing(chart, "bad")
    with pytest.raises(RuntimeError, match="Validation failed") as caught:
        synth(chart)

    assert str(caught.value).splitlines()[1:] == ["  [] TG007 [ai/bad] its name is bad; fix: rename it"]


def test_a_synth_is_judged_once_however_many_charts_it_has(app, seen):
    attach(app)
    for number in range(5):
        thing(Chart(app, f"chart-{number}"), "fine")

    for checked in (1, 2):
        app.synth()
        assert len(seen) == checked


def test_two_apps_are_judged_by_turns(tmp_path, seen):
    apps = [App(outdir=str(tmp_path / name)) for name in ("one", "two")]
    for app, name in zip(apps, ("bad", "fine"), strict=True):
        attach(app)
        thing(Chart(app, "ai"), name)
    for _ in range(2):
        assert errors(apps[0].synth) == ["TG007 [ai/bad] its name is bad; fix: rename it"]
        apps[1].synth()

    assert [[each.name for each in inputs.objects] for inputs in seen] == [["bad"], ["fine"]] * 2


def test_what_is_attached_twice_is_judged_for_each(app, seen):
    chart = Chart(app, "ai")
    attach(app)
    attach(chart)
    thing(chart, "fine")
    app.synth()

    assert len(seen) == 2


class Held:
    """What a function has that synthesizes."""


def test_nothing_of_an_app_is_kept_alive_when_another_is_synthesized(tmp_path):
    def synthesized(name):
        app = App(outdir=str(tmp_path / name))
        held = Held()
        attach(app)
        thing(Chart(app, "ai"), "fine")
        app.synth()
        return weakref.ref(held)

    first = synthesized("one")
    synthesized("two")
    gc.collect()
    assert first() is None


def test_each_synth_is_judged_anew(app):
    attach(app)
    made = thing(Chart(app, "ai"), "fine")
    outcomes = []
    for name in ("fine", "bad", "fine", "bad"):
        made.add_json_patch(JsonPatch.replace("/metadata/name", name))
        try:
            app.synth()
            outcomes.append("fine")
        except TalosGpuError:
            outcomes.append("bad")

    assert outcomes == ["fine", "bad", "fine", "bad"]


def test_the_classes_of_nodes_are_those_of_the_constructs_in_the_app(app, seen):
    attach(app)
    NvidiaGpuOperator(Chart(app, "gpu"), "operator", nodes=[NODES, OTHER], delivery=ArgoCd())
    GpuWorkload(Chart(app, "ai"), "ollama", nodes=NODES, image="a:1")
    GpuWorkload(Chart(App(), "elsewhere"), "other", nodes=GpuNodes(talos_version="1.12"), image="a:1")
    app.synth()

    assert seen[0].nodes == (NODES, OTHER)
    assert str(seen[0].talos_version) == "1.14"


def test_what_a_workload_asks_for_is_no_offer_but_its_talos_is_known(app, seen):
    attach(app)
    pod = kplus.Pod(Chart(app, "ai"), "pod", containers=[kplus.ContainerProps(image="a:1", name="a")])
    request_gpus(pod, nodes=OTHER)
    app.synth()

    assert seen[0].nodes == ()
    assert str(seen[0].talos_version) == "1.14"


@pytest.mark.parametrize("nodes", [OTHER, [OTHER], (OTHER,)])
def test_classes_of_a_stack_elsewhere_stand_beside_those_of_this_app(app, seen, nodes):
    attach(app, nodes=nodes)
    StandaloneDevicePlugin(Chart(app, "gpu"), "plugin", nodes=NODES)
    app.synth()

    assert seen[0].nodes == (NODES, OTHER)


def test_charts_that_others_deliver_are_releases(app, seen):
    attach(app)
    NvidiaGpuOperator(Chart(app, "argo"), "argo", nodes=NODES, delivery=ArgoCd(), namespace="argo-gpu")
    app.synth()
    (release,) = seen[0].releases

    assert (release.chart, release.version, release.namespace, release.file) == ("gpu-operator", "v26.7.0", "argo-gpu", "argo/argo")
    assert release.line_of(("spec",)) is None
    assert release.value("driver", "enabled") is False


def test_a_helm_release_is_a_release_with_the_version_of_its_repository(app, seen):
    attach(app)
    NvidiaGpuOperator(Chart(app, "flux"), "flux", nodes=NODES, delivery=Flux())
    app.synth()

    assert [(each.chart, each.version) for each in seen[0].releases] == [("gpu-operator", "v26.7.0")]


def test_what_another_program_fills_in_is_unknown(app, seen):
    attach(app)
    thing(Chart(app, "ai"), "a", annotations={"host": "${HOST}", "plain": "text"})
    app.synth()
    found = seen[0].objects[0].annotations

    assert {key: type(value).__name__ for key, value in found.items()} == {"host": "Unknown", "plain": "str"}


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"scope": "app"}, TypeError, "'scope' must be an App or a Chart (got 'app')"),
        ({"nodes": "1.14"}, TypeError, "'nodes' must be GpuNodes, or several (got '1.14')"),
        ({"nodes": 1.14}, TypeError, "'nodes' must be GpuNodes, or several (got 1.14)"),
        (
            {"ignore": "TG007"},
            TypeError,
            "'ignore' must be a list of rules' ids, such as ['TG007'] (got 'TG007'); did you mean ['TG007']?",
        ),
        ({"ignore": ["TG07"]}, ValueError, "'ignore' must be a rule's id, such as 'TG007' (got 'TG07'); did you mean 'TG007'?"),
        ({"node": NODES}, TypeError, f"'node' must be an argument of attach (got node={NODES!r}); did you mean 'nodes'?"),
    ],
)
def test_what_is_wrong_with_the_arguments_is_said_at_once(app, given, error, said):
    arguments = {"scope": app, **given}
    scope = arguments.pop("scope")

    assert message(lambda: attach(scope, **arguments), error) == said


@pytest.fixture
def round_trips(monkeypatch):
    process, sent = jsii.kernel.provider._process, []
    send = process.send
    monkeypatch.setattr(process, "send", lambda request, response: (sent.append(request), send(request, response))[1])
    return sent


def spent(round_trips, objects, *, attached):
    app = App(outdir="dist/none")
    chart = Chart(app, "chart")
    if attached:
        attach(chart)
    for number in range(objects):
        thing(chart, f"thing-{number}")
    round_trips.clear()
    chart.to_json()
    return len(round_trips)


def test_a_synth_asks_twice_for_each_object_and_without_attach_nothing_more(round_trips):
    assert spent(round_trips, 3, attached=False) == spent(round_trips, 9, attached=False) == 1
    assert spent(round_trips, 9, attached=True) - spent(round_trips, 3, attached=True) == 6 * 2


def test_main_judges_every_cluster(tmp_path):
    code = (
        "import sys, main, constructs_lib.constructs.attach as a\n"
        "checked, run_rules = [], a._Checks._run_rules\n"
        "a._Checks._run_rules = lambda self: checked.append(1) or run_rules(self)\n"
        "main.main()\nprint(len(checked))"
    )
    environment = {"PYTHONPATH": str(ROOT), "CDK8S_OUTDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == ["7"]


def test_a_runtime_class_and_a_plugin_of_ours_pass_the_real_rules(monkeypatch, app):
    monkeypatch.undo()
    attach(app)
    chart = Chart(app, "gpu")
    nodes = GpuNodes(talos_version="1.12")
    NvidiaRuntimeClass(chart, "runtime-class")
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes)
    GpuWorkload(Chart(app, "ai"), "ollama", nodes=nodes, image="ollama/ollama:0.32.15")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        app.synth()

    assert sorted(each.name for each in Path(app.outdir).iterdir()) == ["ai.k8s.yaml", "gpu.k8s.yaml"]
