"""The first cluster file of a cluster, from the answers to five questions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..arguments.errors import NOTHING, wrong, wrong_kind
from ..arguments.plain_values import whole_number
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.nodes_file import nodes_in
from ..nodes.talos_version import TalosVersion, dated
from ..talos.image.fabric_manager import default_fabric_manager, warn_of_no_fabric_manager
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from .node_classes import without_default
from .present_nodes import PresentImage
from .talos_settings import without_credentials
from .tree import RefusedError, made

_DELIVERIES: Mapping[str, dict[str, Any]] = {"flux": {"Flux": {}}, "argocd": {"ArgoCd": {}}}
_STACKS = ("standalone", "operator")


@dataclass
class Answers:
    """The answers; None where a question was not answered."""

    talos_version: str | None = None
    card: str | None = None
    cards: int | None = None
    count: int | None = None
    sharing: int | None = None
    stack: str | None = None
    delivery: str | None = None
    fabric_manager: bool | None = None

    def has(self, question: str, known: Mapping[str, Any]) -> bool:
        """Whether a question has its answer."""
        argument = {"card": "product", "cards": "gpus_per_node"}.get(question, question)
        return getattr(self, question) is not None or argument in known

    def take(self, question: str, text: str) -> None:
        """Take an answer from a terminal. Raises an error for a wrong one."""
        if question == "talos_version":
            nodes_in([{"talos_version": text}])
            self.talos_version = text
        elif question == "card":
            nodes_in([{"talos_version": self.talos_version or "1.14", **({"product": text} if text else {})}])
            self.card = text or None
        elif question == "cards":
            self._take_cards(text)
        elif question == "sharing":
            self.sharing = _number("sharing", text) if text else 1
        else:
            self._take_stack(text)

    def _take_cards(self, text: str) -> None:
        match = re.fullmatch(r"(\d*)(?:\s*[x*, ]\s*(\d+))?", text)
        if match is None or "0" in (match[1], match[2]):
            raise wrong("cards", "two numbers, such as 2 x 3", text)
        self.cards = int(match[1]) if match[1] else None
        self.count = int(match[2]) if match[2] else self.count

    def _take_stack(self, text: str) -> None:
        stack, _, delivery = text.lower().partition(" ")
        if stack not in ("", *_STACKS) or delivery.strip() not in ("", *_DELIVERIES):
            raise wrong("stack", "'standalone' or 'operator', alone or with 'flux' or 'argocd'", text)
        self.stack = stack or None
        self.delivery = delivery.strip() or self.delivery


def _number(argument: str, text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise wrong(argument, "a whole number of at least 1", text)
    return int(text)


class FirstCluster(NamedTuple):
    """The description of a cluster, and a note for each choice in it that no answer made."""

    description: dict[str, Any]
    notes: list[str]


def first_cluster(answers: Answers, known: Mapping[str, Any], image: PresentImage | None = None) -> FirstCluster:
    """The first description of a cluster. `known` are the arguments of the class of nodes that were read elsewhere, and
    `image` is what was read of their image; answers come before.
    """
    if answers.talos_version is None and "talos_version" not in known:
        raise wrong_kind("talos_version", "given", NOTHING, "no terminal answers the question")
    nodes = _nodes(answers, known, image)
    talos = TalosVersion.parse("talos_version", nodes["talos_version"])
    newest = talos.release.newest
    notes = [] if image is None else list(image.notes)
    if talos.patch is None and newest:
        nodes["talos_version"] = newest
        notes.append(dated(f"Talos {talos}: the file has {newest}, the newest patch") + ", because an image is of one release")
    elif talos.patch is None:
        notes.append(f"Talos {talos}: the file has no 'talos', because an image is of one release, and no patch of Talos {talos} is known")
    (node_class,) = nodes_in([nodes])
    needs_operator = node_class.runtime_class is None
    if needs_operator and answers.stack == "standalone":
        hint = "without the operator's toolkit no container gets a GPU there"
        raise wrong("stack", f"'operator' for Talos {talos.minor_version}", answers.stack, hint)
    by_operator = needs_operator or answers.stack == "operator"
    if by_operator and answers.stack is None:
        notes.append(f"no stack was chosen: the file has 'operator: true', the only route that is known for Talos {talos.minor_version}")
    if answers.delivery is None:
        part = "the GPU operator" if by_operator else "node feature discovery"
        notes.append(f"{part} is a Helm chart, and the file leaves it to Flux in the cluster; for Argo CD: --delivery argocd")
    stack = {"operator": by_operator, "delivery": _DELIVERIES[answers.delivery or "flux"], "monitoring": False}
    description: dict[str, Any] = {
        "nodes": {**nodes, **_of_the_card(node_class)},
        "charts": {"gpu": {"objects": {"stack": {"GpuStack": stack}}}},
        **({"talos": _talos(answers, node_class, image)} if node_class.talos_version.patch is not None else {}),
    }
    try:
        made(description)
    except RefusedError as refused:
        raise refused.error from None
    return FirstCluster(description, notes)


def _nodes(answers: Answers, known: Mapping[str, Any], image: PresentImage | None) -> dict[str, Any]:
    """The arguments of the class of nodes."""
    if answers.sharing is not None:
        whole_number("sharing", answers.sharing)
    shared = answers.sharing is not None and answers.sharing > 1
    given = {
        "talos_version": answers.talos_version,
        "product": answers.card,
        "gpus_per_node": answers.cards,
        "count": answers.count,
        "sharing": {"time_slicing": {"replicas": answers.sharing}} if shared else None,
    }
    nodes = {**known, **{name: value for name, value in given.items() if value is not None}}
    if answers.sharing == 1:
        nodes.pop("sharing", None)
    return {**_driver(image, nodes), **nodes} if image is not None and len(image.drivers) == 1 else nodes


def _of_the_card(nodes: GpuNodes) -> dict[str, str]:
    """The arguments that follow from the card, where they differ from those of most cards."""
    modules = {} if nodes.kernel_modules is KernelModules.OPEN else {"kernel_modules": str(nodes.kernel_modules)}
    return modules if nodes.track is DriverTrack.PRODUCTION else {**modules, "driver_track": str(nodes.track)}


def _driver(image: PresentImage, nodes: Mapping[str, Any]) -> dict[str, Any]:
    """The driver of the present image, where it is not the default of the class."""
    ((flavour, track),) = image.drivers
    card = {"product": nodes["product"]} if "product" in nodes else {}
    driver = {name: str(value) for name, value in (("kernel_modules", flavour), ("driver_track", track)) if value}
    return without_default(driver, card, {"talos_version": nodes["talos_version"]})


def _talos(answers: Answers, nodes: GpuNodes, image: PresentImage | None) -> dict[str, Any]:
    present = {} if image is None else without_credentials(image.arguments)
    has_manager = present.pop("fabric_manager", None) or default_fabric_manager(nodes)
    present = {name: value for name, value in present.items() if value}
    if answers.fabric_manager is not None:
        return {**present, "fabric_manager": answers.fabric_manager}
    if not has_manager:
        warn_of_no_fabric_manager(nodes)
    return {**present, **({"fabric_manager": True} if has_manager else {})}
