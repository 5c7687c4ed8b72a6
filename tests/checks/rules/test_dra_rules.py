"""The rules on the DRA driver, condition by condition."""

import pytest
from chart_checks import CDI, GIVEN, checked, daemon_set, node, operator, plugin, release, said, severities

from constructs_lib import Dra, GpuNodes
from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.read.repository import read_text

RIGHT = {"nvidiaDriverRoot": "/usr/local", "gpuResourcesEnabledOverride": True}


def driver(values, chart="dra-driver-nvidia-gpu", version="0.4.1"):
    return release(chart, values, version=version)


# The rule TG031: the driver's folder, and what it needs


@pytest.mark.parametrize(
    ("root", "found"),
    [("/usr/local", []), ("/usr/local/", []), ("/", ["error"]), ("/run/nvidia/driver", ["error"]), (None, ["error"]), (GIVEN, [])],
)
def test_talos_has_the_driver_below_usr_local(root, found):
    values = {**RIGHT, "nvidiaDriverRoot": root} if root else {"gpuResourcesEnabledOverride": True}

    assert severities("TG031", driver(values), talos="1.13") == found
    assert severities("TG031", driver(values, "nvidia-dra-driver-gpu"), talos="1.13") == found
    assert severities("TG031", driver(values)) == ["warning"] * len(found)


def test_what_is_said_names_the_folder():
    assert said(checked("TG031", driver({}), talos="1.13")) == [
        ("error", "nvidiaDriverRoot is /, but Talos has the driver below /usr/local. The init container waits for nvidia-smi forever")
    ]


def test_a_rendered_driver_says_it_in_a_variable():
    def pods(root):
        return daemon_set("registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1", env={"NVIDIA_DRIVER_ROOT": root})

    assert severities("TG031", pods("/"), talos="1.13") == ["error"]
    assert severities("TG031", pods("/usr/local"), talos="1.13") == []
    assert severities("TG031", daemon_set("registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1"), talos="1.13") == []


def test_up_to_talos_1_12_it_can_t_run():
    assert severities("TG031", driver(RIGHT), talos="1.12") == ["error"]
    assert severities("TG031", driver(RIGHT), node(gpu=False, talos="v1.12.4")) == ["warning"]


@pytest.mark.parametrize(
    ("root", "found"), [("/run/nvidia/driver", "warning"), (GIVEN, "warning"), ("/usr/local/glibc", "error"), ("/", "error")]
)
def test_up_to_talos_1_12_somebody_may_have_brought_a_driver(root, found):
    claim = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "gpu"},
        "spec": {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]}},
    }

    assert severities("TG031", driver({**RIGHT, "nvidiaDriverRoot": root}), talos="1.12") == [found]
    assert severities("TG093", driver({**RIGHT, "nvidiaDriverRoot": root}), claim, talos="1.12") == [found]


@pytest.mark.parametrize(("kubernetes", "found"), [("1.33.2", ["warning"]), ("v1.34.0", []), ("1.36", []), (None, [])])
def test_kubernetes_serves_claims_from_1_34_on(kubernetes, found):
    assert severities("TG031", driver(RIGHT), talos="1.13", kubernetes=kubernetes) == found


# The rule TG032: what the chart refuses


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ({}, ["error"]),
        ({"gpuResourcesEnabledOverride": False}, ["error"]),
        ({"gpuResourcesEnabledOverride": True}, []),
        ({"gpuResourcesEnabledOverride": GIVEN}, []),
        ({"resources": {"gpus": {"enabled": False}}}, []),
        ({"resources": {"gpus": {"enabled": "false"}}}, ["error"]),
        ({"resources": {"gpus": {"enabled": None}}}, []),
        ({"resources": {"gpus": {"enabled": GIVEN}}}, []),
        ({"resources": {"computeDomains": {"enabled": False}}}, ["error"]),
    ],
)
def test_gpus_are_asked_for_twice(values, found):
    assert severities("TG032", driver({"nvidiaDriverRoot": "/usr/local", **values})) == found


