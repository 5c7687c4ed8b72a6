"""The arguments of a GPU workload, from its objects: what `GpuWorkload` makes of them is compared with the tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..clusters.file_requests import CONTAINERS
from ..manifests.foreign.gpu_requests import pod_template
from ..manifests.workload.settings import NAME_LABEL
from ..nodes.gpu_nodes import CLASS_LABEL
from ..observed.model import at
from ..upstream.kubernetes.api import POD_TEMPLATES
from ..upstream.nvidia.gpu_resources import is_gpu
from .plain_objects import PlainObject

_PROBES = {"startupProbe": "startup_probe", "livenessProbe": "liveness_probe", "readinessProbe": "readiness_probe"}


def gpus_of(template: Mapping[str, Any]) -> list[tuple[str, str, int]]:
    """The containers with GPUs: each with the resource and the number."""
    return [
        (str(container.get("name")), resource, int(number))
        for container in at(template, "spec", "containers") or ()
        for resource, number in (at(container, "resources", "limits") or {}).items()
        if is_gpu(resource) and str(number).isdigit() and int(number)
    ]


def class_of(template: Mapping[str, Any], classes: list[dict[str, Any]]) -> str | None:
    """The name of the class of nodes on which the pods run; None for the only class, and for an unknown one."""
    if len(classes) == 1:
        return None
    labels = at(template, "metadata", "labels") or {}
    selector = at(template, "spec", "nodeSelector") or {}
    named = [each["name"] for each in classes if each["name"] == labels.get(CLASS_LABEL)]
    selected = [each["name"] for each in classes if each.get("labels") and each["labels"].items() <= selector.items()]
    return str(next(iter(named or selected), classes[0]["name"]))


def requested(workload: PlainObject, classes: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The arguments of `request_gpus` for a workload with GPUs of one kind in each container; None for any other object."""
    if workload.kind not in POD_TEMPLATES:
        return None
    template = pod_template(workload.body)
    gpus = gpus_of(template)
    numbers = {container: {} if number == 1 else {"gpus": number} for container, _, number in gpus}
    if not gpus or len(numbers) < len(gpus):
        return None
    name = class_of(template, classes)
    (first, request), *others = numbers.items()
    is_only = len(at(template, "spec", "containers")) == 1
    return {
        **({} if name is None else {"nodes": name}),
        **({CONTAINERS: numbers} if others else {**request, **({} if is_only else {"container": first})}),
        "workload": workload.body,
    }


def workload_arguments(
    workload: PlainObject, beside: Mapping[tuple[str, str], PlainObject], classes: list[dict[str, Any]]
) -> dict[str, Any] | None:
    """The arguments of `GpuWorkload` that the objects have; None for a shape that the construct never makes."""
    if workload.kind not in ("Deployment", "StatefulSet", "Job", "CronJob"):
        return None
    template = pod_template(workload.body)
    spec, containers = at(template, "spec") or {}, at(template, "spec", "containers") or []
    labels = dict(at(workload.body, "metadata", "labels") or {})
    if len(containers) != 1 or not gpus_of(template) or labels.pop(NAME_LABEL, None) != containers[0].get("name"):
        return None
    container = containers[0]
    _, _, gpus = gpus_of(template)[0]
    mounts = container.get("volumeMounts") or []
    sources = {volume.get("name"): volume for volume in [*(spec.get("volumes") or []), *_templates(workload)]}
    given: dict[str, Any] = {
        "nodes": class_of(template, classes),
        "kind": None if workload.kind == "Deployment" else workload.kind,
        "namespace": workload.namespace or None,
        "image": container.get("image"),
        "gpus": None if gpus == 1 else gpus,
        "command": container.get("command"),
        "args": container.get("args"),
        "env": dict(_variables(container.get("env") or [])),
        "port": _ports(container.get("ports") or []),
        "volumes": {
            str(mount.get("mountPath")): _volume(
                mount, sources.get(mount.get("name")) or {}, workload, beside, is_shared=_is_shared(mount, mounts)
            )
            for mount in mounts
        },
        **{argument: _probe(container[name]) for name, argument in _PROBES.items() if name in container},
        "cpu": at(container, "resources", "requests", "cpu"),
        "memory": at(container, "resources", "requests", "memory"),
        "replicas": at(workload.body, "spec", "replicas"),
        "schedule": at(workload.body, "spec", "schedule"),
        "termination_grace_period": spec.get("terminationGracePeriodSeconds"),
        "pre_stop_sleep": at(container, "lifecycle", "preStop", "sleep", "seconds"),
        "service_account_name": spec.get("serviceAccountName"),
        "priority_class_name": spec.get("priorityClassName"),
        "security_context": container.get("securityContext"),
        "pod_security_context": spec.get("securityContext"),
        "labels": labels,
        "annotations": at(workload.body, "metadata", "annotations"),
        "pod_annotations": at(template, "metadata", "annotations"),
    }
    if None in given["volumes"].values() or None in given["env"].values():
        return None
    return {name: value for name, value in given.items() if value not in (None, {}, [])}


