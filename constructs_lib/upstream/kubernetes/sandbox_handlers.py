"""The handlers of container runtimes that isolate pods by a kernel of their own: gVisor and Kata Containers."""

from __future__ import annotations

GVISOR_HANDLERS = ("runsc", "runsc-kvm")
"""The handlers of Talos' extension gvisor. Its runsc.toml and runsc-kvm.toml don't set `NVPROXY`.

Source: siderolabs/extensions container-runtime/gvisor at 26822f5, siderolabs/extensions#413 (2026-11-22)
"""

NVPROXY = "nvproxy"
"""The option of runsc by which gVisor lets a container use NVIDIA's driver.

Source: https://gvisor.dev/docs/user_guide/gpu/, google/gvisor#9368 (2026-11-22)
"""

KATA_HANDLERS = ("kata", "kata-qemu")
"""The handlers of Talos' extension kata-containers. A virtual machine of Kata takes a card by VFIO, and not from the
node's driver.

Source: siderolabs/extensions container-runtime/kata-containers at 26822f5, kata-containers/documentation#764
(2026-11-22)
"""
