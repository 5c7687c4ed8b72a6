"""The GPU parts that a report counts."""

import pytest

from constructs_lib.observed.agents.gpu_parts import gpu_parts
from constructs_lib.observed.read.repository import read_text

RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: a, namespace: a}}
spec:
  chart: {{spec: {{chart: {chart}, version: {version}}}}}
  values: {values}
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec: {spec}\n"
CLAIM = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: c}
spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
---
"""


def release(chart, version="v26.7.0", values="{}"):
    return RELEASE.format(chart=chart, version=version, values=values)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (release("gpu-operator"), {"GPU operator": 1}),
        (release("nvidia-device-plugin", "0.20.0", "{runtimeClassName: nvidia}"), {"device plugin": 1}),
        (release("dcgm-exporter", "4.8.3"), {"DCGM exporter": 1}),
        (release("nvidia-dra-driver-gpu", "25.12.0"), {"DRA driver": 1}),
        (
            "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: n}\nhandler: nvidia-cdi\n",
            {"RuntimeClass of NVIDIA": 1},
        ),
        (POD.format(spec="{containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}"), {"GPU workload": 1}),
        (POD.format(spec="{runtimeClassName: nvidia, containers: [{name: a}]}"), {"GPU workload": 1}),
        (POD.format(spec="{containers: [{name: a, env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]}]}"), {"GPU workload": 1}),
        (CLAIM + POD.format(spec="{resourceClaims: [{name: c, resourceClaimTemplateName: c}], containers: [{name: a}]}"), {"GPU workload": 1}),
        ("machine: {kernel: {modules: [{name: nvidia}]}}\n", {"GPU node configuration": 1}),
        ("machine: {kernel: {modules: [{name: zfs}]}}\n", {}),
        (POD.format(spec="{containers: [{name: a, resources: {limits: {gpu.intel.com/i915: 1}}}]}"), {}),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: for the nvidia card}\n", {"other mention of NVIDIA": 1}),
        ("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '${NVIDIA_TAG}'}\n", {"other mention of NVIDIA": 1}),
    ],
)  # fmt: skip
def test_each_part_is_counted_once(text, parts):
    assert gpu_parts(read_text(text)) == parts


def test_an_agent_of_the_stack_is_no_workload():
    plugin = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: p}
spec:
  template:
    spec: {runtimeClassName: nvidia, containers: [{name: a, image: 'nvcr.io/nvidia/k8s-device-plugin:v0.20.0'}]}
"""
    assert gpu_parts(read_text(plugin)) == {"device plugin": 1}


def test_mentions_are_not_counted_beside_a_part():
    text = f"{release('gpu-operator')}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: nvidia}}\n"

    assert gpu_parts(read_text(text)) == {"GPU operator": 1}
