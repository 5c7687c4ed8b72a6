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
        (
            {"livenessProbe": {"httpGet": {"port": 80}}},
            {"livenessProbe": {"httpGet": {"port": 80, "path": "/", "scheme": "HTTP"}, "periodSeconds": 10}},
        ),
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


def deployment(strategy=None):
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "spec": {"strategy": strategy, "paused": True}}


@pytest.mark.parametrize(
    "strategy",
    [
        {"type": "RollingUpdate"},
        {"rollingUpdate": {"maxSurge": "25%"}},
        {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}},
    ],
)
def test_a_strategy_of_defaults_equals_none(strategy):
    assert normal(deployment(strategy)) == normal(deployment())


@pytest.mark.parametrize("strategy", [{"type": "Recreate"}, {"rollingUpdate": {"maxSurge": 0}}])
def test_a_strategy_of_its_own_stays(strategy):
    assert normal(deployment(strategy))["spec"]["strategy"] == strategy


def test_a_job_with_parallelism_alone_differs_from_a_job_without_it():
    jobs = [{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": spec} for spec in ({"parallelism": 1}, {})]

    assert normal(jobs[0]) != normal(jobs[1])


def test_a_value_is_put_back_into_the_item_of_its_name():
    path = ("spec", "containers", "[a]", "image")

    assert with_value(pod(image="new"), path, "old") == pod(image="old")
    assert with_value(pod(image="new"), path, None) == pod()
