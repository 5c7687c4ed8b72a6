"""`MachineConfigPatch`: the Talos machine configuration of a class of GPU nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import copied, named, settle, to_flag
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, instance, texts
from ...nodes.fabric_manager import check_fabric_manager, default_fabric_manager, to_fabric_manager
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion
from ...upstream.choice import Choice
from ...upstream.talos.features import BASE_RUNTIME_SPEC, BASE_RUNTIME_SPEC_PATH, CRI_RUNTIME_PLUGIN, DOCUMENTS, RUNTIME_CLASS
from ...upstream.talos.minors import Minors
from . import kernel_settings, node_metadata, patch_parts


class ConfigStyle(Choice):
    """The two forms of Talos' machine configuration."""

    FIELDS = "fields"
    """Fields under `machine:`: the only form up to Talos 1.13, and that of a cluster that was upgraded from 1.13."""
    DOCUMENTS = "documents"
    """A document for each subject: the form that Talos 1.14 generates."""


def _to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    return instance(argument, value, GpuNodes, "a GpuNodes", "such as GpuNodes(talos_version='1.14')")


def _to_style(value: ConfigStyle | str | None, argument: str = "") -> ConfigStyle:
    # None becomes the default of the nodes' Talos in `__attrs_post_init__`.
    return None if value is None else choice(argument, value, ConfigStyle)  # type: ignore[return-value]


def style_of(style: ConfigStyle | None, talos: TalosVersion, documents: Minors, subject: str) -> ConfigStyle:
    """The style of a part of the configuration, which has documents from a Talos on; by default they are taken
    there."""
    newer = talos.minor in documents
    if style is ConfigStyle.DOCUMENTS and not newer:
        raise wrong("style", f"'{ConfigStyle.FIELDS}' on Talos {talos}", str(style), f"{subject} new in Talos {documents.first}")
    return style or (ConfigStyle.DOCUMENTS if newer else ConfigStyle.FIELDS)


def check_runtime(nodes: GpuNodes, *, default_runtime: bool, base_runtime_spec: bool) -> None:
    """Refuse settings for a runtime or a file that the Talos of the nodes does not have."""
    for name, value in {"default_runtime": default_runtime, "base_runtime_spec": base_runtime_spec}.items():
        if value and nodes.runtime_class is None:
            hint = "containerd injects the GPU by CDI with every runtime"
            raise wrong(name, f"False on Talos {nodes.talos_version}", value, hint)
    if base_runtime_spec and nodes.talos_version.minor not in BASE_RUNTIME_SPEC:
        hint = f"Talos writes {BASE_RUNTIME_SPEC_PATH} from {BASE_RUNTIME_SPEC.first} on"
        raise wrong("base_runtime_spec", f"False on Talos {nodes.talos_version}", base_runtime_spec, hint)


