"""Heredocs and templates: what is known is filled in, the rest stays unknown, and lines stay."""

from textwrap import indent

import pytest

from constructs_lib.observed.model import Unknown

VARIABLE = 'variable "x" {}\n'


def manifest(text):
    return f'resource "kubectl_manifest" "a" {{\n  yaml_body = {text}\n}}\n' + VARIABLE


OBJECT = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n"


def test_a_heredoc_keeps_its_lines_and_its_unknown_parts(terraform):
    heredoc = indent(f"{OBJECT}data:\n  a: b\n  c: ${{var.x}}\nEOT", "    ")
    (made,) = terraform(manifest(f"<<-EOT\n{heredoc}")).objects

    assert made.at("data", "a") == "b"
    assert isinstance(made.at("data", "c"), Unknown)
    assert (made.file, made.line_of(("data", "c"))) == ("main.tf", 9)


@pytest.mark.parametrize(("condition", "expected"), [("true", {"a": "1", "b": "2"}), ("false", {"b": "2", "c": "3"})])
def test_a_condition_of_known_values_is_decided(terraform, condition, expected):
    template = OBJECT + 'data:\n%{ if on ~}\n  a: "1"\n%{ endif ~}\n  b: "2"\n%{ if !on }\n  c: "3"\n%{ else }\n%{ endif }\n'
    inputs = terraform(manifest(f'templatefile("${{path.module}}/a.tftpl", {{ on = {condition} }})'), files={"a.tftpl": template})

    assert inputs.objects[0].body["data"] == expected
    assert inputs.objects[0].place_at(("data", "b")) == ("a.tftpl", 9)


def test_a_loop_and_a_condition_of_unknown_values_are_unsure(terraform):
    template = OBJECT + "data:\n  a: b\n%{ for each in names ~}\n  ${each}: c\n%{ endfor ~}\n%{ if x ~}\n  d: e\n%{ endif ~}\n"
    (made,) = terraform(manifest('templatefile("a.tftpl", { names = ["x"], x = var.x })'), files={"a.tftpl": template}).objects

    assert made.at("data", "a") == "b"
    assert isinstance(made.at("data", "d"), Unknown)


def test_a_block_that_is_alone_in_its_line_is_the_value_of_the_key_above(terraform):
    (made,) = terraform(manifest(f"<<EOT\n{OBJECT}data:\n  ${{indent(2, var.x)}}\nEOT")).objects

    assert isinstance(made.at("data"), Unknown)


def test_an_encoded_value_inside_of_a_text_is_read(terraform):
    (made,) = terraform(manifest(f"<<EOT\n{OBJECT}data: ${{jsonencode({{ a = 1, b = var.x }})}}\nEOT")).objects

    assert made.at("data", "a") == 1
    assert isinstance(made.at("data", "b"), Unknown)


def test_a_file_outside_of_the_repository_is_not_read(terraform, tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path.parent / "outside.yaml").write_text(OBJECT)
    inputs = terraform(manifest('file("../outside.yaml")'))

    assert not inputs.objects
    assert [each.reason for each in inputs.skipped] == ["'../outside.yaml' is outside of the repository"]


@pytest.mark.parametrize(
    ("text", "line", "left"),
    [
        ('resource "helm_release" "a" {\n  name = = 1\n}\n', 2, 1),
        ('resource "helm_release" "a" {\n  name = "a\n}\n', 2, 1),
        ("locals {\n  a = <<EOT\n  never closed\n}\n", 2, 0),
        ("locals {\n  a = [1\n}\n", 3, 1),
    ],
)
def test_an_error_is_named_with_its_line_and_loses_no_other_block(terraform, text, line, left):
    inputs = terraform(text + 'resource "kubernetes_namespace" "a" {\n  metadata {\n    name = "a"\n  }\n}\n')

    assert [(each.file, each.line) for each in inputs.skipped if each.reason.startswith("not HCL")] == [("main.tf", line)]
    assert len(inputs.objects) == left
