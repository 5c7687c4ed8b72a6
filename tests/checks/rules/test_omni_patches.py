"""TG126 and TG127: resources of Omni that `omnictl apply` refuses, or that reach no machine."""

import pytest

from constructs_lib import GpuNodes
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text
from constructs_lib.talos import Schematic
from constructs_lib.talos.targets.omni import OmniTarget, omni_config_patch, omni_extensions

CLUSTER = "omni.sidero.dev/cluster: home"
PATCH = "data: 'machine: {kernel: {modules: [{name: nvidia}]}}'"
TYPE, NAMESPACE = "type: ConfigPatches.omni.sidero.dev", "namespace: default"


def findings(metadata, spec=PATCH):
    text = f"metadata:\n  id: 400-gpu\n{''.join(f'  {line}{chr(10)}' for line in metadata)}spec:\n  {spec}\n"
    return [(each.rule, str(each.severity), each.line, each.message) for each in run_rules(read_text(text), select=["TG126", "TG127"])]


def test_a_resource_without_a_type_is_refused_in_the_words_of_omnictl():
    assert findings([NAMESPACE, f"labels: {{{CLUSTER}}}"]) == [
        (
            "TG126",
            "error",
            1,
            "the resource of Omni has no type. omnictl apply fails: 'no resource is registered for the resource type '",
        )
    ]


def test_a_type_of_kubernetes_form_is_refused_too_and_the_fix_has_the_kind_of_the_spec():
    inputs = read_text(
        f"metadata: {{type: ExtensionsConfiguration, namespace: default, labels: {{{CLUSTER}}}}}\nspec: {{extensions: [siderolabs/zfs]}}"
    )
    [finding] = run_rules(inputs, select=["TG126"])

    assert finding.message.endswith("'no resource is registered for the resource type ExtensionsConfiguration'")
    assert finding.fix == "Set metadata: {type: ExtensionsConfigurations.omni.sidero.dev}"


@pytest.mark.parametrize(("namespace", "words", "line"), [("id: 400-gpu", "no namespace", 1), ("namespace: omni", "the namespace omni", 4)])
def test_a_resource_outside_of_the_namespace_reaches_no_machine(namespace, words, line):
    assert findings([TYPE, namespace, f"labels: {{{CLUSTER}}}"]) == [
        (
            "TG127",
            "warning",
            line,
            f"the resource of Omni has {words}. Omni takes ConfigPatches from the namespace default alone, so the resource reaches no machine",
        )
    ]


@pytest.mark.parametrize(
    "labels", ["{}", "{app: gpu}", "{omni.sidero.dev/machine-set: home-gpu}", "{omni.sidero.dev/cluster-machine: uuid-1}"]
)
def test_labels_without_a_cluster_or_a_machine_reach_no_machine(labels):
    assert findings([TYPE, NAMESPACE, f"labels: {labels}"]) == [
        (
            "TG127",
            "warning",
            5,
            "the resource of Omni has no label omni.sidero.dev/cluster or omni.sidero.dev/machine, so it reaches no machine",
        )
    ]


def test_a_resource_without_labels_is_read_as_a_patch_of_unknown_nodes():
    [config] = read_text(f"metadata: {{id: a, {TYPE}, {NAMESPACE}}}\nspec: {{{PATCH}}}").node_configs

    assert (config.scope, config.name, config.kernel_modules) == ("patch", "a", ("nvidia",))


@pytest.mark.parametrize(
    "metadata",
    [
        [TYPE, NAMESPACE, f"labels: {{{CLUSTER}, omni.sidero.dev/machine-set: home-gpu}}"],
        [TYPE, NAMESPACE, "labels: {omni.sidero.dev/machine: uuid-1}"],
        ["type: '${TYPE}'", "namespace: '${NAMESPACE}'", "labels: {omni.sidero.dev/cluster: '${CLUSTER}'}"],
        ["${METADATA}: a", f"labels: {{{CLUSTER}}}"],
    ],
)
def test_a_whole_resource_and_one_with_placeholders_are_no_finding(metadata):
    assert findings(metadata) == []


def test_what_this_library_makes_is_no_finding():
    target = OmniTarget(cluster="home", machine_set="home-gpu")
    made = omni_config_patch("machine: {sysctls: {a: '1'}}", target=target)
    made += "---\n" + omni_extensions(Schematic(nodes=GpuNodes(talos_version="1.13")), target=target)

    assert run_rules(read_text(made), select=["TG126", "TG127"]) == []
