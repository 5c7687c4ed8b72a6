"""The changes for NVIDIA GPUs between minor releases of Talos, and the folders in which Talos has the driver."""

from __future__ import annotations

from .minors import Minors

LEGACY_ROOT = "/usr/local/glibc"  # The folder of a node that holds the driver's libraries up to Talos 1.12
# The folder of a node, and of its GPU containers, with libcuda.so.1 and libnvidia-ml.so.1 up to Talos 1.12.
LEGACY_LIBRARIES = "/usr/local/glibc/usr/lib"
"""The driver on the oldest row of generations.py.

Source: siderolabs/extensions nvidia-gpu/nvidia-container-toolkit at v1.12.0 (2026-08-22)
"""

DRIVER_ROOT = "/usr/local"
"""The folder of a node below which newer Talos releases have the driver: lib for the libraries, bin for nvidia-smi.

Source: siderolabs/talos internal/integration/api/testdata/nvidia-gpu-operator.yaml at v1.13.9 (2026-08-22)
"""

OWN_LIBC_LOST = Minors(12, 12)
"""The Talos releases on which an image with its own libc, such as Plex, finds the driver's libraries only by
`LD_LIBRARY_PATH`.

Source: DavidIlie/home-cluster kubernetes/apps/media/plex (2026-08-22)
"""

EXEC_BREAKS = Minors(12, 12)
"""The Talos releases on which an exec into a container with a GPU fails: `ERROR: init 250 result=11`, from container
toolkit 1.18.

Source: siderolabs/extensions#940, siderolabs/talos#12103 (2026-08-22)
"""

MPS_BREAKS = Minors(12, 12)
"""The Talos releases on which the MPS server exits as soon as a pod connects to it.

Source: NVIDIA/k8s-device-plugin#1614 (2026-08-22)
"""

NFS_UTILS_BREAKS = Minors(12, 12)
"""The Talos releases on which rpc-statd of the extension nfs-utils crashes in a loop beside NVIDIA's extensions, and
breaks containerd's database.

Source: siderolabs/talos#12667, siderolabs/extensions#1021 (2026-11-22)
"""

# The kernel setting that hides eBPF programs from nvidia-container-cli, which extends one for each GPU container.
# Talos sets it to 2.
BPF_JIT_HARDEN = "net.core.bpf_jit_harden"
# The Talos releases that need `BPF_JIT_HARDEN` at 1 for GPU containers. Talos 1.12 documents it too, but its container
# toolkit 1.18 loads no eBPF program on the clusters that were seen; from 1.13 on nothing does.
BPF_UNHARDENED = Minors(until=11)
"""The kernel's hardening of eBPF programs.

Source: NVIDIA/libnvidia-container#176, siderolabs/extensions#101, siderolabs/docs public/talos/v1.12 nvidia-gpu.mdx
(2026-08-22)
"""

CUDA_REQUIRED = Minors(until=11)
"""The Talos releases whose container toolkit compares an image's NVIDIA_REQUIRE_CUDA with the driver. The toolkit v1.18
makes CDI specifications instead, which compare nothing.

Source: NVIDIA/nvidia-container-toolkit CHANGELOG.md v1.18.0, cmd/nvidia-container-runtime-hook/container_config.go (2026-11-28)
"""

CAPABILITIES_FILTER = Minors(until=11)
"""The Talos releases whose NVIDIA runtime gives a container only the libraries of its NVIDIA_DRIVER_CAPABILITIES. Newer
ones give every library.

Source: NVIDIA/nvidia-container-toolkit internal/modifier/mode.go, pkg/nvcdi/driver-nvml.go at v1.19.1 (2026-08-22)
"""

# The Talos releases with a document each (KernelModuleConfig, SysctlConfig, KubeNodeConfig, CRICustomizationConfig)
# for fields under `machine`. From these releases on Talos also registers a worker with the taints of its
# configuration, and reads containerd's customization before it writes files.
DOCUMENTS = Minors(since=14)
# The Talos releases whose generated configuration has an UnattendedInstallConfig, beside which Talos refuses
# `machine.install`.
INSTALL_DOCUMENT = Minors(since=14)
"""The documents of the machine configuration.

Source: siderolabs/talos v1.14.0-rc.1 hack/release.toml, pkg/machinery/config/types, 0f55e1f05; pkg/machinery/config at
v1.14.0 (2026-08-22)
"""

