"""The messages about a fleet: one that several clusters have in common is printed once."""

import pytest
from command_line import run  # noqa: F401  # a fixture

FILE = """\
nodes: {gpu: {talos: 1.14.0}}
charts:
  gpu: {namespace: kube-system, objects: {device-plugin: {StandaloneDevicePlugin: {}}, runtime-class: {NvidiaRuntimeClass: {}}}}
  ai:
    namespace: ai
    create_namespace: true
    objects:
      ollama: {Ollama: {}}
clusters:
"""
WRONG = FILE.replace("{Ollama: {}}", "{Ollama: {keep_aliv: 24h}}")
CARD = FILE.replace("{talos: 1.14.0}", "{talos: 1.14.0, card: Rivatwo}")
SENTENCE = (
    "talos-gpu synth: fleet.yaml:8: charts.ai.objects.ollama: 'keep_aliv' must be a key of Ollama (got keep_aliv: '24h'); "
    "did you mean 'keep_alive'?"
)


@pytest.fixture
def messages(run, tmp_path, monkeypatch):  # noqa: F811
    """The status and the lines about a file of this text with the clusters c1, c2, …; each may have own values."""
    monkeypatch.chdir(tmp_path)

    def call(text, *own, flags=()):
        (tmp_path / "fleet.yaml").write_text(text + "".join(f"  c{number}: {each}\n" for number, each in enumerate(own, 1)))
        status, _, lines = run("synth", "fleet.yaml", *flags)
        return status, lines.splitlines()

    return call


@pytest.mark.parametrize(
    ("number", "names"),
    [(2, "2 clusters: c1, c2"), (3, "3 clusters: c1, c2, c3"), (4, "4 clusters: c1, c2, c3, …"), (1001, "1,001 clusters: c1, c2, c3, …")],
)
def test_an_error_of_the_common_part_is_printed_once(messages, number, names):
    assert messages(WRONG, *["{}"] * number) == (2, [f"{SENTENCE} (in {names})"])


def test_several_processes_have_the_same_messages(messages):
    assert messages(WRONG, "{}", "{}", flags=("--jobs", "2")) == (2, [f"{SENTENCE} (in 2 clusters: c1, c2)"])


def test_an_error_of_one_cluster_keeps_its_name_and_its_place_in_the_order(messages):
    own = "{charts: {ai: {objects: {ollama: {Ollama: {parallel: -1}}}}}}"
    status, lines = messages(FILE.replace("{Ollama: {}}", "{Ollama: {parallel: 0}}"), "{}", own, "{}")
    sentence = "charts.ai.objects.ollama: 'parallel' must be a whole number of at least 1"

    assert status == 2
    assert lines == [
        f"talos-gpu synth: fleet.yaml:8: {sentence} (got 0) (in 2 clusters: c1, c3)",
        f"talos-gpu synth: fleet.yaml:11: [c2] {sentence} (got -1)",
    ]


def test_a_warning_of_the_common_part_is_printed_once(messages):
    status, lines = messages(CARD, "{}", "{nodes: {gpu: {card: RTX 4090}}}", "{}", "{}", "{}")

    assert status == 0
    (line,) = lines
    assert line.startswith("talos-gpu synth: warning: fleet.yaml:1: 'product' 'Rivatwo' is not known")
    assert line.endswith(" (in 4 clusters: c1, c3, c4, …)")


def test_the_errors_of_the_rules_are_printed_once(messages):
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: a, resources: {limits: {nvidia.com/gpu: 0.5}}}]}}"
    status, lines = messages(FILE.replace("clusters:", f"      half: {{Object: {pod}}}\nclusters:"), "{}", "{}")

    assert status == 1
    (line,) = (each for each in lines if "TG045" in each)
    assert line.endswith(" (in 2 clusters: c1, c2)")


@pytest.mark.parametrize("flags", [("--cluster", "c2"), ("--cluster", "c2", "--print")])
def test_one_cluster_has_the_message_with_its_name(messages, flags):
    assert messages(WRONG, "{}", "{}", flags=flags) == (2, [SENTENCE.replace("8: ", "8: [c2] ")])
