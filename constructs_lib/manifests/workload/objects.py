"""The objects of `GpuWorkload`: the workload, its Service, and its claims."""

from __future__ import annotations

from typing import Any

from ...arguments.errors import warn, wrong
from ..objects import MAIN, Manifest, Manifests, plain
from .kinds import HASH_DIGITS, SERVERS, UpdateStrategy, WorkloadKind
from .pod import gpu_claim_name, persistent_claims, pod_template, workload_labels, workload_object
from .settings import NAME_LABEL, GpuWorkloadSettings, WorkloadSettings


def service_port(settings: WorkloadSettings, name: str) -> dict[str, Any]:
    """A port of the Service, whose number may be another one than that of the pods."""
    found: dict[str, Any] = next(port for port in service(settings)["spec"]["ports"] if port["name"] == name)
    return found


def client_port(settings: WorkloadSettings, name: str) -> int:
    """The number at which clients reach a port by the name of the Service. The name of a headless Service is that of
    the pods, with the pods' ports."""
    if service(settings)["spec"].get("clusterIP") == "None":
        return settings.ports[name].number
    number: int = service_port(settings, name)["port"]
    return number


def service(settings: WorkloadSettings) -> Manifest:
    """The Service of the workload's ports. A StatefulSet always has one, for the DNS names of its pods."""
    ports = [{"name": name, "port": port.number, "targetPort": name, **port.fields} for name, port in settings.ports.items()]
    for port in ports:
        if port["name"] in settings.app_protocols:
            port["appProtocol"] = settings.app_protocols[str(port["name"])]
    # Only a headless Service gives each pod of a StatefulSet its own DNS name. Peers must find each other before they
    # are ready.
    headless = {"clusterIP": "None", "publishNotReadyAddresses": True} if settings.kind is WorkloadKind.STATEFUL_SET else {}
    spec = {**headless, "selector": settings.service_selector, **({"ports": ports} if ports else {})}
    made = workload_object(settings, "v1", "Service", annotations=settings.annotations, spec=spec)
    if not settings.service_fields:
        return made
    from .service_fields import shaped_service  # deferred: only a given argument needs the fields of a Service

    return shaped_service(made, settings.service_fields)


# The seconds after which Kubernetes marks a rollout as failed (spec.progressDeadlineSeconds). A model may take longer
# to load.
_PROGRESS_DEADLINE = 600


def gpu_workload(settings: WorkloadSettings) -> Manifests:
    """The objects, in the order of application."""
    objects = workload_claims(settings)
    api_version, spec = _SPECS[WorkloadKind(settings.kind)](settings, pod_template(settings))
    objects[MAIN] = workload_object(
        settings, api_version, str(settings.kind), _name(settings, spec), annotations=settings.annotations, spec=spec
    )
    if settings.port or settings.kind is WorkloadKind.STATEFUL_SET:
        objects["Service"] = service(settings)
    if settings.disruption_budget and settings.kind in SERVERS and (limit := _most_disruptions(settings)):
        # A pod that is not ready serves nobody, and must not hold up the drain of a node.
        budget = {
            "maxUnavailable": limit,
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": {"matchLabels": {NAME_LABEL: settings.name}},
        }
        objects["DisruptionBudget"] = workload_object(settings, "policy/v1", "PodDisruptionBudget", spec=budget)
    return objects


def _most_disruptions(settings: WorkloadSettings) -> int:
    """The pods that may be evicted at the same time: one, or all for which the other nodes have no GPU; 0 for no
    budget.

    An evicted pod that no other node can take stays Pending, and a budget of one would hold up the drain of its node
    for the rest of them. From Talos 1.13 on that ends an upgrade in the middle (siderolabs/talos#13802).
    """
    replicas, places = settings.replicas or 0, _places_elsewhere(settings)
    limit = 1 if places is None else max(1, replicas - places)
    return limit if limit < replicas else 0


def _places_elsewhere(settings: WorkloadSettings) -> int | None:
    """The pods for which the class has GPUs while one node is drained; None where nothing limits the pods."""
    if not isinstance(settings, GpuWorkloadSettings) or settings.nodes.count is None:
        return None
    count, most = settings.nodes.count, settings.most_pods
    if count == 1:
        return 0
    return None if most is None else most // count * (count - 1)


def workload_claims(settings: WorkloadSettings) -> Manifests:
    """The claims on GPUs and on storage that stand beside the workload."""
    objects: Manifests = {}
    if isinstance(settings, GpuWorkloadSettings) and settings.nodes.by_claim:
        objects["GpuClaim"] = _gpu_claim(settings)
    if settings.kind is not WorkloadKind.STATEFUL_SET:
        for name, claim in persistent_claims(settings).items():
            # Without the annotations: those by which GitOps replaces a Job would delete the claim, and its data, at
            # each sync.
            objects[f"Claim-{name}"] = workload_object(settings, "v1", "PersistentVolumeClaim", f"{settings.name}-{name}", spec=claim)
    return objects


