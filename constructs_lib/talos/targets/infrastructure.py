"""Files of a class of GPU nodes for infrastructure tools: objects of Cluster API's Talos providers, JSON for
Terraform."""

from __future__ import annotations

import json
from typing import Any

from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice
from ...nodes.joined_workers import is_control_plane
from ...nodes.talos_version import TalosVersion
from ...upstream.talos.features import DOCUMENTS
from ...upstream.talos.platforms import PLATFORM_IMAGES, BootMedium, Platform
from ...yaml.block import block
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
    control_plane = is_control_plane(patch.nodes)
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


@named_arguments(schematic="the nodes need its extensions", patch="the nodes need its configuration")
def terraform_json(
    *,
    schematic: Schematic | ExistingSchematic,
    patch: MachineConfigPatch,
    version: str | TalosVersion | None = None,
    platform: Platform | str = Platform.METAL,
    secureboot: bool = False,
) -> str:
    """A JSON file with the arguments of Terraform resources for GPU nodes; read the file by `jsondecode(file(…))`.

    `schematic` is YAML, and `schematic_id` is its ID. For an existing schematic the file contains only the ID.
    `installer_image` includes the tag. `install_patch` gives the image to a new node, in the style of the patch.
    `boot_images` has the addresses of the images that a new node of the platform boots from: `iso`, `pxe`,
    `disk_image`. `config_patches` is a list of YAML documents:

        locals {
          gpu = jsondecode(file("${path.module}/gpu.json"))
        }

        resource "talos_image_factory_schematic" "gpu" {
          schematic = local.gpu.schematic
          lifecycle {
            postcondition {
              condition     = self.id == local.gpu.schematic_id
              error_message = "This provider left out a field of the schematic that it does not know."
            }
          }
        }

        data "talos_machine_configuration" "gpu" {
          cluster_name     = var.cluster_name
          cluster_endpoint = var.cluster_endpoint
          machine_type     = "worker"
          machine_secrets  = talos_machine_secrets.this.machine_secrets
          talos_version    = "v1.13"
          config_patches   = concat(local.gpu.config_patches, [local.gpu.install_patch])
        }

        resource "talos_machine_configuration_apply" "gpu" {
          client_configuration        = talos_machine_secrets.this.client_configuration
          machine_configuration_input = data.talos_machine_configuration.gpu.machine_configuration
          node                        = var.gpu_node
        }

    The `talos_version` of the data source decides the form of the generated configuration, and the patch must have the
    same form: style `fields` up to "v1.13", style `documents` from "v1.14" on. Documents need a provider that is built
    with Talos 1.14.0-beta.0 or newer; the provider v0.12.0-alpha.5 is older. A node with Talos 1.14 takes fields as
    well.

    The addresses in `boot_images` change with each Talos. Where the disk of a virtual machine is made of one, let its
    resource ignore the change (`lifecycle { ignore_changes = [disk[0].file_id] }` with bpg/proxmox): otherwise
    Terraform replaces the machine, with its data.

    Args:
        schematic: The image of the nodes.
        patch: The machine configuration of the nodes.
        version: The Talos release of the installer image, with its patch. Default: the Talos of the nodes.
        platform: The platform of the nodes. Default: `metal`.
        secureboot: Whether the nodes boot with Secure Boot. Default: False.

    Raises:
        TypeError, ValueError: `'version' must be a Talos release with its patch …`, and a similar error for every
            argument.

    Example:
        >>> import json
        >>> nodes = GpuNodes(talos_version="1.13.9")
        >>> list(json.loads(terraform_json(schematic=Schematic(nodes=nodes), patch=MachineConfigPatch(nodes=nodes))))
        ['schematic', 'schematic_id', 'installer_image', 'install_patch', 'boot_images', 'config_patches']

    https://registry.terraform.io/providers/siderolabs/talos/latest/docs/resources/image_factory_schematic
    """
    check_same_nodes(schematic, patch)
    release = patch.nodes.talos_version if version is None else version
    image = schematic.installer_image(release, platform=platform, secureboot=secureboot)
    arguments = {
        **({"schematic": schematic.text} if isinstance(schematic, Schematic) else {}),
        "schematic_id": schematic.id,
        "installer_image": image,
        "install_patch": "\n".join(block(install_patch(image, patch.style))) + "\n",
        "boot_images": _boot_images(schematic, release, choice("platform", platform, Platform), secureboot=secureboot),
        "config_patches": ["\n".join(block(document)) + "\n" for document in patch.documents],
    }
    return json.dumps(arguments, indent=2) + "\n"


def _boot_images(
    images: Schematic | ExistingSchematic, version: str | TalosVersion, platform: Platform, *, secureboot: bool
) -> dict[str, str]:
    """The addresses of the images from which a new node of the platform boots."""
    links = {
        BootMedium.ISO: ("iso", images.iso),
        BootMedium.PXE: ("pxe", images.pxe),
        BootMedium.DISK_IMAGE: ("disk_image", images.disk_image),
    }
    wanted = (links[medium] for medium in PLATFORM_IMAGES[platform].media)
    return {name: address(version, platform=platform, secureboot=secureboot) for name, address in wanted}
