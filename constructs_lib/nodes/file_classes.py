"""The classes of GPU nodes of a cluster file: the words of a class, and the arguments of `GpuNodes` that they stand
for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import attrs

from ..arguments.errors import NOTHING, Argument, InPython, Phrase, Refusal, Value, wrong, wrong_kind
from ..arguments.names import dns_label
from ..arguments.plain_values import mapping, text
from ..arguments.spelling import did_you_mean
from .gpu_nodes import GpuNodes

WORDS = {"talos": "talos_version", "card": "product", "cards": "gpus_per_node", "memory": "memory_per_gpu"}
"""The words of a class that are not the names of their arguments of `GpuNodes`."""
WORD_OF = {argument: word for word, argument in WORDS.items()}
"""The word of an argument."""
ADDRESS, ADDRESSES, TALOS_FILES = "address", "addresses", "talos_files"
OF_THE_MACHINE = (
    "extensions", "fabric_manager", "gdrcopy", "extra_kernel_args", "meta", "overlay", "bootloader", "secure_boot", "sector_size",
    "embedded_config", "arch", "factory", "style", "kernel_module_parameters", "extra_kernel_modules", "sysctls", "operator", "default_runtime",
    "base_runtime_spec", "cdi_spec_dirs", "kubelet_feature_gates", "platform", "secureboot", "omni", "talconfig",
)  # fmt: skip
"""The keys of a class for its image and its machine configuration."""
OF_GPU_NODES = tuple(WORD_OF.get(field.name, field.name) for field in attrs.fields(GpuNodes))
"""The keys of a class for its `GpuNodes`."""
CLASS_KEYS = (*OF_GPU_NODES, ADDRESS, ADDRESSES, TALOS_FILES, *OF_THE_MACHINE)
"""The keys of a class of nodes."""
UNNAMED = "gpu"
"""The key of a class without a name, where this library writes a file."""
_LONGEST = 36
_SUCH_AS = "such as nodes: {gpu-1: {card: RTX 4090}}"


@dataclass(frozen=True)
class FileClass:
    """A class of nodes of a file."""

    keys: tuple[str, ...]
    """The keys in `nodes`: several for nodes that are described alike."""
    arguments: Mapping[str, Any]
    """The arguments of `GpuNodes`, as `nodes_in` takes them."""
    machine: Mapping[str, Any]
    """What the class says about its image and its machine configuration."""
    addresses: tuple[str, ...] = ()
    has_talos_files: bool = True
    has_own_talos: bool = False
    node_names: tuple[str, ...] = ()
    """The names of the nodes: the keys with one `address` each."""

    @property
    def name(self) -> str | None:
        """The name of the class; None for the only class of a file."""
        return self.arguments.get("name")

    def told(self, error: Refusal) -> Refusal:
        """An error of `GpuNodes`, in the words of the file: `'nodes.gpu-1.card' must be …`."""
        head, bracket, rest = error.argument.partition("[")
        place = f"nodes.{self.keys[0]}.{WORD_OF.get(head, head)}{bracket}{rest}"
        if head == "talos_version" and not self.has_own_talos:
            place = "talos"
        got = self.arguments.get(head, error.got) if attrs.has(type(error.got)) else error.got
        return type(error)(place, _in_words(error.rule), got, _in_words(error.hint), error.part)


def _in_words(words: str | Phrase) -> str:
    """The words of an error with the names of the file's keys."""

    def written(part: Argument | Value | InPython) -> str:
        if isinstance(part, InPython):
            return ""
        return str(part._replace(name=WORD_OF.get(part.name, part.name), written="")) if isinstance(part, Argument) else str(part)

    return words if isinstance(words, str) else words.written(written)


def file_classes(content: Mapping[str, Any]) -> list[FileClass]:
    """The classes of the keys `talos` and `nodes` of a file. Nodes with an address each that are described alike are
    one class.

    Raises:
        TypeError, ValueError: `'nodes.gpu-1.card' must be …`, with the place in the file.
    """
    if content.get("nodes") is None:
        raise wrong_kind("nodes", "given", NOTHING, f"the nodes with GPUs by their names, {_SUCH_AS}")
    given = mapping("nodes", content["nodes"], f"a mapping of names to nodes, {_SUCH_AS}")
    if not given:
        raise wrong("nodes", "at least one node", given, _SUCH_AS)
    found = [_file_class(dns_label("nodes", key, _LONGEST), each, content.get("talos")) for key, each in given.items()]
    addresses = [address for each in found for address in each.addresses]
    for each in found:
        if repeated := next((address for address in each.addresses if addresses.count(address) > 1), None):
            raise wrong(f"nodes.{each.keys[0]}.{ADDRESS}", "one that no other node has", repeated)
    classes = list(_united(found))
    if len(classes) == 1:
        return classes
    named = [_named(each) for each in classes]
    names = [each.name for each in named]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise wrong(f"nodes.{named[number].keys[0]}.name", "one that no other class has", name)
    return named


