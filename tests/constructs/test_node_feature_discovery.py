import pytest
from cdk8s import ApiObject, App, Chart

from conftest import GENERATIONS, message, one, synth
from constructs_lib import (
    ArgoCd,
    Flux,
    GpuNodes,
    HelmTemplate,
    NodeFeatureDiscovery,
    NvidiaGpuOperator,
    PrivilegedNamespace,
    Taint,
    TalosGpuWarning,
)
from constructs_lib.manifests.objects import manifest

CONTROL_PLANE = {"key": "node-role.kubernetes.io/control-plane", "operator": "Equal", "value": "", "effect": "NoSchedule"}
NVIDIA = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
DEDICATED = {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"}
PRIVILEGED = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")}
PCI = {"deviceClassWhitelist": ["02", "03"], "deviceLabelFields": ["vendor"]}
RULE = {
    "name": "nvidia-gpu-present",
    "labels": {"nvidia.com/gpu.present": "true"},
    "matchFeatures": [
        {
            "feature": "pci.device",
            "matchExpressions": {"vendor": {"op": "In", "value": ["10de"]}, "class": {"op": "In", "value": ["0300", "0302"]}},
        },
        {"feature": "kernel.loadedmodule", "matchExpressions": {"nvidia": {"op": "Exists"}}},
    ],
}
VERSION = "a version of the node-feature-discovery chart such as '0.19.0'"
REPOSITORY = "the address of a Helm repository ('https://…'), or of a registry ('oci://…')"
NAMESPACE = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"


class Rendered:
    """A delivery that gives what Helm renders of the chart, as far as it matters here."""

    def manifests(self, release):
        return {kind: manifest("v1", kind, release.name, namespace=release.namespace) for kind in ("Deployment", "DaemonSet")}


def discovery(scope, nodes=None, /, **arguments):
    """Node feature discovery by Argo CD, on Talos 1.14 unless the nodes say something else."""
    return NodeFeatureDiscovery(
        scope, "nfd", **{"nodes": GpuNodes(talos_version="1.14") if nodes is None else nodes, "delivery": ArgoCd(), **arguments}
    )


def kinds(chart):
    return [made["kind"] for made in synth(chart)]


@pytest.mark.parametrize(("delivery", "kind"), [(ArgoCd(), "Application"), (Flux(), "HelmRelease"), (Rendered(), "DaemonSet")])
def test_main_child_is_what_installs_the_chart_or_the_worker(chart, delivery, kind):
    assert ApiObject.of(discovery(chart, delivery=delivery)).kind == kind


@pytest.mark.parametrize("talos", GENERATIONS)
def test_defaults_of_each_generation(chart, talos, snapshot_yaml):
    made = discovery(chart, GpuNodes(talos_version=talos))

    assert synth(chart) == snapshot_yaml
    assert kinds(chart) == ["Namespace", "Application", "NodeFeatureRule"]
    assert made.chart_values == {
        "worker": {"tolerations": [NVIDIA], "config": {"sources": {"pci": PCI}}},
        "master": {"tolerations": [CONTROL_PLANE, NVIDIA], "config": {"extraLabelNs": ["nvidia.com"]}},
        "gc": {"tolerations": [NVIDIA]},
    }
    source = one(synth(chart), "Application")["spec"]["source"]
    assert (source["repoURL"], source["chart"], source["targetRevision"]) == (
        "registry.k8s.io/nfd/charts",
        "node-feature-discovery",
        "0.19.0",
    )
    assert source["helm"] == {"releaseName": "node-feature-discovery", "valuesObject": made.chart_values}


def test_the_namespace_is_privileged_as_the_worker_mounts_the_node(chart):
    discovery(chart, namespace="nfd")

    assert one(synth(chart), "Namespace")["metadata"] == {"name": "nfd", "labels": PRIVILEGED}


def test_the_namespace_can_be_somebody_elses(chart):
    discovery(chart, create_namespace=False, namespace="kube-system")

    assert "Namespace" not in kinds(chart)
    assert one(synth(chart), "Application")["spec"]["destination"]["namespace"] == "kube-system"


def test_the_taints_of_every_class_are_tolerated_each_once(chart):
    dedicated = Taint("dedicated", "ai")
    classes = [GpuNodes(talos_version="1.12", taints=[dedicated]), GpuNodes(talos_version="1.14", taints=[dedicated])]

    values = discovery(chart, classes).chart_values
    assert {part: values[part]["tolerations"] for part in ("worker", "master", "gc")} == {
        "worker": [NVIDIA, DEDICATED],
        "master": [CONTROL_PLANE, NVIDIA, DEDICATED],
        "gc": [NVIDIA, DEDICATED],
    }


@pytest.mark.parametrize("delivery", [ArgoCd(), Rendered()])
def test_gpu_nodes_are_marked_by_a_rule(chart, delivery):
    made = discovery(chart, delivery=delivery)

    rule = one(synth(chart), "NodeFeatureRule")
    assert (rule["apiVersion"], rule["metadata"]["name"]) == ("nfd.k8s-sigs.io/v1alpha1", "nvidia-gpu-present")
    assert "namespace" not in rule["metadata"]
    assert rule["spec"] == {"rules": [RULE]}
    assert made.rule_in_worker_config is False


def test_argo_cd_goes_on_while_the_chart_has_not_brought_the_rules_kind(chart):
    discovery(chart)

    annotations = {"argocd.argoproj.io/sync-options": "SkipDryRunOnMissingResource=true"}
    assert one(synth(chart), "NodeFeatureRule")["metadata"]["annotations"] == annotations


def test_a_rule_beside_what_helm_renders_needs_no_annotation(chart):
    discovery(chart, delivery=Rendered())

    assert "annotations" not in one(synth(chart), "NodeFeatureRule")["metadata"]


def test_with_flux_the_rule_is_in_the_workers_config(chart):
    made = discovery(chart, delivery=Flux())

    assert kinds(chart) == ["Namespace", "OCIRepository", "HelmRelease"]
    assert one(synth(chart), "HelmRelease")["spec"]["values"] == made.chart_values
    assert made.chart_values["worker"]["config"]["sources"] == {"pci": PCI, "custom": [RULE]}
    assert one(synth(chart), "OCIRepository")["spec"]["url"] == "oci://registry.k8s.io/nfd/charts/node-feature-discovery"
    assert made.rule_in_worker_config is True


@pytest.mark.parametrize("delivery", [ArgoCd(), Flux(), Rendered()])
def test_without_the_rule_nothing_marks_them(chart, delivery):
    made = discovery(chart, delivery=delivery, gpu_present_rule=False)

    assert "NodeFeatureRule" not in kinds(chart)
    assert made.chart_values["worker"]["config"]["sources"] == {"pci": PCI}


def test_further_values_are_laid_on(chart):
    values = {"worker": {"priorityClassName": "system-node-critical", "config": {"core": {"sleepInterval": "5m"}}}, "gc": {"enable": False}}
    made = discovery(chart, values=values)

    assert made.values == values
    assert made.chart_values["gc"] == {"tolerations": made.chart_values["worker"]["tolerations"], "enable": False}
    assert made.chart_values["worker"] == {
        "tolerations": [NVIDIA],
        "config": {"sources": {"pci": PCI}, "core": {"sleepInterval": "5m"}},
        "priorityClassName": "system-node-critical",
    }


def test_arguments_are_found_in_the_release(chart):
    discovery(
        chart, delivery=Flux(), version="0.18.3", release_name="nfd", repository="https://charts.local", chart="discovery", namespace="nfd"
    )  # fmt: skip

    release = one(synth(chart), "HelmRelease")
    assert release["metadata"] == {"name": "nfd", "namespace": "nfd"}
    assert (release["spec"]["chart"]["spec"]["chart"], release["spec"]["chart"]["spec"]["version"]) == ("discovery", "0.18.3")
    assert one(synth(chart), "HelmRepository")["spec"]["url"] == "https://charts.local"


def test_the_operators_differences_are_no_business_of_argo_cd_here(chart):
    discovery(chart)

    assert "ignoreDifferences" not in one(synth(chart), "Application")["spec"]


@pytest.mark.parametrize("delivery", [ArgoCd(), Flux()])
def test_a_namespace_of_the_chart_changes_nothing(delivery):
    plain, namespaced = Chart(App(), "gpu"), Chart(App(), "gpu", namespace="elsewhere")
    for chart in (plain, namespaced):
        discovery(chart, delivery=delivery)

    assert synth(namespaced) == synth(plain)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (
            {"worker": {"tolerations": []}},
            f"worker.tolerations to [], where these nodes need {[NVIDIA]!r}: nodes with other taints get no labels",
        ),
        (
            {
                "worker": {
                    "config": {"sources": {"pci": {"deviceLabelFields": ["class", "vendor"], "deviceClassWhitelist": ["02", "03", "12"]}}}
                }
            },
            None,
        ),
        (
            {"worker": {"config": {"sources": {"pci": {"deviceLabelFields": ["class"]}}}}},
            (
                "worker.config.sources.pci.deviceLabelFields to ['class'], where these nodes need ['vendor']: NVIDIA's charts select by pci-10de.present, a label of the vendor alone"
            ),
        ),
        (
            {"worker": {"config": {"sources": {"pci": {"deviceClassWhitelist": ["12"]}}}}},
            (
                "worker.config.sources.pci.deviceClassWhitelist to ['12'], where these nodes need ['02', '03']: without these PCI "
                "classes a GPU node gets no label"
            ),
        ),
    ],
)
def test_values_that_take_a_label_away_are_warned_of(chart, values, says):
    if says is None:
        assert discovery(chart, values=values).chart_values["worker"]["tolerations"] == [NVIDIA]
        return
    with pytest.warns(TalosGpuWarning) as caught:
        discovery(chart, values=values)

    assert [str(each.message) for each in caught] == [f"'values' sets {says}"]


