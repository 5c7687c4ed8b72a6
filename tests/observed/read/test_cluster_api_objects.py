"""Cluster API's Talos providers: what the machines of their objects get."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.engine import run_rules
from constructs_lib.nodes.factory_ids import schematic_id
from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read_manifests, read_text
from constructs_lib.talos import MachineConfigPatch, Schematic, cluster_api_yaml

NVIDIA = ["siderolabs/nvidia-container-toolkit-production", "siderolabs/nvidia-open-gpu-kernel-modules-production"]
SCHEMATIC = schematic_id({"customization": {"systemExtensions": {"officialExtensions": NVIDIA}}})
WORKERS = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: gpu, namespace: tenant}
spec:
  template:
    spec:
      generateType: worker
      talosVersion: v1.12
      configPatches:
        - op: add
          path: /machine/sysctls
          value: {net.core.bpf_jit_harden: '1', vm.nr_hugepages: '8'}
      strategicPatches:
        - |
          machine:
            sysctls: {net.core.bpf_jit_harden: '2'}
            kernel:
              modules:
                - name: nvidia
                - name: nvidia_uvm
        - '{"apiVersion": "v1alpha1", "kind": "KernelModuleConfig", "name": "nvidia_drm"}'
"""
POOL = """\
---
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: gpu, namespace: tenant}
spec:
  clusterName: ml
  template:
    spec:
      version: v1.34.2
      bootstrap: {configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3, kind: TalosConfigTemplate, name: gpu}}
      infrastructureRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1, kind: KubevirtMachineTemplate, name: gpu}
"""
MACHINES = """\
---
apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1
kind: KubevirtMachineTemplate
metadata: {name: gpu, namespace: tenant}
spec:
  template:
    spec:
      virtualMachineTemplate:
        spec:
          dataVolumeTemplates:
            - metadata: {name: system}
              spec:
                source:
                  http: {url: "https://factory.talos.dev/image/%s/v1.13.4/nocloud-amd64.raw.xz"}
"""
CONTROL_PLANE = """\
apiVersion: controlplane.cluster.x-k8s.io/v1alpha3
kind: TalosControlPlane
metadata: {name: cp}
spec:
  version: v1.33.1
  replicas: 3
  infrastructureTemplate: {kind: ProxmoxMachineTemplate, apiVersion: infrastructure.cluster.x-k8s.io/v1alpha1, name: cp}
  controlPlaneConfig:
    controlplane:
      generateType: controlplane
      talosVersion: v1.11.1
      strategicPatches:
        - |
          - op: add
            path: /machine/install/extraKernelArgs
            value: [net.ifnames=0]
          - op: add
            path: /machine/install/image
            value: ghcr.io/siderolabs/installer:v1.13.2
"""


def configs(text):
    inputs = read_text(text, file="cluster.yaml")
    assert inputs.skipped == ()
    return {each.name: each for each in inputs.node_configs}


def test_the_operations_come_before_the_strategic_patches():
    config = configs(WORKERS)["gpu"]

    assert (config.scope, config.complete, config.control_plane) == ("node", True, False)
    assert config.sysctls == {"net.core.bpf_jit_harden": "2", "vm.nr_hugepages": "8"}
    assert config.kernel_modules == ("nvidia", "nvidia_uvm", "nvidia_drm")
    assert (config.talos_version, config.extensions) == ("v1.12", None)


def test_the_lines_are_those_inside_the_embedded_text():
    config = configs(WORKERS)["gpu"]

    assert config.line_of(()) == 1
    assert config.line_of(("documents", 0, "machine", "sysctls", "net.core.bpf_jit_harden")) == 16
    assert config.line_of(("documents", 0, "machine", "sysctls", "vm.nr_hugepages")) == 12
    assert config.line_of((*config.paths["kernel_modules"], 1)) == 20


def test_the_machines_get_the_image_and_the_kubernetes_version_of_their_pool():
    config = configs(WORKERS + POOL + MACHINES % SCHEMATIC)["gpu"]

    assert config.extensions == tuple(NVIDIA)
    assert (config.talos_version, config.kubernetes_version) == ("v1.13.4", "v1.34.2")
    assert config.line_of((*config.paths["extensions"], 0)) == 46


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "name: gpu, namespace: tenant}\nspec:\n  template:\n    spec:\n      virtual",
            "name: gpu}\nspec:\n  template:\n    spec:\n      virtual",
        ),
        ("infrastructure.cluster.x-k8s.io/v1alpha1\nkind: Kubevirt", "example.com/v1\nkind: Kubevirt"),
        (f"image/{SCHEMATIC}", "image/latest"),
        ("{name: system}", f"{{name: 'https://factory.talos.dev/image/{'0' * 64}/v1.12.0/metal-amd64.iso'}}"),
    ],
)
def test_an_image_that_is_not_clearly_that_of_the_machines_counts_for_nothing(before, after):
    text = WORKERS + POOL + MACHINES % SCHEMATIC
    assert before in text

    config = configs(text.replace(before, after))["gpu"]
    assert (config.extensions, config.talos_version) == (None, "v1.12")


