"""TG053 and TG079 on taints that a controller of the tree takes away, whatever their key, and on taints that could not be read."""

import pytest
from chart_checks import CDI, GIVEN, Values, checked, config_map, node, release, said

from constructs_lib.nodes.factory_ids import id_of_written

KEY = "example.com/network"
SIMILAR = "example.com/networks"
OPERATOR = release("gpu-operator", {**CDI, "daemonsets": {"tolerations": []}}, version="v26.7.0")


def cilium(values: Values | None = None, **given) -> Values:
    return release("cilium", {"agentNotReadyTaintKey": KEY, **(values or {})}, **given)


def rendered(key: str = KEY, **data: str) -> Values:
    return config_map("cilium-config", {"agent-not-ready-taint-key": key, **data}, namespace="kube-system")


def pool(key: str = KEY, field: str = "startupTaints") -> Values:
    spec = {field: [{"key": key, "effect": "NoSchedule"}]}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "gpu"}, "spec": {"template": {"spec": spec}}}


def tainted(key: str = KEY, effect: str = "NoSchedule", **given: str) -> Values:
    return node(kubelet={"extraConfig": {"registerWithTaints": [{"key": key, "effect": effect, **given}]}})


def operators(*beside: Values, taint: Values | None = None) -> list[tuple[str, str]]:
    """The finding about the operator's DaemonSets."""
    found = checked("TG053", OPERATOR, taint or tainted(), *beside, talos="1.13")
    return [each for each in said(found) if each[1].startswith("the operator's DaemonSets")]


def untolerated(taint: str) -> str:
    return f"the operator's DaemonSets do not tolerate the taint {taint} of gpu-1. The pods do not run there, and the node offers no GPU"


ERROR = ("error", untolerated(f"{KEY}:NoSchedule"))
IN_DOUBT = ("warning", f"{ERROR[1]}. Unless a controller takes the taint away: a key of a taint could not be read")


def program(**container) -> Values:
    pod_spec = {"containers": [{"name": "main", "image": "example.com/controller:1", **container}]}
    spec = {"selector": {"matchLabels": {"app": "a"}}, "template": {"metadata": {"labels": {"app": "a"}}, "spec": pod_spec}}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "controller", "namespace": "kube-system"}, "spec": spec}


FLAGS = [
    program(args=[f"--startup-taint={KEY}"]),
    program(command=["autoscaler", "--ignore-taint", KEY]),
    program(env=[{"name": "NODE_TAINT", "value": KEY}]),
]


@pytest.mark.parametrize(
    "setter", [cilium(), rendered(), pool(), *FLAGS], ids=["cilium", "cilium-config", "karpenter", "flag", "two-words", "nodetaint"]
)
def test_a_taint_that_a_controller_of_the_tree_takes_away_needs_no_toleration(setter):
    assert operators() == [ERROR]
    assert operators(setter) == []
    assert operators(setter, taint=tainted(SIMILAR)) == [("error", untolerated(f"{SIMILAR}:NoSchedule"))]


def test_the_fix_tolerates_no_startup_taint_of_the_tree():
    both = [{"key": key, "effect": "NoSchedule"} for key in (KEY, "dedicated")]
    found = checked("TG053", OPERATOR, node(kubelet={"extraConfig": {"registerWithTaints": both}}), cilium(), talos="1.13")

    assert found
    assert all(KEY not in each.fix and "dedicated" in each.fix for each in found)


@pytest.mark.parametrize(
    "setter",
    [
        cilium({"operator": {"removeNodeTaints": False}}),
        rendered(**{"remove-cilium-node-taints": "false"}),
        pool(field="taints"),
        config_map("other", {"agent-not-ready-taint-key": KEY}),
        release("other", {"agentNotReadyTaintKey": KEY}),
    ],
    ids=["cilium-keeps", "cilium-config-keeps", "a-lasting-taint", "another-config", "another-chart"],
)
def test_a_taint_that_nobody_takes_away_is_an_error(setter):
    assert operators(setter) == [ERROR]


@pytest.mark.parametrize(
    "setter",
    [
        cilium({"agentNotReadyTaintKey": GIVEN}),
        cilium({"operator": {"removeNodeTaints": GIVEN}}),
        rendered(GIVEN),
        pool(GIVEN),
    ],
    ids=["cilium", "switch", "cilium-config", "karpenter"],
)
def test_an_unread_setter_makes_one_step_less_sure(setter):
    assert operators(setter) == [IN_DOUBT]


