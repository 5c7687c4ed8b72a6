"""The labels that `kubectl label namespace` sets in a guide."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from ..kubernetes.located_yaml import Document, Map, Place
from .helm_commands import word_value

_NAMESPACES = ("ns", "namespace", "namespaces")
_WITH_VALUE = ("--context", "--kubeconfig", "--field-manager", "-n", "--namespace", "-l", "--selector", "-o", "--output")


def labelled_namespaces(words: tuple[str, ...], place: Place) -> Iterator[Document]:
    """The Namespaces of a command, each with the labels of the command. Nothing for another command."""
    if not words or PurePosixPath(words[0]).name != "kubectl":
        return
    verb, *others = [*_positional(words[1:])] or [""]
    if verb != "label":
        return
    kind, _, name = others[0].partition("/") if others else ("", "", "")
    labels = {key: word_value(value) for key, equals, value in (each.partition("=") for each in others[1:]) if equals}
    names = [name] if name else [each for each in others[1:] if "=" not in each and not each.endswith("-")]
    if kind in _NAMESPACES and labels:
        shared = Map(labels, dict.fromkeys(labels, place))
        for each in names:
            metadata = Map({"name": word_value(each), "labels": shared}, {"name": place, "labels": place})
            keys = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
            yield Document(Map(keys, dict.fromkeys(keys, place)), place)


def _positional(words: tuple[str, ...]) -> Iterator[str]:
    """The words that are no flags, and no values of flags."""
    pending = iter(words)
    for word in pending:
        if word in _WITH_VALUE:
            next(pending, None)
        elif not word.startswith("-"):
            yield word
