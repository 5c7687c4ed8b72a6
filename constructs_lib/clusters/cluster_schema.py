"""The JSON Schema of cluster files, from the signatures and the docstrings of the parts and the values, for editors.

The schema knows keys, kinds of values and words of choices. It knows no rule between two arguments: `talos-gpu synth`
refuses more.
"""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any, Literal, get_args, get_origin

from ..arguments.docstrings import argument_sentences, summary
from ..manifests.foreign.gpu_requests import GpuRequest
from ..manifests.workload.settings import WorkloadSettings
from ..nodes.file_classes import ADDRESS, ADDRESSES, CLASS_KEYS, OF_THE_MACHINE, TALOS_FILES, WORDS
from ..nodes.gpu_nodes import GpuNodes
from ..nodes.sharing import Mps, TimeSlicing
from ..nodes.taints import Taint
from ..talos.config.control_plane import ControlPlanePatch
from ..talos.config.machine_config import MachineConfigPatch
from ..talos.image.schematic import Schematic
from ..talos.targets.omni import OmniTarget
from ..talos.targets.talconfig import merge_into_talconfig
from ..upstream.choice import Choice
from ..upstream.kubernetes.api import POD_TEMPLATES
from .argument_types import alternatives, arguments_of, value_classes
from .cluster_file import OF_A_CLUSTER
from .composer import CHART_KEYS, OBJECT
from .description import RECIPE, RECIPES, Gitops, Stack
from .file_chart import CONTAINERS, KEYS, OF_A_CONTAINER, REQUEST_GPUS
from .file_values import WORKLOAD
from .fleet_delivery import ENGINES
from .part_table import BESIDE_A_WORKLOAD, PART_NAMES, part_of
from .talos_outputs import OF_CONTROL_PLANE, OF_TALCONFIG

_WORKLOAD = "GpuWorkload"
"""The construct that documents the arguments of every workload."""


def summary_of(owner: Any, name: str = "") -> str:
    """The first paragraph about a class, or about the construct of this name; empty where there is none."""
    return next(filter(None, map(summary, [_of_constructs().get(name), owner.__doc__])), "")


def construct_docs(name: str) -> dict[str, str]:
    """The sentences about each argument of a construct that has no class of settings."""
    return argument_sentences(_of_constructs().get(name))


def argument_docs(owner: Any, name: str = "") -> dict[str, str]:
    """The sentences about each argument of a class of settings or values, and of the construct of this name."""
    docs = [_of_constructs().get(name)]
    for each in owner.__mro__:
        docs += [vars(each).get("__doc__"), _of_constructs().get(each.__name__.removesuffix("Settings"))]
    if issubclass(owner, WorkloadSettings):
        docs.append(_of_constructs().get(_WORKLOAD))
    return {argument: words for each in reversed(docs) for argument, words in argument_sentences(each).items()}


@functools.cache
def _of_constructs() -> Mapping[str, str | None]:
    """The docstrings in `constructs/`, by the names of the classes and functions. They are read from the text: an
    import starts Node.

    The command in one file has no constructs, and so none of these docstrings.
    """
    folder = resources.files(__package__.rpartition(".")[0]) / "constructs"
    files = [each for each in folder.iterdir() if each.name.endswith(".py")] if folder.is_dir() else []
    parsed = [node for each in files for node in ast.parse(each.read_text(encoding="utf-8")).body]
    return {node.name: ast.get_docstring(node) for node in parsed if isinstance(node, ast.ClassDef | ast.FunctionDef)}


