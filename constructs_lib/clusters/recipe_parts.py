"""The parts of the recipes. Each takes the arguments of its settings in `recipes/`, and every argument of
`GpuWorkload`."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
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

RECIPE_NAMES = tuple(name for name, home in public_names("constructs_lib.recipes").items() if home == "constructs_lib.constructs.recipes")
"""The names of the recipes."""


def _manifests(place: Place, settings: RecipeSettings) -> Manifests:
    return {**workload_manifests(place, settings), **settings.beside()}


def recipe_part(settings: Callable[_P, _S]) -> Part[_P, _S]:
    """The part of a recipe, by its class of settings. A class has one part."""
    part: Part[_P, _S] = _part(settings)
    return part


@functools.cache
def _part(settings: type[RecipeSettings]) -> Part[Any, Any]:
    needs = {"nodes": "a recipe runs on a class of GPU nodes", **settings.needs}
    return Part(settings.__name__.removesuffix(_SETTINGS), settings, _manifests, defaults={"name": id_as_label}, needs=needs)


def recipe_part_of(name: str) -> Part[Any, Any]:
    """The part of a recipe, by its name: the settings of `TextEmbeddings` are in recipes/text_embeddings.py."""
    module = re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower()
    return _part(getattr(import_module(f"..recipes.{module}", __package__), f"{name}{_SETTINGS}"))
