"""Service variables that Kubernetes sets in pods, and servers that misread them."""

from __future__ import annotations

from collections.abc import Iterator

from ....observed.images.image_fields import image_name
from ....observed.model import Inputs, any_of, at, contains, equals, is_open
from ....observed.objects.object_names import named
from ....observed.pods.workloads import Workload, workloads
from ...edit import set_to
from ...finding import Severity
from ...rule import Example, Rule, Violation, Witness
from .._pods import option_path, pod

_PORT_VARIABLE, _SERVICE, _IMAGE = "VLLM_PORT", "vllm", "vllm"


def _takes_service_for_port(inputs: Inputs) -> Iterator[Violation]:
    services = named(inputs, "Service", _SERVICE)
    for workload in workloads(inputs):
        links = at(workload.spec, "enableServiceLinks")
        beside = [each for each in services if equals(each.namespace, workload.namespace).is_yes]
        if beside and workload.complete and links is not False and not is_open(links) and _is_vllm(workload):
            yield Violation(
                severity=Severity.ERROR,
                message=f"the namespace has a Service named {_SERVICE}. Kubernetes sets {_PORT_VARIABLE}=tcp://… in the pod, and vLLM takes the variable for its own port. "
                'vLLM exits with "VLLM_PORT … appears to be a URI"',
                about=workload.about,
                path=(*workload.path, "enableServiceLinks"),
                edits=set_to(False, option_path(workload, "enableServiceLinks")),
            )


def _is_vllm(workload: Workload) -> bool:
    images = [container.image for container in workload.containers if not container.init]
    is_vllm = any_of(contains(part, word) for image in images for part, word in ((image_name(image), _IMAGE), (image, f"/{_IMAGE}-")))
    return is_vllm.is_yes and all(container.sets(_PORT_VARIABLE).is_no for container in workload.containers)


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

RULES = (
    Rule(
        id="TG064",
        claim="A vLLM pod beside a Service named vllm gets no service variables",
        symptom="ValueError: VLLM_PORT 'tcp://10.96.0.10:8000' appears to be a URI. This may be caused by a "
        "Kubernetes service discovery issue",
        fix="Set enableServiceLinks: false in the pod spec, or rename the Service",
        source="vllm-project/vllm#34199",
        severity=Severity.ERROR,
        shown_by=Witness.NODE,
        check=_takes_service_for_port,
        failing=Example(yaml=_SERVER + _BEHIND),
        passing=Example(yaml=_SERVER + "  enableServiceLinks: false\n" + _BEHIND),
    ),
)
