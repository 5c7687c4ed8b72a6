"""The steps on a cluster's page: apply in order, install each image, verify with the expected words, plan the
upgrade."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...arguments.commands import Command, command, comment
from ...manifests.cuda_proof import PASSED, is_proof
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.nodes_file import class_document, class_flags, is_of_flags
from ...nodes.talos_version import TalosVersion
from ...observed.agents.operators import operators
from ...observed.model import Inputs, KubernetesObject, NodeConfig, at, known_str, known_text, starts_with
from ...observed.nodes.node_extensions import nvidia_extensions
from ...observed.pods.claims import GPU_CLASS
from ...observed.usage.usage_rows import name_of
from ...upstream.nvidia.gpu_resources import mig_resource
from ...upstream.talos import releases as talos_releases
from ...upstream.talos.config_documents import CONTROL_PLANE_PROGRAMS
from ...upstream.talos.extension_names import MODULES, TOOLKIT
from ...upstream.talos.features import IMAGE_FACTORY, KERNEL_MODULES
from ...upstream.talos.installer_images import InstallerImage, installer_image, only_nvidia, read_installer
from ...upstream.talos.platforms import Platform
from ...upstream.version import Version
from .markdown_text import code, prose, shell, table
from .page_nodes import schematic_of, stack_parts

INSTALLER_FILE, SCHEMATIC_FILE = "installer-image.txt", "schematic.yaml"
"""The ends of the names of the files that a cluster's folder has for a class: `rtx-schematic.yaml`,
`rtx-installer-image.txt`."""
_WAY = "'extensions' in the cluster file, or in the schematic"


@dataclass(frozen=True, kw_only=True)
class NodeImage:
    """A schematic, and the installer image of it that a file names."""

    file: str
    schematic: str | None
    """The ID, if it is known without the Image Factory."""
    installer: InstallerImage | None
    remark: str
    """The remark on an image without extensions of others; empty for another image."""


def node_images(inputs: Inputs, installers: Mapping[str, InstallerImage]) -> list[NodeImage]:
    """The schematics of the files. `installers` are the installer images by the files that name them."""
    named = [each for config in inputs.node_configs if (each := read_installer(known_text(config.image)))]
    images = []
    for config in inputs.node_configs:
        if config.at("schematic") is None:
            continue
        schematic = schematic_of(config)
        beside = installers.get(config.file.removesuffix(SCHEMATIC_FILE) + INSTALLER_FILE)
        known = [each for each in named if each.schematic == schematic]
        installer = beside if beside is not None and schematic in (beside.schematic, None) else next(iter(known), None)
        nvidia = nvidia_extensions(config)
        remark = "" if len(config.extensions or ()) > len(nvidia) else only_nvidia(_WAY, has_driver=bool(nvidia))
        images.append(
            NodeImage(file=config.file, schematic=schematic or (installer and installer.schematic), installer=installer, remark=remark)
        )
    return images


def install_lines(image: NodeImage, talos: TalosVersion | None) -> Iterator[str]:
    """The command that installs an image on a node, behind comments on what nobody read."""
    if image.schematic is None or talos is None or talos.patch is None:
        return
    of = image.installer
    if image.remark:
        yield str(comment(image.remark))
    if of is None:
        yield str(comment("no file says the platform and Secure Boot of the nodes: the name is that of metal machines without Secure Boot"))
    name = installer_image(
        image.schematic, f"{talos}", talos.minor, platform=of.platform if of else Platform.METAL, is_secure=bool(of and of.is_secure),
        **({"factory": of.factory} if of else {}),
    )  # fmt: skip
    yield str(command("talosctl --nodes ADDRESS upgrade --image {image}", image=name).explained(image.file))


def upgrade_lines(inputs: Inputs, installers: Mapping[str, InstallerImage]) -> Iterator[str]:
    """The command that plans the upgrade to the newest patch, or to the next release of Talos."""
    talos = inputs.talos_version
    if talos is None or not talos.is_known:
        yield "The Talos version is not known here, so no plan can be named: give `--talos`."
        return
    target = _target(talos)
    if target is None:
        yield prose(f"Talos {talos} is the newest release in the tables of {talos_releases.READ_ON}.")
        return
    classes: list[GpuNodes | None] = [each for each in inputs.nodes if each.passthrough is None]
    if len(classes) < len(inputs.nodes):
        names = ", ".join(code(name_of(each)) for each in inputs.nodes if each.passthrough is not None)
        yield f"The nodes of {names} have no driver: stop or move their virtual machines, install the image of the new Talos, and start them again."
        yield ""
    images = node_images(inputs, installers)
    commands = [
        _plan(inputs, talos, target, nodes, _image_of(nodes, images, len(inputs.nodes)))
        for nodes in classes or ([] if inputs.nodes else [None])
    ]
    if commands:
        yield prose(f"The next Talos in the tables of {talos_releases.READ_ON} is {target}. The plan names every step, in order:")
        yield from ("", "```bash", *dict.fromkeys(map(str, commands)), "```")


def _plan(inputs: Inputs, talos: TalosVersion, target: str, nodes: GpuNodes | None, image: NodeImage | None) -> Command:
    """The command that prints the plan for a class. A class that flags can't describe is given as a file."""
    is_omni = any(each.at("resources") is not None for each in inputs.node_configs)
    flags = ["--to", target, "--route", "operator" if operators(inputs) else "standalone", *(["--for", "omni"] if is_omni else [])]
    if folders := dict.fromkeys(each.file.partition("/")[0] for each in inputs.objects):
        flags += ["--manifests", *folders]
    if image is not None:
        flags += ["--from", image.file]
    if image is not None and image.installer is not None:
        flags += ["--platform", str(image.installer.platform)] if image.installer.platform is not Platform.METAL and not is_omni else []
        flags += ["--secureboot"] if image.installer.is_secure else []
    if nodes is not None and not is_of_flags(nodes):
        text = json.dumps({**class_document(nodes), "talos": str(talos)})
        return command("printf %s {text} | talos-gpu upgrade /dev/stdin {*flags}", text=text, flags=flags)
    return command("talos-gpu upgrade {*flags}", flags=["--talos", str(talos), *flags, *(class_flags(nodes) if nodes else [])])


