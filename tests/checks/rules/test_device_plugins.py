"""The rules on device plugins, condition by condition."""

import pytest
import yaml
from chart_checks import (
    CDI,
    DEFAULT_RUNTIME,
    GIVEN,
    PLUGIN_IMAGE,
    checked,
    config_map,
    daemon_set,
    node,
    node_feature_rule,
    operator,
    plugin,
    plugin_pods,
    release,
    said,
    severities,
)

from constructs_lib import GpuNodes
from constructs_lib.symptoms.agent_symptoms import AGENT_SYMPTOMS

# The rule TG009: words


@pytest.mark.parametrize(
    ("name", "variable", "flag", "value", "logged"),
    [
        ("deviceListStrategy", "DEVICE_LIST_STRATEGY", "--device-list-strategy", "envvars", "invalid strategy"),
        ("deviceIDStrategy", "DEVICE_ID_STRATEGY", "--device-id-strategy", "uid", "invalid --device-id-strategy option"),
        (
            "deviceDiscoveryStrategy",
            "DEVICE_DISCOVERY_STRATEGY",
            "--device-discovery-strategy",
            "nvlm",
            "invalid --device-discovery-strategy option",
        ),
        ("migStrategy", "MIG_STRATEGY", "--mig-strategy", "mix", "unknown MIG strategy"),
    ],
)
def test_a_misspelt_word_is_an_error_wherever_it_is_written(name, variable, flag, value, logged):
    violation = f"is {value!r}. The plugin exits with '{logged}: {value}'"

    assert said(checked("TG009", plugin({name: value}))) == [("error", f"{name} {violation}")]
    assert said(checked("TG009", plugin_pods({variable: value}))) == [("error", f"{variable} {violation}")]
    assert said(checked("TG009", plugin_pods(container={"args": [f"{flag}={value}"]}))) == [("error", f"{flag} {violation}")]
    assert said(checked("TG009", plugin_pods(container={"command": ["nvidia-device-plugin", flag, value]}))) == [
        ("error", f"{flag} {violation}")
    ]


def test_the_fix_names_the_word_that_was_meant():
    assert checked("TG009", plugin({"deviceListStrategy": "envvars"}))[0].fix == (
        "Write envvar in place of envvars. Words that work: envvar, cdi-annotations, cdi-cri"
    )
    assert checked("TG009", plugin({"migStrategy": "x"}))[0].fix == "Use one of none, single, mixed"


def test_a_fix_offers_no_strategy_that_does_not_work_on_the_talos():
    fixes = {talos: checked("TG009", plugin({"deviceListStrategy": "cdi"}), talos=talos)[0].fix for talos in ("1.12", "1.13")}

    assert fixes == {
        "1.12": "Use one of envvar",
        "1.13": "Write cdi-cri in place of cdi. Words that work: envvar, cdi-annotations, cdi-cri",
    }
    assert "volume-mounts" not in next(each.remedy for each in AGENT_SYMPTOMS if each.name == "plugin-strategy")


def test_the_strategy_of_a_tegra_finds_no_card_on_talos():
    message = (
        "deviceDiscoveryStrategy is 'tegra', but Talos has no driver for a Tegra. The plugin offers one device named tegra on each node, and none of its "
        "cards"
    )

    assert said(checked("TG009", plugin({"deviceDiscoveryStrategy": "tegra"}), talos="1.13")) == [("warning", message)]
    assert severities("TG009", plugin({"deviceDiscoveryStrategy": "auto"}), talos="1.13") == []
    assert severities("TG009", plugin({"deviceDiscoveryStrategy": "tegra"}), talos=None) == []


def test_the_words_of_a_list_are_judged_one_by_one():
    assert severities("TG009", plugin({"deviceListStrategy": "envvar,cdi-cri"})) == []
    assert severities("TG009", plugin({"deviceListStrategy": "envvar,cdi-kri"})) == ["error"]
    assert severities("TG009", plugin({"deviceListStrategy": GIVEN})) == []


def test_the_operator_is_told_the_same_words():
    env = [{"name": "DEVICE_LIST_STRATEGY", "value": "envvars"}]

    assert operator("TG009", {**CDI, "devicePlugin": {"env": env}}) == ["error"]
    assert operator("TG009", {**CDI, "devicePlugin": {"enabled": False, "env": env}}) == []
    assert operator("TG009", {**CDI, "mig": {"strategy": "mig"}}) == ["error"]
    assert operator("TG009", {**CDI, "mig": {"strategy": ""}}) == []


