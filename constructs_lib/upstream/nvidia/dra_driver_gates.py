"""The feature gates of NVIDIA's DRA driver: their names, their defaults, and the combinations with which the driver
refuses to start."""

from __future__ import annotations

from collections.abc import Mapping

from ..version import Version

GATES_OF_0_5 = ("ConsumableShares", "DRAListTypeAttributes", "FabricManagerPartitioning", "HostManagedIMEXDaemon")
"""The feature gates that came with 0.5.0.

Source: kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go at v0.4.1 and v0.5.0 (2026-08-22)
"""

# The alpha feature gates of the driver and of Kubernetes' own logging. Each is off by default, and on with
# `ALL_ALPHA`.
ALPHA_GATES = (
    "DeviceMetadata", "DynamicMIG", "MPSSupport", "NVMLDeviceHealthCheck", "PassthroughSupport", "TimeSlicingSettings", "LoggingAlphaOptions",
    *GATES_OF_0_5,
)  # fmt: skip
# The beta feature gates of the driver and of Kubernetes' own logging. Each is on by default, and off with `ALL_BETA`
# at False.
BETA_GATES = (
    "ComputeDomainCliques", "CrashOnNVLinkFabricErrors", "IMEXDaemonsWithDNSNames", "ContextualLogging", "LoggingBetaOptions",
)  # fmt: skip
ALL_ALPHA = "AllAlpha"  # The feature gate that switches all alpha gates that are not set by name
ALL_BETA = "AllBeta"  # The feature gate that switches all beta gates that are not set by name
GATES = (*BETA_GATES, *ALPHA_GATES, ALL_ALPHA, ALL_BETA)  # Every name that the driver accepts as a feature gate
"""The feature gates of the driver and of Kubernetes' own logging.

Source: kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go at v0.5.0,
k8s.io/component-base/logs/api/v1, k8s.io/component-base/featuregate/feature_gate.go, which the driver uses since
25.8.0 (2026-11-22)
"""

# The pairs of feature gates with which the driver refuses to start.
EXCLUSIVE_GATES = (
    ("DynamicMIG", "PassthroughSupport"),
    ("DynamicMIG", "MPSSupport"),
    ("PassthroughSupport", "NVMLDeviceHealthCheck"),
)
# The feature gates that need another one: without it the driver refuses to start.
REQUIRED_GATES = {"DeviceMetadata": "PassthroughSupport", "ComputeDomainCliques": "IMEXDaemonsWithDNSNames"}
"""The combinations of feature gates with which the driver refuses to start.

Source: kubernetes-sigs/dra-driver-nvidia-gpu pkg/featuregates/featuregates.go, ValidateFeatureGates at v0.5.0
(2026-08-22)
"""

EXCLUSIVE_BEFORE_0_5 = ("DynamicMIG", "NVMLDeviceHealthCheck")
"""The pair of feature gates with which a driver before 0.5.0 refuses to start. Of 0.5.0 and newer drivers it is not
known.

The check is in main of 2026-08-07, twelve days before the tag v0.5.0. #1266 removed the check, and a later copy of main
does not have it.

Source: kubernetes-sigs/dra-driver-nvidia-gpu#1266, pkg/featuregates/featuregates.go at 95932046 and 0807eed0
(2026-11-22)
"""

# Before 0.4.0 the driver's versions began with the year.
_FIRST_YEAR = 25


def is_before_0_5(driver: Version) -> bool:
    """Whether a driver is older than 0.5.0, as 0.4.1 and 25.12.0 are."""
    return driver < Version(0, 5) or driver.major >= _FIRST_YEAR


def gates_on(written: Mapping[str, object]) -> set[str]:
    """The gates that are on: by name, by `AllAlpha` or `AllBeta`, or by default.

    Example:
        >>> "DynamicMIG" in gates_on({"AllAlpha": True}), "DynamicMIG" in gates_on({"AllAlpha": True, "DynamicMIG": False})
        (True, False)
    """
    defaults = dict.fromkeys(ALPHA_GATES, written.get(ALL_ALPHA, False)) | dict.fromkeys(BETA_GATES, written.get(ALL_BETA, True))
    return {gate for gate, on in {**defaults, **written}.items() if on}
