"""An argument stands once, on the settings: a construct's signature, its attributes, its documentation and what type checkers see follow from it."""

import inspect
import json
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import attrs
import pytest
from cdk8s import App, Chart
from recipe_cases import RECIPES

from conftest import ROOT, message
from constructs_lib import GpuNodes, GpuWorkload, NvidiaRuntimeClass, StandaloneDevicePlugin
from constructs_lib.constructs._emit import GpuConstruct
from constructs_lib.recipes import Ollama
from public_face import every_public

CONSTRUCTS = [public for public in every_public().values() if isinstance(public, type) and issubclass(public, GpuConstruct)]
each_construct = pytest.mark.parametrize("construct", CONSTRUCTS, ids=lambda construct: construct.__name__)


def settings_of(construct):
    (found,) = [base for base in construct.__mro__ if "__attrs_attrs__" in vars(base) and attrs.has(base) and base is not GpuConstruct][:1]
    return found


def test_every_construct_is_looked_at():
    assert len(CONSTRUCTS) == 18 + len(RECIPES)


@each_construct
def test_the_signature_is_the_scope_the_id_and_the_fields_with_their_defaults(construct):
    scope, name, *arguments = inspect.signature(construct).parameters.values()
    fields = [field for field in attrs.fields(settings_of(construct)) if field.init]

    assert (scope.name, name.name) == ("scope", "id")
    assert {(each.name, each.kind) for each in arguments} == {(field.alias, inspect.Parameter.KEYWORD_ONLY) for field in fields}
    for argument, field in zip(sorted(arguments, key=lambda each: each.name), sorted(fields, key=lambda each: each.alias), strict=True):
        assert argument.default == (argument.empty if field.default is attrs.NOTHING else field.default)
        assert argument.annotation is not argument.empty


@each_construct
def test_each_argument_of_a_construct_is_in_a_slot(construct):
    # jsii keeps every construct for ever. A dict of its arguments would be most of its memory.
    slots = {name for base in construct.__mro__ for name in vars(base).get("__slots__", ())}

    assert {field.name for field in attrs.fields(settings_of(construct))} <= slots


def test_the_mappings_that_are_left_out_are_one():
    nodes = GpuNodes(talos_version="1.12")
    one, other = (GpuWorkload(Chart(App(), "gpu"), "a", nodes=nodes, image="a:1") for _ in range(2))

    names = (
        "env",
        "service_fields",
        "volumes",
        "security_context",
        "pod_security_context",
        "labels",
        "annotations",
        "pod_annotations",
        "pod_spec",
    )
    assert {id(getattr(each, name)) for each in (one, other) for name in names} == {id(one.env)}


@each_construct
def test_the_documentation_names_each_argument_once(construct):
    section = re.search(r"^Args:\n(.*?)(?=^(Raises|Warns|Example):)", inspect.getdoc(construct), re.MULTILINE | re.DOTALL)[1]
    named = re.findall(r"^ {4}(\w+): ", section, re.MULTILINE)

    assert sorted(named) == sorted(inspect.signature(construct).parameters)


@each_construct
def test_help_shows_the_arguments(construct):
    shown = pydoc.plain(pydoc.render_doc(construct.__init__))

    assert all(f"{field.alias}: " in shown for field in attrs.fields(settings_of(construct)) if field.init)


def test_the_scope_and_the_id_may_be_given_by_name():
    chart = Chart(App(), "gpu")

    assert NvidiaRuntimeClass(scope=chart, id="runtime-class").node.path == "gpu/runtime-class"
    assert NvidiaRuntimeClass(chart, id="other", name="other").name == "other"


def test_a_value_can_t_be_changed_through_an_attribute():
    plugin = StandaloneDevicePlugin(
        Chart(App(), "gpu"), "plugin", nodes=GpuNodes(talos_version="1.12"), pod_spec={"hostAliases": [{"ip": "127.0.0.1"}]}
    )

    assert message(lambda: setattr(plugin, "name", "b"), AttributeError).startswith("'name' must be given to StandaloneDevicePlugin(…)")
    with pytest.raises(TypeError):
        plugin.pod_spec["hostAliases"] = []
    with pytest.raises(TypeError):
        plugin.pod_spec["hostAliases"][0]["ip"] = "127.0.0.2"


