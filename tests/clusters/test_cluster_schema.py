"""The JSON Schema of cluster files: made from the signatures, and of one mind with the command."""

import inspect
import json
import re
import subprocess
import sys
import warnings

import jsonschema
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_clusters_by_file import CLUSTERS, FILES
from test_legal_arguments import CONSTRUCTS, LEGAL, composed
from written_arguments import classes_in, file_of

from conftest import ROOT, drawn
from constructs_lib import GpuNodes
from constructs_lib.clusters.argument_types import arguments_of
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.cluster_schema import cluster_schema, schema_text
from constructs_lib.clusters.description import file_form
from constructs_lib.clusters.file_values import FileError
from constructs_lib.clusters.part_table import BESIDE_A_WORKLOAD, PART_NAMES, part_of
from constructs_lib.nodes.file_classes import CLASS_KEYS, WORDS
from public_face import public

SCHEMA = cluster_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
BESIDE = [f"{name}-of-a-workload" for name in BESIDE_A_WORKLOAD]
VALUES = sorted(SCHEMA["$defs"].keys() - {*PART_NAMES, "chart", "node", "workload", *BESIDE})


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
def test_the_clusters_of_the_app_are_accepted(name):
    VALIDATOR.validate(yaml.safe_load((FILES / f"{name}.yaml").read_text()))


@pytest.mark.parametrize("construct", LEGAL, ids=lambda construct: construct.__name__)
@settings(max_examples=drawn(15), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_legal_arguments_are_accepted(construct, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = data.draw(LEGAL[construct].filter(lambda given: len(classes_in(given)) < 2))
    VALIDATOR.validate(json.loads(json.dumps(file_form(file_of(construct.__name__, arguments)))))


@pytest.mark.parametrize("name", CONSTRUCTS)
def test_an_unknown_argument_is_refused_by_both(name):
    description = {"talos": "1.14", "nodes": {"gpu": {}}, "charts": {"a": {"objects": {"b": {name: {"nodez": "x"}}}}}}

    assert refused_by_both(description) == (True, True)


@pytest.mark.parametrize(
    "change",
    [
        {"chart": {}},
        {"nodes": {"gpu": {"taint": []}}},
        {"nodes": {"gpu": {"sharing": {"slices": {}}}}},
        {"stack": "operater"},
        {"gitops": "helm"},
        {"workloads": {"a": {"recipe": "Olama"}}},
        {"workloads": {"a": {"recipe": "Ollama", "modls": []}}},
        {"workloads": {"a": {"recipe": "Ollama", "expose": {"hostnam": "a.b"}}}},
        {"workloads": {"a": {"port": 80}}},
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
    assert refused_by_both({"talos": "1.14", "nodes": {"gpu": {}}, "charts": {}, **change}) == (True, True)


def described(schema):
    """The description of a schema, which may be that of another one."""
    words = schema.get("description", "")
    return words or (described(at(schema["$ref"])) if "$ref" in schema else "")


def at(reference):
    schema = SCHEMA
    for key in reference.removeprefix("#/").split("/"):
        schema = schema[key]
    return schema


def properties_in(schema):
    """Every property of a schema, with its path."""
    if isinstance(schema, list):
        schema = dict(enumerate(schema))
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object":
        yield from schema.get("properties", {}).items()
    for each in schema.values():
        yield from properties_in(each)


def documented(owner):
    """The sentences about each argument in the documentation of a class or a function."""
    section = re.search(r"^Args:\n(.*?)(?=^\S|\Z)", inspect.getdoc(owner), re.MULTILINE | re.DOTALL)[1]
    _, *words = re.split(r"^ {4}(\w+): ", section, flags=re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in zip(words[::2], words[1::2], strict=True)}


def test_every_property_has_a_description_in_plain_text():
    found = {name: described(schema) for name, schema in properties_in(SCHEMA)}

    assert [name for name, words in found.items() if not words] == []
    assert [name for name, words in found.items() if "::" in words or "``" in words or "\n" in words or words != words.strip()] == []


@pytest.mark.parametrize("name", PART_NAMES)
def test_the_descriptions_of_a_construct_are_the_sentences_of_its_documentation(name):
    construct, sentences = public(name), documented(public(name))
    properties = SCHEMA["$defs"][name]["properties"]
    constructs = SCHEMA["$defs"]["chart"]["properties"]["objects"]["additionalProperties"]["properties"]

    assert constructs[name]["description"] == " ".join(inspect.getdoc(construct).partition("\n\n")[0].split())
    assert {each: described(schema) for each, schema in properties.items() if each not in ("recipe", *BESIDE_A_WORKLOAD)} == {
        each: sentences[each] for each in arguments_of(part_of(name).settings)
    }


@pytest.mark.parametrize("name", VALUES)
def test_the_descriptions_of_a_value_are_the_sentences_of_its_documentation(name):
    value = public(name)
    sentences = documented(value) if arguments_of(value) else {}
    properties = SCHEMA["$defs"][name]["anyOf"][0]["properties"]

    assert {each: described(schema) for each, schema in properties.items()} == {each: sentences[each] for each in arguments_of(value)}


def test_the_descriptions_of_nodes_and_of_talos_are_the_sentences_of_their_documentation():
    node = SCHEMA["$defs"]["node"]["properties"]
    of_a_class = documented(GpuNodes)
    of_talos = {name: words for name, words in documented(public("Schematic")).items() if name in node and name != "nodes"}

    assert list(node) == list(CLASS_KEYS)
    assert described(node["taints"]) == of_a_class["taints"]
    assert described(node["kernel_modules"]) == of_a_class["kernel_modules"].replace("`product`", "`card`")
    assert {name: described(node[name]) for name in of_talos} == {
        name: words.replace("`product`", "`card`") for name, words in of_talos.items()
    }
    assert not any(f"`{argument}`" in described(each) for each in node.values() for argument in WORDS.values())


def test_a_recipe_has_its_arguments_and_the_parts_beside_it_in_a_workload():
    ollama = SCHEMA["$defs"]["Ollama"]["properties"]

    assert {"recipe", *BESIDE_A_WORKLOAD, "storage", "models"} <= ollama.keys()
    assert SCHEMA["properties"]["workloads"]["additionalProperties"] == {"$ref": "#/$defs/workload"}


@pytest.mark.parametrize("name", ["cluster", "fleet"])
def test_the_examples_of_the_docs_are_accepted(name):
    VALIDATOR.validate(yaml.safe_load((ROOT / "docs" / f"{name}.yaml").read_text()))


@pytest.mark.parametrize(("flag", "has_docs"), [("-O", True), ("-OO", False)])
def test_the_schema_of_a_python_without_docstrings_has_the_same_keys(flag, has_docs):
    command = [sys.executable, flag, "-m", "constructs_lib", "synth", "--schema"]
    printed = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)
    one, other = (each["$defs"]["Ollama"]["properties"] for each in (printed, SCHEMA))

    assert list(one) == list(other)
    assert ("description" in one["models"]) == has_docs
