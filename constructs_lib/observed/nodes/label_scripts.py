"""The labels that scripts set: `kubectl label node` in the containers of a Job, a CronJob or a DaemonSet, and in ConfigMaps.

Source: https://kubernetes.io/docs/reference/kubectl/generated/kubectl_label/ (2026-11-28)
"""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.patterns import pattern
from ..model import Inputs, at, known_items, known_list, mappings

_PODS = {
    "Job": ("spec", "template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
    "DaemonSet": ("spec", "template", "spec"),
}
_COMMAND = pattern(r"\bkubectl\s[^\n;|&]*?\blabel\s+(?:-\S+\s+)*(?:nodes?|no)\b([^\n;|&]*)")
_SELECTOR = pattern(r"(?:-l|--selector)(?:\s+|=)\S+")
_PAIR = pattern(r"""(?<=[\s"'])([A-Za-z0-9][\w./-]*)=([^\s"']*)""")


def scripted_labels(inputs: Inputs) -> Iterator[tuple[str, str | None]]:
    """The labels, each with its value; None for a value that the script fills in."""
    for text in _scripts(inputs):
        for command in _COMMAND.finditer(text):
            for key, value in _PAIR.findall(_SELECTOR.sub("", command[1])):
                yield key, None if "$" in value else value


def _scripts(inputs: Inputs) -> Iterator[str]:
    for kind, path in _PODS.items():
        for each in inputs.of_kind(kind):
            containers = [one for key in ("containers", "initContainers") for _, one in mappings(each.at(*path, key))]
            for container in containers:
                yield " ".join(str(word) for key in ("command", "args") for word in known_list(at(container, key)))
    for each in inputs.of_kind("ConfigMap"):
        yield from (text for _, text in known_items(each.at("data")) if isinstance(text, str) and "kubectl" in text)
