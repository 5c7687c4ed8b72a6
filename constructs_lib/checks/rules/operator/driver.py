"""The operator's driver and toolkit, which Talos brings in its image: values, hostPaths, and NVIDIADriver objects."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.agents.operators import Operator, is_own, operators
from ....observed.model import (
    Inputs,
    KubernetesObject,
    all_of,
    at,
    equals,
    is_among,
    is_given,
    is_open,
    known_items,
    known_str,
    mappings,
    starts_with,
)
from ....observed.nodes.node_labels import labels_of_nodes
from ....observed.nodes.node_settings import gpu_nodes_run_talos
from ....upstream.charts.gpu_operator_chart import DEPLOY_LABEL, DRIVER_FOLDER, DRIVER_OBJECT_GUARDED, DRIVER_OBJECT_SWITCHED, default
from ....upstream.nvidia.virtual_machines import PASSTHROUGH_WORKLOAD, VGPU_WORKLOAD, WORKLOAD_LABEL
from ....upstream.talos.features import DRIVER_ROOT, LEGACY_ROOT
from ....upstream.talos.generations import CDI_LAYOUT, NRI_ENABLED, has_legacy_root
from ....upstream.version import Version
from ...halves import gpu_nodes_on_talos
from ...rule import Example, Rule, Severity, Violation, Witness, set_to
from .._shared import operator_release, operator_values

_CDI = "toolkit: {enabled: false}\nmigManager: {enabled: false}\n"


@Rule(
    id="TG003",
    claim="hostPaths.driverInstallDir is the folder in which this Talos has the driver",
    symptom="CreateContainerError of driver-validation: mkdir /usr/local/glibc: read-only file system",
    fix="Set hostPaths.driverInstallDir: /usr/local",
    source="https://docs.siderolabs.com/talos/v1.13/configure-your-talos-cluster/hardware-and-drivers/nvidia-gpu; "
    "siderolabs/extensions nvidia-gpu/nvidia-container-toolkit",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=operator_values(f"driver: {{enabled: false}}\n{_CDI}hostPaths: {{driverInstallDir: /usr/local/glibc/usr/lib}}\n"),
    passing=operator_values(f"driver: {{enabled: false}}\n{_CDI}hostPaths: {{driverInstallDir: /usr/local/lib}}\n"),
    talos=CDI_LAYOUT,
    without_talos=True,
)
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
            message = (
                f"hostPaths.driverInstallDir is {folder}, a path that {where} does not have. The validator's pod stays in CreateContainerError "
                f"(failed to mkdir {LEGACY_ROOT}: read-only file system)"
            )
            edits = set_to(DRIVER_ROOT, safe=inputs.talos_version is not None)
            yield Violation(Severity.ERROR if inputs.talos_version else Severity.WARNING, message, operator.about, path, edits=edits)
        elif folder.rstrip("/") == DRIVER_FOLDER and inputs.generation and operator.is_on("driver", "enabled").is_no:
            message = (
                f"hostPaths.driverInstallDir is the chart's default, {DRIVER_FOLDER}. The operator finds the driver of Talos {inputs.talos_version} "
                "only by the link /usr/bin/nvidia-smi, and would not find a driver without the link"
            )
            yield Violation(Severity.INFO, message, operator.about, path)


_DIRECTORY = "hostPaths: {driverInstallDir: /usr/local}\n"


@Rule(
    id="TG010",
    claim="The operator does not install a driver on Talos",
    symptom="ImagePullBackOff of nvidia-driver-daemonset: nvcr.io/nvidia/driver:595.91.07-talosv1.13.9 not found",
    fix="Set driver.enabled: false, and add the extension siderolabs/nvidia-open-gpu-kernel-modules-production "
    "(or the one that fits the card) to the image",
    source="NVIDIA/gpu-operator#647; siderolabs/talos#8402",
    severity=Severity.ERROR,
    shown_by=Witness.SERVICE,
    failing=operator_values(_CDI + _DIRECTORY),
    # Virtual machines get whole cards: no driver runs on their nodes.
    passing=operator_values(f"{_CDI}{_DIRECTORY}sandboxWorkloads: {{enabled: true, defaultWorkload: vm-passthrough}}\n"),
)
def _driver_enabled(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        if operator.is_on("driver", "enabled").is_yes and not _may_serve_machines(inputs, operator) and not _is_kept_off(inputs, "driver"):
            is_guest = is_given(operator.written("driver", "licensingConfig"))
            yield Violation(
                _sure(inputs, unless=is_own(operator, "driver") or is_guest),
                f"{_setting(operator, 'driver')}, but NVIDIA builds no driver image for Talos. The driver's pods stay in ImagePullBackOff",
                operator.about,
                operator.path("driver", "enabled"),
                fix=_GUEST_FIX if is_guest else None,
                edits=() if is_guest else set_to(False, safe=not _may_serve_others(inputs, operator, "driver")),
                related=gpu_nodes_on_talos(inputs),
            )


@Rule(
    id="TG011",
    claim="The operator does not install a container toolkit on Talos",
    symptom="mkdir /etc/containerd/conf.d: read-only file system, in nvidia-container-toolkit-daemonset",
    fix="Set toolkit.enabled: false, and add the extension siderolabs/nvidia-container-toolkit-production (or -lts) to the image",
    source="NVIDIA/gpu-operator#2382",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=operator_values(f"driver: {{enabled: false}}\nmigManager: {{enabled: false}}\n{_DIRECTORY}"),
    # The setup that Talos 1.15 will need.
    passing=operator_values(
        "driver: {enabled: false}\nmigManager: {enabled: false}\ncdi: {nriPluginEnabled: true}\n"
        f"toolkit: {{enabled: true, installDir: /var/lib/nvidia}}\n{_DIRECTORY}",
        talos="1.15",
    ),
)
def _toolkit_enabled(inputs: Inputs) -> Iterator[Violation]:
    may_inject = inputs.talos_version is None or inputs.talos_version.minor in NRI_ENABLED
    for operator in operators(inputs):
        by_nri = may_inject and not operator.is_on("cdi", "nriPluginEnabled").is_no
        serves_others = _may_serve_machines(inputs, operator) or _is_kept_off(inputs, "container-toolkit")
        if operator.is_on("toolkit", "enabled").is_yes and not by_nri and not serves_others:
            changed = is_own(operator, "toolkit", "installDir") or _may_have_variables(operator)
            effect = "can't write to /etc/containerd/conf.d, which is read-only on Talos. The toolkit's pods end in CrashLoopBackOff"
            severity = _sure(inputs, unless=changed or may_inject)
            if (file := _writable_file(operator)) is not None:
                effect = f"writes {file}, which the containerd of Talos does not read by itself"
                severity = severity if gpu_nodes_run_talos(inputs) else Severity.INFO  # the file of another system, such as k3s
            yield Violation(
                severity,
                f"{_setting(operator, 'toolkit')}, but the toolkit {effect}",
                operator.about,
                operator.path("toolkit", "enabled"),
                edits=set_to(False, safe=not _may_serve_others(inputs, operator, "toolkit")),
                related=gpu_nodes_on_talos(inputs),
            )


def _may_serve_others(inputs: Inputs, operator: Operator, component: str) -> bool:
    """Whether the operator may install the component on nodes with another OS, which lose their driver or toolkit
    without it.

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
    """Whether the operator's nodes run virtual machines, or may: the operator runs no driver and no toolkit for virtual
    machines.

    Nodes run them by the operator's default, or by a label, which every node with a vGPU manager needs.
    """
    workload = operator.value("sandboxWorkloads", "defaultWorkload")
    labels = labels_of_nodes(inputs)
    is_labelled = any(labels.may_give(WORKLOAD_LABEL, each) for each in (PASSTHROUGH_WORKLOAD, VGPU_WORKLOAD))
    by_label = is_labelled or not operator.is_on("vgpuManager", "enabled").is_no
    is_on = operator.is_on("sandboxWorkloads", "enabled")
    return not (is_on if by_label else all_of([is_on, equals(workload, "container").negated])).is_no


