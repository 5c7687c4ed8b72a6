"""The steps on a cluster's page, in their order: install each image, configure the nodes, apply the manifests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ...arguments.commands import Command, command
from ...observed.model import Inputs, NodeConfig, at, known_str, starts_with
from ...upstream.kubernetes.pod_groups import POD_GROUP_GATE, POD_GROUPS_SINCE
from ...upstream.talos.config_documents import CONTROL_PLANE_PROGRAMS
from ...upstream.talos.features import IMAGE_FACTORY
from ...upstream.talos.installer_images import InstallerImage
from .markdown_text import code, shell
from .page_classes import PageClasses, addresses_of
from .page_groups import needed_groups
from .page_images import MACHINE_CONFIG_FILE, install_lines, new_machine, node_images, present_image_step
from .page_joined import JOINED, fields_words, joined_commands
from .page_nodes import schematic_of, stack_parts

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
        joined = [*joined_commands(inputs, configs, classes)]
        words = ["Give Omni the resources of the machine set.", *[JOINED] * bool(joined)]
        yield _Step(" ".join(words), [*(command("omnictl apply --file {file}", file=file) for file in files), *joined])
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
        sentence = "Install the image on a node that runs already, on one node after the other: each reboots."
        yield _Step(f"{sentence} {new_machine(found, classes)}", [line for each in found for line in install_lines(each, inputs, classes)])
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
        joined = [*joined_commands(inputs, others, classes)]
        words = [_ONCE if any(map(_appends, others)) else _AGAIN, *[JOINED] * bool(joined), *fields_words(others, classes)]
        yield _Step(" ".join(words), [*commands, *joined])


_UPGRADED = " On a cluster that was upgraded from Talos 1.13 the documents do not exist: apply the patch with style='fields' instead, in a cluster file by `control_plane: {style: fields}`."


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
    if needed := needed_groups(inputs):
        yield _Step(*needed)
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
