"""`attach`: the checks of `talos-gpu check` at every synth of an app."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from types import FrameType
from typing import Any, ClassVar

import jsii
from cdk8s import ApiObject, App, Chart
from constructs import IConstruct, IValidation

from ..arguments.errors import Refusal, TalosGpuWarning, warn
from ..arguments.keywords import named_arguments
from ..arguments.plain_values import instance
from ..checks.engine import known, node_classes, run_rules
from ..checks.rule import Finding, Severity
from ..clusters.app_registry import remark
from ..nodes.gpu_nodes import GpuNodes
from ..observed.model import Inputs
from ..observed.nodes.offers import not_advertised
from ..observed.read.repository import read_manifests
from ..observed.read.version_sources import in_arguments, talos_version
from ._registry import announce_nodes, place_of
from .synth_errors import shorten_errors

# The rules about parts of the stack that a workload names. With the stack in another app these parts are there.
_OF_THE_STACK = ("TG041", "TG056", "TG159")

_Manifests = list[tuple[str, dict[str, Any]]]
"""Manifests, each with the path of its construct."""


@named_arguments()
def attach(scope: App | Chart, *, nodes: GpuNodes | Iterable[GpuNodes] | None = None, ignore: Iterable[str] = ()) -> None:
    """Check everything that an app or a chart synthesizes by the rules of `talos-gpu check`, at every synth.

    An error stops the synth: `app.synth()` raises one `TalosGpuError` with the errors of all objects, each with the
    path of its construct. A warning is a `TalosGpuWarning`, given once. The checks treat the output of other constructs
    and Helm charts like the output of this library. For a chart the findings are those that involve an object of the
    chart; the other objects of the app are known. A finding about objects of two charts belongs to both, and names one
    of the objects.

    The arguments and the annotations are the only settings: a synth does not read `.talos-gpu.yaml`, so its result is
    the same in every working folder.

    The findings are those of `talos-gpu check` on the files of the app. What the nodes offer is told by the objects,
    and by the classes of the constructs that advertise GPUs: `StandaloneDevicePlugin`, `NvidiaGpuOperator` and
    `DraDriver`. A workload tells the Talos version, and nothing that the nodes offer. Where workloads request a
    resource that nothing in the app advertises, standard error has one line that says so: a remark, never a warning,
    because stack and workloads may be in two apps. The other remarks of the checks are left to `talos-gpu check`.

    An annotation with a reason silences a rule for one object: `talos-gpu/ignore-TG007: "kubectl sets the label"`.

    Makes no object and changes none. Each synth makes two calls to jsii's kernel for each object. `Testing.synth` and
    `chart.to_json()` are checked too; there cdk8s raises its own RuntimeError around the errors.

    Args:
        scope: The App, or a Chart in it.
        nodes: The classes of GPU nodes whose device plugin, operator or driver is in another app. A construct in this
            app that contradicts them is refused. An app without such a part of its own also finds RuntimeClass and
            DeviceClass in the other app, and the driver of ComputeDomains (TG041, TG056, TG159). Default: none.
        ignore: The IDs of rules to leave out. Default: none.

    Raises:
        TypeError, ValueError: `'scope' must be …`, `'nodes' must be …`; `'ignore' must be …` for an ID that no rule
            has.

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
    ignored = tuple(known("ignore", ignore))
    announce_nodes(scope, given, "attach")
    scope.node.add_validation(_Checks(scope, given, ignored))
    shorten_errors(scope.node.root)


