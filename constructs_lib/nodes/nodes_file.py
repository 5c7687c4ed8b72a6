"""A class of GPU nodes as flags of the command, and as the keys `talos` and `nodes` of a cluster file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs

from ..arguments.errors import Refusal, wrong, wrong_kind
from ..arguments.keywords import check_keywords, named_arguments
from ..arguments.plain_values import instance, mapping
from ..arguments.spelling import did_you_mean
from ..upstream.nvidia.driver_branches import KernelModules
from ..upstream.nvidia.plugin_words import MigStrategy
from .file_classes import TALOS_FILES, UNNAMED, WORD_OF, file_classes
from .gpu_nodes import CardMemory, GpuNodes
from .mig import plain_devices
from .sharing import Mps, TimeSlicing
from .taints import Taint

ARGUMENTS = [field.name for field in attrs.fields(GpuNodes)]
"""The arguments of a class of nodes."""
SHARING: dict[str, type[TimeSlicing | Mps]] = {"time_slicing": TimeSlicing, "mps": Mps}
"""The kinds of sharing."""
_RULE = "YAML with the keys 'talos' and 'nodes'"


def class_flags(nodes: GpuNodes) -> list[str]:
    """The flags that describe a class, without its Talos."""
    flags: list[str] = []
    if nodes.kernel_modules is not KernelModules.OPEN or nodes.product is not None:  # a card may have another default than open modules
        flags += ["--kernel-modules", str(nodes.kernel_modules)]
    if nodes.driver_track is not None:
        flags += ["--driver-track", str(nodes.driver_track)]
    for key, value in nodes.labels.items():
        flags += ["--label", f"{key}={value}"]
    for key, value in nodes.extra_labels.items():
        flags += ["--extra-label", f"{key}={value}"]
    for taint in nodes.taints:
        flags += ["--taint", _written(taint)]
    numbers = {"product": nodes.product, "gpus-per-node": nodes.gpus_per_node, "memory-per-gpu": _memory(nodes), "count": nodes.count}
    flags += [word for name, value in numbers.items() if value is not None for word in (f"--{name}", str(value))]
    if nodes.sharing is not None:
        flags += ["--mps" if nodes.by_mps else "--time-slicing", str(nodes.sharing.replicas)]
    if nodes.mig_strategy is not MigStrategy.NONE:
        flags += ["--mig-strategy", str(nodes.mig_strategy)]
    return flags + (["--name", nodes.name] if nodes.name else [])


def is_of_flags(nodes: GpuNodes) -> bool:
    """Whether flags describe the whole class."""
    sharing = nodes.sharing is None or nodes.sharing == type(nodes.sharing)(replicas=nodes.sharing.replicas)
    return sharing and nodes.mig_devices is None and nodes.dra is None and nodes.passthrough is None


def class_document(nodes: GpuNodes) -> dict[str, Any]:
    """The class as a cluster file has it."""
    return file_nodes([class_arguments(nodes)])


def file_nodes(classes: list[Mapping[str, Any]], machines: Sequence[Mapping[str, Any] | None] = ()) -> dict[str, Any]:
    """The keys `talos` and `nodes` of a cluster file with classes, from the arguments of `GpuNodes`, and what each says
    about its image and its machine configuration: None for a class without Talos files."""
    versions = {str(each["talos_version"]) for each in classes}
    nodes = {}
    for number, each in enumerate(classes):
        machine = machines[number] if number < len(machines) else {}
        words = {WORD_OF.get(name, name): value for name, value in each.items()}
        if len(versions) == 1:
            words.pop("talos", None)
        if len(classes) > 1:
            words.pop("name", None)
        nodes[each.get("name") or UNNAMED] = {**words, **({TALOS_FILES: False} if machine is None else machine)}
    return {**({"talos": versions.pop()} if len(versions) == 1 else {}), "nodes": nodes}


def class_arguments(nodes: GpuNodes) -> dict[str, Any]:
    """The arguments of a class, as `nodes_in` takes them."""
    given = {field.name: getattr(nodes, field.name) for field in attrs.fields(GpuNodes)}
    given |= {name: given[name] and str(given[name]) for name in ("talos_version", "kernel_modules", "mig_strategy", "driver_track")}
    given |= {"labels": dict(nodes.labels), "extra_labels": dict(nodes.extra_labels), "taints": [_written(each) for each in nodes.taints]}
    given |= {"memory_per_gpu": _memory(nodes), "mig_devices": plain_devices(nodes.mig_devices)}
    if nodes.sharing is not None:
        kind = next(name for name, each in SHARING.items() if isinstance(nodes.sharing, each))
        given["sharing"] = {kind: attrs.asdict(nodes.sharing)}
    for name in ("dra", "passthrough"):
        if given[name] is not None:
            settings = {key: value for key, value in attrs.asdict(given[name], recurse=False).items() if value is not None}
            given[name] = {key: [*map(str, value)] if isinstance(value, tuple) else _plain(value) for key, value in settings.items()}
    return {name: value for name, value in given.items() if value not in (None, [], {})}


def _plain(value: object) -> object:
    """A number as it is, and a choice as its string."""
    return value if isinstance(value, int) else str(value)


def _memory(nodes: GpuNodes) -> str | None:
    """The memory, unless it follows from the card."""
    return None if isinstance(nodes.memory_per_gpu, CardMemory) else nodes.memory_per_gpu


def _written(taint: Taint) -> str:
    """A taint in kubectl's notation."""
    return f"{taint.key}{'' if taint.value is None else f'={taint.value}'}:{taint.effect}"


