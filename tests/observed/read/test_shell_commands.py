"""The commands and here-documents of the shell blocks in a guide."""

import pytest

from constructs_lib.observed.read.markdown.shell_commands import LONGEST, commands


def test_a_command_of_several_lines_and_behind_a_prompt_is_one_command():
    found = list(commands("ls\n$ helm install a b \\\n    --set c=d && kubectl get pods # helm\noutput\n", 10))
    assert [(each.words, each.line) for each in found] == [
        (("helm", "install", "a", "b", "--set", "c=d"), 11),
        (("kubectl", "get", "pods"), 11),
    ]


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("cat <<EOF | kubectl apply -f -", ""),
        ("kubectl apply -f - <<-'EOF'", ""),
        ('cat > gpu.yaml << "EOF"', "gpu.yaml"),
        ("cat <<EOF >values/gpu.yaml", "values/gpu.yaml"),
        ("sudo tee -a gpu.yaml <<\\EOF", "gpu.yaml"),
    ],
)
def test_a_here_document_has_its_text_its_line_and_its_file(line, name):
    document = next(iter(commands(f"{line}\na: 1\n  EOF\nhelm ls\n", 5))).document
    assert (document.text, document.line, document.name) == ("a: 1\n", 6, name)
    assert list(commands(f"{line}\na: 1\n  EOF\nhelm ls\n", 5))[-1].words == ("helm", "ls")


@pytest.mark.parametrize("before", ["KUBECONFIG=./k", "sudo", "sudo -E", "A=1 B='x y'", "env A=1", "sudo A=1"])
def test_a_command_stands_behind_its_variables_and_sudo(before):
    assert [each.words for each in commands(f"{before} helm ls\n{before} kubectl get ns\n", 1)] == [
        ("helm", "ls"),
        ("kubectl", "get", "ns"),
    ]


def test_the_words_of_a_very_long_line_are_not_read_and_the_line_is_named():
    skipped = []
    text = f"helm install a b {'x' * LONGEST}\nhelm ls\ncat <<EOF | kubectl apply -f - {'x' * LONGEST}\na: 1\nEOF\n"
    found = list(commands(text, 5, lambda reason, line: skipped.append((reason, line))))
    assert [(each.words, each.document and each.document.text) for each in found] == [(("helm", "ls"), None), ((":",), "a: 1\n")]
    assert skipped == [(f"a command of more than {LONGEST} characters", line) for line in (5, 7)]


def test_a_here_string_is_no_here_document():
    assert [each.document for each in commands("helm install a b -f - <<< EOF\na: 1\nEOF\n", 1)] == [None]


def test_what_the_shell_puts_into_a_here_document_is_a_placeholder():
    text = "a: $NAME\nb: $(id -u)\nc: `id`\nd: \\$PATH\ne: ${X}\n"
    (found,) = commands(f"cat <<EOF\n{text}EOF\n", 1)
    assert found.document.text == "a: ${NAME}\nb: ${command}\nc: ${command}\nd: $PATH\ne: ${X}\n"
    (found,) = commands(f"cat <<'EOF'\n{text}EOF\n", 1)
    assert found.document.text == text


def test_a_here_document_without_an_end_goes_to_the_end_of_the_block():
    (found,) = commands("cat <<EOF\na: 1", 1)
    assert found.document.text == "a: 1\n"


def test_a_line_with_half_a_quotation_is_left_out():
    assert [each.words for each in commands("helm install 'a b\nhelm install c d\n", 1)] == [("helm", "install", "c", "d")]
