"""How the operator and device plugins hand GPUs to containers: what the rules say, condition by condition."""

import pytest
from chart_checks import CDI, GIVEN, LEGACY, checked, config_map, node, operator, plugin, plugin_pods, said, severities

NO_LIBRARIES = "containers don't start, or find no driver: the CDI specs name folders in which this Talos has no libraries"


def strategy(value):
    return {"devicePlugin": {"env": [{"name": "DEVICE_LIST_STRATEGY", "value": value}]}}


# The rule TG006: CDI up to Talos 1.12


@pytest.mark.parametrize(
    ("version", "cdi", "found"),
    [
        ("v25.10.1", {}, ["error"]),  # on by itself
        ("v25.3.4", {}, []),  # off by itself
        ("v25.3.4", {"enabled": True}, ["error"]),
        ("v25.10.1", {"enabled": False}, []),
        ("v25.10.1", {"enabled": GIVEN}, []),
        ("", {}, []),  # who knows
    ],
)
def test_cdi_is_off_up_to_talos_1_12(version, cdi, found):
    assert operator("TG006", {**LEGACY, "cdi": cdi}, version=version, talos="1.12") == found


@pytest.mark.parametrize("talos", ["1.13", None])
def test_cdi_is_right_from_talos_1_13_on(talos):
    assert operator("TG006", CDI, talos=talos) == []
    assert severities("TG006", plugin_pods({"DEVICE_LIST_STRATEGY": "cdi-cri"}), talos=talos) == []


def test_a_strategy_of_envvar_stands_for_cdi_that_is_off():
    values = {**LEGACY, "cdi": {"enabled": True}}

    assert operator("TG006", {**values, **strategy("envvar")}, version="v25.10.1", talos="1.12") == []
    assert operator("TG006", {**values, **strategy("cdi-annotations")}, version="v25.10.1", talos="1.12") == ["error"]


def test_a_plugin_that_is_off_or_a_toolkit_of_its_own_is_not_judged():
    values = {**LEGACY, "cdi": {"enabled": True}}

    assert operator("TG006", {**values, "devicePlugin": {"enabled": False}}, version="v25.10.1", talos="1.12") == []
    assert operator("TG006", {**values, "toolkit": {"enabled": True}}, version="v25.10.1", talos="1.12") == []


def test_what_is_said_names_the_value():
    values = {**LEGACY, "cdi": {"enabled": True}}

    assert said(checked("TG006", values, chart="gpu-operator@v25.10.1", talos="1.12")) == [
        ("error", f"cdi.enabled is true. On Talos 1.12 {NO_LIBRARIES} (before 1.13 the libraries are under /usr/local/glibc)")
    ]
    assert said(checked("TG006", plugin({"deviceListStrategy": "cdi-cri"}), talos="1.12")) == [
        (
            "error",
            (
                "deviceListStrategy is cdi-cri. On Talos 1.12 the plugin ends where its own container has no libraries below /driver-root; else "
                f"{NO_LIBRARIES} (before 1.13 the libraries are under /usr/local/glibc)"
            ),
        )
    ]


def test_a_plugins_own_strategy_is_judged_wherever_it_is_written():
    flag = plugin_pods(container={"args": ["--device-list-strategy=envvar,cdi-cri"]})
    words = plugin_pods(container={"args": ["--device-list-strategy", "cdi-cri"]})
    file = plugin({"config": {"map": {"default": "flags: {plugin: {deviceListStrategy: [envvar, cdi-cri]}}"}}})

    for each in (plugin_pods({"DEVICE_LIST_STRATEGY": "cdi-cri"}), flag, words, file):
        assert severities("TG006", each, talos="1.12") == ["error"]
    assert severities("TG006", plugin({"deviceListStrategy": GIVEN}), talos="1.12") == []


def test_a_file_below_a_variable_has_no_say():
    file = {"config": {"map": {"default": "flags: {plugin: {deviceListStrategy: cdi-cri}}"}}}

    assert severities("TG006", plugin({**file, "deviceListStrategy": "envvar"}), talos="1.12") == []


def test_a_file_that_nobody_reads_is_a_warning():
    text = "version: v1\nflags: {plugin: {deviceListStrategy: cdi-cri}}\n"

    assert severities("TG006", config_map("config", {"any": text}), talos="1.12") == ["warning"]


def test_in_a_mixed_cluster_cdi_is_a_warning():
    assert operator("TG006", {**LEGACY, "cdi": {}}, node(gpu=False, talos="v1.12.4"), version="v25.10.1", talos="1.12") == ["warning"]


# The rule TG008: strategies that nothing answers to


def test_devices_as_volume_mounts_work_on_no_talos():
    message = "is volume-mounts, but no Talos configures its toolkit to accept devices as volume mounts. Containers get no GPU"

    assert said(checked("TG008", plugin({"deviceListStrategy": "volume-mounts"}), talos="1.13")) == [
        ("error", f"deviceListStrategy {message}")
    ]
    assert severities("TG008", plugin({"deviceListStrategy": "volume-mounts"})) == ["warning"]
    assert severities("TG008", plugin({"deviceListStrategy": "volume-mounts,envvar"}), talos="1.13") == []
    assert severities("TG008", plugin({"deviceListStrategy": "volume-mounts,cdi-cri"}), talos="1.13") == []
    assert operator("TG008", {**CDI, **strategy("volume-mounts")}) == ["error"]


