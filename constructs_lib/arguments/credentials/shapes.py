r"""The shapes of credentials: tokens that name their maker, keys, addresses with a password, and flags. Names are in
`credential_names`.

Every pattern takes each character of a text a limited number of times, so that a line of any length costs time in
proportion to its length.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from ..patterns import pattern

MAKERS = (
    r"nvapi-|glpat-|gl(?:dt|ptt|rt|cbt|ft|soat|agent|imt|oas)-|gh[pousr]_|github_pat_|xox[abeprs]-|xapp-|ya29[.]|AIza|A[KS]IA|AGE-SECRET-KEY-1|"
    r"hv[sbr][.]|[srw](?:k|hsec)_(?:live|test)_|whsec_|tskey-|do[opr]_v1_|pypi-|dckr_pat_|shp(?:at|ss|ca)_|lin_api_|pplx-|tgp_v1_|sq0(?:atp|csp)-"
)
"""The first characters of tokens, which nothing else begins with."""

SHORT_MAKERS = r"hf_|sk-|eyJ|npm_|SG[.]|gsk_|r8_|xai-|fw_"
"""The first characters of tokens with which words begin as well: a digit or a capital letter must follow. `eyJ` starts
a JSON Web Token."""

_PEM = r"-----BEGIN[ ][A-Z0-9 ]{0,40}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----"
_PEM_END = r"-----END[ ][A-Z0-9 ]{0,40}PRIVATE[ ]KEY(?:[ ]BLOCK)?-----"
_SHAPES = pattern(
    rf"""(?<![A-Za-z0-9])(?:{MAKERS})[\w.+/=-]{{8,}}
    |(?<![A-Za-z0-9_])(?:{SHORT_MAKERS})(?=[a-z_.-]{{0,64}}[A-Z0-9])(?=[\w.-]{{12}})[\w.+/=-]+
    |\b(?i:bearer)[ ]{{1,4}}(?=[A-Za-z_.~+/-]{{0,64}}[0-9=_.~+/-])[\w.~+/-]{{12,}}=*
    |\b(?i:basic)[ ]{{1,4}}(?=[A-Za-z0-9+/][a-z]{{0,64}}[A-Z0-9+/=])[\w+/]{{8,}}=*
    |\bresponse=\\{{0,4}}["']?[0-9a-fA-F]{{32,64}}\b
    |(?<![\w.-])(?=[a-z]{{0,5}}[0-9])[a-z0-9]{{6}}\.(?=[a-z]{{0,15}}[0-9])[a-z0-9]{{16}}(?![\w.-])
    |(?i:token)[^\n]{{0,40}}?(?<![\w.-])[a-z0-9]{{6}}\.[a-z0-9]{{16}}(?![\w.-])
    |\$(?:1|2[abxy]|5|6|7|y|apr1|argon2\w{{1,2}})\$[\w./$,=+-]{{16,}}
    |(?<![\w:])[0-9]{{8,10}}:AA[\w-]{{33}}(?![\w-])
    |(?:hooks\.slack\.com/(?:services|workflows|triggers)|discord(?:app)?\.com/api/(?:v[0-9]+/)?webhooks|hooks\.zapier\.com/hooks/catch
        |\.webhook\.office\.com/webhookb2|\.logic\.azure\.com(?::443)?/workflows|hc-ping\.com|api\.telegram\.org/bot[0-9]*:?
        |maker\.ifttt\.com/trigger/\w{{1,64}}/with/key|/api/webhook)/?[\w-][^\s"'<>]*
    |{_PEM}(?:(?!-----END)[\s\S])*(?:{_PEM_END})?""",
    re.VERBOSE,
)
_USER = pattern(
    r"""(?P<scheme>[a-z]{1,5}://)(?P<user>[^\s/@:"'<>\\]{0,128})(?::(?![0-9]{1,5}/)(?P<password>[^\s@"'<>\\]{0,200}))?@
    |(?<![\w./@:-])(?P<login>[A-Za-z][\w.%+-]{0,63}):(?P<word>(?![0-9.]{1,20}@)[^\s:@/"'<>,=(){}\\]{3,128})@(?!sha(?:256|512):)(?=\w)""",
    re.VERBOSE | re.IGNORECASE,
)
_NO_LOGIN = pattern(
    "mailto|contact|e?mail|from|to|user|by|cc|sip|xmpp|acct|ssh|git|image|name|maintainer|author|support|help", re.IGNORECASE
)
"""Words before a colon and the address of a mail, not of a server."""
_TOKEN_SCHEMES = ("http://", "https://")

PROGRAMS = {
    "p": "mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mariadb-admin|sshpass|cqlsh|mongo|mongosh|mongodump|influx",
    "a": "redis-cli|valkey-cli|keydb-cli",
    "w": "ldapsearch|ldapadd|ldapmodify",
}
"""The programs whose flag of one letter has a password, by the letter."""
_ATTACHED = r"mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mariadb-admin|sshpass"
_LOGINS = r"(?:docker|podman|nerdctl|skopeo|buildah|oras|crane|helm|argocd|az|oc|vault|registry)\b[^\n|;&]{0,40}?\blogin"
_ARGUMENT = r"""["',\]]{0,3}\s{1,16}(?:-\s)?["'\\]{0,5}"""
_PROGRAM = pattern(
    rf"""\b(?:{PROGRAMS["p"]}|{_LOGINS})\b[^\n|;&]{{0,200}}?[\s"'\\]-p{_ARGUMENT}(?P<p>[^\s"'\\-][^\s"'\\]{{0,200}})
    |\b(?:{_ATTACHED})\b[^\n|;&]{{0,200}}?[\s"'\\]-p(?P<attached>[^\s"'\\]{{1,200}})
    |\b(?:{PROGRAMS["a"]})\b[^\n|;&]{{0,200}}?[\s"'\\]-a{_ARGUMENT}(?P<a>[^\s"'\\-][^\s"'\\]{{0,200}})
    |\b(?:{PROGRAMS["w"]})\b[^\n|;&]{{0,200}}?[\s"'\\]-w{_ARGUMENT}(?P<w>[^\s"'\\-][^\s"'\\]{{0,200}})
    |\bhtpasswd\b[^\n|;&]{{0,40}}?\s-\w{{0,6}}b\w{{0,6}}(?:\s\S{{1,128}}){{1,2}}\s(?P<htpasswd>[^\s"'|;&]{{1,200}})
    |(?<![\w-])(?:-u|--user|--proxy-user)(?:=|{_ARGUMENT})[^\s:@"'/]{{1,64}}:(?P<user>(?![0-9]{{1,5}}\b)[^\s"'\\]{{1,200}})
    |(?<![\w-])(?:-hft|-passin|-passout){_ARGUMENT}(?:pass:)?(?P<short>[^\s"'\\-][^\s"'\\]{{0,200}})
    |(?<!mkdir)(?<!\bcp)(?<!tar)(?<!ssh)(?<!scp)(?<!run)(?:^|\s)-p\s(?P<loose>[A-Za-z]{{1,64}}[0-9][^\s"'\\]{{0,200}})
    |\becho\s["']?[\w.-]{{1,64}}:(?P<echo>[^\s"'|]{{1,200}})["']?\s{{0,4}}\|\s{{0,4}}(?:sudo\s)?chpasswd
    |\bchpasswd:?[^\n]{{0,40}}?(?:\n|\\n)(?:[^\n\\]{{0,80}}(?:\n|\\n)){{0,3}}?[ \t]{{1,32}}(?:-\s)?[a-z][\w-]{{0,31}}:(?P<chpasswd>[^\s"'\\]{{1,200}})""",
    re.VERBOSE,
)
_BASE64 = pattern(r"(?<![\w+/=.:-])(?=[A-Za-z0-9+/]{24})[A-Za-z0-9+/]+={0,2}(?![\w+/=-])")
_REFERENCE = pattern(
    r"\$\{\{.{0,200}?\}\}|\$\{[\w.-]{1,128}(?::?[-=?+])?\}|\$\([^()]{0,200}\)|\$\w+|\{\{.{0,200}?\}\}|<set to the key [^\n]*|<[^<>=\n]{0,200}>|"
    r"%\(\w+\)s|\(a secret value\)|\[?(?i:redacted)\]?|\*{3,}"
)
"""A text that another tool fills in, a tag without attributes, or a value that is hidden already."""
Span = tuple[int, int]


def without_references(text: str) -> str:
    """A text without what another tool fills in."""
    return _REFERENCE.sub("", text) if len(text) <= _LONGEST else text


_LONGEST = 4096


def shapes(text: str) -> Iterator[Span]:
    """The credentials in a text that are known by their own shape, or by the program that takes them."""
    for match in _SHAPES.finditer(text):
        if match[0][:5].lower() == "token":
            yield match.end() - 23, match.end()
        else:
            yield match.span()
    if "@" in text:
        yield from _users(text)
    if " " in text or "\n" in text:
        for match in _PROGRAM.finditer(text):
            group = str(match.lastgroup)
            if without_references(match[group]).strip("\"'`;)") and not re.fullmatch(r"[0-9:./]{1,12}|login|--?.*", match[group]):
                yield match.span(group)


def _users(text: str) -> Iterator[Span]:
    """The passwords of addresses, and the user where that is a token."""
    for match in _USER.finditer(text):
        password = match["password"] or match["word"] or ""
        if match["word"] and _NO_LOGIN.fullmatch(match["login"]):
            continue
        if re.search(r"\w", without_references(password)):
            yield match.span("password" if match["password"] else "word")
        elif (
            not password
            and (match["scheme"] or "").lower().endswith(_TOKEN_SCHEMES)
            and re.search(r"\w", without_references(match["user"] or ""))
        ):
            yield match.span("user")


def encoded(text: str) -> Iterator[tuple[Span, str]]:
    """The parts of a text that are Base64 of another text, and that text."""
    for match in _BASE64.finditer(text):
        word = match[0].rstrip("=")
        if len(word) % 4 == 1 or re.fullmatch(r"[0-9a-f]+|[a-z]+|[A-Z_]+|[a-z/]+", word[:4096]):
            continue
        try:
            plain = base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode()
        except (binascii.Error, ValueError):
            continue
        if plain.isprintable() or not re.search(r"[\x00-\x08\x0e-\x1f]", plain[:4096]):
            yield match.span(), plain
