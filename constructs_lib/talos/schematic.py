"""`Schematic`: what the Image Factory puts into the image of a class of GPU nodes, and the ID that it gives to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from types import MappingProxyType
from typing import Any

from .._arguments.errors import wrong, wrong_kind
from .._arguments.keywords import named_arguments
from .._arguments.plain_values import choice, flag, instance, text, texts
from ..nodes.gpu_nodes import GpuNodes
from ..upstream.choice import Choice
from ..upstream.factory_ids import schematic_id
from ..upstream.go_yaml import dump, scalar
from ..upstream.talos_features import BOOTLOADER_CHOICE
from .factory_images import IMAGE_FACTORY, FactoryImages, factory_host
from .official_extensions import official_extensions

_HIGHEST_META_KEY = 255


class Bootloader(Choice):
    """What boots the image, where it is not left to Talos."""

    DUAL_BOOT = "dual-boot"
    """systemd-boot on UEFI, GRUB on BIOS."""
    SD_BOOT = "sd-boot"
    GRUB = "grub"


class EnrollKeys(Choice):
    """How systemd-boot enrols the Secure Boot keys at the first boot."""

    OFF = "off"
    MANUAL = "manual"
    IF_SAFE = "if-safe"
    FORCE = "force"


@named_arguments()
@dataclass(frozen=True, kw_only=True, slots=True)
class SecureBoot:
    """How an image with Secure Boot brings its keys into the firmware.

    Args:
        enroll_keys: `manual`, `if-safe` or `force`. Default: Talos' own, which is `if-safe`: in virtual machines only.
        include_well_known_certificates: Enrol the well-known UEFI certificates too: without them the firmware that cards bring, GPUs
            too, may not load. Default: False.

    Raises:
        TypeError, ValueError: `'enroll_keys' must be one of …`.

    Example:
        >>> SecureBoot(enroll_keys="force").enroll_keys
        'force'

    https://docs.siderolabs.com/talos/v1.14/platform-specific-installations/bare-metal-platforms/secureboot
    """

    enroll_keys: EnrollKeys | str | None = None
    include_well_known_certificates: bool = False

    def __post_init__(self) -> None:
        flag("include_well_known_certificates", self.include_well_known_certificates)
        if self.enroll_keys is not None:
            chosen = choice("enroll_keys", self.enroll_keys, EnrollKeys)
            object.__setattr__(self, "enroll_keys", EnrollKeys(_sure("enroll_keys", str(chosen))))


@named_arguments(image="it holds the overlay", name="an image may hold several")
@dataclass(frozen=True, kw_only=True, slots=True)
class Overlay:
    """The overlay of a single-board computer, whose firmware a Talos image does not have by itself.

    Args:
        image: Its image, such as `siderolabs/sbc-rockchip`.
        name: Its name in there, such as `turingrk1`.

    Raises:
        TypeError, ValueError: `'image' must be …`.

    Example:
        >>> Overlay(image="siderolabs/sbc-rockchip", name="turingrk1").name
        'turingrk1'

    https://github.com/siderolabs/overlays
    """

    image: str
    name: str

    def __post_init__(self) -> None:
        for argument, example in (("image", "siderolabs/sbc-rockchip"), ("name", "turingrk1")):
            _sure(argument, text(argument, getattr(self, argument), f"that of an overlay, such as '{example}'"))


@named_arguments(nodes="the extensions follow from them")
@dataclass(frozen=True, kw_only=True, slots=True)
class Schematic(FactoryImages):
    """What the Image Factory puts into the image of a class of GPU nodes, with the ID that names it, computed without asking the factory.

    Talos has no package manager: NVIDIA's kernel modules and libraries are system extensions in the image, of one flavour and one track,
    as `nodes` says. The factory serves an ID only when it has seen the schematic once, so send it there before the first boot:
    `curl -X POST --data-binary @schematic.yaml https://factory.talos.dev/schematics`.

    The extensions are in alphabetical order, as in the factory's form. Another order is another ID for the same image:
    `existing_schematic` takes one.

    Args:
        nodes: The nodes.
        extensions: Further official extensions, such as `siderolabs/iscsi-tools`. Default: none.
        fabric_manager: Add NVIDIA's fabric manager, for machines with NVSwitch (HGX, DGX). Default: False.
        gdrcopy: Add the device of GPUDirect RDMA's gdrcopy, with open modules on Talos 1.12 or newer. Default: False.
        extra_kernel_args: Kernel arguments, one an item; with a leading `-`, those that Talos is to drop. They are in the installer image
            since Talos 1.10, and in ISO, PXE script and disk image always. Default: those without which the card of `nodes` can't run.
        meta: Contents of Talos' META partition by their key, 0 to 255: 10 (0xa) is the network configuration of a metal node. They are in
            ISO, PXE script and disk image, never in the installer. Default: none.
        overlay: The `Overlay` of a single-board computer. Default: none.
        bootloader: `dual-boot`, `sd-boot` or `grub`, from Talos 1.12 on. Default: Talos chooses.
        secure_boot: `SecureBoot`. Default: Talos' own settings, where an image with Secure Boot is asked for.
        factory: The host of the Image Factory. Default: "factory.talos.dev".

    Raises:
        TypeError, ValueError: `'extensions[0]' must be an official extension of Talos 1.12 …`, and so for each argument;
            `… must be a value whose YAML is sure …` where the factory's releases differ, as for `off` or what is not ASCII.

    Example:
        >>> nodes = GpuNodes(talos_version="1.11.5", kernel_modules="proprietary", driver_track="lts")
        >>> Schematic(nodes=nodes).installer_image()
        'factory.talos.dev/metal-installer/af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7:v1.11.5'

    https://docs.siderolabs.com/talos/v1.14/learn-more/image-factory
    """

    nodes: GpuNodes
    extensions: Sequence[str] = ()
    fabric_manager: bool = False
    gdrcopy: bool = False
    extra_kernel_args: Sequence[str] = ()
    meta: Mapping[int, str] = field(default_factory=dict, hash=False)
    overlay: Overlay | None = None
    bootloader: Bootloader | str | None = None
    secure_boot: SecureBoot | None = None
    factory: str = IMAGE_FACTORY

    def __post_init__(self) -> None:
        instance("nodes", self.nodes, GpuNodes, "a GpuNodes", "make one Schematic for each class of nodes")
        official_extensions(self.nodes, self.extensions, fabric_manager=self.fabric_manager, gdrcopy=self.gdrcopy)
        if self.overlay is not None:
            instance("overlay", self.overlay, Overlay, "an Overlay", 'such as Overlay(image="siderolabs/sbc-rockchip", name="turingrk1")')
        if self.secure_boot is not None:
            instance("secure_boot", self.secure_boot, SecureBoot, "a SecureBoot", 'such as SecureBoot(enroll_keys="force")')
        factory_host("factory", self.factory)
        resolved = {
            "extensions": tuple(self.extensions),
            "extra_kernel_args": _kernel_args(self.extra_kernel_args, self.nodes),
            "meta": MappingProxyType(_meta(self.meta)),
            "bootloader": None if self.bootloader is None else _bootloader(self.bootloader, self.nodes),
        }
        for attribute, value in resolved.items():
            object.__setattr__(self, attribute, value)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the call that makes it: a mapping proxy can't be copied."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return partial(type(self), **{**given, "meta": dict(self.meta)}), ()

    @property
    def official_extensions(self) -> list[str]:
        """Every extension in the image, in alphabetical order."""
        return official_extensions(self.nodes, self.extensions, fabric_manager=self.fabric_manager, gdrcopy=self.gdrcopy)

    @property
    def document(self) -> dict[str, Any]:
        """The schematic as a plain mapping, with its fields in the factory's order and nothing empty in it."""
        secure_boot = self.secure_boot or SecureBoot()
        customization = {
            "extraKernelArgs": list(self.extra_kernel_args),
            "meta": [{"key": key, "value": value} for key, value in self.meta.items()],
            "systemExtensions": {"officialExtensions": self.official_extensions},
            "bootloader": str(self.bootloader or ""),
            "secureboot": _without_empty(
                {
                    "enrollKeys": str(secure_boot.enroll_keys or ""),
                    "includeWellKnownCertificates": secure_boot.include_well_known_certificates,
                }
            ),
        }
        overlay = {"image": self.overlay.image, "name": self.overlay.name} if self.overlay else {}
        return _without_empty({"overlay": overlay, "customization": _without_empty(customization)})

    @property
    def text(self) -> str:
        """The schematic as the factory writes it: the YAML to send to it, and what the ID is the hash of."""
        return dump(self.document)

    @property
    def id(self) -> str:
        """The ID that the factory gives to it: 64 hexadecimal digits."""
        return schematic_id(self.document)


