import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.observed.model import Answer, Unknown
from constructs_lib.observed.read.kustomize.patches import Pattern
from constructs_lib.observed.read.repository import read

TOKENS = ["a", "b", "(", "(?:", ")", "|", "*", "+", "?", ".", "[ab]", "[^a]", r"\.", r"\w", "{2}", "{0,2}", "{1,}", "^", "$", "-"]


@given(st.lists(st.sampled_from(TOKENS), max_size=9).map("".join), st.text("ab.-", max_size=6))
def test_a_supported_pattern_matches_as_a_regular_expression(written, text):
    answer = Pattern(written).matches(text)
    if answer is not Answer.UNKNOWN:
        assert answer.is_yes == bool(re.fullmatch(f"(?:{written})", text, re.ASCII))


@pytest.mark.parametrize(
    ("written", "text", "matches"),
    [
        ("gpu-.*", "gpu-app", True),
        ("^gpu-app$", "gpu-app", True),
        ("^a$|^b$", "b", True),
        ("gpu-(a|b).*|x", "gpu-b-c", True),
        (r"^nvidia\.com/.+$", "nvidia.com/", False),
        (r"a\.b", "axb", False),
        ("a.b", "a\nb", False),
        ("", "", True),
        ("a.*b.*b", "abab", True),
    ],
)
def test_common_patterns_are_supported(written, text, matches):
    assert Pattern(written).matches(text) is (Answer.YES if matches else Answer.NO)


@pytest.mark.parametrize(
    "written",
    [
        "(?i)a", r"\bapp", "(", ")", "*", "a**", "[ab]", "a?", "a{2}", "(a|b)+", "(a.)*", ".(a|*)", ".*?", ".*+", "a^b", "a$b", "\\",
        "(a|b)" * 28, "a" * 301,
    ],
)  # fmt: skip
def test_any_other_pattern_is_unknown(written):
    pattern = Pattern(written)
    assert not pattern.is_supported
    assert pattern.matches("a") is Answer.UNKNOWN


def test_a_match_takes_time_in_proportion_to_the_text():
    """A match that goes back would take the text's length to the power of the stars."""
    for text in ("a" * 50_000, "ab" * 25_000):
        assert Pattern("a.*" * 90 + "c").matches(text) is Answer.NO


DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, labels: {a: b}}
spec: {replicas: 1, template: {spec: {containers: [{name: a, image: "nvidia/cuda:12"}]}}}
"""


@pytest.fixture
def built(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def build(kustomization):
        (tmp_path / "app.yaml").write_text(DEPLOYMENT)
        (tmp_path / "kustomization.yaml").write_text(f"resources: [app.yaml]\n{kustomization}")
        return read(["."])

    return build


@pytest.mark.parametrize(
    "patch",
    [
        "[{op: replace, path: /spec/replicas, value: 2}]",
        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: app}, spec: {replicas: 2}}",
    ],
)
def test_a_patch_may_apply_to_all_that_an_unsupported_pattern_may_match(built, patch):
    inputs = built(f"patches: [{{target: {{kind: Deployment, name: '(?i)App'}}, patch: '{patch}'}}]")
    [deployment] = inputs.objects
    assert (deployment.kind, deployment.name) == ("Deployment", "app")
    assert isinstance(deployment.at("spec", "replicas"), Unknown)
    assert isinstance(deployment.at("metadata", "labels"), Unknown)
    assert [each.reason for each in inputs.skipped] == [
        "the patch target's name '(?i)App' is no supported pattern, so the patch may apply to any object"
    ]


def test_a_patch_applies_to_nothing_that_another_part_of_its_target_excludes(built):
    [deployment] = built("patches: [{target: {kind: Pod, name: '(?i)App'}, patch: '[{op: remove, path: /spec/replicas}]'}]").objects
    assert deployment.at("spec", "replicas") == 1


@pytest.mark.parametrize(("name", "image"), [("nvidia/.*", "x:12"), ("nvidia/c(u|uu)da", "x:12"), ("cuda", "nvidia/cuda:12")])
def test_the_name_of_an_image_is_a_pattern(built, name, image):
    [deployment] = built(f"images: [{{name: '{name}', newName: x}}]").objects
    assert deployment.at("spec", "template", "spec", "containers", 0, "image") == image


def test_an_image_with_an_unsupported_name_pattern_is_unknown(built):
    [deployment] = built("images: [{name: '(?i)cuda', newName: x}]").objects
    assert isinstance(deployment.at("spec", "template", "spec", "containers", 0, "image"), Unknown)