KEY_DOCS: Mapping[str, str] = {
    "name": "The name of the cluster. Default: that of the file, without its suffix.",
    "talos": "The Talos of the nodes, such as 1.14.6.",
    "nodes": "The nodes with GPUs, or classes of alike nodes, by their names.",
    "stack": "The component that gives pods their GPUs: standalone (the device plugin), operator, none, or the arguments of "
    "GpuStack. Default: what Talos and the nodes need; none in a file with charts.",
    "gitops": "The engine in the cluster that installs Helm charts: flux, argocd, or none, where Helm renders them here. "
    "Default: no chart where none is needed, else none.",
    "control_plane": "Features of Kubernetes that the control plane switches on, beside those that workloads need: the arguments of ControlPlanePatch.",
    "workloads": "The programs that run on the GPUs, by their names.",
    "recipe": "The recipe of the workload. Default: a container of your own, with its `image`.",
    "charts": "Any construct of this library and any object, as files in manifests/ by their names.",
    "card": "The card, such as RTX 4090.",
    "cards": "The number of cards in each node. Default: unknown.",
    "memory": "The memory of one card, such as 24Gi. Default: that of the card, where it is sold with one size.",
    ADDRESS: "The address or the name of the node, for the commands on its page. Nodes with an address that are described "
    "alike are one class.",
    ADDRESSES: "The addresses of the nodes of the class.",
    TALOS_FILES: "Whether to write the schematic, the installer image and the machine configuration. Default: true where "
    "`talos` names a patch.",
    "clusters": "Many clusters by their names, each with the values that differ from those beside `clusters`.",
    "delivery": "The engines that bring the folder of each cluster to its cluster.",
    "namespace": "The namespace of the chart's objects. Default: none.",
    "create_namespace": "Whether to make the namespace, without privileges. Default: False.",
    "objects": "An ID for each object, and one construct with its arguments. The ID gives the object its default name.",
    "platform": "The platform of the installer image. Default: metal.",
    "secureboot": "Whether the installer image is that of SecureBoot. Default: False.",
    "talconfig": "The talconfig.yaml of talhelper into which the nodes' values are merged.",
    "file": "The path of the talconfig.yaml, in the folder of the cluster file or below.",
    "apiVersion": "The version of the object's API.",
    "kind": "The kind of the object.",
    "metadata": "The object's name, labels and annotations.",
    OBJECT: "An object of Kubernetes, as it is.",
    REQUEST_GPUS: "An object of Kubernetes whose pods get GPUs of a class of nodes.",
    "workload": f"The object: one of the kinds {', '.join(POD_TEMPLATES)}.",
    CONTAINERS: "The containers that get GPUs, by their names, each with its own request. Default: one container.",
    WORKLOAD: "The ID of a workload above in the same chart, or `chart/id`.",
}
"""The descriptions, by key."""
NAME_DOCS: Mapping[str, str] = {"name": "The name of the object."}
"""The descriptions of the keys in the metadata of an object."""


_NAME = "The name of the class. Default: none for the only class, else that of its first node."
Schema = dict[str, Any]
_TEXT: Schema = {"type": "string"}
_OBJECT: Schema = {"type": "object"}
_FLAG: Schema = {"type": "boolean"}
_PLAIN: Mapping[Any, Schema] = {
    Any: {},
    str: _TEXT,
    bool: _FLAG,
    int: {"type": "integer"},
    float: {"type": "number"},
    type(None): {"type": "null"},
}
_FULLEST = "GpuWorkload"
"""The part whose arguments most other parts have too."""


def schema_text() -> str:
    """The schema as JSON."""
    return json.dumps(cluster_schema(), indent=1) + "\n"


def cluster_schema() -> Schema:
    """The schema of a cluster file."""
    definitions: dict[str, Schema] = {}
    request: dict[str, Schema] = {name: {"type": "integer"} if name == "gpus" else _TEXT for name in GpuRequest._fields}
    docs = construct_docs(REQUEST_GPUS)
    request["workload"] = _kubernetes_object()
    request[CONTAINERS] = {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": _optional(_closed({name: request[name] for name in OF_A_CONTAINER}, [], docs)),
    }
    own_docs = {name: KEY_DOCS[name] for name in ("workload", CONTAINERS)}
    constructs = {
        **{name: _optional(_part(name, definitions)) for name in PART_NAMES},
        OBJECT: _kubernetes_object(),
        REQUEST_GPUS: _closed({name: request[name] for name in KEYS}, ["workload"], {**docs, **own_docs}),
    }
    summaries = {name: summary_of(part_of(name).settings, name) for name in PART_NAMES}
    construct = {**_closed(constructs, [], {**KEY_DOCS, **summaries}), "minProperties": 1, "maxProperties": 1}
    chart = _closed(dict(zip(CHART_KEYS, (_TEXT, _FLAG, {"type": "object", "additionalProperties": construct}), strict=True)), ["objects"])
    cluster: dict[str, Schema] = {
        "name": _TEXT,
        "talos": _TEXT,
        "nodes": {"type": "object", "additionalProperties": _optional({"$ref": "#/$defs/node"})},
        "stack": {"anyOf": [*_of_class(Stack, definitions), {"$ref": "#/$defs/GpuStack"}]},
        "gitops": _type(Gitops, definitions),
        "control_plane": _of_control_plane(definitions),
        "workloads": {"type": "object", "additionalProperties": {"$ref": "#/$defs/workload"}},
        "charts": {"type": "object", "additionalProperties": {"$ref": "#/$defs/chart"}},
    }
    # What a cluster says may be a part of a chart or a workload, which the common part completes.
    parts = ("charts", "workloads", "stack")
    own = {key: {} if key in parts else schema for key, schema in cluster.items() if key != "name"}
    clusters = {"type": "object", "additionalProperties": _optional(_closed(own, []))}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Clusters for talos-gpu synth",
        **_closed({**{key: cluster[key] for key in OF_A_CLUSTER}, "clusters": clusters, "delivery": _delivery(definitions)}, []),
        "$defs": {
            "node": _node(definitions),
            "workload": _workload(definitions),
            "chart": chart,
            **dict(sorted(definitions.items())),
        },
    }


