"""Numbers of GPUs of every kind of workload: known, known at least, or unknown with a reason."""

import pytest

from constructs_lib.observed.read.repository import read_text
from constructs_lib.observed.usage.gpu_usage import usage, usage_gaps

GPU = "containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: 2}}}]"
POD = f"{{spec: {{{GPU}}}}}"
RESOURCES = "resources: {limits: {nvidia.com/gpu: 2}}"


def custom(api: str, kind: str, spec: str, metadata: str = "name: x, namespace: ai") -> str:
    return f"---\napiVersion: {api}\nkind: {kind}\nmetadata: {{{metadata}}}\nspec: {spec}\n"


def rows(yaml: str) -> list[tuple[str, bool]]:
    """The total of each row, and whether the pods may wait."""
    return [(str(row.total), row.passes) for row in usage(read_text(yaml))]


def gaps(yaml: str) -> list[tuple[str, str, str]]:
    return [(gap.kind.value, gap.name, gap.reason) for gap in usage_gaps(read_text(yaml))]


def ray(group: str, more: str = "", head: str = "{spec: {containers: [{name: head, image: b}]}}") -> str:
    return f"{{headGroupSpec: {{template: {head}}}, workerGroupSpecs: [{{groupName: a, template: {POD}, {group}}}]{more}}}"


def kserve(predictor: str) -> str:
    return custom("serving.kserve.io/v1beta1", "InferenceService", f"{{predictor: {{{predictor}}}}}")


def kubeflow(kind: str, key: str, replicas: str, more: str = "") -> str:
    return custom("kubeflow.org/v1", kind, f"{{{key}: {{Worker: {{{replicas} template: {POD}}}}}{more}}}")


STAYS, WAITS = False, True


