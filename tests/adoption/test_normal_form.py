"""The normal form: what the API server would make equal is equal, and nothing else is."""

import pytest

from constructs_lib.adoption.difference import with_value
from constructs_lib.adoption.normal_form import normal


def pod(**spec):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", **spec}]}}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"resources": {"limits": {"memory": "1Gi"}}}, {"resources": {"limits": {"memory": "1024Mi"}}}),
        ({"ports": [{"containerPort": 80}]}, {"ports": [{"containerPort": 80, "protocol": "TCP"}]}),
        ({"env": [{"name": "A", "value": "1"}, {"name": "B"}]}, {"env": [{"name": "B"}, {"name": "A", "value": "1"}]}),
        ({"env": []}, {}),
    ],
)
def test_equal_for_the_api_server_is_equal(one, other):
    assert normal(pod(**one)) == normal(pod(**other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"args": ["a", "b"]}, {"args": ["b", "a"]}),
        ({"ports": [{"containerPort": 80, "protocol": "UDP"}]}, {"ports": [{"containerPort": 80}]}),
    ],
)
def test_different_for_the_api_server_is_different(one, other):
    assert normal(pod(**one)) != normal(pod(**other))


def test_a_value_is_put_back_into_the_item_of_its_name():
    path = ("spec", "containers", "[a]", "image")

    assert with_value(pod(image="new"), path, "old") == pod(image="old")
    assert with_value(pod(image="new"), path, None) == pod()