def classes(*prefixes):
    return {"worker": {"config": {"sources": {"pci": {"deviceClassWhitelist": list(prefixes)}}}}}


EVERYTHING = {"operator": "Exists"}


@pytest.mark.parametrize(
    "values",
    [
        classes("03"),
        classes("0300", "0302"),
        classes("0b40", "0"),
        {"worker": {"tolerations": [EVERYTHING]}},
        {"worker": {"tolerations": [{"effect": "NoSchedule", "operator": "Exists"}]}},
        {"worker": {"tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}]}},
        {"master": {"tolerations": [EVERYTHING]}, "gc": {"tolerations": [EVERYTHING]}},
    ],
)
@pytest.mark.filterwarnings("error")
def test_values_that_do_what_the_nodes_need_in_other_words_are_not_warned_of(chart, values):
    discovery(chart, values=values)


@pytest.mark.parametrize(
    "toleration",
    [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoExecute"},
        {"key": "nvidia.com/gpu", "operator": "Equal", "value": "present", "effect": "NoSchedule"},
        {"key": "other", "operator": "Exists"},
        {"effect": "NoSchedule"},
    ],
)
def test_a_toleration_of_another_taint_is_warned_of(chart, toleration):
    with pytest.warns(TalosGpuWarning, match=r"'values' sets gc\.tolerations to"):
        discovery(chart, values={"gc": {"tolerations": [toleration]}})


@pytest.mark.parametrize(("own", "is_met"), [({"key": "node-role.kubernetes.io/control-plane"}, True), ({"effect": "NoSchedule"}, False)])
def test_a_toleration_without_a_key_tolerates_all_only_by_exists(chart, own, is_met, recwarn):
    discovery(chart, values={"master": {"tolerations": [own, NVIDIA]}})

    assert (not recwarn.list) is is_met


def test_a_whitelist_of_one_kind_of_card_is_warned_of(chart):
    with pytest.warns(TalosGpuWarning, match=r"'values' sets worker\.config\.sources\.pci\.deviceClassWhitelist to \['0300'\]"):
        discovery(chart, values=classes("0300"))


def test_rules_of_the_users_own_stand_beside_ours_in_the_workers_config(chart):
    mine = {"name": "mine", "labels": {"example.com/mine": "true"}}
    made = discovery(chart, values={"worker": {"config": {"sources": {"custom": [mine]}}}}, delivery=Flux())

    assert made.chart_values["worker"]["config"]["sources"]["custom"] == [RULE, mine]


def test_our_rule_under_other_conditions_is_warned_of(chart):
    ours = {"name": "nvidia-gpu-present", "labels": {"nvidia.com/gpu.present": "false"}}
    with pytest.warns(
        TalosGpuWarning, match=r"'values' sets worker\.config\.sources\.custom to .*: nothing else sets nvidia\.com/gpu\.present"
    ):
        discovery(chart, values={"worker": {"config": {"sources": {"custom": [ours]}}}}, delivery=Flux())


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"nodes": "1.14"}, TypeError, "'nodes' must be a GpuNodes, or a list of them (got '1.14')"),
        ({"nodes": []}, ValueError, "'nodes' must be a GpuNodes, or a list of them (got []); give at least one class of GPU nodes"),
        (
            {"delivery": Flux},
            TypeError,
            "'delivery' must be a HelmTemplate, an ArgoCd or a Flux (got the class Flux); did you mean Flux()?",
        ),
        ({"version": "v0.19.0"}, ValueError, f"'version' must be {VERSION} (got 'v0.19.0'); did you mean '0.19.0'?"),
        ({"version": "latest"}, ValueError, f"'version' must be {VERSION} (got 'latest')"),
        ({"version": 0.19}, TypeError, f"'version' must be {VERSION} (got 0.19)"),
        ({"version": None}, TypeError, f"'version' must be {VERSION} (got None)"),
        ({"namespace": "NFD"}, ValueError, f"'namespace' must be {NAMESPACE} (got 'NFD'); did you mean 'nfd'?"),
        (
            {"namespace": "kube-system"},
            ValueError,
            "'create_namespace' must be False for kube-system (got True); every cluster has that namespace",
        ),
        ({"repository": "registry.k8s.io/nfd"}, ValueError, f"'repository' must be {REPOSITORY} (got 'registry.k8s.io/nfd')"),
        ({"gpu_present_rule": "yes"}, TypeError, "'gpu_present_rule' must be True or False (got 'yes'); did you mean True?"),
        ({"values": "worker"}, TypeError, "'values' must be a mapping of the chart's values (got 'worker')"),
        (
            {"values": {"workers": {}}},
            ValueError,
            "'values' must be made of keys that the node-feature-discovery chart reads (got 'workers'); did you mean 'worker'?",
        ),
        (
            {"values": {"worker": {"toleration": []}}},
            ValueError,
            "'values' must be made of keys that the node-feature-discovery chart reads (got 'worker.toleration'); did you mean 'tolerations'?",
        ),
        (
            {"values": {"master": "off"}},
            TypeError,
            "'values[master]' must be a mapping of the chart's own keys (got 'off'); such as {'affinity': …}",
        ),
        (
            {"values": {"worker": {"config": None}}},
            ValueError,
            (
                "'values' must be without null (got 'worker.config'); cdk8s drops a null, so the null never reaches the chart; write the value that you want"
            ),
        ),
        (
            {"rule": False},
            TypeError,
            (
                "'rule' must be an argument of NodeFeatureDiscovery (got rule=False); the arguments of NodeFeatureDiscovery are 'nodes', 'delivery', "
                "'version', 'namespace', 'release_name', 'repository', 'chart', 'gpu_present_rule', 'create_namespace', 'values'"
            ),
        ),
    ],
)
def test_a_wrong_argument_is_refused_and_leaves_nothing_behind(chart, arguments, error, says):
    assert message(lambda: discovery(chart, **arguments), error) == says
    assert chart.node.children == []
    assert discovery(chart).release_name == "node-feature-discovery"


