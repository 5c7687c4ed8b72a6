"""The layouts of Talos' configuration: by which files the nodes of a cluster are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import terraform as hcl
from .model import Cluster, Node, Object
from .releases import dumped
from .tree import Tree

NodeLayout = Callable[[Cluster, Tree, str], None]
NODE_LAYOUTS: dict[str, NodeLayout] = {}


def node_layout(write: NodeLayout) -> NodeLayout:
    """A layout, by the name of its function."""
    NODE_LAYOUTS[write.__name__.replace("_", "-")] = write
    return write


def written_taint(taint: Object) -> str:
    """The value of a taint in `nodeTaints`."""
    return f"{taint['value']}:{taint['effect']}" if taint["value"] else str(taint["effect"])


def kubelet_taints(node: Node) -> list[Object]:
    """The taints for the kubelet's configuration."""
    return [{key: value for key, value in each.items() if value} for each in node.taints]


def machine_of(node: Node, *, with_labels: bool = True) -> Object:
    """The fields of the node that stand below `machine`."""
    machine: Object = dict(node.machine)
    if node.modules and "kernel" not in machine:
        machine["kernel"] = {"modules": [{"name": each} for each in node.modules]}
    if node.sysctls:
        machine["sysctls"] = dict(node.sysctls)
    if with_labels and node.labels:
        machine["nodeLabels"] = dict(node.labels)
    if node.taints:
        kubelet = machine.get("kubelet", {})
        machine["kubelet"] = {**kubelet, "extraConfig": {**kubelet.get("extraConfig", {}), "registerWithTaints": kubelet_taints(node)}}
    return machine


def admission(cluster: Cluster) -> Object | None:
    """The patch of `cluster.apiServer` that says what Pod Security does; None for Talos' own default."""
    if cluster.pod_security == "labels":
        return None
    defaults = {"enforce": "privileged" if cluster.pod_security == "privileged" else "baseline", "enforce-version": "latest"}
    configuration: Object = {
        "apiVersion": "pod-security.admission.config.k8s.io/v1alpha1",
        "kind": "PodSecurityConfiguration",
        "defaults": defaults,
    }
    configuration["exemptions"] = {"namespaces": ["kube-system", *(cluster.exempt if cluster.pod_security == "exempt" else [])]}
    if cluster.pod_security == "off":
        return {"disablePodSecurityPolicy": True, "admissionControl": {"$patch": "delete"}}
    return {"admissionControl": [{"name": "PodSecurity", "configuration": configuration}]}


def schematic(node: Node) -> Object:
    """A schematic of the Image Factory."""
    arguments = {"extraKernelArgs": list(node.kernel_args)} if node.kernel_args else {}
    return {"customization": {**arguments, "systemExtensions": {"officialExtensions": list(node.extensions)}}}


@node_layout
def talhelper(cluster: Cluster, tree: Tree, root: str) -> None:
    """talconfig.yaml, with patches in it or beside it."""
    folder = f"{root}{tree.random.choice(('talos', 'kubernetes/bootstrap/talos', 'bootstrap/talos'))}"
    nodes = []
    for node in cluster.nodes:
        entry: Object = {
            "hostname": node.name,
            "ipAddress": node.address,
            "controlPlane": node.is_control_plane,
            "installDisk": "/dev/nvme0n1",
        }
        if node.image:
            entry["talosImageURL"] = node.image.partition(":")[0]
        if node.extensions:
            entry["schematic"] = schematic(node)
        machine = machine_of(node)
        if "kernel" in machine and tree.random.random() < 0.5:
            entry["kernelModules"] = machine.pop("kernel")["modules"]
        if "nodeLabels" in machine and tree.random.random() < 0.5:
            entry["nodeLabels"] = machine.pop("nodeLabels")
        if machine and tree.random.random() < 0.5:
            name = f"{node.name}.yaml"
            tree.put(f"{folder}/patches/{name}", {"machine": machine})
            entry["patches"] = [f"@./patches/{name}"]
        elif machine:
            entry["patches"] = [dumped({"machine": machine})]
        nodes.append(entry)
    config: Object = {"clusterName": cluster.name, "talosVersion": cluster.talos, "kubernetesVersion": cluster.kubernetes}
    config |= {"endpoint": "https://10.0.0.5:6443", "nodes": nodes}
    if server := admission(cluster):
        patch = {"cluster": {"apiServer": server}}
        if tree.random.random() < 0.5:
            tree.put(f"{folder}/patches/controller/admission.yaml", patch)
            config["controlPlane"] = {"patches": ["@./patches/controller/admission.yaml"]}
        else:
            config["patches"] = [dumped(patch)]
    tree.put(f"{folder}/talconfig.yaml", config)


