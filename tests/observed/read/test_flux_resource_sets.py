"""A ResourceSet of the Flux Operator makes its objects of its literal inputs; anything else in them is unknown."""

import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read, read_text
from unknowns import plain

HEAD = "apiVersion: fluxcd.controlplane.io/v1\nkind: ResourceSet\nmetadata: {name: apps, namespace: flux-system}\nspec:\n"
INPUTS = "  inputs:\n  - {tenant: one, size: 2, enabled: true, version: '1.10', nested: {deep: below}}\n  - {tenant: two, size: 3}\n"
CONFIG_MAP = "{apiVersion: v1, kind: ConfigMap, metadata: {name: '<< inputs.tenant >>'}, data: {a: A}}"
OTHER_INPUTS = "only the objects of the ResourceSet's literal inputs are checked"


def config_maps(spec, inputs=INPUTS):
    """The data of the ConfigMaps by their names."""
    return {f"{each.name}": each.at("data") for each in read_text(HEAD + inputs + spec).of_kind("ConfigMap")}


def value_of(expression):
    """What an expression in an object of `resources` becomes for the first inputs."""
    listed = CONFIG_MAP.replace("{a: A}", f"{{a: {expression}}}")
    return config_maps(f"  resources:\n  - {listed}\n")["one"]["a"]


def template(text):
    return "  resourcesTemplate: |\n" + "".join(f"    {line}\n" for line in text.splitlines())


LINES = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: << inputs.tenant >>\ndata:\n  a: << inputs.size >>\n"


def test_every_object_of_resources_is_made_for_every_input():
    assert config_maps(f"  resources:\n  - {CONFIG_MAP}\n") == {"one": {"a": "A"}, "two": {"a": "A"}}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("'<< inputs.tenant >>'", "one"),
        ("'<<inputs.tenant>>'", "one"),
        ("'<<- inputs.tenant ->>'", "one"),
        ("'a-<< inputs.tenant >>-b'", "a-one-b"),
        ("'<< inputs.nested.deep >>'", "below"),
        ("'<< inputs.size >>'", 2),
        ("'<< inputs.size | int >>'", 2),
        ("'<< inputs.size | quote >>'", "2"),
        ("'<< inputs.version >>'", 1.1),
        ("'<< inputs.version | quote >>'", "1.10"),
        ("'<< inputs.enabled >>'", True),
        ("'<< inputs.enabled | bool >>'", True),
        ("'<< inputs.enabled | quote >>'", "true"),
        ("'<< inputs.provider.name >>'", "apps"),
        ("'<< inputs.provider.namespace >>'", "flux-system"),
    ],
)
def test_an_input_is_filled_in_as_text_number_or_boolean(expression, value):
    assert value_of(expression) == value


@pytest.mark.parametrize(
    "expression",
    ["<< inputs.missing >>", "<< inputs.tenant | slugify >>", "<< inputs.nested | toYaml | nindent 4 >>", "<< inputs.nested >>",
     '<< if eq inputs.tenant "one" >>a<< else >>b<< end >>', "${VAR}-<< inputs.tenant >>"],
)  # fmt: skip
def test_any_other_expression_is_unknown(expression):
    assert isinstance(value_of(f"'{expression}'"), Unknown)


def test_an_input_that_something_else_fills_in_is_unknown():
    inputs = "  inputs: [{tenant: one, size: '${SIZE}'}]\n"
    value = config_maps(template(LINES), inputs)["one"]["a"]
    assert isinstance(value, Unknown)
    assert f"{value}" == "${SIZE}"


def test_a_key_is_filled_in():
    listed = CONFIG_MAP.replace("{a: A}", "{'<< inputs.tenant >>': 1, '<< inputs.missing >>': 2}")
    (found,) = read_text(f"{HEAD}  inputs: [{{tenant: one}}]\n  resources:\n  - {listed.replace('<< inputs.tenant >>}', 'x}')}\n").objects[
        1:
    ]
    assert found.at("data", "one") == 1
    assert isinstance(found.at("data", "other"), Unknown)


def test_a_resource_set_without_inputs_makes_its_objects_once():
    assert config_maps(f"  resources:\n  - {CONFIG_MAP.replace('<< inputs.tenant >>', 'shared')}\n", inputs="") == {"shared": {"a": "A"}}


