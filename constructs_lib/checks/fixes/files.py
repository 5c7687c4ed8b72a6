"""The files that fixes change, with every byte, in one step; and files that no fix may change: Markdown, generated,
encrypted, templated."""

from __future__ import annotations

import difflib
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from ...arguments.patterns import pattern
from ...observed.read.files import INFRASTRUCTURE, MARKDOWN, is_template
from ...yaml.load import YamlError, problem_of

TEMPLATE = "the file is a template"
_GENERATED = pattern(
    r"^#.*\b(?:(?:auto-?|automatically |was )generated|generated (?:by|from|with|using)|do not (?:edit|modify|change))\b",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = 2000
"""The characters at the beginning of a file in which a generator names itself."""
_OF_HELM = pattern(r"^# Source: \S+/templates/", re.MULTILINE)
_LIVE = pattern(r"(?:^|[{,])[ \t]*(?:managedFields|resourceVersion|ownerReferences):", re.MULTILINE)
_ENCRYPTED = pattern(r"^sops:|\bENC\[AES|^\$ANSIBLE_VAULT|^-----BEGIN (?:AGE|PGP)", re.MULTILINE)
_MARKS = pattern(r"\{%|#\{|#%|^[ \t]*\{\{-?\s*(?:if|for|range|with|end|define|include|template)\b", re.MULTILINE)
_CDK8S, _CDK8S_FILE, _CDK8S_OUTPUT = "cdk8s.yaml", ".k8s.yaml", pattern(r"^output:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)
_TALHELPER, _TALHELPER_OUTPUT = "talconfig.yaml", "clusterconfig"


def why_untouched(path: Path, text: str) -> str | None:
    """The reason for which no fix may change a file; None for a file that a person writes."""
    is_of_talhelper = _TALHELPER_OUTPUT in path.parts and any((each / _TALHELPER).is_file() for each in path.parents)
    reasons = (
        (path.suffix.lower() in MARKDOWN, "a Markdown page is not fixed"),
        (path.name.endswith(INFRASTRUCTURE), "HCL is not changed: change the expression"),
        (is_template(path.name) or path.suffix == ".tftpl" or _MARKS.search(text), TEMPLATE),
        (_ENCRYPTED.search(text), "the file is encrypted, in whole or in part"),
        (path.name.endswith(_CDK8S_FILE) or _is_of_cdk8s(path), "cdk8s generates the file: change the program"),
        (is_of_talhelper, "talhelper generates the file: change talconfig.yaml"),
        (_OF_HELM.search(text), "helm template generates the file: change the values"),
        (_GENERATED.search(text[:_HEAD]), "the file says that it is generated"),
        (_LIVE.search(text), "the file is a copy of a cluster's object, as kubectl get prints it"),
    )
    return next((reason for is_so, reason in reasons if is_so), None)


def _is_of_cdk8s(path: Path) -> bool:
    """Whether a file is in the output folder of a cdk8s app of its repository."""
    for folder in path.parents:
        if (folder / _CDK8S).is_file():
            with suppress(OSError, ValueError):
                output = _CDK8S_OUTPUT.search((folder / _CDK8S).read_text(encoding="utf-8"))
                if path.is_relative_to(folder / (output[1] if output else "dist")):
                    return True
        if (folder / ".git").exists():
            return False
    return False


def complaint_of(text: str, error: YamlError) -> str:
    """The problem of a text that no editor of YAML can read."""
    return TEMPLATE if "{{" in text else f"the text is not plain YAML: {problem_of(error)}"


_BOM = "\ufeff"


def contents(file: Path) -> str:
    """The text of a file, with its line ends, and without a byte order mark."""
    return file.read_bytes().decode("utf-8-sig")


def why_unwritable(file: Path, roots: frozenset[Path], names: Mapping[Path, Path]) -> str | None:
    """The reason for which a file can't be written; None for a file below the roots, which have no symbolic links.

    `names` are the files that are to be written, too: the name of each by its path without symbolic links.
    """
    if not file.is_file():
        return "the value is not in a file"
    real = file.resolve()
    if roots.isdisjoint([real, *real.parents]):
        return "the file is outside of the given files and folders"
    if not os.access(real, os.W_OK):
        return "the file is not writable"
    if names.get(real, file) != file:
        return "the file has another name, under which it is fixed"
    return None


def write(texts: Mapping[Path, str]) -> None:
    """Write each text in one step: a reader sees the old file or the new file. A file keeps its mode, and a symbolic
    link stays one."""
    for file, text in texts.items():
        real = file.resolve()
        mark = _BOM if real.read_bytes().startswith(_BOM.encode()) else ""
        handle, name = tempfile.mkstemp(dir=real.parent, prefix=f".{real.name}.")
        try:
            with os.fdopen(handle, "wb") as new:
                new.write((mark + text).encode())
            Path(name).chmod(stat.S_IMODE(real.stat().st_mode))
            Path(name).replace(real)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise


def differences(texts: Mapping[Path, str], names: Mapping[Path, str]) -> str:
    """The changes as a unified diff, which `patch -p0` and `git apply -p0` accept."""
    return "".join(line for file in sorted(texts) for line in _difference(contents(file), texts[file], names[file]))


def _difference(old: str, new: str, name: str) -> Iterator[str]:
    for line in difflib.unified_diff(_lines(old), _lines(new), name, name):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    """The lines with their ends. `splitlines` would split at form feeds, too."""
    return [line for line in text.replace("\n", "\n\0").split("\0") if line]
