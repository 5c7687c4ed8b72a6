import pytest
import yaml
from cdk8s import App, Chart

from conftest import GENERATIONS, env_of, message, one, synth
from constructs_lib import GpuNodes, StandaloneDevicePlugin, TimeSlicing
from constructs_lib.upstream.images import MIG_PARTED_IMAGE
from constructs_lib.upstream.programs.container_rights import AGENT_RESOURCES

SEVEN = {"1g.10gb": 7}
BALANCED = {"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}


def nodes(devices=SEVEN, strategy="mixed", **given):  # nobody changes it
    return GpuNodes(**{"talos_version": "1.14", "mig_strategy": strategy, "mig_devices": devices, **given})


def plugin(chart, made, **given):
    """The plugin's DaemonSet."""
    StandaloneDevicePlugin(chart, "device-plugin", nodes=made, **given)
    return one(synth(chart), "DaemonSet")


def pod_of(daemon_set):
    return daemon_set["spec"]["template"]["spec"]


def layout(chart):
    return yaml.safe_load(one(synth(chart), "ConfigMap")["data"]["mig-parted.yaml"])


@pytest.mark.parametrize("talos", GENERATIONS)
def test_cards_are_partitioned_before_the_plugin_starts(chart, talos, snapshot_yaml):
    pod = pod_of(plugin(chart, nodes(talos_version=talos)))

    assert synth(chart) == snapshot_yaml
    (partitioner,) = pod["initContainers"]
    assert partitioner["image"] == MIG_PARTED_IMAGE
    assert partitioner["command"] == [
        "/bin/sh", "-c", "nvidia-mig-parted apply --config-file /config/mig-parted.yaml && nvidia-smi -L",
    ]  # fmt: skip
    assert partitioner["securityContext"] == {"privileged": True}
    assert pod["runtimeClassName"] == "nvidia"


def test_the_partitioner_sees_every_card_and_may_change_it(chart):
    (partitioner,) = pod_of(plugin(chart, nodes()))["initContainers"]

    assert env_of(partitioner) == {
        "NVIDIA_VISIBLE_DEVICES": "all",
        "NVIDIA_MIG_CONFIG_DEVICES": "all",
        "NVIDIA_DRIVER_CAPABILITIES": "utility",
    }


def test_the_nodes_of_a_partition_are_made_in_the_hosts_dev(chart):
    pod = pod_of(plugin(chart, nodes()))
    (partitioner,) = pod["initContainers"]

    assert {"name": "nvidia-caps", "hostPath": {"path": "/dev/nvidia-caps", "type": "DirectoryOrCreate"}} in pod["volumes"]
    assert {"name": "nvidia-caps", "mountPath": "/dev/nvidia-caps"} in partitioner["volumeMounts"]
    assert [mount["name"] for mount in pod["containers"][0]["volumeMounts"]] == ["kubelet-device-plugins-dir", "config"]


@pytest.mark.parametrize(
    ("devices", "specs"),
    [
        (SEVEN, [{"devices": "all", "mig-enabled": True, "mig-devices": SEVEN}]),
        (BALANCED, [{"devices": "all", "mig-enabled": True, "mig-devices": BALANCED}]),
        ({"1g.10gb+me": 1}, [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.10gb+me": 1}}]),
        (
            [{}, SEVEN, BALANCED, SEVEN, {}],
            [
                {"devices": [0, 4], "mig-enabled": False},
                {"devices": [1, 3], "mig-enabled": True, "mig-devices": SEVEN},
                {"devices": [2], "mig-enabled": True, "mig-devices": BALANCED},
            ],
        ),
    ],
)
def test_the_layout_is_written_as_mig_parted_reads_it(chart, devices, specs):
    plugin(chart, nodes(devices))

    assert layout(chart) == {"version": "v1", "mig-configs": {"gpu": specs}}


def test_the_layout_has_the_name_of_its_class(chart):
    plugin(chart, nodes(name="a100"))

    assert list(layout(chart)["mig-configs"]) == ["a100"]


@pytest.mark.parametrize("strategy", ["none", "single", "mixed"])
def test_without_a_layout_somebody_else_partitions_the_cards(chart, strategy):
    daemon_set = plugin(chart, nodes(None, strategy))

    assert "initContainers" not in pod_of(daemon_set)
    assert {volume["name"] for volume in pod_of(daemon_set)["volumes"]} == {"kubelet-device-plugins-dir", "config"}
    assert list(one(synth(chart), "ConfigMap")["data"]) == ["config.yaml"]


def test_a_changed_layout_starts_the_plugin_anew(chart):
    first, second = (
        plugin(Chart(App(), "gpu"), nodes({"1g.10gb": number}))["spec"]["template"]["metadata"]["annotations"] for number in (6, 7)
    )

    assert first.keys() == second.keys() == {"checksum/config"}
    assert first != second


def test_the_image_can_be_another(chart):
    (partitioner,) = pod_of(plugin(chart, nodes(), mig_parted_image="registry.local/mig:1", image_pull_policy="Always"))["initContainers"]

    assert (partitioner["image"], partitioner["imagePullPolicy"]) == ("registry.local/mig:1", "Always")


@pytest.mark.parametrize(("value", "error"), [("", ValueError), ("a b", ValueError), (None, TypeError)])
def test_an_image_that_is_none_is_refused(chart, value, error):
    said = message(lambda: StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes(), mig_parted_image=value), error)

    assert said == f"'mig_parted_image' must be an image reference without white space (got {value!r})"
    assert chart.node.children == []


def test_a_pod_spec_of_the_users_reaches_the_partitioner_by_its_name(chart):
    resources = {"limits": {"memory": "256Mi"}}
    pod = pod_of(plugin(chart, nodes(), pod_spec={"initContainers": [{"name": "mig-parted", "resources": resources}]}))

    assert [(each["name"], each["image"], each["resources"]) for each in pod["initContainers"]] == [
        ("mig-parted", MIG_PARTED_IMAGE, {**AGENT_RESOURCES, **resources})
    ]


@pytest.mark.parametrize(
    ("devices", "strategy", "shared"),
    [
        (SEVEN, "single", ["nvidia.com/gpu"]),
        (SEVEN, "mixed", ["nvidia.com/mig-1g.10gb"]),
        (BALANCED, "mixed", ["nvidia.com/mig-1g.10gb", "nvidia.com/mig-2g.20gb", "nvidia.com/mig-3g.40gb"]),
        ([{}, {"1g.10gb+me": 1}], "mixed", ["nvidia.com/gpu", "nvidia.com/mig-1g.10gb.me"]),
    ],
)
def test_every_resource_of_the_nodes_is_time_sliced(chart, devices, strategy, shared):
    plugin(chart, nodes(devices, strategy, sharing=TimeSlicing(replicas=3)))
    config = yaml.safe_load(one(synth(chart), "ConfigMap")["data"]["config.yaml"])

    assert config["flags"] == {"migStrategy": strategy}
    assert config["sharing"]["timeSlicing"]["resources"] == [{"name": name, "replicas": 3} for name in shared]
