"""Commands as they are printed: with the flags of the cluster that was read, and with the names of their subjects for the
placeholders NODE, ADDRESS, NAMESPACE and POD."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from ..arguments.patterns import pattern
from ..observed.model.live_object import LiveObject, internal_address, parsed
from .chain import Chain
from .gpu_cluster import GpuCluster

_WORDS = pattern(r"""'[^']*'|"[^"]*"|(?<!\S)\#.*|(?P<program>(?<![\w./-])(?:kubectl|talosctl)(?=\ ))""", re.VERBOSE)
"""Quoted text and comments, in which no program stands, and the programs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramFlags:
    """The contexts of both programs; where a field is empty, the program takes its current one."""

    context: str = ""
    """The context of kubectl."""
    talosconfig: str = ""
    """The file of talosctl's configuration."""
    talos_context: str = ""
    """The context of talosctl."""

    def of(self, program: str) -> list[str]:
        """The flags of a program, each joined to its value: a value is never read as a flag."""
        if program == "kubectl":
            return [f"--context={self.context}"] if self.context else []
        talosconfig = [f"--talosconfig={self.talosconfig}"] if self.talosconfig else []
        return talosconfig + ([f"--context={self.talos_context}"] if self.talos_context else [])

    def chosen(self, text: str) -> str:
        """The text of a command with the flags behind each of the programs."""
        return "\n".join(_WORDS.sub(self._with_flags, line) for line in text.split("\n"))

    def _with_flags(self, found: re.Match[str]) -> str:
        program = found["program"]
        return " ".join([program, *map(shlex.quote, self.of(program))]) if program else found[0]


_WITHOUT_NAMESPACE = pattern(r"(\bkubectl (?:exec|logs|get pod|describe pod) POD\b)(?![^\n]*(?: -n | --namespace))")
_PLACEHOLDER = pattern(r"\b(?:NODE|ADDRESS|NAMESPACE|POD)\b")
# The names of Kubernetes. Any other text of a dump could be a second command to a shell.
_NAME = pattern(r"[0-9A-Za-z](?:[0-9A-Za-z.-]*[0-9A-Za-z])?")
_LISTED = 8


class Placeholders:
    """The names of the subjects of a cluster's chains."""

    def __init__(self, cluster: GpuCluster, chains: Iterable[Chain]) -> None:
        self._cluster = cluster
        self._chains = {each.subject: each for each in chains}

    @cached_property
    def _pods(self) -> Mapping[str, tuple[str, str]]:
        return {each.title: (each.about.namespace, each.about.name if each.is_made else "") for each in self._cluster.pods}

    def filled(self, command: str, subjects: Iterable[str], about: Iterable[LiveObject] = ()) -> str:
        """The command with every name that all subjects share. The names of the Nodes and Pods that the command is
        about come before those of the subjects."""
        rows, objects = [self._of(each) for each in subjects], [self._of_object(each) for each in about]
        chosen = {key: objects if any(each.get(key) for each in objects) else rows for key in _KEYS}
        shared = {key: values.pop() for key in _KEYS if len(values := {each.get(key, "") for each in chosen[key]}) == 1}
        if "NAMESPACE" in shared:
            command = _WITHOUT_NAMESPACE.sub(r"\1 --namespace NAMESPACE", command)
        return _PLACEHOLDER.sub(lambda found: shared.get(found[0]) or found[0], command)

    def listed(self, command: str, subjects: Iterable[str], about: Iterable[LiveObject] = ()) -> str:
        """The names for the placeholders that are left in a filled command: `ADDRESS: 10.0.0.1, 10.0.0.2`. Empty if
        none is left, or no name is known."""
        left = [key for key in _KEYS if re.search(rf"\b{key}\b", command)]
        names = [*(self._of_object(each) for each in about), *(self._of(each) for each in subjects)]
        rows = list(dict.fromkeys(" ".join(each[key] for key in left) for each in names if all(each.get(key) for key in left)))
        if not left or not rows:
            return ""
        more = f" and {len(rows) - _LISTED} more" if len(rows) > _LISTED + 1 else ""
        return f"{' '.join(left)}: {', '.join(rows[:_LISTED] if more else rows)}{more}"

    def _of_object(self, about: LiveObject) -> Mapping[str, str]:
        """The names of a Node or a Pod by their placeholders."""
        if about.kind == "Node":
            return self._names(node=about.name)
        return self._names(node=str(about.at("spec", "nodeName") or ""), namespace=about.namespace, pod=about.name)

    def _of(self, subject: str) -> Mapping[str, str]:
        """The names of a subject by their placeholders."""
        chain = self._chains.get(subject)
        node = chain.node if chain else ""
        namespace, pod = self._pods.get(subject, ("", "")) if chain and chain.is_of_pod else ("", "")
        return self._names(node=node, namespace=namespace, pod=pod)

    def _names(self, *, node: str, namespace: str = "", pod: str = "") -> Mapping[str, str]:
        """The names by their placeholders, without those that a shell could obey. The address of a machine whose name
        was not read is no name of a node."""
        given = {"NODE": node, "NAMESPACE": namespace, "POD": pod}
        names = {key: value for key, value in given.items() if _NAME.fullmatch(value) and not parsed(value)}
        address = self._address(node)
        return {**names, "ADDRESS": address} if address else names

    def _address(self, name: str) -> str:
        """The address of a node: its internal one, or the one under which talosctl named its machine."""
        node = self._cluster.node(name)
        internal = internal_address(node.node) if node and node.node else ""
        others = sorted(node.machine.names) if node and node.machine else []
        return internal or next(filter(None, map(parsed, others)), "")


_KEYS = ("NODE", "ADDRESS", "NAMESPACE", "POD")
