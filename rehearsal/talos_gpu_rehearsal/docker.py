"""The same rehearsal in a container of Docker, for machines without Go or root."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

IMAGE = "golang:1.26-bookworm"
"""The image of the container: Go, gcc and, as a dependency of its version control, Python 3.11. Its digest is not pinned,
because no registry was there to look it up.

Source: https://hub.docker.com/_/golang (2026-11-23)
"""
VOLUME = "talos-gpu-rehearsal"
"""The volume that keeps the built programs and Go's modules."""
_CACHE, _WORK, _PYTHON, _STATE = "/cache", "/work", "/python", "/state"


def docker_arguments(words: Sequence[str], *, folder: Path, packages: Mapping[str, Path]) -> list[str]:
    """The command that runs the rehearsal in a container.

    Args:
        words: The words of the command behind `rehearse`, without `--docker`.
        folder: The folder of the caller, which the container sees read-only, as its working folder.
        packages: The folders of the Python packages that the command needs, by the names under which they are imported.
    """
    mounts = {str(folder): f"{_WORK}:ro", VOLUME: _CACHE}
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
        "--workdir", _WORK,
        IMAGE, "python3", "-m", "constructs_lib", "rehearse", *words,
    ]  # fmt: skip


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
