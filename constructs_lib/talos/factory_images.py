"""The names of the Image Factory's images: installer image, ISO and PXE script of a schematic."""

from __future__ import annotations

import re
from typing import Protocol

from .._arguments.errors import wrong, wrong_kind
from .._arguments.plain_values import choice, flag, text
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..upstream.choice import Choice
from ..upstream.talos_features import ALIBABACLOUD, PLATFORM_INSTALLER
from .fabric_manager import fabric_manager_fault

IMAGE_FACTORY = "factory.talos.dev"


class Platform(Choice):
    """The platform of a node (siderolabs/talos pkg/machinery/platforms).

    `equinixMetal` is left out. The platform is closed, and no client could pull its installer: the name of an image has no capitals.
    """

    METAL = "metal"
    AKAMAI = "akamai"
    ALIBABACLOUD = "alibabacloud"
    AWS = "aws"
    AZURE = "azure"
    CLOUDSTACK = "cloudstack"
    DIGITAL_OCEAN = "digital-ocean"
    EXOSCALE = "exoscale"
    GCP = "gcp"
    HCLOUD = "hcloud"
    NOCLOUD = "nocloud"
    OPENNEBULA = "opennebula"
    OPENSTACK = "openstack"
    ORACLE = "oracle"
    SCALEWAY = "scaleway"
    UPCLOUD = "upcloud"
    VMWARE = "vmware"
    VULTR = "vultr"


class Arch(Choice):
    """The processor architecture of a node."""

    AMD64 = "amd64"
    ARM64 = "arm64"


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

    def iso(
        self: _Named,
        version: str | TalosVersion | None = None,
        *,
        platform: Platform | str = Platform.METAL,
        arch: Arch | str = Arch.AMD64,
        secureboot: bool = False,
    ) -> str:
        """The address of the ISO that boots a new node."""
        talos = _release(self, version)
        platform, suffix = _boot(talos, platform, secureboot)
        return f"https://{self.factory}/image/{self.id}/v{talos}/{platform}-{choice('arch', arch, Arch)}{suffix}.iso"

    def pxe(
        self: _Named,
        version: str | TalosVersion | None = None,
        *,
        platform: Platform | str = Platform.METAL,
        arch: Arch | str = Arch.AMD64,
        secureboot: bool = False,
    ) -> str:
        """The address of the iPXE script that boots a new node from the network.

        Your own factory serves the script under its own host name, unless the factory has an `externalPXEURL`.
        """
        talos = _release(self, version)
        platform, suffix = _boot(talos, platform, secureboot)
        host = f"pxe.{self.factory}" if self.factory == IMAGE_FACTORY else self.factory
        return f"https://{host}/pxe/{self.id}/v{talos}/{platform}-{choice('arch', arch, Arch)}{suffix}"


def installer_repository(images: _Named, talos: TalosVersion, *, platform: Platform | str, secureboot: bool) -> str:
    """The name of the installer image without its tag; it depends on the minor release of Talos alone."""
    platform, suffix = _boot(talos, platform, secureboot)
    name = f"{platform}-installer" if talos.minor in PLATFORM_INSTALLER else "installer"
    return f"{images.factory}/{name}{suffix}/{images.id}"


def _boot(talos: TalosVersion, platform: object, secureboot: object) -> tuple[Platform, str]:
    where = choice("platform", platform, Platform)
    if where is Platform.ALIBABACLOUD and talos.minor not in ALIBABACLOUD:
        raise wrong("platform", f"one that Talos {talos} runs on", str(where), f"the platform is new in Talos {ALIBABACLOUD.first}")
    return where, "-secureboot" if flag("secureboot", secureboot) else ""


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
        raise wrong(
            "version", rule, str(talos), "an image is of one release: give 'version' here, or 'talos_version' with a patch to GpuNodes"
        )
    if nodes is not None and talos.minor != nodes.talos_version.minor:
        hint = "drivers and manifests depend on Talos: give the new 'talos_version' to GpuNodes"
        raise wrong("version", f"of Talos {nodes.talos_version.minor_version}, the Talos of the nodes", str(talos), hint)
    fault = fabric_manager_fault(talos)
    if fault and images.fabric_manager:
        raise wrong("version", f"{fault.fixed_in} or newer for an image with fabric manager", str(talos), fault.reason)
    return talos


def to_factory(value: str, argument: str = "") -> str:
    """The host of a factory, with or without a port."""
    rule = f"the host of an Image Factory such as '{IMAGE_FACTORY}'"
    host = text(argument, value, rule)
    if not re.fullmatch(r"[a-z0-9.-]+(:[0-9]+)?", host):
        similar = re.sub(r"^[a-z]+://|/.*$", "", host.lower())
        raise wrong(argument, rule, host, f"did you mean '{similar}'?" if re.fullmatch(r"[a-z0-9.-]+(:[0-9]+)?", similar) else "")
    return host


def to_platform(value: Platform | str, argument: str = "") -> Platform:
    """The platform, from the member or its string."""
    return choice(argument, value, Platform)
