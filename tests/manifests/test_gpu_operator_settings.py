from typing import Any

import pytest
import yaml
from cdk8s import App, Chart

from conftest import message, reference
from constructs_lib import Flux, GpuNodes, NvidiaGpuOperator, Taint, TalosGpuWarning, TimeSlicing
from constructs_lib.manifests.charts.user_values import check_keys
from constructs_lib.manifests.operator.settings import GpuOperatorSettings
from constructs_lib.upstream.charts import GPU_OPERATOR
from constructs_lib.upstream.version import Version

NVIDIA = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
CONTROL_PLANE = {"key": "node-role.kubernetes.io/control-plane", "operator": "Equal", "value": "", "effect": "NoSchedule"}
DEDICATED = {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}
FROM_THE_NODES = {
    "daemonsets": {"tolerations": [NVIDIA]},
    "mig": {"strategy": "none"},
    "operator": {"tolerations": [CONTROL_PLANE, NVIDIA]},
    "node-feature-discovery": {part: {"tolerations": [CONTROL_PLANE, NVIDIA]} for part in ("worker", "master", "gc")},
}
LEGACY = {
    "driver": {"enabled": False},
    "toolkit": {"enabled": False},
    "cdi": {"enabled": False},
    "devicePlugin": {"env": [{"name": "DEVICE_LIST_STRATEGY", "value": "envvar"}]},
    "migManager": {"enabled": False, "config": {"name": "default-mig-parted-config"}},
    **FROM_THE_NODES,
}
CDI = {
    "driver": {"enabled": False},
    "toolkit": {"enabled": False},
    "hostPaths": {"driverInstallDir": "/usr/local"},
    "migManager": {"enabled": False},
    **FROM_THE_NODES,
}
NRI = {
    "driver": {"enabled": False},
    "toolkit": {"enabled": True, "installDir": "/var/lib/nvidia"},
    "cdi": {"enabled": True, "nriPluginEnabled": True},
    "hostPaths": {"driverInstallDir": "/usr/local"},
    "migManager": {"enabled": False},
    **FROM_THE_NODES,
}


def preview(**arguments):
    with pytest.warns(TalosGpuWarning, match="Talos 1.15 is a beta"):
        return GpuNodes(talos_version="1.15", **arguments)


def values_of(nodes, **arguments):
    return NvidiaGpuOperator(Chart(App(), "gpu"), "operator", nodes=nodes, delivery=Flux(), **arguments).chart_values


@pytest.mark.parametrize("talos", ["1.8", "1.11", "1.12", "v1.12.11"])
def test_legacy_takes_driver_and_toolkit_from_the_image_and_lists_devices_by_envvar(talos):
    assert values_of(GpuNodes(talos_version=talos)) == LEGACY


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
def test_cdi_finds_the_driver_under_usr_local_and_overrides_no_strategy(talos):
    assert values_of(GpuNodes(talos_version=talos)) == CDI


def test_nri_lets_the_toolkit_inject_from_the_one_writable_disk():
    assert values_of(preview()) == NRI


@pytest.mark.parametrize("talos", ["1.12", "1.14"])
def test_taints_are_tolerated_by_the_operator_its_operands_and_all_of_node_feature_discovery(talos):
    values = values_of(GpuNodes(talos_version=talos, taints=[Taint("dedicated", "ai")]))

    everywhere = {"tolerations": [CONTROL_PLANE, NVIDIA, DEDICATED]}
    assert values["daemonsets"] == {"tolerations": [NVIDIA, DEDICATED]}
    assert values["operator"] == everywhere
    assert values["node-feature-discovery"] == {"worker": everywhere, "master": everywhere, "gc": everywhere}


def test_the_taints_of_every_class_are_tolerated_each_once():
    taint = Taint("dedicated", "ai")
    classes = [
        GpuNodes(talos_version="1.14", name="rtx", taints=[taint]),
        GpuNodes(talos_version="1.14", name="h100", taints=[taint, Taint("h100")]),
    ]

    assert values_of(classes)["daemonsets"]["tolerations"] == [NVIDIA, DEDICATED, Taint("h100").toleration]


def test_without_nfd_no_value_of_its_is_left():
    values = values_of(GpuNodes(talos_version="1.14"), nfd=False)

    assert values["nfd"] == {"enabled": False}
    assert "node-feature-discovery" not in values


def test_a_mig_strategy_is_handed_on():
    assert values_of(GpuNodes(talos_version="1.14", mig_strategy="mixed"))["mig"] == {"strategy": "mixed"}


