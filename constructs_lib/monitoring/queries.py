"""PromQL that is right when pods share a GPU, and when a GPU is partitioned: the one place that knows how series are told apart.

Several pods on one GPU repeat its series, and so do the instances of a partitioned one, so whatever counts or adds up GPUs first takes the
most of each: `max by`. Plain PromQL, so that VictoriaMetrics reads it too.
"""

from __future__ import annotations

import re

import attrs

from .._arguments.errors import wrong
from .._arguments.fields import named, to_flag
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import instance, text
from .._arguments.talos_warnings import warn
from ..upstream import talos_releases
from ..upstream.dcgm_metric_names import EXPORTER_RENAMED, own_node_label
from ..upstream.version import Version
from .metrics import Metric

# The exporter's own labels of a GPU. Its own label of the node is none of them: the case of that label differs between versions.
_GPU = ("gpu", "UUID", "modelName")
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
        raise wrong(argument, rule, written, "of the two versions in the tag of an image the second is the exporter's")
    return str(version)


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class MetricsSource:
    """Where the metrics of GPUs come from, as Prometheus has them: what dashboards and alerts ask for.

    Args:
        job: The job of the exporter. That of the operator's own is `nvidia-dcgm-exporter`. Default: `dcgm-exporter`, which is that of every
            `DcgmExporter`, whatever its name.
        node_label: The label that names the node. The ServiceMonitor of `DcgmExporter` sets it, and so do `operator_exporter_values`. Default:
            `node`.
        honor_labels: Whether Prometheus keeps the exporter's own `namespace`, `pod` and `container`; else they begin with `exported_`.
            Default: False.
        exporter_version: The version of a dcgm-exporter that exports its own file of counters, such as `4.9.0`: from 4.9 on these counters have
            the names and the base units of DCGM 4.7. Leave this argument out for `DcgmExporter`, which brings a file of its own, whose names
            and units stay with every version. Default: the names and units up to 4.8.

    Raises:
        TypeError, ValueError: `'node_label' must be …`, `'exporter_version' must be a version of dcgm-exporter …`.

    Warns:
        TalosGpuWarning: For an exporter from 4.9 on, because nobody has compared the names with those of an exporter; for a `node_label` that
            is the exporter's own in another version.

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
            warn(f"'node_label' {self.node_label!r} is no label of dcgm-exporter {version}, whose label of the node is {own!r}")
        if self.has_base_units:
            warn(
                f"the metrics of dcgm-exporter {version} are asked for by the names and units of DCGM 4.7, in this library's tables of "
                f"{talos_releases.READ_ON}: nobody has compared them with what the exporter gives"
            )

    @property
    def has_base_units(self) -> bool:
        """Whether the exporter's metrics have the names and the base units of DCGM 4.7: never before 4.9, whatever DCGM the exporter has."""
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

    def name(self, metric: Metric) -> str:
        """The name of a metric in the series of this exporter."""
        return metric.dcgm_4_7.name if self.has_base_units else str(metric)

    def series(self, metric: Metric, *matchers: str) -> str:
        """The series of a metric, of this job alone, in the exporter's unit."""
        wanted = ", ".join([f'job="{self.job}"', *matchers])
        return f"{self.name(metric)}{{{wanted}}}"

    def per_gpu(self, metric: Metric, *matchers: str) -> str:
        """One series a physical GPU, in the unit that `Metric` names."""
        return self._each(metric, matchers)

    def per_instance(self, metric: Metric, *matchers: str) -> str:
        """One series a GPU, or a MIG instance where the GPU is partitioned, in the unit that `Metric` names: for memory, which is the instance's own."""
        return self._each(metric, matchers, *_INSTANCE)

    def per_pod(self, metric: Metric, *matchers: str) -> str:
        """One series a pod and GPU, or MIG instance, that it has, in the unit that `Metric` names; an idle GPU has none."""
        return self._each(metric, (*matchers, f'{self.pod}!=""'), *_INSTANCE, self.namespace, self.pod)

    def each_gpu(self, vector: str, *labels: str) -> str:
        """One series a physical GPU of any vector that has the exporter's labels, such as a rate; `labels` are further ones that tell its series apart."""
        return f"max by ({', '.join((self.node_label, *_GPU, *labels))}) ({vector})"

    def gpus_per_node(self) -> str:
        """How many physical GPUs each node shows. By their UUID alone: a card that is gone gives its index to the next one."""
        return f"count by ({self.node_label}) (max by ({self.node_label}, UUID) ({self.series(Metric.GPU_TEMP)}))"

    def _each(self, metric: Metric, matchers: tuple[str, ...], *labels: str) -> str:
        """One series for each GPU and set of further labels. A base unit is converted here, so that thresholds and panels have one unit for every exporter."""
        vector = self.each_gpu(self.series(metric, *matchers), *labels)
        unit = metric.dcgm_4_7.unit
        if not self.has_base_units or unit is None:
            return vector
        return f"({vector} * {unit.divisor})" if unit.divisor > 1 else f"({vector} / {unit.factor})"


def to_source(value: MetricsSource, argument: str = "") -> MetricsSource:
    """Where metrics come from."""
    return instance(argument, value, MetricsSource, "a MetricsSource")
