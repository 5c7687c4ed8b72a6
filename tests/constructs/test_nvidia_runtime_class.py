import pytest
from cdk8s import ApiObject, App, Chart

from conftest import message, one, synth
from constructs_lib import Flux, GpuNodes, NvidiaGpuOperator, NvidiaRuntimeClass


def test_main_child_is_the_runtime_class(chart):
    assert ApiObject.of(NvidiaRuntimeClass(chart, "runtime-class")).kind == "RuntimeClass"


def test_defaults(chart, snapshot_yaml):
    NvidiaRuntimeClass(chart, "runtime-class")

    assert synth(chart) == snapshot_yaml
    assert one(synth(chart), "RuntimeClass") == {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "nvidia"},
        "handler": "nvidia",
    }


def test_has_no_namespace_in_a_chart_with_a_namespace():
    chart = Chart(App(), "gpu", namespace="gpu")
    NvidiaRuntimeClass(chart, "runtime-class")

    assert "namespace" not in one(synth(chart), "RuntimeClass")["metadata"]


def test_another_name_keeps_the_only_handler_that_talos_registers(chart):
    NvidiaRuntimeClass(chart, "runtime-class", name="nvidia-2")

    made = one(synth(chart), "RuntimeClass")
    assert (made["metadata"]["name"], made["handler"]) == ("nvidia-2", "nvidia")


def test_a_bad_name_is_refused(chart):
    assert message(lambda: NvidiaRuntimeClass(chart, "runtime-class", name="Nvidia")) == (
        "'name' must be a DNS name (lower-case letters, digits, '-' and '.', at most 253 characters) (got 'Nvidia')"
    )


@pytest.mark.parametrize("operator_first", [True, False])
def test_is_refused_beside_an_operator_that_owns_the_name_also_from_another_chart(operator_first):
    app = App()

    def operator():
        return NvidiaGpuOperator(Chart(app, "operator"), "operator", nodes=GpuNodes(talos_version="1.14"), delivery=Flux())

    def runtime_class():
        return NvidiaRuntimeClass(Chart(app, "runtime"), "runtime-class")

    first, second = (operator, runtime_class) if operator_first else (runtime_class, operator)
    first()
    assert "the operator creates and owns its RuntimeClass; leave NvidiaRuntimeClass out" in message(second)


def test_the_operator_of_another_app_is_no_neighbour():
    NvidiaGpuOperator(Chart(App(), "one"), "operator", nodes=GpuNodes(talos_version="1.14"), delivery=Flux())

    assert NvidiaRuntimeClass(Chart(App(), "two"), "runtime-class").name == "nvidia"


def test_another_name_stands_beside_an_operator():
    chart = Chart(App(), "gpu")
    NvidiaGpuOperator(chart, "operator", nodes=GpuNodes(talos_version="1.14"), delivery=Flux())

    assert NvidiaRuntimeClass(chart, "runtime-class", name="nvidia-2").name == "nvidia-2"
