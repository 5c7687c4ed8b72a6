import hashlib

import pytest
import yaml
from cdk8s import ApiObject, App, Chart

from conftest import GENERATIONS, env_of, one, synth
from constructs_lib import GpuNodes, StandaloneDevicePlugin, Taint
from constructs_lib.manifests.plugin.options import DaemonSetUpdate, ImagePullPolicy
from constructs_lib.upstream.nvidia.plugin_words import DeviceDiscoveryStrategy, DeviceIDStrategy, DeviceListStrategy

NVIDIA_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
PLAIN = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def spec_of(chart, **arguments):
    """The spec of the plugin's DaemonSet; on Talos 1.14 unless the nodes say something else."""
    made = StandaloneDevicePlugin(chart, "device-plugin", **{"nodes": GpuNodes(talos_version="1.14"), **arguments})
    return one(synth(chart), "DaemonSet", made.name)["spec"]


def pod_of(chart, **arguments):
    return spec_of(chart, **arguments)["template"]["spec"]


def container_of(chart, **arguments):
    (only,) = pod_of(chart, **arguments)["containers"]
    return only


def config(chart):
    """The plugin's config file."""
    return yaml.safe_load(one(synth(chart), "ConfigMap")["data"]["config.yaml"])


def test_main_child_is_the_plugins_daemon_set(chart, legacy):
    made = StandaloneDevicePlugin(chart, "device-plugin", nodes=legacy, feature_discovery=True)

    assert (ApiObject.of(made).kind, ApiObject.of(made).name) == ("DaemonSet", "nvidia-device-plugin")


@pytest.mark.parametrize("talos", GENERATIONS)
def test_defaults(chart, talos, snapshot_yaml):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=GpuNodes(talos_version=talos))

    assert synth(chart) == snapshot_yaml
    assert [(made["kind"], made["metadata"]["name"]) for made in synth(chart)] == [
        ("ServiceAccount", "nvidia-device-plugin"),
        ("ConfigMap", "nvidia-device-plugin-config"),
        ("DaemonSet", "nvidia-device-plugin"),
    ]


@pytest.mark.parametrize("talos", GENERATIONS)
def test_envvar_strategy(chart, talos, snapshot_yaml):
    container = container_of(chart, nodes=GpuNodes(talos_version=talos))

    assert env_of(container)["DEVICE_LIST_STRATEGY"] == "envvar"
    assert [variable for variable in container["env"] if variable["name"] == "DEVICE_LIST_STRATEGY"] == snapshot_yaml


@pytest.mark.parametrize("talos", GENERATIONS)
def test_nvml_discovery(chart, talos, snapshot_yaml):
    container = container_of(chart, nodes=GpuNodes(talos_version=talos))

    assert env_of(container)["DEVICE_DISCOVERY_STRATEGY"] == "nvml"
    assert [variable for variable in container["env"] if variable["name"] == "DEVICE_DISCOVERY_STRATEGY"] == snapshot_yaml


@pytest.mark.parametrize("talos", GENERATIONS)
def test_runs_under_the_runtime_class_that_brings_nvml_into_it(chart, talos):
    assert pod_of(chart, nodes=GpuNodes(talos_version=talos))["runtimeClassName"] == "nvidia"


def test_the_whole_environment_by_default(chart):
    assert env_of(container_of(chart)) == {
        "CONFIG_FILE": "/config/config.yaml",
        "DEVICE_LIST_STRATEGY": "envvar",
        "DEVICE_ID_STRATEGY": "uuid",
        "DEVICE_DISCOVERY_STRATEGY": "nvml",
        "FAIL_ON_INIT_ERROR": "true",
        "NVIDIA_VISIBLE_DEVICES": "all",
        "NVIDIA_DRIVER_CAPABILITIES": "compute,utility",
    }