@pytest.mark.parametrize(
    ("yaml", "expected"),
    [
        # Ray: replicas between the limits, times the hosts; the head is one pod.
        (custom("ray.io/v1", "RayCluster", ray("replicas: 3")), [("6", STAYS)]),
        (custom("ray.io/v1", "RayCluster", ray("replicas: 3, numOfHosts: 4")), [("24", STAYS)]),
        (custom("ray.io/v1", "RayCluster", ray("replicas: 1, minReplicas: 2, maxReplicas: 5")), [("4", STAYS)]),
        (custom("ray.io/v1", "RayCluster", ray("replicas: 9, minReplicas: 2, maxReplicas: 5")), [("10", STAYS)]),
        (custom("ray.io/v1", "RayCluster", ray("maxReplicas: 5")), [("0", STAYS)]),
        (custom("ray.io/v1", "RayCluster", ray("replicas: 3, suspend: true")), [("?", STAYS)]),
        (custom("ray.io/v1", "RayCluster", ray('replicas: "${WORKERS}"')), [("?", STAYS)]),
        (custom("ray.io/v1", "RayCluster", ray('replicas: "${WORKERS}", minReplicas: 1')), [("≥ 2", STAYS)]),
        (custom("ray.io/v1", "RayCluster", ray("replicas: 1", head=POD)), [("2", STAYS), ("2", STAYS)]),
        (custom("ray.io/v1", "RayCluster", ray("replicas: 1", ", suspend: true", head=POD)), [("?", STAYS), ("?", STAYS)]),
        (
            custom("ray.io/v1", "RayCluster", ray("replicas: 3, minReplicas: 1, maxReplicas: 5", ", enableInTreeAutoscaling: true")),
            [("≥ 2", STAYS)],
        ),
        (
            custom("ray.io/v1", "RayCluster", ray("minReplicas: 2, maxReplicas: 2", ", enableInTreeAutoscaling: true")),
            [("4", STAYS)],
        ),
        (custom("ray.io/v1", "RayService", f"{{rayClusterConfig: {ray('replicas: 1')}}}"), [("2", STAYS)]),
        (custom("ray.io/v1", "RayJob", f"{{rayClusterSpec: {ray('replicas: 1')}}}"), [("2", WAITS)]),
        (custom("ray.io/v1", "RayCronJob", f"{{jobTemplate: {{rayClusterSpec: {ray('replicas: 1')}}}}}"), [("2", WAITS)]),
        # KServe: both spellings, and the workers.
        (kserve(f"minReplicas: 2, maxReplicas: 2, {GPU}"), [("4", STAYS)]),
        (kserve(f"model: {{modelFormat: {{name: huggingface}}, {RESOURCES}}}"), [("≥ 2", STAYS)]),
        (kserve(f"minReplicas: 3, maxReplicas: 5, triton: {{{RESOURCES}}}"), [("≥ 6", STAYS)]),
        (kserve(f"minReplicas: 0, model: {{{RESOURCES}}}"), [("?", STAYS)]),
        (kserve(f'minReplicas: "${{LEAST}}", maxReplicas: 5, {GPU}'), [("?", STAYS)]),
        (kserve(f"maxReplicas: 1, {GPU}, workerSpec: {{pipelineParallelSize: 2, {GPU}}}"), [("2", STAYS), ("?", STAYS)]),
        (custom("serving.kserve.io/v1alpha2", "LLMInferenceService", f"{{template: {{{GPU}}}}}"), [("2", STAYS)]),
        (
            custom("serving.kserve.io/v1alpha2", "LLMInferenceService", f"{{replicas: 2, template: {{{GPU}}}, worker: {{{GPU}}}}}"),
            [("4", STAYS), ("?", STAYS)],
        ),
        (
            custom("serving.kserve.io/v1alpha2", "LLMInferenceService", f"{{prefill: {{replicas: 3, template: {{{GPU}}}}}}}"),
            [("6", STAYS)],
        ),
        (
            custom("serving.kserve.io/v1alpha2", "LLMInferenceService", f"{{baseRefs: [{{name: b}}], template: {{{GPU}}}}}"),
            [("?", STAYS)],
        ),
        (
            custom("serving.kserve.io/v1alpha2", "LLMInferenceService", f"{{scaling: {{minReplicas: 1, maxReplicas: 4}}, template: {{{GPU}}}}}"),
            [("≥ 2", STAYS)],
        ),
        # Kubeflow.
        (kubeflow("PyTorchJob", "pytorchReplicaSpecs", "replicas: 3,"), [("6", WAITS)]),
        (kubeflow("PyTorchJob", "pytorchReplicaSpecs", ""), [("2", WAITS)]),
        (kubeflow("PyTorchJob", "pytorchReplicaSpecs", "", ", elasticPolicy: {minReplicas: 2, maxReplicas: 4}"), [("≥ 4", WAITS)]),
        (kubeflow("MPIJob", "mpiReplicaSpecs", "replicas: 2,"), [("4", WAITS)]),
        (kubeflow("TFJob", "tfReplicaSpecs", "replicas: 2,"), [("4", WAITS)]),
        (kubeflow("XGBoostJob", "xgbReplicaSpecs", "replicas: 2,"), [("4", WAITS)]),
        (kubeflow("PaddleJob", "paddleReplicaSpecs", "replicas: 2,"), [("4", WAITS)]),
        (kubeflow("JAXJob", "jaxReplicaSpecs", "replicas: 2,"), [("4", WAITS)]),
        (custom("kubeflow.org/v1", "Notebook", f"{{template: {POD}}}"), [("2", STAYS)]),
        (
            custom(
                "kubeflow.org/v1", "Notebook", f"{{template: {POD}}}", 'name: x, annotations: {kubeflow-resource-stopped: "2026-11-01"}'
            ),
            [("?", STAYS)],
        ),
        (
            custom(
                "trainer.kubeflow.org/v1alpha1", "TrainJob", "{trainer: {numNodes: 4, resourcesPerNode: {limits: {nvidia.com/gpu: 2}}}}"
            ),
            [("8", WAITS)],
        ),
        (
            custom("trainer.kubeflow.org/v1alpha1", "TrainJob", "{trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 2}}}}"),
            [("≥ 2", WAITS)],
        ),
        # Spark.
        (
            custom(
                "sparkoperator.k8s.io/v1beta2",
                "SparkApplication",
                "{driver: {cores: 1}, executor: {instances: 3, gpu: {name: nvidia.com/gpu, quantity: 1}}}",
            ),
            [("3", WAITS)],
        ),
        (
            custom(
                "sparkoperator.k8s.io/v1beta2",
                "ScheduledSparkApplication",
                "{template: {driver: {gpu: {name: nvidia.com/gpu, quantity: 1}}, executor: {gpu: {name: nvidia.com/gpu, quantity: 1}}}}",
            ),
            [("1", WAITS), ("1", WAITS)],
        ),
        (
            custom(
                "sparkoperator.k8s.io/v1beta2",
                "SparkApplication",
                "{dynamicAllocation: {enabled: true, minExecutors: 2}, executor: {gpu: {name: nvidia.com/gpu, quantity: 1}}}",
            ),
            [("≥ 2", WAITS)],
        ),
        (custom("sparkoperator.k8s.io/v1beta2", "SparkApplication", f"{{executor: {{instances: 2, template: {POD}}}}}"), [("4", WAITS)]),
        # Argo.
        (
            custom("argoproj.io/v1alpha1", "Workflow", f"{{entrypoint: a, templates: [{{name: a, container: {{image: b, {RESOURCES}}}}}]}}"),
            [("≥ 2", WAITS)],
        ),
        (
            custom("argoproj.io/v1alpha1", "Workflow", f"{{entrypoint: dag, templates: [{{name: a, script: {{image: b, {RESOURCES}}}}}]}}"),
            [("?", WAITS)],
        ),
        (
            custom(
                "argoproj.io/v1alpha1",
                "CronWorkflow",
                f"{{workflowSpec: {{entrypoint: a, templates: [{{name: a, containerSet: {{{GPU}}}}}]}}}}",
            ),
            [("≥ 2", WAITS)],
        ),
        (custom("argoproj.io/v1alpha1", "Rollout", f"{{replicas: 3, template: {POD}}}"), [("6", STAYS)]),
        # Others.
        (custom("batch.volcano.sh/v1alpha1", "Job", f"{{tasks: [{{replicas: 2, template: {POD}}}]}}"), [("4", WAITS)]),
        (custom("serving.knative.dev/v1", "Service", f"{{template: {POD}}}"), [("?", STAYS)]),
        (
            custom(
                "serving.knative.dev/v1",
                "Service",
                f'{{template: {{metadata: {{annotations: {{autoscaling.knative.dev/min-scale: "2"}}}}, spec: {{{GPU}}}}}}}',
            ),
            [("≥ 4", STAYS)],
        ),
        (custom("keda.sh/v1alpha1", "ScaledJob", f"{{jobTargetRef: {{template: {POD}}}}}"), [("?", WAITS)]),
        (custom("jobset.x-k8s.io/v1alpha2", "JobSet", f"{{replicatedJobs: [{{replicas: 2, template: {{spec: {{parallelism: 3, template: {POD}}}}}}}]}}"), [("12", WAITS)]),
        (
            custom(
                "jobset.x-k8s.io/v1alpha2",
                "JobSet",
                f"{{replicatedJobs: [{{template: {{spec: {{parallelism: 3, completions: 2, template: {POD}}}}}}}]}}",
            ),
            [("4", WAITS)],
        ),
        (
            custom("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", f"{{replicas: 2, leaderWorkerTemplate: {{size: 3, workerTemplate: {POD}}}}}"),
            [("12", STAYS)],
        ),
        (
            custom(
                "leaderworkerset.x-k8s.io/v1",
                "LeaderWorkerSet",
                f"{{replicas: 2, leaderWorkerTemplate: {{size: 3, leaderTemplate: {POD}, workerTemplate: {POD}}}}}",
            ),
            [("4", STAYS), ("8", STAYS)],
        ),
    ],
)  # fmt: skip
def test_gpus_of_each_kind(yaml, expected):
    assert rows(yaml) == expected


