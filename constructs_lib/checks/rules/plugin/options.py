"""Options of a device plugin that accept only certain words, and MPS, which is not known to work on Talos."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....arguments.spelling import most_similar
from ....observed.agents.agents import GFD, PLUGIN, Agent, device_plugins
from ....observed.agents.plugin_configs import PluginConfig, plugin_configs
from ....observed.agents.plugin_options import PluginOption, options_of, plugin_options, strategies
from ....observed.model import ChartRelease, Inputs, Path, Read, at, equals, known_list, known_str, mappings
from ....observed.nodes.node_labels import labels_of_nodes
from ....observed.nodes.node_settings import gpu_nodes_run_talos
from ....observed.objects.helm_values import is_on
from ....upstream.nvidia.plugin_words import (
    ALLOCATION_POLICY,
    CONFIG_FALLBACKS,
    DISCOVERY_ONLY_STRATEGY,
    DISCOVERY_STRATEGY,
    ID_STRATEGY,
    LIST_STRATEGY,
    MIG_STRATEGY,
    MOST_MPS_CLIENTS,
    AllocationPolicy,
    DeviceDiscoveryStrategy,
    DeviceIDStrategy,
    DeviceListStrategy,
    MigStrategy,
)
from ....upstream.programs.cluster_programs import HAMI_CHART, HAMI_FOLDERS, HOOK_FOLDER, MONITOR_SINCE, OLD_MONITOR_FOLDER, PRELOAD_SINCE
from ....upstream.talos.features import MPS_BREAKS
from ....upstream.talos.folders import IMAGE_FOLDERS
from ....upstream.talos.generations import working_strategies
from ....upstream.talos.minors import Minors
from ....upstream.version import Version
from ...halves import gpu_nodes_on_talos, talos_of_nodes
from ...rule import Example, Part, Rule, Severity, Violation, Witness, set_to
from .._shared import NAMED, RUNTIME_CLASS, chart_release, daemon_set
from .config_fields import GPU, sharing

_HOME = "/var/lib/hami"

_MOVED = """\
    global: {gpuHookPath: /var/lib/hami}
    devicePlugin: {libPath: /var/lib/hami/vgpu, monitor: {ctrPath: /var/lib/hami/vgpu/containers}}
"""


@Rule(
    id="TG119",
    claim="HAMi keeps its files in a folder that Talos can write",
    symptom='CreateContainerError of hami-device-plugin: failed to mkdir "/usr/local/vgpu": mkdir /usr/local/vgpu: read-only file system',
    fix="Set global.gpuHookPath, devicePlugin.libPath and devicePlugin.monitor.ctrPath to folders below /var",
    source="Project-HAMi/HAMi charts/hami/values.yaml; Project-HAMi/k8s-dra-driver#46",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(
        chart_release(HAMI_CHART, "2.10.0") + "    devicePlugin: {runtimeClassName: nvidia, libPath: /usr/local/vgpu}\n", talos="1.13"
    ),
    passing=Example(chart_release(HAMI_CHART, "2.10.0") + _MOVED, talos="1.13"),
)
def _read_only(inputs: Inputs) -> Iterator[Violation]:
    for release in inputs.releases:
        enabled = release.value("devicePlugin", "enabled") if equals(release.chart, HAMI_CHART).is_yes else False
        if enabled is not None and not is_on(enabled).is_yes:
            continue
        folders = {path: folder for path, folder in _folders(release) if isinstance(folder, str) and _is_read_only(folder)}
        if folders:
            path, folder = next(iter(folders.items()))
            is_default = release.value(*path) is None  # another source of values may set the folder
            whose, missing = ("GPU pods stay", f"{folder}/vgpu") if path == HOOK_FOLDER else ("HAMi's device plugin stays", folder)
            yield Violation(
                Severity.ERROR if gpu_nodes_run_talos(inputs) and not is_default else Severity.WARNING,
                f"{'.'.join(path)} is {folder}{' by default' if is_default else ''}, which is read-only on Talos. {whose} in CreateContainerError (failed to mkdir "
                f'"{missing}": read-only file system)',
                release,
                (*release.values_path, *path),
                fix=_fix(release),
                related=gpu_nodes_on_talos(inputs),
            )


def _folders(release: ChartRelease) -> Iterator[tuple[tuple[str, ...], object]]:
    """The chart's folders on the node with their paths in the values: the written folders, or else the defaults."""
    for path, default in HAMI_FOLDERS.items():
        key = OLD_MONITOR_FOLDER if "monitor" in path and _is_older(release, MONITOR_SINCE) else path
        value = release.value(*key)
        yield key, default if value is None else value


