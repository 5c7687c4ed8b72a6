"""What changes for GPU nodes between one minor release of Talos and the next.

A step stands here when something of NVIDIA's changes: extensions and drivers (siderolabs/extensions nvidia-gpu at each tag), where they lie
(c5480f9, fdd0258: Talos 1.13), and the form of the machine configuration (siderolabs/talos hack/release.toml of 1.14).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from .. import versions
from .._validate import Choice
from ..nodes import RUNTIME_CLASS, GpuNodes
from ..talos_version import Generation
from .existing_schematic import ExistingSchematic
from .factory_images import Platform
from .node_metadata import VALIDATOR_LABEL
from .patch_parts import DOCUMENTS_SINCE
from .schematic import Schematic
from .upgrade_step import UpgradeAction, UpgradePhase, UpgradeStep

# From here on a driver runs CUDA 13's images, and from there on it knows no Maxwell, Pascal or Volta.
_CUDA_13_DRIVER, _DROPPED_BY_DRIVER = 580, 590
_EXEC_BREAKS = 12


class UpgradeRoute(Choice):
    """What advertises the GPUs of a cluster."""

    STANDALONE = "standalone"
    """The device plugin alone."""
    OPERATOR = "operator"
    """NVIDIA's GPU operator."""


def _driver(nodes: GpuNodes) -> str:
    """The driver of a release that was read, or the branch of one that was not."""
    driver = nodes.talos_version.release.drivers[nodes.driver_track]
    return driver if str(nodes.talos_version) == nodes.talos_version.release.newest else driver.partition(".")[0]


