"""Waiting for a state that another process or thread reaches, however busy the machine is."""

import time
from collections.abc import Callable
from typing import Any

PATIENCE = 120  # seconds, after which the state is taken for one that never comes


def becomes(expected: Any, look: Callable[[], Any]) -> bool:
    """Whether what `look` sees comes to be what is expected. A file may be gone between the listing and the reading."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if look() == expected:
                return True
        except FileNotFoundError:
            pass
        time.sleep(0.01)
    return False
