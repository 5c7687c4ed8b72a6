"""Monitoring of GPUs: metrics, the counters of an exporter, the dashboard and the alerts, without Node."""

from __future__ import annotations

from ..arguments.public_names import lazy

__getattr__, __dir__ = lazy(__name__, globals())
