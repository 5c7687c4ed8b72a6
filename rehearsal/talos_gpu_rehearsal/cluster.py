"""A cluster of a rehearsal: a control plane and its nodes, from `with` to the end of the block."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self, TypeVar

from . import control_plane, registry
from .api import Api
from .build import program
from .manifest_images import Image, image_of, load
from .namespaces import NamespaceError, Supervised
from .node import PAUSE, Node, NodeSpec

PATIENCE = 180.0  # seconds for a state that the cluster should reach; two idle cores need a few
_LINE = 300  # characters of a line of a log
_GROUPS = "talos-gpu-"  # and the number of the process that holds the cluster
_State = TypeVar("_State")


class Cluster:
    """A control plane with nodes in a folder of its own. Their files are written at once, and nothing runs before `with`."""

    def __init__(self, folder: Path, nodes: Sequence[NodeSpec], images: Iterable[Image] = ()) -> None:
        self.folder = folder
        self._images = (image_of(PAUSE), *images)
        self._state = folder / "control-plane"
        self._network: Supervised | None = None
        sweep_cgroups()
        folder.mkdir(parents=True, exist_ok=True)
        self.cgroup = f"{_GROUPS}{os.getpid()}-{time.monotonic_ns()}"
        control_plane.write(self._state, [each.name for each in nodes])
        self.nodes = {each.name: Node(each, number, folder / "nodes" / each.name, self.cgroup) for number, each in enumerate(nodes, 1)}

    def __enter__(self) -> Self:
        try:
            self._start()
        except NamespaceError as error:
            words = self._last_words()
            self.end()
            raise NamespaceError(f"{error}\n{words}") from error
        except BaseException:
            self.end()
            raise
        return self

    def _last_words(self) -> str:
        """The last line of each log, for an error that ends the cluster with its folder."""
        logs = sorted((*self.folder.glob("*.log"), *self.folder.glob("nodes/*/*log/*.log"), *self.folder.glob("nodes/*/var/log/*.log")))
        last = {each.relative_to(self.folder): _last_line(each.read_text(errors="replace")) for each in logs}
        return "\n".join(f"{name}: {line}" for name, line in last.items() if line)

    def __exit__(self, *_: object) -> None:
        self.end()

    def _start(self) -> None:
        addresses = [control_plane.ADDRESS, *(each.address for each in self.nodes.values())]
        unshare = ["unshare", "--net", "--pid", "--mount", "--fork", "--kill-child", "--"]
        self._network = Supervised(unshare, "network", addresses, self.folder / "network.log")
        self._api = Api(self._network.pid, control_plane.ADDRESS, "admin-token")
        programs = program("kubernetes")
        self._run(control_plane.first_programs(self._state, programs, program("etcd")))
        archive = load(self._images, self.folder / "images.tar", program)
        self._run({"registry": [sys.executable, "-m", registry.__name__, control_plane.ADDRESS, str(archive)]})
        with ThreadPoolExecutor() as side_by_side:
            list(side_by_side.map(lambda node: self._boot(node, archive), self.nodes.values()))
        self.eventually(lambda: self.get("Namespace", "kube-system"), bool, "the API server")
        self._run(control_plane.later_programs(self._state, programs))
        for node in self.nodes.values():
            node.start("kubelet")
        self.eventually(
            lambda: [each for each in self.list("Node") if _is_ready(each)], lambda ready: len(ready) == len(self.nodes), "ready nodes"
        )

    def _boot(self, node: Node, archive: Path) -> None:
        node.boot(self._running)
        self.eventually(lambda: node.is_ready_for_images, bool, f"containerd of {node.spec.name}")
        node.import_images(archive)

    def _run(self, programs: Mapping[str, Sequence[str]]) -> None:
        for name, argv in programs.items():
            self._running.start(name, argv, self.folder / f"{name}.log")

    @property
    def _running(self) -> Supervised:
        if not self._network:
            raise NamespaceError("the cluster does not run")
        return self._network

    def end(self) -> None:
        """End every process, and remove the folder. What the kernel holds for the nodes goes with their processes."""
        for node in self.nodes.values():
            node.end()
        if self._network:
            self._api.close()
            self._network.end()
            self._network = None
        remove_cgroups(self.cgroup)
        shutil.rmtree(self.folder, ignore_errors=True)

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        """What kubectl prints; an error has its words."""
        ran = self._kubectl(*arguments, stdin=stdin)
        if ran.returncode:
            raise NamespaceError(ran.stderr.strip())
        return ran.stdout

    def apply(self, objects: Iterable[Mapping[str, Any]]) -> None:
        """Server-side apply."""
        items = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
        self.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=json.dumps(items))

    def make_folders(self, paths: Iterable[str]) -> None:
        """Empty folders below /var on every node."""
        for node in self.nodes.values():
            for path in paths:
                (node.folder / path.lstrip("/")).mkdir(parents=True, exist_ok=True)

    def get(self, kind: str, name: str, namespace: str = "default") -> dict[str, Any]:
        """An object."""
        return self._api.get(kind, name, namespace)

    def list(self, kind: str, namespace: str | None = None) -> list[dict[str, Any]]:
        """The objects of a kind, of all namespaces if none is named."""
        return self._api.list(kind, namespace)

    def eventually(self, read: Callable[[], _State], until: Callable[[_State], bool] = bool, what: str = "") -> _State:
        """Read until the state is as wanted. If it never is, or a program of the cluster ends, the error says so."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                state = read()
                if until(state):
                    return state
                last: object = state
            except (NamespaceError, KeyError, IndexError) as error:
                last = error
            self._see_that_all_run()
            if time.monotonic() > end:
                raise NamespaceError(f"{what or 'the state'} did not come within {PATIENCE:.0f} seconds; the last was {last!r}")
            time.sleep(0.2)

    def _see_that_all_run(self) -> None:
        """Fail with the last words of a program that has ended by itself: no state comes any more."""
        for name, status in self._running.ended().items():
            words = (self.folder / f"{name}.log").read_text(errors="replace")
            raise NamespaceError(f"{name} has ended with {status}: {_last_line(words)}")
        for node in self.nodes.values():
            for name, status in node.ended().items():
                raise NamespaceError(f"{name} of {node.spec.name} has ended with {status}: {_last_line(node.log(name))}")

    @property
    def kubectl_command(self) -> Sequence[str]:
        """The beginning of a command of kubectl: it enters the network of the cluster."""
        kubectl = program("kubernetes") / "kubectl"
        environment = ["env", "-i", f"PATH={os.defpath}", f"HOME={self.folder}"]  # no proxy, no settings and no cache of the user's
        return [*self._running.enter("net"), *environment, str(kubectl), f"--kubeconfig={self._state}/admin.conf"]

    def _kubectl(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [*self.kubectl_command, *arguments]
        return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)  # noqa: S603


def sweep_cgroups() -> None:
    """Remove the groups of clusters whose holder was killed."""
    base = Path("/sys/fs/cgroup")
    names = {each.name for each in (*base.glob(f"{_GROUPS}*"), *base.glob(f"*/{_GROUPS}*"))}
    for name in names:
        if not Path("/proc", name.removeprefix(_GROUPS).partition("-")[0]).exists():
            remove_cgroups(name)


def remove_cgroups(name: str) -> None:
    """Remove the groups of a cluster that has ended, in every hierarchy."""
    base = Path("/sys/fs/cgroup")
    for top in (base / name, *base.glob(f"*/{name}")):
        for folder, _, _ in os.walk(top, topdown=False):
            try:
                Path(folder).rmdir()
            except OSError:
                continue


def _last_line(text: str) -> str:
    return text.strip().rpartition("\n")[2][:_LINE]


def _is_ready(node: Mapping[str, Any]) -> bool:
    return any(each["type"] == "Ready" and each["status"] == "True" for each in node["status"]["conditions"])
