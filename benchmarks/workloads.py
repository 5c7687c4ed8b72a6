"""A thousand GPU workloads through the pure builders: no cdk8s, no Node.

Prints the seconds for several shapes, the best of seven, beside those of writing the same dicts out by hand and copying them deeply; and what
costs most. Run it from the checkout::

    .venv/bin/python benchmarks/workloads.py
"""

import copy
import cProfile
import pstats
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from constructs_lib import GpuNodes, HttpProbe, Persistent, Taint
from constructs_lib.manifests.workload_objects import gpu_workload
from constructs_lib.manifests.workload_settings import GpuWorkloadSettings

COUNT, ROUNDS = 1000, 7
NODES = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")])
PLAIN: dict[str, Any] = {"nodes": NODES, "image": "ollama/ollama:0.32.15"}
SERVED: dict[str, Any] = {**PLAIN, "port": 11434, "volumes": {"/root/.ollama": Persistent("100Gi")}}
SHAPES: dict[str, dict[str, Any]] = {
    "image alone": PLAIN,
    "with port and volume": SERVED,
    "with everything usual": {
        **SERVED,
        "env": {"OLLAMA_KEEP_ALIVE": "1h"},
        "cpu": 2,
        "memory": "16Gi",
        "shared_memory": "2Gi",
        "startup_probe": HttpProbe("/", failure_threshold=60),
        "liveness_probe": HttpProbe("/"),
        "pod_spec": {"hostname": "ollama"},
    },
}


def best(make: Callable[[int], object]) -> float:
    """The seconds of the fastest of several rounds."""

    def seconds() -> float:
        start = time.perf_counter()
        for number in range(COUNT):
            make(number)
        return time.perf_counter() - start

    return min(seconds() for _ in range(ROUNDS))


def built(given: dict[str, Any]) -> Callable[[int], object]:
    """A function that checks the arguments of one workload, and builds its objects."""
    return lambda number: gpu_workload(GpuWorkloadSettings(name=f"app-{number}", **given))


if __name__ == "__main__":
    print(f"{COUNT} workloads{'':18}built   copied deeply")
    for shape, given in SHAPES.items():
        make = built(given)
        made = make(0)
        print(f"{shape:26} {best(make):6.3f} s {best(lambda _, made=made: copy.deepcopy(made)):9.3f} s")
    print(f"Node was {'started' if 'jsii' in sys.modules else 'not started'}.")
    profile = cProfile.Profile()
    make = built(SERVED)
    profile.runcall(lambda: [make(number) for number in range(COUNT)])
    pstats.Stats(profile).strip_dirs().sort_stats("tottime").print_stats(8)
