"""Faults in the files of a tree, whatever the cluster is: a kustomization that can't be built, and a text that is no YAML."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .model import Object
from .styles import Style
from .tree import KUSTOMIZATION, Tree

_ABSENT: Object = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "gone", "namespace": "default"},
    "spec": {"replicas": 2},
}


def _missing_resource(body: Object, tree: Tree, folder: str) -> None:
    body["resources"] = [*body.get("resources", []), tree.random.choice(("./pvc.yaml", "missing.yaml", "../missing", "sub/gone.yml"))]


def _missing_patch(body: Object, tree: Tree, folder: str) -> None:
    body["patches"] = [*body.get("patches", []), {"path": "patch.yaml", **tree.random.choice(({}, {"target": {"kind": "Deployment"}}))}]


def _patch_of_nothing(body: Object, tree: Tree, folder: str) -> None:
    key = tree.random.choice(("patches", "patchesStrategicMerge"))
    tree.put(f"{folder}/absent.yaml", _ABSENT)
    body[key] = [*body.get(key, []), {"path": "absent.yaml"} if key == "patches" else "absent.yaml"]


def _missing_component(body: Object, tree: Tree, folder: str) -> None:
    body["components"] = [*body.get("components", []), "../../components/missing"]


def _missing_source(body: Object, tree: Tree, folder: str) -> None:
    key = tree.random.choice(("configMapGenerator", "secretGenerator"))
    source = tree.random.choice(({"files": ["gone.conf"]}, {"envs": ["gone.env"]}))
    body[key] = [*body.get(key, []), {"name": "settings", **source}]


BUILDS: tuple[Callable[[Object, Tree, str], None], ...] = (_missing_resource, _missing_resource, _missing_patch, _patch_of_nothing, _missing_component, _missing_source)  # fmt: skip


def _of_gpus(tree: Tree, paths: list[str]) -> list[str]:
    texts = {path: f"{tree.files[path]}" for path in paths if not isinstance(tree.files[path], str)}
    return [path for path, text in texts.items() if "nvidia" in text and "longhorn" not in text]


def break_build(tree: Tree) -> None:
    """Break a kustomization whose own folder holds a file that names NVIDIA."""
    found = [path for path in sorted(tree.files) if path.endswith(f"/{KUSTOMIZATION}")]
    folders = [path.rpartition("/")[0] for path in found]
    fitting = [each for each in folders if _of_gpus(tree, [path for path in tree.files if path.startswith(f"{each}/")])]
    folder = tree.random.choice(fitting)
    body = _documents(tree, f"{folder}/{KUSTOMIZATION}")[0]
    fault = tree.random.choice(BUILDS)
    if fault is _patch_of_nothing and "helmCharts" in body:  # a chart may make the patched object
        fault = _missing_patch
    fault(body, tree, folder)


def _documents(tree: Tree, path: str) -> list[Any]:
    documents = tree.files[path]
    assert isinstance(documents, list)
    return documents


TEXTS = ("broken: 'quote", "broken: a: b", "\tbroken: tab", "broken: [1, 2", "broken: {a: 1", "- broken\nbroken: 1", "broken: *nowhere")
"""Ends of a text that make it no YAML."""


def break_text(tree: Tree) -> None:
    """Break a file that names NVIDIA, and that a cluster gets or a node is made of."""
    path = tree.random.choice([each for each in _of_gpus(tree, sorted(tree.files)) if not each.endswith(KUSTOMIZATION)])
    text = Style(tree.random, is_block=True).written(_documents(tree, path)).replace("\r\n", "\n")
    tree.files[path] = f"{text}{tree.random.choice(TEXTS)}\n"


BREAKS: dict[str, Callable[[Tree], None]] = {"TG140": break_build, "TG141": break_text}
"""The rules whose fault is planted into the files of a tree, whatever the cluster is."""
