"""The equivalence of pods: what the API server would make equal is equal, and nothing else is."""

import pytest

from constructs_lib.adoption.equivalence import changes, normal_pod, normal_spec


def pod(**fields):
    return normal_pod({"containers": [{"name": "a", **fields}]})


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
        (
            {"ports": [{"name": "http", "containerPort": 80}], "livenessProbe": {"tcpSocket": {"port": "http"}}},
            {"ports": [{"name": "http", "containerPort": 80}], "livenessProbe": {"tcpSocket": {"port": 80}}},
        ),
    ],
)
def test_equal_for_the_api_server_is_equal(one, other):
    assert pod(**one) == pod(**other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"args": ["a", "b"]}, {"args": ["b", "a"]}),
        ({"ports": [{"containerPort": 80, "protocol": "UDP"}]}, {"ports": [{"containerPort": 80}]}),
        ({"livenessProbe": {"tcpSocket": {"port": 80}}}, {"livenessProbe": {"tcpSocket": {"port": 81}}}),
    ],
)
def test_different_for_the_api_server_is_different(one, other):
    assert pod(**one) != pod(**other)


def mounted(name, source):
    container = {"name": "a", "volumeMounts": [{"name": name, "mountPath": "/m"}]}
    return normal_pod({"containers": [container], "volumes": [{"name": name, **source}]})


def test_a_volume_is_its_source_where_it_is_mounted():
    assert mounted("a", {"emptyDir": {}}) == mounted("b", {"emptyDir": {}})
    assert mounted("a", {"emptyDir": {}}) != mounted("a", {"hostPath": {"path": "/m"}})


@pytest.mark.parametrize(
    "strategy",
    [
        {"type": "RollingUpdate"},
        {"rollingUpdate": {"maxSurge": "25%"}},
        {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%"}},
    ],
)
def test_a_strategy_of_defaults_equals_none(strategy):
    assert normal_spec("Deployment", {"strategy": strategy, "paused": True}) == normal_spec("Deployment", {"paused": True})


@pytest.mark.parametrize("strategy", [{"type": "Recreate"}, {"rollingUpdate": {"maxSurge": 0}}])
def test_a_strategy_of_its_own_stays(strategy):
    assert normal_spec("Deployment", {"strategy": strategy})["strategy"] == strategy


def test_a_job_with_parallelism_alone_differs_from_a_job_without_it():
    assert normal_spec("Job", {"parallelism": 1}) != normal_spec("Job", {})


def test_a_change_says_what_became_of_a_value():
    found = {each.name: each.words for each in changes({"a": {"b": 1}, "c": 2}, {"a": {"b": 3}, "d": {"e": 4}})}

    assert found == {"a.b": "1 becomes 3", "c": "2 is left out", "d.e": "4 is added"}
