"""The plugin's options that have an effect only with some nodes, strategies and images: given where they have none, they are refused."""

import re

import pytest

from conftest import env_of, message, one, synth
from constructs_lib import FeatureDiscovery, GpuNodes, StandaloneDevicePlugin, TalosGpuWarning, TimeSlicing
from constructs_lib.manifests.plugin.settings import DevicePluginSettings
from constructs_lib.upstream.nvidia.plugin_words import FIRST_IMAGES, INFINITE_SLEEP_IMAGE, AllocationPolicy

PLAIN = {"talos_version": "1.14"}
SHARED = {**PLAIN, "sharing": TimeSlicing(replicas=4)}
CDI = {"device_list_strategy": "cdi-cri"}
NO_CDI = "the plugin writes no CDI spec without 'cdi-annotations' or 'cdi-cri' in 'device_list_strategy'"
NO_DEV_ROOT = "the plugin reads it only with 'compat_with_cpu_manager', or for CDI specs with a 'nvidia_driver_root' other than '/'"
NO_SHARES = "the policy counts the shares of each GPU; give sharing=TimeSlicing(…) to GpuNodes"
REFUSED_POLICY = f"'shared_devices_allocation_policy' must be left out for nodes without 'sharing' (got 'packed'); {NO_SHARES}"
FLAGS = "disable-ipc-discoverer, disable-nvsandboxutils, enable-coherent-annotations, enable-explicit-driver-libraries, no-additional-gids-for-device-nodes, disable-multiple-csv-devices"


def environment(chart, nodes=PLAIN, **arguments):
    StandaloneDevicePlugin(chart, "device-plugin", nodes=GpuNodes(**nodes), **arguments)
    (container,) = one(synth(chart), "DaemonSet")["spec"]["template"]["spec"]["containers"]
    return env_of(container)


@pytest.mark.parametrize(
    ("nodes", "arguments", "variable", "value"),
    [
        (SHARED, {"shared_devices_allocation_policy": "packed"}, "SHARED_DEVICES_ALLOCATION_POLICY", "packed"),
        (SHARED, {"shared_devices_allocation_policy": AllocationPolicy.DISTRIBUTED}, "SHARED_DEVICES_ALLOCATION_POLICY", "distributed"),
        ({**SHARED, "mig_strategy": "single"}, {"shared_devices_allocation_policy": "packed"}, "SHARED_DEVICES_ALLOCATION_POLICY", "packed"),
        (PLAIN, {**CDI, "cdi_feature_flags": ["disable-nvsandboxutils", "disable-ipc-discoverer"]}, "CDI_FEATURE_FLAGS", "disable-nvsandboxutils,disable-ipc-discoverer"),
        (PLAIN, {**CDI, "cdi_disable_hooks": ("enable-cuda-compat",)}, "CDI_DISABLE_HOOKS", "enable-cuda-compat"),
        (PLAIN, {"compat_with_cpu_manager": True, "nvidia_dev_root": "/run/nvidia/driver"}, "NVIDIA_DEV_ROOT", "/run/nvidia/driver"),
        (PLAIN, {**CDI, "nvidia_driver_root": "/usr/local", "nvidia_dev_root": "/run/nvidia"}, "NVIDIA_DEV_ROOT", "/run/nvidia"),
        # Upstream's default, the driver's root, has no device nodes.
        (PLAIN, {**CDI, "nvidia_driver_root": "/usr/local"}, "NVIDIA_DEV_ROOT", "/"),
        (PLAIN, {"compat_with_cpu_manager": True, "nvidia_driver_root": "/usr/local"}, "NVIDIA_DEV_ROOT", "/"),
    ],
)  # fmt: skip
def test_an_option_with_what_it_needs_becomes_its_variable(chart, nodes, arguments, variable, value):
    assert environment(chart, nodes, **arguments)[variable] == value


