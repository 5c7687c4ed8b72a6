"""The recipe of SGLang."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar

import attrs

from ..arguments.fields import named
from ..upstream.programs import container_rights, model_servers
from ..upstream.programs.images import SGLANG_IMAGES
from ..upstream.programs.model_servers import ModelServer
from ..upstream.programs.quantizations import CacheType
from .fitted_model import FittedServerSettings
from .server_flags import server_port, shared_memory_of, words_of

_PART = 0.8
"""The part of its share of a card that SGLang takes for weights and KV cache: activations and CUDA graphs need the
rest."""
_DERIVED = {
    "--model": "model",
    "--model-path": "model",
    "--revision": "revision",
    "--served-model-name": "served_name",
    "--context-length": "context",
    "--tp": "gpus",
    "--tp-size": "gpus",
    "--tensor-parallel-size": "gpus",
    "--mem-fraction-static": "memory_fraction",
    "--port": "port",
}


@attrs.frozen(kw_only=True, eq=False, repr=False, field_transformer=named)
class SglangSettings(FittedServerSettings):
    """An SGLang server with OpenAI's API and one model, on the GPUs of a node class.

    The model arrives by a Job without a GPU, which runs on the node of the server, has the token alone, and downloads
    the repository to the claim. The Job's name changes with the model and the revision; its log shows the progress. The
    server waits for the files in an init container, and then needs no network: `HF_HUB_OFFLINE` is on. Compiled kernels
    are on the claim as well, so that the next start is faster.

    If a pod has the card alone, SGLang chooses the part of the card's memory for weights and KV cache. If pods share a
    card, it is 0.8 of the pod's share. Several GPUs run the model together (tensor parallel), and must be
    whole cards. The image runs as root, so its namespace must allow Pod Security `baseline`; server and Job have one
    capability, DAC_OVERRIDE. Images after v0.5.19 need CUDA 13, which is driver 580 or newer.

    Makes a Deployment, a Service with the port 30000, the PersistentVolumeClaim `<name>-models`, and the Job
    `<name>-model-<hash>`.

    Args:
        context: The longest request with its answer, in tokens. Default: that of `fits`, else that of the model.
        memory_fraction: The part of a card's memory for weights and KV cache, at most the pod's share of the card.
            Default: SGLang's choice, and 0.8 of the share where pods share a card.
        api_key: A `SecretKey` with the key that clients must give, except for /health and /metrics. Default: none.

    Raises:
        TypeError, ValueError: As `GpuWorkload`; `'memory_fraction' must be at most …` for more than the pod's share;
            `'fits' must be a model that needs at most …`, with the sum and with what would fit, and the same of `'model'`;
            `'args' must be without …` for a flag that an argument sets; `'gpus' must be 1 …` for several shares or
            partitions; `'image' must be built with another CUDA …`.

    Warns:
        TalosGpuWarning: As `GpuWorkload`; for a `drain` longer than the 20 seconds that pods have when Talos is powered
            off.

    Example:
        >>> nodes = GpuNodes(talos_version="1.13", product="H100", gpus_per_node=8)
        >>> sglang = Sglang(Chart(App(), "ai"), "sglang", nodes=nodes, model="Qwen/Qwen3-32B", gpus=2)
        >>> sglang.args[sglang.args.index("--tp-size") + 1], sglang.shared_memory
        ('2', '10Gi')

    https://docs.sglang.io/docs/get-started/install.md
    """

    images: ClassVar[Mapping[int, str]] = SGLANG_IMAGES
    derived = _DERIVED
    server = ModelServer.SGLANG
    root_image = container_rights.SGLANG

    def _facts(self) -> Mapping[str, Any]:
        share = self._checked_share()
        fraction = self.memory_fraction or (math.floor(100 * _PART * share) / 100 if share < 1 else None)
        self._compare(share)
        flags = {
            "--model-path": self.folder,
            "--served-model-name": self.served_name or self.model,
            "--host": "0.0.0.0",  # noqa: S104  # the Service reaches the pod's address
            "--port": server_port(self, model_servers.SGLANG_PORT),
            "--context-length": self.context,
            "--tp-size": self.gpus if self.gpus > 1 else None,
            "--mem-fraction-static": None if fraction is None else f"{fraction:g}",
            "--kv-cache-dtype": model_servers.SGLANG_FP8_CACHE if self.fits and self.fits.kv_cache is CacheType.FP8 else None,
            "--enable-metrics": True,
            "--api-key": f"$({model_servers.SGLANG_API_KEY})" if self.api_key else None,
        }
        env: dict[str, Any] = {model_servers.HF_OFFLINE: "1", **self.compile_caches}
        if self.api_key is not None:
            env[model_servers.SGLANG_API_KEY] = self.api_key
        return {
            **super()._facts(),
            "port": model_servers.SGLANG_PORT,
            "command": [*model_servers.SGLANG_COMMAND],
            "args": words_of(flags),
            "env": env,
            "shared_memory": shared_memory_of(self, "2Gi", "10Gi"),
        }
