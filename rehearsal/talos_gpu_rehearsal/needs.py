"""The needs of a rehearsal: what this machine lacks, each in one sentence with its fix, all at once."""

from __future__ import annotations

import os
import platform
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import gettempdir

from .errors import RehearsalError
from .go_module import need_gcc, need_go
from .node import LDCONFIG
from .rootfs import absent_programs
from .sources import Source, cache

_SYS_ADMIN = 21
"""The bit of CAP_SYS_ADMIN in the capabilities of a process.

Source: Linux include/uapi/linux/capability.h (2026-11-23)
"""
_PROGRAMS = {"unshare": "util-linux", "nsenter": "util-linux", "mount": "mount", "ldd": "libc-bin"}
"""The programs that a node and its images are made with, and the package of Debian with each."""
_CONTROLLERS = {"cpu", "memory", "pids"}
"""The controllers of cgroup v2 whose files runc writes for each container; a controller that v1 has is absent from v2.

Source: opencontainers/cgroups fs2/cpu.go, memory.go and pids.go at v0.0.6 (2026-11-24)
"""
_FOR_BUILDS, _FOR_A_RUN = 4 * 2**30, 2 * 2**30
"""The bytes that the builds take at most, and that the nodes of a run take: images, containers and logs."""


def lacking(unbuilt: Sequence[Source]) -> list[str]:
    """A sentence for each need that this machine does not meet."""
    if platform.system() != "Linux":
        return [f"this is {platform.system()}, and a node needs Linux; --docker runs the rehearsal in a container"]
    return [*_of_the_machine(), *_room(unbuilt), *_of_the_build(unbuilt)]


def _of_the_machine() -> Iterator[str]:
    if os.geteuid() != 0:
        yield "it runs without root, and a node mounts, makes device files and has namespaces; use sudo, or --docker"
    elif not _capabilities() >> _SYS_ADMIN & 1:
        yield "root has no CAP_SYS_ADMIN here; in a container, start it with --privileged"
    if not _groups() or (os.geteuid() == 0 and not all(os.access(each, os.W_OK) for each in _groups())):
        yield "/sys/fs/cgroup can't be written, and the kubelet makes a group for each pod; in a container, start it with --privileged"
    if absent := sorted(_CONTROLLERS - _controllers(Path("/sys/fs/cgroup/cgroup.controllers"))):
        yield f"/sys/fs/cgroup is cgroup v2 without {', '.join(absent)}, which containers need; boot without cgroup v1, or delegate them to this group"
    if Path("/proc/driver/nvidia/version").exists():
        yield "this machine has a driver of NVIDIA, whose libraries would be found before the mock's; run it on a machine without one"
    for name, package in _PROGRAMS.items():
        if shutil.which(name) is None:
            yield f"{name} is not on the PATH; install {package}"
    if not Path(LDCONFIG).exists():
        yield f"{LDCONFIG} is not there; install libc-bin"
    if absent := absent_programs():
        yield f"images take their shell and tools from this machine, which lacks {', '.join(absent)}; install them"


def _room(unbuilt: Sequence[Source]) -> Iterator[str]:
    """Both places may be on one disk, which then needs room for both."""
    needed: dict[int, int] = {}
    for place, size, variable in ((cache(), _FOR_BUILDS * bool(unbuilt), "XDG_CACHE_HOME"), (Path(gettempdir()), _FOR_A_RUN, "TMPDIR")):
        folder = next((each for each in (place, *place.parents) if each.is_dir()), Path("/"))
        device = folder.stat().st_dev
        needed[device] = needed.get(device, 0) + size
        if (free := shutil.disk_usage(folder).free) < needed[device]:
            room = f"{folder} has {free // 2**20} MiB left, and the rehearsal takes up to {needed[device] // 2**30} GiB there"
            yield f"{room}; set {variable} to another disk"


def _controllers(file: Path) -> set[str]:
    """The controllers of cgroup v2; on a machine with v1 there is no such file, and nothing is missing."""
    return set(file.read_text(encoding="utf-8").split()) if file.exists() else set(_CONTROLLERS)


def _groups() -> list[Path]:
    """The roots of the hierarchies: one for version 2, and one for each set of controllers of version 1, whose common
    folder may be read-only."""
    base = Path("/sys/fs/cgroup")
    return [base] if (base / "cgroup.procs").exists() else [each.parent for each in base.glob("*/cgroup.procs")]


def _of_the_build(unbuilt: Sequence[Source]) -> Iterator[str]:
    """Only what is not built yet needs a compiler."""
    if not unbuilt:
        return
    newest = max(unbuilt, key=lambda each: [int(part) for part in each.module.go.split(".")])
    try:
        need_go(newest.module.go, newest.name)
    except RehearsalError as error:
        yield str(error)
    for each in [each for each in unbuilt if each.cgo][:1]:
        try:
            need_gcc(each.name)
        except RehearsalError as error:
            yield str(error)


def _capabilities() -> int:
    """The effective capabilities of this process."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return int(next((line.split()[1] for line in lines if line.startswith("CapEff:")), "0"), 16)
