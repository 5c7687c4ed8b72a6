"""A real kubectl and a real API server take every kubectl command of the upgrade plans."""

import itertools
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from api_server import ApiServer
from conftest import needs
from constructs_lib import Dra, GpuNodes, Taint
from constructs_lib.talos import MachineConfigPatch, Schematic, UpgradePlan, cluster_api_yaml

CLUSTER_API = "cluster.x-k8s.io"
# The names that the introduction of a plan exports, and those of the objects in a command.
VARIABLES = {
    "NODE": "gpu-1", "MANAGEMENT": "management", "NAMESPACE": "gpu", "KIND": "deployment", "NAME": "main",
}  # fmt: skip
MACHINES = """\
apiVersion: cluster.x-k8s.io/v1beta1
kind: MachineDeployment
metadata: {name: gpu}
spec:
  clusterName: home
  replicas: 1
  template:
    spec:
      clusterName: home
      bootstrap: {configRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3, kind: TalosConfigTemplate, name: gpu}}
---
"""


def open_crd(group, version, kind):
    """A CRD without a schema, for a kind whose objects this library does not write."""
    plural = f"{kind.lower()}s"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural},
            "versions": [{"name": version, "served": True, "storage": True, "schema": schema}],
        },
    }


def template_crd():
    path = Path(needs("CRDS", "the schemas of custom resources")) / f"bootstrap.{CLUSTER_API}_talosconfigtemplates.yaml"
    return yaml.safe_load(path.read_text())


