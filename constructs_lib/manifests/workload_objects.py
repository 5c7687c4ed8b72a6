"""The objects of `GpuWorkload`: the workload, its Service, and its claims."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from .._arguments.errors import wrong
from .._arguments.talos_warnings import warn
from ..nodes.pod_annotations import GPU_MEMORY_ANNOTATION
from ..upstream.talos_features import EXEC_BREAKS
from .gpu_pod import made_gpu_pod
from .objects import MAIN, Manifest, Manifests, manifest, merged
from .pod_shape import check_complete
from .workload_settings import NAME_LABEL, GpuWorkloadSettings, UpdateStrategy, WorkloadKind

if TYPE_CHECKING:
    from .container_values import ConfigMapKey, SecretKey

# The seconds after which Kubernetes marks a rollout as failed (spec.progressDeadlineSeconds). A model may take longer to load.
_PROGRESS_DEADLINE = 600


def gpu_workload(settings: GpuWorkloadSettings) -> Manifests:
    """The objects, in the order of application."""
    objects: Manifests = {}
    if settings.nodes.dra:
        objects["GpuClaim"] = _gpu_claim(settings)
    if settings.kind is not WorkloadKind.STATEFUL_SET:
        for name, claim in _claims(settings).items():
            objects[f"Claim-{name}"] = _object(settings, "v1", "PersistentVolumeClaim", f"{settings.name}-{name}", spec=claim)
    api_version, spec = _SPECS[WorkloadKind(settings.kind)](settings, _template(settings))
    objects[MAIN] = _object(settings, api_version, str(settings.kind), settings.name, spec=spec)
    if settings.ports:
        objects["Service"] = _service(settings)
    return objects


def _claim_of(settings: GpuWorkloadSettings) -> str | None:
    """The name of the claim on GPUs: the workload's own, or the one that all workloads of the namespace share."""
    dra, nodes = settings.nodes.dra, settings.nodes
    if dra is None:
        return None
    from ..nodes.dra import claim_name

    return claim_name(nodes.name if dra.is_one_claim else settings.name, settings.gpus, settings.profile)


def _gpu_claim(settings: GpuWorkloadSettings) -> Manifest:
    from .claim_objects import GpuClaimSettings, gpu_claim_object

    dra = settings.nodes.dra
    claim = GpuClaimSettings(
        nodes=settings.nodes,
        gpus=settings.gpus,
        name=_claim_of(settings),
        namespace=settings.namespace,
        gpu_memory=settings.gpu_memory if dra and dra.consumable_shares else None,
        profile=settings.profile,
    )
    return gpu_claim_object(claim, {} if claim.dra.is_one_claim else _labels(settings))


def _object(settings: GpuWorkloadSettings, api_version: str, kind: str, name: str, *, spec: dict[str, Any]) -> Manifest:
    return manifest(api_version, kind, name, namespace=settings.namespace, labels=_labels(settings), spec=spec)


def _labels(settings: GpuWorkloadSettings) -> dict[str, str]:
    return {NAME_LABEL: settings.name, **settings.labels}


