"""The fields that kustomize changes by default.

A field is a text: its path, with `[]` after a key that has to hold a list, then the kind with its group if it is not
for every kind. Fields in a name that ends in `_MADE` are created if they are missing. All fields are those of kustomize
5.7.1, which kubectl 1.35.2 has.
"""

from __future__ import annotations

from .api import POD_TEMPLATES

_PODS = {"PodTemplate": "template/spec", **{kind: "/".join((*path, "spec")) for kind, path in POD_TEMPLATES.items()}}
_PODS_OF_CLAIMS = {
    kind: path
    for kind, path in {**_PODS, "ReplicationController": "spec/template/spec"}.items()
    if kind not in ("PodTemplate", "ReplicaSet")
}
_TEMPLATES = (
    *(f"spec/template/metadata/{{}} {kind}" for kind in ("ReplicationController", "Deployment", "ReplicaSet", "DaemonSet")),
    "spec/template/metadata/{} StatefulSet.apps",
    "spec/template/metadata/{} Job.batch",
    "spec/jobTemplate/metadata/{} CronJob.batch",
    "spec/jobTemplate/spec/template/metadata/{} CronJob.batch",
)
_SPREAD = (
    *(
        f"affinity/{kind}/{rule}/labelSelector/matchLabels"
        for kind in ("podAffinity", "podAntiAffinity")
        for rule in (
            "preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm",
            "requiredDuringSchedulingIgnoredDuringExecution",
        )
    ),
    "topologySpreadConstraints/labelSelector/matchLabels",
)


def _in_containers(*paths: str) -> tuple[str, ...]:
    return tuple(f"{containers}/{path}" for containers in ("containers", "initContainers") for path in paths)


def _in_pods(pods: dict[str, str], *paths: str) -> tuple[str, ...]:
    return tuple(f"{above}/{path} {kind}" for kind, above in pods.items() for path in paths)


