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


SERVERS = [
    *(
        (lambda chart, spec, kind=kind: workload(chart, kind=kind, pod_spec=spec), "pod_spec", kind)
        for kind in ("Deployment", "StatefulSet")
    ),
    *((make, argument, "DaemonSet") for make, argument, _, _ in MAKERS[1:]),
]


@pytest.mark.parametrize(("make", "argument", "kind"), SERVERS, ids=["Deployment", "StatefulSet", *MAKER_IDS[1:]])
def test_the_pods_of_a_server_restart_and_have_no_deadline(chart, make, argument, kind):
    for policy in ("Never", "OnFailure"):
        assert message(lambda policy=policy: make(chart, {"restartPolicy": policy})) == (
            f"'{place(argument, 'restartPolicy')}' must be 'Always' in a {kind} (got '{policy}')"
        )
    assert message(lambda: make(chart, {"activeDeadlineSeconds": 5})) == (
        f"'{place(argument, 'activeDeadlineSeconds')}' must be left out of the pods of a {kind} (got 5); only the pods of a Job end"
    )
    make(chart, {"restartPolicy": "Always", "activeDeadlineSeconds": None})


@pytest.mark.parametrize("more", [{"kind": "Job"}, {"kind": "CronJob", "schedule": "@daily"}], ids=lambda more: more["kind"])
def test_the_pods_of_a_job_may_end(chart, more):
    assert workload(chart, pod_spec={"restartPolicy": "OnFailure", "activeDeadlineSeconds": 5}, **more)


def limited(name, memory):
    return {"containers": [{"name": name, "resources": {"limits": {"memory": memory}}}]}


BELOW = "of at most the limit {} (got {}); Kubernetes refuses a container that requests more than its limit"


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda chart, spec: workload(chart, memory="2Gi", pod_spec=spec), "ollama"),
        (
            lambda chart, spec: plugin(chart, resources={"requests": {"memory": "2Gi"}}, pod_spec=spec),
            "nvidia-device-plugin-ctr",
        ),
        (
            lambda chart, spec: DcgmExporter(chart, "exporter", nodes=NODES, resources={"requests": {"memory": "2Gi"}}, pod_spec=spec),
            "exporter",
        ),
    ],
    ids=["workload", "plugin", "exporter"],
)
def test_a_limit_below_the_request_of_the_generated_container_is_refused(chart, make, name):
    rule = BELOW.format("'1Gi'", "'2Gi'")

    assert message(lambda: make(chart, limited(name, "1Gi"))) == f"'pod_spec' must be with a request for memory in '{name}' {rule}"
    make(chart, limited(name, "2048Mi"))


def test_an_init_container_and_a_template_request_no_more_than_their_limits(chart):
    resources = {"requests": {"cpu": "1500m"}, "limits": {"cpu": 1}}
    rule = BELOW.format("1", "'1500m'")
    init = {"name": "init", "image": "init:1", "resources": resources}
    template = {"spec": {"containers": [{**init, "name": "main"}]}}

    assert (
        message(lambda: workload(chart, init_containers=[init])) == f"'init_containers[0]' must be with a request for cpu in 'init' {rule}"
    )
    assert message(lambda: gpu_pod(template, nodes=NODES)) == f"'template' must be with a request for cpu in 'main' {rule}"


@pytest.mark.parametrize(
    "make",
    [
        lambda chart, resources: plugin(chart, resources=resources),
        lambda chart, resources: DcgmExporter(chart, "exporter", nodes=NODES, resources=resources),
        lambda _, resources: FeatureDiscovery(resources=resources),
        lambda _, resources: MpsControlDaemon(resources=resources),
    ],
    ids=["plugin", "exporter", "feature discovery", "mps"],
)
def test_the_resources_of_an_agent_request_no_more_than_their_limits(chart, make):
    given = {"requests": {"memory": "2Gi"}, "limits": {"memory": "1Gi", "cpu": "1"}}

    assert message(lambda: make(chart, given)) == f"'resources' must be with a request for memory {BELOW.format(repr('1Gi'), repr('2Gi'))}"
    assert make(chart, {"requests": {"memory": "1Gi"}, "limits": {"memory": "1Gi"}})
