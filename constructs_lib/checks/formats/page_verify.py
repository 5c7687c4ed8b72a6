"""The commands on a cluster's page that verify each step, with the expected words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from ...arguments.commands import Command, command
from ...manifests.cuda_proof import PASSED, is_proof
from ...nodes.file_classes import FileClass
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.image_extensions import image_extensions
from ...nodes.taints import Taint
from ...observed.model import Inputs, KubernetesObject, known_str
from ...observed.pods.claims import GPU_CLASS
from ...observed.usage.gpu_usage import usage
from ...observed.usage.usage_rows import Usage
from ...upstream.nvidia.gpu_resources import mig_resource
from ...upstream.talos.features import KERNEL_MODULES
from .markdown_text import code, prose, table
from .page_classes import PageClasses, names_of, on_all, on_each

_COLUMNS = ("command", "what the output shows", "after")
_IMAGE, _CONFIGURATION, _STACK, _WORKLOADS = "the image", "the machine configuration", "the GPU stack", "the workloads"


def verify_lines(inputs: Inputs, classes: PageClasses) -> Iterator[str]:
    """A table of commands for each class, with the words that their output has to show."""
    rows = usage(inputs)
    for nodes in inputs.nodes:
        if len(inputs.nodes) > 1:
            yield from (f"**{code(classes.label(nodes))}**", "")
        yield from table(_COLUMNS, _checks(nodes, classes.of(nodes), [each for each in rows if nodes in each.nodes]))
        yield ""
    yield from _names(classes)
    kinds = [(each, known_str(each.at("kind")) or "") for each in inputs.releases]
    proofs = [each for each in inputs.of_kind("Job") if is_proof(each.body)]
    yield from _by_command(classes, has_proof=bool(proofs))
    if proofs:
        yield "The proof that a pod gets its card and runs CUDA:"
        yield ""
        yield from table(_COLUMNS, (row for each in proofs for row in _proof(each)))
        yield ""
    delivered = [
        (code(_DELIVERED[kind][0]), f"{code(each.name)}: {_DELIVERED[kind][1]}", _STACK) for each, kind in kinds if kind in _DELIVERED
    ]
    yield from table(_COLUMNS, delivered)
    if not inputs.nodes and not delivered and not proofs:
        yield "No class of GPU nodes was described, so the expected words are not known."


def _names(classes: PageClasses) -> Iterator[str]:
    """The way to the names and the addresses, where those of the cluster file may be missing, or others."""
    if any(each.node_names for each in classes.classes):
        yield "The names are those of the cluster file; `kubectl get nodes --output wide` lists those of the cluster with their addresses."
        yield ""
    if not all(each.node_names for each in classes.classes):
        yield "NODE is the name of a node of the class, and ADDRESS its address: `kubectl get nodes --output wide` lists both."
        yield ""


def _by_command(classes: PageClasses, *, has_proof: bool) -> Iterator[str]:
    """The command that compares and proves all of it."""
    if classes.file:
        flags = [*(["--cluster", classes.cluster] if classes.cluster else []), *(["--prove"] if has_proof else [])]
        call = command("talos-gpu verify {file} {*flags}", file=classes.file, flags=flags)
        yield f"{code(f'{call}'.rstrip())} compares the cluster with the file{', and runs the proof again' if has_proof else ''}."
        yield ""
    if classes.file and not has_proof:
        yield "No proof: `smoke-test: {recipe: CudaSmokeTest}` in `workloads` adds a Job that runs CUDA on a card."
        yield ""


def _proof(job: KubernetesObject) -> Iterator[tuple[str, str, str]]:
    """The commands that wait for a smoke test, and print what it proved."""
    place = {"name": f"job/{job.name}", "namespace": job.namespace or "default"}
    wait = command("kubectl --namespace {namespace} wait --for=condition=complete {name} --timeout=5m", **place)
    yield code(wait), "`condition met`", _WORKLOADS
    log = command("kubectl --namespace {namespace} logs {name}", **place)
    yield code(log), f"the driver and the card, and as its last line {code(PASSED)}", _WORKLOADS


def _checks(nodes: GpuNodes, given: FileClass | None, rows: Sequence[Usage]) -> Iterator[tuple[str, str, str]]:
    if nodes.passthrough is None:
        yield from _driver_checks(nodes, given)
    names = names_of(given)
    if nodes.node_labels:
        labels = ", ".join(code(f"{key}={value}") for key, value in nodes.node_labels.items())
        yield code(command("kubectl get node {*names} --show-labels", names=names)), labels, _CONFIGURATION
    if nodes.taints:
        yield code(command(_TAINTS[len(names) > 1], names=names)), ", ".join(code(_in_json(each)) for each in nodes.taints), _CONFIGURATION
    if nodes.dra is not None:
        yield code("kubectl get resourceslices"), f"a slice of the node with devices of {code(GPU_CLASS)}", _STACK
        return
    offered = nodes.advertised_resources or {mig_resource("PROFILE"): None}
    shown = ", ".join(
        f"{code(name)} with the number of {_counted(name)} of the node" if amount is None else code(f'"{name}":"{amount}"')
        for name, amount in offered.items()
    )
    yield code(command(_OFFERED[len(names) > 1], names=names)), shown, _STACK
    shell_command = _in_a_pod(rows, is_described=given is not None)
    if nodes.passthrough is None and shell_command is not None:
        card = f" {prose(nodes.product)}" if nodes.product else ""
        yield code(shell_command), f"the card{card}, in a pod with a GPU", _WORKLOADS


_TAINTS = ("kubectl get node {*names} -o jsonpath='{.spec.taints}'", "kubectl get node {*names} -o jsonpath='{.items[*].spec.taints}'")
_OFFERED = (
    "kubectl get node {*names} -o jsonpath='{.status.allocatable}'",
    "kubectl get node {*names} -o jsonpath='{.items[*].status.allocatable}'",
)
"""The commands that print a field of one node, and of several."""


def _in_json(taint: Taint) -> str:
    """A taint as kubectl prints it."""
    fields = {"effect": str(taint.effect), "key": taint.key, **({"value": taint.value} if taint.value else {})}
    return json.dumps(fields, separators=(",", ":"))


def _in_a_pod(rows: Sequence[Usage], *, is_described: bool) -> Command | None:
    """`nvidia-smi` in a pod that runs on: the first server that surely has a GPU of the class. A cluster file without one
    has none."""
    server = next((each.workload for each in rows if each.workload.kind in _SERVERS and len(each.nodes) == 1), None)
    about = None if server is None else server.about
    if not isinstance(about, KubernetesObject):
        return None if is_described else Command("kubectl exec POD -- nvidia-smi")
    name = f"{about.kind.lower()}/{about.name}"
    return command("kubectl --namespace {namespace} exec {name} -- nvidia-smi", namespace=about.namespace or "default", name=name)


_SERVERS = ("Deployment", "StatefulSet", "DaemonSet")


def _counted(resource: str) -> str:
    return "partitions" if resource.startswith(mig_resource("")) else "GPUs"


def _driver_checks(nodes: GpuNodes, given: FileClass | None) -> Iterator[tuple[str, str, str]]:
    extensions = image_extensions(nodes, given.machine if given is not None else {})
    yield code(on_all(given, "get extensions")), ", ".join(map(code, extensions)), _IMAGE
    yield code(on_each(given, "read /proc/modules")), ", ".join(map(code, KERNEL_MODULES)), _CONFIGURATION
    is_open = str(nodes.kernel_modules) == "open"
    kind = f", and {code('Open Kernel Module')}" if is_open else ""
    driver = f"{code('NVRM version:')} with the driver of the {nodes.track} track{kind}"
    yield code(on_each(given, "read /proc/driver/nvidia/version")), driver, _CONFIGURATION
    if nodes.talos_version.needs.has_cdi_service:
        yield code(on_each(given, "read /run/cdi/nvidia.yaml")), "the devices of the node", _CONFIGURATION


_DELIVERED = {
    "HelmRelease": ("kubectl get helmreleases --all-namespaces", "READY is True"),
    "Application": ("kubectl get applications --all-namespaces", "SYNC STATUS is Synced, HEALTH STATUS is Healthy"),
}
