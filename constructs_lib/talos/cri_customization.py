"""What a class of GPU nodes changes in containerd's configuration: one fragment of TOML a node.

Talos merges it into its own with a merge that appends to lists (siderolabs/talos internal/pkg/toml, pkg/machinery/config/merge). NRI needs
nothing here: Talos has it enabled from 1.14 on (siderolabs/talos 9ae260b55).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .._arguments.refusals import texts, wrong
from ..nodes.gpu_nodes import RUNTIME_CLASS, GpuNodes

# containerd 2's name of the plugin, which every Talos from 1.8 on has (siderolabs/talos hack/cri-plugin.part).
_RUNTIME = 'plugins."io.containerd.cri.v1.runtime"'
# The containers' limits as machine.baseRuntimeSpecOverrides has them, which Talos sets for runc alone
# (siderolabs/talos internal/app/machined/pkg/controllers/files/cri_base_runtime_spec.go, hack/cri-plugin.part).
_BASE_RUNTIME_SPEC, _BASE_RUNTIME_SPEC_SINCE = "/etc/cri/conf.d/base-spec.json", 9


def check_runtime(nodes: GpuNodes, *, default_runtime: bool, base_runtime_spec: bool) -> None:
    """Refuse settings of a runtime, or of a file, that the nodes' Talos does not have."""
    for name, value in {"default_runtime": default_runtime, "base_runtime_spec": base_runtime_spec}.items():
        if value and nodes.runtime_class is None:
            then = "containerd injects the GPU through NRI, whatever the runtime"
            raise wrong(name, f"False on Talos {nodes.talos_version}", value, then)
    if base_runtime_spec and nodes.talos_version.minor < _BASE_RUNTIME_SPEC_SINCE:
        then = f"Talos writes {_BASE_RUNTIME_SPEC} from 1.{_BASE_RUNTIME_SPEC_SINCE} on"
        raise wrong("base_runtime_spec", f"False on Talos {nodes.talos_version}", base_runtime_spec, then)


def check_cdi_spec_dirs(value: object) -> tuple[str, ...]:
    """Folders with CDI specifications, each an absolute path that needs no quoting in TOML."""
    folders = texts("cdi_spec_dirs", value)
    for folder in folders:
        if not re.fullmatch(r"(/[A-Za-z0-9._-]+)+", folder):
            raise wrong("cdi_spec_dirs", "a list of absolute paths", folder, "such as ['/var/cdi/dynamic']")
    return tuple(folders)


def cri_customization(*, default_runtime: bool, base_runtime_spec: bool, cdi_spec_dirs: Sequence[str]) -> str:
    """The fragment, or nothing when all is left as Talos has it."""
    tables = []
    if cdi_spec_dirs:
        listed = ", ".join(f'"{folder}"' for folder in cdi_spec_dirs)
        tables.append(f"[{_RUNTIME}]\n  cdi_spec_dirs = [{listed}]\n")
    if default_runtime:
        tables.append(f'[{_RUNTIME}.containerd]\n  default_runtime_name = "{RUNTIME_CLASS}"\n')
    if base_runtime_spec:
        tables.append(f'[{_RUNTIME}.containerd.runtimes.{RUNTIME_CLASS}]\n  base_runtime_spec = "{_BASE_RUNTIME_SPEC}"\n')
    return "\n".join(tables)
