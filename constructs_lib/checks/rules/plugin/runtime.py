"""Access of a device plugin to the driver: NVIDIA's runtime, privileges, and the driver root of its CDI specs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ....observed.agents.agents import GFD, MPS_DAEMON, Agent, agents, device_plugins
from ....observed.agents.plugin_configs import plugin_configs
from ....observed.agents.plugin_options import options_of, strategies
from ....observed.model import Answer, ChartRelease, Inputs, Path, at, equals, is_among, is_given, is_open, is_unknown, known_str, mappings
from ....observed.nodes.node_labels import labels_of_nodes
from ....observed.nodes.node_settings import default_runtime_is_nvidia
from ....observed.pods.workloads import gpu_workloads
from ....upstream.charts.device_plugin_chart import CONTAINER_DRIVER_ROOT, CONTAINER_DRIVER_ROOT_VARIABLES
from ....upstream.nvidia.agent_programs import BY_THE_RUNTIME
from ....upstream.nvidia.gpu_resources import MIG_CONFIG_LABEL, MIG_RESOURCE
from ....upstream.nvidia.plugin_words import DISCOVERY_STRATEGY, DRIVER_ROOT_OPTION, LIST_STRATEGY, MIG_STRATEGY
from ....upstream.talos.minors import Minors
from ...halves import whole_gpu_node
from ...injection import without_default_runtime
from ...rule import Edit, Example, Rule, Severity, Violation, Witness, set_to
from .._shared import DEFAULT_RUNTIME, RUNTIME_CLASS, chart_release, node_config, plugin_release
from .options import PLUGIN_PODS

_LIBRARY = "libnvidia-ml.so.1"

_PLUGIN = chart_release("nvidia-device-plugin", "0.20.0").replace("  values:\n", "")


@Rule(
    id="TG018",
    claim="A device plugin and GPU feature discovery run with NVIDIA's runtime",
    symptom="Failed to initialize NVML: ERROR_LIBRARY_NOT_FOUND; could not load NVML library; Incompatible strategy detected auto; "
    "No devices found. Waiting indefinitely",
    fix="Set runtimeClassName: nvidia in the chart's values",
    source="NVIDIA/k8s-device-plugin#1220; siderolabs/talos#12901",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(f"{RUNTIME_CLASS}---\n{_PLUGIN}---\n{node_config()}"),
    passing=Example(f"{_PLUGIN}---\n{node_config(DEFAULT_RUNTIME)}"),
    talos=Minors(until=14),
    without_talos=True,
)
def _no_runtime_class(inputs: Inputs) -> Iterator[Violation]:
    default = default_runtime_is_nvidia(inputs)
    if default in (Answer.YES, Answer.UNKNOWN):
        return
    for agent in agents(inputs):
        if is_given(agent.value("runtimeClassName")) or not _wants_the_runtime(inputs, agent):
            continue
        sure = default is Answer.NO and not _brings_the_driver(agent)
        message = (
            f"{agent.label} has no runtimeClassName, and {without_default_runtime(inputs)}. "
            f"Without NVIDIA's runtime its container has no {_LIBRARY}, and finds no GPU"
        )
        path = agent.path("runtimeClassName")
        fix = None if agent.release else "Set spec.template.spec.runtimeClassName: nvidia"
        severity, related = Severity.ERROR if sure else Severity.WARNING, whole_gpu_node(inputs)
        yield Violation(severity, message, agent.about, path, fix=fix, edits=set_to("nvidia"), related=related)


def _wants_the_runtime(inputs: Inputs, agent: Agent) -> bool:
    if agent.kind == GFD and agent.release and any(plugin.about is agent.about for plugin in device_plugins(inputs)):
        return False  # one value of the chart serves both
    if agent.kind == MPS_DAEMON:
        # The chart always renders the MPS daemon; the daemon runs only with a config that has MPS.
        return any(isinstance(config.at("sharing", "mps"), Mapping) for config in plugin_configs(inputs))
    if any(not equals(option.value, "tegra").is_no for option in options_of(inputs, agent, DISCOVERY_STRATEGY)):
        return False
    return agent.kind in BY_THE_RUNTIME


def _brings_the_driver(agent: Agent) -> bool:
    """Whether the host's driver is mounted where the plugin itself looks for the library
    (cmd/nvidia-device-plugin/main.go)."""
    if agent.release:
        return agent.value("nvidiaDriverRoot") is not None
    mounts = at(agent.container, "volumeMounts")
    return is_open(mounts) or any(not equals(at(mount, "mountPath"), CONTAINER_DRIVER_ROOT).is_no for _, mount in mappings(mounts))


_MIG = plugin_release() + "    migStrategy: mixed\n"


@Rule(
    id="TG038",
    claim="A device plugin with a MIG strategy is privileged, from Talos 1.12 on",
    symptom="error building MIG device map: error getting device memory info: Insufficient Permissions",
    fix="Set securityContext: {privileged: true} in the chart's values, or migStrategy: none if no card has MIG partitions",
    source="NVIDIA/nvidia-container-toolkit#1740; NVIDIA/k8s-device-plugin#1683",
    severity=Severity.INFO,
    shown_by=Witness.CARD,
    failing=Example(_MIG, talos="1.13"),
    passing=Example(_MIG + "    securityContext: {privileged: true}\n", talos="1.13"),
    # Container toolkit 1.18 no longer gives a container the capabilities that reading partitions needs.
    talos=Minors(since=12),
)
def _unprivileged_mig(inputs: Inputs) -> Iterator[Violation]:
    for plugin in device_plugins(inputs):
        options = [option for option in options_of(inputs, plugin, MIG_STRATEGY) if is_among(option.value, ("single", "mixed")).is_yes]
        if options and _is_unprivileged(plugin):
            has_partitions = _has_partitions(inputs)
            where = "" if has_partitions else " on a card with MIG partitions"
            message = (
                f"{options[0].written} is {options[0].value}, but the plugin is not privileged. From Talos 1.12 on the plugin exits with "
                f"Insufficient Permissions{where}"
            )
            edits = _privileged(plugin) if has_partitions and options[0].about is plugin.about else ()
            yield Violation(Severity.WARNING if has_partitions else Severity.INFO, message, options[0].about, options[0].path, edits=edits)


def _privileged(plugin: Agent) -> tuple[Edit, ...]:
    """The edit of a chart's values without a security context: privileges beside other settings may contradict them."""
    if plugin.release is None or plugin.value("securityContext"):
        return ()
    return set_to({"privileged": True}, plugin.path("securityContext"), safe=False)


