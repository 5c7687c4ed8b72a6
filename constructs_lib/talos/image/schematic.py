"""`Schematic`: the Image Factory's schematic of a class of GPU nodes, and its ID."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import attrs

from ...arguments.errors import Phrase, Value, wrong, wrong_kind
from ...arguments.fields import copied, named, settle, to_flag
from ...arguments.keywords import named_arguments
from ...arguments.plain_values import choice, given, instance, mapping, text, texts
from ...nodes.fabric_manager import default_fabric_manager, to_fabric_manager, warn_of_no_fabric_manager
from ...nodes.factory_ids import schematic_id
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.choice import Choice
from ...upstream.talos.features import BOOTLOADER_CHOICE, IMAGE_FACTORY
from ...upstream.talos.platforms import JETSON_OVERLAY, SECTOR_SIZES, Arch
from ...yaml.go_bytes import Quoted, dump, scalar
from ..config.kernel_settings import card_kernel_args, refuse_nvidia
from .factory_images import FactoryImages, checked_arch, to_factory
from .official_extensions import official_extensions, to_extensions

_HIGHEST_META_KEY = 255


class Bootloader(Choice):
    """The bootloader of the image."""

    DUAL_BOOT = "dual-boot"
    """systemd-boot on UEFI, GRUB on BIOS."""
    SD_BOOT = "sd-boot"
    GRUB = "grub"


class EnrollKeys(Choice):
    """The way systemd-boot enrols the Secure Boot keys at the first boot."""

    OFF = "off"
    """Nobody enrols the keys at boot. The Image Factory knows the value from 1.4 on, and writes it in double quotes."""
    MANUAL = "manual"
    IF_SAFE = "if-safe"
    FORCE = "force"


def _sure(argument: str, value: str) -> str:
    """Refuse a value for which the ID can't be computed."""
    if scalar(value) is None:
        hint = (
            "releases of the Image Factory quote this value differently; get the ID from your factory with curl -X POST --data-binary @schematic.yaml "
            f"https://{IMAGE_FACTORY}/schematics, and give the ID to ExistingSchematic"
        )
        raise wrong(argument, "a value that every Image Factory writes alike", value, hint)
    return value


def _to_enroll_keys(value: EnrollKeys | str | None, argument: str = "") -> EnrollKeys | None:
    return None if value is None else choice(argument, value, EnrollKeys)


def _to_overlay_image(value: str, argument: str = "") -> str:
    return _sure(argument, text(argument, value, "the image of an overlay, such as 'siderolabs/sbc-rockchip'"))


def _to_options(value: Mapping[str, str | bool | int] | None, argument: str = "") -> Mapping[str, str | bool | int]:
    rule = "a mapping of options to strings, whole numbers and booleans"
    options = mapping(argument, given(value), rule)
    for key, option in options.items():
        if not re.fullmatch(r"[A-Za-z]+", key):
            raise wrong(argument, "keyed by names of ASCII letters, such as 'configTxtAppend'", key)
        _sure(argument, key)
        if isinstance(option, str):
            _sure(f"{argument}[{key}]", option)
        elif not isinstance(option, bool | int):
            raise wrong_kind(f"{argument}[{key}]", "a string, a whole number or a boolean", option)
    return MappingProxyType({key: options[key] for key in sorted(options)})


def _to_overlay_name(value: str, argument: str = "") -> str:
    return _sure(argument, text(argument, value, "the name of an overlay, such as 'turingrk1'"))


@named_arguments()
@attrs.frozen(kw_only=True, field_transformer=named)
class SecureBoot:
    """The Secure Boot settings of an image: how its keys get into the firmware.

    Args:
        enroll_keys: `off`, `manual`, `if-safe` or `force`. Default: the default of Talos, `if-safe`, which enrols keys
            in virtual machines only.
        include_well_known_certificates: Enrol the well-known UEFI certificates as well. Without these certificates the
            firmware of cards, also of GPUs, may not load. Default: False.

    Raises:
        TypeError, ValueError: `'enroll_keys' must be one of …`.

    Example:
        >>> SecureBoot(enroll_keys="force").enroll_keys
        'force'

    https://docs.siderolabs.com/talos/v1.14/platform-specific-installations/bare-metal-platforms/secureboot
    """

    enroll_keys: EnrollKeys | None = attrs.field(default=None, converter=_to_enroll_keys)
    include_well_known_certificates: bool = attrs.field(default=False, converter=to_flag)