BASE_RUNTIME_SPEC = Minors(since=9)  # The Talos releases that write `BASE_RUNTIME_SPEC_PATH`
# The file with the limits of containers from `machine.baseRuntimeSpecOverrides`. Talos names it for runc alone.
BASE_RUNTIME_SPEC_PATH = "/etc/cri/conf.d/base-spec.json"
"""The limits of containers.

Source: siderolabs/talos internal/app/machined/pkg/controllers/files/cri_base_runtime_spec.go (2026-08-22)
"""

CUSTOMIZATION_PATH = "/etc/cri/conf.d/20-customization.part"
"""The one fragment of containerd's configuration that `machine.files` may hold; a second entry keeps the node from
booting.

Source: siderolabs/talos internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_sequencer_tasks.go (2026-08-22)
"""

CONTAINERD_2 = Minors(since=8)  # Talos 1.7 has containerd 1.7, with the plugin io.containerd.grpc.v1.cri
CRI_RUNTIME_PLUGIN = 'plugins."io.containerd.cri.v1.runtime"'
"""The name of containerd 2's plugin that runs containers, in every Talos of `CONTAINERD_2`.

Source: siderolabs/talos hack/cri-plugin.part at v1.8.0 to v1.14.0-rc.1 (2026-08-22)
"""

# The Talos releases whose arm64 kernel is built with BTI, which NVIDIA's modules do not support: they need the kernel
# argument `arm64.nobti`.
BTI_KERNEL = Minors(since=13)
BTI_ARGUMENT = "arm64.nobti"  # The kernel argument without which NVIDIA's modules do not run on `BTI_KERNEL` of a GB10
"""The arm64 kernel with BTI.

Source: siderolabs/talos#13019, siderolabs/talos#13315, siderolabs/docs public/talos/v1.14 nvidia-gpu-proprietary.mdx
(2026-08-22)
"""

# The Talos releases that `talosctl upgrade` drains before the upgrade. Older releases drain the node by themselves.
DRAINED_BY_TALOSCTL = Minors(since=13)
# The Talos releases that `talosctl upgrade` upgrades by an API that passes no `machine.install.extraKernelArgs` to the
# installer, except with `--legacy`.
STREAMED_UPGRADE = Minors(since=13)
"""The work of `talosctl upgrade`.

Source: siderolabs/talos cmd/talosctl/cmd/talos/upgrade.go; siderolabs/docs public/talos/v1.13 upgrading-talos.mdx
(2026-08-22)
"""

ETCD_MINORS = {11: "3.6", 14: "3.7"}
"""The minor releases of Talos that bring a new minor release of etcd. An etcd member does not join a cluster of a newer
minor release.

Source: siderolabs/talos pkg/machinery/constants at v1.8.4 to v1.14.0-rc.1;
https://etcd.io/docs/v3.6/downgrades/downgrading-etcd (2026-11-22)
"""

OMNI_REFUSES = ("upgrade", "upgrade-k8s", "patch", "apply-config", "read")
"""The subcommands of talosctl that Omni refuses: nearly all that need the role os:admin, and sensitive resources such
as machineconfig.

Source: siderolabs/docs public/omni/getting-started/how-to-install-talosctl.mdx; siderolabs/omni#177 (2026-11-20)
"""

GRUB_WITH_UKI_ARGUMENTS = Minors(since=12)
"""The Talos releases whose GRUB can boot with the kernel arguments of the image, by
`machine.install.grubUseUKICmdline`. The field is false in a cluster that is older.

Source: siderolabs/talos ec0a813fa; siderolabs/docs public/talos/v1.13 bootloader.mdx (2026-11-20)
"""

IMAGE_FACTORY = "factory.talos.dev"
"""The host of the public Image Factory.

Source: siderolabs/image-factory docs/api.md (2026-11-22)
"""


# The Talos releases for which the Image Factory builds an image with a chosen boot loader.
BOOTLOADER_CHOICE = Minors(since=12)
EMBEDDED_CONFIG = Minors(since=12)  # The Talos releases that read machine configuration from their image
"""The images of the Image Factory.

Source: siderolabs/image-factory pkg/schematic/schematic.go and its form, which offers it from 1.12 on;
siderolabs/talos pkg/machinery/imager/quirks, SupportsEmbeddedConfig (2026-08-22)
"""

SECRET_FIELDS = (
    "aescbcEncryptionSecret", "apiToken", "auth", "clusterSecret", "identityToken", "passphrase", "password", "presharedKey", "privateKey",
    "secret", "secretboxEncryptionSecret", "token", "uniqueToken",
)  # fmt: skip
"""The fields of the machine configuration whose strings are secrets, in any document. The field `key` is one if it
holds a private key.

Source: siderolabs/talos pkg/machinery/config/types at v1.14.0-rc.1, the methods Redact (2026-11-22)
"""

