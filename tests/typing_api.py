"""What a type checker sees of the public face. Never run: `make types` checks it."""

from typing import Any

from cdk8s import App, Chart

from constructs_lib import (
    Companion,
    DcgmExporter,
    Finding,
    GpuAlerts,
    GpuNodes,
    GpuWorkload,
    Persistent,
    Severity,
    StandaloneDevicePlugin,
    Taint,
    TimeSlicing,
    attach,
    autoscale,
    check,
    expose,
    gpu_pod,
    gpu_values,
    isolate,
    scrape,
)
from constructs_lib.manifests.workload.kinds import WorkloadKind
from constructs_lib.monitoring import Counter, Metric, default_counters
from constructs_lib.recipes import OpenWebUI
from constructs_lib.talos import TalosVersion
from constructs_lib.testing import assert_checks_pass, get_manifest, synthesize, without_pins
from constructs_lib.upstream.charts.pod_keys import Program
from constructs_lib.upstream.nvidia.driver_branches import DriverTrack
from constructs_lib.upstream.nvidia.plugin_words import DeviceListStrategy
from constructs_lib.upstream.talos.generations import Generation

chart = Chart(App(), "gpu")
nodes = GpuNodes(talos_version="1.12", driver_track="lts", taints=[Taint("dedicated", "ai")], sharing=TimeSlicing(replicas=5))
same = GpuNodes(talos_version=nodes.talos_version, driver_track=nodes.track, labels=nodes.labels, taints=nodes.taints)

version: TalosVersion = nodes.talos_version
given_track: DriverTrack | None = nodes.driver_track
track: DriverTrack = nodes.track
generation: Generation = nodes.generation
runtime_class: str | None = nodes.runtime_class

plugin = StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes, device_list_strategy=["cdi-cri", DeviceListStrategy.CDI_ANNOTATIONS])
strategies: tuple[DeviceListStrategy, ...] = plugin.device_list_strategy

exporter = DcgmExporter(chart, "exporter", nodes=nodes, counters=[*default_counters(), Counter("GPU_TEMP"), Metric.FB_USED, "ENC_UTIL"])
counters: tuple[Counter, ...] = exporter.counters

workload = GpuWorkload(chart, "ollama", nodes=nodes, image="ollama/ollama:0.32.15", volumes={"/root/.ollama": Persistent("100Gi")}, cpu=2)
kind: WorkloadKind = workload.kind
pod = gpu_pod({"spec": {"containers": [{"name": "main"}]}}, nodes=nodes, gpus=1)
values: dict[str, Any] = gpu_values("ollama", {"replicaCount": 1}, nodes=nodes) | gpu_values(Program.KSERVE, nodes=nodes)
predictor: dict[str, Any] = gpu_values("kserve-predictor", {"model": {}}, nodes=nodes, gpus=2)

front = OpenWebUI(chart, "front", ollama=workload, openai=[workload], nodes=[nodes])
proxy = Companion(chart, "proxy", image="proxy:1", port=80, nodes=nodes, required=True)
host: str | None = expose(front, "chat.example.com", gateway="internal").workload.namespace
isolate(workload, from_pods=[front, {"app": "a"}], egress=["internet", proxy])
autoscale(workload, metric="a", threshold=0.5, prometheus="http://a:9090", max_replicas=4)
scrape(proxy, port="http")

alerts = GpuAlerts(chart, "alerts", enable=["GpuAllocatedIdle"], for_={"GpuPodPending": "1h"})
enabled: tuple[str, ...] = alerts.enable

attach(chart, nodes=[nodes], ignore=["TG007"])
found: list[Finding] = check("manifests", nodes=nodes, select=["TG045"]) + check([{"kind": "Pod"}], talos_version="1.13")
severity: Severity = found[0].severity

manifests: list[dict[str, Any]] = without_pins(synthesize(chart))
deployment: dict[str, Any] = get_manifest(manifests, "Deployment", "ollama")
assert_checks_pass(manifests, nodes=[nodes], fail_on=Severity.WARNING)
assert_checks_pass([deployment], talos_version="1.13", ignore=["TG007"], fail_on="remark")

synthesize(nodes)  # type: ignore[arg-type]
get_manifest(manifests)  # type: ignore[call-arg]
check(1)  # type: ignore[arg-type]
GpuWorkload(chart, "wrong", nodes=nodes, image="a:1", gpus="1")  # type: ignore[arg-type]
GpuWorkload(chart, "wrong", nodes=nodes, image="a:1", gpu=1)  # type: ignore[call-arg]
GpuWorkload(chart, "wrong", nodes=nodes)  # type: ignore[call-arg]
GpuNodes()  # type: ignore[call-arg]
