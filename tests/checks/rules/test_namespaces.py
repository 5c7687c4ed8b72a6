"""Pod Security of the namespaces of what serves GPU nodes (TG052), and taints of those nodes (TG053)."""

import pytest

from constructs_lib import GpuNodes, Taint
from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.model import is_unknown
from constructs_lib.observed.nodes.pod_security import beyond_baseline, enforced_level
from constructs_lib.observed.read.repository import read_text


def said(rule: str, yaml: str, **given) -> list[tuple[str, str]]:
    return [(str(each.severity), each.message) for each in violations_of(RULES[rule], read_text(yaml, **given))]


def severities(rule: str, yaml: str, **given) -> list[str]:
    return [severity for severity, _ in said(rule, yaml, **given)]


def namespace(labels: str = "{}", name: str = "nvidia") -> str:
    return f"---\napiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}, labels: {labels}}}\n"


def release(chart: str = "nvidia-device-plugin", values: str = "{}", where: str = "nvidia") -> str:
    return f"""\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {chart}, namespace: {where}}}
spec:
  chart: {{spec: {{chart: {chart}, version: 0.20.0}}}}
  values: {values}
"""


LEVEL = "{pod-security.kubernetes.io/enforce: %s}"
ADMISSION = """\
---
version: v1alpha1
machine:
  type: controlplane
  token: abcdef.0123456789abcdef
  ca: {crt: LS0tLS1CRUdJTg==}
  network: {hostname: cp-1}
cluster:
  apiServer:
    admissionControl:
      - name: PodSecurity
        configuration: {apiVersion: pod-security.admission.config.k8s.io/v1, kind: PodSecurityConfiguration, defaults: {enforce: %s}}
"""
OFF = ADMISSION.partition("    admissionControl")[0].replace("  apiServer:\n", "  apiServer: {disablePodSecurityPolicy: true}\n")


def test_a_namespace_that_nothing_labels_is_a_warning():
    message = (
        "nvidia-device-plugin 0.20.0 with hostPath volumes runs in the namespace nvidia, and nothing in these files sets "
        "pod-security.kubernetes.io/enforce: privileged on the Namespace. Unless something else sets the label, the API server refuses the pods: Talos "
        "enforces baseline by default"
    )

    assert said("TG052", release()) == [("warning", message)]
    assert severities("TG052", release() + namespace()) == ["warning"]


def test_the_fix_labels_the_namespace_of_the_pods():
    (found,) = violations_of(RULES["TG052"], read_text(release(where="ai")))

    assert "(kubectl label namespace ai pod-security.kubernetes.io/enforce=privileged --overwrite)" in found.fix


def test_a_label_of_its_own_decides():
    assert said("TG052", release() + namespace(LEVEL % "privileged")) == []
    assert severities("TG052", release() + namespace(LEVEL % "baseline")) == ["error"]
    assert severities("TG052", release() + namespace(LEVEL % "restricted")) == ["error"]
    assert said("TG052", release() + namespace(LEVEL % '"${LEVEL}"')) == []
    assert said("TG052", release() + namespace('"${LABELS}"')) == []


def test_talos_configuration_decides_where_the_namespace_says_nothing():
    assert severities("TG052", release() + namespace() + ADMISSION % "baseline") == ["error"]
    assert severities("TG052", release() + ADMISSION % "baseline") == ["warning"]  # the Namespace is somewhere else
    assert said("TG052", release() + namespace() + ADMISSION % "privileged") == []
    assert said("TG052", release() + namespace() + OFF) == []
    assert severities("TG052", release() + namespace(LEVEL % "baseline") + OFF) == ["error"]


def test_a_hand_written_part_of_a_configuration_has_no_default_level():
    part = OFF.replace("  type: controlplane\n", "")

    assert said("TG052", release() + part) == []
    assert severities("TG052", release() + part.replace("  token: abcdef.0123456789abcdef\n", "")) == ["warning"]


def test_talos_exempts_kube_system():
    assert said("TG052", release(where="kube-system") + ADMISSION % "baseline") == []


def test_a_namespace_that_is_decided_elsewhere_is_not_known():
    assert said("TG052", release().replace(", namespace: nvidia}", "}")) == []
    assert said("TG052", release(where='"${NAMESPACE}"')) == []


@pytest.mark.parametrize("chart", ["gpu-operator", "dcgm-exporter", "node-feature-discovery", "dra-driver-nvidia-gpu"])
def test_every_chart_that_serves_nodes_wants_it(chart):
    assert severities("TG052", release(chart) + namespace(LEVEL % "baseline")) == ["error"]


def test_all_of_a_namespace_are_one_finding():
    ((_, message),) = said("TG052", release() + release("dcgm-exporter") + namespace(LEVEL % "baseline"))

    assert message == (
        "dcgm-exporter 0.20.0, nvidia-device-plugin 0.20.0 with hostPath volumes run in the namespace nvidia, which enforces "
        "baseline: the API server refuses the pods"
    )


