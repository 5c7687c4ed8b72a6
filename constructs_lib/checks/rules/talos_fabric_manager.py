"""Releases of Talos whose fabric manager does not start."""

from __future__ import annotations

from collections.abc import Iterator

from ...observed.model import Inputs
from ...observed.nodes.node_extensions import nvidia_extensions
from ...observed.nodes.node_settings import talos_of
from ...upstream.nvidia.driver_branches import DriverTrack
from ...upstream.talos.extension_names import FABRIC_MANAGER
from ...upstream.talos.features import NO_FABRIC_MANAGER, UNCONFIGURED_FABRIC_MANAGER
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._talos import MODULES, OPEN, once, schematic, talconfig


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


_HGX = schematic(*OPEN, "nvidia-fabricmanager-production") + MODULES

RULES = (
    Rule(
        **WORDS["TG111"],
        severity=Severity.ERROR,
        check=_not_started,
        failing=Example(yaml=talconfig(_HGX, "v1.13.0")),
        passing=Example(yaml=talconfig(_HGX, "v1.13.1")),
    ),
)
