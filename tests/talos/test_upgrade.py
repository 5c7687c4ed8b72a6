"""The plan of an upgrade: between any two released Talos, by either route, and what its commands are worth in a shell."""

import dataclasses
import hashlib
import itertools
import json
import re
import shlex
import subprocess
import warnings
from collections import Counter

import attrs
import pytest

from conftest import message
from constructs_lib import Dra, GpuNodes, Mps, Taint, TalosGpuWarning, TimeSlicing, cli
from constructs_lib.talos import (
    ExistingSchematic,
    MachineConfigPatch,
    Overlay,
    Schematic,
    SecureBoot,
    TalosVersion,
    UpgradePlan,
    UpgradeStep,
)
from constructs_lib.talos.upgrade.step import UpgradeAction, UpgradePhase, UpgradeRoute
from constructs_lib.upstream.talos import releases as talos_releases
from constructs_lib.upstream.talos.releases import READ_ON
from frozen_releases import PREVIEW, TALOS

RELEASED = [talos for talos in TALOS if talos != PREVIEW]
PAIRS = list(itertools.combinations(RELEASED, 2))
ROUTES = list(itertools.product(["standalone", "operator"], repeat=2))
EVERY_PLAN = [(old, new, *routes) for (old, new), routes in itertools.product(PAIRS, ROUTES)]
PHASES = ["before", "upgrade", "after", "rest", "cluster"]
SHELL_VARIABLES = {"NODE", "ADDRESS", "RELEASE", "KIND", "NAME", "NAMESPACE", "CONTROL_PLANE", "MANIFESTS"}
# The subcommands of talosctl and the flags that they have (siderolabs/talos v1.14.0-rc.1 cmd/talosctl/cmd/talos; --nodes is every command's).
TALOSCTL = {
    "upgrade": {"--nodes", "--image", "--drain-timeout"},
    "upgrade-k8s": {"--nodes", "--to"},
    "get": {"--nodes", "-o"},
    "read": {"--nodes"},
    "list": {"--nodes"},
    "service": {"--nodes"},
    "etcd": {"--nodes"},
    "health": {"--nodes"},
    "patch": {"--nodes", "--patch"},
}
VALIDATOR_LABEL = "nvidia.com/gpu.deploy.operator-validator"

KUBERNETES_31 = "Upgrade Kubernetes to 1.31 or newer."
NEW_DRIVER = "Check that your images run on the new driver."
IMAGE = "Compare the new image with that of the node."
GRUB = "Find nodes that boot by GRUB."
READY = "Check that the node can be drained."
NAMED = "Name the new image in the machine configuration."
EXEC = "Find exec probes and hooks of GPU containers."
GLIBC = "Remove every reference to /usr/local/glibc."
BRIDGE = "Remove the validation bridge."
PLUGIN = "Uninstall the device plugin."
RUNTIME_CLASS = "Delete the RuntimeClass nvidia."
OPERATOR = "Uninstall the GPU operator."
LOADED = "Check that the driver is loaded."
BPF = "Remove the setting net.core.bpf_jit_harden."
VALIDATOR = "Enable the operator's validator again."
LABEL_OFF = "Remove the label of the operator's validator."
NO_VALIDATOR = "Disable the operator's validator on the nodes."
CDI = "Check that the node has a CDI specification."
FORMS = "Keep the fields of the machine configuration, or move all of them to documents."
OFFERED = "Check that the node advertises its GPUs."
PROVEN = "Prove that a pod on the node runs CUDA."
RESTART = "Restart the GPU pods that are older than the change."


@pytest.fixture(autouse=True)
def _frozen(monkeypatch):
    monkeypatch.setattr(talos_releases, "TALOS", TALOS)
    monkeypatch.setattr(talos_releases, "PREVIEW", PREVIEW)


def upgrade(talos):
    return f"Upgrade one node of the class to Talos {talos}."


def others(talos):
    return f"Upgrade the other nodes of the class to Talos {talos}."


def snapshot(talos):
    return f"Save etcd of Talos {talos}."


def synthesize(talos):
    return f"Apply the manifests for Talos {talos}."


def plan(old="1.12.12", new="1.13.12", route="standalone", new_route=None, **nodes):
    return UpgradePlan(nodes=GpuNodes(talos_version=old, **nodes), to=new, route=route, new_route=new_route)


def titles(made):
    return [step.title for step in made.steps]


def step(made, title, hop=None):
    (found,) = [each for each in made.steps if each.title == title and hop in (None, each.hop)]
    return found


def has(made, title):
    return title in titles(made)


def words(command):
    return shlex.split(command, comments=True)


def commands(made):
    return [command for each in made.steps for command in each.commands]


def patches(made):
    """The machine configuration patches that a plan's commands hold, without those that name the image."""
    found = [json.loads(line[line.index("--patch") + 1]) for line in map(words, commands(made)) if "--patch" in line]
    return [patch for patch in found if "install" not in patch["machine"]]


def leaves(value):
    """What is not a mapping that only leads on: each `{"$patch": "delete"}`, whole."""
    if isinstance(value, dict) and "$patch" not in value:
        return [leaf for item in value.values() for leaf in leaves(item)]
    return [value]


# A plan for every pair, both routes, and every change of route


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_a_plan_goes_one_minor_at_a_time_by_the_newest_patch_of_each(old, new, route, new_route):
    between = RELEASED[RELEASED.index(old) + 1 : RELEASED.index(new) + 1]
    stops = [old, *(TALOS[talos].newest for talos in between)]
    hops = list(dict.fromkeys(each.hop for each in plan(old, new, route, new_route).steps))

    assert hops == [f"{before} → {after}" for before, after in itertools.pairwise(stops)]


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_every_hop_has_one_upgrade_with_the_rest_before_and_after_it(old, new, route, new_route):
    for _, steps in itertools.groupby(plan(old, new, route, new_route).steps, key=lambda each: each.hop):
        phases = [each.phase for each in steps]

        assert phases == sorted(phases, key=PHASES.index)
        assert (phases.count("upgrade"), phases.count("rest")) == (1, 1)
        assert set(phases) >= set(PHASES) - {"cluster"}


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_every_step_says_what_and_why_in_sentences_and_has_a_command(old, new, route, new_route):
    for each in plan(old, new, route, new_route).steps:
        assert isinstance(each, UpgradeStep)
        assert isinstance(each.phase, UpgradePhase)
        assert isinstance(each.action, UpgradeAction)
        assert re.fullmatch(r"[A-Z].*\.", each.title)
        assert re.fullmatch(r"[A-Z].*\.", each.reason)
        assert not each.check.endswith(".")
        assert each.commands
        assert all(command.strip() == command != "" for command in each.commands)


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_no_text_and_no_command_holds_what_python_left_unresolved(old, new, route, new_route):
    for each in plan(old, new, route, new_route).steps:
        for said in (each.title, each.reason, each.check, each.way_back, *each.commands):
            # `{end}` is kubectl's.
            assert set(re.findall(r"\{[a-zA-Z_]\w*(?:\.\w+)*\}", said)) <= {"{end}"}
            assert not re.search(r"\bNone\b|\bTrue\b|\bFalse\b|<[\w.]+|\bself\b", said)
        for command in each.commands:
            assert set(re.findall(r"\$\{?(\w+)", command)) <= SHELL_VARIABLES | ({"patch"} if "--patch" in command else set())


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_every_command_is_one_of_a_known_tool_with_flags_that_it_has(old, new, route, new_route):
    for command in commands(plan(old, new, route, new_route)):
        first = words(command.partition(" | ")[0])

        assert first[0] in {"kubectl", "talosctl", "helm", "curl", "cdk8s", "talos-gpu", "export"}
        if first[0] == "talosctl":
            (subcommand,) = [word for word in first if word in TALOSCTL][:1]
            assert {word for word in first if word.startswith("-")} <= TALOSCTL[subcommand]
            assert "--nodes" in first


@pytest.mark.parametrize(("route", "new_route"), ROUTES)
def test_a_shell_can_read_every_command(route, new_route):
    script = "\n".join(commands(plan("1.8", "1.14", route, new_route)))

    assert len(script.splitlines()) > 60
    assert subprocess.run(["sh", "-n"], input=script, capture_output=True, text=True, check=False).stderr == ""


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_every_jsonpath_closes_what_it_opens(old, new, route, new_route):
    for command in commands(plan(old, new, route, new_route)):
        for path in re.findall(r"jsonpath='([^']*)'", command):
            assert re.fullmatch(r"(\{[^{}]+\})+", path)


@pytest.mark.parametrize(("route", "new_route"), ROUTES)
def test_every_patch_is_of_machine_and_takes_something_away_after_the_move(route, new_route):
    found = patches(plan("1.8", "1.14", route, new_route))

    assert len(found) >= 1
    assert {key for patch in found for key in patch} == {"machine"}
    assert [leaf for patch in found for leaf in leaves(patch)] == [{"$patch": "delete"}] * len(found)


# From 1.12 to 1.13, where the driver's libraries move


