"""The register of the recorded dumps, and the scenes that they begin with."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from dump_clusters import CDI, LEGACY, PLUGIN, dra_driver, gpu_side, operator, operators_labels, published, standalone, workload
from dump_scene import Scene
from kubelet_words import initialized
from talos_side import TalosSide

NO_GPU = "Insufficient nvidia.com/gpu"


@dataclasses.dataclass(frozen=True)
class Expected:
    """A cause by its stable name, and its subjects."""

    cause: str
    subjects: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Recording:
    """A dump: its name, the scene, the causes in the order in which they must be mended, and the parts that are printed."""

    name: str
    play: Callable[[Scene], None]
    expected: tuple[Expected, ...]
    form: str
    only: tuple[str, ...]


RECORDINGS: dict[str, Recording] = {}


def recorded(
    name: str, *expected: Expected, form: str = "folder", only: tuple[str, ...] = ()
) -> Callable[[Callable[[Scene], None]], Callable[[Scene], None]]:
    """Register a scene. `form` is bundle, folder, list, json, stream or support; `only` has the beginnings of the paths that are kept, such as `talos/`."""

    def register(play: Callable[[Scene], None]) -> Callable[[Scene], None]:
        assert name not in RECORDINGS, name
        RECORDINGS[name] = Recording(name, play, expected, form, only)
        return play

    return register


def because(cause: str, *subjects: str) -> Expected:
    """A cause with its subjects."""
    return Expected(cause, subjects)


def on_node(cause: str) -> Expected:
    """A cause on the only GPU node."""
    return Expected(cause, ("gpu-1",))


OLLAMA = "pod ollama/ollama-{}-bbbbc"


def standalone_cluster(scene: Scene, side: TalosSide | None = None, *others: TalosSide, capacity: int = 1, work: bool = True) -> None:
    """A healthy cluster with the standalone device plugin, and Ollama on its GPU."""
    sides = (side or gpu_side(CDI), *others)
    scene.join(*sides)
    scene.apply(standalone(sides[0].machine.talos, replicas=capacity if capacity > 1 else 0))
    scene.until(lambda: len(scene.pods(PLUGIN)) == len(sides) and scene.runs(PLUGIN), "a running plugin")
    for each in sides:
        scene.offer(each.machine.name, capacity)
    if work:
        scene.apply(workload(sides[0].machine.talos))
        scene.until(lambda: scene.runs("ollama"), "a running Ollama")


def broken_node(scene: Scene, side: TalosSide, plugin: Callable[[Scene, Mapping[str, Any]], None]) -> None:
    """A cluster whose only GPU node is broken: the pod of the plugin is in the given state, and Ollama waits for a GPU."""
    scene.join(side)
    scene.apply(standalone(side.machine.talos))
    scene.until(lambda: scene.runs(PLUGIN), "a plugin on its node")
    scene.offer(side.machine.name, 0)
    plugin(scene, scene.pods(PLUGIN)[0])
    scene.apply(workload(side.machine.talos))
    scene.until(lambda: scene.pending("ollama", NO_GPU), "a pending Ollama")


def operator_cluster(scene: Scene, talos: str = CDI, *, bridge: bool = True, driver: bool = False, **faults: Any) -> None:
    """A cluster with the GPU operator, whose plugin runs; no node offers a GPU yet."""
    is_bridged = talos == LEGACY and bridge
    side = gpu_side(talos, operator=is_bridged, **faults)
    scene.join(side)
    labels = operators_labels(validator=not is_bridged)
    scene.lab.patch({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "gpu-1", "labels": labels}}, manager="agents")
    scene.apply(operator(talos, bridge=bridge, driver=driver))
    operands = ["gpu-operator", "nvidia-device-plugin", *(["nvidia-validation-bridge"] if is_bridged else ["nvidia-operator-validator"])]
    scene.until(lambda: all(scene.runs(each) for each in operands), "running operands")
    for each in (pod for pod in scene.pods("nvidia-") if pod["spec"].get("initContainers")):
        initialized(scene, each)


def claimed_cluster(scene: Scene, talos: str = CDI, *, slices: bool = True, work: bool = True) -> None:
    """A cluster with NVIDIA's DRA driver, and Ollama with a claim."""
    side = gpu_side(talos)
    scene.join(side)
    scene.apply(dra_driver())
    scene.until(lambda: scene.runs("dra-driver"), "a running DRA driver")
    for each in scene.pods("dra-driver"):
        initialized(scene, each)
    if slices:
        scene.apply([published(side)])
    if work:
        scene.apply(workload(talos, claims=True))
        scene.until(lambda: scene.runs("ollama") if slices else scene.pods("ollama"), "Ollama with its claim")


def logged(scene: Scene, pod: Mapping[str, Any], *lines: str, previous: bool = False) -> None:
    """The log of the pod's first container, as `kubectl logs --prefix` prints it."""
    metadata = pod["metadata"]
    prefix = f"[pod/{metadata['name']}/{pod['spec']['containers'][0]['name']}]"
    path = f"kubernetes/logs/{metadata['namespace']}/{metadata['name']}{'.previous' if previous else ''}.log"
    scene.files[path] = "".join(f"{prefix} {line}\n" for line in lines)
