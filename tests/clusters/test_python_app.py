"""The Python app of a cluster makes the files that `talos-gpu synth` writes."""

import os
import subprocess
import sys
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from conftest import ROOT
from constructs_lib import ArgumentError
from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.clusters.argument_types import alternatives, arguments_of
from constructs_lib.clusters.cluster_file import ClusterFile
from constructs_lib.clusters.python_app import app_text
from constructs_lib.clusters.stack_part import GPU_STACK
from constructs_lib.clusters.synthesis import synthesize
from constructs_lib.observed.read.repository import read
from constructs_lib.recipes import OpenWebUI

sys.path[:0] = [str(ROOT / "tests" / "constructs"), str(Path(__file__).parent)]
from generated_arguments import LEGAL as LEGAL_CONSTRUCTS  # noqa: E402
from generated_recipes import LEGAL_RECIPES  # noqa: E402
from written_arguments import classes_in, file_of  # noqa: E402

FILES = Path(__file__).parent / "files"
CLUSTERS = sorted(path.name for path in (ROOT / "dist").iterdir())
# The servers of OpenWebUI are other objects of a file.
LEGAL = {construct: strategy for construct, strategy in {**LEGAL_CONSTRUCTS, **LEGAL_RECIPES}.items() if construct is not OpenWebUI}
CHART = "nodes: {{gpu: {{talos: 1.14.0}}}}\ncharts: {{a: {{namespace: n, objects: {}}}}}"


def described(path):
    ((_, description),) = ClusterFile(path.name, path.read_text()).clusters()
    return description


def description_in(text):
    ((_, description),) = ClusterFile("cluster.yaml", text).clusters()
    return description


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


def of_the_app(text, folder):
    """The files that an app writes, run as its users run it."""
    (folder / "main.py").write_text(text)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CDK8S_OUTDIR": str(folder / "out")}
    subprocess.run([sys.executable, "main.py"], cwd=folder, env=environment, check=True)
    return files_in(folder / "out")


def of_the_app_here(text, folder):
    """The files that an app writes in this process, without the rules of `attach`."""
    with pytest.MonkeyPatch.context() as patched, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patched.setenv("CDK8S_OUTDIR", str(folder))
        exec(compile(text.replace("attach(app)\n", ""), "main.py", "exec"), {"__file__": "main.py"})
    return files_in(folder)


def of_the_file(description):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = synthesize(description, lambda file: (FILES / file).read_text(), with_checks=False)
    assert [str(each) for each in result.errors] == []
    return dict(result.files)


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_app_of_a_cluster_writes_the_bytes_of_its_file(name, tmp_path):
    (tmp_path / "talconfig.yaml").write_text((FILES / "talconfig.yaml").read_text())
    description = described(FILES / f"{name}.yaml")

    assert of_the_app(app_text(description), tmp_path) == of_the_file(description)


def test_the_app_of_a_gang_of_kubernetes_itself_writes_the_patch_of_the_control_plane(tmp_path):
    gang = "{recipe: GpuGang, image: 'a/b:1', namespace: ai, kind: JobSet, size: 2, pod_group: true, required_topology: rack}"
    of_file = "control_plane: {style: fields, runtime_config: [resource.k8s.io/v1beta2]}"
    description = description_in(f"talos: 1.14.6\nnodes: {{gpu: {{cards: 8, count: 2}}}}\nworkloads: {{train: {gang}}}\n{of_file}")

    files = of_the_app_here(app_text(description), tmp_path)
    assert files == of_the_file(description)
    assert "feature-gates: GenericWorkload=true,TopologyAwareWorkloadScheduling=true\n" in files["talos/control-plane.yaml"]
    assert "runtime-config: scheduling.k8s.io/v1beta1=true,resource.k8s.io/v1beta2=true\n" in files["talos/control-plane.yaml"]


def test_the_app_of_limits_by_dra_writes_the_gates_of_the_control_plane_and_of_the_kubelet(tmp_path):
    stack = "{delivery: {Flux: {}}, driver: {kubernetes_version: '1.35', kubernetes_feature_gates: [DRAExtendedResource]}}"
    description = description_in(f"talos: 1.14.6\nnodes: {{gpu: {{dra: {{extended_resource: true}}}}}}\nstack: {stack}")

    files = of_the_app_here(app_text(description), tmp_path)
    assert files == of_the_file(description)
    assert "kind: KubeletConfig\n" in files["talos/machine-config.yaml"]


