"""The rules on a device plugin's config: its text, in values and in ConfigMaps, and which one is taken."""

import pytest
import yaml
from chart_checks import (
    CDI,
    GIVEN,
    PLUGIN_IMAGE,
    checked,
    config_map,
    daemon_set,
    node,
    operator,
    plugin,
    plugin_pods,
    release,
    said,
    severities,
)

from constructs_lib import GpuNodes

GOOD = "version: v1\nsharing: {timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}}\n"


def shared(resource, block="timeSlicing", **rest):
    """The config that shares one resource."""
    more = "".join(f", {key}: {value}" for key, value in rest.items())
    return f"version: v1\nsharing: {{{block}: {{resources: [{resource}]{more}}}}}\n"


def with_config(text, **values):
    return plugin({"config": {"map": {"default": text}}, **values})


# The rule TG022: what ends the plugin


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (shared("{name: nvidia.com/gpu, replicas: 1}"), "sharing.timeSlicing.resources[0].replicas is 1 (number of replicas must be >= 2)"),
        (shared("{name: nvidia.com/gpu, replicas: 0}", "mps"), "sharing.mps.resources[0].replicas is 0 (number of replicas must be >= 2)"),
        (shared("{name: nvidia.com/gpu}"), "sharing.timeSlicing.resources[0] has no replicas (no replicas specified)"),
        (shared('{name: nvidia.com/gpu, replicas: "4"}'), "sharing.timeSlicing.resources[0].replicas is '4', but must be a whole number"),
        (shared("{name: nvidia.com/gpu, replicas: true}"), "sharing.timeSlicing.resources[0].replicas is True, but must be a whole number"),
        (shared("{replicas: 4}"), "sharing.timeSlicing.resources[0] has no name (no resource name specified)"),
        (
            shared("{name: nvidia.com/mig-1g.10gb+me, replicas: 4}"),
            ("sharing.timeSlicing.resources[0].name is 'nvidia.com/mig-1g.10gb+me', which is not a valid resource name; did you mean "
            "'nvidia.com/mig-1g.10gb.me'?"),
        ),
        ("version: v1\nsharing: {timeSlicing: {resources: []}}\n", "sharing.timeSlicing has no resources (no resources specified)"),
        ("version: v1\nsharing: {mps: {renameByDefault: true}}\n", "sharing.mps has no resources (no resources specified)"),
        (
            shared("{name: nvidia.com/gpu, replicas: 4}", renameByDefault='"true"'),
            "sharing.timeSlicing.renameByDefault is 'true', but must be true or false",
        ),
        ("version: v2\n", "version is 'v2', but the plugin knows only v1 (unknown version: v2)"),
        ("version: [v1\n", "line 2 is not valid YAML"),
        ("envvar\n", "the content is not a mapping"),
        (
            ("version: v1\nsharing:\n  timeSlicing: {resources: [{name: nvidia.com/gpu, replicas: 4}]}\n"
            "  mps: {resources: [{name: nvidia.com/gpu, replicas: 4}]}\n"),
            "sharing has both timeSlicing and mps, which exclude each other",
        ),
    ],
)  # fmt: skip
def test_what_the_plugin_can_t_read_ends_it(text, problem):
    assert said(checked("TG022", with_config(text))) == [("error", f"the plugin exits when it reads the config 'default': {problem}")]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "version: v1\n",
        "sharing: {timeSlicing: {resources: [{name: gpu, replicas: 2}]}}\n",  # both have a default
        shared("{name: nvidia.com/gpu, replicas: 4}", failRequestsGreaterThanOne="true"),
        "",
        GIVEN,
        f"version: v1\nsharing: {GIVEN}\n",
    ],
)
def test_what_the_plugin_can_read_is_right(text):
    assert checked("TG022", with_config(text)) == []


