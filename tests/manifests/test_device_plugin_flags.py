"""Every option of upstream's v0.20.0, by its variable, its key in the config file and its value in the chart: our argument for it, or the reason why
there is none. One more or one less fails.

The lists are those of NVIDIA/k8s-device-plugin at v0.20.0, read on 2026-11-22.
"""

import attrs
import pytest
import yaml

from conftest import env_of
from constructs_lib import FeatureDiscovery, GpuNodes, Mps, MpsControlDaemon, TalosGpuWarning, TimeSlicing
from constructs_lib.manifests.plugin.objects import standalone_device_plugin
from constructs_lib.manifests.plugin.settings import DevicePluginSettings
from constructs_lib.upstream.charts import DEVICE_PLUGIN
from constructs_lib.upstream.version import Version

# cmd/*/main.go and internal/flags: the variables of each program, an alias behind a `|`.
PROGRAMS = {
    "nvidia-device-plugin": """
        MIG_STRATEGY FAIL_ON_INIT_ERROR NVIDIA_DRIVER_ROOT NVIDIA_DEV_ROOT PASS_DEVICE_SPECS DEVICE_LIST_STRATEGY DEVICE_ID_STRATEGY GDRCOPY_ENABLED
        GDS_ENABLED MOFED_ENABLED CDI_ANNOTATION_PREFIX NVIDIA_CDI_HOOK_PATH|NVIDIA_CTK_PATH DRIVER_ROOT_CTR_PATH|CONTAINER_DRIVER_ROOT MPS_ROOT
        SHARED_DEVICES_ALLOCATION_POLICY DEVICE_DISCOVERY_STRATEGY IMEX_CHANNEL_IDS IMEX_REQUIRED KUBELET_SOCKET CONFIG_FILE CDI_FEATURE_FLAGS
        CDI_DISABLE_HOOKS""",
    "gpu-feature-discovery": """
        MIG_STRATEGY|GFD_MIG_STRATEGY FAIL_ON_INIT_ERROR|GFD_FAIL_ON_INIT_ERROR GFD_ONESHOT GFD_NO_TIMESTAMP GFD_SLEEP_INTERVAL GFD_OUTPUT_FILE
        GFD_MACHINE_TYPE_FILE CONFIG_FILE|GFD_CONFIG_FILE USE_NODE_FEATURE_API|GFD_USE_NODE_FEATURE_API DEVICE_DISCOVERY_STRATEGY
        DRIVER_ROOT_CTR_PATH|CONTAINER_DRIVER_ROOT KUBECONFIG KUBE_API_QPS KUBE_API_BURST NAMESPACE NODE_NAME POD_NAME""",
    "mps-control-daemon": "CONFIG_FILE MIG_STRATEGY",
}
# api/config/v1: the keys of the config file, each with the variable of the same option.
CONFIG_KEYS = {
    "flags.migStrategy": "MIG_STRATEGY",
    "flags.failOnInitError": "FAIL_ON_INIT_ERROR",
    "flags.mpsRoot": "MPS_ROOT",
    "flags.nvidiaDriverRoot": "NVIDIA_DRIVER_ROOT",
    "flags.nvidiaDevRoot": "NVIDIA_DEV_ROOT",
    "flags.gdrcopyEnabled": "GDRCOPY_ENABLED",
    "flags.gdsEnabled": "GDS_ENABLED",
    "flags.mofedEnabled": "MOFED_ENABLED",
    "flags.useNodeFeatureAPI": "USE_NODE_FEATURE_API",
    "flags.deviceDiscoveryStrategy": "DEVICE_DISCOVERY_STRATEGY",
    "flags.plugin.passDeviceSpecs": "PASS_DEVICE_SPECS",
    "flags.plugin.deviceListStrategy": "DEVICE_LIST_STRATEGY",
    "flags.plugin.deviceIDStrategy": "DEVICE_ID_STRATEGY",
    "flags.plugin.cdiAnnotationPrefix": "CDI_ANNOTATION_PREFIX",
    "flags.plugin.nvidiaCTKPath": "NVIDIA_CDI_HOOK_PATH",
    "flags.plugin.containerDriverRoot": "DRIVER_ROOT_CTR_PATH",
    "flags.plugin.sharedDevicesAllocationPolicy": "SHARED_DEVICES_ALLOCATION_POLICY",
    "flags.gfd.oneshot": "GFD_ONESHOT",
    "flags.gfd.noTimestamp": "GFD_NO_TIMESTAMP",
    "flags.gfd.sleepInterval": "GFD_SLEEP_INTERVAL",
    "flags.gfd.outputFile": "GFD_OUTPUT_FILE",
    "flags.gfd.machineTypeFile": "GFD_MACHINE_TYPE_FILE",
    "imex.channelIDs": "IMEX_CHANNEL_IDS",
    "imex.required": "IMEX_REQUIRED",
}

