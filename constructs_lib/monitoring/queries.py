"""PromQL that is right when pods share a GPU, and when a GPU is partitioned: the one place that knows how series are told apart.

Several pods on one GPU repeat its series, and so do the instances of a partitioned one, so whatever counts or adds up GPUs first takes the
most of each: `max by`. Plain PromQL, so that VictoriaMetrics reads it too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import flag, text
from .metrics import Metric

# The exporter's own labels of a GPU. The exporter's own name of the node changed its case with 4.6.0 (dcgm-exporter#655), so nothing asks for it.
_GPU = ("gpu", "UUID", "modelName")
_INSTANCE = ("GPU_I_ID", "GPU_I_PROFILE")
LABEL_NAME = r"[a-zA-Z_][a-zA-Z0-9_]*"
_NOT_IN_A_STRING = r'["\\\n]'


@named_arguments()
@dataclass(frozen=True, kw_only=True, slots=True)
class MetricsSource:
    """Where the metrics of GPUs come from, as Prometheus has them: what dashboards and alerts ask for.

    Args:
        job: The job of the exporter. That of the operator's own is `nvidia-dcgm-exporter`. Default: `dcgm-exporter`, which is that of every
            `DcgmExporter`, whatever its name.
        node_label: The label that names the node. The ServiceMonitor of `DcgmExporter` sets it, and so do `operator_exporter_values`. Default:
            `node`.
        honor_labels: Whether Prometheus keeps the exporter's own `namespace`, `pod` and `container`; else they begin with `exported_`.
            Default: False.

    Raises:
        TypeError, ValueError: `'node_label' must be …`.

    Example:
        >>> MetricsSource(job="nvidia-dcgm-exporter").pod
        'exported_pod'

    https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config
    """

    job: str = "dcgm-exporter"
    node_label: str = "node"
    honor_labels: bool = False

    def __post_init__(self) -> None:
        if re.search(_NOT_IN_A_STRING, text("job", self.job)):
            raise wrong("job", "the name of a job, without quotes and backslashes on one line", self.job)
        rule = "the name of a Prometheus label (letters, digits and '_', no digit first)"
        if not re.fullmatch(LABEL_NAME, text("node_label", self.node_label, rule)):
            raise wrong("node_label", rule, self.node_label)
        flag("honor_labels", self.honor_labels)

    @property
    def namespace(self) -> str:
        """The label with the namespace of the pod that has the GPU."""
        return "namespace" if self.honor_labels else "exported_namespace"

    @property
    def pod(self) -> str:
        """The label with the pod that has the GPU."""
        return "pod" if self.honor_labels else "exported_pod"

    @property
    def container(self) -> str:
        """The label with the container that has the GPU."""
        return "container" if self.honor_labels else "exported_container"

    def series(self, metric: Metric, *matchers: str) -> str:
        """The series of a metric, of this job alone."""
        wanted = ", ".join([f'job="{self.job}"', *matchers])
        return f"{metric}{{{wanted}}}"

    def per_gpu(self, metric: Metric, *matchers: str) -> str:
        """One series a physical GPU."""
        return self.each_gpu(self.series(metric, *matchers))

    def each_gpu(self, vector: str, *labels: str) -> str:
        """The same of any vector that has the exporter's labels, such as a rate; `labels` are further ones that tell its series apart."""
        return f"max by ({', '.join((self.node_label, *_GPU, *labels))}) ({vector})"

    def gpus_per_node(self) -> str:
        """How many physical GPUs each node shows. By their UUID alone: a card that is gone gives its index to the next one."""
        return f"count by ({self.node_label}) (max by ({self.node_label}, UUID) ({self.series(Metric.GPU_TEMP)}))"

    def per_instance(self, metric: Metric, *matchers: str) -> str:
        """One series a GPU, or a MIG instance where the GPU is partitioned: for memory, which is the instance's own."""
        return self.each_gpu(self.series(metric, *matchers), *_INSTANCE)

    def per_pod(self, metric: Metric, *matchers: str) -> str:
        """One series a pod and GPU, or MIG instance, that it has; an idle GPU has none."""
        return self.each_gpu(self.series(metric, *matchers, f'{self.pod}!=""'), *_INSTANCE, self.namespace, self.pod)
