"""Pods that the API server refuses: new containers without an image, restarts that a server can't have, and requests above limits."""

import pytest

from conftest import message, one, synth
from constructs_lib import (
    DcgmExporter,
    FeatureDiscovery,
    GpuNodes,
    GpuWorkload,
    Mps,
    MpsControlDaemon,
    StandaloneDevicePlugin,
    TalosGpuWarning,
    gpu_pod,
)

NODES = GpuNodes(talos_version="1.14")
with pytest.warns(TalosGpuWarning):
    BY_MPS = GpuNodes(talos_version="1.14", sharing=Mps(replicas=2))


def workload(chart, **given):
    return GpuWorkload(chart, "ollama", **{"nodes": NODES, "image": "ollama:1", **given})


def plugin(chart, **given):
    return StandaloneDevicePlugin(chart, "plugin", **{"nodes": NODES, **given})


# The construct, the argument, the misspelt container, and the container that is meant.
MAKERS = [
    (lambda chart, spec: workload(chart, pod_spec=spec), "pod_spec", "olama", "ollama"),
    (lambda chart, spec: plugin(chart, pod_spec=spec), "pod_spec", "nvidia-device-plugin", "nvidia-device-plugin-ctr"),
    (
        lambda chart, spec: plugin(chart, feature_discovery=FeatureDiscovery(pod_spec=spec)),
        "feature_discovery[pod_spec]",
        "gpu-feature-discovery",
        "gpu-feature-discovery-ctr",
    ),
    (
        lambda chart, spec: plugin(chart, nodes=BY_MPS, mps_control_daemon=MpsControlDaemon(pod_spec=spec)),
        "mps_control_daemon[pod_spec]",
        "mps-control-daemon-crt",
        "mps-control-daemon-ctr",
    ),
    (lambda chart, spec: DcgmExporter(chart, "exporter", nodes=NODES, pod_spec=spec), "pod_spec", "exportr", "exporter"),
]
MAKER_IDS = ["workload", "plugin", "feature discovery", "mps", "exporter"]


def place(argument, path):
    return f"{argument.removesuffix(']')}.{path}]" if argument.endswith("]") else f"{argument}[{path}]"


@pytest.mark.parametrize(("make", "argument", "misspelt", "meant"), MAKERS, ids=MAKER_IDS)
def test_a_misspelt_container_is_answered_with_the_one_that_is_meant(chart, make, argument, misspelt, meant):
    spec = {"containers": [{"name": misspelt, "workingDir": "/"}]}

    assert message(lambda: make(chart, spec)) == (
        f"'{place(argument, 'containers.1.image')}' must be given (got nothing); "
        f"Kubernetes requires an image of every container (here of '{misspelt}'); did you mean '{meant}'?"
    )


@pytest.mark.parametrize(("key", "index"), [("containers", 1), ("initContainers", 0)])
def test_a_container_like_no_other_is_answered_with_the_generated_container(chart, key, index):
    assert message(lambda: workload(chart, pod_spec={key: [{"name": "main"}]})) == (
        f"'pod_spec[{key}.{index}.image]' must be given (got nothing); "
        "Kubernetes requires an image of every container (here of 'main'); did you mean 'ollama'?"
    )


def test_a_generated_container_keeps_an_image(chart):
    assert message(lambda: workload(chart, pod_spec={"containers": [{"name": "ollama", "image": None}]})) == (
        "'pod_spec[containers.0.image]' must be given (got nothing); Kubernetes requires an image of every container (here of 'ollama')"
    )


def test_a_new_container_with_an_image_is_added(chart):
    workload(chart, pod_spec={"containers": [{"name": "olama", "image": "side:1"}]})

    assert [each["name"] for each in one(synth(chart), "Deployment")["spec"]["template"]["spec"]["containers"]] == ["ollama", "olama"]


def test_a_template_of_an_operator_may_lack_an_image():
    assert gpu_pod({"spec": {"containers": [{"name": "kserve-container"}]}}, nodes=NODES)["spec"]["containers"][0]["name"]