def test_a_config_is_found_wherever_it_is():
    bad = shared("{name: nvidia.com/gpu, replicas: 1}")
    create = {"create": True, "name": "sharing", "data": {"any": bad}}
    mounted = plugin_pods(pod={"volumes": [{"name": "config", "configMap": {"name": "sharing"}}]})
    projected = plugin_pods(pod={"volumes": [{"name": "config", "projected": {"sources": [{"configMap": {"name": "sharing"}}]}}]})

    assert operator("TG022", {**CDI, "devicePlugin": {"config": create}}) == ["error"]
    assert operator("TG022", {**CDI, "devicePlugin": {"config": {**create, "create": False}}}) == []
    assert severities("TG022", config_map("anything", {"any": bad})) == ["error"]
    for reader in (mounted, projected, plugin({"config": {"name": "sharing"}})):
        assert severities("TG022", reader, config_map("sharing", {"config.yaml": bad.replace("version: v1\n", "")})) == ["error"]
        assert severities("TG022", reader, config_map("sharing", {"config.yaml": bad.replace("version: v1\n", "")}, "elsewhere")) == []


def test_a_finding_is_at_the_line_of_the_config():
    bad = shared("{name: nvidia.com/gpu, replicas: 1}")
    held = {"devicePlugin": {"config": {"create": True, "name": "a", "data": {"good": GOOD, "bad": bad}}}}

    for each, chart in (
        (plugin({"config": {"map": {"good": GOOD, "bad": bad}}}), None),
        (held, "gpu-operator"),
        (config_map("a", {"bad": bad}), None),
    ):
        line = next(index for index, text in enumerate(yaml.safe_dump(each).splitlines(), 1) if text.strip().startswith("bad:"))
        assert [found.line for found in checked("TG022", each, chart=chart)] == [line]


def test_a_config_map_may_hold_something_else():
    mounted = plugin_pods(pod={"volumes": [{"name": "config", "configMap": {"name": "sharing"}}]})
    parted = "version: v1\nmig-configs: {gpu: [{devices: all, mig-enabled: false}]}\n"

    assert severities("TG022", mounted, config_map("sharing", {"mig-parted.yaml": parted, "run.sh": "echo", "good": GOOD})) == []
    assert severities("TG022", config_map("app", {"config.yaml": "version: v3\nflags: {a: b}\n"})) == []
    assert severities("TG022", plugin({"config": {"name": "sharing"}}), config_map("sharing", {"any": "echo"})) == ["error"]


# The rule TG023: what the plugin ignores


@pytest.mark.parametrize(
    ("resources", "severity"),
    [
        ("{nvidia.com/gpu: {pattern: '*'}}", "remark"),
        ("{gpus: [{pattern: '*', name: nvidia.com/gpu}]}", "remark"),
        ("{gpus: [{pattern: '*RTX 3090*', name: nvidia.com/rtx3090}, {pattern: '*', name: nvidia.com/gpu}]}", "warning"),
        ("{gpus: [{pattern: '*', name: gpu}]}", "warning"),
    ],
)
def test_ignored_resources_that_name_every_gpu_as_the_plugin_does_are_a_leftover(resources, severity):
    text = f"version: v1\nresources: {resources}\n"

    assert severities("TG023", plugin({"config": {"map": {"a": text}}})) == [severity]


