"""A Job without a GPU that prepares the data of a workload, such as its models."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from ..arguments.errors import wrong
from ..manifests.objects import Manifest, manifest, merged
from ..manifests.plugin.config import checksum
from ..manifests.pod_placement import REQUIRED, selected
from ..manifests.pod_shape import security_context
from ..manifests.workload.kinds import HASH_DIGITS
from ..manifests.workload.pod import workload_labels
from ..manifests.workload.settings import NAME_LABEL, GpuWorkloadSettings
from ..upstream.programs.cluster_programs import KUEUE_LABELS

_RETRIES = 10
_NO_RIGHTS = {"readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
"""A client writes to its volumes alone. What the server has beyond that, such as a user or DAC_OVERRIDE for the files
of its volume, the client has too."""
_LONGEST_LABEL = 63


def client_job(
    settings: GpuWorkloadSettings,
    purpose: str,
    container: Mapping[str, Any],
    volumes: Iterable[Mapping[str, Any]] = (),
    *,
    beside_server: bool = False,
) -> Manifest:
    """A Job of a workload, with the workload's security contexts, a root file system that is read-only, and no GPU or
    RuntimeClass.

    With `beside_server` the Job runs on the node of the server's pod, for a volume that one node at a time can mount.
    Otherwise the Job has no tolerations for GPU nodes, and no Kueue label: Kueue would wait for a node of the GPU
    queue. The name ends in a hash of the pod template: a Job is immutable in the cluster, so another list of models
    makes another Job. The Job has no TTL: a Job that deletes itself would be made again by GitOps, for ever.
    """
    name = f"{settings.name}-{purpose}"
    _check_name(settings.name, purpose)
    labels = {**workload_labels(settings), NAME_LABEL: name}
    if not beside_server:
        labels = {key: value for key, value in labels.items() if not key.startswith(KUEUE_LABELS)}
    spec: dict[str, Any] = {
        "restartPolicy": "Never",
        "enableServiceLinks": False,
        "automountServiceAccountToken": False,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}, **settings.pod_security_context},
        "containers": [{"name": purpose, **container, "securityContext": security_context(merged(_NO_RIGHTS, settings.security_context))}],
        "volumes": [*volumes],
    }
    if settings.image_pull_secrets:
        spec["imagePullSecrets"] = [{"name": each} for each in settings.image_pull_secrets]
    template = {"metadata": {"labels": labels}, "spec": spec}
    if beside_server:
        same_node = {"labelSelector": {"matchLabels": {NAME_LABEL: settings.name}}, "topologyKey": "kubernetes.io/hostname"}
        spec["affinity"] = {"podAffinity": {REQUIRED: [same_node]}}
        template = selected(template, settings.nodes)
    digits = checksum(json.dumps(template, sort_keys=True, default=dict))[:HASH_DIGITS]
    return manifest(
        "batch/v1",
        "Job",
        f"{name}-{digits}",
        namespace=settings.namespace,
        labels=labels,
        spec={"backoffLimit": _RETRIES, "template": template},
    )


def _check_name(name: str, purpose: str) -> None:
    """Refuse a name that makes the Job's too long: Kubernetes gives the pods the Job's name as a label."""
    longest = _LONGEST_LABEL - len(f"-{purpose}-") - HASH_DIGITS
    if len(name) > longest:
        hint = f"the Job beside the server has the name '<name>-{purpose}-<hash>'"
        raise wrong("name", f"of at most {longest} characters", name, hint)
