"""A JSON file of a class of GPU nodes for Terraform and OpenTofu, for the `siderolabs/talos` provider."""

from __future__ import annotations

import json

from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice
from ...nodes.talos_version import TalosVersion
from ...upstream.talos.platforms import PLATFORM_IMAGES, BootMedium, Platform
from ...yaml.block import block
from ..config.install_config import install_patch
from ..config.machine_config import MachineConfigPatch
from ..image.existing_schematic import ExistingSchematic
from ..image.schematic import Schematic
from . import check_same_nodes


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
