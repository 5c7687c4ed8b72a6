"""The delivery of clusters by one Argo CD: an ApplicationSet that makes an Application for each cluster's folder or
artifact."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named, to_dns_label, to_flag, to_namespace, to_text
from ..manifests.objects import Manifest, manifest
from ..upstream.programs.delivery_tools import CLUSTER_SECRET, COMPARE_OPTIONS, GENERATE_PATHS, SERVER_SIDE_DIFF
from .fleet_sources import FLEET, OCI, to_folder, to_selector, to_source
from .synthesis import MANIFESTS


@attrs.frozen(kw_only=True, field_transformer=named)
class ArgoCdFleet:
    """A delivery by one Argo CD in which the clusters are registered by the names that they have in the cluster file.

    Args:
        repository: The address of the git repository with the clusters' folders, or of the registry with their
            artifacts (`oci://…/<cluster>`).
        revision: The branch, the tag or the commit; the tag of the artifacts. Default: `HEAD`.
        path: The folder of the clusters' folders in the git repository. Default: `dist`.
        labels: The labels of the Secrets of the clusters that get their folder; {} is every registered cluster.
            Default: a folder of the git repository chooses its cluster by its name.
        name: The name of the ApplicationSet, and the first part of the names of its Applications. Default: `talos-gpu`.
        namespace: The namespace of Argo CD. Default: `argocd`.
        project: The AppProject of the Applications. Default: `default`.
        automated: Sync automatically when a folder changes. Default: True.
        prune: Delete objects that a folder no longer has; only with `automated`. Default: True.
        self_heal: Revert manual changes in the clusters; only with `automated`. Default: True.

    Raises:
        TypeError, ValueError: `'repository' must be the address of a git repository …`; likewise for every other
            argument.
    """

    repository: str = attrs.field(converter=to_source)
    revision: str = attrs.field(default="HEAD", converter=to_text)
    path: str = attrs.field(default="dist", converter=to_folder)
    labels: Mapping[str, str] | None = attrs.field(default=None, converter=to_selector)
    name: str = attrs.field(default="talos-gpu", converter=to_dns_label)
    namespace: str = attrs.field(default="argocd", converter=to_namespace)
    project: str = attrs.field(default="default", converter=to_text)
    automated: bool = attrs.field(default=True, converter=to_flag)
    prune: bool = attrs.field(default=True, converter=to_flag)
    self_heal: bool = attrs.field(default=True, converter=to_flag)

    def __attrs_post_init__(self) -> None:
        """Refuse artifacts without labels and without a tag: a registry has no folders, and no HEAD."""
        if self.repository.startswith(OCI) and self.labels is None:
            raise wrong("labels", "given for artifacts of a registry", None, "{} is every registered cluster")
        if self.repository.startswith(OCI) and self.revision == "HEAD":
            raise wrong("revision", "the tag of the artifacts of a registry", self.revision, "such as latest")

    def files(self, without: Iterable[str]) -> dict[str, list[Manifest]]:
        """The file with the ApplicationSet. The folders of the clusters `without` manifests choose no cluster."""
        cluster = "{{.path.basename}}" if self.labels is None else "{{.name}}"
        is_oci = self.repository.startswith(OCI)
        source = {
            "repoURL": f"{self.repository}/{cluster}" if is_oci else self.repository,
            "targetRevision": self.revision,
            "path": "." if is_oci else f"{self.path}/{cluster}/{MANIFESTS}",
        }
        # The comparison of a server-side apply knows the fields that the API server adds, such as those of a
        # ClusterPolicy.
        annotations = {COMPARE_OPTIONS: SERVER_SIDE_DIFF, **({} if is_oci else {GENERATE_PATHS: "."})}
        spec: dict[str, Any] = {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [self._generator(without)],
            # A cluster that loses its label or its folder keeps its workloads and their volumes.
            "syncPolicy": {"preserveResourcesOnDeletion": True},
            "template": {
                "metadata": {"name": f"{self.name}-{cluster}", "annotations": annotations},
                "spec": {
                    "project": self.project,
                    "source": source,
                    "destination": {"name": cluster},
                    "syncPolicy": self._sync_policy(),
                },
            },
        }
        return {"argocd.yaml": [manifest("argoproj.io/v1alpha1", "ApplicationSet", self.name, namespace=self.namespace, spec=spec)]}

    def _generator(self, without: Iterable[str]) -> dict[str, Any]:
        if self.labels is not None:
            registered = dict([CLUSTER_SECRET])
            return {"clusters": {"selector": {"matchLabels": {**registered, **self.labels}}}}
        excluded = [{"path": f"{self.path}/{name}", "exclude": True} for name in (FLEET, *without)]
        folders = [{"path": f"{self.path}/*"}, *excluded]
        return {"git": {"repoURL": self.repository, "revision": self.revision, "directories": folders}}

    def _sync_policy(self) -> dict[str, Any]:
        # An operator sets fields that its chart leaves out, and a CRD may exceed the size limit of an annotation.
        policy: dict[str, Any] = {"syncOptions": ["ServerSideApply=true"]}
        return {**policy, "automated": {"prune": self.prune, "selfHeal": self.self_heal}} if self.automated else policy
