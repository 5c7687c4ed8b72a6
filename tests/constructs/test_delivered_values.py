"""The three deliveries of a chart give Helm the same values: real Helm renders the same bytes of each.

The manifests of Flux and Argo CD go the way that they go in a cluster: cdk8s writes them, kubectl reads them, Helm gets the values. A chart's objects
follow from its effective values, the release's name and its namespace alone. So a chart that prints these, with upstream's own values.yaml, shows all that
a chart can see. With CHARTS, a folder of unpacked charts named `<chart>-<version>`, upstream's charts themselves are rendered as well.
"""

import json
import os
import subprocess
from pathlib import Path

import pytest
import yaml
from cdk8s import App, Chart

from conftest import needs, reference
from constructs_lib import ArgoCd, Dra, DraDriver, Flux, GpuNodes, HelmTemplate, NodeFeatureDiscovery, NvidiaGpuOperator, Taint, TimeSlicing

# Strings that a reader of YAML may take for another value.
# The keys are in one order to everybody: Go's writer of YAML has none for keys that begin as numbers do.
_TEXTS = (
    "yes",
    "1e3",
    "12e5",
    "0x1f",
    "012",
    "1.0",
    "~",
    "null",
    "2026-11-22",
    "12:30:00",
    "a: b",
    " #x ",
    "=",
    "é",
    "a\nb\n",
    "\t",
    "\x00",
    "\x1b",
    "\ufeff",
    "\U0001f600",
    "",
)
ODD = {f"key-{index:02}": text for index, text in enumerate(_TEXTS)} | {
    "numbers": [0, 1, -1, 2**53, 0.5, 1e-7, 1e21],
    "empty": [{}, [], ""],
    "flags": [True, False],
}
LEGACY = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=5))
CDI = GpuNodes(talos_version="1.14")
CLASSES = [
    GpuNodes(talos_version="1.14", name="rtx", sharing=TimeSlicing(replicas=4), taints=[Taint("yes", "012")]),
    GpuNodes(talos_version="1.14", name="h100", mig_strategy="mixed"),
]
CLAIMED = GpuNodes(talos_version="1.14", dra=Dra(share="consumable", shares="memory"), labels={"gpu": "true"})
OPERATOR, NFD, DRA = "gpu-operator", "node-feature-discovery", "dra-driver-nvidia-gpu"

# The construct, its arguments, and the version of the chart as the file with upstream's values names it.
CASES = {
    "operator before 1.13": (NvidiaGpuOperator, {"nodes": LEGACY, "version": "v25.10.1"}, f"{OPERATOR}-v25.10.1"),
    "operator of the year's spring": (NvidiaGpuOperator, {"nodes": CDI, "version": "v26.3.3", "nfd": False}, f"{OPERATOR}-v26.3.3"),
    "operator of two classes": (NvidiaGpuOperator, {"nodes": CLASSES, "namespace": "nvidia", "release_name": "gpu"}, f"{OPERATOR}-v26.7.0"),
    "operator of claims": (NvidiaGpuOperator, {"nodes": CLAIMED}, f"{OPERATOR}-v26.7.0"),
    "operator with values": (
        NvidiaGpuOperator,
        {"nodes": CDI, "values": {"operator": {"annotations": ODD}}},
        f"{OPERATOR}-v26.7.0",
    ),
    "discovery": (NodeFeatureDiscovery, {"nodes": LEGACY, "gpu_present_rule": False}, f"{NFD}-v0.19.0"),
    "discovery with values": (
        NodeFeatureDiscovery,
        {"nodes": CLASSES, "gpu_present_rule": False, "values": {"worker": {"config": {"core": ODD}}}},
        f"{NFD}-v0.19.0",
    ),
    "driver": (DraDriver, {"nodes": CLAIMED, "namespace": "dra"}, f"{DRA}-0.5.0-dev"),
    "driver of several": (
        DraDriver,
        {
            "nodes": GpuNodes(talos_version="1.13", dra=Dra(share="time-slicing")),
            "values": {"kubeletPlugin": {"podAnnotations": {"a": "yes"}}},
        },
        f"{DRA}-0.5.0-dev",
    ),
}
CHARTS = os.environ.get("CHARTS", "")
each_case = pytest.mark.parametrize("case", CASES)
each_chart = pytest.mark.parametrize("real", [False, *([True] if CHARTS else [])], ids=lambda real: "upstream" if real else "all values")


