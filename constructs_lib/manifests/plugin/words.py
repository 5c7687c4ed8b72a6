"""Converters of the device plugin's options: paths on the node, feature flags and hooks of CDI specs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...arguments.errors import warn, wrong
from ...arguments.plain_values import text, texts
from ...arguments.spelling import is_near
from ...nodes.talos_version import dated
from ...upstream.nvidia.plugin_words import (
    CDI_FEATURE_FLAGS,
    CDI_HOOKS,
    TEGRA_FEATURE_FLAG,
)
from .strategies import NO_TEGRA


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
