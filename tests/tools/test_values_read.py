"""What templates read of a chart's values."""

import pytest

from tools.pins.conditions import written
from tools.pins.values_read import Reader, values_read


def reader(*templates) -> Reader:
    return values_read({f"{index}.yaml": text for index, text in enumerate(templates)})


def read(*templates):
    return reader(*templates).uses


@pytest.mark.parametrize(
    ("template", "paths"),
    [
        ("{{ .Values.a.b }}", {"a.b"}),
        ("{{- $.Values.a -}}", {"a"}),
        ("{{ (.Values.a).b }}", {"a", "a.b"}),
        ("{{ .Values.a | default .Values.b | quote }}", {"a", "b"}),
        ("{{ .Release.Name }} .Values.text", set()),
        ("{{/* .Values.comment */}}", set()),
        ('{{ "}} .Values.string" }}{{ `{{ .Values.raw }}` }}', set()),
        ("{{ if .Values.a }}{{ .Values.b }}{{ else if .Values.c }}{{ .Values.d }}{{ else }}{{ .Values.e }}{{ end }}", set("abcde")),
        ("{{ if(eq .Values.a 1) }}{{ end }}", {"a"}),
        ("{{ with .Values.a }}{{ .b }}{{ else }}{{ .Values.c }}{{ end }}", {"a", "a.b", "c"}),
        ("{{ with .Values.a }}{{ $.Values.c }}{{ end }}", {"a", "c"}),
        ("{{ range .Values.a }}{{ .b }}{{ break }}{{ end }}", {"a", "a.[].b"}),
        ("{{ range $i, $x := .Values.a }}{{ $x.b }}{{ $i.c }}{{ end }}", {"a", "a.[].b"}),
        ("{{ $x := .Values.a }}{{ $x.b }}", {"a", "a.b"}),
        ("{{ $x := .Values.a }}{{ if .Values.c }}{{ $x = .Values.d }}{{ end }}{{ $x.b }}", {"a", "c", "d", "a.b", "d.b"}),
        ("{{ if .Values.c }}{{ $x := .Values.a }}{{ end }}{{ $x.b }}", {"a", "c"}),
        ('{{ index .Values "a" "b" }}', {"", "a.b"}),
        ('{{ get (index .Values.a "b") "c" }}', {"a", "a.b", "a.b.c"}),
        ('{{ dig "a" "b" "none" .Values }}', {"", "a.b"}),
        ('{{ if hasKey .Values.a "b" }}{{ end }}', {"a", "a.b"}),
        ("{{ toYaml .Values.a | nindent 2 }}", {"a"}),
        ('{{ (merge .Values.a (dict "x" .Values.b)).x }}', {"a", "b", "a.x"}),
        ("{{ index (list .Values.a .Values.b) 1 }}", {"a", "b"}),
    ],
)
def test_each_way_to_name_a_value_is_followed(template, paths):
    assert set(read(template)) == paths


def test_a_named_template_reads_what_it_is_called_with():
    helpers = '{{ define "port" }}{{ .of.port }}{{ $.of.name }}{{ end }}{{ define "unused" }}{{ .Values.unused }}{{ end }}'
    calls = '{{ include "port" (dict "of" .Values.web) }}{{ template "port" dict "of" .Values.api }}{{ include "nobody" . }}'

    assert {"web.port", "web.name", "api.port", "api.name"} <= set(read(helpers, calls))
    assert "unused" not in read(helpers, calls)


def test_templates_that_call_each_other_come_to_an_end():
    assert set(read('{{ define "a" }}{{ .Values.x }}{{ include "a" . }}{{ end }}{{ include "a" . }}')) == {"x"}


@pytest.mark.parametrize(
    ("template", "use"),
    [
        ("{{ .Values.a }}", {"print"}),
        ("{{ if .Values.a }}{{ end }}", {"truth"}),
        ("{{ if and .Values.a true }}{{ end }}", {"truth"}),
        ("{{ not .Values.a }}", {"truth"}),
        ("{{ toYaml .Values.a }}", {"toYaml"}),
        ("{{ range .Values.a }}{{ end }}", {"range"}),
        ('{{ if typeIs "bool" .Values.a }}{{ end }}', {"typeIs bool"}),
        ("{{ .Values.a | quote }}", {"pipe", "quote"}),
    ],
)
def test_it_is_known_what_is_done_with_a_value(template, use):
    assert read(template)["a"] == use


@pytest.mark.parametrize(
    "template", ["{{ if .Values.a }}", "{{ .Values.a }}{{ end }}", "{{ .Values.a ) }}", "{{ % }}", "{{ define .a }}{{ end }}"]
)
def test_what_is_no_template_is_refused(template):
    with pytest.raises((ValueError, TypeError)):
        read(template)


@pytest.mark.parametrize(
    ("template", "condition"),
    [
        ("{{ .Values.x }}", ""),
        ("{{ if .Values.a }}{{ .Values.x }}{{ end }}", "a"),
        ("{{ if .Values.a }}{{ else }}{{ .Values.x }}{{ end }}", "!a"),
        ("{{ if .Values.a }}{{ else if .Values.b }}{{ .Values.x }}{{ end }}", "!a & b"),
        ("{{ if and .Values.a (not .Values.b) }}{{ .Values.x }}{{ end }}", "!b & a"),
        ("{{ if or .Values.a .Values.b }}{{ .Values.x }}{{ end }}", "a | b"),
        ("{{ if or .Values.a .Values.b }}{{ else }}{{ .Values.x }}{{ end }}", "!a & !b"),
        ("{{ if .Values.a }}{{ .Values.x }}{{ else }}{{ .Values.x }}{{ end }}", ""),
        ('{{ if eq .Values.a "one" }}{{ .Values.x }}{{ end }}', "a=one"),
        ('{{ if ne "one" .Values.a }}{{ .Values.x }}{{ end }}', "a!=one"),
        ("{{ with .Values.a }}{{ $.Values.x }}{{ end }}", "a"),
        # Of a function, and of a variable, nothing is known: nothing is concluded from its failure either.
        ("{{ if and .Values.a (hasKey .Values.b .Values.c) }}{{ .Values.x }}{{ end }}", "a"),
        ("{{ if and .Values.a (empty .Values.b) }}{{ else }}{{ .Values.x }}{{ end }}", ""),
        ("{{ $on := .Values.a }}{{ if $on }}{{ .Values.x }}{{ end }}", ""),
        (
            '{{ define "x" }}{{ .Values.x }}{{ end }}{{ if .Values.a }}{{ include "x" . }}{{ end }}{{ if .Values.b }}{{ include "x" . }}{{ end }}',
            "a | b",
        ),
    ],
)
def test_a_value_is_read_under_the_conditions_of_the_blocks_around_it(template, condition):
    assert written(reader(template).conditions["x"]) == condition
