"""Edits of a text: only the value at the path changes, in every style of YAML that people write."""

import json

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import drawn
from constructs_lib.checks.fixes.edited_text import NotEditedError, change, existing
from constructs_lib.checks.fixes.yaml_places import Draft
from constructs_lib.checks.rule import Action, Edit
from constructs_lib.observed.model import KubernetesObject
from constructs_lib.observed.read.documents import documents
from constructs_lib.observed.read.objects import lines

FILE = "file.yaml"


def objects(text):
    found, skipped = documents(text, FILE)
    assert not skipped
    return [KubernetesObject(body=each.value, **lines(each.value, each.place)) for each in found]


def edited(text, about, path, edit):
    draft = Draft(text)
    change(draft, text, about, path, edit, [])
    try:
        return draft.text()
    except ValueError as error:
        raise NotEditedError(f"the text can't be edited: {error}") from None


def done(text, action, path, value=None, *, inside=(), number=0):
    return edited(text, objects(text)[number], path, Edit(action=action, value=value, inside=inside))


def refused(text, action, path, value=None, **others):
    with pytest.raises(NotEditedError) as error:
        done(text, action, path, value, **others)
    return str(error.value)


@pytest.mark.parametrize(
    ("text", "path", "value", "changed"),
    [
        ("a: b\n", ("a",), "c", "a: c\n"),
        ("a: b", ("a",), "c", "a: c"),
        ("a:   'b'   # why\n", ("a",), "c", "a:   'c'   # why\n"),
        ('a: "b"\n', ("a",), "c", 'a: "c"\n'),
        ('a: "b"\n', ("a",), False, "a: false\n"),
        ("a: 2\n", ("a",), "1", 'a: "1"\n'),
        ("a:\nb: 1\n", ("a",), "c", "a: c\nb: 1\n"),
        ("a: # why\nb: 1\n", ("a",), "c", "a: c # why\nb: 1\n"),
        ("x: {a: b, c: d}\n", ("x", "a"), "e", "x: {a: e, c: d}\n"),
        ("{a: {a: 1}, b: {a: {a: 1}}}\n", ("a", "a"), 2, "{a: {a: 2}, b: {a: {a: 1}}}\n"),
        ("x:\n- a: b\n- a: b\n", ("x", 1, "a"), "c", "x:\n- a: b\n- a: c\n"),
        ("a: b\r\nc: d\r\n", ("a",), "e", "a: e\r\nc: d\r\n"),
        ("# one\na: {}\n", ("a", "b", "c"), True, "# one\na: {b: {c: true}}\n"),
        ("a:\n    b: 1\n", ("a", "c", "d"), 2, "a:\n    b: 1\n    c:\n        d: 2\n"),
        ("a:\n  b: 1", ("a", "c"), 2, "a:\n  b: 1\n  c: 2"),
        ("a:\n  b: 1\r\nd: 1\r\n", ("a", "c"), 2, "a:\n  b: 1\r\n  c: 2\r\nd: 1\r\n"),
        ("a:\nb: 1\n", ("a", "c"), 2, "a:\n  c: 2\nb: 1\n"),
        ("a: 1\n", ("b", "c"), False, "a: 1\nb:\n  c: false\n"),
        ("é: ☃😀\na: b\n", ("a",), "c", "é: ☃😀\na: c\n"),
    ],
)
def test_a_value_is_set(text, path, value, changed):
    assert done(text, Action.SET, path, value) == changed


@pytest.mark.parametrize(
    ("text", "path", "changed"),
    [
        ("a: 1\nb: 2 # gone with it\n# kept\nc: 3\n", ("b",), "a: 1\n# kept\nc: 3\n"),
        ("a: 1\nb:\n  c: 2\n  d: [1]\n\ne: 3\n", ("b",), "a: 1\n\ne: 3\n"),
        ("x: {a: 1, b: 2}\n", ("x", "a"), "x: {b: 2}\n"),
        ("x: {a: 1, b: 2}\n", ("x", "b"), "x: {a: 1}\n"),
        ("x: [a, b, c]\n", ("x", 1), "x: [a, c]\n"),
        ("x:\n  - name: a\n    value: 1\n  - name: b\n", ("x", 0), "x:\n  - name: b\n"),
        ("y: 1\nx:\n  - name: a\n", ("x", 0), "y: 1\n"),
        ("y: 1\nx: {z: {a: 1}}\n", ("x", "z", "a"), "y: 1\n"),
        ("y: 1\nx: 2", ("x",), "y: 1\n"),
    ],
)
def test_a_value_is_removed_with_the_containers_that_would_be_empty(text, path, changed):
    assert done(text, Action.REMOVE, path) == changed


@pytest.mark.parametrize(
    "text",
    [
        "y: 1\nx:\n  # agreed\n  a: 1\n",
        "y: 1\nx:\n  a:\n    # agreed\n    b: 1\n",
        "y: 1\nx:\n  a: [\n    # agreed\n    1]\n",
        "y: 1\nx:\n  a:\n    b: |\n      1\n    # agreed\n    c: 1\n",
    ],
)
def test_a_value_with_lines_of_comments_is_not_removed(text):
    assert "comment" in refused(text, Action.REMOVE, ("x", "a"))


