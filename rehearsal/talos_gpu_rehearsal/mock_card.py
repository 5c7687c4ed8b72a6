"""The mock of NVIDIA's library and of nvidia-smi: how it is compiled, and how it is put on a node."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from .errors import RehearsalError

SOURCES = Path(__file__).resolve().parent / "nvml"
FILES = LIBRARY, CUDA, SMI = "libnvidia-ml.so.1", "libcuda.so.1", "nvidia-smi"
WARNINGS = ("-Wall", "-Wextra", "-Wno-deprecated-declarations")


def compile_mock(header: Path, output: Path, *flags: str) -> None:
    """Compile library, stand-ins for libcuda and nvidia-smi into a folder.

    Args:
        header: The folder `gen/nvml` of the module github.com/NVIDIA/go-nvml, with nvml.h.
        output: The folder for the three files.
        flags: Further words for gcc.
    """
    smi = sorted(SOURCES.glob("nvidia_smi*.c"))
    library = sorted(set(SOURCES.glob("*.c")) - set(smi) - {SOURCES / "libcuda.c"})
    shared = ("-shared", "-fPIC", *flags)
    _gcc(output / LIBRARY, f"-I{header}", *shared, f"-Wl,-soname,{LIBRARY}", *library, "-lpthread", "-ldl")
    _gcc(output / CUDA, *shared, f"-Wl,-soname,{CUDA}", SOURCES / "libcuda.c")
    _gcc(output / SMI, f"-I{header}", *flags, *smi, "-ldl")


def install(built: Path, libraries: Path, driver_version: str, programs: Path | None = None) -> None:
    """Put the library on a node as a driver does: the file has the driver's version in its name, and links lead to it.

    The cards are described by `cards.conf` in the folder of the libraries, if neither the environment nor
    /proc/driver/nvidia-mock has another file.
    """
    libraries.mkdir(parents=True, exist_ok=True)
    for name in (LIBRARY, CUDA):
        base = name.removesuffix(".1")
        shutil.copy2(built / name, libraries / f"{base}.{driver_version}")
        _link(libraries / name, f"{base}.{driver_version}")
        _link(libraries / base, name)
    if programs is not None:
        programs.mkdir(parents=True, exist_ok=True)
        shutil.copy2(built / SMI, programs / SMI)


def _link(link: Path, target: str) -> None:
    """A link to a file beside it, in place of one to an older driver."""
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def _gcc(output: Path, *words: str | Path) -> None:
    """One call of gcc, whose complaints are the error."""
    command: Sequence[str | Path] = ["gcc", "-O2", *WARNINGS, "-o", output, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own words
    if done.returncode:
        raise RehearsalError(f"gcc failed to build {output.name}:\n{done.stderr.strip()}")
