"""`attach`: the checks of `talos-gpu check` at every synth of an app."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import FrameType
from typing import ClassVar

import jsii
from cdk8s import ApiObject, App, Chart
from constructs import IValidation

from .._arguments.errors import Refusal
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import instance
from .._arguments.talos_warnings import warn
from ..checks.engine import known, node_classes, run_rules
from ..checks.finding import Finding, Severity
from ..checks.loaders.python_manifests import read_manifests
from ..nodes.gpu_nodes import GpuNodes
from ._registry import classes_of_nodes


@named_arguments()
def attach(scope: App | Chart, *, nodes: GpuNodes | Iterable[GpuNodes] | None = None, ignore: Iterable[str] = ()) -> None:
    """Check everything that an app or a chart synthesizes by the rules of `talos-gpu check`, at every synth.

    An error stops the synth and names the path of the construct. A warning is a `TalosGpuWarning`, given once. The checks treat the output of other
    constructs and Helm charts like the output of this library. An app is taken to be complete: an object that is missing in the app is missing in the
    cluster. For a chart only the chart's own objects are checked, and the other objects of the app are known.

    An annotation with a reason silences a rule for one object: `talos-gpu/ignore-TG007: "kubectl sets the label"`.

    Makes no object and changes none. Each synth makes two calls to jsii's kernel for each object.

    Args:
        scope: The App, or a Chart in it.
        nodes: The classes of GPU nodes. Default: the classes of every construct of this library in the app.
        ignore: The IDs of rules to leave out. Default: none.

    Raises:
        TypeError, ValueError: `'scope' must be …`, `'nodes' must be …`; `'ignore' must be …` for an ID that no rule has.

    Example:
        >>> app = App()
        >>> attach(app)
        >>> chart = Chart(app, "gpu")
        >>> nodes = GpuNodes(talos_version="1.14")
        >>> StandaloneDevicePlugin(chart, "device-plugin", nodes=nodes) and NvidiaRuntimeClass(chart, "runtime-class") and None
        >>> [manifest["kind"] for manifest in chart.to_json() if manifest["kind"] == "RuntimeClass"]
        ['RuntimeClass']

    https://cdk8s.io/docs/latest/basics/app/
    """
    instance("scope", scope, App | Chart, "an App or a Chart")
    given = () if nodes is None else node_classes(nodes)
    scope.node.add_validation(_Checks(scope, given, tuple(known("ignore", ignore))))


@jsii.implements(IValidation)
class _Checks:
    """The validation that cdk8s calls when a synth begins, and once more for each chart. Only the first call of a synth runs the rules."""

    # The last synth and the errors of each validation in it. One attribute for all apps, because a frame keeps the objects of its callers alive.
    _synth: ClassVar[FrameType | None] = None
    _errors: ClassVar[dict[_Checks, list[str]]] = {}

    def __init__(self, scope: App | Chart, nodes: tuple[GpuNodes, ...], ignore: tuple[str, ...]) -> None:
        self._scope, self._nodes, self._ignore = scope, nodes, ignore
        self._warned: set[str] = set()

    def validate(self) -> list[str]:
        """The errors that stop the synth."""
        synth = _running_synth()
        if synth is not _Checks._synth:
            _Checks._synth, _Checks._errors = synth, {}
        if self not in _Checks._errors:
            try:
                _Checks._errors[self] = self._run_rules()
            except Refusal as error:
                # A workload of `request_gpus` that contradicts its nodes by now has no manifest. Its own validation has the error.
                if not error.argument.startswith("workload"):
                    raise
                _Checks._errors[self] = []
        return _Checks._errors[self]

    def _run_rules(self) -> list[str]:
        findings = [finding for finding in self._findings() if finding.ignored is None]
        for message in dict.fromkeys(_message(finding) for finding in findings if finding.severity is Severity.WARNING):
            if message not in self._warned:
                self._warned.add(message)
                warn(message)
        return list(dict.fromkeys(_message(finding) for finding in findings if finding.severity is Severity.ERROR))

    def _findings(self) -> Iterable[Finding]:
        constructs = self._scope.node.root.node.find_all()
        manifests = [(_path(each), each.to_json()) for each in constructs if isinstance(each, ApiObject)]
        whole = isinstance(self._scope, App)
        nodes = self._nodes or tuple(classes_of_nodes(self._scope))
        findings = run_rules(read_manifests(manifests, nodes=nodes, whole=whole), ignore=self._ignore)
        ours = f"{self._scope.to_string()}/"
        return findings if whole else [each for each in findings if each.file.startswith(ours)]


def _path(api_object: ApiObject) -> str:
    """The path of the construct that made an object."""
    return str(api_object.to_string()).removesuffix("/Resource")


def _message(finding: Finding) -> str:
    return f"{finding.rule} [{finding.file}] {finding.message}; fix: {finding.fix}"


def _running_synth() -> FrameType:
    """The stack frame that called into this library: the same for all validations of one synth, and another for the next synth."""
    frame = sys._getframe(1)  # noqa: SLF001  # the only way to the caller's frame
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in {"constructs_lib", "jsii"}:
        frame = frame.f_back
    return frame