def test_to_1_13_by_the_standalone_plugin():
    made = plan()

    assert titles(made) == [
        snapshot("1.12.12"), KUBERNETES_31, NEW_DRIVER, IMAGE, GLIBC, READY, upgrade("1.13.12"), LOADED, NAMED, BPF, CDI, OFFERED, PROVEN, others("1.13.12"),
    ]  # fmt: skip
    assert [str(each.phase) for each in made.steps] == ["before"] * 6 + ["upgrade"] + ["after"] * 6 + ["rest"]
    assert [str(each.action) for each in made.steps] == [
        "check", "check", "check", "check", "remove", "check", "apply", "check", "change", "change", "check", "check", "check", "apply",
    ]  # fmt: skip
    assert {each.hop for each in made.steps} == {"1.12.12 → 1.13.12"}


def test_to_1_13_by_the_operator():
    assert titles(plan(route="operator")) == [
        snapshot("1.12.12"), KUBERNETES_31, NEW_DRIVER, IMAGE, GLIBC, BRIDGE, READY, upgrade("1.13.12"), LOADED, NAMED, BPF, VALIDATOR, CDI, others("1.13.12"),
        synthesize("1.13.12"), OFFERED, PROVEN,
    ]  # fmt: skip


def test_to_1_13_from_the_plugin_to_the_operator():
    made = plan(new_route="operator")

    assert titles(made) == [
        snapshot("1.12.12"), KUBERNETES_31, NEW_DRIVER, IMAGE, GLIBC, READY, upgrade("1.13.12"), LOADED, NAMED, BPF, CDI, OFFERED, PROVEN, others("1.13.12"),
        PLUGIN, RUNTIME_CLASS, synthesize("1.13.12"), OFFERED, RESTART,
    ]  # fmt: skip
    assert [each.title for each in made.steps if each.action == "remove"] == [GLIBC, PLUGIN, RUNTIME_CLASS]


def test_to_1_13_from_the_operator_to_the_plugin():
    made = plan(route="operator", new_route="standalone")

    assert titles(made) == [
        snapshot("1.12.12"), KUBERNETES_31, NEW_DRIVER, IMAGE, GLIBC, BRIDGE, OPERATOR, synthesize("1.12.12"), OFFERED, RESTART, LABEL_OFF,
        READY, upgrade("1.13.12"), LOADED, NAMED, BPF, CDI, OFFERED, PROVEN, others("1.13.12"),
    ]  # fmt: skip


def test_what_is_said_of_the_validator_fits_the_route_that_the_nodes_go_to():
    assert step(plan(route="operator"), VALIDATOR).reason.startswith(
        "Up to Talos 1.12 the validator could not succeed. Now every operand of the operator waits for the validator. "
    )
    # The operator is uninstalled before: there is no operand, and no validator to run again.
    made = plan(route="operator", new_route="standalone")
    assert "operand" not in made.markdown
    assert not has(made, VALIDATOR)
    assert step(made, LABEL_OFF).reason.startswith("Only the operator reads this label. ")
    assert step(made, LABEL_OFF).commands == step(plan(route="operator"), VALIDATOR).commands


LEFTOVERS = [
    "kubectl get daemonsets,deployments,statefulsets,jobs,cronjobs --all-namespaces -o yaml > workloads.yaml",
    "talos-gpu upgrade --talos 1.12.12 --to 1.13.12 --route operator --leftovers workloads.yaml",
]


def test_the_bridge_goes_with_the_label_that_it_carries_and_others_by_what_they_do():
    assert step(plan(route="operator"), BRIDGE).commands == (
        "kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-validation-bridge",
        *LEFTOVERS,
    )
    assert "by hand has another label; the last command finds it" in step(plan(route="operator"), BRIDGE).reason


def test_why_the_bridge_goes_depends_on_what_takes_its_place():
    made = plan("1.11", "1.12", route="operator", new_route="standalone")

    assert step(plan(route="operator"), BRIDGE).reason.startswith("From Talos 1.13 on the operator's validator finds the driver by itself")
    assert step(made, BRIDGE).reason.startswith("The bridge writes files for the operator's pods, and the operator is removed. ")


@pytest.mark.parametrize(("route", "new_route"), ROUTES)
def test_the_command_that_finds_leftovers_is_one_of_the_hop_and_the_routes(route, new_route, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "workloads.yaml").write_text("apiVersion: v1\nitems: []\nkind: List\n")
    made = plan("1.11.6", "1.14", route, new_route)
    (command,) = {each for each in step(made, GLIBC).commands if each.startswith("talos-gpu")}

    assert words(command)[:6] == ["talos-gpu", "upgrade", "--talos", "1.12.12", "--to", "1.13.12"]
    assert cli.main(words(command)[1:]) == 0
    assert capsys.readouterr().out == "# no leftovers\n"
    # The route that the nodes have while they are upgraded.
    assert command.count("standalone") == ("standalone" in (route, new_route))
    assert "--new-route" not in command


def test_the_plugin_and_its_runtime_class_go_by_name():
    made = plan(new_route="operator")

    assert step(made, PLUGIN).commands == (
        "helm list --all-namespaces | grep nvidia-device-plugin",
        "helm uninstall $RELEASE --namespace $NAMESPACE   # if Helm installed it; the next two commands delete plugins without Helm",
        "kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-device-plugin",
        "kubectl delete daemonset --all-namespaces --field-selector metadata.name=nvidia-device-plugin-daemonset",
        (
            "talos-gpu upgrade --talos 1.12.12 --to 1.13.12 --route standalone --new-route operator --leftovers PATH   # PATH: your "
            "repository, if a GitOps tool installs it"
        ),
    )
    assert step(made, RUNTIME_CLASS).commands == ("kubectl delete runtimeclass nvidia",)
    assert step(made, RUNTIME_CLASS).check == "kubectl get runtimeclass nvidia answers NotFound"


@pytest.mark.parametrize(
    ("title", "routes", "check"),
    [
        (
            GLIBC,
            ("standalone", "standalone"),
            "the first two commands print nothing, and the last command lists only objects that the next steps remove",
        ),
        (BRIDGE, ("operator", "operator"), "the last command lists no bridge"),
        (PLUGIN, ("standalone", "operator"), "kubectl get daemonsets --all-namespaces -o wide | grep k8s-device-plugin prints nothing"),
        (OPERATOR, ("operator", "standalone"), "the cluster has no ClusterPolicy and no RuntimeClass nvidia"),
        (VALIDATOR, ("operator", "operator"), f"the node has no label {VALIDATOR_LABEL}=false"),
    ],
)
def test_what_is_removed_says_how_that_is_seen(title, routes, check):
    assert step(plan("1.12.12", "1.13.12", *routes), title).check == check


PODS = 'kubectl get pods --all-namespaces -o jsonpath=\'{range .items[*]}{.metadata.namespace}{"/"}{.metadata.name}{"\\t"}{.spec}{"\\n"}{end}\''


def test_what_names_the_old_libraries_is_found_in_the_cluster_and_in_the_machine_configuration():
    assert step(plan(route="operator"), GLIBC).commands == (
        f"{PODS} | grep /usr/local/glibc | cut -f 1",
        "talosctl --nodes $ADDRESS get machineconfig v1alpha1 -o yaml | grep -nE '/usr/local/glibc|cdi_spec_dirs'",
        *LEFTOVERS,
    )


def test_the_sysctl_and_the_validators_label_are_taken_out_of_the_machine_configuration():
    assert patches(plan(route="operator")) == [
        {"machine": {"sysctls": {"net.core.bpf_jit_harden": {"$patch": "delete"}}}},
        {"machine": {"nodeLabels": {VALIDATOR_LABEL: {"$patch": "delete"}}}},
    ]
    assert patches(plan()) == [{"machine": {"sysctls": {"net.core.bpf_jit_harden": {"$patch": "delete"}}}}]
    assert "Without the setting Talos sets the value to 2 again." in step(plan(), BPF).reason
    assert step(plan(), BPF).check == "talosctl --nodes $ADDRESS read /proc/sys/net/core/bpf_jit_harden says 2"
    assert step(plan(route="operator"), VALIDATOR).commands[1] == (
        f"kubectl label node $NODE {VALIDATOR_LABEL}-   # on nodes that were labelled by hand"
    )


@pytest.mark.parametrize("title", [BPF, VALIDATOR])
def test_what_is_not_set_can_not_be_taken_away_and_the_step_says_so(title):
    made = step(plan(route="operator"), title)

    assert made.commands[0].endswith("  # on nodes with the setting")
    assert "On a node without the setting Talos answers 'lookup failed', and there is nothing to do." in made.reason


def test_what_is_taken_away_is_what_the_patch_of_the_old_talos_had_put_there():
    nodes = GpuNodes(talos_version="1.12.12")
    machine = MachineConfigPatch(nodes=nodes, operator=True).documents[0]["machine"]
    removed = {(part, key) for patch in patches(plan(route="operator")) for part, keys in patch["machine"].items() for key in keys}

    assert removed == {("sysctls", key) for key in machine["sysctls"]} | {("nodeLabels", key) for key in machine["nodeLabels"]}


