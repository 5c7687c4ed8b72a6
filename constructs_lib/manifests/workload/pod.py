"""The pod template of `GpuWorkload`: the container, the volumes and the placement."""

from __future__ import annotations

import re
from itertools import chain, count
from typing import TYPE_CHECKING, Any, cast

from ...arguments.errors import warn
from ...nodes import GPU_MEMORY_ANNOTATION
from ...upstream.kubernetes.api import SLEEP_ACTION_SINCE
from ...upstream.talos.features import EXEC_BREAKS
from ..gpu_pod import made_gpu_pod
from ..objects import Manifest, manifest, merged, plain
from ..pod_shape import check_complete, check_pod, overridden_pod, security_context
from .kinds import WorkloadKind
from .ports import probe_port
from .settings import NAME_LABEL, GpuWorkloadSettings, WorkloadSettings

if TYPE_CHECKING:
    from .companion import CompanionSettings


def workload_labels(settings: WorkloadSettings) -> dict[str, str]:
    """The labels of the objects and the pods."""
    return {NAME_LABEL: settings.name, **settings.labels}


def workload_object(settings: WorkloadSettings, api_version: str, kind: str, name: str = "", **rest: Any) -> Manifest:
    """An object of a workload: with the workload's namespace and labels, and with its name unless another is given."""
    marks = {"namespace": settings.namespace, "labels": workload_labels(settings)}
    return manifest(api_version, kind, name or settings.name, **{**marks, **rest})


def gpu_claim_name(settings: GpuWorkloadSettings) -> str | None:
    """The name of the claim on GPUs: the workload's own, or the one that all workloads of the namespace share."""
    nodes = settings.nodes
    if nodes.dra is None or not nodes.by_claim:
        return None
    from ...nodes.dra import claim_name

    return claim_name(nodes.name if nodes.dra.is_one_claim else settings.name, settings.gpus, settings.profile)


def pod_template(settings: WorkloadSettings) -> dict[str, Any]:
    """The pod template."""
    names = volume_names(settings)
    volumes = {name: settings.mounts[path] for path, name in names.items()}
    stateful = settings.kind is WorkloadKind.STATEFUL_SET
    spec: dict[str, Any] = {
        # A Service named like a server sets variables such as VLLM_PORT=tcp://…, which the server takes for its own
        # settings.
        "enableServiceLinks": False,
        "automountServiceAccountToken": settings.service_account_name is not None,
        "securityContext": merged({"seccompProfile": {"type": "RuntimeDefault"}}, settings.pod_security_context),
        **({"initContainers": plain(settings.init_containers)} if settings.init_containers else {}),
        "containers": [_container(settings, names)],
    }
    optional = {
        "volumes": [
            {"name": name, **volume.source(f"{settings.name}-{name}")}
            for name, volume in volumes.items()
            if not (stateful and volume.claim)
        ],
        "imagePullSecrets": [{"name": name} for name in settings.image_pull_secrets],
        "serviceAccountName": settings.service_account_name,
        "priorityClassName": settings.priority_class_name,
        "terminationGracePeriodSeconds": settings.termination_grace_period,
    }
    spec |= {key: value for key, value in optional.items() if value not in (None, [])}
    _check_contexts(settings, spec)
    metadata: dict[str, Any] = {"labels": workload_labels(settings)}
    if settings.pod_annotations:
        metadata["annotations"] = dict(settings.pod_annotations)
    if settings.pod_spec:
        is_given = "allowPrivilegeEscalation" in settings.security_context
        spec = merged(spec, settings.pod_spec) if is_given else overridden_pod(spec, settings.pod_spec)
    template = {"metadata": metadata, "spec": spec}
    if settings.init_containers or settings.pod_spec:
        from .containers import check_mounts  # deferred: the workload's own mounts are of its volumes

        check_mounts(template["spec"], settings.init_containers, names, persistent_claims(settings) if stateful else ())
    if isinstance(settings, GpuWorkloadSettings):
        if settings.gpu_memory is not None:
            metadata["annotations"] = {GPU_MEMORY_ANNOTATION: settings.gpu_memory, **metadata.get("annotations", {})}
        pod = made_gpu_pod("pod_spec", template, settings.nodes, settings.gpus, settings.profile, settings.name, gpu_claim_name(settings))
        _warn_of_exec(settings, pod["spec"])
    else:
        from .companion import pod_without_gpus  # deferred: few workloads have no GPU

        pod = pod_without_gpus(cast("CompanionSettings", settings), template)
    check_pod("pod_spec", settings.pod_spec, pod["spec"], str(settings.kind) if settings.is_server else "")
    return pod


