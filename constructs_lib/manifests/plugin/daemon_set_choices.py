"""The choices that the DaemonSets of this library share."""

from __future__ import annotations

from ...arguments.plain_values import choice
from ...upstream.choice import Choice


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
