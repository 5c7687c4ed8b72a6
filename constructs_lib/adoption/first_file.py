"""The first cluster file of a cluster, from the answers to five questions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from .._arguments.errors import NOTHING, wrong, wrong_kind
from .._arguments.plain_values import whole_number
from ..nodes.nodes_file import nodes_in
from ..nodes.talos_version import TalosVersion
from ..upstream.npm_yaml import stream
from .trial import composed

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
            nodes = {"talos_version": self.talos_version or "1.14", **({"product": text} if text else {})}
            nodes_in([{**nodes, **_for_the_card(nodes)}])
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
            raise wrong("stack", "one of 'standalone', 'operator', 'operator flux', 'operator argocd'", text)
        self.stack = stack or "standalone"
        self.delivery = delivery.strip() or self.delivery


def _number(argument: str, text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise wrong(argument, "a whole number of at least 1", text)
    return int(text)


def _for_the_card(nodes: Mapping[str, Any]) -> dict[str, str]:
    """The kernel modules and the driver that the card of a class needs, but for what is given."""
    if "product" not in nodes:
        return {}
    from ..nodes.card_matrix import driver_arguments  # only a card needs the table

    needed = driver_arguments(nodes["product"], TalosVersion.parse("talos_version", nodes["talos_version"]))
    return {name: value for name, value in needed.items() if name not in nodes}


class FirstFile(NamedTuple):
    """The text of a cluster file, and the arguments in it that nobody has given, because the card needs them."""

    text: str
    for_the_card: Mapping[str, str]


def first_file(answers: Answers, known: Mapping[str, Any]) -> FirstFile:
    """The first cluster file. `known` are the arguments of the class of nodes that were read elsewhere; answers come before."""
    if answers.talos_version is None and "talos_version" not in known:
        raise wrong_kind("talos_version", "given", NOTHING, "no terminal answers the question")
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
    given_nodes = {**known, **{name: value for name, value in given.items() if value is not None}}
    for_the_card = _for_the_card(given_nodes)
    nodes = {**given_nodes, **for_the_card}
    (node_class,) = nodes_in([nodes])
    delivery = {"delivery": _DELIVERIES[answers.delivery or "flux"]}
    by_operator = answers.stack == "operator" or node_class.runtime_class is None
    stack: dict[str, Any] = {"operator": by_operator, **delivery, "monitoring": False}
    description = {
        "nodes": nodes,
        "charts": {"gpu": {"objects": {"stack": {"GpuStack": stack}}}},
        **({} if node_class.talos_version.patch is None else {"talos": {}}),
    }
    if errors := composed(description).errors:
        raise errors[0].error
    return FirstFile(stream([description]), for_the_card)