def file(text):
    return {"config": {"map": {"default": text}}}


def test_a_config_file_takes_a_word_or_a_list_and_no_comma():
    assert severities("TG009", plugin(file("flags: {plugin: {deviceListStrategy: envvar}}"))) == []
    assert severities("TG009", plugin(file("flags: {plugin: {deviceListStrategy: [envvar, cdi-cri]}}"))) == []
    findings = checked("TG009", plugin(file('flags: {plugin: {deviceListStrategy: "envvar,cdi-cri"}}')))
    assert said(findings) == [
        (
            "error",
            (
                "flags.plugin.deviceListStrategy is 'envvar,cdi-cri', which a config file takes for one word. The plugin exits with "
                "'invalid strategy: envvar,cdi-cri'"
            ),
        )
    ]
    assert findings[0].fix == "Write a list: [envvar, cdi-cri]"
    assert said(checked("TG009", plugin(file('flags: {plugin: {deviceListStrategy: "envvar,x"}}')))) == [
        ("error", "flags.plugin.deviceListStrategy is 'envvar,x'. The plugin exits with 'invalid strategy: envvar,x'")
    ]
    assert "for one word" not in checked("TG009", plugin({"deviceIDStrategy": "uuid,index"}))[0].message


def test_a_file_below_something_else_is_a_warning():
    assert severities("TG009", plugin({**file("flags: {migStrategy: mix}"), "migStrategy": "none"})) == ["warning"]
    values = {**CDI, "devicePlugin": {"config": {"name": "sharing", "default": "any"}}}
    text = "version: v1\nflags: {plugin: {deviceListStrategy: envvars}}\n"
    assert operator("TG009", values, config_map("sharing", {"any": text})) == ["warning"]


def test_feature_discovery_knows_one_word_more():
    gfd = daemon_set(PLUGIN_IMAGE, env={"DEVICE_DISCOVERY_STRATEGY": "vfio"}, container={"command": ["gpu-feature-discovery"]})

    assert severities("TG009", gfd) == []
    assert severities("TG009", plugin_pods({"DEVICE_DISCOVERY_STRATEGY": "vfio"})) == ["error"]


def test_the_fallbacks_of_the_chart_are_words_too():
    assert severities("TG009", plugin({"config": {"fallbackStrategies": ["named", "singl"]}})) == ["error"]
    assert severities("TG009", plugin({"config": {"fallbackStrategies": ["named", "single", "empty"]}})) == []


# The rule TG018: NVIDIA's runtime


def bare(values=None):
    return release("nvidia-device-plugin", values or {})


def test_a_plugin_without_a_runtime_class_is_an_error_where_the_nodes_say_so():
    assert said(checked("TG018", bare(), node())) == [
        (
            "error",
            (
                "the device plugin has no runtimeClassName, and no machine configuration in these files makes NVIDIA's runtime the default. Without "
                "NVIDIA's runtime its container has no libnvidia-ml.so.1, and finds no GPU"
            ),
        )
    ]
    assert severities("TG018", bare()) == ["warning"]
    assert severities("TG018", bare(), node(gpu=False)) == ["warning"]
    assert severities("TG018", bare(), node(files=[DEFAULT_RUNTIME])) == []


def test_a_plugin_with_a_runtime_class_or_one_that_is_filled_in_is_right():
    assert severities("TG018", bare({"runtimeClassName": "nvidia"}), node()) == []
    assert severities("TG018", bare({"runtimeClassName": GIVEN}), node()) == []
    assert severities("TG018", plugin_pods(), node()) == []
    assert severities("TG018", daemon_set(PLUGIN_IMAGE), node()) == ["error"]
    assert checked("TG018", daemon_set(PLUGIN_IMAGE))[0].fix == "Set spec.template.spec.runtimeClassName: nvidia"
    assert checked("TG018", bare())[0].fix == "Set runtimeClassName: nvidia in the chart's values"


def test_values_that_come_from_elsewhere_may_name_one():
    assert severities("TG018", bare() | {"spec": {**bare()["spec"], "valuesFrom": [{"kind": "Secret", "name": "values"}]}}, node()) == []


def test_one_value_serves_the_whole_chart():
    assert len(checked("TG018", bare({"gfd": {"enabled": True}}), node())) == 1


