"""The options of NVIDIA's device plugin, and those of them that Talos' own container toolkit supports."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...arguments.errors import warn, wrong
from ...arguments.plain_values import choice, ordered, text, texts
from ...arguments.spelling import is_near
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import dated
from ...upstream.choice import Choice
from ...upstream.nvidia.plugin_words import (
    CDI_FEATURE_FLAGS,
    CDI_HOOKS,
    TEGRA_FEATURE_FLAG,
    AllocationPolicy,
    DeviceDiscoveryStrategy,
    DeviceIDStrategy,
    DeviceListStrategy,
)
from ...upstream.talos.features import LEGACY_ROOT
from ...upstream.talos.generations import CDI_LAYOUT


class ImagePullPolicy(Choice):
    """When the kubelet pulls an image."""

    ALWAYS = "Always"
    IF_NOT_PRESENT = "IfNotPresent"
    NEVER = "Never"


class DaemonSetUpdate(Choice):
    """When a changed DaemonSet replaces its pods."""

    ROLLING_UPDATE = "RollingUpdate"
    ON_DELETE = "OnDelete"


def to_image_pull_policy(value: ImagePullPolicy | str, argument: str = "") -> ImagePullPolicy:
    """An image pull policy, from the member or its string."""
    return choice(argument, value, ImagePullPolicy)


def to_daemon_set_update(value: DaemonSetUpdate | str, argument: str = "") -> DaemonSetUpdate:
    """An update strategy, from the member or its string."""
    return choice(argument, value, DaemonSetUpdate)


NO_TEGRA = "Talos has no driver for a Tegra, such as a Jetson"


def check_strategies(argument: str, strategies: Sequence[DeviceListStrategy], nodes: GpuNodes) -> None:
    """Refuse a device list strategy that Talos' own container toolkit does not support."""
    if DeviceListStrategy.VOLUME_MOUNTS in strategies:
        hint = "no Talos configures its toolkit to accept devices as volume mounts (accept-nvidia-visible-devices-as-volume-mounts)"
        raise wrong(argument, "without 'volume-mounts' on Talos", "volume-mounts", hint)
    talos = nodes.talos_version
    refused = [str(strategy) for strategy in strategies if strategy not in talos.needs.strategies]
    rule = f"{' or '.join(map(repr, talos.needs.strategies))} on Talos {talos}"
    if refused and not talos.needs.by_containerd:
        hint = f"the plugin finds no libraries for its CDI specs there, and ends (before {CDI_LAYOUT.first} they are under {LEGACY_ROOT})"
        raise wrong(argument, rule, ", ".join(refused), hint)
    if len(refused) == len(strategies):
        raise wrong(argument, rule, ", ".join(refused), "no runtime reads the variable of the plugin there")


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


def to_absolute_path(value: str | None, argument: str = "") -> str | None:
    """An absolute path on the node, or None."""
    if value is None:
        return None
    rule = "an absolute path on the node"
    if not text(argument, value, rule).startswith("/"):
        raise wrong(argument, rule, value)
    return value


def to_dev_root(value: str | None, argument: str = "") -> str | None:
    """The folder of the node that holds /dev, or None."""
    path = to_absolute_path(value, argument)
    parent, _, last = (path or "").rstrip("/").rpartition("/")
    if last == "dev":
        raise wrong(argument, "the folder that holds the folder dev", path, f"did you mean '{parent or '/'}'?")
    return path


def to_feature_flags(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """Feature flags of CDI specs."""
    flags = _words(argument, value, (*CDI_FEATURE_FLAGS, TEGRA_FEATURE_FLAG), "feature flags of CDI specs")
    if TEGRA_FEATURE_FLAG in flags:
        raise wrong(argument, f"without '{TEGRA_FEATURE_FLAG}' on Talos", TEGRA_FEATURE_FLAG, NO_TEGRA)
    return flags


def to_hooks(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """OCI hooks of CDI specs."""
    return _words(argument, value, CDI_HOOKS, "hooks of CDI specs")


def _words(argument: str, value: Iterable[str], known: tuple[str, ...], kind: str) -> tuple[str, ...]:
    words = texts(argument, value)
    for index, word in enumerate(words):
        if word in words[:index]:
            raise wrong(f"{argument}[{index}]", "named once", word)
        if word not in known:
            _check_unknown(argument, word, known, kind)
    return tuple(words)


def _check_unknown(argument: str, word: str, known: tuple[str, ...], kind: str) -> None:
    """Refuse a misspelt word, and warn of a word that may be newer. The plugin ignores a word that it does not know,
    and splits words at commas.
    """
    similar = next((name for name in known if is_near(word, name)), "")
    if similar or not re.fullmatch("[a-z0-9-]+", word):
        raise wrong(argument, f"made of {kind}", word, f"did you mean '{similar}'?" if similar else f"known are {', '.join(known)}")
    unknown = dated(f"'{word}' in '{argument}' is none of the known {kind}")
    warn(f"{unknown}: a plugin that does not know '{word}' ignores '{word}'")
