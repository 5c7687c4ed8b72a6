"""Texts that no tool can build or read: kustomizations with GPU parts that kustomize refuses, and texts about GPUs that are no YAML."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from ....observed.agents.gpu_parts import OTHERS, gpu_parts
from ....observed.model import FailedBuild, Inputs, Read
from ....upstream.nvidia.gpu_resources import NVIDIA
from ...report_words import count, listed
from ...rule import Example, Rule, Severity, Violation, Witness
from .._shared import pod

_FILES = {"ollama.yaml": pod()}


@Rule(
    id="TG140",
    claim="kustomize builds each kustomization that holds GPU parts: its files exist, its patches find their objects, its fields are known, "
    "each object is listed once, and it does not include itself",
    symptom="kustomize build failed: accumulating resources from 'plugin.yaml': evalsymlink failure: no such file or directory; "
    "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization'; no resource matches strategic merge patch; "
    'may not add resource with an already registered id; invalid Kustomization: json: unknown field "resource"; cycle detected',
    fix="Add what is missing, or remove the line from the kustomization",
    source="kubernetes-sigs/kustomize api/internal/target/kusttarget.go",
    severity=Severity.ERROR,
    shown_by=Witness.SERVICE,
    failing=Example("resources: [ollama.yaml, plugin.yaml]\n", files=_FILES),
    passing=Example("resources: [ollama.yaml]\n", files=_FILES),
    examples={
        "a base of another repository, which is not read": Example(
            "resources: [ollama.yaml, https://github.com/home/cluster//gpu?ref=main]\n", files=_FILES
        ),
        "a file that another tool names": Example("resources: [ollama.yaml, '${PLUGIN}.yaml']\n", files=_FILES),
        "a field in another case, which Go's decoder takes": Example("resources: [ollama.yaml]\nNameSpace: ollama\n", files=_FILES),
        "a patch with a target, which may find nothing": Example(
            "resources: [ollama.yaml]\npatches: [{target: {kind: DaemonSet}, patch: '[{op: remove, path: /spec/x}]'}]\n", files=_FILES
        ),
    },
)
def _not_built(inputs: Inputs) -> Iterator[Violation]:
    for failure in inputs.failed_builds:
        parts = _parts(failure, inputs)
        if not parts and not NVIDIA.search(failure.reason):
            continue
        words = _words(parts) if parts else "a part that names NVIDIA"
        message = f"kustomize refuses to build the kustomization: {failure.reason}. Nothing of the build reaches the cluster, and it holds {words}"
        is_sure = bool(parts) and not failure.maker and not failure.by_flux
        if failure.maker:
            message = f"{failure.reason} here, and {failure.maker} makes what is missing. Without it kustomize refuses the whole build, with {words}"
        if failure.by_flux:
            message = f"{failure.reason}. Flux {failure.by_flux} and builds the rest, with {words}. Anything else refuses the file"
        yield Violation(Severity.ERROR if is_sure else Severity.WARNING, message, failure)


def _parts(failure: FailedBuild, inputs: Inputs) -> Mapping[str, int]:
    """The GPU parts that the build would have held."""
    return _parts_among(replace(inputs, node_configs=()), lambda each: (each.file, each.line_of(())) in failure.held)


def _parts_among(inputs: Inputs, is_held: Callable[[Read], bool]) -> Mapping[str, int]:
    objects, releases = tuple(filter(is_held, inputs.objects)), tuple(filter(is_held, inputs.releases))
    configs = tuple(filter(is_held, inputs.node_configs))
    is_empty = not (objects or releases or configs)
    parts = {} if is_empty else gpu_parts(replace(inputs, objects=objects, releases=releases, node_configs=configs))
    return {name: number for name, number in parts.items() if name != OTHERS}


def _words(parts: Mapping[str, int]) -> str:
    return listed(count(number, name) for name, number in parts.items())


_BROKEN = """\
---
apiVersion: v1
kind: ConfigMap
metadata: {name: nvidia-device-plugin, namespace: kube-system}
data:
  config: version: v1
"""


@Rule(
    id="TG141",
    claim="A text about GPUs is YAML",
    symptom="error converting YAML to JSON: yaml: line 5: did not find expected key; MalformedYAMLError; failed to decode Kubernetes YAML",
    fix="Correct the line: mostly an indentation, a quote or a colon in a value without quotes",
    source="https://yaml.org/spec/1.2.2/",
    severity=Severity.ERROR,
    shown_by=Witness.SERVICE,
    failing=Example(pod() + _BROKEN),
    passing=Example(pod() + _BROKEN.replace("version: v1", '"version: v1"')),
    examples={
        "a template, which is YAML only once it is rendered": Example(pod() + _BROKEN.replace("version: v1", '{{ .Values.config }}: "1"'))
    },
)
def _not_yaml(inputs: Inputs) -> Iterator[Violation]:
    for each in inputs.broken_texts:
        effect = "No tool reads the document, and what it says of GPUs does not reach the cluster"
        if not each.names_nvidia:
            parts = _parts_among(inputs, lambda other, file=each.file: other.file == file)  # type: ignore[misc]  # mypy infers no type for the default
            effect = f"A build or a sync refuses the whole file, and it holds {_words(parts)}" if parts else ""
        if effect:
            yield Violation(Severity.ERROR, f"the text is {each.reason}. {effect}", each)
