"""The folders and files of a Talos node: what a pod may mount, and what `machine.files` writes at boot."""

from __future__ import annotations

from ..choice import Choice


class FileOperation(Choice):
    """The operation of Talos on a file.

    Source: siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go, WriteUserFiles
    (2026-08-22)
    """

    CREATE = "create"
    """Writes the file, new or existing: in /var only."""
    OVERWRITE = "overwrite"
    """Replaces an existing file, in any folder."""
    APPEND = "append"
    """Appends to an existing file, in any folder."""


STATIC_PODS = "/etc/kubernetes/manifests"
"""The only folder outside of /var in which Talos creates files, besides containerd's customization.

Source: siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go, WriteUserFiles
(2026-08-22)
"""


# The document of `features.DOCUMENTS` for a file in /etc that Talos does not write itself: `name` is the path below
# /etc, `contents` the file. `machine.files` is deprecated there, and still written, with a warning.
ETC_FILE_KIND = "EtcFileConfig"
# The files and folders in /etc that `ETC_FILE_KIND` may not name: Talos writes them.
MANAGED_ETC = (
    *("resolv.conf", "hosts", "machine-id", "extensions.yaml", "localtime", "os-release", "xattr.conf"),
    *("apparmor.d/", "apparmor/", "ca-certificates/", "cni/", "cri/", "iscsi/", "kubernetes/", "lvm/", "nvme/", "pki/", "selinux/", "ssl/"),
)
"""The document for a file in /etc.

Source: siderolabs/talos pkg/machinery/config/types/runtime/etc_file.go, validateEtcFilePath, and
pkg/machinery/config/types/v1alpha1/v1alpha1_validation.go at v1.14.0-rc.1 (2026-11-22)
"""


def etc_file_name(path: str) -> str | None:
    """The name of the document `ETC_FILE_KIND` for a file. None for a file that the document does not write."""
    folder, _, name = path.partition("/etc/")
    if folder or not name or name.startswith((".", "/")) or "/../" in f"{path}/":
        return None
    return (
        None
        if any(name == managed.rstrip("/") or (managed.endswith("/") and name.startswith(managed)) for managed in MANAGED_ETC)
        else name
    )


def may_be_created(path: str) -> bool:
    """Whether Talos creates a file at this path. Otherwise the boot fails."""
    return path.startswith("/var/") or path.rpartition("/")[0] == STATIC_PODS


# The folders that are writable and survive a reboot: the volume EPHEMERAL, and an overlay whose upper layer is in
# /var.
KEPT_FOLDERS = ("/var", "/opt")
# The folders with devices, sockets and the kernel's files, and those that the kubelet and CNI plugins write to.
SYSTEM_FOLDERS = ("/dev", "/proc", "/run", "/sys", "/etc/cni", "/etc/kubernetes", "/usr/libexec/kubernetes")
# The folders in memory for other files, which are lost at the next boot.
MEMORY_FOLDERS = ("/tmp", "/system")  # noqa: S108  # a folder of the node
# The folders of the read-only image that have files: kernel modules, firmware, and the libraries of extensions in
# /usr/local.
IMAGE_FOLDERS = ("/bin", "/boot", "/etc", "/lib", "/lib64", "/sbin", "/usr")
USER_VOLUMES = "/var/mnt"  # The folder in which Talos mounts user volumes
"""The folders of a Talos node that a pod may mount.

Source: siderolabs/talos pkg/machinery/constants/constants.go, Overlays, and Dockerfile, v1.8.0 to v1.13.0 (the kept
folders up to v1.15); constants.go, UserVolumeMountPoint; docs.siderolabs.com/talos/v1.13/learn-more/architecture (2026-11-22)
"""

CLUSTERTOOL = "ClusterTool"
CLUSTERTOOL_FILE = "clusterenv.yaml"  # The file of variables in each folder of a cluster of TrueForge's ClusterTool
CLUSTERTOOL_PATCHES = ("all.yaml", "controlplane.yaml", "worker.yaml")
"""The file that names a cluster of ClusterTool, and the patches of talhelper that ClusterTool makes and that the `.gitignore`
of its template keeps out of git.

Source: trueforge-org/clustertool embed/generic/base/{DOTREPLACEgitignore,talos/talconfig.yaml}, pkg/initfiles/initfiles.go
(2026-11-24)
"""
