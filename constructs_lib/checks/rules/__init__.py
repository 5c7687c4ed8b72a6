"""The rules, by what they judge. A module has a tuple `RULES`; the ids are never given twice, and never to another rule again."""

from __future__ import annotations

from types import ModuleType

from ..rule import Rule

MODULES: tuple[ModuleType, ...] = ()

RULES: dict[str, Rule] = {rule.id: rule for module in MODULES for rule in module.RULES}
