"""The choices that the DaemonSets of this library share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._arguments.fields import to_resources
from .._arguments.plain_values import choice
from ..upstream.choice import Choice
from ..upstream.container_rights import AGENT_RESOURCES


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


def to_agent_resources(value: Mapping[str, Any] | None, argument: str = "") -> Mapping[str, Any]:
    """The requests and limits of an agent's container: for None those of `AGENT_RESOURCES`, where upstream has none."""
    return to_resources(AGENT_RESOURCES if value is None else value, argument)
