"""What is asked of everything that was read about operators, agents and where they run."""

import pytest
import yaml
from chart_checks import CDI, GIVEN, PLUGIN_IMAGE, daemon_set, plugin, release, runtime_class

from constructs_lib.observed.agents.agents import DRA, EXPORTER, GFD, MPS_DAEMON, NFD_WORKER, PLUGIN, agents
from constructs_lib.observed.agents.operators import cdi_is_on, operators, runtime_class_makers, version_of
from constructs_lib.observed.model import Answer, Unknown
from constructs_lib.observed.nodes.offers import may_offer_more
from constructs_lib.observed.objects.helm_values import is_on, with_defaults
from constructs_lib.observed.placement.selection import are_apart, is_unrestricted
from constructs_lib.observed.read.repository import read_text
from constructs_lib.upstream.version import Version
from unknowns import plain


def inputs_of(*documents, **given):
    return read_text("\n---\n".join(yaml.safe_dump(each) for each in documents), **given)


def operator_of(values, version="v26.7.0"):
    return operators(inputs_of(values, chart=f"gpu-operator@{version}"))[0]


# Operators


@pytest.mark.parametrize(
    ("version", "found"),
    [
        ("v25.3.4", Answer.NO),
        ("v25.9.9", Answer.NO),
        ("v25.10.0", Answer.YES),
        ("v26.7.0", Answer.YES),
        ("26.7.0", Answer.YES),
        ("26.x", Answer.UNKNOWN),
    ],
)
def test_cdi_is_on_by_itself_from_v25_10_on(version, found):
    assert cdi_is_on(operator_of(CDI, version)) is found


def test_what_was_not_written_is_the_charts_own():
    operator = operator_of({"driver": {"enabled": False}})

    assert operator.value("driver", "enabled") is False
    assert operator.value("toolkit", "enabled") is True
    assert operator.value("hostPaths", "driverInstallDir") == "/run/nvidia/driver"
    assert operator.written("toolkit", "enabled") is None
    assert operator.value("anything", "else") is None


def test_a_policy_without_a_mig_strategy_has_none_where_the_chart_has_single():
    policy = {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": {"name": "cluster-policy"}, "spec": {"mig": {}}}

    assert operators(inputs_of(policy))[0].value("mig", "strategy") is None
    assert operators(inputs_of(policy | {"spec": {"mig": {"strategy": "mixed"}}}))[0].value("mig", "strategy") == "mixed"
    assert operators(inputs_of(policy))[0].value("toolkit", "enabled") is True
    assert operator_of({"mig": {}, **CDI}).value("mig", "strategy") == "single"


def test_what_comes_from_elsewhere_is_not_known():
    operator = operators(inputs_of(release("gpu-operator", {"driver": {"enabled": False}}, valuesFrom=[{"kind": "Secret", "name": "v"}])))[
        0
    ]

    assert operator.value("driver", "enabled") is False
    assert isinstance(operator.value("toolkit", "enabled"), Unknown)
    assert operator.is_on("toolkit", "enabled") is Answer.UNKNOWN


@pytest.mark.parametrize(
    ("label", "version"),
    [
        ("gpu-operator-v26.7.0", "26.7.0"),
        ("gpu-operator-v1.0.0-devel", None),
        ("gpu-operator-v1.0.0", None),
        ("gpu-operator-v25.3.0", "25.3.0"),
    ],
)
def test_a_rendered_operator_knows_its_version_by_its_label(label, version):
    metadata = {"name": "cluster-policy", "labels": {"helm.sh/chart": label}}
    policy = {"apiVersion": "nvidia.com/v1", "kind": "ClusterPolicy", "metadata": metadata, "spec": CDI}
    deployment = daemon_set("gpu-operator", name="gpu-operator", labels={"app.kubernetes.io/name": "gpu-operator"}) | {"kind": "Deployment"}
    other = daemon_set("app", name="other") | {"kind": "Deployment"}
    other["metadata"]["namespace"] = "elsewhere"

    found = operators(inputs_of(policy, other, deployment))[0]

    assert (str(found.version) if found.version else None, found.namespace, found.release) == (version, "gpu", None)


def test_a_cluster_policy_of_somebody_else_is_no_operator():
    policy = {"apiVersion": "kyverno.io/v1", "kind": "ClusterPolicy", "metadata": {"name": "p"}, "spec": {}}

    assert operators(inputs_of(policy)) == []


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("v26.7.0", Version(26, 7, 0)),
        ("0.20.0", Version(0, 20, 0)),
        (" v1.2.3 ", Version(1, 2, 3)),
        ("26.x", None),
        ("26.7", None),
        (None, None),
        (26, None),
        (Unknown("v26.7.0"), None),
    ],
)
def test_a_version_is_three_numbers(written, found):
    assert version_of(written) == found


