"""The needs of a GB10: the kernel argument of its image (TG107), a new device plugin (TG108), and a new DRA driver (TG112)."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.observed.read.repository import read_text

MODULES = "    kernelModules: [{name: nvidia}, {name: nvidia_uvm}, {name: nvidia_drm}, {name: nvidia_modeset}]\n"
NODE = """\
clusterName: home
endpoint: https://10.0.0.10:6443
talosVersion: %s
nodes:
  - hostname: spark
    ipAddress: 10.0.0.30
    nodeLabels: {nvidia.com/gpu.product: %s}
"""
SCHEMATIC = """\
    schematic:
      customization:
        systemExtensions: {officialExtensions: [siderolabs/nonfree-kmod-nvidia-production, siderolabs/nvidia-container-toolkit-production]}
"""


def talconfig(arguments="", talos="v1.13.9", card="NVIDIA-GB10", schematic=SCHEMATIC, rest=""):
    return NODE % (talos, card) + schematic + arguments + MODULES + rest


def messages(rule, yaml, **given):
    return [each.message for each in violations_of(RULES[rule], read_text(yaml, **given))]


def test_an_image_without_the_argument_is_named_with_its_card():
    assert messages("TG107", talconfig()) == [
        (
            "the image of spark has no kernel argument arm64.nobti, which the card NVIDIA-GB10 (label nvidia.com/gpu.product) needs on Talos 1.13.9: "
            "the kernel is built with BTI, and NVIDIA's modules do not support BTI"
        )
    ]


@pytest.mark.parametrize("arguments", ["[arm64.nobti]", "[quiet, arm64.nobti]", "'${ARGUMENTS}'", "['${ARGUMENT}']"])
def test_the_argument_may_be_among_others_or_in_a_variable(arguments):
    assert messages("TG107", talconfig(f"        extraKernelArgs: {arguments}\n")) == []


@pytest.mark.parametrize("arguments", ["[]", "[quiet]", "[-arm64.nobti]"])
def test_other_arguments_are_not_the_argument(arguments):
    assert len(messages("TG107", talconfig(f"        extraKernelArgs: {arguments}\n"))) == 1


def test_an_argument_of_machine_install_counts():
    patch = "    patches: ['{machine: {install: {extraKernelArgs: [arm64.nobti]}}}']\n"

    assert messages("TG107", talconfig(rest=patch)) == []


@pytest.mark.parametrize("given", [{"talos": "v1.12.11"}, {"card": "NVIDIA-GB200"}, {"card": "NVIDIA-H100-PCIe"}])
def test_only_a_gb10_on_a_kernel_with_bti_needs_the_argument(given):
    assert messages("TG107", talconfig(**given)) == []


def test_the_schematic_of_an_unknown_id_may_have_the_argument():
    image = f"    talosImageURL: factory.talos.dev/metal-installer/{'a' * 64}\n"

    assert messages("TG107", talconfig(schematic=image)) == []


DAEMON_SET = """\
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin, namespace: kube-system}
spec:
  selector: {matchLabels: {app: plugin}}
  template:
    metadata: {labels: {app: plugin}}
    spec: {containers: [{name: plugin, image: "%s"}]}
