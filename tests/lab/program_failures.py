"""Failures of programs that have started: what they see of the GPU."""

from __future__ import annotations

import sentences as words
from dump_clusters import CDI, LEGACY, NEWEST, changed, gpu_side, with_container, workload
from dump_plays import because, logged, recorded, standalone_cluster
from dump_scene import GPU, Scene
from kubelet_words import crash
from pod_failures import OLLAMA, ready


@recorded("newest-out-of-memory", because("out-of-memory", OLLAMA))
def oom_killed(scene: Scene) -> None:
    """The memory of the container, not that of the card."""
    standalone_cluster(scene, gpu_side(NEWEST), work=False)
    amounts = {GPU: 1, "memory": "2Gi"}
    scene.apply(with_container(workload(NEWEST), "Deployment", resources={"limits": amounts, "requests": amounts}))
    scene.until(lambda: scene.runs("ollama"))
    crash(scene, scene.pods("ollama")[0], code=137, reason="OOMKilled")


@recorded("legacy-no-gpu-in-pod", because("runtime-class-not-named", OLLAMA))
def no_gpu_in_pod(scene: Scene) -> None:
    """Talos 1.12, a limit, and no RuntimeClass: the runtime injects nothing, and Ollama runs on the CPU."""
    ready(scene, LEGACY)
    scene.apply(changed(workload(LEGACY), "Deployment", runtimeClassName=None))
    scene.until(lambda: scene.runs("ollama"))
    logged(scene, scene.pods("ollama")[0], words.NOT_COMPATIBLE("2026-11-22T10:00:00.000Z", "gpu.go:377"))


@recorded("cdi-no-gpu-in-pod", because("runtime-class-not-named", OLLAMA))
def no_gpu_by_variable(scene: Scene) -> None:
    """Talos 1.13 and the strategy envvar: a limit without RuntimeClass gives the variable, and no device."""
    ready(scene, CDI)
    scene.apply(changed(workload(CDI), "Deployment", runtimeClassName=None))
    scene.until(lambda: scene.runs("ollama"))
    logged(scene, scene.pods("ollama")[0], words.NOT_COMPATIBLE("2026-11-22T10:00:00.000Z", "gpu.go:377"))


def _sees(scene: Scene, talos: str, *lines: str) -> None:
    ready(scene, talos)
    scene.apply(with_container(workload(talos), "Deployment", image="vllm/vllm-openai:v0.20.1"))
    scene.until(lambda: scene.runs("ollama"))
    pod = scene.pods("ollama")[0]
    crash(scene, pod)
    logged(scene, pod, *lines)


@recorded("legacy-driver-too-old", because("driver-too-old", OLLAMA))
def too_old(scene: Scene) -> None:
    _sees(
        scene,
        LEGACY,
        words.TOO_OLD(12080),
    )


@recorded("newest-cuda-803", because("cuda-803", OLLAMA))
def cuda_803(scene: Scene) -> None:
    _sees(
        scene,
        NEWEST,
        words.CUDA_COUNT("803: system has unsupported display driver / cuda driver combination"),
    )


@recorded("cdi-cuda-804", because("cuda-804", OLLAMA), form="list")
def cuda_804(scene: Scene) -> None:
    _sees(
        scene,
        CDI,
        words.CUDA_COUNT("804: forward compatibility was attempted on non supported HW"),
    )