def _name(settings: WorkloadSettings, spec: dict[str, Any]) -> str:
    """The name of the main object, for `hashed_name` with a hash of the fields of a Job that can't change."""
    if not settings.hashed_name:
        return settings.name
    import json  # deferred: only a hash needs these modules

    from ..plugin.config import checksum

    fixed = {key: spec.get(key) for key in ("template", "completions", "completionMode")}
    return f"{settings.name}-{checksum(json.dumps(plain(fixed), sort_keys=True))[:HASH_DIGITS]}"


def _gpu_claim(settings: GpuWorkloadSettings) -> Manifest:
    from ..dra.claim_objects import GpuClaimSettings, gpu_claim_object

    dra = settings.nodes.dra
    claim = GpuClaimSettings(
        nodes=settings.nodes,
        gpus=settings.gpus,
        name=gpu_claim_name(settings),
        namespace=settings.namespace,
        gpu_memory=settings.gpu_memory if dra and dra.consumable_shares else None,
        profile=settings.profile,
    )
    if claim.dra.is_one_claim:
        return gpu_claim_object(claim)
    return gpu_claim_object(claim, workload_labels(settings), settings.annotations)


def _deployment(settings: WorkloadSettings, template: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    strategy: dict[str, Any] = {"type": str(settings.update_strategy)}
    if settings.update_strategy == UpdateStrategy.ROLLING_UPDATE:
        _warn_of_rollout(settings, template)
        # A surge would deadlock: the new pod needs a GPU, and the old pod keeps its GPU until the new pod is ready.
        strategy["rollingUpdate"] = {"maxSurge": 0, "maxUnavailable": 1}
    spec = {**_replicas(settings), "selector": {"matchLabels": {NAME_LABEL: settings.name}}, "strategy": strategy}
    probe = settings.startup_probe
    startup = settings.preparation + (probe.period * probe.failure_threshold if probe else 0)
    if startup >= _PROGRESS_DEADLINE:
        spec["progressDeadlineSeconds"] = startup + _PROGRESS_DEADLINE
    return "apps/v1", {**spec, "template": template}


def _warn_of_rollout(settings: WorkloadSettings, template: dict[str, Any]) -> None:
    container = next(container for container in template["spec"]["containers"] if container["name"] == settings.name)
    if settings.port and settings.has_several_pods and "readinessProbe" not in container:
        warn(
            f"{settings.name}: a rolling update without a readiness probe counts a pod as ready as soon as its container runs. While the pods load "
            "their models, the Service has no pod that answers. Give a 'readiness_probe'"
        )


def _stateful_set(settings: WorkloadSettings, template: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    spec = {**_replicas(settings), "serviceName": settings.name, "selector": {"matchLabels": {NAME_LABEL: settings.name}}}
    claims = [{"metadata": {"name": name}, "spec": claim} for name, claim in persistent_claims(settings).items()]
    return "apps/v1", {**spec, "template": template, **({"volumeClaimTemplates": claims} if claims else {})}


def _replicas(settings: WorkloadSettings) -> dict[str, int]:
    return {} if settings.replicas is None else {"replicas": settings.replicas}


def _job(settings: WorkloadSettings, template: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    given = {
        "parallelism": settings.parallelism,
        "completions": settings.completions,
        "completionMode": settings.completion_mode and str(settings.completion_mode),
        "backoffLimit": settings.backoff_limit,
        "activeDeadlineSeconds": settings.active_deadline_seconds,
        "ttlSecondsAfterFinished": settings.ttl_seconds_after_finished,
        # A suspended CronJob makes no Jobs.
        "suspend": (settings.suspend and settings.kind is WorkloadKind.JOB) or None,
    }
    policy = template["spec"].setdefault("restartPolicy", "Never")
    if policy not in ("Never", "OnFailure"):  # Kubernetes reads an empty policy as Always
        raise wrong("pod_spec", "of a Job with the restartPolicy 'Never' or 'OnFailure'", policy)
    return "batch/v1", {**{key: value for key, value in given.items() if value is not None}, "template": template}


def _cron_job(settings: WorkloadSettings, template: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    api_version, job = _job(settings, template)
    optional = {
        "timeZone": settings.time_zone,
        "startingDeadlineSeconds": settings.starting_deadline_seconds,
        "suspend": settings.suspend or None,
    }
    given = {key: value for key, value in optional.items() if value is not None}
    # A controller such as Kueue reads the metadata of each Job, not that of the CronJob.
    metadata = {"labels": workload_labels(settings), **({"annotations": dict(settings.annotations)} if settings.annotations else {})}
    # Two runs at the same time would need twice the GPUs.
    policy = {"concurrencyPolicy": "Forbid"}
    return api_version, {"schedule": settings.schedule, **given, **policy, "jobTemplate": {"metadata": metadata, "spec": job}}


_SPECS = {
    WorkloadKind.DEPLOYMENT: _deployment,
    WorkloadKind.STATEFUL_SET: _stateful_set,
    WorkloadKind.JOB: _job,
    WorkloadKind.CRON_JOB: _cron_job,
}
