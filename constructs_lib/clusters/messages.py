"""The errors and warnings of clusters, with their places in the cluster file. A message that several clusters have in
common is shown once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ..arguments.in_yaml import in_yaml
from .cluster_file import ClusterFile
from .file_values import FileError

_NAMED = 3
"""The clusters of a shared message that are named."""


@dataclass(frozen=True)
class Message:
    """An error or a warning: `cluster.yaml:12: charts.ollama.objects.ollama: 'gpus' must be …`."""

    words: str
    place: str = ""
    """The line in the cluster file; empty for a message about no line."""
    cluster: str = field(default="", compare=False)
    """The cluster, where the file has several."""

    def __str__(self) -> str:
        named = f"[{self.cluster}]" if self.cluster and self.place else ""
        return " ".join(filter(None, [self.place, named, self.words]))


def message_of(file: ClusterFile, error: FileError, cluster: str = "") -> Message:
    """An error with its line."""
    is_line = not error.path or (len(error.path) == 1 and isinstance(error.path[0], int))
    argument = "" if is_line else getattr(error.error, "argument", "")
    inner = tuple(filter(None, argument.replace("]", "").split("[")))
    names_its_place = argument.startswith("nodes.") or argument == "talos" or error.path in (("nodes",), ("talos",))
    path = error.path if names_its_place else (*error.path, *inner)
    line = file.line(path, cluster)
    shown = () if is_line or names_its_place else error.path[: 4 if error.path[:1] == ("charts",) else 2]
    said = in_yaml(error.error)
    words = f"{'.'.join(map(str, shown))}: {said}" if shown else said
    return Message(words, f"{file.path}:{line}:", cluster)


def messages_of(file: ClusterFile, errors: Iterable[FileError], cluster: str = "") -> tuple[Message, ...]:
    """Errors with their lines, each once."""
    return tuple(dict.fromkeys(message_of(file, each, cluster) for each in errors))


class SharedMessages:
    """The messages of a run, in the order in which they came, each with the number of its clusters and the names of the
    first."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Message], tuple[int, tuple[str, ...]]] = {}

    def add(self, messages: Iterable[Message], prefix: str = "") -> None:
        """Add the messages of a cluster."""
        for each in messages:
            number, names = self._found.get((prefix, each), (0, ()))
            self._found[prefix, each] = number + 1, (*names, each.cluster)[:_NAMED]

    def lines(self) -> Iterator[str]:
        """A line for each message."""
        for (prefix, message), (number, names) in self._found.items():
            if number == 1:
                yield f"{prefix}{message}"
            else:
                more = ", …" if number > len(names) else ""
                yield f"{prefix}{Message(message.words, message.place)} (in {number:,} clusters: {', '.join(names)}{more})"
