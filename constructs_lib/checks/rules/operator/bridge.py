"""The bridge that the GPU operator needs up to Talos 1.12, and leftovers of that Talos in charts."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.bridges import bridges, may_have_a_bridge, stages_the_driver, validator_is_off
from ....observed.agents.operators import Operator, cdi_is_on, operators
from ....observed.agents.plugin_options import plugin_options
from ....observed.model import Inputs, Path, all_of, at, contains, equals, mappings
from ....observed.nodes.node_settings import gpu_nodes_run_talos
from ....upstream.charts.gpu_operator_chart import TOOLKIT_READY, VALIDATIONS, VALIDATOR_LABEL
from ....upstream.nvidia.plugin_words import DRIVER_ROOT_OPTION
from ....upstream.talos.features import DRIVER_ROOT, LEGACY_ROOT
from ....upstream.talos.generations import BRIDGED, CDI, CDI_LAYOUT, LEGACY_LAYOUT, UNBRIDGED
from ...rule import Example, Rule, Severity, Violation, Witness, removal, set_to
from .._shared import daemon_set, operator_values

_WAITING = f"Every operand waits in Init:0/1 for {VALIDATIONS}/{TOOLKIT_READY}"

LEGACY_VALUES = """\
driver: {enabled: false}
toolkit: {enabled: false}
cdi: {enabled: false}
migManager: {enabled: false}
"""
_CONTAINER = """\
        - name: bridge
          image: busybox:1.37.0
          command: [sh, -c]
          args:
            - |
              while true; do
                touch /run/nvidia/validations/driver-ready /run/nvidia/validations/toolkit-ready
                sleep 30
              done
          volumeMounts: [{name: run-nvidia, mountPath: /run/nvidia}]
      volumes: [{name: run-nvidia, hostPath: {path: /run/nvidia, type: DirectoryOrCreate}}]
"""
BRIDGE = daemon_set("validation-bridge", _CONTAINER).removeprefix("---\n")


@Rule(
    id="TG001",
    claim=f"{BRIDGED.opening} a bridge writes the marker files that the GPU operator's pods wait for",
    symptom="Init:0/1 of nvidia-device-plugin-daemonset and gpu-feature-discovery; waiting for nvidia container stack to be setup",
    fix=f"Run kubectl label node NODE {VALIDATOR_LABEL}=false, and apply the DaemonSet of the passing example "
    "(talos-gpu check --explain TG001; ValidationBridge of this library). Or upgrade to Talos 1.13, where the "
    "operator needs neither the label nor the DaemonSet",
    source="NVIDIA/gpu-operator#1687; siderolabs/talos#9014",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=operator_values(LEGACY_VALUES, talos="1.12", version="v25.10.1"),
    passing=operator_values(f"{LEGACY_VALUES}---\n{BRIDGE}", talos="1.12", version="v25.10.1"),
    talos=LEGACY_LAYOUT,
    without_talos=True,
)
def _no_bridge(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        severity = _severity(inputs, operator)
        if severity and _waits(operator) and not stages_the_driver(operator) and not may_have_a_bridge(inputs):
            where = f"on Talos {inputs.talos_version}" if inputs.talos_version else "on Talos 1.12 and older"
            message = (
                f"driver.enabled and toolkit.enabled are false. The operator's validator does not find the driver {where}, and nothing {inputs.here} writes its marker "
                f"files. {_WAITING}"
            )
            related = ((operator.about, operator.path("toolkit", "enabled")),)
            yield Violation(severity, message, operator.about, operator.path("driver", "enabled"), related=related)


def _waits(operator: Operator) -> bool:
    """Whether the operands wait for a validator that looks for Talos' own driver."""
    workload = operator.value("sandboxWorkloads", "defaultWorkload")
    for_machines = all_of([operator.is_on("sandboxWorkloads", "enabled"), equals(workload, "container").negated])
    return for_machines.is_no and operator.is_on("driver", "enabled").is_no and operator.is_on("toolkit", "enabled").is_no


def _severity(inputs: Inputs, operator: Operator) -> Severity | None:
    if inputs.talos_version is not None:
        return Severity.ERROR if gpu_nodes_run_talos(inputs) else Severity.WARNING
    # Without a known Talos version only an operator for an old Talos is checked.
    is_for_old_talos = cdi_is_on(operator).is_no or operator.is_older_than(CDI.operator)
    return Severity.WARNING if is_for_old_talos else None


_ONCE = (
    BRIDGE.replace("while true; do", "mkdir -p /run/nvidia/validations").replace("sleep 30", "sleep infinity").replace("done\n", "true\n")
)


