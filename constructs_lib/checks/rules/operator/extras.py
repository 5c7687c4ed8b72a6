"""Operator components that can't work on Talos: the MIG manager, and components that install something on the host."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.agent_kinds import may_run_command
from ....observed.agents.operators import Operator, operators
from ....observed.model import Inputs, at, contains, equals, is_among, known_str
from ....observed.nodes.node_labels import labels_of_nodes
from ....upstream.talos.extension_names import GDRDRV, extension_names
from ....upstream.talos.features import GDRCOPY
from ...edit import set_to
from ...finding import Severity
from ...rule import Rule, Violation, Witness
from .._charts import OPERATOR, operator_values

_MIG_CONFIG_LABEL = "nvidia.com/mig.config"
_ALL_DISABLED = "all-disabled"
_PARTED = "nvidia-mig-parted"

# Components that install something on the host. The vGPU manager is built for an OS, and not for Talos; the others are
# parts of the driver's DaemonSet, or write where Talos is read-only.
_OTHERS = {
    "gds": (
        "nvidia-fs is a container of the operator's driver DaemonSet, which does not run on Talos, and no extension brings the module",
        "Set gds.enabled: false",
    ),
    "vgpuManager": (
        "licensees build the vGPU manager's image for an OS, and no image for Talos exists",
        "Set vgpuManager.enabled: false, and give whole cards to virtual machines (sandboxWorkloads.defaultWorkload: vm-passthrough)",
    ),
    "kataManager": (
        "the Kata manager writes to /opt and to containerd's configuration, which are read-only on Talos",
        "Set kataManager.enabled: false, and add the extension siderolabs/kata-containers",
    ),
}


_VALUES = OPERATOR.replace("migManager: {enabled: false}\n", "")


@Rule(
    id="TG013",
    claim="The operator's MIG manager does not partition the cards on Talos",
    symptom="nvidia-mig-manager logs Updating to MIG config: all-1g.10gb and nothing after it; no nvidia.com/mig.config.state=success",
    fix="Set migManager.enabled: false, and partition the cards with nvidia-mig-parted in a privileged init container of the device plugin",
    source="NVIDIA/gpu-operator#2501; NVIDIA/mig-parted#356",
    severity=Severity.WARNING,
    shown_by=Witness.PROGRAM,
    failing=operator_values(f"{_VALUES}mig: {{strategy: mixed}}\nmigManager: {{config: {{default: all-1g.10gb}}}}\n"),
    # The MIG manager schedules nothing where no card can be partitioned.
    passing=operator_values(f"{_VALUES}mig: {{strategy: single}}\nmigManager: {{enabled: true}}\n"),
)
def _mig_manager(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        strategy = operator.value("mig", "strategy")
        if not is_among(strategy, ("single", "mixed")).is_yes or operator.is_newer_than_known:
            continue
        request = _mig_request(inputs, operator)
        if operator.is_on("migManager", "enabled").is_yes and request:
            message = (
                f"mig.strategy is {strategy} and {request}. On Talos the MIG manager waits for systemd forever, and partitions no card"
            )
            edits = set_to(False, safe=False)
            yield Violation(Severity.WARNING, message, operator.about, operator.path("migManager", "enabled"), edits=edits)
        elif (
            operator.is_on("devicePlugin", "enabled").is_yes
            and any(nodes.mig_devices for nodes in inputs.nodes)
            and not _partitions_cards(inputs)
        ):
            yield Violation(
                Severity.WARNING,
                f"mig.strategy is {strategy}, but nothing {inputs.here} creates the MIG partitions of the nodes. The operator's MIG manager can't "
                "run on Talos",
                operator.about,
                operator.path("mig", "strategy"),
                fix="Set devicePlugin.enabled: false, and partition the cards in an init container of a standalone device plugin (StandaloneDevicePlugin of "
                "this library)",
            )


def _mig_request(inputs: Inputs, operator: Operator) -> str:
    """The setting or label that requests MIG partitions, empty where nothing does."""
    config = operator.written("migManager", "config")
    for key in ("name", "default"):
        value = known_str(at(config, key))
        if value not in (None, "", _ALL_DISABLED):
            return f"migManager.config.{key} is {value}"
    if at(config, "create") is True:
        return "migManager.config has configurations of its own"
    made = labels_of_nodes(inputs).values
    if _MIG_CONFIG_LABEL in made and made[_MIG_CONFIG_LABEL] != frozenset((_ALL_DISABLED,)):
        return f"nodes have the label {_MIG_CONFIG_LABEL}"
    return ""


def _partitions_cards(inputs: Inputs) -> bool:
    """Whether a container partitions cards, or may."""
    return any(may_run_command(container, _PARTED) for each in inputs.objects for _, container in each.containers)


@Rule(
    id="TG037",
    claim="Operator components that install something on the host are off",
    symptom="ImagePullBackOff of nvidia-vgpu-manager-daemonset; read-only file system in nvidia-kata-manager; no "
    "module nvidia_fs or gdrdrv",
    fix="Set the component's enabled: false. On Talos only an extension changes the host",
    source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/controllers/object_controls.go",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=operator_values(f"{_VALUES}gds: {{enabled: true}}\n"),
    # Both are on by default, and idle while no node runs virtual machines.
    passing=operator_values(f"{_VALUES}ccManager: {{enabled: true}}\nvfioManager: {{enabled: true}}\n"),
)
def _on_the_host(inputs: Inputs) -> Iterator[Violation]:
    talos = inputs.talos_version
    lacks = talos is not None and GDRDRV not in extension_names(talos.minor)
    for operator in operators(inputs):
        for component, (reason, fix) in _OTHERS.items():
            if operator.is_on(component, "enabled").is_yes:
                yield _not_on_talos(operator, component, reason, fix)
        if operator.is_on("gdrcopy", "enabled").is_yes and (lacks or not _has_gdrdrv(inputs)):
            reason = "gdrdrv is a container of the operator's driver DaemonSet, which does not run on Talos" + (
                f", and before Talos {GDRCOPY.first} no extension brings the module" if lacks else ""
            )
            fix = "Set gdrcopy.enabled: false" if lacks else f"Add the extension siderolabs/{GDRDRV}, or set gdrcopy.enabled: false"
            yield _not_on_talos(operator, "gdrcopy", reason, fix)
        workload = operator.value("sandboxWorkloads", "defaultWorkload")
        if operator.is_on("sandboxWorkloads", "enabled").is_yes and equals(workload, "vm-vgpu").is_yes:
            message = f"sandboxWorkloads.defaultWorkload is vm-vgpu, which needs the vGPU manager: {_OTHERS['vgpuManager'][0]}"
            fix = "Set sandboxWorkloads.defaultWorkload: vm-passthrough, or container"
            yield Violation(Severity.WARNING, message, operator.about, operator.path("sandboxWorkloads", "defaultWorkload"), fix=fix)


def _not_on_talos(operator: Operator, component: str, reason: str, fix: str) -> Violation:
    message = f"{component}.enabled is true: {reason}"
    edits = set_to(False, safe=False)
    return Violation(Severity.WARNING, message, operator.about, operator.path(component, "enabled"), fix=fix, edits=edits)


def _has_gdrdrv(inputs: Inputs) -> bool:
    """Whether a node has the extension, or may."""
    return any(not contains(each, GDRDRV).is_no for config in inputs.node_configs for each in config.extensions or ())
