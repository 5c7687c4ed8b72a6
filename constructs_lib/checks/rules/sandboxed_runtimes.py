"""GPU pods under gVisor or Kata Containers, which have a kernel of their own without NVIDIA's driver."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.agents.operators import operators
from ...observed.model import Inputs, at, contains, known_str
from ...observed.model.containerd_fragments import fragments
from ...observed.objects.object_names import may_have, named
from ...observed.pods.workloads import gpu_workloads
from ...upstream.kubernetes.sandbox_handlers import GVISOR_HANDLERS, KATA_HANDLERS, NVPROXY
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._pods import pod


def _without_driver(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        name = workload.runtime_class
        handler = _handler(inputs, name) if isinstance(name, str) else None
        if handler in GVISOR_HANDLERS and not _may_have_nvproxy(inputs):
            yield Violation(
                severity=Severity.WARNING,
                message=f"the pod requests {next(iter(workload.gpus))}, and runtimeClassName {name} is gVisor ({handler}). gVisor lets no program use NVIDIA's "
                f"driver without the option {NVPROXY}, which Talos' extension does not set. The container sees no GPU (nvidia-smi: not found)",
                about=workload.about,
                path=(*workload.path, "runtimeClassName"),
            )
        elif handler in KATA_HANDLERS and not any(not each.is_on("sandboxWorkloads", "enabled").is_no for each in operators(inputs)):
            yield Violation(
                severity=Severity.WARNING,
                message=f"the pod requests {next(iter(workload.gpus))}, and runtimeClassName {name} is Kata Containers ({handler}). The virtual machine gets no "
                "card that the node's driver holds. The pod does not start, or sees no GPU (nvidia-smi: not found)",
                about=workload.about,
                path=(*workload.path, "runtimeClassName"),
            )


def _handler(inputs: Inputs, name: str) -> str | None:
    """The handler of a RuntimeClass: without the RuntimeClass in the inputs its name, which is mostly the handler's. None for an unread one."""
    classes = named(inputs, "RuntimeClass", name)
    if classes:
        return known_str(classes[0].at("handler"))
    if may_have(inputs, "RuntimeClass", name, None):
        return None
    return GVISOR_HANDLERS[0] if name == "gvisor" else name


def _may_have_nvproxy(inputs: Inputs) -> bool:
    """Whether a machine configuration sets runsc's option, or may."""
    contents = [
        text
        for config in inputs.node_configs
        for text in (*(at(file, "content") for file in config.files or ()), *(text for _, text in fragments(config.at("documents"))))
    ]
    return any(not contains(text, NVPROXY).is_no for text in contents) or inputs.may_hide("CRICustomizationConfig")


_GVISOR = """\
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: gvisor}
handler: %s
"""
_SANDBOXED = pod().replace("runtimeClassName: nvidia", "runtimeClassName: gvisor")

RULES = (
    Rule(
        **WORDS["TG118"],
        severity=Severity.WARNING,
        check=_without_driver,
        failing=Example(yaml=_SANDBOXED + _GVISOR % "runsc"),
        # The handler of somebody's own extension.
        passing=Example(yaml=_SANDBOXED + _GVISOR % "runsc-nvproxy"),
    ),
)