def _flags(nodes: GpuNodes) -> str:
    """The class as the command takes it, with all that stands in a machine configuration."""
    flags = ["--talos", str(nodes.talos_version)]
    for key, value in nodes.labels.items():
        flags += ["--label", f"{key}={value}"]
    for taint in nodes.taints:
        flags += ["--taint", f"{taint.key}{'' if taint.value is None else f'={taint.value}'}:{taint.effect}"]
    return shlex.join([*flags, *(["--name", nodes.name] if nodes.name else [])])


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
    def is_generational(self) -> bool:
        """Whether the driver's libraries reach containers in another way afterwards."""
        return self.before.generation is not self.after.generation

    @property
    def is_minor(self) -> bool:
        """Whether it is more than a new patch."""
        return self.before.talos_version.minor != self.after.talos_version.minor

    def steps(self) -> list[UpgradeStep]:
        """All of it, in order."""
        return [*self._before(), *self._upgrade(), *self._after()]

    def _step(self, phase: UpgradePhase, action: UpgradeAction, title: str, reason: str, *commands: str, check: str = "") -> UpgradeStep:
        return UpgradeStep(hop=self.name, phase=phase, action=action, title=title, reason=reason, commands=commands, check=check)

    def _before(self) -> Iterator[UpgradeStep]:
        if self.is_minor:
            yield self._kubernetes()
            yield from self._driver()
        if self.after.talos_version.minor == _EXEC_BREAKS and self.is_minor:
            yield self._step(
                UpgradePhase.BEFORE, UpgradeAction.CHECK, "Find exec probes and hooks of GPU containers.",
                "On Talos 1.12 an exec into a GPU container may fail (init 250 result=11, siderolabs/extensions#940), and a probe would "
                "restart it. HTTP and TCP probes do not.",
                "kubectl get pods --all-namespaces -o yaml | grep -nE '^ +(exec|postStart|preStop):'",
            )  # fmt: skip
        if self.is_generational:
            yield from self._before_cdi()
        elif self.route is not self.new_route:
            if self.route is UpgradeRoute.OPERATOR and self.before.generation is Generation.LEGACY:
                yield self._bridge()
            yield from self._move_to_the_other_route()

    def _kubernetes(self) -> UpgradeStep:
        runs = self.after.talos_version.release.kubernetes_versions
        both = [minor for minor in self.before.talos_version.release.kubernetes_versions if minor in runs]
        return self._step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, f"Bring Kubernetes to {both[0]} or newer.",
            f"Talos {self.after.talos_version.minor_version} runs {runs[0]} to {runs[-1]}, and the upgrade of Talos changes no Kubernetes.",
            "kubectl version", "talosctl upgrade-k8s --nodes $CONTROL_PLANE --to $KUBERNETES",
            check=f"the server's version is {both[0]} to {both[-1]}",
        )  # fmt: skip

    def _driver(self) -> Iterator[UpgradeStep]:
        track = self.after.driver_track
        old, new = _driver(self.before), _driver(self.after)
        if old == new:
            return
        branch, old_branch = (int(driver.partition(".")[0]) for driver in (new, old))
        reason = f"The {track} driver goes from {old} to {new}."
        if branch < _CUDA_13_DRIVER:
            reason += " It runs no image of CUDA 13."
        if old_branch < _DROPPED_BY_DRIVER <= branch:
            reason += f" Branch {branch} knows no Maxwell, Pascal or Volta: for those choose driver_track='lts'."
        yield self._step(
            UpgradePhase.BEFORE, UpgradeAction.CHECK, "See that your images run on the new driver.", reason,
            "kubectl get pods --all-namespaces -o jsonpath='{range .items[*]}{.spec.containers[*].image}{\"\\n\"}{end}' | sort -u",
        )  # fmt: skip

    def _before_cdi(self) -> Iterator[UpgradeStep]:
        yield self._step(
            UpgradePhase.BEFORE, UpgradeAction.REMOVE, "Drop what points to /usr/local/glibc.",
            "The driver's libraries leave it with Talos 1.13, and a pod or a containerd customization that still names it keeps a node from "
            "working (siderolabs/talos#13346). Host paths, LD_LIBRARY_PATH and NVIDIA_DRIVER_ROOT are where people have written it.",
            "kubectl get pods --all-namespaces -o yaml | grep -n /usr/local/glibc",
            "talosctl --nodes $NODE get machineconfig v1alpha1 -o yaml | grep -nE 'glibc|20-customization|cdi_spec_dirs'",
            check="neither command finds anything that you need no more",
        )  # fmt: skip
        if self.route is UpgradeRoute.OPERATOR:
            yield self._bridge()
        yield from self._move_to_the_other_route()

    def _bridge(self) -> UpgradeStep:
        return self._step(
            UpgradePhase.BEFORE, UpgradeAction.REMOVE, "Remove the validation bridge.",
            "From Talos 1.13 on the operator's validator finds the driver by itself, and what the bridge writes sends the device plugin to "
            "the wrong place." if self.is_generational else "It writes what the operator's pods wait for, and they go.",
            "kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-validation-bridge",
            check="no pod of it is left",
        )  # fmt: skip

    def _move_to_the_other_route(self) -> Iterator[UpgradeStep]:
        if (self.route, self.new_route) == (UpgradeRoute.STANDALONE, UpgradeRoute.OPERATOR):
            yield self._step(
                UpgradePhase.BEFORE, UpgradeAction.REMOVE, "Uninstall the device plugin.",
                "The operator runs one of its own, and two advertise every GPU twice.",
                "helm uninstall nvidia-device-plugin --namespace $NAMESPACE  # or, without Helm:",
                "kubectl delete daemonset --all-namespaces --selector app.kubernetes.io/name=nvidia-device-plugin",
                check="kubectl get daemonsets --all-namespaces lists none",
            )  # fmt: skip
            yield self._step(
                UpgradePhase.BEFORE, UpgradeAction.REMOVE, f"Delete the RuntimeClass {RUNTIME_CLASS}.",
                "The operator makes it and owns it; two owners fight over it (NVIDIA/gpu-operator#446). No pod starts with it meanwhile.",
                f"kubectl delete runtimeclass {RUNTIME_CLASS}",
                check=f"kubectl get runtimeclass {RUNTIME_CLASS} finds nothing",
            )  # fmt: skip
        elif (self.route, self.new_route) == (UpgradeRoute.OPERATOR, UpgradeRoute.STANDALONE):
            yield self._step(
                UpgradePhase.BEFORE, UpgradeAction.REMOVE, "Uninstall the GPU operator.",
                "Its device plugin advertises the same GPUs, and its RuntimeClass goes with it.",
                "helm uninstall gpu-operator --namespace gpu-operator", "kubectl delete clusterpolicies.nvidia.com --all",
                check=f"no ClusterPolicy is left, and no RuntimeClass {RUNTIME_CLASS}",
            )  # fmt: skip

    def _upgrade(self) -> Iterator[UpgradeStep]:
        image = self.image.installer_image(self.after.talos_version, platform=self.platform, secureboot=self.secureboot)
        commands = [f"talosctl upgrade --nodes $NODE --image {image}"]
        if isinstance(self.image, Schematic):
            commands.insert(0, f"curl -X POST --data-binary @schematic.yaml https://{self.image.factory}/schematics")
        yield self._step(
            UpgradePhase.UPGRADE, UpgradeAction.APPLY, f"Upgrade each node of the class to Talos {self.after.talos_version}.",
            "Kernel modules load in the Talos that they were built for alone, so the image brings Talos and its extensions together; never pin "
            "an extension by hand. talosctl drains the node.",
            *commands, check="talosctl --nodes $NODE get extensions lists NVIDIA's, with the new version",
        )  # fmt: skip

    def _after(self) -> Iterator[UpgradeStep]:
        driver = _driver(self.after)
        yield self._step(
            UpgradePhase.AFTER, UpgradeAction.CHECK, "See that the driver is loaded.",
            "Without its kernel modules a node has no GPU, whatever the cluster says.",
            "talosctl --nodes $NODE read /proc/driver/nvidia/version",
            check=f"it says {driver}, or what a later patch of this Talos brings" if "." in driver else f"it says a version of branch {driver}",
        )  # fmt: skip
        if self.is_generational:
            yield from self._after_cdi()
        elif self.after.generation is Generation.LEGACY and self.route is not self.new_route is UpgradeRoute.OPERATOR:
            yield self._step(
                UpgradePhase.AFTER, UpgradeAction.CHANGE, "Keep the operator's validator away.",
                "Up to Talos 1.12 it can't succeed, and its pods would stay unready.",
                f"talos-gpu patch {_flags(self.after)} --operator",
                check=f"the node has the label {VALIDATOR_LABEL}=false",
            )  # fmt: skip
        if self.after.talos_version.minor == DOCUMENTS_SINCE and self.is_minor:
            yield self._step(
                UpgradePhase.AFTER, UpgradeAction.CHANGE, "Leave the machine configuration in its fields, or move it as a whole.",
                "Talos 1.14 has a document for each subject, and still reads the fields of a node that was upgraded; both forms of one thing at "
                "once it refuses. KubeNodeConfig is refused beside any of machine.nodeLabels, nodeTaints, nodeAnnotations and "
                "cluster.allowSchedulingOnControlPlanes. So a patch for this node is of style 'fields' until all of them are moved.",
                f"talos-gpu patch {_flags(self.after)} --style fields",
            )  # fmt: skip
        if self.is_minor or self.route is not self.new_route:
            yield self._manifests()
        yield self._offer()

    def _offer(self) -> UpgradeStep:
        if self.after.dra:
            command = "kubectl get resourceslices --field-selector spec.driver=gpu.nvidia.com,spec.nodeName=$NODE -o yaml"
            check = f"it has {self.after.gpus_per_node or 'the'} GPUs of the node"
        else:
            many = self.after.advertised_per_node
            resource = self.after.resource_name.replace(".", "\\.")
            command = f"kubectl get node $NODE -o jsonpath='{{.status.allocatable.{resource}}}'"
            check = f"it says {many}" if many else "it says how many GPUs, or shares of them, the node has"
        return self._step(
            UpgradePhase.AFTER, UpgradeAction.CHECK, "See that the node offers its GPUs.", "It is what the scheduler goes by.",
            command, check=check,
        )  # fmt: skip

    def _after_cdi(self) -> Iterator[UpgradeStep]:
        yield self._step(
            UpgradePhase.AFTER, UpgradeAction.CHANGE, "Take net.core.bpf_jit_harden back.",
            "Only the container tools of Talos 1.12 and older needed it; without it the kernel's own hardening is back.",
            'talosctl --nodes $NODE patch machineconfig --patch \'{"machine": {"sysctls": {"net.core.bpf_jit_harden": '
            '{"$patch": "delete"}}}}\'',
            check="talosctl --nodes $NODE read /proc/sys/net/core/bpf_jit_harden says 2",
        )  # fmt: skip
        if self.route is UpgradeRoute.OPERATOR:
            yield self._step(
                UpgradePhase.AFTER, UpgradeAction.CHANGE, "Let the operator's validator run again.",
                "Up to Talos 1.12 it could not succeed; now every operand waits for it."
                if self.new_route is UpgradeRoute.OPERATOR
                else "Only the operator read the label that kept it away.",
                f'talosctl --nodes $NODE patch machineconfig --patch \'{{"machine": {{"nodeLabels": {{"{VALIDATOR_LABEL}": '
                '{"$patch": "delete"}}}}\'',
                f"kubectl label node $NODE {VALIDATOR_LABEL}-  # where it was set by hand",
                check=f"the node has no label {VALIDATOR_LABEL}=false",
            )  # fmt: skip
        yield self._step(
            UpgradePhase.AFTER, UpgradeAction.CHECK, "See that Talos describes the GPU to containers.",
            "From Talos 1.13 on an extension writes a CDI specification, which the operator's plugin and containerd read.",
            "talosctl --nodes $NODE service ext-nvidia-cdi-gen", "talosctl --nodes $NODE list /run/cdi",
            check="/run/cdi has nvidia.yaml",
        )  # fmt: skip

    def _manifests(self) -> UpgradeStep:
        if self.new_route is UpgradeRoute.OPERATOR:
            oldest = versions.GPU_OPERATOR_OLDEST if self.after.generation is Generation.LEGACY else versions.GPU_OPERATOR_CDI_OLDEST
            what = f"NvidiaGpuOperator then chooses the values of this generation; the chart has to be {oldest} or newer"
        elif self.after.dra:
            what = "DraDriver stays as it is"
        else:
            what = "StandaloneDevicePlugin and NvidiaRuntimeClass stay, as long as no operator is there"
        return self._step(
            UpgradePhase.AFTER, UpgradeAction.APPLY, f"Synthesize with talos_version='{self.after.talos_version}', and apply.",
            f"{what}. Pods that ran before keep what they were given when they were made: make them anew.",
            "cdk8s synth", "kubectl apply --server-side -f dist/", "kubectl rollout restart deployment --namespace $NAMESPACE",
        )  # fmt: skip
