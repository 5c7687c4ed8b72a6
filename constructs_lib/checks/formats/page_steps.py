"""The steps on a cluster's page: apply in order, install each image, verify with the expected words, plan the
upgrade."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...arguments.commands import Command, command
from ...manifests.cuda_proof import PASSED, is_proof
from ...nodes.file_classes import FileClass
from ...nodes.gpu_nodes import GpuNodes
from ...nodes.nodes_file import class_document, class_flags, is_of_flags
from ...nodes.talos_version import TalosVersion
from ...observed.agents.operators import operators
from ...observed.model import Inputs, KubernetesObject, NodeConfig, at, known_str, starts_with
from ...observed.pods.claims import GPU_CLASS
from ...observed.usage.gpu_usage import usage
from ...observed.usage.usage_rows import Usage
from ...upstream.kubernetes.pod_groups import POD_GROUP_GATE, POD_GROUPS_SINCE
from ...upstream.nvidia.gpu_resources import mig_resource
from ...upstream.talos import releases as talos_releases
from ...upstream.talos.config_documents import CONTROL_PLANE_PROGRAMS
from ...upstream.talos.extension_names import MODULES, TOOLKIT
from ...upstream.talos.features import IMAGE_FACTORY, KERNEL_MODULES
from ...upstream.talos.installer_images import InstallerImage
from ...upstream.talos.platforms import Platform
from ...upstream.version import Version
from .markdown_text import code, prose, shell, table
from .page_classes import PageClasses, addresses_of, names_of, on_all, on_each
from .page_images import MACHINE_CONFIG_FILE, SCHEMATIC_FILE, NodeImage, install_lines, new_machine, node_images, present_image_step
from .page_nodes import schematic_of, stack_parts


def upgrade_lines(inputs: Inputs, installers: Mapping[str, InstallerImage], classes: PageClasses) -> Iterator[str]:
    """The command that plans the upgrade to the newest patch, or to the next release of Talos."""
    talos = inputs.talos_version
    if talos is None or not talos.is_known:
        yield "The Talos version is not known here, so no plan can be named: give `--talos`."
        return
    target = _target(talos)
    if target is None:
        yield prose(f"Talos {talos} is the newest release in the tables of {talos_releases.READ_ON}.")
        return
    with_driver: list[GpuNodes | None] = [each for each in inputs.nodes if each.passthrough is None]
    if len(with_driver) < len(inputs.nodes):
        names = ", ".join(code(classes.label(each)) for each in inputs.nodes if each.passthrough is not None)
        yield f"The nodes of {names} have no driver: stop or move their virtual machines, install the image of the new Talos, and start them again."
        yield ""
    images = node_images(inputs, installers)
    commands = [
        _plan(inputs, talos, target, nodes, _image_of(nodes, images, len(inputs.nodes)), classes)
        for nodes in with_driver or ([] if inputs.nodes else [None])
    ]
    if commands:
        yield prose(f"The next Talos in the tables of {talos_releases.READ_ON} is {target}. The plan names every step, in order:")
        yield from ("", "```bash", *dict.fromkeys(map(str, commands)), "```")


def _plan(
    inputs: Inputs, talos: TalosVersion, target: str, nodes: GpuNodes | None, image: NodeImage | None, classes: PageClasses
) -> Command:
    """The command that prints the plan for a class: of its cluster file, else with flags. A class that flags can't describe
    is given as a file."""
    is_omni = any(each.at("resources") is not None for each in inputs.node_configs)
    given = None if nodes is None else classes.of(nodes)
    if given is not None and classes.file:
        flags = [*classes.flags(given), "--to", target, *(["--for", "omni"] if is_omni else [])]
        return command("talos-gpu upgrade {file} {*flags}", file=classes.file, flags=flags)
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


def apply_lines(inputs: Inputs, *, is_kustomized: bool, installers: Mapping[str, InstallerImage], classes: PageClasses) -> Iterator[str]:
    """The steps in their order: the image, the machine configuration, the stack, the workloads."""
    steps = [*_talos_steps(inputs, installers, classes), *_manifest_steps(inputs, is_kustomized=is_kustomized)]
    if classes.classes:
        yield "Run the commands in the folder with `manifests/` and `talos/`. After each step, look at its rows of [Verify](#verify)."
        yield ""
    for number, step in enumerate(steps, start=1):
        yield f"{number}. {step.sentence}"
        yield from ("", *(f"   {line}" for line in shell(step.commands)), "")
        yield from (f"   {line}" if line else "" for line in (*step.answers, *([""] if step.answers else [])))
    if not steps:
        yield "Nothing that can be applied was read."


class _Step(NamedTuple):
    """A step: its sentence, its commands, and the lines about their answers."""

    sentence: str
    commands: Sequence[Command | str]
    answers: Sequence[str] = ()


_AGAIN = "Apply the machine configuration to each node of the class, one after the other."
_ONCE = (
    "Apply the machine configuration once to each node of the class, one after the other. Talos appends to `files` and `registerWithTaints`, and with an entry twice the "
    "next boot of the node fails: make later changes in the source of your configuration."
)


def _talos_steps(inputs: Inputs, installers: Mapping[str, InstallerImage], classes: PageClasses) -> Iterator[_Step]:
    configs = inputs.node_configs
    if any(each.at("resources") is not None for each in configs):
        files = dict.fromkeys(each.file for each in configs if each.at("resources") is not None)
        yield _Step("Give Omni the resources of the machine set.", [command("omnictl apply --file {file}", file=file) for file in files])
        return
    schematics = {each.file: schematic_of(each) for each in configs if each.at("schematic") is not None}
    if schematics:
        found = node_images(inputs, installers)
        yield _Step(*present_image_step(found, classes))
        known = [f"{code(file)} is {code(schematic)}" for file, schematic in schematics.items() if schematic]
        commands = [
            command("curl -X POST --data-binary @{file} https://{factory}/schematics", file=file, factory=IMAGE_FACTORY)
            for file in schematics
        ]
        yield _Step(
            f"Send the schematic to the Image Factory, which answers with its ID{': ' + ', '.join(known) if known else ''}.", commands
        )
        images = [line for each in found for line in install_lines(each, inputs.talos_version, classes)]
        if images:
            sentence = "Install the image on a node that runs already, on one node after the other: each reboots."
            yield _Step(f"{sentence} {new_machine(classes)}", images)
    if any(each.file.rpartition("/")[2] in ("talconfig.yaml", "talconfig.yml") for each in configs):
        yield _Step(
            "Write the machine configurations by talhelper, and apply them.",
            [Command("talhelper genconfig"), Command("talosctl apply-config --nodes ADDRESS --file clusterconfig/FILE")],
        )
        return
    patches = [each for each in configs if each.scope == "patch" and each.documents]
    if of_control_plane := list(filter(_is_of_control_plane, patches)):
        files = dict.fromkeys(each.file for each in of_control_plane)
        features = [command("talosctl --nodes CONTROL_PLANE patch machineconfig --patch @{file}", file=file) for file in files]
        text = str([each.documents for each in of_control_plane])
        needed = f" They need Kubernetes 1.{POD_GROUPS_SINCE} or newer." if POD_GROUP_GATE in text else ""
        upgraded = _UPGRADED if "KubeAPIServerConfig" in text else ""
        yield _Step(f"Apply the features of Kubernetes to each control-plane node.{needed}{upgraded}", features)
    if others := [each for each in patches if each not in of_control_plane]:
        commands = [each for file in dict.fromkeys(each.file for each in others) for each in _patched(file, classes)]
        yield _Step(_ONCE if any(map(_appends, others)) else _AGAIN, commands)


_UPGRADED = " On a cluster that was upgraded from Talos 1.13 the documents do not exist: apply the text of ControlPlanePatch with style='fields' instead."


def _is_of_control_plane(config: NodeConfig) -> bool:
    """Whether a patch is of nothing but the programs of control-plane nodes."""
    return all(
        known_str(at(document, "kind")) in CONTROL_PLANE_PROGRAMS.values()
        or (len(document) == 1 and isinstance(fields := at(document, "cluster"), Mapping) and {*fields} <= {*CONTROL_PLANE_PROGRAMS})
        for _, document in config.documents
    )


def _patched(file: str, classes: PageClasses) -> Iterator[Command]:
    """A command for each node: a change may reboot it."""
    for address in addresses_of(classes.of_file(file, MACHINE_CONFIG_FILE)):
        yield command("talosctl --nodes {address} patch machineconfig --patch @{file}", address=address, file=file)


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
        yield _Step("Give Flux its objects; Flux applies the other manifests from its source.", commands)
        return
    if is_kustomized:
        yield _Step(
            "Kustomize builds the manifests: apply the folder of this cluster.",
            [Command("kubectl apply --server-side --kustomize FOLDER")],
        )
        return
    first = {about.file for _, about in stack_parts(inputs)} | {
        each.file for each in inputs.of_kind(*_FIRST_KINDS) if each.kind != "Namespace"
    }
    files = _in_order(inputs)
    for sentence, chosen in (
        ("Apply the GPU stack.", [file for file in files if file in first]),
        ("Apply the workloads.", [file for file in files if file not in first]),
    ):
        if chosen:
            yield _Step(sentence, [command("kubectl apply --server-side --filename {file}", file=file) for file in chosen])


def _in_order(inputs: Inputs) -> list[str]:
    """The files in their order, but each after those that make its namespaces."""
    makers = {f"{each.name}": each.file for each in inputs.of_kind("Namespace")}
    needed: dict[str, dict[str, None]] = {}
    for each in inputs.objects:
        maker = makers.get(f"{each.namespace}", each.file)
        needed.setdefault(each.file, {})[maker] = None
    ordered: dict[str, None] = {}
    pending = [*reversed(needed)]
    entered = set()
    while pending:
        file = pending.pop()
        later = [other for other in needed[file] if other not in ordered and other not in entered and other != file]
        if file in entered or not later:
            ordered[file] = None
        else:
            entered.add(file)
            pending += [file, *reversed(later)]
    return list(ordered)


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
    if nodes.dra is not None:
        yield code("kubectl get resourceslices"), f"a slice of the node with devices of {code(GPU_CLASS)}", _STACK
        return
    offered = nodes.advertised_resources or {mig_resource("PROFILE"): None}
    shown = ", ".join(
        f"{code(name)} with the number of {_counted(name)} of the node" if amount is None else code(f'"{name}":"{amount}"')
        for name, amount in offered.items()
    )
    one, several = (
        "kubectl get node {*names} -o jsonpath='{.status.allocatable}'",
        "kubectl get node {*names} -o jsonpath='{.items[*].status.allocatable}'",
    )
    yield code(command(one if len(names) == 1 else several, names=names)), shown, _STACK
    shell_command = _in_a_pod(rows, is_described=given is not None)
    if nodes.passthrough is None and shell_command is not None:
        card = f" {prose(nodes.product)}" if nodes.product else ""
        yield code(shell_command), f"the card{card}, in a pod with a GPU", _WORKLOADS


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
    modules, track = MODULES[nodes.kernel_modules], nodes.track
    extensions = f"{code(f'{modules}-{track}')} and {code(f'{TOOLKIT}-{track}')}"
    yield code(on_all(given, "get extensions")), extensions, _IMAGE
    yield code(on_each(given, "read /proc/modules")), ", ".join(map(code, KERNEL_MODULES)), _CONFIGURATION
    is_open = str(nodes.kernel_modules) == "open"
    kind = f", and {code('Open Kernel Module')}" if is_open else ""
    driver = f"{code('NVRM version:')} with the driver of the {track} track{kind}"
    yield code(on_each(given, "read /proc/driver/nvidia/version")), driver, _CONFIGURATION
    if nodes.talos_version.needs.has_cdi_service:
        yield code(on_each(given, "read /run/cdi/nvidia.yaml")), "the devices of the node", _CONFIGURATION


_DELIVERED = {
    "HelmRelease": ("kubectl get helmreleases --all-namespaces", "READY is True"),
    "Application": ("kubectl get applications --all-namespaces", "SYNC STATUS is Synced, HEALTH STATUS is Healthy"),
}
