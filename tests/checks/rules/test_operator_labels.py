"""TG135: the label nvidia.com/gpu.present in a machine configuration beside the GPU operator."""

import pytest
from chart_checks import CDI, checked, node, release, said

PRESENT = "nvidia.com/gpu.present"
OPERATOR = release("gpu-operator", CDI, version="v26.7.0")
WAR = (
    f"the GPU operator sets {PRESENT} by itself, and the machine configuration sets it, too. Each overwrites the other many times a second {{}}; "
    "meanwhile the operator removes its labels nvidia.com/gpu.deploy.*, also your own"
)
TRUE = WAR.format("until NFD has labelled the node, and without end on a node that NFD never labels")
OTHER = WAR.format("without end on a node with a GPU")


def labelled(labels, **given):
    return node(nodeLabels=labels, **given)


@pytest.mark.parametrize(
    ("labels", "gpu", "message"),
    [
        ({PRESENT: "true"}, True, TRUE),
        ({PRESENT: "true"}, False, TRUE),
        ({PRESENT: "false"}, True, OTHER),
        ({PRESENT: "false"}, False, None),
        ({PRESENT: "${PRESENT}"}, True, None),
        ({PRESENT: {"$patch": "delete"}}, True, None),
        ({"nvidia.com/gpu.deploy.operator-validator": "false"}, True, None),
        ({"nvidia.com/gpu.deploy.device-plugin": "false"}, True, None),
    ],
)
def test_the_label_that_the_operator_sets_itself_is_found(labels, gpu, message):
    assert said(checked("TG135", OPERATOR, labelled(labels, gpu=gpu))) == ([("warning", message)] if message else [])


def test_the_label_of_a_document_is_found():
    document = {"apiVersion": "v1alpha1", "kind": "KubeNodeConfig", "labels": {PRESENT: "true"}}

    assert said(checked("TG135", OPERATOR, document)) == [("warning", TRUE)]


def test_without_an_operator_the_label_is_the_usual_one():
    assert checked("TG135", labelled({PRESENT: "true"})) == []
    assert checked("TG135", release("nvidia-device-plugin", {}, version="0.20.0"), labelled({PRESENT: "true"})) == []