def test_the_makers_of_runtime_classes():
    made = runtime_class_makers(inputs_of(release("gpu-operator", CDI, version="v26.7.0"), runtime_class("own")))
    by_nri = runtime_class_makers(inputs_of(release("gpu-operator", {"cdi": {"nriPluginEnabled": True}})))
    legacy = runtime_class_makers(inputs_of(release("gpu-operator", {"cdi": {"enabled": False}, "operator": {"runtimeClass": "gpu"}})))

    assert {name: len(makers) for name, makers in made.items()} == {"own": 1, "nvidia": 1, "nvidia-cdi": 1, "nvidia-legacy": 1}
    assert by_nri == {}
    assert list(legacy) == ["gpu"]


# Agents


@pytest.mark.parametrize(
    ("chart", "values", "kinds"),
    [
        ("nvidia-device-plugin", {}, [PLUGIN]),
        ("nvidia-device-plugin", {"gfd": {"enabled": True}}, [PLUGIN, GFD, NFD_WORKER]),
        ("nvidia-device-plugin", {"gfd": {"enabled": True}, "nfd": {"enabled": False}}, [PLUGIN, GFD]),
        ("nvidia-device-plugin", {"nfd": {"enabled": True}}, [PLUGIN, NFD_WORKER]),
        ("nvidia-device-plugin", {"devicePlugin": {"enabled": False}}, []),
        ("nvidia-device-plugin", {"devicePlugin": {"enabled": GIVEN}, "gfd": {"enabled": GIVEN}}, []),
        ("gpu-feature-discovery", {}, [GFD]),
        ("dcgm-exporter", {}, [EXPORTER]),
        ("dra-driver-nvidia-gpu", {}, [DRA]),
        ("node-feature-discovery", {}, [NFD_WORKER]),
        ("node-feature-discovery", {"worker": {"enable": False}}, []),
        ("gpu-operator", {}, [NFD_WORKER]),
        ("gpu-operator", {"nfd": {"enabled": False}}, []),
        ("ollama", {}, []),
    ],
)
def test_the_parts_of_a_chart(chart, values, kinds):
    assert [agent.kind for agent in agents(inputs_of(release(chart, values)))] == kinds


@pytest.mark.parametrize(
    ("image", "command", "kinds"),
    [
        (PLUGIN_IMAGE, None, [PLUGIN]),
        ("registry.example.com/nvidia/k8s-device-plugin@sha256:abc", None, [PLUGIN]),
        (PLUGIN_IMAGE, ["nvidia-device-plugin"], [PLUGIN]),
        (PLUGIN_IMAGE, ["gpu-feature-discovery"], [GFD]),
        (PLUGIN_IMAGE, ["/usr/bin/mps-control-daemon"], [MPS_DAEMON]),
        (PLUGIN_IMAGE, ["config-manager"], []),
        ("nvcr.io/nvidia/k8s/dcgm-exporter:4.6.0", None, [EXPORTER]),
        ("registry.k8s.io/nfd/node-feature-discovery:v0.19.0", ["nfd-worker"], [NFD_WORKER]),
        ("registry.k8s.io/nfd/node-feature-discovery:v0.19.0", ["nfd-topology-updater"], []),
        ("registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1", None, [DRA]),
        ("ghcr.io/intel/intel-gpu-plugin:0.32", None, []),
        ("k8s-device-plugin.example.com/app:1", None, []),
        (None, ["gpu-feature-discovery"], [GFD]),
        ("registry.example.com/copies/plugin", ["sleep", "infinity"], []),
        (PLUGIN_IMAGE, ["sleep", "infinity"], []),
        (PLUGIN_IMAGE, ["/bin/sh", "-c", "/bin/entrypoint.sh"], [PLUGIN]),
        ("bitnami/kubectl:1.36", ["sh", "-c", "kubectl rollout status ds/nvidia-device-plugin"], []),
        ("docker.io/rocm/k8s-device-plugin:1.31", None, []),
        ("registry.example.com/copies/rocm/k8s-device-plugin", None, []),
    ],
)
def test_a_daemon_set_is_known_by_its_image_and_its_command(image, command, kinds):
    pods = daemon_set(image, container={"command": command} if command else None)

    assert [agent.kind for agent in agents(inputs_of(pods))] == kinds


def test_an_init_container_is_no_agent_and_one_container_is_enough():
    waits = daemon_set("busybox", pod={"initContainers": [{"name": "wait", "image": PLUGIN_IMAGE}]})
    beside = daemon_set("busybox")
    beside["spec"]["template"]["spec"]["containers"] += [{"name": name, "image": PLUGIN_IMAGE} for name in ("one", "two")]

    assert agents(inputs_of(waits)) == []
    assert [(agent.kind, agent.container["name"], agent.label) for agent in agents(inputs_of(beside))] == [
        (PLUGIN, "one", "the device plugin")
    ]


