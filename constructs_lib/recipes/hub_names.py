"""The credentials of recipes, and the names of repositories and revisions of Hugging Face, which become words of a
command and folders of a volume."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..arguments.credentials.names import HIDDEN
from ..arguments.errors import wrong, wrong_kind
from ..arguments.patterns import pattern
from ..arguments.plain_values import text
from ..manifests.workload.container_values import SecretKey
from ..upstream.programs import model_servers


def to_secret_key(value: SecretKey | None, argument: str = "") -> SecretKey | None:
    """A reference to a credential, or None. The error does not repeat the credential."""
    given: object = value
    if given is None or isinstance(given, SecretKey):
        return given
    hint = "create a Secret, and give SecretKey('<name of the Secret>', '<key>')"
    raise wrong_kind(argument, "a SecretKey: the value is a credential", HIDDEN if isinstance(given, str | bytes) else given, hint)


def check_hub_token(env: Mapping[str, object]) -> None:
    """Refuse the token of Hugging Face in the variables of a server whose Job downloads the model."""
    for name in (model_servers.HF_TOKEN, model_servers.HF_OLD_TOKEN):
        if name in env:
            hint = "give 'token': the Job that downloads the model needs the token, and the server does not"
            raise wrong("env", f"without {name}", HIDDEN if isinstance(env[name], str) else env[name], hint)


_REPOSITORY = pattern(r"(?:[A-Za-z0-9][\w.-]*/)?[A-Za-z0-9][\w.-]*", re.ASCII)
_REVISION = pattern(r"[A-Za-z0-9][\w.-]*(?:/[A-Za-z0-9][\w.-]*)*", re.ASCII)


def to_repository(value: str, argument: str = "") -> str:
    """A repository of Hugging Face."""
    rule = "a repository of Hugging Face such as 'Qwen/Qwen3-8B'"
    if not _REPOSITORY.fullmatch(text(argument, value, rule)) or ".." in value:
        raise wrong(argument, rule, value)
    return value


def to_revision(value: str, argument: str = "") -> str:
    """A branch, a tag or a commit of a repository."""
    rule = "a branch, a tag or a commit of the repository"
    if not _REVISION.fullmatch(text(argument, value, rule)) or ".." in value:
        raise wrong(argument, rule, value)
    return value