def _templates(workload: PlainObject) -> Iterator[Mapping[str, Any]]:
    for claim in at(workload.body, "spec", "volumeClaimTemplates") or ():
        yield {"name": at(claim, "metadata", "name"), "claim": claim.get("spec")}


def _variables(listed: list[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    for each in listed:
        source = each.get("valueFrom") or {}
        if not source:
            yield str(each.get("name")), str(each.get("value", ""))
        elif "secretKeyRef" in source:
            reference = source["secretKeyRef"]
            yield str(each.get("name")), {"SecretKey": {"secret": reference.get("name"), "key": reference.get("key")}}
        elif "configMapKeyRef" in source:
            reference = source["configMapKeyRef"]
            yield str(each.get("name")), {"ConfigMapKey": {"config_map": reference.get("name"), "key": reference.get("key")}}
        else:
            yield str(each.get("name")), None


def _ports(listed: list[Mapping[str, Any]]) -> Any:
    if len(listed) == 1 and listed[0].get("name", "http") == "http":
        return listed[0].get("containerPort")
    return {
        str(each.get("name")): f"{each.get('containerPort')}/{each['protocol']}" if "protocol" in each else each.get("containerPort")
        for each in listed
    }


def _probe(probe: Mapping[str, Any]) -> dict[str, Any] | None:
    periods = {"periodSeconds": "period", "timeoutSeconds": "timeout", "failureThreshold": "failure_threshold"}
    given = {argument: probe[name] for name, argument in periods.items() if name in probe}
    if "httpGet" in probe:
        return {"HttpProbe": {"path": at(probe, "httpGet", "path"), **given}}
    if "exec" in probe:
        return {"ExecProbe": {"command": at(probe, "exec", "command"), **given}}
    return {"TcpProbe": given}


def _is_shared(mount: Mapping[str, Any], mounts: list[Mapping[str, Any]]) -> bool:
    """Whether several mounts have the same volume."""
    names = [str(each.get("name")) for each in mounts]
    return names.count(str(mount.get("name"))) > 1


def _volume(
    mount: Mapping[str, Any],
    source: Mapping[str, Any],
    workload: PlainObject,
    beside: Mapping[tuple[str, str], PlainObject],
    *,
    is_shared: bool,
) -> dict[str, Any] | None:
    common = {
        **({"name": mount["name"]} if is_shared else {}),
        **({"sub_path": mount["subPath"]} if mount.get("subPath") else {}),
        **({"read_only": True} if mount.get("readOnly") else {}),
    }
    if "persistentVolumeClaim" in source:
        claim = str(at(source, "persistentVolumeClaim", "claimName"))
        made = beside.get(("PersistentVolumeClaim", claim))
        if made is not None and claim == f"{workload.name}-{source.get('name')}":
            return {"Persistent": {**_claim(made.body.get("spec") or {}), **common}}
        return {"ExistingClaim": {"claim_name": claim, **common}}
    if "claim" in source:
        return {"Persistent": {**_claim(source["claim"]), **common}}
    value = _of_source(source)
    return None if value is None else {name: {**fields, **common} for name, fields in value.items()}


def _of_source(source: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
    """A volume without a claim, by its source."""
    size, medium = at(source, "emptyDir", "sizeLimit"), at(source, "emptyDir", "medium")
    kind = at(source, "hostPath", "type")
    values: dict[str, dict[str, dict[str, Any]]] = {
        "emptyDir": {"Memory" if medium == "Memory" else "Empty": {"size": size} if size else {}},
        "configMap": {"ConfigMapFiles": {"config_map": at(source, "configMap", "name")}},
        "secret": {"SecretFiles": {"secret": at(source, "secret", "secretName")}},
        "hostPath": {"HostPath": {"path": at(source, "hostPath", "path"), **({"type": kind} if kind else {})}},
        "nfs": {"Nfs": {"server": at(source, "nfs", "server"), "path": at(source, "nfs", "path")}},
    }
    return next((values[name] for name in values if name in source), None)


def _claim(spec: Mapping[str, Any]) -> dict[str, Any]:
    modes = spec.get("accessModes") or []
    given = {
        "size": at(spec, "resources", "requests", "storage"),
        "storage_class": spec.get("storageClassName"),
        "access_mode": modes[0] if modes and modes[0] != "ReadWriteOnce" else None,
    }
    return {name: value for name, value in given.items() if value is not None}
