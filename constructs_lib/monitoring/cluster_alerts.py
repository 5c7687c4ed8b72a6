"""The alerts on what Kubernetes and the GPU operator know of GPUs. These alerts read kube-state-metrics and need no
exporter.

kube-state-metrics writes resources with `_`: nvidia_com_gpu, nvidia_com_gpu_shared, nvidia_com_mig_1g_10gb
(internal/store/utils.go). Each expression takes the maximum of each object, because a restart or a second replica of
kube-state-metrics repeats its series.
"""

from __future__ import annotations

from ..upstream.nvidia.xid_errors import PLUGIN_IGNORED_XIDS
from ..upstream.talos.generations import BRIDGED, UNBRIDGED
from . import kube_state
from .alert import Alert, AlertThresholds, Severity, code, reboot, with_address
from .kube_state import GPUS, OFFERED, POD

_NODE = "{{ $labels.node }}"
_NAMESPACE = "{{ $labels.namespace }}"


def node_alerts(thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on the GPUs that nodes offer, and on pods that wait for GPUs."""
    return [
        # The kubelet counts an unhealthy device in the capacity alone (kubernetes
        # pkg/kubelet/cm/devicemanager/manager.go). The plugin declares a GPU unhealthy after a contained memory error
        # too (k8s-device-plugin internal/rm/health.go), so this alone is no reason to wake anybody.
        Alert(
            name="GpuDeviceUnhealthy",
            expr=f"max by (cluster, node, resource) ({OFFERED}) < max by (cluster, node, resource) (kube_node_status_capacity{{{GPUS}}})",
            for_="10m",
            severity=Severity.WARNING,
            summary=f"A GPU of {_NODE} is unhealthy: {{{{ $value }}}} of {{{{ $labels.resource }}}} are left",
            description="The device plugin has declared a GPU unhealthy, after an XID other than "
            f"{', '.join(map(str, PLUGIN_IGNORED_XIDS))}. It never takes that back by itself. "
            "Of a GPU that is shared or partitioned it takes at most one share or partition of each resource, and new pods still get the others.",
            runbook=with_address(
                _NODE,
                f"{code('talosctl --nodes ADDRESS dmesg | grep Xid')}, {reboot(_NODE)}. If the card was right again "
                f"before that, restarting the device plugin's pod on the node is enough.",
            ),
        ),
        # When the plugin is gone the kubelet sets allocatable to 0, and the capacity five minutes later. A node that has left the cluster is no alert.
        Alert(
            name="GpuNodeLostGpus",
            expr=f"(max by (cluster, node) (max_over_time({OFFERED}[{thresholds.lookback}])) > 0 unless on (cluster, node) {OFFERED} > 0) "
            "and on (cluster, node) kube_node_info",
            for_="15m",
            severity=Severity.CRITICAL,
            summary=f"{_NODE} offers no GPU any more",
            description=f"A node that offered GPUs within the last {thresholds.lookback} offers none: its driver is "
            f"not loaded, as after an upgrade of Talos without the extensions, or its device plugin does "
            f"not run.",
            runbook=with_address(
                _NODE,
                f"{code('talosctl --nodes ADDRESS get extensions')}, "
                f"{code('talosctl --nodes ADDRESS read /proc/modules | grep nvidia')}, then the log of the device "
                f"plugin's pod. Without the NVIDIA extensions upgrade to an image that has them and every other "
                f"extension of the node: {code('talosctl --nodes ADDRESS upgrade --image IMAGE')}.",
            ),
        ),
        Alert(
            name="GpuPodPending",
            expr=f"sum by ({POD}) (kube_pod_container_resource_requests{{{GPUS}}}) > 0 "
            f'and on ({POD}) kube_pod_status_phase{{phase="Pending"}} == 1',
            for_="30m",
            severity=Severity.INFO,
            summary="Pod {{ $labels.namespace }}/{{ $labels.pod }} waits for a GPU",
            description="A pod that asks for a GPU is pending: all are taken, none fits its selector and tolerations, "
            "or its image is still pulled.",
            runbook=f"{code('kubectl describe pod -n {namespace} {pod}', namespace=_NAMESPACE, pod='{{ $labels.pod }}')} "
            f"says why; then free a GPU, share one, or add a node.",
        ),
    ]


def daemon_set_alert(daemon_sets: str) -> Alert:
    """The alert on the GPU agents; `daemon_sets` is a regular expression of the names of their DaemonSets."""
    ready, desired = (f"max by (cluster, namespace, daemonset) ({count(daemon_sets)})" for count in (kube_state.ready, kube_state.desired))
    return Alert(
        name="GpuDaemonSetNotReady",
        # A share, because an agent that crashes again and again is ready in between.
        expr=f"avg_over_time(({ready} < bool {desired})[15m:1m]) > 0.5",
        for_="10m",
        severity=Severity.WARNING,
        summary="DaemonSet {{ $labels.namespace }}/{{ $labels.daemonset }} is not ready on every node",
        description="For more than half of the last 15m an agent of the GPU nodes did not run on each of them. In "
        "Init:0/1 it waits for the driver: the operator's for what proves it, under "
        "/run/nvidia/validations, and the DRA driver's for the driver itself.",
        runbook=f"{code('kubectl get pods -n {namespace} -o wide', namespace=_NAMESPACE)}, then the pod's events and "
        f"log. In Init:0/1: {BRIDGED.when} the ValidationBridge has to run there; from {UNBRIDGED.first} on "
        f"hostPaths.driverInstallDir of the operator, or nvidiaDriverRoot of the DRA driver, has to be "
        f"/usr/local.",
    )


def operator_alert(*, opt_in: bool) -> Alert:
    """The alert on the GPU operator itself (gpu-operator controllers/operator_metrics.go); NVIDIA ships one on
    OpenShift alone.
    """
    return Alert(
        name="GpuOperatorNotReconciled",
        expr="max by (cluster, job, namespace) (gpu_operator_reconciliation_status) != 1",
        for_="1h",
        severity=Severity.WARNING,
        opt_in=opt_in,
        summary="The GPU operator has not got its ClusterPolicy done: status {{ $value }}",
        description="The operator's own verdict: 0 a component is not ready, -1 there is no ClusterPolicy, -2 an "
        "error. The verdict is 1 without a GPU node, too. Needs the operator's metrics.",
        runbook=f"{code('kubectl get clusterpolicy')}, "
        f"{code('kubectl get pods -n {namespace}', namespace=_NAMESPACE)}, then "
        f"{code('kubectl logs -n {namespace} deploy/gpu-operator', namespace=_NAMESPACE)}.",
    )
