"""The strategies of NVIDIA's device plugin, and the strategies that Talos' own container toolkit supports."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...arguments.errors import wrong
from ...arguments.plain_values import choice, ordered
from ...nodes.gpu_nodes import GpuNodes
from ...upstream.nvidia.plugin_words import CDI_STRATEGIES, AllocationPolicy, DeviceDiscoveryStrategy, DeviceIDStrategy, DeviceListStrategy
from ...upstream.talos.features import LEGACY_LAYOUT, LEGACY_ROOT

NO_TEGRA = "Talos has no driver for a Tegra, such as a Jetson"


def check_strategies(argument: str, strategies: Sequence[DeviceListStrategy], nodes: GpuNodes) -> None:
    """Refuse a device list strategy that Talos' own container toolkit does not support."""
    if DeviceListStrategy.VOLUME_MOUNTS in strategies:
        hint = "no Talos configures its toolkit to accept devices as volume mounts (accept-nvidia-visible-devices-as-volume-mounts)"
        raise wrong(argument, "without 'volume-mounts' on Talos", "volume-mounts", hint)
    cdi = [str(strategy) for strategy in strategies if strategy in CDI_STRATEGIES]
    if cdi and nodes.talos_version.minor in LEGACY_LAYOUT:
        hint = (
            f"the plugin's CDI specs would name libraries at paths that this Talos does not have (before 1.13 they are under {LEGACY_ROOT})"
        )
        raise wrong(argument, f"'envvar' on Talos {nodes.talos_version}", ", ".join(cdi), hint)


def to_device_list_strategies(
    value: DeviceListStrategy | str | Iterable[DeviceListStrategy | str], argument: str = ""
) -> tuple[DeviceListStrategy, ...]:
    """One device list strategy or several, as a tuple."""
    if isinstance(value, str) and "," in value:
        # Upstream's flag and variable are one string with commas. Here several strategies are a list, as in the
        # plugin's config file.
        raise wrong(argument, "one strategy, or a list of them", value, f"did you mean {value.replace(' ', '').split(',')}?")
    if isinstance(value, str):
        return (choice(argument, value, DeviceListStrategy),)
    given = ordered(argument, value, "a strategy or a list of strategies")
    strategies = tuple(choice(argument, strategy, DeviceListStrategy) for strategy in given)
    if not strategies or len(set(strategies)) != len(strategies):
        raise wrong(argument, "a list of at least one strategy, each named once", [str(strategy) for strategy in strategies])
    return strategies


def to_device_id_strategy(value: DeviceIDStrategy | str, argument: str = "") -> DeviceIDStrategy:
    """A device ID strategy, from the member or its string."""
    return choice(argument, value, DeviceIDStrategy)


def to_device_discovery_strategy(value: DeviceDiscoveryStrategy | str, argument: str = "") -> DeviceDiscoveryStrategy:
    """A device discovery strategy, from the member or its string; that of a Tegra is refused."""
    strategy = choice(argument, value, DeviceDiscoveryStrategy)
    if strategy is DeviceDiscoveryStrategy.TEGRA:
        raise wrong(argument, "'nvml' or 'auto' on Talos", str(strategy), NO_TEGRA)
    return strategy


def to_allocation_policy(value: AllocationPolicy | str | None, argument: str = "") -> AllocationPolicy | None:
    """An allocation policy, from the member or its string, or None."""
    return None if value is None else choice(argument, value, AllocationPolicy)