def control_plane_crd():
    """The CRD of a TalosControlPlane: siderolabs/cluster-api-control-plane-provider-talos api/v1alpha3, whose `controlplane` is the spec of a
    TalosConfigTemplate.
    """
    (version,) = (each for each in template_crd()["spec"]["versions"] if each["name"] == "v1alpha3")
    config = version["schema"]["openAPIV3Schema"]["properties"]["spec"]["properties"]["template"]["properties"]["spec"]
    reference = {"type": "object", "properties": {name: {"type": "string"} for name in ("apiVersion", "kind", "name")}}
    spec = {
        "type": "object",
        "required": ["controlPlaneConfig", "infrastructureTemplate", "version"],
        "properties": {
            "controlPlaneConfig": {"type": "object", "required": ["controlplane"], "properties": {"controlplane": config, "init": config}},
            "infrastructureTemplate": reference,
            "replicas": {"type": "integer"},
            "version": {"type": "string", "minLength": 2},
        },
    }
    crd = open_crd(f"controlplane.{CLUSTER_API}", "v1alpha3", "TalosControlPlane")
    crd["spec"]["versions"][0]["schema"] = {"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}}
    return crd


@pytest.fixture(scope="module")
def api() -> Iterator[ApiServer]:
    needs("KUBEBUILDER_ASSETS", "the folder with etcd and kube-apiserver")
    policies = Path(needs("CRDS", "the schemas of custom resources")) / "nvidia.com_clusterpolicies.yaml"
    pods = {"metadata": {"labels": {"app": "main"}}, "spec": {"containers": [{"name": "main", "image": "a"}]}}
    with ApiServer() as server:
        server.apply([template_crd(), control_plane_crd(), *yaml.safe_load_all(policies.read_text())])
        server.apply([open_crd(CLUSTER_API, "v1beta1", "Machine"), open_crd(CLUSTER_API, "v1beta1", "MachineDeployment")])
        server.apply(
            [
                {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu"}},
                {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": {"nvidia.com/gpu.deploy.operator-validator": "false"}}},
                {
                    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "main", "namespace": "gpu"},
                    "spec": {"selector": {"matchLabels": {"app": "main"}}, "template": pods},
                },
            ]
        )  # fmt: skip
        yield server


@pytest.fixture
def shell(api, tmp_path, monkeypatch):
    """A function that runs a command with the real kubectl in a folder with the files that the plans name."""
    (tmp_path / "kubectl").symlink_to(needs("KUBECTL", "the path of a kubectl"))
    (tmp_path / "kubeconfig").write_text(api.kubeconfig("admin", "management"))
    (tmp_path / "gpu-machines.yaml").write_text(MACHINES + cluster_api())
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist/main.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: main, namespace: gpu}\n")
    variables = VARIABLES | {"MACHINES": str(tmp_path / "gpu-machines.yaml"), "MANIFESTS": str(tmp_path / "dist")}
    environment = {**os.environ, **variables, "KUBECONFIG": str(tmp_path / "kubeconfig"), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    api.apply([{"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}, "handler": "nvidia"}])

    def run(command):
        return subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    return run


def cluster_api(**nodes):
    classes = GpuNodes(talos_version="1.13.9", **nodes)
    return cluster_api_yaml(schematic=Schematic(nodes=classes), patch=MachineConfigPatch(nodes=classes, style="fields"))


def without_kubelet(command):
    """The command for a cluster without a kubelet: there no pod runs, none has a log, and none that has a node goes away."""
    for words, instead in {
        "=Succeeded": "=Pending",
        "kubectl logs cuda-proof": "kubectl get pod cuda-proof",
        "kubectl delete pod cuda-proof": "kubectl delete pod cuda-proof --wait=false",
    }.items():
        command = command.replace(words, instead)
    return command


def kubectl_commands():
    """Every kubectl command of the plans, once. A watch ends when it has printed what is there."""
    found = {}
    for old, route, new_route, tool, dra in itertools.product(
        ("1.11.6", "1.13.9"), ("standalone", "operator"), ("standalone", "operator"), ("talosctl", "omni", "capi"), (False, True)
    ):
        nodes = GpuNodes(talos_version=old, **({"dra": Dra()} if dra and old == "1.13.9" else {}))
        for step in UpgradePlan(nodes=nodes, to="1.14.6", route=route, new_route=new_route, tool=tool).steps:
            for command in step.commands:
                if command.startswith("kubectl "):
                    # The comment names versions, and the command is the same.
                    found[re.sub(r"  #.*", "", without_kubelet(command)).replace("--watch", "--watch=false")] = None
    return list(found)


@pytest.mark.parametrize("command", kubectl_commands())
def test_kubectl_takes_the_command(command, shell):
    done = shell(command)

    # The last words are about the versions of this test's kubectl and API server.
    known = ("No resources found", "Warning: would violate PodSecurity", "Warning: version difference between client")
    assert [line for line in done.stderr.splitlines() if not line.startswith(known)] == []
    # `grep` finds nothing.
    assert done.returncode == 0 or (done.returncode == 1 and " | " in command)


def test_kubectl_refuses_a_command_with_a_fault(shell):
    assert shell("kubectl get pods --all-namespace").returncode == 1
    assert "NotFound" in shell("kubectl delete runtimeclass nvidia-2").stderr


def test_the_second_machine_deployment_is_applied_with_the_template_of_the_patch(shell):
    shell("kubectl --context $MANAGEMENT apply --filename $MACHINES")
    config = json.loads(shell("kubectl --context $MANAGEMENT get talosconfigtemplates gpu --output json").stdout)["spec"]["template"][
        "spec"
    ]

    assert config["generateType"] == "worker"
    assert [list(yaml.safe_load(patch)["machine"]) for patch in config["strategicPatches"]] == [["kernel"], ["install"]]


def test_the_part_of_a_control_plane_is_taken_when_it_is_merged(api):
    part = yaml.safe_load(cluster_api(taints=[Taint("node-role.kubernetes.io/control-plane")]))
    reference = {"apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1", "kind": "MetalMachineTemplate", "name": "main"}
    whole = part | {"spec": {"replicas": 3, "version": "v1.34.1", "infrastructureTemplate": reference, **part["spec"]}}

    assert api.dry_run(whole) == []
    with pytest.raises(Exception, match="version: Required value"):
        api.dry_run(part)
    whole["spec"]["controlPlaneConfig"]["controlplane"]["strategicPatch"] = []
    with pytest.raises(Exception, match=r"unknown field \"spec.controlPlaneConfig.controlplane.strategicPatch\""):
        api.dry_run(whole)


@pytest.mark.parametrize(
    "nodes", [{}, {"name": "rtx", "taints": [Taint("dedicated", "ai")], "labels": {"role": "gpu"}}, {"product": "H100"}]
)
def test_the_template_of_workers_is_taken(nodes, api):
    assert api.dry_run(yaml.safe_load(cluster_api(**nodes)), namespace="gpu") == []
