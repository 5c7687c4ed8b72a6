"""Find what the tests compare with, and print it as variables of a shell: ``eval "$(python tools/reference.py)"``.

A variable that is set stays as it is. For the others, the folder ``../shared`` beside the repository is used if it exists. Without this folder,
upstream's published files go to a folder (``python tools/reference.py FOLDER``, default ``.tools/reference``). ``reference.yaml`` has their
addresses and their sha256; a file with another content is not used. Charts are rendered by ``helm pull`` and ``helm template`` (``HELM``).

Standard error names what is missing, why, and the tests that are skipped without it. ``NO_SKIPS`` is printed only if nothing is missing.

Environment:

* ``REFERENCE_MIRROR``: the address of a mirror, ``http://…`` or ``file://…``. ``MIRROR/host/path`` stands there for ``https://host/path``.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.imports import sources  # noqa: E402

FOLDERS = {"CRDS": "crds", "TALOS_SCHEMAS": "talos", "REFERENCE": "."}
"""The variables that name a folder, and the part of the reference files in it."""
TOOLS = (
    "ADAPTER_VALIDATE",
    "ARGOCD_ASSETS",
    "CDK8S_CLI",
    "CLUSTER_ASSETS",
    "FLUX_ASSETS",
    "GANG_ASSETS",
    "GRAFANA_SDK",
    "HELM",
    "KUBEBUILDER_ASSETS",
    "KUBECTL",
    "KUSTOMIZE",
    "OMNI_VALIDATE",
    "PACKAGE_INDEX",
    "PROMTOOL",
    "TALHELPER",
)
"""The variables that something else sets."""
LARGEST = 32_000_000
SECONDS = 120
# A chart from a registry and the same chart from git differ in these labels, and in the checksums of files that have these labels.
_OF_THE_PACKAGE = ("helm.sh/chart", "app.kubernetes.io/version", "checksum/config")


class MissingError(Exception):
    """A file that can't be had, with the reason."""


class SilentError(MissingError):
    """A host that does not answer: its other files are not asked for."""


def pins(path: Path) -> dict[str, dict[str, Any]]:
    """The sources of the reference files by their names; `import:` names an entry of cdk8s.yaml."""
    imported = {each.package: {"url": each.url, "sha256": each.sha256} for each in sources(ROOT / "cdk8s.yaml")}
    written: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {name: imported[pin["import"]] if "import" in pin else pin for name, pin in written.items()}


def published(pin: Mapping[str, Any], environment: Mapping[str, str], silent: Container[str] = ()) -> bytes:
    """The content that a pin names. Raises MissingError, also for another content and for a host in `silent`."""
    if "unpublished" in pin:
        raise MissingError(pin["unpublished"])
    if "values" in pin:
        return yaml.safe_dump(pin["values"]).encode()
    if _host(pin) in silent:
        raise MissingError(f"{_host(pin)} does not answer")
    content = _rendered(pin, environment) if "chart" in pin else _downloaded(pin, environment)
    found = objects_digest(content) if "chart" in pin else hashlib.sha256(content).hexdigest()
    if found != pin["sha256"]:
        raise MissingError(f"the content has sha256 {found}, and the pin is {pin['sha256']}")
    return content


