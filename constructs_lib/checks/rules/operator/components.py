"""Components of the GPU operator that can't work on Talos, and what the operator meets in the cluster: NFD,
RuntimeClasses, labels."""

from __future__ import annotations

from collections.abc import Iterator

from ....arguments.commands import command
from ....observed.agents.agent_kinds import may_run_command
from ....observed.agents.agents import NFD_WORKER, may_run
from ....observed.agents.operators import Operator, operators
from ....observed.model import Inputs, at, contains, equals, is_among, is_unknown, known_str
from ....observed.nodes.node_labels import labels_of_nodes
from ....observed.nodes.node_settings import gpu_node_configs
from ....upstream.charts.gpu_operator_chart import DEPLOY_LABEL
from ....upstream.nvidia.gpu_resources import ALL_DISABLED, MIG_CONFIG_LABEL, PRESENT_LABEL
from ....upstream.talos.extension_names import GDRDRV, extension_names
from ....upstream.talos.features import GDRCOPY
from ...rule import Example, Rule, Severity, Violation, Witness, removal, set_to
from .._causes import INSTALLER
from .._shared import OPERATOR, RUNTIME_CLASS, chart_release, declared_labels, once, operator_release, operator_values, talconfig

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
        if value not in (None, "", ALL_DISABLED):
            return f"migManager.config.{key} is {value}"
    if at(config, "create") is True:
        return "migManager.config has configurations of its own"
    made = labels_of_nodes(inputs).values
    if MIG_CONFIG_LABEL in made and made[MIG_CONFIG_LABEL] != frozenset((ALL_DISABLED,)):
        return f"nodes have the label {MIG_CONFIG_LABEL}"
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
    shown_by=Witness.PROGRAM,
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


_ALONE = f"{operator_release()}    nfd: {{enabled: false}}\n"
_NFD = (
    "---\n" + chart_release("node-feature-discovery", "0.19.0") + "    worker: {config: {sources: {pci: {deviceLabelFields: [vendor]}}}}\n"
)


@Rule(
    id="TG005",
    claim="Node feature discovery runs beside the GPU operator",
    symptom="unable to retrieve OS name from label feature.node.kubernetes.io/system-os_release.ID; no operands on any node",
    fix="Set nfd.enabled: true, or install the chart node-feature-discovery",
    source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/controllers/state_manager.go",
    severity=Severity.WARNING,
    shown_by=Witness.PROGRAM,
    failing=Example(_ALONE, talos="1.13"),
    passing=Example(_ALONE + _NFD, talos="1.13"),
    causes=(INSTALLER,),
)
def _nfd_missing(inputs: Inputs) -> Iterator[Violation]:
    if may_run(inputs, NFD_WORKER):
        return
    for operator in operators(inputs):
        # A release with NFD has the NFD worker among the agents.
        is_rendered = operator.release is None and any(equals(each.name, "gpu-operator").is_yes for each in inputs.of_kind("Deployment"))
        if is_rendered or operator.release:
            message = (
                f"{'the operator was rendered without NFD' if is_rendered else 'nfd.enabled is false'}, and no other node feature discovery was "
                "read. Without the labels of NFD the operator labels no node, and runs no operands"
            )
            path = operator.path() if is_rendered else operator.path("nfd", "enabled")
            yield Violation(Severity.WARNING, message, operator.about, path, edits=() if is_rendered else set_to(True, safe=False))


def _other(name: str, handler: str) -> str:
    return (
        operator_release()
        + "---\n"
        + RUNTIME_CLASS.replace("{name: nvidia}", f"{{name: {name}}}").replace("handler: nvidia", f"handler: {handler}")
    )


@Rule(
    id="TG014",
    claim="A RuntimeClass beside the operator has another name than the operator's own",
    # The refused value is null from Kubernetes 1.37 on: k8s.io/apimachinery@v0.37.2:pkg/api/validate/immutable.go
    symptom='RuntimeClass.node.k8s.io "nvidia" is invalid: handler: Invalid value: …: field is immutable',
    fix="Delete this RuntimeClass, which the operator creates itself, or rename it",
    source="NVIDIA/gpu-operator#446",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_other("nvidia", "nvidia-container-runtime"), talos="1.13"),
    passing=Example(_other("gpu", "nvidia"), talos="1.13"),
)
def _runtime_class(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        name = operator.value("operator", "runtimeClass")
        if not isinstance(name, str) or not operator.is_on("cdi", "nriPluginEnabled").is_no:
            continue
        for each in inputs.of_kind("RuntimeClass"):
            handler = each.at("handler")
            # The operator's own RuntimeClass, as kubectl prints it, has an owner.
            if equals(each.name, name).is_yes and not is_unknown(handler) and each.at("metadata", "ownerReferences") is None:
                same = handler == name
                effect = (
                    "Both have the same handler. The operator owns the RuntimeClass, and deletes it when the operator is uninstalled"
                    if same
                    else f"The handler here is {handler}, and the operator's is {name}. The update fails with 'handler: field is immutable'"
                )
                message = f"the operator also creates the RuntimeClass {name}. {effect}"
                fix = f"Remove the RuntimeClass {name} from these files (in the cluster: {command('kubectl delete runtimeclass {name}', name=name)}), or rename it"
                related = ((operator.about, operator.path("operator", "runtimeClass")),)
                yield Violation(Severity.INFO if same else Severity.ERROR, message, each, ("handler",), fix=fix, related=related)


_NODES = talconfig("    nodeLabels: {%s}\n")
_CLUSTER = f"{operator_release()}    nfd: {{enabled: true}}\n---\n{_NODES}"


@Rule(
    id="TG135",
    claim="Beside the GPU operator the machine configuration has no label nvidia.com/gpu.present",
    symptom="Setting node label nvidia.com/gpu.present=false; Node no longer has GPUs; Disabling all operands for node",
    fix="Remove nvidia.com/gpu.present from machine.nodeLabels (Talos 1.14: labels of KubeNodeConfig). The "
    "operator sets the label on every node that NFD has labelled with an NVIDIA device, so pods can select it all "
    "the same",
    source="NVIDIA/gpu-operator controllers/nodelabeling_controller.go; siderolabs/talos "
    "internal/app/machined/pkg/controllers/k8s/node_apply.go",
    severity=Severity.WARNING,
    shown_by=Witness.PROGRAM,
    failing=Example(_CLUSTER % 'nvidia.com/gpu.present: "true"'),
    passing=Example(_CLUSTER % 'nvidia.com/gpu.deploy.operator-validator: "false"'),
)
@once
def _present(inputs: Inputs) -> Iterator[Violation]:
    if not operators(inputs):
        return
    with_cards = {id(config) for config in gpu_node_configs(inputs)}
    for config in inputs.node_configs:
        for path, key, value in declared_labels(config):
            is_true = equals(value, "true")
            if key != PRESENT_LABEL or not (is_true.is_yes or (is_true.is_no and id(config) in with_cards)):
                continue
            until = (
                "until NFD has labelled the node, and without end on a node that NFD never labels"
                if is_true.is_yes
                else "without end on a node with a GPU"
            )
            message = (
                f"the GPU operator sets {PRESENT_LABEL} by itself, and the machine configuration sets it, too. Each overwrites the other many times "
                f"a second {until}; meanwhile the operator removes its labels {DEPLOY_LABEL}*, also your own"
            )
            yield Violation(Severity.WARNING, message, config, (*path, key), edits=removal(safe=False))
