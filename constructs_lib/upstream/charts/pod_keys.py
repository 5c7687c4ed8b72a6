"""The charts and operators that make GPU pods of their own, and the key of each for the fields of such a pod.

A table maps a field of a pod (`labels` are those of its metadata, `limits` and `env` those of its container) to the
dotted path of the key that holds it. `nodeSelectorTerms` are the terms of the required node affinity, where the key
takes nothing else of an affinity. A field without a key can't be set; an empty path stands for a key of another form
than the pod's field.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..choice import Choice


class Program(Choice):
    """The third-party charts and operators that `gpu_values` knows.

    Source: the Chart.yaml of bjw-s-labs/helm-charts, otwld/ollama-helm, jupyterhub/zero-to-jupyterhub-k8s,
    vllm-project/production-stack and kserve/kserve; the documentation of Argo Workflows, KubeRay, KubeSpawner and Spark
    (2026-11-22)
    """

    APP_TEMPLATE = "app-template"
    OLLAMA = "ollama"
    JUPYTERHUB = "jupyterhub"
    VLLM_STACK = "vllm-stack"
    KSERVE = "kserve"
    KUBESPAWNER = "kubespawner"
    KSERVE_PREDICTOR = "kserve-predictor"
    ARGO_WORKFLOWS = "argo-workflows"
    RAY = "ray"
    SPARK_EXECUTOR = "spark-executor"
    SPARK_DRIVER = "spark-driver"
    SPARK_EXECUTOR_CONF = "spark-executor-conf"
    SPARK_DRIVER_CONF = "spark-driver-conf"


CHART_REPOSITORIES: Mapping[str, tuple[str, ...]] = {
    "ollama": ("helm.otwld.com", "otwld.github.io", "/otwld/"),
    "open-webui": ("helm.openwebui.com", "/open-webui/"),
    "jellyfin": ("jellyfin.github.io", "/jellyfin/jellyfin-helm"),
    "local-ai": ("go-skynet.github.io", "/go-skynet/"),
}
"""Parts of the addresses of charts that other repositories have under the same name with other keys: TrueCharts'
`jellyfin` and `ollama` read no top-level `runtimeClassName`.

Source: the READMEs of otwld/ollama-helm and open-webui/helm-charts, truecharts.org, a public Application for
jellyfin-helm; the README of go-skynet/helm-charts was not read: its address follows from the name of its repository
(2026-11-23)
"""

TRUECHARTS = "truecharts"
"""A part of each address of TrueCharts' charts: oci://tccr.io/truecharts, oci://oci.trueforge.org/truecharts,
https://charts.truecharts.org. All of them have TrueCharts' common library.

Source: trueforge-org/truecharts, README.md of a chart; trueforge-org/clustertool embed/generic/kubernetes (2026-11-24)
"""

TRUECHARTS_KEYS: Mapping[str, str] = {
    **{key: f"podOptions.{key}" for key in ("runtimeClassName", "nodeSelector", "affinity", "tolerations")},
    "scaleGPU": "resources.limits",
}
"""Keys that other charts, or TrueNAS SCALE, have at the top of the values, and the key of TrueCharts' common library for
the same setting: it reads the others nowhere.

Source: trueforge-org/truecharts charts/library/common/templates/lib/{pod,container} and values.yaml (2026-11-24)
"""

APP_TEMPLATE_POD: Mapping[str, str] = {
    "runtimeClassName": "pod.runtimeClassName",
    "tolerations": "pod.tolerations",
    "nodeSelector": "pod.nodeSelector",
    "affinity": "pod.affinity",
    "resourceClaims": "pod.resourceClaims",
    "labels": "pod.labels",
}
"""The keys below `controllers.<name>`. A key of `pod` replaces the one of `defaultPodOptions`. 4.1.1 refuses
`pod.resourceClaims`, 5.0.0 has it.

Source: bjw-s-labs/helm-charts charts/library/common/schemas/{pod,controllers}.json and templates/lib/pod at
common-4.1.1 and common-5.0.0 (2026-11-22)
"""

OLLAMA_POD: Mapping[str, str] = {
    "runtimeClassName": "runtimeClassName",
    "tolerations": "tolerations",
    "nodeSelector": "nodeSelector",
    "affinity": "affinity",
    "resourceClaims": "",
    "labels": "podLabels",
    "initContainers": "initContainers",
}
"""The keys of the values. The GPU itself is below `ollama.gpu`. The Deployment's strategy is Recreate by default.