def test_a_startup_taint_of_node_taints_is_named_with_its_setter():
    (finding,) = checked("TG079", node(nodeTaints={KEY: "NoSchedule"}), cilium(), talos="1.13")
    assert finding.fix == (
        f"Set the taint in machine.kubelet.extraConfig.registerWithTaints: [{{key: {KEY}, effect: NoSchedule}}] alone: Cilium takes the taint away, "
        "and nodeTaints would set the taint again"
    )
    (finding,) = checked("TG079", node(nodeTaints={SIMILAR: "NoSchedule"}), cilium(), talos="1.13")
    assert finding.fix.startswith("Run kubectl taint nodes gpu-1")


def test_an_unread_part_of_a_taint_makes_one_step_less_sure_where_no_toleration_can_fit():
    assert operators(taint=tainted(GIVEN)) == [("warning", IN_DOUBT[1].replace(KEY, GIVEN))]
    assert operators(taint=tainted(effect=GIVEN)) == [
        ("warning", f"{untolerated(f'{KEY}:{GIVEN}')}. This holds if the taint's effect, which could not be read, keeps pods off")
    ]


def test_a_taint_of_an_unread_value_is_refused_as_surely_by_pods_without_a_toleration_of_its_key():
    taint = tainted(value=GIVEN)
    (finding,) = [each for each in checked("TG053", OPERATOR, taint, talos="1.13") if each.message.startswith("the operator's")]

    assert said([finding]) == [("error", untolerated(f"{KEY}={GIVEN}:NoSchedule"))]
    assert f"{{key: {KEY}, operator: Exists, effect: NoSchedule}}" in finding.fix
    assert finding.fixed_by == ""


def test_a_toleration_that_may_fit_an_unread_taint_is_no_finding():
    """A placeholder of a working tree most likely stands for the taint that the pods tolerate."""

    def beside(toleration: Values, taint: Values) -> list[str]:
        values = {**CDI, "daemonsets": {"tolerations": [toleration]}, "operator": {"tolerations": [toleration]}}
        found = checked("TG053", release("gpu-operator", values, version="v26.7.0"), taint, talos="1.13")
        return [each.message for each in found if each.message.startswith("the operator's")]

    assert beside({"key": "nvidia.com/gpu", "operator": "Exists"}, tainted(GIVEN)) == []
    assert beside({"key": KEY, "value": "ai"}, tainted(value=GIVEN)) == []
    assert beside({"key": "nvidia.com/gpu", "operator": "Exists"}, tainted(value=GIVEN)) != []


def test_nothing_is_said_of_a_taint_of_which_nothing_was_read():
    assert checked("TG053", OPERATOR, tainted(GIVEN, GIVEN), talos="1.13") == []
    assert checked("TG053", OPERATOR, node(kubelet={"extraArgs": {"register-with-taints": GIVEN}}), talos="1.13") == []


WORKLOAD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "llm"},
    "spec": {"containers": [{"name": "llm", "image": "a:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}]},
}


def test_a_workload_is_as_sure_as_the_surest_taint_of_its_nodes():
    assert [str(each.severity) for each in checked("TG053", WORKLOAD, tainted(), talos="1.13")] == ["warning"]
    assert [str(each.severity) for each in checked("TG053", WORKLOAD, tainted(GIVEN), talos="1.13")] == ["remark"]
    both = [{"key": GIVEN, "effect": "NoSchedule"}, {"key": KEY, "effect": "NoSchedule"}]
    (found,) = checked("TG053", WORKLOAD, node(kubelet={"extraConfig": {"registerWithTaints": both}}), talos="1.13")
    assert said([found]) == [
        (
            "warning",
            f"the pod does not tolerate the taint {KEY}:NoSchedule of gpu-1, and no other node with GPUs was read. The pods stay Pending",
        )
    ]


SCHEMATIC = {"customization": {"systemExtensions": {"officialExtensions": ["siderolabs/nvidia-open-gpu-kernel-modules-lts"]}}}


@pytest.mark.parametrize(("schematic_id", "found"), [(id_of_written(SCHEMATIC), [ERROR]), ("0" * 64, [("warning", ERROR[1])])])
def test_the_schematic_of_a_nodes_image_is_no_further_node(schematic_id, found):
    tainted_node = tainted()
    tainted_node["machine"]["install"]["image"] = f"factory.talos.dev/metal-installer/{schematic_id}:v1.13.9"

    assert operators(SCHEMATIC, taint=tainted_node) == found
