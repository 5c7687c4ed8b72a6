"""The dashboard as an object that Grafana's sidecar or Grafana's operator finds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.names import dns_subdomain, label_key, label_map, namespace_name
from .._arguments.plain_values import choice, flag, text
from ..monitoring.grafana_dashboard import DEFAULT_TITLE, DEFAULT_UID, LONGEST_TITLE, gpu_dashboard
from ..monitoring.queries import MetricsSource
from ..upstream.choice import Choice
from .objects import MAIN, Manifest, Manifests, manifest

# What the sidecar of Grafana's charts, and that of kube-prometheus-stack, looks for (grafana-community/helm-charts charts/grafana/values.yaml).
_SIDECAR_LABEL = {"grafana_dashboard": "1"}
# The sidecar's own name is k8s-sidecar-target-directory, and its charts name none; this is the name that people give it.
_FOLDER_ANNOTATION = "grafana_folder"
# The label of the Grafana in the operator's own examples (grafana/grafana-operator docs/blog/v5-getting-started.md).
_INSTANCE_SELECTOR = {"dashboards": "grafana"}
# Kubernetes' limit for a ConfigMap.
_LARGEST = 1024 * 1024


class DashboardKind(Choice):
    """What brings the dashboard to Grafana."""

    CONFIG_MAP = "config-map"
    """A ConfigMap for the sidecar beside Grafana."""
    GRAFANA_DASHBOARD = "grafana-dashboard"
    """A GrafanaDashboard for the Grafana operator."""


@named_arguments()
@dataclass(kw_only=True, eq=False, repr=False)
class GpuDashboardSettings:
    """The checked arguments of a dashboard."""

    name: str
    source: MetricsSource = field(default_factory=MetricsSource)
    kind: DashboardKind | str = DashboardKind.CONFIG_MAP
    namespace: str | None = None
    folder: str | None = None
    folder_annotation: str | None = None
    instance_selector: Mapping[str, str] | None = None
    allow_cross_namespace_import: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    title: str = DEFAULT_TITLE
    uid: str = DEFAULT_UID
    profiling: bool = False

    def __post_init__(self) -> None:
        dns_subdomain("name", self.name)
        if self.namespace is not None:
            namespace_name("namespace", self.namespace)
        if self.folder is not None:
            _folder(self.folder)
        self.labels = label_map("labels", self.labels)
        flag("allow_cross_namespace_import", self.allow_cross_namespace_import)
        self.kind = choice("kind", self.kind, DashboardKind)
        if self.kind is DashboardKind.CONFIG_MAP:
            self.labels = {**_SIDECAR_LABEL, **self.labels}
            named = _FOLDER_ANNOTATION if self.folder_annotation is None else self.folder_annotation
            self.folder_annotation = label_key("folder_annotation", named)
            self._refuse(DashboardKind.GRAFANA_DASHBOARD, instance_selector=None, allow_cross_namespace_import=False)
        else:
            self._refuse(DashboardKind.CONFIG_MAP, folder_annotation=None)
            given = _INSTANCE_SELECTOR if self.instance_selector is None else self.instance_selector
            self.instance_selector = label_map("instance_selector", given)

    def _refuse(self, other: DashboardKind, **unset: Any) -> None:
        """What only the other kind has."""
        for name, value in unset.items():
            if getattr(self, name) != value:
                raise wrong(name, f"left out of kind {self.kind!r}", getattr(self, name), f"it is for kind {other!r}")


def _folder(folder: str) -> None:
    # The sidecar makes a path of it, anywhere on the disk if that begins with '/', and Grafana passes over folders that begin with '.'
    # (kiwigrid/k8s-sidecar src/resources.py, grafana/grafana pkg/services/provisioning/dashboards/file_reader.go).
    rule = (
        f"the title of one folder (at most {LONGEST_TITLE} characters that can be printed, without '/' and '\\', no '.' or space at an end)"
    )
    title = text("folder", folder, rule)
    if len(title) > LONGEST_TITLE or not title.isprintable() or set("/\\") & set(title) or title.strip(" .") != title:
        raise wrong("folder", rule, title, "the sidecar makes a path of it" if set("/\\") & set(title) else "")


def dashboard_object(settings: GpuDashboardSettings) -> tuple[dict[str, Any], Manifests]:
    """The dashboard, and the ConfigMap or the GrafanaDashboard that holds it."""
    import json

    dashboard = gpu_dashboard(source=settings.source, title=settings.title, uid=settings.uid, profiling=settings.profiling)
    # Lines and not one line, so that a diff can be read.
    written = json.dumps(dashboard, indent=2, ensure_ascii=False)
    if (size := len(written.encode())) > _LARGEST:
        raise wrong("source", f"such that the dashboard has at most {_LARGEST} bytes", settings.source, f"it has {size}")
    made = _config_map(settings, written) if settings.kind is DashboardKind.CONFIG_MAP else _grafana_dashboard(settings, written)
    return dashboard, {MAIN: made}


def _config_map(settings: GpuDashboardSettings, written: str) -> Manifest:
    annotations = {settings.folder_annotation: settings.folder} if settings.folder else {}
    # The key is the name of a file among those of all namespaces: it is as unique as the uid has to be.
    data = {f"{settings.uid}.json": written}
    return manifest(
        "v1", "ConfigMap", settings.name, namespace=settings.namespace, labels=settings.labels, annotations=annotations, data=data
    )


def _grafana_dashboard(settings: GpuDashboardSettings, written: str) -> Manifest:
    spec: dict[str, Any] = {"instanceSelector": {"matchLabels": dict(settings.instance_selector or {})}}
    if settings.allow_cross_namespace_import:
        spec["allowCrossNamespaceImport"] = True
    if settings.folder:
        spec["folder"] = settings.folder
    spec["json"] = written
    api_version = "grafana.integreatly.org/v1beta1"
    return manifest(api_version, "GrafanaDashboard", settings.name, namespace=settings.namespace, labels=settings.labels, spec=spec)
