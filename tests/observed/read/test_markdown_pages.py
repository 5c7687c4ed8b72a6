"""Markdown pages: the content of their code blocks, with the lines of the page."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.model import is_unknown
from constructs_lib.observed.nodes.pod_security import enforced_level
from constructs_lib.observed.read import growth
from constructs_lib.observed.read.markdown.shell_commands import LONGEST
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


def test_a_helm_command_is_a_release_with_the_values_that_the_page_shows(page):
    values = "Write `gpu.yaml`:\n" + block("driver:\n  enabled: true\n")
    command = "helm install gpu nvidia/gpu-operator --version v26.7.0 \\\n  -n gpu-operator -f gpu.yaml --set toolkit.enabled=true\n"
    inputs = page(values + block(command, "sh"))
    (release,) = inputs.releases
    assert release.label == "gpu-operator v26.7.0 (gpu-operator/gpu)"
    assert release.values == {"driver": {"enabled": True}, "toolkit": {"enabled": True}}
    assert [release.line_of(path) for path in ((), ("driver", "enabled"), ("toolkit", "enabled"))] == [9, 5, 9]
    assert inputs.skipped == ()


def test_a_helm_command_in_a_block_without_a_language_is_read(page):
    assert [each.chart for each in page(block("helm install gpu nvidia/gpu-operator\n", "")).releases] == ["gpu-operator"]


def test_values_may_be_in_a_here_document(page):
    inputs = page(block("cat <<'EOF' > gpu.yaml\na: 1\nEOF\nhelm install gpu gpu-operator -f gpu.yaml -f - <<EOF\nb: 2\nEOF\n", "sh"))
    (release,) = inputs.releases
    assert (release.values, release.complete) == ({"a": 1, "b": 2}, True)
    assert [release.line_of(path) for path in (("a",), ("b",))] == [4, 7]


def test_values_that_the_page_does_not_show_are_named(page):
    inputs = page(block("helm install gpu gpu-operator -f gpu.yaml\n", "sh"))
    assert [each.complete for each in inputs.releases] == [False]
    assert skipped(inputs) == [(3, "no block of the page is named gpu.yaml, so the values in this file are not known")]


def test_the_parts_of_a_page_that_are_not_read_are_named(page):
    assert skipped(page(f"\n```sh\nhelm install a {'b' * LONGEST}\n```\n<!--\n")) == [
        (3, f"a command of more than {LONGEST} characters"),
        (5, "an HTML comment without an end, so the rest of the page is not read"),
    ]


@pytest.mark.parametrize("values", ["gpu.yaml", "-"])
def test_values_of_many_commands_have_a_limit(page, monkeypatch, values):
    text = "driver: {enabled: false}\n"
    monkeypatch.setattr(growth, "SHOWN_AGAIN", growth.SHOWN_AGAIN._replace(most=2 * len(text)))
    flags = f"-f {values} " * (3 if values == "-" else 1)
    installs = "".join(f"helm install r{each} gpu-operator {flags}\n" for each in range(5))
    if values == "-":
        installs = "".join(f"helm install r{each} gpu-operator {flags} <<EOF\n{text}EOF\n" for each in range(2))
    inputs = page("`gpu.yaml`:\n" + block(text) + block(installs, "sh"))
    assert [each.complete for each in inputs.releases] == ([True, False] if values == "-" else [True, True, True, False, False])
    reason = f"more than {2 * len(text)} characters of values that several Helm commands of a page share in all files together"
    assert {each.partition(", and")[0] for _, each in skipped(inputs) if "more than" in each} == {reason}


def test_the_labels_of_a_command_are_one_value_of_all_its_namespaces(page):
    first, second = page(block("kubectl label ns a b team=ml\n", "sh")).objects
    assert first.body["metadata"]["labels"] is second.body["metadata"]["labels"]


def test_of_two_alternatives_with_one_name_the_first_is_read(page):
    install = "helm install gpu gpu-operator --set {}=true\n"
    other = POD.replace("smi}", "smi, namespace: other}")
    inputs = page(block(POD) + block(POD) + block(other) + block(install.format("a"), "sh") + block(install.format("b"), "sh"))
    assert [each.label for each in inputs.objects] == ["Pod smi", "Pod other/smi"]
    assert [each.values for each in inputs.releases] == [{"a": True}]
    first = ", and only the first one is checked"
    assert sorted(skipped(inputs)) == [
        (13, f"the page has another Pod smi in line 3{first}"),
        (37, f"the page has another release gpu in line 33{first}"),
    ]


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