def test_feature_discovery_needs_it_too():
    gfd = daemon_set(PLUGIN_IMAGE, container={"command": ["gpu-feature-discovery"]})

    assert severities("TG018", gfd, node()) == ["error"]


def test_the_mps_daemon_needs_it_where_gpus_are_shared_by_mps():
    daemon = daemon_set(PLUGIN_IMAGE, name="mps", container={"command": ["mps-control-daemon"]})
    shares = config_map("c", {"any": "version: v1\nsharing: {mps: {resources: [{name: nvidia.com/gpu, replicas: 2}]}}\n"})

    assert severities("TG018", daemon, node()) == []
    assert severities("TG018", daemon, shares, node()) == ["error"]


def test_on_a_jetson_nothing_of_nvml_is_needed():
    assert severities("TG018", bare({"deviceDiscoveryStrategy": "tegra"}), node()) == []


def test_the_hosts_driver_in_the_container_is_no_more_than_a_warning():
    pods = daemon_set(PLUGIN_IMAGE, container={"volumeMounts": [{"name": "root", "mountPath": "/driver-root"}]})

    assert severities("TG018", pods, node()) == ["warning"]
    assert severities("TG018", bare({"nvidiaDriverRoot": "/usr/local"}), node()) == ["warning"]


def test_from_talos_1_15_on_no_pod_names_one():
    assert severities("TG018", bare(), talos="1.15") == []


def test_what_the_operator_made_is_judged_there():
    made = daemon_set(PLUGIN_IMAGE, ownerReferences=[{"kind": "ClusterPolicy", "name": "cluster-policy"}])

    assert severities("TG018", made, node()) == []


# The rule TG038: partitions


@pytest.mark.parametrize("strategy", ["single", "mixed"])
def test_a_plugin_for_partitions_is_privileged_from_talos_1_12_on(strategy):
    values = {"migStrategy": strategy}

    assert severities("TG038", plugin(values), talos="1.12") == ["remark"]
    assert severities("TG038", plugin(values), talos="1.11") == []
    assert severities("TG038", plugin(values)) == []
    assert severities("TG038", plugin({**values, "securityContext": {"privileged": True}}), talos="1.12") == []
    assert severities("TG038", plugin({**values, "compatWithCPUManager": True}), talos="1.12") == []
    assert severities("TG038", plugin({"migStrategy": "none"}), talos="1.12") == []


def test_pods_for_partitions_are_privileged_too():
    env = {"MIG_STRATEGY": "single"}

    assert severities("TG038", plugin_pods(env), talos="1.13") == ["remark"]
    assert severities("TG038", plugin_pods(env, container={"securityContext": {"privileged": True}}), talos="1.13") == []


def test_where_cards_are_cut_it_is_a_warning():
    values = plugin({"migStrategy": "mixed"})
    asks = daemon_set("app", container={"resources": {"limits": {"nvidia.com/mig-1g.10gb": 1}}})
    nodes = [GpuNodes(talos_version="1.13", product="NVIDIA-H100-80GB-HBM3", mig_strategy="mixed", mig_devices={"1g.10gb": 7})]

    assert severities("TG038", values, asks, talos="1.13") == ["warning"]
    message = "migStrategy is mixed, but the plugin is not privileged. From Talos 1.12 on the plugin exits with Insufficient Permissions"
    assert checked("TG038", values, asks, talos="1.13")[0].message == message
    assert checked("TG038", values, talos="1.13")[0].message == (f"{message} on a card with MIG partitions")
    assert severities("TG038", values, node(nodeLabels={"nvidia.com/mig.config": "all-1g.10gb"})) == ["warning"]
    assert severities("TG038", values, talos="1.13", nodes=nodes) == ["warning"]


# The rule TG026: two on one node

EVERYWHERE: dict = {}
ONE, OTHER = ({"nodeSelector": {"kubernetes.io/hostname": name}, "affinity": None} for name in ("gpu-1", "gpu-2"))


def two(one, other):
    first, second = plugin(one), plugin(other)
    second["metadata"]["name"] = "second"
    return severities("TG026", first, second)


def test_two_plugins_for_every_gpu_node_are_an_error():
    assert two(EVERYWHERE, EVERYWHERE) == ["error"]
    assert two({"affinity": None}, {"nodeSelector": {"nvidia.com/gpu.present": "true"}}) == ["error"]


