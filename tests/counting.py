"""What something costs, counted: the same number on every machine, however busy it is."""

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def calls(run: Callable[[], Any]) -> int:
    """How many functions, of Python and of C, are called while `run` runs."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    gc.collect()
    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(before)
    return counted