@pytest.mark.parametrize(
    ("yaml", "reason"),
    [
        (custom("example.com/v1", "Fleet", f"{{pool: {{template: {POD}}}}}"), "the number of pods of a Fleet is not known"),
        (custom("apps.nvidia.com/v1alpha1", "NIMService", f"{{{RESOURCES}}}"), "the number of pods of a NIMService is not known"),
        (custom("serving.kserve.io/v1alpha1", "ServingRuntime", f"{{{GPU}}}"), "other objects start its pods"),
        (
            custom("argoproj.io/v1alpha1", "WorkflowTemplate", f"{{entrypoint: a, templates: [{{name: a, container: {{{RESOURCES}}}}}]}}"),
            "other objects start its pods",
        ),
        (custom("trainer.kubeflow.org/v1alpha1", "TrainJob", "{runtimeRef: {name: torch}}"), "its resources come from its training runtime"),
        (custom("v1", "Pod", '{containers: [{name: a, image: b, resources: {limits: {nvidia.com/gpu: "${N}"}}}]}'), "its limit of nvidia.com/gpu can't be read"),
        (custom("v1", "Pod", '{containers: [{name: a, image: b, resources: "${RESOURCES}"}]}'), "the resources of a container can't be read"),
    ],
)  # fmt: skip
def test_what_is_not_counted_has_a_reason(yaml, reason):
    ((kind, _, given),) = gaps(yaml)

    assert (kind, given) == ("not counted", reason)


def test_the_values_of_a_chart_do_not_tell_the_number_of_pods():
    yaml = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: x, namespace: ai}
