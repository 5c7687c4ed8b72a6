"""Feature gates of the DRA driver: those that exclude each other, those that a setting needs, and what Kubernetes has to have on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..._arguments.spelling import did_you_mean
from ...upstream.dra_driver_gates import EXCLUSIVE_BEFORE_0_5, EXCLUSIVE_GATES, GATES, REQUIRED_GATES, gates_on, is_before_0_5
from ...upstream.kubernetes_api import DRA_GATES_ON_SINCE
from ..facts.agents import dra_drivers
from ..facts.kubernetes_minor import minor_of
from ..facts.operators import version_of
from ..finding import Severity
from ..model import ChartRelease, Inputs, Unknown
from ..rule import Example, Found, Rule
from ._charts import dra_release

# Gates of the driver, and the gate of Kubernetes that each needs.
_OF_KUBERNETES = {"ConsumableShares": "DRAConsumableCapacity", "DynamicMIG": "DRAPartitionableDevices"}
# The driver's own word for none (cmd/gpu-kubelet-plugin/main.go, --consumable-shares).
_NO_SHARES = "disabled"


def _gates(inputs: Inputs) -> Iterator[Found]:
    for driver in dra_drivers(inputs):
        release = driver.release
        if release:
            for severity, path, message, fix in _against(inputs, release):
                yield Found(severity=severity, message=message, about=release, path=(*release.values_path, *path), fix=fix)


def _against(inputs: Inputs, release: ChartRelease) -> Iterator[tuple[Severity, tuple[str, ...], str, str]]:
    written = release.value("featureGates")
    gates = {str(key): value for key, value in written.items() if not isinstance(value, Unknown)} if isinstance(written, Mapping) else {}
    unknown = {str(key) for key in written if str(key) not in gates} if isinstance(written, Mapping) else set()
    on = gates_on({key: value is True or value == "true" for key, value in gates.items()}) - unknown
    for gate in gates:
        if gate not in GATES:
            meant = did_you_mean(gate, GATES)
            said = f"featureGates has {gate}, which no driver that this library knows has: it ends with 'unrecognized feature gate: {gate}'"
            yield Severity.WARNING, ("featureGates", gate), said, f"{meant[0].upper()}{meant[1:]}" if meant else "Leave it out"
    for one, other in EXCLUSIVE_GATES:
        if {one, other} <= on:
            said = f"featureGates has {one} and {other}, which exclude each other: the driver ends"
            yield Severity.ERROR, ("featureGates", other), said, f"Switch {one} or {other} off"
    yield from _exclusive_before_0_5(release, on)
    for one, other in REQUIRED_GATES.items():
        if one in on and other not in on | unknown:
            said = f"{one} is on without {other}, which it needs: the driver ends"
            yield Severity.ERROR, ("featureGates", one if one in gates else other), said, f"Set featureGates.{other}: true"
    if {"ConsumableShares", "MPSSupport"} <= on:
        said = "featureGates has ConsumableShares and MPSSupport: a GPU whose shares are counted is not shared by MPS"
        yield Severity.ERROR, ("featureGates", "MPSSupport"), said, "Switch ConsumableShares or MPSSupport off"
    shares = release.value("consumableShares")
    if shares and not isinstance(shares, Unknown) and str(shares) != _NO_SHARES and "ConsumableShares" not in on and release.complete:
        said = f"consumableShares is {str(shares)!r} without its feature gate: nothing is shared, and a GPU serves one claim"
        yield Severity.ERROR, ("consumableShares",), said, "Set featureGates.ConsumableShares: true"
    yield from _against_kubernetes(inputs, on)
    if "MPSSupport" in on:
        said = "featureGates has MPSSupport: its daemon mounts below the driver root, which is read-only on Talos, and does not start"
        yield Severity.WARNING, ("featureGates", "MPSSupport"), said, "Share GPUs by consumableShares"


def _exclusive_before_0_5(release: ChartRelease, on: set[str]) -> Iterator[tuple[Severity, tuple[str, ...], str, str]]:
    one, other = EXCLUSIVE_BEFORE_0_5
    if not {one, other} <= on:
        return
    path, fix = ("featureGates", other), f"Switch {one} or {other} off"
    version = version_of(release.version)
    if version is not None and is_before_0_5(version):
        yield Severity.ERROR, path, f"featureGates has {one} and {other}, which exclude each other: the driver ends", fix
        return
    message = f"featureGates has {one} and {other}: a driver before 0.5.0 ends with both, and of newer drivers it is not known"
    yield Severity.WARNING, path, message, fix


def _against_kubernetes(inputs: Inputs, on: set[str]) -> Iterator[tuple[Severity, tuple[str, ...], str, str]]:
    minor = minor_of(inputs.kubernetes_version)
    for gate, needed in _OF_KUBERNETES.items():
        since = DRA_GATES_ON_SINCE[needed]
        if minor is not None and gate in on and minor < since:
            said = (
                f"featureGates has {gate}, which needs {needed} of Kubernetes: it is off by itself before 1.{since}, and this is 1.{minor}"
            )
            fix = f"Go to Kubernetes 1.{since}, or switch {needed} on in the API server, the scheduler, the controller manager and the kubelet"
            yield Severity.WARNING, ("featureGates", gate), said, fix


_DRIVER = dra_release("0.5.0") + "    nvidiaDriverRoot: /usr/local\n    gpuResourcesEnabledOverride: true\n"


RULES = (
    Rule(
        id="TG017",
        claim="The feature gates of the DRA driver go together",
        symptom="feature gate DynamicMIG is currently mutually exclusive with MPSSupport; CrashLoopBackOff of dra-driver-nvidia-gpu-kubelet-plugin",
        severity=Severity.ERROR,
        fix="Switch one of the two off",
        source="kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go",
        judge=_gates,
        failing=Example(talos="1.13", yaml=_DRIVER + "    featureGates: {DynamicMIG: true, PassthroughSupport: true}\n"),
        passing=Example(talos="1.13", yaml=_DRIVER + "    featureGates: {DynamicMIG: true, PassthroughSupport: false}\n"),
    ),
)
