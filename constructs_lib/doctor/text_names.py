"""The names in free text, such as a line of a log that nobody explains: hosts, accounts, and objects in the form of klog."""

from __future__ import annotations

import re
from collections.abc import Iterator

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
_KEYED = pattern(
    r"\b(?:node|nodename|node_name|host|hostname|server|peer)\\?[\"']?\s?[=:]\s?\\?[\"']?(?P<host>[a-z0-9][a-z0-9.]*(?:-[a-z0-9.-]*)[a-z0-9]|[a-z]+\d+)\b",
    re.IGNORECASE,
)
_LOOKUP = pattern(r"\blookup (?P<host>[a-z0-9][\w-]*)(?= on |: )")
_OBJECT = pattern(
    r"\b(?P<kind>pod|claim|podref|object)s?\\?[\"']?(?:=|:\s?|\s)\\?[\"']?(?P<namespace>[a-z0-9][a-z0-9-]*)/(?P<name>[a-z0-9][a-z0-9.-]*[a-z0-9])\b"
)


def names_in(text: str) -> Iterator[tuple[str, str]]:
    """The names with the words for their pseudonyms."""
    for form in (_SYSLOG, _LOGIN, _CLOUD, _KEYED, _LOOKUP):
        yield from (("node", found["host"]) for found in form.finditer(text))
    for found in _OBJECT.finditer(text):
        yield "namespace", found["namespace"]
        yield ("claim" if found["kind"] == "claim" else "pod"), found["name"]
