"""The names in free text, such as a line of a log that nobody explains: hosts, accounts, and objects in the form of klog."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ..arguments.patterns import pattern

_BREAK = r"(?:<!-- -->)?"
"""What Markdown has behind an @, so that GitHub sends no mail."""
ACCOUNT = pattern(
    rf"(?<![\w.+%-])[\w.+%-]+@(?!sha\d{{3}}:|v?\d+\.\d){_BREAK}[A-Za-z0-9_](?:[\w-]|\.(?=\w))*"  # not a digest, not the release of a module
    r"|(?<=://)[^\s/@:\"'<>]+(?=@|:\(a secret value\)@)"  # the user of an address; a password is hidden already
    r"|(?<=/home/)[\w.-]+|(?<=/Users/)[\w.-]+"
)
"""An address of a mail, a login, the user of a URL or a folder."""
PUBLIC_KEY = pattern(r"(?<=ssh-rsa )AAAA[\w+/=\\-]+|(?<=ssh-ed25519 )AAAA[\w+/=\\-]+|(?<=ecdsa-sha2-nistp256 )AAAA[\w+/=\\-]+")

_SYSLOG = pattern(
    r"(?:\b[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\b\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)) (?P<host>[A-Za-z0-9][\w.-]*) (?=[\w./-]+(?:\[\d+\])?: )"
)
"""The head of a line of syslog and journald: RFC 3164, 3; RFC 5424, 6."""
_LOGIN = pattern(rf"(?<![\w.+%-])[\w.+%-]+@(?!sha\d{{3}}:){_BREAK}(?P<host>[A-Za-z][\w-]*\d[\w-]*|[A-Za-z][\w]*-[\w-]*)(?![\w.])")
_CLOUD = pattern(r"\b(?P<host>ip-\d{1,3}-\d{1,3}-\d{1,3}-\d{1,3}|i-[0-9a-f]{8,17}|aks-[a-z0-9]+-\d+-vmss\w+|gke-[\w-]+-[\w-]+)\b")
"""Hosts as clouds name them."""
_NAME = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?"
_KEYED = pattern(
    r"\b(?:(?:node|node_name|host)\\?[\"']?\s?[=:]|(?:server|peer)=)\s?\\?[\"']?(?P<host>[a-z0-9][a-z0-9.]*(?:-[a-z0-9.-]*)[a-z0-9]|[a-z]+\d+)\b",
    re.IGNORECASE,
)
_SAID = r"(?!(?:an?|cannot|empty|error|failed|false|has|invalid|is|label|must|nil|no|none|not|null|the|true|unknown)\b)"
"""A word that begins what a program says about a field."""
_FIELD = pattern(
    rf"\b(?:(?P<node>(?i:nodename|hostname))|(?P<namespace>(?i:namespace)))\\?[\"']?\s?[=:]\s?\\?[\"']?{_SAID}(?P<name>{_NAME})(?![\w/-])"
)
_LOOKUP = pattern(r"\blookup (?P<host>[a-z0-9][\w-]*)(?= on |: )")
_OF_API = pattern(rf"\b(?P<kind>node|pod|namespace)s? \\?[\"'](?P<name>{_NAME})\\?[\"']")
"""An object in the words of the API server: nodes "gpu-1" not found (k8s.io/apimachinery pkg/api/errors)."""
_KIND = r"\b(?P<kind>pod|claim|podref|object)s?\\?[\"']?"
_OBJECT = pattern(rf"{_KIND}(?:=\\?[\"']?|(?:: ?| )\\?[\"'])(?P<namespace>[a-z0-9][a-z0-9-]*)/(?P<name>{_NAME})(?![\w-])")
"""An object in the form of klog (k8s.io/klog, KObj)."""
_PLAIN_OBJECT = pattern(rf"{_KIND}(?:: ?| )(?P<namespace>[a-z0-9]+-[a-z0-9-]*)/(?P<name>[a-z0-9.]+-{_NAME})(?![\w-])")
"""An object without quotes. Ordinary words about a pod, such as and/or, have no hyphen on both sides."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TextName:
    """A name at its place in a text, with the word for its pseudonym."""

    start: int
    end: int
    kind: str
    name: str


def names_in(text: str) -> list[TextName]:
    """The names, in their order, without those that overlap. Elsewhere in the text the same word may be an ordinary one."""
    found = sorted(_names_in(text), key=lambda each: (each.start, -each.end))
    return [each for before, each in zip((None, *found), found, strict=False) if before is None or each.start >= before.end]


def hosts_in(text: str) -> Iterator[str]:
    """The hosts that are no ordinary words wherever they stand: of the forms that only hosts have, with a hyphen and a digit."""
    for form in (_SYSLOG, _LOGIN, _CLOUD):
        yield from (host for found in form.finditer(text) if "-" in (host := found["host"]) and re.search(r"\d", host))


def _names_in(text: str) -> Iterator[TextName]:
    for form in (_SYSLOG, _CLOUD, _KEYED, _LOOKUP):
        yield from (_at(found, "host", "node") for found in form.finditer(text))
    yield from (_at(found, "name", "node" if found["node"] else "namespace") for found in _FIELD.finditer(text))
    yield from (_at(found, "name", found["kind"]) for found in _OF_API.finditer(text))
    for form in (_OBJECT, _PLAIN_OBJECT):
        for found in form.finditer(text):
            yield _at(found, "namespace", "namespace")
            yield _at(found, "name", "claim" if found["kind"] == "claim" else "pod")


def _at(found: re.Match[str], group: str, kind: str) -> TextName:
    return TextName(start=found.start(group), end=found.end(group), kind=kind, name=found[group])