def _named(each: FileClass) -> FileClass:
    """The class with a name, by default that of its first node."""
    return FileClass(**{**vars(each), "arguments": {**each.arguments, "name": each.name or each.keys[0]}})


def _file_class(key: str, given: object, talos: object) -> FileClass:
    place = f"nodes.{key}"
    fields = {} if given is None else mapping(place, given, "a mapping of what the node is")
    for name, value in fields.items():
        if name not in CLASS_KEYS:
            hint = f"write '{WORD_OF[name]}'" if name in WORD_OF else did_you_mean(str(name), CLASS_KEYS)
            raise wrong(f"{place}.{name}", "a key of a node", value, hint or f"the keys are {', '.join(CLASS_KEYS[:8])}, …")
    version = fields.get("talos", talos)
    if version is None:
        raise wrong_kind("talos", "given", NOTHING, "the Talos of the nodes, such as talos: 1.14.0")
    addresses = _addresses(place, fields)
    count = fields.get("count")
    if addresses and count not in (None, len(addresses)):
        raise wrong(f"{place}.count", f"{len(addresses)}, the number of addresses, or left out", count)
    arguments = {WORDS.get(name, name): fields[name] for name in OF_GPU_NODES if name in fields}
    return FileClass(
        (key,),
        {"talos_version": version, **arguments, **({"count": len(addresses)} if addresses else {})},
        {name: fields[name] for name in OF_THE_MACHINE if name in fields},
        addresses,
        _flag(f"{place}.{TALOS_FILES}", fields.get(TALOS_FILES, True)),
        "talos" in fields,
        (key,) if fields.get(ADDRESS) is not None else (),
    )


def _flag(argument: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise wrong_kind(argument, "true or false", value)
    return value


def _addresses(place: str, fields: Mapping[str, Any]) -> tuple[str, ...]:
    if ADDRESS in fields and ADDRESSES in fields:
        raise wrong(f"{place}.{ADDRESS}", f"left out beside '{ADDRESSES}'", fields[ADDRESS])
    if fields.get(ADDRESS) is not None:
        return (_address(f"{place}.{ADDRESS}", fields[ADDRESS]),)
    given = fields.get(ADDRESSES) or []
    if not isinstance(given, list):
        raise wrong_kind(f"{place}.{ADDRESSES}", "a list of addresses, such as [192.168.1.21, 192.168.1.22]", given)
    return tuple(_address(f"{place}.{ADDRESSES}[{number}]", each) for number, each in enumerate(given))


def _address(argument: str, given: object) -> str:
    rule = "the address or the name of a node, such as 192.168.1.21"
    address = text(argument, given, rule)
    if not re.fullmatch(r"[0-9A-Za-z:][0-9A-Za-z:._-]*", address):  # it stands in commands
        raise wrong(argument, rule, given)
    return address


def _united(found: Iterable[FileClass]) -> Iterable[FileClass]:
    """The classes: nodes with an address and no name of their own are one class where they are described alike."""
    classes: dict[object, FileClass] = {}
    for each in found:
        is_node = len(each.addresses) == 1 and each.name is None
        same = repr(sorted((*each.arguments.items(), *each.machine.items(), ("", each.has_talos_files)), key=lambda item: item[0]))
        key = same if is_node else each.keys
        if key in classes:
            other = classes[key]
            addresses = (*other.addresses, *each.addresses)
            names = (*other.node_names, *each.node_names) if other.node_names and each.node_names else ()
            own = {"addresses": addresses, "node_names": names, "arguments": {**each.arguments, "count": len(addresses)}}
            classes[key] = FileClass(**{**vars(other), "keys": (*other.keys, *each.keys), **own})
        else:
            classes[key] = each
    return classes.values()
