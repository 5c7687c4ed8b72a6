"""The programs of a rehearsal, built once for their sources: `program("containerd")` is the folder with containerd.

    python -m talos_gpu_rehearsal.build              # all of them
    python -m talos_gpu_rehearsal.build kubernetes   # one

Go downloads the sources from the Go module proxy (`GOPROXY`) and compares each with its checksum in go.sum. What is downloaded and built is said on stderr before.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from .errors import RehearsalError
from .go_module import need_gcc, need_go, proxy
from .mock_card import compile_mock
from .sources import SOURCES, MockCard, Source, cache

GO_NVML = "github.com/NVIDIA/go-nvml"
"""The module with nvml.h, NVIDIA's header of the library.

Source: NVIDIA/go-nvml gen/nvml/nvml.h at v0.13.0-1 (2026-11-23)
"""


_KEPT = 30 * 24 * 3600.0
"""The seconds for which an unused build is kept: another version of the package may need it."""


def program(name: str) -> Path:
    """The folder with the built files of one program, which the first call builds.

    Raises:
        RehearsalError: Go or gcc is missing or too old, or the program does not build.
    """
    if name not in SOURCES:
        raise RehearsalError(f"'name' must be one of {', '.join(SOURCES)} (got {name!r})")
    source = SOURCES[name]
    if not source.built.exists():
        with _locked(source):
            if not source.built.exists():
                _sweep(source)
                _build(source)
    with suppress(OSError):  # another user's cache
        os.utime(source.built)
    return source.built


def missing(names: Sequence[str] = ()) -> list[str]:
    """The names of the programs that are not built yet, of all or of some."""
    return [name for name in names or SOURCES if not SOURCES[name].built.exists()]


@contextmanager
def _locked(source: Source) -> Iterator[None]:
    """The only build of a program on this machine: another one waits here."""
    try:
        cache().mkdir(parents=True, exist_ok=True)
        lock = (cache() / f"{source.name}.lock").open("w")
    except OSError as error:
        raise RehearsalError(f"the cache {cache()} cannot be written: {error.strerror}; set XDG_CACHE_HOME to a folder of yours") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            _say(f"{source.name}: waiting for another build of it")
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _sweep(source: Source) -> None:
    """Remove what killed builds of the program have left, and its builds that nothing has used for long."""
    for each in cache().glob(f"{source.name}-*"):
        key, _, state = each.name.removeprefix(f"{source.name}-").partition(".")
        is_own = re.fullmatch("[0-9a-f]{12}", key) is not None  # toolkit-1.18-… is another program than toolkit
        if is_own and (state == "building" or each.stat().st_mtime < time.time() - _KEPT):
            shutil.rmtree(each, ignore_errors=True)


def _build(source: Source) -> None:
    """Build a program in a folder beside its place, and move the folder when all is there."""
    need_go(source.module.go, source.name)
    if source.cgo:
        need_gcc(source.name)
    building = source.built.with_name(f"{source.built.name}.building")
    building.mkdir()
    try:
        (_compile_mock if isinstance(source, MockCard) else _compile)(source, building)
        for name in source.called:
            (building / name).symlink_to(source.name)
        for path in source.texts:
            shutil.copy(source.module.source_folder(source.release_of) / path, building)
        lacking = [name for name in source.files if not (building / name).exists()]
        if lacking:
            raise RehearsalError(f"{source.name} was built without {', '.join(lacking)}")
        building.rename(source.built)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _compile(source: Source, output: Path) -> None:
    """Go builds a module's commands into a folder."""
    if source.module.lacks(source.packages, source.cgo):
        number, go_mod = len(source.module.versions), source.folder / "go.mod"
        _say(f"{source.name}: Go downloads those of {number} modules that it lacks, from {proxy()}: {go_mod}")
    _say(f"{source.name}: building {', '.join(source.files)}")
    target = f"{output}/" if source.module.tools else str(output / source.name)
    with _patched(source) as patched:
        words = ("-ldflags", source.linked, *patched, *source.packages)
        source.module.run("build", "-o", target, *words, CGO_ENABLED=str(int(source.cgo)))


@contextmanager
def _patched(source: Source) -> Iterator[tuple[str, ...]]:
    """The words with which Go builds a copy of the module that has a patch; none for a source without one."""
    if source.patch is None:
        yield ()
        return
    file, old, new = source.patch
    with tempfile.TemporaryDirectory() as folder:
        copy, go_mod = Path(folder, "module"), Path(folder, "go.mod")
        shutil.copytree(source.module.source_folder(source.release_of), copy)
        text = (copy / file).read_text()
        if old not in text:
            raise RehearsalError(f"{file} of {source.release_of} {source.release} has no {old}; its patch in sources.py is out of date")
        (copy / file).chmod(0o644)
        (copy / file).write_text(text.replace(old, new))
        go_mod.write_text((source.folder / "go.mod").read_text() + f"\nreplace {source.release_of} => {copy}\n")
        shutil.copy(source.folder / "go.sum", folder)
        yield (f"-modfile={go_mod}",)


def _compile_mock(source: Source, output: Path) -> None:
    """Gcc compiles the mock card with NVIDIA's header."""
    _say(f"{source.name}: Go downloads {GO_NVML} {source.module.versions[GO_NVML]} for nvml.h, if it lacks it")
    header = source.module.source_folder(GO_NVML) / "gen" / "nvml"
    _say(f"{source.name}: compiling {', '.join(source.files)}")
    compile_mock(header, output)


def _say(sentence: str) -> None:
    """Tell the user before it happens."""
    print(f"rehearsal: {sentence}", file=sys.stderr, flush=True)  # noqa: T201


def main(names: Sequence[str]) -> int:
    """Build all programs or some, and print their folders."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # the build that goes on is cleared away
    try:
        for name in names or SOURCES:
            print(program(name))  # noqa: T201
    except RehearsalError as error:
        _say(str(error))
        return os.EX_UNAVAILABLE
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
