import pytest
from cdk8s import ApiObject, App, Chart

from conftest import message, one, synth
from constructs_lib import Flux, NvidiaGpuOperator, PrivilegedNamespace

LEVEL = "pod-security.kubernetes.io/{}"
PRIVILEGED = {LEVEL.format(mode): "privileged" for mode in ("enforce", "audit", "warn")}
NAMESPACE = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"


def test_main_child_is_the_namespace(chart):
    assert ApiObject.of(PrivilegedNamespace(chart, "gpu-agents")).kind == "Namespace"


def test_privileged_namespaces(chart, snapshot_yaml):
    PrivilegedNamespace(chart, "gpu-agents")

    assert synth(chart) == snapshot_yaml
    assert one(synth(chart), "Namespace")["metadata"]["labels"] == {
        "pod-security.kubernetes.io/enforce": "privileged",
        "pod-security.kubernetes.io/audit": "privileged",
        "pod-security.kubernetes.io/warn": "privileged",
    }


def test_the_whole_object_is_the_name_and_the_labels(chart):
    PrivilegedNamespace(chart, "gpu-agents")

    assert synth(chart) == [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu-agents", "labels": PRIVILEGED}}]


def test_is_called_like_its_id_unless_it_has_a_name(chart):
    assert PrivilegedNamespace(chart, "gpu-agents").name == "gpu-agents"
    assert PrivilegedNamespace(chart, "Second", name="second").name == "second"
    assert [made["metadata"]["name"] for made in synth(chart)] == ["gpu-agents", "second"]


@pytest.mark.parametrize("name", ["1-gpu", "0", "n" * 63])
def test_every_name_that_kubernetes_takes_for_a_namespace_is_accepted(chart, name):
    assert PrivilegedNamespace(chart, "gpu-agents", name=name).name == name
    assert one(synth(chart), "Namespace")["metadata"]["name"] == name


def test_further_labels_stand_beside_those_of_pod_security(chart):
    labels = {"team": "ml", LEVEL.format("enforce"): "privileged", LEVEL.format("enforce-version"): "latest"}
    made = PrivilegedNamespace(chart, "gpu-agents", labels=labels)

    assert one(synth(chart), "Namespace")["metadata"]["labels"] == {
        "team": "ml",
        LEVEL.format("enforce-version"): "latest",
        **PRIVILEGED,
    }
    assert made.labels == labels


def test_has_no_namespace_in_a_chart_with_a_namespace():
    chart = Chart(App(), "gpu", namespace="elsewhere")
    PrivilegedNamespace(chart, "gpu-agents")

    assert "namespace" not in one(synth(chart), "Namespace")["metadata"]


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"name": "GPU Agents"}, ValueError, f"'name' must be {NAMESPACE} (got 'GPU Agents'); did you mean 'gpu-agents'?"),
        ({"name": ""}, ValueError, f"'name' must be {NAMESPACE} (got '')"),
        ({"name": "n" * 64}, ValueError, f"'name' must be {NAMESPACE} (got '{'n' * 64}'); did you mean '{'n' * 63}'?"),
        ({"name": "-gpu"}, ValueError, f"'name' must be {NAMESPACE} (got '-gpu'); did you mean 'gpu'?"),
        ({"name": "gpu."}, ValueError, f"'name' must be {NAMESPACE} (got 'gpu.'); did you mean 'gpu'?"),
        ({"name": 5}, TypeError, f"'name' must be {NAMESPACE} (got 5)"),
        (
            {"labels": {LEVEL.format("enforce"): "baseline"}},
            ValueError,
            "'labels' must be without another pod-security.kubernetes.io/enforce than 'privileged' (got 'baseline'); GPU agents mount paths of the node",
        ),
        (
            {"labels": {LEVEL.format("warn"): "restricted"}},
            ValueError,
            "'labels' must be without another pod-security.kubernetes.io/warn than 'privileged' (got 'restricted'); GPU agents mount paths of the node",
        ),
        (
            {"labels": {"team": True}},
            TypeError,
            "'labels[team]' must be a label value (at most 63 letters, digits, '-', '_' and '.', as a string) (got True); did you mean 'true'?",
        ),
        (
            {"labels": {"a team": "ml"}},
            ValueError,
            "'labels' must be a label key ('name' or 'prefix/name', the name of at most 63 letters, digits, '-', '_' and '.') (got 'a team')",
        ),
        ({"labels": ["team"]}, TypeError, "'labels' must be a mapping of label keys to label values (got ['team'])"),
        ({"label": {}}, TypeError, "'label' must be an argument of PrivilegedNamespace (got label={}); did you mean 'labels'?"),
    ],
)
def test_a_wrong_argument_is_refused_and_leaves_nothing_behind(chart, arguments, error, says):
    assert message(lambda: PrivilegedNamespace(chart, "gpu-agents", **arguments), error) == says
    assert chart.node.children == []
    assert PrivilegedNamespace(chart, "gpu-agents").name == "gpu-agents"


def test_an_id_that_is_no_name_is_refused_as_what_was_given(chart):
    assert (
        message(lambda: PrivilegedNamespace(chart, "GpuAgents")) == f"'id' must be {NAMESPACE} (got 'GpuAgents'); did you mean 'gpuagents'?"
    )
    assert chart.node.children == []


@pytest.mark.parametrize(
    ("place", "says"),
    [
        (("chart", "gpu"), "'scope' must be a Chart, or a construct in a Chart (got 'chart')"),
        ((None, "gpu"), "'scope' must be a Chart, or a construct in a Chart (got None)"),
    ],
)
def test_a_place_that_is_no_construct_is_refused(place, says):
    assert message(lambda: PrivilegedNamespace(*place), TypeError) == says


def test_a_name_given_by_position_is_refused(chart):
    assert message(lambda: PrivilegedNamespace(chart, "gpu", "agents"), TypeError) == (
        "'name' must be given by its name (got 'agents'); such as PrivilegedNamespace(…, name=…)"
    )
    assert chart.node.children == []


def test_does_not_change_once_it_is_made(chart):
    made = PrivilegedNamespace(chart, "gpu-agents")

    def rename():
        made.name = "other"

    assert message(rename, AttributeError) == (
        "'name' must be given to PrivilegedNamespace(…) (got name='other' afterwards); constructs are immutable"
    )
    assert made.name == "gpu-agents"


@pytest.mark.parametrize(
    ("name", "then"),
    [("kube-system", "in kube-system Pod Security is off already"), ("default", "give the agents their own namespace")],
)
def test_a_namespace_of_the_clusters_own_is_refused(chart, name, then):
    assert message(lambda: PrivilegedNamespace(chart, "namespace", name=name)) == (
        f"'name' must be a namespace that not every cluster has (got {name!r}); {then}"
    )
    assert chart.node.children == []


def test_a_namespace_that_the_operator_makes_is_not_made_again(chart, cdi):
    NvidiaGpuOperator(chart, "operator", nodes=cdi, delivery=Flux())

    assert message(lambda: PrivilegedNamespace(chart, "gpu-operator")) == (
        "'name' must be unique among the objects of kind Namespace in this app (got 'gpu-operator'); NvidiaGpuOperator already makes a Namespace of this name; the second object would replace the first"
    )
