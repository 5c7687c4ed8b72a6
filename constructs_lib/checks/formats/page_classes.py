"""The nodes on a cluster's page as its cluster file names them: their keys, their names in Kubernetes, and their
addresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...arguments.commands import Command, command
from ...nodes.file_classes import FileClass
from ...nodes.gpu_nodes import GpuNodes
from ...observed.usage.usage_rows import name_of
from .markdown_text import code

ADDRESS, NODE = "ADDRESS", "NODE"
"""What stands in a command for an address, or a name, that no file says."""
CLASS = "CLASS"
"""What stands in a command for one of several classes."""


@dataclass(frozen=True)
class PageClasses:
    """The classes of a cluster file; none for a page of other files."""

    classes: Sequence[FileClass] = ()
    file: str = ""
    """The name of the file, where the page is of what `synth` writes from it."""
    cluster: str = ""
    """The name of the cluster, in a file with several."""

    def of(self, nodes: GpuNodes) -> FileClass | None:
        """The class of these nodes."""
        return next((each for each in self.classes if each.name == nodes.name), None)

    def of_file(self, file: str, end: str) -> FileClass | None:
        """The class whose Talos file this is, such as `talos/rtx-schematic.yaml`."""
        return next((each for each in self.classes if is_of_class(file, each.name, end)), None)

    def flags(self, given: FileClass | None) -> list[str]:
        """The flags that name a class to a command, where the file has several."""
        name = "/".join(filter(None, [self.cluster, given.keys[0] if given is not None and len(self.classes) > 1 else ""]))
        return ["--class", name] if name else []

    def flags_of_any(self, given: Sequence[FileClass | None]) -> tuple[list[str], str]:
        """The flags that name one of these classes to a command, and the words about the choice."""
        found = [each for each in given if each is not None]
        if not found[1:]:
            return self.flags(next(iter(found), None)), ""
        flags = ["--class", "/".join(filter(None, [self.cluster, CLASS]))]
        return flags, f"; {CLASS} is {' or '.join(code(each.keys[0]) for each in found)}"

    def label(self, nodes: GpuNodes) -> str:
        """The name of the class, else the keys of its nodes."""
        found = self.of(nodes)
        return name_of(nodes) if found is None or nodes.name else ", ".join(found.keys)


def is_of_class(file: str, name: str | None, end: str) -> bool:
    """Whether this is the Talos file of the class with this name."""
    return file.rpartition("/")[2] == (f"{name}-{end}" if name else end)


def addresses_of(given: FileClass | None) -> tuple[str, ...]:
    """The addresses of a class for commands, one after the other."""
    return (given.addresses if given is not None else ()) or (ADDRESS,)


def on_all(given: FileClass | None, words: str) -> Command:
    """A command of talosctl that takes several nodes at once."""
    return command("talosctl --nodes {addresses} {*words}", addresses=",".join(addresses_of(given)), words=words.split())


def on_each(given: FileClass | None, words: str) -> Command:
    """A command of talosctl that takes one node: `read` refuses several (siderolabs/talos cmd/talosctl/cmd/talos/read.go)."""
    addresses = addresses_of(given)
    if len(addresses) == 1:
        return on_all(given, words)
    return command('for address in {*addresses}; do talosctl --nodes "$address" {*words}; done', addresses=addresses, words=words.split())


def names_of(given: FileClass | None) -> tuple[str, ...]:
    """The names of the nodes for commands: the keys, where each is a node with its address."""
    return (given.node_names if given is not None else ()) or (NODE,)


def nodes_at(given: FileClass | None) -> Iterator[str]:
    """The nodes of a class with their addresses: `gpu-1 (192.168.1.21)`."""
    if given is not None and given.node_names:
        yield from (f"{name} ({address})" for name, address in zip(given.node_names, given.addresses, strict=True))
    elif given is not None:
        yield from given.addresses
