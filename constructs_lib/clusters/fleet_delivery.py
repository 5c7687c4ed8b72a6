"""The key `delivery` of a cluster file: the objects with which GitOps engines deliver each cluster's folder to its
cluster."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import attrs

from ..arguments.errors import NOTHING, warn, wrong, wrong_kind
from ..arguments.fields import (
    named,
    to_dns_label,
    to_duration,
    to_flag,
    to_labels,
    to_namespace,
    to_optional_dns_subdomain,
    to_optional_text,
    to_text,
)
from ..arguments.keywords import check_keywords, check_required
from ..arguments.plain_values import mapping, text
from ..manifests.objects import Manifest, manifest
from ..upstream.programs.delivery_tools import CLUSTER_SECRET, COMPARE_OPTIONS, GENERATE_PATHS, SERVER_SIDE_DIFF
from ..yaml.npm_bytes import stream
from .argument_types import arguments_of
from .file_values import FileError, check_keys, placed
from .synthesis import MANIFESTS

FLEET = "fleet"
"""The folder beside the clusters' folders, with the objects of the engines."""
OCI = "oci://"
"""The beginning of a registry's address."""
_ADDRESS = r"(?:https?|ssh|oci)://[^\s/{}]+/[^\s{}]*[^\s{}/]"


def to_source(value: str, argument: str = "") -> str:
    """The address of a git repository or of a registry."""
    rule = "the address of a git repository ('https://…', 'ssh://…'), or of a registry ('oci://…')"
    if not re.fullmatch(_ADDRESS, text(argument, value, rule)):
        raise wrong(argument, rule, value)
    return value


def to_folder(value: str, argument: str = "") -> str:
    """A folder in a repository, from its root."""
    rule = "a folder from the root of the repository, such as 'dist'"
    parts = text(argument, value, rule).split("/")
    if not all(re.fullmatch(r"[\w.-]+", part) and part.strip(".") for part in parts):
        raise wrong(argument, rule, value)
    return value


def to_selector(value: Mapping[str, str] | None, argument: str = "") -> Mapping[str, str] | None:
    """The labels of the clusters that are chosen; None for a choice without labels."""
    return None if value is None else to_labels(value, argument)


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


ENGINES: Mapping[str, type] = {"argocd": ArgoCdFleet, "flux": FluxFleet}
"""The engines by their keys, each with the class of its arguments."""


@dataclass(frozen=True)
class FleetDelivery:
    """The engines that deliver the clusters of a file."""

    argocd: ArgoCdFleet | None = None
    flux: FluxFleet | None = None

    def files(self, clusters: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
        """The engines' files by their paths in the fleet's folder, from the clusters' descriptions.

        No file changes when the charts of a cluster change. A cluster without charts has no manifests, and gets no objects.
        """
        with_charts = [name for name, description in clusters.items() if description.get("charts")]
        without = [name for name in clusters if name not in with_charts]
        files = {**(self.argocd.files(without) if self.argocd else {}), **(self.flux.files(with_charts) if self.flux else {})}
        return {path: stream(manifests) for path, manifests in files.items()}

    def warn_of_another_folder(self, output_folder: str) -> None:
        """Warn of an engine that reads another folder of a git repository than the one that is written."""
        written = Path(output_folder).absolute().as_posix()
        for name, engine in (("argocd", self.argocd), ("flux", self.flux)):
            if engine is not None and not engine.repository.startswith(OCI) and not written.endswith(f"/{engine.path}"):
                hint = (
                    f"give 'path' from the root of the repository, such as 'path: {Path(written).name}', or --output-folder {engine.path}"
                )
                warn(f"delivery.{name} reads the folders of the clusters in {engine.path!r}, and {output_folder!r} is written; {hint}")


def fleet_delivery(given: object, clusters: Iterable[str]) -> FleetDelivery:
    """The engines of a file's `delivery`. An error has its place in the file."""
    path = ("delivery",)
    fields = placed(path, mapping, "delivery", given)
    check_keys("delivery", fields, tuple(ENGINES), path)
    if not fields:
        raise FileError(path, wrong_kind("delivery", "a mapping with the key 'argocd' or 'flux'", NOTHING))
    if FLEET in clusters:
        hint = "the folder of this name has the objects of the engines"
        raise FileError(("clusters", FLEET), wrong("name", f"another name than '{FLEET}' in a file with 'delivery'", FLEET, hint))
    return FleetDelivery(**{name: placed((*path, name), _engine, name, value) for name, value in fields.items()})


def _engine(name: str, given: object) -> Any:
    fields = mapping(name, given)
    kind: Callable[..., Any] = ENGINES[name]
    known = arguments_of(kind)
    check_keywords(name, list(known), fields)
    check_required(name, [each for each in known if known[each].is_required], fields, {})
    return kind(**fields)
