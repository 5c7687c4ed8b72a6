"""Recipes: the facts of the programs that people run on a GPU, as arguments of `GpuWorkload`."""

from __future__ import annotations

from ..arguments.public_names import lazy

__getattr__, __dir__ = lazy(__name__, globals())