SHARED = GpuNodes(talos_version="1.14", sharing=TimeSlicing(replicas=4))
CDI = {"device_list_strategy": "cdi-cri"}
BOTH = ("nvidia-device-plugin", "gpu-feature-discovery")
# The variables that an argument sets: the arguments, the value, and the programs that get it where it is not the plugin alone.
SET = {
    "FAIL_ON_INIT_ERROR": ({"fail_on_init_error": False}, "false", BOTH),
    "DEVICE_DISCOVERY_STRATEGY": ({"device_discovery_strategy": "auto"}, "auto", BOTH),
    "NVIDIA_DRIVER_ROOT": ({"nvidia_driver_root": "/usr/local"}, "/usr/local"),
    "NVIDIA_DEV_ROOT": ({"compat_with_cpu_manager": True, "nvidia_dev_root": "/run"}, "/run"),
    "PASS_DEVICE_SPECS": ({"compat_with_cpu_manager": True}, "true"),
    "DEVICE_LIST_STRATEGY": ({"device_list_strategy": ["envvar", "cdi-cri"]}, "envvar,cdi-cri"),
    "DEVICE_ID_STRATEGY": ({"device_id_strategy": "index"}, "index"),
    "GDRCOPY_ENABLED": ({"gdrcopy_enabled": True}, "true"),
    "GDS_ENABLED": ({"gds_enabled": True}, "true"),
    "MOFED_ENABLED": ({"mofed_enabled": True}, "true"),
    "NVIDIA_CDI_HOOK_PATH": ({**CDI, "nvidia_cdi_hook_path": "/usr/bin/nvidia-cdi-hook"}, "/usr/bin/nvidia-cdi-hook"),
    "CDI_FEATURE_FLAGS": ({**CDI, "cdi_feature_flags": ["disable-ipc-discoverer"]}, "disable-ipc-discoverer"),
    "CDI_DISABLE_HOOKS": ({**CDI, "cdi_disable_hooks": ["all"]}, "all"),
    "SHARED_DEVICES_ALLOCATION_POLICY": ({"shared_devices_allocation_policy": "packed"}, "packed"),
    "GFD_SLEEP_INTERVAL": ({"feature_discovery": FeatureDiscovery(sleep_interval="infinite")}, "infinite", BOTH[1:]),
    "GFD_NO_TIMESTAMP": ({"feature_discovery": FeatureDiscovery(no_timestamp=True)}, "true", BOTH[1:]),
}
# The variables that no argument sets.
UNSET = {
    "MIG_STRATEGY": "'mig_strategy' of GpuNodes, by the config file that all three programs read",
    "CONFIG_FILE": "the construct's own file",
    "MPS_ROOT": "the construct's own folder, with Mps; workloads mount the same folder",
    "DRIVER_ROOT_CTR_PATH": "the construct mounts the driver's root at upstream's default",
    "KUBELET_SOCKET": "the socket of Talos' kubelet is at upstream's default",
    "CDI_ANNOTATION_PREFIX": "containerd reads only upstream's default, cdi.k8s.io/",
    "IMEX_CHANNEL_IDS": "channels need an IMEX daemon, which no extension of Talos runs; DraDriver(compute_domains=True) runs daemons and allocates channels",
    "IMEX_REQUIRED": "as IMEX_CHANNEL_IDS",
    "GFD_ONESHOT": "a DaemonSet would start the ended container again; sleep_interval='infinite' reads the GPUs once",
    "GFD_OUTPUT_FILE": "with the NodeFeature API no file is written",
    "USE_NODE_FEATURE_API": "the NodeFeature API, upstream's default, is the only way here",
    "GFD_MACHINE_TYPE_FILE": "the file of upstream's default, below /sys, is mounted",
    "KUBECONFIG": "the pod's own account",
    "KUBE_API_QPS": "one write a minute",
    "KUBE_API_BURST": "one write a minute",
    "NAMESPACE": "from the pod",
    "NODE_NAME": "from the pod",
    "POD_NAME": "from the pod",
}


def variables_of(**arguments):
    """The variables of each program, by the name of its command."""
    manifests = standalone_device_plugin(DevicePluginSettings(**{"nodes": SHARED, "feature_discovery": True, **arguments}))
    pods = [made["spec"]["template"]["spec"] for made in manifests.values() if made["kind"] == "DaemonSet"]
    return {pod["containers"][0]["command"][0]: env_of(pod["containers"][0]) for pod in pods}


def test_every_option_of_upstreams_has_an_argument_or_a_reason():
    upstream = {names.split("|")[0] for program in PROGRAMS.values() for names in program.split()}

    assert SET.keys() & UNSET.keys() == set()
    assert SET.keys() | UNSET.keys() == upstream
    assert set(CONFIG_KEYS.values()) <= upstream


@pytest.mark.parametrize("variable", SET)
def test_an_argument_reaches_every_program_that_reads_the_option_and_no_other(variable):
    arguments, value, programs = (*SET[variable], BOTH[:1])[:3]
    readers = tuple(program for program in BOTH if variable in [each.split("|")[0] for each in PROGRAMS[program].split()])
    found = variables_of(**arguments)

    assert programs == readers
    assert {program: variables.get(variable) for program, variables in found.items()} == {
        program: value if program in readers else None for program in BOTH
    }
    assert {variables.get(variable) for variables in variables_of().values()}.isdisjoint({value})


