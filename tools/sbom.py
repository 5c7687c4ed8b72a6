"""`make release`: the software bills of materials in CycloneDX, of the library from the locked requirements that are installed in .venv, and of the
rehearsal from its Go modules. The same lock gives the same file."""

from __future__ import annotations

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import distribution
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from constructs_lib.cli.own_version import VERSION

_ROOT = Path(__file__).resolve().parent.parent
_LOCK = _ROOT / "requirements" / "synth.txt"
_LOCKED = re.compile(r"^(\S+?)==([^\s;]+)", re.MULTILINE)


def bill_of_materials() -> dict[str, Any]:
    """The library, and every locked package that the library or one of its extras needs, with what each package requires."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions: dict[str, str] = {canonicalize_name(name): version for name, version in _LOCKED.findall(_LOCK.read_text(encoding="utf-8"))}
    extras = [line for lines in project["optional-dependencies"].values() for line in lines]
    own = _component(project["name"], VERSION)
    references = {name: _reference(name, version) for name, version in versions.items()}
    requirements = {own["bom-ref"]: [*project["dependencies"], *extras]} | {
        reference: distribution(name).requires or [] for name, reference in references.items()
    }
    body = {
        "metadata": {"component": own | {"type": "library", "licenses": [{"license": {"id": project["license"]}}]}},
        "components": [{"type": "library", **_component(name, version)} for name, version in sorted(versions.items())],
        "dependencies": [
            {"ref": reference, "dependsOn": sorted({references[name] for name in _names(lines) if name in references})}
            for reference, lines in requirements.items()
        ],
    }
    return _bill(body)


def rehearsal_bill() -> dict[str, Any]:
    """The rehearsal, the library, and every Go module that the programs of a rehearsal are built from."""
    project = tomllib.loads((_ROOT / "rehearsal" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    sys.path.append(str(_ROOT / "rehearsal"))
    from talos_gpu_rehearsal.sources import SOURCES

    modules = {(name, version) for source in SOURCES.values() for name, version in source.module.versions.items()}
    own, library = _component(project["name"], project["version"]), _component("cdk8s-nvidia-talos", VERSION)
    return _bill(
        {
            "metadata": {"component": own | {"type": "library", "licenses": [{"license": {"id": project["license"]}}]}},
            "components": [{"type": "library", **each} for each in (library, *_of_go(modules))],
            "dependencies": [{"ref": own["bom-ref"], "dependsOn": [library["bom-ref"], *(each["bom-ref"] for each in _of_go(modules))]}],
        }
    )


def _of_go(modules: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    references = ((name, version, f"pkg:golang/{name}@{version}") for name, version in sorted(modules))
    return [{"bom-ref": reference, "name": name, "version": version, "purl": reference} for name, version, reference in references]


def _bill(body: dict[str, Any]) -> dict[str, Any]:
    serial = uuid5(NAMESPACE_URL, json.dumps(body, sort_keys=True))
    return {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1, **body}


def _reference(name: str, version: str) -> str:
    return f"pkg:pypi/{canonicalize_name(name)}@{version}"


def _component(name: str, version: str) -> dict[str, Any]:
    return {"bom-ref": _reference(name, version), "name": name, "version": version, "purl": _reference(name, version)}


def _names(lines: list[str]) -> list[str]:
    """The packages that requirements name for this Python, without extras."""
    parsed = [Requirement(line) for line in lines]
    return [canonicalize_name(each.name) for each in parsed if each.marker is None or each.marker.evaluate({"extra": ""})]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the software bill of materials.")
    parser.add_argument("output", type=Path)
    parser.add_argument("--rehearsal", action="store_true", help="that of the rehearsal, in place of the library's")
    options = parser.parse_args()
    options.output.write_text(json.dumps((rehearsal_bill if options.rehearsal else bill_of_materials)(), indent=2) + "\n", encoding="utf-8")
