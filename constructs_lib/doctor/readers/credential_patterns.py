"""The patterns of credentials in a text.

Nothing is required after a part of any length. A search so takes each character a limited number of times, and a long line does not stop the reader.
"""

from __future__ import annotations

import re

from ...checks.secret_values import HIDDEN
from ..credential_words import INNER_WORDS, LAST_WORDS, MAKERS

_SHOWN = rf"(?!{re.escape(HIDDEN)})"
"""A value that is not hidden yet."""
_VALUE = rf"""{_SHOWN}(?:(?<=")[^"\\]+|(?<=')[^'\\]+|(?!["'\s,}}\[{{\\])[^\s"',}}&;\\]+)"""
"""A value: up to its closing quote, or else one word."""
_GAP = r"[ \t]{0,8}"
_NAME = rf"(?:(?:{INNER_WORDS})[\w.-]{{0,64}}|{LAST_WORDS})"
_QUOTE = r"""\\{0,4}["']?"""
_TOLD_NAME = r"(?:token|secret|credential)[\w.-]{0,64}"
"""Names that a sentence may have before a colon: `token: unexpected status`."""
_SPACED_NAME = r"passwords?|passwd|passphrase|\w{1,64}[_-](?:secret|token|key)|[a-z]{2,16}key"
_PROSE = (
    "(?:(?:authentication|authorization|and|as|auth|was|were|is|are|for|from|field|file|flag|expired|exists?|failed|hash|has|have|in|incorrect|invalid|"
    "may|mismatch|missing|must|not|of|on|or|policy|prompt|reset|required|rotation|should|that|to|type|value|verification|with|wrong)"
    r"(?![\w-]))"
)
"""The words that follow the word password in a sentence."""

SHAPES = re.compile(
    rf"""\b(?:{MAKERS})[\w.-]{{12,}}
    |\b(?i:bearer)\ [\w.~+/-]{{12,}}=*
    |\b[Bb]asic\ (?=[A-Za-z0-9+/][a-z]{{0,64}}[A-Z0-9+/=])[\w+/]{{8,}}=*
    |(?<=://)[^\s/@"']{{1,512}}(?=@)
    |(?<![\w.-])[a-z0-9]{{6}}\.[a-z0-9]{{16}}(?![\w.-])
    |-----BEGIN\ [A-Z ]{{0,40}}PRIVATE\ KEY-----(?:(?!-----END)[\s\S])*(?:-----END\ [A-Z ]{{0,40}}PRIVATE\ KEY-----)?""",
    re.VERBOSE,
)
"""Tokens, Base64 of user and password, the user of a URL, bootstrap tokens, and private keys."""

ASSIGNED = (
    re.compile(
        rf"""(authorization{_QUOTE}{_GAP}[:=]{_GAP}{_QUOTE}(?:(?:basic|bearer|digest|negotiate|token)[ ]{{1,8}})?+){_SHOWN}[^\s"',}}\\]+""",
        re.IGNORECASE,
    ),
    re.compile(rf"({_NAME}{_QUOTE}{_GAP}={_GAP}{_QUOTE}){_VALUE}", re.IGNORECASE),
    re.compile(rf"({_TOLD_NAME}{_QUOTE}{_GAP}:{_GAP}{_QUOTE})(?!(?-i:[a-z]{{1,64}} [a-z])){_VALUE}", re.IGNORECASE),
    re.compile(rf"((?!{_TOLD_NAME}{_QUOTE}{_GAP}:){_NAME}{_QUOTE}{_GAP}:{_GAP}{_QUOTE})(?!{_PROSE}){_VALUE}", re.IGNORECASE),
    re.compile(
        rf"""((?<![\w-])--?[\w.-]{{0,64}}?{_NAME}{_GAP} |(?<![\w-])(?:{_SPACED_NAME}) {_GAP})(?!-|{_PROSE}){_VALUE}""", re.IGNORECASE
    ),
    re.compile(rf"((?<![A-Za-z])[A-Z_]{{0,64}}(?:PASS|PWD) {_GAP}){_VALUE}"),
    re.compile(
        rf"((?:mysql|mariadb)[^\n|;&]{{0,200}}?[\s\"'\\]-p|sshpass\s-p{_GAP}|\s-p (?=[A-Za-z]{{1,64}}\d)|redis-cli[^\n|;&]{{0,200}}?\s-a |\s(?:-u|--user)[ =][^\s:@]{{1,64}}:){_VALUE}"
    ),
)
"""What stands before a value, in a group, and the value."""
