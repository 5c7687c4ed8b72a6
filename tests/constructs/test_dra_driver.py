"""`DraDriver`: the chart's values, what is made beside it, and which neighbours it has."""

import pytest
from cdk8s import ApiObject, App, Chart

from conftest import message, one, synth
from constructs_lib import (
    ArgoCd,
    Dra,
    DraDriver,
    Flux,
    GpuNodes,
    HelmTemplate,
    NvidiaGpuOperator,
    PrivilegedNamespace,
    StandaloneDevicePlugin,
    Taint,
    TalosGpuWarning,
)
from constructs_lib.manifests.objects import manifest

NODES = GpuNodes(talos_version="1.14", labels={"role": "gpu"}, dra=Dra())
PRIVILEGED = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
NFD = "feature.node.kubernetes.io/pci-10de.present"


def driver(scope, nodes=NODES, **given):
    return DraDriver(scope, "dra", **{"nodes": nodes, "delivery": Flux(), **given})


def terms(made):
    """The node selector terms of the plugin; there is nothing else in its affinity."""
    affinity = made.chart_values["kubeletPlugin"]["affinity"]
    assert list(affinity) == ["nodeAffinity"]
    assert list(affinity["nodeAffinity"]) == [REQUIRED]
    return affinity["nodeAffinity"][REQUIRED]["nodeSelectorTerms"]


class Rendered:
    """A delivery that gives objects, as a chart does that Helm renders."""

    def manifests(self, release):
        kinds = ("ServiceAccount", "DaemonSet", "DeviceClass")
        return {f"{kind}-{release.name}": manifest("v1", kind, release.name, namespace=None) for kind in kinds}


@pytest.mark.parametrize("talos", ["1.13", "1.14"])
@pytest.mark.parametrize(("delivery", "name"), [(Flux(), "flux"), (ArgoCd(), "argocd")], ids=["flux", "argocd"])
def test_defaults(chart, talos, delivery, name, snapshot_yaml):
    made = driver(chart, GpuNodes(talos_version=talos, dra=Dra()), delivery=delivery)

    assert synth(chart) == snapshot_yaml(name=f"{talos}-{name}")
    assert made.chart_values == {
        "nvidiaDriverRoot": "/usr/local",
        "gpuResourcesEnabledOverride": True,
        "resources": {"gpus": {"enabled": True}, "computeDomains": {"enabled": False}},
        "resourceApiVersion": "resource.k8s.io/v1",
        "kubeletPlugin": {
            "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
            "affinity": GpuNodes(talos_version=talos).node_affinity,
        },
    }
    assert (made.version, made.namespace, made.release_name) == ("0.5.0", "dra-driver-nvidia-gpu", "dra-driver-nvidia-gpu")


def test_flux_takes_the_chart_from_kubernetes_own_registry(chart):
    driver(chart)

    source = one(synth(chart), "OCIRepository")
    assert source["spec"]["url"] == "oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu"
    assert source["spec"]["ref"] == {"tag": "0.5.0"}
    assert ApiObject.of(chart.node.find_child("dra")).kind == "HelmRelease"


def test_argo_cd_compares_everything(chart):
    driver(chart, delivery=ArgoCd())

    spec = one(synth(chart), "Application")["spec"]
    assert spec["source"]["repoURL"] == "registry.k8s.io/dra-driver-nvidia/charts"
    assert "ignoreDifferences" not in spec


def test_the_namespace_is_privileged(chart):
    driver(chart)

    assert one(synth(chart), "Namespace")["metadata"] == {"name": "dra-driver-nvidia-gpu", "labels": PRIVILEGED}


def test_the_namespace_can_be_somebody_elses(chart):
    driver(chart, namespace="kube-system", create_namespace=False)

    assert [made["kind"] for made in synth(chart)] == ["OCIRepository", "HelmRelease"]
    assert one(synth(chart), "HelmRelease")["metadata"]["namespace"] == "kube-system"


def test_the_daemon_set_of_a_rendered_chart_is_the_main_object(chart):
    made = driver(chart, delivery=Rendered())

    assert ApiObject.of(made).kind == "DaemonSet"
    assert [each["kind"] for each in synth(chart)] == ["Namespace", "ServiceAccount", "DaemonSet", "DeviceClass"]


@pytest.mark.parametrize(
    ("dra", "gates", "shares"),
    [
        (Dra(), None, None),
        (Dra(share="claim"), None, None),
        (Dra(share="time-slicing"), {"TimeSlicingSettings": True}, None),
        (Dra(share="consumable", shares=5), {"ConsumableShares": True}, "5"),
        (Dra(share="consumable", shares="memory"), {"ConsumableShares": True}, "memory"),
    ],
)
def test_the_gates_follow_from_how_the_nodes_share(chart, dra, gates, shares):
    values = driver(chart, GpuNodes(talos_version="1.14", dra=dra)).chart_values

    assert (values.get("featureGates"), values.get("consumableShares")) == (gates, shares)


