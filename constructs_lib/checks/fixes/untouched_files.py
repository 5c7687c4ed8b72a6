"""Files that no fix may change: Markdown pages, and generated, encrypted and templated files."""

from __future__ import annotations

import re
from pathlib import Path

from ...arguments.patterns import pattern
from ...observed.read.files import MARKDOWN, is_template
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
_CDK8S, _CDK8S_FILE, _CDK8S_OUTPUT = "cdk8s.yaml", ".k8s.yaml", re.compile(r"^output:\s*[\"']?([^\s\"'#]+)", re.MULTILINE)
_TALHELPER, _TALHELPER_OUTPUT = "talconfig.yaml", "clusterconfig"


def why_untouched(path: Path, text: str) -> str | None:
    """The reason for which no fix may change a file; None for a file that a person writes."""
    is_of_talhelper = _TALHELPER_OUTPUT in path.parts and any((each / _TALHELPER).is_file() for each in path.parents)
    reasons = (
        (path.suffix.lower() in MARKDOWN, "a Markdown page is not fixed"),
        (is_template(path.name) or _MARKS.search(text), TEMPLATE),
        (_ENCRYPTED.search(text), "the file is encrypted, in whole or in part"),
        (path.name.endswith(_CDK8S_FILE) or _is_of_cdk8s(path), "cdk8s generates the file: change the program"),
        (is_of_talhelper, "talhelper generates the file: change talconfig.yaml"),
        (_OF_HELM.search(text), "helm template generates the file: change the values"),
        (_GENERATED.search(text[:_HEAD]), "the file says that it is generated"),
        (_LIVE.search(text), "the file is a copy of a cluster's object, as kubectl get prints it"),
    )
    return next((reason for is_so, reason in reasons if is_so), None)


def _is_of_cdk8s(path: Path) -> bool:
    """Whether a file is in the output folder of a cdk8s app."""
    for folder in path.parents:
        try:
            settings = (folder / _CDK8S).read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
        output = _CDK8S_OUTPUT.search(settings)
        if path.is_relative_to(folder / (output[1] if output else "dist")):
            return True
    return False


def complaint_of(text: str, error: YamlError) -> str:
    """The problem of a text that no editor of YAML can read."""
    return TEMPLATE if "{{" in text else f"the text is not plain YAML: {problem_of(error)}"