def _image_of(nodes: GpuNodes | None, images: Sequence[NodeImage], number: int) -> NodeImage | None:
    """The image of a class: that of the file with its name, or the only one of the only class."""
    if nodes is not None and nodes.name:
        named = [each for each in images if each.file.rpartition("/")[2] == f"{nodes.name}-{SCHEMATIC_FILE}"]
        if named:
            return named[0]
    return images[0] if len(images) == 1 and number <= 1 else None


def _target(talos: TalosVersion) -> str | None:
    newest = Version.parse(talos.release.newest)
    if newest is not None and talos.version < newest and talos.patch is not None:
        return str(newest)
    after = list(talos_releases.TALOS)
    following = after[after.index(talos.minor_version) + 1 :]
    return talos_releases.TALOS[following[0]].newest if following and following[0] != talos_releases.PREVIEW else None


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
    patches = [each for each in configs if each.scope == "patch" and each.documents]
    if of_control_plane := list(filter(_is_of_control_plane, patches)):
        yield "Apply the features of Kubernetes to each control-plane node.", _patch_commands(of_control_plane, "CONTROL_PLANE")
    if others := [each for each in patches if each not in of_control_plane]:
        yield _ONCE if any(map(_appends, others)) else _AGAIN, _patch_commands(others)


def _patch_commands(patches: Sequence[NodeConfig], address: str = "ADDRESS") -> list[Command]:
    files = dict.fromkeys(each.file for each in patches)
    return [command("talosctl --nodes {address} patch machineconfig --patch @{file}", address=address, file=file) for file in files]


def _is_of_control_plane(config: NodeConfig) -> bool:
    """Whether a patch is of nothing but the programs of control-plane nodes."""
    return all(
        known_str(at(document, "kind")) in CONTROL_PLANE_PROGRAMS.values()
        or (len(document) == 1 and isinstance(fields := at(document, "cluster"), Mapping) and {*fields} <= {*CONTROL_PLANE_PROGRAMS})
        for _, document in config.documents
    )


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
    proofs = [each for each in inputs.of_kind("Job") if is_proof(each.body)]
    if proofs:
        yield "The proof that a pod gets its card and runs CUDA:"
        yield ""
        yield from table(("command", "what the output shows"), (row for each in proofs for row in _proof(each)))
        yield ""
    rows = [(code(_DELIVERED[kind][0]), f"{code(each.name)}: {_DELIVERED[kind][1]}") for each, kind in kinds if kind in _DELIVERED]
    yield from table(("command", "what the output shows"), rows)
    if not inputs.nodes and not rows and not proofs:
        yield "No class of GPU nodes was described, so the expected words are not known."


def _proof(job: KubernetesObject) -> Iterator[tuple[str, str]]:
    """The commands that wait for a smoke test, and print what it proved."""
    place = {"name": f"job/{job.name}", "namespace": job.namespace or "default"}
    yield (
        code(f"{command('kubectl --namespace {namespace} wait --for=condition=complete {name} --timeout=5m', **place)}"),
        "`condition met`",
    )
    yield (
        code(f"{command('kubectl --namespace {namespace} logs {name}', **place)}"),
        f"the driver and the card, and as its last line {code(PASSED)}",
    )


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
    if nodes.talos_version.needs.has_cdi_service:
        yield code("talosctl --nodes ADDRESS read /run/cdi/nvidia.yaml"), "the devices of the node"


_DELIVERED = {
    "HelmRelease": ("kubectl get helmreleases --all-namespaces", "READY is True"),
    "Application": ("kubectl get applications --all-namespaces", "SYNC STATUS is Synced, HEALTH STATUS is Healthy"),
}
