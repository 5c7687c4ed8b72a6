"""The names of the Image Factory's images of a schematic: installer image, ISO, PXE script and disk image."""

from __future__ import annotations

import re
from typing import Protocol

from ...arguments.errors import Argument, Phrase, Value, wrong, wrong_kind
from ...arguments.plain_values import choice, flag, text
from ...nodes.fabric_manager import fabric_manager_fault
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion
from ...upstream.talos.features import IMAGE_FACTORY
from ...upstream.talos.installer_images import installer_name
from ...upstream.talos.platforms import OVERLAY_DISK_IMAGE, OVERLAY_PREFIX, PLATFORM_IMAGES, Arch, BootMedium, Platform


class _Named(Protocol):
    """The values that the names depend on."""

    @property
    def id(self) -> str: ...
    @property
    def nodes(self) -> GpuNodes | None: ...
    @property
    def fabric_manager(self) -> bool: ...
    @property
    def factory(self) -> str: ...
    @property
    def overlay(self) -> HasImage | None: ...
    @property
    def arch(self) -> Arch: ...


class FactoryImages:
    """The names under which a factory serves the images of a schematic.

    https://github.com/siderolabs/image-factory/blob/v1.5.0/docs/api.md
    """

    __slots__ = ()

    def installer_image(
        self: _Named, version: str | TalosVersion | None = None, *, platform: Platform | str = Platform.METAL, secureboot: bool = False
    ) -> str:
        """The image for `machine.install.image` and `talosctl upgrade`.

        Before Talos 1.10 all platforms have the same installer image, and `platform` has no effect.
        """
        talos = _release(self, version)
        return f"{installer_repository(self, talos, platform=platform, secureboot=secureboot)}:v{talos}"

    def install_config(
        self: _Named,
        version: str | TalosVersion | None = None,
        *,
        platform: Platform | str = Platform.METAL,
        secureboot: bool = False,
        style: str | None = None,
    ) -> str:
        """The patch, as YAML, that gives a new node the installer image: an UnattendedInstallConfig from Talos 1.14 on,
        else `machine.install`.

        On a platform that boots from a disk image alone Talos is installed already, so the driver must be in the
        `disk_image` of the node. `style` is `fields` or `documents`; its default is the form that the Talos of the
        image generates.
        """
        from ..config.install_config import install_text  # only this text needs the machine configuration

        talos = _release(self, version)
        image = f"{installer_repository(self, talos, platform=platform, secureboot=secureboot)}:v{talos}"
        return install_text(image, talos, style, Platform(platform))

    def iso(
        self: _Named,
        version: str | TalosVersion | None = None,
        *,
        platform: Platform | str = Platform.METAL,
        arch: Arch | str | None = None,
        secureboot: bool = False,
    ) -> str:
        """The address of the ISO that boots a new node. `arch` defaults to the architecture of the schematic."""
        talos = _release(self, version)
        return f"https://{self.factory}/image/{_medium(self, BootMedium.ISO, talos, platform, arch, secureboot)}.iso"

    def disk_image(
        self: _Named,
        version: str | TalosVersion | None = None,
        *,
        platform: Platform | str = Platform.METAL,
        arch: Arch | str | None = None,
        secureboot: bool = False,
    ) -> str:
        """The address of the disk image, from which most clouds boot a new node. `arch` defaults as for `iso`."""
        talos = _release(self, version)
        name = _medium(self, BootMedium.DISK_IMAGE, talos, platform, arch, secureboot)
        suffixes = PLATFORM_IMAGES[Platform(platform)].disk_images
        suffix = OVERLAY_DISK_IMAGE if self.overlay else next(suffix for minors, suffix in suffixes.items() if talos.minor in minors)
        return f"https://{self.factory}/image/{name}.{suffix}"

    def pxe(
        self: _Named,
        version: str | TalosVersion | None = None,
        *,
        platform: Platform | str = Platform.METAL,
        arch: Arch | str | None = None,
        secureboot: bool = False,
    ) -> str:
        """The address of the iPXE script that boots a new node from the network. `arch` defaults as for `iso`.

        Your own factory serves the script under its own host name, unless the factory has an `externalPXEURL`.
        """
        talos = _release(self, version)
        host = f"pxe.{self.factory}" if self.factory == IMAGE_FACTORY else self.factory
        return f"https://{host}/pxe/{_medium(self, BootMedium.PXE, talos, platform, arch, secureboot)}"


def installer_repository(images: _Named, talos: TalosVersion, *, platform: Platform | str, secureboot: bool) -> str:
    """The name of the installer image without its tag; it depends on the minor release of Talos alone."""
    where, suffix = _boot(talos, platform, secureboot)
    name = installer_name(talos.minor, platform=where, is_secure=bool(suffix), factory=images.factory)
    return f"{name}/{images.id}"


