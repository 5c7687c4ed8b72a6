"""Upgrade leftovers: objects and settings that have to go when GPU nodes move to another Talos, or between device
plugin and GPU operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...nodes.talos_version import TalosVersion
from ...upstream.nvidia.agent_programs import AgentKind
from ...upstream.talos.features import LEGACY_ROOT, RUNTIME_CLASS
from ...upstream.talos.generations import BRIDGED, CDI_LAYOUT, NRI_TOOLKIT, UNBRIDGED, Generation, has_legacy_root
from ..agents.agent_kinds import agent_kind, writes_marker
from ..agents.agents import GFD, MPS_DAEMON, PLUGIN, agents
from ..agents.operators import operators, runtime_class_makers
from ..agents.plugin_options import plugin_options
from ..model import ChartRelease, Inputs, KubernetesObject, Path, Read, at
from ..objects.chart_sources import chart_sources, sources_of
from ..objects.identities import Identity, application_sets, applications, identity, owning_set, text_at
from ..pods.workloads import workloads

STANDALONE = "standalone"
OPERATOR = "operator"

_BRIDGE_BEFORE_CDI = (
    f"the bridge writes marker files for the operator's pods {BRIDGED.when}; {UNBRIDGED.when} the operator's validator does"
)
_BRIDGE_OF_OPERATOR = "the bridge writes marker files for the operator's pods, which are removed"
_SAME_GPUS = "the operator, whose device plugin advertises the same GPUs"
_OF_THE_PLUGIN = {
    PLUGIN: "the operator runs its own device plugin, and the kubelet listens to only one",
    GFD: "the operator runs its own GPU feature discovery, and two of them set the same labels",
    MPS_DAEMON: "the MPS daemon serves the device plugin that is removed, and the operator runs its own MPS daemon",
}
_PLUGIN_CHART = "the release installs a device plugin, and the operator runs its own"


@dataclass(frozen=True, kw_only=True, slots=True)
class Move:
    """The move of GPU nodes: from one Talos to another, and from one route (`standalone` or `operator`) to another."""

    before: TalosVersion
    after: TalosVersion
    route: str
    new_route: str

    @property
    def leaves_legacy_root(self) -> bool:
        """Whether the driver's libraries are in another folder after the move."""
        return has_legacy_root(self.before.version) and not has_legacy_root(self.after.version)

    @property
    def is_to_operator(self) -> bool:
        """Whether the operator replaces the device plugin."""
        return self.route != self.new_route == OPERATOR

    @property
    def is_to_standalone(self) -> bool:
        """Whether the device plugin replaces the operator."""
        return self.route != self.new_route == STANDALONE


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class UpgradeLeftover:
    """An object or a setting that has to go, with the reason. `path` is the setting that goes; None if the whole object
    goes.

    `in_pods` marks a setting of an object's pods: the object stays, and its pod template has to change.
    """

    about: Read
    reason: str
    path: Path | None = None
    in_pods: bool = False


def upgrade_leftovers(inputs: Inputs, move: Move) -> list[UpgradeLeftover]:
    """The leftovers in the inputs, in the order of the objects; each leftover with its first reason."""
    whole: dict[Identity, UpgradeLeftover] = {}
    templates: dict[Identity, UpgradeLeftover] = {}
    settings: dict[Any, UpgradeLeftover] = {}
    for leftover in _leftovers(inputs, move):
        if _is_controlled(leftover.about):
            continue
        if leftover.path is None:
            whole.setdefault(identity(leftover.about), leftover)
        elif leftover.in_pods:
            templates.setdefault(identity(leftover.about), leftover)
        else:
            settings.setdefault(_place(leftover), leftover)
    _add_application_sets(inputs, whole)
    _add_unused_sources(inputs, whole)
    order = {identity(each): index for index, each in enumerate(inputs.objects)}
    parts = (*templates.values(), *settings.values())
    kept = [*whole.values(), *(each for each in parts if identity(each.about) not in whole)]
    return sorted(kept, key=lambda each: order.get(identity(each.about), len(order)))


def _leftovers(inputs: Inputs, move: Move) -> Iterator[UpgradeLeftover]:
    if move.leaves_legacy_root:
        yield from _bridges(inputs, _BRIDGE_BEFORE_CDI)
        yield from _of_the_legacy_root(inputs)
    if move.is_to_operator:
        yield from _to_operator(inputs, move)
    if move.is_to_standalone:
        yield from _bridges(inputs, _BRIDGE_OF_OPERATOR)
        yield from _to_standalone(inputs)


def _bridges(inputs: Inputs, reason: str) -> Iterator[UpgradeLeftover]:
    for workload in workloads(inputs):
        if any(writes_marker(container.body) for container in workload.containers):
            yield UpgradeLeftover(about=workload.about, reason=reason)


