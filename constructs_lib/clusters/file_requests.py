"""The part `request_gpus` of a cluster file: a workload of Kubernetes, and the GPUs of its containers."""

from __future__ import annotations

from typing import Any

from ..arguments.errors import NOTHING, wrong, wrong_kind
from ..arguments.keywords import check_keywords, check_required
from ..arguments.plain_values import mapping
from ..manifests.foreign.gpu_requests import GpuRequest
from ..manifests.objects import Manifest
from ..upstream.kubernetes.api import POD_TEMPLATES
from .file_chart import kubernetes_object
from .file_values import FileError, Path, placed

REQUEST_GPUS = "request_gpus"
"""The word for an object of Kubernetes whose pods get GPUs."""
CONTAINERS = "containers"
"""The key of the requests of several containers, by their names."""
OF_A_CONTAINER = tuple(name for name in GpuRequest._fields if name not in ("nodes", "container"))
"""The keys of the request of a container."""
KEYS = ("workload", *GpuRequest._fields, CONTAINERS)
"""The keys of `request_gpus`."""


def request_fields(given: object, path: Path) -> tuple[dict[str, Any], Manifest]:
    """The keys of a request, and its workload."""
    fields = mapping(REQUEST_GPUS, given)
    check_keywords(REQUEST_GPUS, KEYS, fields)
    check_required(REQUEST_GPUS, ("workload",), fields, {})
    workload = kubernetes_object("workload", fields["workload"])
    if workload["kind"] not in POD_TEMPLATES:
        kinds = ", ".join(f"'{kind}'" for kind in POD_TEMPLATES)
        raise FileError((*path, "workload"), wrong("workload", f"of one of the kinds {kinds}", workload["kind"]))
    return fields, workload


def container_requests(fields: dict[str, Any], path: Path) -> list[dict[str, Any]]:
    """The arguments of `request_gpus` for each container, without the nodes."""
    of_one = {name: fields[name] for name in ("container", *OF_A_CONTAINER) if name in fields}
    if CONTAINERS not in fields:
        return [of_one]
    place = (*path, CONTAINERS)
    if of_one:
        name, value = next(iter(of_one.items()))
        raise wrong(name, f"left out beside '{CONTAINERS}'", value, f"give '{name}' to each container" if name in OF_A_CONTAINER else "")
    containers = placed(
        place, mapping, CONTAINERS, fields[CONTAINERS], "a mapping of the containers' names to 'gpus', 'profile' and 'claim'"
    )
    if not containers:
        raise FileError(place, wrong_kind(CONTAINERS, "at least one container with GPUs", NOTHING))
    requests = []
    for name, own in containers.items():
        arguments = {} if own is None else placed((*place, name), mapping, name, own)
        placed((*place, name), check_keywords, f"a container of {REQUEST_GPUS}", OF_A_CONTAINER, arguments)
        requests.append({"container": name, **arguments})
    return requests
