"""The queries of the dashboard: each expression of `MetricsSource`, restricted to the choices of the dashboard's user.

Sums and counts use series without duplicates. The queries are plain PromQL, which VictoriaMetrics reads in the same
way.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import kube_state
from .metrics import Metric
from .queries import MetricsSource

CLUSTER = 'cluster=~"$cluster"'
_NAMESPACE = 'namespace=~"$namespace"'
_NODE = 'node=~"$node"'
# The bits from heat to a missing power supply stand beside each other: 32, 64 and 128 (NVIDIA/DCGM
# dcgmlib/dcgm_fields.h).
_SLOWED_FROM, _SLOWED_BITS = 32, 8
# The bits above those say nothing of speed.
_REASONS = 256


@dataclass(frozen=True, slots=True)
class DashboardQueries:
    """The queries of one dashboard."""

    source: MetricsSource

    @property
    def gpu_name(self) -> str:
        """The legend of a GPU, which is the same for every pod on the GPU. Without a label `cluster` the legend begins
        with the node.
        """
        return f"{{{{cluster}}}} {{{{{self.source.node_label}}}}} GPU {{{{gpu}}}}"

    @property
    def instance_name(self) -> str:
        """The legend of a GPU or a MIG instance, for the series of `of_instance`."""
        return f"{self.gpu_name}{{{{instance_name}}}}"

    @property
    def pod_name(self) -> str:
        """The legend of a pod and its GPU or MIG instance."""
        return f"{{{{{self.source.namespace}}}}}/{{{{{self.source.pod}}}}}: {self.instance_name}"

    @property
    def _chosen(self) -> tuple[str, ...]:
        return CLUSTER, f'{self.source.node_label}=~"$node"', 'UUID=~"$gpu"'

    def of_gpu(self, metric: Metric) -> str:
        """One series for each GPU."""
        return self.source.per_gpu(metric, *self._chosen)

    def of_instance(self, metric: Metric) -> str:
        """One series for each GPU, or for each of its MIG instances."""
        return self.source.per_instance(metric, *self._chosen)

    def of_pod(self, metric: Metric) -> str:
        """One series for each pod and each of its GPUs."""
        return self.source.per_pod(metric, *self._chosen, f'{self.source.namespace}=~"$namespace"')

    @staticmethod
    def named(expr: str) -> str:
        """Series with a legend label for MIG instances, which is empty for whole GPUs."""
        return f'label_replace({expr}, "instance_name", " MIG $1", "GPU_I_ID", "(.+)")'

    @property
    def gpus(self) -> str:
        """The number of physical GPUs, without counting shares or MIG instances."""
        return f"count({self.of_gpu(Metric.GPU_TEMP)})"

    @property
    def memory(self) -> str:
        """The memory of each GPU or MIG instance in MiB, without the memory that the driver reserves."""
        return f"({self.of_instance(Metric.FB_USED)} + {self.of_instance(Metric.FB_FREE)})"

    @property
    def slowdown_temp(self) -> str:
        """The temperature at which each GPU slows down, without the value 0, by which some cards report "unknown"."""
        return f"{self.of_gpu(Metric.SLOWDOWN_TEMP)} > 0"

    @property
    def headroom(self) -> str:
        """The degrees between the temperature of each GPU and its slowdown temperature."""
        return f"({self.slowdown_temp}) - {self.of_gpu(Metric.GPU_TEMP)}"

    @property
    def power_ratio(self) -> str:
        """The power draw of each GPU as a fraction of its limit."""
        return f"{self.of_gpu(Metric.POWER_USAGE)} / ({self.of_gpu(Metric.ENFORCED_POWER_LIMIT)} > 0)"

    # The increase is taken after duplicates are removed: when a pod ends, the counter of its GPU continues in another
    # series.

    @property
    def energy(self) -> str:
        """The energy of each GPU in the shown time, in kWh, from mJ."""
        return f"increase({self.of_gpu(Metric.TOTAL_ENERGY)}[$__range:1m]) / 3.6e9"

    @property
    def pcie_retries(self) -> str:
        """The PCIe retries of each GPU a minute."""
        return f"rate({self.of_gpu(Metric.PCIE_REPLAYS)}[10m:1m]) * 60"

    @property
    def slowed(self) -> str:
        """The number of GPUs that heat or the power supply slows down now."""
        return f"sum(floor({self.of_gpu(Metric.CLOCKS_EVENT_REASONS)} / {_SLOWED_FROM}) % {_SLOWED_BITS} > bool 0)"

    @property
    def worst_reason(self) -> str:
        """The highest bit of the clock event reasons of each GPU, which is the most serious reason; 0 for none."""
        return f"2 ^ floor(log2({self.of_gpu(Metric.CLOCKS_EVENT_REASONS)} % {_REASONS}))"

    def xids(self, within: str, *labels: str) -> str:
        """The largest number of XID errors that the exporter counted at one time for each GPU, and for each value of
        further labels.
        """
        matchers = [*self._chosen, *(f'{label}!=""' for label in labels)]
        return self.source.each_gpu(f"max_over_time({self.source.series(Metric.XID_ERRORS_COUNT, *matchers)}[{within}])", *labels)

    @property
    def gpus_with_xids(self) -> str:
        """The number of GPUs with XID errors within a day, counted by UUID: a card that falls off the bus passes its
        index to another card.
        """
        return f"sum(max by (cluster, UUID) ({self.xids('24h')} > bool 0))"

    @property
    def inventory(self) -> str:
        """One series for each GPU or MIG instance, with every label that identifies it."""
        labels = ("GPU_I_ID", "GPU_I_PROFILE", "pci_bus_id", self.source.name(Metric.DRIVER_VERSION))
        return self.source.each_gpu(self.source.series(Metric.GPU_TEMP, *self._chosen), *labels)

    @property
    def allocatable(self) -> str:
        """The GPUs that nodes offer to pods, by node and resource."""
        return kube_state.allocatable(CLUSTER, _NODE)

    @property
    def requested(self) -> str:
        """The GPUs that pods with a node request, by container and resource."""
        return kube_state.requested(CLUSTER, _NODE, _NAMESPACE)

    @property
    def waiting(self) -> str:
        """The GPUs that pods without a node request, by container and resource."""
        return kube_state.waiting(CLUSTER, _NAMESPACE)

    @property
    def waiting_pods(self) -> str:
        """The number of waiting pods. The value is 0 only where kube-state-metrics has series, so that a missing
        kube-state-metrics is visible.
        """
        return f"count(count by ({kube_state.POD}) ({self.waiting})) or sum({self.allocatable}) * 0"
