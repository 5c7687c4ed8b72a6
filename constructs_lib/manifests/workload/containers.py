"""The init containers of `GpuWorkload`, and the volumes that its containers mount."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...arguments.errors import NOTHING, wrong
from ...arguments.fields import to_containers
from ...arguments.quantities import check_requests
from ...arguments.spelling import did_you_mean
from ...upstream.nvidia.gpu_resources import is_gpu
from ..gpu_pod import check_devices
from ..objects import plain

# The fields that the API server takes from an init container only where it is a sidecar.
_OF_SIDECARS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")


def to_init_containers(value: Iterable[Mapping[str, Any]], argument: str = "") -> tuple[Mapping[str, Any], ...]:
    """A list of whole init containers in Kubernetes' spelling."""
    containers = to_containers(value, argument)
    names: set[str] = set()
    for index, container in enumerate(containers):
        if container.get("image") is None:
            raise wrong(f"{argument}[{index}.image]", "given", NOTHING, "Kubernetes requires an image of every container of a pod")
        if container["name"] in names:
            raise wrong(f"{argument}[{index}.name]", "unique among the init containers", container["name"])
        names.add(container["name"])
        check_requests(f"{argument}[{index}]", container.get("resources") or {}, f" in '{container['name']}'")
        for field in _OF_SIDECARS:
            if container.get("restartPolicy") != "Always" and container.get(field) is not None:
                hint = "an init container ends before the workload starts; did you mean a sidecar, with 'restartPolicy': 'Always'?"
                raise wrong(f"{argument}[{index}]", f"without '{field}'", plain(container[field]), hint)
    return containers


def check_init_containers(containers: Iterable[Mapping[str, Any]], name: str, gpu: str | None, gpu_rule: str) -> None:
    """Refuse init containers that contradict the workload or its nodes. `gpu_rule` is for other GPUs than `gpu`."""
    for index, container in enumerate(containers):
        place = f"init_containers[{index}"
        if container["name"] == name:
            raise wrong(f"{place}.name]", "another name than that of the workload's container", name)
        check_devices("init_containers", container)
        resources = container.get("resources") or {}
        for section in ("limits", "requests"):
            for key in filter(is_gpu, resources.get(section) or {}):
                if key != gpu:
                    raise wrong(f"{place}.resources.{section}]", gpu_rule, key)


def check_mounts(spec: Mapping[str, Any], given: Iterable[Mapping[str, Any]], volumes: Mapping[str, str], claims: Iterable[str]) -> None:
    """Refuse a mount of a volume that the pod does not have, and two containers of one name.

    `given` holds the init containers of the user; every other mount that is wrong is from `pod_spec`. `volumes` holds
    the names of the workload's volumes by mount path. `claims` holds the names of a StatefulSet's claim templates.
    """
    names = [str(volume.get("name")) for volume in spec.get("volumes") or ()] + list(claims)
    ours = {container["name"]: index for index, container in enumerate(given)}
    seen: set[object] = set()
    for part in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(part) or ()):
            if container.get("name") in seen:
                raise wrong("pod_spec", "without two containers of one name", container["name"], "an init container has this name as well")
            seen.add(container.get("name"))
            from_user = part == "initContainers" and container["name"] in ours
            place = f"init_containers[{ours[container['name']]}" if from_user else f"pod_spec[{part}.{index}"
            for number, mount in enumerate(container.get("volumeMounts") or ()):
                if mount.get("name") not in names:
                    known = ", ".join(f"'{name}' ({path})" for path, name in volumes.items())
                    rule = f"the name of a volume of the workload, {known}" if known else "the name of a volume, and the workload has none"
                    hint = did_you_mean(str(mount.get("name")), names) or "'name' of a volume sets its name"
                    raise wrong(f"{place}.volumeMounts.{number}.name]", rule, mount.get("name"), hint)
