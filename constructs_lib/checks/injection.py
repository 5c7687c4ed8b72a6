"""GPU injection: whether a pod needs NVIDIA's RuntimeClass to get its GPU."""

from __future__ import annotations

from dataclasses import dataclass

from ..observed.agents.agents import DRA, PLUGIN, Agent, device_plugins, dra_drivers, hidden_kinds
from ..observed.agents.operators import Operator, cdi_is_on, is_own, may_run_operator, operators
from ..observed.agents.plugin_options import options_of
from ..observed.model import Answer, Inputs, contains, is_open, known_list, question
from ..observed.nodes.node_extensions import has_own_driver
from ..observed.nodes.node_settings import default_runtime_is_nvidia
from ..observed.nodes.offers import others_plugin
from ..upstream.nvidia.plugin_words import LIST_STRATEGY
from ..upstream.talos.generations import CLASS_ONLY
from .rule import Severity


@dataclass(frozen=True, kw_only=True, slots=True)
class Injection:
    """Whether a pod needs the RuntimeClass: the severity of a missing one, None if none is needed, and the reason."""

    severity: Severity | None
    reason: str = ""


_NOT_NEEDED = Injection(severity=None)
_GIVES = "only sets NVIDIA_VISIBLE_DEVICES, which NVIDIA's runtime reads. Without this runtime the container starts without a GPU (nvidia-smi: not found)"
_ENVVAR = f"The device plugin {_GIVES}"


def without_default_runtime(inputs: Inputs) -> str:
    """The clause that says how far it is known that NVIDIA's runtime is not the default."""
    if default_runtime_is_nvidia(inputs) is Answer.NO:
        return f"no machine configuration {inputs.here} makes NVIDIA's runtime the default"
    return "no machine configuration was read that could make NVIDIA's runtime the default"


@question
def injection(inputs: Inputs) -> Injection:
    """Whether pods need NVIDIA's RuntimeClass.

    A pod needs none if the default runtime is NVIDIA's, or if containerd injects by CDI or NRI. Somebody's own
    extension or toolkit may do so. A plugin that only sets a variable needs one.
    """
    default = default_runtime_is_nvidia(inputs)
    own = any(map(has_own_driver, inputs.node_configs))
    needs = inputs.talos_version.needs if inputs.talos_version else None
    without_handler = needs is not None and not needs.by_class
    if own or default in (Answer.YES, Answer.UNKNOWN) or without_handler or _others_inject(inputs):
        return _NOT_NEEDED
    plugins, running = device_plugins(inputs), operators(inputs)
    if is_by_cdi(inputs):
        return _NOT_NEEDED
    if plugins or running:
        severity = Severity.ERROR if plugins and default is Answer.NO and all(each.complete for each in plugins) else Severity.WARNING
        return Injection(
            severity=severity,
            reason=_ENVVAR if default is None else f"{_ENVVAR}. No machine configuration in these files makes NVIDIA's runtime the default",
        )
    if needs is not None and not needs.by_containerd:
        reason = f"{CLASS_ONLY.opening} only NVIDIA's runtime gives a container its GPU"
        return Injection(severity=Severity.WARNING, reason=reason)
    return Injection(severity=Severity.INFO, reason=f"With the default strategy, envvar, a device plugin {_GIVES}")


@question
def is_by_cdi(inputs: Inputs) -> bool:
    """Whether containerd injects GPUs by CDI, or may, so that NVIDIA_VISIBLE_DEVICES hides nothing."""
    by_containerd = inputs.talos_version is None or bool(inputs.talos_version.needs.by_containerd)
    plugins = any(_may_use_cdi(inputs, each) for each in device_plugins(inputs))
    return plugins or any(_injects(each, by_containerd=by_containerd) for each in operators(inputs))


def _injects(operator: Operator, *, by_containerd: bool) -> bool:
    """Whether an operator lets containerd inject GPUs, as far as is known. A toolkit that somebody patched for Talos
    may do so on every Talos."""
    has_own_toolkit = not operator.is_on("toolkit", "enabled").is_no and is_own(operator, "toolkit", "installDir")
    return has_own_toolkit or (by_containerd and not cdi_is_on(operator).is_no)


def _may_use_cdi(inputs: Inputs, plugin: Agent) -> bool:
    """Whether a plugin uses CDI devices, or may: by a strategy, or by an unread config."""
    values = [each.value for each in options_of(inputs, plugin, LIST_STRATEGY)]
    if any(not contains(word, "cdi").is_no for value in values for word in known_list(value) or [value]):
        return True
    return not plugin.complete or is_open(plugin.value("config"))


def _others_inject(inputs: Inputs) -> bool:
    """Whether GPUs come only by DRA, or from another vendor's plugin, or may come from unreadable inputs."""
    if hidden_kinds(inputs) & {PLUGIN, DRA} or (may_run_operator(inputs) and not operators(inputs)):
        return True
    return not device_plugins(inputs) and (others_plugin(inputs) or bool(dra_drivers(inputs)))
