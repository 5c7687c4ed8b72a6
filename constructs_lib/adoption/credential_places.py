"""The credentials in plain data: a cluster file is committed and shared, so it holds none of them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._arguments.credential_names import is_credential
from .._arguments.kubernetes_yaml import documents
from .._arguments.yaml_limits import LARGEST
from ..checks.model import ChartRelease
from ..checks.secret_values import CREDENTIAL
from ..doctor.credential_words import MAKERS
from .chart_forms import source_of
from .difference import Path
from .plain_objects import Identity, PlainObject, UnreadError, plain_value

_REFERENCE = re.compile(r"\$\{\w+(?::?[-=?+])?\}|\$\([^)]*\)|\$\w+|\{\{.*?\}\}|<[^<>=\n]*>")
"""A text that another tool fills in, or a tag without attributes."""
_SWITCH = re.compile(r"true|false|yes|no|on|off|none|null", re.IGNORECASE)
_USER = re.compile(r"(https?)?://([^\s/@:\"']*)(?::(?!\d+/)([^\s@\"']{0,200}))?@")
"""The user and the password of an address. A number before a slash is a port."""
_SHAPE = re.compile(
    rf"\b(?:{MAKERS})(?=[\w.-]*\d)[\w.-]{{12,}}|-----BEGIN [A-Z ]*PRIVATE KEY-----|\b(?i:bearer|basic) (?=\S*\d)[\w.~+/=-]{{12,}}"
)
_RANDOM = re.compile(r"(?=.*\d)(?=.*[A-Za-z])[\w+/=-]{16,}")
"""A value that looks drawn, beside a name that only has the word of a credential in it."""
_COUNT = re.compile(r"TOKENI[ZS]|TOKENS", re.IGNORECASE)
"""Names about the tokens of a language model."""
_FLAG = re.compile(r"(?<![\w-])(--?[A-Za-z][\w.-]*)(?:=|\s+)[\"']?([^\s\"']+)")
_LINE = re.compile(r"^[ \t]*(?:export[ \t]+|-[ \t]+)?[\"']?([\w.-]+)[\"']?[ \t]*(?::[^=\n]*(?==))?[:=](.*)$", re.MULTILINE)
"""A line with a setting, or with a variable of Python and its type."""
_COMMENT = re.compile(r"(?:^|\s)(?:#|//|;).*")
_CODE = re.compile(r"=|[A-Za-z_][\w.]*\s*[(\[]|[bfru]+[\"']")
"""The start of an expression of a program."""
_INLINE = re.compile(r"(?<![^\s;&?])([A-Za-z][\w.-]*)=[\"']?([^\s\"';&]+)")
_ELEMENT = re.compile(r"<([A-Za-z][\w.-]*)[^<>]*>([^<>]+)</\1\s*>")
_LIKELY = re.compile(
    r"_(?:AUTH|CREDENTIALS?|WEBHOOK(?:_URL)?)$|^(?!.*(?:PUBLIC|LABEL|TAINT|ANNOTATION|TOPOLOGY|SORT|CACHE|PARTITION)).*_KEY$", re.IGNORECASE
)
"""Names of variables that hold a credential, unless they hold the path of a file."""
_PATH = re.compile(r"[.~]{0,2}/|file:")
_SECRET_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_TYPES = frozenset({"str", "bytes", "int", "None", "Optional", "string"})


def credential_path(value: Any) -> Path | None:
    """The path of the first credential in plain data. None for data without one."""
    return next(_paths(value, ()), None)


def credential_words(path: Path) -> str:
    """The reason why an object with a credential at a path is left out."""
    return f"a credential in {'.'.join(map(str, path)) or 'the object'}; put it into a Secret, and name the Secret there"


def check_release(release: ChartRelease, about: PlainObject | None, with_credentials: Mapping[Identity, PlainObject]) -> None:
    """Refuse a release whose values, or whose source, hold a credential. Raises `UnreadError`."""
    path = credential_path(plain_value(release.values, []))
    if path is not None:
        raise UnreadError(credential_words(("values", *path)))
    if about is not None and source_of(about, with_credentials) is not None:
        raise UnreadError("the source of its chart holds a credential")


def _paths(value: Any, path: Path) -> Iterator[Path]:
    if isinstance(value, Mapping):
        if _is_secret(value):
            yield path
        name = value.get("name")
        if isinstance(name, str) and _holds(name, value.get("value")):
            yield (*path, "value")
        for key, item in value.items():
            if _is_field(str(key), item):
                yield (*path, key)
            yield from _paths(item, (*path, key))
    elif isinstance(value, list):
        yield from ((*path, index) for index in _after_flags(value))
        for index, item in enumerate(value):
            yield from _paths(item, (*path, index))
    elif isinstance(value, str) and _is_told(value):
        yield path


def _after_flags(words: list[Any]) -> Iterator[int]:
    for index, (word, after) in enumerate(itertools.pairwise(words), 1):
        is_flag = isinstance(word, str) and word.startswith("-") and is_credential(word.lstrip("-"))
        if is_flag and _is_literal(after) and not str(after).startswith("-"):
            yield index


def _is_secret(value: Mapping[str, Any]) -> bool:
    is_kind = str(value.get("kind")).lower() == "secret" and "data" in value
    return is_kind or (isinstance(value.get("stringData"), Mapping) and bool(value["stringData"]))


def _holds(name: str, value: Any) -> bool:
    """Whether a variable has a literal credential."""
    if name.lower() == "authorization" or is_credential(_snake(name)):
        return _is_literal(value)
    if _is_likely(name, value):
        return True
    is_near = CREDENTIAL.search(name) is not None and _COUNT.search(name) is None
    return is_near and isinstance(value, str) and _RANDOM.fullmatch(value) is not None and "/" not in value[:1]


def _is_field(name: str, value: Any) -> bool:
    """Whether a field holds a credential. In a field such as `secret` or `existingSecret` the name of a Secret stands."""
    if name.isupper():
        return _holds(name, value)
    if _is_likely(name, value):
        return True
    if name in ("secretKey", "secretAccessKey") or not is_credential(_snake(name)):
        return name == "secretAccessKey" and _is_literal(value)
    names_secret = name.lower().endswith("secret") and "client" not in name.lower()
    return _is_literal(value) and not (names_secret and _SECRET_NAME.fullmatch(str(value)))


def _is_likely(name: str, value: Any) -> bool:
    return _LIKELY.search(name) is not None and _is_literal(value) and not _PATH.match(str(value))


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)


def _is_literal(value: Any) -> bool:
    if isinstance(value, int) and not isinstance(value, bool):
        return True
    return isinstance(value, str) and bool(re.search(r"\w", _REFERENCE.sub("", value))) and not _SWITCH.fullmatch(value)


def _is_told(text: str) -> bool:
    """Whether a text shows that it has a credential: the user of an address, a token, a flag, a line of settings."""
    for web, user, password in _USER.findall(text):
        if _is_literal(password) or (web and not password and _is_literal(user)):
            return True
    if _SHAPE.search(text):
        return True
    if any(credential_path(each) is not None for each in _documents(text)):
        return True
    elements = _ELEMENT.findall(text)
    text = _REFERENCE.sub("", text)
    if any(is_credential(flag.lstrip("-")) and _is_literal(value) for flag, value in _FLAG.findall(text)):
        return True
    lines = _LINE.findall(text) if "\n" in text or "=" in text else ()
    pairs = [*elements, *((name, _setting(rest)) for name, rest in lines), *_INLINE.findall(text)]
    return any(_is_field(name, value) and value.rstrip(",;)") not in (*_TYPES, name) for name, value in pairs)


def _setting(rest: str) -> str:
    """The value in the rest of a line, without a comment and quotes. Empty for an expression of a program."""
    value = _COMMENT.sub("", rest).strip()
    return "" if _CODE.match(value) else value.rstrip(",;").strip("\"'")


def _documents(text: str) -> list[Any]:
    """The mappings and lists of a text of YAML or JSON."""
    if ":" not in text or not CREDENTIAL.search(text):
        return []
    try:
        return [each for each in documents(text, LARGEST) if isinstance(each, Mapping | list)]
    except Exception:  # noqa: BLE001  # any text may stand here, such as a script
        return []
