"""Classes of GPU nodes written down in a small YAML file, for people without a Python app; the command reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs

from .._arguments.errors import Refusal, wrong, wrong_kind
from .._arguments.keywords import check_keywords, named_arguments
from .._arguments.plain_values import instance, mapping
from .._arguments.spelling import did_you_mean
from .gpu_nodes import GpuNodes
from .sharing import Mps, TimeSlicing
from .taints import Taint

if TYPE_CHECKING:
    from .dra import Dra

_ARGUMENTS = [each.name for each in attrs.fields(GpuNodes)]
_SHARING: dict[str, type[TimeSlicing | Mps]] = {"time_slicing": TimeSlicing, "mps": Mps}


@named_arguments(text="it is what the file says")
def read_nodes(text: str) -> list[GpuNodes]:
    """The classes that a file describes: one mapping of the arguments of `GpuNodes`, or a list of such.

    Taints are written as kubectl writes them, `dra` by the arguments of `Dra`, and sharing by its kind:

        talos_version: "1.12.11"
        labels: {role: gpu}
        taints: ["dedicated=ai:NoSchedule"]
        sharing: {time_slicing: {replicas: 5}}

    Raises:
        TypeError, ValueError: As `GpuNodes` does, naming the class where there are several; `'nodes' must be …` for another file, a key that
            stands twice, and two classes of one name.

    Example:
        >>> read_nodes('talos_version: "1.14"')
        [GpuNodes(talos_version='1.14')]

    https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/
    """
    from yaml import YAMLError

    from .._arguments.kubernetes_yaml import complaint, documents, repeated_key

    instance("text", text, str, "the text of a file")
    rule = "YAML with the arguments of GpuNodes, or a list of such"
    try:
        found: list[Any] = list(documents(text))
    except YAMLError as error:
        raise wrong("nodes", rule, text[:40], complaint(error)) from None
    twice = repeated_key(text)
    if twice:
        raise wrong(
            "nodes", "YAML with each key once in its mapping", twice[0], f"it stands in line {twice[1]} and again in line {twice[2]}"
        )
    classes = found[0] if len(found) == 1 and isinstance(found[0], list) else found
    if not classes or not all(isinstance(each, Mapping) for each in classes):
        raise wrong_kind("nodes", rule, found, 'such as talos_version: "1.14"')
    if len(classes) == 1:
        return [_nodes(classes[0])]
    made = [_named(number, each) for number, each in enumerate(classes, 1)]
    names = [nodes.name for nodes in made if nodes.name]
    for name in names:
        if names.count(name) > 1:
            raise wrong("nodes", "classes of which each has another name", name, "two of them have this one")
    return made


def _named(number: int, given: Mapping[str, Any]) -> GpuNodes:
    try:
        return _nodes(given)
    except Refusal as error:
        raise error.noting(f"it is the class '{given.get('name', number)}'") from None


def _nodes(given: Mapping[str, Any]) -> GpuNodes:
    arguments = mapping("nodes", given)
    check_keywords("GpuNodes", _ARGUMENTS, arguments)
    if "taints" in arguments:
        taints = instance("taints", arguments["taints"], list, "a list of taints", "such as ['dedicated=ai:NoSchedule']")
        arguments["taints"] = [Taint.parse("taints", taint) for taint in taints]
    if arguments.get("sharing") is not None:
        arguments["sharing"] = _sharing(arguments["sharing"])
    if arguments.get("dra") is not None:
        arguments["dra"] = _dra(arguments["dra"])
    return GpuNodes(**arguments)


def _dra(given: object) -> Dra:
    from .dra import Dra  # only who has claims needs what they are

    known = [each.name for each in attrs.fields(Dra)]
    arguments = mapping("dra", given, "a mapping of the arguments of Dra, such as {share: claim}")
    for name in arguments:
        if name not in known:
            rule = "made of the arguments of Dra, " + ", ".join(f"'{each}'" for each in known)
            raise wrong("dra", rule, name, did_you_mean(name, known))
    return Dra(**arguments)


def _sharing(given: object) -> TimeSlicing | Mps:
    rule = "of one kind, such as {time_slicing: {replicas: 4}}"
    kinds = mapping("sharing", given, rule)
    if len(kinds) != 1:
        raise wrong("sharing", rule, given)
    ((kind, settings),) = kinds.items()
    if kind not in _SHARING:
        raise wrong("sharing", rule, kind, did_you_mean(kind, _SHARING))
    rule = f"a mapping of the arguments of {_SHARING[kind].__name__}, such as {{replicas: 4}}"
    return _SHARING[kind](**mapping(f"sharing[{kind}]", settings, rule))
