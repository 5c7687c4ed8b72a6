"""Version pairs that do not work together: Talos and Kubernetes, drivers and images."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.images.cuda_drivers import cuda_major, drivers
from ...observed.model import Inputs
from ...observed.nodes.node_settings import talos_of
from ...observed.objects.kubernetes_minor import minor_of
from ...observed.pods.workloads import gpu_workloads
from ...upstream.nvidia.driver_branches import CUDA_FLOORS
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._pods import pod


def _not_supported(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        talos, minor = talos_of(config, inputs), minor_of(config.kubernetes_version)
        if talos is None or minor is None:
            continue
        first, last = talos.release.kubernetes
        if not first <= minor <= last:
            too = "new" if minor > last else "old"
            yield Violation(
                severity=Severity.ERROR,
                message=f"Kubernetes {config.kubernetes_version} is too {too} for Talos {talos}, which runs 1.{first} to 1.{last}. Talos refuses the "
                "configuration",
                about=config,
                path=config.paths.get("kubernetes_version", ()),
                fix=f"Use Kubernetes 1.{last if minor > last else first}, or another Talos",
            )


def _driver_too_old(inputs: Inputs) -> Iterator[Violation]:
    known = drivers(inputs)
    if known is None:
        return
    newest = max(known, key=lambda each: each.branch)
    for workload in gpu_workloads(inputs):
        for container in workload.containers:
            major = cuda_major(container.image)
            if major is not None and container.gpus and newest.branch < CUDA_FLOORS.get(major, 0):
                yield Violation(
                    severity=Severity.WARNING,
                    message=f"the image {f'{container.image}'.partition('@')[0]} by its name and tag has CUDA {major}, which needs driver {CUDA_FLOORS[major]} or newer, but "
                    f"{newest.source} is older. The container may exit with 'CUDA driver version is insufficient for CUDA runtime version'",
                    about=workload.about,
                    path=(*container.path, "image"),
                    fix=f"Use an image built with CUDA {_runs(newest.branch)} (tags with cu126 or cuda12), or a Talos with driver {CUDA_FLOORS[major]} or "
                    "newer: 1.12 with the lts extensions, 1.13 with either track",
                )


def _runs(branch: int) -> int:
    return max(major for major, floor in CUDA_FLOORS.items() if floor <= branch)


_MACHINE = """\
machine:
  type: worker
  install: {image: "factory.talos.dev/metal-installer/1deaeeb1ea2e7901c21c109368a7261f52dfd9a91e9d7eea83cfd0f0e1b7d488:v1.12.11"}
  kubelet: {image: "ghcr.io/siderolabs/kubelet:%s"}
"""
_CUDA_13 = pod().replace("ollama/ollama:0.32.15", "yanwk/comfyui-boot:cu130-slim-v2")
RULES = (
    Rule(
        **WORDS["TG090"],
        severity=Severity.ERROR,
        check=_not_supported,
        failing=Example(yaml=_MACHINE % "v1.36.0"),
        passing=Example(yaml=_MACHINE % "v1.35.4"),
    ),
    Rule(
        **WORDS["TG091"],
        severity=Severity.WARNING,
        check=_driver_too_old,
        failing=Example(yaml=_CUDA_13, talos="1.11"),
        passing=Example(yaml=_CUDA_13, talos="1.13"),
    ),
)
