"""The defaults that the API server writes into objects that leave a field out."""

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

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_PodSpec (2026-11-22)
"""

OF_CONTAINER = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File", "stdin": False, "tty": False}
"""The defaults of a container. `stdin` and `tty` are false where they are left out.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_Container (2026-11-22)
"""

OF_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3, "initialDelaySeconds": 0}
"""The defaults of a probe. `initialDelaySeconds` is 0 where it is left out.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_Probe (2026-11-22)
"""

OF_PORT = {"protocol": "TCP"}
"""The default of a port of a container or a Service.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_Container, SetDefaults_Service (2026-11-22)
"""

OF_VOLUME_FILES = {"defaultMode": 0o644, "optional": False}
"""The defaults of a volume with the files of a ConfigMap or a Secret.

Source: kubernetes/kubernetes pkg/apis/core/v1/defaults.go SetDefaults_ConfigMapVolumeSource (2026-11-22)
"""

OF_MOUNT = {"readOnly": False}
"""The default of a mount.

Source: kubernetes/kubernetes staging/src/k8s.io/api/core/v1/types.go VolumeMount (2026-11-22)
"""

OF_SPEC: Mapping[str, Mapping[str, Any]] = {
    "Deployment": {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600, "minReadySeconds": 0, "paused": False},
    "StatefulSet": {"replicas": 1, "revisionHistoryLimit": 10, "podManagementPolicy": "OrderedReady", "minReadySeconds": 0},
    "DaemonSet": {"revisionHistoryLimit": 10, "minReadySeconds": 0},
    "Job": {"backoffLimit": 6, "completionMode": "NonIndexed", "suspend": False, "parallelism": 1},
    "CronJob": {"concurrencyPolicy": "Allow", "suspend": False, "successfulJobsHistoryLimit": 3, "failedJobsHistoryLimit": 1},
    "Service": {"type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"},
    "PersistentVolumeClaim": {"volumeMode": "Filesystem"},
}
"""The defaults of the `spec` of each kind.

Source: kubernetes/kubernetes pkg/apis/apps/v1/defaults.go, pkg/apis/batch/v1/defaults.go, pkg/apis/core/v1/defaults.go (2026-11-22)
"""
