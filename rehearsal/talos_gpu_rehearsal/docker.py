"""The same rehearsal in a container of Docker, for machines without Go or root."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

IMAGE = "golang:1.26-bookworm"
"""The image of the container: Go, gcc and, as a dependency of its version control, Python 3.11. Its digest is not pinned,
because no registry was there to look it up.

Source: https://hub.docker.com/_/golang (2026-11-23)
"""
VOLUME = "talos-gpu-rehearsal"
"""The volume that keeps the built programs and Go's modules."""
_CACHE, _PYTHON, _STATE = "/cache", "/python", "/state"
_OF_THE_IMAGE = frozenset(map(Path, ("/", "/bin", "/etc", "/lib", "/lib64", "/sbin", "/usr", "/usr/bin", "/usr/lib", "/usr/local")))
"""The folders without which the image does not work, so that no folder of the caller lies over them."""


def docker_arguments(words: Sequence[str], *, folder: Path, named: Iterable[Path], packages: Mapping[str, Path]) -> list[str]:
    """The command that runs the rehearsal in a container.

    Args:
        words: The words of the command behind `rehearse`, without `--docker`.
        folder: The folder of the caller, which is the container's working folder.
        named: The files and folders that the words name. The container sees them, their neighbours and the caller's folder read-only,
            under their own paths.
        packages: The folders of the Python packages that the command needs, by the names under which they are imported.
    """
    mounts = {str(place): f"{place}:ro" for place in _seen([folder, *named])} | {VOLUME: _CACHE}
    mounts |= {str(path): f"{_PYTHON}/{name}:ro" for name, path in packages.items()}
    # The programs of the node need files that are not on the overlay of the container, and run from there.
    variables = {
        "XDG_CACHE_HOME": _CACHE,
        "GOPATH": f"{_CACHE}/go",
        "GOCACHE": f"{_CACHE}/go-build",
        "PYTHONPATH": _PYTHON,
        "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": _STATE,
    }
    return [
        "docker", "run", "--rm", "--privileged",
        *(word for source, target in mounts.items() for word in ("--volume", f"{source}:{target}")),
        "--volume", _STATE,
        *(word for name, value in variables.items() for word in ("--env", f"{name}={value}")),
        "--workdir", str(folder),
        IMAGE, "python3", "-m", "constructs_lib", "rehearse", *words,
    ]  # fmt: skip


def _seen(paths: Iterable[Path]) -> Iterator[Path]:
    """The folders to mount; a file that lies in a folder of the image is mounted alone."""
    for path in (Path(os.path.abspath(each)) for each in paths):  # noqa: PTH100  # a link keeps its name
        place = path if path.is_dir() or path.parent in _OF_THE_IMAGE else path.parent
        if place not in _OF_THE_IMAGE:
            yield place


def inner_words(words: Sequence[str]) -> list[str]:
    """The words of the command for the container, which was asked for here: its answer is this command's answer."""
    kept, skip = [], False
    for word in words:
        if skip:
            skip = False
        elif word == "--output":
            skip = True
        elif word not in ("--docker", "--yes") and not word.startswith("--output="):
            kept.append(word)
    return [*kept, "--yes"]
