"""Pods of custom resources: where an operator's resource has pod specs, and the number of pods that the operator starts
from each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..model import Inputs, KubernetesObject, Path, at, is_given, known_items, known_str, mappings
from .pod_counts import Count, between, count_of, replicas_of, whole_number

TEMPLATE = "other objects start its pods"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class PodGroup:
    """Pods of one pod spec. `path` is the path of the pod spec; `spec` is the pod spec where the resource spells its
    fields in another way."""

    path: Path
    pods: Count
    passes: bool = False
    spec: Mapping[str, Any] | None = None


Reader = Callable[[KubernetesObject, Inputs], Iterator[PodGroup]]


def pod_groups(item: KubernetesObject, inputs: Inputs) -> list[PodGroup] | None:
    """The pod specs of a custom resource; None for an unknown kind."""
    group = (known_str(item.api_version) or "").partition("/")[0]
    reader = READERS.get((group, item.kind))
    return None if reader is None else list(reader(item, inputs))


def _is_off(value: Any) -> bool:
    """Whether a switch that is off by default is surely off."""
    return value is None or value is False


def _ray(*cluster: str, passes: bool = False) -> Reader:
    """A Ray cluster below a path (ray-project/kuberay ray-operator/apis/ray/v1/raycluster_types.go,
    utils.GetWorkerGroupDesiredReplicas)."""

    def read(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
        suspended = item.at(*cluster, "suspend")
        runs = Count(1) if _is_off(suspended) else Count(0, "suspend is set")
        scales = item.at(*cluster, "enableInTreeAutoscaling")
        head: Path = (*cluster, "headGroupSpec", "template")
        if isinstance(item.at(*head, "spec"), Mapping):
            yield PodGroup(path=(*head, "spec"), pods=runs, passes=passes)
        for index, worker in mappings(item.at(*cluster, "workerGroupSpecs")):
            if isinstance(at(worker, "template", "spec"), Mapping):
                pods = _ray_replicas(worker, is_fixed=_is_off(scales)).times(count_of(at(worker, "numOfHosts"), 1))
                pods = pods if _is_off(at(worker, "suspend")) else Count(0, "suspend is set")
                yield PodGroup(path=(*cluster, "workerGroupSpecs", index, "template", "spec"), pods=pods.times(runs), passes=passes)

    return read


def _ray_replicas(worker: Mapping[str, Any], *, is_fixed: bool) -> Count:
    least, most = at(worker, "minReplicas"), at(worker, "maxReplicas")
    if not is_fixed:
        return between(least, most, "the autoscaler of Ray scales it", default=0)
    written, lower = count_of(at(worker, "replicas"), 0), count_of(least, 0)
    upper = whole_number(most) if most is not None else None
    wanted = max(written.least, lower.least)
    return Count(wanted if upper is None else min(wanted, upper), written.reason or lower.reason)


# The spellings of a predictor's container (kserve/kserve pkg/apis/serving/v1beta1/{predictor,component}.go).
_CONTAINERS = ("model", "sklearn", "xgboost", "tensorflow", "pytorch", "triton", "onnx", "huggingface", "pmml", "lightgbm", "paddle")


def _inference_service(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
    """kserve/kserve pkg/apis/serving/v1beta1/component.go: minReplicas is 1 by default; without maxReplicas Knative has
    no limit."""
    for part in ("predictor", "transformer", "explainer"):
        spec = item.at("spec", part)
        if not isinstance(spec, Mapping):
            continue
        path: Path = ("spec", part)
        listed = [{**body, "path": (*path, "containers", index)} for index, body in mappings(at(spec, "containers"))]
        named = [{**body, "path": (*path, key)} for key in _CONTAINERS if isinstance(body := at(spec, key), Mapping)]
        pods = between(at(spec, "minReplicas"), at(spec, "maxReplicas"), "KServe scales it", default=1)
        yield PodGroup(path=path, pods=pods, spec={**spec, "containers": [*named, *listed]})
        if isinstance(at(spec, "workerSpec"), Mapping):
            yield PodGroup(path=(*path, "workerSpec"), pods=Count(0, "KServe computes the number of its workers"))


def _llm_inference_service(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
    """kserve/kserve pkg/apis/serving/v1alpha1/llm_inference_service_types.go: template and worker are pod specs."""
    for path in (("spec",), ("spec", "prefill")):
        part = item.at(*path)
        if isinstance(at(part, "template"), Mapping):
            yield PodGroup(path=(*path, "template"), pods=_llm_replicas(part, has_base=is_given(item.at("spec", "baseRefs"))))
        if isinstance(at(part, "worker"), Mapping):
            yield PodGroup(path=(*path, "worker"), pods=Count(0, "KServe computes the number of its workers"))


def _llm_replicas(part: Any, *, has_base: bool) -> Count:
    if at(part, "scaling") is not None:
        return between(at(part, "scaling", "minReplicas"), at(part, "scaling", "maxReplicas"), "KServe scales it", default=0)
    if at(part, "replicas") is None and has_base:
        return Count(0, "its baseRefs may set replicas")
    return count_of(at(part, "replicas"), 1)


def _training_job(key: str) -> Reader:
    """A job of the Kubeflow training operator (kubeflow/training-operator
    pkg/apis/kubeflow.org/v1/{common_types,pytorch_types}.go)."""

    def read(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
        for name, replica in known_items(item.at("spec", key)):
            if isinstance(at(replica, "template", "spec"), Mapping):
                pods, elastic = count_of(at(replica, "replicas"), 1), item.at("spec", "elasticPolicy")
                if elastic is not None and name == "Worker":
                    pods = between(at(elastic, "minReplicas"), at(elastic, "maxReplicas"), "its elasticPolicy scales it", default=1)
                yield PodGroup(path=("spec", key, name, "template", "spec"), pods=pods, passes=True)

    return read


def _train_job(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
    """kubeflow/trainer pkg/apis/trainer/v1alpha1/trainjob_types.go: the rest of the pod spec is in the training
    runtime."""
    trainer = item.at("spec", "trainer")
    resources = at(trainer, "resourcesPerNode")
    if resources is None:
        return
    path: Path = ("spec", "trainer")
    container = {"name": "trainer", "path": path, "image": at(trainer, "image"), "env": at(trainer, "env"), "resources": resources}
    nodes = at(trainer, "numNodes")
    pods = Count(1, "numNodes comes from its training runtime") if nodes is None else count_of(nodes, 1)
    yield PodGroup(path=path, pods=pods, passes=True, spec={"containers": [container]})


def _notebook(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
    """kubeflow/kubeflow components/notebook-controller: one pod, and none for a stopped notebook."""
    if isinstance(item.at("spec", "template", "spec"), Mapping):
        stopped = item.at("metadata", "annotations", "kubeflow-resource-stopped")
        yield PodGroup(path=("spec", "template", "spec"), pods=Count(1) if stopped is None else Count(0, "it is stopped"))


def _spark(*application: str) -> Reader:
    """A Spark application below a path (kubeflow/spark-operator api/v1beta2/sparkapplication_types.go)."""

    def read(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
        for role in ("driver", "executor"):
            part, path = item.at(*application, role), (*application, role)
            template, gpu = at(part, "template", "spec"), at(part, "gpu")
            spec: dict[str, Any] = {**template} if isinstance(template, Mapping) else {}
            spec["containers"] = [
                {**body, "path": (*path, "template", "spec", "containers", index)} for index, body in mappings(at(template, "containers"))
            ]
            if (name := known_str(at(gpu, "name"))) is not None:
                limits = {"limits": {name: at(gpu, "quantity")}}
                spec["containers"].append(
                    {"name": "", "path": (*path, "gpu"), "image": item.at(*application, "image"), "resources": limits}
                )
            for key, default in (("nodeSelector", item.at(*application, "nodeSelector")), ("tolerations", None), ("affinity", None)):
                if (value := default if at(part, key) is None else at(part, key)) is not None:
                    spec[key] = value
            if spec["containers"]:
                pods = Count(1) if role == "driver" else _executors(item, application)
                yield PodGroup(path=path, pods=pods, passes=True, spec=spec)

    return read


def _executors(item: KubernetesObject, application: Path) -> Count:
    dynamic = item.at(*application, "dynamicAllocation")
    if _is_off(at(dynamic, "enabled")):
        return count_of(item.at(*application, "executor", "instances"), 1)
    return between(at(dynamic, "minExecutors"), at(dynamic, "maxExecutors"), "Spark scales its executors", default=0)


def _argo(*workflow: str, is_template: bool = False) -> Reader:
    """The templates of an Argo workflow below a path (argoproj/argo-workflows
    pkg/apis/workflow/v1alpha1/workflow_types.go)."""

    def read(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
        first, common = known_str(item.at(*workflow, "entrypoint")), item.at(*workflow)
        for index, template in mappings(item.at(*workflow, "templates")):
            path: Path = (*workflow, "templates", index)
            single = [{**body, "path": (*path, key)} for key in ("container", "script") if isinstance(body := at(template, key), Mapping)]
            several = [
                {**body, "path": (*path, *keys, place)}
                for keys in (("containerSet", "containers"), ("sidecars",))
                for place, body in mappings(at(template, *keys))
            ]
            if not single and not several:
                continue
            is_first = first is not None and known_str(at(template, "name")) == first
            pods = Count(0, TEMPLATE) if is_template else Count(int(is_first), "its steps start its pods")
            settings = {key: _first(at(template, key), at(common, key)) for key in ("nodeSelector", "affinity", "tolerations")}
            spec = {**{key: value for key, value in settings.items() if value is not None}, "containers": [*single, *several]}
            yield PodGroup(path=path, pods=pods, passes=True, spec=spec)

    return read


def _first(*values: Any) -> Any:
    return next((value for value in values if is_given(value)), None)


def _rollout(item: KubernetesObject, inputs: Inputs) -> Iterator[PodGroup]:
    """argoproj/argo-rollouts pkg/apis/rollouts/v1alpha1/types.go: replicas as of a Deployment."""
    if isinstance(item.at("spec", "template", "spec"), Mapping):
        yield PodGroup(path=("spec", "template", "spec"), pods=replicas_of(inputs, item))


def _volcano_job(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
    """volcano-sh/apis pkg/apis/batch/v1alpha1/job.go: one pod template for each task."""
    for index, task in mappings(item.at("spec", "tasks")):
        if isinstance(at(task, "template", "spec"), Mapping):
            yield PodGroup(path=("spec", "tasks", index, "template", "spec"), pods=count_of(at(task, "replicas"), 1), passes=True)


def _knative_service(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
    """https://knative.dev/docs/serving/autoscaling/scale-bounds/: no pod by default."""
    if isinstance(item.at("spec", "template", "spec"), Mapping):
        notes = item.at("spec", "template", "metadata", "annotations")
        least, most = (
            _first(*(at(notes, f"autoscaling.knative.dev/{name}") for name in names))
            for names in (("min-scale", "minScale"), ("max-scale", "maxScale"))
        )
        yield PodGroup(path=("spec", "template", "spec"), pods=between(least, most, "Knative scales it", default=0))


