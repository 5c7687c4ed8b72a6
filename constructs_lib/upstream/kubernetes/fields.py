"""The fields of pods, workloads and the objects beside them, from the table that `tools/pins/kubernetes_fields.py` writes, and their
defaults: an object that leaves such a field out is stored like one that writes the default."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..table_files import read_table

# The defaults of a pod spec. `hostNetwork`, `hostPID` and `hostIPC` are false where they are left out.
OF_POD = {
    "restartPolicy": "Always",
    "dnsPolicy": "ClusterFirst",
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
    "hostNetwork": False,
    "hostPID": False,
    "hostIPC": False,
    "enableServiceLinks": True,
}
# The defaults of a container. `stdin` and `tty` are false where they are left out.
OF_CONTAINER = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", "stdin": False, "tty": False}
# The defaults of a probe. `initialDelaySeconds` is 0 where it is left out.
OF_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3, "initialDelaySeconds": 0}
OF_HTTP_GET = {"path": "/", "scheme": "HTTP"}  # The defaults of the request of a probe or a hook
OF_FIELD = {"apiVersion": "v1"}  # The default of a reference to a field of the pod
OF_PORT = {"protocol": "TCP"}  # The default of a port of a container or a Service
# The defaults of a volume with the files of a ConfigMap or a Secret. `optional` is false where it is left out.
OF_VOLUME_FILES = {"defaultMode": 0o644, "optional": False}
OF_MOUNT = {"readOnly": False}  # The default of a mount
"""The defaults of a pod and its parts.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go,
SetDefaults_{PodSpec,Pod,Container,Probe,HTTPGetAction,ObjectFieldSelector,Service,ConfigMapVolumeSource,SecretVolumeSource},
and staging/src/k8s.io/api/core/v1/types.go VolumeMount (2026-11-22)
"""

OF_SPEC: Mapping[str, Mapping[str, Any]] = {
    "Deployment": {
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
        "minReadySeconds": 0,
        "paused": False,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "25%", "maxSurge": "25%"}},
    },
    "StatefulSet": {
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "podManagementPolicy": "OrderedReady",
        "minReadySeconds": 0,
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}},
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    },
    "DaemonSet": {
        "revisionHistoryLimit": 10,
        "minReadySeconds": 0,
        "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
    },
    "Job": {"backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False},
    "CronJob": {"concurrencyPolicy": "Allow", "suspend": False, "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1},
    "Service": {"type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"},
    "PersistentVolumeClaim": {"volumeMode": "Filesystem"},
}
"""The defaults of the `spec` of each kind. A Job's `parallelism` is none of them: a Job with `parallelism: 1` has no
`completions`, one without it has 1.

Source: kubernetes/kubernetes pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go, pkg/apis/core/v1/defaults.go
(2026-11-22)
"""


class FieldTable(NamedTuple):
    """The fields of each type. A kind is a scalar, the name of a type, `[kind]` for a list, `{kind}` for a map, or
    `any`."""

    newest: str
    read_on: str
    types: Mapping[str, Mapping[str, str]]
    required: Mapping[str, list[str]]
    """The fields that Kubernetes requires, of each type that has such fields."""
    choices: Mapping[str, Mapping[str, list[str]]]
    """The values of each field with an enumeration, by type and field."""
    choices_from: str
    """The tag of kubernetes/api from which the enumerations are."""


REQUIRED_ON_PAPER = frozenset({("HTTPHeader", "value"), ("Sysctl", "value"), ("SleepAction", "seconds")})
"""The required fields of the OpenAPI schema that a real API server takes as empty or 0 where they are missing.

Source: kube-apiserver 1.36.3, server-side dry run (2026-11-22)
"""


@functools.cache
def field_table() -> FieldTable:
    """The table; a field of any version of Kubernetes up to `newest` is in it."""
    table: dict[str, Any] = read_table("tables/kubernetes_fields")
    parts = {part: table[part] for part in ("newest", "read_on", "types", "required", "choices")}
    return FieldTable(**parts, choices_from=table["sources"]["kubernetes/api"])
