"""The answers to the questions of `talos-gpu init`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..arguments.errors import wrong
from ..arguments.spelling import did_you_mean
from ..clusters.argument_types import arguments_of
from ..clusters.description import Gitops, Stack
from ..clusters.part_table import RECIPE_NAMES, part_of
from ..nodes.nodes_file import nodes_in
from ..nodes.talos_version import TalosVersion
from ..upstream.nvidia.written_cards import pasted_name, usual_names
from ..upstream.talos import releases as talos_releases
from .present_nodes import Present

SMOKE_TEST = "CudaSmokeTest"


def recipes() -> list[str]:
    """The recipes that run without an answer of their own."""
    return [name for name in RECIPE_NAMES if name != SMOKE_TEST and not _needs(name)]


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

    def has(self, question: str, present: Present) -> bool:
        """Whether a question has its answer."""
        if question == "gitops" and not self._needs_chart(present):
            return True
        argument = {"card": "product", "cards": "gpus_per_node"}.get(question, question)
        return getattr(self, question) is not None or present.states(argument)

    def _needs_chart(self, present: Present) -> bool:
        """Whether the stack is a Helm chart."""
        talos = TalosVersion.parse("talos_version", self.talos_version or present.classes[0].arguments["talos_version"])
        return (self.stack or present.stack) == Stack.OPERATOR or not talos.needs.by_class

    @property
    def products(self) -> list[str]:
        """The cards, one for each that was written or pasted."""
        if self.card is None:
            return []
        names = usual_names(self.card)
        if not names and self.card.strip():
            raise wrong("product", "the name of a card", self.card)
        return names or [self.card]

    @property
    def is_one_machine(self) -> bool:
        """Whether the cards are those of one machine: a program listed them, or there is one node."""
        return self.count == 1 or (self.card is not None and any(map(pasted_name, self.card.splitlines())))

    def take_more_cards(self, line: str) -> bool:
        """Take a further line of a pasted list of cards; false for another line."""
        if self.card is None or not pasted_name(self.card) or not pasted_name(line):
            return False
        self.card += f"\n{line}"
        return True

    def take(self, question: str, text: str) -> None:
        """Take an answer from a terminal. Raises an error for a wrong one."""
        if question == "talos_version":
            nodes_in([{"talos_version": text or newest_talos()}])
            self.talos_version = text or newest_talos()
        elif question == "card":
            for card in usual_names(text):
                nodes_in([{"talos_version": self.talos_version or "1.14", "product": card}])
            self.card = text or None
        elif question == "cards":
            self._take_cards(text)
        elif question == "sharing":
            self.sharing = _number("sharing", text) if text else 1
        elif question == "workload":
            self.workload = recipe_named(text)
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


def recipe_named(text: str) -> str:
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