def _check_contexts(settings: WorkloadSettings, spec: dict[str, Any]) -> None:
    """Refuse a security context without a required field. A `pod_spec` may have it, so only the merged pod counts."""
    if not settings.pod_spec:
        container = spec["containers"][0]
        check_complete("pod_security_context", settings.pod_security_context, spec["securityContext"], "PodSecurityContext")
        check_complete("security_context", settings.security_context, container["securityContext"], "SecurityContext")


def _container(settings: WorkloadSettings, names: dict[str, str]) -> dict[str, Any]:
    mounts = [
        {"name": name, "mountPath": path, **volume.mount}
        for (path, name), volume in zip(names.items(), settings.mounts.values(), strict=True)
    ]
    ports = settings.ports
    probed = probe_port(ports)
    probes = {"startupProbe": settings.startup_probe, "livenessProbe": settings.liveness_probe, "readinessProbe": settings.readiness_probe}
    optional: dict[str, Any] = {
        "command": list(settings.command),
        "args": list(settings.args),
        "env": [
            {"name": name, **({"value": value} if isinstance(value, str) else {"valueFrom": value.reference})}
            for name, value in settings.env.items()
        ],
        "ports": [{"name": name, "containerPort": port.number, **port.fields} for name, port in ports.items()],
        "volumeMounts": mounts,
        "resources": _resources(settings),
        **{name: probe.probe(probed) for name, probe in probes.items() if probe},
        "lifecycle": {} if settings.pre_stop_sleep is None else {"preStop": _sleep(settings, settings.pre_stop_sleep)},
    }
    return {
        "name": settings.name,
        "image": settings.image,
        **{key: value for key, value in optional.items() if value},
        "securityContext": security_context(settings.security_context),
    }


def _sleep(settings: WorkloadSettings, seconds: int) -> dict[str, Any]:
    """The handler that sleeps. The kubelet sleeps by itself where every Kubernetes of the nodes' Talos can: an exec may
    fail on Talos 1.12."""
    nodes = getattr(settings, "nodes", ())
    classes = nodes if isinstance(nodes, tuple) else (nodes,)
    oldest = min((each.talos_version.release.kubernetes[0] for each in classes), default=SLEEP_ACTION_SINCE)
    return {"exec": {"command": ["sleep", str(seconds)]}} if oldest < SLEEP_ACTION_SINCE else {"sleep": {"seconds": seconds}}


def _resources(settings: WorkloadSettings) -> dict[str, Any]:
    # Memory is limited to its request, to protect the other pods of the node. CPU has no limit, because throttling
    # would make the GPU wait.
    requests = {name: value for name, value in {"cpu": settings.cpu, "memory": settings.memory}.items() if value is not None}
    limits = {"memory": settings.memory} if settings.memory else {}
    return {section: amounts for section, amounts in {"requests": requests, "limits": limits}.items() if amounts}


def volume_names(settings: WorkloadSettings) -> dict[str, str]:
    """The name of the volume of each mount path. Mounts of one existing volume, or of one named claim, share it."""
    mounts = settings.mounts
    # A name that the user gave stays as it is. Other names are derived from the path, with a number where a name is
    # taken.
    sources = {volume.shared_name: volume.shared_name for volume in mounts.values() if volume.shared_name}
    names: dict[str, str] = {}
    for path, volume in mounts.items():
        key = volume.shared_name or (path if volume.is_made else repr(volume.source("")))
        if key not in sources:
            slug = re.sub(r"[^a-z0-9]+", "-", path.lower()).strip("-")[:50].rstrip("-") or "volume"
            numbered = chain([slug], (f"{slug}-{number}" for number in count(2)))
            sources[key] = next(name for name in numbered if name not in sources.values())
        names[path] = sources[key]
    return names


def persistent_claims(settings: WorkloadSettings) -> dict[str, dict[str, Any]]:
    """The spec of each claim that the workload makes, by the name of its volume."""
    claims: dict[str, dict[str, Any]] = {}
    for path, name in volume_names(settings).items():
        if claim := settings.mounts[path].claim:
            claims.setdefault(name, claim)
    return claims


def _warn_of_exec(settings: GpuWorkloadSettings, spec: dict[str, Any]) -> None:
    if settings.nodes.talos_version.minor not in EXEC_BREAKS:
        return
    container = next(container for container in spec["containers"] if container["name"] == settings.name)
    hooks = container.get("lifecycle") or {}
    places = [name for name in ("startupProbe", "livenessProbe", "readinessProbe") if "exec" in (container.get(name) or {})]
    places += [name for name in ("postStart", "preStop") if "exec" in (hooks.get(name) or {})]
    if places:
        warn(
            f"{settings.name}: on Talos 1.12 an exec into a GPU container may fail (init 250 result=11, siderolabs/extensions#940). "
            f"A failing {' or '.join(places)} restarts the container; use an HttpProbe or a TcpProbe, and a Job in place of a hook"
        )
