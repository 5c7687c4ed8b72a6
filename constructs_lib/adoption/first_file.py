"""The first cluster file of a cluster, from the answers to a few questions and from what a source states."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..arguments.errors import NOTHING, wrong, wrong_kind
from ..arguments.plain_values import whole_number
from ..clusters.description import Description, Gitops, Stack
from ..nodes.fabric_manager import default_fabric_manager, warn_of_no_fabric_manager
from ..nodes.file_classes import ADDRESS, ADDRESSES, UNNAMED, WORD_OF
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.nodes_file import nodes_in
from ..nodes.shared_driver import shared_driver
from ..nodes.talos_version import TalosVersion, dated
from ..upstream.nvidia.driver_branches import DriverTrack, KernelModules
from ..upstream.nvidia.plugin_words import MigStrategy
from .answers import SMOKE_TEST, Answers, recipe_named
from .node_classes import without_default
from .present_image import PresentImage
from .present_nodes import Present, PresentClass, file_key
from .talos_settings import without_credentials
from .tree import RefusedError, made


class FirstCluster(NamedTuple):
    """The description of a cluster, and a note for each choice in it that no answer made."""

    description: Description
    notes: list[str]


class _Class(NamedTuple):
    """A class of nodes of the file: its key, its words, and the class that they make."""

    key: str
    words: dict[str, Any]
    nodes: GpuNodes


def first_cluster(answers: Answers, present: Present) -> FirstCluster:
    """The first description of a cluster. Answers come before what the source states."""
    if answers.talos_version is None and not present.states("talos_version"):
        raise wrong_kind("talos_version", "given", NOTHING, "no terminal answers the question")
    notes = list(present.notes)
    classes = [_class(each, answers, notes) for each in _answered(answers, present, notes)]
    if len(classes) > 1:  # the key is the name then
        for each in classes:
            each.words.pop("name", None)
    needs_operator = any(each.nodes.runtime_class is None for each in classes)
    stack = answers.stack or present.stack
    if needs_operator and answers.stack == Stack.STANDALONE:
        talos = next(each.nodes.talos_version for each in classes if each.nodes.runtime_class is None)
        hint = "without the operator's toolkit no container gets a GPU there"
        raise wrong("stack", f"'operator' for Talos {talos.minor_version}", answers.stack, hint)
    if needs_operator and stack == Stack.STANDALONE:
        stack = None
    by_operator = needs_operator or stack == Stack.OPERATOR
    gitops = answers.gitops or (present.gitops if by_operator else None)
    if by_operator and gitops is None:
        notes.append(
            "the GPU operator is a Helm chart, and the file leaves it to Flux in the cluster; --gitops argocd or none is another way"
        )
    if answers.workload is not None:
        recipe_named(answers.workload)
    first = classes[0].words["talos"]
    content: dict[str, Any] = {
        "talos": first,
        "nodes": {each.key: {name: value for name, value in each.words.items() if (name, value) != ("talos", first)} for each in classes},
        **({} if stack is None else {"stack": stack}),
        **({"gitops": gitops or Gitops.FLUX.value} if by_operator or gitops is not None else {}),
    }
    if workloads := _workloads(answers, classes, notes):
        content["workloads"] = workloads
    _check(content)
    description = Description(content)
    return FirstCluster(description, [*dict.fromkeys(notes), *description.notes])


def _check(content: Mapping[str, Any]) -> None:
    """Refuse a file that synth refuses. No chart is rendered."""
    gitops = {"gitops": "flux"} if content.get("gitops") == Gitops.NONE else {}
    description = Description({**content, **gitops})
    if description.errors:
        raise description.errors[0].error
    try:
        made(description)
    except RefusedError as refused:
        raise refused.error from None


def _workloads(answers: Answers, classes: Sequence[_Class], notes: list[str]) -> dict[str, Any]:
    """The proof that the nodes of each class run CUDA, and the workload that was chosen."""
    several = len(classes) > 1
    served = [each for each in classes if each.nodes.passthrough is None]
    found: dict[str, Any] = {}
    for each in served:
        if each.nodes.mig_strategy is not MigStrategy.MIXED:
            name = f"smoke-test-{each.key}" if several else "smoke-test"
            found[name] = {"recipe": SMOKE_TEST, **({"nodes": each.key} if several else {})}
    if answers.workload not in (None, "none") and served:  # the first pod gets the card first
        recipe = recipe_named(answers.workload or "")
        name = re.sub("(?<=[a-z])(?=[A-Z])", "-", recipe).lower()
        found[name] = {"recipe": recipe, **({"nodes": served[0].key} if several else {})}
        if several:
            notes.append(f"{name} runs on {served[0].key}; its 'nodes' names another class")
    return found


def _answered(answers: Answers, present: Present, notes: list[str]) -> Iterator[PresentClass]:
    """The classes of nodes with the answers."""
    if answers.sharing is not None:
        whole_number("sharing", answers.sharing)
    products = answers.products
    kinds = list(dict.fromkeys(products))
    if len(kinds) > 1 and len(present.classes) > 1:
        raise wrong("product", "one card", ", ".join(kinds), "the source has several classes of nodes already")
    cards = answers.cards if answers.cards is not None or len(products) < 2 else len(products)  # noqa: PLR2004
    if answers.is_one_machine and answers.cards is not None and answers.cards < len(products):
        raise wrong("gpus_per_node", f"at least {len(products)}, the number of named cards of one machine", answers.cards)
    given = {
        "talos_version": answers.talos_version,
        "gpus_per_node": cards,
        "count": answers.count,
        "sharing": {"time_slicing": answers.sharing} if answers.sharing is not None and answers.sharing > 1 else None,
    }
    for each in present.classes:
        arguments = {**each.arguments, **{name: value for name, value in given.items() if value is not None}}
        if answers.sharing == 1:
            arguments.pop("sharing", None)
        addresses = {} if answers.count not in (None, len(each.addresses)) else each.addresses
        found = replace(each, arguments=arguments, addresses=addresses)
        if len(kinds) < 2:  # noqa: PLR2004
            is_new = bool(each.cards) and not kinds and (each.image is None or len(each.image.drivers) != 1)
            of_all = _driver_of_all(list(dict.fromkeys(each.cards)), arguments, notes) if is_new else {}
            yield replace(found, arguments={**arguments, **of_all, **({"product": kinds[0]} if kinds else {})})
        elif answers.is_one_machine:
            yield replace(found, arguments={**arguments, **_driver_of_all(kinds, arguments, notes)})
        else:
            yield from _class_for_each(kinds, found, answers, notes)


def _driver_of_all(cards: Sequence[str], arguments: Mapping[str, Any], notes: list[str]) -> dict[str, Any]:
    """The driver of a machine with cards of several kinds. A class has no card then."""
    talos = TalosVersion.parse("talos_version", arguments["talos_version"])
    driver = shared_driver(cards, talos)
    notes.append(
        f"{' and '.join(cards)} in one machine: one class without 'card', with the {driver.modules} kernel modules of the {driver.track} track, "
        "which run all of them; a pod gets any of the cards. --cards and --nodes of other machines make a class for each card"
    )
    return {"kernel_modules": str(driver.modules), "driver_track": str(driver.track)}


def _class_for_each(cards: Sequence[str], found: PresentClass, answers: Answers, notes: list[str]) -> Iterator[PresentClass]:
    """A class of nodes for each card."""
    notes.append(
        f"{' and '.join(cards)}: a class of nodes for each card, which its pods choose by 'nodes'; --nodes 1 is one machine with all of them"
    )
    count = found.arguments.get("count")
    if count not in (None, len(cards)):
        notes.append(f"how many of the {count} nodes have each card is not known, so the file has no 'count': write it in each class")
    for card in cards:
        arguments = {**found.arguments, "product": card, "name": file_key(card)}
        if answers.cards is None:
            arguments.pop("gpus_per_node", None)
        if arguments.pop("count", None) == len(cards):
            arguments["count"] = 1
        yield PresentClass(arguments=arguments, image=found.image)


def _class(found: PresentClass, answers: Answers, notes: list[str]) -> _Class:
    """A class of nodes in the words of the file."""
    arguments, image = dict(found.arguments), found.image
    if "product" not in arguments:
        notes += found.without_card
    if image is not None:
        notes += image.notes
        arguments = {**_driver(image, arguments), **arguments}
    talos = TalosVersion.parse("talos_version", arguments["talos_version"])
    newest = talos.release.newest
    if talos.patch is None and newest:
        arguments["talos_version"] = newest
        notes.append(dated(f"Talos {talos}: the file has {newest}, the newest patch") + ", because an image is of one release")
    elif talos.patch is None:
        notes.append(
            f"Talos {talos}: the file makes no Talos files, because an image is of one release, and no patch of Talos {talos} is known"
        )
    (nodes,) = nodes_in([arguments])
    arguments = {**arguments, **_of_the_card(nodes), **_talos(answers, nodes, image), **_addresses(found)}
    if {ADDRESS, ADDRESSES} & arguments.keys():
        arguments.pop("count", None)
    names = list(found.addresses)
    key = arguments.get("name") or (names[0] if len(names) == 1 else UNNAMED)
    return _Class(file_key(key), {WORD_OF.get(name, name): value for name, value in arguments.items()}, nodes)


def _addresses(found: PresentClass) -> dict[str, Any]:
    """The addresses of the nodes, where each was read."""
    addresses = list(found.addresses.values())
    if not addresses or not all(addresses):
        return {}
    return {ADDRESS: addresses[0]} if len(addresses) == 1 else {ADDRESSES: addresses}


def _of_the_card(nodes: GpuNodes) -> dict[str, str]:
    """The arguments that follow from the card, where they differ from those of most cards."""
    modules = {} if nodes.kernel_modules is KernelModules.OPEN else {"kernel_modules": str(nodes.kernel_modules)}
    return modules if nodes.track is DriverTrack.PRODUCTION else {**modules, "driver_track": str(nodes.track)}


def _driver(image: PresentImage, nodes: Mapping[str, Any]) -> dict[str, Any]:
    """The driver of the present image, where it is not the default of the class."""
    if len(image.drivers) != 1:
        return {}
    ((flavour, track),) = image.drivers
    card = {"product": nodes["product"]} if "product" in nodes else {}
    driver = {name: str(value) for name, value in (("kernel_modules", flavour), ("driver_track", track)) if value}
    return without_default(driver, card, {"talos_version": nodes["talos_version"]})


def _talos(answers: Answers, nodes: GpuNodes, image: PresentImage | None) -> dict[str, Any]:
    present = {} if image is None else without_credentials(image.arguments)
    has_manager = present.pop("fabric_manager", None) or default_fabric_manager(nodes)
    present = {name: value for name, value in present.items() if value}
    if answers.fabric_manager is not None:
        return {**present, "fabric_manager": answers.fabric_manager}
    if not has_manager:
        warn_of_no_fabric_manager(nodes)
    return {**present, **({"fabric_manager": True} if has_manager else {})}
