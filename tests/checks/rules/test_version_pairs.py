"""Versions that don't go together: TG090, TG091, TG093 and TG094."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.engine import violations_of
from constructs_lib.checks.rules import RULES
from constructs_lib.checks.rules.talos.versions import _runs
from constructs_lib.observed.images.cuda_drivers import cuda_major, drivers
from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read_text
from constructs_lib.upstream.nvidia.driver_branches import CUDA_FLOORS, newest_cuda
from constructs_lib.upstream.talos.releases import TALOS

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: comfyui}
spec: {containers: [{name: main, image: "%s", resources: {limits: {nvidia.com/gpu: 1}}}]}
"""
CUDA_13 = POD % "yanwk/comfyui-boot:cu130-slim-v2"
SCHEMATIC = "---\ncustomization: {systemExtensions: {officialExtensions: [siderolabs/nvidia-open-gpu-kernel-modules%s]}}\n"
CONFIG = """\
---
machine:
  install: {image: "factory.talos.dev/metal-installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:%s"}
  kubelet: {image: "ghcr.io/siderolabs/kubelet:%s"}
"""


def said(rule: str, yaml: str, **given) -> list[tuple[str, str]]:
    return [(str(each.severity), each.message) for each in violations_of(RULES[rule], read_text(yaml, **given))]


def severities(rule: str, yaml: str, **given) -> list[str]:
    return [severity for severity, _ in said(rule, yaml, **given)]


# TG090.


@pytest.mark.parametrize(
    ("talos", "kubernetes", "count"),
    [
        ("v1.12.11", "v1.35.4", 0),
        ("v1.12.11", "v1.36.0", 1),
        ("v1.12.11", "v1.29.0", 1),
        ("v1.13.9", "v1.36.3", 0),
        ("v1.14.0", "v1.32.0", 0),
    ],
)
def test_kubernetes_against_talos(talos, kubernetes, count):
    assert severities("TG090", CONFIG % (talos, kubernetes)) == ["error"] * count


def test_what_it_says_of_a_kubernetes_that_is_too_new():
    inputs = read_text(CONFIG % ("v1.12.11", "v1.36.0"))
    (found,) = violations_of(RULES["TG090"], inputs)

    assert found.message == "Kubernetes v1.36.0 is too new for Talos 1.12.11, which runs 1.30 to 1.35. Talos refuses the configuration"
    assert found.fix == "Use Kubernetes 1.35, or another Talos"


def test_versions_that_are_filled_in_later_are_not_compared():
    assert said("TG090", CONFIG % ("v1.12.11", "${KUBERNETES}")) == []
    assert said("TG090", CONFIG % ("${TALOS}", "v1.36.0")) == []


# TG091.


@pytest.mark.parametrize(
    ("image", "major"),
    [
        ("yanwk/comfyui-boot:cu130-slim-v2", 13),
        ("yanwk/comfyui-boot:cu126-slim", 12),
        ("nvidia/cuda:13.0.1-base-ubuntu24.04", 13),
        ("nvcr.io/nvidia/cuda:11.8.0-base", 11),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda13-b10524", 13),
        ("ghcr.io/ggml-org/llama.cpp:server-cuda-b10524", None),
        ("lmsysorg/sglang:v0.5.19-cu129", 12),
        ("localai/localai:v3.8.0-aio-gpu-nvidia-cuda-12", 12),
        ("pytorch/pytorch:2.9.0-cuda13.0-cudnn9-runtime", 13),
        ("nvcr.io/nvidia/k8s/cuda-sample:vectoradd-cuda12.5.0-ubuntu22.04", 12),
        ("vllm/vllm-openai:v0.19.1", 12),
        ("vllm/vllm-openai:v0.20.0", 13),
        ("vllm/vllm-openai:v0.28.0-cu129", 12),
        ("nvcr.io/nvidia/tritonserver:26.07-py3", 13),
        ("nvcr.io/nvidia/tritonserver:25.01-py3", None),
        ("somebody/acupuncture:13", None),
        ("ollama/ollama:0.32.15@sha256:cu13", None),
        (Unknown("vllm/vllm-openai:${TAG}"), None),
        ("", None),
    ],
)
def test_the_cuda_that_an_image_is_built_with(image, major):
    assert cuda_major(image) == major


