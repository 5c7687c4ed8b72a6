"""TG118: GPU pods under gVisor or Kata Containers."""

import pytest

from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text


def said(*texts):
    return [(str(each.severity), each.message) for each in violations_of(RULES["TG118"], read_text("---\n".join(texts)))]


def pod(runtime_class, limit="nvidia.com/gpu: 1"):
    return f"""\
apiVersion: v1
kind: Pod
metadata: {{name: cuda, namespace: ai}}
spec:
  runtimeClassName: {runtime_class}
  containers: [{{name: cuda, image: "nvidia/cuda:12.8.1-base-ubuntu24.04", resources: {{limits: {{{limit}}}}}}}]
"""


def runtime_class(name, handler):
    return f"apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {{name: {name}}}\nhandler: {handler}\n"


def node(content):
    return f"""\
machine:
  type: worker
  files: [{{path: /etc/cri/conf.d/20-customization.part, op: create, content: '{content}'}}]
"""


def operator(values):
    return f"""\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {{name: gpu-operator, namespace: gpu}}
spec:
  chart: {{spec: {{chart: gpu-operator, version: v26.7.0}}}}
  values: {values}
"""


def test_gvisor_without_nvproxy_hides_the_gpu():
    message = (
        "the pod requests nvidia.com/gpu, and runtimeClassName gvisor is gVisor (runsc). gVisor lets no program use NVIDIA's driver without the "
        "option nvproxy, which Talos' extension does not set. The container sees no GPU (nvidia-smi: not found)"
    )

    assert said(pod("gvisor"), runtime_class("gvisor", "runsc")) == [("warning", message)]


def test_a_machine_of_kata_gets_no_card_of_the_node():
    message = (
        "the pod requests nvidia.com/gpu, and runtimeClassName kata is Kata Containers (kata). The virtual machine gets no card that the node's driver "
        "holds. The pod does not start, or sees no GPU (nvidia-smi: not found)"
    )

    assert said(pod("kata"), runtime_class("kata", "kata")) == [("warning", message)]


@pytest.mark.parametrize("name", ["gvisor", "runsc", "runsc-kvm", "kata", "kata-qemu"])
def test_without_its_runtime_class_the_name_tells_the_handler(name):
    assert len(said(pod(name))) == 1


@pytest.mark.parametrize(("name", "handler"), [("sandbox", "runsc-kvm"), ("vm", "kata-qemu")])
def test_the_handler_decides_and_not_the_name(name, handler):
    assert len(said(pod(name), runtime_class(name, handler))) == 1
    assert said(pod(name)) == []
    assert said(pod("gvisor"), runtime_class("gvisor", "nvidia")) == []


@pytest.mark.parametrize("handler", ["runsc-nvproxy", "kata-qemu-nvidia-gpu", '"${HANDLER}"'])
def test_other_handlers_may_have_the_driver(handler):
    assert said(pod("gvisor"), runtime_class("gvisor", handler)) == []


def test_pods_without_a_gpu_and_unread_names_are_not_judged():
    assert said(pod("gvisor", "memory: 1Gi")) == []
    assert said(pod('"${CLASS}"'), runtime_class("gvisor", "runsc")) == []


def test_a_machine_configuration_that_sets_nvproxy_is_enough():
    assert said(pod("gvisor"), node('nvproxy = "true"')) == []
    assert said(pod("gvisor"), node("${RUNSC}")) == []
    assert said(pod("gvisor"), "apiVersion: v1alpha1\nkind: ${KIND}\nname: runsc\n") == []
    assert len(said(pod("gvisor"), node('platform = "kvm"'))) == 1
    assert len(said(pod("kata"), node('nvproxy = "true"'))) == 1


def test_an_operator_that_serves_machines_may_hand_a_card_to_kata():
    machines = operator("{sandboxWorkloads: {enabled: true}}")

    assert said(pod("kata"), machines) == []
    assert len(said(pod("kata"), operator("{driver: {enabled: false}}"))) == 1
    assert len(said(pod("gvisor"), machines)) == 1


def test_a_document_of_unknown_kind_may_set_nvproxy():
    unknown = "---\napiVersion: v1alpha1\nkind: '${KIND}'\nname: x\n"

    assert [*violations_of(RULES["TG118"], read_text(RULES["TG118"].failing.yaml))]
    assert [*violations_of(RULES["TG118"], read_text(RULES["TG118"].failing.yaml + unknown))] == []
