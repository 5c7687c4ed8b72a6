"""The GPU pods of Spark on Kubernetes: the pod template, and the settings by which Spark counts the GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...arguments.errors import wrong
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, text
from ...nodes.gpu_nodes import GpuNodes, to_container_nodes
from ...upstream.charts.pod_keys import SPARK_CONTAINERS, SPARK_DISCOVERY, SPARK_VENDOR, SparkRole
from ...upstream.nvidia.gpu_resources import GPU_RESOURCE
from ..gpu_pod import check_gpus, gpu_pod, has_gpus_without_profile
from .pod_spelling import first_container


@named_arguments(nodes="a pod of Spark with GPUs runs on a class of GPU nodes")
def spark_template(
    template: Mapping[str, Any] | None = None,
    *,
    nodes: GpuNodes,
    gpus: int = 1,
    role: SparkRole | str = SparkRole.EXECUTOR,
    profile: str | None = None,
    claim: str | None = None,
    container: str | None = None,
) -> dict[str, Any]:
    """The pod template of Spark's executors, or of its driver, with GPUs of a class of nodes.

    Spark's settings know no RuntimeClass and no tolerations; a pod template has both. Spark keeps what the template has, and adds image, memory, processors
    and the GPUs of `spark_conf`.

    Makes no object. Returns the template for the file of `spark.kubernetes.executor.podTemplateFile`, or of `spark.kubernetes.driver.podTemplateFile`. The
    template of a driver without a GPU is not needed.

    Args:
        template: Your own pod template. Default: one with Spark's container and nothing else.
        nodes: The class of nodes.
        gpus: The number of GPUs of each pod, or of shares where `nodes` shares GPUs. Default: 1.
        role: `executor` or `driver`. Default: `executor`.
        profile: The MIG profile of the partitions, as in `gpu_pod`. Default: none.
        claim: The name of the ResourceClaimTemplate, as in `gpu_pod`. Default: as in `gpu_pod`.
        container: The container of Spark. Default: the first, which Spark takes.

    Returns:
        A new template.

    Raises:
        TypeError, ValueError: `'role' must be one of …`, and what `gpu_pod` raises.

    Example:
        >>> spark_template(nodes=GpuNodes(talos_version="1.12"))["spec"]["runtimeClassName"]
        'nvidia'

    https://spark.apache.org/docs/latest/running-on-kubernetes.html#pod-template
    """
    part = choice("role", role, SparkRole)
    given = {"spec": {"containers": [{"name": SPARK_CONTAINERS[part]}]}} if template is None else template
    chosen = first_container("template", given, container)
    return gpu_pod(given, nodes=nodes, gpus=gpus, profile=profile, container=chosen, claim=claim)


@named_arguments(nodes="Spark's GPUs are those of a class of GPU nodes")
def spark_conf(
    *, nodes: GpuNodes, gpus: int = 1, role: SparkRole | str = SparkRole.EXECUTOR, discovery_script: str = SPARK_DISCOVERY
) -> dict[str, str]:
    """The settings by which Spark counts the GPUs of its executors, or of its driver.

    Spark makes the limit of a GPU from `vendor` and the name `gpu`, which is `nvidia.com/gpu`. It can't name shares with a name of their own, MIG profiles
    or claims; there the pod template of `spark_template` alone gives the GPU, and Spark's tasks do not count GPUs.

    Makes no object. Returns `amount`, `vendor` and `discoveryScript` of `spark.executor.resource.gpu`. How many tasks share a GPU is yours, by
    `spark.task.resource.gpu.amount`.

    Args:
        nodes: The class of nodes, whose GPUs are `nvidia.com/gpu`.
        gpus: The number of GPUs of each pod. Default: 1.
        role: `executor` or `driver`. Default: `executor`.
        discovery_script: The script in the image that prints the GPUs of the container. Default: the one in Spark's own images.

    Returns:
        The settings by name.

    Raises:
        TypeError, ValueError: `'nodes' must be a class whose GPUs are nvidia.com/gpu …`, `'gpus' must be …`, `'role' must be one of …`.

    Example:
        >>> spark_conf(nodes=GpuNodes(talos_version="1.12"), gpus=2)["spark.executor.resource.gpu.amount"]
        '2'

    https://spark.apache.org/docs/latest/running-on-kubernetes.html#resource-allocation-and-configuration-overview
    """
    to_container_nodes(nodes, "nodes")
    if nodes.dra or nodes.resource() != GPU_RESOURCE or not has_gpus_without_profile(nodes):
        hint = "Spark has no name for other GPUs; `spark_template` alone gives them to the pod"
        raise wrong("nodes", f"a class whose GPUs are {GPU_RESOURCE}", nodes, hint)
    prefix = f"spark.{choice('role', role, SparkRole)}.resource.gpu"
    return {
        f"{prefix}.amount": str(check_gpus(gpus, nodes)),
        f"{prefix}.vendor": SPARK_VENDOR,
        f"{prefix}.discoveryScript": text("discovery_script", discovery_script),
    }