def test_values_from_elsewhere_may_ask():
    assert severities("TG032", release("dra-driver-nvidia-gpu", {}, valuesFrom=[{"kind": "Secret", "name": "values"}])) == []


# The rule TG033: the operator's own


@pytest.mark.parametrize(("version", "found"), [("v26.7.0", ["error"]), ("v27.1.0", ["warning"]), ("", ["warning"])])
def test_the_operators_own_driver_fails_on_talos(version, found):
    values = {**CDI, "gpuCluster": {"deployCR": True}, "clusterPolicy": {"deployCR": False}}

    assert operator("TG033", values, version=version) == found


def test_the_chart_refuses_both():
    values = {**CDI, "gpuCluster": {"deployCR": True}}

    assert said(checked("TG033", values, chart="gpu-operator@v26.7.0")) == [
        ("error", "gpuCluster.deployCR is true, and clusterPolicy.deployCR is true: the chart refuses to render")
    ]
    assert operator("TG033", {**CDI, "gpuCluster": {"deployCR": GIVEN}}) == []
    assert operator("TG033", CDI) == []


def test_a_gpu_cluster_is_one_too():
    cluster = {"apiVersion": "nvidia.com/v1alpha1", "kind": "GPUCluster", "metadata": {"name": "gpu-cluster"}, "spec": {}}

    assert severities("TG033", cluster) == ["warning"]
    assert operator("TG033", CDI, cluster) == ["error"]
    assert severities("TG033", {**cluster, "apiVersion": "example.com/v1"}) == []


# The rule TG034: one account of a GPU


def test_a_device_plugin_beside_it_gives_a_gpu_twice():
    one, other = ({"nodeSelector": {"kubernetes.io/hostname": name}, "affinity": None} for name in ("gpu-1", "gpu-2"))

    assert severities("TG034", driver(RIGHT), plugin({})) == ["warning"]
    assert severities("TG034", driver({**RIGHT, "kubeletPlugin": one}), plugin(other)) == []
    assert severities("TG034", driver({**RIGHT, "kubeletPlugin": one}), plugin(one)) == ["warning"]
    assert severities("TG034", driver({**RIGHT, "resources": {"gpus": {"enabled": False}}}), plugin({})) == []
    assert severities("TG034", driver(RIGHT)) == []


def test_the_fix_of_a_second_plugin_is_about_the_plugin_that_was_read():
    (standalone,) = checked("TG034", driver(RIGHT), plugin({}))
    (operators,) = checked("TG034", release("gpu-operator", CDI, version="v26.7.0"), driver(RIGHT))

    assert standalone.fix.startswith("Remove nvidia-device-plugin ")
    assert "operator" not in standalone.fix
    assert operators.fix == "Set devicePlugin.enabled: false in the operator's values"


def test_the_operators_plugin_is_one():
    assert operator("TG034", CDI, driver(RIGHT)) == ["warning"]
    assert operator("TG034", {**CDI, "devicePlugin": {"enabled": False}}, driver(RIGHT)) == []


def test_a_rendered_driver_hands_out_gpus_by_a_container_of_its_own():
    pods = daemon_set("registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1", container={"name": "gpus"})
    domains = daemon_set("registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v0.4.1", container={"name": "compute-domains"})

    assert severities("TG034", pods, plugin({})) == ["warning"]
    assert severities("TG034", domains, plugin({})) == []


# The rule TG017: feature gates


