"""`gpu_values`: the values of third-party charts and operators, with what the GPU pods of a class of nodes want."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from ...arguments.errors import wrong
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, given, plain_mapping
from ...nodes.gpu_nodes import GpuNodes, to_container_nodes
from ...upstream.charts.pod_keys import Program
from . import charts, operators
from .gpu_requests import GpuRequest

_WRITERS: Mapping[Program, operators.Writer] = {
    Program.APP_TEMPLATE: charts.app_template,
    Program.OLLAMA: charts.ollama,
    Program.JUPYTERHUB: charts.jupyterhub,
    Program.VLLM_STACK: charts.vllm_stack,
    Program.KSERVE: charts.kserve,
    Program.KUBESPAWNER: charts.kubespawner,
    Program.KSERVE_PREDICTOR: operators.kserve_predictor,
    Program.ARGO_WORKFLOWS: operators.argo_workflows,
    Program.RAY: operators.ray,
    Program.SPARK_EXECUTOR: operators.spark_template("executor"),
    Program.SPARK_DRIVER: operators.spark_template("driver"),
    Program.SPARK_EXECUTOR_CONF: operators.spark_conf("executor"),
    Program.SPARK_DRIVER_CONF: operators.spark_conf("driver"),
}
_WITH_WORKLOADS = (Program.APP_TEMPLATE, Program.VLLM_STACK)
_WITH_CONTAINERS = (
    Program.APP_TEMPLATE,
    Program.KSERVE_PREDICTOR,
    Program.ARGO_WORKFLOWS,
    Program.RAY,
    Program.SPARK_EXECUTOR,
    Program.SPARK_DRIVER,
)


@named_arguments(nodes="the values are for GPU pods of a class of nodes")
def gpu_values(
    program: Program | str,
    values: Mapping[str, Any] | None = None,
    *,
    nodes: GpuNodes,
    gpus: int = 1,
    profile: str | None = None,
    claim: str | None = None,
    workload: str | None = None,
    container: str | None = None,
) -> dict[str, Any]:
    """The values of a third-party chart or operator, completed with what its GPU pods want on a class of nodes.

    Third-party charts and operators know nothing of Talos: without these values their pods miss the RuntimeClass,
    stay Pending before the nodes' taints, or wait for a GPU that the pod of the last version still holds. The values
    come from `gpu_pod`, in the program's own keys: RuntimeClass, tolerations, node selector or affinity, limit or
    claim, the label of the class, and `NVIDIA_VISIBLE_DEVICES=void` for the containers without a GPU. Where a second
    pod would start beside the first, the strategy is `Recreate`.

    Makes no object. The programs, and what `values` and the result are:

    - `app-template` (bjw-s), `ollama` (otwld), `jupyterhub` (Zero to JupyterHub), `vllm-stack` (vLLM's production
      stack): the values of the chart. `kserve`: the values that make KServe use Deployments; Knative refuses a
      RuntimeClass.
    - `kserve-predictor`: `spec.predictor` of an InferenceService, with `model` or `containers`.
    - `argo-workflows`: an item of `templates` of a Workflow. Fields without a key of their own are in `podSpecPatch`.
    - `ray`: `headGroupSpec` or an item of `workerGroupSpecs` of a RayCluster, with `template`. `num-gpus` is always
      written: KubeRay counts only limits whose name ends in `gpu`. A head without a GPU stays as it is.
    - `kubespawner`: the `kubespawner_override` of one profile of JupyterHub. KubeSpawner replaces its own lists: give
      the tolerations that your other notebooks have in `values` as well.
    - `spark-executor`, `spark-driver`: the pod template, for the file of `spark.kubernetes.executor.podTemplateFile`.
    - `spark-executor-conf`, `spark-driver-conf`: the settings by which Spark counts GPUs named `nvidia.com/gpu`. How
      many tasks share a GPU is yours, by `spark.task.resource.gpu.amount`.

    Args:
        program: The chart or operator, by a name of the list.
        values: Your own values. They stay, and a value that contradicts the nodes is refused. Default: none.
        nodes: The class of nodes.
        gpus: The number of GPUs of each pod, or of shares where `nodes` shares GPUs. Default: 1.
        profile: The MIG profile of the pod's partitions, as in `gpu_pod`. Default: none.
        claim: The name of the ResourceClaimTemplate, as in `gpu_pod`, on nodes with `dra`, where the program has a key
            for a claim. Default: the name that `GpuClaim` derives from the same nodes, number of GPUs and profile.
        workload: The controller of `app-template`, or the model of `vllm-stack`, whose pods get the GPUs. Default: the
            only one; a new controller `main`.
        container: The container that gets the GPUs, for `app-template`, `kserve-predictor`, `argo-workflows`, `ray` and
            Spark's templates. Default: the only one, or the first where the program takes the first for its own.

    Returns:
        New values; the given values do not change.

    Raises:
        TypeError, ValueError: `'program' must be one of …`, `'workload' must be …`, `'values' must be without …` for a
            value that contradicts the nodes, `'nodes' must be a class without 'dra' …` where there is no key for a
            claim, and what `gpu_pod` raises.

    Example:
        >>> nodes = GpuNodes(talos_version="1.12", labels={"role": "gpu"})
        >>> values = gpu_values("ollama", {"persistentVolume": {"enabled": True}}, nodes=nodes)
        >>> values["runtimeClassName"], values["ollama"]["gpu"]["number"], values["nodeSelector"]
        ('nvidia', 1, {'role': 'gpu'})
        >>> gpu_values("spark-executor", nodes=nodes)["spec"]["runtimeClassName"]
        'nvidia'

    https://helm.sh/docs/chart_template_guide/values_files/
    """
    name = choice("program", program, Program)
    to_container_nodes(nodes, "nodes")
    completed = copy.deepcopy(plain_mapping("values", given(values), "a mapping of the program's values"))
    for argument, written, programs in (("workload", workload, _WITH_WORKLOADS), ("container", container, _WITH_CONTAINERS)):
        if written is not None and name not in programs:
            raise wrong(argument, f"left out for {name}", written, "it has one pod with GPUs, and one container of it")
    _WRITERS[name](completed, GpuRequest(nodes, gpus, profile, container, claim), workload)
    return completed
