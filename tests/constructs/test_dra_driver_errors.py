"""Every argument of `DraDriver`, wrong in the ways that people are wrong; what came of it is said in whole messages."""

import inspect

import pytest
from cdk8s import App

from conftest import message
from constructs_lib import Dra, DraDriver, Flux, GpuNodes, TalosGpuWarning
from constructs_lib.upstream.charts import DRA_DRIVER
from constructs_lib.upstream.nvidia.dra_driver_gates import EXCLUSIVE_GATES
from constructs_lib.upstream.talos.releases import READ_ON

NODES = GpuNodes(talos_version="1.13", dra=Dra())
BY_TURNS = GpuNodes(talos_version="1.13", dra=Dra(share="time-slicing"))
SHARES = GpuNodes(talos_version="1.13", dra=Dra(share="consumable", shares=4))
BY_LIMIT = GpuNodes(talos_version="1.13", dra=Dra(extended_resource=True))
V, T = ValueError, TypeError

CHART = "a version of the dra-driver-nvidia-gpu chart such as '0.5.0'"
LABEL = "a DNS label (lower-case letters, digits and '-', starting with a letter, at most 53 characters)"
NAMESPACE = "the name of a namespace (lower-case letters, digits and '-', at most 63 characters)"
ADDRESS = "the address of a Helm repository ('https://…'), or of a registry ('oci://…')"
KUBERNETES = "a Kubernetes version such as '1.34'"
CLUSTER_GATES = (
    "a list of 'DRAAdminAccess', 'DRAConsumableCapacity', 'DRADeviceTaintRules', 'DRADeviceTaints', 'DRAExtendedResource', "
    "'DRAPartitionableDevices', 'ResourceHealthStatus'"
)
PROFILE = "a MIG profile such as '1g.10gb' or '1g.10gb+me'"
READS = "made of keys that the dra-driver-nvidia-gpu chart reads"
TO_HELM = "Helm takes every string for true"
NO_PASSTHROUGH = (
    "the driver runs the node's fuser before it moves a card to vfio-pci, and Talos has no fuser: the claim ends with 'timed out waiting for gpu to be "
    "free'; describe nodes whose cards belong to virtual machines by 'passthrough' of GpuNodes"
)
NO_MPS = (
    "the MPS daemon of the DRA driver can't start on Talos: the daemon mounts folders inside the driver root /usr/local, which is read-only"
)
WAITS = "Talos has its driver in /usr/local; with another driver root the plugin's init container waits for ever"
WITH = "the driver refuses to start with both"


def driver(scope, **given):
    return DraDriver(scope, "dra", **{"nodes": NODES, "delivery": Flux(), **given})


def refused(argument, rule, got, then=""):
    return f"'{argument}' must be {rule} (got {got})" + (f"; {then}" if then else "")


def switched(gate):
    return f"or switch the feature gate {gate} on in the cluster, and name the gate in 'kubernetes_feature_gates'"


def share(gate):
    return f"the driver refuses the 'share' of these nodes' Dra without {gate}"


def gates(**given):
    return {"values": {"featureGates": given}}


