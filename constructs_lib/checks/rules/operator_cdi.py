"""How GPUs reach a container: CDI against the generation of Talos, strategies that nothing on Talos answers to, and the operator's NRI plugin."""

from __future__ import annotations

from collections.abc import Iterator

from ...nodes.talos_version import Generation
from ...upstream.charts import gpu_operator_chart
from ...upstream.plugin_words import LIST_STRATEGY
from ...upstream.talos_features import LEGACY_LAYOUT, LEGACY_ROOT, NRI_ENABLED
from ..facts.gpu_node_configs import gpu_nodes_run_talos
from ..facts.operators import Operator, cdi_is_on, operators
from ..facts.plugin_options import PluginOption, options_of, plugin_options, strategies
from ..finding import Severity
from ..model import Inputs
from ..rule import Example, Found, Rule

_ENVVAR, _VOLUME_MOUNTS = "envvar", "volume-mounts"
_NO_LIBRARIES = f"the CDI specs name libraries where this Talos has none (they are under {LEGACY_ROOT} until 1.13)"


def _cdi_on_legacy(inputs: Inputs) -> Iterator[Found]:
    severity = Severity.ERROR if gpu_nodes_run_talos(inputs) else Severity.WARNING
    for operator in operators(inputs):
        if cdi_is_on(operator).is_yes and _makes_a_plugin(operator) and not options_of(inputs, operator, LIST_STRATEGY):
            said = "cdi.enabled is true" if operator.written("cdi", "enabled") is not None else "cdi.enabled is not set, and on by itself"
            yield Found(
                severity=severity,
                message=f"{said}: on Talos {inputs.talos_version} containers don't start, or find no driver, as {_NO_LIBRARIES}",
                about=operator.about,
                path=operator.path("cdi", "enabled"),
                fix="Set cdi.enabled: false; the plugin then hands GPUs on by envvar, and pods name runtimeClassName: nvidia",
            )
    for option in plugin_options(inputs):
        cdi = [word for word in strategies(option.value) if word.startswith("cdi-")]
        if option.name == LIST_STRATEGY and option.wins and cdi:
            yield Found(
                severity=severity if option.reader else Severity.WARNING,
                message=f"{option.written} is {option.value}: on Talos {inputs.talos_version} containers don't start, or find no driver, as "
                f"{_NO_LIBRARIES}",
                about=option.about,
                path=option.path,
            )


def _makes_a_plugin(operator: Operator) -> bool:
    """Whether it runs the device plugin over Talos' own toolkit; a toolkit of its own brings its own hooks."""
    return operator.is_on("devicePlugin", "enabled").is_yes and operator.is_on("toolkit", "enabled").is_no


def _unanswered(inputs: Inputs) -> Iterator[Found]:
    for option in plugin_options(inputs):
        words = strategies(option.value) if option.name == LIST_STRATEGY and option.wins else []
        if _VOLUME_MOUNTS in words and not any(word.startswith("cdi-") or word == _ENVVAR for word in words):
            yield _volume_mounts(inputs, option)
        elif _ENVVAR in words and _is_beside_cdi(inputs, option):
            yield Found(
                severity=Severity.WARNING,
                message=f"{option.written} is {option.value} beside CDI, which is on: containers may fail with unresolvable CDI devices",
                about=option.about,
                path=option.path,
                fix="Leave it out: the operator chooses the strategy by cdi.enabled",
            )


def _is_beside_cdi(inputs: Inputs, option: PluginOption) -> bool:
    is_operators = isinstance(option.reader, Operator) and cdi_is_on(option.reader).is_yes
    return is_operators and inputs.generation not in (None, Generation.LEGACY)


def _volume_mounts(inputs: Inputs, option: PluginOption) -> Found:
    known = option.reader is not None and gpu_nodes_run_talos(inputs)
    return Found(
        severity=Severity.ERROR if known else Severity.WARNING,
        message=f"{option.written} is {option.value}: no Talos configures its toolkit to accept devices as volume mounts, so that containers get "
        "no GPU",
        about=option.about,
        path=option.path,
    )


