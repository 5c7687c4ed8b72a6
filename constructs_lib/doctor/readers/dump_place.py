"""The content of a file by its path: in the bundle of `--collect`, in that of `talosctl support`, and in a folder that somebody wrote.

The layout of the support bundle: siderolabs/go-talos-support support/collectors at 0f784bd (2026-11-22).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from ..bundle_commands import FAILED, BundleCommand, kubernetes_commands, talos_commands

_TALOS = re.compile(r"(?:^|/)talos/(?P<node>[^/]+)/(?P<file>[^/]+|service-logs/[^/]+)$")
_LOGS = re.compile(r"(?:^|/)logs/(?P<namespace>[^/]+)/(?P<pod>[^/]+?)(?:\.previous)?\.log$")
_PREVIOUS = ".previous.log"
_KUBERNETES = re.compile(r"(?:^|/)kubernetes/(?P<file>[^/]+)$")
_SUPPORT = re.compile(
    r"(?:^|/)(?P<node>[^/]+)/(?:dmesg\.log|controller-runtime\.log|dns-resolve-cache\.log|summary|devices|mounts|io|processes|dependencies\.dot"
    r"|resources/[^/]+\.yaml|service-logs/(?P<service>[^/]+)\.(?:log|state)|kubernetes-logs/(?P<namespace>[^/]+)/(?P<container>[^/]+?)(?:-exited)?\.log)$"
)
_SERVICE = re.compile(
    r"(?:^|[/_.-])(?P<service>ext-nvidia-[a-z-]+[a-z]|kubelet|cri|containerd|machined|apid|trustd|etcd|udevd|auditd|syslogd|controller-runtime)(?:\.|$)"
)
_UNUSED = ("devices", "mounts", "io", "processes", "dependencies.dot", "README.md")
"""Files of a support bundle that say nothing that the doctor needs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """The words of a path about its content. Fields are empty where the path says nothing."""

    node: str = ""
    service: str = ""
    namespace: str = ""
    pod: str = ""
    container: str = ""
    is_previous: bool = False
    """Whether the file is the log of containers before their last restart."""
    is_kernel: bool = False
    is_unused: bool = False
    command: BundleCommand | None = None
    """The command of a bundle whose output the file is."""
    is_failed: bool = False
    """Whether the file has the words with which the command failed."""


def place_of(path: str) -> Place:
    """The words of a path about its content."""
    name = path.rpartition("/")[2]
    is_failed = path.endswith(FAILED)
    path = path.removesuffix(FAILED)
    is_previous = path.endswith(_PREVIOUS)
    if found := _TALOS.search(path):
        command = _talos_commands().get(found["file"])
        service = found["file"].removeprefix("service-logs/").removesuffix(".log") if "service-logs/" in found["file"] else ""
        return Place(
            node=found["node"], service=service, is_kernel=name.startswith("dmesg"), command=command, is_failed=is_failed
        )  # fmt: skip
    if found := _KUBERNETES.search(path):
        return Place(command=_kubernetes_commands().get(found["file"]), is_failed=is_failed)
    if found := _LOGS.search(path):
        return Place(namespace=found["namespace"], pod=found["pod"], is_previous=is_previous, is_failed=is_failed)
    if found := _SUPPORT.search(path):
        return Place(
            node=found["node"], service=found["service"] or "", namespace=found["namespace"] or "", container=found["container"] or "",
            is_kernel=name == "dmesg.log", is_unused=name in _UNUSED,
        )  # fmt: skip
    service = _SERVICE.search(path)
    return Place(service=service["service"] if service else "", is_kernel="dmesg" in name, is_previous=is_previous, is_failed=is_failed)


@cache
def _talos_commands() -> dict[str, BundleCommand]:
    return {each.file.split("/", 2)[2]: each for each in talos_commands()}


@cache
def _kubernetes_commands() -> dict[str, BundleCommand]:
    return {each.file.split("/", 1)[1]: each for each in kubernetes_commands()}
