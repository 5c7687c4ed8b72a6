"""Monitoring of GPUs: which metrics there are, the counters that an exporter is asked for, and what is made of them. It
never starts Node."""

from __future__ import annotations

from ..arguments.public_names import lazy

__getattr__, __dir__ = lazy(__name__, globals())