def _nri(inputs: Inputs) -> Iterator[Found]:
    for operator in operators(inputs):
        if operator.is_on("cdi", "nriPluginEnabled").is_yes:
            for severity, why in _against_nri(inputs, operator):
                yield Found(
                    severity=severity,
                    message=f"cdi.nriPluginEnabled is true {why}",
                    about=operator.about,
                    path=operator.path("cdi", "nriPluginEnabled"),
                )
                break


def _against_nri(inputs: Inputs, operator: Operator) -> Iterator[tuple[Severity, str]]:
    talos = inputs.talos_version
    if cdi_is_on(operator).is_no:
        yield Severity.ERROR, "and cdi.enabled is false: the chart refuses to render"
    if operator.is_on("toolkit", "enabled").is_no:
        yield Severity.ERROR, "and toolkit.enabled is false: the chart refuses to render, as the NRI plugin is a part of the toolkit"
    if talos is not None and talos.minor not in NRI_ENABLED:
        yield Severity.WARNING, f"on Talos {talos}, whose containerd has NRI off: no container gets a GPU"
    if operator.is_older_than(gpu_operator_chart.NRI_OLDEST):
        then = (
            f"its toolkit mounts more of the host than the NRI socket before {gpu_operator_chart.NRI_OLDEST}, and Talos' root is read-only"
        )
        yield Severity.WARNING, f"in gpu-operator v{operator.version}: {then}"


_BASE = "driver: {enabled: false}\ntoolkit: {enabled: false}\nmigManager: {enabled: false}\n"
_CDI = f"{_BASE}hostPaths: {{driverInstallDir: /usr/local}}\n"
# The operator up to 1.12 waits for markers; a folder that somebody fills stands for them here.
_LEGACY = f"{_BASE}hostPaths: {{driverInstallDir: /var/nvidia-driver}}\n"
_ENV = "devicePlugin: {env: [{name: DEVICE_LIST_STRATEGY, value: %s}]}\n"

RULES = (
    Rule(
        id="TG006",
        claim="Up to Talos 1.12 GPUs are not handed on by CDI",
        symptom="fork/exec /usr/bin/nvidia-ctk: no such file or directory; libcuda.so.1: cannot open shared object file; unresolvable CDI devices",
        severity=Severity.ERROR,
        fix="Set the device list strategy to envvar, and give pods runtimeClassName: nvidia",
        source="siderolabs/talos#13021; siderolabs/extensions#1019",
        judge=_cdi_on_legacy,
        failing=Example(chart="gpu-operator@v25.10.1", talos="1.12", yaml=_LEGACY),
        passing=Example(chart="gpu-operator@v25.10.1", talos="1.12", yaml=_LEGACY + _ENV % "envvar"),
        talos=LEGACY_LAYOUT,
    ),
    Rule(
        id="TG008",
        claim="The device list strategy is one that the container runtime of Talos answers to",
        symptom="unresolvable CDI devices after the upgrade to gpu-operator v25.10; pods start without /dev/nvidia0",
        severity=Severity.ERROR,
        fix="Use envvar in a plugin of your own, and leave DEVICE_LIST_STRATEGY out where the operator runs the plugin",
        source="NVIDIA/gpu-operator#1876; NVIDIA/nvidia-container-toolkit#1895",
        judge=_unanswered,
        failing=Example(chart="gpu-operator@v26.7.0", talos="1.13", yaml=_CDI + _ENV % "volume-mounts"),
        passing=Example(chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"{_CDI}cdi: {{enabled: false}}\n{_ENV % 'envvar'}"),
    ),
    Rule(
        id="TG012",
        claim="The operator's NRI plugin has the toolkit, CDI, and a Talos that loads it",
        symptom="the NRI Plugin cannot be enabled when the Container Toolkit is disabled",
        severity=Severity.ERROR,
        fix="Set cdi.nriPluginEnabled: false",
        source="NVIDIA/gpu-operator#2384",
        judge=_nri,
        failing=Example(chart="gpu-operator@v26.7.0", talos="1.14", yaml=f"{_CDI}cdi: {{nriPluginEnabled: true}}\n"),
        passing=Example(
            chart="gpu-operator@v26.7.0",
            talos="1.15",
            yaml="driver: {enabled: false}\nmigManager: {enabled: false}\ncdi: {nriPluginEnabled: true}\n"
            "toolkit: {installDir: /var/lib/nvidia}\nhostPaths: {driverInstallDir: /usr/local}\n",
        ),
    ),
)
