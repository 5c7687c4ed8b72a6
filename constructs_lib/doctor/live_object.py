"""An object of Kubernetes as the API server printed it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .evidence import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class LiveObject:
    """A live object, and the file that it was read from."""

    body: Mapping[str, Any]
    source: str

    @property
    def kind(self) -> str:
        """The kind."""
        return str(self.body.get("kind", ""))

    @property
    def name(self) -> str:
        """The name."""
        return str(self.at("metadata", "name") or "")

    @property
    def namespace(self) -> str:
        """The namespace; empty for an object of the cluster."""
        return str(self.at("metadata", "namespace") or "")

    @property
    def full_name(self) -> str:
        """`gpu/ollama`, or the bare name of an object of the cluster."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels."""
        return self.mapping("metadata", "labels")

    @property
    def annotations(self) -> Mapping[str, str]:
        """The annotations."""
        return self.mapping("metadata", "annotations")

    def at(self, *path: str | int) -> Any:
        """The value at a path; None where there is none. A dump may be of any shape, so no step fails."""
        value: Any = self.body
        for key in path:
            if type(value) is dict or isinstance(value, Mapping):  # the first test is the fast one
                value = value.get(key)
            elif isinstance(value, list) and isinstance(key, int) and -len(value) <= key < len(value):
                value = value[key]
            else:
                return None
        return value

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
        return Evidence(text=text, source=f"{self.kind} {self.full_name}{f', {field}' if field else ''} ({self.source})")
