"""The arguments of recipes that are credentials."""

from __future__ import annotations

from collections.abc import Mapping

from ..arguments.credentials.names import HIDDEN
from ..arguments.errors import wrong, wrong_kind
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