def test_cdi_is_seen_where_the_extension_writes_it():
    made = step(plan(), CDI)

    assert made.commands == ("talosctl --nodes $ADDRESS service ext-nvidia-cdi-gen", "talosctl --nodes $ADDRESS list /run/cdi")
    assert made.check == "/run/cdi has the file nvidia.yaml"


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_what_belongs_to_the_move_of_the_libraries_is_in_that_hop_alone(old, new, route, new_route):
    made = plan(old, new, route, new_route)
    crosses = int(old.partition(".")[2]) <= 12 < int(new.partition(".")[2])
    crossing = [each for each in made.steps if each.title in {GLIBC, BPF, VALIDATOR, CDI}]

    assert [each.title for each in crossing] == (
        [GLIBC, BPF, VALIDATOR, CDI] if (route, new_route) == ("operator", "operator") else [GLIBC, BPF, CDI]
    ) * crosses
    assert {each.hop.rpartition(" ")[2] for each in crossing} == ({"1.13.12"} if crosses else set())


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_the_bridge_goes_where_the_libraries_move_or_the_operator_goes_before(old, new, route, new_route):
    oldest, newest = (int(talos.partition(".")[2]) for talos in (old, new))
    crosses, goes = oldest <= 12 < newest, newest <= 12 and new_route == "standalone"

    assert titles(plan(old, new, route, new_route)).count(BRIDGE) == (route == "operator" and (crosses or goes))


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_the_label_of_the_validator_goes_with_the_operator_that_needed_it(old, new, route, new_route):
    needed_it = RELEASED.index(old) <= RELEASED.index("1.12")

    assert titles(plan(old, new, route, new_route)).count(LABEL_OFF) == ((route, new_route) == ("operator", "standalone") and needed_it)


# From 1.13 to 1.14, where the configuration has another form


@pytest.mark.parametrize("route", ["standalone", "operator"])
def test_to_1_14_there_is_no_move_but_another_form_of_configuration(route):
    made = plan("1.13.12", "1.14", route)

    assert titles(made) == [
        snapshot("1.13.12"), "Upgrade Kubernetes to 1.32 or newer.", IMAGE, GRUB, READY, upgrade("1.14.6"), LOADED, NAMED, FORMS, OFFERED, PROVEN, others("1.14.6"),
    ]  # fmt: skip
    assert step(made, FORMS).commands[-1] == f"talos-gpu patch --talos 1.14.6 --style fields{' --operator' * (route == 'operator')}"
    assert step(made, FORMS).reason.endswith("Until all of them are moved, patch the node with --style fields.")
    assert step(made, FORMS).check == "the first command prints nothing, or the node has no KubeNodeConfig"


# siderolabs/talos v1.14.0-rc.1 pkg/machinery/config/types/k8s/node.go V1Alpha1ConflictValidate
@pytest.mark.parametrize(
    "field",
    [
        "machine.nodeLabels",
        "machine.nodeTaints",
        "machine.nodeAnnotations",
        "machine.kubelet.nodeIP",
        "machine.kubelet.skipNodeRegistration",
        "machine.kubelet.registerWithFQDN",
        "cluster.allowSchedulingOnControlPlanes",
        "cluster.allowSchedulingOnMasters",
    ],
)
def test_every_field_is_named_and_searched_that_the_new_document_is_refused_beside(field):
    made = step(plan("1.13.12", "1.14"), FORMS)
    printed = f"    {field.rpartition('.')[2]}: a\n"
    search = made.commands[0].rpartition(" | ")[2]

    assert re.search(rf"\b{re.escape(field)}[,.]", made.reason)
    assert subprocess.run(["sh", "-c", search], input=printed, capture_output=True, text=True, check=False).stdout == f"1:{printed}"


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_the_form_of_configuration_is_spoken_of_once_and_at_1_14_alone(old, new):
    assert titles(plan(old, new)).count(FORMS) == (new == "1.14")


@pytest.mark.parametrize(
    ("title", "given", "patch"),
    [
        (FORMS, {"old": "1.13.12", "new": "1.14"}, {"style": "fields"}),
        (NO_VALIDATOR, {"old": "1.11.6", "new": "1.12", "new_route": "operator"}, {"operator": True}),
    ],
)
def test_the_patch_that_a_step_prints_is_that_of_the_class(title, given, patch, capsys):
    made = plan(
        **given,
        name="rtx",
        labels={"role": "gpu", "zone": ""},
        taints=[Taint("dedicated", "ai"), Taint("gpu"), Taint("a", "", "NoExecute")],
    )
    command = step(made, title).commands[-1]

    assert cli.main(words(command)[1:]) == 0
    assert capsys.readouterr().out == MachineConfigPatch(nodes=made.nodes_after, **patch).text


# Every hop


def test_a_new_patch_alone_has_no_kubernetes_and_no_manifests():
    made = plan("1.13.8", "1.13.12")

    assert titles(made) == [snapshot("1.13.8"), IMAGE, GRUB, READY, upgrade("1.13.12"), LOADED, NAMED, OFFERED, PROVEN, others("1.13.12")]
    assert {each.hop for each in made.steps} == {"1.13.8 → 1.13.12"}


def test_1_14_to_a_patch_of_1_14_says_nothing_of_the_forms_of_configuration():
    assert titles(plan("1.14.0", "1.14.1")) == [
        snapshot("1.14.0"),
        IMAGE,
        GRUB,
        READY,
        upgrade("1.14.1"),
        LOADED,
        NAMED,
        OFFERED,
        PROVEN,
        others("1.14.1"),
    ]


def test_nodes_whose_patch_nobody_said_may_go_to_any_patch_of_their_minor():
    assert titles(plan("1.13", "1.13.0")) == [
        snapshot("1.13"),
        IMAGE,
        GRUB,
        READY,
        upgrade("1.13.0"),
        LOADED,
        NAMED,
        OFFERED,
        PROVEN,
        others("1.13.0"),
    ]
    assert plan("1.13", "1.13").to == TalosVersion(13, 12)


@pytest.mark.parametrize(
    ("old", "new"), [("1.13.8", "1.13.12"), ("1.8", "1.10"), ("1.10", "1.14"), ("1.13.12", "1.14"), ("1.11.6", "1.14")]
)
def test_the_device_plugin_stays_for_all_upgrades_and_gives_way_to_the_operator_after_them(old, new):
    made = plan(old, new, "standalone", "operator")
    last = [each.title for each in made.steps if each.phase == "cluster"]

    assert [title for title in last if title != NO_VALIDATOR] == [PLUGIN, RUNTIME_CLASS, synthesize(made.to), OFFERED, RESTART]
    assert titles(made)[-len(last) :] == last
    assert [title for title in titles(made) if title in last].count(PLUGIN) == 1


@pytest.mark.parametrize(
    ("old", "new"), [("1.13.8", "1.13.12"), ("1.8", "1.10"), ("1.10", "1.14"), ("1.13.12", "1.14"), ("1.11.6", "1.14")]
)
def test_the_operator_gives_way_to_the_device_plugin_before_the_first_upgrade(old, new):
    made = plan(old, new, "operator", "standalone")
    first_upgrade = next(each.number for each in made.steps if each.phase == "upgrade")

    assert step(made, OPERATOR).number < step(made, synthesize(TalosVersion.parse("old", old))).number < first_upgrade
    assert [title for title in titles(made) if title.startswith("Apply the manifests")] == [synthesize(old)]


def test_the_device_plugin_gives_way_on_1_14_where_only_the_operator_works_afterwards():
    with pytest.warns(TalosGpuWarning, match="is a beta"):
        made = plan("1.12.12", "1.15", "standalone", "operator")
    upgrades = [each.number for each in made.steps if each.phase == "upgrade"]

    assert upgrades[1] < step(made, PLUGIN).number < step(made, synthesize("1.14.6")).number < upgrades[2]
    assert step(made, PLUGIN).hop == "1.14.6 → 1.15.0-beta.0"


def test_a_route_that_stays_removes_nothing_of_it():
    for route in ("standalone", "operator"):
        assert not {PLUGIN, RUNTIME_CLASS, OPERATOR, NO_VALIDATOR} & set(titles(plan("1.8", "1.14", route)))


def test_before_1_13_the_operator_comes_with_a_label_that_keeps_its_validator_away():
    made = plan("1.11", "1.12", new_route="operator")

    assert step(made, NO_VALIDATOR).check == f"the node has the label {VALIDATOR_LABEL}=false"
    # The label alone: a taint of the whole patch would be twice in its list, and Kubernetes would refuse the node.
    assert patches(made) == [{"machine": {"nodeLabels": {VALIDATOR_LABEL: "false"}}}]
    assert step(made, NO_VALIDATOR).commands == (
        f'talosctl --nodes $ADDRESS patch machineconfig --patch \'{{"machine": {{"nodeLabels": {{"{VALIDATOR_LABEL}": "false"}}}}}}\'',
        "talos-gpu patch --talos 1.12.12 --operator",
    )
    assert titles(made).index(NO_VALIDATOR) < titles(made).index(synthesize("1.12.12"))
    assert not has(plan("1.13.8", "1.13.12", new_route="operator"), NO_VALIDATOR)
    assert not has(plan("1.11", "1.12", route="operator", new_route="standalone"), NO_VALIDATOR)


def test_the_bridge_goes_with_the_operator_before_1_13_too():
    assert has(plan("1.11", "1.12", route="operator", new_route="standalone"), BRIDGE)