def _part(name: str, definitions: dict[str, Schema]) -> Schema:
    if name not in definitions:
        part = part_of(name)
        definitions[name] = {}
        definitions[name] = _arguments(part.settings, definitions, name, free={"nodes", *part.defaults})
        if name != _FULLEST:
            _part(_FULLEST, definitions)
            _share(definitions[name]["properties"], definitions[_FULLEST]["properties"])
    return {"$ref": f"#/$defs/{name}"}


def _share(properties: dict[str, Schema], known: Mapping[str, Schema]) -> None:
    """Refer to the arguments of a workload, which most parts have, in place of repeating them. An argument may have
    other words about it."""
    for name, schema in properties.items():
        reference = {"$ref": f"#/$defs/{_FULLEST}/properties/{name}"}
        same = known.get(name, {})
        reference = _described(reference, "" if _words(same) == _words(schema) else _words(schema))
        if _described(same, "") == _described(schema, "") and len(str(schema)) > len(str(reference)):
            properties[name] = reference


def _arguments(owner: Any, definitions: dict[str, Schema], construct: str = "", *, free: Iterable[str] = ()) -> Schema:
    """A closed mapping of the arguments of a class, or of a construct. `free` holds those that the file gives where
    they are left out."""
    arguments = arguments_of(owner)
    required = [name for name, each in arguments.items() if each.is_required and name not in free]
    docs = argument_docs(owner, construct)
    return _closed({name: _type(each.hint, definitions) for name, each in arguments.items()}, required, docs)


def _type(hint: Any, definitions: dict[str, Schema]) -> Schema:
    """The schema of an argument's type."""
    found: list[Schema] = []
    kinds = list(alternatives(hint))
    if any(isinstance(each, type) and issubclass(each, Choice) for each in kinds):
        kinds = [each for each in kinds if each is not str]  # the words of the choice are the only texts
    for each in kinds:
        for schema in _alternative(each, definitions):
            if schema == {}:
                return {}
            if schema not in found:
                found.append(schema)
    return found[0] if len(found) == 1 else {"anyOf": found}


def _alternative(kind: Any, definitions: dict[str, Schema]) -> Iterable[Schema]:
    if kind in _PLAIN:
        return [_PLAIN[kind]]
    if isinstance(kind, type):
        return _of_class(kind, definitions)
    origin, inner = get_origin(kind), get_args(kind)
    if origin is Literal:
        return [{"enum": list(inner)}]
    if origin is Mapping:
        return [{"type": "object", "additionalProperties": _type(inner[1], definitions)}]
    return [{"type": "array", "items": _type(inner[0], definitions)}] if origin in (Iterable, tuple) else [{}]


def _of_class(kind: type, definitions: dict[str, Schema]) -> Iterable[Schema]:
    if kind is GpuNodes:
        return [_TEXT]
    if issubclass(kind, WorkloadSettings):
        return [_TEXT, _closed({WORKLOAD: _TEXT}, [WORKLOAD])]
    if issubclass(kind, Choice):
        return [{"enum": [str(member) for member in kind]}]
    values = [_closed({name: _value(each, definitions)}, [name], {name: summary_of(each)}) for name, each in value_classes(kind).items()]
    return [*values, _TEXT] if kind is Taint else values or [_TEXT]


def _value(kind: Any, definitions: dict[str, Schema]) -> Schema:
    """A value: a mapping of its arguments, or its first argument."""
    name = kind.__name__
    if name not in definitions:
        definitions[name] = {}
        arguments = arguments_of(kind)
        first = next((each for each in arguments.values() if each.is_positional), None)
        short = [] if first is None else [_type(first.hint, definitions)]
        nothing = [] if any(each.is_required for each in arguments.values()) else [_PLAIN[type(None)]]
        definitions[name] = {"anyOf": [_arguments(kind, definitions), *short, *nothing]}
    return {"$ref": f"#/$defs/{name}"}


def _node(definitions: dict[str, Schema]) -> Schema:
    """A node or a class of nodes: the words for `GpuNodes`, and what the class says about its image."""
    arguments = _arguments(GpuNodes, definitions)["properties"]
    notation: dict[str, Schema] = {"taints": {"type": "array", "items": _TEXT}, "sharing": _optional(_sharing())}
    for name in ("dra", "passthrough"):
        classes = value_classes(arguments_of(GpuNodes)[name].hint)
        notation[name] = _optional(_arguments(next(iter(classes.values())), definitions))
    places = {ADDRESS: _TEXT, ADDRESSES: {"type": "array", "items": _TEXT}, TALOS_FILES: _FLAG}
    machine = {name: _talos_key(name, definitions) for name in OF_THE_MACHINE}
    known = {**{name: notation.get(name) or arguments.get(WORDS.get(name, name)) for name in CLASS_KEYS}, **places, **machine}
    docs = {**_talos_docs(), **argument_docs(GpuNodes), **KEY_DOCS, "name": _NAME}
    for word, argument in WORDS.items():
        docs = {name: words.replace(f"`{argument}`", f"`{word}`") for name, words in docs.items()}
    return _closed(known, [], docs)


