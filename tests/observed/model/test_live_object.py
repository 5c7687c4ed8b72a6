"""A live object is an object of the model: checks and doctor ask both the same questions."""

from constructs_lib.observed.model import Inputs, KubernetesObject
from constructs_lib.observed.model.live_object import LiveObject

POD = {
    "kind": "Pod",
    "metadata": {"name": "a", "namespace": "gpu", "labels": {"app": "a"}},
    "spec": {"containers": [{"name": "main", "command": ["${SHELL}"]}]},
    "status": {"phase": "Running"},
}


def test_a_live_object_has_what_an_object_of_a_file_has():
    live, written = LiveObject(POD, "pods.json"), KubernetesObject(body=POD, file="pods.yaml", namespace="gpu")

    assert isinstance(live, KubernetesObject)
    for name in ("kind", "name", "namespace", "labels", "label", "pod_path", "pod_spec"):
        assert getattr(live, name) == getattr(written, name)
    assert list(live.containers) == list(written.containers)


def test_a_live_object_of_the_cluster_has_no_namespace():
    node = LiveObject({"kind": "Node", "metadata": {"name": "gpu-1"}}, "nodes.json")

    assert (node.namespace, node.full_name, node.label) == ("", "gpu-1", "Node gpu-1")


def test_a_kind_that_was_not_listed_may_have_further_objects():
    inputs = Inputs(unlisted=frozenset({"RuntimeClass"}))

    assert inputs.may_hide("Namespace", "RuntimeClass")
    assert not inputs.may_hide("Namespace")