@Rule(
    id="TG002",
    claim="The bridge writes the operator's marker files in a loop",
    symptom="Init:0/1 again after the operator-validator restarted; waiting for nvidia container stack to be setup",
    fix="Run in a container, and not in an init container: while true; do mkdir -p /run/nvidia/validations; touch "
    "/run/nvidia/validations/driver-ready /run/nvidia/validations/toolkit-ready; sleep 30; done",
    source="https://github.com/NVIDIA/gpu-operator/blob/v26.7.0/cmd/nvidia-validator/main.go",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(_ONCE, talos="1.12"),
    passing=Example(BRIDGE, talos="1.12"),
    talos=LEGACY_LAYOUT,
    without_talos=True,
)
def _one_shot(inputs: Inputs) -> Iterator[Violation]:
    off = validator_is_off(inputs)
    for bridge in bridges(inputs):
        if bridge.once:
            known = inputs.talos_version is not None and not off
            reason = (
                "nothing writes the files again after a reboot"
                if off
                else "the operator's validator deletes the files whenever it starts or stops"
            )
            message = (
                f"the bridge writes the operator's marker files only once, and {reason}. Every operand that starts later waits in Init:0/1"
            )
            related = tuple((each.about, each.path()) for each in operators(inputs))
            yield Violation(Severity.ERROR if known else Severity.WARNING, message, bridge.about, bridge.path, related=related)


_COMPONENTS = ("devicePlugin", "gfd", "dcgm", "dcgmExporter", "toolkit", "validator")
# NVIDIA_DRIVER_ROOT of these components is a plugin option, and checked as a plugin option.
_PLUGINS = ("devicePlugin", "gfd")
_OF_VALIDATOR = ("driver", "toolkit", "cuda", "plugin")

_VALUES = """\
driver: {enabled: false}
toolkit: {enabled: false}
migManager: {enabled: false}
hostPaths: {driverInstallDir: /usr/local}
devicePlugin: {env: [{name: NVIDIA_DRIVER_ROOT, value: %s}]}
"""


@Rule(
    id="TG021",
    claim=f"{UNBRIDGED.opening} no chart value names a path of Talos {LEGACY_LAYOUT.last}, and no bridge runs",
    symptom="no such file or directory: /usr/local/glibc/usr/lib/libnvidia-ml.so.1, after the upgrade to Talos 1.13",
    fix="Remove LD_LIBRARY_PATH. Remove another setting, or set it to the driver root of Talos 1.13, /usr/local",
    source="siderolabs/talos#13346; https://github.com/siderolabs/extensions/commit/fdd02585",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=operator_values(_VALUES % "/usr/local/glibc/usr"),
    passing=operator_values(_VALUES % "/"),
    talos=CDI_LAYOUT,
)
def _left_over(inputs: Inputs) -> Iterator[Violation]:
    for option in plugin_options(inputs):
        # A variable of a pod is checked with the pods (TG061).
        is_of_a_pod = option.reader is not None and not isinstance(option.reader, Operator) and option.reader.release is None
        if option.name == DRIVER_ROOT_OPTION and _names_it(option.value) and (option.in_file or not is_of_a_pod):
            message = f"{option.written} is {option.value}, a path that Talos {inputs.talos_version} no longer has. The plugin finds no driver there"
            fix = _other_root(option.written)
            edits = set_to(DRIVER_ROOT) if not option.in_file else ()
            yield Violation(Severity.ERROR if option.wins else Severity.INFO, message, option.about, option.path, fix=fix, edits=edits)
    for operator in operators(inputs):
        for path, name, value in _variables(operator):
            if _names_it(value):
                alone = name == "LD_LIBRARY_PATH"
                effect = "The variable has no effect" if alone else "The driver is below /usr/local since Talos 1.13"
                message = f"{name} is {value}, a path that Talos {inputs.talos_version} no longer has. {effect}"
                fix = f"Remove the paths below {LEGACY_ROOT} from {name}" if alone else _other_root(name)
                edits = removal(path[:-1], safe=False) if alone else set_to(DRIVER_ROOT, path) if name == "NVIDIA_DRIVER_ROOT" else ()
                yield Violation(Severity.INFO if alone else Severity.ERROR, message, operator.about, path, fix=fix, edits=edits)
    for bridge in bridges(inputs):
        message = f"the bridge writes the operator's marker files. On Talos {inputs.talos_version} the operator's own validator writes them"
        fix = "Set hostPaths.driverInstallDir: /usr/local in the operator's values, and delete the bridge"
        yield Violation(Severity.INFO, message, bridge.about, bridge.path, fix=fix)


def _other_root(name: str) -> str:
    return f"Remove {name}, or set it to the driver root of Talos 1.13, /usr/local"


def _variables(operator: Operator) -> Iterator[tuple[Path, str, object]]:
    paths = [(component, "env") for component in _COMPONENTS] + [("validator", part, "env") for part in _OF_VALIDATOR]
    for path in paths:
        for index, variable in mappings(operator.written(*path)):
            name = at(variable, "name")
            if isinstance(name, str) and (name != "NVIDIA_DRIVER_ROOT" or path[0] not in _PLUGINS):
                yield (*operator.path(*path), index, "value"), name, at(variable, "value")


def _names_it(value: object) -> bool:
    return contains(value, LEGACY_ROOT).is_yes
