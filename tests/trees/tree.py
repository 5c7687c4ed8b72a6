"""A tree of files: what a layout puts at a path, and the text that a style makes of it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from .model import Object
from .styles import Style

KUSTOMIZATION = "kustomization.yaml"


class Tree:
    """The files of one repository: a text, or documents."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.files: dict[str, str | list[Any]] = {}

    def put(self, path: str, *documents: Any) -> None:
        """Add documents to a file."""
        found = self.files.setdefault(path, [])
        assert isinstance(found, list), path
        found += documents

    def text(self, path: str, text: str) -> None:
        """Add a file as it is."""
        self.files[path] = text

    def spread(self, folder: str, objects: list[Object]) -> list[str]:
        """Put objects into one file or several of a folder; the names of the files."""
        if not objects:
            return []
        objects = list(objects)
        self.random.shuffle(objects)
        together = self.random.choice((True, False)) or len(objects) == 1
        names = []
        for each in objects:
            kind, name = each["kind"].lower(), each["metadata"]["name"]
            file = f"{objects[0]['metadata']['name']}.yaml" if together else f"{kind}-{name}.yaml"
            self.put(f"{folder}/{file}", each)
            names.append(file)
        return list(dict.fromkeys(names))

    def kustomization(self, folder: str, resources: list[str], **fields: Any) -> None:
        """Put a kustomization into a folder."""
        body: Object = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
        body |= {"resources": resources} if resources else {}
        self.put(f"{folder}/{KUSTOMIZATION}", {**body, **fields})

    def texts(self) -> dict[str, str]:
        """The text of each file."""
        return {path: each if isinstance(each, str) else Style(self.random).written(each) for path, each in self.files.items()}

    def write(self, root: Path) -> Path:
        """The folder with all files."""
        made: set[Path] = set()
        for path, text in self.texts().items():
            file = root / path
            if file.parent not in made:
                file.parent.mkdir(parents=True, exist_ok=True)
                made.add(file.parent)
            file.write_bytes(text.encode())
        return root