def test_without_helm_the_ways_that_need_none_are_named(chart):
    assert message(lambda: discovery(chart, delivery=HelmTemplate(helm="no-such-helm"))) == (
        "'delivery' must be a HelmTemplate whose helm can be run (got 'no-such-helm'); the command is not on PATH: install Helm, or deliver with ArgoCd() or Flux(), which need no Helm"
    )
    assert chart.node.children == []


def test_an_app_has_one(chart):
    app = App()
    discovery(Chart(app, "one"))

    assert message(lambda: discovery(Chart(app, "two"), GpuNodes(talos_version="1.14", name="rtx"))) == (
        "'nodes' must be given to the one NodeFeatureDiscovery of this app (got [GpuNodes(talos_version='1.14', name='rtx')]); one NodeFeatureDiscovery labels every node of the cluster; give it all classes of nodes: nodes=[…, …]"
    )
    assert discovery(Chart(App(), "another-cluster")).version == "0.19.0"


BESIDE = {"nodes": GpuNodes(talos_version="1.14"), "delivery": Flux()}
TWICE = "'nfd' must be False on an NvidiaGpuOperator beside a NodeFeatureDiscovery (got True); the operator installs node feature discovery too, and both would label each node; leave one of the two out"
MARKED = (
    "'gpu_present_rule' must be False on a NodeFeatureDiscovery beside an NvidiaGpuOperator (got True); the operator sets "
    "nvidia.com/gpu.present by itself"
)


