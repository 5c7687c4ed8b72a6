"""The rules, by what they judge. A module has a tuple `RULES`; the ids are never given twice, and never to another rule again."""

from __future__ import annotations

from importlib import import_module

from ..rule import Rule

_MODULES = (
    "capacity capacity_memory capacity_scaling charts_ignored charts_leftovers charts_refused charts_types dcgm device_plugin_cdi "
    "device_plugin_config device_plugin_config_choice device_plugin_mps device_plugin_options device_plugin_runtime "
    "device_plugin_twice dra dra_beside dra_gates labels labels_extensions monitoring namespaces operator_bridge operator_cdi "
    "operator_delivery operator_driver operator_extras operator_hooks operator_neighbours operator_versions runtime_class sharing "
    "taints talos_cards talos_containerd talos_extensions talos_files talos_forms talos_leftovers talos_modules talos_names "
    "talos_nodes versions versions_dra workloads_amounts workloads_claims workloads_daemon_sets workloads_devices workloads_libraries "
    "workloads_links workloads_rollout"
)
MODULES = tuple(import_module(f"{__name__}.{name}") for name in _MODULES.split())

RULES: dict[str, Rule] = {rule.id: rule for module in MODULES for rule in module.RULES}
