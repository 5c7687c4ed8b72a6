"""The ports of `GpuWorkload`, and the ports of its probes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from ...arguments.errors import Phrase, wrong, wrong_kind
from ...arguments.plain_values import mapping, whole_number

if TYPE_CHECKING:
    from .container_values import Probe

_PORT_NAME = r"(?=.{1,15}$)(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*"
_RULE = "a whole number from 1 to 65535, or a string such as '8555/udp'"


class Port(NamedTuple):
    """A port that the container serves."""

    number: int
    protocol: str

    @property
    def fields(self) -> dict[str, str]:
        """The field `protocol` of the port; TCP is Kubernetes' default."""
        return {} if self.protocol == "TCP" else {"protocol": self.protocol}


def port_of(value: int | str) -> Port:
    """A checked port, such as 80 or "8555/udp"."""
    if isinstance(value, int):
        return Port(value, "TCP")
    number, _, protocol = value.partition("/")
    return Port(int(number), protocol.upper())


def to_ports(value: int | str | Mapping[str, int | str] | None, argument: str = "") -> Mapping[str, int | str] | None:
    """The ports by name; a TCP port is a number, and a UDP port a string such as "8555/udp"."""
    if value is None:
        return None
    _refuse_list(argument, value)
    if not isinstance(value, Mapping):
        port = _checked(argument, value)
        if isinstance(port, str):
            raise wrong(argument, "a mapping of names to ports where a port is for UDP", value, f"did you mean {{'udp': {port!r}}}?")
        return MappingProxyType({"http": port})
    ports = mapping(argument, value, "a port, or a mapping of names to ports")
    for name, number in ports.items():
        if not re.fullmatch(_PORT_NAME, name):
            raise wrong(argument, "named by at most 15 lower-case letters, digits and '-'", name)
        ports[name] = _checked(f"{argument}[{name}]", number)
    if not ports or len(set(ports.values())) < len(ports):
        raise wrong(argument, "at least one port, each once", value)
    return MappingProxyType(ports)


_LARGEST = 65535


def _refuse_list(argument: str, value: object) -> None:
    if isinstance(value, list | tuple):
        raise wrong_kind(argument, "a port, or a mapping of names to ports", value, _ports_meant(value))


def _ports_meant(items: Iterable[object]) -> str | Phrase:
    """The ports of a list, as Docker Compose and Kubernetes have them."""
    from ...arguments.meant import meant, number_meant  # deferred: only an error needs it

    found: dict[str, int] = {}
    for number, each in enumerate(items):
        fields = each if isinstance(each, Mapping) else {"containerPort": each}
        port = number_meant(fields.get("containerPort"))
        written = fields.get("name")
        name = written if isinstance(written, str) else f"port-{port}" if number else "http"
        if port is None or not 1 <= port <= _LARGEST or name in found or port in found.values() or fields.get("protocol", "TCP") != "TCP":
            return ""
        found[name] = port
    return meant(found["http"] if [*found] == ["http"] else found) if found else ""


def _checked(argument: str, value: object) -> int | str:
    if not isinstance(value, str):
        return whole_number(argument, value, 1, _LARGEST)
    found = re.fullmatch(r"([0-9]{1,9})(/.*)?", value, re.DOTALL)
    if not found:
        raise wrong_kind(argument, _RULE, value)
    number, protocol = int(found[1]), found[2] or ""
    if not protocol:
        raise wrong_kind(argument, _RULE, value, f"did you mean {number}?")
    if protocol.lower() not in ("/tcp", "/udp"):
        raise wrong(argument, "a port of 'tcp' or 'udp'", value)
    whole_number(argument, number, 1, _LARGEST)
    return number if protocol.lower() == "/tcp" else f"{number}/udp"


def server_first(ports: Mapping[str, int | str]) -> Mapping[str, int | str]:
    """The ports with that of the server first, which the probes use: `http`, else the first TCP port."""
    return MappingProxyType(dict(sorted(ports.items(), key=lambda each: (port_of(each[1]).protocol != "TCP", each[0] != "http"))))


def probe_port(ports: Mapping[str, Port]) -> str | None:
    """The name of the port that a probe without a port uses: the first TCP port."""
    return next((name for name, port in ports.items() if port.protocol == "TCP"), None)


def check_probes(ports: Mapping[str, Port], probes: Mapping[str, Probe | None]) -> None:
    """Refuse a probe of a UDP port, which Kubernetes does not have; a probe of such a port would try TCP and fail."""
    tcp = {port.number for port in ports.values() if port.protocol == "TCP"}
    udp = {port.number for port in ports.values() if port.protocol == "UDP"}
    for name, probe in probes.items():
        target: Any = getattr(probe, "port", "none")
        if target in udp - tcp or (target is None and udp and not tcp):
            ports_word = "this port" if target else "its ports"
            hint = f"'port' has {ports_word} for UDP alone, and Kubernetes has no UDP probe"
            raise wrong(name, "of a TCP port", target, hint)
