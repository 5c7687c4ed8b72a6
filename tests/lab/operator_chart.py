"""A chart of the tests' own in the shape of the GPU operator's: real Helm renders it where upstream's is not at hand.

Its objects are those that the agents of the laboratory read: the ClusterPolicy with its CRD, the operator's pod, and the worker of node feature discovery
with its configuration. The values have upstream's names, and the fields of the ClusterPolicy follow from them as in upstream's chart
(NVIDIA/gpu-operator deployments/gpu-operator/templates at v26.7.0).
"""

import shutil
from pathlib import Path

_FILES = {
    "Chart.yaml": "{apiVersion: v2, name: gpu-operator, version: 1.0.0}\n",
    # The CRD asks for these fields.
    "values.yaml": """\
nfd: {enabled: true}
operator: {runtimeClass: nvidia}
daemonsets: {tolerations: [{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}]}
dcgm: {enabled: false}
dcgmExporter: {enabled: true}
devicePlugin: {enabled: true}
driver: {enabled: true}
gfd: {enabled: true}
mig: {strategy: single}
nodeStatusExporter: {enabled: false}
toolkit: {enabled: true}
node-feature-discovery:
  worker:
    tolerations:
      - {key: node-role.kubernetes.io/control-plane, operator: Exists, effect: NoSchedule}
      - {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}
    config:
      sources:
        pci: {deviceClassWhitelist: ["02", "0200", "0207", "0300", "0302"], deviceLabelFields: [vendor]}
""",
    "templates/policy.yaml": """\
apiVersion: nvidia.com/v1
kind: ClusterPolicy
metadata: {name: cluster-policy}
spec: {{ set (omit .Values "nfd" "node-feature-discovery" "global") "operator" (omit .Values.operator "tolerations") | toJson }}
""",
    "templates/operator.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: gpu-operator, namespace: {{ .Release.Namespace }}}
spec:
  selector: {matchLabels: {app: gpu-operator}}
  template:
    metadata: {labels: {app: gpu-operator}}
    spec:
      tolerations: {{ .Values.operator.tolerations | default list | toJson }}
      containers: [{name: gpu-operator, image: "nvcr.io/nvidia/gpu-operator:v26.7.0", command: [gpu-operator]}]
""",
    "templates/worker.yaml": """\
{{- if .Values.nfd.enabled }}
{{- $worker := (index .Values "node-feature-discovery").worker }}
apiVersion: v1
kind: ConfigMap
metadata: {name: worker-conf, namespace: {{ .Release.Namespace }}}
data: {nfd-worker.conf: {{ $worker.config | toYaml | toJson }}}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: node-feature-discovery-worker, namespace: {{ .Release.Namespace }}}
spec:
  selector: {matchLabels: {role: worker}}
  template:
    metadata: {labels: {role: worker}}
    spec:
      containers:
        - name: worker
          image: registry.k8s.io/nfd/node-feature-discovery:v0.19.0
          command: [nfd-worker]
          volumeMounts: [{name: nfd-worker-conf, mountPath: /etc/kubernetes/node-feature-discovery}]
      volumes: [{name: nfd-worker-conf, configMap: {name: worker-conf}}]
      tolerations: {{ $worker.tolerations | toJson }}
{{- end }}
""",
}


def write_chart(folder: Path, crds: Path) -> Path:
    """Write the chart into a folder, with the CRD of the ClusterPolicy."""
    for path, text in _FILES.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    (folder / "crds").mkdir()
    shutil.copy(crds / "nvidia.com_clusterpolicies.yaml", folder / "crds")
    return folder
