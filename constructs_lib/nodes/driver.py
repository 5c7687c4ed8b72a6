"""Which of NVIDIA's kernel modules, and which branch of its driver, the image of a node carries."""

from __future__ import annotations

from .._arguments.refusals import Choice


class KernelModules(Choice):
    """Which of NVIDIA's kernel modules the node's image carries."""

    OPEN = "open"
    """For Turing and newer; the only ones for Blackwell and newer."""
    PROPRIETARY = "proprietary"
    """For Maxwell, Pascal and Volta, with a driver of at most 580; work up to Hopper."""


class DriverTrack(Choice):
    """Which of the two driver branches of Talos' extensions the node's image carries."""

    LTS = "lts"
    PRODUCTION = "production"
