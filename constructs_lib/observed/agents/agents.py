"""Agents of GPU nodes (device plugins, exporters, DRA drivers, discovery), read from a chart's values and from a
DaemonSet alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...upstream.charts import CHARTS, DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, FEATURE_DISCOVERY, GPU_OPERATOR, NODE_FEATURE_DISCOVERY
from ...upstream.nvidia.agent_programs import AgentKind
from ..model import (
    Answer,
    ChartRelease,
    Inputs,
    KubernetesObject,
    Path,
    Read,
    Unknown,
    UnknownKey,
    any_of,
    at,
    equals,
    is_among,
    is_open,
    is_unknown,
    known_list,
    mappings,
    question,
)
from ..objects.helm_values import with_defaults
from .agent_kinds import possible_kinds

PLUGIN, GFD, MPS_DAEMON = AgentKind.PLUGIN, AgentKind.GFD, AgentKind.MPS_DAEMON
EXPORTER, DRA, NFD_WORKER = AgentKind.EXPORTER, AgentKind.DRA, AgentKind.NFD_WORKER
STANDALONE = (PLUGIN, GFD, MPS_DAEMON, EXPORTER, DRA, NFD_WORKER)
"""The kinds that run on their own on a node, without the operator."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Agent:
    """An agent. `spec` holds the pod settings that decide where and how the agent runs, under the pod's own names:
    `runtimeClassName`, `nodeSelector`, `affinity`, `tolerations`; with an unknown key if values were not read. `base`
    is the path of these settings in `about.body`.

    `settings` holds the settings that the author wrote, for a DaemonSet all of them. `container` is the agent's
    container, and `container_path` its path; both are empty for a chart.
    """

    kind: AgentKind
    about: Read
    spec: Mapping[str, Any]
    settings: Mapping[str, Any]
    base: Path
    namespace: str | Unknown | None
    complete: bool = True
    container: Mapping[str, Any] = field(default_factory=dict)
    container_path: Path = ()

    def value(self, *path: str | int) -> Any:
        """A setting of the pod, None if the pod has none, `Unknown` if that can't be read."""
        own = at(self.settings, *path)
        if is_unknown(own):
            return own
        return Unknown() if own is None and not self.complete else at(self.spec, *path)

    def path(self, *path: str | int) -> Path:
        """The path of a setting in `about.body`."""
        return (*self.base, *path)

    @property
    def release(self) -> ChartRelease | None:
        """The release of the chart that the agent is a part of; None for a DaemonSet."""
        return self.about if isinstance(self.about, ChartRelease) else None

    @property
    def label(self) -> str:
        """The agent in words, such as `the device plugin`."""
        return f"the {self.kind}"


@question
def agents(inputs: Inputs) -> list[Agent]:
    """Every agent that surely runs, in the order of namespaces and names."""
    parts = [_part(release, part) for release in inputs.releases for part in _parts(release) if _is_on(release, part).is_yes]
    parts += [agent for each in inputs.of_kind("DaemonSet") for agent in _of_daemon_set(each, _possible(inputs))]
    return sorted(parts, key=lambda each: (f"{each.namespace}", each.about.label))


def may_run(inputs: Inputs, kind: AgentKind) -> bool:
    """Whether an agent of this kind runs, or may."""
    return kind in hidden_kinds(inputs) or any(agent.kind == kind for agent in agents(inputs))


@question
def _possible(inputs: Inputs) -> dict[int, list[AgentKind | None]]:
    """The kinds that each container of a DaemonSet may have."""
    return {id(container): possible_kinds(container) for each in inputs.of_kind("DaemonSet") for _, container in each.containers}


@question
def hidden_kinds(inputs: Inputs) -> frozenset[AgentKind]:
    """The kinds of agents that may run because a part of the inputs can't be read."""
    kinds = {part[0] for release in inputs.releases for part in _parts(release) if _is_on(release, part) is Answer.UNKNOWN}
    kinds |= {part[0] for chart, parts in _PARTS.items() if inputs.may_install(CHARTS[chart]) for part in parts}
    if inputs.may_hide("DaemonSet"):
        kinds |= set(STANDALONE)
    for each in inputs.of_kind("DaemonSet"):
        for _, container in each.containers:
            possible = _possible(inputs)[id(container)]
            kinds |= {kind for kind in possible if kind and len(possible) > 1}
        if each.pod_path is None or is_open(at(each.pod_spec, "containers")):
            kinds |= set(STANDALONE)
    return frozenset(kinds)


