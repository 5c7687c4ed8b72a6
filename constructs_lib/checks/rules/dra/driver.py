"""NVIDIA's DRA driver: driver root, Kubernetes version, values, feature gates, and conflicts with device plugins and
the operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ....arguments.spelling import most_similar
from ....nodes.talos_version import dated
from ....observed.agents.agents import Agent, device_plugins, dra_drivers, driver_root, is_staged
from ....observed.agents.operators import Operator, operators, version_of
from ....observed.model import (
    Answer,
    ChartRelease,
    Inputs,
    answer,
    any_of,
    at,
    equals,
    has,
    is_open,
    is_unknown,
    known_items,
    known_str,
    mappings,
    starts_with,
)
from ....observed.nodes.node_settings import gpu_nodes_run_talos, has_dra_gate, minor_of
from ....observed.placement.selection import are_apart
from ....upstream.kubernetes.api import DRA_SINCE
from ....upstream.kubernetes.dra_gates import DRA_GATES
from ....upstream.nvidia.dra_driver_gates import EXCLUSIVE_BEFORE_0_5, EXCLUSIVE_GATES, GATES, REQUIRED_GATES, gates_on, is_before_0_5
from ....upstream.talos.features import DRIVER_ROOT, LEGACY_ROOT
from ....upstream.talos.generations import CDI_LAYOUT, LEGACY_LAYOUT
from ...halves import gpu_nodes_on_talos, talos_of_nodes
from ...rule import Example, Rule, Severity, Violation, Witness, set_to
from .._causes import OTHER_CLUSTER
from .._shared import OPERATOR, dra_release, operator_values, plugin_release, version_part

_ROOT, _OVERRIDE = "    nvidiaDriverRoot: /usr/local\n", "    gpuResourcesEnabledOverride: true\n"
_RIGHT = dra_release() + _ROOT + _OVERRIDE


@Rule(
    id="TG031",
    claim="The DRA driver looks for the driver where Talos has it",
    symptom="nvidia-smi: not found, libnvidia-ml.so.1: not found, repeated in the init container of dra-driver-nvidia-gpu-kubelet-plugin",
    fix="Set nvidiaDriverRoot: /usr/local",
    source="kubernetes-sigs/dra-driver-nvidia-gpu#605; "
    "https://docs.siderolabs.com/kubernetes-guides/advanced-guides/dynamic-resource-allocation",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(dra_release() + _OVERRIDE, talos="1.13"),
    passing=Example(_RIGHT, talos="1.13"),
)
def _driver_root(inputs: Inputs) -> Iterator[Violation]:
    for driver in dra_drivers(inputs):
        talos = inputs.talos_version
        sure = Severity.ERROR if talos and gpu_nodes_run_talos(inputs) else Severity.WARNING
        root = driver_root(driver)
        path = (*driver.release.values_path, "nvidiaDriverRoot") if driver.release else driver.base
        if talos is not None and talos.minor in LEGACY_LAYOUT:
            message = (
                f"the DRA driver can't run on Talos {talos}: its CDI specs name folders in which this Talos has no libraries (before {CDI_LAYOUT.first} the "
                f"libraries are under {LEGACY_ROOT})"
            )
            fix = "Use a device plugin, or upgrade to Talos 1.13"
            severity, related = Severity.WARNING if is_staged(root) else sure, ((driver.about, path), *talos_of_nodes(inputs))
            yield Violation(severity, message, driver.about, fix=fix, related=related)
        elif isinstance(root, str) and root.rstrip("/") != DRIVER_ROOT:
            message = (
                f"nvidiaDriverRoot is {root}, but Talos has the driver below {DRIVER_ROOT}. The init container waits for nvidia-smi forever"
            )
            edits = set_to(DRIVER_ROOT) if driver.release else ()
            yield Violation(sure, message, driver.about, path, edits=edits, related=gpu_nodes_on_talos(inputs))
        minor = minor_of(inputs.kubernetes_version)
        if minor is not None and minor < DRA_SINCE and not has_dra_gate(inputs):
            message = (
                f"DynamicResourceAllocation is off by default in Kubernetes {inputs.kubernetes_version}. No claim is served unless every component has "
                "the feature gates and the runtime-config"
            )
            yield Violation(Severity.WARNING, message, driver.about, fix=f"Upgrade to Kubernetes 1.{DRA_SINCE} or newer")


def serves(driver: Agent, part: str) -> Answer:
    """Whether a DRA driver serves its part `gpus` or `computeDomains`. The chart's templates test the value itself: the string
    "false" is true for them, and null, 0 and an empty string are false."""
    if not driver.release:
        name = {"computeDomains": "compute-domains"}.get(part, part)
        return any_of(equals(at(container, "name"), name) for _, container in mappings(at(driver.spec, "containers")))
    written = driver.release.value("resources", part, "enabled")
    if is_unknown(written):
        return Answer.UNKNOWN
    is_default = written is None and not has(driver.release.values, "resources", part, "enabled").is_yes
    return answer(is_default or bool(written))


@Rule(
    id="TG032",
    claim="A DRA chart that serves GPUs sets gpuResourcesEnabledOverride",
    symptom="When 'resources.gpus.enabled=true' this DRA driver cannot be deployed alongside the standard GPU "
    "device plugin on the same node",
    fix="Set gpuResourcesEnabledOverride: true, if no device plugin serves the same nodes",
    source="kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml",
    severity=Severity.ERROR,
    shown_by=Witness.SERVICE,
    failing=Example(dra_release() + _ROOT, talos="1.13"),
    passing=Example(f"{dra_release()}{_ROOT}    resources: {{gpus: {{enabled: false}}}}\n", talos="1.13"),
)
def _override(inputs: Inputs) -> Iterator[Violation]:
    for driver in dra_drivers(inputs):
        release = driver.release
        override = release.value("gpuResourcesEnabledOverride") if release else None
        if release and serves(driver, "gpus").is_yes and (override is None or override is False):
            message = "resources.gpus.enabled is true, but gpuResourcesEnabledOverride is not: the chart refuses to render"
            edits = set_to(True, safe=False)
            path, related = (
                (*release.values_path, "gpuResourcesEnabledOverride"),
                ((release, (*release.values_path, "resources", "gpus", "enabled")),),
            )
            yield Violation(Severity.ERROR, message, driver.about, path, edits=edits, related=related)


# The release of the operator whose GPUCluster was read and tried on Talos.
_GPU_CLUSTER_BROKEN = "v26.7.0"


@Rule(
    id="TG033",
    claim="The operator does not run its own DRA driver on Talos",
    symptom="/bin/nvidia-cuda-mps-control: no such file or directory, in every pod with a claim; no ResourceSlice of gpu.nvidia.com",
    fix="Set gpuCluster.deployCR: false, and install the chart dra-driver-nvidia-gpu with nvidiaDriverRoot: /usr/local",
    source="https://github.com/nicolerenee/infra/pull/2394; NVIDIA/gpu-operator manifests/state-dra-driver/0500_daemonset.yaml",
    severity=Severity.ERROR,
    shown_by=Witness.CARD,
    failing=operator_values(f"{OPERATOR}gpuCluster: {{deployCR: true}}\nclusterPolicy: {{deployCR: false}}\n"),
    passing=operator_values(f"{OPERATOR}devicePlugin: {{enabled: false}}\n"),
)
def _gpu_cluster(inputs: Inputs) -> Iterator[Violation]:
    for operator in operators(inputs):
        if operator.is_on("gpuCluster", "deployCR").is_yes:
            both = operator.release is not None and operator.is_on("clusterPolicy", "deployCR").is_yes
            effect = ", and clusterPolicy.deployCR is true: the chart refuses to render" if both else _GPU_CLUSTER
            severity = Severity.ERROR if both or _is_broken(operator) else Severity.WARNING
            path, edits = operator.path("gpuCluster", "deployCR"), set_to(False, safe=False)
            related = ((operator.about, operator.path("clusterPolicy", "deployCR")),) if both else (version_part(operator.about),)
            yield Violation(severity, f"gpuCluster.deployCR is true{effect}", operator.about, path, edits=edits, related=related)
    for each in inputs.of_kind("GPUCluster"):
        if starts_with(each.api_version, "nvidia.com/").is_yes:
            known = [operator for operator in operators(inputs) if operator.version]
            message = f"a GPUCluster is deployed{_GPU_CLUSTER}"
            severity = Severity.ERROR if any(map(_is_broken, known)) else Severity.WARNING
            yield Violation(severity, message, each, ("kind",), related=tuple(version_part(operator.about) for operator in known))


_GPU_CLUSTER = ". The operator's DRA driver ignores hostPaths and looks for the driver at /. On Talos every pod with a claim fails"


def _is_broken(operator: Operator) -> bool:
    return f"v{operator.version}" == _GPU_CLUSTER_BROKEN


_DRA = f"{_RIGHT}---\n"


@Rule(
    id="TG034",
    claim="A GPU is served by the DRA driver or by a device plugin, not by both",
    symptom="CUDA out of memory in two pods with a whole GPU each, one by a claim and one by nvidia.com/gpu",
    fix="Set devicePlugin.enabled: false in the operator's values, or remove the standalone device plugin, or "
    "give it and the DRA driver node selectors that never match the same node",
    source="https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/blob/main/deployments/helm/dra-driver-nvidia-gpu/templates/validation.yaml",
    severity=Severity.WARNING,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(_DRA + plugin_release(), talos="1.13"),
    passing=Example(_DRA + plugin_release(nodes="{kubernetes.io/hostname: gpu-2}"), talos="1.13"),
    causes=(OTHER_CLUSTER,),
)
def _beside_a_plugin(inputs: Inputs) -> Iterator[Violation]:
    for driver in dra_drivers(inputs):
        if not serves(driver, "gpus").is_yes:
            continue
        plugin = next((each for each in device_plugins(inputs) if are_apart(driver.spec, each.spec).is_no), None)
        if plugin is not None:
            name = plugin.about.label
            fix = f"Remove {name}, or give the device plugin and the DRA driver node selectors that never match the same node"
            yield _both(driver, f"the device plugin of {name}", fix)
        for operator in operators(inputs):
            if operator.is_on("devicePlugin", "enabled").is_yes:
                fix = "Set devicePlugin.enabled: false in the operator's values"
                yield _both(driver, "the operator's device plugin (devicePlugin.enabled)", fix)


def _both(driver: Agent, other: str, fix: str) -> Violation:
    message = f"the DRA driver and {other} may serve the same node. The two count GPUs separately, and can give one GPU to two pods"
    path = (*driver.release.values_path, "resources", "gpus", "enabled") if driver.release else driver.base
    return Violation(Severity.WARNING, message, driver.about, path, fix=fix)


# Gates of the driver, and the feature gate of Kubernetes that they need.
_OF_KUBERNETES = {"ConsumableShares": "DRAConsumableCapacity", "DynamicMIG": "DRAPartitionableDevices"}
# The driver's own word for none (cmd/gpu-kubelet-plugin/main.go, --consumable-shares).
_NO_SHARES = "disabled"
_SHARES = ("featureGates", "ConsumableShares")
_EXITS = "The driver exits with 'feature gate … is currently mutually exclusive with …'"


class _Problem(NamedTuple):
    """A problem of the values. `gate` is the gate that the fix switches; empty where the author must choose between
    gates, or change the cluster."""

    severity: Severity
    path: tuple[str, ...]
    message: str
    fix: str
    gate: str = ""
    on: bool = False
    other: tuple[str, ...] = ()
    """The path of the setting that contradicts the first."""


_DRIVER = dra_release("0.5.0") + _ROOT + _OVERRIDE


@Rule(
    id="TG017",
    claim="The feature gates of the DRA driver are compatible",
    symptom="feature gate DynamicMIG is currently mutually exclusive with PassthroughSupport; CrashLoopBackOff of "
    "dra-driver-nvidia-gpu-kubelet-plugin",
    fix="Set one of the two feature gates to false",
    source="kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(_DRIVER + "    featureGates: {DynamicMIG: true, PassthroughSupport: true}\n", talos="1.13"),
    passing=Example(_DRIVER + "    featureGates: {DynamicMIG: true, PassthroughSupport: false}\n", talos="1.13"),
)
def _gates(inputs: Inputs) -> Iterator[Violation]:
    for driver in dra_drivers(inputs):
        release = driver.release
        if release:
            for problem in _against(inputs, release):
                gate = (*release.values_path, "featureGates", problem.gate)
                message = problem.message
                edits = set_to(problem.on, gate, safe=False) if problem.gate else ()
                path, other = ((*release.values_path, *each) for each in (problem.path, problem.other))
                related = ((release, other),) if problem.other else ()
                yield Violation(problem.severity, message, release, path, fix=problem.fix, edits=edits, related=related)


def _against(inputs: Inputs, release: ChartRelease) -> Iterator[_Problem]:
    written = release.value("featureGates")
    gates = {key: text for key, value in known_items(written) if (text := known_str(value)) is not None}
    unknown = {key for key, value in known_items(written) if is_unknown(value)}
    on = gates_on({key: value == "true" for key, value in gates.items()}) - unknown
    unread = is_open(written) or bool(unknown)
    for gate in gates:
        if gate not in GATES:
            similar = most_similar(gate, GATES)
            message = (
                f"featureGates has {gate}, a gate that {dated('no known DRA driver has')}. A driver without the gate exits with "
                f"'unrecognized feature gate: {gate}'"
            )
            fix = f"Rename featureGates.{gate} to featureGates.{similar}" if similar else f"Remove {gate} from featureGates"
            yield _Problem(Severity.WARNING, ("featureGates", gate), message, fix)
    yield from _incompatible(release, set(gates), on, unread=unread)
    shares = release.value("consumableShares")
    if (known_str(shares) or _NO_SHARES) != _NO_SHARES and "ConsumableShares" not in on and release.complete and not unread:
        message = f"consumableShares is {known_str(shares)!r}, but its feature gate is off. Each GPU serves only one claim"
        fix = "Set featureGates.ConsumableShares: true"
        yield _Problem(Severity.ERROR, ("consumableShares",), message, fix, "ConsumableShares", on=True, other=_SHARES)
    yield from _against_kubernetes(inputs, on)
    if "MPSSupport" in on:
        message = (
            "featureGates has MPSSupport. The MPS daemon mounts below the driver root, which is read-only on Talos, and does not start"
        )
        fix = "Set featureGates.MPSSupport: false, and share GPUs by consumableShares"
        yield _Problem(Severity.WARNING, ("featureGates", "MPSSupport"), message, fix, gate="MPSSupport")
    if "PassthroughSupport" in on:
        message = (
            "featureGates has PassthroughSupport. The driver runs the node's fuser before it moves a card from nvidia to vfio-pci, and Talos has no fuser: "
            "the claim ends with 'timed out waiting for gpu to be free'. Only a card that vfio-pci has since the boot goes to a machine"
        )
        fix = "Set featureGates.PassthroughSupport: false, and give the cards to virtual machines by vfio_pci at boot and KubeVirt's permittedHostDevices"
        yield _Problem(Severity.WARNING, ("featureGates", "PassthroughSupport"), message, fix)


def _incompatible(release: ChartRelease, written: set[str], on: set[str], *, unread: bool) -> Iterator[_Problem]:
    """Gates that exclude each other, and gates without a gate that they need."""
    for one, other in EXCLUSIVE_GATES:
        if {one, other} <= on:
            message = f"the feature gates {one} and {other} exclude each other. {_EXITS}"
            fix = f"Set featureGates.{one}: false, or featureGates.{other}: false"
            yield _Problem(Severity.ERROR, ("featureGates", other), message, fix, other=("featureGates", one))
    if on.issuperset(EXCLUSIVE_BEFORE_0_5):
        yield _exclusive_before_0_5(release)
    for one, other in REQUIRED_GATES.items():
        if one in on and other not in on and not unread:
            message = f"the feature gate {one} needs {other}, which is off. The driver exits"
            path, related = (("featureGates", each) for each in ((one, other) if one in written else (other, one)))
            works = other != "PassthroughSupport"  # which _against_talos refuses
            gate = other if works else one
            yield _Problem(
                Severity.ERROR, path, message, f"Set featureGates.{gate}: {str(works).lower()}", gate=gate, on=works, other=related
            )
    if {"ConsumableShares", "MPSSupport"} <= on:
        message = "featureGates has ConsumableShares and MPSSupport. The driver does not share a GPU by MPS if the GPU has counted shares"
        fix = "Set featureGates.MPSSupport: false, or featureGates.ConsumableShares: false"
        yield _Problem(Severity.ERROR, ("featureGates", "MPSSupport"), message, fix, other=_SHARES)


def _exclusive_before_0_5(release: ChartRelease) -> _Problem:
    one, other = EXCLUSIVE_BEFORE_0_5
    path, fix = ("featureGates", other), f"Set featureGates.{one}: false, or featureGates.{other}: false"
    version = version_of(release.version)
    if version is not None and is_before_0_5(version):
        message = f"the feature gates {one} and {other} exclude each other. {_EXITS}"
        return _Problem(Severity.ERROR, path, message, fix, other=("featureGates", one))
    message = f"featureGates has {one} and {other}. A driver before 0.5.0 exits with both gates. For newer drivers this is not known"
    return _Problem(Severity.WARNING, path, message, fix)


def _against_kubernetes(inputs: Inputs, on: set[str]) -> Iterator[_Problem]:
    minor = minor_of(inputs.kubernetes_version)
    for gate, needed in _OF_KUBERNETES.items():
        since = DRA_GATES[needed].on_since
        if minor is not None and gate in on and minor < since:
            message = f"the feature gate {gate} needs the Kubernetes feature gate {needed}, which is off by default before 1.{since}. The cluster runs 1.{minor}"
            fix = (
                f"Upgrade to Kubernetes 1.{since}, or set --feature-gates={needed}=true on the API server, the scheduler, the controller manager and "
                "the kubelet"
            )
            yield _Problem(Severity.WARNING, ("featureGates", gate), message, fix)
