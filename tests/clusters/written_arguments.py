"""Python arguments in the notation of a cluster file."""

import attrs

from constructs_lib import GpuNodes, Mps, Taint
from constructs_lib.upstream.choice import Choice


def written(value):
    """A value as a file writes it: `{Persistent: {size: 100Gi}}`."""
    if isinstance(value, GpuNodes):
        return value.name
    if isinstance(value, Choice):
        return str(value)
    if attrs.has(type(value)):
        return {type(value).__name__: {name: written(each) for name, each in given(value).items()}}
    if hasattr(value, "items"):
        return {key: written(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [written(each) for each in value]
    return value


def given(value):
    """The arguments of a value that differ from their defaults."""
    found = {field.alias: getattr(value, field.name) for field in attrs.fields(type(value)) if field.init}
    defaults = {field.alias: field.default for field in attrs.fields(type(value))}
    return {name: each for name, each in found.items() if each not in (defaults[name], None, ())}


def written_nodes(nodes):
    """A class of nodes as the nodes file writes it."""
    arguments = {name: each for name, each in given(nodes).items() if each != {}}
    taints = [_taint(each) for each in arguments.pop("taints", ())]
    for name in ("dra", "passthrough"):
        if name in arguments:
            arguments[name] = {key: written(each) for key, each in given(arguments[name]).items()}
    if "sharing" in arguments:
        kind = "mps" if isinstance(nodes.sharing, Mps) else "time_slicing"
        arguments["sharing"] = {kind: {key: written(each) for key, each in given(nodes.sharing).items()}}
    return {
        **{name: written(each) for name, each in arguments.items()},
        "talos_version": str(nodes.talos_version),
        **({"taints": taints} if taints else {}),
    }


def _taint(taint: Taint) -> str:
    return f"{taint.key}{'' if taint.value is None else f'={taint.value}'}:{taint.effect}"


def classes_in(arguments):
    """The classes of nodes among the arguments."""
    found = [
        each
        for value in arguments.values()
        for each in (value if isinstance(value, list | tuple) else [value])
        if isinstance(each, GpuNodes)
    ]
    return list(dict.fromkeys(found))


def file_of(name, arguments, *, id="made", namespace=None):  # noqa: A002
    """The description of a cluster with one construct."""
    classes = classes_in(arguments)
    nodes = [written_nodes(each) for each in classes] or [{"talos_version": "1.14"}]
    construct = {name: {key: written(value) for key, value in arguments.items()}}
    if len(classes) == 1 and classes[0].name is None:
        construct[name]["nodes"] = "*"
    chart = {"objects": {id: construct}, **({"namespace": namespace} if namespace else {})}
    return {"nodes": nodes[0] if len(nodes) == 1 else nodes, "charts": {"chart": chart}}