def _deployment(settings: GpuWorkloadSettings, template: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    strategy: dict[str, Any] = {"type": str(settings.update_strategy)}
    if settings.update_strategy == UpdateStrategy.ROLLING_UPDATE:
        # A surge would deadlock: the new pod needs a GPU, and the old pod keeps its GPU until the new pod is ready.
        strategy["rollingUpdate"] = {"maxSurge": 0, "maxUnavailable": 1}
    spec = {**_replicas(settings), "selector": {"matchLabels": {NAME_LABEL: settings.name}}, "strategy": strategy}
    if settings.startup_probe:
        startup = settings.startup_probe.period * settings.startup_probe.failure_threshold
        if startup >= _PROGRESS_DEADLINE:
            spec["progressDeadlineSeconds"] = startup + _PROGRESS_DEADLINE
    return "apps/v1", {**spec, "template": template}


def _stateful_set(settings: GpuWorkloadSettings, template: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    spec = {**_replicas(settings), "serviceName": settings.name, "selector": {"matchLabels": {NAME_LABEL: settings.name}}}
    claims = [{"metadata": {"name": name}, "spec": claim} for name, claim in _claims(settings).items()]
    return "apps/v1", {**spec, "template": template, **({"volumeClaimTemplates": claims} if claims else {})}


def _replicas(settings: GpuWorkloadSettings) -> dict[str, int]:
    return {} if settings.replicas is None else {"replicas": settings.replicas}


def _job(settings: GpuWorkloadSettings, template: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    given = {
        "parallelism": settings.parallelism,
        "completions": settings.completions,
        "backoffLimit": settings.backoff_limit,
        "ttlSecondsAfterFinished": settings.ttl_seconds_after_finished,
    }
    policy = template["spec"].setdefault("restartPolicy", "Never")
    if policy == "Always":
        raise wrong("pod_spec", "of a Job with the restartPolicy 'Never' or 'OnFailure'", policy)
    return "batch/v1", {**{key: value for key, value in given.items() if value is not None}, "template": template}


def _cron_job(settings: GpuWorkloadSettings, template: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    api_version, job = _job(settings, template)
    # Two runs at the same time would need twice the GPUs.
    return api_version, {"schedule": settings.schedule, "concurrencyPolicy": "Forbid", "jobTemplate": {"spec": job}}


_SPECS = {
    WorkloadKind.DEPLOYMENT: _deployment,
    WorkloadKind.STATEFUL_SET: _stateful_set,
    WorkloadKind.JOB: _job,
    WorkloadKind.CRON_JOB: _cron_job,
}


def _service(settings: GpuWorkloadSettings) -> Manifest:
    ports = [{"name": name, "port": number, "targetPort": name} for name, number in settings.ports.items()]
    # Only a headless Service gives each pod of a StatefulSet its own DNS name.
    headless = {"clusterIP": "None"} if settings.kind is WorkloadKind.STATEFUL_SET else {}
    return _object(settings, "v1", "Service", settings.name, spec={**headless, "selector": {NAME_LABEL: settings.name}, "ports": ports})


def _template(settings: GpuWorkloadSettings) -> dict[str, Any]:
    names = _volume_names(settings)
    volumes = {name: settings.mounts[path] for path, name in names.items()}
    stateful = settings.kind is WorkloadKind.STATEFUL_SET
    spec: dict[str, Any] = {
        # A Service named like a server sets variables such as VLLM_PORT=tcp://…, which the server takes for its own settings.
        "enableServiceLinks": False,
        "automountServiceAccountToken": settings.service_account_name is not None,
        "securityContext": _laid_on({"seccompProfile": {"type": "RuntimeDefault"}}, settings.pod_security_context),
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
    metadata: dict[str, Any] = {"labels": _labels(settings)}
    declared = {} if settings.gpu_memory is None else {GPU_MEMORY_ANNOTATION: settings.gpu_memory}
    if declared or settings.pod_annotations:
        metadata["annotations"] = {**declared, **settings.pod_annotations}
    template = {"metadata": metadata, "spec": _laid_on(spec, settings.pod_spec)}
    pod = made_gpu_pod("pod_spec", template, settings.nodes, settings.gpus, settings.profile, settings.name, _claim_of(settings))
    check_complete("pod_spec", settings.pod_spec, pod["spec"])
    _warn_of_exec(settings, pod["spec"])
    return pod


def _check_contexts(settings: GpuWorkloadSettings, spec: dict[str, Any]) -> None:
    """Refuse a security context that lacks a required field. With a `pod_spec`, which may have the field, only the merged pod is checked."""
    if not settings.pod_spec:
        container = spec["containers"][0]
        check_complete("pod_security_context", settings.pod_security_context, spec["securityContext"], "PodSecurityContext")
        check_complete("security_context", settings.security_context, container["securityContext"], "SecurityContext")


def _laid_on(base: dict[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    return merged(base, over) if over else base


def _container(settings: GpuWorkloadSettings, names: dict[str, str]) -> dict[str, Any]:
    mounts = [
        {"name": name, "mountPath": path, **volume.mount}
        for (path, name), volume in zip(names.items(), settings.mounts.values(), strict=True)
    ]
    port = next(iter(settings.ports), None)
    probes = {"startupProbe": settings.startup_probe, "livenessProbe": settings.liveness_probe, "readinessProbe": settings.readiness_probe}
    optional: dict[str, Any] = {
        "command": list(settings.command),
        "args": list(settings.args),
        "env": [_variable(name, value) for name, value in settings.env.items()],
        "ports": [{"name": name, "containerPort": number} for name, number in settings.ports.items()],
        "volumeMounts": mounts,
        "resources": _resources(settings),
        **{name: probe.probe(port) for name, probe in probes.items() if probe},
    }
    return {
        "name": settings.name,
        "image": settings.image,
        **{key: value for key, value in optional.items() if value},
        "securityContext": _laid_on({"allowPrivilegeEscalation": False}, settings.security_context),
    }


def _variable(name: str, value: str | SecretKey | ConfigMapKey) -> dict[str, Any]:
    return {"name": name, "value": value} if isinstance(value, str) else {"name": name, "valueFrom": value.reference}


def _resources(settings: GpuWorkloadSettings) -> dict[str, Any]:
    # Memory is limited to its request, to protect the other pods of the node. CPU has no limit, because throttling would make the GPU wait.
    requests = {name: value for name, value in {"cpu": settings.cpu, "memory": settings.memory}.items() if value is not None}
    limits = {"memory": settings.memory} if settings.memory else {}
    return {section: amounts for section, amounts in {"requests": requests, "limits": limits}.items() if amounts}


def _volume_names(settings: GpuWorkloadSettings) -> dict[str, str]:
    """The name of the volume of each mount path. Two mounts of one existing volume, or of one named claim, are one volume."""
    mounts = settings.mounts
    # A name that the user gave stays as it is. Other names are derived from the path, with a number where a name is taken.
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


def _claims(settings: GpuWorkloadSettings) -> dict[str, dict[str, Any]]:
    """The spec of each claim that the workload makes, by the name of its volume."""
    claims: dict[str, dict[str, Any]] = {}
    for path, name in _volume_names(settings).items():
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
