"""The signs by which a card tells that something is wrong: fields of nvidia-smi, the values that are bad, and what helps.

Paths of fields are in lower case, so that the names of `nvidia-smi -q` and of its XML are one. What a card at work shows
is no sign: the power cap, a lower PCIe generation at idle, corrected errors.

Source: the manual of nvidia-smi, GPU ATTRIBUTES (https://docs.nvidia.com/deploy/nvidia-smi/);
https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html;
https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/; nvml.h, NVML_GPU_FABRIC_STATE_IN_PROGRESS (read 2026-11-28)
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .xid_errors import CONTAINED_XID, RESET_XIDS, UNCORRECTABLE_XID

_SMI = "https://docs.nvidia.com/deploy/nvidia-smi/"
_MEMORY = "https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/"
_CLOCKS = "https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html"
_REASONS = r"clocks (?:event|throttle) reasons .*"
_REBOOT = "reboot"
_FABRIC_LOG = "Look at the log of the fabric manager: talosctl --nodes ADDRESS logs ext-nvidia-fabricmanager"
_SLOWER = "Programs on the card are slower than it allows"


@dataclass(frozen=True, kw_only=True, slots=True)
class CardSign:
    """A sign: the path of a field and a value that is bad, both as patterns of the whole text."""

    name: str
    field: str
    value: str
    cause: str
    """A sentence with `{value}`, or with `{line}`, the line of the field."""
    consequence: str
    action: str
    """What to do: `reboot`, or a sentence."""
    source: str
    stops_programs: bool = False
    """Whether no CUDA program can start on the card. Any other sign tells of a card that works."""
    is_minor: bool = False
    """Whether many cards that are in order show the sign."""
    alert: str = ""
    """The alert about the same. It is off by default if the sign is minor."""

    def matches(self, field: str, value: str) -> bool:
        """Whether a field of a card, in lower case, has a bad value."""
        return re.fullmatch(self.field, field) is not None and re.fullmatch(self.value, value) is not None


CARD_SIGNS = (
    CardSign(
        name="fabric-not-ready",
        field=r"fabric state",
        value="In Progress",
        cause="The card has not joined the NVLink fabric: its state is {value}",
        consequence="CUDA programs end with error 802 (system not yet initialized), though nvidia-smi shows the card",
        action=_FABRIC_LOG,
        source=_SMI,
        stops_programs=True,
    ),
    CardSign(
        name="fabric-failed",
        field=r"fabric status",
        value=r"(?!Success|N/A|Not Supported|Requested).+",
        cause="The card has not joined the NVLink fabric: {value}",
        consequence="CUDA programs end with error 802 (system not yet initialized), though nvidia-smi shows the card",
        action=_FABRIC_LOG,
        source=_SMI,
        stops_programs=True,
    ),
    CardSign(
        name="fabric-unhealthy",
        field=r"fabric health (?!summary).*",
        value=r"(?!False$|Full$|None$|N/A$|Not Supported$).+",
        cause="The driver reports a fault of the card's NVLink fabric: {line}",
        consequence="Traffic between the cards is slower than the links allow, or fails",
        action=_FABRIC_LOG,
        source="https://docs.nvidia.com/deploy/nvml-api/group__nvmlFabricDefs.html",
    ),
    CardSign(
        name="compute-prohibited",
        field="compute mode",
        value="Prohibited",
        cause="The compute mode of the card is Prohibited",
        consequence="No CUDA program can use the card",
        action="Set the mode in a privileged pod with the card: nvidia-smi --compute-mode=DEFAULT",
        source=_SMI,
        stops_programs=True,
    ),
    CardSign(
        name="diagnostic-failed",
        field=r"dcgm diagnostic .*",
        value=r".*Fail.*",
        cause="A test of DCGM's diagnostic fails: {value}",
        consequence="Programs on the card may end with errors, or compute wrong results",
        action="Keep pods off the node (kubectl cordon NODE), and give the output to the maker of the machine",
        source="https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/dcgm-diagnostics.html",
    ),
    CardSign(
        name="memory-repair-pending",
        field=r"remapped rows (?:remapped row )?pending|retired pages (?:pending page blacklist|pending retirement|pending blacklist)|gpu recovery action",
        value="Yes|Drain and Reset",
        cause="A part of the card's memory failed, and waits for a reset to be repaired",
        consequence="The card works on with less memory until then",
        action=_REBOOT,
        source=_MEMORY,
        alert="GpuMemoryRepairPending",
    ),
    CardSign(
        name="unknown-recovery",
        field="gpu recovery action",
        value=r"[1-9]\d*",
        cause="The driver asks for a recovery action of the card that has the number {value}, and no name here",
        consequence="Programs on the card may end with errors",
        action="Read the name of the action (kubectl exec POD -- nvidia-smi -q, GPU Recovery Action) and act on it",
        source=_SMI,
    ),
    CardSign(
        name="recent-xid",
        field=r"recent xid \d+",
        value="|".join(f"{each}" for each in (*RESET_XIDS, UNCORRECTABLE_XID)),
        cause="The driver has reported Xid {value} of the card within the window of dcgm-exporter, which is five minutes by default",
        consequence="Programs on the card end with errors, and new ones can't start until the card is reset",
        action=_REBOOT,
        source="https://docs.nvidia.com/deploy/xid-errors/",
        alert="GpuXidFatal",
    ),
    CardSign(
        name="recent-contained-xid",
        field=r"recent xid \d+",
        value=f"{CONTAINED_XID}",
        cause="The driver has reported Xid {value} of the card within the window of dcgm-exporter: memory failed, and the error was contained",
        consequence="One program was ended, and no other was touched",
        action="Restart the pod whose program was ended (talosctl --nodes ADDRESS dmesg | grep Xid names its process), and reboot the node when it suits",
        source="https://docs.nvidia.com/deploy/xid-errors/",
        alert="GpuXidContained",
    ),
    CardSign(
        name="dcgm-health-failed",
        field=r"dcgm health .*",
        value=r".* fails: .*",
        cause="DCGM's health watch of {value}",
        consequence="Programs on the card may end with errors, or be slower",
        action="Look for the errors around it: talosctl --nodes ADDRESS dmesg | grep -i -e nvrm -e xid",
        source="https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html",
    ),
    CardSign(
        name="dcgm-health-warning",
        field=r"dcgm health .*",
        value=r".* warns: .*",
        cause="DCGM's health watch of {value}",
        consequence="The watches of heat and power warn of a card at full load, too",
        action="Nothing now. Look again when programs are slow or end with errors",
        source="https://docs.nvidia.com/datacenter/dcgm/latest/user-guide/feature-overview.html",
        is_minor=True,
    ),
    CardSign(
        name="last-xid",
        field="last xid",
        value="|".join(f"{each}" for each in (*RESET_XIDS, UNCORRECTABLE_XID, CONTAINED_XID)),
        cause="The last error that the driver has reported of the card is Xid {value}",
        consequence="Programs that ran at that time may have lost the card; the number stays until the driver is loaded anew",
        action="Look for its time and the errors around it: talosctl --nodes ADDRESS dmesg | grep Xid",
        source="https://docs.nvidia.com/deploy/xid-errors/",
        is_minor=True,
    ),
    CardSign(
        name="uncorrectable-memory-errors",
        field=r"ecc errors volatile .*(?:uncorrectable|double bit).*",
        value=r"[1-9]\d*",
        cause="The card has had {value} memory errors that ECC can't correct since the driver was loaded",
        consequence="The programs that hit them ended (CUDA: uncorrectable ECC error encountered)",
        action=_REBOOT,
        source=_MEMORY,
        alert="GpuUncorrectableEcc",
    ),
    CardSign(
        name="past-memory-errors",
        field=r"ecc errors aggregate .*(?:uncorrectable|double bit).*",
        value=r"[1-9]\d*",
        cause="The card has had {value} memory errors that ECC can't correct in its life",
        consequence="The card works, as long as no new ones come: those since the driver was loaded are counted as volatile",
        action="Nothing now. Have the card replaced if the number grows, or a remapping fails",
        source=_MEMORY,
        is_minor=True,
    ),
    CardSign(
        name="hardware-thermal-slowdown",
        field=rf"{_REASONS}hw thermal slowdown",
        value="Active",
        cause="The card is too hot, and its hardware has halved its clocks or worse",
        consequence=_SLOWER,
        action="Look at the fans, the air flow and the room of the machine; nothing is to be done in software",
        source=_CLOCKS,
        alert="GpuHwThermalSlowdown",
    ),
    CardSign(
        name="software-thermal-slowdown",
        field=rf"{_REASONS}sw thermal slowdown",
        value="Active",
        cause="The card or its memory is above its operating temperature, and the driver has lowered its clocks",
        consequence=_SLOWER,
        action="Look at the fans, the air flow and the room of the machine; nothing is to be done in software",
        source=_CLOCKS,
        is_minor=True,
        alert="GpuSwThermalSlowdown",
    ),
    CardSign(
        name="power-brake",
        field=rf"{_REASONS}hw power brake slowdown",
        value="Active",
        cause="The power supply or the board has told the card to slow down: it can't deliver what the card asks for",
        consequence=_SLOWER,
        action="Look at the power supply and the power cables of the machine",
        source=_CLOCKS,
        alert="GpuHwPowerBrake",
    ),
    CardSign(
        name="nvlink-recovered",
        field=r"nvlink (?:link \d+ )?recovery errors",
        value=r"[1-9]\d*",
        cause="A link of NVLink had to be trained anew {value} times since its counters began",
        consequence="Traffic between the cards waits for the link each time",
        action="Nothing now. If the number grows (nvidia-smi nvlink -e), seat the bridge anew, or give the output to the maker of the machine",
        source="NVIDIA/DCGM modules/health, MonitorNVLink4Fields: a recovery within a minute is a failure",
        is_minor=True,
    ),
    CardSign(
        name="persistence-off",
        field="persistence mode",
        value="Disabled",
        cause="The persistence mode of the card is off",
        consequence="The driver starts the card anew whenever the first program opens it, which takes seconds",
        action="Nothing has to be done. On Talos the service ext-nvidia-persistenced keeps the card started",
        source=_SMI,
        is_minor=True,
    ),
)
"""The signs, those that stop programs first.

Source: https://docs.nvidia.com/deploy/nvidia-smi/; https://docs.nvidia.com/deploy/nvml-api/group__nvmlClocksEventReasons.html;
https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/; nvml.h, NVML_GPU_FABRIC_STATE_IN_PROGRESS (2026-11-28)
"""
