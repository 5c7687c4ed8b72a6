import pytest

from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.documents import documents
from unknowns import plain


def one(text, *, template=False):
    found, skipped = documents(text, "a.yaml", template=template)
    assert skipped == []
    return found[0].value


def unknown(value):
    return {key for key, item in value.items() if isinstance(item, Unknown)}


def test_a_value_that_a_template_fills_in_in_part_is_unknown():
    value = one("a: {{ x }}-cuda\nb: nvidia/cuda:{{ y }}\nc: plain")
    assert plain(value) == {"a": "{{ x }}-cuda", "b": "nvidia/cuda:{{ y }}", "c": "plain"}
    assert unknown(value) == {"a", "b"}


def test_what_stands_under_a_condition_is_unknown_and_the_rest_is_not():
    value = one("a: 1\n{{- if .Values.gpu }}\nb: 2\n{{- else }}\nc: 3\n{{- end }}\nd: 4\ne: {{ x }}y\n")
    assert plain(value) == {"a": 1, "b": "2", "c": "3", "d": 4, "e": "{{ x }}y"}
    assert unknown(value) == {"b", "c", "e"}


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("{% if x %}", "{% endif %}"), ("{%- for x in y -%}", "{%- endfor -%}"), ("#% if x %#", "#% endif %#"), ("{{ range .x }}", "{{ end }}"),
     ("{{- with .x -}}", "{{- end -}}"), ("{% filter indent(2) %}", "{% endfilter %}")],
)  # fmt: skip
def test_every_kind_of_condition_is_known(opening, closing):
    value = one(f"a: 1\n{opening}\nb: 2\n{closing}\nc: 3\n", template=True)
    assert plain(value) == {"a": 1, "b": "2", "c": 3}
    assert unknown(value) == {"b"}


def test_conditions_within_conditions_end_with_the_outer_one():
    value = one("{{ if a }}\na: 1\n{{ if b }}\nb: 2\n{{ end }}\nc: 3\n{{ end }}\nd: 4\n", template=True)
    assert unknown(value) == {"a", "b", "c"}
    assert value["d"] == 4


@pytest.mark.parametrize(
    "line", ["{# a comment #}", "#| a comment |#", "{{/* a comment */}}", "{% set x = 1 %}", "{{- $x := 1 }}", "{% import 'x' %}"]
)
def test_what_makes_no_yaml_is_left_out(line):
    assert plain(one(f"a: 1\n{line}\nb: {{{{ x }}}}y\n", template=True)) == {"a": 1, "b": "{{ x }}y"}


@pytest.mark.parametrize("comment", ["{{- /* a\n  b: {{ c }}\n*/ -}}", "{# if\n  b: - #}"])
def test_a_comment_of_several_lines_is_left_out(comment):
    (document,) = documents(f"{comment}\na: 1\n{{% if x %}}\nb: 2\n{{% endif %}}\n", "a.yaml", template=True)[0]
    assert plain(document.value) == {"a": 1, "b": "2"}
    assert document.value.places["a"] == ("a.yaml", comment.count("\n") + 2)


def test_what_follows_a_comment_on_its_last_line_stays():
    text = "{{- /*\n  doc #}\n*/ -}}{{- if .Values.gpu }}\nnvidia: true\nkeep: 1\n{{- end }}\n{{- /* tail\n*/ -}}\nz: {{ .V }}\n"
    (document,), skipped = documents(text, "a.yaml", template=True)

    assert list(document.value) == ["nvidia", "keep", "z"]
    assert [(each.line, each.reason) for each in skipped] == [
        (3, "the values up to line 6 are unknown: {{- if .Values.gpu }} decides about them")
    ]


def test_a_document_in_a_comment_is_none():
    (document,), skipped = documents("{{- /*\n---\nb: 2\n---\n*/ -}}\na: {{ x }}\n", "a.yaml", template=True)

    assert list(document.value) == ["a"]
    assert skipped == []


@pytest.mark.parametrize("text", ["{# a #} a: 1\nb: 2\n{# c #}\n", "{{/* a\nb: 2\n"])
def test_a_comment_beside_a_value_or_without_an_end_hides_no_other_line(text):
    assert documents(text, "a.yaml", template=True)[1] != []


def test_what_fills_a_key_from_the_next_line_is_unknown():
    value = one('labels:\n  {{- include "labels" . | nindent 2 }}\nname: {{ x }}-y\n')
    assert unknown(value) == {"labels", "name"}


def test_a_quote_in_a_template_stays():
    assert plain(one("a: {{ x | default 'y' }}-z", template=True)) == {"a": "{{ x | default 'y' }}-z"}


def test_lines_stay_where_they_are():
    (document,) = documents("{{ if a }}\nx: 1\n{{ end }}\ny: {{ b }}c\n", "a.yaml")[0]
    assert document.value.places["y"] == ("a.yaml", 4)


def test_makejinjas_marks_are_comments_to_yaml_but_not_in_a_template():
    assert plain(one("a: #{ version }#\n", template=True)) == {"a": "#{ version }#"}
    assert one("a: 1 #{ version }#\n") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("a: 1\n{% if gpu %}\nb: nvidia\n{% else %}\nb: x\n{% endif %}\n",
         [(2, "the values up to line 6 are unknown: {% if gpu %} decides about them")]),
        ("{{- if .Values.gpu }}\n{{ if a }}\nb: nvidia.com/gpu\n{{ end }}\n{{ end }}\n",
         [(1, "the values up to line 5 are unknown: {{- if .Values.gpu }} decides about them")]),
        ("#% if nvidia %#\nb: 1\n#% endif %#\nc: nvidia\n", []),
        ("---\na: 1\n---\n{% for x in y %}\nb: 10de, NVIDIA\n{% endfor %}\n",
         [(4, "the values up to line 6 are unknown: {% for x in y %} decides about them")]),
        ("{% if gpu %}\na: 1\n---\nb: nvidia\n---\nc: 1\n{% endif %}\n",
         [(1, "the values up to line 7 are unknown: {% if gpu %} decides about them")]),
        ("a: 1\n{# old\n{% if x %}\n#}\n{% if gpu %}\nb: nvidia\n{% endif %}\nc: 2\n",
         [(5, "the values up to line 7 are unknown: {% if gpu %} decides about them")]),
    ],
)  # fmt: skip
def test_a_block_that_decides_about_what_names_nvidia_is_named(text, blocks):
    _, skipped = documents(text, "a.yaml", template=True)

    assert [(each.line, each.reason) for each in skipped] == blocks
    assert all(each.names_nvidia for each in skipped)