# The parts of each chart: kind, path of the settings, and a key that the chart reads if the part runs.
_Part = tuple[AgentKind, tuple[str, ...], tuple[str, ...]]
_PARTS: dict[str, tuple[_Part, ...]] = {
    DEVICE_PLUGIN.name: (
        (PLUGIN, (), ("deviceIDStrategy",)),
        (GFD, (), ("sleepInterval",)),
        (NFD_WORKER, ("nfd", "worker"), ("nfd", "worker", "config")),
    ),
    FEATURE_DISCOVERY.name: ((GFD, (), ()),),
    DCGM_EXPORTER.name: ((EXPORTER, (), ()),),
    DRA_DRIVER.name: ((DRA, ("kubeletPlugin",), ("kubeletPlugin", "tolerations")),),
    NODE_FEATURE_DISCOVERY.name: ((NFD_WORKER, ("worker",), ("worker", "config")),),
    GPU_OPERATOR.name: ((NFD_WORKER, (NODE_FEATURE_DISCOVERY.name, "worker"), (NODE_FEATURE_DISCOVERY.name, "worker", "config")),),
}


def _parts(release: ChartRelease) -> tuple[_Part, ...]:
    return _PARTS.get(release.known_chart.name, ()) if release.known_chart else ()


def _is_on(release: ChartRelease, part: _Part) -> Answer:
    """Whether a part of a chart runs. Without a written switch a part that runs by default is on, also if further values
    were not read."""
    return release.reading.is_read(*part[2])


def _part(release: ChartRelease, part: _Part) -> Agent:
    kind, path, _ = part
    written = at(release.values, *path)
    settings = written if isinstance(written, Mapping) else {}
    complete = release.complete and not is_unknown(written)
    spec = with_defaults(_defaults(release, path), settings)
    return Agent(
        kind=kind,
        about=release,
        spec=spec if complete else _opened({key: spec.get(key) for key in settings}),
        settings=settings,
        base=(*release.values_path, *path),
        namespace=release.namespace,
        complete=complete,
    )


def _opened(spec: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """A mapping that may have further keys."""
    return {**spec, UnknownKey(): Unknown()}


def _defaults(release: ChartRelease, path: tuple[str, ...]) -> Mapping[str, Any]:
    value = at(release.known_chart.defaults, *path) if release.known_chart else None
    return value if isinstance(value, Mapping) else {}


def _of_daemon_set(each: KubernetesObject, possible: Mapping[int, list[AgentKind | None]]) -> Iterator[Agent]:
    # A DaemonSet that the operator created, as `kubectl get -o yaml` prints it, is checked by its ClusterPolicy.
    owners = known_list(each.at("metadata", "ownerReferences"))
    if not any_of(is_among(at(owner, "kind"), ("ClusterPolicy", "GPUCluster")) for owner in owners).is_no:
        return
    for path, container in each.containers:
        kind, *others = possible[id(container)]
        if kind in STANDALONE and not others and "initContainers" not in path and each.pod_path is not None:
            spec = each.pod_spec
            base = (*each.pod_path, "spec")
            yield Agent(
                kind=kind,
                about=each,
                spec=spec,
                settings=spec,
                base=base,
                namespace=each.namespace,
                container=container,
                container_path=path,
            )
            return


def device_plugins(inputs: Inputs) -> list[Agent]:
    """The device plugins that run on their own, without the operator."""
    return _of_kind(inputs, PLUGIN)


def exporters(inputs: Inputs) -> list[Agent]:
    """The DCGM exporters that run on their own, without the operator."""
    return _of_kind(inputs, EXPORTER)


def dra_drivers(inputs: Inputs) -> list[Agent]:
    """The standalone DRA drivers."""
    return _of_kind(inputs, DRA)


def _of_kind(inputs: Inputs, *kinds: AgentKind) -> list[Agent]:
    return [agent for agent in agents(inputs) if agent.kind in kinds]


def driver_root(driver: Agent) -> object:
    """The driver root; `/` for a chart without the value, None if no manifest sets the root, `Unknown` if an unreadable
    one may."""
    if driver.release:
        root = driver.release.value("nvidiaDriverRoot")
        return "/" if root is None else root
    for key in ("initContainers", "containers"):
        for _, container in mappings(at(driver.spec, key)):
            for _, variable in mappings(at(container, "env")):
                is_root = equals(at(variable, "name"), "NVIDIA_DRIVER_ROOT")
                if not is_root.is_no:
                    return at(variable, "value") if is_root.is_yes else Unknown()
            if is_open(at(container, "env")):
                return Unknown()
    return None


def is_staged(root: object) -> bool:
    """Whether the user may stage the driver in this folder, as one cluster on Talos 1.12 did for half a year with its
    own build."""
    return is_unknown(root) or (isinstance(root, str) and root.rstrip("/") != "" and not root.startswith("/usr"))


@question
def may_have_a_staged_driver(inputs: Inputs) -> bool:
    """Whether a DRA driver may find a driver that Talos does not bring."""
    return any(is_staged(driver_root(driver)) for driver in dra_drivers(inputs))
