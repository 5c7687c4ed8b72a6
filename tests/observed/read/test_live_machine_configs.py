"""The output of `talosctl get machineconfig`."""

import json

import pytest

from constructs_lib.observed.read.repository import read, read_text

RESOURCE = """\
node: NODE
metadata:
    namespace: config
    type: MachineConfigs.config.talos.dev
    id: v1alpha1
    version: 2
    owner:
    phase: running
    annotations:
        talos.dev/yaml-spec: 1
spec: |
    version: v1alpha1
    machine:
        type: worker
        token: REDACTED
        ca: {crt: REDACTED}
        install:
            image: ghcr.io/siderolabs/installer:v1.13.4
        sysctls:
            a: LEVEL
    ---
    apiVersion: v1alpha1
    kind: KernelModuleConfig
    name: nvidia
"""


def resource(node, level="active", identity="v1alpha1"):
    return RESOURCE.replace("NODE", node).replace("LEVEL", level).replace("id: v1alpha1", f"id: {identity}")


def as_json(text):
    """The text as `talosctl -o json` prints it: with sorted keys, and without a separator between nodes."""
    head, spec = text.split("spec: |\n")
    node = head.split("\n")[0].removeprefix("node: ")
    identity = head.split("    id: ")[1].split("\n")[0]
    body = {
        "metadata": {"id": identity, "namespace": "config", "type": "MachineConfigs.config.talos.dev", "version": 2},
        "node": node,
        "spec": "".join(line[4:] for line in spec.splitlines(keepends=True)),
    }
    return json.dumps(body, indent=4) + "\n"


def levels(text):
    inputs = read_text(text, file="config.yaml")
    assert inputs.skipped == ()
    return {each.name: each.sysctls["a"] for each in inputs.node_configs}


def test_the_configuration_of_a_running_node_is_whole():
    (config,) = read_text(resource("10.0.0.3"), file="config.yaml").node_configs
    assert (config.name, config.scope, config.complete, config.control_plane) == ("10.0.0.3", "node", True, False)
    assert (config.talos_version, config.kernel_modules, config.extensions) == ("v1.13.4", ("nvidia",), ())
    assert config.line_of(("documents", 0, "machine", "sysctls", "a")) == 20
    assert config.line_of(("documents", 1, "name")) == 24


def test_a_hostname_in_the_configuration_is_the_name_of_the_node():
    text = resource("10.0.0.3") + "    ---\n    apiVersion: v1alpha1\n    kind: HostnameConfig\n    hostname: gpu\n"
    assert levels(text) == {"gpu": "active"}


@pytest.mark.parametrize("written", [str, as_json])
def test_the_active_configuration_of_each_of_several_nodes_counts(written):
    texts = [
        resource("a", "staged", "persistent"),
        resource("a"),
        resource("b"),
        resource("b", "staged", "persistent"),
        resource("c", "only", "persistent"),
    ]
    separator = "---\n" if written is str else ""
    assert levels(separator.join(map(written, texts))) == {"a": "active", "b": "active", "c": "only"}


def test_a_text_of_json_stands_in_one_line():
    (config,) = read_text(as_json(resource("a")) + as_json(resource("b")), file="config.json").node_configs[1:]
    assert config.line_of(("documents", 0, "machine", "sysctls", "a")) == config.line_of(("documents", 1, "name")) == 19


def test_the_configuration_may_be_a_mapping_as_older_releases_print_it():
    text = resource("a").replace("spec: |", "spec:").partition("    ---")[0]
    assert levels(text) == {"a": "active"}


def test_the_output_in_a_folder_is_read(tmp_path):
    (tmp_path / "nodes.json").write_text(as_json(resource("a")) + as_json(resource("b")))
    (tmp_path / "c.yaml").write_text(resource("c"))
    assert [each.name for each in read([tmp_path]).node_configs] == ["c", "a", "b"]


@pytest.mark.parametrize("spec", ["5", "null", "[]", "{}", "'{{'", "'[[['", "${A}", "|\n    - a", '"\\0"'])
def test_a_value_of_a_wrong_type_is_no_configuration(spec):
    head = resource("a").partition("spec:")[0]
    assert read_text(f"{head}spec: {spec}\n").node_configs == ()
    assert read_text(f"metadata: {spec}\nspec: {spec}\n").node_configs == ()
