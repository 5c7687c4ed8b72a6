"""The programs whose messages are in the tables of constructs_lib/upstream/messages: where their sources are, and which parts speak of a GPU."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from constructs_lib.upstream.version import Version


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program, or several that are built from one repository."""

    name: str
    """The name of the table."""
    title: str
    speakers: tuple[str, ...]
    """Words of the names of its pods, services and logs."""
    repository: str
    since: str
    """The first minor that is read."""
    folders: tuple[str, ...]
    tag: str = r"v(\d+\.\d+\.\d+)"
    restarts: bool = False
    """Whether the releases of 0 came after those of years."""
    by_major: bool = False
    """Whether the first number alone is a branch, as of a driver."""
    endings: tuple[str, ...] = (".go",)
    """The endings of its sources."""

    def minors(self, tags: Iterable[str]) -> dict[str, str]:
        """The tags of the minors to read, the oldest first; of each the newest release, or its newest pre-release where it has none."""
        found = ((version, tag) for tag in tags if (named := re.fullmatch(self.tag, tag)) and (version := Version.parse(named[1])))
        newest: dict[str, tuple[Version, str]] = {}
        for version, tag in sorted(found, key=lambda each: (self._age(each[0]), not each[0].pre_release, each[0])):
            newest[f"{version.major}" if self.by_major else version.without_patch] = version, tag
        since = Version.parse(self.since)
        return {minor: tag for minor, (version, tag) in newest.items() if since and self._age(version) >= self._age(since)}

    def _age(self, version: Version) -> tuple[bool, int, int]:
        return self.restarts and version.major == 0, version.major, version.minor


_MACHINED = "internal/app/machined/pkg"


def _below(folder: str, *names: str) -> tuple[str, ...]:
    """Files and folders of a folder."""
    return tuple(f"{folder}/{name}" for part in names for name in part.split())


