"""The first process of a node: it builds the node's view of the machine from its folder, and then supervises.

Started in new namespaces of mounts, processes, names and message queues; the network is the cluster's. The folder has
`root/` (the read-only root of Talos), `var/`, `pci/`, `proc-driver/`, `proc-modules`, `proc-devices`, and `node.json`, which says the rest.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import re
import socket
import stat
import sys
from pathlib import Path
from typing import Any

from .supervisor import Supervisor

MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE, MS_SHARED, MNT_DETACH = 1, 32, 4096, 16384, 1 << 18, 1 << 20, 2
CLONE_NEWCGROUP = 0x02000000
LIBRARIES = ("usr/lib", "usr/lib64", "usr/libexec")
PROGRAMS = ("usr/bin", "usr/sbin")
"""What this machine lends: the C library, and the programs that kubelet and containerd call, such as mount."""
PLAIN = {"null": (1, 3), "zero": (1, 5), "full": (1, 7), "random": (1, 8), "urandom": (1, 9), "tty": (5, 0), "kmsg": (1, 11)}
TUNABLES = {
    "vm/overcommit_memory": 1,
    "vm/panic_on_oom": 0,
    "kernel/panic": 10,
    "kernel/panic_on_oops": 1,
    "kernel/keys/root_maxkeys": 1_000_000,
    "kernel/keys/root_maxbytes": 25_000_000,
}
"""The settings of the kernel that a kubelet wants, and writes where they differ.

