"""What the operator meets in the cluster: node feature discovery, RuntimeClasses, and labels that it overwrites."""

from __future__ import annotations

from collections.abc import Iterator

from ....arguments.commands import command
from ....observed.agents.agents import NFD_WORKER, may_run
from ....observed.agents.operators import operators
from ....observed.model import Inputs, equals, is_unknown
from ....observed.nodes.gpu_node_configs import gpu_node_configs
from ....upstream.charts.gpu_operator_chart import DEPLOY_LABEL
from ....upstream.nvidia.gpu_resources import PRESENT_LABEL
from ...edit import removal, set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import RUNTIME_CLASS, chart_release, operator_release
from .._talos import declared_labels, once, talconfig

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
    symptom='RuntimeClass.node.k8s.io "nvidia" is invalid: handler: Invalid value: "nvidia-container-runtime": field is immutable',
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
                yield Violation(Severity.INFO if same else Severity.ERROR, message, each, ("handler",), fix=fix)


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
