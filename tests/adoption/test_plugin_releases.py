"""A device plugin, from its chart or as a DaemonSet.

The construct takes its place, on the same nodes and with the same strategies.
"""

import pytest
import yaml

from constructs_lib.adoption.adopted_cluster import adopt
from constructs_lib.adoption.differences import differences
from constructs_lib.observed.read.repository import read_text

TIME_SLICING = {"failRequestsGreaterThanOne": True, "resources": [{"name": "nvidia.com/gpu", "replicas": 4}]}
CONFIG = {"version": "v1", "sharing": {"timeSlicing": TIME_SLICING}}
DEDICATED = {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}
AFFINITY = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchExpressions": [{"key": "card", "operator": "In", "values": ["rtx"]}]}
]}}}  # fmt: skip


def release(*, values, **spec):
    chart = {"chart": "nvidia-device-plugin", "version": "0.20.0", "sourceRef": {"kind": "HelmRepository", "name": "nvdp"}}
    return {
        "apiVersion": "helm.toolkit.fluxcd.io/v2",
        "kind": "HelmRelease",
        "metadata": {"name": "nvidia-device-plugin", "namespace": "kube-system"},
        "spec": {"interval": "30m", "chart": {"spec": chart}, "values": values, **spec},
    }


def config_map(config, name="plugin-config"):
    metadata = {"name": name, "namespace": "kube-system"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"config.yaml": yaml.safe_dump(config)}}


def adopted(*objects):
    return adopt(read_text(yaml.safe_dump_all(objects)), "1.14.0")


def of_chart(config=None, *, suspend=False, **values):
    """The adoption of a release with these values and this config file."""
    held = {} if config is None else {"config": {"map": {"default": yaml.safe_dump(config)}}}
    return adopted(release(values={**values, **held}, **({"suspend": True} if suspend else {})))


def plugin(adoption):
    """The arguments of the plugin, and the pod and the config file that it makes."""
    (part,) = [each for each in adoption.parts if each.name == "StandaloneDevicePlugin"]
    made = list(yaml.safe_load_all(adoption.files["manifests/kube-system.k8s.yaml"]))
    pod = next(each for each in made if each["kind"] == "DaemonSet")["spec"]["template"]["spec"]
    config = next(each for each in made if each["kind"] == "ConfigMap")["data"]["config.yaml"]
    return part.arguments, pod, yaml.safe_load(config)


def test_a_release_that_the_class_of_nodes_makes_becomes_the_construct():
    arguments, pod, config = plugin(of_chart(CONFIG, nodeSelector={"pool": "gpu"}, tolerations=[DEDICATED], runtimeClassName="nvidia"))

    assert "pod_spec" not in arguments
    assert (pod["nodeSelector"], pod["runtimeClassName"]) == ({"pool": "gpu"}, "nvidia")
    assert DEDICATED in pod["tolerations"]
    assert config["sharing"]["timeSlicing"]["resources"] == TIME_SLICING["resources"]
    assert config["sharing"]["timeSlicing"]["failRequestsGreaterThanOne"] is True


def test_an_affinity_and_a_toleration_of_its_own_stay_in_the_pod():
    _, pod, _ = plugin(of_chart(affinity=AFFINITY, tolerations=[{"operator": "Exists"}]))

    terms = pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert all(any(each["key"] == "card" for each in term["matchExpressions"]) for term in terms)
    assert {"operator": "Exists"} in pod["tolerations"]


def test_a_config_map_that_the_values_name_is_the_sharing_of_the_class():
    named = release(values={"config": {"name": "plugin-config"}})
    adoption = adopted(named, config_map(CONFIG))

    assert adoption.nodes.classes[0]["sharing"] == {"time_slicing": {"replicas": 4, "fail_requests_greater_than_one": True}}
    assert plugin(adoption)[2]["sharing"]["timeSlicing"]["resources"] == TIME_SLICING["resources"]


