"""The recipe of Whisper with OpenAI's API: speaches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named, to_bytes, to_count, to_positive, to_texts
from ..arguments.plain_values import whole_number
from ..manifests.objects import Manifest, Manifests, env
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import HttpProbe, Probe, SecretKey, TcpProbe
from ..upstream.programs.images import SPEACHES_IMAGES
from .client_job import client_job
from .hub_names import to_repository, to_secret_key
from .model_volume import PulledModelsSettings
from .recipe_settings import RecipeSettings
from .server_flags import check_port_variable, server_address, server_port

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
    """A Job that waits for the server and has it download the models; it needs no GPU and no volume."""
    key = [] if api_key is None else [{"name": "API_KEY", "valueFrom": api_key.reference}]
    container = {
        "image": settings.image,
        "command": ["/bin/sh", "-ec", _DOWNLOAD, "download"],
        "args": [*models],
        "env": [*env({"SERVER": server_address(settings)}), *key],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
    }
    return client_job(settings, "models", container)


_MODELS = "/home/ubuntu/.cache/huggingface"
_PORT = 8000
_PORT_VARIABLE = "UVICORN_PORT"


def _to_keep_alive(value: int | None, argument: str = "") -> int | None:
    return None if value is None else whole_number(argument, value, -1)


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class WhisperSettings(PulledModelsSettings):
    """A server with OpenAI's API that transcribes and speaks, on the GPUs of a node class: speaches with Whisper,
    Kokoro and Piper.

    The server has no built-in model, and answers 404 to a request for a model that is missing on its volume. The models
    arrive by a Job that asks the server to download them from Hugging Face: its log shows the answers, its name changes
    with the list, and it needs no GPU. The server runs without root.

    Without `api_key` the server asks nobody for a login. With it every path asks for the key, /health too, so the
    probes try the port by TCP; and the web interface is switched off, because it would use the server's own key for
    everybody.

    Makes a Deployment, a Service with the port 8000, the PersistentVolumeClaim `<name>-models`, and with `models` the
    Job `<name>-models-<hash>`.

    Args:
        models: The repositories of Hugging Face that the server has, such as "Systran/faster-whisper-large-v3". A model
            that is taken out of the list stays on the volume. Default: none; clients ask for downloads by
            `POST /v1/models/<repository>`.
        api_key: A `SecretKey` with the key that the server asks for. Default: none.
        keep_alive: The seconds for which an idle model stays in the card's memory, or -1 for ever. Default: that of
            speaches, 300.
        storage: The size of the claim for the models. Default: "50Gi".
        startup: The seconds that the server may take to start, without a model. Default: 180.
        drain: The seconds that open requests have when the pod is deleted. Default: 20.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'models' must be a repository of Hugging Face …`;
            `'api_key' must be a SecretKey …`; `'env' must be without API_KEY …`; `'volumes[…]' must be writable …` and
            `'replicas' must be 1 …` for `models` that the volume can't hold for every pod.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13")
        >>> whisper = Whisper(Chart(App(), "ai"), "whisper", nodes=nodes, models=["Systran/faster-whisper-large-v3"])
        >>> whisper.image, whisper.models
        ('ghcr.io/speaches-ai/speaches:0.8.3-cuda', ('Systran/faster-whisper-large-v3',))

    https://speaches.ai/configuration/
    """

    images: ClassVar[Mapping[int, str]] = SPEACHES_IMAGES
    user = (1000, 1000, 1000)
    models_path = _MODELS

    models: tuple[str, ...] = attrs.field(default=(), converter=to_whisper_models)
    api_key: SecretKey | None = attrs.field(default=None, converter=to_secret_key)
    keep_alive: int | None = attrs.field(default=None, converter=_to_keep_alive)
    storage: str = attrs.field(default="50Gi", converter=to_bytes)
    startup: int = attrs.field(default=180, converter=to_positive)
    drain: int = attrs.field(default=20, converter=to_count)

    def __attrs_post_init__(self) -> None:
        if "API_KEY" in self.env:
            raise wrong(
                "env",
                "without API_KEY",
                "API_KEY",
                "give api_key=SecretKey(…): the probes, the web interface and the Job depend on the key",
            )
        super().__attrs_post_init__()

    @property
    def unauthenticated(self) -> str:  # type: ignore[override]  # the base class has no server that asks for a login in one case only
        """A sentence that the server has no authentication, or an empty string."""
        return "" if self.api_key else "speaches has no authentication without 'api_key'"

    @property
    def health(self) -> Probe:  # type: ignore[override]  # as above
        """The probe of a working server."""
        return TcpProbe() if self.api_key else HttpProbe("/health")

    @property
    def direct_client(self) -> str:  # type: ignore[override]  # as above
        """The object that calls the server's Service by itself, or an empty string."""
        return "the Job of 'models'" if self.models else ""

    def _facts(self) -> Mapping[str, Any]:
        check_port_variable(self, _PORT_VARIABLE)
        return {
            "port": _PORT,
            "env": {
                _PORT_VARIABLE: str(server_port(self, _PORT)),
                **({} if self.keep_alive is None else {"WHISPER__TTL": str(self.keep_alive)}),
                **({} if self.api_key is None else {"API_KEY": self.api_key, "ENABLE_UI": "false"}),
            },
            "volumes": {_MODELS: Persistent(self.storage, name="models")},
        }

    def beside(self) -> Manifests:
        """The Job that asks the server to download the models."""
        return {"Models": download_job(self, self.models, self.api_key)} if self.models else {}