def test_what_is_given_is_copied():
    given = {"hostAliases": [{"ip": "127.0.0.1"}]}
    plugin = StandaloneDevicePlugin(Chart(App(), "gpu"), "plugin", nodes=GpuNodes(talos_version="1.12"), pod_spec=given)
    given["hostAliases"][0]["ip"] = "127.0.0.2"

    assert plugin.pod_spec["hostAliases"][0]["ip"] == "127.0.0.1"


# A line that begins with a comment is one that a type checker has to refuse.
PROGRAM = """\
from typing import assert_type

from cdk8s import App, Chart

from constructs_lib import GpuNodes, GpuWorkload, StandaloneDevicePlugin
from constructs_lib.manifests.workload.kinds import WorkloadKind
from constructs_lib.upstream.nvidia.plugin_words import DeviceListStrategy

chart = Chart(App(), "gpu")
nodes = GpuNodes(talos_version="1.12", labels={"role": "gpu"})
plugin = StandaloneDevicePlugin(chart, "a", nodes=nodes, device_list_strategy="envvar", resources=None)
assert_type(plugin.namespace, str)
assert_type(plugin.device_list_strategy, tuple[DeviceListStrategy, ...])
assert_type(GpuWorkload(chart, "b", nodes=nodes, image="a:1", cpu=2).kind, WorkloadKind)
StandaloneDevicePlugin(chart, "c")  # missing
StandaloneDevicePlugin(chart, "d", nodes=nodes, feature_discovery="yes")  # wrong type
StandaloneDevicePlugin(chart, "e", nodes=nodes, feature_discover=True)  # misspelt
GpuNodes(talos_version=1.12)  # wrong type
GpuNodes(talos="1.12")  # misspelt
plugin.fail_on_init_error = False  # read-only
nodes.count = 3  # read-only
"""
REFUSED = [number for number, line in enumerate(PROGRAM.splitlines(), 1) if "  # " in line]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("typed") / "program.py"
    path.write_text(PROGRAM)
    return path


def test_mypy_sees_every_argument(program):
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--output=json", str(program)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout

    # The file by its name: what mypy remembers of an earlier run is printed with the path that it had then.
    errors = [
        each for each in map(json.loads, found.splitlines()) if each["severity"] == "error" and Path(each["file"]).name == program.name
    ]
    assert sorted({each["line"] for each in errors}) == REFUSED, found


def test_pyright_sees_every_argument(program):
    settings = program.parent / "pyrightconfig.json"
    settings.write_text(json.dumps({"typeCheckingMode": "standard", "extraPaths": [str(ROOT)], "pythonVersion": "3.11"}))
    command = [
        sys.executable,
        "-m",
        "basedpyright",
        "--outputjson",
        "--pythonpath",
        sys.executable,
        "--project",
        str(settings),
        str(program),
    ]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT).stdout)

    assert sorted({each["range"]["start"]["line"] + 1 for each in found["generalDiagnostics"] if each["severity"] == "error"}) == REFUSED


@each_construct
def test_the_nodes_come_first_then_what_has_to_be_given_then_the_constructs_own_arguments(construct):
    arguments = [each for name, each in inspect.signature(construct).parameters.items() if name not in ("scope", "id")]
    required = [each.default is inspect.Parameter.empty for each in arguments]

    assert "nodes" not in [each.name for each in arguments[1:]]
    assert required[1:] == sorted(required[1:], reverse=True)


def test_the_arguments_of_a_recipe_stand_before_those_of_every_workload():
    names = list(inspect.signature(Ollama).parameters)

    assert names[:5] == ["scope", "id", "nodes", "models", "fits"]
    assert names.index("drain") < names.index("gpus") < names.index("pod_spec")
