"""`MachineConfigPatch`: what a class of GPU nodes needs in Talos' machine configuration."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from .._arguments.errors import wrong
from .._arguments.fields import copied, named, to_flag
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import choice, instance
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.choice import Choice
from ..upstream.talos_features import DOCUMENTS
from . import kernel_settings, node_metadata, patch_parts
from .cri_customization import check_runtime, cri_customization, to_cdi_spec_dirs


class ConfigStyle(Choice):
    """The two forms of Talos' machine configuration."""

    FIELDS = "fields"
    """Fields under `machine:`: the only form up to Talos 1.13, and that of a cluster which was upgraded from there."""
    DOCUMENTS = "documents"
    """A document for each subject: the form that Talos 1.14 generates."""


def _to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    return instance(argument, value, GpuNodes, "a GpuNodes", "such as GpuNodes(talos_version='1.14')")


def _to_style(value: ConfigStyle | str | None, argument: str = "") -> ConfigStyle:
    # The nodes' own, where None is given, once they are known.
    return None if value is None else choice(argument, value, ConfigStyle)  # type: ignore[return-value]


@named_arguments(nodes="a machine configuration patch is for one class of GPU nodes")
@attrs.frozen(kw_only=True, field_transformer=named)
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

    nodes: GpuNodes = attrs.field(converter=_to_nodes)
    style: ConfigStyle = attrs.field(default=None, converter=_to_style)
    kernel_module_parameters: Mapping[str, tuple[str, ...]] = attrs.field(default=None, converter=kernel_settings.to_parameters, hash=False)
    gdrcopy: bool = attrs.field(default=False, converter=to_flag)
    sysctls: Mapping[str, str] = attrs.field(default=None, converter=kernel_settings.to_sysctls, hash=False)
    operator: bool = attrs.field(default=False, converter=to_flag)
    default_runtime: bool = attrs.field(default=False, converter=to_flag)
    base_runtime_spec: bool = attrs.field(default=False, converter=to_flag)
    cdi_spec_dirs: tuple[str, ...] = attrs.field(default=(), converter=to_cdi_spec_dirs)

    def __attrs_post_init__(self) -> None:
        node_metadata.taints(self.nodes)
        kernel_settings.check_gdrcopy(self.gdrcopy, self.nodes)
        kernel_settings.check_parameters(self.kernel_module_parameters, gdrcopy=self.gdrcopy)
        check_runtime(self.nodes, default_runtime=self.default_runtime, base_runtime_spec=self.base_runtime_spec)
        object.__setattr__(self, "style", _style(self.style, self.nodes))
        object.__setattr__(self, "sysctls", MappingProxyType(kernel_settings.with_needed_sysctls(self.sysctls, self.nodes)))

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
        """Copy and pickle by the call that makes it."""
        return copied(self, kernel_module_parameters=dict(self.kernel_module_parameters), sysctls=dict(self.sysctls))


def _style(given: ConfigStyle | None, nodes: GpuNodes) -> ConfigStyle:
    newer = nodes.talos_version.minor in DOCUMENTS
    if given is ConfigStyle.DOCUMENTS and not newer:
        hint = f"the documents came with Talos {DOCUMENTS.first}"
        raise wrong("style", f"'{ConfigStyle.FIELDS}' on Talos {nodes.talos_version}", str(given), hint)
    return given or (ConfigStyle.DOCUMENTS if newer else ConfigStyle.FIELDS)
