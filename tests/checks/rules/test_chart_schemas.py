"""TG028: values that break the values.schema.json of their chart, with the words of Helm 4.1.4."""

import json
import re
import subprocess

import pytest
import yaml
from chart_checks import checked, release, severities

from conftest import needs
from constructs_lib.observed.objects.schema_values import broken_values
from constructs_lib.observed.read.repository import read_text
from constructs_lib.upstream.charts.chart import Chart, ChartTable
from tools.pins.value_schemas import value_facts

NFD = "node-feature-discovery"
BROKEN = {
    'master: {replicaCount: "two"}': ("/master/replicaCount", "got string, want integer", "Write a whole number"),
    'master: {replicaCount: "2"}': ("/master/replicaCount", "got string, want integer", "Set replicaCount: 2, without quotes"),
    'master: {enable: "false"}': ("/master/enable", "got string, want boolean", "Set enable: false, without quotes"),
    "master: {port: 0}": ("/master/port", "minimum: got 0, want 1", "Write a value that the schema takes"),
    "master: {nfdApiParallelism: 101}": ("/master/nfdApiParallelism", "maximum: got 101, want 100", "Write a value that the schema takes"),
    "image: {pullPolicy: Sometimes}": (
        "/image/pullPolicy",
        "value must be one of 'Always', 'IfNotPresent', 'Never'",
        "Write a value that the schema takes",
    ),
    "fullnameOverride: 1": ("/fullnameOverride", "got number, want string", "Write the value with quotes, as it stands"),
    "worker: {nodeSelector: {a: true}}": (
        "/worker/nodeSelector/a",
        "got boolean, want string",
        "Write the value with quotes, as it stands",
    ),
    "worker: {tolerations: [{key: 1}]}": (
        "/worker/tolerations/0/key",
        "got number, want string",
        "Write the value with quotes, as it stands",
    ),
    'worker: {tolerations: [{tolerationSeconds: "3"}]}': (
        "/worker/tolerations/0/tolerationSeconds",
        "got string, want integer",
        "Set tolerationSeconds: 3, without quotes",
    ),
    "worker: {tolerations: {}}": ("/worker/tolerations", "got object, want array", "Write a list"),
    "gc: true": ("/gc", "got boolean, want object", "Write a mapping"),
}
TAKEN = [
    "gc: {replicaCount: 1.0}",
    "master: {resyncPeriod: null, replicaCount: null}",
    "worker: {resources: {limits: {cpu: 1, memory: 1Gi}}, updateStrategy: {rollingUpdate: {maxUnavailable: 10%}}}",
    "worker: {updateStrategy: {rollingUpdate: {maxUnavailable: 1}}, nodeSelector: {}}",
]


def found(values, version="0.19.0", **spec):
    return checked("TG028", release(NFD, yaml.safe_load(values), version=version, **spec))


@pytest.mark.parametrize("values", BROKEN)
def test_a_value_that_breaks_the_schema_is_an_error(values):
    place, problem, fix = BROKEN[values]

    (error,) = found(values)
    assert str(error.severity) == "error"
    assert error.message == (
        f"{place[1:].replace('/', '.')} breaks the values.schema.json of the chart {NFD}: {problem}. Helm installs nothing: "
        "'values don't meet the specifications of the schema(s) in the following chart(s)'"
    )
    assert error.fix == fix


@pytest.mark.parametrize("values", [*TAKEN, "master: {replicaCount: '${COUNT}'}", "worker: '${WORKER}'"])
def test_what_the_schema_takes_and_what_is_not_known_is_silent(values):
    assert found(values) == []


def test_the_schema_is_that_of_the_version():
    severity = {version: [str(each.severity) for each in found("gc: true", version)] for version in ("0.18.3", "0.19.0", "0.99.0", None)}

    assert severity == {"0.18.3": [], "0.19.0": ["error"], "0.99.0": [], None: ["warning"]}


@pytest.mark.parametrize(
    ("chart", "key", "values", "expected"),
    [
        ("gpu-operator", NFD, {}, ["error"]),
        ("gpu-operator", NFD, {"nfd": {"enabled": False}}, []),
        ("gpu-operator", NFD, {"nfd": {"enabled": "${NFD}"}}, ["warning"]),
        ("nvidia-device-plugin", "nfd", {"gfd": {"enabled": True}}, ["error"]),
        ("nvidia-device-plugin", "nfd", {}, []),
    ],
)
def test_the_schema_of_a_subchart_holds_where_the_subchart_is_installed(chart, key, values, expected):
    assert severities("TG028", release(chart, {key: {"gc": True}, **values})) == expected
    if chart == "gpu-operator":
        assert severities("TG028", release(chart, {key: {"gc": True}, **values}, version="v26.3.3")) == []


@pytest.mark.parametrize("value", [True, "${OFF}"])
def test_a_deployer_that_does_not_ask_the_schema_takes_every_value(value):
    assert found("gc: true", install={"disableSchemaValidation": value}) == []
    source = {"chart": NFD, "targetRevision": "0.19.0", "helm": {"valuesObject": {"gc": True}}}
    application = {"apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": "nfd"}}

    def findings(**helm):
        asked = {**source, "helm": {**source["helm"], **helm}}
        return [
            severities("TG028", {**application, "spec": {"destination": {"namespace": "nfd"}, **spec}})
            for spec in ({"source": asked}, {"sources": [asked]})
        ]

    assert findings(skipSchemaValidation=value) == [[], []]
    assert findings() == [["error"], ["error"]]


SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "text": {"type": "string"},
        "flag": {"type": "boolean"},
        "number": {"type": "integer", "minimum": 1, "maximum": 9},
        "policy": {"type": "string", "enum": ["Always", "Never"]},
        "list": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "free": {},
    },
}
SEVERAL = """\
text: 1
flag: "true"
number: 10
policy: Sometimes
list: [a, 2]
labels: {a: true, b: "true"}
free: {a: [1]}
other: 1
"""


def own_chart():
    facts = value_facts(json.dumps(SCHEMA))
    table = ChartTable(oldest="1.0.0", newest="1.0.0", schema={key: {"1.0.0": fact} for key, fact in facts.items()})
    return Chart(name="own", read_table=lambda: table)


@pytest.mark.parametrize("values", [SEVERAL, "number: 2.0\n", "number: 0\n", "list: {}\n", "flag: 1\nlabels: []\n", "labels: {}\n"])
def test_helm_says_the_same_of_the_same_values(values, monkeypatch, tmp_path):
    monkeypatch.setattr("constructs_lib.observed.model.input_kinds.CHARTS", {"own": own_chart()})
    inputs = read_text(yaml.safe_dump(release("own", yaml.safe_load(values), version="1.0.0")))
    for name, text in {
        "Chart.yaml": "apiVersion: v2\nname: own\nversion: 1.0.0\n",
        "values.schema.json": json.dumps(SCHEMA),
        "values.yaml": values,
    }.items():
        (tmp_path / name).write_text(text)

    command = [needs("HELM", "the path of a Helm"), "template", "x", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    said = re.findall(r"- at '(.*)': (.*)", done.stderr)
    found = [each.path if "additional" not in each.problem else each.path[:-1] for each in broken_values(inputs.releases[0])]
    problems = [each.problem for each in broken_values(inputs.releases[0])]
    assert sorted(said) == sorted(
        (f"/{'/'.join(map(str, path))}".rstrip("/"), problem) for path, problem in zip(found, problems, strict=True)
    )
    assert bool(done.returncode) == bool(said)