def test_every_class_is_selected_and_every_taint_tolerated(chart):
    classes = [
        GpuNodes(talos_version="1.13", name="rtx", taints=[Taint("dedicated", "ai")], dra=Dra()),
        GpuNodes(
            talos_version="1.14", labels={"gpu": "h100", "zone": "a"}, taints=[Taint("dedicated", "ai")], dra=Dra(share="time-slicing")
        ),
    ]
    made = driver(chart, classes)

    assert terms(made) == [
        {"matchExpressions": [{"key": "nvidia.com/device-plugin.config", "operator": "In", "values": ["rtx"]}]},
        {"matchExpressions": [{"key": key, "operator": "In", "values": [value]} for key, value in (("gpu", "h100"), ("zone", "a"))]},
    ]
    assert made.chart_values["kubeletPlugin"]["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"},
    ]
    assert made.chart_values["featureGates"] == {"TimeSlicingSettings": True}
    assert made.nodes == tuple(classes)


def test_nodes_without_labels_are_found_without_node_feature_discovery(chart):
    found = terms(driver(chart, GpuNodes(talos_version="1.14", dra=Dra())))

    keys = [expression["key"] for term in found for expression in term["matchExpressions"]]
    assert keys == [
        "extensions.talos.dev/nvidia-container-toolkit-lts", "extensions.talos.dev/nvidia-container-toolkit-production",
        "nvidia.com/gpu.present",
    ]  # fmt: skip
    assert NFD not in keys


def test_the_driver_makes_partitions_where_wanted(chart):
    made = driver(chart, dynamic_mig=True, kubernetes_version="1.35", kubernetes_feature_gates=["DRAPartitionableDevices"])

    assert made.chart_values["featureGates"] == {"DynamicMIG": True}


def test_compute_domains_are_served_where_wanted(chart):
    assert driver(chart, compute_domains=True).chart_values["resources"]["computeDomains"] == {"enabled": True}


def test_further_values_are_laid_on(chart):
    values = {
        "logVerbosity": "6",
        "kubeletPlugin": {"nodeSelector": {"nvidia.com/gpu.deploy.client": "true"}},
        "featureGates": {"DynamicMIG": True},
    }
    made = driver(chart, GpuNodes(talos_version="1.14", dra=Dra(share="time-slicing")), values=values)

    assert (made.chart_values["logVerbosity"], made.chart_values["nvidiaDriverRoot"]) == ("6", "/usr/local")
    assert made.chart_values["kubeletPlugin"]["nodeSelector"] == {"nvidia.com/gpu.deploy.client": "true"}
    assert made.chart_values["kubeletPlugin"]["tolerations"]
    assert made.chart_values["featureGates"] == {"TimeSlicingSettings": True, "DynamicMIG": True}
    assert one(synth(chart), "HelmRelease")["spec"]["values"] == made.chart_values
    assert made.values == values


@pytest.mark.parametrize(
    ("profile", "name"),
    [
        ("1g.10gb", "mig-1g.10gb"),
        ("1g.10gb+me", "mig-1g.10gb.me"),
        ("1g.24gb+me.all", "mig-1g.24gb.me.all"),
        ("1g.24gb-me", "mig-1g.24gb-me"),
    ],
)
def test_a_mig_profile_has_a_class_that_the_plugins_limit_asks_for_too(chart, profile, name):
    driver(chart, mig_profiles=[profile, profile])

    made = one(synth(chart), "DeviceClass")
    assert (made["apiVersion"], made["metadata"]) == ("resource.k8s.io/v1", {"name": f"{name}.gpu.nvidia.com"})
    assert made["spec"] == {
        "selectors": [
            {
                "cel": {
                    "expression": "device.driver == 'gpu.nvidia.com' && device.attributes['gpu.nvidia.com'].type == 'mig' && "
                    f"device.attributes['gpu.nvidia.com'].profile == '{profile}'"
                }
            }
        ],
        "extendedResourceName": f"nvidia.com/{name}",
    }


@pytest.mark.parametrize("version", ["1.34", "v1.35", "1.36.3"])
def test_a_kubernetes_that_its_talos_runs_is_accepted(chart, version):
    assert driver(chart, kubernetes_version=version).kubernetes_version == version


