"""The version of this library, with the date of its tables."""

from __future__ import annotations

from pathlib import Path


def own_version() -> str:
    """The version that is installed, or that of a source tree."""
    from importlib.metadata import PackageNotFoundError, version

    from ..upstream.talos_releases import READ_ON

    try:
        number = version("cdk8s-nvidia-talos")
    except PackageNotFoundError:  # a source tree, which nobody installed
        import tomllib

        number = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return f"{number} (tables of {READ_ON})"
