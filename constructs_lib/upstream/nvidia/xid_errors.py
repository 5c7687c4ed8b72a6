"""The errors of a GPU that NVIDIA's driver numbers (XIDs), and the recovery actions that the driver asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping

RESET_XIDS = (46, 62, 64, 74, 79, 95, 109, 110, 119, 120, 136, 140, 143, 155, 156, 158)
"""The XIDs after which a GPU needs a reset, or its machine a reboot: the immediate actions RESET_GPU and RESTART_BM,
and 74 (NVLink), whose own workflow ends there.

64 is a failed repair of memory, 95 a memory error that reached other programs.

Source: docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html; NVIDIA/DCGM modules/health/DcgmHealthWatch.cpp,
BuildXidMappings (2026-11-22)
"""

UNCORRECTABLE_XID = 48
"""The XID of every memory error that ECC could not correct, contained or not. Its workflow is a reset of the GPU, or a
drain and a reset beside 63 or 64.

Source: docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, WORKFLOW_XID_48 (2026-11-22)
"""

CONTAINED_XID = 94
"""The XID of a memory error that killed one program and reached no other: restart the program; the reset can wait for a
convenient time.

Only GA100, GH100 and GB10x contain errors.

Source: docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, RESTART_APP; NVIDIA/DCGM dcgmlib/dcgm_errors.h,
DCGM_FR_CONTAINED_ERROR_NEXT; docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/supported-gpus.html (2026-11-22)
"""

APPLICATION_XIDS = (13, 31, 43, 45, 68, 69)
"""The XIDs that a program causes by itself.

Source: docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html (2026-11-22)
"""

PLUGIN_IGNORED_XIDS = (13, 31, 43, 45, 68, 109)
"""The XIDs after which the device plugin goes on offering the GPU: 109 from v0.17.1 on, the others in every release.
They are not `APPLICATION_XIDS`: a GPU is unhealthy after 69, and stays on offer after 109, which asks for a reset.

Source: NVIDIA/k8s-device-plugin internal/rm/health.go at v0.17.0, v0.17.1, v0.17.4, v0.18.2, v0.19.1 and v0.20.0
(2026-11-23)
"""

DRAIN_AND_RESET = 4
"""The recovery action that can wait: the GPU works on with less memory after a contained error, and is whole again
after a drain and a reset.

The driver asks for this action only where rows of memory are to be remapped. Every other action needs somebody now: 1
reset, 2 reboot, 3 stop peer-to-peer traffic, and from newer drivers 5 to 7.

Source: docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/error-recovery-and-response-flags.html; NVIDIA's nvidia-smi
manual, GPU Recovery Action; NVIDIA/DCGM sdk/nvidia/nvml/dcgm_nvml.h, nvmlDeviceGpuRecoveryAction_t (2026-11-22)
"""

RECOVERY_CHANGE = re.compile(r"Xid \((?P<card>PCI:[0-9A-Fa-f:.]+)\): 154, GPU recovery action changed from .* to 0x(?P<action>[0-9a-f]+)\b")
"""XID 154: the driver asks for another recovery action of a card than before, by its number. The words behind the
number differ from driver to driver.

Source: NVIDIA/open-gpu-kernel-modules#1045; docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html, Xid 154
linkage (2026-11-22)
"""

RECOVERY_ACTIONS: Mapping[int, str] = {0: "None", 1: "Reset", 2: "Reboot", 3: "Drain P2P", 4: "Drain and Reset"}
"""The recovery actions by their numbers, in the words of `nvidia-smi -q`.

Source: docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/error-recovery-and-response-flags.html; NVIDIA/DCGM
sdk/nvidia/nvml/dcgm_nvml.h (2026-11-22)
"""
