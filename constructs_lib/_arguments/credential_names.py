"""The names of credentials: the only list of their words, for the arguments of constructs, the checks, the doctor, and `adopt`."""

from __future__ import annotations

import re
from functools import lru_cache

HIDDEN = "(a secret value)"
"""The words in place of a credential: reports and errors stand in logs, which more people read than the cluster's Secrets."""

STRONG = "token|passwo?rds?|passwds?|passphrases?|passcode|secrets?|credentials?|api_?keys?"
"""Words that name a credential by themselves, also at the end of a longer word: `PGPASSWORD`, `authtoken`."""

OWNERS = (
    "access|account|admin|aescbc|api|auth|client|cookie|csrf|decryption|deploy|encryption|enrollment|hmac|ingest|jwt|license|licence|machine|master|"
    "preshared|private|root|secret|secretbox|seed|service|session|shared|signing|ssh|storage|subscription|write"
)
"""Words before `key` with which a key is a credential."""

ENDS = "pass|pwd|auth|bearer|cookie|jwt|pat|psk|session|sig|signature|authorization|dockerconfigjson|dockercfg|plex_claim|connection_string|pass_word"
"""Words at the end of the name of a credential. With other words after them they mean something else: `pass_through`, `auth_url`."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_STRONG = re.compile(rf"(?:.*[a-z])?(?:{STRONG})")
_KEY = re.compile(rf"(?:.*_)?(?:{OWNERS})_?keys?")
_END = re.compile(rf"(?:.*_)?(?:(?:pg|db|my|mysql|smtp|mqtt|root|user|ssh)?(?:pass|pwd)|{ENDS})")
_TOKENS = re.compile(r"(?:.*_)?(?:access|api|auth|bearer|bootstrap|bot|hf|join|refresh|static)_tokens")
_MODEL_TOKEN = re.compile(
    r"(?:.*_)?(?:begin|bos|cached|chat|cls|completion|context|draft|end|eos|eot|first|generated|image|input|last|mask|max|min|new|next|num|output|"
    r"pad|per|prompt|sep|special|start|stop|system|think|tool|total|unk|video)_token"
)
"""A token of a language model."""
_ABOUT = frozenset(
    "algorithm annotation annotations audience audiences backend budget class count dir directory enabled encoding endpoint env exists expiration expires "
    "expiry field file files folder format from generation header hint host id ids interval issuer key keys kind label labels length lifetime limit "
    "location manager max method min mode mount name names namespace pair parallelism path paths policy port prefix provider ref reference refs "
    "required review rotation seconds selector service size stdin store subject suffix template ttl type types uri url urls username version volume".split()
)
"""Words after which a name says something about a credential, such as the file or the Secret that holds it."""
_NEUTRAL = frozenset("admin b base data default dev encoded github gitlab hash hashed literal new old plain prod production raw root string test text user value".split())
"""Words after the word of a credential with which the name is still that of the value."""
_PUBLIC_KEYS = frozenset(
    "public label taint annotation topology sort cache partition primary foreign config group node resource metric object routing idempotency kv host "
    "registry sub map lookup hot index row column token password credential".split()
)
"""Words before `_KEY` in the name of a variable whose value is no credential."""


@lru_cache(8192)
def is_credential(name: str) -> bool:
    """Whether a variable, a field, a flag or a header of this name has a credential as its value."""
    words = [word.lower() for word in _WORD.findall(name[-200:])]
    if not words:
        return False
    is_variable = name.isupper()
    last, plain = words[-1], "_".join(words)
    if last in ("key", "keys") and len(words) > 1:
        if is_variable and last == "key":
            return words[-2] not in _PUBLIC_KEYS
        is_field_of_a_secret = words[-2] == "secret" and re.search("[sS]ecretKey", name) is not None
        return _KEY.fullmatch(plain) is not None and not is_field_of_a_secret and "public" not in words
    if last in _ABOUT:
        return last == "id" and words[-2:-1] == ["session"]
    if last.endswith("tokens"):
        return _TOKENS.fullmatch(plain) is not None
    if _STRONG.fullmatch(last):
        return _MODEL_TOKEN.fullmatch(plain) is None
    if _END.fullmatch(plain) or (name.startswith("-") and last in ("license", "licence")):
        return True
    if is_variable and (last in ("webhook", "credentials") or plain.endswith("webhook_url")):
        return True
    inner = next((number for number, word in enumerate(words) if _STRONG.fullmatch(word) or (word == "key" and number and _KEY.fullmatch("_".join(words[: number + 1])))), None)
    if inner is None:
        return False
    after = words[inner + 1 :]
    if is_variable and "key" not in words and "secret" not in words:
        return _ABOUT.isdisjoint(after)
    return _NEUTRAL.issuperset(after)


def names_a_secret(name: str) -> bool:
    """Whether the name of an object may stand in a field of this name: `existingSecret`, and not `client_secret`."""
    words = [word.lower() for word in _WORD.findall(name)]
    return bool(words) and not name.isupper() and words[-1] in ("secret", "secrets") and not {*words} & {"client", "consumer", "shared", "app", "jwt", "webhook"}


def is_weak(name: str) -> bool:
    """Whether a number in a field of this name is no credential: `pass: 5`, `token: 12`."""
    return not name.isupper() and re.search("passw|passphrase|api_?key|passcode", name, re.IGNORECASE) is None