def test_the_only_class_that_shares_is_every_nodes_config():
    values = values_of(GpuNodes(talos_version="1.14", sharing=TimeSlicing(replicas=4)), release_name="gpu")

    assert values["devicePlugin"] == {"config": {"name": "gpu-device-plugin", "default": "gpu"}}


@pytest.mark.parametrize("name", ["on", "off", "yes", "null", "true", "false", "y"])
def test_the_name_of_a_class_that_yaml_misreads_is_no_default(name):
    """Charts before v26.3.0 write `default` without quotes."""
    made = GpuOperatorSettings(nodes=GpuNodes(talos_version="1.12", name=name, sharing=TimeSlicing(replicas=4)))

    assert made.chart_values["devicePlugin"]["config"]["default"] == "_unlabelled"
    assert made.plugin_config["data"]["_unlabelled"] == made.plugin_config["data"][name]
    assert "replicas: 4" in made.plugin_config["data"][name]


def test_of_several_classes_a_node_chooses_its_config_by_its_label_alone():
    rtx = GpuNodes(talos_version="1.12", name="rtx", sharing=TimeSlicing(replicas=4))
    values = values_of([rtx, GpuNodes(talos_version="1.12", name="h100")])

    assert values["devicePlugin"] == {
        "env": [{"name": "DEVICE_LIST_STRATEGY", "value": "envvar"}],
        "config": {"name": "gpu-operator-device-plugin", "default": "_unlabelled"},
    }


def test_values_are_merged_last():
    given = {"dcgmExporter": {"serviceMonitor": {"enabled": True}}, "hostPaths": {"rootFS": "/"}, "daemonsets": {"labels": {"team": "ml"}}}
    values = values_of(GpuNodes(talos_version="1.14"), values=given)

    assert values == {
        **CDI,
        "dcgmExporter": {"serviceMonitor": {"enabled": True}},
        "hostPaths": {"driverInstallDir": "/usr/local", "rootFS": "/"},
        "daemonsets": {"tolerations": [NVIDIA], "labels": {"team": "ml"}},
    }
    assert given["hostPaths"] == {"rootFS": "/"}


@pytest.mark.parametrize(
    ("talos", "path", "value", "says"),
    [
        (
            "1.12",
            "driver.enabled",
            True,
            "'values' sets driver.enabled to True, where these nodes on Talos 1.12 need False: no driver image for Talos exists, so the driver pods end in ImagePullBackOff (NVIDIA/gpu-operator#647)",
        ),
        (
            "1.12",
            "toolkit.enabled",
            True,
            "'values' sets toolkit.enabled to True, where these nodes on Talos 1.12 need False: the operator's toolkit writes into /etc/containerd/conf.d, which is read-only on Talos (NVIDIA/gpu-operator#2382)",
        ),
        (
            "1.12",
            "cdi.enabled",
            True,
            "'values' sets cdi.enabled to True, where these nodes on Talos 1.12 need False: with CDI the specs name libraries at paths that this Talos does not have",
        ),
        (
            "1.12",
            "migManager.enabled",
            True,
            "'values' sets migManager.enabled to True, where these nodes on Talos 1.12 need False: the MIG manager waits for systemd, which no Talos has (NVIDIA/gpu-operator#2501)",
        ),
        (
            "1.14",
            "driver.enabled",
            True,
            "'values' sets driver.enabled to True, where these nodes on Talos 1.14 need False: no driver image for Talos exists, so the driver pods end in ImagePullBackOff (NVIDIA/gpu-operator#647)",
        ),
        (
            "1.14",
            "hostPaths.driverInstallDir",
            "/opt",
            "'values' sets hostPaths.driverInstallDir to '/opt', where these nodes on Talos 1.14 need '/usr/local': the validator looks for the driver only in this folder, so every operand waits in Init:0/1",
        ),
    ],
)
def test_a_value_that_overrides_what_talos_needs_is_kept_with_a_warning(talos, path, value, says):
    component, key = path.split(".")
    with pytest.warns(TalosGpuWarning) as warned:
        values = values_of(GpuNodes(talos_version=talos), values={component: {key: value}})

    assert [str(warning.message) for warning in warned] == [says]
    assert values[component][key] == value


