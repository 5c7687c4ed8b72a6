"""Every device list strategy, by generation of Talos: one that the library allows gives each pod exactly its card, and one
that it refuses does not work on a real node either."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest

from constructs_lib import GpuNodes
from constructs_lib.arguments.errors import ArgumentError
from constructs_lib.manifests.plugin.settings import DevicePluginSettings
from constructs_lib.upstream.nvidia.plugin_words import LIST_STRATEGY, SPELLINGS, DeviceListStrategy
from nodes import (
    GENERATIONS,
    PLUGIN,
    PLUGIN_PODS,
    advertised,
    allocated,
    applied,
    card_files,
    emitted,
    ended,
    log_of,
    plugin_objects,
    pod_with_gpu,
    report,
    start,
)
from talos_gpu_rehearsal.cards import RTX_4090, placed
from talos_gpu_rehearsal.cluster import Cluster

CARDS = (RTX_4090, RTX_4090)
RELEASES = ("0.17.4", "0.18.2", "0.20.0")
"""The plugins; the rehearsal runs 0.19 in place of 0.20."""
NEWEST = RELEASES[-1]
CASES = [
    *(((str(each),), NEWEST) for each in DeviceListStrategy),
    *(((each,), release) for each in ("envvar", "cdi-cri") for release in RELEASES[:-1]),
    (("envvar", "cdi-cri"), NEWEST),
]
ON_NODES = [(talos, *case) for minor, talos in GENERATIONS.items() for case in CASES if minor != "1.14" or case[1] == NEWEST]
"""The cases on each Talos. 1.14 has the programs and the paths of 1.13, so older plugins run on one of them."""


def is_allowed(talos: str, strategies: Sequence[str]) -> bool:
    """Whether the library emits a plugin with these strategies."""
    try:
        DevicePluginSettings(nodes=GpuNodes(talos_version=talos), device_list_strategy=strategies)
    except ArgumentError:
        return False
    return True


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Cluster]]:
    """A cluster with a node with two cards, of a Talos; the one before has ended."""
    running: dict[str, Cluster] = {}
    with ExitStack() as stack:

        def of(talos: str) -> Cluster:
            if talos not in running:
                stack.close()
                running.clear()
                spec = emitted({"talos_version": talos}, {"runtime-class": {"NvidiaRuntimeClass": {}}}).node("gpu-1", talos, CARDS)
                images = [each for release in RELEASES for each in plugin_objects(talos, image=PLUGIN.format(release))]
                folder = tmp_path_factory.mktemp("strategies") / "cluster"
                running[talos] = stack.enter_context(start(folder, [spec], [*images, pod_with_gpu(talos, "any")]))
            return running[talos]

        yield of


def with_strategy(objects: Sequence[dict[str, Any]], strategy: str) -> list[dict[str, Any]]:
    """Objects of a plugin with another strategy, changed by hand."""
    changed = copy.deepcopy(list(objects))
    for each in changed:
        if each["kind"] == "DaemonSet":
            variables = each["spec"]["template"]["spec"]["containers"][0]["env"]
            [variable] = [one for one in variables if one["name"] in SPELLINGS[LIST_STRATEGY].variables]
            variable["value"] = strategy
    return changed


def cards_in(seen: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The device files and the UUIDs of the cards in a container."""
    return card_files(seen), re.findall(r"GPU-[0-9a-f-]+", seen["nvidia_smi"]["output"])


def gives_each_pod_its_card(made: Cluster, talos: str, strategies: Sequence[str], image: str) -> None:
    plugin = plugin_objects(talos, device_list_strategy=strategies, image=image)
    files = {one.uuid: f"/dev/nvidia{one.place}" for one in placed(CARDS, "gpu-1")}
    pods = [pod_with_gpu(talos, each) for each in ("one", "two")]
    with advertised(made, plugin, len(CARDS)), applied(made, pods):
        for pod in ("one", "two"):
            seen = report(made, pod)
            [card] = allocated(made, pod)
            assert cards_in(seen) == ([files.pop(card)], [card])
    assert not files


def starts_no_container(made: Cluster, talos: str, strategy: str, image: str) -> None:
    """NVIDIA's runtime, to which devices as volume mounts are no devices."""
    plugin = with_strategy(plugin_objects(talos, image=image), strategy)
    with advertised(made, plugin, len(CARDS)), applied(made, [pod_with_gpu(talos, "one")]):
        words = made.eventually(lambda: ended(made, "one"))
    assert words.startswith("StartError: failed to create containerd task: ")
    assert words.endswith('identifier is not a valid UUID or index: "/var/run/nvidia-container-devices"')


def finds_no_libraries(made: Cluster, strategies: Sequence[str], image: str) -> None:
    """The plugin as the library emits it for Talos 1.13, on an older one."""
    with applied(made, plugin_objects(GENERATIONS["1.13"], device_list_strategy=strategies, image=image)):
        log = made.eventually(lambda: log_of(made, PLUGIN_PODS), lambda text: "error starting plugins" in text, "an error of the plugin")
    assert "unable to create cdi spec file: failed to get CDI spec: " in log
    assert "failed to locate libcuda.so" in log
    assert not (made.nodes["gpu-1"].view / "run/cdi/k8s.device-plugin.nvidia.com-gpu.json").exists()


@pytest.mark.parametrize(("talos", "strategies", "release"), ON_NODES, ids=str)
def test_a_strategy_gives_each_pod_exactly_its_card_where_the_library_allows_it_and_fails_where_it_refuses_it(
    node, talos, strategies, release
):
    made, image = node(talos), PLUGIN.format(release)
    if is_allowed(talos, strategies):
        gives_each_pod_its_card(made, talos, strategies, image)
    elif "volume-mounts" in strategies:
        starts_no_container(made, talos, *strategies, image)
    else:
        finds_no_libraries(made, strategies, image)


def test_the_library_allows_these_strategies():
    """What the nodes of the other test have to agree with."""
    allowed = {minor: [str(each) for each in DeviceListStrategy if is_allowed(talos, [each])] for minor, talos in GENERATIONS.items()}
    cdi = ["envvar", "cdi-annotations", "cdi-cri"]
    assert allowed == {"1.12": ["envvar"], "1.13": cdi, "1.14": cdi}
