"""What the Image Factory makes of a schematic: installer image, ISO and PXE script, by the names that it serves them under."""

from __future__ import annotations

import re
from typing import Protocol

from .._arguments.errors import wrong, wrong_kind
from .._arguments.plain_values import choice, flag, text
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import TalosVersion
from ..upstream.choice import Choice
from ..upstream.talos_features import ALIBABACLOUD, PLATFORM_INSTALLER

IMAGE_FACTORY = "factory.talos.dev"


class Platform(Choice):
    """Where a node runs (siderolabs/talos pkg/machinery/platforms).

    Without `equinixMetal`, which has closed, and whose installer no client could pull: an image's name has no capitals.
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
    """What a node's processor is."""

    AMD64 = "amd64"
    ARM64 = "arm64"


class _Named(Protocol):
    """What the names follow from."""

    @property
    def id(self) -> str: ...
    @property
    def nodes(self) -> GpuNodes | None: ...
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

        Before Talos 1.10 there is one for all platforms, so `platform` makes no difference.
        """
        talos, platform, suffix = _checked(self.nodes, version, platform, secureboot)
        name = f"{platform}-installer" if talos.minor in PLATFORM_INSTALLER else "installer"
        return f"{self.factory}/{name}{suffix}/{self.id}:v{talos}"

    def iso(
        self: _Named,
        version: str | TalosVersion | None = None,
        *,
        platform: Platform | str = Platform.METAL,
        arch: Arch | str = Arch.AMD64,
        secureboot: bool = False,
    ) -> str:
        """The address of the ISO to boot a new node from."""
        talos, platform, suffix = _checked(self.nodes, version, platform, secureboot)
        return f"https://{self.factory}/image/{self.id}/v{talos}/{platform}-{choice('arch', arch, Arch)}{suffix}.iso"

    def pxe(
        self: _Named,
        version: str | TalosVersion | None = None,
        *,
        platform: Platform | str = Platform.METAL,
        arch: Arch | str = Arch.AMD64,
        secureboot: bool = False,
    ) -> str:
        """The address of the iPXE script to boot a new node from the network.

        A factory of one's own serves it under its own name, unless it has an `externalPXEURL`.
        """
        talos, platform, suffix = _checked(self.nodes, version, platform, secureboot)
        host = f"pxe.{self.factory}" if self.factory == IMAGE_FACTORY else self.factory
        return f"https://{host}/pxe/{self.id}/v{talos}/{platform}-{choice('arch', arch, Arch)}{suffix}"


def _checked(nodes: GpuNodes | None, version: object, platform: object, secureboot: object) -> tuple[TalosVersion, Platform, str]:
    talos = _release(nodes, version)
    where = choice("platform", platform, Platform)
    if where is Platform.ALIBABACLOUD and talos.minor not in ALIBABACLOUD:
        raise wrong("platform", f"one that Talos {talos} runs on", str(where), f"it came with Talos {ALIBABACLOUD.first}")
    return talos, where, "-secureboot" if flag("secureboot", secureboot) else ""


def _release(nodes: GpuNodes | None, version: object) -> TalosVersion:
    """The release that an image is of: the given one, or that of the nodes."""
    rule = "a Talos release with its patch, such as 'v1.12.11'"
    if version is None:
        if nodes is None:
            raise wrong_kind("version", rule, version, "there are no 'nodes' to take it from")
        version = nodes.talos_version
    talos = TalosVersion.parse("version", version)
    if talos.patch is None:
        raise wrong("version", rule, str(talos), "an image is of one release: give it here, or as 'talos_version' to GpuNodes")
    if nodes is not None and talos.minor != nodes.talos_version.minor:
        hint = "drivers and manifests change with Talos: give the new 'talos_version' to GpuNodes"
        raise wrong("version", f"of Talos {nodes.talos_version.minor_version}, as the nodes are", str(talos), hint)
    return talos


def to_factory(value: str, argument: str = "") -> str:
    """The host of a factory, with its port where it has one."""
    rule = f"the host of an Image Factory such as '{IMAGE_FACTORY}'"
    host = text(argument, value, rule)
    if not re.fullmatch(r"[a-z0-9.-]+(:[0-9]+)?", host):
        meant = re.sub(r"^[a-z]+://|/.*$", "", host.lower())
        raise wrong(argument, rule, host, f"did you mean '{meant}'?" if re.fullmatch(r"[a-z0-9.-]+(:[0-9]+)?", meant) else "")
    return host


def to_platform(value: Platform | str, argument: str = "") -> Platform:
    """Where nodes run, from the member or its string."""
    return choice(argument, value, Platform)