def test_two_pools_that_differ_have_no_known_image_and_kubernetes_version():
    other = POOL.replace("v1.34.2", "v1.35.0").replace("KubevirtMachineTemplate, name: gpu", "KubevirtMachineTemplate, name: other")
    text = WORKERS + POOL + MACHINES % SCHEMATIC + other.replace("metadata: {name: gpu", "metadata: {name: other")

    config = configs(text)["gpu"]
    assert (config.extensions, config.talos_version, config.kubernetes_version) == (None, "v1.12", None)


def test_a_control_plane_has_the_version_of_its_installer_and_not_of_its_generator():
    config = configs(CONTROL_PLANE)["cp"]

    assert (config.scope, config.complete, config.control_plane, config.pod_security) == ("node", True, True, "baseline")
    assert (config.talos_version, config.kubernetes_version, config.extensions) == ("v1.13.2", "v1.33.1", ())
    assert config.kernel_args == ("net.ifnames=0",)


def test_a_configuration_that_is_not_generated_stands_in_data():
    text = """\
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfig
metadata: {name: own}
spec:
  generateType: none
  talosVersion: v1.3.5
  data: |
    #!talos
    version: v1alpha1
    machine:
      type: worker
      token: a.b
      ca: {crt: x}
      nodeLabels: {gpu: "on"}
  strategicPatches: ["machine: {nodeLabels: {more: '1'}}"]
"""
    config = configs(text)["own"]
    assert (config.complete, config.control_plane, config.labels) == (True, False, {"gpu": "on", "more": "1"})
    assert config.line_of(("documents", 0, "machine", "nodeLabels", "gpu")) == 14
    assert not configs(text.replace("  data:", "  more:"))["own"].complete


def test_a_placeholder_leaves_the_configuration_incomplete():
    for before, after in (
        ("generateType: worker", "generateType: ${TYPE}"),
        ("configPatches:\n        - op", "configPatches:\n        - ${MORE}\n        - op"),
        ("strategicPatches:\n", "strategicPatches:\n        - ${MORE}\n"),
    ):
        assert before in WORKERS
        assert not configs(WORKERS.replace(before, after))["gpu"].complete
    config = configs(WORKERS.replace("harden: '2'", "harden: '${LEVEL}'"))["gpu"]
    assert isinstance(config.sysctls["net.core.bpf_jit_harden"], Unknown)
    assert config.complete


@pytest.mark.parametrize(
    "wrong", ["[]", "{}", "5", "null", "x", "[[x]]", "[null]", "[{op: [], path: {}}]", "[{op: add, path: [a], value: 1}]", "[5, '']"]
)
@pytest.mark.parametrize("key", ["generateType", "talosVersion", "data", "configPatches", "strategicPatches"])
def test_a_value_of_a_wrong_type_is_no_setting(key, wrong):
    for text in (WORKERS, CONTROL_PLANE):
        start = text.index("generateType")
        inputs = read_text(text[:start] + f"{key}: {wrong}\n")
        assert [each.kernel_modules for each in inputs.node_configs] == [None]
        run_rules(inputs)


def test_objects_of_a_program_are_read_without_lines():
    body = {
        "apiVersion": "bootstrap.cluster.x-k8s.io/v1alpha3",
        "kind": "TalosConfigTemplate",
        "metadata": {"name": "gpu"},
        "spec": {
            "template": {
                "spec": {
                    "generateType": "worker",
                    "configPatches": [{"op": "add", "path": "/machine/kernel", "value": {"modules": [{"name": "nvidia"}]}}],
                    "strategicPatches": [
                        "machine: {kernel: {modules: [{name: nvidia}, {$patch: delete, name: nvidia}]}}",
                        "machine: {nodeLabels: {a: b}}",
                    ],
                }
            }
        },
    }
    inputs = read_manifests([("app/gpu", body)])
    assert [each.label for each in inputs.node_configs] == ["gpu"]
    assert inputs.node_configs[0].labels == {"a": "b"}
    assert inputs.node_configs[0].line_of(()) is None


def test_a_resource_of_another_api_with_the_same_kind_is_not_read():
    assert configs(WORKERS.replace("bootstrap.cluster.x-k8s.io/v1alpha3", "example.com/v1")) == {}


def test_the_template_that_the_library_writes_is_read_as_its_nodes():
    nodes = GpuNodes(talos_version="1.14.0", name="rtx", labels={"gpu": "rtx"})
    text = cluster_api_yaml(schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes, style="fields"))

    config = configs(text)["rtx"]
    assert (config.talos_version, config.complete, config.control_plane) == ("v1.14.0", True, False)
    assert "nvidia" in config.kernel_modules
    assert config.labels["gpu"] == "rtx"
    assert "siderolabs/nvidia-container-toolkit-production" in config.extensions


@pytest.mark.parametrize(
    ("text", "talos", "kubernetes"),
    [
        (WORKERS + POOL, "talosVersion: v1.12", "version: v1.34.2"),
        (WORKERS + POOL + MACHINES % SCHEMATIC, "factory.talos.dev", "version: v1.34.2"),
        (CONTROL_PLANE, "path: /machine/install/image", "version: v1.33.1"),
    ],
)
def test_each_version_has_the_line_on_which_it_is_written(text, talos, kubernetes):
    lines = {each.subject: text.splitlines()[each.line - 1] for each in read_text(text).stated_versions if each.line}

    assert talos in lines["talos"]
    assert kubernetes in lines["kubernetes"]
