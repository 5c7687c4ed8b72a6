"""The kind of agent that a container is: by its program, by the name that NVIDIA's charts give it, and by its image."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...upstream.charts.device_plugin_chart import KUBELET_SOCKETS
from ...upstream.charts.gpu_operator_chart import TOOLKIT_READY
from ...upstream.kubernetes.registries import split_reference
from ...upstream.nvidia.agent_programs import COMMANDS, CONTAINERS, IMAGE_PATHS, IMAGES, OTHER_VENDORS, SHELLS, AgentKind
from ...yaml.unknown import GAP
from ..images.image_fields import image_name
from ..model import Unknown, at, contains, equals, is_given, is_unknown, known_list, known_str, known_text, mappings

_OF_GPUS = r"(?i)gpu|nvidia|cuda|hami|volcano"
_STARTS = r"(?:^|[;&|\n(]|\b(?:exec|then|do|else)\b)\s*(?:\w+=\S*\s+|exec\s+)*([^\s;&|()<>]+)"
"""The program of each simple command in a script of a shell."""
_ENDS = tuple(f"/{end}" for end in IMAGE_PATHS)


def agent_kind(containers: Iterable[Mapping[str, Any]]) -> AgentKind | None:
    """The kind of the first container that surely is an agent; None for the containers of any other program."""
    return next((kinds[0] for each in containers if len(kinds := possible_kinds(each)) == 1 and kinds[0]), None)


def is_others_plugin(name: Any, spec: Mapping[str, Any]) -> bool:
    """Whether pods that are no known agent register GPUs with the kubelet, as their folder of sockets and their words
    tell, or may."""
    folders = [at(volume, "hostPath", "path") for _, volume in mappings(at(spec, "volumes"))]
    if all(equals(each.rstrip("/") if isinstance(each, str) else each, KUBELET_SOCKETS).is_no for each in folders):
        return False
    containers = [each for key in ("initContainers", "containers") for _, each in mappings(at(spec, key))]
    is_known = any(_is_of_another_vendor(each) for each in containers) or agent_kind(each for _, each in mappings(at(spec, "containers")))
    return not is_known and re.search(_OF_GPUS, f"{name} {containers}") is not None


def _is_of_another_vendor(container: Mapping[str, Any]) -> bool:
    words = f"{split_reference(known_text(at(container, 'image'))).path}/{known_str(at(container, 'name')) or ''}"
    return bool(OTHER_VENDORS.intersection(re.split(r"[/._-]", words.lower())))


def possible_kinds(container: Mapping[str, Any]) -> list[AgentKind | None]:
    """The kinds of agents that a container may be; one kind, or None alone, if its image and its command can be
    read."""
    command, args = at(container, "command"), at(container, "args")
    programs = [""] if command is None and args is None else _programs(command, args)
    for program in programs:
        if isinstance(program, str) and program in COMMANDS:
            kind = COMMANDS[program]
            return [None if kind is None or _is_of_another_vendor(container) else kind]
    if is_given(command) and isinstance(programs[0], str) and not _is_starter(programs[0]):
        return [None]  # another program of the image
    name = known_str(at(container, "name"))
    kinds = [CONTAINERS[name]] if name in CONTAINERS else _kinds_of_image(at(container, "image"))
    if kinds == [None]:
        is_bridge = TOOLKIT_READY in f"{command} {args}" and writes_marker(container)
        return [AgentKind.BRIDGE if is_bridge else None]
    if _is_of_another_vendor(container):
        return [None]
    if kinds[0] is None:
        return kinds
    unread = [kind for each, kind in COMMANDS.items() if any(is_unknown(program) and program.may_be(each) for program in programs)]
    return [*kinds, *unread]


def _kinds_of_image(image: Any) -> list[AgentKind | None]:
    """The agents that an image may run: one where its name can be read."""
    if isinstance(image, str):  # written out: there may be a hundred thousand containers
        path = f"/{split_reference(image).path}"
        name = path[path.rindex("/") :]
        for part, kind in IMAGES.items():
            if part in name:
                return [kind]
        return [IMAGE_PATHS[end[1:]] for end in _ENDS if path.endswith(end)] if path.endswith(_ENDS) else [None]
    last = image_name(image)
    answers = [(kind, contains(last, part)) for part, kind in IMAGES.items()]
    sure = next((kind for kind, is_it in answers if is_it.is_yes), None)
    if sure is not None:
        return [sure]
    possible = [kind for kind, is_it in answers if not is_it.is_no]
    return [None, AgentKind.MPS_DAEMON, *possible] if possible else [None]


def _programs(command: Any, args: Any) -> list[str | Unknown]:
    """The programs that a container starts, without their folders: its command, and behind a shell the programs of the
    script."""
    first, *rest = [*_words(command), *_words(args)] or [""]
    if is_unknown(first):
        return [first]
    program = _program(first)
    if not _is_starter(program):
        return [program]
    return [program, *(each for word in rest for each in ([word] if is_unknown(word) else map(_program, re.findall(_STARTS, str(word)))))]


def _words(value: Any) -> list[Any]:
    return [value] if is_unknown(value) else known_list(value)


def _program(word: Any) -> str:
    return str(word).rpartition("/")[2]


def _is_starter(program: str) -> bool:
    """Whether a program starts another one: a shell, or a script."""
    return program in SHELLS or program.endswith(".sh")


# A variable of the shell in a marker file's name, in a path of its folder, or as the command itself.
# The rest of a path has a bound, so that the search takes linear time in a file of strangers.
_VARIABLE_PATH = r"\$\{?\w+\}?-ready|nvidia/validations/?\S{0,200}\$|(?:^|[;&|]|\bexec|\bsource|\s\.)\s*[\w/.-]*\$\{?\w"
# Commands that create a file; the operator's own pods only wait for the marker file.
_WRITES = r"\b(touch|tee|ensure|mv|cp|install)\b|>(?!\s*(/dev/null|&))"


def writes_marker(container: Mapping[str, Any]) -> bool:
    """Whether a container creates `toolkit-ready`."""
    script = script_of(container)
    if TOOLKIT_READY not in script:
        return False
    commands = [command for command in re.split(r"&&|\|\|?|;|\n", script) if TOOLKIT_READY in command]
    # A loop names the files in one command and creates them in another.
    return any(re.search(_WRITES, script if re.match(r"\s*(do\s+)?for\b", command) else command) for command in commands)


def may_write_marker(container: Mapping[str, Any]) -> bool:
    """Whether a container creates `toolkit-ready`, or may: a part of its script is a variable of the shell or of
    another tool."""
    script = script_of(container)
    return TOOLKIT_READY in script or GAP in script or re.search(_VARIABLE_PATH, script) is not None


def may_run_command(container: Mapping[str, Any], command: str) -> bool:
    """Whether a container runs a command, or may: its command can't be read."""
    return any(text == GAP or command in text for text in strings([at(container, "command"), at(container, "args")]))


def script_of(container: Mapping[str, Any]) -> str:
    """The command and the arguments of a container, as one text."""
    return " ".join(strings([at(container, "command"), at(container, "args")])).replace("\\\n", " ")


def strings(value: Any) -> Iterator[str]:
    """Every text in a value; of an unknown text the known parts."""
    if isinstance(value, Mapping):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)
    elif text := known_text(value):
        yield text
