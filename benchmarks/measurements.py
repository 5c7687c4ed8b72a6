"""The measurements of one process, printed as JSON: `measurements.py build WAY OBJECTS`, `fleet WAY CLUSTERS`, `kept WAY CLUSTERS`, `synth CLUSTERS`, `apps CLUSTERS`, `checks OBJECTS`, `files FILES`, `builders WORKLOADS`.

Times are seconds of the processor, of Python and of jsii's kernel in Node together: another program on the machine does not count in them.
The times of the kernel and the memory are those of Linux' /proc.
"""

import copy
import gc
import json
import os
import resource
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from check_inputs import manifests, repository
from platforms import IMAGE, NAMESPACE, PATH, PLATFORMS, PORT, SIZE, WORKLOADS_OF_A_SYNTH, Platform, fleet_file, workloads_of

Measured = dict[str, float]
WORKLOADS_OF_A_CLUSTER = 2


class Kernel:
    """The process of jsii's kernel: the number of requests, the processor's time, the memory, and the objects."""

    def __init__(self) -> None:
        import jsii

        self._kernel = jsii.kernel
        self.process = jsii.kernel.provider._process  # noqa: SLF001  # every request passes there
        self.requests = 0
        send = self.process.send

        def counted(request: Any, response: Any) -> Any:
            self.requests += 1
            return send(request, response)

        self.process.send = counted

    def _of_processes(self, file: str) -> list[str]:
        """The files of the process that jsii starts, and of its children: one of them is the kernel."""
        found = [Path(f"/proc/{self.process._process.pid}")]  # noqa: SLF001
        for folder in found:
            found += [Path(f"/proc/{pid}") for pid in (folder / "task" / folder.name / "children").read_text(encoding="utf-8").split()]
        return [(folder / file).read_text(encoding="utf-8") for folder in found]

    @property
    def seconds(self) -> float:
        """The processor's time of all threads."""
        fields = [text.rpartition(")")[2].split() for text in self._of_processes("stat")]
        return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")

    @property
    def peak(self) -> int:
        """The largest resident memory, in KiB."""
        return sum(int(line.split()[1]) for text in self._of_processes("status") for line in text.splitlines() if line.startswith("VmHWM"))

    @property
    def objects(self) -> int:
        """The objects that the kernel keeps for Python."""
        return int(self._kernel.stats().object_count)


def build(way: str, objects: int) -> Measured:
    """Build and synthesize one platform."""
    from cdk8s import App, Chart

    platform, kernel = PLATFORMS[way](), Kernel()

    def now() -> float:
        return time.process_time() + kernel.seconds

    with tempfile.TemporaryDirectory() as folder:
        app = App(outdir=folder)
        chart = Chart(app, "chart", namespace=NAMESPACE)
        kernel.requests, start = 0, now()
        platform(chart, workloads_of(objects))
        requests, built = kernel.requests, now()
        app.synth()
        done = now()
        made = (Path(folder) / "chart.k8s.yaml").read_text(encoding="utf-8").count("\nkind: ")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + kernel.peak
    return {"objects": made, "requests": requests, "build": built - start, "synth": done - built, "inside": done - start, "peak": peak}


