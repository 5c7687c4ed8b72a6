"""adopt leaves a cluster that works working.

What it writes is judged in the same call, and nothing is deployed twice.
"""

import pytest
import yaml

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.differences import AFTER, BEFORE, Explanation, differences, kept, removals
from constructs_lib.checks.engine import run_rules
from constructs_lib.checks.rule import Severity
from constructs_lib.clusters.composer import Composer
from constructs_lib.clusters.file_values import FileError
from constructs_lib.observed.read.repository import read, read_manifests

DEFAULT_RUNTIME = """\
version: v1alpha1
machine:
  type: worker
  token: abcdef.0123456789abcdef
  ca: {crt: LS0tLS1CRUdJTg==}
  network: {hostname: gpu-1}
  nodeLabels: {gpu: "yes"}
  install: {image: "factory.talos.dev/metal-installer/1deaeeb1ea2e7901c21c109368a7261f52dfd9a91e9d7eea83cfd0f0e1b7d488:v1.12.6"}
  kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]}
  files:
    - path: /etc/cri/conf.d/20-customization.part
      op: create
      content: |
        [plugins."io.containerd.cri.v1.runtime".containerd]
          default_runtime_name = "nvidia"
cluster: {}
"""
SOURCE = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: nvdp, namespace: kube-system}
spec: {url: https://nvidia.github.io/k8s-device-plugin}
"""
PLUGIN = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nvidia-device-plugin, namespace: kube-system}
spec:
  interval: 1h
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0, sourceRef: {kind: HelmRepository, name: nvdp}}}
  values: {nodeSelector: {gpu: "yes"}, affinity: {}}
"""
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: llm, namespace: ai}
spec:
  strategy: {type: Recreate}
  selector: {matchLabels: {app: llm}}
  template:
    metadata: {labels: {app: llm}}
    spec:
      containers: [{name: llm, image: "example/llm:1.0", resources: {limits: {nvidia.com/gpu: 1}}}]
"""
RUNTIME_CLASS = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\nhandler: nvidia\n"
OTHER = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: other, namespace: ai}\n"


@pytest.fixture
def adopted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def call(files):
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return adopt(read(["."]))

    return call


def made(adoption):
    return [each for name, text in adoption.files.items() if name.startswith("manifests/") for each in yaml.safe_load_all(text)]


def found(objects, adoption):
    composer = Composer(adoption.description)
    composer.compose()
    inputs = read_manifests((("", each) for each in objects), nodes=tuple(composer.advertised), talos=adoption.inputs.talos_version)
    return {each.rule for each in run_rules(inputs) if each.severity is not Severity.INFO}


TREE = {"machine.yaml": DEFAULT_RUNTIME, "apps/plugin.yaml": f"{SOURCE}---\n{PLUGIN}", "apps/llm.yaml": WORKLOAD}


def test_where_the_default_runtime_served_the_pods_the_runtime_class_that_they_then_name_is_added(adopted):
    adoption = adopted(TREE)
    objects = made(adoption)

    named = [each["spec"]["template"]["spec"].get("runtimeClassName") for each in objects if each["kind"] in ("Deployment", "DaemonSet")]
    assert named == ["nvidia", "nvidia"]
    assert [each["metadata"]["name"] for each in objects if each["kind"] == "RuntimeClass"] == ["nvidia"]
    assert 'default_runtime_name = "nvidia"' in adoption.files["talos/machine-config.yaml"]
    assert adoption.judged == []
    assert any("RuntimeClass nvidia is added" in each.reason for each in differences(adoption))


def test_the_runtime_class_of_the_tree_is_kept_and_no_second_one_is_added(adopted):
    objects = made(adopted({**TREE, "class.yaml": RUNTIME_CLASS}))

    assert [each["metadata"]["name"] for each in objects if each["kind"] == "RuntimeClass"] == ["nvidia"]


@pytest.mark.parametrize("extra", [{}, {"class.yaml": RUNTIME_CLASS}], ids=["default runtime", "RuntimeClass"])
def test_what_is_written_has_no_fault_that_the_tree_does_not_have(adopted, extra):
    adoption = adopted(TREE | extra)
    before = {each.rule for each in run_rules(adoption.inputs) if each.severity is not Severity.INFO}

    assert found(made(adoption), adoption) <= before


def test_each_file_and_object_that_would_be_deployed_twice_is_named_in_order(adopted):
    adoption = adopted(
        {
            **TREE,
            "class.yaml": RUNTIME_CLASS,
            "apps/kustomization.yaml": "resources: [plugin.yaml, llm.yaml]\n",
            "apps/llm.yaml": WORKLOAD + OTHER,
        }
    )
    steps = removals(adoption)

    assert [(each.when, each.file, each.labels) for each in steps] == [
        (BEFORE, "apps/plugin.yaml", ("HelmRelease kube-system/nvidia-device-plugin", "HelmRepository kube-system/nvdp")),
        (BEFORE, "apps/llm.yaml", ("Deployment ai/llm",)),
        (AFTER, "class.yaml", ("RuntimeClass nvidia",)),
    ]
    assert [each.is_whole for each in steps] == [True, False, True]


EXPORTER = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: dcgm-exporter, namespace: kube-system}
spec:
  selector: {matchLabels: {app: dcgm}}
  template:
    metadata: {labels: {app: dcgm}}
    spec:
      nodeSelector: {gpu: "yes"}
      containers: [{name: dcgm, image: "nvcr.io/nvidia/k8s/dcgm-exporter:4.4.1-4.6.0-ubuntu22.04"}]
"""


def test_a_pod_that_the_default_runtime_goes_on_serving_stays_and_is_no_fault(adopted):
    adoption = adopted({**TREE, "apps/dcgm.yaml": EXPORTER})

    assert "TG019" not in " ".join(f"{each.error}" for each in adoption.judged)
    assert kept(adoption) == [("apps/dcgm.yaml", ("DaemonSet kube-system/dcgm-exporter",))]


def test_a_fault_that_no_other_form_avoids_is_named(adopted):
    adoption = adopted(TREE)
    adoption.judged.append(FileError(("charts", "ai", "objects", "llm"), ValueError("TG048 [ai/llm] it waits; fix: Recreate")))

    assert [each.text for each in differences(adoption) if each.explanation is Explanation.FOUND] == [
        "found by the checks because of TG048: charts.ai.objects.llm: [ai/llm] it waits; fix: Recreate"
    ]


def test_a_source_that_another_release_names_stays(adopted):
    other = PLUGIN.replace("name: nvidia-device-plugin,", "name: other,").replace(
        "chart: nvidia-device-plugin,", "chart: gpu-feature-discovery,"
    )
    adoption = adopted({**TREE, "apps/other.yaml": other})

    assert all("HelmRepository kube-system/nvdp" not in each.labels for each in removals(adoption))


def test_every_object_that_the_new_files_have_and_the_tree_deploys_is_named(adopted):
    """Whatever the tree.

    An object of the new files that stands in a file of the tree is in the list, or two deployers would have it.
    """
    adoption = adopted({**TREE, "class.yaml": RUNTIME_CLASS})
    names = {label for each in removals(adoption) for label in each.labels}
    tree = {(each.kind, each.name): each.label for each in adoption.inputs.objects}

    assert {
        tree[each["kind"], each["metadata"]["name"]] for each in made(adoption) if (each["kind"], each["metadata"]["name"]) in tree
    } <= names