def test_the_operator_can_label_its_own_namespace():
    assert severities("TG052", release("gpu-operator") + namespace()) == ["warning"]
    assert severities("TG052", release("gpu-operator", "{psa: {enabled: false}}") + namespace()) == ["warning"]
    assert said("TG052", release("gpu-operator", "{psa: {enabled: true}}") + namespace()) == []


def test_argo_cd_can_label_the_namespace_that_it_makes():
    application = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: device-plugin, namespace: argocd}
spec:
  destination: {namespace: nvidia}
  source: {repoURL: https://nvidia.github.io/k8s-device-plugin, chart: nvidia-device-plugin, targetRevision: 0.20.0}
"""
    managed = "  syncPolicy: {managedNamespaceMetadata: {labels: {pod-security.kubernetes.io/enforce: privileged}}}\n"

    assert severities("TG052", application) == ["warning"]
    assert said("TG052", application + managed) == []


WORKLOAD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: ollama, namespace: nvidia}
spec:
  hostNetwork: true
  containers: [{name: main, image: ollama/ollama:0.32.15, resources: {limits: {nvidia.com/gpu: 1}}}]
"""


def test_a_workload_of_somebodys_own_is_judged_by_what_its_namespace_says_alone():
    assert said("TG052", WORKLOAD + namespace()) == []
    assert severities("TG052", WORKLOAD + namespace(LEVEL % "baseline")) == ["error"]
    assert said("TG052", WORKLOAD.replace("  hostNetwork: true\n", "") + namespace(LEVEL % "baseline")) == []


def test_a_bridge_serves_nodes_too():
    bridge = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: bridge, namespace: nvidia}
spec: {template: {spec: {containers: [{name: bridge, image: busybox}], volumes: [{name: run, hostPath: {path: /run/nvidia}}]}}}
"""

    assert severities("TG052", bridge + namespace()) == ["warning"]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({"hostPID": True}, ["hostPID"]),
        ({"hostNetwork": True, "hostIPC": False}, ["hostNetwork"]),
        ({"volumes": [{"hostPath": {"path": "/x"}}]}, ["hostPath volumes"]),
        ({"volumes": [{"emptyDir": {}}]}, []),
        ({"containers": [{"securityContext": {"privileged": True}}]}, ["privileged"]),
        ({"initContainers": [{"securityContext": {"capabilities": {"add": ["SYS_ADMIN"]}}}]}, ["capabilities SYS_ADMIN"]),
        ({"containers": [{"securityContext": {"capabilities": {"add": ["NET_BIND_SERVICE"]}}}]}, []),
        ({"containers": [{"ports": [{"containerPort": 1, "hostPort": 1}]}]}, ["hostPort"]),
        ({"containers": [{"resources": {"limits": {"nvidia.com/gpu": 1}}}], "runtimeClassName": "nvidia"}, []),
    ],
)
def test_what_baseline_forbids(spec, words):
    assert beyond_baseline(spec) == words


# Taints.


def node(name: str, taint: str = '{dedicated: "ai:NoSchedule"}', gpu: bool = True) -> str:
    modules = "[{name: nvidia}, {name: nvidia_uvm}]" if gpu else "[]"
    return f"""\
  - hostname: {name}
    ipAddress: 10.0.0.1
    installDisk: /dev/sda
    controlPlane: false
    nodeTaints: {taint}
    kernelModules: {modules}