def _to_kubelet_gates(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    gates = texts(argument, value)
    if gates:
        from ...upstream.kubernetes.dra_gates import KUBELET_GATES  # only a gate needs them

    for gate in gates:
        if gate not in KUBELET_GATES:
            rule = "made of " + ", ".join(f"'{known}'" for known in sorted(KUBELET_GATES))
            raise wrong(argument, rule, gate, "the kubelet reads no other gate of GPUs by claims")
    return tuple(dict.fromkeys(gates))


def to_cdi_spec_dirs(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """Folders with CDI specifications: absolute paths that need no quoting in TOML."""
    folders = texts(argument, value)
    for folder in folders:
        if not re.fullmatch(r"(/[A-Za-z0-9._-]+)+", folder):
            raise wrong(argument, "a list of absolute paths", folder, "such as ['/var/cdi/dynamic']")
    return tuple(folders)


@named_arguments(nodes="a machine configuration patch is for one class of GPU nodes")
@attrs.frozen(kw_only=True, field_transformer=named)
class MachineConfigPatch:
    """The Talos machine configuration of a class of GPU nodes, as a patch: kernel modules, sysctls, labels, taints,
    containerd.

    The NVIDIA extension of Talos contains the driver but loads no kernel module. Without the modules of this patch a
    node has no GPU. Labels and taints come from the same `GpuNodes` as the manifests, so both match.

    A worker that has joined the cluster may not change its own taints. Until its taints match the machine
    configuration, Talos can't set its labels either. Run `taint_commands` once for each such worker; the header of
    `text` contains the commands.

    With `passthrough` the patch loads `vfio_pci` with the PCI IDs of the cards in place of NVIDIA's modules.

    Args:
        nodes: The class of nodes.
        style: `fields` or `documents`. Default: `documents` from Talos 1.14 on, else `fields`. A node that was upgraded
            from 1.13 keeps its fields and needs `fields`: Talos refuses a setting that is both a field and a document.
        kernel_module_parameters: Parameters by module, such as `{"nvidia": ["NVreg_OpenRmEnableUnsupportedGpus=1"]}`.
            The kernel reads a changed parameter at the next boot. Default: none.
        extra_kernel_modules: Further kernel modules by name, such as `nbd`. Not `nvidia_peermem`, which Talos can't
            load. Default: none.
        fabric_manager: The image has NVIDIA's fabric manager, for machines with NVSwitch (HGX, DGX). The patch then
            loads `ib_umad`, which NVLink 5 (B100, B200, B300) needs, unless `product` of the nodes is another card.
            Default: for 8 or 16 cards whose `product` is of a board with NVSwitch, such as B200.
        gdrcopy: Load `gdrdrv` as well, for the extension `nvidia-gdrdrv-device`: open kernel modules, Talos 1.12 and
            newer. Default: False.
        sysctls: Further kernel settings; every value is a string. Default: none. Up to Talos 1.12 the patch always
            contains `net.core.bpf_jit_harden: "1"`.
        operator: Whether the GPU operator runs on the nodes. The patch then leaves `nvidia.com/gpu.present` to the
            operator, which sets this label by itself. Up to Talos 1.12 the patch contains a label that disables the
            operator's validator, which can't succeed there. For a class with `mig_devices` the patch contains the label
            that keeps the operator's device plugin off the nodes. The standalone device plugin has no validator.
            Default: False.
        default_runtime: Run every container by NVIDIA's runtime, also containers of pods without a RuntimeClass.
            Default: False.
        base_runtime_spec: Apply the limits of `machine.baseRuntimeSpecOverrides` to containers of NVIDIA's runtime as
            well; by default Talos applies them to all other containers. Talos 1.9 and newer. Default: False.
        cdi_spec_dirs: Folders in which containerd looks for CDI specifications. Up to Talos 1.12 they replace /etc/cdi
            and /var/run/cdi; from 1.13 on Talos adds them to /run/cdi. Default: none.
        kubelet_feature_gates: The feature gates of Kubernetes that the kubelet switches on: DRAExtendedResource or
            ResourceHealthStatus. A kubelet that does not have a gate refuses to start. Default: none.

    Raises:
        TypeError, ValueError: `'style' must be 'fields' on Talos 1.13 …`, and a similar error for every argument;
            `'nodes' must be …` for taints that the machine configuration can't hold.

    Warns:
        TalosGpuWarning: For labels that only an administrator may set on a worker, such as
            `node-role.kubernetes.io/gpu`, with the command.

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
    extra_kernel_modules: tuple[str, ...] = attrs.field(default=(), converter=kernel_settings.to_extra_modules)
    fabric_manager: bool = attrs.field(default=None, converter=to_fabric_manager)
    gdrcopy: bool = attrs.field(default=False, converter=to_flag)
    sysctls: Mapping[str, str] = attrs.field(default=None, converter=kernel_settings.to_sysctls, hash=False)
    operator: bool = attrs.field(default=False, converter=to_flag)
    default_runtime: bool = attrs.field(default=False, converter=to_flag)
    base_runtime_spec: bool = attrs.field(default=False, converter=to_flag)
    cdi_spec_dirs: tuple[str, ...] = attrs.field(default=(), converter=to_cdi_spec_dirs)
    kubelet_feature_gates: tuple[str, ...] = attrs.field(default=(), converter=_to_kubelet_gates)

    def __attrs_post_init__(self) -> None:
        settle(self, "fabric_manager", default_fabric_manager(self.nodes))
        node_metadata.taints(self.nodes)
        if self.operator:
            node_metadata.labels(self.nodes, operator=True)
        node_metadata.warn_of_labels(self.nodes)
        if self.nodes.passthrough is not None:
            kernel_settings.refuse_nvidia(
                fabric_manager=self.fabric_manager,
                gdrcopy=self.gdrcopy,
                default_runtime=self.default_runtime,
                base_runtime_spec=self.base_runtime_spec,
            )
        kernel_settings.check_gdrcopy(self.gdrcopy, self.nodes)
        check_fabric_manager(self.fabric_manager, self.nodes)
        kernel_settings.check_parameters(self._parameters, self.loaded_modules)
        check_runtime(self.nodes, default_runtime=self.default_runtime, base_runtime_spec=self.base_runtime_spec)
        object.__setattr__(self, "style", style_of(self.style, self.nodes.talos_version, DOCUMENTS, "documents are"))
        object.__setattr__(self, "sysctls", MappingProxyType(kernel_settings.with_needed_sysctls(self.sysctls, self.nodes)))

    @property
    def loaded_modules(self) -> tuple[str, ...]:
        """Every kernel module of the patch, in the order in which Talos loads them."""
        return tuple(
            kernel_settings.modules(self.nodes, gdrcopy=self.gdrcopy, fabric_manager=self.fabric_manager, extra=self.extra_kernel_modules)
        )

    @property
    def _customization(self) -> str:
        """The fragment of containerd's configuration; empty when all settings are the defaults of Talos.

        Talos merges the fragment into its own configuration, and the merge appends to lists (siderolabs/talos
        internal/pkg/toml, pkg/machinery/config/merge). NRI needs no setting here: Talos enables it from 1.14 on
        (siderolabs/talos 9ae260b55).
        """
        tables = []
        if self.cdi_spec_dirs:
            listed = ", ".join(f'"{folder}"' for folder in self.cdi_spec_dirs)
            tables.append(f"[{CRI_RUNTIME_PLUGIN}]\n  cdi_spec_dirs = [{listed}]\n")
        if self.default_runtime:
            tables.append(f'[{CRI_RUNTIME_PLUGIN}.containerd]\n  default_runtime_name = "{RUNTIME_CLASS}"\n')
        if self.base_runtime_spec:
            tables.append(f'[{CRI_RUNTIME_PLUGIN}.containerd.runtimes.{RUNTIME_CLASS}]\n  base_runtime_spec = "{BASE_RUNTIME_SPEC_PATH}"\n')
        return "\n".join(tables)

    @property
    def _parameters(self) -> Mapping[str, tuple[str, ...]]:
        if self.nodes.passthrough is None:
            return self.kernel_module_parameters
        return kernel_settings.with_device_ids(self.kernel_module_parameters, self.nodes.passthrough)

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The patch as plain data: one document with `machine:` in the style `fields`, else several documents."""
        parts = self._parts()
        if self.style is ConfigStyle.DOCUMENTS:
            return [part.body for part in parts]
        return [{"machine": {key: value for part in parts for key, value in part.body.items()}}]

    @property
    def text(self) -> str:
        """The patch as YAML for `talosctl`, with a comment for every part."""
        write = patch_parts.documents_text if self.style is ConfigStyle.DOCUMENTS else patch_parts.fields_text
        return write(self.nodes, self._parts())

    def cautions(self, *, joined: bool = True) -> list[str]:
        """The warnings in the comments of `text`, for a tool whose form has no place for comments.

        Args:
            joined: Whether machines with the patch may be in the cluster already. Default: True.
        """
        return patch_parts.cautions(self.nodes, self.documents[0].get("machine", {}), joined=joined)

    @property
    def taint_commands(self) -> list[str]:
        """The commands that taint a worker that has joined the cluster; NODE is the name of the worker."""
        return node_metadata.taint_commands(self.nodes)

    @property
    def label_commands(self) -> list[str]:
        """The commands that set the labels that only an administrator may set; NODE is the name of the worker."""
        return node_metadata.label_commands(self.nodes)

    def _parts(self) -> list[patch_parts.PatchPart]:
        parameters = self._parameters
        wanted = patch_parts.Wanted(
            nodes=self.nodes,
            kernel_modules={name: parameters.get(name, ()) for name in self.loaded_modules},
            sysctls=self.sysctls,
            labels=node_metadata.labels(self.nodes, operator=self.operator),
            customization=self._customization,
            cdi_spec_dirs=self.cdi_spec_dirs,
            kubelet_feature_gates=self.kubelet_feature_gates,
        )
        return patch_parts.documents(wanted) if self.style is ConfigStyle.DOCUMENTS else patch_parts.fields(wanted)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the constructor call."""
        return copied(self, kernel_module_parameters=dict(self.kernel_module_parameters), sysctls=dict(self.sysctls))