def test_an_object_that_is_the_same_for_every_input_is_made_once():
    found = read_text(f"{HEAD}{INPUTS}  resources:\n  - {CONFIG_MAP.replace('<< inputs.tenant >>', 'shared')}\n")
    assert [each.name for each in found.of_kind("ConfigMap")] == ["shared"]


def test_an_object_may_be_excluded_by_its_annotation():
    annotated = CONFIG_MAP.replace("'<< inputs.tenant >>'", "x, annotations: {fluxcd.controlplane.io/reconcile: disabled}")
    assert config_maps(f"  resources:\n  - {annotated}\n") == {}


def test_common_metadata_is_on_every_object():
    common = "  commonMetadata: {labels: {a: b}, annotations: {c: d}}\n"
    found = read_text(HEAD + INPUTS + common + template(LINES)).of_kind("ConfigMap")
    assert [(each.at("metadata", "labels", "a"), each.at("metadata", "annotations", "c")) for each in found] == [("b", "d")] * 2


def test_the_documents_of_a_template_are_made_for_every_input():
    assert config_maps(template(LINES)) == {"one": {"a": 2}, "two": {"a": 3}}


def test_the_objects_of_a_template_are_on_its_lines():
    found = read_text(HEAD + INPUTS + template(LINES)).of_kind("ConfigMap")
    assert {each.line_of(("data", "a")) for each in found} == {14}


def test_what_stands_in_a_condition_within_an_object_is_unknown():
    text = LINES + "  <<- if inputs.enabled >>\n  b: << inputs.size >>\n  <<- end >>\n  c: sure\n"
    data = config_maps(template(text))["one"]
    assert (data["a"], data["c"]) == (2, "sure")
    assert isinstance(data["b"], Unknown)


@pytest.mark.parametrize("block", ["if inputs.enabled", "range $each := inputs.list", "with inputs.nested"])
def test_an_object_in_a_condition_or_a_loop_is_left_out_and_named(block):
    text = f"{LINES}<<- {block} >>\n---\n{LINES.replace('<< inputs.tenant >>', 'inner')}<<- end >>\n---\n{LINES.replace('<< ', 'after-<< ', 1)}"
    found = read_text(HEAD + INPUTS + template(text))
    assert [each.name for each in found.of_kind("ConfigMap")] == ["one", "after-one", "two", "after-two"]
    assert [(each.line, each.reason) for each in found.skipped] == [
        (16, "the object is within a condition or a loop of a ResourceSet's template")
    ]


def test_a_shift_in_a_script_is_no_expression():
    text = LINES.replace("a: << inputs.size >>", "a: echo >> file")
    assert config_maps(template(text))["one"] == {"a": "echo >> file"}


@pytest.mark.parametrize("key", ["inputsFrom: [{name: other}]", "inputStrategy: {name: Permute}", "inputs: ${INPUTS}"])
def test_inputs_of_others_are_said_to_be_left_out(key):
    skipped = read_text(f"{HEAD}  {key}\n{template(LINES)}").skipped
    assert [(each.line, each.reason) for each in skipped] == [(1, OTHER_INPUTS)]


def test_the_literal_inputs_beside_those_of_a_provider_are_read():
    found = read_text(f"{HEAD}{INPUTS}  inputsFrom: [{{name: other}}]\n{template(LINES)}")
    assert [each.name for each in found.of_kind("ConfigMap")] == ["one", "two"]
    assert [each.reason for each in found.skipped] == [OTHER_INPUTS]


def test_permuted_inputs_make_nothing():
    assert config_maps(template(LINES), f"{INPUTS}  inputStrategy: {{name: Permute}}\n") == {}


def test_a_folder_that_a_resource_set_makes_flux_deploy_is_read(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "settings.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {a: '${SIZE}'}\n")
    (tmp_path / "left-out.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: left-out}\n")
    (tmp_path / "set.yaml").write_text(
        HEAD
        + "  inputs: [{path: ./app, size: 2}]\n"
        + template(
            "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata: {name: app}\nspec:\n"
            "  path: << inputs.path >>\n  postBuild: {substitute: {SIZE: '<< inputs.size >>'}}\n"
        )
    )
    found = read([tmp_path]).of_kind("ConfigMap")
    assert [(each.name, plain(each.at("data"))) for each in found] == [("settings", {"a": 2})]
