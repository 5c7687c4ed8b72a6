"""The alerts on GPUs that are used too little or too much. All are off by default."""

from __future__ import annotations

from .alert import Alert, Severity
from .alert_texts import GPU, node_of
from .alert_thresholds import AlertThresholds
from .metrics import Metric
from .queries import MetricsSource


def use_alerts(source: MetricsSource, thresholds: AlertThresholds) -> list[Alert]:
    """The alerts on the use of GPUs."""
    node = node_of(source)
    pod = f"{{{{ $labels.{source.namespace} }}}}/{{{{ $labels.{source.pod} }}}}"
    used = source.per_instance(Metric.FB_USED)
    return [
        # Where pods share a GPU, the exporter splits the utilization by process from 4.8.2 on, and gives 0 to every pod whose processes it can't find
        # (dcgm-exporter internal/pkg/transformation/process_metrics.go). The series without a pod beside them has the whole GPU.
        Alert(
            name="GpuAllocatedIdle",
            expr=f"{source.per_pod(Metric.GPU_UTIL)} and on ({source.gpu_labels}) "
            f"avg_over_time({source.per_gpu(Metric.GPU_UTIL)}[1h:1m]) < {thresholds.idle_utilization}",
            for_="6h",
            severity=Severity.INFO,
            opt_in=True,
            summary=f"Pod {pod} does not use {GPU} of {node}",
            description=f"For hours less than {thresholds.idle_utilization}% of a GPU was used that a pod keeps from others. Where pods share a GPU, the use "
            "of all of them counts, and each pod of an idle GPU gives an alert. MIG instances have no such metric.",
            runbook="Ask whose pod it is; scale it down, or let pods share the GPUs.",
        ),
        Alert(
            name="GpuMemoryNearlyFull",
            expr=f"{used} / ({used} + {source.per_instance(Metric.FB_FREE)}) > {thresholds.memory_used / 100:g}",
            for_="30m",
            severity=Severity.INFO,
            opt_in=True,
            summary=f"The memory of {GPU} of {node} is nearly full",
            description=f"More than {thresholds.memory_used}% of the memory of a GPU, or of a MIG instance, is in use. vLLM and others take "
            "it all in advance, so this is noise where they run.",
            runbook="Lower the batch size, the context or the share that is taken in advance (vLLM: `--gpu-memory-utilization`), or use a larger card.",
        ),
    ]