PROGRAMS = (
    Program(
        name="nvidia-device-plugin",
        title="NVIDIA's device plugin or GPU feature discovery",
        speakers=("nvidia-device-plugin", "gpu-feature-discovery", "mps-control-daemon"),
        repository="NVIDIA/k8s-device-plugin",
        since="0.15",
        folders=("cmd", "internal", "api/config"),
    ),
    Program(
        name="nvidia-container-toolkit",
        title="NVIDIA's container toolkit",
        speakers=("container-toolkit", "nvidia-container-runtime", "nvidia-ctk", "nvidia-cdi-hook", "nvidia-cdi-gen"),
        repository="NVIDIA/nvidia-container-toolkit",
        since="1.16",
        folders=("cmd", "internal", "pkg"),
    ),
    Program(
        name="libnvidia-container",
        title="NVIDIA's container library (nvidia-container-cli)",
        speakers=("nvidia-container-cli", "libnvidia-container"),
        repository="NVIDIA/libnvidia-container",
        since="1.14",
        folders=("src",),
        endings=(".c", ".go"),
    ),
    Program(
        name="nvidia-kernel-modules",
        title="NVIDIA's kernel modules",
        speakers=("nvrm", "nvidia-nvlink", "nvidia-uvm"),
        repository="NVIDIA/open-gpu-kernel-modules",
        since="535.0",
        folders=(
            *_below(
                "kernel-open/nvidia",
                "linux_nvswitch.c nv-caps-imex.c nv-caps.c nv-dma.c nv-mmap.c nv-msi.c nv-p2p.c nv-pci.c nv-procfs.c nv-report-err.c nv-vm.c nv.c",
                "nvlink_linux.c os-interface.c os-mlock.c os-pci.c os-registry.c os-usermap.c",
            ),
            "src/nvidia/arch/nvalloc",
            *_below("src/nvidia/src/kernel", "diagnostics gpu/fsp gpu/gpu.c gpu/gsp gpu/rc"),
        ),
        tag=r"((?:535|550|570|580|595|615)\.\d+(?:\.\d+)?)",  # the branches of Talos' extensions
        by_major=True,
        endings=(".c",),
    ),
    Program(
        name="nvidia-dra-driver",
        title="NVIDIA's DRA driver",
        speakers=("dra-driver", "gpu-kubelet-plugin", "compute-domain"),
        repository="kubernetes-sigs/dra-driver-nvidia-gpu",
        since="25.3",
        folders=("cmd", "internal", "pkg/flags", "pkg/flock", "pkg/workqueue", "pkg/featuregates", "api"),
        restarts=True,
    ),
    Program(
        name="mig-parted",
        title="NVIDIA's MIG manager",
        speakers=("mig-manager", "mig-parted"),
        repository="NVIDIA/mig-parted",
        since="0.10",
        folders=("cmd", "internal", "pkg", "api"),
    ),
    Program(
        name="dcgm-exporter",
        title="dcgm-exporter",
        speakers=("dcgm-exporter",),
        repository="NVIDIA/dcgm-exporter",
        since="4.0",
        folders=("cmd", "internal", "pkg"),
        tag=r"(?:\d+\.\d+\.\d+-)?(\d+\.\d+\.\d+)",
    ),
    Program(
        name="gpu-operator",
        title="NVIDIA's GPU operator or its validator",
        speakers=("gpu-operator", "operator-validator"),
        repository="NVIDIA/gpu-operator",
        since="24.6",
        folders=("cmd/gpu-operator", "cmd/nvidia-validator", "validator", "controllers", "internal"),
    ),
    Program(
        name="node-feature-discovery",
        title="node feature discovery",
        speakers=("node-feature-discovery", "nfd-"),
        repository="kubernetes-sigs/node-feature-discovery",
        since="0.16",
        folders=("cmd/nfd-gc", "cmd/nfd-master", "cmd/nfd-worker", "pkg/apis", "pkg/nfd-gc", "pkg/nfd-master", "pkg/nfd-worker", "source"),
    ),
    Program(
        name="kueue",
        title="Kueue",
        speakers=("kueue",),
        repository="kubernetes-sigs/kueue",
        since="0.13",
        folders=(
            "cmd/kueue",
            *_below("pkg", "cache controller/core controller/jobframework dra queue resources scheduler webhooks workload config"),
        ),
    ),
    Program(
        name="kubelet",
        title="the kubelet",
        speakers=("kubelet",),
        repository="kubernetes/kubernetes",
        since="1.32",
        folders=_below(
            "pkg/kubelet",
            "cm/devicemanager cm/dra cm/topologymanager cm/resourceupdates cm/admission images kuberuntime lifecycle pluginmanager runtimeclass",
            "kubelet.go kubelet_node_status.go kubelet_pods.go preemption",
        ),
    ),
    Program(
        name="kubernetes-control-plane",
        title="the scheduler or a controller of Kubernetes",
        speakers=("scheduler", "controller-manager"),
        repository="kubernetes/kubernetes",
        since="1.32",
        folders=(
            *_below("pkg/scheduler", "schedule_one.go framework/types.go framework/preemption"),
            *_below(
                "pkg/scheduler/framework/plugins",
                "defaultpreemption dynamicresources gangscheduling nodeaffinity nodename nodeports noderesources nodeunschedulable",
                "podtopologyspread schedulinggates tainttoleration",
            ),
            *_below("pkg/controller", "resourceclaim devicetainteviction tainteviction"),
            *_below("plugin/pkg/admission", "runtimeclass resourcequota extendedresourcetoleration"),
        ),
    ),
    Program(
        name="containerd",
        title="containerd",
        speakers=("containerd",),
        repository="containerd/containerd",
        since="2.0",
        folders=(
            *_below("internal/cri", "config opts server"),
            *("core/runtime/v2", "cmd/containerd-shim-runc-v2", "core/remotes/docker", "client/pull.go", "pkg/cdi"),
        ),
    ),
    Program(
        name="container-device-interface",
        title="the CDI library (in containerd, the toolkit, the DRA driver)",
        speakers=(),
        repository="cncf-tags/container-device-interface",
        since="0.6",
        folders=("pkg/cdi", "pkg/parser", "internal/validation", "schema"),
    ),
    Program(
        name="runc",
        title="runc",
        speakers=("runc",),
        repository="opencontainers/runc",
        since="1.2",
        folders=(
            *("create.go", "run.go", "start.go", "delete.go", "init.go", "utils_linux.go"),
            *_below(
                "libcontainer",
                "configs container_linux.go devices error.go factory_linux.go init_linux.go mount_linux.go process_linux.go rootfs_linux.go",
                "standard_init_linux.go utils",
            ),
        ),
    ),
    Program(
        name="talos",
        title="Talos",
        speakers=("[talos]", "machined"),
        repository="siderolabs/talos",
        since="1.10",
        folders=(
            *_below(
                _MACHINED,
                "system controllers/runtime controllers/cri runtime/v1alpha1/v1alpha1_sequencer_tasks.go",
                "runtime/v1alpha1/v1alpha1_controller.go",
            ),
            *(
                "cmd/installer",
                "pkg/imager/extensions",
                "pkg/imager/imager.go",
                "pkg/machinery/extensions",
                "pkg/machinery/config/types/runtime",
            ),
            *_below("internal/pkg", "extensions install"),
        ),
        tag=r"v(\d+\.\d+\.\d+(?:-(?:beta|rc)\.\d+)?)",
    ),
    Program(
        name="talos-extensions",
        title="Sidero's NVIDIA extensions",
        speakers=("ext-nvidia", "nvidia-persistenced-wrapper", "nvidia-fabricmanager-wrapper"),
        repository="siderolabs/extensions",
        since="1.10",
        folders=("nvidia-gpu",),
        tag=r"v(\d+\.\d+\.\d+(?:-(?:beta|rc)\.\d+)?)",
    ),
    Program(
        name="image-factory",
        title="Talos' image factory",
        speakers=("image-factory",),
        repository="siderolabs/image-factory",
        since="1.0",
        folders=(
            "internal/artifacts",
            "internal/frontend/http/registry.go",
            "internal/profile",
            "internal/schematic",
            "internal/asset",
            "pkg/schematic",
        ),
    ),
)
"""Every program with a table.

libnvidia-container's repository is too large for most mirrors, so its table was read from a fork with the commits that the releases of
the container toolkit name in third_party; the newest of them is that of 1.17.0 (2026-11-28).
"""
