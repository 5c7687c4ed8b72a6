"""The recipe of vLLM."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.fields import named
from ..upstream.programs import model_servers
from ..upstream.programs.images import VLLM_IMAGES
from ..upstream.programs.model_servers import ModelServer
from ..upstream.programs.quantizations import CacheType
from .fitted_model import FittedServerSettings
from .model_fit import VLLM_PART
from .server_flags import server_port, shared_memory_of, words_of

_DERIVED = {
    "--model": "model",
    "--revision": "revision",
    "--served-model-name": "served_name",
    "--max-model-len": "context",
    "--tensor-parallel-size": "gpus",
    "-tp": "gpus",
    "--pipeline-parallel-size": "gpus",
    "-pp": "gpus",
    "--data-parallel-size": "replicas",
    "-dp": "replicas",
    "--gpu-memory-utilization": "memory_fraction",
    "--shutdown-timeout": "drain",
    "--port": "port",
}


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class VllmSettings(FittedServerSettings):
    """A vLLM server with OpenAI's API and one model, on the GPUs of a node class.

    The model arrives by a Job without a GPU, which runs on the node of the server, has the token alone, and downloads
    the repository to the claim. The Job's name changes with the model and the revision; its log shows the progress. The
    server waits for the files in an init container, and then needs no network: `HF_HUB_OFFLINE` is on. The claim also
    keeps vLLM's compiled code for the model, so that the next start is faster.

    vLLM takes a fixed part of the card's memory at its start: 0.9, and 0.9 divided by the number of pods where pods
    share a card. Several GPUs run the model together (tensor parallel), and must be whole cards. The server runs
    without root.

    `api_key` guards the paths below /v1 alone: /metrics and vLLM's own paths stay open, so keep the Service inside the
    cluster.

    Makes a Deployment, a Service with the port 8000, the PersistentVolumeClaim `<name>-models`, and the Job
    `<name>-model-<hash>`.

    Args:
        context: The longest request with its answer, in tokens. Default: that of `fits`, else that of the model, whose
            KV cache may not fit the card.
        memory_fraction: The part of a card's memory that vLLM takes, at most the pod's share of the card. Default: 0.9
            of the share.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'model' must be a repository of Hugging Face …`;
            `'memory_fraction' must be at most …` for more than the pod's share;
            `'fits' must be a model that needs at most …`, with the sum and with what would fit, and the same of `'model'`;
            `'args' must be without …` for a flag that an argument sets; `'gpus' must be 1 …` for several shares or
            partitions; `'image' must be built with another CUDA …`; `'volumes[/models]' must be …` for a volume that
            the Job can't fill.

    Warns:
        TalosGpuWarning: As `GpuWorkload`; for a `drain` longer than the 20 seconds that pods have when Talos is powered
            off.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", product="RTX 4090", sharing=TimeSlicing(replicas=2))
        >>> vllm = Vllm(Chart(App(), "ai"), "vllm", nodes=nodes, model="Qwen/Qwen3-4B", context=8192)
        >>> vllm.image, vllm.args[vllm.args.index("--gpu-memory-utilization") + 1]
        ('vllm/vllm-openai:v0.28.0', '0.45')

    https://docs.vllm.ai/en/stable/deployment/docker/
    """

    images: ClassVar[Mapping[int, str]] = VLLM_IMAGES
    derived = _DERIVED
    server = ModelServer.VLLM
    user = (2000, 0, 0)

    def _facts(self) -> Mapping[str, Any]:
        share = self._checked_share()
        fraction = self.memory_fraction or math.floor(100 * VLLM_PART * share) / 100
        self._compare(fraction)
        flags = {
            "--served-model-name": self.served_name or self.model,
            "--port": server_port(self, model_servers.VLLM_PORT),
            "--max-model-len": self.context,
            "--tensor-parallel-size": self.gpus if self.gpus > 1 else None,
            "--gpu-memory-utilization": f"{fraction:g}",
            "--kv-cache-dtype": model_servers.VLLM_FP8_CACHE if self.fits and self.fits.kv_cache is CacheType.FP8 else None,
            "--shutdown-timeout": self.drain - self.sleep,
            "--disable-access-log-for-endpoints": ",".join(model_servers.VLLM_LOUD_PATHS),
        }
        env: dict[str, Any] = {
            "HOME": "/home/vllm",
            model_servers.HF_OFFLINE: "1",
            model_servers.VLLM_CACHE_ROOT: f"{self.caches}/vllm",
            **self.compile_caches,
        }
        if self.api_key is not None:
            env[model_servers.VLLM_API_KEY] = self.api_key
        return {
            **super()._facts(),
            "port": model_servers.VLLM_PORT,
            "args": [self.folder, *words_of(flags)],
            "env": env,
            "shared_memory": shared_memory_of(self, "2Gi", "8Gi"),
        }
