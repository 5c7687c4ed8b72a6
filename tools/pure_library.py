"""The library without its constructs, as files, with the two packages that it needs: all of `talos-gpu`, for a browser and for one file of Python.

The constructs need cdk8s, and so Node. PyYAML and attrs are pure Python, but for PyYAML's faster parser, which is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_PACKAGES = ("yaml", "attr", "attrs")
_DISTRIBUTIONS = ("PyYAML", "attrs")
_NEEDS_NODE = ROOT / "constructs_lib" / "constructs"


def pure_files() -> dict[str, bytes]:
    """The files by their names, in order, with the licences."""
    folders = [ROOT / "constructs_lib", *(_folder_of(name) for name in _PACKAGES)]
    sources = {f"{path.relative_to(folder.parent)}": path.read_bytes() for folder in folders for path in _files(folder)}
    return {**sources, **_licences()}


def _licences() -> dict[str, bytes]:
    own = {f"licenses/{name}": (ROOT / name).read_bytes() for name in ("LICENSE", "NOTICE")}
    return own | {f"licenses/{name}": (distribution(name).read_text("licenses/LICENSE") or "").encode() for name in _DISTRIBUTIONS}


def _folder_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"the package {package} is not installed")
    return Path(spec.origin).parent


def _files(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if (
            path.suffix in (".py", ".pyi", ".json", ".tsv", ".md")
            and "__pycache__" not in path.parts
            and not path.is_relative_to(_NEEDS_NODE)
        ):
            yield path
