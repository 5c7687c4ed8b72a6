"""The names of Talos' installer images. Every name that the library writes or reads of such an image is of this module.

Source: siderolabs/image-factory docs/api.md; siderolabs/talos pkg/machinery/imager/quirks (2026-11-22)
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .features import IMAGE_FACTORY
from .minors import Minors
from .platforms import Platform

_PLATFORM_INSTALLER = Minors(since=10)
"""The Talos releases with an installer image for each platform. Older releases have one image for all platforms.

Source: siderolabs/talos pkg/machinery/imager/quirks, SupportsUnifiedInstaller (2026-08-22)
"""

# The installer image that Talos published with its releases, without extensions.
PUBLISHED_INSTALLER = "ghcr.io/siderolabs/installer"
PUBLISHED_RELEASES = Minors(until=13)  # The Talos releases with a `PUBLISHED_INSTALLER`
"""The installer image of Talos' own releases.

Source: siderolabs/docs public/talos/v1.14/getting-started/what's-new-in-talos.mdx at 04ce721, "Default installer
image" (2026-11-23)
"""

_NAME = re.compile(
    r"(?P<factory>[a-z0-9.-]+(?::[0-9]+)?)/(?:(?P<platform>[a-z0-9-]+)-)?installer(?P<secureboot>-secureboot)?"
    r"/(?P<schematic>[0-9a-f]{64})(?::(?P<tag>[\w.-]+))?(?:@sha256:[0-9a-f]{64})?"
)


class InstallerImage(NamedTuple):
    """The statements of an installer image's name: its schematic, and the platform and Secure Boot of the machine."""

    schematic: str
    platform: Platform
    """The platform; metal for the name without a platform, which older releases have for all platforms."""
    is_secure: bool
    factory: str
    tag: str | None = None
    """The release of Talos, such as "v1.13.9"; None for an image by its digest alone."""


def installer_name(minor: int | None, *, platform: str = Platform.METAL, is_secure: bool = False, factory: str = IMAGE_FACTORY) -> str:
    """The name of the installer images of a factory, before the schematic. The names differ by the minor release; None
    is any newer one."""
    of_platform = f"{platform}-" if minor is None or minor in _PLATFORM_INSTALLER else ""
    return f"{factory}/{of_platform}installer{'-secureboot' * is_secure}"


def installer_image(
    schematic: str, talos: str, minor: int | None, *, platform: str = Platform.METAL, is_secure: bool = False, factory: str = IMAGE_FACTORY
) -> str:
    """The name of an installer image with its tag, a release such as "1.13.9"."""
    return f"{installer_name(minor, platform=platform, is_secure=is_secure, factory=factory)}/{schematic}:v{talos}"


def read_installer(name: str) -> InstallerImage | None:
    """The parts of the name of an installer image. None for the name of another image, and for an unknown platform."""
    parts = _NAME.fullmatch(name)
    platform = parts and (parts["platform"] or Platform.METAL)
    if parts is None or platform not in set(Platform):
        return None
    return InstallerImage(parts["schematic"], Platform(platform), bool(parts["secureboot"]), parts["factory"], parts["tag"])


def only_nvidia(way: str, *, has_driver: bool = True) -> str:
    """The remark on an image without extensions of others. `way` is where its reader adds them."""
    few = "only NVIDIA's" if has_driver else "no"
    return f"this image has {few} extensions; run `talosctl get extensions` and add the others with {way}"