def test_a_number_sign_in_a_text_is_no_comment():
    assert done("y: 1\nx: |\n  # no comment\nz: 1\n", Action.REMOVE, ("x",)) == "y: 1\nz: 1\n"


@pytest.mark.parametrize(
    ("text", "path", "changed"),
    [
        ("x: [a]\n", ("x",), "x: [a, {name: gpu}]\n"),
        ("x:\n- a\ny: 1\n", ("x",), "x:\n- a\n- name: gpu\ny: 1\n"),
        ("x:\n    - a\n", ("x",), "x:\n    - a\n    - name: gpu\n"),
        ("y: 1\n", ("x",), "y: 1\nx:\n  - name: gpu\n"),
        ("x: []\n", ("x",), "x: [{name: gpu}]\n"),
    ],
)
def test_items_are_added_to_a_list(text, path, changed):
    assert done(text, Action.APPEND, path, [{"name": "gpu"}]) == changed


def test_the_right_document_of_a_stream_changes():
    text = "a: b\n---\n# second\na: b\n---\na: b\n"

    assert done(text, Action.SET, ("a",), "c", number=1) == "a: b\n---\n# second\na: c\n---\na: b\n"
    assert done(text, Action.SET, ("d",), "c", number=1) == "a: b\n---\n# second\na: b\nd: c\n---\na: b\n"


def test_a_text_with_yaml_in_a_literal_block_is_edited_inside():
    text = "a: 1\nconfig: |\n    x:\n      - b: 2   # two\n\n      - b: 3\nz: 1\n"

    assert done(text, Action.SET, ("config",), 4, inside=("x", 1, "b")) == text.replace("b: 3", "b: 4")
    assert done(text, Action.SET, ("config",), 4, inside=("v",)) == text.replace("z: 1", "    v: 4\nz: 1")
    assert done(text.replace("\n", "\r\n"), Action.SET, ("config",), 4, inside=("x", 0, "b")) == text.replace("b: 2", "b: 4").replace(
        "\n", "\r\n"
    )


@pytest.mark.parametrize(
    "text", ["a: 1\nconfig: 'x: 1'\n", "a: 1\nconfig: >\n  x: 1\n", "a: 1\nconfig: |2\n   x: 1\n", "a: 1\nconfig: &c |\n  x: 1\n"]
)
def test_a_text_in_another_form_is_left(text):
    assert "literal block" in refused(text, Action.SET, ("config",), 2, inside=("x",)) or "anchor" in refused(
        text, Action.SET, ("config",), 2, inside=("x",)
    )


@pytest.mark.parametrize(
    ("text", "path", "reason"),
    [
        ("a: &x b\nc: *x\n", ("a",), "anchor"),
        ("a: &x {b: 1}\nc: *x\n", ("a", "b"), "anchor"),
        ("a: &x {b: 1}\nc: *x\n", ("c", "b"), "value"),
        ("a: &x\n  b: 1\nc:\n  <<: *x\n", ("c", "b"), "value"),
        ("a: &x\n  b: 1\nc:\n  <<: *x\n", ("c", "d"), "merges another"),
        ("a: 1\na: 1\n", ("a",), "already exists, or exists twice"),
        ("a: |\n  b\n", ("a",), "one word on one line"),
        ('a: "b\n  c"\n', ("a",), "one word on one line"),
        ("a: !!str b\n", ("a",), "tag"),
    ],
)
def test_a_value_that_other_places_share_is_left(text, path, reason):
    assert reason in refused(text, Action.SET, path, "new")


@pytest.mark.parametrize("text", ["a: b\n", "- a: 1\n  b: 2\n"])
def test_the_first_key_of_an_item_and_the_last_of_a_document_are_not_removed(text):
    if text.startswith("-"):
        text = f"x:\n  {text}".replace("\n  b", "\n    b")
        assert "shares its line" in refused(text, Action.REMOVE, ("x", 0, "a"))
    else:
        assert "nothing would be left" in refused(text, Action.REMOVE, ("a",))


def test_a_value_that_a_program_added_is_left():
    (about,) = objects("a: {b: 1}\n")
    about.body["a"]["c"] = "added"

    with pytest.raises(NotEditedError):
        edited("a: {b: 1}\n", about, ("a", "c"), Edit(action=Action.SET, value="new"))


def test_of_two_values_that_are_alike_neither_changes():
    about = KubernetesObject(body={"y": ["a"]}, file=FILE, place_at=lambda _: (FILE, 1))

    with pytest.raises(NotEditedError, match="several values are alike"):
        edited("x: {p: [a], q: [a]}\n", about, ("y", 0), Edit(action=Action.SET, value="new"))


