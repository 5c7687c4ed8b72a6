"""PromQL for GPU metrics that is correct where pods share a GPU and where MIG partitions a GPU.

Several pods on one GPU, and the MIG instances of one GPU, repeat the GPU's series. Every count and sum therefore takes
the maximum of each GPU first: `max by`. The queries are plain PromQL, which VictoriaMetrics reads too.
"""

from __future__ import annotations

import re

import attrs

from ..arguments.errors import warn, wrong
from ..arguments.fields import named, to_flag
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import instance, text
from ..upstream.nvidia.dcgm_metric_names import EXPORTER_RENAMED, own_node_label
from ..upstream.version import Version
from .metrics import Metric

# The exporter's labels of a GPU. The exporter's own node label is left out, because its spelling differs between
# versions.
_GPU = ("gpu", "UUID", "modelName")
# Where one Prometheus or one ruler has several clusters, this label tells equal names of nodes apart. A label that no
# series has is an empty label.
_CLUSTER = "cluster"
_INSTANCE = ("GPU_I_ID", "GPU_I_PROFILE")
LABEL_NAME = r"[a-zA-Z_][a-zA-Z0-9_]*"
_NOT_IN_A_STRING = r'["\\\n]'


def _to_job(value: str, argument: str = "") -> str:
    if re.search(_NOT_IN_A_STRING, text(argument, value)):
        raise wrong(argument, "the name of a job, without quotes and backslashes on one line", value)
    return value


def _to_label_name(value: str, argument: str = "") -> str:
    rule = "the name of a Prometheus label (letters, digits and '_', no digit first)"
    if not re.fullmatch(LABEL_NAME, text(argument, value, rule)):
        raise wrong(argument, rule, value)
    return value


def _to_exporter_version(value: str | None, argument: str = "") -> str | None:
    if value is None:
        return None
    rule = f"a version of dcgm-exporter such as '{EXPORTER_RENAMED}'"
    written = text(argument, value, rule)
    version = Version.parse(written)
    if version is None or version.patch is None or version.pre_release:
        raise wrong(argument, rule, written, "the exporter's version is the second of the two versions in an image's tag")
    return str(version)


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class MetricsSource:
    """The source of the GPU metrics in Prometheus: the exporter's job and version, and the labels of its series.
    Dashboards and alerts read this source.

    Args:
        job: The job of the exporter. The job of the operator's own exporter is `nvidia-dcgm-exporter`. Default:
            `dcgm-exporter`, the job of every `DcgmExporter` of any name.
        node_label: The label with the node's name. `DcgmExporter` and `operator_exporter_values` set this label in
            their ServiceMonitors. Default: `node`.
        honor_labels: Whether Prometheus keeps the exporter's own labels `namespace`, `pod` and `container`. Otherwise
            Prometheus renames these labels with the prefix `exported_`. Default: False.
        exporter_version: The version of a dcgm-exporter that reads the counter file of its image, such as `4.9.0`. From
            4.9 on this counter file has the names and the base units of DCGM 4.7. Leave this argument out for
            `DcgmExporter`, whose own counter file keeps its names and units with every version. Default: the names and
            units up to 4.8.

    Raises:
        TypeError, ValueError: `'node_label' must be …`, `'exporter_version' must be a version of dcgm-exporter …`.

    Warns:
        TalosGpuWarning: For an exporter from 4.9 on, because nobody has compared the names with an exporter's; for a
            `node_label` in the spelling of another version of the exporter.

    Example:
        >>> MetricsSource(job="nvidia-dcgm-exporter").pod
        'exported_pod'

    https://prometheus.io/docs/prometheus/latest/configuration/configuration/#scrape_config
    """

    job: str = attrs.field(default="dcgm-exporter", converter=_to_job)
    node_label: str = attrs.field(default="node", converter=_to_label_name)
    honor_labels: bool = attrs.field(default=False, converter=to_flag)
    exporter_version: str | None = attrs.field(default=None, converter=_to_exporter_version)

    def __attrs_post_init__(self) -> None:
        version = Version.parse(self.exporter_version)
        if version is not None:
            self._warn(version)

    def _warn(self, version: Version) -> None:
        own = own_node_label(version)
        if self.node_label != own and self.node_label.lower() == own.lower():
            warn(f"'node_label' {self.node_label!r} is not a label of dcgm-exporter {version}, whose node label is {own!r}")
        if self.has_base_units:
            from ..nodes.talos_version import dated  # deferred: only a warning needs it

            names = dated(f"the metrics of dcgm-exporter {version} are asked for by the names and units of DCGM 4.7")
            warn(f"{names}: nobody has compared these names with an exporter's")

    @property
    def has_base_units(self) -> bool:
        """Whether the exporter's metrics have the names and the base units of DCGM 4.7: never before 4.9, with any
        DCGM.
        """
        version = Version.parse(self.exporter_version)
        return version is not None and version >= EXPORTER_RENAMED

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

    @property
    def gpu_resources(self) -> str:
        """The labels of a physical GPU, for `by` and `on`."""
        return ", ".join((_CLUSTER, self.node_label, *_GPU))

    def name(self, metric: Metric) -> str:
        """The name of a metric in the series of this exporter."""
        return metric.dcgm_4_7.name if self.has_base_units else str(metric)

    def series(self, metric: Metric, *matchers: str) -> str:
        """The series of a metric of this job, in the exporter's unit."""
        wanted = ", ".join([f'job="{self.job}"', *matchers])
        return f"{self.name(metric)}{{{wanted}}}"

    def per_gpu(self, metric: Metric, *matchers: str) -> str:
        """One series for each physical GPU, in the unit that `Metric` names."""
        return self._each(metric, matchers)

    def per_instance(self, metric: Metric, *matchers: str) -> str:
        """One series for each GPU, or for each MIG instance of a partitioned GPU, in the unit that `Metric` names. Used
        for memory, which each instance has for itself.
        """
        return self._each(metric, matchers, *_INSTANCE)

    def per_pod(self, metric: Metric, *matchers: str) -> str:
        """One series for each pod and each of its GPUs or MIG instances, in the unit that `Metric` names. An idle GPU
        has no series.
        """
        return self._each(metric, (*matchers, f'{self.pod}!=""'), *_INSTANCE, self.namespace, self.pod)

    def each_gpu(self, vector: str, *labels: str) -> str:
        """One series for each physical GPU of any vector with the exporter's labels, such as a rate. `labels` are
        further labels to keep.
        """
        return f"max by ({', '.join((self.gpu_resources, *labels))}) ({vector})"

    def gpus_per_node(self) -> str:
        """The number of physical GPUs of each node, counted by UUID: a GPU that disappears passes its index to the next
        GPU.
        """
        node = f"{_CLUSTER}, {self.node_label}"
        return f"count by ({node}) (max by ({node}, UUID) ({self.series(Metric.GPU_TEMP)}))"

    def _each(self, metric: Metric, matchers: tuple[str, ...], *labels: str) -> str:
        """One series for each GPU and set of further labels. Base units are converted here, so that thresholds and
        panels have one unit for every exporter.
        """
        vector = self.each_gpu(self.series(metric, *matchers), *labels)
        unit = metric.dcgm_4_7.unit
        if not self.has_base_units or unit is None:
            return vector
        return f"({vector} * {unit.divisor})" if unit.divisor > 1 else f"({vector} / {unit.factor})"


def to_source(value: MetricsSource, argument: str = "") -> MetricsSource:
    """Where metrics come from."""
    return instance(argument, value, MetricsSource, "a MetricsSource")
