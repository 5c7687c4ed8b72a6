"""The names of credentials: the only list of their words, for the arguments of constructs, the checks, the doctor, and
`adopt`."""

from __future__ import annotations

import re
from functools import lru_cache

from ..patterns import pattern

HIDDEN = "(a secret value)"
"""The words in place of a credential: reports and errors stand in logs, which more people read than the cluster's
Secrets."""

STRONG = "token|passwo?rds?|passwds?|passphrases?|passcode|secrets?|credentials?|api_?keys?"
"""Words that name a credential by themselves, also at the end of a longer word: `PGPASSWORD`, `authtoken`."""

OWNERS = (
    "access|account|admin|aescbc|api|auth|client|cookie|csrf|decryption|deploy|encryption|enrollment|hmac|ingest|jwt|license|licence|machine|master|"
    "preshared|private|root|secret|secretbox|seed|service|session|shared|signing|ssh|storage|subscription|write"
)
"""Words before `key` with which a key is a credential."""

ENDS = "pass|pwd|auth|bearer|cookie|jwt|pat|psk|session|sig|signature|authorization|dockerconfigjson|dockercfg|plex_claim|connection_string|pass_word"
"""Words at the end of the name of a credential. With other words after them they mean something else: `pass_through`,
`auth_url`."""

_WORD = pattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_STRONG = pattern(rf"(?:.*[a-z_])?(?:{STRONG})")
_KEY = pattern(rf"(?:.*_)?(?:{OWNERS})_?keys?")
_END = pattern(rf"(?:.*_)?(?:(?:pg|db|my|mysql|smtp|mqtt|root|user|ssh)?(?:pass|pwd)|{ENDS})")
_TOKENS = pattern(r"(?:.*_)?(?:access|api|auth|bearer|bootstrap|bot|hf|join|refresh|static)_tokens")
_MODEL_TOKEN = pattern(
    r"(?:.*_)?(?:begin|bos|cached|chat|cls|completion|context|draft|end|eos|eot|first|generated|image|input|last|mask|max|min|new|next|num|output|"
    r"pad|per|prompt|sep|special|start|stop|system|think|tool|total|unk|video)_token"
)
"""A token of a language model."""
_ABOUT = pattern(
    r"algorithm|annotations?|audiences?|backend|budget|class|count|dir|directory|enabled|encoding|endpoint|env|exists|expir\w+|fields?|files?|folder|"
    r"format|from|generation|header|hint|host|ids?|interval|issuer|keys?|kind|labels?|length|lifetime|limit|location|manager|max|method|min|mode|"
    r"mount|names?|namespace|pair|parallelism|paths?|policy|port|prefix|provider|refs?|references?|required|review|rotation|seconds|selector|service|"
    r"size|stdin|store|subject|suffix|template|ttl|types?|ur[il]s?|username|version|volume"
)
"""Words after which a name says something about a credential, such as the file or the Secret that holds it."""
_NEUTRAL = pattern(
    r"admin|b|base|data|default|dev|encoded|github|gitlab|hash|hashed|literal|new|old|plain|prod|production|raw|root|string|test|text|user|value"
)
"""Words after the word of a credential with which the name is still that of the value."""
_PUBLIC_KEY = pattern(
    r"public|label|taint|annotation|topology|sort|cache|partition|primary|foreign|config|group|node|resource|metric|object|routing|idempotency|kv|host|"
    r"registry|sub|map|lookup|hot|index|row|column|token|password|credential"
)
"""A word before `_KEY` in the name of a variable whose value is no credential."""


@lru_cache(8192)
def is_credential(name: str) -> bool:
    """Whether a variable, a field, a flag or a header of this name has a credential as its value."""
    words = [word.lower() for word in _WORD.findall(name[-200:])]
    if not words:
        return False
    plain, last = "_".join(words), words[-1]
    if last in ("key", "keys") and len(words) > 1:
        return _is_key(name, words)
    if _ABOUT.fullmatch(last):
        return plain.endswith("session_id")
    if last.endswith("tokens") or _STRONG.fullmatch(last):
        return (_TOKENS if last.endswith("tokens") else _STRONG).fullmatch(plain) is not None and _MODEL_TOKEN.fullmatch(plain) is None
    is_variable_of_one = name.isupper() and (last in ("webhook", "credentials") or plain.endswith("webhook_url"))
    is_licence = name.startswith("-") and last in ("license", "licence")
    return is_variable_of_one or is_licence or _END.fullmatch(plain) is not None or _is_followed(words, is_variable=name.isupper())


def _is_key(name: str, words: list[str]) -> bool:
    if name.isupper() and words[-1] == "key":
        return _PUBLIC_KEY.fullmatch(words[-2]) is None
    is_key_of_a_secret = words[-2] == "secret" and re.search("[sS]ecretKey", name) is not None
    return "public" not in words and not is_key_of_a_secret and _KEY.fullmatch("_".join(words)) is not None


def _is_followed(words: list[str], *, is_variable: bool) -> bool:
    """Whether the word of a credential stands inside a name, and the words after it leave the name that of the
    value."""
    for number, word in enumerate(words):
        is_key = word == "key" and _KEY.fullmatch("_".join(words[: number + 1])) is not None
        if is_key or _STRONG.fullmatch(word):
            is_open = is_variable and not is_key and "secret" not in words
            return all(not _ABOUT.fullmatch(after) if is_open else _NEUTRAL.fullmatch(after) for after in words[number + 1 :])
    return False


def last_word(name: str) -> str:
    """The last word of a name, in small letters: `secret` of `clientSecret`; empty for a name without letters."""
    words = _WORD.findall(name[-200:])
    return words[-1].lower() if words else ""


def names_a_secret(name: str) -> bool:
    """Whether the name of an object may stand in a field of this name: `existingSecret`, and not `client_secret`."""
    words = [word.lower() for word in _WORD.findall(name)]
    return (
        bool(words)
        and not name.isupper()
        and words[-1] in ("secret", "secrets")
        and not {*words} & {"client", "consumer", "shared", "app", "jwt", "webhook"}
    )


def is_weak(name: str) -> bool:
    """Whether a number in a field of this name is no credential: `pass: 5`, `token: 12`."""
    return not name.isupper() and re.search("passw|passphrase|api_?key|passcode", name, re.IGNORECASE) is None