def test_an_edit_that_would_read_as_other_values_is_refused():
    assert "other values" in refused("x: {a: b}\n", Action.SET, ("x", "a"), "c, d")


def test_the_longest_beginning_of_a_path_exists():
    (about,) = objects("a: {b: [1]}\n")

    assert [existing(about, path) for path in (("a", "b", 0), ("a", "b", 1), ("a", "c", "d"), ("e",))] == [
        ("a", "b", 0),
        ("a", "b"),
        ("a",),
        (),
    ]


WORDS = st.sampled_from(
    ["a", "b", "c", "nvidia.com/gpu", "x-y", "true", "1", "null", "a: b", "# no", "'", '"', "é", "", "-", "*", "{{", "0x1f", "~"]
)
SCALARS = st.one_of(WORDS, st.integers(-5, 5), st.booleans(), st.none())
KEYS = st.sampled_from(["a", "b", "c", "nvidia.com/gpu", "x-y", "k1"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)), max_leaves=12
)


def paths_of(value, path=()):
    yield path, value
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from paths_of(item, (*path, key))


@st.composite
def texts(draw):
    """A document as somebody may have written it: in block or flow style or both, with comments, blank lines, and either line end."""
    value = draw(st.dictionaries(KEYS, VALUES, min_size=1, max_size=4))
    text = yaml.safe_dump(
        value,
        default_flow_style=draw(st.sampled_from([False, None, True])),
        indent=draw(st.sampled_from([2, 4])),
        width=10_000,
        allow_unicode=True,
        sort_keys=False,
    )
    written = []
    for line in text.splitlines():
        if draw(st.booleans()):
            written.append(draw(st.sampled_from(["# above", "   # above", ""])))
        written.append(line + draw(st.sampled_from(["", "  # beside"])))
    return value, draw(st.sampled_from(["\n", "\r\n"])).join(written) + draw(st.sampled_from(["", "\n"]))


def without_the_empty(value, path):
    """The path that is removed in place of a path: containers with one entry go, too."""
    while len(path) > 1:
        inside = value
        for key in path[:-1]:
            inside = inside[key]
        if len(inside) > 1:
            break
        path = path[:-1]
    return path


def changed_value(value, edit, path):
    value = json.loads(json.dumps(value))
    if edit.action is Action.REMOVE:
        path = without_the_empty(value, path)
    inside = value
    for key in path[:-1]:
        inside = inside.setdefault(key, {}) if isinstance(inside, dict) else inside[key]
    if edit.action is Action.REMOVE:
        del inside[path[-1]]
    elif edit.action is Action.APPEND:
        inside[path[-1]] = [*(inside[path[-1]] or []), *edit.value]
    else:
        inside[path[-1]] = edit.value
    return value


def is_part(part, whole):
    rest = iter(whole)
    return all(line in rest for line in part)


@settings(max_examples=drawn(400), deadline=None)
@given(texts(), st.data())
def test_after_an_edit_only_the_path_has_changed_and_every_other_line_is_as_it_was(document, data):
    value, text = document
    try:
        (about,) = objects(text)
    except (AssertionError, ValueError):
        return
    path, old = data.draw(st.sampled_from([each for each in paths_of(value) if each[0]]))
    action = data.draw(st.sampled_from(list(Action)))
    if action is Action.SET and isinstance(old, dict):
        path = (*path, "new", "deeper")
    if (action is Action.APPEND and not isinstance(old, list)) or (action is Action.SET and isinstance(old, list)):
        return
    if action is Action.QUOTE and not isinstance(old, int):
        return
    edit = Edit(
        action=action,
        value=str(old).lower()
        if action is Action.QUOTE
        else [{"name": "gpu"}]
        if action is Action.APPEND
        else data.draw(st.sampled_from(["nvidia", "1", True, False, 3, "a b"])),
    )
    try:
        new = edited(text, about, path, edit)
    except NotEditedError:
        return

    assert yaml.safe_load(new) == changed_value(value, edit, path)
    before, after = text.split("\n"), new.split("\n")
    if len(before) == len(after):
        assert sum(one != other for one, other in zip(before, after, strict=True)) <= 1
    elif action is Action.REMOVE:
        assert is_part([line.rstrip("\r") for line in after if line.strip()], [line.rstrip("\r") for line in before])
    else:
        start = next(
            index for index in range(len(after)) if index >= len(before) or before[index].rstrip("\r") != after[index].rstrip("\r")
        )
        assert len(before) - start - 1 <= sum(line in before for line in after[start:])


@settings(max_examples=drawn(150), deadline=None)
@given(texts())
def test_most_scalars_can_be_set(document):
    """The property above would hold, too, if every edit were refused."""
    value, text = document
    try:
        (about,) = objects(text)
    except (AssertionError, ValueError):
        return
    edit = Edit(action=Action.SET, value="new")
    for path, old in paths_of(value):
        if isinstance(old, bool) or old == "nvidia.com/gpu":
            assert yaml.safe_load(edited(text, about, path, edit)) == changed_value(value, edit, path)
