"""The numbers and names of the errors of NVIDIA's driver (XIDs), of NVML, of CUDA and of NCCL.

Source: docs.nvidia.com/deploy/xid-errors/analyzing-xid-catalog.html of 2025-10-29, by leptonai/gpud
components/accelerator/nvidia/xid/catalog_generated.go; NVIDIA/go-nvml@v0.13.3-0:pkg/nvml/const.go; cuda.h and
driver_types.h of CUDA 12.9; NVIDIA/nccl@v2.30.7-1:src/nccl.h.in and src/init.cc, whose rows `make pins` renews (2026-11-28)
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pkgutil import get_data


@dataclass(frozen=True, kw_only=True, slots=True)
class ErrorCode:
    """An error of a library, or of the driver."""

    library: str
    """"xid", "nvml", "cuda" or "nccl"."""
    number: int
    name: str
    words: tuple[str, ...]
    """Of an XID what NVIDIA's catalogue asks for, first and then; none where it has the XID unused or open. Of CUDA the
    name in the driver's API, where it is another one. Of NCCL its text, whole."""


@cache
def error_codes() -> dict[tuple[str, int], ErrorCode]:
    """Every error by library and number."""
    lines = (get_data(__package__, "error_codes.tsv") or b"").decode().splitlines()[1:]
    rows = (line.split("\t") for line in lines)
    return {
        (library, int(number)): ErrorCode(
            library=library, number=int(number), name=name, words=(words,) if library == "nccl" else tuple(words.split())
        )
        for library, number, name, words in rows
    }
