"""The arguments of `GpuWorkload` that say a workload, from its manifest as the cluster gets it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..manifests.foreign.gpu_requests import pod_template
from ..manifests.workload.settings import NAME_LABEL
from ..nodes.gpu_nodes import CLASS_LABEL
from ..observed.model import at
from ..observed.placement.selection import selection_of
from ..upstream.nvidia.gpu_resources import VISIBLE_DEVICES, is_gpu
from .tree import UnreadError

_PROBES = {"startupProbe": "startup_probe", "livenessProbe": "liveness_probe", "readinessProbe": "readiness_probe"}
_TIMES = {"periodSeconds": ("period", 10, 10), "timeoutSeconds": ("timeout", 1, 5), "failureThreshold": ("failure_threshold", 3, 3)}
"""The times of a probe: the argument, the API server's default, and that of the argument."""
_OF_POD = {
    "terminationGracePeriodSeconds": "termination_grace_period",
    "serviceAccountName": "service_account_name",
    "priorityClassName": "priority_class_name",
    "securityContext": "pod_security_context",
}
_OF_JOB = {
    "parallelism": "parallelism", "completions": "completions", "completionMode": "completion_mode", "backoffLimit": "backoff_limit",
    "activeDeadlineSeconds": "active_deadline_seconds", "ttlSecondsAfterFinished": "ttl_seconds_after_finished", "suspend": "suspend",
}  # fmt: skip
_OF_CRON_JOB = {"schedule": "schedule", "timeZone": "time_zone", "startingDeadlineSeconds": "starting_deadline_seconds"}
_SHOWS_ALL = ("all", "", "void", "none")
"""The values of NVIDIA_VISIBLE_DEVICES that name no GPU of their own."""


def gpu_container(template: Mapping[str, Any]) -> tuple[Mapping[str, Any], int]:
    """The container that asks for GPUs, and their number. Raises `UnreadError` for several such containers."""
    found = []
    for container in at(template, "spec", "containers") or ():
        limits = (at(container, "resources", "limits") or {}).items()
        found += [(container, int(number)) for name, number in limits if is_gpu(name) and str(number).isdigit() and int(number)]
    if not found and at(template, "spec", "resourceClaims"):
        raise UnreadError("its pods claim their GPUs by objects of their own")
    if len(found) != 1:
        raise UnreadError("not exactly one of its containers has a limit of GPUs")
    return found[0]


def class_of(template: Mapping[str, Any], classes: list[dict[str, Any]]) -> str | None:
    """The name of the class of nodes on which the pods run; None for the only class."""
    if len(classes) == 1:
        return None
    labels = at(template, "metadata", "labels") or {}
    needed = [each for each in selection_of(at(template, "spec")).required if each.needs_label]
    named = [each["name"] for each in classes if each["name"] == labels.get(CLASS_LABEL)]
    found = named or [
        each["name"]
        for each in classes
        if all(one.choices is None or each.get("labels", {}).get(one.key) in (None, *one.choices) for one in needed)
    ]
    if len(found) != 1:
        raise UnreadError("the tree has several classes of GPU nodes, and its node selector is not that of one of them")
    return str(found[0])


