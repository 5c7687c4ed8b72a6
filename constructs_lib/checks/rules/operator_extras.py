"""What else the operator can run, and can't on Talos: its MIG manager, and whatever installs something on the host."""

from __future__ import annotations

from collections.abc import Iterator

from ...upstream.extension_names import GDRDRV, extension_names
from ...upstream.talos_features import GDRCOPY
from ..facts.marker_scripts import may_run_command
from ..facts.node_labels import node_labels_made
from ..facts.operators import Operator, operators
from ..finding import Severity
from ..model import Inputs, at, contains, equals, is_among, known_str
from ..rule import Example, Found, Rule
from ._charts import OPERATOR

_MIG_CONFIG_LABEL = "nvidia.com/mig.config"
_ALL_DISABLED = "all-disabled"
_PARTED = "nvidia-mig-parted"

# What installs something on the host. Its driver container is built for an OS, and none for Talos; the others are parts of the driver's
# DaemonSet, or write where Talos is read-only.
_OTHERS = {
    "gds": (
        "nvidia-fs is a container of the operator's driver DaemonSet, which does not run on Talos, and no extension brings the module",
        "Set gds.enabled: false",
    ),
    "vgpuManager": (
        "its image is built for an OS by whoever has a licence, and there is none for Talos",
        "Set vgpuManager.enabled: false, and give whole cards to virtual machines (vm-passthrough)",
    ),
    "kataManager": (
        "it writes into /opt and into containerd's configuration, which are read-only on Talos",
        "Set kataManager.enabled: false, and use the extension siderolabs/kata-containers",
    ),
}


def _mig_manager(inputs: Inputs) -> Iterator[Found]:
    for operator in operators(inputs):
        strategy = operator.value("mig", "strategy")
        if not is_among(strategy, ("single", "mixed")).is_yes or operator.is_newer_than_known:
            continue
        asked = _asked_for(inputs, operator)
        if operator.is_on("migManager", "enabled").is_yes and asked:
            yield Found(
                severity=Severity.WARNING,
                message=f"mig.strategy is {strategy} and {asked}, which the MIG manager is to apply: on Talos it waits for systemd for ever, and "
                "cuts no card",
                about=operator.about,
                path=operator.path("migManager", "enabled"),
            )
        elif (
            operator.is_on("devicePlugin", "enabled").is_yes
            and any(nodes.mig_devices for nodes in inputs.nodes)
            and not _cuts_cards(inputs)
        ):
            yield Found(
                severity=Severity.WARNING,
                message=f"mig.strategy is {strategy} and the nodes have partitions, which nothing that was read cuts: the operator's MIG manager "
                "can't run on Talos",
                about=operator.about,
                path=operator.path("mig", "strategy"),
                fix="Cut the cards in an init container of a device plugin of your own (StandaloneDevicePlugin of this library), and set "
                "devicePlugin.enabled: false",
            )


def _asked_for(inputs: Inputs, operator: Operator) -> str:
    """What asks for partitions, empty where nothing does."""
    config = operator.written("migManager", "config")
    for key in ("name", "default"):
        value = known_str(at(config, key))
        if value not in (None, "", _ALL_DISABLED):
            return f"migManager.config.{key} is {value}"
    if at(config, "create") is True:
        return "migManager.config has configurations of its own"
    made = node_labels_made(inputs).made
    if _MIG_CONFIG_LABEL in made and made[_MIG_CONFIG_LABEL] != frozenset((_ALL_DISABLED,)):
        return f"nodes are labelled {_MIG_CONFIG_LABEL}"
    return ""


def _cuts_cards(inputs: Inputs) -> bool:
    """Whether a container cuts cards, or may."""
    return any(may_run_command(container, _PARTED) for each in inputs.objects for _, container in each.containers)


def _on_the_host(inputs: Inputs) -> Iterator[Found]:
    talos = inputs.talos_version
    lacks = talos is not None and GDRDRV not in extension_names(talos.minor)
    for operator in operators(inputs):
        for component, (why, fix) in _OTHERS.items():
            if operator.is_on(component, "enabled").is_yes:
                yield _cant(operator, component, why, fix)
        if operator.is_on("gdrcopy", "enabled").is_yes and (lacks or not _has_gdrdrv(inputs)):
            why = "gdrdrv is a container of the operator's driver DaemonSet, which does not run on Talos" + (
                f", and before Talos {GDRCOPY.first} no extension brings the module" if lacks else ""
            )
            fix = "Set gdrcopy.enabled: false" if lacks else f"Add the extension siderolabs/{GDRDRV}, or set gdrcopy.enabled: false"
            yield _cant(operator, "gdrcopy", why, fix)
        workload = operator.value("sandboxWorkloads", "defaultWorkload")
        if operator.is_on("sandboxWorkloads", "enabled").is_yes and equals(workload, "vm-vgpu").is_yes:
            yield Found(
                severity=Severity.WARNING,
                message=f"sandboxWorkloads.defaultWorkload is vm-vgpu, which needs the vGPU manager: {_OTHERS['vgpuManager'][0]}",
                about=operator.about,
                path=operator.path("sandboxWorkloads", "defaultWorkload"),
                fix="Set sandboxWorkloads.defaultWorkload: vm-passthrough, or container",
            )


def _cant(operator: Operator, component: str, why: str, fix: str) -> Found:
    return Found(
        severity=Severity.WARNING,
        message=f"{component}.enabled is true: {why}",
        about=operator.about,
        path=operator.path(component, "enabled"),
        fix=fix,
    )


def _has_gdrdrv(inputs: Inputs) -> bool:
    """Whether the extension is there, or may be."""
    return any(not contains(each, GDRDRV).is_no for config in inputs.node_configs for each in config.extensions or ())


_VALUES = OPERATOR.replace("migManager: {enabled: false}\n", "")

RULES = (
    Rule(
        id="TG013",
        claim="The operator's MIG manager is not what cuts the cards on Talos",
        symptom="nvidia-mig-manager logs Updating to MIG config: all-1g.10gb and nothing after it; no nvidia.com/mig.config.state=success",
        severity=Severity.WARNING,
        fix="Set migManager.enabled: false, and cut the cards with nvidia-mig-parted in a privileged init container of the device plugin",
        source="NVIDIA/gpu-operator#2501; NVIDIA/mig-parted#356",
        judge=_mig_manager,
        failing=Example(
            chart="gpu-operator@v26.7.0",
            talos="1.13",
            yaml=f"{_VALUES}mig: {{strategy: mixed}}\nmigManager: {{config: {{default: all-1g.10gb}}}}\n",
        ),
        # It schedules nothing where no card can be partitioned.
        passing=Example(
            chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"{_VALUES}mig: {{strategy: single}}\nmigManager: {{enabled: true}}\n"
        ),
    ),
    Rule(
        id="TG037",
        claim="The operator installs nothing else on the host",
        symptom="ImagePullBackOff of nvidia-vgpu-manager-daemonset; read-only file system in nvidia-kata-manager; no module nvidia_fs or gdrdrv",
        severity=Severity.WARNING,
        fix="Switch it off: on Talos only an extension changes the host",
        source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/controllers/object_controls.go",
        judge=_on_the_host,
        failing=Example(chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"{_VALUES}gds: {{enabled: true}}\n"),
        # On by themselves, and idle while no node is given to virtual machines.
        passing=Example(
            chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"{_VALUES}ccManager: {{enabled: true}}\nvfioManager: {{enabled: true}}\n"
        ),
    ),
)