def _of_the_legacy_root(inputs: Inputs) -> Iterator[UpgradeLeftover]:
    for workload in workloads(inputs):
        path = next((path for path, text in scalars(workload.spec, workload.path) if LEGACY_ROOT in text), None)
        if path is not None:
            if isinstance(workload.about, ChartRelease):
                yield from _settings(workload.about, workload.about.values, workload.about.values_path)
            else:
                yield UpgradeLeftover(about=workload.about, reason=_OLD_PODS, path=path, in_pods=True)
    for option in plugin_options(inputs):
        if option.in_file and LEGACY_ROOT in str(option.value):
            yield UpgradeLeftover(about=option.about, reason=_OLD_SETTING, path=option.path)
    # The meaning of values of an unknown chart is not known.
    holders = [(each, each.values, each.values_path) for each in inputs.releases if each.known_chart is not None]
    policies = [(each.about, each.settings, each.base) for each in operators(inputs) if each.release is None]
    configs = [(each, each.at("documents"), ("documents",)) for each in inputs.node_configs]
    for about, value, base in (*holders, *policies, *configs):
        yield from _settings(about, value, base)


_OLD_PODS = f"the pods look for the driver's libraries under {LEGACY_ROOT}, where Talos {CDI_LAYOUT.first} has none"
_OLD_SETTING = f"the setting names {LEGACY_ROOT}, where Talos {CDI_LAYOUT.first} has no driver"


def _settings(about: Read, value: Any, base: Path) -> Iterator[UpgradeLeftover]:
    for path, text in scalars(value, base):
        if LEGACY_ROOT in text:
            yield UpgradeLeftover(about=about, reason=_OLD_SETTING, path=path)


def _to_operator(inputs: Inputs, move: Move) -> Iterator[UpgradeLeftover]:
    for maker in runtime_class_makers(inputs).get(RUNTIME_CLASS, ()):
        if isinstance(maker, KubernetesObject):
            yield UpgradeLeftover(about=maker, reason=_of_the_runtime_class(move))
    for agent in agents(inputs):
        if agent.kind in _OF_THE_PLUGIN:
            of_chart = agent.release is not None and agent.kind == PLUGIN
            yield UpgradeLeftover(about=agent.about, reason=_PLUGIN_CHART if of_chart else _OF_THE_PLUGIN[agent.kind])


def _of_the_runtime_class(move: Move) -> str:
    if move.after.generation is Generation.NRI:
        return f"Talos {NRI_TOOLKIT.first} has no runtime {RUNTIME_CLASS}, and the operator creates no RuntimeClass there"
    return "the operator creates this RuntimeClass and owns it"


def _to_standalone(inputs: Inputs) -> Iterator[UpgradeLeftover]:
    for operator in operators(inputs):
        effect = "the ClusterPolicy configures" if operator.release is None else "the release installs"
        yield UpgradeLeftover(about=operator.about, reason=f"{effect} {_SAME_GPUS}")
    for workload in workloads(inputs):
        if workload.kind == "Deployment" and agent_kind(container.body for container in workload.containers) == AgentKind.OPERATOR:
            yield UpgradeLeftover(about=workload.about, reason=f"the Deployment runs {_SAME_GPUS}")


def _add_application_sets(inputs: Inputs, whole: dict[Identity, UpgradeLeftover]) -> None:
    """Replace leftover Applications by their ApplicationSet if all of its Applications go; else name the ApplicationSet
    in the reason."""
    makers = {
        identity(application): application_set for application_set, generated in application_sets(inputs) for application in generated
    }
    for application_set, generated in application_sets(inputs):
        going = [whole[identity(each)] for each in generated if identity(each) in whole]
        if going and len(going) == len(generated):
            for application in generated:
                whole.pop(identity(application), None)
            whole[identity(application_set)] = replace(going[0], about=application_set)
    for application in applications(inputs):
        key = identity(application)
        maker = text_at(makers[key], "metadata", "name") if key in makers else owning_set(application)
        if maker and key in whole:
            reason = f"{whole[key].reason}; the ApplicationSet {maker} generates the Application, and has to leave it out"
            whole[key] = UpgradeLeftover(about=application, reason=reason)


def _add_unused_sources(inputs: Inputs, whole: dict[Identity, UpgradeLeftover]) -> None:
    """Add the chart sources whose HelmReleases all go."""
    going: set[Any] = set()
    staying: set[Any] = set()
    for release in inputs.of_kind("HelmRelease"):
        sources, goes = sources_of(release, inputs), identity(release) in whole
        if sources is None and not goes:
            return  # the HelmRelease may take its chart from any source
        (going if goes else staying).update(sources or ())
    for source, about in chart_sources(inputs).items():
        if source in going - staying:
            whole[identity(about)] = UpgradeLeftover(about=about, reason="no remaining HelmRelease takes a chart from this source")


def _place(setting: UpgradeLeftover) -> tuple[object, ...]:
    """The place of a setting. One patch may set it on many nodes."""
    path = setting.path or ()
    file, line = setting.about.file_of(path) or setting.about.file, setting.about.line_of(path)
    return (file, identity(setting.about), path) if line is None else (file, line)


def _is_controlled(about: Read) -> bool:
    """Whether another object controls the object. Such an object is removed with its owner; removed alone, it would
    come back."""
    owners = about.at("metadata", "ownerReferences")
    is_owned = isinstance(owners, list) and any(at(owner, "controller") is True for owner in owners)
    return is_owned and not owning_set(about)


def scalars(value: Any, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Every scalar as text, with its path; of an unknown one, the text that stands in its place."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from scalars(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from scalars(item, (*path, index))
    elif value is not None:
        yield path, str(value)
