"""GPU injection: CDI against the Talos version, device list strategies that Talos does not support, and the operator's
NRI plugin."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.operators import Operator, cdi_is_on, operators
from ....observed.agents.plugin_options import PluginOption, options_of, plugin_options, strategies
from ....observed.model import Inputs
from ....observed.nodes.node_settings import gpu_nodes_run_talos
from ....upstream.nvidia.plugin_words import LIST_STRATEGY
from ....upstream.talos.features import LEGACY_ROOT
from ....upstream.talos.generations import CDI_LAYOUT, CLASS_ONLY, NRI, NRI_ENABLED, Generation
from ...halves import gpu_nodes_on_talos, talos_of_nodes
from ...rule import Part, Rule, Severity, Violation, Witness, removal, set_to
from .._shared import operator_values

_ENVVAR, _VOLUME_MOUNTS = "envvar", "volume-mounts"
_NO_LIBRARIES = (
    f"the CDI specs name folders in which this Talos has no libraries (before {CDI_LAYOUT.first} the libraries are under {LEGACY_ROOT})"
)

_BASE = "driver: {enabled: false}\ntoolkit: {enabled: false}\nmigManager: {enabled: false}\n"
# Up to Talos 1.12 the operator waits for marker files; a staged driver folder stands for them here.
_LEGACY = f"{_BASE}hostPaths: {{driverInstallDir: /var/nvidia-driver}}\n"
_ENV = "devicePlugin: {env: [{name: DEVICE_LIST_STRATEGY, value: %s}]}\n"


@Rule(
    id="TG006",
    claim=f"{CLASS_ONLY.opening} GPUs are not injected by CDI",
    symptom="unable to create cdi spec file: failed to locate libcuda.so; fork/exec /usr/bin/nvidia-ctk: no such file or directory; "
    "libcuda.so.1: cannot open shared object file; unresolvable CDI devices",
    fix="Set DEVICE_LIST_STRATEGY=envvar (the chart's deviceListStrategy: envvar), and runtimeClassName: nvidia in the pods",
    source="siderolabs/talos#13021; siderolabs/extensions#1019",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=operator_values(_LEGACY, talos="1.12", version="v25.10.1"),
    passing=operator_values(_LEGACY + _ENV % "envvar", talos="1.12", version="v25.10.1"),
    talos=CLASS_ONLY,
)
def _cdi_on_legacy(inputs: Inputs) -> Iterator[Violation]:
    severity = Severity.ERROR if gpu_nodes_run_talos(inputs) else Severity.WARNING
    for operator in operators(inputs):
        if cdi_is_on(operator).is_yes and _makes_a_plugin(operator) and not options_of(inputs, operator, LIST_STRATEGY):
            setting = "cdi.enabled is true" if operator.written("cdi", "enabled") is not None else "cdi.enabled is true by default"
            message = f"{setting}. On Talos {inputs.talos_version} containers don't start, or find no driver: {_NO_LIBRARIES}"
            fix = "Set cdi.enabled: false in the operator's values (the plugin uses envvar), and runtimeClassName: nvidia in the pods"
            yield Violation(severity, message, operator.about, operator.path("cdi", "enabled"), fix=fix, edits=set_to(False))
    for option in plugin_options(inputs):
        cdi = [word for word in strategies(option.value) if word.startswith("cdi-")]
        if option.name == LIST_STRATEGY and option.wins and cdi:
            message = (
                f"{option.written} is {option.value}. On Talos {inputs.talos_version} the plugin ends where its own container has no "
                f"libraries below /driver-root; else containers don't start, or find no driver: {_NO_LIBRARIES}"
            )
            edits = set_to(_ENVVAR) if not option.in_file else ()
            yield Violation(severity if option.reader else Severity.WARNING, message, option.about, option.path, edits=edits)


def _makes_a_plugin(operator: Operator) -> bool:
    """Whether an operator runs the device plugin with Talos' toolkit; the operator's own toolkit brings its own
    hooks."""
    return operator.is_on("devicePlugin", "enabled").is_yes and operator.is_on("toolkit", "enabled").is_no


_CDI = f"{_BASE}hostPaths: {{driverInstallDir: /usr/local}}\n"


@Rule(
    id="TG008",
    claim="The container runtime of Talos supports the device list strategy",
    symptom='StartError: identifier is not a valid UUID or index: "/var/run/nvidia-container-devices"; unresolvable CDI devices '
    "after the upgrade to gpu-operator v25.10; pods start without /dev/nvidia0",
    fix="Set DEVICE_LIST_STRATEGY=envvar in a standalone plugin, or remove DEVICE_LIST_STRATEGY if the operator runs the plugin",
    source="NVIDIA/gpu-operator#1876; NVIDIA/nvidia-container-toolkit#1895",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=operator_values(_CDI + _ENV % "volume-mounts"),
    passing=operator_values(f"{_CDI}cdi: {{enabled: false}}\n{_ENV % 'envvar'}"),
)
def _unanswered(inputs: Inputs) -> Iterator[Violation]:
    for option in plugin_options(inputs):
        words = strategies(option.value) if option.name == LIST_STRATEGY and option.wins else []
        if _VOLUME_MOUNTS in words and not any(word.startswith("cdi-") or word == _ENVVAR for word in words):
            yield _volume_mounts(inputs, option)
        elif _ENVVAR in words and _is_beside_cdi(inputs, option):
            message = f"{option.written} is {option.value}, but CDI is on. Containers may fail with unresolvable CDI devices"
            fix = f"Remove {option.written}: the operator chooses the strategy by cdi.enabled"
            edits = removal(option.path[:-1], safe=False) if not option.in_file else ()
            yield Violation(Severity.WARNING, message, option.about, option.path, fix=fix, edits=edits)


def _is_beside_cdi(inputs: Inputs, option: PluginOption) -> bool:
    is_operators = isinstance(option.reader, Operator) and cdi_is_on(option.reader).is_yes
    return is_operators and inputs.generation not in (None, Generation.LEGACY)


def _volume_mounts(inputs: Inputs, option: PluginOption) -> Violation:
    known = option.reader is not None and gpu_nodes_run_talos(inputs)
    message = (
        f"{option.written} is {option.value}, but no Talos configures its toolkit to accept devices as volume mounts. Containers get no GPU"
    )
    edits = () if option.in_file else removal(option.path[:-1]) if isinstance(option.reader, Operator) else set_to(_ENVVAR)
    severity = Severity.ERROR if known else Severity.WARNING
    return Violation(severity, message, option.about, option.path, edits=edits, related=gpu_nodes_on_talos(inputs))


@Rule(
    id="TG012",
    claim="The operator's NRI plugin has the toolkit, CDI, and a Talos with NRI on",
    symptom="the NRI Plugin cannot be enabled when the Container Toolkit is disabled",
    fix="Set cdi.nriPluginEnabled: false",
    source="NVIDIA/gpu-operator#2384",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=operator_values(f"{_CDI}cdi: {{nriPluginEnabled: true}}\n", talos="1.14"),
    passing=operator_values(
        "driver: {enabled: false}\nmigManager: {enabled: false}\ncdi: {nriPluginEnabled: true}\n"
        "toolkit: {installDir: /var/lib/nvidia}\nhostPaths: {driverInstallDir: /usr/local}\n",
        talos="1.15",
    ),
)
def _nri(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        if operator.is_on("cdi", "nriPluginEnabled").is_yes:
            for severity, reason, related in _against_nri(inputs, operator):
                message = f"cdi.nriPluginEnabled is true{reason}"
                path = operator.path("cdi", "nriPluginEnabled")
                yield Violation(severity, message, operator.about, path, edits=set_to(False), related=related)
                break


def _against_nri(inputs: Inputs, operator: Operator) -> Iterator[tuple[Severity, str, tuple[Part, ...]]]:
    talos = inputs.talos_version
    cdi, toolkit = (((operator.about, operator.path(part, "enabled")),) for part in ("cdi", "toolkit"))
    if cdi_is_on(operator).is_no:
        yield Severity.ERROR, ", but cdi.enabled is false: the chart refuses to render", cdi
    if operator.is_on("toolkit", "enabled").is_no:
        reason = ", but toolkit.enabled is false: the chart refuses to render, because the NRI plugin is a part of the toolkit"
        yield Severity.ERROR, reason, toolkit
    if talos is not None and talos.minor not in NRI_ENABLED:
        yield Severity.WARNING, f", but the containerd of Talos {talos} has NRI off: no container gets a GPU", talos_of_nodes(inputs)
    if operator.is_older_than(NRI.operator):
        reason = f"before {NRI.operator} the toolkit mounts more of the host than the NRI socket, and Talos' root is read-only"
        yield Severity.WARNING, f" in gpu-operator v{operator.version}: {reason}", ()
