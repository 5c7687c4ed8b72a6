"""The documentation of parts, values and their arguments, as plain text for editors: the sentences of the
docstrings."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from importlib import resources
from typing import Any

from ..arguments.docstrings import argument_sentences, summary
from ..manifests.workload.settings import WorkloadSettings

_WORKLOAD = "GpuWorkload"
"""The construct that documents the arguments of every workload."""


def summary_of(owner: Any, name: str = "") -> str:
    """The first paragraph about a class, or about the construct of this name; empty where there is none."""
    return next(filter(None, map(summary, [_of_constructs().get(name), owner.__doc__])), "")


def construct_docs(name: str) -> dict[str, str]:
    """The sentences about each argument of a construct that has no class of settings."""
    return argument_sentences(_of_constructs().get(name))


def argument_docs(owner: Any, name: str = "") -> dict[str, str]:
    """The sentences about each argument of a class of settings or values, and of the construct of this name."""
    docs = [_of_constructs().get(name)]
    for each in owner.__mro__:
        docs += [vars(each).get("__doc__"), _of_constructs().get(each.__name__.removesuffix("Settings"))]
    if issubclass(owner, WorkloadSettings):
        docs.append(_of_constructs().get(_WORKLOAD))
    return {argument: words for each in reversed(docs) for argument, words in argument_sentences(each).items()}


@functools.cache
def _of_constructs() -> Mapping[str, str | None]:
    """The docstrings in `constructs/`, by the names of the classes and functions. They are read from the text: an
    import starts Node.

    The command in one file has no constructs, and so none of these docstrings.
    """
    folder = resources.files(__package__.rpartition(".")[0]) / "constructs"
    files = [each for each in folder.iterdir() if each.name.endswith(".py")] if folder.is_dir() else []
    parsed = [node for each in files for node in ast.parse(each.read_text(encoding="utf-8")).body]
    return {node.name: ast.get_docstring(node) for node in parsed if isinstance(node, ast.ClassDef | ast.FunctionDef)}