@pytest.mark.parametrize(
    ("given", "version"),
    [
        ({"nodes": GpuNodes(talos_version="1.13", dra=Dra(share="consumable", shares=2))}, "1.36"),
        ({"nodes": GpuNodes(talos_version="1.13", dra=Dra(share="consumable", shares=2)), "kubernetes_feature_gates": ["DRAConsumableCapacity"]}, "1.34"),
        ({"mig_profiles": ["1g.10gb"], "kubernetes_feature_gates": ["DRAExtendedResource"]}, "1.35"),
        ({"values": {"featureGates": {"DynamicMIG": True}}, "kubernetes_feature_gates": ["DRAPartitionableDevices"]}, "1.35"),
        ({"values": {"featureGates": {"DynamicMIG": False}}}, "1.35"),
    ],
)  # fmt: skip
def test_a_gate_that_the_cluster_has_is_not_asked_for(chart, given, version):
    assert driver(chart, kubernetes_version=version, **given).kubernetes_version == version


# Neighbours


def test_an_operator_of_the_same_nodes_leaves_its_plugin_off(chart):
    driver(chart)
    operator = NvidiaGpuOperator(chart, "operator", nodes=NODES, delivery=Flux())

    assert operator.chart_values["devicePlugin"] == {"enabled": False}
    assert operator.chart_values["hostPaths"] == {"driverInstallDir": "/usr/local"}


def operator_with_its_plugin(chart):
    return NvidiaGpuOperator(chart, "operator", nodes=LIMITED, delivery=Flux())


def plugin(chart):
    return StandaloneDevicePlugin(chart, "plugin", nodes=LIMITED)


# The same label as NODES, and pods with limits.
LIMITED = GpuNodes(talos_version="1.14", labels={"role": "gpu"})
TWICE = "the driver and the plugin would both allocate every GPU; give the class 'dra' and leave the plugin out, or give both classes different 'labels'"


@pytest.mark.parametrize(
    ("neighbour", "says"),
    [
        (plugin, "classes that share no node with that of a StandaloneDevicePlugin of this app"),
        (operator_with_its_plugin, "classes that share no node with an NvidiaGpuOperator that runs a device plugin"),
    ],
)
def test_is_refused_on_nodes_that_have_a_device_plugin(chart, neighbour, says):
    first = neighbour(chart)

    assert message(lambda: driver(chart)) == f"'nodes' must be {says} (got {LIMITED!r}); {TWICE}"
    assert chart.node.children == [first]


@pytest.mark.parametrize(
    ("neighbour", "says"),
    [
        (
            plugin,
            (
                f"'nodes' must be a class that shares no node with those of the DraDriver (got {LIMITED!r}); the driver allocates the same GPUs a second time; give each class different 'labels', or its own 'name'"
            ),
        ),
        (
            operator_with_its_plugin,
            (
                f"'nodes' must be classes that share no node with those of the DraDriver (got {NODES!r}); the operator's device plugin would allocate the same GPUs a second time; give the class with 'dra' to both constructs"
            ),
        ),
    ],
)
def test_a_device_plugin_is_refused_on_its_nodes(chart, neighbour, says):
    first = driver(chart)

    assert message(lambda: neighbour(chart)) == says
    assert chart.node.children == [first]


@pytest.mark.parametrize("driver_first", [True, False])
@pytest.mark.parametrize("neighbour", [plugin, operator_with_its_plugin])
def test_stands_beside_a_device_plugin_of_other_nodes(chart, neighbour, driver_first):
    makers = [lambda: driver(chart, GpuNodes(talos_version="1.14", labels={"role": "other"}, dra=Dra())), lambda: neighbour(chart)]
    for make in makers if driver_first else reversed(makers):
        make()

    assert len(chart.node.children) == 2


@pytest.mark.parametrize("driver_first", [True, False])
def test_stands_beside_an_operator_whose_plugin_is_off(chart, driver_first):
    values = {"devicePlugin": {"enabled": False}}
    makers = [lambda: driver(chart), lambda: NvidiaGpuOperator(chart, "operator", nodes=NODES, delivery=Flux(), values=values)]
    for make in makers if driver_first else reversed(makers):
        make()

    assert len(chart.node.children) == 2


def test_a_device_plugin_is_refused_for_a_class_that_claims(chart):
    assert message(lambda: StandaloneDevicePlugin(chart, "plugin", nodes=NODES)) == (
        f"'nodes' must be a class without 'dra' (got {NODES!r}); the DraDriver allocates the same GPUs; leave the plugin out"
    )


def test_an_operators_plugin_is_refused_for_a_class_that_claims(chart):
    assert message(
        lambda: NvidiaGpuOperator(chart, "operator", nodes=NODES, delivery=Flux(), values={"devicePlugin": {"enabled": True}})
    ) == (
        "'values' must be without devicePlugin.enabled: True on nodes with 'dra' (got {'devicePlugin': {'enabled': True}}); the device plugin would allocate the GPUs that pods claim a second time; leave devicePlugin.enabled out"
    )


