"""What something costs, counted: the same number on every machine, however busy it is."""

import gc
import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


class TooManyCalls(BaseException):
    """More functions are called than a test allows. No `except Exception` of the library catches it."""


def calls(run: Callable[[], Any], most: float = math.inf) -> int:
    """How many functions, of Python and of C, are called while `run` runs. Above `most`, the run is ended with an error."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")
        if counted > most:
            sys.setprofile(None)
            raise TooManyCalls(f"more than {most} calls")

    before = sys.getprofile()
    gc.collect()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return counted
