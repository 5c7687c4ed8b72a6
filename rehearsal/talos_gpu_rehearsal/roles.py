"""The roles of the stand-in: what each container that the manifests name does, once a program of ours runs in place
of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from constructs_lib.observed.model import at, known_str, mappings
from constructs_lib.observed.pods.pod_templates import Container
from constructs_lib.upstream.nvidia.agent_programs import SHELLS

PROBES = ("startupProbe", "livenessProbe", "readinessProbe")
_HOOKS = (("lifecycle", "postStart"), ("lifecycle", "preStop"))
_COMMAND = re.compile(
    r"(?:^|[;|&({!]|\$\()\s*"  # the begin of a command
    r"(?:(?:do|then|else|exec|if|until|while|elif|!|\{)\s+|\w+=\S*\s+)*"  # the words of the shell before it
    r"([A-Za-z_/][\w./-]*)(?![\w./=(-])",
    re.MULTILINE,
)
"""The place of a command's name in a shell script. A word too many is a program that nobody calls."""
_OF_THE_SHELL = frozenset(
    [
        "if",
        "then",
        "else",
        "elif",
        "fi",
        "for",
        "in",
        "do",
        "done",
        "while",
        "until",
        "case",
        "esac",
        "echo",
        "printf",
        "test",
        "trap",
        "exit",
        "exec",
        "export",
        "set",
        "cd",
        "read",
        "shift",
        "return",
        "local",
        "wait",
        "eval",
        "unset",
    ]
)


@dataclass(frozen=True, kw_only=True)
class Role:
    """What one command does: it serves ports until SIGTERM, or ends."""

    words: tuple[str, ...]
    """Command and arguments of the container; the arguments alone, where the image's entry point is the command."""
    ports: tuple[int, ...] = ()
    ends: bool = False
    has_command: bool = True
    """Whether the first word is a program, and no argument of the image's entry point."""


def roles_of(container: Container, *, passes: bool) -> Iterator[Role]:
    """The roles of a container: its own command, and the commands of its probes and hooks, which end.

    Args:
        container: The container.
        passes: Whether its pod ends, as that of a Job does.
    """
    ends = (passes or container.init) and not container.is_sidecar
    command = _list(at(container.body, "command"))
    words = (*command, *_list(at(container.body, "args")))
    yield Role(words=words, ports=() if ends else ports_of(container), ends=ends, has_command=bool(command))
    for command in _asked_commands(container):
        yield Role(words=command, ends=True)


def joined(roles: Iterable[Role]) -> tuple[Role, ...]:
    """The roles of one image: containers with the same words have their ports together, and serve if one of them
    does."""
    by_words: dict[tuple[str, ...], Role] = {}
    for role in roles:
        other = by_words.get(role.words, role)
        ports = tuple(sorted({*other.ports, *role.ports}))
        by_words[role.words] = replace(role, ports=ports, ends=other.ends and role.ends, has_command=other.has_command or role.has_command)
    return tuple(by_words.values())


def ports_of(container: Container) -> tuple[int, ...]:
    """The TCP ports that a container names, and those that its probes ask."""
    named: dict[str, int] = {}
    ports: set[int] = set()
    for _, port in mappings(at(container.body, "ports")):
        number = at(port, "containerPort")
        if isinstance(number, int) and (known_str(at(port, "protocol")) or "TCP") == "TCP":
            ports.add(number)
            named[known_str(at(port, "name")) or ""] = number
    for probe in PROBES:
        for action in ("httpGet", "tcpSocket", "grpc"):
            asked = at(container.body, probe, action, "port")
            ports |= {asked} if isinstance(asked, int) else {named[asked]} if asked in named else set()
    return tuple(sorted(ports))


def programs_of(roles: Iterable[Role]) -> tuple[str, ...]:
    """The names and paths of the programs that roles start: the first word of each, and the commands of its scripts."""
    found: list[str] = []
    for role in roles:
        found += role.words[:1] if role.has_command else ()
        if role.words and PurePosixPath(role.words[0]).name in SHELLS:
            found += [each for word in role.words[1:] for each in _COMMAND.findall(word)]
    named = (each for each in found if re.fullmatch(r"/?[A-Za-z_][\w./+-]*", each) and each not in _OF_THE_SHELL)
    return tuple(dict.fromkeys(named))


def _asked_commands(container: Container) -> Iterator[tuple[str, ...]]:
    """The commands of the probes and hooks of a container."""
    for path in (*((probe,) for probe in PROBES), *_HOOKS):
        words = _list(at(container.body, *path, "exec", "command"))
        if words:
            yield words


def _list(value: Any) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else ()


def as_json(roles: Iterable[Role]) -> str:
    """The roles of an image as the text of stand-in.json."""
    return json.dumps([{"words": role.words, "ports": role.ports, "ends": role.ends} for role in roles], indent=1)
