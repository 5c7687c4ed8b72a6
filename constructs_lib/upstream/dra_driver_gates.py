"""The feature gates of NVIDIA's DRA driver: which there are, which go together, and which are on by themselves."""

from __future__ import annotations

from collections.abc import Mapping

GATES_OF_0_5 = ("ConsumableShares", "DRAListTypeAttributes", "FabricManagerPartitioning", "HostManagedIMEXDaemon")
"""The feature gates that came with 0.5.0.

Source: kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go at v0.4.1 and v0.5.0 (2026-08-22)
"""

GATES = (
    "ComputeDomainCliques", "CrashOnNVLinkFabricErrors", "DeviceMetadata", "DynamicMIG", "IMEXDaemonsWithDNSNames", "MPSSupport",
    "NVMLDeviceHealthCheck", "PassthroughSupport", "TimeSlicingSettings", "ContextualLogging", "LoggingAlphaOptions", "LoggingBetaOptions",
    *GATES_OF_0_5,
)  # fmt: skip
"""Every feature gate of the driver, and those of Kubernetes' own logging.

Source: kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go at v0.5.0 (2026-08-22)
"""

EXCLUSIVE_GATES = (
    ("DynamicMIG", "PassthroughSupport"),
    ("DynamicMIG", "NVMLDeviceHealthCheck"),
    ("DynamicMIG", "MPSSupport"),
    ("PassthroughSupport", "NVMLDeviceHealthCheck"),
)
"""Pairs of feature gates with which the driver refuses to start.

Source: kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go, ValidateFeatureGates at v0.5.0 (2026-08-22)
"""

REQUIRED_GATES = {"DeviceMetadata": "PassthroughSupport", "ComputeDomainCliques": "IMEXDaemonsWithDNSNames"}
"""Feature gates with which the driver refuses to start unless another is on.

Source: kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go, ValidateFeatureGates at v0.5.0 (2026-08-22)
"""

GATES_ON_BY_DEFAULT = ("ComputeDomainCliques", "IMEXDaemonsWithDNSNames")
"""The feature gates that are on where nobody says anything.

Source: kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go at v0.5.0 (2026-08-22)
"""


def gates_on(written: Mapping[str, object]) -> set[str]:
    """The gates that are on: those that are switched on, and those that are on by themselves and nobody switched off."""
    return {gate for gate in {*written, *GATES_ON_BY_DEFAULT} if written.get(gate, gate in GATES_ON_BY_DEFAULT)}
