"""The calls and the time of `talos-gpu doctor --live` against programs in the place of kubectl and talosctl, of which some nodes are dead.

`python benchmarks/live.py` prints one line for each run: 50 nodes, 5 of them dead, first with answers at once and then with answers after 0.3 s.
A dead node answers nothing until the doctor's own time-out, as a machine without power does.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_GPU = {"nvidia.com/gpu": "1"}
_LABELS = {
    "extensions.talos.dev/nvidia-container-toolkit-lts": "580.126.20-v1.18.2",
    "extensions.talos.dev/nvidia-open-gpu-kernel-modules-lts": "580.126.20-v1.13.2",
}


@dataclass(frozen=True, kw_only=True)
class LiveRun:
    """A run of the doctor: its status, its messages, the calls of both programs, and its seconds."""

    status: int
    messages: str
    calls: list[str]
    seconds: float

    def talosctl(self) -> Counter[str]:
        """The calls of talosctl by the address of the machine."""
        return Counter(each.split()[2] for each in self.calls if each.startswith("talosctl"))

    @property
    def timeouts(self) -> int:
        """The commands that were stopped."""
        return self.messages.count("no answer after")


def address(number: int) -> str:
    """The address of a node."""
    return f"10.0.{number // 250}.{number % 250 + 1}"


def _nodes(count: int) -> list[dict[str, object]]:
    return [
        {
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": f"gpu-{number}", "labels": _LABELS},
            "status": {
                "addresses": [{"type": "InternalIP", "address": address(number)}], "allocatable": _GPU, "capacity": _GPU,
                "nodeInfo": {"osImage": "Talos (v1.13.2)", "kubeletVersion": "v1.36.3"},
                "conditions": [{"type": "Ready", "status": "True"}],
            },
        }
        for number in range(count)
    ]  # fmt: skip


def _pods(count: int) -> list[dict[str, object]]:
    """A device plugin and an exporter on each node."""
    images = {"nvidia-device-plugin": "nvcr.io/nvidia/k8s-device-plugin:v0.20.0", "dcgm-exporter": "nvcr.io/nvidia/k8s/dcgm-exporter:4.8.2"}
    return [
        {
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": f"{name}-{number}", "namespace": "nvidia"},
            "spec": {"nodeName": f"gpu-{number}", "containers": [{"name": name, "image": image}]},
            "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
        }
        for name, image in images.items()
        for number in range(count)
    ]  # fmt: skip


def write_programs(folder: Path, *, nodes: int, dead: int, latency: float) -> None:
    """Write kubectl and talosctl of a cluster, and the file to which they write their calls."""
    for name, items in (("nodes", _nodes(nodes)), ("pods", _pods(nodes)), ("empty", [])):
        (folder / f"{name}.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    hanging = "|".join(address(each) for each in range(dead)) or "none"
    wait = f"/bin/sleep {latency}" if latency else ":"
    scripts = {
        "kubectl": f'{wait}\ncase "$2" in nodes|pods) exec /bin/cat "{folder}/$2.json" ;; --raw) echo "DCGM_FI_DEV_GPU_TEMP{{gpu=\\"0\\"}} 40" ;;\n'
        f'*) [ "$1" = logs ] || exec /bin/cat "{folder}/empty.json" ;; esac',
        "talosctl": f'case "$2" in {hanging}) exec /bin/sleep 900 ;; esac\n{wait}\ncase "$*" in *" dmesg") echo "kern: info: [2026-11-28T08:00:00Z]: x" ;; esac',
    }
    for name, script in scripts.items():
        (folder / name).write_text(f'#!/bin/sh\necho "{name} $*" >> "{folder}/calls"\n{script}\n')
        (folder / name).chmod(0o755)


def run(*, nodes: int = 50, dead: int = 5, latency: float = 0) -> LiveRun:
    """Run the doctor in a process of its own."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        write_programs(folder, nodes=nodes, dead=dead, latency=latency)
        started = time.monotonic()
        environment = {**os.environ, "PATH": temporary, "PYTHONPATH": str(ROOT)}
        line = [sys.executable, "-m", "constructs_lib", "doctor", "--live"]
        done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
        seconds = time.monotonic() - started
        return LiveRun(status=done.returncode, messages=done.stderr, calls=(folder / "calls").read_text().splitlines(), seconds=seconds)


def main() -> None:
    """Print the runs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--nodes", type=int, default=50)
    parser.add_argument("--dead", type=int, default=5)
    parser.add_argument("--latency", type=float, nargs="*", default=[0, 0.3])
    options = parser.parse_args()
    for latency in options.latency:
        done = run(nodes=options.nodes, dead=options.dead, latency=latency)
        programs = Counter(each.split()[0] for each in done.calls)
        print(
            f"{options.nodes} nodes, {options.dead} dead, answers after {latency:g} s: {programs['kubectl']} calls of kubectl, "
            f"{programs['talosctl']} of talosctl, {done.timeouts} time-outs, {done.seconds:.1f} s"
        )


if __name__ == "__main__":
    main()