@pytest.mark.parametrize(
    ("text", "what", "fix"),
    [
        (
            "version: v1\nresources: {gpus: [{pattern: '*', name: nvidia.com/a}]}\n",
            "resources at the top level",
            "Remove resources. To share GPUs, name the resource in sharing.timeSlicing.resources",
        ),
        (
            shared("{name: nvidia.com/gpu, replicas: 4, rename: nvidia.com/share}"),
            "sharing.timeSlicing.resources[0].rename",
            "Set sharing.timeSlicing.renameByDefault: true, which appends .shared, or remove rename",
        ),
        (
            shared("{name: nvidia.com/gpu, replicas: 4, devices: [0]}", "mps"),
            "sharing.mps.resources[0].devices",
            "Remove devices: the plugin shares every GPU of the node. Nodes that differ need configs of their own",
        ),
        ("version: v1\ntimeSlicing: {}\n", "timeSlicing", "Move timeSlicing to sharing.timeSlicing"),
        ("version: v1\nflag: {}\n", "flag", "Rename flag to flags"),
        ("version: v1\nsharing: {time-slicing: {}}\n", "sharing.time-slicing", "Rename time-slicing to timeSlicing"),
        ("version: v1\nmigStrategy: mixed\n", "migStrategy", "Move migStrategy to flags.migStrategy"),
        (
            f"{GOOD}flags: {{renameByDefault: true}}\n",
            "flags.renameByDefault",
            "Move flags.renameByDefault to sharing.timeSlicing.renameByDefault",
        ),
        (
            f"{shared('{name: nvidia.com/gpu, replicas: 4}', 'mps')}flags: {{renameByDefault: true}}\n",
            "flags.renameByDefault",
            "Move flags.renameByDefault to sharing.mps.renameByDefault",
        ),
        (
            shared("{name: nvidia.com/gpu, replicas: 4, failRequestsGreaterThanOne: true}"),
            "sharing.timeSlicing.resources[0].failRequestsGreaterThanOne",
            "Move sharing.timeSlicing.resources[0].failRequestsGreaterThanOne to sharing.timeSlicing.failRequestsGreaterThanOne",
        ),
        (
            shared("{name: nvidia.com/gpu, replicas: 4}", renamebydefault="true"),
            "sharing.timeSlicing.renamebydefault",
            "Rename renamebydefault to renameByDefault",
        ),
        (
            shared("{name: nvidia.com/gpu, replicas: 4, color: red}"),
            "sharing.timeSlicing.resources[0].color",
            "Remove color. The plugin knows name, rename, devices, replicas there",
        ),
    ],
)
def test_what_the_plugin_ignores_is_warned_of(text, what, fix):
    findings = checked("TG023", with_config(text))

    assert said(findings) == [("warning", f"the plugin ignores {what} in the config 'default'")]
    assert findings[0].fix == fix


@pytest.mark.parametrize(("renames", "name"), [("false", "nvidia.com/gpu.shared"), ("true", "nvidia.com/share")])
def test_another_name_than_the_default_is_ignored(renames, name):
    assert severities("TG023", with_config(shared(f"{{name: nvidia.com/gpu, replicas: 4, rename: {name}}}", renameByDefault=renames))) == [
        "warning"
    ]


@pytest.mark.parametrize(
    "text",
    [
        GOOD,
        "Version: v1\nFLAGS: {migstrategy: none, plugin: {PassDeviceSpecs: true}}\n",
        "version: v1\nflags: {migStrategy: none}\nimex: {required: false}\nresources: {}\n",
        shared("{name: nvidia.com/gpu, replicas: 4, devices: all, rename: nvidia.com/gpu.shared}", renameByDefault="true"),
    ],
)
def test_what_the_plugin_reads_is_right(text):
    assert checked("TG023", with_config(text)) == []


# The rule TG025: MPS

MPS = shared("{name: nvidia.com/gpu, replicas: 4}", "mps")
DISCOVERS = {"gfd": {"enabled": True}}


@pytest.mark.parametrize(("talos", "found"), [("1.11", ["warning"]), ("1.12", ["error"]), ("1.13", ["warning"]), (None, ["warning"])])
def test_mps_is_warned_of_and_an_error_on_talos_1_12(talos, found):
    assert severities("TG025", with_config(MPS, **DISCOVERS), talos=talos) == found
    assert severities("TG025", with_config(GOOD, **DISCOVERS), talos=talos) == []


