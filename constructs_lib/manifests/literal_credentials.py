"""Credentials stand in a Secret: everybody who may read the manifests or the pods reads a literal value."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from .._arguments.credential_names import HIDDEN, is_credential, is_literal
from .._arguments.errors import wrong
from .workload_settings import WorkloadSettings

_ABBREVIATED = ("--api-key", "--hf-token")
"""Flags whose beginning is enough for a parser of Python."""
_SHORTEST = len("--hf-t")
_SHORT = ("-hft",)
"""Short flags of credentials."""


def check_credentials(settings: WorkloadSettings) -> None:
    """Refuse a literal credential in a variable or on a command line, also of a container beside. The error does not repeat the credential."""
    for name, value in settings.env.items():
        if is_credential(name) and is_literal(value):
            hint = f"give SecretKey('<name of the Secret>', '{name}')"
            raise wrong(f"env[{name}]", "a SecretKey: the value is a credential", HIDDEN, hint)
    _check_words("args", (*settings.command, *settings.args), "give the program's environment variable as a SecretKey in 'env'")
    for place, container in _containers(settings):
        for index, variable in enumerate(_items(container, "env")):
            if isinstance(variable, Mapping) and is_credential(str(variable.get("name"))) and is_literal(variable.get("value")):
                hint = f"give {variable['name']} a 'valueFrom' with a 'secretKeyRef'"
                raise wrong(f"{place}.env.{index}.value]", "left out: the value is a credential", HIDDEN, hint)
        words = [word for key in ("command", "args") for word in _items(container, key) if isinstance(word, str)]
        _check_words(f"{place}.args]", words, "give the program's environment variable a 'valueFrom' with a 'secretKeyRef'")


def _check_words(argument: str, words: Iterable[str], hint: str) -> None:
    for word, after in itertools.pairwise([*words, ""]):
        flag, equals, value = word.partition("=")
        if _is_flag(flag) and (is_literal(given := value if equals else after) or not given):
            raise wrong(argument, "without a credential", f"{flag} and {HIDDEN}", hint)


def _is_flag(flag: str) -> bool:
    plain = flag.replace("_", "-")
    begins = len(plain) >= _SHORTEST and any(full.startswith(plain) for full in _ABBREVIATED)
    return plain in _SHORT or (plain.startswith("--") and not {*plain} & {*" \n"} and (begins or is_credential(plain)))


def _containers(settings: WorkloadSettings) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The containers in Kubernetes' spelling, with the begin of their path. Their form is checked later."""
    for index, container in enumerate(settings.init_containers):
        yield f"init_containers[{index}", container
    for key in ("containers", "initContainers"):
        for index, container in enumerate(_items(settings.pod_spec, key)):
            if isinstance(container, Mapping):
                yield f"pod_spec[{key}.{index}", container


def _items(fields: Mapping[str, Any], key: str) -> Sequence[Any]:
    items = fields.get(key)
    return items if isinstance(items, list | tuple) else ()
