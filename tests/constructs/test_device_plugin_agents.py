"""GPU feature discovery, the MPS control daemon and the init containers have resources and pod specs of their own."""

import copy
import pickle

import pytest

from conftest import env_of, message, one, synth
from constructs_lib import FeatureDiscovery, GpuNodes, Mps, MpsControlDaemon, StandaloneDevicePlugin, TalosGpuWarning
from constructs_lib.upstream.programs.container_rights import AGENT_RESOURCES

PLUGIN = "nvidia-device-plugin"
DISCOVERY = f"{PLUGIN}-gpu-feature-discovery"
MPS = f"{PLUGIN}-mps-control-daemon"
SMALL = {"limits": {"memory": "64Mi"}}
LARGE = {"requests": {"memory": "1Gi"}, "limits": {"memory": "2Gi"}}
SETS_IT = "the arguments of StandaloneDevicePlugin and GpuNodes set this variable"


def plain_nodes():
    return GpuNodes(talos_version="1.14")


def mig_nodes():
    return GpuNodes(talos_version="1.14", mig_devices={"1g.10gb": 7})


def mps_nodes():
    with pytest.warns(TalosGpuWarning, match="no report is known of MPS working"):
        return GpuNodes(talos_version="1.14", sharing=Mps(replicas=4))


def pod_of(chart, daemon_set, **arguments):
    StandaloneDevicePlugin(chart, "device-plugin", **{"nodes": plain_nodes(), **arguments})
    return one(synth(chart), "DaemonSet", daemon_set)["spec"]["template"]["spec"]


def resources_of(chart):
    """The resources of every container, by its name."""
    pods = [made["spec"]["template"]["spec"] for made in synth(chart) if made["kind"] == "DaemonSet"]
    return {each["name"]: each.get("resources") for pod in pods for key in ("initContainers", "containers") for each in pod.get(key, [])}


def test_the_plugins_resources_are_its_containers_alone(chart):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=mps_nodes(), feature_discovery=True, resources=SMALL)

    assert resources_of(chart) == {
        "nvidia-device-plugin-ctr": SMALL,
        "gpu-feature-discovery-ctr": AGENT_RESOURCES,
        "mps-control-daemon-mounts": AGENT_RESOURCES,
        "mps-control-daemon-ctr": AGENT_RESOURCES,
    }


def test_each_agent_has_resources_of_its_own(chart):
    StandaloneDevicePlugin(
        chart, "device-plugin", nodes=mps_nodes(),
        feature_discovery=FeatureDiscovery(resources=SMALL), mps_control_daemon=MpsControlDaemon(resources=LARGE),
    )  # fmt: skip

    assert resources_of(chart) == {
        "nvidia-device-plugin-ctr": AGENT_RESOURCES,
        "gpu-feature-discovery-ctr": SMALL,
        "mps-control-daemon-mounts": LARGE,
        "mps-control-daemon-ctr": LARGE,
    }


def test_requests_can_be_left_out_as_upstream_does(chart):
    none = FeatureDiscovery(resources={})
    StandaloneDevicePlugin(chart, "device-plugin", nodes=plain_nodes(), feature_discovery=none, resources={})

    assert resources_of(chart) == {"nvidia-device-plugin-ctr": None, "gpu-feature-discovery-ctr": None}
    assert repr(none) == "FeatureDiscovery(resources={})"
    assert eval(repr(none), {"FeatureDiscovery": FeatureDiscovery}) == none != FeatureDiscovery()


def test_the_init_container_that_partitions_has_resources_of_its_own(chart):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=mig_nodes(), resources=SMALL, mig_parted_resources=LARGE)

    assert resources_of(chart) == {"mig-parted": LARGE, "nvidia-device-plugin-ctr": SMALL}


@pytest.mark.parametrize(
    ("nodes", "daemon_set", "init"), [(mig_nodes, PLUGIN, "mig-parted"), (mps_nodes, MPS, "mps-control-daemon-mounts")]
)
def test_a_pod_spec_reaches_an_init_container_by_its_name(chart, nodes, daemon_set, init):
    pod_spec = {"initContainers": [{"name": init, "resources": SMALL}]}
    arguments = {"pod_spec": pod_spec} if daemon_set == PLUGIN else {"mps_control_daemon": MpsControlDaemon(pod_spec=pod_spec)}
    (container,) = pod_of(chart, daemon_set, nodes=nodes(), **arguments)["initContainers"]

    assert container["resources"] == {**AGENT_RESOURCES, **SMALL}
    assert container["command"]


