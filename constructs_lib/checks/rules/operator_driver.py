"""The operator's driver and toolkit, which Talos brings in its image, and hostPaths.driverInstallDir."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.agents.operators import Operator, is_own, operators
from ...observed.model import Inputs, all_of, at, equals, is_given, is_open, known_items, mappings, starts_with
from ...observed.nodes.gpu_node_configs import gpu_nodes_run_talos
from ...observed.nodes.node_labels import labels_of_nodes
from ...upstream.charts.gpu_operator_chart import DEPLOY_LABEL, DRIVER_FOLDER
from ...upstream.nvidia.virtual_machines import PASSTHROUGH_WORKLOAD, VGPU_WORKLOAD, WORKLOAD_LABEL
from ...upstream.talos.features import CDI_LAYOUT, DRIVER_ROOT, LEGACY_ROOT, NRI_ENABLED, has_legacy_root
from ..edit import set_to
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS


def _driver_install_dir(inputs: Inputs) -> Iterator[Violation]:
    if inputs.talos_version and has_legacy_root(inputs.talos_version.version):
        return
    for operator in operators(inputs):
        folder = operator.value("hostPaths", "driverInstallDir")
        if not isinstance(folder, str):
            continue
        path = operator.path("hostPaths", "driverInstallDir")
        if LEGACY_ROOT in folder:
            where = f"Talos {inputs.talos_version}" if inputs.talos_version else "Talos 1.13 and newer"
            yield Violation(
                severity=Severity.ERROR if inputs.talos_version else Severity.WARNING,
                message=f"hostPaths.driverInstallDir is {folder}, a path that {where} does not have. The validator's pod stays in CreateContainerError "
                f"(failed to mkdir {LEGACY_ROOT}: read-only file system)",
                about=operator.about,
                path=path,
                edits=set_to(DRIVER_ROOT, safe=inputs.talos_version is not None),
            )
        elif folder.rstrip("/") == DRIVER_FOLDER and inputs.generation and operator.is_on("driver", "enabled").is_no:
            yield Violation(
                severity=Severity.INFO,
                message=f"hostPaths.driverInstallDir is the chart's default, {DRIVER_FOLDER}. The operator finds the driver of Talos {inputs.talos_version} "
                "only by the link /usr/bin/nvidia-smi, and would not find a driver without the link",
                about=operator.about,
                path=path,
            )


def _driver_enabled(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        if operator.is_on("driver", "enabled").is_yes and not _may_serve_machines(inputs, operator) and not _is_kept_off(inputs, "driver"):
            is_guest = is_given(operator.written("driver", "licensingConfig"))
            yield Violation(
                severity=_sure(inputs, unless=is_own(operator, "driver") or is_guest),
                message=f"{_setting(operator, 'driver')}, but NVIDIA builds no driver image for Talos. The driver's pods stay in ImagePullBackOff",
                about=operator.about,
                path=operator.path("driver", "enabled"),
                edits=() if is_guest else set_to(False, safe=not _may_serve_others(inputs, operator, "driver")),
                fix=_GUEST_FIX if is_guest else None,
            )


def _toolkit_enabled(inputs: Inputs) -> Iterator[Violation]:
    may_inject = inputs.talos_version is None or inputs.talos_version.minor in NRI_ENABLED
    for operator in operators(inputs):
        by_nri = may_inject and not operator.is_on("cdi", "nriPluginEnabled").is_no
        serves_others = _may_serve_machines(inputs, operator) or _is_kept_off(inputs, "container-toolkit")
        if operator.is_on("toolkit", "enabled").is_yes and not by_nri and not serves_others:
            changed = is_own(operator, "toolkit", "installDir") or _may_have_variables(operator)
            yield Violation(
                severity=_sure(inputs, unless=changed or may_inject),
                message=f"{_setting(operator, 'toolkit')}, but the toolkit can't write to /etc/containerd/conf.d, which is read-only on Talos. The "
                "toolkit's pods end in CrashLoopBackOff",
                about=operator.about,
                path=operator.path("toolkit", "enabled"),
                edits=set_to(False, safe=not _may_serve_others(inputs, operator, "toolkit")),
            )


def _may_serve_others(inputs: Inputs, operator: Operator, component: str) -> bool:
    """Whether the operator may install the component on nodes with another OS, which lose their driver or toolkit without it.

    A node of another OS was read, or the component has settings beside its switch, which have no use on Talos.
    """
    systems = (each.at("status", "nodeInfo", "osImage") for each in inputs.of_kind("Node"))
    written = operator.written(component)
    return any(is_given(each) and starts_with(each, "Talos").is_no for each in systems) or any(
        key != "enabled" for key, _ in known_items(written)
    )


def _setting(operator: Operator, component: str) -> str:
    return f"{component}.enabled is {'true' if operator.written(component, 'enabled') is not None else 'true by default'}"


def _may_serve_machines(inputs: Inputs, operator: Operator) -> bool:
    """Whether the operator's nodes run virtual machines, or may: the operator runs no driver and no toolkit for virtual machines.

    Nodes run them by the operator's default, or by a label, which every node with a vGPU manager needs.
    """
    workload = operator.value("sandboxWorkloads", "defaultWorkload")
    labels = labels_of_nodes(inputs)
    is_labelled = any(labels.may_give(WORKLOAD_LABEL, each) for each in (PASSTHROUGH_WORKLOAD, VGPU_WORKLOAD))
    by_label = is_labelled or not operator.is_on("vgpuManager", "enabled").is_no
    is_on = operator.is_on("sandboxWorkloads", "enabled")
    return not (is_on if by_label else all_of([is_on, equals(workload, "container").negated])).is_no


def _is_kept_off(inputs: Inputs, operand: str) -> bool:
    """Whether a label of nodes keeps an operand off them: then it is for nodes with another OS, and to switch it off would take their driver."""
    return "false" in (labels_of_nodes(inputs).values.get(f"{DEPLOY_LABEL}{operand}") or ())


def _sure(inputs: Inputs, *, unless: bool) -> Severity:
    """An error where the GPU nodes surely run Talos; in a mixed cluster the operator may serve nodes with another OS."""
    return Severity.ERROR if gpu_nodes_run_talos(inputs) and not unless else Severity.WARNING


def _may_have_variables(operator: Operator) -> bool:
    """Whether the toolkit's variables name containerd's configuration, or may."""
    variables = operator.written("toolkit", "env")
    return is_open(variables) or any(not starts_with(at(each, "name"), "CONTAINERD_").is_no for _, each in mappings(variables))


_GUEST_FIX = (
    "Set driver.enabled: false. NVIDIA's licence lets nobody publish the vGPU guest driver, so no extension of Talos has it: build an extension with the "
    "driver of your licence (siderolabs/extensions#461), or hand whole cards to the machine"
)
_CDI = "toolkit: {enabled: false}\nmigManager: {enabled: false}\n"
_DIRECTORY = "hostPaths: {driverInstallDir: /usr/local}\n"

RULES = (
    Rule(
        **WORDS["TG003"],
        severity=Severity.ERROR,
        check=_driver_install_dir,
        failing=Example(
            chart="gpu-operator@v26.7.0",
            talos="1.13",
            yaml=f"driver: {{enabled: false}}\n{_CDI}hostPaths: {{driverInstallDir: /usr/local/glibc/usr/lib}}\n",
        ),
        passing=Example(
            chart="gpu-operator@v26.7.0",
            talos="1.13",
            yaml=f"driver: {{enabled: false}}\n{_CDI}hostPaths: {{driverInstallDir: /usr/local/lib}}\n",
        ),
        talos=CDI_LAYOUT,
        without_talos=True,
    ),
    Rule(
        **WORDS["TG010"],
        severity=Severity.ERROR,
        check=_driver_enabled,
        failing=Example(chart="gpu-operator@v26.7.0", talos="1.13", yaml=_CDI + _DIRECTORY),
        # Virtual machines get whole cards: no driver runs on their nodes.
        passing=Example(
            chart="gpu-operator@v26.7.0",
            talos="1.13",
            yaml=f"{_CDI}{_DIRECTORY}sandboxWorkloads: {{enabled: true, defaultWorkload: vm-passthrough}}\n",
        ),
    ),
    Rule(
        **WORDS["TG011"],
        severity=Severity.ERROR,
        check=_toolkit_enabled,
        failing=Example(
            chart="gpu-operator@v26.7.0", talos="1.13", yaml=f"driver: {{enabled: false}}\nmigManager: {{enabled: false}}\n{_DIRECTORY}"
        ),
        # The setup that Talos 1.15 will need.
        passing=Example(
            chart="gpu-operator@v26.7.0",
            talos="1.15",
            yaml="driver: {enabled: false}\nmigManager: {enabled: false}\ncdi: {nriPluginEnabled: true}\n"
            f"toolkit: {{enabled: true, installDir: /var/lib/nvidia}}\n{_DIRECTORY}",
        ),
    ),
)
