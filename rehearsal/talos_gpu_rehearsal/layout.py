"""The files of a Talos node with NVIDIA's extensions, by its version of Talos.

siderolabs/extensions nvidia-gpu/nvidia-container-toolkit and siderolabs/talos hack/ at v1.12.11, v1.13.9 and
v1.14.0-rc.1, read 2026-11-23: where the driver's libraries and the toolkit's programs are, the part of containerd's
configuration that the extension brings, and the base part of Talos.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

HANDLER = """\
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia]
  privileged_without_host_devices = false
  runtime_engine = ""
  runtime_root = ""
  runtime_type = "io.containerd.runc.v2"
  [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.nvidia.options]
    BinaryName = "/usr/local/bin/nvidia-container-runtime"
"""
"""10-nvidia-container-runtime.part, the same in all versions."""
LEGACY_CONFIG = """\
disable-require = false

[nvidia-container-cli]
environment = []
debug = "/var/log/nvidia-container-cli.log"
ldcache = "/usr/local/glibc/etc/ld.so.cache"
ldconfig = "@/usr/local/glibc/sbin/ldconfig"
load-kmods = false
user = "0:0"

[nvidia-container-runtime]
debug = "/var/log/nvidia-container-runtime.log"
"""
"""nvidia-container-runtime/config.toml below /usr/local/etc, up to Talos 1.12."""
HOST_PROGRAMS = ("usr/bin", "usr/sbin")
TOOLKIT_PROGRAMS = ("nvidia-container-runtime", "nvidia-container-runtime-hook", "nvidia-ctk", "nvidia-cdi-hook")


@dataclasses.dataclass(frozen=True)
class Layout:
    """Where a version of Talos keeps what NVIDIA's extensions bring."""

    talos: tuple[int, int]

    @classmethod
    def of(cls, talos: str) -> Layout:
        """The layout of a version such as `1.13.9`."""
        major, minor, *_ = talos.split(".")
        return cls((int(major), int(minor)))

    @property
    def is_legacy(self) -> bool:
        """Whether NVIDIA's libraries have a C library of their own: up to Talos 1.12."""
        return self.talos < (1, 13)

    @property
    def libraries(self) -> str:
        """The folder of the driver's libraries, below the root."""
        return "usr/local/glibc/usr/lib" if self.is_legacy else "usr/local/lib"

    @property
    def ld_cache(self) -> str:
        """The cache of the dynamic linker that knows them."""
        return "usr/local/glibc/etc/ld.so.cache" if self.is_legacy else "etc/ld.so.cache"

    @property
    def toolkit(self) -> str:
        """The program folder of the toolkit: 1.18 up to Talos 1.12, then 1.19."""
        return "toolkit-1.18" if self.is_legacy else "toolkit"

    @property
    def brings_toolkit(self) -> bool:
        """Whether an extension brings the toolkit: up to Talos 1.14. From 1.15 on the GPU operator installs it."""
        return self.talos < (1, 15)

    def base_part(self) -> str:
        """hack/cri-plugin.part of Talos: CDI from 1.13 on, NRI from 1.14 on."""
        images = '[plugins."io.containerd.cri.v1.images"]\n  discard_unpacked_layers = true\n  use_local_image_pull = true\n'
        cdi = '[plugins."io.containerd.cri.v1.runtime"]\n  enable_cdi = true\n  cdi_spec_dirs = ["/run/cdi"]\n'
        nri = '[plugins."io.containerd.nri.v1.nri"]\n  disable = true\n'
        return images + ("" if self.is_legacy else cdi) + (nri if self.talos < (1, 14) else "")


def write_toolkit(root: Path, layout: Layout, programs: Path) -> None:
    """The files of the extension nvidia-container-toolkit: programs, configuration, and the part for containerd."""
    folder = root / "usr/local/bin"
    folder.mkdir(parents=True, exist_ok=True)
    for name in TOOLKIT_PROGRAMS:
        if not (programs / name).exists():
            continue
        if layout.is_legacy:
            place(programs / name, folder / f"{name}.real")
            wrapper = f'#!/bin/sh\nXDG_CONFIG_HOME=/usr/local/etc exec /usr/local/bin/{name}.real "$@"\n'
            write(folder / name, wrapper, mode=0o755)
        else:
            place(programs / name, folder / name)
            if name in {"nvidia-ctk", "nvidia-cdi-hook"}:
                link(root / "usr/bin" / name, f"/usr/local/bin/{name}")
    if layout.is_legacy:
        write(root / "usr/local/etc/nvidia-container-runtime/config.toml", LEGACY_CONFIG)
    else:  # with the extension's C library, and where the DRA driver finds NVIDIA's own (misc/glibc/pkg.yaml)
        link(root / "usr/local/lib64", "lib/")
    write(root / "etc/cri/conf.d/10-nvidia-container-runtime.part", HANDLER)


def write_host_programs(root: Path) -> None:
    """The programs of this machine at their usual places: links, beside which Talos' extensions have links too.

    A driver of this machine itself stays out of sight.
    """
    for folder in HOST_PROGRAMS:
        (root / folder).mkdir(parents=True, exist_ok=True)
        for each in Path("/", folder).iterdir():
            if not each.name.startswith("nvidia"):
                link(root / folder / each.name, f"/system/host/{folder}/{each.name}")


def merged_parts(parts: Sequence[str]) -> str:
    """Containerd's configuration from its parts, merged deeply as Talos does it: tables by key, lists appended."""
    merged: dict[str, Any] = {"version": 3}
    for part in parts:
        _merge(merged, tomllib.loads(part))
    return _toml(merged)


def _merge(into: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        known = into.get(key)
        if isinstance(known, dict) and isinstance(value, dict):
            _merge(known, value)
        elif isinstance(known, list) and isinstance(value, list):
            into[key] = [*known, *value]
        else:
            into[key] = value


def _toml(table: Mapping[str, Any], path: tuple[str, ...] = ()) -> str:
    plain = [f"{_key(name)} = {_value(value)}\n" for name, value in table.items() if not isinstance(value, dict)]
    header = f"[{'.'.join(map(_key, path))}]\n" if path else ""
    tables = [_toml(value, (*path, name)) for name, value in table.items() if isinstance(value, dict)]
    return header + "".join(plain) + "".join(tables)


def _key(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return _key(value) if isinstance(value, str) else str(value)


def write(path: Path, text: str, mode: int = 0o644) -> None:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)


def place(source: Path, target: Path) -> None:
    """A program or library at its place: a link where both are on one disk, or else a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copy2(source, target)


def link(path: Path, target: str) -> None:
    """A symbolic link with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)
