"""A node as Talos builds it: its files, its containerd, and its kubelet."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from constructs_lib.upstream.talos.extension_names import LABEL_PREFIX, TOOLKIT
from constructs_lib.upstream.talos.releases import TALOS

from . import control_plane, kernel, mock_card, registry
from .build import program
from .cards import Card, Driver
from .layout import HANDLER, Layout, link, merged_parts, write, write_host_programs, write_toolkit
from .machine_config import MachineConfig
from .namespaces import NamespaceError, Supervised

CONTAINERD = "/run/containerd/containerd.sock"
PAUSE = "registry.k8s.io/pause:3.10.1"
WRITABLE = ("etc/cni", "etc/kubernetes", "opt")
"""The folders beside /var, /run and /tmp that are writable on Talos (siderolabs/talos v1.13.9
internal/app/machined/pkg/runtime/constants: overlays)."""
_CDI_GENERATOR = "nvidia-cdi-gen"
"""The extension service that runs to its end."""
REGISTRIES = "etc/cri/conf.d/hosts"
"""The folder of the registries' mirrors (siderolabs/talos v1.13.9 internal/pkg/containers/cri/containerd/config.go)."""
LDCONFIG = "/sbin/ldconfig"
DRIVERS = {False: "595.91.07", True: "570.211.01"}
"""The driver of the production track: of Talos 1.13.9 and of 1.12.11 (siderolabs/extensions nvidia-gpu/vars.yaml)."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class NodeSpec:
    """A node to start."""

    name: str
    talos: str = "1.13.9"
    cards: tuple[Card, ...] = ()
    machine_config: tuple[Mapping[str, Any], ...] = ()
    """The documents and patches of the node's machine configuration, the later ones over the earlier ones."""
    has_toolkit: bool = True
    """Whether the image has the extension nvidia-container-toolkit; from Talos 1.15 on it brings no toolkit."""
    track: str = "production"
    """The track of the extension."""

    @property
    def labels(self) -> Mapping[str, str]:
        """The labels with which the node registers: Talos' own for the extension, and those of its configuration."""
        minor = ".".join(self.talos.split(".")[:2])
        toolkit = TALOS.get(minor, TALOS[max(TALOS, key=_numbers)]).toolkit
        extension = {f"{LABEL_PREFIX}{TOOLKIT}-{self.track}": toolkit} if self.has_toolkit else {}
        return {**extension, **MachineConfig.of(self.machine_config).labels}


