"""Terraform: releases, objects and nodes as resources of the providers helm, kubernetes, kubectl and talos."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from random import Random
from typing import Any

from .hcl import Raw, block, call, expression, heredoc
from .model import Cluster, Node, Object, Release
from .releases import dumped
from .tree import Tree
from .working import Text


def label(name: str) -> str:
    """A name as the label of a block."""
    return re.sub(r"\W", "_", name)


def written(value: Any) -> Any:
    """The value with its texts of YAML as calls of `yamlencode`."""
    if isinstance(value, Text):
        return call("yamlencode", dict(value))
    if isinstance(value, dict):
        return {key: written(each) for key, each in value.items()}
    return [written(each) for each in value] if isinstance(value, list) else value


@dataclass
class Root:
    """The files of one module, with the variables and locals that its resources name."""

    random: Random
    tree: Tree
    folder: str
    blocks: dict[str, list[str]] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    local: dict[str, Any] = field(default_factory=dict)

    def add(self, file: str, *blocks: str) -> None:
        """Add blocks to a file."""
        self.blocks.setdefault(file, []).extend(blocks)

    def variable(self, name: str, value: Any) -> Raw:
        """The name of a value: of a variable with this default, or of a local."""
        name = label(name)
        store, kind = (self.variables, "var") if self.random.random() < 0.5 else (self.local, "local")
        while store.setdefault(name, value) != value:
            name += "_2"
        return Raw(f"{kind}.{name}")

    def value(self, name: str, value: Any) -> Any:
        """The value, or the name of one."""
        return self.variable(name, value) if self.random.random() < 0.4 else value

    def file(self, path: str, text: str) -> Raw:
        """The text of a file of the module."""
        self.tree.text(f"{self.folder}/{path}", text)
        return Raw(f'file("${{path.module}}/{path}")')

    def template(self, path: str, value: Object) -> Raw:
        """The value as a file of YAML, in which one text is filled in."""
        value, names = dict(value), dict[str, Any]()
        texts = [key for key, each in value.items() if isinstance(each, str) and not isinstance(each, Text) and each]
        if texts:
            key = self.random.choice(texts)
            names[label(key)] = self.value(key, value[key])
            text = dumped({**value, key: "FILLED-IN"}).replace("${", "$${").replace("FILLED-IN", f'"${{{label(key)}}}"')
        else:
            text = dumped(value).replace("${", "$${")
        self.tree.text(f"{self.folder}/{path}", text.replace("%{", "%%{"))
        return Raw(f'templatefile("${{path.module}}/{path}", {expression(names)})')

    def text_of(self, name: str, value: Object) -> Any:
        """The value as a text of YAML, in one of the ways of Terraform."""
        form = self.random.choice(("yamlencode", "yamlencode", "local", "file", "templatefile", "heredoc"))
        if form == "local":
            self.local[label(f"{name}_values")] = written(value)
            return call("yamlencode", Raw(f"local.{label(f'{name}_values')}"))
        if form == "file":
            return self.file(f"values/{name}.yaml", dumped(value))
        if form == "templatefile":
            return self.template(f"templates/{name}.yaml.tftpl", value)
        return heredoc(dumped(value)) if form == "heredoc" else call("yamlencode", written(value))

    def write(self) -> None:
        """Write the files."""
        for name, value in self.variables.items():
            kind = {bool: "bool", int: "number", str: "string"}.get(type(value), "any")
            self.add("variables.tf", block("variable", name, type=Raw(kind), default=value))
        if self.local:
            self.add(self.random.choice(("locals.tf", "main.tf")), block("locals", **self.local))
        for file, blocks in self.blocks.items():
            self.tree.text(f"{self.folder}/{file}", "\n".join(blocks))


def release_block(root: Root, each: Release) -> str:
    """A `helm_release`."""
    random, values, sets = root.random, dict(each.values), ""
    where = each.repository.removesuffix(f"/{each.chart}") if each.is_oci else each.repository
    layers: list[Any] = []
    for key, part in [*values.items()]:
        if random.random() < 0.15 and isinstance(part, dict) and part and all(type(leaf) is bool for leaf in part.values()):
            sets += "".join(block("set", name=f"{key}.{name}", value=leaf) for name, leaf in part.items())
            del values[key]
    if len(values) > 1 and random.random() < 0.2:
        first = next(iter(values))
        layers.append(root.text_of(f"{each.name}-first", {first: values.pop(first)}))
    if values:
        layers.append(root.text_of(each.name, values))
    arguments: Object = {
        "name": each.name,
        "repository": root.value(f"{each.chart}_repository", where),
        "chart": each.chart,
        "version": root.value(f"{each.chart}_version", each.version),
        "namespace": each.namespace,
        "create_namespace": random.choice((True, False)),
    }
    return block("resource", "helm_release", label(each.name), **arguments, **({"values": layers} if layers else {}), blocks=sets)


def manifest(root: Root, body: Object, number: int) -> str:
    """An object as a resource."""
    random, meta = root.random, body["metadata"]
    name = label(f"{body['kind'].lower()}_{meta['name']}_{number}")
    if body["kind"] == "Namespace" and set(body) == {"apiVersion", "kind", "metadata"} and random.random() < 0.6:
        return block("resource", random.choice(("kubernetes_namespace", "kubernetes_namespace_v1")), name, blocks=block("metadata", **meta))
    if body["kind"] == "RuntimeClass" and set(body) == {"apiVersion", "kind", "metadata", "handler"} and random.random() < 0.3:
        return block("resource", "kubernetes_runtime_class_v1", name, blocks=block("metadata", **meta), handler=body["handler"])
    if random.random() < 0.5:
        return block("resource", "kubernetes_manifest", name, manifest=written(body))
    return block("resource", "kubectl_manifest", name, yaml_body=root.text_of(name, body))


def nodes(root: Root, cluster: Cluster, machines: dict[str, Object], schematics: dict[str, Object], server: Object | None) -> None:
    """The configurations of the nodes: by one resource for all of them, or by one for each."""
    random = root.random
    root.variables |= {"talos_version": cluster.talos, "kubernetes_version": cluster.kubernetes.removeprefix("v")}
    images = {each.name: _image(root, each, schematics.get(each.name)) for each in cluster.nodes}
    root.add("main.tf", block("terraform", blocks=block("required_providers", talos={"source": "siderolabs/talos", "version": "0.10.1"})))
    root.add("main.tf", block("resource", "talos_machine_secrets", "this", talos_version=Raw("var.talos_version")))
    patches = [call("yamlencode", {"cluster": {"apiServer": server}})] if server else []
    common: Object = {
        "cluster_name": root.value("cluster_name", cluster.name),
        "cluster_endpoint": "https://10.0.0.5:6443",
        "machine_secrets": Raw("talos_machine_secrets.this.machine_secrets"),
        "talos_version": Raw("var.talos_version"),
        "kubernetes_version": Raw("var.kubernetes_version"),
    }
    client = Raw("talos_machine_secrets.this.client_configuration")
    if random.random() < 0.5:
        entries = {
            each.name: {
                "address": each.address,
                "type": "controlplane" if each.is_control_plane else "worker",
                "image": images[each.name],
                "machine": machines[each.name],
            }
            for each in cluster.nodes
        }
        root.local["nodes"] = entries
        every = Raw("local.nodes")
        of_role = Raw(f'each.value.type == "controlplane" ? {expression(patches)} : []') if patches else []
        root.add(
            "nodes.tf",
            block(
                "data",
                "talos_machine_configuration",
                "this",
                for_each=every,
                machine_type=Raw("each.value.type"),
                config_patches=of_role,
                **common,
            ),
            block(
                "resource",
                "talos_machine_configuration_apply",
                "this",
                for_each=every,
                client_configuration=client,
                machine_configuration_input=Raw("data.talos_machine_configuration.this[each.key].machine_configuration"),
                node=Raw("each.value.address"),
                config_patches=[
                    call("yamlencode", {"machine": {"install": {"disk": "/dev/sda", "image": Raw("each.value.image")}}}),
                    Raw("yamlencode({ machine = { network = { hostname = each.key } } })"),
                    Raw("yamlencode({ machine = each.value.machine })"),
                ],
            ),
        )
        return
    for role in ("controlplane", "worker"):
        of_role = patches if role == "controlplane" else []
        root.add(
            "main.tf",
            block(
                "data", "talos_machine_configuration", role, machine_type=role, **common, **({"config_patches": of_role} if of_role else {})
            ),
        )
    for each in cluster.nodes:
        role = "controlplane" if each.is_control_plane else "worker"
        body = {"machine": machines[each.name]}
        install = {"disk": "/dev/sda", "image": images[each.name]}
        own = {"machine": {"install": install, "network": {"hostname": each.name}}}
        root.add(
            "nodes.tf",
            block(
                "resource",
                "talos_machine_configuration_apply",
                label(each.name),
                client_configuration=client,
                machine_configuration_input=Raw(f"data.talos_machine_configuration.{role}.machine_configuration"),
                node=each.address,
                config_patches=[call("yamlencode", own), *([root.text_of(each.name, body)] if body["machine"] else [])],
            ),
        )


def _image(root: Root, node: Node, schematic: Object | None) -> Any:
    """The installer image of a node. Its schematic is a resource, without an argument for an image without extensions."""
    if node.image:
        return node.image
    random, name = root.random, label(node.name)
    form = random.choice(("yamlencode", "heredoc", "file"))
    text: Object = {}
    if schematic is not None:
        text["schematic"] = (
            root.file(f"schematics/{node.name}.yaml", dumped(schematic))
            if form == "file"
            else call("yamlencode", schematic)
            if form == "yamlencode"
            else heredoc(dumped(schematic))
        )
    root.add("image.tf", block("resource", "talos_image_factory_schematic", name, **text))
    if random.random() < 0.5:
        arguments = {"talos_version": Raw("var.talos_version"), "schematic_id": Raw(f"talos_image_factory_schematic.{name}.id")}
        root.add("image.tf", block("data", "talos_image_factory_urls", name, platform="metal", **arguments))
        return Raw(f"data.talos_image_factory_urls.{name}.urls.installer")
    return Raw(f'"factory.talos.dev/metal-installer/${{talos_image_factory_schematic.{name}.id}}:${{var.talos_version}}"')
