"""The checked arguments of a DCGM exporter, and what its nodes make of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.names import annotation_map, dns_label, dns_subdomain, label_map, namespace_name
from .._arguments.plain_values import choice, flag, instance, plain_mapping, texts
from .._arguments.quantities import milliseconds, resources, scrape_duration
from ..monitoring.counters import Counter, checked_counters, default_counters
from ..monitoring.metrics import Metric
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import Generation
from ..upstream.images import DCGM_EXPORTER_IMAGE
from ..upstream.plugin_words import MigStrategy
from .daemon_set_choices import ImagePullPolicy
from .exporter_version import exporter_image

APPLICATION = "dcgm-exporter"
# Upstream's.
_RESOURCES = {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"cpu": "200m", "memory": "512Mi"}}


@named_arguments(nodes="an exporter runs on one class of GPU nodes")
@dataclass(kw_only=True, eq=False, repr=False)
class DcgmExporterSettings:
    """The checked arguments of an exporter; `DcgmExporter` documents each."""

    nodes: GpuNodes
    name: str | None = None
    namespace: str | None = None
    counters: Iterable[Counter | Metric | str] | None = None
    profiling: bool = False
    interval: str = "15s"
    scrape_timeout: str = "10s"
    service_monitor: bool = True
    service_monitor_labels: Mapping[str, str] = field(default_factory=dict)
    honor_labels: bool = False
    image: str = DCGM_EXPORTER_IMAGE
    image_pull_policy: ImagePullPolicy | str = ImagePullPolicy.IF_NOT_PRESENT
    image_pull_secrets: Sequence[str] = ()
    resources: Mapping[str, Any] | None = None
    priority_class_name: str = "system-node-critical"
    pod_annotations: Mapping[str, str] = field(default_factory=dict)
    pod_spec: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = instance("nodes", self.nodes, GpuNodes, "a GpuNodes")
        for name in ("profiling", "service_monitor", "honor_labels"):
            flag(name, getattr(self, name))
        chosen = default_counters(profiling=self.profiling) if self.counters is None else self.counters
        resolved = {
            "name": "-".join(filter(None, (APPLICATION, nodes.name))) if self.name is None else dns_label("name", self.name),
            "namespace": None if self.namespace is None else namespace_name("namespace", self.namespace),
            "counters": checked_counters(chosen),
            "interval": scrape_duration("interval", self.interval),
            "scrape_timeout": scrape_duration("scrape_timeout", self.scrape_timeout),
            "service_monitor_labels": label_map("service_monitor_labels", self.service_monitor_labels),
            "image": exporter_image(self.image, dra=nodes.dra is not None),
            "image_pull_policy": choice("image_pull_policy", self.image_pull_policy, ImagePullPolicy),
            "image_pull_secrets": tuple(dns_subdomain("image_pull_secrets", each) for each in texts("image_pull_secrets", self.image_pull_secrets)),
            "resources": resources("resources", _RESOURCES if self.resources is None else self.resources),
            "priority_class_name": dns_subdomain("priority_class_name", self.priority_class_name),
            "pod_annotations": annotation_map("pod_annotations", self.pod_annotations),
            "pod_spec": plain_mapping("pod_spec", self.pod_spec, "a mapping of fields of a pod spec"),
        }  # fmt: skip
        for name, value in resolved.items():
            object.__setattr__(self, name, value)
        self._check_nodes(nodes)
        self._check_profiling()
        self._check_scraping()

    def _check_nodes(self, nodes: GpuNodes) -> None:
        if nodes.generation is Generation.NRI:
            then = "there only the operator's toolkit hands GPUs to containers; use the exporter of NvidiaGpuOperator"
            raise wrong("nodes", "of Talos 1.14 or older", str(nodes.talos_version), then)

    def _check_profiling(self) -> None:
        profiling = [str(each.metric) for each in self.exported if each.needs_profiling]
        if profiling and not self.profiling:
            then = "set profiling=True, which gives the exporter the SYS_ADMIN that it needs for it"
            raise wrong("counters", "without a metric of profiling where 'profiling' is False", profiling[0], then)
        if self.profiling and not profiling:
            raise wrong("profiling", "False where no metric of profiling is in 'counters'", True, "SYS_ADMIN would serve nothing")

    def _check_scraping(self) -> None:
        if self.service_monitor and milliseconds(self.scrape_timeout) > milliseconds(self.interval):
            then = "Prometheus' operator drops a ServiceMonitor that waits longer than it pauses"
            raise wrong("scrape_timeout", f"at most the 'interval' of '{self.interval}'", self.scrape_timeout, then)
        if not self.service_monitor:
            for name in ("service_monitor_labels", "honor_labels"):
                if value := getattr(self, name):
                    raise wrong(name, "left out where 'service_monitor' is False", value, "it is a part of the ServiceMonitor")

    @property
    def instance(self) -> str:
        """The value of the instance label: what keeps the pods of two exporters apart."""
        return str(self.name)

    @property
    def exported(self) -> tuple[Counter, ...]:
        """The checked counters."""
        return checked_counters(self.counters)

    @property
    def reads_claims(self) -> bool:
        """Whether pods claim these GPUs, so that it looks up in the API which devices they were given."""
        return self.nodes.dra is not None

    @property
    def names_every_pod(self) -> bool:
        """Whether several pods may have one GPU, so that a series for each is wanted."""
        return self.nodes.sharing is not None

    @property
    def reads_pods(self) -> bool:
        """Whether it asks the API about pods: by their UIDs it tells whose a process is, or it looks up what they claimed."""
        return self.names_every_pod or self.reads_claims

    @property
    def sees_partitions(self) -> bool:
        """Whether the GPUs are partitioned by MIG."""
        return self.nodes.mig_strategy != MigStrategy.NONE