def _is_unprivileged(plugin: Agent) -> bool:
    """Whether a plugin is surely not privileged."""
    if plugin.release:
        if is_given(plugin.value("compatWithCPUManager")) and plugin.value("compatWithCPUManager") is not False:
            return False
        return equals(at(plugin.value("securityContext"), "privileged"), True).is_no
    return equals(at(plugin.container, "securityContext", "privileged"), True).is_no


def _has_partitions(inputs: Inputs) -> bool:
    """Whether a card has MIG partitions, or a workload requests one."""
    requested = any(name.startswith(MIG_RESOURCE) for workload in gpu_workloads(inputs) for name in workload.gpus)
    return requested or any(nodes.mig_devices for nodes in inputs.nodes) or MIG_CONFIG_LABEL in labels_of_nodes(inputs).values


_ROOTS = """\
            - {{name: NVIDIA_DRIVER_ROOT, value: {}}}
          securityContext: {{privileged: true}}
          volumeMounts: [{{name: driver-root, mountPath: /driver-root, readOnly: true}}]
      volumes: [{{name: driver-root, hostPath: {{path: /}}}}]
"""
_CDI = PLUGIN_PODS % "cdi-annotations,cdi-cri"


@Rule(
    id="TG020",
    claim="A plugin that writes CDI specs mounts the host's driver from the folder that NVIDIA_DRIVER_ROOT names",
    symptom='CreateContainerError: failed to stat CDI host device "/usr/local/dev/nvidia-modeset": no such file or directory; '
    "RunContainerError: error mounting /usr/local/usr/local/lib/libcuda.so to rootfs",
    fix="Mount hostPath / at /driver-root, and set NVIDIA_DRIVER_ROOT=/",
    source="https://github.com/proompteng/lab/commit/e1e5b38d; NVIDIA/k8s-device-plugin internal/cdi/cdi.go",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(_CDI + _ROOTS.format("/usr/local"), talos="1.13"),
    passing=Example(_CDI + _ROOTS.format("/"), talos="1.13"),
)
def _cdi_roots(inputs: Inputs) -> Iterator[Violation]:
    for plugin in device_plugins(inputs):
        options = options_of(inputs, plugin, LIST_STRATEGY)
        if not any(word.startswith("cdi-") for option in options for word in strategies(option.value)):
            continue
        roots = options_of(inputs, plugin, DRIVER_ROOT_OPTION)
        root = roots[0].value if roots else None
        if plugin.release:
            if root is None and plugin.complete:
                yield _no_root(plugin, options[0].path)
        elif not is_unknown(root):
            yield from _of_daemon_set(plugin, known_str(root) or "/", roots[0].path if roots else options[0].path)


