"""The instances of blocks, and what the modules of one root share."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ....yaml.located import Map, Place
from ....yaml.unknown import Unknown
from ..files import Files
from .expressions import Evaluator, Names, Scope
from .syntax import Block, Body


class ModuleOfInstance(Names, Protocol):
    """The module of an instance, as far as its readers need it."""

    tree: Tree
    folder: Path
    depth: int

    def value(self, body: Body, scope: Scope) -> Map:
        """The attributes and blocks of a block as a map."""


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """One instance of a block. Of a block with an unknown `for_each` or `count`, one stands for all."""

    block: Block
    body: Body
    scope: Scope
    address: str
    key: Any = None
    is_one: bool = True
    """Whether there is exactly this one instance."""

    @property
    def module(self) -> ModuleOfInstance:
        """The module of the block."""
        return self.scope.module  # type: ignore[return-value]  # every scope here is of a module


@dataclass(slots=True, eq=False)
class Tree:
    """The modules of one root: what they share."""

    evaluator: Evaluator
    root: Path
    instances: dict[str, Instance] = field(default_factory=dict)
    """The instances that an unknown value may name, by their address."""
    origins: dict[str, Place] = field(default_factory=dict)
    """The file of each text that was read."""
    read: dict[Path, None] = field(default_factory=dict)
    """The files that were read."""

    @property
    def files(self) -> Files:
        """The files of the reading."""
        return self.evaluator.files


_ADDRESS = re.compile(r"\$\{((?:module\.[\w-]+(?:\[[^\]]*\])?\.)*(?:data\.|ephemeral\.)?(?:\w+)\.[\w-]+(?:\[[^\]]*\])?)\.(\w+)\}")


def named_in(value: Any, kind: str, tree: Tree) -> Instance | None:
    """The instance of a resource that an unknown value names."""
    addresses = (match[1] for match in _ADDRESS.finditer(value.text)) if isinstance(value, Unknown) else ()
    found = (tree.instances.get(each) for each in addresses)
    return next((each for each in found if each and each.block.labels[0] == kind), None)
