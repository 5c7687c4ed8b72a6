"""The JSON Schema of cluster files: made from the signatures, and of one mind with the command."""

import json
import warnings

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_legal_arguments import CONSTRUCTS, LEGAL, composed
from test_six_clusters import CLUSTERS, FILES
from written_arguments import classes_in, file_of

from conftest import ROOT
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.cluster_schema import cluster_schema, schema_text
from constructs_lib.clusters.file_values import FileError

VALIDATOR = jsonschema.Draft202012Validator(cluster_schema())


def refused_by_both(description):
    """Whether the schema refuses a description, and whether the command does."""
    try:
        errors = [
            error for name, each in ClusterFile("cluster.yaml", yaml.safe_dump(description)).clusters() for error in composed(each).errors
        ]
    except FileError as error:
        errors = [error]
    return not VALIDATOR.is_valid(description), bool(errors)


def test_the_committed_schema_is_the_one_of_the_signatures():
    assert (ROOT / "docs" / "cluster-schema.json").read_text() == schema_text()


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(cluster_schema())


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_six_clusters_are_accepted(name):
    VALIDATOR.validate(yaml.safe_load((FILES / f"{name}.yaml").read_text()))


@pytest.mark.parametrize("construct", LEGAL, ids=lambda construct: construct.__name__)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_legal_arguments_are_accepted(construct, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = data.draw(LEGAL[construct].filter(lambda given: len(classes_in(given)) < 2))
    VALIDATOR.validate(json.loads(json.dumps(file_of(construct.__name__, arguments))))


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_an_unknown_argument_is_refused_by_both(name):
    description = {"nodes": {"talos_version": "1.14"}, "charts": {"a": {"objects": {"b": {name: {"nodez": "x"}}}}}}

    assert refused_by_both(description) == (True, True)


@pytest.mark.parametrize(
    "change",
    [
        {"chart": {}},
        {"nodes": {"talos_version": "1.14", "taint": []}},
        {"nodes": {"talos_version": "1.14", "sharing": {"slices": {}}}},
        {"charts": {"a": {"objects": {}, "namespaces": "b"}}},
        {"charts": {"a": {"namespace": "b"}}},
        {"charts": {"a": {"objects": {"b": {"Olama": {}}}}}},
        {"charts": {"a": {"objects": {"b": {"Ollama": {}, "Vllm": {}}}}}},
        {"charts": {"a": {"objects": {"b": {"Ollama": {"gpus": "two"}}}}}},
        {"charts": {"a": {"objects": {"b": {"Ollama": {"env": ["A"]}}}}}},
        {"charts": {"a": {"objects": {"b": {"GpuWorkload": {"image": "a:1", "volumes": {"/a": {"Persistant": "1Gi"}}}}}}}},
        {"charts": {"a": {"objects": {"b": {"GpuWorkload": {"image": "a:1", "kind": "Deploiment"}}}}}},
        {"charts": {"a": {"objects": {"b": {"NvidiaGpuOperator": {"delivery": {"Flux": {"intervall": "1h"}}}}}}}},
        {"charts": {"a": {"objects": {"b": {"Object": {"kind": "Secret"}}}}}},
        {"clusters": {"home": {"name": "b"}}},
    ],
    ids=str,
)
def test_a_wrong_key_or_a_wrong_kind_of_value_is_refused_by_both(change):
    assert refused_by_both({"nodes": {"talos_version": "1.14"}, "charts": {}, **change}) == (True, True)