@pytest.mark.parametrize(
    ("talos", "extensions", "count"),
    [
        ("1.11", "", 1),
        ("1.11", SCHEMATIC % "-lts", 1),
        ("1.11", SCHEMATIC % "-production", 1),
        ("1.12", "", 0),  # the track is not known, and one of them is new enough
        ("1.12", SCHEMATIC % "-production", 1),
        ("1.12", SCHEMATIC % "-lts", 0),
        ("1.12", SCHEMATIC % "", 0),
        ("1.13", SCHEMATIC % "-lts", 0),
        ("1.13", SCHEMATIC % "-production", 0),
    ],
)
def test_cuda_13_needs_a_driver_of_580(talos, extensions, count):
    assert severities("TG091", CUDA_13 + extensions, talos=talos) == ["warning"] * count


def test_what_it_says_of_a_driver_that_is_too_old():
    ((_, message),) = said("TG091", CUDA_13, nodes=[GpuNodes(talos_version="1.12")])

    assert message == (
        "the image yanwk/comfyui-boot:cu130-slim-v2 by its name and tag has CUDA 13, which needs driver 580 or newer, but the default "
        "(production) driver of Talos 1.12 (570.211.01) is older. The container may exit with 'CUDA driver version is insufficient for CUDA runtime version'"
    )


def test_a_node_whose_track_is_not_known_has_that_of_the_others():
    # Both have an installer whose extensions nobody can tell from its ID.
    node = CONFIG.replace("376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba", "f" * 64) % ("v1.12.7", "v1.35.0")
    node = node.replace("machine:\n", "machine:\n  kernel: {modules: [{name: nvidia}]}\n")
    lts, production = SCHEMATIC % "-lts", SCHEMATIC % "-production"

    assert severities("TG091", CUDA_13 + node + production) == ["warning"]
    assert severities("TG091", CUDA_13 + node + lts) == []
    assert severities("TG091", CUDA_13 + node) == []


def test_one_node_that_runs_it_is_enough():
    old, new = GpuNodes(talos_version="1.12", name="old"), GpuNodes(talos_version="1.12", driver_track="lts", name="new")

    assert severities("TG091", CUDA_13, nodes=[old]) == ["warning"]
    assert said("TG091", CUDA_13, nodes=[old, new]) == []


@pytest.mark.parametrize("track", ["production", "lts"])
@pytest.mark.parametrize(("product", "found"), [("RTX 4090", "warning"), (None, None), ("RTX 6000 Ada", None), ("H100 NVL", None)])
def test_a_minor_cuda_ends_a_container_on_geforce_cards_alone(product, found, track):
    image = CUDA_13.replace("yanwk/comfyui-boot:cu130-slim-v2", "vllm/vllm-openai:v0.28.0-cu129")

    assert severities("TG091", image, nodes=[GpuNodes(talos_version="1.11.5", product=product, driver_track=track)]) == [found] * (
        found is not None
    )


def test_nothing_is_said_without_a_talos_or_a_gpu():
    assert said("TG091", CUDA_13) == []
    assert drivers(read_text(CUDA_13)) is None
    assert said("TG091", CUDA_13.replace("nvidia.com/gpu: 1", "memory: 1Gi"), talos="1.11") == []
    assert said("TG091", POD % "nvidia/cuda:12.4.1-base", talos="1.8") == []


# TG093 and TG094.


def claim(version: str = "v1", request: str = "exactly: {deviceClassName: gpu.nvidia.com}", kind: str = "ResourceClaimTemplate") -> str:
    spec = f"devices: {{requests: [{{name: gpu, {request}}}]}}"
    return f"""\
---
apiVersion: resource.k8s.io/{version}
kind: {kind}
metadata: {{name: gpu}}
spec: {{{f"spec: {{{spec}}}" if kind.endswith("Template") else spec}}}
"""


def test_gpus_are_claimed_from_talos_1_13_on():
    assert severities("TG093", claim(), talos="1.12") == ["error"]
    assert said("TG093", claim(), talos="1.13") == []
    assert said("TG093", claim(request="exactly: {deviceClassName: gpu.intel.com}"), talos="1.12") == []


def test_claims_need_kubernetes_1_34_or_the_feature_gate():
    gate = "---\nmachine: {kubelet: {extraArgs: {feature-gates: DynamicResourceAllocation=true}}}\n"

    assert severities("TG093", claim(), kubernetes="1.33") == ["warning"]
    assert said("TG093", claim() + gate, kubernetes="1.33") == []
    assert said("TG093", claim(), kubernetes="1.34") == []
    assert said("TG093", claim()) == []


