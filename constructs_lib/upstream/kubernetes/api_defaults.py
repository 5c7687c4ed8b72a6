"""The defaults of the API server: an object that leaves such a field out is stored like one that writes the default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
"""The defaults of a pod spec. `hostNetwork`, `hostPID` and `hostIPC` are false where they are left out.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_PodSpec, SetDefaults_Pod (2026-11-22)
"""

OF_CONTAINER = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", "stdin": False, "tty": False}
"""The defaults of a container. `stdin` and `tty` are false where they are left out.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_Container (2026-11-22)
"""

OF_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3, "initialDelaySeconds": 0}
"""The defaults of a probe. `initialDelaySeconds` is 0 where it is left out.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_Probe (2026-11-22)
"""

OF_HTTP_GET = {"path": "/", "scheme": "HTTP"}
"""The defaults of the request of a probe or a hook.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_HTTPGetAction (2026-11-22)
"""

OF_FIELD = {"apiVersion": "v1"}
"""The default of a reference to a field of the pod.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_ObjectFieldSelector (2026-11-22)
"""

OF_PORT = {"protocol": "TCP"}
"""The default of a port of a container or a Service.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_Container, SetDefaults_Service (2026-11-22)
"""

OF_VOLUME_FILES = {"defaultMode": 0o644, "optional": False}
"""The defaults of a volume with the files of a ConfigMap or a Secret. `optional` is false where it is left out.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_ConfigMapVolumeSource,
SetDefaults_SecretVolumeSource (2026-11-22)
"""

OF_MOUNT = {"readOnly": False}
"""The default of a mount.

Source: kubernetes/kubernetes staging/src/k8s.io/api/core/v1/types.go VolumeMount (2026-11-22)
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
