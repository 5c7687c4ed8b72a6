"""Errors of one cluster of several: every command names the line in that cluster."""

import pytest

FLEET = """\
talos: 1.14.6
nodes:
  gpu-1: {card: RTX 4090, memory: 24Gi}
workloads: {chat: {recipe: Ollama}}
clusters:
  berlin: {}
  paris:
    nodes:
      gpu-1:
        memory: 8Q
  rome:
    workloads:
      chat: {recipe: Olama}
"""
PARIS = "fleet.yaml:10: [paris] 'nodes.gpu-1.memory' must be a Kubernetes quantity above zero such as '16Gi'"
ROME = "fleet.yaml:13: [rome] 'recipe' must be the name of a recipe, such as Ollama; did you mean 'Ollama'?"


@pytest.fixture(autouse=True)
def fleet(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fleet.yaml").write_text(FLEET)
    (tmp_path / "node.yaml").write_text("apiVersion: v1\nkind: Node\nmetadata: {name: gpu-1}\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["schematic", "--class", "paris/gpu-1"], PARIS),
        (["patch", "--class", "paris/gpu-1"], PARIS),
        (["page", "--class", "paris"], f"{PARIS} (got '8Q')"),
        (["check", "--class", "paris"], f"{PARIS} (got '8Q')"),
        (["page", "node.yaml", "--class", "paris"], PARIS),
        (["verify", "--cluster", "paris"], f"{PARIS} (got '8Q')"),
        (["doctor", "node.yaml", "--cluster", "paris"], f"{PARIS} (got '8Q')"),
        (["page", "--class", "rome"], ROME),
        (["verify", "--cluster", "rome"], ROME),
        (["doctor", "node.yaml", "--cluster", "rome"], ROME),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else "",
)
def test_an_error_names_the_line_in_its_cluster(words, message, refusal):
    verb, *flags = words

    assert refusal(verb, "fleet.yaml", *flags) == message


def test_the_flag_of_another_command_is_answered_with_the_one_that_names_a_cluster_here(refusal):
    assert refusal("page", "fleet.yaml", "--cluster", "rome") == (
        "--cluster must be a flag of talos-gpu page (got '--cluster rome'); --class names a cluster of the file in this command"
    )
    for verb in ("synth", "verify", "doctor"):
        assert refusal(verb, "fleet.yaml", "--class", "rome") == (
            f"--class must be a flag of talos-gpu {verb} (got '--class rome'); --cluster names a cluster of the file in this command"
        )


def test_verify_needs_the_name_of_a_cluster_and_of_no_class(refusal):
    assert refusal("verify", "fleet.yaml") == "--cluster must be one of the clusters of fleet.yaml, 'berlin', 'paris', 'rome' (got nothing)"
    assert refusal("verify", "fleet.yaml", "--cluster", "berlin/gpu-1") == (
        "--cluster must be the name of a cluster of the file (got 'berlin/gpu-1'); did you mean 'berlin'?"
    )