@pytest.mark.parametrize(
    ("gates", "found"),
    [
        ({"DynamicMIG": True, "PassthroughSupport": True}, ["error", "warning"]),
        ({"DynamicMIG": True, "NVMLDeviceHealthCheck": True}, ["error"]),
        ({"DynamicMIG": True, "MPSSupport": True}, ["error", "warning"]),
        ({"PassthroughSupport": True, "NVMLDeviceHealthCheck": True}, ["error", "warning"]),
        ({"ConsumableShares": True, "MPSSupport": True}, ["error", "warning"]),
        ({"DeviceMetadata": True}, ["error"]),
        ({"DeviceMetadata": True, "PassthroughSupport": True}, ["warning"]),
        ({"DynamicMIG": True, "PassthroughSupport": False}, []),
        ({"DynamicMIG": True, "PassthroughSupport": GIVEN}, []),
        ({"DeviceMetadata": True, "PassthroughSupport": GIVEN}, []),
        ({"AllBeta": True}, []),
        ({"AllBeta": False}, []),
        ({"AllAlpha": False}, []),
        ({"AllAlpha": True}, ["error", "error", "error", "error", "error", "warning", "warning"]),
        ({"AllAlpha": True, "DynamicMIG": False, "PassthroughSupport": False, "MPSSupport": False, "DeviceMetadata": False}, []),
        ({"AllAlpha": True, "DynamicMIG": GIVEN, "PassthroughSupport": False, "MPSSupport": False, "DeviceMetadata": False}, []),
        ({"AllBeta": False, "ComputeDomainCliques": True}, ["error"]),
        ({"DynamicMIG": "true", "PassthroughSupport": "true"}, ["error", "warning"]),
        ({"MPSSupport": True}, ["warning"]),
        ({"TimeSlicingSetting": True}, ["warning"]),
        ({"TimeSlicingSettings": True}, []),
        (GIVEN, []),
    ],
)
def test_gates_that_exclude_each_other_end_the_driver(gates, found):
    assert sorted(severities("TG017", driver({**RIGHT, "featureGates": gates}))) == found


@pytest.mark.parametrize(
    ("version", "found"), [("25.12.0", "error"), ("0.4.1", "error"), ("0.5.0", "warning"), ("0.6.0", "warning"), (None, "warning")]
)
def test_dynamic_mig_beside_the_health_check_ends_a_driver_before_0_5(version, found):
    gates = {"DynamicMIG": True, "NVMLDeviceHealthCheck": True}

    assert severities("TG017", driver({**RIGHT, "featureGates": gates}, version=version)) == [found]


@pytest.mark.parametrize(
    ("shares", "gates", "found"),
    [
        ("4", {}, ["error"]),
        ("unlimited", {"ConsumableShares": False}, ["error"]),
        ("4", {"ConsumableShares": True}, []),
        ("", {}, []),
        ("disabled", {}, []),
        (GIVEN, {}, []),
    ],
)
def test_shares_need_their_gate(shares, gates, found):
    assert severities("TG017", driver({**RIGHT, "consumableShares": shares, "featureGates": gates})) == found


@pytest.mark.parametrize(("kubernetes", "found"), [("1.35.0", ["warning"]), ("1.36", []), (None, [])])
@pytest.mark.parametrize("gate", ["ConsumableShares", "DynamicMIG"])
def test_what_kubernetes_has_off_is_warned_of(kubernetes, found, gate):
    findings = checked("TG017", driver({**RIGHT, "featureGates": {gate: True}}), kubernetes=kubernetes)

    assert [str(each.severity) for each in findings] == found
    assert all(f"the feature gate {gate} needs the Kubernetes feature gate DRA" in each.message for each in findings)


def test_a_gate_that_is_misspelt_is_named():
    def fix(gate):
        return [each.fix for each in checked("TG017", driver({**RIGHT, "featureGates": {gate: True}}))]

    assert fix("DynamicMig") == ["Rename featureGates.DynamicMig to featureGates.DynamicMIG"]
    assert fix("Xyzzy") == ["Remove Xyzzy from featureGates"]


@pytest.mark.parametrize(
    ("gates", "found"),
    [
        ({"LoggingBetaOptions": True}, []),
        ({"ComputeDomainCliques": True, "IMEXDaemonsWithDNSNames": False}, ["error"]),
        ({"IMEXDaemonsWithDNSNames": False}, ["error"]),
        ({"ComputeDomainCliques": False, "IMEXDaemonsWithDNSNames": False}, []),
    ],
)
def test_gates_are_those_that_the_driver_itself_has_also_where_they_are_on_by_themselves(gates, found):
    assert severities("TG017", driver({**RIGHT, "featureGates": gates}), talos="1.13") == found