def test_the_operator_is_uninstalled_with_what_it_was_told():
    assert step(plan("1.13.8", "1.13.12", "operator", "standalone"), OPERATOR).commands == (
        "helm list --all-namespaces | grep gpu-operator",
        "helm uninstall $RELEASE --namespace $NAMESPACE   # if Helm installed it",
        "kubectl delete clusterpolicies.nvidia.com --all",
        (
            "talos-gpu upgrade --talos 1.13.8 --to 1.13.12 --route operator --new-route standalone --leftovers PATH   # PATH: your "
            "repository, if a GitOps tool installs it"
        ),
    )


@pytest.mark.parametrize(
    ("new", "route", "said"),
    [
        ("1.13", "operator", "NvidiaGpuOperator sets the chart values for this Talos; the chart must be v26.3.1 or newer."),
    ],
)
def test_what_is_applied_afterwards_depends_on_the_route_and_the_generation(new, route, said):
    talos = TALOS[new].newest
    made = step(plan("1.11", new, route), synthesize(talos))

    assert made.reason.startswith(
        f"With this library: set the Talos version {talos} in your app or cluster file, synthesize, and apply the output. {said} Without this library: set the chart "
        "values by hand, and run talos-gpu check on them. "
    )
    assert made.commands == (
        f'talos-gpu check "$MANIFESTS" --talos {talos}',
        'kubectl apply --server-side --recursive --filename "$MANIFESTS"',
        "kubectl get pods --all-namespaces --selector talos-gpu/class=default --output wide",
    )


def test_nodes_with_claims_keep_their_gpus_when_the_route_changes_and_no_pod_is_restarted():
    nodes = GpuNodes(talos_version="1.13.12", dra=Dra(share="claim"))
    made = UpgradePlan(nodes=nodes, to="1.14.6", new_route="operator")

    assert has(made, RUNTIME_CLASS)
    assert not {PLUGIN, RESTART} & set(titles(made))
    assert [outage.nodes for outage in made.outages] == ["one node at a time"]


@pytest.mark.parametrize(
    ("old", "new", "route", "new_route", "said"),
    [
        (
            "1.11",
            "1.12",
            "standalone",
            "operator",
            (
                "NvidiaGpuOperator sets the chart values for this Talos; the chart must be v25.3.0 or newer. NvidiaGpuOperator adds "
                "the validation bridge, which writes the files that the operator's pods wait for."
            ),
        ),
        (
            "1.12",
            "1.13",
            "standalone",
            "operator",
            "NvidiaGpuOperator sets the chart values for this Talos; the chart must be v26.3.1 or newer.",
        ),
        ("1.11", "1.12", "operator", "standalone", "StandaloneDevicePlugin and NvidiaRuntimeClass replace the operator."),
        ("1.12", "1.13", "operator", "standalone", "StandaloneDevicePlugin and NvidiaRuntimeClass replace the operator."),
    ],
)
def test_what_comes_with_another_route_is_said(old, new, route, new_route, said):
    talos = old if new_route == "standalone" else TALOS[new].newest
    made = step(plan(old, new, route, new_route), synthesize(talos))

    assert f" and apply the output. {said} Without this library: " in made.reason


def test_the_exec_that_fails_is_spoken_of_on_the_way_to_1_12_alone():
    made = plan("1.11", "1.12")

    assert [each.title for each in made.steps if each.phase == "before"] == [
        snapshot("1.11"),
        "Upgrade Kubernetes to 1.30 or newer.",
        IMAGE,
        EXEC,
        READY,
    ]
    assert "siderolabs/extensions#940" in step(made, EXEC).reason
    assert [pair for pair in PAIRS if has(plan(*pair), EXEC)] == [
        pair for pair in PAIRS if RELEASED.index(pair[0]) < RELEASED.index("1.12") <= RELEASED.index(pair[1])
    ]
    assert not has(plan("1.12.8", "1.12.12"), EXEC)


def spec(**container):
    return {"containers": [{"name": "main", "resources": {"limits": {"nvidia.com/gpu": "1"}}, **container}]}


def pods_named(command, specs):
    """Which pods the rest of a command picks from what kubectl prints for `PODS`."""
    assert command.startswith(f"{PODS} | ")
    printed = "".join(f"gpu/{name}\t{json.dumps(each, separators=(',', ':'))}\n" for name, each in specs.items())
    return subprocess.run(
        ["sh", "-c", command.partition(" | ")[2]], input=printed, capture_output=True, text=True, check=False
    ).stdout.split()


def test_probes_and_hooks_that_exec_into_a_gpu_container_are_found_by_their_pod():
    found = pods_named(
        step(plan("1.11", "1.12"), EXEC).commands[0],
        {
            "probe": spec(livenessProbe={"exec": {"command": ["true"]}}),
            "hook": spec(lifecycle={"postStart": {"exec": {"command": ["true"]}}}),
            "http": spec(livenessProbe={"httpGet": {"path": "/"}}, lifecycle={"preStop": {"httpGet": {"path": "/"}}}),
            "says-so": spec(args=['{"exec": 1}']),
            "no-gpu": {"containers": [{"name": "main", "livenessProbe": {"exec": {"command": ["true"]}}}]},
        },
    )

    assert found == ["gpu/probe", "gpu/hook"]


def test_pods_that_name_the_old_libraries_are_found_by_their_name():
    found = pods_named(
        step(plan(), GLIBC).commands[0],
        {
            "path": {"containers": [], "volumes": [{"hostPath": {"path": "/usr/local/glibc/usr/lib"}}]},
            "variable": spec(env=[{"name": "LD_LIBRARY_PATH", "value": "/usr/lib:/usr/local/glibc/usr/lib"}]),
            "none": spec(),
        },
    )

    assert found == ["gpu/path", "gpu/variable"]


# Kubernetes


@pytest.mark.parametrize(("old", "new"), list(itertools.pairwise(RELEASED)))
def test_kubernetes_has_to_be_one_that_both_run(old, new):
    both = [version for version in TALOS[old].kubernetes_versions if version in TALOS[new].kubernetes_versions]
    made = plan(old, new).steps[1]
    (only,) = [version for version in TALOS[old].kubernetes_versions if version not in both]

    assert len(both) >= 5
    assert (made.phase, made.action, made.title) == ("before", "check", f"Upgrade Kubernetes to {both[0]} or newer.")
    assert made.check == f"kubectl version shows a Server Version of {both[0]} to {both[-1]}"
    (first, last), (new_first, new_last) = TALOS[old].kubernetes, TALOS[new].kubernetes
    assert made.reason.startswith(
        f"Talos {old} runs Kubernetes 1.{first} to 1.{last}, and Talos {new} runs 1.{new_first} to 1.{new_last}. The cluster needs a version "
        "that both run. "
    )
    # One minor release further, and no more: no command skips a minor release.
    assert int(both[0].partition(".")[2]) == int(only.partition(".")[2]) + 1
    assert made.commands == (
        "kubectl version",
        f"talosctl upgrade-k8s --nodes $CONTROL_PLANE --to {both[0]}.0   # only from {only}; or the newest patch of {both[0]}",
    )


def test_from_1_12_to_1_13_that_is_kubernetes_1_31_to_1_35():
    assert plan().steps[1].check == "kubectl version shows a Server Version of 1.31 to 1.35"
    assert plan().steps[1].reason == (
        "Talos 1.12 runs Kubernetes 1.30 to 1.35, and Talos 1.13 runs 1.31 to 1.36. The cluster needs a version that both run. If it has one, "
        "skip the upgrade. It goes one minor release at a time. Stay below 1.36 until no node has to go back."
    )


# The driver


@pytest.mark.parametrize(
    ("track", "minors"),
    [("production", ["1.10", "1.13"]), ("lts", ["1.12"])],
)
def test_the_driver_is_spoken_of_where_its_branch_changes(track, minors):
    hops = {each.hop.rpartition(" ")[2] for each in plan("1.8", "1.14", driver_track=track).steps if each.title == NEW_DRIVER}

    assert hops == {TALOS[talos].newest for talos in minors}


@pytest.mark.parametrize(
    ("track", "cuda_13", "pascal"),
    [("production", ["1.13"], ["1.13"]), ("lts", ["1.12"], [])],
)
def test_cuda_13_is_denied_to_old_drivers_and_pascal_to_the_new_one(track, cuda_13, pascal):
    made = plan("1.8", "1.14", driver_track=track, kernel_modules="proprietary")
    changes = [each for each in made.steps if each.title == NEW_DRIVER]
    able = [each.hop.rpartition(" ")[2] for each in changes if "Images with CUDA 13 do not run" not in each.reason]
    dropped = [each.hop.rpartition(" ")[2] for each in changes if "Pascal" in each.check]

    assert able == [TALOS[talos].newest for talos in cuda_13]
    assert dropped == [TALOS[talos].newest for talos in pascal]


FLOORS = "An image runs if the driver is as new as its CUDA needs: CUDA 13 needs 580, CUDA 12 needs 525, CUDA 11 needs 450."


@pytest.mark.parametrize("nodes", [{}, {"kernel_modules": "proprietary", "product": "RTX 3090"}, {"product": "RTX 3090"}])
def test_old_cards_are_not_spoken_of_where_there_can_be_none(nodes):
    assert step(plan(**nodes), NEW_DRIVER).reason == f"The production driver changes from 570.211.01 to 595.91.07. {FLOORS}"
    assert step(plan(**nodes), NEW_DRIVER).check == "no image needs a newer driver than 595"