Source: kubernetes/kubernetes pkg/kubelet/cm/container_manager_linux.go, setupKernelTunables, at v1.37.2 (2026-11-28)
"""
_libc = ctypes.CDLL(None, use_errno=True)


def main(folder: Path) -> None:
    """Build the node, say that it stands, and supervise it."""
    spec = json.loads((folder / "node.json").read_text())
    pid = Path("/proc/self").readlink().name  # of the namespace that /proc still shows: the caller's
    socket.sethostname(spec["name"])
    _enter_cgroup(spec["cgroup"])
    _mount(None, "/", flags=MS_REC | MS_PRIVATE)
    root = folder / "root"
    _mount(root, root, flags=MS_BIND)
    _build(folder, root, spec)
    os.chdir(root)
    _check(_libc.pivot_root(b".", b"system/old"), "pivot_root")
    os.chroot(".")
    os.chdir("/")
    _check(_libc.umount2(b"/system/old", MNT_DETACH), "umount of the old root")
    _mount(None, "/", flags=MS_REMOUNT | MS_BIND | MS_RDONLY)
    _mount(None, "/", flags=MS_REC | MS_SHARED)  # siderolabs/talos SetupSharedFilesystems: pods mount /usr with HostToContainer
    sys.stdout.write(json.dumps({"pid": int(pid)}) + "\n")
    sys.stdout.flush()
    Supervisor().serve()


def _build(folder: Path, root: Path, spec: dict[str, Any]) -> None:
    _lend(root)
    for name, programs in spec["programs"].items():
        _bind(Path(programs), root / "system" / name, read_only=True)
    _bind(folder / "var", root / "var")
    for each in spec["writable"]:
        _bind(folder / "writable" / each, root / each)
    _special(root)
    _settings(folder / "sysctl", root / "proc/sys")
    _devices(root / "dev", spec["devices"])
    _bind(folder / "pci", root / "sys/bus/pci/devices")
    _bind(folder / "proc-driver", root / "proc/driver")
    for each in ("modules", "devices"):
        if (root / "proc" / each).exists():  # a kernel without modules has no list of them
            _mount(folder / f"proc-{each}", root / "proc" / each, flags=MS_BIND)
    (root / "system/old").mkdir(parents=True, exist_ok=True)


def _lend(root: Path) -> None:
    for each in LIBRARIES:
        if Path("/", each).is_dir():
            _bind(Path("/", each), root / each, read_only=True)
    for each in PROGRAMS:
        _bind(Path("/", each), root / "system/host" / each, read_only=True)
    for each in ("bin", "sbin", "lib", "lib64"):
        place = root / each
        if Path("/", each).is_dir() and not Path("/", each).is_symlink():
            _bind(Path("/", each), place, read_only=True)
        elif not place.is_symlink():
            place.symlink_to(f"usr/{each}")


def _special(root: Path) -> None:
    for each, kind in (("proc", "proc"), ("sys", "sysfs"), ("run", "tmpfs"), ("tmp", "tmpfs"), ("dev", "tmpfs")):
        (root / each).mkdir(exist_ok=True)
        flags = MS_RDONLY if kind == "sysfs" else 0  # the kernel is that of this machine
        _mount(kind, root / each, kind, flags, "mode=755" if kind == "tmpfs" else "")
    (root / "tmp").chmod(0o1777)
    for each in ("run/cdi", "run/nvidia", "run/lock"):
        (root / each).mkdir()
    _mount_cgroups(root / "sys/fs/cgroup")


def _settings(folder: Path, place: Path) -> None:
    """Files over the settings that the kubelet makes, and no right to write the others: the kernel has them once for the whole machine."""
    folder.mkdir(exist_ok=True)
    for path, value in TUNABLES.items():
        file = folder / path.replace("/", ".")
        file.write_text(f"{value}\n")
        if (place / path).exists():
            _mount(file, place / path, flags=MS_BIND)
    _bind(place, place, read_only=True)
    _bind(place / "net", place / "net")  # the cluster's own, which CNI plugins write
    _mount(None, place / "net", flags=MS_REMOUNT | MS_BIND)
    (folder / "sysrq-trigger").touch()
    if (place.parent / "sysrq-trigger").exists():
        _mount(folder / "sysrq-trigger", place.parent / "sysrq-trigger", flags=MS_BIND)


def _devices(dev: Path, cards: dict[str, list[int]]) -> None:
    for name, (major, minor) in (PLAIN | {name: tuple(each) for name, each in cards.items()}).items():
        (dev / name).parent.mkdir(parents=True, exist_ok=True)
        os.mknod(dev / name, 0o666 | stat.S_IFCHR, os.makedev(major, minor))
        (dev / name).chmod(0o666)
    for name, target in {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"}.items():
        (dev / name).symlink_to(target)
    for name, kind, data in (("pts", "devpts", "newinstance,ptmxmode=0666"), ("shm", "tmpfs", ""), ("mqueue", "mqueue", "")):
        (dev / name).mkdir()
        _mount(kind, dev / name, kind, data=data)


def _version_1() -> list[str]:
    """The controllers of cgroup v1 that this machine mounts, none where it has cgroup v2."""
    if Path("/sys/fs/cgroup/cgroup.controllers").exists():
        return []
    lines = Path("/proc/self/cgroup").read_text().splitlines()
    return [line.split(":")[1] for line in lines if line.split(":")[1]]


def _enter_cgroup(name: str) -> None:
    """A group of the node's own in each hierarchy, and a namespace in which it is the root."""
    base = Path("/sys/fs/cgroup")
    if (base / "cgroup.type").exists():  # in a container: its own group gives controllers on once it is empty
        (base / "init").mkdir(exist_ok=True)
        for pid in (base / "cgroup.procs").read_text().split():
            with contextlib.suppress(OSError):  # a process that has ended
                (base / "init/cgroup.procs").write_text(pid)
    for each in _version_1() or [""]:
        group = base / each.removeprefix("name=") / name
        group.mkdir(parents=True, exist_ok=True)
        if each == "cpuset":
            for parent in reversed([group, *group.parents][: len(Path(name).parts)]):
                for file in ("cpuset.cpus", "cpuset.mems"):
                    (parent / file).write_text((parent.parent / file).read_text())
        (group / "cgroup.procs").write_text("0")
    _check(_libc.unshare(CLONE_NEWCGROUP), "a namespace of cgroups")
    if not _version_1():  # where a group has processes, its controllers can't be given to its children
        group = base / name
        (group / "init").mkdir(exist_ok=True)
        (group / "init/cgroup.procs").write_text("0")
        for parent in [base, *reversed([group, *group.parents][: len(Path(name).parts)])]:
            given = (parent / "cgroup.subtree_control").read_text().split()
            more = [each for each in (parent / "cgroup.controllers").read_text().split() if each not in given]
            (parent / "cgroup.subtree_control").write_text(" ".join(f"+{each}" for each in more))


def _mount_cgroups(place: Path) -> None:
    controllers = _version_1()
    if not controllers:
        _mount("cgroup2", place, "cgroup2")
        return
    _mount("cgroup", place, "tmpfs", data="mode=755")
    for each in controllers:
        folder = place / re.sub("^name=", "", each)
        folder.mkdir()
        _mount("cgroup", folder, "cgroup", data=f"none,{each}" if each.startswith("name=") else each)


def _bind(source: Path, target: Path, *, read_only: bool = False) -> None:
    target.mkdir(parents=True, exist_ok=True)
    _mount(source, target, flags=MS_BIND | MS_REC)
    if read_only:
        _mount(None, target, flags=MS_REMOUNT | MS_BIND | MS_RDONLY)


def _mount(source: Path | str | None, target: Path | str, kind: str = "", flags: int = 0, data: str = "") -> None:
    origin = str(source).encode() if source is not None else None
    result = _libc.mount(origin, str(target).encode(), kind.encode() or None, flags, data.encode() or None)
    _check(result, f"mount of {source or kind} at {target}")


def _check(result: int, what: str) -> None:
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