"""
RELEASE = """\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: %(chart)s, namespace: kube-system}
spec: {chart: {spec: {chart: %(chart)s, version: "%(version)s"}}, values: {%(values)s}}
"""


def release(chart, version, values=""):
    return RELEASE % {"chart": chart, "version": version, "values": values}


OLD = [
    DAEMON_SET % "nvcr.io/nvidia/k8s-device-plugin:v0.17.3",
    DAEMON_SET % "nvcr.io/nvidia/k8s-device-plugin:v0.14.5@sha256:aa",
    release("nvidia-device-plugin", "0.17.1"),
    release("nvidia-device-plugin", "0.20.0", "image: {tag: v0.17.0}"),
    release("gpu-operator", "v25.3.2"),
    release("gpu-operator", "v26.7.0", "devicePlugin: {version: v0.17.3}"),
]
NEW = [
    DAEMON_SET % "nvcr.io/nvidia/k8s-device-plugin:v0.17.4",
    DAEMON_SET % "nvcr.io/nvidia/k8s-device-plugin:latest",
    DAEMON_SET % "nvcr.io/nvidia/k8s-device-plugin:${TAG}",
    release("nvidia-device-plugin", "0.17.4"),
    release("nvidia-device-plugin", "0.17.x"),
    release("nvidia-device-plugin", "0.17.1", "image: {tag: v0.20.0}"),
    release("nvidia-device-plugin", "0.17.1", "image: {tag: '${TAG}'}"),
    release("gpu-operator", "v25.3.3"),
    release("gpu-operator", "v25.3.2", "devicePlugin: {version: v0.17.4}"),
    release("gpu-operator", "v25.3.2", "devicePlugin: {enabled: false}"),
]


@pytest.mark.parametrize("plugin", OLD)
def test_a_plugin_that_exits_on_a_gb10_is_found_where_a_node_has_one(plugin):
    (message,) = messages("TG108", talconfig() + plugin)

    assert "does not start on a GB10 (label nvidia.com/gpu.product)" in message
    assert message.endswith("It exits with 'error getting device memory: Not Supported'")


@pytest.mark.parametrize(
    ("operator", "place"), [(OLD[-2], ()), (OLD[-1], ("spec", "values", "devicePlugin", "version"))], ids=["release", "version"]
)
def test_the_place_of_an_operators_old_plugin_is_its_version_or_the_release(operator, place):
    (violation,) = violations_of(RULES["TG108"], read_text(talconfig() + operator))

    assert violation.path == place


@pytest.mark.parametrize("plugin", NEW)
def test_a_plugin_that_may_be_new_enough_is_not_found(plugin):
    assert messages("TG108", talconfig() + plugin) == []


@pytest.mark.parametrize("plugin", OLD)
def test_without_a_gb10_an_old_plugin_is_not_found(plugin):
    assert messages("TG108", plugin) == []
    assert messages("TG108", talconfig(card="NVIDIA-GB200") + plugin) == []


@pytest.mark.filterwarnings("ignore")
def test_a_class_of_nodes_may_name_the_gb10():
    nodes = GpuNodes(talos_version="1.13.9", driver_track="lts", product="DGX Spark")

    assert "GB10 (product 'DGX Spark')" in messages("TG108", OLD[0], nodes=[nodes])[0]


OLD_DRA = [
    release("nvidia-dra-driver-gpu", "25.12.0"),
    release("nvidia-dra-driver-gpu", "v25.3.2"),
    release("nvidia-dra-driver-gpu", "25.3.0-rc.2"),
    release("dra-driver-nvidia-gpu", "0.4.0", "image: {tag: v25.8.1}"),
    (DAEMON_SET % "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.1").replace("containers: [{name: plugin", "containers: [{name: gpus"),
]
NEW_DRA = [
    release("dra-driver-nvidia-gpu", "0.4.0"),
    release("dra-driver-nvidia-gpu", "0.5.1"),
    release("nvidia-dra-driver-gpu", "25.12.1"),
    release("nvidia-dra-driver-gpu", "26.1.0"),
    release("nvidia-dra-driver-gpu", "25.x"),
    release("nvidia-dra-driver-gpu", "25.12.0", "image: {tag: '${TAG}'}"),
    release("nvidia-dra-driver-gpu", "25.12.0", "resources: {gpus: {enabled: false}}"),
    DAEMON_SET % "nvcr.io/nvidia/k8s-dra-driver-gpu:v25.8.1",
]


@pytest.mark.parametrize("driver", OLD_DRA)
def test_a_dra_driver_that_exits_on_a_gb10_is_found_where_a_node_has_one(driver):
    (message,) = messages("TG112", talconfig() + driver)

    assert "does not start on a GB10 (label nvidia.com/gpu.product)" in message
    assert "error getting memory info for device 0: Not Supported" in message


@pytest.mark.parametrize("driver", NEW_DRA)
def test_a_dra_driver_that_may_run_or_serves_no_gpus_is_not_found(driver):
    assert messages("TG112", talconfig() + driver) == []


@pytest.mark.parametrize("driver", OLD_DRA)
def test_without_a_gb10_an_old_dra_driver_is_not_found(driver):
    assert messages("TG112", driver) == []
    assert messages("TG112", talconfig(card="NVIDIA-GB200") + driver) == []
