"""The first cluster file of a cluster, from the answers to a few questions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..arguments.errors import NOTHING, wrong, wrong_kind
from ..arguments.plain_values import whole_number
from ..arguments.spelling import did_you_mean
from ..clusters.argument_types import arguments_of
from ..clusters.description import Description, Gitops, Stack
from ..clusters.part_table import RECIPE_NAMES, part_of
from ..nodes.file_classes import UNNAMED, WORD_OF
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.nodes_file import nodes_in
from ..nodes.talos_version import TalosVersion, dated
from ..talos.image.fabric_manager import default_fabric_manager, warn_of_no_fabric_manager
from ..upstream.nvidia.card_names import usual_name
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ..upstream.nvidia.plugin_words import MigStrategy
from ..upstream.talos import releases as talos_releases
from .node_classes import without_default
from .present_nodes import PresentImage
from .talos_settings import without_credentials
from .tree import RefusedError, made

_SMOKE_TEST = "CudaSmokeTest"


def recipes() -> list[str]:
    """The recipes that run without an answer of their own."""
    return [name for name in RECIPE_NAMES if name != _SMOKE_TEST and not _needs(name)]


def _needs(recipe: str) -> bool:
    settings = part_of(recipe)
    return any(each.is_required and name not in ("nodes", *settings.defaults) for name, each in arguments_of(settings.settings).items())


@dataclass
class Answers:
    """The answers; None where a question was not answered."""

    talos_version: str | None = None
    card: str | None = None
    cards: int | None = None
    count: int | None = None
    sharing: int | None = None
    stack: str | None = None
    gitops: str | None = None
    workload: str | None = None
    fabric_manager: bool | None = None

    def has(self, question: str, known: Mapping[str, Any]) -> bool:
        """Whether a question has its answer."""
        if question == "gitops" and not self._needs_chart(known):
            return True
        argument = {"card": "product", "cards": "gpus_per_node"}.get(question, question)
        return getattr(self, question) is not None or argument in known

    def _needs_chart(self, known: Mapping[str, Any]) -> bool:
        """Whether the stack is a Helm chart."""
        talos = TalosVersion.parse("talos_version", self.talos_version or known["talos_version"])
        return self.stack == Stack.OPERATOR or not talos.needs.by_class

    def take(self, question: str, text: str) -> None:
        """Take an answer from a terminal. Raises an error for a wrong one."""
        if question == "talos_version":
            nodes_in([{"talos_version": text or newest_talos()}])
            self.talos_version = text or newest_talos()
        elif question == "card":
            card = usual_name(text)
            nodes_in([{"talos_version": self.talos_version or "1.14", **({"product": card} if card else {})}])
            self.card = card or None
        elif question == "cards":
            self._take_cards(text)
        elif question == "sharing":
            self.sharing = _number("sharing", text) if text else 1
        elif question == "workload":
            self.workload = _recipe(text)
        else:
            kind = Stack if question == "stack" else Gitops
            words = [str(each) for each in kind if (question, each) != ("stack", "none")]
            if text.lower() not in ("", *words):
                raise wrong(question, f"one of {', '.join(map(repr, words))}", text, did_you_mean(text, words))
            setattr(self, question, text.lower() or None)

    def _take_cards(self, text: str) -> None:
        match = re.fullmatch(r"(\d*)(?:\s*[x*, ]\s*(\d+))?", text)
        if match is None or "0" in (match[1], match[2]):
            raise wrong("cards", "two numbers, such as 2 x 3", text)
        self.cards = int(match[1]) if match[1] else None
        self.count = int(match[2]) if match[2] else self.count


def newest_talos() -> str:
    """The newest release of Talos in the tables that is no pre-release."""
    return next(release.newest for minor, release in reversed(talos_releases.TALOS.items()) if minor != talos_releases.PREVIEW)


def _recipe(text: str) -> str:
    """The name of a recipe, or `none`."""
    known = {each.lower(): each for each in recipes()}
    if text.lower() in ("", "none"):
        return "none"
    if text.lower() not in known:
        raise wrong("workload", f"'none' or one of {', '.join(known.values())}", text, did_you_mean(text, known.values()))
    return known[text.lower()]


def _number(argument: str, text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise wrong(argument, "a whole number of at least 1", text)
    return int(text)


class FirstCluster(NamedTuple):
    """The description of a cluster, and a note for each choice in it that no answer made."""

    description: Description
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
        notes.append(
            f"Talos {talos}: the file makes no Talos files, because an image is of one release, and no patch of Talos {talos} is known"
        )
    (node_class,) = nodes_in([nodes])
    needs_operator = node_class.runtime_class is None
    if needs_operator and answers.stack == "standalone":
        hint = "without the operator's toolkit no container gets a GPU there"
        raise wrong("stack", f"'operator' for Talos {talos.minor_version}", answers.stack, hint)
    by_operator = needs_operator or answers.stack == "operator"
    if by_operator and answers.gitops is None:
        notes.append(
            "the GPU operator is a Helm chart, and the file leaves it to Flux in the cluster; --gitops argocd or none is another way"
        )
    if answers.workload is not None:
        _recipe(answers.workload)
    nodes = {**nodes, **_of_the_card(node_class), **_talos(answers, node_class, image)}
    talos_word = nodes.pop("talos_version")
    content: dict[str, Any] = {
        "talos": talos_word,
        "nodes": {nodes.get("name") or UNNAMED: {WORD_OF.get(name, name): value for name, value in nodes.items()}},
        **({} if answers.stack is None else {"stack": answers.stack}),
        **({"gitops": answers.gitops or "flux"} if by_operator or answers.gitops is not None else {}),
    }
    if workloads := _workloads(answers, node_class):
        content["workloads"] = workloads
    _check(content)
    description = Description(content)
    return FirstCluster(description, [*notes, *description.notes])


def _check(content: Mapping[str, Any]) -> None:
    """Refuse a file that synth refuses. No chart is rendered."""
    gitops = {"gitops": "flux"} if content.get("gitops") == Gitops.NONE else {}
    description = Description({**content, **gitops})
    if description.errors:
        raise description.errors[0].error
    try:
        made(description)
    except RefusedError as refused:
        raise refused.error from None


def _workloads(answers: Answers, nodes: GpuNodes) -> dict[str, Any]:
    """The workload that was chosen, and the proof that the nodes run CUDA."""
    if nodes.passthrough is not None:
        return {}
    chosen = [] if answers.workload in (None, "none") else [_recipe(answers.workload or "")]
    proof = [] if nodes.mig_strategy is MigStrategy.MIXED else [_SMOKE_TEST]
    names = {_SMOKE_TEST: "smoke-test"}
    return {
        names.get(each, re.sub("(?<=[a-z])(?=[A-Z])", "-", each).lower()): {"recipe": each} for each in (*proof, *chosen)
    }  # the first pod gets the card first


def _nodes(answers: Answers, known: Mapping[str, Any], image: PresentImage | None) -> dict[str, Any]:
    """The arguments of the class of nodes."""
    if answers.sharing is not None:
        whole_number("sharing", answers.sharing)
    shared = answers.sharing is not None and answers.sharing > 1
    given = {
        "talos_version": answers.talos_version,
        "product": None if answers.card is None else usual_name(answers.card),
        "gpus_per_node": answers.cards,
        "count": answers.count,
        "sharing": {"time_slicing": answers.sharing} if shared else None,
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