@pytest.mark.parametrize(
    ("nodes", "arguments"),
    [
        (PLAIN, {}),
        (PLAIN, {"nvidia_driver_root": "/usr/local"}),
        (PLAIN, {"nvidia_driver_root": "/", "compat_with_cpu_manager": True}),
        (PLAIN, CDI),
        (SHARED, {}),
    ],
)
def test_an_option_that_is_left_out_has_no_variable(chart, nodes, arguments):
    variables = environment(chart, nodes, **arguments)

    assert not {"SHARED_DEVICES_ALLOCATION_POLICY", "CDI_FEATURE_FLAGS", "CDI_DISABLE_HOOKS", "NVIDIA_DEV_ROOT"} & variables.keys()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"shared_devices_allocation_policy": "packed"}, REFUSED_POLICY),
        ({"shared_devices_allocation_policy": "spread"}, "'shared_devices_allocation_policy' must be one of 'distributed', 'packed' (got 'spread')"),
        ({"cdi_feature_flags": ["disable-nvsandboxutils"]}, f"'cdi_feature_flags' must be left out with these strategies (got ['disable-nvsandboxutils']); {NO_CDI}"),
        ({"cdi_disable_hooks": ["all"]}, f"'cdi_disable_hooks' must be left out with these strategies (got ['all']); {NO_CDI}"),
        ({**CDI, "cdi_feature_flags": ["disable-nvsandbox-utils"]}, "'cdi_feature_flags' must be made of feature flags of CDI specs (got 'disable-nvsandbox-utils'); did you mean 'disable-nvsandboxutils'?"),
        ({**CDI, "cdi_feature_flags": ["disable-nvsandboxutils,a"]}, "'cdi_feature_flags' must be made of feature flags of CDI specs (got 'disable-nvsandboxutils,a'); did you mean 'disable-nvsandboxutils'?"),
        ({**CDI, "cdi_feature_flags": ["a,b"]}, f"'cdi_feature_flags' must be made of feature flags of CDI specs (got 'a,b'); known are {FLAGS}"),
        ({**CDI, "cdi_feature_flags": ["disable-multiple-csv-devices"]}, "'cdi_feature_flags' must be without 'disable-multiple-csv-devices' on Talos (got 'disable-multiple-csv-devices'); Talos has no driver for a Tegra, such as a Jetson"),
        ({**CDI, "cdi_disable_hooks": ["all", "all"]}, "'cdi_disable_hooks[1]' must be named once (got 'all')"),
        ({**CDI, "cdi_disable_hooks": ["update-ldcaches"]}, "'cdi_disable_hooks' must be made of hooks of CDI specs (got 'update-ldcaches'); did you mean 'update-ldcache'?"),
        ({"nvidia_dev_root": "/"}, f"'nvidia_dev_root' must be left out with these arguments (got '/'); {NO_DEV_ROOT}"),
        ({**CDI, "nvidia_dev_root": "/run/nvidia/driver"}, f"'nvidia_dev_root' must be left out with these arguments (got '/run/nvidia/driver'); {NO_DEV_ROOT}"),
        ({"compat_with_cpu_manager": True, "nvidia_dev_root": "/dev"}, "'nvidia_dev_root' must be the folder that holds the folder dev (got '/dev'); did you mean '/'?"),
        ({"compat_with_cpu_manager": True, "nvidia_dev_root": "/run/nvidia/dev/"}, "'nvidia_dev_root' must be the folder that holds the folder dev (got '/run/nvidia/dev/'); did you mean '/run/nvidia'?"),
        ({"nvidia_dev_root": "dev"}, "'nvidia_dev_root' must be an absolute path on the node (got 'dev')"),
    ],
)  # fmt: skip
def test_an_option_without_what_it_needs_is_refused(chart, arguments, says):
    assert message(lambda: environment(chart, **arguments)) == says
    assert chart.node.children == []


def test_partitions_that_are_not_shared_have_no_shares_to_count(chart):
    nodes = {**PLAIN, "mig_devices": {"1g.10gb": 7}}

    assert message(lambda: environment(chart, nodes, shared_devices_allocation_policy="packed")) == REFUSED_POLICY


def test_a_string_is_no_list_of_flags(chart):
    assert message(lambda: environment(chart, **CDI, cdi_feature_flags="disable-nvsandboxutils"), TypeError) == (
        "'cdi_feature_flags' must be a list of strings (got 'disable-nvsandboxutils'); did you mean ['disable-nvsandboxutils']?"
    )


def test_the_cdi_options_follow_the_strategy_and_so_need_talos_1_13(chart):
    old = {"talos_version": "1.12"}

    assert message(lambda: environment(chart, old, **CDI, cdi_disable_hooks=["all"])).startswith(
        "'device_list_strategy' must be 'envvar' on Talos 1.12 (got 'cdi-cri')"
    )


def test_a_word_that_may_be_newer_is_warned_of_with_the_date_of_the_tables(chart):
    with pytest.warns(TalosGpuWarning) as warned:
        assert environment(chart, **CDI, cdi_disable_hooks=["mount-firmware"])["CDI_DISABLE_HOOKS"] == "mount-firmware"

    (says,) = [str(each.message) for each in warned]
    assert re.fullmatch(
        r"'mount-firmware' in 'cdi_disable_hooks' is none of the known hooks of CDI specs \(tables of [\d-]+\): "
        "a plugin that does not know 'mount-firmware' ignores 'mount-firmware'",
        says,
    )


