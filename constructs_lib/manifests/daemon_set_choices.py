"""What every DaemonSet of ours lets its user choose."""

from __future__ import annotations

from ..upstream.choice import Choice


class ImagePullPolicy(Choice):
    """When the kubelet pulls an image."""

    ALWAYS = "Always"
    IF_NOT_PRESENT = "IfNotPresent"
    NEVER = "Never"


class DaemonSetUpdate(Choice):
    """When a changed DaemonSet replaces its pods."""

    ROLLING_UPDATE = "RollingUpdate"
    ON_DELETE = "OnDelete"
