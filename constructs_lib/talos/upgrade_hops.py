"""The steps of an upgrade plan from one minor release of Talos to the next.

A plan has a step when a part of the NVIDIA stack changes: extensions and drivers (siderolabs/extensions nvidia-gpu at each tag), their paths
(c5480f9, fdd0258: Talos 1.13), and the form of the machine configuration (siderolabs/talos hack/release.toml of 1.14).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..nodes.gpu_nodes import GpuNodes
from ..nodes.talos_version import Generation
from ..upstream.driver_branches import CUDA_FLOORS, LAST_WITHOUT_GSP, KernelModules
from ..upstream.platforms import Platform
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
from .schematic import Schematic
from .upgrade_after import steps_after
from .upgrade_commands import PODS, WORKLOADS, leftovers_command, schematic_commands
from .upgrade_step import UpgradeAction, UpgradePhase, UpgradeRoute, UpgradeStep


def _driver(nodes: GpuNodes) -> str:
    """The driver version of a release in the tables, or the driver branch of another release."""
    driver = nodes.talos_version.release.drivers[nodes.track]
    return driver if str(nodes.talos_version) == nodes.talos_version.release.newest else driver.partition(".")[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class Hop:
    """The upgrade of one class of nodes to a newer patch, or to the next minor release."""

    before: GpuNodes
    after: GpuNodes
    image: Schematic | ExistingSchematic
    route: UpgradeRoute
    new_route: UpgradeRoute
    platform: Platform
    secureboot: bool

    @property
    def name(self) -> str:
        """The Talos before and the Talos after, as "1.12.11 → 1.13.9"."""
        return f"{self.before.talos_version} → {self.after.talos_version}"

    @property
    def leaves_legacy_root(self) -> bool:
        """Whether the libraries of the driver move from `LEGACY_ROOT` to the paths of CDI."""
        return has_legacy_root(self.before.talos_version.version) and not has_legacy_root(self.after.talos_version.version)

    @property
    def reaches_nri(self) -> bool:
        """Whether only the toolkit of the operator injects GPUs into containers after this upgrade, and did not have to before."""
        return self.before.generation is not Generation.NRI and self.after.generation is Generation.NRI

    @property
    def is_minor(self) -> bool:
        """Whether the minor release changes."""
        return self.before.talos_version.minor != self.after.talos_version.minor

    @property
    def common_kubernetes(self) -> list[str]:
        """The minor releases of Kubernetes that the Talos before and the Talos after run."""
        runs = self.after.talos_version.release.kubernetes_versions
        return [minor for minor in self.before.talos_version.release.kubernetes_versions if minor in runs]

    @property
    def new_driver(self) -> str:
        """The driver version after the upgrade, or the driver branch of a release that is not in the tables."""
        return _driver(self.after)

    def steps(self) -> list[UpgradeStep]:
        """All steps, in order."""
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
                "On Talos 1.12 an exec into a GPU container may fail (init 250 result=11, siderolabs/extensions#940). Kubernetes restarts a "
                "container whose exec probe or postStart hook fails. HTTP, TCP and gRPC probes run no process in the container.",
                f"{PODS} | grep nvidia.com/gpu | grep '\"exec\":' | cut -f 1",
                check="the command lists no pod, or only pods whose probes and hooks may fail without harm",
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
        both = self.common_kubernetes
        old, new = self.before.talos_version.release.kubernetes_versions, self.after.talos_version.release.kubernetes_versions
        return self.step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, f"Upgrade Kubernetes to {both[0]} or newer.",
            f"Talos {self.before.talos_version.minor_version} runs Kubernetes {old[0]} to {old[-1]}, and Talos "
            f"{self.after.talos_version.minor_version} runs {new[0]} to {new[-1]}. The cluster needs a version that both run. If it has one, skip "
            # siderolabs/go-kubernetes kubernetes/upgrade/path.go IsSupported
            "this step. talosctl upgrade-k8s moves one minor release at a time.",
            "kubectl version", "talosctl upgrade-k8s --nodes $CONTROL_PLANE --to $KUBERNETES",
            check=f"kubectl version shows a Server Version of {both[0]} to {both[-1]}",
        )  # fmt: skip

    def _driver(self) -> Iterator[UpgradeStep]:
        track = self.after.track
        old, new = _driver(self.before), self.new_driver
        branch, old_branch = (int(driver.partition(".")[0]) for driver in (new, old))
        if branch == old_branch:
            return
        floors = ", ".join(f"CUDA {cuda} needs {floor}" for cuda, floor in sorted(CUDA_FLOORS.items(), reverse=True))
        reason = f"The {track} driver changes from {old} to {new}. An image runs if the driver is as new as its CUDA needs: {floors}."
        if branch < CUDA_FLOORS[13]:
            reason += " Images with CUDA 13 do not run on this driver."
        # The open modules support none of these cards, and a named card is checked already.
        may_be_older = self.after.kernel_modules is KernelModules.PROPRIETARY and self.after.product is None
        if may_be_older and old_branch <= LAST_WITHOUT_GSP < branch:
            reason += f" Branch {branch} does not support Maxwell, Pascal and Volta cards: choose the lts track for such a card (--driver-track lts)."
        yield self.step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, "Check that your images run on the new driver.", reason,
            "kubectl get pods --all-namespaces -o "
            "jsonpath='{.items[*].spec.initContainers[*].image}{\" \"}{.items[*].spec.containers[*].image}' | tr ' ' '\\n' | sort -u",
            check=f"no image needs a newer driver than {branch}",
        )  # fmt: skip

    def _boot(self) -> Iterator[UpgradeStep]:
        """The step about kernel arguments on nodes that boot by GRUB. No node boots by GRUB with Secure Boot."""
        is_streamed = self.before.talos_version.minor in STREAMED_UPGRADE
        has_arguments = isinstance(self.image, Schematic) and bool(self.image.extra_kernel_args)
        if self.secureboot or not (is_streamed or has_arguments):
            return
        exception = ", unless machine.install.grubUseUKICmdline is true" * (self.after.talos_version.minor in GRUB_WITH_UKI_ARGUMENTS)
        reason = (
            f"A node that boots by GRUB ignores the kernel arguments in its image{exception}. Nodes boot by GRUB with BIOS, or if they were "
            "installed before Talos 1.10."
        )
        if is_streamed:
            reason += (
                " An upgrade from Talos 1.13 on also drops machine.install.extraKernelArgs, without an error. Run talosctl upgrade with --legacy, "
                "or move the arguments into the schematic and set grubUseUKICmdline."
            )
        yield self.step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, "Find nodes that boot by GRUB.", reason,
            "talosctl --nodes $ADDRESS get securitystate -o yaml",
            "talosctl --nodes $ADDRESS get machineconfig v1alpha1 -o yaml | grep -nE 'grubUseUKICmdline|extraKernelArgs'",
            check="bootedWithUKI is true, grubUseUKICmdline is true, or the node needs no kernel argument",
        )  # fmt: skip

    def _before_cdi(self) -> Iterator[UpgradeStep]:
        yield self.step(
            UpgradePhase.BEFORE, UpgradeAction.REMOVE, f"Remove every reference to {LEGACY_ROOT}.",
            "Talos 1.13 has the driver libraries at other paths. A pod with the old path in a host path, LD_LIBRARY_PATH or NVIDIA_DRIVER_ROOT "
            "finds no libraries. A containerd customization with the old path, or with cdi_spec_dirs in place of /run/cdi, can break the node "
            "(siderolabs/talos#13346). The last command reads the workloads, and also finds validation bridges that were made by hand.",
            f"{PODS} | grep {LEGACY_ROOT} | cut -f 1",
            f"talosctl --nodes $ADDRESS get machineconfig v1alpha1 -o yaml | grep -nE '{LEGACY_ROOT}|cdi_spec_dirs'",
            WORKLOADS, self._leftovers("cluster.yaml"),
            check="the first two commands print nothing, and the last command lists only objects that the next steps remove",
        )  # fmt: skip
        if self.route is UpgradeRoute.OPERATOR:
            yield self._bridge()
        yield from self._move_to_the_other_route()

    def _before_nri(self) -> Iterator[UpgradeStep]:
        yield from self._move_to_the_other_route()
        yield self.step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, "Find pods that name a RuntimeClass.",
            f"Talos {NRI_TOOLKIT.first} has no containerd handler {RUNTIME_CLASS}: a pod with this RuntimeClass can't start. Remove the field after the "
            "upgrade of the node. Without the field a pod on the old Talos gets no GPU.",
            f"{PODS} | grep '\"runtimeClassName\":\"{RUNTIME_CLASS}' | cut -f 1",
            check="you have a list of the manifests to change with the upgrade",
        )  # fmt: skip

    def _leftovers(self, path: str) -> str:
        return leftovers_command(self.before.talos_version, self.after.talos_version, self.route, self.new_route, path)

    def _bridge(self) -> UpgradeStep:
        reason = (
            "From Talos 1.13 on the operator's validator finds the driver by itself, and the files of the bridge send the device plugin to a "
            "wrong path."
            if self.leaves_legacy_root
            else "The bridge writes files for the operator's pods, and the operator is removed."
        )
        return self.step(
            UpgradePhase.BEFORE, UpgradeAction.REMOVE, "Remove the validation bridge.",
            f"{reason} The first command removes the bridge of this library. A bridge that was made by hand has another label; the last "
            "command finds it.",
            "kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-validation-bridge",
            WORKLOADS, self._leftovers("cluster.yaml"),
            check="the last command lists no bridge",
        )  # fmt: skip

    def _move_to_the_other_route(self) -> Iterator[UpgradeStep]:
        if (self.route, self.new_route) == (UpgradeRoute.STANDALONE, UpgradeRoute.OPERATOR):
            # The DraDriver stays, and the operator leaves its own plugin off.
            if not self.before.dra:
                yield self._uninstall_plugin()
            reason = (
                f"Talos {NRI_TOOLKIT.first} has no containerd handler {RUNTIME_CLASS}, and the operator creates no RuntimeClass."
                if self.after.generation is Generation.NRI
                else "The operator creates and owns this RuntimeClass, and two owners overwrite each other (NVIDIA/gpu-operator#446). No pod with "
                "this RuntimeClass starts before the operator creates it again."
            )
            yield self.step(
                UpgradePhase.BEFORE, UpgradeAction.REMOVE, f"Delete the RuntimeClass {RUNTIME_CLASS}.", reason,
                f"kubectl delete runtimeclass {RUNTIME_CLASS}",
                check=f"kubectl get runtimeclass {RUNTIME_CLASS} answers NotFound",
            )  # fmt: skip
        elif (self.route, self.new_route) == (UpgradeRoute.OPERATOR, UpgradeRoute.STANDALONE):
            yield self.step(
                UpgradePhase.BEFORE, UpgradeAction.REMOVE, "Uninstall the GPU operator.",
                f"{'' if self.before.dra else 'The device plugin of the operator advertises the same GPUs. '}The operator removes its RuntimeClass.",
                "helm list --all-namespaces | grep gpu-operator", "helm uninstall $RELEASE --namespace $NAMESPACE  # if Helm installed it",
                "kubectl delete clusterpolicies.nvidia.com --all",
                f"{self._leftovers('PATH')}  # PATH: your repository, if a GitOps tool installs it",
                check=f"the cluster has no ClusterPolicy and no RuntimeClass {RUNTIME_CLASS}",
            )  # fmt: skip

    def _uninstall_plugin(self) -> UpgradeStep:
        return self.step(
            UpgradePhase.BEFORE, UpgradeAction.REMOVE, "Uninstall the device plugin.",
            "The operator runs its own device plugin. The kubelet listens only to the plugin that registered last, and nvidia.com/gpu drops to 0 "
            "when the pod of either plugin ends.",
            "helm list --all-namespaces | grep nvidia-device-plugin",
            "helm uninstall $RELEASE --namespace $NAMESPACE  # if Helm installed it; the next two commands delete plugins without Helm",
            "kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-device-plugin",
            # In upstream's static manifests only the pods have the label name: nvidia-device-plugin-ds (deployments/static).
            "kubectl delete daemonset --all-namespaces --field-selector metadata.name=nvidia-device-plugin-daemonset",
            f"{self._leftovers('PATH')}  # PATH: your repository, if a GitOps tool installs it",
            check="kubectl get daemonsets --all-namespaces -o wide | grep k8s-device-plugin prints nothing",
        )  # fmt: skip

    def _upgrade(self) -> Iterator[UpgradeStep]:
        image = self.image.installer_image(self.after.talos_version, platform=self.platform, secureboot=self.secureboot)
        commands = schematic_commands(self.image) if isinstance(self.image, Schematic) else []
        is_drained = self.before.talos_version.minor in DRAINED_BY_TALOSCTL
        drains = "Use the talosctl of the new release: it drains the node" if is_drained else "Talos drains the node by itself"
        yield self.step(
            UpgradePhase.UPGRADE, UpgradeAction.APPLY, f"Upgrade each node of the class to Talos {self.after.talos_version}.",
            "A kernel module loads only in the Talos release that it was built for. The image contains Talos and its extensions. Do not pin an "
            f"extension by hand. {drains}.",
            *commands, f"talosctl upgrade --nodes $ADDRESS --image {image}",
            check="talosctl --nodes $ADDRESS get extensions lists the NVIDIA extensions with the new version",
        )  # fmt: skip
