"""Markdown pages: the content of their code blocks, with the lines of the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.model import is_unknown
from constructs_lib.observed.nodes.pod_security import enforced_level
from constructs_lib.observed.read.markdown import blocks
from constructs_lib.observed.read.repository import read

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: smi}\nspec:\n  containers:\n  - name: smi\n    resources: {limits: {nvidia.com/gpu: 0.5}}\n"
MODULES = "machine:\n  kernel:\n    modules: [{name: nvidia}]\n"
NEITHER = "neither a manifest nor a document of Talos; for chart values, name the chart (--chart gpu-operator@v26.7.0)"


@pytest.fixture
def page(tmp_path, monkeypatch):
    """The inputs in a page with this text."""
    monkeypatch.chdir(tmp_path)

    def make(text, **settings):
        (tmp_path / "guide.md").write_text(text)
        return read(["guide.md"], **settings)

    return make


def block(text, language="yaml"):
    return f"\n```{language}\n{text}```\n"


def skipped(inputs):
    return [(each.line, each.reason) for each in inputs.skipped]


@pytest.mark.parametrize("language", ["yaml", "yml", "YAML", "", "text"])
def test_manifests_and_documents_of_talos_have_the_lines_of_the_page(page, language):
    inputs = page(f"# Guide\n{block(POD, language)}{block(MODULES, language)}", talos="1.13")
    assert [(each.label, each.line_of(("spec",))) for each in inputs.objects] == [("Pod smi", 7)]
    assert [(each.name, each.kernel_modules) for each in inputs.node_configs] == [("guide.md", ("nvidia",))]
    assert [(each.file, each.line) for each in run_rules(inputs) if each.rule == "TG045"] == [("guide.md", 10)]


def test_other_languages_and_plain_output_are_left_out(page):
    inputs = page(block(POD, "go") + block(POD, "diff") + block("NAME: READY: [\n", "") + block("a: 1\n", "text"))
    assert (inputs.objects, inputs.skipped, inputs.empty) == ((), (), ("guide.md",))


def test_a_broken_block_is_named_and_the_others_are_read(page):
    inputs = page(block(MODULES) + block("a: 1\n b: [\n") + block(POD))
    assert [each.label for each in inputs.objects] == ["Pod smi"]
    assert len(inputs.node_configs) == 1
    assert skipped(inputs) == [(10, "not YAML: mapping values are not allowed in this context")]


def test_a_block_that_is_neither_is_named_and_may_be_values(page):
    text = block("driver: {enabled: true}\n")
    assert skipped(page(text)) == [(3, NEITHER)]
    (release,) = page(text, chart="gpu-operator").releases
    assert release.value("driver", "enabled") is True


@pytest.mark.parametrize("language", ["bash", "console", ""])
def test_here_documents_are_read(page, language):
    inputs = page(block(f"$ cat <<EOF | kubectl apply -f -\n{POD}EOF\n", language))
    assert [(each.label, each.line_of(())) for each in inputs.objects] == [("Pod smi", 4)]


def test_a_command_of_helm_may_install_its_chart(page):
    command = "helm repo add nvidia https://helm.ngc.nvidia.com/nvidia\nhelm install gpu nvidia/gpu-operator \\\n  -n gpu-operator -f gpu.yaml\nhelm ls\n"
    inputs = page(block(command, "sh") + block("helm template x oci://ghcr.io/a/dcgm-exporter:1 --set a=b\n", ""))
    assert [(set(each.charts), each.line_of(())) for each in inputs.installers] == [({"gpu-operator"}, 4), ({"dcgm-exporter"}, 10)]
    assert skipped(inputs) == [
        (4, "guide.md may install gpu-operator: no values are read from it"),
        (10, "guide.md may install dcgm-exporter: no values are read from it"),
    ]


def test_of_two_alternatives_with_one_name_the_first_is_read(page):
    other = POD.replace("smi}", "smi, namespace: other}")
    inputs = page(block(POD) + block(POD) + block(other))
    assert [each.label for each in inputs.objects] == ["Pod smi", "Pod other/smi"]
    assert skipped(inputs) == [(13, "the page has another Pod smi in line 3, and only the first one is checked")]


def test_a_comment_in_a_block_silences_a_rule(page):
    text = POD.replace("    resources", "    # talos-gpu: ignore TG045 shows what the API server refuses\n    resources")
    reasons = [each.ignored for each in run_rules(page(block(text))) if each.rule == "TG045"]
    assert reasons == ["shows what the API server refuses"]


def test_a_page_is_read_by_its_name_only(tmp_path):
    (tmp_path / "guide.md").write_text(block(POD))
    (tmp_path / "Guide.MDX").write_text(block(POD))
    assert read([tmp_path]).objects == ()
    assert len(read([tmp_path / "guide.md", tmp_path / "Guide.MDX"]).objects) == 2


ENFORCE = "pod-security.kubernetes.io/enforce"
INSTALL = "helm install gpu-operator nvidia/gpu-operator -n gpu-operator --version v26.7.0\n"


@pytest.mark.parametrize(
    ("command", "level"),
    [
        (f"$ kubectl label ns gpu-operator {ENFORCE}=privileged", "privileged"),
        (f"kubectl label --overwrite namespace/gpu-operator {ENFORCE}=baseline", "baseline"),
        (f"kubectl --context home label namespaces other gpu-operator {ENFORCE}=privileged a=b", "privileged"),
        (f"kubectl create ns gpu-operator && kubectl label ns gpu-operator {ENFORCE}=privileged", "privileged"),
        (f"kubectl label node gpu-operator {ENFORCE}=privileged", None),
        (f"kubectl label ns gpu-operator {ENFORCE}-", None),
        (f"kubectl label ns other {ENFORCE}=privileged", None),
        ("kubectl label", None),
    ],
)
def test_a_command_labels_a_namespace(page, command, level):
    inputs = page(block(f"{INSTALL}{command}\n", "sh"))
    assert enforced_level(inputs, "gpu-operator").level == level
    assert [each.line_of(("metadata", "labels", ENFORCE)) for each in inputs.objects if each.name == "gpu-operator" and level] == [
        4
    ] * bool(level)


def test_a_label_whose_namespace_or_value_a_shell_fills_in_is_not_known(page):
    for command in (f"kubectl label ns $NAMESPACE {ENFORCE}=privileged", f"kubectl label ns gpu-operator {ENFORCE}=$LEVEL"):
        assert is_unknown(enforced_level(page(block(f"{INSTALL}{command}\n", "sh")), "gpu-operator").level)


def test_a_label_and_the_namespace_of_another_block_are_read(page):
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: gpu-operator}\n"
    inputs = page(block(f"kubectl label ns gpu-operator {ENFORCE}=privileged\n", "sh") + block(namespace))
    assert (enforced_level(inputs, "gpu-operator").level, inputs.skipped) == ("privileged", ())


def texts(text):
    return [each.text for each in blocks(text)]


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("````yaml\n```\na: 1\n```\n````", "```\na: 1\n```\n"),
        ("~~~yaml\n```\na: 1\n~~~", "```\na: 1\n"),
        ("```yaml\na: |\n    ```\n```", "a: |\n    ```\n"),
        ("```yaml\na: 1\n``` yaml\n```", "a: 1\n``` yaml\n"),
        ("```yaml\na: 1\n`````", "a: 1\n"),
    ],
    ids=["shorter", "other", "indented", "with words", "longer"],
)
def test_only_an_equal_or_longer_fence_of_the_same_marks_ends_a_block(inner, text):
    assert texts(f"{inner}\nafter\n") == [text]


@pytest.mark.parametrize(
    "page",
    [
        "1. First\n\n   ```yaml\n   a:\n     b: 1\n   ```\n",
        "- ```yaml\n  a:\n    b: 1\n  ```\n",
        "10. > ```yaml\n    > a:\n    >   b: 1\n    > ```\n",
        "> ```yaml\n>a:\n>   b: 1\n> ```\n",
        "\t```yaml\n\ta:\n\t  b: 1\n\t```\n",
        "```yaml\r\na:\r\n  b: 1\r\n```\r\n",
    ],
    ids=["list", "item", "quotation in a list", "quotation", "tab", "CRLF"],
)
def test_a_block_loses_what_stands_around_it(page):
    assert texts(page) == ["a:\n  b: 1\n"]


def test_a_block_ends_with_its_quotation_and_a_new_one_may_begin_there():
    assert texts("> ```yaml\n> a: 1\n```yaml\nb: 2\n```\n") == ["a: 1\n", "b: 2\n"]


def test_a_block_without_an_end_goes_to_the_end_of_the_page():
    assert texts("```yaml\na: 1\nb: 2") == ["a: 1\nb: 2\n"]


def test_a_block_in_an_html_comment_is_none():
    assert texts("<!--\n```yaml\na: 1\n```\n-->\n<!-- note -->\n```yaml\nb: 2\n```\n") == ["b: 2\n"]


def test_code_in_a_line_is_no_block():
    assert texts("```a``` and ```b\nc\n") == []


@given(st.text(alphabet="`~> \t-1.\na:\r<!", max_size=200))
def test_every_text_is_a_page_and_every_block_lies_within(text):
    for each in blocks(text):
        assert 1 < each.line <= text.count("\n") + 2


def test_what_the_shell_puts_into_a_here_document_is_a_placeholder(page):
    text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  a: $NAME\n  b: $(id -u)\n  c: \\$PATH\n"
    spec = page(block(f"cat <<EOF\n{text}EOF\n", "sh")).objects[0].at("spec")
    assert [is_unknown(spec["a"]), is_unknown(spec["b"]), spec["c"]] == [True, True, "$PATH"]
    assert page(block(f"cat <<'EOF' | kubectl apply -f -\n{text}EOF\n", "sh")).objects[0].at("spec", "a") == "$NAME"