def test_the_flags_of_a_config_file_are_arguments():
    flags = {"failOnInitError": False, "plugin": {"deviceListStrategy": ["cdi-cri"], "deviceIDStrategy": "index"}}
    arguments, pod, _ = plugin(of_chart({**CONFIG, "flags": flags}))

    assert arguments["fail_on_init_error"] is False
    variables = {each["name"]: each.get("value") for each in pod["containers"][0]["env"]}
    assert (variables["DEVICE_LIST_STRATEGY"], variables["DEVICE_ID_STRATEGY"]) == ("cdi-cri", "index")


def test_feature_discovery_is_on_with_the_discovery_that_the_chart_brings_along():
    adoption = of_chart(gfd={"enabled": True}, sleepInterval="10m")
    arguments, _, _ = plugin(adoption)

    assert arguments["feature_discovery"] == {"FeatureDiscovery": {"sleep_interval": "10m"}}
    assert [each.name for each in adoption.parts if "Discovery" in each.name] == ["NodeFeatureDiscovery"]


def test_feature_discovery_without_the_discovery_of_the_chart_brings_none():
    adoption = of_chart(gfd={"enabled": True}, nfd={"enabled": False})

    assert plugin(adoption)[0]["feature_discovery"] is True
    assert [each.name for each in adoption.parts if each.name == "NodeFeatureDiscovery"] == []


def daemon_set(**pod):
    container = {
        "name": "plugin",
        "image": "nvcr.io/nvidia/k8s-device-plugin:v0.19.0",
        "args": ["--fail-on-init-error=false"],
        "env": [{"name": "CONFIG_FILE", "value": "/config/config.yaml"}, {"name": "PASS_DEVICE_SPECS", "value": "true"}],
        "securityContext": {"privileged": True},
    }
    spec = {"containers": [container], "volumes": [{"name": "config", "configMap": {"name": "plugin-config"}}], **pod}
    metadata = {"name": "plugin", "namespace": "kube-system"}
    template = {"metadata": {"labels": {"app": "plugin"}}, "spec": spec}
    selector = {"matchLabels": {"app": "plugin"}}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": {"selector": selector, "template": template}}


def test_a_plain_daemon_set_with_its_config_map_becomes_the_construct():
    adoption = adopted(daemon_set(runtimeClassName="nvidia", nodeSelector={"pool": "gpu"}), config_map(CONFIG))
    arguments, pod, config = plugin(adoption)

    assert arguments["image"] == "nvcr.io/nvidia/k8s-device-plugin:v0.19.0"
    assert (arguments["fail_on_init_error"], arguments["compat_with_cpu_manager"]) == (False, True)
    assert pod["nodeSelector"] == {"pool": "gpu"}
    assert config["sharing"]["timeSlicing"]["resources"] == TIME_SLICING["resources"]
    (part,) = [each for each in adoption.parts if each.name == "StandaloneDevicePlugin"]
    assert [each.read.label for each in part.replaces] == ["DaemonSet kube-system/plugin", "ConfigMap kube-system/plugin-config"]


def test_a_feature_discovery_that_the_plugin_takes_over_is_not_said_to_stay():
    gfd = daemon_set()
    gfd["metadata"]["name"] = "discovery"
    gfd["spec"]["template"]["spec"]["containers"][0] |= {"command": ["gpu-feature-discovery"], "args": []}
    adoption = adopted(daemon_set(), gfd)

    assert plugin(adoption)[0]["feature_discovery"] is True
    assert adoption.left == []


