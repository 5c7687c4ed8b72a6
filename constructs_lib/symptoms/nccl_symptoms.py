"""Symptoms of NCCL, by which programs with several GPUs talk: its own words, and those of the frameworks around it."""

from __future__ import annotations

from ..arguments.commands import command
from .link import Link, Symptom

_LOG = command("kubectl logs POD   # with NCCL_DEBUG=INFO in the container")
_TOPOLOGY = command("kubectl exec POD -- nvidia-smi topo -m")
_POD = command("kubectl get pod POD -o yaml")
_KERNEL_LOG = command("talosctl --nodes ADDRESS dmesg | grep -i -e xid -e nvrm")

# fmt: off
NCCL_SYMPTOMS = (
    Symptom("nccl-peer-lost", Link.SEEN, "A process of a distributed program lost another one", rank=4,
        # NVIDIA/nccl src/misc/socket.cc, src/proxy.cc; pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp
        likely=(
            "NCCL WARN socketProgress: Connection closed by remote peer",
            "NCCL WARN … Connection closed by remote peer",
            "NCCL WARN … Call to … failed : Connection reset by peer",
            "NCCL WARN … Call to … failed : Broken pipe",
            "remote process exited or there was a network error",
            "ncclRemoteError"),
        possible=("Watchdog caught collective operation timeout", "caught collective operation timeout: WorkNCCL"),
        cause="Another process of the group ended first or never came: out of memory, a card error, an evicted pod. The line comes from a "
        "survivor, and the log of the ended process has the reason",
        remedy="Read the logs of all pods in the group, first of the one that ended first, and the kernel log of its node",
        commands=(_LOG, command("kubectl get pods --all-namespaces -o wide"), _KERNEL_LOG),
        source="NVIDIA/nccl#1232; NVIDIA/nccl#952"),
    Symptom("nccl-no-connection", Link.SEEN, "NCCL can't connect the processes of a program", rank=2,
        # NVIDIA/nccl src/misc/socket.cc of 2.10 to 2.26, later src/os/linux.cc; src/bootstrap.cc
        phrases=(
            "NCCL WARN socketStartConnect: Connect to … failed",
            "NCCL WARN … Connect to … failed :",
            "NCCL WARN socketStartConnect: exceeded",
            "NCCL WARN socketPollConnect: exceeded",
            "NCCL WARN socketPollConnect: Connect to … returned",
            "NCCL WARN … connect to … returned … exceeded error retry count",
            "NCCL WARN … connect returned … exceeded error retry count",
            "NCCL WARN Net : No interface found in the same subnet as remote address",
            "NCCL WARN NET/Socket : no interface found",
            "NCCL WARN Call to connect failed",
            "NCCL WARN Bootstrap : no socket interface found"),
        likely=("NCCL WARN … Call to … failed : Connection timed out", "NCCL WARN … Call to … failed : No route to host"),
        possible=("NCCL WARN NET/Socket : socket progress error",),
        cause="The text after the last colon has the reason. No route or refused: the other process's address or port is not reachable. "
        "Timed out during the work: the network or a firewall between the nodes dropped the connection. NCCL chose an interface "
        "that the other pod can't reach (an InfiniBand or link-local address, docker0, a second network), or a NetworkPolicy "
        "forbids the traffic: NCCL uses any port",
        remedy="Set NCCL_SOCKET_IFNAME=eth0, the interface of the pod network, and allow all ports between the pods of the group. "
        "After a time-out in the middle of the work: the network between the two nodes (CNI, connection tracking, a firewall)",
        commands=(_LOG, command("kubectl get networkpolicies --all-namespaces")),
        source="NVIDIA/nccl#975; NVIDIA/nccl#706; NVIDIA/nccl#1105; NVIDIA/nccl-tests#166"),
    Symptom("nccl-infiniband", Link.SEEN, "NCCL's traffic by InfiniBand or RoCE fails", rank=1,
        # NVIDIA/nccl src/transport/net_ib.cc, src/misc/ibvwrap.cc
        phrases=(
            "NCCL WARN NET/IB : Got completion from peer",
            "NCCL WARN NET/IB : Got completion with error",
            "NCCL WARN NET/IB : Got async event",
            "WARN NET/IB: read failed in ncclIbRoceGetVersionNum",
            "NCCL WARN Call to ibv_modify_qp failed",
            "NCCL WARN Call to ibv_reg_mr failed",
            "NCCL WARN Call to ibv_create_cq failed",
            "NCCL WARN Call to ibv_create_qp failed"),
        cause="The cards of the network don't reach each other (error 12: no answer; RoCE without a matching GID, VLAN or priority flow "
        "control), or the container may not lock memory (ibv_reg_mr, ibv_create_cq: Cannot allocate memory). The GPUs are well",
        remedy="Add the capability IPC_LOCK to the container; set NCCL_IB_HCA and NCCL_IB_GID_INDEX to the ports of the training "
        "network. As a test: NCCL_IB_DISABLE=1",
        commands=(_LOG, _POD), source="NVIDIA/nccl#1170; pytorch/pytorch#81628"),
    Symptom("nccl-peer-access", Link.SEEN, "The cards of one node can't reach each other's memory (peer access)", rank=2,
        # NVIDIA/nccl src/transport/p2p.cc
        phrases=(
            "peer access is not supported between these two devices",
            "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED",
            "NCCL WARN Cuda failure 'peer access"),
        cause="The cards can't read each other's memory: GeForce cards without NVLink, cards behind different processors, a virtual "
        "machine, or an IOMMU in between. Where the hardware claims to support it, programs hang without a line",
        remedy="Set NCCL_P2P_DISABLE=1, which costs speed. In a virtual machine or with an IOMMU: iommu=pt, and ACS off in the firmware",
        commands=(_TOPOLOGY, command("talosctl --nodes ADDRESS read /proc/cmdline")),
        source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"),
    Symptom("nccl-duplicate-gpu", Link.SEEN, "Two processes of a program use one GPU", rank=1,
        # NVIDIA/nccl src/init.cc
        phrases=("Duplicate GPU detected : rank",),
        cause="Each process of the group needs its own card, and two have the same one: the pod has fewer GPUs than processes, shares of "
        "one card (time-slicing gives two shares of one card), or no choice by the local rank",
        remedy="Ask for as many whole GPUs as processes, and let the program choose by LOCAL_RANK. Time-sliced GPUs don't serve NCCL",
        commands=(_POD, command("kubectl exec POD -- nvidia-smi -L")),
        source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html", rules=("TG115",)),
    Symptom("nccl-error", Link.SEEN, "A distributed program ends with an error of NCCL", rank=5,
        # NVIDIA/nccl src/init.cc, ncclGetErrorString
        possible=(
            "NCCL error … unhandled cuda error",
            "NCCL error … unhandled system error",
            "NCCL error … internal error",
            "NCCL error … invalid usage",
            "NCCL failure … unhandled",
            "ncclUnhandledCudaError",
            "ncclSystemError: System call",
            "ncclInternalError: Internal check failed",
            "ncclInvalidUsage"),
        cause="The line only names the kind of error. unhandled cuda error: CUDA or a card; unhandled system error: network or memory; "
        "invalid usage: the program. NCCL's own WARN lines have the reason",
        remedy="Set NCCL_DEBUG=INFO in the container, and give its lines with NCCL WARN to talos-gpu why",
        commands=(_LOG, _TOPOLOGY, _KERNEL_LOG),
        source="NVIDIA/nccl#207; NVIDIA/nccl-tests#166; https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting.html"),
    Symptom("nccl-cuda-failure", Link.SEEN, "A call of CUDA fails in NCCL", rank=3,
        # NVIDIA/nccl src/include/checks.h
        possible=("NCCL WARN Cuda failure",),
        cause="The words in quotes are CUDA's own: out of memory, an error of the card, a fabric that is not ready. They tell the "
        "reason, and NCCL only called",
        remedy="Give the words in quotes to talos-gpu why",
        commands=(_LOG, _KERNEL_LOG), source="NVIDIA/nccl src/include/checks.h"),
)
