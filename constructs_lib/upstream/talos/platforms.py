"""The platforms of Talos: processor architectures, kinds of boot media, and Secure Boot."""

from __future__ import annotations

from typing import NamedTuple

from ..choice import Choice
from .minors import EVERY_TALOS, Minors


class Arch(Choice):
    """The processor architecture of a node.

    Source: siderolabs/talos pkg/machinery/platforms at v1.14.0-rc.1 (2026-11-22)
    """

    AMD64 = "amd64"
    ARM64 = "arm64"


class Platform(Choice):
    """The platform of a node.

    `equinixMetal` is left out. The platform is closed, and no client could pull its installer: the name of an image has
    no capitals.

    Source: siderolabs/talos pkg/machinery/platforms at v1.14.0-rc.1 (2026-11-22)
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


class BootMedium(Choice):
    """The kinds of images that boot a new node.

    Source: siderolabs/talos pkg/machinery/platforms at v1.14.0-rc.1 (2026-11-22)
    """

    ISO = "ISO"
    PXE = "PXE script"
    DISK_IMAGE = "disk image"


class PlatformImages(NamedTuple):
    """The images of a platform. `arm64` and `secure_boot` are the Talos releases with these images; None: no release
    has them.

    `disk_images` maps ranges of releases to the suffix of the file; it is empty when the platform has no disk image.
    """

    disk_images: dict[Minors, str]
    has_iso: bool = False
    has_pxe: bool = False
    arm64: Minors | None = EVERY_TALOS
    secure_boot: Minors | None = None
    talos: Minors = EVERY_TALOS

    @property
    def media(self) -> tuple[BootMedium, ...]:
        """The kinds of images that boot a new node on the platform."""
        there = {BootMedium.ISO: self.has_iso, BootMedium.PXE: self.has_pxe, BootMedium.DISK_IMAGE: bool(self.disk_images)}
        return tuple(medium for medium, is_there in there.items() if is_there)

    @property
    def boots_installed(self) -> bool:
        """Whether a node boots from a disk image alone. Talos is installed on a disk image, so no node installs the
        installer image of its configuration.

        Source: siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer.go, Install (2026-11-22)
        """
        return self.media == (BootMedium.DISK_IMAGE,)


def _disk(suffix: str) -> dict[Minors, str]:
    return {EVERY_TALOS: suffix}


PLATFORM_IMAGES: dict[Platform, PlatformImages] = {
    Platform.METAL: PlatformImages(_disk("raw.zst"), has_iso=True, has_pxe=True, secure_boot=EVERY_TALOS),
    Platform.AKAMAI: PlatformImages(_disk("raw.gz"), arm64=None),
    Platform.ALIBABACLOUD: PlatformImages(_disk("qcow2"), talos=Minors(since=14)),
    Platform.AWS: PlatformImages(_disk("raw.xz")),
    Platform.AZURE: PlatformImages(_disk("vhd.xz"), secure_boot=Minors(since=14)),
    Platform.CLOUDSTACK: PlatformImages(_disk("raw.gz"), secure_boot=Minors(since=14)),
    Platform.DIGITAL_OCEAN: PlatformImages(_disk("raw.gz"), arm64=None),
    Platform.EXOSCALE: PlatformImages(_disk("qcow2")),
    Platform.GCP: PlatformImages(_disk("raw.tar.gz")),
    Platform.HCLOUD: PlatformImages(_disk("raw.xz"), arm64=None),
    Platform.NOCLOUD: PlatformImages(_disk("raw.xz"), has_iso=True, has_pxe=True, secure_boot=EVERY_TALOS),
    Platform.OPENNEBULA: PlatformImages(_disk("raw.zst"), has_iso=True),
    Platform.OPENSTACK: PlatformImages(_disk("raw.xz"), has_iso=True, has_pxe=True),
    Platform.ORACLE: PlatformImages({Minors(until=12): "raw.xz", Minors(since=13): "qcow2"}),
    Platform.SCALEWAY: PlatformImages(_disk("raw.zst"), has_iso=True),
    Platform.UPCLOUD: PlatformImages(_disk("raw.xz"), arm64=None),
    Platform.VMWARE: PlatformImages(_disk("ova"), has_iso=True, arm64=Minors(since=12)),
    Platform.VULTR: PlatformImages({}, has_iso=True, has_pxe=True, arm64=None),
}
"""The images of each platform. Talos 1.9 and older have no such table; the table of 1.10 stands for them.

Source: siderolabs/talos pkg/machinery/platforms/platforms.go at v1.10.0, v1.11.0, v1.12.0, v1.13.9 and v1.14.0-rc.1
(2026-11-22)
"""

# The start of the names of the official overlay images. All of them are for arm64 boards.
OVERLAY_PREFIX = "siderolabs/sbc-"
OVERLAY_DISK_IMAGE = "raw.xz"  # The suffix of the disk image of a board with an overlay; the platform is `metal`
# The official overlay of a board with an integrated GPU of NVIDIA, a Tegra, for which no official extension has a
# driver.
JETSON_OVERLAY = "siderolabs/sbc-jetson"
"""The official overlays of boards.

Source: siderolabs/talos pkg/machinery/platforms/sbcs.go, DiskImagePath, at v1.14.0-rc.1, siderolabs/extensions#1062
(2026-11-22)
"""

SECTOR_SIZES = (512, 4096)
"""The sizes in bytes of a disk's sectors for which the Image Factory makes a disk image; 512 is its default.

Source: siderolabs/image-factory docs/api.md; siderolabs/talos pkg/imager/profile/default.go (2026-11-22)
"""
