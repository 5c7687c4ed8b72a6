"""The one reader of credentials in texts: `hidden_text` hides them, wherever a text is printed, copied or kept.

A name of a credential is found in a text, and then what follows it is read: `NAME=value`, `name: value`,
`--name value`, `["--name", "value"]`, `name: NAME, value: value`, `<name>value</name>`, `password is value`. What has a
credential's own shape is found in any place: tokens that name their maker, keys, addresses with a password, and flags.

Every pattern takes each character of a text a limited number of times, so that a line of any length costs time in
proportion to its length.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from ..patterns import pattern
from .names import HIDDEN, is_credential, is_weak, names_a_secret

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


_HINT = pattern(
    r"token|pass|pwd|secret|credential|key|auth|session|cookie|sig|jwt|psk|pat\b|bearer|basic|licen|webhook|hooks|hc-ping|@|connection_?string|docker|claim|"
    r"hf[_t]|nvapi|sk[-_]|rk_|gh[pousr]_|github_pat|gl[a-z]+-|xox|xapp|ya29|aiza|a[ks]ia|eyj|hv[sbr]\.|do[opr]_v1|npm_|pypi-|sg\.|shp|lin_api|pplx|gsk_|r8_|"
    r"xai-|tgp_|fw_|sq0|private|mysql|mariadb|mongo|redis|valkey|keydb|ldap|cqlsh|influx|login| -u|--user| -p|response=|\$[1-7y]\$|\$2|\$a|"
    r"[0-9]{8}:aa|[a-z0-9]\.[a-z0-9]{16}|[a-z0-9+/]{24}",
    re.IGNORECASE,
)
"""A part of everything that is hidden. Most texts have none, so that most texts cost one search."""
_WORDS = pattern(
    r"token|passw|passphrase|passcode|passwd|secret|credential|key|auth|session|cookie|sig(?:nature)?(?![a-z])|pass(?![a-z])|pwd|jwt|psk|(?:^|[_-])pat(?![a-z])|"
    r"bearer|licen[cs]e|webhook|connection_?string|dockerc|plex_claim",
    re.IGNORECASE,
)
_RUN = pattern(r"[\w.-]{0,64}")
_ASSIGNED = pattern(
    r"""\\{0,4}["'`]?\]?[ \t]{0,16}(?:=>|:=|[:=](?![:=]))[ \t]{0,64}(?:[|>][+-]?[0-9]?[ \t]{0,8}(?:\n|\\{1,4}n)[ \t]{1,64})?
    (?:(?:str|bytes|string|String|Optional\[str\]|str[ ]\|[ ]None)[ ]{0,8}=[ ]{0,8})?(?:\\{0,4}(?P<quote>["'`]))?""",
    re.VERBOSE,
)
_ELEMENT = pattern(r">(?P<quote>)")
_PASSED = pattern(
    r"""\\{0,4}["']?(?:[ \t]{1,16}|[ \t]{0,8},\s{0,64}|,?(?:\n|\\{1,4}n)[ \t]{0,64}-[ \t]{1,8})(?:\\{0,4}(?P<quote>["'`]))?(?!-)"""
)
_IS = pattern(
    r"""[ \t]{1,4}(?P<verb>(?:(?:for|of)[ \t](?:[^\s:=]{1,64}[ \t]){1,3}?)?(?:is|was|becomes|=|to|are)[ \t]{1,4}:?[ \t]{0,4})?(?:\\{0,4}(?P<quote>["'`]))?"""
)
_NEXT = pattern(
    r"""["'\\]{0,5}(?:[ \t]{0,4},\s{0,80}|(?:\s|\\{1,4}n){1,80})["'\\]{0,5}value["'\\]{0,5}[ \t]{0,4}:[ \t]{0,8}(?:\\{0,4}(?P<quote>["'`]))?"""
)
_NAMED = pattern(r"""\bname["'\\]{0,5}[ \t]{0,4}:[ \t]{0,4}["'\\]{0,5}\Z""", re.IGNORECASE)
_WORD = pattern(
    r"""(?:\$\{[^{}\n]{0,200}\}|\$\([^()\n]{0,200}\)|\$\{\{[^\n]{0,200}?\}\}|\{\{[^\n]{0,200}?\}\}|<set[^\n]{0,200}|<[\w .-]{1,200}>|[^\s"'`,;&}\])<>|\\]){1,512}"""
)
_LINE = pattern(r"(?![\[{&*|>])[^\n\\#]{1,512}?(?=[ \t]*(?:\n|\\n|\Z|[ \t]#|[ \t]//))")
_QUOTED = {quote: pattern(rf"[^{quote}\\\n]{{1,512}}") for quote in "\"'`"}
_REST = {quote: pattern(rf"[^{quote}\\\n]*") for quote in "\"'`"} | {"": pattern(r"""[^\s"'`,;&}\])<>|\\]*""")}
_PLURAL = pattern(r"""[^\s"'`}\])<>|\\]*""")
_START = pattern(r"""(?:^|\n|\\n)[ \t]{0,64}(?:export[ \t]{1,8}|-[ \t]{1,8})?["']?[\w.-]{0,64}\Z""")
_CODE = pattern(
    r"""[A-Za-z_][\w.]{0,64}\s{0,4}[(\[]|[bfru]{1,2}["']|(?:process\.env|os\.environ|Deno\.env|sys\.argv|(?:self|args|config|cfg|settings|opts|options|request|params|"""
    r"""secrets?|env|data|var|local|module|each|values)\.)|(?:await|new|lambda|not|if|return)\s|\$\(|`|==|!="""
)
_NO_VALUE = pattern(
    r"ENC\[|(?:op|ref\+\w{1,32}|vault|env|file|awssm|gcpsm)(?::|//)\S{1,512}\Z|(?:true|false|yes|no|on|off|none|null|nil|undefined|enabled|disabled|str|bytes|int|string|optional|bool|xxx+|\.\.\.|…|valuefrom|secretkeyref|"
    r"unset|empty|default|auto|any|all)\b\W*\Z",
    re.IGNORECASE,
)
_PATH = pattern(r"(?:\.{1,2}|~)?/(?![\w+]{20,}[=+/]*\Z)[\w.@/-]{1,256}\Z|file:|[A-Za-z]:\\")
_OBJECT = pattern(r"[a-z0-9](?:[a-z0-9./-]{0,252}[a-z0-9])?\Z")
_SECOND_WORD = pattern(r"[a-z]{1,64}[,.:]? [a-z(]")
_PROSE = pattern(
    r"(?:authentication|authorization|and|as|at|auth|but|by|can|cannot|could|did|does|file|flag|exists?|field|for|from|had|has|have|if|in|incorrect|into|invalid|is|it|length|"
    r"manager|may|mismatch|must|never|no|not|of|ok|on|only|or|policy|prompt|protection|reset|rotation|should|store|than|that|the|to|too|type|value|values|variable|verification|via|was|were|"
    r"when|where|which|will|with|without|wrong|correct|unknown|weak|short|long|same|different|there|what|a|an|null|none|required|[a-z]{2,20}(?:ed|ing|able|ible))(?![\w-])",
    re.IGNORECASE,
)
_LETTERS_AND_MORE = pattern(r"(?=.{0,256}(?:[0-9$!@#%^*]|[a-z][A-Z]))(?=.{0,256}[A-Za-z]).{6,}", re.DOTALL)
_RANDOM = pattern(r"(?=[^0-9]{0,256}[0-9])(?=[^A-Za-z]{0,256}[A-Za-z])[\w+/=-]{16,}\Z")
_PROSE_NAMES = pattern(r"(?:passwords?|passwd|passphrase|passcode|pass|pwd)\Z", re.IGNORECASE)
_SPACED = pattern(r"(?:api|access|secret|private|license|signing|encryption|account)[ ]\Z", re.IGNORECASE)
_SPACED_NAMES = pattern(r".*(?:passw\w+|passphrase|PASS|PWD|[_-](?:secret|token|key)|\Atoken|[a-z]key)\Z", re.DOTALL)
_SCHEME = pattern(r"(?:basic|bearer|digest|negotiate|token|apikey)[ ]{1,8}", re.IGNORECASE)
_LONG_ENOUGH = 3
_FEW_DIGITS = pattern(r"[-+]?[0-9.,_%]{1,5}\Z|[-+]?[0-9]{1,9}(?:\.[0-9]*)?\Z")


def hidden_text(text: str) -> str:
    """The text with `HIDDEN` in place of every credential."""
    if not _HINT.search(text):
        return text
    parts, done = [], 0
    for start, end in _merged(text):
        parts += [text[done:start], HIDDEN]
        done = end
    return "".join([*parts, text[done:]]) if parts else text


def hidden_value(name: str, value: str) -> str:
    """The value of a field, a variable or a flag, as it may be shown: hidden where the name, or a part of the value, is
    that of a credential."""
    if name and is_credential(name) and is_literal(name, value):
        return HIDDEN
    return hidden_text(value)


def is_literal(name: str, value: Any) -> bool:
    """Whether a value beside the name of a credential is the credential: no reference, no switch, no path of a file, no
    name of a Secret."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return not is_weak(name)
    if not isinstance(value, str):
        return False
    plain = without_references(value).strip()
    plain = _SCHEME.sub("", plain, count=1) if "auth" in name.lower() else plain
    if not re.search(r"\w", plain[:4096]) or _NO_VALUE.match(plain) or _PATH.match(plain) or plain == name:
        return False
    if _FEW_DIGITS.match(plain) and is_weak(name):
        return False
    if names_a_secret(name) and _OBJECT.match(plain) and not _RANDOM.match(plain):
        return False
    return not (name in ("auth", "pass", "key", "signature", "session") and re.fullmatch(r"[a-z]{1,20}(?:[-_ ][a-z]{1,20})*", plain))


def is_switch(value: str) -> bool:
    """Whether a value is a word that turns something on or off, or stands for no value."""
    return _NO_VALUE.fullmatch(value) is not None


def _merged(text: str) -> Iterator[Span]:
    end = 0
    for start, stop in sorted([*shapes(text), *_encoded(text), *_assigned(text)]):
        if stop > end:
            yield max(start, end), stop
            end = stop


def _encoded(text: str) -> Iterator[Span]:
    for span, plain in encoded(text):
        if next(iter([*shapes(plain), *_assigned(plain)]), None):
            yield span


def _assigned(text: str) -> Iterator[Span]:
    """The values that stand after the name of a credential."""
    position = 0
    while found := _WORDS.search(text, position):
        start = found.start() - _run(text[max(0, found.start() - 64) : found.start()][::-1], 0)
        end = found.end() + _run(text, found.end())
        span = _value_of(text, start, end)
        position = max(end, span[1]) if span else end
        if span:
            yield span


def _run(text: str, start: int) -> int:
    """The number of characters of a name from a place on, up to 64."""
    found = _RUN.match(text, start)
    return found.end() - start if found else 0


def _value_of(text: str, start: int, end: int) -> Span | None:
    name = text[start:end].rstrip(".")
    end = start + len(name)
    stripped = name.lstrip("-.")
    is_flag = name.startswith("-")
    spaced = _SPACED.search(text, max(0, start - 12), start) if stripped.lower() in ("key", "token", "keys") else None
    if not (is_credential(name) or spaced or (stripped == "key" and text[start - 1 : start] in ("?", "&"))):
        return None
    if (next_value := _NEXT.match(text, end)) and _NAMED.search(text, max(0, start - 24), start):
        return _value(text, next_value, name)
    if assigned := _ASSIGNED.match(text, end):
        return _value(
            text,
            assigned,
            name,
            is_line=text[end : assigned.end()].lstrip("\"'\\] \t").startswith(":") and bool(_START.search(text, max(0, start - 80), start)),
        )
    if text[start - 1 : start] == "<" and (element := _ELEMENT.match(text, end)):
        return _value(text, element, name)
    if is_flag and (passed := _PASSED.match(text, end)):
        return None if _PROSE.match(text, passed.end()) else _value(text, passed, name)
    return _told(text, stripped, end, is_spaced=spaced is not None)


def _value(text: str, before: re.Match[str], name: str, *, is_line: bool = False) -> Span | None:
    """The value after a name and its mark, if it is a credential."""
    quote = before["quote"] or ""
    scheme = _SCHEME.match(text, before.end()) if "auth" in name.lower() else None
    start = scheme.end() if scheme else before.end()
    pattern = _QUOTED[quote] if quote else _LINE if is_line or (scheme and "digest" in scheme[0].lower()) else _WORD
    found = None if text.startswith((HIDDEN, "[{", "{ "), start) else pattern.match(text, start) or _WORD.match(text, start)
    if found is None or not is_literal(name, found[0].rstrip("\"'")):
        return None
    if quote:
        return start, _end(_REST[quote], text, found)
    if _is_expression(text, found, name, is_line=is_line) or _is_sentence(text, before, start, name):
        return None
    if is_line:
        return None if is_weak(name) and _FEW_DIGITS.match(found[0].partition(" ")[0]) else (start, found.end())
    return start, _end(_PLURAL if name.lower().endswith("s") else _REST[""], text, found)


def _end(rest: re.Pattern[str], text: str, found: re.Match[str]) -> int:
    return more.end() if (more := rest.match(text, found.end())) else found.end()


def _is_expression(text: str, found: re.Match[str], name: str, *, is_line: bool) -> bool:
    """Whether the words are those of a program, such as `get_token()`."""
    is_same = not is_line and found[0].lower() == name.lower().lstrip("-")
    return is_same or bool(_CODE.match(found[0])) or text[found.end() : found.end() + 1] in ("(", "[")


def _is_sentence(text: str, before: re.Match[str], start: int, name: str) -> bool:
    """Whether words about a credential follow the colon: `token: unexpected status`, `password: must not be empty`."""
    if ":" not in before[0] or before[0].rstrip(" ").endswith("="):
        return False
    return bool(_PROSE.match(text, start) or (not _PROSE_NAMES.match(name.lstrip("-")) and _SECOND_WORD.match(text, start)))


def _told(text: str, name: str, end: int, *, is_spaced: bool) -> Span | None:
    """The value in a sentence or a file of words: `password is hunter`, `login me password hunter2`."""
    if not (is_spaced or _SPACED_NAMES.match(name) or _PROSE_NAMES.match(name)) or not (verb := _IS.match(text, end)):
        return None
    quote = verb["quote"] or ""
    found = (_QUOTED[quote] if quote else _WORD).match(text, verb.end())
    if found is None or (not quote and (_PROSE.match(text, found.start()) or _CODE.match(found[0]))):
        return None
    plain = found[0].rstrip(".:!?")
    is_about_passwords = _PROSE_NAMES.match(name) is not None
    if not is_literal("password", plain) or len(plain) < _LONG_ENOUGH or re.fullmatch(r"[0-9]{1,5}", plain):
        return None
    is_told = bool(verb["verb"]) and is_about_passwords
    if not is_told and (quote or not _LETTERS_AND_MORE.match(plain)):
        return None
    return found.start(), found.start() + len(plain)
