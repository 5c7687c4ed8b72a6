"""What the pods of GPU programs contain: literal credentials, movable images, and service variables."""

from __future__ import annotations

from collections.abc import Iterator

from ....arguments.credentials.places import credential_paths
from ....arguments.names import is_floating
from ....observed.images.image_fields import image_name
from ....observed.model import ChartRelease, Inputs, any_of, at, contains, equals, is_open, known_str
from ....observed.objects.object_names import named
from ....observed.pods.workloads import Workload, gpu_workloads, workloads
from ...edit import set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._pods import ONE_GPU, option_path, pod

_FIELDS = ("env", "command", "args")


_VARIABLE = "      env: [{name: HF_TOKEN, %s}]\n"


@Rule(
    id="TG133",
    claim="A GPU pod has a literal credential in a variable, a command or an argument",
    symptom="The token is in the repository, in kubectl get pod -o yaml, and in every log that prints the command line",
    fix="Put the credential into a Secret, and read it with env: [{name: …, valueFrom: {secretKeyRef: {name: …, "
    "key: …}}}]; then replace the credential",
    source="https://kubernetes.io/docs/concepts/security/secrets-good-practices/",
    severity=Severity.WARNING,
    shown_by=Witness.LIBRARY,
    failing=Example(pod(ONE_GPU + _VARIABLE % "value: hunter2-hunter2")),
    passing=Example(pod(ONE_GPU + _VARIABLE % "valueFrom: {secretKeyRef: {name: hf, key: HF_TOKEN}}")),
)
def _credentials(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        for container in workload.containers:
            given = {key: container.body[key] for key in _FIELDS if key in container.body}
            for path in credential_paths(given) if given else ():
                name = known_str(at(given, *path[:-1], "name"))
                where = f"the variable {name}" if path[0] == "env" and name else ".".join(map(str, path))
                message = f"{where} has a literal credential. Everybody who may read this file, or the pods, can read it"
                yield Violation(Severity.WARNING, message, workload.about, (*container.path, *path))
                break


_UNTAGGED = pod().replace("ollama/ollama:0.32.15", "ollama/ollama:latest")


@Rule(
    id="TG134",
    claim="The image of a GPU container has no tag, or the tag latest",
    symptom="CUDA driver version is insufficient for CUDA runtime version, after a restart of a pod that worked before",
    fix="Write a tag with a version, or a digest",
    source="https://kubernetes.io/docs/concepts/containers/images/#image-names",
    severity=Severity.INFO,
    shown_by=Witness.NODE,
    failing=Example(_UNTAGGED),
    passing=Example(pod()),
)
def _floating(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        for container in workload.containers:
            image = known_str(at(container.body, "image")) if container.gpus else None
            is_latest = image is not None and image.endswith(":latest")
            # Without a tag among its values, a chart takes a tag of its own.
            is_open = is_latest or not isinstance(workload.about, ChartRelease)
            if image is not None and is_open and is_floating(image):
                tag = "the tag latest" if is_latest else "no tag"
                message = (
                    f"the image {image} has {tag}. A restart may run another release, built with a CUDA that the node's driver does not run"
                )
                yield Violation(Severity.INFO, message, workload.about, (*container.path, "image"))


_PORT_VARIABLE, _SERVICE, _IMAGE = "VLLM_PORT", "vllm", "vllm"


_SERVER = pod().replace("ollama/ollama:0.32.15", "vllm/vllm-openai:v0.11.0").replace("ollama", "vllm")
_BEHIND = """\
---
apiVersion: v1
kind: Service
metadata: {name: vllm, namespace: vllm}
spec:
  selector: {app: vllm}
  ports: [{name: http, port: 8000}]
"""


@Rule(
    id="TG064",
    claim="A vLLM pod beside a Service named vllm gets no service variables",
    symptom="ValueError: VLLM_PORT 'tcp://10.96.0.10:8000' appears to be a URI. This may be caused by a Kubernetes service discovery issue",
    fix="Set enableServiceLinks: false in the pod spec, or rename the Service",
    source="vllm-project/vllm#34199",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(_SERVER + _BEHIND),
    passing=Example(_SERVER + "  enableServiceLinks: false\n" + _BEHIND),
)
def _takes_service_for_port(inputs: Inputs) -> Iterator[Violation]:
    services = named(inputs, "Service", _SERVICE)
    for workload in workloads(inputs):
        links = at(workload.spec, "enableServiceLinks")
        beside = [each for each in services if equals(each.namespace, workload.namespace).is_yes]
        if beside and workload.complete and links is not False and not is_open(links) and _is_vllm(workload):
            message = (
                f"the namespace has a Service named {_SERVICE}. Kubernetes sets {_PORT_VARIABLE}=tcp://… in the pod, and vLLM takes the variable for its own port. "
                'vLLM exits with "VLLM_PORT … appears to be a URI"'
            )
            edits = set_to(False, option_path(workload, "enableServiceLinks"))
            yield Violation(Severity.ERROR, message, workload.about, (*workload.path, "enableServiceLinks"), edits=edits)


def _is_vllm(workload: Workload) -> bool:
    images = [container.image for container in workload.containers if not container.init]
    is_vllm = any_of(contains(part, word) for image in images for part, word in ((image_name(image), _IMAGE), (image, f"/{_IMAGE}-")))
    return is_vllm.is_yes and all(container.sets(_PORT_VARIABLE).is_no for container in workload.containers)
