"""`HostPath` warns of the paths that Talos does not have, or does not keep."""

import warnings

import pytest

from constructs_lib import HostPath, TalosGpuWarning

KEPT = "use a path under /var, such as the user volume /var/mnt/{}"
MISSING = "Talos does not have this path and can't make it, because its root is read-only, so the pod stays in ContainerCreating; "
IN_MEMORY = "Talos keeps this folder in memory, so its files are lost at the next boot; "
READ_ONLY = "this folder is in Talos' read-only image, so a write fails with 'read-only file system'; set read_only=True, or "


def warned(*given, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        HostPath(*given, **options)
    assert all(each.category is TalosGpuWarning and each.filename == __file__ for each in caught)
    return [str(each.message) for each in caught]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/var", "Directory"),
        ("/var/mnt/models", "DirectoryOrCreate"),
        ("/var/lib/kubelet/device-plugins", "Directory"),
        ("//var/./mnt/", "Directory"),
        ("/opt/models", "DirectoryOrCreate"),
        ("/dev/dri", "Directory"),
        ("/dev/kvm", "CharDevice"),
        ("/run/containerd/containerd.sock", "Socket"),
        ("/sys/class/drm", "Directory"),
        ("/proc", "Directory"),
        ("/etc/cni/net.d", "Directory"),
        ("/etc/kubernetes/manifests", "Directory"),
        ("/usr/libexec/kubernetes/kubelet-plugins", "Directory"),
    ],
)
def test_a_path_that_talos_has_and_keeps_and_the_devices_sockets_and_system_folders_need_no_warning(path, kind):
    assert warned(path, kind) == []


@pytest.mark.parametrize("path", ["/data/models", "/mnt/models", "/home/me/models", "/srv/models", "/variable/models", "/optional/models"])
@pytest.mark.parametrize("options", [{}, {"read_only": True}, {"type": "DirectoryOrCreate"}])
def test_a_path_that_talos_does_not_have_is_warned_of_with_the_path_to_use(path, options):
    assert warned(path, **options) == [f"HostPath({path!r}): {MISSING}{KEPT.format('models')}"]


@pytest.mark.parametrize("path", ["/usr/local/glibc", "/etc/localtime", "/lib/modules", "/lib/firmware", "/bin"])
def test_a_folder_of_the_image_is_for_reading(path):
    assert warned(path, read_only=True) == []
    for options in ({}, {"type": "DirectoryOrCreate", "read_only": True}, {"type": "FileOrCreate"}):
        assert warned(path, **options) == [f"HostPath({path!r}): {READ_ONLY}{KEPT.format(path.rpartition('/')[2])}"]


def test_the_root_is_for_reading():
    assert warned("/", read_only=True) == []
    assert warned("/") == [f"HostPath('/'): {READ_ONLY}{KEPT.format('data')}"]


@pytest.mark.parametrize("path", ["/tmp/cache", "/system/state"])
def test_a_folder_in_memory_is_lost_at_the_next_boot(path):
    assert warned(path) == [f"HostPath({path!r}): {IN_MEMORY}{KEPT.format(path.rpartition('/')[2])}"]
    assert warned(path, read_only=True) == []