@pytest.mark.parametrize("name", CLUSTERS)
def test_the_app_of_an_adopted_tree_writes_the_bytes_of_the_adopted_file(name, tmp_path):
    description = described(FILES / f"{name}.yaml")
    for path, text in of_the_file(description).items():
        file = tmp_path / "tree" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    nodes = description["nodes"]
    adopted = adopt(read([tmp_path / "tree"]), (nodes[0] if isinstance(nodes, list) else nodes)["talos_version"]).description

    assert len(adopted["charts"]) >= 2
    assert of_the_app_here(app_text(adopted), tmp_path / "out") == of_the_file(adopted)


HOSTILE = {
    "strings": {
        "tab": "a\tb", "return": "a\rb", "wide": "ü漢é", "quote": "it's \"x\"", "backslash": "\\", "format": "${X} {y} %s", "": "",
        "block": "one\n  two \\\nthree\n", "spaces": "one \n\ttwo\nthree", "quotes": '"""\n\n\n', "end": 'a\nb\nc"', "m'n\"o": "no-break\u00a0",
    },
    "numbers": [-0.0, 0.0, 1.0, 1e30, 1.5e-9, 2**53, -1, True],
    "nulls": {"a": None, "b": {"c": None}, "d": [None, [None], {"e": None}], "f": {}, "g": []},
    "null": None,
    "a/b~c": {"10": 1, "9": 2, "value": {"value": 5}, "$jsii.byref": "a", "constructor": {"prototype": 1}},
}  # fmt: skip


@pytest.mark.parametrize(
    "metadata",
    [
        {"name": "x"},
        {"name": "x", "namespace": "other", "labels": {"b": "1", "a": "2"}, "annotations": {"c": None, "text": "a\nb\nc\n"}},
        {"name": "x", "namespace": None, "finalizers": ["f"], "generateName": None},
    ],
)
@pytest.mark.parametrize("kind", ["ConfigMap", "ClusterRole"])
def test_an_object_as_it_is(metadata, kind, tmp_path):
    plain = {"Object": {"apiVersion": "v1", "kind": kind, "metadata": metadata, **HOSTILE}}
    charts = {
        "a": {"objects": {"Ä b": plain}},
        "b": {
            "namespace": "n",
            "create_namespace": True,
            "objects": {"namespace": {"Object": {**plain["Object"], "kind": f"Other{kind}"}}},
        },
    }
    description = {"nodes": {"talos_version": "1.14.0"}, "charts": charts}

    assert of_the_app_here(app_text(description), tmp_path) == of_the_file(description)


def test_labels_that_kubernetes_refuses_are_the_same_in_the_app(tmp_path):
    description = description_in(CHART.format("{x: {Object: {apiVersion: v1, kind: Secret, metadata: {name: x, labels: {a: 1}}}}}"))
    made, expected = (
        yaml.safe_load(each["manifests/a.k8s.yaml"])
        for each in (of_the_app_here(app_text(description), tmp_path), of_the_file(description))
    )

    assert made == expected


CLUSTER = """
talos: 1.14.0
nodes:
  class:
    taints: ["k=:NoExecute", j]
    sharing: {mps: 2}
    labels: {a: b}
    extensions: [siderolabs/iscsi-tools]
    platform: aws
    omni: {cluster: c, machine_set: c-m}
  import: {dra: {share: claim}, labels: {a: c}}
charts:
  gpu:
    objects:
      stack: {GpuStack: {delivery: {Flux: {}}, device_plugin: {feature_discovery: {FeatureDiscovery: {sleep_interval: 10m}}}, alerts: false}}
  web:
    namespace: web
    objects:
      chart: {GpuWorkload: {nodes: class, image: "a:1", port: 80, env: {A: "1\\n2\\n3", B: {SecretKey: {secret: s, key: k}}}}}
      a-b: {GpuWorkload: {nodes: import, image: "a:1", volumes: {/a: {Persistent: 1Gi}, /b: {Empty: null}}}}
      "a.b": {Companion: {name: a-b-c, image: "a:1", port: {http: 80}, readiness_probe: {HttpProbe: {path: /}}}}
      a_b: {Companion: {name: a-b-d, image: "a:1", port: 80}}
      route: {expose: {workload: chart, hostname: a.example.com, gateway: g, labels: {a: b}}}
      policy: {isolate: {workload: a.b, from_pods: [{app: job}, chart], egress: [internet, {Workload: a_b}]}}
      7b: {Ollama: {nodes: class, name: b}}
  ai:
    namespace: ai
    objects:
      7b: {Ollama: {nodes: class, name: b}}
      chat: {OpenWebUI: {ollama: 7b}}
      other: {OpenWebUI: {ollama: web/7b}}
"""


