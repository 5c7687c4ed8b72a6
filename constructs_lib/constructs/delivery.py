"""How a Helm chart reaches the cluster: rendered here by Helm, or left to Argo CD or Flux."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import attrs

from .._arguments.errors import wrong
from .._arguments.fields import named, to_duration, to_flag, to_namespace, to_optional_namespace, to_text, to_texts
from .._arguments.keywords import named_arguments
from ..manifests.helm_release import HelmRelease, argo_application, flux_release
from ..manifests.objects import Manifest, Manifests
from ..upstream.kubernetes_api import CLUSTER_SCOPED


@runtime_checkable
class Delivery(Protocol):
    """A way for a chart to reach the cluster: `HelmTemplate`, `ArgoCd`, `Flux`, or one of your own."""

    def manifests(self, release: HelmRelease) -> Manifests:
        """The objects that install the release, by the id of each; one of them may be `Resource`."""
        ...


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class HelmTemplate:
    """Render the chart with the Helm of this machine, and emit what it renders, CRDs with it and hooks left out.

    Hooks are left out because without Helm in the cluster they would be ordinary Jobs that run at once, one of which removes the labels of
    every node. So an upgrade of the chart brings its CRDs by the manifests, not by the chart's hook.

    Args:
        helm: The command, by name or path. Default: `helm`.
        helm_flags: Further flags for `helm template`, such as `["--kube-version", "1.35"]`. Default: none.

    Raises:
        ValueError: `'delivery' must be …` when Helm is not there, or what it says when it can't render the chart; before anything of the
            construct is made.

    Example:
        >>> HelmTemplate(helm="/usr/local/bin/helm").helm
        '/usr/local/bin/helm'

    https://helm.sh/docs/helm/helm_template/
    """

    helm: str = attrs.field(default="helm", converter=to_text)
    helm_flags: tuple[str, ...] = attrs.field(default=(), converter=to_texts)

    def manifests(self, release: HelmRelease) -> Manifests:
        """What the chart renders, each object under its kind and name."""
        import shutil  # what only names a construct need not load it

        if shutil.which(self.helm) is None:
            hint = "it is not on PATH: install Helm, or deliver with ArgoCd() or Flux(), which need none"
            raise wrong("delivery", "a HelmTemplate whose helm can be run", self.helm, hint)
        from .._arguments.kubernetes_yaml import documents

        found = [_checked(each) for each in documents(self._run(release))]
        cluster_scoped = CLUSTER_SCOPED | {
            crd["spec"]["names"]["kind"] for crd in found if crd["kind"] == "CustomResourceDefinition" and crd["spec"]["scope"] == "Cluster"
        }
        objects: Manifests = {}
        for each in found:
            metadata = each["metadata"]
            # A chart may leave the namespace to `helm install`; here the manifest is all that there is. None is no namespace at all,
            # whatever the chart around says.
            metadata["namespace"] = None if each["kind"] in cluster_scoped else metadata.get("namespace") or release.namespace
            key = f"{each['kind']}-{metadata['name']}"
            objects[f"{key}-{metadata['namespace']}" if key in objects else key] = each
        return objects

    def _run(self, release: HelmRelease) -> str:
        if release.chart.startswith(("/", "./", "../")) or release.chart.endswith(".tgz"):
            where = [release.chart]
        elif release.is_oci and not release.chart.startswith((".", "/")):
            where = [release.oci_url, "--version", release.version]
        elif "/" in release.chart:
            where = [release.chart]
        else:
            where = [release.chart, "--repo", release.repository, "--version", release.version]
        flags = ["--namespace", release.namespace, "--include-crds", "--no-hooks", *self.helm_flags, "--values", "-"]
        command = [self.helm, "template", release.name, *where, *flags]
        import subprocess  # what only names a construct need not load them

        import yaml

        values = yaml.safe_dump(dict(release.values), sort_keys=False)
        done = subprocess.run(command, input=values, capture_output=True, text=True, check=False)  # noqa: S603  # the user's own helm
        if done.returncode != 0:
            said = " ".join(done.stderr.split()) or f"exit status {done.returncode}"
            chart = " ".join(where)
            raise wrong("delivery", f"able to render {chart}", self.helm, f"helm says: {said}")
        return done.stdout


def _checked(rendered: Any) -> Manifest:
    """One object of a chart, with as much of it as is read here."""
    match rendered:
        case {
            "apiVersion": str(),
            "kind": "CustomResourceDefinition",
            "metadata": {"name": str()},
            "spec": {"scope": str(), "names": {"kind": _}},
        }:
            return dict(rendered)
        case {"apiVersion": str(), "kind": str(kind), "metadata": {"name": str()}} if kind != "CustomResourceDefinition":
            return dict(rendered)
    hint = "this chart can't be rendered here; deliver it with ArgoCd() or Flux()"
    raise wrong("delivery", "able to name each object of the chart", rendered, hint)


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class ArgoCd:
    """Leave the chart to Argo CD: an Application that installs it.

    Args:
        namespace: Where Argo CD looks for Applications. Default: `argocd`.
        project: Its AppProject. Default: `default`.
        server: The API server of the cluster it installs into. Default: Argo CD's own cluster.
        automated: Sync by itself when the manifest changes. Default: True.
        prune: Remove what the chart no longer renders; only when `automated`. Default: True.
        self_heal: Put back what somebody changed by hand; only when `automated`. Default: True.

    Raises:
        TypeError, ValueError: `'namespace' must be the name of a namespace …` and so on.

    Example:
        >>> ArgoCd(project="platform").namespace
        'argocd'

    https://argo-cd.readthedocs.io/en/stable/user-guide/helm/
    """

    namespace: str = attrs.field(default="argocd", converter=to_namespace)
    project: str = attrs.field(default="default", converter=to_text)
    server: str = attrs.field(default="https://kubernetes.default.svc", converter=to_text)
    automated: bool = attrs.field(default=True, converter=to_flag)
    prune: bool = attrs.field(default=True, converter=to_flag)
    self_heal: bool = attrs.field(default=True, converter=to_flag)

    def manifests(self, release: HelmRelease) -> Manifests:
        """The Application."""
        return argo_application(
            release, namespace=self.namespace, project=self.project, server=self.server,
            automated=self.automated, prune=self.prune, self_heal=self.self_heal,
        )  # fmt: skip


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class Flux:
    """Leave the chart to Flux: a HelmRelease, and the HelmRepository (or OCIRepository, for `oci://`) that the chart comes from.

    Args:
        namespace: Where the two objects live. Default: the namespace that the chart is installed into.
        interval: How often Flux looks. Default: `1h`.
        timeout: How long one install or upgrade may take. Default: `15m`, as the operator's images are large.

    Raises:
        TypeError, ValueError: `'interval' must be a duration …` and so on.

    Example:
        >>> Flux(namespace="flux-system").interval
        '1h'

    https://fluxcd.io/flux/components/helm/helmreleases/
    """

    namespace: str | None = attrs.field(default=None, converter=to_optional_namespace)
    interval: str = attrs.field(default="1h", converter=to_duration)
    timeout: str = attrs.field(default="15m", converter=to_duration)

    def manifests(self, release: HelmRelease) -> Manifests:
        """The source and the HelmRelease."""
        return flux_release(release, namespace=self.namespace or release.namespace, interval=self.interval, timeout=self.timeout)
