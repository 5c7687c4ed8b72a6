"""What is asked of everything that was read about the options and the configs of device plugins."""

import pytest
import yaml
from chart_checks import CDI, GIVEN, PLUGIN_IMAGE, config_map, daemon_set, plugin, plugin_pods, release

from constructs_lib.observed.agents.agents import GFD, PLUGIN
from constructs_lib.observed.agents.plugin_configs import config_choices, plugin_configs
from constructs_lib.observed.agents.plugin_options import options_of, plugin_options, strategies
from constructs_lib.observed.model import Unknown
from constructs_lib.observed.read.repository import read_text
from constructs_lib.upstream.nvidia.plugin_words import LIST_STRATEGY, MIG_STRATEGY

CONFIG = "version: v1\nflags: {migStrategy: none, plugin: {deviceListStrategy: envvar}}\n"


def inputs_of(*documents, **given):
    return read_text("\n---\n".join(yaml.safe_dump(each) for each in documents), **given)


def options(*documents, **given):
    return [(each.written, each.value, each.wins, each.kind) for each in plugin_options(inputs_of(*documents, **given))]


# Options


def test_the_options_of_a_chart_are_its_values():
    assert options(plugin({"deviceListStrategy": "envvar", "migStrategy": "none", "gfd": {"enabled": True}})) == [
        ("deviceListStrategy", "envvar", True, PLUGIN),
        ("migStrategy", "none", True, PLUGIN),
    ]


def test_a_flag_is_above_a_variable_and_both_are_above_a_file():
    env = {"DEVICE_LIST_STRATEGY": "cdi-cri", "MIG_STRATEGY": "single", "OTHER": "x"}
    volume = {"volumes": [{"name": "config", "configMap": {"name": "config"}}]}
    pods = plugin_pods(env, container={"args": ["--device-list-strategy=envvar"]}, pod=volume)
    config = CONFIG.replace("migStrategy: none", "migStrategy: none, deviceDiscoveryStrategy: nvml")

    assert options(pods, config_map("config", {"config.yaml": config})) == [
        ("--device-list-strategy", "envvar", True, PLUGIN),
        ("DEVICE_LIST_STRATEGY", "cdi-cri", False, PLUGIN),
        ("MIG_STRATEGY", "single", True, PLUGIN),
        ("flags.plugin.deviceListStrategy", "envvar", False, PLUGIN),
        ("flags.deviceDiscoveryStrategy", "nvml", True, PLUGIN),
        ("flags.migStrategy", "none", False, PLUGIN),
    ]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--mig-strategy=mixed"], [("--mig-strategy", "mixed")]),
        (["--mig-strategy", "mixed", "--other"], [("--mig-strategy", "mixed")]),
        (["--mig-strategy"], [("--mig-strategy", "")]),
        (["--mig-strategy="], [("--mig-strategy", "")]),
        (["--mig-strategy=", "mixed"], [("--mig-strategy", "")]),
        (["mig-strategy", "mixed"], []),
    ],
)
def test_a_flag_has_its_value_behind_it(words, found):
    assert [(written, value) for written, value, _, _ in options(plugin_pods(container={"args": words}))] == found


def test_a_flag_that_is_filled_in_is_not_known():
    for words in (["--mig-strategy=${MIG}"], ["--mig-strategy", "${MIG}"]):
        assert [type(value) for _, value, _, _ in options(plugin_pods(container={"args": words}))] == [Unknown]


def test_the_operators_variables_and_what_it_sets_by_itself():
    env = [{"name": "DEVICE_ID_STRATEGY", "value": "index"}, {"name": "MIG_STRATEGY", "valueFrom": {"fieldRef": {}}}]
    values = {**CDI, "mig": {"strategy": "none"}, "devicePlugin": {"env": env, "config": {"name": "config", "default": "a"}}}

    found = options(values, config_map("config", {"a": CONFIG}), chart="gpu-operator")

    assert found == [
        ("DEVICE_ID_STRATEGY", "index", True, PLUGIN),
        ("mig.strategy", "none", True, PLUGIN),
        ("flags.plugin.deviceListStrategy", "envvar", False, PLUGIN),
        ("flags.migStrategy", "none", False, PLUGIN),
    ]