def test_references_across_charts_and_names_that_are_no_names_of_python(tmp_path):
    description = description_in(CLUSTER)
    text = app_text(description)

    assert of_the_app_here(text, tmp_path) == of_the_file(description)
    for name in (
        "class_2 = GpuNodes(",
        "import_2 = GpuNodes(",
        "chart_2 = GpuWorkload(",
        "a_b = GpuWorkload(",
        "a_b_2 = Companion(",
        "a_b_3 = Companion(",
        "workload_7b_2 = ",
    ):
        assert f"\n{name}" in text


@pytest.mark.parametrize(
    "request_of",
    [
        "gpus: 2, workload: {apiVersion: v1, kind: Pod, metadata: {name: x, finalizers: [f]}, spec: {containers: [{name: m, image: i}]}}",
        "gpus: 2, workload: {apiVersion: v1, kind: Pod, metadata: {name: x, labels: {a: b}}, spec: {containers: [{name: m, image: i}]}}",
        """containers: {m: {gpus: 2}, o: }, workload: {apiVersion: batch/v1, kind: CronJob, metadata: {name: x}, spec: {jobTemplate: {spec: {template:
        {spec: {restartPolicy: Never, containers: [{name: m, image: i}, {name: o, image: i}, {name: p, image: i}]}}}}}}""",
    ],
)
def test_a_workload_of_kubernetes_with_gpus(request_of, tmp_path):
    description = description_in(CHART.format(f"{{x: {{request_gpus: {{{request_of}}}}}}}"))

    assert of_the_app_here(app_text(description), tmp_path) == of_the_file(description)


def test_a_claim_that_the_workload_makes_in_an_app_is_not_made_twice(tmp_path):
    text = """
        nodes: {gpu: {talos: 1.14.0, dra: {share: claim}}}
        charts: {a: {namespace: n, objects: {a: {GpuWorkload: {image: "a:1"}}}}}
    """
    made = of_the_file(description_in(text))["manifests/a.k8s.yaml"]
    claim = next(each for each in yaml.safe_load_all(made) if each["kind"] == "ResourceClaim")
    del claim["metadata"]["namespace"]
    description = description_in(text)
    description["charts"]["a"]["objects"] = {"claim": {"Object": claim}, **description["charts"]["a"]["objects"]}

    assert of_the_app_here(app_text(description), tmp_path)["manifests/a.k8s.yaml"] == made


@pytest.mark.parametrize("construct", LEGAL, ids=lambda construct: construct.__name__)
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), namespace=st.sampled_from([None, "ai"]))
def test_a_construct_with_every_argument(construct, data, namespace, tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        arguments = data.draw(LEGAL[construct])
        names = [nodes.name for nodes in classes_in(arguments)]
        assume(len(names) < 2 or (None not in names and len(set(names)) == len(names)))
        description = file_of(construct.__name__, arguments, namespace=namespace)
        result = synthesize(description, lambda _: "", with_checks=False)
        assume(not result.errors)

        assert of_the_app_here(app_text(description), tmp_path_factory.mktemp("app")) == result.files


def test_every_mapping_of_a_stack_is_passed_on_to_a_part():
    mappings = {name for name, each in arguments_of(GPU_STACK.settings).items() if Mapping[str, Any] in alternatives(each.hint)}

    assert {*GPU_STACK.passed_on} == mappings


def test_a_description_with_an_error_has_no_app():
    with pytest.raises(ArgumentError, match="'gpus' must be a whole number"):
        app_text(description_in(CHART.format('{x: {GpuWorkload: {image: "a:1", gpus: 0}}}')))
