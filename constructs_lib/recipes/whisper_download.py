"""The Job that asks a Whisper server to download models."""

from __future__ import annotations

from collections.abc import Iterable

from ..arguments.fields import to_texts
from ..manifests.objects import Manifest, env
from ..manifests.workload.container_values import SecretKey
from .client_job import client_job
from .hub_names import to_repository
from .recipe_settings import RecipeSettings
from .server_port import server_address

_DOWNLOAD = """\
until curl --silent --output /dev/null "$SERVER/health"; do echo "waiting for $SERVER"; sleep 5; done
for model in "$@"; do
  echo "downloading $model"
  curl --silent --show-error --fail-with-body --request POST --header "Authorization: Bearer ${API_KEY:-}" "$SERVER/v1/models/$model"
  echo
done
"""


def to_whisper_models(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """Repositories of Hugging Face, each once."""
    return tuple(dict.fromkeys(to_repository(each, argument) for each in to_texts(value, argument)))


def download_job(settings: RecipeSettings, models: Iterable[str], api_key: SecretKey | None) -> Manifest:
    """A Job that waits for the server and has it download the models. The client needs no GPU and no volume of
    models."""
    key = [] if api_key is None else [{"name": "API_KEY", "valueFrom": api_key.reference}]
    container = {
        "image": settings.image,
        "command": ["/bin/sh", "-ec", _DOWNLOAD, "download"],
        "args": [*models],
        "env": [*env({"SERVER": server_address(settings)}), *key],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
    }
    return client_job(settings, "models", container)
