"""Checks of host names, and of the paths below them."""

from __future__ import annotations

import ipaddress
import re

from .errors import wrong
from .plain_values import text

_RULE = "a host name such as 'chat.example.com' or '*.example.com'"
_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_LONGEST = 253
# The parts that the Gateway API refuses in a path (HTTPPathMatch of its CRDs).
_NOT_IN_PATHS = ("//", "/./", "/../", "%2f", "%2F", "#", "?")


def host_name(argument: str, value: object) -> str:
    """A host name as HTTPRoute and Ingress take it: lower case, without a scheme, a port or a path; `*` only as the whole first label."""
    name = text(argument, value, _RULE)
    plain = re.sub(r"^[a-z]+://", "", name.lower()).partition("/")[0]
    if not plain.startswith("[") and plain.count(":") == 1:
        plain = plain.partition(":")[0]
    if _is_address(plain.strip("[]")):
        raise wrong(argument, _RULE, name, "routes match the host name of a request, and an IP address is none")
    if not _is_host_name(name):
        raise wrong(argument, _RULE, name, f"did you mean '{plain}'?" if plain != name and _is_host_name(plain) else "")
    return name


def url_path(argument: str, value: object) -> str:
    """The path of requests, from its first '/' on."""
    rule = "a path such as '/' or '/api'"
    path = text(argument, value, rule)
    if not path.startswith("/") or re.search(r"\s", path) or any(part in path for part in _NOT_IN_PATHS) or path.endswith(("/.", "/..")):
        raise wrong(argument, rule, path, f"did you mean '/{path}'?" if re.fullmatch(r"[-\w]+(/[-\w]+)*", path) else "")
    return path


def _is_host_name(name: str) -> bool:
    labels = name.removeprefix("*.").split(".")
    return len(name) <= _LONGEST and all(re.fullmatch(_LABEL, label) for label in labels)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