def chart_of(folder, name, *, real):
    """Upstream's chart, or a chart with upstream's values that prints all that a template can see."""
    if real:
        return Path(CHARTS) / name
    values = reference(f"values/{name}.yaml").read_text(encoding="utf-8")
    for path, text in {
        "Chart.yaml": "{apiVersion: v2, name: all-values, version: 1.0.0}",
        "values.yaml": values,
        "templates/values.yaml": (
            "{apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {name: all}, data: {{ .Values | toJson | toJson }}, "
            "release: {{ .Release.Name }}, namespace: {{ .Release.Namespace }}}"
        ),
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def rendered(chart, name, namespace, values):
    """What real Helm renders of a chart, with the flags of HelmTemplate."""
    command = [needs("HELM", "the path of a Helm"), "template", name, str(chart), "--namespace", namespace, "--include-crds", "--no-hooks"]
    done = subprocess.run([*command, "--values", "-"], input=values, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def delivered(folder, construct, arguments, delivery, kind):
    """The object of one kind that a delivery writes, as kubectl reads it."""
    app = App(outdir=str(folder))
    construct(Chart(app, "gpu"), "it", **arguments, delivery=delivery)
    app.synth()
    kubectl = [needs("KUBECTL", "the path of a kubectl"), "annotate", "--local", "--filename", str(folder), "read=true", "--output", "json"]
    read = subprocess.run(kubectl, capture_output=True, check=True, text=True).stdout
    decoder, found = json.JSONDecoder(), []
    while read := read.strip():
        one, end = decoder.raw_decode(read)
        found.append(one)
        read = read[end:]
    (one,) = [each for each in found if each["kind"] == kind]
    return one


def by_flux(chart, folder, construct, arguments, delivery):
    spec = delivered(folder, construct, arguments, delivery, "HelmRelease")
    namespace = spec["spec"].get("targetNamespace", spec["metadata"]["namespace"])
    return rendered(chart, spec["spec"]["releaseName"], namespace, json.dumps(spec["spec"]["values"], ensure_ascii=False).encode())


def by_argo(chart, folder, construct, arguments):
    spec = delivered(folder, construct, arguments, ArgoCd(), "Application")["spec"]
    helm = spec["source"]["helm"]
    return rendered(
        chart, helm["releaseName"], spec["destination"]["namespace"], json.dumps(helm["valuesObject"], ensure_ascii=False).encode()
    )


class Recorded:
    """HelmTemplate, which keeps the text that Helm rendered."""

    def __init__(self):
        self.delivery, self.text = HelmTemplate(helm=needs("HELM", "the path of a Helm")), b""

    def manifests(self, release):
        self.text = self.delivery._run(release).encode()
        return self.delivery.manifests(release)


@each_chart
@each_case
def test_the_three_deliveries_of_a_chart_render_the_same_bytes(tmp_path, case, real):
    construct, arguments, name = CASES[case]
    chart = chart_of(tmp_path / "chart", name, real=real)
    here = Recorded()
    construct(Chart(App(), "gpu"), "it", **arguments, delivery=here, chart=str(chart))

    assert here.text.count(b"\n") > 10 or not real
    assert by_flux(chart, tmp_path / "flux", construct, arguments, Flux()) == here.text
    assert by_flux(chart, tmp_path / "apart", construct, arguments, Flux(namespace="flux-system")) == here.text
    assert by_argo(chart, tmp_path / "argo", construct, arguments) == here.text


@each_case
def test_the_chart_gets_every_value_of_the_construct(tmp_path, case):
    construct, arguments, name = CASES[case]
    chart = chart_of(tmp_path / "chart", name, real=False)
    made = construct(Chart(App(), "gpu"), "it", **arguments, delivery=Flux())
    (all_values,) = yaml.safe_load_all(by_flux(chart, tmp_path / "flux", construct, arguments, Flux()))

    assert lacking(made.chart_values, json.loads(all_values["data"])) == []


def lacking(wanted, got, path=""):
    """The values that a chart did not get as they were given. A mapping may have more: the chart's own defaults."""
    if isinstance(wanted, dict) and isinstance(got, dict):
        return [each for key, item in wanted.items() for each in lacking(item, got.get(key), f"{path}.{key}")]
    return [] if wanted == got else [(path, wanted, got)]


def test_only_flux_gets_the_rule_for_gpu_nodes_in_the_workers_config(tmp_path):
    """Flux applies no object of a folder with an unknown kind, so with Flux the chart brings the rule."""
    chart = chart_of(tmp_path / "chart", f"{NFD}-v0.19.0", real=False)
    flux, argo = (
        json.loads(yaml.safe_load(text)["data"])
        for text in (
            by_flux(chart, tmp_path / "flux", NodeFeatureDiscovery, {"nodes": CDI}, Flux()),
            by_argo(chart, tmp_path / "argo", NodeFeatureDiscovery, {"nodes": CDI}),
        )
    )
    (rule,) = flux["worker"]["config"]["sources"].pop("custom")

    assert flux == argo
    made = delivered(tmp_path / "rule", NodeFeatureDiscovery, {"nodes": CDI}, ArgoCd(), "NodeFeatureRule")
    assert made["spec"]["rules"] == [rule]