def test_has_no_privilege_and_no_access_to_the_api_by_default(chart):
    pod = pod_of(chart)

    assert pod["containers"][0]["securityContext"] == PLAIN
    assert pod["automountServiceAccountToken"] is False
    assert not {"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"} & {made["kind"] for made in synth(chart)}


def test_unlabelled_nodes_are_found_by_the_label_that_talos_sets_itself(chart):
    pod = pod_of(chart)

    keys = [
        [expression["key"] for expression in term["matchExpressions"]]
        for term in pod["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    ]
    assert keys == [
        ["extensions.talos.dev/nvidia-container-toolkit-lts"],
        ["extensions.talos.dev/nvidia-container-toolkit-production"],
        ["nvidia.com/gpu.present"],
    ]
    assert "nodeSelector" not in pod


def test_goes_where_its_nodes_are_and_tolerates_their_taints(chart):
    nodes = GpuNodes(talos_version="1.14", labels={"gpu": "rtx"}, taints=[Taint("dedicated", "ai")])
    pod = pod_of(chart, nodes=nodes)

    assert pod["nodeSelector"] == {"gpu": "rtx"}
    assert pod["tolerations"] == [NVIDIA_TOLERATION, {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}]


@pytest.mark.parametrize(
    ("arguments", "variable", "value"),
    [
        ({"device_list_strategy": "cdi-cri"}, "DEVICE_LIST_STRATEGY", "cdi-cri"),
        ({"device_list_strategy": DeviceListStrategy.CDI_CRI}, "DEVICE_LIST_STRATEGY", "cdi-cri"),
        ({"device_list_strategy": ["cdi-annotations", DeviceListStrategy.CDI_CRI]}, "DEVICE_LIST_STRATEGY", "cdi-annotations,cdi-cri"),
        ({"device_list_strategy": (name for name in ("envvar", "cdi-cri"))}, "DEVICE_LIST_STRATEGY", "envvar,cdi-cri"),
        ({"device_id_strategy": "index"}, "DEVICE_ID_STRATEGY", "index"),
        ({"device_id_strategy": DeviceIDStrategy.INDEX}, "DEVICE_ID_STRATEGY", "index"),
        ({"device_discovery_strategy": DeviceDiscoveryStrategy.AUTO}, "DEVICE_DISCOVERY_STRATEGY", "auto"),
        ({"fail_on_init_error": False}, "FAIL_ON_INIT_ERROR", "false"),
        ({"compat_with_cpu_manager": True}, "PASS_DEVICE_SPECS", "true"),
        ({"nvidia_driver_root": "/run/nvidia/driver"}, "NVIDIA_DRIVER_ROOT", "/run/nvidia/driver"),
        ({"device_list_strategy": "cdi-cri"}, "NVIDIA_DRIVER_ROOT", "/"),
        ({"device_list_strategy": "cdi-cri", "nvidia_cdi_hook_path": "/usr/bin/nvidia-cdi-hook"}, "NVIDIA_CDI_HOOK_PATH", "/usr/bin/nvidia-cdi-hook"),
        ({"gdrcopy_enabled": True}, "GDRCOPY_ENABLED", "true"),
        ({"gds_enabled": True}, "GDS_ENABLED", "true"),
        ({"mofed_enabled": True}, "MOFED_ENABLED", "true"),
    ],
)  # fmt: skip
def test_an_option_of_the_plugin_becomes_its_variable(chart, arguments, variable, value):
    assert env_of(container_of(chart, **arguments))[variable] == value


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
@pytest.mark.parametrize("strategies", ["cdi-annotations", "cdi-cri", ["envvar", "cdi-annotations"], ["envvar", "cdi-cri"]])
def test_a_cdi_strategy_is_given_the_folder_for_specs_and_the_nodes_root(chart, talos, strategies):
    pod = pod_of(chart, nodes=GpuNodes(talos_version=talos), device_list_strategy=strategies)

    assert {"name": "cdi-root", "hostPath": {"path": "/var/run/cdi", "type": "DirectoryOrCreate"}} in pod["volumes"]
    assert {"name": "driver-root", "hostPath": {"path": "/", "type": "Directory"}} in pod["volumes"]
    mounts = pod["containers"][0]["volumeMounts"]
    assert {"name": "cdi-root", "mountPath": "/var/run/cdi"} in mounts
    assert {"name": "driver-root", "mountPath": "/driver-root", "readOnly": True} in mounts


def test_envvar_mounts_the_sockets_and_the_config_and_nothing_else_of_the_node(chart):
    pod = pod_of(chart)

    assert pod["volumes"] == [
        {"name": "kubelet-device-plugins-dir", "hostPath": {"path": "/var/lib/kubelet/device-plugins", "type": "Directory"}},
        {"name": "config", "configMap": {"name": "nvidia-device-plugin-config"}},
    ]
    assert pod["containers"][0]["volumeMounts"] == [
        {"name": "kubelet-device-plugins-dir", "mountPath": "/var/lib/kubelet/device-plugins"},
        {"name": "config", "mountPath": "/config", "readOnly": True},
    ]


@pytest.mark.parametrize(
    ("arguments", "path", "value"),
    [
        ({"image": "registry.local/plugin:1"}, "template.spec.containers.0.image", "registry.local/plugin:1"),
        ({"image_pull_policy": "Always"}, "template.spec.containers.0.imagePullPolicy", "Always"),
        ({"image_pull_policy": ImagePullPolicy.NEVER}, "template.spec.containers.0.imagePullPolicy", "Never"),
        ({"image_pull_secrets": ("a", "b")}, "template.spec.imagePullSecrets", [{"name": "a"}, {"name": "b"}]),
        ({"resources": {"limits": {"memory": "1Gi", "cpu": 0.5}}}, "template.spec.containers.0.resources", {"limits": {"memory": "1Gi", "cpu": "0.5"}}),
        ({"priority_class_name": "system-cluster-critical"}, "template.spec.priorityClassName", "system-cluster-critical"),
        ({"update_strategy": "OnDelete"}, "updateStrategy", {"type": "OnDelete"}),
        ({"update_strategy": DaemonSetUpdate.ROLLING_UPDATE}, "updateStrategy", {"type": "RollingUpdate"}),
        ({"compat_with_cpu_manager": True}, "template.spec.containers.0.securityContext", {"privileged": True}),
        ({"name": "plugin"}, "template.spec.serviceAccountName", "plugin"),
        ({"pod_spec": {"dnsPolicy": "Default"}}, "template.spec.dnsPolicy", "Default"),
        ({"pod_annotations": {"team": ""}}, "template.metadata.annotations.team", ""),
    ],
)  # fmt: skip
def test_an_argument_is_found_at_its_path(chart, arguments, path, value):
    found = spec_of(chart, **arguments)
    for key in path.split("."):
        found = found[int(key) if key.isdigit() else key]
    assert found == value


def test_name_and_namespace_are_those_of_every_object(chart, legacy):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=legacy, name="plugin", namespace="gpu-agents", feature_discovery=True)

    assert {made["metadata"]["namespace"] for made in synth(chart)} == {"gpu-agents"}
    assert {made["metadata"]["name"] for made in synth(chart)} == {"plugin", "plugin-config", "plugin-gpu-feature-discovery"}
    assert one(synth(chart), "RoleBinding")["subjects"][0]["namespace"] == "gpu-agents"


@pytest.mark.parametrize(("chart_namespace", "expected"), [(None, "kube-system"), ("gpu-agents", "gpu-agents")])
def test_goes_into_the_charts_namespace_or_the_one_that_talos_exempts(legacy, chart_namespace, expected):
    chart = Chart(App(), "gpu", namespace=chart_namespace)
    made = StandaloneDevicePlugin(chart, "device-plugin", nodes=legacy, feature_discovery=True)

    assert made.namespace == expected
    assert {each["metadata"]["namespace"] for each in synth(chart)} == {expected}
    assert one(synth(chart), "RoleBinding")["subjects"][0]["namespace"] == expected


def test_a_namespace_may_start_with_a_digit(chart, legacy):
    assert StandaloneDevicePlugin(chart, "device-plugin", nodes=legacy, namespace="1-gpu").namespace == "1-gpu"


@pytest.mark.parametrize("feature_discovery", [False, True])
def test_the_longest_name_of_a_class_fits_into_every_label(chart, feature_discovery):
    StandaloneDevicePlugin(chart, "plugin", nodes=GpuNodes(talos_version="1.14", name="n" * 36), feature_discovery=feature_discovery)

    labels = [each["metadata"]["labels"] for each in synth(chart)]
    labels += [each["spec"]["template"]["metadata"]["labels"] for each in synth(chart) if each["kind"] == "DaemonSet"]
    assert {each["app.kubernetes.io/instance"] for each in labels} == {f"nvidia-device-plugin-{'n' * 36}"}
    assert max(len(value) for each in labels for value in each.values()) <= 63


def test_attributes_hold_what_was_resolved(chart, legacy):
    made = StandaloneDevicePlugin(chart, "device-plugin", nodes=legacy, update_strategy="OnDelete")

    assert made.nodes == legacy
    assert made.device_list_strategy == (DeviceListStrategy.ENVVAR,)
    assert made.device_discovery_strategy is DeviceDiscoveryStrategy.NVML
    assert made.update_strategy is DaemonSetUpdate.ON_DELETE
    assert made.nvidia_driver_root is None


def test_the_config_says_of_mig_that_there_is_none_so_that_the_plugin_needs_no_privilege(chart, legacy):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=legacy)

    assert config(chart) == {"version": "v1", "flags": {"migStrategy": "none"}}


