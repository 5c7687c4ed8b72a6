"""GPU requests of pods against the resources that the device plugins advertise and share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...nodes.gpu_nodes import GpuNodes
from ...nodes.sharing import TimeSlicing
from ...observed.model import Inputs, Path, question
from ...observed.nodes.offers import TIME_SLICING, Offer, offers
from ...observed.pods.pod_counts import Count
from ...observed.pods.workloads import Container, Workload, gpu_workloads, whole_number
from ...upstream.nvidia.gpu_resources import MIG_RESOURCE, SHARED_SUFFIX
from ..edit import set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._pods import ONE_GPU, TWO_GPUS, pod


@question
def _asked(inputs: Inputs) -> list[tuple[Workload, Container, str]]:
    """Every container that requests a GPU, with the resource."""
    return [
        (workload, container, name) for workload in gpu_workloads(inputs) for container in workload.containers for name in container.gpus
    ]


def _path(container: Container, name: str) -> Path:
    return (*container.path, "resources", "limits", name)


def _not_advertised(inputs: Inputs) -> Iterator[Violation]:
    offered = offers(inputs)
    if offered is None:
        return
    reason = _advertised(offered)
    for workload, container, name in _asked(inputs):
        if not any(each.has(name) for each in offered) and whole_number(container.gpus[name]) != 0:
            is_scaled_down = workload.pods == Count(0)
            effect = "Once the workload has replicas, its pods stay Pending" if is_scaled_down else "The pods stay Pending"
            yield Violation(
                severity=Severity.WARNING if is_scaled_down else Severity.ERROR,
                message=f"the pod requests {name}, but {reason}. {effect}",
                about=workload.about,
                path=_path(container, name),
                fix=_other_resource(offered, name),
            )


def _advertised(offered: Sequence[Offer]) -> str:
    names = " and ".join(sorted({name for each in offered for name in each.names}))
    if not names:
        return "the GPUs of the described nodes belong to virtual machines (passthrough)"
    if all(each.about is None for each in offered):
        return f"the described nodes offer only {names}"
    return f"the device plugins in these files advertise only {names}"


def _other_resource(offered: Sequence[Offer], name: str) -> str:
    """The fix for a resource that is not advertised: one that is, or the option by which the plugin advertises this one."""
    advertised = {each for offer in offered for each in offer.names}
    if not advertised:
        return "Set a nodeSelector for GPU nodes without passthrough, and describe these nodes, too (--nodes, or GpuNodes)"
    request = f"Set limits: {' or '.join(f'{{{each}: 1}}' for each in sorted(advertised))}"
    if f"{name}{SHARED_SUFFIX}" in advertised:
        return f"{request}, or set renameByDefault: false in the plugin's config"
    if name.endswith(SHARED_SUFFIX):
        return f"{request}, or share {name.removesuffix(SHARED_SUFFIX)} with renameByDefault: true in the plugin's config"
    if name.startswith(MIG_RESOURCE):
        return f"{request}, or set migStrategy: mixed"
    return request


def _more_than_one_share(inputs: Inputs) -> Iterator[Violation]:
    for workload, container, name in _asked(inputs):
        offered = [each for each in offers(inputs) or () if each.has(name)]
        number = whole_number(container.gpus[name])
        if number is not None and number > 1 and offered and all(_fails(each, name) for each in offered):
            how = offered[0].shared[name].strategy
            yield Violation(
                severity=Severity.ERROR,
                message=f"the pod requests {name}: {number}, but the resource is shared by {how} with failRequestsGreaterThanOne. The device plugin "
                "refuses the pods",
                about=workload.about,
                path=_path(container, name),
                edits=set_to(1, safe=False),
            )


def _shares_of_one_card(inputs: Inputs) -> Iterator[Violation]:
    for workload, container, name in _asked(inputs):
        offered = [each for each in offers(inputs) or () if each.has(name)]
        number = whole_number(container.gpus[name])
        if number is not None and number > 1 and offered and all(_is_time_sliced(each, name) for each in offered):
            is_sure = bool(inputs.nodes) and all(nodes.gpus_per_node == 1 for nodes in inputs.nodes)
            yield Violation(
                severity=Severity.WARNING if is_sure else Severity.INFO,
                message=f"the pod requests {name}: {number}, but the resource is shared by time-slicing. {number} shares {'are' if is_sure else 'may be'} shares "
                "of one card: the container then sees one GPU, and gets no more memory or time of the GPU than with one share",
                about=workload.about,
                path=_path(container, name),
            )


def _is_time_sliced(offer: Offer, name: str) -> bool:
    return name in offer.shared and offer.shared[name].strategy == TIME_SLICING and not _fails(offer, name)


def _fails(offer: Offer, name: str) -> bool:
    return name in offer.shared and offer.shared[name].fails_above_one


_PLUGIN = """\
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: nvidia-device-plugin, namespace: kube-system}
spec:
  chart: {spec: {chart: nvidia-device-plugin, version: 0.20.0}}
  values:
    runtimeClassName: nvidia
    gfd: {enabled: true}
    config:
      map:
        config.yaml: |
          version: v1
          sharing:
            timeSlicing:
              renameByDefault: %s
              failRequestsGreaterThanOne: true
              resources: [{name: nvidia.com/gpu, replicas: 4}]
"""
_SHARE = "      resources: {limits: {nvidia.com/gpu.shared: 1}}\n"

_SHARED = _PLUGIN.replace("failRequestsGreaterThanOne: true", "failRequestsGreaterThanOne: false")
_ONE_CARD = (
    GpuNodes(talos_version="1.13", count=1, gpus_per_node=1, sharing=TimeSlicing(replicas=4, fail_requests_greater_than_one=False)),
)

RULES = (
    Rule(
        **WORDS["TG115"],
        severity=Severity.WARNING,
        check=_shares_of_one_card,
        failing=Example(yaml=pod(TWO_GPUS) + _SHARED % "false", nodes=_ONE_CARD),
        # Each container has one share.
        passing=Example(
            yaml=pod(f"{ONE_GPU}    - name: embeddings\n      image: ollama/ollama:0.32.15\n{ONE_GPU}") + _SHARED % "false", nodes=_ONE_CARD
        ),
    ),
    Rule(
        **WORDS["TG046"],
        severity=Severity.ERROR,
        check=_more_than_one_share,
        failing=Example(yaml=pod(TWO_GPUS) + _PLUGIN % "false"),
        passing=Example(yaml=pod(ONE_GPU) + _PLUGIN % "false"),
    ),
    Rule(
        **WORDS["TG047"],
        severity=Severity.ERROR,
        check=_not_advertised,
        failing=Example(yaml=pod(ONE_GPU) + _PLUGIN % "true"),
        passing=Example(yaml=pod(_SHARE) + _PLUGIN % "true"),
    ),
)
