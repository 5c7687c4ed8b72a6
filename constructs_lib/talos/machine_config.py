"""`MachineConfigPatch`: what a class of GPU nodes needs in Talos' machine configuration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import Any

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import choice, flag, instance
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.choice import Choice
from ..upstream.talos_features import DOCUMENTS
from . import kernel_settings, node_metadata, patch_parts
from .cri_customization import check_cdi_spec_dirs, check_runtime, cri_customization


class ConfigStyle(Choice):
    """The two forms of Talos' machine configuration."""

    FIELDS = "fields"
    """Fields under `machine:`: the only form up to Talos 1.13, and that of a cluster which was upgraded from there."""
    DOCUMENTS = "documents"
    """A document for each subject: the form that Talos 1.14 generates."""


@named_arguments(nodes="a machine configuration patch is for one class of GPU nodes")
@dataclass(frozen=True, kw_only=True, slots=True)
class MachineConfigPatch:
    """The Talos machine configuration of a class of GPU nodes, as a patch: kernel modules, sysctls, labels, taints, containerd.

    Talos' NVIDIA extension brings the driver and loads nothing; without the kernel modules named here a node has no GPU. The rest makes
    the nodes what the cluster's side expects of them, from the same `GpuNodes`.

    A worker may not change its own taints once it has joined the cluster, and while the machine configuration says otherwise Talos can set
    none of its labels either. So nodes that have joined need `taint_commands`, once; `text` says it where it is read.

    Args:
        nodes: The class of nodes.
        style: `fields` or `documents`. Default: `documents` from Talos 1.14 on, else `fields`. A node that was upgraded from 1.13 keeps its
            fields, and Talos refuses both forms of one thing: give `fields` for it.
        kernel_module_parameters: Parameters by module, such as `{"nvidia": ["NVreg_OpenRmEnableUnsupportedGpus=1"]}`. A changed one is
            read at the next boot. Default: none.
        gdrcopy: Load `gdrdrv` as well, for the extension `nvidia-gdrdrv-device`: open kernel modules, Talos 1.12 and newer. Default: False.
        sysctls: Further kernel settings, each value a string. Default: `net.core.bpf_jit_harden: "1"` up to Talos 1.12, where it is always
            added, else none.
        operator: Whether the GPU operator runs on the nodes. Up to Talos 1.12 they then carry a label that keeps its validator away, which
            can't succeed there; the standalone device plugin has no validator. Default: False.
        default_runtime: Run every container by NVIDIA's runtime, also those whose pods name no RuntimeClass. Default: False.
        base_runtime_spec: Give the containers of NVIDIA's runtime the limits of `machine.baseRuntimeSpecOverrides`, which Talos gives to
            all others only. Talos 1.9 and newer. Default: False.
        cdi_spec_dirs: Folders in which containerd looks for CDI specifications: up to Talos 1.12 in place of /etc/cdi and /var/run/cdi,
            from 1.13 on beside Talos' /run/cdi. Default: none.

    Raises:
        TypeError, ValueError: `'style' must be 'fields' on Talos 1.13 …`, and so for each argument; `'nodes' must be …` for taints that
            Talos' configuration can't hold.

    Example:
        >>> patch = MachineConfigPatch(nodes=GpuNodes(talos_version="1.14", taints=[Taint("dedicated", "ai")]))
        >>> patch.documents[-1]
        {'apiVersion': 'v1alpha1', 'kind': 'KubeNodeConfig', 'taints': {'dedicated': 'ai:NoSchedule'}}
        >>> patch.taint_commands
        ['kubectl taint nodes $NODE dedicated=ai:NoSchedule --overwrite']

    https://docs.siderolabs.com/talos/v1.14/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu
    """

    nodes: GpuNodes
    style: ConfigStyle | str | None = None
    kernel_module_parameters: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    gdrcopy: bool = False
    sysctls: Mapping[str, str] = field(default_factory=dict, hash=False)
    operator: bool = False
    default_runtime: bool = False
    base_runtime_spec: bool = False
    cdi_spec_dirs: Sequence[str] = ()

    def __post_init__(self) -> None:
        nodes = instance("nodes", self.nodes, GpuNodes, "a GpuNodes", "such as GpuNodes(talos_version='1.14')")
        node_metadata.taints(nodes)
        for name in ("gdrcopy", "operator", "default_runtime", "base_runtime_spec"):
            flag(name, getattr(self, name))
        kernel_settings.check_gdrcopy(self.gdrcopy, nodes)
        check_runtime(nodes, default_runtime=self.default_runtime, base_runtime_spec=self.base_runtime_spec)
        resolved: dict[str, Any] = {
            "style": _style(self.style, nodes),
            "kernel_module_parameters": MappingProxyType(
                kernel_settings.check_parameters(self.kernel_module_parameters, gdrcopy=self.gdrcopy)
            ),
            "sysctls": MappingProxyType(kernel_settings.check_sysctls(self.sysctls, nodes)),
            "cdi_spec_dirs": check_cdi_spec_dirs(self.cdi_spec_dirs),
        }
        for name, value in resolved.items():
            object.__setattr__(self, name, value)

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The patch as plain data: one partial configuration, or the documents."""
        parts = self._parts()
        if self.style is ConfigStyle.DOCUMENTS:
            return [part.body for part in parts]
        return [{"machine": {key: value for part in parts for key, value in part.body.items()}}]

    @property
    def text(self) -> str:
        """The patch as the file that `talosctl` takes, with its reasons as comments."""
        from . import patch_text  # a patch as data needs none

        write = patch_text.documents_text if self.style is ConfigStyle.DOCUMENTS else patch_text.fields_text
        return write(self.nodes, self._parts())

    @property
    def taint_commands(self) -> list[str]:
        """The lines that taint a worker which has joined the cluster already; NODE is its name."""
        return node_metadata.taint_commands(self.nodes)

    @property
    def label_commands(self) -> list[str]:
        """The lines that set the labels of a worker which Kubernetes lets only an administrator set; NODE is its name."""
        return node_metadata.label_commands(self.nodes)

    def _parts(self) -> list[patch_parts.Part]:
        content = cri_customization(
            default_runtime=self.default_runtime, base_runtime_spec=self.base_runtime_spec, cdi_spec_dirs=self.cdi_spec_dirs
        )
        wanted = patch_parts.Wanted(
            nodes=self.nodes,
            kernel_modules={name: self.kernel_module_parameters.get(name, ()) for name in kernel_settings.modules(gdrcopy=self.gdrcopy)},
            sysctls=self.sysctls,
            labels=node_metadata.labels(self.nodes, operator=self.operator),
            customization=content,
            cdi_spec_dirs=self.cdi_spec_dirs,
        )
        return patch_parts.documents(wanted) if self.style is ConfigStyle.DOCUMENTS else patch_parts.fields(wanted)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the call that makes it: a mapping proxy can't be copied."""
        arguments = {each.name: getattr(self, each.name) for each in fields(self)}
        plain: dict[str, Any] = {name: dict(value) if isinstance(value, Mapping) else value for name, value in arguments.items()}
        return partial(type(self), **plain), ()


def _style(value: object, nodes: GpuNodes) -> ConfigStyle:
    newer = nodes.talos_version.minor in DOCUMENTS
    if value is None:
        return ConfigStyle.DOCUMENTS if newer else ConfigStyle.FIELDS
    style = choice("style", value, ConfigStyle)
    if style is ConfigStyle.DOCUMENTS and not newer:
        hint = f"the documents came with Talos {DOCUMENTS.first}"
        raise wrong("style", f"'{ConfigStyle.FIELDS}' on Talos {nodes.talos_version}", str(style), hint)
    return style