def test_nri_without_the_operators_toolkit_is_kept_with_a_warning():
    with pytest.warns(TalosGpuWarning, match="Talos 1.15 is a beta"):
        nodes = GpuNodes(talos_version="1.15")
    with pytest.warns(TalosGpuWarning) as warned:
        values_of(nodes, values={"toolkit": {"enabled": False}, "cdi": {"nriPluginEnabled": False}})

    symptom = "on this Talos only the operator's toolkit gives the operator's own pods the driver"
    assert [str(warning.message) for warning in warned] == [
        f"'values' sets toolkit.enabled to False, where these nodes on Talos 1.15 need True: {symptom}",
        f"'values' sets cdi.nriPluginEnabled to False, where these nodes on Talos 1.15 need True: {symptom}",
    ]


def test_the_envvar_strategy_beside_cdi_is_kept_with_a_warning():
    values = {"devicePlugin": {"env": [{"name": "DEVICE_LIST_STRATEGY", "value": "envvar"}]}}
    with pytest.warns(TalosGpuWarning) as warned:
        values_of(GpuNodes(talos_version="1.14"), values=values)

    assert [str(warning.message) for warning in warned] == [
        "'values' sets DEVICE_LIST_STRATEGY to 'envvar' beside CDI: containers fail with \"unresolvable CDI devices\" (NVIDIA/gpu-operator#1876); leave DEVICE_LIST_STRATEGY out: the operator chooses the strategy by cdi.enabled"
    ]
    values_of(GpuNodes(talos_version="1.14"), values={**values, "cdi": {"enabled": False}})


def strategy(value):
    return {"devicePlugin": {"env": [{"name": "DEVICE_LIST_STRATEGY", "value": value}]}}


LISTS = "'values[devicePlugin.env][DEVICE_LIST_STRATEGY]' must be"
WORDS = "one of 'envvar', 'volume-mounts', 'cdi-annotations', 'cdi-cri'"


@pytest.mark.parametrize(
    ("talos", "values", "error", "says"),
    [
        ("1.12", strategy("envvars"), ValueError, f"{LISTS} {WORDS} (got 'envvars'); did you mean 'envvar'?"),
        ("1.14", strategy("cdi-cri,cdi-anotations"), ValueError, f"{LISTS} {WORDS} (got 'cdi-anotations'); did you mean 'cdi-annotations'?"),
        ("1.14", strategy(True), TypeError, f"{LISTS} {WORDS} (got True)"),
        ("1.14", strategy("volume-mounts"), ValueError,
         f"{LISTS} without 'volume-mounts' on Talos (got 'volume-mounts'); no Talos configures its toolkit to accept devices as volume mounts (accept-nvidia-visible-devices-as-volume-mounts)"),
        ("1.12", strategy("cdi-cri"), ValueError,
         f"{LISTS} 'envvar' on Talos 1.12 (got 'cdi-cri'); the plugin finds no libraries for its CDI specs there, and ends (before 1.13 they are under /usr/local/glibc)"),
        ("1.14", {"devicePlugin": {"env": [{"name": "DEVICE_ID_STRATEGY", "value": "uid"}]}}, ValueError,
         "'values[devicePlugin.env][DEVICE_ID_STRATEGY]' must be one of 'uuid', 'index' (got 'uid'); did you mean 'uuid'?"),
        ("1.14", {"devicePlugin": {"env": [{"name": "DEVICE_DISCOVERY_STRATEGY", "value": "tegra"}]}}, ValueError,
         "'values[devicePlugin.env][DEVICE_DISCOVERY_STRATEGY]' must be 'nvml' or 'auto' on Talos (got 'tegra'); Talos has no driver for a Tegra, such as a Jetson"),
        ("1.14", {"devicePlugin": {"env": {"DEVICE_ID_STRATEGY": "index"}}}, TypeError,
         "'values[devicePlugin.env]' must be a list of variables, such as [{'name': 'DEVICE_ID_STRATEGY', 'value': 'index'}] (got {'DEVICE_ID_STRATEGY': 'index'})"),
        ("1.14", {"devicePlugin": {"env": [{"name": "DEVICE_ID_STRATEGY", "value": "index"}, {"value": "index"}]}}, TypeError,
         "'values[devicePlugin.env]' must be a list of variables, such as [{'name': 'DEVICE_ID_STRATEGY', 'value': 'index'}] (got [{'name': 'DEVICE_ID_STRATEGY', 'value': 'index'}, {'value': 'index'}])"),
        ("1.12", strategy("cdi-annotations"), ValueError,
         f"{LISTS} 'envvar' on Talos 1.12 (got 'cdi-annotations'); the plugin finds no libraries for its CDI specs there, and ends (before 1.13 they are under /usr/local/glibc)"),
        ("1.14", {"driver": {"enabled": "false"}}, TypeError,
         "'values[driver.enabled]' must be True or False (got 'false'); Helm takes every string for true"),
        ("1.14", {"nfd": {"enabled": False}}, ValueError, "'values' must be without nfd.enabled (got False); set the argument 'nfd'"),
        ("1.13", {"cdi": {"nriPluginEnabled": True}, "toolkit": {"enabled": True}}, ValueError,
         "'values[cdi.nriPluginEnabled]' must be False on Talos 1.13 (got True); containerd has NRI off there (NVIDIA/gpu-operator#2384)"),
        ("1.14", {"cdi": {"nriPluginEnabled": True}}, ValueError,
         "'values[cdi.nriPluginEnabled]' must be False without toolkit.enabled and cdi.enabled (got True); the NRI plugin is a part of the operator's toolkit and injects the devices of CDI specs (NVIDIA/gpu-operator#2384)"),
    ],
)  # fmt: skip
def test_a_value_that_no_cluster_works_with_is_refused(chart, talos, values, error, says):
    nodes = GpuNodes(talos_version=talos)

    assert message(lambda: NvidiaGpuOperator(chart, "operator", nodes=nodes, delivery=Flux(), values=values), error) == says
    assert chart.node.children == []