"""


TALCONFIG = "---\nclusterName: home\ntalosVersion: v1.13.9\nendpoint: https://10.0.0.1:6443\nnodes:\n"
POD = """\
---
apiVersion: v1
kind: Pod
metadata: {name: ollama, namespace: ollama}
spec:
  containers: [{name: main, image: ollama/ollama:0.32.15, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
TOLERATED = "{tolerations: [{key: dedicated, operator: Exists}]}"


def test_a_taint_of_the_only_gpu_node_keeps_the_plugin_off():
    ((severity, message),) = said("TG053", release() + TALCONFIG + node("gpu-1"))

    assert severity == "error"
    assert message == (
        "the device plugin does not tolerate the taint dedicated=ai:NoSchedule of gpu-1. The pods do not run there, and the "
        "node offers no GPU"
    )
    assert said("TG053", release(values=TOLERATED) + TALCONFIG + node("gpu-1")) == []


def test_only_the_list_of_a_chart_replaces_a_default():
    rendered = """\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-device-plugin, namespace: nvidia}
spec: {template: {spec: {containers: [{name: plugin, image: "nvcr.io/nvidia/k8s-device-plugin:v0.20.0"}]}}}
"""
    (chart,) = violations_of(RULES["TG053"], read_text(release() + TALCONFIG + node("gpu-1")))
    assert chart.fix.startswith(
        "Add {key: dedicated, operator: Equal, value: ai, effect: NoSchedule} to tolerations. The list replaces the chart's"
    )
    (own,) = violations_of(RULES["TG053"], read_text(rendered + TALCONFIG + node("gpu-1")))
    assert own.fix == "Add {key: dedicated, operator: Equal, value: ai, effect: NoSchedule} to tolerations"


@pytest.mark.parametrize("value", ["true", "1", "null"])
def test_a_toleration_to_paste_keeps_the_value_of_its_taint_a_string(value):
    (found,) = violations_of(RULES["TG053"], read_text(release() + TALCONFIG + node("gpu-1", f'{{dedicated: "{value}:NoSchedule"}}')))

    assert found.fix.startswith(f'Add {{key: dedicated, operator: Equal, value: "{value}", effect: NoSchedule}} to tolerations. ')


_DEVICE_PLUGINS = "{key: CriticalAddonsOnly, operator: Exists} and {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}"


@pytest.mark.parametrize(
    ("chart", "values", "kept"),
    [
        ("nvidia-device-plugin", "{nfd: {enabled: false}}", _DEVICE_PLUGINS),
        ("nvidia-device-plugin", "{tolerations: [{key: other, operator: Exists}]}", ""),
        ("dcgm-exporter", "{}", "{key: node-role.kubernetes.io/control-plane, operator: Exists, effect: NoSchedule}"),
        ("node-feature-discovery", "{}", ""),
    ],
)
def test_a_fix_keeps_the_tolerations_that_the_chart_has_by_default_and_no_others(chart, values, kept):
    (found,) = violations_of(RULES["TG053"], read_text(release(chart, values) + TALCONFIG + node("gpu-1")))

    assert found.fix.partition(" The list replaces ")[2] == (f"the chart's default, so keep {kept} in the list" if kept else "")


def test_taints_of_a_file_without_a_hostname_are_of_its_nodes():
    machine = """\
---
machine:
  kernel: {modules: [{name: nvidia}]}
  kubelet: {extraConfig: {registerWithTaints: [{key: dedicated, value: ai, effect: NoSchedule}]}}
"""
    ((_, message),) = said("TG053", release() + machine, file="gpu.yaml")

    assert " of the nodes of gpu.yaml. " in message


def test_beside_another_gpu_node_it_is_a_warning():
    assert severities("TG053", release() + TALCONFIG + node("gpu-1") + node("gpu-2", "{}")) == ["warning"]


@pytest.mark.parametrize(
    "taint", ['{nvidia.com/gpu: "present:NoSchedule"}', '{nvidia.com/gpu: ":NoSchedule"}', '{dedicated: "ai:PreferNoSchedule"}', "{}"]
)
def test_taints_that_keep_nothing_off(taint):
    assert said("TG053", release() + TALCONFIG + node("gpu-1", taint)) == []


def test_nodes_without_a_gpu_are_not_asked():
    assert said("TG053", release() + TALCONFIG + node("cpu-1", gpu=False) + node("gpu-1", "{}")) == []


@pytest.mark.parametrize(
    ("toleration", "count"),
    [
        ("{key: dedicated, operator: Exists}", 0),
        ("{operator: Exists}", 0),
        ("{key: dedicated, value: ai}", 0),
        ("{key: dedicated, operator: Equal, value: ai, effect: NoSchedule}", 0),
        ("{key: dedicated, operator: Equal, value: other, effect: NoSchedule}", 1),
        ("{key: dedicated, operator: Exists, effect: NoExecute}", 1),
        ("{key: other, operator: Exists}", 1),
        ('{key: dedicated, value: "${VALUE}"}', 0),
        ('"${TOLERATION}"', 0),
        ('{key: dedicated, operator: Exists, effect: "${EFFECT}"}', 0),
        ('{key: "${KEY}", operator: Exists}', 0),
    ],
)
def test_what_a_toleration_tolerates(toleration, count):
    assert len(said("TG053", release(values=f"{{tolerations: [{toleration}]}}") + TALCONFIG + node("gpu-1"))) == count


def test_tolerations_that_can_not_be_read_may_tolerate_it():
    assert said("TG053", release(values='{tolerations: "${TOLERATIONS}"}') + TALCONFIG + node("gpu-1")) == []


def test_every_agent_of_a_node_has_to_tolerate():
    operator = release("gpu-operator") + TALCONFIG + node("gpu-1")

    assert [message.partition(" do")[0] for _, message in said("TG053", operator)] == [
        "the NFD worker",
        "the operator's DaemonSets",
    ]
    assert len(said("TG053", release("dcgm-exporter") + TALCONFIG + node("gpu-1"))) == 1


@pytest.mark.parametrize(
    ("chart", "effect"),
    [
        ("node-feature-discovery", "the node gets no labels from NFD"),
        ("gpu-feature-discovery", "the node gets no labels for its GPUs"),
        ("dcgm-exporter", "the node exports no GPU metrics"),
    ],
)
def test_a_node_offers_its_gpus_without_discovery_and_metrics(chart, effect):
    ((severity, message),) = said("TG053", release(chart) + TALCONFIG + node("gpu-1"))

    assert severity == "warning"
    assert message.endswith(f" of gpu-1. The pods do not run there, and {effect}")


def test_the_parts_of_a_chart_share_their_tolerations():
    assert len(said("TG053", release(values="{gfd: {enabled: true}, nfd: {enabled: false}}") + TALCONFIG + node("gpu-1"))) == 1


def test_an_agent_for_another_node_needs_no_toleration():
    elsewhere = release(values="{nodeSelector: {kubernetes.io/hostname: gpu-2}}")

    assert said("TG053", elsewhere + TALCONFIG + node("gpu-1") + node("gpu-2", "{}")) == []


def test_a_pod_needs_one_node_that_takes_it():
    ((severity, message),) = said("TG053", POD + TALCONFIG + node("gpu-1"))

    assert severity == "warning"
    assert message == (
        "the pod does not tolerate the taint dedicated=ai:NoSchedule of gpu-1, and no other node with GPUs was read. The pods stay Pending"
    )
    assert said("TG053", POD + TALCONFIG + node("gpu-1") + node("gpu-2", "{}")) == []
    assert said("TG053", POD + "  tolerations: [{key: dedicated, value: ai}]\n" + TALCONFIG + node("gpu-1")) == []


def test_nodes_that_were_described_have_taints_too():
    nodes = GpuNodes(talos_version="1.13", taints=[Taint("dedicated", "ai")])

    assert severities("TG053", POD + release(), nodes=[nodes]) == ["error", "warning"]


def test_each_taint_is_found_with_all_of_its_nodes():
    more = node("gpu-3") + node("gpu-2", '{nvidia.com/model: "h100:NoSchedule"}')
    messages = [message for _, message in said("TG053", release() + TALCONFIG + node("gpu-1") + more)]

    assert [message.partition(". ")[0] for message in messages] == [
        "the device plugin does not tolerate the taint dedicated=ai:NoSchedule of gpu-1, gpu-3",
        "the device plugin does not tolerate the taint nvidia.com/model=h100:NoSchedule of gpu-2",
    ]


@pytest.mark.parametrize(("name", "expected"), [("gpu-operator", True), ("ingress", False)])
def test_a_namespace_of_a_name_that_is_not_known_may_have_the_level(name, expected):
    inputs = read_text(namespace(LEVEL % "privileged", "'gpu-${SUFFIX}'"))

    assert is_unknown(enforced_level(inputs, name).level) is expected


def test_one_volume_of_the_marker_files_makes_a_daemon_set_serve_the_nodes():
    daemon_set = """\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: markers, namespace: nvidia}
spec:
  selector: {matchLabels: {app: markers}}
  template:
    metadata: {labels: {app: markers}}
    spec:
      containers: [{name: a, image: busybox}]
      volumes: [{name: data, hostPath: {path: /var/lib/a}}, {name: run, hostPath: {path: %s}}]
"""

    assert severities("TG052", daemon_set % "/run/nvidia/validations") == ["warning"]
    assert severities("TG052", daemon_set % "/run/other") == []


@pytest.mark.parametrize(
    ("key", "labels", "found"),
    [
        ("dedicated", "extensions.talos.dev/nvidia-container-toolkit-lts: 1.19.0", ["warning"]),
        ("dedicated", "feature.node.kubernetes.io/pci-0302_10de.present: 'true'", ["warning"]),
        ("node.kubernetes.io/not-ready", "extensions.talos.dev/nvidia-container-toolkit-lts: 1.19.0", []),
        ("dedicated", "kubernetes.io/os: linux", []),
        ("dedicated", "{nvidia.com/gpu.workload.config: vm-passthrough, feature.node.kubernetes.io/pci-10de.present: 'true'}", []),
    ],
)
def test_the_taints_of_a_live_gpu_node_are_those_of_its_node_object(key, labels, found):
    node_object = f"""\
---
apiVersion: v1
kind: Node
metadata: {{name: gpu-1, labels: {labels if labels.startswith("{") else f"{{{labels}}}"}}}
spec: {{taints: [{{key: {key}, effect: NoSchedule}}]}}
"""
    wanting = """\
apiVersion: v1
kind: Pod
metadata: {name: llm, namespace: ai}
spec:
  runtimeClassName: nvidia
  containers: [{name: llm, image: a/b, resources: {limits: {nvidia.com/gpu: 1}}}]
"""

    assert [severity for severity, _ in said("TG053", wanting + node_object)] == found
