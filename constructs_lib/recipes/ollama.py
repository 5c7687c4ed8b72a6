"""The recipe of Ollama."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.errors import wrong
from ..arguments.fields import named, to_bytes, to_count, to_optional_positive, to_optional_text, to_positive, to_texts
from ..arguments.plain_values import choice
from ..manifests.objects import Manifest, Manifests
from ..manifests.volumes.sources import Empty
from ..manifests.volumes.volume import Persistent
from ..manifests.workload.container_values import HttpProbe
from ..manifests.workload.settings import GpuWorkloadSettings
from ..upstream.programs import model_servers
from ..upstream.programs.images import OLLAMA_IMAGES
from ..upstream.programs.model_servers import ModelServer
from ..upstream.programs.quantizations import CacheType
from .client_job import client_job
from .fitted_model import facts_of_fit, memory_of_others, settle_by_model, to_model
from .model import Model
from .model_inference import model_of_tag
from .model_volume import MODELS, PulledModelsSettings
from .named_model import NamedModels
from .server_flags import check_port_variable, server_address, server_port

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
        "env": [{"name": "HOME", "value": HOME}, {"name": model_servers.OLLAMA_HOST, "value": server_address(settings)}],
        "volumeMounts": [{"name": "home", "mountPath": HOME}],
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}},
    }
    return client_job(settings, "models", container, [{"name": "home", "emptyDir": {}}])


def _to_cache_type(value: CacheType | str | None, argument: str = "") -> CacheType:
    # None becomes the default in `__attrs_post_init__`.
    return None if value is None else choice(argument, value, CacheType)  # type: ignore[return-value]


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class OllamaSettings(PulledModelsSettings):
    """An Ollama server on the GPUs of a node class, with its models.

    Ollama answers as soon as it runs, and loads a model at the first request for it. The models arrive by a Job that
    asks the server to pull them: its log shows the progress, its name changes with the list, and it needs no GPU. No
    hook of the container pulls: a failing hook would restart the server. The server runs without root. Ollama asks
    nobody for a password: who reaches the Service uses the card, so keep the Service inside the cluster.

    Ollama chooses the context of a model by the whole memory of the card, also where pods share the card, so the
    context is always set. Where pods share a card of known memory, Ollama leaves the other pods' part of the memory
    free.

    Makes a Deployment, a Service with the port 11434, a PersistentVolumeClaim for the models, and with `models` the Job
    `<name>-models-<hash>`.

    Args:
        models: The models that the server has, such as "llama3.2:3b". A model that is taken out of the list stays on
            the volume. Default: none; clients pull models themselves.
        fits: The largest model of the list, as a `Model`. A model that does not fit the card is refused; the memory
            that it needs is declared as `gpu_memory`. Default: the models of the catalogue in the list are compared, and
            nothing is declared.
        context: The context of each request, in tokens. Default: that of `fits`, else 8192.
        parallel: The requests that a model answers at once; each has its own context in the card's memory. Default:
            that of `fits`, else 1.
        keep_alive: The time for which an idle model stays in the card's memory, such as "30m", or "-1" for ever.
            Default: Ollama's own, 5m.
        kv_cache: The type of the KV cache: `f16`, `q8_0` or `q4_0`, which need about a half and a quarter of the memory
            of `f16`. Default: that of `fits`, else `f16`.
        storage: The size of the claim for the models. `volumes={"/models": …}` takes another volume in its place.
            Default: "100Gi", more for a larger model of `fits`.
        startup: The seconds that the server may take to start, without a model. Default: 120.
        drain: The seconds that open requests have when the pod is deleted. Ollama ends them at its SIGTERM, so it gets
            the SIGTERM after the drain. Default: 20.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'image' must be an image with a tag other than 'latest' …`;
            `'models' must be names of models …`; `'fits' must be a model that needs at most …`, with the sum and with
            what would fit; `'volumes[…]' must be writable …` and `'replicas' must be 1 …` for `models` that the volume
            can't hold for every pod.

    Warns:
        TalosGpuWarning: As `GpuWorkload`; for a model of the list that does not fit the card, of which Ollama leaves a
            part to the CPU; for a `drain` longer than the 20 seconds that pods have when Talos is powered
            off.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", product="RTX 4090", sharing=TimeSlicing(replicas=2))
        >>> ollama = Ollama(Chart(App(), "ai"), "ollama", nodes=nodes, models=["llama3.2:3b"])
        >>> ollama.env["OLLAMA_CONTEXT_LENGTH"], ollama.env["OLLAMA_GPU_OVERHEAD"]
        ('8192', '12884901888')

    https://github.com/ollama/ollama/blob/v0.32.15/docs/gpu.mdx
    """

    images: ClassVar[Mapping[int, str]] = OLLAMA_IMAGES
    health = HttpProbe(model_servers.OLLAMA_HEALTH)
    drains = False
    user = (1000, 1000, 1000)
    models_path = MODELS
    unauthenticated = "Ollama has no authentication"

    models: tuple[str, ...] = attrs.field(default=(), converter=to_ollama_models)
    fits: Model | None = attrs.field(default=None, converter=to_model)
    context: int = attrs.field(default=None, converter=to_optional_positive)
    parallel: int = attrs.field(default=None, converter=to_optional_positive)
    keep_alive: str | None = attrs.field(default=None, converter=to_optional_text)
    kv_cache: CacheType = attrs.field(default=None, converter=_to_cache_type)
    storage: str = attrs.field(default="100Gi", converter=to_bytes)
    startup: int = attrs.field(default=120, converter=to_positive)
    drain: int = attrs.field(default=20, converter=to_count)

    def __attrs_post_init__(self) -> None:
        settle_by_model(self, self.fits, context=8192, parallel=1, kv_cache=CacheType.F16)
        if self.kv_cache is CacheType.FP8:
            raise wrong("kv_cache", "'f16', 'q8_0' or 'q4_0'", str(self.kv_cache), "fp8 is a type of vLLM and SGLang")
        super().__attrs_post_init__()

    @property
    def direct_client(self) -> str:  # type: ignore[override]  # the base class has no such object
        """The object that calls the server's Service by itself, or an empty string."""
        return "the Job of 'models'" if self.models else ""

    @property
    def named_models(self) -> NamedModels:
        """The models that `models` names, where nobody gave the largest one."""
        models = {} if self.fits else {each: model_of_tag(each) for each in self.models}
        return NamedModels("models", models, ModelServer.OLLAMA, self.context, self.parallel, self.kv_cache)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What was not compared."""
        return self.named_models.remarks(self)

    def _facts(self) -> Mapping[str, Any]:
        check_port_variable(self, model_servers.OLLAMA_HOST)
        self._complete(facts_of_fit(self, self.fits, ModelServer.OLLAMA, MODELS))
        self.named_models.check(self)
        optional = {
            model_servers.OLLAMA_KEEP_ALIVE: self.keep_alive,
            model_servers.OLLAMA_KV_CACHE_TYPE: None if self.kv_cache is CacheType.F16 else str(self.kv_cache),
            model_servers.OLLAMA_FLASH_ATTENTION: None if self.kv_cache is CacheType.F16 else "1",
            model_servers.OLLAMA_GPU_OVERHEAD: str(memory_of_others(self.nodes) or "") or None,
        }
        return {
            "port": model_servers.OLLAMA_PORT,
            "env": {
                "HOME": HOME,  # Ollama writes its key there
                model_servers.OLLAMA_HOST: f"0.0.0.0:{server_port(self, model_servers.OLLAMA_PORT)}",
                model_servers.OLLAMA_MODELS: MODELS,
                model_servers.OLLAMA_CONTEXT_LENGTH: str(self.context),
                model_servers.OLLAMA_PARALLEL: str(self.parallel),
                **{name: value for name, value in optional.items() if value is not None},
            },
            "volumes": {MODELS: Persistent(self.storage), HOME: Empty()},
        }

    def beside(self) -> Manifests:
        """The Job that asks the server to pull the models."""
        return {"Models": pull_job(self, self.models)} if self.models else {}
