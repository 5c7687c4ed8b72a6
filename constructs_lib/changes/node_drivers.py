"""The drivers that the images of the nodes bring, with the cards that the files name there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from ..nodes.talos_version import TalosVersion
from ..observed.model import Inputs, NodeConfig, is_unknown
from ..observed.nodes.cards import named_card, selected_card
from ..observed.nodes.node_extensions import drivers, has_own_driver
from ..observed.nodes.node_settings import gpu_node_configs, talos_of


class NodeDriver(NamedTuple):
    """The driver of a class or of a configured node, or of a track where no image of a node was read."""

    where: str
    talos: TalosVersion
    track: str
    """Empty where the image has no track, or several."""
    modules: str
    """Empty where they are not known."""
    cards: tuple[str, ...]

    @property
    def version(self) -> str:
        """The driver. The tables have those of the newest patch; of another patch the branch is known. Empty for an unknown driver."""
        release = self.talos.release
        driver = release.drivers.get(self.track, "") if self.talos.is_known else ""
        return driver if str(self.talos) == release.newest else driver.partition(".")[0]

    @property
    def branch(self) -> int:
        """The branch of a known driver."""
        return int(self.version.partition(".")[0])


def node_drivers(inputs: Inputs, file: str = "") -> list[NodeDriver]:
    """The drivers of the classes and of the configured nodes; where none was read, those of the tracks of the cluster's Talos. `file` is
    the name of a side that is a single file."""
    found = [each._replace(where="") if each.where == file else each for each in (*_of_classes(inputs), *_of_configs(inputs))]
    talos = inputs.talos_version
    has_image = inputs.nodes or any(each.version for each in found) or any(map(has_own_driver, gpu_node_configs(inputs)))
    if talos is None or has_image:
        return found
    named = [named_card(config, inputs) for config in inputs.node_configs]
    cards = tuple(dict.fromkeys(each.name for each in (named if any(named) else [selected_card(inputs)]) if each))
    return found + [NodeDriver(f"{track} track", talos, track, "", cards) for track in talos.release.drivers]


def _of_classes(inputs: Inputs) -> Iterator[NodeDriver]:
    for each in inputs.nodes:
        name = each.name or ("" if len(inputs.nodes) == 1 else "nodes")
        # The cards of virtual machines have the driver of the machine.
        track = str(each.track) if each.passthrough is None else ""
        yield NodeDriver(name, each.talos_version, track, str(each.kernel_modules), (each.product,) if each.product else ())


def _of_configs(inputs: Inputs) -> Iterator[NodeDriver]:
    # The patches of described classes say the same as the classes.
    configs = [each for each in gpu_node_configs(inputs) if not (inputs.nodes and each.scope == "patch")]
    names = Counter(map(_name, configs))
    for config in configs:
        talos, name, found = talos_of(config, inputs), _name(config), drivers(config)
        if talos is not None:
            card = named_card(config, inputs)
            yield NodeDriver(
                f"{name}, {config.file}" if names[name] > 1 else name,
                talos,
                _only({str(each.track) for each in found if each.track}),
                _only({str(each.flavour) for each in found}),
                (card.name,) if card else (),
            )


def _only(values: set[str]) -> str:
    return values.pop() if len(values) == 1 else ""


def _name(config: NodeConfig) -> str:
    return config.file if config.scope == "patch" or is_unknown(config.name) else config.label
