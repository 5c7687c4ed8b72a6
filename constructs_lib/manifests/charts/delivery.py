"""The deliveries of a Helm chart: rendered here by Helm, or installed in the cluster by Argo CD or Flux."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import attrs

from ...arguments import programs
from ...arguments.errors import Refusal, wrong
from ...arguments.fields import named, to_duration, to_flag, to_namespace, to_optional_namespace, to_text, to_texts
from ...arguments.keywords import named_arguments
from ...arguments.quantities import seconds
from ...upstream.kubernetes.api import CLUSTER_SCOPED
from ..objects import Manifest, Manifests
from .helm_release import HelmRelease, argo_application, flux_release


def _to_timeout(value: str, argument: str = "") -> str:
    written = to_duration(value, argument)
    if not 0 < seconds(written) <= _LONGEST_TIMEOUT:
        raise wrong(argument, "a duration above zero and up to '24h'", written)
    return written


_LONGEST_TIMEOUT = 24 * 3600


@runtime_checkable
class Delivery(Protocol):
    """The way in which a chart reaches the cluster: `HelmTemplate`, `ArgoCd`, `Flux`, or your own class."""

    def manifests(self, release: HelmRelease) -> Manifests:
        """The objects that install the release, by their IDs in the construct tree; one may have the ID `Resource`."""
        ...


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class HelmTemplate:
    """A delivery that renders the chart with the Helm of this machine, with CRDs and without hooks.

    Hooks are left out. Without Helm in the cluster a hook is an ordinary Job that runs at once, and one hook of the GPU
    operator's chart removes the labels of every node. CRDs are therefore upgraded by the manifests, not by the chart's
    hook.

    Args:
        helm: The Helm command, by name or path. Default: `helm`.
        helm_flags: Further flags for `helm template`, such as `["--kube-version", "1.35"]`. Default: none.
        timeout: How long Helm may take to fetch and render the chart, as a duration. Helm is then stopped. Default:
            `5m`.

    Raises:
        ValueError: `'delivery' must be …` when the command is not found, with Helm's message when Helm can't render the
            chart, or with the command when Helm takes longer than `timeout`. The error is raised before the construct
            makes anything.

    Example:
        >>> HelmTemplate(helm="/usr/local/bin/helm").helm
        '/usr/local/bin/helm'

    https://helm.sh/docs/helm/helm_template/
    """

    helm: str = attrs.field(default="helm", converter=to_text)
    helm_flags: tuple[str, ...] = attrs.field(default=(), converter=to_texts)
    timeout: str = attrs.field(default="5m", converter=_to_timeout)

    def manifests(self, release: HelmRelease) -> Manifests:
        """The objects that the chart renders, each by its kind and name."""
        if programs.found(self.helm) is None:
            hint = "the command is not on PATH: install Helm, or deliver with ArgoCd() or Flux(), which need no Helm"
            raise wrong("delivery", "a HelmTemplate whose helm can be run", self.helm, hint)
        from ...yaml.load import documents

        rendered = [_checked(document) for document in documents(self._run(release))]
        cluster_scoped = CLUSTER_SCOPED | {
            crd["spec"]["names"]["kind"]
            for crd in rendered
            if crd["kind"] == "CustomResourceDefinition" and crd["spec"]["scope"] == "Cluster"
        }
        objects: Manifests = {}
        for manifest in rendered:
            metadata = manifest["metadata"]
            # A chart may leave the namespace to `helm install`, which does not run here. None means no namespace, even
            # in a cdk8s chart with a namespace.
            metadata["namespace"] = None if manifest["kind"] in cluster_scoped else metadata.get("namespace") or release.namespace
            key = f"{manifest['kind']}-{metadata['name']}"
            objects[f"{key}-{metadata['namespace']}" if key in objects else key] = manifest
        return objects

    def _run(self, release: HelmRelease) -> str:
        chart, version = release.chart, ["--version", release.version]
        if chart.startswith(("/", "./", "../")) or chart.endswith(".tgz") or "://" in chart:
            source = []
        elif release.is_oci and not chart.startswith("."):
            chart, source = release.oci_url, version
        else:
            source = [] if "/" in chart else ["--repo", release.repository, *version]
        flags = [*source, "--namespace", release.namespace, "--include-crds", "--no-hooks", *self.helm_flags, "--values", "-"]
        where = " ".join([chart, *source])
        import json  # deferred: importing a construct does not need them
        import shlex

        # JSON quotes every string. PyYAML leaves quotes out where it reads a string itself, and Helm reads 1e3 and 0o17
        # as numbers.
        values = json.dumps(dict(release.values), ensure_ascii=False)
        words, names = ["template", *flags], [release.name, chart]
        try:
            done = programs.run(self.helm, words, names, given=values, seconds=seconds(self.timeout))
        except TimeoutError:
            hint = f"the command was stopped: {shlex.join([self.helm, *words, '--', *names])}; 'timeout' of HelmTemplate sets the limit"
            raise wrong("delivery", f"able to render {where} within {self.timeout}", self.helm, hint) from None
        if done.status != 0:
            message = " ".join(done.complaint.split()) or f"exit status {done.status}"
            raise wrong("delivery", f"able to render {where}", self.helm, f"helm says: {message}")
        return done.output


def _checked(rendered: Any) -> Manifest:
    """One rendered object, with the fields that the delivery reads."""
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


class Unrendered:
    """A `HelmTemplate` where no program may run, as the file is a stranger's: the chart and its values as a release, which no Helm renders."""

    def manifests(self, release: HelmRelease) -> Manifests:
        """The source and the HelmRelease."""
        try:
            return Flux().manifests(release)
        except Refusal:
            hint = "`talos-gpu synth` renders the chart; give the folder that it writes"
            raise wrong(
                "chart", "the name of a chart in 'repository' where the file is only read, and no Helm runs", release.chart, hint
            ) from None


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class ArgoCd:
    """A delivery by Argo CD: an Application that installs the chart.

    Args:
        namespace: The namespace in which Argo CD looks for Applications. Default: `argocd`.
        project: The AppProject of the Application. Default: `default`.
        server: The API server of the target cluster. Default: the API server of Argo CD's own cluster.
        automated: Sync automatically when the manifest changes. Default: True.
        prune: Delete objects that the chart no longer renders; only with `automated`. Default: True.
        self_heal: Revert manual changes in the cluster; only with `automated`. Default: True.

    Raises:
        TypeError, ValueError: `'namespace' must be the name of a namespace …`; likewise for every other argument.

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
    """A delivery by Flux: a HelmRelease and its source, a HelmRepository, or an OCIRepository for `oci://` addresses.

    Args:
        namespace: The namespace of the two objects. Default: the namespace in which the chart is installed.
        interval: How often Flux reconciles, as a duration. Default: `1h`.
        timeout: How long one install or upgrade may take, as a duration. Default: `15m`, because the operator's images
            are large.

    Raises:
        TypeError, ValueError: `'interval' must be a duration …`; likewise for every other argument.

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