@pytest.mark.parametrize("strategy", ["single", "mixed"])
def test_mig_needs_a_privileged_plugin_that_may_monitor_every_partition(chart, strategy):
    container = container_of(chart, nodes=GpuNodes(talos_version="1.14", mig_strategy=strategy))

    assert config(chart)["flags"] == {"migStrategy": strategy}
    assert container["securityContext"] == {"privileged": True}
    assert env_of(container)["NVIDIA_MIG_MONITOR_DEVICES"] == "all"


def test_a_changed_config_rolls_the_pods_out(chart, legacy, seed_002):
    StandaloneDevicePlugin(chart, "whole", nodes=legacy)
    shared = Chart(App(), "shared")
    StandaloneDevicePlugin(shared, "shared", nodes=seed_002, pod_annotations={"team": "ml"})

    for each in (chart, shared):
        annotations = one(synth(each), "DaemonSet")["spec"]["template"]["metadata"]["annotations"]
        text = one(synth(each), "ConfigMap")["data"]["config.yaml"]
        assert annotations["checksum/config"] == hashlib.sha256(text.encode()).hexdigest()
    assert annotations["team"] == "ml"


def test_pod_spec_merges_named_things_and_cannot_lose_what_the_nodes_need(chart):
    nodes = GpuNodes(talos_version="1.14", labels={"gpu": "rtx"})
    container = {"name": "nvidia-device-plugin-ctr", "env": [{"name": "HTTPS_PROXY", "value": "http://proxy"}], "imagePullPolicy": None}
    pod = pod_of(chart, nodes=nodes, pod_spec={"containers": [container], "tolerations": [], "nodeSelector": {"zone": "a"}})

    assert env_of(pod["containers"][0])["HTTPS_PROXY"] == "http://proxy"
    assert env_of(pod["containers"][0])["DEVICE_LIST_STRATEGY"] == "envvar"
    assert "imagePullPolicy" not in pod["containers"][0]
    assert pod["tolerations"] == [NVIDIA_TOLERATION]
    assert pod["nodeSelector"] == {"zone": "a", "gpu": "rtx"}
    assert pod["runtimeClassName"] == "nvidia"
