"""RuntimeClasses: pods that do not name NVIDIA's, missing ones, wrong handlers, and sandboxes without the driver."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....observed.agents.agents import agents, device_plugins
from ....observed.agents.operators import Operator, may_make_runtime_class, operators, runtime_class_makers
from ....observed.model import Inputs, Path, Read, at, contains, is_unknown, known_str, known_text
from ....observed.model.talos_documents import fragments
from ....observed.nodes.node_settings import gpu_node_configs, is_whole
from ....observed.nodes.offers import only_virtual_machines
from ....observed.objects.object_names import may_have, named
from ....observed.pods.policies import doubt_of_policies
from ....observed.pods.workloads import gpu_workloads, workloads
from ....upstream.kubernetes.api import GVISOR_HANDLERS, KATA_HANDLERS, NVPROXY
from ...halves import whole_gpu_node
from ...injection import injection
from ...rule import Example, Rule, Severity, Violation, Witness, manifest, set_to
from .._causes import INSTALLER
from .._shared import DEFAULT_RUNTIME, RUNTIME_CLASS, WORKER, option_path, plain_release, pod

# Handlers that NVIDIA's toolkit registers on other systems, but Talos' extension does not
# (10-nvidia-container-runtime.part).
_ABSENT = ("nvidia-cdi", "nvidia-legacy")
_HANDLER = "nvidia"
_OBJECT = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": _HANDLER}, "handler": _HANDLER}

_PLUGIN = f"---\n{plain_release('nvidia-device-plugin', '0.20.0')}  values: {{runtimeClassName: nvidia, gfd: {{enabled: true}}}}\n"
_MACHINE = f'---\n{WORKER}  sysctls: {{net.core.bpf_jit_harden: "1"}}\n'
_UNNAMED = pod().replace("  runtimeClassName: nvidia\n", "")


@Rule(
    id="TG040",
    claim="A pod that requests a GPU names the RuntimeClass that injects the GPU",
    symptom="sh: nvidia-smi: not found; libcuda.so.1: cannot open shared object file; no NVIDIA GPU detected, in a pod with an allocated GPU",
    fix="Set runtimeClassName: nvidia in the pod spec",
    source="https://docs.siderolabs.com/talos/v1.12/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(_UNNAMED + _PLUGIN + _MACHINE, talos="1.12"),
    passing=Example(_UNNAMED + _PLUGIN + _MACHINE + DEFAULT_RUNTIME, talos="1.12"),
    causes=(INSTALLER,),
)
def _not_named(inputs: Inputs) -> Iterator[Violation]:
    how = injection(inputs)
    if how.severity is None or only_virtual_machines(inputs):
        return
    judged_elsewhere, doubt = {id(agent.about) for agent in agents(inputs)}, doubt_of_policies(inputs, "runtimeClassName")
    for workload in workloads(inputs):
        requesting = [container for container in workload.containers if container.gpus]
        if requesting and workload.complete and workload.runtime_class is None and id(workload.about) not in judged_elsewhere:
            message = f"the pod requests {next(iter(requesting[0].gpus))} without a runtimeClassName. {how.reason}"
            edits = set_to(_HANDLER, option_path(workload, "runtimeClassName"))
            plugins = ((each.about, each.base) for each in device_plugins(inputs)[:1])
            related = (*plugins, *whole_gpu_node(inputs))
            severity = Severity.INFO if doubt else how.severity
            yield Violation(severity, message + doubt, workload.about, (*workload.path, "runtimeClassName"), edits=edits, related=related)


@Rule(
    id="TG041",
    claim="A RuntimeClass that pods name exists",
    symptom='pod rejected: RuntimeClass "nvidia" not found',
    fix="Add {apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}, handler: nvidia}. The GPU "
    "operator creates its RuntimeClass itself",
    source="https://kubernetes.io/docs/concepts/containers/runtime-class/",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    lists_users=True,
    failing=Example(pod().removeprefix(RUNTIME_CLASS)),
    passing=Example(pod()),
    causes=(INSTALLER,),
)
def _not_defined(inputs: Inputs) -> Iterator[Violation]:
    for about, path, name in _named(inputs):
        if name not in _ABSENT and not may_make_runtime_class(inputs, name):
            message = f"nothing {inputs.here} creates the RuntimeClass {name}. Without the RuntimeClass the API server refuses the pods"
            yield Violation(Severity.WARNING, message, about, path, edits=manifest(_OBJECT) if name == _HANDLER else ())


def _named(inputs: Inputs) -> Iterator[tuple[Read, Path, str]]:
    """Every RuntimeClass of NVIDIA's that pods name, with its path."""
    for workload in workloads(inputs):
        name = workload.runtime_class
        if isinstance(name, str) and name and (name.startswith("nvidia") or workload.asks_for_gpus):
            yield workload.about, (*workload.path, "runtimeClassName"), name
    for agent in agents(inputs):
        name = at(agent.settings, "runtimeClassName")
        if agent.release is not None and isinstance(name, str) and name:
            yield agent.about, agent.path("runtimeClassName"), name