def whole_config(cluster: Cluster, node: Node) -> list[Object]:
    """The generated configuration of one node."""
    image = node.image or f"factory.talos.dev/metal-installer/{'0123456789abcdef' * 4}:{cluster.talos}"
    machine: Object = {"type": "controlplane" if node.is_control_plane else "worker", "token": "abcdef.0123456789abcdef"}
    machine |= {"ca": {"crt": "Y2VydGlmaWNhdGU="}, "install": {"disk": "/dev/nvme0n1", "image": image}, **machine_of(node)}
    machine["network"] = {"hostname": node.name}
    body: Object = {
        "version": "v1alpha1",
        "machine": machine,
        "cluster": {"clusterName": cluster.name, "controlPlane": {"endpoint": "https://10.0.0.5:6443"}},
    }
    if node.is_control_plane:
        server = admission(cluster) or admission(Cluster("", "v1.13.0", "", pod_security="exempt"))
        assert server is not None
        body["cluster"]["apiServer"] = {key: value for key, value in server.items() if value != {"$patch": "delete"}}
    return [body]


@node_layout
def machine_configs(cluster: Cluster, tree: Tree, root: str) -> None:
    """The whole configuration of each node."""
    for node in cluster.nodes:
        tree.put(f"{root}talos/{node.name}.yaml", *whole_config(cluster, node))


@node_layout
def patches(cluster: Cluster, tree: Tree, root: str) -> None:
    """Patches alone, as people keep them beside configurations that are not in git."""
    folder = f"{root}{tree.random.choice(('talos/patches', 'machineconfig', 'talos'))}"
    if node := next(iter(cluster.gpu_nodes), None):
        tree.put(f"{folder}/gpu.yaml", {"machine": machine_of(node)})
        tree.put(f"{folder}/schematic-gpu.yaml", schematic(node))
    if server := admission(cluster):
        tree.put(f"{folder}/controlplane.yaml", {"cluster": {"apiServer": server}})


@node_layout
def omni(cluster: Cluster, tree: Tree, root: str) -> None:
    """A template of Omni: the cluster, its control plane, workers, and the workers with GPUs."""
    main: Object = {
        "kind": "Cluster",
        "name": cluster.name,
        "kubernetes": {"version": cluster.kubernetes},
        "talos": {"version": cluster.talos},
    }
    if server := admission(cluster):
        main["patches"] = [{"name": "admission", "inline": {"cluster": {"apiServer": server}}}]
    control = [each for each in cluster.nodes if each.is_control_plane]
    documents: list[Object] = [main, {"kind": "ControlPlane", "machines": [_uuid(each) for each in control]}]
    others = [each for each in cluster.nodes if not each.is_control_plane and not each.modules]
    if others:
        documents.append({"kind": "Workers", "name": "workers", "machines": [_uuid(each) for each in others]})
    if gpus := cluster.gpu_nodes:
        one: Object = {"kind": "Workers", "name": "gpu-workers", "machines": [_uuid(each) for each in gpus]}
        one["systemExtensions"] = list(gpus[0].extensions)
        patch: Object = {"name": "gpu", "inline": {"machine": machine_of(gpus[0])}}
        if tree.random.random() < 0.5:
            patch = {"file": "patches/gpu.yaml"}
            tree.put(f"{root}omni/patches/gpu.yaml", {"machine": machine_of(gpus[0])})
        documents.append({**one, "patches": [patch]})
    tree.put(f"{root}omni/cluster.yaml", *documents)


