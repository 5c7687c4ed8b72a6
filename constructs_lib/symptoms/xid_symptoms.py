"""Symptoms of errors that NVIDIA's driver numbers (XIDs), in the log of the kernel and of the device plugin."""

from __future__ import annotations

from ..arguments.commands import command
from ..upstream.nvidia.xid_errors import APPLICATION_XIDS, CONTAINED_XID, PLUGIN_IGNORED_XIDS, RESET_XIDS, UNCORRECTABLE_XID
from .link import GAP, Link, Symptom
from .remedies import REBOOT

_CATALOGUE = "https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html"
_OFF_THE_BUS = 79
_NVLINK_XIDS = range(144, 151)  # of NVLink 5, by NVIDIA's catalogue
_KERNEL_LOG = command("talosctl --nodes ADDRESS dmesg | grep -i -e xid -e nvrm")

_STILL_OFFERED = " or ".join(map(str, sorted({*PLUGIN_IGNORED_XIDS} & {*RESET_XIDS})))
_IGNORED = ", ".join(map(str, PLUGIN_IGNORED_XIDS))


def _lines(*numbers: int) -> tuple[str, ...]:
    """Numbers as the driver prints them."""
    return tuple(f"Xid (PCI:0000:01:00): {number}" for number in numbers)


def _written(*numbers: int) -> tuple[str, ...]:
    """Numbers as people and other programs write them (Xid=79): also in a report that there was none."""
    return tuple(f"Xid {number}" for number in numbers)


_PREEMPTIVE = 45
"""The number by which the driver ends the work of a program after another error, or because the program ended.

Source: https://docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html (2026-11-28)
"""


_OF_PROGRAMS = tuple(number for number in APPLICATION_XIDS if number != _PREEMPTIVE)
_RESET = tuple(number for number in RESET_XIDS if number != _OFF_THE_BUS)


