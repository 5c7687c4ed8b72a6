"""Operations of RFC 6902 on Talos' machine configuration, in files that nobody names."""

import itertools
import json

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read, read_text
from constructs_lib.observed.read.talos.documents import may_be_of_talos

PATCH = """\
- op: add
  path: /machine/kernel
  value:
    modules:
      - name: nvidia
- {op: add, path: /machine/nodeLabels/gpu, value: 'yes'}
- {op: replace, path: /cluster/apiServer/admissionControl, value: []}
"""
OPERATIONS = [{"op": "add", "path": "/machine/sysctls", "value": {"net.core.bpf_jit_harden": "1"}}]


def test_a_list_of_operations_is_a_patch_of_unknown_nodes():
    (config,) = read_text(PATCH, file="gpu.yaml").node_configs
    assert (config.scope, config.name, config.complete) == ("patch", "gpu.yaml", False)
    assert (config.kernel_modules, config.labels) == (("nvidia",), {"gpu": "yes"})
    assert config.line_of(("documents", 0, "machine", "kernel", "modules", 0)) == 5


@pytest.mark.parametrize("indent", [None, 2])
def test_it_is_read_from_json_in_a_folder(tmp_path, indent):
    (tmp_path / "patch.json").write_text(json.dumps(OPERATIONS, indent=indent))
    (config,) = read([tmp_path]).node_configs
    assert config.sysctls == {"net.core.bpf_jit_harden": "1"}


def test_a_patch_that_talhelper_names_is_not_read_twice(tmp_path):
    (tmp_path / "gpu.yaml").write_text(PATCH)
    (tmp_path / "talconfig.yaml").write_text(
        "clusterName: a\nendpoint: https://a:6443\nnodes: [{hostname: gpu, controlPlane: false, patches: ['@gpu.yaml']}]\n"
    )
    assert [(each.name, each.kernel_modules) for each in read([tmp_path]).node_configs] == [("gpu", ("nvidia",))]


@pytest.mark.parametrize(
    "text",
    [
        "- {op: add, path: /spec/template/spec/runtimeClassName, value: nvidia}\n",
        "- {op: add, path: /machine/kernel, value: {}}\n- {op: add, path: /metadata/labels, value: {}}\n",
        "- {op: add, path: /machine, value: {}}\n",
        "- {op: add, path: /machine/frobnicate, value: {}}\n",
        "- {path: /machine/kernel, value: {}}\n",
        "- {op: add, path: [/machine/kernel], value: {}}\n",
        "- {op: add, path: ${P}, value: {}}\n",
        "- 5\n- {op: add, path: /machine/kernel, value: {}}\n",
        "[]\n",
    ],
)
def test_another_list_is_no_patch_of_talos(text):
    assert read_text(text).node_configs == ()


STRANGE = itertools.product(
    ["5", "null", "[]", "{}", "[[x]]", "${A}", "[{name: []}]", "{modules: {}}"],
    ["add", "replace", "remove", "test", "[]", "{a: b}", "5", "${OP}"],
    ["kernel", "nodeLabels/~1/~0", "files/-", "files/99999999999", "install/" + "a/" * 300],
)


def test_strange_operations_are_read():
    unread, crashes = [], []
    for value, op, path in STRANGE:
        text = f"- {{op: '{op}', path: /machine/{path}, value: 1}}\n- op: {op}\n  path: /machine/{path}\n  value: {value}\n"
        inputs = read_text(text)
        run_rules(inputs, crashes=crashes)
        if not (inputs.node_configs or inputs.skipped):
            unread.append(text)

    assert (crashes, unread) == ([], [])


def test_a_mapping_within_braces_may_be_wrapped():
    text = """{nodes: [{hostname: a, patches: ["machine:\\n  env:\\n    A:
            b"]}], talosVersion: v1.13.9, endpoint: 'https://a:6443'}"""

    assert may_be_of_talos(text)
    assert not may_be_of_talos(text.replace("talosVersion", "otherVersion"))