def test_what_talos_needs_may_be_said_again_without_a_warning():
    assert values_of(GpuNodes(talos_version="1.14"), values={"driver": {"enabled": False}}) == CDI


def test_a_further_variable_of_the_plugin_stands_beside_the_strategy_without_a_warning():
    variable = {"name": "DEVICE_ID_STRATEGY", "value": "index"}
    values = values_of(GpuNodes(talos_version="1.12"), values={"devicePlugin": {"env": [variable]}})

    assert values["devicePlugin"]["env"] == [{"name": "DEVICE_LIST_STRATEGY", "value": "envvar"}, variable]


def test_tolerations_that_lose_the_taints_of_the_nodes_are_kept_with_a_warning():
    nodes = GpuNodes(talos_version="1.14", taints=[Taint("dedicated", "ai")])
    with pytest.warns(TalosGpuWarning, match="daemonsets.tolerations"):
        values_of(nodes, values={"daemonsets": {"tolerations": [NVIDIA]}})


READ = "made of keys that the gpu-operator chart reads"


@pytest.mark.parametrize(
    ("talos", "values", "says"),
    [
        ("1.14", {"drivers": {}}, f"'values' must be {READ} (got 'drivers'); did you mean 'driver'?"),
        ("1.14", {"driver": {"enable": False}}, f"'values' must be {READ} (got 'driver.enable'); did you mean 'enabled'?"),
        (
            "1.14",
            {"devicePlugin": {"nodeSelector": {}}},
            f"'values' must be {READ} (got 'devicePlugin.nodeSelector'); the operator chooses nodes by labels alone: set nvidia.com/gpu.deploy.<operand>=false on nodes where it must not run",
        ),
        (
            "1.14",
            {"devicePlugin": {"tolerations": []}},
            f"'values' must be {READ} (got 'devicePlugin.tolerations'); use daemonsets.tolerations, which every operand shares",
        ),
        (
            "1.14",
            {"devicePlugin": {"mps": {"root": "/mps"}}},
            f"'values' must be {READ} (got 'devicePlugin.mps'); no template reads it, although values.yaml has it",
        ),
        (
            "1.12",
            {"draDriver": {}},
            f"'values' must be {READ} (got 'draDriver'); gpu-operator reads it from v26.7.0 on, and this is v25.10.1",
        ),
        (
            "1.12",
            {"cdi": {"nriPluginEnabled": True}},
            f"'values' must be {READ} (got 'cdi.nriPluginEnabled'); gpu-operator reads it from v26.3.0 on, and this is v25.10.1",
        ),
        (
            "1.14",
            {"gpuCluster": {"deployCR": True}},
            "'values' must be without gpuCluster.deployCR on Talos (got 'gpuCluster.deployCR: true'); the operator's DRA driver looks for the driver at / and ignores hostPaths, so no pod starts; use DraDriver, the standalone chart",
        ),
        (
            "1.14",
            {"driver": {"version": None}},
            "'values' must be without null (got 'driver.version'); cdk8s drops a null, so the null never reaches the chart; write the value that you want",
        ),
        (
            "1.14",
            {"devicePlugin": {"env": [{"name": "A", "value": "b"}, None]}},
            "'values' must be without null (got 'devicePlugin.env[1]'); cdk8s drops a null, so the null never reaches the chart; write the value that you want",
        ),
        (
            "1.14",
            {"devicePlugin": {"env": [{"name": "A", "value": None}]}},
            "'values' must be without null (got 'devicePlugin.env[0].value'); cdk8s drops a null, so the null never reaches the chart; write the value that you want",
        ),
        (
            "1.14",
            {"validator": {"enabled": True}},
            f"'values' must be {READ} (got 'validator.enabled'); set the node label nvidia.com/gpu.deploy.operator-validator=false where it must not run",
        ),
    ],
)
def test_a_value_that_the_chart_would_drop_or_talos_cannot_run_is_refused(talos, values, says):
    nodes = GpuNodes(talos_version=talos)
    chart = Chart(App(), "gpu")

    assert message(lambda: NvidiaGpuOperator(chart, "operator", nodes=nodes, delivery=Flux(), values=values)) == says
    assert chart.node.children == []


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ({"mig": "single"}, "'values[mig]' must be a mapping of the chart's own keys (got 'single'); such as {'strategy': …}"),
        ({"gpuCluster": True}, "'values[gpuCluster]' must be a mapping of the chart's own keys (got True); such as {'deployCR': …}"),
        ({"driver": None}, "'values[driver]' must be a mapping of the chart's own keys (got None); such as {'args': …}"),
        ({"driver": ["enabled"]}, "'values[driver]' must be a mapping of the chart's own keys (got ['enabled']); such as {'args': …}"),
    ],
)
def test_a_component_that_is_no_mapping_is_refused(chart, cdi, values, says):
    assert message(lambda: NvidiaGpuOperator(chart, "operator", nodes=cdi, delivery=Flux(), values=values), TypeError) == says
    assert chart.node.children == []