def _without_empty(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if value}


def _sure(argument: str, value: str) -> str:
    """Refuse what the ID can't be computed for."""
    if scalar(value) is None:
        hint = (
            "how the factory's releases quote it is not sure: get the ID from yours with curl -X POST --data-binary @schematic.yaml "
            f"https://{IMAGE_FACTORY}/schematics, and give it to existing_schematic"
        )
        raise wrong(argument, "a value whose YAML is sure", value, hint)
    return value


def _kernel_args(given: Sequence[str], nodes: GpuNodes) -> tuple[str, ...]:
    arguments = texts("extra_kernel_args", given)
    for index, argument in enumerate(arguments):
        name = f"extra_kernel_args[{index}]"
        text(name, argument, "a kernel argument such as 'net.ifnames=0'")
        if argument.split() != [argument] and '"' not in argument:
            raise wrong(name, "one kernel argument", argument, f"did you mean {argument.split()}?")
        _sure(name, argument)
    return (*(needed for needed in _needed_by_card(nodes) if needed not in arguments), *arguments)


def _needed_by_card(nodes: GpuNodes) -> list[str]:
    if nodes.product is None:
        return []
    from ..nodes.cards import kernel_args  # only who names a card needs the names of all

    return kernel_args(nodes.product, nodes.talos_version)


def _meta(given: object) -> dict[int, str]:
    rule = f"a mapping of META keys, 0 to {_HIGHEST_META_KEY}, to strings"
    if not isinstance(given, Mapping):
        raise wrong_kind("meta", rule, given)
    for key, value in given.items():
        if isinstance(key, bool) or not isinstance(key, int):
            raise wrong_kind("meta", rule, dict(given), f"the key {key!r} is no number")
        if not 0 <= key <= _HIGHEST_META_KEY:
            raise wrong("meta", rule, dict(given), f"there is no key {key}")
        _sure(f"meta[{key}]", text(f"meta[{key}]", value))
    return dict(given)


def _bootloader(given: Bootloader | str, nodes: GpuNodes) -> Bootloader:
    chosen = choice("bootloader", given, Bootloader)
    if nodes.talos_version.minor not in BOOTLOADER_CHOICE:
        raise wrong(
            "bootloader", f"left out before Talos {BOOTLOADER_CHOICE.first}", str(chosen), f"Talos {nodes.talos_version} takes none"
        )
    return chosen
