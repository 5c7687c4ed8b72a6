"""GPU pods with a literal credential, and GPU containers whose image a restart may change."""

from __future__ import annotations

from collections.abc import Iterator

from ...arguments.credentials.places import credential_paths
from ...arguments.image_parts import is_floating
from ...observed.model import ChartRelease, Inputs, at, known_str
from ...observed.pods.workloads import gpu_workloads
from ..finding import Severity
from ..rule import Example, Rule, Violation
from ..rule_words import WORDS
from ._pods import ONE_GPU, pod

_FIELDS = ("env", "command", "args")


def _credentials(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        for container in workload.containers:
            given = {key: container.body[key] for key in _FIELDS if key in container.body}
            for path in credential_paths(given) if given else ():
                name = known_str(at(given, *path[:-1], "name"))
                where = f"the variable {name}" if path[0] == "env" and name else ".".join(map(str, path))
                yield Violation(
                    severity=Severity.WARNING,
                    message=f"{where} has a literal credential. Everybody who may read this file, or the pods, can read it",
                    about=workload.about,
                    path=(*container.path, *path),
                )
                break


def _floating(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        for container in workload.containers:
            image = known_str(at(container.body, "image")) if container.gpus else None
            is_latest = image is not None and image.endswith(":latest")
            # Without a tag among its values, a chart takes a tag of its own.
            is_open = is_latest or not isinstance(workload.about, ChartRelease)
            if image is not None and is_open and is_floating(image):
                tag = "the tag latest" if is_latest else "no tag"
                yield Violation(
                    severity=Severity.INFO,
                    message=f"the image {image} has {tag}. A restart may run another release, built with a CUDA that the node's driver does not run",
                    about=workload.about,
                    path=(*container.path, "image"),
                )


_VARIABLE = "      env: [{name: HF_TOKEN, %s}]\n"
_UNTAGGED = pod().replace("ollama/ollama:0.32.15", "ollama/ollama:latest")

RULES = (
    Rule(
        **WORDS["TG133"],
        severity=Severity.WARNING,
        check=_credentials,
        failing=Example(yaml=pod(ONE_GPU + _VARIABLE % "value: hunter2-hunter2")),
        passing=Example(yaml=pod(ONE_GPU + _VARIABLE % "valueFrom: {secretKeyRef: {name: hf, key: HF_TOKEN}}")),
    ),
    Rule(
        **WORDS["TG134"],
        severity=Severity.INFO,
        check=_floating,
        failing=Example(yaml=_UNTAGGED),
        passing=Example(yaml=pod()),
    ),
)
