"""Contents of GPU pods: literal credentials, movable images, service variables, and shared memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ....arguments.credentials.places import credential_paths
from ....arguments.names import is_floating
from ....arguments.quantities import amount_of
from ....observed.agents.agents import device_plugins
from ....observed.agents.operators import operators
from ....observed.agents.plugin_configs import Reader
from ....observed.agents.plugin_options import options_of
from ....observed.images.image_fields import image_name
from ....observed.model import ChartRelease, Inputs, Path, any_of, at, contains, equals, is_among, is_open, known_str, mappings, search
from ....observed.nodes.offers import may_offer_more, offers
from ....observed.objects.object_names import named
from ....observed.pods.workloads import Container, Workload, gpu_workloads, whole_number, workloads
from ....upstream.nvidia.gpu_resources import GPU_RESOURCE
from ....upstream.nvidia.plugin_words import MIG_STRATEGY, MigStrategy
from ...rule import Example, Rule, Severity, Violation, Witness, set_to
from .._causes import INSTALLER
from .._shared import ONE_GPU, in_deployment, option_path, pod

_MOUNTS = ("/dev/shm", "/dev/shm/", "/dev", "/dev/")  # noqa: S108  # paths in a container
# Servers that split a model by layers and exchange no data at /dev/shm.
_WITHOUT_NCCL = r"(^|/)(ollama|llama\.cpp|koboldcpp)([:@]|$)"

_TWO = "          resources: {limits: {nvidia.com/gpu: 2}}\n"
_VOLUME = (
    "          volumeMounts: [{name: shm, mountPath: /dev/shm}]\n      volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 2Gi}}]\n"
)
_VLLM = ("ollama/ollama:0.32.15", "vllm/vllm-openai:v0.11.0")


@Rule(
    id="TG103",
    claim="A container with several GPUs has more shared memory than the runtime's 64 MiB",
    symptom="NCCL WARN Error while creating shared memory segment /dev/shm/nccl-… (size 9637888); unhandled "
    "system error; Bus error (core dumped)",
    fix="Add volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 2Gi}}], and mount it: volumeMounts: "
    "[{name: shm, mountPath: /dev/shm}]. Shared memory counts towards the container's memory limit",
    source="https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/troubleshooting/runtime_and_mpi_issues.html#shared-memory",
    severity=Severity.WARNING,
    shown_by=Witness.CARD,
    failing=Example(in_deployment("  strategy: {type: Recreate}\n", _TWO).replace(*_VLLM)),
    passing=Example(in_deployment("  strategy: {type: Recreate}\n", _TWO + _VOLUME).replace(*_VLLM)),
    causes=(INSTALLER,),
)
def _too_small(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        for container in workload.containers:
            number = whole_number(container.gpus.get(GPU_RESOURCE, 0))
            if number is None or number < 2 or container.init or not workload.complete:  # noqa: PLR2004  # one GPU exchanges no data
                continue
            if _is_small(workload, container) and not _may_be_parts(inputs):
                message = (
                    f"the container requests {number} GPUs and has nothing mounted at /dev/shm, so its shared memory is the runtime's 64 MiB. "
                    "NCCL and tensor-parallel servers need more, and end with an unhandled system error or with a bus error"
                )
                yield Violation(Severity.WARNING, message, workload.about, (*container.path, "resources", "limits", GPU_RESOURCE))


def _is_small(workload: Workload, container: Container) -> bool:
    """Whether the container surely has no shared memory but the runtime's, and does not surely run without NCCL."""
    listed = at(container.body, "volumeMounts")
    if is_open(listed) or search(_WITHOUT_NCCL, container.image).is_yes:
        return False
    return equals(at(workload.spec, "hostIPC"), True).is_no and all(
        is_among(at(mount, "mountPath"), _MOUNTS).is_no for _, mount in mappings(listed)
    )