def test_two_plugins_that_are_apart_are_right():
    affinity = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "NotIn", "values": ["gpu-1"]}]}]
            }
        }
    }

    assert two(ONE, OTHER) == []
    assert two(ONE, {"affinity": affinity}) == []
    assert two(ONE, ONE) == ["warning"]
    assert two(ONE, {"nodeSelector": {"role": "gpu"}, "affinity": None}) == ["warning"]
    assert two(ONE, {"nodeSelector": {"kubernetes.io/hostname": GIVEN}, "affinity": None}) == []
    assert two(ONE, {"nodeSelector": GIVEN, "affinity": None}) == []


@pytest.mark.parametrize("operator_of", ["DoesNotExist", "Exists"])
def test_a_label_that_must_not_be_there_keeps_apart(operator_of):
    affinity = {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "role", "operator": operator_of}]}]
            }
        }
    }

    assert two({"nodeSelector": {"role": "gpu"}, "affinity": None}, {"affinity": affinity}) == (
        [] if operator_of == "DoesNotExist" else ["warning"]
    )


def test_the_operators_plugin_is_one_too():
    assert operator("TG026", CDI, plugin(EVERYWHERE)) == ["error"]
    assert operator("TG026", CDI, plugin_pods()) == ["error"]
    assert operator("TG026", CDI, plugin(ONE)) == ["warning"]
    assert operator("TG026", {**CDI, "devicePlugin": {"enabled": False}}, plugin(EVERYWHERE)) == []
    assert operator("TG026", {**CDI, "devicePlugin": {"enabled": GIVEN}}, plugin(EVERYWHERE)) == ["warning"]
    assert operator("TG026", CDI, plugin({"devicePlugin": {"enabled": False}})) == []


TWO_PLUGINS = (
    "Up to Kubernetes 1.36 nvidia.com/gpu drops to 0 when the pod of either plugin ends. From 1.37 on the kubelet refuses the second plugin, and when the "
    "pod of the first one ends, new GPU pods fail until the kubelet restarts"
)


def test_a_switch_that_a_placeholder_decides_makes_one_step_less_sure():
    given = {**CDI, "devicePlugin": {"enabled": GIVEN}}

    assert operator("TG026", given, plugin(EVERYWHERE)) == ["warning"]
    assert operator("TG026", given, plugin(ONE)) == ["remark"]
    assert [each.message for each in checked("TG026", given, plugin(EVERYWHERE), chart="gpu-operator@v26.7.0")] == [
        (
            f"the plugin runs on every GPU node, like the device plugin of gpu-operator v26.7.0 (gpu-operator). {TWO_PLUGINS}. "
            "This holds if devicePlugin.enabled is on"
        )
    ]
    assert operator("TG129", {**CDI, "gfd": {"enabled": GIVEN}}, plugin({**DISCOVERY, "affinity": None})) == ["remark"]


def test_what_is_said_is_as_sure_as_it_is():
    operators = "the device plugin of gpu-operator v26.7.0 (gpu-operator)"

    def messages(*documents):
        return [each.message for each in checked("TG026", CDI, *documents, chart="gpu-operator@v26.7.0")]

    assert messages(plugin(EVERYWHERE)) == [f"the plugin runs on every GPU node, like {operators}. {TWO_PLUGINS}"]
    assert messages(plugin(ONE)) == [f"the plugin may run on the same nodes as {operators}. {TWO_PLUGINS}"]
    second = plugin_pods(pod={"nodeSelector": {"role": "gpu"}})
    first = "the device plugin of DaemonSet gpu/agent"
    assert [each.message for each in checked("TG026", plugin(EVERYWHERE), second)] == [
        f"the plugin may run on the same nodes as {first}. {TWO_PLUGINS}"
    ]
    assert [each.message for each in checked("TG026", plugin(EVERYWHERE), plugin_pods())] == [
        f"the plugin runs on the same nodes as {first}. {TWO_PLUGINS}"
    ]


def test_nodes_that_get_no_plugin_of_the_operators_get_their_own():
    labelled = node(nodeLabels={"nvidia.com/gpu.deploy.device-plugin": "false"})

    assert operator("TG026", CDI, plugin(ONE), labelled) == []
    assert operator("TG026", CDI, plugin(ONE), node(nodeLabels={"nvidia.com/gpu.deploy.device-plugin": "true"})) == ["warning"]
    unread = node_feature_rule({"nvidia.com/gpu.deploy.operands": "@anything"})
    assert operator("TG026", CDI, plugin(ONE), unread) == ["remark"]  # a doubt lowers a finding, and drops none


