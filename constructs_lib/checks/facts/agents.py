"""What runs on GPU nodes to serve them (plugins, exporters, drivers of DRA, discovery), from a chart's values and from a DaemonSet alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...upstream.charts import DCGM_EXPORTER, DEVICE_PLUGIN, DRA_DRIVER, FEATURE_DISCOVERY, GPU_OPERATOR, NODE_FEATURE_DISCOVERY
from ..model import ChartRelease, Inputs, KubernetesObject, Path, Read, Unknown, at, question
from .helm_values import is_on, with_defaults

PLUGIN = "device plugin"
GFD = "GPU feature discovery"
MPS_DAEMON = "MPS control daemon"
EXPORTER = "DCGM exporter"
DRA = "DRA driver"
NFD_WORKER = "NFD worker"


@dataclass(frozen=True, kw_only=True, eq=False)
class Agent:
    """One of them. `spec` has, of its pod's, what decides where and how it runs, under the pod's own names: `runtimeClassName`,
    `nodeSelector`, `affinity`, `tolerations`. `base` is where they stand in `about.body`.

    `given` is what its author wrote of them, which for a DaemonSet is all. `container` is its own container, and `env` is where that stands;
    a chart's is empty.
    """

    kind: str
    about: Read
    spec: Mapping[str, Any]
    given: Mapping[str, Any]
    base: Path
    namespace: str | None
    complete: bool = True
    container: Mapping[str, Any] = field(default_factory=dict)
    container_path: Path = ()

    def value(self, *path: str | int) -> Any:
        """A setting as the pod gets it, None where it gets none, `Unknown` where that can't be told."""
        if not self.complete and at(self.given, *path) is None:
            return Unknown("")
        return at(self.spec, *path)

    def path(self, *path: str | int) -> Path:
        """Where a setting stands in `about.body`."""
        return (*self.base, *path)

    @property
    def release(self) -> ChartRelease | None:
        """The release of the chart that it is a part of; None for a DaemonSet."""
        return self.about if isinstance(self.about, ChartRelease) else None

    @property
    def label(self) -> str:
        """What a person would call it."""
        return f"the {self.kind}"


@question
def agents(inputs: Inputs) -> list[Agent]:
    """Every agent."""
    found = [agent for release in inputs.releases for agent in _of_release(release)]
    return found + [agent for each in inputs.of_kind("DaemonSet") for agent in _of_daemon_set(each)]


# The parts of each chart: what it is, where its settings are, and the switches of which the first that is written decides, or else the default.
_Part = tuple[str, tuple[str, ...], tuple[tuple[str, str], ...], bool]
_PARTS: dict[str, tuple[_Part, ...]] = {
    DEVICE_PLUGIN.name: (
        (PLUGIN, (), (("devicePlugin", "enabled"),), True),
        (GFD, (), (("gfd", "enabled"),), False),
        (NFD_WORKER, ("nfd", "worker"), (("nfd", "enabled"), ("gfd", "enabled")), False),
    ),
    FEATURE_DISCOVERY.name: ((GFD, (), (), True),),
    DCGM_EXPORTER.name: ((EXPORTER, (), (), True),),
    DRA_DRIVER.name: ((DRA, ("kubeletPlugin",), (), True),),
    NODE_FEATURE_DISCOVERY.name: ((NFD_WORKER, ("worker",), (("worker", "enable"),), True),),
    GPU_OPERATOR.name: ((NFD_WORKER, (NODE_FEATURE_DISCOVERY.name, "worker"), (("nfd", "enabled"),), True),),
}


def _of_release(release: ChartRelease) -> Iterator[Agent]:
    for kind, path, switches, default in _PARTS.get(release.chart, ()):
        written = next((value for value in (release.value(*switch) for switch in switches) if value is not None), None)
        decided = is_on(written)
        if default if decided is None else decided:
            yield _part(release, kind, *path)


def _part(release: ChartRelease, kind: str, *path: str) -> Agent:
    given = at(release.values, *path)
    given = given if isinstance(given, Mapping) else {}
    return Agent(
        kind=kind,
        about=release,
        spec=with_defaults(_defaults(release, path), given),
        given=given,
        base=(*release.values_path, *path),
        namespace=release.namespace,
        complete=release.complete,
    )


def _defaults(release: ChartRelease, path: tuple[str, ...]) -> Mapping[str, Any]:
    found = at(release.known_chart.defaults, *path) if release.known_chart else None
    return found if isinstance(found, Mapping) else {}


_IMAGES = {
    "k8s-device-plugin": PLUGIN,
    "gpu-feature-discovery": GFD,
    "dcgm-exporter": EXPORTER,
    "dra-driver-nvidia-gpu": DRA,
    "k8s-dra-driver-gpu": DRA,
    "node-feature-discovery": NFD_WORKER,
}
# One image holds several commands (NVIDIA/k8s-device-plugin, kubernetes-sigs/node-feature-discovery); None are those that serve no node.
_COMMANDS = {
    "gpu-feature-discovery": GFD,
    "mps-control-daemon": MPS_DAEMON,
    "config-manager": None,
    "nfd-master": None,
    "nfd-gc": None,
    "nfd-topology-updater": None,
}


def _of_daemon_set(each: KubernetesObject) -> Iterator[Agent]:
    # What the operator made of its ClusterPolicy, as `kubectl get -o yaml` prints it, is judged there.
    owners = each.at("metadata", "ownerReferences")
    if isinstance(owners, list) and any(at(owner, "kind") in ("ClusterPolicy", "GPUCluster") for owner in owners):
        return
    for path, container in each.containers:
        kind = _kind_of(container)
        if kind and "initContainers" not in path and each.pod_path is not None:
            spec = each.pod_spec
            base = (*each.pod_path, "spec")
            yield Agent(
                kind=kind, about=each, spec=spec, given=spec, base=base, namespace=each.namespace, container=container, container_path=path
            )
            return


def _kind_of(container: Mapping[str, Any]) -> str | None:
    image = str(container.get("image") or "").partition("@")[0].rsplit("/", 1)[-1]
    kind = next((kind for part, kind in _IMAGES.items() if part in image), None)
    words = [word for key in ("command", "args") for word in _words(container.get(key))]
    named = [_COMMANDS[word] for word in (word.rsplit("/", 1)[-1] for word in words) if word in _COMMANDS]
    return named[0] if kind and named else kind


def _words(value: Any) -> list[str]:
    return [word for item in value if isinstance(item, str) for word in item.split()] if isinstance(value, list) else []


def device_plugins(inputs: Inputs) -> list[Agent]:
    """The device plugins that run on their own, without the operator."""
    return _of_kind(inputs, PLUGIN)


def exporters(inputs: Inputs) -> list[Agent]:
    """The DCGM exporters that run on their own, without the operator."""
    return _of_kind(inputs, EXPORTER)


def dra_drivers(inputs: Inputs) -> list[Agent]:
    """The standalone DRA drivers."""
    return _of_kind(inputs, DRA)


def _of_kind(inputs: Inputs, *kinds: str) -> list[Agent]:
    return [agent for agent in agents(inputs) if agent.kind in kinds]
