"""The rules on values that a chart ignores, mistakes or refuses."""

import pytest
import yaml
from chart_checks import CDI, GIVEN, checked, operator, plugin, release, said, severities


def ignored(chart, values, version="1.0.0"):
    return {
        each.message.split(" does not read the value ")[1].split(". Helm")[0]: each.fix
        for each in checked("TG027", release(chart, values, version=version))
    }


# The rule TG027: what it ignores


@pytest.mark.parametrize("component", ["devicePlugin", "gfd", "dcgmExporter", "toolkit"])
def test_the_operands_share_their_tolerations(component):
    assert ignored("gpu-operator", {component: {"tolerations": []}}, "v26.7.0") == {
        f"{component}.tolerations": "Use daemonsets.tolerations, which every operand shares"
    }


def test_what_was_meant_is_named():
    labels = "The operator chooses nodes by labels alone: set nvidia.com/gpu.deploy.<operand>=false on nodes where it must not run"

    assert ignored("gpu-operator", {"daemonsets": {"affinity": {}}, "devicePlugin": {"nodeSelector": {}}}, "v26.7.0") == {
        "daemonsets.affinity": labels,
        "devicePlugin.nodeSelector": labels,
    }
    assert ignored("gpu-operator", {"runtimeClass": {}, "validator": {"enabled": False}, "devicePlugins": {}}, "v26.7.0") == {
        "runtimeClass": "Use operator.runtimeClass",
        "validator.enabled": "Set the node label nvidia.com/gpu.deploy.operator-validator=false where it must not run",
        "devicePlugins": "Rename devicePlugins to devicePlugin",
    }
    assert ignored("gpu-operator", {"xyzzy": {}}, "v26.7.0") == {"xyzzy": "Remove the value"}
    assert ignored("gpu-operator", {"tolerations": [], "priorityClassName": "a"}, "v26.7.0") == {
        "tolerations": "Use daemonsets.tolerations for the operands, and operator.tolerations for the operator itself",
        "priorityClassName": "Move priorityClassName to daemonsets.priorityClassName or operator.priorityClassName",
    }
    assert ignored("node-feature-discovery", {"tolerations": [{"key": "a"}]}, "0.19.0") == {
        "tolerations": "Move tolerations to worker.tolerations, gc.tolerations or master.tolerations, or to another of its 4 places"
    }


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("v25.3.4", {}),
        ("v26.7.0", {"cdi.default": "Remove the value: gpu-operator reads it only before v26.7.0, and this is v26.7.0"}),
        ("v26.3.3", {}),
        ("v99.1.0", {}),
        (None, {}),
        ("26.x", {}),
    ],
)
def test_a_key_of_another_version_is_ignored_by_this_one(version, found):
    assert ignored("gpu-operator", {"cdi": {"default": True}}, version) == found


def test_of_a_newer_chart_nothing_is_known_and_of_none_what_all_have():
    assert ignored("gpu-operator", {"devicePlugin": {"tolerations": []}}, "v99.1.0") == {}
    assert ignored("gpu-operator", {"devicePlugin": {"tolerations": []}}, None).keys() == {"devicePlugin.tolerations"}


def test_the_plugins_chart_reads_its_own_keys():
    values = {
        "flags": {"migStrategy": "none"},
        "gfd": {"enabled": True, "nodeSelector": {}, "noTimestamp": True},
        "deviceListStrategies": "envvar",
    }

    assert ignored("nvidia-device-plugin", values, "0.20.0") == {
        "flags": "Use the keys at the top (migStrategy, deviceListStrategy, deviceIDStrategy, …), or a config in config.map",
        "gfd.nodeSelector": "Use nodeSelector at the top, which the whole chart shares",
        "gfd.noTimestamp": "Use noTimestamp at the top",
        "deviceListStrategies": "Rename deviceListStrategies to deviceListStrategy",
    }
    # Until then GPU feature discovery was a subchart, with keys of its own.
    assert ignored("nvidia-device-plugin", values, "0.14.5") == {}


