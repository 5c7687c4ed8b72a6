"""A class of GPU nodes as a part of one of Omni's cluster templates: what `omnictl cluster template sync -f` takes."""

from __future__ import annotations

from typing import Any

from .._arguments.errors import wrong
from .._arguments.keywords import named_arguments
from .._arguments.names import dns_label
from .._arguments.plain_values import choice
from ..upstream.choice import Choice
from .block_yaml import block
from .machine_config import MachineConfigPatch
from .omni import check_customization, machine_uuid, omni_name, warn_of_whole_cluster
from .omni_patch import patch_documents
from .same_nodes import check_same_nodes
from .schematic import Schematic


class OmniTemplateKind(Choice):
    """What a document of a cluster template describes."""

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

    Put its fields into the template's own document of that kind and name, or add the rest to it, such as `machines`. Of
    `systemExtensions` and `kernelArgs` Omni takes the list that is nearest to a machine, and no other. A machine set with a `machineClass`
    takes no `kernelArgs`, neither its own nor the cluster's. More than one document in a patch needs Omni 1.8.

    Args:
        schematic: The image of the nodes.
        patch: The machine config of the nodes, or a patch of your own as text. What Omni controls itself is refused in it.
        kind: `Cluster`, `ControlPlane`, `Workers` or `Machine`. Default: `Workers`.
        name: The name of the workers, which a cluster's first may do without; that of a cluster; the UUID of a machine. Default: none.
        patch_name: The name of the patch, of which Omni makes its ID. Default: "nvidia-gpu".

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


def _named(kind: OmniTemplateKind, name: str | None) -> dict[str, str]:
    """As Omni's models have it (siderolabs/omni client/pkg/template/internal/models)."""
    if kind is OmniTemplateKind.CONTROL_PLANE:
        if name is not None:
            raise wrong("name", "left out of kind 'ControlPlane'", name, "a cluster has one")
        return {}
    if kind is OmniTemplateKind.MACHINE:
        return {"name": machine_uuid("name", name)}
    if name is None and kind is OmniTemplateKind.WORKERS:
        return {}
    if name == "control-planes":
        raise wrong("name", "another name for workers", name, "it is that of the control plane's machine set")
    return {"name": omni_name("name", name)}
