"""What stands around a workload, on a real control plane: every object is taken strictly, the pods run where they should, and evictions wait."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest
import yaml
from cdk8s import App, Chart
from control_plane import ControlPlane, state_of

from api_server import ApiError
from conftest import needs
from constructs_lib import Companion, GpuNodes, GpuWorkload, HttpProbe, NvidiaRuntimeClass, Taint, autoscale, expose, isolate, scrape
from constructs_lib.recipes import OpenWebUI
from constructs_lib.testing import synthesize

NAMESPACE = "around"
CRD_GROUPS = ("gateway.networking.k8s.io", "keda.sh", "monitoring.coreos.com_servicemonitors")
# Kinds whose CRDs are not in CRDS.
WITHOUT_CRD = ("InterceptorRoute", "ReferenceGrant")
NODES = GpuNodes(talos_version="1.12", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")], count=1, gpus_per_node=8)


def machine(name: str, labels: dict[str, str], gpus: int, taints: list[dict[str, str]]) -> dict[str, Any]:
    amounts = {"cpu": "16", "memory": "64Gi", "pods": "110", **({"nvidia.com/gpu": str(gpus)} if gpus else {})}
    status = {"capacity": amounts, "allocatable": amounts}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {"taints": taints}, "status": status}


@pytest.fixture(scope="module")
def lab() -> Iterator[ControlPlane]:
    assets = Path(needs("CLUSTER_ASSETS", "the folder with a control plane"))
    crds = Path(needs("CRDS", "the CRDs of the Gateway API, KEDA and Prometheus (tools/reference.py)"))
    taint = {"key": "dedicated", "value": "ai", "effect": "NoSchedule"}
    machines = [machine("gpu", {"role": "gpu"}, 8, [taint]), machine("plain", {}, 0, []), machine("untainted", {"role": "gpu"}, 0, [])]
    enforced = {"pod-security.kubernetes.io/enforce": "baseline"}
    with ControlPlane(assets) as started:
        files = [path for path in sorted(crds.glob("*.yaml")) if path.name.startswith(CRD_GROUPS)]
        assert len(files) == 5
        started.apply([crd for path in files for crd in yaml.safe_load_all(path.read_text(encoding="utf-8"))])
        started.apply([{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": enforced}}])
        started.apply(machines)
        for each in machines:
            started.patch_status(each)
        yield started


def apply(lab: ControlPlane, chart: Chart) -> list[dict[str, Any]]:
    objects = [made for made in synthesize(chart) if made["kind"] not in WITHOUT_CRD]
    lab.apply(objects)
    return objects


def nodes_of(lab: ControlPlane, name: str) -> list[str]:
    """The nodes on which the pods of a workload run."""
    pods = lab.list("v1", "Pod", f"app.kubernetes.io/name={name}")
    return [each["spec"]["nodeName"] for each in pods if state_of(each) == "Running"]


def test_every_way_in_every_policy_and_every_scale_is_taken_strictly_and_the_pods_run(lab):
    chart = Chart(App(), "around", namespace=NAMESPACE)
    NvidiaRuntimeClass(chart, "runtime-class")
    server = GpuWorkload(
        chart, "server", nodes=NODES, image="server:1", port={"http": 80, "rtsp": 8554, "webrtc": "8555/udp"}, replicas=None,
        readiness_probe=HttpProbe("/health"),
    )  # fmt: skip
    stateful = GpuWorkload(chart, "stateful", nodes=NODES, image="server:1", port=80, kind="StatefulSet")
    stateful_pods = GpuWorkload(chart, "scaled", nodes=NODES, image="server:1", kind="StatefulSet", replicas=None)
    woken = GpuWorkload(chart, "woken", nodes=NODES, image="server:1", port=80, replicas=None, readiness_probe=HttpProbe("/"))
    front = OpenWebUI(chart, "chat", ollama=server, openai=stateful, nodes=NODES, storage=None)
    expose(server, "llm.example.com", gateway="internal", gateway_namespace="network", section="https", path="/v1", timeout="1h30m")
    expose(server, port="rtsp", gateway="internal", section="rtsp")
    expose(server, port="webrtc", gateway="internal", section="webrtc")
    expose(server, port="webrtc", load_balancer=True, name="server-media")
    expose(woken, "woken.example.com", gateway="internal", interceptor_namespace="keda")
    expose(stateful, "*.example.com", gateway="internal")
    expose(front, "chat.example.com", ingress_class="external", ingress_controller="ingress-nginx", tls_secret="chat-tls")
    expose(front, "chat.lan", gateway="internal")
    scrape(server, scrape_timeout="10s", labels={"release": "prometheus"})
    isolate(server, from_pods=[front, {"app": "a"}], from_namespaces=["network"], egress=["internet", "10.0.0.0/8:443", stateful])
    isolate(front, egress=[server, stateful])
    autoscale(woken, wake_on="woken.example.com", concurrency=4, min_replicas=0, max_replicas=1)
    autoscale(stateful_pods, metric="vllm:num_requests_waiting", threshold=5, prometheus="http://prometheus:9090", max_replicas=2)

    kinds = {made["kind"] for made in apply(lab, chart)}

    assert {"HTTPRoute", "TCPRoute", "UDPRoute", "Ingress", "ServiceMonitor", "NetworkPolicy", "ScaledObject"} <= kinds
    for name, expected in {"server": ["gpu"], "stateful": ["gpu"], "chat": ["plain"]}.items():
        assert lab.eventually(partial(nodes_of, lab, name), expected.__eq__) == expected


def test_a_companion_that_must_leave_the_gpu_nodes_waits_for_another_node(lab):
    chart = Chart(App(), "required", namespace=NAMESPACE)
    Companion(chart, "left-alone", image="front:1", nodes=NODES, required=True, pod_spec={"nodeSelector": {"role": "gpu"}})
    apply(lab, chart)

    def states() -> list[str]:
        return [state_of(each) for each in lab.list("v1", "Pod", "app.kubernetes.io/name=left-alone")]

    (state,) = lab.eventually(states, lambda found: bool(found) and "node affinity/selector" in found[0])
    assert "didn't match Pod's node affinity/selector" in state


def test_the_second_of_two_evictions_waits(lab):
    chart = Chart(App(), "evicted", namespace=NAMESPACE)
    # A class of an unknown number of nodes: on a lone node nothing would hold up the drain.
    GpuWorkload(chart, "pair", nodes=attrs.evolve(NODES, count=None), image="server:1", replicas=2)
    apply(lab, chart)
    lab.eventually(partial(nodes_of, lab, "pair"), ["gpu", "gpu"].__eq__)

    def allowed() -> int:
        return lab.get("policy/v1", "PodDisruptionBudget", "pair", NAMESPACE).get("status", {}).get("disruptionsAllowed", 0)

    assert lab.eventually(allowed, bool) == 1
    pods = [each["metadata"]["name"] for each in lab.list("v1", "Pod", "app.kubernetes.io/name=pair")]

    def evict(name: str) -> None:
        metadata = {"name": name, "namespace": NAMESPACE}
        eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": metadata}
        lab.post(f"/api/v1/namespaces/{NAMESPACE}/pods/{name}/eviction", eviction)

    # As a drain does; the first pod's successor then waits for another node.
    lab.patch({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu"}, "spec": {"unschedulable": True}}, manager="drain")
    evict(pods[0])
    with pytest.raises(ApiError) as refused:
        evict(pods[1])
    assert refused.value.code == 429
