"""The deployers of each object of the GPU stack: an object that two deployers of one cluster apply has two owners."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import PurePath

from ..model import SharedObject, at, equals, is_given, known_str
from .argo import applications as argo
from .flux import releases as flux
from .flux.resource_sets import is_resource_set
from .kubernetes.located_yaml import Document
from .kubernetes.objects import lines

_KINDS = ("RuntimeClass", "HelmRelease", "DaemonSet", "ConfigMap", "ClusterPolicy")
_OF_GPUS = re.compile(r"nvidia|gpu|dcgm")


class Owners:
    """The first deployer of each object, by the deployer's own parent: two parents may be of two clusters."""

    def __init__(self) -> None:
        self._first: dict[object, Document] = {}

    def shared(self, objects: Iterable[Document], deployer: Document, parent: object) -> list[SharedObject]:
        """The objects that another deployer with the same parent applies, too. Deployers at the top are of one cluster in one folder."""
        if not _applies_here(deployer):
            return []
        scope = (parent or PurePath(deployer.place[0]).parent, repr(at(deployer.value, "spec", "destination")))
        result = []
        for each in objects:
            if known_str(at(each.value, "kind")) in _KINDS and _is_of_gpus(each):
                name = tuple(repr(at(each.value, *path)) for path in (("kind",), ("metadata", "namespace"), ("metadata", "name")))
                first = self._first.setdefault((scope, name), deployer)
                if _name(first) != _name(deployer):
                    names = (_name(first), _name(deployer))
                    result.append(SharedObject(body=each.value, deployers=names, **lines(each.value, each.place)))
        return result


def _applies_here(deployer: Document) -> bool:
    """Whether a deployer applies its objects itself, and to the cluster that its parent is applied to."""
    body = deployer.value
    if flux.is_kustomization(body):
        return equals(at(body, "spec", "suspend"), True).is_no and not is_given(at(body, "spec", "kubeConfig"))
    return argo.is_application(body) or is_resource_set(body)


def _is_of_gpus(each: Document) -> bool:
    name = at(each.value, "metadata", "name")
    return isinstance(name, str) and _OF_GPUS.search(name) is not None


def _name(deployer: Document) -> str:
    return f"{at(deployer.value, 'kind')} {at(deployer.value, 'metadata', 'name')}"