def test_a_pod_spec_is_that_of_one_agent_and_cannot_lose_what_the_nodes_need(chart):
    discovery = FeatureDiscovery(pod_spec={"dnsPolicy": "Default", "tolerations": []})
    daemon = MpsControlDaemon(pod_spec={"hostNetwork": True})
    StandaloneDevicePlugin(chart, "device-plugin", nodes=mps_nodes(), feature_discovery=discovery, mps_control_daemon=daemon)

    pods = {made["metadata"]["name"]: made["spec"]["template"]["spec"] for made in synth(chart) if made["kind"] == "DaemonSet"}
    assert {name: (pod.get("dnsPolicy"), pod.get("hostNetwork")) for name, pod in pods.items()} == {
        PLUGIN: (None, None),
        DISCOVERY: ("Default", None),
        MPS: (None, True),
    }
    assert all(pod["tolerations"] for pod in pods.values())
    assert {pod["runtimeClassName"] for pod in pods.values()} == {"nvidia"}


@pytest.mark.parametrize("fails", [True, False])
def test_feature_discovery_fails_on_an_init_error_as_the_plugin_does(chart, fails):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=plain_nodes(), feature_discovery=True, fail_on_init_error=fails)

    for name in (PLUGIN, DISCOVERY):
        (container,) = one(synth(chart), "DaemonSet", name)["spec"]["template"]["spec"]["containers"]
        assert env_of(container)["FAIL_ON_INIT_ERROR"] == str(fails).lower()


@pytest.mark.parametrize("interval", ["10m", "1h30m", "infinite"])
def test_feature_discovery_sleeps_as_told(chart, interval):
    (container,) = pod_of(chart, DISCOVERY, feature_discovery=FeatureDiscovery(sleep_interval=interval))["containers"]

    assert env_of(container)["GFD_SLEEP_INTERVAL"] == interval
    assert "GFD_NO_TIMESTAMP" not in env_of(container)


def test_feature_discovery_leaves_out_its_timestamp(chart):
    (container,) = pod_of(chart, DISCOVERY, feature_discovery=FeatureDiscovery(no_timestamp=True))["containers"]

    assert env_of(container)["GFD_NO_TIMESTAMP"] == "true"
    assert "GFD_SLEEP_INTERVAL" not in env_of(container)


@pytest.mark.parametrize("off", [None, False])
def test_feature_discovery_is_off_by_default(chart, off):
    made = StandaloneDevicePlugin(chart, "device-plugin", nodes=plain_nodes(), feature_discovery=off)

    assert made.feature_discovery is None
    assert [each["metadata"]["name"] for each in synth(chart) if each["kind"] == "DaemonSet"] == [PLUGIN]


def test_the_attributes_hold_the_settings_of_the_agents_that_run(chart):
    made = StandaloneDevicePlugin(chart, "device-plugin", nodes=mps_nodes(), feature_discovery=True)

    assert (made.feature_discovery, made.mps_control_daemon) == (FeatureDiscovery(), MpsControlDaemon())


@pytest.mark.parametrize("agent", [FeatureDiscovery, MpsControlDaemon])
def test_the_settings_of_an_agent_are_a_value(agent):
    value = agent(resources=SMALL, pod_spec={"hostAliases": [{"ip": "127.0.0.1"}]})

    assert copy.deepcopy(value) == pickle.loads(pickle.dumps(value)) == value != agent()  # our own bytes
    assert eval(repr(value), {agent.__name__: agent}) == value
    assert {value}
    with pytest.raises(TypeError):
        value.pod_spec["hostAliases"] = []