@pytest.mark.parametrize(("nfd", "says"), [(True, TWICE), (False, MARKED)])
def test_what_an_operator_does_by_itself_is_refused_whoever_comes_first(nfd, says):
    for operator_first in (True, False):
        chart = Chart(App(), "gpu")
        makers = [lambda on=chart: NvidiaGpuOperator(on, "operator", nfd=nfd, **BESIDE), lambda on=chart: discovery(on)]
        first, second = makers if operator_first else reversed(makers)
        first()

        assert message(second) == says
        assert len(chart.node.children) == 1


@pytest.mark.parametrize("operator_first", [True, False])
def test_stands_beside_an_operator_without_one(chart, operator_first):
    makers = [
        lambda: NvidiaGpuOperator(chart, "operator", nfd=False, **BESIDE),
        lambda: discovery(chart, gpu_present_rule=False),
    ]
    for make in makers if operator_first else reversed(makers):
        make()

    assert sorted(kinds(chart)) == ["Application", "HelmRelease", "HelmRepository", "Namespace", "Namespace"]


def test_a_namespace_that_the_app_has_is_not_made_again(chart):
    PrivilegedNamespace(chart, "node-feature-discovery")

    assert message(lambda: discovery(chart)) == (
        "'create_namespace' must be False where the app has the namespace (got True); PrivilegedNamespace already makes the namespace 'node-feature-discovery'; the second object would replace the first"
    )
