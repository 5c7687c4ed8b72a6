"""A double of the rehearsal's own `Cluster`: it takes objects, and shows the ones that a test gives; and the options of a command line."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

from constructs_lib.cli import command as cli
from talos_gpu_rehearsal.namespaces import NamespaceError


def options_of(*words):
    """The options of words of the command, as the command reads them."""
    return cli._parser(("rehearse",)).parse_args(["rehearse", *map(str, words)])


class FakeCluster:
    """A cluster whose objects a test gives, by kind. `refuse` gives the words with which an object is refused."""

    def __init__(
        self,
        objects: Mapping[str, list[dict[str, Any]]] | None = None,
        logs: Mapping[str, str] | None = None,
        refuse: Callable[[Mapping[str, Any]], str] = lambda _: "",
    ) -> None:
        self.objects = dict(objects or {})
        self.logs = dict(logs or {})
        self.refuse = refuse
        self.applied: list[Mapping[str, Any]] = []
        self.commands: list[tuple[str, ...]] = []
        self.folders: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.commands.append(("end",))

    def kubectl(self, *words: str) -> str:
        self.commands.append(words)
        if words[0] == "logs":
            return self.logs.get(f"{words[2]}/{words[3]} {words[5]}", "")
        return ""

    def apply(self, objects: Sequence[Mapping[str, Any]]) -> None:
        for each in objects:
            if words := self.refuse(each):
                raise NamespaceError(words)
        self.applied += objects

    def make_folders(self, paths: Iterable[str]) -> None:
        self.folders += paths

    def list(self, kind: str, namespace: str | None = None) -> list[dict[str, Any]]:
        return [each for each in self.objects.get(kind, []) if namespace in (None, each["metadata"].get("namespace"))]


def pod(
    name: str, phase: str = "Running", *, namespace: str = "ai", node: str = "gpu-1", containers=(), conditions=None, **more
) -> dict[str, Any]:
    """A pod as the API server has it. `containers` are pairs of a spec and a status."""
    ready = [{"type": "Ready", "status": "True" if phase == "Running" else "False"}]
    status = {
        "phase": phase,
        "conditions": ready if conditions is None else conditions,
        "containerStatuses": [each for _, each in containers],
    }
    metadata = {"name": name, "namespace": namespace, "labels": more.pop("labels", {})}
    return {"metadata": metadata, "spec": {"nodeName": node, "containers": [each for each, _ in containers]}, "status": status | more}