def _may_be_parts(inputs: Inputs) -> bool:
    """Whether `nvidia.com/gpu` may be a share or a partition of a GPU: NCCL does not connect those."""
    if may_offer_more(inputs) or any(GPU_RESOURCE in offer.shared for offer in offers(inputs) or ()):
        return True
    readers: list[Reader] = [*device_plugins(inputs), *operators(inputs)]
    strategies = [nodes.mig_strategy for nodes in inputs.nodes]
    strategies += [option.value for reader in readers for option in options_of(inputs, reader, MIG_STRATEGY)]
    return any(not equals(strategy, MigStrategy.SINGLE).is_no for strategy in strategies)


_LIMITED = "          resources: {limits: {nvidia.com/gpu: 1, memory: %s}}\n"


@Rule(
    id="TG130",
    claim="A volume in memory is smaller than the memory limit of the container that fills it",
    symptom="OOMKilled (exit code 137) of a container that writes to /dev/shm, or to another emptyDir with medium: Memory",
    fix="Raise the memory limit by the sizeLimit of the volume, or lower the sizeLimit: the process needs memory beside the files",
    source="https://kubernetes.io/docs/concepts/storage/volumes/#emptydir; kubernetes/kubernetes pkg/volume/emptydir/empty_dir.go",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(in_deployment("  strategy: {type: Recreate}\n", _LIMITED % "2Gi" + _VOLUME)),
    passing=Example(in_deployment("  strategy: {type: Recreate}\n", _LIMITED % "6Gi" + _VOLUME)),
)
def _beyond_the_limit(inputs: Inputs) -> Iterator[Violation]:
    for workload in gpu_workloads(inputs):
        sizes = _sizes_in_memory(workload)
        for container in workload.containers if sizes else ():
            limits = _memory_limits(workload, container)
            for name in _written(container):
                size = sizes.get(name)
                limit, path = min(limits, key=lambda each: amount_of(each[0]), default=("", ()))
                if size is not None and limit and amount_of(size) >= amount_of(limit):
                    whose = "the container's" if path[: len(container.path)] == container.path else "the pod's"
                    message = (
                        f"the volume {name} in memory has the sizeLimit {size}, and {whose} memory limit is {limit}. The files of the volume "
                        "count towards the limit, so the container is OOMKilled before the volume is full"
                    )
                    yield Violation(Severity.WARNING, message, workload.about, path)


def _sizes_in_memory(workload: Workload) -> dict[str | None, str]:
    """The known size limits of volumes in memory, by the name of the volume."""
    volumes = [each for _, each in mappings(at(workload.spec, "volumes")) if equals(at(each, "emptyDir", "medium"), "Memory").is_yes]
    sizes = {known_str(at(each, "name")): _quantity(at(each, "emptyDir", "sizeLimit")) for each in volumes}
    return {name: size for name, size in sizes.items() if name and size}


def _written(container: Container) -> Iterable[str | None]:
    """The names of the volumes that a container can write, each once."""
    mounts = [mount for _, mount in mappings(at(container.body, "volumeMounts")) if equals(at(mount, "readOnly"), True).is_no]
    return dict.fromkeys(known_str(at(mount, "name")) for mount in mounts)


def _memory_limits(workload: Workload, container: Container) -> list[tuple[str, Path]]:
    """The known memory limits of a container: its own limit and that of the pod, each with its path."""
    path = ("resources", "limits", "memory")
    places = [(at(container.body, *path), (*container.path, *path)), (at(workload.spec, *path), (*workload.path, *path))]
    return [(limit, place) for value, place in places if (limit := _quantity(value))]


def _quantity(value: Any) -> str:
    """A quantity above 0 as a text; empty for a value that is none."""
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return text if amount_of(text) > 0 else ""


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
    shown_by=Witness.CARD,
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
            path, others = (*workload.path, "enableServiceLinks"), tuple((each, ("metadata", "name")) for each in beside)
            yield Violation(Severity.ERROR, message, workload.about, path, edits=edits, related=others)


def _is_vllm(workload: Workload) -> bool:
    images = [container.image for container in workload.containers if not container.init]
    is_vllm = any_of(contains(part, word) for image in images for part, word in ((image_name(image), _IMAGE), (image, f"/{_IMAGE}-")))
    return is_vllm.is_yes and all(container.sets(_PORT_VARIABLE).is_no for container in workload.containers)
