"""What changes for GPU nodes between one minor release of Talos and the next.

A step stands here when something of NVIDIA's changes: extensions and drivers (siderolabs/extensions nvidia-gpu at each tag), where they lie
(c5480f9, fdd0258: Talos 1.13), and the form of the machine configuration (siderolabs/talos hack/release.toml of 1.14).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import Generation
from ..upstream.driver_branches import CUDA_FLOORS, LAST_WITHOUT_GSP, KernelModules
from ..upstream.talos_features import (
    DRAINED_BY_TALOSCTL,
    EXEC_BREAKS,
    GRUB_WITH_UKI_ARGUMENTS,
    LEGACY_ROOT,
    NRI_TOOLKIT,
    RUNTIME_CLASS,
    STREAMED_UPGRADE,
    has_legacy_root,
)
from .existing_schematic import ExistingSchematic
from .factory_images import Platform
from .schematic import Schematic
from .upgrade_after import steps_after
from .upgrade_commands import PODS, WORKLOADS, leftovers_command, schematic_commands
from .upgrade_step import UpgradeAction, UpgradePhase, UpgradeRoute, UpgradeStep


def _driver(nodes: GpuNodes) -> str:
    """The driver of a release that was read, or the branch of one that was not."""
    driver = nodes.talos_version.release.drivers[nodes.driver_track]
    return driver if str(nodes.talos_version) == nodes.talos_version.release.newest else driver.partition(".")[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hop:
    """One class of nodes, from one minor release of Talos to the same or the next."""

    before: GpuNodes
    after: GpuNodes
    image: Schematic | ExistingSchematic
    route: UpgradeRoute
    new_route: UpgradeRoute
    platform: Platform
    secureboot: bool

    @property
    def name(self) -> str:
        """From which Talos to which."""
        return f"{self.before.talos_version} → {self.after.talos_version}"

    @property
    def leaves_legacy_root(self) -> bool:
        """Whether the driver's libraries are where CDI has them afterwards, and were under `LEGACY_ROOT` before."""
        return has_legacy_root(self.before.talos_version.version) and not has_legacy_root(self.after.talos_version.version)

    @property
    def reaches_nri(self) -> bool:
        """Whether only the operator's toolkit gives containers the GPU afterwards."""
        return self.before.generation is not Generation.NRI and self.after.generation is Generation.NRI

    @property
    def is_minor(self) -> bool:
        """Whether it is more than a new patch."""
        return self.before.talos_version.minor != self.after.talos_version.minor

    @property
    def new_driver(self) -> str:
        """The driver of the nodes afterwards, or its branch where the release was not read."""
        return _driver(self.after)

    def steps(self) -> list[UpgradeStep]:
        """Every step, in order."""
        return [*self._before(), *self._upgrade(), *steps_after(self)]

    def step(self, phase: UpgradePhase, action: UpgradeAction, title: str, reason: str, *commands: str, check: str = "") -> UpgradeStep:
        """One step of this hop."""
        return UpgradeStep(hop=self.name, phase=phase, action=action, title=title, reason=reason, commands=commands, check=check)

    def _before(self) -> Iterator[UpgradeStep]:
        if self.is_minor:
            yield self._kubernetes()
            yield from self._driver()
        yield from self._boot()
        if self.after.talos_version.minor in EXEC_BREAKS and self.is_minor:
            yield self.step(
                UpgradePhase.BEFORE, UpgradeAction.CHECK, "Find exec probes and hooks of GPU containers.",
                "On Talos 1.12 an exec into a GPU container may fail (init 250 result=11, siderolabs/extensions#940), and Kubernetes restarts "
                "a container whose exec probe or postStart hook fails. Probes by HTTP, TCP and gRPC run nothing in the container.",
                f"{PODS} | grep nvidia.com/gpu | grep '\"exec\":' | cut -f 1",
                check="the command names no pod, or none whose probes and hooks can't fail",
            )  # fmt: skip
        if self.leaves_legacy_root:
            yield from self._before_cdi()
        elif self.reaches_nri:
            yield from self._before_nri()
        elif self.route is not self.new_route:
            if self.route is UpgradeRoute.OPERATOR and self.before.generation is Generation.LEGACY:
                yield self._bridge()
            yield from self._move_to_the_other_route()

    def _kubernetes(self) -> UpgradeStep:
        runs = self.after.talos_version.release.kubernetes_versions
        both = [minor for minor in self.before.talos_version.release.kubernetes_versions if minor in runs]
        return self.step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, f"Bring Kubernetes to {both[0]} or newer.",
            f"Talos {self.after.talos_version.minor_version} runs {runs[0]} to {runs[-1]}, and the upgrade of Talos changes no Kubernetes.",
            "kubectl version", "talosctl upgrade-k8s --nodes $CONTROL_PLANE --to $KUBERNETES",
            check=f"the server's version is {both[0]} to {both[-1]}",
        )  # fmt: skip

    def _driver(self) -> Iterator[UpgradeStep]:
        track = self.after.driver_track
        old, new = _driver(self.before), self.new_driver
        if old == new:
            return
        branch, old_branch = (int(driver.partition(".")[0]) for driver in (new, old))
        reason = f"The {track} driver goes from {old} to {new}."
        if branch < CUDA_FLOORS[13]:
            reason += " It runs no image of CUDA 13."
        # The open modules never ran them, and a card that is named was checked.
        may_be_older = self.after.kernel_modules is KernelModules.PROPRIETARY and self.after.product is None
        if may_be_older and old_branch <= LAST_WITHOUT_GSP < branch:
            reason += f" Branch {branch} knows no Maxwell, Pascal or Volta: for those choose driver_track='lts'."
        yield self.step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, "See that your images run on the new driver.", reason,
            "kubectl get pods --all-namespaces -o jsonpath='{range .items[*]}{.spec.containers[*].image}{\"\\n\"}{end}' | sort -u",
        )  # fmt: skip

    def _boot(self) -> Iterator[UpgradeStep]:
        """What happens to kernel arguments on nodes that boot by GRUB; with Secure Boot none does."""
        is_streamed = self.before.talos_version.minor in STREAMED_UPGRADE
        has_arguments = isinstance(self.image, Schematic) and bool(self.image.extra_kernel_args)
        if self.secureboot or not (is_streamed or has_arguments):
            return
        may_take = ", unless machine.install.grubUseUKICmdline is true" * (self.after.talos_version.minor in GRUB_WITH_UKI_ARGUMENTS)
        reason = (
            f"A node that boots by GRUB (with BIOS, or installed before Talos 1.10) ignores the kernel arguments of its image{may_take}."
        )
        if is_streamed:
            reason += (
                " From Talos 1.13 on the upgrade then drops machine.install.extraKernelArgs as well, without an error: upgrade such a node with "
                "--legacy, or move the arguments into the schematic and set grubUseUKICmdline."
            )
        yield self.step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, "Find nodes that boot by GRUB.", reason,
            "talosctl --nodes $ADDRESS get securitystate -o yaml",
            "talosctl --nodes $ADDRESS get machineconfig v1alpha1 -o yaml | grep -nE 'grubUseUKICmdline|extraKernelArgs'",
            check="bootedWithUKI is true, grubUseUKICmdline is true, or the node needs no kernel argument",
        )  # fmt: skip

    def _before_cdi(self) -> Iterator[UpgradeStep]:
        yield self.step(
            UpgradePhase.BEFORE, UpgradeAction.REMOVE, f"Drop what points to {LEGACY_ROOT}.",
            "Talos 1.13 has the driver's libraries elsewhere: a pod that looks there, by a host path, LD_LIBRARY_PATH or NVIDIA_DRIVER_ROOT, "
            "finds nothing. A containerd customization that names the path, or cdi_spec_dirs in place of /run/cdi, can keep the node "
            "from working (siderolabs/talos#13346). The last command reads what the pods are made from, and finds hand-made bridges as well.",
            f"{PODS} | grep {LEGACY_ROOT} | cut -f 1",
            f"talosctl --nodes $ADDRESS get machineconfig v1alpha1 -o yaml | grep -nE '{LEGACY_ROOT}|cdi_spec_dirs'",
            WORKLOADS, self._leftovers("cluster.yaml"),
            check="the first two find nothing, and the last nothing but what the next steps remove",
        )  # fmt: skip
        if self.route is UpgradeRoute.OPERATOR:
            yield self._bridge()
        yield from self._move_to_the_other_route()

    def _before_nri(self) -> Iterator[UpgradeStep]:
        yield from self._move_to_the_other_route()
        yield self.step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, "Find pods that name a RuntimeClass.",
            f"From Talos {NRI_TOOLKIT.first} on no handler {RUNTIME_CLASS} is left: a pod that still names it can't be started. Take the field "
            "out once the node is upgraded; before, such a pod would get no GPU.",
            f"{PODS} | grep '\"runtimeClassName\":\"{RUNTIME_CLASS}' | cut -f 1",
            check="you know which manifests to change with the upgrade",
        )  # fmt: skip

    def _leftovers(self, path: str) -> str:
        return leftovers_command(self.before.talos_version, self.after.talos_version, self.route, self.new_route, path)

    def _bridge(self) -> UpgradeStep:
        why = (
            "From Talos 1.13 on the operator's validator finds the driver by itself, and what the bridge writes sends the device plugin to "
            "the wrong place."
            if self.leaves_legacy_root
            else "It writes what the operator's pods wait for, and they go."
        )
        return self.step(
            UpgradePhase.BEFORE, UpgradeAction.REMOVE, "Remove the validation bridge.",
            f"{why} The first command removes the bridge of this library; one that somebody made by hand has another label, and the last "
            "command finds it.",
            "kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-validation-bridge",
            WORKLOADS, self._leftovers("cluster.yaml"),
            check="the last command names no bridge",
        )  # fmt: skip

    def _move_to_the_other_route(self) -> Iterator[UpgradeStep]:
        if (self.route, self.new_route) == (UpgradeRoute.STANDALONE, UpgradeRoute.OPERATOR):
            # The DraDriver stays, and the operator leaves its own plugin off.
            if not self.before.dra:
                yield self._uninstall_plugin()
            why = (
                f"From Talos {NRI_TOOLKIT.first} on no handler {RUNTIME_CLASS} is left, and the operator makes no RuntimeClass."
                if self.after.generation is Generation.NRI
                else "The operator makes it and owns it; two owners fight over it (NVIDIA/gpu-operator#446). No pod starts with it meanwhile."
            )
            yield self.step(
                UpgradePhase.BEFORE, UpgradeAction.REMOVE, f"Delete the RuntimeClass {RUNTIME_CLASS}.", why,
                f"kubectl delete runtimeclass {RUNTIME_CLASS}",
                check=f"kubectl get runtimeclass {RUNTIME_CLASS} finds nothing",
            )  # fmt: skip
        elif (self.route, self.new_route) == (UpgradeRoute.OPERATOR, UpgradeRoute.STANDALONE):
            yield self.step(
                UpgradePhase.BEFORE, UpgradeAction.REMOVE, "Uninstall the GPU operator.",
                f"Its {'' if self.before.dra else 'device plugin advertises the same GPUs, and its '}RuntimeClass goes with it.",
                "helm list --all-namespaces | grep gpu-operator", "helm uninstall $RELEASE --namespace $NAMESPACE  # where Helm has it",
                "kubectl delete clusterpolicies.nvidia.com --all",
                f"{self._leftovers('PATH')}  # PATH is your repository, where a GitOps tool installs it",
                check=f"no ClusterPolicy is left, and no RuntimeClass {RUNTIME_CLASS}",
            )  # fmt: skip

    def _uninstall_plugin(self) -> UpgradeStep:
        return self.step(
            UpgradePhase.BEFORE, UpgradeAction.REMOVE, "Uninstall the device plugin.",
            "The operator runs one of its own, and two advertise every GPU twice.",
            "helm list --all-namespaces | grep nvidia-device-plugin",
            "helm uninstall $RELEASE --namespace $NAMESPACE  # where Helm has it; without Helm, this library's and upstream's static one:",
            "kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-device-plugin",
            # The label of upstream's static manifests, name: nvidia-device-plugin-ds, is on their pods alone (deployments/static).
            "kubectl delete daemonset --all-namespaces --field-selector metadata.name=nvidia-device-plugin-daemonset",
            f"{self._leftovers('PATH')}  # PATH is your repository, where a GitOps tool installs it",
            check="kubectl get daemonsets --all-namespaces -o wide | grep k8s-device-plugin finds nothing",
        )  # fmt: skip

    def _upgrade(self) -> Iterator[UpgradeStep]:
        image = self.image.installer_image(self.after.talos_version, platform=self.platform, secureboot=self.secureboot)
        commands = schematic_commands(self.image) if isinstance(self.image, Schematic) else []
        drains = "talosctl drains the node" if self.before.talos_version.minor in DRAINED_BY_TALOSCTL else "Talos drains the node by itself"
        yield self.step(
            UpgradePhase.UPGRADE, UpgradeAction.APPLY, f"Upgrade each node of the class to Talos {self.after.talos_version}.",
            "Kernel modules load in the Talos that they were built for alone, so the image brings Talos and its extensions together; never pin "
            f"an extension by hand. {drains}.",
            *commands, f"talosctl upgrade --nodes $ADDRESS --image {image}",
            check="talosctl --nodes $ADDRESS get extensions lists NVIDIA's, with the new version",
        )  # fmt: skip
