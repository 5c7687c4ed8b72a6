"""The checks of the device plugin's options: each option has an effect with the nodes, the strategies and the image, or is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...arguments.errors import wrong
from ...arguments.plain_values import text, texts
from ...arguments.spelling import is_near
from ...arguments.talos_warnings import warn
from ...nodes.talos_version import dated
from ...upstream.kubernetes.registries import split_reference
from ...upstream.nvidia.plugin_words import (
    CDI_FEATURE_FLAGS,
    CDI_HOOKS,
    FIRST_IMAGES,
    INFINITE_SLEEP,
    INFINITE_SLEEP_IMAGE,
    TEGRA_FEATURE_FLAG,
)
from ...upstream.version import Version
from ..objects import plain
from .strategies import NO_TEGRA

if TYPE_CHECKING:
    from .settings import DevicePluginSettings

# The options that only a plugin with a CDI strategy reads.
_OF_CDI = ("nvidia_cdi_hook_path", "cdi_feature_flags", "cdi_disable_hooks")
# `v0.17.1-ubi9` is a flavour of v0.17.1, and no pre-release.
_TAG = r"(v?\d+\.\d+\.\d+(?:-rc\.\d+)?)(?:-[a-z].*)?"


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
    """Refuse a misspelt word, and warn of a word that may be newer. The plugin ignores a word that it does not know, and splits words at commas."""
    similar = next((name for name in known if is_near(word, name)), "")
    if similar or not re.fullmatch("[a-z0-9-]+", word):
        raise wrong(argument, f"made of {kind}", word, f"did you mean '{similar}'?" if similar else f"known are {', '.join(known)}")
    unknown = dated(f"'{word}' in '{argument}' is none of the known {kind}")
    warn(f"{unknown}: a plugin that does not know '{word}' ignores '{word}'")


def check_needs(settings: DevicePluginSettings) -> None:
    """Refuse options that have no effect with these nodes, strategies and this image."""
    for argument in _OF_CDI:
        if (got := getattr(settings, argument)) and not settings.writes_cdi:
            hint = "the plugin writes no CDI spec without 'cdi-annotations' or 'cdi-cri' in 'device_list_strategy'"
            raise wrong(argument, "left out with these strategies", _written(got), hint)
    _check_dev_root(settings)
    _check_nodes(settings)
    _check_image(settings)


def _check_dev_root(settings: DevicePluginSettings) -> None:
    root = settings.nvidia_dev_root
    # Where the driver's root has a folder dev, the CDI specs have the devices in this folder, whatever the dev root (internal/cdi/cdi.go).
    is_read = settings.compat_with_cpu_manager or (settings.writes_cdi and settings.nvidia_driver_root != "/")
    if root is not None and not is_read:
        hint = "the plugin reads it only with 'compat_with_cpu_manager', or for CDI specs with a 'nvidia_driver_root' other than '/'"
        raise wrong("nvidia_dev_root", "left out with these arguments", root, hint)


def _check_nodes(settings: DevicePluginSettings) -> None:
    nodes, policy = settings.nodes, settings.shared_devices_allocation_policy
    if policy is not None and nodes.sharing is None:
        hint = "the policy counts the shares of each GPU; give sharing=TimeSlicing(…) to GpuNodes"
        raise wrong("shared_devices_allocation_policy", "left out for nodes without 'sharing'", str(policy), hint)
    if settings.mps_control_daemon is not None and not nodes.by_mps:
        hint = "no MPS daemon runs there; give sharing=Mps(…) to GpuNodes"
        raise wrong("mps_control_daemon", "left out for nodes that are not shared by MPS", settings.mps_control_daemon, hint)
    if settings.mig_parted_resources and nodes.mig_devices is None:
        hint = "nvidia-mig-parted runs only on nodes with 'mig_devices'"
        raise wrong("mig_parted_resources", "left out for nodes without 'mig_devices'", plain(settings.mig_parted_resources), hint)


def _check_image(settings: DevicePluginSettings) -> None:
    """Refuse an option that came after the version in the image's tag. A tag without a version stays unchecked."""
    tag = re.fullmatch(_TAG, split_reference(settings.image).tag)
    version = Version.parse(tag[1]) if tag else None
    if version is None:
        return
    for variable, first in FIRST_IMAGES.items():
        argument = variable.lower()
        if (got := getattr(settings, argument)) and version < first:
            hint = f"the plugin reads {variable} from v{first} on, and v{version} ignores it"
            raise wrong(argument, "left out with this image", _written(got), hint)
    discovery = settings.feature_discovery
    if discovery and discovery.sleep_interval == INFINITE_SLEEP and version < INFINITE_SLEEP_IMAGE:
        hint = f"GPU feature discovery knows this word from v{INFINITE_SLEEP_IMAGE} on, and v{version} exits at start"
        raise wrong("feature_discovery", f"without sleep_interval='{INFINITE_SLEEP}' with this image", discovery, hint)


def _written(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value if isinstance(value, bool) else str(value)
