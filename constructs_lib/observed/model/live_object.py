"""An object of Kubernetes as the API server printed it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...yaml.unknown import known_str
from .evidence import Evidence
from .input_kinds import KubernetesObject, no_place


class LiveObject(KubernetesObject):
    """A live object with its status: every value is known, and an object of the cluster has the namespace `""`."""

    __slots__ = ()
    name: str
    namespace: str

    def __init__(self, body: Mapping[str, Any], source: str) -> None:
        """Keep a body, and the file that it was read from."""
        assign = object.__setattr__  # as in the frozen class above
        assign(self, "body", body)
        assign(self, "file", source)
        assign(self, "place_at", no_place)
        self.__post_init__()
        assign(self, "namespace", known_str(self.at("metadata", "namespace")) or "")

    @property
    def source(self) -> str:
        """The file that the object was read from."""
        return self.file

    @property
    def label(self) -> str:
        """The name in reports: `Pod gpu/ollama`."""
        return f"{self.kind} {self.full_name}"

    @property
    def full_name(self) -> str:
        """`gpu/ollama`, or the bare name of an object of the cluster."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    def mapping(self, *path: str | int) -> Mapping[str, Any]:
        """The mapping at a path; empty where there is none."""
        value = self.at(*path)
        return value if isinstance(value, Mapping) else {}

    def mappings(self, *path: str | int) -> list[Mapping[str, Any]]:
        """The mappings in the list at a path; empty where there is none."""
        value = self.at(*path)
        return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []

    def evidence(self, text: str, field: str = "") -> Evidence:
        """A line about the object, with its field: `Pod gpu/ollama, status.conditions (cluster.json)`."""
        return Evidence(text=text, source=f"{self.label}{f', {field}' if field else ''} ({self.source})")