def test_mps_and_partitions_exclude_each_other():
    message = (
        "the config 'default' shares GPUs by MPS beside MIG. The plugin exits with 'using --mig-strategy=mixed is not supported with MPS'"
    )

    assert said(checked("TG025", with_config(f"{MPS}flags: {{migStrategy: mixed}}\n"), talos="1.13")) == [("error", message)]
    assert said(checked("TG025", with_config(MPS, migStrategy="mixed"), talos="1.13")) == [("error", message)]
    assert severities("TG025", with_config(MPS, **DISCOVERS, migStrategy="single"), talos="1.13") == ["warning"]


@pytest.mark.parametrize(("replicas", "found"), [(48, ["warning"]), (49, ["error"])])
def test_mps_serves_48_clients(replicas, found):
    assert severities("TG025", with_config(shared(f"{{name: nvidia.com/gpu, replicas: {replicas}}}", "mps"), **DISCOVERS)) == found


def test_the_daemon_of_mps_waits_for_a_label():
    waits = (
        "shares GPUs by MPS, but nothing in these files sets the node label nvidia.com/mps.capable. Unless something else sets the label"
    )

    def message(*documents):
        return checked("TG025", *documents, talos="1.13")[0].message

    assert waits in message(with_config(MPS))
    assert waits not in message(with_config(MPS, **DISCOVERS))
    assert waits not in message(with_config(MPS), node(nodeLabels={"nvidia.com/mps.capable": "true"}))
    assert waits not in message(with_config(MPS), daemon_set(PLUGIN_IMAGE, container={"command": ["gpu-feature-discovery"]}))
    assert waits not in message(config_map("any", {"any": MPS}))
    pods = plugin_pods(pod={"volumes": [{"name": "config", "configMap": {"name": "any"}}]})
    assert waits not in message(pods, config_map("any", {"any": MPS}))
    assert waits not in message(plugin({"config": {"map": {"default": MPS}}}, valuesFrom=[{"kind": "Secret", "name": "values"}]))
    assert severities("TG025", with_config(MPS), talos="1.13") == ["warning"]


def test_the_operator_discovers_by_itself():
    config = {"create": True, "name": "sharing", "default": "any", "data": {"any": MPS}}
    values = {**CDI, "devicePlugin": {"config": config}}

    assert "DESIRED 0" not in checked("TG025", values, chart="gpu-operator@v26.7.0", talos="1.13")[0].message


# The rule TG024: which config is taken


def chosen(config, *beside, **given):
    return severities("TG024", plugin({"config": config}), *beside, **given)


A, B = {"a": GOOD}, {"b": GOOD}


@pytest.mark.parametrize(
    ("config", "found"),
    [
        ({"map": A}, []),
        ({"map": {**A, **B}}, ["error"]),
        ({"map": {**A, "default": GOOD}}, []),
        ({"map": {**A, **B}, "default": "b"}, []),
        ({"map": {**A, **B}, "default": "c"}, ["error"]),
        ({"map": {**A, **B}, "default": GIVEN}, []),
        ({"map": {**A, **B}, "fallbackStrategies": ["empty"]}, []),
        ({"map": A, "fallbackStrategies": ["named"]}, ["error"]),
        ({"map": {**A, "default": GOOD}, "fallbackStrategies": ["single"]}, ["error"]),
        ({}, []),
    ],
)
def test_one_of_the_configs_in_the_values_is_the_default(config, found):
    assert chosen(config) == found


def test_what_is_said_names_the_configs():
    assert said(checked("TG024", plugin({"config": {"map": {**A, **B}}}))) == [
        ("error", "config.default is not set for the configs 'a' and 'b': the chart refuses to render")
    ]
    findings = checked("TG024", plugin({"config": {"map": {"shared": GOOD, "whole": GOOD}, "default": "share"}}))
    assert said(findings) == [
        (
            "error",
            (
                "config.default is 'share', but the configs are 'shared' and 'whole'. The plugin's init container exits with 'specified "
                "config share does not exist'"
            ),
        )
    ]
    assert findings[0].fix == "Set config.default: shared"


