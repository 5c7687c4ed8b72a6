"""The commands of `doctor --live`: the user's own kubectl and talosctl, which only read. Their outputs are files of a
temporary folder."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..arguments import programs
from ..arguments.patterns import pattern
from ..doctor.collect import BundleCommand, kubernetes_commands, log_commands, talos_commands
from ..doctor.gpu_cluster import GpuCluster
from ..doctor.live_pods import LivePod
from ..doctor.placeholders import ProgramFlags
from ..observed.model.live_object import LiveObject, addresses_of, internal_address, other_node
from ..observed.read.live.bundle_commands import EXPORTER_PORT, FAILED, metrics_command
from ..upstream.nvidia.agent_programs import AgentKind
from ..yaml.unknown import mappings
from . import streams

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

PROGRAMS = ("kubectl", "talosctl")
_COMMAND = "talos-gpu"
_SECONDS, _FIRST_SECONDS = 120, 20
"""The most time for a command, and for the first one of a machine, which may be dead."""
_AT_ONCE = 16
"""The machines and pods that are read at the same time. Their commands wait for the network, so a thread for each is
cheap."""
_LONGEST_WORDS = 300
_NO_SUCH_KIND = ("the server doesn't have a resource type", "is not registered")
"""The words of kubectl and talosctl for a kind that the cluster does not have, such as that of the GPU operator: an
answer, and no failure."""
_NO_CLUSTER = ("The connection to the server ", "Unable to connect to the server: ", "Error in configuration: ", 'error: context "')
"""The first words of kubectl where it reaches no API server, whatever it is asked: of the connection, and of a context
that does not exist."""
_NO_MACHINE = (f"no answer after {_FIRST_SECONDS} s", "code = Unavailable", "code = DeadlineExceeded", "code = PermissionDenied")
"""The words of talosctl about a machine that does not answer, or that refuses the command for which the least role is
enough; no other command is run there."""
_NOT_ALLOWED = ("code = PermissionDenied", " is forbidden: ")
"""The words of talosctl and kubectl for a missing permission."""
_NODENAME = pattern(r"""^ +nodename: ["']?(?P<name>[\w.-]+)["']?$""", re.MULTILINE)
_LOG_LINE = pattern(r"[IWEF][0-9]{4} ")
"""The beginning of a line that kubectl logs for its developers: the severity, the month and the day."""
_NAME = pattern(r"[a-z0-9]([-.a-z0-9]*[a-z0-9])?")
"""The names of Kubernetes, which are also names of files. No other name becomes one, or an argument."""
_MOST_LOGS = 30
"""The most pods of which logs are read: those of the agents first."""


class LiveCommands:
    """A run of the commands, with the words of those that failed."""

    def __init__(self, folder: Path, flags: ProgramFlags, shown: set[str], verb: str) -> None:
        self._verb = verb
        self.folder, self._flags, self._shown = folder, flags, shown
        self._showing = threading.Lock()
        self._programs = {each for each in PROGRAMS if programs.found(each)}
        self.answered = False
        self._group = programs.Group()
        self._unreachable = ""

    def say(self, words: str) -> None:
        """Say a line under the name of the verb that runs."""
        streams.say(f"{_COMMAND} {self._verb}: {words}")

    def missing(self) -> list[str]:
        """The programs that are not installed."""
        return [each for each in PROGRAMS if each not in self._programs]

    def run(self, commands: Iterable[BundleCommand], seconds: int = _SECONDS) -> None:
        """Run the commands of installed programs, each after a line on standard error."""
        for each in commands:
            if each.argv[0] in self._programs and not self._group.is_stopped:
                self._run(each, seconds)

    def _run(self, command: BundleCommand, seconds: int) -> None:
        is_kubectl = command.argv[0] == "kubectl"
        argv = [*command.argv, *self._flags.of(command.argv[0])]
        path = self.folder / command.file
        path.parent.mkdir(parents=True, exist_ok=True)
        words = (self._unreachable if is_kubectl else "") or self._attempt(argv, path, seconds)
        if words is None:
            self.answered = True
            return
        if self._group.is_stopped:
            return
        path.unlink(missing_ok=True)
        path.with_name(f"{path.name}{FAILED}").write_text(f"{words}\n", encoding="utf-8")
        if any(each in words for each in _NO_SUCH_KIND):
            self.answered = True
        elif is_kubectl and words.startswith(_NO_CLUSTER):
            self._tell_unreachable(words)
        else:
            self._tell_failure(command, " ".join(argv), words[:_LONGEST_WORDS])

    def _tell_failure(self, command: BundleCommand, line: str, words: str) -> None:
        """Say the words of a failure, and the permission that is missing: once for all machines."""
        if not any(each in words for each in _NOT_ALLOWED):
            self.say(f"{line} failed: {words}")
        elif self._is_new(f"{' '.join(command.argv[-2:])}: {command.role}"):
            others = "; the report names the other machines" if command.argv[0] == "talosctl" else ""
            self.say(f"{line} failed: {words}; it needs {command.role}{others}")

    def _is_new(self, words: str) -> bool:
        """Whether these words were not shown before; of several threads that ask, one is told so."""
        with self._showing:
            is_new = words not in self._shown
            self._shown.add(words)
        return is_new

    def stop(self) -> None:
        """Stop the commands that run in other threads, and start none any more."""
        self._group.stop()

    def is_of_cluster(self, address: str, command: BundleCommand, nodes: Sequence[LiveObject]) -> bool:
        """Whether the machine at an address may be read: it answers us, and as the node that Kubernetes has under the
        address. The output of the command has its name."""
        path = self.folder / command.file
        failure = path.with_name(f"{path.name}{FAILED}")
        if failure.exists():
            words = failure.read_text(encoding="utf-8", errors="replace")
            return not any(each in words for each in _NO_MACHINE)
        found = _NODENAME.search(path.read_text(encoding="utf-8", errors="replace")) if path.exists() else None
        if found is None or not nodes:
            return True
        owners = [each.name for each in nodes if address in addresses_of(each)] or [each.name for each in nodes]
        if found["name"] in owners:
            return True
        owner = owners[0] if len(owners) == 1 else "none of that name"
        words = other_node(address, found["name"], owner)
        path.unlink()
        failure.write_text(f"{words}\n", encoding="utf-8")
        self.say(words)
        return False

    def _attempt(self, argv: list[str], path: Path, seconds: int = _SECONDS) -> str | None:
        """Run a command after a line on standard error; the words of one that failed, or None."""
        line = " ".join(argv)
        if self._is_new(line):
            streams.say(f"+ {line}")
        return self._words_of_failure(argv, path, seconds)

    def _words_of_failure(self, argv: list[str], path: Path, seconds: int) -> str | None:
        """Write the output of a program to a file; the words of a program that failed, or None."""
        try:
            with path.open("wb") as output:
                done = programs.run(argv[0], argv[1:], output=output, seconds=seconds, group=self._group)
        except TimeoutError as error:
            return str(error)
        except OSError as error:
            return error.strerror or "the program can't be run"
        if done.status == 0:
            return None
        lines = done.complaint.strip().splitlines()
        return " ".join([each for each in lines if not _LOG_LINE.match(each)] or lines[-1:]) or f"exit status {done.status}"

    def _tell_unreachable(self, words: str) -> None:
        """Say once that no command of kubectl can succeed; none is run after the first."""
        if self._unreachable:
            return
        self._unreachable = words
        context = self._flags.context or self._current_context()
        self.say(f"kubectl reaches no cluster: {words[:_LONGEST_WORDS]} (context: {context})")

    def _current_context(self) -> str:
        path = self.folder / "current-context"
        failed = self._attempt(["kubectl", "config", "current-context"], path)
        name = "" if failed else path.read_text(encoding="utf-8", errors="replace").strip()
        path.unlink(missing_ok=True)
        return name or "none is set"


@contextmanager
def _threads(live: LiveCommands) -> Iterator[ThreadPoolExecutor]:
    """Threads for commands. An error, and Ctrl-C, stops what runs and starts nothing any more."""
    from concurrent.futures import ThreadPoolExecutor  # deferred: most runs are not live

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            yield pool
        except BaseException:
            live.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def of_kubernetes(live: LiveCommands) -> None:
    """List the kinds, the first one alone: where it reaches no cluster, no other does."""
    first, *others = kubernetes_commands()
    live.run([first])
    with _threads(live) as pool:
        for each in [pool.submit(live.run, [each]) for each in others]:
            each.result()


def of_machines(live: LiveCommands, cluster: GpuCluster, given: list[str], only: Sequence[LivePod] = ()) -> None:
    """Read the logs of the agents and of the GPU pods, the metrics of the exporters, and the GPU nodes: the given ones, or those that the Node
    objects show. Several at a time, so that one that does not answer costs its own time only. `only` are the pods
    that the report is about: their logs come first, and of their nodes alone."""
    from concurrent.futures import as_completed  # deferred: most runs are not live

    hosts = {each.node for each in only} - {""}
    asked = [each for each in cluster.nodes or cluster.all_nodes if each.name in hosts or not hosts]
    found = (internal_address(each.node) for each in asked if each.node is not None)
    addresses = given or list(dict.fromkeys(filter(None, found)))
    nodes = [each.node for each in cluster.all_nodes if each.node is not None]
    with _threads(live) as pool:
        pods = [pool.submit(live.run, log_commands(*each)) for each in _pods_with_logs(cluster, only)]
        pods += [pool.submit(live.run, [each]) for each in _of_exporters(cluster, {each.name for each in asked})]
        machines = [pool.submit(_of_machine, live, each, nodes) for each in addresses]
        for number, each in enumerate(as_completed(machines), start=1):
            each.result()
            if len(machines) > 1:
                live.say(f"{number} of {len(machines)} machines are done")
        for each in pods:
            each.result()


def _of_machine(live: LiveCommands, address: str, nodes: Sequence[LiveObject]) -> None:
    first, *others = talos_commands(address)
    live.run([first], _FIRST_SECONDS)
    if live.is_of_cluster(address, first, nodes):
        live.run(others)


def _pods_with_logs(cluster: GpuCluster, only: Sequence[LivePod]) -> list[tuple[str, str]]:
    pods = [
        *(pod for pod in only if pod.is_made),
        *(pod for agent in cluster.agents for pod in agent.pods),
        *(pod for pod in cluster.pods if pod.is_made and pod.phase != "Pending"),
    ]
    names = dict.fromkeys((each.about.namespace, each.about.name) for each in pods)
    return [each for each in names if all(map(_NAME.fullmatch, each))][:_MOST_LOGS]


def _of_exporters(cluster: GpuCluster, nodes: set[str]) -> list[BundleCommand]:
    """The commands for the metrics of the exporters that run on nodes."""
    pods = [pod for agent in cluster.of_agent(AgentKind.EXPORTER) for pod in agent.pods if pod.phase == "Running" and pod.node in nodes]
    return [
        metrics_command(each.node, each.about.namespace, each.about.name, _metrics_port(each))
        for each in pods
        if all(map(_NAME.fullmatch, (each.node, each.about.namespace, each.about.name)))
    ]


def _metrics_port(pod: LivePod) -> int:
    """The first port that a container of the pod names, or the exporter's own default."""
    ports = (port.get("containerPort") for each in pod.containers for _, port in mappings(each.body.get("ports")))
    return next((port for port in ports if isinstance(port, int)), EXPORTER_PORT)
