"""RuntimeClasses: where a pod needs one (TG040), who makes it (TG041), and which handlers Talos has (TG042)."""

import pytest

from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: ollama, namespace: ollama}
spec:
  containers: [{name: main, image: ollama/ollama:0.32.15, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
NAMED = POD + "  runtimeClassName: %s\n"
NODE = """\
---
machine:
  type: worker
  token: abcdef.0123456789abcdef
  ca: {crt: LS0tLS1CRUdJTg==}
  network: {hostname: gpu-1}
  kernel: {modules: [{name: nvidia}, {name: nvidia_uvm}]}
"""
FILE = """\
  files:
    - path: /etc/cri/conf.d/20-customization.part
      op: create
      content: |
        %s
"""
DEFAULT = FILE % '[plugins."io.containerd.cri.v1.runtime".containerd]\n          default_runtime_name = "nvidia"'


def said(rule: str, yaml: str, **given) -> list[tuple[str, str]]:
    return [(str(each.severity), each.message) for each in violations_of(RULES[rule], read_text(yaml, **given))]


def severities(rule: str, yaml: str, **given) -> list[str]:
    return [severity for severity, _ in said(rule, yaml, **given)]


def release(chart: str, values: str = "{}", version: str = "0.20.0") -> str:
    return f"""\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: {chart}, namespace: kube-system}}
spec:
  chart: {{spec: {{chart: {chart}, version: {version}}}}}
  values: {values}
"""


PLUGIN = release("nvidia-device-plugin", "{runtimeClassName: nvidia}")


def test_beside_a_plugin_that_sets_a_variable_a_pod_needs_it():
    reason = (
        "The device plugin only sets NVIDIA_VISIBLE_DEVICES, which NVIDIA's runtime reads. Without this runtime the container starts without a GPU "
        "(nvidia-smi: not found)"
    )

    assert said("TG040", POD + PLUGIN) == [("warning", f"the pod requests nvidia.com/gpu without a runtimeClassName. {reason}")]
    assert said("TG040", POD + PLUGIN + NODE) == [
        (
            "error",
            f"the pod requests nvidia.com/gpu without a runtimeClassName. {reason}. No machine configuration in these files makes NVIDIA's runtime the default",
        )
    ]
    assert said("TG040", NAMED % "nvidia" + PLUGIN + NODE) == []


def test_where_no_plugin_was_read_it_is_a_remark_from_talos_1_13_on():
    reason = (
        "With the default strategy, envvar, a device plugin only sets NVIDIA_VISIBLE_DEVICES, which NVIDIA's runtime reads. Without this runtime the "
        "container starts without a GPU (nvidia-smi: not found)"
    )

    assert said("TG040", POD, talos="1.13") == [("remark", f"the pod requests nvidia.com/gpu without a runtimeClassName. {reason}")]


def test_not_where_nvidias_runtime_is_the_default():
    assert said("TG040", POD + PLUGIN + NODE + DEFAULT) == []


def test_a_piece_of_a_configuration_proves_nothing():
    piece = "---\nmachine: {kernel: {modules: [{name: nvidia}]}}\n"

    assert severities("TG040", POD + PLUGIN + piece) == ["warning"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ("{deviceListStrategy: cdi-cri}", []),
        ('{deviceListStrategy: "cdi-annotations,cdi-cri"}', []),
        ("{deviceListStrategy: envvar}", ["error"]),
        ('{deviceListStrategy: "${STRATEGY}"}', []),
    ],
)
def test_a_plugin_that_hands_out_cdi_devices_needs_none(values, expected):
    assert severities("TG040", POD + release("nvidia-device-plugin", values) + NODE, talos="1.13") == expected


@pytest.mark.parametrize(
    ("talos", "version", "values", "expected"),
    [
        ("1.13", "v26.7.0", "{}", []),
        (None, "v26.7.0", "{}", []),
        ("1.13", "v25.3.2", "{}", ["warning"]),
        ("1.13", "v26.7.0", "{cdi: {enabled: false}}", ["warning"]),
        ("1.12", "v25.10.1", "{cdi: {enabled: false}}", ["warning"]),
    ],
)
def test_an_operator_with_cdi_injects_from_talos_1_13_on(talos, version, values, expected):
    assert severities("TG040", POD + release("gpu-operator", values, version), talos=talos) == expected


@pytest.mark.parametrize("changed", ["repository: ghcr.io/jfroy", "installDir: /var/nvidia"])
def test_a_toolkit_that_somebody_patched_may_inject_on_every_talos(changed):
    own = f"{{cdi: {{enabled: false}}, toolkit: {{enabled: %s, {changed}}}}}"

    assert said("TG040", POD + release("gpu-operator", own % "true", "v25.10.1"), talos="1.12") == []
    assert severities("TG040", POD + release("gpu-operator", own % "false", "v25.10.1"), talos="1.12") == ["warning"]


def test_an_extension_that_somebody_built_may_inject():
    schematic = "---\ncustomization: {systemExtensions: {officialExtensions: [%s/nvidia-container-toolkit-production]}}\n"

    assert said("TG040", POD + PLUGIN + schematic % "jfroy/siderolabs") == []
    assert severities("TG040", POD + PLUGIN + schematic % "siderolabs") == ["warning"]


@pytest.mark.parametrize(("talos", "expected"), [(None, ["remark"]), ("1.13", ["remark"]), ("1.12", ["warning"])])
def test_where_nothing_says_how_gpus_come_it_is_no_more_than_the_generation_says(talos, expected):
    assert severities("TG040", POD, talos=talos) == expected


@pytest.mark.filterwarnings("ignore::constructs_lib.TalosGpuWarning")
def test_containerd_injects_by_nri_from_talos_1_15_on():
    assert said("TG040", POD, talos="1.15") == []


def test_gpus_of_dra_or_of_another_plugin_come_without_it():
    jetson = """\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: nvidia-jetson, namespace: kube-system}
spec: {template: {spec: {containers: [{name: a, image: somebody/plugin}], volumes: [{name: d, hostPath: {path: /var/lib/kubelet/device-plugins}}]}}}
"""

    assert said("TG040", POD + release("dra-driver-nvidia-gpu")) == []
    assert said("TG040", POD + jetson) == []
    assert severities("TG040", POD + jetson.replace("nvidia-jetson", "intel")) == ["remark"]


def test_what_may_be_said_elsewhere_is_not_judged():
    inference = """\
---
apiVersion: serving.kserve.io/v1beta1
kind: InferenceService
metadata: {name: qwen}
spec: {predictor: {containers: [{name: main, image: a/b:1, resources: {limits: {nvidia.com/gpu: 1}}}]}}
"""

    assert said("TG040", inference + PLUGIN + NODE) == []
    assert said("TG040", NAMED % '"${RUNTIME}"' + PLUGIN + NODE) == []


# TG041.


RUNTIME_CLASS = "---\napiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: %s}\nhandler: %s\n"


def test_a_name_that_nothing_makes():
    message = "nothing in these files creates the RuntimeClass nvidia. Without the RuntimeClass the API server refuses the pods"

    assert said("TG041", NAMED % "nvidia") == [("warning", message)]
    assert said("TG041", NAMED % "nvidia" + RUNTIME_CLASS % ("nvidia", "nvidia")) == []
    assert said("TG041", NAMED % "nvidia" + release("gpu-operator", version="v26.7.0")) == []
    assert severities("TG041", NAMED % "gpu" + RUNTIME_CLASS % ("nvidia", "nvidia")) == ["warning"]
    assert said("TG041", NAMED % '"${RUNTIME}"') == []


def test_a_runtime_class_of_others_is_not_judged():
    kata = (NAMED % "kata").replace("nvidia.com/gpu", "memory")

    assert said("TG041", kata) == []


def test_a_charts_own_pods_name_it_too():
    assert severities("TG041", PLUGIN) == ["warning"]
    assert said("TG041", release("nvidia-device-plugin")) == []


# TG042.


@pytest.mark.parametrize("name", ["nvidia-cdi", "nvidia-legacy"])
def test_handlers_that_nvidias_toolkit_registers_elsewhere(name):
    message = (
        f"runtimeClassName is {name}, but Talos' extension registers only the handler nvidia. The pods stay in ContainerCreating (no runtime for "
        f'"{name}" is configured)'
    )

    assert said("TG042", NAMED % name) == [("warning", message)]
    assert said("TG042", NAMED % name + NODE) == [("error", message)]
    assert said("TG041", NAMED % name) == []


def test_a_handler_that_a_file_adds():
    added = (
        FILE % '[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia-cdi]\n          runtime_type = "io.containerd.runc.v2"'
    )

    assert said("TG042", NAMED % "nvidia-cdi" + NODE + added) == []
    assert severities("TG042", NAMED % "nvidia-legacy" + NODE + added) == ["error"]


def test_a_file_that_can_not_be_read_may_add_it():
    assert severities("TG042", NAMED % "nvidia-cdi" + NODE + FILE % "${CONTENT}") == []


def test_the_handler_of_a_runtime_class():
    assert severities("TG042", RUNTIME_CLASS % ("nvidia", "nvidia-container-runtime") + NODE) == ["error"]
    assert said("TG042", RUNTIME_CLASS % ("gpu", "nvidia") + NODE) == []
    assert said("TG042", RUNTIME_CLASS % ("kata", "kata") + NODE) == []
    assert said("TG042", RUNTIME_CLASS % ("nvidia", '"${HANDLER}"') + NODE) == []


def test_a_runtime_class_beside_the_operators_is_its_rules_own():
    operator = release("gpu-operator", version="v26.7.0")

    assert said("TG042", RUNTIME_CLASS % ("nvidia", "nvidia-container-runtime") + operator + NODE) == []


def test_a_machine_configuration_with_another_default_runtime_is_named_only_where_one_was_read():
    ((_, without),) = said("TG040", POD + PLUGIN, talos="1.13")
    ((_, with_node),) = said("TG040", POD + PLUGIN + NODE)

    assert without.endswith("(nvidia-smi: not found)")
    assert with_node == f"{without}. No machine configuration in these files makes NVIDIA's runtime the default"