def discovery_of(**pod_spec):
    return {"feature_discovery": FeatureDiscovery(pod_spec=pod_spec)}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (
            discovery_of(runtimeClassName="runc"),
            "'feature_discovery[pod_spec]' must be without another runtimeClassName than 'nvidia' (got 'runc'); without 'nvidia' the container has no NVML library and finds no GPU",
        ),
        (
            discovery_of(containers=[{"name": "gpu-feature-discovery-ctr", "env": [{"name": "FAIL_ON_INIT_ERROR", "value": "false"}]}]),
            f"'feature_discovery[pod_spec]' must be without another FAIL_ON_INIT_ERROR than 'true' (got 'false'); {SETS_IT}",
        ),
        (
            discovery_of(containers=[{"name": "gpu-feature-discovery-ctr", "env": [{"name": "NODE_NAME", "value": "gpu-1"}]}]),
            f"'feature_discovery[pod_spec]' must be without a NODE_NAME of its own (got 'gpu-1'); {SETS_IT}",
        ),
        (
            discovery_of(containers=[{"name": "gpu-feature-discovery-ctr", "env": None}]),
            f"'feature_discovery[pod_spec]' must be without a NODE_NAME of its own (got None); {SETS_IT}",
        ),
        (
            discovery_of(containers=None),
            "'feature_discovery[pod_spec]' must be with a list of at least one container in 'containers' (got None)",
        ),
        (
            discovery_of(containers=[{"name": "gpu-feature-discovery-ctr", "volumeMounts": [{"name": "more"}]}]),
            "'feature_discovery[pod_spec.containers.0.volumeMounts.0.mountPath]' must be given (got nothing); Kubernetes requires this field of every VolumeMount (here in 'gpu-feature-discovery-ctr/more')",
        ),
        (
            {"mps_control_daemon": MpsControlDaemon()},
            "'mps_control_daemon' must be left out for nodes that are not shared by MPS (got MpsControlDaemon()); no MPS daemon runs there; give sharing=Mps(…) to GpuNodes",
        ),
        (
            {"mig_parted_resources": SMALL},
            "'mig_parted_resources' must be left out for nodes without 'mig_devices' (got {'limits': {'memory': '64Mi'}}); nvidia-mig-parted runs only on nodes with 'mig_devices'",
        ),
    ],
)
def test_what_an_agent_cannot_have_is_refused(chart, arguments, says):
    assert message(lambda: StandaloneDevicePlugin(chart, "device-plugin", nodes=plain_nodes(), **arguments)) == says
    assert chart.node.children == []


def test_a_pod_spec_of_the_mps_daemon_is_refused_by_its_name(chart):
    pod_spec = {"containers": [{"name": "mps-control-daemon-ctr", "env": [{"name": "CONFIG_FILE", "value": "/c"}]}]}
    nodes = mps_nodes()

    assert message(
        lambda: StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes, mps_control_daemon=MpsControlDaemon(pod_spec=pod_spec))
    ) == (f"'mps_control_daemon[pod_spec]' must be without another CONFIG_FILE than '/config/config.yaml' (got '/c'); {SETS_IT}")


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: FeatureDiscovery(sleep_interval="0s"), ValueError, "'sleep_interval' must be a duration above zero (got '0s'); GPU feature discovery would read the GPUs without a pause"),
        (lambda: FeatureDiscovery(sleep_interval="forever"), ValueError, "'sleep_interval' must be a duration such as '10m' or '30s' (got 'forever')"),
        (lambda: FeatureDiscovery(sleep_interval=60), TypeError, "'sleep_interval' must be a duration such as '10m' or '30s' (got 60)"),
        (lambda: FeatureDiscovery(no_timestamp="no"), TypeError, "'no_timestamp' must be True or False (got 'no'); did you mean False?"),
        (lambda: FeatureDiscovery(resource=SMALL), TypeError, "'resource' must be an argument of FeatureDiscovery (got resource={'limits': {'memory': '64Mi'}}); did you mean 'resources'?"),
        (lambda: FeatureDiscovery(resources={"limit": {}}), ValueError, "'resources' must be a mapping with 'requests' and 'limits' (got 'limit')"),
        (lambda: MpsControlDaemon(pod_spec=[]), TypeError, "'pod_spec' must be a mapping of fields of a pod spec (got [])"),
        (lambda: MpsControlDaemon(SMALL), TypeError, "'resources' must be given by its name (got {'limits': {'memory': '64Mi'}}); such as MpsControlDaemon(…, resources=…)"),
    ],
)  # fmt: skip
def test_a_wrong_setting_of_an_agent_is_refused(make, error, says):
    assert message(make, error) == says
