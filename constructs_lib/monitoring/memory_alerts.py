"""The alerts on memory that fails. A contained error warns; a card that can't repair its memory needs somebody now."""

from __future__ import annotations

from ..upstream.xid_errors import DRAIN_AND_RESET
from .alert import Alert, Severity
from .alert_texts import GPU, drain_and_reboot, node_of
from .metrics import Metric
from .queries import MetricsSource

# For so long an uncorrectable error is news.
_NEWS = "1h"


def memory_alerts(source: MetricsSource) -> list[Alert]:
    """The alerts on memory that fails."""
    node = node_of(source)
    errors = source.per_gpu(Metric.ECC_DBE)
    pending = (Metric.ROW_REMAP_PENDING, Metric.RETIRED_PENDING)  # rows since Ampere, pages before
    return [
        # The count stays until the driver is loaded again, so only its growth is news; and a count on a GPU that was not seen in the hour before.
        Alert(
            name="GpuUncorrectableEcc",
            expr=f"increase({errors}[{_NEWS}:1m]) > 0 or ({errors} > 0 unless max_over_time({errors}[{_NEWS}:5m] offset {_NEWS}))",
            severity=Severity.WARNING,
            summary=f"New memory errors that ECC can't correct on {GPU} of {node}",
            description=f"Within the last {_NEWS} the GPU has had memory errors that ECC could not correct, or was first seen with such errors. Whether the "
            "error needs a reset now is for GpuXidUncorrectable, GpuXidFatal and GpuRecoveryActionRequired to say.",
            runbook=f"`talosctl dmesg -n {node} | grep Xid`: after XID 94 restart the pod that was killed, and reboot the node when it suits the workloads. "
            f"After any other XID: {drain_and_reboot(node)}. If the errors come back, have the card replaced.",
        ),
        Alert(
            name="GpuRowRemapFailure",
            expr=f"{source.per_gpu(Metric.ROW_REMAP_FAILURE)} > 0",
            keep_firing_for="15m",
            severity=Severity.CRITICAL,
            summary=f"{GPU} of {node} can't repair its memory",
            description="A memory row failed, and the GPU has no spare row left to take its place: NVIDIA replaces such a card.",
            runbook=f"`kubectl cordon {node}`, and have the card replaced. No reset mends it.",
        ),
        Alert(
            name="GpuMemoryRepairPending",
            expr=" or ".join(
                [*(f"{source.per_gpu(metric)} > 0" for metric in pending), f"{source.per_gpu(Metric.RECOVERY_ACTION)} == {DRAIN_AND_RESET}"]
            ),
            for_="15m",
            severity=Severity.WARNING,
            summary=f"{GPU} of {node} waits for a reset to repair its memory",
            description="A part of the memory failed. The GPU works on with less memory, and puts a spare in the place of that part at the next reset. The "
            f"driver's recovery action {DRAIN_AND_RESET}, drain and reset, means the same.",
            runbook=f"When it suits the workloads: {drain_and_reboot(node)}.",
        ),
    ]
