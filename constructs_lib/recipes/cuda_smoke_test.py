"""The recipe of a smoke test: a Job that proves that a node class runs CUDA."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.fields import named
from ..arguments.quantities import amount_of
from ..manifests.cuda_proof import SAYS_PASSED
from ..manifests.workload.kinds import JOBS, WorkloadKind
from ..manifests.workload.settings import to_kind
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.programs.images import CUDA_SAMPLE_IMAGES
from .recipe_settings import RecipeSettings

_LEAST_MEMORY = 90
"""The per cent of a card's nominal memory that the driver reports at least: ECC and the firmware take the rest."""
_SCRIPT = (
    """\
failed() { echo "FAILED $*"; exit 1; }
listed="$(nvidia-smi -L 2>&1)" || failed "driver: nvidia-smi says: $listed"
seen="$(echo "$listed" | grep -c "^ *$DEVICE ")" || true
[ "$seen" -ge 1 ] || failed "count: the container sees no GPU: $listed"
[ "$seen" -le "$GPUS" ] || failed "isolation: the container sees $seen GPUs and has asked for $GPUS"
[ "$seen" -ge "$LEAST" ] || failed "count: the container sees $seen GPUs and has asked for $GPUS"
echo "passed count and isolation: $seen of $GPUS"
driver="$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1)" || failed "driver: nvidia-smi says: $driver"
echo "passed driver: $driver on Talos $TALOS"
if [ "$MEBIBYTES" -gt 0 ]; then
  for total in $(nvidia-smi --query-gpu=memory.total --format=csv,noheader,nounits); do
    [ "$total" -ge "$MEBIBYTES" ] || failed "memory: a card has $total MiB, and its class of nodes promises about $MEBIBYTES MiB or more"
    echo "passed memory: $total MiB"
  done
fi
sum="$(/cuda-samples/sample 2>&1)" || failed "compute: $sum"
case "$sum" in *"Test PASSED"*) echo "passed compute: vectorAdd" ;; *) failed "compute: $sum" ;; esac
"""
    + SAYS_PASSED
)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class CudaSmokeTestSettings(RecipeSettings):
    """A Job that proves that a node class runs CUDA, and says in its log what it proved.

    The log has a line for each proof. The container sees as many GPUs as it asked for: the driver and the plugin work,
    and the node's other GPUs are hidden. The next lines have the driver, the card's memory against `memory_per_gpu` of
    the node class, and a sum of two vectors on the GPU. The last line is `passed all`, or begins with
    FAILED, and the Job fails with it. Where pods share cards, two shares may be of one card.

    `kubectl wait --for=condition=complete job --selector app.kubernetes.io/name=NAME` waits for the proof, and
    `kubectl logs --selector app.kubernetes.io/name=NAME` prints it. The pod runs without root and needs no network.

    Makes a Job `<name>-<hash>`, which runs again after a change, and after an upgrade of the nodes' `talos_version`.

    Args:
        kind: `Job`, or `CronJob` with a `schedule` for a proof every night. Default: `Job`.

    Raises:
        TypeError, ValueError: As `GpuWorkload`.

    Example:
        >>> smoke = CudaSmokeTest(Chart(App(), "gpu"), "smoke-test", nodes=GpuNodes(talos_version="1.13", product="RTX 4090"))
        >>> smoke.kind, smoke.env["MEBIBYTES"]
        ('Job', '22118')

    https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/tests/gpu-pod.yaml
    """

    images: ClassVar[Mapping[int, str]] = CUDA_SAMPLE_IMAGES
    user = (65532, 65532, 65532)

    kind: WorkloadKind = attrs.field(default=WorkloadKind.JOB, converter=to_kind)

    def _facts(self) -> Mapping[str, Any]:
        nodes = self.nodes
        is_partition = self.profile is not None or nodes.mig_strategy is MigStrategy.SINGLE
        shares_cards = nodes.sharing is not None or (nodes.dra is not None and nodes.dra.claims_per_gpu != 1)
        memory = 0 if is_partition or nodes.memory_per_gpu is None else int(amount_of(nodes.memory_per_gpu)) // 2**20
        return {
            "command": ["/bin/sh", "-ec", _SCRIPT],
            "env": {
                "DEVICE": "MIG" if is_partition else "GPU",
                "GPUS": str(self.gpus),
                "LEAST": "1" if shares_cards else str(self.gpus),
                "TALOS": str(nodes.talos_version),  # so that another Talos is another Job
                "MEBIBYTES": str(memory * _LEAST_MEMORY // 100),
            },
            "backoff_limit": 2,
            "active_deadline_seconds": 300,
            **({"hashed_name": True} if self.kind in JOBS - {WorkloadKind.CRON_JOB} else {}),
        }
