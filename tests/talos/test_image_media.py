"""ISO, PXE script and disk image of each platform, and Secure Boot, by the table of Talos."""

import pytest

from conftest import message
from constructs_lib import GpuNodes
from constructs_lib.talos import Schematic
from constructs_lib.upstream.talos.platforms import PLATFORM_IMAGES, Platform


def images(talos="1.14.0"):
    return Schematic(nodes=GpuNodes(talos_version=talos))


def file_of(address):
    return address.rpartition("/")[2]


# The table of Talos v1.14.0-rc.1, written by its own code: DiskImageDefaultPath("amd64").
DISK_IMAGES = {
    "metal": "metal-amd64.raw.zst",
    "akamai": "akamai-amd64.raw.gz",
    "alibabacloud": "alibabacloud-amd64.qcow2",
    "aws": "aws-amd64.raw.xz",
    "azure": "azure-amd64.vhd.xz",
    "cloudstack": "cloudstack-amd64.raw.gz",
    "digital-ocean": "digital-ocean-amd64.raw.gz",
    "exoscale": "exoscale-amd64.qcow2",
    "gcp": "gcp-amd64.raw.tar.gz",
    "hcloud": "hcloud-amd64.raw.xz",
    "nocloud": "nocloud-amd64.raw.xz",
    "opennebula": "opennebula-amd64.raw.zst",
    "openstack": "openstack-amd64.raw.xz",
    "oracle": "oracle-amd64.qcow2",
    "scaleway": "scaleway-amd64.raw.zst",
    "upcloud": "upcloud-amd64.raw.xz",
    "vmware": "vmware-amd64.ova",
}
ISO = ["metal", "nocloud", "opennebula", "openstack", "scaleway", "vmware", "vultr"]
PXE = ["metal", "nocloud", "openstack", "vultr"]
AMD64_ONLY = ["akamai", "digital-ocean", "hcloud", "upcloud", "vultr"]
SECURE_BOOT = ["metal", "azure", "cloudstack", "nocloud"]


def test_every_platform_is_in_the_table():
    assert list(PLATFORM_IMAGES) == list(Platform)
    assert all(each.media for each in PLATFORM_IMAGES.values())


@pytest.mark.parametrize("platform", DISK_IMAGES)
def test_a_disk_image_has_the_suffix_of_its_platform(platform):
    assert file_of(images().disk_image(platform=platform)) == DISK_IMAGES[platform]
    assert file_of(images().disk_image(platform=Platform(platform))) == DISK_IMAGES[platform]


@pytest.mark.parametrize(("talos", "suffix"), [("1.11.6", "raw.xz"), ("1.12.11", "raw.xz"), ("1.13.9", "qcow2")])
def test_the_disk_image_of_oracle_changed_in_talos_1_13(talos, suffix):
    assert file_of(images(talos).disk_image(platform="oracle")) == f"oracle-amd64.{suffix}"


def test_the_address_has_factory_id_and_version():
    schematic = images()

    assert schematic.disk_image(secureboot=True) == (
        f"https://factory.talos.dev/image/{schematic.id}/v1.14.0/metal-amd64-secureboot.raw.zst"
    )


@pytest.mark.parametrize("platform", Platform)
@pytest.mark.parametrize(("link", "there"), [("iso", ISO), ("pxe", PXE), ("disk_image", list(DISK_IMAGES))])
def test_an_image_that_the_platform_does_not_boot_from_is_refused(platform, link, there):
    if platform in there:
        assert f"/{platform}-amd64" in getattr(images(), link)(platform=platform)
    else:
        assert message(lambda: getattr(images(), link)(platform=platform)).startswith("'platform' must be one with a")


@pytest.mark.parametrize(
    ("link", "platform", "expected"),
    [
        (
            "iso",
            "aws",
            (
                "'platform' must be one with an ISO: metal, nocloud, opennebula, openstack, scaleway, vmware, vultr (got 'aws'); "
                "a node of this platform boots from: disk image"
            ),
        ),
        (
            "pxe",
            "vmware",
            (
                "'platform' must be one with a PXE script: metal, nocloud, openstack, vultr (got 'vmware'); "
                "a node of this platform boots from: ISO, disk image"
            ),
        ),
    ],
)
def test_the_error_names_the_images_that_the_platform_boots_from(link, platform, expected):
    assert message(lambda: getattr(images(), link)(platform=platform)) == expected


@pytest.mark.parametrize("platform", AMD64_ONLY)
def test_arm64_is_refused_where_talos_has_only_amd64(platform):
    link = "iso" if platform == "vultr" else "disk_image"

    assert message(lambda: getattr(images(), link)(platform=platform, arch="arm64")) == (
        f"'platform' must be one with arm64 images (got '{platform}'); Talos has only amd64 images of this platform"
    )


def test_vmware_has_arm64_images_from_talos_1_12_on():
    assert file_of(images("1.12.0").iso(platform="vmware", arch="arm64")) == "vmware-arm64.iso"
    assert message(lambda: images("1.11.6").iso(platform="vmware", arch="arm64")) == (
        "'platform' must be one with arm64 images (got 'vmware'); Talos has only amd64 images of this platform before 1.12"
    )


@pytest.mark.parametrize("platform", Platform)
def test_secure_boot_is_refused_where_talos_has_none(platform):
    link = "iso" if platform == "vultr" else "disk_image"
    if platform in SECURE_BOOT:
        assert "-secureboot." in getattr(images(), link)(platform=platform, secureboot=True)
        assert "-installer-secureboot/" in images().installer_image(platform=platform, secureboot=True)
        return
    for name in (link, "installer_image"):
        assert message(lambda name=name: getattr(images(), name)(platform=platform, secureboot=True)) == (
            f"'secureboot' must be False with platform='{platform}' (got True); Talos has no Secure Boot on this platform; "
            "platforms with Secure Boot: metal, azure, cloudstack, nocloud"
        )


def test_azure_has_secure_boot_from_talos_1_14_on():
    assert message(lambda: images("1.13.9").disk_image(platform="azure", secureboot=True)) == (
        "'secureboot' must be False with platform='azure' (got True); Talos has no Secure Boot on this platform before 1.14; "
        "platforms with Secure Boot: metal, nocloud"
    )