def _scaled_job(item: KubernetesObject, _: Inputs) -> Iterator[PodGroup]:
    """https://keda.sh/docs/latest/reference/scaledjob-spec/: no Job by default."""
    if isinstance(item.at("spec", "jobTargetRef", "template", "spec"), Mapping):
        pods = between(item.at("spec", "minReplicaCount"), item.at("spec", "maxReplicaCount"), "KEDA starts its Jobs", default=0)
        yield PodGroup(path=("spec", "jobTargetRef", "template", "spec"), pods=pods, passes=True)


READERS: Mapping[tuple[str, str], Reader] = {
    ("ray.io", "RayCluster"): _ray("spec"),
    ("ray.io", "RayService"): _ray("spec", "rayClusterConfig"),
    ("ray.io", "RayJob"): _ray("spec", "rayClusterSpec", passes=True),
    ("ray.io", "RayCronJob"): _ray("spec", "jobTemplate", "rayClusterSpec", passes=True),
    ("serving.kserve.io", "InferenceService"): _inference_service,
    ("serving.kserve.io", "LLMInferenceService"): _llm_inference_service,
    ("kubeflow.org", "PyTorchJob"): _training_job("pytorchReplicaSpecs"),
    ("kubeflow.org", "TFJob"): _training_job("tfReplicaSpecs"),
    ("kubeflow.org", "MPIJob"): _training_job("mpiReplicaSpecs"),
    ("kubeflow.org", "XGBoostJob"): _training_job("xgbReplicaSpecs"),
    ("kubeflow.org", "PaddleJob"): _training_job("paddleReplicaSpecs"),
    ("kubeflow.org", "JAXJob"): _training_job("jaxReplicaSpecs"),
    ("kubeflow.org", "Notebook"): _notebook,
    ("trainer.kubeflow.org", "TrainJob"): _train_job,
    ("sparkoperator.k8s.io", "SparkApplication"): _spark("spec"),
    ("sparkoperator.k8s.io", "ScheduledSparkApplication"): _spark("spec", "template"),
    ("argoproj.io", "Workflow"): _argo("spec"),
    ("argoproj.io", "CronWorkflow"): _argo("spec", "workflowSpec"),
    ("argoproj.io", "WorkflowTemplate"): _argo("spec", is_template=True),
    ("argoproj.io", "ClusterWorkflowTemplate"): _argo("spec", is_template=True),
    ("argoproj.io", "Rollout"): _rollout,
    ("batch.volcano.sh", "Job"): _volcano_job,
    ("serving.knative.dev", "Service"): _knative_service,
    ("keda.sh", "ScaledJob"): _scaled_job,
}

TEMPLATE_KINDS = frozenset(
    {"ServingRuntime", "ClusterServingRuntime", "TrainingRuntime", "ClusterTrainingRuntime", "LLMInferenceServiceConfig"}
)
"""Custom resources with pod specs from which only other objects start pods."""
