"""What the dashboard asks: `MetricsSource` with the choices that its reader makes, each expression in one place.

Sums and counts are over series from which duplicates are removed already. Plain PromQL, and nothing that VictoriaMetrics has otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import kube_state
from .metrics import Metric
from .queries import MetricsSource

CLUSTER = 'cluster=~"$cluster"'
_NAMESPACE = 'namespace=~"$namespace"'
_NODE = 'node=~"$node"'
# The bits from heat to a missing power supply stand beside each other: 32, 64 and 128 (NVIDIA/DCGM dcgmlib/dcgm_fields.h).
_SLOWED_FROM, _SLOWED_BITS = 32, 8
# The bits above those say nothing of speed.
_REASONS = 256


@dataclass(frozen=True, slots=True)
class DashboardQueries:
    """The expressions of one dashboard."""

    source: MetricsSource

    @property
    def gpu_name(self) -> str:
        """The legend of a GPU, which is the same whatever pod has it."""
        return f"{{{{{self.source.node_label}}}}} GPU {{{{gpu}}}}"

    @property
    def instance_name(self) -> str:
        """The legend of a GPU or a MIG instance, of a series that `of_instance` gives."""
        return f"{self.gpu_name}{{{{instance_name}}}}"

    @property
    def pod_name(self) -> str:
        """The legend of a pod and what it has."""
        return f"{{{{{self.source.namespace}}}}}/{{{{{self.source.pod}}}}}: {self.instance_name}"

    @property
    def _chosen(self) -> tuple[str, ...]:
        return CLUSTER, f'{self.source.node_label}=~"$node"', 'UUID=~"$gpu"'

    def of_gpu(self, metric: Metric) -> str:
        """One series a GPU."""
        return self.source.per_gpu(metric, *self._chosen)

    def of_instance(self, metric: Metric) -> str:
        """One series a GPU, or a MIG instance of it."""
        return self.source.per_instance(metric, *self._chosen)

    def of_pod(self, metric: Metric) -> str:
        """One series a pod and what it has."""
        return self.source.per_pod(metric, *self._chosen, f'{self.source.namespace}=~"$namespace"')

    @staticmethod
    def named(expr: str) -> str:
        """Series with a label for legends that tells MIG instances apart, and is empty for whole GPUs."""
        return f'label_replace({expr}, "instance_name", " MIG $1", "GPU_I_ID", "(.+)")'

    @property
    def gpus(self) -> str:
        """How many physical GPUs there are, whatever shares and instances they have."""
        return f"count({self.of_gpu(Metric.GPU_TEMP)})"

    @property
    def memory(self) -> str:
        """The memory of each GPU or instance in MiB, without what the driver keeps."""
        return f"({self.of_instance(Metric.FB_USED)} + {self.of_instance(Metric.FB_FREE)})"

    @property
    def slowdown_temp(self) -> str:
        """The temperature at which each GPU slows down; some report 0 for not known."""
        return f"{self.of_gpu(Metric.SLOWDOWN_TEMP)} > 0"

    @property
    def headroom(self) -> str:
        """The degrees of each GPU up to the temperature at which it slows down."""
        return f"({self.slowdown_temp}) - {self.of_gpu(Metric.GPU_TEMP)}"

    @property
    def power_ratio(self) -> str:
        """The draw of each GPU as a part of its limit."""
        return f"{self.of_gpu(Metric.POWER_USAGE)} / ({self.of_gpu(Metric.ENFORCED_POWER_LIMIT)} > 0)"

    # Increases of what is left without duplicates, not the most of increases: when a pod leaves, its GPU goes on in another series.

    @property
    def energy(self) -> str:
        """The kWh of each GPU in the time shown, from mJ."""
        return f"increase({self.of_gpu(Metric.TOTAL_ENERGY)}[$__range:1m]) / 3.6e9"

    @property
    def pcie_retries(self) -> str:
        """The PCIe retries of each GPU in a minute."""
        return f"rate({self.of_gpu(Metric.PCIE_REPLAYS)}[10m:1m]) * 60"

    @property
    def slowed(self) -> str:
        """How many GPUs heat or a lack of power slows down now."""
        return f"sum(floor({self.of_gpu(Metric.CLOCKS_EVENT_REASONS)} / {_SLOWED_FROM}) % {_SLOWED_BITS} > bool 0)"

    @property
    def worst_reason(self) -> str:
        """The highest bit of what holds the clocks of each GPU down, and that is the most serious one; 0 for none."""
        return f"2 ^ floor(log2({self.of_gpu(Metric.CLOCKS_EVENT_REASONS)} % {_REASONS}))"

    def xids(self, within: str, *labels: str) -> str:
        """The most XID errors that the exporter counted at once for each GPU, and for each of further labels."""
        matchers = [*self._chosen, *(f'{label}!=""' for label in labels)]
        return self.source.each_gpu(f"max_over_time({self.source.series(Metric.XID_ERRORS_COUNT, *matchers)}[{within}])", *labels)

    @property
    def gpus_with_xids(self) -> str:
        """How many GPUs had XID errors within a day, by what does not change in it: a card that falls off the bus gives its index to another."""
        return f"sum(max by (UUID) ({self.xids('24h')} > bool 0))"

    @property
    def inventory(self) -> str:
        """One series a GPU or MIG instance, with everything that says which one it is."""
        labels = ("GPU_I_ID", "GPU_I_PROFILE", "pci_bus_id", self.source.name(Metric.DRIVER_VERSION))
        return self.source.each_gpu(self.source.series(Metric.GPU_TEMP, *self._chosen), *labels)

    @property
    def allocatable(self) -> str:
        """What nodes have for pods, by node and resource."""
        return kube_state.allocatable(CLUSTER, _NODE)

    @property
    def requested(self) -> str:
        """What pods on nodes asked for, by container and resource."""
        return kube_state.requested(CLUSTER, _NODE, _NAMESPACE)

    @property
    def waiting(self) -> str:
        """What pods without a node asked for, by container and resource."""
        return kube_state.waiting(CLUSTER, _NAMESPACE)

    @property
    def waiting_pods(self) -> str:
        """How many pods wait; 0 only where kube-state-metrics has something to say, so that its absence is seen."""
        return f"count(count by (cluster, namespace, pod) ({self.waiting})) or sum({self.allocatable}) * 0"
