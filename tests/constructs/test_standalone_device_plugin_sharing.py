import pytest
import yaml

from conftest import env_of, one, synth
from constructs_lib import GpuNodes, Mps, StandaloneDevicePlugin, TalosGpuWarning, TimeSlicing

NVIDIA_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
DISCOVERY = "nvidia-device-plugin-gpu-feature-discovery"


def config(chart):
    """The plugin's config file."""
    return yaml.safe_load(one(synth(chart), "ConfigMap")["data"]["config.yaml"])


@pytest.fixture
def mps():
    with pytest.warns(TalosGpuWarning, match="no report is known of MPS working on Talos 1.14"):
        return GpuNodes(talos_version="1.14", sharing=Mps(replicas=4))


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [
        (TimeSlicing(replicas=5), {"renameByDefault": False, "failRequestsGreaterThanOne": False}),
        (TimeSlicing(replicas=5, rename_by_default=True), {"renameByDefault": True, "failRequestsGreaterThanOne": False}),
        (TimeSlicing(replicas=5, fail_requests_greater_than_one=True), {"renameByDefault": False, "failRequestsGreaterThanOne": True}),
    ],
)
def test_time_slicing_is_written_into_the_config(chart, sharing, expected):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=GpuNodes(talos_version="1.12", sharing=sharing))

    shared = {**expected, "resources": [{"name": "nvidia.com/gpu", "replicas": 5}]}
    assert config(chart) == {"version": "v1", "flags": {"migStrategy": "none"}, "sharing": {"timeSlicing": shared}}
    assert [made["metadata"]["name"] for made in synth(chart) if made["kind"] == "DaemonSet"] == ["nvidia-device-plugin"]


def test_mps(chart, mps, snapshot_yaml):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=mps)

    assert synth(chart) == snapshot_yaml
    assert config(chart)["sharing"] == {
        "mps": {
            "renameByDefault": False,
            "failRequestsGreaterThanOne": True,
            "resources": [{"name": "nvidia.com/gpu", "replicas": 4}],
        }
    }
    names = [made["metadata"]["name"] for made in synth(chart) if made["kind"] == "DaemonSet"]
    assert names == ["nvidia-device-plugin", "nvidia-device-plugin-mps-control-daemon"]


def test_the_mps_daemon_remakes_its_memory_and_follows_its_clients(chart, mps):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=mps)
    pod = one(synth(chart), "DaemonSet", "nvidia-device-plugin-mps-control-daemon")["spec"]["template"]["spec"]

    (mounts,) = pod["initContainers"]
    (daemon,) = pod["containers"]
    assert mounts["command"] == ["mps-control-daemon", "mount-shm"]
    assert mounts["volumeMounts"] == [{"name": "mps-root", "mountPath": "/mps", "mountPropagation": "Bidirectional"}]
    assert mounts["securityContext"] == daemon["securityContext"] == {"privileged": True}
    assert daemon["command"] == ["mps-control-daemon"]
    assert env_of(daemon)["CONFIG_FILE"] == "/config/config.yaml"
    assert (pod["hostPID"], pod["runtimeClassName"], pod["tolerations"]) == (True, "nvidia", [NVIDIA_TOLERATION])


def test_the_plugin_and_the_mps_daemon_meet_in_the_same_folders(chart, mps):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=mps)
    folders = [
        {"name": "mps-root", "hostPath": {"path": "/run/nvidia/mps", "type": "DirectoryOrCreate"}},
        {"name": "mps-shm", "hostPath": {"path": "/run/nvidia/mps/shm"}},
    ]
    for name in ("nvidia-device-plugin", "nvidia-device-plugin-mps-control-daemon"):
        pod = one(synth(chart), "DaemonSet", name)["spec"]["template"]["spec"]
        mounts = {mount["name"]: mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]}
        assert [volume for volume in pod["volumes"] if volume["name"].startswith("mps")] == folders
        assert (mounts["mps-root"], mounts["mps-shm"]) == ("/mps", "/dev/shm")
    plugin = one(synth(chart), "DaemonSet", "nvidia-device-plugin")["spec"]["template"]["spec"]["containers"][0]
    assert env_of(plugin)["MPS_ROOT"] == "/run/nvidia/mps"


def test_feature_discovery(chart, seed_002, snapshot_yaml):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=seed_002, feature_discovery=True)
    pod = one(synth(chart), "DaemonSet", DISCOVERY)["spec"]["template"]["spec"]

    assert synth(chart) == snapshot_yaml
    assert env_of(pod["containers"][0]) == {
        "NODE_NAME": {"fieldRef": {"fieldPath": "spec.nodeName"}},
        "NAMESPACE": {"fieldRef": {"fieldPath": "metadata.namespace"}},
        "POD_NAME": {"fieldRef": {"fieldPath": "metadata.name"}},
        "CONFIG_FILE": "/config/config.yaml",
        "DEVICE_DISCOVERY_STRATEGY": "nvml",
        "FAIL_ON_INIT_ERROR": "true",
        "NVIDIA_VISIBLE_DEVICES": "all",
        "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
    }
    assert pod["containers"][0]["securityContext"] == {"privileged": True}
    assert [mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]] == ["/sys", "/config"]
    assert (pod["runtimeClassName"], pod["serviceAccountName"]) == ("nvidia", DISCOVERY)
    assert pod["tolerations"] == [toleration for taint in seed_002.taints for toleration in (NVIDIA_TOLERATION, taint.toleration)]


@pytest.mark.parametrize("strategy", ["single", "mixed"])
def test_feature_discovery_sees_every_partition_with_a_mig_strategy(chart, strategy):
    nodes = GpuNodes(talos_version="1.14", mig_strategy=strategy)
    StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes, feature_discovery=True)

    (discovery,) = one(synth(chart), "DaemonSet", DISCOVERY)["spec"]["template"]["spec"]["containers"]
    assert env_of(discovery)["NVIDIA_MIG_MONITOR_DEVICES"] == "all"
    assert discovery["securityContext"] == {"privileged": True}


def test_feature_discovery_may_keep_node_features_in_its_own_namespace_and_no_more(chart, legacy):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=legacy, feature_discovery=True)

    assert one(synth(chart), "Role")["rules"] == [
        {"apiGroups": ["nfd.k8s-sigs.io"], "resources": ["nodefeatures"], "verbs": ["get", "create", "update"]},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]},
    ]
    binding = one(synth(chart), "RoleBinding")
    assert binding["roleRef"] == {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": DISCOVERY}
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": DISCOVERY, "namespace": "kube-system"}]
    assert one(synth(chart), "ServiceAccount", DISCOVERY)["metadata"]["namespace"] == "kube-system"
    assert not {"ClusterRole", "ClusterRoleBinding"} & {made["kind"] for made in synth(chart)}