def test_other_charts_of_nvidias_are_known():
    assert ignored("dcgm-exporter", {"env": [], "serviceMonitor": {"namespace": "a"}}, "4.8.2") == {
        "env": "Use extraEnv",
        "serviceMonitor.namespace": "Leave it out: the ServiceMonitor is in the chart's namespace",
    }
    assert ignored("dra-driver-nvidia-gpu", {"tolerations": [], "kubeletPlugin": {"tolerations": []}}, "0.5.0") == {
        "tolerations": "Use kubeletPlugin.tolerations"
    }


@pytest.mark.parametrize(
    ("chart", "values"),
    [
        ("gpu-operator", CDI),
        ("gpu-operator", {"node-feature-discovery": {"worker": {"config": {"anything": 1}}}, "global": {}, "fullnameOverride": "a"}),
        (
            "nvidia-device-plugin",
            {"nfd": {"enabled": True, "worker": {"config": {"anything": 1}}}, "affinity": {}, "mps": {"root": "/run/nvidia/mps"}},
        ),
        ("nvidia-device-plugin", {"flags": None}),
        ("dcgm-exporter", {"kubernetes": {"rbac": {}}, "extraEnv": []}),
        ("ollama", {"anything": 1}),
    ],
)
def test_what_a_chart_reads_is_right(chart, values):
    assert ignored(chart, values, "0.20.0" if chart != "gpu-operator" else "v26.7.0") == {}


def test_it_is_a_remark_at_the_line_of_the_value():
    findings = checked(
        "TG027", "# the first line\ndriver: {enabled: false}\ndevicePlugin:\n  tolerations: []\n", chart="gpu-operator@v26.7.0"
    )

    assert [(str(each.severity), each.line, each.message) for each in findings] == [
        (
            "remark",
            4,
            "the chart gpu-operator does not read the value devicePlugin.tolerations. Helm reports no error, and the setting has no effect",
        )
    ]


# The rule TG028: types


def test_a_template_that_asks_for_a_boolean_drops_a_string():
    for value in ("true", "false"):
        findings = checked("TG028", plugin({"failOnInitError": value}))
        assert said(findings) == [
            ("error", f"failOnInitError is the string '{value}', but the chart reads only true or false, and ignores the string")
        ]
        assert findings[0].fix == f"Set failOnInitError: {value}, without quotes"
    assert checked("TG028", plugin({"failOnInitError": "maybe"}))[0].fix == "Set failOnInitError: true or false, without quotes"
    assert severities("TG028", plugin({"failOnInitError": False})) == []
    assert severities("TG028", plugin({"failOnInitError": GIVEN})) == []


def test_a_template_that_asks_for_a_string_drops_anything_else():
    findings = checked("TG028", plugin({"deviceListStrategy": ["envvar", "cdi-cri"]}))

    assert said(findings) == [
        ("error", "deviceListStrategy is ['envvar', 'cdi-cri'], but the chart reads only a string, and ignores the value")
    ]
    assert findings[0].fix == 'Set deviceListStrategy: "envvar,cdi-cri"'
    assert severities("TG028", plugin({"migStrategy": None})) == []


@pytest.mark.parametrize("path", ["nfd.enabled", "devicePlugin.config.create", "operator.upgradeCRD", "clusterPolicy.deployCR"])
def test_to_helm_any_string_is_true(path):
    def values(value):
        for key in reversed(path.split(".")):
            value = {key: value}
        return value

    assert operator("TG028", values("false")) == ["error"]
    assert operator("TG028", values("true")) == []
    assert operator("TG028", values(False)) == []


@pytest.mark.parametrize("component", ["driver", "toolkit", "devicePlugin", "gfd"])
def test_a_switch_that_is_printed_is_what_it_says(component):
    assert operator("TG028", {component: {"enabled": "false"}}) == []


@pytest.mark.parametrize(("version", "found"), [("v26.3.0", ["error"]), ("v26.7.0", ["error"]), ("", ["error"]), ("v25.10.1", [])])
@pytest.mark.parametrize("value", ["true", "false"])
def test_what_is_compared_is_no_string(version, found, value):
    assert operator("TG028", {"cdi": {"enabled": value}}, version=version) == found