def test_a_chart_gives_its_pods_what_the_author_does_not():
    default, own, none = (
        agents(inputs_of(plugin(values)))[0].value("affinity")
        for values in ({}, {"affinity": {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": []}}}, {"affinity": None})
    )

    assert len(default["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]) == 3
    assert own["nodeAffinity"].keys() == {
        "requiredDuringSchedulingIgnoredDuringExecution",
        "preferredDuringSchedulingIgnoredDuringExecution",
    }
    assert none is None


# Values


def test_values_are_laid_upon_the_charts_own_as_helm_does():
    own = {"a": {"b": 1, "c": [1, 2]}, "d": 1}

    assert with_defaults(own, {"a": {"c": [3]}, "d": None}) == {"a": {"b": 1, "c": [3]}}
    assert plain(with_defaults(own, {"a": Unknown("${A}")})) == {"a": "${A}", "d": 1}
    assert own == {"a": {"b": 1, "c": [1, 2]}, "d": 1}


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (True, Answer.YES),
        (False, Answer.NO),
        ("true", Answer.YES),
        ("False", Answer.NO),
        ("yes", Answer.UNKNOWN),
        (None, Answer.UNKNOWN),
        (1, Answer.UNKNOWN),
        (Unknown("true"), Answer.UNKNOWN),
    ],
)
def test_a_switch_is_on_or_off_or_not_known(value, found):
    assert is_on(value) is found


# Where pods run


def affinity(*terms):
    expressions = [[{"key": key, "operator": operator, "values": values} for key, operator, values in term] for term in terms]
    required = {"nodeSelectorTerms": [{"matchExpressions": each} for each in expressions]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def selector(**labels):
    return {"nodeSelector": labels}


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ({}, {}, False),
        (selector(a="1"), selector(a="1"), False),
        (selector(a="1"), selector(a="2"), True),
        (selector(a="1"), selector(b="2"), False),
        (selector(a="true"), selector(a=True), False),
        (affinity([("a", "In", ["1", "2"])]), affinity([("a", "In", ["2", "3"])]), False),
        (affinity([("a", "In", ["1", "2"])]), affinity([("a", "In", ["3"])]), True),
        (selector(a="1"), affinity([("a", "NotIn", ["1"])]), True),
        (selector(a="1"), affinity([("a", "NotIn", ["2"])]), False),
        (affinity([("a", "In", ["1", "2"])]), affinity([("a", "NotIn", ["1"])]), False),
        (selector(a="1"), affinity([("a", "DoesNotExist", [])]), True),
        (affinity([("a", "Exists", [])]), affinity([("a", "DoesNotExist", [])]), True),
        (affinity([("a", "Exists", [])]), affinity([("a", "NotIn", ["1"])]), False),
        (affinity([("a", "In", ["1"])], [("b", "In", ["1"])]), selector(a="2"), False),
        (affinity([("a", "In", ["1"])], [("a", "In", ["3"])]), selector(a="2"), True),
        ({**selector(a="1"), **affinity([("b", "In", ["1"])])}, selector(a="2"), True),
        (selector(a=Unknown("${A}")), selector(a="2"), None),
        ({"nodeSelector": Unknown("${A}")}, selector(a="2"), None),
        ({"affinity": Unknown("${A}")}, selector(a="2"), None),
        ({"affinity": Unknown("${A}"), **selector(a="1")}, selector(a="2"), True),
        (selector(a=Unknown("${A}")), selector(a=Unknown("${A}")), None),
    ],
)
def test_two_sets_of_pods_are_apart_where_no_node_suits_both(one, other, apart):
    expected = {True: Answer.YES, False: Answer.NO, None: Answer.UNKNOWN}[apart]

    assert are_apart(one, other) is expected
    assert are_apart(other, one) is expected


@pytest.mark.parametrize(
    ("spec", "unrestricted"),
    [
        ({}, True),
        (selector(**{"kubernetes.io/os": "linux"}), True),
        (selector(**{"nvidia.com/gpu.present": "true"}), True),
        (selector(**{"feature.node.kubernetes.io/pci-10de.present": "true"}), True),
        (selector(**{"feature.node.kubernetes.io/pci-8086.present": "true"}), False),
        (affinity([("extensions.talos.dev/nvidia-container-toolkit-lts", "Exists", [])]), True),
        (affinity([("extensions.talos.dev/i915", "Exists", [])]), False),
        (selector(**{"example.com/10de-nvidia": "true"}), False),
        (selector(role="gpu"), False),
        ({**selector(role="gpu"), **affinity([("nvidia.com/gpu.present", "In", ["true"])])}, False),
        (affinity([("role", "Exists", [])], [("nvidia.com/gpu.present", "In", ["true"])]), True),
        ({"nodeSelector": Unknown("${A}")}, False),
        ({"affinity": Unknown("${A}")}, False),
    ],
)
def test_pods_are_unrestricted_where_every_gpu_node_suits_them(spec, unrestricted):
    assert is_unrestricted(spec) is unrestricted


def test_only_what_runs_may_offer_more():
    off = {"devicePlugin": {"enabled": False}, **CDI}

    assert not may_offer_more(inputs_of({"kind": "Pod"}))
    assert not may_offer_more(inputs_of(off, chart="gpu-operator@v26.7.0"))
    assert may_offer_more(inputs_of({"devicePlugin": {"config": {"name": "elsewhere"}}, **CDI}, chart="gpu-operator@v26.7.0"))