@pytest.mark.parametrize(
    ("config", "data", "found"),
    [
        ({"name": "sharing"}, A, []),
        ({"name": "sharing"}, {**A, **B}, ["error"]),
        ({"name": "sharing", "default": "a"}, {**A, **B}, []),
        ({"name": "sharing", "default": "config.yaml"}, A, ["error"]),
    ],
)
def test_the_configs_of_a_config_map_are_its_keys(config, data, found):
    assert chosen(config, config_map("sharing", data)) == found


def test_a_finding_is_at_the_line_of_the_choice():
    def lines(config):
        text = yaml.safe_dump(plugin({"config": config})).splitlines()
        return [text[each.line - 1].strip() for each in checked("TG024", plugin({"config": config}))]

    assert lines({"map": {**A, **B}, "default": "c"}) == ["default: c"]
    assert lines({"map": {**A, **B}}) == ["config:"]


def test_a_default_that_is_a_config_is_no_name():
    assert said(checked("TG024", plugin({"config": {"name": "default", "default": GOOD}}))) == [
        ("error", "config.default holds YAML in place of the name of a config")
    ]


def test_a_config_map_that_was_not_read_is_missed_where_its_neighbours_were():
    assert chosen({"name": "sharing"}) == []
    assert chosen({"name": "sharing"}, config_map("other", {"a": "b"})) == ["warning"]
    assert chosen({"name": "sharing"}, config_map("other", {"a": "b"}, "elsewhere")) == []
    assert chosen({"name": GIVEN}, config_map("other", {"a": "b"})) == []


def test_nodes_that_choose_need_no_default_and_choose_what_is_there():
    def labelled(value):
        return node(nodeLabels={"nvidia.com/device-plugin.config": value})

    assert chosen({"map": {**A, **B}}, labelled("a")) == []
    assert said(checked("TG024", plugin({"config": {"map": A}}), labelled("b"))) == [
        (
            "error",
            (
                "the node label nvidia.com/device-plugin.config=b names none of the configs 'a'. On these nodes the plugin's init "
                "container exits with 'specified config b does not exist'"
            ),
        )
    ]


def of_operator(config, *beside, **given):
    return operator("TG024", {**CDI, "devicePlugin": {"config": config}}, *beside, **given)


def test_data_without_create_is_no_config_map():
    # A file of values has no namespace, so that any ConfigMap of the name is the one.
    data = {"name": "sharing", "default": "a", "data": A}

    assert of_operator(data) == ["error"]
    assert of_operator({**data, "create": True}) == []
    assert of_operator(data, config_map("sharing", A)) == []
    assert of_operator({**data, "create": GIVEN}) == []


def test_without_a_default_the_operators_plugin_shares_nothing():
    config = {"name": "sharing"}
    nodes = [GpuNodes(talos_version="1.13", name="a"), GpuNodes(talos_version="1.13", name="b", labels={"role": "b"})]

    assert of_operator(config, config_map("sharing", A)) == ["warning"]
    assert of_operator({**config, "default": "a"}, config_map("sharing", A)) == []
    assert of_operator(config, config_map("sharing", {**A, **B}), nodes=nodes) == []
    assert of_operator({**config, "default": "z"}, config_map("sharing", A)) == ["error"]


def test_values_from_elsewhere_may_name_the_default():
    elsewhere = plugin({"config": {"map": {**A, **B}}}, valuesFrom=[{"kind": "Secret", "name": "values"}])

    assert severities("TG024", elsewhere) == []


# The rule TG116: a ConfigMap that nobody reads


def test_a_config_that_no_plugin_names_is_not_used():
    (found,) = checked("TG116", plugin({}), config_map("plugin-config", {"time-sliced": GOOD}))

    assert (str(found.severity), found.line, found.fix) == (
        "warning",
        found.line,
        "Set config.name: plugin-config and config.default: time-sliced in the values of the plugin",
    )
    assert found.message.endswith(
        "does not name the ConfigMap. The plugin runs without the config, and shares no GPU: each card counts once"
    )