def _boot(talos: TalosVersion, platform: object, secureboot: object) -> tuple[Platform, str]:
    """The platform, and the suffix of images with Secure Boot."""
    where = choice("platform", platform, Platform)
    images = PLATFORM_IMAGES[where]
    if talos.minor not in images.talos:
        raise wrong("platform", f"one that Talos {talos} runs on", str(where), f"the platform is new in Talos {images.talos.first}")
    if not flag("secureboot", secureboot):
        return where, ""
    if images.secure_boot is None or talos.minor not in images.secure_boot:
        others = [str(each) for each, its in PLATFORM_IMAGES.items() if its.secure_boot and talos.minor in its.secure_boot]
        since = f" before {images.secure_boot.first}" if images.secure_boot else ""
        hint = f"Talos has no Secure Boot on this platform{since}; platforms with Secure Boot: {', '.join(others)}"
        raise wrong("secureboot", Phrase(Value(False), " with ", Argument("platform", str(where))), secureboot, hint)
    return where, "-secureboot"


def _medium(images: _Named, medium: BootMedium, talos: TalosVersion, platform: object, arch: Arch | str | None, secureboot: object) -> str:
    """The path of an image that boots a new node, without the suffix of the file."""
    where, suffix = _boot(talos, platform, secureboot)
    there = PLATFORM_IMAGES[where]
    if medium not in there.media:
        known = [str(each) for each, its in PLATFORM_IMAGES.items() if medium in its.media and talos.minor in its.talos]
        hint = f"a node of this platform boots from: {', '.join(there.media)}"
        raise wrong("platform", f"one with a{'n' if medium is BootMedium.ISO else ''} {medium}: {', '.join(known)}", str(where), hint)
    processor = images.arch if arch is None else checked_arch(arch, nodes=images.nodes, overlay=images.overlay)
    if processor is Arch.ARM64 and (there.arm64 is None or talos.minor not in there.arm64):
        since = f" before {there.arm64.first}" if there.arm64 else ""
        raise wrong("platform", "one with arm64 images", str(where), f"Talos has only amd64 images of this platform{since}")
    return f"{images.id}/v{talos}/{where}-{processor}{suffix}"


def _release(images: _Named, version: object) -> TalosVersion:
    """The Talos release of an image: the given release, or the release of the nodes."""
    nodes = images.nodes
    rule = "a Talos release with its patch, such as 'v1.12.11'"
    if version is None:
        if nodes is None:
            raise wrong_kind("version", rule, version, "without 'nodes' the version has no default")
        version = nodes.talos_version
    talos = TalosVersion.parse("version", version)
    if talos.patch is None:
        hint = "an image is of one release: give 'version' here, or 'talos_version' with a patch to GpuNodes"
        raise wrong("version", rule, str(talos), hint)
    if nodes is not None and talos.minor != nodes.talos_version.minor:
        hint = "drivers and manifests depend on Talos: give the new 'talos_version' to GpuNodes"
        raise wrong("version", f"of Talos {nodes.talos_version.minor_version}, the Talos of the nodes", str(talos), hint)
    fault = fabric_manager_fault(talos)
    if fault and images.fabric_manager:
        raise wrong("version", f"{fault.fixed_in} or newer for an image with fabric manager", str(talos), fault.reason)
    return talos


def to_factory(value: str, argument: str = "") -> str:
    """The host of a factory, with or without a port."""
    rule, form = f"the host of an Image Factory such as '{IMAGE_FACTORY}'", r"[a-z0-9.-]+(:[0-9]+)?"
    host = text(argument, value, rule)
    if not re.fullmatch(form, host):
        similar = re.sub(r"^[a-z]+://|/.*$", "", host.lower())
        raise wrong(argument, rule, host, f"did you mean '{similar}'?" if re.fullmatch(form, similar) else "")
    return host


def to_platform(value: Platform | str, argument: str = "") -> Platform:
    """The platform, from the member or its string."""
    return choice(argument, value, Platform)


class HasImage(Protocol):
    """An overlay: the part that the architecture depends on."""

    @property
    def image(self) -> str:
        """The name of the overlay's image."""


def checked_arch(arch: Arch | str | None, *, nodes: GpuNodes | None, overlay: HasImage | None) -> Arch:
    """The architecture, by default that of the card or the overlay, else amd64. A contradiction is refused."""
    from ...upstream.nvidia.card_names import is_on_arm64  # only a `product` needs the table of cards

    product = nodes.product if nodes else None
    card = product is not None and is_on_arm64(product)
    if arch is None:
        return Arch.ARM64 if card or overlay else Arch.AMD64
    chosen = choice("arch", arch, Arch)
    if card and chosen is not Arch.ARM64:
        hint = "this GPU is on one board with an Arm processor"
        raise wrong("arch", Phrase(f"'{Arch.ARM64}' with ", Argument("product", product)), str(chosen), hint)
    if overlay and overlay.image.startswith(OVERLAY_PREFIX) and chosen is not Arch.ARM64:
        raise wrong("arch", f"'{Arch.ARM64}' with the overlay {overlay.image}", str(chosen), "all official overlays are for arm64 boards")
    return chosen