def test_a_strategy_of_nothing_leaves_it_to_the_file():
    values = {**CDI, "mig": {"strategy": ""}, "devicePlugin": {"config": {"name": "config", "default": "a"}}}

    found = options(values, config_map("config", {"a": CONFIG}), chart="gpu-operator")

    assert ("flags.migStrategy", "none", True, PLUGIN) in found
    assert ("flags.plugin.deviceListStrategy", "envvar", False, PLUGIN) in found
    assert ("flags.migStrategy", "none", False, PLUGIN) in options(
        {**values, "mig": {}}, config_map("config", {"a": CONFIG}), chart="gpu-operator"
    )
    # In a ClusterPolicy the field has no default.
    policy = {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {"name": "policy"}, "spec": {**values, "mig": {}}}
    assert ("flags.migStrategy", "none", True, PLUGIN) in options(policy, config_map("config", {"a": CONFIG}))


def test_the_options_of_feature_discovery_are_its_own():
    gfd = daemon_set(PLUGIN_IMAGE, name="gfd", env={"GFD_MIG_STRATEGY": "single"}, container={"command": ["gpu-feature-discovery"]})
    volume = {"volumes": [{"name": "config", "configMap": {"name": "config"}}]}
    gfd["spec"]["template"]["spec"].update(volume)

    assert options(gfd, config_map("config", {"a": CONFIG})) == [
        ("GFD_MIG_STRATEGY", "single", True, GFD),
        ("flags.plugin.deviceListStrategy", "envvar", True, PLUGIN),
        ("flags.migStrategy", "none", False, PLUGIN),
    ]
    # With a plugin that reads the same file it is the plugin that has to override it.
    assert ("flags.migStrategy", "none", True, PLUGIN) in options(gfd, plugin_pods(pod=volume), config_map("config", {"a": CONFIG}))


def test_the_options_of_one_reader():
    inputs = inputs_of(plugin({"deviceListStrategy": "envvar"}), plugin_pods({"DEVICE_LIST_STRATEGY": "cdi-cri"}))
    readers = {option.written: option.reader for option in plugin_options(inputs)}

    assert [option.value for option in options_of(inputs, readers["DEVICE_LIST_STRATEGY"], LIST_STRATEGY)] == ["cdi-cri"]
    assert options_of(inputs, readers["deviceListStrategy"], MIG_STRATEGY) == []


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("envvar", ["envvar"]),
        ("a,b", ["a", "b"]),
        (["a", "b"], ["a", "b"]),
        (Unknown("a,b"), []),
        (["a", Unknown("b")], ["a"]),
        (None, []),
        (1, []),
    ],
)
def test_the_words_of_a_strategy(value, words):
    assert strategies(value) == words


# Configs


def configs(*documents, **given):
    return [(each.key, bool(each.body), each.problem, len(each.readers)) for each in plugin_configs(inputs_of(*documents, **given))]


