"""The rules. Each `Rule` of a module in the folders below is in the table; an id belongs to one rule forever, also
after the rule is gone."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ..rule import Rule


def _modules(package: str) -> list[str]:
    """The names of the modules of a package, from a folder or from an archive; a name with an underscore is a helper of
    rules."""
    return [f"{package}.{each.name}" for each in iter_modules(import_module(package).__path__) if not each.name.startswith("_")]


RULES: dict[str, Rule] = {
    each.id: each
    for each in sorted(
        (
            rule
            for folder in _modules(__name__)
            for module in _modules(folder)
            for rule in vars(import_module(module)).values()
            if isinstance(rule, Rule)
        ),
        key=lambda rule: rule.id,
    )
}
"""Every rule by its id. Two rules of one id would hide each other; a test counts them."""