# fmt: off
XID_SYMPTOMS = (
    Symptom("fallen-off-the-bus", Link.DRIVER, "The card has fallen off the PCI bus", rank=1, is_hardware=True,
        phrases=("NVRM … fallen off the bus", "GPU … has fallen off the bus", "GPU is lost", "ERROR_GPU_IS_LOST", *_lines(_OFF_THE_BUS)), likely=("fallen off the bus",), possible=_written(_OFF_THE_BUS),
        cause="The machine no longer reaches the card: too little power, too much heat, a bad slot or riser, or an "
        "old firmware of the machine. The pods on the card get errors until the machine restarts. No manifest shows "
        "this fault",
        remedy=f"{REBOOT}. If the card stays away, switch the power off and on. If the line comes back: look at "
        "power cables, temperature, slot and the firmware of the machine",
        commands=(_KERNEL_LOG,),
        source=f"{_CATALOGUE}; NVIDIA/open-gpu-kernel-modules#507", alerts=("GpuXidFatal", "GpuDisappeared")),
    Symptom("xid-reset", Link.DRIVER, "The GPU reports an error that only a reset clears", rank=2, is_hardware=True,
        phrases=("Timeout waiting for RPC from GSP", *_lines(*_RESET)), possible=_written(*_RESET),
        cause="For the XID after the card's address, NVIDIA's catalogue asks to reset the GPU or to reboot the machine. "
        f"The device plugin goes on offering the GPU after XID {_STILL_OFFERED}",
        remedy=f"{REBOOT}: Talos has no shell in which one could reset a GPU. If the error comes back, have the card replaced",
        commands=(_KERNEL_LOG,),
        source=_CATALOGUE, alerts=("GpuXidFatal", "GpuRecoveryActionRequired")),
    Symptom("xid-uncorrectable", Link.DRIVER, "ECC could not correct an error of the GPU's memory",
        rank=1, is_hardware=True,
        phrases=_lines(UNCORRECTABLE_XID), possible=_written(UNCORRECTABLE_XID),
        cause=f"XID {UNCORRECTABLE_XID} is every memory error beyond ECC's correction. Where XID {CONTAINED_XID} "
        "follows, the GPU contained the error",
        remedy=f"With XID {CONTAINED_XID}: restart the pod that was killed. Without: {REBOOT[0].lower()}{REBOOT[1:]}",
        commands=(_KERNEL_LOG,),
        source=_CATALOGUE, alerts=("GpuXidUncorrectable", "GpuUncorrectableEcc")),
    Symptom("card-needs-recovery", Link.DRIVER, "The driver asks for a reset of a card, or for a reboot of its machine",
        rank=2, is_hardware=True,
        phrases=tuple(f"GPU recovery action changed from {GAP} to 0x{action}" for action in (1, 2, 3)),
        cause="XID 154 names the recovery action of a card: 0x1 reset, 0x2 reboot, 0x3 end all peer-to-peer traffic. "
        "The XID before this line has the reason. A later line with 0x0 (None) takes the action back, and with 0x4 "
        "(Drain and Reset) the card works on with less memory",
        remedy=f"{REBOOT}: Talos has no shell in which one could reset a GPU. If the line comes back, have the card replaced",
        commands=(_KERNEL_LOG, command("kubectl exec POD -- nvidia-smi -q")),
        source=f"{_CATALOGUE}; https://docs.nvidia.com/deploy/a100-gpu-mem-error-mgmt/error-recovery-and-response-flags.html",
        alerts=("GpuRecoveryActionRequired",)),
    Symptom("xid-contained", None, "The GPU contained an error of its memory: one application was killed",
        phrases=_lines(CONTAINED_XID), possible=_written(CONTAINED_XID),
        cause="The memory failed, the GPU ended the application that used the memory, and no other application is touched",
        remedy="Restart the pod that was killed. Reboot the node when it suits the workloads",
        commands=(_KERNEL_LOG,),
        source=_CATALOGUE, alerts=("GpuXidContained", "GpuMemoryRepairPending")),
    Symptom("xid-application", None, "A program made an error on the GPU",
        phrases=_lines(*_OF_PROGRAMS), possible=_written(*_OF_PROGRAMS),
        cause="The program computes outside its memory, or ended in the middle of its work. The card is well",
        remedy="Look at the log of the pod: the line names the process. Nothing is to be done to the node",
        commands=(_KERNEL_LOG,),
        source=_CATALOGUE, alerts=("GpuXidApplication",)),
    Symptom("xid-preemptive", None, "The driver took the work of a program off the GPU (XID 45)",
        phrases=_lines(_PREEMPTIVE), possible=_written(_PREEMPTIVE),
        cause="The program ended or was killed in the middle of its work, or the card had another error before, whose XID then stands above. "
        "The line alone does not tell which; it names the program",
        remedy="Look for another XID before this line, and follow that one. Without one: why the program ended, in the log of its pod",
        commands=(_KERNEL_LOG,),
        source=f"{_CATALOGUE}; leptonai/gpud#117", alerts=("GpuXidApplication",)),
    Symptom("xid-before", Link.DRIVER, "A program was ended, because its card had an error before (XID)", rank=3, is_hardware=True,
        # NVIDIA/open-gpu-kernel-modules src/nvidia/src/kernel/gpu/rc/kernel_rc.c
        phrases=tuple(f"caused by previous Xid {number}" for number in (*RESET_XIDS, UNCORRECTABLE_XID, *_NVLINK_XIDS)),
        cause="XID 45 is not the program's fault here: the driver took its work off the card after another XID. The line ends with "
        f"the number of that XID. {_NVLINK_XIDS[0]} to {_NVLINK_XIDS[-1]} are of NVLink (a link, a switch or the fabric), and meet all cards of one program",
        remedy=f"Look for the first line of that XID in the log, and follow NVIDIA's catalogue. {REBOOT} where it asks for a reset; if the "
        "error comes back, have the card or its NVLink checked",
        commands=(_KERNEL_LOG,),
        source=f"{_CATALOGUE}; NVIDIA/open-gpu-kernel-modules#1150", alerts=("GpuXidFatal",)),
    Symptom("xid-nvlink", None, "The driver reports an event of NVLink 5 (XID 144 to 150)",
        phrases=_lines(*_NVLINK_XIDS),
        cause="The line says Fatal or Nonfatal, and names the link. Nonfatal events are repaired and alone need nothing; a fatal one ends the "
        "programs of the cards that the link connects, which then report XID 45",
        remedy="Nonfatal: watch whether they become more. Fatal: look at the fabric manager's log, and up in NVIDIA's catalogue what its number and "
        "its error status ask for: a reset, or a check of the peer, the switch or the cable",
        commands=(_KERNEL_LOG, command("kubectl exec POD -- nvidia-smi nvlink -e")),
        source=f"{_CATALOGUE}; leptonai/gpud#1174", alerts=("GpuXidFatal",)),
    Symptom("xid-other", None, "The driver reports an error of the GPU by its number (XID)", is_general=True,
        phrases=("NVRM: Xid",),
        cause="The number after the card's address is the XID. NVIDIA's catalogue has its meaning, and the action to take",
        remedy="Look the number up in the catalogue",
        commands=(_KERNEL_LOG,),
        source=_CATALOGUE),
    Symptom("device-unhealthy", Link.ALLOCATABLE, "The device plugin declared a GPU unhealthy", is_hardware=True,
        # NVIDIA/k8s-device-plugin@v0.17.0 to v0.20.0:internal/rm/health.go; before 0.8 "the device will go unhealthy"
        phrases=(
            "XidCriticalError: Xid", "nvidia.com/ … device marked unhealthy", "Error waiting for event … Marking all devices as unhealthy", "Xid … marking it as unhealthy", "Xid … the device will go unhealthy"),
        likely=(
            "the device will go unhealthy", "device marked unhealthy", "marking it as unhealthy",
            "Marking all devices as unhealthy", "Marking device … as unhealthy", "Could not determine device placement for … Marking it unhealthy"),
        cause=f"The driver reported an XID, or the plugin no longer reaches the card. XIDs {_IGNORED} do not count (109: "
        "from v0.17.1 on). The plugin takes the GPU out of Allocatable, and never puts it back by itself. If a GPU is "
        "shared or partitioned, an XID removes at most one share or partition of each resource, and maybe not the failed one. The others stay, and new "
        "pods get the broken GPU",
        remedy="Look the XID up (talosctl dmesg). Then drain the node and reboot it. If the card was right again "
        "before that, delete the plugin's pod on the node",
        commands=(_KERNEL_LOG, command("kubectl describe node NODE")),
        source="NVIDIA/k8s-device-plugin#189; NVIDIA/k8s-device-plugin internal/rm/health.go",
        alerts=("GpuDeviceUnhealthy",)),
)