def test_a_claim_is_only_warned_of_where_the_gpu_nodes_may_run_another_system():
    spec = {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com"}}]}}
    claim = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": {"name": "gpu"}, "spec": spec}

    assert severities("TG093", claim, talos="1.12") == ["error"]
    assert severities("TG093", claim, node(gpu=False, talos="v1.12.4")) == ["warning"]


@pytest.mark.parametrize(
    ("gated", "found"),
    [
        ("machine: {kubelet: {extraArgs: {feature-gates: DynamicResourceAllocation=true}}}", []),
        ("machine: {kubelet: {extraConfig: {featureGates: {DynamicResourceAllocation: true}}}}", []),
        ("cluster: {apiServer: {extraArgs: {feature-gates: 'A=false,AllBeta=true'}}}", []),
        ("cluster: {apiServer: {extraArgs: {feature-gates: '${GATES}'}}}", []),
        ("cluster: {apiServer: {extraArgs: '${ARGUMENTS}'}}", []),
        (
            (
                "cluster: {apiServer: {extraArgs: {feature-gates: DynamicResourceAllocation=true}}, "
                "scheduler: {extraArgs: {feature-gates: DynamicResourceAllocation=false}}}"
            ),
            [],
        ),
        ("[{op: add, path: /cluster/apiServer/extraArgs/feature-gates, value: DynamicResourceAllocation=true}]", []),
        ("cluster: {apiServer: {extraArgs: {feature-gates: DynamicResourceAllocation=false}}}", ["warning"]),
        ("cluster: {apiServer: {extraArgs: {feature-gates: 'AllBeta=true,DynamicResourceAllocation=false'}}}", ["warning"]),
        ("machine: {kubelet: {extraConfig: {featureGates: {DynamicResourceAllocation: false}}}}", ["warning"]),
        ("machine: {nodeLabels: {DynamicResourceAllocation: 'true'}}", ["warning"]),
    ],
)
def test_a_gate_of_kubernetes_counts_where_a_program_has_it_on(gated, found):
    assert severities("TG031", driver(RIGHT), gated, talos="1.13", kubernetes="1.33") == found


# The rule TG094: the version of an object of dynamic resource allocation


def taint_rule(version):
    spec = {"deviceSelector": {"driver": "gpu.nvidia.com", "device": "gpu-0"}, "taint": {"key": "sick", "effect": "NoSchedule"}}
    return {"apiVersion": f"resource.k8s.io/{version}", "kind": "DeviceTaintRule", "metadata": {"name": "sick"}, "spec": spec}


@pytest.mark.parametrize(
    ("version", "kubernetes", "found"),
    [
        ("v1", "1.37", []),
        ("v1", "1.38", []),
        ("v1", "1.36", ["error"]),
        ("v1beta2", "1.35", ["error"]),
        ("v1beta1", "1.37", ["error"]),
        ("v1beta2", "1.36", ["warning"]),
        ("v1beta2", "1.37", ["warning"]),
        ("v1alpha3", "1.35", ["warning"]),
        ("v1", None, []),
    ],
)
def test_a_taint_rule_has_a_version_that_the_cluster_serves(version, kubernetes, found):
    assert severities("TG094", taint_rule(version), talos="1.14", kubernetes=kubernetes) == found


def test_what_is_said_of_a_taint_rule_names_the_version_that_the_cluster_has():
    found = checked("TG094", taint_rule("v1"), talos="1.13", kubernetes="1.36")

    assert said(found) == [
        ("error", "Kubernetes 1.36 has no DeviceTaintRule in v1. The API server answers 'no matches for kind \"DeviceTaintRule\"'")
    ]
    assert [finding.fix for finding in found] == ["Set apiVersion: resource.k8s.io/v1beta2"]


def test_an_api_that_the_machine_configuration_switches_on_serves_the_taint_rule():
    served = "cluster: {apiServer: {extraArgs: {runtime-config: resource.k8s.io/v1beta2=true}}}\nmachine: {type: controlplane}\n"

    assert severities("TG094", taint_rule("v1beta2"), served, talos="1.13", kubernetes="1.36") == []


@pytest.mark.parametrize(
    ("setting", "found"),
    [
        ("resource.k8s.io/v1beta2=true", []),
        ("api/all=true", []),
        ("api/beta=true", []),
        ("api/alpha=true", ["warning"]),
        ("resource.k8s.io/v1beta2=false", ["warning"]),
        ("api/all=true,resource.k8s.io/v1beta2=false", ["warning"]),
    ],
)
def test_a_taint_rule_is_served_as_runtime_config_says(setting, found):
    served = f"cluster: {{apiServer: {{extraArgs: {{runtime-config: '{setting}'}}}}}}\nmachine: {{type: controlplane}}\n"

    assert severities("TG094", taint_rule("v1beta2"), served, talos="1.13", kubernetes="1.36") == found


@pytest.mark.parametrize(
    ("version", "kubernetes", "fix"),
    [
        ("v1beta2", "1.37", "Set apiVersion: resource.k8s.io/v1"),
        (
            "v1alpha3",
            "1.34",
            "Upgrade to Kubernetes 1.37, or add --runtime-config=resource.k8s.io/v1alpha3=true and the feature gate DRADeviceTaints",
        ),
        ("v1alpha3", "1.32", "Upgrade to Kubernetes 1.37, which serves it by default"),
    ],
)
def test_the_fix_of_a_taint_rule_is_that_of_the_clusters_kubernetes(version, kubernetes, fix):
    assert [each.fix for each in checked("TG094", taint_rule(version), talos="1.13", kubernetes=kubernetes)] == [fix]


LIMIT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: server, namespace: ai}
spec:
  template:
    spec: {containers: [{name: main, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 1}}}]}
