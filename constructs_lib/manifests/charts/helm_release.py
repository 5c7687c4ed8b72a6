"""A release of a Helm chart as plain data, and the objects by which Argo CD and Flux install it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from ...arguments.errors import wrong
from ..objects import MAIN, Manifests, manifest

OCI = "oci://"
_CHART_NAME = r"[a-zA-Z0-9][-a-zA-Z0-9._]*"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HelmRelease:
    """A release: the chart, its version, its target namespace and its values.

    The chart is a name in the repository, or a path or an address that only a Helm on this machine can follow.
    """

    name: str
    namespace: str
    repository: str
    chart: str
    version: str
    values: Mapping[str, Any]
    ignore_differences: Sequence[Mapping[str, Any]] = ()
    """The differences between cluster and chart that a controller must ignore, in the syntax of Argo CD."""

    @property
    def is_oci(self) -> bool:
        """Whether the repository is an OCI registry."""
        return self.repository.startswith(OCI)

    @property
    def oci_url(self) -> str:
        """The chart's address in an OCI registry."""
        return f"{self.repository.rstrip('/')}/{self.chart}"

    def check_in_repository(self, tool: str) -> None:
        """Refuse a chart that is not in the repository: a tool in the cluster finds no path of this machine."""
        parts = self.chart.split("/") if self.is_oci else [self.chart]
        if self.chart.endswith(".tgz") or not all(re.fullmatch(_CHART_NAME, part) for part in parts):
            rule = f"the name of a chart in 'repository', or an address 'oci://…', where {tool} installs it"
            hint = "HelmTemplate() renders a chart from a path, from the address of an archive, or from a repository that Helm knows by its name"
            raise wrong("chart", rule, self.chart, hint)


def argo_application(
    release: HelmRelease, *, namespace: str, project: str, server: str, automated: bool, prune: bool, self_heal: bool
) -> Manifests:
    """Argo CD's Application for a release."""
    release.check_in_repository("Argo CD")
    source = {
        # Argo CD takes a registry's address without `oci://`.
        "repoURL": release.repository.removeprefix(OCI).rstrip("/"),
        "chart": release.chart,
        "targetRevision": release.version,
        "helm": {"releaseName": release.name, "valuesObject": dict(release.values)},
    }
    # Server-side apply: an operator sets fields that its chart leaves out, and a CRD may exceed the size limit of an
    # annotation.
    policy: dict[str, Any] = {"syncOptions": ["ServerSideApply=true"]}
    if automated:
        policy["automated"] = {"prune": prune, "selfHeal": self_heal}
    spec: dict[str, Any] = {
        "project": project,
        "source": source,
        "destination": {"server": server, "namespace": release.namespace},
        "syncPolicy": policy,
    }
    if release.ignore_differences:
        spec["ignoreDifferences"] = [dict(difference) for difference in release.ignore_differences]
    return {MAIN: manifest("argoproj.io/v1alpha1", "Application", release.name, namespace=namespace, spec=spec)}


def flux_release(release: HelmRelease, *, namespace: str, interval: str, timeout: str) -> Manifests:
    """Flux's HelmRelease for a release, and the source of the chart."""
    release.check_in_repository("Flux")
    source_kind = "OCIRepository" if release.is_oci else "HelmRepository"
    source_spec: dict[str, Any] = {"interval": interval}
    if release.is_oci:
        source_spec |= {
            "url": release.oci_url,
            "ref": {"tag": release.version},
            "layerSelector": {"mediaType": "application/vnd.cncf.helm.chart.content.v1.tar+gzip", "operation": "copy"},
        }
        chart: dict[str, Any] = {"chartRef": {"kind": source_kind, "name": release.name}}
    else:
        source_spec["url"] = release.repository
        reference = {"kind": source_kind, "name": release.name}
        chart = {"chart": {"spec": {"chart": release.chart, "version": release.version, "sourceRef": reference, "interval": interval}}}
    spec: dict[str, Any] = {"releaseName": release.name, "interval": interval, "timeout": timeout, **chart}
    if namespace != release.namespace:
        spec |= {"targetNamespace": release.namespace, "storageNamespace": release.namespace}
    # Helm never updates the CRDs of a chart, and the CRDs of the operator and of NFD get new fields with each release.
    spec |= {
        "install": {"crds": "CreateReplace", "remediation": {"retries": 3}},
        "upgrade": {"crds": "CreateReplace", "remediation": {"retries": 3}},
        "values": dict(release.values),
    }
    return {
        "Source": manifest("source.toolkit.fluxcd.io/v1", source_kind, release.name, namespace=namespace, spec=source_spec),
        MAIN: manifest("helm.toolkit.fluxcd.io/v2", "HelmRelease", release.name, namespace=namespace, spec=spec),
    }
