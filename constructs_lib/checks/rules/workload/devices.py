"""GPUs that a container sees beside its limit, and security contexts that the API server refuses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ....observed.agents.agents import agents
from ....observed.model import Answer, Inputs, Path, Read, at, equals, is_among, is_given, known_list, known_str, mappings, starts_with
from ....observed.nodes.cards import has_several_cards, have_one_card
from ....observed.nodes.node_settings import default_runtime_is_nvidia
from ....observed.pods.workloads import Container, Workload, whole_number, workloads
from ....upstream.kubernetes.api import ESCALATION_REFUSED, SYS_ADMIN
from ....upstream.nvidia.gpu_resources import VISIBLE_DEVICES
from ...injection import is_by_cdi
from ...rule import Example, Rule, Severity, Violation, Witness, removal
from .._shared import NAMED, ONE_GPU, RUNTIME_CLASS, daemon_set, plugin_release, pod

_UUID = r"(GPU|MIG)-[0-9A-Za-z-/]+"

_TWO_CARDS = ",".join(f"GPU-{digit * 8}-0000-0000-0000-000000000000" for digit in "12")


def _env(value: str) -> str:
    return f'      env: [{{name: NVIDIA_VISIBLE_DEVICES, value: "{value}"}}]\n'


@Rule(
    id="TG043",
    claim="A container with a GPU limit does not choose GPUs by NVIDIA_VISIBLE_DEVICES",
    symptom="nvidia-smi in a pod shows every GPU of the node; CUDA out of memory on a GPU that was allocated to nobody else; "
    "No CUDA GPUs are available, in a pod with NVIDIA_VISIBLE_DEVICES=void beside its limit",
    fix="Remove NVIDIA_VISIBLE_DEVICES: the container gets the allocated GPU without it (where NVIDIA's runtime injects by "
    "CDI, env shows void inside)",
    source="NVIDIA/k8s-device-plugin#61",
    severity=Severity.ERROR,
    shown_by=Witness.NODE,
    failing=Example(pod(ONE_GPU + _env(_TWO_CARDS))),
    passing=Example(pod(_env("void"))),
)
def _overrides_limit(inputs: Inputs) -> Iterator[Violation]:
    for workload, container, path, value in _visible(inputs):
        if container.gpus and not have_one_card(inputs):
            severity, message = _beside_limit(inputs, workload, container, value)
            runtime = (*workload.path, "runtimeClassName")
            related = ((workload.about, (*container.path, "resources", "limits")), (workload.about, runtime))
            yield Violation(severity, message, workload.about, path, edits=removal(safe=False), related=related)
    for workload in () if is_by_cdi(inputs) else workloads(inputs):
        for container in workload.containers:
            if container.gpus and container.hides_gpus and _is_nvidia(inputs, workload):
                hiding = f"{VISIBLE_DEVICES}={container.value(VISIBLE_DEVICES) or ''}"
                message = f"{hiding} hides the GPU that the device plugin allocates, unless the plugin injects by CDI"
                yield Violation(Severity.WARNING, message, workload.about, _path_of(container), edits=removal(safe=False))


def _is_nvidia(inputs: Inputs, workload: Workload) -> bool:
    """Whether NVIDIA's runtime surely starts the containers."""
    return starts_with(workload.runtime_class, "nvidia").is_yes or default_runtime_is_nvidia(inputs) is Answer.YES


def _path_of(container: Container) -> Path:
    """The path of NVIDIA_VISIBLE_DEVICES in a container that sets it."""
    name = VISIBLE_DEVICES if at(container.body, "path") is not None else container.env[VISIBLE_DEVICES][0]
    return (*container.path, "env", name)


def _visible(inputs: Inputs) -> Iterator[tuple[Workload, Container, Path, str]]:
    """Every container with NVIDIA_VISIBLE_DEVICES, with the path and the value of the variable."""
    for workload in workloads(inputs):
        for container in workload.containers:
            if container.visible_devices:
                yield workload, container, _path_of(container), container.visible_devices


