"""A release of a chart, in the objects and files by which people install it."""

from __future__ import annotations

from random import Random
from typing import Any

import yaml

from .model import App, Object, Release
from .styles import PLAIN
from .tree import Tree
from .working import Text


def dumped(values: Object) -> str:
    """Values as a file of Helm."""
    return str(yaml.dump(plain(values), Dumper=PLAIN[None], sort_keys=False, width=1000))


def plain(value: Any) -> Any:
    """The value with its texts of YAML as texts."""
    if isinstance(value, Text):
        return dumped(dict(value))
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list) else value


def helm_release(
    random: Random, release: Release, *, source_namespace: str, tree: Tree, folder: str, prefix: str = ""
) -> tuple[list[Object], dict[str, Any]]:
    """The objects of Flux for a release, and the fields that the folder's kustomization then needs."""
    alias = prefix + (release.repository.rstrip("/").rsplit("/", 1)[-1] or release.chart)
    fields: dict[str, Any] = {}
    spec: Object = {"interval": "1h"}
    meta = {"name": release.name, "namespace": release.namespace}
    if release.is_oci and random.random() < 0.7:
        url = release.repository if release.repository.endswith(f"/{release.chart}") else f"{release.repository}/{release.chart}"
        where = {"name": release.name, "namespace": release.namespace}
        source = {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "OCIRepository", "metadata": where}
        source["spec"] = {"interval": "5m", "url": url, "ref": {"tag": release.version}}
        spec["chartRef"] = {"kind": "OCIRepository", "name": release.name}
    else:
        where = {"name": alias, "namespace": source_namespace}
        source = {"apiVersion": "source.toolkit.fluxcd.io/v1", "kind": "HelmRepository", "metadata": where}
        source["spec"] = {"interval": "1h", "url": release.repository.removesuffix(f"/{release.chart}")}
        source["spec"] |= {"type": "oci"} if release.is_oci else {}
        reference = {"kind": "HelmRepository", "name": alias, "namespace": source_namespace}
        spec["chart"] = {"spec": {"chart": release.chart, "version": release.version, "sourceRef": reference}}
    if release.values and random.random() < 0.25:
        name = f"{release.name}-values"
        key = random.choice(("values.yaml", "custom.yaml"))
        spec["valuesFrom"] = [{"kind": "ConfigMap", "name": name, **({"valuesKey": key} if key != "values.yaml" else {})}]
        tree.text(f"{folder}/helm/values.yaml", dumped(release.values))
        fields["configMapGenerator"] = [{"name": name, "files": [f"{key}=./helm/values.yaml"]}]
        fields["generatorOptions"] = {"disableNameSuffixHash": True}
    elif release.values:
        spec["values"] = release.values
    body = {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": meta, "spec": spec}
    return [body, source], fields


def application(random: Random, release: Release, tree: Tree, *, repo: str, folder: str, destination: Object) -> Object:
    """An Application of Argo CD for a release."""
    name = f"{release.repository.removeprefix('oci://').removesuffix(f'/{release.chart}')}"
    source: Object = {"repoURL": name, "chart": release.chart, "targetRevision": release.version}
    form = random.choice(("valuesObject", "values", "ref", "parts"))
    spec: Object = {"project": "default", "destination": {**destination, "namespace": release.namespace}}
    helm: Object = {"releaseName": release.name}
    if form == "ref":
        path = f"{folder}/{release.name}/values.yaml"
        tree.text(path, dumped(release.values))
        helm["valueFiles"] = [f"$values/{path}"]
        spec["sources"] = [{**source, "helm": helm}, {"repoURL": repo, "targetRevision": "main", "ref": "values"}]
    elif form == "parts":
        first = dict(list(release.values.items())[:1])
        rest = dict(list(release.values.items())[1:])
        helm |= {"values": dumped(first)} if first else {}
        helm |= {"valuesObject": {**rest, **first}} if rest else {}
        spec["source"] = {**source, "helm": helm}
    else:
        spec["source"] = {**source, "helm": {**helm, form: release.values if form == "valuesObject" else dumped(release.values)}}
    spec["syncPolicy"] = {"automated": {"prune": True, "selfHeal": True}, "syncOptions": ["CreateNamespace=true", "ServerSideApply=true"]}
    if release.chart == "gpu-operator":
        spec["ignoreDifferences"] = [{"group": "nvidia.com", "kind": "ClusterPolicy", "jsonPointers": ["/spec"]}]
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": release.name, "namespace": "argocd"},
        "spec": spec,
    }


def umbrella(release: Release, tree: Tree, folder: str) -> None:
    """A chart of the repository that wraps the chart."""
    repository = release.repository.removesuffix(f"/{release.chart}") if release.is_oci else release.repository
    dependency = {"name": release.chart, "version": release.version, "repository": repository}
    tree.put(f"{folder}/Chart.yaml", {"apiVersion": "v2", "name": f"{release.name}", "version": "0.1.0", "dependencies": [dependency]})
    tree.text(f"{folder}/values.yaml", dumped({release.chart: release.values}))


def helm_chart(random: Random, release: Release, tree: Tree, folder: str) -> Object:
    """The entry of a kustomization that renders the chart."""
    entry: Object = {"name": release.chart, "releaseName": release.name, "namespace": release.namespace, "version": release.version}
    entry["repo"] = release.repository.removesuffix(f"/{release.chart}") if release.is_oci else release.repository
    if random.random() < 0.5:
        entry["valuesInline"] = release.values
    else:
        tree.text(f"{folder}/values-{release.name}.yaml", dumped(release.values))
        entry["valuesFile"] = f"values-{release.name}.yaml"
    return entry


def namespaces_of(app: App) -> list[str]:
    """The namespaces that the app makes."""
    return [each["metadata"]["name"] for each in app.objects if each["kind"] == "Namespace"]
