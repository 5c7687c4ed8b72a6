"""The driver root of NVIDIA's DRA driver."""

from __future__ import annotations

from ..model import Inputs, Unknown, at, equals, is_open, is_unknown, mappings, question
from .agents import Agent, dra_drivers


def driver_root(driver: Agent) -> object:
    """The driver root; `/` for a chart without the value, None if no manifest sets the root, `Unknown` if an unreadable one may."""
    if driver.release:
        root = driver.release.value("nvidiaDriverRoot")
        return "/" if root is None else root
    for key in ("initContainers", "containers"):
        for _, container in mappings(at(driver.spec, key)):
            for _, variable in mappings(at(container, "env")):
                is_root = equals(at(variable, "name"), "NVIDIA_DRIVER_ROOT")
                if not is_root.is_no:
                    return at(variable, "value") if is_root.is_yes else Unknown()
            if is_open(at(container, "env")):
                return Unknown()
    return None


def is_staged(root: object) -> bool:
    """Whether the user may stage the driver in this folder, as one cluster on Talos 1.12 did for half a year with its own build."""
    return is_unknown(root) or (isinstance(root, str) and root.rstrip("/") != "" and not root.startswith("/usr"))


@question
def may_have_a_staged_driver(inputs: Inputs) -> bool:
    """Whether a DRA driver may find a driver that Talos does not bring."""
    return any(is_staged(driver_root(driver)) for driver in dra_drivers(inputs))