def _beside_limit(inputs: Inputs, workload: Workload, container: Container, value: str) -> tuple[Severity, str]:
    amounts = [whole_number(amount) for amount in container.gpus.values()]
    limit = None if None in amounts else sum(amount or 0 for amount in amounts)
    condition, severity = (
        ("", Severity.ERROR) if _is_nvidia(inputs, workload) else ("if NVIDIA's runtime starts the container, ", Severity.WARNING)
    )
    override = f"{condition}{VISIBLE_DEVICES}={value} overrides the GPU that the device plugin allocates"
    listed = value.split(",")
    if all(re.fullmatch(_UUID, each.strip()) for each in listed):
        if limit is not None and len(listed) > limit:
            return severity, f"{override}. The container then sees {len(listed)} GPUs, but the scheduler counts {limit}"
        return Severity.INFO, f"{override}. The pin works only while this card is in the node, and every GPU pod of the node is pinned"
    if value == "all" and has_several_cards(inputs, workload):
        return severity, f"{override}. The container then sees every GPU of a node with several GPUs"
    # Manifests rarely say how many cards a node has, and most clusters with the variable have one.
    seen = "every GPU of its node" if value == "all" else "the named GPU, not the allocated one"
    return Severity.INFO, f"{override}. The container then sees {seen}: harmless only while the node has one card"


_MANAGEMENT = """\
        - name: power-limit
          image: nvidia/cuda:12.5.0-base-ubuntu22.04
          env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]
          securityContext: {privileged: true}
"""


@Rule(
    id="TG044",
    claim="A container with NVIDIA_VISIBLE_DEVICES has a GPU limit",
    symptom="A pod without nvidia.com/gpu uses GPU memory; CUDA out of memory in another pod",
    fix="Set resources: {limits: {nvidia.com/gpu: 1}}, and remove NVIDIA_VISIBLE_DEVICES",
    source="NVIDIA/k8s-device-plugin#87",
    severity=Severity.INFO,
    shown_by=Witness.CARD,
    failing=Example(pod(_env("all"))),
    passing=Example(RUNTIME_CLASS + daemon_set("power-limit", _MANAGEMENT, spec=NAMED)),
)
def _not_counted(inputs: Inputs) -> Iterator[Violation]:
    serving = {id(agent.about) for agent in agents(inputs)}
    for workload, container, path, value in _visible(inputs):
        may_have_devices = not container.asks_for_gpus.is_no or is_given(at(container.body, "resources", "claims"))
        if not may_have_devices and workload.complete and workload.kind != "DaemonSet" and id(workload.about) not in serving:
            message = (
                f"{VISIBLE_DEVICES}={value} is set without a GPU limit. If NVIDIA's runtime starts the container, the container sees GPUs that the scheduler does not "
                "count"
            )
            yield Violation(Severity.INFO, message, workload.about, path)


_MOUNT = "      volumeMounts: [{name: gpu, mountPath: /dev/nvidia0}]\n"
_VOLUME = "  volumes: [{name: gpu, hostPath: {path: /dev/nvidia0}}]\n"


@Rule(
    id="TG060",
    claim="A container gets GPUs by a resource, not by device files of the host",
    symptom="Failed to initialize NVML: Unknown Error; /dev/nvidia0: Operation not permitted",
    fix="Set resources: {limits: {nvidia.com/gpu: 1}}, and remove the volume: the device plugin brings the device files",
    source="kubernetes/kubernetes#5607",
    severity=Severity.WARNING,
    shown_by=Witness.NODE,
    failing=Example(pod(_MOUNT, _VOLUME).replace("  runtimeClassName: nvidia\n", "")),
    passing=Example(pod(_MOUNT, _VOLUME)),
)
def _host_devices(inputs: Inputs) -> Iterator[Violation]:
    for workload in workloads(inputs):
        # NVIDIA's runtime lets a container use the GPUs that its image, or a variable, names.
        may_be_default = default_runtime_is_nvidia(inputs) in (Answer.YES, Answer.UNKNOWN)
        if may_be_default or not workload.complete or not starts_with(workload.runtime_class, "nvidia").is_no:
            continue
        names = {known_str(at(item, "name")): at(item, "hostPath", "path") for _, item in mappings(at(workload.spec, "volumes"))}
        for container in workload.containers:
            for index, mount in mappings(at(container.body, "volumeMounts")):
                name = known_str(at(mount, "name"))
                host = None if name is None else names.get(name)
                may_use_it = not container.asks_for_gpus.is_no or not container.is_privileged.is_no
                if isinstance(host, str) and re.fullmatch(r"/dev/nvidia[\w-]*", host) and not may_use_it:
                    message = f"the container mounts {host} of the host without a GPU limit. The kernel refuses the device to an unprivileged container"
                    yield Violation(Severity.WARNING, message, workload.about, (*container.path, "volumeMounts", index))