def _is_kept_off(inputs: Inputs, operand: str) -> bool:
    """Whether a label of nodes keeps an operand off them: then it is for nodes with another OS, and to switch it off
    would take their driver."""
    return "false" in (labels_of_nodes(inputs).values.get(f"{DEPLOY_LABEL}{operand}") or ())


def _sure(inputs: Inputs, *, unless: bool) -> Severity:
    """An error where the GPU nodes surely run Talos; in a mixed cluster the operator may serve nodes with another
    OS."""
    return Severity.ERROR if gpu_nodes_run_talos(inputs) and not unless else Severity.WARNING


def _may_have_variables(operator: Operator) -> bool:
    """Whether the toolkit's variables name containerd's configuration, or may."""
    variables = operator.written("toolkit", "env")
    names = [at(each, "name") for _, each in mappings(variables)]
    return is_open(variables) or any(not starts_with(name, prefix).is_no for name in names for prefix in ("CONTAINERD_", "RUNTIME_"))


def _writable_file(operator: Operator) -> str | None:
    """The file that the toolkit writes for containerd, if all that it writes is below /var. From 25.10 on it writes a drop-in file
    beside the configuration (NVIDIA/gpu-operator controllers/object_controls.go at v25.3.0, v25.10.0 and v26.7.0). Talos'
    containerd reads /etc/cri/containerd.toml (siderolabs/talos pkg/machinery/constants/constants.go at v1.13.0, 2026-11-28)."""
    written = {str(at(each, "name")): known_str(at(each, "value")) for _, each in mappings(operator.written("toolkit", "env"))}
    files = [written.get("RUNTIME_CONFIG") or written.get("CONTAINERD_CONFIG")]
    if operator.version is None or operator.version >= _DROP_IN_SINCE:
        files.append(written.get("RUNTIME_DROP_IN_CONFIG"))
    return files[-1] if all(file and file.startswith("/var/") for file in files) else None