@jsii.implements(IValidation)
class _Checks:
    """The validation that cdk8s calls when a synth begins and for each chart. Only the first call runs the rules."""

    # The last synth, the errors of each validation in it, and its warnings and remarks. One attribute for all apps,
    # because a frame keeps the objects of its callers alive.
    _synth: ClassVar[FrameType | None] = None
    _errors: ClassVar[dict[_Checks, list[str]]] = {}
    _given_in_synth: ClassVar[set[str]] = set()

    def __init__(self, scope: App | Chart, nodes: tuple[GpuNodes, ...], ignore: tuple[str, ...]) -> None:
        self._scope, self._nodes, self._ignore = scope, nodes, ignore
        self._given: set[str] = set()

    def validate(self) -> list[str]:
        """The errors that stop the synth."""
        synth = _running_synth()
        if synth is not _Checks._synth:
            _Checks._synth, _Checks._errors, _Checks._given_in_synth = synth, {}, set()
        if self not in _Checks._errors:
            earlier = {error for errors in _Checks._errors.values() for error in errors}
            _Checks._errors[self] = [error for error in self._run_rules() if error not in earlier]
        return _Checks._errors[self]

    def _run_rules(self) -> list[str]:
        manifests = _manifests(self._scope.node.root)
        inputs = self._read(manifests)
        errors = [_message(each) for each in self._own_findings(inputs, manifests) if self._stops(each)]
        asking = {name: [each for each in paths if self._is_ours(each)] for name, paths in not_advertised(inputs).items()}
        sentence = remark(asking, "this app")
        if sentence and self._is_new(sentence):
            sys.stderr.write(f"remark: {sentence}; for a stack in another app, give its classes of nodes: attach(app, nodes=…)\n")
        return list(dict.fromkeys(errors))

    def _stops(self, finding: Finding) -> bool:
        """Whether a finding stops the synth: an error, or a warning that the user's filter makes an error. Any other
        warning is given once."""
        message = _message(finding)
        if finding.severity is Severity.WARNING and self._is_new(message):
            try:
                warn(message)
            except TalosGpuWarning:
                self._given.discard(message)
                return True
        return finding.severity is Severity.ERROR

    def _own_findings(self, inputs: Inputs, manifests: _Manifests) -> list[Finding]:
        """The findings that involve an object of the scope: the findings at its objects, and those that the app without
        its objects does not have."""
        findings = self._findings(inputs)
        own = [each for each in findings if self._is_ours(each.file)]
        if len(own) == len(findings):
            return own
        of_others = set(self._findings(self._read([each for each in manifests if not self._is_ours(each[0])])))
        return [each for each in findings if self._is_ours(each.file) or each not in of_others]

    def _findings(self, inputs: Inputs) -> list[Finding]:
        """The findings that nobody silenced, without those about objects of another app."""
        elsewhere = _OF_THE_STACK if self._nodes and not place_of(self._scope).advertised_classes() else ()
        return [each for each in run_rules(inputs, ignore=self._ignore) if each.ignored is None and each.rule not in elsewhere]

    def _read(self, manifests: _Manifests) -> Inputs:
        """The inputs that the files of the app would give."""
        nodes = tuple(dict.fromkeys([*place_of(self._scope).advertised_classes(), *self._nodes]))
        used = place_of(self._scope).classes_of_nodes()
        inputs = read_manifests(manifests, nodes=nodes, talos=talos_version(in_arguments(None, None, used)))
        return replace(inputs, other_nodes=tuple(each for each in used if each not in nodes))

    def _is_ours(self, path: str) -> bool:
        return isinstance(self._scope, App) or path.startswith(f"{self._scope.to_string()}/")

    def _is_new(self, message: str) -> bool:
        """Whether neither an earlier synth nor another `attach` in this synth has given the message."""
        is_new = message not in self._given and message not in _Checks._given_in_synth
        self._given.add(message)
        _Checks._given_in_synth.add(message)
        return is_new


def _manifests(root: IConstruct) -> _Manifests:
    """The manifest of every object in the app, with the path of the construct that made the object.

    A workload of `request_gpus` that contradicts its nodes by now has no manifest. Its own validation has the error.
    """
    constructs = root.node.find_all()
    charts = {str(each.to_string()) for each in constructs if isinstance(each, Chart)}
    manifests = []
    for each in constructs:
        if isinstance(each, ApiObject):
            try:
                manifests.append((_path(each, charts), each.to_json()))
            except Refusal as error:
                if not error.argument.startswith("workload"):
                    raise
    return manifests


def _path(api_object: ApiObject, charts: set[str]) -> str:
    """The path of the construct that made an object; the object itself where a chart holds it."""
    path = str(api_object.to_string())
    maker = path.removesuffix("/Resource")
    return path if maker in charts else maker


def _message(finding: Finding) -> str:
    return f"{finding.rule} [{finding.file}] {finding.message}; fix: {finding.fix}"


def _running_synth() -> FrameType:
    """The stack frame that called into this library: one for all validations of a synth."""
    frame = sys._getframe(1)  # noqa: SLF001  # the only way to the caller's frame
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in {"constructs_lib", "jsii"}:
        frame = frame.f_back
    return frame
