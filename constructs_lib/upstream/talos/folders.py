"""The folders of a Talos node that a pod may mount."""

from __future__ import annotations

KEPT_FOLDERS = ("/var", "/opt")
"""The folders that are writable and survive a reboot: the volume EPHEMERAL, and an overlay whose upper layer is in
/var.

Source: siderolabs/talos pkg/machinery/constants/constants.go, Overlays, v1.8.0 to v1.15 (2026-11-22);
docs.siderolabs.com/talos/v1.13/learn-more/architecture (2026-11-22)
"""

SYSTEM_FOLDERS = ("/dev", "/proc", "/run", "/sys", "/etc/cni", "/etc/kubernetes", "/usr/libexec/kubernetes")
"""The folders with devices, sockets and the kernel's files, and those that the kubelet and CNI plugins write to.

Source: siderolabs/talos pkg/machinery/constants/constants.go, Overlays, v1.8.0 to v1.13.0 (2026-11-22)
"""

MEMORY_FOLDERS = ("/tmp", "/system")  # noqa: S108  # a folder of the node
"""The folders in memory for other files, which are lost at the next boot.

Source: docs.siderolabs.com/talos/v1.13/learn-more/architecture (2026-11-22)
"""

IMAGE_FOLDERS = ("/bin", "/boot", "/etc", "/lib", "/lib64", "/sbin", "/usr")
"""The folders of the read-only image that have files: kernel modules, firmware, and the libraries of extensions in
/usr/local.

Source: siderolabs/talos Dockerfile, v1.8.0 to v1.13.0 (2026-11-22)
"""

USER_VOLUMES = "/var/mnt"
"""The folder in which Talos mounts user volumes.

Source: siderolabs/talos pkg/machinery/constants/constants.go, UserVolumeMountPoint (2026-11-22)
"""