def _is_older(release: ChartRelease, version: str) -> bool:
    own, other = Version.parse(release.version), Version.parse(version)
    return own is not None and other is not None and own < other


def _is_read_only(folder: str) -> bool:
    return f"{folder}/".startswith(tuple(f"{each}/" for each in IMAGE_FOLDERS))


def _fix(release: ChartRelease) -> str:
    library, monitor, hook = (".".join(path) for path, _ in _folders(release))
    settings = f"Set {hook}: {_HOME}, {library}: {_HOME}/vgpu and {monitor}: {_HOME}/vgpu/containers"
    if not _is_older(release, PRELOAD_SINCE):
        return settings
    return f"Update HAMi to {PRELOAD_SINCE} (older releases write /usr/local/vgpu into ld.so.preload in any case, and limit nothing). {settings}"


_WORDS: dict[str, tuple[str, ...]] = {
    LIST_STRATEGY: tuple(map(str, DeviceListStrategy)),
    ID_STRATEGY: tuple(map(str, DeviceIDStrategy)),
    DISCOVERY_STRATEGY: tuple(map(str, DeviceDiscoveryStrategy)),
    MIG_STRATEGY: tuple(map(str, MigStrategy)),
    ALLOCATION_POLICY: tuple(map(str, AllocationPolicy)),
}
_OF_DISCOVERY = (*_WORDS[DISCOVERY_STRATEGY], DISCOVERY_ONLY_STRATEGY)

_CONTAINER = """\
        - name: nvidia-device-plugin-ctr
          image: nvcr.io/nvidia/k8s-device-plugin:v0.20.0
          env:
            - {name: DEVICE_LIST_STRATEGY, value: "%s"}
"""
PLUGIN_PODS = RUNTIME_CLASS + daemon_set(
    "nvidia-device-plugin", _CONTAINER, spec=f"{NAMED}      nodeSelector: {{kubernetes.io/hostname: gpu-1}}\n"
)


@Rule(
    id="TG009",
    claim="The strategies of a device plugin are known to the plugin and supported on Talos, which excludes Tegra's",
    symptom="invalid --device-list-strategy option: invalid strategy: envvars; CrashLoopBackOff of nvidia-device-plugin",
    fix="Use one of the words that the plugin knows",
    source="NVIDIA/k8s-device-plugin api/config/v1/strategy.go; NVIDIA/k8s-device-plugin internal/rm/tegra_devices.go",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(PLUGIN_PODS % "envvars", talos="1.12"),
    passing=Example(PLUGIN_PODS % "envvar", talos="1.12"),
)
def _unknown_words(inputs: Inputs) -> Iterator[Violation]:
    for option in plugin_options(inputs):
        known = _OF_DISCOVERY if option.name == DISCOVERY_STRATEGY and option.kind == GFD else _WORDS.get(option.name)
        for word in _written(option) if known else ():
            if known and word not in known:
                yield _wrong(inputs, option, word, known)
            elif (
                word == DeviceDiscoveryStrategy.TEGRA
                and option.name == DISCOVERY_STRATEGY
                and option.kind == PLUGIN
                and gpu_nodes_run_talos(inputs)
            ):
                yield _of_a_tegra(option)
    for plugin in device_plugins(inputs):
        fallbacks = plugin.value("config", "fallbackStrategies") if plugin.release else None
        for word in known_list(fallbacks):
            if isinstance(word, str) and word not in CONFIG_FALLBACKS:
                path = plugin.path("config", "fallbackStrategies")
                yield _unknown(
                    plugin.about, path, "config.fallbackStrategies", word, CONFIG_FALLBACKS, Severity.ERROR, "unknown fallback strategy"
                )


def _written(option: PluginOption) -> list[str]:
    """The known words of an option. A config file has a list or one word: a comma in the file is part of the word."""
    if option.name == LIST_STRATEGY and not (option.in_file and isinstance(option.value, str)):
        return strategies(option.value)
    word = known_str(option.value)
    return [] if word is None else [word]


def _wrong(inputs: Inputs, option: PluginOption, word: str, known: tuple[str, ...]) -> Violation:
    error = {LIST_STRATEGY: "invalid strategy", MIG_STRATEGY: "unknown MIG strategy"}.get(option.name, f"invalid --{option.name} option")
    severity = Severity.ERROR if option.wins else Severity.WARNING
    if option.in_file and "," in word and all(each.strip() in known for each in word.split(",")):
        message = f"{option.written} is {word!r}, which a config file takes for one word. The plugin exits with '{error}: {word}'"
        fix = f"Write a list: [{', '.join(each.strip() for each in word.split(','))}]"
        return Violation(severity, message, option.about, option.path, fix=fix)
    if option.name == LIST_STRATEGY:
        known = working_strategies(inputs.talos_version.minor if inputs.talos_version else None)
    return _unknown(option.about, option.path, option.written, word, known, severity, error)