@named_arguments(text="the text of the file is needed")
def read_nodes(text: str) -> list[GpuNodes]:
    """Read the classes of GPU nodes of a cluster file: the keys `talos` and `nodes`.

    A class has the arguments of `GpuNodes`; `card` is `product`, `cards` is `gpus_per_node`, and `memory` is
    `memory_per_gpu`. Taints are in kubectl's notation, `dra` holds the arguments of `Dra`, `passthrough` the arguments
    of `Passthrough`, and `sharing` holds its kind with the number of pods, or with all arguments:

        talos: 1.12.11
        nodes:
          gpu-1:
            labels: {role: gpu}
            taints: ["dedicated=ai:NoSchedule"]
            sharing: {time_slicing: 5}

    The only class has no `name` of its own, and several classes have the names of the file.

    Raises:
        TypeError, ValueError: `'nodes.gpu-1.card' must be …`, the errors of `GpuNodes` in the words of the file;
            `'nodes' must be …` for another file, and for a duplicate key.

    Example:
        >>> read_nodes('{talos: 1.14.0, nodes: {gpu-1: {card: RTX 4090}}}')
        [GpuNodes(talos_version='1.14.0', product='RTX 4090')]

    https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
    """
    from ..yaml.load import YamlError, complaint, handwritten

    instance("text", text, str, "the text of a file")
    try:
        contents = [each.value for each in handwritten(text)]
    except YamlError as error:
        raise wrong("nodes", _RULE, text[:40], complaint(error)) from None
    if len(contents) != 1 or not isinstance(contents[0], Mapping):
        raise wrong_kind("nodes", _RULE, contents, "such as {talos: 1.14.0, nodes: {gpu-1: {card: RTX 4090}}}")
    return nodes_of_file(contents[0])


def nodes_of_file(content: Mapping[str, Any]) -> list[GpuNodes]:
    """The classes of GPU nodes of the content of a file."""
    found = []
    for each in file_classes(content):
        try:
            found += nodes_in([each.arguments])
        except Refusal as error:
            raise each.told(error) from None
    return found


