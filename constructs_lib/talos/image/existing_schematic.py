"""`existing_schematic`: the images of an existing schematic by its ID, compared with the nodes as far as the ID is
known."""

from __future__ import annotations

import re

import attrs

from ...arguments.errors import wrong
from ...arguments.fields import named
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import text
from ...nodes.factory_ids import extensions_of
from ...nodes.gpu_nodes import GpuNodes, to_nodes
from ...upstream.talos.extension_names import FABRIC_MANAGER
from ...upstream.talos.features import IMAGE_FACTORY
from ...upstream.talos.platforms import Arch
from .fabric_manager import fabric_manager_fault
from .factory_images import FactoryImages, checked_arch, to_factory
from .official_extensions import nvidia_extensions

_ID = r"[0-9a-f]{64}"


def _to_id(value: str, argument: str = "") -> str:
    rule = "the ID of a schematic (64 hexadecimal digits, in lower case)"
    schematic = text(argument, value, rule)
    if not re.fullmatch(_ID, schematic):
        inside = re.search(rf"(?<![0-9a-f]){_ID}(?![0-9a-f])", schematic.lower())
        raise wrong(argument, rule, schematic, f"did you mean '{inside[0]}'?" if inside else "")
    return schematic


def _to_optional_nodes(value: GpuNodes | None, argument: str = "") -> GpuNodes | None:
    return None if value is None else to_nodes(value, argument)


@named_arguments(id="the factory returned the ID of the schematic")
@attrs.frozen(field_transformer=named)
class ExistingSchematic(FactoryImages):
    """The images of a schematic that the factory has; `existing_schematic` returns and documents this class.

    Example:
        >>> ExistingSchematic("376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba").installer_image("v1.9.6")
        'factory.talos.dev/installer/376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba:v1.9.6'
    """

    id: str = attrs.field(converter=_to_id)
    nodes: GpuNodes | None = attrs.field(default=None, converter=_to_optional_nodes)
    factory: str = attrs.field(default=IMAGE_FACTORY, converter=to_factory)

    def __attrs_post_init__(self) -> None:
        if self.nodes is not None:
            _check_agreement(self.id, self.nodes)
            fault = fabric_manager_fault(self.nodes.talos_version, self.nodes)
            if fault and self.fabric_manager:
                rule = f"of a schematic without fabric manager on Talos {self.nodes.talos_version}"
                raise wrong("id", rule, self.id, f"{fault.reason}; use Talos {fault.fixed_in} or newer")

    @property
    def overlay(self) -> None:
        """None: the ID does not show an overlay."""

    @property
    def arch(self) -> Arch:
        """The architecture that follows from the card of the nodes, else amd64."""
        return checked_arch(None, nodes=self.nodes, overlay=None)

    @property
    def fabric_manager(self) -> bool:
        """Whether the ID is known as that of a schematic with NVIDIA's fabric manager."""
        return any(FABRIC_MANAGER in name for name in extensions_of(self.id) or ())


@named_arguments(id="the factory returned the ID of the schematic")
def existing_schematic(id: str, *, nodes: GpuNodes | None = None, factory: str = IMAGE_FACTORY) -> ExistingSchematic:  # noqa: A002
    """The images of an existing schematic, by its ID.

    An ID is a hash and does not show the extensions. But the schematics with only NVIDIA extensions are few, and so are
    those with one further official extension; their IDs are known. A known ID is refused when the nodes need other
    modules; so is the ID of Talos without extensions.

    Args:
        id: The ID: 64 hexadecimal digits.
        nodes: The nodes that run these images. Default: none; the ID is not compared.
        factory: The host of the Image Factory. Default: "factory.talos.dev".

    Raises:
        TypeError, ValueError: `'id' must be the ID of a schematic …`, `'id' must be of a schematic with …`.

    Example:
        >>> images = existing_schematic("af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7")
        >>> images.installer_image("v1.11.5")
        'factory.talos.dev/metal-installer/af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7:v1.11.5'

    https://docs.siderolabs.com/talos/v1.14/learn-more/image-factory
    """
    return ExistingSchematic(id, nodes=nodes, factory=factory)


def _check_agreement(schematic: str, nodes: GpuNodes) -> None:
    known = extensions_of(schematic)
    if known is None or nodes.track not in nodes.talos_version.release.drivers:
        return
    if nodes.passthrough is not None:
        if extra := [name for name in known if "nvidia" in name]:
            hint = f"the schematic has {' and '.join(extra)}; the GPUs of these nodes belong to virtual machines"
            raise wrong("id", "of a schematic without NVIDIA's extensions", schematic, hint)
        return
    needed = nvidia_extensions(nodes)
    if not set(needed) <= set(known):
        hint = f"the schematic has {' and '.join(known) or 'no extensions'}"
        raise wrong("id", f"of a schematic with {' and '.join(needed)}", schematic, hint)