class Node:
    """A node of a cluster: its folder is written when it is made, and it runs between `boot` and `end`."""

    def __init__(self, spec: NodeSpec, number: int, folder: Path, cgroup: str) -> None:
        self.spec = spec
        self.layout = Layout.of(spec.talos)
        self.config = MachineConfig.of(spec.machine_config)
        self.address = f"10.5.0.{number}"
        self.folder = folder
        self.root = folder / "root"
        """The files of the node's root, which is read-only for the node itself."""
        self._number = number
        self._cgroup = f"{cgroup}/{spec.name}"
        self._namespaces: Supervised | None = None
        self._write()

    @property
    def driver(self) -> str:
        """The version of the node's driver."""
        return DRIVERS[self.layout.is_legacy]

    def set_cards(self, cards: Sequence[Card], **driver: Any) -> None:
        """Describe other cards, or the same ones with faults or events; `driver` has fields of `Driver`. The library
        reads them anew, and the kernel shows them.
        """
        kernel.write(self.folder, cards, Driver(version=self.driver, **driver), self.spec.name)
        if self._namespaces:
            for path, (major, minor) in kernel.devices(cards).items():
                self.enter(["/usr/bin/mkdir", "-p", str(Path("/dev", path).parent)])
                self.enter(["/usr/bin/mknod", "-m", "666", f"/dev/{path}", "c", str(major), str(minor)], check=False)

    def boot(self, network: Supervised) -> None:
        """Start the node's first process and containerd."""
        names = ("mount", "pid", "uts", "ipc")
        command = [*network.enter("net"), "unshare", "--fork", "--kill-child", *(f"--{each}" for each in names), "--"]
        self._namespaces = Supervised(command, "inside", [str(self.folder)], self.folder / "log/init.log")
        for name in ("containerd", *([_CDI_GENERATOR] if self._generates_cdi else [])):
            self.start(name)

    def start(self, name: str) -> None:
        """Start kubelet, containerd, or the extension service nvidia-cdi-gen."""
        self._running.start(name, self._programs()[name], f"/var/log/{name}.log", self._environment)

    def stop(self, name: str) -> None:
        """Stop kubelet or containerd; containers go on."""
        self._running.stop(name)

    def ended(self) -> Mapping[str, int]:
        """The exit status of each program that should run and has ended by itself."""
        found = self._namespaces.ended() if self._namespaces else {}
        return {name: status for name, status in found.items() if name != _CDI_GENERATOR}

    def log(self, name: str) -> str:
        """What a program of the node has printed."""
        return (self.folder / f"var/log/{name}.log").read_text(errors="replace")

    def enter(self, argv: Sequence[str], *, check: bool = True) -> str:
        """The output of a program in the node's namespaces."""
        environment = [f"{key}={value}" for key, value in self._environment.items()]
        command = [*self._running.enter("mount", "net", "pid", "uts", "ipc"), "/usr/bin/env", *environment, *argv]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if check and ran.returncode:
            raise NamespaceError(
                f"{' '.join(argv)} on {self.spec.name} ended with {ran.returncode}: {ran.stderr.strip() or ran.stdout.strip()}"
            )
        return ran.stdout

    @property
    def view(self) -> Path:
        """The node's files as its own processes see them, with /run, /dev and /proc."""
        return Path(f"/proc/{self._running.pid}/root")

    def import_images(self, archive: Path) -> None:
        """Give containerd the images of an archive."""
        (self.folder / "var/images.tar").write_bytes(archive.read_bytes())
        ctr = ["/system/containerd/ctr", "--address", CONTAINERD, "--namespace", "k8s.io"]
        self.enter([*ctr, "images", "import", "--all-platforms", "/var/images.tar"])
        (self.folder / "var/images.tar").unlink()

    def end(self) -> None:
        """End the node with all its processes."""
        if self._namespaces:
            self._namespaces.end()
            self._namespaces = None

    @property
    def is_ready_for_images(self) -> bool:
        """Whether containerd answers."""
        return (self.view / CONTAINERD.lstrip("/")).exists()

    @property
    def _running(self) -> Supervised:
        if not self._namespaces:
            raise NamespaceError(f"{self.spec.name} does not run")
        return self._namespaces

    @property
    def _environment(self) -> dict[str, str]:
        """What the node's programs inherit. Up to Talos 1.12 the loader of NVIDIA's programs looks into a folder of its
        own, and that of this machine has to be told.
        """
        libraries = {"LD_LIBRARY_PATH": f"/{self.layout.libraries}"} if self.layout.is_legacy else {}
        return {"PATH": "/system/containerd:/system/oci-runtime:/usr/bin:/usr/sbin:/bin:/sbin"} | libraries

    @property
    def _has_toolkit(self) -> bool:
        return self.spec.has_toolkit and self.layout.brings_toolkit

    @property
    def _generates_cdi(self) -> bool:
        return bool(self.spec.cards) and self._has_toolkit and not self.layout.is_legacy

    def _programs(self) -> dict[str, list[str]]:
        return {
            "containerd": ["/system/containerd/containerd", "--config", "/etc/cri/containerd.toml"],
            _CDI_GENERATOR: ["/usr/local/bin/nvidia-ctk", "cdi", "generate", "--output", "/run/cdi/nvidia.yaml"],
            "kubelet": [
                "/system/kubernetes/kubelet",
                "--config=/etc/kubernetes/kubelet.yaml",
                "--kubeconfig=/etc/kubernetes/kubeconfig-kubelet",
                f"--hostname-override={self.spec.name}",
                f"--node-ip={self.address}",
                f"--node-labels={','.join(f'{key}={value}' for key, value in self.spec.labels.items())}",
                "--v=2",
            ],
        }

    def _write(self) -> None:
        for each in ("root/boot", "var/log", "log", *(f"writable/{each}" for each in WRITABLE)):
            (self.folder / each).mkdir(parents=True)
        write_host_programs(self.root)
        parts = [self.layout.base_part(), _OWN_PART]
        if self._has_toolkit:
            write_toolkit(self.root, self.layout, program(self.layout.toolkit))
            parts.append(HANDLER)
        if self.spec.cards:
            mock_card.install(program("nvml"), self.root / self.layout.libraries, self.driver, self.root / "usr/local/bin")
            if not self.layout.is_legacy:
                link(self.root / "usr/bin/nvidia-smi", "/usr/local/bin/nvidia-smi")
        self.set_cards(self.spec.cards)
        self._write_etc(merged_parts([*parts, *self.config.cri_parts]))
        self._write_ld_cache()
        kubernetes = self.folder / "writable/etc/kubernetes"
        write(kubernetes / "kubelet.yaml", json.dumps(self._kubelet()))
        write(kubernetes / "kubeconfig-kubelet", control_plane.kubeconfig(f"{self.spec.name}-token"))
        write(self.folder / "writable/etc/cni/net.d/10-bridge.conflist", json.dumps(self._cni()))
        programs = {each: str(program(each)) for each in ("kubernetes", "containerd", "oci-runtime", "runc", "cni")}
        spec = {
            "name": self.spec.name,
            "cgroup": self._cgroup,
            "programs": programs,
            "devices": kernel.devices(self.spec.cards),
            "writable": WRITABLE,
        }
        write(self.folder / "node.json", json.dumps(spec))

    def _write_etc(self, cri: str) -> None:
        link(self.folder / "var/run", "/run")
        write(self.root / "etc/cri/conf.d/cri.toml", cri)
        write(self.root / "etc/cri/containerd.toml", _CONTAINERD)
        write(self.root / f"{REGISTRIES}/_default/hosts.toml", registry.hosts(control_plane.ADDRESS))
        version = self.spec.talos
        write(self.root / "etc/os-release", f'NAME="Talos"\nID=talos\nVERSION_ID=v{version}\nPRETTY_NAME="Talos (v{version})"\n')
        write(self.root / "etc/hosts", f"127.0.0.1 localhost\n{self.address} {self.spec.name}\n")
        write(self.root / "etc/resolv.conf", "")
        write(self.root / "etc/passwd", "root:x:0:0:root:/root:/sbin/nologin\n")
        write(self.root / "etc/group", "root:x:0:\n")
        link(self.root / "etc/mtab", "/proc/self/mounts")

    def _write_ld_cache(self) -> None:
        """The cache of libraries as the extension's build makes it: `ldconfig -r`."""
        cache = self.root / self.layout.ld_cache
        cache.parent.mkdir(parents=True, exist_ok=True)
        (self.root / self.layout.libraries).mkdir(parents=True, exist_ok=True)
        configuration = self.root / "etc/ld.so.conf"
        write(configuration, f"/{self.layout.libraries}\n")
        subprocess.run([LDCONFIG, "-r", self.root, "-C", f"/{self.layout.ld_cache}", "-f", "/etc/ld.so.conf"], check=True)  # noqa: S603

    def _kubelet(self) -> dict[str, Any]:
        taints = {"registerWithTaints": list(self.config.taints)} if self.config.taints else {}
        return {**_KUBELET, "address": self.address, **taints, **self.config.kubelet}

    def _cni(self) -> dict[str, Any]:
        subnet = [[{"subnet": f"10.244.{self._number}.0/24"}]]
        ipam = {"type": "host-local", "ranges": subnet, "routes": [{"dst": "0.0.0.0/0"}]}
        bridge = {"type": "bridge", "bridge": f"cni{self._number}", "isGateway": True, "ipMasq": False, "ipam": ipam}
        return {"cniVersion": "1.0.0", "name": "rehearsal", "plugins": [bridge]}