def _uuid(node: Node) -> str:
    number = int(node.address.rsplit(".", 1)[-1])
    return f"430d882a-51a8-48b3-ab00-{number:012d}"


@node_layout
def documents(cluster: Cluster, tree: Tree, root: str) -> None:
    """Patches in Talos' documents of 1.14; the fields, for an older Talos."""
    if cluster.minor < 14:
        patches(cluster, tree, root)
        return
    node = cluster.gpu_nodes[0]
    made: list[Any] = [{"apiVersion": "v1alpha1", "kind": "KernelModuleConfig", "name": each} for each in node.modules]
    config: Object = {"apiVersion": "v1alpha1", "kind": "KubeNodeConfig"}
    config |= {"labels": dict(node.labels)} if node.labels else {}
    config |= {"taints": {each["key"]: written_taint(each) for each in node.taints}} if node.taints else {}
    made += [config] if len(config) > 2 else []
    tree.put(f"{root}talos/gpu-patch.yaml", *made)
    tree.put(f"{root}talos/gpu-schematic.yaml", schematic(node))
    if server := admission(cluster):
        tree.put(f"{root}talos/controlplane.yaml", {"cluster": {"apiServer": server}})


@node_layout
def terraform(cluster: Cluster, tree: Tree, root: str) -> None:
    """The provider siderolabs/talos: configurations, schematics, and what applies them."""
    module = hcl.Root(tree.random, tree, f"{root}{tree.random.choice(('terraform/talos', 'talos', 'tofu'))}")
    machines = {each.name: machine_of(each) for each in cluster.nodes}
    hcl.nodes(module, cluster, machines, {each.name: schematic(each) for each in cluster.nodes if each.extensions}, admission(cluster))
    module.write()


@node_layout
def clustertool(cluster: Cluster, tree: Tree, root: str) -> None:
    """talconfig.yaml of ClusterTool. What Pod Security does is said in a patch that ClusterTool makes and git does not hold."""
    folder = f"{root}clusters/main/talos"
    nodes = []
    for node in cluster.nodes:
        entry: Object = {
            "hostname": node.name,
            "ipAddress": f"${{{node.name.upper().replace('-', '')}_IP}}",
            "controlPlane": node.is_control_plane,
        }
        if node.image:
            entry["talosImageURL"] = node.image.partition(":")[0]
        machine = machine_of(node)
        if "nodeLabels" in machine:
            entry["nodeLabels"] = machine.pop("nodeLabels")
        if node.modules:
            entry["schematic"] = schematic(node)
        if machine:
            name = "nvidia.yaml" if node == next(iter(cluster.gpu_nodes), None) else f"{node.name}.yaml"
            tree.put(f"{folder}/patches/{name}", {"machine": machine})
            entry["patches"] = [f"@./patches/{name}"]
        nodes.append(entry)
    tools = {"customization": {"systemExtensions": {"officialExtensions": ["siderolabs/util-linux-tools", "siderolabs/iscsi-tools"]}}}
    config: Object = {"clusterName": "${CLUSTERNAME}", "talosVersion": cluster.talos, "kubernetesVersion": cluster.kubernetes}
    config |= {"endpoint": "https://${VIP}:6443", "patches": ["@./patches/all.yaml"], "nodes": nodes}
    for role, patch in (("controlPlane", "controlplane.yaml"), ("worker", "worker.yaml")):
        config[role] = {"patches": [f"@./patches/{patch}"], "kernelModules": [{"name": "nvme_tcp"}], "schematic": tools}
    tree.put(f"{folder}/talconfig.yaml", config)
    tree.put(f"{root}clusters/main/clusterenv.yaml", {"VIP": "10.0.0.5"})


@node_layout
def nothing(cluster: Cluster, tree: Tree, root: str) -> None:
    """The nodes are made outside of git."""