def _sharing() -> Schema:
    """The ways of sharing: a number of pods, or the arguments."""
    kinds = {"time_slicing": TimeSlicing, "mps": Mps}
    docs = {name: summary_of(kind) for name, kind in kinds.items()}
    ways: Schema = {"anyOf": [_PLAIN[int], _OBJECT]}
    return {**_closed(dict.fromkeys(kinds, ways), [], docs), "maxProperties": 1}


def _workload(definitions: dict[str, Schema]) -> Schema:
    """A workload: its recipe, and the arguments of the recipe."""
    beside = {name: _beside(name, definitions) for name in BESIDE_A_WORKLOAD}
    for name in RECIPES:
        definitions[name]["properties"] |= {RECIPE: _described({"const": name}, KEY_DOCS[RECIPE]), **beside}
    chosen = [_when({"properties": {RECIPE: {"const": name}}, "required": [RECIPE]}, name) for name in RECIPES]
    own = _when({"not": {"required": [RECIPE]}}, _FULLEST)
    return {"type": "object", "properties": {RECIPE: {"enum": [*RECIPES]}}, "allOf": [*chosen, own]}


def _beside(name: str, definitions: dict[str, Schema]) -> Schema:
    """A part beside the workload in which it is written, which it need not name."""
    properties = {each: {"$ref": f"#/$defs/{name}/properties/{each}"} for each in definitions[name]["properties"] if each != "workload"}
    required = [each for each in definitions[name].get("required", []) if each != "workload"]
    definitions[f"{name}-of-a-workload"] = _optional(_closed(properties, required, {}))
    return _described({"$ref": f"#/$defs/{name}-of-a-workload"}, summary_of(part_of(name).settings, name))


def _when(condition: Schema, name: str) -> Schema:
    return {"if": condition, "then": {"$ref": f"#/$defs/{name}"}}


def _talos_key(name: str, definitions: dict[str, Schema]) -> Schema:
    if name == "omni":
        return _arguments(OmniTarget, definitions)
    if name == "talconfig":
        docs = {**KEY_DOCS, **argument_sentences(merge_into_talconfig.__doc__)}
        return _closed(dict(zip(OF_TALCONFIG, (_TEXT, {"type": "array", "items": _TEXT}), strict=True)), ["file"], docs)
    for owner in (Schematic, MachineConfigPatch):
        if name in arguments_of(owner):
            return _type(arguments_of(owner)[name].hint, definitions)
    return _FLAG if name == "secureboot" else _TEXT


def _talos_docs() -> dict[str, str]:
    return {**KEY_DOCS, **argument_docs(MachineConfigPatch), **argument_docs(Schematic), "omni": summary_of(OmniTarget)}


def _of_control_plane(definitions: dict[str, Schema]) -> Schema:
    arguments = _arguments(ControlPlanePatch, definitions)["properties"]
    return _closed({name: arguments[name] for name in OF_CONTROL_PLANE}, [], argument_docs(ControlPlanePatch))


def _delivery(definitions: dict[str, Schema]) -> Schema:
    """The engines that deliver the clusters' folders."""
    docs = {name: summary_of(kind) for name, kind in ENGINES.items()}
    return {**_closed({name: _arguments(kind, definitions) for name, kind in ENGINES.items()}, [], docs), "minProperties": 1}


def _closed(properties: Mapping[str, Schema], required: list[str], docs: Mapping[str, str] = KEY_DOCS) -> Schema:
    return {**_open(properties, required, docs), "additionalProperties": False}


def _open(properties: Mapping[str, Schema], required: list[str], docs: Mapping[str, str]) -> Schema:
    described = {name: _described(each, docs.get(name, "")) for name, each in properties.items()}
    schema: Schema = {"type": "object", "properties": described}
    return {**schema, "required": required} if required else schema


def _described(schema: Schema, words: str) -> Schema:
    """A schema with other words about it, or with none."""
    rest = {key: value for key, value in schema.items() if key != "description"}
    return {"description": words, **rest} if words else rest


def _words(schema: Schema) -> str:
    words: str = schema.get("description", "")
    return words


def _optional(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _kubernetes_object() -> Schema:
    fields = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": _open({"name": _TEXT}, ["name"], NAME_DOCS)}
    return _open(fields, list(fields), KEY_DOCS)
