"""Helpers for the tests of an app that uses this library; docs/testing.md shows a test module.

They work with every test runner, and import none. Nothing else in this library imports this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ._arguments.errors import wrong, wrong_kind
from ._arguments.keywords import named_arguments
from ._arguments.kubernetes_yaml import documents
from ._arguments.plain_values import choice, text
from .checks.check import check
from .checks.engine import node_classes
from .checks.finding import Finding, Severity
from .nodes.gpu_nodes import GpuNodes
from .nodes.talos_version import TalosVersion

if TYPE_CHECKING:
    from cdk8s import App, Chart

__all__ = ["assert_checks_pass", "get_manifest", "synthesize", "without_pins"]

_MANIFESTS = "a list of manifests, such as synthesize(app) gives"


@named_arguments()
def synthesize(scope: App | Chart) -> list[dict[str, Any]]:
    """The manifests of an app, or of one chart, as plain data. No file is written. The validations of the app run, and those of `attach` with them.

    Args:
        scope: The App, or a Chart in it.

    Raises:
        TypeError: `'scope' must be an App or a Chart …`.

    Example:
        >>> app = App()
        >>> runtime_class = NvidiaRuntimeClass(Chart(app, "gpu"), "runtime-class")
        >>> [manifest["kind"] for manifest in synthesize(app)]
        ['RuntimeClass']
    """
    from cdk8s import App, Chart

    if isinstance(scope, App):
        return list(documents(scope.synth_yaml()))
    if isinstance(scope, Chart):
        return list(scope.to_json())
    raise wrong_kind("scope", "an App or a Chart", scope)


@named_arguments()
def get_manifest(manifests: Iterable[Mapping[str, Any]], kind: str, name: str | None = None) -> dict[str, Any]:
    """The only manifest of a kind, or the only one of a kind and a name.

    Args:
        manifests: The manifests.
        kind: The kind, such as "Deployment".
        name: The name in the metadata. Default: any name.

    Raises:
        TypeError, ValueError: `'manifests' must be …`, `'kind' must be …`, `'name' must be …`.
        AssertionError: With the objects that there are, where no manifest matches, or more than one.

    Example:
        >>> get_manifest([{"kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": []}}], "Service")["spec"]
        {'ports': []}
    """
    __tracebackhide__ = True
    given = _checked(manifests)
    text("kind", kind)
    if name is not None:
        text("name", name)
    matching = [each for each in given if each.get("kind") == kind and name in (None, _name(each))]
    if len(matching) != 1:
        wanted = kind if name is None else f"{kind} {name}"
        there = "\n".join(sorted(f"{each.get('kind')} {_name(each)}" for each in given))
        raise AssertionError(f"{len(matching)} manifests are {wanted}, not 1; there are:\n{there}")
    return dict(matching[0])


@named_arguments()
def assert_checks_pass(
    manifests: Iterable[Mapping[str, Any]],
    *,
    nodes: GpuNodes | Iterable[GpuNodes] = (),
    talos_version: str | TalosVersion | None = None,
    ignore: Iterable[str] = (),
    fail_on: Severity | str = Severity.ERROR,
) -> None:
    """Fail with the findings, where the rules of `talos-gpu check` find an error in the manifests.

    Args:
        manifests: The manifests; without a manifest nothing would be checked, so an empty list is refused.
        nodes: The classes of GPU nodes of the cluster. Default: none, with a `talos_version`.
        talos_version: The Talos of the nodes, such as "1.13". Default: the version of `nodes`.
        ignore: The IDs of rules to leave out. Default: none.
        fail_on: The mildest severity that fails. Default: "error".

    Raises:
        TypeError, ValueError: `'manifests' must be …`, `'nodes' must be …`, `'talos_version' must be …`, `'ignore' must be …`, `'fail_on' must be …`.
        AssertionError: With each finding and its fix.

    Example:
        >>> pod = {"metadata": {"name": "a"}, "spec": {"containers": [{"name": "a", "image": "a:1", "resources": {"limits": {"cpu": "1"}}}]}}
        >>> assert_checks_pass([{"apiVersion": "v1", "kind": "Pod", **pod}], talos_version="1.14")
    """
    __tracebackhide__ = True
    given = _checked(manifests)
    if not given:
        raise wrong("manifests", _MANIFESTS, given, "an empty list passes every check")
    classes = node_classes(nodes)
    if not classes and talos_version is None:
        raise wrong("nodes", "given where 'talos_version' is not", nodes, "many rules apply to some releases of Talos only")
    severities = list(Severity)
    failing = severities[: severities.index(choice("fail_on", fail_on, Severity)) + 1]
    findings = check(given, nodes=classes, talos_version=talos_version, ignore=ignore)
    failures = [each for each in findings if each.severity in failing]
    if failures:
        raise AssertionError("\n".join([f"{len(failures)} finding{'' if len(failures) == 1 else 's'}:", *map(_line, failures)]))


@named_arguments()
def without_pins(manifests: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A copy of the manifests without image tags, digests and chart versions: a snapshot of the copy outlives new releases.

    `<pin>` replaces the tag and digest of each container's `image`, the version of the chart of a HelmRelease or an Application, and the tag or digest of
    an OCIRepository.

    Args:
        manifests: The manifests.

    Raises:
        TypeError: `'manifests' must be …`.

    Example:
        >>> without_pins([{"kind": "Pod", "spec": {"containers": [{"image": "registry:5000/ollama/ollama:0.32.15"}]}}])
        [{'kind': 'Pod', 'spec': {'containers': [{'image': 'registry:5000/ollama/ollama:<pin>'}]}}]
    """
    return [dict(_without_pins(each, f"{each.get('kind')}")) for each in _checked(manifests)]


def _checked(manifests: object) -> list[Mapping[str, Any]]:
    """The manifests as a list. A path and a single manifest are iterable too, and neither is a list of manifests."""
    if isinstance(manifests, str | Mapping) or not isinstance(manifests, Iterable):
        raise wrong_kind("manifests", _MANIFESTS, manifests, "put a manifest into a list" if isinstance(manifests, Mapping) else "")
    given = list(manifests)
    for each in given:
        if not isinstance(each, Mapping):
            raise wrong_kind("manifests", _MANIFESTS, each)
    return given


def _name(manifest: Mapping[str, Any]) -> object:
    return (manifest.get("metadata") or {}).get("name")


def _line(finding: Finding) -> str:
    return f"{finding.rule} {finding.severity} [{finding.object}] {finding.message}; fix: {finding.fix}"


# The fields that pin a release: the kind, and below it the keys; a star is every item of a list.
_PINS = {
    "HelmRelease.spec.chart.spec.version",
    "OCIRepository.spec.ref.tag",
    "OCIRepository.spec.ref.semver",
    "OCIRepository.spec.ref.digest",
    "Application.spec.source.targetRevision",
    "Application.spec.sources.*.targetRevision",
}
_IMAGE = re.compile(r"[.](containers|initContainers|ephemeralContainers)[.][*][.]image$")
_TAG = re.compile(r"(?<=[^:/@])(:[^:/@]+)?(@[^/@]+)?$")


def _without_pins(value: Any, path: str) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_pins(item, f"{path}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_pins(item, f"{path}.*") for item in value]
    if path in _PINS:
        return "<pin>"
    if isinstance(value, str) and _IMAGE.search(path):
        return _TAG.sub(lambda tag: ":<pin>" if tag[0] else "", value, count=1)
    return value