def test_no_program_is_given_a_variable_that_it_does_not_read():
    with pytest.warns(TalosGpuWarning, match="no report is known of MPS working"):
        nodes = GpuNodes(talos_version="1.14", sharing=Mps(replicas=4))
    every = {name: value for arguments, *_ in SET.values() for name, value in arguments.items()}
    every |= {"device_list_strategy": ["envvar", "cdi-cri"], "feature_discovery": FeatureDiscovery(sleep_interval="1m", no_timestamp=True)}
    # The MPS daemon asks for its node's name as upstream's does, and reads it nowhere. NVIDIA_VISIBLE_… are the container toolkit's.
    others = {"NODE_NAME", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES"}

    for program, variables in variables_of(**every, nodes=nodes, mps_control_daemon=MpsControlDaemon()).items():
        read = {name for names in PROGRAMS[program].split() for name in names.split("|")}
        assert variables.keys() - others <= read, program


def test_the_config_file_has_no_option_that_a_variable_sets():
    objects = standalone_device_plugin(DevicePluginSettings(nodes=SHARED))
    config = yaml.safe_load(objects["ConfigMap"]["data"]["config.yaml"])

    assert {f"flags.{name}" for name in config["flags"]} <= {key for key, variable in CONFIG_KEYS.items() if variable in UNSET}


# The values of upstream's chart 0.20.0: an argument of StandaloneDevicePlugin (or of the value after the dot), or the reason why there is none.
CHART = {
    "cdi.featureFlags": "cdi_feature_flags",
    "cdi.nvidiaHookPath": "nvidia_cdi_hook_path",
    "compatWithCPUManager": "compat_with_cpu_manager",
    "deviceDiscoveryStrategy": "device_discovery_strategy",
    "deviceIDStrategy": "device_id_strategy",
    "deviceListStrategy": "device_list_strategy",
    "failOnInitError": "fail_on_init_error",
    "fullnameOverride": "name",
    "gdrcopyEnabled": "gdrcopy_enabled",
    "gdsEnabled": "gds_enabled",
    "gfd.enableHostNetwork": "feature_discovery.pod_spec",
    "gfd.enabled": "feature_discovery",
    "gfd.securityContext": "feature_discovery.pod_spec",
    "image.pullPolicy": "image_pull_policy",
    "image.repository": "image",
    "image.tag": "image",
    "imagePullSecrets": "image_pull_secrets",
    "mofedEnabled": "mofed_enabled",
    "mps.enableHostNetwork": "mps_control_daemon.pod_spec",
    "mps.enableHostPID": "mps_control_daemon.pod_spec",
    "devicePlugin.enableHostNetwork": "pod_spec",
    "nameOverride": "name",
    "namespaceOverride": "namespace",
    "noTimestamp": "feature_discovery.no_timestamp",
    "nvidiaDevRoot": "nvidia_dev_root",
    "nvidiaDriverRoot": "nvidia_driver_root",
    "podAnnotations": "pod_annotations",
    "podSecurityContext": "pod_spec",
    "priorityClassName": "priority_class_name",
    "resources": "resources",
    "securityContext": "pod_spec",
    "sleepInterval": "feature_discovery.sleep_interval",
    "updateStrategy": "update_strategy",
}
NOT_OF_CHART = {
    "affinity": "from 'labels' of GpuNodes, or in 'pod_spec'",
    "allowDefaultNamespace": "the namespace must be privileged, whatever its name",
    "config.default": "each class of nodes has its own plugin, with one config",
    "config.fallbackStrategies": "each class of nodes has its own plugin, with one config",
    "config.map": "each class of nodes has its own plugin, with one config",
    "config.name": "each class of nodes has its own plugin, with one config",
    "devicePlugin.enabled": "a construct that is not wanted is not made",
    "global": "Helm's own",
    "migStrategy": "'mig_strategy' of GpuNodes",
    "mps.root": "the construct's own folder; workloads mount the same folder",
    "namespace": "the chart refuses it",
    "nodeSelector": "from 'labels' of GpuNodes, or in 'pod_spec'",
    "runtimeClassName": "from 'talos_version' of GpuNodes",
    "selectorLabelsOverride": "each selector has the name and the component",
    "tolerations": "from 'taints' of GpuNodes, or in 'pod_spec'",
}


def test_every_value_of_upstreams_chart_has_an_argument_or_a_reason():
    version = Version(0, 20, 0)
    read = {path for path, span in DEVICE_PLUGIN.table.keys.items() if not span.until or version < Version.parse(span.until)}

    assert CHART.keys() & NOT_OF_CHART.keys() == set()
    assert CHART.keys() | NOT_OF_CHART.keys() == read


@pytest.mark.parametrize("path", sorted(set(CHART.values())))
def test_the_argument_for_a_value_of_the_chart_exists(path):
    argument, _, part = path.partition(".")
    value = {"feature_discovery": FeatureDiscovery, "mps_control_daemon": MpsControlDaemon}.get(argument)

    assert argument in attrs.fields_dict(DevicePluginSettings)
    assert not part or part in attrs.fields_dict(value)
