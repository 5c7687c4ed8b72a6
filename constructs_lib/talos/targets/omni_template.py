"""A document of an Omni cluster template for a class of GPU nodes, for `omnictl cluster template sync -f`."""

from __future__ import annotations

from typing import Any

from ...arguments.errors import wrong
from ...arguments.keywords import named_arguments
from ...arguments.names import dns_label
from ...arguments.plain_values import choice
from ...upstream.choice import Choice
from ...yaml.block import block
from ..config.machine_config import MachineConfigPatch
from ..image.schematic import Schematic
from . import check_same_nodes
from .omni import OmniTarget, check_customization, machine_uuid, omni_name, patch_documents, warn_of_whole_cluster

_WORKERS, _CONTROL_PLANES = "workers", "control-planes"


class OmniTemplateKind(Choice):
    """The kind of a document in a cluster template."""

    CLUSTER = "Cluster"
    CONTROL_PLANE = "ControlPlane"
    WORKERS = "Workers"
    MACHINE = "Machine"


@named_arguments(schematic="the nodes need its extensions", patch="the nodes need its configuration")
def omni_template(
    *,
    schematic: Schematic,
    patch: MachineConfigPatch | str,
    kind: OmniTemplateKind | str = OmniTemplateKind.WORKERS,
    name: str | None = None,
    patch_name: str = "nvidia-gpu",
) -> str:
    """A document of a cluster template with the image and the machine config of GPU nodes.

    Merge the fields into the document of the same kind and name in your template, or add the missing fields, such as
    `machines`. Omni takes only the list of `systemExtensions` and of `kernelArgs` that is nearest to a machine. A
    machine set with a `machineClass` takes no `kernelArgs`, neither its own nor those of the cluster. A patch with
    several documents needs Omni 1.8, and the documents of Talos 1.14 need Omni 1.10.

    Args:
        schematic: The image of the nodes.
        patch: The machine configuration of the nodes, or your own patch as text. Fields that Omni manages are refused
            in the patch.
        kind: `Cluster`, `ControlPlane`, `Workers` or `Machine`. Default: `Workers`.
        name: The name of the workers, optional for the first workers of a cluster; the name of a cluster; the UUID of a
            machine. Default: none.
        patch_name: The name of the patch, which is part of its ID in Omni. Default: "nvidia-gpu".

    Raises:
        TypeError, ValueError: `'kind' must be one of …`, `'name' must be …`, `'patch' must be without …`.

    Warns:
        TalosGpuWarning: For a whole cluster.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13")
        >>> print(omni_template(schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes), name="gpu"))
        kind: Workers
        name: gpu
        systemExtensions:
          - siderolabs/nvidia-container-toolkit-production
          - siderolabs/nvidia-open-gpu-kernel-modules-production
        patches:
          - name: nvidia-gpu
            inline:
              machine:
                kernel:
                  modules:
                    - name: nvidia
                    - name: nvidia_uvm
                    - name: nvidia_drm
                    - name: nvidia_modeset
        <BLANKLINE>

    https://docs.siderolabs.com/omni/reference/cluster-templates
    """
    described = choice("kind", kind, OmniTemplateKind)
    check_customization(schematic)
    documents = patch_documents(patch)
    if isinstance(patch, MachineConfigPatch):
        check_same_nodes(schematic, patch)
    document: dict[str, Any] = {"kind": str(described), **_named(described, name)}
    document["systemExtensions"] = schematic.official_extensions
    if schematic.extra_kernel_args:
        document["kernelArgs"] = list(schematic.extra_kernel_args)
    inline = documents[0] if len(documents) == 1 else documents
    document["patches"] = [{"name": dns_label("patch_name", patch_name), "inline": inline}]
    if described is OmniTemplateKind.CLUSTER:
        warn_of_whole_cluster()
    return "\n".join(block(document)) + "\n"


def template_document(target: OmniTarget) -> dict[str, Any]:
    """The arguments `kind` and `name` of `omni_template` for the machines of a target that is in a cluster.

    The template gives a machine set the ID `<cluster>-<name>`, with `workers` as the name of the workers without one
    and `control-planes` as that of the control plane (siderolabs/omni client/pkg/omni/resources/omni/machine_set.go).
    """
    if target.cluster_machine is not None:
        return {"kind": OmniTemplateKind.MACHINE, "name": target.cluster_machine}
    if target.machine_set is None:
        return {"kind": OmniTemplateKind.CLUSTER, "name": target.cluster}
    suffix = target.machine_set.removeprefix(f"{target.cluster}-")
    if suffix == _CONTROL_PLANES:
        return {"kind": OmniTemplateKind.CONTROL_PLANE}
    return {"kind": OmniTemplateKind.WORKERS, "name": None if suffix == _WORKERS else suffix}


def _named(kind: OmniTemplateKind, name: str | None) -> dict[str, str]:
    """The name in the form of Omni's models (siderolabs/omni client/pkg/template/internal/models)."""
    if kind is OmniTemplateKind.CONTROL_PLANE:
        if name is not None:
            raise wrong("name", "left out of kind 'ControlPlane'", name, "a cluster has one control plane")
        return {}
    if kind is OmniTemplateKind.MACHINE:
        return {"name": machine_uuid("name", name)}
    if name is None and kind is OmniTemplateKind.WORKERS:
        return {}
    if name == _CONTROL_PLANES:
        raise wrong("name", "another name for workers", name, "the machine set of the control plane has this name")
    return {"name": omni_name("name", name)}