@pytest.mark.parametrize(
    ("old", "new", "track", "reason"),
    [
        (
            "1.12.12",
            "1.13.12",
            "production",
            "no card is Maxwell, Pascal or Volta, which branch 595 does not support: choose the lts track for such a card (--driver-track lts)",
        ),
        ("1.11.6", "1.12.12", "lts", ""),
        ("1.9.6", "1.10.9", "production", "Images with CUDA 13 do not run on this driver."),
    ],
)
def test_what_is_said_of_a_driver(old, new, track, reason):
    made = step(plan(old, new, driver_track=track, kernel_modules="proprietary"), NEW_DRIVER)
    before, after = (TALOS[talos.rpartition(".")[0]].drivers[track] for talos in (old, new))

    in_check = reason.startswith("no card")
    assert made.reason == f"The {track} driver changes from {before} to {after}. {FLOORS} {'' if in_check else reason}".rstrip()
    assert ("no card" in made.check) is in_check
    assert not in_check or made.check.endswith(f"; and {reason}")


# siderolabs/extensions nvidia-gpu/vars.yaml at v1.12.0 and v1.13.0.
@pytest.mark.parametrize(("old", "new", "driver"), [("1.12.0", "1.13.12", "570.211.01"), ("1.12.12", "1.13.0", "595.91.07")])
def test_no_driver_is_named_that_the_release_does_not_have(old, new, driver):
    assert driver not in step(plan(old, new), NEW_DRIVER).reason


@pytest.mark.parametrize(
    ("old", "new", "track", "reason"),
    [
        ("1.11.0", "1.12.12", "lts", "The lts driver changes from 535 to 580.126.20. "),
        ("1.12", "1.13.0", "lts", None),
        (
            "1.12.0",
            "1.13.0",
            "production",
            "The production driver changes from 570 to 595. ",
        ),
    ],
)
def test_of_a_release_that_was_not_read_the_branch_is_named(old, new, track, reason):
    made = plan(old, new, driver_track=track, kernel_modules="proprietary")

    assert [each.reason.partition("An image")[0] for each in made.steps if each.title == NEW_DRIVER] == ([reason] if reason else [])
    assert step(plan("1.12.12", "1.13.0", driver_track=track), LOADED).check == (
        f"the version is of branch {'580' if track == 'lts' else '595'}"
    )


def test_the_driver_that_is_loaded_is_read_from_the_kernel():
    made = step(plan(driver_track="lts"), LOADED)

    assert made.commands == ("talosctl --nodes $ADDRESS read /proc/driver/nvidia/version",)
    assert made.check == "the version is 580.178.04, or newer on a later patch of this Talos"


@pytest.mark.parametrize(
    ("nodes", "check", "command"),
    [
        ({"gpus_per_node": 8}, "the number is 8", r"'{.status.allocatable.nvidia\.com/gpu}'"),
        ({"gpus_per_node": 2, "sharing": TimeSlicing(replicas=5)}, "the number is 10", r"'{.status.allocatable.nvidia\.com/gpu}'"),
        ({}, "the number is that of the node's GPUs, or of their shares", r"'{.status.allocatable.nvidia\.com/gpu}'"),
        (
            {"gpus_per_node": 1, "sharing": TimeSlicing(replicas=3, rename_by_default=True)},
            "the number is 3",
            r"'{.status.allocatable.nvidia\.com/gpu\.shared}'",
        ),
    ],
)
def test_the_last_step_counts_what_the_class_advertises(nodes, check, command):
    last = plan(**nodes).steps[-3]

    assert (last.title, last.check) == (OFFERED, check)
    assert last.commands == (f"kubectl get node $NODE -o jsonpath={command}",)


# The image


ANSWER = "   # must answer the ID in the next command"


def image_commands(made):
    return [each.commands for each in made.steps if each.phase == "upgrade"]


@pytest.mark.parametrize("modules", ["open", "proprietary"])
@pytest.mark.parametrize("track", ["lts", "production"])
@pytest.mark.parametrize(
    ("old", "new", "releases"),
    [
        ("1.8", "1.14", ["1.9.6", "1.10.9", "1.11.6", "1.12.12", "1.13.12", "1.14.6"]),
        ("1.12.10", "1.13.7", ["1.13.7"]),
        ("1.11", "1.13", ["1.12.12", "1.13.12"]),
    ],
)
def test_each_node_gets_the_image_of_its_extensions_and_of_the_release_of_the_hop(old, new, releases, modules, track):
    flavour = {"kernel_modules": modules, "driver_track": track}
    flags = " --kernel-modules proprietary" * (modules == "proprietary") + f" --driver-track {track}"

    assert image_commands(plan(old, new, **flavour)) == [
        (
            f"talos-gpu schematic --talos {talos}{flags} > schematic.yaml",
            f"curl -X POST --data-binary @schematic.yaml https://factory.talos.dev/schematics{ANSWER}",
            f"talosctl upgrade --nodes $ADDRESS{' --drain-timeout 15m' * (talos == '1.14.6')} --image {Schematic(nodes=GpuNodes(talos_version=talos, **flavour)).installer_image()}",
        )
        for talos in releases
    ]


def test_the_image_of_a_well_known_schematic():
    made = plan("1.12.12", "1.13.12", kernel_modules="proprietary", driver_track="lts")

    assert image_commands(made)[0][-1].endswith(
        "factory.talos.dev/metal-installer/af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7:v1.13.12"
    )


def test_an_image_of_ones_own_keeps_its_extensions_its_arguments_and_its_factory():
    given = {
        "extensions": ["siderolabs/iscsi-tools"],
        "extra_kernel_args": ["net.ifnames=0", "-console"],
        "factory": "factory.example.com:8443",
    }
    nodes = GpuNodes(talos_version="1.12.12")
    made = UpgradePlan(nodes=nodes, to="1.14.6", schematic=Schematic(nodes=nodes, **given))

    for (_, curl, upgraded), talos in zip(image_commands(made), ["1.13.12", "1.14.6"], strict=True):
        assert curl == f"curl -X POST --data-binary @schematic.yaml https://factory.example.com:8443/schematics{ANSWER}"
        assert upgraded.endswith(" " + Schematic(nodes=GpuNodes(talos_version=talos), **given).installer_image())


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"extensions": ["siderolabs/zfs", "siderolabs/iscsi-tools"], "fabric_manager": True, "gdrcopy": True},
        {"extra_kernel_args": ["net.ifnames=0", "-console", 'dyndbg="file a.c +p"']},
    ],
)
@pytest.mark.parametrize(
    "nodes", [{}, {"driver_track": "lts", "product": "RTX 3090"}, {"kernel_modules": "proprietary", "labels": {"a": "b"}}]
)
def test_the_schematic_that_is_sent_is_made_first_with_all_that_it_has(nodes, given, capsys):
    if given.get("gdrcopy") and "kernel_modules" in nodes:
        given = {**given, "gdrcopy": False}
    nodes = GpuNodes(talos_version="1.13.8", **nodes)
    made = UpgradePlan(nodes=nodes, to="1.13.12", schematic=Schematic(nodes=nodes, **given))
    command, curl, upgraded = step(made, upgrade("1.13.12")).commands

    assert command.endswith(" > schematic.yaml")
    assert cli.main(words(command.removesuffix(" > schematic.yaml"))[1:]) == 0
    text = capsys.readouterr().out
    assert text == Schematic(nodes=made.nodes_after, **given).text
    assert "@schematic.yaml" in curl
    assert hashlib.sha256(text.encode()).hexdigest() in upgraded


@pytest.mark.parametrize(
    "given",
    [
        {"meta": {10: "network"}},
        {"overlay": Overlay(image="siderolabs/sbc-rockchip", name="turingrk1")},
        {"bootloader": "sd-boot"},
        {"secure_boot": SecureBoot(enroll_keys="force")},
    ],
)
def test_a_schematic_that_no_flags_make_is_sent_from_its_text(given):
    nodes = GpuNodes(talos_version="1.13.8")
    made = UpgradePlan(nodes=nodes, to="1.13.12", schematic=Schematic(nodes=nodes, **given))
    first, *rest = step(made, upgrade("1.13.12")).commands

    assert first == (
        f"curl -X POST --data-binary @schematic.yaml https://factory.talos.dev/schematics{ANSWER}; schematic.yaml holds the text of the Schematic"
    )
    assert len(rest) == 1


