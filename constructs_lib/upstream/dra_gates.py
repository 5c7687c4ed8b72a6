"""The feature gates of NVIDIA's DRA driver: which there are, which go together, and which are on by themselves.

https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu/blob/main/pkg/featuregates/featuregates.go
"""

from __future__ import annotations

from collections.abc import Mapping

GATES_OF_0_5 = ("ConsumableShares", "DRAListTypeAttributes", "FabricManagerPartitioning", "HostManagedIMEXDaemon")
# At v0.4.1 and v0.5.0, and those of Kubernetes' own logging.
GATES = (
    "ComputeDomainCliques", "CrashOnNVLinkFabricErrors", "DeviceMetadata", "DynamicMIG", "IMEXDaemonsWithDNSNames", "MPSSupport",
    "NVMLDeviceHealthCheck", "PassthroughSupport", "TimeSlicingSettings", "ContextualLogging", "LoggingAlphaOptions", "LoggingBetaOptions",
    *GATES_OF_0_5,
)  # fmt: skip
# As the driver itself checks them at start (ValidateFeatureGates): it ends with what it says.
EXCLUSIVE = (
    ("DynamicMIG", "PassthroughSupport"),
    ("DynamicMIG", "NVMLDeviceHealthCheck"),
    ("DynamicMIG", "MPSSupport"),
    ("PassthroughSupport", "NVMLDeviceHealthCheck"),
)
REQUIRED = {"DeviceMetadata": "PassthroughSupport", "ComputeDomainCliques": "IMEXDaemonsWithDNSNames"}
_ON_BY_ITSELF = ("ComputeDomainCliques", "IMEXDaemonsWithDNSNames")


def gates_on(written: Mapping[str, object]) -> set[str]:
    """The gates that are on: those that are switched on, and those that are on by themselves and nobody switched off."""
    return {gate for gate in {*written, *_ON_BY_ITSELF} if written.get(gate, gate in _ON_BY_ITSELF)}