# What is given, the kind of error, its whole message.
CASES = [
    ({"nodes": []}, V, refused("nodes", "a GpuNodes, or a list of them", "[]", "give at least one class of GPU nodes")),
    ({"nodes": "1.14"}, T, refused("nodes", "a GpuNodes, or a list of them", "'1.14'")),
    ({"nodes": ["1.14"]}, T, refused("nodes", "a GpuNodes, or a list of them", "'1.14'")),
    ({"nodes": GpuNodes(talos_version="1.13")}, V, refused("nodes", "classes with 'dra'", "GpuNodes(talos_version='1.13')",
     "'dra' says how pods share the GPUs that they claim; such as GpuNodes(…, dra=Dra())")),
    ({"nodes": [NODES, SHARES]}, V, refused("nodes", "of one 'shares'", "[Dra(), Dra(share='consumable', shares=4)]",
     "the driver has one setting for the whole cluster; with shares='memory' a claim without 'gpu_memory' takes a whole GPU")),
    ({"delivery": "flux"}, T, refused("delivery", "a HelmTemplate, an ArgoCd or a Flux", "'flux'", "such as Flux()")),
    ({"version": "v0.5.0"}, V, refused("version", CHART, "'v0.5.0'", "did you mean '0.5.0'?")),
    ({"version": "latest"}, V, refused("version", CHART, "'latest'")),
    ({"version": 0.5}, T, refused("version", CHART, "0.5")),
    ({"version": "0.3.0"}, V, refused("version", "at least '0.4.0'", "'0.3.0'", "older charts have another name and address")),
    ({"version": "0.4.1", "nodes": SHARES}, V, refused("version", "at least '0.5.0'", "'0.4.1'", "share='consumable' came with 0.5.0")),
    ({"kubernetes_version": 1.36}, T, refused("kubernetes_version", KUBERNETES, "1.36", "quote it: '1.36'")),
    ({"kubernetes_version": 136}, T, refused("kubernetes_version", KUBERNETES, "136")),
    ({"kubernetes_version": "latest"}, V, refused("kubernetes_version", KUBERNETES, "'latest'")),
    ({"kubernetes_version": "1.33"}, V, refused("kubernetes_version", "at least '1.34'", "'1.33'",
     "older Kubernetes has no resource.k8s.io/v1, and has dynamic resource allocation off; upgrade Kubernetes first")),
    ({"kubernetes_version": "1.37"}, V, refused("kubernetes_version", "one that Talos 1.13 runs, up to '1.36'", "'1.37'")),
    *(({"kubernetes_version": version, "nodes": SHARES}, V, refused("kubernetes_version", "at least '1.36' for share='consumable'",
        repr(version), switched("DRAConsumableCapacity"))) for version in ("1.34", "1.35")),
    ({"kubernetes_version": "1.35", "mig_profiles": ["1g.10gb"]}, V, refused("kubernetes_version", "at least '1.36' for 'mig_profiles'",
     "'1.35'", switched("DRAExtendedResource"))),
    ({"kubernetes_version": "1.35", "nodes": BY_LIMIT}, V, refused("kubernetes_version",
     "at least '1.36' for 'extended_resource' of 'dra'", "'1.35'", switched("DRAExtendedResource"))),
    ({"kubernetes_version": "1.35", "dynamic_mig": True}, V, refused("kubernetes_version",
     "at least '1.36' for the driver's DynamicMIG", "'1.35'", switched("DRAPartitionableDevices"))),
    ({"dynamic_mig": True, **gates(DynamicMIG=False)}, V, refused("values[featureGates]", "without DynamicMIG: False", "{'DynamicMIG': False}",
     "the driver makes no partition without DynamicMIG")),
    ({"kubernetes_version": "1.35", **gates(DynamicMIG=True)}, V, refused("kubernetes_version",
     "at least '1.36' for the driver's DynamicMIG", "'1.35'", switched("DRAPartitionableDevices"))),
    ({"kubernetes_version": "1.35", "nodes": SHARES, "kubernetes_feature_gates": ["DRAExtendedResource"]}, V, refused("kubernetes_version",
     "at least '1.36' for share='consumable'", "'1.35'", switched("DRAConsumableCapacity"))),
    ({"kubernetes_feature_gates": "DRAExtendedResource"}, T, refused("kubernetes_feature_gates", "a list of strings",
     "'DRAExtendedResource'", "did you mean ['DRAExtendedResource']?")),
    ({"kubernetes_feature_gates": ["DRAConsumableShares"]}, V, refused("kubernetes_feature_gates", CLUSTER_GATES, "'DRAConsumableShares'",
     "did you mean 'DRAConsumableCapacity'?")),
    ({"compute_domains": "no"}, T, refused("compute_domains", "True or False", "'no'", "did you mean False?")),
    ({"mig_profiles": "1g.10gb"}, T, refused("mig_profiles", "a list of strings", "'1g.10gb'", "did you mean ['1g.10gb']?")),
    ({"mig_profiles": ["mig-1g.10gb.me"]}, V, refused("mig_profiles", PROFILE, "'mig-1g.10gb.me'", "did you mean '1g.10gb+me'?")),
    ({"namespace": "GPU"}, V, refused("namespace", NAMESPACE, "'GPU'", "did you mean 'gpu'?")),
    ({"namespace": "default"}, V, refused("namespace", "another than 'default'", "'default'", "the chart refuses this namespace")),
    ({"namespace": "kube-system"}, V, refused("create_namespace", "False for kube-system", "True",
     "every cluster has that namespace")),
    ({"create_namespace": 1}, T, refused("create_namespace", "True or False", "1")),
    ({"release_name": "dra driver"}, V, refused("release_name", LABEL, "'dra driver'", "did you mean 'dra-driver'?")),
    ({"repository": "registry.k8s.io"}, V, refused("repository", ADDRESS, "'registry.k8s.io'")),
    ({"chart": ""}, V, refused("chart", "a string that is not empty", "''")),
    ({"values": "a=b"}, T, refused("values", "a mapping of the chart's values", "'a=b'")),
    ({"values": {"nvidiaDriverRot": "/usr/local"}}, V, refused("values", READS, "'nvidiaDriverRot'", "did you mean 'nvidiaDriverRoot'?")),
    ({"values": {"nvidiaCtkPath": "/usr/bin"}}, V, refused("values", "without 'nvidiaCtkPath', which the dra-driver-nvidia-gpu chart refuses", "{'nvidiaCtkPath': '/usr/bin'}",
     "leave it out: the driver brings its own hook")),
    ({"values": {"kubeletPlugin": {"toleration": []}}}, V, refused("values", READS, "'kubeletPlugin.toleration'",
     "did you mean 'tolerations'?")),
    ({"values": {"image": "mine"}}, T, refused("values[image]", "a mapping of the chart's own keys", "'mine'", "such as {'pullPolicy': …}")),
    ({"values": {"logVerbosity": None}}, V, refused("values", "without null", "'logVerbosity'",
     "cdk8s drops a null, so the null never reaches the chart; write the value that you want")),
    ({"values": {"webhook": {"enabled": "false"}}}, T, refused("values[webhook.enabled]", "True or False", "'false'", TO_HELM)),
    ({"values": {"gpuResourcesEnabledOverride": "true"}}, T, refused("values[gpuResourcesEnabledOverride]", "True or False", "'true'", TO_HELM)),
    *(({"values": {"nvidiaDriverRoot": root}}, V, refused("values[nvidiaDriverRoot]", "'/usr/local' on Talos", repr(root), WAITS))
      for root in ("/", "/run/nvidia/driver", "")),
    ({"values": {"consumableShares": "5"}}, V, refused("values", "without consumableShares", "'5'", "set 'shares' on the nodes' Dra")),
    ({"values": {"namespace": "gpu"}}, V, refused("values", "without namespace", "'gpu'", "set the argument 'namespace'")),
    ({"values": {"resources": {"computeDomains": {"enabled": True}}}}, V, refused("values", "without resources.computeDomains.enabled",
     "True", "set the argument 'compute_domains'")),
    ({"values": {"featureGates": "DynamicMIG=true"}}, T, refused("values[featureGates]", "a mapping of feature gates to True or False",
     "'DynamicMIG=true'")),
    (gates(DynamicMig=True), V, refused("values[featureGates]", "made of feature gates that the driver has", "'DynamicMig'",
     "did you mean 'DynamicMIG'?")),
    ({"version": "0.4.1", **gates(HostManagedIMEXDaemon=True)}, V, refused("values[featureGates]",
     "made of feature gates that the driver has", "'HostManagedIMEXDaemon'", "HostManagedIMEXDaemon came with 0.5.0")),
    (gates(DynamicMIG="true"), T, refused("values[featureGates.DynamicMIG]", "True or False", "'true'", "did you mean True?")),
    ({"nodes": BY_TURNS, **gates(TimeSlicingSettings=False)}, V, refused("values[featureGates]", "without TimeSlicingSettings: False",
     "{'TimeSlicingSettings': False}", share("TimeSlicingSettings"))),
    ({"nodes": SHARES, **gates(ConsumableShares=False)}, V, refused("values[featureGates]", "without ConsumableShares: False",
     "{'ConsumableShares': False}", share("ConsumableShares"))),
    (gates(MPSSupport=True), V, refused("values[featureGates]", "without MPSSupport on Talos", "{'MPSSupport': True}", NO_MPS)),
    ({"version": "0.4.1", **gates(DynamicMIG=True, NVMLDeviceHealthCheck=True)}, V, refused("values[featureGates]",
     "without both DynamicMIG and NVMLDeviceHealthCheck", "{'DynamicMIG': True, 'NVMLDeviceHealthCheck': True}", WITH)),
    (gates(AllAlpha=True), V, refused("values[featureGates]", "without MPSSupport on Talos", "{'AllAlpha': True}", NO_MPS)),
    (gates(AllAlpha=True, MPSSupport=False), V, refused("values[featureGates]", "without PassthroughSupport on Talos",
     "{'AllAlpha': True, 'MPSSupport': False}", NO_PASSTHROUGH)),
    (gates(DeviceMetadata=True), V, refused("values[featureGates]", "without DeviceMetadata on Talos", "{'DeviceMetadata': True}",
     f"the driver refuses to start without PassthroughSupport, which can't work on Talos: {NO_PASSTHROUGH}")),
    (gates(DeviceMetadata=True, PassthroughSupport=True), V, refused("values[featureGates]", "without PassthroughSupport on Talos",
     "{'DeviceMetadata': True, 'PassthroughSupport': True}", NO_PASSTHROUGH)),
    (gates(IMEXDaemonsWithDNSNames=False), V, refused("values[featureGates]",
     "with IMEXDaemonsWithDNSNames where ComputeDomainCliques is on", "{'IMEXDaemonsWithDNSNames': False}",
     "the driver refuses to start without IMEXDaemonsWithDNSNames")),
]  # fmt: skip


