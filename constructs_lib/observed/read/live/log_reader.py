"""Logs: of the kernel, of Talos' services, of containers and of unknown programs. Only lines with symptoms are kept."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from itertools import islice

from ....arguments.credentials.texts import hidden_text
from ....arguments.patterns import pattern
from ....upstream.programs.gpu_log_words import GPU_DENIED, GPU_SHOWN
from ....upstream.programs.loading_words import LOADING
from ...model.evidence import Evidence, Log, LogKind
from ...model.talos_machine import Seen, TalosMachine
from .bundle_commands import Place
from .dump_builder import DumpBuilder, Search, concerns_gpus

_NODE = pattern(r"(?P<node>\S+): (?=\w+: +\w+: \[|(?:<\d+>)?\[ *\d+\.)")
CONTINUED = pattern(r"\s*NVRM: ")
"""A further line of one record of the kernel: NVIDIA's driver prints several at once, and dmesg gives only the first a time."""
_ADDRESS = pattern(r"(?P<node>(?:\d{1,3}\.){3}\d{1,3}|(?=[0-9a-f]{0,4}:)[0-9a-f:]{2,45}): ")
_CONTAINER = pattern(r"\[pod/(?P<pod>[^/\]]+)/(?P<name>[^\]]+)\] ?")
_KEPT = pattern(r"NVRM|nvidia|Xid|vfio|nouveau", re.IGNORECASE)
_MOST_KEPT = 300
_LONGEST = 500
_DRIVER = pattern(r"NVIDIA UNIX (?:Open Kernel Module for )?\S+ +(?:Kernel Module +)?(?P<version>\d+\.\d+(?:\.\d+)*)")
_SMI = pattern(r"Driver Version: (?P<version>\d+\.\d+(?:\.\d+)*)")

_ERROR = pattern(
    r"""(?:^|\s)[EF]\d{4}\ +\d\d:\d\d:\d\d   # klog
    |"?\blevel"?\s*[=:]\s*"?(?:error|fatal|panic)  # logrus, slog, zap, zerolog
    |(?:^|\s)(?:ERROR|FATAL|CRITICAL)\b
    |\b(?i:error|fatal|panic|exception):\s
    |^\W*(?i:fatal|panic|failed|unable|cannot)\s
    |NVRM:.*(?i:fail|error)""",
    re.VERBOSE,
)
"""The marks of errors: those of the libraries by which programs log, and the words with which a message begins."""
_OF_NVIDIA = "ext-nvidia-"
"""The services of NVIDIA's extensions. The kernel, the kubelet and containerd serve every program, so of their errors only
those that name a part of the GPU stack count.
"""
_MOST_ERRORS, _MOST_SEARCHED = 3, 50
_MOST_UNKNOWN = 1_000

_Numbered = list[tuple[int, str]]

_LAST = 8
"""The last lines of a log, of which one tells what the program does now."""
_LONGEST_SEARCHED = 4_000
_GPU_WORDS = ("nvidia", "cuda", "gpu", "tesla")
"""One of them is in every line of `GPU_SHOWN`. Most lines have none, and a search for words is the fast one."""


def shows_gpu(line: str) -> bool:
    """Whether a program names the card that it uses."""
    text = line[:_LONGEST_SEARCHED].lower()
    return any(word in text for word in _GPU_WORDS) and GPU_SHOWN.search(text) is not None and GPU_DENIED.search(text) is None


def _shown(line: str) -> str:
    """The first part of a line without credentials. A longer part is searched, so that no credential is cut before it
    is recognised.
    """
    return hidden_text(line.strip()[: 2 * _LONGEST])[:_LONGEST]


def _log(
    search: Search, lines: _Numbered, source: str, kind: LogKind, *, node: str = "", namespace: str = "", pod: str = "", name: str = "", is_previous: bool = False
) -> Log:  # fmt: skip
    matches = search(lines)
    for each in matches:
        each.text = _shown(each.text)
    is_kept, most = (_KEPT.search, _MOST_KEPT) if kind is LogKind.KERNEL else (shows_gpu, 1)
    kept = ((number, _shown(line)) for number, line in lines if is_kept(line))
    is_shared = kind is LogKind.KERNEL or (kind is LogKind.SERVICE and not name.startswith(_OF_NVIDIA))
    about_gpus = (entry for entry in lines if not is_shared or _KEPT.search(entry[1]) or concerns_gpus(entry[1][:_LONGEST_SEARCHED]))
    marked = islice((entry for entry in about_gpus if _ERROR.search(entry[1][:_LONGEST_SEARCHED])), _MOST_SEARCHED)
    errors = islice(((number, _shown(line)) for number, line in marked if not search([(number, line)])), _MOST_ERRORS)
    return Log(
        kind=kind, source=source, matches=tuple(matches), lines=len(lines), node=node, namespace=namespace, pod=pod, name=name,
        is_previous=is_previous,
        kept=tuple(islice(kept, most)),
        errors=tuple(errors),
        loading=next((Evidence(text=_shown(line.rpartition("\r")[2]), source=f"{source}:{number}") for number, line in lines[: -_LAST - 1 : -1] if LOADING.search(line[-_LONGEST_SEARCHED:])), None),
    )  # fmt: skip


