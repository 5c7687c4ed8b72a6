"""The checked arguments of `DcgmExporter`, and what follows from its nodes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ...arguments import fields
from ...arguments.errors import wrong
from ...arguments.quantities import milliseconds
from ...monitoring.counters import Counter, default_counters, to_counters
from ...nodes.gpu_nodes import GpuNodes, to_container_nodes
from ...upstream.images import DCGM_EXPORTER_IMAGE
from ...upstream.nvidia.plugin_words import MigStrategy
from ...upstream.talos.generations import CLASS_HANDLER, NRI_TOOLKIT
from ..plugin.options import ImagePullPolicy, to_image_pull_policy
from .version import check_exporter_image

APPLICATION = "dcgm-exporter"
# Upstream's requests and limits.
_RESOURCES = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"cpu": "200m", "memory": "512Mi"}}


def _to_resources(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    return fields.to_resources(_RESOURCES if value is None else value, argument)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=fields.named)
class DcgmExporterSettings:
    """The checked arguments of `DcgmExporter`, which documents each argument."""

    nodes: GpuNodes = attrs.field(converter=to_container_nodes)
    name: str = attrs.field(default=None, converter=fields.to_optional_dns_label)
    namespace: str | None = attrs.field(default=None, converter=fields.to_optional_namespace)
    counters: tuple[Counter, ...] = attrs.field(default=None, converter=to_counters)
    profiling: bool = attrs.field(default=False, converter=fields.to_flag)
    interval: str = attrs.field(default="15s", converter=fields.to_scrape_duration)
    scrape_timeout: str = attrs.field(default="10s", converter=fields.to_scrape_duration)
    service_monitor: bool = attrs.field(default=True, converter=fields.to_flag)
    service_monitor_labels: Mapping[str, str] = attrs.field(default=None, converter=fields.to_labels)
    honor_labels: bool = attrs.field(default=False, converter=fields.to_flag)
    image: str = attrs.field(default=DCGM_EXPORTER_IMAGE, converter=fields.to_image)
    image_pull_policy: ImagePullPolicy = attrs.field(default=ImagePullPolicy.IF_NOT_PRESENT, converter=to_image_pull_policy)
    image_pull_secrets: tuple[str, ...] = attrs.field(default=(), converter=fields.to_dns_subdomains)
    resources: Mapping[str, Any] = attrs.field(default=None, converter=_to_resources)
    priority_class_name: str = attrs.field(default="system-node-critical", converter=fields.to_dns_subdomain)
    pod_annotations: Mapping[str, str] = attrs.field(default=None, converter=fields.to_annotations)
    pod_spec: Mapping[str, Any] = attrs.field(default=None, converter=fields.to_pod_spec)

    def __attrs_post_init__(self) -> None:
        fields.settle(self, "name", "-".join(filter(None, (APPLICATION, self.nodes.name))))
        fields.settle(self, "counters", tuple(default_counters(profiling=self.profiling)))
        self._check_nodes(self.nodes)
        check_exporter_image(self.image, dra=self.nodes.dra is not None)
        self._check_profiling()
        self._check_scraping()

    def _check_nodes(self, nodes: GpuNodes) -> None:
        if nodes.runtime_class is None:
            hint = f"{NRI_TOOLKIT.when} only the operator's toolkit gives agents the driver; use the exporter of NvidiaGpuOperator"
            raise wrong("nodes", f"of Talos {CLASS_HANDLER.last} or older", str(nodes.talos_version), hint)

    def _check_profiling(self) -> None:
        profiling = [str(counter.metric) for counter in self.counters if counter.needs_profiling]
        if profiling and not self.profiling:
            hint = "set profiling=True, which adds the capability SYS_ADMIN that profiling needs"
            raise wrong("counters", "without a metric of profiling where 'profiling' is False", profiling[0], hint)
        if self.profiling and not profiling:
            raise wrong(
                "profiling", "False where no metric of profiling is in 'counters'", True, "no counter would use the capability SYS_ADMIN"
            )

    def _check_scraping(self) -> None:
        if self.service_monitor and milliseconds(self.scrape_timeout) > milliseconds(self.interval):
            hint = "the Prometheus operator drops a ServiceMonitor whose timeout is longer than its interval"
            raise wrong("scrape_timeout", f"at most the 'interval' of '{self.interval}'", self.scrape_timeout, hint)
        if not self.service_monitor:
            for name in ("service_monitor_labels", "honor_labels"):
                if value := getattr(self, name):
                    raise wrong(name, "left out where 'service_monitor' is False", value, "the argument changes only the ServiceMonitor")

    @property
    def reads_claims(self) -> bool:
        """Whether pods claim these GPUs. The exporter then looks the allocated devices up in the API."""
        return self.nodes.dra is not None

    @property
    def names_every_pod(self) -> bool:
        """Whether several pods may share one GPU. Each pod then gets its own series."""
        return self.nodes.sharing is not None

    @property
    def reads_pods(self) -> bool:
        """Whether the exporter calls the Kubernetes API: for the UIDs of pods, or for the devices of claims."""
        return self.names_every_pod or self.reads_claims

    @property
    def sees_partitions(self) -> bool:
        """Whether MIG partitions the GPUs."""
        return self.nodes.mig_strategy != MigStrategy.NONE
