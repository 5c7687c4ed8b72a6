"""The nodes on a cluster's page that are in the cluster already: what Talos can't give them by the machine configuration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...arguments.commands import Command, command
from ...nodes.joined_workers import administrators_labels, administrators_taints
from ...nodes.taints import taint_text
from ...observed.model import Inputs, NodeConfig, at, known_str
from ...upstream.talos.config_documents import CONFLICTING_FIELDS
from .markdown_text import code
from .page_classes import PageClasses, is_of_class, names_of
from .page_images import MACHINE_CONFIG_FILE

JOINED = (
    "A worker that has joined may not change its own taints, and not every label (NodeRestriction); until it has the taints, Talos can't set its labels either: "
    "the commands of `kubectl` do it, once."
)


def joined_commands(inputs: Inputs, patches: Sequence[NodeConfig], classes: PageClasses) -> Iterator[Command]:
    """The commands by which an administrator gives the workers of each class with a patch their taints, and the labels that
    they may not set."""
    for nodes in inputs.nodes:
        given = classes.of(nodes)
        if given is not None and not any(is_of_class(each.file, nodes.name, MACHINE_CONFIG_FILE) for each in patches):
            continue
        words = {"names": names_of(given)}
        remark = f"a worker{f' of {classes.label(nodes)}' if len(inputs.nodes) > 1 else ''} that has joined already"
        if taints := [taint_text(each) for each in administrators_taints(nodes)]:
            yield command("kubectl taint nodes {*names} {*taints} --overwrite", **words, taints=taints).explained(remark)
        if labels := [f"{key}={value}" for key, value in administrators_labels(nodes).items()]:
            yield command("kubectl label nodes {*names} {*labels} --overwrite", **words, labels=labels).explained(remark)


def fields_words(patches: Sequence[NodeConfig], classes: PageClasses) -> Iterator[str]:
    """The sentence about a node whose configuration has the fields beside which Talos refuses documents of the patches."""
    files = dict.fromkeys(
        each.file for each in patches for _, document in each.documents if known_str(at(document, "kind")) in CONFLICTING_FIELDS
    )
    if files:
        flags, choice = classes.flags_of_any([classes.of_file(each, MACHINE_CONFIG_FILE) for each in files])
        patch = command("talos-gpu patch {file} {*flags}", file=classes.file or "FILE", flags=[*flags, "--style", "fields"])
        yield f"A node that was upgraded from Talos 1.13 keeps its fields, and refuses these documents beside them: it gets the patch of {code(patch)}{choice}."
