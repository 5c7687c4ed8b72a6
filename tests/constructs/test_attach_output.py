"""What a person sees of `attach`: one short error, and a remark where nothing in the app advertises what workloads request."""

import os
import pickle
import subprocess
import sys

import pytest
from cdk8s import App, Chart

from conftest import ROOT
from constructs_lib import Dra, Flux, GpuNodes, GpuWorkload, NvidiaGpuOperator, StandaloneDevicePlugin, TalosGpuError, attach
from constructs_lib.constructs._emit import emit

NODES = GpuNodes(talos_version="1.14", name="rtx")
REMARK = "remark: nothing in this app advertises {}; for a stack in another app, give its classes of nodes: attach(app, nodes=…)\n"


@pytest.fixture
def app(tmp_path):
    return App(outdir=str(tmp_path))


def ollama(app, nodes=NODES, name="ollama", **given):
    return GpuWorkload(Chart(app, name), name, nodes=nodes, image="ollama/ollama:0.32.15", **given)


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
def test_a_resource_that_nothing_advertises_is_remarked_once(app, capsys):
    attach(app)
    ollama(app)
    for _ in range(2):
        app.synth()
    assert capsys.readouterr().err == REMARK.format("nvidia.com/gpu, which ollama/ollama requests")

    ollama(app, name="vllm")
    app.synth()
    assert capsys.readouterr().err == REMARK.format("nvidia.com/gpu, which ollama/ollama (and 1 more) requests")


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
def test_of_a_chart_its_own_workloads_are_remarked(app, capsys):
    ollama(app)
    chart = Chart(app, "other")
    attach(chart)
    app.synth()
    assert capsys.readouterr().err == ""

    GpuWorkload(chart, "vllm", nodes=NODES, image="a/b:1")
    app.synth()
    assert capsys.readouterr().err == REMARK.format("nvidia.com/gpu, which other/vllm requests")


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
@pytest.mark.parametrize(
    "stack",
    [
        lambda chart: StandaloneDevicePlugin(chart, "plugin", nodes=NODES),
        lambda chart: NvidiaGpuOperator(chart, "operator", nodes=NODES, delivery=Flux()),
        lambda chart: emit(chart, "class", {"apiVersion": "v1", "kind": "${KIND}", "metadata": {"name": "a"}}),
    ],
)
def test_where_something_advertises_or_may_nothing_is_remarked(app, capsys, stack):
    attach(app)
    ollama(app)
    stack(Chart(app, "gpu"))
    app.synth()

    assert capsys.readouterr().err == ""


@pytest.mark.filterwarnings("error::constructs_lib.TalosGpuWarning")
@pytest.mark.parametrize("nodes", [NODES, GpuNodes(talos_version="1.14", name="claimed", dra=Dra())])
def test_a_stack_in_another_app_is_no_reason_to_warn(app, capsys, nodes):
    attach(app, nodes=nodes)
    ollama(app, nodes)
    app.synth()

    assert capsys.readouterr().err == ""


@pytest.mark.filterwarnings("error::constructs_lib.TalosGpuWarning")
def test_without_the_stack_or_its_classes_the_missing_runtime_class_is_a_warning(app):
    attach(app)
    ollama(app)
    with pytest.raises(TalosGpuError, match="nothing in these files creates the RuntimeClass nvidia"):
        app.synth()


@pytest.mark.filterwarnings("error::constructs_lib.TalosGpuWarning")
def test_beside_a_stack_elsewhere_the_parts_of_a_stack_here_are_still_missed(app):
    attach(app, nodes=GpuNodes(talos_version="1.14", name="h100"))
    StandaloneDevicePlugin(Chart(app, "gpu"), "plugin", nodes=NODES)
    with pytest.raises(TalosGpuError, match="nothing in these files creates the RuntimeClass nvidia"):
        app.synth()


APP = """\
from cdk8s import ApiObject, ApiObjectMetadata, App, Chart, JsonPatch
from constructs_lib import Flux, GpuNodes, GpuWorkload, NvidiaGpuOperator, attach

app = App()
attach(app)
chart = Chart(app, "gpu")
nodes = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, mig_devices={"1g.10gb": 7})
"""
PODS = """\
for number in range(3):
    pod = ApiObject(chart, f"pod-{number}", api_version="v1", kind="Pod", metadata=ApiObjectMetadata(name=f"pod-{number}"))
    container = {"name": "a", "image": "a/b:1", "resources": {"limits": {"nvidia.com/gpu": 0.5}}}
    pod.add_json_patch(JsonPatch.add("/spec", {"containers": [container], "runtimeClassName": "nvidia"}))
"""
OPERATOR = 'NvidiaGpuOperator(chart, "operator", nodes=nodes, delivery=Flux())\n'


def printed(code, tmp_path, *flags):
    (tmp_path / "app.py").write_text(f"{APP}{code}app.synth()\n")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, *flags, "app.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    # jsii prints a frame of exclamation marks for a Node that it does not know, and Python from 3.13 on marks a whole line with carets.
    return [line for line in done.stderr.splitlines() if line.strip("~^ ") and not line.startswith(("remark: ", "b'!!"))]


@pytest.mark.parametrize(
    ("code", "start", "errors"),
    [(PODS, "TG045 [gpu/pod-", 3), (OPERATOR, "[gpu/operator] 'nodes' must be classes with 'mig_devices' that have", 1)],
    ids=["a rule", "a construct"],
)
def test_an_error_is_printed_in_six_lines_and_one_for_each_error(tmp_path, code, start, errors):
    lines = printed(code, tmp_path, "-W", "ignore")

    assert lines[0] == "Traceback (most recent call last):"
    assert lines[-errors - 1] == f"constructs_lib.TalosGpuError: {errors} error{'s' if errors > 1 else ''} in this app:"
    assert all(line.startswith(start) for line in lines[-errors:])
    assert len(lines) == 6 + errors


def test_a_warning_that_is_an_error_is_printed_as_short(tmp_path):
    lines = printed(
        f'{APP.partition("app = ")[0]}GpuWorkload(chart, "a", nodes=GpuNodes(talos_version="1.14"), image="a/b:1")\n',
        tmp_path,
        "-W",
        "error",
    )

    assert lines[-1].startswith("TG041 [gpu/a] nothing in these files creates the RuntimeClass nvidia")
    assert len(lines) == 7


def test_an_error_that_is_no_validation_s_keeps_its_own_form(app):
    attach(app)
    one, two = Chart(app, "one"), Chart(app, "two")
    one.add_dependency(two)
    two.add_dependency(one)
    with pytest.raises(RuntimeError, match="ycle"):
        app.synth()


def test_the_error_survives_a_pickle_and_can_be_built_by_hand():
    error = pickle.loads(pickle.dumps(TalosGpuError(["a", "b"])))

    assert (error.errors, str(error)) == (("a", "b"), "2 errors in this app:\na\nb")
