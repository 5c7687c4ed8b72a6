"""Public names: those of a package stand once, in its stub `__init__.pyi`, which type checkers and editors read too. A
name is imported on first use (PEP 562), so a program without cdk8s constructs never starts Node.

The convention is Scientific Python's SPEC 1: https://scientific-python.org/specs/spec-0001/
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any

PACKAGES = ("constructs_lib", "constructs_lib.recipes", "constructs_lib.talos", "constructs_lib.monitoring")
"""The packages with public names."""


@cache
def public_names(package: str) -> dict[str, str]:
    """The public names of a package, each with its module. A line of the stub is `from .module import Name as Name`."""
    from pkgutil import get_data  # deferred: reads from a folder and from an archive

    lines = (line.split() for line in (get_data(package, "__init__.pyi") or b"").decode().splitlines())
    return {name: _absolute(module, package) for _, module, _, name, _, _ in lines}


def _absolute(module: str, package: str) -> str:
    """The module of a relative import in a package."""
    name = module.lstrip(".")
    levels = len(module) - len(name) - 1
    return f"{package.rsplit('.', levels)[0]}.{name}"


def package_of(name: str) -> str:
    """The package from which users import a public name."""
    return next(package for package in PACKAGES if name in public_names(package))


def lazy(package: str, names: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package with public names; `names` are its globals."""

    def get(name: str) -> Any:
        if name == "__all__":
            return sorted(public_names(package))
        if f"{package}.{name}" in PACKAGES:
            return import_module(f"{package}.{name}")
        # Python asks for such names of every package, at its import too.
        home = None if name.startswith("__") else public_names(package).get(name)
        if home is None:
            msg = f"module '{package}' has no attribute '{name}'"
            raise AttributeError(msg)
        value = names[name] = getattr(import_module(home), name)
        return value

    return get, lambda: sorted(public_names(package))
