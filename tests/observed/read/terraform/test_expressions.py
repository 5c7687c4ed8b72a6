"""Expressions of Terraform: literals are read, and what only Terraform knows is unknown."""

import pytest

from constructs_lib.observed.model import Unknown, UnknownKey

LOCALS = """
locals {
  name  = "gpu"
  names = ["a", "b"]
  nodes = { one = { gpu = true }, two = { gpu = false } }
  loop  = local.loop
}
variable "version" { default = "1.12" }
variable "unset" {}
"""


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1", 1),
        ("-1.5", -1.5),
        ("true", True),
        ("null", None),
        ('"a\\n\\"b\\""', 'a\n"b"'),
        ('"$${a} %%{b}"', "${a} %{b}"),
        ("local.name", "gpu"),
        ('"${local.name}-${var.version}"', "gpu-1.12"),
        ('"${local.nodes}"', {"one": {"gpu": True}, "two": {"gpu": False}}),
        ("local.names[1]", "b"),
        ('local.nodes["one"].gpu', True),
        ("local.nodes.two.gpu ? 1 : 2", 2),
        ('!(1 == 2) && (local.name == "gpu" || false)', True),
        ("1 + 2", 3),
        ("[for each in local.names : upper(each)]", ["A", "B"]),
        ("[for key, node in local.nodes : key if node.gpu]", ["one"]),
        ("{ for index, each in local.names : each => index }", {"a": 0, "b": 1}),
        ("concat(local.names, [1])", ["a", "b", 1]),
        ("distinct(flatten([[1], [1, 2]]))", [1, 2]),
        ("merge({ a = 1, b = 1 }, { b = 2 })", {"a": 1, "b": 2}),
        ('lookup(local.nodes, "three", "none")', "none"),
        ("try(local.nodes.three.gpu, false)", False),
        ('coalesce("", "a")', "a"),
        ('format("%s-%s", "a", 1)', "a-1"),
        ('join(",", local.names)', "a,b"),
        ("values(local.nodes)[*].gpu", [True, False]),
        ("values(local.nodes).*.gpu", [True, False]),
        ('yamldecode("a: {b: 1}").a', {"b": 1}),
        ("jsondecode(jsonencode({ a = [1] }))", {"a": [1]}),
        ('{ (local.name) = 1, "x.y/z" = 2, for = 3 }', {"gpu": 1, "x.y/z": 2, "for": 3}),
    ],
)  # fmt: skip
def test_a_literal_expression_has_its_value(terraform_value, expression, expected):
    assert terraform_value(expression, LOCALS) == expected


@pytest.mark.parametrize(
    ("expression", "written"),
    [
        ("var.unset", "${var.unset}"),
        ("var.nowhere.a", "${var.nowhere.a}"),
        ("local.loop", "${local.loop}"),
        ("data.http.page.body", "${data.http.page.body}"),
        ("aws_instance.a[0].id", "${aws_instance.a.0.id}"),
        ("terraform.workspace", "${terraform.workspace}"),
        ("uuid()", "${uuid()}"),
        ('file("${path.module}/none.yaml")', '${file("$(path.module)/none.yaml")}'),
        ("local.names[7]", "${local.names[7]}"),
        ("var.unset ? 1 : 2", "${var.unset ? 1 : 2}"),
        ("[for each in var.unset : each]", "${[for each in var.unset : each]}"),
    ],
)
def test_all_else_is_unknown_and_never_a_string(terraform_value, expression, written):
    found = terraform_value(expression, LOCALS)

    assert isinstance(found, Unknown)
    assert str(found) == written


def test_an_unknown_part_leaves_the_rest_known(terraform_value):
    text, listed, mapping = (
        terraform_value(each, LOCALS) for each in ('"a-${var.unset}"', "concat([1], var.unset)", "merge({ a = 1 }, var.unset)")
    )

    assert isinstance(text, Unknown)
    assert text.may_be("a-b")
    assert not text.may_be("b")
    assert listed[0] == 1
    assert isinstance(listed[1], Unknown)
    assert mapping["a"] == 1
    assert any(isinstance(key, UnknownKey) for key in mapping)


def test_values_of_files_win_over_defaults_and_those_of_named_files_are_unknown(terraform_value):
    files = {"terraform.tfvars": 'version = "1.13"\n', "b.auto.tfvars": 'other = "b"\n', "prod.tfvars": 'named = "prod"\n'}
    more = 'variable "version" { default = "1" }\nvariable "other" { default = "a" }\nvariable "named" { default = "x" }\n'
    version, other, named = terraform_value("[var.version, var.other, var.named]", more, files=files)

    assert (version, other) == ("1.13", "b")
    assert isinstance(named, Unknown)


def test_the_type_of_a_variable_gives_its_optional_attributes(terraform_value):
    more = """
    variable "nodes" {
      type = map(object({
        gpu   = optional(bool, false)
        label = optional(string)
        disk  = object({ size = optional(number, 5) })
      }))
      default = { a = { disk = {} }, b = { gpu = true, disk = { size = 7 } } }
    }
    """
    assert terraform_value("var.nodes", more) == {
        "a": {"gpu": False, "label": None, "disk": {"size": 5}},
        "b": {"gpu": True, "label": None, "disk": {"size": 7}},
    }


@pytest.mark.parametrize(
    "text",
    [
        "locals {\n  a0 = [1, 1]\n" + "".join(f"  a{n + 1} = [local.a{n}, local.a{n}]\n" for n in range(40)) + "}\n",
        'locals {\n  a0 = "xxxxxxxxxx"\n' + "".join(f'  a{n + 1} = "${{local.a{n}}}${{local.a{n}}}"\n' for n in range(40)) + "}\n",
        "locals {\n  a0 = 1\n" + "".join(f"  a{n + 1} = local.a{n}\n" for n in range(3000)) + "}\n",
        "locals {\n  a40 = " + "[" * 3000 + "]" * 3000 + "\n}\n",
        "locals {\n  a40 = " + "(" * 3000 + "1" + ")" * 3000 + "\n}\n",
        "locals {\n  a40 = [for a in range(300) : [for b in range(300) : [for c in range(9) : c]]]\n}\n",
        'locals {\n  a40 = [for a in range(400) : yamlencode({ a = local.b })]\n  b = [for a in range(400) : "x"]\n}\n',
    ],
    ids=["lists", "texts", "locals", "brackets", "parentheses", "for", "encoded"],
)  # fmt: skip
def test_a_small_file_makes_no_large_value(terraform_value, text):
    name = "a2999" if "a3000" in text else "a40"
    assert len(repr(terraform_value(f"local.{name}", text))) < 2_000_000