# siderolabs/docs public/talos/v1.13, upgrading-talos.mdx and bootloader.mdx.
BOOTS_BY_GRUB = "Nodes boot by GRUB with BIOS, or if they were installed before Talos 1.10. A node that boots by a UKI has the arguments of its image alone."
GRUB_IGNORES = (
    "A node that boots by GRUB ignores the kernel arguments in its image, unless machine.install.grubUseUKICmdline is true. "
    f"{BOOTS_BY_GRUB}"
)
STREAMED = (
    "An upgrade from Talos 1.13 on also drops machine.install.extraKernelArgs, without an error. Run talosctl upgrade with --legacy, "
    "or move the arguments into the schematic and set grubUseUKICmdline."
)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "1.10.9",
            "1.11.6",
            f"A node that boots by GRUB ignores the kernel arguments in its image. {BOOTS_BY_GRUB}",
        ),
        ("1.11.6", "1.12.12", GRUB_IGNORES),
        # The older Talos is asked by the older API, which passes them on.
        ("1.12.12", "1.13.12", GRUB_IGNORES),
        ("1.13.12", "1.14.6", f"{GRUB_IGNORES} {STREAMED}"),
    ],
)
def test_nodes_that_boot_by_grub_are_found_where_the_image_has_kernel_arguments(old, new, reason):
    nodes = GpuNodes(talos_version=old)
    made = UpgradePlan(nodes=nodes, to=new, schematic=Schematic(nodes=nodes, extra_kernel_args=["iommu=pt"]))

    assert step(made, GRUB).reason == reason
    assert step(made, GRUB).phase == "before"


def test_nodes_that_boot_by_grub_lose_the_arguments_of_their_configuration_from_1_13_on_whatever_the_image_has():
    assert not has(plan("1.12.12", "1.13.12"), GRUB)
    assert has(plan("1.13.12", "1.14.6"), GRUB)
    assert [each.hop for each in plan("1.11.6", "1.14").steps if each.title == GRUB] == ["1.13.12 → 1.14.6"]


def test_with_secure_boot_no_node_boots_by_grub():
    assert not has(UpgradePlan(nodes=GpuNodes(talos_version="1.13.12"), to="1.14.6", secureboot=True), GRUB)


# siderolabs/extensions#1073, at the tags v1.13.0 and v1.13.1
NO_LIBZ = "the fabric manager of Talos 1.13.0 does not start, because libz.so.1 is missing (siderolabs/extensions#1073)"
WITH_FABRIC_MANAGER = [
    lambda nodes: Schematic(nodes=nodes, fabric_manager=True),
    lambda nodes: ExistingSchematic(Schematic(nodes=nodes, fabric_manager=True).id, nodes=nodes),
]


@pytest.mark.parametrize("schematic", WITH_FABRIC_MANAGER)
def test_nodes_with_a_fabric_manager_are_refused_the_release_whose_fabric_manager_does_not_start(schematic):
    nodes = GpuNodes(talos_version="1.12.12")

    for to in ("1.13.0", "v1.13.0"):
        assert refused(nodes=nodes, schematic=schematic(nodes), to=to) == (
            f"'to' must be 1.13.1 or newer for nodes with a fabric manager (got '1.13.0'); {NO_LIBZ}"
        )
    for to in ("1.13.1", "1.13"):
        assert UpgradePlan(nodes=nodes, schematic=schematic(nodes), to=to).steps


def test_a_card_of_machines_with_nvswitch_is_warned_of_that_release():
    with pytest.warns(TalosGpuWarning) as caught:
        plan("1.12.12", "1.13.0", product="H200")
    assert [str(each.message) for each in caught] == [f"{NO_LIBZ}; if machines with H200 have NVSwitch, upgrade to 1.13.1 or newer"]
    # No warning, which would be an error here: a card without NVSwitch, and releases whose fabric manager starts.
    assert plan("1.12.12", "1.13.0", product="RTX 4090").steps
    assert plan("1.12.12", "1.13.1", product="H200").steps


def test_a_plan_without_an_image_has_the_one_that_talos_gpu_schematic_writes():
    nodes = GpuNodes(talos_version="1.12.12", product="B200", gpus_per_node=8)
    text = UpgradePlan(nodes=nodes, to="1.13.9").markdown

    assert "--product B200 --gpus-per-node 8 --fabric-manager > schematic.yaml" in text
    assert Schematic(nodes=GpuNodes(talos_version="1.13.9", product="B200", gpus_per_node=8)).id in text


def test_nodes_without_a_fabric_manager_may_go_to_that_release():
    nodes = GpuNodes(talos_version="1.12.12")

    for schematic in (None, Schematic(nodes=nodes), ExistingSchematic(Schematic(nodes=nodes).id), ExistingSchematic("0" * 64)):
        assert UpgradePlan(nodes=nodes, schematic=schematic, to="1.13.0").steps


# siderolabs/extensions nvidia-gpu/ at these tags: fdd0258 moved the libraries between beta.1 and rc.0.
@pytest.mark.parametrize("to", ["1.13.0-alpha.0", "1.13.0-alpha.2", "1.13.0-beta.0", "1.13.0-beta.1"])
def test_a_pre_release_of_1_13_with_the_old_libraries_is_refused(to):
    assert refused(to=to) == (
        f"'to' must be 1.13.0-rc.0 or newer (got '{to}'); this pre-release has the driver libraries under /usr/local/glibc, and the "
        "steps of the plan are for the new paths of Talos 1.13"
    )
    assert plan("1.12.12", "1.13.0-rc.0").steps


@pytest.mark.filterwarnings("ignore:Talos 1.13.0-beta.1 has the driver's libraries under /usr/local/glibc")
@pytest.mark.parametrize("to", ["1.13.0-rc.0", "1.13.12", "1.14.6"])
def test_the_old_libraries_are_left_on_the_way_from_such_a_pre_release_too(to):
    old = workload_with_the_old_libraries()
    made = plan("1.13.0-beta.1", to, "operator")

    assert {GLIBC, BRIDGE} <= set(titles(made))
    assert [each.name for each in made.leftovers([old])] == ["Deployment old"]
    assert not has(plan("1.13.0-rc.0", "1.13.12", "operator"), GLIBC)
    assert plan("1.13.0-rc.0", "1.13.12", "operator").leftovers([old]) == []


def workload_with_the_old_libraries():
    container = {"name": "a", "image": "a:1", "env": [{"name": "LD_LIBRARY_PATH", "value": "/usr/local/glibc/usr/lib"}]}
    spec = {"template": {"spec": {"containers": [container]}}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "old", "namespace": "ai"}, "spec": spec}


# siderolabs/talos v1.12.11 and v1.13.9: v1alpha1_sequencer.go Upgrade, and cmd/talosctl/cmd/talos/upgrade.go.
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("1.8", "1.9", "Talos drains the node by itself."),
        ("1.12.10", "1.12.12", "Talos drains the node by itself."),
        ("1.12.12", "1.13.12", "Talos drains the node by itself."),
        ("1.13.8", "1.13.12", "Use the talosctl of the new release: it drains the node."),
        ("1.13.12", "1.14.6", "Use the talosctl of the new release: it drains the node."),
    ],
)
def test_who_drains_depends_on_the_talos_that_is_left(old, new, said):
    (made,) = [each for each in plan(old, new).steps if each.phase == "upgrade"]

    assert "Do not pin an extension by hand." in made.reason
    assert f" {said}" in made.reason


@pytest.mark.parametrize("known", [False, True], ids=["of nobody", "of these nodes"])
def test_an_existing_schematic_is_not_sent_to_the_factory_again(known):
    nodes = GpuNodes(talos_version="1.12.12")
    images = ExistingSchematic("1234567890abcdef" * 4, nodes=nodes if known else None, factory="factory.example.com")
    made = UpgradePlan(nodes=nodes, to="1.14", schematic=images)

    assert image_commands(made) == [
        (f"talosctl upgrade --nodes $ADDRESS{timeout} --image factory.example.com/metal-installer/{'1234567890abcdef' * 4}:v{talos}",)
        for talos, timeout in {"1.13.12": "", "1.14.6": " --drain-timeout 15m"}.items()
    ]
    assert "curl -X POST" not in made.markdown


# What is refused


def refused(error=ValueError, **given):
    return message(lambda: UpgradePlan(**{"nodes": GpuNodes(talos_version="1.12.12"), "to": "1.13", **given}), error)


A_VERSION = "a Talos version such as '1.14', from '1.8' on, with or without its patch"
OF_OTHERS = "'schematic' must be that of 'nodes'"
ROLLBACK = "talosctl rollback returns to the Talos before the last upgrade"


@pytest.mark.parametrize(
    ("to", "expected"),
    [
        ("1.12.12", f"'to' must be newer than 1.12.12, which the nodes run (got '1.12.12'); {ROLLBACK}"),
        ("v1.12.10", f"'to' must be newer than 1.12.12, which the nodes run (got '1.12.10'); {ROLLBACK}"),
        (
            "1.12",
            f"'to' must be newer than 1.12.12, which the nodes run (got '1.12'); the newest 1.12 that this library knows is 1.12.12 (tables of {READ_ON}); {ROLLBACK}",
        ),
        (
            "1.11",
            f"'to' must be newer than 1.12.12, which the nodes run (got '1.11'); the newest 1.11 that this library knows is 1.11.6 (tables of {READ_ON}); {ROLLBACK}",
        ),
        ("1.11.6", f"'to' must be newer than 1.12.12, which the nodes run (got '1.11.6'); {ROLLBACK}"),
        (
            "1.15",
            (
                "'new_route' must be 'operator' for Talos 1.15.0-beta.0 (got 'standalone'); the extensions of Talos 1.15 contain no "
                "container toolkit, and only the operator installs one"
            ),
        ),
        (
            "1.16",
            (
                f"'to' must be of Talos 1.15 or older (got '1.16'); Talos 1.15 is the newest known release, as a beta (tables of {READ_ON}); "
                "upgrade this library"
            ),
        ),
        ("next", f"'to' must be {A_VERSION} (got 'next')"),
        ("1.13.x", f"'to' must be {A_VERSION} (got '1.13.x'); did you mean '1.13'?"),
        ("", f"'to' must be {A_VERSION} (got '')"),
    ],
)
def test_a_talos_that_is_not_newer_or_not_known_is_refused(to, expected):
    assert refused(to=to) == expected


