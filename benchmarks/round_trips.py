"""Fifty GPU Deployments with their Services: `GpuWorkload` beside cdk8s-plus-28 with the JSON patches that one writes instead.

Prints the round trips to jsii's kernel, which are the same on every machine, and the seconds to build and to synthesize, the medians of five
fresh processes each (the import of the library is not in them). Run it from the checkout::

    .venv/bin/python benchmarks/round_trips.py
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
IMAGE, COUNT, ROUNDS = "ollama/ollama:0.32.15", 50, 5


def with_gpu_workload() -> Callable[[Any, str], Any]:
    """A function that adds one workload to a chart."""
    from constructs_lib import GpuNodes, GpuWorkload, Taint

    nodes = GpuNodes(talos_version="1.12", labels={"role": "gpu"}, taints=[Taint("dedicated", "ai")])
    return lambda chart, name: GpuWorkload(chart, name, nodes=nodes, image=IMAGE, port=11434)


def with_cdk8s_plus() -> Callable[[Any, str], Any]:
    """The same by hand: what cdk8s-plus has no field for is patched in."""
    import cdk8s_plus_28 as kplus
    from cdk8s import ApiObject, JsonPatch

    tolerations = [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "dedicated", "operator": "Equal", "value": "ai", "effect": "NoSchedule"},
    ]

    def make(chart: Any, name: str) -> None:
        container = kplus.ContainerProps(name=name, image=IMAGE, port_number=11434)
        deployment = kplus.Deployment(chart, name, replicas=1, strategy=kplus.DeploymentStrategy.recreate(), containers=[container])
        deployment.expose_via_service(name=name)
        one = kplus.k8s.Quantity.from_number(1)
        pod = "/spec/template/spec"
        ApiObject.of(deployment).add_json_patch(
            JsonPatch.add(f"{pod}/runtimeClassName", "nvidia"),
            JsonPatch.add(f"{pod}/nodeSelector", {"role": "gpu"}),
            JsonPatch.add(f"{pod}/tolerations", tolerations),
            JsonPatch.add(f"{pod}/enableServiceLinks", value=False),
            JsonPatch.add(f"{pod}/containers/0/resources/limits/nvidia.com~1gpu", one),
            JsonPatch.add(f"{pod}/containers/0/resources/requests/nvidia.com~1gpu", one),
        )

    return make


def measured(way: str) -> list[float]:
    """Round trips to build, seconds to build, seconds to synthesize; of this process."""
    import jsii
    from cdk8s import App, Chart

    make = {"GpuWorkload": with_gpu_workload, "cdk8s-plus-28": with_cdk8s_plus}[way]()
    process, sent = jsii.kernel.provider._process, []  # noqa: SLF001  # where every request passes
    send = process.send
    process.send = lambda request, response: (sent.append(1), send(request, response))[1]
    with tempfile.TemporaryDirectory() as folder:
        app = App(outdir=folder)
        chart = Chart(app, "chart")
        sent.clear()
        start = time.perf_counter()
        for number in range(COUNT):
            make(chart, f"app-{number}")
        built, trips = time.perf_counter(), len(sent)
        app.synth()
        done = time.perf_counter()
        assert (Path(folder) / "chart.k8s.yaml").read_text().count("nvidia.com/gpu: 1") == 2 * COUNT
    return [trips, built - start, done - built]


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(measured(sys.argv[1])))
        sys.exit()
    print(f"{COUNT} Deployments and Services{'':12}round trips   build       synth")
    for way in ("GpuWorkload", "cdk8s-plus-28"):
        command = [sys.executable, __file__, way]
        env = {"PYTHONPATH": str(ROOT), **os.environ}
        runs = [json.loads(subprocess.run(command, env=env, capture_output=True, check=True).stdout) for _ in range(ROUNDS)]
        trips, build, synth = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"{way:38} {trips:11.0f} {build:7.3f} s {synth:9.3f} s")