def _numbers(version: str) -> list[int]:
    return [int(each) for each in version.split(".")]


_CONTAINERD = f"""\
version = 3
root = "/var/lib/containerd"
state = "/run/containerd"
imports = ["/etc/cri/conf.d/cri.toml"]
[grpc]
  address = "{CONTAINERD}"
"""
# What this machine needs, and Talos does not: runc without CAP_SYS_RESOURCE, and programs in folders of their own.
_OWN_PART = f"""\
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "{PAUSE}"
[plugins."io.containerd.cri.v1.images".registry]
  config_path = "/{REGISTRIES}"
[plugins."io.containerd.cri.v1.runtime"]
  disable_hugetlb_controller = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/system/cni"]
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
"""
_KUBELET: dict[str, Any] = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1",
    "kind": "KubeletConfiguration",
    "authentication": {"anonymous": {"enabled": True}, "webhook": {"enabled": False}},
    "authorization": {"mode": "AlwaysAllow"},
    "cgroupDriver": "cgroupfs",
    "failCgroupV1": False,
    "failSwapOn": False,
    "containerRuntimeEndpoint": f"unix://{CONTAINERD}",
    "clusterDomain": "cluster.local",
    "clusterDNS": ["10.96.0.10"],
    "resolvConf": "",
    "healthzPort": 0,
    "imageMinimumGCAge": "24h",
    "imageGCHighThresholdPercent": 100,
    "evictionHard": {"memory.available": "50Mi"},
    "syncFrequency": "5s",
}
