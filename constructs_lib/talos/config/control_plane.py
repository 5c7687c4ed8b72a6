"""`ControlPlanePatch`: the Talos machine configuration that switches features of Kubernetes on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named
from ...arguments.keywords import named_arguments
from ...arguments.kubernetes_versions import kubernetes_minor
from ...arguments.plain_values import choice, texts
from ...arguments.spelling import did_you_mean
from ...nodes.talos_version import TalosVersion, to_talos_version
from ...upstream.kubernetes.feature_gates import GATE_MINORS, has_gate
from ...upstream.kubernetes.gate_apis import GATE_SINCE, depends_on_kubernetes, needed_apis, with_required_gates
from ...upstream.talos.config_documents import CONTROL_PLANE_PROGRAMS
from ...upstream.talos.features import DOCUMENTS
from ...yaml.block import block
from .machine_config import ConfigStyle, style_of

_WHY = """\
# For each control-plane node: features of Kubernetes that are off by default. Talos restarts the programs, and no node reboots.
# Talos replaces an argument that another patch has: write all feature gates of the cluster into one patch.
"""
_DOCUMENTS = (
    "# These documents change those that Talos 1.14 generated. A cluster that was upgraded from 1.13 needs the patch with style='fields'.\n"
)
_REFUSES = "a program refuses to start with a gate that it does not have"


def _to_gates(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    gates = texts(argument, value)
    for gate in gates:
        if not re.fullmatch(r"[A-Z][A-Za-z0-9]*", gate):
            raise wrong(argument, "a list of feature gates of Kubernetes, such as 'GenericWorkload'", gate)
    return tuple(dict.fromkeys(gates))


def _to_versions(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    versions = texts(argument, value)
    for version in versions:
        if not re.fullmatch(r"[a-z0-9.-]+/v[0-9a-z]+", version):
            raise wrong(argument, "a list of versions of APIs, such as 'scheduling.k8s.io/v1beta1'", version)
    return tuple(dict.fromkeys(versions))


def _to_kubernetes(value: str | None) -> str | None:
    return None if value is None else f"1.{kubernetes_minor(value, 37)}"


def _to_style(value: ConfigStyle | str | None, argument: str = "") -> ConfigStyle | None:
    return None if value is None else choice(argument, value, ConfigStyle)


def check_talos_runs(version: object, talos: TalosVersion) -> int:
    """The minor of a Kubernetes version that a Talos runs."""
    minor = kubernetes_minor(version, 37)
    known = talos.release.kubernetes_versions
    if f"1.{minor}" not in known:
        raise wrong("kubernetes_version", f"one that Talos {talos} runs, from '{known[0]}' to '{known[-1]}'", version)
    return minor


@named_arguments(talos_version="a document or a field depends on the Talos of the control plane")
@attrs.frozen(kw_only=True, field_transformer=named)
class ControlPlanePatch:
    """The Talos machine configuration of control-plane nodes that switches features of Kubernetes on, as a patch.

    The API server, the controller manager and the scheduler get the same feature gates, since a feature needs all that
    know it. Apply the patch to each control-plane node: Talos restarts the three programs, and no node reboots.

    Talos replaces an argument that another patch has. Put all feature gates of the cluster into one patch. The
    documents are patches of those that Talos 1.14 generates; a cluster that was upgraded from 1.13 needs `fields`.

    Args:
        talos_version: The Talos of the control plane.
        feature_gates: The feature gates, such as `gang.feature_gates`. A gate that one of them needs, and that this
            Kubernetes has off by default, is added: without it the three programs would not start.
        kubernetes_version: The Kubernetes of the cluster, such as "1.37", or the oldest that the patch is for. Required
            for a gate that came with a known Kubernetes, such as GenericWorkload. Default: None.
        runtime_config: The versions of APIs that the API server serves too. The version that a program needs with a gate
            is added: without it the scheduler would place no pod. Default: none.
        style: `fields` or `documents`, as of `MachineConfigPatch`.

    Raises:
        TypeError, ValueError: `'feature_gates' must be …`, and a similar error for every argument.

    Example:
        >>> patch = ControlPlanePatch(talos_version="1.14", kubernetes_version="1.37", feature_gates=["GenericWorkload"])
        >>> patch.documents[0]["extraArgs"]
        {'feature-gates': 'GenericWorkload=true', 'runtime-config': 'scheduling.k8s.io/v1beta1=true'}

    https://kubernetes.io/docs/reference/command-line-tools-reference/feature-gates/
    """

    talos_version: TalosVersion = attrs.field(converter=to_talos_version)
    feature_gates: tuple[str, ...] = attrs.field(converter=_to_gates)
    kubernetes_version: str | None = attrs.field(default=None, converter=_to_kubernetes)
    runtime_config: tuple[str, ...] = attrs.field(default=(), converter=_to_versions)
    style: ConfigStyle = attrs.field(default=None, converter=_to_style)

    def __attrs_post_init__(self) -> None:
        if not self.feature_gates and not self.runtime_config:
            raise wrong("feature_gates", "a list of at least one feature gate", [], "without one the control plane needs no patch")
        if self.kubernetes_version is not None:
            minor = kubernetes_minor(self.kubernetes_version, 37)
            self._check_gates(minor)
            object.__setattr__(self, "feature_gates", tuple(with_required_gates(self.feature_gates, minor)))
            served = dict.fromkeys([*self.runtime_config, *needed_apis(self.feature_gates, minor)])
            object.__setattr__(self, "runtime_config", tuple(served))
        elif known := [gate for gate in self.feature_gates if depends_on_kubernetes(gate)]:
            rule = f"the Kubernetes of the cluster where 'feature_gates' has {known[0]}"
            raise wrong("kubernetes_version", rule, None, "the gate, and the API that it needs, follow from it")
        object.__setattr__(self, "style", style_of(self.style, self.talos_version, DOCUMENTS, "documents are"))

    def _check_gates(self, minor: int) -> None:
        for gate in self.feature_gates:
            if minor < GATE_SINCE.get(gate, 0):
                raise wrong("kubernetes_version", f"at least '1.{GATE_SINCE[gate]}' for {gate}", self.kubernetes_version, _REFUSES)
            if has_gate(minor, gate) is False:
                last = f"1.{GATE_MINORS[gate][1]} is the last with it; {_REFUSES}" if gate in GATE_MINORS else ""
                hint = last or did_you_mean(gate, GATE_MINORS) or _REFUSES
                raise wrong("feature_gates", f"a list of feature gates of Kubernetes 1.{minor}", gate, hint)

    def _arguments(self, component: str) -> dict[str, str]:
        gates = ",".join(f"{gate}=true" for gate in self.feature_gates)
        versions = ",".join(f"{version}=true" for version in self.runtime_config if component == "apiServer")
        return {flag: value for flag, value in {"feature-gates": gates, "runtime-config": versions}.items() if value}

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The patch as plain data: one document with `cluster:` in the style `fields`, else one for each program."""
        arguments = {component: self._arguments(component) for component in CONTROL_PLANE_PROGRAMS}
        given = {component: {"extraArgs": flags} for component, flags in arguments.items() if flags}
        if self.style is ConfigStyle.FIELDS:
            return [{"cluster": given}]
        return [{"apiVersion": "v1alpha1", "kind": CONTROL_PLANE_PROGRAMS[component], **body} for component, body in given.items()]

    @property
    def text(self) -> str:
        """The patch as YAML for `talosctl`, with a comment."""
        since = f"# The cluster needs Kubernetes {self.kubernetes_version} or newer: an older program does not start.\n"
        why = _WHY + (since if self.kubernetes_version else "") + (_DOCUMENTS if self.style is ConfigStyle.DOCUMENTS else "")
        return why + "---\n".join("".join(f"{line}\n" for line in block(document)) for document in self.documents)
