"""The rules, by what they judge. A module has a tuple `RULES`; the ids are never given twice, and never to another rule again."""

from __future__ import annotations

from types import ModuleType

from ..rule import Rule
from . import (
    charts_leftovers,
    charts_values,
    dcgm,
    device_plugin_config,
    device_plugin_config_choice,
    device_plugin_mps,
    device_plugin_options,
    device_plugin_runtime,
    device_plugin_twice,
    dra,
    operator_bridge,
    operator_cdi,
    operator_driver,
    operator_extras,
    operator_neighbours,
    operator_versions,
    talos_cards,
    talos_containerd,
    talos_extensions,
    talos_files,
    talos_forms,
    talos_leftovers,
    talos_modules,
    talos_names,
    talos_nodes,
)

MODULES: tuple[ModuleType, ...] = (
    charts_leftovers,
    charts_values,
    dcgm,
    device_plugin_config,
    device_plugin_config_choice,
    device_plugin_mps,
    device_plugin_options,
    device_plugin_runtime,
    device_plugin_twice,
    dra,
    operator_bridge,
    operator_cdi,
    operator_driver,
    operator_extras,
    operator_neighbours,
    operator_versions,
    talos_cards,
    talos_containerd,
    talos_extensions,
    talos_files,
    talos_forms,
    talos_leftovers,
    talos_modules,
    talos_names,
    talos_nodes,
)

RULES: dict[str, Rule] = {rule.id: rule for module in MODULES for rule in module.RULES}