spec: {chart: {spec: {chart: somebodys, version: 1.0.0}}, values: {server: {resources: {limits: {nvidia.com/gpu: 1}}}}}
"""
    ((kind, _, reason),) = gaps(yaml)

    assert (kind, reason) == ("not counted", "the templates of its chart are not read")


def deployment(replicas: str) -> str:
    return custom("apps/v1", "Deployment", f"{{{replicas}template: {POD}}}")


def scaler(kind: str, bounds: str, target: str = "kind: Deployment, name: x") -> str:
    return custom("a.b/v1", kind, f"{{scaleTargetRef: {{{target}}}, {bounds}}}", "name: s, namespace: ai")


@pytest.mark.parametrize(
    ("yaml", "total", "reason"),
    [
        (deployment("replicas: 3, "), "6", ""),
        (deployment(""), "≥ 2", "replicas is not set, so an autoscaler may set it"),
        (deployment("replicas: null, "), "≥ 2", "replicas is not set, so an autoscaler may set it"),
        (deployment('replicas: "${N}", '), "?", "the number of pods can't be read"),
        (deployment("") + scaler("HorizontalPodAutoscaler", "maxReplicas: 5"), "≥ 2", "its HorizontalPodAutoscaler scales it"),
        (deployment("") + scaler("HorizontalPodAutoscaler", "minReplicas: 2, maxReplicas: 5"), "≥ 4", "its HorizontalPodAutoscaler scales it"),
        (deployment("replicas: 9, ") + scaler("HorizontalPodAutoscaler", "minReplicas: 2, maxReplicas: 2"), "4", ""),
        (deployment("replicas: 0, ") + scaler("HorizontalPodAutoscaler", "minReplicas: 2, maxReplicas: 5"), "0", ""),
        (deployment("") + scaler("ScaledObject", "maxReplicaCount: 5", "name: x"), "?", "its ScaledObject scales it"),
        (deployment("") + scaler("ScaledObject", "minReplicaCount: 3", "name: x"), "≥ 6", "its ScaledObject scales it"),
        (deployment("") + scaler("ScaledObject", "minReplicaCount: 3, idleReplicaCount: 0", "name: x"), "?", "its ScaledObject scales it"),
        (deployment("replicas: 1, ") + scaler("HorizontalPodAutoscaler", "minReplicas: 5", "kind: StatefulSet, name: x"), "2", ""),
    ],
)  # fmt: skip
def test_an_autoscaler_decides_about_replicas(yaml, total, reason):
    (row,) = usage(read_text(yaml))

    assert (str(row.total), row.total.reason) == (total, reason)


@pytest.mark.parametrize(("policy", "waits"), [("Never", True), ("OnFailure", True), ("Always", False), ('"${POLICY}"', True)])
def test_a_pod_that_ends_may_wait(policy, waits):
    assert rows(custom("v1", "Pod", f"{{restartPolicy: {policy}, {GPU}}}")) == [("2", waits)]


def test_a_pod_is_always_restarted_by_default():
    assert rows(custom("v1", "Pod", f"{{{GPU}}}")) == [("2", STAYS)]


def test_an_object_of_a_counted_owner_is_counted_once():
    owned = "name: x-1, namespace: ai, ownerReferences: [{kind: Deployment, name: x}]"

    assert rows(deployment("replicas: 1, ") + custom("apps/v1", "ReplicaSet", f"{{replicas: 1, template: {POD}}}", owned)) == [("2", STAYS)]
    assert rows(custom("apps/v1", "ReplicaSet", f"{{replicas: 1, template: {POD}}}", owned)) == [("2", STAYS)]


def init(policy: str, amount: int) -> str:
    return f"{{name: i{amount}, image: b, {policy} resources: {{limits: {{nvidia.com/gpu: {amount}}}}}}}"


@pytest.mark.parametrize(
    ("containers", "total"),
    [
        (init("", 3), "3"),  # before the container
        (init("", 1), "2"),
        (init("restartPolicy: Always,", 1), "3"),  # beside the container
        (f"{init('restartPolicy: Always,', 1)}, {init('', 4)}", "5"),
    ],
)
def test_a_sidecar_runs_beside_the_containers(containers, total):
    assert rows(custom("v1", "Pod", f"{{initContainers: [{containers}], {GPU}}}")) == [(total, STAYS)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (
            custom(
                "kubeflow.org/v1", "PyTorchJob", f"{{pytorchReplicaSpecs: {{Master: {{template: {POD}}}, Worker: {{template: {POD}}}}}}}"
            ),
            ["PyTorchJob ai/x (Master)", "PyTorchJob ai/x (Worker)"],
        ),
        (kubeflow("PyTorchJob", "pytorchReplicaSpecs", ""), ["PyTorchJob ai/x"]),
        (kserve(f"maxReplicas: 1, {GPU}, workerSpec: {{{GPU}}}"), ["InferenceService ai/x", "InferenceService ai/x (workerSpec)"]),
    ],
)
def test_the_groups_of_pods_of_one_object_have_names_of_their_own(text, names):
    assert [row.name for row in usage(read_text(text))] == names