@pytest.mark.parametrize("kind", ["ResourceClaim", "ResourceClaimTemplate"])
def test_a_flat_request_is_of_v1beta1_alone(kind):
    flat = "deviceClassName: gpu.nvidia.com"

    assert severities("TG094", claim("v1", flat, kind)) == ["error"]
    assert severities("TG094", claim("v1beta2", flat, kind)) == ["error"]
    assert said("TG094", claim("v1beta1", flat, kind)) == []
    assert severities("TG094", claim("v1beta1", kind=kind)) == ["error"]
    assert said("TG094", claim("v1", kind=kind)) == []


def test_the_fix_of_a_flat_request_moves_every_field_of_the_class():
    (found,) = violations_of(RULES["TG094"], read_text(claim("v1", "deviceClassName: mig.nvidia.com, count: 2")))

    assert found.fix == "Move deviceClassName and count below exactly: {name: gpu, exactly: {deviceClassName: mig.nvidia.com}}"


def test_the_version_that_the_api_server_serves():
    assert said("TG094", claim("v1"), kubernetes="1.33") == [
        ("error", "resource.k8s.io/v1 exists from Kubernetes 1.34 on, but the cluster runs 1.33")
    ]
    assert said("TG094", claim("v1beta2"), kubernetes="1.36") == [
        ("warning", "Kubernetes 1.36 serves resource.k8s.io/v1. The API server serves v1beta2 only with --runtime-config")
    ]
    assert said("TG094", claim("v1beta2"), kubernetes="1.35") == []
    assert said("TG094", claim("v1"), kubernetes="1.36") == []


@pytest.mark.parametrize(("major", "floor"), CUDA_FLOORS.items())
def test_a_driver_at_the_floor_runs_that_cuda(major, floor):
    assert _runs(floor) == major


@pytest.mark.parametrize(
    ("version", "kubernetes", "fix"),
    [
        ("v1", "1.33", "Upgrade to Kubernetes 1.34, or set apiVersion to the beta version that the API server is configured to serve"),
        ("v1beta1", "1.36", "Set apiVersion: resource.k8s.io/v1, and put each request below 'exactly'"),
    ],
)
def test_the_fix_of_a_version_says_which(version, kubernetes, fix):
    text = f"apiVersion: resource.k8s.io/{version}\nkind: DeviceClass\nmetadata: {{name: a}}\n"

    assert [each.fix for each in violations_of(RULES["TG094"], read_text(text, kubernetes=kubernetes))] == [fix]


@pytest.mark.parametrize(
    ("image", "talos", "expected"),
    [
        ("nvidia/cuda:12.9.1-base-ubuntu22.04", "1.11", ["remark"]),
        ("nvcr.io/nvidia/cuda:12.8.0-base", "1.11", []),
        ("vllm/vllm-openai:v0.11.2", "1.11", ["remark"]),
        ("vllm/vllm-openai:v0.11.0", "1.11", []),
        ("lmsysorg/sglang:v0.5.12-cu129", "1.11", ["remark"]),
        ("yanwk/comfyui-boot:cu129-slim", "1.11", []),  # no base image of NVIDIA compares anything there
    ],
)
def test_an_image_of_nvidia_needs_the_minor_cuda_of_the_driver(image, talos, expected):
    assert severities("TG091", POD % image, talos=talos) == expected


def test_a_toolkit_that_compares_nothing_starts_the_container():
    assert said("TG091", POD % "nvidia/cuda:12.9.1-base", nodes=[GpuNodes(talos_version="1.12", product="RTX 4090")]) == []


def test_what_it_says_of_a_cuda_that_is_too_new():
    ((_, message),) = said("TG091", POD % "nvidia/cuda:12.9.1-base", nodes=[GpuNodes(talos_version="1.11", product="RTX 4090")])

    assert message == (
        "the image nvidia/cuda:12.9.1-base requires CUDA 12.9, and the default (production) driver of Talos 1.11 (570.172.08) has CUDA 12.8. "
        "The container may not start on a GeForce card: 'unsatisfied condition: cuda>=', 'please update your driver'"
    )


def test_a_pod_of_nvidias_runtime_without_a_limit_needs_it_too():
    agent = POD.replace("spec: {", "spec: {runtimeClassName: nvidia, ").replace("nvidia.com/gpu: 1", "memory: 1Gi")

    assert severities("TG091", agent % "nvidia/cuda:12.9.1-base", talos="1.11") == ["remark"]


def test_every_driver_of_talos_has_a_newest_cuda():
    branches = {int(driver.partition(".")[0]) for release in TALOS.values() for driver in release.drivers.values()}

    assert {each: newest_cuda(each) for each in branches if newest_cuda(each) is None} == {}