@Rule(
    id="TG042",
    claim="A RuntimeClass has a handler that Talos knows",
    symptom='Failed to create pod sandbox: no runtime for "nvidia-cdi" is configured',
    fix="Set handler: nvidia",
    source="siderolabs/extensions nvidia-gpu/nvidia-container-toolkit",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(RUNTIME_CLASS.replace("handler: nvidia", "handler: nvidia-cdi") + _MACHINE, talos="1.12"),
    passing=Example(RUNTIME_CLASS + _MACHINE, talos="1.12"),
)
def _no_handler(inputs: Inputs) -> Iterator[Violation]:
    handlers, severity = _handlers(inputs)
    if severity is None:
        return
    for about, path, name in _named(inputs):
        if name in _ABSENT and name not in handlers:
            message = (
                f"runtimeClassName is {name}, but Talos' extension registers only the handler nvidia. The pods stay in "
                f'ContainerCreating (no runtime for "{name}" is configured)'
            )
            fix, related = "Set runtimeClassName: nvidia", whole_gpu_node(inputs)
            yield Violation(severity, message, about, path, fix=fix, edits=set_to(_HANDLER), related=related)
    makers = runtime_class_makers(inputs)
    for each in inputs.of_kind("RuntimeClass"):
        if not isinstance(each.name, str) or any(isinstance(maker, Operator) for maker in makers[each.name]):
            continue  # TG014 compares it with the operator's own
        handler = each.at("handler")
        if not isinstance(handler, str) or not (each.name.startswith("nvidia") or handler.startswith("nvidia")):
            continue
        if handler != _HANDLER and handler not in handlers:
            message = (
                f"the handler is {handler}, but Talos' extension registers only the handler nvidia. Pods with this RuntimeClass stay in "
                f'ContainerCreating (no runtime for "{handler}" is configured)'
            )
            yield Violation(severity, message, each, ("handler",), edits=set_to(_HANDLER), related=whole_gpu_node(inputs))


def _handlers(inputs: Inputs) -> tuple[set[str], Severity | None]:
    """The handlers that machine configurations add, and the severity of a missing handler; None where a handler may be
    unread."""
    added: set[str] = set()
    unread = inputs.may_hide("CRICustomizationConfig")
    for config in inputs.node_configs:
        contents = [*(at(file, "content") for file in config.files or ()), *(text for _, text in fragments(config.at("documents")))]
        unread = unread or any(is_unknown(each) for each in contents)
        for content in contents:
            added |= set(re.findall(r"\bruntimes\.[\"']?([\w-]+)", known_text(content)))
    is_sure = any(is_whole(config) for config in gpu_node_configs(inputs))
    return added, None if unread else Severity.ERROR if is_sure else Severity.WARNING


_GVISOR = """\
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: gvisor}
handler: %s
"""
_SANDBOXED = pod().replace("runtimeClassName: nvidia", "runtimeClassName: gvisor")


@Rule(
    id="TG118",
    claim="A pod that requests a GPU does not run under gVisor or Kata Containers",
    symptom="sh: nvidia-smi: not found, or no CUDA-capable device is detected, in a pod with runtimeClassName gvisor or kata",
    fix='Set runtimeClassName: nvidia. For gVisor, register a handler whose runsc.toml has nvproxy = "true"; for '
    "virtual machines, hand the card over with sandboxWorkloads of the GPU operator",
    source="siderolabs/extensions#413; google/gvisor#9368; kata-containers/documentation#764",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(_SANDBOXED + _GVISOR % "runsc"),
    # The handler of somebody's own extension.
    passing=Example(_SANDBOXED + _GVISOR % "runsc-nvproxy"),
)
def _without_driver(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        name = workload.runtime_class
        handler = _handler(inputs, name) if isinstance(name, str) else None
        if handler in GVISOR_HANDLERS and not _may_have_nvproxy(inputs):
            message = (
                f"the pod requests {next(iter(workload.gpus))}, and runtimeClassName {name} is gVisor ({handler}). gVisor lets no program use NVIDIA's "
                f"driver without the option {NVPROXY}, which Talos' extension does not set. The container sees no GPU (nvidia-smi: not found)"
            )
            yield Violation(Severity.WARNING, message, workload.about, (*workload.path, "runtimeClassName"))
        elif handler in KATA_HANDLERS and not any(not each.is_on("sandboxWorkloads", "enabled").is_no for each in operators(inputs)):
            message = (
                f"the pod requests {next(iter(workload.gpus))}, and runtimeClassName {name} is Kata Containers ({handler}). The virtual machine gets no "
                "card that the node's driver holds. The pod does not start, or sees no GPU (nvidia-smi: not found)"
            )
            yield Violation(Severity.WARNING, message, workload.about, (*workload.path, "runtimeClassName"))


def _handler(inputs: Inputs, name: str) -> str | None:
    """The handler of a RuntimeClass: without the RuntimeClass in the inputs its name, which is mostly the handler's.
    None for an unread one."""
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