CUT = GpuNodes(talos_version="1.13", name="h100", mig_devices={"1g.10gb": 7})
WHOLE = GpuNodes(talos_version="1.13", name="rtx")


def test_described_nodes_with_partitions_get_no_plugin_of_the_operators():
    def beside(selector, nodes):
        return operator("TG026", CDI, plugin({"nodeSelector": selector, "affinity": None}), nodes=nodes)

    assert beside(CUT.node_selector, [CUT, WHOLE]) == []
    assert beside(CUT.node_selector, [WHOLE]) == ["warning"]
    assert beside(WHOLE.node_selector, [CUT, WHOLE]) == ["warning"]
    assert beside({"kubernetes.io/hostname": "gpu-1"}, [CUT, WHOLE]) == []
    assert beside({"kubernetes.io/os": "linux"}, [CUT]) == []
    assert beside({"kubernetes.io/os": "linux"}, [CUT, WHOLE]) == ["error"]


def test_a_described_class_may_keep_the_operators_plugin():
    kept = GpuNodes(talos_version="1.13", mig_devices={"1g.10gb": 7}, extra_labels={"nvidia.com/gpu.deploy.device-plugin": "true"})

    assert operator("TG026", CDI, plugin(ONE), nodes=[kept]) == ["warning"]


# The rule TG021: left-overs of Talos 1.12


def test_paths_of_talos_1_12_are_gone():
    glibc = "/usr/local/glibc/usr/lib"

    assert severities("TG021", plugin({"nvidiaDriverRoot": glibc}), talos="1.13") == ["error"]
    assert severities("TG021", plugin({"nvidiaDriverRoot": glibc}), talos="1.12") == []
    assert severities("TG021", plugin({"nvidiaDriverRoot": glibc})) == []
    assert severities("TG021", plugin({"nvidiaDriverRoot": "/"}), talos="1.13") == []
    assert severities("TG021", plugin_pods({"NVIDIA_DRIVER_ROOT": glibc}), talos="1.13") == []  # that is TG061
    assert severities("TG021", config_map("any", {"any": f"version: v1\nflags: {{nvidiaDriverRoot: {glibc}}}\n"}), talos="1.13") == [
        "error"
    ]
    assert severities("TG021", plugin(file(f"flags: {{nvidiaDriverRoot: {glibc}}}")), talos="1.13") == ["error"]
    assert severities("TG021", plugin({**file(f"flags: {{nvidiaDriverRoot: {glibc}}}"), "nvidiaDriverRoot": "/"}), talos="1.13") == [
        "remark"
    ]


@pytest.mark.parametrize(
    ("variable", "found"),
    [
        ("NVIDIA_DRIVER_ROOT", ["error"]),
        ("LD_LIBRARY_PATH", ["remark"]),
        ("XDG_DATA_HOME", ["error"]),
    ],
)
@pytest.mark.parametrize("path", [("devicePlugin",), ("dcgmExporter",), ("validator", "driver")])
def test_the_operators_variables_are_read(path, variable, found):
    values = {"env": [{"name": variable, "value": "/usr/local/glibc/usr"}]}
    for key in reversed(path):
        values = {key: values}

    assert operator("TG021", {**CDI, **values}) == found


def test_a_search_path_does_no_harm():
    env = [{"name": "LD_LIBRARY_PATH", "value": "/usr/local/glibc/usr/lib"}, {"name": "ROOT", "value": "/usr/local/glibc"}]

    assert said(checked("TG021", {**CDI, "dcgmExporter": {"env": env}}, chart="gpu-operator@v26.7.0", talos="1.13")) == [
        ("remark", "LD_LIBRARY_PATH is /usr/local/glibc/usr/lib, a path that Talos 1.13 no longer has. The variable has no effect"),
        ("error", "ROOT is /usr/local/glibc, a path that Talos 1.13 no longer has. The driver is below /usr/local since Talos 1.13"),
    ]


def test_the_fix_of_a_search_path_removes_the_path_and_sets_no_root():
    env = [{"name": "LD_LIBRARY_PATH", "value": "/usr/local/glibc/usr/lib"}, {"name": "ROOT", "value": "/usr/local/glibc"}]
    findings = checked("TG021", {**CDI, "dcgmExporter": {"env": env}}, chart="gpu-operator@v26.7.0", talos="1.13")

    assert [each.fix for each in findings] == [
        "Remove the paths below /usr/local/glibc from LD_LIBRARY_PATH",
        "Remove ROOT, or set it to the driver root of Talos 1.13, /usr/local",
    ]


