"""NVIDIA's services of a Talos node, and the words by which Talos, the driver and the machine report their state."""

from __future__ import annotations

# The service that keeps the driver running, from the extension with the container toolkit.
PERSISTENCED = "ext-nvidia-persistenced"
# The service that writes /run/cdi/nvidia.yaml on Talos 1.13 and 1.14. It runs until it has succeeded once, so its last
# state is `Finished`.
CDI_GENERATOR = "ext-nvidia-cdi-gen"
FABRIC_SERVICE = "ext-nvidia-fabricmanager"  # The service that starts the NVSwitches
# The starts of the files that NVIDIA's services wait for. The driver makes the files as soon as its modules are
# loaded.
DRIVER_FILES = ("/sys/bus/pci/drivers/nvidia", "/dev/nvidia")
"""NVIDIA's services.

Source: siderolabs/extensions nvidia-gpu/nvidia-container-toolkit/lts/{nvidia-persistenced,nvidia-cdi-gen}.yaml,
nvidia-gpu/nvidia-fabricmanager/lts/nvidia-fabricmanager.yaml at v1.8.0 to 26822f5, of which nvidia-cdi-gen.yaml
(`restart: untilSuccess`) is of v1.13.0 and newer; siderolabs/extensions#888 (2026-11-22)
"""

RESTARTS = "going to restart"
"""The words in the event of a service whose program has ended and is started again. The state of such a service is
`Waiting`.

Source: siderolabs/talos internal/app/machined/pkg/system/runner/restart/restart.go at ad882317 (2026-11-22)
"""

# The word in the product name of an NVSwitch on the PCI bus: `GH100 [H100 NVSwitch]`. NVLink 5 has no NVSwitch on the
# bus.
NVSWITCH_PRODUCT = "NVSwitch"
NVSWITCH_PROBE = "nvidia-nvswitch: Probing device"  # The words of the kernel's log when the driver finds an NVSwitch
"""The signs of an NVSwitch.

Source: pciutils/pciids pci.ids, 10de:1af1 and 10de:22a3; NVIDIA/open-gpu-kernel-modules
kernel-open/nvidia/linux_nvswitch.c, nvswitch_probe at df1c9a3 (2026-11-22)
"""

# The field of `nvidia-smi -q` with the action that a card needs; `None` for a card that needs none.
RECOVERY_FIELD = "GPU Recovery Action"
# The values of `RECOVERY_FIELD` of a card that needs somebody now. After `Drain and Reset` the card works on with less
# memory.
URGENT_RECOVERIES = ("Reset", "Reboot", "Drain P2P")
# The field of `nvidia-smi -q` with the value `Yes` for a card whose memory can't be repaired any more.
REMAP_FAILURE_FIELD = "Remapping Failure Occurred"
REMAP_FAILURE_ELEMENT = "remapped row failure"  # The same field in XML
"""The fields of `nvidia-smi -q` about a card that needs somebody.

Source: NVIDIA's nvidia-smi manual, GPU Recovery Action and Remapped Rows;
docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/error-recovery-and-response-flags.html (2026-11-22)
"""
