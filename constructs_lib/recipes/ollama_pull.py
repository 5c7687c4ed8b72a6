"""The Job that asks an Ollama server to pull models."""

from __future__ import annotations

from collections.abc import Iterable

from ..arguments.errors import wrong
from ..arguments.fields import to_texts
from ..manifests.objects import Manifest
from ..manifests.workload.settings import GpuWorkloadSettings
from ..upstream.programs import ollama_words
from .client_job import client_job
from .server_port import server_address

HOME = "/home/ollama"
_PULL = """\
until ollama list > /dev/null 2>&1; do echo "waiting for $OLLAMA_HOST"; sleep 5; done
for model in "$@"; do echo "pulling $model"; ollama pull "$model"; done
"""


def to_ollama_models(value: Iterable[str], argument: str = "") -> tuple[str, ...]:
    """Names of models, each once. A name is no flag of the command."""
    models = to_texts(value, argument)
    for model in models:
        if not model or model.startswith("-") or any(each.isspace() for each in model):
            raise wrong(argument, "names of models such as 'llama3.2:3b'", model)
    return tuple(dict.fromkeys(models))


def pull_job(settings: GpuWorkloadSettings, models: Iterable[str]) -> Manifest:
    """A Job that waits for the server and has it pull the models. The client needs no GPU and no volume of models."""
    container = {
        "image": settings.image,
        "command": ["/bin/sh", "-ec", _PULL, "pull"],
        "args": [*models],
        "env": [
            {"name": "HOME", "value": HOME},
            {"name": ollama_words.HOST, "value": server_address(settings)},
        ],
        "volumeMounts": [{"name": "home", "mountPath": HOME}],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
    }
    return client_job(settings, "models", container, [{"name": "home", "emptyDir": {}}])
