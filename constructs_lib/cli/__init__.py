"""The command `talos-gpu`: one module for each verb. The command never starts Node."""

from __future__ import annotations

from .command import main

__all__ = ["main"]
