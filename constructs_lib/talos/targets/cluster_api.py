"""The objects of Cluster API's Talos providers with the machine configuration of a class of GPU nodes."""

from __future__ import annotations

from typing import Any

from ...arguments.keywords import named_arguments
from ...nodes.talos_version import TalosVersion
from ...upstream.talos.features import DOCUMENTS
from ...upstream.talos.platforms import Platform
from ...yaml.block import block
from ..config import node_metadata
from ..config.install_config import install_patch
from ..config.machine_config import ConfigStyle, MachineConfigPatch
from ..image.existing_schematic import ExistingSchematic
from ..image.schematic import Schematic
from . import check_fields, check_same_nodes


@named_arguments(schematic="the nodes need its extensions", patch="the nodes need its configuration")
def cluster_api_yaml(
    *,
    schematic: Schematic | ExistingSchematic,
    patch: MachineConfigPatch,
    version: str | TalosVersion | None = None,
    platform: Platform | str = Platform.METAL,
    secureboot: bool = False,
) -> str:
    """The `TalosConfigTemplate` of a class of GPU workers, or the part of a `TalosControlPlane` for a class of control
    planes, as YAML.

    `strategicPatches` contains the patch and the installer image. The machines must also boot from an image of the
    schematic: give `schematic.disk_image()`, or another image of the infrastructure, to the machine template.

    The patch must have style `fields` on every Talos: the providers up to v0.7.0-alpha.2 are built with Talos 1.13.0,
    which does not know the documents of 1.14. So `talosVersion` is at most `v1.13`: with a newer one a newer provider
    generates documents, beside which Talos refuses the fields.

    Args:
        schematic: The image of the nodes.
        patch: The machine configuration of the nodes, of style `fields`.
        version: The Talos release of the installer image, with its patch. Default: the Talos of the nodes.
        platform: The platform of the nodes. Default: `metal`.
        secureboot: Whether the nodes boot with Secure Boot. Default: False.

    Raises:
        TypeError, ValueError: `'patch' must be of style 'fields' …`, and a similar error for every argument.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13.9", name="rtx")
        >>> print(cluster_api_yaml(schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes)).partition("strategic")[0])
        apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
        kind: TalosConfigTemplate
        metadata:
          name: rtx
        spec:
          template:
            spec:
              generateType: worker
              talosVersion: v1.13
        <BLANKLINE>

    https://github.com/siderolabs/cluster-api-bootstrap-provider-talos
    """
    check_same_nodes(schematic, patch)
    check_fields(patch, "Cluster API", "the Talos providers know")
    release = patch.nodes.talos_version if version is None else version
    image = schematic.installer_image(release, platform=platform, secureboot=secureboot)
    patches = [*patch.documents, install_patch(image, ConfigStyle.FIELDS)]
    minor = patch.nodes.talos_version.minor
    contract = f"1.{min(minor, (DOCUMENTS.since or minor) - 1)}"
    control_plane = node_metadata.is_control_plane(patch.nodes)
    config = {
        "generateType": "controlplane" if control_plane else "worker",
        "talosVersion": f"v{contract}",
        "strategicPatches": ["\n".join(block(each)) + "\n" for each in patches],
    }
    if not control_plane:
        return _text("bootstrap", "TalosConfigTemplate", patch, {"template": {"spec": config}})
    comment = "# Merge these fields into your TalosControlPlane: a whole one also has infrastructureTemplate, replicas and version.\n"
    return comment + _text("controlplane", "TalosControlPlane", patch, {"controlPlaneConfig": {"controlplane": config}})


def _text(group: str, kind: str, patch: MachineConfigPatch, spec: dict[str, Any]) -> str:
    metadata = {"name": patch.nodes.name or "gpu"}
    return "\n".join(block({"apiVersion": f"{group}.cluster.x-k8s.io/v1alpha3", "kind": kind, "metadata": metadata, "spec": spec})) + "\n"