def test_the_operator_overrides_what_a_config_file_says():
    # As a public cluster has it, and works.
    text = "version: v1\nflags: {plugin: {deviceListStrategy: volume-mounts}}\n"
    values = {**CDI, "devicePlugin": {"config": {"name": "sharing", "default": "config.yaml"}}}

    assert operator("TG008", values, config_map("sharing", {"config.yaml": text})) == []
    assert severities("TG008", config_map("sharing", {"config.yaml": text}), talos="1.13") == ["warning"]
    assert severities("TG008", plugin({"config": {"map": {"default": text}}}), talos="1.13") == ["error"]


@pytest.mark.parametrize(
    ("values", "talos", "found"),
    [
        ({}, "1.13", ["warning"]),
        ({"cdi": {"enabled": False}}, "1.13", []),
        ({}, "1.12", []),
        ({}, None, []),
    ],
)
def test_envvar_beside_cdi_is_warned_of_from_talos_1_13_on(values, talos, found):
    assert operator("TG008", {**CDI, **strategy("envvar"), **values}, talos=talos) == found


def test_a_plugin_of_ones_own_may_have_envvar():
    assert severities("TG008", plugin({"deviceListStrategy": "envvar"}), talos="1.13") == []


# The rule TG012: NRI


def test_the_nri_plugin_is_a_part_of_the_toolkit():
    assert said(checked("TG012", {**CDI, "cdi": {"nriPluginEnabled": True}}, chart="gpu-operator@v26.7.0", talos="1.14")) == [
        (
            "error",
            (
                "cdi.nriPluginEnabled is true, but toolkit.enabled is false: the chart refuses to render, because the NRI plugin is a "
                "part of the toolkit"
            ),
        )
    ]


@pytest.mark.parametrize(
    ("cdi", "version", "talos", "found"),
    [
        ({"enabled": False, "nriPluginEnabled": True}, "v26.7.0", "1.14", ["error"]),
        ({"nriPluginEnabled": True}, "v26.7.0", "1.14", []),
        ({"nriPluginEnabled": True}, "v26.7.0", "1.13", ["warning"]),
        ({"nriPluginEnabled": True}, "v26.3.3", "1.14", ["warning"]),
        ({"nriPluginEnabled": True}, "v26.7.0", None, []),
        ({"nriPluginEnabled": False}, "v26.7.0", "1.13", []),
        ({"nriPluginEnabled": GIVEN}, "v26.7.0", "1.13", []),
    ],
)
def test_the_nri_plugin_needs_a_talos_that_loads_it(cdi, version, talos, found):
    assert operator("TG012", {**CDI, "toolkit": {"enabled": True}, "cdi": cdi}, version=version, talos=talos) == found


# The rule TG020: what CDI specs are made of


def mounted(path, **env):
    container = {"volumeMounts": [{"name": "root", "mountPath": "/driver-root"}]}
    pod = {"volumes": [{"name": "root", "hostPath": {"path": path}}]}
    return plugin_pods({"DEVICE_LIST_STRATEGY": "cdi-annotations,cdi-cri", **env}, container=container, pod=pod)


def test_the_driver_is_where_the_plugin_says_that_it_is():
    assert severities("TG020", mounted("/", NVIDIA_DRIVER_ROOT="/")) == []
    assert severities("TG020", mounted("/")) == []
    assert said(checked("TG020", mounted("/", NVIDIA_DRIVER_ROOT="/usr/local"))) == [
        (
            "error",
            (
                "NVIDIA_DRIVER_ROOT is /usr/local, but /driver-root is the host's /. The CDI specs name host files that do not exist, "
                "and containers can't be created"
            ),
        )
    ]
    assert severities("TG020", mounted("/usr/local", NVIDIA_DRIVER_ROOT="/usr/local/")) == []
    assert severities("TG020", mounted(GIVEN, NVIDIA_DRIVER_ROOT="/usr/local")) == []
    assert severities("TG020", mounted("/", NVIDIA_DRIVER_ROOT=GIVEN)) == []


def test_a_flag_is_above_the_variable():
    pods = mounted("/", NVIDIA_DRIVER_ROOT="/usr/local")
    pods["spec"]["template"]["spec"]["containers"][0]["args"] = ["--nvidia-driver-root=/"]

    assert severities("TG020", pods) == []


def test_the_folder_in_the_container_may_have_another_name():
    pods = mounted("/", NVIDIA_DRIVER_ROOT="/usr/local", CONTAINER_DRIVER_ROOT="/host")

    assert severities("TG020", pods) == ["warning"]


def test_without_the_host_a_plugin_has_nothing_to_describe():
    assert severities("TG020", plugin_pods({"DEVICE_LIST_STRATEGY": "cdi-cri"})) == ["warning"]
    assert severities("TG020", plugin({"deviceListStrategy": "cdi-annotations"})) == ["warning"]
    effect = "The plugin finds no driver, and its CDI specs name no library"
    for each, where, fix in (
        (plugin({"deviceListStrategy": "cdi-cri"}), "nvidiaDriverRoot is not set", "Set nvidiaDriverRoot: /"),
        (
            plugin_pods({"DEVICE_LIST_STRATEGY": "cdi-cri"}),
            "nothing is mounted at /driver-root",
            "Mount hostPath / at /driver-root with readOnly: true, and set NVIDIA_DRIVER_ROOT=/",
        ),
    ):
        findings = checked("TG020", each)
        assert said(findings) == [("warning", f"the device list strategy is CDI, but {where}. {effect}")]
        assert findings[0].fix == fix
    assert severities("TG020", plugin({"deviceListStrategy": "cdi-annotations", "nvidiaDriverRoot": "/"})) == []


def test_envvar_needs_no_folder():
    assert severities("TG020", plugin({"deviceListStrategy": "envvar"})) == []
    assert severities("TG020", plugin({})) == []
