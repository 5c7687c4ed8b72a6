"""A printed command has the words of ours and quoted ones, whatever a stranger's text holds."""

import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.arguments.commands import Command, command, comment


@given(st.text())
def test_a_value_is_one_word_of_the_shell_or_a_placeholder(value: str) -> None:
    words = shlex.split(str(command("kubectl delete pod {name} --namespace={space}", name=value, space=value)))
    assert words[:3] == ["kubectl", "delete", "pod"]
    assert words[3] in (value, "NAME")
    assert words[4] in (f"--namespace={value}", "--namespace=SPACE")
    assert len(words) == 5


@pytest.mark.parametrize("value", ["--kubeconfig=x", "-A", "a\nreboot", "\x1b[2J", ""])
def test_a_value_that_is_no_name_is_not_printed(value: str) -> None:
    assert str(command("kubectl get quota {name}", name=value)) == "kubectl get quota NAME"


def test_a_list_gives_its_words_and_may_have_flags() -> None:
    assert str(command("talos-gpu patch {*flags}", flags=["--label", "a=b c", "--talos", "1.14"])) == (
        "talos-gpu patch --label 'a=b c' --talos 1.14"
    )


def test_a_jsonpath_of_ours_keeps_its_braces() -> None:
    path = "{range .items[*]}{.metadata.name}{end}"
    assert str(command("kubectl get pods -o jsonpath={path}", path=path)) == f"kubectl get pods -o jsonpath='{path}'"


def test_a_field_in_quotes_is_refused() -> None:
    with pytest.raises(ValueError, match="quoted twice"):
        command("echo '{name}'", name="x")


def test_a_value_without_a_field_is_refused() -> None:
    with pytest.raises(ValueError, match="is named other"):
        command("echo {name}", name="x", other="y")


def test_commands_are_put_together() -> None:
    first, second = Command("a"), Command("b")
    assert str(first.then(second)) == "a &&\nb"
    assert str(first.followed_by(second)) == "a\nb"
    assert str(first.explained("why\nrm -r x")) == "a   # why\\nrm -r x"
    assert str(first.explained("why").then(second.explained("so"))) == "a &&   # why\nb   # so"
    assert str(comment("a\nb")) == "# a\\nb"
