"""The alerts on what Kubernetes and the GPU operator know of GPUs. These alerts read kube-state-metrics and need no exporter.

kube-state-metrics writes resources with `_`: nvidia_com_gpu, nvidia_com_gpu_shared, nvidia_com_mig_1g_10gb (internal/store/utils.go). Each expression takes
the maximum of each object, because a restart or a second replica of kube-state-metrics repeats its series.
"""

from __future__ import annotations

import json

from .alert import Alert, Severity
from .alert_thresholds import AlertThresholds
from .exporter_alerts import drain_and_reboot
from .kube_state import GPUS

_NODE = "{{ $labels.node }}"


def node_alerts(thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on the GPUs that nodes offer, and on pods that wait for GPUs."""
    allocatable = f"kube_node_status_allocatable{{{GPUS}}}"
    return [
        # The kubelet counts an unhealthy device in the capacity alone (kubernetes pkg/kubelet/cm/devicemanager/manager.go).
        Alert(
            name="GpuDeviceUnhealthy",
            expr=f"max by (node, resource) ({allocatable}) < max by (node, resource) (kube_node_status_capacity{{{GPUS}}})",
            for_="10m",
            severity=Severity.CRITICAL,
            summary=f"A GPU of {_NODE} is unhealthy: {{{{ $value }}}} of {{{{ $labels.resource }}}} are left",
            description="The device plugin has declared a GPU unhealthy, after an XID. It never takes that back by itself.",
            runbook=f"`talosctl dmesg -n {_NODE} | grep Xid`, {drain_and_reboot(_NODE)}. "
            "If the card was right again before that, restarting the device plugin's pod on the node is enough.",
        ),
        # When the plugin is gone the kubelet sets both to 0. A node that has left the cluster is no alert.
        Alert(
            name="GpuNodeLostGpus",
            expr=f"(max by (node) (max_over_time({allocatable}[{thresholds.lookback}])) > 0 unless on (node) {allocatable} > 0) "
            "and on (node) kube_node_info",
            for_="15m",
            severity=Severity.CRITICAL,
            summary=f"{_NODE} offers no GPU any more",
            description=f"A node that offered GPUs within the last {thresholds.lookback} offers none: its driver is not loaded, as after an "
            "upgrade of Talos without the extensions, or its device plugin does not run.",
            runbook=f"`talosctl get extensions -n {_NODE}`, `talosctl read /proc/modules -n {_NODE} | grep nvidia`, then the log of the device "
            f"plugin's pod. Without the extensions upgrade to an image that has them: `talosctl upgrade -n {_NODE} --image IMAGE`.",
        ),
        Alert(
            name="GpuPodPending",
            expr=f"sum by (namespace, pod) (kube_pod_container_resource_requests{{{GPUS}}}) > 0 "
            'and on (namespace, pod) kube_pod_status_phase{phase="Pending"} == 1',
            for_="30m",
            severity=Severity.INFO,
            summary="Pod {{ $labels.namespace }}/{{ $labels.pod }} waits for a GPU",
            description="A pod that asks for a GPU is pending: all are taken, none fits its selector and tolerations, or its image is still pulled.",
            runbook="`kubectl describe pod -n {{ $labels.namespace }} {{ $labels.pod }}` says why; then free a GPU, share one, or add a node.",
        ),
    ]


def daemon_set_alert(daemon_sets: str) -> Alert:
    """The alert on the GPU agents; `daemon_sets` is a regular expression of the names of their DaemonSets."""
    matcher = f"daemonset=~{json.dumps(daemon_sets, ensure_ascii=False)}"
    ready, desired = (
        f"max by (namespace, daemonset) (kube_daemonset_status_{what}{{{matcher}}})"
        for what in ("number_ready", "desired_number_scheduled")
    )
    return Alert(
        name="GpuDaemonSetNotReady",
        expr=f"{ready} < {desired}",
        for_="15m",
        severity=Severity.WARNING,
        summary="DaemonSet {{ $labels.namespace }}/{{ $labels.daemonset }} is not ready on every node",
        description="An agent of the GPU nodes does not run on each of them. In Init:0/1 it waits for the driver: the operator's for what proves it, "
        "under /run/nvidia/validations, and the DRA driver's for the driver itself.",
        runbook="`kubectl get pods -n {{ $labels.namespace }} -o wide`, then the pod's events and log. In Init:0/1: up to Talos 1.12 the "
        "ValidationBridge has to run there; from 1.13 on hostPaths.driverInstallDir of the operator, or nvidiaDriverRoot of the DRA driver, has "
        "to be /usr/local.",
    )


def operator_alert(*, opt_in: bool) -> Alert:
    """The alert on the GPU operator itself (gpu-operator controllers/operator_metrics.go); NVIDIA ships one on OpenShift alone."""
    return Alert(
        name="GpuOperatorNotReconciled",
        expr="max by (job, namespace) (gpu_operator_reconciliation_status) != 1",
        for_="1h",
        severity=Severity.WARNING,
        opt_in=opt_in,
        summary="The GPU operator has not got its ClusterPolicy done: status {{ $value }}",
        description="The operator's own verdict: 0 a component is not ready, -1 there is no ClusterPolicy, -2 an error. Needs the operator's metrics.",
        runbook="`kubectl get clusterpolicy`, `kubectl get pods -n {{ $labels.namespace }}`, then `kubectl logs -n {{ $labels.namespace }} deploy/gpu-operator`.",
    )
