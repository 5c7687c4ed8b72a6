"""The objects of `GpuGang`: the LeaderWorkerSet or JobSet, the Service of the leaders, and the claims."""

from __future__ import annotations

from typing import Any

from ...arguments.errors import wrong
from ...upstream.programs import cluster_programs
from ..objects import MAIN, Manifest, Manifests, env, from_field, plain
from ..workload.objects import service, workload_claims
from ..workload.pod import pod_template, workload_labels, workload_object
from .gang_settings import NODE_JOB, GangSettings

_OF_SERVERS = ("ports", "startupProbe", "livenessProbe", "readinessProbe")


def gpu_gang(settings: GangSettings) -> Manifests:
    """The objects, in the order of application."""
    objects = workload_claims(settings)
    if settings.compute_domain:
        from ..dra.compute_domain import compute_domain  # deferred: few gangs have a ComputeDomain

        objects["ComputeDomain"] = compute_domain(settings)
    template = _template(settings)
    main = _leader_worker_set(settings, template) if settings.is_server else _job_set(settings, template)
    if settings.pod_group:
        from .pod_group_objects import pod_group  # deferred: few gangs have a PodGroup

        objects |= pod_group(settings, main, template["spec"])
    objects[MAIN] = main
    if settings.ports:
        objects["Service"] = service(settings)
    return objects


def _template(settings: GangSettings) -> dict[str, Any]:
    """The pod template that all pods of the gang share."""
    template: dict[str, Any] = plain(pod_template(settings))
    container = _container(settings, template)
    own = container.get("env", [])
    names = {variable["name"] for variable in own}
    # First, so that the user's own variables may use them as $(NAME).
    container["env"] = [*(variable for variable in _variables(settings) if variable["name"] not in names), *own]
    if settings.rdma:
        container["resources"]["limits"] = {**container["resources"].get("limits", {}), **settings.rdma}
        capabilities = container["securityContext"].setdefault("capabilities", {})
        capabilities["add"] = [*dict.fromkeys([*capabilities.get("add", ()), cluster_programs.LOCKED_MEMORY])]
    if settings.compute_domain:
        from ..dra.compute_domain import claim_channel  # deferred: few gangs have a ComputeDomain

        claim_channel(settings, template["spec"], container)
    if settings.pod_group:
        template["spec"]["schedulingGroup"] = {"podGroupName": settings.name}
    if topology := _topology(settings):
        template["metadata"]["annotations"] = {**topology, **template["metadata"].get("annotations", {})}
    return template


def _topology(settings: GangSettings) -> dict[str, str]:
    """The annotations by which Kueue places all pods of the gang within one domain of the nodes."""
    if settings.queue is None:
        return {}
    levels = {
        cluster_programs.REQUIRED_TOPOLOGY: settings.required_topology,
        cluster_programs.PREFERRED_TOPOLOGY: settings.preferred_topology,
    }
    found = {key: label for key, label in levels.items() if label is not None}
    # Without the group the leader and the workers may get two domains.
    return {**found, cluster_programs.PODSET_GROUP: "gang"} if found and settings.is_server else found


def _container(settings: GangSettings, template: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(each for each in template["spec"]["containers"] if each["name"] == settings.name)
    return found


def _variables(settings: GangSettings) -> list[dict[str, Any]]:
    """How the pods find one another, and how NCCL talks."""
    if settings.is_server:
        leader, rank = (
            f"$({cluster_programs.LEADER_ADDRESS})",
            env({f"{cluster_programs.TORCHRUN}NODE_RANK": f"$({cluster_programs.WORKER_INDEX})"})[0],
        )
    else:
        leader = cluster_programs.JOB_SET_POD.format(name=settings.name, job=NODE_JOB, index=0, subdomain=settings.name)
        rank = from_field(f"{cluster_programs.TORCHRUN}NODE_RANK", f"metadata.annotations['{cluster_programs.COMPLETION_INDEX}']")
    meeting = {"MASTER_ADDR": leader, "MASTER_PORT": settings.rendezvous_port, "NNODES": settings.size, "NPROC_PER_NODE": settings.gpus}
    network = {cluster_programs.NCCL_DEBUG: "WARN", **({} if settings.rdma else {cluster_programs.NCCL_IB_DISABLE: "1"})}
    if settings.network_interface is not None:
        network |= dict.fromkeys(cluster_programs.INTERFACE_VARIABLES, settings.network_interface)
    return [*env({f"{cluster_programs.TORCHRUN}{name}": str(value) for name, value in meeting.items()}), rank, *env(network)]


def _leader_worker_set(settings: GangSettings, leader: dict[str, Any]) -> Manifest:
    worker = plain(leader)
    container = _container(settings, worker)
    for field in _OF_SERVERS:  # a worker serves nobody, so a probe of its port would fail
        container.pop(field, None)
    for field, value in (("command", settings.leader_command), ("args", settings.leader_args)):
        if value:
            _container(settings, leader)[field] = list(value)
    spec = {
        **({} if settings.replicas is None else {"replicas": settings.replicas}),
        # Each group has a subdomain of its own. The shared subdomain would be a headless Service with the name of the
        # leaders' Service.
        "networkConfig": {"subdomainPolicy": "UniquePerReplica"},
        # The leader is ready only when its workers have joined, so they must not wait for that.
        "startupPolicy": "LeaderCreated",
        # A group that has lost a process can't go on: all its pods start again.
        "leaderWorkerTemplate": {
            "size": settings.size,
            "restartPolicy": "RecreateGroupOnPodRestart",
            "leaderTemplate": leader,
            "workerTemplate": worker,
        },
    }
    return _object(settings, cluster_programs.LEADER_WORKER_SET_API, spec)


def _job_set(settings: GangSettings, template: dict[str, Any]) -> Manifest:
    policy = template["spec"].setdefault("restartPolicy", "Never")
    if policy != "Never":
        raise wrong("pod_spec", "of a JobSet with the restartPolicy 'Never'", policy, "a process that starts alone finds no gang")
    job = {
        "completionMode": "Indexed",
        "completions": settings.size,
        "parallelism": settings.size,
        # The first pod that fails ends the Job, and the JobSet starts all pods again.
        "backoffLimit": 0,
        "template": template,
    }
    optional = {"suspend": settings.suspend or None, "ttlSecondsAfterFinished": settings.ttl_seconds_after_finished}
    spec = {
        **{key: value for key, value in optional.items() if value is not None},
        "network": {"enableDNSHostnames": True, "publishNotReadyAddresses": True, "subdomain": settings.name},
        "failurePolicy": {"maxRestarts": settings.restarts},
        "replicatedJobs": [{"name": NODE_JOB, "replicas": 1, "template": {"spec": job}}],
    }
    return _object(settings, cluster_programs.JOB_SET_API, spec)


def _object(settings: GangSettings, api_version: str, spec: dict[str, Any]) -> Manifest:
    labels = {**workload_labels(settings), **({} if settings.queue is None else {cluster_programs.QUEUE_LABEL: settings.queue})}
    return workload_object(settings, api_version, str(settings.kind), labels=labels, annotations=settings.annotations, spec=spec)