def _of_a_tegra(option: PluginOption) -> Violation:
    message = (
        f"{option.written} is 'tegra', but Talos has no driver for a Tegra. The plugin offers one device named tegra on each node, and none of its "
        "cards"
    )
    return Violation(Severity.WARNING, message, option.about, option.path, fix="Use nvml, or auto, which is the default")


def _unknown(about: Read, path: Path, written: str, word: str, known: tuple[str, ...], severity: Severity, error: str) -> Violation:
    effect = ". The" if severity is Severity.ERROR else ", and another setting overrides it. Without the override the"
    similar = most_similar(word, known)
    message = f"{written} is {word!r}{effect} plugin exits with '{error}: {word}'"
    fix = f"Write {similar} in place of {word}. Words that work: {', '.join(known)}" if similar else f"Use one of {', '.join(known)}"
    edits = set_to(similar) if similar and equals(about.at(*path), word).is_yes else ()
    return Violation(severity, message, about, path, fix=fix, edits=edits)


_CAPABLE = "nvidia.com/mps.capable"


@Rule(
    id="TG025",
    claim="GPUs on Talos are shared by time-slicing, not by MPS",
    symptom="error waiting for MPS daemon; MPS client failed to connect to the MPS control daemon or the MPS server; init 250 result=11",
    fix="Use sharing.timeSlicing in place of sharing.mps. If MPS was tried and works, silence the rule and name the card in the reason",
    source="NVIDIA/k8s-device-plugin#1614; https://github.com/NVIDIA/k8s-device-plugin/tree/v0.20.0#with-cuda-mps",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(sharing("mps", GPU), talos="1.12"),
    passing=Example(sharing("timeSlicing", GPU), talos="1.12"),
    talos=Minors(until=14),
    without_talos=True,
)
def _mps(inputs: Inputs) -> Iterator[Violation]:
    for config in plugin_configs(inputs):
        if isinstance(config.at("sharing", "mps"), Mapping):
            severity, reason, related = next(_against_mps(inputs, config))
            yield Violation(severity, f"the config {config.key!r} shares GPUs by MPS{reason}", config.about, config.path, related=related)


def _against_mps(inputs: Inputs, config: PluginConfig) -> Iterator[tuple[Severity, str, tuple[Part, ...]]]:
    talos = inputs.talos_version
    if talos and talos.minor in MPS_BREAKS:
        reason = f". On Talos {talos} the MPS server exits as soon as a pod connects (init 250 result=11)"
        yield Severity.ERROR, reason, talos_of_nodes(inputs)
    mixing = _mixing(inputs, config)
    if mixing or equals(config.at("flags", "migStrategy"), MigStrategy.MIXED).is_yes:
        yield Severity.ERROR, " beside MIG. The plugin exits with 'using --mig-strategy=mixed is not supported with MPS'", mixing
    for _, resource in mappings(config.at("sharing", "mps", "resources")):
        replicas = at(resource, "replicas")
        if isinstance(replicas, int) and replicas > MOST_MPS_CLIENTS:
            yield (
                Severity.ERROR,
                f" with {replicas} replicas. The MPS daemon serves at most {MOST_MPS_CLIENTS} clients of a GPU, and exits with more",
                (),
            )
    if _nothing_runs_the_daemon(inputs, config):
        yield (
            Severity.WARNING,
            f", but nothing {inputs.here} sets the node label {_CAPABLE}. Unless something else sets the label, the MPS daemon stays at DESIRED 0, and the plugin waits for the daemon",
            (),
        )
    yield (
        Severity.WARNING,
        ". No report is known of MPS working on Talos. On a GeForce card the MPS server was seen to exit, and pods then ran on the CPU without an error",
        (),
    )


def _mixing(inputs: Inputs, config: PluginConfig) -> tuple[Part, ...]:
    """The options by which the config's readers name each MIG partition."""
    options = (option for reader in config.readers for option in options_of(inputs, reader, MIG_STRATEGY))
    return tuple((option.about, option.path) for option in options if equals(option.value, MigStrategy.MIXED).is_yes)


def _nothing_runs_the_daemon(inputs: Inputs, config: PluginConfig) -> bool:
    """Whether the chart's MPS daemon selects a label that GPU feature discovery would set, and GPU feature discovery is
    off."""
    charts = [reader.about for reader in config.readers if isinstance(reader, Agent) and reader.release and reader.complete]
    return bool(charts) and not labels_of_nodes(inputs).makes(_CAPABLE)