@pytest.mark.parametrize(("given", "error", "expected"), CASES, ids=[str(given) for given, _, _ in CASES])
def test_a_wrong_argument_is_refused_and_leaves_nothing_behind(chart, given, error, expected):
    assert message(lambda: driver(chart, **given), error) == expected
    assert chart.node.children == []
    assert driver(chart).version == "0.5.0"


def test_each_argument_has_a_case_above():
    arguments = {
        name for name, parameter in inspect.signature(DraDriver.__init__).parameters.items() if parameter.kind.name == "KEYWORD_ONLY"
    }

    assert arguments == {argument for given, _, _ in CASES for argument in given}


@pytest.mark.parametrize(
    "gate",
    [{"DynamicMIG": True, "TimeSlicingSettings": True}, {"IMEXDaemonsWithDNSNames": False, "ComputeDomainCliques": False},
     {"MPSSupport": False}, {"ContextualLogging": False},
     {"HostManagedIMEXDaemon": True}, {"AllBeta": False}, {"AllAlpha": False},
     {"AllAlpha": True, "MPSSupport": False, "DynamicMIG": False, "PassthroughSupport": False, "DeviceMetadata": False}],
)  # fmt: skip
def test_gates_that_go_together_are_accepted(chart, gate):
    assert driver(chart, values={"featureGates": gate}).chart_values["featureGates"] == gate