@pytest.mark.parametrize(
    ("values", "path", "since", "before"),
    [
        ({"draDriver": {}}, "draDriver", "v26.7.0", "v26.3.3"),
        ({"operator": {"metrics": {}}}, "operator.metrics", "v26.7.0", "v26.3.3"),
        ({"dcgmExporter": {"enablePodLabels": True}}, "dcgmExporter.enablePodLabels", "v26.3.2", "v26.3.1"),
        ({"driver": {"hostNetwork": True}}, "driver.hostNetwork", "v26.3.1", "v25.10.1"),
        ({"toolkit": {"hostNetwork": True}}, "toolkit.hostNetwork", "v26.3.1", "v25.10.1"),
        ({"validator": {"hostNetwork": True}}, "validator.hostNetwork", "v26.3.1", "v25.10.1"),
        ({"extraObjects": []}, "extraObjects", "v26.3.0", "v25.10.1"),
        ({"dcgmExporter": {"hpcJobMapping": {}}}, "dcgmExporter.hpcJobMapping", "v25.10.1", "v25.10.0"),
        ({"driver": {"secretEnv": "proxy"}}, "driver.secretEnv", "v25.10.0", "v25.3.4"),
    ],
)
def test_a_key_is_refused_before_the_chart_that_brought_it(values, path, since, before):
    says = f"'values' must be {READ} (got '{path}'); gpu-operator reads it from {since} on, and this is {before}"

    assert message(lambda: check_keys(GPU_OPERATOR, values, Version.parse(before))) == says
    assert check_keys(GPU_OPERATOR, values, Version.parse(since)) is None


@pytest.mark.parametrize(
    ("values", "path"), [({"cdi": {"default": True}}, "cdi.default"), ({"operator": {"initContainer": {}}}, "operator.initContainer")]
)
def test_a_key_is_refused_from_the_chart_on_that_dropped_it(values, path):
    says = f"'values' must be {READ} (got '{path}'); gpu-operator reads it only before v26.7.0, and this is v26.7.0"

    assert message(lambda: check_keys(GPU_OPERATOR, values, Version.parse("v26.7.0"))) == says
    assert check_keys(GPU_OPERATOR, values, Version.parse("v26.3.3")) is None


def test_of_a_newer_chart_the_keys_are_not_checked():
    with pytest.warns(
        TalosGpuWarning,
        match=r"gpu-operator v27.1.0 is newer than this library's tables, which were read on .*: its values are not checked",
    ):
        values = values_of(GpuNodes(talos_version="1.14"), version="v27.1.0", values={"somethingNew": {"enabled": True}})

    assert values["somethingNew"] == {"enabled": True}


