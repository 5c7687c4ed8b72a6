"""The containerd configuration of a class of GPU nodes: one TOML fragment for each node.

Talos merges the fragment into its own configuration, and the merge appends to lists (siderolabs/talos internal/pkg/toml,
pkg/machinery/config/merge). NRI needs no setting here: Talos enables NRI from 1.14 on (siderolabs/talos 9ae260b55).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...arguments.errors import wrong
from ...arguments.plain_values import texts
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.talos.features import BASE_RUNTIME_SPEC, BASE_RUNTIME_SPEC_PATH, CRI_RUNTIME_PLUGIN, RUNTIME_CLASS


def check_runtime(nodes: GpuNodes, *, default_runtime: bool, base_runtime_spec: bool) -> None:
    """Refuse settings for a runtime or a file that the Talos of the nodes does not have."""
    for name, value in {"default_runtime": default_runtime, "base_runtime_spec": base_runtime_spec}.items():
        if value and nodes.runtime_class is None:
            hint = "containerd injects the GPU through NRI with every runtime"
            raise wrong(name, f"False on Talos {nodes.talos_version}", value, hint)
    if base_runtime_spec and nodes.talos_version.minor not in BASE_RUNTIME_SPEC:
        hint = f"Talos writes {BASE_RUNTIME_SPEC_PATH} from {BASE_RUNTIME_SPEC.first} on"
        raise wrong("base_runtime_spec", f"False on Talos {nodes.talos_version}", base_runtime_spec, hint)


def to_cdi_spec_dirs(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """Folders with CDI specifications: absolute paths that need no quoting in TOML."""
    folders = texts(argument, value)
    for folder in folders:
        if not re.fullmatch(r"(/[A-Za-z0-9._-]+)+", folder):
            raise wrong(argument, "a list of absolute paths", folder, "such as ['/var/cdi/dynamic']")
    return tuple(folders)


def cri_customization(*, default_runtime: bool, base_runtime_spec: bool, cdi_spec_dirs: Sequence[str]) -> str:
    """The fragment; empty when all settings are the defaults of Talos."""
    tables = []
    if cdi_spec_dirs:
        listed = ", ".join(f'"{folder}"' for folder in cdi_spec_dirs)
        tables.append(f"[{CRI_RUNTIME_PLUGIN}]\n  cdi_spec_dirs = [{listed}]\n")
    if default_runtime:
        tables.append(f'[{CRI_RUNTIME_PLUGIN}.containerd]\n  default_runtime_name = "{RUNTIME_CLASS}"\n')
    if base_runtime_spec:
        tables.append(f'[{CRI_RUNTIME_PLUGIN}.containerd.runtimes.{RUNTIME_CLASS}]\n  base_runtime_spec = "{BASE_RUNTIME_SPEC_PATH}"\n')
    return "\n".join(tables)