def read_kernel(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read the messages of kernels, as `talosctl dmesg` prints those of one node or of several."""
    of_node: dict[str, _Numbered] = defaultdict(list)
    node = place.node
    for number, line in lines:
        found = _NODE.match(line)
        if found or not CONTINUED.match(line):
            node = found["node"] if found else place.node
        of_node[node].append((number, line[found.end() :] if found else line))
    for node, messages in of_node.items():
        log = _log(builder.search, messages, source, LogKind.KERNEL, node=node)
        machine = builder.machines.machine(node, source)
        machine.kernel_log = log if machine.kernel_log is None else _joined(machine.kernel_log, log)
        for number, line in log.kept:
            driver_of(line, machine, f"{source}:{number}")


def _joined(before: Log, after: Log) -> Log:
    """The first log, with the lines of another part of its file."""
    lines = before.lines + after.lines
    if before.source != after.source:
        return replace(before, lines=lines)
    return replace(
        before,
        lines=lines,
        matches=(*before.matches, *after.matches),
        kept=(*before.kept, *after.kept)[:_MOST_KEPT],
        errors=(*before.errors, *after.errors)[:_MOST_ERRORS],
    )


def driver_of(line: str, machine: TalosMachine, source: str) -> None:
    """Read the version of the loaded driver from its own line, or else from the head of nvidia-smi."""
    found = _DRIVER.search(line) or (_SMI.search(line) if machine.driver_version is None else None)
    if found:
        machine.driver_version = Seen(value=found["version"], evidence=Evidence(text=_shown(line), source=source))


def read_containers(lines: _Numbered, place: Place, source: str, builder: DumpBuilder) -> None:
    """Read logs that `kubectl logs --prefix` printed."""
    of_container: dict[tuple[str, str], _Numbered] = defaultdict(list)
    for number, line in lines:
        found = _CONTAINER.match(line)
        if found:
            of_container[found["pod"], found["name"]].append((number, line[found.end() :]))
    for (pod, name), messages in of_container.items():
        log = _log(
            builder.search,
            messages,
            source,
            LogKind.CONTAINER,
            namespace=place.namespace,
            pod=pod,
            name=name,
            is_previous=place.is_previous,
        )
        builder.dump.logs.append(log)


def read_log(
    lines: _Numbered, place: Place, source: str, builder: DumpBuilder, *, kind: LogKind | None = None, unread: str | None = ""
) -> None:
    """Read the log of a service, of a container or of an unknown program. `unread` is the reason that is told where a log
    of an unknown program says nothing; None tells nothing."""
    found = next((found for _, line in lines[:5] if (found := _ADDRESS.match(line))), None)
    node = place.node or (found["node"] if found else "")
    prefix = f"{node}: "
    messages = [(number, line.removeprefix(prefix)) for number, line in lines] if node else lines
    if place.service and kind is None:
        machine = builder.machines.machine(node, source)
        machine.service_logs.setdefault(
            place.service, _log(builder.search, messages, source, LogKind.SERVICE, node=node, name=place.service)
        )
        return
    kind = kind or (LogKind.CONTAINER if place.pod or place.container else LogKind.UNKNOWN)
    log = _log(
        builder.search, messages, source, kind, node=node, namespace=place.namespace, pod=place.pod, name=place.container, is_previous=place.is_previous
    )  # fmt: skip
    if log.matches or log.kept or log.errors or kind is not LogKind.UNKNOWN:
        builder.dump.logs.append(log)
    elif unread is not None:
        if not unread:  # a reason is that of a known form, such as a table
            first = ((number, _shown(line)) for number, line in messages[:_MOST_UNKNOWN])
            builder.dump.unknown.append(replace(log, kept=tuple(first)))
        builder.unread(source, unread or f"lines {lines[0][0]} to {lines[-1][0]} have no known form and no known symptom")
