"""The steps for a cluster on its page: apply in order, verify with the expected words, upgrade."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..._arguments.commands import Command, command
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.talos_version import TalosVersion
from ...upstream import talos_releases
from ...upstream.extension_names import MODULES, TOOLKIT
from ...upstream.platforms import Platform
from ...upstream.talos_features import CDI_LAYOUT, IMAGE_FACTORY, KERNEL_MODULES, installer_name
from ...upstream.version import Version
from ..facts.claim_requests import GPU_CLASS
from ..facts.operators import operators
from ..facts.usage_rows import name_of
from ..model import Inputs, known_str, starts_with
from .markdown_text import code, prose, shell, table
from .page_diagram import stack_parts
from .page_nodes import schematic_of

_FIRST_KINDS = ("CustomResourceDefinition", "Namespace", "RuntimeClass", "DeviceClass", "PriorityClass")


def apply_lines(inputs: Inputs, *, is_kustomized: bool) -> Iterator[str]:
    """The steps in their order: the image, the machine configuration, the stack, the workloads."""
    steps = [*_talos_steps(inputs), *_manifest_steps(inputs, is_kustomized=is_kustomized)]
    for number, (sentence, commands) in enumerate(steps, start=1):
        yield f"{number}. {sentence}"
        yield from ("", *(f"   {line}" for line in shell(commands)), "")
    if not steps:
        yield "Nothing that can be applied was read."


_Step = tuple[str, Sequence[Command | str]]


def _talos_steps(inputs: Inputs) -> Iterator[_Step]:
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
        images = list(_installers(inputs.talos_version, schematics))
        if images:
            yield "Install the image on a node that runs already; the name is that of metal nodes.", images
    if any(each.file.rpartition("/")[2] in ("talconfig.yaml", "talconfig.yml") for each in configs):
        yield (
            "Write the machine configurations by talhelper, and apply them.",
            [Command("talhelper genconfig"), Command("talosctl apply-config --nodes ADDRESS --file clusterconfig/FILE")],
        )
        return
    patches = dict.fromkeys(each.file for each in configs if each.scope == "patch" and each.documents)
    if patches:
        commands = [command("talosctl --nodes ADDRESS patch machineconfig --patch @{file}", file=file) for file in patches]
        yield "Apply the machine configuration to each node of the class.", commands


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


def _installers(talos: TalosVersion | None, schematics: Mapping[str, str | None]) -> Iterator[str]:
    for file, schematic in schematics.items():
        if schematic and talos is not None and talos.patch is not None:
            name = f"{IMAGE_FACTORY}/{installer_name(Platform.METAL, talos.minor)}/{schematic}:v{talos}"
            yield f"{command('talosctl --nodes ADDRESS upgrade --image {image}', image=name)}  # {file}"


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
    amount = nodes.advertised_per_node
    name = code(nodes.resource_name)
    shown = f"{name} with the number of GPUs of the node" if amount is None else code(f'"{nodes.resource_name}":"{amount}"')
    yield code("kubectl get node NODE -o jsonpath='{.status.allocatable}'"), shown
    if nodes.passthrough is None:
        yield code("kubectl exec POD -- nvidia-smi"), f"the card{f' {prose(nodes.product)}' if nodes.product else ''}, in a pod with a GPU"


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


def upgrade_lines(inputs: Inputs) -> Iterator[str]:
    """The command that plans the upgrade to the newest patch, or to the next release of Talos."""
    talos = inputs.talos_version
    if talos is None or not talos.is_known:
        yield "The Talos version is not known here, so no plan can be named: give `--talos`."
        return
    target = _target(talos)
    if target is None:
        yield prose(f"Talos {talos} is the newest release in the tables of {talos_releases.READ_ON}.")
        return
    route = "operator" if operators(inputs) else "standalone"
    words = ["--talos", talos, "--to", target, "--route", route]
    if any(each.at("resources") is not None for each in inputs.node_configs):
        words += ["--for", "omni"]
    if folders := dict.fromkeys(each.file.partition("/")[0] for each in inputs.objects):
        words += ["--manifests", *(f"./{each}" if each.startswith("-") else each for each in folders)]
    yield prose(f"The next Talos in the tables of {talos_releases.READ_ON} is {target}. The plan names every step, in order:")
    classes = dict.fromkeys(map(_class_flags, inputs.nodes or [None]))
    yield from ("", *shell(command("talos-gpu upgrade {*words}", words=[*words, *flags]) for flags in classes))


def _class_flags(nodes: GpuNodes | None) -> tuple[str, ...]:
    if nodes is None:
        return ()
    flags = ["--driver-track", nodes.driver_track] if nodes.driver_track is not None else []
    if str(nodes.kernel_modules) != "open":
        flags += ["--kernel-modules", nodes.kernel_modules]
    if nodes.product is not None:
        flags += ["--product", nodes.product]
    return tuple(flags)


def _target(talos: TalosVersion) -> str | None:
    newest = Version.parse(talos.release.newest)
    if newest is not None and talos.version < newest and talos.patch is not None:
        return str(newest)
    after = list(talos_releases.TALOS)
    following = after[after.index(talos.minor_version) + 1 :]
    return talos_releases.TALOS[following[0]].newest if following and following[0] != talos_releases.PREVIEW else None
