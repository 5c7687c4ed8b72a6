"""Releases of Talos whose fabric manager does not start."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.model import Inputs
from ....observed.nodes.node_extensions import nvidia_extensions
from ....observed.nodes.node_settings import talos_of
from ....upstream.nvidia.driver_branches import DriverTrack
from ....upstream.talos.extension_names import FABRIC_MANAGER
from ....upstream.talos.features import NO_FABRIC_MANAGER, UNCONFIGURED_FABRIC_MANAGER
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._talos import MODULES, OPEN, once, schematic, talconfig


@once
def _not_started(inputs: Inputs) -> Iterator[Violation]:
    for config in inputs.node_configs:
        manager = next((each for each in nvidia_extensions(config) if each.kind == FABRIC_MANAGER), None)
        talos = talos_of(config, inputs) if manager else None
        if manager is None or talos is None:
            continue
        if fixed_in := NO_FABRIC_MANAGER.get(str(talos)):
            happens, fix = "libz.so.1 is missing", f"Upgrade to Talos {fixed_in} or newer"
        elif talos.minor in UNCONFIGURED_FABRIC_MANAGER and manager.track is DriverTrack.PRODUCTION:
            happens, fix = "FABRIC_NODE_CONFIG_FILE has an invalid value", "Upgrade to Talos 1.9 or newer, or use the extensions with -lts"
        else:
            continue
        yield Violation(
            severity=Severity.ERROR,
            message=f"{config.name} has {manager.name}, but the fabric manager of Talos {talos} does not start: {happens}. CUDA fails: "
            "CUDA_ERROR_SYSTEM_NOT_READY (802)",
            about=config,
            path=manager.path,
            fix=fix,
        )


_WITH_MANAGER = schematic(*OPEN, "nvidia-fabricmanager-production") + MODULES

RULES = (
    Rule(
        id="TG111",
        claim="The release of Talos has a fabric manager that starts",
        symptom="error while loading shared libraries: libz.so.1: cannot open shared object file; "
        "FABRIC_NODE_CONFIG_FILE has an invalid value; Runner Containerd(ext-nvidia-fabricmanager) exited without "
        "error, going to restart it; CUDA_ERROR_SYSTEM_NOT_READY (802)",
        fix="Upgrade to a patch release of Talos whose fabric manager starts: 1.13.1 or newer",
        source="siderolabs/extensions#1073; siderolabs/extensions#511",
        severity=Severity.ERROR,
        shown_by=Witness.CARD,
        check=_not_started,
        failing=Example(yaml=talconfig(_WITH_MANAGER, "v1.13.0")),
        passing=Example(yaml=talconfig(_WITH_MANAGER, "v1.13.1")),
    ),
)