@Rule(
    id="TG065",
    claim="A container with a GPU limit is not privileged",
    symptom="nvidia-smi in a pod shows every GPU of the node",
    fix="Remove privileged: true. The device plugin and the runtime give the container everything that its GPU needs",
    source="kubernetes/kubernetes#46007",
    severity=Severity.INFO,
    shown_by=Witness.NODE,
    failing=Example(pod(ONE_GPU + "      securityContext: {privileged: true}\n")),
    passing=Example(pod(ONE_GPU + "      securityContext: {allowPrivilegeEscalation: false}\n")),
)
def _privileged(inputs: Inputs) -> Iterator[Violation]:
    for workload in workloads(inputs):
        for container in workload.containers:
            if container.gpus and container.is_privileged.is_yes and workload.kind != "DaemonSet":
                message = "the container is privileged, and sees every GPU of its node, whatever its limit is"
                edits = removal(safe=False)
                yield Violation(Severity.INFO, message, workload.about, (*container.path, "securityContext", "privileged"), edits=edits)


_ESCALATION = "allowPrivilegeEscalation"

_PREPARED = """\
  initContainers:
    - name: power-limit
      image: nvidia/cuda:13.0.0-base-ubuntu24.04
      securityContext: {privileged: true}
"""
_NAMESPACE = """\
apiVersion: v1
kind: Namespace
metadata: {name: ollama, labels: {pod-security.kubernetes.io/enforce: privileged}}
---
"""


@Rule(
    id="TG122",
    claim="A container with every privilege does not turn privilege escalation off",
    symptom=f"{ESCALATION_REFUSED['privileged']}; {ESCALATION_REFUSED['capabilities']}",
    fix=f"Remove allowPrivilegeEscalation: false, or remove privileged: true and the capability {SYS_ADMIN[0]}",
    source="kubernetes/kubernetes pkg/apis/core/validation/validation.go",
    severity=Severity.ERROR,
    shown_by=Witness.CONTROL_PLANE,
    failing=Example(plugin_release() + "    securityContext: {privileged: true, allowPrivilegeEscalation: false}\n"),
    # The two settings are of different containers.
    passing=Example(_NAMESPACE + pod(ONE_GPU + "      securityContext: {allowPrivilegeEscalation: false}\n", _PREPARED)),
)
def _contradictions(inputs: Inputs) -> Iterator[Violation]:
    for about, path, context in _contexts(inputs):
        granted = _granted(context) if equals(at(context, _ESCALATION), False).is_yes else None
        if granted is not None:
            setting, refusal, grant = granted
            message = f"the container has {setting} and {_ESCALATION}: false. The API server refuses the pod: '{refusal}'"
            yield Violation(Severity.ERROR, message, about, (*path, _ESCALATION), related=((about, (*path, *grant)),))


def _contexts(inputs: Inputs) -> Iterator[tuple[Read, Path, Any]]:
    """The security contexts of the containers of NVIDIA's pods, and of agents in chart values."""
    for workload in workloads(inputs):
        if workload.is_nvidia:
            for container in workload.containers:
                yield workload.about, (*container.path, "securityContext"), at(container.body, "securityContext")
    for agent in agents(inputs):
        if agent.release is not None:
            yield agent.about, agent.path("securityContext"), at(agent.settings, "securityContext")


def _granted(context: Any) -> tuple[str, str, Path] | None:
    """The setting that grants every privilege, the API server's words about it, and its path."""
    if equals(at(context, "privileged"), True).is_yes:
        return "privileged: true", ESCALATION_REFUSED["privileged"], ("privileged",)
    if is_among(SYS_ADMIN[0], known_list(at(context, "capabilities", "add"))).is_yes:
        return f"the capability {SYS_ADMIN[0]}", ESCALATION_REFUSED["capabilities"], ("capabilities", "add")
    return None