def nodes_in(contents: list[Any]) -> list[GpuNodes]:
    """The classes of GPU nodes from the arguments of each, or from a list of them; taints, sharing, `dra` and
    `passthrough` are as in a cluster file."""
    classes = contents[0] if len(contents) == 1 and isinstance(contents[0], list) else contents
    if not classes or not all(isinstance(each, Mapping) for each in classes):
        raise wrong_kind("nodes", "mappings of the arguments of GpuNodes", contents)
    if len(classes) == 1:
        return [_nodes(classes[0])]
    several: list[GpuNodes] = []
    for number, arguments in enumerate(classes, 1):
        try:
            several.append(_nodes(arguments))
        except Refusal as error:
            raise error.noting(f"the class is '{arguments.get('name', number)}'") from None
    names = [nodes.name for nodes in several]
    for number, name in enumerate(names, 1):
        if name and name in names[: number - 1]:
            hint = f"classes {names.index(name) + 1} and {number} have the same name"
            raise wrong("nodes", "classes with different names", name, hint)
    return several


def _nodes(given: Mapping[str, Any]) -> GpuNodes:
    arguments = mapping("nodes", given)
    check_keywords("GpuNodes", ARGUMENTS, arguments)
    if "taints" in arguments:
        taints = instance("taints", arguments["taints"], list, "a list of taints", "such as ['dedicated=ai:NoSchedule']")
        arguments["taints"] = [Taint.parse("taints", taint) for taint in taints]
    if arguments.get("sharing") is not None:
        arguments["sharing"] = _sharing(arguments["sharing"])
    if arguments.get("dra") is not None:
        from .dra import Dra  # only `dra` needs this module

        written = _arguments_of(Dra, "dra", arguments["dra"], "{share: claim}")
        with _below("dra"):
            arguments["dra"] = Dra(**written)
    if arguments.get("passthrough") is not None:
        from .passthrough import Passthrough  # only `passthrough` needs this module

        written = _arguments_of(Passthrough, "passthrough", arguments["passthrough"], "{pci_ids: ['10de:2204']}")
        with _below("passthrough"):
            arguments["passthrough"] = Passthrough(**written)
    return GpuNodes(**arguments)


@contextmanager
def _below(place: str, *, with_argument: bool = True) -> Iterator[None]:
    """Name the place of a key in the errors of a value that stands there."""
    try:
        yield
    except Refusal as error:
        raise type(error)(f"{place}.{error.argument}" if with_argument else place, error.rule, error.got, error.hint, error.part) from None


def _arguments_of(value: type[attrs.AttrsInstance], argument: str, given: object, example: str) -> dict[str, Any]:
    """The arguments of a value in the file; an argument that the value does not have is refused."""
    known = [field.name for field in attrs.fields(value)]
    rule = f"a mapping of the arguments of {value.__name__}, "
    arguments = mapping(argument, given, f"{rule}such as {example}")
    for name in arguments:
        if name not in known:
            raise wrong(argument, rule + ", ".join(f"'{known_name}'" for known_name in known), name, did_you_mean(name, known))
    return arguments


def _sharing(given: object) -> TimeSlicing | Mps:
    rule = "of one kind, such as {time_slicing: 4}"
    kinds = mapping("sharing", given, rule)
    if len(kinds) != 1:
        raise wrong("sharing", rule, given)
    ((kind, settings),) = kinds.items()
    if kind not in SHARING:
        raise wrong("sharing", rule, kind, did_you_mean(kind, SHARING) or "the kinds are time_slicing and mps")
    place = f"sharing.{kind}"
    if isinstance(settings, int) and not isinstance(settings, bool):
        with _below(place, with_argument=False):
            return SHARING[kind](replicas=settings)
    rule = "a number of pods, or a mapping such as {replicas: 4}"
    if not isinstance(settings, Mapping):
        from ..arguments.meant import meant, number_meant  # deferred: only an error needs it

        number = number_meant(settings)
        raise wrong_kind(place, rule, settings, "" if number is None else meant(number))
    given_settings = mapping(place, settings, rule)
    with _below(place):
        return SHARING[kind](**given_settings)