def test_dynamic_mig_beside_the_health_check_is_warned_of_from_0_5_on(chart):
    with pytest.warns(TalosGpuWarning) as warned:
        driver(chart, values={"featureGates": {"DynamicMIG": True, "NVMLDeviceHealthCheck": True}})

    (warning,) = warned
    assert str(warning.message) == (
        "'values' switches DynamicMIG and NVMLDeviceHealthCheck on: a driver before 0.5.0 refuses to start with both, and it is not known whether "
        "0.5.0 starts with both (kubernetes-sigs/dra-driver-nvidia-gpu#1266)"
    )


def test_dynamic_mig_of_all_alpha_needs_the_gate_of_kubernetes_too(chart):
    others = dict.fromkeys(("MPSSupport", "PassthroughSupport", "DeviceMetadata", "NVMLDeviceHealthCheck"), False)

    assert "for the driver's DynamicMIG" in message(
        lambda: driver(chart, kubernetes_version="1.35", values={"featureGates": {"AllAlpha": True, **others}}), ValueError
    )


def test_nodes_have_no_default(chart):
    assert message(lambda: DraDriver(chart, "dra", delivery=Flux()), TypeError) == (
        "'nodes' must be given to DraDriver (got nothing); the driver's values follow from its nodes"
    )


def test_an_app_as_scope_is_refused_and_leaves_nothing_behind():
    app = App()

    assert message(lambda: driver(app), TypeError) == (
        "'scope' must be a Chart, or a construct in a Chart (got an App); put a Chart between the app and the construct: Chart(app, …)"
    )
    assert app.node.children == []