def _of_daemon_set(plugin: Agent, root: str, path: Path) -> Iterator[Violation]:
    env, mounts = at(plugin.container, "env"), at(plugin.container, "volumeMounts")
    named = [(is_among(at(each, "name"), CONTAINER_DRIVER_ROOT_VARIABLES), at(each, "value")) for _, each in mappings(env)]
    if is_open(env) or is_open(mounts) or any(not is_it.is_no and not (is_it.is_yes and isinstance(value, str)) for is_it, value in named):
        return
    inside = next((value for is_it, value in named if is_it.is_yes), CONTAINER_DRIVER_ROOT)
    mounted = [at(each, "name") for _, each in mappings(mounts) if not equals(at(each, "mountPath"), inside).is_no]
    volumes = [each for each in mappings(at(plugin.spec, "volumes")) if is_among(at(each[1], "name"), mounted).is_yes]
    number, volume = volumes[0] if volumes else (0, {})
    folder = at(volume, "hostPath", "path")
    if not mounted:
        yield _no_root(plugin, path)
    elif isinstance(folder, str) and (folder.rstrip("/") or "/") != (root.rstrip("/") or "/"):
        message = (
            f"NVIDIA_DRIVER_ROOT is {root}, but {inside} is the host's {folder}. The CDI specs name host files that do not exist, and containers "
            "can't be created"
        )
        fix = f"Set NVIDIA_DRIVER_ROOT={folder}, the host folder that is mounted at {inside}"
        edits, related = (
            set_to(folder) if path[-1] == "value" else (),
            ((plugin.about, plugin.path("volumes", number, "hostPath", "path")),),
        )
        yield Violation(Severity.ERROR, message, plugin.about, path, fix=fix, edits=edits, related=related)


def _no_root(plugin: Agent, path: Path) -> Violation:
    where = "nvidiaDriverRoot is not set" if plugin.release else f"nothing is mounted at {CONTAINER_DRIVER_ROOT}"
    message = f"the device list strategy is CDI, but {where}. The plugin finds no driver, and its CDI specs name no library"
    fix = (
        "Set nvidiaDriverRoot: /"
        if plugin.release
        else f"Mount hostPath / at {CONTAINER_DRIVER_ROOT} with readOnly: true, and set NVIDIA_DRIVER_ROOT=/"
    )
    edits = set_to("/", (*plugin.about.values_path, "nvidiaDriverRoot"), safe=False) if isinstance(plugin.about, ChartRelease) else ()
    return Violation(Severity.WARNING, message, plugin.about, path, fix=fix, edits=edits)