def test_an_operator_serves_claims_or_limits_and_not_both(chart):
    classes = [GpuNodes(talos_version="1.14", name="a", dra=Dra()), GpuNodes(talos_version="1.14", name="b")]

    assert message(lambda: NvidiaGpuOperator(chart, "operator", nodes=classes, delivery=Flux())) == (
        "'nodes' must be classes that all have 'dra', or none (got [True, False]); the device plugin would allocate the GPUs that pods claim a second time; or set devicePlugin.enabled in 'values' to False, and give the classes without 'dra' a StandaloneDevicePlugin each"
    )


def test_an_operator_leaves_the_nodes_that_claim_to_the_driver_where_their_label_says_so(chart):
    without = {"nvidia.com/gpu.deploy.device-plugin": "false"}
    claiming = GpuNodes(talos_version="1.14", name="a", labels={"pool": "a", **without}, dra=Dra())
    limited = GpuNodes(talos_version="1.14", name="b", labels={"pool": "b"})

    with pytest.warns(TalosGpuWarning) as caught:
        operator = NvidiaGpuOperator(chart, "operator", nodes=[claiming, limited], delivery=Flux())
    DraDriver(chart, "dra-driver", nodes=claiming, delivery=Flux())

    assert "enabled" not in operator.chart_values.get("devicePlugin", {})
    (warning,) = caught
    assert str(warning.message) == (
        "where the operator's device plugin is on, its validator waits on every node for 'nvidia.com/gpu', which nodes with 'dra' never have: the validator's pods fail there, and the ClusterPolicy never becomes ready; set devicePlugin.enabled in 'values' to False, and give the classes without 'dra' a StandaloneDevicePlugin each"
    )


def test_an_operator_without_a_plugin_serves_claims_and_limits_side_by_side(chart):
    claiming = GpuNodes(talos_version="1.14", name="a", labels={"pool": "a"}, dra=Dra())
    limited = GpuNodes(talos_version="1.14", name="b", labels={"pool": "b"})

    operator = NvidiaGpuOperator(chart, "operator", nodes=[claiming, limited], delivery=Flux(), values={"devicePlugin": {"enabled": False}})
    DraDriver(chart, "dra-driver", nodes=claiming, delivery=Flux())
    StandaloneDevicePlugin(chart, "device-plugin", nodes=limited)

    assert operator.chart_values["devicePlugin"] == {"enabled": False}


def test_an_app_has_one_driver_also_across_its_charts():
    app = App()
    driver(Chart(app, "one"))

    assert message(lambda: driver(Chart(app, "two"), GpuNodes(talos_version="1.14", name="other", dra=Dra()))) == (
        "'nodes' must be given to the one DraDriver of this app (got [GpuNodes(talos_version='1.14', dra=Dra(), name='other')]); a cluster has one DeviceClass gpu.nvidia.com; give all classes of nodes to one driver: nodes=[…, …]"
    )
    assert driver(Chart(App(), "another-cluster")).version == "0.5.0"


def test_a_namespace_that_the_app_has_is_not_made_again(chart):
    PrivilegedNamespace(chart, "gpu")

    assert message(lambda: driver(chart, namespace="gpu")) == (
        "'create_namespace' must be False where the app has the namespace (got True); PrivilegedNamespace already makes the namespace 'gpu'; the second object would replace the first"
    )
    assert driver(chart, namespace="gpu", create_namespace=False).namespace == "gpu"


def test_a_chart_on_this_machine_is_rendered_from_there(tmp_path):
    helm = tmp_path / "helm"
    helm.write_text(
        '#!/bin/sh\ncat > /dev/null\nprintf \'apiVersion: apps/v1\\nkind: DaemonSet\\nmetadata: {name: plugin, annotations: {said: "%s"}}\' "$*"\n'
    )
    helm.chmod(0o755)
    chart = Chart(App(), "gpu")
    driver(chart, chart=str(tmp_path), delivery=HelmTemplate(helm=str(helm)))

    said = one(synth(chart), "DaemonSet")["metadata"]["annotations"]["said"]
    assert said.startswith("template --namespace dra-driver-nvidia-gpu ")
    assert said.endswith(f" -- dra-driver-nvidia-gpu {tmp_path}")


@pytest.mark.parametrize("neighbour", [plugin, operator_with_its_plugin])
def test_one_of_several_classes_on_nodes_that_have_a_device_plugin_is_refused(chart, neighbour):
    other = GpuNodes(talos_version="1.14", name="other", labels={"role": "other"}, dra=Dra())
    first = neighbour(chart)

    assert message(lambda: driver(chart, nodes=[other, NODES])).endswith(TWICE)
    assert chart.node.children == [first]