@pytest.mark.parametrize(
    ("argument", "says"),
    [
        ("tolerations", "give the 'taints' to GpuNodes: every pod for these nodes tolerates the taints"),
        ("feature_gates", "give feature gates in 'values': {'featureGates': …}"),
        ("dra", "'dra' is an argument of GpuNodes"),
    ],
)
def test_an_argument_of_something_else_is_answered_with_where_it_is(chart, argument, says):
    assert (
        message(lambda: driver(chart, **{argument: 1}), TypeError)
        == f"'{argument}' must be an argument of DraDriver (got {argument}=1); {says}"
    )


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"nvidiaDriverRoot": "/opt/nvidia"}, ("'values' sets nvidiaDriverRoot to '/opt/nvidia', where these nodes need '/usr/local': in any other folder the plugin's init container finds no nvidia-smi, and waits for ever")),
        ({"gpuResourcesEnabledOverride": False}, ("'values' sets gpuResourcesEnabledOverride to False, where these nodes need True: the chart "
         "then refuses to be rendered")),
        ({"resources": {"gpus": {"enabled": False}}}, ("'values' sets resources.gpus.enabled to False, where these nodes need True: nothing allocates the GPUs that pods claim")),
        ({"resourceApiVersion": "resource.k8s.io/v1beta1"}, ("'values' sets resourceApiVersion to 'resource.k8s.io/v1beta1', where these nodes "
         "need 'resource.k8s.io/v1': from 1.36 on Kubernetes serves no other version by default")),
        ({"kubeletPlugin": {"tolerations": []}}, ("'values' sets kubeletPlugin.tolerations to [], where these nodes need [{'key': "
         "'nvidia.com/gpu', 'operator': 'Exists', 'effect': 'NoSchedule'}]: the plugin is not scheduled onto nodes with taints that it does "
         "not tolerate")),
    ],
)  # fmt: skip
def test_what_talos_needs_can_be_overridden_with_a_warning(chart, values, expected):
    with pytest.warns(TalosGpuWarning) as caught:
        driver(chart, values=values)

    assert [str(each.message) for each in caught] == [expected]


def test_more_tolerations_than_are_needed_are_no_reason_to_warn(chart):
    tolerations = [*NODES.tolerations, {"operator": "Exists"}]

    assert driver(chart, values={"kubeletPlugin": {"tolerations": tolerations}}).chart_values["kubeletPlugin"]["tolerations"] == tolerations


def test_another_affinity_is_laid_on_with_a_warning(chart):
    term = {"matchExpressions": [{"key": "a", "operator": "Exists"}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    with pytest.warns(TalosGpuWarning, match=r"labels of node feature discovery, which not every cluster has$"):
        made = driver(chart, values={"kubeletPlugin": {"affinity": affinity}})

    assert made.chart_values["kubeletPlugin"]["affinity"] == affinity


def test_a_newer_chart_is_taken_with_a_warning_and_its_keys_as_they_are(chart):
    with pytest.warns(
        TalosGpuWarning,
        match=rf"^dra-driver-nvidia-gpu 0\.99\.0 is newer than this library's tables, which were read on {READ_ON} \(newest: {DRA_DRIVER.newest}\)",
    ):
        made = driver(chart, version="0.99.0", values={"somethingNew": 1, "featureGates": {"NewGate": True}})

    assert (made.chart_values["somethingNew"], made.chart_values["featureGates"]) == (1, {"NewGate": True})


def test_an_older_chart_of_the_same_name_is_taken(chart):
    assert driver(chart, version="0.4.1").version == "0.4.1"


def test_a_version_of_the_charts_former_name_is_refused(chart):
    assert message(lambda: driver(chart, version="25.8.0")) == (
        "'version' must be at least '0.4.0' (got '25.8.0'); this is a version of the chart's former name, nvidia-dra-driver-gpu"
    )


def test_of_each_pair_that_the_driver_refuses_one_gate_is_refused_on_talos():
    assert all({"MPSSupport", "PassthroughSupport"} & set(pair) for pair in EXCLUSIVE_GATES)
