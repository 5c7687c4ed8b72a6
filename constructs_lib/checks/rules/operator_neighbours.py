"""Node feature discovery and RuntimeClasses beside the operator."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.commands import command
from ...observed.agents.agents import NFD_WORKER, may_run
from ...observed.agents.operators import operators
from ...observed.model import Inputs, equals, is_unknown
from ..edit import set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._charts import RUNTIME_CLASS, chart_release, operator_release


def _nfd_missing(inputs: Inputs) -> Iterator[Violation]:
    if may_run(inputs, NFD_WORKER):
        return
    for operator in operators(inputs):
        # A release with NFD has the NFD worker among the agents.
        is_rendered = operator.release is None and any(equals(each.name, "gpu-operator").is_yes for each in inputs.of_kind("Deployment"))
        if is_rendered or operator.release:
            yield Violation(
                severity=Severity.WARNING,
                message=f"{'the operator was rendered without NFD' if is_rendered else 'nfd.enabled is false'}, and no other node feature discovery was "
                "read. Without the labels of NFD the operator labels no node, and runs no operands",
                about=operator.about,
                path=operator.path() if is_rendered else operator.path("nfd", "enabled"),
                edits=() if is_rendered else set_to(True, safe=False),
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
                yield Violation(
                    severity=Severity.INFO if same else Severity.ERROR,
                    message=f"the operator also creates the RuntimeClass {name}. {effect}",
                    about=each,
                    path=("handler",),
                    fix=f"Remove the RuntimeClass {name} from these files (in the cluster: {command('kubectl delete runtimeclass {name}', name=name)}), or rename it",
                )


_ALONE = f"{operator_release()}    nfd: {{enabled: false}}\n"
_NFD = (
    "---\n" + chart_release("node-feature-discovery", "0.19.0") + "    worker: {config: {sources: {pci: {deviceLabelFields: [vendor]}}}}\n"
)


def _other(name: str, handler: str) -> str:
    return (
        operator_release()
        + "---\n"
        + RUNTIME_CLASS.replace("{name: nvidia}", f"{{name: {name}}}").replace("handler: nvidia", f"handler: {handler}")
    )


RULES = (
    Rule(
        **WORDS["TG005"],
        severity=Severity.WARNING,
        check=_nfd_missing,
        failing=Example(talos="1.13", yaml=_ALONE),
        passing=Example(talos="1.13", yaml=_ALONE + _NFD),
    ),
    Rule(
        **WORDS["TG014"],
        severity=Severity.ERROR,
        check=_runtime_class,
        failing=Example(talos="1.13", yaml=_other("nvidia", "nvidia-container-runtime")),
        passing=Example(talos="1.13", yaml=_other("gpu", "nvidia")),
    ),
)