def test_a_bridge_is_not_needed_any_more():
    bridge = daemon_set("busybox", container={"command": ["sh", "-c", "while true; do touch /v/toolkit-ready; sleep 9; done"]})

    assert severities("TG021", bridge, talos="1.13") == ["remark"]
    assert severities("TG021", bridge, talos="1.12") == []


@pytest.mark.parametrize(("value", "found"), [("envvar", []), ("envvars", ["error"])])
def test_a_variable_in_an_argument_is_read_as_the_kubelet_fills_it_in(value, found):
    pods = daemon_set(PLUGIN_IMAGE, env={"STRATEGY": value}, container={"args": ["--device-list-strategy=$(STRATEGY)"]})

    assert severities("TG009", pods) == found


# The rule TG129: two GPU feature discoveries on one node

DISCOVERY = {"devicePlugin": {"enabled": False}, "gfd": {"enabled": True}}
EFFECT = (
    "Both set the same labels of the node. Where their configs differ, labels such as nvidia.com/gpu.product and nvidia.com/gpu.replicas have the "
    "values of the wrong config, or change in turn"
)


def test_a_discovery_beside_the_operators_is_found():
    of_another_chart = release("gpu-feature-discovery", {"nodeSelector": {"kubernetes.io/os": "linux"}, "affinity": None})
    findings = checked("TG129", CDI, plugin({**DISCOVERY, "affinity": None}), chart="gpu-operator@v26.7.0")

    assert [(str(each.severity), each.message) for each in findings] == [
        (
            "warning",
            f"GPU feature discovery runs on every GPU node, like the GPU feature discovery of gpu-operator v26.7.0 (gpu-operator). {EFFECT}",
        )
    ]
    assert findings[0].fix == "Set gfd.enabled: false in the operator's values, or remove this GPU feature discovery"
    assert operator("TG129", CDI, plugin({**DISCOVERY, **ONE})) == ["remark"]
    assert operator("TG129", CDI, of_another_chart) == ["warning"]


@pytest.mark.parametrize(("gfd", "beside"), [(False, []), (GIVEN, ["remark"])])
def test_a_discovery_whose_switch_cant_be_read_is_one_step_less_sure(gfd, beside):
    alone = {**DISCOVERY, "gfd": {"enabled": gfd}}

    assert operator("TG129", {**CDI, "gfd": {"enabled": gfd}}, plugin({**DISCOVERY, "affinity": None})) == beside
    assert operator("TG129", CDI, plugin({**alone, "affinity": None})) == []


@pytest.mark.parametrize("operand", ["gpu-feature-discovery", "operands"])
def test_nodes_without_the_operators_discovery_get_their_own(operand):
    def beside(label):
        return operator("TG129", CDI, plugin({**DISCOVERY, **ONE}), node(nodeLabels={f"nvidia.com/gpu.deploy.{label}": "false"}))

    assert beside(operand) == []
    assert beside("device-plugin") == ["remark"]


def test_two_charts_with_a_discovery_are_found_where_they_select_the_same_nodes():
    def two_discoveries(one, other):
        first, second = plugin({**DISCOVERY, **one}), plugin({**DISCOVERY, **other})
        second["metadata"]["name"] = "second"
        return severities("TG129", first, second)

    assert two_discoveries({"affinity": None}, {"affinity": None}) == ["warning"]
    assert two_discoveries(ONE, ONE) == ["remark"]
    assert two_discoveries(ONE, OTHER) == []
    assert two_discoveries({"affinity": None}, {"affinity": None, "gfd": {"enabled": False}}) == []


def test_values_that_were_not_read_make_a_remark_of_a_plugin_beside_the_operators():
    """A ConfigMap or a Secret that is elsewhere may switch the operator's plugin off."""
    unread = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: gpu-operator, namespace: gpu-operator}
spec:
  chart: {spec: {chart: gpu-operator, version: v26.7.0, sourceRef: {kind: HelmRepository, name: nvidia}}}
  valuesFrom: [{kind: Secret, name: own-values}]
"""
    findings = checked("TG026", plugin(EVERYWHERE), *yaml.safe_load_all(unread))

    assert [str(each.severity) for each in findings] == ["remark"]
