"""The ServiceMonitor, by which Prometheus finds the pods behind a Service."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..objects import Manifest, manifest


def service_monitor(
    name: str, namespace: str | None, labels: Mapping[str, str], selector: Mapping[str, str], endpoint: Mapping[str, Any], **more: Any
) -> Manifest:
    """A ServiceMonitor for the Services with the labels of the selector, of its own namespace."""
    # One job for every Service of an application; without jobLabel Prometheus takes the Service's name.
    spec = {"jobLabel": "app.kubernetes.io/name", "selector": {"matchLabels": dict(selector)}, "endpoints": [dict(endpoint)]}
    return manifest("monitoring.coreos.com/v1", "ServiceMonitor", name, namespace=namespace, labels=labels, **more, spec=spec)
