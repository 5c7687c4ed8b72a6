"""The PrometheusRule with the alerts on GPUs, and the object that brings the dashboard to Grafana: a ConfigMap for
Grafana's sidecar, or a GrafanaDashboard for the Grafana operator."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named, settle, to_dns_subdomain, to_flag, to_labels, to_object_name, to_optional_namespace
from ...arguments.names import label_key, label_map
from ...arguments.plain_values import choice, text
from ...monitoring.alert_rules import AlertRules
from ...monitoring.grafana_dashboard import DEFAULT_TITLE, DEFAULT_UID, LONGEST_TITLE, gpu_dashboard
from ...monitoring.queries import MetricsSource, to_source
from ...upstream.choice import Choice
from ..objects import MAIN, Manifest, Manifests, manifest


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class GpuAlertsSettings(AlertRules):
    """The checked arguments of `GpuAlerts`, which documents each argument."""

    name: str = attrs.field(default="gpu-alerts", converter=to_dns_subdomain)
    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels)


def gpu_alerts(settings: GpuAlertsSettings) -> Manifests:
    """The PrometheusRule."""
    rule = manifest(
        "monitoring.coreos.com/v1", "PrometheusRule", settings.name, namespace=settings.namespace, labels=settings.labels,
        spec={"groups": settings.groups},
    )  # fmt: skip
    return {MAIN: rule}


# The label by which the sidecars of Grafana's charts and of kube-prometheus-stack find a dashboard
# (grafana-community/helm-charts charts/grafana/values.yaml).
_SIDECAR_LABEL = {"grafana_dashboard": "1"}
# The sidecar's own default is k8s-sidecar-target-directory, and its charts set none. `grafana_folder` is the common
# choice.
_FOLDER_ANNOTATION = "grafana_folder"
# The label of the Grafana in the Grafana operator's examples (grafana/grafana-operator
# docs/blog/v5-getting-started.md).
_INSTANCE_SELECTOR = {"dashboards": "grafana"}
# Kubernetes' limit for a ConfigMap, in bytes.
_LARGEST = 1024 * 1024


class DashboardKind(Choice):
    """The kind of object that brings the dashboard to Grafana."""

    CONFIG_MAP = "config-map"
    """A ConfigMap for the sidecar beside Grafana."""
    GRAFANA_DASHBOARD = "grafana-dashboard"
    """A GrafanaDashboard for the Grafana operator."""


def _to_kind(value: DashboardKind | str, argument: str = "") -> DashboardKind:
    return choice(argument, value, DashboardKind)


def _to_folder(value: str | None, argument: str = "") -> str | None:
    # The sidecar makes a path of the title: a title that begins with '/' would be a path anywhere on the disk. Grafana
    # skips folders that begin with '.' (kiwigrid/k8s-sidecar src/resources.py, grafana/grafana
    # pkg/services/provisioning/dashboards/file_reader.go).
    if value is None:
        return None
    rule = (
        f"the title of one folder (at most {LONGEST_TITLE} characters that can be printed, without '/' and '\\', no '.' or space at an end)"
    )
    title = text(argument, value, rule)
    if len(title) > LONGEST_TITLE or not title.isprintable() or set("/\\") & set(title) or title.strip(" .") != title:
        raise wrong(argument, rule, title, "the sidecar makes a path of the title" if set("/\\") & set(title) else "")
    return title


def _to_label_key(value: str | None, argument: str = "") -> str | None:
    return None if value is None else label_key(argument, value)


def _to_selector(value: Mapping[str, str] | None, argument: str = "") -> Mapping[str, str] | None:
    return None if value is None else MappingProxyType(label_map(argument, value))


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class GpuDashboardSettings:
    """The checked arguments of `GpuDashboard`, which documents each argument."""

    source: MetricsSource = attrs.field(default=MetricsSource(), converter=to_source)
    kind: DashboardKind = attrs.field(default=DashboardKind.CONFIG_MAP, converter=_to_kind)
    name: str = attrs.field(default=None, converter=to_object_name)
    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    folder: str | None = attrs.field(default=None, converter=_to_folder)
    folder_annotation: str | None = attrs.field(default=None, converter=_to_label_key)
    instance_selector: Mapping[str, str] | None = attrs.field(default=None, converter=_to_selector)
    allow_cross_namespace_import: bool = attrs.field(default=False, converter=to_flag)
    labels: Mapping[str, str] = attrs.field(default=None, converter=to_labels)
    title: str = DEFAULT_TITLE
    uid: str = DEFAULT_UID
    profiling: bool = False

    def __attrs_post_init__(self) -> None:
        if self.kind is DashboardKind.CONFIG_MAP:
            object.__setattr__(self, "labels", MappingProxyType({**_SIDECAR_LABEL, **self.labels}))
            settle(self, "folder_annotation", _FOLDER_ANNOTATION)
            self._refuse(DashboardKind.GRAFANA_DASHBOARD, instance_selector=None, allow_cross_namespace_import=False)
        else:
            self._refuse(DashboardKind.CONFIG_MAP, folder_annotation=None)
            settle(self, "instance_selector", MappingProxyType(_INSTANCE_SELECTOR))

    @functools.cached_property
    def dashboard(self) -> dict[str, Any]:
        """The dashboard as Grafana's JSON."""
        return gpu_dashboard(source=self.source, title=self.title, uid=self.uid, profiling=self.profiling)

    def _refuse(self, other: DashboardKind, **unset: Any) -> None:
        """Refuse arguments that only the other kind has."""
        for name, value in unset.items():
            if getattr(self, name) != value:
                raise wrong(name, f"left out of kind {self.kind!r}", getattr(self, name), f"the argument is for kind {other!r}")


def dashboard_object(settings: GpuDashboardSettings) -> Manifests:
    """The ConfigMap or the GrafanaDashboard that holds the dashboard."""
    import json

    # Indented JSON, so that a diff is readable.
    text_of_dashboard = json.dumps(settings.dashboard, indent=2, ensure_ascii=False)
    if (size := len(text_of_dashboard.encode())) > _LARGEST:
        raise wrong("source", f"such that the dashboard has at most {_LARGEST} bytes", settings.source, f"the dashboard has {size}")
    return {MAIN: (_config_map if settings.kind is DashboardKind.CONFIG_MAP else _grafana_dashboard)(settings, text_of_dashboard)}


def _config_map(settings: GpuDashboardSettings, dashboard: str) -> Manifest:
    annotations = {settings.folder_annotation: settings.folder} if settings.folder else {}
    # The key becomes a file name that must be unique across all namespaces; the uid is unique.
    data = {f"{settings.uid}.json": dashboard}
    return manifest(
        "v1", "ConfigMap", settings.name, namespace=settings.namespace, labels=settings.labels, annotations=annotations, data=data
    )


def _grafana_dashboard(settings: GpuDashboardSettings, dashboard: str) -> Manifest:
    spec: dict[str, Any] = {"instanceSelector": {"matchLabels": dict(settings.instance_selector or {})}}
    if settings.allow_cross_namespace_import:
        spec["allowCrossNamespaceImport"] = True
    if settings.folder:
        spec["folder"] = settings.folder
    spec["json"] = dashboard
    api_version = "grafana.integreatly.org/v1beta1"
    return manifest(api_version, "GrafanaDashboard", settings.name, namespace=settings.namespace, labels=settings.labels, spec=spec)