def objects_digest(content: bytes) -> str:
    """The sha256 of rendered objects, without the labels that a registry's package of the chart changes."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(each) for key, each in value.items() if key not in _OF_THE_PACKAGE}
        return [plain(each) for each in value] if isinstance(value, list) else value

    objects = [json.dumps(plain(each), sort_keys=True) for each in yaml.safe_load_all(content) if each]
    return hashlib.sha256("\n".join(sorted(objects)).encode()).hexdigest()


def _host(pin: Mapping[str, Any]) -> str:
    return urlsplit(pin.get("url") or pin.get("repository") or "").netloc


def _address(url: str, environment: Mapping[str, str]) -> str:
    mirror = environment.get("REFERENCE_MIRROR")
    return re.sub(r"^(https|oci):/", mirror.rstrip("/"), url) if mirror else url


def _downloaded(pin: Mapping[str, Any], environment: Mapping[str, str]) -> bytes:
    url = _address(pin["url"], environment)
    try:
        with urllib.request.urlopen(url, timeout=SECONDS) as response:
            content = bytes(response.read(LARGEST + 1))
    except (urllib.error.HTTPError, ValueError) as error:
        raise MissingError(f"{url}: {error}") from None
    except OSError as error:
        raise SilentError(f"{url}: {error}") from None
    if len(content) > LARGEST:
        raise MissingError(f"{url} has more than {LARGEST} bytes")
    return content


def _rendered(pin: Mapping[str, Any], environment: Mapping[str, str]) -> bytes:
    helm = environment.get("HELM")
    if not helm:
        raise MissingError("HELM is not set, so the chart can't be rendered")
    repository = _address(pin["repository"], environment)
    source = [f"{repository}/{pin['chart']}"] if repository.startswith("oci:") else [pin["chart"], "--repo", repository]
    with tempfile.TemporaryDirectory() as scratch:
        home = {**environment, **{f"HELM_{name}_HOME": f"{scratch}/{name}" for name in ("CACHE", "CONFIG", "DATA")}}
        _run([helm, "pull", *source, "--version", pin["version"], "--untar", "--untardir", f"{scratch}/charts"], home)
        rendering = [helm, "template", pin["release"], f"{scratch}/charts/{pin['chart']}", "--namespace", pin["namespace"]]
        values = yaml.safe_dump(pin.get("with", {})).encode()
        return _run([*rendering, *pin.get("flags", []), "--values", "-"], home, values)


def _run(command: list[str], environment: Mapping[str, str], given: bytes = b"") -> bytes:
    try:
        done = subprocess.run(command, env=dict(environment), input=given, capture_output=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired as error:
        raise SilentError(str(error)) from None
    except OSError as error:
        raise MissingError(str(error)) from None
    if done.returncode:
        raise MissingError(f"{' '.join(command[:3])}: {' '.join(done.stderr.decode(errors='replace').split())}")
    return done.stdout


def fill(
    folder: Path, part: str, table: Mapping[str, Mapping[str, Any]], environment: Mapping[str, str], silent: set[str]
) -> Iterator[str]:
    """Write the files of one part into a folder, and name the missing ones, each with its reason. Adds the hosts without an answer to `silent`."""
    for name, pin in table.items():
        of_part = name.startswith(f"{part}/") if part != "." else name.startswith(("rendered/", "values/"))
        if not of_part:
            continue
        path = folder / name
        path.unlink(missing_ok=True)
        try:
            content = published(pin, environment, silent)
        except MissingError as error:
            silent |= {_host(pin)} if isinstance(error, SilentError) else set()
            yield f"{name}: {error}"
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def users(variable: str) -> list[str]:
    """The test modules that need a variable, also by a helper module."""
    mark = re.compile(r"\breference\(" if variable == "REFERENCE" else rf'"{variable}"')
    texts = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("*.py")) if path.name != "conftest.py"}
    direct = {path for path, text in texts.items() if mark.search(text)}
    helpers = "|".join(path.stem for path in direct if not path.name.startswith("test_"))
    by_helper = re.compile(rf"^(?:from|import) (?:{helpers})\b", re.MULTILINE)
    modules = [path for path, text in texts.items() if path in direct or (helpers and by_helper.search(text))]
    return [str(path.relative_to(ROOT)) for path in modules if path.name.startswith("test_")]


def settings(
    folder: Path, shared: Path, environment: Mapping[str, str], table: Mapping[str, Mapping[str, Any]]
) -> tuple[list[str], list[str]]:
    """The lines for a shell, and the remarks on what is missing."""
    exports: dict[str, str] = {}
    silent: set[str] = set()
    missing = {each: ["it is not set"] for each in TOOLS if not environment.get(each)}
    for variable, part in FOLDERS.items():
        if environment.get(variable):
            continue
        if (shared / part).is_dir():
            exports[variable] = str(shared / part)
            continue
        reasons = list(fill(folder, part, table, environment, silent))
        if reasons:
            missing[variable] = reasons
        # Each test asks for its own file of REFERENCE; the tests on the other two need all the files.
        if not reasons or variable == "REFERENCE":
            exports[variable] = str(folder / part)
    if not missing:
        exports["NO_SKIPS"] = "1"
    remarks = []
    for variable, reasons in missing.items():
        incomplete = "is incomplete" if variable in exports else "is missing"
        remarks += [f"reference: {variable} {incomplete}: {reason}" for reason in reasons]
        remarks.append(f"reference: without it, tests of these modules are skipped: {', '.join(users(variable))}")
    return [f"export {name}={shlex.quote(value)}" for name, value in exports.items()], remarks


def main() -> None:
    """Print the variables, and on standard error what is missing."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / ".tools" / "reference").resolve()
    exports, remarks = settings(folder, ROOT.parent / "shared" / "reference", os.environ, pins(Path(__file__).with_suffix(".yaml")))
    print("\n".join(exports))
    print("\n".join(remarks) or "reference: nothing is missing, and no test is skipped", file=sys.stderr)


if __name__ == "__main__":
    main()
