"""Flux's HelmReleases: a chart, its version, and the values that it gets."""

from __future__ import annotations

from ..read import ChartRelease, KubernetesObject, at
from .charts import chart_name


def is_helm_release(each: KubernetesObject) -> bool:
    """Whether an object is a HelmRelease of Flux."""
    return each.kind == "HelmRelease" and each.api_version.startswith("helm.toolkit.fluxcd.io/")


def helm_release(each: KubernetesObject) -> ChartRelease:
    """The release that a HelmRelease makes."""
    chart, version, values = (
        each.at("spec", "chart", "spec", "chart"),
        each.at("spec", "chart", "spec", "version"),
        each.at("spec", "values"),
    )
    return ChartRelease(
        body=each.body,
        file=each.file,
        line_of=each.line_of,
        file_of=each.file_of,
        chart=chart_name(str(chart or "")),
        name=str(at(each.body, "spec", "releaseName") or each.name),
        namespace=at(each.body, "spec", "targetNamespace") or each.namespace,
        version=version if isinstance(version, str) else None,
        values=values if isinstance(values, dict) else {},
        values_path=("spec", "values"),
    )
