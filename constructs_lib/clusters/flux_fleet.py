"""The delivery of clusters by Flux: for each cluster a source and a Kustomization, in a file of its own."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named, to_duration, to_flag, to_namespace, to_optional_dns_subdomain, to_optional_text
from ..manifests.objects import Manifest, manifest
from .fleet_sources import FLEET, OCI, to_folder, to_source
from .synthesis import MANIFESTS

_SOURCE, _APPLY = "source.toolkit.fluxcd.io/v1", "kustomize.toolkit.fluxcd.io/v1"


@attrs.frozen(kw_only=True, field_transformer=named)
class FluxFleet:
    """A delivery by the Flux of each cluster, or by one Flux in a management cluster.

    Args:
        repository: The address of the registry with the clusters' artifacts (`oci://…/<cluster>`), or of the git
            repository with their folders.
        tag: The tag of the artifacts. Default: `latest`, where `semver` is left out.
        semver: The range of versions of the artifacts; Flux takes the newest.
        branch: The branch of the git repository. Default: `main`.
        path: The folder of the clusters' folders in the git repository. Default: `dist`.
        secret: The name of the Secret with the credentials for the repository. Default: none.
        management_cluster: One Flux applies every folder, with the kubeconfig in the Secret `<cluster>-kubeconfig`, as
            Cluster API makes it. Default: False, each cluster has its own Flux.
        namespace: The namespace of the objects. Default: `flux-system`.
        interval: How often Flux looks for a change, as a duration. Default: `10m`.
        timeout: How long the objects may take to become ready, as a duration. Default: `15m`, because the operator's
            images are large.
        prune: Delete objects that a folder no longer has. Default: True. The objects of a cluster that leaves the file
            stay in the cluster.

    Raises:
        TypeError, ValueError: `'interval' must be a duration …`; likewise for every other argument.
    """

    repository: str = attrs.field(converter=to_source)
    tag: str | None = attrs.field(default=None, converter=to_optional_text)
    semver: str | None = attrs.field(default=None, converter=to_optional_text)
    branch: str | None = attrs.field(default=None, converter=to_optional_text)
    path: str = attrs.field(default="dist", converter=to_folder)
    secret: str | None = attrs.field(default=None, converter=to_optional_dns_subdomain)
    management_cluster: bool = attrs.field(default=False, converter=to_flag)
    namespace: str = attrs.field(default="flux-system", converter=to_namespace)
    interval: str = attrs.field(default="10m", converter=to_duration)
    timeout: str = attrs.field(default="15m", converter=to_duration)
    prune: bool = attrs.field(default=True, converter=to_flag)

    def __attrs_post_init__(self) -> None:
        """Refuse what the kind of the repository does not have."""
        is_oci = self.repository.startswith(OCI)
        for name in ("branch",) if is_oci else ("tag", "semver"):
            if (value := getattr(self, name)) is not None:
                kind = "a registry" if is_oci else "a git repository"
                raise wrong(name, f"left out for {kind}", value, "choose 'tag' or 'semver'" if is_oci else "choose 'branch'")
        if self.tag is not None and self.semver is not None:
            raise wrong("semver", "left out where 'tag' is given", self.semver)

    def files(self, clusters: Iterable[str]) -> dict[str, list[Manifest]]:
        """A file for each cluster. One Flux needs one GitRepository for all clusters, in a file of its own."""
        is_shared = self.management_cluster and not self.repository.startswith(OCI)
        files = {f"flux/{FLEET}.yaml": [self._git(FLEET)]} if is_shared else {}
        for name in clusters:
            sources = [] if is_shared else [self._own_source(name)]
            files[f"flux/{name}.yaml"] = [*sources, self._kustomization(name, FLEET if is_shared else name)]
        return files

    def _own_source(self, cluster: str) -> Manifest:
        if not self.repository.startswith(OCI):
            return self._git(cluster, sparseCheckout=[f"{self.path}/{cluster}/{MANIFESTS}"])
        reference = {"semver": self.semver} if self.semver is not None else {"tag": self.tag or "latest"}
        return self._source("OCIRepository", cluster, url=f"{self.repository}/{cluster}", ref=reference)

    def _git(self, name: str, **more: Any) -> Manifest:
        return self._source("GitRepository", name, url=self.repository, ref={"branch": self.branch or "main"}, **more)

    def _source(self, kind: str, name: str, **spec: Any) -> Manifest:
        credentials = {"secretRef": {"name": self.secret}} if self.secret else {}
        return manifest(_SOURCE, kind, name, namespace=self.namespace, spec={"interval": self.interval, **spec, **credentials})

    def _kustomization(self, cluster: str, source: str) -> Manifest:
        is_oci = self.repository.startswith(OCI)
        spec: dict[str, Any] = {
            "interval": self.interval,
            "timeout": self.timeout,
            "prune": self.prune,
            # Flux's own default deletes every object with its Kustomization: all workloads and volumes of a cluster
            # that leaves the file.
            "deletionPolicy": "Orphan",
            "wait": True,
            "path": "./" if is_oci else f"./{self.path}/{cluster}/{MANIFESTS}",
            "sourceRef": {"kind": "OCIRepository" if is_oci else "GitRepository", "name": source},
        }
        if self.management_cluster:
            spec["kubeConfig"] = {"secretRef": {"name": f"{cluster}-kubeconfig"}}
        return manifest(_APPLY, "Kustomization", cluster, namespace=self.namespace, spec=spec)