---
"""
KUBELET = "machine: {type: worker, kubelet: {image: 'ghcr.io/siderolabs/kubelet:v1.35.3', extraConfig: {featureGates: {%s: true}}}}\n"
EXTENDED = GpuNodes(talos_version="1.14", count=2, dra=Dra(extended_resource=True))


def limits_found(more="", nodes=(EXTENDED,), kubernetes=None, text=LIMIT):
    findings = run_rules(read_text(text + more, nodes=nodes, kubernetes=kubernetes), select=["TG093"])
    return [(str(each.severity), each.message, each.fix) for each in findings]


def test_a_limit_that_the_dra_driver_serves_needs_the_gate_of_kubernetes():
    assert limits_found(KUBELET % "Other") == [
        (
            "warning",
            (
                "the DRA driver serves nvidia.com/gpu on the GPU nodes, but Kubernetes 1.35 serves such a limit only with the feature gate "
                "DRAExtendedResource. Without the gate the pods stay Pending"
            ),
            (
                "Upgrade to Kubernetes 1.36, or set --feature-gates=DRAExtendedResource=true on the API server, the scheduler, the controller manager and "
                "the kubelet"
            ),
        )
    ]
    assert limits_found(kubernetes="1.33") == [
        (
            "warning",
            "the DRA driver serves nvidia.com/gpu on the GPU nodes, but Kubernetes 1.33 serves no such limit. The pods stay Pending",
            "Upgrade to Kubernetes 1.36",
        )
    ]


def test_a_limit_is_served_by_the_gate_by_a_newer_kubernetes_and_by_a_plugin():
    plugins = GpuNodes(talos_version="1.14", name="plugin", count=1)

    assert limits_found(KUBELET % "DRAExtendedResource") == limits_found(KUBELET % "AllAlpha") == []
    assert limits_found((KUBELET % "DRAExtendedResource").replace("true", "false")) == limits_found(KUBELET % "Other")
    assert limits_found(kubernetes="1.36") == limits_found() == []
    assert limits_found(kubernetes="1.35", nodes=[plugins]) == []
    assert limits_found(kubernetes="1.35", text=LIMIT.replace("nvidia.com/gpu", "cpu")) == []