TEMPLATE_LABELS_MADE = tuple(each.format("labels") for each in _TEMPLATES)  # The labels in pod templates
# The labels of claims that a StatefulSet creates.
CLAIM_LABELS_MADE = ("spec/volumeClaimTemplates[]/metadata/labels StatefulSet.apps",)
# The selectors that get labels, and that are created if they are missing.
SELECTORS_MADE = (
    "spec/selector Service",
    "spec/selector ReplicationController",
    *(f"spec/selector/matchLabels {kind}" for kind in ("Deployment", "ReplicaSet", "DaemonSet", "StatefulSet.apps")),
)
# The selectors that get labels if they exist.
SELECTORS = (
    *(f"spec/template/spec/{path} {kind}" for kind in ("Deployment.apps", "StatefulSet.apps") for path in _SPREAD),
    "spec/selector/matchLabels Job.batch",
    "spec/jobTemplate/spec/selector/matchLabels CronJob.batch",
    "spec/selector/matchLabels PodDisruptionBudget.policy",
    "spec/podSelector/matchLabels NetworkPolicy.networking.k8s.io",
    "spec/ingress/from/podSelector/matchLabels NetworkPolicy.networking.k8s.io",
    "spec/egress/to/podSelector/matchLabels NetworkPolicy.networking.k8s.io",
)
# The annotations in pod templates.
TEMPLATE_ANNOTATIONS_MADE = tuple(each.format("annotations").replace("StatefulSet.apps", "StatefulSet") for each in _TEMPLATES)
# The image fields, of every kind.
IMAGES = tuple(
    f"{above}/{path}"
    for above in ("spec", "spec/template/spec")
    for path in ("containers[]/image", "initContainers[]/image", "volumes[]/image/reference")
)
# The fields with the number of replicas.
REPLICAS_MADE = tuple(f"spec/replicas {kind}" for kind in ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"))
# The namespace fields beside an object's own that are created if they are missing.
NAMESPACES_MADE = ("metadata/name Namespace", "spec/service/namespace APIService.apiregistration.k8s.io")
# The namespace fields beside an object's own that are changed if they exist.
NAMESPACES = ("spec/conversion/webhook/clientConfig/service/namespace CustomResourceDefinition.apiextensions.k8s.io",)
"""The fields of labels, annotations, images, replicas and namespaces.

Source: kustomize 5.7.1, api/internal/konfig/builtinpluginconsts: metadatalabels.go, volumeclaimmetadatalabels.go,
commonlabels.go, commonannotations.go, images.go, replicas.go, namespace.go (2026-11-22)
"""

# The kinds whose names `namePrefix` and `nameSuffix` do not change.
UNPREFIXED = ("CustomResourceDefinition", "APIService.apiregistration.k8s.io", "Namespace")
LOCAL_CONFIG = "config.kubernetes.io/local-config"  # The annotation of objects that are left out of the output
"""Kinds and objects that are no part of a change.

Source: kustomize 5.7.1, api/internal/builtins/PrefixTransformer.go, api/konfig/general.go (2026-11-22)
"""

NAME_REFERENCES = {
    **dict.fromkeys(
        ("Deployment", "ReplicationController", "ReplicaSet", "StatefulSet"), ("spec/scaleTargetRef/name HorizontalPodAutoscaler",)
    ),
    "ConfigMap": (
        *_in_pods(
            _PODS,
            "volumes/configMap/name",
            "volumes/projected/sources/configMap/name",
            *_in_containers("env/valueFrom/configMapKeyRef/name", "envFrom/configMapRef/name"),
        ),
        "spec/configSource/configMap Node",
        "rules/resourceNames Role",
        "rules/resourceNames ClusterRole",
        r"metadata/annotations/nginx.ingress.kubernetes.io\/fastcgi-params-configmap Ingress",
    ),
    "Secret": (
        *_in_pods(
            _PODS,
            "volumes/secret/secretName",
            "volumes/projected/sources/secret/name",
            "imagePullSecrets/name",
            *_in_containers("env/valueFrom/secretKeyRef/name", "envFrom/secretRef/name"),
        ),
        "spec/tls/secretName Ingress",
        *(
            rf"metadata/annotations/{name} Ingress"
            for name in (
                r"ingress.kubernetes.io\/auth-secret",
                r"nginx.ingress.kubernetes.io\/auth-secret",
                r"nginx.ingress.kubernetes.io\/auth-tls-secret",
            )
        ),
        "imagePullSecrets/name ServiceAccount",
        *(f"parameters/{name} StorageClass" for name in ("secretName", "adminSecretName", "userSecretName", "secretRef")),
        "rules/resourceNames Role",
        "rules/resourceNames ClusterRole",
        "spec/template/spec/containers/env/valueFrom/secretKeyRef/name Service.serving.knative.dev",
        "spec/azureFile/secretName PersistentVolume",
    ),
    "Service": (
        "spec/serviceName StatefulSet.apps",
        "spec/rules/http/paths/backend/serviceName Ingress",
        "spec/backend/serviceName Ingress",
        "spec/rules/http/paths/backend/service/name Ingress",
        "spec/defaultBackend/service/name Ingress",
        "spec/service/name APIService.apiregistration.k8s.io",
        "webhooks/clientConfig/service ValidatingWebhookConfiguration.admissionregistration.k8s.io",
        "webhooks/clientConfig/service MutatingWebhookConfiguration.admissionregistration.k8s.io",
    ),
    "Role.rbac.authorization.k8s.io": ("roleRef/name RoleBinding.rbac.authorization.k8s.io",),
    "ClusterRole.rbac.authorization.k8s.io": (
        "roleRef/name RoleBinding.rbac.authorization.k8s.io",
        "roleRef/name ClusterRoleBinding.rbac.authorization.k8s.io",
    ),
    "ServiceAccount": (
        "subjects RoleBinding.rbac.authorization.k8s.io",
        "subjects ClusterRoleBinding.rbac.authorization.k8s.io",
        *_in_pods(_PODS_OF_CLAIMS, "serviceAccountName"),
    ),
    "PersistentVolumeClaim": _in_pods(_PODS_OF_CLAIMS, "volumes/persistentVolumeClaim/claimName"),
    "PersistentVolume": ("spec/volumeName PersistentVolumeClaim", "rules/resourceNames ClusterRole"),
    "StorageClass.storage.k8s.io": (
        "spec/storageClassName PersistentVolume",
        "spec/storageClassName PersistentVolumeClaim",
        "spec/volumeClaimTemplates/spec/storageClassName StatefulSet",
    ),
    "PriorityClass.scheduling.k8s.io": _in_pods(_PODS_OF_CLAIMS, "priorityClassName"),
    "ValidatingAdmissionPolicy.admissionregistration.k8s.io": (
        "spec/policyName ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io",
    ),
}
"""The fields that refer to objects of each kind by name. They get the new name of an object that kustomize renames.

Source: kustomize 5.7.1, api/internal/konfig/builtinpluginconsts/namereference.go (2026-11-22)
"""
