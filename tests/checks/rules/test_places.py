"""The line and the fix of findings that no failing example shows."""

import pytest

from constructs_lib import GpuNodes, Taint
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: ai}
spec:
  runtimeClassName: %s
  tolerations: [{key: other, operator: Exists}]
  resourceClaims:
    - name: card
      resourceClaimTemplateName: none
  containers:
    - name: main
      image: a:1
      resources: {%s}
"""
LIMIT = "limits: {nvidia.com/gpu: 1}"
OPERATOR = """\
driver: {enabled: false}
toolkit: {enabled: false}
hostPaths: {driverInstallDir: /usr/local}
"""
PLUGIN = """\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin, namespace: kube-system}
spec:
  template:
    spec:
      runtimeClassName: nvidia
      containers: [{name: a, image: "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"}]
"""
EXPORTER = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: exporter, namespace: kube-system}
spec:
  template:
    spec:
      runtimeClassName: nvidia
      containers:
        - name: a
          image: nvcr.io/nvidia/k8s/dcgm-exporter:4.8.2-4.6.0-distroless
          resources:
            limits: {nvidia.com/gpu: 1, memory: 1Gi}
"""
GPU_CLUSTER = "apiVersion: nvidia.com/v1alpha1\nkind: GPUCluster\nmetadata: {name: a}\n"
CUSTOMIZATION = "apiVersion: v1alpha1\nkind: CRICustomizationConfig\nname: customization\ncontent: ''\n"
TAINTED = GpuNodes(talos_version="1.13", taints=[Taint("dedicated", "ai")])
ONE = GpuNodes(talos_version="1.13", count=1, gpus_per_node=1)
TWO = POD % ("nvidia", LIMIT) + "---\n" + (POD % ("nvidia", LIMIT)).replace("name: a,", "name: b,")
TALHELPER = "clusterName: a\ntalosVersion: v1.99.1\nendpoint: https://a:6443\nnodes:\n  - hostname: gpu-1\n"
CREATED = "devicePlugin:\n  config:\n    create: false\n    data: {a: 'version: v1'}\n"
BESIDE_CDI = "cdi: {enabled: true}\ndevicePlugin:\n  env:\n    - name: DEVICE_LIST_STRATEGY\n      value: envvar\n"
CHART = "gpu-operator@v26.7.0"

CASES = [
    ("TG086", CUSTOMIZATION, {"talos": "1.14"}, "name: customization", "Set another name on the CRICustomizationConfig"),
    ("TG035", EXPORTER, {}, "limits: {nvidia.com/gpu: 1, memory: 1Gi}", "Remove nvidia.com/gpu from the limits"),
    ("TG053", POD % ("nvidia", LIMIT), {"nodes": [TAINTED]}, "tolerations: [{key: other, operator: Exists}]", "Add {key: dedicated,"),
    ("TG096", TWO, {"nodes": [ONE]}, "resources: {limits: {nvidia.com/gpu: 1}}", "Scale a workload down"),
    ("TG033", GPU_CLUSTER, {}, "kind: GPUCluster", "Set gpuCluster.deployCR: false"),
    ("TG026", OPERATOR + PLUGIN, {"chart": CHART}, "spec:", "Set devicePlugin.enabled: false in the operator's values"),
    ("TG054", POD % ("nvidia", ""), {}, "resourceClaimTemplateName: none", "Add a ResourceClaimTemplate none to the namespace of the pods"),
    ("TG024", OPERATOR + CREATED, {"chart": CHART}, "data: {a: 'version: v1'}", "Set devicePlugin.config.create: true, and"),
    ("TG008", OPERATOR + BESIDE_CDI, {"chart": CHART, "talos": "1.13"}, "value: envvar", "Remove DEVICE_LIST_STRATEGY"),
    ("TG101", TALHELPER, {}, "hostname: gpu-1", ""),
    ("TG042", POD % ("nvidia-cdi", LIMIT), {}, "runtimeClassName: nvidia-cdi", "Set runtimeClassName: nvidia"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "text", "given", "line", "fix"), CASES, ids=[f"{case[0]}-{number}" for number, case in enumerate(CASES)])
def test_a_finding_has_its_line_and_its_fix(rule, text, given, line, fix):
    findings = run_rules(read_text(text, file="a.yaml", **given), select=[rule])

    assert findings
    last = findings[-1]
    assert text.splitlines()[(last.line or 1) - 1].strip().removeprefix("- ") == line
    assert last.fix.startswith(fix)