RUNTIME_CLASS = "nvidia"
"""The name of NVIDIA's RuntimeClass, and of the only NVIDIA handler in Talos.

Source: siderolabs/extensions nvidia-gpu/nvidia-container-toolkit 10-nvidia-container-runtime.part (2026-08-22)
"""

EXEMPT_NAMESPACE = "kube-system"  # The namespace that Talos' default admission configuration exempts from Pod Security
# The labels of a namespace in which Pod Security admits GPU agents. Talos enforces `baseline` in every namespace but
# kube-system, and warns and audits for `restricted`. With `enforce` alone the pods start, but each pod still causes a
# warning.
PRIVILEGED_LABELS = {f"pod-security.kubernetes.io/{mode}": "privileged" for mode in ("enforce", "audit", "warn")}
"""Pod Security, which Talos enforces at `baseline`.

Source: siderolabs/talos pkg/machinery/config/generate/init.go at v1.13.9 (2026-08-22)
"""

CLUSTERS_OWN = {"default", "kube-node-lease", "kube-public", EXEMPT_NAMESPACE}
"""The namespaces of every cluster. A GitOps tool that owned one of them would delete the namespace with the app.

Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/ (2026-08-22)
"""

KERNEL_MODULES = ("nvidia", "nvidia_uvm", "nvidia_drm", "nvidia_modeset")
"""The kernel modules of NVIDIA's driver, which no extension loads by itself.

Source: siderolabs/extensions nvidia-gpu files/nvidia.conf (2026-08-22)
"""

# The kernel module of NVIDIA's older GPUDirect RDMA. It needs the peer memory interface of Mellanox OFED, which Talos'
# kernel does not have.
PEERMEM_MODULE = "nvidia_peermem"
# The Talos releases whose kernel lets network cards reach the memory of a GPU by DMA-BUF (`CONFIG_PCI_P2PDMA`), with
# the open modules.
DMA_BUF = Minors(since=12)
"""GPUDirect RDMA.

Source: siderolabs/talos#12021; siderolabs/pkgs a7d7c1a, kernel/build/config-amd64 at v1.11.0 and v1.12.0 (2026-11-22)
"""

UMAD_MODULE = "ib_umad"
"""The kernel module by which fabric manager reaches the NVSwitches of NVLink 5. No extension loads it.

Source: siderolabs/extensions nvidia-fabricmanager-wrapper/main.go at 26822f5, siderolabs/docs#581 (2026-11-22)
"""

NVLINK5_FABRIC_MANAGER = Minors(since=12)
"""The Talos releases whose fabric manager starts the NVLink subnet manager (NVLSM), which NVLink 5 needs.

Source: siderolabs/extensions#717, nvidia-gpu/nvidia-fabricmanager at v1.11.6 and v1.12.0 (2026-11-22)
"""

UNCONFIGURED_FABRIC_MANAGER = Minors(until=8)
"""The Talos releases whose fabric manager of the track `production` stops:
`FABRIC_NODE_CONFIG_FILE has an invalid value`.

Source: siderolabs/extensions#511, nvidia-gpu/nvidia-fabricmanager at v1.8.4 and v1.9.0 (2026-11-22)
"""

NO_FABRIC_MANAGER = {"1.13.0-rc.0": "1.13.1", "1.13.0": "1.13.1", "1.14.0-alpha.0": "1.14.0-alpha.1"}
"""The releases of Talos whose fabric manager does not start (`libz.so.1: cannot open shared object file`), each with
the release that fixed it.

Source: siderolabs/extensions#1073, nvidia-gpu/nvidia-fabricmanager at these tags (2026-11-22)
"""

# The Talos releases with `GDRCOPY_MODULE`, in the open kernel modules only, and with the extension that creates its
# device.
GDRCOPY = Minors(since=12)
GDRCOPY_MODULE = "gdrdrv"  # The kernel module of GDRCopy
"""GDRCopy.

Source: siderolabs/pkgs nvidia-open-gpu-kernel-modules, siderolabs/extensions nvidia-gpu/nvidia-gdrdrv-device
(2026-08-22)
"""

POWER_OFF_GRACE = 20
"""The seconds that the pods of users get when a node of Talos is shut down without a drain: 30 seconds, without 10 for
critical pods.

Source: siderolabs/talos pkg/machinery/constants/constants.go at v1.13.9 (2026-11-21)
"""
