"""The table of all parts, by the names under which users write them: those of the constructs and functions of the
face."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Container
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

from ..arguments.public_names import public_names
from ..manifests.objects import Manifests
from ..recipes.recipe_settings import RecipeSettings
from .app_registry import Place
from .part import Part, id_as_label
from .workload_parts import workload_manifests

_P = ParamSpec("_P")
_S = TypeVar("_S", bound=RecipeSettings)
_SETTINGS = "Settings"

BESIDE_A_WORKLOAD = ("autoscale", "expose", "isolate", "scrape")
"""The parts that are made beside a workload, in its chart."""
_HOMES = {
    "agent_parts": (
        "DcgmExporter",
        "GpuAlerts",
        "GpuClaim",
        "GpuDashboard",
        "NvidiaRuntimeClass",
        "PrivilegedNamespace",
        "StandaloneDevicePlugin",
        "ValidationBridge",
    ),
    "chart_parts": ("DraDriver", "NodeFeatureDiscovery", "NvidiaGpuOperator"),
    "stack_part": ("GpuStack",),
    "workload_parts": ("Companion", "GpuGang", "GpuQuota", "GpuWorkload", "KueueQueue", "OpenWebUI", *BESIDE_A_WORKLOAD),
}
"""The modules of the parts, and the names of the parts in each."""
RECIPE_NAMES = tuple(name for name, home in public_names("constructs_lib.recipes").items() if home == "constructs_lib.constructs.recipes")
"""The names of the recipes."""
PART_NAMES = tuple(sorted([*RECIPE_NAMES, *(name for names in _HOMES.values() for name in names)]))
"""The name of every part."""


@functools.cache
def part_of(name: str) -> Part[Any, Any]:
    """The part of a name. The settings of the recipe `TextEmbeddings` are in recipes/text_embeddings.py."""
    if name in RECIPE_NAMES:
        module = re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()
        return _recipe(getattr(import_module(f"..recipes.{module}", __package__), f"{name}{_SETTINGS}"))
    home = next((home for home, names in _HOMES.items() if name in names), None)
    if home is None:
        raise KeyError(name)
    parts = vars(import_module(f"{__package__}.{home}")).values()
    return next(each for each in parts if isinstance(each, Part) and each.name == name)


def passed_on(part: Part[Any, Any]) -> dict[str, Container[str]]:
    """The names of the arguments that a part passes on, by the argument that is their mapping."""
    from .argument_types import arguments_of  # deferred: only an error needs it

    return {argument: arguments_of(part_of(name).settings) for argument, name in part.passed_on.items()}


def recipe_part(settings: Callable[_P, _S]) -> Part[_P, _S]:
    """The part of a recipe, by its class of settings: it takes the arguments of these settings, and every argument of
    `GpuWorkload`. A class has one part."""
    part: Part[_P, _S] = _recipe(settings)
    return part


@functools.cache
def _recipe(settings: type[RecipeSettings]) -> Part[Any, Any]:
    needs = {"nodes": "a recipe runs on a class of GPU nodes", **settings.needs}
    return Part(settings.__name__.removesuffix(_SETTINGS), settings, _manifests, defaults={"name": id_as_label}, needs=needs)


def _manifests(place: Place, settings: RecipeSettings) -> Manifests:
    return {**workload_manifests(place, settings), **settings.beside()}
