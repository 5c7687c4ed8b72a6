"""The verbs that read a stranger's cluster file run no Helm, whatever delivery the file names."""

import pytest
from command_line import run  # noqa: F401  # a fixture

OPERATOR = "charts: {gpu: {namespace: gpu, objects: {operator: {NvidiaGpuOperator: {%s}}}}}\n"
FORMS = {
    "explicit": OPERATOR % 'chart: "oci://evil.example/x", delivery: {HelmTemplate: {}}',
    "default": OPERATOR % "",
    "gitops none": "stack: operator\ngitops: none\n",
    "stack": "stack: {discovery: true, delivery: {HelmTemplate: {}}}\n",
}
VERBS = {
    "check": ["check", "cluster.yaml"],
    "diff": ["diff", "cluster.yaml", "cluster.yaml"],
    "images": ["images", "cluster.yaml"],
    "patch": ["patch", "cluster.yaml"],
    "upgrade": ["upgrade", "cluster.yaml", "--to", "1.14.6"],
}
PATH_OF_A_CHART = OPERATOR % "chart: ./evil, delivery: {HelmTemplate: {}}"
REFUSED = (
    "cluster.yaml:4: charts.gpu.objects.operator: 'chart' must be the name of a chart in 'repository' where the file is only read, and no Helm runs "
    "(got './evil'); `talos-gpu synth` renders the chart; give the folder that it writes\n"
)


@pytest.fixture
def helm(tmp_path, monkeypatch):
    """A Helm that says that it ran, and a function that writes the cluster file."""
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "bin" / "helm"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")

    def write(form):
        nodes = "talos: 1.13.9\nnodes: {gpu-1: {card: RTX 4090, address: 192.168.1.21, driver_track: production}}\n"
        (tmp_path / "cluster.yaml").write_text(f"{nodes}workloads: {{ollama: {{recipe: Ollama}}}}\n{form}")
        return tmp_path / "ran"

    return write


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("verb", VERBS)
def test_a_chart_of_helm_is_read_from_the_file(run, helm, verb, form):  # noqa: F811
    ran = helm(FORMS[form])

    assert (run(*VERBS[verb])[0], ran.exists()) == (0, False)


@pytest.mark.parametrize("verb", ["check", "diff", "images"])
def test_a_chart_that_only_helm_finds_is_refused(run, helm, verb):  # noqa: F811
    ran = helm(PATH_OF_A_CHART)

    assert run(*VERBS[verb]) == (2, "", f"talos-gpu {verb}: {REFUSED}")
    assert not ran.exists()


def test_the_version_of_the_chart_is_compared(run, helm, tmp_path):  # noqa: F811
    helm(OPERATOR % "version: v26.3.1")
    old = tmp_path / "old.yaml"
    (tmp_path / "cluster.yaml").rename(old)
    helm(OPERATOR % "version: v26.7.0")

    assert ": v26.3.1 -> v26.7.0\n" in run("diff", "old.yaml", "cluster.yaml")[1]