@pytest.mark.parametrize(("to", "then"), [(1.13, "; quote it: '1.13'"), (1.1, "; quote it: '1.10'"), (None, ""), (113, "")])
def test_a_talos_that_is_no_string_is_refused(to, then):
    assert refused(TypeError, to=to) == f"'to' must be {A_VERSION} (got {to!r}){then}"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1.13.0-rc.1", "1.13.0"),
        ("1.14.0-beta.1", "1.14.0-rc.0"),
        ("1.13.0-rc.9", "1.13.0-rc.10"),
        ("1.14", "1.14.0-alpha.0"),
        ("1.13.0", "1.13.1-rc.0"),
    ],
)
def test_candidates_are_older_than_their_release_and_in_order(old, new):
    assert str(plan(old, new).to) == new
    if old != "1.14":
        assert (
            refused(nodes=GpuNodes(talos_version=new), to=old)
            == f"'to' must be newer than {new}, which the nodes run (got '{old}'); {ROLLBACK}"
        )


def test_a_release_is_newer_than_its_candidates():
    made = plan("1.13.0-rc.1", "1.13.0")

    assert titles(made) == [
        snapshot("1.13.0-rc.1"),
        IMAGE,
        GRUB,
        READY,
        upgrade("1.13.0"),
        LOADED,
        NAMED,
        OFFERED,
        PROVEN,
        others("1.13.0"),
    ]
    assert refused(nodes=GpuNodes(talos_version="1.14.0-rc.1"), to="1.14.0-beta.0").startswith("'to' must be newer than 1.14.0-rc.1")


@pytest.mark.parametrize("to", ["1.13.12", "v1.13.12", "1.13", TalosVersion(13, 12), TalosVersion(13)])
def test_a_talos_is_read_in_each_way_that_people_write_it(to):
    made = UpgradePlan(nodes=GpuNodes(talos_version="1.12.12"), to=to)

    assert made.to == TalosVersion(13, 12)


@pytest.mark.parametrize(
    ("given", "error", "expected"),
    [
        ({"nodes": "1.12"}, TypeError, "'nodes' must be a GpuNodes (got '1.12'); such as GpuNodes(talos_version='1.12')"),
        (
            {"route": "operater"},
            ValueError,
            "'route' must be one of 'standalone', 'operator' (got 'operater'); did you mean 'operator'?",
        ),
        ({"new_route": "plugin"}, ValueError, "'new_route' must be one of 'standalone', 'operator' (got 'plugin')"),
        ({"route": None}, TypeError, "'route' must be one of 'standalone', 'operator' (got None)"),
        ({"schematic": "af8e"}, TypeError, "'schematic' must be a Schematic or an ExistingSchematic (got 'af8e')"),
        (
            {"schematic": Schematic(nodes=GpuNodes(talos_version="1.12.12", name="rtx"))},
            ValueError,
            f"{OF_OTHERS} (got GpuNodes(talos_version='1.12.12', name='rtx')); 'nodes' is GpuNodes(talos_version='1.12.12')",
        ),
        (
            {"schematic": ExistingSchematic("12" * 32, nodes=GpuNodes(talos_version="1.12.12", driver_track="lts"))},
            ValueError,
            f"{OF_OTHERS} (got GpuNodes(talos_version='1.12.12', driver_track='lts')); 'nodes' is GpuNodes(talos_version='1.12.12')",
        ),
        (
            {"rute": "operator"},
            TypeError,
            "'rute' must be an argument of UpgradePlan (got rute='operator'); did you mean 'route'?",
        ),
    ],
)
def test_other_arguments_are_refused(given, error, expected):
    assert refused(error, **given) == expected


def test_both_required_arguments_say_why():
    assert message(lambda: UpgradePlan(nodes=GpuNodes(talos_version="1.12")), TypeError) == (
        "'to' must be given to UpgradePlan (got nothing); set the Talos to upgrade to"
    )
    assert message(lambda: UpgradePlan(to="1.13"), TypeError) == (
        "'nodes' must be given to UpgradePlan (got nothing); a plan is for one class of GPU nodes"
    )


def test_the_nodes_are_given_by_name():
    assert message(lambda: UpgradePlan(GpuNodes(talos_version="1.12"), "1.13"), TypeError) == (
        "'nodes' must be given by its name (got GpuNodes(talos_version='1.12')); such as UpgradePlan(…, nodes=…)"
    )


def test_mps_is_refused_on_the_way_through_1_12():
    with pytest.warns(TalosGpuWarning):
        nodes = GpuNodes(talos_version="1.11", sharing=Mps(replicas=4))
    expected = (
        "'sharing' must be a TimeSlicing on Talos 1.12 (got Mps(replicas=4, rename_by_default=False, fail_requests_greater_than_one=True)); "
        "on Talos 1.12 the MPS server exits when a pod connects (NVIDIA/k8s-device-plugin#1614); use TimeSlicing, or Talos 1.13"
    )

    assert refused(nodes=nodes, to="1.12") == expected
    assert refused(nodes=nodes, to="1.13") == expected


def test_a_plan_warns_of_its_classes_once_and_not_again_when_it_is_read():
    with pytest.warns(TalosGpuWarning):
        nodes = GpuNodes(talos_version="1.13.8", sharing=Mps(replicas=4))
    with pytest.warns(TalosGpuWarning, match="on Talos 1.14.6") as caught:
        made = UpgradePlan(nodes=nodes, to="1.14")
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert made.steps
        assert made.markdown
        assert made.nodes_after.talos_version == TalosVersion(14, 6)
        assert made.leftovers([]) == []


def test_a_card_that_the_new_driver_knows_no_more_is_refused():
    pascal = {"product": "GTX 1080", "driver_track": "production"}

    assert refused(nodes=GpuNodes(talos_version="1.12.12", **pascal)) == (
        "'driver_track' must be 'lts' on Talos 1.13.12 with product='GTX 1080' (got 'production'); this card needs a driver of at most 580, "
        "and the 'production' driver is 595.91.07"
    )
    assert plan("1.12.12", "1.13", product="GTX 1080", driver_track="lts").nodes_after.product == "GTX 1080"


def test_a_track_that_was_not_given_changes_with_the_card():
    made = plan("1.12.12", "1.13", product="GTX 1080")

    assert step(made, NEW_DRIVER).reason.startswith(
        "The driver changes from 570.211.01 (production) to 580.178.04 (lts), the track that runs GTX 1080. An image runs if "
    )
    assert made.nodes_after.track == "lts"


def test_an_extension_that_the_new_talos_has_no_more_is_refused():
    nodes = GpuNodes(talos_version="1.8")

    assert refused(nodes=nodes, to="1.9", schematic=Schematic(nodes=nodes, extensions=["siderolabs/i915-ucode"])) == (
        "'extensions[0]' must be an official extension of Talos 1.9 (got 'siderolabs/i915-ucode'); did you mean 'siderolabs/i915'?"
    )


def test_an_existing_schematic_without_the_extensions_of_the_nodes_is_refused():
    without = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba"

    assert refused(schematic=ExistingSchematic(without)) == (
        "'id' must be of a schematic with siderolabs/nvidia-open-gpu-kernel-modules-production and "
        f"siderolabs/nvidia-container-toolkit-production (got '{without}'); the schematic has no extensions"
    )


# The plan as a value


def test_afterwards_the_class_has_another_talos_and_is_the_same_in_all_else():
    nodes = GpuNodes(
        talos_version="1.10.9",
        kernel_modules="proprietary",
        driver_track="lts",
        labels={"role": "gpu"},
        taints=[Taint("dedicated", "ai")],
        product="RTX 3090",
        gpus_per_node=2,
        memory_per_gpu="24Gi",
        count=3,
        sharing=TimeSlicing(replicas=4),
        name="rtx",
    )
    after = UpgradePlan(nodes=nodes, to="1.14").nodes_after

    assert after == attrs.evolve(nodes, talos_version="1.14.6")
    assert (after.talos_version, after.generation, after.name, after.labels) == (TalosVersion(14, 6), "cdi", "rtx", {"role": "gpu"})
    assert nodes.talos_version == TalosVersion(10, 9)


def test_to_the_beta_of_1_15_pods_lose_their_runtime_class_and_the_operator_brings_the_toolkit():
    with pytest.warns(TalosGpuWarning, match="Talos 1.15.0-beta.0 is a beta"):
        made = plan("1.14.6", "1.15", "operator")

    assert titles(made) == [
        snapshot("1.14.6"), "Upgrade Kubernetes to 1.33 or newer.", IMAGE, GRUB, "Find pods that name a RuntimeClass.", READY, upgrade("1.15.0-beta.0"),
        LOADED, NAMED, others("1.15.0-beta.0"), synthesize("1.15.0-beta.0"), OFFERED, PROVEN,
    ]  # fmt: skip
    assert (
        "NvidiaGpuOperator sets the chart values for this Talos; the chart must be v26.7.0 or newer. The operator installs the "
        "container toolkit below /var, and creates no RuntimeClass any more."
    ) in step(made, synthesize("1.15.0-beta.0")).reason