def test_each_class_of_nodes_has_the_plugin_with_its_config_file():
    files = {"rtx": {**CONFIG}, "l4": {"version": "v1"}}
    values = {"config": {"map": {name: yaml.safe_dump(file) for name, file in files.items()}, "default": "l4"}}
    nodes = [
        {
            "version": "v1alpha1",
            "machine": {
                "type": "worker",
                "network": {"hostname": f"gpu-{name}"},
                "kernel": {"modules": [{"name": "nvidia"}]},
                "nodeLabels": {"nvidia.com/device-plugin.config": name, "card": name},
            },
            "cluster": {},
        }
        for name in files
    ]
    adoption = adopted(release(values=values), *nodes)
    made = [each.arguments["nodes"] for each in adoption.parts if each.name == "StandaloneDevicePlugin"]

    assert sorted(made) == ["l4", "rtx"]
    assert {each["name"]: "sharing" in each for each in adoption.nodes.classes} == {"l4": False, "rtx": True}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"runtimeClassName": "nvidia-legacy"}, "its runtimeClassName nvidia-legacy is not that of the nodes, nvidia"),
        ({"suspend": True}, "no argument says spec.suspend of its delivery"),
        ({"migStrategy": "mixed"}, "its migStrategy belongs to the class of nodes"),
        ({"cdi": {"nvidiaHookPath": "/usr/bin/hook"}}, "no argument says values.cdi"),
        (
            {"config": {**CONFIG, "flags": {"plugin": {"containerDriverRoot": "/driver"}}}},
            "the class of nodes has no flags.plugin.containerDriverRoot of its config file 'default'",
        ),
    ],
    ids=("runtime class", "suspend", "mig", "cdi", "driver root"),
)
def test_a_release_with_a_setting_without_an_argument_stays_and_the_setting_is_named(given, reason):
    adoption = of_chart(**given)

    assert [each.name for each in adoption.parts if each.name == "StandaloneDevicePlugin"] == []
    assert reason in "".join(each.reason for each in differences(adoption))


def test_a_value_that_the_chart_does_not_read_is_left_out_by_name():
    adoption = of_chart(flags={"migStrategy": "single"})

    assert plugin(adoption)
    assert any("values.flags is left out: the chart does not read it" in each.reason for each in differences(adoption))


def test_a_flag_of_a_daemon_set_without_an_argument_is_named():
    body = daemon_set()
    body["spec"]["template"]["spec"]["containers"][0]["args"].append("--imex-required")

    assert [each.reason for each in adopted(body).left] == ["no argument says its flag --imex-required"]


def test_the_config_file_of_a_daemon_set_may_be_named_by_its_flag():
    body = daemon_set(runtimeClassName="nvidia")
    container = body["spec"]["template"]["spec"]["containers"][0]
    container["args"].append("--config-file=/config/config.yaml")
    container["env"] = container["env"][1:]
    adoption = adopted(body, config_map(CONFIG))

    assert adoption.left == []
    assert plugin(adoption)[2]["sharing"]["timeSlicing"]["resources"] == TIME_SLICING["resources"]


def test_an_option_with_a_value_from_elsewhere_is_named():
    body = daemon_set()
    source = {"configMapKeyRef": {"name": "options", "key": "strategy"}}
    body["spec"]["template"]["spec"]["containers"][0]["env"].append({"name": "DEVICE_LIST_STRATEGY", "valueFrom": source})

    assert [each.reason for each in adopted(body).left] == ["its variable DEVICE_LIST_STRATEGY has a value from elsewhere"]


def test_every_object_of_a_name_that_stands_twice_is_named():
    body = config_map({"labels": {"nvidia.com/gpu": "true"}}, name="settings")

    assert [(each.label, each.reason) for each in adopted(body, body).left] == [
        ("ConfigMap kube-system/settings", "the tree has an object of this name twice; the file has the first one")
    ]


def test_a_node_whose_pods_select_its_config_alone_gets_no_further_label():
    label = "nvidia.com/device-plugin.config"
    node = {"machine": {"nodeLabels": {label: "rtx", "gpu-pool": "a"}, "kernel": {"modules": [{"name": "nvidia"}]}}}
    found = adopted(node, daemon_set(nodeSelector={label: "rtx"})).description["nodes"]

    assert (found.get("name"), "gpu-pool" in found.get("labels", {})) == ("rtx", False)
