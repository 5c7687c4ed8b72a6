"""The operator's settings for every option that changes a value of its chart, for tests of all of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any

from constructs_lib import Dra, GpuNodes, Mps, Passthrough, Taint, TalosGpuWarning, TimeSlicing
from constructs_lib.manifests.operator.settings import GpuOperatorSettings

_TALOS = {"1.12": ["v25.3.4", None, "v26.3.3", "v26.7.0"], "1.14": ["v26.3.3", None], "1.15": [None]}
_SHARES: list[dict[str, Any]] = [
    {},
    {"sharing": TimeSlicing(replicas=4)},
    {"sharing": Mps(replicas=2)},
    {"mig_strategy": "single"},
    {"mig_strategy": "mixed"},
    {"mig_strategy": "mixed", "sharing": TimeSlicing(replicas=2)},
    {"mig_strategy": "mixed", "mig_devices": {"1g.10gb": 7}},
    {"dra": Dra()},
    {"passthrough": Passthrough(pci_ids=["10de:2684"])},
    {"extra_labels": {"nvidia.com/gpu.deploy.device-plugin": "false"}, "mig_strategy": "single"},
]
_VALUES: list[dict[str, Any]] = [
    {},
    {"devicePlugin": {"enabled": False}},
    {"dcgmExporter": {"enabled": False}, "hostPaths": {"rootFS": "/"}},
]
_NAMES = ("on", "h100")
"""The name of the first class is a bool for YAML."""


def every_option() -> Iterator[tuple[str, GpuOperatorSettings]]:
    """The settings with their description: one class without a name, one with a name, and two classes of every two kinds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TalosGpuWarning)
        for talos, versions in _TALOS.items():
            kinds = [[share] for share in _SHARES] + [list(pair) for pair in product(_SHARES, repeat=2)]
            for shares, version, values, named in product(kinds, versions, _VALUES, (False, True)):
                if len(shares) > 1 and (values or not named):
                    continue
                taints = [Taint("dedicated", "true")] if named else []
                try:
                    nodes = [
                        GpuNodes(talos_version=talos, taints=taints, **share, **({"name": name} if named else {}))
                        for share, name in zip(shares, _NAMES, strict=False)
                    ]
                    made = GpuOperatorSettings(nodes=nodes, version=version, values=values, nfd=not named)
                except ValueError:
                    continue
                yield f"Talos {talos}, chart {made.version}, {shares}, {values}, named: {named}", made
