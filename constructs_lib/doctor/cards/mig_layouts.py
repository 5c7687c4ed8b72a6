"""The layout that the cards of a node should have: by the configuration that divides them, or by the label of the node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...arguments.patterns import pattern
from ...observed.agents.plugin_configs import mounted_config_maps
from ...observed.model import at, known_items, known_str, mappings
from ...observed.model.evidence import Evidence
from ...observed.model.live_object import LiveObject
from ...upstream.nvidia.agent_programs import AgentKind
from ...upstream.nvidia.gpu_resources import ALL_DISABLED, MIG_CONFIG_LABEL, MIG_STATE_LABEL, mig_resource
from ...yaml.load import YamlError, documents
from ..gpu_cluster import GpuCluster
from ..gpu_node import GpuNode

Profiles = Mapping[str, int | None]
"""The number of instances of each profile, None where only the profile is known; empty for a card without MIG."""

_CONFIGS = "mig-configs"
_UNIFORM = pattern(r"^all-(?P<profile>\d+g\.\d+gb)(?P<rest>\.[a-z.]+|-me|)$")
"""The layouts of NVIDIA's own configuration with one profile. A point stands for the plus, which a label can't have.

Source: NVIDIA/mig-parted deployments/systemd/config-default.yaml at v0.15.0 (2026-11-28)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Layout:
    """A layout with its source. `specs` are the cards that an entry is for, None for all, and the instances of each."""

    source: str
    words: str
    evidence: Evidence
    specs: tuple[tuple[frozenset[int] | None, Profiles], ...]
    state: str = ""

    def of_card(self, index: int) -> list[Profiles]:
        """The instances that a card may have: several where entries differ by the kind of card."""
        return [profiles for indices, profiles in self.specs if indices is None or index in indices]

    @property
    def profiles(self) -> tuple[Profiles, ...]:
        """The instances of every entry."""
        return tuple(profiles for _, profiles in self.specs)

    @property
    def indices(self) -> frozenset[int]:
        """The numbers of the cards that entries name."""
        return frozenset[int]().union(*(indices for indices, _ in self.specs if indices is not None))

    def least(self) -> dict[str, int]:
        """The instances that a node with the layout offers at least, by their resource: those of each card that an entry
        names, and those of one card for an entry of all cards. At least one where a number is not known, or where entries
        differ by the kind of card."""
        least = dict.fromkeys(self.resources, 1)
        for name in {name for profiles in self.profiles for name in profiles}:
            named = sum(len(indices) * (each.get(name, 0) or 0) for indices, each in self.specs if indices is not None)
            of_all = min((each.get(name, 0) or 0 for indices, each in self.specs if indices is None), default=0)
            least[mig_resource(name)] = max(1, named, of_all)
        return least

    @property
    def resources(self) -> frozenset[str]:
        """The resources of the instances."""
        return frozenset(mig_resource(name) for profiles in self.profiles for name in profiles)


def layout_of(cluster: GpuCluster, node: GpuNode) -> Layout | None:
    """The layout of a node; None where nothing that was read asks for one. The init container of a device plugin divides
    the cards by the only entry of its file; the label names an entry of the MIG manager's file."""
    divided = next(_by_plugin(cluster, node), None)
    name = known_str(node.node.labels.get(MIG_CONFIG_LABEL)) if node.node else None
    if divided is not None or node.node is None or name is None:
        return divided
    entries = [entries[name] for _, entries in _files(cluster) if name in entries]
    specs = _specs(entries[0]) if entries else _known(name)
    if not specs or any(each != entries[0] for each in entries):
        return None
    return Layout(
        source=f"The label {MIG_CONFIG_LABEL}", words=name, evidence=node.node.evidence(f"{MIG_CONFIG_LABEL}: {name}", "metadata.labels"),
        specs=specs, state=f"{node.node.labels.get(MIG_STATE_LABEL, '')}",
    )  # fmt: skip


def _by_plugin(cluster: GpuCluster, node: GpuNode) -> Iterator[Layout]:
    for agent in cluster.of_agent(AgentKind.PLUGIN):
        for pod in agent.on(node.name):
            mounted = [*mounted_config_maps(pod.spec)]
            for about, entries in _files(cluster):
                specs = _specs(next(iter(entries.values()))) if len(entries) == 1 else ()
                if about.name in mounted and about.namespace == pod.about.namespace and specs:
                    name = next(iter(entries))
                    yield Layout(
                        source=f"ConfigMap {about.full_name}",
                        words=f"the layout {name}",
                        evidence=about.evidence(f"{_CONFIGS}: {name}", "data"),
                        specs=specs,
                    )


def _files(cluster: GpuCluster) -> Iterator[tuple[LiveObject, Mapping[str, object]]]:
    """The entries of each file of nvidia-mig-parted."""
    for each in cluster.dump.of_kind("ConfigMap"):
        for text in each.mapping("data").values():
            if isinstance(text, str) and _CONFIGS in text:
                try:
                    entries = [at(body, _CONFIGS) for body in documents(text)]
                except YamlError:
                    continue
                yield from ((each, found) for found in entries if isinstance(found, dict))


def _specs(entry: object) -> tuple[tuple[frozenset[int] | None, Profiles], ...]:
    specs: list[tuple[frozenset[int] | None, Profiles]] = []
    for _, spec in mappings(entry):
        devices = spec.get("devices")
        indices = frozenset(each for each in devices if isinstance(each, int)) if isinstance(devices, list) else None
        numbers = known_items(spec.get("mig-devices"))  # nvidia-mig-parted refuses devices where mig-enabled is false
        specs.append((indices, {f"{name}": each if isinstance(each, int) else None for name, each in numbers}))
    return tuple(specs)


def _known(name: str) -> tuple[tuple[None, Profiles], ...]:
    """An entry of NVIDIA's own configuration by its name alone; empty for one of several profiles, and for any other."""
    if name == ALL_DISABLED:
        return ((None, {}),)
    found = _UNIFORM.match(name)
    return ((None, {found["profile"] + found["rest"].replace(".", "+", 1): None}),) if found else ()
