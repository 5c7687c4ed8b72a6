"""The checks in an app: they judge what it will synthesize, whenever it does."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import FrameType
from typing import ClassVar

import jsii
from cdk8s import ApiObject, App, Chart
from constructs import IValidation

from .._arguments.keywords import named_arguments
from .._arguments.plain_values import instance
from .._arguments.talos_warnings import warn
from ..checks.engine import judge, known, node_classes
from ..checks.finding import Finding, Severity
from ..checks.loaders.python_manifests import read_made
from ..nodes.gpu_nodes import GpuNodes
from ._registry import classes_of_nodes


@named_arguments()
def attach(scope: App | Chart, *, nodes: GpuNodes | Iterable[GpuNodes] | None = None, ignore: Iterable[str] = ()) -> None:
    """Judge everything that an app, or a chart, will synthesize by the rules of `talos-gpu check`, when it does.

    An error stops the synth, with the path of the construct that it is about; a warning is a `TalosGpuWarning`, once. What other people's
    constructs and charts emit is judged as ours is. In an app nothing else is expected to reach the cluster: what is missing there is
    missing. Of a chart only its own objects are judged, and what the rest of the app makes is known.

    A rule is silenced for one object by an annotation with the reason: `talos-gpu/ignore-TG007: "kubectl sets the label"`.

    Makes no object, and changes none. Each synth asks the kernel twice for each object.

    Args:
        scope: The App, or a Chart in it.
        nodes: The classes of GPU nodes. Default: those that constructs of this library in the app are for.
        ignore: The ids of rules that are not asked. Default: none.

    Raises:
        TypeError, ValueError: `'scope' must be …`, `'nodes' must be …`; `'ignore' must be …` for an id that no rule has.

    Example:
        >>> app = App()
        >>> attach(app)
        >>> chart = Chart(app, "gpu")
        >>> nodes = GpuNodes(talos_version="1.14")
        >>> StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes) and NvidiaRuntimeClass(chart, "runtime-class") and None
        >>> [each["kind"] for each in chart.to_json() if each["kind"] == "RuntimeClass"]
        ['RuntimeClass']

    https://cdk8s.io/docs/latest/basics/app/
    """
    instance("scope", scope, App | Chart, "an App or a Chart")
    given = () if nodes is None else node_classes(nodes)
    scope.node.add_validation(_Checks(scope, given, tuple(known("ignore", ignore))))


@jsii.implements(IValidation)
class _Checks:
    """Asked by cdk8s for errors: once when a synth begins, and once more for each chart. Of these it judges at the first."""

    # The synth that ran last, and the errors that it was told. One for all apps: a frame keeps everything alive that its callers hold.
    _synth: ClassVar[FrameType | None] = None
    _told: ClassVar[dict[_Checks, list[str]]] = {}

    def __init__(self, scope: App | Chart, nodes: tuple[GpuNodes, ...], ignore: tuple[str, ...]) -> None:
        self._scope, self._nodes, self._ignore = scope, nodes, ignore
        self._warned: set[str] = set()

    def validate(self) -> list[str]:
        """What stops the synth."""
        synth = _running_synth()
        if synth is not _Checks._synth:
            _Checks._synth, _Checks._told = synth, {}
        if self not in _Checks._told:
            _Checks._told[self] = self._judge()
        return _Checks._told[self]

    def _judge(self) -> list[str]:
        findings = [each for each in self._findings() if each.ignored is None]
        for said in dict.fromkeys(_said(each) for each in findings if each.severity is Severity.WARNING):
            if said not in self._warned:
                self._warned.add(said)
                warn(said)
        return list(dict.fromkeys(_said(each) for each in findings if each.severity is Severity.ERROR))

    def _findings(self) -> Iterable[Finding]:
        constructs = self._scope.node.root.node.find_all()
        made = [(_path(each), each.to_json()) for each in constructs if isinstance(each, ApiObject)]
        whole = isinstance(self._scope, App)
        nodes = self._nodes or tuple(classes_of_nodes(self._scope))
        findings = judge(read_made(made, nodes=nodes, whole=whole), ignore=self._ignore)
        ours = f"{self._scope.to_string()}/"
        return findings if whole else [each for each in findings if each.file.startswith(ours)]


def _path(made: ApiObject) -> str:
    """The path of the construct whose object it is."""
    return str(made.to_string()).removesuffix("/Resource")


def _said(finding: Finding) -> str:
    return f"{finding.rule} [{finding.file}] {finding.message}; fix: {finding.fix}"


def _running_synth() -> FrameType:
    """The call that waits for us, which is the same for all that cdk8s asks in one synth, and another for the next."""
    frame = sys._getframe(1)  # noqa: SLF001  # the only way to the caller's frame
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in {"constructs_lib", "jsii"}:
        frame = frame.f_back
    return frame