Source: otwld/ollama-helm values.yaml and templates/deployment.yaml at 1.77.0 (2026-11-22)
"""

JUPYTERHUB_POD: Mapping[str, str] = {
    "runtimeClassName": "extraPodConfig.runtimeClassName",
    "tolerations": "extraTolerations",
    "nodeSelector": "nodeSelector",
    "nodeSelectorTerms": "extraNodeAffinity.required",
    "labels": "extraLabels",
    "limits": "extraResource.limits",
    "env": "extraEnv",
    "initContainers": "initContainers",
    "containers": "extraContainers",
}
"""The keys below `singleuser`.

Source: jupyterhub/zero-to-jupyterhub-k8s jupyterhub/values.yaml and files/hub/jupyterhub_config.py at 48ea50e
(2026-11-22)
"""

KUBESPAWNER_POD: Mapping[str, str] = {
    "runtimeClassName": "extra_pod_config.runtimeClassName",
    "tolerations": "tolerations",
    "nodeSelector": "node_selector",
    "nodeSelectorTerms": "node_affinity_required",
    "labels": "extra_labels",
    "limits": "extra_resource_limits",
    "env": "environment",
    "initContainers": "init_containers",
    "containers": "extra_containers",
}
"""The traits of KubeSpawner. `extra_container_config` replaces all resources of the notebook's container, so a claim
has no key.

Source: jupyterhub-kubespawner kubespawner/{spawner,objects,utils}.py at 7.1.0 (2026-11-22)
"""

VLLM_STACK_POD: Mapping[str, str] = {
    "runtimeClassName": "runtimeClassName",
    "tolerations": "tolerations",
    "affinity": "affinity",
    "labels": "podLabels",
}
"""The keys of an item of `servingEngineSpec.modelSpec`. A model without `runtimeClassName` gets that of
`servingEngineSpec`, by default `nvidia`. An `affinity` is used in place of `nodeSelectorTerms`; there is no key for a
node selector and none for a claim.

Source: vllm-project/production-stack helm/values.yaml and helm/templates/{deployment-vllm-multi.yaml,_helpers.tpl} at
0.1.12 (2026-11-22)
"""

KSERVE_POD: Mapping[str, str] = {
    "runtimeClassName": "runtimeClassName",
    "tolerations": "tolerations",
    "nodeSelector": "nodeSelector",
    "affinity": "affinity",
    "resourceClaims": "resourceClaims",
    "labels": "labels",
    "initContainers": "initContainers",
    "containers": "containers",
}
"""The keys of the predictor of an InferenceService. The container of the model is `model`, or one of `containers`.

Source: kserve/kserve pkg/apis/serving/v1beta1/{predictor,podspec,component}.go at v0.20.0 (2026-11-22)
"""

ARGO_POD: Mapping[str, str] = {
    "runtimeClassName": "",
    "resourceClaims": "",
    "tolerations": "tolerations",
    "nodeSelector": "nodeSelector",
    "affinity": "affinity",
    "labels": "metadata.labels",
    "initContainers": "initContainers",
    "containers": "sidecars",
}
"""The keys of a template of a Workflow. Every other field of the pod is in `podSpecPatch`, a strategic merge patch as
text.

Source: argoproj/argo-workflows docs/fields.md (2026-11-22)
"""

KSERVE_STANDARD = ("Standard", "RawDeployment")
"""The values of `kserve.controller.deploymentMode` with which KServe makes Deployments, the current one first. The
chart's default is Knative, which refuses a RuntimeClass, tolerations, a node selector and affinity unless its own
feature flags allow them.

Source: kserve/kserve charts/kserve-resources/values.yaml and pkg/constants/constants.go at v0.20.0; knative/serving
config/core/configmaps/features.yaml (2026-11-22)
"""

RAY_GPUS = "num-gpus"
"""The parameter of `ray start` for the number of GPUs. KubeRay sets it only from a limit whose name ends in `gpu`: not
for `nvidia.com/gpu.shared`, a MIG partition or a claim.

Source: ray-project/kuberay ray-operator/controllers/ray/common/pod.go (2026-11-22)
"""

# The vendor of Spark's resource `gpu`: Spark adds the limit `<vendor>/<resource>` to the executor, and the name of the
# resource has no dot.
SPARK_VENDOR = "nvidia.com"
# The name that Spark gives to the container of a pod template which has none.
SPARK_CONTAINERS: Mapping[str, str] = {"driver": "spark-kubernetes-driver", "executor": "spark-kubernetes-executor"}
# The script in Spark's own images that prints the GPUs of a container, by `nvidia-smi`. Kubernetes does not tell Spark
# which GPUs an executor has.
SPARK_DISCOVERY = "/opt/spark/examples/src/main/scripts/getGpusResources.sh"
"""The words of Spark.

Source: apache/spark resource-managers/kubernetes: core BasicExecutorFeatureStep.scala, Constants.scala,
docker/src/main/dockerfiles/spark/Dockerfile; core ResourceUtils.scala; examples/src/main/scripts (2026-11-22)
"""