def test_a_standalone_plugin_moves_to_the_operator_on_the_way_to_1_15():
    with pytest.warns(TalosGpuWarning, match="is a beta"):
        made = plan("1.14.6", "1.15", "standalone", "operator")

    assert [title for title in titles(made) if title in (PLUGIN, RUNTIME_CLASS)] == [PLUGIN, RUNTIME_CLASS]
    # On Talos 1.14 the operator still creates its own.
    assert step(made, RUNTIME_CLASS).reason.startswith("The operator creates and owns this RuntimeClass, ")


def test_the_new_route_is_the_old_one_unless_said_otherwise():
    assert (plan().route, plan().new_route) == (UpgradeRoute.STANDALONE, UpgradeRoute.STANDALONE)
    assert plan(route="operator").new_route is UpgradeRoute.OPERATOR
    assert plan(route=UpgradeRoute.OPERATOR, new_route="standalone").new_route is UpgradeRoute.STANDALONE


def test_equal_plans_are_equal_and_frozen():
    assert plan() == plan()
    assert plan() != plan(route="operator")
    assert hash(plan()) == hash(plan())
    assert message(lambda: setattr(plan(), "to", "1.14"), attrs.exceptions.FrozenInstanceError) == "can't set attribute"


def test_a_step_is_plain_data():
    made = json.loads(json.dumps(dataclasses.asdict(step(plan("1.13.8", "1.13.12"), LOADED))))

    assert made == {
        "number": 6,
        "way_back": "",
        "hop": "1.13.8 → 1.13.12",
        "phase": "after",
        "action": "check",
        "title": LOADED,
        "reason": "A node whose kernel modules are not loaded has no GPU, even if the cluster reports one.",
        "commands": ["talosctl --nodes $ADDRESS read /proc/driver/nvidia/version"],
        "check": "the version is 595.91.07, or newer on a later patch of this Talos",
    }


# Markdown

SMALL = f"""\
# From Talos 1.13.8 to 1.13.12, GPU nodes of the class 'rtx'

## When these nodes offer no GPU

- Steps 5 to 8 (1.13.8 → 1.13.12): one node at a time. Its pods are evicted, and start on other nodes of the class with free GPUs; without such a node they stay Pending.

The steps for the other nodes repeat this for each of them. At all other steps every node of the class offers its GPUs.

## The way back

- 1.13.8 → 1.13.12: step 5 says how a node returns to Talos 1.13.8. The same manifests belong with Talos 1.13.8 and 1.13.12.

A node returns by one release only, so finish the nodes of a release, and watch them for as long as you want, before the next release. Keep the output of cdk8s synth for each Talos in a commit of its own.

A cluster with one node: kubectl does not answer while the node reboots, a drained pod waits until the node is back, and etcd has no second member. The snapshot must be on another machine before the upgrade.

## Before you begin

The commands are those of talosctl and kubectl.

Set these variables in the shell first, with your own values:

    export NODE=gpu-1 ADDRESS=10.0.0.7 CONTROL_PLANE=10.0.0.2

NODE is the name of a node in Kubernetes; ADDRESS is the address of this node; CONTROL_PLANE is the address of a control-plane node.

One node goes through the steps of a release first, then the others. A command with $NODE or $ADDRESS runs once for each node. Every other command runs once for the cluster.

For a Talos without its patch the plan uses the newest patch that this library knows (tables of {READ_ON}). Remove objects of a GitOps tool from its repository, or the tool creates the objects again.

Omni refuses these subcommands of talosctl: upgrade, upgrade-k8s, patch, apply-config, read, rollback, and get machineconfig. For a cluster of Omni print the plan with --for omni.

## 1.13.8 → 1.13.12

### Before

- [ ] **1. {snapshot("1.13.8")}** The snapshot is the only way back from a lost control plane and from a newer Kubernetes. With one control-plane node there is no second copy of etcd.

  ```sh
  talosctl --nodes $CONTROL_PLANE etcd snapshot etcd-1.13.8.db
  ```
"""


def test_a_small_plan_as_a_list_to_tick_off():
    text = plan("1.13.8", "1.13.12", name="rtx").markdown

    assert text.startswith(SMALL)
    assert text.endswith(
        f"""\
### The other nodes

- [ ] **10. {others("1.13.12")}** Repeat steps 4 to 9 for each other node, and begin with a node when the node before has passed step 9. If the class has one node, skip this step.

  ```sh
  export NODE=gpu-2 ADDRESS=10.0.0.8   # the next node; then steps 4 to 9
  ```

  Done when: every node of the class runs Talos 1.13.12.
"""
    )


@pytest.mark.parametrize(("route", "new_route"), ROUTES)
def test_the_list_has_every_step_once_in_order_with_its_commands(route, new_route):
    made = plan("1.8", "1.14", route, new_route)
    items = re.findall(r"^- \[ \] \*\*\d+\. (.+?)\*\* ", made.markdown, re.MULTILINE)
    numbers = re.findall(r"^- \[ \] \*\*(\d+)\. ", made.markdown, re.MULTILINE)
    blocks = re.findall(r"^  ```sh\n(.*?)\n  ```$", made.markdown, re.MULTILINE | re.DOTALL)

    assert items == titles(made)
    assert numbers == [str(each.number) for each in made.steps] == [str(number + 1) for number in range(len(made.steps))]
    assert [[line.removeprefix("  ") for line in block.split("\n")] for block in blocks] == [
        [line for command in each.commands for line in command.split("\n")] for each in made.steps
    ]
    assert Counter(re.findall(r"^  Done when: (.+)\.$", made.markdown, re.MULTILINE)) == Counter(
        each.check for each in made.steps if each.check
    )


def test_the_headings_are_the_hops_and_their_phases():
    found = [line for line in plan("1.11.6", "1.13", "operator").markdown.splitlines() if line.startswith("#")]

    assert found == [
        "# From Talos 1.11.6 to 1.13.12, GPU nodes",
        "## When these nodes offer no GPU",
        "## Why this order",
        "## The way back",
        "## Before you begin",
        "## 1.11.6 → 1.12.12",
        "### Before",
        "### One node first",
        "### After its upgrade, on this node",
        "### The other nodes",
        "## 1.12.12 → 1.13.12",
        "### Before",
        "### One node first",
        "### After its upgrade, on this node",
        "### The other nodes",
        "### When all nodes of the class run Talos 1.13.12",
    ]


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_the_list_is_the_same_each_time_and_ends_in_one_line_break(old, new, route, new_route):
    text = plan(old, new, route, new_route).markdown

    assert text == plan(old, new, route, new_route).markdown
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\n\n\n" not in text
    assert not any(line != line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize(("old", "new", "route", "new_route"), EVERY_PLAN)
def test_kubectl_gets_a_name_and_talosctl_an_address(old, new, route, new_route):
    for command in commands(plan(old, new, route, new_route)):
        assert not command.startswith("kubectl") or "$ADDRESS" not in command
        assert not command.startswith("talosctl") or "$NODE" not in command


def test_every_variable_of_the_commands_is_explained_on_top():
    text = plan("1.12.12", "1.13.12", new_route="operator").markdown
    introduction = text.partition("## Before you begin")[2].partition("\n## ")[0]

    assert {name for name in SHELL_VARIABLES if not re.search(rf"\b{name}\b", introduction)} == set()


def test_a_step_without_a_check_has_no_such_line():
    made = UpgradeStep(hop="1.12 → 1.13", phase=UpgradePhase.AFTER, action=UpgradeAction.APPLY, title="Do it.", reason="Because.", commands=("a", "b"))  # fmt: skip

    assert made.markdown == "- [ ] **Do it.** Because.\n\n  ```sh\n  a\n  b\n  ```"
    assert dataclasses.replace(made, check="done").markdown.endswith("  ```\n\n  Done when: done.")


def test_nodes_with_secure_boot_and_on_another_platform_get_their_own_installer():
    made = UpgradePlan(nodes=GpuNodes(talos_version="1.13.8"), to="1.13.12", platform="nocloud", secureboot=True)

    assert "/nocloud-installer-secureboot/" in step(made, upgrade("1.13.12")).commands[-1]


def test_a_plan_is_shown_by_its_arguments():
    plan = UpgradePlan(nodes=GpuNodes(talos_version="1.12"), to="1.13")

    assert "hops" not in repr(plan)


@pytest.mark.parametrize("tool", ["talosctl", "omni", "talhelper", "terraform", "capi"])
def test_the_step_that_installs_an_image_says_that_it_has_only_nvidias_extensions(tool):
    remark = "This image has only NVIDIA's extensions; run `talosctl get extensions` and add the others with --extension, or give --from."
    nodes = GpuNodes(talos_version="1.13.8")

    def told(**image):
        (step,) = [step for step in UpgradePlan(nodes=nodes, to="1.13.9", tool=tool, **image).steps if step.phase == "upgrade"]
        return remark in step.reason

    assert told()
    assert not told(schematic=Schematic(nodes=nodes, extensions=["siderolabs/iscsi-tools"]))