def fleet(way: str, clusters: int) -> Measured:
    """Build and synthesize many apps in one process, one for each cluster: whether a later app costs more."""
    platform, kernel = PLATFORMS[way](), Kernel()

    def run(apps: int) -> float:
        start = time.process_time() + kernel.seconds
        for _ in range(apps):
            _cluster(platform)
        return (time.process_time() + kernel.seconds - start) / apps

    quarter = max(clusters // 4, 1)
    run(3)  # what a process loads once
    first = run(quarter)
    run(clusters - 2 * quarter)
    return {"first": first, "last": run(quarter)}


def kept(way: str, clusters: int) -> Measured:
    """What stays in Python, and in jsii's kernel, after an app."""
    platform, kernel = PLATFORMS[way](), Kernel()
    for _ in range(clusters):  # what a process loads once
        _cluster(platform)
    before = kernel.objects
    gc.collect()
    tracemalloc.start()
    for _ in range(clusters):
        _cluster(platform)
    gc.collect()
    return {"kernel": (kernel.objects - before) / clusters, "bytes": tracemalloc.get_traced_memory()[0] / clusters}


def _cluster(platform: Platform) -> None:
    from cdk8s import App, Chart

    with tempfile.TemporaryDirectory() as folder:
        app = App(outdir=folder)
        platform(Chart(app, "chart", namespace=NAMESPACE), WORKLOADS_OF_A_CLUSTER)
        app.synth()


def synth(clusters: int) -> Measured:
    """Synthesize clusters of 20 objects from one file, with the checks, as the command does."""
    from constructs_lib.clusters.cluster_file import ClusterFile
    from constructs_lib.clusters.fleet import Settings, outcomes
    from constructs_lib.clusters.output_folder import OutputFolder

    with tempfile.TemporaryDirectory() as folder:
        output = OutputFolder(folder)
        with output.staging() as staging:
            start, marks = time.process_time(), []
            file = ClusterFile("fleet.yaml", fleet_file(clusters))
            settings = Settings(file, output, staging, "1", has_several=True)
            for outcome in outcomes(settings, list(file.clusters()), 1):
                if outcome.errors or outcome.violations:
                    raise ValueError(str(outcome))
                marks.append((time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))
            output.take(staging)
            done = time.process_time()
        made = sum(path.read_text(encoding="utf-8").count("\nkind: ") for path in Path(folder).rglob("*.k8s.yaml"))
    quarter = clusters // 4
    # The first cluster loads the modules.
    first, last = marks[quarter][0] - marks[1][0], marks[-1][0] - marks[-quarter][0]
    of_memory = marks[-1][1] / marks[quarter][1]
    return {
        "objects": made,
        "inside": done - start,
        "growth": last / first,
        "memory": of_memory,
        "each": (marks[-1][0] - marks[1][0]) / (clusters - 2),
    }


def apps(clusters: int) -> Measured:
    """Synthesize the same clusters with apps of the constructs, with the checks."""
    from cdk8s import ApiObject, ApiObjectMetadata, App, Chart, JsonPatch

    from constructs_lib import GpuNodes, GpuWorkload, NvidiaRuntimeClass, Persistent, Taint, attach

    kernel, made = Kernel(), 0

    def cluster(number: int, folder: str) -> int:
        app = App(outdir=folder)
        attach(app)
        nodes = GpuNodes(talos_version="1.12", labels={"cluster": f"c{number}"}, taints=[Taint("dedicated", "ai")], sharing=None)
        chart = Chart(app, "gpu", namespace=NAMESPACE)
        namespace = ApiObject(chart, "namespace", api_version="v1", kind="Namespace", metadata=ApiObjectMetadata(name=NAMESPACE))
        namespace.add_json_patch(JsonPatch.remove("/metadata/namespace"))
        NvidiaRuntimeClass(chart, "runtime-class")
        for each in range(WORKLOADS_OF_A_SYNTH):
            GpuWorkload(chart, f"app-{each}", nodes=nodes, image=IMAGE, port=PORT, volumes={PATH: Persistent(f"{SIZE}Gi")})
        app.synth()
        return (Path(folder) / "gpu.k8s.yaml").read_text(encoding="utf-8").count("\nkind: ")

    with tempfile.TemporaryDirectory() as folder:
        cluster(0, folder)  # what a process loads once
        start = time.process_time() + kernel.seconds
        for number in range(1, clusters):
            made += cluster(number, folder)
        return {"objects": made, "each": (time.process_time() + kernel.seconds - start) / (clusters - 1)}


def checks(objects: int) -> Measured:
    """Read and check one text of so many objects."""
    from constructs_lib.observed.read.repository import read_text

    text = manifests(objects)
    return _checked(lambda: read_text(text, talos="1.12"))


def files(number: int) -> Measured:
    """Read and check a folder of so many files."""
    from constructs_lib.observed.read.repository import read

    with tempfile.TemporaryDirectory() as folder:
        repository(Path(folder), number)
        return _checked(lambda: read([Path(folder)], talos="1.12"))


def _checked(loader: Callable[[], Any]) -> Measured:
    from constructs_lib.checks.engine import run_rules

    gc.disable()  # as the command does
    start = time.process_time()
    inputs = loader()
    read = time.process_time()
    findings = run_rules(inputs)
    done = time.process_time()
    return {"objects": len(inputs.objects), "findings": len(findings), "read": read - start, "check": done - read, "inside": done - start}


def builders(workloads: int) -> Measured:
    """Build workloads without cdk8s, and copy the same objects deeply."""
    from constructs_lib import GpuNodes, Persistent, Taint
    from constructs_lib.manifests.workload.objects import gpu_workload
    from constructs_lib.manifests.workload.settings import GpuWorkloadSettings

    nodes = GpuNodes(talos_version="1.12", taints=[Taint("dedicated", "ai")])
    volumes = {"/root/.ollama": Persistent("100Gi")}

    def objects(number: int) -> Any:
        return gpu_workload(
            GpuWorkloadSettings(name=f"app-{number}", nodes=nodes, image="ollama/ollama:0.32.15", port=11434, volumes=volumes)
        )

    body = objects(0)
    start = time.process_time()
    for number in range(workloads):
        objects(number)
    built = time.process_time()
    for _ in range(workloads):
        copy.deepcopy(body)
    return {"inside": built - start, "copy": time.process_time() - built}


MEASUREMENTS: dict[str, Callable[..., Measured]] = {
    "build": build,
    "fleet": fleet,
    "kept": kept,
    "synth": synth,
    "apps": apps,
    "checks": checks,
    "files": files,
    "builders": builders,
}


if __name__ == "__main__":
    name, *given = sys.argv[1:]
    print(json.dumps(MEASUREMENTS[name](*(int(each) if each.isdecimal() else each for each in given))))