def workload_arguments(workload: Mapping[str, Any], service: Mapping[str, Any] | None, classes: list[dict[str, Any]]) -> dict[str, Any]:
    """The arguments that say a workload with its Service. What no argument says is left to `pod_spec`."""
    template = pod_template(workload)
    spec: Mapping[str, Any] = at(template, "spec") or {}
    (container, gpus), metadata, pod = gpu_container(template), workload.get("metadata") or {}, template.get("metadata") or {}
    kind, controller = workload["kind"], workload.get("spec") or {}
    job = at(controller, "jobTemplate", "spec") if kind == "CronJob" else controller
    ports = _ports(service, container) if service else {}
    resources = container.get("resources") or {}
    memory, most = at(resources, "requests", "memory"), at(resources, "limits", "memory")
    given: dict[str, Any] = {
        "nodes": class_of(template, classes),
        "kind": None if kind == "Deployment" else kind,
        "namespace": metadata.get("namespace"),
        "image": container.get("image"),
        "gpus": None if gpus == 1 else gpus,
        "command": container.get("command"),
        "args": container.get("args"),
        "env": dict(_variables(container.get("env") or ())),
        "port": next(iter(ports.values())) if list(ports) == ["http"] else ports,
        "service": _service_fields(service, ports) if service else None,
        "volumes": dict(_volumes(container, spec, controller)),
        **{argument: _probe(container.get(name) or {}, container, ports) for name, argument in _PROBES.items()},
        "cpu": at(resources, "requests", "cpu"),
        "memory": most if memory in (None, most) else None,
        "security_context": container.get("securityContext"),
        **{argument: spec.get(key) for key, argument in _OF_POD.items()},
        "image_pull_secrets": [each.get("name") for each in spec.get("imagePullSecrets") or ()],
        "labels": {key: value for key, value in (pod.get("labels") or {}).items() if key not in (NAME_LABEL, CLASS_LABEL)},
        "annotations": metadata.get("annotations"),
        "pod_annotations": pod.get("annotations"),
    }
    if kind in ("Deployment", "StatefulSet"):
        given["replicas"] = None if controller.get("replicas") == 1 else controller.get("replicas")
    else:
        given |= {argument: at(job, key) for key, argument in _OF_JOB.items()}
        given |= {argument: controller.get(key) for key, argument in _OF_CRON_JOB.items()} if kind == "CronJob" else {}
    return {name: value for name, value in given.items() if value not in (None, {}, [])}


def refuse_devices(container: Mapping[str, Any]) -> bool:
    """Whether a container has the variable that shows all GPUs. Raises `UnreadError` where it names GPUs."""
    shown = [each for each in container.get("env") or () if each.get("name") == VISIBLE_DEVICES]
    if any(each.get("value", "") not in _SHOWS_ALL or "valueFrom" in each for each in shown):
        raise UnreadError(f"{VISIBLE_DEVICES} names the GPUs of its container, beside those that the device plugin gives it")
    return bool(shown)