_DROP_IN_SINCE = Version(25, 10)


_GUEST_FIX = (
    "Set driver.enabled: false. NVIDIA's licence lets nobody publish the vGPU guest driver, so no extension of Talos has it: build an extension with the "
    "driver of your licence (siderolabs/extensions#461), or hand whole cards to the machine"
)

_EFFECT = (
    "The operator starts the pods of a driver for the object, and does not look at driver.enabled: false. The pods stay in ImagePullBackOff: NVIDIA "
    "builds no driver image for Talos"
)
_CRD = ("driver", "nvidiaDriverCRD")

_OPERATOR = operator_release().replace("driver: {enabled: false}", "driver: {enabled: false, nvidiaDriverCRD: {enabled: true}}")
_OBJECT = """\
---
apiVersion: nvidia.com/v1alpha1
kind: NVIDIADriver
metadata: {name: gpu}
spec: {driverType: gpu, repository: nvcr.io/nvidia, image: driver, version: 595.71.05}
"""


@Rule(
    id="TG117",
    claim="With driver.enabled: false no NVIDIADriver makes the operator install a driver",
    symptom="ImagePullBackOff of nvidia-gpu-driver-…: nvcr.io/nvidia/driver:570.148.08-talosv1.11.3 not found, with driver.enabled: false",
    fix="Remove the NVIDIADriver: Talos brings the driver in its image",
    source="NVIDIA/gpu-operator#1795",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
    failing=Example(_OPERATOR + _OBJECT, talos="1.13"),
    # This chart creates no object itself.
    passing=Example(_OPERATOR, talos="1.13"),
)
def _driver_objects(inputs: Inputs) -> Iterator[Violation]:
    found = operators(inputs)
    for operator in found:
        if operator.is_on("driver", "enabled").is_no and _chart_creates_one(operator):
            message = f"{'.'.join(_CRD)}.enabled is true, and charts before {DRIVER_OBJECT_GUARDED} then create the NVIDIADriver default. {_EFFECT}"
            path = operator.path(*_CRD, "enabled")
            fix = f"Set {'.'.join(_CRD)}.enabled: false, or update the chart to {DRIVER_OBJECT_GUARDED} or newer"
            severity = Severity.ERROR if gpu_nodes_run_talos(inputs) else Severity.WARNING
            related = ((operator.about, operator.path("driver", "enabled")),)
            yield Violation(severity, message, operator.about, path, fix=fix, related=related)
    if found and all(each.is_on("driver", "enabled").is_no and _looks_at_objects(each) for each in found):
        for each in inputs.of_kind("NVIDIADriver"):
            if starts_with(each.api_version, "nvidia.com/").is_yes and is_among(each.at("spec", "driverType"), (None, "gpu")).is_yes:
                is_sure = gpu_nodes_run_talos(inputs) and not is_given(each.at("spec", "nodeSelector")) and not _has_own_image(each)
                message = f"driver.enabled of the operator is false, but there is an NVIDIADriver {inputs.here}. {_EFFECT}"
                switches = tuple((operator.about, operator.path("driver", "enabled")) for operator in found)
                yield Violation(Severity.ERROR if is_sure else Severity.WARNING, message, each, related=switches)


def _chart_creates_one(operator: Operator) -> bool:
    creates = operator.written(*_CRD, "deployDefaultCR")
    is_on = operator.is_on(*_CRD, "enabled").is_yes and (creates is None or operator.is_on(*_CRD, "deployDefaultCR").is_yes)
    return is_on and operator.is_older_than(DRIVER_OBJECT_GUARDED)


def _looks_at_objects(operator: Operator) -> bool:
    switch = (*_CRD, "enabled") if operator.release else ("driver", "useNvidiaDriverCRD")
    return operator.is_older_than(DRIVER_OBJECT_SWITCHED) or operator.is_on(*switch).is_yes


def _has_own_image(driver: KubernetesObject) -> bool:
    """Whether an object names an image that is not NVIDIA's, or may."""
    written = ((driver.at("spec", key), default("driver", key)) for key in ("repository", "image"))
    return any(value is not None and not equals(value, own).is_yes for value, own in written)
