"""Feature gates of the DRA driver: exclusive gates, gates that a setting needs, and the feature gates of Kubernetes
behind them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ....arguments.spelling import most_similar
from ....nodes.talos_version import dated
from ....observed.agents.agents import dra_drivers
from ....observed.agents.operators import version_of
from ....observed.model import ChartRelease, Inputs, is_open, is_unknown, known_items, known_str
from ....observed.objects.kubernetes_minor import minor_of
from ....upstream.kubernetes.api import DRA_GATES_ON_SINCE
from ....upstream.nvidia.dra_driver_gates import EXCLUSIVE_BEFORE_0_5, EXCLUSIVE_GATES, GATES, REQUIRED_GATES, gates_on, is_before_0_5
from ...edit import set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._charts import dra_release

# Gates of the driver, and the feature gate of Kubernetes that they need.
_OF_KUBERNETES = {"ConsumableShares": "DRAConsumableCapacity", "DynamicMIG": "DRAPartitionableDevices"}
# The driver's own word for none (cmd/gpu-kubelet-plugin/main.go, --consumable-shares).
_NO_SHARES = "disabled"
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


_DRIVER = dra_release("0.5.0") + "    nvidiaDriverRoot: /usr/local\n    gpuResourcesEnabledOverride: true\n"


@Rule(
    id="TG017",
    claim="The feature gates of the DRA driver are compatible",
    symptom="feature gate DynamicMIG is currently mutually exclusive with MPSSupport; CrashLoopBackOff of "
    "dra-driver-nvidia-gpu-kubelet-plugin",
    fix="Set one of the two feature gates to false",
    source="kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go",
    severity=Severity.ERROR,
    shown_by=Witness.PROGRAM,
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
                yield Violation(problem.severity, message, release, (*release.values_path, *problem.path), fix=problem.fix, edits=edits)


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
            yield _Problem(
                Severity.WARNING,
                ("featureGates", gate),
                message,
                f"Rename featureGates.{gate} to featureGates.{similar}" if similar else f"Remove {gate} from featureGates",
            )
    yield from _incompatible(release, set(gates), on, unread=unread)
    shares = release.value("consumableShares")
    if (known_str(shares) or _NO_SHARES) != _NO_SHARES and "ConsumableShares" not in on and release.complete and not unread:
        message = f"consumableShares is {known_str(shares)!r}, but its feature gate is off. Each GPU serves only one claim"
        yield _Problem(
            Severity.ERROR, ("consumableShares",), message, "Set featureGates.ConsumableShares: true", gate="ConsumableShares", on=True
        )
    yield from _against_kubernetes(inputs, on)
    if "MPSSupport" in on:
        message = (
            "featureGates has MPSSupport. The MPS daemon mounts below the driver root, which is read-only on Talos, and does not start"
        )
        yield _Problem(
            Severity.WARNING,
            ("featureGates", "MPSSupport"),
            message,
            "Set featureGates.MPSSupport: false, and share GPUs by consumableShares",
            gate="MPSSupport",
        )


def _incompatible(release: ChartRelease, written: set[str], on: set[str], *, unread: bool) -> Iterator[_Problem]:
    """Gates that exclude each other, and gates without a gate that they need."""
    for one, other in EXCLUSIVE_GATES:
        if {one, other} <= on:
            message = f"the feature gates {one} and {other} exclude each other. {_EXITS}"
            yield _Problem(
                Severity.ERROR, ("featureGates", other), message, f"Set featureGates.{one}: false, or featureGates.{other}: false"
            )
    if on.issuperset(EXCLUSIVE_BEFORE_0_5):
        yield _exclusive_before_0_5(release)
    for one, other in REQUIRED_GATES.items():
        if one in on and other not in on and not unread:
            message = f"the feature gate {one} needs {other}, which is off. The driver exits"
            path = ("featureGates", one if one in written else other)
            yield _Problem(Severity.ERROR, path, message, f"Set featureGates.{other}: true", gate=other, on=True)
    if {"ConsumableShares", "MPSSupport"} <= on:
        message = "featureGates has ConsumableShares and MPSSupport. The driver does not share a GPU by MPS if the GPU has counted shares"
        yield _Problem(
            Severity.ERROR,
            ("featureGates", "MPSSupport"),
            message,
            "Set featureGates.MPSSupport: false, or featureGates.ConsumableShares: false",
        )


def _exclusive_before_0_5(release: ChartRelease) -> _Problem:
    one, other = EXCLUSIVE_BEFORE_0_5
    path, fix = ("featureGates", other), f"Set featureGates.{one}: false, or featureGates.{other}: false"
    version = version_of(release.version)
    if version is not None and is_before_0_5(version):
        return _Problem(Severity.ERROR, path, f"the feature gates {one} and {other} exclude each other. {_EXITS}", fix)
    message = f"featureGates has {one} and {other}. A driver before 0.5.0 exits with both gates. For newer drivers this is not known"
    return _Problem(Severity.WARNING, path, message, fix)


def _against_kubernetes(inputs: Inputs, on: set[str]) -> Iterator[_Problem]:
    minor = minor_of(inputs.kubernetes_version)
    for gate, needed in _OF_KUBERNETES.items():
        since = DRA_GATES_ON_SINCE[needed]
        if minor is not None and gate in on and minor < since:
            message = f"the feature gate {gate} needs the Kubernetes feature gate {needed}, which is off by default before 1.{since}. The cluster runs 1.{minor}"
            fix = (
                f"Upgrade to Kubernetes 1.{since}, or set --feature-gates={needed}=true on the API server, the scheduler, the controller manager and "
                "the kubelet"
            )
            yield _Problem(Severity.WARNING, ("featureGates", gate), message, fix)