def test_configs_are_found_in_values_and_in_config_maps():
    held = plugin({"config": {"map": {"a": CONFIG, "b": CONFIG}}, "gfd": {"enabled": True}})
    named = plugin({"config": {"name": "config"}})

    assert configs(held) == [("a", True, "", 1), ("b", True, "", 1)]
    assert configs(named, config_map("config", {"a": CONFIG})) == [("a", True, "", 1)]
    assert configs(named, config_map("config", {"a": CONFIG}, "elsewhere")) == [("a", True, "", 0)]
    assert configs(named, config_map("other", {"a": CONFIG})) == [("a", True, "", 0)]
    assert configs(plugin({"config": {"name": GIVEN}}), config_map("config", {"a": CONFIG})) == [("a", True, "", 0)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("version: v1\nsharing: {}\n", True),
        ('{"version": "v1", "sharing": {}}', True),
        ('{"version": "v1", "flags": {}}', False),  # JSON of flags alone looks like anything
        ("version: v1\nflags: {}\n", True),
        ("version: v2\nsharing: {}\n", False),
        ("sharing: {}\n", False),
        ("version: v1\n", False),
        ("version: v1\nsharing: {}\nmig-configs: {}\n", False),
        ("version: v1\nsharing: [", False),
        ("text", False),
    ],
)
def test_a_config_that_nobody_reads_is_known_by_its_keys(text, found):
    assert [key for key, *_ in configs(config_map("any", {"a": text}))] == (["a"] if found else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("resources: {}\n", True),
        ("version: v2\n", True),
        ("imex: {}\n", True),
        ("other: {}\n", False),
        ("", False),
        ("[", True),
        ("text", True),
    ],
)
def test_a_config_that_a_chart_reads_may_be_anything(text, found):
    read = configs(plugin({"config": {"name": "config"}}), config_map("config", {"a": text}))

    assert [key for key, *_ in read] == (["a"] if found else [])


def test_the_plugin_of_a_chart_stands_for_its_parts():
    read = plugin({"config": {"name": "config"}, "gfd": {"enabled": True}})
    gfd = daemon_set(PLUGIN_IMAGE, container={"command": ["gpu-feature-discovery"]}, pod={"volumes": [{"configMap": {"name": "config"}}]})
    exporter = daemon_set("dcgm-exporter", name="exporter", pod={"volumes": [{"configMap": {"name": "config"}}]})

    assert configs(read, config_map("config", {"a": CONFIG})) == [("a", True, "", 1)]
    assert configs(read, gfd, exporter, config_map("config", {"a": CONFIG})) == [("a", True, "", 2)]


def choices(*documents, **given):
    return [(each.name, each.default, each.keys) for each in config_choices(inputs_of(*documents, **given))]


def test_a_reader_chooses_among_keys():
    data = config_map("config", {"a": CONFIG, "b": CONFIG})

    assert choices(plugin({"config": {"map": {"a": CONFIG}, "default": "a"}})) == [(None, "a", ("a",))]
    assert choices(plugin({"config": {"name": "config"}}), data) == [("config", None, ("a", "b"))]
    assert choices(plugin({"config": {"name": "config"}})) == [("config", None, None)]
    assert choices(plugin({"config": {"name": ""}}), data) == []
    assert choices(plugin({})) == []
    assert choices(plugin_pods(pod={"volumes": [{"configMap": {"name": "config"}}]}), data) == []
    assert choices(release("gpu-feature-discovery", {"config": {"name": "config"}}), data) == []


def test_the_operator_holds_what_it_creates():
    config = {"name": "config", "data": {"a": CONFIG}, "default": "a"}

    assert choices({"devicePlugin": {"config": {**config, "create": True}}}, chart="gpu-operator") == [(None, "a", ("a",))]
    assert choices({"devicePlugin": {"config": config}}, chart="gpu-operator") == [("config", "a", None)]


def test_an_option_of_a_config_that_nobody_reads_is_in_a_file_and_counts():
    found = plugin_options(inputs_of(config_map("any", {"a": CONFIG})))

    assert [(each.written, each.reader, each.in_file, each.wins) for each in found] == [
        ("flags.plugin.deviceListStrategy", None, True, True),
        ("flags.migStrategy", None, True, True),
    ]


@pytest.mark.parametrize(
    ("name", "expected"), [("config", ("a",)), ("${NAME}", Unknown), ("plugin-${NAME}", None), ("conf${REST}", Unknown), ("other", None)]
)
def test_a_config_map_of_a_name_that_is_not_known_may_hold_the_configs(name, expected):
    values = {**CDI, "devicePlugin": {"config": {"name": "config", "default": "a"}}}
    release_of = release("gpu-operator", values)
    (choice,) = config_choices(inputs_of(release_of, config_map(name, {"a": CONFIG}, namespace=release_of["metadata"]["namespace"])))

    assert type(choice.keys) is expected if expected is Unknown else choice.keys == expected
