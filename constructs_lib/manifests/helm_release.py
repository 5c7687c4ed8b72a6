"""A release of a Helm chart as plain data, and how Argo CD and Flux are told to install it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from .objects import MAIN, Manifests, manifest

_OCI = "oci://"


@attrs.frozen(kw_only=True, eq=False, repr=False)
class HelmRelease:
    """Which chart is installed, where, and with which values."""

    name: str
    namespace: str
    repository: str
    chart: str
    version: str
    values: Mapping[str, Any]
    ignore_differences: Sequence[Mapping[str, Any]] = ()
    """What a controller that compares the cluster with the chart is to leave alone, as Argo CD writes it."""

    @property
    def is_oci(self) -> bool:
        """Whether the repository is a registry."""
        return self.repository.startswith(_OCI)

    @property
    def oci_url(self) -> str:
        """The chart's own address in a registry."""
        return f"{self.repository.rstrip('/')}/{self.chart}"


def argo_application(
    release: HelmRelease, *, namespace: str, project: str, server: str, automated: bool, prune: bool, self_heal: bool
) -> Manifests:
    """Argo CD's Application for a release."""
    source = {
        # Argo CD takes a registry's address without its scheme.
        "repoURL": release.repository.removeprefix(_OCI).rstrip("/"),
        "chart": release.chart,
        "targetRevision": release.version,
        "helm": {"releaseName": release.name, "valuesObject": dict(release.values)},
    }
    # Server-side apply: an operator fills in what its chart left out, and a CRD may be near the size that an annotation can hold.
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
        spec["ignoreDifferences"] = [dict(each) for each in release.ignore_differences]
    return {MAIN: manifest("argoproj.io/v1alpha1", "Application", release.name, namespace=namespace, spec=spec)}


def flux_release(release: HelmRelease, *, namespace: str, interval: str, timeout: str) -> Manifests:
    """Flux's HelmRelease for a release, and the source that it comes from."""
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
    # Helm never updates the CRDs of a chart, and those of the operator and of NFD grow fields with their releases.
    spec |= {
        "install": {"crds": "CreateReplace", "remediation": {"retries": 3}},
        "upgrade": {"crds": "CreateReplace", "remediation": {"retries": 3}},
        "values": dict(release.values),
    }
    return {
        "Source": manifest("source.toolkit.fluxcd.io/v1", source_kind, release.name, namespace=namespace, spec=source_spec),
        MAIN: manifest("helm.toolkit.fluxcd.io/v2", "HelmRelease", release.name, namespace=namespace, spec=spec),
    }