def test_the_fix_is_for_the_one_who_should_read_the_config():
    orphan = config_map("plugin-config", {"time-sliced": GOOD})

    (of_operator,) = checked("TG116", release("gpu-operator", CDI), orphan)
    (of_pods,) = checked("TG116", daemon_set(PLUGIN_IMAGE), orphan)
    (elsewhere,) = checked("TG116", plugin({}, namespace="kube-system"), orphan)

    assert of_operator.fix == "Set devicePlugin.config.name: plugin-config and devicePlugin.config.default: time-sliced"
    assert of_pods.fix == "Mount the ConfigMap plugin-config in the plugin's pods, and set CONFIG_FILE to the path of time-sliced"
    assert elsewhere.fix.endswith(". Move the ConfigMap to the plugin's namespace, kube-system")


@pytest.mark.parametrize(
    "documents",
    [
        [config_map("plugin-config", {"time-sliced": GOOD})],
        [plugin({"config": {"name": "plugin-config"}}), config_map("plugin-config", {"time-sliced": GOOD})],
        # The other ConfigMap is a leftover, or an alternative: the plugin has a config.
        [plugin({"config": {"name": "other"}}), config_map("plugin-config", {"time-sliced": GOOD})],
        [plugin({"config": {"name": GIVEN}}), config_map("plugin-config", {"time-sliced": GOOD})],
        [plugin({"config": GIVEN}), config_map("plugin-config", {"time-sliced": GOOD})],
        [with_config(GOOD), config_map("plugin-config", {"time-sliced": GOOD})],
        [plugin({}), config_map("plugin-config", {"config.yaml": "version: v1\nmig-configs: {all-disabled: []}\nsharing: {}\n"})],
        [plugin({}), config_map("plugin-config", {"values.yaml": "replicas: 4\n"})],
        [
            plugin({}),
            config_map("plugin-config", {"time-sliced": GOOD}),
            release(GIVEN, {}, version="1.0.0"),
        ],
        [plugin({}, valuesFrom=[{"kind": "Secret", "name": "more"}]), config_map("plugin-config", {"time-sliced": GOOD})],
        [release("gpu-operator", {**CDI, "devicePlugin": {"enabled": False}}), config_map("plugin-config", {"time-sliced": GOOD})],
        [
            release("gpu-operator", {**CDI, "devicePlugin": {"config": {"name": "plugin-config"}}}),
            config_map("plugin-config", {"time-sliced": GOOD}),
        ],
        # What can't be read may be a plugin that reads it.
        [plugin({}), config_map("plugin-config", {"time-sliced": GOOD}), release("gpu-${KIND}", {}, version="1.0.0")],
        [plugin({}), config_map("plugin-config", {"time-sliced": GOOD}), daemon_set(GIVEN)],
        [
            plugin({}),
            {**plugin({"config": {"name": "plugin-${NAME}"}}), "metadata": {"name": "other", "namespace": "gpu"}},
            config_map("plugin-config", {"time-sliced": GOOD}),
        ],
        # Another plugin for NVIDIA's GPUs may read it through the API.
        [
            plugin({}),
            config_map("plugin-config", {"time-sliced": GOOD}),
            daemon_set(
                "ghcr.io/me/nvidia-jetson:1", pod={"volumes": [{"name": "s", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}]}
            ),
        ],
        # Somebody's own pods read it.
        [
            plugin({}),
            config_map("plugin-config", {"time-sliced": GOOD}),
            daemon_set("busybox", pod={"volumes": [{"name": "c", "configMap": {"name": "plugin-config"}}]}),
        ],
    ],
)
def test_a_config_that_somebody_reads_or_may_read_is_used(documents):
    assert severities("TG116", *documents) == []