def _variables(listed: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The variables that `env` takes: texts, and keys of Secrets and ConfigMaps."""
    kinds = {"secretKeyRef": ("SecretKey", "secret"), "configMapKeyRef": ("ConfigMapKey", "config_map")}
    for each in listed:
        source = each.get("valueFrom") or {}
        kind = next((kind for kind in kinds if set(source) == {kind}), "")
        if each.get("name") == VISIBLE_DEVICES:
            continue
        if not source:
            yield str(each.get("name")), str(each.get("value", ""))
        elif kind:
            name, argument = kinds[kind]
            fields = {argument: source[kind].get("name"), "key": source[kind].get("key"), "optional": source[kind].get("optional")}
            yield str(each.get("name")), {name: {key: value for key, value in fields.items() if value}}


def target_of(port: Mapping[str, Any], container: Mapping[str, Any]) -> Any:
    """The number of the container's port that a port of a Service reaches."""
    named = {each.get("name"): each.get("containerPort") for each in container.get("ports") or ()}
    target = port.get("targetPort") or port.get("port")
    return named.get(target, target)


def _ports(service: Mapping[str, Any], container: Mapping[str, Any]) -> dict[str, Any]:
    """The ports of a Service by their names, as the container serves them."""
    ports: dict[str, Any] = {}
    for each in at(service, "spec", "ports") or ():
        number = target_of(each, container)
        protocol = each.get("protocol", "TCP")
        ports[str(each.get("name") or "http")] = number if protocol == "TCP" else f"{number}/{str(protocol).lower()}"
    return ports


def _service_fields(service: Mapping[str, Any], ports: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a Service that do not follow from its ports."""
    spec = dict(service.get("spec") or {})
    other = []
    for each in spec.pop("ports", ()):
        name = str(each.get("name") or "http")
        fields = {key: value for key, value in each.items() if key not in ("name", "targetPort", "protocol")}
        if str(fields.get("port")) == str(ports[name]).partition("/")[0]:
            del fields["port"]
        other += [{"name": name, **fields}] if fields else []
    labels = {key: value for key, value in (at(service, "metadata", "labels") or {}).items() if not key.startswith("app.kubernetes.io/")}
    given = {
        **{
            key: value
            for key, value in spec.items()
            if key != "selector" and (key, value) not in (("type", "ClusterIP"), ("clusterIP", "None"))
        },
        "ports": other,
        "annotations": at(service, "metadata", "annotations"),
        "labels": labels,
    }
    return {key: value for key, value in given.items() if value}


def _probe(probe: Mapping[str, Any], container: Mapping[str, Any], ports: Mapping[str, Any]) -> dict[str, Any] | None:
    times = {argument: probe.get(key, default) for key, (argument, default, own) in _TIMES.items() if probe.get(key, default) != own}
    if "exec" in probe:
        return {"ExecProbe": {"command": at(probe, "exec", "command"), **times}}
    request = probe.get("httpGet") or probe.get("tcpSocket") or {}
    named = {each.get("name"): each.get("containerPort") for each in container.get("ports") or ()}
    port = named.get(request.get("port"), request.get("port"))
    given = {**({} if port == next(iter(ports.values()), None) else {"port": port}), **times}
    if "httpGet" in probe:
        return {"HttpProbe": {"path": request.get("path", "/"), **given}}
    return {"TcpProbe": given} if "tcpSocket" in probe else None


def _volumes(container: Mapping[str, Any], spec: Mapping[str, Any], controller: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The mounts that `volumes` takes. Volumes that several containers or mounts share keep their names."""
    templates = {at(each, "metadata", "name"): {"claim": each.get("spec")} for each in controller.get("volumeClaimTemplates") or ()}
    sources: Mapping[Any, Any] = {**{each.get("name"): each for each in spec.get("volumes") or ()}, **templates}
    mounts = container.get("volumeMounts") or ()
    others = [*spec["containers"], *(spec.get("initContainers") or ())]
    used = [mount.get("name") for each in others for mount in each.get("volumeMounts") or ()]
    for mount in mounts:
        source = sources.get(mount.get("name")) or {}
        value = _volume(source)
        if value is None or set(mount) - {"name", "mountPath", "subPath", "readOnly"}:
            continue
        ((name, fields),) = value.items()
        common = {
            **({"name": mount["name"]} if used.count(mount["name"]) > 1 or "claim" in source else {}),
            **({"sub_path": mount["subPath"]} if mount.get("subPath") else {}),
            **({"read_only": True} if mount.get("readOnly") else {}),
        }
        yield str(mount.get("mountPath")), {name: {**fields, **common}}


def _volume(source: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
    """The value of a volume by its source; None for a source that no value says."""
    kind = next((each for each in source if each != "name"), "")
    own: Mapping[str, Any] = source.get(kind) or {}
    sizes = {"size": own["sizeLimit"]} if own.get("sizeLimit") else {}
    values: dict[str, tuple[bool, dict[str, dict[str, Any]]]] = {
        "persistentVolumeClaim": (set(own) == {"claimName"}, {"ExistingClaim": {"claim_name": own.get("claimName")}}),
        "emptyDir": (own.get("medium") in (None, "") or "size" in sizes, {"Memory" if own.get("medium") else "Empty": sizes}),
        "configMap": (set(own) == {"name"}, {"ConfigMapFiles": {"config_map": own.get("name")}}),
        "secret": (set(own) == {"secretName"}, {"SecretFiles": {"secret": own.get("secretName")}}),
        "hostPath": (bool(own.get("type")), {"HostPath": {"path": own.get("path"), "type": own.get("type")}}),
        "nfs": (set(own) == {"server", "path"} and "${" not in f"{own}", {"Nfs": {"server": own.get("server"), "path": own.get("path")}}),
        "claim": (True, {"Persistent": _claim(own)}),
    }
    is_said, value = values.get(kind, (False, {}))
    return value if is_said else None


def _claim(spec: Mapping[str, Any]) -> dict[str, Any]:
    modes = spec.get("accessModes") or [""]
    given = {
        "size": at(spec, "resources", "requests", "storage"),
        "storage_class": spec.get("storageClassName"),
        "access_mode": modes[0] if modes[0] != "ReadWriteOnce" else None,
    }
    return {name: value for name, value in given.items() if value is not None}
