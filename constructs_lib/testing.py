"""Helpers for the tests of an app that uses this library; docs/testing.md shows a test module.

They work with every test runner, and import none. Nothing else in this library imports this module.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .arguments.errors import wrong, wrong_kind
from .arguments.keywords import named_arguments
from .arguments.patterns import pattern
from .arguments.plain_values import choice, text
from .checks.check import check
from .checks.engine import node_classes
from .checks.rule import Finding, Severity
from .manifests.workload.kinds import HASH_DIGITS
from .manifests.workload.settings import NAME_LABEL
from .nodes.gpu_nodes import GpuNodes
from .nodes.talos_version import TalosVersion
from .yaml.load import documents

if TYPE_CHECKING:
    from cdk8s import App, Chart

__all__ = ["assert_checks_pass", "get_manifest", "synthesize", "without_pins"]

_MANIFESTS = "a list of manifests, such as synthesize(app) gives"


@named_arguments()
def synthesize(scope: App | Chart) -> list[dict[str, Any]]:
    """The manifests of an app, or of one chart, as plain data. No file is written. The validations of the app run, and
    those of `attach` with them.

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
        return _read(scope.synth_yaml())
    if isinstance(scope, Chart):
        return list(scope.to_json())
    raise wrong_kind("scope", "an App or a Chart", scope)


@named_arguments()
def get_manifest(
    manifests: Iterable[Mapping[str, Any]], kind: str, name: str | None = None, namespace: str | None = None
) -> dict[str, Any]:
    """The only manifest of a kind, or the only one of a kind and a name, of a kind and a namespace, or of all three.

    Args:
        manifests: The manifests.
        kind: The kind, such as "Deployment".
        name: The name in the metadata. Default: any name.
        namespace: The namespace in the metadata. Default: any namespace, or none.

    Raises:
        TypeError, ValueError: `'manifests' must be …`, `'kind' must be …`, `'name' must be …`, `'namespace' must be …`.
        AssertionError: With the objects that there are, where no manifest matches, or more than one.

    Example:
        >>> get_manifest([{"kind": "Service", "metadata": {"name": "web"}, "spec": {"ports": []}}], "Service")["spec"]
        {'ports': []}
    """
    __tracebackhide__ = True
    given = _checked(manifests)
    text("kind", kind)
    wanted = {"name": name, "namespace": namespace}
    for argument, value in wanted.items():
        if value is not None:
            text(argument, value)
    matching = [
        each
        for each in given
        if each.get("kind") == kind and all(value in (None, _metadata(each).get(key)) for key, value in wanted.items())
    ]
    if len(matching) != 1:
        sought = kind if name is None and namespace is None else _label(kind, {**wanted, "name": name or "*"})
        there = "\n".join(sorted(_label(each.get("kind"), _metadata(each)) for each in given))
        raise AssertionError(f"{len(matching)} manifests are {sought}, not 1; there are:\n{there}")
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
        TypeError, ValueError: `'manifests' must be …`, `'nodes' must be …`, `'talos_version' must be …`,
            `'ignore' must be …`, `'fail_on' must be …`.
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
    """A copy of the manifests without image tags, digests and chart versions: a snapshot of the copy outlives new
    releases.

    `<pin>` replaces the tag and digest of each container's `image`, the version of the chart of a HelmRelease or an
    Application, the tag or digest of an OCIRepository, and the hash in the name of a Job with `hashed_name`, because
    the image is part of the hash.

    Args:
        manifests: The manifests.

    Raises:
        TypeError: `'manifests' must be …`.

    Example:
        >>> without_pins([{"kind": "Pod", "spec": {"containers": [{"image": "registry:5000/ollama/ollama:0.32.15"}]}}])
        [{'kind': 'Pod', 'spec': {'containers': [{'image': 'registry:5000/ollama/ollama:<pin>'}]}}]
    """
    return [_without_hash(_without_pins(each, f"{each.get('kind')}")) for each in _checked(manifests)]


# Characters that cdk8s writes as they are, and that YAML does not have or PyYAML takes for line breaks. The last plane
# of Unicode, which is for private use, stands for them while the text is read.
_UNREADABLE = [*range(0x7F, 0xA0), 0x2028, 0x2029, 0xFFFE, 0xFFFF]
_STAND_INS = {number: 0x100000 + number for number in _UNREADABLE}
_ORIGINALS = {stand_in: number for number, stand_in in _STAND_INS.items()}


def _read(yaml_text: str) -> list[dict[str, Any]]:
    """The manifests in what cdk8s writes."""
    readable = yaml_text.translate(_STAND_INS)
    manifests = list(documents(readable))
    return manifests if readable == yaml_text else _with_originals(manifests)


def _with_originals(value: Any) -> Any:
    if isinstance(value, dict):
        return {_with_originals(key): _with_originals(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_originals(item) for item in value]
    return value.translate(_ORIGINALS) if isinstance(value, str) else value


def _checked(manifests: object) -> list[Mapping[str, Any]]:
    """The manifests as a list. A path and a single manifest are iterable too, and neither is a list of manifests."""
    if isinstance(manifests, str | Mapping) or not isinstance(manifests, Iterable):
        raise wrong_kind("manifests", _MANIFESTS, manifests, "put a manifest into a list" if isinstance(manifests, Mapping) else "")
    given = list(manifests)
    for each in given:
        if not isinstance(each, Mapping):
            raise wrong_kind("manifests", _MANIFESTS, each)
    return given


def _metadata(manifest: Mapping[str, Any]) -> Mapping[str, Any]:
    return manifest.get("metadata") or {}


def _label(kind: object, metadata: Mapping[str, Any]) -> str:
    """The kind, the namespace and the name of an object."""
    namespace = metadata.get("namespace")
    return f"{kind} {f'{namespace}/' if namespace else ''}{metadata.get('name')}"


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
_IMAGE = pattern(r"[.](containers|initContainers|ephemeralContainers)[.][*][.]image$")
_TAG = pattern(r"(?<=[^:/@])(:[^:/@]+)?(@[^/@]+)?$")


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


def _without_hash(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest without the hash that `hashed_name` adds to the name of the workload, which is in a label."""
    metadata = _metadata(manifest)
    workload = (metadata.get("labels") or {}).get(NAME_LABEL)
    if manifest.get("kind") != "Job" or not re.fullmatch(
        rf"{re.escape(f'{workload}')}-[0-9a-f]{{{HASH_DIGITS}}}", f"{metadata.get('name')}"
    ):
        return manifest
    return {**manifest, "metadata": {**metadata, "name": f"{workload}-<pin>"}}
