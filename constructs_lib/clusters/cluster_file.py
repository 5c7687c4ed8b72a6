"""The cluster file: its clusters, each with what all of them have in common, and the lines of its keys."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..arguments.errors import wrong, wrong_kind
from ..arguments.names import dns_label
from ..arguments.plain_values import mapping
from ..yaml.load import YamlError, handwritten, place_of_error, problem_of
from ..yaml.located import Document, depth_of, place_of
from .description import Description
from .file_values import FileError, Path, check_keys, placed

OF_A_CLUSTER = ("name", "talos", "nodes", "stack", "gitops", "control_plane", "workloads", "charts")
"""The keys of a cluster; in `clusters`, each without its `name`."""
KEYS = (*OF_A_CLUSTER, "clusters", "delivery")
"""The keys of the file."""
_SUFFIX = r"(?i)\.(ya?ml|json)\Z"
LARGEST = 1_000_000
"""The most values of a file, once its aliases are expanded: those of a large fleet."""


@dataclass(frozen=True)
class ClusterFile:
    """A file that was read: its path, for errors, and its text."""

    path: str
    text: str

    def clusters(self, content: Mapping[str, Any] | None = None) -> Iterator[tuple[str, Description]]:
        """The name and the description of each cluster. `content` is the content of the file, where it was read
        already."""
        content = self.content() if content is None else content
        common = {key: value for key, value in content.items() if key in OF_A_CLUSTER and key != "name"}
        if "clusters" not in content:
            yield self.name(content), Description(common)
            return
        if "name" in content:
            raise FileError(
                ("name",), wrong("name", "left out of a file with 'clusters'", content["name"], "each key of 'clusters' is a name")
            )
        from .cluster_overrides import overridden  # a file with one cluster has no overrides

        clusters = placed(("clusters",), mapping, "clusters", content["clusters"])
        if not clusters:
            raise FileError(("clusters",), wrong("clusters", "a mapping of names to what differs", clusters))
        for name, own in clusters.items():
            path: Path = ("clusters", name)
            given = {} if own is None else placed(path, mapping, "clusters", own)
            check_keys("a cluster", given, OF_A_CLUSTER[1:], path)
            yield placed(path, dns_label, "name", name), Description(overridden(common, given))

    def name(self, content: Mapping[str, Any]) -> str:
        """The name of the only cluster: that of the file, if the file gives no other."""
        name = content["name"] if "name" in content else re.sub(_SUFFIX, "", re.split(r"[/\\]", self.path)[-1])
        checked: str = placed(("name",), dns_label, "name", name)
        return checked

    def content(self) -> Mapping[str, Any]:
        """The content of the file, with the keys that a cluster file has."""
        contents = [each.value for each in self._documents()]
        if len(contents) != 1 or not isinstance(contents[0], Mapping):
            rule = "one document with the keys " + ", ".join(f"'{key}'" for key in KEYS)
            # No value is quoted: the file may be another one, with secrets.
            got = f"{len(contents)} documents" if len(contents) != 1 else "list" if isinstance(contents[0], list) else "one value"
            raise FileError((), wrong_kind("cluster", rule, got, "see talos-gpu synth --help"))
        content: Mapping[str, Any] = placed((), mapping, "cluster", contents[0])
        check_keys("a cluster file", content, KEYS, ())
        return content

    def line(self, path: Path, cluster: str | None = None) -> int:
        """The line of a key, or of the nearest key above it. What a cluster says itself counts before what all clusters
        have in common.
        """
        if not path or (len(path) == 1 and isinstance(path[0], int)):  # the text may be no YAML
            return int(path[0]) + 1 if path else 1
        common, depth = self._nearest(path)
        if cluster is not None:
            own, own_depth = self._nearest(("clusters", cluster, *path))
            return own if own_depth - 2 >= depth else common
        return common

    def _nearest(self, path: Path) -> tuple[int, int]:
        """The line of the deepest key of a path that the file has, and the number of its keys."""
        document = self._documents()[0]
        depth = depth_of(document.value, path)
        return (place_of(document.value, path, document.place)[1] if depth else 1), depth

    def _documents(self) -> list[Document]:
        try:
            return _read(self.text)
        except YamlError as error:
            raise FileError((place_of_error(error)[0] - 1,), ValueError(problem_of(error))) from None


@functools.lru_cache(1)
def _read(text: str) -> list[Document]:
    return handwritten(text, LARGEST)