@named_arguments(image="the image contains the overlay", name="an image may contain several overlays")
@attrs.frozen(kw_only=True, field_transformer=named)
class Overlay:
    """The overlay of a single-board computer. A Talos image contains no firmware for such a computer without its
    overlay.

    Args:
        image: The image of the overlay, such as `siderolabs/sbc-rockchip`.
        name: The name of the overlay in the image, such as `turingrk1`.
        options: The settings of the overlay, such as `{"configTxtAppend": "dtparam=pciex1_gen=3"}`. Default: none.

    Raises:
        TypeError, ValueError: `'image' must be …`.

    Example:
        >>> Overlay(image="siderolabs/sbc-rockchip", name="turingrk1").name
        'turingrk1'

    https://github.com/siderolabs/overlays
    """

    image: str = attrs.field(converter=_to_overlay_image)
    name: str = attrs.field(converter=_to_overlay_name)
    options: Mapping[str, str | bool | int] = attrs.field(default=None, converter=_to_options, hash=False)

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the constructor call."""
        return copied(self, options=dict(self.options))


def _to_nodes(value: GpuNodes, argument: str = "") -> GpuNodes:
    return instance(argument, value, GpuNodes, "a GpuNodes", "create one Schematic for each class of nodes")


def _to_kernel_args(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    arguments = texts(argument, value)
    for index, kernel_argument in enumerate(arguments):
        name = f"{argument}[{index}]"
        text(name, kernel_argument, "a kernel argument such as 'net.ifnames=0'")
        if kernel_argument.split() != [kernel_argument] and '"' not in kernel_argument:
            raise wrong(name, "one kernel argument", kernel_argument, Phrase("did you mean ", Value(kernel_argument.split()), "?"))
        _sure(name, kernel_argument)
    return tuple(arguments)


def _to_meta(value: Mapping[int, str] | None, argument: str = "") -> Mapping[int, str]:
    rule = f"a mapping of META keys, 0 to {_HIGHEST_META_KEY}, to strings"
    contents: object = {} if value is None else value
    if not isinstance(contents, Mapping):
        raise wrong_kind(argument, rule, contents)
    for key, content in contents.items():
        if isinstance(key, bool) or not isinstance(key, int):
            raise wrong_kind(argument, rule, dict(contents), f"the key {key!r} is not a number")
        if not 0 <= key <= _HIGHEST_META_KEY:
            raise wrong(argument, rule, dict(contents), f"META has no key {key}")
        _sure(f"{argument}[{key}]", text(f"{argument}[{key}]", content))
    return MappingProxyType(dict(contents))


def _to_overlay(value: Overlay | None, argument: str = "") -> Overlay | None:
    hint = 'such as Overlay(image="siderolabs/sbc-rockchip", name="turingrk1")'
    return None if value is None else instance(argument, value, Overlay, "an Overlay", hint)


def _to_bootloader(value: Bootloader | str | None, argument: str = "") -> Bootloader | None:
    return None if value is None else choice(argument, value, Bootloader)


def _to_secure_boot(value: SecureBoot | None, argument: str = "") -> SecureBoot | None:
    hint = 'such as SecureBoot(enroll_keys="force")'
    return None if value is None else instance(argument, value, SecureBoot, "a SecureBoot", hint)


def _to_sector_size(value: int, argument: str = "") -> int:
    if isinstance(value, bool) or value not in SECTOR_SIZES:
        raise wrong(argument, " or ".join(map(str, SECTOR_SIZES)), value, "the disk image has sectors of this many bytes")
    return value


def _to_embedded_config(value: str | None, argument: str = "") -> str | None:
    if value is None:
        return None
    from .embedded_config import embedded_config  # only such a configuration needs this module

    return embedded_config(value, argument)


def _to_arch(value: Arch | str | None, argument: str = "") -> Arch:
    # None becomes the architecture of the card or the overlay in `__attrs_post_init__`.
    return None if value is None else choice(argument, value, Arch)  # type: ignore[return-value]


@named_arguments(nodes="the extensions follow from the nodes")
@attrs.frozen(kw_only=True, field_transformer=named)
class Schematic(FactoryImages):
    """The Image Factory's schematic of a class of GPU nodes, and its ID, computed without a request to the factory.

    Talos has no package manager: NVIDIA's kernel modules and libraries are system extensions in the image. All
    extensions have the flavour and the track of `nodes`; the image of nodes with `passthrough` has none of them. The
    factory serves an ID only after it has received the schematic, so send the schematic before the first boot:
    `curl -X POST --data-binary @schematic.yaml https://factory.talos.dev/schematics`.

    The extensions are in alphabetical order, as in the web form of the factory. A schematic with another order has
    another ID for the same image; `ExistingSchematic` takes such an ID.

    Args:
        nodes: The class of nodes.
        extensions: Further official extensions, such as `siderolabs/iscsi-tools`. Default: none.
        fabric_manager: Add NVIDIA's fabric manager, for machines with NVSwitch (HGX, DGX). Not on Talos 1.13.0, where
            it does not start. Default: for 8 or 16 cards whose `product` is of a board with NVSwitch, such as B200.
        gdrcopy: Add the device of GPUDirect RDMA's gdrcopy, with open modules on Talos 1.12 or newer. Default: False.
        extra_kernel_args: Kernel arguments, one for each item; a leading `-` drops an argument of Talos. ISO, PXE
            script and disk image always contain the arguments, the installer image since Talos 1.10. A node that boots
            by GRUB (with BIOS, or first installed before Talos 1.10) ignores the arguments, unless
            `machine.install.grubUseUKICmdline` is true, from Talos 1.12 on. Default: the arguments that the card of
            `nodes` needs, or those for the IOMMU with `passthrough`.
        meta: Contents of Talos' META partition by key, 0 to 255: 10 (0xa) is the network configuration of a metal node.
            ISO, PXE script and disk image contain them, the installer image does not. Default: none.
        overlay: The `Overlay` of a single-board computer. Default: none.
        bootloader: `dual-boot`, `sd-boot` or `grub`, from Talos 1.12 on. Default: the choice of Talos.
        secure_boot: `SecureBoot`, for images with Secure Boot. Default: the settings of Talos.
        sector_size: The size of the sectors in the disk image in bytes, 512 or 4096. A disk with sectors of 4096 bytes
            needs 4096; ISO, PXE script and installer image are for both. Default: 512.
        embedded_config: Machine configuration as YAML, from Talos 1.12 on: a node reads it from its image while it has
            no configuration on its disk. Secrets are refused at factory.talos.dev. Default: none.
        arch: The processor architecture of the nodes, `amd64` or `arm64`: ISO, PXE script and disk image have it in
            their names; the schematic and the installer image do not depend on it. Default: `arm64` for the cards with
            an Arm processor (GB10, GH200, GB200, GB300) and with an overlay, else `amd64`.
        factory: The host of the Image Factory. Default: "factory.talos.dev".

    Raises:
        TypeError, ValueError: `'extensions[0]' must be an official extension of Talos 1.12 …`, and a similar error for
            every argument; `… must be a value that every Image Factory writes alike …` for values such as `off` and for
            characters outside ASCII.

    Warns:
        TalosGpuWarning: For an image without fabric manager for cards that NVSwitch may connect, such as 8 H100, if
            `fabric_manager` is left out.

    Example:
        >>> nodes = GpuNodes(talos_version="1.11.5", kernel_modules="proprietary", driver_track="lts")
        >>> Schematic(nodes=nodes).installer_image()
        'factory.talos.dev/metal-installer/af8eb82417d3deaa94d2ef19c3b590b0dac1b2549d0b9b35b3da2bc325de75f7:v1.11.5'

    https://docs.siderolabs.com/talos/v1.14/learn-more/image-factory
    """

    nodes: GpuNodes = attrs.field(converter=_to_nodes)
    extensions: tuple[str, ...] = attrs.field(default=(), converter=to_extensions)
    fabric_manager: bool = attrs.field(default=None, converter=to_fabric_manager)
    gdrcopy: bool = attrs.field(default=False, converter=to_flag)
    extra_kernel_args: tuple[str, ...] = attrs.field(default=(), converter=_to_kernel_args)
    meta: Mapping[int, str] = attrs.field(default=None, converter=_to_meta, hash=False)
    overlay: Overlay | None = attrs.field(default=None, converter=_to_overlay)
    bootloader: Bootloader | None = attrs.field(default=None, converter=_to_bootloader)
    secure_boot: SecureBoot | None = attrs.field(default=None, converter=_to_secure_boot)
    sector_size: int = attrs.field(default=SECTOR_SIZES[0], converter=_to_sector_size)
    embedded_config: str | None = attrs.field(default=None, converter=_to_embedded_config)
    arch: Arch = attrs.field(default=None, converter=_to_arch)
    factory: str = attrs.field(default=IMAGE_FACTORY, converter=to_factory)

    def __attrs_post_init__(self) -> None:
        is_given = isinstance(self.fabric_manager, bool)
        settle(self, "fabric_manager", default_fabric_manager(self.nodes))
        if not is_given:
            warn_of_no_fabric_manager(self.nodes)
        if self.nodes.passthrough is not None:
            refuse_nvidia(fabric_manager=self.fabric_manager, gdrcopy=self.gdrcopy)
        official_extensions(self.nodes, self.extensions, fabric_manager=self.fabric_manager, gdrcopy=self.gdrcopy)
        object.__setattr__(self, "arch", checked_arch(self.arch, nodes=self.nodes, overlay=self.overlay))
        cards = self.nodes.passthrough
        needed = card_kernel_args(self.nodes) if cards is None else cards.kernel_args(self.arch)
        missing = [argument for argument in needed if argument not in self.extra_kernel_args]
        object.__setattr__(self, "extra_kernel_args", (*missing, *self.extra_kernel_args))
        if self.overlay and self.overlay.image == JETSON_OVERLAY and self.nodes.product is None:
            # The GPU of the board is a Tegra. The nodes may name another card, such as one in its PCIe slot.
            from ...upstream.nvidia.card_names import WITHOUT_TEGRA  # only an overlay needs the table of cards

            raise wrong("overlay", "of a board with a card that a driver of Talos runs", self.overlay.image, WITHOUT_TEGRA, part="image")
        talos = self.nodes.talos_version
        if self.embedded_config is not None:
            from .embedded_config import check_embedded_config  # only such a configuration needs this module

            check_embedded_config(self.embedded_config, talos, self.factory)
        if self.bootloader is not None and talos.minor not in BOOTLOADER_CHOICE:
            rule = f"left out before Talos {BOOTLOADER_CHOICE.first}"
            raise wrong("bootloader", rule, str(self.bootloader), f"Talos {talos} has no choice of bootloader")

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the constructor call."""
        return copied(self, meta=dict(self.meta))

    @property
    def official_extensions(self) -> list[str]:
        """Every extension in the image, in alphabetical order."""
        return official_extensions(self.nodes, self.extensions, fabric_manager=self.fabric_manager, gdrcopy=self.gdrcopy)

    @property
    def document(self) -> dict[str, Any]:
        """The schematic as a plain mapping, with the fields in the order of the factory and without empty fields."""
        secure_boot = self.secure_boot or SecureBoot()
        enroll = str(secure_boot.enroll_keys or "")
        if secure_boot.enroll_keys is EnrollKeys.OFF:
            enroll = Quoted(enroll)  # the notation of every Image Factory that knows `enrollKeys` (its releases 1.4.0 and 1.5.0)
        customization = {
            "embeddedMachineConfiguration": self.embedded_config or "",
            "extraKernelArgs": list(self.extra_kernel_args),
            "meta": [{"key": key, "value": value} for key, value in self.meta.items()],
            "systemExtensions": _without_empty({"officialExtensions": self.official_extensions}),
            "bootloader": str(self.bootloader or ""),
            "secureboot": _without_empty(
                {"enrollKeys": enroll, "includeWellKnownCertificates": secure_boot.include_well_known_certificates}
            ),
            "diskImage": {} if self.sector_size == SECTOR_SIZES[0] else {"sectorSize": self.sector_size},
        }
        overlay = self.overlay
        described = {"image": overlay.image, "name": overlay.name, "options": dict(overlay.options)} if overlay else {}
        # The factory writes `customization` also where it is empty.
        return {**_without_empty({"overlay": _without_empty(described)}), "customization": _without_empty(customization)}

    @property
    def text(self) -> str:
        """The schematic as YAML in the notation of the factory: send this text to the factory. The ID is its hash."""
        return dump(self.document)

    @property
    def id(self) -> str:
        """The ID of the schematic at the factory: 64 hexadecimal digits."""
        return schematic_id(self.document)


def _without_empty(mapping: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in mapping.items() if value}
