"""Errors for users of a file: YAML where the Python message has Python."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.arguments.errors import Argument, InPython, Phrase, Value, wrong, wrong_kind
from constructs_lib.arguments.in_yaml import in_yaml, words_in_yaml


@pytest.mark.parametrize(
    ("python", "yaml"),
    [
        ("write port=8000, or port={'http': 8000, 'rtp': '8555/udp'}", "write port: 8000, or port: {http: 8000, rtp: '8555/udp'}"),
        (
            "write volumes={'/path': Persistent('100Gi')}, or ExistingClaim('name')",
            "write volumes: {/path: {Persistent: 100Gi}}, or {ExistingClaim: name}",
        ),
        ("write env={'NAME': SecretKey('secret', 'key')}", "write env: {NAME: {SecretKey: {secret: secret, key: key}}}"),
        ("write env={…} with a SecretKey each", "write env: {…} with a SecretKey each"),
        ("such as TimeSlicing(replicas=4)", "such as {TimeSlicing: {replicas: 4}}"),
        ("give sharing=TimeSlicing(…) to GpuNodes", "give sharing: {TimeSlicing: …} to the class in 'nodes'"),
        ("such as Flux()", "such as {Flux: {}}"),
        ("write gpu_memory='8Gi' and cpu='2'", "write gpu_memory: 8Gi and cpu: '2'"),
        ("say replicas=None: a fixed number", "say replicas: null: a fixed number"),
        ("set secureboot=True or False", "set secureboot: true or false"),
        ("a GpuNodes; see 'count' of GpuNodes", "a class of nodes; see 'count' of the class in 'nodes'"),
        ("the argument is 'gpus', an argument of GpuWorkload", "the key is 'gpus', a key of GpuWorkload"),
        ("the label nvidia.com/gpu.present=true of --node=a1", "the label nvidia.com/gpu.present=true of --node=a1"),
        ("write schedule=@daily or name=(", "write schedule=@daily or name=("),
    ],
)
def test_python_in_a_hint_is_yaml_in_a_file(python, yaml):
    assert words_in_yaml(python) == yaml


def test_an_error_about_a_file_is_in_the_words_of_the_file():
    hint = Phrase("did you mean ", Value({"role": "gpu"}), InPython(" of Python"), "? ", Argument("labels"), " or ", Argument("dra", None))

    assert in_yaml(wrong_kind("labels[0]", "a mapping, True or False", ["role=gpu", True], hint)) == (
        "'labels[0]' must be a mapping, true or false (got ['role=gpu', true]); did you mean {role: gpu}? 'labels' or dra: null"
    )
    assert in_yaml(wrong("kind", "a kind", "on")) == "'kind' must be a kind (got 'on')"
    assert in_yaml(ValueError("write sharing=Mps(replicas=2)")) == "write sharing: {Mps: {replicas: 2}}"


def test_a_refused_value_of_this_library_is_yaml_too():
    nodes = GpuNodes(talos_version="1.14", count=2)

    assert in_yaml(wrong("nodes", "another class", Argument("nodes", nodes))) == (
        "'nodes' must be another class (got nodes: {GpuNodes: {talos_version: '1.14', count: 2}})"
    )


def test_the_file_may_have_a_key_of_its_own_for_an_argument():
    error = wrong("product", "the name of a card", Argument("product", "x"), Phrase("leave ", Argument("product"), " out"))

    assert in_yaml(error, {"product": "card"}.get) == "'card' must be the name of a card (got card: x); leave 'card' out"


def test_a_credential_stays_hidden():
    assert "hf_secret" not in in_yaml(wrong("token", "another", "hf_secret"))