def test_switches_of_the_other_charts_are_read():
    assert severities("TG028", plugin({"gfd": {"enabled": "false"}})) == ["error"]
    assert severities("TG028", release("dcgm-exporter", {"serviceMonitor": {"enabled": "false"}})) == ["error"]
    assert severities("TG028", release("dra-driver-nvidia-gpu", {"resources": {"gpus": {"enabled": "false"}}})) == ["error"]


# The rule TG039: what it refuses


@pytest.mark.parametrize("chart", ["nvidia-device-plugin", "dra-driver-nvidia-gpu"])
def test_the_namespace_default_is_refused(chart):
    assert severities("TG039", release(chart, {}, namespace="default")) == ["error"]
    assert severities("TG039", release(chart, {"allowDefaultNamespace": True}, namespace="default")) == []
    assert severities("TG039", release(chart, {"allowDefaultNamespace": GIVEN}, namespace="default")) == []
    assert severities("TG039", release(chart, {})) == []
    assert severities("TG039", release(chart, {"namespace": "gpu"})) == ["error"]
    refused = release(chart, {"namespace": "gpu"}, namespace="default")
    text = yaml.safe_dump(refused).splitlines()
    assert [each.line for each in checked("TG039", refused)] == [1, text.index("    namespace: gpu") + 1]


def test_the_dra_chart_may_go_elsewhere():
    values = {"namespaceOverride": "gpu"}

    assert severities("TG039", release("dra-driver-nvidia-gpu", values, namespace="default")) == []
    assert severities("TG039", release("nvidia-device-plugin", values, namespace="default")) == ["error"]
    assert severities("TG039", release("dra-driver-nvidia-gpu", {"nvidiaCtkPath": "/usr/bin/nvidia-ctk"})) == ["error"]


def test_a_config_has_one_place():
    assert said(checked("TG039", plugin({"config": {"name": "a", "map": {"b": "c"}}}))) == [
        ("error", "the chart refuses to render: config.name and config.map are both set")
    ]
    assert severities("TG039", plugin({"config": {"name": GIVEN, "map": {"b": "c"}}})) == []


@pytest.mark.parametrize(
    ("config", "version", "found"),
    [
        ({"create": True, "data": {"a": "b"}}, "v26.7.0", ["error"]),
        ({"create": True, "name": "a"}, "v26.7.0", ["error"]),
        ({"create": True}, "v26.7.0", ["error", "error"]),
        ({"create": True, "name": "a", "data": {"a": "b"}}, "v26.7.0", []),
        ({"create": True, "name": GIVEN, "data": {"a": "b"}}, "v26.7.0", []),
        ({"create": False}, "v26.7.0", []),
        ({"create": True}, "v26.3.3", []),
    ],
)
def test_a_config_that_is_created_has_a_name_and_data(config, version, found):
    assert operator("TG039", {"devicePlugin": {"config": config}}, version=version) == found


@pytest.mark.parametrize("key", ["nodeSelector", "tolerations", "affinity"])
def test_a_place_of_the_dra_driver_is_that_of_its_kubelet_plugin(key):
    assert ignored("dra-driver-nvidia-gpu", {key: {"a": "b"}}, version="0.5.0") == {key: f"Use kubeletPlugin.{key}"}


def test_values_of_another_chart_are_named_as_such():
    values = {"migStrategy": "single", "deviceListStrategy": "envvar", "gfd": {"enabled": True}, "config": {"name": "a"}}
    message = (
        "the chart dcgm-exporter reads none of its values deviceListStrategy, gfd and migStrategy: they are values of the chart "
        "nvidia-device-plugin. Helm reports no error"
    )

    assert said(checked("TG027", release("dcgm-exporter", {key: values[key] for key in list(values)[:3]}, version="4.8.2"))) == [
        ("warning", message)
    ]
    # One key that both read, or that neither does: each value is judged by itself.
    assert [each.severity for each in checked("TG027", release("dcgm-exporter", {**values, "image": {}}, version="4.8.2"))] == [
        "remark"
    ] * 4
    assert [each.severity for each in checked("TG027", release("dcgm-exporter", {**values, "zzz": {}}, version="4.8.2"))] == ["remark"] * 5
