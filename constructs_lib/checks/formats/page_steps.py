"""The steps for a cluster on its page: apply in order, verify with the expected words, upgrade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...arguments.commands import Command, command
from ...nodes.gpu_nodes import GpuNodes
from ...observed.model import Inputs, NodeConfig, known_str, starts_with
from ...observed.pods.claims import GPU_CLASS
from ...observed.usage.usage_rows import name_of
from ...upstream.nvidia.gpu_resources import mig_resource
from ...upstream.talos.extension_names import MODULES, TOOLKIT
from ...upstream.talos.features import CDI_LAYOUT, IMAGE_FACTORY, KERNEL_MODULES
from ...upstream.talos.installer_images import InstallerImage
from .markdown_text import code, prose, shell, table
from .page_diagram import stack_parts
from .page_images import install_lines, node_images
from .page_nodes import schematic_of

_FIRST_KINDS = ("CustomResourceDefinition", "Namespace", "RuntimeClass", "DeviceClass", "PriorityClass")


def apply_lines(inputs: Inputs, *, is_kustomized: bool, installers: Mapping[str, InstallerImage]) -> Iterator[str]:
    """The steps in their order: the image, the machine configuration, the stack, the workloads."""
    steps = [*_talos_steps(inputs, installers), *_manifest_steps(inputs, is_kustomized=is_kustomized)]
    for number, (sentence, commands) in enumerate(steps, start=1):
        yield f"{number}. {sentence}"
        yield from ("", *(f"   {line}" for line in shell(commands)), "")
    if not steps:
        yield "Nothing that can be applied was read."


_Step = tuple[str, Sequence[Command | str]]

_AGAIN = "Apply the machine configuration to each node of the class."
_ONCE = (
    "Apply the machine configuration once to each node of the class. Talos appends to `files` and `registerWithTaints`, and with an entry twice the "
    "next boot of the node fails: make later changes in the source of your configuration."
)


def _talos_steps(inputs: Inputs, installers: Mapping[str, InstallerImage]) -> Iterator[_Step]:
    configs = inputs.node_configs
    if any(each.at("resources") is not None for each in configs):
        files = dict.fromkeys(each.file for each in configs if each.at("resources") is not None)
        yield "Give Omni the resources of the machine set.", [command("omnictl apply --file {file}", file=file) for file in files]
        return
    schematics = {each.file: schematic_of(each) for each in configs if each.at("schematic") is not None}
    if schematics:
        known = [f"{code(file)} is {code(schematic)}" for file, schematic in schematics.items() if schematic]
        commands = [
            command("curl -X POST --data-binary @{file} https://{factory}/schematics", file=file, factory=IMAGE_FACTORY)
            for file in schematics
        ]
        yield f"Send the schematic to the Image Factory, which answers with its ID{': ' + ', '.join(known) if known else ''}.", commands
        images = [line for each in node_images(inputs, installers) for line in install_lines(each, inputs.talos_version)]
        if images:
            yield "Install the image on a node that runs already.", images
    if any(each.file.rpartition("/")[2] in ("talconfig.yaml", "talconfig.yml") for each in configs):
        yield (
            "Write the machine configurations by talhelper, and apply them.",
            [Command("talhelper genconfig"), Command("talosctl apply-config --nodes ADDRESS --file clusterconfig/FILE")],
        )
        return
    patches = dict.fromkeys(each.file for each in configs if each.scope == "patch" and each.documents)
    if patches:
        commands = [command("talosctl --nodes ADDRESS patch machineconfig --patch @{file}", file=file) for file in patches]
        yield _ONCE if any(_appends(each) for each in configs if each.file in patches) else _AGAIN, commands


def _appends(config: NodeConfig) -> bool:
    """Whether a patch has a list that Talos appends to, and whose entries must not be there twice (siderolabs/talos
    pkg/machinery/config/merge)."""
    lists = (("files",), ("kubelet", "extraConfig", "registerWithTaints"))
    return any(config.at("documents", index, "machine", *path) is not None for index, _ in config.documents for path in lists)


def _manifest_steps(inputs: Inputs, *, is_kustomized: bool) -> Iterator[_Step]:
    flux = [each for each in inputs.of_kind("Kustomization") if starts_with(each.api_version, "kustomize.toolkit.fluxcd.io/").is_yes]
    if flux:
        commands = list(dict.fromkeys(command("kubectl apply --server-side --filename {file}", file=each.file) for each in flux))
        commands += [
            command(
                "flux reconcile kustomization {name} --namespace {namespace} --with-source",
                name=each.name,
                namespace="" if each.namespace is None else each.namespace,
            )
            for each in flux
        ]
        yield "Give Flux its objects; Flux applies the other manifests from its source.", commands
        return
    if is_kustomized:
        yield (
            "Kustomize builds the manifests: apply the folder of this cluster.",
            [Command("kubectl apply --server-side --kustomize FOLDER")],
        )
        return
    first = {about.file for _, about in stack_parts(inputs)} | {
        each.file for each in inputs.of_kind(*_FIRST_KINDS) if each.kind != "Namespace"
    }
    files = list(dict.fromkeys(each.file for each in inputs.objects))
    for sentence, chosen in (
        ("Apply the GPU stack.", [file for file in files if file in first]),
        ("Apply the workloads.", [file for file in files if file not in first]),
    ):
        if chosen:
            yield sentence, [command("kubectl apply --server-side --filename {file}", file=file) for file in chosen]


def verify_lines(inputs: Inputs) -> Iterator[str]:
    """A table of commands for each class, with the words that their output has to show."""
    for nodes in inputs.nodes:
        if len(inputs.nodes) > 1:
            yield from (f"**{code(name_of(nodes))}**", "")
        yield from table(("command", "what the output shows"), _checks(nodes))
        yield ""
    kinds = [(each, known_str(each.at("kind")) or "") for each in inputs.releases]
    rows = [(code(_DELIVERED[kind][0]), f"{code(each.name)}: {_DELIVERED[kind][1]}") for each, kind in kinds if kind in _DELIVERED]
    yield from table(("command", "what the output shows"), rows)
    if not inputs.nodes and not rows:
        yield "No class of GPU nodes was described, so the expected words are not known."


def _checks(nodes: GpuNodes) -> Iterator[tuple[str, str]]:
    if nodes.passthrough is None:
        yield from _driver_checks(nodes)
    if nodes.node_labels:
        yield code("kubectl get node NODE --show-labels"), ", ".join(code(f"{key}={value}") for key, value in nodes.node_labels.items())
    if nodes.dra is not None:
        yield code("kubectl get resourceslices"), f"a slice of the node with devices of {code(GPU_CLASS)}"
        return
    offered = nodes.advertised_resources or {mig_resource("PROFILE"): None}
    shown = ", ".join(
        f"{code(name)} with the number of {_counted(name)} of the node" if amount is None else code(f'"{name}":"{amount}"')
        for name, amount in offered.items()
    )
    yield code("kubectl get node NODE -o jsonpath='{.status.allocatable}'"), shown
    if nodes.passthrough is None:
        yield code("kubectl exec POD -- nvidia-smi"), f"the card{f' {prose(nodes.product)}' if nodes.product else ''}, in a pod with a GPU"


def _counted(resource: str) -> str:
    return "partitions" if resource.startswith(mig_resource("")) else "GPUs"


def _driver_checks(nodes: GpuNodes) -> Iterator[tuple[str, str]]:
    modules, track = MODULES[nodes.kernel_modules], nodes.track
    yield code("talosctl --nodes ADDRESS get extensions"), f"{code(f'{modules}-{track}')} and {code(f'{TOOLKIT}-{track}')}"
    yield code("talosctl --nodes ADDRESS read /proc/modules"), ", ".join(map(code, KERNEL_MODULES))
    yield (
        code("talosctl --nodes ADDRESS read /proc/driver/nvidia/version"),
        (
            f"{code('NVRM version:')} with the driver of the {track} track"
            + (f", and {code('Open Kernel Module')}" if str(nodes.kernel_modules) == "open" else "")
        ),
    )
    if nodes.talos_version.minor in CDI_LAYOUT:
        yield code("talosctl --nodes ADDRESS read /run/cdi/nvidia.yaml"), "the devices of the node"


_DELIVERED = {
    "HelmRelease": ("kubectl get helmreleases --all-namespaces", "READY is True"),
    "Application": ("kubectl get applications --all-namespaces", "SYNC STATUS is Synced, HEALTH STATUS is Healthy"),
}