# An option by its variable, with nodes and arguments with which it has an effect.
GIVEN = {
    "NVIDIA_DEV_ROOT": (PLAIN, {"compat_with_cpu_manager": True, "nvidia_dev_root": "/run"}, "'/run'"),
    "NVIDIA_CDI_HOOK_PATH": (PLAIN, {**CDI, "nvidia_cdi_hook_path": "/a"}, "'/a'"),
    "GDRCOPY_ENABLED": (PLAIN, {"gdrcopy_enabled": True}, "True"),
    "CDI_FEATURE_FLAGS": (PLAIN, {**CDI, "cdi_feature_flags": ["disable-ipc-discoverer"]}, "['disable-ipc-discoverer']"),
    "SHARED_DEVICES_ALLOCATION_POLICY": (SHARED, {"shared_devices_allocation_policy": "packed"}, "'packed'"),
    "CDI_DISABLE_HOOKS": (PLAIN, {**CDI, "cdi_disable_hooks": ["all"]}, "['all']"),
}


def settings(nodes, arguments, tag):
    return DevicePluginSettings(nodes=GpuNodes(**nodes), image=f"registry.local/k8s-device-plugin:{tag}", **arguments)


@pytest.mark.parametrize("variable", FIRST_IMAGES)
def test_an_option_that_the_image_does_not_read_yet_is_refused(variable):
    nodes, arguments, got = GIVEN[variable]
    first = FIRST_IMAGES[variable]

    assert message(lambda: settings(nodes, arguments, "v0.15.1-ubi9")) == (
        f"'{variable.lower()}' must be left out with this image (got {got}); the plugin reads {variable} from v{first} on, and v0.15.1 ignores it"
    )
    for tag in (f"v{first}", f"v{first}-ubi9", "v1.0.0", "latest", "1", "v0.15@sha256:" + "a" * 64):
        assert getattr(settings(nodes, arguments, tag), variable.lower())


def test_an_older_image_without_newer_options_is_accepted():
    assert settings(PLAIN, {"compat_with_cpu_manager": True, "nvidia_driver_root": "/usr/local"}, "v0.15.1").nvidia_dev_root == "/"


def test_the_word_infinite_needs_an_image_that_knows_it():
    once = {"feature_discovery": FeatureDiscovery(sleep_interval="infinite")}

    assert message(lambda: settings(PLAIN, once, "v0.18.2")) == (
        "'feature_discovery' must be without sleep_interval='infinite' with this image (got FeatureDiscovery(sleep_interval='infinite')); GPU feature discovery knows this word from v0.19.0 on, and v0.18.2 exits at start"
    )
    assert settings(PLAIN, once, f"v{INFINITE_SLEEP_IMAGE}").feature_discovery
    assert settings(PLAIN, {"feature_discovery": FeatureDiscovery(sleep_interval="5m")}, "v0.18.2").feature_discovery


OF_DEVICES = {"GDRCOPY_ENABLED", "GDS_ENABLED", "MOFED_ENABLED"}


@pytest.mark.parametrize(
    ("tag", "variables"),
    [("v0.18.2", set()), ("v0.19.0", OF_DEVICES), ("v0.19.1-ubi9", OF_DEVICES), ("v0.20.0", set()), ("latest", OF_DEVICES)],
)
def test_devices_that_an_image_passes_by_itself_are_left_out_by_their_variables(chart, tag, variables):
    written = environment(chart, image=f"registry.local/k8s-device-plugin:{tag}")
    assert {name: value for name, value in written.items() if name in OF_DEVICES} == dict.fromkeys(variables, "false")


@pytest.mark.parametrize(
    ("tag", "value"), [("v0.17.4", "true"), ("v0.18.2-ubi9", "true"), ("v0.19.0", None), ("v0.20.0", None), ("latest", "true")]
)
def test_an_older_image_of_feature_discovery_is_told_to_write_a_node_feature(chart, tag, value):
    image = f"registry.local/k8s-device-plugin:{tag}"
    StandaloneDevicePlugin(chart, "device-plugin", nodes=GpuNodes(**PLAIN), image=image, feature_discovery=True)
    spec = one(synth(chart), "DaemonSet", "nvidia-device-plugin-gpu-feature-discovery")["spec"]["template"]["spec"]
    assert env_of(spec["containers"][0]).get("GFD_USE_NODE_FEATURE_API") == value