# values.yaml has these keys, and no template of the version reads them.
UNREAD = {
    "v25.3.4": ["devicePlugin.mps"],
    "v25.10.1": ["devicePlugin.mps"],
    "v26.3.3": ["devicePlugin.mps"],
    "v26.7.0": ["driver.nvidiaDriverCRD", "devicePlugin.mps"],
}


@pytest.mark.parametrize("release", UNREAD)
def test_every_key_of_the_charts_own_values_is_accepted_except_those_that_no_template_reads(release):
    upstream = yaml.safe_load(reference(f"values/gpu-operator-{release}.yaml").read_text())
    version = Version.parse(release)
    refused = []
    for component, settings in upstream.items():
        for key in settings if isinstance(settings, dict) and settings else [None]:
            try:
                check_keys(GPU_OPERATOR, {component: settings if key is None else {key: settings[key]}}, version)
            except ValueError:
                refused.append(f"{component}.{key}")

    assert refused == UNREAD[release]


@pytest.mark.parametrize(
    ("talos", "release"),
    [("1.12", release) for release in (*UNREAD, "v25.3.0")] + [("1.14", release) for release in ("v26.3.1", "v26.3.3", "v26.7.0")],
)
def test_every_chart_that_may_run_reads_all_that_we_write(talos, release):
    shared = {"taints": [Taint("dedicated", "ai")], "sharing": TimeSlicing(replicas=2)}
    values = values_of(GpuNodes(talos_version=talos, **shared), version=release)

    assert check_keys(GPU_OPERATOR, values, Version.parse(release)) is None
    assert values["devicePlugin"]["config"] == {"name": "gpu-operator-device-plugin", "default": "gpu"}


def test_the_chart_of_the_preview_reads_all_that_we_write():
    assert check_keys(GPU_OPERATOR, values_of(preview()), Version.parse("v26.7.0")) is None


def test_a_component_of_a_newer_chart_that_is_no_mapping_is_handed_on():
    with pytest.warns(TalosGpuWarning, match="is newer than"):
        values = values_of(GpuNodes(talos_version="1.14"), version="v27.1.0", values={"gpuCluster": True})

    assert values["gpuCluster"] is True


@pytest.mark.parametrize(("config", "key"), [({}, "name"), ({"name": "plugin"}, "data"), ({"name": "", "data": {"a": ""}}, "name")])
def test_a_config_that_the_chart_shall_create_needs_a_name_and_its_files(config, key):
    values = {"devicePlugin": {"config": {"create": True, **config}}}

    assert f"must be with devicePlugin.config.{key} beside devicePlugin.config.create: True" in message(
        lambda: values_of(GpuNodes(talos_version="1.14"), values=values)
    )
    values_of(GpuNodes(talos_version="1.14"), version="v26.3.3", values=values)


@pytest.mark.parametrize(
    ("talos", "path", "refused"),
    [
        ("1.14", ("mig", "strategy"), True),
        ("1.14", ("hostPaths", "rootFS"), True),
        ("1.14", ("driver", "kernelModuleType"), True),
        ("1.12", ("migManager", "config", "name"), True),
        ("1.14", ("migManager", "config", "name"), False),
        ("1.12", ("devicePlugin", "config", "default"), True),
        ("1.14", ("devicePlugin", "config", "default"), False),
    ],
)
def test_an_empty_value_that_the_chart_makes_null_is_refused(talos, path, refused):
    values: Any = ""
    for key in reversed(path):
        values = {key: values}
    hint = "the chart makes null of it, and the API server refuses the ClusterPolicy under server-side apply; leave the key out"
    wanted = f"'values[{'.'.join(path)}]' must be a text that is not empty (got ''); {hint}"

    if refused:
        assert message(lambda: values_of(GpuNodes(talos_version=talos), values=values)) == wanted
    else:
        assert values_of(GpuNodes(talos_version=talos), values=values)


def test_a_mig_strategy_that_the_cluster_policy_does_not_know_is_refused():
    text = message(lambda: values_of(GpuNodes(talos_version="1.14"), values={"mig": {"strategy": "mixd"}}))

    assert text == "'values[mig.strategy]' must be one of 'none', 'single', 'mixed' (got 'mixd'); did you mean 'mixed'?"
