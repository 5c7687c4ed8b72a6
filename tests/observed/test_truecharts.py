"""The pods of charts with TrueCharts' common library: a workload's own pod options, those of all workloads, and the
resources of all containers."""

import pytest

from constructs_lib.checks.engine import run_rules
from constructs_lib.observed.pods.workloads import Workload, workloads
from constructs_lib.observed.read.repository import read_text

REPOSITORY = """\
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmRepository
metadata: {name: charts, namespace: flux-system}
spec: {type: oci, url: "oci://%s"}
---
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: jellyfin, namespace: media}
spec:
  chart: {spec: {chart: jellyfin, version: 22.2.25, sourceRef: {kind: HelmRepository, name: charts, namespace: flux-system}}}
  values:
"""
GPU = "    resources: {limits: {nvidia.com/gpu: 1}}\n"
STACK = """\
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nvidia-device-plugin, namespace: kube-system}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}
  values: {runtimeClassName: nvidia}
"""


def release(values: str, address: str = "oci.trueforge.org/truecharts") -> str:
    return REPOSITORY % address + RELEASE + values


def only(values: str, address: str = "oci.trueforge.org/truecharts") -> Workload:
    (workload,) = workloads(read_text(release(values, address)))
    return workload


def test_resources_of_all_containers_reach_the_main_container_that_the_values_do_not_name() -> None:
    workload = only(GPU)
    assert workload.counted_gpus == {"nvidia.com/gpu": 1}
    assert workload.pods.least == 1
    assert workload.controller["strategy"]["type"] == "Recreate"


def test_a_top_level_runtime_class_is_not_read() -> None:
    assert only(f"    runtimeClassName: nvidia\n{GPU}").runtime_class is None


@pytest.mark.parametrize(
    "values",
    [
        f"    podOptions: {{runtimeClassName: nvidia}}\n{GPU}",
        f"    workload: {{main: {{podSpec: {{runtimeClassName: nvidia}}}}}}\n{GPU}",
        f'    podOptions: {{runtimeClassName: nvidia}}\n    workload: {{main: {{podSpec: {{runtimeClassName: ""}}}}}}\n{GPU}',
        f"    podOptions: {{runtimeClassName: kata}}\n    workload: {{main: {{podSpec: {{runtimeClassName: nvidia}}}}}}\n{GPU}",
    ],
)
def test_a_pod_option_is_the_workloads_own_or_that_of_all_workloads(values: str) -> None:
    assert only(values).runtime_class == "nvidia"


def test_a_container_has_the_limits_of_all_containers_under_its_own() -> None:
    containers = (
        "{main: {}, sidecar: {resources: {excludeExtra: true}}, two: {resources: {limits: {nvidia.com/gpu: 2}}}, off: {enabled: false}}"
    )
    workload = only(f"{GPU}    workload: {{main: {{podSpec: {{containers: {containers}}}}}}}\n")
    assert [dict(each.gpus) for each in workload.containers] == [{"nvidia.com/gpu": 1}, {}, {"nvidia.com/gpu": 2}]
    assert [each.hides_gpus for each in workload.containers] == [False, True, False]


def test_a_request_without_a_limit_is_no_request_for_a_gpu() -> None:
    assert workloads(read_text(release("    resources: {requests: {nvidia.com/gpu: 1}}\n"))) == ()


@pytest.mark.parametrize("off", ["    global: {stopAll: true}\n", "    workload: {main: {enabled: false}}\n"])
def test_a_stopped_release_has_no_workload(off: str) -> None:
    assert workloads(read_text(release(GPU + off))) == ()


def test_a_probe_has_the_librarys_timeouts_under_its_own() -> None:
    workload = only(
        f"{GPU}    workload: {{main: {{podSpec: {{containers: {{main: {{probes: {{startup: {{spec: {{failureThreshold: 500}}}}}}}}}}}}}}}}\n"
    )
    probe = workload.containers[0].body["startupProbe"]
    assert (probe["initialDelaySeconds"], probe["periodSeconds"], probe["failureThreshold"]) == (10, 5, 500)


@pytest.mark.parametrize("address", ["tccr.io/truecharts", "oci.trueforge.org/truecharts", "harbor.home.arpa/proxy/truecharts"])
def test_the_chart_is_known_by_its_repository_and_not_by_its_name(address: str) -> None:
    values = f"    runtimeClassName: nvidia\n{GPU}"
    assert only(values, address).runtime_class is None
    assert only(values, "ghcr.io/jellyfin/jellyfin-helm").runtime_class == "nvidia"


def test_the_gpu_pod_and_its_unread_runtime_class_are_findings_at_their_lines() -> None:
    text = release(f"    runtimeClassName: nvidia\n{GPU}") + STACK
    found = {each.rule: each for each in run_rules(read_text(text, talos="1.13"))}
    assert found["TG040"].fix
    assert found["TG027"].line == text.splitlines().index("    runtimeClassName: nvidia") + 1
    fixed = run_rules(read_text(release(f"    podOptions: {{runtimeClassName: nvidia}}\n{GPU}") + STACK, talos="1.13"))
    assert not {"TG040", "TG027"} & {each.rule for each in fixed}
